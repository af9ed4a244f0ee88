// before select_in_branches
gpu.module @masked_at_the_end {
  gpu.func @masked_at_the_end(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<-1.0> : vector<8x16xf32>
    scf.for %n = %c0 to %B_d1 step %c16 {
      %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
      %1 = xetile.load_tile %0 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
      %2 = xetile.init_tile %B[%c0, %n], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %3 = xetile.load_tile %2 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %s = xetile.tile_mma %1, %3 : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
      %4 = arith.addi %n, %c16 : index
      %5 = arith.cmpi sgt, %4, %B_d1 : index
      %s_0 = scf.if %5 -> (vector<8x16xf32>) {
        %6 = xetile.tile_iota 1 : vector<1x16xindex>
        %7 = vector.broadcast %n : index to vector<1x16xindex>
        %8 = arith.addi %7, %6 : vector<1x16xindex>
        %9 = vector.broadcast %B_d1 : index to vector<1x16xindex>
        %10 = arith.cmpi slt, %8, %9 : vector<1x16xindex>
        %11 = xetile.tile_broadcast %10 [0] : vector<1x16xi1> -> vector<8x16xi1>
        %s_1 = arith.select %11, %s, %cst : vector<8x16xi1>, vector<8x16xf32>
        scf.yield %s_1 : vector<8x16xf32>
      } else {
        scf.yield %s : vector<8x16xf32>
      }
      %12 = xetile.init_tile %C[%c0, %n], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
      xetile.store_tile %s_0, %12 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    }
    gpu.return
  }
}

// after select_in_branches
gpu.module @masked_at_the_end {
  gpu.func @masked_at_the_end(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<-1.0> : vector<8x16xf32>
    scf.for %n = %c0 to %B_d1 step %c16 {
      %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
      %1 = xetile.load_tile %0 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
      %2 = xetile.init_tile %B[%c0, %n], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
      %3 = xetile.load_tile %2 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
      %s = xetile.tile_mma %1, %3 : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
      %4 = arith.addi %n, %c16 : index
      %5 = arith.cmpi sgt, %4, %B_d1 : index
      %6 = xetile.tile_iota 1 : vector<1x16xindex>
      %7 = vector.broadcast %n : index to vector<1x16xindex>
      %8 = arith.addi %7, %6 : vector<1x16xindex>
      %9 = vector.broadcast %B_d1 : index to vector<1x16xindex>
      %10 = arith.cmpi slt, %8, %9 : vector<1x16xindex>
      %11 = arith.cmpi sle, %4, %B_d1 : index
      %12 = vector.broadcast %11 : i1 to vector<1x16xi1>
      %13 = arith.ori %10, %12 : vector<1x16xi1>
      %14 = xetile.tile_broadcast %13 [0] : vector<1x16xi1> -> vector<8x16xi1>
      %s_0 = arith.select %14, %s, %cst : vector<8x16xi1>, vector<8x16xf32>
      %15 = xetile.init_tile %C[%c0, %n], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
      xetile.store_tile %s_0, %15 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    }
    gpu.return
  }
}
