gpu.module @gemm_prefetch {
  gpu.func @gemm_prefetch(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 32 : i64} {
    %c256 = arith.constant 256 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c96 = arith.constant 96 : index
    %cst = arith.constant dense<0.0> : vector<256x256xf32>
    %c32 = arith.constant 32 : index
    %0 = gpu.block_id y
    %i = arith.muli %0, %c256 : index
    %1 = gpu.block_id x
    %j = arith.muli %1, %c256 : index
    %a = xetile.init_tile %A[%i, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>>
    %b = xetile.init_tile %B[%c0, %j], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 64]>>>
    %a_next = xetile.init_tile %A[%i, %c96], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 32]>>>
    %b_next = xetile.init_tile %B[%c96, %j], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>
    %c = xetile.init_tile %C[%i, %j], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 64]>>>
    %a_0, %b_0, %a_next_0, %b_next_0, %acc = scf.for %_ = %c0 to %A_d1 step %c32 iter_args(%a_1 = %a, %b_1 = %b, %a_next_1 = %a_next, %b_next_1 = %b_next, %acc_0 = %cst) -> (!xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>>, !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 64]>>>, !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 32]>>>, !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>, vector<256x256xf32>) {
      %a_value = xetile.load_tile %a_1 : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>> -> vector<256x32xf16>
      %b_value = xetile.load_tile %b_1 : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 64]>>> -> vector<32x256xf16>
      xetile.prefetch_tile %a_next_1 : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 32]>>>
      xetile.prefetch_tile %b_next_1 : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>
      %acc_1 = xetile.tile_mma %a_value, %b_value, %acc_0 {wg_map = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> -> vector<256x256xf32>
      %a_2 = xetile.update_tile_offset %a_1, [%c0, %c32] : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>>
      %b_2 = xetile.update_tile_offset %b_1, [%c32, %c0] : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 64]>>>
      %a_next_2 = xetile.update_tile_offset %a_next_1, [%c0, %c32] : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 32]>>>
      %b_next_2 = xetile.update_tile_offset %b_next_1, [%c32, %c0] : !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>
      scf.yield %a_2, %b_2, %a_next_2, %b_next_2, %acc_1 : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>>, !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 64]>>>, !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 32]>>>, !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 32]>>>, vector<256x256xf32>
    }
    xetile.store_tile %acc, %c : vector<256x256xf32>, !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 64]>>>
    gpu.return
  }
}
