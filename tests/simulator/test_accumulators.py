"""Accumulators of products that loops carry: IGC gives one register to several of them (backends/spirv/facts/ties.py, emit_flow.Carried)."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests import tools
from tests.generators.program import tightly

DEVICES = ("sim:pvc", "sim:bmg", "sim:dg2")
BEGINS = ("row", "row computed", "number", "element", "column", "tile")
FORMS = ("sum", "two", "two loops", "anew", "branch", "other way", "swapped", "while", "kept")


@xt.jit
def begin(A, n, BEGIN: xt.constexpr, SHAPE: xt.constexpr):
    """What accumulators begin with."""
    if BEGIN == "row":
        return xt.tile_broadcast(xt.load_tile(xt.init_tile(A, (0, 0), (1, SHAPE[1]))), SHAPE)
    if BEGIN == "row computed":
        return xt.tile_broadcast(xt.maximum(xt.load_tile(xt.init_tile(A, (0, 0), (1, SHAPE[1]))), 1), SHAPE)
    if BEGIN == "number":
        return xt.clamp(xt.full(SHAPE, n, xt.f32), -7, 7)
    if BEGIN == "element":
        return xt.full(SHAPE, A[0, 0] * 2, xt.f32)
    if BEGIN == "column":
        return xt.tile_broadcast(xt.load_tile(xt.init_tile(A, (0, 0), (SHAPE[0], 1))), SHAPE)
    return xt.load_tile(xt.init_tile(A, (0, 0), SHAPE))


@xt.jit
def product(H, G, row, k, SHAPE: xt.constexpr):
    return xt.load_tile(xt.init_tile(H, (row, k), (SHAPE[0], 16))) @ xt.load_tile(xt.init_tile(G, (k, 0), (16, SHAPE[1])))


@xt.jit
def carried(A, H, G, Out, n, BEGIN: xt.constexpr, FORM: xt.constexpr, SHAPE: xt.constexpr):
    """Sums of up to three products, that begin with the same tile."""
    s = begin(A, n, BEGIN, SHAPE)
    v, w = s, s
    if FORM == "sum" or FORM == "two loops":
        for k in range(0, n % 4 * 16, 16):
            v += product(H, G, 0, k, SHAPE)
    if FORM == "two loops":
        for k in range(0, n % 3 * 16, 16):
            w += product(H, G, 16, k, SHAPE)
    elif FORM == "two":
        for k in range(0, n % 4 * 16, 16):
            v += product(H, G, 0, k, SHAPE)
            w -= product(H, G, 16, k, SHAPE)
    elif FORM == "anew":
        for i in range(n):
            v = s
            for k in range(0, n % 4 * 16, 16):
                v += product(H, G, i, k, SHAPE)
            w += v
    elif FORM == "branch":
        if n > 2:
            v += product(H, G, 0, 0, SHAPE)
        else:
            w += product(H, G, 16, 0, SHAPE)
        for k in range(0, n % 4 * 16, 16):
            v += product(H, G, 0, k, SHAPE)
    elif FORM == "other way":
        for i in range(n):
            for k in range(0, n % 3 * 16, 16):
                v += product(H, G, i, k, SHAPE)
            if i > 0:
                w = v
            v = s
    elif FORM == "swapped":
        for k in range(0, n % 4 * 16, 16):
            v, w = w + product(H, G, 0, k, SHAPE), v
    elif FORM == "while":
        k = 0
        while k < n % 4 * 16:
            t = v
            v = product(H, G, 0, k, SHAPE) + w
            w = t
            k += 16
    elif FORM == "kept":
        for k in range(0, n % 4 * 16, 16):
            w = v
            v += product(H, G, 0, k, SHAPE)
    for i, tile in enumerate((v, w, s)):
        xt.store_tile(tile, xt.init_tile(Out[i], (0, 0), SHAPE))


@xt.jit
def three(A, H, G, Out, n, m, BEGIN: xt.constexpr, FORM: xt.constexpr, SHAPE: xt.constexpr):
    """Three sums that begin with one tile, some of which something has changed before the loop that adds to all."""
    u = v = w = begin(A, n, BEGIN, SHAPE)
    if FORM == "one":
        if m > 3:
            u += product(H, G, 24, 0, SHAPE)
    elif FORM == "other":
        if m > 3:
            u += product(H, G, 24, 0, SHAPE)
        elif m > 1:
            v -= product(H, G, 24, 0, SHAPE)
    elif FORM == "swapped":
        if m > 3:
            u, v = v, u
            xt.store_tile(xt.zeros((1, 16), xt.f32), xt.init_tile(Out[3], (0, 0), (1, 16)))
    elif FORM == "loop":
        for k in range(0, m % 4 * 16, 16):
            u += product(H, G, 24, k, SHAPE)
    elif FORM == "loop of two":
        for k in range(0, m % 4 * 16, 16):
            u += product(H, G, 24, k, SHAPE)
            v -= product(H, G, 32, k, SHAPE)
    for k in range(0, n % 4 * 16, 16):
        u += product(H, G, 0, k, SHAPE)
        v += product(H, G, 8, k, SHAPE)
        w += product(H, G, 16, k, SHAPE)
    for i, tile in enumerate((u, v, w)):
        xt.store_tile(tile, xt.init_tile(Out[i], (0, 0), SHAPE))


def check_three(device, begins, form, shape=(8, 16)):
    tools.require_tool("ocloc")
    rng = np.random.default_rng(1)
    a = rng.integers(-4, 5, (64, 64)).astype(np.float32)
    h, g = (rng.integers(-2, 3, (64, 64)).astype(np.float16) for _ in range(2))
    for begins_with in begins:
        for n, m in ((0, 4), (1, 0), (2, 2), (3, 4), (2, 5)):
            results = []
            for where in ("numpy", device):
                out = np.zeros((4, *shape), np.float32)
                with xt.device(where):
                    three[(1,)](a, h, g, out, n, m, BEGIN=begins_with, FORM=form, SHAPE=shape, num_subgroups=1)
                results.append(out)
            np.testing.assert_array_equal(*results[::-1], f"{form} from a {begins_with}, {n}, {m}")


def check(device, begins, forms, shape, subgroups):
    tools.require_tool("ocloc")
    rng = np.random.default_rng(1)
    a = rng.integers(-4, 5, (64, 64)).astype(np.float32)
    h, g = (rng.integers(-2, 3, (64, 64)).astype(np.float16) for _ in range(2))
    for begins_with in begins:
        for form in forms:
            for n in (2, 3, 4, 5):
                results = []
                for where in ("numpy", device):
                    out = np.zeros((3, *shape), np.float32)
                    with xt.device(where):
                        carried[(1,)](a, h, g, out, n, BEGIN=begins_with, FORM=form, SHAPE=shape, num_subgroups=subgroups)
                    results.append(out)
                np.testing.assert_array_equal(*results[::-1], f"{form} from a {begins_with}, {n}")


@pytest.mark.every(3)
@pytest.mark.parametrize(("device", "begins", "forms", "shape", "subgroups"), [
    ("sim:pvc", ("row",), ("sum", "two"), (16, 16), 1),
    ("sim:bmg", ("number",), ("sum", "swapped"), (16, 32), 2),
    ("sim:pvc", ("row computed",), ("while",), (8, 16), 1),
    ("sim:bmg", ("row",), ("branch",), (8, 16), 1),
])  # fmt: skip
def test_accumulators(device, begins, forms, shape, subgroups):
    check(device, begins, forms, shape, subgroups)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("shape", "subgroups"), [((8, 16), 1), ((8, 32), 1), ((16, 16), 1), ((16, 32), 2), ((32, 32), 4)])
@pytest.mark.parametrize("device", DEVICES)
def test_all_accumulators(device, shape, subgroups, form):
    check(device, BEGINS, (form,), shape, subgroups)


@pytest.mark.parametrize(("device", "begins", "form"), [
    ("sim:pvc", ("tile", "number"), "one"),
    ("sim:bmg", ("row", "number"), "loop"),
    ("sim:pvc", ("tile", "row"), "swapped"),
])  # fmt: skip
def test_three_accumulators(device, begins, form):
    check_three(device, begins, form)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["one", "other", "swapped", "loop", "loop of two"])
@pytest.mark.parametrize("device", DEVICES)
def test_all_of_three_accumulators(device, form):
    check_three(device, BEGINS, form)


@xt.jit
def chosen(u, v, a, b):
    """One of two tiles and of some numbers, by several returns."""
    if b > 0:
        b += b % 5
    v = xt.clamp(v + xt.cast((b * (a if (a * 0 + -2) <= ((b - b) % 31) else b)) % 7, xt.f32), -7, 7)
    if xt.all(v == v + -1):
        if a % 2 == 1:
            return u, (a if ((a * a) % 7) != ((a - b) % 7) else b)
        if (a * 0 + -1) != ((a * a) % 13):
            return v, ((a + a) % 13)
    return u, a


@xt.jit
def in_turn(A, H, G, Out, a, b):
    """Sums of three blocks that begin with one number, which two branches hide."""
    v = xt.load_tile(xt.init_tile(A, (0, 0), (24, 16)))
    w, d = xt.full((24, 16), 2, xt.f32), b
    n = b * 0
    more = xt.min(v) < a
    while more:
        n += 1
        more = n < 1 and xt.any(w <= w + 0)
        w, d = chosen(w, v, a, d)
        ha, ga = xt.load_tile(xt.init_tile(H, (0, 0), (24, 16))), xt.load_tile(xt.init_tile(G, (0, 0), (16, 16)))
        for _ in range(0, d % 4 * 16, 16):
            w -= ha @ ga
        w = xt.clamp(w, -7, 7)
    xt.store_tile(w, xt.init_tile(Out, (0, 0), (24, 16)))


def test_branches_give_one_number_in_turn():
    tools.require_tool("ocloc")
    rng = np.random.default_rng(1)
    a = tightly(rng.integers(-4, 5, (64, 64)).astype(np.float32), True)[1]
    h, g = (tightly(rng.integers(-2, 3, (64, 64)).astype(np.float16), True)[1] for _ in range(2))
    results = []
    for where in ("numpy", "sim:pvc"):
        out = np.zeros((24, 16), np.float32)
        with xt.device(where):
            in_turn[(1,)](a, h, g, out, 7, -3, num_subgroups=1)
        results.append(out)
    np.testing.assert_array_equal(*results[::-1])
