"""Loops whose loads are padded become a loop without padding, where all of the tiles is inside of their arrays, and the rest."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import run_levels
from xetile.dialects import scf, xetile
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.target import get_target


@xt.jit
def made(Bias, m, n, x):
    return xt.load_tile(xt.init_tile(Bias, (m, n + x), (16, 16)), padding=3)


@xt.jit
def summed(A, B, Bias, Out, x, y, FORM: xt.constexpr = made):
    """Out[M, 16] = the sums over blocks of 16 keys of (A[M, 16] @ B[16, K] + Bias[M, K], moved by x and y, 3 beyond)."""
    m = xt.program_id(0) * 16
    a, acc = xt.load_tile(xt.init_tile(A, (m, 0), (16, 16))), xt.zeros((16, 16), xt.f32)
    down, right = m + y, m * 0 + x
    for n in range(0, B.shape[1], 16):
        s = a @ xt.load_tile(xt.init_tile(B, (0, n), (16, 16))) + FORM(Bias, down, n, right)
        acc = xt.tile_mma(s.to(xt.f16), a, acc)
    xt.store_tile(acc, xt.init_tile(Out, (m, 0), (16, 16)))


@xt.jit
def carried(A, B, Bias, Out, x, y):
    m = xt.program_id(0) * 16
    a, acc = xt.load_tile(xt.init_tile(A, (m, 0), (16, 16))), xt.zeros((16, 16), xt.f32)
    t = xt.init_tile(Bias, (m + y, x), (16, 16))
    for n in range(0, B.shape[1], 16):
        s = a @ xt.load_tile(xt.init_tile(B, (0, n), (16, 16))) + xt.load_tile(t, padding=3)
        acc = xt.tile_mma(s.to(xt.f16), a, acc)
        t = xt.update_tile_offset(t, (0, 16))
    xt.store_tile(acc, xt.init_tile(Out, (m, 0), (16, 16)))


@xt.jit
def downwards(Bias, m, n, x):
    return xt.load_tile(xt.init_tile(Bias, (n, m + x), (16, 16)), padding=3)


@xt.jit
def transposed(Bias, m, n, x):
    return xt.load_tile(xt.init_tile(Bias.T, (m, n + x), (16, 16)), padding=3)


@xt.jit
def twice_as_far(Bias, m, n, x):
    return xt.load_tile(xt.init_tile(Bias, (m, 2 * n + x), (16, 16)), padding=3)


@xt.jit
def by_zeros(Bias, m, n, x):
    return xt.load_tile(xt.init_tile(Bias, (m, n + x), (16, 16)))


@xt.jit
def of_a_line(Bias, m, n, x):
    """An array of one dimension has no rows that could be outside."""
    return xt.load_tile(xt.init_tile(Bias[0], n + x, (1, 16)), padding=3)


ROWS, KEYS = 40, 88


def launch(kernel, form=made, bias=(ROWS, KEYS), x: int = 0, y: int = 0) -> Launch:
    rng = np.random.default_rng(5)
    a, b, extra = (rng.integers(-1, 2, shape).astype(np.float16) for shape in ((ROWS, 16), (16, KEYS), bias))
    values = {"A": a, "B": b, "Bias": extra, "Out": np.zeros((ROWS, 16), np.float32), "x": x, "y": y}
    return Launch(kernel, values, {}, grid=(3,), constants={"FORM": form} if kernel is summed else {})


def paddings(kernel, form=made) -> list[list[float]]:
    """Of the loops of the laid-out kernel, in order: how their loads are padded."""
    request = launch(kernel, form).compiled().request
    module = next(m for level, m in pipeline.lower(trace(request), get_target("pvc")) if level == "layout")
    found = [op for op in module.walk() if isinstance(op, scf.For)]
    return [sorted(op.padding for op in loop.body.ops if isinstance(op, xetile.LoadTile)) for loop in found]


@pytest.mark.parametrize("kernel", [summed, carried], ids=["made in the loop", "carried"])
def test_the_first_loop_has_no_padding(kernel):
    assert paddings(kernel) == [[0, 0], [0, 3]]


@pytest.mark.parametrize("form", [downwards, transposed, twice_as_far, of_a_line], ids=lambda form: form.fn.__name__)
def test_other_loops_stay_as_they_are(form):
    assert paddings(summed, form) == [[0, 3]]


def test_zeros_come_by_themselves():
    assert paddings(summed, by_zeros) == [[0, 0]]


@pytest.mark.every(14, 4)
@pytest.mark.parametrize(
    ("bias", "x", "y"),
    [((ROWS, KEYS), 0, 0), ((32, 64), 0, 0), ((48, 96), 0, 0), ((100, 200), 0, 0), ((100, 200), 5, 60), ((100, 200), -1, 0),
     ((100, 200), 0, -1), ((100, 200), 2**31 - 200, 0), ((100, 200), 0, 2**31 - 200), ((1, 1), 0, 0), ((15, 200), 0, 0),
     ((100, 15), 0, 0), ((100, 16), 0, 0), ((0, 200), 0, 0)],
)  # fmt: skip
@pytest.mark.parametrize("kernel", [summed, carried], ids=["made in the loop", "carried"])
def test_every_level_gives_what_numpy_gives(kernel, bias, x, y):
    case = launch(kernel, made, bias, x, y)
    a, b, extra = (case.values[name].astype(np.float64) for name in ("A", "B", "Bias"))
    rows, keys = np.arange(48)[:, None] + y, np.arange(96)[None, :] + x
    inside = (rows >= 0) & (rows < bias[0]) & (keys >= 0) & (keys < bias[1])
    added = np.full((48, 96), 3.0)
    added[inside] = extra[np.broadcast_to(rows, inside.shape)[inside], np.broadcast_to(keys, inside.shape)[inside]]
    a, b = np.pad(a, ((0, 8), (0, 0))), np.pad(b, ((0, 0), (0, 8)))
    s = a @ b + added
    expected = np.stack([sum(s[m : m + 16, n : n + 16] @ a[m : m + 16] for n in range(0, 96, 16)) for m in (0, 16, 32)])
    request = case.compiled().request
    for level, after in run_levels(request, (3, 1, 1), case.values):
        np.testing.assert_array_equal(after["Out"], expected.reshape(48, 16)[:ROWS], err_msg=level)
