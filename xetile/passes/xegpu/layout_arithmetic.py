"""Layouts of values that are cut, cast, stretched or scanned: arithmetic on layouts and slices alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from xetile.errors import LayoutError
from xetile.layout import Layout, Slice, derive_shape_cast
from xetile.passes.analysis.owners import AnyLayout, shares

Shape = tuple[int, ...]


def _on_root(layout: AnyLayout, change: Callable[[Layout], Layout]) -> AnyLayout:
    if isinstance(layout, Layout):
        return change(layout)
    return Slice(change(layout.root), layout.flat().dims)


def unsplit(layout: AnyLayout, dims: Sequence[int]) -> AnyLayout:
    """For values with one element along `dims`."""
    kept = layout.kept
    return _on_root(layout, lambda root: root.unsplit([kept[d] for d in dims]))


def whole_along(layout: AnyLayout, shape: Shape, dim: int) -> AnyLayout:
    """With each line along `dim` in one piece, shared by the owners of its parts."""
    sizes = [s.size for s in shares(layout, shape)]
    sizes[dim] = shape[dim]

    def change(root: Layout) -> Layout:
        data = list(root.sg_data or (1,) * root.rank)
        for d, size in zip(layout.kept, sizes):
            data[d] = size
        return replace(root, sg_data=tuple(data)) if root.sg_layout else root

    return layout if shares(layout, shape)[dim].size == shape[dim] else _on_root(layout, change)


def rescaled(layout: AnyLayout, bits: int, to_bits: int) -> AnyLayout:
    """For a value whose elements of `bits` are read as elements of `to_bits`: the last dimension counts others (seed 000, bitcast).

    Raises LayoutError where an owner's share would not be whole elements.
    """
    last = layout.kept[-1]

    def change(root: Layout) -> Layout:
        changed = {}
        for name in ("sg_data", "inst_data", "lane_data"):
            values = getattr(root, name)
            if values:
                if values[last] * bits % to_bits:
                    raise LayoutError(f"{name} {list(values)} of {bits}-bit elements is no whole number of {to_bits}-bit ones")
                changed[name] = (*values[:last], values[last] * bits // to_bits, *values[last + 1 :])
        return replace(root, **changed)

    return _on_root(layout, change)


def resized(layout: AnyLayout, shape: Shape, target: Shape) -> AnyLayout:
    """For a slice of a value, or the value of a slice: dimensions that are cut belong to one owner whole."""
    cut = [d for d in range(len(shape)) if shape[d] != target[d]]
    for d in cut:
        share = shares(layout, shape)[d]
        if share.distinct > 1 or share.rounds > 1:
            raise LayoutError(f"dimension {d} is cut and split over subgroups by {layout}", hint="convert the layout first")
    kept = layout.kept

    def change(root: Layout) -> Layout:
        data = list(root.sg_data or [s.size for s in root.sg_spread(shape)]) if root.sg_layout else []
        for d in cut:
            if data:
                data[kept[d]] = target[d]
        return replace(root, sg_data=tuple(data))

    return _on_root(layout, change)


def cast_layout(layout: AnyLayout, shape: Shape, target: Shape) -> AnyLayout:
    """Through a shape cast: by the seed's rule; dimensions of one element may come and go beside shared ones (seed 002, slice)."""
    if isinstance(layout, Layout):
        try:
            return derive_shape_cast(layout, shape, target)
        except LayoutError:
            dropped = dropped_ones(shape, target)
            if dropped is None:
                raise
            return layout.slice(dropped)
    added = dropped_ones(target, shape)
    if added is not None and layout.root.rank == len(target) and layout.flat().dims == tuple(added):
        return layout.root.unsplit(added)
    raise LayoutError(f"{layout} cannot follow a shape cast from {list(shape)} to {list(target)}")


def dropped_ones(shape: Shape, target: Shape) -> list[int] | None:
    """The dimensions of one element whose removal makes `target` of `shape`; None where that is not all."""
    dropped, left = [], list(target)
    for d, extent in enumerate(shape):
        if left and extent == left[0] and len(shape) - d >= len(left):
            left.pop(0)
        elif extent == 1:
            dropped.append(d)
        else:
            return None
    return dropped if not left else None
