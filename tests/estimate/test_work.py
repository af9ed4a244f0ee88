"""What a kernel does, loop by loop, against hand counts and against the machine code."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from benchmarks import gpu_compiler
from benchmarks.isa_cases import CASES
from benchmarks.isastat import analyse, disassemble, parse
from benchmarks.zebin import read_kernels
from tests.kernels.plain_memory import CASES as PLAIN
from tests.tools import require_tool
from xetile.estimate.expressions import Expr
from xetile.ops.kernels import attention, matmul

BY_NAME = {case.name: case for case in CASES}
GEMM = ("f16[?,?]", "f16[?,?]", "f32[?,?]")


def test_a_matmul_by_hand() -> None:
    """256x256x32 in 32 subgroups of 32x64: the numbers of the issue."""
    work = matmul.matmul.compile(*GEMM, num_subgroups=32, target="pvc").estimate.work
    loop = work.hot
    assert (loop.dpas, loop.count("load"), loop.count("prefetch"), loop.count("store")) == (32, 3, 1, 0)
    assert loop.bytes("load") == (32 * 32 + 32 * 64) * 2
    assert loop.bytes("prefetch") == 16 * 32 * 2
    assert loop.products == (("f16", 2 * 32 * 64 * 32),)
    assert work.bytes("store") == 32 * 64 * 4
    assert str(loop.trips) == "max(0, cdiv(A.shape[1], 32))"
    assert loop.trips.evaluate({"dim A 1": 100}) == 4
    assert loop.trips.evaluate({}) is None
    assert {message.array for message in (*work.messages, *loop.messages)} == {"A", "B", "C"}


def test_long_expressions_are_cut_and_shared_parts_are_worked_out_once() -> None:
    deep = Expr("dim A 0")
    for _ in range(200):
        deep = Expr("add", (deep, deep))
    assert deep.symbols == {"dim A 0"}
    assert deep.evaluate({"dim A 0": 1}) == 2**200
    assert len(str(deep)) < 120
    assert "..." in str(deep)


def test_addresses_follow_program_subgroup_and_loop() -> None:
    loop = matmul.matmul.compile(*GEMM, num_subgroups=32, target="pvc").estimate.work.hot
    a = next(m for m in loop.messages if m.kind == "load" and m.array == "A")
    assert (a.rows, a.row_bytes) == (32, 64)
    subgroups = np.arange(32)
    symbols = {"program 0": 3, "program 1": 2, "subgroup": subgroups, loop.symbol: 96}
    row, column = (c.evaluate(symbols) for c in a.coordinates)
    assert np.array_equal(row, 2 * 256 + subgroups // 4 * 32)
    assert column == 96 * 2


def test_causal_attention_does_less_in_the_first_programs() -> None:
    types = ("f16[?,?,?]",) * 3 + ("f32[?,?,?]",)
    constants = {"D": 64, "BM": 128, "BN": 64, "causal": True}
    work = attention.attention.compile(*types, **constants, target="pvc").estimate.work
    _condition, attempt = work.inner
    _sample, whole, masked = attempt.inner
    shape = {"dim K 1": 512}
    assert [int(whole.trips.evaluate({**shape, "program 0": i})) for i in range(4)] == [0, 2, 4, 6]
    assert [int(masked.trips.evaluate({**shape, whole.symbol: 0, "program 0": i})) for i in range(4)] == [8, 8, 8, 8]


def test_branches_are_counted_under_their_condition() -> None:
    @xt.jit
    def some(X, n):
        tile = xt.init_tile(X, (xt.program_id(0) * 8, 0), (8, 32))
        value = xt.load_tile(tile)
        if n > 3:
            xt.store_tile(value + 1.0, tile)

    work = some.compile("f32[?,?]", "i32", target="pvc", num_subgroups=1).estimate.work
    (branch,) = [s for s in work.inner if s.kind == "branch"]
    assert branch.count("store") > 0
    assert work.count("store") == branch.count("store")
    assert [bool(branch.trips.evaluate({"scalar n": n})) for n in (3, 4)] == [False, True]


@pytest.mark.covering
@pytest.mark.every(6, 4)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize(
    "name",
    [
        "matmul f16",
        "matmul tf32",
        "matmul f16, B transposed",
        "matmul f16, A transposed",
        "softmax f16",
        "attention D=64",
        "attention D=128",
    ],
)
def test_messages_and_arithmetic_are_those_of_the_machine_code(name: str, target: str) -> None:
    require_tool("ocloc")
    compiled = BY_NAME[name].compile(target)
    binary = gpu_compiler.build(compiled.spirv, compiled.target.ocloc_device, compiled.build_options).binary
    kernel = read_kernels(binary)[0]
    counts = analyse(kernel, parse(disassemble(kernel.code, compiled.target.ocloc_device))).hot.counts
    loop = compiled.estimate.work.hot
    # The compiler may unroll.
    rounds = counts["dpas"] / loop.dpas if loop.dpas else counts.loads / loop.count("load")
    assert rounds == int(rounds) >= 1
    assert counts.loads == rounds * loop.count("load")
    assert counts["prefetch"] == rounds * loop.count("prefetch")
    assert (counts["slm_load"], counts["slm_store"]) == (rounds * loop.count("slm_load"), rounds * loop.count("slm_store"))
    assert counts["send_barrier"] == rounds * loop.barriers
    arithmetic = (counts["alu"] + counts["mov"]) / rounds
    estimated = loop.simple + loop.math
    # Of a product's loop, which has next to none, IGC keeps what is added to coordinates in the messages' headers.
    assert 0.5 < estimated / arithmetic < 2 or abs(estimated - arithmetic) <= 8


def test_the_line_in_which_an_array_ends_is_brought_once_of_all() -> None:
    """The second message to a vector of any length moves nothing in all tiles but one."""
    add = PLAIN["vector add, any length"].kernel
    any_length, lines = (add.compile(*[f"f32[?{mark}]"] * 3, target="pvc").estimate.work for mark in ("", ";lines"))
    assert any_length.count("load") == 2 * lines.count("load") == 4
    assert any_length.bytes("load") == lines.bytes("load") == 2 * 16 * 64
    assert any_length.bytes("store") == lines.bytes("store") == 16 * 64
