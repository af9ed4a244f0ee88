"""IGC's functions for headers of block messages, by which loops prefetch (`emit/prefetch`); modules with messages in place of them."""

from __future__ import annotations

import re

from ..module.binary import Binary, Instruction
from ..module.header_functions import CREATE, PREFETCH, SET
from ..module.opcodes import enum_value, words_string
from ..module.rewrite import Rewriter, instruction

_X, _Y = 4, 5
"""Where CREATE takes the coordinates; behind them the block's width, height and count."""


def as_messages(module: bytes) -> bytes:
    """The module that prefetches by the extension's instruction, for compilers that do not have these functions."""
    if CREATE.encode() not in module:
        return module
    prefetches = _Prefetches(Binary(module))
    return prefetches.finish(prefetches.body(), set())


class _Prefetches(Rewriter):
    """`functions`: these functions' names; `headers`: what CREATE was given, and what was set of it since."""

    def __init__(self, binary: Binary) -> None:
        super().__init__(binary)
        linkage = enum_value("Decoration", "LinkageAttributes")
        linked = [i for i in binary.instructions if i.name == "OpDecorate" and i.words[1] == linkage]
        names = {i.words[0]: words_string(i.words[2:])[0] for i in linked}
        ours = tuple(name.split("{")[0] for name in (CREATE, SET, PREFETCH))
        self.functions = {fn: name for fn, name in names.items() if name.startswith(ours)}
        self.headers: dict[int, list[int]] = {}
        self.capabilities.add("Subgroup2DBlockIOINTEL")

    def body(self) -> list[Instruction]:
        """The module's instructions."""
        made, declared = list[Instruction](), False
        for i in self.binary.instructions:
            declared = declared or (i.name == "OpFunction" and i.result in self.functions)
            if i.name == "OpFunctionCall" and i.args[0] in self.functions:
                made += self._call(i)
            elif not declared and not (i.name in ("OpDecorate", "OpName") and i.words[0] in self.functions):
                made.append(i)
            declared = declared and i.name != "OpFunctionEnd"
        return made

    def _call(self, call: Instruction) -> list[Instruction]:
        """The instructions in the place of a call."""
        function, *args = call.args
        name = self.functions[function]
        if name == CREATE:
            self.headers[call.result] = args
        elif name in map(SET.format, "XY"):
            self.headers[args[0]][_X if name.endswith("X") else _Y] = args[1]
        else:
            return self._message(name, self.headers[args[0]])
        return []

    def _message(self, name: str, header: list[int]) -> list[Instruction]:
        base, width, height, pitch, x, y, *block = header
        surface = [self._before(value) for value in (base, width, height, pitch)]
        match = re.search(r"_u(\d+)_", name)
        assert match is not None
        place, pair = self.id(), self.declare("OpTypeVector", self.int_type(32), 2)
        return [
            instruction("OpCompositeConstruct", pair, place, x, y),
            instruction("OpSubgroup2DBlockPrefetchINTEL", self.constant(int(match[1]) // 8), *block, *surface, place),
        ]

    def _before(self, value: int) -> int:
        """The pointer of which an address is, or the size that is one more."""
        made = self.definition(value)
        assert made is not None
        return made.args[0]
