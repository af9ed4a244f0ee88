"""The state of one emulation: the module that is rewritten, and the functions that it calls now."""

from __future__ import annotations

from functools import cached_property

from ..module.binary import Binary, Instruction
from ..module.errors import SpirvError
from ..module.opcodes import enum_value
from ..module.rewrite import Rewriter, instruction
from ..module.shapes import BLOCK_INSTRUCTIONS, BlockInstruction, MatrixInstruction, find_matrix


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


def block_of(rewriter: Rewriter, old: Instruction) -> BlockInstruction:
    """The shape of a block instruction.  Raises SpirvError where it is not constant."""
    shape = [rewriter.binary.constant(value) for value in old.args[:4]]
    if None in shape:
        raise SpirvError(f"element size, width, height and count of {old.name} must be integer constants")
    return BlockInstruction(BLOCK_INSTRUCTIONS[old.name], *(int(n) for n in shape if n is not None))


def matrix_of(emulator: Emulator, old: Instruction) -> tuple[MatrixInstruction, int]:
    """The row of the tables that a matrix instruction means, and its rows.  Raises SpirvError where there is none."""
    k = emulator.binary.constant(old.args[0])
    mask = old.args[4] if len(old.args) > 4 else 0
    kind = emulator.definition(old.type_id)
    if kind is None:
        raise SpirvError(f"{old.name} has no result type")
    rows = kind.words[2] if kind.name == "OpTypeVector" else 1
    element = emulator.definition(kind.words[1]) if kind.name == "OpTypeVector" else kind
    c_type = ("float" if element and element.name == "OpTypeFloat" else "int", element.words[1] if element else 0)
    matrix = find_matrix(emulator.subgroup_size, k or 0, mask, c_type)
    if matrix is None:
        raise SpirvError(f"no emulation of {old.name} for K {k}, operands {mask:#x} and subgroups of {emulator.subgroup_size}")
    return matrix, rows
