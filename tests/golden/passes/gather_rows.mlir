// before gather_rows
gpu.module @rows_by_number {
  gpu.func @rows_by_number(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %Rows: memref<?xi32, strided<[1]>>, %Rows_d0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array Rows i32", "dim Rows 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 64 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.0> : vector<16x16xf32>
    %c32 = arith.constant 32 : index
    %c0_i32 = arith.constant dense<0> : vector<16x1xi32>
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %0 = arith.ceildivui %Rows_d0, %c64 : index
    %1 = arith.muli %0, %c64 : index
    %2 = xetile.init_tile %Rows[%c0, %c0_0], [%Rows_d0, %c1_0], [%c1, %1] : memref<?xi32, strided<[1]>> -> !xetile.tile<16x1xi32, #xetile.tile_attr<order = [0, 1]>>
    %3 = xetile.load_tile %2 : !xetile.tile<16x1xi32, #xetile.tile_attr<order = [0, 1]>> -> vector<16x1xi32>
    %c0_1 = arith.constant 0 : index
    %c1_1 = arith.constant 1 : index
    %4 = xetile.init_tile %B[%c0, %c0_1], [%B_d0, %B_d1], [%B_s0, %c1_1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x16xf16>
    %c32_0 = arith.constant 32 : index
    %c0_2 = arith.constant 0 : index
    %acc, %5 = scf.for %k = %c0 to %A_d1 step %c32 iter_args(%acc_0 = %cst, %6 = %4) -> (vector<16x16xf32>, !xetile.tile<32x16xf16>) {
      %7 = xetile.tile_iota 1 : vector<1x32xindex>
      %8 = vector.broadcast %k : index to vector<1x32xindex>
      %columns = arith.addi %8, %7 : vector<1x32xindex>
      %9 = arith.index_cast %3 : vector<16x1xi32> to vector<16x1xindex>
      %10 = vector.broadcast %A_s0 : index to vector<16x1xindex>
      %11 = arith.muli %9, %10 : vector<16x1xindex>
      %12 = xetile.tile_broadcast %11 [1] : vector<16x1xindex> -> vector<16x32xindex>
      %13 = xetile.tile_broadcast %columns [0] : vector<1x32xindex> -> vector<16x32xindex>
      %14 = arith.addi %12, %13 : vector<16x32xindex>
      %15 = xetile.init_tile %A[%14] : memref<?x?xf16, strided<[?, 1]>>, vector<16x32xindex> -> !xetile.tile<16x32xf16, #xetile.tile_attr<scatter = true>>
      %16 = arith.cmpi sge, %3, %c0_i32 : vector<16x1xi32>
      %17 = vector.broadcast %A_d1 : index to vector<1x32xindex>
      %18 = arith.cmpi slt, %columns, %17 : vector<1x32xindex>
      %19 = xetile.tile_broadcast %16 [1] : vector<16x1xi1> -> vector<16x32xi1>
      %20 = xetile.tile_broadcast %18 [0] : vector<1x32xi1> -> vector<16x32xi1>
      %21 = arith.andi %19, %20 : vector<16x32xi1>
      %a = xetile.load_gather %15, %21 : !xetile.tile<16x32xf16, #xetile.tile_attr<scatter = true>>, vector<16x32xi1> -> vector<16x32xf16>
      %22 = xetile.load_tile %6 : !xetile.tile<32x16xf16> -> vector<32x16xf16>
      %23 = xetile.tile_mma %a, %22, %acc_0 : vector<16x32xf16>, vector<32x16xf16>, vector<16x16xf32> -> vector<16x16xf32>
      %24 = xetile.update_tile_offset %6, [%c32_0, %c0_2] : !xetile.tile<32x16xf16>
      scf.yield %23, %24 : vector<16x16xf32>, !xetile.tile<32x16xf16>
    }
    %25 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    xetile.store_tile %acc, %25 : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}

// after gather_rows
gpu.module @rows_by_number {
  gpu.func @rows_by_number(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %Rows: memref<?xi32, strided<[1]>>, %Rows_d0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array Rows i32", "dim Rows 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 64 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.0> : vector<16x16xf32>
    %c32 = arith.constant 32 : index
    %c0_i32 = arith.constant dense<0> : vector<16x1xi32>
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %0 = arith.ceildivui %Rows_d0, %c64 : index
    %1 = arith.muli %0, %c64 : index
    %2 = xetile.init_tile %Rows[%c0, %c0_0], [%Rows_d0, %c1_0], [%c1, %1] : memref<?xi32, strided<[1]>> -> !xetile.tile<16x1xi32, #xetile.tile_attr<order = [0, 1]>>
    %3 = xetile.load_tile %2 : !xetile.tile<16x1xi32, #xetile.tile_attr<order = [0, 1]>> -> vector<16x1xi32>
    %c0_1 = arith.constant 0 : index
    %c1_1 = arith.constant 1 : index
    %4 = xetile.init_tile %B[%c0, %c0_1], [%B_d0, %B_d1], [%B_s0, %c1_1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x16xf16>
    %c32_0 = arith.constant 32 : index
    %c0_2 = arith.constant 0 : index
    %5 = arith.index_cast %3 : vector<16x1xi32> to vector<16x1xindex>
    %6 = vector.broadcast %A_s0 : index to vector<16x1xindex>
    %7 = arith.muli %5, %6 : vector<16x1xindex>
    %8 = arith.cmpi sge, %3, %c0_i32 : vector<16x1xi32>
    %acc, %9 = scf.for %k = %c0 to %A_d1 step %c32 iter_args(%acc_0 = %cst, %10 = %4) -> (vector<16x16xf32>, !xetile.tile<32x16xf16>) {
      %11 = xetile.load_rows %A[%7, %k] where %8 to %A_d1 : memref<?x?xf16, strided<[?, 1]>>, vector<16x1xindex>, vector<16x1xi1> -> vector<16x32xf16>
      %12 = xetile.load_tile %10 : !xetile.tile<32x16xf16> -> vector<32x16xf16>
      %13 = xetile.tile_mma %11, %12, %acc_0 : vector<16x32xf16>, vector<32x16xf16>, vector<16x16xf32> -> vector<16x16xf32>
      %14 = xetile.update_tile_offset %10, [%c32_0, %c0_2] : !xetile.tile<32x16xf16>
      scf.yield %13, %14 : vector<16x16xf32>, !xetile.tile<32x16xf16>
    }
    %15 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    xetile.store_tile %acc, %15 : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}
