"""Sums of products stay as the matrix unit's lanes hold them through all loops and branches that carry them, until they are stored."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch

FORMS = ("nested", "branch", "behind", "three")


@xt.jit
def added(A, B, acc, k):
    return acc + xt.load_tile(xt.init_tile(A, (0, k), (32, 32))) @ xt.load_tile(xt.init_tile(B, (k, 0), (32, 32)))


@xt.jit(grid=(1,))
def carried(A, B, C, rounds, FORM: xt.constexpr):
    """Rounds of one sum, which a branch may leave out, or two in turn."""
    acc = xt.zeros((32, 32), xt.f32)
    for i in range(rounds):
        if FORM == "branch":
            if i != 1:
                for k in range(0, A.shape[1], 32):
                    acc = added(A, B, acc, k)
        elif FORM == "three":
            for _ in range(i):
                for k in range(0, A.shape[1], 32):
                    acc = added(A, B, acc, k)
        else:
            for k in range(0, A.shape[1], 32):
                acc = added(A, B, acc, k)
        if FORM == "behind":
            acc *= 0.5
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, 32)))


@pytest.mark.parametrize("form", FORMS)
def test_lanes_keep_them(form):
    kernel = carried.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", "i32", target="dg2", num_subgroups=4, FORM=form)
    assert "xegpu.convert_layout" not in "".join(line for line in kernel.ir["xegpu"].splitlines() if "vector<8x8xf32>" in line)


@pytest.mark.every(2)
@pytest.mark.parametrize("form", FORMS)
def test_they_are_right(form):
    rng, rounds = np.random.default_rng(0), 3
    a, b = rng.integers(-4, 5, (32, 80)).astype(np.float16), rng.integers(-4, 5, (80, 32)).astype(np.float16)
    whole = a.astype(np.float32) @ b.astype(np.float32)
    times = {"nested": 3, "branch": 2, "behind": 0.875, "three": 3}[form]
    values = {"A": a, "B": b, "C": np.zeros((32, 32), np.float32), "rounds": rounds}
    launch = Launch(carried, values, {"C": times * whole}, (1,), {"FORM": form}, 4, targets=("dg2",))
    launch.at_levels("dg2")
    launch.as_code_if_it_has_it("dg2")
