"""What arithmetic by assembly (`emit/wide`) takes beside operands and results: IGC puts nothing in another order across it.

Each piece of assembly computes two registers of f32. What a message fills is one variable of many registers, which lives until its last
piece is computed; and between the pairs of registers that pieces leave it finds few that lie side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import add

from xetile.dialects import arith
from xetile.dialects.types import F32, element_of
from xetile.estimate.storage import Atom, Storage
from xetile.ir.core import Elementwise, Op


def beside_assembly(
    ops: Sequence[Op], storage: Storage, born: Mapping[Atom, int], last: Mapping[Atom, int]
) -> list[float]:  # fmt: skip
    """Bytes before the first op of a block, then behind each: the variables of messages that end at an op, and as much as the largest of
    those that live, or all pairs where these are fewer.

    born, last: behind which op what lives in the block alone begins, and which takes it last.
    """
    ending, pairs = [0.0] * (len(ops) + 1), [0.0] * (len(ops) + 1)
    messages: dict[float, list[int]] = {}  # by their size how many more live from an op on
    for atom, start in born.items():
        end = last[atom]
        if atom.dtype != F32.name or atom.bytes <= storage.grf_bytes:
            continue
        if atom in storage.whole:
            more = messages.setdefault(atom.bytes, [0] * (len(ops) + 2))
            more[start + 1] += 1
            more[end + 2] -= 1
            ending[end + 1] += atom.bytes if _is_arithmetic(ops[end]) else 0
        elif atom.made_by != arith.Select.opname:
            pairs[start + 1] += atom.bytes
            pairs[end + 1] -= atom.bytes
    largest = [0.0] * (len(ops) + 1)
    for size in sorted(messages):
        largest = [size if alive > 0 else most for alive, most in zip(accumulate(messages[size]), largest)]
    return [*map(add, ending, map(min, largest, accumulate(pairs)))]


def _is_arithmetic(op: Op) -> bool:
    """Whether assembly may compute an op: it chooses nothing, and gives f32."""
    return isinstance(op, Elementwise) and not isinstance(op, arith.Select) and element_of(op.results[0].type) is F32
