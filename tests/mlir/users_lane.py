"""Modules of lanes."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import User, desc, kernel, wide

LANE: dict[str, User] = {}


def gemm(element: str, acc: str, k: int, a: int, b: int, packed: str) -> str:
    """A product of 8x16 with a loop; a, b: elements of A and B that a lane has."""
    zero = "0" if acc == "i32" else "0.0"
    return kernel(f"%A: memref<16x64x{element}>, %B: memref<64x64x{element}>, %R: memref<16x64x{acc}>", f"""
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %m = arith.muli %bx, %c8 : index
    %n = arith.muli %by, %c16 : index
    %depth = arith.constant {k} : index
    %ta = xegpu.create_nd_tdesc %A : memref<16x64x{element}> -> {desc(f"8x{k}x{element}")}
    %tb = xegpu.create_nd_tdesc %B : memref<64x64x{element}> -> {desc(f"{k}x16x{element}")}
    %tc = xegpu.create_nd_tdesc %R : memref<16x64x{acc}> -> {desc(f"8x16x{acc}")}
    %z = arith.constant dense<{zero}> : vector<8x{acc}>
    %r = scf.for %i = %c0 to %c64 step %depth iter_args(%acc = %z) -> (vector<8x{acc}>) {{
      %x = xegpu.load_nd %ta[%m, %i] : {desc(f"8x{k}x{element}")} -> vector<{a}x{element}>
      %y = xegpu.load_nd %tb[%i, %n] {packed} : {desc(f"{k}x16x{element}")} -> vector<{b}x{element}>
      %s = xegpu.dpas %x, %y, %acc : vector<{a}x{element}>, vector<{b}x{element}>, vector<8x{acc}> -> vector<8x{acc}>
      scf.yield %s : vector<8x{acc}>
    }}
    xegpu.store_nd %r, %tc[%m, %n] : vector<8x{acc}>, {desc(f"8x16x{acc}")}""")  # fmt: skip


for _e, _acc, _k, _a, _b, _p in (("f16", "f32", 16, 8, 16, "<{packed}>"), ("bf16", "f32", 16, 8, 16, "<{packed}>"),
                                 ("i8", "i32", 32, 16, 32, "<{packed}>"), ("tf32", "f32", 8, 4, 8, "")):  # fmt: skip
    LANE[f"gemm of {_e}"] = User(gemm(_e, _acc, _k, _a, _b, _p), lambda g: {"R": wide(g["A"]) @ wide(g["B"])}, (2, 4))

LANE["sum of a block's columns"] = User(kernel("%A: memref<16x32xf16>, %R: memref<16xf16>", """
    %t = xegpu.create_nd_tdesc %A : memref<16x32xf16> -> !xegpu.tensor_desc<16x16xf16>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
    %s = vector.reduction <add>, %v : vector<16xf16> into f16
    %true = arith.constant true
    %lane = gpu.lane_id
    xegpu.store %s, %R[%lane], %true : f16, memref<16xf16>, index, i1"""), lambda g: {"R": g["A"][:, :16].sum(axis=0)})  # fmt: skip

for _kind, _of in (("maximumf", np.max), ("minimumf", np.min), ("mul", np.prod), ("add", np.sum)):
    LANE[f"{_kind} of what lanes have, begun with a number"] = User(kernel("%A: memref<8x16xf32>, %R: memref<16xf32>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8xf32>
    %start = arith.constant 1.0 : f32
    %s = vector.reduction <{_kind}>, %v, %start : vector<8xf32> into f32
    %true = arith.constant true
    %lane = gpu.lane_id
    xegpu.store %s, %R[%lane], %true : f32, memref<16xf32>, index, i1"""),
        lambda g, of=_of: {"R": of(np.vstack([g["A"], np.ones((1, 16), np.float32)]), axis=0)})  # fmt: skip

for _dim, _rest in ((0, 4), (1, 2)):
    LANE[f"a matrix of a lane, reduced along {_dim}"] = User(kernel(f"%A: memref<8x16xf32>, %R: memref<{_rest}x16xf32>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8xf32>
    %w = vector.shape_cast %v : vector<8xf32> to vector<2x4xf32>
    %z = arith.constant dense<2.0> : vector<{_rest}xf32>
    %s = vector.multi_reduction <add>, %w, %z [{_dim}] : vector<2x4xf32> to vector<{_rest}xf32>
    %r = xegpu.create_nd_tdesc %R : memref<{_rest}x16xf32> -> !xegpu.tensor_desc<{_rest}x16xf32>
    xegpu.store_nd %s, %r[%c0, %c0] : vector<{_rest}xf32>, !xegpu.tensor_desc<{_rest}x16xf32>"""),
        lambda g, d=_dim: {"R": g["A"].reshape(2, 4, 16).sum(axis=d) + 2})  # fmt: skip

LANE["sums over lanes by shuffles"] = User(kernel("%A: memref<16xf32>, %R: memref<16xf32>", """
    %lane = gpu.lane_id
    %true = arith.constant true
    %v = xegpu.load %A[%lane], %true : memref<16xf32>, index, i1 -> f32
    %w = arith.constant 16 : i32
    %o8 = arith.constant 8 : i32
    %o4 = arith.constant 4 : i32
    %o2 = arith.constant 2 : i32
    %o1 = arith.constant 1 : i32
    %a, %p0 = gpu.shuffle xor %v, %o8, %w : f32
    %a1 = arith.addf %v, %a : f32
    %b, %p1 = gpu.shuffle xor %a1, %o4, %w : f32
    %b1 = arith.addf %a1, %b : f32
    %c, %p2 = gpu.shuffle xor %b1, %o2, %w : f32
    %c3 = arith.addf %b1, %c : f32
    %d, %p3 = gpu.shuffle xor %c3, %o1, %w : f32
    %d1 = arith.addf %c3, %d : f32
    xegpu.store %d1, %R[%lane], %true : f32, memref<16xf32>, index, i1"""), lambda g: {"R": np.full(16, g["A"].sum())})  # fmt: skip

LANE["sums over lanes by a reduction"] = User(kernel("%A: memref<16xi32>, %R: memref<2x16xi32>", """
    %lane = gpu.lane_id
    %true = arith.constant true
    %v = xegpu.load %A[%lane], %true : memref<16xi32>, index, i1 -> i32
    %s = gpu.subgroup_reduce add %v : (i32) -> i32
    %q = gpu.subgroup_reduce maxsi %v cluster(size = 4) : (i32) -> i32
    %f = memref.reinterpret_cast %R to offset: [0], sizes: [32], strides: [1] : memref<2x16xi32> to memref<?xi32, strided<[1]>>
    xegpu.store %s, %f[%lane], %true : i32, memref<?xi32, strided<[1]>>, index, i1
    %next = arith.addi %lane, %c16 : index
    xegpu.store %q, %f[%next], %true : i32, memref<?xi32, strided<[1]>>, index, i1"""),
    lambda g: {"R": np.vstack([np.full(16, g["A"].sum()), np.repeat(g["A"].reshape(4, 4).max(axis=1), 4)])})  # fmt: skip

for _n in (2, 4, 8):
    LANE[f"chunks of {_n} by lanes"] = User(kernel("%A: memref<256xf32>, %R: memref<256xf32>, %n: index", f"""
    %lane = gpu.lane_id
    %far = arith.constant {2 * _n} : index
    %o = arith.muli %lane, %far : index
    %m = arith.cmpi ult, %lane, %n : index
    %v = xegpu.load %A[%o], %m <{{chunk_size = {_n} : i64}}> : memref<256xf32>, index, i1 -> vector<{_n}xf32>
    %w = arith.addf %v, %v : vector<{_n}xf32>
    xegpu.store %w, %R[%o], %m <{{chunk_size = {_n} : i64}}> : vector<{_n}xf32>, memref<256xf32>, index, i1"""),
        lambda g, c=_n: {"R": _chunks(g, c, 9)}, scalars={"n": 9})  # fmt: skip


def _chunks(g, chunk, n):
    made = g["R"].copy()
    for i in range(n):
        made[2 * i * chunk : (2 * i + 1) * chunk] = 2 * g["A"][2 * i * chunk : (2 * i + 1) * chunk]
    return made


LANE["scattered descriptors of lanes"] = User(kernel("%A: memref<256xf32>, %R: memref<256xf32>", """
    %lane = gpu.lane_id
    %v1 = vector.broadcast %lane : index to vector<1xindex>
    %by = arith.constant dense<32> : vector<1xindex>
    %true = arith.constant dense<true> : vector<1xi1>
    %a = xegpu.create_tdesc %A, %v1 : memref<256xf32>, vector<1xindex> -> !xegpu.tensor_desc<1xf32, #xegpu.scatter_tdesc_attr<>>
    %b = xegpu.update_offset %a, %by : !xegpu.tensor_desc<1xf32, #xegpu.scatter_tdesc_attr<>>, vector<1xindex>
    xegpu.prefetch %b : !xegpu.tensor_desc<1xf32, #xegpu.scatter_tdesc_attr<>>
    %x = xegpu.load %b, %true : !xegpu.tensor_desc<1xf32, #xegpu.scatter_tdesc_attr<>>, vector<1xi1> -> vector<1xf32>
    %r = xegpu.create_tdesc %R, %v1 : memref<256xf32>, vector<1xindex> -> !xegpu.tensor_desc<1xf32, #xegpu.scatter_tdesc_attr<>>
    xegpu.store %x, %r, %true : vector<1xf32>, !xegpu.tensor_desc<1xf32, #xegpu.scatter_tdesc_attr<>>, vector<1xi1>"""),
    lambda g: {"R": np.concatenate([g["A"][32:48], g["R"][16:]])})  # fmt: skip

LANE["atomics of lanes"] = User(kernel("%A: memref<16xi32>, %R: memref<8xi32>", """
    %lane = gpu.lane_id
    %true = arith.constant true
    %v = xegpu.load %A[%lane], %true : memref<16xi32>, index, i1 -> i32
    %w = arith.index_cast %v : i32 to index
    %b = arith.addi %w, %c4 : index
    %one = arith.constant 3 : i32
    %old = memref.atomic_rmw addi %one, %R[%b] : (i32, memref<8xi32>) -> i32"""),
    lambda g: {"R": g["R"] + 3 * np.bincount(g["A"] + 4, minlength=8)})  # fmt: skip

_T = desc("8x16xf32")
LANE["descriptors moved and swapped"] = User(kernel("%A: memref<32x64xf32>, %R: memref<8x16xf32>", f"""
    %a0 = xegpu.create_nd_tdesc %A[%c0, %c0] : memref<32x64xf32> -> {_T}
    %b0 = xegpu.create_nd_tdesc %A[%c16, %c16] : memref<32x64xf32> -> {_T}
    %z = arith.constant dense<0.0> : vector<8xf32>
    %two = arith.constant dense<2.0> : vector<8xf32>
    %r:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %a0, %b = %b0, %acc = %z) -> ({_T}, {_T}, vector<8xf32>) {{
      %x = xegpu.load_nd %a : {_T} -> vector<8xf32>
      %d = arith.mulf %acc, %two : vector<8xf32>
      %s = arith.addf %d, %x : vector<8xf32>
      %a1 = xegpu.update_nd_offset %a, [0, 16] : {_T}
      scf.yield %b, %a1, %s : {_T}, {_T}, vector<8xf32>
    }}
    %c = xegpu.create_nd_tdesc %R[%c0, %c0] : memref<8x16xf32> -> {_T}
    xegpu.store_nd %r#2, %c : vector<8xf32>, {_T}"""), lambda g: {
    "R": g["A"][:8, :16] * 8 + g["A"][16:24, 16:32] * 4 + g["A"][:8, 16:32] * 2 + g["A"][16:24, 32:48]})  # fmt: skip

LANE["a transposed load of words"] = User(
    kernel(
        "%A: memref<32x16xf32>, %R: memref<8x16xf32>",
        """
    %t = xegpu.create_nd_tdesc %A : memref<32x16xf32> -> !xegpu.tensor_desc<16x8xf32>
    %v = xegpu.load_nd %t[%c8, %c4] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xf32> -> vector<8xf32>
    %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %v, %r[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>""",
    ),
    lambda g: {"R": g["A"][8:24, 4:12].T},
)

LANE["two blocks by one message"] = User(kernel("%A: memref<16x64xf16>, %R: memref<8x32xf16>", """
    %t = xegpu.create_nd_tdesc %A : memref<16x64xf16> -> !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %v = xegpu.load_nd %t[%c8, %c16] : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<16xf16>
    %x = vector.extract_strided_slice %v {offsets = [8], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %y = vector.extract_strided_slice %v {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %r = xegpu.create_nd_tdesc %R : memref<8x32xf16> -> !xegpu.tensor_desc<8x16xf16>
    xegpu.store_nd %x, %r[%c0, %c0] : vector<8xf16>, !xegpu.tensor_desc<8x16xf16>
    xegpu.store_nd %y, %r[%c0, %c16] : vector<8xf16>, !xegpu.tensor_desc<8x16xf16>"""),
    lambda g: {"R": np.hstack([g["A"][8:, 32:48], g["A"][8:, 16:32]])})  # fmt: skip

LANE["elements taken out and put in"] = User(kernel("%A: memref<8x16xi32>, %R: memref<8x16xi32>, %p: index", """
    %t = xegpu.create_nd_tdesc %A : memref<8x16xi32> -> !xegpu.tensor_desc<8x16xi32>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<8x16xi32> -> vector<8xi32>
    %x = vector.extract %v[%p] : i32 from vector<8xi32>
    %id = gpu.lane_id
    %i = arith.index_cast %id : index to i32
    %s = arith.addi %x, %i : i32
    %w = vector.insert %s, %v[0] : i32 into vector<8xi32>
    %u = vector.insert %i, %w[%p] : i32 into vector<8xi32>
    %r = xegpu.create_nd_tdesc %R : memref<8x16xi32> -> !xegpu.tensor_desc<8x16xi32>
    xegpu.store_nd %u, %r[%c0, %c0] : vector<8xi32>, !xegpu.tensor_desc<8x16xi32>"""),
    lambda g: {"R": np.vstack([g["A"][5] + np.arange(16), g["A"][1:5], np.arange(16)[None], g["A"][6:]])}, scalars={"p": 5})  # fmt: skip

for _e, _layout in (
    ("f32", ""),
    ("f16", ", #xegpu.mem_layout<stride = [1, 16]>"),
    ("f32", ", #xegpu.mem_layout<block = [8, 16]>"),
):
    _bytes = 16 * 32 * {"f32": 4, "f16": 2}[_e]
    _m = f"!xegpu.mem_desc<16x32x{_e}{_layout}>"
    LANE[f"matrices of lanes {_e}{_layout[-20:]}"] = User(kernel(f"%A: memref<8x32x{_e}>, %R: memref<16x{_e}>, %R2: memref<16x{_e}>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<8x32x{_e}> -> !xegpu.tensor_desc<8x16x{_e}>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<8x16x{_e}> -> vector<8x{_e}>
    %slm = memref.alloca() : memref<{_bytes}xi8, 3>
    %m = xegpu.create_mem_desc %slm : memref<{_bytes}xi8, 3> -> {_m}
    %lane = gpu.lane_id
    %x0 = vector.extract %v[0] : {_e} from vector<8x{_e}>
    %x1 = vector.extract %v[1] : {_e} from vector<8x{_e}>
    xegpu.store_matrix %x0, %m[%c4, %lane] : {_e}, {_m}, index, index
    xegpu.store_matrix %x1, %m[%lane, %c16] : {_e}, {_m}, index, index
    gpu.barrier
    %c15 = arith.constant 15 : index
    %back = arith.subi %c15, %lane : index
    %y = xegpu.load_matrix %m[%c4, %back] : {_m}, index, index -> {_e}
    %w = xegpu.load_matrix %m[%back, %c16] : {_m}, index, index -> {_e}
    %true = arith.constant true
    xegpu.store %y, %R[%lane], %true : {_e}, memref<16x{_e}>, index, i1
    xegpu.store %w, %R2[%lane], %true : {_e}, memref<16x{_e}>, index, i1"""),
        lambda g: {"R": g["A"][0, 15::-1], "R2": g["A"][1, 15::-1]})  # fmt: skip

LANE["a branch by lanes"] = User(kernel("%A: memref<16xf32>, %R: memref<16xf32>", """
    %lane = gpu.lane_id
    %true = arith.constant true
    %v = xegpu.load %A[%lane], %true : memref<16xf32>, index, i1 -> f32
    %odd = arith.andi %lane, %c1 : index
    %is = arith.cmpi eq, %odd, %c0 : index
    %w = scf.if %is -> (f32) {
      %n = arith.negf %v : f32
      scf.yield %n : f32
    } else {
      %e = arith.mulf %v, %v : f32
      scf.yield %e : f32
    }
    scf.if %is {
      xegpu.store %w, %R[%lane], %true : f32, memref<16xf32>, index, i1
    } else {
      %u = arith.addf %w, %w : f32
      xegpu.store %u, %R[%lane], %true : f32, memref<16xf32>, index, i1
    }"""), lambda g: {"R": np.where(np.arange(16) % 2 == 0, -g["A"], 2 * g["A"] ** 2)})  # fmt: skip

LANE["lines of one dimension"] = User(kernel("%A: memref<256xf32>, %R: memref<256xf32>", """
    %t = xegpu.create_nd_tdesc %A : memref<256xf32> -> !xegpu.tensor_desc<64xf32>
    %v = xegpu.load_nd %t[%c64] : !xegpu.tensor_desc<64xf32> -> vector<4xf32>
    %w = arith.negf %v : vector<4xf32>
    %r = xegpu.create_nd_tdesc %R : memref<256xf32> -> !xegpu.tensor_desc<64xf32>
    xegpu.store_nd %w, %r[%c128] : vector<4xf32>, !xegpu.tensor_desc<64xf32>"""),
    lambda g: {"R": np.concatenate([g["R"][:128], -g["A"][64:128], g["R"][192:]])})  # fmt: skip

LANE["vectors of two dimensions"] = User(kernel("%A: memref<8x16xf32>, %R: memref<16x16xf32>", """
    %t = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8xf32>
    %m = vector.shape_cast %v : vector<8xf32> to vector<2x4xf32>
    %b = vector.broadcast %m : vector<2x4xf32> to vector<2x2x4xf32>
    %u = vector.transpose %b, [1, 0, 2] : vector<2x2x4xf32> to vector<2x2x4xf32>
    %r = xegpu.create_nd_tdesc %R : memref<16x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    %u0 = vector.extract %u[0] : vector<2x4xf32> from vector<2x2x4xf32>
    %u1 = vector.extract %u[1] : vector<2x4xf32> from vector<2x2x4xf32>
    %f0 = vector.shape_cast %u0 : vector<2x4xf32> to vector<8xf32>
    %f1 = vector.shape_cast %u1 : vector<2x4xf32> to vector<8xf32>
    xegpu.store_nd %f0, %r[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %f1, %r[%c8, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>"""),
    lambda g: {"R": np.broadcast_to(g["A"].reshape(1, 2, 4, 16), (2, 2, 4, 16)).transpose(1, 0, 2, 3).reshape(16, 16)})  # fmt: skip

LANE["parts of matrices of a lane"] = User(kernel("%A: memref<8x16xf32>, %R: memref<8x16xf32>", """
    %t = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8xf32>
    %m = vector.shape_cast %v : vector<8xf32> to vector<4x2xf32>
    %p = vector.extract_strided_slice %m {offsets = [1, 1], sizes = [2, 1], strides = [1, 1]} : vector<4x2xf32> to vector<2x1xf32>
    %b = vector.broadcast %p : vector<2x1xf32> to vector<2x2xf32>
    %n = vector.insert_strided_slice %b, %m {offsets = [2, 0], strides = [1, 1]} : vector<2x2xf32> into vector<4x2xf32>
    %s = vector.shuffle %n, %m [3, 0, 5, 4] : vector<4x2xf32>, vector<4x2xf32>
    %f = vector.shape_cast %s : vector<4x2xf32> to vector<8xf32>
    %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %f, %r[%c0, %c0] : vector<8xf32>, !xegpu.tensor_desc<8x16xf32>"""),
    lambda g: {"R": g["A"][[5, 5, 0, 1, 2, 3, 0, 1]]})  # fmt: skip


def apart(name: str, first: str, second: str) -> None:
    """Lanes above 1 go twice through `first` and `second`, which add, with a message of the whole subgroup between them."""
    block, type = "!xegpu.tensor_desc<4x16xi32>", "vector<4xi32>"
    LANE[name] = User(kernel("%A: memref<8x16xi32>, %R: memref<8x16xi32>", f"""
    %lane = gpu.lane_id
    %m = arith.cmpi ult, %c1, %lane : index
    %ta = xegpu.create_nd_tdesc %A : memref<8x16xi32> -> {block}
    %tr = xegpu.create_nd_tdesc %R : memref<8x16xi32> -> {block}
    %a = xegpu.load_nd %ta[%c0, %c0] : {block} -> {type}
    %p = {first.format(start="%a", more="%a")}
    %b = xegpu.load_nd %ta[%c4, %c0] : {block} -> {type}
    %q = {second.format(start="%b", more="%p")}
    xegpu.store_nd %b, %tr[%c0, %c0] : {type}, {block}
    xegpu.store_nd %q, %tr[%c4, %c0] : {type}, {block}"""),
        lambda g: {"R": np.vstack([g["A"][4:], g["A"][4:] + np.where(np.arange(16) > 1, g["A"][:4] * 2, 0)])})  # fmt: skip


_LOOP = """scf.for %i = %c1 to %lane step %c16 iter_args(%u = {start}) -> (vector<4xi32>) {{
      %s = arith.addi %u, {more} : vector<4xi32>
      scf.yield %s : vector<4xi32>
    }}"""
_BRANCH = """scf.if %m -> (vector<4xi32>) {{
      %s = arith.addi {start}, {more} : vector<4xi32>
      scf.yield %s : vector<4xi32>
    }} else {{
      scf.yield {start} : vector<4xi32>
    }}"""
_WHILE = """scf.while (%u = {start}, %g = %m) : (vector<4xi32>, i1) -> vector<4xi32> {{
      scf.condition(%g) %u : vector<4xi32>
    }} do {{
    ^bb0(%u: vector<4xi32>):
      %s = arith.addi %u, {more} : vector<4xi32>
      %false = arith.constant false
      scf.yield %s, %false : vector<4xi32>, i1
    }}"""
for _name, _ways in {"loops": (_LOOP, _LOOP), "branches": (_BRANCH, _BRANCH), "loops with conditions": (_WHILE, _WHILE),
                     "a branch and a loop": (_BRANCH, _LOOP)}.items():  # fmt: skip
    apart(f"{_name} that the same lanes go into, a block's load between", *_ways)
