"""Mistakes in XeGPU modules, as the ops of a kernel's body."""

from __future__ import annotations

from tests.mlir.users import desc

T = desc("8x16xf32")
V = "vector<8x16xf32>"
L = "#xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>"
ARGUMENTS = "%A: memref<64x64xf32>, %R: memref<64x64xf32>, %F: memref<256xf32>, %H: memref<64x64xf16>, %P: i64, %n: index"
D = f"%t = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> {T}\n    %x = xegpu.load_nd %t[0, 0] : {T} -> {V}\n    "
LANES = "%i = vector.step : vector<16xindex>\n    %m = arith.constant dense<true> : vector<16xi1>\n    "
MISTAKES: dict[str, str] = {
    "offsets of too many dimensions": D + f"%y = xegpu.load_nd %t[0, 0, 0] : {T} -> {V}",
    "another shape": D + f"%y = xegpu.load_nd %t[0, 0] : {T} -> vector<8x8xf32>",
    "another element": D + f"%y = xegpu.load_nd %t[0, 0] : {T} -> vector<8x16xf16>",
    "packed and transposed": f"%t = xegpu.create_nd_tdesc %H : memref<64x64xf16> -> {desc('16x16xf16')}\n    %y = xegpu.load_nd %t[0, 0] <{{packed, transpose = array<i64: 1, 0>}}> : {desc('16x16xf16')} -> vector<16x16xf16>",
    "packed of f32": D + f"%y = xegpu.load_nd %t[0, 0] <{{packed}}> : {T} -> vector<4x16x2xf32>",
    "transpose of three": D + f"%y = xegpu.load_nd %t[0, 0] <{{transpose = array<i64: 1, 0, 2>}}> : {T} -> vector<16x8xf32>",
    "transpose twice the same": D + f"%y = xegpu.load_nd %t[0, 0] <{{transpose = array<i64: 1, 1>}}> : {T} -> vector<16x16xf32>",
    "hint of a store for a load": D + f"%y = xegpu.load_nd %t[0, 0] <{{l1_hint = #xegpu.cache_hint<write_back>}}> : {T} -> {V}",
    "hint of a load for a store": D + f"xegpu.store_nd %x, %t[0, 0] <{{l1_hint = #xegpu.cache_hint<streaming>}}> : {V}, {T}",
    "store of another shape": D
    + f"xegpu.store_nd %x, %s[0, 0] : {V}, {desc('16x8xf32')}".replace(
        "xegpu.store_nd", f"%s = xegpu.create_nd_tdesc %R : memref<64x64xf32> -> {desc('16x8xf32')}\n    xegpu.store_nd"
    ),
    "store to several blocks": D
    + f"%s = xegpu.create_nd_tdesc %R : memref<64x64xf32> -> {desc('8x16xf32', '#xegpu.block_tdesc_attr<array_length = 2 : i64>')}\n    xegpu.store_nd %x, %s[0, 0] : {V}, {desc('8x16xf32', '#xegpu.block_tdesc_attr<array_length = 2 : i64>')}",
    "descriptor of more dimensions": f"%t = xegpu.create_nd_tdesc %F : memref<256xf32> -> {T}",
    "address without shape": f"%t = xegpu.create_nd_tdesc %P : i64 -> {T}",
    "shape without strides": f"%t = xegpu.create_nd_tdesc %P, shape: [64, 64], strides: [64] : i64 -> {T}",
    "shared block of two dimensions": f"%s = memref.alloca() : memref<8x16xf32, 3>\n    %t = xegpu.create_nd_tdesc %s : memref<8x16xf32, 3> -> {desc('8x16xf32', '#xegpu.block_tdesc_attr<memory_space = slm>')}",
    "another memory space": f"%t = xegpu.create_nd_tdesc %F : memref<256xf32> -> {desc('32xf32', '#xegpu.block_tdesc_attr<memory_space = slm>')}",
    "moved by one offset": D + f"%u = xegpu.update_nd_offset %t, [0] : {T}",
    "dpas of other k": D
    + f"%a = arith.constant dense<1.0> : vector<8x16xf16>\n    %b = arith.constant dense<1.0> : vector<8x16xf16>\n    %c = xegpu.dpas %a, %b : vector<8x16xf16>, vector<8x16xf16> -> {V}",
    "dpas of other types": D
    + f"%a = arith.constant dense<1.0> : vector<8x16xf16>\n    %b = arith.constant dense<1.0> : vector<16x16xbf16>\n    %c = xegpu.dpas %a, %b : vector<8x16xf16>, vector<16x16xbf16> -> {V}",
    "dpas of other sums": D
    + f"%a = arith.constant dense<1.0> : vector<8x16xf16>\n    %b = arith.constant dense<1.0> : vector<16x16xf16>\n    %z = arith.constant dense<1.0> : vector<16x16xf32>\n    %c = xegpu.dpas %a, %b, %z : vector<8x16xf16>, vector<16x16xf16>, vector<16x16xf32> -> {V}",
    "chunks without room": LANES
    + f"%t = xegpu.create_tdesc %F, %i : memref<256xf32>, vector<16xindex> -> {desc('16xf32', '#xegpu.scatter_tdesc_attr<chunk_size = 2 : i64>')}",
    "chunks of another size": LANES
    + f"%t = xegpu.create_tdesc %F, %i : memref<256xf32>, vector<16xindex> -> {desc('16x4xf32', '#xegpu.scatter_tdesc_attr<chunk_size = 2 : i64>')}",
    "chunks of 5": LANES
    + f"%t = xegpu.create_tdesc %F, %i : memref<256xf32>, vector<16xindex> -> {desc('16x5xf32', '#xegpu.scatter_tdesc_attr<chunk_size = 5 : i64>')}",
    "lanes of another number": LANES
    + f"%t = xegpu.create_tdesc %F, %i : memref<256xf32>, vector<16xindex> -> {desc('32xf32', '#xegpu.scatter_tdesc_attr<>')}",
    "scattered descriptor of two dimensions of memory": LANES
    + f"%t = xegpu.create_tdesc %A, %i : memref<64x64xf32>, vector<16xindex> -> {desc('16xf32', '#xegpu.scatter_tdesc_attr<>')}",
    "block where scattered is due": D + LANES + f"%y = xegpu.load %t, %m : {T}, vector<16xi1> -> vector<16xf32>",
    "scattered where a block is due": LANES
    + f"%t = xegpu.create_tdesc %F, %i : memref<256xf32>, vector<16xindex> -> {desc('16xf32', '#xegpu.scatter_tdesc_attr<>')}\n    %y = xegpu.load_nd %t : {desc('16xf32', '#xegpu.scatter_tdesc_attr<>')} -> vector<16xf32>",
    "mask of another size": LANES
    + "%k = arith.constant dense<true> : vector<8xi1>\n    %y = xegpu.load %F[%i], %k : memref<256xf32>, vector<16xindex>, vector<8xi1> -> vector<16xf32>",
    "no offsets": LANES + "%y = xegpu.load %F, %m : memref<256xf32>, vector<16xi1> -> vector<16xf32>",
    "memory of two dimensions": LANES
    + "%y = xegpu.load %A[%i], %m : memref<64x64xf32>, vector<16xindex>, vector<16xi1> -> vector<16xf32>",
    "chunks that the value has not": LANES
    + "%y = xegpu.load %F[%i], %m <{chunk_size = 4 : i64}> : memref<256xf32>, vector<16xindex>, vector<16xi1> -> vector<16x2xf32>",
    "prefetch without alignment": LANES + "xegpu.prefetch %P[%i] : i64, vector<16xindex>",
    "prefetch with alignment": LANES
    + "xegpu.prefetch %F[%i] <{offset_align_byte = 4 : i64}> : memref<256xf32>, vector<16xindex>",
    "atomic of another value": LANES
    + f"%t = xegpu.create_tdesc %F, %i : memref<256xf32>, vector<16xindex> -> {desc('16xf32', '#xegpu.scatter_tdesc_attr<>')}\n    %v = arith.constant dense<1.0> : vector<8xf32>\n    %o = xegpu.atomic_rmw addf %t, %m, %v : {desc('16xf32', '#xegpu.scatter_tdesc_attr<>')}, vector<16xi1>, vector<8xf32> -> vector<8xf32>",
    "moved by other lanes": LANES
    + f"%t = xegpu.create_tdesc %F, %i : memref<256xf32>, vector<16xindex> -> {desc('16xf32', '#xegpu.scatter_tdesc_attr<>')}\n    %j = vector.step : vector<8xindex>\n    %u = xegpu.update_offset %t, %j : {desc('16xf32', '#xegpu.scatter_tdesc_attr<>')}, vector<8xindex>",
    "matrix of another size": "%s = memref.alloca() : memref<100xi8, 3>\n    %q = xegpu.create_mem_desc %s : memref<100xi8, 3> -> !xegpu.mem_desc<8x16xf32>",
    "matrix of global memory": "%q = xegpu.create_mem_desc %F : memref<256xf32> -> !xegpu.mem_desc<16x16xf32>",
    "matrix stored by one offset": D
    + "%s = memref.alloca() : memref<512xi8, 3>\n    %q = xegpu.create_mem_desc %s : memref<512xi8, 3> -> !xegpu.mem_desc<8x16xf32>\n    xegpu.store_matrix %x, %q[0] : vector<8x16xf32>, !xegpu.mem_desc<8x16xf32>",
    "matrix of other elements": "%s = memref.alloca() : memref<512xi8, 3>\n    %q = xegpu.create_mem_desc %s : memref<512xi8, 3> -> !xegpu.mem_desc<8x16xf32>\n    %y = xegpu.load_matrix %q[0, 0] : !xegpu.mem_desc<8x16xf32> -> vector<8x16xf16>",
    "a part larger than its matrix": "%s = memref.alloca() : memref<512xi8, 3>\n    %q = xegpu.create_mem_desc %s : memref<512xi8, 3> -> !xegpu.mem_desc<8x16xf32>\n    %y = xegpu.mem_desc_subview %q[0, 0] : !xegpu.mem_desc<8x16xf32> -> !xegpu.mem_desc<16x16xf32, #xegpu.mem_layout<stride = [16, 1]>>",
    "a load larger than its matrix": "%s = memref.alloca() : memref<512xi8, 3>\n    %q = xegpu.create_mem_desc %s : memref<512xi8, 3> -> !xegpu.mem_desc<8x16xf32>\n    %y = xegpu.load_matrix %q[0, 0] : !xegpu.mem_desc<8x16xf32> -> vector<16x16xf32>",
    "barrier of i32": "%k = arith.constant 1 : i32\n    %b = xegpu.init_nbarrier %k, %k : i32, i32 -> !xegpu.nbarrier",
    "layouts of two levels": D
    + f"%y = xegpu.convert_layout %x <{{input_layout = {L}, target_layout = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>}}> : {V}",
    "layout of another rank": f"%t = xegpu.create_nd_tdesc %F : memref<256xf32> -> !xegpu.tensor_desc<32xf32, {L}>",
    "layout without a level": "%t = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<16x32xf32, #xegpu.layout<order = [1, 0]>>",
    "order that is none": "%t = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<16x32xf32, #xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16], order = [0, 2]>>",
    "sg_data of another rank": "%t = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<16x32xf32, #xegpu.layout<sg_layout = [2, 2], sg_data = [8]>>",
    "slice of all": D
    + f"%c = arith.constant {{layout_result_0 = #xegpu.slice<{L}, dims = [0, 1, 2]>}} dense<0.0> : vector<16xf32>",
    "slice twice": D + f"%c = arith.constant {{layout_result_0 = #xegpu.slice<{L}, dims = [0, 0]>}} dense<0.0> : vector<16xf32>",
    "an empty range": "%c = arith.cmpi eq, %n, %c0 : index\n    scf.if %c {\n    } {sg_id_range = #xegpu.range<[4, 4]>}",
    "fence of no space": "xegpu.fence memory_kind = local, fence_scope = workgroup",
    "barriers below none": "xegpu.alloc_nbarrier 0",
    "reduction of another shape": D
    + "%z = arith.constant dense<0.0> : vector<8xf32>\n    %s = vector.multi_reduction <add>, %x, %z [0] : vector<8x16xf32> to vector<8xf32>",
    "broadcast of a line that does not fit": D
    + "%z = arith.constant dense<0.0> : vector<8xf32>\n    %s = vector.broadcast %z : vector<8xf32> to vector<8x16xf32>",
    "cast to more elements": D + "%s = vector.shape_cast %x : vector<8x16xf32> to vector<8x17xf32>",
    "a slice beyond the vector": D
    + "%s = vector.extract_strided_slice %x {offsets = [4, 0], sizes = [8, 16], strides = [1, 1]} : vector<8x16xf32> to vector<8x16xf32>",
    "a slice put beyond the vector": D
    + "%z = arith.constant dense<0.0> : vector<4x16xf32>\n    %s = vector.insert_strided_slice %z, %x {offsets = [6, 0], strides = [1, 1]} : vector<4x16xf32> into vector<8x16xf32>",
    "an element beyond the vector": D + "%s = vector.extract %x[8, 0] : f32 from vector<8x16xf32>",
    "a permutation that is none": D + "%s = vector.transpose %x, [0, 0] : vector<8x16xf32> to vector<8x8xf32>",
    "bits that do not fit": D + "%s = vector.bitcast %x : vector<8x16xf32> to vector<8x16xf16>",
}
