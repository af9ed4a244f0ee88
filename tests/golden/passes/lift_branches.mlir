// before lift_branches
gpu.module @either_way {
  gpu.func @either_way(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index, %n: i32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0", "scalar n i32"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant dense<0.0> : vector<16x16xf32>
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1_i32 = arith.constant 1 : i32
    %c1 = arith.constant 1 : index
    %acc = scf.for %k = %c0 to %A_d1 step %c16 iter_args(%acc_0 = %cst) -> (vector<16x16xf32>) {
      %0 = arith.cmpi eq, %n, %c1_i32 : i32
      %b = scf.if %0 -> (vector<16x16xf16>) {
        %1 = arith.addi %k, %c16 : index
        %2 = xetile.init_tile %B[%k, %c0], [%B_d1, %B_d0], [%c1, %B_s0] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<order = [0, 1]>>
        %b_0 = xetile.load_tile %2 : !xetile.tile<16x16xf16, #xetile.tile_attr<order = [0, 1]>> -> vector<16x16xf16>
        scf.yield %b_0 : vector<16x16xf16>
      } else {
        %3 = arith.addi %k, %c16 : index
        %4 = xetile.init_tile %B[%k, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
        %b_1 = xetile.load_tile %4 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
        scf.yield %b_1 : vector<16x16xf16>
      }
      %5 = arith.addi %k, %c16 : index
      %6 = xetile.init_tile %A[%c0, %k], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %7 = xetile.load_tile %6 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %8 = xetile.tile_mma %7, %b : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
      %acc_1 = arith.addf %acc_0, %8 : vector<16x16xf32>
      scf.yield %acc_1 : vector<16x16xf32>
    }
    %9 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    xetile.store_tile %acc, %9 : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}

// after lift_branches
gpu.module @either_way {
  gpu.func @either_way(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index, %n: i32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0", "scalar n i32"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant dense<0.0> : vector<16x16xf32>
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1_i32 = arith.constant 1 : i32
    %c1 = arith.constant 1 : index
    %0 = arith.cmpi eq, %n, %c1_i32 : i32
    %acc = scf.if %0 -> (vector<16x16xf32>) {
      %acc_0 = scf.for %k = %c0 to %A_d1 step %c16 iter_args(%acc_0_0 = %cst) -> (vector<16x16xf32>) {
        %1 = arith.addi %k, %c16 : index
        %2 = xetile.init_tile %B[%k, %c0], [%B_d1, %B_d0], [%c1, %B_s0] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<order = [0, 1]>>
        %b_0 = xetile.load_tile %2 : !xetile.tile<16x16xf16, #xetile.tile_attr<order = [0, 1]>> -> vector<16x16xf16>
        %3 = arith.addi %k, %c16 : index
        %4 = xetile.init_tile %A[%c0, %k], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
        %5 = xetile.load_tile %4 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
        %6 = xetile.tile_mma %5, %b_0 : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
        %acc_1 = arith.addf %acc_0_0, %6 : vector<16x16xf32>
        scf.yield %acc_1 : vector<16x16xf32>
      }
      scf.yield %acc_0 : vector<16x16xf32>
    } else {
      %acc_2 = scf.for %k_0 = %c0 to %A_d1 step %c16 iter_args(%acc_0_1 = %cst) -> (vector<16x16xf32>) {
        %7 = arith.addi %k_0, %c16 : index
        %8 = xetile.init_tile %B[%k_0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
        %b_1 = xetile.load_tile %8 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
        %9 = arith.addi %k_0, %c16 : index
        %10 = xetile.init_tile %A[%c0, %k_0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
        %11 = xetile.load_tile %10 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
        %12 = xetile.tile_mma %11, %b_1 : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
        %acc_1_0 = arith.addf %acc_0_1, %12 : vector<16x16xf32>
        scf.yield %acc_1_0 : vector<16x16xf32>
      }
      scf.yield %acc_2 : vector<16x16xf32>
    }
    %13 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    xetile.store_tile %acc, %13 : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}
