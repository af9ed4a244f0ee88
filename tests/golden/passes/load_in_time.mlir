// before load_in_time
gpu.module @ahead {
  gpu.func @ahead(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant dense<0.0> : vector<16x16xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %a = xetile.load_tile %0 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %acc, %a_0 = scf.for %k = %c16 to %A_d1 step %c16 iter_args(%acc_0 = %cst, %a_1 = %a) -> (vector<16x16xf32>, vector<16x16xf16>) {
      %1 = arith.addi %k, %c16 : index
      %2 = xetile.init_tile %A[%c0, %k], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %following = xetile.load_tile %2 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %3 = arith.subi %k, %c16 : index
      %4 = xetile.init_tile %B[%3, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %5 = xetile.load_tile %4 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %6 = xetile.tile_mma %a_1, %5 : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
      %acc_1 = arith.addf %acc_0, %6 : vector<16x16xf32>
      scf.yield %acc_1, %following : vector<16x16xf32>, vector<16x16xf16>
    }
    %7 = arith.extf %a_0 : vector<16x16xf16> to vector<16x16xf32>
    %8 = arith.addf %acc, %7 : vector<16x16xf32>
    %9 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    xetile.store_tile %8, %9 : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}

// after load_in_time
gpu.module @ahead {
  gpu.func @ahead(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant dense<0.0> : vector<16x16xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %acc, %1 = scf.for %k = %c16 to %A_d1 step %c16 iter_args(%acc_0 = %cst, %2 = %0) -> (vector<16x16xf32>, !xetile.tile<16x16xf16>) {
      %a_1 = xetile.load_tile %2 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %3 = arith.addi %k, %c16 : index
      %4 = arith.subi %k, %c16 : index
      %5 = xetile.init_tile %B[%4, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %6 = xetile.load_tile %5 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %7 = xetile.tile_mma %a_1, %6 : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
      %acc_1 = arith.addf %acc_0, %7 : vector<16x16xf32>
      %c0_0 = arith.constant 0 : index
      %c16_0 = arith.constant 16 : index
      %8 = xetile.update_tile_offset %2, [%c0_0, %c16_0] : !xetile.tile<16x16xf16>
      scf.yield %acc_1, %8 : vector<16x16xf32>, !xetile.tile<16x16xf16>
    }
    %9 = xetile.load_tile %1 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %10 = arith.extf %9 : vector<16x16xf16> to vector<16x16xf32>
    %11 = arith.addf %acc, %10 : vector<16x16xf32>
    %12 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    xetile.store_tile %11, %12 : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}
