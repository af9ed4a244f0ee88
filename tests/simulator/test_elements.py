"""Hundreds of small OpenCL C programs on elements, compiled by the GPU compiler and executed: right to the last bit.

By default each family runs on one target; `--sweep=1` runs them all.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from xetile.backends.simulator.errors import SimulationError

from tests import tools
from tests.simulator.opencl.elements import FAMILIES, ITEMS, TYPES, Program, numbers
from tests.simulator.opencl.sources import executable, run

TARGETS = ("pvc", "bmg", "lnl", "dg2")
OFTEN = {("conversions", "dg2"), ("floats", "bmg"), ("subgroups", "pvc"), ("shuffles", "lnl"), ("atomics", "dg2")}
CASES = [
    pytest.param(family, target, marks=() if (family, target) in OFTEN else pytest.mark.slow, id=f"{family}-{target}")
    for family in FAMILIES
    for target in TARGETS
]


def difference(family: str, program: Program, target: str) -> str:
    """How a program's result differs from what OpenCL C defines; "" where it does not."""
    lanes = 8 if target == "dg2" else 16
    x, y, z = (numbers(program.given, seed) for seed in range(3))
    out = np.zeros(ITEMS, TYPES[program.made])
    with np.errstate(all="ignore"):
        expected = program.expected(x, y, z, lanes)
    try:
        run(executable(family, lanes, target, program.name), [x, y, z, out], (2,), (32,))
    except SimulationError as error:
        return f"{program.name}: {error} {error.inst}"
    if np.array_equal(out, expected, equal_nan=out.dtype.kind == "f"):
        return ""
    first = int(np.argmax(~((out == expected) | ((out != out) & (expected != expected)))))
    return f"{program.name}: item {first} of x={x[first]}, y={y[first]}, z={z[first]} is {out[first]}, not {expected[first]}"


def wrong(family: str, target: str) -> Iterator[str]:
    for program in FAMILIES[family]():
        if found := difference(family, program, target):
            yield found


@pytest.mark.every(6, 4)
@pytest.mark.parametrize("family, target", CASES)
def test_programs_on_elements(family, target):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    assert list(wrong(family, target)) == []


def test_there_are_hundreds_of_them():
    assert sum(len(list(make())) for make in FAMILIES.values()) == 370
