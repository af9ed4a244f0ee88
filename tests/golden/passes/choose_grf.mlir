// before choose_grf
gpu.module @scaled {
  gpu.func @scaled(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<2.0> : vector<8xf32>
    %cst_0 = arith.constant dense<1.0> : vector<8xf32>
    %0 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8xf32>
    %2 = arith.mulf %1, %cst : vector<8xf32>
    %3 = arith.addf %2, %cst_0 : vector<8xf32>
    %4 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %3, %4[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// after choose_grf
gpu.module @scaled {
  gpu.func @scaled(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.grf = 128 : i64, xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.live_bytes = 544 : i64, xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<2.0> : vector<8xf32>
    %cst_0 = arith.constant dense<1.0> : vector<8xf32>
    %0 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8xf32>
    %2 = arith.mulf %1, %cst : vector<8xf32>
    %3 = arith.addf %2, %cst_0 : vector<8xf32>
    %4 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %3, %4[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
