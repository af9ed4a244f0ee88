"""Check a finished module for what spirv-val does not: the meaning of Intel's tile instructions, and what drivers demand.

Rules come from SPV_INTEL_2d_block_io rev 2, SPV_INTEL_subgroup_matrix_multiply_accumulate rev 1, the OpenCL environment
specifications of both, and what Intel's compilers accept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .binary import Binary, Instruction
from .disassemble import Listing
from .errors import SpirvError
from .opcodes import CAPABILITY_BY_WIDTH, ENUMERATIONS, EXTENSION_OF, enum_value, implied_capabilities

MAX_VERSION = (1, 4)


@dataclass(frozen=True)
class Problem:
    """One broken rule: what is wrong, how to fix it, and the instruction as text."""

    message: str
    hint: str = ""
    instruction: str = ""

    def __str__(self) -> str:
        parts = [self.message, self.hint and f"  hint: {self.hint}", self.instruction and f"  in: {self.instruction}"]
        return "\n".join(filter(None, parts))


class Checker:
    """A module under check; rules call `report`."""

    def __init__(self, data: bytes) -> None:
        self.binary = Binary(data)
        self.problems: list[Problem] = []
        self._listing = Listing(self.binary)
        self.subgroup_size = 0

    def report(self, message: str, hint: str = "", at: Instruction | None = None) -> None:
        self.problems.append(Problem(message, hint, self._listing.line(at).strip() if at else ""))

    def type_of(self, value: int) -> Instruction | None:
        """The instruction that declares the type of a value."""
        return self.binary.definition.get(self.binary.type_id_of(value))

    def is_int(self, kind: Instruction | None, width: int = 32) -> bool:
        return kind is not None and kind.name == "OpTypeInt" and kind.words[1] == width

    def name(self, value: int) -> str:
        return self._listing.names(value)

    def show_type(self, value: int) -> str:
        """The type of a value in words, for messages."""
        type_id = self.binary.type_id_of(value)
        return self._listing.names(type_id) if type_id else "no type"


Rule = Callable[[Checker], None]
InstructionRule = Callable[[Checker, Instruction], None]


def verify(data: bytes) -> None:
    """Raise SpirvError with every broken rule, or return."""
    found = problems(data)
    if found:
        count = "1 rule is" if len(found) == 1 else f"{len(found)} rules are"
        raise SpirvError(f"{count} broken in this SPIR-V module:\n" + "\n".join(map(str, found)))


def problems(data: bytes) -> list[Problem]:
    """All broken rules of a module; raises SpirvError only where the bytes cannot be read."""
    from . import verify_blocks, verify_groups, verify_matrices

    checker = Checker(data)
    check_version(checker)
    check_capabilities(checker)
    check_kernels(checker)
    rules: dict[str, InstructionRule] = {**verify_blocks.RULES, **verify_matrices.RULES}
    for i in checker.binary.instructions:
        if i.name in rules:
            rules[i.name](checker, i)
    verify_groups.check_uniformity(checker)
    return checker.problems


def check_version(checker: Checker) -> None:
    """Drivers of Intel take 1.0 to 1.4 and fail on later versions without a message."""
    if checker.binary.version > MAX_VERSION:
        major, minor = checker.binary.version
        checker.report(f"the module has SPIR-V version {major}.{minor}; drivers take at most 1.4")


def check_capabilities(checker: Checker) -> None:
    """Capabilities of instructions, decorations and modes are declared, and their extensions (SPIR-V 2.16.1)."""
    binary = checker.binary
    declared = implied_capabilities(binary.capabilities)
    for capability in sorted(binary.capabilities & set(EXTENSION_OF)):
        if EXTENSION_OF[capability] not in binary.extensions:
            checker.report(f"capability {capability} is declared without its extension {EXTENSION_OF[capability]}")
    seen: set[str] = set()
    for i in binary.instructions:
        for capability in _needed(i) - declared - seen:
            seen.add(capability)
            checker.report(f"{i.name} needs the capability {capability}, which is not declared", at=i)


def _needed(i: Instruction) -> set[str]:
    """Capabilities of extensions that an instruction needs.  Those of the core are left to spirv-val: some have alternatives."""
    by_width = i.name in CAPABILITY_BY_WIDTH  # one capability for each width of the result: spirv-val knows which
    needed = {i.op.capability} if i.op.capability in EXTENSION_OF and not by_width else set[str]()
    if i.name in ("OpDecorate", "OpExecutionMode"):
        kind = "Decoration" if i.name == "OpDecorate" else "ExecutionMode"
        member = ENUMERATIONS[kind].by_value.get(i.words[1])
        needed |= {member.capability} & set(EXTENSION_OF) if member else set()
    return needed


def check_kernels(checker: Checker) -> None:
    """Every kernel fixes its subgroup size, all the same one, and its workgroups are whole subgroups.

    Without SubgroupSize a compiler chooses, and a matrix instruction of 8 lanes in a kernel of 16 compiles silently.  Behaviour
    of the tile instructions is undefined in a subgroup that is not full.
    """
    binary = checker.binary
    modes: dict[int, dict[int, tuple[int, ...]]] = {}
    for i in binary.instructions:
        if i.name == "OpExecutionMode":
            modes.setdefault(i.words[0], {})[i.words[1]] = i.words[2:]
    sizes: set[int] = set()
    for i in binary.instructions:
        if i.name != "OpEntryPoint":
            continue
        own = modes.get(i.words[1], {})
        size = own.get(enum_value("ExecutionMode", "SubgroupSize"), (0,))[0]
        local = own.get(enum_value("ExecutionMode", "LocalSize"))
        sizes.add(size)
        if not size:
            checker.report("a kernel has no execution mode SubgroupSize", "set it: 16 on PVC and Xe2, 8 on DG2", at=i)
        elif local and local[0] * local[1] * local[2] % size:
            text = "x".join(map(str, local))
            checker.report(f"a workgroup of {text} is not made of whole subgroups of {size}", at=i)
    if len(sizes) > 1:
        checker.report(f"kernels of one module have different subgroup sizes: {sorted(sizes)}")
    checker.subgroup_size = max(sizes, default=0)
