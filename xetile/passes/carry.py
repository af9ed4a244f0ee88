"""Adding to loops in place: one more carried value, ops at a position of a block."""

from __future__ import annotations

from typing import Any

from xetile.ir.core import Block, Op, Value


def carry(loop: Any, init: Value, name: str) -> Value:
    """One more carried value of an scf.for; gives the body's argument. `give` says what it is in the next step."""
    _append(loop, init)
    loop.results.append(Value(init.type, loop, len(loop.results)))
    return loop.body.add_arg(init.type, name)  # type: ignore[no-any-return]


def give(loop: Any, value: Value) -> None:
    """What the value carried last is in the next step."""
    _append(loop.body.terminator, value)


def insert(block: Block, position: int, ops: list[Op]) -> None:
    """Put ops before the one at a position."""
    for op in ops:
        op.parent = block
    block.ops[position:position] = ops


def _append(op: Op, value: Value) -> None:
    op.operands.append(value)
    if op.segments is not None:
        op.segments = (*op.segments[:-1], op.segments[-1] + 1)
