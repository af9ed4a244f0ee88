"""Faults put into machine code: instructions of a kernel changed or taken away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from xetile.backends.simulator.execute import Executable
from xetile.backends.simulator.isa import Code, Instruction
from xetile.backends.simulator.program import Program


def changed(what: Executable, change: Mapping[int, Instruction]) -> Executable:
    """The same kernel with other instructions at some positions."""
    code = what.program.code
    instructions = tuple(change.get(i, inst) for i, inst in enumerate(code.instructions))
    return Executable(what.kernel, Program(Code(instructions, code.labels), what.program.layout), what.target)


def positions(what: Executable, opcode: str, suffix: str = "") -> list[int]:
    """Where instructions of a kind are."""
    return [i for i, inst in enumerate(what.code.instructions) if inst.opcode == opcode and inst.suffix.startswith(suffix)]


def nothing(inst: Instruction) -> Instruction:
    """No instruction, in the place of one."""
    return replace(inst, opcode="nop", suffix="", operands=(), swsb=())


def dropped_barriers(what: Executable) -> list[Executable]:
    """A kernel without one of its barriers, for each of them."""
    code = what.code.instructions
    signals = [i for i in positions(what, "send", "gtwy") if not code[i].ends_thread]
    pairs = zip(signals, positions(what, "sync", "bar"), strict=True)
    return [changed(what, {i: nothing(code[i]) for i in pair}) for pair in pairs]
