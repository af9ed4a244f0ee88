// before transpose_products
gpu.module @used_transposed {
  gpu.func @used_transposed(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %a = xetile.load_tile %0 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %1 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %b = xetile.load_tile %1 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %2 = xetile.tile_transpose %b, [1, 0] : vector<16x16xf16> -> vector<16x16xf16>
    %3 = xetile.tile_mma %a, %2 : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
    %4 = math.exp %3 : vector<16x16xf32>
    %5 = arith.truncf %4 : vector<16x16xf32> to vector<16x16xf16>
    %6 = xetile.tile_transpose %5, [1, 0] : vector<16x16xf16> -> vector<16x16xf16>
    %7 = xetile.tile_mma %6, %a : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
    %8 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    xetile.store_tile %7, %8 : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}

// after transpose_products
gpu.module @used_transposed {
  gpu.func @used_transposed(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %a = xetile.load_tile %0 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %1 = xetile.tile_transpose %a, [1, 0] : vector<16x16xf16> -> vector<16x16xf16>
    %2 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %b = xetile.load_tile %2 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %3 = xetile.tile_mma %b, %1 : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
    %4 = math.exp %3 : vector<16x16xf32>
    %5 = arith.truncf %4 : vector<16x16xf32> to vector<16x16xf16>
    %6 = xetile.tile_mma %5, %a : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
    %7 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    xetile.store_tile %6, %7 : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}
