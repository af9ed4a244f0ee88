// before lift_conversions
gpu.module @online {
  gpu.func @online(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index, %scale: f32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0", "scalar scale f32"], xetile.index_bits = 32 : i64, xetile.level = "xegpu", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %cst = arith.constant 1.4426950216293335 : f32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant 1.0 : f16
    %cst_1 = arith.constant -1.0 : f16
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c8 = arith.constant 8 : index
    %c0_index = arith.constant dense<0> : vector<8xindex>
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c8_index = arith.constant dense<8> : vector<8xindex>
    %c9 = arith.constant 9 : index
    %c10 = arith.constant 10 : index
    %c11 = arith.constant 11 : index
    %c12 = arith.constant 12 : index
    %c13 = arith.constant 13 : index
    %c14 = arith.constant 14 : index
    %c15 = arith.constant 15 : index
    %cst_2 = arith.constant dense<true> : vector<8xi1>
    %c2_index = arith.constant dense<2> : vector<8xindex>
    %c1_index = arith.constant dense<1> : vector<8xindex>
    %c3_index = arith.constant dense<3> : vector<8xindex>
    %c4_index = arith.constant dense<4> : vector<8xindex>
    %c5_index = arith.constant dense<5> : vector<8xindex>
    %c6_index = arith.constant dense<6> : vector<8xindex>
    %c7_index = arith.constant dense<7> : vector<8xindex>
    %c9_index = arith.constant dense<9> : vector<8xindex>
    %c10_index = arith.constant dense<10> : vector<8xindex>
    %c11_index = arith.constant dense<11> : vector<8xindex>
    %c12_index = arith.constant dense<12> : vector<8xindex>
    %c13_index = arith.constant dense<13> : vector<8xindex>
    %c14_index = arith.constant dense<14> : vector<8xindex>
    %c15_index = arith.constant dense<15> : vector<8xindex>
    %c512 = arith.constant 512 : index
    %c256_index = arith.constant dense<256> : vector<8xindex>
    %c16_index = arith.constant dense<16> : vector<8xindex>
    %c128_index = arith.constant dense<128> : vector<8xindex>
    %cst_3 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} dense<0.0> : vector<8x1xf32>
    %cst_4 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} dense<0xFF800000> : vector<8x1xf32>
    %0 = arith.muli %A_d0, %A_s0 : index
    %1 = memref.reinterpret_cast %A to offset: [0], sizes: [%0], strides: [1] : memref<?x?xf16, strided<[?, 1]>> to memref<?xf16, strided<[1]>>
    %2 = vector.step : vector<8xindex>
    %3 = arith.cmpi ult, %c0, %A_d0 : index
    %4 = arith.select %3, %A_d1, %c0 : index
    %5 = vector.broadcast %4 : index to vector<8xindex>
    %6 = arith.cmpi ult, %2, %5 : vector<8xindex>
    %7 = xegpu.load %1[%2], %6 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %8 = arith.cmpi ult, %c1, %A_d0 : index
    %9 = arith.select %8, %A_d1, %c0 : index
    %10 = vector.broadcast %9 : index to vector<8xindex>
    %11 = arith.cmpi ult, %2, %10 : vector<8xindex>
    %12 = vector.broadcast %A_s0 : index to vector<8xindex>
    %13 = arith.addi %12, %2 : vector<8xindex>
    %14 = xegpu.load %1[%13], %11 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %15 = arith.cmpi ult, %c2, %A_d0 : index
    %16 = arith.select %15, %A_d1, %c0 : index
    %17 = vector.broadcast %16 : index to vector<8xindex>
    %18 = arith.cmpi ult, %2, %17 : vector<8xindex>
    %19 = arith.muli %A_s0, %c2 : index
    %20 = vector.broadcast %19 : index to vector<8xindex>
    %21 = arith.addi %20, %2 : vector<8xindex>
    %22 = xegpu.load %1[%21], %18 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %23 = arith.cmpi ult, %c3, %A_d0 : index
    %24 = arith.select %23, %A_d1, %c0 : index
    %25 = vector.broadcast %24 : index to vector<8xindex>
    %26 = arith.cmpi ult, %2, %25 : vector<8xindex>
    %27 = arith.muli %A_s0, %c3 : index
    %28 = vector.broadcast %27 : index to vector<8xindex>
    %29 = arith.addi %28, %2 : vector<8xindex>
    %30 = xegpu.load %1[%29], %26 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %31 = arith.cmpi ult, %c4, %A_d0 : index
    %32 = arith.select %31, %A_d1, %c0 : index
    %33 = vector.broadcast %32 : index to vector<8xindex>
    %34 = arith.cmpi ult, %2, %33 : vector<8xindex>
    %35 = arith.muli %A_s0, %c4 : index
    %36 = vector.broadcast %35 : index to vector<8xindex>
    %37 = arith.addi %36, %2 : vector<8xindex>
    %38 = xegpu.load %1[%37], %34 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %39 = arith.cmpi ult, %c5, %A_d0 : index
    %40 = arith.select %39, %A_d1, %c0 : index
    %41 = vector.broadcast %40 : index to vector<8xindex>
    %42 = arith.cmpi ult, %2, %41 : vector<8xindex>
    %43 = arith.muli %A_s0, %c5 : index
    %44 = vector.broadcast %43 : index to vector<8xindex>
    %45 = arith.addi %44, %2 : vector<8xindex>
    %46 = xegpu.load %1[%45], %42 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %47 = arith.cmpi ult, %c6, %A_d0 : index
    %48 = arith.select %47, %A_d1, %c0 : index
    %49 = vector.broadcast %48 : index to vector<8xindex>
    %50 = arith.cmpi ult, %2, %49 : vector<8xindex>
    %51 = arith.muli %A_s0, %c6 : index
    %52 = vector.broadcast %51 : index to vector<8xindex>
    %53 = arith.addi %52, %2 : vector<8xindex>
    %54 = xegpu.load %1[%53], %50 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %55 = arith.cmpi ult, %c7, %A_d0 : index
    %56 = arith.select %55, %A_d1, %c0 : index
    %57 = vector.broadcast %56 : index to vector<8xindex>
    %58 = arith.cmpi ult, %2, %57 : vector<8xindex>
    %59 = arith.muli %A_s0, %c7 : index
    %60 = vector.broadcast %59 : index to vector<8xindex>
    %61 = arith.addi %60, %2 : vector<8xindex>
    %62 = xegpu.load %1[%61], %58 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %c0_f16 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} dense<0.0> : vector<8x8xf16>
    %63 = vector.shape_cast %7 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %64 = vector.insert_strided_slice %63, %c0_f16 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %65 = vector.shape_cast %14 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %66 = vector.insert_strided_slice %65, %64 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [1, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %67 = vector.shape_cast %22 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %68 = vector.insert_strided_slice %67, %66 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [2, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %69 = vector.shape_cast %30 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %70 = vector.insert_strided_slice %69, %68 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [3, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %71 = vector.shape_cast %38 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %72 = vector.insert_strided_slice %71, %70 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [4, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %73 = vector.shape_cast %46 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %74 = vector.insert_strided_slice %73, %72 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [5, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %75 = vector.shape_cast %54 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %76 = vector.insert_strided_slice %75, %74 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [6, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %77 = vector.shape_cast %62 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %78 = vector.insert_strided_slice %77, %76 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [7, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %79 = arith.addi %2, %c8_index : vector<8xindex>
    %80 = arith.cmpi ult, %79, %5 : vector<8xindex>
    %81 = xegpu.load %1[%79], %80 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %82 = arith.cmpi ult, %79, %10 : vector<8xindex>
    %83 = arith.addi %12, %79 : vector<8xindex>
    %84 = xegpu.load %1[%83], %82 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %85 = arith.cmpi ult, %79, %17 : vector<8xindex>
    %86 = arith.addi %20, %79 : vector<8xindex>
    %87 = xegpu.load %1[%86], %85 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %88 = arith.cmpi ult, %79, %25 : vector<8xindex>
    %89 = arith.addi %28, %79 : vector<8xindex>
    %90 = xegpu.load %1[%89], %88 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %91 = arith.cmpi ult, %79, %33 : vector<8xindex>
    %92 = arith.addi %36, %79 : vector<8xindex>
    %93 = xegpu.load %1[%92], %91 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %94 = arith.cmpi ult, %79, %41 : vector<8xindex>
    %95 = arith.addi %44, %79 : vector<8xindex>
    %96 = xegpu.load %1[%95], %94 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %97 = arith.cmpi ult, %79, %49 : vector<8xindex>
    %98 = arith.addi %52, %79 : vector<8xindex>
    %99 = xegpu.load %1[%98], %97 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %100 = arith.cmpi ult, %79, %57 : vector<8xindex>
    %101 = arith.addi %60, %79 : vector<8xindex>
    %102 = xegpu.load %1[%101], %100 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %103 = vector.shape_cast %81 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %104 = vector.insert_strided_slice %103, %c0_f16 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %105 = vector.shape_cast %84 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %106 = vector.insert_strided_slice %105, %104 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [1, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %107 = vector.shape_cast %87 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %108 = vector.insert_strided_slice %107, %106 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [2, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %109 = vector.shape_cast %90 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %110 = vector.insert_strided_slice %109, %108 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [3, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %111 = vector.shape_cast %93 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %112 = vector.insert_strided_slice %111, %110 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [4, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %113 = vector.shape_cast %96 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %114 = vector.insert_strided_slice %113, %112 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [5, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %115 = vector.shape_cast %99 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %116 = vector.insert_strided_slice %115, %114 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [6, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %117 = vector.shape_cast %102 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %118 = vector.insert_strided_slice %117, %116 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [7, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %119 = arith.cmpi ult, %c8, %A_d0 : index
    %120 = arith.select %119, %A_d1, %c0 : index
    %121 = vector.broadcast %120 : index to vector<8xindex>
    %122 = arith.cmpi ult, %2, %121 : vector<8xindex>
    %123 = arith.muli %A_s0, %c8 : index
    %124 = vector.broadcast %123 : index to vector<8xindex>
    %125 = arith.addi %124, %2 : vector<8xindex>
    %126 = xegpu.load %1[%125], %122 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %127 = arith.cmpi ult, %c9, %A_d0 : index
    %128 = arith.select %127, %A_d1, %c0 : index
    %129 = vector.broadcast %128 : index to vector<8xindex>
    %130 = arith.cmpi ult, %2, %129 : vector<8xindex>
    %131 = arith.muli %A_s0, %c9 : index
    %132 = vector.broadcast %131 : index to vector<8xindex>
    %133 = arith.addi %132, %2 : vector<8xindex>
    %134 = xegpu.load %1[%133], %130 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %135 = arith.cmpi ult, %c10, %A_d0 : index
    %136 = arith.select %135, %A_d1, %c0 : index
    %137 = vector.broadcast %136 : index to vector<8xindex>
    %138 = arith.cmpi ult, %2, %137 : vector<8xindex>
    %139 = arith.muli %A_s0, %c10 : index
    %140 = vector.broadcast %139 : index to vector<8xindex>
    %141 = arith.addi %140, %2 : vector<8xindex>
    %142 = xegpu.load %1[%141], %138 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %143 = arith.cmpi ult, %c11, %A_d0 : index
    %144 = arith.select %143, %A_d1, %c0 : index
    %145 = vector.broadcast %144 : index to vector<8xindex>
    %146 = arith.cmpi ult, %2, %145 : vector<8xindex>
    %147 = arith.muli %A_s0, %c11 : index
    %148 = vector.broadcast %147 : index to vector<8xindex>
    %149 = arith.addi %148, %2 : vector<8xindex>
    %150 = xegpu.load %1[%149], %146 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %151 = arith.cmpi ult, %c12, %A_d0 : index
    %152 = arith.select %151, %A_d1, %c0 : index
    %153 = vector.broadcast %152 : index to vector<8xindex>
    %154 = arith.cmpi ult, %2, %153 : vector<8xindex>
    %155 = arith.muli %A_s0, %c12 : index
    %156 = vector.broadcast %155 : index to vector<8xindex>
    %157 = arith.addi %156, %2 : vector<8xindex>
    %158 = xegpu.load %1[%157], %154 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %159 = arith.cmpi ult, %c13, %A_d0 : index
    %160 = arith.select %159, %A_d1, %c0 : index
    %161 = vector.broadcast %160 : index to vector<8xindex>
    %162 = arith.cmpi ult, %2, %161 : vector<8xindex>
    %163 = arith.muli %A_s0, %c13 : index
    %164 = vector.broadcast %163 : index to vector<8xindex>
    %165 = arith.addi %164, %2 : vector<8xindex>
    %166 = xegpu.load %1[%165], %162 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %167 = arith.cmpi ult, %c14, %A_d0 : index
    %168 = arith.select %167, %A_d1, %c0 : index
    %169 = vector.broadcast %168 : index to vector<8xindex>
    %170 = arith.cmpi ult, %2, %169 : vector<8xindex>
    %171 = arith.muli %A_s0, %c14 : index
    %172 = vector.broadcast %171 : index to vector<8xindex>
    %173 = arith.addi %172, %2 : vector<8xindex>
    %174 = xegpu.load %1[%173], %170 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %175 = arith.cmpi ult, %c15, %A_d0 : index
    %176 = arith.select %175, %A_d1, %c0 : index
    %177 = vector.broadcast %176 : index to vector<8xindex>
    %178 = arith.cmpi ult, %2, %177 : vector<8xindex>
    %179 = arith.muli %A_s0, %c15 : index
    %180 = vector.broadcast %179 : index to vector<8xindex>
    %181 = arith.addi %180, %2 : vector<8xindex>
    %182 = xegpu.load %1[%181], %178 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %183 = vector.shape_cast %126 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %184 = vector.insert_strided_slice %183, %c0_f16 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %185 = vector.shape_cast %134 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %186 = vector.insert_strided_slice %185, %184 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [1, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %187 = vector.shape_cast %142 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %188 = vector.insert_strided_slice %187, %186 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [2, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %189 = vector.shape_cast %150 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %190 = vector.insert_strided_slice %189, %188 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [3, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %191 = vector.shape_cast %158 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %192 = vector.insert_strided_slice %191, %190 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [4, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %193 = vector.shape_cast %166 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %194 = vector.insert_strided_slice %193, %192 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [5, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %195 = vector.shape_cast %174 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %196 = vector.insert_strided_slice %195, %194 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [6, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %197 = vector.shape_cast %182 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %198 = vector.insert_strided_slice %197, %196 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [7, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %199 = arith.cmpi ult, %79, %121 : vector<8xindex>
    %200 = arith.addi %124, %79 : vector<8xindex>
    %201 = xegpu.load %1[%200], %199 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %202 = arith.cmpi ult, %79, %129 : vector<8xindex>
    %203 = arith.addi %132, %79 : vector<8xindex>
    %204 = xegpu.load %1[%203], %202 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %205 = arith.cmpi ult, %79, %137 : vector<8xindex>
    %206 = arith.addi %140, %79 : vector<8xindex>
    %207 = xegpu.load %1[%206], %205 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %208 = arith.cmpi ult, %79, %145 : vector<8xindex>
    %209 = arith.addi %148, %79 : vector<8xindex>
    %210 = xegpu.load %1[%209], %208 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %211 = arith.cmpi ult, %79, %153 : vector<8xindex>
    %212 = arith.addi %156, %79 : vector<8xindex>
    %213 = xegpu.load %1[%212], %211 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %214 = arith.cmpi ult, %79, %161 : vector<8xindex>
    %215 = arith.addi %164, %79 : vector<8xindex>
    %216 = xegpu.load %1[%215], %214 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %217 = arith.cmpi ult, %79, %169 : vector<8xindex>
    %218 = arith.addi %172, %79 : vector<8xindex>
    %219 = xegpu.load %1[%218], %217 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %220 = arith.cmpi ult, %79, %177 : vector<8xindex>
    %221 = arith.addi %180, %79 : vector<8xindex>
    %222 = xegpu.load %1[%221], %220 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %223 = vector.shape_cast %201 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %224 = vector.insert_strided_slice %223, %c0_f16 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %225 = vector.shape_cast %204 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %226 = vector.insert_strided_slice %225, %224 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [1, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %227 = vector.shape_cast %207 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %228 = vector.insert_strided_slice %227, %226 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [2, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %229 = vector.shape_cast %210 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %230 = vector.insert_strided_slice %229, %228 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [3, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %231 = vector.shape_cast %213 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %232 = vector.insert_strided_slice %231, %230 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [4, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %233 = vector.shape_cast %216 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %234 = vector.insert_strided_slice %233, %232 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [5, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %235 = vector.shape_cast %219 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %236 = vector.insert_strided_slice %235, %234 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [6, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %237 = vector.shape_cast %222 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %238 = vector.insert_strided_slice %237, %236 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [7, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %239 = arith.mulf %scale, %cst : f32
    %240 = arith.bitcast %239 : f32 to i32
    %241 = arith.cmpi slt, %240, %c0_i32 : i32
    %242 = arith.select %241, %cst_1, %cst_0 : f16
    %243 = vector.broadcast %242 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : f16 to vector<8x8xf16>
    %244 = arith.mulf %78, %243 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8x8xf16>
    %245 = arith.mulf %118, %243 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8x8xf16>
    %246 = arith.mulf %198, %243 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8x8xf16>
    %247 = arith.mulf %238, %243 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8x8xf16>
    %248 = memref.alloca() : memref<32x16xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3>
    %249 = arith.maxsi %B_d1, %c0 : index
    %250 = arith.ceildivui %249, %c16 : index
    %251 = arith.subi %B_d0, %c16 : index
    %252 = arith.cmpi sge, %251, %c0 : index
    %253 = arith.select %252, %250, %c0 : index
    %254 = arith.minsi %250, %253 : index
    %255 = arith.subi %B_d1, %c16 : index
    %256 = arith.cmpi sge, %255, %c0 : index
    %257 = arith.remui %B_s0, %c2 : index
    %258 = arith.cmpi eq, %257, %c0 : index
    %259 = arith.andi %256, %258 : i1
    %260 = arith.maxsi %255, %c0 : index
    %261 = arith.divui %260, %c16 : index
    %262 = arith.addi %261, %c1 : index
    %263 = arith.select %259, %262, %c0 : index
    %264 = arith.minsi %254, %263 : index
    %265 = arith.divui %264, %c2 : index
    %266 = arith.muli %265, %c2 : index
    %267 = arith.cmpi sgt, %266, %c0 : index
    scf.if %267 {
      %268 = arith.muli %B_d0, %B_s0 : index
      %269 = memref.reinterpret_cast %B to offset: [0], sizes: [%268], strides: [1] : memref<?x?xf16, strided<[?, 1]>> to memref<?xf16, strided<[1]>>
      %270 = arith.divui %2, %c8_index : vector<8xindex>
      %271 = arith.remui %2, %c8_index : vector<8xindex>
      %272 = arith.muli %271, %c2_index : vector<8xindex>
      %273 = vector.broadcast %B_s0 : index to vector<8xindex>
      %274 = arith.muli %270, %273 : vector<8xindex>
      %275 = arith.addi %274, %272 : vector<8xindex>
      %276 = xegpu.load %269[%275], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %277 = vector.shape_cast %276 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %278 = arith.addi %270, %c1_index : vector<8xindex>
      %279 = arith.muli %278, %273 : vector<8xindex>
      %280 = arith.addi %279, %272 : vector<8xindex>
      %281 = xegpu.load %269[%280], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %282 = vector.shape_cast %281 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %283 = arith.addi %270, %c2_index : vector<8xindex>
      %284 = arith.muli %283, %273 : vector<8xindex>
      %285 = arith.addi %284, %272 : vector<8xindex>
      %286 = xegpu.load %269[%285], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %287 = vector.shape_cast %286 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %288 = arith.addi %270, %c3_index : vector<8xindex>
      %289 = arith.muli %288, %273 : vector<8xindex>
      %290 = arith.addi %289, %272 : vector<8xindex>
      %291 = xegpu.load %269[%290], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %292 = vector.shape_cast %291 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %293 = arith.addi %270, %c4_index : vector<8xindex>
      %294 = arith.muli %293, %273 : vector<8xindex>
      %295 = arith.addi %294, %272 : vector<8xindex>
      %296 = xegpu.load %269[%295], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %297 = vector.shape_cast %296 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %298 = arith.addi %270, %c5_index : vector<8xindex>
      %299 = arith.muli %298, %273 : vector<8xindex>
      %300 = arith.addi %299, %272 : vector<8xindex>
      %301 = xegpu.load %269[%300], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %302 = vector.shape_cast %301 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %303 = arith.addi %270, %c6_index : vector<8xindex>
      %304 = arith.muli %303, %273 : vector<8xindex>
      %305 = arith.addi %304, %272 : vector<8xindex>
      %306 = xegpu.load %269[%305], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %307 = vector.shape_cast %306 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %308 = arith.addi %270, %c7_index : vector<8xindex>
      %309 = arith.muli %308, %273 : vector<8xindex>
      %310 = arith.addi %309, %272 : vector<8xindex>
      %311 = xegpu.load %269[%310], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %312 = vector.shape_cast %311 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %313 = arith.addi %270, %c8_index : vector<8xindex>
      %314 = arith.muli %313, %273 : vector<8xindex>
      %315 = arith.addi %314, %272 : vector<8xindex>
      %316 = xegpu.load %269[%315], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %317 = vector.shape_cast %316 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %318 = arith.addi %270, %c9_index : vector<8xindex>
      %319 = arith.muli %318, %273 : vector<8xindex>
      %320 = arith.addi %319, %272 : vector<8xindex>
      %321 = xegpu.load %269[%320], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %322 = vector.shape_cast %321 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %323 = arith.addi %270, %c10_index : vector<8xindex>
      %324 = arith.muli %323, %273 : vector<8xindex>
      %325 = arith.addi %324, %272 : vector<8xindex>
      %326 = xegpu.load %269[%325], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %327 = vector.shape_cast %326 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %328 = arith.addi %270, %c11_index : vector<8xindex>
      %329 = arith.muli %328, %273 : vector<8xindex>
      %330 = arith.addi %329, %272 : vector<8xindex>
      %331 = xegpu.load %269[%330], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %332 = vector.shape_cast %331 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %333 = arith.addi %270, %c12_index : vector<8xindex>
      %334 = arith.muli %333, %273 : vector<8xindex>
      %335 = arith.addi %334, %272 : vector<8xindex>
      %336 = xegpu.load %269[%335], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %337 = vector.shape_cast %336 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %338 = arith.addi %270, %c13_index : vector<8xindex>
      %339 = arith.muli %338, %273 : vector<8xindex>
      %340 = arith.addi %339, %272 : vector<8xindex>
      %341 = xegpu.load %269[%340], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %342 = vector.shape_cast %341 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %343 = arith.addi %270, %c14_index : vector<8xindex>
      %344 = arith.muli %343, %273 : vector<8xindex>
      %345 = arith.addi %344, %272 : vector<8xindex>
      %346 = xegpu.load %269[%345], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %347 = vector.shape_cast %346 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %348 = arith.addi %270, %c15_index : vector<8xindex>
      %349 = arith.muli %348, %273 : vector<8xindex>
      %350 = arith.addi %349, %272 : vector<8xindex>
      %351 = xegpu.load %269[%350], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %352 = vector.shape_cast %351 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %353 = xegpu.create_mem_desc %248 : memref<32x16xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3> -> !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>
      %c0_f16_0 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} dense<0.0> : vector<2x16xf16>
      %354 = vector.insert_strided_slice %277, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %355 = vector.insert_strided_slice %282, %354 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %356 = vector.shape_cast %355 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %357 = vector.transpose %356, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %358 = vector.shape_cast %357 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %359 = vector.bitcast %358 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %359, %353[%c0, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %360 = vector.insert_strided_slice %287, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %361 = vector.insert_strided_slice %292, %360 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %362 = vector.shape_cast %361 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %363 = vector.transpose %362, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %364 = vector.shape_cast %363 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %365 = vector.bitcast %364 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %365, %353[%c1, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %366 = vector.insert_strided_slice %297, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %367 = vector.insert_strided_slice %302, %366 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %368 = vector.shape_cast %367 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %369 = vector.transpose %368, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %370 = vector.shape_cast %369 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %371 = vector.bitcast %370 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %371, %353[%c2, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %372 = vector.insert_strided_slice %307, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %373 = vector.insert_strided_slice %312, %372 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %374 = vector.shape_cast %373 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %375 = vector.transpose %374, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %376 = vector.shape_cast %375 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %377 = vector.bitcast %376 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %377, %353[%c3, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %378 = vector.insert_strided_slice %317, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %379 = vector.insert_strided_slice %322, %378 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %380 = vector.shape_cast %379 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %381 = vector.transpose %380, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %382 = vector.shape_cast %381 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %383 = vector.bitcast %382 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %383, %353[%c4, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %384 = vector.insert_strided_slice %327, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %385 = vector.insert_strided_slice %332, %384 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %386 = vector.shape_cast %385 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %387 = vector.transpose %386, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %388 = vector.shape_cast %387 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %389 = vector.bitcast %388 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %389, %353[%c5, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %390 = vector.insert_strided_slice %337, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %391 = vector.insert_strided_slice %342, %390 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %392 = vector.shape_cast %391 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %393 = vector.transpose %392, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %394 = vector.shape_cast %393 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %395 = vector.bitcast %394 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %395, %353[%c6, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %396 = vector.insert_strided_slice %347, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %397 = vector.insert_strided_slice %352, %396 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %398 = vector.shape_cast %397 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %399 = vector.transpose %398, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %400 = vector.shape_cast %399 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %401 = vector.bitcast %400 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %401, %353[%c7, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
    }
    %402 = arith.muli %265, %c32 : index
    %403 = math.absf %239 : f32
    %404 = arith.negf %403 : f32
    %405 = arith.muli %B_d0, %B_s0 : index
    %406 = memref.reinterpret_cast %B to offset: [0], sizes: [%405], strides: [1] : memref<?x?xf16, strided<[?, 1]>> to memref<?xf16, strided<[1]>>
    %407 = xegpu.create_mem_desc %248 : memref<32x16xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3> -> !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>
    %408, %409, %410, %411 = scf.for %n = %c0 to %402 step %c32 iter_args(%top = %cst_4, %top_0 = %cst_4, %total = %cst_3, %total_0 = %cst_3) -> (vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>) {
      gpu.barrier
      %412 = arith.addi %n, %c16 : index
      %413 = vector.broadcast %412 : index to vector<8xindex>
      %414 = arith.divui %2, %c8_index : vector<8xindex>
      %415 = arith.remui %2, %c8_index : vector<8xindex>
      %416 = arith.muli %415, %c2_index : vector<8xindex>
      %417 = vector.broadcast %B_s0 : index to vector<8xindex>
      %418 = arith.muli %414, %417 : vector<8xindex>
      %419 = arith.addi %418, %416 : vector<8xindex>
      %420 = arith.addi %419, %413 : vector<8xindex>
      %421 = xegpu.load %406[%420], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %422 = vector.shape_cast %421 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %423 = arith.addi %414, %c1_index : vector<8xindex>
      %424 = arith.muli %423, %417 : vector<8xindex>
      %425 = arith.addi %424, %416 : vector<8xindex>
      %426 = arith.addi %425, %413 : vector<8xindex>
      %427 = xegpu.load %406[%426], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %428 = vector.shape_cast %427 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %429 = arith.addi %414, %c2_index : vector<8xindex>
      %430 = arith.muli %429, %417 : vector<8xindex>
      %431 = arith.addi %430, %416 : vector<8xindex>
      %432 = arith.addi %431, %413 : vector<8xindex>
      %433 = xegpu.load %406[%432], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %434 = vector.shape_cast %433 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %435 = arith.addi %414, %c3_index : vector<8xindex>
      %436 = arith.muli %435, %417 : vector<8xindex>
      %437 = arith.addi %436, %416 : vector<8xindex>
      %438 = arith.addi %437, %413 : vector<8xindex>
      %439 = xegpu.load %406[%438], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %440 = vector.shape_cast %439 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %441 = arith.addi %414, %c4_index : vector<8xindex>
      %442 = arith.muli %441, %417 : vector<8xindex>
      %443 = arith.addi %442, %416 : vector<8xindex>
      %444 = arith.addi %443, %413 : vector<8xindex>
      %445 = xegpu.load %406[%444], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %446 = vector.shape_cast %445 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %447 = arith.addi %414, %c5_index : vector<8xindex>
      %448 = arith.muli %447, %417 : vector<8xindex>
      %449 = arith.addi %448, %416 : vector<8xindex>
      %450 = arith.addi %449, %413 : vector<8xindex>
      %451 = xegpu.load %406[%450], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %452 = vector.shape_cast %451 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %453 = arith.addi %414, %c6_index : vector<8xindex>
      %454 = arith.muli %453, %417 : vector<8xindex>
      %455 = arith.addi %454, %416 : vector<8xindex>
      %456 = arith.addi %455, %413 : vector<8xindex>
      %457 = xegpu.load %406[%456], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %458 = vector.shape_cast %457 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %459 = arith.addi %414, %c7_index : vector<8xindex>
      %460 = arith.muli %459, %417 : vector<8xindex>
      %461 = arith.addi %460, %416 : vector<8xindex>
      %462 = arith.addi %461, %413 : vector<8xindex>
      %463 = xegpu.load %406[%462], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %464 = vector.shape_cast %463 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %465 = arith.addi %414, %c8_index : vector<8xindex>
      %466 = arith.muli %465, %417 : vector<8xindex>
      %467 = arith.addi %466, %416 : vector<8xindex>
      %468 = arith.addi %467, %413 : vector<8xindex>
      %469 = xegpu.load %406[%468], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %470 = vector.shape_cast %469 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %471 = arith.addi %414, %c9_index : vector<8xindex>
      %472 = arith.muli %471, %417 : vector<8xindex>
      %473 = arith.addi %472, %416 : vector<8xindex>
      %474 = arith.addi %473, %413 : vector<8xindex>
      %475 = xegpu.load %406[%474], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %476 = vector.shape_cast %475 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %477 = arith.addi %414, %c10_index : vector<8xindex>
      %478 = arith.muli %477, %417 : vector<8xindex>
      %479 = arith.addi %478, %416 : vector<8xindex>
      %480 = arith.addi %479, %413 : vector<8xindex>
      %481 = xegpu.load %406[%480], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %482 = vector.shape_cast %481 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %483 = arith.addi %414, %c11_index : vector<8xindex>
      %484 = arith.muli %483, %417 : vector<8xindex>
      %485 = arith.addi %484, %416 : vector<8xindex>
      %486 = arith.addi %485, %413 : vector<8xindex>
      %487 = xegpu.load %406[%486], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %488 = vector.shape_cast %487 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %489 = arith.addi %414, %c12_index : vector<8xindex>
      %490 = arith.muli %489, %417 : vector<8xindex>
      %491 = arith.addi %490, %416 : vector<8xindex>
      %492 = arith.addi %491, %413 : vector<8xindex>
      %493 = xegpu.load %406[%492], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %494 = vector.shape_cast %493 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %495 = arith.addi %414, %c13_index : vector<8xindex>
      %496 = arith.muli %495, %417 : vector<8xindex>
      %497 = arith.addi %496, %416 : vector<8xindex>
      %498 = arith.addi %497, %413 : vector<8xindex>
      %499 = xegpu.load %406[%498], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %500 = vector.shape_cast %499 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %501 = arith.addi %414, %c14_index : vector<8xindex>
      %502 = arith.muli %501, %417 : vector<8xindex>
      %503 = arith.addi %502, %416 : vector<8xindex>
      %504 = arith.addi %503, %413 : vector<8xindex>
      %505 = xegpu.load %406[%504], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %506 = vector.shape_cast %505 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %507 = arith.addi %414, %c15_index : vector<8xindex>
      %508 = arith.muli %507, %417 : vector<8xindex>
      %509 = arith.addi %508, %416 : vector<8xindex>
      %510 = arith.addi %509, %413 : vector<8xindex>
      %511 = xegpu.load %406[%510], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %512 = vector.shape_cast %511 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %513 = xegpu.load_matrix %407[%c0, %c0] {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index -> vector<8x8xi32>
      %514 = vector.bitcast %513 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x8xi32> to vector<8x16xf16>
      %515 = vector.shape_cast %514 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [2, 1]>} : vector<8x16xf16> to vector<8x8x2xf16>
      %516 = xegpu.load_matrix %407[%c0, %c8] {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index -> vector<8x8xi32>
      %517 = vector.bitcast %516 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x8xi32> to vector<8x16xf16>
      %518 = vector.shape_cast %517 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [2, 1]>} : vector<8x16xf16> to vector<8x8x2xf16>
      %c0_f16_1 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} dense<0.0> : vector<8x16xf16>
      %519 = vector.insert_strided_slice %244, %c0_f16_1 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
      %520 = vector.insert_strided_slice %245, %519 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 8], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
      %521 = vector.insert_strided_slice %246, %c0_f16_1 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
      %522 = vector.insert_strided_slice %247, %521 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 8], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
      %523 = xegpu.convert_layout %520 <{input_layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, target_layout = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>}> {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x16xf16>
      %524 = xegpu.convert_layout %522 <{input_layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, target_layout = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>}> {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x16xf16>
      %525 = xegpu.dpas %523, %515 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %526 = xegpu.dpas %524, %515 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %527 = xegpu.dpas %523, %518 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %528 = xegpu.dpas %524, %518 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %529 = arith.maxnumf %525, %527 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x8xf32>
      %530 = arith.maxnumf %526, %528 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x8xf32>
      %cst_5 = arith.constant {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} dense<0x7FC00000> : vector<8xf32>
      %531 = vector.multi_reduction <maxnumf>, %529, %cst_5 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %532 = vector.shape_cast %531 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %533 = vector.multi_reduction <maxnumf>, %530, %cst_5 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %534 = vector.shape_cast %533 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %535 = vector.broadcast %403 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : f32 to vector<8x1xf32>
      %536 = arith.mulf %532, %535 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %537 = arith.mulf %534, %535 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %538 = arith.maxnumf %top, %536 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x1xf32>
      %539 = arith.maxnumf %top_0, %537 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x1xf32>
      %540 = arith.subf %top, %538 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %541 = arith.subf %top_0, %539 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %542 = math.exp2 %540 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %543 = math.exp2 %541 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %544 = arith.mulf %total, %542 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %545 = arith.mulf %total_0, %543 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %546 = vector.broadcast %404 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : f32 to vector<8x8xf32>
      %547 = vector.broadcast %538 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32> to vector<8x8xf32>
      %548 = vector.broadcast %539 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32> to vector<8x8xf32>
      %549 = math.fma %525, %546, %547 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %550 = math.fma %527, %546, %547 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %551 = math.fma %526, %546, %548 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %552 = math.fma %528, %546, %548 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %553 = arith.negf %549 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %554 = arith.negf %550 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %555 = arith.negf %551 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %556 = arith.negf %552 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %557 = math.exp2 %553 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %558 = math.exp2 %554 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %559 = math.exp2 %555 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %560 = math.exp2 %556 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %561 = arith.addf %557, %558 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %562 = arith.addf %559, %560 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %cst_6 = arith.constant {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} dense<-0.0> : vector<8xf32>
      %563 = vector.multi_reduction <add>, %561, %cst_6 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %564 = vector.shape_cast %563 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %565 = vector.multi_reduction <add>, %562, %cst_6 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %566 = vector.shape_cast %565 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %567 = arith.addf %544, %564 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %568 = arith.addf %545, %566 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %c0_f16_2 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} dense<0.0> : vector<2x16xf16>
      %569 = vector.insert_strided_slice %422, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %570 = vector.insert_strided_slice %428, %569 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %571 = vector.shape_cast %570 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %572 = vector.transpose %571, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %573 = vector.shape_cast %572 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %574 = vector.bitcast %573 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %574, %407[%c8, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %575 = vector.insert_strided_slice %434, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %576 = vector.insert_strided_slice %440, %575 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %577 = vector.shape_cast %576 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %578 = vector.transpose %577, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %579 = vector.shape_cast %578 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %580 = vector.bitcast %579 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %580, %407[%c9, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %581 = vector.insert_strided_slice %446, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %582 = vector.insert_strided_slice %452, %581 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %583 = vector.shape_cast %582 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %584 = vector.transpose %583, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %585 = vector.shape_cast %584 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %586 = vector.bitcast %585 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %586, %407[%c10, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %587 = vector.insert_strided_slice %458, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %588 = vector.insert_strided_slice %464, %587 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %589 = vector.shape_cast %588 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %590 = vector.transpose %589, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %591 = vector.shape_cast %590 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %592 = vector.bitcast %591 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %592, %407[%c11, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %593 = vector.insert_strided_slice %470, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %594 = vector.insert_strided_slice %476, %593 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %595 = vector.shape_cast %594 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %596 = vector.transpose %595, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %597 = vector.shape_cast %596 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %598 = vector.bitcast %597 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %598, %407[%c12, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %599 = vector.insert_strided_slice %482, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %600 = vector.insert_strided_slice %488, %599 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %601 = vector.shape_cast %600 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %602 = vector.transpose %601, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %603 = vector.shape_cast %602 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %604 = vector.bitcast %603 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %604, %407[%c13, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %605 = vector.insert_strided_slice %494, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %606 = vector.insert_strided_slice %500, %605 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %607 = vector.shape_cast %606 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %608 = vector.transpose %607, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %609 = vector.shape_cast %608 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %610 = vector.bitcast %609 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %610, %407[%c14, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %611 = vector.insert_strided_slice %506, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %612 = vector.insert_strided_slice %512, %611 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %613 = vector.shape_cast %612 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %614 = vector.transpose %613, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %615 = vector.shape_cast %614 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %616 = vector.bitcast %615 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %616, %407[%c15, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      gpu.barrier
      %617 = arith.addi %n, %c32 : index
      %618 = arith.cmpi slt, %617, %402 : index
      %619 = arith.select %618, %c16, %c0 : index
      %620 = arith.addi %412, %619 : index
      %621 = vector.broadcast %620 : index to vector<8xindex>
      %622 = arith.addi %419, %621 : vector<8xindex>
      %623 = xegpu.load %406[%622], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %624 = vector.shape_cast %623 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %625 = arith.addi %425, %621 : vector<8xindex>
      %626 = xegpu.load %406[%625], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %627 = vector.shape_cast %626 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %628 = arith.addi %431, %621 : vector<8xindex>
      %629 = xegpu.load %406[%628], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %630 = vector.shape_cast %629 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %631 = arith.addi %437, %621 : vector<8xindex>
      %632 = xegpu.load %406[%631], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %633 = vector.shape_cast %632 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %634 = arith.addi %443, %621 : vector<8xindex>
      %635 = xegpu.load %406[%634], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %636 = vector.shape_cast %635 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %637 = arith.addi %449, %621 : vector<8xindex>
      %638 = xegpu.load %406[%637], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %639 = vector.shape_cast %638 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %640 = arith.addi %455, %621 : vector<8xindex>
      %641 = xegpu.load %406[%640], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %642 = vector.shape_cast %641 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %643 = arith.addi %461, %621 : vector<8xindex>
      %644 = xegpu.load %406[%643], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %645 = vector.shape_cast %644 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %646 = arith.addi %467, %621 : vector<8xindex>
      %647 = xegpu.load %406[%646], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %648 = vector.shape_cast %647 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %649 = arith.addi %473, %621 : vector<8xindex>
      %650 = xegpu.load %406[%649], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %651 = vector.shape_cast %650 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %652 = arith.addi %479, %621 : vector<8xindex>
      %653 = xegpu.load %406[%652], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %654 = vector.shape_cast %653 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %655 = arith.addi %485, %621 : vector<8xindex>
      %656 = xegpu.load %406[%655], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %657 = vector.shape_cast %656 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %658 = arith.addi %491, %621 : vector<8xindex>
      %659 = xegpu.load %406[%658], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %660 = vector.shape_cast %659 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %661 = arith.addi %497, %621 : vector<8xindex>
      %662 = xegpu.load %406[%661], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %663 = vector.shape_cast %662 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %664 = arith.addi %503, %621 : vector<8xindex>
      %665 = xegpu.load %406[%664], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %666 = vector.shape_cast %665 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %667 = arith.addi %509, %621 : vector<8xindex>
      %668 = xegpu.load %406[%667], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %669 = vector.shape_cast %668 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %670 = xegpu.load_matrix %407[%c8, %c0] {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index -> vector<8x8xi32>
      %671 = vector.bitcast %670 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x8xi32> to vector<8x16xf16>
      %672 = vector.shape_cast %671 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [2, 1]>} : vector<8x16xf16> to vector<8x8x2xf16>
      %673 = xegpu.load_matrix %407[%c8, %c8] {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index -> vector<8x8xi32>
      %674 = vector.bitcast %673 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x8xi32> to vector<8x16xf16>
      %675 = vector.shape_cast %674 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [2, 1]>} : vector<8x16xf16> to vector<8x8x2xf16>
      %676 = xegpu.dpas %523, %672 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %677 = xegpu.dpas %524, %672 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %678 = xegpu.dpas %523, %675 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %679 = xegpu.dpas %524, %675 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %680 = arith.maxnumf %676, %678 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x8xf32>
      %681 = arith.maxnumf %677, %679 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x8xf32>
      %682 = vector.multi_reduction <maxnumf>, %680, %cst_5 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %683 = vector.shape_cast %682 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %684 = vector.multi_reduction <maxnumf>, %681, %cst_5 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %685 = vector.shape_cast %684 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %686 = arith.mulf %683, %535 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %687 = arith.mulf %685, %535 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %688 = arith.maxnumf %538, %686 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x1xf32>
      %689 = arith.maxnumf %539, %687 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x1xf32>
      %690 = arith.subf %538, %688 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %691 = arith.subf %539, %689 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %692 = math.exp2 %690 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %693 = math.exp2 %691 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %694 = arith.mulf %567, %692 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %695 = arith.mulf %568, %693 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %696 = vector.broadcast %688 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32> to vector<8x8xf32>
      %697 = vector.broadcast %689 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32> to vector<8x8xf32>
      %698 = math.fma %676, %546, %696 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %699 = math.fma %678, %546, %696 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %700 = math.fma %677, %546, %697 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %701 = math.fma %679, %546, %697 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %702 = arith.negf %698 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %703 = arith.negf %699 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %704 = arith.negf %700 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %705 = arith.negf %701 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %706 = math.exp2 %702 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %707 = math.exp2 %703 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %708 = math.exp2 %704 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %709 = math.exp2 %705 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %710 = arith.addf %706, %707 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %711 = arith.addf %708, %709 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %712 = vector.multi_reduction <add>, %710, %cst_6 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %713 = vector.shape_cast %712 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %714 = vector.multi_reduction <add>, %711, %cst_6 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %715 = vector.shape_cast %714 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %716 = arith.addf %694, %713 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %717 = arith.addf %695, %715 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %718 = vector.insert_strided_slice %624, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %719 = vector.insert_strided_slice %627, %718 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %720 = vector.shape_cast %719 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %721 = vector.transpose %720, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %722 = vector.shape_cast %721 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %723 = vector.bitcast %722 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %723, %407[%c0, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %724 = vector.insert_strided_slice %630, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %725 = vector.insert_strided_slice %633, %724 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %726 = vector.shape_cast %725 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %727 = vector.transpose %726, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %728 = vector.shape_cast %727 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %729 = vector.bitcast %728 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %729, %407[%c1, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %730 = vector.insert_strided_slice %636, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %731 = vector.insert_strided_slice %639, %730 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %732 = vector.shape_cast %731 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %733 = vector.transpose %732, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %734 = vector.shape_cast %733 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %735 = vector.bitcast %734 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %735, %407[%c2, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %736 = vector.insert_strided_slice %642, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %737 = vector.insert_strided_slice %645, %736 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %738 = vector.shape_cast %737 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %739 = vector.transpose %738, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %740 = vector.shape_cast %739 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %741 = vector.bitcast %740 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %741, %407[%c3, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %742 = vector.insert_strided_slice %648, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %743 = vector.insert_strided_slice %651, %742 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %744 = vector.shape_cast %743 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %745 = vector.transpose %744, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %746 = vector.shape_cast %745 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %747 = vector.bitcast %746 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %747, %407[%c4, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %748 = vector.insert_strided_slice %654, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %749 = vector.insert_strided_slice %657, %748 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %750 = vector.shape_cast %749 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %751 = vector.transpose %750, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %752 = vector.shape_cast %751 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %753 = vector.bitcast %752 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %753, %407[%c5, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %754 = vector.insert_strided_slice %660, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %755 = vector.insert_strided_slice %663, %754 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %756 = vector.shape_cast %755 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %757 = vector.transpose %756, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %758 = vector.shape_cast %757 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %759 = vector.bitcast %758 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %759, %407[%c6, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %760 = vector.insert_strided_slice %666, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %761 = vector.insert_strided_slice %669, %760 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %762 = vector.shape_cast %761 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %763 = vector.transpose %762, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %764 = vector.shape_cast %763 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %765 = vector.bitcast %764 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %765, %407[%c7, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      scf.yield %688, %689, %716, %717 : vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>
    }
    %766 = arith.maxsi %402, %c0 : index
    %767 = arith.ceildivsi %766, %c32 : index
    %768 = arith.muli %767, %c32 : index
    %769 = arith.subi %768, %402 : index
    %770 = memref.reinterpret_cast %248 to offset: [0], sizes: [%c512], strides: [1] : memref<32x16xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3> to memref<?xf16, strided<[1]>, 3>
    %771, %772, %773, %774, %775 = scf.for %n_0 = %402 to %B_d1 step %c16 iter_args(%top_1 = %408, %top_2 = %409, %total_1 = %410, %total_2 = %411, %read = %c0) -> (vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>, index) {
      %776 = arith.addi %n_0, %769 : index
      %777 = arith.divui %read, %c2 : index
      scf.for %i = %c0 to %c2 step %c1 {
        %778 = arith.divui %2, %c8_index : vector<8xindex>
        %779 = arith.remui %2, %c8_index : vector<8xindex>
        %780 = arith.muli %779, %c2_index : vector<8xindex>
        %781 = vector.broadcast %776 : index to vector<8xindex>
        %782 = arith.addi %781, %780 : vector<8xindex>
        %783 = vector.broadcast %i : index to vector<8xindex>
        %784 = arith.addi %782, %783 : vector<8xindex>
        %785 = vector.broadcast %B_d0 : index to vector<8xindex>
        %786 = arith.cmpi ult, %778, %785 : vector<8xindex>
        %787 = vector.broadcast %B_d1 : index to vector<8xindex>
        %788 = arith.cmpi ult, %784, %787 : vector<8xindex>
        %789 = arith.andi %786, %788 : vector<8xi1>
        %790 = vector.broadcast %B_s0 : index to vector<8xindex>
        %791 = arith.muli %778, %790 : vector<8xindex>
        %792 = arith.addi %791, %784 : vector<8xindex>
        %793 = xegpu.load %406[%792], %789 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %794 = vector.broadcast %read : index to vector<8xindex>
        %795 = arith.addi %794, %778 : vector<8xindex>
        %796 = arith.addi %780, %783 : vector<8xindex>
        %797 = arith.divui %795, %c2_index : vector<8xindex>
        %798 = arith.remui %795, %c2_index : vector<8xindex>
        %799 = arith.divui %797, %c8_index : vector<8xindex>
        %800 = arith.muli %799, %c256_index : vector<8xindex>
        %801 = arith.addi %798, %800 : vector<8xindex>
        %802 = arith.remui %797, %c8_index : vector<8xindex>
        %803 = arith.muli %802, %c16_index : vector<8xindex>
        %804 = arith.addi %801, %803 : vector<8xindex>
        %805 = arith.divui %796, %c8_index : vector<8xindex>
        %806 = arith.muli %805, %c128_index : vector<8xindex>
        %807 = arith.addi %804, %806 : vector<8xindex>
        %808 = arith.remui %796, %c8_index : vector<8xindex>
        %809 = arith.muli %808, %c2_index : vector<8xindex>
        %810 = arith.addi %807, %809 : vector<8xindex>
        xegpu.store %793, %770[%810], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %811 = arith.addi %778, %c1_index : vector<8xindex>
        %812 = arith.cmpi ult, %811, %785 : vector<8xindex>
        %813 = arith.andi %812, %788 : vector<8xi1>
        %814 = arith.muli %811, %790 : vector<8xindex>
        %815 = arith.addi %814, %784 : vector<8xindex>
        %816 = xegpu.load %406[%815], %813 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %817 = arith.addi %794, %811 : vector<8xindex>
        %818 = arith.divui %817, %c2_index : vector<8xindex>
        %819 = arith.remui %817, %c2_index : vector<8xindex>
        %820 = arith.divui %818, %c8_index : vector<8xindex>
        %821 = arith.muli %820, %c256_index : vector<8xindex>
        %822 = arith.addi %819, %821 : vector<8xindex>
        %823 = arith.remui %818, %c8_index : vector<8xindex>
        %824 = arith.muli %823, %c16_index : vector<8xindex>
        %825 = arith.addi %822, %824 : vector<8xindex>
        %826 = arith.addi %825, %806 : vector<8xindex>
        %827 = arith.addi %826, %809 : vector<8xindex>
        xegpu.store %816, %770[%827], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %828 = arith.addi %778, %c2_index : vector<8xindex>
        %829 = arith.cmpi ult, %828, %785 : vector<8xindex>
        %830 = arith.andi %829, %788 : vector<8xi1>
        %831 = arith.muli %828, %790 : vector<8xindex>
        %832 = arith.addi %831, %784 : vector<8xindex>
        %833 = xegpu.load %406[%832], %830 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %834 = arith.addi %794, %828 : vector<8xindex>
        %835 = arith.divui %834, %c2_index : vector<8xindex>
        %836 = arith.remui %834, %c2_index : vector<8xindex>
        %837 = arith.divui %835, %c8_index : vector<8xindex>
        %838 = arith.muli %837, %c256_index : vector<8xindex>
        %839 = arith.addi %836, %838 : vector<8xindex>
        %840 = arith.remui %835, %c8_index : vector<8xindex>
        %841 = arith.muli %840, %c16_index : vector<8xindex>
        %842 = arith.addi %839, %841 : vector<8xindex>
        %843 = arith.addi %842, %806 : vector<8xindex>
        %844 = arith.addi %843, %809 : vector<8xindex>
        xegpu.store %833, %770[%844], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %845 = arith.addi %778, %c3_index : vector<8xindex>
        %846 = arith.cmpi ult, %845, %785 : vector<8xindex>
        %847 = arith.andi %846, %788 : vector<8xi1>
        %848 = arith.muli %845, %790 : vector<8xindex>
        %849 = arith.addi %848, %784 : vector<8xindex>
        %850 = xegpu.load %406[%849], %847 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %851 = arith.addi %794, %845 : vector<8xindex>
        %852 = arith.divui %851, %c2_index : vector<8xindex>
        %853 = arith.remui %851, %c2_index : vector<8xindex>
        %854 = arith.divui %852, %c8_index : vector<8xindex>
        %855 = arith.muli %854, %c256_index : vector<8xindex>
        %856 = arith.addi %853, %855 : vector<8xindex>
        %857 = arith.remui %852, %c8_index : vector<8xindex>
        %858 = arith.muli %857, %c16_index : vector<8xindex>
        %859 = arith.addi %856, %858 : vector<8xindex>
        %860 = arith.addi %859, %806 : vector<8xindex>
        %861 = arith.addi %860, %809 : vector<8xindex>
        xegpu.store %850, %770[%861], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %862 = arith.addi %778, %c4_index : vector<8xindex>
        %863 = arith.cmpi ult, %862, %785 : vector<8xindex>
        %864 = arith.andi %863, %788 : vector<8xi1>
        %865 = arith.muli %862, %790 : vector<8xindex>
        %866 = arith.addi %865, %784 : vector<8xindex>
        %867 = xegpu.load %406[%866], %864 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %868 = arith.addi %794, %862 : vector<8xindex>
        %869 = arith.divui %868, %c2_index : vector<8xindex>
        %870 = arith.remui %868, %c2_index : vector<8xindex>
        %871 = arith.divui %869, %c8_index : vector<8xindex>
        %872 = arith.muli %871, %c256_index : vector<8xindex>
        %873 = arith.addi %870, %872 : vector<8xindex>
        %874 = arith.remui %869, %c8_index : vector<8xindex>
        %875 = arith.muli %874, %c16_index : vector<8xindex>
        %876 = arith.addi %873, %875 : vector<8xindex>
        %877 = arith.addi %876, %806 : vector<8xindex>
        %878 = arith.addi %877, %809 : vector<8xindex>
        xegpu.store %867, %770[%878], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %879 = arith.addi %778, %c5_index : vector<8xindex>
        %880 = arith.cmpi ult, %879, %785 : vector<8xindex>
        %881 = arith.andi %880, %788 : vector<8xi1>
        %882 = arith.muli %879, %790 : vector<8xindex>
        %883 = arith.addi %882, %784 : vector<8xindex>
        %884 = xegpu.load %406[%883], %881 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %885 = arith.addi %794, %879 : vector<8xindex>
        %886 = arith.divui %885, %c2_index : vector<8xindex>
        %887 = arith.remui %885, %c2_index : vector<8xindex>
        %888 = arith.divui %886, %c8_index : vector<8xindex>
        %889 = arith.muli %888, %c256_index : vector<8xindex>
        %890 = arith.addi %887, %889 : vector<8xindex>
        %891 = arith.remui %886, %c8_index : vector<8xindex>
        %892 = arith.muli %891, %c16_index : vector<8xindex>
        %893 = arith.addi %890, %892 : vector<8xindex>
        %894 = arith.addi %893, %806 : vector<8xindex>
        %895 = arith.addi %894, %809 : vector<8xindex>
        xegpu.store %884, %770[%895], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %896 = arith.addi %778, %c6_index : vector<8xindex>
        %897 = arith.cmpi ult, %896, %785 : vector<8xindex>
        %898 = arith.andi %897, %788 : vector<8xi1>
        %899 = arith.muli %896, %790 : vector<8xindex>
        %900 = arith.addi %899, %784 : vector<8xindex>
        %901 = xegpu.load %406[%900], %898 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %902 = arith.addi %794, %896 : vector<8xindex>
        %903 = arith.divui %902, %c2_index : vector<8xindex>
        %904 = arith.remui %902, %c2_index : vector<8xindex>
        %905 = arith.divui %903, %c8_index : vector<8xindex>
        %906 = arith.muli %905, %c256_index : vector<8xindex>
        %907 = arith.addi %904, %906 : vector<8xindex>
        %908 = arith.remui %903, %c8_index : vector<8xindex>
        %909 = arith.muli %908, %c16_index : vector<8xindex>
        %910 = arith.addi %907, %909 : vector<8xindex>
        %911 = arith.addi %910, %806 : vector<8xindex>
        %912 = arith.addi %911, %809 : vector<8xindex>
        xegpu.store %901, %770[%912], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %913 = arith.addi %778, %c7_index : vector<8xindex>
        %914 = arith.cmpi ult, %913, %785 : vector<8xindex>
        %915 = arith.andi %914, %788 : vector<8xi1>
        %916 = arith.muli %913, %790 : vector<8xindex>
        %917 = arith.addi %916, %784 : vector<8xindex>
        %918 = xegpu.load %406[%917], %915 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %919 = arith.addi %794, %913 : vector<8xindex>
        %920 = arith.divui %919, %c2_index : vector<8xindex>
        %921 = arith.remui %919, %c2_index : vector<8xindex>
        %922 = arith.divui %920, %c8_index : vector<8xindex>
        %923 = arith.muli %922, %c256_index : vector<8xindex>
        %924 = arith.addi %921, %923 : vector<8xindex>
        %925 = arith.remui %920, %c8_index : vector<8xindex>
        %926 = arith.muli %925, %c16_index : vector<8xindex>
        %927 = arith.addi %924, %926 : vector<8xindex>
        %928 = arith.addi %927, %806 : vector<8xindex>
        %929 = arith.addi %928, %809 : vector<8xindex>
        xegpu.store %918, %770[%929], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %930 = arith.addi %778, %c8_index : vector<8xindex>
        %931 = arith.cmpi ult, %930, %785 : vector<8xindex>
        %932 = arith.andi %931, %788 : vector<8xi1>
        %933 = arith.muli %930, %790 : vector<8xindex>
        %934 = arith.addi %933, %784 : vector<8xindex>
        %935 = xegpu.load %406[%934], %932 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %936 = arith.addi %794, %930 : vector<8xindex>
        %937 = arith.divui %936, %c2_index : vector<8xindex>
        %938 = arith.remui %936, %c2_index : vector<8xindex>
        %939 = arith.divui %937, %c8_index : vector<8xindex>
        %940 = arith.muli %939, %c256_index : vector<8xindex>
        %941 = arith.addi %938, %940 : vector<8xindex>
        %942 = arith.remui %937, %c8_index : vector<8xindex>
        %943 = arith.muli %942, %c16_index : vector<8xindex>
        %944 = arith.addi %941, %943 : vector<8xindex>
        %945 = arith.addi %944, %806 : vector<8xindex>
        %946 = arith.addi %945, %809 : vector<8xindex>
        xegpu.store %935, %770[%946], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %947 = arith.addi %778, %c9_index : vector<8xindex>
        %948 = arith.cmpi ult, %947, %785 : vector<8xindex>
        %949 = arith.andi %948, %788 : vector<8xi1>
        %950 = arith.muli %947, %790 : vector<8xindex>
        %951 = arith.addi %950, %784 : vector<8xindex>
        %952 = xegpu.load %406[%951], %949 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %953 = arith.addi %794, %947 : vector<8xindex>
        %954 = arith.divui %953, %c2_index : vector<8xindex>
        %955 = arith.remui %953, %c2_index : vector<8xindex>
        %956 = arith.divui %954, %c8_index : vector<8xindex>
        %957 = arith.muli %956, %c256_index : vector<8xindex>
        %958 = arith.addi %955, %957 : vector<8xindex>
        %959 = arith.remui %954, %c8_index : vector<8xindex>
        %960 = arith.muli %959, %c16_index : vector<8xindex>
        %961 = arith.addi %958, %960 : vector<8xindex>
        %962 = arith.addi %961, %806 : vector<8xindex>
        %963 = arith.addi %962, %809 : vector<8xindex>
        xegpu.store %952, %770[%963], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %964 = arith.addi %778, %c10_index : vector<8xindex>
        %965 = arith.cmpi ult, %964, %785 : vector<8xindex>
        %966 = arith.andi %965, %788 : vector<8xi1>
        %967 = arith.muli %964, %790 : vector<8xindex>
        %968 = arith.addi %967, %784 : vector<8xindex>
        %969 = xegpu.load %406[%968], %966 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %970 = arith.addi %794, %964 : vector<8xindex>
        %971 = arith.divui %970, %c2_index : vector<8xindex>
        %972 = arith.remui %970, %c2_index : vector<8xindex>
        %973 = arith.divui %971, %c8_index : vector<8xindex>
        %974 = arith.muli %973, %c256_index : vector<8xindex>
        %975 = arith.addi %972, %974 : vector<8xindex>
        %976 = arith.remui %971, %c8_index : vector<8xindex>
        %977 = arith.muli %976, %c16_index : vector<8xindex>
        %978 = arith.addi %975, %977 : vector<8xindex>
        %979 = arith.addi %978, %806 : vector<8xindex>
        %980 = arith.addi %979, %809 : vector<8xindex>
        xegpu.store %969, %770[%980], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %981 = arith.addi %778, %c11_index : vector<8xindex>
        %982 = arith.cmpi ult, %981, %785 : vector<8xindex>
        %983 = arith.andi %982, %788 : vector<8xi1>
        %984 = arith.muli %981, %790 : vector<8xindex>
        %985 = arith.addi %984, %784 : vector<8xindex>
        %986 = xegpu.load %406[%985], %983 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %987 = arith.addi %794, %981 : vector<8xindex>
        %988 = arith.divui %987, %c2_index : vector<8xindex>
        %989 = arith.remui %987, %c2_index : vector<8xindex>
        %990 = arith.divui %988, %c8_index : vector<8xindex>
        %991 = arith.muli %990, %c256_index : vector<8xindex>
        %992 = arith.addi %989, %991 : vector<8xindex>
        %993 = arith.remui %988, %c8_index : vector<8xindex>
        %994 = arith.muli %993, %c16_index : vector<8xindex>
        %995 = arith.addi %992, %994 : vector<8xindex>
        %996 = arith.addi %995, %806 : vector<8xindex>
        %997 = arith.addi %996, %809 : vector<8xindex>
        xegpu.store %986, %770[%997], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %998 = arith.addi %778, %c12_index : vector<8xindex>
        %999 = arith.cmpi ult, %998, %785 : vector<8xindex>
        %1000 = arith.andi %999, %788 : vector<8xi1>
        %1001 = arith.muli %998, %790 : vector<8xindex>
        %1002 = arith.addi %1001, %784 : vector<8xindex>
        %1003 = xegpu.load %406[%1002], %1000 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %1004 = arith.addi %794, %998 : vector<8xindex>
        %1005 = arith.divui %1004, %c2_index : vector<8xindex>
        %1006 = arith.remui %1004, %c2_index : vector<8xindex>
        %1007 = arith.divui %1005, %c8_index : vector<8xindex>
        %1008 = arith.muli %1007, %c256_index : vector<8xindex>
        %1009 = arith.addi %1006, %1008 : vector<8xindex>
        %1010 = arith.remui %1005, %c8_index : vector<8xindex>
        %1011 = arith.muli %1010, %c16_index : vector<8xindex>
        %1012 = arith.addi %1009, %1011 : vector<8xindex>
        %1013 = arith.addi %1012, %806 : vector<8xindex>
        %1014 = arith.addi %1013, %809 : vector<8xindex>
        xegpu.store %1003, %770[%1014], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %1015 = arith.addi %778, %c13_index : vector<8xindex>
        %1016 = arith.cmpi ult, %1015, %785 : vector<8xindex>
        %1017 = arith.andi %1016, %788 : vector<8xi1>
        %1018 = arith.muli %1015, %790 : vector<8xindex>
        %1019 = arith.addi %1018, %784 : vector<8xindex>
        %1020 = xegpu.load %406[%1019], %1017 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %1021 = arith.addi %794, %1015 : vector<8xindex>
        %1022 = arith.divui %1021, %c2_index : vector<8xindex>
        %1023 = arith.remui %1021, %c2_index : vector<8xindex>
        %1024 = arith.divui %1022, %c8_index : vector<8xindex>
        %1025 = arith.muli %1024, %c256_index : vector<8xindex>
        %1026 = arith.addi %1023, %1025 : vector<8xindex>
        %1027 = arith.remui %1022, %c8_index : vector<8xindex>
        %1028 = arith.muli %1027, %c16_index : vector<8xindex>
        %1029 = arith.addi %1026, %1028 : vector<8xindex>
        %1030 = arith.addi %1029, %806 : vector<8xindex>
        %1031 = arith.addi %1030, %809 : vector<8xindex>
        xegpu.store %1020, %770[%1031], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %1032 = arith.addi %778, %c14_index : vector<8xindex>
        %1033 = arith.cmpi ult, %1032, %785 : vector<8xindex>
        %1034 = arith.andi %1033, %788 : vector<8xi1>
        %1035 = arith.muli %1032, %790 : vector<8xindex>
        %1036 = arith.addi %1035, %784 : vector<8xindex>
        %1037 = xegpu.load %406[%1036], %1034 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %1038 = arith.addi %794, %1032 : vector<8xindex>
        %1039 = arith.divui %1038, %c2_index : vector<8xindex>
        %1040 = arith.remui %1038, %c2_index : vector<8xindex>
        %1041 = arith.divui %1039, %c8_index : vector<8xindex>
        %1042 = arith.muli %1041, %c256_index : vector<8xindex>
        %1043 = arith.addi %1040, %1042 : vector<8xindex>
        %1044 = arith.remui %1039, %c8_index : vector<8xindex>
        %1045 = arith.muli %1044, %c16_index : vector<8xindex>
        %1046 = arith.addi %1043, %1045 : vector<8xindex>
        %1047 = arith.addi %1046, %806 : vector<8xindex>
        %1048 = arith.addi %1047, %809 : vector<8xindex>
        xegpu.store %1037, %770[%1048], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %1049 = arith.addi %778, %c15_index : vector<8xindex>
        %1050 = arith.cmpi ult, %1049, %785 : vector<8xindex>
        %1051 = arith.andi %1050, %788 : vector<8xi1>
        %1052 = arith.muli %1049, %790 : vector<8xindex>
        %1053 = arith.addi %1052, %784 : vector<8xindex>
        %1054 = xegpu.load %406[%1053], %1051 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %1055 = arith.addi %794, %1049 : vector<8xindex>
        %1056 = arith.divui %1055, %c2_index : vector<8xindex>
        %1057 = arith.remui %1055, %c2_index : vector<8xindex>
        %1058 = arith.divui %1056, %c8_index : vector<8xindex>
        %1059 = arith.muli %1058, %c256_index : vector<8xindex>
        %1060 = arith.addi %1057, %1059 : vector<8xindex>
        %1061 = arith.remui %1056, %c8_index : vector<8xindex>
        %1062 = arith.muli %1061, %c16_index : vector<8xindex>
        %1063 = arith.addi %1060, %1062 : vector<8xindex>
        %1064 = arith.addi %1063, %806 : vector<8xindex>
        %1065 = arith.addi %1064, %809 : vector<8xindex>
        xegpu.store %1054, %770[%1065], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
      }
      gpu.barrier
      %1066 = xegpu.load_matrix %407[%777, %c0] {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index -> vector<8x8xi32>
      %1067 = vector.bitcast %1066 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x8xi32> to vector<8x16xf16>
      %1068 = vector.shape_cast %1067 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [2, 1]>} : vector<8x16xf16> to vector<8x8x2xf16>
      %1069 = xegpu.load_matrix %407[%777, %c8] {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index -> vector<8x8xi32>
      %1070 = vector.bitcast %1069 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x8xi32> to vector<8x16xf16>
      %1071 = vector.shape_cast %1070 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [2, 1]>} : vector<8x16xf16> to vector<8x8x2xf16>
      %c0_f16_3 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} dense<0.0> : vector<8x16xf16>
      %1072 = vector.insert_strided_slice %244, %c0_f16_3 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
      %1073 = vector.insert_strided_slice %245, %1072 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 8], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
      %1074 = vector.insert_strided_slice %246, %c0_f16_3 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
      %1075 = vector.insert_strided_slice %247, %1074 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 8], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
      %1076 = xegpu.convert_layout %1073 <{input_layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, target_layout = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>}> {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x16xf16>
      %1077 = xegpu.convert_layout %1075 <{input_layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, target_layout = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>}> {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x16xf16>
      %1078 = xegpu.dpas %1076, %1068 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %1079 = xegpu.dpas %1077, %1068 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %1080 = xegpu.dpas %1076, %1071 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %1081 = xegpu.dpas %1077, %1071 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %1082 = arith.maxnumf %1078, %1080 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x8xf32>
      %1083 = arith.maxnumf %1079, %1081 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x8xf32>
      %cst_7 = arith.constant {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} dense<0x7FC00000> : vector<8xf32>
      %1084 = vector.multi_reduction <maxnumf>, %1082, %cst_7 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %1085 = vector.shape_cast %1084 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %1086 = vector.multi_reduction <maxnumf>, %1083, %cst_7 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %1087 = vector.shape_cast %1086 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %1088 = vector.broadcast %403 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : f32 to vector<8x1xf32>
      %1089 = arith.mulf %1085, %1088 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1090 = arith.mulf %1087, %1088 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1091 = arith.maxnumf %top_1, %1089 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x1xf32>
      %1092 = arith.maxnumf %top_2, %1090 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x1xf32>
      %1093 = arith.subf %top_1, %1091 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1094 = arith.subf %top_2, %1092 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1095 = math.exp2 %1093 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1096 = math.exp2 %1094 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1097 = arith.mulf %total_1, %1095 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1098 = arith.mulf %total_2, %1096 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1099 = vector.broadcast %404 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : f32 to vector<8x8xf32>
      %1100 = vector.broadcast %1091 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32> to vector<8x8xf32>
      %1101 = vector.broadcast %1092 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32> to vector<8x8xf32>
      %1102 = math.fma %1078, %1099, %1100 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1103 = math.fma %1080, %1099, %1100 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1104 = math.fma %1079, %1099, %1101 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1105 = math.fma %1081, %1099, %1101 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1106 = arith.negf %1102 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1107 = arith.negf %1103 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1108 = arith.negf %1104 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1109 = arith.negf %1105 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1110 = math.exp2 %1106 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1111 = math.exp2 %1107 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1112 = math.exp2 %1108 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1113 = math.exp2 %1109 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1114 = arith.addf %1110, %1111 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1115 = arith.addf %1112, %1113 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %cst_8 = arith.constant {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} dense<-0.0> : vector<8xf32>
      %1116 = vector.multi_reduction <add>, %1114, %cst_8 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %1117 = vector.shape_cast %1116 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %1118 = vector.multi_reduction <add>, %1115, %cst_8 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %1119 = vector.shape_cast %1118 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %1120 = arith.addf %1097, %1117 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1121 = arith.addf %1098, %1119 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1122 = arith.subi %c16, %read : index
      scf.yield %1091, %1092, %1120, %1121, %1122 : vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>, index
    }
    %1123 = arith.muli %Y_d0, %Y_s0 : index
    %1124 = memref.reinterpret_cast %Y to offset: [0], sizes: [%1123], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %1125 = vector.broadcast %Y_d0 : index to vector<8xindex>
    %1126 = arith.cmpi ult, %2, %1125 : vector<8xindex>
    %1127 = vector.broadcast %Y_d1 : index to vector<8xindex>
    %1128 = arith.cmpi ult, %c0_index, %1127 : vector<8xindex>
    %1129 = arith.andi %1126, %1128 : vector<8xi1>
    %1130 = vector.broadcast %Y_s0 : index to vector<8xindex>
    %1131 = arith.muli %2, %1130 : vector<8xindex>
    %1132 = vector.extract_strided_slice %773 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, offsets = [0, 0], sizes = [8, 1], strides = [1, 1]} : vector<8x1xf32> to vector<8x1xf32>
    %1133 = vector.shape_cast %1132 : vector<8x1xf32> to vector<8xf32>
    xegpu.store %1133, %1124[%1131], %1129 : vector<8xf32>, memref<?xf32, strided<[1]>>, vector<8xindex>, vector<8xi1>
    %1134 = arith.cmpi ult, %79, %1125 : vector<8xindex>
    %1135 = arith.andi %1134, %1128 : vector<8xi1>
    %1136 = arith.muli %79, %1130 : vector<8xindex>
    %1137 = vector.extract_strided_slice %774 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, offsets = [0, 0], sizes = [8, 1], strides = [1, 1]} : vector<8x1xf32> to vector<8x1xf32>
    %1138 = vector.shape_cast %1137 : vector<8x1xf32> to vector<8xf32>
    xegpu.store %1138, %1124[%1136], %1135 : vector<8xf32>, memref<?xf32, strided<[1]>>, vector<8xindex>, vector<8xi1>
    gpu.return
  }
}

// after lift_conversions
gpu.module @online {
  gpu.func @online(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index, %scale: f32) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0", "scalar scale f32"], xetile.index_bits = 32 : i64, xetile.level = "xegpu", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %cst = arith.constant 1.44269502 : f32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant 1.0 : f16
    %cst_1 = arith.constant -1.0 : f16
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c8 = arith.constant 8 : index
    %c0_index = arith.constant dense<0> : vector<8xindex>
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c8_index = arith.constant dense<8> : vector<8xindex>
    %c9 = arith.constant 9 : index
    %c10 = arith.constant 10 : index
    %c11 = arith.constant 11 : index
    %c12 = arith.constant 12 : index
    %c13 = arith.constant 13 : index
    %c14 = arith.constant 14 : index
    %c15 = arith.constant 15 : index
    %cst_2 = arith.constant dense<true> : vector<8xi1>
    %c2_index = arith.constant dense<2> : vector<8xindex>
    %c1_index = arith.constant dense<1> : vector<8xindex>
    %c3_index = arith.constant dense<3> : vector<8xindex>
    %c4_index = arith.constant dense<4> : vector<8xindex>
    %c5_index = arith.constant dense<5> : vector<8xindex>
    %c6_index = arith.constant dense<6> : vector<8xindex>
    %c7_index = arith.constant dense<7> : vector<8xindex>
    %c9_index = arith.constant dense<9> : vector<8xindex>
    %c10_index = arith.constant dense<10> : vector<8xindex>
    %c11_index = arith.constant dense<11> : vector<8xindex>
    %c12_index = arith.constant dense<12> : vector<8xindex>
    %c13_index = arith.constant dense<13> : vector<8xindex>
    %c14_index = arith.constant dense<14> : vector<8xindex>
    %c15_index = arith.constant dense<15> : vector<8xindex>
    %c512 = arith.constant 512 : index
    %c256_index = arith.constant dense<256> : vector<8xindex>
    %c16_index = arith.constant dense<16> : vector<8xindex>
    %c128_index = arith.constant dense<128> : vector<8xindex>
    %cst_3 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} dense<0.0> : vector<8x1xf32>
    %cst_4 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} dense<0xFF800000> : vector<8x1xf32>
    %0 = arith.muli %A_d0, %A_s0 : index
    %1 = memref.reinterpret_cast %A to offset: [0], sizes: [%0], strides: [1] : memref<?x?xf16, strided<[?, 1]>> to memref<?xf16, strided<[1]>>
    %2 = vector.step : vector<8xindex>
    %3 = arith.cmpi ult, %c0, %A_d0 : index
    %4 = arith.select %3, %A_d1, %c0 : index
    %5 = vector.broadcast %4 : index to vector<8xindex>
    %6 = arith.cmpi ult, %2, %5 : vector<8xindex>
    %7 = xegpu.load %1[%2], %6 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %8 = arith.cmpi ult, %c1, %A_d0 : index
    %9 = arith.select %8, %A_d1, %c0 : index
    %10 = vector.broadcast %9 : index to vector<8xindex>
    %11 = arith.cmpi ult, %2, %10 : vector<8xindex>
    %12 = vector.broadcast %A_s0 : index to vector<8xindex>
    %13 = arith.addi %12, %2 : vector<8xindex>
    %14 = xegpu.load %1[%13], %11 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %15 = arith.cmpi ult, %c2, %A_d0 : index
    %16 = arith.select %15, %A_d1, %c0 : index
    %17 = vector.broadcast %16 : index to vector<8xindex>
    %18 = arith.cmpi ult, %2, %17 : vector<8xindex>
    %19 = arith.muli %A_s0, %c2 : index
    %20 = vector.broadcast %19 : index to vector<8xindex>
    %21 = arith.addi %20, %2 : vector<8xindex>
    %22 = xegpu.load %1[%21], %18 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %23 = arith.cmpi ult, %c3, %A_d0 : index
    %24 = arith.select %23, %A_d1, %c0 : index
    %25 = vector.broadcast %24 : index to vector<8xindex>
    %26 = arith.cmpi ult, %2, %25 : vector<8xindex>
    %27 = arith.muli %A_s0, %c3 : index
    %28 = vector.broadcast %27 : index to vector<8xindex>
    %29 = arith.addi %28, %2 : vector<8xindex>
    %30 = xegpu.load %1[%29], %26 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %31 = arith.cmpi ult, %c4, %A_d0 : index
    %32 = arith.select %31, %A_d1, %c0 : index
    %33 = vector.broadcast %32 : index to vector<8xindex>
    %34 = arith.cmpi ult, %2, %33 : vector<8xindex>
    %35 = arith.muli %A_s0, %c4 : index
    %36 = vector.broadcast %35 : index to vector<8xindex>
    %37 = arith.addi %36, %2 : vector<8xindex>
    %38 = xegpu.load %1[%37], %34 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %39 = arith.cmpi ult, %c5, %A_d0 : index
    %40 = arith.select %39, %A_d1, %c0 : index
    %41 = vector.broadcast %40 : index to vector<8xindex>
    %42 = arith.cmpi ult, %2, %41 : vector<8xindex>
    %43 = arith.muli %A_s0, %c5 : index
    %44 = vector.broadcast %43 : index to vector<8xindex>
    %45 = arith.addi %44, %2 : vector<8xindex>
    %46 = xegpu.load %1[%45], %42 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %47 = arith.cmpi ult, %c6, %A_d0 : index
    %48 = arith.select %47, %A_d1, %c0 : index
    %49 = vector.broadcast %48 : index to vector<8xindex>
    %50 = arith.cmpi ult, %2, %49 : vector<8xindex>
    %51 = arith.muli %A_s0, %c6 : index
    %52 = vector.broadcast %51 : index to vector<8xindex>
    %53 = arith.addi %52, %2 : vector<8xindex>
    %54 = xegpu.load %1[%53], %50 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %55 = arith.cmpi ult, %c7, %A_d0 : index
    %56 = arith.select %55, %A_d1, %c0 : index
    %57 = vector.broadcast %56 : index to vector<8xindex>
    %58 = arith.cmpi ult, %2, %57 : vector<8xindex>
    %59 = arith.muli %A_s0, %c7 : index
    %60 = vector.broadcast %59 : index to vector<8xindex>
    %61 = arith.addi %60, %2 : vector<8xindex>
    %62 = xegpu.load %1[%61], %58 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %c0_f16 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} dense<0.0> : vector<8x8xf16>
    %63 = vector.shape_cast %7 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %64 = vector.insert_strided_slice %63, %c0_f16 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %65 = vector.shape_cast %14 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %66 = vector.insert_strided_slice %65, %64 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [1, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %67 = vector.shape_cast %22 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %68 = vector.insert_strided_slice %67, %66 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [2, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %69 = vector.shape_cast %30 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %70 = vector.insert_strided_slice %69, %68 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [3, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %71 = vector.shape_cast %38 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %72 = vector.insert_strided_slice %71, %70 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [4, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %73 = vector.shape_cast %46 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %74 = vector.insert_strided_slice %73, %72 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [5, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %75 = vector.shape_cast %54 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %76 = vector.insert_strided_slice %75, %74 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [6, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %77 = vector.shape_cast %62 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %78 = vector.insert_strided_slice %77, %76 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [7, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %79 = arith.addi %2, %c8_index : vector<8xindex>
    %80 = arith.cmpi ult, %79, %5 : vector<8xindex>
    %81 = xegpu.load %1[%79], %80 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %82 = arith.cmpi ult, %79, %10 : vector<8xindex>
    %83 = arith.addi %12, %79 : vector<8xindex>
    %84 = xegpu.load %1[%83], %82 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %85 = arith.cmpi ult, %79, %17 : vector<8xindex>
    %86 = arith.addi %20, %79 : vector<8xindex>
    %87 = xegpu.load %1[%86], %85 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %88 = arith.cmpi ult, %79, %25 : vector<8xindex>
    %89 = arith.addi %28, %79 : vector<8xindex>
    %90 = xegpu.load %1[%89], %88 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %91 = arith.cmpi ult, %79, %33 : vector<8xindex>
    %92 = arith.addi %36, %79 : vector<8xindex>
    %93 = xegpu.load %1[%92], %91 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %94 = arith.cmpi ult, %79, %41 : vector<8xindex>
    %95 = arith.addi %44, %79 : vector<8xindex>
    %96 = xegpu.load %1[%95], %94 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %97 = arith.cmpi ult, %79, %49 : vector<8xindex>
    %98 = arith.addi %52, %79 : vector<8xindex>
    %99 = xegpu.load %1[%98], %97 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %100 = arith.cmpi ult, %79, %57 : vector<8xindex>
    %101 = arith.addi %60, %79 : vector<8xindex>
    %102 = xegpu.load %1[%101], %100 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %103 = vector.shape_cast %81 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %104 = vector.insert_strided_slice %103, %c0_f16 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %105 = vector.shape_cast %84 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %106 = vector.insert_strided_slice %105, %104 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [1, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %107 = vector.shape_cast %87 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %108 = vector.insert_strided_slice %107, %106 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [2, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %109 = vector.shape_cast %90 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %110 = vector.insert_strided_slice %109, %108 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [3, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %111 = vector.shape_cast %93 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %112 = vector.insert_strided_slice %111, %110 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [4, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %113 = vector.shape_cast %96 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %114 = vector.insert_strided_slice %113, %112 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [5, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %115 = vector.shape_cast %99 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %116 = vector.insert_strided_slice %115, %114 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [6, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %117 = vector.shape_cast %102 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %118 = vector.insert_strided_slice %117, %116 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [7, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %119 = arith.cmpi ult, %c8, %A_d0 : index
    %120 = arith.select %119, %A_d1, %c0 : index
    %121 = vector.broadcast %120 : index to vector<8xindex>
    %122 = arith.cmpi ult, %2, %121 : vector<8xindex>
    %123 = arith.muli %A_s0, %c8 : index
    %124 = vector.broadcast %123 : index to vector<8xindex>
    %125 = arith.addi %124, %2 : vector<8xindex>
    %126 = xegpu.load %1[%125], %122 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %127 = arith.cmpi ult, %c9, %A_d0 : index
    %128 = arith.select %127, %A_d1, %c0 : index
    %129 = vector.broadcast %128 : index to vector<8xindex>
    %130 = arith.cmpi ult, %2, %129 : vector<8xindex>
    %131 = arith.muli %A_s0, %c9 : index
    %132 = vector.broadcast %131 : index to vector<8xindex>
    %133 = arith.addi %132, %2 : vector<8xindex>
    %134 = xegpu.load %1[%133], %130 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %135 = arith.cmpi ult, %c10, %A_d0 : index
    %136 = arith.select %135, %A_d1, %c0 : index
    %137 = vector.broadcast %136 : index to vector<8xindex>
    %138 = arith.cmpi ult, %2, %137 : vector<8xindex>
    %139 = arith.muli %A_s0, %c10 : index
    %140 = vector.broadcast %139 : index to vector<8xindex>
    %141 = arith.addi %140, %2 : vector<8xindex>
    %142 = xegpu.load %1[%141], %138 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %143 = arith.cmpi ult, %c11, %A_d0 : index
    %144 = arith.select %143, %A_d1, %c0 : index
    %145 = vector.broadcast %144 : index to vector<8xindex>
    %146 = arith.cmpi ult, %2, %145 : vector<8xindex>
    %147 = arith.muli %A_s0, %c11 : index
    %148 = vector.broadcast %147 : index to vector<8xindex>
    %149 = arith.addi %148, %2 : vector<8xindex>
    %150 = xegpu.load %1[%149], %146 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %151 = arith.cmpi ult, %c12, %A_d0 : index
    %152 = arith.select %151, %A_d1, %c0 : index
    %153 = vector.broadcast %152 : index to vector<8xindex>
    %154 = arith.cmpi ult, %2, %153 : vector<8xindex>
    %155 = arith.muli %A_s0, %c12 : index
    %156 = vector.broadcast %155 : index to vector<8xindex>
    %157 = arith.addi %156, %2 : vector<8xindex>
    %158 = xegpu.load %1[%157], %154 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %159 = arith.cmpi ult, %c13, %A_d0 : index
    %160 = arith.select %159, %A_d1, %c0 : index
    %161 = vector.broadcast %160 : index to vector<8xindex>
    %162 = arith.cmpi ult, %2, %161 : vector<8xindex>
    %163 = arith.muli %A_s0, %c13 : index
    %164 = vector.broadcast %163 : index to vector<8xindex>
    %165 = arith.addi %164, %2 : vector<8xindex>
    %166 = xegpu.load %1[%165], %162 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %167 = arith.cmpi ult, %c14, %A_d0 : index
    %168 = arith.select %167, %A_d1, %c0 : index
    %169 = vector.broadcast %168 : index to vector<8xindex>
    %170 = arith.cmpi ult, %2, %169 : vector<8xindex>
    %171 = arith.muli %A_s0, %c14 : index
    %172 = vector.broadcast %171 : index to vector<8xindex>
    %173 = arith.addi %172, %2 : vector<8xindex>
    %174 = xegpu.load %1[%173], %170 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %175 = arith.cmpi ult, %c15, %A_d0 : index
    %176 = arith.select %175, %A_d1, %c0 : index
    %177 = vector.broadcast %176 : index to vector<8xindex>
    %178 = arith.cmpi ult, %2, %177 : vector<8xindex>
    %179 = arith.muli %A_s0, %c15 : index
    %180 = vector.broadcast %179 : index to vector<8xindex>
    %181 = arith.addi %180, %2 : vector<8xindex>
    %182 = xegpu.load %1[%181], %178 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %183 = vector.shape_cast %126 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %184 = vector.insert_strided_slice %183, %c0_f16 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %185 = vector.shape_cast %134 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %186 = vector.insert_strided_slice %185, %184 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [1, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %187 = vector.shape_cast %142 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %188 = vector.insert_strided_slice %187, %186 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [2, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %189 = vector.shape_cast %150 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %190 = vector.insert_strided_slice %189, %188 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [3, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %191 = vector.shape_cast %158 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %192 = vector.insert_strided_slice %191, %190 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [4, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %193 = vector.shape_cast %166 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %194 = vector.insert_strided_slice %193, %192 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [5, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %195 = vector.shape_cast %174 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %196 = vector.insert_strided_slice %195, %194 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [6, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %197 = vector.shape_cast %182 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %198 = vector.insert_strided_slice %197, %196 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [7, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %199 = arith.cmpi ult, %79, %121 : vector<8xindex>
    %200 = arith.addi %124, %79 : vector<8xindex>
    %201 = xegpu.load %1[%200], %199 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %202 = arith.cmpi ult, %79, %129 : vector<8xindex>
    %203 = arith.addi %132, %79 : vector<8xindex>
    %204 = xegpu.load %1[%203], %202 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %205 = arith.cmpi ult, %79, %137 : vector<8xindex>
    %206 = arith.addi %140, %79 : vector<8xindex>
    %207 = xegpu.load %1[%206], %205 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %208 = arith.cmpi ult, %79, %145 : vector<8xindex>
    %209 = arith.addi %148, %79 : vector<8xindex>
    %210 = xegpu.load %1[%209], %208 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %211 = arith.cmpi ult, %79, %153 : vector<8xindex>
    %212 = arith.addi %156, %79 : vector<8xindex>
    %213 = xegpu.load %1[%212], %211 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %214 = arith.cmpi ult, %79, %161 : vector<8xindex>
    %215 = arith.addi %164, %79 : vector<8xindex>
    %216 = xegpu.load %1[%215], %214 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %217 = arith.cmpi ult, %79, %169 : vector<8xindex>
    %218 = arith.addi %172, %79 : vector<8xindex>
    %219 = xegpu.load %1[%218], %217 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %220 = arith.cmpi ult, %79, %177 : vector<8xindex>
    %221 = arith.addi %180, %79 : vector<8xindex>
    %222 = xegpu.load %1[%221], %220 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
    %223 = vector.shape_cast %201 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %224 = vector.insert_strided_slice %223, %c0_f16 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %225 = vector.shape_cast %204 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %226 = vector.insert_strided_slice %225, %224 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [1, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %227 = vector.shape_cast %207 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %228 = vector.insert_strided_slice %227, %226 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [2, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %229 = vector.shape_cast %210 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %230 = vector.insert_strided_slice %229, %228 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [3, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %231 = vector.shape_cast %213 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %232 = vector.insert_strided_slice %231, %230 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [4, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %233 = vector.shape_cast %216 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %234 = vector.insert_strided_slice %233, %232 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [5, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %235 = vector.shape_cast %219 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %236 = vector.insert_strided_slice %235, %234 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [6, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %237 = vector.shape_cast %222 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8xf16> to vector<1x8xf16>
    %238 = vector.insert_strided_slice %237, %236 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [7, 0], strides = [1, 1]} : vector<1x8xf16> into vector<8x8xf16>
    %239 = arith.mulf %scale, %cst : f32
    %240 = arith.bitcast %239 : f32 to i32
    %241 = arith.cmpi slt, %240, %c0_i32 : i32
    %242 = arith.select %241, %cst_1, %cst_0 : f16
    %243 = vector.broadcast %242 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : f16 to vector<8x8xf16>
    %244 = arith.mulf %78, %243 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8x8xf16>
    %245 = arith.mulf %118, %243 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8x8xf16>
    %246 = arith.mulf %198, %243 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8x8xf16>
    %247 = arith.mulf %238, %243 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} : vector<8x8xf16>
    %248 = memref.alloca() : memref<32x16xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3>
    %249 = arith.maxsi %B_d1, %c0 : index
    %250 = arith.ceildivui %249, %c16 : index
    %251 = arith.subi %B_d0, %c16 : index
    %252 = arith.cmpi sge, %251, %c0 : index
    %253 = arith.select %252, %250, %c0 : index
    %254 = arith.minsi %250, %253 : index
    %255 = arith.subi %B_d1, %c16 : index
    %256 = arith.cmpi sge, %255, %c0 : index
    %257 = arith.remui %B_s0, %c2 : index
    %258 = arith.cmpi eq, %257, %c0 : index
    %259 = arith.andi %256, %258 : i1
    %260 = arith.maxsi %255, %c0 : index
    %261 = arith.divui %260, %c16 : index
    %262 = arith.addi %261, %c1 : index
    %263 = arith.select %259, %262, %c0 : index
    %264 = arith.minsi %254, %263 : index
    %265 = arith.divui %264, %c2 : index
    %266 = arith.muli %265, %c2 : index
    %267 = arith.cmpi sgt, %266, %c0 : index
    scf.if %267 {
      %268 = arith.muli %B_d0, %B_s0 : index
      %269 = memref.reinterpret_cast %B to offset: [0], sizes: [%268], strides: [1] : memref<?x?xf16, strided<[?, 1]>> to memref<?xf16, strided<[1]>>
      %270 = arith.divui %2, %c8_index : vector<8xindex>
      %271 = arith.remui %2, %c8_index : vector<8xindex>
      %272 = arith.muli %271, %c2_index : vector<8xindex>
      %273 = vector.broadcast %B_s0 : index to vector<8xindex>
      %274 = arith.muli %270, %273 : vector<8xindex>
      %275 = arith.addi %274, %272 : vector<8xindex>
      %276 = xegpu.load %269[%275], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %277 = vector.shape_cast %276 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %278 = arith.addi %270, %c1_index : vector<8xindex>
      %279 = arith.muli %278, %273 : vector<8xindex>
      %280 = arith.addi %279, %272 : vector<8xindex>
      %281 = xegpu.load %269[%280], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %282 = vector.shape_cast %281 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %283 = arith.addi %270, %c2_index : vector<8xindex>
      %284 = arith.muli %283, %273 : vector<8xindex>
      %285 = arith.addi %284, %272 : vector<8xindex>
      %286 = xegpu.load %269[%285], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %287 = vector.shape_cast %286 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %288 = arith.addi %270, %c3_index : vector<8xindex>
      %289 = arith.muli %288, %273 : vector<8xindex>
      %290 = arith.addi %289, %272 : vector<8xindex>
      %291 = xegpu.load %269[%290], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %292 = vector.shape_cast %291 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %293 = arith.addi %270, %c4_index : vector<8xindex>
      %294 = arith.muli %293, %273 : vector<8xindex>
      %295 = arith.addi %294, %272 : vector<8xindex>
      %296 = xegpu.load %269[%295], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %297 = vector.shape_cast %296 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %298 = arith.addi %270, %c5_index : vector<8xindex>
      %299 = arith.muli %298, %273 : vector<8xindex>
      %300 = arith.addi %299, %272 : vector<8xindex>
      %301 = xegpu.load %269[%300], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %302 = vector.shape_cast %301 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %303 = arith.addi %270, %c6_index : vector<8xindex>
      %304 = arith.muli %303, %273 : vector<8xindex>
      %305 = arith.addi %304, %272 : vector<8xindex>
      %306 = xegpu.load %269[%305], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %307 = vector.shape_cast %306 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %308 = arith.addi %270, %c7_index : vector<8xindex>
      %309 = arith.muli %308, %273 : vector<8xindex>
      %310 = arith.addi %309, %272 : vector<8xindex>
      %311 = xegpu.load %269[%310], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %312 = vector.shape_cast %311 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %313 = arith.addi %270, %c8_index : vector<8xindex>
      %314 = arith.muli %313, %273 : vector<8xindex>
      %315 = arith.addi %314, %272 : vector<8xindex>
      %316 = xegpu.load %269[%315], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %317 = vector.shape_cast %316 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %318 = arith.addi %270, %c9_index : vector<8xindex>
      %319 = arith.muli %318, %273 : vector<8xindex>
      %320 = arith.addi %319, %272 : vector<8xindex>
      %321 = xegpu.load %269[%320], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %322 = vector.shape_cast %321 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %323 = arith.addi %270, %c10_index : vector<8xindex>
      %324 = arith.muli %323, %273 : vector<8xindex>
      %325 = arith.addi %324, %272 : vector<8xindex>
      %326 = xegpu.load %269[%325], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %327 = vector.shape_cast %326 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %328 = arith.addi %270, %c11_index : vector<8xindex>
      %329 = arith.muli %328, %273 : vector<8xindex>
      %330 = arith.addi %329, %272 : vector<8xindex>
      %331 = xegpu.load %269[%330], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %332 = vector.shape_cast %331 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %333 = arith.addi %270, %c12_index : vector<8xindex>
      %334 = arith.muli %333, %273 : vector<8xindex>
      %335 = arith.addi %334, %272 : vector<8xindex>
      %336 = xegpu.load %269[%335], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %337 = vector.shape_cast %336 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %338 = arith.addi %270, %c13_index : vector<8xindex>
      %339 = arith.muli %338, %273 : vector<8xindex>
      %340 = arith.addi %339, %272 : vector<8xindex>
      %341 = xegpu.load %269[%340], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %342 = vector.shape_cast %341 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %343 = arith.addi %270, %c14_index : vector<8xindex>
      %344 = arith.muli %343, %273 : vector<8xindex>
      %345 = arith.addi %344, %272 : vector<8xindex>
      %346 = xegpu.load %269[%345], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %347 = vector.shape_cast %346 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %348 = arith.addi %270, %c15_index : vector<8xindex>
      %349 = arith.muli %348, %273 : vector<8xindex>
      %350 = arith.addi %349, %272 : vector<8xindex>
      %351 = xegpu.load %269[%350], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %352 = vector.shape_cast %351 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %353 = xegpu.create_mem_desc %248 : memref<32x16xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3> -> !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>
      %c0_f16_0 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} dense<0.0> : vector<2x16xf16>
      %354 = vector.insert_strided_slice %277, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %355 = vector.insert_strided_slice %282, %354 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %356 = vector.shape_cast %355 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %357 = vector.transpose %356, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %358 = vector.shape_cast %357 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %359 = vector.bitcast %358 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %359, %353[%c0, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %360 = vector.insert_strided_slice %287, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %361 = vector.insert_strided_slice %292, %360 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %362 = vector.shape_cast %361 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %363 = vector.transpose %362, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %364 = vector.shape_cast %363 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %365 = vector.bitcast %364 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %365, %353[%c1, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %366 = vector.insert_strided_slice %297, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %367 = vector.insert_strided_slice %302, %366 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %368 = vector.shape_cast %367 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %369 = vector.transpose %368, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %370 = vector.shape_cast %369 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %371 = vector.bitcast %370 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %371, %353[%c2, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %372 = vector.insert_strided_slice %307, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %373 = vector.insert_strided_slice %312, %372 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %374 = vector.shape_cast %373 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %375 = vector.transpose %374, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %376 = vector.shape_cast %375 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %377 = vector.bitcast %376 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %377, %353[%c3, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %378 = vector.insert_strided_slice %317, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %379 = vector.insert_strided_slice %322, %378 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %380 = vector.shape_cast %379 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %381 = vector.transpose %380, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %382 = vector.shape_cast %381 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %383 = vector.bitcast %382 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %383, %353[%c4, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %384 = vector.insert_strided_slice %327, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %385 = vector.insert_strided_slice %332, %384 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %386 = vector.shape_cast %385 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %387 = vector.transpose %386, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %388 = vector.shape_cast %387 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %389 = vector.bitcast %388 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %389, %353[%c5, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %390 = vector.insert_strided_slice %337, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %391 = vector.insert_strided_slice %342, %390 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %392 = vector.shape_cast %391 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %393 = vector.transpose %392, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %394 = vector.shape_cast %393 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %395 = vector.bitcast %394 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %395, %353[%c6, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %396 = vector.insert_strided_slice %347, %c0_f16_0 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %397 = vector.insert_strided_slice %352, %396 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %398 = vector.shape_cast %397 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %399 = vector.transpose %398, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %400 = vector.shape_cast %399 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %401 = vector.bitcast %400 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %401, %353[%c7, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
    }
    %402 = arith.muli %265, %c32 : index
    %403 = math.absf %239 : f32
    %404 = arith.negf %403 : f32
    %405 = arith.muli %B_d0, %B_s0 : index
    %406 = memref.reinterpret_cast %B to offset: [0], sizes: [%405], strides: [1] : memref<?x?xf16, strided<[?, 1]>> to memref<?xf16, strided<[1]>>
    %407 = xegpu.create_mem_desc %248 : memref<32x16xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3> -> !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>
    %c0_f16_1 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} dense<0.0> : vector<8x16xf16>
    %408 = vector.insert_strided_slice %244, %c0_f16_1 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
    %409 = vector.insert_strided_slice %245, %408 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 8], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
    %410 = xegpu.convert_layout %409 <{input_layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, target_layout = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>}> {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x16xf16>
    %411 = vector.insert_strided_slice %246, %c0_f16_1 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
    %412 = vector.insert_strided_slice %247, %411 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 8], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
    %413 = xegpu.convert_layout %412 <{input_layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, target_layout = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>}> {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x16xf16>
    %414, %415, %416, %417 = scf.for %n = %c0 to %402 step %c32 iter_args(%top = %cst_4, %top_0 = %cst_4, %total = %cst_3, %total_0 = %cst_3) -> (vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>) {
      gpu.barrier
      %418 = arith.addi %n, %c16 : index
      %419 = vector.broadcast %418 : index to vector<8xindex>
      %420 = arith.divui %2, %c8_index : vector<8xindex>
      %421 = arith.remui %2, %c8_index : vector<8xindex>
      %422 = arith.muli %421, %c2_index : vector<8xindex>
      %423 = vector.broadcast %B_s0 : index to vector<8xindex>
      %424 = arith.muli %420, %423 : vector<8xindex>
      %425 = arith.addi %424, %422 : vector<8xindex>
      %426 = arith.addi %425, %419 : vector<8xindex>
      %427 = xegpu.load %406[%426], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %428 = vector.shape_cast %427 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %429 = arith.addi %420, %c1_index : vector<8xindex>
      %430 = arith.muli %429, %423 : vector<8xindex>
      %431 = arith.addi %430, %422 : vector<8xindex>
      %432 = arith.addi %431, %419 : vector<8xindex>
      %433 = xegpu.load %406[%432], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %434 = vector.shape_cast %433 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %435 = arith.addi %420, %c2_index : vector<8xindex>
      %436 = arith.muli %435, %423 : vector<8xindex>
      %437 = arith.addi %436, %422 : vector<8xindex>
      %438 = arith.addi %437, %419 : vector<8xindex>
      %439 = xegpu.load %406[%438], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %440 = vector.shape_cast %439 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %441 = arith.addi %420, %c3_index : vector<8xindex>
      %442 = arith.muli %441, %423 : vector<8xindex>
      %443 = arith.addi %442, %422 : vector<8xindex>
      %444 = arith.addi %443, %419 : vector<8xindex>
      %445 = xegpu.load %406[%444], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %446 = vector.shape_cast %445 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %447 = arith.addi %420, %c4_index : vector<8xindex>
      %448 = arith.muli %447, %423 : vector<8xindex>
      %449 = arith.addi %448, %422 : vector<8xindex>
      %450 = arith.addi %449, %419 : vector<8xindex>
      %451 = xegpu.load %406[%450], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %452 = vector.shape_cast %451 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %453 = arith.addi %420, %c5_index : vector<8xindex>
      %454 = arith.muli %453, %423 : vector<8xindex>
      %455 = arith.addi %454, %422 : vector<8xindex>
      %456 = arith.addi %455, %419 : vector<8xindex>
      %457 = xegpu.load %406[%456], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %458 = vector.shape_cast %457 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %459 = arith.addi %420, %c6_index : vector<8xindex>
      %460 = arith.muli %459, %423 : vector<8xindex>
      %461 = arith.addi %460, %422 : vector<8xindex>
      %462 = arith.addi %461, %419 : vector<8xindex>
      %463 = xegpu.load %406[%462], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %464 = vector.shape_cast %463 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %465 = arith.addi %420, %c7_index : vector<8xindex>
      %466 = arith.muli %465, %423 : vector<8xindex>
      %467 = arith.addi %466, %422 : vector<8xindex>
      %468 = arith.addi %467, %419 : vector<8xindex>
      %469 = xegpu.load %406[%468], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %470 = vector.shape_cast %469 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %471 = arith.addi %420, %c8_index : vector<8xindex>
      %472 = arith.muli %471, %423 : vector<8xindex>
      %473 = arith.addi %472, %422 : vector<8xindex>
      %474 = arith.addi %473, %419 : vector<8xindex>
      %475 = xegpu.load %406[%474], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %476 = vector.shape_cast %475 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %477 = arith.addi %420, %c9_index : vector<8xindex>
      %478 = arith.muli %477, %423 : vector<8xindex>
      %479 = arith.addi %478, %422 : vector<8xindex>
      %480 = arith.addi %479, %419 : vector<8xindex>
      %481 = xegpu.load %406[%480], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %482 = vector.shape_cast %481 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %483 = arith.addi %420, %c10_index : vector<8xindex>
      %484 = arith.muli %483, %423 : vector<8xindex>
      %485 = arith.addi %484, %422 : vector<8xindex>
      %486 = arith.addi %485, %419 : vector<8xindex>
      %487 = xegpu.load %406[%486], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %488 = vector.shape_cast %487 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %489 = arith.addi %420, %c11_index : vector<8xindex>
      %490 = arith.muli %489, %423 : vector<8xindex>
      %491 = arith.addi %490, %422 : vector<8xindex>
      %492 = arith.addi %491, %419 : vector<8xindex>
      %493 = xegpu.load %406[%492], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %494 = vector.shape_cast %493 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %495 = arith.addi %420, %c12_index : vector<8xindex>
      %496 = arith.muli %495, %423 : vector<8xindex>
      %497 = arith.addi %496, %422 : vector<8xindex>
      %498 = arith.addi %497, %419 : vector<8xindex>
      %499 = xegpu.load %406[%498], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %500 = vector.shape_cast %499 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %501 = arith.addi %420, %c13_index : vector<8xindex>
      %502 = arith.muli %501, %423 : vector<8xindex>
      %503 = arith.addi %502, %422 : vector<8xindex>
      %504 = arith.addi %503, %419 : vector<8xindex>
      %505 = xegpu.load %406[%504], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %506 = vector.shape_cast %505 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %507 = arith.addi %420, %c14_index : vector<8xindex>
      %508 = arith.muli %507, %423 : vector<8xindex>
      %509 = arith.addi %508, %422 : vector<8xindex>
      %510 = arith.addi %509, %419 : vector<8xindex>
      %511 = xegpu.load %406[%510], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %512 = vector.shape_cast %511 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %513 = arith.addi %420, %c15_index : vector<8xindex>
      %514 = arith.muli %513, %423 : vector<8xindex>
      %515 = arith.addi %514, %422 : vector<8xindex>
      %516 = arith.addi %515, %419 : vector<8xindex>
      %517 = xegpu.load %406[%516], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %518 = vector.shape_cast %517 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %519 = xegpu.load_matrix %407[%c0, %c0] {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index -> vector<8x8xi32>
      %520 = vector.bitcast %519 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x8xi32> to vector<8x16xf16>
      %521 = vector.shape_cast %520 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [2, 1]>} : vector<8x16xf16> to vector<8x8x2xf16>
      %522 = xegpu.load_matrix %407[%c0, %c8] {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index -> vector<8x8xi32>
      %523 = vector.bitcast %522 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x8xi32> to vector<8x16xf16>
      %524 = vector.shape_cast %523 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [2, 1]>} : vector<8x16xf16> to vector<8x8x2xf16>
      %525 = xegpu.dpas %410, %521 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %526 = xegpu.dpas %413, %521 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %527 = xegpu.dpas %410, %524 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %528 = xegpu.dpas %413, %524 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %529 = arith.maxnumf %525, %527 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x8xf32>
      %530 = arith.maxnumf %526, %528 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x8xf32>
      %cst_5 = arith.constant {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} dense<0x7FC00000> : vector<8xf32>
      %531 = vector.multi_reduction <maxnumf>, %529, %cst_5 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %532 = vector.shape_cast %531 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %533 = vector.multi_reduction <maxnumf>, %530, %cst_5 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %534 = vector.shape_cast %533 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %535 = vector.broadcast %403 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : f32 to vector<8x1xf32>
      %536 = arith.mulf %532, %535 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %537 = arith.mulf %534, %535 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %538 = arith.maxnumf %top, %536 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x1xf32>
      %539 = arith.maxnumf %top_0, %537 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x1xf32>
      %540 = arith.subf %top, %538 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %541 = arith.subf %top_0, %539 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %542 = math.exp2 %540 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %543 = math.exp2 %541 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %544 = arith.mulf %total, %542 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %545 = arith.mulf %total_0, %543 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %546 = vector.broadcast %404 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : f32 to vector<8x8xf32>
      %547 = vector.broadcast %538 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32> to vector<8x8xf32>
      %548 = vector.broadcast %539 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32> to vector<8x8xf32>
      %549 = math.fma %525, %546, %547 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %550 = math.fma %527, %546, %547 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %551 = math.fma %526, %546, %548 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %552 = math.fma %528, %546, %548 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %553 = arith.negf %549 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %554 = arith.negf %550 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %555 = arith.negf %551 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %556 = arith.negf %552 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %557 = math.exp2 %553 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %558 = math.exp2 %554 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %559 = math.exp2 %555 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %560 = math.exp2 %556 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %561 = arith.addf %557, %558 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %562 = arith.addf %559, %560 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %cst_6 = arith.constant {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} dense<-0.0> : vector<8xf32>
      %563 = vector.multi_reduction <add>, %561, %cst_6 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %564 = vector.shape_cast %563 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %565 = vector.multi_reduction <add>, %562, %cst_6 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %566 = vector.shape_cast %565 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %567 = arith.addf %544, %564 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %568 = arith.addf %545, %566 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %c0_f16_2 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} dense<0.0> : vector<2x16xf16>
      %569 = vector.insert_strided_slice %428, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %570 = vector.insert_strided_slice %434, %569 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %571 = vector.shape_cast %570 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %572 = vector.transpose %571, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %573 = vector.shape_cast %572 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %574 = vector.bitcast %573 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %574, %407[%c8, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %575 = vector.insert_strided_slice %440, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %576 = vector.insert_strided_slice %446, %575 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %577 = vector.shape_cast %576 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %578 = vector.transpose %577, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %579 = vector.shape_cast %578 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %580 = vector.bitcast %579 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %580, %407[%c9, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %581 = vector.insert_strided_slice %452, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %582 = vector.insert_strided_slice %458, %581 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %583 = vector.shape_cast %582 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %584 = vector.transpose %583, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %585 = vector.shape_cast %584 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %586 = vector.bitcast %585 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %586, %407[%c10, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %587 = vector.insert_strided_slice %464, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %588 = vector.insert_strided_slice %470, %587 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %589 = vector.shape_cast %588 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %590 = vector.transpose %589, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %591 = vector.shape_cast %590 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %592 = vector.bitcast %591 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %592, %407[%c11, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %593 = vector.insert_strided_slice %476, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %594 = vector.insert_strided_slice %482, %593 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %595 = vector.shape_cast %594 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %596 = vector.transpose %595, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %597 = vector.shape_cast %596 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %598 = vector.bitcast %597 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %598, %407[%c12, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %599 = vector.insert_strided_slice %488, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %600 = vector.insert_strided_slice %494, %599 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %601 = vector.shape_cast %600 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %602 = vector.transpose %601, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %603 = vector.shape_cast %602 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %604 = vector.bitcast %603 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %604, %407[%c13, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %605 = vector.insert_strided_slice %500, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %606 = vector.insert_strided_slice %506, %605 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %607 = vector.shape_cast %606 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %608 = vector.transpose %607, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %609 = vector.shape_cast %608 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %610 = vector.bitcast %609 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %610, %407[%c14, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %611 = vector.insert_strided_slice %512, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %612 = vector.insert_strided_slice %518, %611 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %613 = vector.shape_cast %612 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %614 = vector.transpose %613, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %615 = vector.shape_cast %614 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %616 = vector.bitcast %615 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %616, %407[%c15, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      gpu.barrier
      %617 = arith.addi %n, %c32 : index
      %618 = arith.cmpi slt, %617, %402 : index
      %619 = arith.select %618, %c16, %c0 : index
      %620 = arith.addi %418, %619 : index
      %621 = vector.broadcast %620 : index to vector<8xindex>
      %622 = arith.addi %425, %621 : vector<8xindex>
      %623 = xegpu.load %406[%622], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %624 = vector.shape_cast %623 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %625 = arith.addi %431, %621 : vector<8xindex>
      %626 = xegpu.load %406[%625], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %627 = vector.shape_cast %626 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %628 = arith.addi %437, %621 : vector<8xindex>
      %629 = xegpu.load %406[%628], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %630 = vector.shape_cast %629 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %631 = arith.addi %443, %621 : vector<8xindex>
      %632 = xegpu.load %406[%631], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %633 = vector.shape_cast %632 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %634 = arith.addi %449, %621 : vector<8xindex>
      %635 = xegpu.load %406[%634], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %636 = vector.shape_cast %635 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %637 = arith.addi %455, %621 : vector<8xindex>
      %638 = xegpu.load %406[%637], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %639 = vector.shape_cast %638 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %640 = arith.addi %461, %621 : vector<8xindex>
      %641 = xegpu.load %406[%640], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %642 = vector.shape_cast %641 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %643 = arith.addi %467, %621 : vector<8xindex>
      %644 = xegpu.load %406[%643], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %645 = vector.shape_cast %644 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %646 = arith.addi %473, %621 : vector<8xindex>
      %647 = xegpu.load %406[%646], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %648 = vector.shape_cast %647 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %649 = arith.addi %479, %621 : vector<8xindex>
      %650 = xegpu.load %406[%649], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %651 = vector.shape_cast %650 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %652 = arith.addi %485, %621 : vector<8xindex>
      %653 = xegpu.load %406[%652], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %654 = vector.shape_cast %653 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %655 = arith.addi %491, %621 : vector<8xindex>
      %656 = xegpu.load %406[%655], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %657 = vector.shape_cast %656 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %658 = arith.addi %497, %621 : vector<8xindex>
      %659 = xegpu.load %406[%658], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %660 = vector.shape_cast %659 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %661 = arith.addi %503, %621 : vector<8xindex>
      %662 = xegpu.load %406[%661], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %663 = vector.shape_cast %662 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %664 = arith.addi %509, %621 : vector<8xindex>
      %665 = xegpu.load %406[%664], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %666 = vector.shape_cast %665 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %667 = arith.addi %515, %621 : vector<8xindex>
      %668 = xegpu.load %406[%667], %cst_2 <{chunk_size = 2 : i64}> {alignment = 4 : i64, layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8x2xf16>
      %669 = vector.shape_cast %668 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<8x2xf16> to vector<1x16xf16>
      %670 = xegpu.load_matrix %407[%c8, %c0] {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index -> vector<8x8xi32>
      %671 = vector.bitcast %670 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x8xi32> to vector<8x16xf16>
      %672 = vector.shape_cast %671 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [2, 1]>} : vector<8x16xf16> to vector<8x8x2xf16>
      %673 = xegpu.load_matrix %407[%c8, %c8] {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index -> vector<8x8xi32>
      %674 = vector.bitcast %673 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x8xi32> to vector<8x16xf16>
      %675 = vector.shape_cast %674 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [2, 1]>} : vector<8x16xf16> to vector<8x8x2xf16>
      %676 = xegpu.dpas %410, %672 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %677 = xegpu.dpas %413, %672 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %678 = xegpu.dpas %410, %675 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %679 = xegpu.dpas %413, %675 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %680 = arith.maxnumf %676, %678 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x8xf32>
      %681 = arith.maxnumf %677, %679 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x8xf32>
      %682 = vector.multi_reduction <maxnumf>, %680, %cst_5 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %683 = vector.shape_cast %682 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %684 = vector.multi_reduction <maxnumf>, %681, %cst_5 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %685 = vector.shape_cast %684 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %686 = arith.mulf %683, %535 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %687 = arith.mulf %685, %535 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %688 = arith.maxnumf %538, %686 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x1xf32>
      %689 = arith.maxnumf %539, %687 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x1xf32>
      %690 = arith.subf %538, %688 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %691 = arith.subf %539, %689 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %692 = math.exp2 %690 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %693 = math.exp2 %691 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %694 = arith.mulf %567, %692 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %695 = arith.mulf %568, %693 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %696 = vector.broadcast %688 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32> to vector<8x8xf32>
      %697 = vector.broadcast %689 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32> to vector<8x8xf32>
      %698 = math.fma %676, %546, %696 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %699 = math.fma %678, %546, %696 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %700 = math.fma %677, %546, %697 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %701 = math.fma %679, %546, %697 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %702 = arith.negf %698 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %703 = arith.negf %699 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %704 = arith.negf %700 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %705 = arith.negf %701 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %706 = math.exp2 %702 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %707 = math.exp2 %703 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %708 = math.exp2 %704 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %709 = math.exp2 %705 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %710 = arith.addf %706, %707 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %711 = arith.addf %708, %709 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %712 = vector.multi_reduction <add>, %710, %cst_6 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %713 = vector.shape_cast %712 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %714 = vector.multi_reduction <add>, %711, %cst_6 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %715 = vector.shape_cast %714 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %716 = arith.addf %694, %713 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %717 = arith.addf %695, %715 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %718 = vector.insert_strided_slice %624, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %719 = vector.insert_strided_slice %627, %718 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %720 = vector.shape_cast %719 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %721 = vector.transpose %720, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %722 = vector.shape_cast %721 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %723 = vector.bitcast %722 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %723, %407[%c0, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %724 = vector.insert_strided_slice %630, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %725 = vector.insert_strided_slice %633, %724 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %726 = vector.shape_cast %725 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %727 = vector.transpose %726, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %728 = vector.shape_cast %727 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %729 = vector.bitcast %728 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %729, %407[%c1, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %730 = vector.insert_strided_slice %636, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %731 = vector.insert_strided_slice %639, %730 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %732 = vector.shape_cast %731 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %733 = vector.transpose %732, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %734 = vector.shape_cast %733 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %735 = vector.bitcast %734 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %735, %407[%c2, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %736 = vector.insert_strided_slice %642, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %737 = vector.insert_strided_slice %645, %736 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %738 = vector.shape_cast %737 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %739 = vector.transpose %738, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %740 = vector.shape_cast %739 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %741 = vector.bitcast %740 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %741, %407[%c3, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %742 = vector.insert_strided_slice %648, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %743 = vector.insert_strided_slice %651, %742 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %744 = vector.shape_cast %743 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %745 = vector.transpose %744, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %746 = vector.shape_cast %745 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %747 = vector.bitcast %746 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %747, %407[%c4, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %748 = vector.insert_strided_slice %654, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %749 = vector.insert_strided_slice %657, %748 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %750 = vector.shape_cast %749 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %751 = vector.transpose %750, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %752 = vector.shape_cast %751 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %753 = vector.bitcast %752 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %753, %407[%c5, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %754 = vector.insert_strided_slice %660, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %755 = vector.insert_strided_slice %663, %754 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %756 = vector.shape_cast %755 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %757 = vector.transpose %756, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %758 = vector.shape_cast %757 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %759 = vector.bitcast %758 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %759, %407[%c6, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      %760 = vector.insert_strided_slice %666, %c0_f16_2 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [0, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %761 = vector.insert_strided_slice %669, %760 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>, offsets = [1, 0], strides = [1, 1]} : vector<1x16xf16> into vector<2x16xf16>
      %762 = vector.shape_cast %761 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<2x16xf16> to vector<1x2x16xf16>
      %763 = vector.transpose %762, [0, 2, 1] {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x2x16xf16> to vector<1x16x2xf16>
      %764 = vector.shape_cast %763 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<1x16x2xf16> to vector<1x32xf16>
      %765 = vector.bitcast %764 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>} : vector<1x32xf16> to vector<1x16xi32>
      xegpu.store_matrix %765, %407[%c7, %c0] <{layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 2]>}> : vector<1x16xi32>, !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index
      scf.yield %688, %689, %716, %717 : vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>
    }
    %766 = arith.maxsi %402, %c0 : index
    %767 = arith.ceildivsi %766, %c32 : index
    %768 = arith.muli %767, %c32 : index
    %769 = arith.subi %768, %402 : index
    %770 = memref.reinterpret_cast %248 to offset: [0], sizes: [%c512], strides: [1] : memref<32x16xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3> to memref<?xf16, strided<[1]>, 3>
    %c0_f16_3 = arith.constant {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>} dense<0.0> : vector<8x16xf16>
    %771 = vector.insert_strided_slice %244, %c0_f16_3 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
    %772 = vector.insert_strided_slice %245, %771 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 8], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
    %773 = xegpu.convert_layout %772 <{input_layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, target_layout = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>}> {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x16xf16>
    %774 = vector.insert_strided_slice %246, %c0_f16_3 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 0], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
    %775 = vector.insert_strided_slice %247, %774 {layout_result_0 = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, offsets = [0, 8], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
    %776 = xegpu.convert_layout %775 <{input_layout = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 1]>, target_layout = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>}> {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x16xf16>
    %777, %778, %779, %780, %781 = scf.for %n_0 = %402 to %B_d1 step %c16 iter_args(%top_1 = %414, %top_2 = %415, %total_1 = %416, %total_2 = %417, %read = %c0) -> (vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>, index) {
      %782 = arith.addi %n_0, %769 : index
      %783 = arith.divui %read, %c2 : index
      scf.for %i = %c0 to %c2 step %c1 {
        %784 = arith.divui %2, %c8_index : vector<8xindex>
        %785 = arith.remui %2, %c8_index : vector<8xindex>
        %786 = arith.muli %785, %c2_index : vector<8xindex>
        %787 = vector.broadcast %782 : index to vector<8xindex>
        %788 = arith.addi %787, %786 : vector<8xindex>
        %789 = vector.broadcast %i : index to vector<8xindex>
        %790 = arith.addi %788, %789 : vector<8xindex>
        %791 = vector.broadcast %B_d0 : index to vector<8xindex>
        %792 = arith.cmpi ult, %784, %791 : vector<8xindex>
        %793 = vector.broadcast %B_d1 : index to vector<8xindex>
        %794 = arith.cmpi ult, %790, %793 : vector<8xindex>
        %795 = arith.andi %792, %794 : vector<8xi1>
        %796 = vector.broadcast %B_s0 : index to vector<8xindex>
        %797 = arith.muli %784, %796 : vector<8xindex>
        %798 = arith.addi %797, %790 : vector<8xindex>
        %799 = xegpu.load %406[%798], %795 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %800 = vector.broadcast %read : index to vector<8xindex>
        %801 = arith.addi %800, %784 : vector<8xindex>
        %802 = arith.addi %786, %789 : vector<8xindex>
        %803 = arith.divui %801, %c2_index : vector<8xindex>
        %804 = arith.remui %801, %c2_index : vector<8xindex>
        %805 = arith.divui %803, %c8_index : vector<8xindex>
        %806 = arith.muli %805, %c256_index : vector<8xindex>
        %807 = arith.addi %804, %806 : vector<8xindex>
        %808 = arith.remui %803, %c8_index : vector<8xindex>
        %809 = arith.muli %808, %c16_index : vector<8xindex>
        %810 = arith.addi %807, %809 : vector<8xindex>
        %811 = arith.divui %802, %c8_index : vector<8xindex>
        %812 = arith.muli %811, %c128_index : vector<8xindex>
        %813 = arith.addi %810, %812 : vector<8xindex>
        %814 = arith.remui %802, %c8_index : vector<8xindex>
        %815 = arith.muli %814, %c2_index : vector<8xindex>
        %816 = arith.addi %813, %815 : vector<8xindex>
        xegpu.store %799, %770[%816], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %817 = arith.addi %784, %c1_index : vector<8xindex>
        %818 = arith.cmpi ult, %817, %791 : vector<8xindex>
        %819 = arith.andi %818, %794 : vector<8xi1>
        %820 = arith.muli %817, %796 : vector<8xindex>
        %821 = arith.addi %820, %790 : vector<8xindex>
        %822 = xegpu.load %406[%821], %819 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %823 = arith.addi %800, %817 : vector<8xindex>
        %824 = arith.divui %823, %c2_index : vector<8xindex>
        %825 = arith.remui %823, %c2_index : vector<8xindex>
        %826 = arith.divui %824, %c8_index : vector<8xindex>
        %827 = arith.muli %826, %c256_index : vector<8xindex>
        %828 = arith.addi %825, %827 : vector<8xindex>
        %829 = arith.remui %824, %c8_index : vector<8xindex>
        %830 = arith.muli %829, %c16_index : vector<8xindex>
        %831 = arith.addi %828, %830 : vector<8xindex>
        %832 = arith.addi %831, %812 : vector<8xindex>
        %833 = arith.addi %832, %815 : vector<8xindex>
        xegpu.store %822, %770[%833], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %834 = arith.addi %784, %c2_index : vector<8xindex>
        %835 = arith.cmpi ult, %834, %791 : vector<8xindex>
        %836 = arith.andi %835, %794 : vector<8xi1>
        %837 = arith.muli %834, %796 : vector<8xindex>
        %838 = arith.addi %837, %790 : vector<8xindex>
        %839 = xegpu.load %406[%838], %836 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %840 = arith.addi %800, %834 : vector<8xindex>
        %841 = arith.divui %840, %c2_index : vector<8xindex>
        %842 = arith.remui %840, %c2_index : vector<8xindex>
        %843 = arith.divui %841, %c8_index : vector<8xindex>
        %844 = arith.muli %843, %c256_index : vector<8xindex>
        %845 = arith.addi %842, %844 : vector<8xindex>
        %846 = arith.remui %841, %c8_index : vector<8xindex>
        %847 = arith.muli %846, %c16_index : vector<8xindex>
        %848 = arith.addi %845, %847 : vector<8xindex>
        %849 = arith.addi %848, %812 : vector<8xindex>
        %850 = arith.addi %849, %815 : vector<8xindex>
        xegpu.store %839, %770[%850], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %851 = arith.addi %784, %c3_index : vector<8xindex>
        %852 = arith.cmpi ult, %851, %791 : vector<8xindex>
        %853 = arith.andi %852, %794 : vector<8xi1>
        %854 = arith.muli %851, %796 : vector<8xindex>
        %855 = arith.addi %854, %790 : vector<8xindex>
        %856 = xegpu.load %406[%855], %853 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %857 = arith.addi %800, %851 : vector<8xindex>
        %858 = arith.divui %857, %c2_index : vector<8xindex>
        %859 = arith.remui %857, %c2_index : vector<8xindex>
        %860 = arith.divui %858, %c8_index : vector<8xindex>
        %861 = arith.muli %860, %c256_index : vector<8xindex>
        %862 = arith.addi %859, %861 : vector<8xindex>
        %863 = arith.remui %858, %c8_index : vector<8xindex>
        %864 = arith.muli %863, %c16_index : vector<8xindex>
        %865 = arith.addi %862, %864 : vector<8xindex>
        %866 = arith.addi %865, %812 : vector<8xindex>
        %867 = arith.addi %866, %815 : vector<8xindex>
        xegpu.store %856, %770[%867], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %868 = arith.addi %784, %c4_index : vector<8xindex>
        %869 = arith.cmpi ult, %868, %791 : vector<8xindex>
        %870 = arith.andi %869, %794 : vector<8xi1>
        %871 = arith.muli %868, %796 : vector<8xindex>
        %872 = arith.addi %871, %790 : vector<8xindex>
        %873 = xegpu.load %406[%872], %870 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %874 = arith.addi %800, %868 : vector<8xindex>
        %875 = arith.divui %874, %c2_index : vector<8xindex>
        %876 = arith.remui %874, %c2_index : vector<8xindex>
        %877 = arith.divui %875, %c8_index : vector<8xindex>
        %878 = arith.muli %877, %c256_index : vector<8xindex>
        %879 = arith.addi %876, %878 : vector<8xindex>
        %880 = arith.remui %875, %c8_index : vector<8xindex>
        %881 = arith.muli %880, %c16_index : vector<8xindex>
        %882 = arith.addi %879, %881 : vector<8xindex>
        %883 = arith.addi %882, %812 : vector<8xindex>
        %884 = arith.addi %883, %815 : vector<8xindex>
        xegpu.store %873, %770[%884], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %885 = arith.addi %784, %c5_index : vector<8xindex>
        %886 = arith.cmpi ult, %885, %791 : vector<8xindex>
        %887 = arith.andi %886, %794 : vector<8xi1>
        %888 = arith.muli %885, %796 : vector<8xindex>
        %889 = arith.addi %888, %790 : vector<8xindex>
        %890 = xegpu.load %406[%889], %887 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %891 = arith.addi %800, %885 : vector<8xindex>
        %892 = arith.divui %891, %c2_index : vector<8xindex>
        %893 = arith.remui %891, %c2_index : vector<8xindex>
        %894 = arith.divui %892, %c8_index : vector<8xindex>
        %895 = arith.muli %894, %c256_index : vector<8xindex>
        %896 = arith.addi %893, %895 : vector<8xindex>
        %897 = arith.remui %892, %c8_index : vector<8xindex>
        %898 = arith.muli %897, %c16_index : vector<8xindex>
        %899 = arith.addi %896, %898 : vector<8xindex>
        %900 = arith.addi %899, %812 : vector<8xindex>
        %901 = arith.addi %900, %815 : vector<8xindex>
        xegpu.store %890, %770[%901], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %902 = arith.addi %784, %c6_index : vector<8xindex>
        %903 = arith.cmpi ult, %902, %791 : vector<8xindex>
        %904 = arith.andi %903, %794 : vector<8xi1>
        %905 = arith.muli %902, %796 : vector<8xindex>
        %906 = arith.addi %905, %790 : vector<8xindex>
        %907 = xegpu.load %406[%906], %904 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %908 = arith.addi %800, %902 : vector<8xindex>
        %909 = arith.divui %908, %c2_index : vector<8xindex>
        %910 = arith.remui %908, %c2_index : vector<8xindex>
        %911 = arith.divui %909, %c8_index : vector<8xindex>
        %912 = arith.muli %911, %c256_index : vector<8xindex>
        %913 = arith.addi %910, %912 : vector<8xindex>
        %914 = arith.remui %909, %c8_index : vector<8xindex>
        %915 = arith.muli %914, %c16_index : vector<8xindex>
        %916 = arith.addi %913, %915 : vector<8xindex>
        %917 = arith.addi %916, %812 : vector<8xindex>
        %918 = arith.addi %917, %815 : vector<8xindex>
        xegpu.store %907, %770[%918], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %919 = arith.addi %784, %c7_index : vector<8xindex>
        %920 = arith.cmpi ult, %919, %791 : vector<8xindex>
        %921 = arith.andi %920, %794 : vector<8xi1>
        %922 = arith.muli %919, %796 : vector<8xindex>
        %923 = arith.addi %922, %790 : vector<8xindex>
        %924 = xegpu.load %406[%923], %921 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %925 = arith.addi %800, %919 : vector<8xindex>
        %926 = arith.divui %925, %c2_index : vector<8xindex>
        %927 = arith.remui %925, %c2_index : vector<8xindex>
        %928 = arith.divui %926, %c8_index : vector<8xindex>
        %929 = arith.muli %928, %c256_index : vector<8xindex>
        %930 = arith.addi %927, %929 : vector<8xindex>
        %931 = arith.remui %926, %c8_index : vector<8xindex>
        %932 = arith.muli %931, %c16_index : vector<8xindex>
        %933 = arith.addi %930, %932 : vector<8xindex>
        %934 = arith.addi %933, %812 : vector<8xindex>
        %935 = arith.addi %934, %815 : vector<8xindex>
        xegpu.store %924, %770[%935], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %936 = arith.addi %784, %c8_index : vector<8xindex>
        %937 = arith.cmpi ult, %936, %791 : vector<8xindex>
        %938 = arith.andi %937, %794 : vector<8xi1>
        %939 = arith.muli %936, %796 : vector<8xindex>
        %940 = arith.addi %939, %790 : vector<8xindex>
        %941 = xegpu.load %406[%940], %938 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %942 = arith.addi %800, %936 : vector<8xindex>
        %943 = arith.divui %942, %c2_index : vector<8xindex>
        %944 = arith.remui %942, %c2_index : vector<8xindex>
        %945 = arith.divui %943, %c8_index : vector<8xindex>
        %946 = arith.muli %945, %c256_index : vector<8xindex>
        %947 = arith.addi %944, %946 : vector<8xindex>
        %948 = arith.remui %943, %c8_index : vector<8xindex>
        %949 = arith.muli %948, %c16_index : vector<8xindex>
        %950 = arith.addi %947, %949 : vector<8xindex>
        %951 = arith.addi %950, %812 : vector<8xindex>
        %952 = arith.addi %951, %815 : vector<8xindex>
        xegpu.store %941, %770[%952], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %953 = arith.addi %784, %c9_index : vector<8xindex>
        %954 = arith.cmpi ult, %953, %791 : vector<8xindex>
        %955 = arith.andi %954, %794 : vector<8xi1>
        %956 = arith.muli %953, %796 : vector<8xindex>
        %957 = arith.addi %956, %790 : vector<8xindex>
        %958 = xegpu.load %406[%957], %955 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %959 = arith.addi %800, %953 : vector<8xindex>
        %960 = arith.divui %959, %c2_index : vector<8xindex>
        %961 = arith.remui %959, %c2_index : vector<8xindex>
        %962 = arith.divui %960, %c8_index : vector<8xindex>
        %963 = arith.muli %962, %c256_index : vector<8xindex>
        %964 = arith.addi %961, %963 : vector<8xindex>
        %965 = arith.remui %960, %c8_index : vector<8xindex>
        %966 = arith.muli %965, %c16_index : vector<8xindex>
        %967 = arith.addi %964, %966 : vector<8xindex>
        %968 = arith.addi %967, %812 : vector<8xindex>
        %969 = arith.addi %968, %815 : vector<8xindex>
        xegpu.store %958, %770[%969], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %970 = arith.addi %784, %c10_index : vector<8xindex>
        %971 = arith.cmpi ult, %970, %791 : vector<8xindex>
        %972 = arith.andi %971, %794 : vector<8xi1>
        %973 = arith.muli %970, %796 : vector<8xindex>
        %974 = arith.addi %973, %790 : vector<8xindex>
        %975 = xegpu.load %406[%974], %972 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %976 = arith.addi %800, %970 : vector<8xindex>
        %977 = arith.divui %976, %c2_index : vector<8xindex>
        %978 = arith.remui %976, %c2_index : vector<8xindex>
        %979 = arith.divui %977, %c8_index : vector<8xindex>
        %980 = arith.muli %979, %c256_index : vector<8xindex>
        %981 = arith.addi %978, %980 : vector<8xindex>
        %982 = arith.remui %977, %c8_index : vector<8xindex>
        %983 = arith.muli %982, %c16_index : vector<8xindex>
        %984 = arith.addi %981, %983 : vector<8xindex>
        %985 = arith.addi %984, %812 : vector<8xindex>
        %986 = arith.addi %985, %815 : vector<8xindex>
        xegpu.store %975, %770[%986], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %987 = arith.addi %784, %c11_index : vector<8xindex>
        %988 = arith.cmpi ult, %987, %791 : vector<8xindex>
        %989 = arith.andi %988, %794 : vector<8xi1>
        %990 = arith.muli %987, %796 : vector<8xindex>
        %991 = arith.addi %990, %790 : vector<8xindex>
        %992 = xegpu.load %406[%991], %989 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %993 = arith.addi %800, %987 : vector<8xindex>
        %994 = arith.divui %993, %c2_index : vector<8xindex>
        %995 = arith.remui %993, %c2_index : vector<8xindex>
        %996 = arith.divui %994, %c8_index : vector<8xindex>
        %997 = arith.muli %996, %c256_index : vector<8xindex>
        %998 = arith.addi %995, %997 : vector<8xindex>
        %999 = arith.remui %994, %c8_index : vector<8xindex>
        %1000 = arith.muli %999, %c16_index : vector<8xindex>
        %1001 = arith.addi %998, %1000 : vector<8xindex>
        %1002 = arith.addi %1001, %812 : vector<8xindex>
        %1003 = arith.addi %1002, %815 : vector<8xindex>
        xegpu.store %992, %770[%1003], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %1004 = arith.addi %784, %c12_index : vector<8xindex>
        %1005 = arith.cmpi ult, %1004, %791 : vector<8xindex>
        %1006 = arith.andi %1005, %794 : vector<8xi1>
        %1007 = arith.muli %1004, %796 : vector<8xindex>
        %1008 = arith.addi %1007, %790 : vector<8xindex>
        %1009 = xegpu.load %406[%1008], %1006 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %1010 = arith.addi %800, %1004 : vector<8xindex>
        %1011 = arith.divui %1010, %c2_index : vector<8xindex>
        %1012 = arith.remui %1010, %c2_index : vector<8xindex>
        %1013 = arith.divui %1011, %c8_index : vector<8xindex>
        %1014 = arith.muli %1013, %c256_index : vector<8xindex>
        %1015 = arith.addi %1012, %1014 : vector<8xindex>
        %1016 = arith.remui %1011, %c8_index : vector<8xindex>
        %1017 = arith.muli %1016, %c16_index : vector<8xindex>
        %1018 = arith.addi %1015, %1017 : vector<8xindex>
        %1019 = arith.addi %1018, %812 : vector<8xindex>
        %1020 = arith.addi %1019, %815 : vector<8xindex>
        xegpu.store %1009, %770[%1020], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %1021 = arith.addi %784, %c13_index : vector<8xindex>
        %1022 = arith.cmpi ult, %1021, %791 : vector<8xindex>
        %1023 = arith.andi %1022, %794 : vector<8xi1>
        %1024 = arith.muli %1021, %796 : vector<8xindex>
        %1025 = arith.addi %1024, %790 : vector<8xindex>
        %1026 = xegpu.load %406[%1025], %1023 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %1027 = arith.addi %800, %1021 : vector<8xindex>
        %1028 = arith.divui %1027, %c2_index : vector<8xindex>
        %1029 = arith.remui %1027, %c2_index : vector<8xindex>
        %1030 = arith.divui %1028, %c8_index : vector<8xindex>
        %1031 = arith.muli %1030, %c256_index : vector<8xindex>
        %1032 = arith.addi %1029, %1031 : vector<8xindex>
        %1033 = arith.remui %1028, %c8_index : vector<8xindex>
        %1034 = arith.muli %1033, %c16_index : vector<8xindex>
        %1035 = arith.addi %1032, %1034 : vector<8xindex>
        %1036 = arith.addi %1035, %812 : vector<8xindex>
        %1037 = arith.addi %1036, %815 : vector<8xindex>
        xegpu.store %1026, %770[%1037], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %1038 = arith.addi %784, %c14_index : vector<8xindex>
        %1039 = arith.cmpi ult, %1038, %791 : vector<8xindex>
        %1040 = arith.andi %1039, %794 : vector<8xi1>
        %1041 = arith.muli %1038, %796 : vector<8xindex>
        %1042 = arith.addi %1041, %790 : vector<8xindex>
        %1043 = xegpu.load %406[%1042], %1040 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %1044 = arith.addi %800, %1038 : vector<8xindex>
        %1045 = arith.divui %1044, %c2_index : vector<8xindex>
        %1046 = arith.remui %1044, %c2_index : vector<8xindex>
        %1047 = arith.divui %1045, %c8_index : vector<8xindex>
        %1048 = arith.muli %1047, %c256_index : vector<8xindex>
        %1049 = arith.addi %1046, %1048 : vector<8xindex>
        %1050 = arith.remui %1045, %c8_index : vector<8xindex>
        %1051 = arith.muli %1050, %c16_index : vector<8xindex>
        %1052 = arith.addi %1049, %1051 : vector<8xindex>
        %1053 = arith.addi %1052, %812 : vector<8xindex>
        %1054 = arith.addi %1053, %815 : vector<8xindex>
        xegpu.store %1043, %770[%1054], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
        %1055 = arith.addi %784, %c15_index : vector<8xindex>
        %1056 = arith.cmpi ult, %1055, %791 : vector<8xindex>
        %1057 = arith.andi %1056, %794 : vector<8xi1>
        %1058 = arith.muli %1055, %796 : vector<8xindex>
        %1059 = arith.addi %1058, %790 : vector<8xindex>
        %1060 = xegpu.load %406[%1059], %1057 : memref<?xf16, strided<[1]>>, vector<8xindex>, vector<8xi1> -> vector<8xf16>
        %1061 = arith.addi %800, %1055 : vector<8xindex>
        %1062 = arith.divui %1061, %c2_index : vector<8xindex>
        %1063 = arith.remui %1061, %c2_index : vector<8xindex>
        %1064 = arith.divui %1062, %c8_index : vector<8xindex>
        %1065 = arith.muli %1064, %c256_index : vector<8xindex>
        %1066 = arith.addi %1063, %1065 : vector<8xindex>
        %1067 = arith.remui %1062, %c8_index : vector<8xindex>
        %1068 = arith.muli %1067, %c16_index : vector<8xindex>
        %1069 = arith.addi %1066, %1068 : vector<8xindex>
        %1070 = arith.addi %1069, %812 : vector<8xindex>
        %1071 = arith.addi %1070, %815 : vector<8xindex>
        xegpu.store %1060, %770[%1071], %cst_2 : vector<8xf16>, memref<?xf16, strided<[1]>, 3>, vector<8xindex>, vector<8xi1>
      }
      gpu.barrier
      %1072 = xegpu.load_matrix %407[%783, %c0] {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index -> vector<8x8xi32>
      %1073 = vector.bitcast %1072 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x8xi32> to vector<8x16xf16>
      %1074 = vector.shape_cast %1073 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [2, 1]>} : vector<8x16xf16> to vector<8x8x2xf16>
      %1075 = xegpu.load_matrix %407[%783, %c8] {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : !xegpu.mem_desc<16x16xi32, #xegpu.mem_layout<block = [8, 8]>>, index, index -> vector<8x8xi32>
      %1076 = vector.bitcast %1075 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 2]>} : vector<8x8xi32> to vector<8x16xf16>
      %1077 = vector.shape_cast %1076 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [2, 1]>} : vector<8x16xf16> to vector<8x8x2xf16>
      %1078 = xegpu.dpas %773, %1074 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %1079 = xegpu.dpas %776, %1074 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %1080 = xegpu.dpas %773, %1077 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %1081 = xegpu.dpas %776, %1077 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x16xf16>, vector<8x8x2xf16> -> vector<8x8xf32>
      %1082 = arith.maxnumf %1078, %1080 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x8xf32>
      %1083 = arith.maxnumf %1079, %1081 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x8xf32>
      %cst_7 = arith.constant {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} dense<0x7FC00000> : vector<8xf32>
      %1084 = vector.multi_reduction <maxnumf>, %1082, %cst_7 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %1085 = vector.shape_cast %1084 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %1086 = vector.multi_reduction <maxnumf>, %1083, %cst_7 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %1087 = vector.shape_cast %1086 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %1088 = vector.broadcast %403 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : f32 to vector<8x1xf32>
      %1089 = arith.mulf %1085, %1088 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1090 = arith.mulf %1087, %1088 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1091 = arith.maxnumf %top_1, %1089 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x1xf32>
      %1092 = arith.maxnumf %top_2, %1090 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, xetile.either_zero = true} : vector<8x1xf32>
      %1093 = arith.subf %top_1, %1091 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1094 = arith.subf %top_2, %1092 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1095 = math.exp2 %1093 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1096 = math.exp2 %1094 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1097 = arith.mulf %total_1, %1095 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1098 = arith.mulf %total_2, %1096 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1099 = vector.broadcast %404 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : f32 to vector<8x8xf32>
      %1100 = vector.broadcast %1091 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32> to vector<8x8xf32>
      %1101 = vector.broadcast %1092 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32> to vector<8x8xf32>
      %1102 = math.fma %1078, %1099, %1100 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1103 = math.fma %1080, %1099, %1100 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1104 = math.fma %1079, %1099, %1101 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1105 = math.fma %1081, %1099, %1101 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1106 = arith.negf %1102 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1107 = arith.negf %1103 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1108 = arith.negf %1104 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1109 = arith.negf %1105 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1110 = math.exp2 %1106 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1111 = math.exp2 %1107 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1112 = math.exp2 %1108 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1113 = math.exp2 %1109 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1114 = arith.addf %1110, %1111 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %1115 = arith.addf %1112, %1113 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x8xf32>
      %cst_8 = arith.constant {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} dense<-0.0> : vector<8xf32>
      %1116 = vector.multi_reduction <add>, %1114, %cst_8 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %1117 = vector.shape_cast %1116 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %1118 = vector.multi_reduction <add>, %1115, %cst_8 {layout_result_0 = #xegpu.slice<#xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, dims = [1]>} [1] : vector<8x8xf32> to vector<8xf32>
      %1119 = vector.shape_cast %1118 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8xf32> to vector<8x1xf32>
      %1120 = arith.addf %1097, %1117 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1121 = arith.addf %1098, %1119 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>} : vector<8x1xf32>
      %1122 = arith.subi %c16, %read : index
      scf.yield %1091, %1092, %1120, %1121, %1122 : vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>, vector<8x1xf32>, index
    }
    %1123 = arith.muli %Y_d0, %Y_s0 : index
    %1124 = memref.reinterpret_cast %Y to offset: [0], sizes: [%1123], strides: [1] : memref<?x?xf32, strided<[?, 1]>> to memref<?xf32, strided<[1]>>
    %1125 = vector.broadcast %Y_d0 : index to vector<8xindex>
    %1126 = arith.cmpi ult, %2, %1125 : vector<8xindex>
    %1127 = vector.broadcast %Y_d1 : index to vector<8xindex>
    %1128 = arith.cmpi ult, %c0_index, %1127 : vector<8xindex>
    %1129 = arith.andi %1126, %1128 : vector<8xi1>
    %1130 = vector.broadcast %Y_s0 : index to vector<8xindex>
    %1131 = arith.muli %2, %1130 : vector<8xindex>
    %1132 = vector.extract_strided_slice %779 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, offsets = [0, 0], sizes = [8, 1], strides = [1, 1]} : vector<8x1xf32> to vector<8x1xf32>
    %1133 = vector.shape_cast %1132 : vector<8x1xf32> to vector<8xf32>
    xegpu.store %1133, %1124[%1131], %1129 : vector<8xf32>, memref<?xf32, strided<[1]>>, vector<8xindex>, vector<8xi1>
    %1134 = arith.cmpi ult, %79, %1125 : vector<8xindex>
    %1135 = arith.andi %1134, %1128 : vector<8xi1>
    %1136 = arith.muli %79, %1130 : vector<8xindex>
    %1137 = vector.extract_strided_slice %780 {layout_result_0 = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 1]>, offsets = [0, 0], sizes = [8, 1], strides = [1, 1]} : vector<8x1xf32> to vector<8x1xf32>
    %1138 = vector.shape_cast %1137 : vector<8x1xf32> to vector<8xf32>
    xegpu.store %1138, %1124[%1136], %1135 : vector<8xf32>, memref<?xf32, strided<[1]>>, vector<8xindex>, vector<8xi1>
    gpu.return
  }
}
