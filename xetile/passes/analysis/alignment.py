"""Powers of two that divide index values and the offsets of tiles, whatever happens at run time.

The analysis is optimistic: values carried by loops count as zero, which everything divides, until what the loop does to them is
known. Integers wrap around at a power of two, so smaller powers divide the wrapped number too; no other divisors are tracked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xetile.dialects import arith, xetile
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import ScalarType
from xetile.ir.core import Op, Value
from xetile.ir.dataflow import Forward

ZERO = 64  # zeros at the end of the number 0, as far as any integer type goes
Zeros = tuple[int, ...]  # of a scalar, or of a tile's offsets, row and column
NONE: Zeros = (0, 0)


def _zeros_of(number: int) -> int:
    return (number & -number).bit_length() - 1 if number else ZERO


def _shifted(op: Op, a: int) -> int:
    by = arith.constant_of(op.operands[1])
    return max(0, a - by) if isinstance(by, int) else 0


def _divided(op: Op, a: int) -> int:
    by = arith.constant_of(op.operands[1])
    exact = isinstance(by, int) and by > 0 and by & (by - 1) == 0 and a >= _zeros_of(by)
    return a - _zeros_of(by) if exact else 0


_RULES: dict[str, Callable[[Op, int, int], int]] = {
    "mul": lambda op, a, b: min(ZERO, a + b),
    "and": lambda op, a, b: max(a, b),
    "shl": lambda op, a, b: min(ZERO, a + (arith.constant_of(op.operands[1]) or 0)),
    "shr": lambda op, a, b: _shifted(op, a),
    **dict.fromkeys(("div", "floordiv", "ceildiv"), lambda op, a, b: _divided(op, a)),
    **dict.fromkeys(("add", "sub", "or", "xor", "rem", "max", "min"), lambda op, a, b: min(a, b)),
}
"""By function, with or without a sign: the zeros at the end are the same."""


class Alignment(Forward[Zeros]):
    """Zeros at the end of every integer scalar, and of the last two offsets of every tile, of a kernel."""

    def __init__(self, kernel: GpuFunc) -> None:
        super().__init__(kernel)
        noted = [text.split() for text in kernel.attributes.get("multiples") or ()]
        multiples = {("dim", param, int(axis)): (int(exponent),) for param, axis, exponent in noted}
        for arg, spec in zip(kernel.body.args, kernel.args):
            self.facts[arg] = multiples.get((spec.kind, spec.param, spec.axis), NONE)
        self.solve()

    def of(self, value: Value) -> Zeros:
        """The exponents of the powers of two: one for a scalar, for a tile those of its row and column."""
        return self.facts.get(value, NONE)

    def join(self, one: Zeros, other: Zeros) -> Zeros:
        """What divides both."""
        return _common((one, other))

    def transfer(self, op: Op) -> Iterable[tuple[Value, Zeros]]:
        """Of integers and tiles."""
        return [(op.results[0], self._result(op))] if op.results and _counts(op.results[0]) else ()

    def enter(self, op: Op) -> Iterable[tuple[Value, Zeros]]:
        """A counter is the lower bound and some steps."""
        return [(counter, self.of(v)) for counter, parts in op.counters() for v in parts]

    def _result(self, op: Op) -> Zeros:
        if isinstance(op, xetile.InitTile):
            return (ZERO, ZERO, *(self.of(v)[0] for v in op.offsets))[-2:]  # memory of rank 1 is one row
        if isinstance(op, xetile.UpdateTileOffset):
            return _common([self.of(op.tile), tuple(self.of(v)[0] for v in op.offsets)])
        if isinstance(op, arith.Constant):
            return (_zeros_of(int(op.value)),)
        if isinstance(op, arith.INTEGER_CASTS):
            return self.of(op.operands[0])
        if isinstance(op, arith.Select):
            return _common([self.of(v) for v in op.operands[1:]])
        rule = _RULES.get(op.function.removeprefix("u")) if isinstance(op, arith.Binary) else None
        return (rule(op, self.of(op.operands[0])[0], self.of(op.operands[1])[0]),) if rule is not None else NONE


def _counts(value: Value) -> bool:
    kind = value.type
    if isinstance(kind, xetile.TileType):
        return not kind.scatter
    return isinstance(kind, ScalarType) and not kind.is_float


def _common(several: Sequence[Zeros]) -> Zeros:
    return tuple(map(min, zip(*several)))
