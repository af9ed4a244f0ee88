// before resolve_matrix_wi_slice
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
    %1 = joint_matrix.wi_slice_length %0 : !joint_matrix.matrix<8x16xf32, "acc">
    %2 = scf.for %i = %c0_0 to %1 step %c1_0 iter_args(%3 = %0) -> (!joint_matrix.matrix<8x16xf32, "acc">) {
      %4 = joint_matrix.wi_slice_insert %cst, %3 %i : f32, !joint_matrix.matrix<8x16xf32, "acc">
      scf.yield %4 : !joint_matrix.matrix<8x16xf32, "acc">
    }
    %5 = joint_matrix.wi_slice_length %2 : !joint_matrix.matrix<8x16xf32, "acc">
    %c = scf.for %i_0 = %c0 to %5 step %c1 iter_args(%c_0 = %2) -> (!joint_matrix.matrix<8x16xf32, "acc">) {
      %6 = joint_matrix.wi_slice_extract %c_0 %i_0 : !joint_matrix.matrix<8x16xf32, "acc">
      %7 = arith.mulf %6, %cst_0 : f32
      %c_1 = joint_matrix.wi_slice_insert %7, %c_0 %i_0 : f32, !joint_matrix.matrix<8x16xf32, "acc">
      scf.yield %c_1 : !joint_matrix.matrix<8x16xf32, "acc">
    }
    %8 = arith.muli %c0, %Y_s0 : index
    %9 = arith.addi %8, %c0 : index
    %10 = arith.muli %Y_d0, %Y_s0 : index
    %11 = memref.reinterpret_cast %Y to offset: [0], sizes: [%10], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    joint_matrix.store %c, %11 %9 %Y_s0 : !joint_matrix.matrix<8x16xf32, "acc">, memref<?xf32, strided<[1]>>
    gpu.return
  }
}

// after resolve_matrix_wi_slice
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
