"""Kernels with a grid, and prepared launches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from xetile.errors import XetileError
from xetile.runtime import captures, devices, hooks
from xetile.runtime.artifact import written_parameters
from xetile.runtime.call_site import without_ours
from xetile.runtime.views import repeated

if TYPE_CHECKING:
    from xetile.runtime.compiled import CompiledKernel
    from xetile.runtime.head import Head
    from xetile.runtime.plan import Call


class Kernel(Protocol):
    """What is asked of a kernel here; `jit.Kernel` is it."""

    head: Head

    @property
    def fn(self) -> Callable[..., Any]: ...

    def _run(self, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any: ...

    def _bind(self, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Bound: ...

    @property
    def compile(self) -> Callable[..., CompiledKernel]: ...

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any: ...

    def __getitem__(self, grid: Any) -> Any: ...


class Launcher:
    """A kernel with a grid: `kernel[grid]`."""

    __slots__ = ("_grid", "_kernel")

    def __init__(self, kernel: Kernel, grid: Any) -> None:
        self._kernel, self._grid = kernel, grid

    def __repr__(self) -> str:
        grid = ", ".join(map(str, self._grid)) if isinstance(self._grid, tuple) else self._grid
        return f"<xetile kernel {self._kernel.head.usage} on grid [{grid}]>"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """As the kernel's own call."""
        try:
            return self._kernel._run(self._grid, args, kwargs)
        except XetileError as error:
            raise without_ours(error)  # noqa: B904 (its cause is kept where it is the user's)

    def bind(self, /, *args: Any, **kwargs: Any) -> Bound:
        """As the kernel's own `bind`."""
        return self._kernel._bind(self._grid, args, kwargs)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            return getattr(self._kernel, name)  # what it has only without a grid says so itself


class Method:
    """A kernel as a method of an object, which is a constant to it: what the kernel reads of the object is compiled in."""

    __xetile_kernel__ = True
    __slots__ = ("_kernel", "bound")

    def __init__(self, kernel: Kernel, instance: Any) -> None:
        self._kernel, self.bound = kernel, (instance,)

    @property
    def fn(self) -> Any:
        """The plain function."""
        return self._kernel.fn

    def __repr__(self) -> str:
        return f"<xetile kernel {self._kernel.head.usage} of {self.bound[0]!r}>"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """As the kernel's own call."""
        return self._kernel(*self.bound, *args, **kwargs)

    def __getitem__(self, grid: Any) -> Any:
        """The method with another grid."""
        return lambda *args, **kwargs: self._kernel[grid](*self.bound, *args, **kwargs)

    def bind(self, /, *args: Any, **kwargs: Any) -> Bound:
        """As the kernel's own `bind`."""
        return self._kernel._bind(None, (*self.bound, *args), kwargs)

    def compile(self, /, *types: Any, **options: Any) -> CompiledKernel:
        """As the kernel's own `compile`."""
        return self._kernel.compile(*types, **options, **dict(zip(self._kernel.head.order, self.bound)))


class Bound:
    """A prepared launch: calling it runs the kernel again on the same arrays and scalars.

    `results`: the outputs that were allocated for it. With numpy arrays a call blocks; with device arrays it enqueues, and
    returns the event. A call after a change of what the kernel sees (globals, closures, attributes) prepares it again first.
    """

    __slots__ = ("_device", "_event", "_name", "_prepare", "_repeat", "_unchanged", "grid", "results")

    def __init__(
        self, name: str, prepare: Callable[..., Call], grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        call = prepare(grid, args, kwargs)
        named = {**kwargs, **{name: call.values[name] for name in call.allocated}}
        self._name, self._device, self._prepare = name, call.device, partial(prepare, grid, args, named)
        self.results = call.results if call.allocated else None
        self._take(call)

    def _take(self, call: Call) -> None:
        repeat = call.loaded.bind(call.grid, call.args, queue=call.queue)
        self._repeat = repeated(repeat, call.copies, written_parameters(call.loaded.artifact)) if call.copies else repeat
        self._event = hooks.LaunchEvent(self._name, call.device.name, call.grid, call.args)
        self.grid = call.grid
        self._unchanged = call.seen.unchanged  # last: then another thread finds the rest

    def __call__(self) -> Any:
        """Launch; the event for device arrays, None for numpy."""
        if (unchanged := self._unchanged) is not None:
            try:
                current = unchanged()
            except captures.GONE:
                current = False
            if not current:
                self._prepare_again()
        if hooks.launching:
            return hooks.around(self._event, self._repeat)
        return self._repeat()

    def _prepare_again(self) -> None:
        try:
            with devices.device(self._device):
                self._take(self._prepare())
        except XetileError as error:
            raise without_ours(error)  # noqa: B904 (its cause is kept where it is the user's)
