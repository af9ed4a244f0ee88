"""What a kernel does to its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf, prod
from typing import TYPE_CHECKING

from xetile.dialects.arith import constant_of
from xetile.dialects.gpu import LaneId, SubgroupId
from xetile.dialects.scf import For
from xetile.dialects.types import ScalarType, VectorType
from xetile.dialects.xetile import AtomicRmwTile, StoreScatter, StoreTile
from xetile.ir.core import Op, Value
from xetile.ir.interfaces import enclosing, written_values
from xetile.ir.reach import reached
from xetile.ir.variables import variables

if TYPE_CHECKING:
    from xetile.errors import Location


def written_arguments(module: Op) -> set[Value]:
    """The kernel's arguments that some op may write to: stores followed back through tiles, descriptors and addresses."""
    return arguments_behind(module)(value for op in module.walk() if op.writes for value in written_values(op))


def read_before_stored(module: Op) -> dict[Value, Location]:
    """The kernel's arguments that a program reads, or combines values with atomically, before it stores to them, and where.

    Only what is sure: a branch that may not run, a mask, and an earlier round of an outer loop may each mean that somebody has stored
    before; where the kernel never stores plainly to the argument, nobody has.
    """
    behind = arguments_behind(module)
    stores: dict[Value, list[Op]] = {}
    passed: set[Value] = set()
    found: dict[Value, Location] = {}
    accesses = (op for op in module.walk() if op.reads or op.writes)
    ops = [(op, behind(getattr(op, name) for name in op.reads), behind(written_values(op))) for op in accesses]
    for op, _, written in ops:
        for argument in written if _only_stores(op) else ():
            stores.setdefault(argument, []).append(op)
    for op, read, written in ops:
        if _only_stores(op):
            passed |= written
        elif op.loc is not None:
            sure = (a for a in read - passed - found.keys() if a not in stores or _surely_first(op, stores[a]))
            found.update(dict.fromkeys(sure, op.loc))
    return found


def most_stored(module: Op) -> dict[Value, int]:
    """How many elements a program stores to each of the kernel's arguments at most, where that is known: of a kernel at workgroup level
    whose stores are of whole tiles, in no loop but those with constant bounds.
    """
    behind, found = arguments_behind(module), dict[Value, float]()
    for op in module.walk():
        for argument in behind(written_values(op)):
            found[argument] = found.get(argument, 0) + _elements(op) * prod(map(_rounds, enclosing(op)))
    if module.has((SubgroupId, LaneId)):
        return {}
    return {argument: int(count) for argument, count in found.items() if count != inf}


def _elements(op: Op) -> float:
    """Elements that a store of a tile writes at most; any number for other ops."""
    return float(prod(op.value.type.shape)) if isinstance(op, StoreTile | StoreScatter | AtomicRmwTile) else inf


def _rounds(holder: Op) -> float:
    """How often what a branch or a loop holds runs at most."""
    if not holder.repeats:
        return 1.0
    lower, upper, step = map(constant_of, (holder.lower, holder.upper, holder.step)) if isinstance(holder, For) else (None,) * 3
    if lower is None or upper is None or step is None:
        return inf
    return float(max(0, -((lower - upper) // step)))


def _only_stores(op: Op) -> bool:
    """Whether an op leaves what it is given, whatever was there."""
    return bool(op.writes) and (not op.reads or getattr(op, "kind", "") == "assign")


def _surely_first(op: Op, stores: list[Op]) -> bool:
    """Whether a read runs in each program, before all of the stores: a loop that an outer loop repeats may run only after one of them."""
    *around, _kernel = enclosing(op)
    conditional = any(not holder.repeats for holder in around) or getattr(op, "mask", None) is not None
    with_a_store = [any(holder in enclosing(store) for store in stores) for holder in around]
    return not conditional and (not any(with_a_store) or with_a_store[0])


def arguments_behind(module: Op) -> Callable[[Iterable[Value]], set[Value]]:
    """Finds the kernel's arguments behind tiles, descriptors and addresses."""
    holding = variables(module).holding

    def behind(value: Value) -> Sequence[Value]:
        if value in holding:
            return holding[value].given
        if value.op is None or value.op.reads:  # what memory holds is no argument
            return ()
        # Offsets and sizes say where in the memory; addresses are computed from all operands.
        memory = [operand for operand in value.op.operands if not isinstance(operand.type, (ScalarType, VectorType))]
        return memory or value.op.operands

    return lambda values: {value for value in reached(values, behind) if value.op is None}
