// before forward_shared
gpu.module @rolled {
  gpu.func @rolled(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c3_index = arith.constant dense<3> : vector<1xindex>
    %c16_index = arith.constant dense<16> : vector<1xindex>
    %cst = arith.constant dense<true> : vector<4xi1>
    %c4 = arith.constant 4 : index
    %c0_i32 = arith.constant 0 : i32
    %c16_i32 = arith.constant 16 : i32
    %c1_i32 = arith.constant 1 : i32
    %c2_i32 = arith.constant 2 : i32
    %c3_i32 = arith.constant 3 : i32
    %cst_0 = arith.constant true
    %c0_f32 = arith.constant dense<0.0> : vector<4xf32>
    %0 = memref.alloca() : memref<4x16xf32, 3>
    %1 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<4x16xf32>
    %2 = xegpu.load_nd %1[%c0, %c0] : !xegpu.tensor_desc<4x16xf32> -> vector<4xf32>
    %3 = gpu.lane_id
    %4 = arith.remui %3, %c4 : index
    %5 = vector.broadcast %4 : index to vector<1xindex>
    %6 = arith.addi %5, %c3_index : vector<1xindex>
    %7 = arith.andi %6, %c3_index : vector<1xindex>
    %8 = arith.muli %7, %c16_index : vector<1xindex>
    %9 = vector.extract %8[0] : index from vector<1xindex>
    %10 = arith.index_cast %9 : index to i32
    %11, %12 = gpu.shuffle idx %10, %c0_i32, %c16_i32 : i32
    %13 = arith.index_cast %11 : i32 to index
    %14, %15 = gpu.shuffle idx %10, %c1_i32, %c16_i32 : i32
    %16 = arith.index_cast %14 : i32 to index
    %17, %18 = gpu.shuffle idx %10, %c2_i32, %c16_i32 : i32
    %19 = arith.index_cast %17 : i32 to index
    %20, %21 = gpu.shuffle idx %10, %c3_i32, %c16_i32 : i32
    %22 = arith.index_cast %20 : i32 to index
    %23 = vector.broadcast %13 : index to vector<4xindex>
    %24 = vector.insert %16, %23[1] : index into vector<4xindex>
    %25 = vector.insert %19, %24[2] : index into vector<4xindex>
    %26 = vector.insert %22, %25[3] : index into vector<4xindex>
    %27 = vector.broadcast %3 : index to vector<4xindex>
    %28 = arith.addi %26, %27 : vector<4xindex>
    %29 = memref.reinterpret_cast %0 to offset: [0], sizes: [%c64], strides: [1] : memref<4x16xf32, 3> to memref<?xf32, strided<[1]>, 3>
    %30 = vector.extract_strided_slice %2 {offsets = [0], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
    %31 = vector.extract %30[0] : f32 from vector<1xf32>
    xegpu.store %31, %29[%3], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %32 = arith.addi %3, %c16 : index
    %33 = vector.extract_strided_slice %2 {offsets = [1], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
    %34 = vector.extract %33[0] : f32 from vector<1xf32>
    xegpu.store %34, %29[%32], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %35 = arith.addi %3, %c32 : index
    %36 = vector.extract_strided_slice %2 {offsets = [2], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
    %37 = vector.extract %36[0] : f32 from vector<1xf32>
    xegpu.store %37, %29[%35], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %38 = arith.addi %3, %c48 : index
    %39 = vector.extract_strided_slice %2 {offsets = [3], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
    %40 = vector.extract %39[0] : f32 from vector<1xf32>
    xegpu.store %40, %29[%38], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    gpu.barrier
    %41 = vector.extract_strided_slice %28 {offsets = [0], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
    %42 = vector.extract %41[0] : index from vector<1xindex>
    %43 = vector.extract_strided_slice %cst {offsets = [0], sizes = [1], strides = [1]} : vector<4xi1> to vector<1xi1>
    %44 = vector.extract %43[0] : i1 from vector<1xi1>
    %45 = xegpu.load %29[%42], %44 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %46 = vector.extract_strided_slice %28 {offsets = [1], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
    %47 = vector.extract %46[0] : index from vector<1xindex>
    %48 = vector.extract_strided_slice %cst {offsets = [1], sizes = [1], strides = [1]} : vector<4xi1> to vector<1xi1>
    %49 = vector.extract %48[0] : i1 from vector<1xi1>
    %50 = xegpu.load %29[%47], %49 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %51 = vector.extract_strided_slice %28 {offsets = [2], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
    %52 = vector.extract %51[0] : index from vector<1xindex>
    %53 = vector.extract_strided_slice %cst {offsets = [2], sizes = [1], strides = [1]} : vector<4xi1> to vector<1xi1>
    %54 = vector.extract %53[0] : i1 from vector<1xi1>
    %55 = xegpu.load %29[%52], %54 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %56 = vector.extract_strided_slice %28 {offsets = [3], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
    %57 = vector.extract %56[0] : index from vector<1xindex>
    %58 = vector.extract_strided_slice %cst {offsets = [3], sizes = [1], strides = [1]} : vector<4xi1> to vector<1xi1>
    %59 = vector.extract %58[0] : i1 from vector<1xi1>
    %60 = xegpu.load %29[%57], %59 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %61 = vector.broadcast %45 : f32 to vector<1xf32>
    %62 = vector.insert_strided_slice %61, %c0_f32 {offsets = [0], strides = [1]} : vector<1xf32> into vector<4xf32>
    %63 = vector.broadcast %50 : f32 to vector<1xf32>
    %64 = vector.insert_strided_slice %63, %62 {offsets = [1], strides = [1]} : vector<1xf32> into vector<4xf32>
    %65 = vector.broadcast %55 : f32 to vector<1xf32>
    %66 = vector.insert_strided_slice %65, %64 {offsets = [2], strides = [1]} : vector<1xf32> into vector<4xf32>
    %67 = vector.broadcast %60 : f32 to vector<1xf32>
    %68 = vector.insert_strided_slice %67, %66 {offsets = [3], strides = [1]} : vector<1xf32> into vector<4xf32>
    gpu.barrier
    %69 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<4x16xf32>
    xegpu.store_nd %68, %69[%c0, %c0] : vector<4xf32>, !xegpu.tensor_desc<4x16xf32>
    gpu.return
  }
}

// after forward_shared
gpu.module @rolled {
  gpu.func @rolled(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c3_index = arith.constant dense<3> : vector<1xindex>
    %c16_index = arith.constant dense<16> : vector<1xindex>
    %cst = arith.constant dense<true> : vector<4xi1>
    %c4 = arith.constant 4 : index
    %c0_i32 = arith.constant 0 : i32
    %c16_i32 = arith.constant 16 : i32
    %c1_i32 = arith.constant 1 : i32
    %c2_i32 = arith.constant 2 : i32
    %c3_i32 = arith.constant 3 : i32
    %cst_0 = arith.constant true
    %c0_f32 = arith.constant dense<0.0> : vector<4xf32>
    %0 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<4x16xf32>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<4x16xf32> -> vector<4xf32>
    %2 = gpu.lane_id
    %3 = arith.remui %2, %c4 : index
    %4 = vector.broadcast %3 : index to vector<1xindex>
    %5 = arith.addi %4, %c3_index : vector<1xindex>
    %6 = arith.andi %5, %c3_index : vector<1xindex>
    %7 = arith.muli %6, %c16_index : vector<1xindex>
    %8 = vector.extract %7[0] : index from vector<1xindex>
    %9 = arith.index_cast %8 : index to i32
    %10, %11 = gpu.shuffle idx %9, %c0_i32, %c16_i32 : i32
    %12 = arith.index_cast %10 : i32 to index
    %13, %14 = gpu.shuffle idx %9, %c1_i32, %c16_i32 : i32
    %15 = arith.index_cast %13 : i32 to index
    %16, %17 = gpu.shuffle idx %9, %c2_i32, %c16_i32 : i32
    %18 = arith.index_cast %16 : i32 to index
    %19, %20 = gpu.shuffle idx %9, %c3_i32, %c16_i32 : i32
    %21 = arith.index_cast %19 : i32 to index
    %22 = vector.broadcast %12 : index to vector<4xindex>
    %23 = vector.insert %15, %22[1] : index into vector<4xindex>
    %24 = vector.insert %18, %23[2] : index into vector<4xindex>
    %25 = vector.insert %21, %24[3] : index into vector<4xindex>
    %26 = vector.broadcast %2 : index to vector<4xindex>
    %27 = arith.addi %25, %26 : vector<4xindex>
    %28 = vector.extract_strided_slice %1 {offsets = [0], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
    %29 = vector.extract %28[0] : f32 from vector<1xf32>
    %30 = arith.addi %2, %c16 : index
    %31 = vector.extract_strided_slice %1 {offsets = [1], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
    %32 = vector.extract %31[0] : f32 from vector<1xf32>
    %33 = arith.addi %2, %c32 : index
    %34 = vector.extract_strided_slice %1 {offsets = [2], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
    %35 = vector.extract %34[0] : f32 from vector<1xf32>
    %36 = arith.addi %2, %c48 : index
    %37 = vector.extract_strided_slice %1 {offsets = [3], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
    %38 = vector.extract %37[0] : f32 from vector<1xf32>
    %39 = vector.extract_strided_slice %27 {offsets = [0], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
    %40 = vector.extract %39[0] : index from vector<1xindex>
    %41 = vector.extract_strided_slice %cst {offsets = [0], sizes = [1], strides = [1]} : vector<4xi1> to vector<1xi1>
    %42 = vector.extract %41[0] : i1 from vector<1xi1>
    %43 = vector.extract_strided_slice %27 {offsets = [1], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
    %44 = vector.extract %43[0] : index from vector<1xindex>
    %45 = vector.extract_strided_slice %cst {offsets = [1], sizes = [1], strides = [1]} : vector<4xi1> to vector<1xi1>
    %46 = vector.extract %45[0] : i1 from vector<1xi1>
    %47 = vector.extract_strided_slice %27 {offsets = [2], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
    %48 = vector.extract %47[0] : index from vector<1xindex>
    %49 = vector.extract_strided_slice %cst {offsets = [2], sizes = [1], strides = [1]} : vector<4xi1> to vector<1xi1>
    %50 = vector.extract %49[0] : i1 from vector<1xi1>
    %51 = vector.extract_strided_slice %27 {offsets = [3], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
    %52 = vector.extract %51[0] : index from vector<1xindex>
    %53 = vector.extract_strided_slice %cst {offsets = [3], sizes = [1], strides = [1]} : vector<4xi1> to vector<1xi1>
    %54 = vector.extract %53[0] : i1 from vector<1xi1>
    %55 = vector.broadcast %38 : f32 to vector<1xf32>
    %56 = vector.insert_strided_slice %55, %c0_f32 {offsets = [0], strides = [1]} : vector<1xf32> into vector<4xf32>
    %57 = vector.broadcast %29 : f32 to vector<1xf32>
    %58 = vector.insert_strided_slice %57, %56 {offsets = [1], strides = [1]} : vector<1xf32> into vector<4xf32>
    %59 = vector.broadcast %32 : f32 to vector<1xf32>
    %60 = vector.insert_strided_slice %59, %58 {offsets = [2], strides = [1]} : vector<1xf32> into vector<4xf32>
    %61 = vector.broadcast %35 : f32 to vector<1xf32>
    %62 = vector.insert_strided_slice %61, %60 {offsets = [3], strides = [1]} : vector<1xf32> into vector<4xf32>
    %63 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<4x16xf32>
    xegpu.store_nd %62, %63[%c0, %c0] : vector<4xf32>, !xegpu.tensor_desc<4x16xf32>
    gpu.return
  }
}
