"""Arrays: what a kernel is called on, and tiles, the parts of them that it loads and stores."""

from __future__ import annotations

from typing import Any, TypeVar

from xetile.dialects.xetile import TileType
from xetile.dtypes import DType
from xetile.errors import CompileError, TileShapeError
from xetile.ir.core import Value as IRValue
from xetile.language.values import Shape, Value, describe

HandleT = TypeVar("HandleT", bound="Handle")

Size = int | Value
"""A size or stride: a Python int where it is known when the kernel is compiled."""


def is_unit(stride: Size) -> bool:
    """Whether a stride is known to be 1."""
    return isinstance(stride, int) and stride == 1


class Array:
    """An array in memory as a kernel sees it. Tiles describe its last two axes.

    `A[i]` drops leading axes; `A.T` swaps the last two.

    shape     sizes of the axes: ints where the signature fixes them, index values otherwise.
    dtype     element type.
    """

    __slots__ = ("_axes", "_fixed", "_shape", "_strides", "base", "dtype", "name", "space")

    def __init__(self, name: str, base: IRValue, dtype: DType, shape: tuple[Size, ...], strides: tuple[Size, ...], *,
                 space: int = 0, axes: tuple[int, ...] | None = None, fixed: tuple[Size, ...] = ()) -> None:  # fmt: skip
        self.name = name
        self.base = base
        self.dtype = dtype
        self.space = space
        self._shape = shape
        self._strides = strides
        self._axes = tuple(range(len(shape))) if axes is None else axes
        self._fixed = fixed

    @property
    def shape(self) -> tuple[Size, ...]:
        """Sizes of the axes, as ints where they are known."""
        return tuple(self._shape[a] for a in self._axes)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._axes)

    @property
    def described(self) -> str:
        """For messages: `A: f16[?,?]`."""
        return f"{self.name}: {self.dtype}[{','.join(str(n) if isinstance(n, int) else '?' for n in self.shape)}]"

    def stride(self, axis: int) -> Size:
        """Elements between neighbours along an axis; raises TileShapeError for an axis that the array lacks."""
        if not isinstance(axis, int) or not -self.ndim <= axis < self.ndim:
            raise TileShapeError(f"{self.described} has no axis {axis!r}")
        return self._strides[self._axes[axis]]

    @property
    def order(self) -> tuple[int, int]:
        """(1, 0): neighbours along the last axis lie side by side, (0, 1): along the last but one (RFC, `order`)."""
        if self.ndim < 2 or is_unit(self.stride(-1)):
            return (1, 0)
        return (0, 1) if is_unit(self.stride(-2)) else (1, 0)

    @property
    def T(self) -> Array:
        """The same memory with the two last axes swapped."""
        if self.ndim < 2:
            return self
        return self._view((*self._axes[:-2], self._axes[-1], self._axes[-2]), self._fixed)

    def __getitem__(self, index: Any) -> Array:
        """Drops leading axes: `A[i]`, `A[i, j]`, with ints or index values inside the array's bounds."""
        items = index if isinstance(index, tuple) else (index,)
        while items and (items[-1] is Ellipsis or (items[-1] == slice(None) and not isinstance(items[-1], Value))):
            items = items[:-1]
        for i in items:
            if not isinstance(i, (int, Value)) or (isinstance(i, Value) and (i.shape or i.dtype.is_float)):
                raise CompileError(
                    f"{self.described}: the subscript {describe(i)} is not an integer",
                    hint="A[i] drops leading axes; take parts of the others with init_tile, load_tile and store_tile",
                )
        if len(items) >= self.ndim:
            raise CompileError(
                f"{self.described} has {self.ndim} axes and cannot drop {len(items)}: at least one must be left",
                hint="load an element as a tile: xt.load_tile(xt.init_tile(A, (i, j), (1, 1))).item()",
            )
        if items and self._axes != tuple(sorted(self._axes)) and self.ndim - len(items) < 2:
            raise CompileError(f"{self.described} is transposed and cannot drop its last two axes", hint="drop them before .T")
        fixed = self._fixed + tuple(self._wrapped(i, axis) for axis, i in enumerate(items))
        return self._view(self._axes[len(items) :], fixed)

    def _wrapped(self, i: int | Value, axis: int) -> Size:
        size = self.shape[axis]
        if isinstance(i, Value) or not isinstance(size, int):
            return i + size if isinstance(i, int) and i < 0 else i
        if not -size <= i < size:
            raise TileShapeError(f"{self.described}: index {i} is outside axis {axis} of {size} elements")
        return i % size

    def _view(self, axes: tuple[int, ...], fixed: tuple[Size, ...]) -> Array:
        return Array(self.name, self.base, self.dtype, self._shape, self._strides, space=self.space, axes=axes, fixed=fixed)

    def with_sizes(self, shape: tuple[Size, ...] | None, strides: tuple[Size, ...] | None) -> Array:
        """The same memory with other sizes and strides of the axes that are left."""
        sizes, steps = list(self._shape), list(self._strides)
        for axis, a in enumerate(self._axes):
            sizes[a] = shape[axis] if shape is not None else sizes[a]
            steps[a] = strides[axis] if strides is not None else steps[a]
        return Array(
            self.name, self.base, self.dtype, tuple(sizes), tuple(steps), space=self.space, axes=self._axes, fixed=self._fixed
        )

    def full_offsets(self, offsets: tuple[Size, ...]) -> tuple[Size, ...]:
        """Offsets for all axes of the base, in the view's order of axes: those that `A[i]` fixed come first."""
        return (*self._fixed, *offsets)

    @property
    def full_shape(self) -> tuple[Size, ...]:
        """Sizes of all axes of the base, in the view's order."""
        return tuple(self._shape[a] for a in self._full_axes)

    @property
    def full_strides(self) -> tuple[Size, ...]:
        """Strides of all axes of the base, in the view's order."""
        return tuple(self._strides[a] for a in self._full_axes)

    @property
    def fixed_strides(self) -> tuple[tuple[Size, Size], ...]:
        """What `A[i]` fixed: (offset, stride) for each dropped axis."""
        return tuple(zip(self._fixed, self.full_strides))

    @property
    def _full_axes(self) -> tuple[int, ...]:
        dropped = [a for a in range(len(self._shape)) if a not in self._axes]
        return (*dropped, *self._axes)

    def __repr__(self) -> str:
        return self.described

    def __iter__(self) -> Any:
        raise CompileError(f"cannot loop over {self.described}", hint="for i in range(A.shape[0]): ... A[i] ...")

    def __len__(self) -> int:
        raise CompileError(f"len() of {self.described}", hint="use A.shape[0], which may be known at run time only")


class Handle:
    """What describes memory at run time and may go through loops and branches: tiles, descriptors.

    shape   of the part of memory; dtype: of its elements; array: its name, for messages.
    """

    __slots__ = ("array", "dtype", "ir", "shape")

    def __init__(self, ir: IRValue, dtype: DType, shape: Shape, array: str) -> None:
        self.ir = ir
        self.dtype = dtype
        self.shape = shape
        self.array = array

    @property
    def described(self) -> str:
        """For messages."""
        raise NotImplementedError

    def with_ir(self: HandleT, ir: IRValue) -> HandleT:
        """Another one of the same shape."""
        return type(self)(ir, self.dtype, self.shape, self.array)

    def __repr__(self) -> str:
        return self.described

    def __bool__(self) -> bool:
        raise CompileError(f"{self.described} is neither true nor false")


class Tile(Handle):
    """A part of an array, for load_tile, store_tile and others; scattered ones are for load_gather and store_scatter.

    shape   (M, N), or (N,) for part of an array of rank 1.
    """

    __slots__ = ()

    @property
    def type(self) -> TileType:
        """The type in the IR."""
        assert isinstance(self.ir.type, TileType)
        return self.ir.type

    @property
    def described(self) -> str:
        """For messages: `tile f16[64,32] of A`."""
        return f"tile {self.dtype}[{','.join(map(str, self.shape))}] of {self.array}"
