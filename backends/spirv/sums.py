"""What the sums of products begin with, where lanes may have it alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xetile.dialects import scf, xegpu
from xetile.dialects.arith import constant_of
from xetile.dialects.types import F32, I32, element_of
from xetile.ir.core import Value

from .emit_values import mapped
from .encode import Id
from .hidden import hidden_from_lanes, words_of_lanes
from .uses import moves

if TYPE_CHECKING:
    from .emit import Emitter


def begin_sums(e: Emitter, value: Value, carried: Value, fragment: Any, made: dict[Id, Id]) -> Any:
    """What a carried value begins with, as it must be where that is a product's accumulator; `made`: hidden vectors by what they hide."""
    if not reaches_accumulator(carried) or not begin(e, value):
        return fragment

    def once(n: int, x: Id) -> Id:
        if x not in made:
            made[x] = of_lanes(e, e.form(fragment.element), x, n)
        return made[x]

    return mapped(e, fragment.element, once, fragment)


def reaches_accumulator(value: Value) -> bool:
    """Whether a product adds to a value, or to parts of it."""
    return any(
        op.acc is value if isinstance(op, xegpu.Dpas) else moves(op) and reaches_accumulator(op.results[0]) for op in value.users
    )


def begin(e: Emitter, value: Value) -> bool:
    """Whether sums begin with numbers that are computed and that lanes may have alike, of which IGC's vectorizer (2.40.14) makes one
    instruction that writes the first element alone (`xt.sum(x, axis=1) + a @ b`). What loops carry is taken care of where they begin.
    """
    computed = value.op is not None and not isinstance(value.op, (scf.For, scf.While)) and constant_of(value) is None
    return computed and element_of(value.type) in (F32, I32) and e.may_be_alike(value)


def of_lanes(e: Emitter, form: Id, x: Id, count: int) -> Id:
    """The same f32 numbers or words, taken to differ between lanes."""
    return hidden_from_lanes(e, x) if form == e.f32 else words_of_lanes(e, form, x, count)
