"""Element types as users name them: `xt.f16`, `xt.u8`, ...  They know their sign, their IR type and their numpy type."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from xetile.errors import DtypeError

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    import numpy as np

    from xetile.dialects.types import ScalarType

    DTypeLike: TypeAlias = "DType | np.dtype[Any] | type[np.generic]"  # numpy's dtypes stand for ours


class DType:
    """An element type. Compare with `is`, or with `==` also to a numpy dtype or a name.

    `kind` is "b" (bool), "i", "u", "f" or "n" (index: sizes, offsets, program ids).

    Example:
        print(xt.f16, xt.bf16.bits, xt.i32.kind, xt.f32.numpy)

    Prints:
        f16 16 i float32
    """

    __slots__ = ("__dict__", "bits", "ir_name", "kind", "name", "numpy_name")

    def __init__(self, name: str, kind: str, bits: int, ir_name: str, numpy_name: str) -> None:
        self.name = name
        self.kind = kind
        self.bits = bits
        self.ir_name = ir_name
        self.numpy_name = numpy_name

    @cached_property
    def ir(self) -> ScalarType:
        """The IR type of its values.  Looked up when a kernel is compiled: a warm start needs no dialect."""
        from xetile.dialects.types import scalar

        return scalar(self.ir_name)

    @property
    def is_float(self) -> bool:
        """True for every floating point format."""
        return self.kind == "f"

    @property
    def is_signed(self) -> bool:
        """True for signed integers, index and floats."""
        return self.kind in "inf"

    @property
    def itemsize(self) -> int:
        """Bytes of one element in memory."""
        return max(1, self.bits // 8)

    @cached_property
    def numpy(self) -> np.dtype[np.generic]:
        """The numpy type of arrays that hold it (ml_dtypes for bf16 and f8; tf32 lies in float32)."""
        import numpy as np

        if hasattr(np, self.numpy_name):
            scalar = getattr(np, self.numpy_name)
        else:
            import ml_dtypes

            scalar = getattr(ml_dtypes, self.numpy_name)
        found: np.dtype[np.generic] = np.dtype(scalar)
        return found

    def rounded(self, number: float) -> float:
        """A number as this float type holds it, as numpy rounds it; one for f32, f64 or tf32 as it is given."""
        if self.bits >= 32:
            return number
        import numpy as np

        with np.errstate(over="ignore"):
            return float(nearest(np.float64(number), np.dtype(self.numpy)))

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        """True for itself, numpy's dtype of the same elements, and a name of either: a comparison that is always False would mislead."""
        if isinstance(other, DType):
            return self is other
        name = other if isinstance(other, str) else getattr(other, "__name__" if isinstance(other, type) else "name", None)
        return isinstance(name, str) and self is (DTYPES.get(name) or _BY_NUMPY.get(name))

    __hash__ = object.__hash__

    def __reduce__(self) -> tuple[object, ...]:
        return dtype, (self.name,)


bool_ = DType("bool", "b", 1, "i1", "bool_")
i8, i16, i32, i64 = (DType(f"i{n}", "i", n, f"i{n}", f"int{n}") for n in (8, 16, 32, 64))
u8, u16, u32, u64 = (DType(f"u{n}", "u", n, f"i{n}", f"uint{n}") for n in (8, 16, 32, 64))
f16, f32, f64 = (DType(f"f{n}", "f", n, f"f{n}", f"float{n}") for n in (16, 32, 64))
bf16 = DType("bf16", "f", 16, "bf16", "bfloat16")
tf32 = DType("tf32", "f", 32, "tf32", "float32")
f8e4m3 = DType("f8e4m3", "f", 8, "f8E4M3FN", "float8_e4m3fn")
f8e5m2 = DType("f8e5m2", "f", 8, "f8E5M2", "float8_e5m2")
index = DType("index", "n", 64, "index", "int64")

DTYPES: dict[str, DType] = {
    d.name: d for d in (bool_, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, tf32, f32, f64, f8e4m3, f8e5m2, index)
}


def nearest(numbers: Any, to: np.dtype[Any]) -> Any:
    """Floats of numpy in another of numpy's types, rounded once: ml_dtypes before 0.7 goes from f64 to bf16 by way of f32."""
    import numpy as np

    direct = numbers.dtype != np.float64 or to.kind == "f"
    return (numbers if direct else rounded_to_odd(numbers)).astype(to, copy=False)


def rounded_to_odd(numbers: Any) -> Any:
    """f64 as f32 that a further rounding to fewer bits makes what one rounding does: what is inexact ends in 1.

    After Boldo and Melquiond, "When double rounding is odd" (2004).
    """
    import numpy as np

    single = np.asarray(numbers.astype(np.float32))
    wide, bits = single.astype(np.float64), single.view(np.uint32)
    cut = bits - (np.abs(wide) > np.abs(numbers))
    inexact = (wide < numbers) | (wide > numbers)
    return np.where(inexact, cut | 1, bits).astype(np.uint32).view(np.float32)


def dtype(name: str) -> DType:
    """The element type of a name such as "f16".

    Raises DtypeError for an unknown name.
    """
    if name not in DTYPES:
        same = _BY_NUMPY.get(name)
        raise DtypeError(f"there is no dtype {name!r}", hint=f"{name} is {same}" if same else f"one of {', '.join(DTYPES)}")
    return DTYPES[name]


def from_numpy(numpy_dtype: object) -> DType:
    """The element type of a numpy dtype (float32 is f32, never tf32).

    Raises DtypeError where kernels have no such type.
    """
    name = getattr(numpy_dtype, "name", str(numpy_dtype))
    found = _BY_NUMPY.get(name)
    if found is None:
        raise DtypeError(f"kernels have no element type like numpy's {name}", hint=_instead_of(numpy_dtype))
    return found


def _instead_of(numpy_dtype: Any) -> str:
    """What to pass in place of an array of a numpy dtype that kernels do not have."""
    if names := getattr(numpy_dtype, "names", None):
        return f"pass a field, a view that copies nothing: array[{names[0]!r}]"
    if getattr(numpy_dtype, "kind", "") == "c":
        return "pass array.real and array.imag, views that copy nothing"
    if getattr(numpy_dtype, "kind", "") in "mM":
        return "pass the integers that it holds: array.view(np.int64)"
    return f"convert to one of {', '.join(_BY_NUMPY)}"


_NEVER_DECLARED = ("index", "tf32", "f8e4m3", "f8e5m2")  # numbers are passed in types that arithmetic has


def declared_dtype(annotation: Any) -> DType | None:
    """The type that a parameter's annotation (an object, or its text) gives a number, as `seed: xt.u32` does; None: it gives none."""
    if isinstance(annotation, str):
        name = annotation.strip().rpartition(".")[2]
        annotation = None if name == "bool" else DTYPES.get(name)
    return annotation if isinstance(annotation, DType) and annotation.name not in _NEVER_DECLARED else None


_BY_NUMPY = {d.numpy_name: d for d in DTYPES.values() if d.name not in ("tf32", "index", "bool")} | {"bool": bool_}
