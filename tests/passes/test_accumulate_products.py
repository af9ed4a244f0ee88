"""Sums with a product become products that accumulate: in which forms, and which stay as they are."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import run_levels
from tests.passes.parity import traced
from xetile.dialects import arith
from xetile.passes.workgroup.products.accumulate_products import accumulate_products

FORMS = {
    "acc += p": lambda a, b, x: x + a @ b,
    "p + acc": lambda a, b, x: a @ b + x,
    "x - p": lambda a, b, x: x - a @ b,
    "p - x": lambda a, b, x: a @ b - x,
    "p + q": lambda a, b, x: a @ b + (a * 2) @ b,
    "x + (p + q)": lambda a, b, x: x + (a @ b + (a * 2) @ b),
    "x - (p + q)": lambda a, b, x: x - (a @ b + (a * 2) @ b),
    "p + q + x": lambda a, b, x: a @ b + (a * 2) @ b + x,
    "zeros": lambda a, b, x: xt.tile_mma(a, b, xt.zeros((16, 16), x.dtype)) + x,
    "cast": lambda a, b, x: (a @ b).to(x.dtype) + x.to(x.dtype),
    "scaled acc": lambda a, b, x: x * 2 + a @ b,
    "number": lambda a, b, x: 3 - a @ b,
    "row": lambda a, b, x: a @ b + xt.sum(x, 0),
    "p - row": lambda a, b, x: a @ b - xt.sum(x, 0, keepdims=True),
    "p - column": lambda a, b, x: a @ b - xt.sum(x, 1, keepdims=True),
}
KEPT = {
    "read twice": lambda a, b, x: (lambda p: x + p - p * 2)(a @ b),
    "p + p": lambda a, b, x: (lambda p: p + p)(a @ b),
    "of a product": lambda a, b, x: x + (a @ b) * 2,
    "started": lambda a, b, x: x + xt.tile_mma(a, b, x),
}
DTYPES = (
    (xt.f16, xt.f32),
    (xt.bf16, xt.f32),
    (xt.tf32, xt.f32),
    (xt.f32, xt.f32),
    (xt.f64, xt.f64),
    (xt.i8, xt.i32),
    (xt.u8, xt.i32),
)


@xt.jit
def twice(A, B, X, Out, FORM: xt.constexpr, T: xt.constexpr):
    """Out[16, 16]: a form in a loop over K, whose sum is carried in a tuple."""
    held = (xt.load_tile(xt.init_tile(X, (0, 0), (16, 16))), 0)
    for k in range(0, A.shape[1], 32):
        a = xt.load_tile(xt.init_tile(A, (0, k), (16, 32))).to(T)
        b = xt.load_tile(xt.init_tile(B, (k, 0), (32, 16))).to(T)
        held = (FORM(a, b, held[0]), k)
    xt.store_tile(held[0], xt.init_tile(Out, (0, 0), (16, 16)))


def launch(form, dtype=xt.f16, total=xt.f32) -> Launch:
    """The form on small whole numbers, which every order of summing adds up alike."""
    rng = np.random.default_rng(5)
    low, high = (0, 3) if dtype is xt.u8 else (-2, 3)
    stored = xt.f32 if dtype is xt.tf32 else dtype
    a, b = (rng.integers(low, high, shape).astype(stored.numpy) for shape in ((16, 64), (64, 16)))
    x = rng.integers(-2, 3, (16, 16)).astype(total.numpy)
    values = {"A": a, "B": b, "X": x, "Out": np.zeros_like(x)}
    return Launch(twice, values, {}, constants={"FORM": form, "T": dtype})


def products_and_sums(form, dtype=xt.f16, total=xt.f32) -> list[str]:
    case = launch(form, dtype, total)
    module = accumulate_products(traced(twice.fn, case.values, case.constants))
    return [op.opname.split(".")[1] for op in module.walk() if op.opname in ("xetile.tile_mma", "arith.addf", "arith.subf")]


@pytest.mark.parametrize("form", FORMS)
def test_no_sum_is_left(form):
    assert set(products_and_sums(FORMS[form])) == {"tile_mma"}


@pytest.mark.parametrize("form", ["p - row", "p - column"])
def test_of_rows_and_columns_that_are_subtracted_the_negatives_are_spread(form):
    case = launch(FORMS[form])
    module = accumulate_products(traced(twice.fn, case.values, case.constants))
    (negative,) = [op for op in module.walk() if isinstance(op, arith.NegF)]
    assert 1 in negative.result.type.shape


@pytest.mark.parametrize("form", KEPT)
def test_what_others_read_or_round_stays(form):
    assert {"addf", "subf"} & set(products_and_sums(KEPT[form]))


@pytest.mark.parametrize("dtype", [xt.f16, xt.bf16])
def test_narrow_sums_round_where_they_are_written(dtype):
    assert "addf" in products_and_sums(lambda a, b, x: x + xt.tile_mma(a, b, dtype=dtype), dtype, dtype)


@pytest.mark.every(4)
@pytest.mark.parametrize("form", [*FORMS, *KEPT])
def test_forms_give_the_same_at_every_level(form):
    """The first level is as the kernel was written."""
    check((FORMS | KEPT)[form], xt.f16, xt.f32)


@pytest.mark.covering
@pytest.mark.every(6, 3)
@pytest.mark.parametrize(("dtype", "total"), DTYPES, ids=str)
@pytest.mark.parametrize("form", ["acc += p", "x - p", "p - x"])
def test_dtypes_give_the_same_at_every_level(form, dtype, total):
    check(FORMS[form], dtype, total)


def check(form, dtype, total):
    case = launch(form, dtype, total)
    found = [(level, after["Out"]) for level, after in run_levels(case.compiled().request, (1, 1, 1), case.values, emits=True)]
    for level, got in found[1:]:
        np.testing.assert_array_equal(got, found[0][1], err_msg=level)


@xt.jit
def apart(A, B, X, Out, n):
    """The product stands before the branch, its sum in it; and what it is added to comes later."""
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))), xt.load_tile(xt.init_tile(B, (0, 0), (32, 16)))
    p = a @ b
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 16)))
    for _ in range(n):
        x = x + p
    y = a @ b
    x = xt.tile_mma(a, b, x) + y
    xt.store_tile(x, xt.init_tile(Out, (0, 0), (16, 16)))


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_a_product_stays_out_of_a_loop_that_only_adds_it(device):
    rng = np.random.default_rng(6)
    a, b, x = (rng.integers(-2, 3, s).astype(t) for s, t in (((16, 32), "f2"), ((32, 16), "f2"), ((16, 16), "f4")))
    out = np.zeros_like(x)
    with xt.device(device):
        apart[(1,)](a, b, x, out, 3)
    np.testing.assert_array_equal(out, x + 5 * (a.astype("f4") @ b.astype("f4")))
