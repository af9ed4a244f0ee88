// before sink_chains
gpu.module @capped {
  gpu.func @capped(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %cst = arith.constant dense<3.0> : vector<8xf32>
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    %1 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    %2 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
    %3 = vector.extract_strided_slice %2 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %4 = vector.extract_strided_slice %2 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %5 = xegpu.load_nd %1[%c0, %c0] <{packed}> : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
    %6 = xegpu.dpas %3, %5 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
    %7 = xegpu.dpas %4, %5 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
    %8 = arith.divf %6, %cst : vector<8xf32>
    %9 = arith.divf %7, %cst : vector<8xf32>
    %10 = math.tanh %8 : vector<8xf32>
    %11 = math.tanh %9 : vector<8xf32>
    %12 = arith.mulf %10, %cst : vector<8xf32>
    %13 = arith.mulf %11, %cst : vector<8xf32>
    %14 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %12, %14[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %13, %14[%c8, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// after sink_chains
gpu.module @capped {
  gpu.func @capped(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %cst = arith.constant dense<3.0> : vector<8xf32>
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    %1 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    %2 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
    %3 = vector.extract_strided_slice %2 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %4 = vector.extract_strided_slice %2 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %5 = xegpu.load_nd %1[%c0, %c0] <{packed}> : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
    %6 = xegpu.dpas %3, %5 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
    %7 = xegpu.dpas %4, %5 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
    %8 = arith.divf %6, %cst : vector<8xf32>
    %9 = math.tanh %8 : vector<8xf32>
    %10 = arith.mulf %9, %cst : vector<8xf32>
    %11 = arith.divf %7, %cst : vector<8xf32>
    %12 = math.tanh %11 : vector<8xf32>
    %13 = arith.mulf %12, %cst : vector<8xf32>
    %14 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %10, %14[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %13, %14[%c8, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
