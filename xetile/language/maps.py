"""wg_map: how a tile or value is distributed to the subgroups of a workgroup."""

from __future__ import annotations

from math import prod
from typing import Any

from xetile.errors import LayoutError
from xetile.language.context import current
from xetile.layout import Layout


def wg_map(sg_layout: tuple[int, ...], sg_data: tuple[int, ...] = (), *, order: tuple[int, ...] = ()) -> Layout:
    """A workgroup map (RFC, xetile.wg_map): subgroups along each axis, and the block of elements that a subgroup gets at a time.

    Blocks are distributed round robin until the tile is used up; where all subgroups together hold more than the tile, they share.
    One number each serves values of rank 1. Raises LayoutError for numbers that contradict each other.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
        def example(X, Y):
            quarters = xt.wg_map(sg_layout=(2, 2), sg_data=(16, 16))    # four subgroups, each has a quarter of 32 x 32
            x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 32), wg_map=quarters))
            xt.store_tile(x * 2, xt.init_tile(Y, (0, 0), (32, 32), wg_map=quarters))

        print(example(np.ones((32, 32), np.float32)).sum())

    Prints:
        2048.0
    """
    try:
        layout, data = tuple(sg_layout), tuple(sg_data)
    except TypeError:
        raise LayoutError("wg_map takes tuples", hint="xt.wg_map(sg_layout=(8, 4), sg_data=(32, 64))") from None
    if not 1 <= len(layout) <= 2:
        raise LayoutError(f"wg_map: sg_layout {layout} must have one or two numbers")
    if len(layout) == 1:
        layout, data = (1, *layout), (1, *data) if data else ()
    return Layout(sg_layout=layout, sg_data=data, order=tuple(order))


def check_map(given: Any, op: str) -> Layout | None:
    """The map given to an op; raises LayoutError if it is none, or is not for as many subgroups as the kernel has."""
    if given is None:
        return None
    if not isinstance(given, Layout) or not given.sg_layout:
        raise LayoutError(f"{op}: wg_map is {given!r}", hint="make one with xt.wg_map(sg_layout=(8, 4), sg_data=(32, 64))")
    kernel, subgroups = current(), prod(given.sg_layout)
    if kernel.num_subgroups is None:
        kernel.num_subgroups = subgroups
    if subgroups != kernel.num_subgroups:
        raise LayoutError(
            f"{op}: sg_layout {list(given.sg_layout)} has {subgroups} subgroups, the kernel has {kernel.num_subgroups}",
            hint=f"the numbers of sg_layout must multiply to {kernel.num_subgroups} in every wg_map, as in num_subgroups",
        )
    return given
