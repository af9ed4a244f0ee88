"""Reductions that may drop NaN: none of what is stored shows it, at any level; and those where something would."""

import numpy as np
import pytest

import xetile as xt
from tests.parity.run import run_levels, uncompiled
from xetile.passes.workgroup.products.drop_nan_tests import Row, _join

ROWS, COLUMNS = 16, 32


def on_tiles(fn):
    """A kernel of one tile, two that are stored."""
    return xt.jit(grid=(1,))(fn)


@on_tiles
def softmax(X, Y, Z):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32)))
    p = xt.exp(x - xt.max(x, axis=1))
    xt.store_tile(p / xt.sum(p, axis=1), xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def log_softmax(X, Y, Z):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32)))
    shifted = x - xt.max(x, axis=1)
    total = xt.sum(xt.exp(shifted), axis=1)
    xt.store_tile(shifted - xt.log(total), xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def online(X, Y, Z):
    largest, total = xt.full((16, 1), float("-inf"), xt.f32), xt.zeros((16, 1), xt.f32)
    acc = xt.zeros((16, 16), xt.f32)
    for n in range(0, X.shape[1], 32):
        x = xt.load_tile(xt.init_tile(X, (0, n), (16, 32)))
        new = xt.maximum(largest, xt.max(x, axis=1))
        p, fade = xt.exp(x - new), xt.exp(largest - new)
        total = total * fade + xt.sum(p, axis=1)
        acc = acc * fade + p.to(xt.f16) @ xt.load_tile(xt.init_tile(Z, (0, 0), (32, 16)))
        largest = new
    xt.store_tile(acc / total, xt.init_tile(Y, (0, 0), (16, 16)))


@on_tiles
def largest_is_stored(X, Y, Z):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32)))
    xt.store_tile(xt.zeros((16, 32), xt.f32) + xt.max(x, axis=1), xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def no_sum(X, Y, Z):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32)))
    xt.store_tile(xt.exp(x - xt.max(x, axis=1)), xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def other_tile(X, Y, Z):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32)))
    p = xt.exp(xt.where(x == x, x, 0.0) - xt.max(x, axis=1))
    xt.store_tile(p / xt.sum(p, axis=1), xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def decides(X, Y, Z):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32)))
    m = xt.max(x, axis=1)
    p = xt.exp(x - m)
    y = p / xt.sum(p, axis=1)
    xt.store_tile(xt.where(m > 1.0, y, 0.0), xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def chosen_away(X, Y, Z):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32)))
    p = xt.exp(x - xt.max(x, axis=1))
    p = xt.where(p == p, p, 0.0)
    xt.store_tile(p / xt.sum(p, axis=1), xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def largest_is_carried(X, Y, Z):
    largest, total = xt.full((16, 1), float("-inf"), xt.f32), xt.zeros((16, 1), xt.f32)
    for n in range(0, X.shape[1], 32):
        x = xt.load_tile(xt.init_tile(X, (0, n), (16, 32)))
        new = xt.maximum(largest, xt.max(x, axis=1))
        total = xt.sum(xt.exp(x - new), axis=1)  # of the last round alone
        largest = new
    xt.store_tile(xt.zeros((16, 32), xt.f32) + total, xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def over_columns(X, Y, Z):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32)))
    p = xt.exp(x - xt.max(x, axis=1))
    xt.store_tile(xt.zeros((16, 32), xt.f32) + xt.sum(p, axis=0), xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def begins_with_a_tile(X, Y, Z):
    """What is carried may begin with NaN."""
    largest, total = xt.load_tile(xt.init_tile(X, (0, 0), (16, 1))), xt.zeros((16, 1), xt.f32)
    for n in range(0, X.shape[1], 32):
        x = xt.load_tile(xt.init_tile(X, (0, n), (16, 32)))
        new = xt.maximum(largest, xt.max(x, axis=1))
        total, largest = total * xt.exp(largest - new) + xt.sum(xt.exp(x - new), axis=1), new
    xt.store_tile(xt.zeros((16, 32), xt.f32) + total, xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def carries_another(X, Y, Z):
    """What the reduction is compared with is no largest element of earlier rounds, and may be NaN."""
    largest, total = xt.zeros((16, 1), xt.f32), xt.zeros((16, 1), xt.f32)
    for n in range(0, X.shape[1], 32):
        x = xt.load_tile(xt.init_tile(X, (0, n), (16, 32)))
        new = xt.maximum(largest, xt.max(x, axis=1))
        total += xt.sum(xt.exp(x - new), axis=1)
        largest = xt.log(largest - 1.0)
    xt.store_tile(xt.zeros((16, 32), xt.f32) + total, xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def divides_by_it(X, Y, Z):
    """The sign of a zero shows."""
    largest, total = xt.full((16, 1), float("-inf"), xt.f32), xt.zeros((16, 1), xt.f32)
    for n in range(0, X.shape[1], 32):
        x = xt.load_tile(xt.init_tile(X, (0, n), (16, 32)))
        new = xt.maximum(largest, xt.max(x, axis=1))
        total, largest = total + xt.sum(x / new, axis=1), new
    xt.store_tile(xt.zeros((16, 32), xt.f32) + total, xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def masked(X, Y, Z):
    """Masks hide numbers, and their powers; the last one rows that are NaN throughout."""
    largest, total = xt.full((16, 1), -1e30, xt.f32), xt.zeros((16, 1), xt.f32)
    acc, rows = xt.zeros((16, 16), xt.f32), xt.arange(16)[:, None]
    for n in range(0, X.shape[1], 32):
        seen = n + xt.arange(32)[None, :] <= rows * 6
        x = xt.where(seen, xt.load_tile(xt.init_tile(X, (0, n), (16, 32))), -1e30)
        new = xt.maximum(largest, xt.max(x, axis=1))
        p, fade = xt.where(seen, xt.exp(x - new), 0.0), xt.exp(largest - new)
        total = total * fade + xt.sum(p, axis=1)
        acc = acc * fade + p.to(xt.f16) @ xt.load_tile(xt.init_tile(Z, (0, 0), (32, 16)))
        largest = new
    xt.store_tile(xt.where(rows < 5, acc / total, 0.5), xt.init_tile(Y, (0, 0), (16, 16)))


@on_tiles
def skipped(X, Y, Z):
    """Some rounds are left out."""
    largest, total = xt.full((16, 1), -1e30, xt.f32), xt.zeros((16, 1), xt.f32)
    for n in range(0, X.shape[1], 32):
        if n < 32 or n > X.shape[0] + 32:
            x = xt.load_tile(xt.init_tile(X, (0, n), (16, 32)))
            new = xt.maximum(largest, xt.max(x, axis=1))
            total = total * xt.exp(largest - new) + xt.sum(xt.exp(x - new), axis=1)
            largest = new
    xt.store_tile(xt.zeros((16, 32), xt.f32) + total, xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def other_mask(X, Y, Z):
    """Which hides numbers that the first one has left: NaN among them."""
    x, columns = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32))), xt.arange(32)[None, :]
    x = xt.where(columns < 20, x, -1e30)
    p = xt.where(columns < 3, xt.exp(x - xt.max(x, axis=1)), 0.0)
    xt.store_tile(p / xt.sum(p, axis=1), xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def nan_where_hidden(X, Y, Z):
    x, columns = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32))), xt.arange(32)[None, :]
    seen = columns < xt.arange(16)[:, None] + 1
    x = xt.where(seen, x, float("nan"))
    p = xt.where(seen, xt.exp(x - xt.max(x, axis=1)), 1.0)
    xt.store_tile(p / xt.sum(p, axis=1), xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def skips_what_it_carries(X, Y, Z):
    """A round that is left out forgets what the row's sum was."""
    largest, total = xt.full((16, 1), -1e30, xt.f32), xt.zeros((16, 1), xt.f32)
    for n in range(0, X.shape[1], 32):
        if n != 32:
            x = xt.load_tile(xt.init_tile(X, (0, n), (16, 32)))
            new = xt.maximum(largest, xt.max(x, axis=1))
            total = total + xt.sum(xt.exp(x - new), axis=1)
            largest = new
        else:
            total = xt.exp(largest)
    xt.store_tile(xt.zeros((16, 32), xt.f32) + total, xt.init_tile(Y, (0, 0), (16, 32)))


@on_tiles
def scattered(X, Y, Z):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32)))
    p = xt.exp(x - xt.max(x, axis=1))
    rows, columns = xt.arange(16)[:, None], xt.arange(32)[None, :]
    xt.store_scatter(p / xt.sum(p, axis=1), xt.init_tile(Y, rows * 32 + columns), rows < 9)


@on_tiles
def largest_is_scattered(X, Y, Z):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32)))
    rows, columns = xt.arange(16)[:, None], xt.arange(32)[None, :]
    xt.store_scatter(xt.zeros((16, 32), xt.f32) + xt.max(x, axis=1), xt.init_tile(Y, rows * 32 + columns), rows < 9)


DROPPED = {
    k.fn.__name__: k
    for k in (softmax, log_softmax, online, begins_with_a_tile, carries_another, divides_by_it, masked, skipped, scattered)
}
KEPT = {
    k.fn.__name__: k
    for k in (largest_is_stored, no_sum, other_tile, largest_is_scattered, decides, chosen_away, largest_is_carried, over_columns,
              other_mask, nan_where_hidden, skips_what_it_carries)
}  # fmt: skip


def compiled(kernel):
    return uncompiled(kernel, "f32[?,?]", "f32[?,?]", "f16[?,?]", target="pvc", num_subgroups=2)


def arrays():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((ROWS, 3 * COLUMNS)).astype(np.float32)
    x[1, 3] = x[4, 40] = x[6, 70] = x[6, 2] = np.nan
    x[2] = np.nan
    x[5, :] = -np.inf
    x[7, 1] = np.inf
    return {"X": x, "Y": np.zeros((ROWS, COLUMNS), np.float32), "Z": rng.standard_normal((COLUMNS, 16)).astype(np.float16)}


@pytest.mark.parametrize("name", DROPPED)
def test_dropped(name):
    text = compiled(DROPPED[name]).ir["layout"]
    assert "tile_reduce <maxnumf>" in text
    assert "tile_reduce <maximumf>" not in text


@pytest.mark.parametrize(
    "name,op",
    [
        ("online", "maxnumf"),
        ("begins_with_a_tile", "maximumf"),
        ("carries_another", "maximumf"),
        ("divides_by_it", "maxnumf"),
        ("masked", "maxnumf"),
        ("skipped", "maxnumf"),
    ],
)
def test_what_is_carried_drops_nan_where_it_begins_with_a_number(name, op):
    """And may be either zero where nothing but powers is computed of it."""
    text = compiled(DROPPED[name]).ir["layout"]
    (carried,) = {line.split("{")[0] for line in text.splitlines() if "arith.max" in line and "index" not in line}
    assert f"arith.{op} " in carried
    assert ("either_zero" in text) == (name in ("online", "masked", "skipped"))


@pytest.mark.parametrize("name", KEPT)
def test_kept(name):
    text = compiled(KEPT[name]).ir["layout"]
    assert "tile_reduce <maximumf>" in text
    assert "tile_reduce <maxnumf>" not in text


@pytest.mark.every(6)
@pytest.mark.parametrize("name", [*DROPPED, *KEPT])
def test_the_same_at_every_level(name):
    """The first level is as the kernel was written; rows hold NaN in the first round, a later one, or two."""
    with np.errstate(all="ignore"):
        found = list(run_levels(compiled((DROPPED | KEPT)[name]).request, (1, 1, 1), arrays(), emits=True))
    levels = [(level, after["Y"]) for level, after in found]
    assert np.isnan(levels[0][1]).any()
    for level, got in levels[1:]:
        np.testing.assert_allclose(got, levels[0][1], rtol=1e-5, atol=1e-6, err_msg=level)


def test_in_a_branch_and_in_a_loop_of_programs():
    @on_tiles
    def nested(X, Y, Z):
        for _ in range(2):
            if X.shape[0] > 1:
                x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32)))
                p = xt.exp(x - xt.max(x, axis=1))
                xt.store_tile(p / xt.sum(p, axis=1), xt.init_tile(Y, (0, 0), (16, 32)))

    assert "tile_reduce <maxnumf>" in compiled(nested).ir["layout"]


def test_joined_facts_are_no_better_than_either():
    for one in Row:
        for other in Row:
            assert _join(one, other) is _join(other, one)
            assert _join(one, one) is one
    assert _join(Row.SAME, Row.NAN) is Row.DIFFERENT
    assert _join(Row.NAN, Row.WITH_NAN) is Row.WITH_NAN
