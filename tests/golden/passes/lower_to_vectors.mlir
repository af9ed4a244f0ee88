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
        %c4 = arith.constant 4 : index
        %20 = arith.cmpi sle, %c4, %16 : index
        %c16_3 = arith.constant 16 : index
        %21 = arith.cmpi sle, %c16_3, %16 : index
        scf.if %21 {
          %cst_3 = arith.constant -16 : index
          %22 = arith.addi %16, %cst_3 : index
          %c0_4 = arith.constant 0 : index
          %c16_4 = arith.constant 16 : index
          scf.for %23 = %c0_4 to %16 step %c16_4 {
            %24 = arith.minsi %23, %22 : index
            %25 = arith.addi %19, %24 : index
            %26 = arith.addi %17, %24 : index
            %27 = vector.load %0[%25] : memref<?xf32, strided<[1]>>, vector<16xf32>
            vector.store %27, %3[%26] : memref<?xf32, strided<[1]>>, vector<16xf32>
          }
        } else {
          scf.if %20 {
            %cst_4 = arith.constant -4 : index
            %28 = arith.addi %16, %cst_4 : index
            %c0_5 = arith.constant 0 : index
            %c4_0 = arith.constant 4 : index
            scf.for %29 = %c0_5 to %16 step %c4_0 {
              %30 = arith.minsi %29, %28 : index
              %31 = arith.addi %19, %30 : index
              %32 = arith.addi %17, %30 : index
              %33 = vector.load %0[%31] : memref<?xf32, strided<[1]>>, vector<4xf32>
              vector.store %33, %3[%32] : memref<?xf32, strided<[1]>>, vector<4xf32>
            }
          } else {
            %c0_6 = arith.constant 0 : index
            %c1_1 = arith.constant 1 : index
            scf.for %34 = %c0_6 to %16 step %c1_1 {
              %35 = arith.addi %19, %34 : index
              %36 = arith.addi %17, %34 : index
              %37 = memref.load %0[%35] : memref<?xf32, strided<[1]>>
              memref.store %37, %3[%36] : memref<?xf32, strided<[1]>>
            }
          }
        }
      }
    }
    %38 = arith.select %8, %0, %3 : memref<?xf32, strided<[1]>>
    %c16_5 = arith.constant 16 : index
    %39 = arith.select %8, %X_s0, %c16_5 : index
    %c8_1 = arith.constant 8 : index
    %40 = arith.cmpi sle, %c8_1, %Y_d0 : index
    %c16_6 = arith.constant 16 : index
    %41 = arith.cmpi sle, %c16_6, %Y_d1 : index
    %42 = arith.andi %40, %41 : i1
    %43 = arith.select %42, %1, %5 : memref<?xf32, strided<[1]>>
    %c16_7 = arith.constant 16 : index
    %44 = arith.select %42, %Y_s0, %c16_7 : index
    %c0_7 = arith.constant 0 : index
    %c8_2 = arith.constant 8 : index
    %c1_2 = arith.constant 1 : index
    scf.for %45 = %c0_7 to %c8_2 step %c1_2 {
      %46 = arith.muli %45, %39 : index
      %47 = vector.load %38[%46] : memref<?xf32, strided<[1]>>, vector<16xf32>
      %cst_5 = arith.constant dense<2.0> : vector<16xf32>
      %48 = arith.mulf %47, %cst_5 : vector<16xf32>
      %cst_6 = arith.constant dense<1.0> : vector<16xf32>
      %49 = arith.addf %48, %cst_6 : vector<16xf32>
      %50 = arith.muli %45, %44 : index
      vector.store %49, %43[%50] : memref<?xf32, strided<[1]>>, vector<16xf32>
    }
    %cst_7 = arith.constant true
    %51 = arith.xori %42, %cst_7 : i1
    scf.if %51 {
      %c0_8 = arith.constant 0 : index
      %c8_3 = arith.constant 8 : index
      %c1_3 = arith.constant 1 : index
      scf.for %52 = %c0_8 to %c8_3 step %c1_3 {
        %c0_9 = arith.constant 0 : index
        %53 = arith.cmpi sle, %c0_9, %52 : index
        %54 = arith.cmpi slt, %52, %Y_d0 : index
        %55 = arith.andi %53, %54 : i1
        %c0_10 = arith.constant 0 : index
        %56 = arith.maxsi %Y_d1, %c0_10 : index
        %c16_8 = arith.constant 16 : index
        %57 = arith.minsi %56, %c16_8 : index
        %c0_11 = arith.constant 0 : index
        %58 = arith.select %55, %57, %c0_11 : index
        %c16_9 = arith.constant 16 : index
        %59 = arith.muli %52, %c16_9 : index
        %60 = arith.muli %52, %Y_s0 : index
        %c4_1 = arith.constant 4 : index
        %61 = arith.cmpi sle, %c4_1, %58 : index
        %c16_10 = arith.constant 16 : index
        %62 = arith.cmpi sle, %c16_10, %58 : index
        scf.if %62 {
          %cst_8 = arith.constant -16 : index
          %63 = arith.addi %58, %cst_8 : index
          %c0_12 = arith.constant 0 : index
          %c16_11 = arith.constant 16 : index
          scf.for %64 = %c0_12 to %58 step %c16_11 {
            %65 = arith.minsi %64, %63 : index
            %66 = arith.addi %60, %65 : index
            %67 = arith.addi %59, %65 : index
            %68 = vector.load %5[%67] : memref<?xf32, strided<[1]>>, vector<16xf32>
            vector.store %68, %1[%66] : memref<?xf32, strided<[1]>>, vector<16xf32>
          }
        } else {
          scf.if %61 {
            %cst_9 = arith.constant -4 : index
            %69 = arith.addi %58, %cst_9 : index
            %c0_13 = arith.constant 0 : index
            %c4_2 = arith.constant 4 : index
            scf.for %70 = %c0_13 to %58 step %c4_2 {
              %71 = arith.minsi %70, %69 : index
              %72 = arith.addi %60, %71 : index
              %73 = arith.addi %59, %71 : index
              %74 = vector.load %5[%73] : memref<?xf32, strided<[1]>>, vector<4xf32>
              vector.store %74, %1[%72] : memref<?xf32, strided<[1]>>, vector<4xf32>
            }
          } else {
            %c0_14 = arith.constant 0 : index
            %c1_4 = arith.constant 1 : index
            scf.for %75 = %c0_14 to %58 step %c1_4 {
              %76 = arith.addi %60, %75 : index
              %77 = arith.addi %59, %75 : index
              %78 = memref.load %5[%77] : memref<?xf32, strided<[1]>>
              memref.store %78, %1[%76] : memref<?xf32, strided<[1]>>
            }
          }
        }
      }
    }
    gpu.return
  }
}
