"""Run-time values: what a kernel computes with."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar

from xetile import dtypes
from xetile.dialects.arith import constant_of
from xetile.dialects.types import INDEX, VectorType
from xetile.dtypes import DType, from_numpy
from xetile.errors import CompileError, ConstexprError, DtypeError, TileShapeError
from xetile.ir.core import Type
from xetile.ir.core import Value as IRValue

Shape = tuple[int, ...]
FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

OPERATORS: dict[str, Callable[..., Any]] = {}
"""What Python's operators do, by the name of the special method without underscores; filled by the files of this folder, all of which
the frontend imports."""

HOST_ARRAY = ("arrays of numpy's are arguments: pass it to the kernel, and load a tile of it; "
              "what a kernel makes itself comes from xt.zeros, xt.full and xt.arange")  # fmt: skip

NUMBERS = (bool, int, float)
LARGEST_TILE = 1 << 24
"""Elements of a tile or a value: far beyond every register file, so that a slip of the pen is told before a compiler works on it for hours."""

Number = bool | int | float

if TYPE_CHECKING:
    from numpy import generic

    from xetile.dtypes import DTypeLike

    Operand: TypeAlias = "Value | float | generic"  # what operators take beside a value


def operator(*names: str) -> Callable[[FunctionT], FunctionT]:
    """Register the function behind Python operators."""

    def register(function: FunctionT) -> FunctionT:
        for name in names:
            OPERATORS[name] = function
        return function

    return register


def _binary(name: str) -> Callable[[Value, Operand], Value]:
    def method(self: Any, other: Any) -> Any:
        if not is_operand(other):
            return NotImplemented
        return OPERATORS[name](self, other)

    return method


def _reflected(name: str) -> Callable[[Value, Operand], Value]:
    def method(self: Any, other: Any) -> Any:
        if not is_operand(other):
            return NotImplemented
        return OPERATORS[name](other, self)

    return method


def _unary(name: str) -> Callable[[Value], Value]:
    def method(self: Any) -> Any:
        return OPERATORS[name](self)

    return method


def is_operand(value: Any) -> bool:
    """Whether arithmetic takes it: a run-time value, a Python number or a numpy scalar."""
    return isinstance(value, (Value, *NUMBERS)) or (hasattr(value, "item") and getattr(value, "shape", None) == ())


class Value:
    """A scalar (shape ()), a row of elements (shape (N,)) or a 2-D value (shape (M, N)) of one dtype.

    In the IR a value of rank 1 is a vector of one row. Operators work as numpy's, element by element, and broadcast axes of
    size 1; `a @ b` is the matrix product; `v[:, None]` and `v[None, :]` make rank 1 into rank 2; `.T` transposes. Integers, slices
    and values of integers as subscripts choose elements, as in numpy (`x[2, 5]`, `x[:, 3]`, `x[rows]`, `table[codes]`);
    `x.reshape(M, N)`.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((4,), X.dtype)}, grid=1)
        def example(X, Y):
            x: xt.Value = xt.load_tile(xt.init_tile(X, (0, 0), (2, 4)))
            xt.store_tile(x[1] * 10 + x[0, 2], xt.init_tile(Y, (0,), (4,)))

        print(example(np.arange(8, dtype=np.float32).reshape(2, 4)))

    Prints:
        [42. 52. 62. 72.]
    """

    __slots__ = ("dtype", "ir", "shape")
    __array_ufunc__ = None  # numpy scalars on the left must not take the operation over

    def __init__(self, ir: IRValue, dtype: DType, shape: Shape = ()) -> None:
        self.ir = ir
        self.dtype = dtype
        self.shape = shape

    def __repr__(self) -> str:
        return describe(self)

    @property
    def ndim(self) -> int:
        """0 for a scalar, 1 for a row, 2 for a 2-D value."""
        return len(self.shape)

    def with_ir(self, ir: IRValue) -> Value:
        """Another value of the same dtype and shape."""
        return type(self)(ir, self.dtype, self.shape)

    def to(self, dtype: DTypeLike) -> Value:
        """Every element converted: to bool by `!= 0`, floats to integers towards zero, to narrower floats to nearest even.

        Integers wrap. A float outside an integer's range gives the integer nearest to it, NaN 0. Raises DtypeError for what is no dtype.
        """
        result: Value = OPERATORS["convert"](self, dtype)
        return result

    def bitcast(self, dtype: DTypeLike) -> Value:
        """The same bits read as another dtype of the same width; raises DtypeError where the widths differ."""
        result: Value = OPERATORS["bitcast"](self, dtype)
        return result

    @property
    def T(self) -> Value:
        """Transposed; rank 1 stays as it is, as in numpy."""
        result: Value = OPERATORS["transpose"](self)
        return result

    def item(self) -> Value:
        """The only element of a value of one element, as a scalar; raises TileShapeError for other sizes."""
        result: Value = OPERATORS["item"](self)
        return result

    def reshape(self, *shape: Any) -> Value:
        """As `xt.reshape(value, shape)`; raises TileShapeError where the number of elements differs."""
        result: Value = OPERATORS["reshape"](self, shape[0] if len(shape) == 1 else shape)
        return result

    def __getitem__(self, index: Any) -> Value:
        result: Value = OPERATORS["getitem"](self, index)
        return result

    __add__, __radd__ = _binary("add"), _reflected("add")
    __sub__, __rsub__ = _binary("sub"), _reflected("sub")
    __mul__, __rmul__ = _binary("mul"), _reflected("mul")
    __truediv__, __rtruediv__ = _binary("truediv"), _reflected("truediv")
    __floordiv__, __rfloordiv__ = _binary("floordiv"), _reflected("floordiv")
    __mod__, __rmod__ = _binary("mod"), _reflected("mod")
    __pow__, __rpow__ = _binary("pow"), _reflected("pow")
    __and__, __rand__ = _binary("and"), _reflected("and")
    __or__, __ror__ = _binary("or"), _reflected("or")
    __xor__, __rxor__ = _binary("xor"), _reflected("xor")
    __lshift__, __rlshift__ = _binary("lshift"), _reflected("lshift")
    __rshift__, __rrshift__ = _binary("rshift"), _reflected("rshift")
    __matmul__, __rmatmul__ = _binary("matmul"), _reflected("matmul")
    __lt__, __le__, __gt__, __ge__ = _binary("lt"), _binary("le"), _binary("gt"), _binary("ge")
    __eq__: Any = _binary("eq")
    __ne__: Any = _binary("ne")
    __neg__, __pos__, __invert__, __abs__ = _unary("neg"), _unary("pos"), _unary("invert"), _unary("abs")
    __hash__ = object.__hash__

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    def __bool__(self) -> bool:
        if self.shape:
            raise TileShapeError(
                f"the truth of {describe(self)} is ambiguous: it has {count(self.shape)} elements",
                hint="combine masks with & | ~, choose elements with xt.where, or reduce with xt.any or xt.all",
            )
        raise ConstexprError(
            f"the truth of this {self.dtype} is known at run time only, and plain Python asks for it at compile time",
            hint="decide on it in the kernel itself, or decorate the function that asks with @xetile.jit",
        )

    def _no_number(self) -> NoReturn:
        raise ConstexprError(
            f"{describe(self)} is known at run time only, and a number is needed while the kernel is compiled",
            hint=constant_hint(self),
        )

    __index__ = __int__ = __float__ = __complex__ = _no_number

    def __iter__(self) -> NoReturn:
        raise CompileError(
            f"cannot loop over the elements of {describe(self)}",
            hint="use operations on whole values: x * 2, xt.sum(x), xt.any(x > 0), xt.where(mask, x, y); kernels do not sort",
        )

    def __len__(self) -> int:
        if not self.shape:
            raise TileShapeError("a scalar has no len()")
        return self.shape[0]

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in Value.__slots__:
            raise CompileError(f"values have no attribute {name!r} that could be set")
        object.__setattr__(self, name, value)

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        raise CompileError("elements of a value cannot be set", hint="choose elements with xt.where(mask, new, old)")


_CASTS = {"arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci"}
_SIZE = re.compile(r"(\w+)_d(\d+)")


def constant_hint(value: Any, otherwise: str = "make it a constexpr parameter") -> str:
    """How to make a number a constant, by the parameter that it comes from."""
    ir = value.ir if isinstance(value, Value) else None
    while ir is not None and (getattr(ir.owner, "opname", "") in _CASTS or _takes_nothing_off(ir.owner)):
        ir = ir.owner.operands[0]  # type: ignore[union-attr]
    if ir is None or hasattr(ir.owner, "opname") or not ir.name:
        return otherwise
    if size := _SIZE.fullmatch(ir.name):
        return f"{size[1]}.shape[{size[2]}] comes with the call: give the size as a parameter of its own, N: xt.constexpr"
    return f"annotate the parameter: {ir.name}: xt.constexpr" if ir.type is not INDEX else otherwise


def _takes_nothing_off(op: Any) -> bool:
    return getattr(op, "opname", "") == "arith.subi" and constant_of(op.operands[1]) == 0


class Weak(Value):
    """A scalar that stands for a number of Python's: with other values it takes their dtype, as a literal does.

    Such are floats that a call gives in f64, numbers that a loop or a branch changes (index, f32 or f64), and what is computed of
    these and literals alone.
    """

    __slots__ = ()


def is_integer(item: Any) -> bool:
    """Whether something is one whole number, known or not; no bool is."""
    if isinstance(item, Value):
        return not item.shape and item.dtype.kind in "iun"
    return isinstance(item, int) and not isinstance(item, bool)


def count(shape: Shape) -> int:
    """Number of elements."""
    total = 1
    for n in shape:
        total *= n
    return total


def shape2d(shape: Shape) -> tuple[int, int]:
    """The shape in the IR of a value of rank 1 or 2; raises TileShapeError for others, which only xegpu's functions take."""
    if len(shape) == 2:
        return shape[0], shape[1]
    if len(shape) > 2:
        raise TileShapeError(
            f"a value of shape {shape} is for dpas, store and extract of xegpu only",
            hint="compute on it before it is packed, or on the blocks that xegpu.extract gives",
        )
    return 1, shape[0]


def ir_type(dtype: DType, shape: Shape) -> Type:
    """The type in the IR."""
    return VectorType(shape2d(shape), dtype.ir) if shape else dtype.ir


def describe(value: Any) -> str:
    """A value in the user's words: "f16[256,32]", "an i32 scalar", "3"."""
    if isinstance(value, Value):
        return f"{value.dtype}[{','.join(map(str, value.shape))}]" if value.shape else f"{value.dtype} scalar"
    if isinstance(value, NUMBERS):
        return repr(value)
    return getattr(value, "described", None) or type(value).__name__


def how_to_cut(part: Any) -> str:
    """How a tile of constant size is taken of an array, or of a part of it."""
    name = part.name
    if part.ndim > 2:
        return f"drop leading axes first: {name}[{'i, ' * (part.ndim - 2)}m:m + 64, 0:32]"
    if part.ndim == 1:
        return f"take a part of constant size, {name}[m:m + 64], or xt.init_tile({name}, m, (64,))"
    return f"take a part of constant size, {name}[m:m + 64, 0:32], or xt.init_tile({name}, (m, 0), (64, 32))"


def hint_to_load(held: Any) -> str | None:
    """What to write where a value is wanted and something else is given that holds elements."""
    if getattr(held, "described", None) is not None:
        return "load a tile of it first: xt.load_tile(A[m:m + 64, 0:32]), or xt.load_tile(tile)"
    return HOST_ARRAY if getattr(held, "shape", ()) and hasattr(held, "tobytes") else None


def check_dtype(dtype: Any, what: str = "dtype") -> DType:
    """`dtype` itself if it is one of ours; raises DtypeError with the nearest of ours for Python's and numpy's types."""
    if isinstance(dtype, DType):
        return dtype
    numpy_dtype = dtype if hasattr(dtype, "itemsize") and hasattr(dtype, "byteorder") else _dtype_of_scalar(dtype)
    if numpy_dtype is not None:
        return from_numpy(numpy_dtype)
    hint = "use xt.f16, xt.f32, xt.i32, ..., or numpy's"
    if isinstance(dtype, int) and not isinstance(dtype, bool):
        hint = "sizes stand in one tuple, such as (64, 32), and the dtype after it"
    raise DtypeError(
        f"{what} is {describe(dtype) if isinstance(dtype, Value) else repr(dtype)}, not a dtype of kernels", hint=hint
    )


def _dtype_of_scalar(kind: Any) -> Any:
    """numpy's dtype of a type such as numpy.float16 or ml_dtypes.bfloat16; None for what is none."""
    if not isinstance(kind, type) or kind in (bool, int, float, complex) or kind.__module__ not in ("numpy", "ml_dtypes"):
        return None
    import numpy

    return numpy.dtype(kind)


def _plain_size(size: Any) -> Any:
    """numpy's integers as Python's."""
    return size.item() if hasattr(size, "item") and not isinstance(size, Value) and getattr(size, "shape", None) == () else size


def check_shape(shape: Any, what: str) -> Shape:
    """A shape of one or two positive Python ints; raises TileShapeError."""
    shape = tuple(map(_plain_size, shape)) if isinstance(shape, (tuple, list)) else (_plain_size(shape),)
    if not isinstance(shape, (tuple, list)) or not 1 <= len(shape) <= 2:
        rest = "x[:, ::2] and x[:, 1::2] are the even and the odd columns"
        if what == "alloc_slm" and len(shape) > 2:
            rest = "several of a kind lie one below the other: (2 * 64, 32), of which the rows of number i begin at 64 * i"
        raise TileShapeError(
            f"{what}: the shape must have one or two sizes, not {shape!r}", hint=f"such as (64, 32) or (256,); {rest}"
        )
    for n in shape:
        if isinstance(n, Value):
            raise ConstexprError(
                f"{what}: a size of the shape is known at run time only",
                hint=f"sizes of tiles are constants: {constant_hint(n)}",
            )
        if not isinstance(n, int) or isinstance(n, bool) or n < 1:
            more = "; whole numbers are divided by //" if isinstance(n, float) else ""
            more = "; the shape comes first, then the dtype" if isinstance(n, (dtypes.DType, type)) else more
            more = "; offsets stand before the shape" if what == "init_tile" and n in (0, None) else more
            raise TileShapeError(f"{what}: {n!r} is not a size", hint=f"sizes are positive ints{more}")
    if count(tuple(shape)) > LARGEST_TILE:
        raise TileShapeError(
            f"{what}: {' x '.join(map(str, shape))} is {count(tuple(shape))} elements, and {LARGEST_TILE} are the most",
            hint="a program works on a tile at a time: loop over the array by tiles such as (64, 32), or give each program its own",
        )
    return tuple(shape)
