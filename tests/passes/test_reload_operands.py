"""What stays the same through a loop is loaded again in it where a subgroup has no registers for it, and only where that brings the same."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import assert_levels_agree, request
from xetile.dialects import scf, xetile
from xetile.ir.interfaces import enclosing
from xetile.ir.verifier import verify
from xetile.passes.workgroup.loops.reload_operands import reload_operands
from xetile.runtime.compiler import trace
from xetile.target import get_target

ROWS, DEPTH, KEYS = 32, 128, 32
TYPES = {"Q": "f16[?,?]", "K": "f16[?,?]", "V": "f16[?,?]", "Out": "f32[?,?]"}


def weighted(Q, K, V, Out):
    """Two products in a loop, the first of which takes the same rows in each iteration."""
    q, acc = xt.load_tile(Q[0:ROWS, 0:DEPTH]), xt.zeros((ROWS, DEPTH), xt.f32)
    for n in range(0, K.shape[0], KEYS):
        s = q @ xt.load_tile(K[n : n + KEYS, 0:DEPTH]).T
        acc = acc * 0.5 + s.to(xt.f16) @ xt.load_tile(V[n : n + KEYS, 0:DEPTH])
    xt.store_tile(acc, Out[0:ROWS, 0:DEPTH])


def transposed(Q, K, V, Out):
    """The same rows as a second operand."""
    q, acc = xt.load_tile(Q[0:ROWS, 0:DEPTH]), xt.zeros((DEPTH, ROWS), xt.f32)
    for n in range(0, K.shape[0], KEYS):
        s = xt.load_tile(K[n : n + KEYS, 0:DEPTH]) @ q.T
        acc = acc * 0.5 + xt.load_tile(V[n : n + KEYS, 0:DEPTH]).T @ s.to(xt.f16)
    xt.store_tile(acc.T, Out[0:ROWS, 0:DEPTH])


def twice(Q, K, V, Out):
    """Two loops take the same rows."""
    q, acc = xt.load_tile(Q[0:ROWS, 0:DEPTH]), xt.zeros((ROWS, DEPTH), xt.f32)
    for n in range(0, 2 * KEYS, KEYS):
        s = q @ xt.load_tile(K[n : n + KEYS, 0:DEPTH]).T
        acc = acc * 0.5 + s.to(xt.f16) @ xt.load_tile(V[n : n + KEYS, 0:DEPTH])
    for n in range(2 * KEYS, K.shape[0], KEYS):
        s = q @ xt.load_tile(K[n : n + KEYS, 0:DEPTH]).T
        acc = acc * 0.25 + s.to(xt.f16) @ xt.load_tile(V[n : n + KEYS, 0:DEPTH])
    xt.store_tile(acc, Out[0:ROWS, 0:DEPTH])


def stored_in_the_loop(Q, K, V, Out):
    q, acc = xt.load_tile(Q[0:ROWS, 0:DEPTH]), xt.zeros((ROWS, DEPTH), xt.f32)
    for n in range(0, K.shape[0], KEYS):
        s = q @ xt.load_tile(K[n : n + KEYS, 0:DEPTH]).T
        acc = acc * 0.5 + s.to(xt.f16) @ xt.load_tile(V[n : n + KEYS, 0:DEPTH])
        xt.store_tile(acc, Out[0:ROWS, 0:DEPTH])


def stored_behind(Q, K, V, Out):
    q, acc = xt.load_tile(Q[0:ROWS, 0:DEPTH]), xt.zeros((ROWS, DEPTH), xt.f32)
    for n in range(0, K.shape[0], KEYS):
        s = q @ xt.load_tile(K[n : n + KEYS, 0:DEPTH]).T
        acc = acc * 0.5 + s.to(xt.f16) @ xt.load_tile(V[n : n + KEYS, 0:DEPTH])
    xt.store_tile(acc.to(xt.f16), Q[0:ROWS, 0:DEPTH])
    xt.store_tile(acc, Out[0:ROWS, 0:DEPTH])


def added_too(Q, K, V, Out):
    q, acc = xt.load_tile(Q[0:ROWS, 0:DEPTH]), xt.zeros((ROWS, DEPTH), xt.f32)
    for n in range(0, K.shape[0], KEYS):
        s = q @ xt.load_tile(K[n : n + KEYS, 0:DEPTH]).T
        acc = acc * 0.5 + q.to(xt.f32) + s.to(xt.f16) @ xt.load_tile(V[n : n + KEYS, 0:DEPTH])
    xt.store_tile(acc, Out[0:ROWS, 0:DEPTH])


def loaded_in_loops(function, subgroups, target="pvc"):
    """How many of a kernel's loads stand in loops, before and after the pass."""
    module = trace(request(xt.jit(function), TYPES, target, subgroups))
    before = in_loops(module)
    reload_operands(module, get_target(target))
    verify(module)
    return before, in_loops(module)


def in_loops(module):
    return sum(any(isinstance(each, scf.For) for each in enclosing(load)) for load in module.find(xetile.LoadTile))


@pytest.mark.parametrize(("function", "loads"), [(weighted, 1), (transposed, 1), (twice, 2)])
def test_what_does_not_fit_is_loaded_again(function, loads):
    before, after = loaded_in_loops(function, 2)
    assert after == before + loads


@pytest.mark.parametrize("function", [stored_in_the_loop, stored_behind, added_too])
def test_what_may_change_or_stays_anyway_is_not(function):
    before, after = loaded_in_loops(function, 2)
    assert after == before


@pytest.mark.parametrize(("subgroups", "target"), [(8, "pvc"), (2, "dg2")])
def test_what_fits_or_has_no_block_messages_is_not(subgroups, target):
    before, after = loaded_in_loops(weighted, subgroups, target)
    assert after == before


@pytest.mark.parametrize("function", [weighted, transposed, twice, stored_in_the_loop, stored_behind, added_too])
def test_levels_agree(function):
    rng = np.random.default_rng(0)
    values = {name: rng.integers(-2, 3, (n, DEPTH)).astype(np.float16) / 8 for name, n in (("Q", ROWS), ("K", 100), ("V", 100))}
    values["Out"] = np.zeros((ROWS, DEPTH), np.float32)
    assert_levels_agree(request(xt.jit(function), TYPES, "pvc", 2), (1,), values, "Out", rtol=1e-3)
