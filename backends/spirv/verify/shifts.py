"""Rules of shifts: by as many digits as a number has, or more, they are undefined (SPIR-V 3.42.14), which spirv-val lets pass."""

from __future__ import annotations

from ..module.binary import Instruction
from .checker import Checker
from .matrices import carried


def check_shift(checker: Checker, i: Instruction) -> None:
    """Known amounts are less than the width of what is shifted."""
    kind = carried(checker, i.type_id)
    amounts = _constants(checker, i.args[1])
    if kind is not None and any(amount >= kind[0][1] for amount in amounts):
        checker.report(f"a number of {kind[0][1]} bits is shifted by {max(amounts)}, which is undefined", at=i)


def _constants(checker: Checker, value: int) -> list[int]:
    """The elements of a value that are known, as unsigned numbers."""
    made = checker.binary.definition.get(value)
    if made is not None and made.name == "OpConstantComposite":
        return [number for element in made.args for number in _constants(checker, element)]
    known = checker.binary.constant(value)
    return [] if known is None else [known]


RULES = dict.fromkeys(("OpShiftLeftLogical", "OpShiftRightLogical", "OpShiftRightArithmetic"), check_shift)
