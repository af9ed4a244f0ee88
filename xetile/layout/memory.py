"""MemLayout: where the elements of a block of shared local memory lie (seed 002, MemLayoutAttr and mem_desc)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import lru_cache
from math import prod

from xetile.errors import LayoutError
from xetile.layout.text import print_parameters, shape_text
from xetile.records import dataclass


@dataclass(frozen=True, slots=True)
class AddressTerm:
    """One summand of an element's address: `((index[dim] // divisor) % modulus) * stride`; modulus 0 means no modulo."""

    dim: int
    divisor: int
    modulus: int
    stride: int

    def value(self, index: Sequence[int]) -> int:
        """What this adds to the address of the element at `index`."""
        part = index[self.dim] // self.divisor
        return (part % self.modulus if self.modulus else part) * self.stride


@dataclass(frozen=True, slots=True)
class MemLayout:
    """Elements of an array of `shape` in memory, addresses counted in elements.

    `stride` (default: row-major, contiguous) orders the elements; with `block` the array is cut into blocks of that shape,
    each contiguous: the elements of a block, and the blocks, follow the order of the strides (seed 002, MemDescType).
    Raises LayoutError where two elements would share an address or blocks do not fill the array.
    """

    shape: tuple[int, ...]
    stride: tuple[int, ...] = ()
    block: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name, values in (("stride", self.stride), ("block", self.block)):
            if values and len(values) != len(self.shape):
                raise LayoutError(
                    f"mem_layout {name} {list(values)} has {len(values)} entries for an array of rank {len(self.shape)}"
                )
            if any(v < 1 for v in values):
                raise LayoutError(f"mem_layout {name} {list(values)} has an entry below 1")
        self._check_strides()
        if self.block:
            self._check_blocks()

    def _check_strides(self) -> None:
        order = [d for d in self._fastest_first() if self.shape[d] > 1]
        for inner, outer in itertools.pairwise(order):
            room = self.strides[inner] * self.shape[inner]
            if self.strides[outer] < room:
                raise LayoutError(
                    f"mem_layout stride {list(self.strides)} makes elements of a {shape_text(self.shape)} array share addresses",
                    hint=f"stride[{outer}] must be at least {room}",
                )

    def _check_blocks(self) -> None:
        order = self._fastest_first()
        if self.strides[order[0]] != 1:
            raise LayoutError(f"a blocked mem_layout needs one stride of 1, not {list(self.strides)}")
        for d, (extent, block) in enumerate(zip(self.shape, self.block, strict=True)):
            if extent % block:
                raise LayoutError(
                    f"mem_layout block[{d}] = {block} does not divide dimension {d} of the {shape_text(self.shape)} array"
                )
        for inner, outer in itertools.pairwise(order):
            if self.strides[outer] % (self.strides[inner] * self.block[inner]):
                raise LayoutError(
                    f"mem_layout stride[{outer}] = {self.strides[outer]} is not a whole number of blocks of {self.block[inner]}"
                )

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides of the array before it is cut into blocks."""
        return self.stride or tuple(prod(self.shape[d + 1 :]) for d in range(len(self.shape)))

    def _fastest_first(self) -> tuple[int, ...]:
        # Ties (dimensions of one element) keep the row-major order, so that the last dimension counts as the fastest.
        return tuple(sorted(range(len(self.shape)), key=lambda d: (self.strides[d], -d)))

    @lru_cache(maxsize=256)  # noqa: B019 (layouts are small values)  # passes ask for the address of each element
    def terms(self) -> tuple[AddressTerm, ...]:
        """The address of an element as a sum: what a pass turns into div, mod, mul and add."""
        if not self.block:
            return tuple(AddressTerm(d, 1, 0, s) for d, s in enumerate(self.strides))
        inner, outer = self._block_strides()
        terms: list[AddressTerm] = []
        for d, block in enumerate(self.block):
            if block < self.shape[d]:
                terms.append(AddressTerm(d, block, 0, outer[d]))
            if block > 1:
                terms.append(AddressTerm(d, 1, block if block < self.shape[d] else 0, inner[d]))
        return tuple(terms)

    def _block_strides(self) -> tuple[dict[int, int], dict[int, int]]:
        """Strides inside a block, and from block to block."""
        order = self._fastest_first()
        inner: dict[int, int] = {}
        outer: dict[int, int] = {}
        inner_step, outer_step = 1, prod(self.block)
        for place, d in enumerate(order):
            inner[d], outer[d] = inner_step, outer_step
            inner_step *= self.block[d]
            if place + 1 < len(order):
                # Padding of the strides becomes whole blocks, so a subview keeps its parent's addresses.
                padded = self.strides[order[place + 1]] // self.strides[d]
                outer_step *= max(1, padded // self.block[d])
        return inner, outer

    def address(self, index: Sequence[int]) -> int:
        """Address of one element, in elements from the array's start."""
        return sum(term.value(index) for term in self.terms())

    @property
    def size(self) -> int:
        """Elements from the first to one past the last."""
        return self.address([extent - 1 for extent in self.shape]) + 1

    def contiguous(self, dim: int) -> int:
        """How many neighbours along `dim` lie one after another: what one wide message may take."""
        run = self.block[dim] if self.block else self.shape[dim]
        step = self._block_strides()[0][dim] if self.block else self.strides[dim]
        return run if step == 1 else 1

    def __str__(self) -> str:
        """`#xegpu.mem_layout<block = [..], stride = [..]>`: LLVM sorts the names."""
        return print_parameters("xegpu.mem_layout", (("block", self.block), ("stride", self.stride)))


@dataclass(frozen=True, slots=True)
class BlockOrder:
    """The order of a matrix in memory that is cut into blocks: they follow each other row by row, each in one piece.

    A block's rows follow each other too; `packed` of them share words, each with the elements of one column (VNNI). As text it is the
    map from rows and columns to places that MLIR gives a memref whose layout is no list of strides.
    """

    block: tuple[int, int]
    packed: int = 1

    def check(self, shape: Sequence[int | None]) -> None:
        """Raise LayoutError unless whole blocks of whole words fill a matrix."""
        fits = len(shape) == 2 and all(n is not None and n % part == 0 for n, part in zip(shape, self.block))
        if not fits or self.block[0] % self.packed:
            raise LayoutError(f"blocks of {shape_text(self.block)} of words of {self.packed} rows do not fill {list(shape)}")

    def __str__(self) -> str:
        rows, columns = self.block
        inside = [f"d0 mod {rows}", f"d1 mod {columns}"]
        if self.packed > 1:
            inside = [f"(d0 mod {rows}) floordiv {self.packed}", f"d1 mod {columns}", f"d0 mod {self.packed}"]
        return f"affine_map<(d0, d1) -> ({', '.join([f'd0 floordiv {rows}', f'd1 floordiv {columns}', *inside])})>"


_BLOCK_ORDER = re.compile(r"d0 floordiv (\d{1,9}), d1 floordiv (\d{1,9}), .*d1 mod \d{1,9}(?:, d0 mod (\d{1,9}))?")


def parse_block_order(text: str) -> BlockOrder:
    """Reads what a `BlockOrder` is as text; raises LayoutError for other maps."""
    found = _BLOCK_ORDER.search(text)
    if found is not None and 0 not in (sizes := [int(n) for n in found.groups("1")]):
        order = BlockOrder((sizes[0], sizes[1]), sizes[2])
        if str(order) == text:
            return order
    raise LayoutError(f"{text} does not cut a matrix into blocks", hint=f"like {BlockOrder((16, 16))}")
