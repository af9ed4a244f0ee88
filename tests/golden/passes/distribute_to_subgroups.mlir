// before distribute_to_subgroups
gpu.module @totals {
  gpu.func @totals(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "layout", xetile.num_subgroups = 2 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %X[%c0, %c0], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x32xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [4, 32]>>>
    %1 = xetile.load_tile %0 : !xetile.tile<8x32xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [4, 32]>>> -> vector<8x32xf32>
    %total = xetile.tile_reduce <add> %1 [1] {wg_map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [4, 1]>} : vector<8x32xf32> -> vector<8x1xf32>
    %2 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x1xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [4, 1]>>>
    xetile.store_tile %total, %2 : vector<8x1xf32>, !xetile.tile<8x1xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [4, 1]>>>
    gpu.return
  }
}

// after distribute_to_subgroups
gpu.module @totals {
  gpu.func @totals(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "subgroup", xetile.num_subgroups = 2 : i64} {
    %0 = gpu.subgroup_id : index
    %c4 = arith.constant 4 : index
    %1 = arith.muli %0, %c4 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %2 = xetile.init_tile %X[%1, %c0], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<4x32xf32>
    %3 = xetile.load_tile %2 : !xetile.tile<4x32xf32> -> vector<4x32xf32>
    %4 = xetile.tile_reduce <add> %3 [1] : vector<4x32xf32> -> vector<4x1xf32>
    %5 = xetile.init_tile %Y[%1, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<4x1xf32>
    xetile.store_tile %4, %5 : vector<4x1xf32>, !xetile.tile<4x1xf32>
    gpu.return
  }
}
