// before convert_bits
gpu.module @halves_and_codes {
  gpu.func @halves_and_codes(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B u8", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c15_i8 = arith.constant dense<15> : vector<16x16xi8>
    %c25600_i16 = arith.constant dense<25600> : vector<16x16xi16>
    %cst = arith.constant dense<1032.0> : vector<16x16xf16>
    %c1_index = arith.constant dense<1> : vector<1x8xindex>
    %c0_index = arith.constant dense<0> : vector<1x8xindex>
    %cst_0 = arith.constant dense<true> : vector<8x16xi1>
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %1 = xetile.load_tile %0 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %c16 = arith.constant 16 : index
    %2 = arith.addi %c0, %c16 : index
    %3 = xetile.init_tile %A[%c0, %2], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %4 = xetile.load_tile %3 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %5 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %6 = xetile.load_tile %5 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %codes = arith.andi %6, %c15_i8 : vector<16x16xi8>
    %7 = arith.extui %codes : vector<16x16xi8> to vector<16x16xi16>
    %8 = arith.ori %7, %c25600_i16 : vector<16x16xi16>
    %9 = arith.bitcast %8 : vector<16x16xi16> to vector<16x16xf16>
    %b = arith.subf %9, %cst : vector<16x16xf16>
    %10 = xetile.tile_iota 1 : vector<1x8xindex>
    %11 = arith.muli %10, %c1_index : vector<1x8xindex>
    %12 = arith.addi %11, %c0_index : vector<1x8xindex>
    %13 = xetile.tile_mma %1, %b : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %14 = xetile.tile_iota 1 : vector<1x8xindex>
    %15 = arith.muli %14, %c1_index : vector<1x8xindex>
    %16 = arith.addi %15, %c0_index : vector<1x8xindex>
    %17 = xetile.tile_mma %4, %b : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %18 = arith.subf %13, %17 : vector<8x16xf32>
    %19 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %18, %19 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}

// after convert_bits
gpu.module @halves_and_codes {
  gpu.func @halves_and_codes(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xi8, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B u8", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<1032.0> : vector<16x16xf16>
    %c1_index = arith.constant dense<1> : vector<1x8xindex>
    %c0_index = arith.constant dense<0> : vector<1x8xindex>
    %cst_0 = arith.constant dense<true> : vector<8x16xi1>
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %1 = xetile.load_tile %0 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %c16 = arith.constant 16 : index
    %2 = arith.addi %c0, %c16 : index
    %3 = xetile.init_tile %A[%c0, %2], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %4 = xetile.load_tile %3 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %5 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %6 = xetile.load_tile %5 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %c15_i8 = arith.constant dense<15> : vector<16x16xi8>
    %7 = arith.andi %6, %c15_i8 : vector<16x16xi8>
    %8 = arith.uitofp %7 : vector<16x16xi8> to vector<16x16xf16>
    %cst_1 = arith.constant dense<-8.0> : vector<16x16xf16>
    %9 = arith.addf %8, %cst_1 : vector<16x16xf16>
    %10 = xetile.tile_iota 1 : vector<1x8xindex>
    %11 = arith.muli %10, %c1_index : vector<1x8xindex>
    %12 = arith.addi %11, %c0_index : vector<1x8xindex>
    %13 = xetile.tile_mma %1, %9 : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %14 = xetile.tile_iota 1 : vector<1x8xindex>
    %15 = arith.muli %14, %c1_index : vector<1x8xindex>
    %16 = arith.addi %15, %c0_index : vector<1x8xindex>
    %17 = xetile.tile_mma %4, %9 : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %18 = arith.subf %13, %17 : vector<8x16xf32>
    %19 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %18, %19 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
