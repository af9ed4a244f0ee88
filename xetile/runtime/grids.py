"""Grids whose axes are not those that the kernel asks for: a part of the array that no program covers, or one that several do."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from xetile.runtime.call_site import outside

if TYPE_CHECKING:
    from xetile.errors import Location
    from xetile.runtime.artifact import Artifact
    from xetile.runtime.head import Head
    from xetile.runtime.plan import LaunchPlan

AXES = "xyz"


class GridWarning(UserWarning):
    """The axes of the grid are not those that the kernel asks for with `xt.program_id`, its programs are too few for an output, or
    neighbours among them store to the same elements.
    """


def warn_of_grid(head: Head, given: Any, plan: LaunchPlan, artifact: Artifact) -> None:
    """Warn at the call of what `doubt`, `gap` or `meeting` finds; `given`: the call's own grid."""
    said = doubt(head.name, plan.grid, artifact.asks, lambda: head.grid_shape(given, plan.values, plan.constants))
    if said := said or gap(head.name, plan, artifact.stored) or meeting(head.name, plan, artifact.overlaps):
        warnings.warn(said, GridWarning, stacklevel=outside()[0])


def gap(name: str, plan: LaunchPlan, stored: Sequence[tuple[str, int]]) -> str:
    """What is said where all programs together cannot store each element of an output of `xt.empty`; else nothing."""
    programs = prod(plan.grid)
    for output, most in stored:
        array = plan.values.get(output)
        if output in plan.undefined and array is not None and programs * most < array.size:
            each = "program" if programs == 1 else "programs"
            return (f"{name} stores at most {programs * most} of the {array.size} elements of its output {output}, and the others are "
                    f"undefined: its grid has {programs} {each}, each of which stores {most} at most\n"
                    f"  hint: {_covering(array.shape)} covers an array of any size; "
                    "xt.zeros in the out rule makes an output that may stay as it is")  # fmt: skip
    return ""


def meeting(name: str, plan: LaunchPlan, overlaps: Sequence[tuple[str, str, int, int, Location]]) -> str:
    """What is said where neighbouring programs of a grid store to elements of one array that both hold; else nothing."""
    for array, axis, step, size, at in overlaps:
        number = AXES.index(axis)
        if plan.grid[number] > 1:
            return (f"{name}: neighbouring programs along {axis} store to the same elements of {array} (line {at.line}): their tiles of "
                    f"{size} begin {step} apart\n  hint: offsets count elements: xt.program_id({number}) * {size}")  # fmt: skip
    return ""


def _covering(shape: Sequence[int]) -> str:
    one = "grid=lambda X: xt.cdiv(X.shape[0], 64)"
    return one if len(shape) < 2 else "grid=lambda X: (xt.cdiv(X.shape[1], 64), xt.cdiv(X.shape[0], 64))"


def doubt(name: str, grid: Sequence[int], asks: str | None, given: Callable[[], Any]) -> str:
    """What looks wrong about a grid, empty for nothing.

    grid    programs along x, y and z.
    asks    axes that the kernel asks for; None, or none at all: nothing is said.
    given   the grid as the call or the kernel's rule gives it, asked for only where its number of axes matters.
    """
    if not asks:
        return ""
    for axis, count in enumerate(grid):
        if count > 1 and AXES[axis] not in asks:
            return (f"{name} never asks for xt.program_id({axis}), and its grid has {count} programs along that axis, which all do the same\n"
                    f"  hint: ask for it, or leave the axis out of the grid, which is {tuple(grid)} along x, y, z")  # fmt: skip
    last = AXES.index(asks[-1])
    if grid[last] > 1 or max(grid) == 1:
        return ""
    shape = given()
    axes = len(shape) if isinstance(shape, (tuple, list)) else 1
    if axes > last:
        return ""
    return (f"{name} asks for xt.program_id({last}), and its grid has {axes} {'axis' if axes == 1 else 'axes'}: it is 0 in each program\n"
            f"  hint: give the grid as a tuple, ({', '.join(f'programs along {a}' for a in AXES[: last + 1])})")  # fmt: skip
