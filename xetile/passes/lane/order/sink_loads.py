"""Loads stand right before their first use, so that a tile larger than the registers passes through them piece by piece."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import groupby

from xetile.dialects import arith, gpu, math, scf, vector, xegpu
from xetile.dialects.effects import written_arguments
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import MemRefType, VectorType, element_of
from xetile.estimate import fullness
from xetile.ir.core import Block, Elementwise, Op, Value, of_kind, regions_of, type_of
from xetile.ir.interfaces import op_of_block, passes_reads
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.recurrences import is_invariant
from xetile.passes.lane.order.sink_chains import is_long, only_user, ordered
from xetile.passes.lane.order.sink_starts import is_start
from xetile.target import Target

_PARTS = (vector.ExtractStridedSlice, vector.InsertStridedSlice, vector.Bitcast, vector.Broadcast, vector.Extract, vector.Insert)
_LOADS = (xegpu.LoadNd, xegpu.LoadMatrix)
_BYTE = 8
_SLICES = 2
"""How often parts are taken of parts: a block of a message, and a product's operand of it."""

ALMOST = 0.95
"""The share of the registers beyond which none are left for pieces of assembly: scores with a bias of f16 took 787 instructions on pvc, where
they take 576 if each is widened as it is added.
"""
_MUCH = 2
"""So many times the registers are more than IGC's own order saves."""


def sink_loads(module: GpuModule, target: Target) -> GpuModule:
    """Move loads down to their first use in the same block; where matrix products are block loads only.

    Before and after: xegpu at lane level. A load passes only ops that neither write memory nor wait; in blocks that do not fit the
    registers those of arrays that the kernel does not write pass these too. Products take parts of what a
    message loads; these go down first, and the load with them, where it would be in the way. Where that is not enough, what is
    widened or computed for second operands goes down too.
    """
    blocks = {op.parent for op in module.find(xegpu.Dpas) if op.parent is not None}
    full = _full(module, blocks, target)
    free = _free_loads(module, full)
    for block in blocks:
        if _is_crowded(block, target):
            _sink_parts(block, _is_of_rows, free)
        if block in full:
            _sink_parts(block, _come_late(block, target), free)
    _sink_all(module, free)
    if widened := _sink_wider(module, blocks, target) | _sink_choices(module, blocks):
        _sink_all(module, free)
    still = _full(module, full | widened, target)
    for block in still:
        _sink_second_operands(block)
    if still:
        _sink_all(module, free)
    return module


def _sink_all(module: GpuModule, free: Container[Op]) -> None:
    for kinds in ((vector.Bitcast,), _LOADS):  # a load's words seen as elements: the load follows its use
        _sink(module.kernel.body, kinds, free=free)


def _sink_wider(module: GpuModule, blocks: set[Block], target: Target) -> set[Block]:
    """Let conversions to floats of more bits stand before the one elementwise op that takes them, in the blocks of products that are given
    back: until then the narrow ones take fewer registers, or are not loaded yet. Beside masks that is not enough: IGC spilled 512 bytes.
    """
    masked = {op.parent for op in module.find(arith.Select) if isinstance(op.result.type, VectorType)}
    wider = {op: op.parent for op in module.find(arith.ExtF) if op.parent in blocks - masked}
    share = fullness(module.kernel, target) if wider else {}
    found: set[Block] = set()
    for block in dict.fromkeys(wider.values()):
        position = {op: at for at, op in enumerate(block.ops)} if share.get(block, 0) > ALMOST else {}
        late: set[Op] = {op for op in wider if op in position and only_user(op, position) is not None}
        if late:
            Rewriter().set_block(block, ordered(block, late))
            found.add(block)
    return found


def _sink_choices(module: GpuModule, blocks: set[Block]) -> set[Block]:
    """Let floats of 16 bits be chosen, as padding is, where they are widened for the one elementwise op that takes them, in the blocks of
    products that are given back: IGC has each of the chosen ones in a register of its own, which it fills by half.
    """
    found: set[Block] = set()
    for block in dict.fromkeys(op.parent for op in module.find(arith.ExtF) if op.parent in blocks):
        late = _chosen(block)
        if late:
            Rewriter().set_block(block, ordered(block, late))
            found.add(block)
    return found


def _chosen(block: Block) -> set[Op]:
    """Conversions of a block that wait for their user, and all that is computed of masks for them alone."""
    position = {op: at for at, op in enumerate(block.ops)}
    late: set[Op] = set()
    for op in reversed(block.ops):
        if isinstance(op, arith.ExtF):
            late.update([op] if only_user(op, position) is not None else ())
        elif isinstance(op, (*_PARTS, arith.Select, arith.CmpI)) and op.results[0].users:
            late.update([op] if late.issuperset(op.results[0].users) else ())
    return late if any(isinstance(op, arith.Select) and element_of(op.result.type).bits == 2 * _BYTE for op in late) else set()


def _sink_second_operands(block: Block) -> None:
    """Let what is computed of bytes for second operands of products alone stand before the first of them: there the SPIR-V writer
    computes it.
    """
    kinds = {value.type for op in of_kind(block.ops, Elementwise) for value in op.operands}
    if all(element_of(kind).bits != _BYTE for kind in kinds):
        return
    late: set[Op] = set()
    for op in reversed(block.ops):
        if not isinstance(op, (Elementwise, *_PARTS)) or len(op.results) != 1:
            continue
        uses = op.results[0].uses
        if uses and all(user in late or (isinstance(user, xegpu.Dpas) and user.parent is block and at == 1) for user, at in uses):
            late.add(op)
    if any(element_of(value.type).bits == _BYTE for op in late if isinstance(op, Elementwise) for value in op.operands):
        Rewriter().set_block(block, ordered(block, late))


def _sink_parts(block: Block, only: Callable[[Op], bool], free: Container[Op]) -> None:
    for _ in range(_SLICES):
        _sink(block, (vector.ExtractStridedSlice,), only, free)


def _full(module: GpuModule, blocks: set[Block], target: Target) -> set[Block]:
    """The blocks that do not fit the registers, as they are written, and that IGC does not put in order by itself.

    It moves loads down, but past no branch, which quotients and functions have, no assembly, as powers are (`emit/wide`), and no
    barrier, and not enough where twice the registers are needed.
    """
    if not blocks:
        return set()
    crowded = fullness(module.kernel, target)
    return {block for block in blocks if (full := crowded.get(block, 0)) > _MUCH or (full > 1 and _waits(block))}


def _waits(block: Block) -> bool:
    """Whether there is something in a block that IGC moves no load past."""
    return any(is_long(op) or isinstance(op, (gpu.Barrier, math.Exp, math.Exp2)) for op in block.ops)


def _free_loads(module: GpuModule, full: set[Block]) -> set[Op]:
    """The loads of full blocks from arrays that the kernel does not write: no store and no barrier changes what they bring."""
    written = written_arguments(module) if full else set()
    return {
        op
        for block in full
        for op in block.ops
        if isinstance(op, xegpu.LoadNd) and (array := array_of(op.desc)) is not None and array not in written
    }


def array_of(desc: Value) -> Value | None:
    """The argument of the kernel that a descriptor made in one piece is for, also where it sees the array's elements in words."""
    made = desc.op
    source = made.source if isinstance(made, xegpu.CreateNdTdesc) else None
    while source is not None and isinstance(source.op, gpu.ElementCast):
        source = source.op.operands[0]
    return source if source is not None and source.op is None and isinstance(source.type, MemRefType) else None


def _is_crowded(block: Block, target: Target) -> bool:
    """Whether what a block loads, what its products add up and what a loop carries beside that do not fit the registers together.

    Loads then wait for the products that take parts of them; elsewhere they come early, since they take long.
    """
    if not target.grf_modes:
        return False
    made = [op.results[0] for op in of_kind(block.ops, _LOADS)]
    made += [op.result for op in of_kind(block.ops, xegpu.Dpas) if not _goes_on(op)]
    carried = [
        v
        for v in scf.carried_into(block)
        if isinstance(v.type, VectorType) and not any(isinstance(op, xegpu.Dpas) for op in v.users)
    ]
    held = sum(type_of(v, VectorType).count * element_bytes(element_of(v.type)) for v in made + carried) * target.subgroup_size
    if held <= target.largest_grf:
        return False
    return bool(carried) or _come_one_by_one(of_kind(block.ops, xegpu.Dpas))


def _come_late(block: Block, target: Target) -> Callable[[Op], bool]:
    """Which parts of loads wait for what takes them: all where sums are scaled between products, by assembly, which no load passes; else
    those that are for later products, and those of what each iteration loads again, which the cache brings soon.
    """
    if target.block2d is not None and any(map(is_start, block.ops)):
        return lambda part: True
    late = _for_later_stages(block)
    return lambda part: (whole := _whole(part.results[0])) in late or _comes_again(whole, block)


def _comes_again(value: Value, block: Block) -> bool:
    """Whether each iteration of a loop loads the same."""
    op, holder = value.op, block.parent
    again = isinstance(op, xegpu.LoadNd) and isinstance(holder, scf.For)
    return again and all(is_invariant(operand, holder) for operand in op.operands)  # type: ignore[union-attr,arg-type]


def _for_later_stages(block: Block) -> set[Value]:
    """What is loaded in one stage and first taken by the products of a later one, beside whose first sums it would lie in registers.

    A stage ends where something is computed with the sums of its products.
    """
    stage, begun = 0, False
    loaded: dict[Value, int] = {}  # in which stage, while nothing takes it
    found: set[Value] = set()
    for op in block.ops:
        if isinstance(op, _LOADS):
            loaded[op.results[0]] = stage
        elif isinstance(op, xegpu.Dpas):
            taken = {whole: loaded.pop(whole) for value in op.operands if (whole := _whole(value)) in loaded}
            found |= {whole for whole, begin in taken.items() if begin < stage}
            begun = True
        elif begun and isinstance(op, Elementwise) and any(isinstance(value.op, xegpu.Dpas) for value in op.operands):
            stage, begun = stage + 1, False
    return found


def _come_one_by_one(products: Iterable[xegpu.Dpas]) -> bool:
    """Whether products take first operands of one load after the other, and go back to none."""
    runs = [load for load, _ in groupby(_whole(op.lhs) for op in products)]
    return len(set(runs)) == len(runs) > 1


def _whole(part: Value) -> Value:
    while isinstance(part.op, (vector.ExtractStridedSlice, vector.Bitcast)):
        part = part.op.operands[0]
    return part


def _is_of_rows(part: Op) -> bool:
    """Whether products take a part as their first operand and nothing else takes it: rows that pass by (product_order)."""
    uses = part.results[0].uses
    return bool(uses) and all(
        (isinstance(op, xegpu.Dpas) and at == 0) or (isinstance(op, vector.ExtractStridedSlice) and _is_of_rows(op))
        for op, at in uses
    )


def _goes_on(product: xegpu.Dpas) -> bool:
    """Whether a product adds to the sums of another one of its block."""
    return product.acc is not None and isinstance(product.acc.op, xegpu.Dpas) and product.acc.op.parent is product.parent


def _sink(block: Block, kinds: tuple[type[Op], ...], only: Callable[[Op], bool] = lambda op: True,
          free: Container[Op] = ()) -> None:  # fmt: skip
    for op in filter(regions_of, block.ops):
        for region in op.regions:
            _sink(region, kinds, only, free)
    if kinds is _LOADS and not of_kind(block.ops, xegpu.Dpas):
        kinds = (*kinds, xegpu.Load)  # among products these come early on purpose: they take long
    loads = [op for op in of_kind(block.ops, kinds) if only(op)]
    if loads:
        _place(block, loads, free)


def _place(block: Block, loads: Sequence[Op], free: Container[Op]) -> None:
    """Rebuild the list of ops with each load before the op at its place. `free`: loads that no barrier holds back, nor parts of them."""
    position = {op: i for i, op in enumerate(block.ops)}
    barriers = [i for i, op in enumerate(block.ops) if not passes_reads(op)]
    end = len(block.ops)
    before: dict[int, list[Op]] = {}
    moved: set[Op] = set()
    for op in loads:
        here = position[op]
        following = bisect_right(barriers, here)
        limit = end if _whole(op.results[0]).op in free or following == len(barriers) else barriers[following]
        place = min(min((position[user] for user in _users_in(block, op.results[0])), default=here), limit)
        if place > here + 1:
            before.setdefault(place, []).append(op)
            moved.add(op)
    if not moved:
        return
    ops: list[Op] = []
    for i, op in enumerate(block.ops):
        ops += before.get(i, ())
        if op not in moved:
            ops.append(op)
    Rewriter().set_block(block, ops)


def _users_in(block: Block, value: Value) -> Iterator[Op]:
    """The ops of a block that take a value, or have one in them that does."""
    return (found for op in value.users if (found := op_of_block(op, block)) is not None)
