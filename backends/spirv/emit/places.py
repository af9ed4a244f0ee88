"""What known other lanes hold, several lanes by one strided move (`facts/places`, `assembly/gather`)."""

from __future__ import annotations

from xetile.dialects import arith, gpu
from xetile.dialects.types import I8, element_of
from xetile.ir.core import Value

from ..assembly.gather import WORD_BITS, Gather
from ..facts.places import Taken, moves_of
from ..facts.uses import moves as is_move
from ..module.encode import Id
from .emitter import Emitter
from .values import Chunk, Fragment, from_chunks

FEWEST = 4
"""Choices from which on exchanges count too: of less IGC may see that it is moves of bytes, many at once (sums beside products)."""


def gather(e: Emitter, op: arith.Select, taken: Taken) -> Fragment | None:
    """The number of each lane; None where that takes no fewer instructions than to choose."""
    element = element_of(op.result.type)
    width = e.width[e.form(element)]
    operands, found = dict[tuple[Chunk, Id], int](), list[tuple[int, int]]()
    for value, at, lane in taken.places:
        chunk, first = _chunk(e[value], at * width)
        form = chunk.form if width <= e.width[chunk.form] <= WORD_BITS else e.integer(width)
        operand = operands.setdefault((chunk, form), len(operands))
        word, rest = divmod(first, e.width[form])
        found.append((operand, (word * e.subgroup_size + lane) * (e.width[form] // width) + rest // width))
    moves = tuple(moves_of(found, e.subgroup_size * WORD_BITS // width))
    choices = sum(isinstance(each, arith.Select) for each in taken.ops)
    exchanges = sum(isinstance(each, gpu.Shuffle) for each in taken.ops) if choices >= FEWEST else 0
    twice = width == I8.bits and len(moves) == moves[0].width == 1
    if len(moves) >= choices + exchanges and not twice:
        return None
    vectors = [chunk.view(e, e.integer(e.width[form])) for chunk, form in operands]
    sizes = tuple((chunk.bits // e.width[form], e.width[form]) for chunk, form in operands)
    piece = Gather(e.subgroup_size, width, sizes, moves, twice, twice and _has_sign(op.result))
    word = e.call_assembly(piece, e.i32, vectors)
    made = e.resize(word, e.i32, e.integer(width))
    if twice:
        e.doubled[made] = word, piece.signed
    return from_chunks(e, element, 1, [made], e.integer(width))


def _has_sign(value: Value) -> bool:
    """Whether all that numbers become, where they are moved, are numbers with their sign."""
    users = list(value.users)
    return bool(users) and all(isinstance(op, arith.SIToFP) or (is_move(op) and _has_sign(op.results[0])) for op in users)


def _chunk(fragment: Fragment, first: int) -> tuple[Chunk, int]:
    """Which vector holds a bit, and where."""
    at = 0
    for piece in fragment.pieces:
        if first < at + piece.bits:
            return piece.chunk, piece.first + first - at
        at += piece.bits
    raise AssertionError(f"bit {first} of {at}")
