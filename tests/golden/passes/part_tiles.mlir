// before part_tiles
gpu.module @exchanged {
  gpu.func @exchanged(%A: memref<?x?xf32, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf32, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %n: i32) kernel attributes {xetile.args = ["array A f32", "dim A 0", "dim A 1", "stride A 0", "array B f32", "dim B 0", "dim B 1", "stride B 0", "scalar n i32"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.5> : vector<16x32xf32>
    %c31_index = arith.constant dense<31> : vector<1x32xindex>
    %c1_index = arith.constant dense<1> : vector<1x16xindex>
    %c0_index = arith.constant dense<0> : vector<1x16xindex>
    %c1_index_0 = arith.constant dense<1> : vector<16x1xindex>
    %c0_index_0 = arith.constant dense<0> : vector<16x1xindex>
    %c32_index = arith.constant dense<32> : vector<16x1xindex>
    %0 = memref.alloca() : memref<16x32xf32, 3>
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %cst_0 = arith.constant dense<true> : vector<16x32xi1>
    %source = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x32xf32>
    %result = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x32xf32>
    %1 = arith.index_cast %n : i32 to index
    %source_0, %result_0 = scf.for %_ = %c0 to %1 step %c1 iter_args(%source_1 = %source, %result_1 = %result) -> (!xetile.tile<16x32xf32>, !xetile.tile<16x32xf32>) {
      %x = xetile.load_tile %source_1 : !xetile.tile<16x32xf32> -> vector<16x32xf32>
      %2 = arith.mulf %x, %cst : vector<16x32xf32>
      %3 = xetile.tile_iota 1 : vector<1x32xindex>
      %4 = arith.addi %3, %c31_index : vector<1x32xindex>
      %5 = arith.andi %4, %c31_index : vector<1x32xindex>
      %6 = xetile.tile_iota 1 : vector<1x16xindex>
      %7 = arith.muli %6, %c1_index : vector<1x16xindex>
      %8 = arith.addi %7, %c0_index : vector<1x16xindex>
      %9 = xetile.tile_iota 0 : vector<16x1xindex>
      %10 = arith.muli %9, %c1_index_0 : vector<16x1xindex>
      %11 = arith.addi %10, %c0_index_0 : vector<16x1xindex>
      %12 = arith.muli %11, %c32_index : vector<16x1xindex>
      %13 = xetile.tile_broadcast %12 [1] : vector<16x1xindex> -> vector<16x32xindex>
      %14 = xetile.tile_broadcast %5 [0] : vector<1x32xindex> -> vector<16x32xindex>
      %15 = arith.addi %13, %14 : vector<16x32xindex>
      %16 = xetile.init_tile %0[%c0, %c0], [%c16, %c32], [%c32, %c1] : memref<16x32xf32, 3> -> !xetile.tile<16x32xf32, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %x, %16 : vector<16x32xf32>, !xetile.tile<16x32xf32, #xetile.tile_attr<memory_space = 3>>
      gpu.barrier
      %17 = xetile.init_tile %0[%15] : memref<16x32xf32, 3>, vector<16x32xindex> -> !xetile.tile<16x32xf32, #xetile.tile_attr<memory_space = 3, scatter = true>>
      %18 = xetile.load_gather %17, %cst_0 : !xetile.tile<16x32xf32, #xetile.tile_attr<memory_space = 3, scatter = true>>, vector<16x32xi1> -> vector<16x32xf32>
      gpu.barrier
      %19 = arith.addf %2, %18 : vector<16x32xf32>
      xetile.store_tile %19, %result_1 : vector<16x32xf32>, !xetile.tile<16x32xf32>
      gpu.barrier
      scf.yield %result_1, %source_1 : !xetile.tile<16x32xf32>, !xetile.tile<16x32xf32>
    }
    gpu.return
  }
}

// after part_tiles
gpu.module @exchanged {
  gpu.func @exchanged(%A: memref<?x?xf32, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf32, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %n: i32) kernel attributes {xetile.args = ["array A f32", "dim A 0", "dim A 1", "stride A 0", "array B f32", "dim B 0", "dim B 1", "stride B 0", "scalar n i32"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %cst = arith.constant dense<0.5> : vector<16x32xf32>
    %c31_index = arith.constant dense<31> : vector<1x32xindex>
    %c1_index = arith.constant dense<1> : vector<1x16xindex>
    %c0_index = arith.constant dense<0> : vector<1x16xindex>
    %c1_index_0 = arith.constant dense<1> : vector<16x1xindex>
    %c0_index_0 = arith.constant dense<0> : vector<16x1xindex>
    %c32_index = arith.constant dense<32> : vector<16x1xindex>
    %0 = memref.alloca() : memref<16x32xf32, 3>
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %cst_0 = arith.constant dense<true> : vector<16x32xi1>
    %c0_0 = arith.constant 0 : index
    %c1_1 = arith.constant 1 : index
    %1 = arith.index_cast %n : i32 to index
    %2, %3, %4, %5, %6, %7 = scf.for %_ = %c0 to %1 step %c1_0 iter_args(%source_1 = %c0_0, %source_1_0 = %c0, %source_1_1 = %c0, %result_1 = %c1_1, %result_1_0 = %c0, %result_1_1 = %c0) -> (index, index, index, index, index, index) {
      %c0_1 = arith.constant 0 : index
      %8 = arith.cmpi eq, %source_1, %c0_1 : index
      %9 = scf.if %8 -> (vector<16x32xf32>) {
        %10 = xetile.init_tile %A[%source_1_0, %source_1_1], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x32xf32>
        %11 = xetile.load_tile %10 : !xetile.tile<16x32xf32> -> vector<16x32xf32>
        scf.yield %11 : vector<16x32xf32>
      } else {
        %12 = xetile.init_tile %B[%source_1_0, %source_1_1], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x32xf32>
        %13 = xetile.load_tile %12 : !xetile.tile<16x32xf32> -> vector<16x32xf32>
        scf.yield %13 : vector<16x32xf32>
      }
      %14 = arith.mulf %9, %cst : vector<16x32xf32>
      %15 = xetile.tile_iota 1 : vector<1x32xindex>
      %16 = arith.addi %15, %c31_index : vector<1x32xindex>
      %17 = arith.andi %16, %c31_index : vector<1x32xindex>
      %18 = xetile.tile_iota 1 : vector<1x16xindex>
      %19 = arith.muli %18, %c1_index : vector<1x16xindex>
      %20 = arith.addi %19, %c0_index : vector<1x16xindex>
      %21 = xetile.tile_iota 0 : vector<16x1xindex>
      %22 = arith.muli %21, %c1_index_0 : vector<16x1xindex>
      %23 = arith.addi %22, %c0_index_0 : vector<16x1xindex>
      %24 = arith.muli %23, %c32_index : vector<16x1xindex>
      %25 = xetile.tile_broadcast %24 [1] : vector<16x1xindex> -> vector<16x32xindex>
      %26 = xetile.tile_broadcast %17 [0] : vector<1x32xindex> -> vector<16x32xindex>
      %27 = arith.addi %25, %26 : vector<16x32xindex>
      %28 = xetile.init_tile %0[%c0, %c0], [%c16, %c32], [%c32, %c1_0] : memref<16x32xf32, 3> -> !xetile.tile<16x32xf32, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %9, %28 : vector<16x32xf32>, !xetile.tile<16x32xf32, #xetile.tile_attr<memory_space = 3>>
      gpu.barrier
      %29 = xetile.init_tile %0[%27] : memref<16x32xf32, 3>, vector<16x32xindex> -> !xetile.tile<16x32xf32, #xetile.tile_attr<memory_space = 3, scatter = true>>
      %30 = xetile.load_gather %29, %cst_0 : !xetile.tile<16x32xf32, #xetile.tile_attr<memory_space = 3, scatter = true>>, vector<16x32xi1> -> vector<16x32xf32>
      gpu.barrier
      %31 = arith.addf %14, %30 : vector<16x32xf32>
      %c0_2 = arith.constant 0 : index
      %32 = arith.cmpi eq, %result_1, %c0_2 : index
      scf.if %32 {
        %33 = xetile.init_tile %A[%result_1_0, %result_1_1], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x32xf32>
        xetile.store_tile %31, %33 : vector<16x32xf32>, !xetile.tile<16x32xf32>
      } else {
        %34 = xetile.init_tile %B[%result_1_0, %result_1_1], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x32xf32>
        xetile.store_tile %31, %34 : vector<16x32xf32>, !xetile.tile<16x32xf32>
      }
      gpu.barrier
      scf.yield %result_1, %result_1_0, %result_1_1, %source_1, %source_1_0, %source_1_1 : index, index, index, index, index, index
    }
    gpu.return
  }
}
