// before lower_to_vectors
gpu.module @scaled {
  gpu.func @scaled(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<2.0> : vector<8x16xf32>
    %cst_0 = arith.constant dense<1.0> : vector<8x16xf32>
    %0 = xetile.init_tile %X[%c0, %c0], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    %tile = xetile.load_tile %0 : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %1 = arith.mulf %tile, %cst : vector<8x16xf32>
    %2 = arith.addf %1, %cst_0 : vector<8x16xf32>
    %3 = xetile.init_tile %Y[%c0, %c0], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %2, %3 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}

// after lower_to_vectors
gpu.module @scaled {
  gpu.func @scaled(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 64 : i64, xetile.level = "vectors", xetile.num_subgroups = 1 : i64, xetile.subgroup_size = 1 : i64} {
    %c4611686018427387904 = arith.constant 4611686018427387904 : index
    %0 = memref.reinterpret_cast %X to offset: [0], sizes: [%c4611686018427387904], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %c4611686018427387904_0 = arith.constant 4611686018427387904 : index
    %1 = memref.reinterpret_cast %Y to offset: [0], sizes: [%c4611686018427387904_0], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %2 = memref.alloca() : memref<128xf32>
    %c128 = arith.constant 128 : index
    %3 = memref.reinterpret_cast %2 to offset: [0], sizes: [%c128], strides: [1] : memref<128xf32> to memref<?xf32, strided<[1]>>
    %4 = memref.alloca() : memref<128xf32>
    %c128_0 = arith.constant 128 : index
    %5 = memref.reinterpret_cast %4 to offset: [0], sizes: [%c128_0], strides: [1] : memref<128xf32> to memref<?xf32, strided<[1]>>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 2.0 : f32
    %cst_0 = arith.constant 1.0 : f32
    %c8 = arith.constant 8 : index
    %6 = arith.cmpi sle, %c8, %X_d0 : index
    %c16 = arith.constant 16 : index
    %7 = arith.cmpi sle, %c16, %X_d1 : index
    %8 = arith.andi %6, %7 : i1
    %cst_1 = arith.constant true
    %9 = arith.xori %8, %cst_1 : i1
    scf.if %9 {
      %c0_0 = arith.constant 0 : index
      %c8_0 = arith.constant 8 : index
      %c1_0 = arith.constant 1 : index
      scf.for %10 = %c0_0 to %c8_0 step %c1_0 {
        %c0_1 = arith.constant 0 : index
        %11 = arith.cmpi sle, %c0_1, %10 : index
        %12 = arith.cmpi slt, %10, %X_d0 : index
        %13 = arith.andi %11, %12 : i1
        %c0_2 = arith.constant 0 : index
        %14 = arith.maxsi %X_d1, %c0_2 : index
        %c16_0 = arith.constant 16 : index
        %15 = arith.minsi %14, %c16_0 : index
        %c0_3 = arith.constant 0 : index
        %16 = arith.select %13, %15, %c0_3 : index
        %c16_1 = arith.constant 16 : index
        %17 = arith.muli %10, %c16_1 : index
        %c16_2 = arith.constant 16 : index
        %18 = arith.cmpi slt, %16, %c16_2 : index
        scf.if %18 {
          %cst_2 = arith.constant dense<0.0> : vector<16xf32>
          vector.store %cst_2, %3[%17] : memref<?xf32, strided<[1]>>, vector<16xf32>
        }
        %19 = arith.muli %10, %X_s0 : index
        %c16_3 = arith.constant 16 : index
        %20 = arith.divui %16, %c16_3 : index
        %c16_4 = arith.constant 16 : index
        %21 = arith.muli %20, %c16_4 : index
        %c0_4 = arith.constant 0 : index
        %c16_5 = arith.constant 16 : index
        scf.for %22 = %c0_4 to %21 step %c16_5 {
          %23 = arith.addi %19, %22 : index
          %24 = arith.addi %17, %22 : index
          %25 = vector.load %0[%23] : memref<?xf32, strided<[1]>>, vector<16xf32>
          vector.store %25, %3[%24] : memref<?xf32, strided<[1]>>, vector<16xf32>
        }
        %c1_1 = arith.constant 1 : index
        scf.for %26 = %21 to %16 step %c1_1 {
          %27 = arith.addi %19, %26 : index
          %28 = arith.addi %17, %26 : index
          %29 = memref.load %0[%27] : memref<?xf32, strided<[1]>>
          memref.store %29, %3[%28] : memref<?xf32, strided<[1]>>
        }
      }
    }
    %30 = arith.select %8, %0, %3 : memref<?xf32, strided<[1]>>
    %c16_6 = arith.constant 16 : index
    %31 = arith.select %8, %X_s0, %c16_6 : index
    %c8_1 = arith.constant 8 : index
    %32 = arith.cmpi sle, %c8_1, %Y_d0 : index
    %c16_7 = arith.constant 16 : index
    %33 = arith.cmpi sle, %c16_7, %Y_d1 : index
    %34 = arith.andi %32, %33 : i1
    %35 = arith.select %34, %1, %5 : memref<?xf32, strided<[1]>>
    %c16_8 = arith.constant 16 : index
    %36 = arith.select %34, %Y_s0, %c16_8 : index
    %c0_5 = arith.constant 0 : index
    %c8_2 = arith.constant 8 : index
    %c1_2 = arith.constant 1 : index
    scf.for %37 = %c0_5 to %c8_2 step %c1_2 {
      %38 = arith.muli %37, %31 : index
      %39 = vector.load %30[%38] : memref<?xf32, strided<[1]>>, vector<16xf32>
      %cst_3 = arith.constant dense<2.0> : vector<16xf32>
      %40 = arith.mulf %39, %cst_3 : vector<16xf32>
      %cst_4 = arith.constant dense<1.0> : vector<16xf32>
      %41 = arith.addf %40, %cst_4 : vector<16xf32>
      %42 = arith.muli %37, %36 : index
      vector.store %41, %35[%42] : memref<?xf32, strided<[1]>>, vector<16xf32>
    }
    %cst_5 = arith.constant true
    %43 = arith.xori %34, %cst_5 : i1
    scf.if %43 {
      %c0_6 = arith.constant 0 : index
      %c8_3 = arith.constant 8 : index
      %c1_3 = arith.constant 1 : index
      scf.for %44 = %c0_6 to %c8_3 step %c1_3 {
        %c0_7 = arith.constant 0 : index
        %45 = arith.cmpi sle, %c0_7, %44 : index
        %46 = arith.cmpi slt, %44, %Y_d0 : index
        %47 = arith.andi %45, %46 : i1
        %c0_8 = arith.constant 0 : index
        %48 = arith.maxsi %Y_d1, %c0_8 : index
        %c16_9 = arith.constant 16 : index
        %49 = arith.minsi %48, %c16_9 : index
        %c0_9 = arith.constant 0 : index
        %50 = arith.select %47, %49, %c0_9 : index
        %c16_10 = arith.constant 16 : index
        %51 = arith.muli %44, %c16_10 : index
        %52 = arith.muli %44, %Y_s0 : index
        %c16_11 = arith.constant 16 : index
        %53 = arith.divui %50, %c16_11 : index
        %c16_12 = arith.constant 16 : index
        %54 = arith.muli %53, %c16_12 : index
        %c0_10 = arith.constant 0 : index
        %c16_13 = arith.constant 16 : index
        scf.for %55 = %c0_10 to %54 step %c16_13 {
          %56 = arith.addi %52, %55 : index
          %57 = arith.addi %51, %55 : index
          %58 = vector.load %5[%57] : memref<?xf32, strided<[1]>>, vector<16xf32>
          vector.store %58, %1[%56] : memref<?xf32, strided<[1]>>, vector<16xf32>
        }
        %c1_4 = arith.constant 1 : index
        scf.for %59 = %54 to %50 step %c1_4 {
          %60 = arith.addi %52, %59 : index
          %61 = arith.addi %51, %59 : index
          %62 = memref.load %5[%61] : memref<?xf32, strided<[1]>>
          memref.store %62, %1[%60] : memref<?xf32, strided<[1]>>
        }
      }
    }
    gpu.return
  }
}
