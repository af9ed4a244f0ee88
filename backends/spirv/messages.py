"""2-D block messages: a descriptor's parts as messages take them, the coordinates of a message, and the message (SPV_INTEL_2d_block_io)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import partial, reduce
from typing import Any

from xetile.dialects import arith, xegpu
from xetile.dialects.affine import sum_of
from xetile.dialects.types import I32
from xetile.ir.core import Value
from xetile.records import dataclass

from .emit import Emitter
from .emit_hints import hinted
from .emit_values import Buffer
from .encode import Id
from .hidden import hidden_zero, number_apart


@dataclass(frozen=True)
class NdDesc:
    """A block descriptor: `width` and `pitch` in bytes, `height` in rows, all i32; `origin` is added to coordinates (y, x), and
    `ahead`, in elements, to x; `widths`: the width as messages with numbered headers take it (`xegpu.HEADER`).
    """

    type: xegpu.TensorDescType
    buffer: Buffer
    width: Id | None = None
    height: Id | None = None
    pitch: Id | None = None
    origin: tuple[Value | None, ...] = ()
    ahead: Id | None = None
    widths: Mapping[int, Id] = field(default_factory=dict)


def place_of(e: Emitter, desc: NdDesc, op: Any, dim: int, words: int = 1) -> Id:
    """A coordinate of a message as i32: the last (-1) in elements, or in words of several; the one before it in rows."""
    given, origin = ((None, None, *values)[dim] for values in (op.offsets, desc.origin))
    if e.headers.hides(op, dim):
        at = hidden_zero(e, e.i32)
    else:
        at = _coordinate(e, [v for v in (given, origin) if v is not None])
    if e.headers.is_beside(op, dim):
        at = e.add(e.i32, hidden_zero(e, e.i32), at)
    number = op.attributes.get(xegpu.HEADER, 0) if e.headers.is_alone(op) else 0
    in_words = dim == -1 and words > 1
    more = _constant(e, (given, origin)) if number else 0
    if in_words and more % words:
        more = 0
    if more:
        at = e.add(e.i32, at, e.number(-more))
    if dim == -1 and desc.ahead is not None:
        at = e.add(e.i32, at, desc.ahead)
    if in_words:
        at, more = e.emit("OpShiftRightArithmetic", e.i32, at, e.number(words.bit_length() - 1)), more // words
    return e.add(e.i32, at, number_apart(e, more, number)) if more else at


def _constant(e: Emitter, terms: Sequence[Value | None]) -> int:
    """The number in a coordinate's sum. Of two headers one would be the other and that number, which IGC adds to a copy."""
    found = sum(sum_of(v).constant for v in terms if v is not None)
    return found if e.index == e.i32 and abs(found) < FAR else 0


def _is_near(e: Emitter, terms: Sequence[Value]) -> bool:
    """Whether a sum is known to lie in the 32 bits that a coordinate has, whatever is added to it."""
    found = [e.near.interval(v) for v in terms]
    return None not in found and all(abs(sum(each[end] for each in found if each)) < FAR for end in range(2))


FAR = 1 << 30
"""A coordinate outside of every array that block messages reach, with room for what is added to it."""


def _coordinate(e: Emitter, terms: Sequence[Value]) -> Id:
    """A sum of indices as i32, as block messages take coordinates; what does not fit lies outside of the array."""
    if not terms:
        return e.number(0)
    if len(terms) == 1 and isinstance(terms[0].op, arith.IndexCast) and terms[0].op.operands[0].type is I32:
        return e.scalar(terms[0].op.operands[0])
    if e.index == e.i32 or _is_near(e, terms):
        return reduce(partial(e.add, e.i32), map(e.index32, terms))
    whole = reduce(partial(e.add, e.i64), map(e.index64, terms))
    low, high = e.constant(e.i64, -FAR), e.constant(e.i64, FAR)
    return e.resize(e.ext(e.i64, "s_min", e.ext(e.i64, "s_max", whole, low), high), e.i64, e.i32)


def send(e: Emitter, op: Any, name: str, desc: NdDesc, access: str, *registers: Id, words: int = 1) -> None:
    """One 2-D block message; `registers` is the private pointer of a load or store; `words`: elements that move as one."""
    assert desc.width is not None and desc.height is not None and desc.pitch is not None
    height, width = desc.type.shape
    shape = [e.number(n) for n in (words * desc.type.element.bits // 8, width // words, height, desc.type.array_length)]
    y, x = (place_of(e, desc, op, dim, words) for dim in (-2, -1))
    place = e.emit("OpCompositeConstruct", e.vector(e.i32, 2), x, y)
    width = desc.widths.get(op.attributes.get(xegpu.HEADER, 0), desc.width)
    memory = [hinted(e, desc.buffer.pointer, op, access), width, desc.height, desc.pitch, place]
    ordered = [*registers, *memory] if access == "store" else [*memory, *registers]
    e.keep_together()
    e.emit(f"OpSubgroup2DBlock{name}INTEL", *shape, *ordered)
