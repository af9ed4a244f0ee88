// before load_parts
gpu.module @halves_and_codes {
  gpu.func @halves_and_codes(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B u8", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c15_i8 = arith.constant dense<15> : vector<16x16xi8>
    %c25600_i16 = arith.constant dense<25600> : vector<16x16xi16>
    %cst = arith.constant dense<1032.0> : vector<16x16xf16>
    %c1_index = arith.constant dense<1> : vector<1x8xindex>
    %c0_index = arith.constant dense<0> : vector<1x8xindex>
    %c1_index_0 = arith.constant dense<1> : vector<1x16xindex>
    %c0_index_0 = arith.constant dense<0> : vector<1x16xindex>
    %c1_index_1 = arith.constant dense<1> : vector<8x1xindex>
    %c0_index_1 = arith.constant dense<0> : vector<8x1xindex>
    %c32_index = arith.constant dense<32> : vector<8x1xindex>
    %0 = memref.alloca() : memref<8x32xf16, 3>
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %cst_0 = arith.constant dense<true> : vector<8x16xi1>
    %c16_index = arith.constant dense<16> : vector<1x16xindex>
    %1 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x32xf16>
    %a = xetile.load_tile %1 : !xetile.tile<8x32xf16> -> vector<8x32xf16>
    %2 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %3 = xetile.load_tile %2 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %codes = arith.andi %3, %c15_i8 : vector<16x16xi8>
    %4 = arith.extui %codes : vector<16x16xi8> to vector<16x16xi16>
    %5 = arith.ori %4, %c25600_i16 : vector<16x16xi16>
    %6 = arith.bitcast %5 : vector<16x16xi16> to vector<16x16xf16>
    %b = arith.subf %6, %cst : vector<16x16xf16>
    %7 = xetile.tile_iota 1 : vector<1x8xindex>
    %8 = arith.muli %7, %c1_index : vector<1x8xindex>
    %9 = arith.addi %8, %c0_index : vector<1x8xindex>
    %10 = xetile.tile_iota 1 : vector<1x16xindex>
    %11 = arith.muli %10, %c1_index_0 : vector<1x16xindex>
    %12 = arith.addi %11, %c0_index_0 : vector<1x16xindex>
    %13 = xetile.tile_iota 0 : vector<8x1xindex>
    %14 = arith.muli %13, %c1_index_1 : vector<8x1xindex>
    %15 = arith.addi %14, %c0_index_1 : vector<8x1xindex>
    %16 = arith.muli %15, %c32_index : vector<8x1xindex>
    %17 = xetile.tile_broadcast %16 [1] : vector<8x1xindex> -> vector<8x16xindex>
    %18 = xetile.tile_broadcast %12 [0] : vector<1x16xindex> -> vector<8x16xindex>
    %19 = arith.addi %17, %18 : vector<8x16xindex>
    %20 = xetile.init_tile %0[%c0, %c0], [%c8, %c32], [%c32, %c1] : memref<8x32xf16, 3> -> !xetile.tile<8x32xf16, #xetile.tile_attr<memory_space = 3>>
    xetile.store_tile %a, %20 : vector<8x32xf16>, !xetile.tile<8x32xf16, #xetile.tile_attr<memory_space = 3>>
    gpu.barrier
    %21 = xetile.init_tile %0[%19] : memref<8x32xf16, 3>, vector<8x16xindex> -> !xetile.tile<8x16xf16, #xetile.tile_attr<memory_space = 3, scatter = true>>
    %22 = xetile.load_gather %21, %cst_0 : !xetile.tile<8x16xf16, #xetile.tile_attr<memory_space = 3, scatter = true>>, vector<8x16xi1> -> vector<8x16xf16>
    gpu.barrier
    %23 = xetile.tile_mma %22, %b : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %24 = xetile.tile_iota 1 : vector<1x8xindex>
    %25 = arith.muli %24, %c1_index : vector<1x8xindex>
    %26 = arith.addi %25, %c0_index : vector<1x8xindex>
    %27 = xetile.tile_iota 1 : vector<1x16xindex>
    %28 = arith.muli %27, %c1_index_0 : vector<1x16xindex>
    %29 = arith.addi %28, %c16_index : vector<1x16xindex>
    %30 = xetile.tile_iota 0 : vector<8x1xindex>
    %31 = arith.muli %30, %c1_index_1 : vector<8x1xindex>
    %32 = arith.addi %31, %c0_index_1 : vector<8x1xindex>
    %33 = arith.muli %32, %c32_index : vector<8x1xindex>
    %34 = xetile.tile_broadcast %33 [1] : vector<8x1xindex> -> vector<8x16xindex>
    %35 = xetile.tile_broadcast %29 [0] : vector<1x16xindex> -> vector<8x16xindex>
    %36 = arith.addi %34, %35 : vector<8x16xindex>
    %37 = xetile.init_tile %0[%c0, %c0], [%c8, %c32], [%c32, %c1] : memref<8x32xf16, 3> -> !xetile.tile<8x32xf16, #xetile.tile_attr<memory_space = 3>>
    xetile.store_tile %a, %37 : vector<8x32xf16>, !xetile.tile<8x32xf16, #xetile.tile_attr<memory_space = 3>>
    gpu.barrier
    %38 = xetile.init_tile %0[%36] : memref<8x32xf16, 3>, vector<8x16xindex> -> !xetile.tile<8x16xf16, #xetile.tile_attr<memory_space = 3, scatter = true>>
    %39 = xetile.load_gather %38, %cst_0 : !xetile.tile<8x16xf16, #xetile.tile_attr<memory_space = 3, scatter = true>>, vector<8x16xi1> -> vector<8x16xf16>
    gpu.barrier
    %40 = xetile.tile_mma %39, %b : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %41 = arith.subf %23, %40 : vector<8x16xf32>
    %42 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %41, %42 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}

// after load_parts
gpu.module @halves_and_codes {
  gpu.func @halves_and_codes(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B u8", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c15_i8 = arith.constant dense<15> : vector<16x16xi8>
    %c25600_i16 = arith.constant dense<25600> : vector<16x16xi16>
    %cst = arith.constant dense<1032.0> : vector<16x16xf16>
    %c1_index = arith.constant dense<1> : vector<1x8xindex>
    %c0_index = arith.constant dense<0> : vector<1x8xindex>
    %cst_0 = arith.constant dense<true> : vector<8x16xi1>
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %1 = xetile.load_tile %0 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %c16 = arith.constant 16 : index
    %2 = arith.addi %c0, %c16 : index
    %3 = xetile.init_tile %A[%c0, %2], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %4 = xetile.load_tile %3 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %5 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %6 = xetile.load_tile %5 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %codes = arith.andi %6, %c15_i8 : vector<16x16xi8>
    %7 = arith.extui %codes : vector<16x16xi8> to vector<16x16xi16>
    %8 = arith.ori %7, %c25600_i16 : vector<16x16xi16>
    %9 = arith.bitcast %8 : vector<16x16xi16> to vector<16x16xf16>
    %b = arith.subf %9, %cst : vector<16x16xf16>
    %10 = xetile.tile_iota 1 : vector<1x8xindex>
    %11 = arith.muli %10, %c1_index : vector<1x8xindex>
    %12 = arith.addi %11, %c0_index : vector<1x8xindex>
    gpu.barrier
    gpu.barrier
    %13 = xetile.tile_mma %1, %b : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %14 = xetile.tile_iota 1 : vector<1x8xindex>
    %15 = arith.muli %14, %c1_index : vector<1x8xindex>
    %16 = arith.addi %15, %c0_index : vector<1x8xindex>
    gpu.barrier
    gpu.barrier
    %17 = xetile.tile_mma %4, %b : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %18 = arith.subf %13, %17 : vector<8x16xf32>
    %19 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %18, %19 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
