// before stage_operands
gpu.module @product {
  gpu.func @product(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 4 : i64} {
    %c32 = arith.constant 32 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.0> : vector<32x32xf32>
    %0 = gpu.block_id y
    %m = arith.muli %0, %c32 : index
    %1 = gpu.block_id x
    %n = arith.muli %1, %c32 : index
    %a = xetile.init_tile %A[%m, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x32xf16>
    %b = xetile.init_tile %B[%c0, %n], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x32xf16>
    %a_0, %b_0, %acc = scf.for %_ = %c0 to %A_d1 step %c32 iter_args(%a_1 = %a, %b_1 = %b, %acc_0 = %cst) -> (!xetile.tile<32x32xf16>, !xetile.tile<32x32xf16>, vector<32x32xf32>) {
      %2 = xetile.load_tile %a_1 : !xetile.tile<32x32xf16> -> vector<32x32xf16>
      %3 = xetile.load_tile %b_1 : !xetile.tile<32x32xf16> -> vector<32x32xf16>
      %acc_1 = xetile.tile_mma %2, %3, %acc_0 : vector<32x32xf16>, vector<32x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
      %a_2 = xetile.update_tile_offset %a_1, [%c0, %c32] : !xetile.tile<32x32xf16>
      %b_2 = xetile.update_tile_offset %b_1, [%c32, %c0] : !xetile.tile<32x32xf16>
      scf.yield %a_2, %b_2, %acc_1 : !xetile.tile<32x32xf16>, !xetile.tile<32x32xf16>, vector<32x32xf32>
    }
    %4 = xetile.init_tile %C[%m, %n], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x32xf32>
    xetile.store_tile %acc, %4 : vector<32x32xf32>, !xetile.tile<32x32xf32>
    gpu.return
  }
}

// after stage_operands
gpu.module @product {
  gpu.func @product(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 4 : i64} {
    %c32 = arith.constant 32 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.0> : vector<32x32xf32>
    %0 = gpu.block_id y
    %m = arith.muli %0, %c32 : index
    %1 = gpu.block_id x
    %n = arith.muli %1, %c32 : index
    %a = xetile.init_tile %A[%m, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
    %b = xetile.init_tile %B[%c0, %n], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>>
    %2 = memref.alloca() : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 16, d0 mod 8, d1 mod 16)>, 3>
    %3 = memref.alloca() : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3>
    %c0_0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %4 = arith.subi %A_d1, %c0 : index
    %5 = arith.maxsi %4, %c0_0 : index
    %6 = arith.ceildivui %5, %c32 : index
    %c0_1 = arith.constant 0 : index
    %7 = arith.subi %A_d0, %m : index
    %c32_0 = arith.constant 32 : index
    %8 = arith.subi %7, %c32_0 : index
    %9 = arith.cmpi sge, %8, %c0_1 : index
    %10 = arith.cmpi sge, %m, %c0_1 : index
    %11 = arith.andi %9, %10 : i1
    %12 = arith.select %11, %6, %c0_1 : index
    %13 = arith.minsi %6, %12 : index
    %c0_2 = arith.constant 0 : index
    %14 = arith.subi %A_d1, %c0 : index
    %c32_1 = arith.constant 32 : index
    %15 = arith.subi %14, %c32_1 : index
    %16 = arith.cmpi sge, %15, %c0_2 : index
    %17 = arith.cmpi sge, %c0, %c0_2 : index
    %18 = arith.andi %16, %17 : i1
    %c2_0 = arith.constant 2 : index
    %19 = arith.remui %c0, %c2_0 : index
    %20 = arith.cmpi eq, %19, %c0_2 : index
    %21 = arith.andi %18, %20 : i1
    %c2_1 = arith.constant 2 : index
    %22 = arith.remui %A_s0, %c2_1 : index
    %23 = arith.cmpi eq, %22, %c0_2 : index
    %24 = arith.andi %21, %23 : i1
    %25 = arith.maxsi %15, %c0_2 : index
    %c32_2 = arith.constant 32 : index
    %26 = arith.divui %25, %c32_2 : index
    %c1_0 = arith.constant 1 : index
    %27 = arith.addi %26, %c1_0 : index
    %28 = arith.select %24, %27, %c0_2 : index
    %29 = arith.minsi %13, %28 : index
    %c0_3 = arith.constant 0 : index
    %30 = arith.subi %B_d0, %c0 : index
    %c32_3 = arith.constant 32 : index
    %31 = arith.subi %30, %c32_3 : index
    %32 = arith.cmpi sge, %31, %c0_3 : index
    %33 = arith.cmpi sge, %c0, %c0_3 : index
    %34 = arith.andi %32, %33 : i1
    %35 = arith.maxsi %31, %c0_3 : index
    %c32_4 = arith.constant 32 : index
    %36 = arith.divui %35, %c32_4 : index
    %c1_1 = arith.constant 1 : index
    %37 = arith.addi %36, %c1_1 : index
    %38 = arith.select %34, %37, %c0_3 : index
    %39 = arith.minsi %29, %38 : index
    %c0_4 = arith.constant 0 : index
    %40 = arith.subi %B_d1, %n : index
    %c32_5 = arith.constant 32 : index
    %41 = arith.subi %40, %c32_5 : index
    %42 = arith.cmpi sge, %41, %c0_4 : index
    %43 = arith.cmpi sge, %n, %c0_4 : index
    %44 = arith.andi %42, %43 : i1
    %c2_2 = arith.constant 2 : index
    %45 = arith.remui %n, %c2_2 : index
    %46 = arith.cmpi eq, %45, %c0_4 : index
    %47 = arith.andi %44, %46 : i1
    %c2_3 = arith.constant 2 : index
    %48 = arith.remui %B_s0, %c2_3 : index
    %49 = arith.cmpi eq, %48, %c0_4 : index
    %50 = arith.andi %47, %49 : i1
    %51 = arith.select %50, %39, %c0_4 : index
    %52 = arith.minsi %39, %51 : index
    %53 = arith.divui %52, %c2 : index
    %54 = arith.muli %53, %c2 : index
    %c0_5 = arith.constant 0 : index
    %55 = arith.cmpi sgt, %54, %c0_5 : index
    scf.if %55 {
      %56 = xetile.load_tile %a {inside, lane_map = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 16]>, padding = 0 : i64} : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>> -> vector<32x32xf16>
      %c0_6 = arith.constant 0 : index
      %c32_6 = arith.constant 32 : index
      %57 = arith.muli %c0_6, %c32_6 : index
      %c0_7 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %c32_7 = arith.constant 32 : index
      %c32_8 = arith.constant 32 : index
      %c1_2 = arith.constant 1 : index
      %58 = xetile.init_tile %2[%57, %c0_7], [%c64, %c32_7], [%c32_8, %c1_2] : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 16, d0 mod 8, d1 mod 16)>, 3> -> !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %56, %58 {lane_map = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 16]>} : vector<32x32xf16>, !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      %59 = xetile.load_tile %b {inside, lane_map = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>, padding = 0 : i64} : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>> -> vector<32x32xf16>
      %c0_8 = arith.constant 0 : index
      %c32_9 = arith.constant 32 : index
      %60 = arith.muli %c0_8, %c32_9 : index
      %c0_9 = arith.constant 0 : index
      %c64_0 = arith.constant 64 : index
      %c32_10 = arith.constant 32 : index
      %c32_11 = arith.constant 32 : index
      %c1_3 = arith.constant 1 : index
      %61 = xetile.init_tile %3[%60, %c0_9], [%c64_0, %c32_10], [%c32_11, %c1_3] : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3> -> !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %59, %61 {lane_map = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<32x32xf16>, !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
    }
    %62 = arith.muli %54, %c32 : index
    %63 = arith.addi %c0, %62 : index
    %64 = arith.addi %c32, %c32 : index
    %a_0, %b_0, %acc = scf.for %_ = %c0 to %63 step %64 iter_args(%a_1 = %a, %b_1 = %b, %acc_0 = %cst) -> (!xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>, !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>>, vector<32x32xf32>) {
      %c0_10 = arith.constant 0 : index
      %c1_4 = arith.constant 1 : index
      gpu.barrier
      %65 = arith.addi %_, %c32 : index
      %c0_11 = arith.constant 0 : index
      %c32_12 = arith.constant 32 : index
      %66 = xetile.update_tile_offset %a_1, [%c0_11, %c32_12] : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
      %67 = xetile.load_tile %66 {inside, lane_map = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 16]>, padding = 0 : i64} : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>> -> vector<32x32xf16>
      %c32_13 = arith.constant 32 : index
      %c0_12 = arith.constant 0 : index
      %68 = xetile.update_tile_offset %b_1, [%c32_13, %c0_12] : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>>
      %69 = xetile.load_tile %68 {inside, lane_map = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>, padding = 0 : i64} : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>> -> vector<32x32xf16>
      %c32_14 = arith.constant 32 : index
      %70 = arith.muli %c0_10, %c32_14 : index
      %c0_13 = arith.constant 0 : index
      %c64_1 = arith.constant 64 : index
      %c32_15 = arith.constant 32 : index
      %c32_16 = arith.constant 32 : index
      %c1_5 = arith.constant 1 : index
      %71 = xetile.init_tile %2[%70, %c0_13], [%c64_1, %c32_15], [%c32_16, %c1_5] : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 16, d0 mod 8, d1 mod 16)>, 3> -> !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      %72 = xetile.load_tile %71 {padding = 0 : i64} : !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>> -> vector<32x32xf16>
      %c32_17 = arith.constant 32 : index
      %73 = arith.muli %c0_10, %c32_17 : index
      %c0_14 = arith.constant 0 : index
      %c64_2 = arith.constant 64 : index
      %c32_18 = arith.constant 32 : index
      %c32_19 = arith.constant 32 : index
      %c1_6 = arith.constant 1 : index
      %74 = xetile.init_tile %3[%73, %c0_14], [%c64_2, %c32_18], [%c32_19, %c1_6] : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3> -> !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      %75 = xetile.load_tile %74 {padding = 0 : i64} : !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>> -> vector<32x32xf16>
      %acc_1 = xetile.tile_mma %72, %75, %acc_0 {transposed} : vector<32x32xf16>, vector<32x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
      %a_2 = xetile.update_tile_offset %a_1, [%c0, %c32] : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
      %b_2 = xetile.update_tile_offset %b_1, [%c32, %c0] : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>>
      %76 = arith.addi %_, %c32 : index
      %c32_20 = arith.constant 32 : index
      %77 = arith.muli %c1_4, %c32_20 : index
      %c0_15 = arith.constant 0 : index
      %c64_3 = arith.constant 64 : index
      %c32_21 = arith.constant 32 : index
      %c32_22 = arith.constant 32 : index
      %c1_7 = arith.constant 1 : index
      %78 = xetile.init_tile %2[%77, %c0_15], [%c64_3, %c32_21], [%c32_22, %c1_7] : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 16, d0 mod 8, d1 mod 16)>, 3> -> !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %67, %78 {lane_map = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 16]>} : vector<32x32xf16>, !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      %c32_23 = arith.constant 32 : index
      %79 = arith.muli %c1_4, %c32_23 : index
      %c0_16 = arith.constant 0 : index
      %c64_4 = arith.constant 64 : index
      %c32_24 = arith.constant 32 : index
      %c32_25 = arith.constant 32 : index
      %c1_8 = arith.constant 1 : index
      %80 = xetile.init_tile %3[%79, %c0_16], [%c64_4, %c32_24], [%c32_25, %c1_8] : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3> -> !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %69, %80 {lane_map = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<32x32xf16>, !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      %c1_9 = arith.constant 1 : index
      %c0_17 = arith.constant 0 : index
      gpu.barrier
      %81 = arith.addi %65, %c32 : index
      %82 = arith.cmpi slt, %81, %63 : index
      %c0_18 = arith.constant 0 : index
      %c32_26 = arith.constant 32 : index
      %c0_19 = arith.constant 0 : index
      %83 = arith.select %82, %c32_26, %c0_19 : index
      %84 = xetile.update_tile_offset %a_2, [%c0_18, %83] : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
      %85 = xetile.load_tile %84 {inside, lane_map = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 16]>, padding = 0 : i64} : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>> -> vector<32x32xf16>
      %c32_27 = arith.constant 32 : index
      %c0_20 = arith.constant 0 : index
      %c0_21 = arith.constant 0 : index
      %86 = arith.select %82, %c32_27, %c0_21 : index
      %87 = xetile.update_tile_offset %b_2, [%86, %c0_20] : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>>
      %88 = xetile.load_tile %87 {inside, lane_map = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>, padding = 0 : i64} : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>> -> vector<32x32xf16>
      %c32_28 = arith.constant 32 : index
      %89 = arith.muli %c1_9, %c32_28 : index
      %c0_22 = arith.constant 0 : index
      %c64_5 = arith.constant 64 : index
      %c32_29 = arith.constant 32 : index
      %c32_30 = arith.constant 32 : index
      %c1_10 = arith.constant 1 : index
      %90 = xetile.init_tile %2[%89, %c0_22], [%c64_5, %c32_29], [%c32_30, %c1_10] : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 16, d0 mod 8, d1 mod 16)>, 3> -> !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      %91 = xetile.load_tile %90 {padding = 0 : i64} : !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>> -> vector<32x32xf16>
      %c32_31 = arith.constant 32 : index
      %92 = arith.muli %c1_9, %c32_31 : index
      %c0_23 = arith.constant 0 : index
      %c64_6 = arith.constant 64 : index
      %c32_32 = arith.constant 32 : index
      %c32_33 = arith.constant 32 : index
      %c1_11 = arith.constant 1 : index
      %93 = xetile.init_tile %3[%92, %c0_23], [%c64_6, %c32_32], [%c32_33, %c1_11] : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3> -> !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      %94 = xetile.load_tile %93 {padding = 0 : i64} : !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>> -> vector<32x32xf16>
      %acc_1_0 = xetile.tile_mma %91, %94, %acc_1 {transposed} : vector<32x32xf16>, vector<32x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
      %a_2_0 = xetile.update_tile_offset %a_2, [%c0, %c32] : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
      %b_2_0 = xetile.update_tile_offset %b_2, [%c32, %c0] : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>>
      %95 = arith.addi %65, %c32 : index
      %c32_34 = arith.constant 32 : index
      %96 = arith.muli %c0_17, %c32_34 : index
      %c0_24 = arith.constant 0 : index
      %c64_7 = arith.constant 64 : index
      %c32_35 = arith.constant 32 : index
      %c32_36 = arith.constant 32 : index
      %c1_12 = arith.constant 1 : index
      %97 = xetile.init_tile %2[%96, %c0_24], [%c64_7, %c32_35], [%c32_36, %c1_12] : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 16, d0 mod 8, d1 mod 16)>, 3> -> !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %85, %97 {lane_map = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 16]>} : vector<32x32xf16>, !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      %c32_37 = arith.constant 32 : index
      %98 = arith.muli %c0_17, %c32_37 : index
      %c0_25 = arith.constant 0 : index
      %c64_8 = arith.constant 64 : index
      %c32_38 = arith.constant 32 : index
      %c32_39 = arith.constant 32 : index
      %c1_13 = arith.constant 1 : index
      %99 = xetile.init_tile %3[%98, %c0_25], [%c64_8, %c32_38], [%c32_39, %c1_13] : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3> -> !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %88, %99 {lane_map = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<32x32xf16>, !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      scf.yield %a_2_0, %b_2_0, %acc_1_0 : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>, !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>>, vector<32x32xf32>
    }
    %c0_26 = arith.constant 0 : index
    %a_0_0, %b_0_0, %acc_2, %100 = scf.for %__0 = %63 to %A_d1 step %c32 iter_args(%a_1_0 = %a_0, %b_1_0 = %b_0, %acc_0_0 = %acc, %read = %c0_26) -> (!xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>, !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>>, vector<32x32xf32>, index) {
      %101 = xetile.load_tile %a_1_0 {lane_map = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 16]>, padding = 0 : i64} : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>> -> vector<32x32xf16>
      %102 = xetile.load_tile %b_1_0 {lane_map = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>, padding = 0 : i64} : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>> -> vector<32x32xf16>
      %c32_40 = arith.constant 32 : index
      %103 = arith.muli %read, %c32_40 : index
      %c0_27 = arith.constant 0 : index
      %c64_9 = arith.constant 64 : index
      %c32_41 = arith.constant 32 : index
      %c32_42 = arith.constant 32 : index
      %c1_14 = arith.constant 1 : index
      %104 = xetile.init_tile %2[%103, %c0_27], [%c64_9, %c32_41], [%c32_42, %c1_14] : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 16, d0 mod 8, d1 mod 16)>, 3> -> !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %101, %104 {lane_map = #xegpu.layout<lane_layout = [8, 1], lane_data = [1, 16]>} : vector<32x32xf16>, !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      %c32_43 = arith.constant 32 : index
      %105 = arith.muli %read, %c32_43 : index
      %c0_28 = arith.constant 0 : index
      %c64_10 = arith.constant 64 : index
      %c32_44 = arith.constant 32 : index
      %c32_45 = arith.constant 32 : index
      %c1_15 = arith.constant 1 : index
      %106 = xetile.init_tile %3[%105, %c0_28], [%c64_10, %c32_44], [%c32_45, %c1_15] : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3> -> !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      xetile.store_tile %102, %106 {lane_map = #xegpu.layout<lane_layout = [1, 8], lane_data = [1, 4]>} : vector<32x32xf16>, !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      gpu.barrier
      %c32_46 = arith.constant 32 : index
      %107 = arith.muli %read, %c32_46 : index
      %c0_29 = arith.constant 0 : index
      %c64_11 = arith.constant 64 : index
      %c32_47 = arith.constant 32 : index
      %c32_48 = arith.constant 32 : index
      %c1_16 = arith.constant 1 : index
      %108 = xetile.init_tile %2[%107, %c0_29], [%c64_11, %c32_47], [%c32_48, %c1_16] : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 16, d0 mod 8, d1 mod 16)>, 3> -> !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      %109 = xetile.load_tile %108 {padding = 0 : i64} : !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>> -> vector<32x32xf16>
      %c32_49 = arith.constant 32 : index
      %110 = arith.muli %read, %c32_49 : index
      %c0_30 = arith.constant 0 : index
      %c64_12 = arith.constant 64 : index
      %c32_50 = arith.constant 32 : index
      %c32_51 = arith.constant 32 : index
      %c1_17 = arith.constant 1 : index
      %111 = xetile.init_tile %3[%110, %c0_30], [%c64_12, %c32_50], [%c32_51, %c1_17] : memref<64x32xf16, affine_map<(d0, d1) -> (d0 floordiv 16, d1 floordiv 8, (d0 mod 16) floordiv 2, d1 mod 8, d0 mod 2)>, 3> -> !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>>
      %112 = xetile.load_tile %111 {padding = 0 : i64} : !xetile.tile<32x32xf16, #xetile.tile_attr<memory_space = 3>> -> vector<32x32xf16>
      %acc_1_1 = xetile.tile_mma %109, %112, %acc_0_0 {transposed} : vector<32x32xf16>, vector<32x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
      %a_2_1 = xetile.update_tile_offset %a_1_0, [%c0, %c32] : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
      %b_2_1 = xetile.update_tile_offset %b_1_0, [%c32, %c0] : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>>
      %c1_18 = arith.constant 1 : index
      %113 = arith.subi %c1_18, %read : index
      scf.yield %a_2_1, %b_2_1, %acc_1_1, %113 : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>, !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>>, vector<32x32xf32>, index
    }
    %114 = xetile.init_tile %C[%m, %n], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x32xf32>
    xetile.store_tile %acc_2, %114 : vector<32x32xf32>, !xetile.tile<32x32xf32>
    gpu.return
  }
}
