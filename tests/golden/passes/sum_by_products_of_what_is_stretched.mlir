// before sum_by_products
gpu.module @sums_stretched {
  gpu.func @sums_stretched(%A: memref<?x?xi8, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A i8", "dim A 0", "dim A 1", "stride A 0", "array B i8", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.5> : vector<16x1xf32>
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x32xi8>
    %a = xetile.load_tile %0 : !xetile.tile<16x32xi8> -> vector<16x32xi8>
    %1 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<32x32xi8>
    %b = xetile.load_tile %1 : !xetile.tile<32x32xi8> -> vector<32x32xi8>
    %2 = arith.extsi %a : vector<16x32xi8> to vector<16x32xi32>
    %3 = xetile.tile_reduce <add> %2 [1] : vector<16x32xi32> -> vector<16x1xi32>
    %rows = arith.sitofp %3 : vector<16x1xi32> to vector<16x1xf32>
    %4 = xetile.tile_mma %a, %b : vector<16x32xi8>, vector<32x32xi8> -> vector<16x32xi32>
    %5 = arith.sitofp %4 : vector<16x32xi32> to vector<16x32xf32>
    %6 = arith.mulf %rows, %cst : vector<16x1xf32>
    %7 = xetile.tile_broadcast %6 [1] : vector<16x1xf32> -> vector<16x32xf32>
    %8 = arith.subf %5, %7 : vector<16x32xf32>
    %9 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x32xf32>
    xetile.store_tile %8, %9 : vector<16x32xf32>, !xetile.tile<16x32xf32>
    gpu.return
  }
}

// after sum_by_products
gpu.module @sums_stretched {
  gpu.func @sums_stretched(%A: memref<?x?xi8, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A i8", "dim A 0", "dim A 1", "stride A 0", "array B i8", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.5> : vector<16x1xf32>
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x32xi8>
    %a = xetile.load_tile %0 : !xetile.tile<16x32xi8> -> vector<16x32xi8>
    %1 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<32x32xi8>
    %b = xetile.load_tile %1 : !xetile.tile<32x32xi8> -> vector<32x32xi8>
    %2 = arith.extsi %a : vector<16x32xi8> to vector<16x32xi32>
    %c1_i8 = arith.constant dense<1> : vector<32x32xi8>
    %c0_i32 = arith.constant dense<0> : vector<16x32xi32>
    %3 = xetile.tile_mma %a, %c1_i8, %c0_i32 : vector<16x32xi8>, vector<32x32xi8>, vector<16x32xi32> -> vector<16x32xi32>
    %4 = arith.sitofp %3 : vector<16x32xi32> to vector<16x32xf32>
    %5 = xetile.tile_mma %a, %b : vector<16x32xi8>, vector<32x32xi8> -> vector<16x32xi32>
    %6 = arith.sitofp %5 : vector<16x32xi32> to vector<16x32xf32>
    %cst_0 = arith.constant dense<0.5> : vector<16x32xf32>
    %7 = arith.mulf %4, %cst_0 : vector<16x32xf32>
    %8 = arith.subf %6, %7 : vector<16x32xf32>
    %9 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x32xf32>
    xetile.store_tile %8, %9 : vector<16x32xf32>, !xetile.tile<16x32xf32>
    gpu.return
  }
}
