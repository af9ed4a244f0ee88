"""Numbers that are computed of codes of few bits, and of nothing else, are looked up in a table that is known.

Four-bit floats are decoded by tests, shifts and powers of two of each element, in words: 1,624 instructions for 64 DPAS on pvc. A table of
their numbers is looked up as products take it.
"""

from __future__ import annotations

from math import copysign
from typing import Any

import numpy as np

from xetile.dialects import arith, gpu, scf, tables, xetile
from xetile.dialects.types import BF16, F16, F32, I8, ScalarType, VectorType
from xetile.estimate.work import instructions_of
from xetile.ir.core import Elementwise, Op, Value, type_of
from xetile.ir.interfaces import op_around
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.functions_of_codes import Function, Functions, Numbers
from xetile.passes.common.codes import exact_byte, with_number
from xetile.passes.common.unused import erase_unused
from xetile.passes.workgroup.memory.look_up_tables import ENTRIES
from xetile.target import Target

_LOOKED_UP = 6
"""Instructions for a register of numbers that a table must save."""
_FROM_CODES = (arith.SIToFP, arith.UIToFP, arith.Bitcast, arith.CmpI)
"""One of these stands between integers and floats."""
_IN_STEPS = (
    arith.AndI, arith.OrI, arith.XOrI, arith.ShLI, arith.ShRUI, arith.ShRSI, arith.AddI, arith.SubI, arith.ExtUI, arith.ExtSI,
    arith.SIToFP, arith.UIToFP, arith.ExtF, arith.TruncF, arith.AddF, arith.SubF, arith.MulF,
)  # fmt: skip
"""What second operands of products are computed by on whole registers, one step after the other."""


def tabulate_codes(module: gpu.GpuModule, target: Target) -> gpu.GpuModule:
    """Replace what is computed of codes of 16 values at most by `xetile.choose`, in kernels with products.

    Before and after: xetile at workgroup level. Each number is computed as the ops say, and only where all are known exactly; codes that
    go through a few steps one after the other stay as they are.
    """
    if target.block2d is None or target.subgroup_size < ENTRIES or not module.has(xetile.TileMma) or not module.has(_FROM_CODES):
        return module
    functions = Functions(_largest)
    for op in reversed([op for op in module.walk() if isinstance(op, Elementwise)]):
        kind = op.results[0].type
        if op.parent is None or not isinstance(kind, VectorType) or kind.element not in _CARRIERS:
            continue
        found = functions.of(op.results[0])
        if found is not None and found.code is not None and found.known.all() and _is_worth(op, found.code):
            _tabulate(op, found)
    return module


def _largest(value: Value) -> int | None:
    kind = type_of(value, VectorType)
    if kind.element.kind != "int":
        return None
    found = exact_byte(value)
    return None if found is None else found[0]


def _is_worth(op: Op, code: Value) -> bool:
    """Whether a look-up takes fewer instructions than what is computed of a code."""
    ops, ahead, is_chain = dict[Op, None](), [op.results[0]], True
    while ahead:
        made = ahead.pop().op
        if made is None or made in ops or made.constant_like:
            continue
        ops[made] = None
        computed = [v for v in made.operands if v is not code and arith.constant_of(v) is None]
        is_chain &= (
            isinstance(made, _IN_STEPS) and len(made.operands) - sum(arith.constant_of(v) is not None for v in made.operands) == 1
        )
        ahead += computed
    return not is_chain and sum(map(instructions_of, ops)) >= _LOOKED_UP


def _tabulate(op: Op, found: Function) -> None:
    """The table in place of what an op computes."""
    result, kind = op.results[0], type_of(op.results[0], VectorType)
    numbers = np.broadcast_to(found.numbers, found.known.shape)
    place = _bits_that_count(numbers.view(_CARRIERS[kind.element][1]))
    if place is None:
        return
    low, count = place
    numbers = numbers[np.minimum(np.arange(1 << count) << low, len(numbers) - 1)]
    if _either_zero(result):
        numbers = _with_signs(numbers)
    element = _narrowest(numbers, kind.element)
    table = _bits_of(numbers, element)
    rewrite = Rewriter()
    with rewrite.before(op), rewrite.located(op.loc):
        codes = _codes(found.code, low, count, len(found.known) - 1, rewrite)
        made = rewrite(tables.Choose, codes, bits=table, result=kind.with_element(element))
        made = made if element is kind.element else rewrite(arith.ExtF, made, result=kind)
        rewrite.replace_uses(result, made)
    erase_unused([result], rewrite)


def _bits_that_count(bits: Numbers) -> tuple[int, int] | None:
    """(the first, how many) of the neighbouring bits of a code that a table follows from; None where it has more than 16 numbers."""
    codes = np.arange(len(bits))
    counting = [bit for bit in range(I8.bits) if (bits[codes & ~(1 << bit)] != bits).any()]
    if not counting or 1 << (counting[-1] + 1 - counting[0]) > ENTRIES:
        return None
    return counting[0], counting[-1] + 1 - counting[0]


def _codes(code: Value | None, low: int, count: int, largest: int, build: Rewriter) -> Value:
    """Those bits of a code as a byte of their own."""
    assert code is not None
    exact = exact_byte(code)
    assert exact is not None
    made = exact[1](build)
    if low:
        made = with_number(build, arith.ShRUI, made, low)
    return made if largest >> low < 1 << count else with_number(build, arith.AndI, made, (1 << count) - 1)


# The sign of zero: integers have none, floats of few bits do.

_ZEROS_STAY = (arith.MulF, arith.ExtF, arith.TruncF)
"""By these what is zero is one, or NaN, whatever its sign."""


def _either_zero(value: Value) -> bool:
    """Whether no result tells zeros by their signs: products alone take them, whose sums begin with a zero that is positive."""
    for op, position in value.uses:
        if isinstance(op, _ZEROS_STAY):
            if not _either_zero(op.results[0]):
                return False
        elif not isinstance(op, xetile.TileMma) or position > 1 or not _begins_with_zero(op):
            return False
    return True


def _begins_with_zero(product: xetile.TileMma) -> bool:
    """Whether a loop adds a product to what it carries from 0.0 on: no such sum is ever -0.0."""
    value: Value = product.result
    while value.has_one_use:
        ((user, position),) = value.uses
        if user.terminator and isinstance(loop := op_around(user), scf.For):
            variable = next((v for v in loop.flow() if v.given[1] is value), None)
            return variable is not None and _is_zero(variable.given[0]) and _adds_to(value, variable.holders[0])
        if not isinstance(user, (arith.AddF, *_ZEROS_STAY)) and not (isinstance(user, xetile.TileMma) and position > 1):
            return False
        value = user.results[0]
    return False


def _is_zero(value: Value) -> bool:
    number = arith.constant_of(value)
    return isinstance(number, float) and number == 0 and copysign(1, number) == 1


def _adds_to(value: Value, carried: Value) -> bool:
    """Whether a value is a sum of a carried one and others."""
    op = value.op
    if isinstance(op, xetile.TileMma):
        return op.acc is not None and _adds_to(op.acc, carried)
    return value is carried or (isinstance(op, arith.AddF) and any(_adds_to(v, carried) for v in op.operands))


def _with_signs(numbers: Numbers) -> Numbers:
    """A table whose zeros have the signs of the codes' highest bit, as in floats of few bits."""
    negative = np.arange(len(numbers)) >= len(numbers) // 2
    return np.where(numbers == 0, np.where(negative, -0.0, 0.0).astype(numbers.dtype), numbers)


# Numbers of a type.

_CARRIERS: dict[ScalarType, tuple[Any, Any]] = {
    F16: (np.float16, np.uint16),
    BF16: (None, np.uint16),
    F32: (np.float32, np.uint32),
}
"""Their types in numpy, and those of their bits."""


def _narrowest(numbers: Numbers, element: ScalarType) -> ScalarType:
    """The narrowest type that has all of some numbers: of f32 often f16."""
    if element is not F32:
        return element
    with np.errstate(over="ignore"):
        narrow = numbers.astype(np.float16).astype(np.float32)
    return F16 if (narrow == numbers).all() else F32


def _bits_of(numbers: Numbers, element: ScalarType) -> tuple[int, ...]:
    carrier, bits = _CARRIERS[element]
    made = numbers if carrier is None else numbers.astype(carrier)
    return tuple(map(int, np.ascontiguousarray(made).view(bits)))


__all__ = ["tabulate_codes"]
