// before pack_bytes
gpu.module @byte_weights {
  gpu.func @byte_weights(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B i8", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c0_f16 = arith.constant dense<0.0> : vector<16xf16>
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<16xf16>
    %2 = vector.extract_strided_slice %1 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %3 = vector.extract_strided_slice %1 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %4 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xegpu.tensor_desc<32x16xi8, #xegpu.block_tdesc_attr<array_length = 4 : i64>>
    %5 = xegpu.load_nd %4[%c0, %c0] : !xegpu.tensor_desc<32x16xi8, #xegpu.block_tdesc_attr<array_length = 4 : i64>> -> vector<128xi8>
    %6 = vector.extract_strided_slice %5 {offsets = [0], sizes = [32], strides = [1]} : vector<128xi8> to vector<32xi8>
    %7 = vector.extract_strided_slice %6 {offsets = [0], sizes = [8], strides = [1]} : vector<32xi8> to vector<8xi8>
    %8 = vector.extract_strided_slice %6 {offsets = [8], sizes = [8], strides = [1]} : vector<32xi8> to vector<8xi8>
    %9 = vector.extract_strided_slice %6 {offsets = [16], sizes = [8], strides = [1]} : vector<32xi8> to vector<8xi8>
    %10 = vector.extract_strided_slice %6 {offsets = [24], sizes = [8], strides = [1]} : vector<32xi8> to vector<8xi8>
    %11 = arith.sitofp %7 : vector<8xi8> to vector<8xf16>
    %12 = arith.sitofp %8 : vector<8xi8> to vector<8xf16>
    %13 = arith.sitofp %9 : vector<8xi8> to vector<8xf16>
    %14 = arith.sitofp %10 : vector<8xi8> to vector<8xf16>
    %15 = vector.insert_strided_slice %11, %c0_f16 {offsets = [0], strides = [1]} : vector<8xf16> into vector<16xf16>
    %16 = vector.insert_strided_slice %12, %15 {offsets = [8], strides = [1]} : vector<8xf16> into vector<16xf16>
    %17 = vector.insert_strided_slice %13, %c0_f16 {offsets = [0], strides = [1]} : vector<8xf16> into vector<16xf16>
    %18 = vector.insert_strided_slice %14, %17 {offsets = [8], strides = [1]} : vector<8xf16> into vector<16xf16>
    %19 = xegpu.dpas %2, %16 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
    %20 = xegpu.dpas %3, %18, %19 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
    %21 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %20, %21[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// after pack_bytes
gpu.module @byte_weights {
  gpu.func @byte_weights(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B i8", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c0_f16 = arith.constant dense<0.0> : vector<16xf16>
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<16xf16>
    %2 = vector.extract_strided_slice %1 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %3 = vector.extract_strided_slice %1 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %4 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xegpu.tensor_desc<32x16xi8>
    %5 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xegpu.tensor_desc<32x16xi8, #xegpu.block_tdesc_attr<array_length = 4 : i64>>
    %6 = xegpu.load_nd %4[%c0, %c0] <{packed}> : !xegpu.tensor_desc<32x16xi8> -> vector<32xi8>
    %7 = vector.extract_strided_slice %6 {offsets = [0], sizes = [32], strides = [1]} : vector<32xi8> to vector<32xi8>
    %8 = vector.extract_strided_slice %7 {offsets = [0], sizes = [8], strides = [1]} : vector<32xi8> to vector<8xi8>
    %9 = vector.extract_strided_slice %7 {offsets = [8], sizes = [8], strides = [1]} : vector<32xi8> to vector<8xi8>
    %10 = vector.extract_strided_slice %7 {offsets = [16], sizes = [8], strides = [1]} : vector<32xi8> to vector<8xi8>
    %11 = vector.extract_strided_slice %7 {offsets = [24], sizes = [8], strides = [1]} : vector<32xi8> to vector<8xi8>
    %12 = arith.sitofp %8 : vector<8xi8> to vector<8xf16>
    %13 = arith.sitofp %9 : vector<8xi8> to vector<8xf16>
    %14 = arith.sitofp %10 : vector<8xi8> to vector<8xf16>
    %15 = arith.sitofp %11 : vector<8xi8> to vector<8xf16>
    %16 = vector.insert_strided_slice %12, %c0_f16 {offsets = [0], strides = [1]} : vector<8xf16> into vector<16xf16>
    %17 = vector.insert_strided_slice %13, %16 {offsets = [8], strides = [1]} : vector<8xf16> into vector<16xf16>
    %18 = vector.insert_strided_slice %14, %c0_f16 {offsets = [0], strides = [1]} : vector<8xf16> into vector<16xf16>
    %19 = vector.insert_strided_slice %15, %18 {offsets = [8], strides = [1]} : vector<8xf16> into vector<16xf16>
    %20 = xegpu.dpas %2, %17 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
    %21 = xegpu.dpas %3, %19, %20 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
    %22 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %21, %22[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
