"""Rules of instructions that a whole subgroup or workgroup executes together."""

from __future__ import annotations

from ..module.binary import Instruction
from ..module.opcodes import enum_value
from ..module.shapes import BLOCK_INSTRUCTIONS
from ..module.uniformity import Level, Uniformity
from .checker import Checker

_BARRIERS = frozenset(("OpControlBarrier", "OpControlBarrierArriveEXT", "OpControlBarrierWaitEXT"))
# Undefined unless the whole subgroup executes the same dynamic instance.
_TOGETHER = frozenset(
    (
        *BLOCK_INSTRUCTIONS,
        "OpSubgroupMatrixMultiplyAccumulateINTEL",
        "OpSubgroupBlockReadINTEL",
        "OpSubgroupBlockWriteINTEL",
        "OpSubgroupBlockPrefetchINTEL",
    )
)
_WORKGROUP = enum_value("Scope", "Workgroup")


def check_uniformity(checker: Checker) -> None:
    """Operands of block instructions are subgroup-uniform; these, matrix instructions and barriers are reached together."""
    names = {i.name for i in checker.binary.instructions}
    if names & (_TOGETHER | _BARRIERS):
        _check_level(checker, Level.SUBGROUP)
    if names & _BARRIERS:
        _check_level(checker, Level.WORKGROUP)


def _check_level(checker: Checker, level: Level) -> None:
    uniformity = Uniformity(checker.binary, level)
    for function in checker.binary.functions():
        for label, body in function.blocks.items():
            for i in body:
                if label in uniformity.varying_blocks and _needs_company(checker, i, level):
                    checker.report(
                        f"not all of a {level.value} may reach {i.name}: a branch before it depends on the invocation",
                        "broadcast the condition, or move the instruction out of the branch",
                        at=i,
                    )
                elif level is Level.SUBGROUP and i.name in BLOCK_INSTRUCTIONS:
                    _check_operands(checker, i, uniformity)


def _needs_company(checker: Checker, i: Instruction, level: Level) -> bool:
    """Whether all of the group must execute `i` together."""
    if i.name in _BARRIERS:
        spans_workgroup = checker.binary.constant(i.args[0]) == _WORKGROUP
        return spans_workgroup == (level is Level.WORKGROUP)
    return level is Level.SUBGROUP and i.name in _TOGETHER


def _check_operands(checker: Checker, i: Instruction, uniformity: Uniformity) -> None:
    private = {"store": 4, "prefetch": -1}.get(BLOCK_INSTRUCTIONS[i.name], 9)
    for position, value in enumerate(i.args):
        if position != private and not uniformity.is_uniform(value):
            message = f"{checker.name(value)} may differ between lanes; all operands but the private pointer must be uniform"
            checker.report(message, "pass it through OpGroupNonUniformBroadcastFirst", at=i)
