"""Values at lane level: a fragment is a sequence of bits that lies in pieces of SPIR-V vectors.

Components have the form (scalar type) that their maker gave them: elements from arithmetic, words from block loads.
A view in another form is made on demand by OpBitcast and kept.  So a slice costs nothing until it is used, and a slice of a
loaded block in the loaded form is the load of one 8-vector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from math import gcd

from xetile.dialects.types import ScalarType
from xetile.records import dataclass

from ..module.code import Code
from ..module.encode import Id

WIDEST = 16  # OpenCL environment, 2.2
_COUNTS = (16, 8, 4, 2, 1)


@dataclass(frozen=True)
class Buffer:
    """Memory: a pointer to its first element, as an integer of the element's size."""

    pointer: Id
    element: ScalarType
    space: int = 0

    @property
    def storage(self) -> str:
        """The storage class of its pointers."""
        return "Workgroup" if self.space == 3 else "CrossWorkgroup"


@dataclass(frozen=True)
class Whole:
    """A value that is one id and has no parts, such as a cooperative matrix."""

    id: Id


class Chunk:
    """One SPIR-V vector (or scalar): `count` components of a form, held by id or made when first asked for."""

    __slots__ = ("bits", "count", "form", "ids", "make")

    def __init__(self, code: Code, form: Id, count: int, value: Id | None = None, make: Callable[[], Id] | None = None) -> None:
        self.form = form
        self.count = count
        self.bits = count * code.width[form]
        self.ids: dict[Id, Id] = {} if value is None else {form: value}
        self.make = make

    def value(self, code: Code) -> Id:
        """The vector in its own form."""
        found = self.ids.get(self.form)
        if found is None:
            assert self.make is not None
            found = code.remember(self.ids, self.form, self.make())
        return found

    def view(self, code: Code, form: Id) -> Id:
        """The whole chunk in another form."""
        found = self.ids.get(form)
        if found is None:
            value = self.value(code)
            if form == self.form:
                return value
            kind = code.vector(form, self.bits // code.width[form])
            found = code.remember(self.ids, form, code.emit("OpBitcast", kind, value))
            code.same_as.setdefault(found, value)
        return found

    def take(self, code: Code, form: Id, first: int, bits: int) -> Id:
        """`bits` from bit `first` in the given form, of which they are a multiple."""
        width, own = code.width[form], code.width[self.form]
        if bits == self.bits and bits // width <= WIDEST:
            return self.view(code, form)
        if own >= width and self.bits // width <= WIDEST:
            return _pick(code, form, self.view(code, form), self.bits // width, first // width, (first + bits) // width)
        start, stop = first // own, -(-(first + bits) // own)
        if stop - start not in _COUNTS:  # no vector holds just these: one half after the other
            half = bits // width // 2 * width
            parts = [self.take(code, form, first, half), self.take(code, form, first + half, bits - half)]
            return code.join(form, parts, [half // width, (bits - half) // width])
        part = Chunk(code, self.form, stop - start, _pick(code, self.form, self.value(code), self.count, start, stop))
        return part.take(code, form, first - start * own, bits)


def _pick(code: Code, form: Id, value: Id, count: int, start: int, stop: int) -> Id:
    """Components start to stop of a vector of `count`."""
    if stop - start == count:
        return value
    if stop - start == 1:
        return code.emit("OpCompositeExtract", form, value, start)
    return code.emit("OpVectorShuffle", code.vector(form, stop - start), value, value, *range(start, stop))


class Piece:
    """Bits of a chunk: `bits` from `first`."""

    __slots__ = ("bits", "chunk", "first")

    def __init__(self, chunk: Chunk, first: int, bits: int) -> None:
        self.chunk = chunk
        self.first = first
        self.bits = bits


class Fragment:
    """A scalar (one element) or a lane's part of a vector: `count` elements in pieces laid end to end."""

    __slots__ = ("count", "element", "made", "pieces")

    def __init__(self, element: ScalarType, count: int, pieces: Sequence[Piece]) -> None:
        self.element = element
        self.count = count
        self.pieces = pieces
        self.made: dict[tuple[Id, int, int], Id] = {}  # vectors that were put together from several pieces

    def get(self, code: Code, form: Id, start: int, count: int) -> Id:
        """Components start to start + count, counted in `form`, as one vector (or scalar)."""
        pieces = self.pieces
        if len(pieces) == 1:
            (whole,) = pieces
            chunk = whole.chunk
            if form == chunk.form and count == chunk.count and not start and whole.bits == chunk.bits:  # as most are taken
                return chunk.ids.get(form) or chunk.value(code)
            width = code.width[form]
            first, bits = start * width, min(count * width, whole.bits - start * width)
            if bits > 0 and whole.first % width == 0:
                return chunk.take(code, form, whole.first + first, bits)
        width = code.width[form]
        pieces = list(_clip(pieces, start * width, (start + count) * width))
        if len(pieces) == 1 and pieces[0].first % width == 0:
            return pieces[0].chunk.take(code, form, pieces[0].first, pieces[0].bits)
        key = (form, start, count)
        found = self.made.get(key)
        return code.remember(self.made, key, self._gather(code, form, start, count, pieces)) if found is None else found

    def _gather(self, code: Code, form: Id, start: int, count: int, pieces: list[Piece]) -> Id:
        """Components that lie in several pieces, or begin inside of a chunk's."""
        width = code.width[form]
        if all(p.bits % width == p.first % width == 0 for p in pieces):
            parts = [
                (p.chunk.take(code, form, p.first + at * width, n * width), n)
                for p in pieces
                for at, n in _spans(p.bits // width)
            ]
            return code.join(form, [part for part, _ in parts], [n for _, n in parts])
        # Components that come from more than one piece, or more than one component, each: first in narrower words.
        narrow = gcd(width, *(n for p in pieces for n in (p.first, p.bits)))
        ratio = width // narrow
        if count * ratio <= WIDEST:
            words = self.get(code, code.integer(narrow), start * ratio, count * ratio)
            return code.emit("OpBitcast", code.vector(form, count), words)
        half = count // 2
        low, high = self.get(code, form, start, half), self.get(code, form, start + half, count - half)
        return code.join(form, [low, high], [half, count - half])

    def scalar(self, code: Code) -> Id:
        """The only element, as the id of a scalar."""
        return self.get(code, code.forms[self.element.name], 0, 1)

    def chunks(self, code: Code, form: Id | None = None) -> list[Id]:
        """All of it in vectors of `spans(count)` components; in its elements' form if none is given."""
        own = code.forms[self.element.name]
        if form is None or form == own:
            form, count = own, self.count
        else:
            count = self.count * code.width[own] // code.width[form]
        cut = spans(count, code.chunk)
        if len(cut) == 1:
            return [self.get(code, form, 0, count)]
        if _is_cut(self.pieces, cut, form):
            return [p.chunk.value(code) for p in self.pieces]
        return [self.get(code, form, start, count) for start, count in cut]

    def bits(self, code: Code) -> int:
        """Bits of all elements together."""
        return self.count * code.width[code.forms[self.element.name]]

    def slice(self, code: Code, start: int, count: int) -> Fragment:
        """`count` elements from `start`."""
        width = code.width[code.forms[self.element.name]]
        return Fragment(self.element, count, list(_clip(self.pieces, start * width, (start + count) * width)))

    def as_elements(self, element: ScalarType, count: int) -> Fragment:
        """The same bits as other elements."""
        return Fragment(element, count, self.pieces)

    def natural_form(self, code: Code) -> Id:
        """The form that costs no conversion: that of the pieces where they have one, else that of the elements."""
        (first, *others) = {p.chunk.form for p in self.pieces}
        fits = not others and self.bits(code) % code.width[first] == 0
        return first if fits else code.forms[self.element.name]


def _is_cut(pieces: Sequence[Piece], cut: Sequence[tuple[int, int]], form: Id) -> bool:
    """Whether pieces are whole vectors of a form, of as many components as asked for."""
    if len(pieces) != len(cut):
        return False
    for piece, (_, count) in zip(pieces, cut):
        chunk = piece.chunk
        if chunk.form != form or chunk.count != count or piece.bits != chunk.bits:
            return False
    return True


def _clip(pieces: Iterable[Piece], first: int, last: int) -> Iterator[Piece]:
    """The parts of the pieces between two bits."""
    at = 0
    for piece in pieces:
        end = at + piece.bits
        if end > first and at < last:
            low, high = max(first, at), min(last, end)
            whole = low == at and high == end
            yield piece if whole else Piece(piece.chunk, piece.first + low - at, high - low)
        at = end
        if at >= last:
            return


def _spans(count: int, widest: int = WIDEST) -> tuple[tuple[int, int], ...]:
    spans, start = [], 0
    for size in _COUNTS:
        while size <= widest and start + size <= count:
            spans.append((start, size))
            start += size
    return tuple(spans)


@cache
def spans(count: int, widest: int) -> tuple[tuple[int, int], ...]:
    """How `count` components are cut into vectors of up to `widest`: (first, components), halves behind whole ones."""
    return _spans(count, widest)


def from_chunks(code: Code, element: ScalarType, count: int, ids: Sequence[Id], form: Id | None = None) -> Fragment:
    """A fragment of vectors cut as `spans` says, in the elements' form or another."""
    own = code.forms[element.name]
    if form is None or form == own:
        form, total = own, count
    else:
        total = count * code.width[own] // code.width[form]
    pieces = []
    for (_, n), value in zip(spans(total, code.chunk), ids, strict=True):
        chunk = Chunk(code, form, n, value)
        pieces.append(Piece(chunk, 0, chunk.bits))
    return Fragment(element, count, pieces)


def from_scalar(code: Code, element: ScalarType, value: Id) -> Fragment:
    """One element."""
    chunk = Chunk(code, code.forms[element.name], 1, value)
    return Fragment(element, 1, (Piece(chunk, 0, chunk.bits),))


def lazy(code: Code, element: ScalarType, count: int, form: Id, makers: Sequence[tuple[int, Callable[[], Id]]]) -> Fragment:
    """A fragment of vectors that are made when first used: (components, maker) each."""
    chunks = [Chunk(code, form, n, make=make) for n, make in makers]
    return Fragment(element, count, [Piece(chunk, 0, chunk.bits) for chunk in chunks])


def concatenate(element: ScalarType, fragments: Sequence[Fragment]) -> Fragment:
    """Fragments laid end to end."""
    return Fragment(element, sum(f.count for f in fragments), [p for f in fragments for p in f.pieces])


def splat(code: Code, element: ScalarType, count: int, value: Id) -> Fragment:
    """`count` times one element."""
    form, made = code.forms[element.name], dict[int, Id]()
    for _, n in spans(count, code.chunk):
        if n not in made:
            made[n] = code.splat(form, value, n)
    return from_chunks(code, element, count, [made[n] for _, n in spans(count, code.chunk)])


def constant(code: Code, element: ScalarType, count: int, value: object) -> Fragment:
    """A splat constant, or one of a tuple of numbers."""
    form = code.forms[element.name]
    if not isinstance(value, tuple):
        return from_chunks(code, element, count, [code.constant(form, value, n) for _, n in spans(count, code.chunk)])
    ids = [
        code.module.constant(code.vector(form, n), value[at] if n == 1 else value[at : at + n])
        for at, n in spans(count, code.chunk)
    ]
    return from_chunks(code, element, count, ids)


def mapped(code: Code, element: ScalarType, function: Callable[..., Id], *operands: Fragment) -> Fragment:
    """`function(count, *vectors)` for each vector of the operands; equal operands give one instruction."""
    count, made = operands[0].count, dict[tuple[Id, ...], Id]()
    results = []
    for (_, n), *ids in zip(spans(count, code.chunk), *(operand.chunks(code) for operand in operands), strict=True):
        key = tuple(ids)
        if key not in made:
            made[key] = function(n, *ids)
        results.append(made[key])
    return from_chunks(code, element, count, results)


def one_by_one(code: Code, element: ScalarType, function: Callable[..., Id], *operands: Fragment) -> Fragment:
    """`function(1, *scalars)` for each element, equal ones once: what no vector may be asked to do."""
    made = dict[tuple[Id, ...], Id]()
    for key in (
        columns := list(zip(*([o.get(code, code.form(o.element), i, 1) for i in range(o.count)] for o in operands), strict=True))
    ):
        if key not in made:
            made[key] = function(1, *key)
    return concatenate(element, [from_scalar(code, element, made[key]) for key in columns])


def integers(code: Code, element: ScalarType, function: Callable[..., Id], *operands: Fragment) -> Fragment:
    """`mapped`, but element by element on GPUs: for choices of integers, and ops that put bits together.

    LLVM knows such patterns (saturating differences, absolute values, rotations, bytes in reverse) and makes intrinsics of them. Of
    vectors IGC has none: it crashes, or computes the first element alone.
    """
    return (mapped if code.whole else one_by_one)(code, element, function, *operands)
