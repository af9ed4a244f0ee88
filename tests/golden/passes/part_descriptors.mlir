// before part_descriptors
gpu.module @m {
  gpu.func @kernel(%A: memref<64x64xf16>, %B: memref<64x64xf16>) kernel attributes {xetile.level = "lane"} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
    %b = xegpu.create_nd_tdesc %B : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
    %first = arith.cmpi eq, %c0, %c16 : index
    %one = scf.if %first -> (!xegpu.tensor_desc<8x16xf16>) {
      scf.yield %a : !xegpu.tensor_desc<8x16xf16>
    } else {
      scf.yield %b : !xegpu.tensor_desc<8x16xf16>
    }
    %v = xegpu.load_nd %one : !xegpu.tensor_desc<8x16xf16> -> vector<8xf16>
    gpu.return
  }
}

// after part_descriptors
gpu.module @m {
  gpu.func @kernel(%A: memref<64x64xf16>, %B: memref<64x64xf16>) kernel attributes {xetile.level = "lane"} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
    %0 = xegpu.create_nd_tdesc %B : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
    %c0_0 = arith.constant 0 : index
    %1 = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
    %b = xegpu.create_nd_tdesc %B : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
    %c1 = arith.constant 1 : index
    %first = arith.cmpi eq, %c0, %c16 : index
    %2, %3, %4 = scf.if %first -> (index, !xegpu.tensor_desc<8x16xf16>, !xegpu.tensor_desc<8x16xf16>) {
      scf.yield %c0_0, %a, %0 : index, !xegpu.tensor_desc<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
    } else {
      scf.yield %c1, %1, %b : index, !xegpu.tensor_desc<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
    }
    %c0_1 = arith.constant 0 : index
    %5 = arith.cmpi eq, %2, %c0_1 : index
    %6 = scf.if %5 -> (vector<8xf16>) {
      %v = xegpu.load_nd %3 : !xegpu.tensor_desc<8x16xf16> -> vector<8xf16>
      scf.yield %v : vector<8xf16>
    } else {
      %v_0 = xegpu.load_nd %4 : !xegpu.tensor_desc<8x16xf16> -> vector<8xf16>
      scf.yield %v_0 : vector<8xf16>
    }
    gpu.return
  }
}
