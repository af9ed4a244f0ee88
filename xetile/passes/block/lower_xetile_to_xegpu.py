"""Blocked xetile to xegpu at subgroup level: `lowering` and the files beside it say what becomes of each op."""

from __future__ import annotations

from collections.abc import Mapping

from xetile.dialects.gpu import GpuModule
from xetile.ir.dispatch import Table
from xetile.passes.block import accesses, bitcasts, chunks, loaded_rows, lowering, prefetches, products, scattered, slices
from xetile.passes.block.lowering import Lowering
from xetile.requirements import NONE, Requirement, Requirements
from xetile.target import Target

LOWER = Table(lowering.LOWER, accesses.LOWER, bitcasts.LOWER, chunks.LOWER, loaded_rows.LOWER, prefetches.LOWER, products.LOWER,
              scattered.LOWER, slices.LOWER)  # fmt: skip


def lower_xetile_to_xegpu(module: GpuModule, target: Target) -> GpuModule:
    """Replace tiles and blocked values by descriptors, messages and vectors of one block.

    Before: blocked xetile. After: xegpu at subgroup level; each vector op says in `layout_result_0` how lanes hold its result.
    """
    lowering = Lowering(LOWER, module, target)
    result = lowering.convert_function(module, {"level": "xegpu"})
    if lowering.clips.strides:
        _require(
            result,
            lowering.clips.strides,
            "ge",
            ">=",
            "lie close, and the kernel was compiled for an array without the mark close",
        )
    if lowering.blocks.near:
        _require(
            result,
            lowering.blocks.near,
            "lt",
            "<",
            "lie far apart, and the kernel was compiled for an array without the mark far",
        )
    return result


def _require(module: GpuModule, strides: Mapping[tuple[str, int], int], step: str, sign: str, why: str) -> None:
    """Note what a kernel requires of its arguments besides: that some strides are so many elements at least, or less."""
    text = module.kernel.requires
    known = NONE if text is None else Requirements.parse(text)
    for (param, axis), number in strides.items():
        first = len(known.steps)
        steps = ("pitch", param, axis), ("const", number), (step, first, first + 1)
        one = Requirement(first + 2, f"{param}.stride({axis}) {sign} {number}", (f"rows of {param} {why}",))
        known = Requirements((*known.steps, *steps), (*known.asserted, one))
    module.kernel.attributes["requires"] = str(known)
