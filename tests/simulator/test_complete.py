"""The simulator knows each instruction of each kernel of the tests, benchmarks, tutorials and the library, run or not."""

from __future__ import annotations

import pytest
from xetile.backends.simulator.flow import BRANCH
from xetile.backends.simulator.isa import BRANCHES
from xetile.backends.simulator.kernel import SimulatedKernel

from tests import tools
from tests.test_compare_code import kernels
from xetile.errors import CompileError, DtypeError, ResourceError, TileShapeError
from xetile.runtime.devices import find_device

CASES = list(kernels.cases())
WITHOUT_EFFECT = frozenset({"nop", "sync", "illegal"})
"""`illegal` fills the code behind the end of its threads."""


REFUSED = "tests/lowering/pipelines.py:divergent_barrier"
"""Written to be refused: half of the subgroups come to its barrier."""


@pytest.mark.every(305, 1)
@pytest.mark.parametrize("target", kernels.TARGETS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_instruction_is_known(case, target):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    if case.name.startswith(REFUSED):
        with pytest.raises(CompileError):
            case.compile(target)
        return
    try:
        binary = case.compile(target).binary
    except (DtypeError, ResourceError, TileShapeError) as error:  # written for another target
        pytest.skip(error.message)
    program = SimulatedKernel(binary, find_device(f"sim:{target}")).executable.program
    for at, inst in enumerate(program.code.instructions):
        if inst.opcode in BRANCHES:
            assert inst.opcode in BRANCH, inst
        elif inst.opcode not in WITHOUT_EFFECT:
            program.step(at)
