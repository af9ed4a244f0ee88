gpu.module @attention {
  gpu.func @attention(%Q: memref<?x?x?xf16, strided<[?, ?, 1]>>, %Q_d0: index, %Q_d1: index, %Q_d2: index, %Q_s0: index, %Q_s1: index, %K: memref<?x?x?xf16, strided<[?, ?, 1]>>, %K_d0: index, %K_d1: index, %K_d2: index, %K_s0: index, %K_s1: index, %V: memref<?x?x?xf16, strided<[?, ?, 1]>>, %V_d0: index, %V_d1: index, %V_d2: index, %V_s0: index, %V_s1: index, %Out: memref<?x?x?xf32, strided<[?, ?, 1]>>, %Out_d0: index, %Out_d1: index, %Out_d2: index, %Out_s0: index, %Out_s1: index) kernel attributes {xetile.args = ["array Q f16", "dim Q 0", "dim Q 1", "dim Q 2", "stride Q 0", "stride Q 1", "array K f16", "dim K 0", "dim K 1", "dim K 2", "stride K 0", "stride K 1", "array V f16", "dim V 0", "dim V 1", "dim V 2", "stride V 0", "stride V 1", "array Out f32", "dim Out 0", "dim Out 1", "dim Out 2", "stride Out 0", "stride Out 1"], xetile.index_bits = 32 : i64, xetile.level = "xetile", xetile.num_subgroups = 8 : i64} {
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.18033688011112042> : vector<128x64xf32>
    %cst_0 = arith.constant dense<0.0> : vector<128x64xf32>
    %cst_1 = arith.constant dense<0.0> : vector<128x1xf32>
    %cst_2 = arith.constant dense<0xFF800000> : vector<128x1xf32>
    %c5 = arith.constant 5 : index
    %c32 = arith.constant 32 : index
    %cst_3 = arith.constant dense<0xFF800000> : vector<128x32xf32>
    %0 = gpu.block_id x
    %m = arith.muli %0, %c128 : index
    %z = gpu.block_id y
    %1 = xetile.init_tile %Q[%z, %m, %c0], [%Q_d0, %Q_d1, %Q_d2], [%Q_s0, %Q_s1, %c1] : memref<?x?x?xf16, strided<[?, ?, 1]>> -> !xetile.tile<128x64xf16>
    %q = xetile.load_tile %1 : !xetile.tile<128x64xf16> -> vector<128x64xf16>
    %2 = arith.extf %q : vector<128x64xf16> to vector<128x64xf32>
    %3 = arith.mulf %2, %cst : vector<128x64xf32>
    %q_0 = arith.truncf %3 : vector<128x64xf32> to vector<128x64xf16>
    %4 = xetile.tile_iota 1 : vector<1x128xindex>
    %5 = vector.broadcast %m : index to vector<1x128xindex>
    %6 = arith.addi %5, %4 : vector<1x128xindex>
    %7 = vector.broadcast %m : index to vector<128x1xindex>
    %8 = xetile.tile_iota 0 : vector<128x1xindex>
    %rows = arith.addi %7, %8 : vector<128x1xindex>
    %9 = arith.minsi %m, %K_d1 : index
    %10 = arith.shrsi %9, %c5 : index
    %whole = arith.muli %10, %c32 : index
    %acc, %total, %largest = scf.for %n = %c0 to %whole step %c32 iter_args(%acc_0 = %cst_0, %total_0 = %cst_1, %largest_0 = %cst_2) -> (vector<128x64xf32>, vector<128x1xf32>, vector<128x1xf32>) {
      %11 = xetile.init_tile %K[%z, %c0, %n], [%K_d0, %K_d2, %K_d1], [%K_s0, %c1, %K_s1] : memref<?x?x?xf16, strided<[?, ?, 1]>> -> !xetile.tile<64x32xf16, #xetile.tile_attr<order = [0, 1]>>
      %k = xetile.load_tile %11 : !xetile.tile<64x32xf16, #xetile.tile_attr<order = [0, 1]>> -> vector<64x32xf16>
      %12 = xetile.init_tile %V[%z, %n, %c0], [%V_d0, %V_d1, %V_d2], [%V_s0, %V_s1, %c1] : memref<?x?x?xf16, strided<[?, ?, 1]>> -> !xetile.tile<32x64xf16>
      %v = xetile.load_tile %12 : !xetile.tile<32x64xf16> -> vector<32x64xf16>
      %scores = xetile.tile_mma %q_0, %k : vector<128x64xf16>, vector<64x32xf16> -> vector<128x32xf32>
      %13 = xetile.tile_reduce <maximumf> %scores [1] : vector<128x32xf32> -> vector<128x1xf32>
      %new = arith.maximumf %largest_0, %13 : vector<128x1xf32>
      %14 = xetile.tile_broadcast %new [1] : vector<128x1xf32> -> vector<128x32xf32>
      %15 = arith.subf %scores, %14 : vector<128x32xf32>
      %weights = math.exp2 %15 : vector<128x32xf32>
      %16 = arith.subf %largest_0, %new : vector<128x1xf32>
      %faded = math.exp2 %16 : vector<128x1xf32>
      %17 = arith.mulf %total_0, %faded : vector<128x1xf32>
      %18 = xetile.tile_reduce <add> %weights [1] : vector<128x32xf32> -> vector<128x1xf32>
      %total_1 = arith.addf %17, %18 : vector<128x1xf32>
      %19 = arith.truncf %weights : vector<128x32xf32> to vector<128x32xf16>
      %20 = xetile.tile_broadcast %faded [1] : vector<128x1xf32> -> vector<128x64xf32>
      %21 = arith.mulf %acc_0, %20 : vector<128x64xf32>
      %acc_1 = xetile.tile_mma %19, %v, %21 : vector<128x32xf16>, vector<32x64xf16>, vector<128x64xf32> -> vector<128x64xf32>
      scf.yield %acc_1, %total_1, %new : vector<128x64xf32>, vector<128x1xf32>, vector<128x1xf32>
    }
    %22 = arith.addi %m, %c128 : index
    %23 = arith.minsi %22, %K_d1 : index
    %acc_2, %total_2, %largest_1 = scf.for %n_0 = %whole to %23 step %c32 iter_args(%acc_3 = %acc, %total_3 = %total, %largest_2 = %largest) -> (vector<128x64xf32>, vector<128x1xf32>, vector<128x1xf32>) {
      %24 = xetile.init_tile %K[%z, %c0, %n_0], [%K_d0, %K_d2, %K_d1], [%K_s0, %c1, %K_s1] : memref<?x?x?xf16, strided<[?, ?, 1]>> -> !xetile.tile<64x32xf16, #xetile.tile_attr<order = [0, 1]>>
      %k_0 = xetile.load_tile %24 : !xetile.tile<64x32xf16, #xetile.tile_attr<order = [0, 1]>> -> vector<64x32xf16>
      %25 = xetile.init_tile %V[%z, %n_0, %c0], [%V_d0, %V_d1, %V_d2], [%V_s0, %V_s1, %c1] : memref<?x?x?xf16, strided<[?, ?, 1]>> -> !xetile.tile<32x64xf16>
      %v_0 = xetile.load_tile %25 : !xetile.tile<32x64xf16> -> vector<32x64xf16>
      %26 = xetile.tile_iota 1 : vector<1x32xindex>
      %27 = vector.broadcast %n_0 : index to vector<1x32xindex>
      %columns = arith.addi %27, %26 : vector<1x32xindex>
      %28 = vector.broadcast %K_d1 : index to vector<1x32xindex>
      %29 = arith.cmpi slt, %columns, %28 : vector<1x32xindex>
      %30 = xetile.tile_broadcast %columns [0] : vector<1x32xindex> -> vector<128x32xindex>
      %31 = xetile.tile_broadcast %rows [1] : vector<128x1xindex> -> vector<128x32xindex>
      %32 = arith.cmpi sle, %30, %31 : vector<128x32xindex>
      %33 = xetile.tile_broadcast %29 [0] : vector<1x32xi1> -> vector<128x32xi1>
      %mask = arith.andi %33, %32 : vector<128x32xi1>
      %scores_0 = xetile.tile_mma %q_0, %k_0 : vector<128x64xf16>, vector<64x32xf16> -> vector<128x32xf32>
      %scores_1 = arith.select %mask, %scores_0, %cst_3 : vector<128x32xi1>, vector<128x32xf32>
      %34 = xetile.tile_reduce <maximumf> %scores_1 [1] : vector<128x32xf32> -> vector<128x1xf32>
      %new_0 = arith.maximumf %largest_2, %34 : vector<128x1xf32>
      %35 = xetile.tile_broadcast %new_0 [1] : vector<128x1xf32> -> vector<128x32xf32>
      %36 = arith.subf %scores_1, %35 : vector<128x32xf32>
      %weights_0 = math.exp2 %36 : vector<128x32xf32>
      %37 = arith.subf %largest_2, %new_0 : vector<128x1xf32>
      %faded_0 = math.exp2 %37 : vector<128x1xf32>
      %38 = arith.mulf %total_3, %faded_0 : vector<128x1xf32>
      %39 = xetile.tile_reduce <add> %weights_0 [1] : vector<128x32xf32> -> vector<128x1xf32>
      %total_4 = arith.addf %38, %39 : vector<128x1xf32>
      %40 = arith.truncf %weights_0 : vector<128x32xf32> to vector<128x32xf16>
      %41 = xetile.tile_broadcast %faded_0 [1] : vector<128x1xf32> -> vector<128x64xf32>
      %42 = arith.mulf %acc_3, %41 : vector<128x64xf32>
      %acc_4 = xetile.tile_mma %40, %v_0, %42 : vector<128x32xf16>, vector<32x64xf16>, vector<128x64xf32> -> vector<128x64xf32>
      scf.yield %acc_4, %total_4, %new_0 : vector<128x64xf32>, vector<128x1xf32>, vector<128x1xf32>
    }
    %43 = xetile.tile_broadcast %total_2 [1] : vector<128x1xf32> -> vector<128x64xf32>
    %44 = arith.divf %acc_2, %43 : vector<128x64xf32>
    %45 = xetile.init_tile %Out[%z, %m, %c0], [%Out_d0, %Out_d1, %Out_d2], [%Out_s0, %Out_s1, %c1] : memref<?x?x?xf32, strided<[?, ?, 1]>> -> !xetile.tile<128x64xf32>
    xetile.store_tile %44, %45 : vector<128x64xf32>, !xetile.tile<128x64xf32>
    gpu.return
  }
}
