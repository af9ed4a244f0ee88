"""Conversions between element types."""

from __future__ import annotations

from collections.abc import Callable

from xetile.dialects import arith
from xetile.dialects.types import BF16, F8E4M3FN, F8E5M2, F16, F32, F64, I1, I16, I32, TF32, ScalarType, element_of
from xetile.ir.core import Value

from ..facts.uses import (
    becomes_minus_zero,
    is_choice_of_zero,
    is_chosen_beside_zero,
    is_constant,
    only_second_operand,
    tells_sign,
)
from ..module.encode import Id
from ..module.errors import SpirvError
from . import rounding
from .emitter import Emitter
from .f8 import from_f8, to_f8
from .first import as_summed, first_operand, narrowed, raised
from .hidden import hidden, hidden_float, hidden_vectors
from .table import emits
from .trees import places_as_floats
from .values import Fragment, mapped
from .wide import wide_tf32

F8 = (F8E4M3FN, F8E5M2)
_BEYOND_GRIDS = 31
"""Bit of a workgroup's number that no launch sets: grids have fewer than 2^31 workgroups along each axis."""


# Integers.


def extend(e: Emitter, value: Fragment, target: ScalarType, *, signed: bool) -> Fragment:
    """An integer in a wider type."""
    form = e.form(target)
    if e.form(value.element) == form:
        return value.as_elements(target, value.count)
    if value.element is I1:
        one = -1 if signed else 1

        def choose(n: int, x: Id) -> Id:
            return e.emit("OpSelect", e.vector(form, n), x, e.constant(form, one, n), e.constant(form, 0, n))

        return mapped(e, target, choose, value)
    name = "OpSConvert" if signed else "OpUConvert"
    return mapped(e, target, lambda n, x: e.emit(name, e.vector(form, n), x), value)


def truncate(e: Emitter, value: Fragment, target: ScalarType) -> Fragment:
    """An integer in a narrower type: its low bits."""
    source, form = e.form(value.element), e.form(target)
    if source == form:
        return value.as_elements(target, value.count)
    if target is I1:

        def low(n: int, x: Id) -> Id:
            bit = e.emit("OpBitwiseAnd", e.vector(source, n), x, e.constant(source, 1, n))
            return e.emit("OpINotEqual", e.vector(e.bool, n), bit, e.constant(source, 0, n))

        return mapped(e, I1, low, value)
    return mapped(e, target, lambda n, x: e.emit("OpUConvert", e.vector(form, n), x), value)


def resize(e: Emitter, value: Fragment, target: ScalarType, *, signed: bool) -> Fragment:
    """An integer in another width, whichever it is."""
    wider = e.width[e.form(target)] >= e.width[e.form(value.element)]
    return extend(e, value, target, signed=signed) if wider else truncate(e, value, target)


@emits(arith.ExtSI, arith.ExtUI)
def emit_extension(e: Emitter, op: arith.Cast) -> Fragment:
    """With the sign, or with zeros."""
    return extend(e, e[op.operands[0]], element_of(op.results[0].type), signed=isinstance(op, arith.ExtSI))


def cut_to_byte(e: Emitter, value: Value) -> Fragment:
    """A number whose lowest byte is taken with its sign. IGC (2.40.14) sees `(x << 24) >> n`, and reads a byte of x: where x is one lane's
    number that all lanes get it forgets which lane's, and takes the first's.
    """
    found: Fragment = e[value]
    return hidden_vectors(e, found, {}) if e.width[e.form(found.element)] == 32 and e.may_be_alike(value) else found


@emits(arith.TruncI)
def emit_truncation(e: Emitter, op: arith.Cast) -> Fragment:
    """The low bits."""
    return truncate(e, _source(e, op), element_of(op.results[0].type))


@emits(*arith.INDEX_CASTS)
def emit_index_cast(e: Emitter, op: arith.Cast) -> Fragment:
    """To or from index, as wide as this kernel has it."""
    return resize(e, _source(e, op), element_of(op.results[0].type), signed=isinstance(op, arith.IndexCast))


def _source(e: Emitter, op: arith.Cast) -> Fragment:
    value: Fragment = e[op.operands[0]] if e.form(element_of(op.results[0].type)) != e.i8 else cut_to_byte(e, op.operands[0])
    return value


@emits(arith.Bitcast)
def emit_bitcast(e: Emitter, op: arith.Cast) -> Fragment:
    """The same bits: no instruction until they are used."""
    value: Fragment = e[op.operands[0]]
    return value.as_elements(element_of(op.results[0].type), value.count)


# Integers and floats.


def _through_f32(target: ScalarType) -> ScalarType:
    return F32 if target in (BF16, TF32, *F8) else target


@emits(arith.SIToFP, arith.UIToFP)
def emit_int_to_float(e: Emitter, op: arith.Cast) -> Fragment:
    """Rounded to nearest even; by way of f32 for formats that have no conversion of their own."""
    made = places_as_floats(e, op) if isinstance(op, arith.SIToFP) else None
    made = made or first_operand(e, op) or raised(e, op)
    if made is not None:
        return made
    value, target = e[op.operands[0]], element_of(op.results[0].type)
    signed = isinstance(op, arith.SIToFP)
    middle = _through_f32(target)
    form = e.form(middle)
    if value.element is I1:
        one = -1.0 if signed else 1.0

        def choose(n: int, x: Id) -> Id:
            return e.emit("OpSelect", e.vector(form, n), x, e.constant(form, one, n), e.constant(form, 0.0, n))

        made = mapped(e, middle, choose, value)
        if not e.whole and becomes_minus_zero(op.results[0]):
            made = hidden_float(e, made)
    else:
        name = "OpConvertSToF" if signed else "OpConvertUToF"

        def convert(n: int, x: Id) -> Id:
            word, has_sign = e.doubled.get(x, (None, False))
            # IGC would bring the byte to the front of a register of bytes, and from there to words, before it becomes a float.
            x = e.resize(word, e.i32, e.integer(16)) if word is not None and has_sign == signed else x
            return e.emit(name, e.vector(form, n), x)

        made = mapped(e, middle, convert, value)
    return convert_float(e, made, target)


@emits(arith.FPToSI, arith.FPToUI)
def emit_float_to_int(e: Emitter, op: arith.Cast) -> Fragment:
    """Towards zero; saturating, and NaN becomes 0.

    IGC (2.40.14) makes 0 of f32 constants that are too large; on PVC a comparison of the integer with 0 becomes one of the f16 number.
    """
    value, target = e[op.operands[0]], element_of(op.results[0].type)
    value = convert_float(e, value, _through_f32(value.element))
    if not e.whole and is_constant(op.operands[0]):
        value = hidden_float(e, value)
    if target is I1:
        form = e.form(value.element)

        # One bit holds 0 and 1, or 0 and -1.
        name, limit = ("OpFOrdLessThanEqual", -1.0) if isinstance(op, arith.FPToSI) else ("OpFOrdGreaterThanEqual", 1.0)
        return mapped(e, I1, lambda n, x: e.emit(name, e.vector(e.bool, n), x, e.constant(form, limit, n)), value)
    name, form, source = (
        "OpConvertFToS" if isinstance(op, arith.FPToSI) else "OpConvertFToU",
        e.form(target),
        e.form(value.element),
    )

    def convert(n: int, x: Id) -> Id:
        # Intel's CPU runtime makes the largest u32 of NaN.
        if name == "OpConvertFToU" and form == e.i32:
            number = e.emit("OpFOrdEqual", e.vector(e.bool, n), x, x)
            x = e.emit("OpSelect", e.vector(source, n), number, x, e.constant(source, 0.0, n))
        result = e.emit(name, e.vector(form, n), x)
        e.module.decorate(result, "SaturatedConversion")
        return result

    made = mapped(e, target, convert, value)
    from_f16 = element_of(op.operands[0].type).bits < F32.bits
    return hidden(e, made) if from_f16 and not e.whole and tells_sign(op.results[0]) else made


# Floats.

Convert = Callable[[Emitter, Fragment], Fragment]


def convert_float(e: Emitter, value: Fragment, target: ScalarType) -> Fragment:
    """A float in another format, rounded to nearest even."""
    source = value.element
    if source is target:
        return value
    step = _STEPS.get((source.name, target.name))
    if step is not None:
        return step(e, value)
    if e.form(source) != e.form(target) and not {source, target} & {BF16, TF32, *F8}:
        form = e.form(target)
        made = mapped(e, target, lambda n, x: _converted(e, form, n, x), value)
        return _apart(e, made) if source is F64 and e.target.block2d is not None else made
    if F32 in (source, target):
        raise SpirvError(f"no conversion from {source} to {target}")
    single = rounding.to_odd(e, value) if source is F64 else convert_float(e, value, F32)
    return convert_float(e, single, target)


def _converted(e: Emitter, form: Id, count: int, x: Id) -> Id:
    """Floats in another format.

    Where conversions to f16 are the first instructions behind phis of three ways or more, IGC's vectorizer (2.40.14) has the vector of
    these behind what it makes of the conversions: their numbers were zeros. So something else stands at the head of the block.
    """
    narrows = count > 1 and form is not e.f32
    if narrows and (e.block.joins or e.placements.are_joined(x)):
        e.keep_together(always=True)
    return e.emit("OpFConvert", e.vector(form, count), x)


def _apart(e: Emitter, value: Fragment) -> Fragment:
    """The same numbers, where IGC does not see that they come from a conversion of f64.

    IGC (2.40.14) joins conversions whose results go to a 2D block store into one of a vector, whatever their type (IGCVectorizer.cpp),
    and takes a register for each element of its operand: an f64 of 16 lanes has two. A bit of the workgroup's number that no grid
    reaches is a zero that it does not know; joined to the bits, it ends the chain that IGC follows from the store.
    """
    bits = {16: I16, 32: I32}[value.element.bits]
    form = e.form(bits)

    def zero() -> Id:
        number = e.emit("OpCompositeExtract", e.i64, e.function.builtin("WorkgroupId"), 0)
        high = e.emit("OpShiftRightLogical", e.i64, number, e.constant(e.i64, _BEYOND_GRIDS))
        return e.emit("OpUConvert", form, high)

    nothing = e.at_entry(("zero", form), zero)

    def joined(n: int, x: Id) -> Id:
        kind = e.vector(form, n)
        return e.emit("OpBitwiseOr", kind, x, nothing if n == 1 else e.emit("OpCompositeConstruct", kind, *(nothing,) * n))

    return mapped(e, bits, joined, value.as_elements(bits, value.count)).as_elements(value.element, value.count)


def _bf16_to_f32(e: Emitter, value: Fragment) -> Fragment:
    if e.whole:
        return rounding.widened(e, value)

    def once(n: int, x: Id) -> Id:
        return e.once(("bf16 as f32", x), lambda: e.emit("OpConvertBF16ToFINTEL", e.vector(e.f32, n), x))

    return mapped(e, F32, once, value)


def _f32_to_bf16(e: Emitter, value: Fragment) -> Fragment:
    if e.whole:
        return rounding.to_bf16(e, value)
    return mapped(e, BF16, lambda n, x: e.emit("OpConvertFToBF16INTEL", e.vector(e.i16, n), x), value)


def _f32_to_tf32(e: Emitter, value: Fragment) -> Fragment:
    if e.whole:
        return rounding.to_tf32(e, value)
    return mapped(e, TF32, lambda n, x: e.emit("OpRoundFToTF32INTEL", e.vector(e.f32, n), x), value)


_STEPS: dict[tuple[str, str], Convert] = {
    ("bf16", "f32"): _bf16_to_f32,
    ("f32", "bf16"): _f32_to_bf16,
    ("tf32", "f32"): lambda e, value: value.as_elements(F32, value.count),  # each tf32 is an f32
    ("f32", "tf32"): _f32_to_tf32,
    **{(t.name, "f16"): from_f8 for t in F8},
    **{(t.name, "f32"): lambda e, value: convert_float(e, from_f8(e, value), F32) for t in F8},
    ("f32", F8E4M3FN.name): lambda e, value: to_f8(e, value, F8E4M3FN),
    ("f32", F8E5M2.name): lambda e, value: to_f8(e, value, F8E5M2),
}


@emits(arith.ExtF, arith.TruncF)
def emit_float_cast(e: Emitter, op: arith.Cast) -> Fragment:
    """To a wider or a narrower format.

    LLVM makes `x > 0 ? x : 0` of `x < 0 ? 0 : x` where x is converted in the choice alone: it has no -0 then. It converts what is chosen,
    not the choice, where it does not find the comparison beside that.
    """
    value, target = e[op.operands[0]], element_of(op.results[0].type)
    if is_choice_of_zero(op.operands[0]):
        value = hidden_float(e, value)
    if value.element in F8 and target is F16:
        (result,) = op.results
        return first_operand(e, op) or as_summed(e, result, from_f8(e, value, packed=only_second_operand(result)))
    made = wide_tf32(e, op) if target is TF32 and value.element is F32 else narrowed(e, op)
    made = made or convert_float(e, value, target)
    return hidden_float(e, made) if is_chosen_beside_zero(op.results[0]) else made
