// before load_again
gpu.module @heads {
  gpu.func @heads(%Q: memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>>, %Q_d0: index, %Q_d1: index, %Q_d2: index, %Q_d3: index, %Q_s0: index, %Q_s1: index, %Q_s2: index, %K: memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>>, %K_d0: index, %K_d1: index, %K_d2: index, %K_d3: index, %K_s0: index, %K_s1: index, %K_s2: index, %V: memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>>, %V_d0: index, %V_d1: index, %V_d2: index, %V_d3: index, %V_s0: index, %V_s1: index, %V_s2: index, %Out: memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>>, %Out_d0: index, %Out_d1: index, %Out_d2: index, %Out_d3: index, %Out_s0: index, %Out_s1: index, %Out_s2: index, %scale: f32) kernel attributes {xetile.args = ["array Q f16", "dim Q 0", "dim Q 1", "dim Q 2", "dim Q 3", "stride Q 0", "stride Q 1", "stride Q 2", "array K f16", "dim K 0", "dim K 1", "dim K 2", "dim K 3", "stride K 0", "stride K 1", "stride K 2", "array V f16", "dim V 0", "dim V 1", "dim V 2", "dim V 3", "stride V 0", "stride V 1", "stride V 2", "array Out f16", "dim Out 0", "dim Out 1", "dim Out 2", "dim Out 3", "stride Out 0", "stride Out 1", "stride Out 2", "scalar scale f32"], xetile.free = ["Q", "K", "V", "Out"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 8 : i64} {
    %c8 = arith.constant 8 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %c16 = arith.constant 16 : index
    %c48 = arith.constant 48 : index
    %c24 = arith.constant 24 : index
    %cst = arith.constant dense<0.0> : vector<8xf32>
    %cst_0 = arith.constant dense<[0, 16, 32, 48]> : vector<4xindex>
    %c0_i32 = arith.constant 0 : i32
    %c16_i32 = arith.constant 16 : i32
    %c1_i32 = arith.constant 1 : i32
    %c2_i32 = arith.constant 2 : i32
    %c3_i32 = arith.constant 3 : i32
    %c4_i32 = arith.constant 4 : i32
    %c5_i32 = arith.constant 5 : i32
    %c6_i32 = arith.constant 6 : i32
    %c7_i32 = arith.constant 7 : i32
    %c512 = arith.constant 512 : index
    %c1024 = arith.constant 1024 : index
    %c1536 = arith.constant 1536 : index
    %c256 = arith.constant 256 : index
    %c768 = arith.constant 768 : index
    %c1280 = arith.constant 1280 : index
    %c1792 = arith.constant 1792 : index
    %slm = memref.alloca() : memref<64x64xf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3>
    %0 = gpu.subgroup_id : index
    %1 = arith.muli %0, %c8 : index
    %2 = arith.divui %0, %c2 : index
    %3 = arith.remui %2, %c2 : index
    %4 = arith.muli %3, %c32 : index
    %5 = arith.remui %0, %c2 : index
    %6 = arith.muli %5, %c32 : index
    %7 = arith.divui %0, %c4 : index
    %8 = gpu.block_id x
    %9 = arith.muli %8, %c64 : index
    %h = gpu.block_id y
    %b = gpu.block_id z
    %10 = gpu.lane_id
    %11 = vector.broadcast %10 : index to vector<4xindex>
    %12 = arith.addi %11, %cst_0 : vector<4xindex>
    %13 = arith.shrsi %1, %c1 : index
    %14 = arith.addi %9, %6 : index
    %15 = xegpu.create_nd_tdesc %K[%b, %h, %c0, %c0], shape : [%K_d0, %K_d1, %K_d2, %K_d3], strides : [%K_s0, %K_s1, %K_s2, %c1] : memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %16 = xegpu.create_nd_tdesc %V[%b, %h, %c0, %c0], shape : [%V_d0, %V_d1, %V_d2, %V_d3], strides : [%V_s0, %V_s1, %V_s2, %c1] : memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %17 = arith.cmpi eq, %7, %c0 : index
    %18 = arith.select %17, %15, %16 : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %19 = arith.select %17, %6, %4 : index
    %20 = arith.select %17, %4, %14 : index
    xegpu.prefetch_nd %18[%19, %20] : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %21 = arith.addi %6, %c64 : index
    %22 = arith.addi %4, %c64 : index
    %23 = arith.select %17, %21, %22 : index
    xegpu.prefetch_nd %18[%23, %20] : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %24 = arith.addi %6, %c128 : index
    %25 = arith.addi %4, %c128 : index
    %26 = arith.select %17, %24, %25 : index
    xegpu.prefetch_nd %18[%26, %20] : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %27 = arith.addi %6, %c192 : index
    %28 = arith.addi %4, %c192 : index
    %29 = xegpu.create_nd_tdesc %Q[%b, %h, %c0, %c0], shape : [%Q_d0, %Q_d1, %Q_d2, %Q_d3], strides : [%Q_s0, %Q_s1, %Q_s2, %c1] : memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>> -> !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %30 = builtin.unrealized_conversion_cast %K : memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>> to memref<?x?x?x?xi32, strided<[?, ?, ?, 1]>>
    %31 = arith.divui %K_s0, %c2 : index
    %32 = arith.divui %K_s1, %c2 : index
    %33 = arith.divui %K_s2, %c2 : index
    %34 = arith.divui %K_d3, %c2 : index
    %35 = xegpu.create_nd_tdesc %30[%b, %h, %c0, %c0], shape : [%K_d0, %K_d1, %K_d2, %34], strides : [%31, %32, %33, %c1] : memref<?x?x?x?xi32, strided<[?, ?, ?, 1]>> -> !xegpu.tensor_desc<16x8xi32>
    %36 = arith.addi %9, %c32 : index
    %37 = xegpu.create_nd_tdesc %Out[%b, %h, %c0, %c0], shape : [%Out_d0, %Out_d1, %Out_d2, %Out_d3], strides : [%Out_s0, %Out_s1, %Out_s2, %c1] : memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>> -> !xegpu.tensor_desc<8x16xf16>
    %38 = arith.addi %9, %c16 : index
    %39 = arith.addi %9, %c48 : index
    %40 = arith.select %17, %27, %28 : index
    %41 = arith.remui %10, %c8 : index
    %42 = xegpu.create_mem_desc %slm : memref<64x64xf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3> -> !xegpu.mem_desc<1x2048xi32>
    %43 = arith.muli %0, %c64 : index
    %44 = arith.addi %43, %c512 : index
    %45 = arith.addi %43, %c1024 : index
    %46 = arith.addi %43, %c1536 : index
    %47, %48, %49, %50 = scf.for %t = %c0 to %Q_d2 step %c64 iter_args(%state = %cst, %state_0 = %cst, %state_1 = %cst, %state_2 = %cst) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
      %51 = arith.addi %t, %40 : index
      %52 = arith.addi %t, %1 : index
      xegpu.prefetch_nd %18[%51, %20] : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
      %53 = xegpu.load_nd %29[%52, %c0] : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<16xf16>
      %54 = vector.extract_strided_slice %53 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %55 = vector.extract_strided_slice %53 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %56 = xegpu.load_nd %29[%52, %c32] : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<16xf16>
      %57 = vector.extract_strided_slice %56 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %58 = vector.extract_strided_slice %56 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %59 = arith.addi %t, %c16 : index
      %60 = arith.addi %t, %c32 : index
      %61 = arith.addi %t, %c48 : index
      %62 = arith.extf %54 : vector<8xf16> to vector<8xf32>
      %63 = arith.extf %55 : vector<8xf16> to vector<8xf32>
      %64 = arith.extf %57 : vector<8xf16> to vector<8xf32>
      %65 = arith.extf %58 : vector<8xf16> to vector<8xf32>
      %66 = vector.broadcast %scale : f32 to vector<8xf32>
      %67 = arith.mulf %62, %66 : vector<8xf32>
      %68 = arith.mulf %63, %66 : vector<8xf32>
      %69 = arith.mulf %64, %66 : vector<8xf32>
      %70 = arith.mulf %65, %66 : vector<8xf32>
      %71 = arith.truncf %67 : vector<8xf32> to vector<8xf16>
      %72 = arith.truncf %68 : vector<8xf32> to vector<8xf16>
      %73 = arith.truncf %69 : vector<8xf32> to vector<8xf16>
      %74 = arith.truncf %70 : vector<8xf32> to vector<8xf16>
      %75 = vector.broadcast %41 : index to vector<1xindex>
      %76 = vector.broadcast %1 : index to vector<1xindex>
      %77 = arith.addi %75, %76 : vector<1xindex>
      %78 = vector.extract %77[0] : index from vector<1xindex>
      %79 = arith.index_cast %78 : index to i32
      %80, %81 = gpu.shuffle idx %79, %c0_i32, %c16_i32 : i32
      %82 = arith.index_cast %80 : i32 to index
      %83, %84 = gpu.shuffle idx %79, %c1_i32, %c16_i32 : i32
      %85 = arith.index_cast %83 : i32 to index
      %86, %87 = gpu.shuffle idx %79, %c2_i32, %c16_i32 : i32
      %88 = arith.index_cast %86 : i32 to index
      %89, %90 = gpu.shuffle idx %79, %c3_i32, %c16_i32 : i32
      %91 = arith.index_cast %89 : i32 to index
      %92, %93 = gpu.shuffle idx %79, %c4_i32, %c16_i32 : i32
      %94 = arith.index_cast %92 : i32 to index
      %95, %96 = gpu.shuffle idx %79, %c5_i32, %c16_i32 : i32
      %97 = arith.index_cast %95 : i32 to index
      %98, %99 = gpu.shuffle idx %79, %c6_i32, %c16_i32 : i32
      %100 = arith.index_cast %98 : i32 to index
      %101, %102 = gpu.shuffle idx %79, %c7_i32, %c16_i32 : i32
      %103 = arith.index_cast %101 : i32 to index
      %104 = vector.broadcast %82 : index to vector<8xindex>
      %105 = vector.insert %85, %104[1] : index into vector<8xindex>
      %106 = vector.insert %88, %105[2] : index into vector<8xindex>
      %107 = vector.insert %91, %106[3] : index into vector<8xindex>
      %108 = vector.insert %94, %107[4] : index into vector<8xindex>
      %109 = vector.insert %97, %108[5] : index into vector<8xindex>
      %110 = vector.insert %100, %109[6] : index into vector<8xindex>
      %111 = vector.insert %103, %110[7] : index into vector<8xindex>
      %112 = vector.extract_strided_slice %12 {offsets = [0], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
      %113 = vector.extract_strided_slice %12 {offsets = [1], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
      %114 = vector.extract_strided_slice %12 {offsets = [2], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
      %115 = vector.extract_strided_slice %12 {offsets = [3], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
      %116 = vector.extract %112[0] : index from vector<1xindex>
      %117 = vector.broadcast %116 : index to vector<8xindex>
      %118 = vector.extract %113[0] : index from vector<1xindex>
      %119 = vector.broadcast %118 : index to vector<8xindex>
      %120 = vector.extract %114[0] : index from vector<1xindex>
      %121 = vector.broadcast %120 : index to vector<8xindex>
      %122 = vector.extract %115[0] : index from vector<1xindex>
      %123 = vector.broadcast %122 : index to vector<8xindex>
      %124 = arith.cmpi sge, %111, %117 : vector<8xindex>
      %125 = arith.cmpi sge, %111, %119 : vector<8xindex>
      %126 = arith.cmpi sge, %111, %121 : vector<8xindex>
      %127 = arith.cmpi sge, %111, %123 : vector<8xindex>
      %128 = xegpu.load_nd %35[%t, %c0] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %129 = vector.bitcast %128 : vector<8xi32> to vector<16xf16>
      %130 = xegpu.dpas %71, %129 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %131 = xegpu.load_nd %35[%59, %c0] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %132 = vector.bitcast %131 : vector<8xi32> to vector<16xf16>
      %133 = xegpu.dpas %71, %132 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %134 = xegpu.load_nd %35[%60, %c0] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %135 = vector.bitcast %134 : vector<8xi32> to vector<16xf16>
      %136 = xegpu.dpas %71, %135 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %137 = xegpu.load_nd %35[%61, %c0] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %138 = vector.bitcast %137 : vector<8xi32> to vector<16xf16>
      %139 = xegpu.dpas %71, %138 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %140 = xegpu.load_nd %35[%t, %c8] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %141 = vector.bitcast %140 : vector<8xi32> to vector<16xf16>
      %142 = xegpu.dpas %72, %141, %130 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %143 = xegpu.load_nd %35[%59, %c8] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %144 = vector.bitcast %143 : vector<8xi32> to vector<16xf16>
      %145 = xegpu.dpas %72, %144, %133 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %146 = xegpu.load_nd %35[%60, %c8] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %147 = vector.bitcast %146 : vector<8xi32> to vector<16xf16>
      %148 = xegpu.dpas %72, %147, %136 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %149 = xegpu.load_nd %35[%61, %c8] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %150 = vector.bitcast %149 : vector<8xi32> to vector<16xf16>
      %151 = xegpu.dpas %72, %150, %139 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %152 = xegpu.load_nd %35[%t, %c16] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %153 = vector.bitcast %152 : vector<8xi32> to vector<16xf16>
      %154 = xegpu.dpas %73, %153, %142 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %155 = xegpu.load_nd %35[%59, %c16] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %156 = vector.bitcast %155 : vector<8xi32> to vector<16xf16>
      %157 = xegpu.dpas %73, %156, %145 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %158 = xegpu.load_nd %35[%60, %c16] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %159 = vector.bitcast %158 : vector<8xi32> to vector<16xf16>
      %160 = xegpu.dpas %73, %159, %148 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %161 = xegpu.load_nd %35[%61, %c16] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %162 = vector.bitcast %161 : vector<8xi32> to vector<16xf16>
      %163 = xegpu.dpas %73, %162, %151 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %164 = xegpu.load_nd %35[%t, %c24] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %165 = vector.bitcast %164 : vector<8xi32> to vector<16xf16>
      %166 = xegpu.dpas %74, %165, %154 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %167 = xegpu.load_nd %35[%59, %c24] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %168 = vector.bitcast %167 : vector<8xi32> to vector<16xf16>
      %169 = xegpu.dpas %74, %168, %157 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %170 = xegpu.load_nd %35[%60, %c24] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %171 = vector.bitcast %170 : vector<8xi32> to vector<16xf16>
      %172 = xegpu.dpas %74, %171, %160 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %173 = xegpu.load_nd %35[%61, %c24] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %174 = vector.bitcast %173 : vector<8xi32> to vector<16xf16>
      %175 = xegpu.dpas %74, %174, %163 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %176 = arith.select %124, %166, %cst : vector<8xi1>, vector<8xf32>
      %177 = arith.select %125, %169, %cst : vector<8xi1>, vector<8xf32>
      %178 = arith.select %126, %172, %cst : vector<8xi1>, vector<8xf32>
      %179 = arith.select %127, %175, %cst : vector<8xi1>, vector<8xf32>
      %180 = arith.truncf %176 : vector<8xf32> to vector<8xf16>
      %181 = arith.truncf %177 : vector<8xf32> to vector<8xf16>
      %182 = arith.truncf %178 : vector<8xf32> to vector<8xf16>
      %183 = arith.truncf %179 : vector<8xf32> to vector<8xf16>
      %184 = xegpu.load_nd %16[%t, %9] <{packed}> : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
      %185 = vector.extract_strided_slice %184 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %186 = vector.extract_strided_slice %185 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %187 = xegpu.dpas %180, %186 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %188 = vector.extract_strided_slice %184 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %189 = vector.extract_strided_slice %188 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %190 = xegpu.dpas %180, %189 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %191 = xegpu.load_nd %16[%t, %36] <{packed}> : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
      %192 = vector.extract_strided_slice %191 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %193 = vector.extract_strided_slice %192 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %194 = xegpu.dpas %180, %193 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %195 = vector.extract_strided_slice %191 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %196 = vector.extract_strided_slice %195 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %197 = xegpu.dpas %180, %196 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %198 = vector.extract_strided_slice %185 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %199 = xegpu.dpas %181, %198, %187 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %200 = vector.extract_strided_slice %188 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %201 = xegpu.dpas %181, %200, %190 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %202 = vector.extract_strided_slice %192 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %203 = xegpu.dpas %181, %202, %194 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %204 = vector.extract_strided_slice %195 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %205 = xegpu.dpas %181, %204, %197 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %206 = xegpu.load_nd %16[%60, %9] <{packed}> : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
      %207 = vector.extract_strided_slice %206 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %208 = vector.extract_strided_slice %207 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %209 = xegpu.dpas %182, %208, %199 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %210 = vector.extract_strided_slice %206 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %211 = vector.extract_strided_slice %210 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %212 = xegpu.dpas %182, %211, %201 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %213 = xegpu.load_nd %16[%60, %36] <{packed}> : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
      %214 = vector.extract_strided_slice %213 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %215 = vector.extract_strided_slice %214 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %216 = xegpu.dpas %182, %215, %203 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %217 = vector.extract_strided_slice %213 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %218 = vector.extract_strided_slice %217 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %219 = xegpu.dpas %182, %218, %205 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %220 = vector.extract_strided_slice %207 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %221 = xegpu.dpas %183, %220, %209 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %222 = vector.extract_strided_slice %210 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %223 = xegpu.dpas %183, %222, %212 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %224 = vector.extract_strided_slice %214 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %225 = xegpu.dpas %183, %224, %216 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %226 = vector.extract_strided_slice %217 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %227 = xegpu.dpas %183, %226, %219 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %228 = arith.truncf %state : vector<8xf32> to vector<8xf16>
      %229 = arith.truncf %state_0 : vector<8xf32> to vector<8xf16>
      %230 = arith.truncf %state_1 : vector<8xf32> to vector<8xf16>
      %231 = arith.truncf %state_2 : vector<8xf32> to vector<8xf16>
      gpu.barrier
      %232 = vector.bitcast %228 : vector<8xf16> to vector<4xi32>
      xegpu.store_matrix %232, %42[%c0, %43] <{subgroup_block_io}> : vector<4xi32>, !xegpu.mem_desc<1x2048xi32>, index, index
      %233 = vector.bitcast %229 : vector<8xf16> to vector<4xi32>
      xegpu.store_matrix %233, %42[%c0, %44] <{subgroup_block_io}> : vector<4xi32>, !xegpu.mem_desc<1x2048xi32>, index, index
      %234 = vector.bitcast %230 : vector<8xf16> to vector<4xi32>
      xegpu.store_matrix %234, %42[%c0, %45] <{subgroup_block_io}> : vector<4xi32>, !xegpu.mem_desc<1x2048xi32>, index, index
      %235 = vector.bitcast %231 : vector<8xf16> to vector<4xi32>
      xegpu.store_matrix %235, %42[%c0, %46] <{subgroup_block_io}> : vector<4xi32>, !xegpu.mem_desc<1x2048xi32>, index, index
      gpu.barrier
      %236 = xegpu.load_matrix %42[%c0, %c0] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %237 = vector.bitcast %236 : vector<16xi32> to vector<32xf16>
      %238 = vector.extract_strided_slice %237 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %239 = xegpu.load_matrix %42[%c0, %c512] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %240 = vector.bitcast %239 : vector<16xi32> to vector<32xf16>
      %241 = vector.extract_strided_slice %240 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %242 = xegpu.load_matrix %42[%c0, %c1024] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %243 = vector.bitcast %242 : vector<16xi32> to vector<32xf16>
      %244 = vector.extract_strided_slice %243 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %245 = xegpu.load_matrix %42[%c0, %c1536] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %246 = vector.bitcast %245 : vector<16xi32> to vector<32xf16>
      %247 = vector.extract_strided_slice %246 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %248 = vector.extract_strided_slice %237 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %249 = vector.extract_strided_slice %240 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %250 = vector.extract_strided_slice %243 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %251 = vector.extract_strided_slice %246 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %252 = xegpu.load_matrix %42[%c0, %c256] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %253 = vector.bitcast %252 : vector<16xi32> to vector<32xf16>
      %254 = vector.extract_strided_slice %253 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %255 = xegpu.load_matrix %42[%c0, %c768] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %256 = vector.bitcast %255 : vector<16xi32> to vector<32xf16>
      %257 = vector.extract_strided_slice %256 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %258 = xegpu.load_matrix %42[%c0, %c1280] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %259 = vector.bitcast %258 : vector<16xi32> to vector<32xf16>
      %260 = vector.extract_strided_slice %259 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %261 = xegpu.load_matrix %42[%c0, %c1792] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %262 = vector.bitcast %261 : vector<16xi32> to vector<32xf16>
      %263 = vector.extract_strided_slice %262 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %264 = vector.extract_strided_slice %253 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %265 = vector.extract_strided_slice %256 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %266 = vector.extract_strided_slice %259 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %267 = vector.extract_strided_slice %262 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %268 = xegpu.dpas %71, %238, %221 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %269 = xegpu.dpas %71, %241, %223 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %270 = xegpu.dpas %71, %244, %225 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %271 = xegpu.dpas %71, %247, %227 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %272 = xegpu.dpas %72, %248, %268 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %273 = xegpu.dpas %72, %249, %269 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %274 = xegpu.dpas %72, %250, %270 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %275 = xegpu.dpas %72, %251, %271 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %276 = xegpu.dpas %73, %254, %272 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %277 = xegpu.dpas %73, %257, %273 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %278 = xegpu.dpas %73, %260, %274 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %279 = xegpu.dpas %73, %263, %275 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %280 = xegpu.dpas %74, %264, %276 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %281 = xegpu.dpas %74, %265, %277 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %282 = xegpu.dpas %74, %266, %278 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %283 = xegpu.dpas %74, %267, %279 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %284 = xegpu.load_nd %35[%t, %13] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %285 = vector.bitcast %284 : vector<8xi32> to vector<16xf16>
      %286 = vector.extract_strided_slice %285 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %287 = xegpu.dpas %286, %186, %state : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %288 = xegpu.dpas %286, %189, %state_0 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %289 = xegpu.dpas %286, %193, %state_1 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %290 = xegpu.dpas %286, %196, %state_2 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %291 = xegpu.load_nd %35[%59, %13] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %292 = vector.bitcast %291 : vector<8xi32> to vector<16xf16>
      %293 = vector.extract_strided_slice %292 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %294 = xegpu.dpas %293, %198, %287 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %295 = xegpu.dpas %293, %200, %288 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %296 = xegpu.dpas %293, %202, %289 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %297 = xegpu.dpas %293, %204, %290 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %298 = xegpu.load_nd %35[%60, %13] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %299 = vector.bitcast %298 : vector<8xi32> to vector<16xf16>
      %300 = vector.extract_strided_slice %299 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %301 = xegpu.dpas %300, %208, %294 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %302 = xegpu.dpas %300, %211, %295 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %303 = xegpu.dpas %300, %215, %296 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %304 = xegpu.dpas %300, %218, %297 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %305 = xegpu.load_nd %35[%61, %13] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %306 = vector.bitcast %305 : vector<8xi32> to vector<16xf16>
      %307 = vector.extract_strided_slice %306 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %308 = xegpu.dpas %307, %220, %301 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %309 = xegpu.dpas %307, %222, %302 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %310 = xegpu.dpas %307, %224, %303 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %311 = xegpu.dpas %307, %226, %304 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %312 = arith.truncf %280 : vector<8xf32> to vector<8xf16>
      %313 = arith.truncf %281 : vector<8xf32> to vector<8xf16>
      %314 = arith.truncf %282 : vector<8xf32> to vector<8xf16>
      %315 = arith.truncf %283 : vector<8xf32> to vector<8xf16>
      xegpu.store_nd %312, %37[%52, %9] : vector<8xf16>, !xegpu.tensor_desc<8x16xf16>
      xegpu.store_nd %313, %37[%52, %38] : vector<8xf16>, !xegpu.tensor_desc<8x16xf16>
      xegpu.store_nd %314, %37[%52, %36] : vector<8xf16>, !xegpu.tensor_desc<8x16xf16>
      xegpu.store_nd %315, %37[%52, %39] : vector<8xf16>, !xegpu.tensor_desc<8x16xf16>
      scf.yield %308, %309, %310, %311 : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
    }
    gpu.return
  }
}

// after load_again
gpu.module @heads {
  gpu.func @heads(%Q: memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>>, %Q_d0: index, %Q_d1: index, %Q_d2: index, %Q_d3: index, %Q_s0: index, %Q_s1: index, %Q_s2: index, %K: memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>>, %K_d0: index, %K_d1: index, %K_d2: index, %K_d3: index, %K_s0: index, %K_s1: index, %K_s2: index, %V: memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>>, %V_d0: index, %V_d1: index, %V_d2: index, %V_d3: index, %V_s0: index, %V_s1: index, %V_s2: index, %Out: memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>>, %Out_d0: index, %Out_d1: index, %Out_d2: index, %Out_d3: index, %Out_s0: index, %Out_s1: index, %Out_s2: index, %scale: f32) kernel attributes {xetile.args = ["array Q f16", "dim Q 0", "dim Q 1", "dim Q 2", "dim Q 3", "stride Q 0", "stride Q 1", "stride Q 2", "array K f16", "dim K 0", "dim K 1", "dim K 2", "dim K 3", "stride K 0", "stride K 1", "stride K 2", "array V f16", "dim V 0", "dim V 1", "dim V 2", "dim V 3", "stride V 0", "stride V 1", "stride V 2", "array Out f16", "dim Out 0", "dim Out 1", "dim Out 2", "dim Out 3", "stride Out 0", "stride Out 1", "stride Out 2", "scalar scale f32"], xetile.free = ["Q", "K", "V", "Out"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 8 : i64, xetile.reloads} {
    %c8 = arith.constant 8 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %c16 = arith.constant 16 : index
    %c48 = arith.constant 48 : index
    %c24 = arith.constant 24 : index
    %cst = arith.constant dense<0.0> : vector<8xf32>
    %cst_0 = arith.constant dense<[0, 16, 32, 48]> : vector<4xindex>
    %c0_i32 = arith.constant 0 : i32
    %c16_i32 = arith.constant 16 : i32
    %c1_i32 = arith.constant 1 : i32
    %c2_i32 = arith.constant 2 : i32
    %c3_i32 = arith.constant 3 : i32
    %c4_i32 = arith.constant 4 : i32
    %c5_i32 = arith.constant 5 : i32
    %c6_i32 = arith.constant 6 : i32
    %c7_i32 = arith.constant 7 : i32
    %c512 = arith.constant 512 : index
    %c1024 = arith.constant 1024 : index
    %c1536 = arith.constant 1536 : index
    %c256 = arith.constant 256 : index
    %c768 = arith.constant 768 : index
    %c1280 = arith.constant 1280 : index
    %c1792 = arith.constant 1792 : index
    %slm = memref.alloca() : memref<64x64xf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3>
    %0 = gpu.subgroup_id : index
    %1 = arith.muli %0, %c8 : index
    %2 = arith.divui %0, %c2 : index
    %3 = arith.remui %2, %c2 : index
    %4 = arith.muli %3, %c32 : index
    %5 = arith.remui %0, %c2 : index
    %6 = arith.muli %5, %c32 : index
    %7 = arith.divui %0, %c4 : index
    %8 = gpu.block_id x
    %9 = arith.muli %8, %c64 : index
    %h = gpu.block_id y
    %b = gpu.block_id z
    %10 = gpu.lane_id
    %11 = vector.broadcast %10 : index to vector<4xindex>
    %12 = arith.addi %11, %cst_0 : vector<4xindex>
    %13 = arith.shrsi %1, %c1 : index
    %14 = arith.addi %9, %6 : index
    %15 = xegpu.create_nd_tdesc %K[%b, %h, %c0, %c0], shape : [%K_d0, %K_d1, %K_d2, %K_d3], strides : [%K_s0, %K_s1, %K_s2, %c1] : memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %16 = xegpu.create_nd_tdesc %V[%b, %h, %c0, %c0], shape : [%V_d0, %V_d1, %V_d2, %V_d3], strides : [%V_s0, %V_s1, %V_s2, %c1] : memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %17 = arith.cmpi eq, %7, %c0 : index
    %18 = arith.select %17, %15, %16 : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %19 = arith.select %17, %6, %4 : index
    %20 = arith.select %17, %4, %14 : index
    xegpu.prefetch_nd %18[%19, %20] : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %21 = arith.addi %6, %c64 : index
    %22 = arith.addi %4, %c64 : index
    %23 = arith.select %17, %21, %22 : index
    xegpu.prefetch_nd %18[%23, %20] : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %24 = arith.addi %6, %c128 : index
    %25 = arith.addi %4, %c128 : index
    %26 = arith.select %17, %24, %25 : index
    xegpu.prefetch_nd %18[%26, %20] : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %27 = arith.addi %6, %c192 : index
    %28 = arith.addi %4, %c192 : index
    %29 = xegpu.create_nd_tdesc %Q[%b, %h, %c0, %c0], shape : [%Q_d0, %Q_d1, %Q_d2, %Q_d3], strides : [%Q_s0, %Q_s1, %Q_s2, %c1] : memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>> -> !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %30 = builtin.unrealized_conversion_cast %K : memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>> to memref<?x?x?x?xi32, strided<[?, ?, ?, 1]>>
    %31 = arith.divui %K_s0, %c2 : index
    %32 = arith.divui %K_s1, %c2 : index
    %33 = arith.divui %K_s2, %c2 : index
    %34 = arith.divui %K_d3, %c2 : index
    %35 = xegpu.create_nd_tdesc %30[%b, %h, %c0, %c0], shape : [%K_d0, %K_d1, %K_d2, %34], strides : [%31, %32, %33, %c1] : memref<?x?x?x?xi32, strided<[?, ?, ?, 1]>> -> !xegpu.tensor_desc<16x8xi32>
    %36 = arith.addi %9, %c32 : index
    %37 = xegpu.create_nd_tdesc %Out[%b, %h, %c0, %c0], shape : [%Out_d0, %Out_d1, %Out_d2, %Out_d3], strides : [%Out_s0, %Out_s1, %Out_s2, %c1] : memref<?x?x?x?xf16, strided<[?, ?, ?, 1]>> -> !xegpu.tensor_desc<8x16xf16>
    %38 = arith.addi %9, %c16 : index
    %39 = arith.addi %9, %c48 : index
    %40 = arith.select %17, %27, %28 : index
    %41 = arith.remui %10, %c8 : index
    %42 = xegpu.create_mem_desc %slm : memref<64x64xf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3> -> !xegpu.mem_desc<1x2048xi32>
    %43 = arith.muli %0, %c64 : index
    %44 = arith.addi %43, %c512 : index
    %45 = arith.addi %43, %c1024 : index
    %46 = arith.addi %43, %c1536 : index
    %47, %48, %49, %50 = scf.for %t = %c0 to %Q_d2 step %c64 iter_args(%state = %cst, %state_0 = %cst, %state_1 = %cst, %state_2 = %cst) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
      %51 = arith.addi %t, %40 : index
      %52 = arith.addi %t, %1 : index
      xegpu.prefetch_nd %18[%51, %20] : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
      %53 = xegpu.load_nd %29[%52, %c0] : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<16xf16>
      %54 = vector.extract_strided_slice %53 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %55 = vector.extract_strided_slice %53 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %56 = xegpu.load_nd %29[%52, %c32] : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<16xf16>
      %57 = vector.extract_strided_slice %56 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %58 = vector.extract_strided_slice %56 {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %59 = arith.addi %t, %c16 : index
      %60 = arith.addi %t, %c32 : index
      %61 = arith.addi %t, %c48 : index
      %62 = arith.extf %54 : vector<8xf16> to vector<8xf32>
      %63 = arith.extf %55 : vector<8xf16> to vector<8xf32>
      %64 = arith.extf %57 : vector<8xf16> to vector<8xf32>
      %65 = arith.extf %58 : vector<8xf16> to vector<8xf32>
      %66 = vector.broadcast %scale : f32 to vector<8xf32>
      %67 = arith.mulf %62, %66 : vector<8xf32>
      %68 = arith.mulf %63, %66 : vector<8xf32>
      %69 = arith.mulf %64, %66 : vector<8xf32>
      %70 = arith.mulf %65, %66 : vector<8xf32>
      %71 = arith.truncf %67 : vector<8xf32> to vector<8xf16>
      %72 = arith.truncf %68 : vector<8xf32> to vector<8xf16>
      %73 = arith.truncf %69 : vector<8xf32> to vector<8xf16>
      %74 = arith.truncf %70 : vector<8xf32> to vector<8xf16>
      %75 = vector.broadcast %41 : index to vector<1xindex>
      %76 = vector.broadcast %1 : index to vector<1xindex>
      %77 = arith.addi %75, %76 : vector<1xindex>
      %78 = vector.extract %77[0] : index from vector<1xindex>
      %79 = arith.index_cast %78 : index to i32
      %80, %81 = gpu.shuffle idx %79, %c0_i32, %c16_i32 : i32
      %82 = arith.index_cast %80 : i32 to index
      %83, %84 = gpu.shuffle idx %79, %c1_i32, %c16_i32 : i32
      %85 = arith.index_cast %83 : i32 to index
      %86, %87 = gpu.shuffle idx %79, %c2_i32, %c16_i32 : i32
      %88 = arith.index_cast %86 : i32 to index
      %89, %90 = gpu.shuffle idx %79, %c3_i32, %c16_i32 : i32
      %91 = arith.index_cast %89 : i32 to index
      %92, %93 = gpu.shuffle idx %79, %c4_i32, %c16_i32 : i32
      %94 = arith.index_cast %92 : i32 to index
      %95, %96 = gpu.shuffle idx %79, %c5_i32, %c16_i32 : i32
      %97 = arith.index_cast %95 : i32 to index
      %98, %99 = gpu.shuffle idx %79, %c6_i32, %c16_i32 : i32
      %100 = arith.index_cast %98 : i32 to index
      %101, %102 = gpu.shuffle idx %79, %c7_i32, %c16_i32 : i32
      %103 = arith.index_cast %101 : i32 to index
      %104 = vector.broadcast %82 : index to vector<8xindex>
      %105 = vector.insert %85, %104[1] : index into vector<8xindex>
      %106 = vector.insert %88, %105[2] : index into vector<8xindex>
      %107 = vector.insert %91, %106[3] : index into vector<8xindex>
      %108 = vector.insert %94, %107[4] : index into vector<8xindex>
      %109 = vector.insert %97, %108[5] : index into vector<8xindex>
      %110 = vector.insert %100, %109[6] : index into vector<8xindex>
      %111 = vector.insert %103, %110[7] : index into vector<8xindex>
      %112 = vector.extract_strided_slice %12 {offsets = [0], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
      %113 = vector.extract_strided_slice %12 {offsets = [1], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
      %114 = vector.extract_strided_slice %12 {offsets = [2], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
      %115 = vector.extract_strided_slice %12 {offsets = [3], sizes = [1], strides = [1]} : vector<4xindex> to vector<1xindex>
      %116 = vector.extract %112[0] : index from vector<1xindex>
      %117 = vector.broadcast %116 : index to vector<8xindex>
      %118 = vector.extract %113[0] : index from vector<1xindex>
      %119 = vector.broadcast %118 : index to vector<8xindex>
      %120 = vector.extract %114[0] : index from vector<1xindex>
      %121 = vector.broadcast %120 : index to vector<8xindex>
      %122 = vector.extract %115[0] : index from vector<1xindex>
      %123 = vector.broadcast %122 : index to vector<8xindex>
      %124 = arith.cmpi sge, %111, %117 : vector<8xindex>
      %125 = arith.cmpi sge, %111, %119 : vector<8xindex>
      %126 = arith.cmpi sge, %111, %121 : vector<8xindex>
      %127 = arith.cmpi sge, %111, %123 : vector<8xindex>
      %128 = xegpu.load_nd %35[%t, %c0] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %129 = vector.bitcast %128 : vector<8xi32> to vector<16xf16>
      %130 = xegpu.dpas %71, %129 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %131 = xegpu.load_nd %35[%59, %c0] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %132 = vector.bitcast %131 : vector<8xi32> to vector<16xf16>
      %133 = xegpu.dpas %71, %132 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %134 = xegpu.load_nd %35[%60, %c0] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %135 = vector.bitcast %134 : vector<8xi32> to vector<16xf16>
      %136 = xegpu.dpas %71, %135 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %137 = xegpu.load_nd %35[%61, %c0] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %138 = vector.bitcast %137 : vector<8xi32> to vector<16xf16>
      %139 = xegpu.dpas %71, %138 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %140 = xegpu.load_nd %35[%t, %c8] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %141 = vector.bitcast %140 : vector<8xi32> to vector<16xf16>
      %142 = xegpu.dpas %72, %141, %130 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %143 = xegpu.load_nd %35[%59, %c8] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %144 = vector.bitcast %143 : vector<8xi32> to vector<16xf16>
      %145 = xegpu.dpas %72, %144, %133 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %146 = xegpu.load_nd %35[%60, %c8] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %147 = vector.bitcast %146 : vector<8xi32> to vector<16xf16>
      %148 = xegpu.dpas %72, %147, %136 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %149 = xegpu.load_nd %35[%61, %c8] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %150 = vector.bitcast %149 : vector<8xi32> to vector<16xf16>
      %151 = xegpu.dpas %72, %150, %139 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %152 = xegpu.load_nd %35[%t, %c16] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %153 = vector.bitcast %152 : vector<8xi32> to vector<16xf16>
      %154 = xegpu.dpas %73, %153, %142 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %155 = xegpu.load_nd %35[%59, %c16] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %156 = vector.bitcast %155 : vector<8xi32> to vector<16xf16>
      %157 = xegpu.dpas %73, %156, %145 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %158 = xegpu.load_nd %35[%60, %c16] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %159 = vector.bitcast %158 : vector<8xi32> to vector<16xf16>
      %160 = xegpu.dpas %73, %159, %148 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %161 = xegpu.load_nd %35[%61, %c16] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %162 = vector.bitcast %161 : vector<8xi32> to vector<16xf16>
      %163 = xegpu.dpas %73, %162, %151 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %164 = xegpu.load_nd %35[%t, %c24] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %165 = vector.bitcast %164 : vector<8xi32> to vector<16xf16>
      %166 = xegpu.dpas %74, %165, %154 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %167 = xegpu.load_nd %35[%59, %c24] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %168 = vector.bitcast %167 : vector<8xi32> to vector<16xf16>
      %169 = xegpu.dpas %74, %168, %157 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %170 = xegpu.load_nd %35[%60, %c24] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %171 = vector.bitcast %170 : vector<8xi32> to vector<16xf16>
      %172 = xegpu.dpas %74, %171, %160 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %173 = xegpu.load_nd %35[%61, %c24] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %174 = vector.bitcast %173 : vector<8xi32> to vector<16xf16>
      %175 = xegpu.dpas %74, %174, %163 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %176 = arith.select %124, %166, %cst : vector<8xi1>, vector<8xf32>
      %177 = arith.select %125, %169, %cst : vector<8xi1>, vector<8xf32>
      %178 = arith.select %126, %172, %cst : vector<8xi1>, vector<8xf32>
      %179 = arith.select %127, %175, %cst : vector<8xi1>, vector<8xf32>
      %180 = arith.truncf %176 : vector<8xf32> to vector<8xf16>
      %181 = arith.truncf %177 : vector<8xf32> to vector<8xf16>
      %182 = arith.truncf %178 : vector<8xf32> to vector<8xf16>
      %183 = arith.truncf %179 : vector<8xf32> to vector<8xf16>
      %184 = xegpu.load_nd %16[%t, %9] <{packed}> : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
      %185 = vector.extract_strided_slice %184 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %186 = vector.extract_strided_slice %185 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %187 = xegpu.dpas %180, %186 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %188 = vector.extract_strided_slice %184 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %189 = vector.extract_strided_slice %188 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %190 = xegpu.dpas %180, %189 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %191 = xegpu.load_nd %16[%t, %36] <{packed}> : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
      %192 = vector.extract_strided_slice %191 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %193 = vector.extract_strided_slice %192 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %194 = xegpu.dpas %180, %193 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %195 = vector.extract_strided_slice %191 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %196 = vector.extract_strided_slice %195 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %197 = xegpu.dpas %180, %196 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
      %198 = vector.extract_strided_slice %185 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %199 = xegpu.dpas %181, %198, %187 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %200 = vector.extract_strided_slice %188 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %201 = xegpu.dpas %181, %200, %190 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %202 = vector.extract_strided_slice %192 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %203 = xegpu.dpas %181, %202, %194 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %204 = vector.extract_strided_slice %195 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %205 = xegpu.dpas %181, %204, %197 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %206 = xegpu.load_nd %16[%60, %9] <{packed}> : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
      %207 = vector.extract_strided_slice %206 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %208 = vector.extract_strided_slice %207 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %209 = xegpu.dpas %182, %208, %199 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %210 = vector.extract_strided_slice %206 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %211 = vector.extract_strided_slice %210 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %212 = xegpu.dpas %182, %211, %201 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %213 = xegpu.load_nd %16[%60, %36] <{packed}> : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
      %214 = vector.extract_strided_slice %213 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %215 = vector.extract_strided_slice %214 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %216 = xegpu.dpas %182, %215, %203 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %217 = vector.extract_strided_slice %213 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %218 = vector.extract_strided_slice %217 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %219 = xegpu.dpas %182, %218, %205 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %220 = vector.extract_strided_slice %207 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %221 = xegpu.dpas %183, %220, %209 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %222 = vector.extract_strided_slice %210 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %223 = xegpu.dpas %183, %222, %212 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %224 = vector.extract_strided_slice %214 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %225 = xegpu.dpas %183, %224, %216 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %226 = vector.extract_strided_slice %217 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %227 = xegpu.dpas %183, %226, %219 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %228 = arith.truncf %state : vector<8xf32> to vector<8xf16>
      %229 = arith.truncf %state_0 : vector<8xf32> to vector<8xf16>
      %230 = arith.truncf %state_1 : vector<8xf32> to vector<8xf16>
      %231 = arith.truncf %state_2 : vector<8xf32> to vector<8xf16>
      gpu.barrier
      %232 = vector.bitcast %228 : vector<8xf16> to vector<4xi32>
      xegpu.store_matrix %232, %42[%c0, %43] <{subgroup_block_io}> : vector<4xi32>, !xegpu.mem_desc<1x2048xi32>, index, index
      %233 = vector.bitcast %229 : vector<8xf16> to vector<4xi32>
      xegpu.store_matrix %233, %42[%c0, %44] <{subgroup_block_io}> : vector<4xi32>, !xegpu.mem_desc<1x2048xi32>, index, index
      %234 = vector.bitcast %230 : vector<8xf16> to vector<4xi32>
      xegpu.store_matrix %234, %42[%c0, %45] <{subgroup_block_io}> : vector<4xi32>, !xegpu.mem_desc<1x2048xi32>, index, index
      %235 = vector.bitcast %231 : vector<8xf16> to vector<4xi32>
      xegpu.store_matrix %235, %42[%c0, %46] <{subgroup_block_io}> : vector<4xi32>, !xegpu.mem_desc<1x2048xi32>, index, index
      gpu.barrier
      %236 = xegpu.load_matrix %42[%c0, %c0] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %237 = vector.bitcast %236 : vector<16xi32> to vector<32xf16>
      %238 = vector.extract_strided_slice %237 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %239 = xegpu.load_matrix %42[%c0, %c512] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %240 = vector.bitcast %239 : vector<16xi32> to vector<32xf16>
      %241 = vector.extract_strided_slice %240 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %242 = xegpu.load_matrix %42[%c0, %c1024] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %243 = vector.bitcast %242 : vector<16xi32> to vector<32xf16>
      %244 = vector.extract_strided_slice %243 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %245 = xegpu.load_matrix %42[%c0, %c1536] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %246 = vector.bitcast %245 : vector<16xi32> to vector<32xf16>
      %247 = vector.extract_strided_slice %246 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %248 = vector.extract_strided_slice %237 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %249 = vector.extract_strided_slice %240 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %250 = vector.extract_strided_slice %243 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %251 = vector.extract_strided_slice %246 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %252 = xegpu.load_matrix %42[%c0, %c256] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %253 = vector.bitcast %252 : vector<16xi32> to vector<32xf16>
      %254 = vector.extract_strided_slice %253 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %255 = xegpu.load_matrix %42[%c0, %c768] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %256 = vector.bitcast %255 : vector<16xi32> to vector<32xf16>
      %257 = vector.extract_strided_slice %256 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %258 = xegpu.load_matrix %42[%c0, %c1280] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %259 = vector.bitcast %258 : vector<16xi32> to vector<32xf16>
      %260 = vector.extract_strided_slice %259 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %261 = xegpu.load_matrix %42[%c0, %c1792] <{subgroup_block_io}> : !xegpu.mem_desc<1x2048xi32>, index, index -> vector<16xi32>
      %262 = vector.bitcast %261 : vector<16xi32> to vector<32xf16>
      %263 = vector.extract_strided_slice %262 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %264 = vector.extract_strided_slice %253 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %265 = vector.extract_strided_slice %256 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %266 = vector.extract_strided_slice %259 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %267 = vector.extract_strided_slice %262 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %268 = xegpu.dpas %71, %238, %221 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %269 = xegpu.dpas %71, %241, %223 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %270 = xegpu.dpas %71, %244, %225 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %271 = xegpu.dpas %71, %247, %227 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %272 = xegpu.dpas %72, %248, %268 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %273 = xegpu.dpas %72, %249, %269 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %274 = xegpu.dpas %72, %250, %270 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %275 = xegpu.dpas %72, %251, %271 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %276 = xegpu.dpas %73, %254, %272 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %277 = xegpu.dpas %73, %257, %273 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %278 = xegpu.dpas %73, %260, %274 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %279 = xegpu.dpas %73, %263, %275 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %280 = xegpu.dpas %74, %264, %276 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %281 = xegpu.dpas %74, %265, %277 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %282 = xegpu.dpas %74, %266, %278 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %283 = xegpu.dpas %74, %267, %279 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %284 = xegpu.load_nd %35[%t, %13] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %285 = vector.bitcast %284 : vector<8xi32> to vector<16xf16>
      %286 = vector.extract_strided_slice %285 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %287 = xegpu.load_nd %16[%t, %9] <{packed}> : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
      %288 = vector.extract_strided_slice %287 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %289 = vector.extract_strided_slice %288 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %290 = xegpu.dpas %286, %289, %state : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %291 = vector.extract_strided_slice %287 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %292 = vector.extract_strided_slice %291 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %293 = xegpu.dpas %286, %292, %state_0 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %294 = xegpu.load_nd %16[%t, %36] <{packed}> : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
      %295 = vector.extract_strided_slice %294 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %296 = vector.extract_strided_slice %295 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %297 = xegpu.dpas %286, %296, %state_1 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %298 = vector.extract_strided_slice %294 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %299 = vector.extract_strided_slice %298 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %300 = xegpu.dpas %286, %299, %state_2 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %301 = xegpu.load_nd %35[%59, %13] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %302 = vector.bitcast %301 : vector<8xi32> to vector<16xf16>
      %303 = vector.extract_strided_slice %302 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %304 = vector.extract_strided_slice %288 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %305 = xegpu.dpas %303, %304, %290 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %306 = vector.extract_strided_slice %291 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %307 = xegpu.dpas %303, %306, %293 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %308 = vector.extract_strided_slice %295 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %309 = xegpu.dpas %303, %308, %297 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %310 = vector.extract_strided_slice %298 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %311 = xegpu.dpas %303, %310, %300 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %312 = xegpu.load_nd %35[%60, %13] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %313 = vector.bitcast %312 : vector<8xi32> to vector<16xf16>
      %314 = vector.extract_strided_slice %313 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %315 = xegpu.load_nd %16[%60, %9] <{packed}> : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
      %316 = vector.extract_strided_slice %315 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %317 = vector.extract_strided_slice %316 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %318 = xegpu.dpas %314, %317, %305 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %319 = vector.extract_strided_slice %315 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %320 = vector.extract_strided_slice %319 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %321 = xegpu.dpas %314, %320, %307 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %322 = xegpu.load_nd %16[%60, %36] <{packed}> : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<64xf16>
      %323 = vector.extract_strided_slice %322 {offsets = [0], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %324 = vector.extract_strided_slice %323 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %325 = xegpu.dpas %314, %324, %309 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %326 = vector.extract_strided_slice %322 {offsets = [32], sizes = [32], strides = [1]} : vector<64xf16> to vector<32xf16>
      %327 = vector.extract_strided_slice %326 {offsets = [0], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %328 = xegpu.dpas %314, %327, %311 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %329 = xegpu.load_nd %35[%61, %13] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xi32> -> vector<8xi32>
      %330 = vector.bitcast %329 : vector<8xi32> to vector<16xf16>
      %331 = vector.extract_strided_slice %330 {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
      %332 = vector.extract_strided_slice %316 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %333 = xegpu.dpas %331, %332, %318 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %334 = vector.extract_strided_slice %319 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %335 = xegpu.dpas %331, %334, %321 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %336 = vector.extract_strided_slice %323 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %337 = xegpu.dpas %331, %336, %325 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %338 = vector.extract_strided_slice %326 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf16> to vector<16xf16>
      %339 = xegpu.dpas %331, %338, %328 : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      %340 = arith.truncf %280 : vector<8xf32> to vector<8xf16>
      %341 = arith.truncf %281 : vector<8xf32> to vector<8xf16>
      %342 = arith.truncf %282 : vector<8xf32> to vector<8xf16>
      %343 = arith.truncf %283 : vector<8xf32> to vector<8xf16>
      xegpu.store_nd %340, %37[%52, %9] : vector<8xf16>, !xegpu.tensor_desc<8x16xf16>
      xegpu.store_nd %341, %37[%52, %38] : vector<8xf16>, !xegpu.tensor_desc<8x16xf16>
      xegpu.store_nd %342, %37[%52, %36] : vector<8xf16>, !xegpu.tensor_desc<8x16xf16>
      xegpu.store_nd %343, %37[%52, %39] : vector<8xf16>, !xegpu.tensor_desc<8x16xf16>
      scf.yield %333, %335, %337, %339 : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
    }
    gpu.return
  }
}
