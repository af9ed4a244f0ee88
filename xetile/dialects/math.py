"""math: elementwise functions of floats (MLIR's math dialect, LLVM 22)."""

from __future__ import annotations

from xetile.dialects.arith import Unary
from xetile.ir.core import Elementwise, Value, operand, result


def _unary(name: str) -> type[Unary]:
    parts = {"operand": operand(), "result": result(infer=lambda op: op.operands[0].type), "__module__": __name__,
             "__doc__": f"`{name}`, elementwise."}  # fmt: skip
    return type(Unary)(  # type: ignore[no-any-return, misc]
        name.split(".")[1].title(), (Unary,), parts, name=name, pure=True
    )


Exp, Exp2, Log, Log2, Sqrt, Rsqrt = (_unary(f"math.{n}") for n in ("exp", "exp2", "log", "log2", "sqrt", "rsqrt"))
Sin, Cos, Tanh, Erf = (_unary(f"math.{n}") for n in ("sin", "cos", "tanh", "erf"))
AbsF, AbsI, Floor, Ceil, RoundEven, Trunc = (_unary(f"math.{n}") for n in ("absf", "absi", "floor", "ceil", "roundeven", "trunc"))


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


class PowF(Elementwise, name="math.powf", pure=True):
    """`lhs` to the power of `rhs`, elementwise."""

    format = "$lhs `,` $rhs attr-dict `:` type($result)"
    lhs: Value = operand()
    rhs: Value = operand()
    result: Value = result(infer=lambda op: op.operands[0].type)
