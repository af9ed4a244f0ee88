// before share_limits
gpu.module @least {
  gpu.func @least(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0x7F800000 : f32
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %cst_0 = arith.constant dense<0x7F800000> : vector<1xf32>
    %c0_f32 = arith.constant dense<0.0> : vector<4xf32>
    %c2_i32 = arith.constant 2 : i32
    %c16_i32 = arith.constant 16 : i32
    %c1_i32 = arith.constant 1 : i32
    %c4_i32 = arith.constant 4 : i32
    %c8_i32 = arith.constant 8 : i32
    %0 = gpu.block_id x
    %1 = arith.muli %0, %c4 : index
    %2 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<4x16xf32>
    %3 = arith.cmpi ult, %1, %X_d0 : index
    %4 = arith.select %3, %X_d1, %c0 : index
    %5 = arith.addi %1, %c1 : index
    %6 = arith.cmpi ult, %5, %X_d0 : index
    %7 = arith.select %6, %X_d1, %c0 : index
    %8 = arith.addi %1, %c2 : index
    %9 = arith.cmpi ult, %8, %X_d0 : index
    %10 = arith.select %9, %X_d1, %c0 : index
    %11 = arith.addi %1, %c3 : index
    %12 = arith.cmpi ult, %11, %X_d0 : index
    %13 = arith.select %12, %X_d1, %c0 : index
    %14 = gpu.lane_id
    %15 = arith.andi %14, %c2 : index
    %16 = arith.cmpi ne, %15, %c0 : index
    %17 = arith.andi %14, %c1 : index
    %18 = arith.cmpi ne, %17, %c0 : index
    %19 = scf.for %n = %c0 to %X_d1 step %c16 iter_args(%top = %cst_0) -> (vector<1xf32>) {
      %20 = xegpu.load_nd %2[%1, %n] : !xegpu.tensor_desc<4x16xf32> -> vector<4xf32>
      %21 = arith.addi %n, %14 : index
      %22 = arith.cmpi ult, %21, %4 : index
      %23 = vector.extract_strided_slice %20 {offsets = [0], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
      %24 = vector.extract %23[0] : f32 from vector<1xf32>
      %25 = arith.select %22, %24, %cst : f32
      %26 = arith.cmpi ult, %21, %7 : index
      %27 = vector.extract_strided_slice %20 {offsets = [1], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
      %28 = vector.extract %27[0] : f32 from vector<1xf32>
      %29 = arith.select %26, %28, %cst : f32
      %30 = arith.cmpi ult, %21, %10 : index
      %31 = vector.extract_strided_slice %20 {offsets = [2], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
      %32 = vector.extract %31[0] : f32 from vector<1xf32>
      %33 = arith.select %30, %32, %cst : f32
      %34 = arith.cmpi ult, %21, %13 : index
      %35 = vector.extract_strided_slice %20 {offsets = [3], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
      %36 = vector.extract %35[0] : f32 from vector<1xf32>
      %37 = arith.select %34, %36, %cst : f32
      %38 = vector.broadcast %25 : f32 to vector<1xf32>
      %39 = vector.insert_strided_slice %38, %c0_f32 {offsets = [0], strides = [1]} : vector<1xf32> into vector<4xf32>
      %40 = vector.broadcast %29 : f32 to vector<1xf32>
      %41 = vector.insert_strided_slice %40, %39 {offsets = [1], strides = [1]} : vector<1xf32> into vector<4xf32>
      %42 = vector.broadcast %33 : f32 to vector<1xf32>
      %43 = vector.insert_strided_slice %42, %41 {offsets = [2], strides = [1]} : vector<1xf32> into vector<4xf32>
      %44 = vector.broadcast %37 : f32 to vector<1xf32>
      %45 = vector.insert_strided_slice %44, %43 {offsets = [3], strides = [1]} : vector<1xf32> into vector<4xf32>
      %46 = vector.extract_strided_slice %45 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
      %47 = vector.extract_strided_slice %45 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
      %48 = vector.broadcast %16 : i1 to vector<2xi1>
      %49 = arith.select %48, %47, %46 : vector<2xi1>, vector<2xf32>
      %50 = arith.select %48, %46, %47 : vector<2xi1>, vector<2xf32>
      %51, %52 = gpu.shuffle xor %50, %c2_i32, %c16_i32 : vector<2xf32>
      %53 = arith.minimumf %49, %51 : vector<2xf32>
      %54 = vector.extract_strided_slice %53 {offsets = [0], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
      %55 = vector.extract_strided_slice %53 {offsets = [1], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
      %56 = vector.broadcast %18 : i1 to vector<1xi1>
      %57 = arith.select %56, %55, %54 : vector<1xi1>, vector<1xf32>
      %58 = arith.select %56, %54, %55 : vector<1xi1>, vector<1xf32>
      %59, %60 = gpu.shuffle xor %58, %c1_i32, %c16_i32 : vector<1xf32>
      %61 = arith.minimumf %57, %59 : vector<1xf32>
      %62, %63 = gpu.shuffle xor %61, %c4_i32, %c16_i32 : vector<1xf32>
      %64 = arith.minimumf %61, %62 : vector<1xf32>
      %65, %66 = gpu.shuffle xor %64, %c8_i32, %c16_i32 : vector<1xf32>
      %67 = arith.minimumf %64, %65 : vector<1xf32>
      %68 = arith.minimumf %top, %67 : vector<1xf32>
      scf.yield %68 : vector<1xf32>
    }
    %69 = arith.muli %Y_d0, %Y_s0 : index
    %70 = memref.reinterpret_cast %Y to offset: [0], sizes: [%69], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %71 = arith.remui %14, %c4 : index
    %72 = arith.addi %1, %71 : index
    %73 = arith.cmpi ult, %72, %Y_d0 : index
    %74 = arith.cmpi ult, %c0, %Y_d1 : index
    %75 = arith.andi %73, %74 : i1
    %76 = arith.muli %72, %Y_s0 : index
    %77 = vector.extract %19[0] : f32 from vector<1xf32>
    %78 = arith.cmpi ult, %14, %c4 : index
    %79 = arith.andi %75, %78 : i1
    xegpu.store %77, %70[%76], %79 : f32, memref<?xf32, strided<[1]>>, index, i1
    gpu.return
  }
}

// after share_limits
gpu.module @least {
  gpu.func @least(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0x7F800000 : f32
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %cst_0 = arith.constant dense<0x7F800000> : vector<1xf32>
    %c0_f32 = arith.constant dense<0.0> : vector<4xf32>
    %c2_i32 = arith.constant 2 : i32
    %c16_i32 = arith.constant 16 : i32
    %c1_i32 = arith.constant 1 : i32
    %c4_i32 = arith.constant 4 : i32
    %c8_i32 = arith.constant 8 : i32
    %0 = gpu.block_id x
    %1 = arith.muli %0, %c4 : index
    %2 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<4x16xf32>
    %3 = arith.cmpi ult, %1, %X_d0 : index
    %4 = gpu.lane_id
    %5 = arith.addi %1, %4 : index
    %6 = arith.cmpi ult, %5, %X_d0 : index
    %7 = arith.select %6, %X_d1, %c0 : index
    %8 = arith.index_cast %7 : index to i32
    %c0_i32 = arith.constant 0 : i32
    %c16_i32_0 = arith.constant 16 : i32
    %9, %10 = gpu.shuffle idx %8, %c0_i32, %c16_i32_0 : i32
    %11 = arith.index_cast %9 : i32 to index
    %c1_i32_0 = arith.constant 1 : i32
    %c16_i32_1 = arith.constant 16 : i32
    %12, %13 = gpu.shuffle idx %8, %c1_i32_0, %c16_i32_1 : i32
    %14 = arith.index_cast %12 : i32 to index
    %c2_i32_0 = arith.constant 2 : i32
    %c16_i32_2 = arith.constant 16 : i32
    %15, %16 = gpu.shuffle idx %8, %c2_i32_0, %c16_i32_2 : i32
    %17 = arith.index_cast %15 : i32 to index
    %c3_i32 = arith.constant 3 : i32
    %c16_i32_3 = arith.constant 16 : i32
    %18, %19 = gpu.shuffle idx %8, %c3_i32, %c16_i32_3 : i32
    %20 = arith.index_cast %18 : i32 to index
    %21 = arith.addi %1, %c1 : index
    %22 = arith.cmpi ult, %21, %X_d0 : index
    %23 = arith.addi %1, %c2 : index
    %24 = arith.cmpi ult, %23, %X_d0 : index
    %25 = arith.addi %1, %c3 : index
    %26 = arith.cmpi ult, %25, %X_d0 : index
    %27 = gpu.lane_id
    %28 = arith.andi %27, %c2 : index
    %29 = arith.cmpi ne, %28, %c0 : index
    %30 = arith.andi %27, %c1 : index
    %31 = arith.cmpi ne, %30, %c0 : index
    %32 = scf.for %n = %c0 to %X_d1 step %c16 iter_args(%top = %cst_0) -> (vector<1xf32>) {
      %33 = xegpu.load_nd %2[%1, %n] : !xegpu.tensor_desc<4x16xf32> -> vector<4xf32>
      %34 = arith.addi %n, %27 : index
      %35 = arith.cmpi ult, %34, %11 : index
      %36 = vector.extract_strided_slice %33 {offsets = [0], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
      %37 = vector.extract %36[0] : f32 from vector<1xf32>
      %38 = arith.select %35, %37, %cst : f32
      %39 = arith.cmpi ult, %34, %14 : index
      %40 = vector.extract_strided_slice %33 {offsets = [1], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
      %41 = vector.extract %40[0] : f32 from vector<1xf32>
      %42 = arith.select %39, %41, %cst : f32
      %43 = arith.cmpi ult, %34, %17 : index
      %44 = vector.extract_strided_slice %33 {offsets = [2], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
      %45 = vector.extract %44[0] : f32 from vector<1xf32>
      %46 = arith.select %43, %45, %cst : f32
      %47 = arith.cmpi ult, %34, %20 : index
      %48 = vector.extract_strided_slice %33 {offsets = [3], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
      %49 = vector.extract %48[0] : f32 from vector<1xf32>
      %50 = arith.select %47, %49, %cst : f32
      %51 = vector.broadcast %38 : f32 to vector<1xf32>
      %52 = vector.insert_strided_slice %51, %c0_f32 {offsets = [0], strides = [1]} : vector<1xf32> into vector<4xf32>
      %53 = vector.broadcast %42 : f32 to vector<1xf32>
      %54 = vector.insert_strided_slice %53, %52 {offsets = [1], strides = [1]} : vector<1xf32> into vector<4xf32>
      %55 = vector.broadcast %46 : f32 to vector<1xf32>
      %56 = vector.insert_strided_slice %55, %54 {offsets = [2], strides = [1]} : vector<1xf32> into vector<4xf32>
      %57 = vector.broadcast %50 : f32 to vector<1xf32>
      %58 = vector.insert_strided_slice %57, %56 {offsets = [3], strides = [1]} : vector<1xf32> into vector<4xf32>
      %59 = vector.extract_strided_slice %58 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
      %60 = vector.extract_strided_slice %58 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
      %61 = vector.broadcast %29 : i1 to vector<2xi1>
      %62 = arith.select %61, %60, %59 : vector<2xi1>, vector<2xf32>
      %63 = arith.select %61, %59, %60 : vector<2xi1>, vector<2xf32>
      %64, %65 = gpu.shuffle xor %63, %c2_i32, %c16_i32 : vector<2xf32>
      %66 = arith.minimumf %62, %64 : vector<2xf32>
      %67 = vector.extract_strided_slice %66 {offsets = [0], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
      %68 = vector.extract_strided_slice %66 {offsets = [1], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
      %69 = vector.broadcast %31 : i1 to vector<1xi1>
      %70 = arith.select %69, %68, %67 : vector<1xi1>, vector<1xf32>
      %71 = arith.select %69, %67, %68 : vector<1xi1>, vector<1xf32>
      %72, %73 = gpu.shuffle xor %71, %c1_i32, %c16_i32 : vector<1xf32>
      %74 = arith.minimumf %70, %72 : vector<1xf32>
      %75, %76 = gpu.shuffle xor %74, %c4_i32, %c16_i32 : vector<1xf32>
      %77 = arith.minimumf %74, %75 : vector<1xf32>
      %78, %79 = gpu.shuffle xor %77, %c8_i32, %c16_i32 : vector<1xf32>
      %80 = arith.minimumf %77, %78 : vector<1xf32>
      %81 = arith.minimumf %top, %80 : vector<1xf32>
      scf.yield %81 : vector<1xf32>
    }
    %82 = arith.muli %Y_d0, %Y_s0 : index
    %83 = memref.reinterpret_cast %Y to offset: [0], sizes: [%82], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %84 = arith.remui %27, %c4 : index
    %85 = arith.addi %1, %84 : index
    %86 = arith.cmpi ult, %85, %Y_d0 : index
    %87 = arith.cmpi ult, %c0, %Y_d1 : index
    %88 = arith.andi %86, %87 : i1
    %89 = arith.muli %85, %Y_s0 : index
    %90 = vector.extract %32[0] : f32 from vector<1xf32>
    %91 = arith.cmpi ult, %27, %c4 : index
    %92 = arith.andi %88, %91 : i1
    xegpu.store %90, %83[%89], %92 : f32, memref<?xf32, strided<[1]>>, index, i1
    gpu.return
  }
}
