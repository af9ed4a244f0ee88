// before make_scales_positive
gpu.module @online {
  gpu.func @online(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index, %scale: f32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0", "scalar scale f32"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0xFF800000> : vector<16x1xf32>
    %cst_0 = arith.constant dense<0.0> : vector<16x1xf32>
    %c16 = arith.constant 16 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %a = xetile.load_tile %0 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %cst_1 = arith.constant dense<0xFF800000> : vector<16x1xf32>
    %top, %total = scf.for %n = %c0 to %B_d1 step %c16 iter_args(%top_0 = %cst_1, %total_0 = %cst_0) -> (vector<16x1xf32>, vector<16x1xf32>) {
      %1 = xetile.init_tile %B[%c0, %n], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %2 = xetile.load_tile %1 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %3 = xetile.tile_mma %a, %2 : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
      %4 = vector.broadcast %scale : f32 to vector<16x16xf32>
      %cst_2 = arith.constant 1.4426950216293335 : f32
      %5 = arith.mulf %scale, %cst_2 : f32
      %6 = vector.broadcast %5 : f32 to vector<16x16xf32>
      %s = arith.mulf %3, %6 : vector<16x16xf32>
      %7 = xetile.tile_reduce <maximumf> %s [1] : vector<16x16xf32> -> vector<16x1xf32>
      %new = arith.maximumf %top_0, %7 : vector<16x1xf32>
      %8 = arith.subf %top_0, %new : vector<16x1xf32>
      %9 = math.exp2 %8 : vector<16x1xf32>
      %10 = arith.mulf %total_0, %9 : vector<16x1xf32>
      %11 = xetile.tile_broadcast %new [1] : vector<16x1xf32> -> vector<16x16xf32>
      %12 = arith.subf %s, %11 : vector<16x16xf32>
      %13 = math.exp2 %12 : vector<16x16xf32>
      %14 = xetile.tile_reduce <add> %13 [1] : vector<16x16xf32> -> vector<16x1xf32>
      %total_1 = arith.addf %10, %14 : vector<16x1xf32>
      scf.yield %new, %total_1 : vector<16x1xf32>, vector<16x1xf32>
    }
    %15 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x1xf32>
    xetile.store_tile %total, %15 : vector<16x1xf32>, !xetile.tile<16x1xf32>
    gpu.return
  }
}

// after make_scales_positive
gpu.module @online {
  gpu.func @online(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index, %scale: f32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0", "scalar scale f32"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0xFF800000> : vector<16x1xf32>
    %cst_0 = arith.constant dense<0.0> : vector<16x1xf32>
    %c16 = arith.constant 16 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %a = xetile.load_tile %0 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %cst_1 = arith.constant dense<0xFF800000> : vector<16x1xf32>
    %cst_2 = arith.constant 1.44269502 : f32
    %1 = arith.mulf %scale, %cst_2 : f32
    %2 = arith.bitcast %1 : f32 to i32
    %c0_i32 = arith.constant 0 : i32
    %3 = arith.cmpi slt, %2, %c0_i32 : i32
    %cst_3 = arith.constant 1.0 : f16
    %cst_4 = arith.constant -1.0 : f16
    %4 = arith.select %3, %cst_4, %cst_3 : f16
    %5 = vector.broadcast %4 : f16 to vector<16x16xf16>
    %6 = arith.mulf %a, %5 : vector<16x16xf16>
    %top, %total = scf.for %n = %c0 to %B_d1 step %c16 iter_args(%top_0 = %cst_1, %total_0 = %cst_0) -> (vector<16x1xf32>, vector<16x1xf32>) {
      %7 = xetile.init_tile %B[%c0, %n], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %8 = xetile.load_tile %7 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %9 = xetile.tile_mma %6, %8 : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
      %10 = vector.broadcast %scale : f32 to vector<16x16xf32>
      %cst_2_0 = arith.constant 1.44269502 : f32
      %11 = arith.mulf %scale, %cst_2_0 : f32
      %12 = vector.broadcast %11 : f32 to vector<16x16xf32>
      %13 = math.absf %11 : f32
      %14 = vector.broadcast %13 : f32 to vector<16x16xf32>
      %s = arith.mulf %9, %14 : vector<16x16xf32>
      %15 = xetile.tile_reduce <maximumf> %s [1] : vector<16x16xf32> -> vector<16x1xf32>
      %new = arith.maximumf %top_0, %15 : vector<16x1xf32>
      %16 = arith.subf %top_0, %new : vector<16x1xf32>
      %17 = math.exp2 %16 : vector<16x1xf32>
      %18 = arith.mulf %total_0, %17 : vector<16x1xf32>
      %19 = xetile.tile_broadcast %new [1] : vector<16x1xf32> -> vector<16x16xf32>
      %20 = arith.subf %s, %19 : vector<16x16xf32>
      %21 = math.exp2 %20 : vector<16x16xf32>
      %22 = xetile.tile_reduce <add> %21 [1] : vector<16x16xf32> -> vector<16x1xf32>
      %total_1 = arith.addf %18, %22 : vector<16x1xf32>
      scf.yield %new, %total_1 : vector<16x1xf32>, vector<16x1xf32>
    }
    %23 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x1xf32>
    xetile.store_tile %total, %23 : vector<16x1xf32>, !xetile.tile<16x1xf32>
    gpu.return
  }
}
