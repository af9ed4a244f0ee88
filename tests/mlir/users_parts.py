"""Modules of subgroups and of lanes of kinds that others write and the other tables lack."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import User, desc, kernel, load, store, wide

PARTS: dict[str, User] = {}
_V, _T = "vector<8x16xf32>", desc("8x16xf32")


def part(name, arguments, body, meaning, **more):
    PARTS[name] = User(kernel(arguments, body, more.pop("said", "")), meaning, **more)


def block_user(body, meaning, e="f32", shape="8x16", out="", oute=""):
    """`%y` of `%x`, a block of a subgroup."""
    out, oute = out or shape, oute or e
    moved = f"{load('x', 'A', f'{shape}x{e}', f'{shape}x{e}')}\n{body}\n{store('y', 'R', f'{out}x{oute}', f'{out}x{oute}')}"
    return User(kernel(f"%A: memref<{shape}x{e}>, %R: memref<{out}x{oute}>", moved), lambda g: {"R": meaning(g["A"])})


def of_block(name, *parts, **more):
    PARTS[name] = block_user(*parts, **more)


# Products: few rows, without a sum to add to, of other sums, of blocks side by side.
for _m in (1, 2, 4):
    part(f"a product of {_m} rows", f"%A: memref<{_m}x16xf16>, %B: memref<16x16xf16>, %R: memref<{_m}x16xf32>", f"""
{load("a", "A", f"{_m}x16xf16", f"{_m}x16xf16")}
{load("b", "B", "16x16xf16", "16x16xf16", props="<{packed}>", gives="8x16x2xf16")}
    %y = xegpu.dpas %a, %b : vector<{_m}x16xf16>, vector<8x16x2xf16> -> vector<{_m}x16xf32>
{store("y", "R", f"{_m}x16xf32", f"{_m}x16xf32")}""", lambda g: {"R": wide(g["A"]) @ wide(g["B"])})  # fmt: skip
for _e in ("f16", "bf16"):
    part(f"a product of {_e} summed in {_e}", f"%A: memref<8x16x{_e}>, %B: memref<16x16x{_e}>, %C: memref<8x16x{_e}>, %R: memref<8x16x{_e}>", f"""
{load("a", "A", f"8x16x{_e}", f"8x16x{_e}")}
{load("b", "B", f"16x16x{_e}", f"16x16x{_e}")}
{load("c", "C", f"8x16x{_e}", f"8x16x{_e}")}
    %y = xegpu.dpas %a, %b, %c : vector<8x16x{_e}>, vector<16x16x{_e}>, vector<8x16x{_e}> -> vector<8x16x{_e}>
{store("y", "R", f"8x16x{_e}", f"8x16x{_e}")}""", lambda g: {"R": wide(g["A"]) @ wide(g["B"]) + wide(g["C"])}, near=1e-2)  # fmt: skip
_TWO = desc("16x16xf16", "#xegpu.block_tdesc_attr<array_length = 2 : i64>")
part("two packed blocks side by side, each multiplied", "%A: memref<8x16xf16>, %B: memref<16x32xf16>, %R: memref<8x32xf32>", f"""
{load("a", "A", "8x16xf16", "8x16xf16")}
    %t = xegpu.create_nd_tdesc %B : memref<16x32xf16> -> {_TWO}
    %b = xegpu.load_nd %t[0, 0] <{{packed}}> : {_TWO} -> vector<2x8x16x2xf16>
    %b0 = vector.extract %b[0] : vector<8x16x2xf16> from vector<2x8x16x2xf16>
    %b1 = vector.extract %b[1] : vector<8x16x2xf16> from vector<2x8x16x2xf16>
    %p = xegpu.dpas %a, %b0 : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %q = xegpu.dpas %a, %b1 : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
{store("p", "R", "8x32xf32", "8x16xf32")}
{store("q", "R", "8x32xf32", "8x16xf32", "0, 16")}""", lambda g: {"R": wide(g["A"]) @ wide(g["B"])})  # fmt: skip
part("a product whose A a transpose turns", "%A: memref<16x8xf32>, %B: memref<16x16xf16>, %R: memref<8x16xf32>", f"""
{load("w", "A", "16x8xf32", "16x8xf32", props="<{transpose = array<i64: 1, 0>}>", gives="8x16xf32")}
    %a = arith.truncf %w : vector<8x16xf32> to vector<8x16xf16>
{load("b", "B", "16x16xf16", "16x16xf16")}
    %y = xegpu.dpas %a, %b : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
{store("y", "R", "8x16xf32", "8x16xf32")}""", lambda g: {"R": g["A"].T @ wide(g["B"])})  # fmt: skip
part("a product in which k is done in pieces by a while loop", "%A: memref<8x64xi8>, %B: memref<64x16xi8>, %R: memref<8x16xi32>, %n: index", f"""
    %ta = xegpu.create_nd_tdesc %A[0, 0] : memref<8x64xi8> -> {desc("8x32xi8")}
    %tb = xegpu.create_nd_tdesc %B[0, 0] : memref<64x16xi8> -> {desc("32x16xi8")}
    %z = arith.constant dense<0> : vector<8x16xi32>
    %r:4 = scf.while (%i = %c0, %a = %ta, %b = %tb, %acc = %z) : (index, {desc("8x32xi8")}, {desc("32x16xi8")}, vector<8x16xi32>)
        -> (index, {desc("8x32xi8")}, {desc("32x16xi8")}, vector<8x16xi32>) {{
      %go = arith.cmpi ult, %i, %n : index
      scf.condition(%go) %i, %a, %b, %acc : index, {desc("8x32xi8")}, {desc("32x16xi8")}, vector<8x16xi32>
    }} do {{
    ^bb0(%i: index, %a: {desc("8x32xi8")}, %b: {desc("32x16xi8")}, %acc: vector<8x16xi32>):
      %x = xegpu.load_nd %a : {desc("8x32xi8")} -> vector<8x32xi8>
      %y = xegpu.load_nd %b <{{packed}}> : {desc("32x16xi8")} -> vector<8x16x4xi8>
      %s = xegpu.dpas %x, %y, %acc : vector<8x32xi8>, vector<8x16x4xi8>, vector<8x16xi32> -> vector<8x16xi32>
      %a1 = xegpu.update_nd_offset %a, [0, 32] : {desc("8x32xi8")}
      %b1 = xegpu.update_nd_offset %b, [32, 0] : {desc("32x16xi8")}
      %j = arith.addi %i, %c32 : index
      scf.yield %j, %a1, %b1, %s : index, {desc("8x32xi8")}, {desc("32x16xi8")}, vector<8x16xi32>
    }}
    %o = xegpu.create_nd_tdesc %R : memref<8x16xi32> -> {desc("8x16xi32")}
    xegpu.store_nd %r#3, %o[0, 0] : vector<8x16xi32>, {desc("8x16xi32")}""",
    lambda g: {"R": g["A"].astype(int) @ g["B"].astype(int)}, scalars={"n": 64})  # fmt: skip

# Sums of rows and columns that are carried, and used in both ways.
of_block("sums of rows that a loop carries", f"""
    %z = arith.constant dense<0.0> : vector<8xf32>
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %z) -> (vector<8xf32>) {{
      %h = arith.addf %m, %m : vector<8xf32>
      %n = vector.multi_reduction <add>, %x, %h [1] : {_V} to vector<8xf32>
      scf.yield %n : vector<8xf32>
    }}
    %c = vector.shape_cast %r : vector<8xf32> to vector<8x1xf32>
    %b = vector.broadcast %c : vector<8x1xf32> to {_V}
    %y = arith.addf %x, %b : {_V}""", lambda a: a + 15 * a.sum(1, keepdims=True))  # fmt: skip
of_block("sums of rows that a branch chooses, as a line", """
    %z = arith.constant dense<1.0> : vector<16xf32>
    %r = vector.multi_reduction <add>, %x, %z [1] : vector<16x16xf32> to vector<16xf32>
    %first = vector.extract %r[3] : f32 from vector<16xf32>
    %zero = arith.constant 0.0 : f32
    %up = arith.cmpf ogt, %first, %zero : f32
    %q = scf.if %up -> (vector<16xf32>) {
      %d = arith.mulf %r, %r : vector<16xf32>
      scf.yield %d : vector<16xf32>
    } else {
      scf.yield %r : vector<16xf32>
    }
    %b = vector.broadcast %q : vector<16xf32> to vector<16x16xf32>
    %y = arith.addf %x, %b : vector<16x16xf32>""",
    lambda a: a + (lambda r: r * r if r[3] > 0 else r)(a.sum(1) + 1), shape="16x16")  # fmt: skip
of_block("one constant for a column and for a line", """
    %z = arith.constant dense<0.0> : vector<16xf32>
    %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%m = %z, %n = %z) -> (vector<16xf32>, vector<16xf32>) {
      %p = vector.multi_reduction <maximumf>, %x, %m [1] : vector<16x16xf32> to vector<16xf32>
      %q = vector.multi_reduction <add>, %x, %n [0] : vector<16x16xf32> to vector<16xf32>
      scf.yield %p, %q : vector<16xf32>, vector<16xf32>
    }
    %c = vector.shape_cast %r#0 : vector<16xf32> to vector<16x1xf32>
    %b = vector.broadcast %c : vector<16x1xf32> to vector<16x16xf32>
    %d = vector.broadcast %r#1 : vector<16xf32> to vector<16x16xf32>
    %y = arith.subf %b, %d : vector<16x16xf32>""",
    lambda a: np.maximum(a.max(1, keepdims=True), 0) - 2 * a.sum(0), shape="16x16")  # fmt: skip
of_block("columns and lines swapped by a loop", """
    %z = arith.constant dense<1.0> : vector<16xf32>
    %o = arith.constant dense<0.0> : vector<16xf32>
    %c3 = arith.constant 3 : index
    %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%m = %z, %n = %o) -> (vector<16xf32>, vector<16xf32>) {
      %p = vector.multi_reduction <add>, %x, %m [1] : vector<16x16xf32> to vector<16xf32>
      %q = vector.multi_reduction <add>, %x, %n [0] : vector<16x16xf32> to vector<16xf32>
      scf.yield %q, %p : vector<16xf32>, vector<16xf32>
    }
    %b = vector.broadcast %r#0 : vector<16xf32> to vector<16x16xf32>
    %c = vector.shape_cast %r#1 : vector<16xf32> to vector<16x1xf32>
    %d = vector.broadcast %c : vector<16x1xf32> to vector<16x16xf32>
    %y = arith.subf %b, %d : vector<16x16xf32>""", lambda a: _swapped(a), shape="16x16")  # fmt: skip


def _swapped(a):
    m, n = np.ones(16, np.float32), np.zeros(16, np.float32)
    for _ in range(3):
        m, n = a.sum(0) + n, a.sum(1) + m
    return m - n[:, None]


# Ranks, casts, bits and masks.
of_block("through five shapes", """
    %a = vector.shape_cast %x : vector<8x16xf32> to vector<128xf32>
    %b = vector.shape_cast %a : vector<128xf32> to vector<4x2x16xf32>
    %t = vector.transpose %b, [1, 0, 2] : vector<4x2x16xf32> to vector<2x4x16xf32>
    %c = vector.shape_cast %t : vector<2x4x16xf32> to vector<2x64xf32>
    %d = vector.transpose %c, [1, 0] : vector<2x64xf32> to vector<64x2xf32>
    %y = vector.shape_cast %d : vector<64x2xf32> to vector<8x16xf32>""",
    lambda a: a.reshape(4, 2, 16).transpose(1, 0, 2).reshape(2, 64).T.reshape(8, 16))  # fmt: skip
of_block("cut out of rank 3, and put in", """
    %a = vector.shape_cast %x : vector<8x16xf32> to vector<2x4x16xf32>
    %p = vector.extract_strided_slice %a {offsets = [0, 1, 4], sizes = [2, 2, 8], strides = [1, 1, 1]} : vector<2x4x16xf32> to vector<2x2x8xf32>
    %q = arith.negf %p : vector<2x2x8xf32>
    %b = vector.insert_strided_slice %q, %a {offsets = [0, 2, 0], strides = [1, 1, 1]} : vector<2x2x8xf32> into vector<2x4x16xf32>
    %y = vector.shape_cast %b : vector<2x4x16xf32> to vector<8x16xf32>""", lambda a: _cut(a))  # fmt: skip


def _cut(a):
    b = a.reshape(2, 4, 16).copy()
    b[:, 2:4, :8] = -a.reshape(2, 4, 16)[:, 1:3, 4:12]
    return b.reshape(8, 16)


of_block("masks combined", f"""
    %z = arith.constant dense<0.0> : {_V}
    %one = arith.constant dense<1.0> : {_V}
    %p = arith.cmpf ogt, %x, %z : {_V}
    %q = arith.cmpf olt, %x, %one : {_V}
    %t = arith.constant dense<true> : vector<8x16xi1>
    %n = arith.xori %p, %t : vector<8x16xi1>
    %a = arith.andi %n, %q : vector<8x16xi1>
    %o = arith.ori %a, %p : vector<8x16xi1>
    %b = arith.extui %o : vector<8x16xi1> to vector<8x16xi32>
    %c = arith.extsi %a : vector<8x16xi1> to vector<8x16xi32>
    %d = arith.subi %b, %c : vector<8x16xi32>
    %y = arith.sitofp %d : vector<8x16xi32> to {_V}""", lambda a: 1 + (a <= 0))  # fmt: skip
for _kind, _e, _start, _of in (
    ("mul", "i32", "2", lambda a: 2 * np.prod(a.astype(np.int32), dtype=np.int32)),
    ("minnumf", "f16", "0.0", lambda a: min(0, a.min())),
    ("or", "i8", "1", lambda a: np.bitwise_or.reduce(a, axis=None) | np.int8(1)),
    ("maxui", "i16", "0", lambda a: np.max(a.view(np.uint16)).view(np.int16)),
):  # fmt: skip
    of_block(f"all by {_kind} of {_e}", f"""
    %z = arith.constant {_start} : {_e}
    %s = vector.multi_reduction <{_kind}>, %x, %z [0, 1] : vector<8x16x{_e}> to {_e}
    %y = vector.broadcast %s : {_e} to vector<8x16x{_e}>""", lambda a, of=_of: np.full(a.shape, of(a)), e=_e)  # fmt: skip

# Descriptors and memory.
part("three descriptors by turns", "%A: memref<64x16xf32>, %R: memref<8x16xf32>", f"""
    %a = xegpu.create_nd_tdesc %A[0, 0] : memref<64x16xf32> -> {_T}
    %b = xegpu.create_nd_tdesc %A[24, 0] : memref<64x16xf32> -> {_T}
    %c = xegpu.create_nd_tdesc %A[48, 0] : memref<64x16xf32> -> {_T}
    %z = arith.constant dense<0.0> : {_V}
    %r:4 = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %a, %q = %b, %s = %c, %acc = %z) -> ({_T}, {_T}, {_T}, {_V}) {{
      xegpu.prefetch_nd %q <{{l1_hint = #xegpu.cache_hint<cached>, l3_hint = #xegpu.cache_hint<uncached>}}> : {_T}
      %x = xegpu.load_nd %p <{{l1_hint = #xegpu.cache_hint<streaming>}}> : {_T} -> {_V}
      %d = arith.addf %acc, %acc : {_V}
      %n = arith.addf %d, %x : {_V}
      %m = xegpu.update_nd_offset %p, [8, 0] : {_T}
      scf.yield %q, %s, %m, %n : {_T}, {_T}, {_T}, {_V}
    }}
    %o = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {_T}
    xegpu.store_nd %r#3, %o[0, 0] <{{l1_hint = #xegpu.cache_hint<write_back>}}> : {_V}, {_T}""",
    lambda g: {"R": sum(2 ** (3 - i) * g["A"][at : at + 8] for i, at in enumerate((0, 24, 48, 8)))})  # fmt: skip
PARTS["a function that gives a descriptor"] = User(f"""
gpu.module @m {{
  func.func @moved(%t: {_T}, %by: index) -> ({_T}, index) {{
    %c8 = arith.constant 8 : index
    %n = arith.muli %by, %c8 : index
    %m = xegpu.update_nd_offset %t, [%n, 0] : {_T}
    return %m, %n : {_T}, index
  }}
  func.func @loaded(%t: {_T}) -> {_V} {{
    %c2 = arith.constant 2 : index
    %m, %n = func.call @moved(%t, %c2) : ({_T}, index) -> ({_T}, index)
    %x = xegpu.load_nd %m : {_T} -> {_V}
    return %x : {_V}
  }}
  gpu.func @k(%A: memref<64x16xf32>, %R: memref<64x16xf32>) kernel {{
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %t = xegpu.create_nd_tdesc %A[0, 0] : memref<64x16xf32> -> {_T}
    %m, %n = func.call @moved(%t, %c1) : ({_T}, index) -> ({_T}, index)
    %x = func.call @loaded(%m) : ({_T}) -> {_V}
    %o = xegpu.create_nd_tdesc %R : memref<64x16xf32> -> {_T}
    xegpu.store_nd %x, %o[%n, %c0] : {_V}, {_T}
    gpu.return
  }}
}}
""", lambda g: {"R": np.vstack([g["R"][:8], g["A"][24:32], g["R"][16:]])})  # fmt: skip
part("a block moved up and to the left", "%A: memref<32x64xf16>, %R: memref<16x32xf16>", f"""
    %t = xegpu.create_nd_tdesc %A[24, 48] : memref<32x64xf16> -> {desc("8x16xf16")}
    %m = arith.constant -16 : index
    %u = xegpu.update_nd_offset %t, [%m, %m] : {desc("8x16xf16")}
    %v = xegpu.update_nd_offset %u, [-8, -32] : {desc("8x16xf16")}
    %x = xegpu.load_nd %u : {desc("8x16xf16")} -> vector<8x16xf16>
    %y = xegpu.load_nd %v : {desc("8x16xf16")} -> vector<8x16xf16>
{store("x", "R", "16x32xf16", "8x16xf16")}
{store("y", "R", "16x32xf16", "8x16xf16", "8, 16")}""",
    lambda g: {"R": np.block([[g["A"][8:16, 32:48], g["R"][:8, 16:]], [g["R"][8:, :16], g["A"][:8, :16]]])})  # fmt: skip
part("no check of bounds, of a line and a block", "%A: memref<64xf32>, %B: memref<16x32xf16>, %R: memref<64xf32>, %S: memref<8x16xf16>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<64xf32> -> {desc("32xf32", "#xegpu.block_tdesc_attr<boundary_check = false>")}
    %x = xegpu.load_nd %t[16] : {desc("32xf32", "#xegpu.block_tdesc_attr<boundary_check = false>")} -> vector<32xf32>
    %o = xegpu.create_nd_tdesc %R : memref<64xf32> -> {desc("32xf32")}
    xegpu.store_nd %x, %o[32] : vector<32xf32>, {desc("32xf32")}
    %b = xegpu.create_nd_tdesc %B : memref<16x32xf16> -> {desc("8x16xf16", "#xegpu.block_tdesc_attr<boundary_check = false>")}
    %y = xegpu.load_nd %b[8, 16] : {desc("8x16xf16", "#xegpu.block_tdesc_attr<boundary_check = false>")} -> vector<8x16xf16>
{store("y", "S", "8x16xf16", "8x16xf16")}""",
    lambda g: {"R": np.hstack([g["R"][:32], g["A"][16:48]]), "S": g["B"][8:, 16:]})  # fmt: skip
_SLM = desc("64xf32", "#xegpu.block_tdesc_attr<memory_space = slm>")
part("a line of shared memory", "%A: memref<64xf32>, %R: memref<64xf32>", f"""
    %s = memref.alloca() : memref<64xf32, 3>
{load("x", "A", "64xf32", "64xf32", "0")}
    %t = xegpu.create_nd_tdesc %s : memref<64xf32, 3> -> {_SLM}
    xegpu.store_nd %x, %t[0] : vector<64xf32>, {_SLM}
    xegpu.fence memory_kind = slm, fence_scope = workgroup
    %h = xegpu.create_nd_tdesc %s : memref<64xf32, 3> -> {desc("32xf32", "#xegpu.block_tdesc_attr<memory_space = slm>")}
    %y = xegpu.load_nd %h[32] : {desc("32xf32", "#xegpu.block_tdesc_attr<memory_space = slm>")} -> vector<32xf32>
{store("y", "R", "64xf32", "32xf32", "0")}""", lambda g: {"R": np.hstack([g["A"][32:], g["R"][32:]])})  # fmt: skip
for _chunk, _e in ((2, "f32"), (8, "f16"), (16, "i8"), (3, "i32"), (4, "i64")):
    _d = desc(f"16x{_chunk}x{_e}", f"#xegpu.scatter_tdesc_attr<chunk_size = {_chunk} : i64>")
    part(f"chunks of {_chunk} {_e}, moved, some masked", f"%A: memref<1024x{_e}>, %R: memref<1024x{_e}>", f"""
    %i = vector.step : vector<16xindex>
    %by = arith.constant dense<{2 * _chunk}> : vector<16xindex>
    %o = arith.muli %i, %by : vector<16xindex>
    %ten = arith.constant dense<10> : vector<16xindex>
    %m = arith.cmpi ult, %i, %ten : vector<16xindex>
    %all = arith.constant dense<true> : vector<16xi1>
    %t = xegpu.create_tdesc %A, %o : memref<1024x{_e}>, vector<16xindex> -> {_d}
    %step = arith.constant dense<{_chunk}> : vector<16xindex>
    %u = xegpu.update_offset %t, %step : {_d}, vector<16xindex>
    xegpu.prefetch %u <{{l1_hint = #xegpu.cache_hint<cached>}}> : {_d}
    %x = xegpu.load %t, %all : {_d}, vector<16xi1> -> vector<16x{_chunk}x{_e}>
    %y = xegpu.load %u, %all : {_d}, vector<16xi1> -> vector<16x{_chunk}x{_e}>
    %s = arith.add{"f" if _e[0] == "f" else "i"} %x, %y : vector<16x{_chunk}x{_e}>
    %r = xegpu.create_tdesc %R, %o : memref<1024x{_e}>, vector<16xindex> -> {_d}
    xegpu.store %s, %r, %m : vector<16x{_chunk}x{_e}>, {_d}, vector<16xi1>""",
    lambda g, c=_chunk: {"R": _chunks(g, c)})  # fmt: skip


def _chunks(g, chunk):
    r, a = g["R"].copy(), g["A"]
    for lane in range(10):
        at = lane * 2 * chunk
        r[at : at + chunk] = a[at : at + chunk] + a[at + chunk : at + 2 * chunk]
    return r


part("gathered from shared memory, reversed", "%A: memref<32xf32>, %R: memref<32xf32>", """
    %s = memref.alloca() : memref<32xf32, 3>
    %i = vector.step : vector<32xindex>
    %m = arith.constant dense<true> : vector<32xi1>
    %x = xegpu.load %A[%i], %m : memref<32xf32>, vector<32xindex>, vector<32xi1> -> vector<32xf32>
    xegpu.store %x, %s[%i], %m : vector<32xf32>, memref<32xf32, 3>, vector<32xindex>, vector<32xi1>
    gpu.barrier
    %l = arith.constant dense<31> : vector<32xindex>
    %o = arith.subi %l, %i : vector<32xindex>
    %y = xegpu.load %s[%o], %m : memref<32xf32, 3>, vector<32xindex>, vector<32xi1> -> vector<32xf32>
    xegpu.store %y, %R[%i], %m : vector<32xf32>, memref<32xf32>, vector<32xindex>, vector<32xi1>""",
    lambda g: {"R": g["A"][::-1]})  # fmt: skip
part("indices that indices point to", "%A: memref<64xf32>, %I: memref<16xi32>, %R: memref<16xf32>, %n: index", """
    %i = vector.step : vector<16xindex>
    %four = arith.constant dense<4> : vector<16xi32>
    %all = arith.constant dense<true> : vector<16xi1>
    %v = xegpu.load %I[%i], %all : memref<16xi32>, vector<16xindex>, vector<16xi1> -> vector<16xi32>
    %w = arith.addi %v, %four : vector<16xi32>
    %o = arith.index_cast %w : vector<16xi32> to vector<16xindex>
    %b = vector.broadcast %n : index to vector<16xindex>
    %m = arith.cmpi ult, %o, %b : vector<16xindex>
    %x = xegpu.load %A[%o], %m : memref<64xf32>, vector<16xindex>, vector<16xi1> -> vector<16xf32>
    %z = arith.constant dense<-7.0> : vector<16xf32>
    %y = arith.select %m, %x, %z : vector<16xi1>, vector<16xf32>
    xegpu.store %y, %R[%i], %all <{l1_hint = #xegpu.cache_hint<write_through>, l2_hint = #xegpu.cache_hint<write_back>}> : vector<16xf32>, memref<16xf32>, vector<16xindex>, vector<16xi1>""",
    lambda g: {"R": np.where(g["I"] + 4 < 5, g["A"][g["I"] + 4], -7)}, scalars={"n": 5})  # fmt: skip
for _l1, _l2 in (
    ("[1, 16], lane_data = [1, 1]", "[16, 1], lane_data = [1, 1]"),
    ("[2, 8], lane_data = [1, 2]", "[1, 16], lane_data = [2, 1]"),
):
    of_block(f"lanes {_l1} to {_l2}", f"""
    %q = xegpu.convert_layout %x <{{input_layout = #xegpu.layout<lane_layout = {_l1}>, target_layout = #xegpu.layout<lane_layout = {_l2}>}}> : vector<16x16xf32>
    %y = arith.addf %q, %q : vector<16x16xf32>""", lambda a: 2 * a, shape="16x16")  # fmt: skip
of_block("a matrix of three dimensions in shared memory", f"""
    %s = memref.alloca() : memref<2048xi8, 3>
    %m = xegpu.create_mem_desc %s : memref<2048xi8, 3> -> !xegpu.mem_desc<2x16x16xf32>
    %v = xegpu.mem_desc_subview %m[1, 0, 0] : !xegpu.mem_desc<2x16x16xf32> -> !xegpu.mem_desc<16x16xf32, #xegpu.mem_layout<stride = [16, 1]>>
    %w = xegpu.mem_desc_subview %v[8, 0] : !xegpu.mem_desc<16x16xf32, #xegpu.mem_layout<stride = [16, 1]>> -> !xegpu.mem_desc<8x16xf32, #xegpu.mem_layout<stride = [16, 1]>>
    xegpu.store_matrix %x, %w[0, 0] : {_V}, !xegpu.mem_desc<8x16xf32, #xegpu.mem_layout<stride = [16, 1]>>
    gpu.barrier
    %a = xegpu.load_matrix %v[8, 0] : !xegpu.mem_desc<16x16xf32, #xegpu.mem_layout<stride = [16, 1]>> -> vector<4x16xf32>
    %b = xegpu.load_matrix %v[12, 0] : !xegpu.mem_desc<16x16xf32, #xegpu.mem_layout<stride = [16, 1]>> -> vector<4x16xf32>
    %z = arith.constant dense<0.0> : {_V}
    %p = vector.insert_strided_slice %b, %z {{offsets = [0, 0], strides = [1, 1]}} : vector<4x16xf32> into {_V}
    %y = vector.insert_strided_slice %a, %p {{offsets = [4, 0], strides = [1, 1]}} : vector<4x16xf32> into {_V}""",
    lambda a: np.vstack([a[4:], a[:4]]))  # fmt: skip
PARTS["vectors alone"] = User(kernel("%A: memref<8x16xf32>, %R: memref<8x16xf32>, %n: index", """
    %z = arith.constant dense<0.0> : vector<8xf16>
    %c = arith.addf %z, %z : vector<8xf16>
    scf.for %j = %c0 to %n step %c1 {
      %d = arith.addf %c, %z : vector<8xf16>
    }"""), lambda g: {}, scalars={"n": 3})  # fmt: skip


# Lanes.
part("lanes: a product of bytes by packed blocks in a loop", "%A: memref<8x64xi8>, %B: memref<64x16xi8>, %R: memref<8x16xi32>", f"""
    %ta = xegpu.create_nd_tdesc %A : memref<8x64xi8> -> {desc("8x32xi8")}
    %tb = xegpu.create_nd_tdesc %B : memref<64x16xi8> -> {desc("32x16xi8")}
    %z = arith.constant dense<0> : vector<8xi32>
    %r = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %z) -> (vector<8xi32>) {{
      xegpu.prefetch_nd %tb[%k, %c0] : {desc("32x16xi8")}
      %a = xegpu.load_nd %ta[%c0, %k] : {desc("8x32xi8")} -> vector<16xi8>
      %b = xegpu.load_nd %tb[%k, %c0] <{{packed}}> : {desc("32x16xi8")} -> vector<32xi8>
      %s = xegpu.dpas %a, %b, %acc : vector<16xi8>, vector<32xi8>, vector<8xi32> -> vector<8xi32>
      scf.yield %s : vector<8xi32>
    }}
    %o = xegpu.create_nd_tdesc %R : memref<8x16xi32> -> {desc("8x16xi32")}
    xegpu.store_nd %r, %o[0, 0] : vector<8xi32>, {desc("8x16xi32")}""",
    lambda g: {"R": g["A"].astype(int) @ g["B"].astype(int)})  # fmt: skip
part("lanes: a largest of all by halves", "%A: memref<8x16xf32>, %R: memref<8x16xf32>", f"""
    %w = arith.constant 16 : i32
    %t = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> {_T}
    %x = xegpu.load_nd %t[0, 0] : {_T} -> vector<8xf32>
    %low = arith.constant 0xFF800000 : f32
    %m0 = vector.multi_reduction <maximumf>, %x, %low [0] : vector<8xf32> to f32
    %b8 = arith.constant 8 : i32
    %b4 = arith.constant 4 : i32
    %b2 = arith.constant 2 : i32
    %b1 = arith.constant 1 : i32
    %s8, %v8 = gpu.shuffle xor %m0, %b8, %w : f32
    %m8 = arith.maximumf %m0, %s8 : f32
    %s4, %v4 = gpu.shuffle xor %m8, %b4, %w : f32
    %m4 = arith.maximumf %m8, %s4 : f32
    %s2, %v2 = gpu.shuffle xor %m4, %b2, %w : f32
    %m2 = arith.maximumf %m4, %s2 : f32
    %s1, %v1 = gpu.shuffle xor %m2, %b1, %w : f32
    %m1 = arith.maximumf %m2, %s1 : f32
    %b = vector.broadcast %m1 : f32 to vector<8xf32>
    %y = arith.subf %x, %b : vector<8xf32>
    %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {_T}
    xegpu.store_nd %y, %r[0, 0] : vector<8xf32>, {_T}""", lambda g: {"R": g["A"] - g["A"].max()})  # fmt: skip
part("lanes: chunks of each lane's own place, by parity", "%A: memref<256xf32>, %R: memref<256xf32>", """
    %lane = gpu.lane_id
    %at = arith.muli %lane, %c8 : index
    %true = arith.constant true
    %odd = arith.remui %lane, %c2 : index
    %even = arith.cmpi eq, %odd, %c0 : index
    %x = xegpu.load %A[%at], %true <{chunk_size = 4 : i64}> : memref<256xf32>, index, i1 -> vector<4xf32>
    %y = scf.if %even -> (vector<4xf32>) {
      %d = arith.addf %x, %x : vector<4xf32>
      scf.yield %d : vector<4xf32>
    } else {
      %n = arith.negf %x : vector<4xf32>
      scf.yield %n : vector<4xf32>
    }
    xegpu.store %y, %R[%at], %even <{chunk_size = 4 : i64}> : vector<4xf32>, memref<256xf32>, index, i1
    %o = arith.addi %at, %c128 : index
    xegpu.store %y, %R[%o], %true <{chunk_size = 4 : i64}> : vector<4xf32>, memref<256xf32>, index, i1""",
    lambda g: {"R": _parity(g)})  # fmt: skip


def _parity(g):
    r, a = g["R"].copy(), g["A"]
    for lane in range(16):
        y = a[8 * lane : 8 * lane + 4] * (-1 if lane % 2 else 2)
        if lane % 2 == 0:
            r[8 * lane : 8 * lane + 4] = y
        r[128 + 8 * lane : 132 + 8 * lane] = y
    return r


part("lanes: a descriptor moved by a nested loop", "%A: memref<32x64xf16>, %R: memref<8x16xf16>", f"""
    %t = xegpu.create_nd_tdesc %A[0, 0] : memref<32x64xf16> -> {desc("8x16xf16")}
    %z = arith.constant dense<0.0> : vector<8xf16>
    %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %t, %acc = %z) -> ({desc("8x16xf16")}, vector<8xf16>) {{
      %q:2 = scf.for %j = %c0 to %c4 step %c1 iter_args(%s = %p, %sum = %acc) -> ({desc("8x16xf16")}, vector<8xf16>) {{
        %x = xegpu.load_nd %s : {desc("8x16xf16")} -> vector<8xf16>
        %n = arith.addf %sum, %x : vector<8xf16>
        %m = xegpu.update_nd_offset %s, [0, 16] : {desc("8x16xf16")}
        scf.yield %m, %n : {desc("8x16xf16")}, vector<8xf16>
      }}
      %back = xegpu.update_nd_offset %q#0, [8, -64] : {desc("8x16xf16")}
      scf.yield %back, %q#1 : {desc("8x16xf16")}, vector<8xf16>
    }}
    %o = xegpu.create_nd_tdesc %R : memref<8x16xf16> -> {desc("8x16xf16")}
    xegpu.store_nd %r#1, %o[0, 0] : vector<8xf16>, {desc("8x16xf16")}""",
    lambda g: {"R": g["A"].reshape(4, 8, 4, 16).sum((0, 2))})  # fmt: skip
