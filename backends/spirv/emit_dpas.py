"""The matrix instruction: SPV_INTEL_subgroup_matrix_multiply_accumulate."""

from __future__ import annotations

from xetile.dialects import xegpu
from xetile.dialects.types import I8, I32, ScalarType

from .emit import Emitter
from .emit_table import emits
from .emit_values import Fragment, count_of, from_chunks
from .encode import Id
from .errors import SpirvError
from .shapes import MATRICES, MMA_B_COMPONENTS, MMA_ROWS_OF_RESULT, Matrix

_TABLE: dict[tuple[int, str, str, str], Matrix] = {(m.subgroup_size, m.a, m.b, m.c): m for m in MATRICES}


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
    a = _operand(e, e[op.lhs], _form(e, matrix.a_type), matrix.a_components(rows))
    b = _operand(e, e[op.rhs], _form(e, matrix.b_type), MMA_B_COMPONENTS)
    form = _form(e, matrix.c_type)
    c = e.constant(form, 0, rows) if op.acc is None else _operand(e, e[op.acc], form, rows)
    result = e.emit("OpSubgroupMatrixMultiplyAccumulateINTEL", e.vector(form, rows), e.number(matrix.k), a, b, c, matrix.operands)
    return from_chunks(e, type.element, rows, [result], form)


def _form(e: Emitter, carrier: tuple[str, int]) -> Id:
    kind, bits = carrier
    if kind == "int":
        return e.integer(bits)
    return e.real(bits)


def _operand(e: Emitter, value: Fragment, form: Id, count: int) -> Id:
    if value.bits(e) != count * e.width[form]:
        raise SpirvError(f"an operand of {value.count} elements of {value.element}; the matrix instruction takes {count} words")
    return value.get(e, form, 0, count)
