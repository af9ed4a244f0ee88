// before split_rows
gpu.module @first_and_last {
  gpu.func @first_and_last(%X: memref<?x?xf16, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %W: memref<?x?xi8, strided<[?, 1]>>, %W_d0: index, %W_d1: index, %W_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array X f16", "dim X 0", "dim X 1", "stride X 0", "array W u8", "dim W 0", "dim W 1", "stride W 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant dense<0.0> : vector<32x32xf32>
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c1 = arith.constant 1 : index
    %c15_i8 = arith.constant dense<15> : vector<16x32xi8>
    %c4_i8 = arith.constant dense<4> : vector<16x32xi8>
    %0 = memref.alloca() : memref<32x32xi8, 3>
    %c16 = arith.constant 16 : index
    %cst_0 = arith.constant dense<8.0> : vector<32x32xf16>
    %acc = scf.for %k = %c0 to %X_d1 step %c32 iter_args(%acc_0 = %cst) -> (vector<32x32xf32>) {
      %1 = arith.shrsi %k, %c1 : index
      %2 = xetile.init_tile %W[%1, %c0], [%W_d0, %W_d1], [%W_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x32xi8>
      %w = xetile.load_tile %2 : !xetile.tile<16x32xi8> -> vector<16x32xi8>
      %3 = arith.andi %w, %c15_i8 : vector<16x32xi8>
      %4 = arith.shrui %w, %c4_i8 : vector<16x32xi8>
      %5 = xetile.init_tile %0[%c0, %c0], [%c32, %c32], [%c32, %c1] : memref<32x32xi8, 3> -> !xetile.tile<16x32xi8, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %3, %5 : vector<16x32xi8>, !xetile.tile<16x32xi8, #xetile.tile_attr<memory_space = 3>>
      %6 = xetile.init_tile %0[%c16, %c0], [%c32, %c32], [%c32, %c1] : memref<32x32xi8, 3> -> !xetile.tile<16x32xi8, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %4, %6 : vector<16x32xi8>, !xetile.tile<16x32xi8, #xetile.tile_attr<memory_space = 3>>
      gpu.barrier
      %7 = xetile.init_tile %0[%c0, %c0], [%c32, %c32], [%c32, %c1] : memref<32x32xi8, 3> -> !xetile.tile<32x32xi8, #xetile.tile_attr<memory_space = 3>>
      %8 = xetile.load_tile %7 : !xetile.tile<32x32xi8, #xetile.tile_attr<memory_space = 3>> -> vector<32x32xi8>
      gpu.barrier
      %9 = arith.uitofp %8 : vector<32x32xi8> to vector<32x32xf16>
      %b = arith.subf %9, %cst_0 : vector<32x32xf16>
      %10 = xetile.init_tile %X[%c0, %k], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x32xf16>
      %11 = xetile.load_tile %10 : !xetile.tile<32x32xf16> -> vector<32x32xf16>
      %12 = xetile.tile_mma %11, %b, %acc_0 : vector<32x32xf16>, vector<32x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
      scf.yield %12 : vector<32x32xf32>
    }
    %13 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x32xf32>
    xetile.store_tile %acc, %13 : vector<32x32xf32>, !xetile.tile<32x32xf32>
    gpu.return
  }
}

// after split_rows
gpu.module @first_and_last {
  gpu.func @first_and_last(%X: memref<?x?xf16, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %W: memref<?x?xi8, strided<[?, 1]>>, %W_d0: index, %W_d1: index, %W_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array X f16", "dim X 0", "dim X 1", "stride X 0", "array W u8", "dim W 0", "dim W 1", "stride W 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant dense<0.0> : vector<32x32xf32>
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c1 = arith.constant 1 : index
    %c15_i8 = arith.constant dense<15> : vector<16x32xi8>
    %c4_i8 = arith.constant dense<4> : vector<16x32xi8>
    %acc = scf.for %k = %c0 to %X_d1 step %c32 iter_args(%acc_0 = %cst) -> (vector<32x32xf32>) {
      %0 = arith.shrsi %k, %c1 : index
      %1 = xetile.init_tile %W[%0, %c0], [%W_d0, %W_d1], [%W_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x32xi8>
      %w = xetile.load_tile %1 : !xetile.tile<16x32xi8> -> vector<16x32xi8>
      %2 = arith.andi %w, %c15_i8 : vector<16x32xi8>
      %3 = arith.shrui %w, %c4_i8 : vector<16x32xi8>
      gpu.barrier
      gpu.barrier
      %c0_0 = arith.constant 0 : index
      %4 = xetile.init_tile %X[%c0, %k], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x16xf16>
      %5 = xetile.load_tile %4 : !xetile.tile<32x16xf16> -> vector<32x16xf16>
      %c16 = arith.constant 16 : index
      %6 = arith.addi %k, %c16 : index
      %7 = xetile.init_tile %X[%c0, %6], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x16xf16>
      %8 = xetile.load_tile %7 : !xetile.tile<32x16xf16> -> vector<32x16xf16>
      %9 = arith.uitofp %2 : vector<16x32xi8> to vector<16x32xf16>
      %cst_0 = arith.constant dense<8.0> : vector<16x32xf16>
      %10 = arith.subf %9, %cst_0 : vector<16x32xf16>
      %11 = xetile.tile_mma %5, %10, %acc_0 : vector<32x16xf16>, vector<16x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
      %12 = arith.uitofp %3 : vector<16x32xi8> to vector<16x32xf16>
      %cst_1 = arith.constant dense<8.0> : vector<16x32xf16>
      %13 = arith.subf %12, %cst_1 : vector<16x32xf16>
      %14 = xetile.tile_mma %8, %13, %11 : vector<32x16xf16>, vector<16x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
      scf.yield %14 : vector<32x32xf32>
    }
    %15 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x32xf32>
    xetile.store_tile %acc, %15 : vector<32x32xf32>, !xetile.tile<32x32xf32>
    gpu.return
  }
}
