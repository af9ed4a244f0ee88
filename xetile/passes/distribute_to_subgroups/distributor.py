"""What all handlers of the pass share: the layouts of old values, and a subgroup's coordinates and origins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xetile.dialects import arith, gpu, scf, xetile
from xetile.dialects.types import INDEX, VectorType
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Op, Value
from xetile.layout import Layout
from xetile.passes.converter import Converter, Table
from xetile.passes.owners import Share, num_pieces, rounds_of, shares
from xetile.passes.slm import Buffers
from xetile.passes.uses import Uses, uses_of
from xetile.target import Target

DISTRIBUTE = Table()
Pieces = tuple[Value, ...]


class Distributor(Converter):
    """Every tile and vector becomes a tuple of pieces, one for each round; scalars stay."""

    def __init__(self, module: Op, target: Target) -> None:
        super().__init__(DISTRIBUTE)
        kernel = module.kernel  # type: ignore[attr-defined]
        self.target = target
        self.subgroups: int = kernel.attributes["num_subgroups"]
        self.index_bits: int = kernel.attributes.get("index_bits") or 32
        self.uses: Uses = uses_of(module)
        self.buffers = Buffers(module, target)
        self._layouts = _layouts(kernel)
        # What depends on the subgroup alone is computed once, before everything else.
        self.head = Builder(Block())
        self._known: dict[Any, Value] = {}

    def begin(self, func: Op) -> None:
        """The kernel's head is filled while its body is converted."""
        self.head.loc = func.loc

    def finish(self, module: Op) -> None:
        """Put the head, and the shared local memory that came to be needed, at the beginning of the kernel."""
        body: Block = module.kernel.body  # type: ignore[attr-defined]
        head = [*self.buffers.ops, *self.head.block.ops]
        for op in head:
            op.parent = body
        body.ops[:0] = head

    # Layouts.

    def shares(self, value: Value) -> tuple[Share, ...]:
        """How an old tile or vector is dealt out, per dimension."""
        tile: Any = value.type
        layout = tile.wg_map if isinstance(tile, xetile.TileType) else self._layouts[value]
        return shares(layout, tile.shape)

    def pieces(self, value: Value) -> Pieces:
        """What an old tile or vector became."""
        lowered: Pieces = self[value]
        return lowered

    def piece_type(self, value: Value) -> VectorType:
        """The type of one piece of an old vector."""
        vector: Any = value.type
        return VectorType(tuple(s.size for s in self.shares(value)), vector.element)

    def make(self, op: Op, operands: Sequence[Value], type: VectorType) -> Value:
        """Append a copy of an op of one result for pieces."""
        attributes = {k: v for k, v in op.attributes.items() if k != "wg_map"}
        copy = op.__class__(list(operands), op.segments, attributes, [type], [], op.loc)
        copy.parent = self.build.block
        self.build.block.ops.append(copy)
        return copy.results[0]

    # Coordinates.

    def coordinate(self, share: Share) -> Value:
        """Which of the `distinct` pieces of a round this subgroup has."""
        return self._once(("at", share.stride, share.distinct), lambda: self._coordinate(share.stride, share.distinct))

    def origin(self, share: Share) -> Value | None:
        """Where this subgroup's first piece starts; None for the tile's start."""
        if share.distinct == 1:
            return None
        key = ("origin", share.stride, share.distinct, share.size)
        return self._once(key, lambda: self._scaled(self.coordinate(share), share.size))

    def place(self, offset: Value, share: Share, turn: int) -> Value:
        """`offset` moved to the piece of round `turn`."""
        origin = self.origin(share)
        if origin is not None:
            offset = origin if arith.constant_of(offset) == 0 else self.build(arith.AddI, offset, origin)
        return self.build(arith.AddI, offset, self.constant(turn * share.step)) if turn else offset

    def is_owner(self, parts: Sequence[Share]) -> Value:
        """Whether this subgroup is the first of those that share its pieces."""
        grid = tuple(sorted((s.stride, s.distinct) for s in parts if s.distinct > 1))
        return self._once(("owner", grid), lambda: self._is_owner(parts))

    def constant(self, value: int) -> Value:
        """An index."""
        result: Value = self.build(arith.Constant, value=value, result=INDEX)
        return result

    @property
    def subgroup_id(self) -> Value:
        """Which subgroup this is."""
        return self._once("id", lambda: self.head(gpu.SubgroupId))

    def head_constant(self, value: int) -> Value:
        """An index at the kernel's head."""
        return self._once(("constant", value), lambda: self.head(arith.Constant, value=value, result=INDEX))

    def _once(self, key: Any, make: Any) -> Value:
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def _coordinate(self, stride: int, distinct: int) -> Value:
        value = self.subgroup_id
        if stride > 1:
            value = self.head(arith.DivUI, value, self.head_constant(stride))
        if stride * distinct < self.subgroups:
            value = self.head(arith.RemUI, value, self.head_constant(distinct))
        return value

    def _scaled(self, value: Value, factor: int) -> Value:
        if factor == 1:
            return value
        result: Value = self.head(arith.MulI, value, self.head_constant(factor))
        return result

    def _is_owner(self, parts: Sequence[Share]) -> Value:
        owner: Value = self.head_constant(0)
        for share in parts:
            if share.distinct > 1:
                owner = self.head(arith.AddI, owner, self._scaled(self.coordinate(share), share.stride))
        result: Value = self.head(arith.CmpI, self.subgroup_id, owner, predicate="eq")
        return result


def _layouts(kernel: Any) -> dict[Value, Layout]:
    """The layout of each vector: its op's wg_map, its tile's, or that of the loop that carries it."""
    found: dict[Value, Layout] = {}
    for op in kernel.walk():
        maps = op.attributes.get("wg_maps")
        if maps is not None:
            args = op.body.args[1:] if isinstance(op, scf.For) else op.after.args if isinstance(op, scf.While) else ()
            found.update((v, m) for values in (op.results, args) for v, m in zip(values, maps) if m is not None)
        if isinstance(op, scf.While):
            found.update((arg, found[v]) for arg, v in zip(op.before.args, op.init) if isinstance(arg.type, VectorType))
        elif len(op.results) == 1 and isinstance(op.results[0].type, VectorType) and not op.regions:
            found[op.results[0]] = op.attributes.get("wg_map") or op.tile.type.wg_map
    return found


def rounds(parts: Sequence[Share]) -> list[tuple[int, ...]]:
    """The rounds of all pieces, row-major."""
    return rounds_of(tuple(parts))


__all__ = ["DISTRIBUTE", "Distributor", "Pieces", "num_pieces", "rounds"]
