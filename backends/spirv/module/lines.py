"""Source lines for the driver: OpLine, and the extended instructions of OpenCL.DebugInfo.100 without which drivers drop it.

With `-g` Intel's GPU compiler makes DWARF's table of lines from them, and the same machine code as without.
"""

from __future__ import annotations

from .encode import Id
from .opcodes import opcode
from .sections import Sections

SET = "OpenCL.DebugInfo.100"
# Instructions and enumerants of the specification of OpenCL.DebugInfo.100.
COMPILATION_UNIT, TYPE_FUNCTION, FUNCTION, BLOCK, SCOPE, SOURCE = 1, 8, 20, 21, 23, 35
IS_PUBLIC, IS_DEFINITION, LANGUAGE_OPENCL_C = 3, 8, 3
VERSION, DWARF_VERSION = 1 << 16, 4

Place = tuple[str, int, int]
"""File, line and column, both from 1."""


class Lines:
    """The description of one function for debuggers; written beside the module's types."""

    def __init__(self, module: Sections, function: Id, name: str) -> None:
        self._module, self._function, self._name = module, function, name
        self._set = module.import_set(SET)
        self._scopes: dict[str, Id] = {}

    def scope(self, place: Place) -> list[int]:
        """The words of what opens the scope of a place: a part of the function, in the place's file."""
        file = place[0]
        if not self._scopes:
            self._scopes[file] = self._describe(file, place[1])
        if file not in self._scopes:
            of = next(iter(self._scopes.values()))  # a block of the function may lie in another file
            self._scopes[file] = self._declare(BLOCK, self._source(file), *place[1:], of)
        return self._words(SCOPE, self._module.id(), self._scopes[file])

    def _describe(self, file: str, line: int) -> Id:
        source = self._source(file)
        unit = self._declare(COMPILATION_UNIT, VERSION, DWARF_VERSION, source, LANGUAGE_OPENCL_C)
        kind = self._declare(TYPE_FUNCTION, IS_PUBLIC, self._module.type.void)
        name, empty = self._module.string(self._name), self._module.string("")
        flags = IS_PUBLIC | IS_DEFINITION
        return self._declare(FUNCTION, name, kind, source, line, 0, unit, empty, flags, line, self._function)

    def _source(self, file: str) -> Id:
        return self._declare(SOURCE, self._module.string(file))

    def _declare(self, number: int, *operands: int) -> Id:
        result = self._module.id()
        self._module.add_global(self._words(number, result, *operands))
        return result

    def _words(self, number: int, result: Id, *operands: int) -> list[int]:
        head = opcode("OpExtInst").number | (5 + len(operands)) << 16
        return [head, self._module.type.void, result, self._set, number, *operands]
