"""Numbers that LLVM rounds before it chooses between them and a constant.

Of a choice that only a rounding takes it makes one of rounded numbers. What rounds them stays, while the choice and its comparison, which are
cheap, come to stand right before the product that takes the chosen numbers: until then what was compared lives, and the rounded
numbers lie each in registers of their own.
"""

from __future__ import annotations

from itertools import accumulate, chain

from xetile.dialects import arith
from xetile.dialects.types import VectorType
from xetile.estimate.parts import Atom, Parts, Sizes
from xetile.ir.core import Op, Value


def compared(op: Op) -> Op | None:
    """The comparison that decides about what an op rounds, if that is chosen beside a constant."""
    choice = op.operands[0].op if isinstance(op, arith.TruncF) else None
    if not isinstance(choice, arith.Select) or not choice.result.has_one_use or not isinstance(choice.result.type, VectorType):
        return None
    if all(arith.constant_of(value) is None for value in (choice.true_value, choice.false_value)):
        return None
    made = choice.condition.op
    return made if isinstance(made, (arith.CmpI, arith.CmpF)) else None


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
