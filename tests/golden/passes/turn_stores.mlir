// before turn_stores
gpu.module @stored_turned {
  gpu.func @stored_turned(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<2.0> : vector<32x16xf32>
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %a = xetile.load_tile %0 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %1 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x32xf16>
    %b = xetile.load_tile %1 : !xetile.tile<16x32xf16> -> vector<16x32xf16>
    %2 = xetile.tile_mma %a, %b : vector<16x16xf16>, vector<16x32xf16> -> vector<16x32xf32>
    %3 = xetile.tile_transpose %2, [1, 0] : vector<16x32xf32> -> vector<32x16xf32>
    %4 = arith.mulf %3, %cst : vector<32x16xf32>
    %5 = xetile.init_tile %C[%c0, %c0], [%C_d1, %C_d0], [%c1, %C_s0] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x16xf32, #xetile.tile_attr<order = [0, 1]>>
    xetile.store_tile %4, %5 : vector<32x16xf32>, !xetile.tile<32x16xf32, #xetile.tile_attr<order = [0, 1]>>
    gpu.return
  }
}

// after turn_stores
gpu.module @stored_turned {
  gpu.func @stored_turned(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<2.0> : vector<16x32xf32>
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %a = xetile.load_tile %0 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %1 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x32xf16>
    %b = xetile.load_tile %1 : !xetile.tile<16x32xf16> -> vector<16x32xf16>
    %2 = xetile.tile_mma %a, %b : vector<16x16xf16>, vector<16x32xf16> -> vector<16x32xf32>
    %3 = arith.mulf %2, %cst : vector<16x32xf32>
    %4 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x32xf32>
    xetile.store_tile %3, %4 : vector<16x32xf32>, !xetile.tile<16x32xf32>
    gpu.return
  }
}
