"""What a loop's test has worked out is handed on to its body.

Drivers' compilers find what is computed twice of the same numbers, and keep it from the test to the body: it holds registers all the while,
which the estimate sees where it is written so (an escape-time fractal on pvc: 100 registers estimated, 138 taken and 1,408 bytes spilled).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from xetile.dialects import scf, vector
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import VectorType
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.rewriter import Rewriter

_MOVES = (vector.ExtractStridedSlice, vector.InsertStridedSlice, vector.Broadcast, vector.ShapeCast)


def hand_on_equal(kernel: GpuFunc) -> bool:
    """Let the body of an `scf.while` take vectors from its test where it would compute the same.  Returns whether there was any."""
    # With a map for each value that is handed on, a loop is not yet distributed: one more would need one.
    loops = [op for op in kernel.find(scf.While) if "wg_maps" not in op.attributes]
    return sum([_hand_on(loop) for loop in loops]) > 0


def _hand_on(loop: scf.While) -> bool:
    rewrite, test = Rewriter(), loop.before.terminator
    now: dict[Value, Value] = dict(zip(loop.after.args, test.operands[1:], strict=True))
    """What values of the body are in the test."""
    known = {_key(op, op.operands): op.results[0] for op in loop.before.ops if _is_vector(op)}
    found = False
    for op in list(loop.after.ops):
        value = known.get(_key(op, [now.get(v, v) for v in op.operands])) if _is_vector(op) else None
        if value is not None:
            rewrite.append_operands(test, [value])
            rewrite.add_result(loop, value.type)
            made = loop.after.add_arg(value.type)
            now[made] = value
            rewrite.replace(op, made)
            found = True
    return found


def _is_vector(op: Op) -> bool:
    return isinstance(op, (Elementwise, *_MOVES)) and len(op.results) == 1 and isinstance(op.results[0].type, VectorType)


def _key(op: Op, operands: Iterable[Value]) -> Hashable:
    return type(op), tuple(operands), op.results[0].type, tuple(sorted(op.attributes.items(), key=lambda item: item[0]))
