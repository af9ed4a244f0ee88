// before split_loops
gpu.module @bounded {
  gpu.func @bounded(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index, %end: i32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0", "scalar end i32"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} dense<0.0> : vector<16x16xf32>
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %cst_0 = arith.constant {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} dense<0.0> : vector<16x16xf16>
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %0 = xetile.init_tile %A[%c0_0, %c0], [%A_d0, %A_d1], [%A_s0, %c1_0] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %c0_1 = arith.constant 0 : index
    %c16_0 = arith.constant 16 : index
    %c0_2 = arith.constant 0 : index
    %c1_1 = arith.constant 1 : index
    %1 = xetile.init_tile %B[%c0, %c0_2], [%B_d0, %B_d1], [%B_s0, %c1_1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %c16_1 = arith.constant 16 : index
    %c0_3 = arith.constant 0 : index
    xetile.prefetch_tile %1 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %2 = xetile.update_tile_offset %1, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    xetile.prefetch_tile %2 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %3 = xetile.update_tile_offset %2, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    xetile.prefetch_tile %3 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %4 = xetile.update_tile_offset %3, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %5, %6, %7, %8 = scf.for %k = %c0 to %A_d1 step %c16 iter_args(%acc = %cst, %9 = %0, %10 = %1, %ahead = %4) -> (vector<16x16xf32>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>) {
      %a = xetile.load_tile %9 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>> -> vector<16x16xf16>
      %b = xetile.load_tile %10 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>> -> vector<16x16xf16>
      %11 = xetile.tile_iota 1 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : vector<1x16xindex>
      %12 = vector.broadcast %k {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : index to vector<1x16xindex>
      %13 = arith.addi %12, %11 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : vector<1x16xindex>
      %14 = arith.index_cast %end : i32 to index
      %15 = vector.broadcast %14 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : index to vector<1x16xindex>
      %16 = arith.cmpi slt, %13, %15 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : vector<1x16xindex>
      %17 = xetile.tile_broadcast %16 [0] {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<1x16xi1> -> vector<16x16xi1>
      %18 = arith.select %17, %a, %cst_0 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xi1>, vector<16x16xf16>
      %acc_0 = xetile.tile_mma %18, %b, %acc {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xf16>, vector<16x16xf16>, vector<16x16xf32> -> vector<16x16xf32>
      %19 = xetile.update_tile_offset %9, [%c0_1, %c16_0] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      %20 = xetile.update_tile_offset %10, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      xetile.prefetch_tile %ahead : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      %21 = xetile.update_tile_offset %ahead, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      scf.yield %acc_0, %19, %20, %21 : vector<16x16xf32>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    } {wg_maps = [#xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>, unit, unit, unit]}
    %22 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    xetile.store_tile %5, %22 : vector<16x16xf32>, !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    gpu.return
  }
}

// after split_loops
gpu.module @bounded {
  gpu.func @bounded(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index, %end: i32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0", "scalar end i32"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} dense<0.0> : vector<16x16xf32>
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %cst_0 = arith.constant {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} dense<0.0> : vector<16x16xf16>
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %0 = xetile.init_tile %A[%c0_0, %c0], [%A_d0, %A_d1], [%A_s0, %c1_0] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %c0_1 = arith.constant 0 : index
    %c16_0 = arith.constant 16 : index
    %c0_2 = arith.constant 0 : index
    %c1_1 = arith.constant 1 : index
    %1 = xetile.init_tile %B[%c0, %c0_2], [%B_d0, %B_d1], [%B_s0, %c1_1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %c16_1 = arith.constant 16 : index
    %c0_3 = arith.constant 0 : index
    xetile.prefetch_tile %1 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %2 = xetile.update_tile_offset %1, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    xetile.prefetch_tile %2 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %3 = xetile.update_tile_offset %2, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    xetile.prefetch_tile %3 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %4 = xetile.update_tile_offset %3, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %cst_1 = arith.constant -15 : index
    %5 = arith.index_cast %end : i32 to index
    %cst_2 = arith.constant -2147483633 : index
    %6 = arith.maxsi %5, %cst_2 : index
    %7 = arith.addi %6, %cst_1 : index
    %8 = arith.minsi %A_d1, %7 : index
    %9, %10, %11, %12 = scf.for %k = %c0 to %8 step %c16 iter_args(%acc = %cst, %13 = %0, %14 = %1, %ahead = %4) -> (vector<16x16xf32>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>) {
      %a = xetile.load_tile %13 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>> -> vector<16x16xf16>
      %b = xetile.load_tile %14 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>> -> vector<16x16xf16>
      %15 = xetile.tile_iota 1 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : vector<1x16xindex>
      %16 = vector.broadcast %k {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : index to vector<1x16xindex>
      %17 = arith.addi %16, %15 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : vector<1x16xindex>
      %18 = arith.index_cast %end : i32 to index
      %19 = vector.broadcast %18 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : index to vector<1x16xindex>
      %acc_0 = xetile.tile_mma %a, %b, %acc {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xf16>, vector<16x16xf16>, vector<16x16xf32> -> vector<16x16xf32>
      %20 = xetile.update_tile_offset %13, [%c0_1, %c16_0] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      %21 = xetile.update_tile_offset %14, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      xetile.prefetch_tile %ahead : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      %22 = xetile.update_tile_offset %ahead, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      scf.yield %acc_0, %20, %21, %22 : vector<16x16xf32>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    } {wg_maps = [#xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>, unit, unit, unit]}
    %23 = arith.maxsi %8, %c0 : index
    %24 = arith.subi %23, %c0 : index
    %25 = arith.ceildivsi %24, %c16 : index
    %26 = arith.muli %25, %c16 : index
    %27 = arith.addi %c0, %26 : index
    %28, %29, %30, %31 = scf.for %k_0 = %27 to %A_d1 step %c16 iter_args(%acc_1 = %9, %32 = %10, %33 = %11, %ahead_0 = %12) -> (vector<16x16xf32>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>) {
      %a_0 = xetile.load_tile %32 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>> -> vector<16x16xf16>
      %b_0 = xetile.load_tile %33 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>> -> vector<16x16xf16>
      %34 = xetile.tile_iota 1 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : vector<1x16xindex>
      %35 = vector.broadcast %k_0 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : index to vector<1x16xindex>
      %36 = arith.addi %35, %34 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : vector<1x16xindex>
      %37 = arith.index_cast %end : i32 to index
      %38 = vector.broadcast %37 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : index to vector<1x16xindex>
      %39 = arith.cmpi slt, %36, %38 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [1, 16]>} : vector<1x16xindex>
      %40 = xetile.tile_broadcast %39 [0] {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<1x16xi1> -> vector<16x16xi1>
      %41 = arith.select %40, %a_0, %cst_0 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xi1>, vector<16x16xf16>
      %acc_0_0 = xetile.tile_mma %41, %b_0, %acc_1 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xf16>, vector<16x16xf16>, vector<16x16xf32> -> vector<16x16xf32>
      %42 = xetile.update_tile_offset %32, [%c0_1, %c16_0] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      %43 = xetile.update_tile_offset %33, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      xetile.prefetch_tile %ahead_0 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      %44 = xetile.update_tile_offset %ahead_0, [%c16_1, %c0_3] : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      scf.yield %acc_0_0, %42, %43, %44 : vector<16x16xf32>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>, !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    } {wg_maps = [#xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>, unit, unit, unit]}
    %45 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    xetile.store_tile %28, %45 : vector<16x16xf32>, !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    gpu.return
  }
}
