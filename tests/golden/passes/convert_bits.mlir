// before convert_bits
gpu.module @bits_of_codes {
  gpu.func @bits_of_codes(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B u8", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c15_i8 = arith.constant dense<15> : vector<16x16xi8>
    %c25600_i16 = arith.constant dense<25600> : vector<16x16xi16>
    %cst = arith.constant dense<1032.0> : vector<16x16xf16>
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %a = xetile.load_tile %0 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %1 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %b = xetile.load_tile %1 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %2 = arith.andi %b, %c15_i8 : vector<16x16xi8>
    %3 = arith.extui %2 : vector<16x16xi8> to vector<16x16xi16>
    %4 = arith.ori %3, %c25600_i16 : vector<16x16xi16>
    %5 = arith.bitcast %4 : vector<16x16xi16> to vector<16x16xf16>
    %6 = arith.subf %5, %cst : vector<16x16xf16>
    %7 = xetile.tile_mma %a, %6 : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %8 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %7, %8 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}

// after convert_bits
gpu.module @bits_of_codes {
  gpu.func @bits_of_codes(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B u8", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<1032.0> : vector<16x16xf16>
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %a = xetile.load_tile %0 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %1 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %b = xetile.load_tile %1 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %c15_i8 = arith.constant dense<15> : vector<16x16xi8>
    %2 = arith.andi %b, %c15_i8 : vector<16x16xi8>
    %3 = arith.uitofp %2 : vector<16x16xi8> to vector<16x16xf16>
    %cst_0 = arith.constant dense<-8.0> : vector<16x16xf16>
    %4 = arith.addf %3, %cst_0 : vector<16x16xf16>
    %5 = xetile.tile_mma %a, %4 : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %6 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %5, %6 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
