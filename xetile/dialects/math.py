"""math: elementwise functions of floats (MLIR's math dialect, LLVM 22)."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from xetile.dialects.arith import Unary
from xetile.dialects.types import element_of
from xetile.ir.core import Elementwise, Value, operand, result

UnaryT = TypeVar("UnaryT", bound=Unary)


class OfFloats(Unary):
    """A function of floats."""

    def verify(self) -> None:
        element = element_of(self.operands[0].type)
        if not element.is_float:
            raise self.fail(f"works on floats, not on {element}")


class Function(OfFloats):
    """A function of floats whose result is rounded; `c_name`: what C calls it, and numpy and OpenCL after it, where they have it."""

    c_name: ClassVar[str]


class Rounding(OfFloats):
    """A function of floats that is exact in every format, named as `Function` is."""

    c_name: ClassVar[str]


def _unary(name: str, base: type[UnaryT], c_name: str = "") -> type[UnaryT]:
    parts = {"operand": operand(), "result": result(infer=lambda op: op.operands[0].type), "__module__": __name__,
             "__doc__": f"`math.{name}`, elementwise.", "c_name": c_name or name}  # fmt: skip
    return type(base)(name.title(), (base,), parts, name=f"math.{name}", pure=True)  # type: ignore[no-any-return, misc]


Exp, Exp2, Log, Log2, Sqrt, Rsqrt = (_unary(name, Function) for name in ("exp", "exp2", "log", "log2", "sqrt", "rsqrt"))
Sin, Cos, Tan, Tanh, Erf = (_unary(name, Function) for name in ("sin", "cos", "tan", "tanh", "erf"))
Floor, Ceil, Trunc = (_unary(name, Rounding) for name in ("floor", "ceil", "trunc"))
AbsF, RoundEven = _unary("absf", Rounding, "fabs"), _unary("roundeven", Rounding, "rint")
AbsI = _unary("absi", Unary)


class Fma(Elementwise, name="math.fma", pure=True):
    """`a * b + c` rounded once, elementwise."""

    format = "$a `,` $b `,` $c attr-dict `:` type($result)"
    a: Value = operand()
    b: Value = operand()
    c: Value = operand()
    result: Value = result(infer=lambda op: op.operands[0].type)

    def verify(self) -> None:
        if len({v.type for v in self.operands}) != 1:
            raise self.fail("operands differ in type")
        if not element_of(self.a.type).is_float:
            raise self.fail(f"works on floats, not on {element_of(self.a.type)}")


class PowF(Elementwise, name="math.powf", pure=True):
    """`lhs` to the power of `rhs`, elementwise."""

    format = "$lhs `,` $rhs attr-dict `:` type($result)"
    lhs: Value = operand()
    rhs: Value = operand()
    result: Value = result(infer=lambda op: op.operands[0].type)
