// before join_rows
gpu.module @borrowed {
  gpu.func @borrowed(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 2 : i64} {
    %c16 = arith.constant 16 : index
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c512 = arith.constant 512 : index
    %c256 = arith.constant 256 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c9 = arith.constant 9 : index
    %c10 = arith.constant 10 : index
    %c11 = arith.constant 11 : index
    %c12 = arith.constant 12 : index
    %c13 = arith.constant 13 : index
    %c14 = arith.constant 14 : index
    %c15 = arith.constant 15 : index
    %c17 = arith.constant 17 : index
    %c18 = arith.constant 18 : index
    %c19 = arith.constant 19 : index
    %c20 = arith.constant 20 : index
    %c21 = arith.constant 21 : index
    %c22 = arith.constant 22 : index
    %c23 = arith.constant 23 : index
    %cst = arith.constant dense<2.0> : vector<8xf32>
    %cst_0 = arith.constant true
    %c0_f32 = arith.constant dense<0.0> : vector<8xf32>
    %0 = gpu.subgroup_id : index
    %1 = arith.muli %0, %c16 : index
    %2 = arith.muli %0, %c8 : index
    %shared = memref.alloca() : memref<32x16xf32, 3>
    %3 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf32>
    %4 = xegpu.load_nd %3[%1, %c0] : !xegpu.tensor_desc<16x16xf32> -> vector<16xf32>
    %5 = vector.extract_strided_slice %4 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %6 = vector.extract_strided_slice %4 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %7 = arith.mulf %5, %cst : vector<8xf32>
    %8 = arith.mulf %6, %cst : vector<8xf32>
    %9 = memref.reinterpret_cast %shared to offset: [0], sizes: [%c512], strides: [1] : memref<32x16xf32, 3> to memref<?xf32, strided<[1]>, 3>
    %10 = arith.addi %1, %c8 : index
    %11 = gpu.lane_id
    %12 = arith.muli %0, %c256 : index
    %13 = arith.addi %12, %11 : index
    %14 = vector.extract_strided_slice %7 {offsets = [0], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %15 = vector.extract %14[0] : f32 from vector<1xf32>
    xegpu.store %15, %9[%13], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %16 = arith.addi %1, %c1 : index
    %17 = arith.muli %16, %c16 : index
    %18 = arith.addi %17, %11 : index
    %19 = vector.extract_strided_slice %7 {offsets = [1], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %20 = vector.extract %19[0] : f32 from vector<1xf32>
    xegpu.store %20, %9[%18], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %21 = arith.addi %1, %c2 : index
    %22 = arith.muli %21, %c16 : index
    %23 = arith.addi %22, %11 : index
    %24 = vector.extract_strided_slice %7 {offsets = [2], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %25 = vector.extract %24[0] : f32 from vector<1xf32>
    xegpu.store %25, %9[%23], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %26 = arith.addi %1, %c3 : index
    %27 = arith.muli %26, %c16 : index
    %28 = arith.addi %27, %11 : index
    %29 = vector.extract_strided_slice %7 {offsets = [3], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %30 = vector.extract %29[0] : f32 from vector<1xf32>
    xegpu.store %30, %9[%28], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %31 = arith.addi %1, %c4 : index
    %32 = arith.muli %31, %c16 : index
    %33 = arith.addi %32, %11 : index
    %34 = vector.extract_strided_slice %7 {offsets = [4], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %35 = vector.extract %34[0] : f32 from vector<1xf32>
    xegpu.store %35, %9[%33], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %36 = arith.addi %1, %c5 : index
    %37 = arith.muli %36, %c16 : index
    %38 = arith.addi %37, %11 : index
    %39 = vector.extract_strided_slice %7 {offsets = [5], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %40 = vector.extract %39[0] : f32 from vector<1xf32>
    xegpu.store %40, %9[%38], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %41 = arith.addi %1, %c6 : index
    %42 = arith.muli %41, %c16 : index
    %43 = arith.addi %42, %11 : index
    %44 = vector.extract_strided_slice %7 {offsets = [6], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %45 = vector.extract %44[0] : f32 from vector<1xf32>
    xegpu.store %45, %9[%43], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %46 = arith.addi %1, %c7 : index
    %47 = arith.muli %46, %c16 : index
    %48 = arith.addi %47, %11 : index
    %49 = vector.extract_strided_slice %7 {offsets = [7], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %50 = vector.extract %49[0] : f32 from vector<1xf32>
    xegpu.store %50, %9[%48], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %51 = arith.muli %10, %c16 : index
    %52 = arith.addi %51, %11 : index
    %53 = vector.extract_strided_slice %8 {offsets = [0], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %54 = vector.extract %53[0] : f32 from vector<1xf32>
    xegpu.store %54, %9[%52], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %55 = arith.addi %1, %c9 : index
    %56 = arith.muli %55, %c16 : index
    %57 = arith.addi %56, %11 : index
    %58 = vector.extract_strided_slice %8 {offsets = [1], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %59 = vector.extract %58[0] : f32 from vector<1xf32>
    xegpu.store %59, %9[%57], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %60 = arith.addi %1, %c10 : index
    %61 = arith.muli %60, %c16 : index
    %62 = arith.addi %61, %11 : index
    %63 = vector.extract_strided_slice %8 {offsets = [2], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %64 = vector.extract %63[0] : f32 from vector<1xf32>
    xegpu.store %64, %9[%62], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %65 = arith.addi %1, %c11 : index
    %66 = arith.muli %65, %c16 : index
    %67 = arith.addi %66, %11 : index
    %68 = vector.extract_strided_slice %8 {offsets = [3], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %69 = vector.extract %68[0] : f32 from vector<1xf32>
    xegpu.store %69, %9[%67], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %70 = arith.addi %1, %c12 : index
    %71 = arith.muli %70, %c16 : index
    %72 = arith.addi %71, %11 : index
    %73 = vector.extract_strided_slice %8 {offsets = [4], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %74 = vector.extract %73[0] : f32 from vector<1xf32>
    xegpu.store %74, %9[%72], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %75 = arith.addi %1, %c13 : index
    %76 = arith.muli %75, %c16 : index
    %77 = arith.addi %76, %11 : index
    %78 = vector.extract_strided_slice %8 {offsets = [5], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %79 = vector.extract %78[0] : f32 from vector<1xf32>
    xegpu.store %79, %9[%77], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %80 = arith.addi %1, %c14 : index
    %81 = arith.muli %80, %c16 : index
    %82 = arith.addi %81, %11 : index
    %83 = vector.extract_strided_slice %8 {offsets = [6], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %84 = vector.extract %83[0] : f32 from vector<1xf32>
    xegpu.store %84, %9[%82], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %85 = arith.addi %1, %c15 : index
    %86 = arith.muli %85, %c16 : index
    %87 = arith.addi %86, %11 : index
    %88 = vector.extract_strided_slice %8 {offsets = [7], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %89 = vector.extract %88[0] : f32 from vector<1xf32>
    xegpu.store %89, %9[%87], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    gpu.barrier
    %90 = arith.addi %2, %c16 : index
    %91 = arith.muli %90, %c16 : index
    %92 = arith.addi %91, %11 : index
    %93 = xegpu.load %9[%92], %cst_0 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %94 = arith.addi %2, %c17 : index
    %95 = arith.muli %94, %c16 : index
    %96 = arith.addi %95, %11 : index
    %97 = xegpu.load %9[%96], %cst_0 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %98 = arith.addi %2, %c18 : index
    %99 = arith.muli %98, %c16 : index
    %100 = arith.addi %99, %11 : index
    %101 = xegpu.load %9[%100], %cst_0 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %102 = arith.addi %2, %c19 : index
    %103 = arith.muli %102, %c16 : index
    %104 = arith.addi %103, %11 : index
    %105 = xegpu.load %9[%104], %cst_0 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %106 = arith.addi %2, %c20 : index
    %107 = arith.muli %106, %c16 : index
    %108 = arith.addi %107, %11 : index
    %109 = xegpu.load %9[%108], %cst_0 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %110 = arith.addi %2, %c21 : index
    %111 = arith.muli %110, %c16 : index
    %112 = arith.addi %111, %11 : index
    %113 = xegpu.load %9[%112], %cst_0 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %114 = arith.addi %2, %c22 : index
    %115 = arith.muli %114, %c16 : index
    %116 = arith.addi %115, %11 : index
    %117 = xegpu.load %9[%116], %cst_0 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %118 = arith.addi %2, %c23 : index
    %119 = arith.muli %118, %c16 : index
    %120 = arith.addi %119, %11 : index
    %121 = xegpu.load %9[%120], %cst_0 : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %122 = vector.broadcast %93 : f32 to vector<1xf32>
    %123 = vector.insert_strided_slice %122, %c0_f32 {offsets = [0], strides = [1]} : vector<1xf32> into vector<8xf32>
    %124 = vector.broadcast %97 : f32 to vector<1xf32>
    %125 = vector.insert_strided_slice %124, %123 {offsets = [1], strides = [1]} : vector<1xf32> into vector<8xf32>
    %126 = vector.broadcast %101 : f32 to vector<1xf32>
    %127 = vector.insert_strided_slice %126, %125 {offsets = [2], strides = [1]} : vector<1xf32> into vector<8xf32>
    %128 = vector.broadcast %105 : f32 to vector<1xf32>
    %129 = vector.insert_strided_slice %128, %127 {offsets = [3], strides = [1]} : vector<1xf32> into vector<8xf32>
    %130 = vector.broadcast %109 : f32 to vector<1xf32>
    %131 = vector.insert_strided_slice %130, %129 {offsets = [4], strides = [1]} : vector<1xf32> into vector<8xf32>
    %132 = vector.broadcast %113 : f32 to vector<1xf32>
    %133 = vector.insert_strided_slice %132, %131 {offsets = [5], strides = [1]} : vector<1xf32> into vector<8xf32>
    %134 = vector.broadcast %117 : f32 to vector<1xf32>
    %135 = vector.insert_strided_slice %134, %133 {offsets = [6], strides = [1]} : vector<1xf32> into vector<8xf32>
    %136 = vector.broadcast %121 : f32 to vector<1xf32>
    %137 = vector.insert_strided_slice %136, %135 {offsets = [7], strides = [1]} : vector<1xf32> into vector<8xf32>
    %138 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %137, %138[%2, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// after join_rows
gpu.module @borrowed {
  gpu.func @borrowed(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 2 : i64} {
    %c16 = arith.constant 16 : index
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c512 = arith.constant 512 : index
    %c256 = arith.constant 256 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c9 = arith.constant 9 : index
    %c10 = arith.constant 10 : index
    %c11 = arith.constant 11 : index
    %c12 = arith.constant 12 : index
    %c13 = arith.constant 13 : index
    %c14 = arith.constant 14 : index
    %c15 = arith.constant 15 : index
    %c17 = arith.constant 17 : index
    %c18 = arith.constant 18 : index
    %c19 = arith.constant 19 : index
    %c20 = arith.constant 20 : index
    %c21 = arith.constant 21 : index
    %c22 = arith.constant 22 : index
    %c23 = arith.constant 23 : index
    %cst = arith.constant dense<2.0> : vector<8xf32>
    %cst_0 = arith.constant true
    %c0_f32 = arith.constant dense<0.0> : vector<8xf32>
    %0 = gpu.subgroup_id : index
    %1 = arith.muli %0, %c16 : index
    %2 = arith.muli %0, %c8 : index
    %shared = memref.alloca() : memref<32x16xf32, 3>
    %3 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf32>
    %4 = xegpu.load_nd %3[%1, %c0] : !xegpu.tensor_desc<16x16xf32> -> vector<16xf32>
    %5 = vector.extract_strided_slice %4 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %6 = vector.extract_strided_slice %4 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %7 = arith.mulf %5, %cst : vector<8xf32>
    %8 = arith.mulf %6, %cst : vector<8xf32>
    %9 = memref.reinterpret_cast %shared to offset: [0], sizes: [%c512], strides: [1] : memref<32x16xf32, 3> to memref<?xf32, strided<[1]>, 3>
    %10 = arith.addi %1, %c8 : index
    %11 = gpu.lane_id
    %12 = arith.muli %0, %c256 : index
    %13 = arith.addi %12, %11 : index
    %14 = vector.extract_strided_slice %7 {offsets = [0], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %15 = vector.extract %14[0] : f32 from vector<1xf32>
    xegpu.store %15, %9[%13], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %16 = arith.addi %1, %c1 : index
    %17 = arith.muli %16, %c16 : index
    %18 = arith.addi %17, %11 : index
    %19 = vector.extract_strided_slice %7 {offsets = [1], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %20 = vector.extract %19[0] : f32 from vector<1xf32>
    xegpu.store %20, %9[%18], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %21 = arith.addi %1, %c2 : index
    %22 = arith.muli %21, %c16 : index
    %23 = arith.addi %22, %11 : index
    %24 = vector.extract_strided_slice %7 {offsets = [2], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %25 = vector.extract %24[0] : f32 from vector<1xf32>
    xegpu.store %25, %9[%23], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %26 = arith.addi %1, %c3 : index
    %27 = arith.muli %26, %c16 : index
    %28 = arith.addi %27, %11 : index
    %29 = vector.extract_strided_slice %7 {offsets = [3], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %30 = vector.extract %29[0] : f32 from vector<1xf32>
    xegpu.store %30, %9[%28], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %31 = arith.addi %1, %c4 : index
    %32 = arith.muli %31, %c16 : index
    %33 = arith.addi %32, %11 : index
    %34 = vector.extract_strided_slice %7 {offsets = [4], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %35 = vector.extract %34[0] : f32 from vector<1xf32>
    xegpu.store %35, %9[%33], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %36 = arith.addi %1, %c5 : index
    %37 = arith.muli %36, %c16 : index
    %38 = arith.addi %37, %11 : index
    %39 = vector.extract_strided_slice %7 {offsets = [5], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %40 = vector.extract %39[0] : f32 from vector<1xf32>
    xegpu.store %40, %9[%38], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %41 = arith.addi %1, %c6 : index
    %42 = arith.muli %41, %c16 : index
    %43 = arith.addi %42, %11 : index
    %44 = vector.extract_strided_slice %7 {offsets = [6], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %45 = vector.extract %44[0] : f32 from vector<1xf32>
    xegpu.store %45, %9[%43], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %46 = arith.addi %1, %c7 : index
    %47 = arith.muli %46, %c16 : index
    %48 = arith.addi %47, %11 : index
    %49 = vector.extract_strided_slice %7 {offsets = [7], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %50 = vector.extract %49[0] : f32 from vector<1xf32>
    xegpu.store %50, %9[%48], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %51 = arith.muli %10, %c16 : index
    %52 = arith.addi %51, %11 : index
    %53 = vector.extract_strided_slice %8 {offsets = [0], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %54 = vector.extract %53[0] : f32 from vector<1xf32>
    xegpu.store %54, %9[%52], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %55 = arith.addi %1, %c9 : index
    %56 = arith.muli %55, %c16 : index
    %57 = arith.addi %56, %11 : index
    %58 = vector.extract_strided_slice %8 {offsets = [1], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %59 = vector.extract %58[0] : f32 from vector<1xf32>
    xegpu.store %59, %9[%57], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %60 = arith.addi %1, %c10 : index
    %61 = arith.muli %60, %c16 : index
    %62 = arith.addi %61, %11 : index
    %63 = vector.extract_strided_slice %8 {offsets = [2], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %64 = vector.extract %63[0] : f32 from vector<1xf32>
    xegpu.store %64, %9[%62], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %65 = arith.addi %1, %c11 : index
    %66 = arith.muli %65, %c16 : index
    %67 = arith.addi %66, %11 : index
    %68 = vector.extract_strided_slice %8 {offsets = [3], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %69 = vector.extract %68[0] : f32 from vector<1xf32>
    xegpu.store %69, %9[%67], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %70 = arith.addi %1, %c12 : index
    %71 = arith.muli %70, %c16 : index
    %72 = arith.addi %71, %11 : index
    %73 = vector.extract_strided_slice %8 {offsets = [4], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %74 = vector.extract %73[0] : f32 from vector<1xf32>
    xegpu.store %74, %9[%72], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %75 = arith.addi %1, %c13 : index
    %76 = arith.muli %75, %c16 : index
    %77 = arith.addi %76, %11 : index
    %78 = vector.extract_strided_slice %8 {offsets = [5], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %79 = vector.extract %78[0] : f32 from vector<1xf32>
    xegpu.store %79, %9[%77], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %80 = arith.addi %1, %c14 : index
    %81 = arith.muli %80, %c16 : index
    %82 = arith.addi %81, %11 : index
    %83 = vector.extract_strided_slice %8 {offsets = [6], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %84 = vector.extract %83[0] : f32 from vector<1xf32>
    xegpu.store %84, %9[%82], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %85 = arith.addi %1, %c15 : index
    %86 = arith.muli %85, %c16 : index
    %87 = arith.addi %86, %11 : index
    %88 = vector.extract_strided_slice %8 {offsets = [7], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %89 = vector.extract %88[0] : f32 from vector<1xf32>
    xegpu.store %89, %9[%87], %cst_0 : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    gpu.barrier
    %90 = arith.addi %2, %c16 : index
    %91 = arith.muli %90, %c16 : index
    %92 = arith.addi %91, %11 : index
    %c0_0 = arith.constant 0 : index
    %93 = gpu.subgroup_id : index
    %c1_0 = arith.constant 1 : index
    %94 = arith.divui %93, %c1_0 : index
    %c128 = arith.constant 128 : index
    %95 = arith.muli %94, %c128 : index
    %96 = arith.addi %c0_0, %95 : index
    %c256_0 = arith.constant 256 : index
    %97 = arith.addi %96, %c256_0 : index
    %98 = xegpu.create_mem_desc %shared : memref<32x16xf32, 3> -> !xegpu.mem_desc<1x512xf32>
    %c0_1 = arith.constant 0 : index
    %99 = xegpu.load_matrix %98[%c0_1, %97] <{subgroup_block_io}> : !xegpu.mem_desc<1x512xf32>, index, index -> vector<8xf32>
    %100 = vector.extract %99[0] : f32 from vector<8xf32>
    %101 = vector.extract %99[1] : f32 from vector<8xf32>
    %102 = vector.extract %99[2] : f32 from vector<8xf32>
    %103 = vector.extract %99[3] : f32 from vector<8xf32>
    %104 = vector.extract %99[4] : f32 from vector<8xf32>
    %105 = vector.extract %99[5] : f32 from vector<8xf32>
    %106 = vector.extract %99[6] : f32 from vector<8xf32>
    %107 = vector.extract %99[7] : f32 from vector<8xf32>
    %108 = arith.addi %2, %c17 : index
    %109 = arith.muli %108, %c16 : index
    %110 = arith.addi %109, %11 : index
    %111 = arith.addi %2, %c18 : index
    %112 = arith.muli %111, %c16 : index
    %113 = arith.addi %112, %11 : index
    %114 = arith.addi %2, %c19 : index
    %115 = arith.muli %114, %c16 : index
    %116 = arith.addi %115, %11 : index
    %117 = arith.addi %2, %c20 : index
    %118 = arith.muli %117, %c16 : index
    %119 = arith.addi %118, %11 : index
    %120 = arith.addi %2, %c21 : index
    %121 = arith.muli %120, %c16 : index
    %122 = arith.addi %121, %11 : index
    %123 = arith.addi %2, %c22 : index
    %124 = arith.muli %123, %c16 : index
    %125 = arith.addi %124, %11 : index
    %126 = arith.addi %2, %c23 : index
    %127 = arith.muli %126, %c16 : index
    %128 = arith.addi %127, %11 : index
    %129 = vector.broadcast %100 : f32 to vector<1xf32>
    %130 = vector.insert_strided_slice %129, %c0_f32 {offsets = [0], strides = [1]} : vector<1xf32> into vector<8xf32>
    %131 = vector.broadcast %101 : f32 to vector<1xf32>
    %132 = vector.insert_strided_slice %131, %130 {offsets = [1], strides = [1]} : vector<1xf32> into vector<8xf32>
    %133 = vector.broadcast %102 : f32 to vector<1xf32>
    %134 = vector.insert_strided_slice %133, %132 {offsets = [2], strides = [1]} : vector<1xf32> into vector<8xf32>
    %135 = vector.broadcast %103 : f32 to vector<1xf32>
    %136 = vector.insert_strided_slice %135, %134 {offsets = [3], strides = [1]} : vector<1xf32> into vector<8xf32>
    %137 = vector.broadcast %104 : f32 to vector<1xf32>
    %138 = vector.insert_strided_slice %137, %136 {offsets = [4], strides = [1]} : vector<1xf32> into vector<8xf32>
    %139 = vector.broadcast %105 : f32 to vector<1xf32>
    %140 = vector.insert_strided_slice %139, %138 {offsets = [5], strides = [1]} : vector<1xf32> into vector<8xf32>
    %141 = vector.broadcast %106 : f32 to vector<1xf32>
    %142 = vector.insert_strided_slice %141, %140 {offsets = [6], strides = [1]} : vector<1xf32> into vector<8xf32>
    %143 = vector.broadcast %107 : f32 to vector<1xf32>
    %144 = vector.insert_strided_slice %143, %142 {offsets = [7], strides = [1]} : vector<1xf32> into vector<8xf32>
    %145 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %144, %145[%2, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
