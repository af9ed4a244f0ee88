// before part_headers
gpu.module @rows_in_turn {
  gpu.func @rows_in_turn(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.grf = 128 : i64, xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.live_bytes = 1876 : i64, xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %cst = arith.constant dense<0.0> : vector<8xf32>
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf16>
    %1 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<32x16xf16>
    xegpu.prefetch_nd %1[%c0, %c0] : !xegpu.tensor_desc<32x16xf16>
    xegpu.prefetch_nd %1[%c32, %c0] : !xegpu.tensor_desc<32x16xf16>
    xegpu.prefetch_nd %1[%c64, %c0] : !xegpu.tensor_desc<32x16xf16>
    %2 = builtin.unrealized_conversion_cast %B : memref<?x?xf16, strided<[?, 1]>> to memref<?x?xi32, strided<[?, 1]>>
    %3 = arith.divui %B_s0, %c2 : index
    %4 = arith.divui %B_d1, %c2 : index
    %5 = xegpu.create_nd_tdesc %2, shape : [%B_d0, %4], strides : [%3, %c1] : memref<?x?xi32, strided<[?, 1]>> -> !xegpu.tensor_desc<16x8xi32>
    %6 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<8x16xf16> -> vector<8xf16>
    %7, %8 = scf.for %n = %c0 to %B_d0 step %c32 iter_args(%acc = %cst, %acc_0 = %cst) -> (vector<8xf32>, vector<8xf32>) {
      %9 = arith.addi %n, %c96 : index
      %10 = arith.addi %n, %c16 : index
      %11 = xegpu.load_nd %5[%n, %c0] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %12 = vector.bitcast %11 : vector<8xi32> to vector<16xf16>
      %13 = xegpu.dpas %6, %12, %acc : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %14 = xegpu.load_nd %5[%10, %c0] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %15 = vector.bitcast %14 : vector<8xi32> to vector<16xf16>
      %16 = xegpu.dpas %6, %15, %acc_0 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      xegpu.prefetch_nd %1[%9, %c0] : !xegpu.tensor_desc<32x16xf16>
      scf.yield %13, %16 : vector<8xf32>, vector<8xf32>
    }
    %17 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %7, %17[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %8, %17[%c0, %c16] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// after part_headers
gpu.module @rows_in_turn {
  gpu.func @rows_in_turn(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.grf = 128 : i64, xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.live_bytes = 1876 : i64, xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %cst = arith.constant dense<0.0> : vector<8xf32>
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf16>
    %1 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<32x16xf16>
    xegpu.prefetch_nd %1[%c0, %c0] : !xegpu.tensor_desc<32x16xf16>
    xegpu.prefetch_nd %1[%c32, %c0] : !xegpu.tensor_desc<32x16xf16>
    xegpu.prefetch_nd %1[%c64, %c0] : !xegpu.tensor_desc<32x16xf16>
    %2 = builtin.unrealized_conversion_cast %B : memref<?x?xf16, strided<[?, 1]>> to memref<?x?xi32, strided<[?, 1]>>
    %3 = arith.divui %B_s0, %c2 : index
    %4 = arith.divui %B_d1, %c2 : index
    %5 = xegpu.create_nd_tdesc %2, shape : [%B_d0, %4], strides : [%3, %c1] : memref<?x?xi32, strided<[?, 1]>> -> !xegpu.tensor_desc<16x8xi32>
    %6 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<8x16xf16> -> vector<8xf16>
    %7, %8 = scf.for %n = %c0 to %B_d0 step %c32 iter_args(%acc = %cst, %acc_0 = %cst) -> (vector<8xf32>, vector<8xf32>) {
      %9 = arith.addi %n, %c96 : index
      %10 = arith.addi %n, %c16 : index
      %11 = xegpu.load_nd %5[%n, %c0] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %12 = vector.bitcast %11 : vector<8xi32> to vector<16xf16>
      %13 = xegpu.dpas %6, %12, %acc : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %14 = xegpu.load_nd %5[%10, %c0] <{transpose = array<i64: 1, 0>}> {xetile.header = 1 : i64} : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %15 = vector.bitcast %14 : vector<8xi32> to vector<16xf16>
      %16 = xegpu.dpas %6, %15, %acc_0 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      xegpu.prefetch_nd %1[%9, %c0] : !xegpu.tensor_desc<32x16xf16>
      scf.yield %13, %16 : vector<8xf32>, vector<8xf32>
    }
    %17 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %7, %17[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %8, %17[%c0, %c16] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
