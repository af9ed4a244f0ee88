"""Pictures of distributions as SVG: which subgroup has which part of a tile, and which lane which element of a block.

Lines and text take the colour of the page around them, fills are half transparent: pictures fit light and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from xetile.errors import LayoutError
from xetile.layout.distribution import Distribution, Shape
from xetile.layout.text import shape_text
from xetile.records import dataclass

WIDTH = 480  # of a tile, in the picture's units; heights follow, within limits
_HEIGHTS = (48, 480)
_MARGIN = 34
_NAMED = 6  # owners that a part's label names one by one
_MOST_PARTS = 4096
# Hues that neighbours in a grid do not share: steps of the golden angle.
_GOLDEN = 137.508


@dataclass(frozen=True)
class Box:
    """Part of a tile: its place and size in elements, the first of its owners, what is written on it, and what pointing at it tells."""

    at: Shape
    size: Shape
    owner: int
    label: str
    tip: str


def subgroups(layout: Distribution, shape: Sequence[int]) -> str:
    """A workgroup's tile, each part marked with the subgroups that have it.  Raises LayoutError as `Distribution.pieces` does."""
    rows, columns = _two(shape)
    owners: dict[Shape, list[int]] = {}
    for number in range(layout.num_subgroups):
        for at in layout.pieces(shape, number):
            owners.setdefault(at, []).append(number)
    size = _two(layout.piece_shape(shape))
    boxes = []
    for at, numbers in sorted(owners.items()):
        named = _names("sg", numbers)
        boxes.append(Box(_place(at), size, numbers[0], named, f"{_span(_place(at), size)} of {named}"))
    return _picture((rows, columns), boxes, f"{shape_text(shape)} in parts of {shape_text(size)}")


def lanes(layout: Distribution, shape: Sequence[int]) -> str:
    """One instruction's block of a subgroup's part: the lane that holds each element.  Raises LayoutError without a lane_layout."""
    block = layout.block_shape(layout.piece_shape(shape))
    if not layout.root.lane_layout:
        raise LayoutError(f"{layout} says nothing of lanes")
    held: dict[Shape, list[tuple[int, int]]] = {}
    for lane in range(layout.num_lanes):
        for slot, at in enumerate(_block_elements(layout, block, lane)):
            held.setdefault(at, []).append((lane, slot))
    boxes = []
    for at, found in sorted(held.items()):
        tip = f"{_span(_place(at), (1, 1))}: " + ", ".join(f"element {slot} of lane {lane}" for lane, slot in found)
        boxes.append(Box(_place(at), (1, 1), found[0][0], _names("", [lane for lane, _ in found]), tip))
    return _picture(_two(block), boxes, f"lanes of one {shape_text(block)} block")


def picture(layout: Distribution, shape: Sequence[int]) -> str:
    """Both pictures, as far as the layout tells: subgroups of the tile, lanes of a block."""
    parts = [subgroups(layout, shape)] if layout.root.sg_layout else []
    if layout.root.lane_layout:
        parts.append(lanes(layout, shape))
    return "\n".join(parts)


def _block_elements(layout: Distribution, block: Shape, lane: int) -> Iterator[Shape]:
    coords = layout.lane_coords(lane)
    spreads = layout.lane_spread(block)
    units = product(*(s.origins(coords[d] if coords else 0) for s, d in zip(spreads, layout.kept, strict=True)))
    for unit in units:
        for inside in product(*(range(s.size) for s in spreads)):
            yield tuple(a + b for a, b in zip(unit, inside, strict=True))


def _two(shape: Sequence[int]) -> tuple[int, int]:
    """Rows and columns; leading dimensions are stacked as rows."""
    rows = 1
    for n in shape[:-1]:
        rows *= n
    return rows, shape[-1]


def _place(at: Shape) -> Shape:
    return (0, *at) if len(at) == 1 else at


def _names(word: str, numbers: Sequence[int]) -> str:
    if len(numbers) <= _NAMED:
        return " ".join(f"{word}{n}" for n in numbers)
    return f"{word}{numbers[0]} to {word}{numbers[-1]}, {len(numbers)} of them"


def _picture(extent: tuple[int, int], boxes: Sequence[Box], title: str) -> str:
    rows, columns = extent
    if len(boxes) > _MOST_PARTS:
        raise LayoutError(f"{len(boxes)} parts are too many for a picture", hint="draw a smaller tile")
    scale = WIDTH / columns
    height = min(max(rows * scale, _HEIGHTS[0]), _HEIGHTS[1])
    tall = height / rows
    lines = [
        f'<svg class="layout" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 2 * _MARGIN} {height + 2 * _MARGIN:g}" '
        f'width="{WIDTH + 2 * _MARGIN}" role="img" font-family="sans-serif" fill="currentColor">',
        f"<title>{title}</title>",
        f'<text x="{_MARGIN}" y="{_MARGIN - 16}" font-size="13">{title}</text>',
        *_ticks(extent, boxes, scale, tall),
        *(line for box in boxes for line in _drawn(box, scale, tall)),
        "</svg>",
    ]
    return "\n".join(lines)


def _drawn(box: Box, scale: float, tall: float) -> Iterator[str]:
    x, y = _MARGIN + box.at[1] * scale, _MARGIN + box.at[0] * tall
    width, height = box.size[1] * scale, box.size[0] * tall
    hue = round(box.owner * _GOLDEN) % 360
    yield (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="hsl({hue} 65% 55%)" fill-opacity="0.35" '
        f'stroke="currentColor" stroke-opacity="0.5" stroke-width="0.7"><title>{box.tip}</title></rect>'
    )
    font = min(13.0, 1.7 * width / max(3, len(box.label)), 0.8 * height)
    if font >= 4.5:
        yield (
            f'<text x="{x + width / 2:.1f}" y="{y + height / 2:.1f}" font-size="{font:.1f}" text-anchor="middle" '
            f'dominant-baseline="central" pointer-events="none">{box.label}</text>'
        )


def _span(at: Shape, size: Shape) -> str:
    return f"[{', '.join(str(a) if n == 1 else f'{a}:{a + n}' for a, n in zip(at, size, strict=True))}]"


def _ticks(extent: tuple[int, int], boxes: Sequence[Box], scale: float, tall: float) -> Iterator[str]:
    """Numbers of the rows and columns at which parts begin, as far as there is room for them."""
    style = 'font-size="9" fill-opacity="0.7"'
    last = -1e9
    for column in (*sorted({box.at[1] for box in boxes}), extent[1]):
        if column * scale - last >= 16:
            last = column * scale
            yield f'<text x="{_MARGIN + last:.1f}" y="{_MARGIN - 4}" {style} text-anchor="middle">{column}</text>'
    last = -1e9
    for row in (*sorted({box.at[0] for box in boxes}), extent[0]):
        if row * tall - last >= 9:
            last = row * tall
            yield f'<text x="{_MARGIN - 5}" y="{_MARGIN + last:.1f}" {style} text-anchor="end" dominant-baseline="central">{row}</text>'
