"""Multiples of products are added right behind them, some rows at a time, where a loop carries the sums."""

import re

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import run_levels


def sums(scale, narrow):
    """A scale for each step; B is converted where it is narrow."""

    @xt.jit(grid=(1,))
    def kernel(A, B, S, C):
        acc = xt.zeros((64, 16), xt.f32)
        for k in range(0, A.shape[1], 32):
            b = xt.load_tile(xt.init_tile(B, (k, 0), (32, 16)))
            b = b.to(xt.f16) if narrow else b
            acc += (xt.load_tile(xt.init_tile(A, (0, k), (64, 32))) @ b) * scale(S, k)
        xt.store_tile(acc, xt.init_tile(C, (0, 0), (64, 16)))

    return kernel


STEP = sums(lambda S, k: S[k // 32, 0], narrow=True)
COLUMNS = sums(lambda S, k: xt.load_tile(xt.init_tile(S, (k // 32, 0), (1, 16))), narrow=True)
LOADED = sums(lambda S, k: S[k // 32, 0], narrow=False)


def order(kernel, narrow: str) -> str:
    """Products of matrices (D) and products with sums (+) in the loop, as they come."""
    compiled = kernel.compile("f16[?,?]", f"{narrow}[?,?]", "f32[?,?]", "f32[?,?]", target="pvc", num_subgroups=1)
    loop = compiled.ir["lane"].split("scf.for")[1].split("scf.yield")[0]
    return "".join("D" if sign == "xegpu.dpas" else "+" for sign in re.findall("xegpu.dpas|math.fma", loop))


@pytest.mark.parametrize("kernel", [STEP, COLUMNS], ids=["step", "columns"])
def test_half_of_the_rows_are_done_before_the_others_begin(kernel):
    """Two steps of DPAS for four blocks of rows; what ends a block stands behind its last product."""
    assert order(kernel, "i8") == ("DDDD" + "D+" * 4) * 2


def test_what_is_loaded_passes_by_in_depth():
    """Then B need not be live as a whole."""
    assert order(LOADED, "f16") == "D" * 8 + "D+" * 8


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_few_subgroups_convert_few_times(target):
    """128 rows and 16 columns for each: as wide as where products go to the sums themselves."""

    @xt.jit(grid=(1,))
    def kernel(A, B, S, C):
        acc = xt.zeros((128, 128), xt.f32)
        for k in range(0, A.shape[1], 64):
            b = xt.load_tile(xt.init_tile(B, (k, 0), (64, 128))).to(xt.f16)
            acc += (xt.load_tile(xt.init_tile(A, (0, k), (128, 64))) @ b) * S[k // 64, 0]
        xt.store_tile(acc, xt.init_tile(C, (0, 0), (128, 128)))

    compiled = kernel.compile("f16[?,?]", "i8[?,?]", "f32[?,?]", "f32[?,?]", target=target)
    assert compiled.local_size[0] == 8 * 16


@pytest.mark.parametrize("kernel", [STEP, COLUMNS], ids=["step", "columns"])
def test_results_stay(kernel):
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((64, 96)).astype("f2"), rng.integers(-9, 9, (96, 16)).astype("i1")
    values = {"A": a, "B": b, "S": rng.standard_normal((3, 16)).astype("f4"), "C": np.zeros((64, 16), "f4")}
    case = Launch(kernel, values, {}, constants={})
    found = [(level, after["C"]) for level, after in run_levels(case.compiled().request, (1, 1, 1), case.values)]
    for level, got in found[1:]:
        np.testing.assert_allclose(got, found[0][1], rtol=1e-4, atol=1e-4, err_msg=level)
