"""What products begin with is computed right before them where it is made of sums that a loop carries."""

import re

import pytest

import xetile as xt
from tests.kernels.plain_sequences import CASES
from xetile.ops.kernels.attention_backward import key_gradient
from xetile.ops.kernels.matmul import matmul_bias


@xt.jit(grid=(1,))
def faded(A, B, C, fade):
    """Sums that each step scales."""
    acc = xt.zeros((16, 32), xt.f32)
    for k in range(0, A.shape[1], 32):
        a, b = xt.load_tile(xt.init_tile(A, (0, k), (16, 32))), xt.load_tile(xt.init_tile(B, (k, 0), (32, 32)))
        acc = acc * fade + a @ b
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (16, 32)))


def order(kernel) -> str:
    """Products of numbers (*) and of matrices (D) in the loop, as they come."""
    loop = kernel.ir["lane"].split("scf.for")[1].split("scf.yield")[0]
    return "".join("D" if sign == "xegpu.dpas" else "*" for sign in re.findall("xegpu.dpas|arith.mulf", loop))


def test_each_block_of_sums_is_scaled_before_its_first_product():
    kernel = faded.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", "f32", target="pvc", num_subgroups=1)
    assert order(kernel) == "*D" * 4 + "D" * 4


@pytest.mark.parametrize("name", ["retention", "retention, chunks of 16"])
def test_sums_that_another_product_takes_before_are_scaled_one_after_the_other(name):
    """The state of a retention is narrowed for one product, then fades: behind its last use nothing keeps the old one. IGC would compute all
    of it as soon as the loop's body begins (1,088 bytes spilled).
    """
    case = CASES[name]
    assert re.search(r"(\*D){4}D*$", order(case.kernel.compile(*case.types, target="pvc", **case.constants)))


def is_crowded(kernel, *types: str, **constants) -> bool:
    """Whether arithmetic is left to IGC."""
    return "crowded" in kernel.compile(*types, target="pvc", **constants).ir["lane"]


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.SpillWarning")
def test_only_what_surrounds_products_counts_for_their_order():
    heads, logs = "f16[?,?,?,?;free]", "f32[?,?,?,1]"
    assert is_crowded(key_gradient, *[heads] * 4, logs, logs, heads, heads, scale=0.125, D=128, num_subgroups=4)
    gelu = {"BM": 256, "BN": 256, "BK": 32, "num_subgroups": 32, "ACTIVATION": "gelu"}
    assert not is_crowded(matmul_bias, "f16[?,?]", "f16[?,?]", "f32[?]", "f32[?,?]", **gelu)
