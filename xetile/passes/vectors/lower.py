"""The pass, and the state that its parts share."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from xetile.dialects import arith, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.joint_matrix import JointMatrixType
from xetile.dialects.types import I8, I16, I32, I64, INDEX, ScalarType, VectorType, element_of
from xetile.errors import UncoveredError
from xetile.ir.builder import Builder, create
from xetile.ir.core import Block, Elementwise, Op, Value
from xetile.ir.dispatch import Table
from xetile.passes.vectors.elementwise import apply, resized, typed
from xetile.passes.vectors.in_place import in_place
from xetile.passes.vectors.nests import Nest, NestWriter
from xetile.passes.vectors.numbers import Number, Numbers
from xetile.passes.vectors.places import Edges
from xetile.passes.vectors.split_scattered import split_scattered
from xetile.passes.vectors.storage import Access, Buffer, Buffers, Form, Shape, Splat, Stored, TileValue
from xetile.target import Target

HELD = (VectorType, JointMatrixType)
"""Types of values that lie in buffers."""
LOWER = Table()
"""Functions of ops that are lowered by themselves; the others join nests."""

_DESCRIBES = (xetile.InitTile, xetile.UpdateTileOffset)
_READS = (xetile.LoadTile, xetile.LoadGather)
_WRITES = (xetile.StoreTile, xetile.StoreScatter)
_NEST_OPS = (*_READS, *_WRITES, xetile.TileIota, xetile.TileBroadcast, xetile.TileReduce)


def lower_to_vectors(module: GpuModule, target: Target) -> GpuModule:
    """Write a kernel of tiles as loops over vectors, for one work-item that runs a whole workgroup.

    Before: workgroup-level xetile. After: scalars, vectors of one dimension, memory of one dimension; an index has 64 bits.
    Raises UncoveredError for what it does not know.
    """
    return Lowering(split_scattered(module), target).run()


class Lowering:
    """Walks the old ops; `env` is what their values became: scalars, places, tile values."""

    def __init__(self, module: GpuModule, target: Target) -> None:
        self.module = module
        self.target = target
        self.lanes = target.vector_lanes
        self.old = module.kernel
        self.index = I64 if self.old.attributes.get("index_bits") == 64 else I32
        self.env: dict[Value, Any] = {}
        self.build = Builder(Block())
        self.head: list[Op] = []
        self.buffers = Buffers(self.build, self.head)
        self.numbers = Numbers(self.build)
        self.access = Access(self.build)
        self.edges = Edges(self.build, self.buffers, target)
        self.nest: Nest | None = None
        self.last = _last_uses(self.old.body)
        self.at: dict[Block, int] = {}
        self.active: list[Buffer] = []
        self.iter_args: dict[Block, Any] = {}
        self.home: Block = Block()
        self.destinations: dict[Value, tuple[Buffer, Value | None]] = {}

    def run(self) -> GpuModule:
        """The new module."""
        for theme in ("flow", "ops", "products", "joint_matrices", "scattered"):  # they fill the table
            import_module(f"{__package__}.{theme}")

        old = self.old
        body = Block([a.type for a in old.body.args], [a.name for a in old.body.args])
        kept = {k: v for k, v in old.attributes.items() if k not in ("num_subgroups", "scattered", "ragged")}
        kept |= {"level": "vectors", "index_bits": 64, "num_subgroups": 1, "subgroup_size": 1}
        func = create(type(old), regions=[body], loc=old.loc, **kept)
        result = create(type(self.module), regions=[Block()], loc=self.module.loc, **self.module.attributes)
        result.regions[0].append(func)
        self.env.update(zip(old.body.args, body.args))
        self.home = body
        with self.build.at(body):
            self.block(old.body)
        body.insert(0, self.head)
        return result

    # Ops.

    def block(self, block: Block) -> None:
        """Lower the ops of a block but its terminator; the last nest is written."""
        self.at[block] = -1
        for position, op in enumerate(block.ops):
            with self.build.located(op.loc):
                self.op(op)
            if self.nest is None:
                self.done(block, position)
        if block.ops and not block.ops[-1].terminator:
            self.flush()

    def done(self, block: Block, position: int) -> None:
        """The ops of a block up to here are written: buffers whose values nobody needs any more serve again."""
        self.at[block] = position
        for buffer in [b for b in self.active if not b.fixed and all(map(self.is_dead, b.values))]:
            self.active.remove(buffer)
            self.buffers.release(buffer)

    def op(self, op: Op) -> None:
        """Lower one op."""
        handler: Callable[..., Any] | None = LOWER.find(type(op))
        if handler is not None:
            if not isinstance(op, _DESCRIBES):
                self.flush()
            made = handler(op, self)
            if len(op.results) == 1:
                self.env[op.results[0]] = made
            elif op.results:
                self.env.update(zip(op.results, made))
        elif (held := in_place(op, self)) is not None:
            self.env[op.results[0]] = held
        elif isinstance(op, _NEST_OPS):
            self.join(op)
        elif op.results and getattr(op.results[0].type, "rank", 2) == 1 and isinstance(op, (Elementwise, vector.Broadcast)):
            self.env[op.results[0]] = self._in_registers(op)
        elif isinstance(op, vector.Broadcast):
            self._broadcast(op)
        elif isinstance(op, arith.Constant):
            self._constant(op)
        elif isinstance(op, Elementwise) and isinstance(op.results[0].type, VectorType):
            self._elementwise(op)
        elif all(isinstance(v.type, ScalarType) for v in (*op.operands, *op.results)) and not op.regions:
            self._scalar(op)
        else:
            raise UncoveredError(f"{op.opname} has no code for CPUs yet", at=op.loc)

    def _scalar(self, op: Op) -> None:
        if not op.pure:
            self.flush()
        copy = self.build.clone(op, [self.scalar(v) for v in op.operands])
        self.env.update(zip(op.results, copy.results))

    def _in_registers(self, op: Any) -> Value:
        """A vector of one dimension: a row slice of a joint matrix."""
        count = op.results[0].type.count
        if isinstance(op, vector.Broadcast):
            return self.access.splat(self.scalar(op.source), count)
        return apply(self, op, [self.scalar(v) for v in op.operands], count)

    def _broadcast(self, op: Any) -> None:
        held = self.env[op.source]
        if not isinstance(held, Value):
            raise UncoveredError(f"a broadcast of {op.source.type}", at=op.loc)
        self.env[op.result] = Splat(shape2(op.result.type), self.index_as(held, self.element(element_of(held.type))))

    def _constant(self, op: Any) -> None:
        type = op.result.type
        if isinstance(type, VectorType):
            numbers = set(op.value) if isinstance(op.value, tuple) else {op.value}
            if len(numbers) != 1:
                raise UncoveredError("a constant with elements that differ", at=op.loc)
            scalar = self.access.constant(numbers.pop(), self.element(type.element))
            self.env[op.result] = Splat(shape2(type), scalar)
        else:
            self.env[op.result] = self.access.constant(op.value, type)

    def _elementwise(self, op: Op) -> None:
        held = [self.env.get(v) for v in op.operands]
        if all(isinstance(h, (Splat, Value)) for h in held):
            scalars = [h.scalar if isinstance(h, Splat) else h for h in held]
            self.env[op.results[0]] = Splat(shape2(op.results[0].type), apply(self, op, scalars, 0))  # type: ignore[arg-type]
        else:
            self.join(op)

    # Nests.

    def join(self, op: Op) -> None:
        """Add an op to the open nest, or to a new one where it does not fit."""
        shape = nest_shape(op)
        if self.nest is not None and not self._fits(self.nest, op, shape):
            self.flush()
        if self.nest is None:
            self.nest = Nest(shape)
        nest = self.nest
        nest.ops.append(op)
        nest.defined.update(op.results)
        if isinstance(op, _READS):
            nest.reads[op.tile] = self.env[op.tile].memory
        elif isinstance(op, _WRITES):
            nest.writes[op.tile] = self.env[op.tile].memory
        elif isinstance(op, xetile.TileReduce):
            nest.sums.update(op.dims)
        for result in op.results:
            self.env.pop(result, None)

    def _fits(self, nest: Nest, op: Op, shape: Shape) -> bool:
        if nest.shape != shape:
            return False
        if isinstance(op, xetile.TileBroadcast) and op.source in nest.defined:
            return False
        if any(v in nest.defined and v not in self._whole(nest) for v in op.operands):
            return False
        if isinstance(op, xetile.TileReduce):
            return len(op.dims) == 1 and not nest.sums - set(op.dims)
        if isinstance(op, _READS):
            return self.env[op.tile].memory not in nest.writes.values()
        if isinstance(op, _WRITES):
            where = self.env[op.tile].memory
            others = [t for t, m in nest.reads.items() if m is where and t is not op.tile]
            return not others and where not in nest.writes.values()
        return True

    def _whole(self, nest: Nest) -> set[Value]:
        """Values that are known vector by vector: all but sums."""
        return {r for op in nest.ops if not isinstance(op, xetile.TileReduce) for r in op.results}

    def flush(self) -> None:
        """Write the open nest."""
        nest, self.nest = self.nest, None
        if nest is None:
            return
        block = nest.ops[-1].parent
        assert block is not None
        before = self.at[block]
        self.at[block] = block.ops.index(nest.ops[-1])
        with self.build.located(nest.ops[0].loc):
            NestWriter(self, nest).run()
        self.done(block, max(before, self.at[block]))

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
        return resized(self, value, element, signed=True) if value.type is INDEX and element is not INDEX else value

    def convert(self, value: Value, element: ScalarType, *, signed: bool) -> Value:
        """A vector (or scalar) in a wider type of the same kind, or back."""
        own = element_of(value.type)
        if own is element:
            return value
        if own.is_float:
            widens = element.bits > own.bits or own.name == "tf32"
            count = value.type.count if isinstance(value.type, VectorType) else 0
            return self.build(arith.ExtF if widens else arith.TruncF, value, result=typed(element, count))
        return resized(self, value, element, signed=signed)

    def store_group(self, out: Stored, rows: list[Value], row: Number, column: Number, count: int) -> None:
        """Vectors of rows, one above the other, as words."""
        n, words, bits = self.numbers, VectorType((count,), I32), 32 // len(rows)
        parts = [self._bits(self.convert(v, out.form.element, signed=not out.form.unsigned), words, bits) for v in rows]
        word, *others = parts
        for i, part in enumerate(others, 1):
            word = self.build(arith.OrI, word, self.build(arith.ShLI, part, self.access.constant(i * bits, words)))
        group = n.divide(row, len(rows))
        index = n.add(n.multiply(column, out.shape[0] // len(rows)), n.multiply(group, count))
        self.access.store(word, out.memory, index)

    def _bits(self, value: Value, words: VectorType, bits: int) -> Value:
        parts = VectorType(words.shape, {16: I16, 8: I8}[bits])
        plain = value if value.type == parts else self.build(arith.Bitcast, value, result=parts)
        return self.build(arith.ExtUI, plain, result=words)

    def form(self, value: Value) -> Form:
        """How a value should lie in memory, by who uses it."""
        from xetile.passes.vectors.products import operand_form

        uses = value.uses
        forms = {operand_form(self, op, position) for op, position in uses}
        if len(forms) == 1 and None not in forms:
            (form,) = forms
            assert form is not None
            return form
        return Form(self.element(element_of(value.type)))

    def is_used_outside(self, value: Value, nest: Nest) -> bool:
        """Whether ops that are not in the nest use a value."""
        return any(op not in nest.ops for op in value.users)

    def output(self, value: Value, nest: Nest | None = None) -> Stored:
        """A buffer for a value: where it will be needed, if that place is free by now."""
        form, shape = self.form(value), shape2(value.type)
        if form.group > 1 and nest is not None and (nest.sums or nest.turned):
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
        block = value.owner if isinstance(value.owner, Block) else value.owner.parent
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

    def copy(self, held: TileValue, made: Stored) -> None:
        """Write a value to a buffer in another form."""
        from xetile.passes.vectors.copies import copy

        copy(self, held, made)


def _last_uses(body: Block) -> dict[Value, int]:
    """For each value the position, in its own block, of the last op that uses it or holds such ops."""
    last: dict[Value, int] = {}

    def walk(block: Block, outer: tuple[tuple[Block, int], ...]) -> None:
        for position, op in enumerate(block.ops):
            here = (*outer, (block, position))
            for value in op.operands:
                home = value.owner if isinstance(value.owner, Block) else value.owner.parent
                at = next(p for b, p in here if b is home)
                last[value] = max(last.get(value, -1), at)
            for inner in op.regions:
                walk(inner, here)

    walk(body, ())
    return last


def shape2(type: Any) -> Shape:
    """The shape of a tile value."""
    if isinstance(type, JointMatrixType):
        return type.shape
    if not isinstance(type, VectorType) or type.rank != 2:
        raise UncoveredError(f"a value {type}")
    rows, columns = type.shape
    return rows, columns


def nest_shape(op: Op) -> Shape:
    """What an op runs through."""
    if isinstance(op, xetile.TileReduce):
        return shape2(op.source.type)
    if isinstance(op, _WRITES):
        return shape2(op.value.type)
    return shape2(op.results[0].type)


__all__ = ["LOWER", "Lowering", "lower_to_vectors"]
