// before split_words
gpu.module @products {
  gpu.func @products(%X: memref<?x?xf16, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %W: memref<?x?xi32, strided<[?, 1]>>, %W_d0: index, %W_d1: index, %W_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array X f16", "dim X 0", "dim X 1", "stride X 0", "array W i32", "dim W 0", "dim W 1", "stride W 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile"} {
    %cst = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %c3_index = arith.constant dense<3> : vector<1x64xindex>
    %c1_index = arith.constant dense<1> : vector<1x64xindex>
    %c0_index = arith.constant dense<0> : vector<1x64xindex>
    %c3_index_0 = arith.constant dense<3> : vector<64x1xindex>
    %c64_index = arith.constant dense<64> : vector<64x1xindex>
    %0 = memref.alloca() : memref<8x64xi32, 3>
    %c8 = arith.constant 8 : index
    %cst_0 = arith.constant dense<true> : vector<64x64xi1>
    %c7_index = arith.constant dense<7> : vector<1x64xindex>
    %c4_index = arith.constant dense<4> : vector<1x64xindex>
    %c7_index_0 = arith.constant dense<7> : vector<64x1xindex>
    %c4_index_0 = arith.constant dense<4> : vector<64x1xindex>
    %c15_index = arith.constant dense<15> : vector<64x64xindex>
    %cst_1 = arith.constant dense<3.0> : vector<64x64xf16>
    %acc = scf.for %k = %c0 to %X_d1 step %c64 iter_args(%acc_0 = %cst) -> (vector<64x64xf32>) {
      %1 = arith.shrsi %k, %c3 : index
      %2 = xetile.init_tile %W[%1, %c0], [%W_d0, %W_d1], [%W_s0, %c1] : memref<?x?xi32, strided<[?, 1]>> -> !xetile.tile<8x64xi32>
      %3 = xetile.load_tile %2 : !xetile.tile<8x64xi32> -> vector<8x64xi32>
      %4 = xetile.tile_iota 1 : vector<1x64xindex>
      %5 = arith.shrsi %4, %c3_index : vector<1x64xindex>
      %6 = xetile.tile_iota 1 : vector<1x64xindex>
      %7 = arith.muli %6, %c1_index : vector<1x64xindex>
      %8 = arith.addi %7, %c0_index : vector<1x64xindex>
      %9 = xetile.tile_iota 0 : vector<64x1xindex>
      %10 = arith.shrsi %9, %c3_index_0 : vector<64x1xindex>
      %11 = arith.muli %10, %c64_index : vector<64x1xindex>
      %12 = xetile.tile_broadcast %11 [1] : vector<64x1xindex> -> vector<64x64xindex>
      %13 = xetile.tile_broadcast %8 [0] : vector<1x64xindex> -> vector<64x64xindex>
      %14 = arith.addi %12, %13 : vector<64x64xindex>
      %15 = xetile.init_tile %0[%c0, %c0], [%c8, %c64], [%c64, %c1] : memref<8x64xi32, 3> -> !xetile.tile<8x64xi32, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %3, %15 : vector<8x64xi32>, !xetile.tile<8x64xi32, #xetile.tile_attr<memory_space = 3>>
      gpu.barrier
      %16 = xetile.init_tile %0[%14] : memref<8x64xi32, 3>, vector<64x64xindex> -> !xetile.tile<64x64xi32, #xetile.tile_attr<memory_space = 3, scatter = true>>
      %17 = xetile.load_gather %16, %cst_0 : !xetile.tile<64x64xi32, #xetile.tile_attr<memory_space = 3, scatter = true>>, vector<64x64xi1> -> vector<64x64xi32>
      gpu.barrier
      %18 = xetile.tile_iota 1 : vector<1x64xindex>
      %19 = arith.andi %18, %c7_index : vector<1x64xindex>
      %20 = arith.muli %19, %c4_index : vector<1x64xindex>
      %21 = xetile.tile_iota 0 : vector<64x1xindex>
      %22 = arith.andi %21, %c7_index_0 : vector<64x1xindex>
      %23 = arith.muli %22, %c4_index_0 : vector<64x1xindex>
      %24 = arith.index_cast %17 : vector<64x64xi32> to vector<64x64xindex>
      %25 = xetile.tile_broadcast %23 [1] : vector<64x1xindex> -> vector<64x64xindex>
      %26 = arith.shrsi %24, %25 : vector<64x64xindex>
      %27 = arith.andi %26, %c15_index : vector<64x64xindex>
      %28 = arith.index_cast %27 : vector<64x64xindex> to vector<64x64xi32>
      %29 = arith.sitofp %28 : vector<64x64xi32> to vector<64x64xf16>
      %b = arith.subf %29, %cst_1 : vector<64x64xf16>
      %30 = xetile.init_tile %X[%c0, %k], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<64x64xf16>
      %31 = xetile.load_tile %30 : !xetile.tile<64x64xf16> -> vector<64x64xf16>
      %32 = xetile.tile_mma %31, %b : vector<64x64xf16>, vector<64x64xf16> -> vector<64x64xf32>
      %acc_1 = arith.addf %acc_0, %32 : vector<64x64xf32>
      scf.yield %acc_1 : vector<64x64xf32>
    }
    %33 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<64x64xf32>
    xetile.store_tile %acc, %33 : vector<64x64xf32>, !xetile.tile<64x64xf32>
    gpu.return
  }
}

// after split_words
gpu.module @products {
  gpu.func @products(%X: memref<?x?xf16, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %W: memref<?x?xi32, strided<[?, 1]>>, %W_d0: index, %W_d1: index, %W_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array X f16", "dim X 0", "dim X 1", "stride X 0", "array W i32", "dim W 0", "dim W 1", "stride W 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile"} {
    %cst = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %c3_index = arith.constant dense<3> : vector<1x64xindex>
    %c7_index = arith.constant dense<7> : vector<1x64xindex>
    %c4_index = arith.constant dense<4> : vector<1x64xindex>
    %cst_1 = arith.constant dense<3.0> : vector<64x64xf16>
    %acc = scf.for %k = %c0 to %X_d1 step %c64 iter_args(%acc_0 = %cst) -> (vector<64x64xf32>) {
      %0 = arith.shrsi %k, %c3 : index
      %1 = xetile.init_tile %W[%0, %c0], [%W_d0, %W_d1], [%W_s0, %c1] : memref<?x?xi32, strided<[?, 1]>> -> !xetile.tile<8x64xi32>
      %2 = xetile.load_tile %1 : !xetile.tile<8x64xi32> -> vector<8x64xi32>
      %3 = xetile.tile_iota 1 : vector<1x64xindex>
      %4 = arith.shrsi %3, %c3_index : vector<1x64xindex>
      gpu.barrier
      gpu.barrier
      %5 = xetile.tile_iota 1 : vector<1x64xindex>
      %6 = arith.andi %5, %c7_index : vector<1x64xindex>
      %7 = arith.muli %6, %c4_index : vector<1x64xindex>
      %8 = arith.trunci %2 : vector<8x64xi32> to vector<8x64xi8>
      %c15_i8 = arith.constant dense<15> : vector<8x64xi8>
      %9 = arith.andi %8, %c15_i8 : vector<8x64xi8>
      %c4_i32 = arith.constant dense<4> : vector<8x64xi32>
      %10 = arith.shrui %2, %c4_i32 : vector<8x64xi32>
      %11 = arith.trunci %10 : vector<8x64xi32> to vector<8x64xi8>
      %c15_i8_0 = arith.constant dense<15> : vector<8x64xi8>
      %12 = arith.andi %11, %c15_i8_0 : vector<8x64xi8>
      %c8_i32 = arith.constant dense<8> : vector<8x64xi32>
      %13 = arith.shrui %2, %c8_i32 : vector<8x64xi32>
      %14 = arith.trunci %13 : vector<8x64xi32> to vector<8x64xi8>
      %c15_i8_1 = arith.constant dense<15> : vector<8x64xi8>
      %15 = arith.andi %14, %c15_i8_1 : vector<8x64xi8>
      %c12_i32 = arith.constant dense<12> : vector<8x64xi32>
      %16 = arith.shrui %2, %c12_i32 : vector<8x64xi32>
      %17 = arith.trunci %16 : vector<8x64xi32> to vector<8x64xi8>
      %c15_i8_2 = arith.constant dense<15> : vector<8x64xi8>
      %18 = arith.andi %17, %c15_i8_2 : vector<8x64xi8>
      %c16_i32 = arith.constant dense<16> : vector<8x64xi32>
      %19 = arith.shrui %2, %c16_i32 : vector<8x64xi32>
      %20 = arith.trunci %19 : vector<8x64xi32> to vector<8x64xi8>
      %c15_i8_3 = arith.constant dense<15> : vector<8x64xi8>
      %21 = arith.andi %20, %c15_i8_3 : vector<8x64xi8>
      %c20_i32 = arith.constant dense<20> : vector<8x64xi32>
      %22 = arith.shrui %2, %c20_i32 : vector<8x64xi32>
      %23 = arith.trunci %22 : vector<8x64xi32> to vector<8x64xi8>
      %c15_i8_4 = arith.constant dense<15> : vector<8x64xi8>
      %24 = arith.andi %23, %c15_i8_4 : vector<8x64xi8>
      %c24_i32 = arith.constant dense<24> : vector<8x64xi32>
      %25 = arith.shrui %2, %c24_i32 : vector<8x64xi32>
      %26 = arith.trunci %25 : vector<8x64xi32> to vector<8x64xi8>
      %c15_i8_5 = arith.constant dense<15> : vector<8x64xi8>
      %27 = arith.andi %26, %c15_i8_5 : vector<8x64xi8>
      %c28_i32 = arith.constant dense<28> : vector<8x64xi32>
      %28 = arith.shrui %2, %c28_i32 : vector<8x64xi32>
      %29 = arith.trunci %28 : vector<8x64xi32> to vector<8x64xi8>
      %c15_i8_6 = arith.constant dense<15> : vector<8x64xi8>
      %30 = arith.andi %29, %c15_i8_6 : vector<8x64xi8>
      %31 = vector.shuffle %9, %12 [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15] : vector<8x64xi8>, vector<8x64xi8>
      %32 = vector.shuffle %15, %18 [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15] : vector<8x64xi8>, vector<8x64xi8>
      %33 = vector.shuffle %21, %24 [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15] : vector<8x64xi8>, vector<8x64xi8>
      %34 = vector.shuffle %27, %30 [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15] : vector<8x64xi8>, vector<8x64xi8>
      %35 = vector.shuffle %31, %32 [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31] : vector<16x64xi8>, vector<16x64xi8>
      %36 = vector.shuffle %33, %34 [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31] : vector<16x64xi8>, vector<16x64xi8>
      %37 = vector.shuffle %35, %36 [0, 1, 2, 3, 32, 33, 34, 35, 4, 5, 6, 7, 36, 37, 38, 39, 8, 9, 10, 11, 40, 41, 42, 43, 12, 13, 14, 15, 44, 45, 46, 47, 16, 17, 18, 19, 48, 49, 50, 51, 20, 21, 22, 23, 52, 53, 54, 55, 24, 25, 26, 27, 56, 57, 58, 59, 28, 29, 30, 31, 60, 61, 62, 63] : vector<32x64xi8>, vector<32x64xi8>
      %38 = arith.index_castui %37 : vector<64x64xi8> to vector<64x64xindex>
      %39 = arith.index_cast %38 : vector<64x64xindex> to vector<64x64xi32>
      %40 = arith.sitofp %39 : vector<64x64xi32> to vector<64x64xf16>
      %b = arith.subf %40, %cst_1 : vector<64x64xf16>
      %41 = xetile.init_tile %X[%c0, %k], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<64x64xf16>
      %42 = xetile.load_tile %41 : !xetile.tile<64x64xf16> -> vector<64x64xf16>
      %43 = xetile.tile_mma %42, %b : vector<64x64xf16>, vector<64x64xf16> -> vector<64x64xf32>
      %acc_1 = arith.addf %acc_0, %43 : vector<64x64xf32>
      scf.yield %acc_1 : vector<64x64xf32>
    }
    %44 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<64x64xf32>
    xetile.store_tile %acc, %44 : vector<64x64xf32>, !xetile.tile<64x64xf32>
    gpu.return
  }
}
