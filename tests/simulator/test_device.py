"""Simulated GPUs are devices like others: listed, chosen by name, and right; never taken unless asked for."""

from __future__ import annotations

import os

import numpy as np
import pytest
from xetile.backends.simulator import toolchain
from xetile.backends.simulator.kernel import SimulatedKernel

import xetile as xt
from tests import tools
from xetile.errors import BuildError, DeviceError, KernelAssertionError, LaunchError
from xetile.runtime import devices
from xetile.runtime.devices import find_device

TARGETS = ("pvc", "bmg", "lnl", "dg2")


@pytest.fixture(params=TARGETS)
def simulated(request: pytest.FixtureRequest) -> str:
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    return f"sim:{request.param}"


@xt.jit
def halves(a, c, n: xt.i32):
    i = xt.program_id(0)
    x = xt.load_tile(xt.init_tile(a, (i * 16, 0), (16, 16)))
    if i >= n:
        x = x * 2.0
    xt.device_print("program", i, x[0, :3])
    xt.store_tile(x + 1.0, xt.init_tile(c, (i * 16, 0), (16, 16)))


def test_each_target_is_listed_and_none_is_the_default():
    listed = [info for info in devices.devices() if info.kind == "sim"]
    assert {info.target for info in listed} == set(TARGETS)
    assert devices.devices()[0].kind != "sim"


@pytest.mark.every(4)
def test_results_and_prints(simulated, capsys):
    a, c = np.random.default_rng(0).random((50, 16), np.float32), np.zeros((50, 16), np.float32)
    with xt.device(simulated):
        halves[(4,)](a, c, 2)
    expected = a + 1
    expected[32:] = a[32:] * 2 + 1
    np.testing.assert_array_equal(c, expected)
    shown = [" ".join(f"{n:g}" for n in a[16 * i, :3] * (1 + (i >= 2))) for i in range(4)]
    assert sorted(capsys.readouterr().out.split("\n")) == ["", *(f"program {i} [{row}]" for i, row in enumerate(shown))]


@xt.jit
def checked(a, c):
    x = xt.load_tile(xt.init_tile(a, (0, 0), (16, 16)))
    xt.device_assert(x < 2.0, "too large")
    xt.store_tile(x, xt.init_tile(c, (0, 0), (16, 16)))


@pytest.mark.every(4, 1)
def test_assertions_and_statistics(simulated):
    a, c = np.ones((16, 16), np.float32), np.zeros((16, 16), np.float32)
    with xt.device(simulated):
        before = xt.stats()
        checked[(1,)](a, c)
        after = xt.stats()
        np.testing.assert_array_equal(c, a)
        assert after.loads == before.loads + 1
        a[3, 5] = 4
        with pytest.raises(KernelAssertionError, match="too large"):
            checked[(1,)](a, c)
        assert xt.stats().loads == after.loads


def test_a_missing_compiler_is_the_reason(monkeypatch):
    monkeypatch.setenv("PATH", "")
    devices.refresh()
    try:
        with pytest.raises(DeviceError, match="no sim:bmg device") as raised:
            find_device("sim:bmg")
        assert "ocloc and iga64 are not on PATH" in str(raised.value)
    finally:
        monkeypatch.undo()
        devices.refresh()


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "does, message", [("sleep 1.5; exit 3", "refuses the module"), ("while :; do :; done", "takes longer than 1 seconds")]
)
def test_the_compiler_has_its_time_of_the_processor_not_of_the_clock(monkeypatch, tmp_path, does, message):
    (tmp_path / "ocloc").write_text(f"#!/bin/sh\n{does}\n")
    (tmp_path / "ocloc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(toolchain, "SECONDS", 1)
    monkeypatch.setattr(toolchain, "PATIENCE", 600)
    with pytest.raises(BuildError, match=message):
        toolchain.compile_spirv(b"", "bmg", "")


def test_an_unknown_target_is_no_device():
    with pytest.raises(DeviceError, match="no sim:gen9 device"):
        find_device("sim:gen9")


@xt.jit
def reads_behind(a, c, n: xt.i32):
    where = xt.arange(16) + n
    xt.store_tile(xt.load_gather(xt.init_tile(a, where)), xt.init_tile(c, 0, (16,)))


@pytest.mark.every(2)
def test_an_unmasked_gather_is_an_error_that_names_the_array_and_the_instruction(simulated):
    a, c = np.arange(40, dtype=np.float32), np.zeros(16, np.float32)
    with xt.device(simulated):
        reads_behind[(1,)](a, c, 24)
        np.testing.assert_array_equal(c, a[24:])
        with pytest.raises(LaunchError, match=r"byte 160 of a \(160 bytes\)") as raised:
            reads_behind[(1,)](a, c, 27)
    assert "load.ugm" in str(raised.value)


@xt.jit
def reduced(a, c, KIND: xt.constexpr):
    x = xt.load_tile(xt.init_tile(a, (0, 0), (8, 16)))
    xt.store_tile(xt.tile_reduce(KIND, x, 1), xt.init_tile(c, (0, 0), (8, 1)))


@pytest.mark.covering
@pytest.mark.every(4, 2)
@pytest.mark.parametrize("kind, function", [("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)])
def test_bits_of_64_bit_integers_are_reduced_in_halves(simulated, kind, function):
    """IGC makes code of the plain form that never writes the register which it stores."""
    a = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, (8, 16)) | (0xFF00FF if kind == "and" else 0)
    c = np.zeros((8, 1), np.int64)
    with xt.device(simulated):
        reduced[(1,)](a, c, KIND=kind)
    np.testing.assert_array_equal(c, function.reduce(a, 1, keepdims=True))


@xt.jit
def scattered(a, c, offsets):
    first = xt.load_tile(xt.init_tile(offsets, 0, (1,))).item()
    rows, cols = first + xt.arange(16)[:, None], xt.arange(16)[None, :]
    xt.store_scatter(xt.load_tile(xt.init_tile(a, (0, 0), (16, 16))), xt.init_tile(c, rows * c.shape[1] + cols))


@pytest.mark.every(4)
def test_64_bit_numbers_of_other_lanes(simulated):
    """On DG2 IGC takes the other part of a sum from the same lane as a shuffled integer of 64 bits: every lane stores to one place."""
    a, c = np.arange(256, dtype=np.float32).reshape(16, 16), np.zeros((20, 16), np.float32)
    with xt.device(simulated):
        scattered[(1,)](a, c, np.array([3], np.int64))
    np.testing.assert_array_equal(c[3:19], a)


@xt.jit
def narrowed(a, c, d, KIND: xt.constexpr):
    x = xt.load_tile(xt.init_tile(a, (0, 0), (16, 32)))
    xt.store_tile(x.to(xt.f64).to(KIND), xt.init_tile(c, (0, 0), (16, 32)))
    xt.store_tile(x.to(KIND), xt.init_tile(d, (0, 0), (16, 32)))


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("simulated", ["pvc", "bmg"], indirect=True)
@pytest.mark.parametrize("kind", [xt.f32, xt.f16], ids=str)
@pytest.mark.parametrize("source", [xt.i64, xt.f64], ids=str)
def test_f64_numbers_are_narrowed_and_stored_by_blocks(simulated, source, kind):
    """IGC joins conversions whose results a 2D block store takes, and takes one register of two for each f64 of 16 lanes."""
    a = np.random.default_rng(0).integers(-2000, 2000, (16, 32)).astype(source.numpy)
    c, d = (np.zeros((16, 32), kind.numpy) for _ in range(2))
    with xt.device(simulated):
        narrowed[(1,)](a, c, d, KIND=kind)
    np.testing.assert_array_equal(c, a)
    np.testing.assert_array_equal(d, a)


def test_a_module_of_another_target_is_refused_with_the_reason():
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    binary = reduced.compile("i32[?,?]", "i32[?,?]", target="pvc", KIND="add").binary
    with pytest.raises(BuildError, match="kernel reduced is compiled for pvc, and a driver for dg2 refuses its module") as raised:
        SimulatedKernel(binary, find_device("sim:dg2"))
    assert raised.value.hint == "compile it for dg2"


@xt.jit(grid=lambda a, c: (-(-a.shape[1] // 16), -(-a.shape[0] // 16)))
def backwards(a, c):
    at = xt.program_id(1) * 16, xt.program_id(0) * 16
    xt.store_tile(xt.load_tile(xt.init_tile(a, at, (16, 16))), xt.init_tile(c, at, (16, 16)))


@pytest.mark.every(2)
@pytest.mark.filterwarnings("ignore:.*element by element")
@pytest.mark.parametrize("simulated", ["pvc", "dg2"], indirect=True)
def test_rows_run_backwards(simulated):
    """The OpenCL backend copies such arrays: a surface begins where its argument does."""
    a, c = np.arange(40 * 80, dtype=np.float32).reshape(40, 80), np.zeros((20, 80), np.float32)
    with xt.device(simulated):
        backwards(a[::-2], c[::-1])
    np.testing.assert_array_equal(c[::-1], a[::-2])


@xt.jit
def plus_one(X, Out):
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (16, 16))) + 1, xt.init_tile(Out, (0, 0), (16, 16)))


@pytest.mark.every(6, 5)
@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0)])
def test_lanes_outside_of_an_empty_array_read_memory_of_its_own(simulated, shape):
    out = np.zeros(shape, np.float32)
    with xt.device(simulated):
        plus_one[(1,)](np.zeros(shape, np.float32), out)


@xt.jit(out={"ergebnis": lambda größe: xt.empty(größe.shape, xt.f32)}, grid=1)
def verdopple_größe(größe, ergebnis):
    xt.store_tile(xt.load_tile(größe[0:8]) * 2, ergebnis[0:8])


def test_kernels_are_called_whatever_users_call_them():
    """The compiler writes names that YAML has no plain form for in quotes."""
    x = np.arange(8, dtype=np.float32)
    with xt.device("sim:bmg"):
        np.testing.assert_array_equal(verdopple_größe(x), x * 2)
