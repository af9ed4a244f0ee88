"""A kernel compiled for one target, as its user sees it: IR of each level, SPIR-V, what a launch needs, what it asks of the hardware."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from xetile.collection import paused
from xetile.errors import CompileError
from xetile.runtime import captures, compiler, loading
from xetile.runtime.artifact import Binary, Program
from xetile.runtime.call_site import call_site, errors_at_the_call
from xetile.runtime.decorated import refuse_attribute_of_compiled
from xetile.runtime.reproducer import guarded
from xetile.runtime.request import Request
from xetile.runtime.specialize import warn_of_slow_tiles
from xetile.runtime.told import CallError

if TYPE_CHECKING:
    from xetile.estimate import Estimate
    from xetile.runtime.report import Report
    from xetile.target import Target


class Levels(Mapping[str, str]):
    """The IR text of each level, by name; made when asked for: down to the first level that is, then all of them."""

    def __init__(self, request: Callable[[], Request]) -> None:
        self._request = request
        self._texts: dict[str, str] = {}
        self._whole = False

    def _make(self, level: str | None) -> None:
        if not self._whole and level not in self._texts:
            self._texts, self._whole = _texts(self._request(), None if self._texts else level)

    def __getitem__(self, level: str) -> str:
        self._make(level)
        if level not in self._texts:
            raise KeyError(f"there is no IR level {level!r}; levels are {', '.join(self._texts)}")
        return self._texts[level]

    def __iter__(self) -> Iterator[str]:
        self._make(None)
        return iter(self._texts)

    def __len__(self) -> int:
        self._make(None)
        return len(self._texts)


@guarded("compiling")
def _texts(request: Request, last: str | None) -> tuple[dict[str, str], bool]:
    """The text of each level down to the last one, and whether these are all."""
    from xetile.ir.printer import print_op

    texts = {}
    for name, module in compiler.lower(request):
        texts[name] = print_op(module) + "\n"
        if name == last:
            return texts, False
    return texts, True


class CompiledKernel:
    """A kernel compiled for one target.

    `ir[level]` is MLIR text ("xetile", "layout", "subgroup", "blocked", "xegpu", "lane"), printed when it is asked for, and refused
    (CompileError) where what the kernel sees outside of itself has changed since; `spirv` the module's bytes;
    `build_options`, `local_size`, `grf` and `slm_bytes` what a launch needs; `estimate` what it asks of the hardware.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.ir = Levels(self._to_compile)
        self._seen = captures.of(request.fn, request.constexprs)

    def _to_compile(self) -> Request:
        """What it was compiled from, for what is made of that later. Raises CompileError where the kernel has changed since."""
        if self._seen.is_current:
            return self.request
        name = self.request.fn.__name__
        raise CompileError(f"a global, a closure or an attribute that {name} sees has changed since it was compiled",
                           hint=f"compile it again: {name}.compile(...)")  # fmt: skip

    if not TYPE_CHECKING:

        def __call__(self, *_: Any, **__: Any) -> None:
            """Raises CallError: what is compiled for a target has no device to run on."""
            name = self.request.fn.__name__
            raise CallError(
                f"{name} compiled for {self.request.target} is not called", hint=f"call {name}(...) itself, which takes what is "
                "compiled already; or .save(path), and xt.load(path) on the machine with the device"
            ).located(call_site())  # fmt: skip

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or "request" not in self.__dict__:
                raise AttributeError(name)
            with errors_at_the_call():
                refuse_attribute_of_compiled(self, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledKernel, (self.request,)  # what it is compiled to lies in the cache on disk

    def __repr__(self) -> str:
        request = self.request
        given = [*(f"{name}: {kind}" for name, kind in request.signature.items()),
                 *(f"{name}={value!r}" for name, value in request.constexprs.items())]  # fmt: skip
        return f"<xetile kernel {request.fn.__name__}({', '.join(given)}) for {request.target}>"

    @cached_property
    def target(self) -> Target:
        """The target that it is compiled for."""
        from xetile.target import get_target

        return get_target(self.request.target)

    @cached_property
    def estimate(self) -> Estimate:
        """What it asks of the hardware, counted without a device: registers and what holds them, messages and arithmetic.

        Printed, it is a table. Raises as `binary` does, and UncoveredError for targets that are CPUs.
        """
        return compiler.estimate(self._to_compile())

    @cached_property
    def report(self) -> Report:
        """What it costs and what to change: loops with their share of matrix instructions and clocks, registers, spills, slow tiles,
        functions and quotients of many instructions, each with its source line.

        Printed, it is a text. Loops are of the machine code where `ocloc` and `iga64` are on PATH, else estimated. Raises as `estimate`.
        """
        from xetile.runtime.report import report

        return report(self.request, self.estimate, self.binary, self.target)

    @cached_property
    def program(self) -> Program:
        """The kernel as IR at workgroup level, for the numpy backend."""
        return compiler.program(self._to_compile())

    @cached_property
    def binary(self) -> Binary:
        """The kernel as SPIR-V with all that a launch needs; from the cache on disk where it is there.

        Warns where its values will not fit the registers (SpillWarning), and where tiles are moved element by element
        (PerformanceWarning). Raises CompileError and its kinds, at the place in the
        kernel's source that is at fault.
        """
        with paused():
            made = loading.binary(self.request)[0]
            warn_of_slow_tiles(self.request.fn, made)
            if made.spill_bytes:
                from xetile.runtime import spilling

                spilling.warn(self.request, made)
        return made

    def save(self, path: str | PathLike[str]) -> None:
        """Write `path`.spv and `path`.json, which `xt.load` runs without the source; see xetile.runtime.aot."""
        from xetile.runtime.aot import save

        save(self.request, self.binary, path)

    @property
    def spirv(self) -> bytes:
        """The SPIR-V module."""
        return self.binary.spirv

    @property
    def build_options(self) -> str:
        """What the driver must be given."""
        return self.binary.build_options

    @property
    def local_size(self) -> tuple[int, int, int]:
        """Work-items of a workgroup."""
        return self.binary.local_size

    @property
    def grf(self) -> int:
        """Registers of a hardware thread: 128 or 256."""
        return self.binary.grf

    @property
    def slm_bytes(self) -> int:
        """Shared local memory of a workgroup."""
        return self.binary.slm_bytes

    @property
    def name(self) -> str:
        """The entry point."""
        return self.binary.name
