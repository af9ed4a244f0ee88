// before count_loops
gpu.module @counting {
  gpu.func @counting(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant dense<0.0> : vector<8x16xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %acc, %k = scf.while (%acc_0 = %cst, %k_0 = %c0) : (vector<8x16xf32>, index) -> (vector<8x16xf32>, index) {
      %4 = arith.cmpi slt, %k_0, %A_d1 : index
      scf.condition(%4) %acc_0, %k_0 : vector<8x16xf32>, index
    } do {
    ^bb0(%acc_1: vector<8x16xf32>, %k_1: index):
      %0 = xetile.init_tile %A[%c0, %k_1], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
      %1 = xetile.load_tile %0 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
      %2 = xetile.init_tile %B[%k_1, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %3 = xetile.load_tile %2 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %acc_2 = xetile.tile_mma %1, %3, %acc_1 : vector<8x16xf16>, vector<16x16xf16>, vector<8x16xf32> -> vector<8x16xf32>
      %k_2 = arith.addi %k_1, %c16 : index
      scf.yield %acc_2, %k_2 : vector<8x16xf32>, index
    }
    %5 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %acc, %5 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}

// after count_loops
gpu.module @counting {
  gpu.func @counting(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant dense<0.0> : vector<8x16xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c16_0 = arith.constant 16 : index
    %acc, %k = scf.for %k_1 = %c0 to %A_d1 step %c16_0 iter_args(%acc_1 = %cst, %k_1_0 = %c0) -> (vector<8x16xf32>, index) {
      %0 = xetile.init_tile %A[%c0, %k_1], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
      %1 = xetile.load_tile %0 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
      %2 = xetile.init_tile %B[%k_1, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %3 = xetile.load_tile %2 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %acc_2 = xetile.tile_mma %1, %3, %acc_1 : vector<8x16xf16>, vector<16x16xf16>, vector<8x16xf32> -> vector<8x16xf32>
      %k_2 = arith.addi %k_1, %c16 : index
      %4 = arith.addi %k_1_0, %c16_0 : index
      scf.yield %acc_2, %4 : vector<8x16xf32>, index
    }
    %5 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %acc, %5 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
