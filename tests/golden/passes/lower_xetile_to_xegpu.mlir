// before lower_xetile_to_xegpu
gpu.module @two_loads {
  gpu.func @two_loads(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "blocked", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16, #xetile.tile_attr<inner_blocks = [16, 16]>>
    %1 = xetile.load_tile %0 : !xetile.tile<16x16xf16, #xetile.tile_attr<inner_blocks = [16, 16]>> -> vector<1x1x16x16xf16>
    %2 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x32xf16, #xetile.tile_attr<inner_blocks = [16, 16]>>
    %3 = xetile.load_tile %2 : !xetile.tile<16x32xf16, #xetile.tile_attr<inner_blocks = [16, 16]>> -> vector<1x2x16x16xf16>
    %4 = xetile.tile_unpack %1 {inner_blocks = array<i64: 16, 16>} : vector<1x1x16x16xf16> -> vector<16x16xf16>
    %5 = xetile.tile_pack %4 {inner_blocks = array<i64: 8, 16>} : vector<16x16xf16> -> vector<2x1x8x16xf16>
    %6 = xetile.tile_mma %5, %3 : vector<2x1x8x16xf16>, vector<1x2x16x16xf16> -> vector<2x2x8x16xf32>
    %7 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<16x32xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    xetile.store_tile %6, %7 : vector<2x2x8x16xf32>, !xetile.tile<16x32xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    gpu.return
  }
}

// after lower_xetile_to_xegpu
gpu.module @two_loads {
  gpu.func @two_loads(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xegpu", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16>
    %1 = xegpu.load_nd %0[%c0, %c0] {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : !xegpu.tensor_desc<16x16xf16> -> vector<16x16xf16>
    %2 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %3 = xegpu.load_nd %2[%c0, %c0] <{packed}> {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>} : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x8x16x2xf16>
    %4 = vector.extract %3[0] {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>} : vector<8x16x2xf16> from vector<2x8x16x2xf16>
    %5 = vector.extract %3[1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>} : vector<8x16x2xf16> from vector<2x8x16x2xf16>
    %6 = vector.extract_strided_slice %1 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, offsets = [0, 0], sizes = [8, 16], strides = [1, 1]} : vector<16x16xf16> to vector<8x16xf16>
    %7 = vector.extract_strided_slice %1 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, offsets = [8, 0], sizes = [8, 16], strides = [1, 1]} : vector<16x16xf16> to vector<8x16xf16>
    %8 = xegpu.dpas %6, %4 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %9 = xegpu.dpas %7, %4 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %10 = xegpu.dpas %6, %5 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %11 = xegpu.dpas %7, %5 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %12 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %8, %12[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c8 = arith.constant 8 : index
    %13 = arith.addi %c0, %c8 : index
    xegpu.store_nd %9, %12[%13, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %c16 = arith.constant 16 : index
    %14 = arith.addi %c0, %c16 : index
    xegpu.store_nd %10, %12[%c0, %14] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %11, %12[%13, %14] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
