"""Access by indices that MLIR's vector dialect has and a subgroup or workgroup makes as a whole: reads and writes of blocks, of lines, of
elements that a mask or offsets pick. Those of blocks become messages of xegpu, all others scattered access, as upstream lowers them.

A lane's own access is `vector.load` or `vector.store` and stays what it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field
from typing import Any

from xetile.dialects import arith, memory, vector, xegpu
from xetile.dialects.types import I1, INDEX, MemRefType, VectorType
from xetile.errors import MlirTextError
from xetile.ir.builder import Builder
from xetile.ir.core import Op, Type, Value
from xetile.mlir.functions import walk
from xetile.mlir.generic import RawOp
from xetile.mlir.limits import shortened
from xetile.mlir.ops import attributes_of
from xetile.mlir.sizes import Sizes
from xetile.mlir.types import read_type
from xetile.mlir.views import View, as_value, element_place, extents_of, on_parts, steps_of, times
from xetile.records import dataclass

READ, WRITE = "vector.transfer_read", "vector.transfer_write"
LOAD, STORE = "vector.load", "vector.store"
MASKED_LOAD, MASKED_STORE = "vector.maskedload", "vector.maskedstore"
GATHER, SCATTER = "vector.gather", "vector.scatter"
NAMES = (READ, WRITE, LOAD, STORE, MASKED_LOAD, MASKED_STORE, GATHER, SCATTER)
BY_LANES = (LOAD, STORE, GATHER, SCATTER)
"""Those that code of lanes, and code for CPUs, has too."""
_SHARED = 3
_MAP = re.compile(r"affine_map<\(([^()]*)\) -> \(([^()]*)\)>")
_THREADS = ("gpu.thread_id", "gpu.global_id")


def by_lanes(function: RawOp, threads: int) -> bool:
    """Whether a function is executed by lanes, as it says or its ops show. threads: of a subgroup."""
    level = function.attributes.get("xetile.level")
    if level is not None:
        return level in ('"lane"', '"vectors"')
    shown = ("gpu.lane_id", *(_THREADS if threads > 1 else ()))
    return any(op.name in shown or (op.name.startswith("xegpu.") and _is_share(op)) for op in walk(function))


def _is_share(op: RawOp) -> bool:
    """Whether a value is a lane's share of what a descriptor moves, or a mask that of one lane."""
    try:
        types = [read_type(text) for text in (*op.operand_types, *op.result_types)]
    except MlirTextError:
        return False  # said where the op is read
    descs = [t for t in types if isinstance(t, xegpu.TensorDescType)]
    values = [t for t in types if isinstance(t, VectorType)]
    if op.name in (xegpu.LoadNd.opname, xegpu.StoreNd.opname) and descs and values:
        return values[0].count < descs[0].count * descs[0].array_length
    if op.name == xegpu.Dpas.opname:
        return bool(values) and values[0].rank == 1
    return op.name in (xegpu.Load.opname, xegpu.Store.opname) and I1 in types


@dataclass
class Access:
    """What is moved between a vector and memory.

    dims: the dimension of memory that each of the vector follows; None where it repeats what it has. outside: whether it may go beyond
    that dimension. offsets: elements of the last dimension beyond the indices, each lane's own. otherwise: what a read gives where the
    mask is false or nothing is.
    """

    build: Builder
    name: str
    base: Any
    indices: list[Value]
    kind: VectorType
    dims: tuple[int | None, ...]
    outside: tuple[bool, ...]
    kept: dict[str, Any]
    sizes: Sizes
    lanes: bool
    value: Value | None = None
    mask: Value | None = None
    offsets: Value | None = None
    otherwise: Value | None = None
    extents: list[Any] = field(default_factory=list)
    steps: list[Any] = field(default_factory=list)
    repeated: tuple[VectorType, list[int], dict[str, Any]] | None = None

    def made(self) -> Op:
        """The op that gives the result, or writes."""
        type: MemRefType = self.base.type
        if len(self.indices) != type.rank or type.element is not self.kind.element:
            raise MlirTextError(f"{self.name}: {len(self.indices)} indices for {self.kind} in {type}")
        self._measure()
        if self.lanes:
            return self._of_a_lane()
        made = self._as_block() if self.is_block() else self._scattered()
        return made if self.repeated is None else self._repeated(made.results[0], *self.repeated)

    def _repeated(self, part: Value, kind: VectorType, known: list[int], kept: dict[str, Any]) -> Op:
        """A vector whose other dimensions repeat a part."""
        ones = tuple(n if d in known else 1 for d, n in enumerate(kind.shape))
        if ones[kind.rank - len(known) :] != part.type.shape:  # type: ignore[attr-defined]
            layout = kept.get("layout_result_0")
            column = (
                {} if layout is None else {"layout_result_0": layout.unsplit([d for d in range(kind.rank) if d not in known])}
            )
            part = self.build(vector.ShapeCast, part, result=kind.with_shape(*ones), **column)
        return self.build.op(vector.Broadcast, part, result=kind, **kept)

    def _of_a_lane(self) -> Op:
        """Neighbours in memory. Raises MlirTextError for what is another access."""
        rank = self.base.type.rank
        plain = self.mask is None and self.offsets is None and not any(self.outside) and self.dims == (rank - 1,)
        if not plain or self.steps[-1] != 1:
            raise MlirTextError(f"{self.name}: a lane reads and writes neighbours that are there",
                                hint="write vector.load, or one dimension, the last of the memory, with in_bounds = [true]")  # fmt: skip
        flat, start = element_place(self.build, self.base, self.indices, self.steps)
        if self.value is not None:
            return self.build.op(memory.StoreVector, self.value, flat, start)
        return self.build.op(memory.LoadVector, flat, start, value=self.kind)

    def _measure(self) -> None:
        """Sizes and strides; of an argument whose type leaves its sizes to a run, those that a launch passes."""
        extents, rank = list(extents_of(self.base)), self.base.type.rank
        for axis in range(rank):
            if extents[axis] is None:
                extents[axis] = self.sizes.of(self.base, self._number(axis))
        steps: list[Any] = list(steps_of(self.base))
        if self.base.type.strides is None and None in steps and None not in extents[1:]:
            for axis in reversed(range(rank - 1)):
                known, extent = steps[axis + 1], extents[axis + 1]
                assert extent is not None
                steps[axis] = times(self.build, as_value(self.build, extent), known)
        if None in steps or any(extents[d] is None for d, out in zip(self.dims, self.outside) if out and d is not None):
            raise MlirTextError(f"{self.name}: {self.base.type} has sizes or strides that are known only at run time",
                                hint="pass sizes as arguments, and make a part of them by memref.subview")  # fmt: skip
        self.extents, self.steps = extents, steps

    def _number(self, value: Any, kind: Type = INDEX) -> Value:
        return self.build(arith.Constant, value=value, result=kind)

    # Blocks.

    def is_block(self) -> bool:
        """Whether a block message moves it: its last dimensions, all of it, and zeros where nothing is."""
        rank, found = self.base.type.rank, [d for d in self.dims if d is not None]
        if self.mask is not None or self.offsets is not None or not 1 <= len(found) <= 2 or self.kind.element is I1:
            return False
        if sorted(found) != list(range(rank - len(found), rank)):
            return False
        filled = not any(self.outside) or self.value is not None or _is_zero(self.otherwise)
        return filled and self.steps[-1] == 1 and self.base.type.space != _SHARED and None not in self.extents

    def _as_block(self) -> Op:
        build, found = self.build, [d for d in self.dims if d is not None]
        rank, straight = self.base.type.rank, found == sorted(found)
        block = self.kind if straight else self.kind.with_shape(*self.kind.shape[::-1])
        leading = rank - len(found)
        first = [*self.indices[:leading], *(self._number(0) for _ in found)] if leading else []
        told = not isinstance(self.base, View) and None in self.base.type.shape
        sizes = [[as_value(build, n) for n in part] for part in (self.extents, self.steps)] if told else [[], []]
        groups = on_parts(build, xegpu.CreateNdTdesc, [self.base, first, *sizes])
        desc = build(xegpu.CreateNdTdesc, *groups, result=xegpu.TensorDescType(block.shape, block.element))
        at, layout = self.indices[leading:], self.kept.get("layout_result_0")
        if self.value is not None:
            value = self.value if straight else build(vector.Transpose, self.value, permutation=(1, 0))
            stored = layout if straight or layout is None else layout.transpose((1, 0))
            return build.op(xegpu.StoreNd, value, desc, at, **({} if stored is None else {"layout": stored}))
        loaded = build.op(xegpu.LoadNd, desc, at, value=block, **({"layout": layout} if straight and layout is not None else {}))
        if straight:
            return loaded
        return build.op(vector.Transpose, loaded.value, permutation=(1, 0), **self.kept)

    # All others.

    def _scattered(self) -> Op:
        """Each element by its offset; where a mask is false, or nothing is, it is not touched."""
        build = self.build
        flat, start = element_place(build, self.base, self.indices, self.steps)
        offsets = self._spread(start)
        if self.offsets is not None:
            offsets = self._both(arith.AddI, offsets, self.offsets)
        mask = self.mask
        for dim, (axis, outside) in enumerate(zip(self.dims, self.outside)):
            if axis is not None:
                line = self._line(dim)
                offsets = self._both(arith.AddI, offsets, self._stretched(self._scaled(line, self.steps[axis], dim), dim))
                if outside:
                    inside = self._stretched(self._inside(line, axis, dim), dim)
                    mask = inside if mask is None else self._both(arith.AndI, mask, inside)
        kept = {"layout": self.kept["layout_result_0"]} if "layout_result_0" in self.kept else {}
        every = mask if mask is not None else self._number(True, self.kind.with_element(I1))
        if self.value is not None:
            return build.op(xegpu.Store, self.value, flat, offsets, every, **kept)
        loaded = build.op(xegpu.Load, flat, offsets, every, value=self.kind, **kept)
        if mask is None or self.otherwise is None:
            return loaded
        other = self.otherwise
        if not isinstance(other.type, VectorType):
            other = build(vector.Broadcast, other, result=self.kind, **self.kept)
        return build.op(arith.Select, mask, loaded.value, other, **self.kept)

    def _both(self, kind: type[Op], one: Value, other: Value) -> Value:
        return self.build(kind, one, other, **self.kept)

    def _spread(self, number: Value) -> Value:
        return self.build(vector.Broadcast, number, result=self.kind.with_element(INDEX), **self.kept)

    def _of_line(self, dim: int) -> dict[str, Any]:
        """The layout of a line along a dimension, in which the owners of the others share it."""
        layout, others = self.kept.get("layout_result_0"), [d for d in range(self.kind.rank) if d != dim]
        return self.kept if layout is None or not others else self.kept | {"layout_result_0": layout.slice(others)}

    def _line(self, dim: int) -> Value:
        return self.build(vector.Step, result=VectorType((self.kind.shape[dim],), INDEX), **self._of_line(dim))

    def _scaled(self, line: Value, by: Any, dim: int) -> Value:
        if by == 1:
            return line
        factor = self.build(vector.Broadcast, as_value(self.build, by), result=line.type, **self._of_line(dim))
        return self.build(arith.MulI, line, factor, **self._of_line(dim))

    def _inside(self, line: Value, axis: int, dim: int) -> Value:
        """Before the first element of a dimension is far behind its last one, as numbers without a sign."""
        kept, build = self._of_line(dim), self.build
        start, end = (build(vector.Broadcast, v, result=line.type, **kept)
                      for v in (self.indices[axis], as_value(build, self.extents[axis])))  # fmt: skip
        return build(arith.CmpI, build(arith.AddI, line, start, **kept), end, predicate="ult", **kept)

    def _stretched(self, line: Value, dim: int) -> Value:
        kind = self.kind.with_element(line.type.element)  # type: ignore[attr-defined]
        if dim != self.kind.rank - 1:
            layout = self.kept.get("layout_result_0")
            ones = kind.with_shape(*(n if d == dim else 1 for d, n in enumerate(kind.shape)))
            column = {} if layout is None else {"layout_result_0": layout.unsplit([d for d in range(kind.rank) if d != dim])}
            line = self.build(vector.ShapeCast, line, result=ones, **column)
        return line if line.type == kind else self.build(vector.Broadcast, line, result=kind, **self.kept)


def _is_zero(value: Value | None) -> bool:
    number = arith.constant_of(value) if value is not None else None
    return number is not None and number == 0 and str(number)[0] != "-"


Operands = list[Any]
Reader = Callable[[Builder, RawOp, Operands, dict[str, Any], list[Type], Sizes, bool], Access]


def transfer(
    build: Builder, raw: RawOp, operands: Operands, values: dict[str, Any], results: list[Type], sizes: Sizes, lanes: bool
) -> Op:
    """Append what an op of `NAMES` means. Raises MlirTextError for vectors without a dimension, and for what says no map."""
    return _READERS[raw.name](build, raw, operands, values, results, sizes, lanes).made()


def _moved(raw: RawOp, value: Any) -> VectorType:
    if not isinstance(value, VectorType) or not value.rank:
        raise MlirTextError(f"{raw.name} moves vectors of one dimension or more, not {value}")
    return value


def _kept(raw: RawOp, values: dict[str, Any], layout: str) -> dict[str, Any]:
    """Attributes that go on to what is made: a layout, by whatever name it has here."""
    for name in (*_OWN, "alignment", "nontemporal", "in_bounds", "permutation_map", "operandSegmentSizes"):
        values.pop(name, None)
    kept = attributes_of(arith.Select, raw.name, values)
    given = kept.pop(layout, None) if layout != "layout_result_0" else kept.get(layout)
    return {} if given is None else {"layout_result_0": given}


_OWN = ("base", "offset")


def _split(raw: RawOp, operands: Operands, before: int) -> tuple[Operands, Any, list[Value], Operands]:
    """Operands before the memory, the memory, an index for each of its dimensions, and what stands behind."""
    base = operands[before] if len(operands) > before else None
    if not isinstance(getattr(base, "type", None), MemRefType):
        raise MlirTextError(f"{raw.name} takes memory here, not {getattr(base, 'type', 'nothing')}", hint="lower tensors before")
    behind = before + 1 + base.type.rank  # type: ignore[union-attr]
    return operands[:before], base, operands[before + 1 : behind], operands[behind:]


def _mapped(
    build: Builder, raw: RawOp, operands: Operands, values: dict[str, Any], results: list[Type], sizes: Sizes, lanes: bool
) -> Access:
    """A transfer: dimensions by a map, each of which may go beyond the memory's edge."""
    (*value,), base, indices, rest = _split(raw, operands, int(raw.name == WRITE))
    kind = _moved(raw, value[0].type if value else results[0] if results else None)
    padding, mask = (rest[0], rest[1:]) if raw.name == READ and rest else (None, rest)
    if len(mask) > 1 or (raw.name == READ and padding is None):
        raise MlirTextError(f"{raw.name} has {len(operands)} operands")
    dims = _dims(raw, values.get("permutation_map"), base.type.rank, kind.rank)
    said = values.get("in_bounds", ())
    if said and (not isinstance(said, (list, tuple)) or len(said) != kind.rank or any(type(b) is not bool for b in said)):
        raise MlirTextError(f"{raw.name}: in_bounds {shortened(str(said))} does not fit {kind}")
    outside = tuple(not b for b in said) if said else (True,) * kind.rank
    kept = _kept(raw, values, "layout_operand_0" if value else "layout_result_0")
    known = [d for d in range(kind.rank) if dims[d] is not None]
    repeats = raw.name == READ and 0 < len(known) < kind.rank
    if repeats:  # what a vector repeats is read once
        part = Access(build, raw.name, base, indices, kind.with_shape(*(kind.shape[d] for d in known)), tuple(dims[d] for d in known),
                      tuple(outside[d] for d in known), _of_part(kept, kind, known), sizes, lanes)  # fmt: skip
        part.repeated = (kind, known, kept)
    made = part if repeats else Access(build, raw.name, base, indices, kind, dims, outside, kept, sizes, lanes, *value)
    made.otherwise = padding
    made.mask = _mask(made, mask[0]) if mask else None
    return made


def _of_part(kept: dict[str, Any], kind: VectorType, known: list[int]) -> dict[str, Any]:
    """The layout of what has these dimensions of a vector: owners of the others share it."""
    layout = kept.get("layout_result_0")
    return {} if layout is None else {"layout_result_0": layout.slice([d for d in range(kind.rank) if d not in known])}


def _dims(raw: RawOp, said: Any, rank: int, count: int) -> tuple[int | None, ...]:
    """The dimension of memory that each of a vector's follows; the last ones where nothing is said."""
    if said is None and count <= rank:
        return tuple(range(rank - count, rank))
    found = _MAP.fullmatch(str(said))
    names = [name.strip() for name in found[1].split(",")] if found else []
    given = [name.strip() for name in found[2].split(",")] if found else []
    dims = tuple(None if name == "0" else names.index(name) for name in given if name == "0" or name in names)
    known = [d for d in dims if d is not None]
    if len(names) != rank or len(dims) != count or len(set(known)) != len(known):
        raise MlirTextError(
            f"{raw.name}: permutation_map {shortened(str(said))} does not tell where {count} of {rank} dimensions are"
        )
    return dims


def _mask(access: Access, mask: Value) -> Value:
    """A mask has the memory's order of dimensions, and none for what a vector repeats."""
    known = [d for d in access.dims if d is not None]
    order, build, kind = [sorted(known).index(d) for d in known], access.build, access.kind
    if not isinstance(mask.type, VectorType) or mask.type.element is not I1 or mask.type.rank != len(known):
        raise MlirTextError(f"{access.name}: the mask {mask.type} does not fit {kind}")
    if order != sorted(order):
        mask = build(vector.Transpose, mask, permutation=tuple(order))
    if mask.type != kind.with_element(I1):
        raise MlirTextError(f"{access.name}: the mask {mask.type} does not fit {kind}")
    return mask


def _neighbours(
    build: Builder, raw: RawOp, operands: Operands, values: dict[str, Any], results: list[Type], sizes: Sizes, lanes: bool
) -> Access:
    """vector.load and the like: the memory's last dimensions, all of it there; a mask may leave elements out."""
    first = {STORE: 1}.get(raw.name, 0)
    value, base, indices, rest = _split(raw, operands, first)
    mask: Value | None = None
    if raw.name in (MASKED_LOAD, MASKED_STORE):
        if len(rest) != 2:
            raise MlirTextError(f"{raw.name} takes a mask and a vector behind its indices")
        mask, other = rest
        value, rest = ([other], []) if raw.name == MASKED_STORE else ([], [other])
    kind = _moved(raw, value[0].type if value else results[0] if results else None)
    dims = _dims(raw, None, base.type.rank, kind.rank)
    kept = _kept(raw, values, "layout_operand_0" if value else "layout_result_0")
    made = Access(build, raw.name, base, indices, kind, dims, (False,) * kind.rank, kept, sizes, lanes, *value)
    made.mask, made.otherwise = mask, rest[0] if rest else None
    return made


def _picked(
    build: Builder, raw: RawOp, operands: Operands, values: dict[str, Any], results: list[Type], sizes: Sizes, lanes: bool
) -> Access:
    """vector.gather and scatter: offsets along the last dimension."""
    _, base, indices, rest = _split(raw, operands, 0)
    if len(rest) != 3:
        raise MlirTextError(f"{raw.name} takes offsets, a mask and a vector behind its indices")
    where, mask, other = rest
    kind = _moved(raw, other.type)
    if not isinstance(where.type, VectorType) or where.type.shape != kind.shape or mask.type != kind.with_element(I1):
        raise MlirTextError(f"{raw.name}: {where.type} and {mask.type} do not fit {kind}")
    kept = _kept(raw, values, "layout_operand_3" if raw.name == SCATTER else "layout_result_0")
    if where.type.element is not INDEX:
        where = build(arith.IndexCast, where, result=kind.with_element(INDEX), **kept)
    made = Access(
        build,
        raw.name,
        base,
        indices,
        kind,
        (None,) * kind.rank,
        (False,) * kind.rank,
        kept,
        sizes,
        lanes,
        offsets=where,
        mask=mask,
    )
    if raw.name == SCATTER:
        made.value = other
    else:
        made.otherwise = other
    return made


_READERS: dict[str, Reader] = {
    **dict.fromkeys((READ, WRITE), _mapped),
    **dict.fromkeys((LOAD, STORE, MASKED_LOAD, MASKED_STORE), _neighbours),
    **dict.fromkeys((GATHER, SCATTER), _picked),
}
