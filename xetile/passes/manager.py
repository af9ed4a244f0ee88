"""The pass manager: runs one pass after the other, for the compiler, the tests and the command line, watched by instruments.

What a pass raises by accident is told as an error of that pass. Instruments (`xetile.passes.instruments`) verify, print, time,
stop, and note the module that a failure began with; without any, a pass costs its call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from xetile import internal
from xetile.dialects.gpu import GpuModule
from xetile.target import Target

Pass = Callable[[GpuModule, Target], GpuModule]


class Instrument:
    """Sees the module before and after each pass. This one looks away."""

    def before(self, name: str, module: GpuModule, rest: Sequence[str]) -> None:
        """A pass begins; `rest` are the names of the passes after it."""

    def after(self, name: str, module: GpuModule) -> None:
        """A pass has made this of the module."""


_watching: ContextVar[tuple[Instrument, ...]] = ContextVar("xetile_instruments", default=())


@contextmanager
def watched(*instruments: Instrument) -> Iterator[None]:
    """Within the block these instruments, too, see all passes of this thread or task."""
    token = _watching.set((*_watching.get(), *instruments))
    try:
        yield
    finally:
        _watching.reset(token)


def instruments() -> tuple[Instrument, ...]:
    """What watches now."""
    return _watching.get()


def run(passes: Iterable[Pass], module: GpuModule, target: Target, after: Iterable[Pass] = ()) -> GpuModule:
    """The module after some passes; `after` are those that will come later.  Raises InternalError for what one raises by accident."""
    todo, watching = list(passes), _watching.get()
    names = [step.__name__ for step in (*todo, *(after if watching else ()))]
    for number, step in enumerate(todo):
        name = names[number]
        for instrument in watching:
            instrument.before(name, module, names[number + 1 :])
        try:
            module = step(module, target)
        except Exception as error:
            internal.tell(error, f"the pass {name}")
            raise
        for instrument in watching:
            instrument.after(name, module)
    return module
