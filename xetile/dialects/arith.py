"""arith: elementwise arithmetic on scalars and vectors (MLIR's arith dialect, LLVM 22)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from xetile.dialects.types import I1, ScalarType, VectorType, element_of, like, shape_of, value_bits
from xetile.ir.core import Elementwise, Op, Type, Value, attribute, operand, result

# Kinds of atomics, of arith's AtomicRMWKind.
ATOMICS_INT = ("addi", "andi", "assign", "maxs", "maxu", "mins", "minu", "muli", "ori", "xori")
ATOMICS_FLOAT = ("addf", "assign", "maximumf", "maxnumf", "minimumf", "minnumf", "mulf")
CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
CMPF = ("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true")


def _first(op: Op) -> Type:
    return op.operands[0].type


class Constant(Op, name="arith.constant", pure=True, constant_like=True):
    """A constant: `value` is an int, float or bool (splat over a vector), or a tuple of them in row-major order."""

    value: Any = attribute()
    result: Value = result()

    def print(self, p: Any) -> str:
        """`arith.constant 0 : index`, `arith.constant dense<0.0> : vector<8x16xf32>`."""
        return f"arith.constant{p.attr_dict(self, {'value'}, before=' ')} {p.constant(self.value, self.results[0].type)}"


class Binary(Elementwise):
    """An elementwise op of two operands of one type."""

    format = "$lhs `,` $rhs attr-dict `:` type($result)"
    commutative = False
    function = ""
    """What it computes of whole numbers, as analyses name it; "u" before it: of numbers without a sign. Empty for floats."""
    if TYPE_CHECKING:  # each op declares its own
        lhs: Value
        rhs: Value
        result: Value

    def verify(self) -> None:
        lhs, rhs = self.operands[0].type, self.operands[1].type
        if lhs != rhs:
            raise self.fail(f"operands differ in type: {lhs} and {rhs}")
        if element_of(lhs).is_float != self.on_floats:
            raise self.fail(f"takes {'floats' if self.on_floats else 'integers'}, not {lhs}")
        for name in self.attributes.keys() & PROMISES.keys():
            if not promises(self.opname, name, self.attributes[name]):
                raise self.fail(f"cannot be {name}")

    on_floats = False


class Unary(Elementwise):
    """An elementwise op of one operand."""

    format = "$operand attr-dict `:` type($operand)"
    if TYPE_CHECKING:  # each op declares its own
        operand: Value
        result: Value


class Cast(Elementwise):
    """An elementwise conversion."""

    format = "$operand attr-dict `:` type($operand) `to` type($result)"
    kinds: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]] = ((), ())
    grows: ClassVar[int] = 0
    keeps_bits: ClassVar[bool] = False
    if TYPE_CHECKING:  # each op declares its own
        operand: Value
        result: Value

    def verify(self) -> None:
        source, target = self.operands[0].type, self.results[0].type
        if shape_of(source) != shape_of(target):
            raise self.fail(f"changes the shape: {source} to {target}")
        one, other = element_of(source), element_of(target)
        if one.kind not in self.kinds[0] or other.kind not in self.kinds[1]:
            raise self.fail(f"takes {' or '.join(self.kinds[0])} to {' or '.join(self.kinds[1])}, not {one} to {other}")
        if self.grows * (value_bits(other) - value_bits(one)) < abs(self.grows):
            raise self.fail(f"makes {'wider' if self.grows > 0 else 'narrower'} numbers, not {other} of {one}")
        if self.keeps_bits and one.bits != other.bits:
            raise self.fail(f"gives as many bits as it takes, not {other} of {one}")


def _binary(name: str, function: str = "", *, commutative: bool = False) -> type[Binary]:
    parts = {"lhs": operand(), "rhs": operand(), "result": result(infer=_first), "__module__": __name__,
             "on_floats": not function, "function": function, "commutative": commutative,
             "__doc__": f"`{name}`, elementwise."}  # fmt: skip
    return type(Binary)(  # type: ignore[no-any-return, misc]
        name.split(".")[1].title(), (Binary,), parts, name=name, pure=True
    )


_INTEGER, _FLOAT, _INDEX = ("int",), ("float",), ("int", "index")


def _cast(name: str, source: tuple[str, ...], target: tuple[str, ...], grows: int = 0, *, keeps_bits: bool = False) -> type[Cast]:
    """`source` and `target`: kinds of elements; `grows`: 1 where these become wider, -1 where narrower."""
    parts = {"operand": operand(), "result": result(), "kinds": (source, target), "grows": grows, "keeps_bits": keeps_bits,
             "__module__": __name__, "__doc__": f"`{name}`, elementwise conversion."}  # fmt: skip
    return type(Cast)(  # type: ignore[no-any-return, misc]
        name.split(".")[1].title(), (Cast,), parts, name=name, pure=True
    )


AddI, MulI, AndI, OrI, XOrI = (_binary(f"arith.{n}i", n, commutative=True) for n in ("add", "mul", "and", "or", "xor"))
SubI, ShLI = (_binary(f"arith.{n}i", n) for n in ("sub", "shl"))
DivSI, RemSI, ShRSI, FloorDivSI, CeilDivSI = (_binary(f"arith.{n}si", n) for n in ("div", "rem", "shr", "floordiv", "ceildiv"))
DivUI, RemUI, ShRUI, CeilDivUI = (_binary(f"arith.{n}ui", f"u{n}") for n in ("div", "rem", "shr", "ceildiv"))
MaxSI, MinSI = (_binary(f"arith.{n}si", n, commutative=True) for n in ("max", "min"))
MaxUI, MinUI = (_binary(f"arith.{n}ui", f"u{n}", commutative=True) for n in ("max", "min"))
AddF, MulF = (_binary(f"arith.{n}", commutative=True) for n in ("addf", "mulf"))
SubF, DivF, RemF = (_binary(f"arith.{n}") for n in ("subf", "divf", "remf"))
# Not commutative here: of two equal operands they give the first, which tells the sign of zero.
MaximumF, MinimumF, MaxNumF, MinNumF = (_binary(f"arith.{n}") for n in ("maximumf", "minimumf", "maxnumf", "minnumf"))
APPROXIMATE, EITHER_ZERO, WHOLE = "xetile.approximate", "xetile.either_zero", "xetile.whole"
PROMISES = {APPROXIMATE: {DivF.opname}, EITHER_ZERO: {MinNumF.opname, MaxNumF.opname}, WHOLE: {"arith.index_cast"}}
"""Attributes, which are true, and whose they are: quotients that need not be exact (`xt.sigmoid`); the smaller or larger of zeros, of
which either may come; an integer that stands for all of an index, which may not lose bits that the index has.
"""


def promises(opname: str, name: str, value: Any) -> bool:
    """Whether an attribute is one of these, of such an op."""
    return opname in PROMISES.get(name, ()) and value is True


ExtF, TruncF = _cast("arith.extf", _FLOAT, _FLOAT, 1), _cast("arith.truncf", _FLOAT, _FLOAT, -1)
SIToFP, UIToFP = (_cast(f"arith.{n}", _INTEGER, _FLOAT) for n in ("sitofp", "uitofp"))
FPToSI, FPToUI = (_cast(f"arith.{n}", _FLOAT, _INTEGER) for n in ("fptosi", "fptoui"))
ExtSI, ExtUI = (_cast(f"arith.{n}", _INTEGER, _INTEGER, 1) for n in ("extsi", "extui"))
TruncI = _cast("arith.trunci", _INTEGER, _INTEGER, -1)
IndexCast, IndexCastUI = (_cast(f"arith.{n}", _INDEX, _INDEX) for n in ("index_cast", "index_castui"))
Bitcast = _cast("arith.bitcast", (*_INTEGER, *_FLOAT), (*_INTEGER, *_FLOAT), keeps_bits=True)
INDEX_CASTS = (IndexCast, IndexCastUI)
INTEGER_CASTS = (ExtSI, ExtUI, TruncI, *INDEX_CASTS)
"""Those from whole numbers to whole numbers."""
INTEGER_DIVISIONS = (DivSI, RemSI, FloorDivSI, CeilDivSI, DivUI, RemUI, CeilDivUI)
FLOAT_EXTREMES = (MaximumF, MinimumF, MaxNumF, MinNumF)


class NegF(Unary, name="arith.negf", pure=True):
    """Negation of floats, elementwise."""

    operand: Value = operand()
    result: Value = result(infer=_first)


class _Compare(Elementwise):
    predicates: tuple[str, ...] = ()

    def verify(self) -> None:
        if self.attributes["predicate"] not in self.predicates:
            raise self.fail(f"unknown predicate {self.attributes['predicate']!r}", hint=f"one of {', '.join(self.predicates)}")
        if self.operands[0].type != self.operands[1].type:
            raise self.fail(f"operands differ in type: {self.operands[0].type} and {self.operands[1].type}")

    format = "$predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs)"


def _mask(op: Op) -> Type:
    return like(op.operands[0].type, I1)


class CmpI(_Compare, name="arith.cmpi", pure=True):
    """Comparison of integers; `predicate` one of CMPI."""

    predicates = CMPI
    predicate: str = attribute("keyword")
    lhs: Value = operand()
    rhs: Value = operand()
    result: Value = result(infer=_mask)


class CmpF(_Compare, name="arith.cmpf", pure=True):
    """Comparison of floats; `predicate` one of CMPF (o: false on NaN, u: true on NaN)."""

    predicates = CMPF
    predicate: str = attribute("keyword")
    lhs: Value = operand()
    rhs: Value = operand()
    result: Value = result(infer=_mask)


class Select(Elementwise, name="arith.select", pure=True):
    """`condition ? true_value : false_value`; the condition is i1, or a vector of i1 of the values' shape."""

    condition: Value = operand()
    true_value: Value = operand()
    false_value: Value = operand()
    result: Value = result(infer=lambda op: op.operands[1].type)

    def verify(self) -> None:
        if self.operands[1].type != self.operands[2].type:
            raise self.fail(f"values differ in type: {self.operands[1].type} and {self.operands[2].type}")

    def print(self, p: Any) -> str:
        """A vector condition is printed with its type (MLIR's arith.select)."""
        condition = self.operands[0].type
        prefix = f"{condition}, " if isinstance(condition, VectorType) else ""
        dictionary = p.attr_dict(self, (), before=" ")
        return f"arith.select {', '.join(map(p.name, self.operands))}{dictionary} : {prefix}{self.results[0].type}"


def constant_of(value: Any) -> Any:
    """The constant that a Value holds, or None."""
    try:
        op = value.op
    except AttributeError:
        return None
    return op.attributes["value"] if op.__class__ is Constant else None


def numbers_of(value: Value) -> tuple[Any, ...]:
    """The numbers that a constant holds, one for all elements or one for each; none of other values."""
    known = constant_of(value)
    return () if known is None else known if isinstance(known, tuple) else (known,)


__all__ = [name for name in dir() if name[0].isupper()] + ["ScalarType", "constant_of", "numbers_of"]
