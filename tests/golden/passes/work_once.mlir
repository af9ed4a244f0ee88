// before work_once
gpu.module @once {
  gpu.func @once(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf8E4M3FN, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f8e4m3", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 8 : i64} {
    %cst = arith.constant dense<0.0> : vector<128x64xf32>
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c1 = arith.constant 1 : index
    %cst_0 = arith.constant dense<0.3> : vector<32x64xf32>
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %0 = xetile.init_tile %B[%c0, %c0_0], [%B_d0, %B_d1], [%B_s0, %c1_0] : memref<?x?xf8E4M3FN, strided<[?, 1]>> -> !xetile.tile<32x64xf8E4M3FN>
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
    %acc, %5, %6, %7 = scf.for %k = %c0 to %A_d1 step %c32 iter_args(%acc_0 = %cst, %8 = %0, %9 = %1, %ahead = %4) -> (vector<128x64xf32>, !xetile.tile<32x64xf8E4M3FN>, !xetile.tile<128x32xf16>, !xetile.tile<128x32xf16>) {
      %10 = xetile.load_tile %8 : !xetile.tile<32x64xf8E4M3FN> -> vector<32x64xf8E4M3FN>
      %11 = arith.extf %10 : vector<32x64xf8E4M3FN> to vector<32x64xf16>
      %12 = arith.extf %11 : vector<32x64xf16> to vector<32x64xf32>
      %13 = arith.mulf %12, %cst_0 : vector<32x64xf32>
      %b = arith.truncf %13 : vector<32x64xf32> to vector<32x64xf16>
      %14 = xetile.load_tile %9 : !xetile.tile<128x32xf16> -> vector<128x32xf16>
      %15 = xetile.tile_mma %14, %b, %acc_0 : vector<128x32xf16>, vector<32x64xf16>, vector<128x64xf32> -> vector<128x64xf32>
      %16 = xetile.update_tile_offset %8, [%c32_0, %c0_1] : !xetile.tile<32x64xf8E4M3FN>
      %17 = xetile.update_tile_offset %9, [%c0_3, %c32_1] : !xetile.tile<128x32xf16>
      xetile.prefetch_tile %ahead : !xetile.tile<128x32xf16>
      %18 = xetile.update_tile_offset %ahead, [%c0_3, %c32_1] : !xetile.tile<128x32xf16>
      scf.yield %15, %16, %17, %18 : vector<128x64xf32>, !xetile.tile<32x64xf8E4M3FN>, !xetile.tile<128x32xf16>, !xetile.tile<128x32xf16>
    }
    %19 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<128x64xf32>
    xetile.store_tile %acc, %19 : vector<128x64xf32>, !xetile.tile<128x64xf32>
    gpu.return
  }
}

// after work_once
gpu.module @once {
  gpu.func @once(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf8E4M3FN, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f8e4m3", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 8 : i64} {
    %cst = arith.constant dense<0.0> : vector<128x64xf32>
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c1 = arith.constant 1 : index
    %cst_0 = arith.constant dense<0.3> : vector<32x64xf32>
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %0 = xetile.init_tile %B[%c0, %c0_0], [%B_d0, %B_d1], [%B_s0, %c1_0] : memref<?x?xf8E4M3FN, strided<[?, 1]>> -> !xetile.tile<32x64xf8E4M3FN>
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
    %6 = xetile.load_tile %0 : !xetile.tile<32x64xf8E4M3FN> -> vector<32x64xf8E4M3FN>
    %c0_4 = arith.constant 0 : index
    %7 = arith.extf %6 : vector<32x64xf8E4M3FN> to vector<32x64xf16>
    %8 = arith.extf %7 : vector<32x64xf16> to vector<32x64xf32>
    %9 = arith.mulf %8, %cst_0 : vector<32x64xf32>
    %10 = arith.truncf %9 : vector<32x64xf32> to vector<32x64xf16>
    %c32_2 = arith.constant 32 : index
    %11 = arith.muli %c0_4, %c32_2 : index
    %c0_5 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c64_0 = arith.constant 64 : index
    %c64_1 = arith.constant 64 : index
    %c1_2 = arith.constant 1 : index
    %12 = xetile.init_tile %5[%11, %c0_5], [%c64, %c64_0], [%c64_1, %c1_2] : memref<64x64xf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3> -> !xetile.tile<32x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 4], sg_data = [16, 16]>, memory_space = 3>>
    xetile.store_tile %10, %12 : vector<32x64xf16>, !xetile.tile<32x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 4], sg_data = [16, 16]>, memory_space = 3>>
    %c0_6 = arith.constant 0 : index
    %c1_3 = arith.constant 1 : index
    %acc, %13, %14, %15, %16, %17 = scf.for %k = %c0 to %A_d1 step %c32 iter_args(%acc_0 = %cst, %18 = %0, %19 = %1, %ahead = %4, %read = %c0_6, %write = %c1_3) -> (vector<128x64xf32>, !xetile.tile<32x64xf8E4M3FN>, !xetile.tile<128x32xf16>, !xetile.tile<128x32xf16>, index, index) {
      %20 = arith.addi %k, %c32 : index
      %21 = arith.cmpi slt, %20, %A_d1 : index
      %22 = xetile.update_tile_offset %18, [%c32_0, %c0_1] : !xetile.tile<32x64xf8E4M3FN>
      %23 = xetile.load_tile %22 : !xetile.tile<32x64xf8E4M3FN> -> vector<32x64xf8E4M3FN>
      gpu.barrier
      %c32_3 = arith.constant 32 : index
      %24 = arith.muli %read, %c32_3 : index
      %c0_7 = arith.constant 0 : index
      %c64_2 = arith.constant 64 : index
      %c64_3 = arith.constant 64 : index
      %c64_4 = arith.constant 64 : index
      %c1_4 = arith.constant 1 : index
      %25 = xetile.init_tile %5[%24, %c0_7], [%c64_2, %c64_3], [%c64_4, %c1_4] : memref<64x64xf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3> -> !xetile.tile<32x64xf16, #xetile.tile_attr<memory_space = 3>>
      %26 = xetile.load_tile %19 : !xetile.tile<128x32xf16> -> vector<128x32xf16>
      %27 = xetile.load_tile %25 {inst_data = array<i64: 16, 16>, padding = 0 : i64} : !xetile.tile<32x64xf16, #xetile.tile_attr<memory_space = 3>> -> vector<32x64xf16>
      %28 = xetile.tile_mma %26, %27, %acc_0 : vector<128x32xf16>, vector<32x64xf16>, vector<128x64xf32> -> vector<128x64xf32>
      %29 = xetile.update_tile_offset %18, [%c32_0, %c0_1] : !xetile.tile<32x64xf8E4M3FN>
      %30 = xetile.update_tile_offset %19, [%c0_3, %c32_1] : !xetile.tile<128x32xf16>
      xetile.prefetch_tile %ahead : !xetile.tile<128x32xf16>
      %31 = xetile.update_tile_offset %ahead, [%c0_3, %c32_1] : !xetile.tile<128x32xf16>
      %32 = arith.addi %k, %c32 : index
      %33 = arith.extf %23 : vector<32x64xf8E4M3FN> to vector<32x64xf16>
      %34 = arith.extf %33 : vector<32x64xf16> to vector<32x64xf32>
      %35 = arith.mulf %34, %cst_0 : vector<32x64xf32>
      %36 = arith.truncf %35 : vector<32x64xf32> to vector<32x64xf16>
      %c32_4 = arith.constant 32 : index
      %37 = arith.muli %write, %c32_4 : index
      %c0_8 = arith.constant 0 : index
      %c64_5 = arith.constant 64 : index
      %c64_6 = arith.constant 64 : index
      %c64_7 = arith.constant 64 : index
      %c1_5 = arith.constant 1 : index
      %38 = xetile.init_tile %5[%37, %c0_8], [%c64_5, %c64_6], [%c64_7, %c1_5] : memref<64x64xf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3> -> !xetile.tile<32x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 4], sg_data = [16, 16]>, memory_space = 3>>
      xetile.store_tile %36, %38 : vector<32x64xf16>, !xetile.tile<32x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 4], sg_data = [16, 16]>, memory_space = 3>>
      %c1_6 = arith.constant 1 : index
      %39 = arith.subi %c1_6, %read : index
      %c1_7 = arith.constant 1 : index
      %40 = arith.subi %c1_7, %write : index
      scf.yield %28, %29, %30, %31, %39, %40 : vector<128x64xf32>, !xetile.tile<32x64xf8E4M3FN>, !xetile.tile<128x32xf16>, !xetile.tile<128x32xf16>, index, index
    }
    %41 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<128x64xf32>
    xetile.store_tile %acc, %41 : vector<128x64xf32>, !xetile.tile<128x64xf32>
    gpu.return
  }
}
