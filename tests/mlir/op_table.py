"""Functions made from tables: each op on vectors, of each level, straight, in a loop and in a branch, with what it gives in numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

Shape = tuple[int, ...]
Arrays = Sequence[np.ndarray[Any, Any]]


@dataclass(frozen=True)
class Case:
    """A function `@f` of vectors that gives one, and its result from its arguments; at lane level all have a dimension of lanes in front."""

    name: str
    text: str
    meaning: Callable[..., Any]
    level: str


def by(shape: Shape, element: str) -> str:
    return f"vector<{'x'.join(map(str, (*shape, element)))}>"


LAYOUTS = {
    1: ("#xegpu.layout<sg_layout = [2], sg_data = [{0}]>", "#xegpu.layout<sg_layout = [2], sg_data = [{1}]>"),
    2: ("#xegpu.layout<sg_layout = [2, 1], sg_data = [{0}, {2}]>", "#xegpu.layout<sg_layout = [1, 2], sg_data = [{3}, {1}], order = [0, 1]>"),
}  # fmt: skip
"""Halves, and round robin or columns."""


def layouts(shape: Shape) -> list[str]:
    if len(shape) == 1:
        return [LAYOUTS[1][0].format(shape[0] // 2), LAYOUTS[1][1].format(0, shape[0] // 4)]
    rows, columns = shape
    return [LAYOUTS[2][0].format(rows // 2, 0, columns, rows), LAYOUTS[2][1].format(0, columns // 2, 0, rows)]


LEVELS: dict[str, list[Shape]] = {"subgroup": [(32,), (8, 16), (2, 4, 16)], "workgroup": [(64,), (16, 32)], "lane": [(1,), (4,)]}


def places() -> Iterator[tuple[str, Shape, str]]:
    """(level, shape, layout) of everything that is tried."""
    for level, shapes in LEVELS.items():
        for shape in shapes:
            for layout in layouts(shape) if level == "workgroup" else [""]:
                yield level, shape, layout


def function(
    name: str, level: str, shapes: Sequence[tuple[Shape, str]], result: tuple[Shape, str], body: str, meaning: Any
) -> Case:
    args = ", ".join(f"%a{i}: {by(*kind)}" for i, kind in enumerate(shapes))
    mark = "  %lane = gpu.lane_id\n" if level == "lane" else ""
    text = f"func.func @f({args}) -> {by(*result)} {{\n{mark}{body}\n  return %r : {by(*result)}\n}}"
    return Case(name, text, meaning, level)


# Elementwise ops: (operand element, result element, numpy). Operands are small whole numbers.

N, F, H = "i32", "f32", "f16"


def _unsigned(of: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, b: of(a.view(np.uint32), b.view(np.uint32)).astype(np.uint32).view(np.int32)


BINARY: dict[str, tuple[str, Callable[..., Any]]] = {
    "arith.addi": (N, np.add), "arith.subi": (N, np.subtract), "arith.muli": (N, np.multiply), "arith.andi": (N, np.bitwise_and),
    "arith.ori": (N, np.bitwise_or), "arith.xori": (N, np.bitwise_xor), "arith.maxsi": (N, np.maximum), "arith.minsi": (N, np.minimum),
    "arith.maxui": (N, _unsigned(np.maximum)), "arith.minui": (N, _unsigned(np.minimum)),
    "arith.addf": (F, np.add), "arith.subf": (F, np.subtract), "arith.mulf": (F, np.multiply), "arith.maximumf": (F, np.maximum),
    "arith.minimumf": (F, np.minimum), "arith.maxnumf": (F, np.fmax), "arith.minnumf": (F, np.fmin),
}  # fmt: skip
UNARY: dict[str, tuple[str, str, Callable[..., Any]]] = {
    "arith.negf": (F, F, np.negative), "math.absf": (F, F, np.abs), "math.floor": (F, F, np.floor), "math.ceil": (F, F, np.ceil),
    "arith.extf": (H, F, lambda a: a.astype(np.float32)), "arith.truncf": (F, H, lambda a: a.astype(np.float16)),
    "arith.sitofp": (N, F, lambda a: a.astype(np.float32)), "arith.fptosi": (F, N, lambda a: a.astype(np.int32)),
    "arith.extsi": ("i8", N, lambda a: a.astype(np.int32)), "arith.extui": ("i8", N, lambda a: a.view(np.uint8).astype(np.int32)),
    "arith.trunci": (N, "i8", lambda a: a.astype(np.int8)), "arith.bitcast": (F, N, lambda a: a.view(np.int32)),
}  # fmt: skip
COMPARED = {
    "eq": np.equal, "ne": np.not_equal, "slt": np.less, "sge": np.greater_equal, "oeq": np.equal, "une": np.not_equal, "olt": np.less,
    "oge": np.greater_equal,
}  # fmt: skip


def _said(layout: str) -> str:
    return f" {{layout_result_0 = {layout}}}" if layout else ""


def elementwise() -> Iterator[Case]:
    for (op, (element, of)), (level, shape, layout) in product(BINARY.items(), places()):
        kind = (shape, element)
        body = f"  %r = {op} %a0, %a1{_said(layout)} : {by(*kind)}"
        yield function(f"{op} {level} {shape} {layout[-30:]}", level, [kind, kind], kind, body, of)
    for (op, (element, gives, of1)), (level, shape, layout) in product(UNARY.items(), places()):
        types = f"{by(shape, element)}" + (f" to {by(shape, gives)}" if op.startswith("arith.") and op != "arith.negf" else "")
        body = f"  %r = {op} %a0{_said(layout)} : {types}"
        yield function(f"{op} {level} {shape} {layout[-30:]}", level, [(shape, element)], (shape, gives), body, of1)
    for (predicate, of), (level, shape, layout) in product(COMPARED.items(), places()):
        element = F if predicate[0] in "ou" else N
        op, kind = ("arith.cmpf", (shape, element)) if element == F else ("arith.cmpi", (shape, element))
        body = f"""  %m = {op} {predicate}, %a0, %a1{_said(layout)} : {by(*kind)}
  %r = arith.select %m, %a0, %a1{_said(layout)} : {by(shape, "i1")}, {by(*kind)}"""
        meaning = _selected(of)
        yield function(f"{op} {predicate} {level} {shape} {layout[-30:]}", level, [kind, kind], kind, body, meaning)


def _selected(of: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, b: np.where(of(a, b), a, b)


# Control flow: values and masks that are joined and carried.


def controlled() -> Iterator[Case]:
    for (op, (element, of)), (level, shape, layout) in product(list(BINARY.items())[::4], places()):
        kind = by(shape, element)
        loop = f"""  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a0) -> ({kind}) {{
    %y = {op} %x, %a1{_said(layout)} : {kind}
    scf.yield %y : {kind}
  }}"""
        yield function(
            f"loop of {op} {level} {shape} {layout[-30:]}", level, [(shape, element)] * 2, (shape, element), loop, _thrice(of)
        )
        branch = f"""  %b = gpu.block_id x
  %c0 = arith.constant 0 : index
  %c = arith.cmpi eq, %b, %c0 : index
  %r = scf.if %c -> ({kind}) {{
    %y = {op} %a0, %a1{_said(layout)} : {kind}
    scf.yield %y : {kind}
  }} else {{
    scf.yield %a1 : {kind}
  }}"""
        yield function(
            f"branch with {op} {level} {shape} {layout[-30:]}", level, [(shape, element)] * 2, (shape, element), branch, of
        )


def _thrice(of: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, b: of(of(of(a, b), b), b)


# Shapes.


SHAPES: list[tuple[str, list[tuple[Shape, str]], tuple[Shape, str], str, Callable[..., Any]]] = [
    ("broadcast of a row", [((16,), F)], ((8, 16), F), "vector.broadcast %a0 : vector<16xf32> to vector<8x16xf32>",
     lambda a: np.broadcast_to(a, (8, 16))),
    ("broadcast of a column", [((8, 1), F)], ((8, 16), F), "vector.broadcast %a0 : vector<8x1xf32> to vector<8x16xf32>",
     lambda a: np.broadcast_to(a, (8, 16))),
    ("broadcast to three", [((4, 16), F)], ((2, 4, 16), F), "vector.broadcast %a0 : vector<4x16xf32> to vector<2x4x16xf32>",
     lambda a: np.broadcast_to(a, (2, 4, 16))),
    ("broadcast of a line to three", [((16,), F)], ((2, 4, 16), F), "vector.broadcast %a0 : vector<16xf32> to vector<2x4x16xf32>",
     lambda a: np.broadcast_to(a, (2, 4, 16))),
    ("transpose", [((8, 16), F)], ((16, 8), F), "vector.transpose %a0, [1, 0] : vector<8x16xf32> to vector<16x8xf32>", lambda a: a.T),
    ("transpose of halves", [((16, 16), H)], ((16, 16), H), "vector.transpose %a0, [1, 0] : vector<16x16xf16> to vector<16x16xf16>",
     lambda a: a.T),
    ("cast to a line", [((8, 16), F)], ((128,), F), "vector.shape_cast %a0 : vector<8x16xf32> to vector<128xf32>", lambda a: a.ravel()),
    ("cast to rows", [((128,), F)], ((8, 16), F), "vector.shape_cast %a0 : vector<128xf32> to vector<8x16xf32>",
     lambda a: a.reshape(8, 16)),
    ("cast to three", [((8, 16), F)], ((2, 4, 16), F), "vector.shape_cast %a0 : vector<8x16xf32> to vector<2x4x16xf32>",
     lambda a: a.reshape(2, 4, 16)),
    ("cast to a column", [((16,), F)], ((16, 1), F), "vector.shape_cast %a0 : vector<16xf32> to vector<16x1xf32>",
     lambda a: a.reshape(16, 1)),
    ("cast of three to four", [((2, 8, 16), F)], ((2, 2, 4, 16), F),
     "vector.shape_cast %a0 : vector<2x8x16xf32> to vector<2x2x4x16xf32>", lambda a: a.reshape(2, 2, 4, 16)),
    ("extract of a matrix", [((2, 8, 16), F)], ((8, 16), F), "vector.extract %a0[1] : vector<8x16xf32> from vector<2x8x16xf32>",
     lambda a: a[1]),
    ("extract of a row", [((8, 16), F)], ((16,), F), "vector.extract %a0[3] : vector<16xf32> from vector<8x16xf32>", lambda a: a[3]),
    ("extract of a row of three", [((2, 8, 16), F)], ((16,), F),
     "vector.extract %a0[1, 5] : vector<16xf32> from vector<2x8x16xf32>", lambda a: a[1, 5]),
    ("insert of a matrix", [((8, 16), F), ((2, 8, 16), F)], ((2, 8, 16), F),
     "vector.insert %a0, %a1[1] : vector<8x16xf32> into vector<2x8x16xf32>", lambda a, b: np.stack([b[0], a])),
    ("insert of a row", [((16,), F), ((4, 16), F)], ((4, 16), F), "vector.insert %a0, %a1[2] : vector<16xf32> into vector<4x16xf32>",
     lambda a, b: np.stack([b[0], b[1], a, b[3]])),
    ("slice", [((8, 32), F)], ((4, 16), F), "vector.extract_strided_slice %a0 {offsets = [2, 16], sizes = [4, 16], strides = [1, 1]}"
     " : vector<8x32xf32> to vector<4x16xf32>", lambda a: a[2:6, 16:]),
    ("slice of rows alone", [((8, 32), F)], ((4, 32), F), "vector.extract_strided_slice %a0 {offsets = [2], sizes = [4], strides = [1]}"
     " : vector<8x32xf32> to vector<4x32xf32>", lambda a: a[2:6]),
    ("insert of a slice", [((4, 16), F), ((8, 32), F)], ((8, 32), F), "vector.insert_strided_slice %a0, %a1 "
     "{offsets = [2, 16], strides = [1, 1]} : vector<4x16xf32> into vector<8x32xf32>", lambda a, b: _inserted(a, b, 2, 16)),
    ("bitcast to halves", [((8, 16), F)], ((8, 32), H), "vector.bitcast %a0 : vector<8x16xf32> to vector<8x32xf16>",
     lambda a: a.view(np.float16)),
    ("step", [((16,), "i32")], ((16,), "index"), "vector.step : vector<16xindex>", lambda a: np.arange(16)),
]  # fmt: skip


def shapes() -> Iterator[Case]:
    for name, given, result, op, meaning in SHAPES:
        yield function(name, "subgroup", given, result, f"  %r = {op}", meaning)


def _inserted(a: Any, b: Any, row: int, column: int) -> Any:
    out = b.copy()
    out[row : row + a.shape[0], column : column + a.shape[1]] = a
    return out


REDUCED: dict[str, tuple[str, Any, str]] = {
    "add": (F, np.add, "0.0"), "maximumf": (F, np.maximum, "-100.0"), "minnumf": (F, np.fmin, "100.0"), "maxsi": (N, np.maximum, "-100"),
    "and": (N, np.bitwise_and, "-1"), "or": (N, np.bitwise_or, "0"), "xor": (N, np.bitwise_xor, "0"), "mul": (N, np.multiply, "1"),
}  # fmt: skip


def reductions() -> Iterator[Case]:
    for (kind, (element, of, start)), dims in product(REDUCED.items(), ((0,), (1,), (0, 1), (1, 2))):
        shape = (8, 16) if 2 not in dims else (4, 4, 16)
        left = tuple(n for d, n in enumerate(shape) if d not in dims)
        layout = ""
        for level in ("subgroup", "workgroup") if len(shape) == 2 and left else ("subgroup",):
            if level == "workgroup":
                base = "#xegpu.layout<sg_layout = [2, 2], sg_data = [4, 8]>"
                layout = f" {{layout_result_0 = #xegpu.slice<{base}, dims = {list(dims)}>}}"
            if left:
                vector = by(left, element)
                body = f"""  %z = arith.constant{layout} dense<{start}> : {vector}
  %r = vector.multi_reduction <{kind}>, %a0, %z{layout} {list(dims)} : {by(shape, element)} to {vector}"""
                result = (left, element)
            else:
                body = f"""  %z = arith.constant {start} : {element}
  %s = vector.multi_reduction <{kind}>, %a0, %z {list(dims)} : {by(shape, element)} to {element}
  %r = vector.broadcast %s : {element} to {by((16,), element)}"""
                result = ((16,), element)
            yield function(f"{kind} over {dims} {level}", level, [(shape, element)], result, body, _reduced(of, dims, result[0]))


def _reduced(of: Any, dims: Shape, shape: Shape) -> Callable[..., Any]:
    return lambda a: np.broadcast_to(
        of.reduce(a, axis=dims) if len(dims) == 1 else of.reduce(of.reduce(a, axis=dims[1]), axis=dims[0]), shape
    )


def scans() -> Iterator[Case]:
    """Running reductions and the whole ones beside them; those of a workgroup along a dimension that its subgroups split."""
    kinds = {"add": (F, np.add, "0.0"), "maxsi": (N, np.maximum, "-2147483648"), "mul": (N, np.multiply, "1")}
    shapes = [((8, 16), 0), ((8, 16), 1), ((32,), 0), ((2, 4, 16), 1), ((2, 4, 16), 2)]
    for (kind, (element, of, start)), (shape, dim), level in product(kinds.items(), shapes, ("subgroup", "workgroup")):
        if level == "workgroup" and len(shape) != 2:
            continue
        lines = by(tuple(n for d, n in enumerate(shape) if d != dim) or (), element)
        layout = " {layout_result_0 = #xegpu.layout<sg_layout = [2, 2], sg_data = [4, 8]>}" if level == "workgroup" else ""
        whole = by(shape, element)
        if len(shape) == 1:
            lines = f"vector<{element}>"
        op = "arith.addf" if element == F else "arith.addi"
        body = f"""  %z = arith.constant dense<{start}> : {lines}
  %x = {op} %a0, %a0{layout} : {whole}
  %r, %total = vector.scan <{kind}>, %x, %z {{inclusive = true, reduction_dim = {dim} : i64}} : {whole}, {lines}"""
        yield function(
            f"scan {kind} {shape} along {dim} {level}", level, [(shape, element)], (shape, element), body, _scanned(of, dim)
        )


def _scanned(of: Any, dim: int) -> Callable[..., Any]:
    return lambda a: of.accumulate(a + a, axis=dim)


PICKED: list[tuple[str, str, list[tuple[Shape, str]], tuple[Shape, str], str, Callable[..., Any]]] = [
    ("element at a number", "lane", [((4,), F)], ((2,), F), "%e = vector.extract %a0[%i] : f32 from vector<4xf32>\n"
     "%r = vector.broadcast %e : f32 to vector<2xf32>", lambda a: a[[2, 2]]),
    ("element set at a number", "lane", [((4,), N)], ((4,), N), "%e = vector.extract %a0[1] : i32 from vector<4xi32>\n"
     "%r = vector.insert %e, %a0[%i] : i32 into vector<4xi32>", lambda a: a[[0, 1, 1, 3]]),
    ("row at a number", "subgroup", [((8, 16), F)], ((16,), F), "%r = vector.extract %a0[%i] : vector<16xf32> from vector<8x16xf32>",
     lambda a: a[2]),
    ("row of a matrix at a number", "subgroup", [((4, 2, 16), H)], ((16,), H),
     "%r = vector.extract %a0[%i, 1] : vector<16xf16> from vector<4x2x16xf16>", lambda a: a[2, 1]),
    ("row at two numbers", "subgroup", [((4, 4, 16), F)], ((16,), F),
     "%r = vector.extract %a0[%i, %j] : vector<16xf32> from vector<4x4x16xf32>", lambda a: a[2, 3]),
    ("matrix set at a number", "subgroup", [((8, 16), F), ((4, 8, 16), F)], ((4, 8, 16), F),
     "%r = vector.insert %a0, %a1[%i] : vector<8x16xf32> into vector<4x8x16xf32>", lambda a, b: np.stack([b[0], b[1], a, b[3]])),
    ("fma", "lane", [((4,), F)] * 2, ((4,), F), "%r = vector.fma %a0, %a1, %a0 : vector<4xf32>", lambda a, b: a * b + a),
    ("fma", "subgroup", [((8, 16), F)] * 2, ((8, 16), F), "%r = vector.fma %a0, %a1, %a0 : vector<8x16xf32>", lambda a, b: a * b + a),
    ("shuffle of elements", "lane", [((4,), F), ((2,), F)], ((5,), F),
     "%r = vector.shuffle %a0, %a1 [5, 0, 3, 4, 4] : vector<4xf32>, vector<2xf32>", lambda a, b: np.array([b[1], a[0], a[3], b[0], b[0]])),
    ("shuffle of rows", "subgroup", [((4, 16), F), ((2, 16), F)], ((3, 16), F),
     "%r = vector.shuffle %a0, %a1 [5, 0, 3] : vector<4x16xf32>, vector<2x16xf32>", lambda a, b: np.stack([b[1], a[0], a[3]])),
    ("shuffle of matrices", "subgroup", [((2, 8, 16), H)] * 2, ((2, 8, 16), H),
     "%r = vector.shuffle %a0, %a1 [3, 0] : vector<2x8x16xf16>, vector<2x8x16xf16>", lambda a, b: np.stack([b[1], a[0]])),
    ("interleave", "lane", [((4,), F)] * 2, ((8,), F), "%r = vector.interleave %a0, %a1 : vector<4xf32> -> vector<8xf32>",
     lambda a, b: np.stack([a, b], -1).ravel()),
    ("interleave", "subgroup", [((8, 16), F)] * 2, ((8, 32), F), "%r = vector.interleave %a0, %a1 : vector<8x16xf32> -> vector<8x32xf32>",
     lambda a, b: np.stack([a, b], -1).reshape(8, 32)),
    ("deinterleave", "lane", [((8,), N)], ((4,), N), "%x, %y = vector.deinterleave %a0 : vector<8xi32> -> vector<4xi32>\n"
     "%z = arith.addi %x, %x : vector<4xi32>\n%r = arith.subi %z, %y : vector<4xi32>", lambda a: 2 * a[::2] - a[1::2]),
    ("deinterleave", "subgroup", [((4, 32), F)], ((4, 16), F), "%x, %y = vector.deinterleave %a0 : vector<4x32xf32> -> vector<4x16xf32>\n"
     "%z = arith.addf %x, %x : vector<4x16xf32>\n%r = arith.subf %z, %y : vector<4x16xf32>", lambda a: 2 * a[:, ::2] - a[:, 1::2]),
]  # fmt: skip
NUMBERS = """  %b = gpu.block_id x
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i = arith.addi %b, %c2 : index
  %j = arith.addi %b, %c3 : index
"""
"""2 and 3, which nobody knows before the kernel runs."""


def picked() -> Iterator[Case]:
    for name, level, given, result, ops, meaning in PICKED:
        body = NUMBERS + "\n".join(f"  {line}" for line in ops.splitlines())
        yield function(f"{name} {level}", level, given, result, body, meaning)
    for level, shape, layout in places():
        kind = by(shape, F)
        branch = f"""{NUMBERS}  %r = scf.index_switch %i -> {kind}
  case 1 {{
    scf.yield %a0 : {kind}
  }}
  case 2 {{
    %y = arith.subf %a0, %a1{_said(layout)} : {kind}
    scf.yield %y : {kind}
  }}
  default {{
    scf.yield %a1 : {kind}
  }}"""
        yield function(f"switch {level} {shape} {layout[-30:]}", level, [(shape, F)] * 2, (shape, F), branch, np.subtract)


CASES = {case.name: case for make in (elementwise, controlled, shapes, reductions, scans, picked) for case in make()}
