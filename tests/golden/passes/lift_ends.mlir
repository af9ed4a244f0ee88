// before lift_ends
gpu.module @stepped {
  gpu.func @stepped(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %S: memref<?x?xf32, strided<[?, 1]>>, %S_d0: index, %S_d1: index, %S_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B i8", "dim B 0", "dim B 1", "stride B 0", "array S f32", "dim S 0", "dim S 1", "stride S 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c8 = arith.constant 8 : index
    %cst = arith.constant dense<0.0> : vector<8xf32>
    %c0_f16 = arith.constant dense<0.0> : vector<16xf16>
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %0[%c0, %c0] : !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %0[%c0, %c16] : !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %0[%c0, %c32] : !xegpu.tensor_desc<16x16xf16>
    %1 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xi8, #xegpu.block_tdesc_attr<array_length = 4 : i64>>
    %2 = arith.muli %S_d0, %S_s0 : index
    %3 = memref.reinterpret_cast %S to offset: [0], sizes: [%2], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %4 = arith.cmpi ult, %c0, %S_d1 : index
    %5, %6 = scf.for %k = %c0 to %A_d1 step %c16 iter_args(%acc = %cst, %acc_0 = %cst) -> (vector<8xf32>, vector<8xf32>) {
      %7 = arith.addi %k, %c48 : index
      %8 = xegpu.load_nd %1[%k, %c0] : !xegpu.tensor_desc<16x16xi8, #xegpu.block_tdesc_attr<array_length = 4 : i64>> -> vector<64xi8>
      %9 = vector.extract_strided_slice %8 {offsets = [0], sizes = [16], strides = [1]} : vector<64xi8> to vector<16xi8>
      %10 = vector.extract_strided_slice %9 {offsets = [0], sizes = [8], strides = [1]} : vector<16xi8> to vector<8xi8>
      %11 = vector.extract_strided_slice %9 {offsets = [8], sizes = [8], strides = [1]} : vector<16xi8> to vector<8xi8>
      %12 = xegpu.load_nd %0[%c0, %k] : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
      %13 = vector.extract_strided_slice %12 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %14 = vector.extract_strided_slice %12 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %15 = arith.sitofp %10 : vector<8xi8> to vector<8xf16>
      %16 = vector.insert_strided_slice %15, %c0_f16 {offsets = [0], strides = [1]} : vector<8xf16> into vector<16xf16>
      %17 = arith.sitofp %11 : vector<8xi8> to vector<8xf16>
      %18 = vector.insert_strided_slice %17, %16 {offsets = [8], strides = [1]} : vector<8xf16> into vector<16xf16>
      %19 = xegpu.dpas %13, %18 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %20 = xegpu.dpas %14, %18 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %21 = arith.shrsi %k, %c4 : index
      %22 = arith.cmpi ult, %21, %S_d0 : index
      %23 = arith.andi %22, %4 : i1
      %24 = arith.muli %21, %S_s0 : index
      %25 = xegpu.load %3[%24], %23 : memref<?xf32, strided<[1]>>, index, i1 -> f32
      %26 = vector.broadcast %25 : f32 to vector<8xf32>
      %27 = math.fma %19, %26, %acc : vector<8xf32>
      %28 = math.fma %20, %26, %acc_0 : vector<8xf32>
      xegpu.prefetch_nd %0[%c0, %7] : !xegpu.tensor_desc<16x16xf16>
      scf.yield %27, %28 : vector<8xf32>, vector<8xf32>
    }
    %29 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %5, %29[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %6, %29[%c8, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// after lift_ends
gpu.module @stepped {
  gpu.func @stepped(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %S: memref<?x?xf32, strided<[?, 1]>>, %S_d0: index, %S_d1: index, %S_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B i8", "dim B 0", "dim B 1", "stride B 0", "array S f32", "dim S 0", "dim S 1", "stride S 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c8 = arith.constant 8 : index
    %cst = arith.constant dense<0.0> : vector<8xf32>
    %c0_f16 = arith.constant dense<0.0> : vector<16xf16>
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %0[%c0, %c0] : !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %0[%c0, %c16] : !xegpu.tensor_desc<16x16xf16>
    xegpu.prefetch_nd %0[%c0, %c32] : !xegpu.tensor_desc<16x16xf16>
    %1 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xi8, #xegpu.block_tdesc_attr<array_length = 4 : i64>>
    %2 = arith.muli %S_d0, %S_s0 : index
    %3 = memref.reinterpret_cast %S to offset: [0], sizes: [%2], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %4 = arith.cmpi ult, %c0, %S_d1 : index
    %5, %6 = scf.for %k = %c0 to %A_d1 step %c16 iter_args(%acc = %cst, %acc_0 = %cst) -> (vector<8xf32>, vector<8xf32>) {
      %7 = arith.shrsi %k, %c4 : index
      %8 = arith.cmpi ult, %7, %S_d0 : index
      %9 = arith.andi %8, %4 : i1
      %10 = arith.muli %7, %S_s0 : index
      %11 = xegpu.load %3[%10], %9 : memref<?xf32, strided<[1]>>, index, i1 -> f32
      %12 = vector.broadcast %11 : f32 to vector<8xf32>
      %13 = arith.addi %k, %c48 : index
      %14 = xegpu.load_nd %1[%k, %c0] : !xegpu.tensor_desc<16x16xi8, #xegpu.block_tdesc_attr<array_length = 4 : i64>> -> vector<64xi8>
      %15 = vector.extract_strided_slice %14 {offsets = [0], sizes = [16], strides = [1]} : vector<64xi8> to vector<16xi8>
      %16 = vector.extract_strided_slice %15 {offsets = [0], sizes = [8], strides = [1]} : vector<16xi8> to vector<8xi8>
      %17 = vector.extract_strided_slice %15 {offsets = [8], sizes = [8], strides = [1]} : vector<16xi8> to vector<8xi8>
      %18 = xegpu.load_nd %0[%c0, %k] : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
      %19 = vector.extract_strided_slice %18 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %20 = vector.extract_strided_slice %18 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %21 = arith.sitofp %16 : vector<8xi8> to vector<8xf16>
      %22 = vector.insert_strided_slice %21, %c0_f16 {offsets = [0], strides = [1]} : vector<8xf16> into vector<16xf16>
      %23 = arith.sitofp %17 : vector<8xi8> to vector<8xf16>
      %24 = vector.insert_strided_slice %23, %22 {offsets = [8], strides = [1]} : vector<8xf16> into vector<16xf16>
      %25 = xegpu.dpas %19, %24 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %26 = math.fma %25, %12, %acc : vector<8xf32>
      %27 = xegpu.dpas %20, %24 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %28 = math.fma %27, %12, %acc_0 : vector<8xf32>
      xegpu.prefetch_nd %0[%c0, %13] : !xegpu.tensor_desc<16x16xf16>
      scf.yield %26, %28 : vector<8xf32>, vector<8xf32>
    }
    %29 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %5, %29[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %6, %29[%c8, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
