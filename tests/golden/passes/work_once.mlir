// before work_once
gpu.module @once {
  gpu.func @once(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B i8", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 8 : i64} {
    %cst = arith.constant dense<0.0> : vector<128x64xf32>
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c1 = arith.constant 1 : index
    %cst_0 = arith.constant dense<0.3> : vector<32x64xf32>
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %0 = xetile.init_tile %B[%c0, %c0_0], [%B_d0, %B_d1], [%B_s0, %c1_0] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<32x64xi8>
    %c32_0 = arith.constant 32 : index
    %c0_1 = arith.constant 0 : index
    %c0_2 = arith.constant 0 : index
    %c1_1 = arith.constant 1 : index
    %1 = xetile.init_tile %A[%c0_2, %c0], [%A_d0, %A_d1], [%A_s0, %c1_1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<128x32xf16>
    %c0_3 = arith.constant 0 : index
    %c32_1 = arith.constant 32 : index
    xetile.prefetch_tile %1 : !xetile.tile<128x32xf16>
    %2 = xetile.update_tile_offset %1, [%c0_3, %c32_1] : !xetile.tile<128x32xf16>
    xetile.prefetch_tile %2 : !xetile.tile<128x32xf16>
    %3 = xetile.update_tile_offset %2, [%c0_3, %c32_1] : !xetile.tile<128x32xf16>
    xetile.prefetch_tile %3 : !xetile.tile<128x32xf16>
    %4 = xetile.update_tile_offset %3, [%c0_3, %c32_1] : !xetile.tile<128x32xf16>
    %acc, %5, %6, %7 = scf.for %k = %c0 to %A_d1 step %c32 iter_args(%acc_0 = %cst, %8 = %0, %9 = %1, %ahead = %4) -> (vector<128x64xf32>, !xetile.tile<32x64xi8>, !xetile.tile<128x32xf16>, !xetile.tile<128x32xf16>) {
      %10 = xetile.load_tile %8 : !xetile.tile<32x64xi8> -> vector<32x64xi8>
      %11 = arith.sitofp %10 : vector<32x64xi8> to vector<32x64xf32>
      %12 = arith.mulf %11, %cst_0 : vector<32x64xf32>
      %b = arith.truncf %12 : vector<32x64xf32> to vector<32x64xf16>
      %13 = xetile.load_tile %9 : !xetile.tile<128x32xf16> -> vector<128x32xf16>
      %14 = xetile.tile_mma %13, %b, %acc_0 : vector<128x32xf16>, vector<32x64xf16>, vector<128x64xf32> -> vector<128x64xf32>
      %15 = xetile.update_tile_offset %8, [%c32_0, %c0_1] : !xetile.tile<32x64xi8>
      %16 = xetile.update_tile_offset %9, [%c0_3, %c32_1] : !xetile.tile<128x32xf16>
      xetile.prefetch_tile %ahead : !xetile.tile<128x32xf16>
      %17 = xetile.update_tile_offset %ahead, [%c0_3, %c32_1] : !xetile.tile<128x32xf16>
      scf.yield %14, %15, %16, %17 : vector<128x64xf32>, !xetile.tile<32x64xi8>, !xetile.tile<128x32xf16>, !xetile.tile<128x32xf16>
    }
    %18 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<128x64xf32>
    xetile.store_tile %acc, %18 : vector<128x64xf32>, !xetile.tile<128x64xf32>
    gpu.return
  }
}

// after work_once
gpu.module @once {
  gpu.func @once(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B i8", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 8 : i64} {
    %cst = arith.constant dense<0.0> : vector<128x64xf32>
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c1 = arith.constant 1 : index
    %cst_0 = arith.constant dense<0.3> : vector<32x64xf32>
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %0 = xetile.init_tile %B[%c0, %c0_0], [%B_d0, %B_d1], [%B_s0, %c1_0] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<32x64xi8>
    %c32_0 = arith.constant 32 : index
    %c0_1 = arith.constant 0 : index
    %c0_2 = arith.constant 0 : index
    %c1_1 = arith.constant 1 : index
    %1 = xetile.init_tile %A[%c0_2, %c0], [%A_d0, %A_d1], [%A_s0, %c1_1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<128x32xf16>
    %c0_3 = arith.constant 0 : index
    %c32_1 = arith.constant 32 : index
    xetile.prefetch_tile %1 : !xetile.tile<128x32xf16>
    %2 = xetile.update_tile_offset %1, [%c0_3, %c32_1] : !xetile.tile<128x32xf16>
    xetile.prefetch_tile %2 : !xetile.tile<128x32xf16>
    %3 = xetile.update_tile_offset %2, [%c0_3, %c32_1] : !xetile.tile<128x32xf16>
    xetile.prefetch_tile %3 : !xetile.tile<128x32xf16>
    %4 = xetile.update_tile_offset %3, [%c0_3, %c32_1] : !xetile.tile<128x32xf16>
    %5 = memref.alloca() : memref<64x64xf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3>
    %c0_4 = arith.constant 0 : index
    %acc, %6, %7, %8, %9 = scf.for %k = %c0 to %A_d1 step %c32 iter_args(%acc_0 = %cst, %10 = %0, %11 = %1, %ahead = %4, %phase = %c0_4) -> (vector<128x64xf32>, !xetile.tile<32x64xi8>, !xetile.tile<128x32xf16>, !xetile.tile<128x32xf16>, index) {
      %12 = xetile.load_tile %10 : !xetile.tile<32x64xi8> -> vector<32x64xi8>
      %13 = arith.sitofp %12 : vector<32x64xi8> to vector<32x64xf32>
      %14 = arith.mulf %13, %cst_0 : vector<32x64xf32>
      %b = arith.truncf %14 : vector<32x64xf32> to vector<32x64xf16>
      %15 = xetile.load_tile %11 : !xetile.tile<128x32xf16> -> vector<128x32xf16>
      %c32_2 = arith.constant 32 : index
      %16 = arith.muli %phase, %c32_2 : index
      %c0_5 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %c64_0 = arith.constant 64 : index
      %c64_1 = arith.constant 64 : index
      %c1_2 = arith.constant 1 : index
      %17 = xetile.init_tile %5[%16, %c0_5], [%c64, %c64_0], [%c64_1, %c1_2] : memref<64x64xf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3> -> !xetile.tile<32x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 4], sg_data = [16, 16]>, memory_space = 3>>
      xetile.store_tile %b, %17 : vector<32x64xf16>, !xetile.tile<32x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 4], sg_data = [16, 16]>, memory_space = 3>>
      gpu.barrier
      %c32_3 = arith.constant 32 : index
      %18 = arith.muli %phase, %c32_3 : index
      %c0_6 = arith.constant 0 : index
      %c64_2 = arith.constant 64 : index
      %c64_3 = arith.constant 64 : index
      %c64_4 = arith.constant 64 : index
      %c1_3 = arith.constant 1 : index
      %19 = xetile.init_tile %5[%18, %c0_6], [%c64_2, %c64_3], [%c64_4, %c1_3] : memref<64x64xf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3> -> !xetile.tile<32x64xf16, #xetile.tile_attr<memory_space = 3>>
      %20 = xetile.load_tile %19 {inst_data = array<i64: 16, 16>, padding = 0 : i64} : !xetile.tile<32x64xf16, #xetile.tile_attr<memory_space = 3>> -> vector<32x64xf16>
      %21 = xetile.tile_mma %15, %20, %acc_0 : vector<128x32xf16>, vector<32x64xf16>, vector<128x64xf32> -> vector<128x64xf32>
      %22 = xetile.update_tile_offset %10, [%c32_0, %c0_1] : !xetile.tile<32x64xi8>
      %23 = xetile.update_tile_offset %11, [%c0_3, %c32_1] : !xetile.tile<128x32xf16>
      xetile.prefetch_tile %ahead : !xetile.tile<128x32xf16>
      %24 = xetile.update_tile_offset %ahead, [%c0_3, %c32_1] : !xetile.tile<128x32xf16>
      %c1_4 = arith.constant 1 : index
      %25 = arith.subi %c1_4, %phase : index
      scf.yield %21, %22, %23, %24, %25 : vector<128x64xf32>, !xetile.tile<32x64xi8>, !xetile.tile<128x32xf16>, !xetile.tile<128x32xf16>, index
    }
    %26 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<128x64xf32>
    xetile.store_tile %acc, %26 : vector<128x64xf32>, !xetile.tile<128x64xf32>
    gpu.return
  }
}
