"""Elements go to other lanes before what is computed of them, element by element, where nothing else takes the results.

A message stores a few columns of a matrix, which all go to the lanes. What computes whole rows for that computes mostly what nobody
takes; done behind the move it is one instruction for a column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from xetile.dialects import arith
from xetile.dialects.types import VectorType, element_of
from xetile.dialects.vector import LAYOUT
from xetile.ir.builder import Builder
from xetile.ir.core import Elementwise, Op, Value
from xetile.passes.block.matrices import Matrix

Move = Callable[[Matrix], Matrix]
_MOST = 8
"""Ops in a chain."""


def moved_first(build: Builder, source: Matrix, move: Move, behind: frozenset[Op] = frozenset()) -> Matrix:
    """What `move` makes of a matrix, by way of what it is computed of. `behind`: ops that are done again behind the move."""
    ops = [piece.value.op for piece in source.pieces]
    operands = _operands(source, ops, behind) if len(behind) < _MOST * len(ops) else None
    if operands is None:
        return move(source)
    behind = behind.union(op for op in ops if op is not None)
    matrices = [moved_first(build, v, move, behind) if isinstance(v, Matrix) else v for v in operands]
    template = next(v for v in matrices if isinstance(v, Matrix))
    pieces = []
    for at, piece in enumerate(template.pieces):
        given = [v.pieces[at].value if isinstance(v, Matrix) else _splat(build, v, piece.shape, template) for v in matrices]
        kind: Any = given[0].type
        op: Any = ops[0]
        made = build.clone(op, given, [kind.with_element(source.element)], {**op.attributes, LAYOUT: template.layout})
        pieces.append(replace(piece, value=made.results[0]))
    return replace(template, element=source.element, pieces=tuple(pieces))


def _operands(source: Matrix, ops: list[Op | None], behind: frozenset[Op]) -> list[Matrix | Value] | None:
    """What the pieces are all computed of, alike and for nothing else: matrices and constants; None where they are not."""
    first = ops[0]
    if not isinstance(first, Elementwise) or not first.operands:
        return None
    for op, piece in zip(ops, source.pieces):
        alike = op is not None and type(op) is type(first) and op.attributes == first.attributes
        if not alike or op is None or not behind.issuperset(piece.value.users) or piece.packing > 1:
            return None
    found: list[Matrix | Value] = []
    for at, operand in enumerate(first.operands):
        values = [op.operands[at] for op in ops if op is not None]
        if arith.constant_of(operand) is not None:
            if isinstance(arith.constant_of(operand), tuple) or any(
                arith.constant_of(v) != arith.constant_of(operand) for v in values
            ):
                return None
            found.append(operand)
        elif all(isinstance(v.type, VectorType) and v.type.shape == p.shape for v, p in zip(values, source.pieces)):
            pieces = tuple(replace(p, value=v) for p, v in zip(source.pieces, values))
            found.append(replace(source, element=element_of(operand.type), pieces=pieces))
        else:
            return None
    return found if any(isinstance(v, Matrix) for v in found) else None


def _splat(build: Builder, constant: Value, shape: tuple[int, int], like: Matrix) -> Value:
    kind = VectorType(shape, element_of(constant.type))
    return build(arith.Constant, value=arith.constant_of(constant), result=kind, **{LAYOUT: like.layout})
