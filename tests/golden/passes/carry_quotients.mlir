// before carry_quotients
gpu.module @rolling {
  gpu.func @rolling(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %0 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %1 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    scf.for %n = %c0 to %Y_d1 step %c16 {
      %2 = arith.remui %n, %X_d1 : index
      %3 = xegpu.load_nd %0[%c0, %2] : !xegpu.tensor_desc<8x16xf32> -> vector<8xf32>
      xegpu.store_nd %3, %1[%c0, %n] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    }
    gpu.return
  }
}

// after carry_quotients
gpu.module @rolling {
  gpu.func @rolling(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %0 = xegpu.create_nd_tdesc %X, shape : [%X_d0, %X_d1], strides : [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %1 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    %c1_0 = arith.constant 1 : index
    %2 = arith.maxui %X_d1, %c1_0 : index
    %c16_0 = arith.constant 16 : index
    %3 = arith.divui %c16_0, %2 : index
    %4 = arith.remui %c16_0, %2 : index
    %5 = arith.addi %3, %c1_0 : index
    %6, %7 = scf.for %n = %c0 to %Y_d1 step %c16 iter_args(%8 = %c0, %9 = %c0) -> (index, index) {
      %10 = xegpu.load_nd %0[%c0, %9] : !xegpu.tensor_desc<8x16xf32> -> vector<8xf32>
      xegpu.store_nd %10, %1[%c0, %n] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
      %11 = arith.addi %9, %4 : index
      %12 = arith.cmpi uge, %11, %2 : index
      %13 = arith.select %12, %5, %3 : index
      %14 = arith.addi %8, %13 : index
      %15 = arith.subi %11, %2 : index
      %16 = arith.select %12, %15, %11 : index
      scf.yield %14, %16 : index, index
    }
    gpu.return
  }
}
