// before look_up_tables
gpu.module @looked_up {
  gpu.func @looked_up(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Table: memref<?xf16, strided<[1]>>, %Table_d0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B u8", "dim B 0", "dim B 1", "stride B 0", "array Table f16", "dim Table 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4_i8 = arith.constant dense<4> : vector<16x16xi8>
    %cst = arith.constant dense<true> : vector<16x16xi1>
    %0 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %1 = xetile.load_tile %0 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %2 = arith.shrui %1, %c4_i8 : vector<16x16xi8>
    %3 = arith.index_castui %2 : vector<16x16xi8> to vector<16x16xindex>
    %4 = xetile.init_tile %Table[%3] : memref<?xf16, strided<[1]>>, vector<16x16xindex> -> !xetile.tile<16x16xf16, #xetile.tile_attr<scatter = true>>
    %b = xetile.load_gather %4, %cst : !xetile.tile<16x16xf16, #xetile.tile_attr<scatter = true>>, vector<16x16xi1> -> vector<16x16xf16>
    %5 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %6 = xetile.load_tile %5 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %7 = xetile.tile_mma %6, %b : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %8 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %7, %8 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}

// after look_up_tables
gpu.module @looked_up {
  gpu.func @looked_up(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Table: memref<?xf16, strided<[1]>>, %Table_d0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B u8", "dim B 0", "dim B 1", "stride B 0", "array Table f16", "dim Table 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<true> : vector<16x16xi1>
    %0 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %1 = xetile.load_tile %0 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %c4_i8 = arith.constant dense<4> : vector<16x16xi8>
    %2 = arith.shrui %1, %c4_i8 : vector<16x16xi8>
    %3 = xetile.look_up %Table [%2], %Table_d0 : memref<?xf16, strided<[1]>>, vector<16x16xi8>
    %4 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %5 = xetile.load_tile %4 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %6 = xetile.tile_mma %5, %3 : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %7 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %6, %7 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
