"""One pass after the other: what a pass raises by accident is told as an error of that pass, and IR before it can be recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from xetile import internal
from xetile.dialects.gpu import GpuModule
from xetile.target import Target

Pass = Callable[[GpuModule, Target], GpuModule]


@dataclass
class Record:
    """The last step that began: its name, the module before it, and the names of the passes after it."""

    step: str = ""
    text: str = ""
    rest: tuple[str, ...] = ()

    def begin(self, step: str, module: Any, rest: Iterable[str] = ()) -> None:
        """A step begins."""
        from xetile.ir.printer import print_op

        self.step, self.rest = step, tuple(rest)
        try:
            self.text = print_op(module)
        except Exception as error:  # a module that cannot be printed is a mistake, too
            self.text = f"// the module cannot be printed: {type(error).__name__}: {error}"


record: ContextVar[Record | None] = ContextVar("xetile_record", default=None)
"""Where steps are noted while a failure is run once more; None at all other times."""


def run(steps: Iterable[Pass], module: GpuModule, target: Target, after: Iterable[Pass] = ()) -> GpuModule:
    """The module after some passes; `after` are those that will come later.  Raises InternalError for what one raises by accident."""
    todo, later = list(steps), list(after)
    for number, step in enumerate(todo):
        name = name_of(step)
        if (recording := record.get()) is not None:
            recording.begin(name, module, map(name_of, [*todo[number + 1 :], *later]))
        with internal.stage(f"the pass {name}"):
            module = step(module, target)
    return module


def name_of(step: Pass) -> str:
    """The name that `xetile opt --pipeline` knows a pass by."""
    return "canonicalize" if step.__name__.startswith("_") else step.__name__
