// before widen_bytes
gpu.module @flagged {
  gpu.func @flagged(%X: memref<?x?xi8, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X u8", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2_i8 = arith.constant dense<2> : vector<8xi8>
    %c3_i8 = arith.constant dense<3> : vector<8xi8>
    %cst = arith.constant dense<1.0> : vector<8xf32>
    %cst_0 = arith.constant dense<0.0> : vector<8xf32>
    %0 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xi8, #xegpu.block_tdesc_attr<array_length = 4 : i64>>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<8x16xi8, #xegpu.block_tdesc_attr<array_length = 4 : i64>> -> vector<32xi8>
    %2 = vector.extract_strided_slice %1 {offsets = [0], sizes = [8], strides = [1]} : vector<32xi8> to vector<8xi8>
    %3 = arith.shrui %2, %c2_i8 : vector<8xi8>
    %4 = arith.andi %3, %c3_i8 : vector<8xi8>
    %5 = arith.cmpi eq, %4, %c2_i8 : vector<8xi8>
    %6 = arith.select %5, %cst, %cst_0 : vector<8xi1>, vector<8xf32>
    %7 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %6, %7[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// after widen_bytes
gpu.module @flagged {
  gpu.func @flagged(%X: memref<?x?xi8, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X u8", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2_i16 = arith.constant dense<2> : vector<8xi16>
    %c3_i16 = arith.constant dense<3> : vector<8xi16>
    %cst = arith.constant dense<1.0> : vector<8xf32>
    %cst_0 = arith.constant dense<0.0> : vector<8xf32>
    %0 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xi8, #xegpu.block_tdesc_attr<array_length = 4 : i64>>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<8x16xi8, #xegpu.block_tdesc_attr<array_length = 4 : i64>> -> vector<32xi8>
    %2 = arith.extui %1 : vector<32xi8> to vector<32xi16>
    %3 = vector.extract_strided_slice %2 {offsets = [0], sizes = [8], strides = [1]} : vector<32xi16> to vector<8xi16>
    %4 = arith.shrui %3, %c2_i16 : vector<8xi16>
    %5 = arith.andi %4, %c3_i16 : vector<8xi16>
    %6 = arith.cmpi eq, %5, %c2_i16 : vector<8xi16>
    %7 = arith.select %6, %cst, %cst_0 : vector<8xi1>, vector<8xf32>
    %8 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %7, %8[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
