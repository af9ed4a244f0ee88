// before multiply_as_f16
gpu.module @bytes_in_bf16 {
  gpu.func @bytes_in_bf16(%A: memref<?x?xi8, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A i8", "dim A 0", "dim A 1", "stride A 0", "array B i8", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<8x16xi8>
    %a = xetile.load_tile %0 : !xetile.tile<8x16xi8> -> vector<8x16xi8>
    %1 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %b = xetile.load_tile %1 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %2 = arith.sitofp %a : vector<8x16xi8> to vector<8x16xbf16>
    %3 = arith.sitofp %b : vector<16x16xi8> to vector<16x16xbf16>
    %4 = xetile.tile_transpose %3, [1, 0] : vector<16x16xbf16> -> vector<16x16xbf16>
    %5 = xetile.tile_mma %2, %4 : vector<8x16xbf16>, vector<16x16xbf16> -> vector<8x16xf32>
    %6 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %5, %6 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}

// after multiply_as_f16
gpu.module @bytes_in_bf16 {
  gpu.func @bytes_in_bf16(%A: memref<?x?xi8, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A i8", "dim A 0", "dim A 1", "stride A 0", "array B i8", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<8x16xi8>
    %a = xetile.load_tile %0 : !xetile.tile<8x16xi8> -> vector<8x16xi8>
    %1 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %b = xetile.load_tile %1 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %2 = arith.sitofp %a : vector<8x16xi8> to vector<8x16xf16>
    %3 = arith.sitofp %b : vector<16x16xi8> to vector<16x16xf16>
    %4 = xetile.tile_transpose %3, [1, 0] : vector<16x16xf16> -> vector<16x16xf16>
    %5 = xetile.tile_mma %2, %4 : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %6 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %5, %6 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
