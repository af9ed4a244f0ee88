"""Offsets into arrays that do not use the strides: they count elements of memory, and mean places of an array that lies row by row."""

from __future__ import annotations

from collections.abc import Iterable

from xetile.dialects import gpu
from xetile.errors import CompileError
from xetile.ir.core import Value as IRValue
from xetile.ir.reach import reached
from xetile.ir.variables import variables
from xetile.language.context import Kernel
from xetile.language.values import Value

_ROWS = ("arith.muli", "arith.shli")
"""Ops that make the beginning of a row of its number."""


def note_places(kernel: Kernel, func: gpu.GpuFunc) -> None:
    """Note on a kernel the arrays that it sees as if they lay row by row; raises CompileError where one is known not to."""
    arrays, flat = func.arrays, dict[str, None]()
    for base, offsets, at in kernel.counted:
        if base.base not in arrays or base.ndim < 1:
            continue
        sources = _sources(func, offsets)
        if any(func.specs[value].kind in ("stride", "scalar") for value in sources & func.specs.keys()):
            continue  # a number of the call's may be a stride
        if base.ndim == 1 and isinstance(base.stride(0), Value):
            raise CompileError(
                f"init_tile: neighbours in this part of {base.described} lie a stride apart, and offsets count elements of memory",
                hint="multiply the offsets, which costs nothing where the stride is 1: xt.init_tile(part, index * part.stride(0))",
                at=at,
            )
        if base.ndim > 1 and any(value.op is not None and (value.op.reads or value.op.opname in _ROWS) for value in sources):
            flat[" ".join(map(str, (arrays[base.base], *base.order_of_axes)))] = None
    if flat:
        func.attributes["flat"] = tuple(flat)


def _sources(func: gpu.GpuFunc, offsets: IRValue) -> set[IRValue]:
    """All that offsets are computed of, but for what loads of places are."""
    holding = variables(func).holding

    def beyond(value: IRValue) -> Iterable[IRValue]:
        if value in holding:
            return holding[value].given
        return () if value.op is None or value.op.reads else value.op.operands

    return set(reached((offsets,), beyond))
