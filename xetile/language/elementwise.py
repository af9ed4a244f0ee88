"""Python's operators on values: promotion, broadcasting, and the arith ops behind them."""

from __future__ import annotations

from functools import partial, reduce, wraps
from math import isfinite
from typing import Any

from xetile import dtypes
from xetile.dialects import arith, math, vector, xetile
from xetile.dialects.types import VectorType
from xetile.dtypes import DType
from xetile.errors import DtypeError, TileShapeError
from xetile.ir.core import Op
from xetile.ir.core import Value as IRValue
from xetile.language.ambient import traced
from xetile.language.context import current
from xetile.language.promote import as_float, check_fits, number_dtype, promote, promote_weak
from xetile.language.values import (
    NUMBERS,
    FunctionT,
    Number,
    Shape,
    Value,
    Weak,
    describe,
    hint_to_load,
    ir_type,
    operator,
    shape2d,
)

# By kind of the operands: signed integers and index, unsigned integers and bool, floats.
_ARITHMETIC: dict[str, tuple[type[Op], type[Op], type[Op]]] = {
    "add": (arith.AddI, arith.AddI, arith.AddF),
    "sub": (arith.SubI, arith.SubI, arith.SubF),
    "mul": (arith.MulI, arith.MulI, arith.MulF),
    "maximum": (arith.MaxSI, arith.MaxUI, arith.MaximumF),
    "minimum": (arith.MinSI, arith.MinUI, arith.MinimumF),
    "fmax": (arith.MaxSI, arith.MaxUI, arith.MaxNumF),
    "fmin": (arith.MinSI, arith.MinUI, arith.MinNumF),
}
_WRAPPING = ("add", "sub", "mul")
_BITWISE: dict[str, type[Op]] = {"and": arith.AndI, "or": arith.OrI, "xor": arith.XOrI}
_COMPARISONS = {"eq": ("eq", "eq", "oeq"), "ne": ("ne", "ne", "une"), "lt": ("slt", "ult", "olt"), "le": ("sle", "ule", "ole"),
                "gt": ("sgt", "ugt", "ogt"), "ge": ("sge", "uge", "oge")}  # fmt: skip


def kind_index(dtype: DType) -> int:
    """0 for signed integers and index, 1 for unsigned integers and bool, 2 for floats."""
    if dtype.is_float:
        return 2
    return 1 if dtype.kind in "ub" else 0


def plain(number: Any) -> Any:
    """numpy scalars as Python numbers (weakly typed like them); other things as they are."""
    if isinstance(number, (Value, *NUMBERS)) or not hasattr(number, "item") or getattr(number, "shape", ()) != ():
        return number
    return number.item()


def constant(number: Number, dtype: DType, shape: Shape = ()) -> Value:
    """A Python number as a value; raises DtypeError if it does not fit the dtype."""
    return Value(current().constant(spelled(number, dtype), ir_type(dtype, shape)), dtype, shape)


def spelled(number: Number, dtype: DType) -> Number:
    """A Python number as constants of a dtype hold it; raises DtypeError if it does not fit the dtype."""
    if dtype.is_float:
        return as_float(number, dtype)
    if isinstance(number, float) and not (isfinite(number) and number == int(number)):
        raise DtypeError(f"{number} is not a number of dtype {dtype}", hint="convert the other operand to a float: .to(xt.f32)")
    check_fits(int(number), dtype, current().index_bits)
    number = bool(number) if dtype.kind == "b" else int(number)
    # The IR's integers have no sign: one spelling for each bit pattern.
    return number - 2**dtype.bits if dtype.kind == "u" and number >= 2 ** (dtype.bits - 1) else number


def as_value(x: Any, dtype: DType | None = None) -> Value:
    """A run-time value, or a Python number as one (bool, index or f32 where no dtype is given)."""
    x = plain(x)
    if isinstance(x, Value):
        return x
    if not isinstance(x, NUMBERS):
        if traced.get() is None:
            current()
        raise DtypeError(f"{describe(x)} is not a value to compute with", hint=hint_to_load(x))
    return constant(x, dtype or own_dtype(x))


def own_dtype(number: Number) -> DType:
    """The dtype of a Python number that meets no value: bool, index or f32, which is f64 in kernels of f64 arrays."""
    dtype = number_dtype(number)
    return dtypes.f64 if dtype is dtypes.f32 and current().precise else dtype


def common_dtype(*values: Any) -> DType:
    """The dtype that an operation of these values and Python numbers has."""
    typed = [v.dtype for v in values if isinstance(v, Value) and not isinstance(v, Weak)]
    for wrong in (v for v in values if v is None or isinstance(v, (str, tuple, list, dict))):
        raise DtypeError(f"{wrong!r} is not a value to compute with", hint=hint_to_load(wrong) or "a number, or a tile's value")
    for wrong in (v for v in values if not isinstance(v, Value) and getattr(v, "described", None) is not None):
        raise DtypeError(f"{describe(wrong)} is not a value to compute with", hint=hint_to_load(wrong))
    if typed:
        return number_with(reduce(promote, typed), *(v for v in values if isinstance(v, Weak) or not isinstance(v, Value)))
    own = [v.dtype if isinstance(v, Weak) else own_dtype(v) for v in values]
    return reduce(promote, own)


def number_with(dtype: DType, *numbers: Any) -> DType:
    """The dtype that Python numbers, and values that stand for such, have with a value of `dtype`; raises DtypeError."""
    result = promote(dtype, dtype)
    for number in numbers:
        if not isinstance(number, Weak):
            met = promote_weak(number, result, current().index_bits)
            result = own_dtype(number) if met is not result and isinstance(number, float) else met
        elif number.dtype.is_float and not result.is_float:
            result = number.dtype
        elif result.kind == "b":
            result = dtypes.i32
    return result


def weakly(function: FunctionT) -> FunctionT:
    """An operation whose result stands for a Python number where all operands do."""

    @wraps(function)
    def applied(*operands: Any) -> Any:
        result = function(*operands)
        if type(result) is not Value or not any(isinstance(x, Weak) for x in operands):
            return result
        typed = any(isinstance(x, Value) and not isinstance(x, Weak) for x in operands)
        return result if typed else Weak(result.ir, result.dtype, result.shape)

    return applied  # type: ignore[return-value]


def exactly(function: FunctionT) -> FunctionT:
    """An operation whose result is not that of wrapped operands: an integer that stands for a Python number keeps all its bits in it.

    It is then as a value of index; the result has the other's dtype.
    """

    @wraps(function)
    def applied(a: Any, b: Any) -> Any:
        weak = [x for x in (a, b) if isinstance(x, Weak) and x.dtype.kind == "n"]
        other = b if isinstance(a, Weak) else a
        if len(weak) != 1 or not isinstance(other, Value) or other.dtype.kind not in "iu":
            return function(a, b)
        result = function(*(Value(x.ir, x.dtype) if x is weak[0] else x for x in (a, b)))
        return result.to(other.dtype) if isinstance(result, Value) else result

    return applied  # type: ignore[return-value]


def broadcast_shapes(*shapes: Shape) -> Shape:
    """numpy's rule; raises TileShapeError where sizes differ and none is 1."""
    rank = max(map(len, shapes))
    result = [1] * rank
    for shape in shapes:
        for axis, n in enumerate(shape, start=rank - len(shape)):
            if n != 1 and result[axis] not in (1, n):
                texts = " and ".join("x".join(map(str, s)) for s in shapes if s)
                raise TileShapeError(
                    f"shapes {texts} do not go together: {result[axis]} and {n} elements along axis {axis}",
                    hint="axes must have the same size, or size 1: v[:, None] and v[None, :] add axes",
                )
            result[axis] = max(result[axis], n)
    return tuple(result)


def broadcast_to(value: Value, shape: Shape, wg_map: Any = None) -> Value:
    """The value stretched to `shape`, which must be what numpy's rule allows."""
    if value.shape == shape:
        return value
    kernel = current()
    if not shape:
        raise TileShapeError(f"{describe(value)} is not a scalar")
    result = VectorType(shape2d(shape), value.dtype.ir)
    if not value.shape:
        number = arith.constant_of(value.ir)
        if number is not None:
            return Value(kernel.constant(number, result), value.dtype, shape)
        return Value(kernel.build(vector.Broadcast, value.ir, result=result), value.dtype, shape)
    source = shape2d(value.shape)
    dims = tuple(d for d, (n, m) in enumerate(zip(source, result.shape)) if n != m)
    if not dims:
        return Value(value.ir, value.dtype, shape)
    if any(source[d] != 1 for d in dims):
        raise TileShapeError(f"{describe(value)} cannot be stretched to {shape}", hint="only axes of size 1 stretch")
    return Value(kernel.build(xetile.TileBroadcast, value.ir, dims=dims, wg_map=wg_map, result=result), value.dtype, shape)


def matched(*values: Any, dtype: DType | None = None) -> tuple[list[IRValue], DType, Shape]:
    """The operands in one dtype and one shape, with both."""
    values = tuple(map(plain, values))
    dtype = dtype or common_dtype(*values)
    shape = broadcast_shapes(*(v.shape if isinstance(v, Value) else () for v in values))
    operands = []
    for v in values:
        value = v.to(dtype) if isinstance(v, Value) else constant(v, dtype, shape)
        operands.append(broadcast_to(value, shape).ir)
    return operands, dtype, shape


@weakly
def arithmetic(name: str, a: Any, b: Any) -> Value:
    """An op of _ARITHMETIC. Sums, differences and products wrap as their operands do; the larger of two is not that of wrapped ones."""
    applied = partial(_arithmetic, name)
    return applied(a, b) if name in _WRAPPING else exactly(applied)(a, b)


def _arithmetic(name: str, a: Any, b: Any) -> Value:
    dtype = common_dtype(plain(a), plain(b))
    if dtype.kind == "b" and name in _WRAPPING:
        dtype = dtypes.i32
    (lhs, rhs), dtype, shape = matched(a, b, dtype=dtype)
    return Value(current().build(_ARITHMETIC[name][kind_index(dtype)], lhs, rhs), dtype, shape)


def _register_tables() -> None:
    for name in _WRAPPING:
        operator(name)(lambda a, b, name=name: arithmetic(name, a, b))
    for name in _BITWISE:
        operator(name)(lambda a, b, name=name: bitwise(name, a, b))
    for name in _COMPARISONS:
        operator(name)(lambda a, b, name=name: compare(name, a, b))


@weakly
def bitwise(name: str, a: Any, b: Any) -> Value:
    """and, or, xor of integers and masks; raises DtypeError for floats."""
    symbol = {"and": "&", "or": "|", "xor": "^"}[name]
    (lhs, rhs), dtype, shape = matched(a, b, dtype=_integer_dtype(symbol, a, b))
    return Value(current().build(_BITWISE[name], lhs, rhs), dtype, shape)


def _integer_dtype(symbol: str, *values: Any) -> DType:
    dtype = common_dtype(*map(plain, values))
    if dtype.is_float:
        raise DtypeError(
            f"{symbol} works on integers and masks, not on {' and '.join(map(describe, values))}",
            hint=_AROUND_COMPARISONS
            if symbol in "&|" and len(values) > 1
            else "convert with .to(xt.i32), or look at the bits with .bitcast(xt.i32)",
        )
    return dtype


_AROUND_COMPARISONS = (
    "comparisons beside it stand in brackets, (x > 0) & (x < 5); numbers are converted with .to(xt.i32), or by their bits with "
    ".bitcast(xt.i32)"
)


def compare(name: str, a: Any, b: Any) -> Value:
    """A comparison: a bool of the broadcast shape; every comparison with NaN but != is false."""
    for index, number in ((a, b), (b, a)) if name in ("eq", "ne") else ():
        found = _equals_number(index, number)
        if found is not None:
            return found if name == "eq" else invert(found)
    (lhs, rhs), dtype, shape = _compared(a, b)
    kind = arith.CmpF if dtype.is_float else arith.CmpI
    predicate = _COMPARISONS[name][kind_index(dtype)]
    return Value(current().build(kind, lhs, rhs, predicate=predicate), dtypes.bool_, shape)


def _equals_number(index: Any, number: Any) -> Value | None:
    """Where a tile of index of 32 bits equals one of fewer numbers of 64 bits, such as labels: in 32 bits, where those hold the number.

    GPUs compare 64 bits by several instructions for each element; the numbers are looked at once.
    """
    if not all(isinstance(v, Value) and not isinstance(v, Weak) for v in (index, number)):
        return None
    if index.dtype is not dtypes.index or number.dtype is not dtypes.i64 or current().index_bits > 32:
        return None
    shape = broadcast_shapes(index.shape, number.shape)
    if shape == number.shape or len(number.shape) != len(shape):
        return None
    low = number.to(dtypes.i32)
    return bitwise("and", compare("eq", index, low.to(dtypes.index)), compare("eq", low.to(dtypes.i64), number))


@exactly
def _compared(a: Any, b: Any) -> tuple[list[IRValue], DType, Shape]:
    return matched(a, b)


@operator("lshift")
@weakly
def shift_left(a: Any, b: Any) -> Value:
    """`a << b`: 0 where b, taken without sign, is not below the width."""
    a, b = _with_counts(a, b)
    dtype = _integer_dtype("<<", a, b)
    (lhs, rhs), dtype, shape = matched(a, _amount(b, dtype), dtype=dtype)
    return Value(current().build(arith.ShLI, lhs, rhs), dtype, shape)


@operator("rshift")
@weakly
def shift_right(a: Any, b: Any) -> Value:
    """`a >> b`: keeps the sign of signed integers; 0 or the sign alone where b, taken without sign, is not below the width."""
    if isinstance(a, Weak) and isinstance(b, Value) and not isinstance(b, Weak):
        return exactly(shift_right)(a, b)
    a, b = _with_counts(a, b)
    dtype = _integer_dtype(">>", a, b)
    (lhs, rhs), dtype, shape = matched(a, _amount(b, dtype), dtype=dtype)
    return Value(current().build(arith.ShRSI if dtype.is_signed else arith.ShRUI, lhs, rhs), dtype, shape)


def _with_counts(a: Any, by: Any) -> tuple[Any, Any]:
    """What is shifted and how far, where one is u64 and the other has a sign: a count below 0 becomes one beyond the width, as it is
    taken, and so the other way.
    """
    kinds = [v.dtype for v in (a, by) if isinstance(v, Value) and not isinstance(v, Weak)]
    if len(kinds) < 2 or dtypes.u64 not in kinds or not any(kind.kind in "in" for kind in kinds):
        return a, by
    return a, by.to(dtypes.u64 if kinds[0] is dtypes.u64 else dtypes.i64)


def _amount(by: Any, dtype: DType) -> Any:
    """How far a value of `dtype` is shifted: no number's bits are lost that tell it from one below the width."""
    if not isinstance(by, Weak) or dtype.kind == "n":
        return by
    inside = bitwise("and", compare("ge", by, 0), compare("lt", by, dtype.bits))
    return by.with_ir(current().build(arith.Select, inside.ir, by.ir, constant(dtype.bits, by.dtype).ir))


@operator("neg")
def negative(a: Value) -> Value:
    """`-a`."""
    if a.dtype.is_float:
        promote(a.dtype, a.dtype)
        return a.with_ir(current().build(arith.NegF, a.ir))
    return arithmetic("sub", 0, a)


@operator("pos")
def positive(a: Value) -> Value:
    """`+a`."""
    return a


@operator("invert")
def invert(a: Value) -> Value:
    """`~a`: not of a mask, all bits of an integer."""
    _integer_dtype("~", a)
    return bitwise("xor", a, True if a.dtype.kind == "b" else _all_ones(a.dtype))


def _all_ones(dtype: DType) -> int:
    return 2**dtype.bits - 1 if dtype.kind == "u" else -1


@operator("abs")
def absolute(a: Value) -> Value:
    """`abs(a)`."""
    if a.dtype.kind in "ub":
        return a
    promote(a.dtype, a.dtype)
    if a.dtype.kind == "n":
        return arithmetic("maximum", a, negative(a))
    return a.with_ir(current().build(math.AbsF if a.dtype.is_float else math.AbsI, a.ir))


_register_tables()
