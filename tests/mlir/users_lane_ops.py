"""Modules of lanes, op by op: tables, addresses, atomics, numbers of threads, elements and memory by indices."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import User, atomic, desc, kernel, swapped_blocks, wide

LANE_OPS: dict[str, User] = {}
T = desc("8x16xf32")
V = "vector<8xf32>"
LANE_OPS["descriptors that a while loop moves and swaps"] = User(kernel("%A: memref<32x64xf32>, %R: memref<8x16xf32>, %n: index", f"""
    %a0 = xegpu.create_nd_tdesc %A[%c0, %c0] : memref<32x64xf32> -> {T}
    %b0 = xegpu.create_nd_tdesc %A[%c8, %c16] : memref<32x64xf32> -> {T}
    %z = arith.constant dense<0.0> : {V}
    %r:4 = scf.while (%i = %c0, %a = %a0, %b = %b0, %acc = %z) : (index, {T}, {T}, {V}) -> (index, {T}, {T}, {V}) {{
      %go = arith.cmpi ult, %i, %n : index
      scf.condition(%go) %i, %b, %a, %acc : index, {T}, {T}, {V}
    }} do {{
    ^bb0(%i: index, %a: {T}, %b: {T}, %acc: {V}):
      %x = xegpu.load_nd %a : {T} -> {V}
      %d = arith.addf %acc, %acc : {V}
      %s = arith.addf %d, %x : {V}
      %m = xegpu.update_nd_offset %a, [%c8, %c1] : {T}
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %m, %b, %s : index, {T}, {T}, {V}
    }}
    %c = xegpu.create_nd_tdesc %R[%c0, %c0] : memref<8x16xf32> -> {T}
    xegpu.store_nd %r#3, %c : {V}, {T}"""), swapped_blocks((8, 16), (8, 16), (8, 1)), scalars={"n": 3})  # fmt: skip
LANE_OPS["a table of each lane"] = User(kernel("%A: memref<4x16xf32>, %R: memref<4x16xf32>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<4x16xf32> -> {desc("4x16xf32")}
    %x = xegpu.load_nd %t[0, 0] : {desc("4x16xf32")} -> vector<4xf32>
    %k = arith.constant dense<[0.0, 1.0, 2.0, 3.0]> : vector<4xf32>
    %y = arith.addf %x, %k : vector<4xf32>
    %r = xegpu.create_nd_tdesc %R : memref<4x16xf32> -> {desc("4x16xf32")}
    xegpu.store_nd %y, %r[0, 0] : vector<4xf32>, {desc("4x16xf32")}"""), lambda g: {"R": g["A"] + np.arange(4)[:, None]})  # fmt: skip
LANE_OPS["chunks at addresses, turned around"] = User(kernel("%A: memref<64xf32>, %R: memref<64xf32>", """
    %p = memref.extract_aligned_pointer_as_index %A : memref<64xf32> -> index
    %a = arith.index_cast %p : index to i64
    %q = memref.extract_aligned_pointer_as_index %R : memref<64xf32> -> index
    %b = arith.index_cast %q : index to i64
    %lane = gpu.lane_id
    %o = arith.muli %lane, %c4 : index
    %m = arith.cmpi ne, %lane, %c4 : index
    xegpu.prefetch %a[%o] <{offset_align_byte = 4, l1_hint = #xegpu.cache_hint<cached>}> : i64, index
    %v = xegpu.load %a[%o], %m <{chunk_size = 4}> : i64, index, i1 -> vector<4xf32>
    %w = vector.shuffle %v, %v [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
    xegpu.store %w, %b[%o], %m <{chunk_size = 4}> : vector<4xf32>, i64, index, i1"""),
    lambda g: {"R": np.where((np.arange(16)!=4)[:,None], g["A"].reshape(16,4)[:,::-1], g["R"].reshape(16,4)).ravel()})  # fmt: skip
LANE_OPS["chunks of 8 f16 by vectors of one index"] = User(kernel("%A: memref<256xf16>, %R: memref<256xf16>", """
    %lane = gpu.lane_id
    %o = arith.muli %lane, %c8 : index
    %ov = vector.broadcast %o : index to vector<1xindex>
    %m = arith.constant dense<true> : vector<1xi1>
    %v = xegpu.load %A[%ov], %m <{chunk_size = 8}> : memref<256xf16>, vector<1xindex>, vector<1xi1> -> vector<8xf16>
    %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : vector<8xf16>
    %w = arith.mulf %v, %k : vector<8xf16>
    xegpu.store %w, %R[%ov], %m <{chunk_size = 8}> : vector<8xf16>, memref<256xf16>, vector<1xindex>, vector<1xi1>"""),
    lambda g: {"R": np.concatenate([(g["A"][:128].reshape(16,8)*np.arange(1,9,dtype=np.float16)).ravel(), g["R"][128:]])})  # fmt: skip
for kind, e, f in (
    ("mulf", "f32", np.multiply),
    ("xori", "i32", np.bitwise_xor),
    ("maxu", "i32", lambda a, b: np.maximum(a.view(np.uint32), b.view(np.uint32)).view(np.int32)),
    ("minu", "i32", lambda a, b: np.minimum(a.view(np.uint32), b.view(np.uint32)).view(np.int32)),
    ("minimumf", "f32", np.minimum),
    ("maxnumf", "f32", np.maximum),
    ("minnumf", "f32", np.minimum),
    ("muli", "i32", np.multiply),
    ("assign", "i32", lambda a, b: b),
    ("addi", "i64", np.add),
    ("maxs", "i64", np.maximum),
    ("addf", "f64", np.add),
):
    LANE_OPS[f"atomic {kind} of {e} by a subgroup"] = atomic(kind, e, f)
LANE_OPS["elements at even and odd places"] = User(kernel("%A: memref<8x16xf32>, %R: memref<8x16xf32>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> {T}
    %v = xegpu.load_nd %t[0, 0] : {T} -> {V}
    %e, %o = vector.deinterleave %v : vector<8xf32> -> vector<4xf32>
    %w = vector.interleave %o, %e : vector<4xf32> -> vector<8xf32>
    %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {T}
    xegpu.store_nd %w, %r[0, 0] : {V}, {T}"""), lambda g: {"R": g["A"][[1,0,3,2,5,4,7,6]]})  # fmt: skip
LANE_OPS["elements one by one"] = User(kernel("%A: memref<8x16xf32>, %R: memref<8x16xf32>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> {T}
    %v = xegpu.load_nd %t[0, 0] : {T} -> {V}
    %e:8 = vector.to_elements %v : {V}
    %w = vector.from_elements %e#7, %e#6, %e#0, %e#0, %e#1, %e#2, %e#3, %e#5 : {V}
    %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {T}
    xegpu.store_nd %w, %r[0, 0] : {V}, {T}"""), lambda g: {"R": g["A"][[7,6,0,0,1,2,3,5]]})  # fmt: skip
LANE_OPS["numbers of workgroups, threads and lanes"] = User(kernel("%A: memref<16xi32>, %R: memref<2x2x64xi32>", """
    %f = memref.collapse_shape %R [[0, 1, 2]] : memref<2x2x64xi32> into memref<256xi32>
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %gx = gpu.grid_dim x
    %gy = gpu.grid_dim y
    %bd = gpu.block_dim x
    %tx = gpu.thread_id x
    %gid = gpu.global_id x
    %sg = gpu.subgroup_id : index
    %ns = gpu.num_subgroups : index
    %ss = gpu.subgroup_size : index
    %l = gpu.lane_id
    %a = arith.muli %by, %gx : index
    %b = arith.addi %a, %bx : index
    %c = arith.muli %b, %bd : index
    %d = arith.addi %c, %tx : index
    %e = arith.muli %sg, %ss : index
    %g = arith.addi %e, %l : index
    %h = arith.muli %g, %ns : index
    %i = arith.addi %h, %gid : index
    %j = arith.muli %gy, %c256 : index
    %k = arith.addi %i, %j : index
    %v = arith.index_cast %k : index to i32
    %t = arith.constant true
    xegpu.store %v, %f[%d], %t : i32, memref<256xi32>, index, i1""", "attributes {known_block_size = array<i32: 64, 1, 1>}"),
    lambda g: {"R": np.array([[[t*4 + (bx*64+t) + 512 for t in range(64)] for bx in (0,1)] for by in (0,1)])}, (2,2))  # fmt: skip
LANE_OPS["memory that a kernel reserves beside its arguments"] = User("""gpu.module @m {
  gpu.func @k(%A: memref<64xf32>, %R: memref<64xf32>) workgroup(%s: memref<256xi8, 3>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %true = arith.constant true
    %c63 = arith.constant 63 : index
    %c0 = arith.constant 0 : index
    %m = xegpu.create_mem_desc %s : memref<256xi8, 3> -> !xegpu.mem_desc<1x64xf32>
    %v = xegpu.load %A[%t], %true : memref<64xf32>, index, i1 -> f32
    xegpu.store_matrix %v, %m[%c0, %t] : f32, !xegpu.mem_desc<1x64xf32>, index, index
    gpu.barrier
    %o = arith.subi %c63, %t : index
    %w = xegpu.load_matrix %m[%c0, %o] : !xegpu.mem_desc<1x64xf32>, index, index -> f32
    xegpu.store %w, %R[%t], %true : f32, memref<64xf32>, index, i1
    gpu.return
  }
}""", lambda g: {"R": g["A"][::-1]})  # fmt: skip
LANE_OPS["outer products"] = User(kernel("%A: memref<8x16xf32>, %R: memref<8x16xf32>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> {T}
    %v = xegpu.load_nd %t[0, 0] : {T} -> {V}
    %a = vector.extract_strided_slice %v {{offsets = [0], sizes = [2], strides = [1]}} : {V} to vector<2xf32>
    %b = vector.extract_strided_slice %v {{offsets = [2], sizes = [4], strides = [1]}} : {V} to vector<4xf32>
    %c = arith.constant dense<1.0> : vector<2x4xf32>
    %o = vector.outerproduct %a, %b, %c {{kind = #vector.kind<add>}} : vector<2xf32>, vector<4xf32>
    %w = vector.shape_cast %o : vector<2x4xf32> to {V}
    %x = vector.extract %v[7] : f32 from {V}
    %y = vector.outerproduct %w, %x : {V}, f32
    %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {T}
    xegpu.store_nd %y, %r[0, 0] : {V}, {T}"""), lambda g: {"R": ((g["A"][0:2,None]*g["A"][None,2:6]+1).reshape(8,16))*g["A"][7]})  # fmt: skip
LANE_OPS["rows of a matrix in shared memory"] = User(kernel("%A: memref<16x16xf32>, %R: memref<16x16xf32>", """
    %lane = gpu.lane_id
    %true = arith.constant true
    %fa = memref.collapse_shape %A [[0, 1]] : memref<16x16xf32> into memref<256xf32>
    %fr = memref.collapse_shape %R [[0, 1]] : memref<16x16xf32> into memref<256xf32>
    %o = arith.muli %lane, %c16 : index
    %v = xegpu.load %fa[%o], %true <{chunk_size = 8}> : memref<256xf32>, index, i1 -> vector<8xf32>
    %o2 = arith.addi %o, %c8 : index
    %u = xegpu.load %fa[%o2], %true <{chunk_size = 8}> : memref<256xf32>, index, i1 -> vector<8xf32>
    %s = memref.alloca() : memref<1024xi8, 3>
    %m = xegpu.create_mem_desc %s : memref<1024xi8, 3> -> !xegpu.mem_desc<16x16xf32>
    xegpu.store_matrix %v, %m[%lane, %c0] : vector<8xf32>, !xegpu.mem_desc<16x16xf32>, index, index
    xegpu.store_matrix %u, %m[%lane, %c8] : vector<8xf32>, !xegpu.mem_desc<16x16xf32>, index, index
    gpu.barrier
    %c15 = arith.constant 15 : index
    %back = arith.subi %c15, %lane : index
    %w = xegpu.load_matrix %m[%back, %c8] : !xegpu.mem_desc<16x16xf32>, index, index -> vector<8xf32>
    %x = xegpu.load_matrix %m[%back, %c0] : !xegpu.mem_desc<16x16xf32>, index, index -> vector<8xf32>
    xegpu.store %w, %fr[%o], %true <{chunk_size = 8}> : vector<8xf32>, memref<256xf32>, index, i1
    xegpu.store %x, %fr[%o2], %true <{chunk_size = 8}> : vector<8xf32>, memref<256xf32>, index, i1"""),
    lambda g: {"R": np.hstack([g["A"][::-1,8:], g["A"][::-1,:8]])})  # fmt: skip
LANE_OPS["a switch of descriptors with strides of their own"] = User(kernel("%A: memref<32x32xf32>, %R: memref<3x8x16xf32>", f"""
    %b = gpu.block_id x
    %s = memref.subview %A[%b, 0] [16, 32] [2, 1] : memref<32x32xf32> to memref<16x32xf32, strided<[64, 1], offset: ?>>
    %d = scf.index_switch %b -> {T}
    case 0 {{
      %t = xegpu.create_nd_tdesc %s[0, 16] : memref<16x32xf32, strided<[64, 1], offset: ?>> -> {T}
      scf.yield %t : {T}
    }}
    case 1 {{
      %t = xegpu.create_nd_tdesc %A[%b, 0] : memref<32x32xf32> -> {T}
      scf.yield %t : {T}
    }}
    default {{
      %t = xegpu.create_nd_tdesc %s : memref<16x32xf32, strided<[64, 1], offset: ?>> -> {T}
      %u = xegpu.update_nd_offset %t, [4, 4] : {T}
      scf.yield %u : {T}
    }}
    %x = xegpu.load_nd %d : {T} -> {V}
    %part = memref.subview %R[%b, 0, 0] [1, 8, 16] [1, 1, 1] : memref<3x8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
    %r = xegpu.create_nd_tdesc %part : memref<8x16xf32, strided<[16, 1], offset: ?>> -> {T}
    xegpu.store_nd %x, %r[0, 0] : {V}, {T}"""), lambda g: {"R": np.stack([g["A"][0:16:2,16:], g["A"][1:9,:16], g["A"][2::2][4:12,4:20]])}, (3,))  # fmt: skip
LANE_OPS["chunks of f16 in shared memory"] = User(kernel("%A: memref<32xf16>, %R: memref<32xf16>", """
    %lane = gpu.lane_id
    %true = arith.constant true
    %o = arith.muli %lane, %c2 : index
    %v = xegpu.load %A[%o], %true <{chunk_size = 2}> : memref<32xf16>, index, i1 -> vector<2xf16>
    %s = memref.alloca() : memref<32xf16, 3>
    xegpu.store %v, %s[%o], %true <{chunk_size = 2}> : vector<2xf16>, memref<32xf16, 3>, index, i1
    gpu.barrier
    %c30 = arith.constant 30 : index
    %p = arith.subi %c30, %o : index
    %w = xegpu.load %s[%p], %true <{chunk_size = 2}> : memref<32xf16, 3>, index, i1 -> vector<2xf16>
    xegpu.store %w, %R[%o], %true <{chunk_size = 2}> : vector<2xf16>, memref<32xf16>, index, i1"""),
    lambda g: {"R": g["A"].reshape(16,2)[::-1].ravel()})  # fmt: skip
LANE_OPS["fences"] = User(kernel("%A: memref<16xi32>, %R: memref<16xi32>", """
    %lane = gpu.lane_id
    %true = arith.constant true
    %v = xegpu.load %A[%lane], %true : memref<16xi32>, index, i1 -> i32
    xegpu.store %v, %R[%lane], %true : i32, memref<16xi32>, index, i1
    xegpu.fence memory_kind = global, fence_scope = gpu
    xegpu.fence memory_kind = slm, fence_scope = workgroup
    gpu.barrier
    %c15 = arith.constant 15 : index
    %o = arith.subi %c15, %lane : index
    %w = xegpu.load %R[%o], %true : memref<16xi32>, index, i1 -> i32
    gpu.barrier
    %s = arith.addi %v, %w : i32
    xegpu.store %s, %R[%lane], %true : i32, memref<16xi32>, index, i1"""), lambda g: {"R": g["A"]+g["A"][::-1]})  # fmt: skip
LANE_OPS["products and sums of twice the width"] = User(kernel("%A: memref<16xi32>, %R: memref<16xi32>, %R1: memref<16xi32>", """
    %lane = gpu.lane_id
    %true = arith.constant true
    %v = xegpu.load %A[%lane], %true : memref<16xi32>, index, i1 -> i32
    %k = arith.constant 1234567 : i32
    %w = arith.muli %v, %k : i32
    %lo, %hi = arith.mulsi_extended %w, %w : i32
    %s, %c = arith.addui_extended %w, %w : i32, i1
    %ce = arith.extui %c : i1 to i32
    %t = arith.addi %hi, %ce : i32
    %u = arith.xori %lo, %s : i32
    xegpu.store %t, %R[%lane], %true : i32, memref<16xi32>, index, i1
    xegpu.store %u, %R1[%lane], %true : i32, memref<16xi32>, index, i1"""),
    lambda g: (lambda w: {"R": ((w*w)>>32) + ((w & 0xffffffff)*2 >> 32), "R1": ((w*w) ^ (2*w)).astype(np.int64).astype(np.int32)})(g["A"].astype(np.int64)*1234567))  # fmt: skip
LANE_OPS["elements and atomics of parts by indices"] = User(kernel("%A: memref<4x16xi32>, %R: memref<4x16xi32>, %i: index", """
    %lane = gpu.lane_id
    %p = memref.subview %A[%i, 0] [2, 16] [1, 1] : memref<4x16xi32> to memref<2x16xi32, strided<[16, 1], offset: ?>>
    %v = memref.load %p[%c1, %lane] : memref<2x16xi32, strided<[16, 1], offset: ?>>
    %q = memref.subview %R[0, 8] [4, 8] [1, 1] : memref<4x16xi32> to memref<4x8xi32, strided<[16, 1], offset: 8>>
    %h = arith.shrui %lane, %c1 : index
    %o = memref.atomic_rmw addi %v, %q[%c2, %h] : (i32, memref<4x8xi32, strided<[16, 1], offset: 8>>) -> i32
    %s = memref.alloca() : memref<4x16xi32, 3>
    memref.store %v, %s[%c1, %lane] : memref<4x16xi32, 3>
    gpu.barrier
    %c15 = arith.constant 15 : index
    %b = arith.subi %c15, %lane : index
    %w = memref.load %s[%c1, %b] : memref<4x16xi32, 3>
    memref.store %w, %R[%c0, %lane] : memref<4x16xi32>"""), lambda g: _at(g), scalars={"i":1})  # fmt: skip


def _at(g):
    r = g["R"].copy()
    r[0] = g["A"][2][::-1]
    r[2, 8:] += g["A"][2].reshape(8, 2).sum(1)
    return {"R": r}


LANE_OPS["elements by two indices"] = User(kernel("%A: memref<4x16xf32>, %R: memref<4x16xf32>", """
    %lane = gpu.lane_id
    scf.for %i = %c0 to %c4 step %c1 {
      %v = memref.load %A[%i, %lane] : memref<4x16xf32>
      %w = arith.mulf %v, %v : f32
      memref.store %w, %R[%i, %lane] : memref<4x16xf32>
    }"""), lambda g: {"R": g["A"]**2})  # fmt: skip
LANE_OPS["vectors by two indices"] = User(kernel("%A: memref<16x8xf32>, %R: memref<16x8xf32>", """
    %lane = gpu.lane_id
    %v = vector.load %A[%lane, %c0] : memref<16x8xf32>, vector<8xf32>
    %w = arith.addf %v, %v : vector<8xf32>
    vector.store %w, %R[%lane, %c0] : memref<16x8xf32>, vector<8xf32>"""), lambda g: {"R": 2*g["A"]})  # fmt: skip
LANE_OPS["a loop whose steps are each lane's own"] = User(kernel("%A: memref<16xi32>, %R: memref<16xi32>, %n: i32", """
    %lane = gpu.lane_id
    %true = arith.constant true
    %v = xegpu.load %A[%lane], %true : memref<16xi32>, index, i1 -> i32
    %one = arith.constant 1 : i32
    %m5 = arith.constant -5 : i32
    %li = arith.index_cast %lane : index to i32
    %st = arith.addi %li, %one : i32
    %r = scf.for %i = %m5 to %n step %st iter_args(%acc = %v) -> (i32) : i32 {
      %s = arith.addi %acc, %i : i32
      scf.yield %s : i32
    }
    xegpu.store %r, %R[%lane], %true : i32, memref<16xi32>, index, i1"""), lambda g: {"R": g["A"]+np.array([sum(range(-5, 20, lane + 1)) for lane in range(16)])}, scalars={"n":20})  # fmt: skip


# Memory that block messages do not reach.


def _short(e, w, cols, rows, acc=8, at="%c1, %c0"):
    return kernel(
        f"%A: memref<32x{w}x{e}>, %R: memref<16x{w}x{e}>",
        f"""
    %t = xegpu.create_nd_tdesc %A : memref<32x{w}x{e}> -> {desc(f"{rows}x{cols}x{e}")}
    xegpu.prefetch_nd %t[{at}] : {desc(f"{rows}x{cols}x{e}")}
    %x = xegpu.load_nd %t[{at}] : {desc(f"{rows}x{cols}x{e}")} -> vector<{acc}x{e}>
    %y = arith.add{"f" if e[0] == "f" else "i"} %x, %x : vector<{acc}x{e}>
    %r = xegpu.create_nd_tdesc %R[%c2, %c0] : memref<16x{w}x{e}> -> {desc(f"{rows}x{cols}x{e}")}
    %s = xegpu.update_nd_offset %r, [%c1, %c0] : {desc(f"{rows}x{cols}x{e}")}
    xegpu.store_nd %y, %s : vector<{acc}x{e}>, {desc(f"{rows}x{cols}x{e}")}""",
    )


def _doubled(g, cols, rows):
    made = g["R"].copy()
    n = min(cols, made.shape[1])
    made[3 : 3 + rows, :n] = 2 * g["A"][1 : 1 + rows, :n]
    return {"R": made}


for e, w, cols, rows, acc in (
    ("f32", 8, 16, 8, 8),
    ("f32", 13, 16, 4, 4),
    ("f16", 16, 16, 8, 8),
    ("f16", 45, 16, 8, 8),
    ("i32", 3, 16, 8, 8),
):
    LANE_OPS[f"short rows {e} {w} {cols}x{rows}"] = User(
        _short(e, w, cols, rows, acc), lambda g, cols=cols, rows=rows: _doubled(g, cols, rows)
    )
LANE_OPS["product of short rows"] = User(kernel("%A: memref<8x16xbf16>, %B: memref<16x16xbf16>, %R: memref<8x16xf32>", f"""
    %ta = xegpu.create_nd_tdesc %A : memref<8x16xbf16> -> {desc("8x16xbf16")}
    %tb = xegpu.create_nd_tdesc %B : memref<16x16xbf16> -> {desc("16x16xbf16")}
    %a = xegpu.load_nd %ta[0, 0] : {desc("8x16xbf16")} -> vector<8xbf16>
    %b = xegpu.load_nd %tb[0, 0] <{{packed}}> : {desc("16x16xbf16")} -> vector<16xbf16>
    %d = xegpu.dpas %a, %b : vector<8xbf16>, vector<16xbf16> -> vector<8xf32>
    %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {desc("8x16xf32")}
    xegpu.store_nd %d, %r[0, 0] : vector<8xf32>, {desc("8x16xf32")}"""), lambda g: {"R": wide(g["A"])@wide(g["B"])})  # fmt: skip
LANE_OPS["transposed short rows"] = User(kernel("%A: memref<20x9xf32>, %R: memref<8x16xf32>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<20x9xf32> -> {desc("16x8xf32")}
    %x = xegpu.load_nd %t[%c2, %c4] <{{transpose = array<i64: 1, 0>}}> : {desc("16x8xf32")} -> vector<8xf32>
    %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {desc("8x16xf32")}
    xegpu.store_nd %x, %r[0, 0] : vector<8xf32>, {desc("8x16xf32")}"""), lambda g: {"R": np.pad(g["A"],((0,9),(0,9)))[2:18,4:12].T})  # fmt: skip
LANE_OPS["two blocks of short rows, part of rank 3"] = User(kernel("%A: memref<3x16x30xf16>, %R: memref<8x32xf16>, %i: index", f"""
    %t = xegpu.create_nd_tdesc %A[%i, %c4, %c0] : memref<3x16x30xf16> -> {desc("8x16xf16","#xegpu.block_tdesc_attr<array_length = 2>")}
    %x = xegpu.load_nd %t[%c2, %c1] : {desc("8x16xf16","#xegpu.block_tdesc_attr<array_length = 2>")} -> vector<16xf16>
    %p = vector.extract_strided_slice %x {{offsets = [0], sizes = [8], strides = [1]}} : vector<16xf16> to vector<8xf16>
    %q = vector.extract_strided_slice %x {{offsets = [8], sizes = [8], strides = [1]}} : vector<16xf16> to vector<8xf16>
    %r = xegpu.create_nd_tdesc %R : memref<8x32xf16> -> {desc("8x16xf16")}
    xegpu.store_nd %p, %r[%c0, %c0] : vector<8xf16>, {desc("8x16xf16")}
    xegpu.store_nd %q, %r[%c0, %c16] : vector<8xf16>, {desc("8x16xf16")}"""), lambda g: {"R": np.pad(g["A"][1],((0,0),(0,9)))[6:14,1:33]}, scalars={"i":1})  # fmt: skip
