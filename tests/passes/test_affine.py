"""Index arithmetic read as sums: what is added, how often, and what a loop makes of it."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from xetile.dialects import arith
from xetile.dialects.affine import affine_of, sum_of
from xetile.dialects.types import INDEX
from xetile.ir.builder import Builder
from xetile.ir.core import Block

BUILD = Builder(Block([INDEX, INDEX], ["x", "y"]))
X, Y = BUILD.block.args


def number(value):
    return BUILD(arith.Constant, value=value, result=INDEX)


def add(a, b):
    return BUILD(arith.AddI, a, b)


def times(a, n):
    return BUILD(arith.MulI, a, number(n))


CASES = {
    "a value": (lambda: X, {X: 1}, 0),
    "a constant": (lambda: number(5), {}, 5),
    "sums however they are grouped": (lambda: add(add(X, number(3)), add(Y, number(4))), {X: 1, Y: 1}, 7),
    "differences from constants": (lambda: add(BUILD(arith.SubI, X, number(3)), Y), {X: 1, Y: 1}, -3),
    "products and shifts": (lambda: add(times(X, 6), BUILD(arith.ShLI, X, number(1))), {X: 8}, 0),
    "products of sums, from either side": (lambda: BUILD(arith.MulI, number(3), BUILD(arith.SubI, X, add(Y, number(2)))),
                                           {X: 3, Y: -3}, -6),
    "what cancels out": (lambda: add(times(X, 2), times(X, -2)), {}, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_sums(name):
    make, coefficients, constant = CASES[name]
    found = affine_of(make())
    assert (found.coefficients, found.constant) == (coefficients, constant)


def test_terms_are_the_values_that_are_added():
    product = times(X, 6)
    assert [(t.symbol, t.coefficient, t.value) for t in sum_of(add(product, Y)).terms] == [(X, 6, product), (Y, 1, Y)]


def test_a_sum_of_itself_is_read_once():
    total = X
    for _ in range(60):
        total = add(total, total)
    assert affine_of(total).coefficients == {X: 1 << 60}


def test_a_shift_beyond_all_integers_is_no_product():
    """The number whose power of two it would be took all memory: `1 << 10**12`."""
    shifted = BUILD(arith.ShLI, X, number(10**12))
    assert affine_of(shifted).coefficients == {shifted: 1}


def test_atoms_stay_whole():
    total = add(X, Y)
    assert affine_of(add(total, number(1)), lambda v: v is total).coefficients == {total: 1}


@xt.jit
def strided(A, B, C, HALF: xt.constexpr):
    """C = A @ B, where tiles are made at twice the counter."""
    acc = xt.zeros((64, 64), xt.f32)
    for i in range(0, HALF, 32):
        a = xt.load_tile(xt.init_tile(A, (0, i * 2), (64, 64)))
        b = xt.load_tile(xt.init_tile(B, (i + i, 0), (64, 64)))
        acc = xt.tile_mma(a, b, acc)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (64, 64)))


def test_tiles_at_multiples_of_the_counter_move_by_multiples_of_the_step():
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, (192, 64)).astype(np.float16) for _ in range(2))
    exact = a.astype(np.float32).T @ b.astype(np.float32)
    given = Launch(strided, {"A": a.T, "B": b, "C": np.zeros((64, 64), np.float32)}, {"C": exact}, (1,), {"HALF": 96}, 4,
                   targets=("pvc",))  # fmt: skip
    assert "memref.alloca" in given.compiled("pvc").ir["layout"]  # the column-major operand is staged
    given.at_levels("pvc")
