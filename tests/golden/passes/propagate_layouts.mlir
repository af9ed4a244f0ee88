// before propagate_layouts
gpu.module @workgroup {
  gpu.func @workgroup(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "workgroup", xetile.num_subgroups = 8 : i64} {
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.0> : vector<128x128xf32>
    %c32 = arith.constant 32 : index
    %0 = gpu.block_id y
    %1 = arith.muli %0, %c128 : index
    %2 = gpu.block_id x
    %3 = arith.muli %2, %c128 : index
    %a = xegpu.create_nd_tdesc %A[%1, %c0], shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<128x32xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 32]>>
    %b = xegpu.create_nd_tdesc %B[%c0, %3], shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<32x128xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>
    %4, %5, %6 = scf.for %_ = %c0 to %A_d1 step %c32 iter_args(%a_0 = %a, %b_0 = %b, %acc = %cst) -> (!xegpu.tensor_desc<128x32xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 32]>>, !xegpu.tensor_desc<32x128xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>, vector<128x128xf32>) {
      xegpu.prefetch_nd %a_0 : !xegpu.tensor_desc<128x32xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 32]>>
      %7 = xegpu.load_nd %a_0 : !xegpu.tensor_desc<128x32xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 32]>> -> vector<128x32xf16>
      %8 = xegpu.load_nd %b_0 : !xegpu.tensor_desc<32x128xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>> -> vector<32x128xf16>
      %acc_0 = xegpu.dpas %7, %8, %acc : vector<128x32xf16>, vector<32x128xf16>, vector<128x128xf32> -> vector<128x128xf32>
      %a_1 = xegpu.update_nd_offset %a_0, [%c0, %c32] : !xegpu.tensor_desc<128x32xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 32]>>
      %b_1 = xegpu.update_nd_offset %b_0, [%c32, %c0] : !xegpu.tensor_desc<32x128xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>
      scf.yield %a_1, %b_1, %acc_0 : !xegpu.tensor_desc<128x32xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 32]>>, !xegpu.tensor_desc<32x128xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>, vector<128x128xf32>
    }
    %9 = arith.maximumf %6, %cst : vector<128x128xf32>
    %cst_0 = arith.constant dense<-0.0> : vector<128xf32>
    %10 = vector.multi_reduction <add>, %9, %cst_0 [1] : vector<128x128xf32> to vector<128xf32>
    %11 = vector.shape_cast %10 : vector<128xf32> to vector<128x1xf32>
    %12 = vector.broadcast %11 : vector<128x1xf32> to vector<128x128xf32>
    %13 = arith.addf %9, %12 : vector<128x128xf32>
    %14 = xegpu.create_nd_tdesc %C[%1, %3], shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<128x128xf32, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>
    xegpu.store_nd %13, %14 : vector<128x128xf32>, !xegpu.tensor_desc<128x128xf32, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>
    gpu.return
  }
}

// after propagate_layouts
gpu.module @workgroup {
  gpu.func @workgroup(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "workgroup", xetile.num_subgroups = 8 : i64} {
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant {layout_result_0 = #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>} dense<0.0> : vector<128x128xf32>
    %c32 = arith.constant 32 : index
    %0 = gpu.block_id y
    %1 = arith.muli %0, %c128 : index
    %2 = gpu.block_id x
    %3 = arith.muli %2, %c128 : index
    %a = xegpu.create_nd_tdesc %A[%1, %c0], shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<128x32xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 32]>>
    %b = xegpu.create_nd_tdesc %B[%c0, %3], shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<32x128xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>
    %4, %5, %6 = scf.for %_ = %c0 to %A_d1 step %c32 iter_args(%a_0 = %a, %b_0 = %b, %acc = %cst) -> (!xegpu.tensor_desc<128x32xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 32]>>, !xegpu.tensor_desc<32x128xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>, vector<128x128xf32>) {
      xegpu.prefetch_nd %a_0 : !xegpu.tensor_desc<128x32xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 32]>>
      %7 = xegpu.load_nd %a_0 {layout_result_0 = #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 32]>} : !xegpu.tensor_desc<128x32xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 32]>> -> vector<128x32xf16>
      %8 = xegpu.load_nd %b_0 {layout_result_0 = #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>} : !xegpu.tensor_desc<32x128xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>> -> vector<32x128xf16>
      %acc_0 = xegpu.dpas %7, %8, %acc {layout_result_0 = #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>} : vector<128x32xf16>, vector<32x128xf16>, vector<128x128xf32> -> vector<128x128xf32>
      %a_1 = xegpu.update_nd_offset %a_0, [%c0, %c32] : !xegpu.tensor_desc<128x32xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 32]>>
      %b_1 = xegpu.update_nd_offset %b_0, [%c32, %c0] : !xegpu.tensor_desc<32x128xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>
      scf.yield %a_1, %b_1, %acc_0 : !xegpu.tensor_desc<128x32xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 32]>>, !xegpu.tensor_desc<32x128xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>, vector<128x128xf32>
    } {layout_result_2 = #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>}
    %9 = arith.maximumf %6, %cst {layout_result_0 = #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>} : vector<128x128xf32>
    %cst_0 = arith.constant {layout_result_0 = #xegpu.slice<#xegpu.layout<sg_layout = [4, 2], sg_data = [32, 1]>, dims = [1]>} dense<-0.0> : vector<128xf32>
    %10 = vector.multi_reduction <add>, %9, %cst_0 {layout_result_0 = #xegpu.slice<#xegpu.layout<sg_layout = [4, 2], sg_data = [32, 1]>, dims = [1]>} [1] : vector<128x128xf32> to vector<128xf32>
    %11 = vector.shape_cast %10 {layout_result_0 = #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 1]>} : vector<128xf32> to vector<128x1xf32>
    %12 = vector.broadcast %11 {layout_result_0 = #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>} : vector<128x1xf32> to vector<128x128xf32>
    %13 = arith.addf %9, %12 {layout_result_0 = #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>} : vector<128x128xf32>
    %14 = xegpu.create_nd_tdesc %C[%1, %3], shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<128x128xf32, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>
    xegpu.store_nd %13, %14 : vector<128x128xf32>, !xegpu.tensor_desc<128x128xf32, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>
    gpu.return
  }
}
