// before split_rows
gpu.module @products {
  gpu.func @products(%X: memref<?x?xf16, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %W: memref<?x?xi8, strided<[?, 1]>>, %W_d0: index, %W_d1: index, %W_s0: index, %S: memref<?x?xf16, strided<[?, 1]>>, %S_d0: index, %S_d1: index, %S_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array X f16", "dim X 0", "dim X 1", "stride X 0", "array W u8", "dim W 0", "dim W 1", "stride W 0", "array S f16", "dim S 0", "dim S 1", "stride S 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile"} {
    %cst = arith.constant dense<0.0> : vector<32x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c15_i8 = arith.constant dense<15> : vector<32x64xi8>
    %c4_i8 = arith.constant dense<4> : vector<32x64xi8>
    %0 = memref.alloca() : memref<64x64xf16, 3>
    %c32 = arith.constant 32 : index
    %cst_0 = arith.constant dense<8.0> : vector<64x64xf16>
    %1 = xetile.init_tile %S[%c0, %c0], [%S_d0, %S_d1], [%S_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<1x64xf16>
    %s = xetile.load_tile %1 : !xetile.tile<1x64xf16> -> vector<1x64xf16>
    %acc = scf.for %k = %c0 to %X_d1 step %c64 iter_args(%acc_0 = %cst) -> (vector<32x64xf32>) {
      %2 = arith.shrsi %k, %c1 : index
      %3 = xetile.init_tile %W[%2, %c0], [%W_d0, %W_d1], [%W_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<32x64xi8>
      %w = xetile.load_tile %3 : !xetile.tile<32x64xi8> -> vector<32x64xi8>
      %4 = arith.andi %w, %c15_i8 : vector<32x64xi8>
      %a = arith.uitofp %4 : vector<32x64xi8> to vector<32x64xf16>
      %5 = arith.shrui %w, %c4_i8 : vector<32x64xi8>
      %b = arith.uitofp %5 : vector<32x64xi8> to vector<32x64xf16>
      %6 = xetile.init_tile %X[%c0, %k], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x64xf16>
      %7 = xetile.load_tile %6 : !xetile.tile<32x64xf16> -> vector<32x64xf16>
      %8 = xetile.init_tile %0[%c0, %c0], [%c64, %c64], [%c64, %c1] : memref<64x64xf16, 3> -> !xetile.tile<32x64xf16, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %a, %8 : vector<32x64xf16>, !xetile.tile<32x64xf16, #xetile.tile_attr<memory_space = 3>>
      %9 = xetile.init_tile %0[%c32, %c0], [%c64, %c64], [%c64, %c1] : memref<64x64xf16, 3> -> !xetile.tile<32x64xf16, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %b, %9 : vector<32x64xf16>, !xetile.tile<32x64xf16, #xetile.tile_attr<memory_space = 3>>
      gpu.barrier
      %10 = xetile.init_tile %0[%c0, %c0], [%c64, %c64], [%c64, %c1] : memref<64x64xf16, 3> -> !xetile.tile<64x64xf16, #xetile.tile_attr<memory_space = 3>>
      %11 = xetile.load_tile %10 : !xetile.tile<64x64xf16, #xetile.tile_attr<memory_space = 3>> -> vector<64x64xf16>
      gpu.barrier
      %12 = arith.subf %11, %cst_0 : vector<64x64xf16>
      %13 = xetile.tile_broadcast %s [0] : vector<1x64xf16> -> vector<64x64xf16>
      %14 = arith.mulf %12, %13 : vector<64x64xf16>
      %15 = xetile.tile_mma %7, %14, %acc_0 : vector<32x64xf16>, vector<64x64xf16>, vector<32x64xf32> -> vector<32x64xf32>
      scf.yield %15 : vector<32x64xf32>
    }
    %16 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x64xf32>
    xetile.store_tile %acc, %16 : vector<32x64xf32>, !xetile.tile<32x64xf32>
    gpu.return
  }
}

// after split_rows
gpu.module @products {
  gpu.func @products(%X: memref<?x?xf16, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %W: memref<?x?xi8, strided<[?, 1]>>, %W_d0: index, %W_d1: index, %W_s0: index, %S: memref<?x?xf16, strided<[?, 1]>>, %S_d0: index, %S_d1: index, %S_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array X f16", "dim X 0", "dim X 1", "stride X 0", "array W u8", "dim W 0", "dim W 1", "stride W 0", "array S f16", "dim S 0", "dim S 1", "stride S 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile"} {
    %cst = arith.constant dense<0.0> : vector<32x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c15_i8 = arith.constant dense<15> : vector<32x64xi8>
    %c4_i8 = arith.constant dense<4> : vector<32x64xi8>
    %0 = xetile.init_tile %S[%c0, %c0], [%S_d0, %S_d1], [%S_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<1x64xf16>
    %s = xetile.load_tile %0 : !xetile.tile<1x64xf16> -> vector<1x64xf16>
    %acc = scf.for %k = %c0 to %X_d1 step %c64 iter_args(%acc_0 = %cst) -> (vector<32x64xf32>) {
      %1 = arith.shrsi %k, %c1 : index
      %2 = xetile.init_tile %W[%1, %c0], [%W_d0, %W_d1], [%W_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<32x64xi8>
      %w = xetile.load_tile %2 : !xetile.tile<32x64xi8> -> vector<32x64xi8>
      %3 = arith.andi %w, %c15_i8 : vector<32x64xi8>
      %a = arith.uitofp %3 : vector<32x64xi8> to vector<32x64xf16>
      %4 = arith.shrui %w, %c4_i8 : vector<32x64xi8>
      %b = arith.uitofp %4 : vector<32x64xi8> to vector<32x64xf16>
      %c0_0 = arith.constant 0 : index
      %5 = xetile.init_tile %X[%c0, %k], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x32xf16>
      %6 = xetile.load_tile %5 : !xetile.tile<32x32xf16> -> vector<32x32xf16>
      %c32 = arith.constant 32 : index
      %7 = arith.addi %k, %c32 : index
      %8 = xetile.init_tile %X[%c0, %7], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x32xf16>
      %9 = xetile.load_tile %8 : !xetile.tile<32x32xf16> -> vector<32x32xf16>
      gpu.barrier
      gpu.barrier
      %cst_0 = arith.constant dense<8.0> : vector<32x64xf16>
      %10 = arith.subf %a, %cst_0 : vector<32x64xf16>
      %11 = xetile.tile_broadcast %s [0] : vector<1x64xf16> -> vector<32x64xf16>
      %12 = arith.mulf %10, %11 : vector<32x64xf16>
      %13 = xetile.tile_mma %6, %12, %acc_0 : vector<32x32xf16>, vector<32x64xf16>, vector<32x64xf32> -> vector<32x64xf32>
      %cst_1 = arith.constant dense<8.0> : vector<32x64xf16>
      %14 = arith.subf %b, %cst_1 : vector<32x64xf16>
      %15 = xetile.tile_broadcast %s [0] : vector<1x64xf16> -> vector<32x64xf16>
      %16 = arith.mulf %14, %15 : vector<32x64xf16>
      %17 = xetile.tile_mma %9, %16, %13 : vector<32x32xf16>, vector<32x64xf16>, vector<32x64xf32> -> vector<32x64xf32>
      scf.yield %17 : vector<32x64xf32>
    }
    %18 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x64xf32>
    xetile.store_tile %acc, %18 : vector<32x64xf32>, !xetile.tile<32x64xf32>
    gpu.return
  }
}
