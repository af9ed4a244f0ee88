"""xetile: tiles of memory and 2-D values (seed 001, the XeTile RFC).

At workgroup level types and ops may carry a `wg_map`; at subgroup level they carry none; blocked values are 4-D.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from xetile.dialects.arith import ATOMICS_FLOAT, ATOMICS_INT
from xetile.dialects.types import INDEX, MemRefType, ScalarType, VectorType, element_of
from xetile.errors import VerifyError
from xetile.ir.core import Op, Type, Typed, Value, attribute, operand, result
from xetile.ir.printer import ATTRIBUTE_TEXT
from xetile.layout import Layout
from xetile.records import dataclass

REDUCTIONS_INT = ("add", "mul", "minsi", "minui", "maxsi", "maxui", "and", "or", "xor")
REDUCTIONS_FLOAT = ("add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf")


@dataclass(frozen=True)
class TileType(Type):
    """A 2-D region of memory (RFC, `init_tile`).

    `order` (1, 0): row-major memory; (0, 1): column-major. `inner_blocks`: block of one memory access. `space` 3: shared local
    memory. `scatter`: each element has an address of its own.
    """

    shape: tuple[int, int]
    element: ScalarType
    wg_map: Layout | None = None
    order: tuple[int, int] = (1, 0)
    inner_blocks: tuple[int, ...] = ()
    scatter: bool = False
    space: int = 0

    def __post_init__(self) -> None:
        if self.inner_blocks:
            _grid(self.shape, self.inner_blocks)

    @property
    def is_block(self) -> bool:
        """Whether it is a rectangle of an array: no elements with addresses of their own, no shared memory."""
        return not (self.scatter or self.space)

    def with_shape(self, rows: int, columns: int) -> TileType:
        """The same with other sizes."""
        return replace(self, shape=(rows, columns))

    def vector(self) -> VectorType:
        """The type of a value that holds the tile; 4-D where the tile is blocked."""
        if not self.inner_blocks:
            return VectorType(self.shape, self.element)
        return VectorType((*_grid(self.shape, self.inner_blocks), *self.inner_blocks), self.element)

    def __str__(self) -> str:
        parts = []
        if self.wg_map is not None:
            parts.append(f"wg_map = {wg_map_text(self.wg_map)}")
        if self.order != (1, 0):
            parts.append(f"order = {list(self.order)}")
        if self.inner_blocks:
            parts.append(f"inner_blocks = {list(self.inner_blocks)}")
        if self.space:
            parts.append(f"memory_space = {self.space}")
        if self.scatter:
            parts.append("scatter = true")
        attr = f", #xetile.tile_attr<{', '.join(parts)}>" if parts else ""
        return f"!xetile.tile<{'x'.join(map(str, (*self.shape, self.element)))}{attr}>"


def _grid(shape: tuple[int, ...], blocks: tuple[int, ...]) -> tuple[int, ...]:
    """How many blocks there are in each dimension. Raises VerifyError where they leave a rest: elements of no block would be lost."""
    if any(n % block for n, block in zip(shape, blocks)):
        raise VerifyError(f"blocks of {'x'.join(map(str, blocks))} do not cover a value of {'x'.join(map(str, shape))}")
    return tuple(n // block for n, block in zip(shape, blocks))


def wg_map_text(layout: Layout) -> str:
    """`<sg_layout = [8, 4], sg_data = [32, 64]>`, the RFC's wg_map without its name; with the order where it is not row-major."""
    order = f", order = {list(layout.order)}" if layout.order else ""
    return f"<sg_layout = {list(layout.sg_layout)}, sg_data = {list(layout.sg_data)}{order}>"


def _named(layout: Layout | None) -> str:
    return f"#xetile.wg_map{wg_map_text(layout)}" if layout is not None else "unit"


# On ops a map prints with its name; on tile types it is a part of tile_attr.
ATTRIBUTE_TEXT["wg_map"] = ATTRIBUTE_TEXT["input_map"] = _named
ATTRIBUTE_TEXT["wg_maps"] = lambda maps: f"[{', '.join(map(_named, maps))}]"


class InitTile(Op, name="xetile.init_tile", pure=True):
    """A tile of a base array: `offsets`, `shape` and `strides` have the base's rank, counted in elements.

    A base of rank 1 is one row, or, with two of each and `order` (0, 1), one column. With one more of each than the base has axes the one
    before the last two is an axis of every n-th line: how far the first of them lies behind the base. The scattered form has one vector of
    offsets (elements from the base) and no shape or strides. `indexed`, for debug mode: the axis of which a number chose each offset, or -1.
    """

    # `xetile.init_tile %A[%m, %k], [%d0, %d1], [%s0, %c1] : memref<...> -> !xetile.tile<...>`.
    format = (
        "$base `` `[` $offsets `]` (`,` `[` $shape^ `]`)? (`,` `[` $strides^ `]`)? attr-dict"
        " `:` type($base) (`,` others($offsets)^)? `->` type($result)"
    )
    base: Typed[MemRefType] = operand(MemRefType)
    offsets: tuple[Value, ...] = operand(variadic=True)
    shape: tuple[Value, ...] = operand(variadic=True)
    strides: tuple[Value, ...] = operand(variadic=True)
    indexed: tuple[int, ...] | None = attribute("array", optional=True)
    result: Typed[TileType] = result(TileType)

    def verify(self) -> None:
        rank, tile = self.base.type.rank, self.result.type
        counts = {*map(len, (self.offsets, self.shape, self.strides, self.indexed or self.offsets))}
        if tile.element is not self.base.type.element:
            raise self.fail(f"a tile of {tile.element} over an array of {self.base.type.element}")
        if tile.scatter:
            if len(self.offsets) != 1 or not isinstance(self.offsets[0].type, VectorType):
                raise self.fail("a scattered tile takes one vector of offsets")
        elif len(counts) > 1 or not counts <= {*self._axes()}:
            raise self.fail(f"needs {rank} offsets, sizes and strides for a base of rank {rank}")
        if tile.space != self.base.type.space:
            raise self.fail(f"memory space {tile.space} of the tile, {self.base.type.space} of the base")

    def _axes(self) -> tuple[int, ...]:
        """How many axes the base may be taken to have."""
        rank = self.base.type.rank
        return (rank, rank + 1) if rank > 1 else (1 + (self.result.type.order == (0, 1)),)


class LoadTile(Op, name="xetile.load_tile", reads=("tile",)):
    """The elements of a tile; `padding` where the tile is outside the base array. `unsaid`, for debug mode: nobody has said which.

    `lane_map`: how lanes are to hold the value; `inside`: no element is outside, rows and the first column lie on whole 32-bit words;
    `whole_rows`: so, but for rows outside as a whole; `inst_data`: rows and columns of a message at most. Passes set all, and cache hints.
    """

    format = "$tile attr-dict `:` type($tile) `->` type($value)"
    tile: Typed[TileType] = operand(TileType)
    padding: float = attribute(default=0)
    unsaid: object = attribute("unit", optional=True)
    lane_map: Any = attribute("layout", optional=True)
    inside: object = attribute("unit", optional=True)
    whole_rows: object = attribute("unit", optional=True)
    inst_data: tuple[int, ...] | None = attribute("array", optional=True)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)
    value: Typed[VectorType] = result(VectorType, infer=lambda op: op.tile.type.vector())


class StoreTile(Op, name="xetile.store_tile", writes=("tile",)):
    """Write a value to a tile; elements outside the base array are not written. `lane_map`, `inst_data` as in load_tile.

    `valid`: only so many rows and columns (-1: all) are written, counted from the tile's first element, or, where the tile is a part of a
    larger one, from that one's: `origin` is where the part begins there. Passes set both.
    """

    # `xetile.store_tile %v, %t[%r, %c] {valid = array<i64: 33, 17>} : vector<8x16xf32>, !xetile.tile<8x16xf32>`.
    format = "$value `,` $tile (`` `[` $origin^ `]`)? attr-dict `:` type($value) `,` type($tile)"
    value: Typed[VectorType] = operand(VectorType)
    tile: Typed[TileType] = operand(TileType)
    origin: tuple[Value, ...] = operand(variadic=True)
    lane_map: Any = attribute("layout", optional=True)
    valid: tuple[int, ...] | None = attribute("array", optional=True)
    inst_data: tuple[int, ...] | None = attribute("array", optional=True)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)

    def verify(self) -> None:
        if self.origin and (self.valid is None or len(self.origin) != 2):
            raise self.fail("an origin is two numbers, and is there for `valid`")
        if self.value.type != self.tile.type.vector():
            raise self.fail(f"a value {self.value.type} for a tile of {self.tile.type.vector()}")


class PrefetchTile(Op, name="xetile.prefetch_tile", fetches=("tile",)):
    """Bring a tile to the caches; `locality` 0 (none) to 3 (keep near), hints by level override it. `inst_data` as in load_tile."""

    format = "$tile attr-dict `:` type($tile)"
    tile: Typed[TileType] = operand(TileType)
    locality: int = attribute("i32", default=3)
    l1_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)
    inst_data: tuple[int, ...] | None = attribute("array", optional=True)


class PrefetchTiles(Op, name="xetile.prefetch_tiles", fetches=("tiles",)):
    """Bring several tiles to the caches, each by one part of the subgroups; cache hints as in prefetch_tile.

    At workgroup level with layouts, tile i is distributed over part i of as many equal parts of the subgroups, and each holds the whole tile.
    At subgroup level `which` is the tile of this subgroup, whose pieces all have the same shape in memory. Passes make it.
    """

    # `xetile.prefetch_tiles %a, %b : types`, and with `[%which]` behind the tiles at subgroup level.
    format = "$tiles (`` `[` $which^ `]`)? attr-dict `:` type($tiles)"
    tiles: tuple[Value, ...] = operand(TileType, variadic=True)
    which: Value | None = operand(optional=True)
    locality: int = attribute("i32", default=3)
    l1_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)

    def verify(self) -> None:
        if len(self.tiles) < 2:
            raise self.fail("one tile is prefetch_tile's")
        if len({element_of(v.type).bits for v in self.tiles}) > 1:
            raise self.fail("elements differ in size: no one message moves them")


class UpdateTileOffset(Op, name="xetile.update_tile_offset", pure=True):
    """The tile moved by `offsets` (elements; the tile's two dimensions, or one vector for a scattered tile)."""

    # `xetile.update_tile_offset %t, [%c0, %c32] : !xetile.tile<...>`.
    format = "$tile `,` `[` $offsets `]` attr-dict `:` type($tile) (`,` others($offsets)^)?"
    tile: Typed[TileType] = operand(TileType)
    offsets: tuple[Value, ...] = operand(variadic=True)
    result: Typed[TileType] = result(TileType, infer=lambda op: op.tile.type)


class TileMma(Op, name="xetile.tile_mma", pure=True):
    """`a @ b (+ acc)`: (M, K) by (K, N), or blocked 4-D values whose K is split over dimensions 1 and 3.

    Integers are signed unless `lhs_unsigned` / `rhs_unsigned`. `transposed`: DPAS works it out as b^T @ a^T.
    """

    format = "$a `,` $b (`,` $acc^)? attr-dict `:` type($a) `,` type($b) (`,` type($acc)^)? `->` type($result)"
    a: Typed[VectorType] = operand(VectorType)
    b: Typed[VectorType] = operand(VectorType)
    acc: Typed[VectorType] | None = operand(VectorType, optional=True)
    lhs_unsigned: object = attribute("unit", optional=True)
    rhs_unsigned: object = attribute("unit", optional=True)
    transposed: object = attribute("unit", optional=True)
    wg_map: Any = attribute("layout", optional=True)
    result: Typed[VectorType] = result(VectorType, infer=lambda op: op.acc.type)

    def verify(self) -> None:
        (m, k), (k2, n), shape = (_matrix(v.type) for v in (self.a, self.b, self.result))
        if k != k2 or shape != (m, n):
            raise self.fail(f"({m}, {k}) by ({k2}, {n}) does not give {shape}")
        if self.acc is not None and self.acc.type != self.result.type:
            raise self.fail(f"accumulator {self.acc.type} and result {self.result.type} differ")


def _matrix(type: VectorType) -> tuple[int, int]:
    if type.rank == 4:
        return type.shape[0] * type.shape[2], type.shape[1] * type.shape[3]
    return type.shape[0], type.shape[1]


class AtomicRmwTile(Op, name="xetile.atomic_rmw_tile", reads=("tile",), writes=("tile",)):
    """Combine a value into a tile atomically, element by element; gives the old elements (RFC; kinds of arith's AtomicRMWKind)."""

    # `xetile.atomic_rmw_tile <addf> %v, %t : vector<8x16xf32>, !xetile.tile<8x16xf32> -> vector<8x16xf32>`.
    format = (
        "`<` $kind `>` $value `,` $tile (`,` $mask^)? attr-dict"
        " `:` type($value) `,` type($tile) (`,` type($mask)^)? `->` type($result)"
    )
    kind: str = attribute("keyword")
    value: Typed[VectorType] = operand(VectorType)
    tile: Typed[TileType] = operand(TileType)
    mask: Typed[VectorType] | None = operand(VectorType, optional=True)
    result: Typed[VectorType] = result(VectorType, infer=lambda op: op.value.type)

    def verify(self) -> None:
        kinds = ATOMICS_FLOAT if self.value.type.element.is_float else ATOMICS_INT
        if self.kind not in kinds:
            raise self.fail(f"no atomic {self.kind} of {self.value.type.element}", hint=f"one of {', '.join(kinds)}")


class TileTranspose(Op, name="xetile.tile_transpose", pure=True):
    """The transposed value."""

    format = "$source `,` $permutation attr-dict `:` type($source) `->` type($result)"
    source: Typed[VectorType] = operand(VectorType)
    permutation: tuple[int, ...] = attribute("[i64]", default=(1, 0))
    wg_map: Any = attribute("layout", optional=True)
    result: Typed[VectorType] = result(VectorType, infer=lambda op: op.source.type.with_shape(*reversed(op.source.type.shape)))


class TileReduce(Op, name="xetile.tile_reduce", pure=True):
    """Reduction over `dims` (0 or 1; 4-D: (0, 2) or (1, 3)); the reduced dimensions have size 1."""

    # `xetile.tile_reduce <add> %v [1] : vector<64x32xf32> -> vector<64x1xf32>`.
    format = "`<` $kind `>` $source $dims attr-dict `:` type($source) `->` type($result)"
    kind: str = attribute("keyword")
    source: Typed[VectorType] = operand(VectorType)
    dims: tuple[int, ...] = attribute("[i64]")
    wg_map: Any = attribute("layout", optional=True)
    result: Typed[VectorType] = result(VectorType, infer=lambda op: _reduced(op.source.type, op.dims))

    def verify(self) -> None:
        kinds = REDUCTIONS_FLOAT if self.source.type.element.is_float else REDUCTIONS_INT
        if self.kind not in kinds:
            raise self.fail(f"no reduction {self.kind} of {self.source.type.element}", hint=f"one of {', '.join(kinds)}")


class ReduceLines(Op, name="xetile.reduce_lines", pure=True):
    """At lane level: as many numbers as there are lanes, each reduced over them; lane l gets the l-th."""

    format = "`<` $kind `>` $source attr-dict `:` type($source) `->` type($result)"
    kind: str = attribute("keyword")
    source: Typed[VectorType] = operand(VectorType)
    result: Typed[VectorType] = result(VectorType, infer=lambda op: VectorType((1,), op.source.type.element))


def _reduced(type: VectorType, dims: tuple[int, ...]) -> VectorType:
    return type.with_shape(*(1 if d in dims else n for d, n in enumerate(type.shape)))


class TileBroadcast(Op, name="xetile.tile_broadcast", pure=True):
    """A value whose `dims` have size 1, stretched along them; or as large already, and the same everywhere along them (`pad_tiles`)."""

    format = "$source $dims attr-dict `:` type($source) `->` type($result)"
    source: Typed[VectorType] = operand(VectorType)
    dims: tuple[int, ...] = attribute("[i64]")
    wg_map: Any = attribute("layout", optional=True)
    result: Typed[VectorType] = result(VectorType)

    def verify(self) -> None:
        given, made = self.source.type.shape, self.result.type.shape
        if len(given) != len(made) or any(
            n not in ((1, m) if d in self.dims else (m,)) for d, (n, m) in enumerate(zip(given, made))
        ):
            raise self.fail(f"{self.source.type} cannot be stretched to {self.result.type} along {list(self.dims)}")


class TileConvLayout(Op, name="xetile.tile_conv_layout", pure=True):
    """The same value distributed in another way: `wg_map` is the result's, `input_map` (optional) the source's."""

    format = "$source attr-dict `:` type($source)"
    source: Typed[VectorType] = operand(VectorType)
    wg_map: Any = attribute("layout", optional=True)
    input_map: Any = attribute("layout", optional=True)
    result: Typed[VectorType] = result(VectorType, infer=lambda op: op.source.type)


class TilePack(Op, name="xetile.tile_pack", pure=True):
    """A 2-D value as 4-D blocks (rows of blocks, columns of blocks, rows in a block, columns in a block)."""

    format = "$source attr-dict `:` type($source) `->` type($result)"
    source: Typed[VectorType] = operand(VectorType)
    inner_blocks: tuple[int, ...] = attribute("array")
    result: Typed[VectorType] = result(VectorType, infer=lambda op: packed(op.source.type, tuple(op.inner_blocks)))


class TileUnpack(Op, name="xetile.tile_unpack", pure=True):
    """The inverse of tile_pack."""

    format = "$source attr-dict `:` type($source) `->` type($result)"
    source: Typed[VectorType] = operand(VectorType)
    inner_blocks: tuple[int, ...] = attribute("array")
    result: Typed[VectorType] = result(VectorType, infer=lambda op: op.source.type.with_shape(*_matrix(op.source.type)))


def packed(type: VectorType, blocks: tuple[int, ...]) -> VectorType:
    """The 4-D type of a 2-D value in blocks. Raises VerifyError where they do not cover it."""
    return type.with_shape(*_grid(type.shape, blocks), *blocks)


class LoadGather(Op, name="xetile.load_gather", reads=("tile",)):
    """The elements of a scattered tile where the mask is true, `padding` elsewhere.

    `assumed_begins`, `assumed_ends`: axes of the array in front of and behind which nothing is accessed, as each launch makes sure. Passes
    set both.
    """

    format = "$tile `,` $mask attr-dict `:` type($tile) `,` type($mask) `->` type($value)"
    tile: Typed[TileType] = operand(TileType)
    mask: Typed[VectorType] = operand(VectorType)
    padding: float = attribute(default=0)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)
    assumed_begins: tuple[int, ...] = attribute("array", default=())
    assumed_ends: tuple[int, ...] = attribute("array", default=())
    value: Typed[VectorType] = result(VectorType, infer=lambda op: op.tile.type.vector())


class StoreScatter(Op, name="xetile.store_scatter", writes=("tile",)):
    """Write a value to a scattered tile where the mask is true. `assumed_begins`, `assumed_ends` as in load_gather."""

    format = "$value `,` $mask `,` $tile attr-dict `:` type($value) `,` type($mask) `,` type($tile)"
    value: Typed[VectorType] = operand(VectorType)
    mask: Typed[VectorType] = operand(VectorType)
    tile: Typed[TileType] = operand(TileType)
    l1_hint: Any = attribute(optional=True)
    l2_hint: Any = attribute(optional=True)
    l3_hint: Any = attribute(optional=True)
    assumed_begins: tuple[int, ...] = attribute("array", default=())
    assumed_ends: tuple[int, ...] = attribute("array", default=())


class Breakpoint(Op, name="xetile.breakpoint"):
    """Where a debugger stops each program (ours); only the reference backend executes it, and only in debug mode.

    `variables` is JSON: for each of the kernel's variables here, by name, [dtype, shape] as the user sees them, the values being
    the operands in that order, or a constant itself.
    """

    # `xetile.breakpoint "{\22m\22: [\22index\22, []]}", %m : index`.
    format = "$variables (`,` $values^)? attr-dict (`:` type($values)^)?"
    values: tuple[Value, ...] = operand(variadic=True)
    variables: str = attribute("str")

    def verify(self) -> None:
        described = [v for v in json.loads(self.variables).values() if isinstance(v, list)]
        if len(described) != len(self.operands):
            raise self.fail(f"describes {len(described)} values and has {len(self.operands)}")


class Print(Op, name="xetile.print"):
    """Print a line with whole tiles in it (ours); the reference backend executes it, for others `drop_breakpoints` makes printf of it.

    `parts` is JSON: texts, and for each of the values in their order [dtype, shape, format of C for scalars].
    """

    # `xetile.print "[\22m is \22, [\22f32\22, [8, 16], \22\22]]", %m : vector<8x16xf32>`.
    format = "$parts (`,` $values^)? attr-dict (`:` type($values)^)?"
    values: tuple[Value, ...] = operand(variadic=True)
    parts: str = attribute("str")


class TileIota(Op, name="xetile.tile_iota", pure=True):
    """Each element is its own coordinate along `dim` of the (2-D) tile, an index; ours, the RFC has no such op."""

    format = "$dim attr-dict `:` type($result)"
    dim: int = attribute("keyword")
    wg_map: Any = attribute("layout", optional=True)
    result: Typed[VectorType] = result(VectorType)

    def verify(self) -> None:
        if self.result.type.element is not INDEX:
            raise self.fail(f"gives index elements, not {self.result.type}")


class TileScan(Op, name="xetile.tile_scan", pure=True):
    """Running reduction along `dim` (ours): element i holds elements 0..i combined by `kind`."""

    format = "`<` $kind `>` $source `[` $dim `]` attr-dict `:` type($source)"
    kind: str = attribute("keyword")
    source: Typed[VectorType] = operand(VectorType)
    dim: int = attribute("keyword")
    wg_map: Any = attribute("layout", optional=True)
    result: Typed[VectorType] = result(VectorType, infer=lambda op: op.source.type)
