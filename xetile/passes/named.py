"""Passes and levels by their names: what `xetile opt --pipeline` runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xetile.dialects.gpu import GpuModule
from xetile.errors import ArgumentError, CompileError
from xetile.passes import manager
from xetile.passes.cleanup.canonicalize import canonicalize
from xetile.passes.instruments import Verify
from xetile.passes.lane.lower.joint_matrices import JOINT_MATRICES
from xetile.passes.manager import Pass
from xetile.passes.order import LEVELS, PIPELINE, run_levels
from xetile.passes.xegpu.check_descriptors import check_descriptors
from xetile.passes.xegpu.levels import is_xegpu
from xetile.passes.xegpu.part_descriptors import part_descriptors
from xetile.passes.xegpu_order import PRODUCTS, XEGPU_PIPELINE, lower_xegpu, run_xegpu
from xetile.target import Target


def passes() -> dict[str, Pass]:
    """Every pass of the pipelines, by the name of its function."""
    steps = [step for table in (PIPELINE, XEGPU_PIPELINE, PRODUCTS) for _, found in table for step in found]
    return {step.__name__: step for step in (canonicalize, *JOINT_MATRICES, *steps)}


def levels(module: GpuModule) -> tuple[str, ...]:
    """The levels of the pipeline that a module belongs to, from the top."""
    return ("workgroup", *(name for name, _ in XEGPU_PIPELINE)) if is_xegpu(module) else LEVELS


def run_named(module: GpuModule, target: Target, names: Sequence[str]) -> GpuModule:
    """The module after passes and down to levels, one after the other; it is verified after each pass.

    Raises ArgumentError for a name that is neither, and what the passes raise; the given module is of no use afterwards.
    """
    known = passes()
    with manager.watched(Verify()):
        return _run_each(module, target, names, known)


def _run_each(module: GpuModule, target: Target, names: Sequence[str], known: dict[str, Pass]) -> GpuModule:
    for name in names:
        if name in levels(module):
            module = lower_to(module, target, name)
        elif name in known:
            module = manager.run([known[name]], module, target)
        else:
            raise ArgumentError(f"there is no pass or level {name!r}",
                                hint=f"levels of this module: {', '.join(levels(module))}; passes: {', '.join(known)}")  # fmt: skip
    return module


def lower_to(module: GpuModule, target: Target, level: str) -> GpuModule:
    """The module at a level that it has not passed yet.  Raises ArgumentError where it has."""
    start = module.kernel.level
    if level == start and "grf" in module.kernel.attributes:  # choose_grf is the last of all passes
        return module
    for name, lowered in lower_on(module, target):
        if name == level:
            return lowered
    raise ArgumentError(f"{module.kernel.sym_name} is at level {start!r} and cannot go up to {level!r}",
                        hint=f"levels from the top: {', '.join(levels(module))}")  # fmt: skip


def lower_on(module: GpuModule, target: Target) -> Iterator[tuple[str, GpuModule]]:
    """The module at its own level, then at each level below.  Raises CompileError for a level that its pipeline has not."""
    known = levels(module)
    level = module.kernel.attributes.get("level", known[0])
    if is_xegpu(module) and (level in (known[0], known[-1]) or level not in known):  # these need more than the rest of the table
        yield from lower_xegpu(module, target)
        return
    if level not in known:
        raise CompileError(f"{module.kernel.sym_name} says level {level!r}, which is none of {', '.join(known)}",
                           at=module.kernel.loc)  # fmt: skip
    if is_xegpu(module):
        module = part_descriptors(module)
        check_descriptors(module)
    elif level not in ("xetile", "layout"):  # which choose how many
        module.kernel.attributes.setdefault("num_subgroups", 1)
    yield level, module
    if is_xegpu(module):
        yield from run_xegpu(module, target, known.index(level))
    else:
        yield from run_levels(PIPELINE[known.index(level) :], module, target)
