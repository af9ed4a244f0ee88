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
    %cst = arith.constant true
    %c0_f32 = arith.constant dense<0.0> : vector<8xf32>
    %0 = gpu.subgroup_id : index
    %1 = arith.muli %0, %c16 : index
    %2 = arith.muli %0, %c8 : index
    %shared = memref.alloca() : memref<32x16xf32, 3>
    %3 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf32>
    %4 = xegpu.load_nd %3[%1, %c0] : !xegpu.tensor_desc<16x16xf32> -> vector<16xf32>
    %5 = vector.extract_strided_slice %4 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %6 = vector.extract_strided_slice %4 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %7 = memref.reinterpret_cast %shared to offset: [0], sizes: [%c512], strides: [1] : memref<32x16xf32, 3> to memref<?xf32, strided<[1]>, 3>
    %8 = arith.addi %1, %c8 : index
    %9 = gpu.lane_id
    %10 = arith.muli %0, %c256 : index
    %11 = arith.addi %10, %9 : index
    %12 = vector.extract_strided_slice %5 {offsets = [0], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %13 = vector.extract %12[0] : f32 from vector<1xf32>
    xegpu.store %13, %7[%11], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %14 = arith.addi %1, %c1 : index
    %15 = arith.muli %14, %c16 : index
    %16 = arith.addi %15, %9 : index
    %17 = vector.extract_strided_slice %5 {offsets = [1], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %18 = vector.extract %17[0] : f32 from vector<1xf32>
    xegpu.store %18, %7[%16], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %19 = arith.addi %1, %c2 : index
    %20 = arith.muli %19, %c16 : index
    %21 = arith.addi %20, %9 : index
    %22 = vector.extract_strided_slice %5 {offsets = [2], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %23 = vector.extract %22[0] : f32 from vector<1xf32>
    xegpu.store %23, %7[%21], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %24 = arith.addi %1, %c3 : index
    %25 = arith.muli %24, %c16 : index
    %26 = arith.addi %25, %9 : index
    %27 = vector.extract_strided_slice %5 {offsets = [3], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %28 = vector.extract %27[0] : f32 from vector<1xf32>
    xegpu.store %28, %7[%26], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %29 = arith.addi %1, %c4 : index
    %30 = arith.muli %29, %c16 : index
    %31 = arith.addi %30, %9 : index
    %32 = vector.extract_strided_slice %5 {offsets = [4], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %33 = vector.extract %32[0] : f32 from vector<1xf32>
    xegpu.store %33, %7[%31], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %34 = arith.addi %1, %c5 : index
    %35 = arith.muli %34, %c16 : index
    %36 = arith.addi %35, %9 : index
    %37 = vector.extract_strided_slice %5 {offsets = [5], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %38 = vector.extract %37[0] : f32 from vector<1xf32>
    xegpu.store %38, %7[%36], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %39 = arith.addi %1, %c6 : index
    %40 = arith.muli %39, %c16 : index
    %41 = arith.addi %40, %9 : index
    %42 = vector.extract_strided_slice %5 {offsets = [6], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %43 = vector.extract %42[0] : f32 from vector<1xf32>
    xegpu.store %43, %7[%41], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %44 = arith.addi %1, %c7 : index
    %45 = arith.muli %44, %c16 : index
    %46 = arith.addi %45, %9 : index
    %47 = vector.extract_strided_slice %5 {offsets = [7], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %48 = vector.extract %47[0] : f32 from vector<1xf32>
    xegpu.store %48, %7[%46], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %49 = arith.muli %8, %c16 : index
    %50 = arith.addi %49, %9 : index
    %51 = vector.extract_strided_slice %6 {offsets = [0], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %52 = vector.extract %51[0] : f32 from vector<1xf32>
    xegpu.store %52, %7[%50], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %53 = arith.addi %1, %c9 : index
    %54 = arith.muli %53, %c16 : index
    %55 = arith.addi %54, %9 : index
    %56 = vector.extract_strided_slice %6 {offsets = [1], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %57 = vector.extract %56[0] : f32 from vector<1xf32>
    xegpu.store %57, %7[%55], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %58 = arith.addi %1, %c10 : index
    %59 = arith.muli %58, %c16 : index
    %60 = arith.addi %59, %9 : index
    %61 = vector.extract_strided_slice %6 {offsets = [2], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %62 = vector.extract %61[0] : f32 from vector<1xf32>
    xegpu.store %62, %7[%60], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %63 = arith.addi %1, %c11 : index
    %64 = arith.muli %63, %c16 : index
    %65 = arith.addi %64, %9 : index
    %66 = vector.extract_strided_slice %6 {offsets = [3], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %67 = vector.extract %66[0] : f32 from vector<1xf32>
    xegpu.store %67, %7[%65], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %68 = arith.addi %1, %c12 : index
    %69 = arith.muli %68, %c16 : index
    %70 = arith.addi %69, %9 : index
    %71 = vector.extract_strided_slice %6 {offsets = [4], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %72 = vector.extract %71[0] : f32 from vector<1xf32>
    xegpu.store %72, %7[%70], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %73 = arith.addi %1, %c13 : index
    %74 = arith.muli %73, %c16 : index
    %75 = arith.addi %74, %9 : index
    %76 = vector.extract_strided_slice %6 {offsets = [5], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %77 = vector.extract %76[0] : f32 from vector<1xf32>
    xegpu.store %77, %7[%75], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %78 = arith.addi %1, %c14 : index
    %79 = arith.muli %78, %c16 : index
    %80 = arith.addi %79, %9 : index
    %81 = vector.extract_strided_slice %6 {offsets = [6], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %82 = vector.extract %81[0] : f32 from vector<1xf32>
    xegpu.store %82, %7[%80], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %83 = arith.addi %1, %c15 : index
    %84 = arith.muli %83, %c16 : index
    %85 = arith.addi %84, %9 : index
    %86 = vector.extract_strided_slice %6 {offsets = [7], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %87 = vector.extract %86[0] : f32 from vector<1xf32>
    xegpu.store %87, %7[%85], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    gpu.barrier
    %88 = arith.addi %2, %c16 : index
    %89 = arith.muli %88, %c16 : index
    %90 = arith.addi %89, %9 : index
    %91 = xegpu.load %7[%90], %cst : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %92 = arith.addi %2, %c17 : index
    %93 = arith.muli %92, %c16 : index
    %94 = arith.addi %93, %9 : index
    %95 = xegpu.load %7[%94], %cst : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %96 = arith.addi %2, %c18 : index
    %97 = arith.muli %96, %c16 : index
    %98 = arith.addi %97, %9 : index
    %99 = xegpu.load %7[%98], %cst : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %100 = arith.addi %2, %c19 : index
    %101 = arith.muli %100, %c16 : index
    %102 = arith.addi %101, %9 : index
    %103 = xegpu.load %7[%102], %cst : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %104 = arith.addi %2, %c20 : index
    %105 = arith.muli %104, %c16 : index
    %106 = arith.addi %105, %9 : index
    %107 = xegpu.load %7[%106], %cst : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %108 = arith.addi %2, %c21 : index
    %109 = arith.muli %108, %c16 : index
    %110 = arith.addi %109, %9 : index
    %111 = xegpu.load %7[%110], %cst : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %112 = arith.addi %2, %c22 : index
    %113 = arith.muli %112, %c16 : index
    %114 = arith.addi %113, %9 : index
    %115 = xegpu.load %7[%114], %cst : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %116 = arith.addi %2, %c23 : index
    %117 = arith.muli %116, %c16 : index
    %118 = arith.addi %117, %9 : index
    %119 = xegpu.load %7[%118], %cst : memref<?xf32, strided<[1]>, 3>, index, i1 -> f32
    %120 = vector.broadcast %91 : f32 to vector<1xf32>
    %121 = vector.insert_strided_slice %120, %c0_f32 {offsets = [0], strides = [1]} : vector<1xf32> into vector<8xf32>
    %122 = vector.broadcast %95 : f32 to vector<1xf32>
    %123 = vector.insert_strided_slice %122, %121 {offsets = [1], strides = [1]} : vector<1xf32> into vector<8xf32>
    %124 = vector.broadcast %99 : f32 to vector<1xf32>
    %125 = vector.insert_strided_slice %124, %123 {offsets = [2], strides = [1]} : vector<1xf32> into vector<8xf32>
    %126 = vector.broadcast %103 : f32 to vector<1xf32>
    %127 = vector.insert_strided_slice %126, %125 {offsets = [3], strides = [1]} : vector<1xf32> into vector<8xf32>
    %128 = vector.broadcast %107 : f32 to vector<1xf32>
    %129 = vector.insert_strided_slice %128, %127 {offsets = [4], strides = [1]} : vector<1xf32> into vector<8xf32>
    %130 = vector.broadcast %111 : f32 to vector<1xf32>
    %131 = vector.insert_strided_slice %130, %129 {offsets = [5], strides = [1]} : vector<1xf32> into vector<8xf32>
    %132 = vector.broadcast %115 : f32 to vector<1xf32>
    %133 = vector.insert_strided_slice %132, %131 {offsets = [6], strides = [1]} : vector<1xf32> into vector<8xf32>
    %134 = vector.broadcast %119 : f32 to vector<1xf32>
    %135 = vector.insert_strided_slice %134, %133 {offsets = [7], strides = [1]} : vector<1xf32> into vector<8xf32>
    %136 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %135, %136[%2, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
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
    %cst = arith.constant true
    %c0_f32 = arith.constant dense<0.0> : vector<8xf32>
    %0 = gpu.subgroup_id : index
    %1 = arith.muli %0, %c16 : index
    %2 = arith.muli %0, %c8 : index
    %shared = memref.alloca() : memref<32x16xf32, 3>
    %3 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf32>
    %4 = xegpu.load_nd %3[%1, %c0] : !xegpu.tensor_desc<16x16xf32> -> vector<16xf32>
    %5 = vector.extract_strided_slice %4 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %6 = vector.extract_strided_slice %4 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %7 = memref.reinterpret_cast %shared to offset: [0], sizes: [%c512], strides: [1] : memref<32x16xf32, 3> to memref<?xf32, strided<[1]>, 3>
    %8 = arith.addi %1, %c8 : index
    %9 = gpu.lane_id
    %10 = arith.muli %0, %c256 : index
    %11 = arith.addi %10, %9 : index
    %12 = vector.extract_strided_slice %5 {offsets = [0], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %13 = vector.extract %12[0] : f32 from vector<1xf32>
    xegpu.store %13, %7[%11], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %14 = arith.addi %1, %c1 : index
    %15 = arith.muli %14, %c16 : index
    %16 = arith.addi %15, %9 : index
    %17 = vector.extract_strided_slice %5 {offsets = [1], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %18 = vector.extract %17[0] : f32 from vector<1xf32>
    xegpu.store %18, %7[%16], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %19 = arith.addi %1, %c2 : index
    %20 = arith.muli %19, %c16 : index
    %21 = arith.addi %20, %9 : index
    %22 = vector.extract_strided_slice %5 {offsets = [2], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %23 = vector.extract %22[0] : f32 from vector<1xf32>
    xegpu.store %23, %7[%21], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %24 = arith.addi %1, %c3 : index
    %25 = arith.muli %24, %c16 : index
    %26 = arith.addi %25, %9 : index
    %27 = vector.extract_strided_slice %5 {offsets = [3], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %28 = vector.extract %27[0] : f32 from vector<1xf32>
    xegpu.store %28, %7[%26], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %29 = arith.addi %1, %c4 : index
    %30 = arith.muli %29, %c16 : index
    %31 = arith.addi %30, %9 : index
    %32 = vector.extract_strided_slice %5 {offsets = [4], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %33 = vector.extract %32[0] : f32 from vector<1xf32>
    xegpu.store %33, %7[%31], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %34 = arith.addi %1, %c5 : index
    %35 = arith.muli %34, %c16 : index
    %36 = arith.addi %35, %9 : index
    %37 = vector.extract_strided_slice %5 {offsets = [5], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %38 = vector.extract %37[0] : f32 from vector<1xf32>
    xegpu.store %38, %7[%36], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %39 = arith.addi %1, %c6 : index
    %40 = arith.muli %39, %c16 : index
    %41 = arith.addi %40, %9 : index
    %42 = vector.extract_strided_slice %5 {offsets = [6], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %43 = vector.extract %42[0] : f32 from vector<1xf32>
    xegpu.store %43, %7[%41], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %44 = arith.addi %1, %c7 : index
    %45 = arith.muli %44, %c16 : index
    %46 = arith.addi %45, %9 : index
    %47 = vector.extract_strided_slice %5 {offsets = [7], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %48 = vector.extract %47[0] : f32 from vector<1xf32>
    xegpu.store %48, %7[%46], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %49 = arith.muli %8, %c16 : index
    %50 = arith.addi %49, %9 : index
    %51 = vector.extract_strided_slice %6 {offsets = [0], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %52 = vector.extract %51[0] : f32 from vector<1xf32>
    xegpu.store %52, %7[%50], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %53 = arith.addi %1, %c9 : index
    %54 = arith.muli %53, %c16 : index
    %55 = arith.addi %54, %9 : index
    %56 = vector.extract_strided_slice %6 {offsets = [1], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %57 = vector.extract %56[0] : f32 from vector<1xf32>
    xegpu.store %57, %7[%55], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %58 = arith.addi %1, %c10 : index
    %59 = arith.muli %58, %c16 : index
    %60 = arith.addi %59, %9 : index
    %61 = vector.extract_strided_slice %6 {offsets = [2], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %62 = vector.extract %61[0] : f32 from vector<1xf32>
    xegpu.store %62, %7[%60], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %63 = arith.addi %1, %c11 : index
    %64 = arith.muli %63, %c16 : index
    %65 = arith.addi %64, %9 : index
    %66 = vector.extract_strided_slice %6 {offsets = [3], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %67 = vector.extract %66[0] : f32 from vector<1xf32>
    xegpu.store %67, %7[%65], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %68 = arith.addi %1, %c12 : index
    %69 = arith.muli %68, %c16 : index
    %70 = arith.addi %69, %9 : index
    %71 = vector.extract_strided_slice %6 {offsets = [4], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %72 = vector.extract %71[0] : f32 from vector<1xf32>
    xegpu.store %72, %7[%70], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %73 = arith.addi %1, %c13 : index
    %74 = arith.muli %73, %c16 : index
    %75 = arith.addi %74, %9 : index
    %76 = vector.extract_strided_slice %6 {offsets = [5], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %77 = vector.extract %76[0] : f32 from vector<1xf32>
    xegpu.store %77, %7[%75], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %78 = arith.addi %1, %c14 : index
    %79 = arith.muli %78, %c16 : index
    %80 = arith.addi %79, %9 : index
    %81 = vector.extract_strided_slice %6 {offsets = [6], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %82 = vector.extract %81[0] : f32 from vector<1xf32>
    xegpu.store %82, %7[%80], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    %83 = arith.addi %1, %c15 : index
    %84 = arith.muli %83, %c16 : index
    %85 = arith.addi %84, %9 : index
    %86 = vector.extract_strided_slice %6 {offsets = [7], sizes = [1], strides = [1]} : vector<8xf32> to vector<1xf32>
    %87 = vector.extract %86[0] : f32 from vector<1xf32>
    xegpu.store %87, %7[%85], %cst : f32, memref<?xf32, strided<[1]>, 3>, index, i1
    gpu.barrier
    %88 = arith.addi %2, %c16 : index
    %89 = arith.muli %88, %c16 : index
    %90 = arith.addi %89, %9 : index
    %c0_0 = arith.constant 0 : index
    %91 = gpu.subgroup_id : index
    %c1_0 = arith.constant 1 : index
    %92 = arith.divui %91, %c1_0 : index
    %c128 = arith.constant 128 : index
    %93 = arith.muli %92, %c128 : index
    %94 = arith.addi %c0_0, %93 : index
    %c256_0 = arith.constant 256 : index
    %95 = arith.addi %94, %c256_0 : index
    %96 = xegpu.create_mem_desc %shared : memref<32x16xf32, 3> -> !xegpu.mem_desc<1x512xf32>
    %c0_1 = arith.constant 0 : index
    %97 = xegpu.load_matrix %96[%c0_1, %95] <{subgroup_block_io}> : !xegpu.mem_desc<1x512xf32>, index, index -> vector<8xf32>
    %98 = vector.extract %97[0] : f32 from vector<8xf32>
    %99 = vector.extract %97[1] : f32 from vector<8xf32>
    %100 = vector.extract %97[2] : f32 from vector<8xf32>
    %101 = vector.extract %97[3] : f32 from vector<8xf32>
    %102 = vector.extract %97[4] : f32 from vector<8xf32>
    %103 = vector.extract %97[5] : f32 from vector<8xf32>
    %104 = vector.extract %97[6] : f32 from vector<8xf32>
    %105 = vector.extract %97[7] : f32 from vector<8xf32>
    %106 = arith.addi %2, %c17 : index
    %107 = arith.muli %106, %c16 : index
    %108 = arith.addi %107, %9 : index
    %109 = arith.addi %2, %c18 : index
    %110 = arith.muli %109, %c16 : index
    %111 = arith.addi %110, %9 : index
    %112 = arith.addi %2, %c19 : index
    %113 = arith.muli %112, %c16 : index
    %114 = arith.addi %113, %9 : index
    %115 = arith.addi %2, %c20 : index
    %116 = arith.muli %115, %c16 : index
    %117 = arith.addi %116, %9 : index
    %118 = arith.addi %2, %c21 : index
    %119 = arith.muli %118, %c16 : index
    %120 = arith.addi %119, %9 : index
    %121 = arith.addi %2, %c22 : index
    %122 = arith.muli %121, %c16 : index
    %123 = arith.addi %122, %9 : index
    %124 = arith.addi %2, %c23 : index
    %125 = arith.muli %124, %c16 : index
    %126 = arith.addi %125, %9 : index
    %127 = vector.broadcast %98 : f32 to vector<1xf32>
    %128 = vector.insert_strided_slice %127, %c0_f32 {offsets = [0], strides = [1]} : vector<1xf32> into vector<8xf32>
    %129 = vector.broadcast %99 : f32 to vector<1xf32>
    %130 = vector.insert_strided_slice %129, %128 {offsets = [1], strides = [1]} : vector<1xf32> into vector<8xf32>
    %131 = vector.broadcast %100 : f32 to vector<1xf32>
    %132 = vector.insert_strided_slice %131, %130 {offsets = [2], strides = [1]} : vector<1xf32> into vector<8xf32>
    %133 = vector.broadcast %101 : f32 to vector<1xf32>
    %134 = vector.insert_strided_slice %133, %132 {offsets = [3], strides = [1]} : vector<1xf32> into vector<8xf32>
    %135 = vector.broadcast %102 : f32 to vector<1xf32>
    %136 = vector.insert_strided_slice %135, %134 {offsets = [4], strides = [1]} : vector<1xf32> into vector<8xf32>
    %137 = vector.broadcast %103 : f32 to vector<1xf32>
    %138 = vector.insert_strided_slice %137, %136 {offsets = [5], strides = [1]} : vector<1xf32> into vector<8xf32>
    %139 = vector.broadcast %104 : f32 to vector<1xf32>
    %140 = vector.insert_strided_slice %139, %138 {offsets = [6], strides = [1]} : vector<1xf32> into vector<8xf32>
    %141 = vector.broadcast %105 : f32 to vector<1xf32>
    %142 = vector.insert_strided_slice %141, %140 {offsets = [7], strides = [1]} : vector<1xf32> into vector<8xf32>
    %143 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %142, %143[%2, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
