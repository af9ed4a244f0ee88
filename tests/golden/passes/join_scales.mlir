// before join_scales
gpu.module @divided {
  gpu.func @divided(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index, %s: f32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0", "scalar s f32"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<3.0> : vector<8x16xf32>
    scf.for %n = %c0 to %B_d1 step %c16 {
      %a = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
      %b = xetile.init_tile %B[%c0, %n], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %0 = xetile.load_tile %a : !xetile.tile<8x16xf16> -> vector<8x16xf16>
      %1 = xetile.load_tile %b : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %2 = xetile.tile_mma %0, %1 : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
      %3 = vector.broadcast %s : f32 to vector<8x16xf32>
      %4 = arith.mulf %2, %3 : vector<8x16xf32>
      %5 = arith.divf %4, %cst : vector<8x16xf32>
      %6 = xetile.init_tile %C[%c0, %n], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
      xetile.store_tile %5, %6 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    }
    gpu.return
  }
}

// after join_scales
gpu.module @divided {
  gpu.func @divided(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index, %s: f32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0", "scalar s f32"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<3.0> : vector<8x16xf32>
    %cst_0 = arith.constant 3.0 : f32
    %0 = arith.divf %s, %cst_0 : f32
    scf.for %n = %c0 to %B_d1 step %c16 {
      %a = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
      %b = xetile.init_tile %B[%c0, %n], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %1 = xetile.load_tile %a : !xetile.tile<8x16xf16> -> vector<8x16xf16>
      %2 = xetile.load_tile %b : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %3 = xetile.tile_mma %1, %2 : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
      %4 = vector.broadcast %s : f32 to vector<8x16xf32>
      %5 = vector.broadcast %0 : f32 to vector<8x16xf32>
      %6 = arith.mulf %3, %5 : vector<8x16xf32>
      %7 = xetile.init_tile %C[%c0, %n], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
      xetile.store_tile %6, %7 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    }
    gpu.return
  }
}
