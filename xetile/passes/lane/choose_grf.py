"""The register mode of a kernel: how much its values need at once, and whether the smaller file holds it."""

from __future__ import annotations

from xetile.dialects.gpu import GpuModule
from xetile.estimate import least_bytes, taken_bytes
from xetile.ir.core import UNIT
from xetile.target import Target


def choose_grf(module: GpuModule, target: Target) -> GpuModule:
    """Set the kernel's `grf` to the smallest mode whose register file holds the values that live at once.

    Before and after: xegpu at lane level. The need (`live_bytes`) is that of an order of the code that saves registers:
    IGC finds one where it must. Where no mode holds it, or the workgroup is too large for the one that does, it is
    the largest mode that the workgroup fits in: the driver will spill.

    Where the order as it is written and IGC's own take almost all registers the kernel is `crowded` (`GpuFunc`): across assembly IGC
    orders nothing, and would spill what fits.
    """
    if not target.grf_modes:
        return module
    kernel = module.kernel
    need = least_bytes(kernel, target)
    items = kernel.attributes["num_subgroups"] * target.subgroup_size
    mode = target.choose_grf(need, items)
    if mode is None:
        by_size = sorted(target.grf_modes, key=lambda m: m.registers)
        mode = next((m for m in reversed(by_size) if items <= target.max_workgroup_items(m.registers)), by_size[-1])
    kernel.attributes["live_bytes"] = need
    kernel.attributes["grf"] = mode.registers
    room = target.grf_capacity(mode.registers)
    if target.block2d is not None and taken_bytes(kernel, target, mode.registers, room) > room:
        kernel.attributes["crowded"] = UNIT
    return module
