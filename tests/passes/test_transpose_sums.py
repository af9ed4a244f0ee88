"""Sums of products of two operands that lie transposed are summed the other way: which, which stay, and the same results everywhere."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.passes.parity import traced
from xetile.dialects import xetile
from xetile.ir.verifier import verify
from xetile.passes.workgroup.products.accumulate_products import accumulate_products
from xetile.passes.workgroup.products.transpose_sums import transpose_sums
from xetile.target import get_target


def columns_of(X, row, column, shape):
    """A tile whose columns are rows of `X`."""
    return xt.load_tile(xt.init_tile(X.T, (row, column), shape))


@xt.jit
def product_of(A, B):
    """A.T @ B.T"""
    acc = xt.zeros((32, 16), xt.f32)
    for k in range(0, A.shape[0], 16):
        acc += columns_of(A, 0, k, (32, 16)) @ columns_of(B, k, 0, (16, 16))
    return acc


@xt.jit
def plain(A, B, C):
    acc = product_of(A, B)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, 16)))


@xt.jit
def stored_transposed(A, B, C):
    acc = product_of(A, B)
    xt.store_tile(acc * 2, xt.init_tile(C.T, (0, 0), (32, 16)))


@xt.jit
def transposed_behind(A, B, C):
    acc = product_of(A, B)
    xt.store_tile(acc.T, xt.init_tile(C, (0, 0), (16, 32)))


@xt.jit
def worked_on_and_transposed(A, B, C):
    acc = product_of(A, B)
    xt.store_tile(xt.maximum(acc.to(xt.f16), 1).T.to(xt.f32), xt.init_tile(C, (0, 0), (16, 32)))


@xt.jit
def from_a_row(A, B, C):
    acc = xt.tile_broadcast(xt.load_tile(xt.init_tile(B, (0, 0), (1, 16))).to(xt.f32), (32, 16))
    for k in range(0, A.shape[0], 16):
        acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (k, 0), (16, 32))).T, columns_of(B, k, 0, (16, 16)), acc)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, 16)))


@xt.jit
def two_loops_and_a_branch(A, B, C):
    acc = xt.full((32, 16), 3.0, xt.f32)
    for at in range(0, A.shape[0], 32):
        for k in range(0, 32, 16):
            if k + at != 16:
                acc += (columns_of(A, 0, at + k, (32, 16)) * 2) @ columns_of(B, at + k, 0, (16, 16))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, 16)))


@xt.jit
def as_long_as_there_is_some(A, B, C):
    acc, k = xt.zeros((32, 16), xt.f32), 0
    while k < A.shape[0]:
        acc += columns_of(A, 0, k, (32, 16)) @ columns_of(B, k, 0, (16, 16))
        k += 16
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, 16)))


@xt.jit
def again_and_again(A, B, C):
    for turn in range(2):
        acc = product_of(A, B)
        xt.store_tile(acc + turn, xt.init_tile(C, (0, 0), (32, 16)))


@xt.jit
def one_lies_as_it_is(A, B, C):
    acc = xt.zeros((32, 16), xt.f32)
    for k in range(0, A.shape[0], 16):
        acc += columns_of(A, 0, k, (32, 16)) @ xt.load_tile(xt.init_tile(A, (k, 0), (16, 16)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, 16)))


@xt.jit
def scaled_in_the_loop(A, B, C):
    acc = xt.zeros((32, 16), xt.f32)
    for k in range(0, A.shape[0], 16):
        acc = acc * 0.5 + columns_of(A, 0, k, (32, 16)) @ columns_of(B, k, 0, (16, 16))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, 16)))


@xt.jit
def stored_in_the_loop(A, B, C):
    acc = xt.zeros((32, 16), xt.f32)
    for k in range(0, A.shape[0], 16):
        acc += columns_of(A, 0, k, (32, 16)) @ columns_of(B, k, 0, (16, 16))
        xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, 16)))


@xt.jit
def an_operand_has_another_use(A, B, C):
    acc, top = xt.zeros((32, 16), xt.f32), xt.zeros((32, 1), xt.f32)
    for k in range(0, A.shape[0], 16):
        a = columns_of(A, 0, k, (32, 16))
        acc += a @ columns_of(B, k, 0, (16, 16))
        top += xt.sum(a.to(xt.f32), axis=1, keepdims=True)
    xt.store_tile(acc + top, xt.init_tile(C, (0, 0), (32, 16)))


@xt.jit
def a_few_steps(A, B, C):
    acc = xt.zeros((32, 16), xt.f32)
    for k in range(0, 48, 16):
        acc += columns_of(A, 0, k, (32, 16)) @ columns_of(B, k, 0, (16, 16))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, 16)))


BACK = [stored_transposed, transposed_behind, worked_on_and_transposed]
TURNED = [plain, *BACK, from_a_row, two_loops_and_a_branch, as_long_as_there_is_some, again_and_again]
KEPT = [one_lies_as_it_is, scaled_in_the_loop, stored_in_the_loop, an_operand_has_another_use, a_few_steps]
forms = pytest.mark.parametrize("form", [*TURNED, *KEPT], ids=lambda f: f.fn.__name__)


def launch(form) -> Launch:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((80, 32), (16, 80)))
    shape = (16, 32) if form in BACK else (32, 16)
    return Launch(form, {"A": a, "B": b, "C": np.zeros(shape, np.float32)}, {})


@forms
def test_sums_that_leave_loops_whole_are_turned(form):
    case = launch(form)
    module = accumulate_products(traced(case.kernel.fn, case.values, case.constants))
    module = transpose_sums(module, get_target("pvc"))
    verify(module)
    (product,) = module.find(xetile.TileMma)
    assert product.result.type.shape == ((16, 32) if form in TURNED else (32, 16))


@pytest.mark.parametrize("form", BACK, ids=lambda f: f.fn.__name__)
def test_what_is_turned_back_is_turned_nowhere(form):
    assert "tile_transpose" not in launch(form).compiled().ir["layout"]


def test_products_that_are_no_matrix_instructions_stay():
    case = launch(plain)
    module = transpose_sums(accumulate_products(traced(case.kernel.fn, case.values, case.constants)), get_target("cpu"))
    assert [op.result.type.shape for op in module.find(xetile.TileMma)] == [(32, 16)]


@xt.jit(grid=(1,))
def of_bytes(A, B, C):
    acc = xt.zeros((32, 32), xt.i32)
    for k in range(0, A.shape[0], 32):
        acc = xt.tile_mma(columns_of(A, 0, k, (32, 32)), columns_of(B, k, 0, (32, 32)), acc)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, 32)))


@pytest.mark.parametrize("signed,unsigned", [(0, 1), (1, 0)])
@pytest.mark.parametrize("target", ["pvc", "dg2"])
def test_the_sign_of_bytes_goes_with_its_operand(signed, unsigned, target):
    rng = np.random.default_rng(0)
    given = [np.zeros(()), np.zeros(())]
    given[signed] = rng.integers(-128, 128, (32, 96)).astype(np.int8)
    given[unsigned] = rng.integers(0, 256, (32, 96)).astype(np.uint8)
    a, b, found = given[0].T.copy(), given[1], np.zeros((32, 32), np.int32)
    with xt.device("cpu"):
        of_bytes(a, b, found, target=target)
    np.testing.assert_array_equal(found, a.T.astype(np.int32) @ b.T.astype(np.int32))


@pytest.mark.every(3)
@forms
def test_every_level_gives_the_same(form):
    assert np.any(launch(form).alike_at_levels("C")["C"])
