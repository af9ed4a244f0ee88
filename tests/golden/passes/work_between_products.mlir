// before work_between_products
gpu.module @three_products {
  gpu.func @three_products(%A: memref<?x?xf32, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf32, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f32", "dim A 0", "dim A 1", "stride A 0", "array B f32", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 16 : i64} {
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c96 = arith.constant 96 : index
    %c48 = arith.constant 48 : index
    %c24 = arith.constant 24 : index
    %c40 = arith.constant 40 : index
    %c56 = arith.constant 56 : index
    %cst = arith.constant dense<0.0> : vector<8xf32>
    %c512 = arith.constant 512 : index
    %c256 = arith.constant 256 : index
    %c2048 = arith.constant 2048 : index
    %c1024 = arith.constant 1024 : index
    %c2304 = arith.constant 2304 : index
    %c2560 = arith.constant 2560 : index
    %c768 = arith.constant 768 : index
    %c2816 = arith.constant 2816 : index
    %slm = memref.alloca() : memref<128x32xbf16, affine_map<(d0, d1) -> (d0 floordiv 128, d1 floordiv 16, d0 mod 128, d1 mod 16)>, 3>
    %slm_0 = memref.alloca() : memref<128x32xbf16, affine_map<(d0, d1) -> (d0 floordiv 128, d1 floordiv 16, d0 mod 128, d1 mod 16)>, 3>
    %0 = gpu.subgroup_id : index
    %1 = arith.divui %0, %c2 : index
    %2 = arith.muli %1, %c16 : index
    %3 = arith.remui %0, %c2 : index
    %4 = arith.muli %3, %c16 : index
    %5 = arith.remui %1, %c4 : index
    %6 = arith.muli %5, %c32 : index
    %7 = arith.remui %0, %c8 : index
    %8 = arith.muli %7, %c16 : index
    %9 = arith.divui %0, %c8 : index
    %10 = arith.muli %9, %c16 : index
    %11 = arith.muli %9, %c64 : index
    %12 = gpu.block_id y
    %13 = arith.muli %12, %c128 : index
    %14 = gpu.block_id x
    %15 = arith.muli %14, %c128 : index
    %16 = arith.addi %13, %2 : index
    %17 = arith.addi %13, %6 : index
    %18 = arith.addi %15, %8 : index
    %19 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<32x16xf32>
    %20 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<32x16xf32>
    %21 = arith.cmpi eq, %9, %c0 : index
    %22 = arith.select %21, %19, %20 : !xegpu.tensor_desc<32x16xf32>
    %23 = arith.select %21, %17, %c0 : index
    %24 = arith.select %21, %4, %18 : index
    xegpu.prefetch_nd %22[%23, %24] : !xegpu.tensor_desc<32x16xf32>
    %25 = arith.addi %4, %c32 : index
    %26 = arith.select %21, %17, %c32 : index
    %27 = arith.select %21, %25, %18 : index
    xegpu.prefetch_nd %22[%26, %27] : !xegpu.tensor_desc<32x16xf32>
    %28 = arith.addi %4, %c64 : index
    %29 = arith.select %21, %17, %c64 : index
    %30 = arith.select %21, %28, %18 : index
    xegpu.prefetch_nd %22[%29, %30] : !xegpu.tensor_desc<32x16xf32>
    %31 = arith.addi %4, %c96 : index
    %32 = memref.alloca() : memref<64x128xbf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3>
    %33 = memref.alloca() : memref<64x128xbf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3>
    %34 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf32>
    %35 = xegpu.load_nd %34[%10, %18] : !xegpu.tensor_desc<16x16xf32> -> vector<16xf32>
    %36 = arith.truncf %35 : vector<16xf32> to vector<16xbf16>
    %37 = xegpu.create_mem_desc %32 : memref<64x128xbf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3> -> !xegpu.mem_desc<1x4096xi32>
    %38 = arith.muli %9, %c128 : index
    %39 = arith.muli %7, %c512 : index
    %40 = arith.addi %38, %39 : index
    %41 = vector.bitcast %36 : vector<16xbf16> to vector<8xi32>
    xegpu.store_matrix %41, %37[%c0, %40] <{subgroup_block_io}> : vector<8xi32>, !xegpu.mem_desc<1x4096xi32>, index, index
    %42 = arith.extf %36 : vector<16xbf16> to vector<16xf32>
    %43 = arith.subf %35, %42 : vector<16xf32>
    %44 = arith.truncf %43 : vector<16xf32> to vector<16xbf16>
    %45 = xegpu.create_mem_desc %33 : memref<64x128xbf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3> -> !xegpu.mem_desc<1x4096xi32>
    %46 = vector.bitcast %44 : vector<16xbf16> to vector<8xi32>
    xegpu.store_matrix %46, %45[%c0, %40] <{subgroup_block_io}> : vector<8xi32>, !xegpu.mem_desc<1x4096xi32>, index, index
    %47 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf32>
    %48 = arith.select %21, %17, %c96 : index
    %49 = arith.select %21, %c0, %c32 : index
    %50 = arith.select %21, %31, %18 : index
    %51 = arith.select %21, %c32, %c0 : index
    %52 = xegpu.create_mem_desc %slm : memref<128x32xbf16, affine_map<(d0, d1) -> (d0 floordiv 128, d1 floordiv 16, d0 mod 128, d1 mod 16)>, 3> -> !xegpu.mem_desc<1x4096xbf16>
    %53 = arith.muli %1, %c256 : index
    %54 = arith.muli %3, %c2048 : index
    %55 = arith.addi %53, %54 : index
    %56 = arith.addi %55, %c128 : index
    %57 = arith.muli %9, %c1024 : index
    %58 = arith.addi %57, %c2048 : index
    %59 = arith.addi %57, %c256 : index
    %60 = arith.addi %57, %c2304 : index
    %61 = arith.addi %57, %c512 : index
    %62 = arith.addi %57, %c2560 : index
    %63 = arith.addi %57, %c768 : index
    %64 = arith.addi %57, %c2816 : index
    %65 = xegpu.create_mem_desc %slm_0 : memref<128x32xbf16, affine_map<(d0, d1) -> (d0 floordiv 128, d1 floordiv 16, d0 mod 128, d1 mod 16)>, 3> -> !xegpu.mem_desc<1x4096xbf16>
    %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77 = scf.for %k = %c0 to %A_d1 step %c32 iter_args(%acc = %cst, %acc_0 = %cst, %acc_1 = %cst, %acc_2 = %cst, %acc_3 = %cst, %acc_4 = %cst, %acc_5 = %cst, %acc_6 = %cst, %phase = %c0, %phase_0 = %c0, %78 = %48, %79 = %50) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, index, index, index, index) {
      %80 = arith.addi %k, %4 : index
      %81 = arith.addi %k, %10 : index
      %82 = arith.subi %c1, %phase : index
      %83 = arith.addi %81, %c32 : index
      %84 = xegpu.load_nd %34[%83, %18] : !xegpu.tensor_desc<16x16xf32> -> vector<16xf32>
      gpu.barrier
      xegpu.prefetch_nd %22[%78, %79] : !xegpu.tensor_desc<32x16xf32>
      %85 = xegpu.load_nd %47[%16, %80] : !xegpu.tensor_desc<16x16xf32> -> vector<16xf32>
      %86 = arith.truncf %85 : vector<16xf32> to vector<16xbf16>
      %87 = vector.extract_strided_slice %86 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %88 = vector.extract_strided_slice %86 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      xegpu.store_matrix %87, %52[%c0, %55] <{subgroup_block_io}> : vector<8xbf16>, !xegpu.mem_desc<1x4096xbf16>, index, index
      xegpu.store_matrix %88, %52[%c0, %56] <{subgroup_block_io}> : vector<8xbf16>, !xegpu.mem_desc<1x4096xbf16>, index, index
      gpu.barrier
      %89 = xegpu.load_matrix %52[%c0, %57] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %90 = vector.extract_strided_slice %89 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %91 = xegpu.load_matrix %52[%c0, %58] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %92 = vector.extract_strided_slice %91 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %93 = vector.extract_strided_slice %89 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %94 = vector.extract_strided_slice %91 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %95 = xegpu.load_matrix %52[%c0, %59] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %96 = vector.extract_strided_slice %95 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %97 = xegpu.load_matrix %52[%c0, %60] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %98 = vector.extract_strided_slice %97 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %99 = vector.extract_strided_slice %95 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %100 = vector.extract_strided_slice %97 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %101 = xegpu.load_matrix %52[%c0, %61] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %102 = vector.extract_strided_slice %101 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %103 = xegpu.load_matrix %52[%c0, %62] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %104 = vector.extract_strided_slice %103 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %105 = vector.extract_strided_slice %101 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %106 = vector.extract_strided_slice %103 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %107 = xegpu.load_matrix %52[%c0, %63] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %108 = vector.extract_strided_slice %107 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %109 = xegpu.load_matrix %52[%c0, %64] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %110 = vector.extract_strided_slice %109 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %111 = vector.extract_strided_slice %107 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %112 = vector.extract_strided_slice %109 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %113 = arith.extf %86 : vector<16xbf16> to vector<16xf32>
      %114 = arith.subf %85, %113 : vector<16xf32>
      %115 = arith.truncf %114 : vector<16xf32> to vector<16xbf16>
      %116 = arith.divui %phase_0, %c2 : index
      %117 = arith.muli %116, %c16 : index
      %118 = arith.addi %117, %39 : index
      %119 = arith.addi %118, %c128 : index
      %120 = xegpu.load_matrix %37[%c0, %118] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xi32>, index, index -> vector<8xi32>
      %121 = vector.bitcast %120 : vector<8xi32> to vector<16xbf16>
      %122 = xegpu.dpas %90, %121, %acc : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %123 = xegpu.dpas %93, %121, %acc_0 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %124 = xegpu.dpas %96, %121, %acc_1 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %125 = xegpu.dpas %99, %121, %acc_2 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %126 = xegpu.dpas %102, %121, %acc_3 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %127 = xegpu.dpas %105, %121, %acc_4 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %128 = xegpu.dpas %108, %121, %acc_5 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %129 = xegpu.dpas %111, %121, %acc_6 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %130 = xegpu.load_matrix %37[%c0, %119] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xi32>, index, index -> vector<8xi32>
      %131 = vector.bitcast %130 : vector<8xi32> to vector<16xbf16>
      %132 = xegpu.dpas %92, %131, %122 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %133 = xegpu.dpas %94, %131, %123 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %134 = xegpu.dpas %98, %131, %124 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %135 = xegpu.dpas %100, %131, %125 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %136 = xegpu.dpas %104, %131, %126 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %137 = xegpu.dpas %106, %131, %127 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %138 = xegpu.dpas %110, %131, %128 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %139 = xegpu.dpas %112, %131, %129 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %140 = xegpu.load_matrix %45[%c0, %118] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xi32>, index, index -> vector<8xi32>
      %141 = vector.bitcast %140 : vector<8xi32> to vector<16xbf16>
      %142 = xegpu.dpas %90, %141, %132 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %143 = xegpu.dpas %93, %141, %133 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %144 = xegpu.dpas %96, %141, %134 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %145 = xegpu.dpas %99, %141, %135 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %146 = xegpu.dpas %102, %141, %136 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %147 = xegpu.dpas %105, %141, %137 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %148 = xegpu.dpas %108, %141, %138 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %149 = xegpu.dpas %111, %141, %139 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %150 = xegpu.load_matrix %45[%c0, %119] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xi32>, index, index -> vector<8xi32>
      %151 = vector.bitcast %150 : vector<8xi32> to vector<16xbf16>
      %152 = xegpu.dpas %92, %151, %142 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %153 = xegpu.dpas %94, %151, %143 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %154 = xegpu.dpas %98, %151, %144 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %155 = xegpu.dpas %100, %151, %145 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %156 = xegpu.dpas %104, %151, %146 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %157 = xegpu.dpas %106, %151, %147 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %158 = xegpu.dpas %110, %151, %148 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %159 = xegpu.dpas %112, %151, %149 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %160 = vector.extract_strided_slice %115 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %161 = vector.extract_strided_slice %115 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      xegpu.store_matrix %160, %65[%c0, %55] <{subgroup_block_io}> : vector<8xbf16>, !xegpu.mem_desc<1x4096xbf16>, index, index
      xegpu.store_matrix %161, %65[%c0, %56] <{subgroup_block_io}> : vector<8xbf16>, !xegpu.mem_desc<1x4096xbf16>, index, index
      gpu.barrier
      %162 = xegpu.load_matrix %65[%c0, %57] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %163 = vector.extract_strided_slice %162 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %164 = xegpu.load_matrix %65[%c0, %58] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %165 = vector.extract_strided_slice %164 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %166 = vector.extract_strided_slice %162 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %167 = vector.extract_strided_slice %164 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %168 = xegpu.load_matrix %65[%c0, %59] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %169 = vector.extract_strided_slice %168 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %170 = xegpu.load_matrix %65[%c0, %60] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %171 = vector.extract_strided_slice %170 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %172 = vector.extract_strided_slice %168 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %173 = vector.extract_strided_slice %170 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %174 = xegpu.load_matrix %65[%c0, %61] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %175 = vector.extract_strided_slice %174 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %176 = xegpu.load_matrix %65[%c0, %62] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %177 = vector.extract_strided_slice %176 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %178 = vector.extract_strided_slice %174 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %179 = vector.extract_strided_slice %176 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %180 = xegpu.load_matrix %65[%c0, %63] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %181 = vector.extract_strided_slice %180 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %182 = xegpu.load_matrix %65[%c0, %64] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %183 = vector.extract_strided_slice %182 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %184 = vector.extract_strided_slice %180 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %185 = vector.extract_strided_slice %182 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %186 = xegpu.dpas %163, %121, %152 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %187 = xegpu.dpas %166, %121, %153 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %188 = xegpu.dpas %169, %121, %154 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %189 = xegpu.dpas %172, %121, %155 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %190 = xegpu.dpas %175, %121, %156 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %191 = xegpu.dpas %178, %121, %157 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %192 = xegpu.dpas %181, %121, %158 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %193 = xegpu.dpas %184, %121, %159 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %194 = xegpu.dpas %165, %131, %186 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %195 = xegpu.dpas %167, %131, %187 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %196 = xegpu.dpas %171, %131, %188 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %197 = xegpu.dpas %173, %131, %189 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %198 = xegpu.dpas %177, %131, %190 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %199 = xegpu.dpas %179, %131, %191 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %200 = xegpu.dpas %183, %131, %192 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %201 = xegpu.dpas %185, %131, %193 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %202 = arith.truncf %84 : vector<16xf32> to vector<16xbf16>
      %203 = arith.muli %82, %c256 : index
      %204 = arith.addi %203, %38 : index
      %205 = arith.addi %204, %39 : index
      %206 = vector.bitcast %202 : vector<16xbf16> to vector<8xi32>
      xegpu.store_matrix %206, %37[%c0, %205] <{subgroup_block_io}> : vector<8xi32>, !xegpu.mem_desc<1x4096xi32>, index, index
      %207 = arith.extf %202 : vector<16xbf16> to vector<16xf32>
      %208 = arith.subf %84, %207 : vector<16xf32>
      %209 = arith.truncf %208 : vector<16xf32> to vector<16xbf16>
      %210 = vector.bitcast %209 : vector<16xbf16> to vector<8xi32>
      xegpu.store_matrix %210, %45[%c0, %205] <{subgroup_block_io}> : vector<8xi32>, !xegpu.mem_desc<1x4096xi32>, index, index
      %211 = arith.subi %c32, %phase_0 : index
      %212 = arith.addi %78, %49 : index
      %213 = arith.addi %79, %51 : index
      scf.yield %194, %195, %196, %197, %198, %199, %200, %201, %82, %211, %212, %213 : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, index, index, index, index
    }
    %214 = arith.addi %13, %11 : index
    %215 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %66, %215[%214, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %216 = arith.addi %214, %c8 : index
    xegpu.store_nd %67, %215[%216, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %217 = arith.addi %214, %c16 : index
    xegpu.store_nd %68, %215[%217, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %218 = arith.addi %214, %c24 : index
    xegpu.store_nd %69, %215[%218, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %219 = arith.addi %214, %c32 : index
    xegpu.store_nd %70, %215[%219, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %220 = arith.addi %214, %c40 : index
    xegpu.store_nd %71, %215[%220, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %221 = arith.addi %214, %c48 : index
    xegpu.store_nd %72, %215[%221, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %222 = arith.addi %214, %c56 : index
    xegpu.store_nd %73, %215[%222, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// after work_between_products
gpu.module @three_products {
  gpu.func @three_products(%A: memref<?x?xf32, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf32, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f32", "dim A 0", "dim A 1", "stride A 0", "array B f32", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "lane", xetile.num_subgroups = 16 : i64} {
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c96 = arith.constant 96 : index
    %c48 = arith.constant 48 : index
    %c24 = arith.constant 24 : index
    %c40 = arith.constant 40 : index
    %c56 = arith.constant 56 : index
    %cst = arith.constant dense<0.0> : vector<8xf32>
    %c512 = arith.constant 512 : index
    %c256 = arith.constant 256 : index
    %c2048 = arith.constant 2048 : index
    %c1024 = arith.constant 1024 : index
    %c2304 = arith.constant 2304 : index
    %c2560 = arith.constant 2560 : index
    %c768 = arith.constant 768 : index
    %c2816 = arith.constant 2816 : index
    %slm = memref.alloca() : memref<128x32xbf16, affine_map<(d0, d1) -> (d0 floordiv 128, d1 floordiv 16, d0 mod 128, d1 mod 16)>, 3>
    %slm_0 = memref.alloca() : memref<128x32xbf16, affine_map<(d0, d1) -> (d0 floordiv 128, d1 floordiv 16, d0 mod 128, d1 mod 16)>, 3>
    %0 = gpu.subgroup_id : index
    %1 = arith.divui %0, %c2 : index
    %2 = arith.muli %1, %c16 : index
    %3 = arith.remui %0, %c2 : index
    %4 = arith.muli %3, %c16 : index
    %5 = arith.remui %1, %c4 : index
    %6 = arith.muli %5, %c32 : index
    %7 = arith.remui %0, %c8 : index
    %8 = arith.muli %7, %c16 : index
    %9 = arith.divui %0, %c8 : index
    %10 = arith.muli %9, %c16 : index
    %11 = arith.muli %9, %c64 : index
    %12 = gpu.block_id y
    %13 = arith.muli %12, %c128 : index
    %14 = gpu.block_id x
    %15 = arith.muli %14, %c128 : index
    %16 = arith.addi %13, %2 : index
    %17 = arith.addi %13, %6 : index
    %18 = arith.addi %15, %8 : index
    %19 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<32x16xf32>
    %20 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<32x16xf32>
    %21 = arith.cmpi eq, %9, %c0 : index
    %22 = arith.select %21, %19, %20 : !xegpu.tensor_desc<32x16xf32>
    %23 = arith.select %21, %17, %c0 : index
    %24 = arith.select %21, %4, %18 : index
    xegpu.prefetch_nd %22[%23, %24] : !xegpu.tensor_desc<32x16xf32>
    %25 = arith.addi %4, %c32 : index
    %26 = arith.select %21, %17, %c32 : index
    %27 = arith.select %21, %25, %18 : index
    xegpu.prefetch_nd %22[%26, %27] : !xegpu.tensor_desc<32x16xf32>
    %28 = arith.addi %4, %c64 : index
    %29 = arith.select %21, %17, %c64 : index
    %30 = arith.select %21, %28, %18 : index
    xegpu.prefetch_nd %22[%29, %30] : !xegpu.tensor_desc<32x16xf32>
    %31 = arith.addi %4, %c96 : index
    %32 = memref.alloca() : memref<64x128xbf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3>
    %33 = memref.alloca() : memref<64x128xbf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3>
    %34 = xegpu.create_nd_tdesc %B, shape : [%B_d0, %B_d1], strides : [%B_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf32>
    %35 = xegpu.load_nd %34[%10, %18] : !xegpu.tensor_desc<16x16xf32> -> vector<16xf32>
    %36 = arith.truncf %35 : vector<16xf32> to vector<16xbf16>
    %37 = xegpu.create_mem_desc %32 : memref<64x128xbf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3> -> !xegpu.mem_desc<1x4096xi32>
    %38 = arith.muli %9, %c128 : index
    %39 = arith.muli %7, %c512 : index
    %40 = arith.addi %38, %39 : index
    %41 = vector.bitcast %36 : vector<16xbf16> to vector<8xi32>
    xegpu.store_matrix %41, %37[%c0, %40] <{subgroup_block_io}> : vector<8xi32>, !xegpu.mem_desc<1x4096xi32>, index, index
    %42 = arith.extf %36 : vector<16xbf16> to vector<16xf32>
    %43 = arith.subf %35, %42 : vector<16xf32>
    %44 = arith.truncf %43 : vector<16xf32> to vector<16xbf16>
    %45 = xegpu.create_mem_desc %33 : memref<64x128xbf16, affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 16, (d0 mod 64) floordiv 2, d1 mod 16, d0 mod 2)>, 3> -> !xegpu.mem_desc<1x4096xi32>
    %46 = vector.bitcast %44 : vector<16xbf16> to vector<8xi32>
    xegpu.store_matrix %46, %45[%c0, %40] <{subgroup_block_io}> : vector<8xi32>, !xegpu.mem_desc<1x4096xi32>, index, index
    %47 = xegpu.create_nd_tdesc %A, shape : [%A_d0, %A_d1], strides : [%A_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<16x16xf32>
    %48 = arith.select %21, %17, %c96 : index
    %49 = arith.select %21, %c0, %c32 : index
    %50 = arith.select %21, %31, %18 : index
    %51 = arith.select %21, %c32, %c0 : index
    %52 = xegpu.create_mem_desc %slm : memref<128x32xbf16, affine_map<(d0, d1) -> (d0 floordiv 128, d1 floordiv 16, d0 mod 128, d1 mod 16)>, 3> -> !xegpu.mem_desc<1x4096xbf16>
    %53 = arith.muli %1, %c256 : index
    %54 = arith.muli %3, %c2048 : index
    %55 = arith.addi %53, %54 : index
    %56 = arith.addi %55, %c128 : index
    %57 = arith.muli %9, %c1024 : index
    %58 = arith.addi %57, %c2048 : index
    %59 = arith.addi %57, %c256 : index
    %60 = arith.addi %57, %c2304 : index
    %61 = arith.addi %57, %c512 : index
    %62 = arith.addi %57, %c2560 : index
    %63 = arith.addi %57, %c768 : index
    %64 = arith.addi %57, %c2816 : index
    %65 = xegpu.create_mem_desc %slm_0 : memref<128x32xbf16, affine_map<(d0, d1) -> (d0 floordiv 128, d1 floordiv 16, d0 mod 128, d1 mod 16)>, 3> -> !xegpu.mem_desc<1x4096xbf16>
    %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77 = scf.for %k = %c0 to %A_d1 step %c32 iter_args(%acc = %cst, %acc_0 = %cst, %acc_1 = %cst, %acc_2 = %cst, %acc_3 = %cst, %acc_4 = %cst, %acc_5 = %cst, %acc_6 = %cst, %phase = %c0, %phase_0 = %c0, %78 = %48, %79 = %50) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, index, index, index, index) {
      %80 = arith.addi %k, %4 : index
      %81 = arith.addi %k, %10 : index
      %82 = arith.subi %c1, %phase : index
      %83 = arith.addi %81, %c32 : index
      %84 = xegpu.load_nd %34[%83, %18] : !xegpu.tensor_desc<16x16xf32> -> vector<16xf32>
      gpu.barrier
      xegpu.prefetch_nd %22[%78, %79] : !xegpu.tensor_desc<32x16xf32>
      %85 = xegpu.load_nd %47[%16, %80] : !xegpu.tensor_desc<16x16xf32> -> vector<16xf32>
      %86 = arith.truncf %85 : vector<16xf32> to vector<16xbf16>
      %87 = vector.extract_strided_slice %86 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %88 = vector.extract_strided_slice %86 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      xegpu.store_matrix %87, %52[%c0, %55] <{subgroup_block_io}> : vector<8xbf16>, !xegpu.mem_desc<1x4096xbf16>, index, index
      xegpu.store_matrix %88, %52[%c0, %56] <{subgroup_block_io}> : vector<8xbf16>, !xegpu.mem_desc<1x4096xbf16>, index, index
      gpu.barrier
      %89 = xegpu.load_matrix %52[%c0, %57] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %90 = vector.extract_strided_slice %89 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %91 = xegpu.load_matrix %52[%c0, %58] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %92 = vector.extract_strided_slice %91 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %93 = vector.extract_strided_slice %89 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %94 = vector.extract_strided_slice %91 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %95 = xegpu.load_matrix %52[%c0, %59] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %96 = vector.extract_strided_slice %95 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %97 = xegpu.load_matrix %52[%c0, %60] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %98 = vector.extract_strided_slice %97 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %99 = vector.extract_strided_slice %95 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %100 = vector.extract_strided_slice %97 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %101 = xegpu.load_matrix %52[%c0, %61] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %102 = vector.extract_strided_slice %101 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %103 = xegpu.load_matrix %52[%c0, %62] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %104 = vector.extract_strided_slice %103 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %105 = vector.extract_strided_slice %101 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %106 = vector.extract_strided_slice %103 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %107 = xegpu.load_matrix %52[%c0, %63] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %108 = vector.extract_strided_slice %107 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %109 = xegpu.load_matrix %52[%c0, %64] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %110 = vector.extract_strided_slice %109 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %111 = vector.extract_strided_slice %107 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %112 = vector.extract_strided_slice %109 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %113 = arith.extf %86 : vector<16xbf16> to vector<16xf32>
      %114 = arith.subf %85, %113 : vector<16xf32>
      %115 = arith.truncf %114 : vector<16xf32> to vector<16xbf16>
      %116 = arith.divui %phase_0, %c2 : index
      %117 = arith.muli %116, %c16 : index
      %118 = arith.addi %117, %39 : index
      %119 = arith.addi %118, %c128 : index
      %120 = xegpu.load_matrix %37[%c0, %118] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xi32>, index, index -> vector<8xi32>
      %121 = vector.bitcast %120 : vector<8xi32> to vector<16xbf16>
      %122 = xegpu.dpas %90, %121, %acc : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %123 = arith.truncf %84 : vector<16xf32> to vector<16xbf16>
      %124 = xegpu.dpas %93, %121, %acc_0 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %125 = xegpu.dpas %96, %121, %acc_1 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %126 = xegpu.dpas %99, %121, %acc_2 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %127 = xegpu.dpas %102, %121, %acc_3 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %128 = xegpu.dpas %105, %121, %acc_4 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %129 = xegpu.dpas %108, %121, %acc_5 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %130 = xegpu.dpas %111, %121, %acc_6 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %131 = xegpu.load_matrix %37[%c0, %119] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xi32>, index, index -> vector<8xi32>
      %132 = vector.bitcast %131 : vector<8xi32> to vector<16xbf16>
      %133 = vector.bitcast %123 : vector<16xbf16> to vector<8xi32>
      %134 = xegpu.dpas %92, %132, %122 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %135 = xegpu.dpas %94, %132, %124 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %136 = xegpu.dpas %98, %132, %125 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %137 = xegpu.dpas %100, %132, %126 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %138 = xegpu.dpas %104, %132, %127 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %139 = xegpu.dpas %106, %132, %128 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %140 = xegpu.dpas %110, %132, %129 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %141 = xegpu.dpas %112, %132, %130 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %142 = xegpu.load_matrix %45[%c0, %118] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xi32>, index, index -> vector<8xi32>
      %143 = vector.bitcast %142 : vector<8xi32> to vector<16xbf16>
      %144 = arith.extf %123 : vector<16xbf16> to vector<16xf32>
      %145 = xegpu.dpas %90, %143, %134 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %146 = xegpu.dpas %93, %143, %135 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %147 = xegpu.dpas %96, %143, %136 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %148 = xegpu.dpas %99, %143, %137 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %149 = xegpu.dpas %102, %143, %138 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %150 = xegpu.dpas %105, %143, %139 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %151 = xegpu.dpas %108, %143, %140 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %152 = xegpu.dpas %111, %143, %141 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %153 = xegpu.load_matrix %45[%c0, %119] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xi32>, index, index -> vector<8xi32>
      %154 = vector.bitcast %153 : vector<8xi32> to vector<16xbf16>
      %155 = arith.subf %84, %144 : vector<16xf32>
      %156 = xegpu.dpas %92, %154, %145 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %157 = xegpu.dpas %94, %154, %146 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %158 = xegpu.dpas %98, %154, %147 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %159 = xegpu.dpas %100, %154, %148 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %160 = xegpu.dpas %104, %154, %149 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %161 = xegpu.dpas %106, %154, %150 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %162 = xegpu.dpas %110, %154, %151 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %163 = arith.truncf %155 : vector<16xf32> to vector<16xbf16>
      %164 = xegpu.dpas %112, %154, %152 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %165 = vector.extract_strided_slice %115 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %166 = vector.extract_strided_slice %115 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      xegpu.store_matrix %165, %65[%c0, %55] <{subgroup_block_io}> : vector<8xbf16>, !xegpu.mem_desc<1x4096xbf16>, index, index
      xegpu.store_matrix %166, %65[%c0, %56] <{subgroup_block_io}> : vector<8xbf16>, !xegpu.mem_desc<1x4096xbf16>, index, index
      gpu.barrier
      %167 = xegpu.load_matrix %65[%c0, %57] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %168 = vector.extract_strided_slice %167 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %169 = xegpu.load_matrix %65[%c0, %58] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %170 = vector.extract_strided_slice %169 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %171 = vector.extract_strided_slice %167 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %172 = vector.extract_strided_slice %169 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %173 = xegpu.load_matrix %65[%c0, %59] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %174 = vector.extract_strided_slice %173 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %175 = xegpu.load_matrix %65[%c0, %60] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %176 = vector.extract_strided_slice %175 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %177 = vector.extract_strided_slice %173 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %178 = vector.extract_strided_slice %175 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %179 = xegpu.load_matrix %65[%c0, %61] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %180 = vector.extract_strided_slice %179 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %181 = xegpu.load_matrix %65[%c0, %62] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %182 = vector.extract_strided_slice %181 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %183 = vector.extract_strided_slice %179 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %184 = vector.extract_strided_slice %181 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %185 = xegpu.load_matrix %65[%c0, %63] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %186 = vector.extract_strided_slice %185 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %187 = xegpu.load_matrix %65[%c0, %64] <{subgroup_block_io}> : !xegpu.mem_desc<1x4096xbf16>, index, index -> vector<16xbf16>
      %188 = vector.extract_strided_slice %187 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %189 = vector.extract_strided_slice %185 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %190 = vector.extract_strided_slice %187 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
      %191 = xegpu.dpas %168, %121, %156 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %192 = xegpu.dpas %171, %121, %157 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %193 = xegpu.dpas %174, %121, %158 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %194 = xegpu.dpas %177, %121, %159 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %195 = xegpu.dpas %180, %121, %160 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %196 = xegpu.dpas %183, %121, %161 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %197 = xegpu.dpas %186, %121, %162 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %198 = vector.bitcast %163 : vector<16xbf16> to vector<8xi32>
      %199 = xegpu.dpas %189, %121, %164 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %200 = xegpu.dpas %170, %132, %191 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %201 = xegpu.dpas %172, %132, %192 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %202 = xegpu.dpas %176, %132, %193 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %203 = xegpu.dpas %178, %132, %194 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %204 = xegpu.dpas %182, %132, %195 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %205 = xegpu.dpas %184, %132, %196 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %206 = xegpu.dpas %188, %132, %197 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %207 = xegpu.dpas %190, %132, %199 : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
      %208 = arith.muli %82, %c256 : index
      %209 = arith.addi %208, %38 : index
      %210 = arith.addi %209, %39 : index
      xegpu.store_matrix %133, %37[%c0, %210] <{subgroup_block_io}> : vector<8xi32>, !xegpu.mem_desc<1x4096xi32>, index, index
      xegpu.store_matrix %198, %45[%c0, %210] <{subgroup_block_io}> : vector<8xi32>, !xegpu.mem_desc<1x4096xi32>, index, index
      %211 = arith.subi %c32, %phase_0 : index
      %212 = arith.addi %78, %49 : index
      %213 = arith.addi %79, %51 : index
      scf.yield %200, %201, %202, %203, %204, %205, %206, %207, %82, %211, %212, %213 : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, index, index, index, index
    }
    %214 = arith.addi %13, %11 : index
    %215 = xegpu.create_nd_tdesc %C, shape : [%C_d0, %C_d1], strides : [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %66, %215[%214, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %216 = arith.addi %214, %c8 : index
    xegpu.store_nd %67, %215[%216, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %217 = arith.addi %214, %c16 : index
    xegpu.store_nd %68, %215[%217, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %218 = arith.addi %214, %c24 : index
    xegpu.store_nd %69, %215[%218, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %219 = arith.addi %214, %c32 : index
    xegpu.store_nd %70, %215[%219, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %220 = arith.addi %214, %c40 : index
    xegpu.store_nd %71, %215[%220, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %221 = arith.addi %214, %c48 : index
    xegpu.store_nd %72, %215[%221, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    %222 = arith.addi %214, %c56 : index
    xegpu.store_nd %73, %215[%222, %18] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
