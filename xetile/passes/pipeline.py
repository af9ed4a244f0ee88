"""Which passes a module takes, and how far each level is down the list.

What only XeGPU modules need (`xegpu_order`) is imported where one comes: kernels of tiles load none of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from xetile.dialects import gpu
from xetile.dialects.gpu import GpuModule
from xetile.dialects.xegpu import NbarrierWait
from xetile.errors import UncoveredError
from xetile.passes import manager
from xetile.passes.lane.lower.joint_matrices import holds_joint_matrices
from xetile.passes.order import LEVELS, PIPELINE, VECTORS, run_levels
from xetile.passes.workgroup.forms.check_tiles import check_tiles
from xetile.passes.workgroup.forms.drop_breakpoints import drop_breakpoints, drop_observers
from xetile.passes.xegpu.levels import is_xegpu, level_of
from xetile.target import Target

__all__ = ["LEVELS", "PIPELINE", "VECTORS", "check", "level_to_run", "lower", "run_levels", "to_run"]


def check(module: GpuModule, target: Target, level: str = "layout", *, observers: bool = False) -> GpuModule:
    """Raise what a target has against a kernel down to a level; the module of that level, where it is a kernel of tiles.

    For devices that run it as it is; the given module is of no use afterwards. observers: keep breakpoints and prints of tiles
    ("layout" only).
    """
    if is_xegpu(module):
        from xetile.passes.xegpu_order import check_xegpu

        return check_xegpu(module, target)
    if holds_joint_matrices(module):
        return check_tiles(module, target)
    for name, passes in PIPELINE:
        kept = [step for step in passes if not (observers and step is drop_breakpoints)]
        module = manager.run([drop_observers if step is drop_breakpoints else step for step in kept], module, target)
        if name == level:
            break
    return module


def level_to_run(module: GpuModule) -> str:
    """At which level a kernel must be run so that its subgroups may diverge; "xetile" where none does.

    Subgroups that wait for each other at named barriers pass values on only as code that each of them runs.
    """
    kinds = {type(op) for op in module.walk()}
    if is_xegpu(module):
        return "subgroup" if level_of(module) == "workgroup" and kinds & {gpu.SubgroupId, NbarrierWait} else "xetile"
    if module.kernel.num_subgroups == 1 or not kinds & {gpu.SubgroupId, NbarrierWait}:
        return "xetile"
    return "subgroup" if NbarrierWait in kinds else "layout"


def to_run(module: GpuModule, target: Target) -> GpuModule:
    """An xegpu module at the level at which it must be run, checked as `check` does; the given one is of no use afterwards."""
    from xetile.passes.xegpu_order import lower_xegpu

    module = check(module, target)
    level = level_to_run(module)
    return module if level == "xetile" else next(lowered for name, lowered in lower_xegpu(module, target) if name == level)


def lower(module: GpuModule, target: Target) -> Iterator[tuple[str, GpuModule]]:
    """The module at one level after the other, from "xetile" down to "lane", or to "vectors" where the target has those.

    A pass may change its input: whoever keeps a level must print or copy it before going on. Kernels that move data by xegpu's
    own ops take `lower_xegpu`'s way.
    """
    if is_xegpu(module):
        if target.vector_lanes:
            kernel = module.kernel
            raise UncoveredError(f"{kernel.sym_name} is a kernel of lanes and subgroups: {target.name} has none", at=kernel.loc)
        from xetile.passes.xegpu_order import lower_xegpu

        yield from lower_xegpu(module, target)
        return
    if not target.vector_lanes and holds_joint_matrices(module):
        kernel = module.kernel
        raise UncoveredError(f"{kernel.sym_name} is a kernel of joint matrices: {target.name} has none", at=kernel.loc)
    yield "xetile", module
    yield from run_levels(VECTORS if target.vector_lanes else PIPELINE, module, target)
