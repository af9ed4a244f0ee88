"""Debug mode as users turn it on, and `breakpoint()` in kernels."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import xetile as xt


@xt.jit(grid=lambda A, N: (xt.cdiv(A.shape[0], N),))
def doubled(A, R, N: xt.constexpr = 16):
    at = xt.program_id(0) * N
    a = xt.load_tile(xt.init_tile(A, at, (N,)))
    twice = a + a
    breakpoint()
    xt.store_tile(twice, xt.init_tile(R, at, (N,)))


def recorded(kernel, *arrays, **constants):
    """What each program showed where it stopped."""
    seen = []
    with xt.debug(at=lambda program, variables: seen.append((program, variables))):
        kernel(*arrays, **constants)
    return seen


def test_each_program_stops_with_its_values_as_arrays():
    a, r = np.arange(48, dtype=np.float32), np.zeros(48, np.float32)
    seen = recorded(doubled, a, r)
    assert [program for program, _ in seen] == [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
    for (x, _, _), variables in seen:
        assert variables["N"] == 16 and variables["at"] == 16 * x
        assert variables["a"].shape == (16,) and (variables["a"] == a[16 * x :][:16]).all()
        assert (variables["twice"] == 2 * variables["a"]).all()
    assert (r == 2 * a).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float16, ml_dtypes.bfloat16])
def test_arrays_have_the_types_of_the_kernel(dtype):
    a, r = (np.arange(16) + 120).astype(dtype), np.zeros(16, dtype)
    ((_, variables),) = recorded(doubled, a, r)
    assert variables["a"].dtype == dtype and (variables["a"] == a).all()


def test_what_a_handler_changes_is_a_copy():
    a, r = np.ones(16, np.float32), np.zeros(16, np.float32)
    with xt.debug(at=lambda program, variables: variables["twice"].fill(7)):
        doubled(a, r)
    assert (r == 2).all()


@xt.jit(grid=(4, 2))
def some_stop(R):
    x, y = xt.program_id(0), xt.program_id(1)
    if x == 2:
        breakpoint()
    xt.store_tile(xt.full((1,), 1.0, xt.f32), xt.init_tile(R, y * 4 + x, (1,)))


def test_only_programs_that_come_there_stop():
    seen = recorded(some_stop, np.zeros(8, np.float32))
    assert [(program, v["x"], v["y"]) for program, v in seen] == [((2, 0, 0), 2, 0), ((2, 1, 0), 2, 1)]


@xt.jit(grid=(2,), num_subgroups=4)
def some_subgroups_stop(R):
    twice = xt.subgroup_id() * 2  # noqa: F841
    if xt.subgroup_id() > 1:
        breakpoint()
    xt.store_tile(xt.full((1,), 1.0, xt.f32), xt.init_tile(R, 0, (1,)))


def test_subgroups_that_come_there_alone_stop_one_by_one():
    seen = recorded(some_subgroups_stop, np.zeros(8, np.float32))
    assert [(program[0], v["subgroup"], v["twice"]) for program, v in seen] == [(0, 2, 4), (0, 3, 6), (1, 2, 4), (1, 3, 6)]


@xt.jit
def helper(a, offset):
    shifted = a + offset
    breakpoint()
    return shifted


@xt.jit(grid=(1,))
def calls_a_helper(A, R, N: xt.constexpr = 16):
    a = xt.load_tile(xt.init_tile(A, 0, (N,)))
    xt.store_tile(helper(a, 3), xt.init_tile(R, 0, (N,)))


def test_a_breakpoint_in_a_helper_shows_the_helper_s_variables():
    ((_, variables),) = recorded(calls_a_helper, np.ones(16, np.float32), np.zeros(16, np.float32))
    assert sorted(variables) == ["a", "offset", "shifted"] and variables["offset"] == 3 and (variables["shifted"] == 4).all()


@xt.jit(grid=(1,))
def in_a_loop(R, n):
    kept = 0
    for i in range(n):
        breakpoint()
        kept = i * 10  # noqa: F841
    xt.store_tile(xt.full((1,), 1.0, xt.f32), xt.init_tile(R, 0, (1,)))


def test_a_variable_that_nothing_else_reads_is_up_to_date():
    seen = recorded(in_a_loop, np.zeros(1, np.float32), 3)
    assert [(v["i"], v["kept"]) for _, v in seen] == [(0, 0), (1, 0), (2, 10)]


def test_python_s_own_debugger_stands_at_the_line(monkeypatch):
    frames = []

    def hook(*args, **kwargs):
        frame = sys._getframe(1)
        frames.append((frame.f_code.co_filename, frame.f_lineno, dict(frame.f_locals)))

    monkeypatch.setattr(sys, "breakpointhook", hook)
    with xt.debug():
        doubled(np.ones(32, np.float32), np.zeros(32, np.float32))
    lines, first = inspect.getsourcelines(doubled.fn)
    line = next(first + i for i, text in enumerate(lines) if text.strip() == "breakpoint()")
    assert [(file, at) for file, at, _ in frames] == [(__file__, line)] * 2
    assert [v["program"] for _, _, v in frames] == [(0, 0, 0), (1, 0, 0)] and (frames[1][2]["twice"] == 2).all()


def test_pdb_takes_commands(tmp_path):
    script = tmp_path / "kernel.py"
    script.write_text(
        "import numpy as np, xetile as xt\n"
        "@xt.jit(grid=(2,))\n"
        "def kernel(R):\n"
        "    v = xt.full((4,), 3, xt.i32)\n"
        "    breakpoint()\n"
        "    xt.store_tile(v, xt.init_tile(R, 0, (4,)))\n"
        "with xt.debug():\n"
        "    kernel(np.zeros(4, np.int32))\n"
    )
    run = subprocess.run([sys.executable, str(script)], input="p program, v.tolist()\nc\np program\nc\n",
                         capture_output=True, text=True, check=True)  # fmt: skip
    assert "((0, 0, 0), [3, 3, 3, 3])" in run.stdout
    assert "(1, 0, 0)" in run.stdout and "kernel.py(5)" in run.stdout


@pytest.mark.device
def test_outside_of_debug_mode_nobody_stops(device, monkeypatch):
    monkeypatch.setattr(sys, "breakpointhook", lambda: pytest.fail("stopped"))
    a, r = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    with xt.device(device):
        doubled(a, r)
    assert (r == 2 * a).all()


def test_debug_mode_runs_on_numpy_and_ends_with_its_block():
    before = xt.devices()[0]
    with xt.debug() as info:
        assert info.kind == "numpy" and info.debug
    with xt.device("numpy") as info:
        assert not info.debug
    assert xt.devices()[0] == before


def test_a_kernel_that_ran_before_is_checked_in_debug_mode_and_not_after():
    @xt.jit(grid=(1,))
    def outside(A):
        xt.store_scatter(xt.full((4,), 1.0, xt.f32), xt.init_tile(A, xt.arange(4) + 2))

    a = np.zeros(4, np.float32)
    with xt.device("numpy"):
        outside(a)
        with xt.debug(), pytest.raises(xt.errors.LaunchError, match=r"element \[0, 2\] of the tile \[1, 4\] has offset 4"):
            outside(a)
        outside(a)


@pytest.mark.every(2)
@pytest.mark.parametrize("variable", ["1", "0"])
def test_the_environment_variable_sets_it_for_a_process(variable):
    code = "import xetile as xt; from xetile.runtime.devices import current_device as d; print(d().kind, d().debug)"
    env = {**os.environ, "XETILE_DEBUG": variable}
    env.pop("XETILE_DEVICE", None)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env,
                         cwd=Path(__file__).parents[2]).stdout  # fmt: skip
    assert (out.split() == ["numpy", "True"]) == (variable == "1")


@pytest.mark.parametrize("given", ["q\n", ""])
def test_who_quits_the_debugger_ends_the_call(given, tmp_path):
    """It was called a mistake of xetile's, to be reported."""
    program = (
        "import numpy as np, xetile as xt\n"
        "@xt.jit(grid=1)\n"
        "def stopped(X):\n"
        "    x = xt.load_tile(X[0:4])\n"
        "    breakpoint()\n"
        "    X[0:4] = x\n"
        "with xt.debug():\n"
        "    stopped(np.zeros(4, np.float32))\n"
    )
    file = tmp_path / "program.py"
    file.write_text(program)
    done = subprocess.run([sys.executable, str(file)], input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "bdb.BdbQuit" in done.stderr
    assert "InternalError" not in done.stderr
