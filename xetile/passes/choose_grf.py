"""The register mode of a kernel: how much its values need at once, and whether the smaller file holds it."""

from __future__ import annotations

from xetile.dialects import scf
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.ir.core import Block, Op, Value
from xetile.target import Target


def choose_grf(module: GpuModule, target: Target) -> GpuModule:
    """Set the kernel's `grf` to the smallest mode whose register file holds the values that live at once, else the largest.

    Before and after: xegpu at lane level. The rule is the target's (`Target.choose_grf`); the need is `live_bytes`.
    """
    kernel = module.kernel
    need = live_bytes(kernel.body, target)
    items = kernel.attributes["num_subgroups"] * target.subgroup_size
    mode = target.choose_grf(need, items)
    kernel.attributes["live_bytes"] = need
    kernel.attributes["grf"] = (mode or target.grf_modes[-1]).registers
    return module


def live_bytes(block: Block, target: Target) -> int:
    """The most bytes of registers that the values of a block need at one place, over the lanes of a subgroup."""
    return _peak(block, 0, target)


def _peak(block: Block, around: int, target: Target) -> int:
    last = _last_uses(block)
    live = {a for a in block.args if a in last}
    current = sum(_bytes(v, target) for v in live)
    peak = current
    for position, op in enumerate(block.ops):
        inside = max((_peak(b, around + current - _given(op, target), target) - around for b in op.regions), default=0)
        born = [r for r in op.results if r in last]
        current += sum(_bytes(r, target) for r in born)
        peak = max(peak, current, inside)
        live.update(born)
        dead = [v for v in live if last[v] <= position]
        current -= sum(_bytes(v, target) for v in dead)
        live.difference_update(dead)
    return around + peak


def _given(op: Op, target: Target) -> int:
    """Carried values live once, in the loop's own arguments, not also outside."""
    return sum(_bytes(v, target) for v in op.init) if isinstance(op, (scf.For, scf.While)) else 0


def _last_uses(block: Block) -> dict[Value, int]:
    return {v: i for i, op in enumerate(block.ops) for inner in op.walk() for v in inner.operands}


def _bytes(value: Value, target: Target) -> int:
    if isinstance(value.type, VectorType) and not _alias(value):
        return value.type.count * max(value.type.element.bits, 16) // 8 * target.subgroup_size
    return 0


def _alias(value: Value) -> bool:
    """Slices lie in the registers of what they are cut from."""
    return value.op is not None and value.op.opname in ("vector.extract_strided_slice", "arith.constant", "vector.broadcast")
