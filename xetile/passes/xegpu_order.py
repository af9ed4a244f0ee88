"""The ordered lists of passes for XeGPU modules, and how a module that stands at one of their levels goes on."""

from __future__ import annotations

from collections.abc import Iterator

from xetile.dialects.gpu import GpuModule
from xetile.passes.block.block_to_hardware import block_to_hardware
from xetile.passes.cleanup.canonicalize import canonicalize
from xetile.passes.distribute.distribute_to_subgroups import distribute_to_subgroups
from xetile.passes.lane.order.choose_grf import choose_grf
from xetile.passes.order import PIPELINE, Table, run_levels
from xetile.passes.workgroup.forms.check_tiles import check_tiles
from xetile.passes.workgroup.forms.drop_breakpoints import drop_breakpoints
from xetile.passes.workgroup.loops.insert_prefetches import insert_prefetches
from xetile.passes.workgroup.memory.fold_transposes import fold_transposes
from xetile.passes.xegpu.check_descriptors import check_descriptors
from xetile.passes.xegpu.check_messages import check_messages
from xetile.passes.xegpu.fold_descriptors import fold_descriptors
from xetile.passes.xegpu.levels import LEVELS as XEGPU_LEVELS
from xetile.passes.xegpu.levels import level_of
from xetile.passes.xegpu.part_descriptors import part_descriptors
from xetile.passes.xegpu.propagate_layouts import propagate_layouts
from xetile.passes.xegpu.raise_xegpu import is_raised, raise_xegpu
from xetile.passes.xegpu.reach_by_lanes import reach_by_lanes
from xetile.target import Target

XEGPU_PIPELINE: Table = (
    ("layout", (
        drop_breakpoints,         # nothing below knows them
        propagate_layouts)),      # early: errors must still show the user's shapes
    ("subgroup", (
        insert_prefetches,        # after layouts, which say how many subgroups there are
        distribute_to_subgroups,
        canonicalize)),
    ("blocked", (
        raise_xegpu,              # from here on the passes are those of XeTile kernels
        canonicalize,             # before transposes fold: those that cancel do first
        fold_transposes,
        block_to_hardware)),      # needs final subgroup shapes
    *PIPELINE[-2:],
)  # fmt: skip
"""The same for modules whose workgroup level is xegpu; those of a lower level begin further down."""

PRODUCTS: Table = (
    ("subgroup", (
        raise_xegpu,              # from here on the passes are those of XeTile kernels
        *PIPELINE[0][1],
        *PIPELINE[1][1])),
    *PIPELINE[2:],
)  # fmt: skip
"""What follows the laid-out level of those of them that are raised whole."""


def check_xegpu(module: GpuModule, target: Target) -> GpuModule:
    """Raise what a target has against an xegpu module at any of its levels; see `pipeline.check`."""
    module = part_descriptors(module)
    own = _check(module, target)
    if own == "workgroup":
        next(lowered for name, lowered in run_xegpu(module, target, 0) if name == "subgroup")
    if own == "lane":
        check_messages(module, target)
    return module


def _check(module: GpuModule, target: Target) -> str:
    """The level of an xegpu module; raises what is against it at any of them."""
    check_descriptors(module)
    check_tiles(module, target)
    return level_of(module)


def lower_xegpu(module: GpuModule, target: Target) -> Iterator[tuple[str, GpuModule]]:
    """An xegpu module at the level where it stands ("workgroup", "subgroup" or "lane"), then at those below down to "lane".

    The level is what the kernel's attribute `level` says, else what its layouts and values tell (`level_of`). As `lower`, it may
    change its input.
    """
    module = part_descriptors(module)  # before all that asks which array an access goes to
    level = _check(module, target)
    module.kernel.attributes["level"] = level
    if level != "workgroup":  # where layouts tell
        module.kernel.attributes.setdefault("num_subgroups", 1)
    if level == "lane":
        check_messages(module, target)
        module = choose_grf(reach_by_lanes(fold_descriptors(module, target), target), target)
    yield level, module
    if level == "lane":
        return
    yield from run_xegpu(module, target, (0, 2)[XEGPU_LEVELS.index(level)])


def run_xegpu(module: GpuModule, target: Target, start: int) -> Iterator[tuple[str, GpuModule]]:
    """The levels of an xegpu module from number `start` of its pipeline on; how it goes on is known when layouts are."""
    if start == 0:
        ((name, module),) = run_levels(XEGPU_PIPELINE[:1], module, target)
        yield name, module
    whole = start < 2 and is_raised(module)
    yield from run_levels(PRODUCTS if whole else XEGPU_PIPELINE[max(1, start) :], module, target)
