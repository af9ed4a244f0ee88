// before sum_by_products
gpu.module @totals_beside {
  gpu.func @totals_beside(%A: memref<?x?xi8, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xi32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A u8", "dim A 0", "dim A 1", "stride A 0", "array B i8", "dim B 0", "dim B 1", "stride B 0", "array C i32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0_i32 = arith.constant dense<0> : vector<16x16xi32>
    %c0_i32_0 = arith.constant dense<0> : vector<16x1xi32>
    %c0_i32_1 = arith.constant dense<0> : vector<1x16xi32>
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c1 = arith.constant 1 : index
    %acc, %rows, %columns = scf.for %k = %c0 to %A_d1 step %c32 iter_args(%acc_0 = %c0_i32, %rows_0 = %c0_i32_0, %columns_0 = %c0_i32_1) -> (vector<16x16xi32>, vector<16x1xi32>, vector<1x16xi32>) {
      %0 = xetile.init_tile %A[%c0, %k], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x32xi8>
      %a = xetile.load_tile %0 : !xetile.tile<16x32xi8> -> vector<16x32xi8>
      %1 = xetile.init_tile %B[%k, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<32x16xi8>
      %b = xetile.load_tile %1 : !xetile.tile<32x16xi8> -> vector<32x16xi8>
      %acc_1 = xetile.tile_mma %a, %b, %acc_0 {lhs_unsigned} : vector<16x32xi8>, vector<32x16xi8>, vector<16x16xi32> -> vector<16x16xi32>
      %2 = arith.extui %a : vector<16x32xi8> to vector<16x32xi32>
      %3 = xetile.tile_reduce <add> %2 [1] : vector<16x32xi32> -> vector<16x1xi32>
      %rows_1 = arith.addi %rows_0, %3 : vector<16x1xi32>
      %4 = arith.extsi %b : vector<32x16xi8> to vector<32x16xi32>
      %5 = xetile.tile_reduce <add> %4 [0] : vector<32x16xi32> -> vector<1x16xi32>
      %columns_1 = arith.addi %columns_0, %5 : vector<1x16xi32>
      scf.yield %acc_1, %rows_1, %columns_1 : vector<16x16xi32>, vector<16x1xi32>, vector<1x16xi32>
    }
    %6 = xetile.tile_broadcast %rows [1] : vector<16x1xi32> -> vector<16x16xi32>
    %7 = xetile.tile_broadcast %columns [0] : vector<1x16xi32> -> vector<16x16xi32>
    %8 = arith.muli %6, %7 : vector<16x16xi32>
    %9 = arith.addi %acc, %8 : vector<16x16xi32>
    %10 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xi32, strided<[?, 1]>> -> !xetile.tile<16x16xi32>
    xetile.store_tile %9, %10 : vector<16x16xi32>, !xetile.tile<16x16xi32>
    gpu.return
  }
}

// after sum_by_products
gpu.module @totals_beside {
  gpu.func @totals_beside(%A: memref<?x?xi8, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xi32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A u8", "dim A 0", "dim A 1", "stride A 0", "array B i8", "dim B 0", "dim B 1", "stride B 0", "array C i32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0_i32 = arith.constant dense<0> : vector<16x16xi32>
    %c0_i32_0 = arith.constant dense<0> : vector<16x1xi32>
    %c0_i32_1 = arith.constant dense<0> : vector<1x16xi32>
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c1 = arith.constant 1 : index
    %c1_i8 = arith.constant dense<1> : vector<8x32xi8>
    %c0_i32_2 = arith.constant dense<0> : vector<8x16xi32>
    %c1_i8_0 = arith.constant dense<1> : vector<32x16xi8>
    %c0_i32_3 = arith.constant dense<0> : vector<16x16xi32>
    %acc, %0, %1 = scf.for %k = %c0 to %A_d1 step %c32 iter_args(%acc_0 = %c0_i32, %2 = %c0_i32_2, %3 = %c0_i32_3) -> (vector<16x16xi32>, vector<8x16xi32>, vector<16x16xi32>) {
      %4 = xetile.init_tile %A[%c0, %k], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x32xi8>
      %a = xetile.load_tile %4 : !xetile.tile<16x32xi8> -> vector<16x32xi8>
      %5 = xetile.init_tile %B[%k, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<32x16xi8>
      %b = xetile.load_tile %5 : !xetile.tile<32x16xi8> -> vector<32x16xi8>
      %acc_1 = xetile.tile_mma %a, %b, %acc_0 {lhs_unsigned} : vector<16x32xi8>, vector<32x16xi8>, vector<16x16xi32> -> vector<16x16xi32>
      %6 = xetile.tile_mma %a, %c1_i8_0, %3 {lhs_unsigned} : vector<16x32xi8>, vector<32x16xi8>, vector<16x16xi32> -> vector<16x16xi32>
      %7 = xetile.tile_mma %c1_i8, %b, %2 {lhs_unsigned} : vector<8x32xi8>, vector<32x16xi8>, vector<8x16xi32> -> vector<8x16xi32>
      scf.yield %acc_1, %7, %6 : vector<16x16xi32>, vector<8x16xi32>, vector<16x16xi32>
    }
    %8 = xetile.tile_reduce <maxsi> %1 [1] : vector<16x16xi32> -> vector<16x1xi32>
    %9 = arith.addi %c0_i32_0, %8 : vector<16x1xi32>
    %10 = xetile.tile_reduce <maxsi> %0 [0] : vector<8x16xi32> -> vector<1x16xi32>
    %11 = arith.addi %c0_i32_1, %10 : vector<1x16xi32>
    %12 = xetile.tile_broadcast %9 [1] : vector<16x1xi32> -> vector<16x16xi32>
    %13 = xetile.tile_broadcast %11 [0] : vector<1x16xi32> -> vector<16x16xi32>
    %14 = arith.muli %12, %13 : vector<16x16xi32>
    %15 = arith.addi %acc, %14 : vector<16x16xi32>
    %16 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xi32, strided<[?, 1]>> -> !xetile.tile<16x16xi32>
    xetile.store_tile %15, %16 : vector<16x16xi32>, !xetile.tile<16x16xi32>
    gpu.return
  }
}
