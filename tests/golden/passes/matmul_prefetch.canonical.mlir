gpu.module @matmul_prefetch {
  gpu.func @matmul_prefetch(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "subgroup", xetile.num_subgroups = 32 : i64} {
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c96 = arith.constant 96 : index
    %cst = arith.constant dense<0.0> : vector<32x64xf32>
    %0 = gpu.subgroup_id : index
    %1 = arith.divui %0, %c4 : index
    %2 = arith.muli %1, %c32 : index
    %3 = arith.remui %0, %c4 : index
    %4 = arith.muli %3, %c64 : index
    %5 = arith.muli %0, %c8 : index
    %6 = arith.divui %0, %c8 : index
    %7 = arith.muli %6, %c8 : index
    %8 = arith.remui %0, %c8 : index
    %9 = arith.muli %8, %c32 : index
    %10 = gpu.block_id y
    %m = arith.muli %10, %c256 : index
    %11 = gpu.block_id x
    %n = arith.muli %11, %c256 : index
    %12 = arith.addi %m, %2 : index
    %13 = xetile.init_tile %A[%12, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x32xf16>
    %14 = arith.addi %n, %4 : index
    %15 = xetile.init_tile %B[%c0, %14], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x64xf16>
    %16 = arith.addi %m, %5 : index
    %17 = xetile.init_tile %A[%16, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x32xf16>
    xetile.prefetch_tile %17 : !xetile.tile<8x32xf16>
    %18 = arith.addi %n, %9 : index
    %19 = xetile.init_tile %B[%7, %18], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x32xf16>
    xetile.prefetch_tile %19 : !xetile.tile<8x32xf16>
    %20 = xetile.init_tile %A[%16, %c32], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x32xf16>
    xetile.prefetch_tile %20 : !xetile.tile<8x32xf16>
    %21 = arith.addi %7, %c32 : index
    %22 = xetile.init_tile %B[%21, %18], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x32xf16>
    xetile.prefetch_tile %22 : !xetile.tile<8x32xf16>
    %23 = xetile.init_tile %A[%16, %c64], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x32xf16>
    xetile.prefetch_tile %23 : !xetile.tile<8x32xf16>
    %24 = arith.addi %7, %c64 : index
    %25 = xetile.init_tile %B[%24, %18], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x32xf16>
    xetile.prefetch_tile %25 : !xetile.tile<8x32xf16>
    %26 = xetile.init_tile %A[%16, %c96], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x32xf16>
    %27 = arith.addi %7, %c96 : index
    %28 = xetile.init_tile %B[%27, %18], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x32xf16>
    %29, %30, %31, %32, %33 = scf.for %_ = %c0 to %A_d1 step %c32 iter_args(%a = %13, %b = %15, %a_ahead = %26, %b_ahead = %28, %acc = %cst) -> (!xetile.tile<32x32xf16>, !xetile.tile<32x64xf16>, !xetile.tile<8x32xf16>, !xetile.tile<8x32xf16>, vector<32x64xf32>) {
      %34 = xetile.load_tile %a : !xetile.tile<32x32xf16> -> vector<32x32xf16>
      %35 = xetile.load_tile %b : !xetile.tile<32x64xf16> -> vector<32x64xf16>
      xetile.prefetch_tile %a_ahead : !xetile.tile<8x32xf16>
      xetile.prefetch_tile %b_ahead : !xetile.tile<8x32xf16>
      %36 = xetile.tile_mma %34, %35, %acc : vector<32x32xf16>, vector<32x64xf16>, vector<32x64xf32> -> vector<32x64xf32>
      %37 = xetile.update_tile_offset %a, [%c0, %c32] : !xetile.tile<32x32xf16>
      %38 = xetile.update_tile_offset %b, [%c32, %c0] : !xetile.tile<32x64xf16>
      %39 = xetile.update_tile_offset %a_ahead, [%c0, %c32] : !xetile.tile<8x32xf16>
      %40 = xetile.update_tile_offset %b_ahead, [%c32, %c0] : !xetile.tile<8x32xf16>
      scf.yield %37, %38, %39, %40, %36 : !xetile.tile<32x32xf16>, !xetile.tile<32x64xf16>, !xetile.tile<8x32xf16>, !xetile.tile<8x32xf16>, vector<32x64xf32>
    }
    %41 = xetile.init_tile %C[%12, %14], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x64xf32>
    xetile.store_tile %33, %41 : vector<32x64xf32>, !xetile.tile<32x64xf32>
    gpu.return
  }
}
