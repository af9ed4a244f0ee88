"""Every op of the tables at every level on the reference backend, on the CPU device, and compiled for GPUs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tests import tools
from tests.conftest import SIMULATED
from tests.mlir.everywhere import GUARD, agree, generic_forms, left_by, numbers, parser
from tests.mlir.memory_table import CASES as OF_MEMORY
from tests.mlir.op_table import CASES as OF_VALUES
from tests.mlir.op_table import Case
from xetile import mlir
from xetile.cli import mlir_modules
from xetile.errors import XetileError
from xetile.target import get_target

CASES = OF_VALUES | OF_MEMORY
SAMPLE = sorted(CASES)[::24]
ON_CPU = 12
"""One in so many runs on the CPU device too: its compiler takes longer than all else."""


def check(name: str) -> None:
    tools.require_tool("mlir-opt")
    case = CASES[name]
    found = agree(case.text, cpu=sorted(CASES).index(name) % ON_CPU == 0)
    assert isinstance(found, dict), found
    (generic,) = generic_forms([case.text])
    for target in ("pvc", "bmg"):
        assert mlir_modules.compile_module(mlir.parse(generic), get_target(target)).spirv
    compare(case, found)


def check_machine_code(name: str, device: str) -> None:
    for tool in ("mlir-opt", "ocloc", "iga64"):
        tools.require_tool(tool)
    found = left_by(parser(CASES[name].text)(), device, (1,), {})
    if isinstance(found, XetileError):
        raise found
    for array, values in found.items():
        assert (values[:GUARD] == 77).all() and (values[-GUARD:] == 77).all(), f"{array}: written outside"
    compare(CASES[name], {array: values[GUARD:-GUARD] for array, values in found.items()})


def compare(case: Case, found: Mapping[str, np.ndarray]) -> None:
    given = numbers(mlir.parse(case.text))
    for array, expected in expectations(case, given).items():
        assert (found[array][: np.size(expected)].reshape(np.shape(expected)) == expected).all(), array


def expectations(case: Case, given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What the arrays of results hold; lanes have theirs one after another."""
    ins = [array for name, array in given.items() if not name.startswith(("R", "result"))]
    if case.level == "lane" and case.name in OF_VALUES:
        made = np.stack([case.meaning(*parts) for parts in zip(*ins, strict=True)])
    else:
        made = case.meaning(*ins)
    return made if isinstance(made, dict) else {"result": np.asarray(made)}


def test_the_tables_are_large():
    assert len(CASES) >= 300
    assert {case.level for case in CASES.values()} == {"lane", "subgroup", "workgroup"}


@pytest.mark.every(30, 2)
@pytest.mark.parametrize("name", SAMPLE)
def test_an_op_is_what_its_definition_says(name):
    check(name)


def _gpus(name: str) -> tuple[str, ...]:
    """Cases at lane level, and those with layouts of lanes, say what each of 16 lanes has: DG2 has 8."""
    lanes = CASES[name].level == "lane" or "lane_layout" in CASES[name].text
    return tuple(gpu for gpu in SIMULATED if gpu != "sim:dg2") if lanes else SIMULATED


@pytest.mark.simulated
@pytest.mark.parametrize("name, device", [
    pytest.param(name, device, marks=() if i % len(_gpus(name)) == j else pytest.mark.slow)
    for i, name in enumerate(sorted(CASES)) for j, device in enumerate(_gpus(name))
])  # fmt: skip
def test_machine_code_is_what_the_definition_says(name, device):
    """Each by default for one of the targets, behind --sweep for all; of those the share that --simulated says."""
    check_machine_code(name, device)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(CASES) - set(SAMPLE)))
def test_every_op_is_what_its_definition_says(name):
    check(name)
