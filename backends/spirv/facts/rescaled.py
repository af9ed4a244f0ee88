"""Sums of products in a loop that may be a power of two smaller than they are, and made as large as they are behind it.

Numbers of f8E4M3FN are f16 whose exponent is 8 too small once their bits are moved: to multiply each by 256 takes an instruction for
each register of them in each iteration. The products of f16 with them are then 256 times smaller, and so are their sums in f32, exactly:
they are whole multiples of 2^-41, far from where f32 loses digits, and smaller than 2^60; of two such operands they are multiples of 2^-34.
Sums of multiples of such products by scales of f32 are 256 times smaller too: they lose digits where they are below 2^-118 (`xt.tile_mma`).
So do those of products of bf16, whose other operand may be as small as f32 are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from xetile.dialects import arith, gpu, math, scf, xegpu
from xetile.dialects.arith import constant_of
from xetile.dialects.types import BF16, F8E4M3FN, F16, F32, element_of
from xetile.dialects.xegpu.shared_operands import is_stored
from xetile.ir.core import Value

from .packed import Packed, Widened
from .shared_buffers import Shared, products_of

_NARROW = (F16, BF16)
FACTOR = 256.0
SMALLER = "f8E4M3FN_smaller"
"""The operation of `assembly` that leaves the factor out."""


class Rescaled:
    """`operands`: second operands that are made smaller; `first`: first ones; `results`: of loops, and by what they are to be multiplied."""

    def __init__(self, kernel: gpu.GpuFunc, packed: Mapping[Value, Packed]) -> None:
        narrow = {value: each for value, each in packed.items() if isinstance(each, Widened) and _is_narrow(each)}
        products, shared = kernel.find(xegpu.Dpas), Shared(kernel)
        second: dict[Value, list[xegpu.Dpas]] = {
            value: products_of(value) for value in narrow if set(value.users).issubset(products)
        }
        second.update({buffer: ops for buffer, ops in shared.second.items() if all(v in narrow for v in shared.stored[buffer])})
        first: dict[Value, list[xegpu.Dpas]] = {op.lhs: products_of(op.lhs) for op in products if _is_first(op.lhs)}
        first.update({buffer: ops for buffer, ops in shared.first.items() if all(map(_is_code, shared.stored[buffer]))})
        chains = _chains(kernel) if second or first else []
        smaller, summed = _smaller(second, chains, lambda op: shared.buffers.get(op.rhs, op.rhs))
        self.operands: dict[Value, Packed] = {value: replace(narrow[value], kind=SMALLER) for value in shared.made(smaller)}
        # Beside scales the sums would be smaller by another factor than what is promised.
        plain = [chain for chain in chains if not chain.of_multiples]
        found, summed_first = _smaller(first, plain, lambda op: shared.buffers.get(op.lhs, op.lhs))
        self.first = set(shared.made(found))
        self.results = {result: FACTOR ** ((result in summed) + (result in summed_first)) for result in summed | summed_first}


class _Chain(NamedTuple):
    """A loop's result, and the products that it sums up, or multiples of whose sum."""

    result: Value
    products: list[xegpu.Dpas]
    of_multiples: bool


def _smaller(
    takers: Mapping[Value, Sequence[xegpu.Dpas]], chains: list[_Chain], operand: Callable[[xegpu.Dpas], Value]
) -> tuple[set[Value], set[Value]]:
    """Operands, or buffers of them, that may be smaller, as all their products are summed up with such alone; and the results of these
    sums. `takers`: the products of each.
    """
    narrow = set(takers)
    while True:
        chains = [chain for chain in chains if all(operand(op) in narrow for op in chain.products)]
        summed = {op for chain in chains for op in chain.products}
        kept = {value for value in narrow if summed.issuperset(takers[value])}
        if kept == narrow:
            return narrow, {chain.result for chain in chains}
        narrow = kept


def _is_first(value: Value) -> bool:
    """Whether products take numbers of f8E4M3FN as their first operand, and nothing else takes them."""
    op = value.op
    widened = isinstance(op, arith.ExtF) and element_of(op.operand.type) is F8E4M3FN and element_of(value.type) is F16
    return widened and all(isinstance(user, xegpu.Dpas) and user.lhs is value and user.rhs is not value for user in value.users)


def _is_code(value: Value) -> bool:
    """Whether numbers of f8E4M3FN are widened to be stored as first operands are, and nothing else takes them."""
    op = value.op
    widened = isinstance(op, arith.ExtF) and element_of(op.operand.type) is F8E4M3FN and element_of(value.type) is F16
    return widened and all(is_stored(user, value) for user in value.users)


def _is_narrow(widened: Widened) -> bool:
    return widened.kind == F8E4M3FN.name


def _chains(kernel: gpu.GpuFunc) -> list[_Chain]:
    """A loop's results that are sums of products of f16 alone, or of multiples of them, from zero on."""
    found = []
    for loop in kernel.find(scf.For):
        for result, init, arg, given in zip(
            loop.results, loop.init, loop.body.args[1:], loop.body.terminator.operands, strict=True
        ):
            if element_of(result.type) is F32 and constant_of(init) == 0:
                plain = _chain(arg, given, loop)
                chain = _Chain(result, plain or _of_multiples(arg, given, loop), not plain)
                found += [chain] if chain.products else []
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
            or element_of(op.lhs.type) not in _NARROW
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
            or element_of(op.lhs.type) not in _NARROW
        ):
            return []
        chain.append(op)
        summed = op.acc
    return chain
