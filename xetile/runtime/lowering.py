"""A kernel on its way down the levels, which waits where it can be guessed how many registers it will need."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xetile.dialects.gpu import GpuModule
    from xetile.passes.manager import Instrument
    from xetile.target import Target

GUESSED = "xegpu"
"""The level at which values are blocks of hardware size: a tenth of the way, in time."""


class Lowering:
    """A module between two levels. observe: is shown it at each of them."""

    def __init__(self, module: GpuModule, target: Target, *watching: Instrument,
                 observe: Callable[[str, GpuModule], None] | None = None) -> None:  # fmt: skip
        from xetile.passes import pipeline
        from xetile.passes.instruments import Discard

        self.module = module
        self._target = target
        self._levels = pipeline.lower(module, target)
        self._level = ""
        self._watching = (*watching, Discard())
        self._observe = observe

    def down_to(self, last: str | None = None) -> GpuModule:
        """The module at a level that it has or that is below, or at the last of all."""
        from xetile.ir import analyses
        from xetile.passes.manager import watched

        if self._level == last:
            return self.module
        with watched(*self._watching):
            for level, module in self._levels:
                self._level, self.module = level, module
                if self._observe is not None:
                    self._observe(level, module)
                if level == last:
                    break
            else:
                analyses.keep(self.module.kernel)
        return self.module

    @cached_property
    def guess(self) -> int:
        """Bytes that its values take at `GUESSED`, where it waits; 0 of modules that begin below."""
        from xetile.estimate.guess import guessed_bytes

        kernel = self.down_to(GUESSED).kernel
        return guessed_bytes(kernel.body) if kernel.level == GUESSED else 0

    @property
    def odd_shares(self) -> list[int]:
        """Odd numbers by which the blocks of its products can be divided, of a module that was not lowered yet."""
        from xetile.passes.workgroup.layouts.planned import odd_shares

        return odd_shares(self.module, self._target)

    @property
    def ops(self) -> int:
        """How many there are now."""
        return sum(1 for _ in self.module.walk())
