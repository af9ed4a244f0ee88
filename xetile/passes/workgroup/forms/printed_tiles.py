"""Prints of whole tiles on hardware: every element as an argument of one printf, read from shared local memory."""

from __future__ import annotations

import json
from itertools import islice
from math import prod
from typing import Any

from xetile.dialects import arith, gpu, vector, xetile
from xetile.dialects.types import F32, F64, I1, I32, I64, INDEX, MemRefType, VectorType
from xetile.dialects.xetile import TileType
from xetile.errors import TileShapeError
from xetile.ir.core import Value, type_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.numbers import index
from xetile.passes.common.slm import SLM
from xetile.target import Target

MOST = 256
"""Elements that one print may have: each is an argument, and a message that lanes load."""


def print_by_elements(op: xetile.Print, kernel: gpu.GpuFunc, target: Target) -> None:
    """Let a printf stand for a print of tiles: as numpy prints arrays, with C's `%g`, `%d` and `%u` for each number.

    One line for each program, between barriers of the workgroup.  Raises TileShapeError for more than MOST elements.
    """
    parts = json.loads(op.parts)
    count = sum(prod(part[1]) for part in parts if not isinstance(part, str) and part[1])
    if count > MOST:
        sizes = next("x".join(map(str, v.type.shape)) for v in op.operands if isinstance(v.type, VectorType))
        raise TileShapeError(
            f"device_print: a tile of {sizes} elements; {target.name} prints {MOST} at most",
            hint='print a part of it, such as x[:8, :8], or run the kernel on numpy: with xt.device("numpy")', at=op.loc,
        )  # fmt: skip
    build, given, text, arguments = Rewriter(), iter(op.operands), [], []
    with build.before(op), build.located(op.loc):
        for part in parts:
            if isinstance(part, str):
                text.append(part.replace("%", "%%"))
                continue
            dtype, shape, form = part
            value = next(given)
            if shape:
                value, form = _printable(build, value, dtype)
                arguments += _elements(build, value, kernel)
                form = _arranged(shape, form)
            else:
                arguments.append(value)
            text.append(form)
        build.op(gpu.Printf, arguments, message="".join(text) + "\n")
    build.erase(op)


def _printable(build: Rewriter, value: Value, dtype: str) -> tuple[Value, str]:
    """A tile in a type that C's printf takes, and the conversion for its numbers."""
    kind = type_of(value, VectorType)
    element, unsigned = kind.element, dtype.startswith("u")
    if element is INDEX:
        return build(arith.IndexCast, value, result=kind.with_element(I64)), "%ld"
    if element.is_float:
        same = element in (F32, F64)
        return value if same else build(arith.ExtF, value, result=kind.with_element(F32)), "%g"
    if element not in (I32, I64):
        value = build(arith.ExtUI if unsigned or element is I1 else arith.ExtSI, value, result=kind.with_element(I32))
    return value, "%" + ("l" if element is I64 else "") + ("u" if unsigned else "d")


def _elements(build: Rewriter, value: Value, kernel: gpu.GpuFunc) -> list[Value]:
    """Every element as a number that all lanes have, row by row."""
    kind = type_of(value, VectorType)
    rows, columns = kind.shape
    memory = _memory(build, MemRefType(kind.shape, kind.element, None, SLM), kernel)
    zero, one, width = index(build, 0), index(build, 1), index(build, columns)
    whole = build(xetile.InitTile, memory, [zero, zero], [index(build, rows), width], [width, one],
                  result=TileType((rows, columns), kind.element, space=SLM))  # fmt: skip
    build.op(xetile.StoreTile, value, whole)
    build.op(gpu.Barrier)
    single = TileType((1, 1), kind.element, space=SLM, scatter=True)
    mask = build(arith.Constant, value=True, result=VectorType((1, 1), I1))
    found = []
    for at in range(rows * columns):
        place = build(arith.Constant, value=at, result=VectorType((1, 1), INDEX))
        loaded = build(xetile.LoadGather, build(xetile.InitTile, memory, [place], [], [], result=single), mask)
        found.append(build(vector.Extract, loaded, position=(0, 0)))
    build.op(gpu.Barrier)
    return found


def _memory(build: Rewriter, kind: MemRefType, kernel: gpu.GpuFunc) -> Value:
    """Shared local memory at the head of the kernel, one for all tiles of a type: each print ends with a barrier."""
    first = kernel.body.ops[0]
    name = "printed"
    for op in kernel.body.ops:
        if isinstance(op, gpu.Alloca) and op.result.type == kind and op.result.name == name:
            return op.result
    with build.before(first):
        made: Value = build(gpu.Alloca, result=kind)
    made.name = name
    return made


def _arranged(shape: Any, form: str) -> str:
    """`[a b]`, and rows below each other."""
    numbers = iter([form] * prod(shape))
    rows = ["[" + " ".join(islice(numbers, shape[-1])) + "]" for _ in range(prod(shape[:-1]))]
    return rows[0] if len(shape) == 1 else "[" + "\n ".join(rows) + "]"
