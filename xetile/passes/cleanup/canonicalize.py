"""Cleaning a module of any level: constants, equal ops, loops, dead code. Cheap enough to run after each step of the lowering."""

from __future__ import annotations

from xetile.dialects.gpu import GpuModule
from xetile.ir.core import changes
from xetile.passes.cleanup.dead_code import remove_dead_code
from xetile.passes.cleanup.hand_on import hand_on_equal
from xetile.passes.cleanup.induction import carry_alternating
from xetile.passes.cleanup.simplify import Simplifier
from xetile.target import Target

_CLEAN = "_clean"
"""Where a kernel keeps how often IR had changed when it was clean: nothing is left to do until it changes again."""


def canonicalize(module: GpuModule, target: Target | None = None) -> GpuModule:
    """Simplify a module in place.

    Before and after: any level. After: integer arithmetic on constants is done; pure ops that compute the same are one; scalars
    and descriptions of memory that a loop does not change stand before it; offsets that grow with a loop follow from its counter, those
    that alternate, or are one of two by a condition that the loop does not change, are carried; what a loop's test works out is not
    worked out again in its body;
    branches and loops whose course is known are gone, and so is all that has no effect.
    """
    kernel = module.kernel
    if vars(kernel).get(_CLEAN) == changes():
        return module
    Simplifier(kernel).run()
    if carry_alternating(kernel) | hand_on_equal(kernel):
        Simplifier(kernel).run()
    remove_dead_code(kernel)
    vars(kernel)[_CLEAN] = changes()
    return module


__all__ = ["canonicalize"]
