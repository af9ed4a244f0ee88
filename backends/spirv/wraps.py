"""Sums in addresses that wrap, hidden from a driver's compiler that takes them for sums that do not.

IGC moves addresses out of loops (GEPLoopStrengthReduction): of those that differ by a constant it keeps one, and adds the difference
to it.  It compares them without their extensions, and low bits are to it an extended narrow number: so it takes (x + 17) & 31 for
((x + 1) & 31) + 16.  What cuts a number to few bits on its way to an address in a loop gets a zero that the compiler cannot know:
the global offset along the third dimension, which no launch has.
"""

from __future__ import annotations

from collections.abc import Iterator

from xetile.dialects import arith
from xetile.dialects.arith import constant_of
from xetile.dialects.types import element_of
from xetile.ir.core import Op, Value
from xetile.ir.interfaces import accesses_memory

from .emit_code import Code
from .emit_values import Fragment, mapped
from .encode import Id

_EXTENSIONS = (arith.ExtUI, arith.ExtSI, arith.IndexCast, arith.IndexCastUI)
_REMAINDERS = (arith.RemUI, arith.RemSI)
_SHIFTS = (arith.ShRUI, arith.ShRSI)


def wrapping(kernel: Op) -> frozenset[Op]:
    """The ops which cut numbers to few bits, masks and extensions of narrow numbers, and on which addresses in loops depend."""
    return frozenset(op for op in _address_ops(kernel) if _cuts(op))


def hidden(e: Code, fragment: Fragment) -> Fragment:
    """The same integers, or'ed with the zero that no compiler knows."""
    form = e.form(fragment.element)

    def make() -> Id:
        offset = e.emit("OpCompositeExtract", e.i64, e.function.builtin("GlobalOffset"), 2)
        return e.resize(offset, e.i64, form)

    def hide(n: int, x: Id) -> Id:
        zero = e.at_entry(("hidden zero", form), make)
        zeros = zero if n == 1 else e.emit("OpCompositeConstruct", e.vector(form, n), *[zero] * n)
        return e.emit("OpBitwiseOr", e.vector(form, n), x, zeros)

    return mapped(e, fragment.element, hide, fragment)


def _address_ops(kernel: Op) -> Iterator[Op]:
    """The ops in front of those that access memory in a loop, up to values that come from memory or from control flow."""
    left = [value for op in _in_loops(kernel) if accesses_memory(op) for value in op.operands]
    seen: set[Value] = set()
    while left:
        value = left.pop()
        op = value.op
        if value in seen or op is None or not op.pure or op.regions:
            continue
        seen.add(value)
        yield op
        left += op.operands


def _in_loops(root: Op, looped: bool = False) -> Iterator[Op]:
    for block in root.regions:
        for op in block.ops:
            if looped:
                yield op
            yield from _in_loops(op, looped or op.repeats)


def _cuts(op: Op) -> bool:
    if isinstance(op, (arith.AndI, *_REMAINDERS)):
        return constant_of(op.operands[1]) is not None
    if isinstance(op, _SHIFTS):
        return isinstance(op.operands[0].op, arith.ShLI)
    return isinstance(op, _EXTENSIONS) and element_of(op.operands[0].type).kind == "int"
