// before scale_exponents
gpu.module @weights {
  gpu.func @weights(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index, %scale: f32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0", "scalar scale f32"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %1 = xetile.load_tile %0 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %2 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %3 = xetile.load_tile %2 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %4 = xetile.tile_mma %1, %3 : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %5 = vector.broadcast %scale : f32 to vector<8x16xf32>
    %s = arith.mulf %4, %5 : vector<8x16xf32>
    %6 = xetile.tile_reduce <maximumf> %s [1] : vector<8x16xf32> -> vector<8x1xf32>
    %7 = xetile.tile_broadcast %6 [1] : vector<8x1xf32> -> vector<8x16xf32>
    %8 = arith.subf %s, %7 : vector<8x16xf32>
    %9 = math.exp %8 : vector<8x16xf32>
    %10 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %9, %10 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}

// after scale_exponents
gpu.module @weights {
  gpu.func @weights(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index, %scale: f32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0", "scalar scale f32"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %1 = xetile.load_tile %0 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %2 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %3 = xetile.load_tile %2 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %4 = xetile.tile_mma %1, %3 : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %5 = vector.broadcast %scale : f32 to vector<8x16xf32>
    %cst = arith.constant 1.4426950216293335 : f32
    %6 = arith.mulf %scale, %cst : f32
    %7 = vector.broadcast %6 : f32 to vector<8x16xf32>
    %s = arith.mulf %4, %7 : vector<8x16xf32>
    %8 = xetile.tile_reduce <maximumf> %s [1] : vector<8x16xf32> -> vector<8x1xf32>
    %9 = xetile.tile_broadcast %8 [1] : vector<8x1xf32> -> vector<8x16xf32>
    %10 = arith.subf %s, %9 : vector<8x16xf32>
    %11 = math.exp2 %10 : vector<8x16xf32>
    %12 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %11, %12 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
