"""The pass: a walk over the old ops, some of which have functions of their own while the others join nests."""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import ScalarType, VectorType, element_of
from xetile.errors import UncoveredError
from xetile.ir.builder import create
from xetile.ir.core import Block, Elementwise, Op, Value
from xetile.ir.dispatch import Table
from xetile.passes.vectors import flow, joint_matrices, ops, products, scans, scattered
from xetile.passes.vectors.copies import copy
from xetile.passes.vectors.elementwise import apply
from xetile.passes.vectors.in_place import in_place
from xetile.passes.vectors.nests import NestWriter
from xetile.passes.vectors.products import operand_form
from xetile.passes.vectors.split_scattered import split_scattered
from xetile.passes.vectors.state import Lowering, Nest, shape2
from xetile.passes.vectors.storage import Form, Shape, Splat, Stored, TileValue
from xetile.target import Target
from xetile.target.block_rules import MARKS

LOWER = Table(flow.LOWER, ops.LOWER, products.LOWER, joint_matrices.LOWER, scans.LOWER, scattered.LOWER)
"""Functions of ops that are lowered by themselves; the others join nests."""

_DESCRIBES = (xetile.InitTile, xetile.UpdateTileOffset)
_READS = (xetile.LoadTile, xetile.LoadGather)
_WRITES = (xetile.StoreTile, xetile.StoreScatter)
_NEST_OPS = (*_READS, *_WRITES, xetile.TileIota, xetile.TileBroadcast, xetile.TileReduce)


def lowered(module: GpuModule, target: Target) -> GpuModule:
    """A kernel of tiles as loops over vectors; see `lower_to_vectors`."""
    return _Walk(split_scattered(module), target).run()


class _Walk(Lowering):
    """Walks the old ops."""

    def run(self) -> GpuModule:
        """The new module."""
        old = self.old
        body = Block([a.type for a in old.body.args], [a.name for a in old.body.args])
        kept = {k: v for k, v in old.attributes.items() if k not in ("num_subgroups", *MARKS)}
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
        handler = LOWER.find(type(op))
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
        return apply(self.build, op, [self.scalar(v) for v in op.operands], count, self.index)

    def _broadcast(self, op: vector.Broadcast) -> None:
        held = self.env[op.source]
        if not isinstance(held, Value):
            raise UncoveredError(f"a broadcast of {op.source.type}", at=op.loc)
        self.env[op.result] = Splat(shape2(op.result.type), self.index_as(held, self.element(element_of(held.type))))

    def _constant(self, op: arith.Constant) -> None:
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
            self.env[op.results[0]] = Splat(shape2(op.results[0].type), apply(self.build, op, scalars, 0, self.index))  # type: ignore[arg-type]
        else:
            self.join(op)

    # Nests.

    def join(self, op: Op) -> None:
        """Add an op to the open nest, or to a new one where it does not fit."""
        shape = nest_shape(op)
        if self.later is not None and not (self._may_go_first(self.later, op) and self.nest and self._fits(self.nest, op, shape)):
            self._write_first()
        if self.nest is not None and not self._fits(self.nest, op, shape):
            if self._may_go_first(self.nest, op):
                self.nest, self.later = None, self.nest
            else:
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
        if any(
            v in nest.defined and isinstance(v.op, xetile.TileReduce) for v in op.operands
        ):  # all others are known vector by vector
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

    def _may_go_first(self, nest: Nest, op: Op) -> bool:
        """Whether an op of another shape, which the open nest may come to stretch, can be computed before the nest."""
        return not isinstance(op, (*_READS, *_WRITES, xetile.TileReduce)) and nest.defined.isdisjoint(op.operands)

    def flush(self) -> None:
        """Write the open nest, and what was to come after it."""
        if self.later is not None:
            self._write_first()
        nest, self.nest = self.nest, None
        if nest is None:
            return
        block = nest.ops[-1].parent
        assert block is not None
        before = self.at[block]
        self.at[block] = block.ops.index(nest.ops[-1])
        self._write(nest)
        self.done(block, max(before, self.at[block]))

    def _write_first(self) -> None:
        """Write the open nest before an older one, which stays open: nothing that the older one reads may be given away."""
        nest, self.nest, self.later = self.nest, self.later, None
        if nest is not None:
            self._write(nest)

    def _write(self, nest: Nest) -> None:
        with self.build.located(nest.ops[0].loc):
            NestWriter(self, nest).run()

    def form(self, value: Value) -> Form:
        """How a value should lie in memory, by who uses it."""
        uses = value.uses
        forms = {operand_form(self, op, position) for op, position in uses}
        if len(forms) == 1 and None not in forms:
            (form,) = forms
            assert form is not None
            return form
        return Form(self.element(element_of(value.type)))

    def copy(self, held: TileValue, made: Stored) -> None:
        """Write a value to a buffer in another form."""
        copy(self, held, made)


def nest_shape(op: Op) -> Shape:
    """What an op runs through."""
    if isinstance(op, xetile.TileReduce):
        return shape2(op.source.type)
    if isinstance(op, _WRITES):
        return shape2(op.value.type)
    return shape2(op.results[0].type)
