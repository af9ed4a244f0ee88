"""What products give is chosen by masks of bytes in whole registers (spirv/assembly/byte_masks), on simulated GPUs and emulated ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xetile.backends.spirv.assembly.byte_masks import ByteMaskCall
from xetile.backends.spirv.assembly.call import call_of

import xetile as xt
from tests import tools

ROWS, COLUMNS, DEPTH = 37, 50, 32


def where(condition: Any, a: Any, b: Any) -> Any:
    return np.where(condition, a, b) if isinstance(condition, np.ndarray) else xt.where(condition, a, b)


HOW: dict[str, tuple[str, str, Callable[..., Any]]] = {
    "kept": ("f16", "bool", lambda s, m: where(m, s, -1e30)),
    "dropped": ("f16", "bool", lambda s, m: where(m, 0.5, s)),
    "infinite": ("bf16", "bool", lambda s, m: where(m, s, float("-inf"))),
    "not a number": ("f16", "bool", lambda s, m: where(m, s, float("nan"))),
    "bytes that are zero": ("f16", "u8", lambda s, m: where(m == 0, s, -0.0)),
    "bytes that are not": ("f16", "i8", lambda s, m: where(m != 0, s, 3.0)),
    "integers": ("i8", "bool", lambda s, m: where(m, s, -7)),
    "one of two bytes": ("f16", "u8", lambda s, m: where(m == 3, s, 0.0)),
}
"""The types of A and the mask, and what becomes of the product."""
BY_BYTES = [name for name in HOW if name != "one of two bytes"]


@xt.jit
def masked(A, B, M, C, HOW: xt.constexpr, BM: xt.constexpr = 16, BN: xt.constexpr = 32):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    s = xt.load_tile(xt.init_tile(A, (m, 0), (BM, 32))) @ xt.load_tile(xt.init_tile(B, (0, n), (32, BN)))
    xt.store_tile(HOW(s, xt.load_tile(xt.init_tile(M, (m, n), (BM, BN)))), xt.init_tile(C, (m, n), (BM, BN)))


def check(device: str, name: str) -> None:
    kind, mask, how = HOW[name]
    rng = np.random.default_rng(len(name))
    a, b = (rng.integers(-3, 4, shape).astype(getattr(xt, kind).numpy) for shape in ((ROWS, DEPTH), (DEPTH, COLUMNS)))
    m = rng.integers(0, 5, (ROWS, COLUMNS)).astype(np.int8) % np.int8(4)
    m = m > 1 if mask == "bool" else (m * 64 + m).astype(getattr(xt, mask).numpy)
    c = np.zeros((ROWS, COLUMNS), np.int32 if kind == "i8" else np.float32)
    with xt.device(device):
        masked[2, 3](a, b, m, c, how)
    wide = np.int32 if kind == "i8" else np.float32
    wanted = how(a.astype(wide) @ b.astype(wide), m).astype(wide)
    np.testing.assert_array_equal(c.view(np.int32), wanted.view(np.int32))


@pytest.mark.every(8, 3)
@pytest.mark.parametrize("name", HOW)
@pytest.mark.parametrize("device", ["sim:bmg", pytest.param("sim:pvc", marks=pytest.mark.slow)])
def test_choices_on_simulated_gpus(device, name):
    tools.require_tool("ocloc")
    check(device, name)


@pytest.mark.every(8, 3)
@pytest.mark.parametrize("name", HOW)
def test_choices_where_gpus_are_emulated(monkeypatch, name):
    monkeypatch.setenv("XETILE_CPU", "emulate")
    check("cpu", name)


@pytest.mark.every(8)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", BY_BYTES)
def test_no_register_is_chosen_by_itself(name, target):
    kind, mask, how = HOW[name]
    types = f"{kind}[?,?]", f"{kind}[?,?]", f"{mask}[?,?]", "i32[?,?]" if kind == "i8" else "f32[?,?]"
    assert b"xetile bytes mask 8" in masked.compile(*types, target=target, HOW=how).spirv


@pytest.mark.parametrize("piece", [ByteMaskCall(8, 0xFF800000), ByteMaskCall(16, 7, zeros=True, floats=False)])
def test_a_piece_says_what_it_does(piece):
    assert call_of(piece.text(16)) == piece
    assert piece.text(16).count("sel") == piece.count // 2
