"""What all handlers of `block` share: XeTile values, descriptors and matrices in the place of xegpu's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xetile.dialects import arith, xegpu
from xetile.dialects.types import VectorType, shape_of
from xetile.errors import LayoutError
from xetile.ir.core import Attributes, Op, Value
from xetile.ir.dispatch import Table
from xetile.layout import Layout, MemLayout
from xetile.passes.common.converter import Converter, Lowered
from xetile.passes.xegpu.flat import Flat, arranged, natural
from xetile.records import dataclass
from xetile.target import Target


@dataclass(frozen=True)
class BlockDesc:
    """A block descriptor: the memory with its sizes and strides, and where in it the block starts, which moves."""

    type: xegpu.TensorDescType
    base: Value
    shape: tuple[Value, ...]
    strides: tuple[Value, ...]
    offsets: tuple[Value, ...]

    def carried(self) -> Sequence[Value]:
        """Only the offsets change."""
        return self.offsets

    def with_carried(self, values: Sequence[Value]) -> BlockDesc:
        """The block elsewhere."""
        return replace(self, offsets=tuple(values))


@dataclass(frozen=True)
class ScatterDesc:
    """A scattered descriptor: a flat memory, and an offset for each lane, which moves."""

    type: xegpu.TensorDescType
    base: Value
    offsets: Flat

    def carried(self) -> Sequence[Value]:
        """Only the offsets change."""
        return self.offsets.carried()

    def with_carried(self, values: Sequence[Value]) -> ScatterDesc:
        """The lanes elsewhere."""
        return replace(self, offsets=self.offsets.with_carried(values))


@dataclass(frozen=True)
class SharedMatrix:
    """A matrix in shared local memory: elements lie as `layout` says; `offsets`: where this view of it starts."""

    type: xegpu.MemDescType
    base: Value
    layout: MemLayout
    offsets: tuple[Value, ...]


class Raiser(Converter):
    """Vectors become XeTile's values of two dimensions; scalars stay."""

    def __init__(self, table: Table, target: Target, columns: frozenset[Value] = frozenset()) -> None:
        super().__init__(table)
        self.target = target
        self.columns = columns

    def __setitem__(self, value: Value, lowered: Any) -> None:
        """Vectors that are held as columns (`columns_of`) are so from the start."""
        if value in self.columns and isinstance(lowered, Flat):
            lowered = arranged(self.build, lowered, self.held_as(value))
        super().__setitem__(value, lowered)

    def held_as(self, value: Value) -> tuple[int, int]:
        """Rows and columns of what stands for a vector."""
        shape = shape_of(value.type)
        return (shape[0], 1) if value in self.columns else natural(shape)[1]

    def flat(self, value: Value) -> Flat:
        """What an old vector became."""
        found = self[value]
        return found if isinstance(found, Flat) else plain_flat(found)

    def map_of(self, op: Op) -> Layout | None:
        """Which map over subgroups the tile or product has that an op becomes; none in a subgroup."""
        return None

    def plain_clone(self, op: Op) -> Lowered:
        """A copy of an op on scalars."""
        return super().clone(op)

    def clone(self, op: Op, **changes: Any) -> Lowered:
        """Ops on scalars, and XeTile's own, whose values are of two dimensions as they are."""
        if op.opname.startswith(("xetile.", "scf.", "gpu.", "cf.")) or not _on_vectors(op):
            operands = {v: arranged(self.build, self[v], v.type.shape) for v in op.operands if isinstance(self[v], Flat)}  # type: ignore
            saved = {v: self[v] for v in operands}
            for value, flat in operands.items():
                self[value] = flat.values[0]
            made = super().clone(op, **dict.fromkeys(n for n in op.attributes if n.startswith("layout_result_")), **changes)
            for value, lowered in saved.items():
                self[value] = lowered
            return made
        raise LayoutError(f"{op.opname} has no rule at subgroup level", hint="write it at lane level", at=op.loc)

    def kept(self, op: Op, passed: Sequence[Sequence[Value]]) -> Attributes:
        """How carried values are distributed follows from what is carried."""
        return {name: value for name, value in super().kept(op, passed).items() if not name.startswith("layout_result_")}

    def coerce(self, lowered: Any, template: Any) -> Any:
        """Carried vectors keep their rows and columns."""
        if isinstance(template, Flat):
            flat = lowered if isinstance(lowered, Flat) else plain_flat(lowered)
            return arranged(self.build, flat, template.block, template.packing)
        if isinstance(lowered, Flat) and isinstance(template, Value):
            rows, columns = shape_of(template.type)
            return arranged(self.build, lowered, (rows, columns)).values[0]
        return lowered

    def add(self, a: Value, b: Value) -> Value:
        """A sum; nothing where one is zero."""
        if arith.constant_of(a) == 0:
            return b
        return a if arith.constant_of(b) == 0 else self.build(arith.AddI, a, b)


def plain_flat(value: Value) -> Flat:
    """An XeTile value as a vector."""
    return Flat(shape_of(value.type), (value,))


def _on_vectors(op: Op) -> bool:
    return any(isinstance(v.type, VectorType) for v in (*op.operands, *op.results))


__all__ = ["BlockDesc", "Raiser", "ScatterDesc", "SharedMatrix", "plain_flat"]
