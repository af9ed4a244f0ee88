"""Values hidden from IGC and the CPU runtime's compiler, which compute wrong of what they see: or'ed with a zero that it cannot know.

The zero is the global offset along the third dimension, which no launch has.
"""

from __future__ import annotations

from xetile.dialects.types import I1, I32

from ..module.code import Code
from ..module.encode import Id
from .values import Fragment, from_chunks, mapped


def hidden(e: Code, fragment: Fragment) -> Fragment:
    """The same integers, or'ed with the zero."""
    return mapped(e, fragment.element, lambda n, x: hidden_value(e, e.form(fragment.element), x, n), fragment)


def hidden_float(e: Code, fragment: Fragment) -> Fragment:
    """The same floats; those that travel as integers (bf16, f8) as they are: no compiler knows their arithmetic.

    Constants that are hidden are computed with, in all lanes alike: IGC takes them to differ between lanes (`comparisons`).
    """
    form = e.form(fragment.element)
    if form in (e.i8, e.i16):
        return fragment
    words, zero = e.integer(e.width[form]), hidden_zero if e.whole else _zero_of_lanes
    return mapped(e, fragment.element, lambda n, x: _float(e, form, x, n, zero(e, words, n)), fragment)


def hidden_bits(e: Code, fragment: Fragment) -> Fragment:
    """The same value of any kind; booleans as they are."""
    return fragment if fragment.element is I1 else mapped(e, fragment.element, lambda n, x: told_apart(e, x, 1), fragment)


def every_other_hidden(e: Code, fragment: Fragment) -> Fragment:
    """The same numbers of 32 bits, of which no two neighbours are seen."""

    def hide(count: int, x: Id) -> Id:
        zeros = [e.constant(e.i32, 0) if place % 2 else hidden_zero(e, e.i32) for place in range(count)]
        zero = zeros[0] if count == 1 else e.emit("OpCompositeConstruct", e.vector(e.i32, count), *zeros)
        return _told(e, e.emit("OpBitwiseOr", e.vector(e.i32, count), x, zero), x, "every other")

    return mapped(e, I32, hide, fragment.as_elements(I32, fragment.count)).as_elements(fragment.element, fragment.count)


def hidden_from_lanes(e: Code, x: Id) -> Id:
    """The same number or numbers, or'ed with a zero of each lane's own where they are f32: IGC takes them to differ between lanes."""
    count = e.components(e.f32, e.module.type_of(x))
    return of_lanes(e, e.f32, x, count) if count else x


def of_lanes(e: Code, form: Id, x: Id, count: int, number: int = 0) -> Id:
    """The same numbers or words, taken to differ between lanes, and from those with other `number`s."""
    zero = _zero_of_lanes(e, e.integer(e.width[form]), count, number)
    return _told(e, _ored(e, form, x, count, zero), x, "lanes", number)


def hidden_vectors(e: Code, fragment: Fragment, made: dict[Id, Id], number: int = 0) -> Fragment:
    """A value, each vector of it by `of_lanes`; `made`: hidden vectors by what they hide."""

    def once(n: int, x: Id) -> Id:
        if x not in made:
            made[x] = of_lanes(e, e.form(fragment.element), x, n, number)
        return made[x]

    return mapped(e, fragment.element, once, fragment)


def elements_apart(e: Code, fragment: Fragment) -> Fragment:
    """The same numbers, taken to differ between lanes, no two of which the compiler can know to be one."""
    words, made, first = e.integer(e.width[e.form(fragment.element)]), list[Id](), 1
    for x in fragment.chunks(e):
        form, count = e.vector_of(e.module.type_of(x))
        zeros = [_zero_of_lanes(e, words, 1, number) for number in range(first, first + count)]
        zero = zeros[0] if count == 1 else e.emit("OpCompositeConstruct", e.vector(words, count), *zeros)
        made.append(_told(e, _ored(e, form, x, count, zero), x, "elements", first))
        first += count
    return from_chunks(e, fragment.element, fragment.count, made)


def _zero_of_lanes(e: Code, form: Id, count: int, number: int = 0) -> Id:
    """Zeros of which the compiler knows neither that nor that lanes have them alike, nor that those with other numbers are the same."""

    def make() -> Id:
        lane = e.lane
        zero = _multiple(e, e.i32, number) if number else hidden_zero(e, e.i32)
        return e.resize(e.emit("OpBitwiseAnd", e.i32, lane, zero), e.i32, form)

    return e.splat(form, e.at_entry(("hidden zero of a lane", form, number), make), count)


def _ored(e: Code, form: Id, x: Id, count: int, zero: Id) -> Id:
    """The same words or floats, or'ed with a zero of words."""
    if form != e.integer(e.width[form]):
        return _float(e, form, x, count, zero)
    return e.emit("OpBitwiseOr", e.vector(form, count), x, zero)


def _float(e: Code, form: Id, x: Id, count: int, zero: Id) -> Id:
    words = e.vector(e.integer(e.width[form]), count)
    made = e.emit("OpBitcast", e.vector(form, count), e.emit("OpBitwiseOr", words, e.emit("OpBitcast", words, x), zero))
    e.hidden_floats.add(made)
    return made


def hidden_value(e: Code, form: Id, x: Id, count: int = 1) -> Id:
    """The same integer, or a vector of `count`."""
    return e.emit("OpBitwiseOr", e.vector(form, count), x, hidden_zero(e, form, count))


def hidden_byte(e: Code, x: Id) -> Id:
    """The same byte, or vector of bytes, of a constant; other numbers as they are."""
    kind = e.module.type_of(x)
    count = e.components(e.i8, kind)
    return e.emit("OpIAdd", kind, x, hidden_zero(e, e.i8, count)) if count else x  # -1 or'ed with anything is no secret


def told_apart(e: Code, x: Id, number: int) -> Id:
    """The same vector of numbers, which the compiler cannot know to be the same as those with other `number`s above 0."""
    form, count = e.vector_of(e.module.type_of(x))
    words = e.integer(e.width[form])
    zeros = e.splat(words, e.at_entry(("hidden zero", words, number), lambda: _zero_apart(e, words, number)), count)
    return _told(e, _ored(e, form, x, count, zeros), x, "apart", number)


def _told(e: Code, made: Id, x: Id, kind: str, number: int = 0) -> Id:
    """What hides a vector, by a zero of a kind: those of one number are the same to the compiler."""
    e.hidden_of[made] = x, (kind, number)
    return made


def _zero_apart(e: Code, form: Id, number: int) -> Id:
    """A zero that no compiler knows to be the same as those with other `number`s above 0.

    By as many digits as a number has none is shifted: what came out would be undefined (SPIR-V, OpShiftLeftLogical).
    """
    if number >= e.width[form]:
        return _multiple(e, form, number)
    return e.emit("OpShiftLeftLogical", form, hidden_zero(e, form), e.constant(form, number))


def _multiple(e: Code, form: Id, number: int) -> Id:
    """The zero that no compiler knows times an odd number: no bit of it is known."""
    return e.emit("OpIMul", form, hidden_zero(e, form), e.constant(form, (2 * number + 1) % (1 << e.width[form])))


def number_apart(e: Code, value: int, number: int) -> Id:
    """A constant i32, which the compiler cannot know to be the same as those with other `number`s above 0.

    Of one that fits into the digits which a shifted zero leaves no bit of the zero is known: or IGC takes the two apart, and adds first the
    zero and then the constant in each iteration.
    """

    def make() -> Id:
        if not 0 < value < 1 << number:
            zero = _zero_apart(e, e.i32, number)
            return e.add(e.i32, zero, e.constant(e.i32, value)) if value else zero
        zero = _multiple(e, e.i32, number)
        return e.emit("OpBitwiseOr", e.i32, zero, e.constant(e.i32, value))

    return e.at_entry(("hidden number", value, number), make)


def hidden_number(e: Code, value: int) -> Id:
    """A constant i32, which the compiler cannot know, nor take apart into a zero and the constant."""

    def make() -> Id:
        return e.emit("OpBitwiseXor", e.i32, hidden_zero(e, e.i32), e.constant(e.i32, value))

    return e.at_entry(("hidden constant", value), make)


def hidden_decision(e: Code, condition: Id, number: int) -> Id:
    """The same truth, of which the compiler cannot know that it follows from those with other numbers.

    IGC goes right on to the end of a branch or loop that is decided where an earlier one was, and has what stands between them twice:
    once for some lanes, once for the others. A message of the whole subgroup is not sent where its first lane is missing.
    """
    words = e.emit("OpSelect", e.i32, condition, e.constant(e.i32, 1), e.constant(e.i32, 0))
    zero = e.at_entry(
        ("hidden zero of a decision", number),
        lambda: _multiple(e, e.i32, number),
    )
    return e.emit("OpINotEqual", e.bool, words, zero)


def hidden_zero(e: Code, form: Id, count: int = 1) -> Id:
    """The zero that no compiler knows, or a vector of `count`."""

    def make() -> Id:
        offset = e.emit("OpCompositeExtract", e.i64, e.function.builtin("GlobalOffset"), 2)
        return e.resize(offset, e.i64, form)

    zero = e.at_entry(("hidden zero", form), make)
    return zero if count == 1 else e.emit("OpCompositeConstruct", e.vector(form, count), *[zero] * count)
