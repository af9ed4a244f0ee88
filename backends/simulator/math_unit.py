"""The extended math unit: correctly rounded here (the hardware's results are within 1 to 4 units in the last place).

`math.invm` and `math.rsqtm` begin a division or square root that `madm` instructions finish, with extra bits of intermediate results
in the accumulators mme0 to mme7.  Intel documents neither their width nor the seed's error.  Here an intermediate is a pair of
numbers, high and low part, exact to twice the precision, so that the sequence ends at the correctly rounded result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .errors import UnsupportedError
from .isa import Array, Instruction, Operand
from .numbers import two_product, two_sum
from .operands import mask_of, reader, writer
from .parse import NO_MACRO
from .state import Layout, Step, Threads

Pair = tuple[Array, Array]

_BITS = 56.0
"""Room that intermediates of a refined quotient or root need beside the ends of a range: the digits of a pair's low part."""
_IN_DOUBLE: dict[str, Callable[..., Array]] = {
    "inv": lambda x: 1.0 / x,
    "rsqt": lambda x: 1.0 / np.sqrt(x),
    "sqt": np.sqrt,
    "exp": np.exp2,
    "log": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "sigm": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "pow": lambda x, y: np.exp2(np.log2(np.abs(x)) * y),
    "fdiv": lambda x, y: x / y,
}


def function(name: str) -> Callable[..., Array] | None:
    """The function of an instruction `math.NAME` on float16 or float32; None for one that is not known."""
    exact = _IN_DOUBLE.get(name)
    if exact is None:
        return None

    def rounded(*args: Array) -> Array:
        return exact(*[a.astype(np.float64) for a in args]).astype(args[0].dtype)

    return rounded


def steps(layout: Layout, inst: Instruction) -> Step:
    """`math.invm`, `math.rsqtm` and `madm`: pairs in, a pair out, or at the end the nearest number."""
    dst, type = inst.operands[0], inst.operands[0].type
    if type not in ("f", "df") or any(o.type != type for o in inst.operands if o.file != "null"):
        raise UnsupportedError(f"{inst.opcode}.{inst.suffix} of type {type}")
    get = [_pair(layout, o, inst.width) for o in inst.operands[1:] if o.file != "null"]
    write, mask = writer(layout, replace(dst, macro=None), inst.width), mask_of(inst)
    keep = None if dst.macro in (None, NO_MACRO) else writer(layout, _extra(dst), inst.width)
    limits = np.finfo(dst.dtype)
    begin, condition = _BEGINNINGS.get(inst.suffix), inst.condition
    if begin is not None and (condition is None or condition.name != "eo"):
        raise UnsupportedError("the math unit's macro without its flag")
    if begin is None and condition is not None:
        raise UnsupportedError(f"flags of {inst.opcode}")

    def step(t: Threads) -> None:
        values, where = [g(t) for g in get], mask(t)
        if begin is None:
            high, low = multiply_add(values[1], values[2], values[0])
        else:
            (high, low), special = begin(*values, limits)
            assert condition is not None
            t.set_flag(condition.reg, 16 * condition.sub + inst.channel, np.broadcast_to(special, (t.count, inst.width)), where)
        made = np.where(low == 0, high, high + low).astype(dst.dtype)  # -0 + 0 is 0
        write(t, made, where)
        if keep is not None:
            keep(t, ((high - made) + low).astype(dst.dtype), where)

    return step


def _extra(operand: Operand) -> Operand:
    """The accumulator with an operand's extra bits."""
    return Operand("mme", 2 * (operand.macro or 0), 0, (0, 0, 1), operand.type)


def _pair(layout: Layout, operand: Operand, width: int) -> Callable[[Threads], Pair]:
    high = reader(layout, replace(operand, negate=False, macro=None), width)
    low = None if operand.macro in (None, NO_MACRO) else reader(layout, replace(_extra(operand), region=None), width)
    sign = -1.0 if operand.negate else 1.0
    if operand.absolute or operand.invert:
        raise UnsupportedError("a modifier of an operand of the math unit's macro")

    def get(t: Threads) -> Pair:
        first = high(t).astype(np.float64) * sign
        return first, np.zeros_like(first) if low is None else low(t).astype(np.float64) * sign

    return get


def inverse(numerator: Pair, denominator: Pair, limits: Any) -> tuple[Pair, Array]:
    """A seed of 1 / denominator, and where the quotient is not to be refined: the seed is the result itself there.

    Refined are numbers far from the ends of the type's range: the hardware's intermediates have a larger one, these here have not.
    """
    a, b = numerator[0], denominator[0]
    room = float(limits.maxexp) - _BITS
    special = ~np.isfinite(a) | ~np.isfinite(b) | (a == 0) | (b == 0) | (np.abs(np.frexp(a)[1]) > room)
    special |= (np.abs(np.frexp(b)[1]) > room) | (np.abs(np.frexp(a)[1] - np.frexp(b)[1]) > room)
    return (np.where(special, a / b, 1.0 / b), np.zeros_like(a + b)), special


def inverse_root(value: Pair, limits: Any) -> tuple[Pair, Array]:
    """A seed of 1 / sqrt(value), and where the root is not to be refined: the seed is the square root itself there."""
    x = value[0]
    root = np.sqrt(x)
    nearest = root.astype(limits.dtype)
    unit = np.spacing(nearest).astype(np.float64)
    high, low = two_product(nearest.astype(np.float64), nearest.astype(np.float64))
    # Of numbers just below a power of four the root is as good as halfway between two numbers: a pair cannot tell which side.
    tie = np.abs(np.abs((x - high) - low) - root * unit) < root * unit * float(limits.eps)
    special = ~(np.isfinite(x) & (x > 0)) | (np.abs(np.frexp(x)[1]) > float(limits.maxexp) - _BITS) | tie
    return (np.where(special, root, 1.0 / np.where(special, 1.0, root)), np.zeros_like(x)), special


def multiply_add(a: Pair, b: Pair, c: Pair) -> Pair:
    """a * b + c to twice the precision of float64."""
    high, low = two_product(a[0], b[0])
    low = low + (a[0] * b[1] + a[1] * b[0])
    total, lost = two_sum(high, c[0])
    return two_sum(total, lost + (low + c[1]))


_BEGINNINGS: dict[str, Callable[..., tuple[Pair, Array]]] = {"invm": inverse, "rsqtm": inverse_root}
