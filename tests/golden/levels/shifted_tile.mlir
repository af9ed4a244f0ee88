// xegpu
gpu.module @copied {
  gpu.func @copied(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %Out: memref<?x?xf16, strided<[?, 1]>>, %Out_d0: index, %Out_d1: index, %Out_s0: index, %y: i32, %n: i32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array Out f16", "dim Out 0", "dim Out 1", "stride Out 0", "scalar y i32", "scalar n i32"], xetile.index_bits = 32 : i64, xetile.level = "xegpu", xetile.num_subgroups = 1 : i64} {
    %c4_i32 = arith.constant 4 : i32
    %c1_i32 = arith.constant 1 : i32
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %cst = arith.constant -1 : index
    %0 = arith.muli %n, %c4_i32 : i32
    %1 = arith.addi %0, %c1_i32 : i32
    %2 = arith.index_cast %y : i32 to index
    %3 = arith.index_cast %1 : i32 to index
    %4 = arith.addi %3, %cst : index
    %5 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %6 = xegpu.load_nd %5[%2, %4] {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x8x16xf16>
    %7 = vector.extract %6[0] {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16> from vector<2x8x16xf16>
    %8 = vector.extract %6[1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16> from vector<2x8x16xf16>
    %c0_f16 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} dense<0.0> : vector<8x32xf16>
    %9 = vector.insert_strided_slice %7, %c0_f16 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<8x16xf16> into vector<8x32xf16>
    %10 = vector.insert_strided_slice %8, %9 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, offsets = [0, 16], strides = [1, 1]} : vector<8x16xf16> into vector<8x32xf16>
    %11 = vector.extract_strided_slice %10 {layout_result_0 = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, offsets = [0, 1], sizes = [8, 16], strides = [1, 1]} : vector<8x32xf16> to vector<8x16xf16>
    %12 = xegpu.create_nd_tdesc %Out, shape : [%Out_d0, %Out_d1], strides : [%Out_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf16>
    xegpu.store_nd %11, %12[%c0, %c0] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
    gpu.return
  }
}


// lane
gpu.module @copied {
  gpu.func @copied(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %Out: memref<?x?xf16, strided<[?, 1]>>, %Out_d0: index, %Out_d1: index, %Out_s0: index, %y: i32, %n: i32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array Out f16", "dim Out 0", "dim Out 1", "stride Out 0", "scalar y i32", "scalar n i32"], xetile.grf = 128 : i64, xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.live_bytes = 782 : i64, xetile.num_subgroups = 1 : i64} {
    %c4_i32 = arith.constant 4 : i32
    %c1_i32 = arith.constant 1 : i32
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %cst = arith.constant -1 : index
    %c15_i32 = arith.constant 15 : i32
    %c16_i32 = arith.constant 16 : i32
    %0 = arith.muli %n, %c4_i32 : i32
    %1 = arith.addi %0, %c1_i32 : i32
    %2 = arith.index_cast %y : i32 to index
    %3 = arith.index_cast %1 : i32 to index
    %4 = arith.addi %3, %cst : index
    %5 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %6 = xegpu.load_nd %5[%2, %4] : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<16xf16>
    %7 = vector.extract_strided_slice %6 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %8 = vector.extract_strided_slice %6 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %9, %10 = gpu.shuffle down %7, %c1_i32, %c16_i32 : vector<8xf16>
    %11, %12 = gpu.shuffle up %8, %c15_i32, %c16_i32 : vector<8xf16>
    %13 = arith.select %10, %9, %11 : vector<8xf16>
    %14 = xegpu.create_nd_tdesc %Out, shape : [%Out_d0, %Out_d1], strides : [%Out_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf16>
    xegpu.store_nd %13, %14[%c0, %c0] : vector<8xf16>, !xegpu.tensor_desc<8x16xf16>
    gpu.return
  }
}
