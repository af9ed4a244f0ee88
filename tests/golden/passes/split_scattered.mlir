// before split_scattered
gpu.module @gathered {
  gpu.func @gathered(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile"} {
    %c2_index = arith.constant dense<2> : vector<1x8xindex>
    %cst = arith.constant dense<0.0> : vector<8x8xf32>
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %cst_0 = arith.constant dense<true> : vector<8x8xi1>
    %c16_index = arith.constant dense<16> : vector<8x8xindex>
    %c1 = arith.constant 1 : index
    %0 = xetile.tile_iota 1 : vector<1x8xindex>
    %1 = xetile.tile_iota 0 : vector<8x1xindex>
    %2 = vector.broadcast %X_s0 : index to vector<8x1xindex>
    %3 = arith.muli %1, %2 : vector<8x1xindex>
    %4 = xetile.tile_iota 1 : vector<1x8xindex>
    %5 = arith.muli %4, %c2_index : vector<1x8xindex>
    %6 = xetile.tile_broadcast %3 [1] : vector<8x1xindex> -> vector<8x8xindex>
    %7 = xetile.tile_broadcast %5 [0] : vector<1x8xindex> -> vector<8x8xindex>
    %8 = arith.addi %6, %7 : vector<8x8xindex>
    %tile = xetile.init_tile %X[%8] : memref<?x?xf32, strided<[?, 1]>>, vector<8x8xindex> -> !xetile.tile<8x8xf32, #xetile.tile_attr<scatter = true>>
    %tile_0, %total = scf.for %_ = %c0 to %X_d1 step %c16 iter_args(%tile_1 = %tile, %total_0 = %cst) -> (!xetile.tile<8x8xf32, #xetile.tile_attr<scatter = true>>, vector<8x8xf32>) {
      %9 = xetile.load_gather %tile_1, %cst_0 : !xetile.tile<8x8xf32, #xetile.tile_attr<scatter = true>>, vector<8x8xi1> -> vector<8x8xf32>
      %total_1 = arith.addf %total_0, %9 : vector<8x8xf32>
      %tile_2 = xetile.update_tile_offset %tile_1, [%c16_index] : !xetile.tile<8x8xf32, #xetile.tile_attr<scatter = true>>, vector<8x8xindex>
      scf.yield %tile_2, %total_1 : !xetile.tile<8x8xf32, #xetile.tile_attr<scatter = true>>, vector<8x8xf32>
    }
    %10 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x8xf32>
    xetile.store_tile %total, %10 : vector<8x8xf32>, !xetile.tile<8x8xf32>
    gpu.return
  }
}

// after split_scattered
gpu.module @gathered {
  gpu.func @gathered(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile"} {
    %c2_index = arith.constant dense<2> : vector<1x8xindex>
    %cst = arith.constant dense<0.0> : vector<8x8xf32>
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %cst_0 = arith.constant dense<true> : vector<8x8xi1>
    %c16_index = arith.constant dense<16> : vector<8x8xindex>
    %c1 = arith.constant 1 : index
    %0 = xetile.tile_iota 1 : vector<1x8xindex>
    %1 = xetile.tile_iota 0 : vector<8x1xindex>
    %2 = vector.broadcast %X_s0 : index to vector<8x1xindex>
    %3 = arith.muli %1, %2 : vector<8x1xindex>
    %4 = xetile.tile_iota 1 : vector<1x8xindex>
    %5 = arith.muli %4, %c2_index : vector<1x8xindex>
    %6 = xetile.tile_broadcast %3 [1] : vector<8x1xindex> -> vector<8x8xindex>
    %7 = xetile.tile_broadcast %5 [0] : vector<1x8xindex> -> vector<8x8xindex>
    %8 = arith.addi %6, %7 : vector<8x8xindex>
    %9, %10 = scf.for %_ = %c0 to %X_d1 step %c16 iter_args(%tile = %8, %total = %cst) -> (vector<8x8xindex>, vector<8x8xf32>) {
      %11 = xetile.init_tile %X[%tile] : memref<?x?xf32, strided<[?, 1]>>, vector<8x8xindex> -> !xetile.tile<8x8xf32, #xetile.tile_attr<scatter = true>>
      %12 = xetile.load_gather %11, %cst_0 : !xetile.tile<8x8xf32, #xetile.tile_attr<scatter = true>>, vector<8x8xi1> -> vector<8x8xf32>
      %total_0 = arith.addf %total, %12 : vector<8x8xf32>
      %13 = arith.addi %tile, %c16_index : vector<8x8xindex>
      scf.yield %13, %total_0 : vector<8x8xindex>, vector<8x8xf32>
    }
    %14 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x8xf32>
    xetile.store_tile %10, %14 : vector<8x8xf32>, !xetile.tile<8x8xf32>
    gpu.return
  }
}
