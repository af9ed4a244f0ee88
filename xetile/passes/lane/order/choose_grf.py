"""The register mode of a kernel: how much its values need at once, and whether the smaller file holds it."""

from __future__ import annotations

from xetile.dialects import scf
from xetile.dialects.gpu import GpuFunc, GpuModule
from xetile.dialects.tables import LookUp
from xetile.dialects.types import F32, element_of
from xetile.dialects.xegpu import Dpas
from xetile.estimate import early_loops, least_bytes, taken_bytes
from xetile.estimate.left import expected_bytes
from xetile.estimate.pressure import needs
from xetile.estimate.registers import gathers_memory, in_words
from xetile.estimate.storage import storage_of
from xetile.estimate.twins import carries_twins, has_twins
from xetile.ir.core import UNIT
from xetile.ir.interfaces import runs_again
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.target import GrfMode, Target

BESIDE_PRODUCTS = 0.91
"""The share of a mode's registers that values take where products are computed and IGC puts them in order for fewest registers."""

BESIDE_TWINS = 0.65
"""The share of a mode's registers that values take, some as pairs and one by one, up to which IGC finds pairs of registers side by side: of
28 scans that need 0.52 to 0.9 with their copies six spill up to 8 KB, from 0.66 on, and none of them by IGC's own arithmetic.
"""


def choose_grf(module: GpuModule, target: Target) -> GpuModule:
    """Set the kernel's `grf` to the smallest mode whose register file holds the values that live at once.

    Before and after: xegpu at lane level. The need (`live_bytes`) is that of an order of the code that saves registers:
    IGC finds one where it must. Where no mode holds it, or the workgroup is too large for the one that does, it is
    the largest mode that the workgroup fits in: the driver will spill.

    Where the order as it is written and IGC's own take almost all registers the kernel is `crowded` (`GpuFunc`): across assembly IGC
    orders nothing, and would spill what fits; where the order as written does not fit at all, and it is crowded or is not known to be changed
    by IGC (`expected_bytes`), it gets the mode in which it does. Loops are
    `scf.EARLY` where what is computed before them leaves too few registers for what they carry. Where registers are left for all pairs of
    the tables of f32 that products' operands are looked up in, these are looked up by two codes at once (`pairs`).
    """
    if not target.grf_modes:
        return module
    kernel = module.kernel
    need = _without_twins(kernel, target) or least_bytes(kernel, target)
    # IGC begins the gathers of an operand together.
    together = kernel.has(Dpas) and target.block2d is not None and gathers_memory(kernel, target)
    mode = mode_for(kernel, target, max(need, in_words(kernel, target)) if together else need)
    written = _as_written(kernel, target) if target.block2d is not None else 0
    if target.block2d is not None and written > mode.registers * target.grf_bytes:
        expected = expected_bytes(kernel, target, mode.registers) if kernel.has(Dpas) else 0
        if expected > target.grf_capacity(mode.registers) or _is_crowded(kernel, target, mode.registers):
            mode = mode_for(kernel, target, max(written, expected))
    capacity = target.grf_capacity(mode.registers)
    pairs = _pairs_bytes(kernel, target)
    if pairs and written + pairs <= capacity:
        kernel.attributes["pairs"] = UNIT
        need += pairs
    kernel.attributes["live_bytes"] = need
    kernel.attributes["grf"] = mode.registers
    if target.block2d is not None and _is_crowded(kernel, target, mode.registers):
        kernel.attributes["crowded"] = UNIT
    for loop in early_loops(kernel, target, mode.registers) if target.block2d is not None else ():
        loop.attributes[scf.EARLY] = UNIT
    return module


def _without_twins(kernel: GpuFunc, target: Target) -> int:
    """Let a kernel be crowded where too many of its registers would be copied for assembly (`lies_twice`); what it needs then, or 0."""
    if target.block2d is None or kernel.has(Dpas):
        return 0
    need = least_bytes(kernel, target)
    share = BESIDE_TWINS if carries_twins(kernel) else 1
    if need <= share * mode_for(kernel, target, need).registers * target.grf_bytes or not has_twins(kernel):
        return need
    kernel.attributes["crowded"] = UNIT
    return least_bytes(kernel, target)


def mode_for(kernel: GpuFunc, target: Target, need: float) -> GrfMode:
    """The smallest mode that holds what a kernel needs; the largest that its workgroup fits in where none does."""
    items = kernel.attributes["num_subgroups"] * target.subgroup_size
    mode = target.choose_grf(round(need / (BESIDE_PRODUCTS if kernel.has(Dpas) else 1)), items)
    by_size = sorted(target.grf_modes, key=lambda m: m.registers)
    return mode or next((m for m in reversed(by_size) if items <= target.max_workgroup_items(m.registers)), by_size[-1])


def _is_crowded(kernel: GpuFunc, target: Target, registers: int) -> bool:
    """Whether too few registers are left for assembly: besides, between its pairs of registers wide messages find none side by side."""
    capacity, size = target.grf_capacity(registers), registers * target.grf_bytes
    return taken_bytes(kernel, target, registers, capacity) > capacity or (
        taken_bytes(kernel, target, registers, size, assembly=True) > size
    )


def _as_written(kernel: GpuFunc, target: Target) -> float:
    """What values take at most in the order of the code: what is looked up at once is ordered for few registers no more."""
    return max(needs(kernel.body, storage_of(kernel, target)).values(), default=0)


def _pairs_bytes(kernel: GpuFunc, target: Target) -> int:
    """The bytes of all pairs of the tables of f32 that are looked up in loops beside products."""
    found = {
        op.table
        for op in kernel.find(LookUp)
        if element_of(op.result.type) is F32 and runs_again(op) and op.parent is not None
        if any(isinstance(other, Dpas) for other in op.parent.ops)
    }
    return len(found) * 2 * element_bytes(F32) * target.subgroup_size**2 if target.block2d is not None else 0
