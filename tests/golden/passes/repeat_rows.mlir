// before repeat_rows
gpu.module @products {
  gpu.func @products(%X: memref<?x?xf16, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %W: memref<?x?xi32, strided<[?, 1]>>, %W_d0: index, %W_d1: index, %W_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array X f16", "dim X 0", "dim X 1", "stride X 0", "array W i32", "dim W 0", "dim W 1", "stride W 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile"} {
    %cst = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c3_index = arith.constant dense<3> : vector<64x1xindex>
    %cst_0 = arith.constant dense<true> : vector<64x64xi1>
    %c7_index = arith.constant dense<7> : vector<64x1xindex>
    %c4_index = arith.constant dense<4> : vector<64x1xindex>
    %c15_index = arith.constant dense<15> : vector<64x64xindex>
    %cst_1 = arith.constant dense<3.0> : vector<64x64xf16>
    %c1 = arith.constant 1 : index
    %acc = scf.for %k = %c0 to %X_d1 step %c64 iter_args(%acc_0 = %cst) -> (vector<64x64xf32>) {
      %0 = xetile.tile_iota 1 : vector<1x64xindex>
      %1 = vector.broadcast %k : index to vector<1x64xindex>
      %2 = arith.addi %1, %0 : vector<1x64xindex>
      %3 = vector.broadcast %k : index to vector<64x1xindex>
      %4 = xetile.tile_iota 0 : vector<64x1xindex>
      %5 = arith.addi %3, %4 : vector<64x1xindex>
      %6 = arith.shrsi %5, %c3_index : vector<64x1xindex>
      %7 = vector.broadcast %W_d1 : index to vector<64x1xindex>
      %8 = arith.muli %6, %7 : vector<64x1xindex>
      %9 = xetile.tile_iota 1 : vector<1x64xindex>
      %10 = xetile.tile_broadcast %8 [1] : vector<64x1xindex> -> vector<64x64xindex>
      %11 = xetile.tile_broadcast %9 [0] : vector<1x64xindex> -> vector<64x64xindex>
      %12 = arith.addi %10, %11 : vector<64x64xindex>
      %13 = xetile.init_tile %W[%12] : memref<?x?xi32, strided<[?, 1]>>, vector<64x64xindex> -> !xetile.tile<64x64xi32, #xetile.tile_attr<scatter = true>>
      %14 = xetile.load_gather %13, %cst_0 : !xetile.tile<64x64xi32, #xetile.tile_attr<scatter = true>>, vector<64x64xi1> -> vector<64x64xi32>
      %15 = xetile.tile_iota 1 : vector<1x64xindex>
      %16 = vector.broadcast %k : index to vector<1x64xindex>
      %17 = arith.addi %16, %15 : vector<1x64xindex>
      %18 = vector.broadcast %k : index to vector<64x1xindex>
      %19 = xetile.tile_iota 0 : vector<64x1xindex>
      %20 = arith.addi %18, %19 : vector<64x1xindex>
      %21 = arith.andi %20, %c7_index : vector<64x1xindex>
      %22 = arith.muli %21, %c4_index : vector<64x1xindex>
      %23 = arith.index_cast %14 : vector<64x64xi32> to vector<64x64xindex>
      %24 = xetile.tile_broadcast %22 [1] : vector<64x1xindex> -> vector<64x64xindex>
      %25 = arith.shrsi %23, %24 : vector<64x64xindex>
      %26 = arith.andi %25, %c15_index : vector<64x64xindex>
      %27 = arith.index_cast %26 : vector<64x64xindex> to vector<64x64xi32>
      %28 = arith.sitofp %27 : vector<64x64xi32> to vector<64x64xf16>
      %b = arith.subf %28, %cst_1 : vector<64x64xf16>
      %29 = xetile.init_tile %X[%c0, %k], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<64x64xf16>
      %30 = xetile.load_tile %29 : !xetile.tile<64x64xf16> -> vector<64x64xf16>
      %31 = xetile.tile_mma %30, %b : vector<64x64xf16>, vector<64x64xf16> -> vector<64x64xf32>
      %acc_1 = arith.addf %acc_0, %31 : vector<64x64xf32>
      scf.yield %acc_1 : vector<64x64xf32>
    }
    %32 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<64x64xf32>
    xetile.store_tile %acc, %32 : vector<64x64xf32>, !xetile.tile<64x64xf32>
    gpu.return
  }
}

// after repeat_rows
gpu.module @products {
  gpu.func @products(%X: memref<?x?xf16, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %W: memref<?x?xi32, strided<[?, 1]>>, %W_d0: index, %W_d1: index, %W_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array X f16", "dim X 0", "dim X 1", "stride X 0", "array W i32", "dim W 0", "dim W 1", "stride W 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile"} {
    %cst = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c7_index = arith.constant dense<7> : vector<64x1xindex>
    %c4_index = arith.constant dense<4> : vector<64x1xindex>
    %c15_index = arith.constant dense<15> : vector<64x64xindex>
    %cst_1 = arith.constant dense<3.0> : vector<64x64xf16>
    %c1 = arith.constant 1 : index
    %acc = scf.for %k = %c0 to %X_d1 step %c64 iter_args(%acc_0 = %cst) -> (vector<64x64xf32>) {
      %0 = xetile.tile_iota 1 : vector<1x64xindex>
      %1 = vector.broadcast %k : index to vector<1x64xindex>
      %2 = arith.addi %1, %0 : vector<1x64xindex>
      %3 = xetile.tile_iota 1 : vector<1x64xindex>
      %4 = vector.broadcast %k : index to vector<8x1xindex>
      %5 = xetile.tile_iota 0 : vector<8x1xindex>
      %c8_index = arith.constant dense<8> : vector<8x1xindex>
      %6 = arith.muli %5, %c8_index : vector<8x1xindex>
      %7 = arith.addi %4, %6 : vector<8x1xindex>
      %c3_index = arith.constant dense<3> : vector<8x1xindex>
      %8 = arith.shrsi %7, %c3_index : vector<8x1xindex>
      %9 = vector.broadcast %W_d1 : index to vector<8x1xindex>
      %10 = arith.muli %8, %9 : vector<8x1xindex>
      %11 = xetile.tile_broadcast %10 [1] : vector<8x1xindex> -> vector<8x64xindex>
      %12 = xetile.tile_broadcast %3 [0] : vector<1x64xindex> -> vector<8x64xindex>
      %13 = arith.addi %11, %12 : vector<8x64xindex>
      %14 = xetile.init_tile %W[%13] : memref<?x?xi32, strided<[?, 1]>>, vector<8x64xindex> -> !xetile.tile<8x64xi32, #xetile.tile_attr<scatter = true>>
      %cst_0 = arith.constant dense<true> : vector<8x64xi1>
      %15 = xetile.load_gather %14, %cst_0 : !xetile.tile<8x64xi32, #xetile.tile_attr<scatter = true>>, vector<8x64xi1> -> vector<8x64xi32>
      %16 = vector.shuffle %15, %15 [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7] : vector<8x64xi32>, vector<8x64xi32>
      %17 = xetile.tile_iota 1 : vector<1x64xindex>
      %18 = vector.broadcast %k : index to vector<1x64xindex>
      %19 = arith.addi %18, %17 : vector<1x64xindex>
      %20 = vector.broadcast %k : index to vector<64x1xindex>
      %21 = xetile.tile_iota 0 : vector<64x1xindex>
      %22 = arith.addi %20, %21 : vector<64x1xindex>
      %23 = arith.andi %22, %c7_index : vector<64x1xindex>
      %24 = arith.muli %23, %c4_index : vector<64x1xindex>
      %25 = arith.index_cast %16 : vector<64x64xi32> to vector<64x64xindex>
      %26 = xetile.tile_broadcast %24 [1] : vector<64x1xindex> -> vector<64x64xindex>
      %27 = arith.shrsi %25, %26 : vector<64x64xindex>
      %28 = arith.andi %27, %c15_index : vector<64x64xindex>
      %29 = arith.index_cast %28 : vector<64x64xindex> to vector<64x64xi32>
      %30 = arith.sitofp %29 : vector<64x64xi32> to vector<64x64xf16>
      %b = arith.subf %30, %cst_1 : vector<64x64xf16>
      %31 = xetile.init_tile %X[%c0, %k], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<64x64xf16>
      %32 = xetile.load_tile %31 : !xetile.tile<64x64xf16> -> vector<64x64xf16>
      %33 = xetile.tile_mma %32, %b : vector<64x64xf16>, vector<64x64xf16> -> vector<64x64xf32>
      %acc_1 = arith.addf %acc_0, %33 : vector<64x64xf32>
      scf.yield %acc_1 : vector<64x64xf32>
    }
    %34 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<64x64xf32>
    xetile.store_tile %acc, %34 : vector<64x64xf32>, !xetile.tile<64x64xf32>
    gpu.return
  }
}
