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
        %c0_7 = arith.constant 0 : index
        %25 = arith.cmpi slt, %c0_7, %22 : index
        %c0_8 = arith.constant 0 : index
        %26 = arith.select %25, %14, %c0_8 : index
        scf.if %24 {
          %cst_2 = arith.constant dense<0.0> : vector<16xf32>
          vector.store %cst_2, %3[%23] : memref<?xf32, strided<[1]>>, vector<16xf32>
        }
        %c0_9 = arith.constant 0 : index
        %27 = arith.maxsi %c0_9, %14 : index
        %28 = arith.minsi %27, %22 : index
        %29 = arith.muli %16, %X_s0 : index
        %30 = arith.subi %22, %28 : index
        %c16_6 = arith.constant 16 : index
        %31 = arith.divui %30, %c16_6 : index
        %c16_7 = arith.constant 16 : index
        %32 = arith.muli %31, %c16_7 : index
        %33 = arith.addi %28, %32 : index
        %c16_8 = arith.constant 16 : index
        scf.for %34 = %28 to %33 step %c16_8 {
          %35 = arith.addi %29, %34 : index
          %36 = arith.addi %23, %34 : index
          %37 = vector.load %0[%35] : memref<?xf32, strided<[1]>>, vector<16xf32>
          vector.store %37, %3[%36] : memref<?xf32, strided<[1]>>, vector<16xf32>
        }
        %c8_2 = arith.constant 8 : index
        %38 = arith.addi %33, %c8_2 : index
        %39 = arith.cmpi sle, %38, %22 : index
        scf.if %39 {
          %40 = arith.addi %29, %33 : index
          %41 = arith.addi %23, %33 : index
          %42 = vector.load %0[%40] : memref<?xf32, strided<[1]>>, vector<8xf32>
          vector.store %42, %3[%41] : memref<?xf32, strided<[1]>>, vector<8xf32>
        }
        %c8_3 = arith.constant 8 : index
        %43 = arith.addi %33, %c8_3 : index
        %44 = arith.select %39, %43, %33 : index
        %c4 = arith.constant 4 : index
        %45 = arith.addi %44, %c4 : index
        %46 = arith.cmpi sle, %45, %22 : index
        scf.if %46 {
          %47 = arith.addi %29, %44 : index
          %48 = arith.addi %23, %44 : index
          %49 = vector.load %0[%47] : memref<?xf32, strided<[1]>>, vector<4xf32>
          vector.store %49, %3[%48] : memref<?xf32, strided<[1]>>, vector<4xf32>
        }
        %c4_0 = arith.constant 4 : index
        %50 = arith.addi %44, %c4_0 : index
        %51 = arith.select %46, %50, %44 : index
        %c2 = arith.constant 2 : index
        %52 = arith.addi %51, %c2 : index
        %53 = arith.cmpi sle, %52, %22 : index
        scf.if %53 {
          %54 = arith.addi %29, %51 : index
          %55 = arith.addi %23, %51 : index
          %56 = vector.load %0[%54] : memref<?xf32, strided<[1]>>, vector<2xf32>
          vector.store %56, %3[%55] : memref<?xf32, strided<[1]>>, vector<2xf32>
        }
        %c2_0 = arith.constant 2 : index
        %57 = arith.addi %51, %c2_0 : index
        %58 = arith.select %53, %57, %51 : index
        %c1_1 = arith.constant 1 : index
        %59 = arith.addi %58, %c1_1 : index
        %60 = arith.cmpi sle, %59, %22 : index
        scf.if %60 {
          %61 = arith.addi %29, %58 : index
          %62 = arith.addi %23, %58 : index
          %63 = vector.load %0[%61] : memref<?xf32, strided<[1]>>, vector<1xf32>
          vector.store %63, %3[%62] : memref<?xf32, strided<[1]>>, vector<1xf32>
        }
        %c1_2 = arith.constant 1 : index
        %64 = arith.addi %58, %c1_2 : index
        %65 = arith.select %60, %64, %58 : index
      }
    }
    %c8_4 = arith.constant 8 : index
    %66 = arith.cmpi sle, %c8_4, %Y_d0 : index
    %c16_9 = arith.constant 16 : index
    %67 = arith.cmpi sle, %c16_9, %Y_d1 : index
    %68 = arith.andi %66, %67 : i1
    %69 = arith.select %68, %1, %5 : memref<?xf32, strided<[1]>>
    %c16_10 = arith.constant 16 : index
    %70 = arith.select %68, %Y_s0, %c16_10 : index
    %c0_10 = arith.constant 0 : index
    %71 = arith.maxsi %Y_d0, %c0_10 : index
    %c8_5 = arith.constant 8 : index
    %72 = arith.minsi %71, %c8_5 : index
    %c0_11 = arith.constant 0 : index
    %73 = arith.maxsi %Y_d1, %c0_11 : index
    %c16_11 = arith.constant 16 : index
    %74 = arith.minsi %73, %c16_11 : index
    %c16_12 = arith.constant 16 : index
    %75 = arith.cmpi sle, %c16_12, %74 : index
    %c16_13 = arith.constant 16 : index
    %c0_12 = arith.constant 0 : index
    %76 = arith.select %75, %c16_13, %c0_12 : index
    %c0_13 = arith.constant 0 : index
    %c8_6 = arith.constant 8 : index
    %c1_3 = arith.constant 1 : index
    scf.for %77 = %c0_13 to %c8_6 step %c1_3 {
      %78 = arith.muli %77, %X_s0 : index
      %c0_14 = arith.constant 0 : index
      %79 = arith.cmpi sle, %c0_14, %77 : index
      %80 = arith.cmpi slt, %77, %10 : index
      %81 = arith.andi %79, %80 : i1
      %c0_15 = arith.constant 0 : index
      %82 = arith.select %81, %12, %c0_15 : index
      %c16_14 = arith.constant 16 : index
      %83 = arith.cmpi sle, %c16_14, %82 : index
      %c16_15 = arith.constant 16 : index
      %84 = arith.muli %77, %c16_15 : index
      %85 = arith.select %83, %0, %3 : memref<?xf32, strided<[1]>>
      %86 = arith.select %83, %78, %84 : index
      %87 = vector.load %85[%86] : memref<?xf32, strided<[1]>>, vector<16xf32>
      %cst_3 = arith.constant dense<2.0> : vector<16xf32>
      %88 = arith.mulf %87, %cst_3 : vector<16xf32>
      %cst_4 = arith.constant dense<1.0> : vector<16xf32>
      %89 = arith.addf %88, %cst_4 : vector<16xf32>
      %90 = arith.muli %77, %Y_s0 : index
      %c0_16 = arith.constant 0 : index
      %91 = arith.cmpi sle, %c0_16, %77 : index
      %92 = arith.cmpi slt, %77, %72 : index
      %93 = arith.andi %91, %92 : i1
      %c0_17 = arith.constant 0 : index
      %94 = arith.select %93, %74, %c0_17 : index
      %c16_16 = arith.constant 16 : index
      %95 = arith.cmpi sle, %c16_16, %94 : index
      %c16_17 = arith.constant 16 : index
      %96 = arith.muli %77, %c16_17 : index
      %97 = arith.select %95, %1, %5 : memref<?xf32, strided<[1]>>
      %98 = arith.select %95, %90, %96 : index
      vector.store %89, %97[%98] : memref<?xf32, strided<[1]>>, vector<16xf32>
    }
    %cst_5 = arith.constant true
    %99 = arith.xori %68, %cst_5 : i1
    scf.if %99 {
      %c0_18 = arith.constant 0 : index
      %c8_7 = arith.constant 8 : index
      %c1_4 = arith.constant 1 : index
      scf.for %100 = %c0_18 to %c8_7 step %c1_4 {
        %c0_19 = arith.constant 0 : index
        %101 = arith.cmpi sle, %c0_19, %100 : index
        %102 = arith.cmpi slt, %100, %Y_d0 : index
        %103 = arith.andi %101, %102 : i1
        %c0_20 = arith.constant 0 : index
        %104 = arith.maxsi %Y_d1, %c0_20 : index
        %c16_18 = arith.constant 16 : index
        %105 = arith.minsi %104, %c16_18 : index
        %c0_21 = arith.constant 0 : index
        %106 = arith.select %103, %105, %c0_21 : index
        %c0_22 = arith.constant 0 : index
        %107 = arith.maxsi %c0_22, %76 : index
        %108 = arith.minsi %107, %106 : index
        %c16_19 = arith.constant 16 : index
        %109 = arith.muli %100, %c16_19 : index
        %110 = arith.muli %100, %Y_s0 : index
        %111 = arith.subi %106, %108 : index
        %c16_20 = arith.constant 16 : index
        %112 = arith.divui %111, %c16_20 : index
        %c16_21 = arith.constant 16 : index
        %113 = arith.muli %112, %c16_21 : index
        %114 = arith.addi %108, %113 : index
        %c16_22 = arith.constant 16 : index
        scf.for %115 = %108 to %114 step %c16_22 {
          %116 = arith.addi %110, %115 : index
          %117 = arith.addi %109, %115 : index
          %118 = vector.load %5[%117] : memref<?xf32, strided<[1]>>, vector<16xf32>
          vector.store %118, %1[%116] : memref<?xf32, strided<[1]>>, vector<16xf32>
        }
        %c8_8 = arith.constant 8 : index
        %119 = arith.addi %114, %c8_8 : index
        %120 = arith.cmpi sle, %119, %106 : index
        scf.if %120 {
          %121 = arith.addi %110, %114 : index
          %122 = arith.addi %109, %114 : index
          %123 = vector.load %5[%122] : memref<?xf32, strided<[1]>>, vector<8xf32>
          vector.store %123, %1[%121] : memref<?xf32, strided<[1]>>, vector<8xf32>
        }
        %c8_9 = arith.constant 8 : index
        %124 = arith.addi %114, %c8_9 : index
        %125 = arith.select %120, %124, %114 : index
        %c4_1 = arith.constant 4 : index
        %126 = arith.addi %125, %c4_1 : index
        %127 = arith.cmpi sle, %126, %106 : index
        scf.if %127 {
          %128 = arith.addi %110, %125 : index
          %129 = arith.addi %109, %125 : index
          %130 = vector.load %5[%129] : memref<?xf32, strided<[1]>>, vector<4xf32>
          vector.store %130, %1[%128] : memref<?xf32, strided<[1]>>, vector<4xf32>
        }
        %c4_2 = arith.constant 4 : index
        %131 = arith.addi %125, %c4_2 : index
        %132 = arith.select %127, %131, %125 : index
        %c2_1 = arith.constant 2 : index
        %133 = arith.addi %132, %c2_1 : index
        %134 = arith.cmpi sle, %133, %106 : index
        scf.if %134 {
          %135 = arith.addi %110, %132 : index
          %136 = arith.addi %109, %132 : index
          %137 = vector.load %5[%136] : memref<?xf32, strided<[1]>>, vector<2xf32>
          vector.store %137, %1[%135] : memref<?xf32, strided<[1]>>, vector<2xf32>
        }
        %c2_2 = arith.constant 2 : index
        %138 = arith.addi %132, %c2_2 : index
        %139 = arith.select %134, %138, %132 : index
        %c1_5 = arith.constant 1 : index
        %140 = arith.addi %139, %c1_5 : index
        %141 = arith.cmpi sle, %140, %106 : index
        scf.if %141 {
          %142 = arith.addi %110, %139 : index
          %143 = arith.addi %109, %139 : index
          %144 = vector.load %5[%143] : memref<?xf32, strided<[1]>>, vector<1xf32>
          vector.store %144, %1[%142] : memref<?xf32, strided<[1]>>, vector<1xf32>
        }
        %c1_6 = arith.constant 1 : index
        %145 = arith.addi %139, %c1_6 : index
        %146 = arith.select %141, %145, %139 : index
      }
    }
    gpu.return
  }
}
