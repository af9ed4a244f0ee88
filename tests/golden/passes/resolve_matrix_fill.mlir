// before resolve_matrix_fill
gpu.module @joint {
  gpu.func @joint(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 64 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %cst = arith.constant 1.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst_0 = arith.constant 2.0 : f32
    %c = joint_matrix.fill %cst : f32 -> !joint_matrix.matrix<8x16xf32, "acc">
    %0 = joint_matrix.wi_slice_length %c : !joint_matrix.matrix<8x16xf32, "acc">
    %c_0 = scf.for %i = %c0 to %0 step %c1 iter_args(%c_1 = %c) -> (!joint_matrix.matrix<8x16xf32, "acc">) {
      %1 = joint_matrix.wi_slice_extract %c_1 %i : !joint_matrix.matrix<8x16xf32, "acc">
      %2 = arith.mulf %1, %cst_0 : f32
      %c_2 = joint_matrix.wi_slice_insert %2, %c_1 %i : f32, !joint_matrix.matrix<8x16xf32, "acc">
      scf.yield %c_2 : !joint_matrix.matrix<8x16xf32, "acc">
    }
    %3 = arith.muli %c0, %Y_s0 : index
    %4 = arith.addi %3, %c0 : index
    %5 = arith.muli %Y_d0, %Y_s0 : index
    %6 = memref.reinterpret_cast %Y to offset: [0], sizes: [%5], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    joint_matrix.store %c_0, %6 %4 %Y_s0 : !joint_matrix.matrix<8x16xf32, "acc">, memref<?xf32, strided<[1]>>
    gpu.return
  }
}

// after resolve_matrix_fill
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
    %c_0 = scf.for %i_0 = %c0 to %5 step %c1 iter_args(%c_1 = %2) -> (!joint_matrix.matrix<8x16xf32, "acc">) {
      %6 = joint_matrix.wi_slice_extract %c_1 %i_0 : !joint_matrix.matrix<8x16xf32, "acc">
      %7 = arith.mulf %6, %cst_0 : f32
      %c_2 = joint_matrix.wi_slice_insert %7, %c_1 %i_0 : f32, !joint_matrix.matrix<8x16xf32, "acc">
      scf.yield %c_2 : !joint_matrix.matrix<8x16xf32, "acc">
    }
    %8 = arith.muli %c0, %Y_s0 : index
    %9 = arith.addi %8, %c0 : index
    %10 = arith.muli %Y_d0, %Y_s0 : index
    %11 = memref.reinterpret_cast %Y to offset: [0], sizes: [%10], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    joint_matrix.store %c_0, %11 %9 %Y_s0 : !joint_matrix.matrix<8x16xf32, "acc">, memref<?xf32, strided<[1]>>
    gpu.return
  }
}
