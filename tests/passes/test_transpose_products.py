"""Products of which only transposes are used are computed transposed: which, which stay, and the same results at every level."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.passes.parity import traced
from xetile.dialects import xetile
from xetile.ir.verifier import verify
from xetile.passes.workgroup.products.accumulate_products import accumulate_products
from xetile.passes.workgroup.products.transpose_products import transpose_products
from xetile.target import get_target

# Of a product `s` of a loaded tile and the transpose of another one, places of its rows and columns, and a third tile.
TRANSPOSED = {
    "as it is": lambda s, rows, columns, c: s.to(xt.f16).T @ c,
    "worked out": lambda s, rows, columns, c: (s * 2 + 1).to(xt.f16).T @ c,
    "masked": lambda s, rows, columns, c: xt.where(columns <= rows, s, 0).to(xt.f16).T @ c,
    "times a column": lambda s, rows, columns, c: (s * rows.to(xt.f32)).to(xt.f16).T @ c,
    "added to a row": lambda s, rows, columns, c: (s + columns.to(xt.f32)).to(xt.f16).T @ c,
    "twice": lambda s, rows, columns, c: s.to(xt.f16).T @ c + (s * 2).to(xt.f16).T @ c,
}
KEPT = {
    "used as it is as well": lambda s, rows, columns, c: s.to(xt.f16).T @ c + xt.sum(s),
    "the other factor": lambda s, rows, columns, c: s.to(xt.f16).T @ c + s.to(xt.f16) @ c,
    "less its rows' maxima": lambda s, rows, columns, c: (s - xt.max(s, axis=1)).to(xt.f16).T @ c,
}
ALL = TRANSPOSED | KEPT


@xt.jit
def products(A, B, C, Out, FORM: xt.constexpr):
    acc = xt.zeros((16, 16), xt.f32)
    for m in range(0, A.shape[0], 16):
        a, b = xt.load_tile(xt.init_tile(A, (m, 0), (16, 16))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 16)))
        c = xt.load_tile(xt.init_tile(C, (m, 0), (16, 16)))
        acc += FORM(a @ b.T, m + xt.arange(16)[:, None], xt.arange(16)[None, :], c)
    xt.store_tile(acc, xt.init_tile(Out, (0, 0), (16, 16)))


def launch(form: str) -> Launch:
    rng = np.random.default_rng(3)
    a, b, c = (rng.integers(-2, 3, (n, 16)).astype(np.float16) for n in (40, 16, 40))
    return Launch(products, {"A": a, "B": b, "C": c, "Out": np.zeros((16, 16), np.float32)}, {}, constants={"FORM": ALL[form]})


def turned(form: str, target: str = "pvc") -> bool:
    """Whether all transposes behind the pass are of what is loaded."""
    case = launch(form)
    module = accumulate_products(traced(case.kernel.fn, case.values, case.constants))
    module = transpose_products(module, get_target(target))
    verify(module)
    return all(isinstance(op.source.op, xetile.LoadTile) for op in module.walk() if isinstance(op, xetile.TileTranspose))


@pytest.mark.parametrize("form", TRANSPOSED)
def test_only_what_is_loaded_is_transposed(form):
    assert turned(form)


@pytest.mark.parametrize("form", KEPT)
def test_products_that_are_used_otherwise_stay(form):
    assert not turned(form)


def test_messages_of_dg2_transpose_nothing():
    assert not turned("as it is", "dg2")


@pytest.mark.every(3)
@pytest.mark.parametrize("form", ALL)
def test_every_level_gives_the_same(form):
    assert np.any(launch(form).alike_at_levels("Out")["Out"])
