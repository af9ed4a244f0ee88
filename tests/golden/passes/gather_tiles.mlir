// before gather_tiles
gpu.module @rows_by_places {
  gpu.func @rows_by_places(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %S: memref<?xf32, strided<[1]>>, %S_d0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array S f32", "dim S 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c16 = arith.constant 16 : index
    %0 = xetile.tile_iota 1 : vector<1x16xindex>
    %i = xetile.tile_iota 0 : vector<16x1xindex>
    %1 = gpu.block_id x
    %2 = arith.muli %1, %c16 : index
    %3 = xetile.tile_iota 1 : vector<1x16xindex>
    %4 = vector.broadcast %2 : index to vector<1x16xindex>
    %j = arith.addi %4, %3 : vector<1x16xindex>
    %5 = vector.broadcast %X_s0 : index to vector<16x1xindex>
    %6 = arith.muli %i, %5 : vector<16x1xindex>
    %7 = xetile.tile_broadcast %6 [1] : vector<16x1xindex> -> vector<16x16xindex>
    %8 = xetile.tile_broadcast %j [0] : vector<1x16xindex> -> vector<16x16xindex>
    %9 = arith.addi %7, %8 : vector<16x16xindex>
    %10 = xetile.init_tile %X[%9] : memref<?x?xf32, strided<[?, 1]>>, vector<16x16xindex> -> !xetile.tile<16x16xf32, #xetile.tile_attr<scatter = true>>
    %11 = vector.broadcast %X_d0 : index to vector<16x1xindex>
    %12 = arith.cmpi slt, %i, %11 : vector<16x1xindex>
    %13 = vector.broadcast %X_d1 : index to vector<1x16xindex>
    %14 = arith.cmpi slt, %j, %13 : vector<1x16xindex>
    %15 = xetile.tile_broadcast %12 [1] : vector<16x1xi1> -> vector<16x16xi1>
    %16 = xetile.tile_broadcast %14 [0] : vector<1x16xi1> -> vector<16x16xi1>
    %17 = arith.andi %15, %16 : vector<16x16xi1>
    %18 = xetile.tile_broadcast %j [0] : vector<1x16xindex> -> vector<16x16xindex>
    %19 = xetile.tile_broadcast %i [1] : vector<16x1xindex> -> vector<16x16xindex>
    %20 = arith.cmpi sle, %18, %19 : vector<16x16xindex>
    %21 = arith.andi %17, %20 : vector<16x16xi1>
    %x = xetile.load_gather %10, %21 : !xetile.tile<16x16xf32, #xetile.tile_attr<scatter = true>>, vector<16x16xi1> -> vector<16x16xf32>
    %22 = xetile.init_tile %S[%j] : memref<?xf32, strided<[1]>>, vector<1x16xindex> -> !xetile.tile<1x16xf32, #xetile.tile_attr<scatter = true>>
    %23 = vector.broadcast %X_d1 : index to vector<1x16xindex>
    %24 = arith.cmpi slt, %j, %23 : vector<1x16xindex>
    %s = xetile.load_gather %22, %24 : !xetile.tile<1x16xf32, #xetile.tile_attr<scatter = true>>, vector<1x16xi1> -> vector<1x16xf32>
    %25 = xetile.tile_broadcast %s [0] : vector<1x16xf32> -> vector<16x16xf32>
    %26 = arith.mulf %x, %25 : vector<16x16xf32>
    %27 = vector.broadcast %Y_s0 : index to vector<16x1xindex>
    %28 = arith.muli %i, %27 : vector<16x1xindex>
    %29 = xetile.tile_broadcast %28 [1] : vector<16x1xindex> -> vector<16x16xindex>
    %30 = xetile.tile_broadcast %j [0] : vector<1x16xindex> -> vector<16x16xindex>
    %31 = arith.addi %29, %30 : vector<16x16xindex>
    %32 = xetile.init_tile %Y[%31] : memref<?x?xf32, strided<[?, 1]>>, vector<16x16xindex> -> !xetile.tile<16x16xf32, #xetile.tile_attr<scatter = true>>
    %33 = vector.broadcast %X_d0 : index to vector<16x1xindex>
    %34 = arith.cmpi slt, %i, %33 : vector<16x1xindex>
    %35 = vector.broadcast %Y_d1 : index to vector<1x16xindex>
    %36 = arith.cmpi slt, %j, %35 : vector<1x16xindex>
    %37 = xetile.tile_broadcast %34 [1] : vector<16x1xi1> -> vector<16x16xi1>
    %38 = xetile.tile_broadcast %36 [0] : vector<1x16xi1> -> vector<16x16xi1>
    %39 = arith.andi %37, %38 : vector<16x16xi1>
    xetile.store_scatter %26, %39, %32 : vector<16x16xf32>, vector<16x16xi1>, !xetile.tile<16x16xf32, #xetile.tile_attr<scatter = true>>
    gpu.return
  }
}

// after gather_tiles
gpu.module @rows_by_places {
  gpu.func @rows_by_places(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %S: memref<?xf32, strided<[1]>>, %S_d0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array S f32", "dim S 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %0 = arith.minsi %Y_d0, %X_d0 : index
    %1 = arith.minsi %S_d0, %X_d1 : index
    %c16 = arith.constant 16 : index
    %2 = xetile.tile_iota 1 : vector<1x16xindex>
    %i = xetile.tile_iota 0 : vector<16x1xindex>
    %3 = gpu.block_id x
    %4 = arith.muli %3, %c16 : index
    %5 = xetile.tile_iota 1 : vector<1x16xindex>
    %6 = vector.broadcast %4 : index to vector<1x16xindex>
    %j = arith.addi %6, %5 : vector<1x16xindex>
    %7 = xetile.tile_broadcast %j [0] : vector<1x16xindex> -> vector<16x16xindex>
    %8 = xetile.tile_broadcast %i [1] : vector<16x1xindex> -> vector<16x16xindex>
    %9 = arith.cmpi sle, %7, %8 : vector<16x16xindex>
    %c0 = arith.constant 0 : index
    %c16_0 = arith.constant 16 : index
    %10 = arith.muli %3, %c16_0 : index
    %c1 = arith.constant 1 : index
    %11 = xetile.init_tile %X[%c0, %10], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    %12 = xetile.load_tile %11 : !xetile.tile<16x16xf32> -> vector<16x16xf32>
    %c0_f32 = arith.constant dense<0.0> : vector<16x16xf32>
    %13 = arith.select %9, %12, %c0_f32 : vector<16x16xi1>, vector<16x16xf32>
    %14 = xetile.init_tile %S[%10], [%1], [%c1] : memref<?xf32, strided<[1]>> -> !xetile.tile<1x16xf32>
    %15 = xetile.load_tile %14 : !xetile.tile<1x16xf32> -> vector<1x16xf32>
    %16 = xetile.tile_broadcast %15 [0] : vector<1x16xf32> -> vector<16x16xf32>
    %17 = arith.mulf %13, %16 : vector<16x16xf32>
    %18 = xetile.init_tile %Y[%c0, %10], [%0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x16xf32>
    xetile.store_tile %17, %18 : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}
