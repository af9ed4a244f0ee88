// before sink_starts
gpu.module @faded {
  gpu.func @faded(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c8 = arith.constant 8 : index
    %cst = arith.constant dense<0.0> : vector<8xf32>
    %cst_0 = arith.constant dense<0.5> : vector<8xf32>
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    %1 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %1[%c0, %c0] : !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %1[%c16, %c0] : !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %1[%c32, %c0] : !xegpu.tensor_desc<16x16xf16>
    %2 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
    %3, %4 = scf.for %k = %c0 to %A_d1 step %c16 iter_args(%acc = %cst, %acc_0 = %cst) -> (vector<8xf32>, vector<8xf32>) {
      %5 = arith.addi %k, %c48 : index
      %6 = arith.mulf %acc, %cst_0 : vector<8xf32>
      %7 = arith.mulf %acc_0, %cst_0 : vector<8xf32>
      %8 = vector.extract_strided_slice %2 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %9 = vector.extract_strided_slice %2 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %10 = xegpu.load_nd %1[%k, %c0] <{packed}> : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
      %11 = xegpu.dpas %8, %10, %6 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %12 = xegpu.dpas %9, %10, %7 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      xegpu.prefetch_nd %1[%5, %c0] : !xegpu.tensor_desc<16x16xf16>
      scf.yield %11, %12 : vector<8xf32>, vector<8xf32>
    }
    %13 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %3, %13[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %4, %13[%c8, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// after sink_starts
gpu.module @faded {
  gpu.func @faded(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c8 = arith.constant 8 : index
    %cst = arith.constant dense<0.0> : vector<8xf32>
    %cst_0 = arith.constant dense<0.5> : vector<8xf32>
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    %1 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %1[%c0, %c0] : !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %1[%c16, %c0] : !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %1[%c32, %c0] : !xegpu.tensor_desc<16x16xf16>
    %2 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
    %3, %4 = scf.for %k = %c0 to %A_d1 step %c16 iter_args(%acc = %cst, %acc_0 = %cst) -> (vector<8xf32>, vector<8xf32>) {
      %5 = arith.addi %k, %c48 : index
      %6 = vector.extract_strided_slice %2 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %7 = vector.extract_strided_slice %2 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %8 = xegpu.load_nd %1[%k, %c0] <{packed}> : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
      %9 = arith.mulf %acc, %cst_0 : vector<8xf32>
      %10 = xegpu.dpas %6, %8, %9 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %11 = arith.mulf %acc_0, %cst_0 : vector<8xf32>
      %12 = xegpu.dpas %7, %8, %11 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      xegpu.prefetch_nd %1[%5, %c0] : !xegpu.tensor_desc<16x16xf16>
      scf.yield %10, %12 : vector<8xf32>, vector<8xf32>
    }
    %13 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %3, %13[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %4, %13[%c8, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
