"""Gathers from short tables by codes of 4 bits, such as weights in nf4, become look-ups: the lanes of a subgroup hold the table."""

from __future__ import annotations

from xetile.dialects import gpu, tables, xetile
from xetile.dialects.types import MemRefType
from xetile.dialects.vector import is_true
from xetile.ir.core import Value, type_of
from xetile.ir.interfaces import written_values
from xetile.ir.reach import reached
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.codes import exact_byte
from xetile.passes.common.numbers import index
from xetile.passes.common.unused import erase_unused
from xetile.target import Target

ENTRIES = 16
"""Numbers that a table may have: one for each lane."""
_BITS = (16, 32)
"""Of numbers that lanes exchange by one message or instruction."""


def look_up_tables(module: gpu.GpuModule, target: Target) -> gpu.GpuModule:
    """Replace gathers whose codes are below 16, whatever was loaded, by `xetile.look_up`.

    Before and after: xetile at workgroup level. The table is an array of one axis whose elements are neighbours, and nothing in the
    kernel writes it. A gather has a layout of its own; a look-up is worked out where a product wants it.
    """
    if target.block2d is None or target.subgroup_size < ENTRIES:
        return module
    written = {root for op in module.walk() for value in written_values(op) for root in _roots(value)}
    for op in module.find(xetile.LoadGather):
        made = op.tile.op
        if isinstance(made, xetile.InitTile) and made.base not in written and is_true(op.mask) and _is_row(made.base):
            _look_up(module.kernel, op, made)
    return module


def _roots(value: Value) -> set[Value]:
    """All that a tile is made of."""
    return set(reached([value], lambda v: () if v.op is None else v.op.operands))


def _is_row(base: Value) -> bool:
    kind = type_of(base, MemRefType)
    return kind.rank == 1 and kind.strides == (1,) and not kind.space and kind.element.bits in _BITS


def _look_up(kernel: gpu.GpuFunc, op: xetile.LoadGather, made: xetile.InitTile) -> None:
    size, codes = _size(kernel, made.base), exact_byte(made.offsets[0])
    if size is None or codes is None or codes[0] >= ENTRIES:
        return
    rewrite = Rewriter()
    with rewrite.before(op), rewrite.located(op.loc):
        count = index(rewrite, size) if isinstance(size, int) else size
        rewrite.replace(op, rewrite(tables.LookUp, made.base, count, codes[1](rewrite)))
    erase_unused([made.result], rewrite)


def _size(kernel: gpu.GpuFunc, base: Value) -> int | Value | None:
    """How many elements an array has; None for what is no argument."""
    specs = kernel.specs
    known = type_of(base, MemRefType).shape[0]
    if base not in specs or known is not None:
        return known if base in specs else None
    return next((v for v, spec in specs.items() if spec.kind == "dim" and spec.param == specs[base].param), None)
