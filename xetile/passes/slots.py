"""Values that control flow passes on: one slot of a loop or branch is one variable, whatever goes in and out of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from xetile.dialects import scf
from xetile.ir.core import Op, Value


@dataclass(frozen=True)
class Slot:
    """`inside`: the arguments and results that hold the variable; `sources`: (op, operand) that give it its values."""

    inside: tuple[Value, ...]
    sources: tuple[tuple[Op, int], ...]


def slots_of(module: Op) -> Iterator[Slot]:
    """All slots of all loops and branches."""
    for op in module.walk():
        maker = _SLOTS.get(type(op))
        if maker is not None:
            yield from maker(op)


def _of_for(op: Any) -> Iterator[Slot]:
    for i, (arg, result) in enumerate(zip(op.body.args[1:], op.results)):
        yield Slot((arg, result), ((op, 3 + i), (op.body.terminator, i)))


def _of_while(op: Any) -> Iterator[Slot]:
    for i, arg in enumerate(op.before.args):
        yield Slot((arg,), ((op, i), (op.after.terminator, i)))
    for i, (arg, result) in enumerate(zip(op.after.args, op.results)):
        yield Slot((arg, result), ((op.before.terminator, 1 + i),))


def _of_if(op: Any) -> Iterator[Slot]:
    for i, result in enumerate(op.results):
        yield Slot((result,), tuple((block.terminator, i) for block in op.regions))


_SLOTS = {scf.For: _of_for, scf.While: _of_while, scf.If: _of_if}
