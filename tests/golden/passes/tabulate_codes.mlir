// before tabulate_codes
gpu.module @products {
  gpu.func @products(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %U: memref<?x?xi8, strided<[?, 1]>>, %U_d0: index, %U_d1: index, %U_s0: index, %Signed: memref<?x?xi8, strided<[?, 1]>>, %Signed_d0: index, %Signed_d1: index, %Signed_s0: index, %Out: memref<?x?xf32, strided<[?, 1]>>, %Out_d0: index, %Out_d1: index, %Out_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array U u8", "dim U 0", "dim U 1", "stride U 0", "array Signed i8", "dim Signed 0", "dim Signed 1", "stride Signed 0", "array Out f32", "dim Out 0", "dim Out 1", "stride Out 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c15_i8 = arith.constant dense<15> : vector<16x16xi8>
    %c1_i32 = arith.constant dense<1> : vector<16x16xi32>
    %c3_i32 = arith.constant dense<3> : vector<16x16xi32>
    %c0_i32 = arith.constant dense<0> : vector<16x16xi32>
    %cst = arith.constant dense<0.5> : vector<16x16xf32>
    %cst_0 = arith.constant dense<1.0> : vector<16x16xf32>
    %c8_i32 = arith.constant dense<8> : vector<16x16xi32>
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %a = xetile.load_tile %0 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %1 = xetile.init_tile %U[%c0, %c0], [%U_d0, %U_d1], [%U_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %u = xetile.load_tile %1 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %2 = xetile.init_tile %Signed[%c0, %c0], [%Signed_d0, %Signed_d1], [%Signed_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %i = xetile.load_tile %2 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %3 = arith.andi %u, %c15_i8 : vector<16x16xi8>
    %4 = arith.extui %3 : vector<16x16xi8> to vector<16x16xi32>
    %5 = arith.shrsi %4, %c1_i32 : vector<16x16xi32>
    %6 = arith.andi %5, %c3_i32 : vector<16x16xi32>
    %c1_i8 = arith.constant dense<1> : vector<16x16xi8>
    %7 = arith.andi %3, %c1_i8 : vector<16x16xi8>
    %8 = arith.uitofp %7 : vector<16x16xi8> to vector<16x16xf32>
    %9 = arith.cmpi eq, %6, %c0_i32 : vector<16x16xi32>
    %10 = arith.mulf %cst, %8 : vector<16x16xf32>
    %11 = arith.mulf %cst, %8 : vector<16x16xf32>
    %12 = arith.addf %cst_0, %11 : vector<16x16xf32>
    %c15_i8_0 = arith.constant dense<15> : vector<16x16xi8>
    %13 = arith.andi %u, %c15_i8_0 : vector<16x16xi8>
    %c1_i8_0 = arith.constant dense<1> : vector<16x16xi8>
    %14 = arith.shrui %13, %c1_i8_0 : vector<16x16xi8>
    %c3_i8 = arith.constant dense<3> : vector<16x16xi8>
    %15 = arith.andi %14, %c3_i8 : vector<16x16xi8>
    %16 = arith.uitofp %15 : vector<16x16xi8> to vector<16x16xf32>
    %cst_1 = arith.constant dense<1.0> : vector<16x16xf32>
    %17 = arith.subf %16, %cst_1 : vector<16x16xf32>
    %18 = math.exp2 %17 : vector<16x16xf32>
    %19 = arith.mulf %12, %18 : vector<16x16xf32>
    %20 = arith.select %9, %10, %19 : vector<16x16xi1>, vector<16x16xf32>
    %21 = arith.cmpi sge, %4, %c8_i32 : vector<16x16xi32>
    %22 = arith.negf %20 : vector<16x16xf32>
    %23 = arith.select %21, %22, %20 : vector<16x16xi1>, vector<16x16xf32>
    %24 = arith.truncf %23 : vector<16x16xf32> to vector<16x16xf16>
    %25 = xetile.tile_mma %a, %24 : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
    %26 = xetile.init_tile %Out[%c0, %c0], [%Out_d0, %Out_d1], [%Out_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    xetile.store_tile %25, %26 : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}

// after tabulate_codes
gpu.module @products {
  gpu.func @products(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %U: memref<?x?xi8, strided<[?, 1]>>, %U_d0: index, %U_d1: index, %U_s0: index, %Signed: memref<?x?xi8, strided<[?, 1]>>, %Signed_d0: index, %Signed_d1: index, %Signed_s0: index, %Out: memref<?x?xf32, strided<[?, 1]>>, %Out_d0: index, %Out_d1: index, %Out_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array U u8", "dim U 0", "dim U 1", "stride U 0", "array Signed i8", "dim Signed 0", "dim Signed 1", "stride Signed 0", "array Out f32", "dim Out 0", "dim Out 1", "stride Out 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %a = xetile.load_tile %0 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %1 = xetile.init_tile %U[%c0, %c0], [%U_d0, %U_d1], [%U_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %u = xetile.load_tile %1 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %2 = xetile.init_tile %Signed[%c0, %c0], [%Signed_d0, %Signed_d1], [%Signed_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xetile.tile<16x16xi8>
    %i = xetile.load_tile %2 : !xetile.tile<16x16xi8> -> vector<16x16xi8>
    %c15_i8 = arith.constant dense<15> : vector<16x16xi8>
    %3 = arith.andi %u, %c15_i8 : vector<16x16xi8>
    %4 = xetile.choose array<i64: 0, 14336, 15360, 15872, 16384, 16896, 17408, 17920, 32768, 47104, 48128, 48640, 49152, 49664, 50176, 50688> [%3] : vector<16x16xi8> -> vector<16x16xf16>
    %5 = xetile.tile_mma %a, %4 : vector<16x16xf16>, vector<16x16xf16> -> vector<16x16xf32>
    %6 = xetile.init_tile %Out[%c0, %c0], [%Out_d0, %Out_d1], [%Out_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    xetile.store_tile %5, %6 : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}
