// before reload_operands
gpu.module @weighted {
  gpu.func @weighted(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.0> : vector<16x128xf32>
    %c32 = arith.constant 32 : index
    %cst_0 = arith.constant dense<0.5> : vector<16x128xf32>
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x128xf16>
    %a = xetile.load_tile %0 : !xetile.tile<16x128xf16> -> vector<16x128xf16>
    %acc = scf.for %n = %c0 to %B_d0 step %c32 iter_args(%acc_0 = %cst) -> (vector<16x128xf32>) {
      %1 = arith.addi %n, %c32 : index
      %2 = xetile.init_tile %B[%n, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x128xf16>
      %b = xetile.load_tile %2 : !xetile.tile<32x128xf16> -> vector<32x128xf16>
      %3 = arith.mulf %acc_0, %cst_0 : vector<16x128xf32>
      %4 = xetile.tile_transpose %b, [1, 0] : vector<32x128xf16> -> vector<128x32xf16>
      %5 = xetile.tile_mma %a, %4 : vector<16x128xf16>, vector<128x32xf16> -> vector<16x32xf32>
      %6 = arith.truncf %5 : vector<16x32xf32> to vector<16x32xf16>
      %7 = xetile.tile_mma %6, %b, %3 : vector<16x32xf16>, vector<32x128xf16>, vector<16x128xf32> -> vector<16x128xf32>
      scf.yield %7 : vector<16x128xf32>
    }
    %8 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x128xf32>
    xetile.store_tile %acc, %8 : vector<16x128xf32>, !xetile.tile<16x128xf32>
    gpu.return
  }
}

// after reload_operands
gpu.module @weighted {
  gpu.func @weighted(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.0> : vector<16x128xf32>
    %c32 = arith.constant 32 : index
    %cst_0 = arith.constant dense<0.5> : vector<16x128xf32>
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x128xf16>
    %acc = scf.for %n = %c0 to %B_d0 step %c32 iter_args(%acc_0 = %cst) -> (vector<16x128xf32>) {
      %1 = arith.addi %n, %c32 : index
      %2 = xetile.init_tile %B[%n, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x128xf16>
      %b = xetile.load_tile %2 : !xetile.tile<32x128xf16> -> vector<32x128xf16>
      %3 = arith.mulf %acc_0, %cst_0 : vector<16x128xf32>
      %4 = xetile.tile_transpose %b, [1, 0] : vector<32x128xf16> -> vector<128x32xf16>
      %a = xetile.load_tile %0 : !xetile.tile<16x128xf16> -> vector<16x128xf16>
      %5 = xetile.tile_mma %a, %4 : vector<16x128xf16>, vector<128x32xf16> -> vector<16x32xf32>
      %6 = arith.truncf %5 : vector<16x32xf32> to vector<16x32xf16>
      %7 = xetile.tile_mma %6, %b, %3 : vector<16x32xf16>, vector<32x128xf16>, vector<16x128xf32> -> vector<16x128xf32>
      scf.yield %7 : vector<16x128xf32>
    }
    %8 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x128xf32>
    xetile.store_tile %acc, %8 : vector<16x128xf32>, !xetile.tile<16x128xf32>
    gpu.return
  }
}
