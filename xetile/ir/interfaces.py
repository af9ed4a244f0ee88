"""What ops tell of themselves besides their parts, declared where they are, so that passes need no lists of op classes.

Control flow    `Op.flow()`: what its regions pass on; `Op.counters()`: what counts iterations; `Op.control()`: what decides which
                regions run, and how often; `Op.repeats`: whether they run again.
Memory          `reads`, `writes`: the operands through which an op reaches memory; `allocates`; `fetches`: brings memory nearer;
                `accesses`: whether it reads, writes or fetches.
Values          `pure`: no effect besides the results; `core.Elementwise`; `constant_like`: makes a value of attributes alone;
                `acts`: does more than give results, which may depend on what memory holds, and end its block.
"""

from __future__ import annotations

from collections.abc import Iterator

from xetile.ir.core import Block, Op, Value, Variable, regions_of


def variables_of(root: Op) -> Iterator[Variable]:
    """The variables of all control flow in an op."""
    for op in filter(regions_of, root.walk()):
        yield from op.flow()


def values_of(root: Op) -> Iterator[Value]:
    """All values under an op: results, and arguments of blocks."""
    for op in root.walk():
        yield from op.results
        for block in op.regions:
            yield from block.args


def control_values(op: Op) -> tuple[Value, ...]:
    """The values that decide which regions of an op run, and how often."""
    return tuple(user.operands[position] for user, position in op.control())


def only_reads(op: Op) -> bool:
    """Whether an op has no effect besides its results, which may depend on what memory holds."""
    return op.pure or bool(op.reads and not op.writes)


def passes_reads(op: Op) -> bool:
    """Whether what reads memory may stand before or after an op alike: it neither writes memory nor waits for who does."""
    return op.pure or bool((op.reads or op.fetches) and not op.writes)


def written_values(op: Op) -> tuple[Value, ...]:
    """The memory, tiles and descriptors that an op writes through."""
    return tuple(getattr(op, name) for name in op.writes)


def block_of(value: Value) -> Block | None:
    """The block that a value is an argument of, or in which its op stands."""
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def runs_again(op: Op) -> bool:
    """Whether an op stands in a loop."""
    return any(outer.repeats for outer in enclosing(op))


def outermost(op: Op) -> Op:
    """The module that an op stands in, or itself where it stands in none."""
    while op.parent is not None and op.parent.parent is not None:
        op = op.parent.parent
    return op


def op_around(op: Op) -> Op | None:
    """The op in whose region an op stands."""
    return op.parent.parent if op.parent is not None else None


def op_of_block(op: Op, block: Block) -> Op | None:
    """The op of a block that is this op, or has it in its regions; None where it stands elsewhere."""
    inside: Op | None = op
    while inside is not None and inside.parent is not block:
        inside = op_around(inside)
    return inside


def enclosing(op: Op) -> list[Op]:
    """The branches and loops around an op, innermost first."""
    found = []
    block: Block | None = op.parent
    while block is not None and block.parent is not None and block.parent.parent is not None:
        found.append(block.parent)
        block = block.parent.parent
    return found


def loop_around(op: Op) -> Op | None:
    """The innermost loop around an op."""
    return next((around for around in enclosing(op) if around.repeats), None)
