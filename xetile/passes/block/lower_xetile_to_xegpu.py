"""Blocked xetile to xegpu at subgroup level: `lowering` and the files beside it say what becomes of each op."""

from __future__ import annotations

from collections.abc import Mapping

from xetile.dialects.gpu import GpuModule
from xetile.ir.dispatch import Table
from xetile.passes.block import bitcasts, chunks, loaded_rows, lowering, prefetches, products, scattered, slices
from xetile.passes.block.lowering import Lowering
from xetile.requirements import NONE, Requirement, Requirements
from xetile.target import Target

LOWER = Table(lowering.LOWER, bitcasts.LOWER, chunks.LOWER, loaded_rows.LOWER, prefetches.LOWER, products.LOWER, scattered.LOWER,
              slices.LOWER)  # fmt: skip


def lower_xetile_to_xegpu(module: GpuModule, target: Target) -> GpuModule:
    """Replace tiles and blocked values by descriptors, messages and vectors of one block.

    Before: blocked xetile. After: xegpu at subgroup level; each vector op says in `layout_result_0` how lanes hold its result.
    """
    lowering = Lowering(LOWER, module, target)
    result = lowering.convert_function(module, {"level": "xegpu"})
    if lowering.clips.strides:
        result.kernel.attributes["requires"] = _far_apart(result, lowering.clips.strides)
    return result


def _far_apart(module: GpuModule, strides: Mapping[tuple[str, int], int]) -> str:
    """What the kernel requires of its arguments, and that some strides are so many elements at least."""
    text = module.kernel.attributes.get("requires")
    known = NONE if text is None else Requirements.parse(text)
    for (param, axis), least in strides.items():
        first = len(known.steps)
        steps = ("pitch", param, axis), ("const", least), ("ge", first, first + 1)
        why = f"rows of {param} lie close, and the kernel was compiled for an array without the mark close"
        one = Requirement(first + 2, f"{param}.stride({axis}) >= {least}", (why,))
        known = Requirements((*known.steps, *steps), (*known.asserted, one))
    return str(known)
