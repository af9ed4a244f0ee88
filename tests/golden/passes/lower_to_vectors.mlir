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
    %c0_0 = arith.constant 0 : index
    %9 = arith.maxsi %X_d0, %c0_0 : index
    %c8_0 = arith.constant 8 : index
    %10 = arith.minsi %9, %c8_0 : index
    %c0_1 = arith.constant 0 : index
    %11 = arith.maxsi %X_d1, %c0_1 : index
    %c16_0 = arith.constant 16 : index
    %12 = arith.minsi %11, %c16_0 : index
    %c16_1 = arith.constant 16 : index
    %13 = arith.cmpi sle, %c16_1, %12 : index
    %c16_2 = arith.constant 16 : index
    %c0_2 = arith.constant 0 : index
    %14 = arith.select %13, %c16_2, %c0_2 : index
    %cst_1 = arith.constant true
    %15 = arith.xori %8, %cst_1 : i1
    scf.if %15 {
      %c0_3 = arith.constant 0 : index
      %c8_1 = arith.constant 8 : index
      %c1_0 = arith.constant 1 : index
      scf.for %16 = %c0_3 to %c8_1 step %c1_0 {
        %c0_4 = arith.constant 0 : index
        %17 = arith.cmpi sle, %c0_4, %16 : index
        %18 = arith.cmpi slt, %16, %X_d0 : index
        %19 = arith.andi %17, %18 : i1
        %c0_5 = arith.constant 0 : index
        %20 = arith.maxsi %X_d1, %c0_5 : index
        %c16_3 = arith.constant 16 : index
        %21 = arith.minsi %20, %c16_3 : index
        %c0_6 = arith.constant 0 : index
        %22 = arith.select %19, %21, %c0_6 : index
        %c16_4 = arith.constant 16 : index
        %23 = arith.muli %16, %c16_4 : index
        %c16_5 = arith.constant 16 : index
        %24 = arith.cmpi slt, %22, %c16_5 : index
        scf.if %24 {
          %cst_2 = arith.constant dense<0.0> : vector<16xf32>
          vector.store %cst_2, %3[%23] : memref<?xf32, strided<[1]>>, vector<16xf32>
        }
        %c0_7 = arith.constant 0 : index
        %25 = arith.maxsi %c0_7, %14 : index
        %26 = arith.minsi %25, %22 : index
        %27 = arith.muli %16, %X_s0 : index
        %28 = arith.subi %22, %26 : index
        %c16_6 = arith.constant 16 : index
        %29 = arith.divui %28, %c16_6 : index
        %c16_7 = arith.constant 16 : index
        %30 = arith.muli %29, %c16_7 : index
        %31 = arith.addi %26, %30 : index
        %c16_8 = arith.constant 16 : index
        scf.for %32 = %26 to %31 step %c16_8 {
          %33 = arith.addi %27, %32 : index
          %34 = arith.addi %23, %32 : index
          %35 = vector.load %0[%33] : memref<?xf32, strided<[1]>>, vector<16xf32>
          vector.store %35, %3[%34] : memref<?xf32, strided<[1]>>, vector<16xf32>
        }
        %c8_2 = arith.constant 8 : index
        %36 = arith.addi %31, %c8_2 : index
        %37 = arith.cmpi sle, %36, %22 : index
        scf.if %37 {
          %38 = arith.addi %27, %31 : index
          %39 = arith.addi %23, %31 : index
          %40 = vector.load %0[%38] : memref<?xf32, strided<[1]>>, vector<8xf32>
          vector.store %40, %3[%39] : memref<?xf32, strided<[1]>>, vector<8xf32>
        }
        %c8_3 = arith.constant 8 : index
        %41 = arith.addi %31, %c8_3 : index
        %42 = arith.select %37, %41, %31 : index
        %c4 = arith.constant 4 : index
        %43 = arith.addi %42, %c4 : index
        %44 = arith.cmpi sle, %43, %22 : index
        scf.if %44 {
          %45 = arith.addi %27, %42 : index
          %46 = arith.addi %23, %42 : index
          %47 = vector.load %0[%45] : memref<?xf32, strided<[1]>>, vector<4xf32>
          vector.store %47, %3[%46] : memref<?xf32, strided<[1]>>, vector<4xf32>
        }
        %c4_0 = arith.constant 4 : index
        %48 = arith.addi %42, %c4_0 : index
        %49 = arith.select %44, %48, %42 : index
        %c2 = arith.constant 2 : index
        %50 = arith.addi %49, %c2 : index
        %51 = arith.cmpi sle, %50, %22 : index
        scf.if %51 {
          %52 = arith.addi %27, %49 : index
          %53 = arith.addi %23, %49 : index
          %54 = vector.load %0[%52] : memref<?xf32, strided<[1]>>, vector<2xf32>
          vector.store %54, %3[%53] : memref<?xf32, strided<[1]>>, vector<2xf32>
        }
        %c2_0 = arith.constant 2 : index
        %55 = arith.addi %49, %c2_0 : index
        %56 = arith.select %51, %55, %49 : index
        %c1_1 = arith.constant 1 : index
        %57 = arith.addi %56, %c1_1 : index
        %58 = arith.cmpi sle, %57, %22 : index
        scf.if %58 {
          %59 = arith.addi %27, %56 : index
          %60 = arith.addi %23, %56 : index
          %61 = vector.load %0[%59] : memref<?xf32, strided<[1]>>, vector<1xf32>
          vector.store %61, %3[%60] : memref<?xf32, strided<[1]>>, vector<1xf32>
        }
        %c1_2 = arith.constant 1 : index
        %62 = arith.addi %56, %c1_2 : index
        %63 = arith.select %58, %62, %56 : index
      }
    }
    %c8_4 = arith.constant 8 : index
    %64 = arith.cmpi sle, %c8_4, %Y_d0 : index
    %c16_9 = arith.constant 16 : index
    %65 = arith.cmpi sle, %c16_9, %Y_d1 : index
    %66 = arith.andi %64, %65 : i1
    %67 = arith.select %66, %1, %5 : memref<?xf32, strided<[1]>>
    %c16_10 = arith.constant 16 : index
    %68 = arith.select %66, %Y_s0, %c16_10 : index
    %c0_8 = arith.constant 0 : index
    %69 = arith.maxsi %Y_d0, %c0_8 : index
    %c8_5 = arith.constant 8 : index
    %70 = arith.minsi %69, %c8_5 : index
    %c0_9 = arith.constant 0 : index
    %71 = arith.maxsi %Y_d1, %c0_9 : index
    %c16_11 = arith.constant 16 : index
    %72 = arith.minsi %71, %c16_11 : index
    %c16_12 = arith.constant 16 : index
    %73 = arith.cmpi sle, %c16_12, %72 : index
    %c16_13 = arith.constant 16 : index
    %c0_10 = arith.constant 0 : index
    %74 = arith.select %73, %c16_13, %c0_10 : index
    %c0_11 = arith.constant 0 : index
    %c8_6 = arith.constant 8 : index
    %c1_3 = arith.constant 1 : index
    scf.for %75 = %c0_11 to %c8_6 step %c1_3 {
      %76 = arith.muli %75, %X_s0 : index
      %c0_12 = arith.constant 0 : index
      %77 = arith.cmpi sle, %c0_12, %75 : index
      %78 = arith.cmpi slt, %75, %10 : index
      %79 = arith.andi %77, %78 : i1
      %c0_13 = arith.constant 0 : index
      %80 = arith.select %79, %12, %c0_13 : index
      %c16_14 = arith.constant 16 : index
      %81 = arith.cmpi sle, %c16_14, %80 : index
      %c16_15 = arith.constant 16 : index
      %82 = arith.muli %75, %c16_15 : index
      %83 = arith.select %81, %0, %3 : memref<?xf32, strided<[1]>>
      %84 = arith.select %81, %76, %82 : index
      %85 = vector.load %83[%84] : memref<?xf32, strided<[1]>>, vector<16xf32>
      %cst_3 = arith.constant dense<2.0> : vector<16xf32>
      %86 = arith.mulf %85, %cst_3 : vector<16xf32>
      %cst_4 = arith.constant dense<1.0> : vector<16xf32>
      %87 = arith.addf %86, %cst_4 : vector<16xf32>
      %88 = arith.muli %75, %Y_s0 : index
      %c0_14 = arith.constant 0 : index
      %89 = arith.cmpi sle, %c0_14, %75 : index
      %90 = arith.cmpi slt, %75, %70 : index
      %91 = arith.andi %89, %90 : i1
      %c0_15 = arith.constant 0 : index
      %92 = arith.select %91, %72, %c0_15 : index
      %c16_16 = arith.constant 16 : index
      %93 = arith.cmpi sle, %c16_16, %92 : index
      %c16_17 = arith.constant 16 : index
      %94 = arith.muli %75, %c16_17 : index
      %95 = arith.select %93, %1, %5 : memref<?xf32, strided<[1]>>
      %96 = arith.select %93, %88, %94 : index
      vector.store %87, %95[%96] : memref<?xf32, strided<[1]>>, vector<16xf32>
    }
    %cst_5 = arith.constant true
    %97 = arith.xori %66, %cst_5 : i1
    scf.if %97 {
      %c0_16 = arith.constant 0 : index
      %c8_7 = arith.constant 8 : index
      %c1_4 = arith.constant 1 : index
      scf.for %98 = %c0_16 to %c8_7 step %c1_4 {
        %c0_17 = arith.constant 0 : index
        %99 = arith.cmpi sle, %c0_17, %98 : index
        %100 = arith.cmpi slt, %98, %Y_d0 : index
        %101 = arith.andi %99, %100 : i1
        %c0_18 = arith.constant 0 : index
        %102 = arith.maxsi %Y_d1, %c0_18 : index
        %c16_18 = arith.constant 16 : index
        %103 = arith.minsi %102, %c16_18 : index
        %c0_19 = arith.constant 0 : index
        %104 = arith.select %101, %103, %c0_19 : index
        %c0_20 = arith.constant 0 : index
        %105 = arith.maxsi %c0_20, %74 : index
        %106 = arith.minsi %105, %104 : index
        %c16_19 = arith.constant 16 : index
        %107 = arith.muli %98, %c16_19 : index
        %108 = arith.muli %98, %Y_s0 : index
        %109 = arith.subi %104, %106 : index
        %c16_20 = arith.constant 16 : index
        %110 = arith.divui %109, %c16_20 : index
        %c16_21 = arith.constant 16 : index
        %111 = arith.muli %110, %c16_21 : index
        %112 = arith.addi %106, %111 : index
        %c16_22 = arith.constant 16 : index
        scf.for %113 = %106 to %112 step %c16_22 {
          %114 = arith.addi %108, %113 : index
          %115 = arith.addi %107, %113 : index
          %116 = vector.load %5[%115] : memref<?xf32, strided<[1]>>, vector<16xf32>
          vector.store %116, %1[%114] : memref<?xf32, strided<[1]>>, vector<16xf32>
        }
        %c8_8 = arith.constant 8 : index
        %117 = arith.addi %112, %c8_8 : index
        %118 = arith.cmpi sle, %117, %104 : index
        scf.if %118 {
          %119 = arith.addi %108, %112 : index
          %120 = arith.addi %107, %112 : index
          %121 = vector.load %5[%120] : memref<?xf32, strided<[1]>>, vector<8xf32>
          vector.store %121, %1[%119] : memref<?xf32, strided<[1]>>, vector<8xf32>
        }
        %c8_9 = arith.constant 8 : index
        %122 = arith.addi %112, %c8_9 : index
        %123 = arith.select %118, %122, %112 : index
        %c4_1 = arith.constant 4 : index
        %124 = arith.addi %123, %c4_1 : index
        %125 = arith.cmpi sle, %124, %104 : index
        scf.if %125 {
          %126 = arith.addi %108, %123 : index
          %127 = arith.addi %107, %123 : index
          %128 = vector.load %5[%127] : memref<?xf32, strided<[1]>>, vector<4xf32>
          vector.store %128, %1[%126] : memref<?xf32, strided<[1]>>, vector<4xf32>
        }
        %c4_2 = arith.constant 4 : index
        %129 = arith.addi %123, %c4_2 : index
        %130 = arith.select %125, %129, %123 : index
        %c2_1 = arith.constant 2 : index
        %131 = arith.addi %130, %c2_1 : index
        %132 = arith.cmpi sle, %131, %104 : index
        scf.if %132 {
          %133 = arith.addi %108, %130 : index
          %134 = arith.addi %107, %130 : index
          %135 = vector.load %5[%134] : memref<?xf32, strided<[1]>>, vector<2xf32>
          vector.store %135, %1[%133] : memref<?xf32, strided<[1]>>, vector<2xf32>
        }
        %c2_2 = arith.constant 2 : index
        %136 = arith.addi %130, %c2_2 : index
        %137 = arith.select %132, %136, %130 : index
        %c1_5 = arith.constant 1 : index
        %138 = arith.addi %137, %c1_5 : index
        %139 = arith.cmpi sle, %138, %104 : index
        scf.if %139 {
          %140 = arith.addi %108, %137 : index
          %141 = arith.addi %107, %137 : index
          %142 = vector.load %5[%141] : memref<?xf32, strided<[1]>>, vector<1xf32>
          vector.store %142, %1[%140] : memref<?xf32, strided<[1]>>, vector<1xf32>
        }
        %c1_6 = arith.constant 1 : index
        %143 = arith.addi %137, %c1_6 : index
        %144 = arith.select %139, %143, %137 : index
      }
    }
    gpu.return
  }
}
