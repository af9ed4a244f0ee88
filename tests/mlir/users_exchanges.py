"""Subgroups and lanes that pass values on: by matrices in shared memory, named barriers, addresses; blocks large and in batches."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import User, desc, kernel, load, store, wide
from tests.mlir.users_workgroup_ops import lay

EXCHANGES: dict[str, User] = {}


def part(name, arguments, body, meaning, said="", aliases="", **more):
    EXCHANGES[name] = User(kernel(arguments, body, said, aliases), meaning, **more)


D = desc("8x16xf32")
part(
    "lanes of two subgroups exchange by a matrix",
    "%A: memref<16x16xf32>, %R: memref<16x16xf32>",
    f"""
    %sg = gpu.subgroup_id : index
    %row = arith.muli %sg, %c8 : index
    %oth = arith.subi %c8, %row : index
    %s = memref.alloca() : memref<1024xi8, 3>
    %m = xegpu.create_mem_desc %s : memref<1024xi8, 3> -> !xegpu.mem_desc<16x16xf32>
    %t = xegpu.create_nd_tdesc %A : memref<16x16xf32> -> {D}
    %x = xegpu.load_nd %t[%row, %c0] : {D} -> vector<8xf32>
    %lane = gpu.lane_id
    scf.for %i = %c0 to %c8 step %c1 {{
      %e = vector.extract %x[%i] : f32 from vector<8xf32>
      %r = arith.addi %row, %i : index
      xegpu.store_matrix %e, %m[%r, %lane] : f32, !xegpu.mem_desc<16x16xf32>, index, index
    }}
    gpu.barrier
    %z = arith.constant dense<0.0> : vector<8xf32>
    %y = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %z) -> (vector<8xf32>) {{
      %r = arith.addi %oth, %i : index
      %e = xegpu.load_matrix %m[%r, %lane] : !xegpu.mem_desc<16x16xf32>, index, index -> f32
      %n = vector.insert %e, %a [%i] : f32 into vector<8xf32>
      scf.yield %n : vector<8xf32>
    }}
    %o = xegpu.create_nd_tdesc %R : memref<16x16xf32> -> {D}
    xegpu.store_nd %y, %o[%row, %c0] : vector<8xf32>, {D}""",
    lambda g: {"R": np.vstack([g["A"][8:], g["A"][:8]])},
    "attributes {known_block_size = array<i32: 32, 1, 1>}",
)
part(
    "lanes: two packed blocks by one load",
    "%A: memref<8x16xf16>, %B: memref<16x32xf16>, %R: memref<8x32xf32>",
    f"""
    %ta = xegpu.create_nd_tdesc %A : memref<8x16xf16> -> {desc("8x16xf16")}
    %a = xegpu.load_nd %ta[0, 0] : {desc("8x16xf16")} -> vector<8xf16>
    %tb = xegpu.create_nd_tdesc %B : memref<16x32xf16> -> {desc("16x16xf16", "#xegpu.block_tdesc_attr<array_length = 2 : i64>")}
    %b = xegpu.load_nd %tb[0, 0] <{{packed}}> : {desc("16x16xf16", "#xegpu.block_tdesc_attr<array_length = 2 : i64>")} -> vector<32xf16>
    %b0 = vector.extract_strided_slice %b {{offsets = [0], sizes = [16], strides = [1]}} : vector<32xf16> to vector<16xf16>
    %b1 = vector.extract_strided_slice %b {{offsets = [16], sizes = [16], strides = [1]}} : vector<32xf16> to vector<16xf16>
    %p = xegpu.dpas %a, %b0 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
    %q = xegpu.dpas %a, %b1 : vector<8xf16>, vector<16xf16> -> vector<8xf32>
    %o = xegpu.create_nd_tdesc %R : memref<8x32xf32> -> {D}
    xegpu.store_nd %p, %o[0, 0] : vector<8xf32>, {D}
    xegpu.store_nd %q, %o[0, 16] : vector<8xf32>, {D}""",
    lambda g: {"R": wide(g["A"]) @ wide(g["B"])},
)
part(
    "lanes: chunks that a while loop adds",
    "%A: memref<256xi32>, %R: memref<64xi32>",
    """
    %lane = gpu.lane_id
    %at = arith.muli %lane, %c4 : index
    %t = arith.constant true
    %z = arith.constant dense<0> : vector<4xi32>
    %r:2 = scf.while (%i = %at, %acc = %z) : (index, vector<4xi32>) -> (index, vector<4xi32>) {
      %go = arith.cmpi ult, %i, %c256 : index
      scf.condition(%go) %i, %acc : index, vector<4xi32>
    } do {
    ^bb0(%i: index, %acc: vector<4xi32>):
      %v = xegpu.load %A[%i], %t <{chunk_size = 4 : i64}> : memref<256xi32>, index, i1 -> vector<4xi32>
      %n = arith.addi %acc, %v : vector<4xi32>
      %j = arith.addi %i, %c64 : index
      scf.yield %j, %n : index, vector<4xi32>
    }
    xegpu.store %r#1, %R[%at], %t <{chunk_size = 4 : i64}> : vector<4xi32>, memref<64xi32>, index, i1""",
    lambda g: {"R": g["A"].reshape(4, 64).sum(0)},
)
part(
    "lanes: a product onto memory, narrowed",
    "%A: memref<8x16xbf16>, %B: memref<16x16xbf16>, %C: memref<8x16xf32>, %R: memref<8x16xbf16>",
    f"""
    %ta = xegpu.create_nd_tdesc %A : memref<8x16xbf16> -> {desc("8x16xbf16")}
    %tb = xegpu.create_nd_tdesc %B : memref<16x16xbf16> -> {desc("16x16xbf16")}
    %tc = xegpu.create_nd_tdesc %C : memref<8x16xf32> -> {D}
    %a = xegpu.load_nd %ta[0, 0] : {desc("8x16xbf16")} -> vector<8xbf16>
    %b = xegpu.load_nd %tb[0, 0] <{{packed}}> : {desc("16x16xbf16")} -> vector<16xbf16>
    %c = xegpu.load_nd %tc[0, 0] : {D} -> vector<8xf32>
    %p = xegpu.dpas %a, %b, %c : vector<8xbf16>, vector<16xbf16>, vector<8xf32> -> vector<8xf32>
    %q = arith.truncf %p : vector<8xf32> to vector<8xbf16>
    %o = xegpu.create_nd_tdesc %R : memref<8x16xbf16> -> {desc("8x16xbf16")}
    xegpu.store_nd %q, %o[0, 0] : vector<8xbf16>, {desc("8x16xbf16")}""",
    lambda g: {"R": wide(g["A"]) @ wide(g["B"]) + g["C"]},
)
part(
    "lanes: a block at an address further on",
    "%A: memref<32x32xf32>, %R: memref<8x16xf32>, %n: index",
    f"""
    %p = memref.extract_aligned_pointer_as_index %A : memref<32x32xf32> -> index
    %q = arith.index_cast %p : index to i64
    %off = arith.constant 1024 : i64
    %w = arith.addi %q, %off : i64
    %t = xegpu.create_nd_tdesc %w, shape: [24, 32], strides: [32, 1] : i64 -> {D}
    %x = xegpu.load_nd %t[%n, 16] : {D} -> vector<8xf32>
    %o = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {D}
    xegpu.store_nd %x, %o[0, 0] : vector<8xf32>, {D}""",
    lambda g: {"R": g["A"][12:20, 16:]},
    scalars={"n": 4},
)
part(
    "a block of 64x64 and itself turned",
    "%A: memref<64x64xf32>, %R: memref<64x64xf32>",
    f"""
{load("x", "A", "64x64xf32", "64x64xf32")}
    %t = vector.transpose %x, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
    %y = arith.addf %x, %t : vector<64x64xf32>
{store("y", "R", "64x64xf32", "64x64xf32")}""",
    lambda g: {"R": g["A"] + g["A"].T},
)
part(
    "batches by a loop, with a prefetch",
    "%A: memref<3x32x32xf16>, %B: memref<3x32x32xf16>, %R: memref<3x32x32xf32>",
    f"""
    %c3 = arith.constant 3 : index
    scf.for %b = %c0 to %c3 step %c1 {{
      %ta = xegpu.create_nd_tdesc %A[%b, 0, 0] : memref<3x32x32xf16> -> {desc("32x16xf16", "#a")}
      %tb = xegpu.create_nd_tdesc %B[%b, 0, 0] : memref<3x32x32xf16> -> {desc("16x32xf16", "#b")}
      %z = arith.constant {{layout_result_0 = #c}} dense<0.0> : vector<32x32xf32>
      %r:3 = scf.for %k = %c0 to %c2 step %c1 iter_args(%p = %ta, %q = %tb, %acc = %z) -> ({desc("32x16xf16", "#a")}, {desc("16x32xf16", "#b")}, vector<32x32xf32>) {{
        %x = xegpu.load_nd %p : {desc("32x16xf16", "#a")} -> vector<32x16xf16>
        %y = xegpu.load_nd %q : {desc("16x32xf16", "#b")} -> vector<16x32xf16>
        %s = xegpu.dpas %x, %y, %acc {{layout_a = #a, layout_b = #b, layout_cd = #c}} : vector<32x16xf16>, vector<16x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
        %p1 = xegpu.update_nd_offset %p, [0, 16] : {desc("32x16xf16", "#a")}
        %q1 = xegpu.update_nd_offset %q, [16, 0] : {desc("16x32xf16", "#b")}
        xegpu.prefetch_nd %p1 : {desc("32x16xf16", "#a")}
        scf.yield %p1, %q1, %s : {desc("32x16xf16", "#a")}, {desc("16x32xf16", "#b")}, vector<32x32xf32>
      }}
      %tc = xegpu.create_nd_tdesc %R[%b, 0, 0] : memref<3x32x32xf32> -> {desc("32x32xf32", "#c")}
      xegpu.store_nd %r#2, %tc : vector<32x32xf32>, {desc("32x32xf32", "#c")}
    }}""",
    lambda g: {"R": wide(g["A"]) @ wide(g["B"])},
    aliases=f"#a = {lay('[2, 2]', '[16, 16]')}\n#b = {lay('[2, 2]', '[16, 16]')}\n#c = {lay('[2, 2]', '[16, 16]')}",
)
part(
    "a ring of four subgroups by a named barrier",
    "%A: memref<32x16xf32>, %R: memref<32x16xf32>",
    f"""
    xegpu.alloc_nbarrier 1
    %i0 = arith.constant 0 : i8
    %i4 = arith.constant 4 : i8
    %b = xegpu.init_nbarrier %i0, %i4 : i8, i8 -> !xegpu.nbarrier
    %sg = gpu.subgroup_id : index
    %row = arith.muli %sg, %c8 : index
    %nx = arith.addi %row, %c8 : index
    %next = arith.remui %nx, %c32 : index
    %s = memref.alloca() : memref<2048xi8, 3>
    %m = xegpu.create_mem_desc %s : memref<2048xi8, 3> -> !xegpu.mem_desc<32x16xf32>
    %t = xegpu.create_nd_tdesc %A : memref<32x16xf32> -> {D}
    %x0 = xegpu.load_nd %t[%row, 0] : {D} -> vector<8x16xf32>
    %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %x0) -> (vector<8x16xf32>) {{
      xegpu.store_matrix %x, %m[%row, 0] : vector<8x16xf32>, !xegpu.mem_desc<32x16xf32>, index
      xegpu.fence memory_kind = slm, fence_scope = workgroup
      xegpu.nbarrier_arrive %b : !xegpu.nbarrier
      xegpu.nbarrier_wait %b : !xegpu.nbarrier
      %w = xegpu.load_matrix %m[%next, 0] : !xegpu.mem_desc<32x16xf32>, index -> vector<8x16xf32>
      xegpu.nbarrier_arrive %b : !xegpu.nbarrier
      xegpu.nbarrier_wait %b : !xegpu.nbarrier
      %n = arith.addf %w, %x0 : vector<8x16xf32>
      scf.yield %n : vector<8x16xf32>
    }}
    %o = xegpu.create_nd_tdesc %R : memref<32x16xf32> -> {D}
    xegpu.store_nd %y, %o[%row, 0] : vector<8x16xf32>, {D}""",
    lambda g: {"R": _ring(g["A"])},
    "attributes {known_block_size = array<i32: 64, 1, 1>}",
)


def _ring(a):
    x = x0 = a.reshape(4, 8, 16)
    for _ in range(4):
        x = np.roll(x, -1, 0) + x0
    return x.reshape(32, 16)
