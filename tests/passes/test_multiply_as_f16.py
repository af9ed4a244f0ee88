"""Products of bytes and f8 in bf16 are products in f16: which, which stay, and the same numbers for all bytes at every level."""

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.passes.parity import traced
from xetile.dialects import xetile
from xetile.dialects.types import BF16, F16, element_of
from xetile.ir.verifier import verify
from xetile.passes.workgroup.numbers.multiply_as_f16 import multiply_as_f16
from xetile.target import get_target

KINDS = {
    "f8e4m3": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "i8": np.int8,
    "u8": np.uint8,
}
TAKEN = {
    "plain": lambda a, b, x: a.to(xt.bf16) @ b.to(xt.bf16),
    "transposed": lambda a, b, x: a.to(xt.bf16).T @ b.to(xt.bf16).T,
    "by way of f32": lambda a, b, x: a.to(xt.f32).to(xt.bf16) @ b.to(xt.f32).to(xt.bf16),
    "sums": lambda a, b, x: a.to(xt.bf16) @ xt.full((16, 16), 0.5, xt.bf16),
}
KEPT = {
    "one of bf16": lambda a, b, x: x @ b.to(xt.bf16),
    "one more user": lambda a, b, x: (lambda c: a.to(xt.bf16) @ c + c.to(xt.f32))(b.to(xt.bf16)),
    "rounded": lambda a, b, x: (a.to(xt.f32) * 0.3).to(xt.bf16) @ b.to(xt.bf16),
    "a number that f16 has not": lambda a, b, x: a.to(xt.bf16) @ xt.full((16, 16), 1e30, xt.bf16),
}
ALL = TAKEN | KEPT


@xt.jit
def products(A, B, X, Out, FORM: xt.constexpr):
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 16)))
    xt.store_tile(FORM(a, b, xt.load_tile(xt.init_tile(X, (0, 0), (16, 16)))), xt.init_tile(Out, (0, 0), (16, 16)))


def launch(form, kind="i8", **given):
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-8, 8, (16, 16)).astype(np.int8).astype(KINDS[kind]) for _ in range(2))
    values = {"A": a, "B": b, "X": np.eye(16, dtype=ml_dtypes.bfloat16), "Out": np.zeros((16, 16), np.float32), **given}
    return Launch(products, values, {}, constants={"FORM": ALL[form]})


def operands(form, kind):
    case = launch(form, kind)
    module = multiply_as_f16(traced(case.kernel.fn, case.values, case.constants), get_target("pvc"))
    verify(module)
    return {element_of(value.type) for op in module.find(xetile.TileMma) for value in (op.a, op.b)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", TAKEN)
def test_both_operands_become_f16(form, kind):
    assert operands(form, kind) == {F16}


@pytest.mark.parametrize("form", KEPT)
def test_other_products_stay(form):
    assert operands(form, "i8") == {BF16}


@pytest.mark.every(2)
@pytest.mark.parametrize("kind", KINDS)
def test_all_bytes(kind):
    bytes_ = np.arange(256, dtype=np.uint8).reshape(16, 16).view(KINDS[kind])
    bytes_ = np.where(np.isfinite(bytes_.astype(np.float32)), bytes_, np.zeros_like(bytes_))
    one = np.eye(16).astype(KINDS[kind])
    case = launch("plain", kind, A=one, B=bytes_)
    Launch(products, case.values, {"Out": bytes_.astype(np.float32)}, constants=case.constants).at_levels("pvc")
