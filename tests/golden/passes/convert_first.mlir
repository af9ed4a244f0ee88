// before convert_first
gpu.module @less_zero_points {
  gpu.func @less_zero_points(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Z: memref<?x?xi8, strided<[?, 1]>>, %Z_d0: index, %Z_d1: index, %Z_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B u8", "dim B 0", "dim B 1", "stride B 0", "array Z u8", "dim Z 0", "dim Z 1", "stride Z 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %a = xetile.load_tile %0 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %1 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %b = xetile.load_tile %1 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %2 = xetile.init_tile %Z[%c0, %c0], [%Z_d0, %Z_d1], [%Z_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<1x16xi8>
    %z = xetile.load_tile %2 : !xetile.tile<1x16xi8> -> vector<1x16xi8>
    %3 = arith.extui %b : vector<16x16xi8> to vector<16x16xi32>
    %4 = arith.extui %z : vector<1x16xi8> to vector<1x16xi32>
    %5 = xetile.tile_broadcast %4 [0] : vector<1x16xi32> -> vector<16x16xi32>
    %6 = arith.subi %3, %5 : vector<16x16xi32>
    %7 = arith.sitofp %6 : vector<16x16xi32> to vector<16x16xf16>
    %8 = xetile.tile_mma %a, %7 : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %9 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %8, %9 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}

// after convert_first
gpu.module @less_zero_points {
  gpu.func @less_zero_points(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Z: memref<?x?xi8, strided<[?, 1]>>, %Z_d0: index, %Z_d1: index, %Z_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B u8", "dim B 0", "dim B 1", "stride B 0", "array Z u8", "dim Z 0", "dim Z 1", "stride Z 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %a = xetile.load_tile %0 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %1 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %b = xetile.load_tile %1 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %2 = xetile.init_tile %Z[%c0, %c0], [%Z_d0, %Z_d1], [%Z_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<1x16xi8>
    %z = xetile.load_tile %2 : !xetile.tile<1x16xi8> -> vector<1x16xi8>
    %3 = arith.uitofp %b : vector<16x16xi8> to vector<16x16xf16>
    %4 = arith.uitofp %z : vector<1x16xi8> to vector<1x16xf16>
    %5 = xetile.tile_broadcast %4 [0] : vector<1x16xf16> -> vector<16x16xf16>
    %6 = arith.subf %3, %5 : vector<16x16xf16>
    %7 = xetile.tile_mma %a, %6 : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %8 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %7, %8 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
