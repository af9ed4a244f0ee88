"""Arrays of kernels as plain Python: views, tiles, gathers, scatters and atomics, one element as numpy has it after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

Picks = tuple[Any, ...]
"""For each axis of the base one place along it, or an array of places; what lies outside of the base is there, but not in memory."""
UPDATES = {
    "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor, "maxnum": np.maximum, "minnum": np.minimum, "assign": lambda old, new: new,
}  # fmt: skip


class Value(np.ndarray):
    """A tile's elements."""

    def to(self, dtype: Any) -> Value:
        return converted(self, dtype).view(Value)

    def bitcast(self, dtype: Any) -> Value:
        return np.ascontiguousarray(self).view(dtype).view(Value)

    def __iadd__(self, other: Any) -> Any:
        return self + other

    def __isub__(self, other: Any) -> Any:
        return self - other

    def __matmul__(self, other: Any) -> Any:
        return (np.asarray(self, np.float64) @ np.asarray(other, np.float64)).astype(np.float32).view(Value)


def converted(value: np.ndarray, dtype: Any) -> np.ndarray:
    """Floats beyond an integer's range give the nearest integer; integers wrap."""
    kind = np.dtype(dtype)
    if value.dtype.kind not in "iub" and kind.kind in "iu":
        limits, whole = np.iinfo(kind), np.trunc(np.asarray(value, np.float64))
        inside = np.clip(whole, float(limits.min), float(limits.max) * (1 - 2.0**-52))
        return np.where(whole >= float(limits.max), limits.max, inside.astype(kind)).astype(kind)
    return np.asarray(value).astype(kind)


def loaded(elements: np.ndarray) -> Value:
    """Elements of f8 arrive as f16."""
    return (elements.astype(np.float16) if elements.dtype.name.startswith("float8") else elements).view(Value)


class Memory:
    """An array of a kernel, or a view of one: its own axes, in order, are axes of the base."""

    def __init__(self, base: np.ndarray, picks: Picks | None = None, axes: tuple[int, ...] | None = None) -> None:
        self.base = base
        self.picks = tuple(map(np.arange, base.shape)) if picks is None else picks
        self.axes = tuple(range(base.ndim)) if axes is None else axes

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(self.picks[a]) for a in self.axes)

    @property
    def dtype(self) -> Any:
        return self.base.dtype

    @property
    def T(self) -> Memory:
        return Memory(self.base, self.picks, (*self.axes[:-2], self.axes[-1], self.axes[-2]))

    def stride(self, axis: int) -> int:
        return int(self.base.strides[self.axes[axis]]) // self.base.itemsize

    def part(self, index: Any) -> Memory:
        items, picks, axes = index if isinstance(index, tuple) else (index,), list(self.picks), list(self.axes)
        for axis, item in zip(self.axes, items):
            count = len(picks[axis])
            if isinstance(item, slice):
                begin, end = 0 if item.start is None else int(item.start), count if item.stop is None else int(item.stop)
                picks[axis] = _along(picks[axis], np.arange(begin, end, item.step or 1))
            else:
                number = int(item) + (count if item < 0 else 0)
                picks[axis] = int(_along(picks[axis], np.array(number)))
                axes.remove(axis)
        return Memory(self.base, tuple(picks), tuple(axes))

    def __getitem__(self, index: Any) -> Any:
        found = self.part(index)
        return found if found.axes else found.base[found.picks].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self.part(index).tile.store(value)

    def __add__(self, other: Any) -> Any:
        return self.tile.load() + other

    def __sub__(self, other: Any) -> Any:
        return self.tile.load() - other

    def __mul__(self, other: Any) -> Any:
        return self.tile.load() * other

    def __xor__(self, other: Any) -> Any:
        return self.tile.load() ^ other

    @property
    def tile(self) -> Tile:
        """All of it."""
        return Tile(self, (0,) * len(self.axes), self.shape)


def _along(picks: Any, numbers: np.ndarray) -> Any:
    """Places of the numbers along an axis of a view, also of those before its first and behind its last."""
    step = picks[1] - picks[0] if len(picks) > 1 else 1
    return picks[0] + numbers * step if len(picks) else numbers


class Tile:
    """A window of an array, at `offsets` of its elements."""

    def __init__(self, array: Memory, offsets: Any, shape: tuple[int, ...]) -> None:
        self.array, self.shape = array, shape
        self.offsets = tuple(int(o) for o in (offsets if isinstance(offsets, tuple) else (offsets,)))
        assert len(self.offsets) == len(array.axes)

    def moved(self, by: Any) -> Tile:
        deltas = (by if isinstance(by, tuple) else (by,))[-len(self.offsets) :]
        return Tile(self.array, tuple(o + int(d) for o, d in zip(self.offsets, deltas)), self.shape)

    def places(self) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """Indices into the base for each element, and which of these are inside, of the view as of the base."""
        extents = self.shape if len(self.shape) == len(self.offsets) else (int(np.prod(self.shape)),)
        index: list[Any] = list(self.array.picks)
        inside = np.ones(extents, bool)
        for number, (axis, offset, extent) in enumerate(zip(self.array.axes, self.offsets, extents)):
            picks, wanted = self.array.picks[axis], np.arange(offset, offset + extent)
            held = (wanted >= 0) & (wanted < len(picks))
            turned = tuple(-1 if n == number else 1 for n in range(len(extents)))
            index[axis] = np.where(held, np.take(picks, np.clip(wanted, 0, len(picks) - 1)), -1).reshape(turned)
        for axis, (places, size) in enumerate(zip(index, self.array.base.shape)):
            inside = inside & (np.asarray(places) >= 0) & (np.asarray(places) < size)
            index[axis] = np.broadcast_to(np.clip(places, 0, size - 1), extents).reshape(self.shape)
        return tuple(index), inside.reshape(self.shape)

    def load(self, padding: Any = 0) -> Value:
        index, inside = self.places()
        return loaded(np.where(inside, self.array.base[index], np.array(padding).astype(self.array.dtype)))

    def store(self, value: Any) -> None:
        index, inside = self.places()
        self.array.base[tuple(i[inside] for i in index)] = np.broadcast_to(value, self.shape)[inside]

    def update(self, kind: str, value: Any, mask: Any = None) -> Value:
        old, _ = self.load(), mask
        self.store(UPDATES[kind](old, np.broadcast_to(value, self.shape).astype(self.array.dtype)))
        return old


class Places:
    """The elements of an array so far behind its first."""

    def __init__(self, array: Memory, offsets: Any) -> None:
        self.array = array
        self.offsets, self.shape = np.asarray(offsets, np.int64), np.shape(offsets)
        first = [p if np.ndim(p) == 0 else p[0] if len(p) else 0 for p in array.picks]
        self.flat = array.base.reshape(-1)
        self.first = sum(int(p) * s for p, s in zip(first, array.base.strides)) // array.base.itemsize

    def moved(self, by: Any) -> Places:
        return Places(self.array, self.offsets + np.asarray(by))

    def load(self, mask: Any = None, padding: Any = 0) -> Value:
        chosen = np.broadcast_to(True if mask is None else mask, self.shape)
        found = self.flat[np.where(chosen, self.first + self.offsets, 0)]
        return loaded(np.where(chosen, found, np.array(padding).astype(self.array.dtype)))

    def store(self, value: Any, mask: Any = None) -> None:
        chosen = np.broadcast_to(True if mask is None else mask, self.shape)
        self.flat[(self.first + self.offsets)[chosen]] = np.broadcast_to(value, self.shape)[chosen]

    def update(self, kind: str, value: Any, mask: Any = None) -> Value:
        chosen = np.broadcast_to(True if mask is None else mask, self.shape)
        old = self.load(mask)
        values = np.broadcast_to(value, self.shape).astype(self.array.dtype)
        for place, new in zip((self.first + self.offsets)[chosen], values[chosen]):
            self.flat[place] = UPDATES[kind](self.flat[place], new)
        return old


def init_tile(
    array: Memory, offsets: Any, shape: Any = None, base_shape: Any = None, base_strides: Any = None, **options: Any
) -> Tile | Places:
    """`base_strides` are multiples of the array's own."""
    if base_shape is not None:
        steps = [int(stride) // array.stride(axis) for axis, stride in enumerate(base_strides)]
        picks = [np.arange(int(size)) * step for size, step in zip(base_shape, steps)]
        array = Memory(array.base, tuple(picks[axis] for axis in np.argsort(array.axes)), array.axes)
    return Places(array, offsets) if shape is None else Tile(array, offsets, shape)


def load_tile(tile: Tile | Memory, padding: Any = 0, **hints: Any) -> Value:
    return (tile.tile if isinstance(tile, Memory) else tile).load(padding)


def store_tile(value: Any, tile: Tile | Memory) -> None:
    (tile.tile if isinstance(tile, Memory) else tile).store(value)
