// before insert_prefetches
gpu.module @product {
  gpu.func @product(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c16 = arith.constant 16 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.0> : vector<16x16xf32>
    %0 = gpu.block_id y
    %m = arith.muli %0, %c16 : index
    %1 = gpu.block_id x
    %n = arith.muli %1, %c16 : index
    %a = xetile.init_tile %A[%m, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %b = xetile.init_tile %B[%c0, %n], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %a_0, %b_0, %acc = scf.for %_ = %c0 to %A_d1 step %c16 iter_args(%a_1 = %a, %b_1 = %b, %acc_0 = %cst) -> (!xetile.tile<16x16xf16>, !xetile.tile<16x16xf16>, vector<16x16xf32>) {
      %2 = xetile.load_tile %a_1 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %3 = xetile.load_tile %b_1 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %acc_1 = xetile.tile_mma %2, %3, %acc_0 : vector<16x16xf16>, vector<16x16xf16>, vector<16x16xf32> -> vector<16x16xf32>
      %a_2 = xetile.update_tile_offset %a_1, [%c0, %c16] : !xetile.tile<16x16xf16>
      %b_2 = xetile.update_tile_offset %b_1, [%c16, %c0] : !xetile.tile<16x16xf16>
      scf.yield %a_2, %b_2, %acc_1 : !xetile.tile<16x16xf16>, !xetile.tile<16x16xf16>, vector<16x16xf32>
    }
    %4 = xetile.init_tile %C[%m, %n], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    xetile.store_tile %acc, %4 : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}

// after insert_prefetches
gpu.module @product {
  gpu.func @product(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c16 = arith.constant 16 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.0> : vector<16x16xf32>
    %0 = gpu.block_id y
    %m = arith.muli %0, %c16 : index
    %1 = gpu.block_id x
    %n = arith.muli %1, %c16 : index
    %a = xetile.init_tile %A[%m, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %b = xetile.init_tile %B[%c0, %n], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    xetile.prefetch_tile %a : !xetile.tile<16x16xf16>
    xetile.prefetch_tile %b : !xetile.tile<16x16xf16>
    %2 = xetile.update_tile_offset %a, [%c0, %c16] : !xetile.tile<16x16xf16>
    %3 = xetile.update_tile_offset %b, [%c16, %c0] : !xetile.tile<16x16xf16>
    xetile.prefetch_tile %2 : !xetile.tile<16x16xf16>
    xetile.prefetch_tile %3 : !xetile.tile<16x16xf16>
    %4 = xetile.update_tile_offset %2, [%c0, %c16] : !xetile.tile<16x16xf16>
    %5 = xetile.update_tile_offset %3, [%c16, %c0] : !xetile.tile<16x16xf16>
    xetile.prefetch_tile %4 : !xetile.tile<16x16xf16>
    xetile.prefetch_tile %5 : !xetile.tile<16x16xf16>
    %6 = xetile.update_tile_offset %4, [%c0, %c16] : !xetile.tile<16x16xf16>
    %7 = xetile.update_tile_offset %5, [%c16, %c0] : !xetile.tile<16x16xf16>
    %a_0, %b_0, %acc, %8, %9 = scf.for %_ = %c0 to %A_d1 step %c16 iter_args(%a_1 = %a, %b_1 = %b, %acc_0 = %cst, %ahead = %6, %ahead_0 = %7) -> (!xetile.tile<16x16xf16>, !xetile.tile<16x16xf16>, vector<16x16xf32>, !xetile.tile<16x16xf16>, !xetile.tile<16x16xf16>) {
      xetile.prefetch_tile %ahead : !xetile.tile<16x16xf16>
      xetile.prefetch_tile %ahead_0 : !xetile.tile<16x16xf16>
      %10 = xetile.load_tile %a_1 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %11 = xetile.load_tile %b_1 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %acc_1 = xetile.tile_mma %10, %11, %acc_0 : vector<16x16xf16>, vector<16x16xf16>, vector<16x16xf32> -> vector<16x16xf32>
      %a_2 = xetile.update_tile_offset %a_1, [%c0, %c16] : !xetile.tile<16x16xf16>
      %b_2 = xetile.update_tile_offset %b_1, [%c16, %c0] : !xetile.tile<16x16xf16>
      %12 = xetile.update_tile_offset %ahead, [%c0, %c16] : !xetile.tile<16x16xf16>
      %13 = xetile.update_tile_offset %ahead_0, [%c16, %c0] : !xetile.tile<16x16xf16>
      scf.yield %a_2, %b_2, %acc_1, %12, %13 : !xetile.tile<16x16xf16>, !xetile.tile<16x16xf16>, vector<16x16xf32>, !xetile.tile<16x16xf16>, !xetile.tile<16x16xf16>
    }
    %14 = xetile.init_tile %C[%m, %n], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    xetile.store_tile %acc, %14 : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}
