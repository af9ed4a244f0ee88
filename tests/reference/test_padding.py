"""Debug mode: elements outside of an array that decide a reduction, where nothing says what stands there."""

import linecache

import numpy as np
import pytest
from xetile.backends.reference.padding import PaddingWarning

import xetile as xt

pytestmark = pytest.mark.filterwarnings("error::xetile.backends.reference.padding.PaddingWarning")
X = np.random.default_rng(0).uniform(-2, -1, (13, 100)).astype(np.float32)


@xt.jit(out={"Y": lambda X: xt.zeros((X.shape[0], 1), xt.f32)}, grid=lambda X: (xt.cdiv(X.shape[0], 8),))
def rows(X, Y, FORM: xt.constexpr, N: xt.constexpr = 128):
    m = xt.program_id(0) * 8
    tile = X[m : m + 8, 0:N]
    x = xt.load_tile(tile)
    if FORM == "max":
        y = xt.max(x, axis=1)
    elif FORM == "min":
        y = xt.min(-x, axis=1)
    elif FORM == "argmax":
        y = xt.argmax(x, axis=1).to(xt.f32)
    elif FORM == "product":
        y = xt.tile_reduce("mul", x, 1)
    elif FORM == "softmax":
        y = xt.sum(xt.exp(x), axis=1)
    elif FORM == "variance":
        mean = xt.sum(x, axis=1) / X.shape[1]
        y = xt.sum((x - mean) * (x - mean), axis=1)
    elif FORM == "sum of squares":
        y = xt.sum(x * x, axis=1)
    elif FORM == "largest magnitude":
        y = xt.max(abs(x), axis=1)
    elif FORM == "padding":
        y = xt.max(xt.load_tile(tile, padding=float("-inf")), axis=1)
    elif FORM == "zeros that are meant":
        y = xt.max(xt.load_tile(tile, padding=0), axis=1)
    elif FORM == "mask":
        y = xt.sum(xt.where(xt.arange(N)[None, :] < X.shape[1], xt.exp(x), 0.0), axis=1)
    elif FORM == "in the end":
        y = xt.max(xt.where(xt.arange(N)[None, :] < X.shape[1], x, float("-inf")), axis=1)
    Y[m : m + 8, 0:1] = y


WRONG = {"max": "-inf", "min": "inf", "argmax": "-inf", "product": "padding=1", "softmax": "xt.where(column < A.shape[1]",
         "variance": "xt.where(column < A.shape[1]"}  # fmt: skip


@pytest.mark.parametrize("form", WRONG)
def test_what_padding_decides_is_told(form):
    """`max` of negative numbers gave 0, and a softmax summed exp(0) of each column behind the last, with no word."""
    with xt.debug(), pytest.warns(PaddingWarning, match=r"^program \(x=0, y=0, z=0\): elements outside of the array") as told:
        rows(X, FORM=form)
    assert WRONG[form] in str(told[0].message)
    assert all(each.filename == __file__ and " = xt." in linecache.getline(__file__, each.lineno) for each in told)
    assert len({each.lineno for each in told}) == len(told)
    with xt.debug():
        rows(X, FORM=form, N=100)


@pytest.mark.parametrize("form", ["sum of squares", "largest magnitude", "padding", "zeros that are meant", "mask", "in the end"])
def test_what_padding_does_not_decide_is_not(form):
    """Rows behind the last one lie outside as a whole, and are not stored."""
    with xt.debug():
        rows(X, FORM=form)


def test_numbers_that_padding_does_not_change():
    with xt.debug():
        assert (rows(-X, FORM="max").ravel() == (-X).max(axis=1)).all()


def test_a_loop_tells_its_last_block():
    @xt.jit(out={"Y": lambda X: xt.zeros((1,), xt.f32)}, grid=1)
    def blocks(X, Y):
        best = xt.full((8, 1), float("-inf"))
        for n in range(0, X.shape[1], 32):
            best = xt.maximum(best, xt.max(xt.load_tile(X[0:8, n : n + 32]), axis=1))
        Y[0] = xt.max(best)

    with xt.debug():
        assert blocks(X[:8, :96])[0] == X[:8, :96].max()
        with pytest.warns(PaddingWarning, match="elements outside"):
            blocks(X[:8])
