"""Which vectors of one dimension are held as a column: sums of rows, which come as one, and go back to the rows by a broadcast.

XeTile's values have two dimensions, and a vector of one is a row of elements or a column of them. To change that takes exchanges between
lanes, so whatever elementwise ops, loops and branches tie together is held in one way, the one that costs least.
"""

from __future__ import annotations

from collections.abc import Iterator

from xetile.dialects import scf, vector
from xetile.dialects.types import INDEX, VectorType
from xetile.ir.classes import Classes
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.interfaces import enclosing, values_of, variables_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.xegpu.propagate_layouts import is_cheap

LOOP = 16
"""How many times an op in a loop counts."""


def part_constants(kernel: Op) -> None:
    """Give each use of a vector of one dimension that costs nothing to make one of its own: it ties nothing together."""
    rewrite = Rewriter()
    for op in list(kernel.walk()):
        if op.results and _is_line(op.results[0]) and is_cheap(op):
            for user, position in list(op.results[0].uses)[1:]:
                with rewrite.after(op.results[0]):
                    rewrite.set_operand(user, position, rewrite.clone(op, op.operands).results[0])


def columns_of(kernel: Op) -> frozenset[Value]:
    """The vectors of one dimension that are held as columns."""
    classes, votes = Classes[Value](), dict[Value, int]()
    for one, other in _together(kernel):
        classes.unite(one, other)
    for op in kernel.walk():
        weight = LOOP ** sum(not isinstance(around, scf.If) for around in enclosing(op))
        for value, sign in _votes(op):
            votes[classes.root(value)] = votes.get(classes.root(value), 0) + sign * weight
    lines = [value for value in _vectors(kernel) if value.type.element is INDEX]  # type: ignore[attr-defined]
    never = {classes.root(value) for value in lines}
    return frozenset(v for v in _vectors(kernel) if votes.get(classes.root(v), 0) > 0 and classes.root(v) not in never)


def _vectors(kernel: Op) -> Iterator[Value]:
    return (value for value in values_of(kernel) if _is_line(value))


def _is_line(value: Value) -> bool:
    return isinstance(value.type, VectorType) and value.type.rank == 1


def _together(kernel: Op) -> Iterator[tuple[Value, Value]]:
    """Pairs that are held alike."""
    for variable in variables_of(kernel):
        first, *others = variable.values
        yield from ((first, other) for other in others if _is_line(first))
    for op in kernel.walk():
        if isinstance(op, Elementwise) and not op.regions:
            tied = [v for v in (*op.results, *op.operands) if _is_line(v)]
        elif isinstance(op, vector.MultiReduction) and op.source.type.rank > 1:
            tied = [v for v in (op.result, op.acc) if _is_line(v)]
        else:
            continue
        yield from ((tied[0], other) for other in tied[1:])


def _votes(op: Op) -> Iterator[tuple[Value, int]]:
    """What an op has and takes without an exchange: 1 for a column, -1 for a row."""
    if isinstance(op, scf.Yield | Elementwise) or op.regions or is_cheap(op):
        return
    for value in {*op.results, *op.operands}:
        if _is_line(value):
            yield value, 1 if _as_column(op, value) else -1


def _as_column(op: Op, value: Value) -> bool:
    if isinstance(op, vector.MultiReduction):
        rank = op.source.type.rank
        return value is not op.source and op.source.type.rank > 1 and tuple(op.dims) == (rank - 1,)
    if isinstance(op, vector.ShapeCast):
        other = op.result.type if value is op.source else op.source.type
        return other.rank > 1 and other.shape[-1] == 1
    return False
