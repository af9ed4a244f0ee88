"""The public names for editors and type checkers; the same as in `__init__.py`, which imports each when it is first used."""

from xetile import joint_matrix as joint_matrix
from xetile import ops as ops
from xetile import xegpu as xegpu
from xetile.dtypes import DType, bf16, f8e4m3, f8e5m2, f16, f32, f64, i8, i16, i32, i64, index, tf32, u8, u16, u32, u64
from xetile.dtypes import bool_ as bool
from xetile.language.arrays import Array, Tile
from xetile.language.create import arange, num_programs, program_id, subgroup_id
from xetile.language.debug import device_assert, device_print, static_assert, static_print
from xetile.language.gather import atomic_rmw_tile, load_gather, store_scatter
from xetile.language.host import cdiv, empty, full, zeros
from xetile.language.maps import wg_map
from xetile.language.math import abs_ as abs
from xetile.language.math import (
    bitcast,
    cast,
    ceil,
    clamp,
    cos,
    erf,
    exp,
    exp2,
    floor,
    fma,
    fmax,
    fmin,
    isinf,
    isnan,
    log,
    log2,
    maximum,
    minimum,
    rsqrt,
    sigmoid,
    sin,
    sqrt,
    tan,
    tanh,
    trunc,
    where,
)
from xetile.language.math import round_ as round
from xetile.language.matrix import tile_mma
from xetile.language.memory import alloc_slm, load_tile, prefetch_tile, store_tile
from xetile.language.rearrange import associative_scan, concatenate, gather, interleave, join, mulhi, reshape, roll, split
from xetile.language.reduce import all_ as all
from xetile.language.reduce import any_ as any
from xetile.language.reduce import argmax, argmin, cumsum, tile_reduce
from xetile.language.reduce import max_ as max
from xetile.language.reduce import min_ as min
from xetile.language.reduce import sum_ as sum
from xetile.language.shapes import tile_broadcast, tile_conv_layout, tile_transpose
from xetile.language.static import constexpr, static_range
from xetile.language.sync import alloc_named_barriers, barrier, barrier_arrive, barrier_wait, fence, named_barrier
from xetile.language.tiles import init_tile, update_tile_offset
from xetile.language.values import Value
from xetile.runtime.aot import load
from xetile.runtime.autotune.candidates import Config, autotune_space
from xetile.runtime.autotune.decorator import autotune
from xetile.runtime.autotune.ranking import rank
from xetile.runtime.debugging import debug
from xetile.runtime.devices import device, devices
from xetile.runtime.jit import jit
from xetile.runtime.measuring import bench
from xetile.runtime.queues import Queue, elapsed
from xetile.runtime.stats import reset_stats, stats

__version__: str

__all__ = [
    "Array",
    "Config",
    "DType",
    "Queue",
    "Tile",
    "Value",
    "abs",
    "all",
    "alloc_named_barriers",
    "alloc_slm",
    "any",
    "arange",
    "argmax",
    "argmin",
    "associative_scan",
    "atomic_rmw_tile",
    "autotune",
    "autotune_space",
    "barrier",
    "barrier_arrive",
    "barrier_wait",
    "bench",
    "bf16",
    "bitcast",
    "bool",
    "cast",
    "cdiv",
    "ceil",
    "clamp",
    "concatenate",
    "constexpr",
    "cos",
    "cumsum",
    "debug",
    "device",
    "device_assert",
    "device_print",
    "devices",
    "elapsed",
    "empty",
    "erf",
    "exp",
    "exp2",
    "f8e4m3",
    "f8e5m2",
    "f16",
    "f32",
    "f64",
    "fence",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "full",
    "gather",
    "i8",
    "i16",
    "i32",
    "i64",
    "index",
    "init_tile",
    "interleave",
    "isinf",
    "isnan",
    "jit",
    "join",
    "joint_matrix",
    "load",
    "load_gather",
    "load_tile",
    "log",
    "log2",
    "max",
    "maximum",
    "min",
    "minimum",
    "mulhi",
    "named_barrier",
    "num_programs",
    "ops",
    "prefetch_tile",
    "program_id",
    "rank",
    "reset_stats",
    "reshape",
    "roll",
    "round",
    "rsqrt",
    "sigmoid",
    "sin",
    "split",
    "sqrt",
    "static_assert",
    "static_print",
    "static_range",
    "stats",
    "store_scatter",
    "store_tile",
    "subgroup_id",
    "sum",
    "tan",
    "tanh",
    "tf32",
    "tile_broadcast",
    "tile_conv_layout",
    "tile_mma",
    "tile_reduce",
    "tile_transpose",
    "trunc",
    "u8",
    "u16",
    "u32",
    "u64",
    "update_tile_offset",
    "wg_map",
    "where",
    "xegpu",
    "zeros",
]
