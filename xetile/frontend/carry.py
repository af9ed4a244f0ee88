"""What a variable holds, taken apart: run-time values that pass through regions of the IR, and the rest, which may not change.

A variable may hold a value, a tile, a Python number, any other Python object, or a tuple, list, dict or dataclass of these. A Python
number that a loop or a branch changes is a value that still stands for a number (`Weak`): where it meets a typed scalar, in another
branch or at the end of an iteration, it becomes one of that dtype. An integer that meets an index (`n` or `A.shape[0]`) becomes what their
sum would be.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

from xetile.dtypes import DType, u64
from xetile.errors import CompileError, ConstexprError, DtypeError
from xetile.ir.core import Block, Type
from xetile.ir.core import Value as IRValue
from xetile.language.arrays import Array, Handle
from xetile.language.casts import convert
from xetile.language.containers import alike, in_order, joined, parts_of, same_form
from xetile.language.context import current
from xetile.language.elementwise import constant, number_with, own_dtype
from xetile.language.promote import promote, promote_weak
from xetile.language.values import NUMBERS, Value, Weak, describe


class Unbound:
    """What a name holds after control flow that may not have assigned it."""

    def __init__(self, why: str, hint: str) -> None:
        self.why = why
        self.hint = hint


class Later:
    """What a variable of the tracer's own holds until it is given something, of whatever type."""

    described = "nothing yet"


LATER = Later()


def ir_values(held: Any) -> list[IRValue]:
    """The run-time values in what a variable holds, in order."""
    if isinstance(held, (Value, Handle)):
        return [held.ir]
    return [v for part in parts_of(held) or () for v in ir_values(part)]


def ir_types(held: Any) -> list[Type]:
    """Their types."""
    return [v.type for v in ir_values(held)]


def rebuild(held: Any, values: Iterator[IRValue]) -> Any:
    """The same with other run-time values."""
    if isinstance(held, (Value, Handle)):
        return held.with_ir(next(values))
    parts = parts_of(held)
    return held if parts is None else alike(held, [rebuild(part, values) for part in parts])


def same_kind(a: Any, b: Any) -> bool:
    """Whether one can take the other's place in a loop: same types of run-time values, same Python objects."""
    if isinstance(a, Value) and isinstance(b, Value):
        return a.dtype is b.dtype and a.shape == b.shape and isinstance(a, Weak) == isinstance(b, Weak)
    if isinstance(a, Handle) and isinstance(b, Handle):
        return a.ir.type == b.ir.type and a.shape == b.shape
    parts, others = parts_of(a), parts_of(b)
    if parts is not None and others is not None:
        return same_form(a, b) and all(map(same_kind, parts, others))
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


def stands_for_number(held: Any) -> bool:
    """Whether a Python number, or a run-time value that stands for one."""
    return is_number(held) or isinstance(held, Weak)


def numbers_as_values(held: Any) -> Any:
    """Python numbers turned into values that stand for them: index, float, bool."""
    if is_number(held):
        return _weak(held, own_dtype(held))
    parts = parts_of(held)
    return held if parts is None else alike(held, map(numbers_as_values, parts))


def _weak(number: Any, dtype: DType) -> Value:
    value = constant(number, dtype)
    return value if dtype.kind == "b" else Weak(value.ir, dtype)


def has_numbers(held: Any) -> bool:
    """Whether there is a Python number in it."""
    return is_number(held) or any(map(has_numbers, parts_of(held) or ()))


def can_adopt(held: Any) -> bool:
    """Whether there is something in it that `adopt` may change."""
    return stands_for_number(held) or any(map(can_adopt, parts_of(held) or ()))


def adopt(held: Any, other: Any, block: Block | None = None) -> Any:
    """`held` with what stands for Python numbers, and integers that meet an index, made values that can stand where `other`'s values
    stand; unchanged where that fails.

    `block`: at whose end they are converted, if not here.
    """
    if (pairs := _pairs(held, other)) is not None:
        return alike(held, [adopt(h, o, block) for h, o in pairs])
    if _joins_index(held, other):
        return _converted(held, promote(held.dtype, other.dtype), block)
    if not stands_for_number(held) or _same_object(held, other):
        return held
    if stands_for_number(other):
        return _as_weak(held, _wider(held, other), block)
    if isinstance(other, Value) and not other.shape:
        return _typed(held, other.dtype, block)
    return held


def _pairs(a: Any, b: Any) -> list[tuple[Any, Any]] | None:
    """The parts of two containers of one form, each with that of the other; None of anything else."""
    parts, others = parts_of(a), parts_of(b)
    return None if parts is None or others is None or not same_form(a, b) else list(zip(parts, others))


def _joins_index(held: Any, other: Any) -> bool:
    """Whether values of one shape and two integer dtypes meet, and one of them is an index: both have a common dtype then."""
    if not all(isinstance(v, Value) and not isinstance(v, Weak) for v in (held, other)) or held.shape != other.shape:
        return False
    a, b = held.dtype, other.dtype
    return a is not b and "n" in (a.kind, b.kind) and {a.kind, b.kind} <= set("niu") and u64 not in (a, b)


def _typed(held: Any, dtype: DType, block: Block | None) -> Value:
    """A number as a value that it meets; of its own dtype where it does not fit the other's."""
    if isinstance(held, Weak):
        return _converted(held, number_with(dtype, held), block)
    try:
        return constant(held, promote_weak(held, dtype))
    except DtypeError:
        return constant(held, own_dtype(held))


def _converted(held: Value, dtype: DType, block: Block | None) -> Value:
    with current().build.at(block) if block is not None else nullcontext():
        return convert(held, dtype)


def _as_weak(held: Any, dtype: DType, block: Block | None) -> Value:
    if is_number(held):
        return _weak(held, dtype)
    return held if held.dtype is dtype else Weak(_converted(held, dtype, block).ir, dtype)


def _wider(a: Any, b: Any) -> DType:
    """The dtype that holds two numbers of Python's."""
    return max((x.dtype if isinstance(x, Value) else own_dtype(x) for x in (a, b)), key=lambda dtype: "bnf".index(dtype.kind))


def settle(held: Any, like: Any, block: Block) -> Any:
    """`held` with what stands for Python numbers, and integers where there are indices, made values of the dtype that `like` has there."""
    held = in_order(held, like)
    if (pairs := _pairs(held, like)) is not None:
        return alike(held, [settle(h, other, block) for h, other in pairs])
    if _joins_index(held, like) and promote(held.dtype, like.dtype) is like.dtype:
        return _converted(held, like.dtype, block)
    if not stands_for_number(held) or not isinstance(like, Value) or like.shape:
        return held
    if isinstance(like, Weak):
        return _as_weak(held, like.dtype, block) if _wider(held, like) is like.dtype else held
    if isinstance(held, Weak):
        return _converted(held, like.dtype, block) if number_with(like.dtype, held) is like.dtype else held
    return constant(held, like.dtype) if promote_weak(held, like.dtype) is like.dtype else held


def unify(a: Any, b: Any, blocks: tuple[Block | None, Block | None] = (None, None)) -> tuple[Any, Any]:
    """What two branches give for one variable, brought to one kind; raises CompileError where that is not possible.

    `blocks`: of the branches, at whose ends numbers are converted.
    """
    b = in_order(b, a)
    if (pairs := _pairs(a, b)) is not None:
        joined(a, b)
        unified = [unify(x, y, blocks) for x, y in pairs]
        return alike(a, [x for x, _ in unified]), alike(b, [y for _, y in unified])
    a, b = adopt(a, b, blocks[0]), adopt(b, a, blocks[1])
    if not same_kind(a, b):
        raise of_two_kinds(a, b)(two_kinds(a, b), hint=how_to_join(a, b, "convert one with .to(...)"))
    return a, b


def grows(a: Any, b: Any) -> bool:
    """Whether two lists, or two dicts, have other places, as they may where constants decide."""
    parts, others = parts_of(a), parts_of(b)
    if parts is None or others is None or type(a) is not type(b):
        return False
    return not same_form(a, b) or any(map(grows, parts, others))


def of_two_kinds(a: Any, b: Any) -> type[CompileError]:
    """The error for a variable that would hold the one or the other: of dtypes where to convert one of them mends it."""
    values = [held for held in (a, b) if isinstance(held, Value)]
    if len({held.shape for held in values}) == 1 and all(isinstance(held, Value) or is_number(held) for held in (a, b)):
        return DtypeError
    return ConstexprError if grows(a, b) else CompileError


NAMED_TUPLES = (
    "loops and branches carry values, tiles, and tuples and dicts of them: make the class a dataclass or a typing.NamedTuple"
)


def is_object(held: Any) -> bool:
    """Whether an object of a class of the user's, of which nothing is known; its values cannot be carried."""
    known = (Value, Handle, Array, Unbound)
    return hasattr(held, "__dict__") and not callable(held) and not isinstance(held, known) and parts_of(held) is None


def how_to_join(a: Any, b: Any, values: str) -> str:
    """What to do where two branches give different kinds: `values` for values, else what helps for parts of arrays."""
    if (pairs := _pairs(a, b)) is not None:
        return next((how_to_join(x, y, values) for x, y in pairs if not same_kind(x, y)), values)
    if is_object(a) and is_object(b):
        return NAMED_TUPLES
    if grows(a, b):
        return "lists and dicts have the same places in both branches: change them where constants decide, as in xt.static_range"
    if not any(isinstance(held, (Array, Handle)) for held in (a, b)):
        return values
    if isinstance(a, Array) and isinstance(b, Array):
        return (
            "tiles of several arrays go on, arrays do not: make the tile in each branch, tile = xt.init_tile(A, (m, 0), (64, 32))"
        )
    return "tiles that go on have one shape, dtype and order: load in each branch and let the values go on"


def two_kinds(a: Any, b: Any) -> str:
    """What two branches give, for messages; of tiles that differ in nothing else also which one reads columns as rows."""
    first, second = kind_text(a), kind_text(b)
    if first == second or (isinstance(a, Handle) and isinstance(b, Handle) and (a.shape, a.dtype) == (b.shape, b.dtype)):
        first, second = (f"{text}{_lying(held)}" for text, held in ((first, a), (second, b)))
    return f"{first} in one branch and {second} in the other"


def _lying(held: Any) -> str:
    return ", transposed," if isinstance(held, Handle) and getattr(held.ir.type, "order", None) == (0, 1) else ""


def kind_text(held: Any) -> str:
    """What a variable holds, for messages."""
    if isinstance(held, tuple):
        return f"({', '.join(map(kind_text, held))})"
    if isinstance(held, dict):
        return f"{{{', '.join(f'{key!r}: {kind_text(part)}' for key, part in held.items())}}}"
    if (parts := parts_of(held)) is not None:
        return f"{type(held).__name__}({', '.join(map(kind_text, parts))})"
    if isinstance(held, Array):
        return f"a view of {held.described}"
    if isinstance(held, (Value, Handle)) or (not is_number(held) and held is not None and not isinstance(held, str)):
        return describe(held)
    return repr(held)
