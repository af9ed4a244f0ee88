"""What is stored to columns: transposes are stored as what they are transposes of, others stay."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.passes.parity import traced
from xetile.dialects import xetile
from xetile.ir.verifier import verify
from xetile.passes.workgroup.memory.turn_stores import turn_stores
from xetile.target import get_target

# Of a transposed product, a row and a column.
TURNED = {
    "as it is": lambda product, row, column: product.T,
    "converted": lambda product, row, column: product.T.to(xt.f16).to(xt.f32),
    "less a row": lambda product, row, column: xt.maximum(product.T - row, 0),
    "times a column": lambda product, row, column: product.T * column + row,
    "less another": lambda product, row, column: product.T - (product * 2).T,
}
KEPT = {
    "not transposed": lambda product, row, column: product,
    "added to what is not": lambda product, row, column: product + product.T,
    "its rows' sums": lambda product, row, column: xt.tile_broadcast(xt.sum(product.T, axis=1, keepdims=True), (32, 32)),
}
ALL = TURNED | KEPT


@xt.jit
def stored(A, B, C, FORM: xt.constexpr):
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), (32, 16))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 32)))
    row, column = xt.load_tile(xt.init_tile(A, (0, 0), (1, 32))), xt.load_tile(xt.init_tile(A, (0, 0), (32, 1)))
    xt.store_tile(FORM(a @ b, row.to(xt.f32), column.to(xt.f32)), xt.init_tile(C.T, (4, 0), (32, 32)))


def launch(form: str) -> Launch:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((32, 32), (16, 32)))
    return Launch(stored, {"A": a, "B": b, "C": np.zeros((30, 40), np.float32)}, {}, constants={"FORM": ALL[form]})


@pytest.mark.parametrize("form", ALL)
def test_tiles_that_are_turned(form):
    case = launch(form)
    module = turn_stores(traced(case.kernel.fn, case.values, case.constants), get_target("pvc"))
    verify(module)
    assert [op.tile.type.order for op in module.find(xetile.StoreTile)] == [(1, 0) if form in TURNED else (0, 1)]
    large = [op for op in module.find(xetile.TileTranspose) if 1 not in op.result.type.shape]
    assert form in KEPT or not large


@pytest.mark.every(2)
@pytest.mark.parametrize("form", ALL)
def test_every_level_gives_the_same(form):
    assert np.any(launch(form).alike_at_levels("C")["C"])


@xt.jit
def read_back(A, C):
    tile = xt.init_tile(C.T, (0, 0), (16, 32))
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), (32, 16))).to(xt.f32).T + xt.load_tile(tile), tile)


def test_a_tile_that_is_loaded_too_stays():
    rng = np.random.default_rng(3)
    case = Launch(read_back, {"A": rng.integers(-2, 3, (32, 16)).astype(np.float16), "C": np.ones((32, 16), np.float32)}, {})
    module = turn_stores(traced(case.kernel.fn, case.values, case.constants), get_target("pvc"))
    assert [op.tile.type.order for op in module.find(xetile.StoreTile)] == [(0, 1)]
    assert np.any(case.alike_at_levels("C")["C"])
