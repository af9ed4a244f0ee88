"""Which loops become counted ones, which tiles are carried, and that neither changes what a kernel does."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import assert_levels_agree, request
from xetile.dialects import scf, xetile
from xetile.passes import pipeline
from xetile.passes.workgroup.forms.count_loops import count_loops
from xetile.passes.workgroup.loops.insert_prefetches import insert_prefetches
from xetile.passes.workgroup.memory.carry_tiles import carry_tiles
from xetile.passes.workgroup.memory.fold_transposes import fold_transposes
from xetile.passes.workgroup.memory.reload_transposes import reload_transposes
from xetile.runtime.compiler import trace
from xetile.target import get_target

TYPES = {"X": "f32[?,?]", "Y": "f32[?,?]"}


@xt.jit
def counted(X, Y, START: xt.constexpr, FORM: xt.constexpr):
    """Rows of X that a loop reaches, added up; the counter is stored behind the loop."""
    total, k = xt.zeros((1, 16), xt.f32), START
    if FORM == "below":
        while k < X.shape[0]:
            total += xt.load_tile(xt.init_tile(X, (k, 0), (1, 16)))
            k += 3
    elif FORM == "above":
        while X.shape[0] - 2 > k:
            k = 2 + k
            total += xt.load_tile(xt.init_tile(X, (k, 0), (1, 16)))
    elif FORM == "moving bound":
        end = X.shape[0]
        while k < end:
            total += xt.load_tile(xt.init_tile(X, (k, 0), (1, 16)))
            k += 1
            end -= 1
    elif FORM == "down":
        while k > 0:
            total += xt.load_tile(xt.init_tile(X, (k, 0), (1, 16)))
            k -= 1
    elif FORM == "doubled":
        while k < X.shape[0]:
            total += xt.load_tile(xt.init_tile(X, (k, 0), (1, 16)))
            k += k
    elif FORM == "carried condition":
        more = True
        while more:
            total += xt.load_tile(xt.init_tile(X, (k, 0), (1, 16)))
            k += 3
            more = k < X.shape[0]
    xt.store_tile(total + k, xt.init_tile(Y, (0, 0), (1, 16)))


FORMS = {"below": True, "above": True, "moving bound": False, "down": False, "doubled": False, "carried condition": False}


def names(module):
    return [op.opname for op in module.walk()]


@pytest.mark.parametrize("form", FORMS)
def test_which_loops_are_counted(form):
    module = count_loops(trace(request(counted, TYPES, START=1, FORM=form)))
    assert ("scf.for" in names(module), "scf.while" in names(module)) == (FORMS[form], not FORMS[form])


@pytest.mark.every(2)
@pytest.mark.parametrize("start", [1, 5, 50])
@pytest.mark.parametrize("form", FORMS)
def test_counted_loops_do_what_they_did(form, start):
    """The last start lies beyond the bound: no iteration, and the counter is what it was."""
    x = np.arange(20 * 16, dtype=np.float32).reshape(20, 16)
    given = {"X": x, "Y": np.zeros((1, 16), np.float32)}
    assert_levels_agree(request(counted, TYPES, START=start, FORM=form), (1, 1, 1), given, "Y")


@xt.jit
def walked(A, B, C, PLACE: xt.constexpr):
    """The first tile's column by a function of the counter."""
    acc = xt.zeros((16, 16), xt.f32)
    for k in range(A.shape[1] // 16):
        a = xt.load_tile(xt.init_tile(A, (0, PLACE(k, A.shape[1])), (16, 16)))
        acc += a @ xt.load_tile(xt.init_tile(B, (k * 16, 0), (16, 16)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (16, 16)))


PLACES = {
    "k * 16": (lambda k, n: k * 16, 2),
    "from the end": (lambda k, n: n - 16 - k * 16, 2),
    "n * k": (lambda k, n: k * n, 1),
    "16 * (k + 1) - 8": (lambda k, n: 16 * (k + 1) - 8, 2),
    "2 * k + k": (lambda k, n: 2 * k + k, 2),
    "k * k": (lambda k, n: k * k, 1),
    "k // 2": (lambda k, n: k // 2 * 16, 1),
    "fixed": (lambda k, n: n // 2, 1),
}


@pytest.mark.parametrize("place", PLACES)
def test_which_tiles_are_carried(place):
    what = request(walked, {"A": "f16[?,?]", "B": "f16[?,?]", "C": "f32[?,?]"}, PLACE=PLACES[place][0])
    module = carry_tiles(trace(what))
    assert names(module).count("xetile.update_tile_offset") == PLACES[place][1]


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("place", PLACES)
def test_carried_tiles_lie_where_they_did(place, target):
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((16, 48), (48, 16)))
    given = {"A": a, "B": b, "C": np.zeros((16, 16), np.float32)}
    what = request(walked, {"A": "f16[?,?]", "B": "f16[?,?]", "C": "f32[?,?]"}, target, 1, PLACE=PLACES[place][0])
    assert_levels_agree(what, (1, 1, 1), given, "C")


@xt.jit
def stored(A, B, C):
    """What a step stores the next one loads."""
    for k in range(0, A.shape[1], 16):
        tile = xt.init_tile(C, (0, k), (16, 16))
        product = xt.load_tile(xt.init_tile(A, (0, k), (16, 16))) @ xt.load_tile(xt.init_tile(B, (k, 0), (16, 16)))
        xt.store_tile(product + xt.load_tile(tile), tile)


def test_tiles_that_are_stored_through_stay():
    module = carry_tiles(trace(request(stored, {"A": "f16[?,?]", "B": "f16[?,?]", "C": "f32[?,?]"})))
    assert names(module).count("xetile.update_tile_offset") == 2
    *_, (_, lowered) = pipeline.lower(module, get_target("pvc"))
    assert "scf.for" in names(lowered)


@xt.jit
def softmax_like(A, B, C):
    """The product's rows are reduced in the iteration that makes them."""
    total = xt.zeros((16, 1), xt.f32)
    for k in range(0, A.shape[1], 16):
        product = xt.load_tile(xt.init_tile(A, (0, k), (16, 16))) @ xt.load_tile(xt.init_tile(B, (k, 0), (16, 16)))
        total += xt.sum(xt.exp2(product * 0.5), axis=1)
    xt.store_tile(total, xt.init_tile(C, (0, 0), (16, 1)))


SOFTMAX = {"A": "f16[?,?]", "B": "f16[?,?]", "C": "f32[?,?]"}


def test_loops_that_work_on_their_products_keep_small_tiles():
    """A prefetch costs more there than it saves."""
    module = carry_tiles(trace(request(softmax_like, SOFTMAX)), get_target("pvc"))
    assert "xetile.update_tile_offset" not in names(module)


@xt.jit
def both_ways(A, B, C, start):
    """A tile as it is and transposed, in a part of an array that each iteration takes anew."""
    q = xt.load_tile(xt.init_tile(B, (0, 0), (64, 64)))
    total = xt.zeros((64, 64), xt.f32)
    for k in range(0, A.shape[0], 32):
        part = A[start : A.shape[0]]
        a = xt.load_tile(xt.init_tile(part, (k, 0), (32, 64)))
        total += xt.exp2(q @ a.T).to(xt.f16) @ a
    xt.store_tile(total, xt.init_tile(C, (0, 0), (64, 64)))


def test_loops_that_work_on_their_products_prefetch_large_tiles_once():
    """Whole messages of several subgroups; of the same memory, loaded in two ways, there is one."""
    target = get_target("pvc")
    module = trace(request(both_ways, SOFTMAX | {"start": "i32"}))
    for step in (reload_transposes, fold_transposes, carry_tiles):
        module = step(module, target)
    assert names(module).count("xetile.update_tile_offset") == 2
    (loop,) = [op for op in insert_prefetches(module, target).walk() if isinstance(op, scf.For)]
    assert sum(isinstance(op, xetile.PrefetchTile) for op in loop.body.walk()) == 1
