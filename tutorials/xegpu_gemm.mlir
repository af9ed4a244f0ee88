// C = A @ B at workgroup level: 16 subgroups in a 4 x 4 grid share a tile of 128 x 128; each has 32 x 32 of it.
#a = #xegpu.layout<sg_layout = [4, 4], sg_data = [32, 32], inst_data = [8, 16]>
#b = #xegpu.layout<sg_layout = [4, 4], sg_data = [32, 32], inst_data = [16, 16]>
#c = #xegpu.layout<sg_layout = [4, 4], sg_data = [32, 32], inst_data = [8, 16]>
gpu.module @tutorial {
  gpu.func @gemm(%A: memref<256x128xf16>, %B: memref<128x256xf16>, %C: memref<256x256xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %by = gpu.block_id y
    %bx = gpu.block_id x
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    %ta = xegpu.create_nd_tdesc %A : memref<256x128xf16> -> !xegpu.tensor_desc<128x32xf16, #a>
    %tb = xegpu.create_nd_tdesc %B : memref<128x256xf16> -> !xegpu.tensor_desc<32x128xf16, #b>
    %tc = xegpu.create_nd_tdesc %C : memref<256x256xf32> -> !xegpu.tensor_desc<128x128xf32, #c>
    %zero = arith.constant {layout_result_0 = #c} dense<0.0> : vector<128x128xf32>
    %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> (vector<128x128xf32>) {
      %a = xegpu.load_nd %ta[%m, %k] <{layout = #a}> : !xegpu.tensor_desc<128x32xf16, #a> -> vector<128x32xf16>
      %b = xegpu.load_nd %tb[%k, %n] <{layout = #b}> : !xegpu.tensor_desc<32x128xf16, #b> -> vector<32x128xf16>
      %next = xegpu.dpas %a, %b, %acc {layout_a = #a, layout_b = #b, layout_cd = #c} : vector<128x32xf16>, vector<32x128xf16>, vector<128x128xf32> -> vector<128x128xf32>
      scf.yield %next : vector<128x128xf32>
    } {layout_result_0 = #c}
    xegpu.store_nd %sum, %tc[%m, %n] <{layout = #c}> : vector<128x128xf32>, !xegpu.tensor_desc<128x128xf32, #c>
    gpu.return
  }
}
