"""Index arithmetic that is known before a launch: addresses and trip counts as functions of shapes, programs and subgroups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from xetile.dialects import arith, gpu
from xetile.dialects.types import VectorType
from xetile.ir.core import Op, Value
from xetile.records import dataclass

LONGEST = 100  # characters of an expression's text; longer parts are left out
Number = Any  # int, or a numpy array of them


@dataclass(frozen=True, eq=False, repr=False)
class Expr:
    """One operation on other expressions, or a symbol.

    Symbols: "dim A 0" (A.shape[0]), "stride A 0", "scalar x", "program 0" (program_id(0)), "grid 0", "subgroup", and "loop N" for
    the variable of a loop.  "unknown": what only the run knows, such as what is read from memory.
    """

    op: str
    args: tuple[Expr, ...] = ()
    value: int = 0

    def evaluate(self, symbols: Mapping[str, Number], memo: dict[Expr, Number] | None = None) -> Number:
        """The value where every symbol has one, else None.  Values may be arrays, which broadcast."""
        memo = {} if memo is None else memo
        if self in memo:
            return memo[self]
        memo[self] = found = self._evaluate(symbols, memo)
        return found

    def _evaluate(self, symbols: Mapping[str, Number], memo: dict[Expr, Number]) -> Number:
        if self.op == "constant":
            return self.value
        if not self.args:
            return symbols.get(self.op)
        args = [a.evaluate(symbols, memo) for a in self.args]
        if any(a is None for a in args):
            return None
        with np.errstate(divide="ignore"):
            return _FUNCTIONS[self.op](*args)

    # An expression may hold another many times, so both are worked out once for each.

    @cached_property
    def symbols(self) -> frozenset[str]:
        """The symbols in it."""
        if self.op == "constant":
            return frozenset()
        return frozenset().union(*(a.symbols for a in self.args)) if self.args else frozenset((self.op,))

    @cached_property
    def _text(self) -> str:
        if self.op == "constant":
            return str(self.value)
        if not self.args:
            return _named(self.op)
        args = [a._text for a in self.args]
        sign = _SIGNS.get(self.op)
        text = f"({args[0]} {sign} {args[1]})" if sign else f"{self.op}({', '.join(args)})"
        return text if len(text) <= LONGEST else "..."

    def __repr__(self) -> str:
        return self._text


def constant(value: int) -> Expr:
    """A number."""
    return Expr("constant", value=value)


UNKNOWN = Expr("unknown")


def ceildiv(a: Expr, b: Expr) -> Expr:
    """a / b, rounded up."""
    return Expr("cdiv", (a, b))


def minus(a: Expr, b: Expr) -> Expr:
    """a - b."""
    return a if b.op == "constant" and b.value == 0 else Expr("sub", (a, b))


def _named(symbol: str) -> str:
    kind, *rest = symbol.split()
    forms = {"dim": "{}.shape[{}]", "stride": "{}.strides[{}]", "scalar": "{}", "program": "program_id({})",
             "grid": "num_programs({})", "loop": "loop{}"}  # fmt: skip
    return forms[kind].format(*rest) if kind in forms else symbol


_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "//", "rem": "%"}
_COMPARISONS: dict[str, Callable[[Number, Number], Number]] = {
    "eq": np.equal, "ne": np.not_equal, "slt": np.less, "ult": np.less, "sle": np.less_equal, "ule": np.less_equal,
    "sgt": np.greater, "ugt": np.greater, "sge": np.greater_equal, "uge": np.greater_equal,
}  # fmt: skip


def _divide(a: Number, b: Number) -> Number:
    return np.floor_divide(a, np.where(np.equal(b, 0), 1, b)) if not isinstance(b, int) or b == 0 else a // b


_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _divide,
    "cdiv": lambda a, b: -_divide(-a, b),
    "rem": lambda a, b: a - _divide(a, b) * b,
    "min": np.minimum,
    "max": np.maximum,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b,
    "shr": lambda a, b: a >> b,
    "select": np.where,
    "not": np.logical_not,
    **_COMPARISONS,
}
_BY_NAME = {"floordiv": "div", "ceildiv": "cdiv"}
_AXES = {"x": 0, "y": 1, "z": 2}


class Expressions:
    """The expression of each scalar of a kernel; loops give theirs a symbol each."""

    def __init__(self, kernel: gpu.GpuFunc) -> None:
        self.known: dict[Value, Expr] = {}
        for argument, spec in kernel.specs.items():
            name = f"scalar {spec.param}" if spec.kind == "scalar" else f"{spec.kind} {spec.param} {spec.axis}"
            self.known[argument] = Expr(name)

    def of(self, value: Value) -> Expr:
        """What a scalar is, in symbols."""
        found = self.known.get(value)
        if found is None:
            found = self.known[value] = self._make(value)
        return found

    def _make(self, value: Value) -> Expr:
        op = value.op
        if op is None or isinstance(value.type, VectorType):
            return UNKNOWN
        if isinstance(op, arith.Binary) and op.function:
            name = op.function.removeprefix("u")  # sizes and places are no less than zero
            return Expr(_BY_NAME.get(name, name), tuple(map(self.of, op.operands)))
        if isinstance(op, arith.INTEGER_CASTS):
            return self.of(op.operands[0])
        maker = _MAKERS.get(type(op))
        return maker(self, op) if maker is not None else UNKNOWN


def _constant(known: Expressions, op: Any) -> Expr:
    return constant(int(op.value)) if isinstance(op.value, (int, bool)) else UNKNOWN


def _compare(known: Expressions, op: Any) -> Expr:
    return Expr(op.predicate, tuple(map(known.of, op.operands)))


_MAKERS: dict[type[Op], Callable[[Expressions, Any], Expr]] = {
    arith.Constant: _constant,
    arith.CmpI: _compare,
    arith.Select: lambda known, op: Expr("select", tuple(map(known.of, op.operands))),
    gpu.BlockId: lambda known, op: Expr(f"program {_AXES[op.dimension]}"),
    gpu.GridDim: lambda known, op: Expr(f"grid {_AXES[op.dimension]}"),
    gpu.SubgroupId: lambda known, op: Expr("subgroup"),
    gpu.LaneId: lambda known, op: constant(0),
}
