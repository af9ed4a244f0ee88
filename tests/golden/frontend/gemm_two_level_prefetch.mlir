gpu.module @gemm_two_level_prefetch {
  gpu.func @gemm_two_level_prefetch(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 32 : i64} {
    %c512 = arith.constant 512 : index
    %c256 = arith.constant 256 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c32 = arith.constant 32 : index
    %cst = arith.constant dense<0.0> : vector<512x256xf32>
    %c127 = arith.constant 127 : index
    %0 = gpu.block_id y
    %i = arith.muli %0, %c512 : index
    %1 = gpu.block_id x
    %j = arith.muli %1, %c256 : index
    %a_l2 = xetile.init_tile %A[%i, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<512x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 128]>>>
    %b_l2 = xetile.init_tile %B[%c0, %j], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<128x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [16, 2], sg_data = [8, 128]>>>
    xetile.prefetch_tile %a_l2 {locality = 2 : i32} : !xetile.tile<512x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 128]>>>
    xetile.prefetch_tile %b_l2 {locality = 2 : i32} : !xetile.tile<128x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [16, 2], sg_data = [8, 128]>>>
    %a_l2_0 = xetile.update_tile_offset %a_l2, [%c0, %c128] : !xetile.tile<512x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 128]>>>
    %b_l2_0 = xetile.update_tile_offset %b_l2, [%c128, %c0] : !xetile.tile<128x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [16, 2], sg_data = [8, 128]>>>
    xetile.prefetch_tile %a_l2_0 {locality = 2 : i32} : !xetile.tile<512x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 128]>>>
    xetile.prefetch_tile %b_l2_0 {locality = 2 : i32} : !xetile.tile<128x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [16, 2], sg_data = [8, 128]>>>
    %a_l2_1 = xetile.update_tile_offset %a_l2_0, [%c0, %c128] : !xetile.tile<512x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 128]>>>
    %b_l2_1 = xetile.update_tile_offset %b_l2_0, [%c128, %c0] : !xetile.tile<128x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [16, 2], sg_data = [8, 128]>>>
    %a_l1 = xetile.init_tile %A[%i, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 32]>>>
    %b_l1 = xetile.init_tile %B[%c0, %j], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>
    xetile.prefetch_tile %a_l1 : !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 32]>>>
    xetile.prefetch_tile %b_l1 : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>
    %a_l1_0 = xetile.update_tile_offset %a_l1, [%c0, %c32] : !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 32]>>>
    %b_l1_0 = xetile.update_tile_offset %b_l1, [%c32, %c0] : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>
    xetile.prefetch_tile %a_l1_0 : !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 32]>>>
    xetile.prefetch_tile %b_l1_0 : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>
    %a_l1_1 = xetile.update_tile_offset %a_l1_0, [%c0, %c32] : !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 32]>>>
    %b_l1_1 = xetile.update_tile_offset %b_l1_0, [%c32, %c0] : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>
    xetile.prefetch_tile %a_l1_1 : !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 32]>>>
    xetile.prefetch_tile %b_l1_1 : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>
    %a_l1_2 = xetile.update_tile_offset %a_l1_1, [%c0, %c32] : !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 32]>>>
    %b_l1_2 = xetile.update_tile_offset %b_l1_1, [%c32, %c0] : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>
    xetile.prefetch_tile %a_l1_2 : !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 32]>>>
    xetile.prefetch_tile %b_l1_2 : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>
    %a_l1_3 = xetile.update_tile_offset %a_l1_2, [%c0, %c32] : !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 32]>>>
    %b_l1_3 = xetile.update_tile_offset %b_l1_2, [%c32, %c0] : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>
    %a = xetile.init_tile %A[%i, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [64, 32]>>>
    %b = xetile.init_tile %B[%c0, %j], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 64]>>>
    %c = xetile.init_tile %C[%i, %j], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<512x256xf32, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [64, 64]>>>
    %a_l2_2, %b_l2_2, %a_l1_4, %b_l1_4, %a_0, %b_0, %acc = scf.for %k = %c0 to %A_d1 step %c32 iter_args(%a_l2_3 = %a_l2_1, %b_l2_3 = %b_l2_1, %a_l1_5 = %a_l1_3, %b_l1_5 = %b_l1_3, %a_1 = %a, %b_1 = %b, %acc_0 = %cst) -> (!xetile.tile<512x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 128]>>>, !xetile.tile<128x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [16, 2], sg_data = [8, 128]>>>, !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 32]>>>, !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>, !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [64, 32]>>>, !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 64]>>>, vector<512x256xf32>) {
      %a_value = xetile.load_tile %a_1 : !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [64, 32]>>> -> vector<512x32xf16>
      %b_value = xetile.load_tile %b_1 : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 64]>>> -> vector<32x256xf16>
      %2 = arith.andi %k, %c127 : index
      %3 = arith.cmpi eq, %2, %c0 : index
      %a_l2_4, %b_l2_4 = scf.if %3 -> (!xetile.tile<512x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 128]>>>, !xetile.tile<128x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [16, 2], sg_data = [8, 128]>>>) {
        gpu.barrier
        xetile.prefetch_tile %a_l2_3 {locality = 2 : i32} : !xetile.tile<512x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 128]>>>
        xetile.prefetch_tile %b_l2_3 {locality = 2 : i32} : !xetile.tile<128x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [16, 2], sg_data = [8, 128]>>>
        %a_l2_5 = xetile.update_tile_offset %a_l2_3, [%c0, %c128] : !xetile.tile<512x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 128]>>>
        %b_l2_5 = xetile.update_tile_offset %b_l2_3, [%c128, %c0] : !xetile.tile<128x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [16, 2], sg_data = [8, 128]>>>
        scf.yield %a_l2_5, %b_l2_5 : !xetile.tile<512x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 128]>>>, !xetile.tile<128x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [16, 2], sg_data = [8, 128]>>>
      } else {
        scf.yield %a_l2_3, %b_l2_3 : !xetile.tile<512x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 128]>>>, !xetile.tile<128x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [16, 2], sg_data = [8, 128]>>>
      }
      xetile.prefetch_tile %a_l1_5 : !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 32]>>>
      xetile.prefetch_tile %b_l1_5 : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>
      %a_l1_6 = xetile.update_tile_offset %a_l1_5, [%c0, %c32] : !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 32]>>>
      %b_l1_6 = xetile.update_tile_offset %b_l1_5, [%c32, %c0] : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>
      %a_2 = xetile.update_tile_offset %a_1, [%c0, %c32] : !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [64, 32]>>>
      %b_2 = xetile.update_tile_offset %b_1, [%c32, %c0] : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 64]>>>
      %acc_1 = xetile.tile_mma %a_value, %b_value, %acc_0 {wg_map = #xetile.wg_map<sg_layout = [8, 4], sg_data = [64, 64]>} : vector<512x32xf16>, vector<32x256xf16>, vector<512x256xf32> -> vector<512x256xf32>
      scf.yield %a_l2_4, %b_l2_4, %a_l1_6, %b_l1_6, %a_2, %b_2, %acc_1 : !xetile.tile<512x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 128]>>>, !xetile.tile<128x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [16, 2], sg_data = [8, 128]>>>, !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [16, 32]>>>, !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>, !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [64, 32]>>>, !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 64]>>>, vector<512x256xf32>
    }
    xetile.store_tile %acc, %c : vector<512x256xf32>, !xetile.tile<512x256xf32, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [64, 64]>>>
    gpu.return
  }
}
