"""What a kernel does to its arguments."""

from __future__ import annotations

from xetile.dialects.types import ScalarType, VectorType
from xetile.ir.core import Op, Value
from xetile.ir.interfaces import variables_of, written_values


def written_arguments(module: Op) -> set[Value]:
    """The kernel's arguments that some op may write to: stores followed back through tiles, descriptors and addresses."""
    variables = {holder: variable for variable in variables_of(module) for holder in variable.holders}
    found: set[Value] = set()
    open_ = [value for op in module.walk() for value in written_values(op)]
    while open_:
        value = open_.pop()
        if value in found:
            continue
        found.add(value)
        if value in variables:
            open_.extend(variables[value].given)
        elif value.op is not None and not value.op.reads:  # what memory holds is no argument
            # Offsets and sizes say where in the memory; addresses are computed from all operands.
            memory = [operand for operand in value.op.operands if not isinstance(operand.type, (ScalarType, VectorType))]
            open_.extend(memory or value.op.operands)
    return {value for value in found if value.op is None}
