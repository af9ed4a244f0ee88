"""Passes and levels by their names: what `xetile opt --pipeline` runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from xetile.dialects.gpu import GpuModule
from xetile.errors import ArgumentError, CompileError
from xetile.ir.verifier import verify
from xetile.passes import pipeline
from xetile.passes.canonicalize import canonicalize
from xetile.passes.pipeline import Pass
from xetile.target import Target


def passes() -> dict[str, Pass]:
    """Every pass of the pipelines, by the name of its function."""
    tables: list[Any] = [pipeline.PIPELINE, getattr(pipeline, "XEGPU_PIPELINE", ())]
    steps = [step for table in tables for _, found in table for step in found]
    return {"canonicalize": canonicalize} | {s.__name__: s for s in steps if not s.__name__.startswith("_")}


def levels(module: GpuModule) -> tuple[str, ...]:
    """The levels of the pipeline that a module belongs to."""
    if _is_xetile(module):
        return pipeline.LEVELS
    return tuple(getattr(pipeline, "XEGPU_LEVELS", ("workgroup", "subgroup", "lane")))


def run_named(module: GpuModule, target: Target, names: Sequence[str]) -> GpuModule:
    """The module after passes and down to levels, one after the other; it is verified after each.

    Raises ArgumentError for a name that is neither, and what the passes raise; the given module is of no use afterwards.
    """
    known = passes()
    for name in names:
        if name in levels(module):
            module = lower_to(module, target, name)
        elif name in known:
            module = known[name](module, target)
        else:
            raise ArgumentError(f"there is no pass or level {name!r}",
                                hint=f"levels of this module: {', '.join(levels(module))}; passes: {', '.join(known)}")  # fmt: skip
        verify(module)
    return module


def lower_to(module: GpuModule, target: Target, level: str) -> GpuModule:
    """The module at a level that it has not passed yet.  Raises ArgumentError where it has."""
    start = module.kernel.attributes.get("level")
    if level == start and "grf" in module.kernel.attributes:  # choose_grf is the last of all passes
        return module
    for name, lowered in lower_on(module, target):
        if name == level:
            return lowered
    raise ArgumentError(f"{module.kernel.sym_name} is at level {start!r} and cannot go up to {level!r}",
                        hint=f"levels from the top: {', '.join(levels(module))}")  # fmt: skip


def lower_on(module: GpuModule, target: Target) -> Iterator[tuple[str, GpuModule]]:
    """The module at its own level, then at each level below."""
    if not _is_xetile(module):
        yield from _lower_xegpu(module, target)
        return
    level = module.kernel.attributes.get("level", pipeline.LEVELS[0])
    if level not in pipeline.LEVELS:
        raise CompileError(f"{module.kernel.sym_name} says level {level!r}, which is none of {', '.join(pipeline.LEVELS)}",
                           at=module.kernel.loc)  # fmt: skip
    yield level, module
    for name, steps in pipeline.PIPELINE[pipeline.LEVELS.index(level) :]:
        for step in steps:
            module = step(module, target)
        yield name, module


def _lower_xegpu(module: GpuModule, target: Target) -> Iterator[tuple[str, GpuModule]]:
    lower = getattr(pipeline, "lower_xegpu", None)
    if lower is None:
        raise CompileError("this version lowers XeTile modules only", at=module.kernel.loc)
    yield from lower(module, target)


def _is_xetile(module: GpuModule) -> bool:
    """Whether it is the product of the XeTile pipeline: it says a level of it that xegpu has not, or has xetile's ops."""
    said = module.kernel.attributes.get("level")
    return said in ("xetile", "layout", "blocked", "xegpu") or any(op.opname.startswith("xetile.") for op in module.walk())


__all__ = ["levels", "lower_on", "lower_to", "passes", "run_named"]
