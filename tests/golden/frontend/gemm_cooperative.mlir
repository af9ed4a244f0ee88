gpu.module @gemm_cooperative {
  gpu.func @gemm_cooperative(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 64 : i64} {
    %c256 = arith.constant 256 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %cst = arith.constant dense<0.0> : vector<256x256xf32>
    %c96 = arith.constant 96 : index
    %c127 = arith.constant 127 : index
    %0 = gpu.block_id y
    %i = arith.muli %0, %c256 : index
    %1 = gpu.block_id x
    %j = arith.muli %1, %c256 : index
    %a_ring = memref.alloca() : memref<256x128xf16, 3>
    %b_ring = memref.alloca() : memref<128x256xf16, 3>
    %a_global = xetile.init_tile %A[%i, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>>>
    %b_global = xetile.init_tile %B[%c0, %j], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>>>
    %2 = xetile.load_tile %a_global : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>>> -> vector<256x32xf16>
    %3 = xetile.init_tile %a_ring[%c0, %c0], [%c256, %c128], [%c128, %c1] : memref<256x128xf16, 3> -> !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>, memory_space = 3>>
    xetile.store_tile %2, %3 : vector<256x32xf16>, !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>, memory_space = 3>>
    %4 = xetile.load_tile %b_global : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>>> -> vector<32x256xf16>
    %5 = xetile.init_tile %b_ring[%c0, %c0], [%c128, %c256], [%c256, %c1] : memref<128x256xf16, 3> -> !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>, memory_space = 3>>
    xetile.store_tile %4, %5 : vector<32x256xf16>, !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>, memory_space = 3>>
    %a_global_0 = xetile.update_tile_offset %a_global, [%c0, %c32] : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>>>
    %b_global_0 = xetile.update_tile_offset %b_global, [%c32, %c0] : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>>>
    %6 = xetile.load_tile %a_global_0 : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>>> -> vector<256x32xf16>
    %7 = xetile.init_tile %a_ring[%c0, %c32], [%c256, %c128], [%c128, %c1] : memref<256x128xf16, 3> -> !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>, memory_space = 3>>
    xetile.store_tile %6, %7 : vector<256x32xf16>, !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>, memory_space = 3>>
    %8 = xetile.load_tile %b_global_0 : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>>> -> vector<32x256xf16>
    %9 = xetile.init_tile %b_ring[%c32, %c0], [%c128, %c256], [%c256, %c1] : memref<128x256xf16, 3> -> !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>, memory_space = 3>>
    xetile.store_tile %8, %9 : vector<32x256xf16>, !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>, memory_space = 3>>
    %a_global_1 = xetile.update_tile_offset %a_global_0, [%c0, %c32] : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>>>
    %b_global_1 = xetile.update_tile_offset %b_global_0, [%c32, %c0] : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>>>
    %10 = xetile.load_tile %a_global_1 : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>>> -> vector<256x32xf16>
    %11 = xetile.init_tile %a_ring[%c0, %c64], [%c256, %c128], [%c128, %c1] : memref<256x128xf16, 3> -> !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>, memory_space = 3>>
    xetile.store_tile %10, %11 : vector<256x32xf16>, !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>, memory_space = 3>>
    %12 = xetile.load_tile %b_global_1 : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>>> -> vector<32x256xf16>
    %13 = xetile.init_tile %b_ring[%c64, %c0], [%c128, %c256], [%c256, %c1] : memref<128x256xf16, 3> -> !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>, memory_space = 3>>
    xetile.store_tile %12, %13 : vector<32x256xf16>, !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>, memory_space = 3>>
    %a_global_2 = xetile.update_tile_offset %a_global_1, [%c0, %c32] : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>>>
    %b_global_2 = xetile.update_tile_offset %b_global_1, [%c32, %c0] : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>>>
    gpu.barrier
    %a_global_3, %b_global_3, %acc, %read, %write = scf.for %_ = %c0 to %A_d1 step %c32 iter_args(%a_global_4 = %a_global_2, %b_global_4 = %b_global_2, %acc_0 = %cst, %read_0 = %c0, %write_0 = %c96) -> (!xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>>>, !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>>>, vector<256x256xf32>, index, index) {
      %a_next = xetile.load_tile %a_global_4 : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>>> -> vector<256x32xf16>
      %b_next = xetile.load_tile %b_global_4 : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>>> -> vector<32x256xf16>
      %14 = xetile.init_tile %a_ring[%c0, %read_0], [%c256, %c128], [%c128, %c1] : memref<256x128xf16, 3> -> !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [32, 32]>, memory_space = 3>>
      %a = xetile.load_tile %14 : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [32, 32]>, memory_space = 3>> -> vector<256x32xf16>
      %15 = xetile.init_tile %b_ring[%read_0, %c0], [%c128, %c256], [%c256, %c1] : memref<128x256xf16, 3> -> !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [32, 32]>, memory_space = 3>>
      %b = xetile.load_tile %15 : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [32, 32]>, memory_space = 3>> -> vector<32x256xf16>
      %acc_1 = xetile.tile_mma %a, %b, %acc_0 {wg_map = #xetile.wg_map<sg_layout = [8, 8], sg_data = [32, 32]>} : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> -> vector<256x256xf32>
      gpu.barrier
      %16 = xetile.init_tile %a_ring[%c0, %write_0], [%c256, %c128], [%c128, %c1] : memref<256x128xf16, 3> -> !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>, memory_space = 3>>
      xetile.store_tile %a_next, %16 : vector<256x32xf16>, !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>, memory_space = 3>>
      %17 = xetile.init_tile %b_ring[%write_0, %c0], [%c128, %c256], [%c256, %c1] : memref<128x256xf16, 3> -> !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>, memory_space = 3>>
      xetile.store_tile %b_next, %17 : vector<32x256xf16>, !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>, memory_space = 3>>
      %18 = arith.addi %read_0, %c32 : index
      %read_1 = arith.andi %18, %c127 : index
      %19 = arith.addi %write_0, %c32 : index
      %write_1 = arith.andi %19, %c127 : index
      %a_global_5 = xetile.update_tile_offset %a_global_4, [%c0, %c32] : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>>>
      %b_global_5 = xetile.update_tile_offset %b_global_4, [%c32, %c0] : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>>>
      scf.yield %a_global_5, %b_global_5, %acc_1, %read_1, %write_1 : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [64, 1], sg_data = [4, 32]>>>, !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [4, 32]>>>, vector<256x256xf32>, index, index
    }
    %20 = xetile.init_tile %C[%i, %j], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [32, 32]>>>
    xetile.store_tile %acc, %20 : vector<256x256xf32>, !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = <sg_layout = [8, 8], sg_data = [32, 32]>>>
    gpu.return
  }
}
