"""The matrix instruction: SPV_INTEL_subgroup_matrix_multiply_accumulate."""

from __future__ import annotations

from xetile.dialects import xegpu
from xetile.dialects.arith import constant_of
from xetile.dialects.types import I8, I32, ScalarType
from xetile.ir.core import Value

from .emit import Emitter
from .emit_packed import packed_operand
from .emit_table import emits
from .emit_values import Fragment, count_of, from_chunks
from .encode import Id
from .errors import SpirvError
from .hidden import of_lanes, told_apart
from .shapes import MATRICES, MMA_B_COMPONENTS, MMA_ROWS_OF_RESULT, MatrixInstruction

_TINY = 2.0**-20  # makes any lane's number less than one
_TABLE: dict[tuple[int, str, str, str], MatrixInstruction] = {(m.subgroup_size, m.a, m.b, m.c): m for m in MATRICES}


def _name(element: ScalarType, unsigned: bool) -> str:
    """An operand's element type in the words of the extension's tables."""
    if element is I8:
        return "u8" if unsigned else "s8"
    return "s32" if element is I32 else element.name


@emits(xegpu.Dpas)
def emit_dpas(e: Emitter, op: xegpu.Dpas) -> Fragment:
    """One instruction; operands in the words that it takes, which is how block loads give them."""
    type = op.result.type
    rows = count_of(type)
    key = (e.subgroup_size, _name(op.lhs.type.element, bool(op.lhs_unsigned)), _name(op.rhs.type.element, bool(op.rhs_unsigned)),
           _name(type.element, False))  # fmt: skip
    matrix = _TABLE.get(key)
    if matrix is None or rows not in MMA_ROWS_OF_RESULT:
        raise SpirvError(f"no matrix instruction of {key[1]} by {key[2]} into {rows} rows of {key[3]} on {key[0]} lanes")
    a = _factor(e, op.lhs, _form(e, matrix.a_type), matrix.a_components(rows))
    packed = e.packing.operands.get(op.rhs) if e.packing is not None else None
    b = _factor(e, op.rhs, _form(e, matrix.b_type), MMA_B_COMPONENTS) if packed is None else packed_operand(e, packed)
    form = _form(e, matrix.c_type)
    c = e.constant(form, 0, rows) if op.acc is None else _operand(e, e[op.acc], form, rows)
    if op.acc is not None and e.sums is not None and e.sums.begins(op.acc):
        c = of_lanes(e, form, c, rows)
    if not e.whole and e.ties.broken(op):
        c = told_apart(e, c, 1)
    result = e.emit("OpSubgroupMatrixMultiplyAccumulateINTEL", e.vector(form, rows), e.number(matrix.k), a, b, c, matrix.operands)
    return from_chunks(e, type.element, rows, [result], form)


def _form(e: Emitter, carrier: tuple[str, int]) -> Id:
    kind, bits = carrier
    if kind == "int":
        return e.integer(bits)
    return e.real(bits)


def _factor(e: Emitter, value: Value, form: Id, count: int) -> Id:
    """An operand; one of equal words (such as the ones that sum rows) is made once, before everything else.

    IGC keeps a uniform vector as scalars and spreads it over the lanes again for every instruction: the lane's
    number, scaled and rounded to 0, hides that it is uniform (bit tests do not: it knows their range).
    """
    fragment: Fragment = e[value]
    known = constant_of(value)
    if known is None or isinstance(known, tuple) or form not in (e.i32, e.integer(16)):
        return _operand(e, fragment, form, count)

    def make() -> Id:
        lane = e.at_entry("Lane32", lambda: e.function.builtin("SubgroupLocalInvocationId"))
        tiny = e.emit("OpFMul", e.f32, e.emit("OpConvertUToF", e.f32, lane), e.constant(e.f32, _TINY))
        nothing = e.emit("OpConvertFToU", e.i32, tiny)
        narrow = nothing if form == e.i32 else e.emit("OpUConvert", form, nothing)
        hidden = e.emit("OpBitwiseOr", form, fragment.get(e, form, 0, 1), narrow)
        return e.emit("OpCompositeConstruct", e.vector(form, count), *(hidden,) * count)

    return e.at_entry(("factor", form, fragment.element, known, count), make)


def _operand(e: Emitter, value: Fragment, form: Id, count: int) -> Id:
    if value.bits(e) != count * e.width[form]:
        raise SpirvError(f"an operand of {value.count} elements of {value.element}; the matrix instruction takes {count} words")
    return value.get(e, form, 0, count)
