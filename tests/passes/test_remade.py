"""What lanes can make in any layout is made in that of a product's sums, for targets that work products out as their transposes."""

from __future__ import annotations

import numpy as np

import xetile as xt
from tests.ops.run import Launch

M, N, K, BLOCK = 40, 56, 96, 32


@xt.jit
def scaled_steps(A, B, S, Row, Column, C, BLOCK: xt.constexpr):
    """Sums scaled in each step, then a row, a column and a triangle."""
    m, n = xt.program_id(1) * BLOCK, xt.program_id(0) * BLOCK
    acc = xt.zeros((BLOCK, BLOCK), xt.f32)
    for k in range(0, A.shape[1], BLOCK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BLOCK, BLOCK)))
        acc += (a @ xt.load_tile(xt.init_tile(B, (k, n), (BLOCK, BLOCK)))) * S[k // BLOCK]
    row = xt.load_tile(xt.init_tile(Row, n, BLOCK))[None, :]
    column = xt.load_tile(xt.init_tile(Column, m, BLOCK))[:, None]
    below = xt.arange(BLOCK)[:, None] + m >= xt.arange(BLOCK)[None, :] + n
    xt.store_tile(xt.where(below, row * 2 - column + acc, row / column), xt.init_tile(C, (m, n), (BLOCK, BLOCK)))


def launch() -> Launch:
    rng = np.random.default_rng(7)
    a, b = (rng.integers(-4, 5, shape).astype(np.float16) for shape in ((M, K), (K, N)))
    s, row = np.array([1, 2, 0.5], np.float32), rng.integers(-8, 9, N).astype(np.float32)
    column = 2.0 ** rng.integers(-2, 3, M).astype(np.float32)
    steps = [(a[:, k : k + 32].astype(np.float32) @ b[k : k + 32].astype(np.float32)) * s[k // 32] for k in range(0, K, 32)]
    below = np.arange(M)[:, None] >= np.arange(N)[None, :]
    exact = np.where(below, row[None] * 2 - column[:, None] + sum(steps), row[None] / column[:, None])
    arrays = {"A": a, "B": b, "S": s, "Row": row, "Column": column.astype(np.float32), "C": np.zeros((M, N), np.float32)}
    return Launch(scaled_steps, arrays, {"C": exact.astype(np.float32)}, (2, 2), {"BLOCK": BLOCK}, 4, targets=("dg2",))


def test_levels_agree():
    launch().at_levels("dg2")


def test_the_module_of_the_gpu_is_right():
    launch().on_device("cpu", "dg2")


def test_lanes_exchange_quotients_alone():
    """Sums stay as the instruction gives them; of what is added to them a quotient alone is not worth to be computed again."""
    types = ("f16[?,?]", "f16[?,?]", "f32[?]", "f32[?]", "f32[?]", "f32[?,?]")
    text = scaled_steps.compile(*types, target="dg2", BLOCK=BLOCK, num_subgroups=4).ir["xegpu"]
    made = {line.split()[0]: line.split()[2] for line in text.splitlines() if " = " in line}
    sources = [line.split()[3] for line in text.splitlines() if "xegpu.convert_layout" in line]
    assert {made[source] for source in sources} == {"arith.divf"}
