"""Arrays: what a kernel is called on, and tiles, the parts of them that it loads and stores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from xetile.dialects.xetile import TileType
from xetile.dtypes import DType
from xetile.errors import CompileError, TileShapeError, counted
from xetile.ir.core import Value as IRValue
from xetile.language.axes import Axis, Size, is_unit
from xetile.language.containers import Items
from xetile.language.extents import as_index, counted_from_the_start, distance, is_never_negative
from xetile.language.values import OPERATORS, Shape, Value, describe, is_integer

HandleT = TypeVar("HandleT", bound="Handle")

_NO_PLACE = "whole numbers are divided by //, and .to(xt.i32) makes one of any other"


class Array:
    """An array in memory as a kernel sees it. Tiles describe its last two axes.

    `A[i]`, `A[i, :, j]` drop axes; `A[begin:end]`, `A[0:64, n:n + 64]` are parts of it, at the end of which tiles end, too; a part
    of constant size is a tile's place: `xt.load_tile(A[m:m + 64, 0:32])`. `A[i, j]` is an element, read at once. What is
    assigned to an element or to a part of constant size is stored: `A[i, j] = x`, `A[m:m + 64, 0:32] = tile`. `A.T` swaps the last
    two axes.

    shape     sizes of the axes: ints where the signature fixes them, index values otherwise.
    dtype     element type.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((X.shape[0], 4), X.dtype)}, grid=lambda X: X.shape[0])
        def example(X: xt.Array, Columns: xt.Array, Y: xt.Array):
            i = xt.program_id(0)
            column = Columns[i]
            Y[i, 0:4] = xt.load_tile(X[i, column : column + 4])

        print(example(np.arange(16, dtype=np.float32).reshape(2, 8), np.int32([1, 6])))

    Prints:
        [[ 1.  2.  3.  4.]
         [14. 15.  0.  0.]]
    """

    __slots__ = ("_axes", "_order", "base", "dtype", "name", "space")

    def __init__(self, name: str, base: IRValue, dtype: DType, shape: tuple[Size, ...], strides: tuple[Size, ...], *,
                 space: int = 0) -> None:  # fmt: skip
        self.name = name
        self.base = base
        self.dtype = dtype
        self.space = space
        self._axes = tuple(Axis(size, stride) for size, stride in zip(shape, strides))
        self._order = tuple(range(len(shape)))

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The view's axes."""
        return tuple(self._axes[a] for a in self._order)

    @property
    def shape(self) -> tuple[Size, ...]:
        """Sizes of the axes, as ints where they are known."""
        return tuple(axis.length for axis in self.axes)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._order)

    @property
    def order_of_axes(self) -> tuple[int, ...]:
        """Which axes of the array the view's are."""
        return self._order

    @property
    def described(self) -> str:
        """For messages: `A: f16[?,?]`."""
        sizes = (axis.extent if axis.extent is not None else axis.size for axis in self.axes)
        return f"{self.name}: {self.dtype}[{','.join(str(n) if isinstance(n, int) else '?' for n in sizes)}]"

    def stride(self, axis: int) -> Size:
        """Elements between neighbours along an axis; raises TileShapeError for an axis that the array lacks."""
        if not isinstance(axis, int) or not -self.ndim <= axis < self.ndim:
            raise TileShapeError(f"{self.described} has no axis {axis!r}")
        found = self.axes[axis]
        return found.stride if found.step == 1 else found.stride * found.step

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
        return self._view(self._axes, (*self._order[:-2], self._order[-1], self._order[-2]))

    def __getitem__(self, index: Any) -> Any:
        """A view that drops axes (integers) and takes parts of others (slices); an element where no axis is left.

        Integers lie inside the array's bounds; those below 0 count from the end, as numpy's do. Raises CompileError, TileShapeError.
        """
        view = self._part_at(index)
        return view if view.ndim else OPERATORS["element"](view)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Store to an element, or to a part of constant size; what plain functions that kernels call do, and type checkers see.

        Raises CompileError, TileShapeError, DtypeError.
        """
        OPERATORS["store"](value, self.assigned(index))

    def assigned(self, index: Any) -> Array:
        """What `A[index] = value` writes: a view of the array, of shape (1,) where that is one element.

        Raises CompileError, TileShapeError.
        """
        view = self._part_at(index)
        return view if view.ndim else view.as_element

    def _part_at(self, index: Any) -> Array:
        items = index if isinstance(index, tuple) and not isinstance(index, Items) else (index,)
        if len(items) - sum(item is Ellipsis for item in items) > self.ndim:
            fits = ", ".join((*"i" * (self.ndim - 2), "m:m + 64", "0:32")[: max(1, self.ndim)])
            raise CompileError(
                f"{self.described} has {counted(self.ndim, 'axis')}, the subscript has {len(items)}",
                hint=f"one for each axis, {self.name}[{fits}], or pass an array of rank {len(items)}"
                if self.ndim
                else f"{self.name}[()] is its one element",
            )
        if Ellipsis in [item if item is Ellipsis else None for item in items]:
            place = next(i for i, item in enumerate(items) if item is Ellipsis)
            items = (*items[:place], *(slice(None),) * (self.ndim - len(items) + 1), *items[place + 1 :])
        axes = list(self._axes)
        for number, item in enumerate(items):
            axes[self._order[number]] = self._part(number, item)
        return self._view(tuple(axes), tuple(a for a in self._order if not axes[a].dropped))

    def _part(self, number: int, item: Any) -> Axis:
        axis = self.axes[number]
        if isinstance(item, slice):
            return self._slice(number, *(_integer(part) for part in (item.start, item.stop, item.step)))
        i = _integer(item)
        if not is_integer(i):
            raise CompileError(
                f"{self.described}: the subscript {describe(item)} is not an integer or a slice",
                hint=_NO_PLACE
                if isinstance(item, float) or (isinstance(item, Value) and not item.shape)
                else "a row of numbers makes a scattered tile, xt.init_tile(A, offsets), for xt.load_gather and xt.store_scatter",
            )
        size = axis.length
        if isinstance(i, int) and isinstance(size, int) and not -size <= i < size:
            raise TileShapeError(f"{self.described}: index {i} is outside axis {number} of {counted(size, 'element')}",
                                 hint=f"from {-size} to {size - 1}")  # fmt: skip
        place = _product(counted_from_the_start(as_index(i), size), axis.step)
        return replace(axis, start=_sum(axis.start, place), extent=1, dropped=True, chosen=True, end=None)

    def _slice(self, number: int, start: Any, stop: Any, step: Any) -> Axis:
        if start is None and stop is None and step is None:
            return self.axes[number]
        axis = self.axes[number].as_whole
        for part in (start, stop, step):
            if part is not None and not is_integer(part):
                hint = _NO_PLACE if isinstance(part, (float, Value)) else None
                raise CompileError(f"{self.described}: a bound of the slice is {describe(part)}, not an integer", hint=hint)
        step = 1 if step is None else step
        if not isinstance(step, int) or step < 1:
            raise CompileError(
                f"{self.described}: the step of a slice is {describe(step)}",
                hint="a positive constant; a loaded value may be reversed: x[::-1]",
            )
        begin: Any = 0 if start is None else start
        end: Any = axis.extent if stop is None else stop
        begin, end = (axis.length + n if isinstance(n, int) and n < 0 else n for n in (begin, end))
        self._check_begin(number, begin)
        extent = None if end is None else distance(end, begin)
        if extent is None and (step != 1 or isinstance(begin, Value)):
            left = distance(axis.length, begin)
            extent = left if step != 1 or isinstance(left, int) else None
        if isinstance(extent, int) and extent < 1:
            raise TileShapeError(f"{self.described}: the slice of axis {number} has no elements")
        if extent is not None and step != 1:
            extent = -(-extent // step) if isinstance(extent, int) else (extent + (step - 1)) // step
        start = _sum(axis.start, _product(as_index(begin), axis.step))
        # The given end, not start + (end - start): that is an index of more bits where these come from memory.
        stop = _sum(axis.start, as_index(end)) if extent is not None and axis.step * step == 1 and end is not None else None
        return replace(axis, start=start, step=axis.step * step, extent=extent, end=stop)

    def _check_begin(self, number: int, begin: Size) -> None:
        """A part of a part must not come before that: elements of the array lie there, which are none of its own."""
        if self.axes[number].begins and not is_never_negative(begin):
            raise CompileError(
                f"{self.described}: the slice of axis {number} may begin before this part of {self.name} does",
                hint="count from 0 upwards, or take xt.maximum(begin, 0)",
            )

    def _view(self, axes: tuple[Axis, ...], order: tuple[int, ...]) -> Array:
        view = Array(self.name, self.base, self.dtype, (), (), space=self.space)
        view._axes, view._order = axes, order
        return view

    def with_sizes(self, shape: tuple[Size, ...] | None, strides: tuple[Size, ...] | None) -> Array:
        """The same memory with other sizes and strides of the axes that are left."""
        axes = list(self._axes)
        for number, a in enumerate(self._order):
            size = axes[a].size if shape is None else _sum(axes[a].start, shape[number])
            stride = axes[a].stride if strides is None else strides[number]
            axes[a] = replace(axes[a], size=size, stride=stride, extent=axes[a].extent if shape is None else None,
                              end=axes[a].end if shape is None else None)  # fmt: skip
        return self._view(tuple(axes), self._order)

    def full_offsets(self, offsets: tuple[Size, ...]) -> tuple[Size, ...]:
        """Offsets for all axes of the base, in the view's order of axes: those that it lacks come first."""
        dropped = tuple(axis.start for axis in self._axes if axis.dropped)
        return (*dropped, *(_sum(axis.place, offset) for axis, offset in zip(self.axes, offsets)))

    @property
    def full_shape(self) -> tuple[Size, ...]:
        """Sizes of all axes of the base, in the view's order, as far as the view reaches."""
        return (*(axis.size for axis in self._axes if axis.dropped), *(axis.limit for axis in self.axes))

    @property
    def full_strides(self) -> tuple[Size, ...]:
        """Strides of all axes of the base, in the view's order."""
        return (*(axis.stride for axis in self._axes if axis.dropped), *(axis.stride for axis in self.axes))

    @property
    def full_chosen(self) -> tuple[int, ...]:
        """For all axes of the base, in the view's order: the axis' number where a subscript chose one element of it, else -1."""
        axes = (*(a for a, axis in enumerate(self._axes) if axis.dropped), *self._order)
        return tuple(a if self._axes[a].chosen else -1 for a in axes)

    @property
    def fixed_strides(self) -> tuple[tuple[Size, Size], ...]:
        """Where the view starts: (offset, stride) for each axis of the base along which that is not 0."""
        return tuple((a.start, a.stride) for a in self._axes if not (isinstance(a.start, int) and a.start == 0))

    @property
    def unlimited(self) -> Array:
        """The view without an end of its own: it reaches to the end of the array."""
        return self._view(tuple(a if a.dropped else replace(a, extent=None, end=None) for a in self._axes), self._order)

    @property
    def side_by_side(self) -> Array:
        """The view with all elements that lie between its own."""
        return self._view(tuple(a if a.dropped else replace(a, step=1) for a in self._axes), self._order)

    @property
    def as_element(self) -> Array:
        """The view of an element, which has lost all axes, with the contiguous axis again."""
        axis = next((a for a in reversed(range(len(self._axes))) if is_unit(self._axes[a].stride)), len(self._axes) - 1)
        axes = tuple(replace(each, dropped=False) if a == axis else each for a, each in enumerate(self._axes))
        return self._view(axes, (axis,))

    @property
    def as_column(self) -> Array | None:
        """A view of one axis whose neighbours lie apart, with the contiguous axis that it drops behind it again; None for others."""
        number = next((a for a, each in enumerate(self._axes) if each.dropped and is_unit(each.stride)), None)
        if self.ndim != 1 or number is None or self.axes[0].step != 1:
            return None
        axes = (replace(each, dropped=False, extent=None, end=None) if a == number else each for a, each in enumerate(self._axes))
        return self._view(tuple(axes), (*self._order, number))

    @property
    def without_axes(self) -> Array:
        """The view of its first element alone: what an array that has no axes is in the kernel."""
        return self._part_at((0,) * self.ndim)

    @property
    def is_whole(self) -> bool:
        """Whether the view is all of the array, but for the order of its axes."""
        return all(not axis.dropped and axis.extent is None and not self.fixed_strides for axis in self._axes)

    @property
    def parts(self) -> tuple[Any, ...]:
        """All that makes the view what it is."""
        fields = ((a.size, a.stride, a.start, a.extent, a.step, a.dropped, a.end) for a in self._axes)
        return (self.base, *self._order, *(x for each in fields for x in each))

    def __repr__(self) -> str:
        return self.described

    def __iter__(self) -> Any:
        raise CompileError(f"cannot loop over {self.described}", hint="for i in range(A.shape[0]): ... A[i] ...")

    def __len__(self) -> int:
        raise CompileError(f"len() of {self.described}", hint="use A.shape[0], which may be known at run time only")


def _integer(item: Any) -> Any:
    """numpy's integers as Python's."""
    return item.item() if not isinstance(item, Value) and getattr(item, "shape", None) == () and hasattr(item, "item") else item


def _sum(a: Size, b: Size) -> Size:
    if isinstance(a, int) and a == 0:
        return b
    return a if isinstance(b, int) and b == 0 else a + b


def _product(a: Size, factor: int) -> Size:
    return a if factor == 1 else a * factor


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

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)
        def example(X, Y):
            place: xt.Tile = xt.init_tile(X, (0, 0), (2, 4))
            xt.store_tile(xt.load_tile(place) + 1, xt.init_tile(Y, (0, 0), place.shape))

        print(example(np.zeros((2, 4), np.float32)))

    Prints:
        [[1. 1. 1. 1.]
         [1. 1. 1. 1.]]
    """

    __slots__ = ("begins",)

    def __init__(self, ir: IRValue, dtype: DType, shape: Shape, array: str, begins: bool = False) -> None:
        super().__init__(ir, dtype, shape, array)
        self.begins = begins  # in a part of an array that has a beginning, before which the tile must not come

    def with_ir(self, ir: IRValue) -> Tile:
        """Another one of the same shape."""
        return Tile(ir, self.dtype, self.shape, self.array, self.begins)

    @property
    def type(self) -> TileType:
        """The type in the IR."""
        assert isinstance(self.ir.type, TileType)
        return self.ir.type

    @property
    def described(self) -> str:
        """For messages: `tile f16[64,32] of A`."""
        return f"tile {self.dtype}[{','.join(map(str, self.shape))}] of {self.array}"
