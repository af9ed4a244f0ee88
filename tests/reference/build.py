"""Kernels built by hand for the tests of the reference backend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xetile.backends.reference.interpret import interpret
from xetile.backends.reference.values import storage

from xetile.dialects import arith, gpu, scf, xegpu, xetile
from xetile.dialects.types import (
    BF16,
    F8E4M3FN,
    F8E5M2,
    F16,
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
    INDEX,
    MemRefType,
    ScalarType,
    VectorType,
)
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Value
from xetile.ir.verifier import verify


class Kernel:
    """A kernel under construction: arrays of rank 2 with run-time sizes, and a builder at its end."""

    def __init__(self, arrays: dict[str, ScalarType | MemRefType], scalars: Sequence[ScalarType] = (), **attributes: Any) -> None:
        types: list[Any] = []
        names: list[str] = []
        for name, element in arrays.items():
            if isinstance(element, MemRefType):
                types, names = [*types, element], [*names, name]
            else:
                types += [MemRefType((None, None), element, (None, 1)), INDEX, INDEX, INDEX]
                names += [name, f"{name}_rows", f"{name}_columns", f"{name}_pitch"]
        types += scalars
        self.module = gpu.new_module("kernel", types, [], names, **attributes)
        self.func = self.module.kernel
        self.args = {v.name: v for v in self.func.body.args if v.name}
        self.scalars = self.func.body.args[len(types) - len(scalars) :]
        self.build = Builder(self.func.body)

    def const(self, value: Any, type: Any = INDEX) -> Value:
        return self.build(arith.Constant, value=value, result=type)

    def pid(self, dimension: str) -> Value:
        return self.build(gpu.BlockId, dimension=dimension)

    def mul(self, x: Value, y: Value) -> Value:
        return self.build(arith.MulI, x, y)

    def add(self, x: Value, y: Value) -> Value:
        return self.build(arith.AddI, x, y)

    def tile(self, name: str, offsets: Sequence[Value], shape: tuple[int, int], **parts: Any) -> Value:
        base = self.args[name]
        sizes = [self.args[f"{name}_rows"], self.args[f"{name}_columns"]]
        strides = [self.args[f"{name}_pitch"], self.const(1)]
        tile = xetile.TileType(shape, base.type.element, **parts)
        return self.build(xetile.InitTile, base, offsets, sizes, strides, result=tile)

    def flat(self, name: str) -> Value:
        """All elements of a contiguous array in one dimension."""
        size = self.mul(self.args[f"{name}_rows"], self.args[f"{name}_pitch"])
        return self.build(gpu.ReinterpretCast, self.args[name], size)

    def desc(self, name: str, shape: tuple[int, ...], element: ScalarType | None = None, **encoding: Any) -> Value:
        """A block descriptor over the whole of an array."""
        base = self.args[name]
        sizes = [self.args[f"{name}_rows"], self.args[f"{name}_columns"]]
        strides = [self.args[f"{name}_pitch"], self.const(1)]
        type = xegpu.TensorDescType(shape, element or base.type.element, xegpu.BlockAttr(**encoding))
        return self.build(xegpu.CreateNdTdesc, base, (), sizes, strides, result=type)

    def loop(self, lower: Value, upper: Value, step: Value, init: Sequence[Value], body: Any) -> tuple[Value, ...]:
        block = Block([lower.type, *(v.type for v in init)])
        op = self.build.op(scf.For, lower, upper, step, init, regions=[block], values=[v.type for v in init])
        with self.build.at(block):
            self.build(scf.Yield, body(*block.args))
        return tuple(op.results)

    def done(self, *, valid: bool = True) -> Any:
        self.build(gpu.Return)
        if valid:
            verify(self.module)
        return self.module


def passed(*arrays: Any) -> list[Any]:
    """Arguments for a kernel of rank-2 arrays: each array with its sizes and pitch."""
    return [x for a in arrays for x in (a, *a.shape, a.strides[0] // a.itemsize)]


def matmul(element: ScalarType, acc: ScalarType, bm: int, bn: int, bk: int, a: ScalarType | None = None, **mma: Any) -> Any:
    """C = A @ B by tiles of bm x bn x bk."""
    k = Kernel({"A": a or element, "B": element, "C": acc})
    m, n = k.mul(k.pid("y"), k.const(bm)), k.mul(k.pid("x"), k.const(bn))
    zero, step = k.const(0), k.const(bk)
    init = [k.tile("A", (m, zero), (bm, bk)), k.tile("B", (zero, n), (bk, bn)), k.const(0, VectorType((bm, bn), acc))]

    def body(i: Value, ta: Value, tb: Value, total: Value) -> list[Value]:
        b = k.build
        total = b(xetile.TileMma, b(xetile.LoadTile, ta), b(xetile.LoadTile, tb), total, **mma)
        return [b(xetile.UpdateTileOffset, ta, (zero, step)), b(xetile.UpdateTileOffset, tb, (step, zero)), total]

    *_, total = k.loop(zero, k.args["A_columns"], step, init, body)
    k.build(xetile.StoreTile, total, k.tile("C", (m, n), (bm, bn)))
    return k.done()


ELEMENTS = {str(storage(t)): t for t in (I1, I8, I16, I32, I64, F16, BF16, F32, F64, F8E4M3FN, F8E5M2)}


def element_like(array: np.ndarray[Any, Any]) -> ScalarType:
    """The element type of an array; unsigned ones count by their width."""
    name = str(array.dtype)
    return ELEMENTS[name[1:] if name.startswith("uint") else name]


def apply(
    function: Any, *arrays: Any, dtype: Any = None, element: ScalarType | None = None, shape: Any = None, **attributes: Any
) -> Any:
    """What a kernel of one program gives that loads all arrays whole, calls function(kernel, *values), and stores the result."""
    out = np.zeros(shape or arrays[0].shape, dtype or arrays[0].dtype)
    result = element or element_like(out)
    k = Kernel({**{f"A{i}": element_like(a) for i, a in enumerate(arrays)}, "R": result}, **attributes)
    zero = k.const(0)
    values = [k.build(xetile.LoadTile, k.tile(f"A{i}", (zero, zero), a.shape)) for i, a in enumerate(arrays)]
    k.build(xetile.StoreTile, function(k, *values), k.tile("R", (zero, zero), out.shape))
    interpret(k.done(), (1,), passed(*arrays, out))
    return out
