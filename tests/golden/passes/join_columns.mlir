// before join_columns
gpu.module @every_other {
  gpu.func @every_other(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1_index = arith.constant dense<1> : vector<1x16xindex>
    %c0_index = arith.constant dense<0> : vector<1x16xindex>
    %c2_index = arith.constant dense<2> : vector<1x16xindex>
    %c1_index_0 = arith.constant dense<1> : vector<16x1xindex>
    %c0_index_0 = arith.constant dense<0> : vector<16x1xindex>
    %c32_index = arith.constant dense<32> : vector<16x1xindex>
    %0 = memref.alloca() : memref<16x32xf16, 3>
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %cst = arith.constant dense<true> : vector<16x16xi1>
    %1 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x32xf16>
    %a = xetile.load_tile %1 : !xetile.tile<16x32xf16> -> vector<16x32xf16>
    %2 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %b = xetile.load_tile %2 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %3 = xetile.tile_iota 1 : vector<1x16xindex>
    %4 = arith.muli %3, %c1_index : vector<1x16xindex>
    %5 = arith.addi %4, %c0_index : vector<1x16xindex>
    %6 = xetile.tile_iota 1 : vector<1x16xindex>
    %7 = arith.muli %6, %c2_index : vector<1x16xindex>
    %8 = arith.addi %7, %c0_index : vector<1x16xindex>
    %9 = xetile.tile_iota 0 : vector<16x1xindex>
    %10 = arith.muli %9, %c1_index_0 : vector<16x1xindex>
    %11 = arith.addi %10, %c0_index_0 : vector<16x1xindex>
    %12 = arith.muli %11, %c32_index : vector<16x1xindex>
    %13 = xetile.tile_broadcast %12 [1] : vector<16x1xindex> -> vector<16x16xindex>
    %14 = xetile.tile_broadcast %8 [0] : vector<1x16xindex> -> vector<16x16xindex>
    %15 = arith.addi %13, %14 : vector<16x16xindex>
    %16 = xetile.init_tile %0[%c0, %c0], [%c16, %c32], [%c32, %c1] : memref<16x32xf16, 3> -> !xetile.tile<16x32xf16, #xetile.tile_attr<memory_space = 3>>
    xetile.store_tile %a, %16 : vector<16x32xf16>, !xetile.tile<16x32xf16, #xetile.tile_attr<memory_space = 3>>
    gpu.barrier
    %17 = xetile.init_tile %0[%15] : memref<16x32xf16, 3>, vector<16x16xindex> -> !xetile.tile<16x16xf16, #xetile.tile_attr<memory_space = 3, scatter = true>>
    %18 = xetile.load_gather %17, %cst : !xetile.tile<16x16xf16, #xetile.tile_attr<memory_space = 3, scatter = true>>, vector<16x16xi1> -> vector<16x16xf16>
    gpu.barrier
    %19 = xetile.tile_mma %18, %b : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
    %20 = xetile.tile_iota 1 : vector<1x16xindex>
    %21 = arith.muli %20, %c1_index : vector<1x16xindex>
    %22 = arith.addi %21, %c0_index : vector<1x16xindex>
    %23 = xetile.tile_iota 1 : vector<1x16xindex>
    %24 = arith.muli %23, %c2_index : vector<1x16xindex>
    %25 = arith.addi %24, %c1_index : vector<1x16xindex>
    %26 = xetile.tile_iota 0 : vector<16x1xindex>
    %27 = arith.muli %26, %c1_index_0 : vector<16x1xindex>
    %28 = arith.addi %27, %c0_index_0 : vector<16x1xindex>
    %29 = arith.muli %28, %c32_index : vector<16x1xindex>
    %30 = xetile.tile_broadcast %29 [1] : vector<16x1xindex> -> vector<16x16xindex>
    %31 = xetile.tile_broadcast %25 [0] : vector<1x16xindex> -> vector<16x16xindex>
    %32 = arith.addi %30, %31 : vector<16x16xindex>
    %33 = xetile.init_tile %0[%c0, %c0], [%c16, %c32], [%c32, %c1] : memref<16x32xf16, 3> -> !xetile.tile<16x32xf16, #xetile.tile_attr<memory_space = 3>>
    xetile.store_tile %a, %33 : vector<16x32xf16>, !xetile.tile<16x32xf16, #xetile.tile_attr<memory_space = 3>>
    gpu.barrier
    %34 = xetile.init_tile %0[%32] : memref<16x32xf16, 3>, vector<16x16xindex> -> !xetile.tile<16x16xf16, #xetile.tile_attr<memory_space = 3, scatter = true>>
    %35 = xetile.load_gather %34, %cst : !xetile.tile<16x16xf16, #xetile.tile_attr<memory_space = 3, scatter = true>>, vector<16x16xi1> -> vector<16x16xf16>
    gpu.barrier
    %36 = arith.negf %b : vector<16x16xf16>
    %37 = xetile.tile_mma %35, %36, %19 : vector<16x16xf16>, vector<16x16xf16>, vector<16x16xf32> -> vector<16x16xf32>
    %38 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    xetile.store_tile %37, %38 : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}

// after join_columns
gpu.module @every_other {
  gpu.func @every_other(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1_index = arith.constant dense<1> : vector<1x16xindex>
    %c0_index = arith.constant dense<0> : vector<1x16xindex>
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x32xf16>
    %a = xetile.load_tile %0 : !xetile.tile<16x32xf16> -> vector<16x32xf16>
    %1 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %b = xetile.load_tile %1 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %2 = xetile.tile_iota 1 : vector<1x16xindex>
    %3 = arith.muli %2, %c1_index : vector<1x16xindex>
    %4 = arith.addi %3, %c0_index : vector<1x16xindex>
    gpu.barrier
    gpu.barrier
    %5 = xetile.tile_iota 1 : vector<1x16xindex>
    %6 = arith.muli %5, %c1_index : vector<1x16xindex>
    %7 = arith.addi %6, %c0_index : vector<1x16xindex>
    gpu.barrier
    gpu.barrier
    %8 = arith.negf %b : vector<16x16xf16>
    %9 = vector.shuffle %b, %8 [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31] : vector<16x16xf16>, vector<16x16xf16>
    %10 = xetile.tile_mma %a, %9 : vector<16x32xf16>, vector<32x16xf16> -> vector<16x16xf32>
    %11 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    xetile.store_tile %10, %11 : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}
