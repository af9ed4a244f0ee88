"""What watches passes: the verifier, printing, times, stopping, and the record that a reproducer is made of."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import field
from operator import attrgetter
from typing import TextIO

from xetile.dialects.gpu import GpuModule
from xetile.errors import InternalError, Location, ResourceError, VerifyError, XetileError
from xetile.ir.core import changes
from xetile.ir.printer import print_op
from xetile.ir.verifier import verify
from xetile.passes.analysis.slow_tiles import slow_tiles
from xetile.passes.manager import Instrument
from xetile.records import dataclass
from xetile.target import Target

ALL = "all"


class Verify(Instrument):
    """Raises InternalError where a pass leaves a module that breaks a rule of the IR.

    A pass that has changed nothing leaves what was right before it. The last pass is checked in any case: it also answers for changes
    that passed by the rewriter.
    """

    def __init__(self) -> None:
        self._right: _Seen | None = None
        self._last = False

    def before(self, name: str, module: GpuModule, rest: Sequence[str]) -> None:
        """Whether passes follow."""
        self._last = not rest

    def after(self, name: str, module: GpuModule) -> None:
        """Check the module."""
        if not self._last and self._right is not None and self._right.is_still(module):
            return
        try:
            verify(module)
            self._right = _Seen(module)
        except VerifyError as error:
            raise InternalError(
                f"xetile has failed in the pass {name}, which left an invalid module: {error.message}",
                stage=f"the pass {name}", at=error.at,
            ) from error  # fmt: skip


_attributes_of = attrgetter("attributes")


class _Seen:
    """A module as it was: what the rewriter counts, and attributes, which passes write themselves."""

    def __init__(self, module: GpuModule) -> None:
        self._module, self._changes = module, changes()
        self._attributes = list(map(dict, map(_attributes_of, module.walk())))

    def is_still(self, module: GpuModule) -> bool:
        """Whether this is the module, unchanged."""
        same = module is self._module and changes() == self._changes
        return same and list(map(_attributes_of, module.walk())) == self._attributes


class Print(Instrument):
    """Prints the module before and after passes by their names, or all of them ("all")."""

    def __init__(self, before: Collection[str] = (), after: Collection[str] = (), to: TextIO | None = None) -> None:
        self._before, self._after, self._to = before, after, to

    def before(self, name: str, module: GpuModule, rest: Sequence[str]) -> None:
        """Print it if the pass is one of those."""
        self._print("before", name, module, self._before)

    def after(self, name: str, module: GpuModule) -> None:
        """Print it if the pass is one of those."""
        self._print("after", name, module, self._after)

    def _print(self, when: str, name: str, module: GpuModule, wanted: Collection[str]) -> None:
        if name in wanted or ALL in wanted:
            print(f"// {when} {name}\n{print_op(module)}\n", file=self._to or sys.stderr)


class Times(Instrument):
    """Adds up how long each pass runs, in seconds."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._began = 0.0

    def before(self, name: str, module: GpuModule, rest: Sequence[str]) -> None:
        """Start the clock."""
        self._began = time.perf_counter()

    def after(self, name: str, module: GpuModule) -> None:
        """Stop the clock."""
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - self._began

    def table(self) -> str:
        """A line for each pass, the longest first, in milliseconds."""
        rows = sorted(self.seconds.items(), key=lambda row: -row[1])
        lines = [f"{1000 * seconds:9.3f} ms  {name}" for name, seconds in (*rows, ("all passes", sum(self.seconds.values())))]
        return "\n".join(lines)


class Stopped(XetileError):  # noqa: N818 (no mistake: the way out of a pipeline)
    """A pipeline ends here; `module` is what there is."""

    def __init__(self, name: str, module: GpuModule) -> None:
        super().__init__(f"the pipeline ends after {name}")
        self.module = module


class StopAfter(Instrument):
    """Raises Stopped after the pass of a name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def after(self, name: str, module: GpuModule) -> None:
        """Stop here, if this is the one."""
        if name == self.name:
            raise Stopped(name, module)


@dataclass
class Record(Instrument):
    """The last step that began: its name, the module before it, and the names of the passes after it."""

    step: str = ""
    text: str = ""
    rest: tuple[str, ...] = ()

    def before(self, name: str, module: GpuModule, rest: Sequence[str]) -> None:
        """A pass begins."""
        self.begin(name, module, rest)

    def begin(self, step: str, module: GpuModule, rest: Iterable[str] = ()) -> None:
        """A step begins, a pass or another one."""
        self.step, self.rest = step, tuple(rest)
        try:
            self.text = print_op(module)
        except Exception as error:  # a module that cannot be printed is a mistake, too
            self.text = f"// the module cannot be printed: {type(error).__name__}: {error}"


@dataclass
class Snapshots(Instrument):
    """The text of the module after each pass, by `number name`."""

    texts: dict[str, str] = field(default_factory=dict)

    def after(self, name: str, module: GpuModule) -> None:
        """Keep the text."""
        self.texts[f"{len(self.texts) + 1} {name}"] = print_op(module)


class Discard(Instrument):
    """Lets go of each module that a pass made another one of: for pipelines whose levels nobody keeps."""

    def __init__(self) -> None:
        self._given: GpuModule | None = None

    def before(self, name: str, module: GpuModule, rest: Sequence[str]) -> None:
        """What the pass is given."""
        self._given = module

    def after(self, name: str, module: GpuModule) -> None:
        """What it has made."""
        if self._given is not None and self._given is not module:
            self._given.discard()
        self._given = None


class TooLargeError(ResourceError):
    """A kernel has more ops than it was given."""


class AtMost(Instrument):
    """Raises TooLargeError where a pass makes more ops than so many: for what is lowered to see whether it is better."""

    def __init__(self, ops: int) -> None:
        self._ops = ops

    def after(self, name: str, module: GpuModule) -> None:
        """Count them."""
        if len([*module.walk()]) > self._ops:
            raise TooLargeError(f"{module.kernel.sym_name} has more than {self._ops} ops after the pass {name}")


class SlowTiles(Instrument):
    """Notes which tiles no block message moves, right after the pass that makes them tiles, while they are the user's."""

    def __init__(self, name: str, target: Target) -> None:
        self.slow: tuple[tuple[str, str, Location], ...] = ()
        self._name, self._target = name, target

    def after(self, name: str, module: GpuModule) -> None:
        """Look at the module, if this is the pass."""
        if name == self._name:
            self.slow = slow_tiles(module, self._target)
