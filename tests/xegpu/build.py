"""One kernel with an argument of each kind of memory, for the tables of valid modules and of invalid twins."""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, gpu, xegpu
from xetile.dialects.types import F16, F32, I1, I8, I16, I32, I64, INDEX, UI64, MemRefType, VectorType
from xetile.ir.builder import Builder

ARGUMENTS = {
    "A": MemRefType((64, 64), F16),
    "F": MemRefType((64, 64), F32),
    "B": MemRefType((64, 64), I8),
    "H": MemRefType((4, 64, 64), F16),
    "D": MemRefType((None, None), F16, (None, 1)),
    "R": MemRefType((256,), F16),
    "W": MemRefType((256,), F32),
    "I": MemRefType((256,), I32),
    "J": MemRefType((256,), I16),
    "S": MemRefType((4096,), I8, None, 3),
    "T": MemRefType((64,), F32, None, 3),
    "P": I64,
    "Q": UI64,
    "m": INDEX,
    "n": INDEX,
    "c": I1,
    "b": I8,
}


class Kernel:
    """`k.name` is an argument; `k.build` appends ops."""

    def __init__(self) -> None:
        self.module = gpu.new_module("kernel", list(ARGUMENTS.values()), [], list(ARGUMENTS))
        self.args = dict(zip(ARGUMENTS, self.module.kernel.body.args))
        self.build = Builder(self.module.kernel.body)

    def __getattr__(self, name: str) -> Any:
        return self.args[name]

    def const(self, value: Any, type: Any = INDEX) -> Any:
        return self.build(arith.Constant, value=value, result=type)

    def vector(self, *shape: int, element: Any = F16, **parts: Any) -> Any:
        """A value of that type."""
        return self.build(arith.Constant, value=0, result=VectorType(shape, element), **parts)

    def lanes(self, count: int = 16) -> Any:
        """Offsets of so many lanes."""
        return self.const(tuple(8 * i for i in range(count)), VectorType((count,), INDEX))

    def mask(self, *shape: int) -> Any:
        return self.const(True, VectorType(shape or (16,), I1))

    def desc(self, *shape: int, source: str = "A", layout: Any = None, **encoding: Any) -> Any:
        """A descriptor of a block of an argument."""
        base = self.args[source]
        attribute = xegpu.BlockAttr(**encoding) if encoding else None
        return self.build(xegpu.CreateNdTdesc, base, result=xegpu.TensorDescType(shape, base.type.element, attribute, layout))

    def scattered(self, *shape: int, source: str = "R", element: Any = None, layout: Any = None, **encoding: Any) -> Any:
        """A scattered descriptor over an argument."""
        base = self.args[source]
        kind = xegpu.TensorDescType(shape, element or base.type.element, xegpu.ScatterAttr(**encoding), layout)
        return self.build(xegpu.CreateTdesc, base, self.lanes(shape[0]), result=kind)

    def matrix(self, *shape: int, element: Any = F16, **layout: Any) -> Any:
        """A matrix in shared local memory."""
        attribute = xegpu.MemLayoutAttr(**layout) if layout else None
        size = 1
        for extent in shape:
            size *= extent
        buffer = self.build(gpu.Alloca, result=MemRefType((size * element.bits // 8,), I8, None, 3))
        return self.build(xegpu.CreateMemDesc, buffer, result=xegpu.MemDescType(shape, element, attribute))

    def done(self) -> Any:
        self.build(gpu.Return)
        return self.module
