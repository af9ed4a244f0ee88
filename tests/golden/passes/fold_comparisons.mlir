// before fold_comparisons
gpu.module @rolled {
  gpu.func @rolled(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 2 : i64} {
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c32 = arith.constant 32 : index
    %c3_index = arith.constant dense<3> : vector<1xindex>
    %c16_index = arith.constant dense<16> : vector<1xindex>
    %cst = arith.constant dense<true> : vector<2xi1>
    %0 = gpu.subgroup_id : index
    %1 = arith.muli %0, %c2 : index
    %2 = memref.alloca() : memref<4x16xf32, 3>
    %3 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<2x16xf32>
    %4 = xegpu.load_nd %3[%1, %c0] : !xegpu.tensor_desc<2x16xf32> -> vector<2xf32>
    %cst_0 = arith.constant dense<[0]> : vector<1xindex>
    %5 = gpu.lane_id
    %6 = vector.broadcast %5 : index to vector<1xindex>
    %cst_1 = arith.constant dense<[0]> : vector<1xindex>
    %7 = gpu.lane_id
    %c2_0 = arith.constant 2 : index
    %8 = arith.remui %7, %c2_0 : index
    %9 = vector.broadcast %8 : index to vector<1xindex>
    %10 = vector.broadcast %1 : index to vector<1xindex>
    %11 = arith.addi %9, %10 : vector<1xindex>
    %12 = arith.addi %11, %c3_index : vector<1xindex>
    %13 = arith.andi %12, %c3_index : vector<1xindex>
    %14 = arith.muli %13, %c16_index : vector<1xindex>
    %15 = vector.extract %14[0] : index from vector<1xindex>
    %c0_0 = arith.constant 0 : index
    %16 = arith.index_cast %c0_0 : index to i32
    %c16_i32 = arith.constant 16 : i32
    %17 = arith.index_cast %15 : index to i32
    %18, %19 = gpu.shuffle idx %17, %16, %c16_i32 : i32
    %20 = arith.index_cast %18 : i32 to index
    %21 = vector.extract %14[0] : index from vector<1xindex>
    %c1_0 = arith.constant 1 : index
    %22 = arith.index_cast %c1_0 : index to i32
    %c16_i32_0 = arith.constant 16 : i32
    %23 = arith.index_cast %21 : index to i32
    %24, %25 = gpu.shuffle idx %23, %22, %c16_i32_0 : i32
    %26 = arith.index_cast %24 : i32 to index
    %27 = vector.broadcast %20 : index to vector<2xindex>
    %28 = vector.insert %26, %27[1] : index into vector<2xindex>
    %29 = vector.extract %6[0] : index from vector<1xindex>
    %30 = vector.broadcast %29 : index to vector<2xindex>
    %31 = arith.addi %28, %30 : vector<2xindex>
    %32 = memref.reinterpret_cast %2 to offset: [0], sizes: [%c64], strides: [1] : memref<4x16xf32, 3> to memref<?xf32, strided<[1]>, 3>
    %33 = gpu.lane_id
    %34 = arith.cmpi ult, %1, %c4 : index
    %35 = arith.select %34, %c16, %c0 : index
    %36 = arith.cmpi ult, %33, %35 : index
    %37 = arith.muli %0, %c32 : index
    %38 = arith.addi %37, %33 : index
    %39 = vector.extract_strided_slice %4 {offsets = [0], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
    %40 = vector.extract %39[0] : f32 from vector<1xf32>
    xegpu.store %40, %32[%38], %36 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %41 = arith.addi %1, %c1 : index
    %42 = arith.cmpi ult, %41, %c4 : index
    %43 = arith.select %42, %c16, %c0 : index
    %44 = arith.cmpi ult, %33, %43 : index
    %45 = arith.muli %41, %c16 : index
    %46 = arith.addi %45, %33 : index
    %47 = vector.extract_strided_slice %4 {offsets = [1], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
    %48 = vector.extract %47[0] : f32 from vector<1xf32>
    xegpu.store %48, %32[%46], %44 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    gpu.barrier
    %49 = vector.extract_strided_slice %31 {offsets = [0], sizes = [1], strides = [1]} : vector<2xindex> to vector<1xindex>
    %50 = vector.extract %49[0] : index from vector<1xindex>
    %51 = vector.extract_strided_slice %cst {offsets = [0], sizes = [1], strides = [1]} : vector<2xi1> to vector<1xi1>
    %52 = vector.extract %51[0] : i1 from vector<1xi1>
    %53 = xegpu.load %32[%50], %52 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %54 = vector.extract_strided_slice %31 {offsets = [1], sizes = [1], strides = [1]} : vector<2xindex> to vector<1xindex>
    %55 = vector.extract %54[0] : index from vector<1xindex>
    %56 = vector.extract_strided_slice %cst {offsets = [1], sizes = [1], strides = [1]} : vector<2xi1> to vector<1xi1>
    %57 = vector.extract %56[0] : i1 from vector<1xi1>
    %58 = xegpu.load %32[%55], %57 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %c0_f32 = arith.constant dense<0.0> : vector<2xf32>
    %59 = vector.broadcast %53 : f32 to vector<1xf32>
    %60 = vector.insert_strided_slice %59, %c0_f32 {offsets = [0], strides = [1]} : vector<1xf32> into vector<2xf32>
    %61 = vector.broadcast %58 : f32 to vector<1xf32>
    %62 = vector.insert_strided_slice %61, %60 {offsets = [1], strides = [1]} : vector<1xf32> into vector<2xf32>
    gpu.barrier
    %63 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<2x16xf32>
    xegpu.store_nd %62, %63[%1, %c0] : vector<2xf32>, !xegpu.tensor_desc<2x16xf32>
    gpu.return
  }
}

// after fold_comparisons
gpu.module @rolled {
  gpu.func @rolled(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 2 : i64} {
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c32 = arith.constant 32 : index
    %c3_index = arith.constant dense<3> : vector<1xindex>
    %c16_index = arith.constant dense<16> : vector<1xindex>
    %cst = arith.constant dense<true> : vector<2xi1>
    %0 = gpu.subgroup_id : index
    %1 = arith.muli %0, %c2 : index
    %2 = memref.alloca() : memref<4x16xf32, 3>
    %3 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<2x16xf32>
    %4 = xegpu.load_nd %3[%1, %c0] : !xegpu.tensor_desc<2x16xf32> -> vector<2xf32>
    %cst_0 = arith.constant dense<0> : vector<1xindex>
    %5 = gpu.lane_id
    %6 = vector.broadcast %5 : index to vector<1xindex>
    %cst_1 = arith.constant dense<0> : vector<1xindex>
    %7 = gpu.lane_id
    %c2_0 = arith.constant 2 : index
    %8 = arith.remui %7, %c2_0 : index
    %9 = vector.broadcast %8 : index to vector<1xindex>
    %10 = vector.broadcast %1 : index to vector<1xindex>
    %11 = arith.addi %9, %10 : vector<1xindex>
    %12 = arith.addi %11, %c3_index : vector<1xindex>
    %13 = arith.andi %12, %c3_index : vector<1xindex>
    %14 = arith.muli %13, %c16_index : vector<1xindex>
    %15 = vector.extract %14[0] : index from vector<1xindex>
    %c0_0 = arith.constant 0 : index
    %16 = arith.index_cast %c0_0 : index to i32
    %c16_i32 = arith.constant 16 : i32
    %17 = arith.index_cast %15 : index to i32
    %18, %19 = gpu.shuffle idx %17, %16, %c16_i32 : i32
    %20 = arith.index_cast %18 : i32 to index
    %21 = vector.extract %14[0] : index from vector<1xindex>
    %c1_0 = arith.constant 1 : index
    %22 = arith.index_cast %c1_0 : index to i32
    %c16_i32_0 = arith.constant 16 : i32
    %23 = arith.index_cast %21 : index to i32
    %24, %25 = gpu.shuffle idx %23, %22, %c16_i32_0 : i32
    %26 = arith.index_cast %24 : i32 to index
    %27 = vector.broadcast %20 : index to vector<2xindex>
    %28 = vector.insert %26, %27[1] : index into vector<2xindex>
    %29 = vector.extract %6[0] : index from vector<1xindex>
    %30 = vector.broadcast %29 : index to vector<2xindex>
    %31 = arith.addi %28, %30 : vector<2xindex>
    %32 = memref.reinterpret_cast %2 to offset: [0], sizes: [%c64], strides: [1] : memref<4x16xf32, 3> to memref<?xf32, strided<[1]>, 3>
    %33 = gpu.lane_id
    %cst_2 = arith.constant true
    %34 = arith.select %cst_2, %c16, %c0 : index
    %cst_3 = arith.constant true
    %35 = arith.muli %0, %c32 : index
    %36 = arith.addi %35, %33 : index
    %37 = vector.extract_strided_slice %4 {offsets = [0], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
    %38 = vector.extract %37[0] : f32 from vector<1xf32>
    xegpu.store %38, %32[%36], %cst_3 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %39 = arith.addi %1, %c1 : index
    %cst_4 = arith.constant true
    %40 = arith.select %cst_4, %c16, %c0 : index
    %cst_5 = arith.constant true
    %41 = arith.muli %39, %c16 : index
    %42 = arith.addi %41, %33 : index
    %43 = vector.extract_strided_slice %4 {offsets = [1], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
    %44 = vector.extract %43[0] : f32 from vector<1xf32>
    xegpu.store %44, %32[%42], %cst_5 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    gpu.barrier
    %45 = vector.extract_strided_slice %31 {offsets = [0], sizes = [1], strides = [1]} : vector<2xindex> to vector<1xindex>
    %46 = vector.extract %45[0] : index from vector<1xindex>
    %47 = vector.extract_strided_slice %cst {offsets = [0], sizes = [1], strides = [1]} : vector<2xi1> to vector<1xi1>
    %48 = vector.extract %47[0] : i1 from vector<1xi1>
    %49 = xegpu.load %32[%46], %48 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %50 = vector.extract_strided_slice %31 {offsets = [1], sizes = [1], strides = [1]} : vector<2xindex> to vector<1xindex>
    %51 = vector.extract %50[0] : index from vector<1xindex>
    %52 = vector.extract_strided_slice %cst {offsets = [1], sizes = [1], strides = [1]} : vector<2xi1> to vector<1xi1>
    %53 = vector.extract %52[0] : i1 from vector<1xi1>
    %54 = xegpu.load %32[%51], %53 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %c0_f32 = arith.constant dense<0.0> : vector<2xf32>
    %55 = vector.broadcast %49 : f32 to vector<1xf32>
    %56 = vector.insert_strided_slice %55, %c0_f32 {offsets = [0], strides = [1]} : vector<1xf32> into vector<2xf32>
    %57 = vector.broadcast %54 : f32 to vector<1xf32>
    %58 = vector.insert_strided_slice %57, %56 {offsets = [1], strides = [1]} : vector<1xf32> into vector<2xf32>
    gpu.barrier
    %59 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<2x16xf32>
    xegpu.store_nd %58, %59[%1, %c0] : vector<2xf32>, !xegpu.tensor_desc<2x16xf32>
    gpu.return
  }
}
