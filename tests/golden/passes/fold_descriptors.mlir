// before fold_descriptors
gpu.module @m {
  gpu.func @kernel(%A: memref<64x64xf16>, %B: memref<64x64xf16>) kernel attributes {xetile.level = "lane"} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
    %b = xegpu.create_nd_tdesc %B : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
    %end = scf.for %k = %c0 to %c64 step %c16 iter_args(%at = %a) -> (!xegpu.tensor_desc<8x16xf16>) {
      %v = xegpu.load_nd %at : !xegpu.tensor_desc<8x16xf16> -> vector<8xf16>
      xegpu.store_nd %v, %b : vector<8xf16>, !xegpu.tensor_desc<8x16xf16>
      %next = xegpu.update_nd_offset %at, [%c0, %c16] : !xegpu.tensor_desc<8x16xf16>
      scf.yield %next : !xegpu.tensor_desc<8x16xf16>
    }
    gpu.return
  }
}

// after fold_descriptors
gpu.module @m {
  gpu.func @kernel(%A: memref<64x64xf16>, %B: memref<64x64xf16>) kernel attributes {xetile.level = "lane"} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c0_0 = arith.constant 0 : index
    %c0_1 = arith.constant 0 : index
    %0, %1 = scf.for %k = %c0 to %c64 step %c16 iter_args(%at = %c0_0, %at_0 = %c0_0) -> (index, index) {
      %2 = xegpu.create_nd_tdesc %A[%at, %at_0] : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
      %v = xegpu.load_nd %2 : !xegpu.tensor_desc<8x16xf16> -> vector<8xf16>
      %3 = xegpu.create_nd_tdesc %B[%c0_1, %c0_1] : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
      xegpu.store_nd %v, %3 : vector<8xf16>, !xegpu.tensor_desc<8x16xf16>
      %4 = arith.addi %at, %c0 : index
      %5 = arith.addi %at_0, %c16 : index
      scf.yield %4, %5 : index, index
    }
    gpu.return
  }
}
