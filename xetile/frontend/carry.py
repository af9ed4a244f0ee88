"""What a variable holds, taken apart: run-time values that pass through regions of the IR, and the rest, which may not change.

A variable may hold a value, a tile, a Python number, any other Python object, or a tuple of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xetile.errors import CompileError
from xetile.ir.core import Type
from xetile.ir.core import Value as IRValue
from xetile.language.arrays import Array, Handle
from xetile.language.casts import convert
from xetile.language.elementwise import constant
from xetile.language.promote import number_dtype, promote_weak
from xetile.language.values import NUMBERS, Value, alike, describe


class Unbound:
    """What a name holds after control flow that may not have assigned it."""

    def __init__(self, why: str, hint: str) -> None:
        self.why = why
        self.hint = hint


def ir_values(held: Any) -> list[IRValue]:
    """The run-time values in what a variable holds, in order."""
    if isinstance(held, (Value, Handle)):
        return [held.ir]
    if isinstance(held, tuple):
        return [v for part in held for v in ir_values(part)]
    return []


def ir_types(held: Any) -> list[Type]:
    """Their types."""
    return [v.type for v in ir_values(held)]


def rebuild(held: Any, values: Iterator[IRValue]) -> Any:
    """The same with other run-time values."""
    if isinstance(held, (Value, Handle)):
        return held.with_ir(next(values))
    if isinstance(held, tuple):
        return alike(held, (rebuild(part, values) for part in held))
    return held


def same_kind(a: Any, b: Any) -> bool:
    """Whether one can take the other's place in a loop: same types of run-time values, same Python objects."""
    if isinstance(a, Value) and isinstance(b, Value):
        return a.dtype is b.dtype and a.shape == b.shape
    if isinstance(a, Handle) and isinstance(b, Handle):
        return a.ir.type == b.ir.type and a.shape == b.shape
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same_kind, a, b))
    return _same_object(a, b)


def _same_object(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, (Value, Handle, Array)) or isinstance(b, (Value, Handle, Array)) or type(a) is not type(b):
        return isinstance(a, Array) and isinstance(b, Array) and _same_array(a, b)
    try:
        return bool(a == b)
    except Exception:  # an object that does not compare is equal to itself alone
        return False


def _same_array(a: Array, b: Array) -> bool:
    plain = [[v.ir if isinstance(v, Value) else v for v in x.parts] for x in (a, b)]
    return plain[0] == plain[1]


def is_number(held: Any) -> bool:
    """Whether a Python number, which adopts the type of the values it meets."""
    return isinstance(held, NUMBERS)


def numbers_as_values(held: Any) -> Any:
    """Python numbers turned into values: index, f32, bool."""
    if is_number(held):
        return constant(held, number_dtype(held))
    return alike(held, map(numbers_as_values, held)) if isinstance(held, tuple) else held


def has_numbers(held: Any) -> bool:
    """Whether there is a Python number in it."""
    return is_number(held) or (isinstance(held, tuple) and any(map(has_numbers, held)))


def adopt(held: Any, other: Any) -> Any:
    """`held` with its Python numbers made values that can stand where `other`'s values stand; unchanged where that fails."""
    if isinstance(held, tuple) and isinstance(other, tuple) and len(held) == len(other):
        return alike(held, map(adopt, held, other))
    if not is_number(held) or _same_object(held, other):
        return held
    if is_number(other):
        return constant(held, number_dtype(_wider(held, other)))
    if isinstance(other, Value) and not other.shape:
        return constant(held, promote_weak(held, other.dtype))
    return held


def _wider(a: Any, b: Any) -> Any:
    return max((a, b), key=lambda n: (bool, int, float).index(type(n)) if type(n) in (bool, int, float) else 2)


def settle(held: Any, like: Any) -> Any:
    """`held` with Python numbers made values of the dtype that `like` has in their place."""
    if isinstance(held, tuple) and isinstance(like, tuple) and len(held) == len(like):
        return alike(held, map(settle, held, like))
    if is_number(held) and isinstance(like, Value) and not like.shape:
        fits = promote_weak(held, like.dtype) is like.dtype
        return constant(held, like.dtype) if fits else held
    return held


def unify(a: Any, b: Any) -> tuple[Any, Any]:
    """What two branches give for one variable, brought to one kind; raises CompileError where that is not possible."""
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        pairs = [unify(x, y) for x, y in zip(a, b)]
        return alike(a, (x for x, _ in pairs)), alike(b, (y for _, y in pairs))
    a, b = adopt(a, b), adopt(b, a)
    if not same_kind(a, b):
        raise CompileError(f"{kind_text(a)} in one branch and {kind_text(b)} in the other")
    return a, b


def kind_text(held: Any) -> str:
    """What a variable holds, for messages."""
    if isinstance(held, tuple):
        return f"({', '.join(map(kind_text, held))})"
    if isinstance(held, Array):
        return f"a view of {held.described}"
    if isinstance(held, (Value, Handle)) or (not is_number(held) and held is not None and not isinstance(held, str)):
        return describe(held)
    return repr(held)


def retyped(held: Any, like: Any) -> Any:
    """`held` with its values, which stood for Python numbers, in the dtypes of `like`."""
    if isinstance(held, tuple) and isinstance(like, tuple) and len(held) == len(like):
        return alike(held, map(retyped, held, like))
    if isinstance(held, Value) and isinstance(like, Value) and not held.shape and not like.shape:
        return convert(held, like.dtype)
    return held
