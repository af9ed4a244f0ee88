"""Loops that constants unroll: what would take minutes to compile is refused in seconds, at the line that is repeated."""

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError
from xetile.frontend import frame

X = np.ones(8, np.float32)


@xt.jit
def doubled(x):
    return x * 2


@xt.jit(grid=1)
def repeated(X, N: xt.constexpr, FORM: xt.constexpr):
    x = xt.load_tile(X[0:8])
    if FORM == "static_range":
        for _ in xt.static_range(N):
            x = x + 1
    elif FORM == "tuple":
        for _ in (0,) * N:
            x = x + 1
    elif FORM == "comprehension":
        x = [x + k for k in range(N)][N - 1]
    elif FORM == "nested":
        for _ in xt.static_range(N):
            for _ in xt.static_range(N):
                x = doubled(x)
    X[0:8] = x


@pytest.mark.parametrize("form", ["static_range", "tuple", "comprehension", "nested"])
def test_what_has_no_end_is_refused(form, monkeypatch):
    monkeypatch.setattr(frame, "MOST_TRACED", 1000)
    with xt.device("numpy"), pytest.raises(CompileError, match="more than 1000 operations with its loops unrolled") as raised:
        repeated(X, N=1500, FORM=form)
    assert "range(n) is one at run time" in raised.value.hint
    assert "x" in raised.value.at.text
    with xt.device("numpy"):
        repeated(X.copy(), N=6, FORM=form)
