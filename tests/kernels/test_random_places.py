"""Random places and masks of gathers and scatters, tiles and others, against numpy: whatever becomes a tile means what was written."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import xetile as xt


@xt.jit
def loaded(X, Z, P, Y, OFF: xt.constexpr, MASK: xt.constexpr, NATURAL: xt.constexpr, R: xt.constexpr, C: xt.constexpr):
    m, n = (xt.maximum(P[0], 0), xt.maximum(P[1], 0)) if NATURAL else (P[0], P[1])
    i, j = xt.arange(R)[:, None], xt.arange(C)[None, :]
    x = xt.load_gather(xt.init_tile(X, OFF(X, Z, m, n, i, j)), MASK(X, Z, m, n, i, j), padding=7)
    xt.store_tile(x, xt.init_tile(Y, (0, 0), (R, C)))


@xt.jit
def stored(X, Z, P, Y, OFF: xt.constexpr, MASK: xt.constexpr, NATURAL: xt.constexpr, R: xt.constexpr, C: xt.constexpr):
    m, n = (xt.maximum(P[0], 0), xt.maximum(P[1], 0)) if NATURAL else (P[0], P[1])
    i, j = xt.arange(R)[:, None], xt.arange(C)[None, :]
    y = xt.load_tile(xt.init_tile(Y, (0, 0), (R, C)))
    xt.store_scatter(y, xt.init_tile(X, OFF(X, Z, m, n, i, j)), MASK(X, Z, m, n, i, j))


class Seen:
    """An array as a kernel sees it."""

    def __init__(self, array: np.ndarray) -> None:
        self.shape, self._steps = array.shape, [step // array.itemsize for step in array.strides]

    def stride(self, axis: int) -> int:
        return self._steps[axis]


def written(rng: random.Random, rows: int) -> tuple[str, str]:
    """The source of places and of a mask: mostly those of a tile."""
    row = rng.choice(["m + i", "i", "i + m", "m + 1 + i", "i - 1 + m", "m + 2 * i"] if rows > 1 else ["m + i", "m + 1 + i", "i"])
    column = rng.choice(["n + j", "j", "j + n", "n + j + 1", "j - 2 + n", "n + 2 * j"])
    other = rng.choice([row] * 8 + ["m + i", "i", "m"]), rng.choice([column] * 8 + ["n + j", "j", "n"])
    end = rng.choice(["A.shape[1]"] * 8 + ["Z.shape[0]", "A.shape[0]", "A.shape[1] - 1"])
    below = rng.choice(["({c} < {e})", "({e} > {c})", "({c} <= {e} - 1)", "({c} - {e} < 0)"]).format(c=other[1], e=end)
    terms = [below, f"({other[0]} < {rng.choice(['A.shape[0]'] * 3 + ['Z.shape[0]', 'A.shape[1]'])})"]
    more = [f"({other[0]} >= 0)", f"({other[1]} >= 0)", "(j <= i)", "(m > 1)"]
    terms += [term for term, often in zip(more, (0.4, 0.4, 0.2, 0.1)) if rng.random() < often]
    rng.shuffle(terms)
    return rng.choice([f"({row}) * A.stride(0) + {column}", f"{column} + A.stride(0) * ({row})"]), " & ".join(
        [*terms, "(i >= 0) & (j >= 0)"]
    )


def case(seed: int) -> dict[str, Any] | None:
    """A launch, and which elements of memory it is of; None where it is of others than the array's: there anything may be."""
    rng = random.Random(seed)
    rows, columns = rng.choice([1, 8, 16]), rng.choice([16, 32])
    height, width = rng.choice([(5, 40), (20, 64), (12, 33), (30, 72)])
    gap, natural = rng.choice([0, 0, 16]), rng.random() < 0.7
    places, mask = written(rng, rows)
    whole = np.random.default_rng(seed).integers(0, 90, (height, width + gap)).astype(np.float32)
    x, z = whole[:, :width], np.zeros(rng.choice([3, 8, 16, 40, 64]), np.float32)
    begin = np.array([rng.choice([0, 1, 4, -2, height - 3]), rng.choice([0, 2, 16, -4, width - 8])], np.int32)
    m, n = (max(0, int(v)) if natural else int(v) for v in begin)
    known = {"A": Seen(x), "Z": Seen(z), "m": m, "n": n, "i": np.arange(rows)[:, None], "j": np.arange(columns)}
    at, there = (np.broadcast_to(eval(text, {}, known), (rows, columns)) for text in (places, mask))
    inside = (at >= 0) & (at < whole.size) & (at % (width + gap) < width)
    if not inside[there].all():
        return None
    forms = {"OFF": eval(f"lambda A, Z, m, n, i, j: {places}"), "MASK": eval(f"lambda A, Z, m, n, i, j: {mask}")}
    options = {**forms, "NATURAL": natural, "R": rows, "C": columns}
    return {"whole": whole, "arguments": (x, z, begin), "at": at, "there": there, "options": options}


@pytest.mark.every(40, 15)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("seed", [seed for seed in range(96) if case(seed) is not None])
def test_random_places(device, seed):
    made = case(seed)
    assert made is not None
    whole, at, there = made["whole"], made["at"], made["there"]
    found, y = np.zeros(at.shape, np.float32), np.random.default_rng(1).integers(100, 200, at.shape).astype(np.float32)
    with xt.device(device):
        loaded[1](*made["arguments"], found, **made["options"])
    np.testing.assert_array_equal(found, np.where(there, whole.reshape(-1)[np.where(there, at, 0)], 7))
    if len(np.unique(at[there])) < there.sum():
        return  # of two that go to one place either may stay
    expected = whole.copy()
    expected.reshape(-1)[at[there]] = y[there]
    with xt.device(device):
        stored[1](*made["arguments"], y, **made["options"])
    np.testing.assert_array_equal(whole, expected)
