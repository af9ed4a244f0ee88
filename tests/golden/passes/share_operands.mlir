// before share_operands
gpu.module @quantized {
  gpu.func @quantized(%A: memref<?x?xf32, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %S: memref<?x?xf32, strided<[?, 1]>>, %S_d0: index, %S_d1: index, %S_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xi32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f32", "dim A 0", "dim A 1", "stride A 0", "array S f32", "dim S 0", "dim S 1", "stride S 0", "array B i8", "dim B 0", "dim B 1", "stride B 0", "array C i32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c0_i32 = arith.constant dense<0> : vector<64x128xi32>
    %c64 = arith.constant 64 : index
    %0 = xetile.init_tile %S[%c0, %c0], [%S_d0, %S_d1], [%S_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<64x1xf32>
    %scales = xetile.load_tile %0 : !xetile.tile<64x1xf32> -> vector<64x1xf32>
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %1 = xetile.init_tile %A[%c0_0, %c0], [%A_d0, %A_d1], [%A_s0, %c1_0] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<64x64xf32>
    %c0_1 = arith.constant 0 : index
    %c64_0 = arith.constant 64 : index
    %c0_2 = arith.constant 0 : index
    %c1_1 = arith.constant 1 : index
    %2 = xetile.init_tile %B[%c0, %c0_2], [%B_d0, %B_d1], [%B_s0, %c1_1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<64x128xi8>
    %c64_1 = arith.constant 64 : index
    %c0_3 = arith.constant 0 : index
    xetile.prefetch_tile %2 : !xetile.tile<64x128xi8>
    %3 = xetile.update_tile_offset %2, [%c64_1, %c0_3] : !xetile.tile<64x128xi8>
    xetile.prefetch_tile %3 : !xetile.tile<64x128xi8>
    %4 = xetile.update_tile_offset %3, [%c64_1, %c0_3] : !xetile.tile<64x128xi8>
    xetile.prefetch_tile %4 : !xetile.tile<64x128xi8>
    %5 = xetile.update_tile_offset %4, [%c64_1, %c0_3] : !xetile.tile<64x128xi8>
    %acc, %6, %7, %8 = scf.for %k = %c0 to %A_d1 step %c64 iter_args(%acc_0 = %c0_i32, %9 = %1, %10 = %2, %ahead = %5) -> (vector<64x128xi32>, !xetile.tile<64x64xf32>, !xetile.tile<64x128xi8>, !xetile.tile<64x128xi8>) {
      %11 = xetile.load_tile %9 : !xetile.tile<64x64xf32> -> vector<64x64xf32>
      %12 = xetile.tile_broadcast %scales [1] : vector<64x1xf32> -> vector<64x64xf32>
      %a = arith.divf %11, %12 : vector<64x64xf32>
      %13 = arith.fptosi %a : vector<64x64xf32> to vector<64x64xi8>
      %14 = xetile.load_tile %10 : !xetile.tile<64x128xi8> -> vector<64x128xi8>
      %15 = xetile.tile_mma %13, %14, %acc_0 : vector<64x64xi8>, vector<64x128xi8>, vector<64x128xi32> -> vector<64x128xi32>
      %16 = xetile.update_tile_offset %9, [%c0_1, %c64_0] : !xetile.tile<64x64xf32>
      %17 = xetile.update_tile_offset %10, [%c64_1, %c0_3] : !xetile.tile<64x128xi8>
      xetile.prefetch_tile %ahead : !xetile.tile<64x128xi8>
      %18 = xetile.update_tile_offset %ahead, [%c64_1, %c0_3] : !xetile.tile<64x128xi8>
      scf.yield %15, %16, %17, %18 : vector<64x128xi32>, !xetile.tile<64x64xf32>, !xetile.tile<64x128xi8>, !xetile.tile<64x128xi8>
    }
    %19 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xi32, strided<[?, 1]>> -> !xetile.tile<64x128xi32>
    xetile.store_tile %acc, %19 : vector<64x128xi32>, !xetile.tile<64x128xi32>
    gpu.return
  }
}

// after share_operands
gpu.module @quantized {
  gpu.func @quantized(%A: memref<?x?xf32, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %S: memref<?x?xf32, strided<[?, 1]>>, %S_d0: index, %S_d1: index, %S_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xi32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f32", "dim A 0", "dim A 1", "stride A 0", "array S f32", "dim S 0", "dim S 1", "stride S 0", "array B i8", "dim B 0", "dim B 1", "stride B 0", "array C i32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c0_i32 = arith.constant dense<0> : vector<64x128xi32>
    %c64 = arith.constant 64 : index
    %0 = xetile.init_tile %S[%c0, %c0], [%S_d0, %S_d1], [%S_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<64x1xf32>
    %scales = xetile.load_tile %0 : !xetile.tile<64x1xf32> -> vector<64x1xf32>
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %1 = xetile.init_tile %A[%c0_0, %c0], [%A_d0, %A_d1], [%A_s0, %c1_0] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<64x64xf32>
    %c0_1 = arith.constant 0 : index
    %c64_0 = arith.constant 64 : index
    %c0_2 = arith.constant 0 : index
    %c1_1 = arith.constant 1 : index
    %2 = xetile.init_tile %B[%c0, %c0_2], [%B_d0, %B_d1], [%B_s0, %c1_1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<64x128xi8>
    %c64_1 = arith.constant 64 : index
    %c0_3 = arith.constant 0 : index
    xetile.prefetch_tile %2 : !xetile.tile<64x128xi8>
    %3 = xetile.update_tile_offset %2, [%c64_1, %c0_3] : !xetile.tile<64x128xi8>
    xetile.prefetch_tile %3 : !xetile.tile<64x128xi8>
    %4 = xetile.update_tile_offset %3, [%c64_1, %c0_3] : !xetile.tile<64x128xi8>
    xetile.prefetch_tile %4 : !xetile.tile<64x128xi8>
    %5 = xetile.update_tile_offset %4, [%c64_1, %c0_3] : !xetile.tile<64x128xi8>
    %acc, %6, %7, %8 = scf.for %k = %c0 to %A_d1 step %c64 iter_args(%acc_0 = %c0_i32, %9 = %1, %10 = %2, %ahead = %5) -> (vector<64x128xi32>, !xetile.tile<64x64xf32>, !xetile.tile<64x128xi8>, !xetile.tile<64x128xi8>) {
      %11 = xetile.load_tile %9 : !xetile.tile<64x64xf32> -> vector<64x64xf32>
      %12 = xetile.tile_broadcast %scales [1] : vector<64x1xf32> -> vector<64x64xf32>
      %a = arith.divf %11, %12 : vector<64x64xf32>
      %13 = arith.fptosi %a : vector<64x64xf32> to vector<64x64xi8>
      %14 = xetile.load_tile %10 : !xetile.tile<64x128xi8> -> vector<64x128xi8>
      %15 = xetile.tile_mma %13, %14, %acc_0 : vector<64x64xi8>, vector<64x128xi8>, vector<64x128xi32> -> vector<64x128xi32>
      %16 = xetile.update_tile_offset %9, [%c0_1, %c64_0] : !xetile.tile<64x64xf32>
      %17 = xetile.update_tile_offset %10, [%c64_1, %c0_3] : !xetile.tile<64x128xi8>
      xetile.prefetch_tile %ahead : !xetile.tile<64x128xi8>
      %18 = xetile.update_tile_offset %ahead, [%c64_1, %c0_3] : !xetile.tile<64x128xi8>
      scf.yield %15, %16, %17, %18 : vector<64x128xi32>, !xetile.tile<64x64xf32>, !xetile.tile<64x128xi8>, !xetile.tile<64x128xi8>
    }
    %19 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xi32, strided<[?, 1]>> -> !xetile.tile<64x128xi32>
    xetile.store_tile %acc, %19 : vector<64x128xi32>, !xetile.tile<64x128xi32>
    gpu.return
  }
}
