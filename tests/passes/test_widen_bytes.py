"""Bytes that are only compared are computed in 16 bits: which, which stay, and the same answers for all bytes at every level."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import request
from xetile.dialects import arith
from xetile.dialects.types import I8, I32, VectorType, element_of
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.target import get_target

WIDENED = {
    "flags": lambda x, y: (x >> 2) & 3 == 2,
    "two": lambda x, y: (x & y) != (x >> 1),
    "less": lambda x, y: xt.minimum(x, y) < (y >> 3),
    "at least": lambda x, y: (x ^ 129) >= (y | 64),
    "shifts by rows": lambda x, y: (x >> (xt.arange(16) % 8)[:, None].to(xt.u8)) & 1 == 1,
    "twice": lambda x, y: ((x & 12) == 4) | ((x & 12) == 8),
}
KEPT = {
    "sums": lambda x, y: x + y == 7,
    "with a sign": lambda x, y: xt.bitcast(x & 252, xt.i8) < xt.bitcast(y, xt.i8),
}
ALL = WIDENED | KEPT
NUMPY = {
    "flags": lambda x, y: (x >> 2) & 3 == 2,
    "two": lambda x, y: (x & y) != (x >> 1),
    "less": lambda x, y: np.minimum(x, y) < (y >> 3),
    "at least": lambda x, y: (x ^ 129) >= (y | 64),
    "shifts by rows": lambda x, y: (x >> (np.arange(16, dtype=np.uint8) % 8)[:, None]) & 1 == 1,
    "twice": lambda x, y: ((x & 12) == 4) | ((x & 12) == 8),
    "sums": lambda x, y: x + y == 7,
    "with a sign": lambda x, y: (x & 252).view(np.int8) < y.view(np.int8),
}


@xt.jit
def compared(X, Y, Out, FORM: xt.constexpr):
    x, y = xt.load_tile(xt.init_tile(X, (0, 0), (16, 16))), xt.load_tile(xt.init_tile(Y, (0, 0), (16, 16)))
    xt.store_tile(xt.where(FORM(x, y), 1.0, 0.0), xt.init_tile(Out, (0, 0), (16, 16)))


def of_bytes(form):
    """Comparisons of vectors of bytes."""
    types = {"X": "u8[?,?]", "Y": "u8[?,?]", "Out": "f32[?,?]"}
    what = request(compared, types, "pvc", num_subgroups=1, FORM=ALL[form])
    *_, (_, module) = pipeline.run_levels(pipeline.PIPELINE, trace(what), get_target("pvc"))
    found = [op for op in module.kernel.find(arith.CmpI) if isinstance(op.lhs.type, VectorType)]
    return [op for op in found if element_of(op.lhs.type) is I8]


@pytest.mark.parametrize("form", WIDENED)
def test_no_bytes_are_compared(form):
    assert not of_bytes(form)


@pytest.mark.parametrize("form", KEPT)
def test_other_bytes_stay(form):
    assert of_bytes(form)


@pytest.mark.every(2)
@pytest.mark.parametrize("form", ALL)
def test_all_bytes(form):
    rng = np.random.default_rng(4)
    x, y = (rng.permutation(256).astype(np.uint8).reshape(16, 16) for _ in range(2))
    wanted = NUMPY[form](x, y).astype(np.float32)
    values = {"X": x, "Y": y, "Out": np.zeros((16, 16), np.float32)}
    Launch(compared, values, {"Out": wanted}, constants={"FORM": ALL[form]}, num_subgroups=1).at_levels("pvc")


@xt.jit
def places(A, W, Out):
    """Out = A @ codes of four bits less 8, of which each column has its place in a word."""
    words, columns = xt.load_tile(xt.init_tile(W, (0, 0), (16, 16))), xt.arange(16)[None, :]
    codes = ((words >> (columns % 8) * 4) & 15) - 8
    xt.store_tile(xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))) @ codes.to(xt.f16), xt.init_tile(Out, (0, 0), (8, 16)))


def test_codes_of_places_in_words_are_no_bytes():
    what = request(places, {"A": "f16[?,?]", "W": "i32[?,?]", "Out": "f32[?,?]"}, "pvc", num_subgroups=1)
    *_, (_, module) = pipeline.run_levels(pipeline.PIPELINE, trace(what), get_target("pvc"))
    assert not [op for op in module.kernel.walk() for v in op.results if element_of(v.type) is I8]
    assert not [
        op
        for op in module.kernel.find(arith.ShRSI)
        if isinstance(op.result.type, VectorType) and element_of(op.result.type) is not I32
    ]


def test_codes_of_places_in_words(device):
    words = np.random.default_rng(0).integers(-(2**31), 2**31, (16, 16)).astype(np.int32)
    a, out = np.eye(8, 16, dtype=np.float16), np.zeros((8, 16), np.float32)
    with xt.device(device):
        places[1,](a, words, out)
    np.testing.assert_array_equal(out, ((words >> (np.arange(16) % 8 * 4) & 15) - 8)[:8].astype(np.float32))
