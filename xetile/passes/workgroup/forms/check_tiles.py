"""Checks in the user's words, while shapes, dtypes and maps are still the user's."""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import Any

from xetile.dialects import arith, gpu, scf, xegpu, xetile
from xetile.dialects.arith import constant_of
from xetile.dialects.gpu import GpuFunc, GpuModule
from xetile.dialects.levels import executed_by
from xetile.dialects.types import ScalarType, element_of
from xetile.errors import CompileError, DtypeError, ResourceError, TileShapeError
from xetile.ir import analyses
from xetile.ir.core import Op, Type, Value
from xetile.ir.dispatch import Table
from xetile.ir.interfaces import enclosing
from xetile.ir.reach import reached
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.analysis.numbers import Numbers
from xetile.passes.analysis.products import mma_types
from xetile.passes.common.slm import bytes_of
from xetile.passes.workgroup.forms.pad_tiles import pads_tiles
from xetile.passes.workgroup.layouts.graph import Graph, check_operands, complete
from xetile.passes.workgroup.layouts.rules import shape_of
from xetile.target import Target

CHECK = Table()

# Types that only lie in memory: values of them are converted when they are loaded.
_STORAGE_ONLY = ("f8E4M3FN", "f8E5M2")


def check_tiles(module: GpuModule, target: Target) -> GpuModule:
    """Refuse what the target cannot do, at the user's source line.

    Before and after: workgroup-level xetile, or xegpu of any level, unchanged. After: element types exist on the target; shapes of
    products fit its DPAS where `pad_tiles` leaves them as they are; it has the atomics; shared local memory and subgroups suffice; all
    subgroups meet at each barrier.

    Raises DtypeError, TileShapeError, ResourceError, CompileError, LayoutError.
    """
    kernel = module.kernel
    _check_subgroups(kernel, target)
    padded = analyses.get(pads_tiles, module)
    for op in kernel.walk():
        for value in op.results:
            _check_dtype(op, value.type, target)
        _check_map(op)
        rule = CHECK.find(type(op))
        if rule is not None:
            rule(op, target)
        if isinstance(op, xetile.TileMma) and not padded:
            _check_product(op, target)
    _check_arrays(module)
    _check_maps_together(module, target)
    _check_shared_memory(kernel, target)
    _check_barriers(kernel)
    _check_who(kernel)
    return module


# The masks' i1 is bool in memory; 4-bit integers are DPAS operands that XeGPU modules alone can name.
_OF_NO_ARRAY = {"index", "i1", "i4", "u4"}


def _check_dtype(op: Op, type: Type, target: Target) -> None:
    element = type if isinstance(type, ScalarType) else getattr(type, "element", None)
    if element is None or target.supports(element.name) or (element.name in _STORAGE_ONLY and not isinstance(type, ScalarType)):
        return
    known = ", ".join(sorted(target.dtypes - _OF_NO_ARRAY))
    raise DtypeError(f"{_name(op)}: {target.name} has no {element.name}", hint=f"it has {known}", at=op.loc)


def _check_map(op: Op) -> None:
    """Here, since the op that makes a tile is where its map is written."""
    given = op.attributes.get("wg_map")
    if given is not None:
        complete(given, shape_of(op.results[0]), op)
    for tile in (r.type for r in op.results if isinstance(r.type, xetile.TileType)):
        if tile.wg_map is not None:
            complete(tile.wg_map, tile.shape, op)


def _check_maps_together(module: GpuModule, target: Target) -> None:
    """Maps that contradict each other, where no layouts follow that would find them: a kernel that runs here runs on GPUs."""
    tiles = (r.type for op in module.walk() for r in op.results)
    given = {t.wg_map for t in tiles if isinstance(t, xetile.TileType)} | {op.attributes.get("wg_map") for op in module.walk()}
    if not target.vector_lanes or len(given - {None}) <= 1:
        return
    graph = Graph(module)
    for op in graph.ops:
        if isinstance(op, _KEPT) and op.result.uses and op.result not in graph.cheap:
            check_operands(graph, op)


_KEPT = (xetile.TileMma, xetile.TileReduce)
"""Ops that are still there where layouts are chosen; transposes may be read from memory by then, whatever their maps."""


def _check_product(op: xetile.TileMma, target: Target) -> None:
    mma = target.find_mma(*mma_types(op))
    if mma is None or target.vector_lanes:  # vectors do what AMX does not cover
        return
    k, n = op.b.type.shape
    for what, size, step in (("columns of b", n, mma.n), ("columns of a and rows of b", k, mma.k)):
        if size % step:
            raise TileShapeError(
                f"tile_mma: {size} {what}; DPAS of {target.name} takes {mma.lhs} in steps of {step}",
                hint=f"use {-(-size // step) * step}, or leave maps out: then tiles of any size are padded",
                at=op.loc,
            )


@CHECK(xetile.AtomicRmwTile, xegpu.AtomicRmw)
def _check_atomic(op: xetile.AtomicRmwTile | xegpu.AtomicRmw, target: Target) -> None:
    element = element_of(op.value.type)
    dtype = element.name
    if target.atomic(op.kind, dtype) is not None:
        return
    kinds = arith.ATOMICS_FLOAT if element.is_float else arith.ATOMICS_INT
    known = ", ".join(kind for kind in kinds if target.atomic(kind, dtype) is not None)
    raise DtypeError(
        f"{_name(op)}: {target.name} has no atomic {op.kind} of {dtype}",
        hint=f"of {dtype} it has {known}" if known else f"it has no atomics of {dtype}: use 32 or 64 bits",
        at=op.loc,
    )


def _check_subgroups(kernel: GpuFunc, target: Target) -> None:
    given = kernel.num_subgroups
    most = target.max_subgroups()
    if given is not None and given > most:
        raise ResourceError(
            f"num_subgroups={given} is more than a workgroup of {target.name} can have",
            hint=f"at most {most}",
            at=kernel.loc,
        )


def _check_shared_memory(kernel: GpuFunc, target: Target) -> None:
    total = 0
    for op in kernel.find(gpu.Alloca):
        total += bytes_of(op.result.type)
        if total > target.slm_bytes:
            raise ResourceError(
                f"alloc_slm: the kernel has {total} bytes of shared local memory with this; {target.name} has {target.slm_bytes}",
                hint="allocate smaller arrays, or use one for several purposes",
                at=op.loc,
            )


def _check_arrays(module: GpuModule) -> None:
    """Messages name the array that they go to: it cannot change from one iteration, or one branch, to the other."""
    classes = analyses.get(AliasClasses, module)
    first: dict[Value, Any] = {}
    for op in module.find(xetile.InitTile):
        if first.setdefault(classes.root(op.result), op.base) is op.base:
            continue
        raise CompileError(
            "init_tile: a loop or branch replaces this tile by one of another array",
            hint="load in each branch and let the values go on, or keep both in one array and choose the offset",
            at=op.loc,
        )


def _check_barriers(kernel: GpuFunc) -> None:
    """A barrier that some subgroups do not reach stops the others for ever."""
    barriers = kernel.find((gpu.Barrier, gpu.BarrierArrive, gpu.BarrierWait))
    numbers = analyses.get(Numbers, kernel)
    for op in barriers:
        if numbers.diverge(enclosing(op)):
            raise CompileError(
                "barrier: only some subgroups reach it, since a condition around it depends on subgroup_id",
                hint="move the barrier out of the branch or loop; named barriers are for part of the subgroups",
                at=op.loc,
            )
    for held, other in ((gpu.BarrierArrive, gpu.BarrierWait), (gpu.BarrierWait, gpu.BarrierArrive)):
        alone = next((op for op in barriers if isinstance(op, held)), None)
        if alone is not None and not any(isinstance(op, other) for op in barriers):
            raise CompileError(
                f"{_HALVES[held]}: the kernel has no {_HALVES[other]}, the other half of the barrier",
                hint="xt.barrier_arrive() stands before what need not wait, xt.barrier_wait() after it; xt.barrier() is both",
                at=alone.loc,
            )


_HALVES = {gpu.BarrierArrive: "barrier_arrive", gpu.BarrierWait: "barrier_wait"}


def _check_who(kernel: GpuFunc) -> None:
    """Subgroups distribute what the workgroup loads and stores: that must be one thing, not another for each of them.

    A tile with a map of the user says which part is whose. Without one, subgroups that a branch leaves out would not move theirs.
    """
    if executed_by(kernel) == "subgroup":
        return
    if kernel.num_subgroups == 1 or not kernel.has(gpu.SubgroupId):
        return
    numbers = analyses.get(Numbers, kernel)
    op: Any
    for op in kernel.walk():
        tiles = [v.type for v in op.operands if isinstance(v.type, xetile.TileType)] if op.reads or op.writes else []
        if all(tile.wg_map is not None for tile in tiles):
            continue
        if numbers.differ(op.operands):
            raise CompileError(
                f"{_name(op)}: what it moves depends on subgroup_id, but it is distributed over the subgroups",
                hint="use program_id and num_subgroups=1, or give each subgroup its part by a wg_map",
                at=op.loc,
            )
        if op.writes and numbers.diverge(enclosing(op)) and not (_is_of_the_first(op, tiles, numbers) or _is_mapped(op)):
            raise CompileError(
                f"{_name(op)}: only some subgroups reach it, since a condition around it depends on subgroup_id, "
                "but what it moves is distributed over all of them",
                hint="move it out of the branch or loop, or say by a wg_map which part of the tile each subgroup has",
                at=op.loc,
            )


def _is_of_the_first(op: Op, tiles: list[Any], numbers: Numbers) -> bool:
    """Whether one element is moved where the condition says that this is subgroup 0, which has the first element of each tile."""
    if any(prod(tile.shape) > 1 for tile in tiles):
        return False
    inside = [op, *enclosing(op)]
    return all(_says_first(around, within) for within, around in pairwise(inside) if numbers.diverge([around]))


def _is_mapped(op: Op) -> bool:
    """Whether a map of the user says which part of what is moved each subgroup has."""
    values = reached(op.operands, lambda value: value.op.operands if value.op is not None else ())
    ops = (value.op for value in values if value.op is not None)
    return any("wg_map" in made.attributes or getattr(each.type, "wg_map", None) for made in ops for each in made.results)


def _says_first(branch: Op, within: Op) -> bool:
    """Whether an op is in the side of a branch that subgroup 0 alone takes."""
    compared = branch.condition.op if isinstance(branch, scf.If) else None
    if not isinstance(compared, arith.CmpI) or not isinstance(compared.operands[0].op, gpu.SubgroupId):
        return False
    sides = {"eq": branch.regions[0], "ne": branch.regions[-1]}
    return constant_of(compared.operands[1]) == 0 and within.parent is sides.get(compared.predicate)


def _name(op: Op) -> str:
    return op.opname.split(".")[1]
