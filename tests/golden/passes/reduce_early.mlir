// before reduce_early
gpu.module @summed_behind {
  gpu.func @summed_behind(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %a = xetile.load_tile %0 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %1 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %b = xetile.load_tile %1 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %2 = xetile.tile_mma %a, %b : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %p = math.exp %2 : vector<8x16xf32>
    %3 = arith.truncf %p : vector<8x16xf32> to vector<8x16xf16>
    %out = xetile.tile_mma %3, %b : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %4 = xetile.tile_reduce <add> %p [1] : vector<8x16xf32> -> vector<8x1xf32>
    %5 = xetile.tile_broadcast %4 [1] : vector<8x1xf32> -> vector<8x16xf32>
    %6 = arith.divf %out, %5 : vector<8x16xf32>
    %7 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %6, %7 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}

// after reduce_early
gpu.module @summed_behind {
  gpu.func @summed_behind(%A: memref<?x?xf16, strided<[?, 1]>>, %A_d0: index, %A_d1: index, %A_s0: index, %B: memref<?x?xf16, strided<[?, 1]>>, %B_d0: index, %B_d1: index, %B_s0: index, %C: memref<?x?xf32, strided<[?, 1]>>, %C_d0: index, %C_d1: index, %C_s0: index) kernel attributes {xetile.args = ["array A f16", "dim A 0", "dim A 1", "stride A 0", "array B f16", "dim B 0", "dim B 1", "stride B 0", "array C f32", "dim C 0", "dim C 1", "stride C 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = xetile.init_tile %A[%c0, %c0], [%A_d0, %A_d1], [%A_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<8x16xf16>
    %a = xetile.load_tile %0 : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %1 = xetile.init_tile %B[%c0, %c0], [%B_d0, %B_d1], [%B_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<16x16xf16>
    %b = xetile.load_tile %1 : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    %2 = xetile.tile_mma %a, %b : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %p = math.exp %2 : vector<8x16xf32>
    %3 = xetile.tile_reduce <add> %p [1] : vector<8x16xf32> -> vector<8x1xf32>
    %4 = arith.truncf %p : vector<8x16xf32> to vector<8x16xf16>
    %out = xetile.tile_mma %4, %b : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %5 = xetile.tile_broadcast %3 [1] : vector<8x1xf32> -> vector<8x16xf32>
    %6 = arith.divf %out, %5 : vector<8x16xf32>
    %7 = xetile.init_tile %C[%c0, %c0], [%C_d0, %C_d1], [%C_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<8x16xf32>
    xetile.store_tile %6, %7 : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
