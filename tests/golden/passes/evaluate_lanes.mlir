// before evaluate_lanes
gpu.module @shifted_by_rows {
  gpu.func @shifted_by_rows(%X: memref<?x?xi8, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xi8, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X u8", "dim X 0", "dim X 1", "stride X 0", "array Y u8", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3_index = arith.constant dense<3> : vector<1xindex>
    %c2_index = arith.constant dense<2> : vector<1xindex>
    %c8 = arith.constant 8 : index
    %c0_i32 = arith.constant 0 : i32
    %c16_i32 = arith.constant 16 : i32
    %c1_i32 = arith.constant 1 : i32
    %c2_i32 = arith.constant 2 : i32
    %c3_i32 = arith.constant 3 : i32
    %c4_i32 = arith.constant 4 : i32
    %c5_i32 = arith.constant 5 : i32
    %c6_i32 = arith.constant 6 : i32
    %c7_i32 = arith.constant 7 : i32
    %0 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xi8, #xegpu.block_tdesc_attr<array_length = 4 : i64>>
    %1 = xegpu.load_nd %0[%c0, %c0] : !xegpu.tensor_desc<8x16xi8, #xegpu.block_tdesc_attr<array_length = 4 : i64>> -> vector<32xi8>
    %2 = vector.extract_strided_slice %1 {offsets = [0], sizes = [8], strides = [1]} : vector<32xi8> to vector<8xi8>
    %3 = gpu.lane_id
    %4 = arith.remui %3, %c8 : index
    %5 = vector.broadcast %4 : index to vector<1xindex>
    %6 = arith.andi %5, %c3_index : vector<1xindex>
    %7 = arith.muli %6, %c2_index : vector<1xindex>
    %8 = arith.index_cast %7 : vector<1xindex> to vector<1xi8>
    %9 = vector.extract %8[0] : i8 from vector<1xi8>
    %10, %11 = gpu.shuffle idx %9, %c0_i32, %c16_i32 : i8
    %12, %13 = gpu.shuffle idx %9, %c1_i32, %c16_i32 : i8
    %14, %15 = gpu.shuffle idx %9, %c2_i32, %c16_i32 : i8
    %16, %17 = gpu.shuffle idx %9, %c3_i32, %c16_i32 : i8
    %18, %19 = gpu.shuffle idx %9, %c4_i32, %c16_i32 : i8
    %20, %21 = gpu.shuffle idx %9, %c5_i32, %c16_i32 : i8
    %22, %23 = gpu.shuffle idx %9, %c6_i32, %c16_i32 : i8
    %24, %25 = gpu.shuffle idx %9, %c7_i32, %c16_i32 : i8
    %26 = vector.broadcast %10 : i8 to vector<8xi8>
    %27 = vector.insert %12, %26[1] : i8 into vector<8xi8>
    %28 = vector.insert %14, %27[2] : i8 into vector<8xi8>
    %29 = vector.insert %16, %28[3] : i8 into vector<8xi8>
    %30 = vector.insert %18, %29[4] : i8 into vector<8xi8>
    %31 = vector.insert %20, %30[5] : i8 into vector<8xi8>
    %32 = vector.insert %22, %31[6] : i8 into vector<8xi8>
    %33 = vector.insert %24, %32[7] : i8 into vector<8xi8>
    %34 = arith.shrui %2, %33 : vector<8xi8>
    %35 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xi8, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xi8>
    xegpu.store_nd %34, %35[%c0, %c0] : vector<8xi8>, !xegpu.tensor_desc<8x16xi8>
    gpu.return
  }
}

// after evaluate_lanes
gpu.module @shifted_by_rows {
  gpu.func @shifted_by_rows(%X: memref<?x?xi8, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xi8, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X u8", "dim X 0", "dim X 1", "stride X 0", "array Y u8", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant true
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %0 = arith.remui %c0, %c8 : index
    %1 = vector.broadcast %0 : index to vector<1xindex>
    %c3_index = arith.constant dense<3> : vector<1xindex>
    %2 = arith.andi %1, %c3_index : vector<1xindex>
    %c2_index = arith.constant dense<2> : vector<1xindex>
    %3 = arith.muli %2, %c2_index : vector<1xindex>
    %4 = arith.index_cast %3 : vector<1xindex> to vector<1xi8>
    %5 = vector.extract %4[0] : i8 from vector<1xi8>
    %c1 = arith.constant 1 : index
    %6 = arith.remui %c1, %c8 : index
    %7 = vector.broadcast %6 : index to vector<1xindex>
    %8 = arith.andi %7, %c3_index : vector<1xindex>
    %9 = arith.muli %8, %c2_index : vector<1xindex>
    %10 = arith.index_cast %9 : vector<1xindex> to vector<1xi8>
    %11 = vector.extract %10[0] : i8 from vector<1xi8>
    %c2 = arith.constant 2 : index
    %12 = arith.remui %c2, %c8 : index
    %13 = vector.broadcast %12 : index to vector<1xindex>
    %14 = arith.andi %13, %c3_index : vector<1xindex>
    %15 = arith.muli %14, %c2_index : vector<1xindex>
    %16 = arith.index_cast %15 : vector<1xindex> to vector<1xi8>
    %17 = vector.extract %16[0] : i8 from vector<1xi8>
    %c3 = arith.constant 3 : index
    %18 = arith.remui %c3, %c8 : index
    %19 = vector.broadcast %18 : index to vector<1xindex>
    %20 = arith.andi %19, %c3_index : vector<1xindex>
    %21 = arith.muli %20, %c2_index : vector<1xindex>
    %22 = arith.index_cast %21 : vector<1xindex> to vector<1xi8>
    %23 = vector.extract %22[0] : i8 from vector<1xi8>
    %c4 = arith.constant 4 : index
    %24 = arith.remui %c4, %c8 : index
    %25 = vector.broadcast %24 : index to vector<1xindex>
    %26 = arith.andi %25, %c3_index : vector<1xindex>
    %27 = arith.muli %26, %c2_index : vector<1xindex>
    %28 = arith.index_cast %27 : vector<1xindex> to vector<1xi8>
    %29 = vector.extract %28[0] : i8 from vector<1xi8>
    %c5 = arith.constant 5 : index
    %30 = arith.remui %c5, %c8 : index
    %31 = vector.broadcast %30 : index to vector<1xindex>
    %32 = arith.andi %31, %c3_index : vector<1xindex>
    %33 = arith.muli %32, %c2_index : vector<1xindex>
    %34 = arith.index_cast %33 : vector<1xindex> to vector<1xi8>
    %35 = vector.extract %34[0] : i8 from vector<1xi8>
    %c6 = arith.constant 6 : index
    %36 = arith.remui %c6, %c8 : index
    %37 = vector.broadcast %36 : index to vector<1xindex>
    %38 = arith.andi %37, %c3_index : vector<1xindex>
    %39 = arith.muli %38, %c2_index : vector<1xindex>
    %40 = arith.index_cast %39 : vector<1xindex> to vector<1xi8>
    %41 = vector.extract %40[0] : i8 from vector<1xi8>
    %c7 = arith.constant 7 : index
    %42 = arith.remui %c7, %c8 : index
    %43 = vector.broadcast %42 : index to vector<1xindex>
    %44 = arith.andi %43, %c3_index : vector<1xindex>
    %45 = arith.muli %44, %c2_index : vector<1xindex>
    %46 = arith.index_cast %45 : vector<1xindex> to vector<1xi8>
    %47 = vector.extract %46[0] : i8 from vector<1xi8>
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %c3_index_0 = arith.constant dense<3> : vector<1xindex>
    %c2_index_0 = arith.constant dense<2> : vector<1xindex>
    %c8_0 = arith.constant 8 : index
    %c0_i32 = arith.constant 0 : i32
    %c16_i32 = arith.constant 16 : i32
    %c1_i32 = arith.constant 1 : i32
    %c2_i32 = arith.constant 2 : i32
    %c3_i32 = arith.constant 3 : i32
    %c4_i32 = arith.constant 4 : i32
    %c5_i32 = arith.constant 5 : i32
    %c6_i32 = arith.constant 6 : i32
    %c7_i32 = arith.constant 7 : i32
    %48 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1_0] : memref<?x?xi8, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xi8, #xegpu.block_tdesc_attr<array_length = 4 : i64>>
    %49 = xegpu.load_nd %48[%c0_0, %c0_0] : !xegpu.tensor_desc<8x16xi8, #xegpu.block_tdesc_attr<array_length = 4 : i64>> -> vector<32xi8>
    %50 = vector.extract_strided_slice %49 {offsets = [0], sizes = [8], strides = [1]} : vector<32xi8> to vector<8xi8>
    %51 = gpu.lane_id
    %52 = arith.remui %51, %c8_0 : index
    %53 = vector.broadcast %52 : index to vector<1xindex>
    %54 = arith.andi %53, %c3_index_0 : vector<1xindex>
    %55 = arith.muli %54, %c2_index_0 : vector<1xindex>
    %56 = arith.index_cast %55 : vector<1xindex> to vector<1xi8>
    %57 = vector.extract %56[0] : i8 from vector<1xi8>
    %58 = vector.broadcast %5 : i8 to vector<8xi8>
    %59 = vector.insert %11, %58[1] : i8 into vector<8xi8>
    %60 = vector.insert %17, %59[2] : i8 into vector<8xi8>
    %61 = vector.insert %23, %60[3] : i8 into vector<8xi8>
    %62 = vector.insert %29, %61[4] : i8 into vector<8xi8>
    %63 = vector.insert %35, %62[5] : i8 into vector<8xi8>
    %64 = vector.insert %41, %63[6] : i8 into vector<8xi8>
    %65 = vector.insert %47, %64[7] : i8 into vector<8xi8>
    %66 = arith.shrui %50, %65 : vector<8xi8>
    %67 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1_0] : memref<?x?xi8, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xi8>
    xegpu.store_nd %66, %67[%c0_0, %c0_0] : vector<8xi8>, !xegpu.tensor_desc<8x16xi8>
    gpu.return
  }
}
