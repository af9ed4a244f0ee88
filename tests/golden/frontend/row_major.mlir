gpu.module @row_major {
  gpu.func @row_major(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 32 : i64} {
    %c64 = arith.constant 64 : index
    %cst = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c1 = arith.constant 1 : index
    %0 = gpu.block_id y
    %i = arith.muli %0, %c64 : index
    %1 = gpu.block_id x
    %j = arith.muli %1, %c64 : index
    %acc = scf.for %k = %c0 to %A_d1 step %c32 iter_args(%acc_0 = %cst) -> (vector<64x64xf32>) {
      %2 = xetile.init_tile %A[%i, %k], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<64x32xf16>
      %a = xetile.load_tile %2 : !xetile.tile<64x32xf16> -> vector<64x32xf16>
      %3 = xetile.init_tile %B[%k, %j], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x64xf16>
      %b = xetile.load_tile %3 : !xetile.tile<32x64xf16> -> vector<32x64xf16>
      %acc_1 = xetile.tile_mma %a, %b, %acc_0 : vector<64x32xf16>, vector<32x64xf16>, vector<64x64xf32> -> vector<64x64xf32>
      scf.yield %acc_1 : vector<64x64xf32>
    }
    %4 = xetile.init_tile %C[%i, %j], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<64x64xf32>
    xetile.store_tile %acc, %4 : vector<64x64xf32>, !xetile.tile<64x64xf32>
    gpu.return
  }
}
