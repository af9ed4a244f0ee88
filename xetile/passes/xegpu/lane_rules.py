"""The layouts of lanes that a target has (seed 000, "Rules of sg_map setting for load and store on PVC and ARC")."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from xetile.dialects import xegpu
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.errors import LayoutError
from xetile.ir.core import Op
from xetile.passes.analysis.products import signed
from xetile.target import Target

Lanes = tuple[tuple[int, ...], tuple[int, ...]]


def check_lanes(module: GpuModule, target: Target) -> None:
    """Raise LayoutError for a lane_layout of more or fewer lanes than a subgroup has.

    Which lane holds what changes no value of the subgroup: blocks and operands are held as the target's messages bring them and its
    DPAS takes them, whatever their layouts state, and layouts without lanes say nothing wrong.
    """
    for op in module.walk():
        for what, layout, legal in _stated(op, target):
            if layout is None or not layout.root.lane_layout or not isinstance(layout, type(layout.root)):
                continue
            have = (layout.lane_layout, layout.lane_data or (1,) * layout.rank)
            if have not in legal and prod(have[0]) != target.subgroup_size:
                raise LayoutError(
                    f"{op.opname}: {what} of {target.name} is not held with lane_layout = {list(have[0])}, lane_data = {list(have[1])}",
                    hint="legal: " + "; ".join(f"lane_layout = {list(a)}, lane_data = {list(b)}" for a, b in sorted(legal)),
                    at=op.loc,
                )


def _stated(op: Op, target: Target) -> Iterator[tuple[str, Any, set[Lanes]]]:
    """(what, layout, the legal ones) for each layout that an op states."""
    if not target.block2d and not target.has_mma:
        return
    if isinstance(op, xegpu.CreateNdTdesc):
        desc = op.result.type
        yield f"a block of {desc.element}", desc.layout, legal_blocks(desc, target)
    elif isinstance(op, xegpu.CreateTdesc) and op.result.type.chunk_size > 1:
        desc = op.result.type
        yield f"a chunk of {desc.element}", desc.layout, {_plain(target.chunk_lane_layout(desc.element.bits // 8))}
    elif isinstance(op, xegpu.Dpas):
        yield from _of_dpas(op, target)


def _plain(lanes: Any) -> Lanes:
    return tuple(lanes[0]), tuple(lanes[1])


def legal_blocks(desc: xegpu.TensorDescType, target: Target) -> set[Lanes]:
    """What lanes may hold of a block message: operands of DPAS, rows, transposed rows; 1-D blocks in 32-bit units."""
    size = max(1, desc.element.bits // 8)
    lanes = target.subgroup_size
    if desc.rank == 1:
        across, data = _plain(target.block1d_lane_layout(size))
        return {(across[1:], data[1:]), ((lanes,), (1,))}
    legal: set[Lanes] = {((1, lanes), (1, 1)), ((lanes, 1), (1, 1)), ((lanes, 1), (1, max(1, 4 // size)))}
    for mma in target.mma:
        for role, name in (("a", mma.lhs), ("b", mma.rhs), ("acc", mma.acc)):
            if _element(name) == desc.element.name:
                layout = mma.operand_layout(role)  # type: ignore[arg-type]
                legal.add((layout.lane_layout, layout.lane_data))
    return legal


def _element(name: str) -> str:
    return "i" + name[1:] if name.startswith("u") else name


def _of_dpas(op: Any, target: Target) -> Iterator[tuple[str, Lanes, set[Lanes]]]:
    acc = op.results[0].type
    if not isinstance(acc, VectorType):
        return
    mma = target.find_mma(
        signed(op.lhs.type.element, op.lhs_unsigned), signed(op.rhs.type.element, op.rhs_unsigned), acc.element.name
    )
    if mma is None:
        return
    stated = (("layout_a", "a"), ("layout_b", "b"), ("layout_cd", "acc"), ("layout_result_0", "acc"))
    for name, role in stated:
        layout = mma.operand_layout(role)  # type: ignore[arg-type]
        # Seed 000, use case of 2D loads: B in registers may be stated without its packing.
        legal = {(layout.lane_layout, layout.lane_data), (layout.lane_layout, (1,) * len(layout.lane_layout))}
        yield (
            f"operand {role} of dpas",
            op.attributes.get(name),
            legal if role == "b" else {(layout.lane_layout, layout.lane_data)},
        )
