gpu.module @softmax {
  gpu.func @softmax(%X: memref<?x?xf32, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f32", "dim X 0", "dim X 1", "stride X 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 8 : i64} {
    %c32 = arith.constant 32 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0xFF800000> : vector<32x1xf32>
    %cst_0 = arith.constant dense<0.0> : vector<32x1xf32>
    %c256 = arith.constant 256 : index
    %0 = gpu.block_id x
    %m = arith.muli %0, %c32 : index
    %x = xetile.init_tile %X[%m, %c0], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x256xf32>
    %x_0, %largest, %total = scf.for %_ = %c0 to %X_d1 step %c256 iter_args(%x_1 = %x, %largest_0 = %cst, %total_0 = %cst_0) -> (!xetile.tile<32x256xf32>, vector<32x1xf32>, vector<32x1xf32>) {
      %value = xetile.load_tile %x_1 {padding = 0xFF800000 : f32} : !xetile.tile<32x256xf32> -> vector<32x256xf32>
      %1 = xetile.tile_reduce <maximumf> %value [1] : vector<32x256xf32> -> vector<32x1xf32>
      %new = arith.maximumf %largest_0, %1 : vector<32x1xf32>
      %2 = arith.subf %largest_0, %new : vector<32x1xf32>
      %3 = math.exp %2 : vector<32x1xf32>
      %4 = arith.mulf %total_0, %3 : vector<32x1xf32>
      %5 = xetile.tile_broadcast %new [1] : vector<32x1xf32> -> vector<32x256xf32>
      %6 = arith.subf %value, %5 : vector<32x256xf32>
      %7 = math.exp %6 : vector<32x256xf32>
      %8 = xetile.tile_reduce <add> %7 [1] : vector<32x256xf32> -> vector<32x1xf32>
      %total_1 = arith.addf %4, %8 : vector<32x1xf32>
      %x_2 = xetile.update_tile_offset %x_1, [%c0, %c256] : !xetile.tile<32x256xf32>
      scf.yield %x_2, %new, %total_1 : !xetile.tile<32x256xf32>, vector<32x1xf32>, vector<32x1xf32>
    }
    scf.for %n = %c0 to %X_d1 step %c256 {
      %9 = xetile.init_tile %X[%m, %n], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x256xf32>
      %value_0 = xetile.load_tile %9 : !xetile.tile<32x256xf32> -> vector<32x256xf32>
      %10 = xetile.tile_broadcast %largest [1] : vector<32x1xf32> -> vector<32x256xf32>
      %11 = arith.subf %value_0, %10 : vector<32x256xf32>
      %12 = math.exp %11 : vector<32x256xf32>
      %13 = xetile.tile_broadcast %total [1] : vector<32x1xf32> -> vector<32x256xf32>
      %14 = arith.divf %12, %13 : vector<32x256xf32>
      %15 = xetile.init_tile %Y[%m, %n], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x256xf32>
      xetile.store_tile %14, %15 : vector<32x256xf32>, !xetile.tile<32x256xf32>
    }
    gpu.return
  }
}
