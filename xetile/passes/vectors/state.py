"""The state that the parts of the pass share: what old values became, buffers, and the ways to make values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

from xetile.dialects import arith, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.joint_matrix import JointMatrixType
from xetile.dialects.types import I8, I16, I32, I64, INDEX, ScalarType, VectorType, element_of, value_bits
from xetile.errors import UncoveredError
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Op, Value
from xetile.ir.interfaces import block_of
from xetile.passes.vectors.elementwise import resized, typed
from xetile.passes.vectors.numbers import Number, Numbers
from xetile.passes.vectors.places import Edges, Place
from xetile.passes.vectors.storage import Buffer, Buffers, Form, MemoryAccess, Shape, Splat, Stored, TileValue
from xetile.passes.vectors.streams import arrays_read
from xetile.records import dataclass
from xetile.target import Target

TOP_BITS = 0x80808080 - (1 << 32)
"""The first bit of each byte of a word."""
HELD = (VectorType, JointMatrixType)
"""Types of values that lie in buffers."""


@dataclass(eq=False)
class Nest:
    """Ops on one shape. `by_columns`: its tiles lie in memory column by column."""

    shape: Shape
    ops: list[Op] = field(default_factory=list)
    defined: set[Value] = field(default_factory=set)
    reads: dict[Value, Value] = field(default_factory=dict)
    writes: dict[Value, Value] = field(default_factory=dict)
    sums: set[int] = field(default_factory=set)
    by_columns: bool = False

    @property
    def transposed(self) -> bool:
        """Whether rows stand for columns: where the tiles lie so, and columns of width 1 are run through as one row."""
        return self.by_columns or (self.shape[1] == 1 and self.shape[0] > 1)

    @property
    def size(self) -> Shape:
        """Rows and columns as they are run through."""
        return (self.shape[1], self.shape[0]) if self.transposed else self.shape

    def dim(self, dim: int) -> int:
        """An axis of ops as it is run through, or the other way round."""
        return 1 - dim if self.transposed else dim

    def place(self, place: Place) -> Place:
        """A tile as it is run through."""
        return place.transposed() if self.transposed else place


class Lowering:
    """What the functions of ops share; `env` is what old values became: scalars, places, tile values. `lower` walks the ops."""

    def __init__(self, module: GpuModule, target: Target) -> None:
        self.module = module
        self.target = target
        self.lanes = target.vector_lanes
        self.old = module.kernel
        self.index = I64 if self.old.index_bits == 64 else I32
        self.read = arrays_read(module)
        self.env: dict[Value, Any] = {}
        self.build = Builder(Block())
        self.head: list[Op] = []
        self.buffers = Buffers(self.build, self.head)
        self.numbers = Numbers(self.build)
        self.access = MemoryAccess(self.build)
        self.edges = Edges(self.build, self.buffers, target)
        self.nest: Nest | None = None
        self.later: Nest | None = None
        self.last = _last_uses(self.old.body)
        self.at: dict[Block, int] = {}
        self.active: list[Buffer] = []
        self.iter_args: dict[Block, Any] = {}
        self.home: Block = Block()
        self.destinations: dict[Value, tuple[Buffer, Value | None]] = {}

    # The walk.

    def block(self, block: Block) -> None:
        """Lower the ops of a block but its terminator; the last nest is written."""
        raise NotImplementedError

    def flush(self) -> None:
        """Write the open nest."""
        raise NotImplementedError

    def form(self, value: Value) -> Form:
        """How a value should lie in memory, by who uses it."""
        raise NotImplementedError

    def copy(self, held: TileValue, made: Stored) -> None:
        """Write a value to a buffer in another form."""
        raise NotImplementedError

    # Values.

    def element(self, element: ScalarType) -> ScalarType:
        """What elements of a type are in a vector."""
        return self.index if element is INDEX else element

    def scalar(self, value: Value) -> Value:
        """What a scalar became."""
        held = self.env[value]
        assert isinstance(held, Value), held
        return held

    def index_as(self, value: Value, element: ScalarType) -> Value:
        """A scalar index as the integer that vectors hold; anything else as it is."""
        return resized(self.build, value, element, signed=True) if value.type is INDEX and element is not INDEX else value

    def convert(self, value: Value, element: ScalarType, *, signed: bool) -> Value:
        """A vector (or scalar) in a wider type of the same kind, or back."""
        own = element_of(value.type)
        if own is element:
            return value
        if own.is_float:
            widens = value_bits(element) > value_bits(own)
            count = value.type.count if isinstance(value.type, VectorType) else 0
            return self.build(arith.ExtF if widens else arith.TruncF, value, result=typed(element, count))
        return resized(self.build, value, element, signed=signed)

    def store_group(self, out: Stored, rows: list[Value], row: Number, column: Number, count: int) -> None:
        """Vectors of rows, one above the other, as words."""
        n, words, bits = self.numbers, VectorType((count,), I32), 32 // len(rows)
        parts = [self._bits(self.convert(v, out.form.element, signed=not out.form.unsigned), words, bits) for v in rows]
        word, *others = parts
        for i, part in enumerate(others, 1):
            word = self.build(arith.OrI, word, self.build(arith.ShLI, part, self.access.constant(i * bits, words)))
        if out.form.biased:
            word = self.build(arith.XOrI, word, self.access.constant(TOP_BITS, words))
        group = n.divide(row, len(rows))
        index = n.add(n.multiply(column, out.shape[0] // len(rows)), n.multiply(group, count))
        self.access.store(word, out.memory, index)

    def _bits(self, value: Value, words: VectorType, bits: int) -> Value:
        parts = VectorType(words.shape, {16: I16, 8: I8}[bits])
        plain = value if value.type == parts else self.build(arith.Bitcast, value, result=parts)
        return self.build(arith.ExtUI, plain, result=words)

    def is_used_outside(self, value: Value, nest: Nest) -> bool:
        """Whether ops that are not in the nest use a value, as it is or as the offsets of a tile that they access."""
        users = [user for op in value.users for user in (op.results[0].users if _scatters(op) else [op])]
        return any(op not in nest.ops for op in users)

    def output(self, value: Value, nest: Nest | None = None) -> Stored:
        """A buffer for a value: where it will be needed, if that place is free by now."""
        form, shape = self.form(value), shape2(value.type)
        if form.group > 1 and nest is not None and (nest.sums or nest.transposed):
            form = Form(self.element(element_of(value.type)))
        place = self.destinations.get(value)
        if place is not None and self._is_free(value, place, nest):
            place[0].values.append(value)
            return Stored(shape, Form(self.element(element_of(value.type))), place[0])
        return self.new(shape, form, value)

    def new(self, shape: Shape, form: Form, value: Value | None = None) -> Stored:
        """A buffer of its own."""
        buffer = self.buffers.allocate((shape[0] // form.group, shape[1]), form.word)
        if value is not None:
            buffer.values.append(value)
            self.active.append(buffer)
        return Stored(shape, form, buffer)

    def _is_free(self, value: Value, place: tuple[Buffer, Value | None], nest: Nest | None) -> bool:
        """Whether the destination of a carried value holds nothing that is still needed.

        A nest may read what is there as long as it does so element by element, each before it is written.
        """
        buffer, _ = place
        if not all(self.is_dead(v) or v is value for v in buffer.values):
            return False
        if nest is None:
            return True
        readers = [op for op in nest.ops if any(v in buffer.values for v in op.operands)]
        if isinstance(value.op, xetile.TileReduce):
            return not readers
        return not any(isinstance(op, xetile.TileBroadcast) for op in readers)

    def is_dead(self, value: Value) -> bool:
        """Whether all ops that use a value are written."""
        block = block_of(value)
        assert block is not None
        return self.last.get(value, -1) <= self.at.get(block, -1)

    def materialize(self, value: Value, form: Form | None = None) -> Stored:
        """A value in a buffer, in a form; copied where it is not there yet."""
        held: TileValue = self.env[value]
        form = form or Form(self.element(element_of(value.type)))
        if isinstance(held, Stored) and held.form == form:
            return held
        made = self.new(held.shape, form, value if isinstance(held, Splat) else None)
        self.copy(held, made)
        return made


def _scatters(op: Op) -> bool:
    return isinstance(op, xetile.InitTile) and op.result.type.scatter


def _last_uses(body: Block) -> dict[Value, int]:
    """For each value the position, in its own block, of the last op that uses it, or a tile whose places it is, or holds such ops."""
    last: dict[Value, int] = {}

    def walk(block: Block, outer: tuple[tuple[Block, int], ...]) -> None:
        for position, op in enumerate(block.ops):
            here = (*outer, (block, position))
            for value in _with_places(op.operands):
                at = next(p for b, p in here if b is block_of(value))
                last[value] = max(last.get(value, -1), at)
            for inner in op.regions:
                walk(inner, here)

    walk(body, ())
    return last


def _with_places(values: Sequence[Value]) -> Iterator[Value]:
    """Some values, and what tiles among them are made of: scattered ones read their places at each access."""
    for value in values:
        yield value
        if isinstance(value.type, xetile.TileType) and value.op is not None and not value.op.regions:
            yield from _with_places(value.op.operands)


def shape2(type: Any) -> Shape:
    """The shape of a tile value."""
    if isinstance(type, JointMatrixType):
        return type.shape
    if not isinstance(type, VectorType) or type.rank != 2:
        raise UncoveredError(f"a value {type}")
    rows, columns = type.shape
    return rows, columns
