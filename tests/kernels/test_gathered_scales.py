"""Second operands made of narrow weights and of numbers that each row has from anywhere: all codes, by whole registers beside single rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from backends.spirv.module.binary import Binary

ROWS, COLUMNS = 64, 128
FORMS: dict[str, Callable[[Any, Any], Any]] = {
    "times": lambda w, s: w * s,
    "less": lambda w, s: w - s,
    "less than": lambda w, s: s - w,
    "scaled less": lambda w, s: (w * 0.5 - s) * s,
}
KINDS = {"u8": np.uint8, "i8": np.int8, "f8e4m3": ml_dtypes.float8_e4m3fn}


@xt.jit
def gathered(X, W, S, Row, C, FORM: xt.constexpr, BN: xt.constexpr = COLUMNS, BK: xt.constexpr = 32):
    """C = X @ FORM(W, S[Row]): a row of S for each row of W."""
    columns, acc = xt.arange(BN)[None, :], xt.zeros((16, BN), xt.f32)
    for k in range(0, X.shape[1], BK):
        row = xt.load_tile(xt.init_tile(Row, k, BK))[:, None]
        s = xt.load_gather(xt.init_tile(S, row * S.shape[1] + columns), columns < S.shape[1])
        w = xt.load_tile(xt.init_tile(W, (k, 0), (BK, BN))).to(X.dtype)
        acc += xt.load_tile(xt.init_tile(X, (0, k), (16, BK))) @ FORM(w, s)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (16, BN)))


@pytest.mark.every(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMS)
def test_numbers_of_rows_from_anywhere(device, form, kind):
    rng = np.random.default_rng(0)
    w = rng.integers(0, 256, (ROWS, COLUMNS)).astype(np.uint8)
    w[(w & 127) == 127] = 1  # no number in f8e4m3
    w, s = w.view(KINDS[kind]), rng.standard_normal((5, COLUMNS)).astype(np.float16)
    row, c = rng.integers(0, 5, ROWS).astype(np.int32), np.zeros((16, COLUMNS), np.float32)
    x = np.zeros((16, ROWS), np.float16)
    x[np.arange(16), rng.permutation(ROWS)[:16]] = 1
    with xt.device(device):
        gathered[1,](x, w, s, row, c, FORMS[form])
    b = FORMS[form](w.astype(np.float16), s[row]).astype(np.float16)
    np.testing.assert_array_equal(c, x.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("form", FORMS)
def test_codes_are_computed_on_whole_registers(form, target):
    types = ("f16[?,?]", "u8[?,?]", "f16[?,?]", "i32[?]", "f32[?,?]")
    module = gathered.compile(*types, target=target, FORM=FORMS[form]).spirv
    texts = [str(x.value) for i in Binary(module).instructions if i.name == "OpAsmINTEL" for x in i.operands() if x.kind == "S"]
    assert any("xetile packed" in text for text in texts)
