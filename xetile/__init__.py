"""xetile: tile kernels for Intel GPUs, embedded in Python.

    import xetile as xt

A function decorated with `xt.jit` works on tiles of arrays and is called like a numpy function. On the way to the device:

    frontend    the function's syntax tree becomes XeTile IR at workgroup level        (source, tracer)
    mlir        MLIR text becomes IR of any level instead: XeGPU modules, and all that is printed here
    language    the functions that kernels call; each emits its ops                    (docstrings are the reference)
    dialects    declarations of all ops; ir is the small core under them
    passes      layouts, distribution to subgroups, blocking to hardware sizes, lanes  (order.py has the order, a folder each stage)
    layout      the arithmetic of distribution, the same for wg_map, sg_map and xegpu.layout
    target      every number of the hardware
    estimate    registers, messages and arithmetic of a kernel, counted in the compiler; roofline turns them into time
    runtime     decorator, compiler driver, cache, devices and arrays, autotuning
    ops         a library of functions of arrays, by kernels written as users write theirs
    backends    reference (numpy), spirv (the GPU's binary), opencl (devices), simulator (machine code of Xe GPUs on numpy)

Who may import whom: ir <- dialects <- language <- frontend; passes -> dialects, layout, target, estimate; runtime -> all of these;
backends -> ir, dialects, layout, target and the runtime's interface; no one imports a backend but by its name.

The public names below are imported when they are first used: `import xetile` loads no compiler, and neither does a call whose
kernel is in the cache. Editors and type checkers read the same names in `__init__.pyi`.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

from xetile import tracebacks

__version__ = "0.1.0.dev0"

_HOMES: dict[str, tuple[str, ...]] = {
    "xetile.runtime.jit": ("jit",),
    "xetile.runtime.devices": ("devices", "device"),
    "xetile.runtime.debugging": ("debug",),
    "xetile.runtime.autotune.decorator": ("autotune",),
    "xetile.runtime.autotune.candidates": ("autotune_space", "Config"),
    "xetile.runtime.autotune.ranking": ("rank",),
    "xetile.runtime.aot": ("load",),
    "xetile.runtime.measuring": ("bench",),
    "xetile.runtime.queues": ("Queue", "elapsed"),
    "xetile.runtime.stats": ("stats", "reset_stats"),
    "xetile.dtypes": ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "tf32", "f32", "f64",
                      "f8e4m3", "f8e5m2", "index", "DType"),
    "xetile.language.static": ("constexpr", "static_range"),
    "xetile.language.values": ("Value",),
    "xetile.language.arrays": ("Array", "Tile"),
    "xetile.language.host": ("empty", "zeros", "full", "cdiv"),
    "xetile.language.maps": ("wg_map",),
    "xetile.language.create": ("arange", "program_id", "num_programs", "subgroup_id"),
    "xetile.language.tiles": ("init_tile", "update_tile_offset"),
    "xetile.language.memory": ("load_tile", "store_tile", "prefetch_tile", "alloc_slm"),
    "xetile.language.gather": ("load_gather", "store_scatter", "atomic_rmw_tile"),
    "xetile.language.sync": ("barrier", "fence", "barrier_arrive", "barrier_wait", "alloc_named_barriers", "named_barrier"),
    "xetile.language.matrix": ("tile_mma",),
    "xetile.language.shapes": ("tile_transpose", "tile_broadcast", "tile_conv_layout"),
    "xetile.language.rearrange": ("gather", "roll", "reshape", "concatenate", "join", "split", "interleave", "associative_scan",
                                  "mulhi"),
    "xetile.language.reduce": ("tile_reduce", "argmax", "argmin", "cumsum"),
    "xetile.language.math": ("exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tan", "tanh", "erf", "floor", "ceil", "trunc",
                             "sigmoid", "maximum", "minimum", "fmax", "fmin", "clamp", "fma", "isnan", "isinf", "where",
                             "bitcast", "cast"),
    "xetile.language.debug": ("static_print", "static_assert", "device_print", "device_assert"),
}  # fmt: skip

# Names that would hide Python's own where they are defined.
_RENAMED = {
    "bool": ("xetile.dtypes", "bool_"),
    "abs": ("xetile.language.math", "abs_"),
    "round": ("xetile.language.math", "round_"),
    "sum": ("xetile.language.reduce", "sum_"),
    "max": ("xetile.language.reduce", "max_"),
    "min": ("xetile.language.reduce", "min_"),
    "any": ("xetile.language.reduce", "any_"),
    "all": ("xetile.language.reduce", "all_"),
}

_MODULES = ("xegpu", "joint_matrix", "ops")  # languages of their own (xt.xegpu.load_nd), and the library of kernels

_NAMES: dict[str, tuple[str, str]] = {name: (home, name) for home, names in _HOMES.items() for name in names} | _RENAMED

__all__ = [*_NAMES, *_MODULES]  # noqa: PLE0604 (strings, all of them)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used (PEP 562)."""
    if name in _MODULES:
        return importlib.import_module(f"xetile.{name}")
    place = _NAMES.get(name)
    if place is None:
        hint = None
        if not name.startswith("_") and not _is_module(name):
            hint = importlib.import_module("xetile.frontend.vocabulary").hint_for_module(name)
        raise AttributeError(f"module 'xetile' has no attribute {name!r}{f'; {hint}' if hint else ''}")
    value = getattr(importlib.import_module(place[0]), place[1])
    globals()[name] = value
    return value


def _is_module(name: str) -> bool:
    """Whether a module has that name: `from xetile import errors` asks for the attribute before it imports."""
    place = os.path.join(os.path.dirname(__file__), name)
    return os.path.isdir(place) or os.path.isfile(f"{place}.py")


tracebacks.install()


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
