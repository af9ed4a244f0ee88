"""What all handlers of the pass share: the layouts of old values and their pieces."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from xetile.dialects import scf, xegpu, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.layouts import layouts_of
from xetile.dialects.types import VectorType
from xetile.errors import LayoutError
from xetile.ir import analyses
from xetile.ir.core import Attributes, Op, Type, Value, type_of
from xetile.ir.dispatch import Table
from xetile.ir.interfaces import variables_of
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.analysis.numbers import Numbers
from xetile.passes.analysis.owners import AnyLayout, Share, plain_shape, rounds_of, shares
from xetile.passes.common.converter import Lowered
from xetile.passes.common.slm import Buffers
from xetile.passes.distribute.coordinates import Coordinates
from xetile.records import dataclass
from xetile.target import Target

DISTRIBUTE = Table()
Pieces = tuple[Value, ...]
KeyT = TypeVar("KeyT", bound=Hashable)


@dataclass(frozen=True)
class PendingDesc:
    """A block descriptor whose type says nothing of subgroups: each access makes its own by its layout."""

    op: xegpu.CreateNdTdesc
    offsets: tuple[Value, ...]

    def carried(self) -> Sequence[Value]:
        """Only the offsets change."""
        return self.offsets

    def with_carried(self, values: Sequence[Value]) -> PendingDesc:
        """The descriptor elsewhere."""
        return replace(self, offsets=tuple(values))


class Distributor(Coordinates):
    """Every tile, vector and laid-out descriptor becomes a tuple of pieces, one for each round; scalars stay."""

    def __init__(self, table: Table, module: GpuModule, target: Target) -> None:
        kernel = module.kernel
        super().__init__(table, kernel.attributes["num_subgroups"])
        self.target = target
        self.buffers = Buffers(module, target)
        self.numbers = analyses.get(Numbers, kernel)
        self._classes = analyses.get(AliasClasses, module, (xegpu.TensorDescType,))
        self._placed = {self._classes.root(op.result) for op in module.walk() if _has_offsets(op)}
        self._layouts: dict[Value, AnyLayout] = {**layouts_of(kernel), **_layouts_of_results(module)}

    def finish(self, module: GpuModule) -> None:
        """Put the head, and the shared local memory that came to be needed, at the beginning of the kernel."""
        self.place_head(module, self.buffers.ops)

    # Layouts.

    def is_placed(self, desc: Value) -> bool:
        """Whether an old block descriptor has offsets: its pieces are where their subgroups need them, and accesses add to that."""
        return self._classes.root(desc) in self._placed

    def layout(self, value: Value) -> AnyLayout:
        """The layout of an old tile or vector."""
        given = value.type.wg_map if isinstance(value.type, xetile.TileType) else None
        return given or self._layouts[value]

    def shares(self, value: Value) -> tuple[Share, ...]:
        """How an old tile or vector is distributed, per dimension of what its layout speaks of."""
        return shares(self.layout(value), plain_shape(value))

    def pieces(self, value: Value) -> Pieces:
        """What an old tile, vector or descriptor became."""
        lowered: Pieces = self[value]
        return lowered

    def rounds(self, value: Value) -> list[tuple[int, ...]]:
        """The rounds of the pieces of an old tile or vector, row-major."""
        return rounds_of(self.shares(value))

    def by_round(self, value: Value) -> dict[tuple[int, ...], Value]:
        """The pieces of an old vector by their rounds."""
        return dict(zip(self.rounds(value), self.pieces(value)))

    def piece_type(self, value: Value) -> VectorType:
        """The type of one piece of an old vector."""
        vector = type_of(value, VectorType)
        sizes = tuple(s.size for s in self.shares(value))
        if len(vector.shape) == len(sizes) + 1:  # packed: rows in groups
            sizes = (sizes[0] // vector.shape[-1], *sizes[1:], vector.shape[-1])
        return VectorType(sizes, vector.element)

    def make(self, op: Op, operands: Sequence[Value | None], result: Type | None = None, **changes: Any) -> Any:
        """Append a copy of an op for pieces: layouts lose what they say of subgroups."""
        given = [v for v in operands if v is not None]
        copy = self.build.clone(op, given, [] if result is None else [result], inner({**op.attributes, **changes}))
        return copy.results[0] if copy.results else None

    def by_piece(self, op: Op) -> Pieces:
        """An op for each piece of what it works on: vectors, tiles and descriptors by piece, what is uniform for all of them."""
        operands = [self[v] for v in op.operands]
        count = next((len(lowered) for lowered in operands if isinstance(lowered, tuple)), 1)
        columns = [lowered if isinstance(lowered, tuple) else (lowered,) * count for lowered in operands]
        kind = None
        if op.results:  # what moves stays what it is
            vector = isinstance(op.results[0].type, VectorType)
            kind = self.piece_type(op.results[0]) if vector else columns[0][0].type
        return tuple(self.make(op, parts, kind) for parts in zip(*columns, strict=True))

    def clone(self, op: Op, **changes: Any) -> Lowered:
        """Ops on scalars stay as they are. Raises LayoutError for an op on vectors that has no rule."""
        if any(isinstance(v.type, VectorType) for v in (*op.operands, *op.results)):
            raise LayoutError(
                f"{op.opname} on workgroup-level vectors has no rule that distributes it to subgroups",
                hint="write it at subgroup level",
                at=op.loc,
            )
        return super().clone(op, **changes)

    def kept(self, op: Op, passed: Sequence[Sequence[Value]]) -> Attributes:
        """How carried values are distributed follows from what is carried."""
        return {name: value for name, value in super().kept(op, passed).items() if not name.startswith("layout_result_")}


def made_once(pieces: Iterable[KeyT], make: Callable[[KeyT], Value]) -> tuple[Value, ...]:
    """What becomes of each piece, where one that comes again is made once."""
    made: dict[KeyT, Value] = {}
    for piece in (found := list(pieces)):
        if piece not in made:
            made[piece] = make(piece)
    return tuple(made[piece] for piece in found)


def _layouts_of_results(module: GpuModule) -> dict[Value, AnyLayout]:
    """The layouts of vectors as xegpu's attributes give them."""
    found: dict[Value, AnyLayout] = {}
    for op in module.walk():
        for number, result in enumerate(op.results):
            layout = op.attributes.get(f"layout_result_{number}")
            if layout is not None:
                found[result] = layout
    for variable in variables_of(module):
        given = next((found[v] for v in (variable.holders[-1], variable.given[0]) if v in found), None)
        if given is not None:
            found.update(dict.fromkeys(variable.holders, given))
    return found


def _has_offsets(op: Op) -> bool:
    return isinstance(op, xegpu.UpdateNdOffset) or (isinstance(op, xegpu.CreateNdTdesc) and bool(op.offsets))


def inner(attributes: Attributes) -> Attributes:
    """What attributes say of one subgroup's pieces."""
    found = {
        key: value.drop_sg() if isinstance(value, AnyLayout) and value.is_workgroup else value
        for key, value in attributes.items()
    }
    return {key: value for key, value in found.items() if key != "wg_map" and value is not None}


@DISTRIBUTE(scf.If)
def _branch(op: scf.If, c: Distributor) -> Lowered:
    """With `sg_id_range` the layouts inside are of those subgroups (seed 002, RangeAttr)."""
    chosen: xegpu.RangeAttr | None = op.attributes.get("sg_id_range")
    if chosen is None:
        return c.structure(op)
    with c.among(chosen.start, chosen.end - chosen.start):
        return c.structure(op)


def rounds(parts: Sequence[Share]) -> list[tuple[int, ...]]:
    """The rounds of all pieces, row-major."""
    return rounds_of(tuple(parts))


__all__ = ["DISTRIBUTE", "Distributor", "PendingDesc", "Pieces", "inner", "made_once", "rounds"]
