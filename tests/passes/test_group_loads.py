"""Loads of operands stand together where their products' sums are computed with, as many as registers hold."""

import re

import pytest

import xetile as xt

H, F = "f16[?,?]", "f32[?,?]"


@xt.jit(grid=(1,))
def scored(A, B, C, D: xt.constexpr = 64, BN: xt.constexpr = 32):
    """Sums of what is computed with products of transposed blocks."""
    a, acc = xt.load_tile(xt.init_tile(A, (0, 0), (16, D))), xt.zeros((16, BN), xt.f32)
    for n in range(0, B.shape[0], BN):
        acc += xt.exp2(a @ xt.load_tile(xt.init_tile(B, (n, 0), (BN, D))).T)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (16, BN)))


@xt.jit(grid=(1,))
def product(A, B, C):
    """Nothing but a product with a transposed operand."""
    acc = xt.zeros((16, 32), xt.f32)
    for k in range(0, A.shape[1], 64):
        acc += xt.load_tile(xt.init_tile(A, (0, k), (16, 64))) @ xt.load_tile(xt.init_tile(B, (0, k), (32, 64))).T
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (16, 32)))


def order(kernel, *types: str, **constants) -> str:
    """Transposing loads (L), products (D) and powers (E) of the loop, as they come."""
    text = kernel.compile(*types, target="bmg", num_subgroups=1, **constants).ir["lane"]
    loop = text.split("scf.for")[1].split("scf.yield")[0]
    return "".join(found[0].upper() for found in re.findall("load_nd.*?transpose|dpas|exp2", loop))


def test_loads_come_four_at_a_time():
    assert re.sub("D+", "D", order(scored, H, H, F)).startswith("LLLLDLLLLDE")


def test_loops_of_products_alone_stay_as_they_are():
    assert "LL" not in order(product, H, H, F)


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.SpillWarning")
def test_loads_stay_where_registers_are_full():
    assert "LL" not in order(scored, H, H, F, D=128, BN=256)
