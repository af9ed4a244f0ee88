"""The state of one emulation: the module that is rewritten, and the functions that it calls now."""

from __future__ import annotations

from functools import cached_property

from .binary import Binary, Instruction
from .errors import SpirvError
from .opcodes import enum_value
from .rewrite import Rewriter, instruction


class Emulator(Rewriter):
    """The state of one emulation: `functions` maps the name of each function to its line of OpenCL C."""

    def __init__(self, binary: Binary, missing: set[str]) -> None:
        super().__init__(binary)
        self.missing = missing
        self.functions: dict[str, str] = {}

    @cached_property
    def subgroup_size(self) -> int:
        """Lanes of a subgroup; raises SpirvError where the module does not say one number for all kernels."""
        return _subgroup_size(self.binary)

    def call(self, name: str, line: str, result: int, type_id: int, operands: list[tuple[int, int]]) -> Instruction:
        """A call of the function `name`, which `line` instantiates; `operands` are (type id, id)."""
        self.functions[name] = line
        fn = self.imported(name, type_id, [kind for kind, _ in operands])
        return instruction("OpFunctionCall", type_id, result or self.id(), fn, *(value for _, value in operands))

    def typed_pointer(self, value: int, storage: str, bits: int) -> tuple[list[Instruction], tuple[int, int]]:
        """`value` as a pointer to integers of `bits`: the cast that takes, if any, and the operand (type id, id)."""
        wanted = self.pointer(storage, self.int_type(bits))
        if self.binary.type_id_of(value) == wanted:
            return [], (wanted, value)
        cast = self.id()
        return [instruction("OpBitcast", wanted, cast, value)], (wanted, cast)

    def number(self, value: int) -> tuple[int, int]:
        """A value as an operand of `call`."""
        made = self.definition(value)
        return (made.type_id if made else 0), value


def _subgroup_size(binary: Binary) -> int:
    mode = enum_value("ExecutionMode", "SubgroupSize")
    sizes = {i.words[2] for i in binary.instructions if i.name == "OpExecutionMode" and i.words[1] == mode}
    if len(sizes) != 1:
        raise SpirvError("emulation needs one SubgroupSize for all kernels of a module", hint=f"found {sorted(sizes) or 'none'}")
    return sizes.pop()
