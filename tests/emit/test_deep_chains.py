"""Ops one behind the other, more than Python's frames: what is asked of a value goes back along the chain without calls in calls."""

import pytest

import xetile as xt

CHAINS = {
    "integers": lambda x: (x ^ 3) + 1,
    "choices": lambda x: xt.where(x == 5, x + 1, x),
    "casts": lambda x: (x + 1).to(xt.i16).to(xt.i32),
    "floats": lambda x: (x.to(xt.f32) * 1.5 + 1).to(xt.i32),
    "halves": lambda x: (x.to(xt.f16) * 1.5).to(xt.i32) + 1,
}
OPERANDS = {
    "halves": lambda b: b * xt.cast(1.5, xt.f16) + 1,
    "by way of f32": lambda b: (b.to(xt.f32) * 1.5 + 1).to(xt.f16),
}
COUNT = 600


@xt.jit
def elements(X, Y, CHAIN: xt.constexpr):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (8, 16)))
    for _ in xt.static_range(COUNT):
        x = CHAIN(x)
    xt.store_tile(xt.where(x == 5, x, 1), xt.init_tile(Y, (0, 0), (8, 16)))


@xt.jit
def product(A, B, C, CHAIN: xt.constexpr):
    b = xt.load_tile(xt.init_tile(B, (0, 0), (16, 16)))
    for _ in xt.static_range(COUNT):
        b = CHAIN(b)
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))) @ b, xt.init_tile(C, (0, 0), (8, 16)))


@pytest.mark.every(10, 7)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("name", CHAINS)
def test_elements(name, target):
    assert elements.compile("i32[?,?]", "i32[?,?]", CHAIN=CHAINS[name], target=target).spirv


@pytest.mark.every(2)
@pytest.mark.parametrize("name", OPERANDS)
def test_second_operands_of_products(name):
    assert product.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", CHAIN=OPERANDS[name], target="pvc").spirv
