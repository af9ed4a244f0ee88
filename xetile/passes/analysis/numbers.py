"""What is known of the whole numbers of a kernel, asked in one place: `analyses.get(Numbers, kernel)`.

Each kind of knowledge is an analysis of its own under one solver (`ir.dataflow`), made when it is asked for. What a number is a sum of
is read from its ops (`dialects.affine`); how large numbers can become at a launch is what `index_ranges` hands to the runtime.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from xetile.dialects.gpu import GpuFunc
from xetile.dialects.intervals import Intervals
from xetile.index_ranges import Interval
from xetile.ir import analyses
from xetile.ir.core import Op, Value
from xetile.passes.analysis.alignment import Alignment, Rests, Zeros
from xetile.passes.analysis.divergence import Divergence


class Numbers:
    """Divisors, intervals and uniformity of a kernel's scalars and tiles."""

    def __init__(self, kernel: GpuFunc) -> None:
        self._kernel = kernel

    @cached_property
    def _alignment(self) -> Alignment:
        return analyses.get(Alignment, self._kernel)

    @cached_property
    def _intervals(self) -> Intervals:
        return analyses.get(Intervals, self._kernel)

    @cached_property
    def _divergence(self) -> Divergence:
        return analyses.get(Divergence, self._kernel)

    def zeros(self, value: Value) -> Zeros:
        """The exponents of the powers of two that divide it: one of a scalar, of a tile those of its row and column."""
        return self._alignment.of(value)

    def rests(self, value: Value) -> Rests:
        """The last binary digits, as far as they are known: of a scalar, or of a tile's row and column."""
        return self._alignment.rests(value)

    def interval(self, value: Value) -> Interval:
        """The least and the largest that an integer can be."""
        return self._intervals.of(value)

    def is_natural(self, value: Value) -> bool:
        """Whether an integer is never negative."""
        return self.interval(value)[0] >= 0

    def differ(self, values: Iterable[Value]) -> bool:
        """Whether some of the values may differ between the subgroups of a workgroup."""
        known = self._divergence.values
        return any(value in known for value in values)

    def diverge(self, ops: Iterable[Op]) -> bool:
        """Whether subgroups may take different ways through some of these branches and loops."""
        return any(map(self._divergence.divergent, ops))
