"""Numbers that LLVM rounds before it chooses between them and a constant.

Of a choice that only a rounding takes it makes one of rounded numbers. What rounds them stays, while the choice and its comparison, which are
cheap, come to stand right before the product that takes the chosen numbers: until then what was compared lives, and the rounded
numbers lie each in registers of their own.

And sizes that are chosen by rows: they are numbers of each lane.
"""

from __future__ import annotations

from itertools import accumulate, chain

from xetile.dialects import arith, gpu
from xetile.dialects.types import TF32, VectorType, element_of
from xetile.estimate.parts import Atom, Parts, Sizes
from xetile.ir.core import Op, Value


def compared(op: Op) -> Op | None:
    """The comparison that decides about what an op rounds, if that is chosen beside a constant."""
    by_llvm = isinstance(op, arith.TruncF) and element_of(op.results[0].type) is not TF32
    choice = op.operands[0].op if by_llvm else None
    if not isinstance(choice, arith.Select) or not choice.result.has_one_use or not isinstance(choice.result.type, VectorType):
        return None
    if all(arith.constant_of(value) is None for value in (choice.true_value, choice.false_value)):
        return None
    made = choice.condition.op
    return made if isinstance(made, (arith.CmpI, arith.CmpF)) else None


FEWEST = 4
"""Of how many comparisons IGC's vectorizer would make one."""


def decides_for_lanes(op: Op) -> bool:
    """Whether an op chooses one number or 0 for lanes' comparisons to come, one of several by one size, as rows choose how many columns there
    are: the SPIR-V writer lets each lane compare and choose (`backends/spirv/facts/comparisons`), so that the number takes a register.
    """
    if not _is_limit(op):
        return False
    size = op.operands[0].op.operands[1]  # type: ignore[union-attr]
    others = (choice for user in size.users if isinstance(user, arith.CmpI) and user.rhs is size for choice in user.result.users)
    return sum(map(_is_limit, others)) >= FEWEST


def _is_limit(op: Op) -> bool:
    if not isinstance(op, arith.Select) or isinstance(op.result.type, VectorType) or arith.constant_of(op.false_value) != 0:
        return False
    takers = (user for user in op.result.users if isinstance(user, arith.CmpI))
    return isinstance(op.condition.op, arith.CmpI) and any(isinstance(each.lhs.op, (gpu.LaneId, arith.AddI)) for each in takers)


def rounded(storage: Sizes, op: Op, comparison: Op, register: int) -> Parts:
    """The parts of rounded numbers before they are chosen, each in registers of its own, element by element with those of what is compared."""
    kind = op.results[0].type
    assert isinstance(kind, VectorType)
    count, bits, step = kind.count, kind.element.bits, storage.components
    own = [Atom(register * min(step, count - i), kind.element.name, op.opname, op.loc) for i in range(0, count, step)]
    beside = [_by_element(storage, value, count) for value in comparison.operands]
    return tuple(
        chain.from_iterable(_shared(bits, [own[i // step], *chain.from_iterable(row[i] for row in beside)]) for i in range(count))
    )


def _shared(bits: int, atoms: list[Atom]) -> Parts:
    """One element that needs several atoms."""
    each = bits // len(atoms)
    return (*[(atom, each) for atom in atoms[1:]], (atoms[0], bits - each * (len(atoms) - 1)))


def _by_element(storage: Sizes, value: Value, count: int) -> list[list[Atom]]:
    """The atoms of each element of a value that has so many."""
    parts = storage.parts.get(value, ())
    each = sum(bits for _, bits in parts) // count
    found: list[list[Atom]] = [[] for _ in range(count)]
    ends = accumulate(bits for _, bits in parts)
    for (atom, bits), end in zip(parts if each else (), ends):
        for element in found[(end - bits) // each : -(-end // each)]:
            element.append(atom)
    return found
