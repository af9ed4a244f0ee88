// before drop_nan_tests
gpu.module @softmax {
  gpu.func @softmax(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %X[%c0, %c0], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    %x = xetile.load_tile %0 : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %1 = xetile.tile_reduce <maximumf> %x [1] : vector<8x16xf32> -> vector<8x1xf32>
    %2 = xetile.tile_broadcast %1 [1] : vector<8x1xf32> -> vector<8x16xf32>
    %3 = arith.subf %x, %2 : vector<8x16xf32>
    %p = math.exp %3 : vector<8x16xf32>
    %4 = xetile.tile_reduce <add> %p [1] : vector<8x16xf32> -> vector<8x1xf32>
    %5 = xetile.tile_broadcast %4 [1] : vector<8x1xf32> -> vector<8x16xf32>
    %6 = arith.divf %p, %5 : vector<8x16xf32>
    %7 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %6, %7 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}

// after drop_nan_tests
gpu.module @softmax {
  gpu.func @softmax(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %X[%c0, %c0], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    %x = xetile.load_tile %0 : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %1 = xetile.tile_reduce <maxnumf> %x [1] : vector<8x16xf32> -> vector<8x1xf32>
    %2 = xetile.tile_broadcast %1 [1] : vector<8x1xf32> -> vector<8x16xf32>
    %3 = arith.subf %x, %2 : vector<8x16xf32>
    %p = math.exp %3 : vector<8x16xf32>
    %4 = xetile.tile_reduce <add> %p [1] : vector<8x16xf32> -> vector<8x1xf32>
    %5 = xetile.tile_broadcast %4 [1] : vector<8x1xf32> -> vector<8x16xf32>
    %6 = arith.divf %p, %5 : vector<8x16xf32>
    %7 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %6, %7 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
