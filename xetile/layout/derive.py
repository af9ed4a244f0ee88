"""Layouts of operands from the layout of a result: the propagation rules of seeds 000, 001 and 003."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import prod

from xetile.errors import LayoutError
from xetile.layout.attribute import Layout
from xetile.layout.distribution import Shape
from xetile.layout.text import shape_text

Group = tuple[list[int], list[int]]  # dimensions of the result, dimensions of the source
Distributed = tuple[int, int]  # owners, elements at a time


def derive_mma(result: Layout, m: int, n: int, k: int) -> tuple[Layout, Layout]:
    """Layouts of A [m, k] and B [k, n] for a product with layout `result` over [m, n] (seed 001, tile_mma).

    The same sg_layout and order; sg_data as the result's along m and n, and all of k. What instructions and lanes do with
    the operands depends on the target, so inst_data and lanes are left out (`with_inst`, `with_lanes`).
    """
    rows, columns = (s.size for s in result.sg_spread((m, n)))
    a = Layout(result.sg_layout, (rows, k), order=result.order)
    b = Layout(result.sg_layout, (k, columns), order=result.order)
    return a, b


def derive_reduce(result: Layout, dims: Sequence[int], source_shape: Sequence[int]) -> Layout:
    """Layout of the source of a reduction over `dims` (dimensions of the source), which the result lacks.

    The source has one subgroup along them, and its lanes lie along its last dimension with one element each (seed 000, reduction).
    """
    source = result
    for d in sorted(dims):
        source = source.expand(d, source_shape[d])
    return _lanes_last(source, result.num_lanes) if result.lane_layout else source


def derive_broadcast(result: Layout, dims: Sequence[int]) -> Layout:
    """Layout of the source of a broadcast that widens `dims`: one element along these, and the same owners (seed 001, tile_broadcast)."""
    return result.unsplit(dims)


def derive_transpose(result: Layout, perm: Sequence[int]) -> Layout:
    """Layout of the source of a transposition with `perm`; each owner keeps its elements (seed 000, transpose).

    A wg_map cannot say an order (seed 001): `.with_order()` gives its source map, with which elements change owners.
    """
    inverse = [list(perm).index(d) for d in range(len(perm))]
    return result.transpose(inverse)


def derive_shape_cast(result: Layout, result_shape: Sequence[int], source_shape: Sequence[int]) -> Layout:
    """Layout of the source of a shape cast, each owner keeping its elements (seed 000, shape_cast).

    Dimensions that merge or split are matched from the front by their products. Raises LayoutError where no layout of the
    source's shape gives the same ownership, as when pieces are not contiguous in row-major order.
    """
    groups = _matching_groups(result_shape, source_shape)
    _check_cast_order(result, groups)
    order = _cast_order(result, groups)
    source: dict[str, Shape] = {}
    if result.sg_layout:
        distributed = _cast_part(result.sg_layout, result.sg_data, result_shape, source_shape, groups)
        source["sg_layout"], source["sg_data"] = distributed
    if result.lane_layout:
        pieces = result.piece_shape(result_shape), Layout(**source).piece_shape(source_shape) if source else tuple(source_shape)
        _check_one_block(result, pieces, result_shape, source_shape)
        distributed = _cast_part(result.lane_layout, result.lane_data, *pieces, groups)
        source["lane_layout"], source["lane_data"] = distributed
    return Layout(**source, order=order)


def _cast_part(
    counts: Shape, data: Shape, shape: Sequence[int], target: Sequence[int], groups: list[Group]
) -> tuple[Shape, Shape]:
    """One level of a shape cast: owners and sizes over `shape` to those over `target`."""
    sizes = data or tuple(max(1, extent // count) for extent, count in zip(shape, counts, strict=True))
    distributed: list[Distributed] = []
    for old, new in groups:
        dims = [(counts[d], min(sizes[d], shape[d]), shape[d]) for d in old]
        distributed += _regroup(dims, [target[d] for d in new])
    return tuple(count for count, _ in distributed), tuple(size for _, size in distributed)


def _check_one_block(
    result: Layout, pieces: tuple[Shape, Shape], result_shape: Sequence[int], source_shape: Sequence[int]
) -> None:
    """Lanes distribute one block at a time: the cast keeps their elements only where a subgroup has one."""
    held = prod(s.rounds * s.size for s in result.sg_spread(result_shape))
    if prod(pieces[0]) == prod(pieces[1]) == held and prod(result.block_shape(pieces[0])) == held:
        return
    raise LayoutError(
        f"shape_cast from {shape_text(source_shape)} to {shape_text(result_shape)} would distribute other elements to lanes:"
        f" with {result} a subgroup has more than one piece or block",
        hint="convert the layout first (convert_layout)",
    )


def _lanes_last(layout: Layout, lanes: int) -> Layout:
    ones = (1,) * layout.rank
    return layout.with_lanes((*ones[:-1], lanes), ones)


def _matching_groups(old: Sequence[int], new: Sequence[int]) -> list[Group]:
    """The shortest runs of dimensions of both shapes with equal products, in order."""
    if prod(old) != prod(new):
        raise LayoutError(f"shape_cast from {shape_text(new)} to {shape_text(old)} changes the number of elements")
    groups: list[Group] = []
    i = j = 0
    while i < len(old) or j < len(new):
        left, right = [i] if i < len(old) else [], [j] if j < len(new) else []
        i, j = i + len(left), j + len(right)
        while (a := prod(old[d] for d in left)) != (b := prod(new[d] for d in right)):
            if a < b:
                left.append(i)
                i += 1
            else:
                right.append(j)
                j += 1
        groups.append((left, right))
    return groups


def _regroup(old: list[tuple[int, int, int]], new: Sequence[int]) -> list[Distributed]:
    """(owners, size, extent) per old dimension to (owners, size) per new one, through the merged dimension."""
    count, size, extent = 1, 1, 1
    for dim in reversed(old):
        count, size, extent = _merge(dim, (count, size, extent))
    distributed: list[Distributed] = []
    for inner in reversed(new[1:]):
        (count, size, extent), one = _split((count, size, extent), inner)
        distributed.insert(0, one)
    if new:
        return [(count, size), *distributed]
    if count > 1:
        raise LayoutError(
            f"shape_cast removes a dimension that {count} owners share", hint="use a slice of the layout, or convert it first"
        )
    return []


def _merge(outer: tuple[int, int, int], inner: tuple[int, int, int]) -> tuple[int, int, int]:
    (c0, s0, n0), (c1, s1, n1) = outer, inner
    if c1 == 1 and (c0 > 1 or s1 == n1):
        return c0, s0 * n1, n0 * n1
    if c0 == 1 and n1 % (c1 * s1) == 0:
        return c1, s1, n0 * n1
    if s0 == 1 and c1 * s1 == n1:
        return c0 * c1, s1, n0 * n1
    raise LayoutError(
        f"shape_cast merges dimensions of {n0} and {n1} elements whose pieces are not contiguous in the merged dimension",
        hint="convert the layout first (convert_layout)",
    )


def _split(merged: tuple[int, int, int], inner: int) -> tuple[tuple[int, int, int], Distributed]:
    count, size, extent = merged
    outer = extent // inner
    if size % inner == 0:
        return (count, size // inner, outer), (1, inner)
    units = inner // size
    if inner % size == 0 and units % count == 0:
        return (1, 1 if count > 1 else outer, outer), (count, size)
    if inner % size == 0 and count % units == 0:
        return (count // units, 1, outer), (units, size)
    raise LayoutError(
        f"shape_cast splits {extent} elements into {outer}x{inner}, which pieces of {size} elements do not fit",
        hint="convert the layout first (convert_layout)",
    )


def _check_cast_order(result: Layout, groups: list[Group]) -> None:
    """Merged dimensions must count row-major among themselves, or ids would mean other owners."""
    place = {d: i for i, d in enumerate(result.dim_order)}
    for old, _ in groups:
        split = [d for d in old if prod(counts[d] for counts in (result.sg_layout, result.lane_layout) if counts) > 1]
        places = [place[d] for d in split]
        if any(a - b != 1 for a, b in itertools.pairwise(places)):
            raise LayoutError(f"shape_cast merges dimensions {old} of {result}, which do not follow each other in its order")


def _cast_order(result: Layout, groups: list[Group]) -> Shape:
    place = {d: i for i, d in enumerate(result.dim_order)}
    ranked = sorted((min((place[d] for d in old), default=-1), new) for old, new in groups)
    order = tuple(d for _, new in ranked for d in reversed(new))
    return order if order != tuple(range(len(order)))[::-1] else ()
