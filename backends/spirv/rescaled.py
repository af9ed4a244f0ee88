"""Sums of products in a loop that may be a power of two smaller than they are, and made as large as they are behind it.

Weights of f8E4M3FN are f16 whose exponent is 8 too small once their bits are moved: to multiply each by 256 takes an instruction for
each register of them in each iteration. The products of f16 with them are then 256 times smaller, and so are their sums in f32, exactly:
they are whole multiples of 2^-41, far from where f32 loses digits, and smaller than 2^60. Sums of multiples of such products by scales of
f32 are 256 times smaller too: they lose digits where they are below 2^-118 (`xt.tile_mma`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from xetile.dialects import gpu, math, scf, xegpu
from xetile.dialects.arith import constant_of
from xetile.dialects.types import F8E4M3FN, F16, F32, element_of
from xetile.ir.core import Value

from .packed import Packed, Widened

FACTOR = 256.0
SMALLER = "f8E4M3FN_smaller"
"""The operation of `assembly` that leaves the factor out."""


class Rescaled:
    """`operands`: second operands that are made smaller; `results`: of loops, which are to be multiplied by `FACTOR`."""

    def __init__(self, kernel: gpu.GpuFunc, packed: Mapping[Value, Packed]) -> None:
        narrow = {value: each for value, each in packed.items() if isinstance(each, Widened) and _is_narrow(each)}
        chains = {result: chain for result, chain in _chains(kernel) if all(op.rhs in narrow for op in chain)} if narrow else {}
        while True:
            summed = {op for chain in chains.values() for op in chain}
            smaller = {value for value in narrow if summed.issuperset(value.users)}
            kept = {result: chain for result, chain in chains.items() if all(op.rhs in smaller for op in chain)}
            if len(kept) == len(chains):
                break
            chains = kept
        self.operands: dict[Value, Packed] = {value: replace(narrow[value], kind=SMALLER) for value in smaller}
        self.results = frozenset(chains)


def _is_narrow(widened: Widened) -> bool:
    return widened.kind == F8E4M3FN.name and not widened.bf16


def _chains(kernel: gpu.GpuFunc) -> list[tuple[Value, list[xegpu.Dpas]]]:
    """A loop's results that are sums of products of f16 alone, or of multiples of them, from zero on, and these products."""
    found = []
    for loop in [op for op in kernel.walk() if isinstance(op, scf.For)]:
        for result, init, arg, given in zip(
            loop.results, loop.init, loop.body.args[1:], loop.body.terminator.operands, strict=True
        ):
            chain: list[xegpu.Dpas] = []
            if element_of(result.type) is F32 and constant_of(init) == 0:
                chain = _chain(arg, given, loop) or _of_multiples(arg, given, loop)
            if chain:
                found.append((result, chain))
    return found


def _chain(value: Value, last: Value, loop: scf.For) -> list[xegpu.Dpas]:
    """The products that add up from one value to another, to which nothing else is done; none where something is."""
    chain: list[xegpu.Dpas] = []
    while value is not last:
        users = list(value.users)
        op = users[0] if len(users) == 1 else None
        if (
            not isinstance(op, xegpu.Dpas)
            or op.acc is not value
            or op.parent is not loop.body
            or element_of(op.lhs.type) is not F16
        ):
            return []
        chain.append(op)
        value = op.result
    return chain if len(list(last.users)) == 1 else []


def _of_multiples(value: Value, last: Value, loop: scf.For) -> list[xegpu.Dpas]:
    """The products a multiple of whose sum is added to a value, which nothing else takes; none where something does."""
    added = last.op
    if not isinstance(added, math.Fma) or added.c is not value or not (value.has_one_use and last.has_one_use):
        return []
    chain: list[xegpu.Dpas] = []
    summed: Value | None = next((v for v in (added.a, added.b) if isinstance(v.op, xegpu.Dpas)), None)
    while summed is not None:
        op = summed.op
        if (
            not isinstance(op, xegpu.Dpas)
            or not summed.has_one_use
            or op.parent is not loop.body
            or element_of(op.lhs.type) is not F16
        ):
            return []
        chain.append(op)
        summed = op.acc
    return chain
