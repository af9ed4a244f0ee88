"""Check a finished module for what spirv-val does not: the meaning of Intel's tile instructions, and what drivers demand.

Rules come from SPV_INTEL_2d_block_io rev 2, SPV_INTEL_subgroup_matrix_multiply_accumulate rev 1, the OpenCL environment
specifications of both, and what Intel's compilers accept.
"""

from __future__ import annotations

from collections.abc import Callable

from ..module.binary import Instruction
from ..module.errors import SpirvError
from ..module.opcodes import CAPABILITY_BY_WIDTH, ENUMERATIONS, EXTENSION_OF, enum_value, implied_capabilities
from . import blocks, groups, matrices, shifts
from .checker import Checker, Problem

MAX_VERSION = (1, 4)


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
    checker = Checker(data)
    check_version(checker)
    check_capabilities(checker)
    check_kernels(checker)
    rules: dict[str, InstructionRule] = {**blocks.RULES, **matrices.RULES, **shifts.RULES}
    for i in checker.binary.instructions:
        if i.name in rules:
            rules[i.name](checker, i)
    groups.check_uniformity(checker)
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
