// before stage_columns
gpu.module @by_columns {
  gpu.func @by_columns(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.0> : vector<64x64xf32>
    %c64 = arith.constant 64 : index
    %a = xetile.init_tile %A[%c0, %c0], [%A_d1, %A_d0], [%c1, %A_s0] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<64x64xf16, #xetile.tile_attr<order = [0, 1]>>
    %b = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<64x64xf16>
    %a_0, %b_0, %acc = scf.for %_ = %c0 to %A_d0 step %c64 iter_args(%a_1 = %a, %b_1 = %b, %acc_0 = %cst) -> (!xetile.tile<64x64xf16, #xetile.tile_attr<order = [0, 1]>>, !xetile.tile<64x64xf16>, vector<64x64xf32>) {
      %0 = xetile.load_tile %a_1 : !xetile.tile<64x64xf16, #xetile.tile_attr<order = [0, 1]>> -> vector<64x64xf16>
      %1 = xetile.load_tile %b_1 : !xetile.tile<64x64xf16> -> vector<64x64xf16>
      %acc_1 = xetile.tile_mma %0, %1, %acc_0 : vector<64x64xf16>, vector<64x64xf16>, vector<64x64xf32> -> vector<64x64xf32>
      %a_2 = xetile.update_tile_offset %a_1, [%c0, %c64] : !xetile.tile<64x64xf16, #xetile.tile_attr<order = [0, 1]>>
      %b_2 = xetile.update_tile_offset %b_1, [%c64, %c0] : !xetile.tile<64x64xf16>
      scf.yield %a_2, %b_2, %acc_1 : !xetile.tile<64x64xf16, #xetile.tile_attr<order = [0, 1]>>, !xetile.tile<64x64xf16>, vector<64x64xf32>
    }
    %2 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<64x64xf32>
    xetile.store_tile %acc, %2 : vector<64x64xf32>, !xetile.tile<64x64xf32>
    gpu.return
  }
}

// after stage_columns
gpu.module @by_columns {
  gpu.func @by_columns(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.0> : vector<64x64xf32>
    %c64 = arith.constant 64 : index
    %a = xetile.init_tile %A[%c0, %c0], [%A_d1, %A_d0], [%c1, %A_s0] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<64x64xf16, #xetile.tile_attr<order = [0, 1]>>
    %b = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<64x64xf16>
    %0 = memref.alloca() : memref<128x64xf16, affine_map<(d0, d1) -> (d0 floordiv 128, d1 floordiv 16, d0 mod 128, d1 mod 16)>, 3>
    %c0_0 = arith.constant 0 : index
    %c0_1 = arith.constant 0 : index
    %c1_0 = arith.constant 1 : index
    %1 = xetile.init_tile %A[%c0_0, %c0_1], [%A_d1, %A_d0], [%c1_0, %A_s0] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>, order = [0, 1]>>
    %2 = xetile.load_tile %1 {lane_map = #xegpu.layout<lane_layout = [16, 1], lane_data = [1, 16]>, padding = 0 : i64} : !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>, order = [0, 1]>> -> vector<64x64xf16>
    %c0_2 = arith.constant 0 : index
    %c64_0 = arith.constant 64 : index
    %3 = arith.muli %c0_2, %c64_0 : index
    %c0_3 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c64_1 = arith.constant 64 : index
    %c64_2 = arith.constant 64 : index
    %c1_1 = arith.constant 1 : index
    %4 = xetile.init_tile %0[%3, %c0_3], [%c128, %c64_1], [%c64_2, %c1_1] : memref<128x64xf16, affine_map<(d0, d1) -> (d0 floordiv 128, d1 floordiv 16, d0 mod 128, d1 mod 16)>, 3> -> !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>, memory_space = 3>>
    xetile.store_tile %2, %4 {lane_map = #xegpu.layout<lane_layout = [16, 1], lane_data = [1, 16]>} : vector<64x64xf16>, !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>, memory_space = 3>>
    %c0_4 = arith.constant 0 : index
    %c64_3 = arith.constant 64 : index
    %5 = xetile.update_tile_offset %1, [%c0_4, %c64_3] : !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>, order = [0, 1]>>
    %c0_5 = arith.constant 0 : index
    %c1_2 = arith.constant 1 : index
    %a_0, %b_0, %acc, %6, %7, %8 = scf.for %_ = %c0 to %A_d0 step %c64 iter_args(%a_1 = %a, %b_1 = %b, %acc_0 = %cst, %ahead = %5, %read = %c0_5, %write = %c1_2) -> (!xetile.tile<64x64xf16, #xetile.tile_attr<order = [0, 1]>>, !xetile.tile<64x64xf16>, vector<64x64xf32>, !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>, order = [0, 1]>>, index, index) {
      %9 = xetile.load_tile %ahead {lane_map = #xegpu.layout<lane_layout = [16, 1], lane_data = [1, 16]>, padding = 0 : i64} : !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>, order = [0, 1]>> -> vector<64x64xf16>
      gpu.barrier
      %c64_4 = arith.constant 64 : index
      %10 = arith.muli %read, %c64_4 : index
      %c0_6 = arith.constant 0 : index
      %c128_0 = arith.constant 128 : index
      %c64_5 = arith.constant 64 : index
      %c64_6 = arith.constant 64 : index
      %c1_3 = arith.constant 1 : index
      %11 = xetile.init_tile %0[%10, %c0_6], [%c128_0, %c64_5], [%c64_6, %c1_3] : memref<128x64xf16, affine_map<(d0, d1) -> (d0 floordiv 128, d1 floordiv 16, d0 mod 128, d1 mod 16)>, 3> -> !xetile.tile<64x64xf16, #xetile.tile_attr<memory_space = 3>>
      %12 = xetile.load_tile %11 {padding = 0 : i64} : !xetile.tile<64x64xf16, #xetile.tile_attr<memory_space = 3>> -> vector<64x64xf16>
      %13 = xetile.load_tile %b_1 : !xetile.tile<64x64xf16> -> vector<64x64xf16>
      %acc_1 = xetile.tile_mma %12, %13, %acc_0 : vector<64x64xf16>, vector<64x64xf16>, vector<64x64xf32> -> vector<64x64xf32>
      %a_2 = xetile.update_tile_offset %a_1, [%c0, %c64] : !xetile.tile<64x64xf16, #xetile.tile_attr<order = [0, 1]>>
      %b_2 = xetile.update_tile_offset %b_1, [%c64, %c0] : !xetile.tile<64x64xf16>
      %14 = arith.addi %_, %c64 : index
      %c64_7 = arith.constant 64 : index
      %15 = arith.muli %write, %c64_7 : index
      %c0_7 = arith.constant 0 : index
      %c128_1 = arith.constant 128 : index
      %c64_8 = arith.constant 64 : index
      %c64_9 = arith.constant 64 : index
      %c1_4 = arith.constant 1 : index
      %16 = xetile.init_tile %0[%15, %c0_7], [%c128_1, %c64_8], [%c64_9, %c1_4] : memref<128x64xf16, affine_map<(d0, d1) -> (d0 floordiv 128, d1 floordiv 16, d0 mod 128, d1 mod 16)>, 3> -> !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>, memory_space = 3>>
      xetile.store_tile %9, %16 {lane_map = #xegpu.layout<lane_layout = [16, 1], lane_data = [1, 16]>} : vector<64x64xf16>, !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>, memory_space = 3>>
      %c0_8 = arith.constant 0 : index
      %c64_10 = arith.constant 64 : index
      %17 = xetile.update_tile_offset %ahead, [%c0_8, %c64_10] : !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>, order = [0, 1]>>
      %c1_5 = arith.constant 1 : index
      %18 = arith.subi %c1_5, %read : index
      %c1_6 = arith.constant 1 : index
      %19 = arith.subi %c1_6, %write : index
      scf.yield %a_2, %b_2, %acc_1, %17, %18, %19 : !xetile.tile<64x64xf16, #xetile.tile_attr<order = [0, 1]>>, !xetile.tile<64x64xf16>, vector<64x64xf32>, !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>, order = [0, 1]>>, index, index
    }
    %20 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<64x64xf32>
    xetile.store_tile %acc, %20 : vector<64x64xf32>, !xetile.tile<64x64xf32>
    gpu.return
  }
}
