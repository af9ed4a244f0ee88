// before compare_in_words
gpu.module @below_two {
  gpu.func @below_two(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Ends: memref<?xi32, strided<[1]>>, %Ends_d0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Ends i32", "dim Ends 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 64 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} dense<0.0> : vector<16x16xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %cst_0 = arith.constant {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} dense<0.0> : vector<16x16xf16>
    %0 = xetile.init_tile %Ends[%c0], [%Ends_d0], [%c1] : memref<?xi32, strided<[1]>> -> !xetile.tile<1x1xi32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [1, 1]>>>
    %1 = xetile.load_tile %0 : !xetile.tile<1x1xi32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [1, 1]>>> -> vector<1x1xi32>
    %first = vector.extract %1[0, 0] : i32 from vector<1x1xi32>
    %2 = xetile.init_tile %Ends[%c1], [%Ends_d0], [%c1] : memref<?xi32, strided<[1]>> -> !xetile.tile<1x1xi32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [1, 1]>>>
    %3 = xetile.load_tile %2 : !xetile.tile<1x1xi32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [1, 1]>>> -> vector<1x1xi32>
    %end = vector.extract %3[0, 0] : i32 from vector<1x1xi32>
    %4 = arith.index_cast %first : i32 to index
    %5 = arith.index_cast %end : i32 to index
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %6 = xetile.init_tile %A[%c0_0, %4], [%A_d0, %A_d1], [%A_s0, %c1_0] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %c0_1 = arith.constant 0 : index
    %c16_0 = arith.constant 16 : index
    %c0_2 = arith.constant 0 : index
    %c1_1 = arith.constant 1 : index
    %7 = xetile.init_tile %B[%4, %c0_2], [%B_d0, %B_d1], [%B_s0, %c1_1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %c16_1 = arith.constant 16 : index
    %c0_3 = arith.constant 0 : index
    xetile.prefetch_tile %7 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %8 = xetile.update_tile_offset %7, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    xetile.prefetch_tile %8 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %9 = xetile.update_tile_offset %8, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    xetile.prefetch_tile %9 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %10 = xetile.update_tile_offset %9, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %11, %12, %13, %14 = scf.for %k = %4 to %5 step %c16 iter_args(%acc = %cst, %15 = %6, %16 = %7, %ahead = %10) -> (vector<16x16xf32>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>) {
      %a = xetile.load_tile %15 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>> -> vector<16x16xf16>
      %b = xetile.load_tile %16 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>> -> vector<16x16xf16>
      %17 = xetile.tile_iota 1 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : vector<1x16xindex>
      %18 = vector.broadcast %k {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : index to vector<1x16xindex>
      %columns = arith.addi %18, %17 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : vector<1x16xindex>
      %19 = xetile.tile_iota 0 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xindex>
      %20 = arith.index_cast %first : i32 to index
      %21 = vector.broadcast %20 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : index to vector<16x1xindex>
      %rows = arith.addi %21, %19 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xindex>
      %22 = xetile.tile_broadcast %columns [0] {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<1x16xindex> -> vector<16x16xindex>
      %23 = arith.index_cast %end : i32 to index
      %cst_1 = arith.constant -9223372036854775807 : index
      %24 = arith.maxsi %23, %cst_1 : index
      %cst_2 = arith.constant -1 : index
      %25 = arith.addi %24, %cst_2 : index
      %26 = vector.broadcast %25 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : index to vector<16x1xindex>
      %27 = arith.minsi %rows, %26 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xindex>
      %28 = xetile.tile_broadcast %27 [1] {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x1xindex> -> vector<16x16xindex>
      %29 = arith.cmpi sle, %22, %28 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xindex>
      %30 = arith.select %29, %a, %cst_0 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xi1>, vector<16x16xf16>
      %acc_0 = xetile.tile_mma %30, %b, %acc {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xf16>, vector<16x16xf16>, vector<16x16xf32> -> vector<16x16xf32>
      %31 = xetile.update_tile_offset %15, [%c0_1, %c16_0] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      %32 = xetile.update_tile_offset %16, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      xetile.prefetch_tile %ahead : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      %33 = xetile.update_tile_offset %ahead, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      scf.yield %acc_0, %31, %32, %33 : vector<16x16xf32>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    } {wg_maps = [#xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>, unit, unit, unit]}
    %34 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    xetile.store_tile %11, %34 : vector<16x16xf32>, !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    gpu.return
  }
}

// after compare_in_words
gpu.module @below_two {
  gpu.func @below_two(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Ends: memref<?xi32, strided<[1]>>, %Ends_d0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Ends i32", "dim Ends 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 64 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} dense<0.0> : vector<16x16xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %cst_0 = arith.constant {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} dense<0.0> : vector<16x16xf16>
    %0 = xetile.init_tile %Ends[%c0], [%Ends_d0], [%c1] : memref<?xi32, strided<[1]>> -> !xetile.tile<1x1xi32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [1, 1]>>>
    %1 = xetile.load_tile %0 : !xetile.tile<1x1xi32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [1, 1]>>> -> vector<1x1xi32>
    %first = vector.extract %1[0, 0] : i32 from vector<1x1xi32>
    %2 = xetile.init_tile %Ends[%c1], [%Ends_d0], [%c1] : memref<?xi32, strided<[1]>> -> !xetile.tile<1x1xi32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [1, 1]>>>
    %3 = xetile.load_tile %2 : !xetile.tile<1x1xi32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [1, 1]>>> -> vector<1x1xi32>
    %end = vector.extract %3[0, 0] : i32 from vector<1x1xi32>
    %4 = arith.index_cast %first : i32 to index
    %5 = arith.index_cast %end : i32 to index
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %6 = xetile.init_tile %A[%c0_0, %4], [%A_d0, %A_d1], [%A_s0, %c1_0] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %c0_1 = arith.constant 0 : index
    %c16_0 = arith.constant 16 : index
    %c0_2 = arith.constant 0 : index
    %c1_1 = arith.constant 1 : index
    %7 = xetile.init_tile %B[%4, %c0_2], [%B_d0, %B_d1], [%B_s0, %c1_1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %c16_1 = arith.constant 16 : index
    %c0_3 = arith.constant 0 : index
    xetile.prefetch_tile %7 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %8 = xetile.update_tile_offset %7, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    xetile.prefetch_tile %8 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %9 = xetile.update_tile_offset %8, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    xetile.prefetch_tile %9 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %10 = xetile.update_tile_offset %9, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %11, %12, %13, %14 = scf.for %k = %4 to %5 step %c16 iter_args(%acc = %cst, %15 = %6, %16 = %7, %ahead = %10) -> (vector<16x16xf32>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>) {
      %a = xetile.load_tile %15 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>> -> vector<16x16xf16>
      %b = xetile.load_tile %16 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>> -> vector<16x16xf16>
      %17 = xetile.tile_iota 1 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : vector<1x16xindex>
      %18 = xetile.tile_iota 0 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xindex>
      %19 = arith.index_cast %first : i32 to index
      %20 = arith.index_cast %end : i32 to index
      %cst_1 = arith.constant -9223372036854775807 : index
      %21 = arith.maxsi %20, %cst_1 : index
      %cst_2 = arith.constant -1 : index
      %22 = arith.addi %21, %cst_2 : index
      %23 = arith.index_cast %17 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : vector<1x16xindex> to vector<1x16xi32>
      %24 = xetile.tile_broadcast %23 [0] {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<1x16xi32> -> vector<16x16xi32>
      %25 = arith.index_cast %18 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xindex> to vector<16x1xi32>
      %c0_4 = arith.constant 0 : index
      %26 = arith.addi %c0_4, %19 : index
      %27 = arith.subi %26, %k : index
      %cst_3 = arith.constant -1073741824 : index
      %28 = arith.maxsi %27, %cst_3 : index
      %c1073741824 = arith.constant 1073741824 : index
      %29 = arith.minsi %28, %c1073741824 : index
      %30 = arith.index_cast %29 : index to i32
      %31 = vector.broadcast %30 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : i32 to vector<16x1xi32>
      %32 = arith.addi %25, %31 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xi32>
      %c0_5 = arith.constant 0 : index
      %33 = arith.addi %c0_5, %22 : index
      %34 = arith.subi %33, %k : index
      %cst_4 = arith.constant -1073741824 : index
      %35 = arith.maxsi %34, %cst_4 : index
      %c1073741824_0 = arith.constant 1073741824 : index
      %36 = arith.minsi %35, %c1073741824_0 : index
      %37 = arith.index_cast %36 : index to i32
      %38 = vector.broadcast %37 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : i32 to vector<16x1xi32>
      %39 = arith.minsi %32, %38 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xi32>
      %40 = xetile.tile_broadcast %39 [1] {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x1xi32> -> vector<16x16xi32>
      %41 = arith.cmpi sle, %24, %40 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xi32>
      %42 = arith.select %41, %a, %cst_0 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xi1>, vector<16x16xf16>
      %acc_0 = xetile.tile_mma %42, %b, %acc {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xf16>, vector<16x16xf16>, vector<16x16xf32> -> vector<16x16xf32>
      %43 = xetile.update_tile_offset %15, [%c0_1, %c16_0] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      %44 = xetile.update_tile_offset %16, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      xetile.prefetch_tile %ahead : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      %45 = xetile.update_tile_offset %ahead, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      scf.yield %acc_0, %43, %44, %45 : vector<16x16xf32>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    } {wg_maps = [#xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>, unit, unit, unit]}
    %46 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    xetile.store_tile %11, %46 : vector<16x16xf32>, !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    gpu.return
  }
}
