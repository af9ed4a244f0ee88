"""Kernels in other processes: what travels is where the kernel is defined, not its code.

A worker imports the module and takes the kernel from it.  A kernel of a script (`__main__`) is found again by the script's file,
which the worker loads once under another name, as multiprocessing does; so scripts guard their work by `__name__ == "__main__"`.
A kernel made within a function travels by its parts, for picklers that can take functions (cloudpickle: Dask, Ray).
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Any

from xetile.errors import XetileError

MAIN = "__xetile_main__"


def reduce(kernel: Any) -> tuple[Any, ...]:
    """How pickle writes a kernel."""
    fn = kernel.fn
    if "<locals>" in fn.__qualname__:
        return type(kernel), (fn, kernel.head.out, kernel.head.grid, kernel.num_subgroups, kernel.fast_math)
    return find, (fn.__module__, fn.__qualname__, fn.__code__.co_filename)


class Definition:
    """The function of a kernel, which travels as the kernel does: under its name stands the kernel, and pickle takes no other for it."""

    def __init__(self, fn: Any) -> None:
        self.fn = fn

    def __reduce__(self) -> tuple[Any, ...]:
        fn = self.fn
        if "<locals>" in fn.__qualname__:
            return Definition, (fn,)
        return _definition, (fn.__module__, fn.__qualname__, fn.__code__.co_filename)


def _definition(module: str, qualname: str, file: str) -> Definition:
    return Definition(find(module, qualname, file).fn)


def find(module: str, qualname: str, file: str) -> Any:
    """The kernel of that name.  Raises XetileError when this process cannot find it."""
    for place in _places(module, file):
        found: Any = place
        for part in qualname.split("."):
            found = getattr(found, part, None)
        if getattr(found, "__xetile_kernel__", False):
            return found
    raise XetileError(
        f"there is no kernel {module}.{qualname} in this process", hint="define kernels in modules that workers import"
    )


def _places(module: str, file: str) -> Any:
    if module not in ("__main__", "__mp_main__"):
        yield importlib.import_module(module)
        return
    for name in (module, "__main__", "__mp_main__", MAIN):
        if name in sys.modules:
            yield sys.modules[name]
    spec = importlib.util.spec_from_file_location(MAIN, file)
    if spec is None or spec.loader is None:
        return
    sys.modules[MAIN] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(sys.modules[MAIN])
    except OSError:  # a notebook's cell is no file
        del sys.modules[MAIN]
        return
    yield sys.modules[MAIN]
