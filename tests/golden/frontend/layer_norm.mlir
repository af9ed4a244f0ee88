gpu.module @layer_norm {
  gpu.func @layer_norm(%X: memref<?x?xf16, strided<[?, 1]>>, %X_d0: index, %X_d1: index, %X_s0: index, %weight: memref<?xf32, strided<[1]>>, %weight_d0: index, %bias: memref<?xf32, strided<[1]>>, %bias_d0: index, %Y: memref<?x?xf32, strided<[?, 1]>>, %Y_d0: index, %Y_d1: index, %Y_s0: index) kernel attributes {xetile.args = ["array X f16", "dim X 0", "dim X 1", "stride X 0", "array weight f32", "dim weight 0", "array bias f32", "dim bias 0", "array Y f32", "dim Y 0", "dim Y 1", "stride Y 0"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 8 : i64} {
    %c32 = arith.constant 32 : index
    %cst = arith.constant dense<0.0> : vector<32x1xf32>
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %c1 = arith.constant 1 : index
    %cst_0 = arith.constant dense<0.0> : vector<32x256xf32>
    %cst_1 = arith.constant dense<1.0e-05> : vector<32x1xf32>
    %0 = gpu.block_id x
    %m = arith.muli %0, %c32 : index
    %total = scf.for %n = %c0 to %X_d1 step %c256 iter_args(%total_0 = %cst) -> (vector<32x1xf32>) {
      %1 = xetile.init_tile %X[%m, %n], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x256xf16>
      %2 = xetile.load_tile %1 : !xetile.tile<32x256xf16> -> vector<32x256xf16>
      %3 = arith.extf %2 : vector<32x256xf16> to vector<32x256xf32>
      %4 = xetile.tile_reduce <add> %3 [1] : vector<32x256xf32> -> vector<32x1xf32>
      %total_1 = arith.addf %total_0, %4 : vector<32x1xf32>
      scf.yield %total_1 : vector<32x1xf32>
    }
    %5 = arith.index_cast %X_d1 {xetile.whole = true} : index to i32
    %6 = arith.sitofp %5 : i32 to f32
    %7 = vector.broadcast %6 : f32 to vector<32x1xf32>
    %mean = arith.divf %total, %7 : vector<32x1xf32>
    %squares = scf.for %n_0 = %c0 to %X_d1 step %c256 iter_args(%squares_0 = %cst) -> (vector<32x1xf32>) {
      %8 = xetile.init_tile %X[%m, %n_0], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x256xf16>
      %9 = xetile.load_tile %8 : !xetile.tile<32x256xf16> -> vector<32x256xf16>
      %10 = arith.extf %9 : vector<32x256xf16> to vector<32x256xf32>
      %11 = xetile.tile_broadcast %mean [1] : vector<32x1xf32> -> vector<32x256xf32>
      %value = arith.subf %10, %11 : vector<32x256xf32>
      %12 = xetile.tile_iota 1 : vector<1x256xindex>
      %13 = vector.broadcast %n_0 : index to vector<1x256xindex>
      %14 = arith.addi %13, %12 : vector<1x256xindex>
      %15 = vector.broadcast %X_d1 : index to vector<1x256xindex>
      %inside = arith.cmpi slt, %14, %15 : vector<1x256xindex>
      %16 = arith.mulf %value, %value : vector<32x256xf32>
      %17 = xetile.tile_broadcast %inside [0] : vector<1x256xi1> -> vector<32x256xi1>
      %18 = arith.select %17, %16, %cst_0 : vector<32x256xi1>, vector<32x256xf32>
      %19 = xetile.tile_reduce <add> %18 [1] : vector<32x256xf32> -> vector<32x1xf32>
      %squares_1 = arith.addf %squares_0, %19 : vector<32x1xf32>
      scf.yield %squares_1 : vector<32x1xf32>
    }
    %20 = arith.index_cast %X_d1 {xetile.whole = true} : index to i32
    %21 = arith.sitofp %20 : i32 to f32
    %22 = vector.broadcast %21 : f32 to vector<32x1xf32>
    %23 = arith.divf %squares, %22 : vector<32x1xf32>
    %24 = arith.addf %23, %cst_1 : vector<32x1xf32>
    %scale = math.rsqrt %24 : vector<32x1xf32>
    scf.for %n_1 = %c0 to %X_d1 step %c256 {
      %25 = xetile.init_tile %X[%m, %n_1], [%X_d0, %X_d1], [%X_s0, %c1] : memref<?x?xf16, strided<[?, 1]>> -> !xetile.tile<32x256xf16>
      %26 = xetile.load_tile %25 : !xetile.tile<32x256xf16> -> vector<32x256xf16>
      %value_0 = arith.extf %26 : vector<32x256xf16> to vector<32x256xf32>
      %27 = xetile.init_tile %weight[%n_1], [%weight_d0], [%c1] : memref<?xf32, strided<[1]>> -> !xetile.tile<1x256xf32>
      %w = xetile.load_tile %27 : !xetile.tile<1x256xf32> -> vector<1x256xf32>
      %28 = xetile.init_tile %bias[%n_1], [%bias_d0], [%c1] : memref<?xf32, strided<[1]>> -> !xetile.tile<1x256xf32>
      %b = xetile.load_tile %28 : !xetile.tile<1x256xf32> -> vector<1x256xf32>
      %29 = xetile.tile_broadcast %mean [1] : vector<32x1xf32> -> vector<32x256xf32>
      %30 = arith.subf %value_0, %29 : vector<32x256xf32>
      %31 = xetile.tile_broadcast %scale [1] : vector<32x1xf32> -> vector<32x256xf32>
      %32 = arith.mulf %30, %31 : vector<32x256xf32>
      %33 = xetile.tile_broadcast %w [0] : vector<1x256xf32> -> vector<32x256xf32>
      %34 = arith.mulf %32, %33 : vector<32x256xf32>
      %35 = xetile.tile_broadcast %b [0] : vector<1x256xf32> -> vector<32x256xf32>
      %36 = arith.addf %34, %35 : vector<32x256xf32>
      %37 = xetile.init_tile %Y[%m, %n_1], [%Y_d0, %Y_d1], [%Y_s0, %c1] : memref<?x?xf32, strided<[?, 1]>> -> !xetile.tile<32x256xf32>
      xetile.store_tile %36, %37 : vector<32x256xf32>, !xetile.tile<32x256xf32>
    }
    gpu.return
  }
}
