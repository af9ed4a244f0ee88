// before split_columns
gpu.module @columns_by_turns {
  gpu.func @columns_by_turns(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant dense<0.0> : vector<16x32xf32>
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %c1_index = arith.constant dense<1> : vector<16x32xindex>
    %c16_index = arith.constant dense<16> : vector<16x32xindex>
    %c32_index = arith.constant dense<32> : vector<16x32xindex>
    %0 = memref.alloca() : memref<16x32xf16, 3>
    %c32 = arith.constant 32 : index
    %cst_0 = arith.constant dense<true> : vector<16x32xi1>
    %acc = scf.for %k = %c0 to %A_d1 step %c16 iter_args(%acc_0 = %cst) -> (vector<16x32xf32>) {
      %1 = arith.addi %k, %c16 : index
      %2 = xetile.init_tile %B[%k, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %b = xetile.load_tile %2 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %3 = arith.addi %k, %c16 : index
      %4 = xetile.init_tile %A[%c0, %k], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %5 = xetile.load_tile %4 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %6 = arith.negf %b : vector<16x16xf16>
      %7 = xetile.tile_iota 1 : vector<16x32xindex>
      %8 = arith.shrsi %7, %c1_index : vector<16x32xindex>
      %9 = arith.andi %7, %c1_index : vector<16x32xindex>
      %10 = arith.muli %9, %c16_index : vector<16x32xindex>
      %11 = arith.addi %8, %10 : vector<16x32xindex>
      %12 = xetile.tile_iota 0 : vector<16x32xindex>
      %13 = arith.muli %12, %c32_index : vector<16x32xindex>
      %14 = arith.addi %13, %11 : vector<16x32xindex>
      %15 = xetile.init_tile %0[%c0, %c0], [%c16, %c32], [%c32, %c1] : memref<16x32xf16, 3> -> !xetile.tile<16x16xf16, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %b, %15 : vector<16x16xf16>, !xetile.tile<16x16xf16, #xetile.tile_attr<memory_space = 3>>
      %16 = xetile.init_tile %0[%c0, %c16], [%c16, %c32], [%c32, %c1] : memref<16x32xf16, 3> -> !xetile.tile<16x16xf16, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %6, %16 : vector<16x16xf16>, !xetile.tile<16x16xf16, #xetile.tile_attr<memory_space = 3>>
      gpu.barrier
      %17 = xetile.init_tile %0[%14] : memref<16x32xf16, 3>, vector<16x32xindex> -> !xetile.tile<16x32xf16, #xetile.tile_attr<memory_space = 3, scatter = true>>
      %18 = xetile.load_gather %17, %cst_0 : !xetile.tile<16x32xf16, #xetile.tile_attr<memory_space = 3, scatter = true>>, vector<16x32xi1> -> vector<16x32xf16>
      gpu.barrier
      %19 = xetile.tile_mma %5, %18, %acc_0 : vector<16x16xf16>, vector<16x32xf16>, vector<16x32xf32> -> vector<16x32xf32>
      scf.yield %19 : vector<16x32xf32>
    }
    %20 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x32xf32>
    xetile.store_tile %acc, %20 : vector<16x32xf32>, !xetile.tile<16x32xf32>
    gpu.return
  }
}

// after split_columns
gpu.module @columns_by_turns {
  gpu.func @columns_by_turns(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %0 = memref.alloca() : memref<16x32xf32, 3>
    %cst = arith.constant dense<0.0> : vector<16x32xf32>
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %cst_0 = arith.constant dense<0.0> : vector<16x16xf32>
    %cst_1 = arith.constant dense<0.0> : vector<16x16xf32>
    %1, %2 = scf.for %k = %c0 to %A_d1 step %c16 iter_args(%acc = %cst_0, %acc_0 = %cst_1) -> (vector<16x16xf32>, vector<16x16xf32>) {
      %3 = arith.addi %k, %c16 : index
      %4 = xetile.init_tile %B[%k, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %b = xetile.load_tile %4 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %5 = arith.addi %k, %c16 : index
      %6 = xetile.init_tile %A[%c0, %k], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %7 = xetile.load_tile %6 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %8 = arith.negf %b : vector<16x16xf16>
      gpu.barrier
      gpu.barrier
      %9 = xetile.tile_mma %7, %b, %acc : vector<16x16xf16>, vector<16x16xf16>, vector<16x16xf32> -> vector<16x16xf32>
      %10 = xetile.tile_mma %7, %8, %acc_0 : vector<16x16xf16>, vector<16x16xf16>, vector<16x16xf32> -> vector<16x16xf32>
      scf.yield %9, %10 : vector<16x16xf32>, vector<16x16xf32>
    }
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %c16_0 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c0_1 = arith.constant 0 : index
    %11 = xetile.init_tile %0[%c0_0, %c0_1], [%c16_0, %c32], [%c32, %c1_0] : memref<16x32xf32, 3> -> !xetile.tile<16x16xf32, #xetile.tile_attr<memory_space = 3>>
    xetile.store_tile %1, %11 : vector<16x16xf32>, !xetile.tile<16x16xf32, #xetile.tile_attr<memory_space = 3>>
    %c16_1 = arith.constant 16 : index
    %12 = xetile.init_tile %0[%c0_0, %c16_1], [%c16_0, %c32], [%c32, %c1_0] : memref<16x32xf32, 3> -> !xetile.tile<16x16xf32, #xetile.tile_attr<memory_space = 3>>
    xetile.store_tile %2, %12 : vector<16x16xf32>, !xetile.tile<16x16xf32, #xetile.tile_attr<memory_space = 3>>
    gpu.barrier
    %13 = xetile.tile_iota 0 : vector<16x32xindex>
    %14 = xetile.tile_iota 1 : vector<16x32xindex>
    %c1_index = arith.constant dense<1> : vector<16x32xindex>
    %15 = arith.shrsi %14, %c1_index : vector<16x32xindex>
    %c1_index_0 = arith.constant dense<1> : vector<16x32xindex>
    %16 = arith.andi %14, %c1_index_0 : vector<16x32xindex>
    %c16_index = arith.constant dense<16> : vector<16x32xindex>
    %17 = arith.muli %16, %c16_index : vector<16x32xindex>
    %c32_index = arith.constant dense<32> : vector<16x32xindex>
    %18 = arith.muli %13, %c32_index : vector<16x32xindex>
    %19 = arith.addi %15, %17 : vector<16x32xindex>
    %20 = arith.addi %18, %19 : vector<16x32xindex>
    %21 = xetile.init_tile %0[%20] : memref<16x32xf32, 3>, vector<16x32xindex> -> !xetile.tile<16x32xf32, #xetile.tile_attr<memory_space = 3, scatter = true>>
    %cst_2 = arith.constant dense<true> : vector<16x32xi1>
    %22 = xetile.load_gather %21, %cst_2 : !xetile.tile<16x32xf32, #xetile.tile_attr<memory_space = 3, scatter = true>>, vector<16x32xi1> -> vector<16x32xf32>
    gpu.barrier
    %23 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x32xf32>
    xetile.store_tile %22, %23 : vector<16x32xf32>, !xetile.tile<16x32xf32>
    gpu.return
  }
}
