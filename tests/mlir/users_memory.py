"""Modules of how memory is reached: hints, chunks, parts of arrays, shared memory, atomics, at each level."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import User, atomic, desc, kernel, load, store

MEMORY: dict[str, User] = {}
_T = desc("8x16xf32")
_CACHED = "<{l1_hint = #xegpu.cache_hint<cached>, l2_hint = #xegpu.cache_hint<uncached>, l3_hint = #xegpu.cache_hint<cached>}>"
_STREAMED = "<{l1_hint = #xegpu.cache_hint<streaming>, l2_hint = #xegpu.cache_hint<uncached>}>"
_BACK = (
    "<{l1_hint = #xegpu.cache_hint<write_back>, l2_hint = #xegpu.cache_hint<uncached>, l3_hint = #xegpu.cache_hint<write_back>}>"
)
_THROUGH = "<{l1_hint = #xegpu.cache_hint<write_through>}>"

MEMORY["hints on blocks of a subgroup"] = User(kernel("%A: memref<32x64xf16>, %R: memref<32x64xf16>", f"""
    %p = xegpu.create_nd_tdesc %A : memref<32x64xf16> -> {desc("32x32xf16")}
    xegpu.prefetch_nd %p[0, 32] {_CACHED} : {desc("32x32xf16")}
{load("x", "A", "32x64xf16", "32x32xf16", "0, 32", props=_STREAMED)}
{store("x", "R", "32x64xf16", "32x32xf16", "0, 0", props=_BACK)}"""),
    lambda g: {"R": np.hstack([g["A"][:, 32:], g["R"][:, 32:]])})  # fmt: skip
MEMORY["hints on blocks of lanes"] = User(kernel("%A: memref<8x32xf32>, %R: memref<8x32xf32>", f"""
    %p = xegpu.create_nd_tdesc %A : memref<8x32xf32> -> {_T}
    xegpu.prefetch_nd %p[%c0, %c16] {_CACHED} : {_T}
    %x = xegpu.load_nd %p[%c0, %c16] {_STREAMED} : {_T} -> vector<8xf32>
    %r = xegpu.create_nd_tdesc %R : memref<8x32xf32> -> {_T}
    xegpu.store_nd %x, %r[%c0, %c0] {_THROUGH} : vector<8xf32>, {_T}"""),
    lambda g: {"R": np.hstack([g["A"][:, 16:], g["R"][:, 16:]])})  # fmt: skip
MEMORY["hints on scattered access"] = User(kernel("%A: memref<64xi32>, %R: memref<64xi32>", f"""
    %i = vector.step : vector<16xindex>
    %two = arith.constant dense<2> : vector<16xindex>
    %o = arith.muli %i, %two : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    xegpu.prefetch %A[%o] {_CACHED} : memref<64xi32>, vector<16xindex>
    %x = xegpu.load %A[%o], %m {_STREAMED} : memref<64xi32>, vector<16xindex>, vector<16xi1> -> vector<16xi32>
    xegpu.store %x, %R[%o], %m {_BACK} : vector<16xi32>, memref<64xi32>, vector<16xindex>, vector<16xi1>"""),
    lambda g: {"R": np.where((np.arange(64) % 2 == 0) & (np.arange(64) < 32), g["A"], g["R"])})  # fmt: skip

for _chunk, _element in ((2, "f32"), (4, "f32"), (8, "f16"), (4, "i8"), (2, "i64")):
    MEMORY[f"chunks of {_chunk} {_element}"] = User(kernel(f"%A: memref<256x{_element}>, %R: memref<256x{_element}>", f"""
    %i = vector.step : vector<16xindex>
    %k = arith.constant dense<{_chunk}> : vector<16xindex>
    %last = arith.constant dense<15> : vector<16xindex>
    %b = arith.subi %last, %i : vector<16xindex>
    %from = arith.muli %b, %k : vector<16xindex>
    %to = arith.muli %i, %k : vector<16xindex>
    %odd = arith.constant dense<{[n % 3 != 1 for n in range(16)]}> : vector<16xi1>
    %x = xegpu.load %A[%from], %odd <{{chunk_size = {_chunk}}}> : memref<256x{_element}>, vector<16xindex>, vector<16xi1> -> vector<16x{_chunk}x{_element}>
    xegpu.store %x, %R[%to], %odd <{{chunk_size = {_chunk}}}> : vector<16x{_chunk}x{_element}>, memref<256x{_element}>, vector<16xindex>, vector<16xi1>""".replace("True", "true").replace("False", "false")),
    lambda g, c=_chunk: {"R": np.concatenate([np.where((np.arange(16) % 3 != 1)[:, None], g["A"][: 16 * c].reshape(16, c)[::-1], g["R"][: 16 * c].reshape(16, c)).ravel(), g["R"][16 * c :]])})  # fmt: skip

MEMORY["a block of an array of rank 3"] = User(kernel("%A: memref<3x16x32xf32>, %R: memref<8x16xf32>, %i: index", f"""
    %t = xegpu.create_nd_tdesc %A[%i, %c8, %c16] : memref<3x16x32xf32> -> {_T}
    %x = xegpu.load_nd %t : {_T} -> vector<8x16xf32>
{store("x", "R", "8x16xf32", "8x16xf32")}"""), lambda g: {"R": g["A"][2, 8:, 16:]}, scalars={"i": 2})  # fmt: skip
MEMORY["a part of a part of an array"] = User(kernel("%A: memref<64x64xf32>, %R: memref<64x64xf32>, %i: index", f"""
    %p = memref.subview %A[%i, 16] [32, 48] [1, 1] : memref<64x64xf32> to memref<32x48xf32, strided<[64, 1], offset: ?>>
    %q = memref.subview %p[8, %i] [16, 32] [1, 1] : memref<32x48xf32, strided<[64, 1], offset: ?>> to memref<16x32xf32, strided<[64, 1], offset: ?>>
    %t = xegpu.create_nd_tdesc %q : memref<16x32xf32, strided<[64, 1], offset: ?>> -> {_T}
    %x = xegpu.load_nd %t[%c8, %c16] : {_T} -> vector<8x16xf32>
    %o = memref.subview %R[0, 32] [64, 32] [1, 1] : memref<64x64xf32> to memref<64x32xf32, strided<[64, 1], offset: 32>>
    %r = xegpu.create_nd_tdesc %o : memref<64x32xf32, strided<[64, 1], offset: 32>> -> {_T}
    xegpu.store_nd %x, %r[%c32, %c0] : vector<8x16xf32>, {_T}"""),
    lambda g: {"R": _patched(g["R"], (32, 32), g["A"][32:40, 48:64])}, scalars={"i": 16})  # fmt: skip
MEMORY["every second row"] = User(kernel("%A: memref<16x32xf32>, %R: memref<8x16xf32>", f"""
    %t = xegpu.create_nd_tdesc %A, shape: [8, 32], strides: [64, 1] : memref<16x32xf32> -> {_T}
    %x = xegpu.load_nd %t[0, 16] : {_T} -> vector<8x16xf32>
{store("x", "R", "8x16xf32", "8x16xf32")}"""), lambda g: {"R": g["A"][::2, 16:]})  # fmt: skip
MEMORY["two blocks side by side by one load"] = User(kernel("%A: memref<16x64xf16>, %R: memref<32x16xf16>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<16x64xf16> -> {desc("16x16xf16", "#xegpu.block_tdesc_attr<array_length = 2 : i64>")}
    %x = xegpu.load_nd %t[0, 32] : {desc("16x16xf16", "#xegpu.block_tdesc_attr<array_length = 2 : i64>")} -> vector<2x16x16xf16>
    %y = vector.shape_cast %x : vector<2x16x16xf16> to vector<32x16xf16>
{store("y", "R", "32x16xf16", "32x16xf16")}"""),
    lambda g: {"R": np.vstack([g["A"][:, 32:48], g["A"][:, 48:]])})  # fmt: skip
MEMORY["a line at the end of an array"] = User(kernel("%A: memref<80xf32>, %R: memref<64xf32>", f"""
    %t = xegpu.create_nd_tdesc %A[%c48] : memref<80xf32> -> {desc("32xf32")}
    %u = xegpu.update_nd_offset %t, [%c1] : {desc("32xf32")}
    %x = xegpu.load_nd %t : {desc("32xf32")} -> vector<32xf32>
    %y = arith.negf %x : vector<32xf32>
    %r = xegpu.create_nd_tdesc %R[%c32] : memref<64xf32> -> {desc("32xf32")}
    xegpu.store_nd %y, %r : vector<32xf32>, {desc("32xf32")}"""),
    lambda g: {"R": np.concatenate([g["R"][:32], -g["A"][48:80]])})  # fmt: skip


def _patched(a, at, part):
    a = a.copy()
    a[at[0] : at[0] + part.shape[0], at[1] : at[1] + part.shape[1]] = part
    return a


# Shared memory.

_L = "#l = #xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>"
for _name, _mem in (
    ("plain", "16x32xf32"),
    ("by columns", "16x32xf32, #xegpu.mem_layout<stride = [1, 16]>"),
    ("in blocks", "16x32xf32, #xegpu.mem_layout<block = [8, 16]>"),
    ("in blocks by columns", "16x32xf32, #xegpu.mem_layout<stride = [1, 16], block = [8, 16]>"),
):
    MEMORY[f"a matrix in shared memory, {_name}"] = User(kernel("%A: memref<16x32xf32>, %R: memref<16x32xf32>", f"""
{load("x", "A", "16x32xf32", "16x32xf32", more="#l")}
    %s = memref.alloca() : memref<2048xi8, 3>
    %m = xegpu.create_mem_desc %s : memref<2048xi8, 3> -> !xegpu.mem_desc<{_mem}>
    xegpu.store_matrix %x, %m[0, 0] <{{layout = #l}}> : vector<16x32xf32>, !xegpu.mem_desc<{_mem}>
    gpu.barrier
    %y = xegpu.load_matrix %m[0, 0] <{{layout = #k}}> : !xegpu.mem_desc<{_mem}> -> vector<16x32xf32>
{store("y", "R", "16x32xf32", "16x32xf32", more="#k")}""", aliases=f"{_L}\n#k = #xegpu.layout<sg_layout = [4, 1], sg_data = [4, 32]>"),
    lambda g: {"R": g["A"]})  # fmt: skip

# Atomics.

for _kind, _element, _of in (
    ("andi", "i32", np.bitwise_and), ("ori", "i32", np.bitwise_or), ("maxs", "i32", np.maximum), ("mins", "i32", np.minimum),
    ("addf", "f32", np.add), ("maximumf", "f32", np.maximum),
):  # fmt: skip
    MEMORY[f"atomic {_kind}, the old elements kept"] = atomic(_kind, _element, _of)

# Workgroups.

MEMORY["layouts converted between slices"] = User(kernel("%A: memref<32x64xf32>, %R: memref<32x64xf32>", f"""
{load("x", "A", "32x64xf32", "32x64xf32", more="#l")}
    %z = arith.constant {{layout_result_0 = #s}} dense<0.0> : vector<32xf32>
    %s = vector.multi_reduction <add>, %x, %z {{layout_result_0 = #s}} [1] : vector<32x64xf32> to vector<32xf32>
    %k = xegpu.convert_layout %s <{{input_layout = #s, target_layout = #t}}> : vector<32xf32>
    %b = vector.broadcast %k {{layout_result_0 = #w}} : vector<32xf32> to vector<64x32xf32>
    %y = vector.transpose %b, [1, 0] {{layout_result_0 = #l}} : vector<64x32xf32> to vector<32x64xf32>
{store("y", "R", "32x64xf32", "32x64xf32", more="#l")}""", aliases="""#l = #xegpu.layout<sg_layout = [2, 4], sg_data = [16, 16]>
#w = #xegpu.layout<sg_layout = [4, 2], sg_data = [16, 16], order = [0, 1]>
#s = #xegpu.slice<#l, dims = [1]>
#t = #xegpu.slice<#w, dims = [0]>"""), lambda g: {"R": np.repeat(g["A"].sum(1)[:, None], 64, 1)})  # fmt: skip
MEMORY["gathered by a workgroup in chunks"] = User(kernel("%A: memref<512xf32>, %R: memref<64x4xf32>", f"""
    %i = vector.step {{layout_result_0 = #s}} : vector<64xindex>
    %k = arith.constant {{layout_result_0 = #s}} dense<8> : vector<64xindex>
    %o = arith.muli %i, %k {{layout_result_0 = #s}} : vector<64xindex>
    %m = arith.constant {{layout_result_0 = #s}} dense<true> : vector<64xi1>
    %x = xegpu.load %A[%o], %m <{{chunk_size = 4, layout = #l}}> : memref<512xf32>, vector<64xindex>, vector<64xi1> -> vector<64x4xf32>
{store("x", "R", "64x4xf32", "64x4xf32", more="#l")}""", aliases="#l = #xegpu.layout<sg_layout = [4, 1], sg_data = [16, 4]>\n#s = #xegpu.slice<#l, dims = [1]>"),
    lambda g: {"R": g["A"].reshape(64, 8)[:, :4]})  # fmt: skip
MEMORY["a product of a part, in two workgroups, and a residual"] = User(kernel("%A: memref<64x64xf16>, %B: memref<64x32xf16>, %C: memref<32x32xf32>, %R: memref<64x32xf32>", f"""
    %b = gpu.block_id x
    %m = arith.muli %b, %c32 : index
    %ta = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> {desc("32x32xf16", "#l")}
    %tb = xegpu.create_nd_tdesc %B : memref<64x32xf16> -> {desc("32x32xf16", "#l")}
    %z = arith.constant {{layout_result_0 = #l}} dense<0.0> : vector<32x32xf32>
    %r = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %z) -> (vector<32x32xf32>) {{
      %x = xegpu.load_nd %ta[%m, %k] : {desc("32x32xf16", "#l")} -> vector<32x32xf16>
      %y = xegpu.load_nd %tb[%k, %c0] : {desc("32x32xf16", "#l")} -> vector<32x32xf16>
      %s = xegpu.dpas %x, %y, %acc {{layout_cd = #l}} : vector<32x32xf16>, vector<32x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
      scf.yield %s : vector<32x32xf32>
    }}
    %tc = xegpu.create_nd_tdesc %C : memref<32x32xf32> -> {desc("32x32xf32", "#l")}
    %bb = xegpu.load_nd %tc[%c0, %c0] : {desc("32x32xf32", "#l")} -> vector<32x32xf32>
    %q = arith.addf %r, %bb {{layout_result_0 = #l}} : vector<32x32xf32>
    %tr = xegpu.create_nd_tdesc %R : memref<64x32xf32> -> {desc("32x32xf32", "#l")}
    xegpu.store_nd %q, %tr[%m, %c0] : vector<32x32xf32>, {desc("32x32xf32", "#l")}""",
    aliases="#l = #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>"),
    lambda g: {"R": g["A"].astype(np.float32) @ g["B"].astype(np.float32) + np.vstack([g["C"], g["C"]])}, (2,))  # fmt: skip
