// before raise_xegpu
gpu.module @blocks {
  gpu.func @blocks(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "layout", xetile.num_subgroups = 4 : i64} {
    %c1 = arith.constant 1 : index
    %cst = arith.constant {layout_result_0 = #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>} dense<0.0> : vector<32x32xf32>
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %cst_0 = arith.constant {layout_result_0 = #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>} dense<2.0> : vector<32x32xf32>
    %a = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<32x16xf16, #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>>
    %b = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<16x32xf16, #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>>
    %0 = scf.for %k = %c0 to %A_d1 step %c16 iter_args(%acc = %cst) -> (vector<32x32xf32>) {
      %1 = xegpu.load_nd %a[%c0, %k] {layout_result_0 = #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>} : !xegpu.tensor_desc<32x16xf16, #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>> -> vector<32x16xf16>
      %2 = xegpu.load_nd %b[%k, %c0] {layout_result_0 = #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>} : !xegpu.tensor_desc<16x32xf16, #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>> -> vector<16x32xf16>
      %acc_0 = xegpu.dpas %1, %2, %acc {layout_result_0 = #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>} : vector<32x16xf16>, vector<16x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
      scf.yield %acc_0 : vector<32x32xf32>
    } {layout_result_0 = #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>}
    %3 = arith.mulf %0, %cst_0 {layout_result_0 = #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>} : vector<32x32xf32>
    %4 = xegpu.create_nd_tdesc %C[%c0, %c0], shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<32x32xf32, #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>>
    xegpu.store_nd %3, %4 : vector<32x32xf32>, !xegpu.tensor_desc<32x32xf32, #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>>
    gpu.return
  }
}

// after raise_xegpu
gpu.module @blocks {
  gpu.func @blocks(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 4 : i64} {
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.0> : vector<32x32xf32>
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %cst_0 = arith.constant dense<2.0> : vector<32x32xf32>
    %c0_0 = arith.constant 0 : index
    %c0_1 = arith.constant 0 : index
    %0 = scf.for %k = %c0 to %A_d1 step %c16 iter_args(%acc = %cst) -> (vector<32x32xf32>) {
      %1 = xetile.init_tile %A[%c0, %k], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x16xf16>
      %2 = xetile.load_tile %1 : !xetile.tile<32x16xf16> -> vector<32x16xf16>
      %3 = xetile.init_tile %B[%k, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x32xf16>
      %4 = xetile.load_tile %3 : !xetile.tile<16x32xf16> -> vector<16x32xf16>
      %5 = xetile.tile_mma %2, %4, %acc {wg_map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>} : vector<32x16xf16>, vector<16x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
      scf.yield %5 : vector<32x32xf32>
    }
    %6 = arith.mulf %0, %cst_0 : vector<32x32xf32>
    %7 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
    xetile.store_tile %6, %7 : vector<32x32xf32>, !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
    gpu.return
  }
}
