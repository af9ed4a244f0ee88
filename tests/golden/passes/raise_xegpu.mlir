// before raise_xegpu
gpu.module @mixed_subgroup {
  gpu.func @mixed_subgroup(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "subgroup", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<1.0> : vector<32x64xf32>
    %0 = xegpu.create_nd_tdesc %A[%c0, %c0], shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<32x32xf16>
    %a = xegpu.load_nd %0 <{l1_hint = #xegpu.cache_hint<streaming>}> : !xegpu.tensor_desc<32x32xf16> -> vector<32x32xf16>
    %1 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<32x64xf16>
    %b = xegpu.load_nd %1[%c0, %c0] <{packed}> : !xegpu.tensor_desc<32x64xf16> -> vector<16x64x2xf16>
    %2 = xegpu.dpas %a, %b : vector<32x32xf16>, vector<16x64x2xf16> -> vector<32x64xf32>
    %3 = arith.addf %2, %cst : vector<32x64xf32>
    %4 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x64xf32>
    xetile.store_tile %3, %4 : vector<32x64xf32>, !xetile.tile<32x64xf32>
    gpu.return
  }
}

// after raise_xegpu
gpu.module @mixed_subgroup {
  gpu.func @mixed_subgroup(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "subgroup", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<1.0> : vector<32x64xf32>
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x32xf16>
    %1 = xetile.load_tile %0 {l1_hint = #xegpu.cache_hint<streaming>} : !xetile.tile<32x32xf16> -> vector<32x32xf16>
    %c0_0 = arith.constant 0 : index
    %2 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x64xf16>
    %3 = xetile.load_tile %2 : !xetile.tile<32x64xf16> -> vector<32x64xf16>
    %4 = xetile.tile_mma %1, %3 : vector<32x32xf16>, vector<32x64xf16> -> vector<32x64xf32>
    %5 = arith.addf %4, %cst : vector<32x64xf32>
    %6 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x64xf32>
    xetile.store_tile %5, %6 : vector<32x64xf32>, !xetile.tile<32x64xf32>
    gpu.return
  }
}
