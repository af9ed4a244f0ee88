// before shuffle_integers
gpu.module @places {
  gpu.func @places(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2147483647_i32 = arith.constant dense<2147483647> : vector<1xi32>
    %0 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<1x16xf32>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<1x16xf32> -> vector<1xf32>
    %cst = arith.constant dense<0xFF800000> : vector<1xf32>
    %2 = gpu.subgroup_reduce maximumf %1 : (vector<1xf32>) -> vector<1xf32>
    %3 = arith.cmpf oeq, %1, %2 : vector<1xf32>
    %4 = arith.cmpf une, %1, %1 : vector<1xf32>
    %5 = arith.ori %3, %4 : vector<1xi1>
    %cst_0 = arith.constant dense<[0]> : vector<1xindex>
    %6 = gpu.lane_id
    %7 = vector.broadcast %6 : index to vector<1xindex>
    %8 = arith.index_cast %7 : vector<1xindex> to vector<1xi32>
    %9 = arith.select %5, %8, %c2147483647_i32 : vector<1xi1>, vector<1xi32>
    %c2147483647_i32_0 = arith.constant dense<2147483647> : vector<1xi32>
    %10 = gpu.subgroup_reduce minsi %9 : (vector<1xi32>) -> vector<1xi32>
    %11 = arith.sitofp %10 : vector<1xi32> to vector<1xf32>
    %12 = arith.muli %Y_d0, %Y_s0 : index
    %13 = memref.reinterpret_cast %Y to offset: [0], sizes: [%12], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %14 = arith.cmpi ult, %c0, %Y_d0 : index
    %15 = arith.cmpi ult, %c0, %Y_d1 : index
    %16 = arith.andi %14, %15 : i1
    %17 = vector.extract %11[0] : f32 from vector<1xf32>
    xegpu.store %17, %13[%c0], %16 : f32, memref<?xf32, strided<[1]>>, index, i1
    gpu.return
  }
}

// after shuffle_integers
gpu.module @places {
  gpu.func @places(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2147483647_i32 = arith.constant dense<2147483647> : vector<1xi32>
    %0 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<1x16xf32>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<1x16xf32> -> vector<1xf32>
    %cst = arith.constant dense<0xFF800000> : vector<1xf32>
    %2 = gpu.subgroup_reduce maximumf %1 : (vector<1xf32>) -> vector<1xf32>
    %3 = arith.cmpf oeq, %1, %2 : vector<1xf32>
    %4 = arith.cmpf une, %1, %1 : vector<1xf32>
    %5 = arith.ori %3, %4 : vector<1xi1>
    %cst_0 = arith.constant dense<0> : vector<1xindex>
    %6 = gpu.lane_id
    %7 = vector.broadcast %6 : index to vector<1xindex>
    %8 = arith.index_cast %7 : vector<1xindex> to vector<1xi32>
    %9 = arith.select %5, %8, %c2147483647_i32 : vector<1xi1>, vector<1xi32>
    %c2147483647_i32_0 = arith.constant dense<2147483647> : vector<1xi32>
    %10 = gpu.subgroup_reduce minsi %9 : (vector<1xi32>) -> vector<1xi32>
    %11 = arith.sitofp %10 : vector<1xi32> to vector<1xf32>
    %12 = arith.muli %Y_d0, %Y_s0 : index
    %13 = memref.reinterpret_cast %Y to offset: [0], sizes: [%12], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %14 = arith.cmpi ult, %c0, %Y_d0 : index
    %15 = arith.cmpi ult, %c0, %Y_d1 : index
    %16 = arith.andi %14, %15 : i1
    %17 = vector.extract %11[0] : f32 from vector<1xf32>
    xegpu.store %17, %13[%c0], %16 : f32, memref<?xf32, strided<[1]>>, index, i1
    gpu.return
  }
}
