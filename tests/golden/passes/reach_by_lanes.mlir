// before reach_by_lanes
gpu.module @m {
  gpu.func @kernel(%A: memref<64x12xf16>) kernel attributes {xetile.level = "lane"} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c3 = arith.constant 3 : index
    %c0_0 = arith.constant 0 : index
    %a = xegpu.create_nd_tdesc %A[%c3, %c0_0] : memref<64x12xf16> -> !xegpu.tensor_desc<2x16xf16>
    %v = xegpu.load_nd %a : !xegpu.tensor_desc<2x16xf16> -> vector<2xf16>
    xegpu.store_nd %v, %a : vector<2xf16>, !xegpu.tensor_desc<2x16xf16>
    gpu.return
  }
}

// after reach_by_lanes
gpu.module @m {
  gpu.func @kernel(%A: memref<64x12xf16>) kernel attributes {xetile.level = "lane"} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c3 = arith.constant 3 : index
    %c0_0 = arith.constant 0 : index
    %a = xegpu.create_nd_tdesc %A[%c3, %c0_0] : memref<64x12xf16> -> !xegpu.tensor_desc<2x16xf16>
    %c64_0 = arith.constant 64 : index
    %c12 = arith.constant 12 : index
    %c12_0 = arith.constant 12 : index
    %c1 = arith.constant 1 : index
    %c2147483647 = arith.constant 2147483647 : index
    %0 = memref.reinterpret_cast %A to offset: [0], sizes: [%c2147483647], strides: [1] : memref<64x12xf16> to memref<?xf16, strided<[1]>>
    %c0_f16 = arith.constant 0.0 : f16
    %c0_f16_0 = arith.constant dense<0.0> : vector<2xf16>
    %c64_1 = arith.constant 64 : index
    %c12_1 = arith.constant 12 : index
    %c12_2 = arith.constant 12 : index
    %c1_0 = arith.constant 1 : index
    %c2147483647_0 = arith.constant 2147483647 : index
    %1 = memref.reinterpret_cast %A to offset: [0], sizes: [%c2147483647_0], strides: [1] : memref<64x12xf16> to memref<?xf16, strided<[1]>>
    %2 = gpu.lane_id
    %c0_1 = arith.constant 0 : index
    %c0_2 = arith.constant 0 : index
    %3 = arith.addi %2, %c0_2 : index
    %4 = arith.addi %c3, %c0_1 : index
    %5 = arith.addi %c0_0, %3 : index
    %6 = arith.cmpi ult, %4, %c64_1 : index
    %7 = arith.cmpi ult, %5, %c12_1 : index
    %8 = arith.muli %4, %c12_2 : index
    %9 = arith.muli %5, %c1_0 : index
    %10 = arith.addi %8, %9 : index
    %11 = arith.andi %6, %7 : i1
    %12 = xegpu.load %0[%10], %11 : memref<?xf16, strided<[1]>>, index, i1 -> f16
    %13 = arith.select %11, %12, %c0_f16 : f16
    %14 = vector.insert %13, %c0_f16_0[0] : f16 into vector<2xf16>
    %c1_1 = arith.constant 1 : index
    %c0_3 = arith.constant 0 : index
    %15 = arith.addi %2, %c0_3 : index
    %16 = arith.addi %c3, %c1_1 : index
    %17 = arith.addi %c0_0, %15 : index
    %18 = arith.cmpi ult, %16, %c64_1 : index
    %19 = arith.cmpi ult, %17, %c12_1 : index
    %20 = arith.muli %16, %c12_2 : index
    %21 = arith.muli %17, %c1_0 : index
    %22 = arith.addi %20, %21 : index
    %23 = arith.andi %18, %19 : i1
    %24 = xegpu.load %0[%22], %23 : memref<?xf16, strided<[1]>>, index, i1 -> f16
    %25 = arith.select %23, %24, %c0_f16 : f16
    %26 = vector.insert %25, %14[1] : f16 into vector<2xf16>
    %c64_2 = arith.constant 64 : index
    %c12_3 = arith.constant 12 : index
    %c12_4 = arith.constant 12 : index
    %c1_2 = arith.constant 1 : index
    %c2147483647_1 = arith.constant 2147483647 : index
    %27 = memref.reinterpret_cast %A to offset: [0], sizes: [%c2147483647_1], strides: [1] : memref<64x12xf16> to memref<?xf16, strided<[1]>>
    %c64_3 = arith.constant 64 : index
    %c12_5 = arith.constant 12 : index
    %c12_6 = arith.constant 12 : index
    %c1_3 = arith.constant 1 : index
    %c2147483647_2 = arith.constant 2147483647 : index
    %28 = memref.reinterpret_cast %A to offset: [0], sizes: [%c2147483647_2], strides: [1] : memref<64x12xf16> to memref<?xf16, strided<[1]>>
    %29 = gpu.lane_id
    %c0_4 = arith.constant 0 : index
    %c0_5 = arith.constant 0 : index
    %30 = arith.addi %29, %c0_5 : index
    %31 = arith.addi %c3, %c0_4 : index
    %32 = arith.addi %c0_0, %30 : index
    %33 = arith.cmpi ult, %31, %c64_3 : index
    %34 = arith.cmpi ult, %32, %c12_5 : index
    %35 = arith.muli %31, %c12_6 : index
    %36 = arith.muli %32, %c1_3 : index
    %37 = arith.addi %35, %36 : index
    %38 = arith.andi %33, %34 : i1
    %39 = vector.extract %26[0] : f16 from vector<2xf16>
    xegpu.store %39, %27[%37], %38 : f16, memref<?xf16, strided<[1]>>, index, i1
    %c1_4 = arith.constant 1 : index
    %c0_6 = arith.constant 0 : index
    %40 = arith.addi %29, %c0_6 : index
    %41 = arith.addi %c3, %c1_4 : index
    %42 = arith.addi %c0_0, %40 : index
    %43 = arith.cmpi ult, %41, %c64_3 : index
    %44 = arith.cmpi ult, %42, %c12_5 : index
    %45 = arith.muli %41, %c12_6 : index
    %46 = arith.muli %42, %c1_3 : index
    %47 = arith.addi %45, %46 : index
    %48 = arith.andi %43, %44 : i1
    %49 = vector.extract %26[1] : f16 from vector<2xf16>
    xegpu.store %49, %27[%47], %48 : f16, memref<?xf16, strided<[1]>>, index, i1
    gpu.return
  }
}
