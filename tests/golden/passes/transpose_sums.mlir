// before transpose_sums
gpu.module @summed_transposed {
  gpu.func @summed_transposed(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant dense<0.0> : vector<16x32xf32>
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %acc = scf.for %k = %c0 to %A_d0 step %c16 iter_args(%acc_0 = %cst) -> (vector<16x32xf32>) {
      %0 = xetile.init_tile %A[%c0, %k], [%A_d1, %A_d0], [%c1, %A_s0] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<order = [0, 1]>>
      %1 = xetile.load_tile %0 : !xetile.tile<16x16xf16, #xetile.tile_attr<order = [0, 1]>> -> vector<16x16xf16>
      %2 = xetile.init_tile %B[%k, %c0], [%B_d1, %B_d0], [%c1, %B_s0] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x32xf16, #xetile.tile_attr<order = [0, 1]>>
      %3 = xetile.load_tile %2 : !xetile.tile<16x32xf16, #xetile.tile_attr<order = [0, 1]>> -> vector<16x32xf16>
      %4 = xetile.tile_mma %1, %3, %acc_0 : vector<16x16xf16>, vector<16x32xf16>, vector<16x32xf32> -> vector<16x32xf32>
      scf.yield %4 : vector<16x32xf32>
    }
    %5 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x32xf32>
    xetile.store_tile %acc, %5 : vector<16x32xf32>, !xetile.tile<16x32xf32>
    gpu.return
  }
}

// after transpose_sums
gpu.module @summed_transposed {
  gpu.func @summed_transposed(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant dense<0.0> : vector<16x32xf32>
    %cst_0 = arith.constant dense<0.0> : vector<32x16xf32>
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %acc = scf.for %k = %c0 to %A_d0 step %c16 iter_args(%acc_0 = %cst_0) -> (vector<32x16xf32>) {
      %0 = xetile.init_tile %A[%c0, %k], [%A_d1, %A_d0], [%c1, %A_s0] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<order = [0, 1]>>
      %1 = xetile.load_tile %0 : !xetile.tile<16x16xf16, #xetile.tile_attr<order = [0, 1]>> -> vector<16x16xf16>
      %2 = xetile.tile_transpose %1, [1, 0] : vector<16x16xf16> -> vector<16x16xf16>
      %3 = xetile.init_tile %B[%k, %c0], [%B_d1, %B_d0], [%c1, %B_s0] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x32xf16, #xetile.tile_attr<order = [0, 1]>>
      %4 = xetile.load_tile %3 : !xetile.tile<16x32xf16, #xetile.tile_attr<order = [0, 1]>> -> vector<16x32xf16>
      %5 = xetile.tile_transpose %4, [1, 0] : vector<16x32xf16> -> vector<32x16xf16>
      %6 = xetile.tile_mma %5, %2, %acc_0 : vector<32x16xf16>, vector<16x16xf16>, vector<32x16xf32> -> vector<32x16xf32>
      scf.yield %6 : vector<32x16xf32>
    }
    %7 = xetile.tile_transpose %acc, [1, 0] : vector<32x16xf32> -> vector<16x32xf32>
    %8 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x32xf32>
    xetile.store_tile %7, %8 : vector<16x32xf32>, !xetile.tile<16x32xf32>
    gpu.return
  }
}
