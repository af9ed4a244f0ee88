// before scale_extremes
gpu.module @online {
  gpu.func @online(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index, %scale: f32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0", "scalar scale f32"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} dense<0.0> : vector<16x1xf32>
    %c16 = arith.constant 16 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %a = xetile.load_tile %0 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>> -> vector<16x16xf16>
    %cst_0 = arith.constant {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} dense<0xFF800000> : vector<16x1xf32>
    %cst_1 = arith.constant 1.4426950216293335 : f32
    %1 = arith.mulf %scale, %cst_1 : f32
    %2 = arith.bitcast %1 : f32 to i32
    %c0_i32 = arith.constant 0 : i32
    %3 = arith.cmpi slt, %2, %c0_i32 : i32
    %cst_2 = arith.constant 1.0 : f16
    %cst_3 = arith.constant -1.0 : f16
    %4 = arith.select %3, %cst_3, %cst_2 : f16
    %5 = vector.broadcast %4 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : f16 to vector<16x16xf16>
    %6 = arith.mulf %a, %5 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xf16>
    %7, %8 = scf.for %n = %c0 to %B_d1 step %c16 iter_args(%top = %cst_0, %total = %cst) -> (vector<16x1xf32>, vector<16x1xf32>) {
      %9 = xetile.init_tile %B[%c0, %n], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      %10 = xetile.load_tile %9 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>> -> vector<16x16xf16>
      %11 = xetile.tile_mma %6, %10 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
      %cst_4 = arith.constant 1.4426950216293335 : f32
      %12 = arith.mulf %scale, %cst_4 : f32
      %13 = math.absf %12 : f32
      %14 = vector.broadcast %13 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : f32 to vector<16x16xf32>
      %s = arith.mulf %11, %14 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xf32>
      %15 = xetile.tile_reduce <maxnumf> %s [1] {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x16xf32> -> vector<16x1xf32>
      %16 = arith.maxnumf %top, %15 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>, xetile.either_zero = true} : vector<16x1xf32>
      %17 = arith.subf %top, %16 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xf32>
      %18 = math.exp2 %17 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xf32>
      %19 = arith.mulf %total, %18 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xf32>
      %20 = xetile.tile_broadcast %16 [1] {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x1xf32> -> vector<16x16xf32>
      %21 = arith.subf %s, %20 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xf32>
      %22 = math.exp2 %21 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xf32>
      %23 = xetile.tile_reduce <add> %22 [1] {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x16xf32> -> vector<16x1xf32>
      %total_0 = arith.addf %19, %23 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xf32>
      scf.yield %16, %total_0 : vector<16x1xf32>, vector<16x1xf32>
    } {wg_maps = [#xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>, #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>]}
    %24 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x1xf32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 1]>>>
    xetile.store_tile %8, %24 : vector<16x1xf32>, !xetile.tile<16x1xf32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 1]>>>
    gpu.return
  }
}

// after scale_extremes
gpu.module @online {
  gpu.func @online(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index, %scale: f32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0", "scalar scale f32"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} dense<0.0> : vector<16x1xf32>
    %c16 = arith.constant 16 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
    %a = xetile.load_tile %0 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>> -> vector<16x16xf16>
    %cst_0 = arith.constant {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} dense<0xFF800000> : vector<16x1xf32>
    %cst_1 = arith.constant 1.44269502 : f32
    %1 = arith.mulf %scale, %cst_1 : f32
    %2 = arith.bitcast %1 : f32 to i32
    %c0_i32 = arith.constant 0 : i32
    %3 = arith.cmpi slt, %2, %c0_i32 : i32
    %cst_2 = arith.constant 1.0 : f16
    %cst_3 = arith.constant -1.0 : f16
    %4 = arith.select %3, %cst_3, %cst_2 : f16
    %5 = vector.broadcast %4 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : f16 to vector<16x16xf16>
    %6 = arith.mulf %a, %5 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xf16>
    %7, %8 = scf.for %n = %c0 to %B_d1 step %c16 iter_args(%top = %cst_0, %total = %cst) -> (vector<16x1xf32>, vector<16x1xf32>) {
      %9 = xetile.init_tile %B[%c0, %n], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>>
      %10 = xetile.load_tile %9 : !xetile.tile<16x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 16]>>> -> vector<16x16xf16>
      %11 = xetile.tile_mma %6, %10 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
      %cst_4 = arith.constant 1.44269502 : f32
      %12 = arith.mulf %scale, %cst_4 : f32
      %13 = math.absf %12 : f32
      %14 = vector.broadcast %13 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : f32 to vector<16x16xf32>
      %15 = xetile.tile_reduce <maxnumf> %11 [1] {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x16xf32> -> vector<16x1xf32>
      %16 = vector.broadcast %13 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : f32 to vector<16x1xf32>
      %17 = arith.mulf %15, %16 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xf32>
      %18 = arith.maxnumf %top, %17 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>, xetile.either_zero = true} : vector<16x1xf32>
      %19 = arith.subf %top, %18 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xf32>
      %20 = math.exp2 %19 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xf32>
      %21 = arith.mulf %total, %20 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xf32>
      %22 = xetile.tile_broadcast %18 [1] {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x1xf32> -> vector<16x16xf32>
      %23 = arith.negf %13 : f32
      %24 = vector.broadcast %23 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : f32 to vector<16x16xf32>
      %25 = math.fma %11, %24, %22 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xf32>
      %26 = arith.negf %25 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xf32>
      %27 = math.exp2 %26 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 16]>} : vector<16x16xf32>
      %28 = xetile.tile_reduce <add> %27 [1] {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x16xf32> -> vector<16x1xf32>
      %total_0 = arith.addf %21, %28 {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>} : vector<16x1xf32>
      scf.yield %18, %total_0 : vector<16x1xf32>, vector<16x1xf32>
    } {wg_maps = [#xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>, #xetile.wg_map<sg_layout = [1, 1], sg_data = [16, 1]>]}
    %29 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x1xf32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 1]>>>
    xetile.store_tile %8, %29 : vector<16x1xf32>, !xetile.tile<16x1xf32, #xetile.tile_attr<wg_map = <sg_layout = [1, 1], sg_data = [16, 1]>>>
    gpu.return
  }
}
