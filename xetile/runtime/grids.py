"""Grids whose axes are not those that the kernel asks for: a part of the array that no program covers, or one that several do."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from xetile.errors import ArgumentError
from xetile.runtime.call_site import outside

if TYPE_CHECKING:
    from xetile.runtime.head import Head
    from xetile.runtime.plan import LaunchPlan

AXES = "xyz"


class GridWarning(UserWarning):
    """The axes of the grid are not those that the kernel asks for with `xt.program_id`."""


def subgroups(name: str, count: Any) -> int | None:
    """A number of subgroups that there can be; raises ArgumentError."""
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        raise ArgumentError(
            f"{name}: num_subgroups is {count!r}", hint="a whole number from 1 on; left out, it follows from the tiles"
        )
    return count


def warn_of_axes(head: Head, given: Any, plan: LaunchPlan, asks: str | None) -> None:
    """Warn at the call of what `doubt` finds; `given`: the call's own grid."""
    said = doubt(head.name, plan.grid, asks, lambda: head.grid_shape(given, plan.values, plan.constants))
    if said:
        warnings.warn(said, GridWarning, stacklevel=outside()[0])


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
