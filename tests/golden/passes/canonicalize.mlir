// before canonicalize
gpu.module @scaled {
  gpu.func @scaled(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.lane_runs = true, xetile.level = "xegpu", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} dense<2.0> : vector<4x16xf32>
    %cst_0 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} dense<1.0> : vector<4x16xf32>
    %0 = arith.muli %X_d0, %X_s0 : index
    %1 = memref.reinterpret_cast %X to offset: [0], sizes: [%0], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %c4 = arith.constant 4 : index
    %2 = arith.addi %c0, %c4 : index
    %3 = vector.step : vector<8xindex>
    %c2 = arith.constant 2 : index
    %4 = vector.broadcast %c2 : index to vector<8xindex>
    %5 = arith.divui %3, %4 : vector<8xindex>
    %6 = arith.remui %3, %4 : vector<8xindex>
    %c8 = arith.constant 8 : index
    %7 = vector.broadcast %c8 : index to vector<8xindex>
    %8 = arith.muli %6, %7 : vector<8xindex>
    %9 = vector.broadcast %c0 : index to vector<8xindex>
    %10 = arith.addi %9, %5 : vector<8xindex>
    %11 = vector.broadcast %c0 : index to vector<8xindex>
    %12 = arith.addi %11, %8 : vector<8xindex>
    %13 = vector.broadcast %X_d0 : index to vector<8xindex>
    %14 = arith.cmpi ult, %10, %13 : vector<8xindex>
    %15 = vector.broadcast %X_d1 : index to vector<8xindex>
    %16 = arith.cmpi ult, %12, %15 : vector<8xindex>
    %17 = arith.andi %14, %16 : vector<8xi1>
    %18 = vector.broadcast %X_s0 : index to vector<8xindex>
    %19 = arith.muli %10, %18 : vector<8xindex>
    %20 = arith.addi %19, %12 : vector<8xindex>
    %21 = xegpu.load %1[%20], %17 <{chunk_size = 8 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 8]>} : memref<?xf32, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x8xf32>
    %22 = vector.shape_cast %21 {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} : vector<8x8xf32> to vector<4x16xf32>
    %23 = vector.step : vector<8xindex>
    %c2_0 = arith.constant 2 : index
    %24 = vector.broadcast %c2_0 : index to vector<8xindex>
    %25 = arith.divui %23, %24 : vector<8xindex>
    %26 = arith.remui %23, %24 : vector<8xindex>
    %c8_0 = arith.constant 8 : index
    %27 = vector.broadcast %c8_0 : index to vector<8xindex>
    %28 = arith.muli %26, %27 : vector<8xindex>
    %29 = vector.broadcast %2 : index to vector<8xindex>
    %30 = arith.addi %29, %25 : vector<8xindex>
    %31 = vector.broadcast %c0 : index to vector<8xindex>
    %32 = arith.addi %31, %28 : vector<8xindex>
    %33 = vector.broadcast %X_d0 : index to vector<8xindex>
    %34 = arith.cmpi ult, %30, %33 : vector<8xindex>
    %35 = vector.broadcast %X_d1 : index to vector<8xindex>
    %36 = arith.cmpi ult, %32, %35 : vector<8xindex>
    %37 = arith.andi %34, %36 : vector<8xi1>
    %38 = vector.broadcast %X_s0 : index to vector<8xindex>
    %39 = arith.muli %30, %38 : vector<8xindex>
    %40 = arith.addi %39, %32 : vector<8xindex>
    %41 = xegpu.load %1[%40], %37 <{chunk_size = 8 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 8]>} : memref<?xf32, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x8xf32>
    %42 = vector.shape_cast %41 {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} : vector<8x8xf32> to vector<4x16xf32>
    %43 = arith.mulf %22, %cst {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} : vector<4x16xf32>
    %44 = arith.mulf %42, %cst {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} : vector<4x16xf32>
    %45 = arith.addf %43, %cst_0 {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} : vector<4x16xf32>
    %46 = arith.addf %44, %cst_0 {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} : vector<4x16xf32>
    %47 = arith.muli %Y_d0, %Y_s0 : index
    %48 = memref.reinterpret_cast %Y to offset: [0], sizes: [%47], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %c4_0 = arith.constant 4 : index
    %49 = arith.addi %c0, %c4_0 : index
    %50 = vector.step : vector<8xindex>
    %c2_1 = arith.constant 2 : index
    %51 = vector.broadcast %c2_1 : index to vector<8xindex>
    %52 = arith.divui %50, %51 : vector<8xindex>
    %53 = arith.remui %50, %51 : vector<8xindex>
    %c8_1 = arith.constant 8 : index
    %54 = vector.broadcast %c8_1 : index to vector<8xindex>
    %55 = arith.muli %53, %54 : vector<8xindex>
    %56 = vector.broadcast %c0 : index to vector<8xindex>
    %57 = arith.addi %56, %52 : vector<8xindex>
    %58 = vector.broadcast %c0 : index to vector<8xindex>
    %59 = arith.addi %58, %55 : vector<8xindex>
    %60 = vector.broadcast %Y_d0 : index to vector<8xindex>
    %61 = arith.cmpi ult, %57, %60 : vector<8xindex>
    %62 = vector.broadcast %Y_d1 : index to vector<8xindex>
    %63 = arith.cmpi ult, %59, %62 : vector<8xindex>
    %64 = arith.andi %61, %63 : vector<8xi1>
    %65 = vector.broadcast %Y_s0 : index to vector<8xindex>
    %66 = arith.muli %57, %65 : vector<8xindex>
    %67 = arith.addi %66, %59 : vector<8xindex>
    %68 = vector.shape_cast %45 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 8]>} : vector<4x16xf32> to vector<8x8xf32>
    xegpu.store %68, %48[%67], %64 <{chunk_size = 8 : i64}> {alignment = 4 : i64} : vector<8x8xf32>, memref<?xf32, strided<[1]>>, vector<8xindex>, vector<8xi1>
    %69 = vector.step : vector<8xindex>
    %c2_2 = arith.constant 2 : index
    %70 = vector.broadcast %c2_2 : index to vector<8xindex>
    %71 = arith.divui %69, %70 : vector<8xindex>
    %72 = arith.remui %69, %70 : vector<8xindex>
    %c8_2 = arith.constant 8 : index
    %73 = vector.broadcast %c8_2 : index to vector<8xindex>
    %74 = arith.muli %72, %73 : vector<8xindex>
    %75 = vector.broadcast %49 : index to vector<8xindex>
    %76 = arith.addi %75, %71 : vector<8xindex>
    %77 = vector.broadcast %c0 : index to vector<8xindex>
    %78 = arith.addi %77, %74 : vector<8xindex>
    %79 = vector.broadcast %Y_d0 : index to vector<8xindex>
    %80 = arith.cmpi ult, %76, %79 : vector<8xindex>
    %81 = vector.broadcast %Y_d1 : index to vector<8xindex>
    %82 = arith.cmpi ult, %78, %81 : vector<8xindex>
    %83 = arith.andi %80, %82 : vector<8xi1>
    %84 = vector.broadcast %Y_s0 : index to vector<8xindex>
    %85 = arith.muli %76, %84 : vector<8xindex>
    %86 = arith.addi %85, %78 : vector<8xindex>
    %87 = vector.shape_cast %46 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 8]>} : vector<4x16xf32> to vector<8x8xf32>
    xegpu.store %87, %48[%86], %83 <{chunk_size = 8 : i64}> {alignment = 4 : i64} : vector<8x8xf32>, memref<?xf32, strided<[1]>>, vector<8xindex>, vector<8xi1>
    gpu.return
  }
}

// after canonicalize
gpu.module @scaled {
  gpu.func @scaled(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.lane_runs = true, xetile.level = "xegpu", xetile.num_subgroups = 1 : i64} {
    %c2_index = arith.constant dense<2> : vector<8xindex>
    %c8_index = arith.constant dense<8> : vector<8xindex>
    %c4_index = arith.constant dense<4> : vector<8xindex>
    %cst = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} dense<2.0> : vector<4x16xf32>
    %cst_0 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} dense<1.0> : vector<4x16xf32>
    %0 = arith.muli %X_d0, %X_s0 : index
    %1 = memref.reinterpret_cast %X to offset: [0], sizes: [%0], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %2 = vector.step : vector<8xindex>
    %3 = arith.divui %2, %c2_index : vector<8xindex>
    %4 = arith.remui %2, %c2_index : vector<8xindex>
    %5 = arith.muli %4, %c8_index : vector<8xindex>
    %6 = vector.broadcast %X_d0 : index to vector<8xindex>
    %7 = arith.cmpi ult, %3, %6 : vector<8xindex>
    %8 = vector.broadcast %X_d1 : index to vector<8xindex>
    %9 = arith.cmpi ult, %5, %8 : vector<8xindex>
    %10 = arith.andi %7, %9 : vector<8xi1>
    %11 = vector.broadcast %X_s0 : index to vector<8xindex>
    %12 = arith.muli %3, %11 : vector<8xindex>
    %13 = arith.addi %12, %5 : vector<8xindex>
    %14 = xegpu.load %1[%13], %10 <{chunk_size = 8 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 8]>} : memref<?xf32, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x8xf32>
    %15 = vector.shape_cast %14 {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} : vector<8x8xf32> to vector<4x16xf32>
    %16 = arith.addi %3, %c4_index : vector<8xindex>
    %17 = arith.cmpi ult, %16, %6 : vector<8xindex>
    %18 = arith.andi %17, %9 : vector<8xi1>
    %19 = arith.muli %16, %11 : vector<8xindex>
    %20 = arith.addi %19, %5 : vector<8xindex>
    %21 = xegpu.load %1[%20], %18 <{chunk_size = 8 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 8]>} : memref<?xf32, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x8xf32>
    %22 = vector.shape_cast %21 {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} : vector<8x8xf32> to vector<4x16xf32>
    %23 = arith.mulf %15, %cst {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} : vector<4x16xf32>
    %24 = arith.mulf %22, %cst {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} : vector<4x16xf32>
    %25 = arith.addf %23, %cst_0 {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} : vector<4x16xf32>
    %26 = arith.addf %24, %cst_0 {layout_result_0 = #xegpu.layout<lane_layout = [4, 2], lane_data = [1, 8]>} : vector<4x16xf32>
    %27 = arith.muli %Y_d0, %Y_s0 : index
    %28 = memref.reinterpret_cast %Y to offset: [0], sizes: [%27], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %29 = vector.broadcast %Y_d0 : index to vector<8xindex>
    %30 = arith.cmpi ult, %3, %29 : vector<8xindex>
    %31 = vector.broadcast %Y_d1 : index to vector<8xindex>
    %32 = arith.cmpi ult, %5, %31 : vector<8xindex>
    %33 = arith.andi %30, %32 : vector<8xi1>
    %34 = vector.broadcast %Y_s0 : index to vector<8xindex>
    %35 = arith.muli %3, %34 : vector<8xindex>
    %36 = arith.addi %35, %5 : vector<8xindex>
    %37 = vector.shape_cast %25 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 8]>} : vector<4x16xf32> to vector<8x8xf32>
    xegpu.store %37, %28[%36], %33 <{chunk_size = 8 : i64}> {alignment = 4 : i64} : vector<8x8xf32>, memref<?xf32, strided<[1]>>, vector<8xindex>, vector<8xi1>
    %38 = arith.cmpi ult, %16, %29 : vector<8xindex>
    %39 = arith.andi %38, %32 : vector<8xi1>
    %40 = arith.muli %16, %34 : vector<8xindex>
    %41 = arith.addi %40, %5 : vector<8xindex>
    %42 = vector.shape_cast %26 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 8]>} : vector<4x16xf32> to vector<8x8xf32>
    xegpu.store %42, %28[%41], %39 <{chunk_size = 8 : i64}> {alignment = 4 : i64} : vector<8x8xf32>, memref<?xf32, strided<[1]>>, vector<8xindex>, vector<8xi1>
    gpu.return
  }
}
