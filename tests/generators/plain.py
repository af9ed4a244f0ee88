"""Kernels as plain Python: the names of `xt` on numpy arrays, one program after the other. What a kernel means, told a second time.

It knows whole numbers: integers wrap, floats are so small that nothing rounds. `run` executes a kernel's source with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np

from tests.generators.plain_arrays import Memory, Value, converted, init_tile, load_tile, store_tile

DTYPES = {
    "bool": np.bool_, "f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "i8": np.int8, "u8": np.uint8,
    "tf32": np.float32, "f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2,
    "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64,
}  # fmt: skip
REDUCTIONS = {
    "add": np.sum, "mul": np.prod, "max": np.max, "min": np.min, "maxnum": np.max, "minnum": np.min, "and": np.bitwise_and.reduce,
    "or": np.bitwise_or.reduce, "xor": np.bitwise_xor.reduce,
}  # fmt: skip


def tile_mma(a: Value, b: Value, acc: Any = 0, **options: Any) -> Any:
    return a @ b + acc


def cast(value: Any, dtype: Any) -> Any:
    if isinstance(value, np.ndarray) and value.ndim:
        return converted(value, dtype).view(Value)
    return converted(np.asarray(value), dtype).item()


def _summed(kind: np.dtype) -> Any:
    """The type of sums: masks and narrow integers are summed in 32 bits."""
    if kind == np.bool_ or (kind.kind in "iu" and kind.itemsize < 4):
        return np.uint32 if kind.kind == "u" else np.int32
    return kind


def _reduced(function: Any) -> Any:
    def reduce(value: Any, axis: int | None = None, keepdims: bool = True) -> Any:
        if axis is None:
            return function(value).item()
        given = _summed(value.dtype) if function is np.sum else value.dtype
        return np.asarray(function(value, axis=axis, keepdims=keepdims)).astype(given).view(Value)

    return reduce


def _places_of(function: Any) -> Any:
    def find(value: Any, axis: int | None = None, keepdims: bool = True) -> Any:
        if axis is None:
            return int(function(value))
        return np.asarray(function(value, axis=axis, keepdims=keepdims)).astype(np.int32).view(Value)

    return find


def tile_reduce(kind: str, value: Value, axis: int, **options: Any) -> Value:
    return np.asarray(REDUCTIONS[kind](np.asarray(value), axis=axis, keepdims=True)).astype(value.dtype).view(Value)


def cumsum(value: Value, axis: int) -> Value:
    return np.cumsum(value, axis=axis).astype(_summed(value.dtype)).view(Value)


def associative_scan(combine: Any, value: Any, axis: int, reverse: bool = False) -> Any:
    """One element after the other."""
    parts = [np.flip(part, axis) if reverse else part for part in (value if isinstance(value, tuple) else (value,))]
    rows: list[list[Any]] = []
    for i in range(parts[0].shape[axis]):
        new = [np.take(part, [i], axis).view(Value) for part in parts]
        if rows and isinstance(value, tuple):
            new = list(combine(tuple(rows[-1]), tuple(new)))
        elif rows:
            new = [combine(rows[-1][0], new[0])]
        rows.append(new)
    whole = [np.concatenate(column, axis) for column in zip(*rows)]
    found = tuple((np.flip(part, axis) if reverse else part).view(Value) for part in whole)
    return found if isinstance(value, tuple) else found[0]


def mulhi(a: Value, b: Value) -> Value:
    wide = np.asarray(a, object) * np.asarray(b, object) // (1 << 8 * a.dtype.itemsize)
    return wide.astype(a.dtype).view(Value)


def names(program: tuple[int, int, int], grid: tuple[int, int, int]) -> SimpleNamespace:
    """`xt` for one program of a grid (x, y, z)."""
    return SimpleNamespace(
        **DTYPES,
        jit=lambda function=None, **options: function or (lambda function: function),
        program_id=lambda axis: program[axis],
        num_programs=lambda axis: grid[axis],
        static_range=range,
        init_tile=init_tile,
        load_gather=lambda tile, mask=None, padding=0: tile.load(mask, padding),
        store_scatter=lambda value, tile, mask=None: tile.store(value, mask),
        load_tile=load_tile,
        store_tile=store_tile,
        prefetch_tile=lambda tile: None,
        update_tile_offset=lambda tile, by: tile.moved(by),
        atomic_rmw_tile=lambda kind, value, tile, mask=None: tile.update(kind, value, mask),
        alloc_slm=lambda shape, dtype: Memory(np.zeros(shape, dtype)),
        **dict.fromkeys(("barrier", "barrier_arrive", "barrier_wait", "fence", "device_assert"), lambda *given: None),
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
        cumsum=cumsum,
        tile_reduce=tile_reduce,
        associative_scan=associative_scan,
        mulhi=mulhi,
        tile_transpose=lambda value, permutation=(1, 0), **options: value.T,
        tile_broadcast=lambda value, shape, **options: np.broadcast_to(value, shape).view(Value),
        tile_conv_layout=lambda value, *maps: value,
        wg_map=lambda *given: None,
        join=lambda a, b: np.stack((a, b), 1).view(Value),
        split=lambda value: (value[:, 0], value[:, 1]),
        cdiv=lambda a, b: -(-a // b),
    )


def run(source: str, kernel: str, grid: Sequence[int], values: dict[str, Any]) -> None:
    """Execute the kernel of a source text for all programs, in place."""
    x, y, z = (*grid, 1, 1, 1)[:3]
    code = compile(source, "<plain>", "exec")
    arrays = {name: Memory(value) if isinstance(value, np.ndarray) else value for name, value in values.items()}
    for k, j, i in product(range(z), range(y), range(x)):
        scope: dict[str, Any] = {"xt": names((i, j, k), (x, y, z))}
        exec(code, scope)
        scope[kernel](**arrays)
