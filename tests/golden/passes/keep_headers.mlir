// before keep_headers
gpu.module @product {
  gpu.func @product(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.grf = 256 : i64, xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.live_bytes = 6744 : i64, xetile.num_subgroups = 1 : i64} {
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c8 = arith.constant 8 : index
    %cst = arith.constant dense<0.0> : vector<8xf32>
    %0 = gpu.block_id y
    %1 = arith.muli %0, %c16 : index
    %2 = gpu.block_id x
    %3 = arith.muli %2, %c64 : index
    %4 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %4[%1, %c0] : !xegpu.tensor_desc<16x16xf16>
    %5 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %5[%c0, %3] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %6 = arith.addi %3, %c32 : index
    xegpu.prefetch_nd %5[%c0, %6] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %4[%1, %c16] : !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %5[%c16, %3] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %5[%c16, %6] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %4[%1, %c32] : !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %5[%c32, %3] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %5[%c32, %6] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %7, %8, %9, %10, %11, %12, %13, %14 = scf.for %_ = %c0 to %A_d1 step %c16 iter_args(%acc = %cst, %acc_0 = %cst, %acc_1 = %cst, %acc_2 = %cst, %acc_3 = %cst, %acc_4 = %cst, %acc_5 = %cst, %acc_6 = %cst) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
      %15 = arith.addi %_, %c48 : index
      xegpu.prefetch_nd %4[%1, %15] : !xegpu.tensor_desc<16x16xf16>
      xegpu.prefetch_nd %5[%15, %3] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
      xegpu.prefetch_nd %5[%15, %6] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
      %16 = xegpu.load_nd %5[%_, %3] <{packed}> : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<32xf16>
      %17 = vector.extract_strided_slice %16 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %18 = vector.extract_strided_slice %16 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %19 = xegpu.load_nd %5[%_, %6] <{packed}> : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<32xf16>
      %20 = vector.extract_strided_slice %19 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %21 = vector.extract_strided_slice %19 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %22 = xegpu.load_nd %4[%1, %_] : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
      %23 = vector.extract_strided_slice %22 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %24 = vector.extract_strided_slice %22 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %25 = xegpu.dpas %23, %17, %acc : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %26 = xegpu.dpas %24, %17, %acc_3 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %27 = xegpu.dpas %23, %18, %acc_0 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %28 = xegpu.dpas %24, %18, %acc_4 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %29 = xegpu.dpas %23, %20, %acc_1 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %30 = xegpu.dpas %24, %20, %acc_5 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %31 = xegpu.dpas %23, %21, %acc_2 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %32 = xegpu.dpas %24, %21, %acc_6 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      scf.yield %25, %27, %29, %31, %26, %28, %30, %32 : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
    }
    %33 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %7, %33[%1, %3] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %34 = arith.addi %1, %c8 : index
    xegpu.store_nd %11, %33[%34, %3] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %35 = arith.addi %3, %c16 : index
    xegpu.store_nd %8, %33[%1, %35] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %12, %33[%34, %35] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %9, %33[%1, %6] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %13, %33[%34, %6] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %36 = arith.addi %3, %c48 : index
    xegpu.store_nd %10, %33[%1, %36] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %14, %33[%34, %36] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// after keep_headers
gpu.module @product {
  gpu.func @product(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.grf = 256 : i64, xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.live_bytes = 6744 : i64, xetile.num_subgroups = 1 : i64} {
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c8 = arith.constant 8 : index
    %cst = arith.constant dense<0.0> : vector<8xf32>
    %0 = gpu.block_id y
    %1 = arith.muli %0, %c16 : index
    %2 = gpu.block_id x
    %3 = arith.muli %2, %c64 : index
    %4 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %4[%1, %c0] : !xegpu.tensor_desc<16x16xf16>
    %5 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %5[%c0, %3] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %6 = arith.addi %3, %c32 : index
    xegpu.prefetch_nd %5[%c0, %6] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %4[%1, %c16] : !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %5[%c16, %3] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %5[%c16, %6] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %4[%1, %c32] : !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %5[%c32, %3] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    xegpu.prefetch_nd %5[%c32, %6] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %7, %8, %9, %10, %11, %12, %13, %14 = scf.for %_ = %c0 to %A_d1 step %c16 iter_args(%acc = %cst, %acc_0 = %cst, %acc_1 = %cst, %acc_2 = %cst, %acc_3 = %cst, %acc_4 = %cst, %acc_5 = %cst, %acc_6 = %cst) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
      %15 = arith.addi %_, %c48 : index
      xegpu.prefetch_nd %4[%1, %15] : !xegpu.tensor_desc<16x16xf16>
      xegpu.prefetch_nd %5[%15, %3] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
      xegpu.prefetch_nd %5[%15, %6] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
      %16 = xegpu.load_nd %5[%_, %3] <{packed}> : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<32xf16>
      %17 = vector.extract_strided_slice %16 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %18 = vector.extract_strided_slice %16 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %19 = xegpu.load_nd %5[%_, %6] <{packed}> {xetile.header = 1 : i64} : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<32xf16>
      %20 = vector.extract_strided_slice %19 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %21 = vector.extract_strided_slice %19 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %22 = xegpu.load_nd %4[%1, %_] : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
      %23 = vector.extract_strided_slice %22 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %24 = vector.extract_strided_slice %22 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %25 = xegpu.dpas %23, %17, %acc : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %26 = xegpu.dpas %24, %17, %acc_3 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %27 = xegpu.dpas %23, %18, %acc_0 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %28 = xegpu.dpas %24, %18, %acc_4 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %29 = xegpu.dpas %23, %20, %acc_1 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %30 = xegpu.dpas %24, %20, %acc_5 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %31 = xegpu.dpas %23, %21, %acc_2 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %32 = xegpu.dpas %24, %21, %acc_6 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      scf.yield %25, %27, %29, %31, %26, %28, %30, %32 : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
    }
    %33 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %7, %33[%1, %3] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %34 = arith.addi %1, %c8 : index
    xegpu.store_nd %11, %33[%34, %3] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %35 = arith.addi %3, %c16 : index
    xegpu.store_nd %8, %33[%1, %35] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %12, %33[%34, %35] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %9, %33[%1, %6] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %13, %33[%34, %6] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %36 = arith.addi %3, %c48 : index
    xegpu.store_nd %10, %33[%1, %36] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %14, %33[%34, %36] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
