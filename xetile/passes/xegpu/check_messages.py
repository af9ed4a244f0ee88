"""Block messages of lane-level modules: each op is one message, of a size that the target has (SPV_INTEL_2d_block_io)."""

from __future__ import annotations

from xetile.dialects import xegpu
from xetile.dialects.gpu import GpuModule
from xetile.errors import LayoutError
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.target import Target
from xetile.target.blocks import WORD_BYTES, Kind, Message


def check_messages(module: GpuModule, target: Target) -> None:
    """Raise LayoutError for a block that no message of the target moves, or a fragment that is no even share of one."""
    for op in module.walk():
        if isinstance(op, (xegpu.LoadNd, xegpu.StoreNd, xegpu.PrefetchNd)):
            if op.desc.type.rank == 2:
                _check_block(op, target)
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


def _check_share(op: xegpu.LoadNd | xegpu.StoreNd, target: Target) -> None:
    desc, value = op.desc.type, op.value.type
    whole = desc.count * desc.array_length
    if value.count * target.subgroup_size != whole:
        raise LayoutError(
            f"{op.opname}: {value} in each of {target.subgroup_size} lanes is not the {whole} elements of {desc}",
            hint=f"a lane has {whole // target.subgroup_size} elements of it" if whole % target.subgroup_size == 0 else None,
            at=op.loc,
        )


def _check_block(op: xegpu.LoadNd | xegpu.StoreNd | xegpu.PrefetchNd, target: Target) -> None:
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


def _kind(op: xegpu.LoadNd | xegpu.StoreNd | xegpu.PrefetchNd) -> Kind:
    if isinstance(op, xegpu.StoreNd):
        return "store"
    if isinstance(op, xegpu.PrefetchNd):
        return "prefetch"
    if op.packed is not None:
        return "transform"
    return "transpose" if op.transpose is not None and tuple(op.transpose) == (1, 0) else "load"
