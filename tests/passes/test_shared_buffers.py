"""Loops one after the other that have the same buffers in shared local memory: of no loop around another one, and behind a barrier."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import uncompiled
from xetile.passes.workgroup.loops import stage_operands
from xetile.passes.workgroup.loops.shared_buffers import SharedBuffers

B = 32


@pytest.fixture
def scarce(monkeypatch):
    """As where buffers of their own for all loops would be too large."""
    monkeypatch.setattr(stage_operands, "SharedBuffers", lambda left, total: SharedBuffers(left, left + 1))


@xt.jit
def in_turn(A, W, V, C, FORM: xt.constexpr):
    """C = A @ W + A @ V, each product in a loop of its own; A @ W once more for each row of blocks where they stand in a loop."""
    m, n = xt.program_id(1) * B, xt.program_id(0) * B
    acc = xt.zeros((B, B), xt.f32)
    for _ in range(A.shape[0] // B if FORM == "again" else 1):
        for k in range(0, A.shape[1], B):
            acc += xt.load_tile(A[m : m + B, k : k + B]) @ xt.load_tile(W[k : k + B, n : n + B])
        if FORM != "branch" or m > 0:
            for k in range(0, A.shape[1], B):
                acc += xt.load_tile(A[m : m + B, k : k + B]) @ xt.load_tile(V[k : k + B, n : n + B])
    xt.store_tile(acc, xt.init_tile(C, (m, n), (B, B)))


@xt.jit
def around(A, W, V, C):
    """C = A @ W, and for each step of it A @ V with all of V."""
    m, n = xt.program_id(1) * B, xt.program_id(0) * B
    acc = xt.zeros((B, B), xt.f32)
    for k in range(0, A.shape[1], B):
        acc += xt.load_tile(A[m : m + B, k : k + B]) @ xt.load_tile(W[k : k + B, n : n + B])
        for j in range(0, A.shape[1], B):
            acc += xt.load_tile(A[m : m + B, j : j + B]) @ xt.load_tile(V[j : j + B, n : n + B])
    xt.store_tile(acc, xt.init_tile(C, (m, n), (B, B)))


def launch(form: str, k: int) -> Launch:
    rng = np.random.default_rng(k)
    a, w, v = (rng.integers(-4, 5, shape).astype(np.float16) for shape in ((64, k), (k, 40), (k, 40)))
    one, two = (a.astype(np.float64) @ x.astype(np.float64) for x in (w, v))
    given = {"A": a, "W": w, "V": v, "C": np.zeros((64, 40), np.float32)}
    if form == "around":
        return Launch(around, given, {"C": (one + -(-k // B) * two).astype(np.float32)}, (2, 2), {}, 4, targets=("dg2",))
    if form == "branch":
        two[:B] = 0
    exact = (one + two) * (2 if form == "again" else 1)
    return Launch(in_turn, given, {"C": exact.astype(np.float32)}, (2, 2), {"FORM": form}, 4, targets=("dg2",))


FORMS = ("once", "again", "branch", "around")


@pytest.mark.every(3)
@pytest.mark.parametrize("k", [32, 64, 96, 72])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.usefixtures("scarce")
def test_levels_agree(form, k):
    launch(form, k).at_levels("dg2")


@pytest.mark.every(2)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.usefixtures("scarce")
def test_machine_code_is_right(form):
    launch(form, 96).on_device("sim:dg2")


@pytest.mark.every(2)
@pytest.mark.parametrize("k", [64, 96])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.usefixtures("scarce")
def test_no_subgroup_stores_what_others_still_read(form, k):
    given = launch(form, k)
    for level in ("subgroup", "lane"):
        assert given.watched(level, "dg2")


def buffers(form: str) -> int:
    kernel, constants = (around, {}) if form == "around" else (in_turn, {"FORM": form})
    given = ("f16[?,?]", "f16[?,?]", "f16[?,?]", "f32[?,?]")
    return uncompiled(kernel, *given, num_subgroups=4, target="dg2", **constants).ir["layout"].count("memref.alloca")


@pytest.mark.usefixtures("scarce")
@pytest.mark.parametrize("form", FORMS)
def test_how_many_buffers_there_are(form):
    assert buffers(form) == 2 if form != "around" else buffers(form) > 2


@pytest.mark.parametrize("form", FORMS[:3])
def test_loops_have_buffers_of_their_own_where_there_is_memory(form):
    assert buffers(form) == 4
