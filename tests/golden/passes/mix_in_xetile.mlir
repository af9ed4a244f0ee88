// before mix_in_xetile
gpu.module @mixed_workgroup {
  gpu.func @mixed_workgroup(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[1, ?]>>, %B_d0: index, %B_d1: index, %B_s1: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 1", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "workgroup", xetile.num_subgroups = 8 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<2.0> : vector<128x128xf32>
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<128x32xf16>
    %a = xetile.load_tile %0 : !xetile.tile<128x32xf16> -> vector<128x32xf16>
    %1 = xetile.init_tile %B[%c0, %c0], [%B_d1, %B_d0], [%B_s1, %c1] : memref<?x?xf16, strided<[1, ?]>> -> !xetile.tile<32x128xf16>
    %b = xetile.load_tile %1 : !xetile.tile<32x128xf16> -> vector<32x128xf16>
    %2 = xetile.tile_iota 1 : vector<1x128xindex>
    %3 = arith.index_cast %2 : vector<1x128xindex> to vector<1x128xi32>
    %row = arith.sitofp %3 : vector<1x128xi32> to vector<1x128xf32>
    %4 = xetile.tile_mma %a, %b : vector<128x32xf16>, vector<32x128xf16> -> vector<128x128xf32>
    %5 = arith.mulf %4, %cst : vector<128x128xf32>
    %6 = xetile.tile_broadcast %row [0] : vector<1x128xf32> -> vector<128x128xf32>
    %7 = arith.addf %5, %6 : vector<128x128xf32>
    %8 = xegpu.create_nd_tdesc %C[%c0, %c0], shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<128x128xf32, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>
    xegpu.store_nd %7, %8 : vector<128x128xf32>, !xegpu.tensor_desc<128x128xf32, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>
    gpu.return
  }
}

// after mix_in_xetile
gpu.module @mixed_workgroup {
  gpu.func @mixed_workgroup(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[1, ?]>>, %B_d0: index, %B_d1: index, %B_s1: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 1", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "workgroup", xetile.num_subgroups = 8 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<2.0> : vector<128x128xf32>
    %0 = xegpu.create_nd_tdesc %A[%c0, %c0], shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xegpu.tensor_desc<128x32xf16>
    %1 = xegpu.load_nd %0 : !xegpu.tensor_desc<128x32xf16> -> vector<128x32xf16>
    %2 = xegpu.create_nd_tdesc %B[%c0, %c0], shape : [%B_d1, %B_d0], strides : [%B_s1, %c1] : memref<?x?xf16, strided<[1, ?]>> -> !xegpu.tensor_desc<32x128xf16>
    %3 = xegpu.load_nd %2 : !xegpu.tensor_desc<32x128xf16> -> vector<32x128xf16>
    %4 = vector.step : vector<128xindex>
    %5 = vector.shape_cast %4 : vector<128xindex> to vector<1x128xindex>
    %6 = arith.index_cast %5 : vector<1x128xindex> to vector<1x128xi32>
    %7 = arith.sitofp %6 : vector<1x128xi32> to vector<1x128xf32>
    %8 = xegpu.dpas %1, %3 : vector<128x32xf16>, vector<32x128xf16> -> vector<128x128xf32>
    %9 = arith.mulf %8, %cst : vector<128x128xf32>
    %10 = vector.broadcast %7 : vector<1x128xf32> to vector<128x128xf32>
    %11 = arith.addf %9, %10 : vector<128x128xf32>
    %12 = xegpu.create_nd_tdesc %C[%c0, %c0], shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<128x128xf32, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>
    xegpu.store_nd %11, %12 : vector<128x128xf32>, !xegpu.tensor_desc<128x128xf32, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 64]>>
    gpu.return
  }
}
