"""Rules of the matrix instruction (SPV_INTEL_subgroup_matrix_multiply_accumulate rev 1 and its OpenCL environment)."""

from __future__ import annotations

from ..module.binary import Instruction
from ..module.opcodes import ENUMERATIONS
from ..module.shapes import MATRICES, MMA_B_COMPONENTS, MMA_ROWS_OF_RESULT, MatrixInstruction
from .checker import Checker

_NAME = "OpSubgroupMatrixMultiplyAccumulateINTEL"
_OPERANDS = "MatrixMultiplyAccumulateOperands"

Carried = tuple[tuple[str, int], int]


def check_matrix(checker: Checker, i: Instruction) -> None:
    """K, operands, M, and the types of A, B, C and the result against the tables."""
    k = checker.binary.constant(i.args[0])
    if k is None or not checker.is_int(checker.type_of(i.args[0])):
        checker.report(f"K must be a constant of type i32, {checker.name(i.args[0])} is not", at=i)
        return
    rows = _rows_of_table(checker, i, k)
    if not rows:
        return
    result = carried(checker, i.type_id)
    if result != carried(checker, checker.binary.type_id_of(i.args[3])):
        checker.report(f"the result must have the type of C, {checker.show_type(i.args[3])}", at=i)
    row = next((row for row in rows if result and row.c_type == result[0]), None)
    if row is None or result is None:
        carriers = " or ".join(sorted({_spell((row.c_type, 1)) for row in rows}))
        checker.report(f"C and the result must be of {carriers} for these operands", at=i)
        return
    m = result[1]
    if m not in MMA_ROWS_OF_RESULT:
        checker.report(f"the result has {m} rows; there are {MMA_ROWS_OF_RESULT}", at=i)
        return
    _check_factor(checker, i, "A", i.args[1], (row.a_type, row.a_components(m)))
    _check_factor(checker, i, "B", i.args[2], (row.b_type, MMA_B_COMPONENTS))


def _check_factor(checker: Checker, i: Instruction, what: str, value: int, expected: Carried) -> None:
    if carried(checker, checker.binary.type_id_of(value)) != expected:
        checker.report(f"{what} must be {_spell(expected)} per lane for these operands, not {checker.show_type(value)}", at=i)


def _rows_of_table(checker: Checker, i: Instruction, k: int) -> list[MatrixInstruction]:
    """The table's rows with this subgroup size, these operands and K; reports why there are none."""
    if len(i.args) < 5:
        checker.report("the operands mask is missing; Intel's compiler demands it", "write it even if it is None", at=i)
        return []
    names = ENUMERATIONS[_OPERANDS].text(i.args[4])
    here = [row for row in MATRICES if row.subgroup_size == checker.subgroup_size]
    rows = [row for row in here if row.operands == i.args[4]]
    if not here:
        checker.report(f"no device multiplies matrices in subgroups of {checker.subgroup_size}", "use 16, or 8 on DG2", at=i)
    elif not rows:
        checker.report(f"no matrix product of subgroups of {checker.subgroup_size} has the operands {names}", at=i)
    elif all(row.k != k for row in rows):
        checker.report(f"K is {k}; with the operands {names} it must be {rows[0].k}", at=i)
    return [row for row in rows if row.k == k]


def carried(checker: Checker, type_id: int) -> Carried | None:
    """A scalar's or vector's component type and count, None for other types."""
    kind, count = checker.binary.definition.get(type_id), 1
    if kind is not None and kind.name == "OpTypeVector":
        count, kind = kind.words[2], checker.binary.definition.get(kind.words[1])
    if kind is None or kind.name not in ("OpTypeInt", "OpTypeFloat"):
        return None
    return (kind.name.removeprefix("OpType").lower(), kind.words[1]), count


def _spell(value: Carried) -> str:
    (kind, bits), count = value
    return f"{count} x {kind}{bits}" if count > 1 else f"{kind}{bits}"


RULES = {_NAME: check_matrix}
