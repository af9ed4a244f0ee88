"""Matrix products: their element types as the target names them, and the operands that a value ends up as."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from xetile.dialects import math, scf, xegpu, xetile
from xetile.dialects.arith import constant_of
from xetile.dialects.types import F32, F64, I32, ScalarType, VectorType, element_of
from xetile.dialects.vector import is_one_number
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.interfaces import op_around
from xetile.ir.reach import evaluate, reached

IN_ANY_ORDER = (F32, F64, I32)
"""Sums of these may be taken in any order (`xt.tile_mma`). Narrower ones round at each step: there `acc + a @ b` and `tile_mma(a, b, acc)`
are different numbers.
"""


class MmaTypes(NamedTuple):
    """Element types of a product as the target names them, and whether it is worked out as its transpose."""

    lhs: str
    rhs: str
    acc: str
    transposed: bool = False


Uses = set[tuple[str, MmaTypes] | None]
"""Roles in which products take a value, and None for what else does."""


def mma_types(op: Any) -> MmaTypes:
    """What `Target.find_mma` is asked for a product: u8 where an operand is marked unsigned."""
    a, b, acc = (v.type.element for v in (*op.operands[:2], op.result))
    return MmaTypes(signed(a, op.lhs_unsigned), signed(b, op.rhs_unsigned), acc.name, "transposed" in op.attributes)


def signed(element: ScalarType, unsigned: object) -> str:
    """An operand's element type as the target names it."""
    return "u" + element.name[1:] if unsigned is not None else element.name


def mma_uses(value: Value) -> Uses:
    """The roles ("a" or "b", with the product's types) in which matrix products take a value; None for any other use."""
    found: Uses = set()
    for op, position in value.uses:
        if isinstance(op, (xetile.TileMma, xegpu.Dpas)) and position < 2:
            found.add(("ab"[position], mma_types(op)))
        elif isinstance(op, (xetile.TilePack, xetile.TileUnpack, xegpu.ConvertLayout)):
            found |= mma_uses(op.results[0])
        else:
            found.add(None)
    return found


_WORD = 32
"""Bits of elements of which lanes hold one by one what an operand's lanes do, before as after a conversion."""


class OperandUses:
    """As `mma_uses`, also through arithmetic of 32 bits: what is loaded as an operand is one behind it, beside one number for all elements.

    A first operand is one beside masks and spread lines, too, which are made for its blocks; a second one has a column in each lane, as
    these have anyway. What was found is remembered while nothing changes.
    """

    def __init__(self) -> None:
        self._known: dict[bool, dict[Value, Uses]] = {False: {}, True: {}}

    def of(self, value: Value) -> Uses:
        """The uses of a value."""
        found = self._through(value, wide=False)
        if None in found:
            wide = self._through(value, wide=True)
            if {use and use[0] for use in wide} == {"a"}:
                return wide
        return found

    def _through(self, value: Value, *, wide: bool) -> Uses:
        known = self._known[wide]

        def behind(taken: Value) -> list[Value]:
            return _made_alike(taken, _is_beside if wide else _is_number)

        def find(taken: Value) -> Uses:
            results = behind(taken)
            return set().union(*(known[v] for v in results)) if results else mma_uses(taken)

        return evaluate(value, known, behind, find)


def _made_alike(value: Value, beside: Callable[[Value, Value], bool]) -> list[Value]:
    """The results of what takes a value, if all of that is such arithmetic."""
    if element_of(value.type).bits != _WORD:
        return []
    users = list(value.users)
    alike = all(
        isinstance(op, Elementwise)
        and element_of(op.results[0].type).bits == _WORD
        and all(beside(v, value) for v in op.operands if v is not value)
        for op in users
    )
    return [op.results[0] for op in users] if alike else []


def _is_number(value: Value, other: Value | None = None) -> bool:
    return not isinstance(value.type, VectorType) or is_one_number(value)


def _is_beside(value: Value, other: Value) -> bool:
    """Whether a value has any blocks, or those of another that it is one op of, or that is one op of it: `where(condition, x * 2, x)`."""
    return is_made_in_any_block(value) or _is_made_of(value, other) or _is_made_of(other, value)


def _is_made_of(value: Value, source: Value) -> bool:
    op = value.op
    return (
        isinstance(op, Elementwise) and source in op.operands and all(v is source or is_made_in_any_block(v) for v in op.operands)
    )


MADE = 8
"""Ops that make a tile of numbers of places, rows and columns, at most: they are made again for each of its blocks."""


def is_made_in_any_block(value: Value) -> bool:
    """Whether a value is a number, one number all over, or worked out of places, spread rows and columns: a mask in any blocks."""

    def given(value: Value) -> Sequence[Value]:
        ends = value.op is None or is_one_number(value) or not isinstance(value.op, Elementwise)
        return () if value.op is None or ends else [v for v in value.op.operands if isinstance(v.type, VectorType)]

    if not isinstance(value.type, VectorType):
        return True
    made = list(islice(reached([value], given), MADE + 1))
    return len(made) <= MADE and all(
        is_one_number(v) or isinstance(v.op, (Elementwise, xetile.TileIota, xetile.TileBroadcast)) for v in made
    )


def passes_by(product: Op) -> bool:
    """Whether a product or DPAS begins with zero, and what it gives is added as a multiple to what its loop carries, and nothing else.

    Of several that make one product the last is asked.
    """
    end = _user(product.results[0])
    if not isinstance(end, math.Fma) or end.parent is not product.parent or not _begins_with_zero(product):
        return False
    after, carried = _user(end.result), [_placed(v) for v in end.operands]
    return after is not None and after.terminator and any(v.op is None and v.owner is end.parent for v in carried)


def _user(value: Value) -> Op | None:
    """The only op that takes a value, as it is or in blocks."""
    users = list(value.users)
    while len(users) == 1 and isinstance(users[0], _BLOCKS):
        users = list(users[0].results[0].users)
    return users[0] if len(users) == 1 else None


def _placed(value: Value) -> Value:
    while isinstance(value.op, _BLOCKS):
        value = value.op.operands[0]
    return value


def _begins_with_zero(product: Op) -> bool:
    """Whether the first of the products that go on from each other, each read by the next alone, does."""
    acc = product.operands[2] if len(product.operands) > 2 else None
    if acc is None or constant_of(acc) == 0:
        return True
    return isinstance(acc.op, type(product)) and acc.has_one_use and acc.op.parent is product.parent and _begins_with_zero(acc.op)


_BLOCKS = (xetile.TilePack, xetile.TileUnpack)


def is_for_second_operands(value: Value) -> bool:
    """Whether products alone take what is worked out of a value, as their second operands: they say how lanes hold it."""
    made = reached([value], lambda v: (result for op in v.users if isinstance(op, Elementwise) for result in op.results))
    uses = (use for v in made for use in v.uses)
    return all(isinstance(op, Elementwise) or (isinstance(op, xetile.TileMma) and position == 1) for op, position in uses)


def is_worked_on(product: Value) -> bool:
    """Whether the iteration that makes a value reduces it, or multiplies by it."""
    made = reached([product], lambda v: (given for use in v.uses for given in _given(*use) if isinstance(given.type, VectorType)))
    return any(
        isinstance(op, (xetile.TileReduce, xetile.TileScan)) or (isinstance(op, xetile.TileMma) and position < 2)
        for v in made
        for op, position in v.uses
    )


def _given(op: Op, position: int) -> list[Value]:
    """What an op makes of a value; of one that a branch yields the branch's result, of what the next iteration gets nothing."""
    if not op.terminator:
        return list(op.results)
    branch = op_around(op)
    return [branch.results[position]] if isinstance(branch, scf.If) else []
