"""Layout and Slice: the attributes of seeds 000 to 003, as frozen values with one text."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter, index
from typing import Any

from xetile.errors import LayoutError
from xetile.layout.distribution import Distribution, Shape
from xetile.layout.text import Reader, print_parameters
from xetile.records import dataclass

PARAMETERS = ("sg_layout", "sg_data", "inst_data", "lane_layout", "lane_data", "order")
_parameters_of = attrgetter(*PARAMETERS)


class _Unique(type):
    """There is one layout of each set of parameters, so that to compare them is to ask for one object."""

    def __call__(cls, sg_layout: Sequence[int] = (), sg_data: Sequence[int] = (), inst_data: Sequence[int] = (),
                 lane_layout: Sequence[int] = (), lane_data: Sequence[int] = (), order: Sequence[int] = ()) -> Any:  # fmt: skip
        key = tuple(sg_layout), tuple(sg_data), tuple(inst_data), tuple(lane_layout), tuple(lane_data), tuple(order)
        return _LAYOUTS.get(key) or _LAYOUTS.setdefault(key, super().__call__(*(tuple(map(index, values)) for values in key)))


@dataclass(frozen=True, eq=False, slots=True)
class Layout(Distribution, metaclass=_Unique):
    """How tiles of one rank are distributed to subgroups and lanes (seed 002, LayoutAttr; seed 001, wg_map; seed 000, sg_map).

    sg_layout: subgroups per dimension; sg_data: contiguous elements that a subgroup gets at a time (default: an even share);
    inst_data: elements that one instruction handles (default: the whole piece); lane_layout, lane_data: the same for lanes in
    an instruction block; order: dimensions from the fastest to the slowest in linear ids (default: row-major).
    Raises LayoutError where parameters contradict each other.
    """

    sg_layout: Shape = ()
    sg_data: Shape = ()
    inst_data: Shape = ()
    lane_layout: Shape = ()
    lane_data: Shape = ()
    order: Shape = ()

    def __post_init__(self) -> None:
        for name in PARAMETERS[:-1]:
            values = getattr(self, name)
            if values and min(values) < 1:
                raise LayoutError(f"{name} {list(values)} has an entry below 1")
        self._check_presence()
        self._check_ranks()

    def _check_presence(self) -> None:
        # The rules, and the order of the checks, of upstream's LayoutAttr::verify.
        if not (self.sg_layout or self.inst_data or self.lane_layout):
            raise LayoutError("a layout needs at least one of sg_layout, inst_data or lane_layout")
        if self.sg_data and not self.sg_layout:
            raise LayoutError("sg_data needs sg_layout")
        if self.lane_data and not self.lane_layout:
            raise LayoutError("lane_data needs lane_layout")
        if self.order and not (self.sg_layout or self.lane_layout):
            raise LayoutError("order needs sg_layout or lane_layout")

    def _check_ranks(self) -> None:
        given = [(name, values) for name in PARAMETERS if (values := getattr(self, name))]
        first, values = given[0]
        for name, others in given[1:]:
            if len(others) != len(values):
                raise LayoutError(f"{name} {list(others)} and {first} {list(values)} must have the same rank")
        if self.order and sorted(self.order) != list(range(len(values))):
            raise LayoutError(
                f"order {list(self.order)} must name each dimension once",
                hint=f"row-major is {list(range(len(values)))[::-1]}: the fastest dimension comes first",
            )

    def __reduce__(self) -> tuple[object, ...]:
        return Layout, tuple(getattr(self, name) for name in PARAMETERS)

    @property
    def root(self) -> Layout:
        """The layout itself."""
        return self

    @property
    def rank(self) -> int:
        """Rank of the tiles that this distributes."""
        return len(self.sg_layout or self.inst_data or self.lane_layout)

    @property
    def kept(self) -> Shape:
        """All dimensions."""
        return tuple(range(self.rank))

    @property
    def dim_order(self) -> Shape:
        """`order`, or the default: the last dimension is the fastest."""
        return self.order or tuple(range(self.rank))[::-1]

    @property
    def is_workgroup(self) -> bool:
        """Whether this is for workgroup-level code (seed 002: the presence of sg_layout implies it)."""
        return bool(self.sg_layout)

    # Transforms: each gives a new layout.

    def slice(self, dims: Sequence[int]) -> Slice:
        """For values without `dims`: owners along those dimensions hold the same (seed 002, SliceAttr)."""
        return Slice(self, tuple(dims))

    def transpose(self, perm: Sequence[int]) -> Layout:
        """For the value whose dimension `i` is this one's dimension `perm[i]`; each owner keeps its elements (seed 000)."""
        if sorted(perm) != list(self.kept):
            raise LayoutError(f"the permutation {list(perm)} does not fit {self}")
        order = tuple(perm.index(d) for d in self.dim_order)
        moved = {name: tuple(values[p] for p in perm) for name in PARAMETERS[:-1] if (values := getattr(self, name))}
        return Layout(**moved, order=self._needed_order(order))

    def expand(self, dim: int, size: int = 1) -> Layout:
        """With a new dimension `dim` of `size` elements that no owner splits."""
        if not 0 <= dim <= self.rank:
            raise LayoutError(f"cannot insert dimension {dim} into {self}")
        moved = [d + (d >= dim) for d in self.dim_order]
        # The new dimension has one owner, so its place in the order is free: row-major stays row-major (seed 000, reduction).
        place = moved.index(dim + 1) + 1 if dim < self.rank else 0
        order = (*moved[:place], dim, *moved[place:])
        fill = {"sg_data": size, "inst_data": size}
        grown = {
            name: (*values[:dim], fill.get(name, 1), *values[dim:]) for name in PARAMETERS[:-1] if (values := getattr(self, name))
        }
        return Layout(**grown, order=self._needed_order(order))

    def unsplit(self, dims: Sequence[int]) -> Layout:
        """For values with one element along `dims`, the same owners sharing it (seed 001, tile_reduce and tile_broadcast)."""
        ones = {
            name: tuple(1 if d in dims else v for d, v in enumerate(values))
            for name in ("sg_data", "inst_data", "lane_data")
            if (values := getattr(self, name))
        }
        return self._changed(**ones)

    def with_sg(self, sg_layout: Sequence[int], sg_data: Sequence[int] = ()) -> Layout:
        """With another distribution over subgroups."""
        return self._changed(sg_layout=tuple(sg_layout), sg_data=tuple(sg_data))

    def with_inst(self, inst_data: Sequence[int]) -> Layout:
        """With another instruction block."""
        return self._changed(inst_data=tuple(inst_data))

    def with_lanes(self, lane_layout: Sequence[int], lane_data: Sequence[int] = ()) -> Layout:
        """With another distribution over lanes."""
        return self._changed(lane_layout=tuple(lane_layout), lane_data=tuple(lane_data))

    def with_order(self, order: Sequence[int] = ()) -> Layout:
        """With another order of ids; none is row-major, which is all that a wg_map can say (seed 001)."""
        return self._changed(order=tuple(order))

    def drop_sg(self) -> Layout | None:
        """The layout of one subgroup's piece: what is left for subgroup-level code; None if nothing is."""
        return self._keep("inst_data", "lane_layout", "lane_data")

    def _changed(self, **parts: Shape) -> Layout:
        return Layout(**{**dict(zip(PARAMETERS, _parameters_of(self))), **parts})

    def _keep(self, *names: str) -> Layout | None:
        kept = {name: getattr(self, name) for name in names}
        if not (kept.get("sg_layout") or kept.get("inst_data") or kept.get("lane_layout")):
            return None
        ordered = kept.get("sg_layout") or kept.get("lane_layout")
        return Layout(**kept, order=self.order if ordered else ())

    def _needed_order(self, order: Shape) -> Shape:
        has_ids = self.sg_layout or self.lane_layout
        return order if has_ids and order != tuple(range(len(order)))[::-1] else ()

    # Text.

    def __str__(self) -> str:
        """`#xegpu.layout<sg_layout = [8, 4], ...>`, as mlir-opt of LLVM 22 prints it."""
        return print_parameters("xegpu.layout", [(name, getattr(self, name)) for name in PARAMETERS])

    def wg_map(self) -> str:
        """`#xetile.wg_map<sg_layout = [..], sg_data = [..]>` (seed 001); raises LayoutError if it would lose something."""
        if self != Layout(self.sg_layout, self.sg_data):
            raise LayoutError(f"{self} has more than a wg_map can say (sg_layout and sg_data)")
        return print_parameters("xetile.wg_map", (("sg_layout", self.sg_layout), ("sg_data", self.sg_data)))


_LAYOUTS: dict[tuple[Shape, ...], Layout] = {}


@dataclass(frozen=True, slots=True)
class Slice(Distribution):
    """A layout for values that lack the dimensions `dims` of `parent`; owners along them hold the same (seed 002, SliceAttr).

    `dims` count dimensions of `parent`, which may be a slice itself.
    """

    parent: Layout | Slice
    dims: Shape

    def __post_init__(self) -> None:
        object.__setattr__(self, "dims", tuple(self.dims))
        for d in self.dims:
            if not 0 <= d < self.parent.rank:
                raise LayoutError(f"slice has no dimension {d} to remove: its parent has rank {self.parent.rank}")
        if len(set(self.dims)) != len(self.dims):
            raise LayoutError(f"slice names a dimension twice: dims = {list(self.dims)}")

    @property
    def root(self) -> Layout:
        """The layout that is sliced, through all slices between."""
        return self.parent.root

    @property
    def kept(self) -> Shape:
        """The root's dimensions that the values have."""
        return tuple(d for i, d in enumerate(self.parent.kept) if i not in self.dims)

    @property
    def is_workgroup(self) -> bool:
        """Whether this is for workgroup-level code."""
        return self.root.is_workgroup

    def flat(self) -> Slice:
        """The same slice directly of the root layout."""
        return Slice(self.root, tuple(d for d in self.root.kept if d not in self.kept))

    def slice(self, dims: Sequence[int]) -> Slice:
        """Without more dimensions."""
        return Slice(self, tuple(dims))

    def drop_sg(self) -> Slice | None:
        """The layout of one subgroup's piece; None if nothing is left."""
        root = self.root.drop_sg()
        return Slice(root, self.flat().dims) if root else None

    def __str__(self) -> str:
        """`#xegpu.slice<#xegpu.layout<...>, dims = [0]>`, as mlir-opt of LLVM 22 prints it."""
        return f"#xegpu.slice<{self.parent}, dims = {list(self.dims)}>"


AnyLayout = Layout | Slice


def parse(text: str) -> Layout | Slice:
    """Reads `#xegpu.layout`, `#xegpu.slice`, `#xetile.wg_map` or the older `#xegpu.sg_map` and `#xegpu.wg_map`.

    Raises LayoutError with the text and the column.
    """
    reader = Reader(text)
    found = _read(reader)
    reader.end()
    return found


def _read(reader: Reader) -> Layout | Slice:
    name = reader.peek()
    if name == "#xegpu.slice":
        reader.skip("#xegpu.slice", "<")
        parent = _read(reader)
        reader.skip(",", "dims", "=")
        dims = reader.integers()
        reader.take(">")
        return Slice(parent, dims)
    known = _KNOWN.get(name)
    if known is None:
        raise reader.error(f"expected one of {', '.join(('#xegpu.slice', *_KNOWN))}, not {name!r}")
    reader.take()
    return Layout(**reader.parameters(known))


# Seed 001's wg_map has two parameters; seed 003's xegpu.wg_map adds the order.
_KNOWN: dict[str, tuple[str, ...]] = {
    "#xegpu.layout": PARAMETERS,
    "#xegpu.sg_map": PARAMETERS,
    "#xegpu.wg_map": ("sg_layout", "sg_data", "order"),
    "#xetile.wg_map": ("sg_layout", "sg_data"),
}
