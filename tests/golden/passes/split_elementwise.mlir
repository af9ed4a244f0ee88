// before split_elementwise
gpu.module @widened {
  gpu.func @widened(%X: memref<?x?xf16, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f16", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %cst = arith.constant dense<2.0> : vector<8xf32>
    %0 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<32xf16>
    %2 = vector.extract_strided_slice %1 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
    %3 = vector.extract_strided_slice %1 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
    %4 = arith.extf %2 : vector<16xf16> to vector<16xf32>
    %5 = arith.extf %3 : vector<16xf16> to vector<16xf32>
    %6 = vector.extract_strided_slice %4 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %7 = vector.extract_strided_slice %5 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %8 = vector.extract_strided_slice %4 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %9 = vector.extract_strided_slice %5 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %10 = arith.mulf %6, %cst : vector<8xf32>
    %11 = arith.mulf %7, %cst : vector<8xf32>
    %12 = arith.mulf %8, %cst : vector<8xf32>
    %13 = arith.mulf %9, %cst : vector<8xf32>
    %14 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %10, %14[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %12, %14[%c8, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %11, %14[%c0, %c16] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %13, %14[%c8, %c16] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// after split_elementwise
gpu.module @widened {
  gpu.func @widened(%X: memref<?x?xf16, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f16", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %cst = arith.constant dense<2.0> : vector<8xf32>
    %0 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<32xf16>
    %2 = vector.extract_strided_slice %1 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
    %3 = vector.extract_strided_slice %1 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
    %4 = vector.extract_strided_slice %2 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %5 = arith.extf %4 : vector<8xf16> to vector<8xf32>
    %6 = vector.extract_strided_slice %3 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %7 = arith.extf %6 : vector<8xf16> to vector<8xf32>
    %8 = vector.extract_strided_slice %2 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %9 = arith.extf %8 : vector<8xf16> to vector<8xf32>
    %10 = vector.extract_strided_slice %3 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %11 = arith.extf %10 : vector<8xf16> to vector<8xf32>
    %12 = arith.mulf %5, %cst : vector<8xf32>
    %13 = arith.mulf %7, %cst : vector<8xf32>
    %14 = arith.mulf %9, %cst : vector<8xf32>
    %15 = arith.mulf %11, %cst : vector<8xf32>
    %16 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %12, %16[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %14, %16[%c8, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %13, %16[%c0, %c16] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %15, %16[%c8, %c16] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
