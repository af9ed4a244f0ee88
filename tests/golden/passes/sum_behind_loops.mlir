// before sum_behind_loops
gpu.module @online {
  gpu.func @online(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index, %scale: f32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0", "scalar scale f32"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %cst = arith.constant 1.4426950216293335 : f32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant 1.0 : f16
    %cst_1 = arith.constant -1.0 : f16
    %c0_0 = arith.constant 0 : index
    %cst_2 = arith.constant dense<0.0> : vector<1xf32>
    %cst_3 = arith.constant dense<0xFF800000> : vector<1xf32>
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
    %2 = arith.mulf %scale, %cst : f32
    %3 = arith.bitcast %2 : f32 to i32
    %4 = arith.cmpi slt, %3, %c0_i32 : i32
    %5 = arith.select %4, %cst_1, %cst_0 : f16
    %6 = vector.broadcast %5 : f16 to vector<8xf16>
    %7 = vector.extract_strided_slice %1 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %8 = vector.extract_strided_slice %1 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %9 = arith.mulf %7, %6 : vector<8xf16>
    %10 = arith.mulf %8, %6 : vector<8xf16>
    %11 = math.absf %2 : f32
    %12 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    %13, %14 = scf.for %n = %c0 to %B_d1 step %c16 iter_args(%top = %cst_3, %total = %cst_2) -> (vector<1xf32>, vector<1xf32>) {
      %15 = xegpu.load_nd %12[%c0, %n] <{packed}> : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
      %16 = xegpu.dpas %9, %15 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %17 = xegpu.dpas %10, %15 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %18 = vector.broadcast %11 : f32 to vector<8xf32>
      %c0_f32 = arith.constant dense<0.0> : vector<16xf32>
      %19 = vector.insert_strided_slice %16, %c0_f32 {offsets = [0], strides = [1]} : vector<8xf32> into vector<16xf32>
      %20 = vector.insert_strided_slice %17, %19 {offsets = [8], strides = [1]} : vector<8xf32> into vector<16xf32>
      %cst_4 = arith.constant dense<0x7FC00000> : vector<1xf32>
      %21 = xetile.reduce_lines <maxnumf> %20 : vector<16xf32> -> vector<1xf32>
      %22 = vector.broadcast %11 : f32 to vector<1xf32>
      %23 = arith.mulf %21, %22 : vector<1xf32>
      %24 = arith.maximumf %top, %23 : vector<1xf32>
      %25 = arith.subf %top, %24 : vector<1xf32>
      %26 = math.exp2 %25 : vector<1xf32>
      %27 = arith.mulf %total, %26 : vector<1xf32>
      %28 = arith.negf %24 : vector<1xf32>
      %29 = vector.extract %28[0] : f32 from vector<1xf32>
      %c0_1 = arith.constant 0 : index
      %30 = arith.index_cast %c0_1 : index to i32
      %c16_i32 = arith.constant 16 : i32
      %31, %32 = gpu.shuffle idx %29, %30, %c16_i32 : f32
      %33 = vector.extract %28[0] : f32 from vector<1xf32>
      %c1_0 = arith.constant 1 : index
      %34 = arith.index_cast %c1_0 : index to i32
      %c16_i32_0 = arith.constant 16 : i32
      %35, %36 = gpu.shuffle idx %33, %34, %c16_i32_0 : f32
      %37 = vector.extract %28[0] : f32 from vector<1xf32>
      %c2 = arith.constant 2 : index
      %38 = arith.index_cast %c2 : index to i32
      %c16_i32_1 = arith.constant 16 : i32
      %39, %40 = gpu.shuffle idx %37, %38, %c16_i32_1 : f32
      %41 = vector.extract %28[0] : f32 from vector<1xf32>
      %c3 = arith.constant 3 : index
      %42 = arith.index_cast %c3 : index to i32
      %c16_i32_2 = arith.constant 16 : i32
      %43, %44 = gpu.shuffle idx %41, %42, %c16_i32_2 : f32
      %45 = vector.extract %28[0] : f32 from vector<1xf32>
      %c4 = arith.constant 4 : index
      %46 = arith.index_cast %c4 : index to i32
      %c16_i32_3 = arith.constant 16 : i32
      %47, %48 = gpu.shuffle idx %45, %46, %c16_i32_3 : f32
      %49 = vector.extract %28[0] : f32 from vector<1xf32>
      %c5 = arith.constant 5 : index
      %50 = arith.index_cast %c5 : index to i32
      %c16_i32_4 = arith.constant 16 : i32
      %51, %52 = gpu.shuffle idx %49, %50, %c16_i32_4 : f32
      %53 = vector.extract %28[0] : f32 from vector<1xf32>
      %c6 = arith.constant 6 : index
      %54 = arith.index_cast %c6 : index to i32
      %c16_i32_5 = arith.constant 16 : i32
      %55, %56 = gpu.shuffle idx %53, %54, %c16_i32_5 : f32
      %57 = vector.extract %28[0] : f32 from vector<1xf32>
      %c7 = arith.constant 7 : index
      %58 = arith.index_cast %c7 : index to i32
      %c16_i32_6 = arith.constant 16 : i32
      %59, %60 = gpu.shuffle idx %57, %58, %c16_i32_6 : f32
      %61 = vector.extract %28[0] : f32 from vector<1xf32>
      %c8 = arith.constant 8 : index
      %62 = arith.index_cast %c8 : index to i32
      %c16_i32_7 = arith.constant 16 : i32
      %63, %64 = gpu.shuffle idx %61, %62, %c16_i32_7 : f32
      %65 = vector.extract %28[0] : f32 from vector<1xf32>
      %c9 = arith.constant 9 : index
      %66 = arith.index_cast %c9 : index to i32
      %c16_i32_8 = arith.constant 16 : i32
      %67, %68 = gpu.shuffle idx %65, %66, %c16_i32_8 : f32
      %69 = vector.extract %28[0] : f32 from vector<1xf32>
      %c10 = arith.constant 10 : index
      %70 = arith.index_cast %c10 : index to i32
      %c16_i32_9 = arith.constant 16 : i32
      %71, %72 = gpu.shuffle idx %69, %70, %c16_i32_9 : f32
      %73 = vector.extract %28[0] : f32 from vector<1xf32>
      %c11 = arith.constant 11 : index
      %74 = arith.index_cast %c11 : index to i32
      %c16_i32_10 = arith.constant 16 : i32
      %75, %76 = gpu.shuffle idx %73, %74, %c16_i32_10 : f32
      %77 = vector.extract %28[0] : f32 from vector<1xf32>
      %c12 = arith.constant 12 : index
      %78 = arith.index_cast %c12 : index to i32
      %c16_i32_11 = arith.constant 16 : i32
      %79, %80 = gpu.shuffle idx %77, %78, %c16_i32_11 : f32
      %81 = vector.extract %28[0] : f32 from vector<1xf32>
      %c13 = arith.constant 13 : index
      %82 = arith.index_cast %c13 : index to i32
      %c16_i32_12 = arith.constant 16 : i32
      %83, %84 = gpu.shuffle idx %81, %82, %c16_i32_12 : f32
      %85 = vector.extract %28[0] : f32 from vector<1xf32>
      %c14 = arith.constant 14 : index
      %86 = arith.index_cast %c14 : index to i32
      %c16_i32_13 = arith.constant 16 : i32
      %87, %88 = gpu.shuffle idx %85, %86, %c16_i32_13 : f32
      %89 = vector.extract %28[0] : f32 from vector<1xf32>
      %c15 = arith.constant 15 : index
      %90 = arith.index_cast %c15 : index to i32
      %c16_i32_14 = arith.constant 16 : i32
      %91, %92 = gpu.shuffle idx %89, %90, %c16_i32_14 : f32
      %93 = vector.broadcast %31 : f32 to vector<16xf32>
      %94 = vector.insert %35, %93[1] : f32 into vector<16xf32>
      %95 = vector.insert %39, %94[2] : f32 into vector<16xf32>
      %96 = vector.insert %43, %95[3] : f32 into vector<16xf32>
      %97 = vector.insert %47, %96[4] : f32 into vector<16xf32>
      %98 = vector.insert %51, %97[5] : f32 into vector<16xf32>
      %99 = vector.insert %55, %98[6] : f32 into vector<16xf32>
      %100 = vector.insert %59, %99[7] : f32 into vector<16xf32>
      %101 = vector.insert %63, %100[8] : f32 into vector<16xf32>
      %102 = vector.insert %67, %101[9] : f32 into vector<16xf32>
      %103 = vector.insert %71, %102[10] : f32 into vector<16xf32>
      %104 = vector.insert %75, %103[11] : f32 into vector<16xf32>
      %105 = vector.insert %79, %104[12] : f32 into vector<16xf32>
      %106 = vector.insert %83, %105[13] : f32 into vector<16xf32>
      %107 = vector.insert %87, %106[14] : f32 into vector<16xf32>
      %108 = vector.insert %91, %107[15] : f32 into vector<16xf32>
      %109 = vector.extract_strided_slice %108 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
      %110 = vector.extract_strided_slice %108 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
      %111 = math.fma %16, %18, %109 : vector<8xf32>
      %112 = math.fma %17, %18, %110 : vector<8xf32>
      %113 = math.exp2 %111 : vector<8xf32>
      %114 = math.exp2 %112 : vector<8xf32>
      %115 = vector.insert_strided_slice %113, %c0_f32 {offsets = [0], strides = [1]} : vector<8xf32> into vector<16xf32>
      %116 = vector.insert_strided_slice %114, %115 {offsets = [8], strides = [1]} : vector<8xf32> into vector<16xf32>
      %cst_5 = arith.constant dense<-0.0> : vector<1xf32>
      %117 = xetile.reduce_lines <add> %116 : vector<16xf32> -> vector<1xf32>
      %118 = arith.addf %27, %117 : vector<1xf32>
      scf.yield %24, %118 : vector<1xf32>, vector<1xf32>
    }
    %119 = arith.muli %Y_d0, %Y_s0 : index
    %120 = memref.reinterpret_cast %Y to offset: [0], sizes: [%119], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %121 = gpu.lane_id
    %122 = arith.cmpi ult, %121, %Y_d0 : index
    %123 = arith.cmpi ult, %c0_0, %Y_d1 : index
    %124 = arith.andi %122, %123 : i1
    %125 = arith.muli %121, %Y_s0 : index
    %126 = vector.extract %14[0] : f32 from vector<1xf32>
    xegpu.store %126, %120[%125], %124 : f32, memref<?xf32, strided<[1]>>, index, i1
    gpu.return
  }
}

// after sum_behind_loops
gpu.module @online {
  gpu.func @online(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index, %scale: f32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0", "scalar scale f32"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %cst = arith.constant 1.44269502 : f32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant 1.0 : f16
    %cst_1 = arith.constant -1.0 : f16
    %c0_0 = arith.constant 0 : index
    %cst_2 = arith.constant dense<0.0> : vector<1xf32>
    %cst_3 = arith.constant dense<0xFF800000> : vector<1xf32>
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
    %2 = arith.mulf %scale, %cst : f32
    %3 = arith.bitcast %2 : f32 to i32
    %4 = arith.cmpi slt, %3, %c0_i32 : i32
    %5 = arith.select %4, %cst_1, %cst_0 : f16
    %6 = vector.broadcast %5 : f16 to vector<8xf16>
    %7 = vector.extract_strided_slice %1 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %8 = vector.extract_strided_slice %1 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %9 = arith.mulf %7, %6 : vector<8xf16>
    %10 = arith.mulf %8, %6 : vector<8xf16>
    %11 = math.absf %2 : f32
    %12 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    %cst_4 = arith.constant dense<0.0> : vector<16xf32>
    %13 = vector.extract_strided_slice %cst_4 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %14 = vector.extract_strided_slice %cst_4 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %15, %16, %17 = scf.for %n = %c0 to %B_d1 step %c16 iter_args(%top = %cst_3, %18 = %13, %19 = %14) -> (vector<1xf32>, vector<8xf32>, vector<8xf32>) {
      %20 = xegpu.load_nd %12[%c0, %n] <{packed}> : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
      %21 = xegpu.dpas %9, %20 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %22 = xegpu.dpas %10, %20 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %23 = vector.broadcast %11 : f32 to vector<8xf32>
      %c0_f32 = arith.constant dense<0.0> : vector<16xf32>
      %24 = vector.insert_strided_slice %21, %c0_f32 {offsets = [0], strides = [1]} : vector<8xf32> into vector<16xf32>
      %25 = vector.insert_strided_slice %22, %24 {offsets = [8], strides = [1]} : vector<8xf32> into vector<16xf32>
      %cst_4_0 = arith.constant dense<0x7FC00000> : vector<1xf32>
      %26 = xetile.reduce_lines <maxnumf> %25 : vector<16xf32> -> vector<1xf32>
      %27 = vector.broadcast %11 : f32 to vector<1xf32>
      %28 = arith.mulf %26, %27 : vector<1xf32>
      %29 = arith.maximumf %top, %28 : vector<1xf32>
      %30 = arith.subf %top, %29 : vector<1xf32>
      %31 = math.exp2 %30 : vector<1xf32>
      %32 = arith.negf %29 : vector<1xf32>
      %33 = vector.extract %32[0] : f32 from vector<1xf32>
      %c0_1 = arith.constant 0 : index
      %34 = arith.index_cast %c0_1 : index to i32
      %c16_i32 = arith.constant 16 : i32
      %35, %36 = gpu.shuffle idx %33, %34, %c16_i32 : f32
      %37 = vector.extract %32[0] : f32 from vector<1xf32>
      %c1_0 = arith.constant 1 : index
      %38 = arith.index_cast %c1_0 : index to i32
      %c16_i32_0 = arith.constant 16 : i32
      %39, %40 = gpu.shuffle idx %37, %38, %c16_i32_0 : f32
      %41 = vector.extract %32[0] : f32 from vector<1xf32>
      %c2 = arith.constant 2 : index
      %42 = arith.index_cast %c2 : index to i32
      %c16_i32_1 = arith.constant 16 : i32
      %43, %44 = gpu.shuffle idx %41, %42, %c16_i32_1 : f32
      %45 = vector.extract %32[0] : f32 from vector<1xf32>
      %c3 = arith.constant 3 : index
      %46 = arith.index_cast %c3 : index to i32
      %c16_i32_2 = arith.constant 16 : i32
      %47, %48 = gpu.shuffle idx %45, %46, %c16_i32_2 : f32
      %49 = vector.extract %32[0] : f32 from vector<1xf32>
      %c4 = arith.constant 4 : index
      %50 = arith.index_cast %c4 : index to i32
      %c16_i32_3 = arith.constant 16 : i32
      %51, %52 = gpu.shuffle idx %49, %50, %c16_i32_3 : f32
      %53 = vector.extract %32[0] : f32 from vector<1xf32>
      %c5 = arith.constant 5 : index
      %54 = arith.index_cast %c5 : index to i32
      %c16_i32_4 = arith.constant 16 : i32
      %55, %56 = gpu.shuffle idx %53, %54, %c16_i32_4 : f32
      %57 = vector.extract %32[0] : f32 from vector<1xf32>
      %c6 = arith.constant 6 : index
      %58 = arith.index_cast %c6 : index to i32
      %c16_i32_5 = arith.constant 16 : i32
      %59, %60 = gpu.shuffle idx %57, %58, %c16_i32_5 : f32
      %61 = vector.extract %32[0] : f32 from vector<1xf32>
      %c7 = arith.constant 7 : index
      %62 = arith.index_cast %c7 : index to i32
      %c16_i32_6 = arith.constant 16 : i32
      %63, %64 = gpu.shuffle idx %61, %62, %c16_i32_6 : f32
      %65 = vector.extract %32[0] : f32 from vector<1xf32>
      %c8 = arith.constant 8 : index
      %66 = arith.index_cast %c8 : index to i32
      %c16_i32_7 = arith.constant 16 : i32
      %67, %68 = gpu.shuffle idx %65, %66, %c16_i32_7 : f32
      %69 = vector.extract %32[0] : f32 from vector<1xf32>
      %c9 = arith.constant 9 : index
      %70 = arith.index_cast %c9 : index to i32
      %c16_i32_8 = arith.constant 16 : i32
      %71, %72 = gpu.shuffle idx %69, %70, %c16_i32_8 : f32
      %73 = vector.extract %32[0] : f32 from vector<1xf32>
      %c10 = arith.constant 10 : index
      %74 = arith.index_cast %c10 : index to i32
      %c16_i32_9 = arith.constant 16 : i32
      %75, %76 = gpu.shuffle idx %73, %74, %c16_i32_9 : f32
      %77 = vector.extract %32[0] : f32 from vector<1xf32>
      %c11 = arith.constant 11 : index
      %78 = arith.index_cast %c11 : index to i32
      %c16_i32_10 = arith.constant 16 : i32
      %79, %80 = gpu.shuffle idx %77, %78, %c16_i32_10 : f32
      %81 = vector.extract %32[0] : f32 from vector<1xf32>
      %c12 = arith.constant 12 : index
      %82 = arith.index_cast %c12 : index to i32
      %c16_i32_11 = arith.constant 16 : i32
      %83, %84 = gpu.shuffle idx %81, %82, %c16_i32_11 : f32
      %85 = vector.extract %32[0] : f32 from vector<1xf32>
      %c13 = arith.constant 13 : index
      %86 = arith.index_cast %c13 : index to i32
      %c16_i32_12 = arith.constant 16 : i32
      %87, %88 = gpu.shuffle idx %85, %86, %c16_i32_12 : f32
      %89 = vector.extract %32[0] : f32 from vector<1xf32>
      %c14 = arith.constant 14 : index
      %90 = arith.index_cast %c14 : index to i32
      %c16_i32_13 = arith.constant 16 : i32
      %91, %92 = gpu.shuffle idx %89, %90, %c16_i32_13 : f32
      %93 = vector.extract %32[0] : f32 from vector<1xf32>
      %c15 = arith.constant 15 : index
      %94 = arith.index_cast %c15 : index to i32
      %c16_i32_14 = arith.constant 16 : i32
      %95, %96 = gpu.shuffle idx %93, %94, %c16_i32_14 : f32
      %97 = vector.broadcast %35 : f32 to vector<16xf32>
      %98 = vector.insert %39, %97[1] : f32 into vector<16xf32>
      %99 = vector.insert %43, %98[2] : f32 into vector<16xf32>
      %100 = vector.insert %47, %99[3] : f32 into vector<16xf32>
      %101 = vector.insert %51, %100[4] : f32 into vector<16xf32>
      %102 = vector.insert %55, %101[5] : f32 into vector<16xf32>
      %103 = vector.insert %59, %102[6] : f32 into vector<16xf32>
      %104 = vector.insert %63, %103[7] : f32 into vector<16xf32>
      %105 = vector.insert %67, %104[8] : f32 into vector<16xf32>
      %106 = vector.insert %71, %105[9] : f32 into vector<16xf32>
      %107 = vector.insert %75, %106[10] : f32 into vector<16xf32>
      %108 = vector.insert %79, %107[11] : f32 into vector<16xf32>
      %109 = vector.insert %83, %108[12] : f32 into vector<16xf32>
      %110 = vector.insert %87, %109[13] : f32 into vector<16xf32>
      %111 = vector.insert %91, %110[14] : f32 into vector<16xf32>
      %112 = vector.insert %95, %111[15] : f32 into vector<16xf32>
      %113 = vector.extract_strided_slice %112 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
      %114 = vector.extract_strided_slice %112 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
      %115 = math.fma %21, %23, %113 : vector<8xf32>
      %116 = math.fma %22, %23, %114 : vector<8xf32>
      %117 = math.exp2 %115 : vector<8xf32>
      %118 = math.exp2 %116 : vector<8xf32>
      %119 = vector.insert_strided_slice %117, %c0_f32 {offsets = [0], strides = [1]} : vector<8xf32> into vector<16xf32>
      %120 = vector.insert_strided_slice %118, %119 {offsets = [8], strides = [1]} : vector<8xf32> into vector<16xf32>
      %cst_5 = arith.constant dense<-0.0> : vector<1xf32>
      %121 = vector.extract %31[0] : f32 from vector<1xf32>
      %c16_i32_15 = arith.constant 16 : i32
      %c0_i32_0 = arith.constant 0 : i32
      %122, %123 = gpu.shuffle idx %121, %c0_i32_0, %c16_i32_15 : f32
      %124 = vector.broadcast %122 : f32 to vector<16xf32>
      %c1_i32 = arith.constant 1 : i32
      %125, %126 = gpu.shuffle idx %121, %c1_i32, %c16_i32_15 : f32
      %127 = vector.insert %125, %124[1] : f32 into vector<16xf32>
      %c2_i32 = arith.constant 2 : i32
      %128, %129 = gpu.shuffle idx %121, %c2_i32, %c16_i32_15 : f32
      %130 = vector.insert %128, %127[2] : f32 into vector<16xf32>
      %c3_i32 = arith.constant 3 : i32
      %131, %132 = gpu.shuffle idx %121, %c3_i32, %c16_i32_15 : f32
      %133 = vector.insert %131, %130[3] : f32 into vector<16xf32>
      %c4_i32 = arith.constant 4 : i32
      %134, %135 = gpu.shuffle idx %121, %c4_i32, %c16_i32_15 : f32
      %136 = vector.insert %134, %133[4] : f32 into vector<16xf32>
      %c5_i32 = arith.constant 5 : i32
      %137, %138 = gpu.shuffle idx %121, %c5_i32, %c16_i32_15 : f32
      %139 = vector.insert %137, %136[5] : f32 into vector<16xf32>
      %c6_i32 = arith.constant 6 : i32
      %140, %141 = gpu.shuffle idx %121, %c6_i32, %c16_i32_15 : f32
      %142 = vector.insert %140, %139[6] : f32 into vector<16xf32>
      %c7_i32 = arith.constant 7 : i32
      %143, %144 = gpu.shuffle idx %121, %c7_i32, %c16_i32_15 : f32
      %145 = vector.insert %143, %142[7] : f32 into vector<16xf32>
      %c8_i32 = arith.constant 8 : i32
      %146, %147 = gpu.shuffle idx %121, %c8_i32, %c16_i32_15 : f32
      %148 = vector.insert %146, %145[8] : f32 into vector<16xf32>
      %c9_i32 = arith.constant 9 : i32
      %149, %150 = gpu.shuffle idx %121, %c9_i32, %c16_i32_15 : f32
      %151 = vector.insert %149, %148[9] : f32 into vector<16xf32>
      %c10_i32 = arith.constant 10 : i32
      %152, %153 = gpu.shuffle idx %121, %c10_i32, %c16_i32_15 : f32
      %154 = vector.insert %152, %151[10] : f32 into vector<16xf32>
      %c11_i32 = arith.constant 11 : i32
      %155, %156 = gpu.shuffle idx %121, %c11_i32, %c16_i32_15 : f32
      %157 = vector.insert %155, %154[11] : f32 into vector<16xf32>
      %c12_i32 = arith.constant 12 : i32
      %158, %159 = gpu.shuffle idx %121, %c12_i32, %c16_i32_15 : f32
      %160 = vector.insert %158, %157[12] : f32 into vector<16xf32>
      %c13_i32 = arith.constant 13 : i32
      %161, %162 = gpu.shuffle idx %121, %c13_i32, %c16_i32_15 : f32
      %163 = vector.insert %161, %160[13] : f32 into vector<16xf32>
      %c14_i32 = arith.constant 14 : i32
      %164, %165 = gpu.shuffle idx %121, %c14_i32, %c16_i32_15 : f32
      %166 = vector.insert %164, %163[14] : f32 into vector<16xf32>
      %c15_i32 = arith.constant 15 : i32
      %167, %168 = gpu.shuffle idx %121, %c15_i32, %c16_i32_15 : f32
      %169 = vector.insert %167, %166[15] : f32 into vector<16xf32>
      %170 = vector.extract_strided_slice %120 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
      %171 = vector.extract_strided_slice %169 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
      %172 = math.fma %18, %171, %170 : vector<8xf32>
      %173 = vector.extract_strided_slice %120 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
      %174 = vector.extract_strided_slice %169 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
      %175 = math.fma %19, %174, %173 : vector<8xf32>
      scf.yield %29, %172, %175 : vector<1xf32>, vector<8xf32>, vector<8xf32>
    }
    %cst_6 = arith.constant dense<0.0> : vector<16xf32>
    %176 = vector.insert_strided_slice %16, %cst_6 {offsets = [0], strides = [1]} : vector<8xf32> into vector<16xf32>
    %177 = vector.insert_strided_slice %17, %176 {offsets = [8], strides = [1]} : vector<8xf32> into vector<16xf32>
    %178 = xetile.reduce_lines <add> %177 : vector<16xf32> -> vector<1xf32>
    %179 = arith.muli %Y_d0, %Y_s0 : index
    %180 = memref.reinterpret_cast %Y to offset: [0], sizes: [%179], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %181 = gpu.lane_id
    %182 = arith.cmpi ult, %181, %Y_d0 : index
    %183 = arith.cmpi ult, %c0_0, %Y_d1 : index
    %184 = arith.andi %182, %183 : i1
    %185 = arith.muli %181, %Y_s0 : index
    %186 = vector.extract %178[0] : f32 from vector<1xf32>
    xegpu.store %186, %180[%185], %184 : f32, memref<?xf32, strided<[1]>>, index, i1
    gpu.return
  }
}
