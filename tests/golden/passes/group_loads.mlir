// before group_loads
gpu.module @scored {
  gpu.func @scored(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %cst = arith.constant dense<0.0> : vector<8xf32>
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<32xf16>
    %2 = vector.extract_strided_slice %1 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
    %3 = vector.extract_strided_slice %1 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
    %4 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %4[%c0, %c0] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %4[%c16, %c0] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %4[%c32, %c0] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %5 = builtin.unrealized_conversion_cast %B : memref<?x?xf16, strided<[?, 1]>> to memref<?x?xi32, strided<[?, 1]>>
    %6 = arith.divui %B_s0, %c2 : index
    %7 = arith.divui %B_d1, %c2 : index
    %8 = xegpu.create_nd_tdesc %5, shape : [%B_d0, %7], strides : [%6, %c1] : memref<?x?xi32, strided<[?, 1]>> -> !xegpu.tensor_desc<16x8xi32>
    %9, %10 = scf.for %n = %c0 to %B_d0 step %c16 iter_args(%acc = %cst, %acc_0 = %cst) -> (vector<8xf32>, vector<8xf32>) {
      %11 = arith.addi %n, %c48 : index
      %12 = vector.extract_strided_slice %2 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %13 = vector.extract_strided_slice %3 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %14 = vector.extract_strided_slice %2 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %15 = vector.extract_strided_slice %3 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %16 = xegpu.load_nd %8[%n, %c0] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %17 = vector.bitcast %16 : vector<8xi32> to vector<16xf16>
      %18 = xegpu.dpas %12, %17 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %19 = xegpu.dpas %14, %17 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %20 = xegpu.load_nd %8[%n, %c8] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %21 = vector.bitcast %20 : vector<8xi32> to vector<16xf16>
      %22 = xegpu.dpas %13, %21, %18 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %23 = xegpu.dpas %15, %21, %19 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %24 = arith.maximumf %22, %cst : vector<8xf32>
      %25 = arith.maximumf %23, %cst : vector<8xf32>
      %26 = arith.addf %acc, %24 : vector<8xf32>
      %27 = arith.addf %acc_0, %25 : vector<8xf32>
      xegpu.prefetch_nd %4[%11, %c0] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
      scf.yield %26, %27 : vector<8xf32>, vector<8xf32>
    }
    %28 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %9, %28[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %10, %28[%c8, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// after group_loads
gpu.module @scored {
  gpu.func @scored(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %cst = arith.constant dense<0.0> : vector<8xf32>
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<32xf16>
    %2 = vector.extract_strided_slice %1 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
    %3 = vector.extract_strided_slice %1 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
    %4 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %4[%c0, %c0] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %4[%c16, %c0] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %4[%c32, %c0] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %5 = builtin.unrealized_conversion_cast %B : memref<?x?xf16, strided<[?, 1]>> to memref<?x?xi32, strided<[?, 1]>>
    %6 = arith.divui %B_s0, %c2 : index
    %7 = arith.divui %B_d1, %c2 : index
    %8 = xegpu.create_nd_tdesc %5, shape : [%B_d0, %7], strides : [%6, %c1] : memref<?x?xi32, strided<[?, 1]>> -> !xegpu.tensor_desc<16x8xi32>
    %9, %10 = scf.for %n = %c0 to %B_d0 step %c16 iter_args(%acc = %cst, %acc_0 = %cst) -> (vector<8xf32>, vector<8xf32>) {
      %11 = arith.addi %n, %c48 : index
      %12 = vector.extract_strided_slice %2 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %13 = vector.extract_strided_slice %3 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %14 = vector.extract_strided_slice %2 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %15 = vector.extract_strided_slice %3 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %16 = xegpu.load_nd %8[%n, %c0] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %17 = xegpu.load_nd %8[%n, %c8] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %18 = vector.bitcast %16 : vector<8xi32> to vector<16xf16>
      %19 = xegpu.dpas %12, %18 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %20 = xegpu.dpas %14, %18 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %21 = vector.bitcast %17 : vector<8xi32> to vector<16xf16>
      %22 = xegpu.dpas %13, %21, %19 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %23 = xegpu.dpas %15, %21, %20 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %24 = arith.maximumf %22, %cst : vector<8xf32>
      %25 = arith.maximumf %23, %cst : vector<8xf32>
      %26 = arith.addf %acc, %24 : vector<8xf32>
      %27 = arith.addf %acc_0, %25 : vector<8xf32>
      xegpu.prefetch_nd %4[%11, %c0] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
      scf.yield %26, %27 : vector<8xf32>, vector<8xf32>
    }
    %28 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %9, %28[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %10, %28[%c8, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
