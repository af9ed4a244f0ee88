"""Gathers from short tables by codes of 4 bits, such as weights in nf4, become look-ups: the lanes of a subgroup hold the table."""

from __future__ import annotations

from collections.abc import Callable

from xetile.dialects import arith, gpu, xetile
from xetile.dialects.arith import constant_of
from xetile.dialects.types import I8, INDEX, MemRefType, VectorType
from xetile.dialects.vector import is_true
from xetile.ir.core import Op, Value, type_of
from xetile.ir.interfaces import written_values
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.rearranged import rearranged
from xetile.passes.common.numbers import index
from xetile.passes.common.unused import erase_unused
from xetile.target import Target

ENTRIES = 16
"""Numbers that a table may have: one for each lane."""
_BITS = (16, 32)
"""Of numbers that lanes exchange by one message or instruction."""
_CASTS = (arith.ExtUI, arith.ExtSI, arith.IndexCast, arith.IndexCastUI)
_SHIFTS = (arith.ShRUI, arith.ShRSI)

Make = Callable[[Rewriter], Value]


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
    seen, ahead = set[Value](), [value]
    while ahead:
        value = ahead.pop()
        if value not in seen:
            seen.add(value)
            ahead += value.op.operands if value.op is not None else ()
    return seen


def _is_row(base: Value) -> bool:
    kind = type_of(base, MemRefType)
    return kind.rank == 1 and kind.strides == (1,) and not kind.space and kind.element.bits in _BITS


def _look_up(kernel: gpu.GpuFunc, op: xetile.LoadGather, made: xetile.InitTile) -> None:
    size, codes = _size(kernel, made.base), _exact(made.offsets[0])
    if size is None or codes is None or codes[0] >= ENTRIES:
        return
    rewrite = Rewriter()
    with rewrite.before(op), rewrite.located(op.loc):
        count = index(rewrite, size) if isinstance(size, int) else size
        rewrite.replace(op, rewrite(xetile.LookUp, made.base, count, codes[1](rewrite)))
    erase_unused([made.result], rewrite)


def _size(kernel: gpu.GpuFunc, base: Value) -> int | Value | None:
    """How many elements an array has; None for what is no argument."""
    specs = dict(zip(kernel.body.args, kernel.args))
    known = type_of(base, MemRefType).shape[0]
    if base not in specs or known is not None:
        return known if base in specs else None
    return next((v for v, spec in specs.items() if spec.kind == "dim" and spec.param == specs[base].param), None)


def _exact(value: Value) -> tuple[int, Make] | None:
    """(the largest, how it is made) of numbers that bytes without a sign hold."""
    op, element = value.op, type_of(value, VectorType).element
    number = constant_of(op.operands[1]) if op is not None and len(op.operands) == 2 else None
    if isinstance(op, arith.AndI) and isinstance(number, int) and 0 <= number < 256:
        return number, lambda build: _with(build, arith.AndI, _low(build, op.operands[0]), number)
    found = _exact(op.operands[0]) if isinstance(op, (*_CASTS, *_SHIFTS)) else None
    if found is not None and (
        found[0] < 128 or isinstance(op, (arith.ExtUI, arith.IndexCastUI, arith.ShRUI)) or element is not I8
    ):
        if isinstance(op, _CASTS):
            signed = isinstance(op, (arith.ExtSI, arith.IndexCast)) and type_of(op.operands[0], VectorType).element is I8
            return None if signed and found[0] > 127 else found
        if isinstance(number, int) and 0 <= number < I8.bits:
            return found[0] >> number, lambda build: _with(build, arith.ShRUI, found[1](build), number)
    moved = rearranged(value)
    codes = [] if moved is None else [_exact(source) for source in moved.sources]
    if codes and None not in codes:
        return max(each[0] for each in codes if each), lambda build: _bytes(build, value)
    return (255, lambda build: value) if element is I8 else None


def _low(build: Rewriter, value: Value) -> Value:
    """The lowest eight bits of numbers."""
    if type_of(value, VectorType).element is I8:
        return value
    op = value.op
    exact = _exact(value)
    if isinstance(op, _CASTS):
        return _low(build, op.operands[0])
    if exact is not None:
        return exact[1](build)
    return _bytes(build, value)


def _bytes(build: Rewriter, value: Value) -> Value:
    kind = type_of(value, VectorType)
    if kind.element is I8:
        return value
    return build(arith.IndexCast if kind.element is INDEX else arith.TruncI, value, result=kind.with_element(I8))


def _with(build: Rewriter, op: type[Op], value: Value, number: int) -> Value:
    made: Value = build(op, value, build(arith.Constant, value=number, result=value.type))
    return made
