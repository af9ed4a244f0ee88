// before share_headers
gpu.module @chain {
  gpu.func @chain(%X: memref<?x?xf16, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f16", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %cst = arith.constant dense<1.0> : vector<8xf32>
    %0 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
    %2 = vector.extract_strided_slice %1 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
    %3 = xegpu.load_nd %0[%c0, %c32] : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
    %4 = vector.extract_strided_slice %2 {offsets = [0], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %5 = arith.extf %4 : vector<8xf16> to vector<8xf32>
    %6 = arith.addf %5, %cst : vector<8xf32>
    %7 = arith.mulf %6, %5 : vector<8xf32>
    %8 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %7, %8[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %c8 = arith.constant 8 : index
    %9 = vector.extract_strided_slice %2 {offsets = [8], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %10 = arith.extf %9 : vector<8xf16> to vector<8xf32>
    %11 = arith.addf %10, %cst : vector<8xf32>
    %12 = arith.mulf %11, %10 : vector<8xf32>
    xegpu.store_nd %12, %8[%c8, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %c16 = arith.constant 16 : index
    %13 = vector.extract_strided_slice %2 {offsets = [16], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %14 = arith.extf %13 : vector<8xf16> to vector<8xf32>
    %15 = arith.addf %14, %cst : vector<8xf32>
    %16 = arith.mulf %15, %14 : vector<8xf32>
    xegpu.store_nd %16, %8[%c16, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %c24 = arith.constant 24 : index
    %17 = vector.extract_strided_slice %2 {offsets = [24], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %18 = arith.extf %17 : vector<8xf16> to vector<8xf32>
    %19 = arith.addf %18, %cst : vector<8xf32>
    %20 = arith.mulf %19, %18 : vector<8xf32>
    xegpu.store_nd %20, %8[%c24, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %21 = vector.extract_strided_slice %1 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
    %22 = vector.extract_strided_slice %21 {offsets = [0], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %23 = arith.extf %22 : vector<8xf16> to vector<8xf32>
    %24 = arith.addf %23, %cst : vector<8xf32>
    %25 = arith.mulf %24, %23 : vector<8xf32>
    xegpu.store_nd %25, %8[%c0, %c16] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %26 = vector.extract_strided_slice %21 {offsets = [8], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %27 = arith.extf %26 : vector<8xf16> to vector<8xf32>
    %28 = arith.addf %27, %cst : vector<8xf32>
    %29 = arith.mulf %28, %27 : vector<8xf32>
    xegpu.store_nd %29, %8[%c8, %c16] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %30 = vector.extract_strided_slice %21 {offsets = [16], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %31 = arith.extf %30 : vector<8xf16> to vector<8xf32>
    %32 = arith.addf %31, %cst : vector<8xf32>
    %33 = arith.mulf %32, %31 : vector<8xf32>
    xegpu.store_nd %33, %8[%c16, %c16] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %34 = vector.extract_strided_slice %21 {offsets = [24], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %35 = arith.extf %34 : vector<8xf16> to vector<8xf32>
    %36 = arith.addf %35, %cst : vector<8xf32>
    %37 = arith.mulf %36, %35 : vector<8xf32>
    xegpu.store_nd %37, %8[%c24, %c16] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %38 = vector.extract_strided_slice %3 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
    %39 = vector.extract_strided_slice %38 {offsets = [0], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %40 = arith.extf %39 : vector<8xf16> to vector<8xf32>
    %41 = arith.addf %40, %cst : vector<8xf32>
    %42 = arith.mulf %41, %40 : vector<8xf32>
    xegpu.store_nd %42, %8[%c0, %c32] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %43 = vector.extract_strided_slice %38 {offsets = [8], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %44 = arith.extf %43 : vector<8xf16> to vector<8xf32>
    %45 = arith.addf %44, %cst : vector<8xf32>
    %46 = arith.mulf %45, %44 : vector<8xf32>
    xegpu.store_nd %46, %8[%c8, %c32] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %47 = vector.extract_strided_slice %38 {offsets = [16], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %48 = arith.extf %47 : vector<8xf16> to vector<8xf32>
    %49 = arith.addf %48, %cst : vector<8xf32>
    %50 = arith.mulf %49, %48 : vector<8xf32>
    xegpu.store_nd %50, %8[%c16, %c32] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %51 = vector.extract_strided_slice %38 {offsets = [24], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %52 = arith.extf %51 : vector<8xf16> to vector<8xf32>
    %53 = arith.addf %52, %cst : vector<8xf32>
    %54 = arith.mulf %53, %52 : vector<8xf32>
    xegpu.store_nd %54, %8[%c24, %c32] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %c48 = arith.constant 48 : index
    %55 = vector.extract_strided_slice %3 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
    %56 = vector.extract_strided_slice %55 {offsets = [0], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %57 = arith.extf %56 : vector<8xf16> to vector<8xf32>
    %58 = arith.addf %57, %cst : vector<8xf32>
    %59 = arith.mulf %58, %57 : vector<8xf32>
    xegpu.store_nd %59, %8[%c0, %c48] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %60 = vector.extract_strided_slice %55 {offsets = [8], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %61 = arith.extf %60 : vector<8xf16> to vector<8xf32>
    %62 = arith.addf %61, %cst : vector<8xf32>
    %63 = arith.mulf %62, %61 : vector<8xf32>
    xegpu.store_nd %63, %8[%c8, %c48] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %64 = vector.extract_strided_slice %55 {offsets = [16], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %65 = arith.extf %64 : vector<8xf16> to vector<8xf32>
    %66 = arith.addf %65, %cst : vector<8xf32>
    %67 = arith.mulf %66, %65 : vector<8xf32>
    xegpu.store_nd %67, %8[%c16, %c48] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %68 = vector.extract_strided_slice %55 {offsets = [24], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
    %69 = arith.extf %68 : vector<8xf16> to vector<8xf32>
    %70 = arith.addf %69, %cst : vector<8xf32>
    %71 = arith.mulf %70, %69 : vector<8xf32>
    xegpu.store_nd %71, %8[%c24, %c48] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// after share_headers
gpu.module @chain {
  gpu.func @chain(%X: memref<?x?xf16, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f16", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %0 = %c0 to %c1 step %c1 {
      %c0_0 = arith.constant 0 : index
      %c1_0 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %cst = arith.constant dense<1.0> : vector<8xf32>
      %1 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1_0] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
      %2 = xegpu.load_nd %1[%c0_0, %c0_0] : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
      %3 = vector.extract_strided_slice %2 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %4 = xegpu.load_nd %1[%c0_0, %c32] : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
      %5 = vector.extract_strided_slice %3 {offsets = [0], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %6 = arith.extf %5 : vector<8xf16> to vector<8xf32>
      %7 = arith.addf %6, %cst : vector<8xf32>
      %8 = arith.mulf %7, %6 : vector<8xf32>
      %9 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1_0] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
      xegpu.store_nd %8, %9[%c0_0, %c0_0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %c8 = arith.constant 8 : index
      %10 = vector.extract_strided_slice %3 {offsets = [8], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %11 = arith.extf %10 : vector<8xf16> to vector<8xf32>
      %12 = arith.addf %11, %cst : vector<8xf32>
      %13 = arith.mulf %12, %11 : vector<8xf32>
      xegpu.store_nd %13, %9[%c8, %c0_0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %c16 = arith.constant 16 : index
      %14 = vector.extract_strided_slice %3 {offsets = [16], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %15 = arith.extf %14 : vector<8xf16> to vector<8xf32>
      %16 = arith.addf %15, %cst : vector<8xf32>
      %17 = arith.mulf %16, %15 : vector<8xf32>
      xegpu.store_nd %17, %9[%c16, %c0_0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %c24 = arith.constant 24 : index
      %18 = vector.extract_strided_slice %3 {offsets = [24], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %19 = arith.extf %18 : vector<8xf16> to vector<8xf32>
      %20 = arith.addf %19, %cst : vector<8xf32>
      %21 = arith.mulf %20, %19 : vector<8xf32>
      xegpu.store_nd %21, %9[%c24, %c0_0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %22 = vector.extract_strided_slice %2 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %23 = vector.extract_strided_slice %22 {offsets = [0], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %24 = arith.extf %23 : vector<8xf16> to vector<8xf32>
      %25 = arith.addf %24, %cst : vector<8xf32>
      %26 = arith.mulf %25, %24 : vector<8xf32>
      xegpu.store_nd %26, %9[%c0_0, %c16] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %27 = vector.extract_strided_slice %22 {offsets = [8], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %28 = arith.extf %27 : vector<8xf16> to vector<8xf32>
      %29 = arith.addf %28, %cst : vector<8xf32>
      %30 = arith.mulf %29, %28 : vector<8xf32>
      xegpu.store_nd %30, %9[%c8, %c16] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %31 = vector.extract_strided_slice %22 {offsets = [16], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %32 = arith.extf %31 : vector<8xf16> to vector<8xf32>
      %33 = arith.addf %32, %cst : vector<8xf32>
      %34 = arith.mulf %33, %32 : vector<8xf32>
      xegpu.store_nd %34, %9[%c16, %c16] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %35 = vector.extract_strided_slice %22 {offsets = [24], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %36 = arith.extf %35 : vector<8xf16> to vector<8xf32>
      %37 = arith.addf %36, %cst : vector<8xf32>
      %38 = arith.mulf %37, %36 : vector<8xf32>
      xegpu.store_nd %38, %9[%c24, %c16] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %39 = vector.extract_strided_slice %4 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %40 = vector.extract_strided_slice %39 {offsets = [0], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %41 = arith.extf %40 : vector<8xf16> to vector<8xf32>
      %42 = arith.addf %41, %cst : vector<8xf32>
      %43 = arith.mulf %42, %41 : vector<8xf32>
      xegpu.store_nd %43, %9[%c0_0, %c32] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %44 = vector.extract_strided_slice %39 {offsets = [8], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %45 = arith.extf %44 : vector<8xf16> to vector<8xf32>
      %46 = arith.addf %45, %cst : vector<8xf32>
      %47 = arith.mulf %46, %45 : vector<8xf32>
      xegpu.store_nd %47, %9[%c8, %c32] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %48 = vector.extract_strided_slice %39 {offsets = [16], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %49 = arith.extf %48 : vector<8xf16> to vector<8xf32>
      %50 = arith.addf %49, %cst : vector<8xf32>
      %51 = arith.mulf %50, %49 : vector<8xf32>
      xegpu.store_nd %51, %9[%c16, %c32] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %52 = vector.extract_strided_slice %39 {offsets = [24], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %53 = arith.extf %52 : vector<8xf16> to vector<8xf32>
      %54 = arith.addf %53, %cst : vector<8xf32>
      %55 = arith.mulf %54, %53 : vector<8xf32>
      xegpu.store_nd %55, %9[%c24, %c32] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %c48 = arith.constant 48 : index
      %56 = vector.extract_strided_slice %4 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %57 = vector.extract_strided_slice %56 {offsets = [0], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %58 = arith.extf %57 : vector<8xf16> to vector<8xf32>
      %59 = arith.addf %58, %cst : vector<8xf32>
      %60 = arith.mulf %59, %58 : vector<8xf32>
      xegpu.store_nd %60, %9[%c0_0, %c48] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %61 = vector.extract_strided_slice %56 {offsets = [8], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %62 = arith.extf %61 : vector<8xf16> to vector<8xf32>
      %63 = arith.addf %62, %cst : vector<8xf32>
      %64 = arith.mulf %63, %62 : vector<8xf32>
      xegpu.store_nd %64, %9[%c8, %c48] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %65 = vector.extract_strided_slice %56 {offsets = [16], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %66 = arith.extf %65 : vector<8xf16> to vector<8xf32>
      %67 = arith.addf %66, %cst : vector<8xf32>
      %68 = arith.mulf %67, %66 : vector<8xf32>
      xegpu.store_nd %68, %9[%c16, %c48] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %69 = vector.extract_strided_slice %56 {offsets = [24], sizes = [8], strides = [1]} : vector<32xf16> to vector<8xf16>
      %70 = arith.extf %69 : vector<8xf16> to vector<8xf32>
      %71 = arith.addf %70, %cst : vector<8xf32>
      %72 = arith.mulf %71, %70 : vector<8xf32>
      xegpu.store_nd %72, %9[%c24, %c48] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    } {once}
    gpu.return
  }
}
