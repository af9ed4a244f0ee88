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
    %c8_0 = arith.constant 8 : index
    %9 = arith.cmpi sle, %c8_0, %Y_d0 : index
    %c16_0 = arith.constant 16 : index
    %10 = arith.cmpi sle, %c16_0, %Y_d1 : index
    %11 = arith.andi %9, %10 : i1
    %12 = arith.andi %8, %11 : i1
    scf.if %12 {
      %c0_0 = arith.constant 0 : index
      %c8_1 = arith.constant 8 : index
      %c1_0 = arith.constant 1 : index
      scf.for %13 = %c0_0 to %c8_1 step %c1_0 {
        %14 = arith.muli %13, %X_s0 : index
        %15 = vector.load %0[%14] : memref<?xf32, strided<[1]>>, vector<16xf32>
        %cst_1 = arith.constant dense<2.0> : vector<16xf32>
        %16 = arith.mulf %15, %cst_1 : vector<16xf32>
        %cst_2 = arith.constant dense<1.0> : vector<16xf32>
        %17 = arith.addf %16, %cst_2 : vector<16xf32>
        %18 = arith.muli %13, %Y_s0 : index
        vector.store %17, %1[%18] : memref<?xf32, strided<[1]>>, vector<16xf32>
      }
    } else {
      %c8_2 = arith.constant 8 : index
      %19 = arith.minsi %Y_d0, %c8_2 : index
      %c1_1 = arith.constant 1 : index
      %20 = arith.maxsi %19, %c1_1 : index
      %c16_1 = arith.constant 16 : index
      %21 = arith.minsi %Y_d1, %c16_1 : index
      %c1_2 = arith.constant 1 : index
      %22 = arith.maxsi %21, %c1_2 : index
      %c63 = arith.constant 63 : index
      %23 = arith.addi %22, %c63 : index
      %c64 = arith.constant 64 : index
      %24 = arith.divui %23, %c64 : index
      %c64_0 = arith.constant 64 : index
      %25 = arith.muli %24, %c64_0 : index
      %c16_2 = arith.constant 16 : index
      %26 = arith.minsi %25, %c16_2 : index
      %27 = arith.cmpi sle, %20, %X_d0 : index
      %28 = arith.cmpi sle, %26, %X_d1 : index
      %29 = arith.andi %27, %28 : i1
      %c0_1 = arith.constant 0 : index
      %30 = arith.maxsi %X_d0, %c0_1 : index
      %c8_3 = arith.constant 8 : index
      %31 = arith.minsi %30, %c8_3 : index
      %c0_2 = arith.constant 0 : index
      %32 = arith.maxsi %X_d1, %c0_2 : index
      %c16_3 = arith.constant 16 : index
      %33 = arith.minsi %32, %c16_3 : index
      %c16_4 = arith.constant 16 : index
      %34 = arith.cmpi sle, %c16_4, %33 : index
      %c16_5 = arith.constant 16 : index
      %c0_3 = arith.constant 0 : index
      %35 = arith.select %34, %c16_5, %c0_3 : index
      %cst_3 = arith.constant true
      %36 = arith.xori %29, %cst_3 : i1
      scf.if %36 {
        %c0_4 = arith.constant 0 : index
        %c1_3 = arith.constant 1 : index
        scf.for %37 = %c0_4 to %20 step %c1_3 {
          %c0_5 = arith.constant 0 : index
          %38 = arith.cmpi sle, %c0_5, %37 : index
          %39 = arith.cmpi slt, %37, %X_d0 : index
          %40 = arith.andi %38, %39 : i1
          %c0_6 = arith.constant 0 : index
          %41 = arith.maxsi %X_d1, %c0_6 : index
          %c16_6 = arith.constant 16 : index
          %42 = arith.minsi %41, %c16_6 : index
          %c0_7 = arith.constant 0 : index
          %43 = arith.select %40, %42, %c0_7 : index
          %c16_7 = arith.constant 16 : index
          %44 = arith.muli %37, %c16_7 : index
          %45 = arith.cmpi slt, %43, %26 : index
          %c0_8 = arith.constant 0 : index
          %46 = arith.cmpi slt, %c0_8, %43 : index
          %c0_9 = arith.constant 0 : index
          %47 = arith.select %46, %35, %c0_9 : index
          scf.if %45 {
            %cst_4 = arith.constant dense<0.0> : vector<16xf32>
            vector.store %cst_4, %3[%44] : memref<?xf32, strided<[1]>>, vector<16xf32>
          }
          %c0_10 = arith.constant 0 : index
          %48 = arith.maxsi %c0_10, %35 : index
          %49 = arith.minsi %48, %43 : index
          %50 = arith.muli %37, %X_s0 : index
          %51 = arith.subi %43, %49 : index
          %c16_8 = arith.constant 16 : index
          %52 = arith.divui %51, %c16_8 : index
          %c16_9 = arith.constant 16 : index
          %53 = arith.muli %52, %c16_9 : index
          %54 = arith.addi %49, %53 : index
          %c16_10 = arith.constant 16 : index
          scf.for %55 = %49 to %54 step %c16_10 {
            %56 = arith.addi %50, %55 : index
            %57 = arith.addi %44, %55 : index
            %58 = vector.load %0[%56] : memref<?xf32, strided<[1]>>, vector<16xf32>
            vector.store %58, %3[%57] : memref<?xf32, strided<[1]>>, vector<16xf32>
          }
          %c8_4 = arith.constant 8 : index
          %59 = arith.addi %54, %c8_4 : index
          %60 = arith.cmpi sle, %59, %43 : index
          scf.if %60 {
            %61 = arith.addi %50, %54 : index
            %62 = arith.addi %44, %54 : index
            %63 = vector.load %0[%61] : memref<?xf32, strided<[1]>>, vector<8xf32>
            vector.store %63, %3[%62] : memref<?xf32, strided<[1]>>, vector<8xf32>
          }
          %c8_5 = arith.constant 8 : index
          %64 = arith.addi %54, %c8_5 : index
          %65 = arith.select %60, %64, %54 : index
          %c4 = arith.constant 4 : index
          %66 = arith.addi %65, %c4 : index
          %67 = arith.cmpi sle, %66, %43 : index
          scf.if %67 {
            %68 = arith.addi %50, %65 : index
            %69 = arith.addi %44, %65 : index
            %70 = vector.load %0[%68] : memref<?xf32, strided<[1]>>, vector<4xf32>
            vector.store %70, %3[%69] : memref<?xf32, strided<[1]>>, vector<4xf32>
          }
          %c4_0 = arith.constant 4 : index
          %71 = arith.addi %65, %c4_0 : index
          %72 = arith.select %67, %71, %65 : index
          %c2 = arith.constant 2 : index
          %73 = arith.addi %72, %c2 : index
          %74 = arith.cmpi sle, %73, %43 : index
          scf.if %74 {
            %75 = arith.addi %50, %72 : index
            %76 = arith.addi %44, %72 : index
            %77 = vector.load %0[%75] : memref<?xf32, strided<[1]>>, vector<2xf32>
            vector.store %77, %3[%76] : memref<?xf32, strided<[1]>>, vector<2xf32>
          }
          %c2_0 = arith.constant 2 : index
          %78 = arith.addi %72, %c2_0 : index
          %79 = arith.select %74, %78, %72 : index
          %c1_4 = arith.constant 1 : index
          %80 = arith.addi %79, %c1_4 : index
          %81 = arith.cmpi sle, %80, %43 : index
          scf.if %81 {
            %82 = arith.addi %50, %79 : index
            %83 = arith.addi %44, %79 : index
            %84 = vector.load %0[%82] : memref<?xf32, strided<[1]>>, vector<1xf32>
            vector.store %84, %3[%83] : memref<?xf32, strided<[1]>>, vector<1xf32>
          }
          %c1_5 = arith.constant 1 : index
          %85 = arith.addi %79, %c1_5 : index
          %86 = arith.select %81, %85, %79 : index
        }
      }
      %87 = arith.cmpi sle, %20, %Y_d0 : index
      %88 = arith.cmpi sle, %26, %Y_d1 : index
      %89 = arith.andi %87, %88 : i1
      %90 = arith.select %89, %1, %5 : memref<?xf32, strided<[1]>>
      %c16_11 = arith.constant 16 : index
      %91 = arith.select %89, %Y_s0, %c16_11 : index
      %c0_11 = arith.constant 0 : index
      %92 = arith.maxsi %Y_d0, %c0_11 : index
      %c8_6 = arith.constant 8 : index
      %93 = arith.minsi %92, %c8_6 : index
      %c0_12 = arith.constant 0 : index
      %94 = arith.maxsi %Y_d1, %c0_12 : index
      %c16_12 = arith.constant 16 : index
      %95 = arith.minsi %94, %c16_12 : index
      %c16_13 = arith.constant 16 : index
      %96 = arith.cmpi sle, %c16_13, %95 : index
      %c16_14 = arith.constant 16 : index
      %c0_13 = arith.constant 0 : index
      %97 = arith.select %96, %c16_14, %c0_13 : index
      %c0_14 = arith.constant 0 : index
      %c1_6 = arith.constant 1 : index
      scf.for %98 = %c0_14 to %20 step %c1_6 {
        %c0_15 = arith.constant 0 : index
        %99 = arith.cmpi sle, %c0_15, %98 : index
        %100 = arith.cmpi slt, %98, %31 : index
        %101 = arith.andi %99, %100 : i1
        %c0_16 = arith.constant 0 : index
        %102 = arith.select %101, %33, %c0_16 : index
        %c0_17 = arith.constant 0 : index
        %103 = arith.cmpi sle, %c0_17, %98 : index
        %104 = arith.cmpi slt, %98, %93 : index
        %105 = arith.andi %103, %104 : i1
        %c0_18 = arith.constant 0 : index
        %106 = arith.select %105, %95, %c0_18 : index
        %107 = arith.minsi %102, %106 : index
        %108 = arith.muli %98, %X_s0 : index
        %c0_19 = arith.constant 0 : index
        %109 = arith.cmpi sle, %c0_19, %98 : index
        %110 = arith.cmpi slt, %98, %31 : index
        %111 = arith.andi %109, %110 : i1
        %c0_20 = arith.constant 0 : index
        %112 = arith.select %111, %33, %c0_20 : index
        %c16_15 = arith.constant 16 : index
        %113 = arith.cmpi sle, %c16_15, %112 : index
        %c16_16 = arith.constant 16 : index
        %114 = arith.muli %98, %c16_16 : index
        %115 = arith.select %113, %0, %3 : memref<?xf32, strided<[1]>>
        %116 = arith.select %113, %108, %114 : index
        %117 = vector.load %115[%116] : memref<?xf32, strided<[1]>>, vector<16xf32>
        %cst_5 = arith.constant dense<2.0> : vector<16xf32>
        %118 = arith.mulf %117, %cst_5 : vector<16xf32>
        %cst_6 = arith.constant dense<1.0> : vector<16xf32>
        %119 = arith.addf %118, %cst_6 : vector<16xf32>
        %120 = arith.muli %98, %Y_s0 : index
        %c0_21 = arith.constant 0 : index
        %121 = arith.cmpi sle, %c0_21, %98 : index
        %122 = arith.cmpi slt, %98, %93 : index
        %123 = arith.andi %121, %122 : i1
        %c0_22 = arith.constant 0 : index
        %124 = arith.select %123, %95, %c0_22 : index
        %c16_17 = arith.constant 16 : index
        %125 = arith.cmpi sle, %c16_17, %124 : index
        %c16_18 = arith.constant 16 : index
        %126 = arith.muli %98, %c16_18 : index
        %127 = arith.select %125, %1, %5 : memref<?xf32, strided<[1]>>
        %128 = arith.select %125, %120, %126 : index
        vector.store %119, %127[%128] : memref<?xf32, strided<[1]>>, vector<16xf32>
      }
      %cst_7 = arith.constant true
      %129 = arith.xori %89, %cst_7 : i1
      scf.if %129 {
        %c0_23 = arith.constant 0 : index
        %c1_7 = arith.constant 1 : index
        scf.for %130 = %c0_23 to %20 step %c1_7 {
          %c0_24 = arith.constant 0 : index
          %131 = arith.cmpi sle, %c0_24, %130 : index
          %132 = arith.cmpi slt, %130, %Y_d0 : index
          %133 = arith.andi %131, %132 : i1
          %c0_25 = arith.constant 0 : index
          %134 = arith.maxsi %Y_d1, %c0_25 : index
          %c16_19 = arith.constant 16 : index
          %135 = arith.minsi %134, %c16_19 : index
          %c0_26 = arith.constant 0 : index
          %136 = arith.select %133, %135, %c0_26 : index
          %c0_27 = arith.constant 0 : index
          %137 = arith.maxsi %c0_27, %97 : index
          %138 = arith.minsi %137, %136 : index
          %c16_20 = arith.constant 16 : index
          %139 = arith.muli %130, %c16_20 : index
          %140 = arith.muli %130, %Y_s0 : index
          %141 = arith.subi %136, %138 : index
          %c16_21 = arith.constant 16 : index
          %142 = arith.divui %141, %c16_21 : index
          %c16_22 = arith.constant 16 : index
          %143 = arith.muli %142, %c16_22 : index
          %144 = arith.addi %138, %143 : index
          %c16_23 = arith.constant 16 : index
          scf.for %145 = %138 to %144 step %c16_23 {
            %146 = arith.addi %140, %145 : index
            %147 = arith.addi %139, %145 : index
            %148 = vector.load %5[%147] : memref<?xf32, strided<[1]>>, vector<16xf32>
            vector.store %148, %1[%146] : memref<?xf32, strided<[1]>>, vector<16xf32>
          }
          %c8_7 = arith.constant 8 : index
          %149 = arith.addi %144, %c8_7 : index
          %150 = arith.cmpi sle, %149, %136 : index
          scf.if %150 {
            %151 = arith.addi %140, %144 : index
            %152 = arith.addi %139, %144 : index
            %153 = vector.load %5[%152] : memref<?xf32, strided<[1]>>, vector<8xf32>
            vector.store %153, %1[%151] : memref<?xf32, strided<[1]>>, vector<8xf32>
          }
          %c8_8 = arith.constant 8 : index
          %154 = arith.addi %144, %c8_8 : index
          %155 = arith.select %150, %154, %144 : index
          %c4_1 = arith.constant 4 : index
          %156 = arith.addi %155, %c4_1 : index
          %157 = arith.cmpi sle, %156, %136 : index
          scf.if %157 {
            %158 = arith.addi %140, %155 : index
            %159 = arith.addi %139, %155 : index
            %160 = vector.load %5[%159] : memref<?xf32, strided<[1]>>, vector<4xf32>
            vector.store %160, %1[%158] : memref<?xf32, strided<[1]>>, vector<4xf32>
          }
          %c4_2 = arith.constant 4 : index
          %161 = arith.addi %155, %c4_2 : index
          %162 = arith.select %157, %161, %155 : index
          %c2_1 = arith.constant 2 : index
          %163 = arith.addi %162, %c2_1 : index
          %164 = arith.cmpi sle, %163, %136 : index
          scf.if %164 {
            %165 = arith.addi %140, %162 : index
            %166 = arith.addi %139, %162 : index
            %167 = vector.load %5[%166] : memref<?xf32, strided<[1]>>, vector<2xf32>
            vector.store %167, %1[%165] : memref<?xf32, strided<[1]>>, vector<2xf32>
          }
          %c2_2 = arith.constant 2 : index
          %168 = arith.addi %162, %c2_2 : index
          %169 = arith.select %164, %168, %162 : index
          %c1_8 = arith.constant 1 : index
          %170 = arith.addi %169, %c1_8 : index
          %171 = arith.cmpi sle, %170, %136 : index
          scf.if %171 {
            %172 = arith.addi %140, %169 : index
            %173 = arith.addi %139, %169 : index
            %174 = vector.load %5[%173] : memref<?xf32, strided<[1]>>, vector<1xf32>
            vector.store %174, %1[%172] : memref<?xf32, strided<[1]>>, vector<1xf32>
          }
          %c1_9 = arith.constant 1 : index
          %175 = arith.addi %169, %c1_9 : index
          %176 = arith.select %171, %175, %169 : index
        }
      }
    }
    gpu.return
  }
}
