// before pad_tiles
gpu.module @odd {
  gpu.func @odd(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %X[%c0, %c0], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<13x33xf32>
    %1 = xetile.load_tile %0 : !xetile.tile<13x33xf32> -> vector<13x33xf32>
    %total = xetile.tile_reduce <add> %1 [1] : vector<13x33xf32> -> vector<13x1xf32>
    %2 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<13x1xf32>
    xetile.store_tile %total, %2 : vector<13x1xf32>, !xetile.tile<13x1xf32>
    gpu.return
  }
}

// after pad_tiles
gpu.module @odd {
  gpu.func @odd(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %X[%c0, %c0], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x48xf32>
    %1 = xetile.load_tile %0 : !xetile.tile<16x48xf32> -> vector<16x48xf32>
    %2 = xetile.tile_iota 1 : vector<16x48xindex>
    %c33_index = arith.constant dense<33> : vector<16x48xindex>
    %3 = arith.cmpi ult, %2, %c33_index : vector<16x48xindex>
    %cst = arith.constant dense<-0.0> : vector<16x48xf32>
    %4 = arith.select %3, %1, %cst : vector<16x48xi1>, vector<16x48xf32>
    %total = xetile.tile_reduce <add> %4 [1] : vector<16x48xf32> -> vector<16x1xf32>
    %5 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x1xf32>
    xetile.store_tile %total, %5 {valid = array<i64: 13, -1>} : vector<16x1xf32>, !xetile.tile<16x1xf32>
    gpu.return
  }
}
