"""Block messages of lane-level modules: each op is one message, of a size that the target has (SPV_INTEL_2d_block_io)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xetile.dialects import gpu, xegpu
from xetile.dialects.arith import constant_of
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import MemRefType
from xetile.errors import LayoutError
from xetile.ir import analyses
from xetile.ir.core import Block, Value
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.target import Target
from xetile.target.blocks import WORD_BYTES, Kind, Message

Access = xegpu.LoadNd | xegpu.StoreNd | xegpu.PrefetchNd


def check_messages(module: GpuModule, target: Target) -> None:
    """Raise LayoutError for a block that no message of the target moves, or a fragment that is no even share of one."""
    classes = analyses.get(AliasClasses, module, (xegpu.TensorDescType,))
    makers: dict[Value, list[xegpu.CreateNdTdesc]] = {}
    for op in module.walk():
        if isinstance(op, xegpu.CreateNdTdesc):
            makers.setdefault(classes.root(op.result), []).append(op)
    for op in module.walk():
        if isinstance(op, (xegpu.LoadNd, xegpu.StoreNd, xegpu.PrefetchNd)):
            if op.desc.type.rank == 2:
                _check_block(op, target)
                _check_surface(op, makers.get(classes.root(op.desc), ()), target)
            if not isinstance(op, xegpu.PrefetchNd):
                _check_share(op, target)
        elif isinstance(op, (xegpu.Load, xegpu.Store)):
            _check_lanes(op)


def _check_lanes(op: xegpu.Load | xegpu.Store) -> None:
    """Offsets of all lanes in each lane have no lane that they belong to."""
    memory = op.source.type if isinstance(op, xegpu.Load) else op.dest.type
    if isinstance(memory, xegpu.TensorDescType) and memory.count > memory.chunk_size:
        raise LayoutError(
            f"{op.opname}: {memory} has the offsets of several lanes, and {op.value.type} is one lane's",
            hint="give each lane its own offset: xegpu.create_tdesc of an index, or xegpu.load with an index",
            at=op.loc,
        )


def _check_surface(op: Access, makers: Iterable[xegpu.CreateNdTdesc], target: Target) -> None:
    for made in makers:
        broken = out_of_reach(made, target)
        if broken and not lanes_reach(op, target.subgroup_size):
            raise LayoutError(
                f"{op.opname}: block messages of {target.name} do not reach this memory: {broken[0]}",
                hint="write the access at subgroup level, where other messages are chosen for it, or use xegpu.load and xegpu.store",
                at=op.loc,
            )


def out_of_reach(made: xegpu.CreateNdTdesc, target: Target) -> list[str]:
    """Which rules of block messages the known sizes of a descriptor's memory break, or what the launch has seen of its array."""
    if made.narrow or made.result.type.rank != 2:
        return []
    return ["the launch has seen an array that breaks their rules"] if _is_scattered(made) else broken_rules(made, target)


def _is_scattered(made: xegpu.CreateNdTdesc) -> bool:
    memory = made.source
    while isinstance(memory.op, (gpu.ElementCast, gpu.ReinterpretCast)):
        memory = memory.op.operands[0]
    kernel: Any = memory.owner.parent if isinstance(memory.owner, Block) else None
    if not isinstance(kernel, gpu.GpuFunc) or memory.owner is not kernel.body:
        return False
    return memory.index < len(kernel.args) and kernel.args[memory.index].param in kernel.scattered


def lanes_reach(op: Access, lanes: int) -> bool:
    """Whether each lane can access its elements of a block itself: those that message gives it lie at places that are sums of what it is
    and which of them (SPV_INTEL_2d_block_io), in elements that have a type of their own.
    """
    desc = op.desc.type
    height, width = desc.shape
    if isinstance(op, xegpu.PrefetchNd):
        return True
    if (
        op.value.type.element is not desc.element
        or op.value.type.rank != 1
        or op.value.type.count * lanes != desc.count * desc.array_length
    ):
        return False
    if isinstance(op, xegpu.LoadNd) and op.transposed:
        return height == lanes and desc.array_length == 1 and op.transpose_bit_width in (None, desc.element.bits)
    packed = isinstance(op, xegpu.LoadNd) and op.packed is not None
    if packed or width == lanes:
        return width == lanes
    return width % lanes == 0 if width > lanes else lanes % width == 0 and height % (lanes // width) == 0


def broken_rules(op: xegpu.CreateNdTdesc, target: Target, *, dense: bool = False) -> list[str]:
    """Which rules of 2D block messages the memory of a descriptor breaks, as far as constant sizes tell (SPV_INTEL_2d_block_io).

    `dense`: rows whose distance only a run knows follow each other; else their distance breaks no rule.
    """
    kind = op.source.type
    if target.block2d is None or not isinstance(kind, MemRefType):
        return []
    size = element_bytes(op.result.type.element)
    sizes = [constant_of(v) for v in op.shape] or list(kind.shape)
    if len(sizes) == 1:
        return [] if sizes[0] is None or sizes[0] * size >= target.block2d.min_pitch_bytes else ["a row is too short"]
    width, height = sizes[-1], sizes[-2]
    strides = [constant_of(v) for v in op.strides] or list(kind.strides or (None, width, 1))
    if width is None:
        return []
    length, rules = width * size, target.block2d
    pitch = length if dense else -(-max(length, rules.min_pitch_bytes) // rules.pitch_multiple) * rules.pitch_multiple
    if strides[-2] is not None:
        pitch = strides[-2] * size
    return target.check_2d_block(0, length, height or 1, pitch, elem_bytes=size)


def _check_share(op: xegpu.LoadNd | xegpu.StoreNd, target: Target) -> None:
    desc, value = op.desc.type, op.value.type
    whole = desc.count * desc.array_length
    if value.count * target.subgroup_size != whole:
        raise LayoutError(
            f"{op.opname}: {value} in each of {target.subgroup_size} lanes is not the {whole} elements of {desc}",
            hint=f"a lane has {whole // target.subgroup_size} elements of it" if whole % target.subgroup_size == 0 else None,
            at=op.loc,
        )


def _check_block(op: Access, target: Target) -> None:
    desc, kind = op.desc.type, _kind(op)
    height, width = desc.shape
    size = element_bytes(desc.element)
    if kind == "transpose":
        size, width = max(size, WORD_BYTES), width * size // max(size, WORD_BYTES)
    if target.block2d is None:
        raise LayoutError(f"{op.opname}: {target.name} has no block messages", hint="use xegpu.load and xegpu.store", at=op.loc)
    if target.block2d.is_legal(kind, size, Message(width, height, desc.array_length)):
        return
    legal = sorted({(m.width * size // element_bytes(desc.element), m.count) for m in target.block2d.messages(kind, size)})
    rows = sorted({m.height for m in target.block2d.messages(kind, size)})
    raise LayoutError(
        f"{op.opname}: no one message of {target.name} moves {desc}" + {"load": "", "store": "", "prefetch": ""}.get(kind, f" ({kind})"),
        hint="; ".join(f"{count} x {columns} columns" if count > 1 else f"{columns} columns" for columns, count in legal)
        + f", of {rows[0]} to {rows[-1]} rows" if rows else f"there are none for {desc.element}",
        at=op.loc,
    )  # fmt: skip


def _kind(op: Access) -> Kind:
    if isinstance(op, xegpu.StoreNd):
        return "store"
    if isinstance(op, xegpu.PrefetchNd):
        return "prefetch"
    if op.packed is not None:
        return "transform"
    return "transpose" if op.transposed else "load"
