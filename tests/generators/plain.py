"""Kernels as plain Python: the names of `xt` on numpy arrays, one program after the other. What a kernel means, told a second time.

It knows small whole numbers only: no rounding, no wrapping. `run` executes a kernel's source with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np

DTYPES = {
    "f16": np.float16, "f32": np.float32, "bf16": ml_dtypes.bfloat16, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "i32": np.int32,
    "i64": np.int64,
}  # fmt: skip


class Value(np.ndarray):
    """A tile's elements."""

    def to(self, dtype: Any) -> Value:
        return self.astype(dtype)

    def __iadd__(self, other: Any) -> Any:
        return self + other

    def __isub__(self, other: Any) -> Any:
        return self - other

    def __matmul__(self, other: Any) -> Any:
        return (np.asarray(self, np.float64) @ np.asarray(other, np.float64)).astype(np.float32).view(Value)


class Tile:
    """A window of an array, at `offsets` of its elements."""

    def __init__(self, base: np.ndarray, offsets: Any, shape: tuple[int, ...]) -> None:
        self.base, self.shape = base, shape
        self.offsets = tuple(int(o) for o in (offsets if isinstance(offsets, tuple) else (offsets,)))

    def inside(self) -> tuple[Any, Any]:
        """The part of the array, and of the tile, that both have."""
        begins = [max(0, o) for o in self.offsets]
        ends = [max(b, min(n, o + s)) for b, n, o, s in zip(begins, self.base.shape, self.offsets, self.shape)]
        here = tuple(slice(b, e) for b, e in zip(begins, ends))
        return here, tuple(slice(b - o, e - o) for b, e, o in zip(begins, ends, self.offsets))


class Places:
    """The elements of an array of one axis at some places."""

    def __init__(self, base: np.ndarray, places: Value) -> None:
        self.base, self.places = base, np.asarray(places)


def init_tile(base: np.ndarray, offsets: Any, shape: Any = None) -> Tile | Places:
    return Places(base, offsets) if shape is None else Tile(base, offsets, shape)


def load_tile(tile: Tile, padding: Any = 0) -> Value:
    value = np.full(tile.shape, padding, tile.base.dtype)
    here, there = tile.inside()
    value[there] = tile.base[here]
    return value.view(Value)


def store_tile(value: Any, tile: Tile) -> None:
    here, there = tile.inside()
    tile.base[here] = np.broadcast_to(value, tile.shape)[there]


def atomic_rmw_tile(kind: str, value: Any, tile: Tile) -> None:
    assert kind == "add"
    here, there = tile.inside()
    tile.base[here] += np.broadcast_to(value, tile.shape)[there]


def tile_mma(a: Value, b: Value, acc: Any = 0) -> Any:
    return a @ b + acc


def cast(value: Any, dtype: Any) -> Any:
    return value.astype(dtype) if isinstance(value, np.ndarray) and value.ndim else np.dtype(dtype).type(int(value)).item()


def _reduced(function: Any) -> Any:
    def reduce(value: Any, axis: int | None = None, keepdims: bool = True) -> Any:
        if axis is None:
            return function(value).item()
        return np.asarray(function(value, axis=axis, keepdims=keepdims)).astype(value.dtype).view(Value)

    return reduce


def _places_of(function: Any) -> Any:
    return lambda value, axis: np.asarray(function(value, axis=axis, keepdims=True)).astype(np.int32).view(Value)


def names(program: tuple[int, int, int], grid: tuple[int, int, int]) -> SimpleNamespace:
    """`xt` for one program of a grid (x, y, z)."""
    return SimpleNamespace(
        **DTYPES,
        jit=lambda function: function,
        program_id=lambda axis: program[axis],
        num_programs=lambda axis: grid[axis],
        static_range=range,
        init_tile=init_tile,
        load_gather=lambda tile: tile.base[tile.places].view(Value),
        load_tile=load_tile,
        store_tile=store_tile,
        prefetch_tile=lambda tile: None,
        update_tile_offset=lambda tile, by: Tile(tile.base, tuple(o + int(d) for o, d in zip(tile.offsets, by)), tile.shape),
        atomic_rmw_tile=atomic_rmw_tile,
        zeros=lambda shape, dtype: np.zeros(shape, dtype).view(Value),
        full=lambda shape, number, dtype: np.full(shape, number, dtype).view(Value),
        arange=lambda n: np.arange(n).view(Value),
        tile_mma=tile_mma,
        cast=cast,
        where=lambda mask, a, b: (
            np.where(mask, a, b).astype(np.result_type(a, b) if isinstance(b, np.ndarray) else a.dtype).view(Value)
        ),
        maximum=lambda a, b: np.maximum(a, b).view(Value) if isinstance(a, np.ndarray) else max(a, b),
        minimum=lambda a, b: np.minimum(a, b).view(Value) if isinstance(a, np.ndarray) else min(a, b),
        clamp=lambda value, low, high: np.clip(value, low, high) if isinstance(value, np.ndarray) else min(max(value, low), high),
        abs=abs,
        sum=_reduced(np.sum),
        max=_reduced(np.max),
        min=_reduced(np.min),
        any=_reduced(np.any),
        all=_reduced(np.all),
        argmax=_places_of(np.argmax),
        argmin=_places_of(np.argmin),
        concatenate=lambda values, axis: np.concatenate(values, axis).view(Value),
        reshape=lambda value, shape: np.reshape(value, shape).view(Value),
        roll=lambda value, shift, axis: np.roll(value, int(shift), axis).view(Value),
        gather=lambda value, index, axis: np.take_along_axis(np.asarray(value), np.asarray(index), axis).view(Value),
        interleave=lambda a, b: np.stack((a, b), -1).reshape(*a.shape[:-1], -1).view(Value),
        cumsum=lambda value, axis: np.cumsum(value, axis=axis).astype(value.dtype).view(Value),
    )


def run(source: str, kernel: str, grid: Sequence[int], values: dict[str, Any]) -> None:
    """Execute the kernel of a source text for all programs, in place."""
    x, y, z = (*grid, 1, 1, 1)[:3]
    code = compile(source, "<plain>", "exec")
    for k, j, i in product(range(z), range(y), range(x)):
        scope: dict[str, Any] = {"xt": names((i, j, k), (x, y, z))}
        exec(code, scope)
        scope[kernel](**values)
