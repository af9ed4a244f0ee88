"""Modules of what is computed: functions and integers of subgroups and workgroups, vectors of rank 3, tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.mlir.users import User, kernel, load, store

VALUES: dict[str, User] = {}
_SPLIT = "#l = #xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>"


def of_one(
    body: str, meaning: Callable[[Any], Any], element: str = "f32", result: str = "", near: float = 0.0, more: str = ""
) -> User:
    """`%y` of `%x`, each 8x16 of a subgroup, or with a layout 16x32 of a workgroup."""
    shape, at = ("16x32", "#l") if more else ("8x16", "")
    result = result or element
    body = body.replace("SHAPE", shape)
    text = kernel(f"%A: memref<{shape}x{element}>, %R: memref<{shape}x{result}>", f"""
{load("x", "A", f"{shape}x{element}", f"{shape}x{element}", more=at)}
{body}
{store("y", "R", f"{shape}x{result}", f"{shape}x{result}", more=at)}""", aliases=more)  # fmt: skip
    return User(text, lambda g: {"R": meaning(g["A"])}, near=near, rounded=bool(near))


F32 = np.float32
for _name, _body, _of in (
    ("exp", "math.exp %x", np.exp),
    ("exp2", "math.exp2 %x", np.exp2),
    ("sin", "math.sin %x", np.sin),
    ("cos", "math.cos %x", np.cos),
    ("tanh", "math.tanh %x", np.tanh),
    ("floor", "math.floor %x", np.floor),
    ("ceil", "math.ceil %x", np.ceil),
    ("absf", "math.absf %x", np.abs),
    ("fma", "math.fma %x, %x, %x", lambda a: a * a + a),
    ("negf", "arith.negf %x", np.negative),
):
    _at = _SPLIT if len(VALUES) % 3 == 1 else ""
    VALUES[f"math: {_name}"] = of_one(f"    %y = {_body} : vector<SHAPEx{'f32'}>", _of, near=2e-3, more=_at)
VALUES["math: logarithms of what is not negative"] = of_one("""
    %one = arith.constant dense<1.0> : vector<SHAPExf32>
    %q = arith.mulf %x, %x : vector<SHAPExf32>
    %p = arith.addf %q, %one : vector<SHAPExf32>
    %a = math.log %p : vector<SHAPExf32>
    %b = math.log2 %p : vector<SHAPExf32>
    %c = math.rsqrt %p : vector<SHAPExf32>
    %d = arith.addf %a, %b : vector<SHAPExf32>
    %y = arith.mulf %d, %c : vector<SHAPExf32>""", lambda a: (np.log(a * a + 1) + np.log2(a * a + 1)) / np.sqrt(a * a + 1), near=2e-3)  # fmt: skip
VALUES["math: erf and powf of f16 in f32"] = of_one("""
    %w = arith.extf %x : vector<SHAPExf16> to vector<SHAPExf32>
    %two = arith.constant dense<2.0> : vector<SHAPExf32>
    %p = math.powf %two, %w : vector<SHAPExf32>
    %y = arith.truncf %p : vector<SHAPExf32> to vector<SHAPExf16>""", lambda a: np.exp2(a.astype(F32)), "f16", near=2e-3)  # fmt: skip


def _toward_zero(a: Any, b: int) -> Any:
    return (np.sign(a) * np.sign(b) * (np.abs(a) // abs(b))).astype(a.dtype)


for _name, _body, _of in (
    ("divsi", "arith.divsi %x, %k", lambda a: _toward_zero(a, 3)),
    ("remsi", "arith.remsi %x, %k", lambda a: a - 3 * _toward_zero(a, 3)),
    ("floordivsi", "arith.floordivsi %x, %k", lambda a: a // 3),
    ("ceildivsi", "arith.ceildivsi %x, %k", lambda a: -(-a // 3)),
    ("divui", "arith.divui %x, %k", lambda a: (a.view(np.uint32) // 3).view(np.int32)),
    ("remui", "arith.remui %x, %k", lambda a: (a.view(np.uint32) % 3).view(np.int32)),
    ("shrsi", "arith.shrsi %x, %k", lambda a: a >> 3),
    ("shrui", "arith.shrui %x, %k", lambda a: (a.view(np.uint32) >> 3).view(np.int32)),
    ("shli", "arith.shli %x, %k", lambda a: a << 3),
    ("minui", "arith.minui %x, %k", lambda a: np.minimum(a.view(np.uint32), 3).view(np.int32)),
    ("maxui", "arith.maxui %x, %k", lambda a: np.maximum(a.view(np.uint32), 3).view(np.int32)),
    ("maxsi of what is xored", "arith.maxsi %x, %xk", lambda a: np.maximum(a, a ^ 3)),
):
    _at = _SPLIT if len(VALUES) % 3 == 1 else ""
    VALUES[f"integers: {_name}"] = of_one(f"""
    %k = arith.constant dense<3> : vector<SHAPExi32>
    %xk = arith.xori %x, %k : vector<SHAPExi32>
    %y = {_body} : vector<SHAPExi32>""", _of, "i32", more=_at)  # fmt: skip
VALUES["integers: bytes to words and back"] = of_one("""
    %w = arith.extui %x : vector<SHAPExi8> to vector<SHAPExi32>
    %c = arith.constant dense<255> : vector<SHAPExi32>
    %d = arith.subi %c, %w : vector<SHAPExi32>
    %f = arith.uitofp %d : vector<SHAPExi32> to vector<SHAPExf32>
    %i = arith.fptoui %f : vector<SHAPExf32> to vector<SHAPExi32>
    %y = arith.trunci %i : vector<SHAPExi32> to vector<SHAPExi8>""", lambda a: ~a, "i8", more=_SPLIT.replace("[8, 16]", "[8, 16]"))  # fmt: skip
VALUES["integers: bits of floats"] = of_one("""
    %b = arith.bitcast %x : vector<SHAPExf32> to vector<SHAPExi32>
    %m = arith.constant dense<2147483647> : vector<SHAPExi32>
    %a = arith.andi %b, %m : vector<SHAPExi32>
    %y = arith.bitcast %a : vector<SHAPExi32> to vector<SHAPExf32>""", np.abs)  # fmt: skip
VALUES["integers: of 64 bits"] = of_one("""
    %w = arith.extsi %x : vector<SHAPExi32> to vector<SHAPExi64>
    %c = arith.constant dense<4294967296> : vector<SHAPExi64>
    %p = arith.muli %w, %c : vector<SHAPExi64>
    %s = arith.constant dense<31> : vector<SHAPExi64>
    %h = arith.shrsi %p, %s : vector<SHAPExi64>
    %y = arith.trunci %h : vector<SHAPExi64> to vector<SHAPExi32>""", lambda a: a * 2, "i32")  # fmt: skip


# Rank 3.


def cube(body: str, meaning: Callable[[Any], Any], shape: str = "8x16", rows: str = "32x16") -> User:
    """`%y` of `%x`, four 8x16 of a 32x16."""
    text = kernel(f"%A: memref<{rows}xf32>, %R: memref<{shape}xf32>", f"""
{load("m", "A", f"{rows}xf32", f"{rows}xf32")}
    %x = vector.shape_cast %m : vector<{rows}xf32> to vector<4x8x16xf32>
{body}
{store("y", "R", f"{shape}xf32", f"{shape}xf32")}""")  # fmt: skip
    return User(text, lambda g: {"R": meaning(g["A"].reshape(4, 8, 16))})


VALUES["rank 3: sum over the first"] = cube("""
    %z = arith.constant dense<1.0> : vector<8x16xf32>
    %y = vector.multi_reduction <add>, %x, %z [0] : vector<4x8x16xf32> to vector<8x16xf32>""", lambda a: a.sum(0) + 1)  # fmt: skip
VALUES["rank 3: largest of the middle"] = cube("""
    %z = arith.constant dense<-100.0> : vector<4x16xf32>
    %s = vector.multi_reduction <maximumf>, %x, %z [1] : vector<4x8x16xf32> to vector<4x16xf32>
    %c = vector.shape_cast %s : vector<4x16xf32> to vector<4x1x16xf32>
    %b = vector.broadcast %c : vector<4x1x16xf32> to vector<4x8x16xf32>
    %d = arith.subf %x, %b : vector<4x8x16xf32>
    %y = vector.shape_cast %d : vector<4x8x16xf32> to vector<32x16xf32>""",
    lambda a: (a - a.max(1, keepdims=True)).reshape(32, 16), "32x16")  # fmt: skip
VALUES["rank 3: over the first and the last"] = cube("""
    %z = arith.constant dense<0.0> : vector<8xf32>
    %s = vector.multi_reduction <add>, %x, %z [0, 2] : vector<4x8x16xf32> to vector<8xf32>
    %c = vector.shape_cast %s : vector<8xf32> to vector<8x1xf32>
    %y = vector.broadcast %c : vector<8x1xf32> to vector<8x16xf32>""", lambda a: np.repeat(a.sum((0, 2))[:, None], 16, 1))  # fmt: skip
for _perm in ((1, 0, 2), (0, 2, 1), (2, 0, 1), (2, 1, 0), (1, 2, 0)):
    _to = "x".join(str((4, 8, 16)[d]) for d in _perm)
    VALUES[f"rank 3: transposed as {list(_perm)}"] = cube(f"""
    %t = vector.transpose %x, {list(_perm)} : vector<4x8x16xf32> to vector<{_to}xf32>
    %y = vector.shape_cast %t : vector<{_to}xf32> to vector<32x16xf32>""",
    lambda a, p=_perm: a.transpose(p).reshape(32, 16), "32x16")  # fmt: skip
VALUES["rank 3: a row into a plane"] = cube("""
    %p = vector.extract %x[2] : vector<8x16xf32> from vector<4x8x16xf32>
    %r = vector.extract %x[1, 3] : vector<16xf32> from vector<4x8x16xf32>
    %e = vector.extract %x[3, 7, 15] : f32 from vector<4x8x16xf32>
    %i = vector.insert %r, %p [5] : vector<16xf32> into vector<8x16xf32>
    %y = vector.insert %e, %i [0, 0] : f32 into vector<8x16xf32>""",
    lambda a: _put(_put(a[2], (5,), a[1, 3]), (0, 0), a[3, 7, 15]))  # fmt: skip
VALUES["rank 3: a line for all planes"] = cube("""
    %r = vector.extract %x[0, 0] : vector<16xf32> from vector<4x8x16xf32>
    %b = vector.broadcast %r : vector<16xf32> to vector<4x8x16xf32>
    %d = arith.mulf %x, %b : vector<4x8x16xf32>
    %s = vector.extract_strided_slice %d {offsets = [1, 2], sizes = [2, 4], strides = [1, 1]} : vector<4x8x16xf32> to vector<2x4x16xf32>
    %y = vector.shape_cast %s : vector<2x4x16xf32> to vector<8x16xf32>""",
    lambda a: (a * a[0, 0])[1:3, 2:6].reshape(8, 16))  # fmt: skip


def _put(a: Any, at: tuple[int, ...], value: Any) -> Any:
    a = a.copy()
    a[at] = value
    return a


# Tables.

_TABLE = np.arange(128).reshape(8, 16) * 5 % 17 - 8
_ROW = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]
VALUES["tables: of a subgroup"] = of_one(f"""
    %k = arith.constant dense<{_TABLE.tolist()}> : vector<8x16xi32>
    %y = arith.addi %x, %k : vector<8x16xi32>""", lambda a: a + _TABLE, "i32")  # fmt: skip
VALUES["tables: a row of floats, chosen by a mask"] = of_one(f"""
    %k = arith.constant dense<{[float(n) / 4 for n in _ROW]}> : vector<16xf32>
    %b = vector.broadcast %k : vector<16xf32> to vector<8x16xf32>
    %m = arith.cmpf ogt, %x, %b : vector<8x16xf32>
    %y = arith.select %m, %x, %b : vector<8x16xi1>, vector<8x16xf32>""",
    lambda a: np.maximum(a, np.array(_ROW, F32) / 4))  # fmt: skip
_WIDE = np.arange(512).reshape(16, 32) % 23 - 11
VALUES["tables: of a workgroup"] = of_one(f"""
    %k = arith.constant dense<{_WIDE.tolist()}> : vector<16x32xi32>
    %y = arith.muli %x, %k : vector<16x32xi32>""", lambda a: a * _WIDE, "i32", more=_SPLIT)  # fmt: skip
VALUES["tables: where elements lie in a row of memory"] = User(kernel("%A: memref<64xf16>, %R: memref<16xf16>", f"""
    %i = arith.constant dense<{[n * 3 + 1 for n in _ROW]}> : vector<16xindex>
    %m = arith.constant dense<{[n % 2 == 1 for n in _ROW]}> : vector<16xi1>
    %x = xegpu.load %A[%i], %m : memref<64xf16>, vector<16xindex>, vector<16xi1> -> vector<16xf16>
    %to = vector.step : vector<16xindex>
    xegpu.store %x, %R[%to], %m : vector<16xf16>, memref<16xf16>, vector<16xindex>, vector<16xi1>""").replace("True", "true").replace("False", "false"),
    lambda g: {"R": np.where(np.array(_ROW) % 2 == 1, g["A"][np.array(_ROW) * 3 + 1], g["R"])})  # fmt: skip
