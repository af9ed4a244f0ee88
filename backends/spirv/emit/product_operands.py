"""Operands of the matrix instruction, in the words that it takes (SPV_INTEL_subgroup_matrix_multiply_accumulate)."""

from __future__ import annotations

from functools import cache

from xetile.dialects import xegpu
from xetile.dialects.arith import constant_of
from xetile.dialects.types import I8, I32, ScalarType
from xetile.ir.core import Op, Value
from xetile.records import dataclass

from ..facts.uses import count_of
from ..module.encode import Id
from ..module.errors import SpirvError
from ..module.shapes import MATRICES, MMA_B_COMPONENTS, MMA_ROWS_OF_RESULT, MatrixInstruction
from .emitter import Emitter
from .values import Fragment

_TINY = 2.0**-20  # makes any lane's number less than one
_TABLE: dict[tuple[int, str, str, str], MatrixInstruction] = {(m.subgroup_size, m.a, m.b, m.c): m for m in MATRICES}


def made_outside(e: Emitter, loop: Op) -> None:
    """Put together what products in a loop take from before it; nothing inside is written yet.

    IGC computes components one by one, 16 halves in a register of their own, and puts them together where a product needs them. Where
    two loops do (`split_loops`), they would lie there through the first one, in twice the registers of the operand beside them.
    """
    for op in loop.find(xegpu.Dpas):
        if e.is_written(op.lhs):
            first(e, op, words_of(e, op))
        if e.is_written(op.rhs) and (e.packing is None or op.rhs not in e.packing.operands):
            second(e, op, words_of(e, op))


@dataclass(frozen=True)
class Words:
    """An instruction for products of some types and size, the types of its operands' words, and how many of them the first takes."""

    matrix: MatrixInstruction
    a: Id
    b: Id
    c: Id
    count: int


def words_of(e: Emitter, op: xegpu.Dpas) -> Words:
    """Those of a product: found out once for all that are alike."""
    key = (op.lhs.type, op.rhs.type, op.result.type, op.lhs_unsigned, op.rhs_unsigned)
    found = e.products.get(key)
    if found is None:
        matrix = _matrix_of(e, op)
        a, b, c = (_form_of(e, carrier) for carrier in (matrix.a_type, matrix.b_type, matrix.c_type))
        found = e.products[key] = Words(matrix, a, b, c, matrix.a_components(count_of(op.result.type)))
    return found


def first(e: Emitter, op: xegpu.Dpas, words: Words) -> Id:
    """The rows of the first operand."""
    return _factor(e, op.lhs, words.a, words.count)


def second(e: Emitter, op: xegpu.Dpas, words: Words) -> Id:
    """The columns of the second operand."""
    return _factor(e, op.rhs, words.b, MMA_B_COMPONENTS)


def _matrix_of(e: Emitter, op: xegpu.Dpas) -> MatrixInstruction:
    """The instruction for a product's types and size."""
    a, b, kind = op.lhs.type.element, op.rhs.type.element, op.result.type
    rows, key = count_of(kind), _key(e.subgroup_size, a, bool(op.lhs_unsigned), b, bool(op.rhs_unsigned), kind.element)
    matrix = _TABLE.get(key)
    if matrix is None or rows not in MMA_ROWS_OF_RESULT:
        raise SpirvError(f"no matrix instruction of {key[1]} by {key[2]} into {rows} rows of {key[3]} on {key[0]} lanes")
    return matrix


@cache
def _key(
    lanes: int, a: ScalarType, a_unsigned: bool, b: ScalarType, b_unsigned: bool, c: ScalarType
) -> tuple[int, str, str, str]:
    """The types of a product in the words of the extension's tables."""
    return lanes, _name(a, a_unsigned), _name(b, b_unsigned), _name(c, False)


def _name(element: ScalarType, unsigned: bool) -> str:
    """An operand's element type in the words of the extension's tables."""
    if element is I8:
        return "u8" if unsigned else "s8"
    return "s32" if element is I32 else element.name


def _form_of(e: Emitter, carrier: tuple[str, int]) -> Id:
    """The type of an operand's words."""
    kind, bits = carrier
    return e.integer(bits) if kind == "int" else e.real(bits)


def _factor(e: Emitter, value: Value, form: Id, count: int) -> Id:
    """An operand; one of equal words (such as the ones that sum rows) is made once, before everything else.

    IGC keeps a uniform vector as scalars and spreads it over the lanes again for every instruction: the lane's
    number, scaled and rounded to 0, hides that it is uniform (bit tests do not: it knows their range).
    """
    fragment: Fragment = e[value]
    known = constant_of(value)
    if known is None or isinstance(known, tuple) or form not in (e.i32, e.integer(16)):
        return operand(e, fragment, form, count)

    def make() -> Id:
        lane = e.lane
        tiny = e.emit("OpFMul", e.f32, e.emit("OpConvertUToF", e.f32, lane), e.constant(e.f32, _TINY))
        nothing = e.emit("OpConvertFToU", e.i32, tiny)
        narrow = nothing if form == e.i32 else e.emit("OpUConvert", form, nothing)
        hidden = e.emit("OpBitwiseOr", form, fragment.get(e, form, 0, 1), narrow)
        return hidden if count == 1 else e.emit("OpCompositeConstruct", e.vector(form, count), *(hidden,) * count)

    return e.at_entry(("factor", form, fragment.element, known, count), make)


def operand(e: Emitter, value: Fragment, form: Id, count: int) -> Id:
    """All of a value as one vector of `count` words."""
    if value.bits(e) != count * e.width[form]:
        raise SpirvError(f"an operand of {value.count} elements of {value.element}; the matrix instruction takes {count} words")
    return value.get(e, form, 0, count)
