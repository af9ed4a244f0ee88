// before block_xegpu
gpu.module @mixed_subgroup {
  gpu.func @mixed_subgroup(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "subgroup", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<1.0> : vector<32x64xf32>
    %0 = xegpu.create_nd_tdesc %A[%c0, %c0], shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<32x32xf16>
    %a = xegpu.load_nd %0 <{l1_hint = #xegpu.cache_hint<streaming>}> : !xegpu.tensor_desc<32x32xf16> -> vector<32x32xf16>
    %1 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<32x64xf16>
    %b = xegpu.load_nd %1[%c0, %c0] <{packed}> : !xegpu.tensor_desc<32x64xf16> -> vector<16x64x2xf16>
    %2 = xegpu.dpas %a, %b : vector<32x32xf16>, vector<16x64x2xf16> -> vector<32x64xf32>
    %3 = arith.addf %2, %cst : vector<32x64xf32>
    %4 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x64xf32>
    xetile.store_tile %3, %4 : vector<32x64xf32>, !xetile.tile<32x64xf32>
    gpu.return
  }
}

// after block_xegpu
gpu.module @mixed_subgroup {
  gpu.func @mixed_subgroup(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xegpu", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} dense<1.0> : vector<8x16xf32>
    %c0_0 = arith.constant 0 : index
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %1 = xegpu.load_nd %0[%c0, %c0] <{l1_hint = #xegpu.cache_hint<streaming>}> {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x32x16xf16>
    %2 = vector.extract %1[0] {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<32x16xf16> from vector<2x32x16xf16>
    %3 = vector.extract %1[1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<32x16xf16> from vector<2x32x16xf16>
    %c0_1 = arith.constant 0 : index
    %4 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %5 = xegpu.load_nd %4[%c0, %c0] <{packed}> {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>} : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x16x16x2xf16>
    %6 = vector.extract %5[0] {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>} : vector<16x16x2xf16> from vector<2x16x16x2xf16>
    %7 = vector.extract %5[1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>} : vector<16x16x2xf16> from vector<2x16x16x2xf16>
    %c0_2 = arith.constant 0 : index
    %8 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %c32 = arith.constant 32 : index
    %9 = arith.addi %c0, %c32 : index
    %10 = xegpu.load_nd %8[%c0, %9] <{packed}> {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>} : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x16x16x2xf16>
    %11 = vector.extract %10[0] {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>} : vector<16x16x2xf16> from vector<2x16x16x2xf16>
    %12 = vector.extract %10[1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>} : vector<16x16x2xf16> from vector<2x16x16x2xf16>
    %13 = vector.extract_strided_slice %2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, offsets = [0, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x16xf16> to vector<8x16xf16>
    %14 = vector.extract_strided_slice %3 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, offsets = [0, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x16xf16> to vector<8x16xf16>
    %15 = vector.extract_strided_slice %2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, offsets = [8, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x16xf16> to vector<8x16xf16>
    %16 = vector.extract_strided_slice %3 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, offsets = [8, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x16xf16> to vector<8x16xf16>
    %17 = vector.extract_strided_slice %2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, offsets = [16, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x16xf16> to vector<8x16xf16>
    %18 = vector.extract_strided_slice %3 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, offsets = [16, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x16xf16> to vector<8x16xf16>
    %19 = vector.extract_strided_slice %2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, offsets = [24, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x16xf16> to vector<8x16xf16>
    %20 = vector.extract_strided_slice %3 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, offsets = [24, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x16xf16> to vector<8x16xf16>
    %21 = vector.extract_strided_slice %6 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>, offsets = [0, 0, 0], sizes = [8, 16, 2], strides = [1, 1, 1]} : vector<16x16x2xf16> to vector<8x16x2xf16>
    %22 = vector.extract_strided_slice %7 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>, offsets = [0, 0, 0], sizes = [8, 16, 2], strides = [1, 1, 1]} : vector<16x16x2xf16> to vector<8x16x2xf16>
    %23 = vector.extract_strided_slice %11 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>, offsets = [0, 0, 0], sizes = [8, 16, 2], strides = [1, 1, 1]} : vector<16x16x2xf16> to vector<8x16x2xf16>
    %24 = vector.extract_strided_slice %12 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>, offsets = [0, 0, 0], sizes = [8, 16, 2], strides = [1, 1, 1]} : vector<16x16x2xf16> to vector<8x16x2xf16>
    %25 = vector.extract_strided_slice %6 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>, offsets = [8, 0, 0], sizes = [8, 16, 2], strides = [1, 1, 1]} : vector<16x16x2xf16> to vector<8x16x2xf16>
    %26 = vector.extract_strided_slice %7 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>, offsets = [8, 0, 0], sizes = [8, 16, 2], strides = [1, 1, 1]} : vector<16x16x2xf16> to vector<8x16x2xf16>
    %27 = vector.extract_strided_slice %11 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>, offsets = [8, 0, 0], sizes = [8, 16, 2], strides = [1, 1, 1]} : vector<16x16x2xf16> to vector<8x16x2xf16>
    %28 = vector.extract_strided_slice %12 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>, offsets = [8, 0, 0], sizes = [8, 16, 2], strides = [1, 1, 1]} : vector<16x16x2xf16> to vector<8x16x2xf16>
    %29 = xegpu.dpas %13, %21 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %30 = xegpu.dpas %15, %21 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %31 = xegpu.dpas %17, %21 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %32 = xegpu.dpas %19, %21 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %33 = xegpu.dpas %13, %22 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %34 = xegpu.dpas %15, %22 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %35 = xegpu.dpas %17, %22 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %36 = xegpu.dpas %19, %22 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %37 = xegpu.dpas %13, %23 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %38 = xegpu.dpas %15, %23 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %39 = xegpu.dpas %17, %23 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %40 = xegpu.dpas %19, %23 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %41 = xegpu.dpas %13, %24 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %42 = xegpu.dpas %15, %24 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %43 = xegpu.dpas %17, %24 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %44 = xegpu.dpas %19, %24 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %45 = xegpu.dpas %14, %25, %29 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %46 = xegpu.dpas %16, %25, %30 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %47 = xegpu.dpas %18, %25, %31 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %48 = xegpu.dpas %20, %25, %32 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %49 = xegpu.dpas %14, %26, %33 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %50 = xegpu.dpas %16, %26, %34 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %51 = xegpu.dpas %18, %26, %35 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %52 = xegpu.dpas %20, %26, %36 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %53 = xegpu.dpas %14, %27, %37 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %54 = xegpu.dpas %16, %27, %38 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %55 = xegpu.dpas %18, %27, %39 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %56 = xegpu.dpas %20, %27, %40 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %57 = xegpu.dpas %14, %28, %41 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %58 = xegpu.dpas %16, %28, %42 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %59 = xegpu.dpas %18, %28, %43 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %60 = xegpu.dpas %20, %28, %44 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %61 = arith.addf %45, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %62 = arith.addf %49, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %63 = arith.addf %53, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %64 = arith.addf %57, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %65 = arith.addf %46, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %66 = arith.addf %50, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %67 = arith.addf %54, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %68 = arith.addf %58, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %69 = arith.addf %47, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %70 = arith.addf %51, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %71 = arith.addf %55, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %72 = arith.addf %59, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %73 = arith.addf %48, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %74 = arith.addf %52, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %75 = arith.addf %56, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %76 = arith.addf %60, %cst {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf32>
    %c0_3 = arith.constant 0 : index
    %77 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %61, %77[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c0_4 = arith.constant 0 : index
    %78 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c8 = arith.constant 8 : index
    %79 = arith.addi %c0, %c8 : index
    xegpu.store_nd %65, %78[%79, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c0_5 = arith.constant 0 : index
    %80 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c16 = arith.constant 16 : index
    %81 = arith.addi %c0, %c16 : index
    xegpu.store_nd %69, %80[%81, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c0_6 = arith.constant 0 : index
    %82 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c24 = arith.constant 24 : index
    %83 = arith.addi %c0, %c24 : index
    xegpu.store_nd %73, %82[%83, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c0_7 = arith.constant 0 : index
    %84 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c16_0 = arith.constant 16 : index
    %85 = arith.addi %c0, %c16_0 : index
    xegpu.store_nd %62, %84[%c0, %85] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c0_8 = arith.constant 0 : index
    %86 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c8_0 = arith.constant 8 : index
    %87 = arith.addi %c0, %c8_0 : index
    %c16_1 = arith.constant 16 : index
    %88 = arith.addi %c0, %c16_1 : index
    xegpu.store_nd %66, %86[%87, %88] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c0_9 = arith.constant 0 : index
    %89 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c16_2 = arith.constant 16 : index
    %90 = arith.addi %c0, %c16_2 : index
    %c16_3 = arith.constant 16 : index
    %91 = arith.addi %c0, %c16_3 : index
    xegpu.store_nd %70, %89[%90, %91] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c0_10 = arith.constant 0 : index
    %92 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c24_0 = arith.constant 24 : index
    %93 = arith.addi %c0, %c24_0 : index
    %c16_4 = arith.constant 16 : index
    %94 = arith.addi %c0, %c16_4 : index
    xegpu.store_nd %74, %92[%93, %94] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c0_11 = arith.constant 0 : index
    %95 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c32_0 = arith.constant 32 : index
    %96 = arith.addi %c0, %c32_0 : index
    xegpu.store_nd %63, %95[%c0, %96] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c0_12 = arith.constant 0 : index
    %97 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c8_1 = arith.constant 8 : index
    %98 = arith.addi %c0, %c8_1 : index
    %c32_1 = arith.constant 32 : index
    %99 = arith.addi %c0, %c32_1 : index
    xegpu.store_nd %67, %97[%98, %99] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c0_13 = arith.constant 0 : index
    %100 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c16_5 = arith.constant 16 : index
    %101 = arith.addi %c0, %c16_5 : index
    %c32_2 = arith.constant 32 : index
    %102 = arith.addi %c0, %c32_2 : index
    xegpu.store_nd %71, %100[%101, %102] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c0_14 = arith.constant 0 : index
    %103 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c24_1 = arith.constant 24 : index
    %104 = arith.addi %c0, %c24_1 : index
    %c32_3 = arith.constant 32 : index
    %105 = arith.addi %c0, %c32_3 : index
    xegpu.store_nd %75, %103[%104, %105] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c0_15 = arith.constant 0 : index
    %106 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c48 = arith.constant 48 : index
    %107 = arith.addi %c0, %c48 : index
    xegpu.store_nd %64, %106[%c0, %107] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c0_16 = arith.constant 0 : index
    %108 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c8_2 = arith.constant 8 : index
    %109 = arith.addi %c0, %c8_2 : index
    %c48_0 = arith.constant 48 : index
    %110 = arith.addi %c0, %c48_0 : index
    xegpu.store_nd %68, %108[%109, %110] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c0_17 = arith.constant 0 : index
    %111 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c16_6 = arith.constant 16 : index
    %112 = arith.addi %c0, %c16_6 : index
    %c48_1 = arith.constant 48 : index
    %113 = arith.addi %c0, %c48_1 : index
    xegpu.store_nd %72, %111[%112, %113] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c0_18 = arith.constant 0 : index
    %114 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c24_2 = arith.constant 24 : index
    %115 = arith.addi %c0, %c24_2 : index
    %c48_2 = arith.constant 48 : index
    %116 = arith.addi %c0, %c48_2 : index
    xegpu.store_nd %76, %114[%115, %116] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
