gpu.module @transpose_in_place {
  gpu.func @transpose_in_place(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %BT: memref<?x?xf16, strided<[?, 1]>>, %BT_d0: index, %BT_d1: index, %BT_s0: index, %row: memref<?xf32, strided<[1]>>, %row_d0: index, %result: memref<?xf32, strided<[1]>>, %result_d0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array BT f16", "dim BT 0", "dim BT 1", "stride BT 0", "array row f32", "dim row 0", "array result f32", "dim result 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 32 : i64} {
    %c256 = arith.constant 256 : index
    %cst = arith.constant dense<0.0> : vector<256x1xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c192 = arith.constant 192 : index
    %cst_0 = arith.constant dense<0.0> : vector<256x256xf32>
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %0 = gpu.block_id x
    %i = arith.muli %0, %c256 : index
    %total = scf.for %j = %c0 to %BT_d0 step %c256 iter_args(%total_0 = %cst) -> (vector<256x1xf32>) {
      %a = xetile.init_tile %A[%i, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>>
      %bt = xetile.init_tile %BT[%j, %c0], [%BT_d0, %BT_d1], [%BT_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [64, 32]>>>
      %a_next = xetile.init_tile %A[%i, %c192], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 32]>>>
      %bt_next = xetile.init_tile %BT[%j, %c192], [%BT_d0, %BT_d1], [%BT_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 32]>>>
      %a_0, %bt_0, %a_next_0, %bt_next_0, %acc = scf.for %_ = %c0 to %A_d1 step %c32 iter_args(%a_1 = %a, %bt_1 = %bt, %a_next_1 = %a_next, %bt_next_1 = %bt_next, %acc_0 = %cst_0) -> (!xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>>, !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [64, 32]>>>, !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 32]>>>, !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 32]>>>, vector<256x256xf32>) {
        %a_value = xetile.load_tile %a_1 : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>> -> vector<256x32xf16>
        %bt_value = xetile.load_tile %bt_1 : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [64, 32]>>> -> vector<256x32xf16>
        %b_value = xetile.tile_transpose %bt_value, [1, 0] {wg_map = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x32xf16> -> vector<32x256xf16>
        xetile.prefetch_tile %a_next_1 : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 32]>>>
        xetile.prefetch_tile %bt_next_1 : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 32]>>>
        %acc_1 = xetile.tile_mma %a_value, %b_value, %acc_0 {wg_map = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> -> vector<256x256xf32>
        %a_2 = xetile.update_tile_offset %a_1, [%c0, %c32] : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>>
        %bt_2 = xetile.update_tile_offset %bt_1, [%c0, %c32] : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [64, 32]>>>
        %a_next_2 = xetile.update_tile_offset %a_next_1, [%c0, %c32] : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 32]>>>
        %bt_next_2 = xetile.update_tile_offset %bt_next_1, [%c0, %c32] : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 32]>>>
        scf.yield %a_2, %bt_2, %a_next_2, %bt_next_2, %acc_1 : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>>, !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [64, 32]>>>, !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 32]>>>, !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 32]>>>, vector<256x256xf32>
      }
      %1 = xetile.init_tile %row[%j], [%row_d0], [%c1] : memref<?xf32, strided<[1]>> -> !xetile.tile<1x256xf32, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [1, 64]>>>
      %bcast = xetile.load_tile %1 : !xetile.tile<1x256xf32, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [1, 64]>>> -> vector<1x256xf32>
      %2 = xetile.tile_broadcast %bcast [0] {wg_map = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<1x256xf32> -> vector<256x256xf32>
      %value = arith.addf %acc, %2 : vector<256x256xf32>
      %3 = xetile.tile_iota 1 : vector<1x256xindex>
      %4 = vector.broadcast %j : index to vector<1x256xindex>
      %5 = arith.addi %4, %3 : vector<1x256xindex>
      %6 = vector.broadcast %BT_d0 : index to vector<1x256xindex>
      %7 = arith.cmpi slt, %5, %6 : vector<1x256xindex>
      %8 = xetile.tile_broadcast %7 [0] : vector<1x256xi1> -> vector<256x256xi1>
      %9 = arith.select %8, %value, %cst_0 : vector<256x256xi1>, vector<256x256xf32>
      %value_0 = xetile.tile_conv_layout %9 {wg_map = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 256]>} : vector<256x256xf32>
      %10 = xetile.tile_reduce <add> %value_0 [1] {wg_map = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 1]>} : vector<256x256xf32> -> vector<256x1xf32>
      %total_1 = arith.addf %total_0, %10 : vector<256x1xf32>
      scf.yield %total_1 : vector<256x1xf32>
    }
    %11 = arith.ceildivsi %result_d0, %c64 : index
    %12 = arith.muli %11, %c64 : index
    %13 = xetile.init_tile %result[%i, %c0], [%result_d0, %c1], [%c1, %12] : memref<?xf32, strided<[1]>> -> !xetile.tile<256x1xf32, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 1]>, order = [0, 1]>>
    xetile.store_tile %total, %13 : vector<256x1xf32>, !xetile.tile<256x1xf32, #xetile.tile_attr<wg_map = <sg_layout = [32, 1], sg_data = [8, 1]>, order = [0, 1]>>
    gpu.return
  }
}
