"""Random kernels agree between workgroup level, lane level, and the CPU device in both ways.

Each example holds several programs in one kernel: building it costs more than running it. By default 3 of the sweep's 50 examples,
which are 300 programs, run; `--hypothesis-examples 1000` makes them 6000. A CPU's driver takes longer to build one than the rest
together: it gets some of them, the GPU's module of one in ten and the CPU's own code of three, of each width in turn. `pytest --on
sim:bmg -m device tests/fuzz --sweep=1` runs these as machine code.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from xetile.backends.reference.interpret import interpret

import xetile as xt
from tests import tools
from tests.fuzz.programs import KEPT, LARGEST, OPERATIONS, arrays, kernel
from tests.parity.run import arguments, request
from tests.sampling import few
from xetile.errors import DeviceError, LayoutError
from xetile.ir.verifier import verify
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.runtime.cpus import host_target
from xetile.runtime.devices import find_device
from xetile.runtime.settings import override
from xetile.runtime.specialize import PerformanceWarning
from xetile.target import get_target

PROGRAMS = 6
NUMBERS = st.integers(0, 60)
STEPS = st.tuples(st.sampled_from(sorted(OPERATIONS)), NUMBERS, NUMBERS, NUMBERS)
BATCHES = st.lists(st.lists(STEPS, min_size=2, max_size=6).map(tuple), min_size=PROGRAMS, max_size=PROGRAMS).map(tuple)
N = 3


NAMES = ("F32", "F16", "I32", "I16", "U8")
TYPES = {**dict(zip(NAMES, ("f32[?,?]", "f16[?,?]", "i32[?,?]", "i16[?,?]", "u8[?,?]"))), "Out": "f32[?,?,?,?]", "n": "i32"}


def at_levels(case: dict[str, Any], subgroups: int) -> dict[str, np.ndarray]:
    """What the first and the last level give; raises LayoutError for maps that do not go together."""
    what = request(kernel, TYPES, num_subgroups=subgroups, **case)
    inputs, results = arrays(), {}
    for level, module in pipeline.lower(trace(what), get_target(what.target)):
        if level in ("xetile", "lane"):
            verify(module)
            out = np.zeros((PROGRAMS, KEPT, *LARGEST), np.float32)
            values = {**dict(zip(NAMES, inputs)), "Out": out, "n": N}
            interpret(module, (1, 1, 1), arguments(module.kernel, values))
            results[level] = out
    return results


def on_cpu(case: dict[str, Any], subgroups: int, way: str = "emulate") -> np.ndarray:
    out = np.zeros((PROGRAMS, KEPT, *LARGEST), np.float32)
    with override(cpu=way), xt.device("cpu"), warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)
        kernel[(1,)](*arrays(), out, N, num_subgroups=subgroups, **case)
    return out


@pytest.fixture(scope="module")
def cpu() -> None:
    try:
        find_device("cpu")
    except DeviceError as error:
        tools.missing("a cpu device", str(error))


# By the number that an example draws: what XETILE_CPU is when the CPU runs it; empty: its own choice.
WAYS = {0: "", 1: "avx2", 2: "" if host_target() == "avx2" else "avx512", 7: "emulate"}
EXAMPLES = (BATCHES, st.sampled_from((1, 2, 4, 8)), st.booleans(), st.integers(0, 9))


# No shrinking: each step would build a kernel; the message names the one program that is at fault.
@pytest.mark.device
@few(16, phases=[Phase.generate])
@given(*EXAMPLES)
def test_workgroup_lanes_and_device_agree(cpu, programs, subgroups, mapped, device):
    check(programs, subgroups, mapped, device)


@pytest.mark.slow
@pytest.mark.device
@settings(phases=[Phase.generate])
@given(*EXAMPLES)
def test_workgroup_lanes_and_device_agree_on_more(cpu, programs, subgroups, mapped, device):
    check(programs, subgroups, mapped, device)


def check(programs, subgroups, mapped, device):
    case = {"PROGRAMS": programs, "SUBGROUPS": subgroups, "MAPPED": mapped}
    try:
        found = at_levels(case, subgroups)
    except LayoutError:  # maps that contradict each other
        case["MAPPED"] = False
        found = at_levels(case, subgroups)
    if device in WAYS:
        found[f"cpu {WAYS[device]}"] = on_cpu(case, subgroups, WAYS[device])
    for p, program in enumerate(programs):
        for other in found:
            np.testing.assert_array_equal(found[other][p], found["xetile"][p], err_msg=f"{other}: {program} {case}")


def test_there_are_as_many_programs_as_promised(pytestconfig):
    assert pytestconfig.getoption("--hypothesis-examples") * PROGRAMS >= 300
