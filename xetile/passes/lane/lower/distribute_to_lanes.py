"""xegpu from subgroups to lanes: each vector becomes the 1-D fragment that one lane holds (seed 000, work item level).

Vectors over the lanes (one element each, such as offsets) become scalars. What a lane needs from another goes by shuffles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod

from xetile.dialects import arith, gpu, scf, vector, xegpu, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import F32, I32, VectorType, element_of, shape_of
from xetile.dialects.vector import LAYOUT
from xetile.errors import VerifyError
from xetile.ir.core import Attributes, Block, Elementwise, Op, Type, Value, Variable
from xetile.ir.dispatch import Table
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import PlainBlocks
from xetile.passes.common.converter import Converter, Lowered
from xetile.passes.common.reductions import combiner, is_identity, zeros_alike
from xetile.passes.common.sharing import OF_LANES, SharingBuilder
from xetile.passes.lane.lower.fragments import (
    AnyLayout,
    LaneFunction,
    broadcast_moves,
    coordinate_functions,
    fragments,
    moves,
    patches,
    reshaped_moves,
    same_moves,
    same_places,
    slice_moves,
    transposed_moves,
)
from xetile.passes.lane.lower.matrices import LaneMatrix
from xetile.passes.lane.lower.moves import cut, gather_slots, lane_number, move, patch, put, repeated
from xetile.passes.lane.lower.reductions import reduce_lines_to_lanes
from xetile.passes.lane.lower.scans import LaneScan
from xetile.target import Target
from xetile.target.blocks import WORD_BYTES

DISTRIBUTE = Table()
_PREFIX = LAYOUT[:-1]


def distribute_to_lanes(module: GpuModule, target: Target) -> GpuModule:
    """Replace vectors of a subgroup by fragments of a lane.

    Before: xegpu at subgroup level. After: xegpu at lane level; vectors are 1-D fragments.
    """
    result = Distribution(DISTRIBUTE, module, target).convert_function(module, {"level": "lane"})
    return result


class Distribution(Converter):
    """The state of this pass: how lanes hold each old value."""

    def __init__(self, table: Table, module: GpuModule, target: Target) -> None:
        super().__init__(table)
        self.target = target
        self.lanes = target.subgroup_size
        self.assembly = target.block2d is not None and xegpu.has_blocks(module)
        self._layouts: dict[Value, AnyLayout] = {}
        _find_layouts(module.kernel.body.ops, self._layouts)

    def begin(self, func: Op) -> None:
        """Numbers of lanes are made once."""
        self.build = SharingBuilder(self.build.block, OF_LANES, alone=True)

    def layout(self, value: Value) -> AnyLayout:
        """How lanes hold an old value."""
        known = self._layouts.get(value)
        if known is not None:
            return known
        shape = shape_of(value.type)
        if len(shape) == 1:
            return Layout(lane_layout=(self.lanes,), lane_data=(1,))
        rows, columns = shape
        return PlainBlocks(self.target.subgroup_size, self.target.block_rows, self.target.lane_run).layout((rows, columns))

    def over_lanes(self, value: Value) -> bool:
        """A 1-D vector with one element for each lane."""
        return isinstance(value.type, VectorType) and value.type.shape == (self.lanes,) and value not in self._layouts

    def lane_type(self, value: Value) -> Type:
        """The type of an old value in a lane."""
        if not isinstance(value.type, VectorType):
            return value.type
        if self.over_lanes(value):
            return value.type.element
        shape, extra = self.plain_shape(value)
        return VectorType((extra * len(fragments(shape, self.layout(value))[0]),), value.type.element)

    def plain_shape(self, value: Value) -> tuple[tuple[int, ...], int]:
        """The 2-D (or 1-D) shape that the layout speaks of, and how many such blocks there are.

        A packed block (K/p, N, p) holds the rows of a (K, N) one in the same order in each lane, as does the step between,
        (K/p, p, N); at most 4 rows share 32 bits, and N is the subgroup size. load_nd puts blocks side by side.
        """
        shape: tuple[int, ...] = shape_of(value.type)
        count = 1
        if isinstance(value.op, xegpu.LoadNd) and value.op.desc.type.array_length > 1:
            count, shape = shape[0], shape[1:]
        if len(shape) == 3:
            shape = (shape[0] * shape[2], shape[1]) if shape[2] <= WORD_BYTES else (shape[0] * shape[1], shape[2])
        return shape, count


def _find_layouts(ops: Sequence[Op], known: dict[Value, AnyLayout]) -> None:
    """Layouts from the ops' attributes, and through control flow from what goes in."""
    for op in ops:
        if op.attributes:
            for number, result in enumerate(op.results):
                layout = op.attributes.get(f"{_PREFIX}{number}" if number else LAYOUT)
                if layout is not None:
                    known[result] = layout
        if not op.regions:
            continue
        given = [(variable, variable.sources[0]) for variable in op.flow()]
        _pass_on(known, [variable for variable, (source, _) in given if source is op])
        for block in op.regions:
            _find_layouts(block.ops, known)
            _pass_on(known, [variable for variable, (source, _) in given if source is block.terminator])


def _pass_on(known: dict[Value, AnyLayout], variables: Iterable[Variable]) -> None:
    for variable in variables:
        if variable.given[0] in known:
            known.update(dict.fromkeys(variable.holders, known[variable.given[0]]))


def _attributes(op: Op) -> Attributes:
    return {k: v for k, v in op.attributes.items() if not k.startswith(_PREFIX)} if op.attributes else {}


@DISTRIBUTE(
    Elementwise,
    xegpu.LoadNd,
    xegpu.StoreNd,
    xegpu.Load,
    xegpu.Store,
    xegpu.Prefetch,
    xegpu.CreateMemDesc,
    gpu.Shuffle,
    vector.Bitcast,
)
def _rebuilt(op: Op, c: Distribution) -> Lowered:
    """The same op on fragments."""
    types = [c.lane_type(r) for r in op.results]
    copy = c.build.clone(op, c.ones(op.operands), types, _attributes(op))
    return copy.results[0] if len(copy.results) == 1 else tuple(copy.results)


@DISTRIBUTE(xegpu.CreateTdesc)
def _create_tdesc(op: xegpu.CreateTdesc, c: Distribution) -> Value:
    """A descriptor of one lane, which has its own offset; xegpu wants it in a vector."""
    desc = op.result.type
    assert desc.chunk_size == 1
    return c.build(xegpu.CreateTdesc, c.one(op.source), _as_vector(op.offsets, c), result=replace(desc, shape=(1,)))


@DISTRIBUTE(xegpu.AtomicRmw)
def _atomic(op: xegpu.AtomicRmw, c: Distribution) -> Value:
    old = c.build(xegpu.AtomicRmw, c.one(op.desc), _as_vector(op.mask, c), _as_vector(op.value, c), kind=op.kind)
    return c.build(vector.Extract, old, position=(0,))


def _as_vector(value: Value, c: Distribution) -> Value:
    """A lane's element of a vector over the lanes, as a vector of one."""
    return c.build(vector.Broadcast, c.one(value), result=VectorType((1,), element_of(value.type)))


@DISTRIBUTE(xegpu.Dpas)
def _dpas(op: xegpu.Dpas, c: Distribution) -> Lowered:
    """A result whose rows are in lanes is the transpose of what the instruction gives: so are the operands."""
    if getattr(c.layout(op.result), "lane_layout", ()) != (c.lanes, 1):
        return _rebuilt(op, c)
    flags = {"lhs_unsigned": op.rhs_unsigned, "rhs_unsigned": op.lhs_unsigned}
    acc = None if op.acc is None else c.one(op.acc)
    return c.build(xegpu.Dpas, c.one(op.rhs), c.one(op.lhs), acc, result=c.lane_type(op.result),
                   **{k: v for k, v in flags.items() if v is not None})  # fmt: skip


def _memory_of(desc: Value, c: Distribution) -> Value:
    made = desc.op
    assert isinstance(made, xegpu.CreateMemDesc)
    return c.one(made.source)


@DISTRIBUTE(xegpu.LoadMatrix)
def _load_matrix(op: xegpu.LoadMatrix, c: Distribution) -> Value:
    matrix = LaneMatrix(c.build, op.desc, c.target, _memory_of(op.desc, c))
    load = matrix.load if op.subgroup_block_io is None else matrix.load_rows
    return load([c.one(v) for v in op.offsets], op.value.type.shape, c.layout(op.value))


@DISTRIBUTE(xegpu.StoreMatrix)
def _store_matrix(op: xegpu.StoreMatrix, c: Distribution) -> None:
    matrix = LaneMatrix(c.build, op.desc, c.target, _memory_of(op.desc, c))
    store = matrix.store if op.subgroup_block_io is None else matrix.store_rows
    store(c.one(op.data), [c.one(v) for v in op.offsets], op.data.type.shape, op.layout or c.layout(op.data))


@DISTRIBUTE(arith.Constant)
def _constant(op: arith.Constant, c: Distribution) -> Lowered:
    if not isinstance(op.result.type, VectorType) or not isinstance(op.value, tuple):
        return _rebuilt(op, c)
    raise op.fail("a constant vector whose elements differ")


@DISTRIBUTE(gpu.Printf)
def _printf(op: gpu.Printf, c: Distribution) -> None:
    """One line for a subgroup: all its lanes have the same scalars."""
    then, otherwise = Block(), Block()
    with c.build.at(then):
        c.clone(op)
        c.build(scf.Yield)
    first = c.build(arith.CmpI, c.build(gpu.LaneId), c.constant(0), predicate="eq")
    c.build.op(scf.If, first, regions=[then, otherwise], values=[])


@DISTRIBUTE(vector.Extract)
def _extract(op: vector.Extract, c: Distribution) -> Value:
    source = c.one(op.source)
    if not isinstance(op.result.type, VectorType):
        return _element(op, c)
    length = shape_of(c.lane_type(op.result))[0]
    return cut(c.build, source, prod(op.position) * length if len(op.position) > 1 else op.position[0] * length, length)


def _element(op: vector.Extract, c: Distribution) -> Value:
    """One element of a block in every lane."""
    place = tuple(op.position)
    everywhere = Layout(lane_layout=(1, c.lanes), lane_data=(1, 1))
    if c.over_lanes(op.source):
        lane = c.constant(place[0])
        operands = (
            c.one(op.source),
            c.build(arith.IndexCast, lane, result=I32),
            c.build(arith.Constant, value=c.lanes, result=I32),
        )
        return c.build.op(gpu.Shuffle, *operands, mode="idx").results[0]
    shape, _ = c.plain_shape(op.source)
    part = move(c.build, c.one(op.source), moves(shape, c.layout(op.source), (1, 1), everywhere, lambda at: place), c.lanes)
    return c.build(vector.Extract, part, position=(0,))


@DISTRIBUTE(vector.Insert)
def _insert(op: vector.Insert, c: Distribution) -> Value:
    """An element that every lane has, into a block: the lanes that hold its place change."""
    shape, _ = c.plain_shape(op.dest)
    table = fragments(shape, c.layout(op.dest))
    slots = [elements.index(tuple(op.position)) if tuple(op.position) in elements else None for elements in table]
    value, dest = c.one(op.value), c.one(op.dest)
    owners = [lane for lane, slot in enumerate(slots) if slot is not None]
    (slot,) = {slots[lane] for lane in owners}  # one layout: an element has one place in all lanes that hold it
    if len(owners) < c.lanes:
        value = _where_owned(c, owners, value, c.build(vector.Extract, dest, position=(slot,)))
    return c.build(vector.Insert, value, dest, position=(slot,))


def _where_owned(c: Distribution, owners: list[int], value: Value, other: Value) -> Value:
    """`value` in these lanes, `other` in the rest."""
    me = c.build(gpu.LaneId)
    for owner in owners:
        here = c.build(arith.CmpI, me, c.constant(owner), predicate="eq")
        other = c.build(arith.Select, here, value, other)
    return other


@DISTRIBUTE(vector.ExtractStridedSlice)
def _extract_slice(op: vector.ExtractStridedSlice, c: Distribution) -> Value:
    if c.over_lanes(op.source):
        # The first lanes' elements. The others repeat them: so they were loaded, but of an atomic only the first lanes know what was there.
        first = c.one(op.source)
        return (
            repeated(c.build, first, prod(op.result.type.shape), c.lanes) if isinstance(op.source.op, xegpu.AtomicRmw) else first
        )
    shape, _ = c.plain_shape(op.source)
    to_shape, _ = c.plain_shape(op.result)
    plan = slice_moves(shape, c.layout(op.source), to_shape, c.layout(op.result), _plain_offsets(op.offsets, op.source))
    return move(c.build, c.one(op.source), plan, c.lanes)


@DISTRIBUTE(vector.Shuffle)
def _shuffle(op: vector.Shuffle, c: Distribution) -> Value:
    """Rows of which each lane has the same columns before and after."""
    (first, _), (second, _), (shape, _) = map(c.plain_shape, (op.v1, op.v2, op.result))
    held = [fragments(s, c.layout(v)) for s, v in ((first, op.v1), (second, op.v2), (shape, op.result))]
    masks = set()
    for one, other, after in zip(*held, strict=True):
        slots = {at: slot for slot, at in enumerate([*one, *((row + first[0], *rest) for row, *rest in other)])}
        masks.add(tuple(slots.get((op.mask[row], *rest), -1) for row, *rest in after))
    (mask, *others) = masks
    if others or -1 in mask:
        raise VerifyError(f"{op.opname}: lanes have other columns of {op.v1.type} than of {op.result.type}")
    return c.build(vector.Shuffle, c.one(op.v1), c.one(op.v2), mask=mask)


@DISTRIBUTE(vector.InsertStridedSlice)
def _insert_slice(op: vector.InsertStridedSlice, c: Distribution) -> Value:
    part, whole = c.one(op.value), c.one(op.dest)
    if c.over_lanes(op.dest):
        return part if not isinstance(part.type, VectorType) else c.build(vector.Extract, part, position=(0,))
    offsets = _plain_offsets(op.offsets, op.dest)
    where = c.plain_shape(op.value)[0], c.layout(op.value), c.plain_shape(op.dest)[0], c.layout(op.dest), offsets
    places = same_places(*where)
    if places is None:
        return patch(c.build, part, whole, patches(*where), c.lanes)
    return put(c.build, part, whole, places, at_once=_is_read_across(op.result, c))


def _is_read_across(value: Value, c: Distribution) -> bool:
    """Whether only slices of a value are taken, whose columns begin in the midst of the lanes: it is never put together."""
    layout = c.layout(value)
    if not isinstance(layout, Layout) or len(layout.lane_layout) == 1:
        return False
    beside = layout.lane_layout[1] * (layout.lane_data or (1, 1))[1]
    return all(
        user.offsets[1] % beside != 0
        if isinstance(user, vector.ExtractStridedSlice)
        else isinstance(user, vector.InsertStridedSlice) and user.dest is value and _is_read_across(user.result, c)
        for user in value.users
    )


def _plain_offsets(offsets: Sequence[int], value: Value) -> tuple[int, ...]:
    """Offsets in a value as the layout speaks of it."""
    shape = shape_of(value.type)
    return (offsets[0] * shape[2], offsets[1]) if len(shape) == 3 else tuple(offsets)


@DISTRIBUTE(vector.ShapeCast)
def _shape_cast(op: vector.ShapeCast, c: Distribution) -> Value:
    source, type = c.one(op.source), c.lane_type(op.result)
    if isinstance(type, VectorType) and not isinstance(source.type, VectorType):
        return c.build(vector.Broadcast, source, result=type)
    if isinstance(source.type, VectorType) and not isinstance(type, VectorType):
        return c.build(vector.Extract, source, position=(0,))
    if op.source.type.rank > 2 or op.result.type.rank > 2:
        return source  # packed rows stay in their order
    shape, to_shape = op.source.type.shape, op.result.type.shape
    return move(c.build, source, reshaped_moves(shape, c.layout(op.source), to_shape, c.layout(op.result)), c.lanes)


@DISTRIBUTE(vector.Transpose)
def _transpose(op: vector.Transpose, c: Distribution) -> Value:
    if tuple(op.permutation) == (0, 2, 1):
        return _packed(op, c)
    shape, to_shape = c.plain_shape(op.source)[0], c.plain_shape(op.result)[0]
    plan = transposed_moves(shape, c.layout(op.source), to_shape, c.layout(op.result))
    return move(c.build, c.one(op.source), plan, c.lanes)


def _packed(op: vector.Transpose, c: Distribution) -> Value:
    """Rows of one column side by side, or apart again (VNNI). Where a lane's neighbours are rows it holds them so already."""
    layout, (groups, p, columns) = c.layout(op.source), op.source.type.shape
    if p > WORD_BYTES or not isinstance(layout, Layout) or layout.lane_data[0] > 1:
        return c.one(op.source)
    if layout.lane_data[1] == 1 and columns <= layout.lane_layout[1]:
        return c.one(op.source)
    held = fragments((groups * p, columns), layout)[0]
    order = sorted(range(len(held)), key=lambda s: (held[s][0] // p, held[s][1], held[s][0] % p))
    return gather_slots(c.build, c.one(op.source), order)


@DISTRIBUTE(xegpu.ConvertLayout)
def _convert_layout(op: xegpu.ConvertLayout, c: Distribution) -> Value:
    shape, _ = c.plain_shape(op.source)
    plan = same_moves(shape, op.input_layout, op.target_layout)
    return move(c.build, c.one(op.source), plan, c.lanes)


@DISTRIBUTE(vector.Broadcast)
def _broadcast(op: vector.Broadcast, c: Distribution) -> Value:
    source, type = c.one(op.source), c.lane_type(op.result)
    if not isinstance(op.source.type, VectorType):
        return source if not isinstance(type, VectorType) else c.build(vector.Broadcast, source, result=type)
    shape, to_shape = c.plain_shape(op.source)[0], c.plain_shape(op.result)[0]
    return move(c.build, source, broadcast_moves(shape, c.layout(op.source), to_shape, c.layout(op.result)), c.lanes)


@DISTRIBUTE(vector.Step)
def _step(op: vector.Step, c: Distribution) -> Value:
    if c.over_lanes(op.result):
        return c.build(gpu.LaneId)
    functions = coordinate_functions(op.result.type.shape, c.layout(op.result), 0)
    type = c.lane_type(op.result)
    bases = c.build(arith.Constant, value=tuple(f.base for f in functions), result=type)
    (weights,) = {f.weights for f in functions}  # one layout: all elements of a fragment move with the lane alike
    if not weights:
        return bases
    lane = c.build(vector.Broadcast, lane_number(c.build, LaneFunction(0, weights), c.lanes), result=type)
    return lane if all(f.base == 0 for f in functions) else c.build(arith.AddI, lane, bases)


@DISTRIBUTE(vector.MultiReduction)
def _multi_reduction(op: vector.MultiReduction, c: Distribution) -> Value:
    """Inside each lane first, then over the lanes that share the reduced dimension."""
    layout, shape, dim = c.layout(op.source), op.source.type.shape, op.dims[0]
    assert isinstance(layout, Layout)
    combine = combiner(op.kind, op.source.type.element.is_float)
    mine = fragments(shape, layout)[0]
    kept = sorted({at[1 - dim] for at in mine})
    lines = [[slot for slot, at in enumerate(mine) if at[1 - dim] == k] for k in kept]
    value = gather_slots(c.build, c.one(op.source), [slots[0] for slots in lines])
    for step in range(1, len(lines[0])):
        value = c.build(
            combine, value, gather_slots(c.build, c.one(op.source), [slots[step] for slots in lines]), **zeros_alike(op.kind)
        )
    value = _over_lanes(op, value, layout, c)
    if is_identity(arith.constant_of(op.acc), op.kind, op.source.type.element, c.index_bits):
        return value
    return c.build(combine, value, c.one(op.acc))


def _over_lanes(op: vector.MultiReduction, value: Value, layout: Layout, c: Distribution) -> Value:
    """Each lane's part, reduced over the lanes along the dimension, where the result's layout wants it."""
    dim, shape = op.dims[0], op.source.type.shape
    across = min(layout.lane_layout[dim], shape[dim])
    held = fragments(shape_of(op.result.type), c.layout(op.result))
    lines = shape_of(value.type)[0]
    if lines > 1 and across == c.lanes and held == tuple(((lane % lines,),) for lane in range(c.lanes)):
        if lines == c.lanes and op.kind in ("add", "maxnumf", "minnumf") and op.source.type.element is F32 and c.assembly:
            return c.build(xetile.ReduceLines, value, kind=op.kind)
        return reduce_lines_to_lanes(c.build, op.kind, value, c.lanes)
    if across > 1:
        stride = prod(layout.lane_layout[dim + 1 :])
        whole = across == c.lanes
        value = c.build(gpu.SubgroupReduce, value, kind=op.kind, cluster_size=None if whole else across,
                        cluster_stride=None if whole or stride == 1 else stride)  # fmt: skip
    # All lanes of a line have its result; bring it to the lanes that are to hold it.
    plan = same_moves(shape_of(op.result.type), layout.slice([dim]), c.layout(op.result))
    return move(c.build, value, plan, c.lanes)


@DISTRIBUTE(vector.Scan)
def _scan(op: vector.Scan, c: Distribution) -> tuple[Value, Value]:
    layout = c.layout(op.source)
    assert isinstance(layout, Layout)
    rows, columns = op.source.type.shape
    return LaneScan(c.build, op.kind, (rows, columns), layout, op.reduction_dim).run(c.one(op.source))
