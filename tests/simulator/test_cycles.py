"""Estimated clocks: on code whose clocks can be counted by hand, and on kernels."""

from __future__ import annotations

import re

import numpy as np
import pytest
from xetile.backends.simulator.cycles import estimate
from xetile.backends.simulator.parse import parse
from xetile.backends.simulator.profile import hot_loop, loops
from xetile.backends.simulator.rates import ASSUMED, LATENCIES, rates
from xetile.backends.simulator.state import Layout

import xetile as xt
from tests import tools
from tests.kernels.matmul import matmul
from xetile.errors import ArgumentError, DeviceError
from xetile.runtime import devices, loading
from xetile.runtime.machine_code import hot_loop as hot_loop_text
from xetile.target import get_target

PRODUCT = "dpas.8x8 (16|M0)  r{0}:f  r{0}:f  r80:hf  r96.0:hf  {{{1}}}"
ADD = "add (16|M0)  r{0}.0<1>:f  r{1}.0<1;1,0>:f  r{1}.0<1;1,0>:f  {{{2}}}"
LOAD = "(W) send.ugm (1|M0)  r{0}  r1  null:0  0x0  0x02800203  {{{1}}}"
RESULT = LATENCIES["result of an instruction"][0] + LATENCIES["each further 8 channels"][0]


def clocks(lines: list[str], threads: int = 1, target: str = "pvc", *, cached: bool = False):
    code = parse("\n".join(f"/* [{16 * i:04X}] */ {line}" for i, line in enumerate(lines)))
    layout = Layout(128, get_target(target).grf_bytes, target)
    return estimate(code, layout, range(len(code.instructions)), threads, cached=cached)


def test_products_of_all_threads_share_the_matrix_unit():
    """4096 operations at 512 a clock (PVC: 4096 a core, 8 engines): 8 clocks each; BMG has half of that."""
    code = [PRODUCT.format(8 * i, f"${i}") for i in range(8)]
    assert clocks(code).busy["dpas"] == 64
    assert clocks(code, threads=4).busy["dpas"] == clocks(code, threads=4).cycles == 256
    assert clocks(code, target="bmg").busy["dpas"] == 128


def test_a_wait_for_a_token_costs_what_is_left_of_the_latency():
    waiting = clocks([LOAD.format(8, "$1"), ADD.format(40, 8, "$1.dst")])
    assert waiting.stalls["send"] == pytest.approx(LATENCIES["load, from the last cache"][0], abs=10)
    cached = clocks([LOAD.format(8, "$1"), ADD.format(40, 8, "$1.dst")], cached=True)
    assert (
        waiting.cycles - cached.cycles == LATENCIES["load, from the last cache"][0] - LATENCIES["load, from the first cache"][0]
    )
    assert clocks([LOAD.format(8, "$1"), ADD.format(40, 60, "")]).stalls["send"] == 0
    product = clocks([PRODUCT.format(8, "$1"), ADD.format(40, 8, "$1.dst")])
    assert product.stalls["token"] == 8 - 1 + LATENCIES["first row of dpas"][0] + 7


def test_a_wait_by_distance_ends_with_the_result():
    assert clocks([ADD.format(8, 9, ""), ADD.format(10, 8, "F@1")]).stalls["distance"] == RESULT
    between = [ADD.format(20 + i, 9, "") for i in range(4)]
    assert clocks([ADD.format(8, 9, ""), *between, ADD.format(10, 8, "F@5")]).stalls["distance"] == RESULT - 4


def test_threads_hide_what_others_wait_for():
    code = [LOAD.format(8, "$1"), ADD.format(40, 8, "$1.dst")]
    assert clocks(code, threads=8).cycles < 2 * clocks(code).cycles


BARRIER = ["(W) send.gtwy (1|M0)  null  r1  null:0  0x0  0x02000004  {$1}", "(W) sync.bar  null"]


def test_threads_wait_for_each_other_at_barriers():
    found = clocks([*(PRODUCT.format(8 * i, f"${i + 2}") for i in range(4)), *BARRIER], threads=4)
    assert found.stalls["barrier"] >= LATENCIES["barrier"][0]


def test_loops_and_the_hot_one():
    lines = [
        ADD.format(8, 9, ""),
        "L1:",
        ADD.format(8, 9, ""),
        "(W&f0.0) jmpi  L1",
        "L2:",
        PRODUCT.format(8, "$0"),
        "(W&f0.0) jmpi  L2",
    ]
    code = parse("\n".join(line if line.endswith(":") else f"/* [{16 * i:04X}] */ {line}" for i, line in enumerate(lines)))
    assert [(loop.first, loop.last) for loop in loops(code)] == [(1, 2), (3, 4)]
    assert hot_loop(code) == loops(code)[1]


def test_of_loops_with_as_many_products_that_is_hot_which_a_thread_goes_round_most():
    """The loop of the keys that need no mask may be longer than that of the last ones."""
    body = [
        PRODUCT.format(8, "$0"),
        "(W&f0.0) jmpi  L1",
        "L2:",
        PRODUCT.format(8, "$0"),
        ADD.format(8, 9, ""),
        "(W&f0.0) jmpi  L2",
    ]
    lines = ["L1:", *body]
    code = parse("\n".join(line if line.endswith(":") else f"/* [{16 * i:04X}] */ {line}" for i, line in enumerate(lines)))
    short, long = loops(code)
    assert hot_loop(code) == short
    assert hot_loop(code, [0, 1] * 2 + [2, 3, 4] * 8) == long and hot_loop(code, [0, 1] * 9 + [2, 3, 4]) == short


def test_every_number_has_a_source_or_is_marked():
    for target in ("pvc", "bmg", "lnl", "dg2"):
        assert all(rate.source for rate in rates(target).values())
        assert any(rate.source == ASSUMED for rate in rates(target).values())


@pytest.fixture
def compiler() -> None:
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
def test_a_profile_shows_the_lines_of_the_loop(compiler, target):
    compiled = matmul.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target=target, BM=64, BN=64)
    text = hot_loop_text(compiled)
    assert "not calibrated on hardware" in text.splitlines()[0]
    assert "acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)" in text
    clocks_of_lines = [line.split() for line in text.splitlines() if "matmul.py:" in line]
    total = sum(float(words[0]) for words in clocks_of_lines)
    assert total == pytest.approx(float(text.split(" clocks a round")[0].split()[-1]), rel=0.02)
    products = [line for line in text.splitlines() if "dpas." in line]
    (line,) = {re.search(r"(\d+)  dpas", row)[1] for row in products}
    assert f"matmul.py:{line}  acc = xt.tile_mma" in text


@pytest.mark.every(2)
@pytest.mark.parametrize("target, told", [
    ("pvc", "second cache 8.0 KiB, 130 clocks at least (published peak (xetile.target)); memory 1.0 KiB, "),
    ("bmg", "second cache 8.0 KiB, at a rate that is not published; memory 1.0 KiB, ")])  # fmt: skip
def test_a_profile_shows_what_comes_from_beyond_the_first_cache(compiler, target, told):
    """Two tiles of 64x32 f16; eight workgroups of the made-up launch, 8x8 in all, share each."""
    compiled = matmul.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target=target, BM=64, BN=64)
    text = hot_loop_text(compiled, matmul.head)
    assert "in a round, on zeros with 512 for each open size: " + told in text


def test_ranking_by_machine_code(compiler):
    """What spills goes by its own clocks; the roofline puts it last."""
    configs = [xt.Config(BM=128, BN=128, num_subgroups=2), xt.Config(BM=128, BN=128, num_subgroups=16)]
    found = xt.rank(matmul, configs, "f16[512,512]", "f16[512,512]", target="bmg", by="machine code")
    assert found[0].config == configs[1]
    assert found[0].prediction is not None and "code" in found[0].prediction.terms
    assert found[1].seconds > found[0].seconds
    with pytest.raises(ArgumentError, match="nothing to rank by"):
        xt.rank(matmul, configs, "f16[512,512]", "f16[512,512]", by="luck")
    refused = xt.rank(matmul, configs[1:], np.zeros((8, 8), np.float16), "f16[8,1000000000]", by="machine code")
    assert "MiB" in refused[0].reason


def test_ranking_without_the_compiler_says_so(monkeypatch):
    from xetile.runtime import devices

    monkeypatch.setenv("PATH", "")
    devices.refresh()
    try:
        with pytest.raises(DeviceError, match="ocloc and iga64 are not on PATH"):
            xt.rank(matmul, [xt.Config(BM=64)], "f16[64,64]", "f16[64,64]", by="machine code")
    finally:
        monkeypatch.undo()
        devices.refresh()


@pytest.mark.parametrize("depth", [256, 512])
def test_bytes_of_a_round_from_the_second_cache_and_from_memory(compiler, depth):
    """Two tiles of 64x32 f16 are 8 KiB of lines, whatever the rounds; four workgroups of the grid share each."""
    device = devices.find_device("sim:pvc")
    binary = matmul.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target="pvc", BM=64, BN=64).binary
    loaded = loading.build(binary, device, devices.backend_of(device))
    a, b = np.ones((256, depth), np.float16), np.ones((depth, 256), np.float16)
    found = loaded.profile((4, 4), [a, b, np.zeros((256, 256), np.float32)])
    assert found.each_round == {"second cache": 8192, "memory": 2048}
    assert found.moved["second cache"] > depth // 32 * 8192, "the result's lines are no part of the loop's"
    assert "each round of its hot loop: second cache 8.0 KiB, memory 2.0 KiB" in str(found)
