// before vectorize_row_slices
gpu.module @joint {
  gpu.func @joint(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 64 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant 1.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst_0 = arith.constant 2.0 : f32
    %cst_1 = arith.constant 0.0 : f32
    %0 = joint_matrix.fill %cst_1 : f32 -> !joint_matrix.matrix<8x16xf32, "acc">
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %1 = scf.for %i = %c0_0 to %c8 step %c1_0 iter_args(%2 = %0) -> (!joint_matrix.matrix<8x16xf32, "acc">) {
      %3 = joint_matrix.row_slice_id %2 %i : !joint_matrix.matrix<8x16xf32, "acc">
      %4 = joint_matrix.row_slice_insert_element %cst, %3 : f32, !joint_matrix.row_slice<!joint_matrix.matrix<8x16xf32, "acc">>
      %5 = joint_matrix.insert_row_slice_to_matrix %4 : !joint_matrix.row_slice<!joint_matrix.matrix<8x16xf32, "acc">>
      scf.yield %5 : !joint_matrix.matrix<8x16xf32, "acc">
    }
    %c8_0 = arith.constant 8 : index
    %c = scf.for %i_0 = %c0 to %c8_0 step %c1 iter_args(%c_0 = %1) -> (!joint_matrix.matrix<8x16xf32, "acc">) {
      %6 = joint_matrix.row_slice_id %c_0 %i_0 : !joint_matrix.matrix<8x16xf32, "acc">
      %7 = joint_matrix.row_slice_extract_element %6 : !joint_matrix.row_slice<!joint_matrix.matrix<8x16xf32, "acc">>
      %8 = arith.mulf %7, %cst_0 : f32
      %9 = joint_matrix.row_slice_id %c_0 %i_0 : !joint_matrix.matrix<8x16xf32, "acc">
      %10 = joint_matrix.row_slice_insert_element %8, %9 : f32, !joint_matrix.row_slice<!joint_matrix.matrix<8x16xf32, "acc">>
      %11 = joint_matrix.insert_row_slice_to_matrix %10 : !joint_matrix.row_slice<!joint_matrix.matrix<8x16xf32, "acc">>
      scf.yield %11 : !joint_matrix.matrix<8x16xf32, "acc">
    }
    %12 = arith.muli %c0, %Y_s0 : index
    %13 = arith.addi %12, %c0 : index
    %14 = arith.muli %Y_d0, %Y_s0 : index
    %15 = memref.reinterpret_cast %Y to offset: [0], sizes: [%14], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    joint_matrix.store %c, %15 %13 %Y_s0 : !joint_matrix.matrix<8x16xf32, "acc">, memref<?xf32, strided<[1]>>
    gpu.return
  }
}

// after vectorize_row_slices
gpu.module @joint {
  gpu.func @joint(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 64 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant 1.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst_0 = arith.constant 2.0 : f32
    %cst_1 = arith.constant 0.0 : f32
    %0 = joint_matrix.fill %cst_1 : f32 -> !joint_matrix.matrix<8x16xf32, "acc">
    %c0_0 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %1 = scf.for %i = %c0_0 to %c8 step %c1_0 iter_args(%2 = %0) -> (!joint_matrix.matrix<8x16xf32, "acc">) {
      %c16 = arith.constant 16 : index
      %3 = arith.muli %i, %c16 : index
      %4 = vector.broadcast %cst : f32 to vector<16xf32>
      %5 = joint_matrix.insert_row_slice %4, %2 %3 : vector<16xf32>, !joint_matrix.matrix<8x16xf32, "acc">
      scf.yield %5 : !joint_matrix.matrix<8x16xf32, "acc">
    }
    %c8_0 = arith.constant 8 : index
    %c = scf.for %i_0 = %c0 to %c8_0 step %c1 iter_args(%c_0 = %1) -> (!joint_matrix.matrix<8x16xf32, "acc">) {
      %c16_0 = arith.constant 16 : index
      %6 = arith.muli %i_0, %c16_0 : index
      %7 = joint_matrix.extract_row_slice %c_0 %6 : !joint_matrix.matrix<8x16xf32, "acc"> -> vector<16xf32>
      %8 = vector.broadcast %cst_0 : f32 to vector<16xf32>
      %9 = arith.mulf %7, %8 : vector<16xf32>
      %c16_1 = arith.constant 16 : index
      %10 = arith.muli %i_0, %c16_1 : index
      %11 = joint_matrix.insert_row_slice %9, %c_0 %10 : vector<16xf32>, !joint_matrix.matrix<8x16xf32, "acc">
      scf.yield %11 : !joint_matrix.matrix<8x16xf32, "acc">
    }
    %12 = arith.muli %c0, %Y_s0 : index
    %13 = arith.addi %12, %c0 : index
    %14 = arith.muli %Y_d0, %Y_s0 : index
    %15 = memref.reinterpret_cast %Y to offset: [0], sizes: [%14], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    joint_matrix.store %c, %15 %13 %Y_s0 : !joint_matrix.matrix<8x16xf32, "acc">, memref<?xf32, strided<[1]>>
    gpu.return
  }
}
