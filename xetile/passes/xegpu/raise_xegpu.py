"""Subgroup-level xegpu as XeTile's tiles, which the passes of XeTile kernels block and lower from here on.

They know the target's instructions: which block an instruction takes, how lanes hold it, which messages move a block, what has none.
"""

from __future__ import annotations

from xetile.dialects import xegpu
from xetile.dialects.gpu import GpuModule
from xetile.ir.dispatch import Table
from xetile.passes.xegpu import raised_memory, raised_values
from xetile.passes.xegpu.check_messages import broken_rules
from xetile.passes.xegpu.raiser import Raiser
from xetile.target import Target

RAISE = Table(raised_memory.RAISE, raised_values.RAISE)


def raise_xegpu(module: GpuModule, target: Target) -> GpuModule:
    """Make tiles of descriptors, and values of two dimensions of vectors.

    Before: subgroup-level xegpu, and XeTile at subgroup level where the two are mixed; it stays as it is. After: subgroup-level xetile,
    with xegpu's accesses of whole chunks. Which lane holds what changes no value of the subgroup: blocks and operands are held as the
    target's messages bring them and its DPAS takes them, whatever lanes their layouts state. Raises LayoutError for ops that have no
    rule.
    """
    attributes = {"level": "subgroup", "scattered": _scattered(module, target), "num_subgroups": _subgroups(module)}
    raised = Raiser(RAISE, target).convert_function(module, {k: v for k, v in attributes.items() if v})
    return raised


def _subgroups(module: GpuModule) -> int:
    return module.kernel.attributes.get("num_subgroups") or 1


def _scattered(module: GpuModule, target: Target) -> tuple[str, ...]:
    """The arrays that 2D block messages cannot reach, as far as constant sizes tell (SPV_INTEL_2d_block_io)."""
    kernel = module.kernel
    names = {a: spec.param for a, spec in zip(kernel.body.args, kernel.args) if spec.kind == "array"}
    found = set(kernel.attributes.get("scattered", ()))
    for op in kernel.walk():
        if isinstance(op, xegpu.CreateNdTdesc) and op.source in names and broken_rules(op, target, dense=True):
            found.add(names[op.source])
    return tuple(sorted(found))
