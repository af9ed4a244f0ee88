// before compare_with_rest
gpu.module @ends {
  gpu.func @ends(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %c0_i32 = arith.constant dense<0> : vector<1xi32>
    %0 = scf.for %n = %c0 to %X_d1 step %c16 iter_args(%count = %c0_i32) -> (vector<1xi32>) {
      %cst = arith.constant dense<[0]> : vector<1xindex>
      %1 = gpu.lane_id
      %2 = vector.broadcast %1 : index to vector<1xindex>
      %3 = vector.broadcast %n : index to vector<1xindex>
      %4 = arith.addi %3, %2 : vector<1xindex>
      %5 = vector.broadcast %X_d1 : index to vector<1xindex>
      %6 = arith.cmpi slt, %4, %5 : vector<1xindex>
      %7 = arith.extui %6 : vector<1xi1> to vector<1xi32>
      %8 = arith.addi %count, %7 : vector<1xi32>
      scf.yield %8 : vector<1xi32>
    }
    %9 = arith.sitofp %0 : vector<1xi32> to vector<1xf32>
    %10 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<1x16xf32>
    xegpu.store_nd %9, %10[%c0, %c0] : vector<1xf32>, !xegpu.tensor_desc<1x16xf32>
    gpu.return
  }
}

// after compare_with_rest
gpu.module @ends {
  gpu.func @ends(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %c0_i32 = arith.constant dense<0> : vector<1xi32>
    %0 = scf.for %n = %c0 to %X_d1 step %c16 iter_args(%count = %c0_i32) -> (vector<1xi32>) {
      %cst = arith.constant dense<0> : vector<1xindex>
      %1 = gpu.lane_id
      %2 = vector.broadcast %1 : index to vector<1xindex>
      %3 = vector.broadcast %n : index to vector<1xindex>
      %4 = arith.addi %3, %2 : vector<1xindex>
      %5 = vector.broadcast %X_d1 : index to vector<1xindex>
      %6 = arith.subi %X_d1, %n : index
      %7 = vector.broadcast %6 : index to vector<1xindex>
      %8 = arith.cmpi slt, %2, %7 : vector<1xindex>
      %9 = arith.extui %8 : vector<1xi1> to vector<1xi32>
      %10 = arith.addi %count, %9 : vector<1xi32>
      scf.yield %10 : vector<1xi32>
    }
    %11 = arith.sitofp %0 : vector<1xi32> to vector<1xf32>
    %12 = xegpu.create_nd_tdesc %Y, shape : [%Y_d0, %Y_d1], strides : [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<1x16xf32>
    xegpu.store_nd %11, %12[%c0, %c0] : vector<1xf32>, !xegpu.tensor_desc<1x16xf32>
    gpu.return
  }
}
