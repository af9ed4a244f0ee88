"""Operands through shared memory whose places each step of a loop finds out: pages by number, matrices of several, every n-th row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import uncompiled

BM, BN, BK = 32, 32, 32
NOWHERE = -(10**6)
"""A number that no step may take a place of: behind those that a loop needs, tables may hold anything."""


@xt.jit
def placed(A, B, T, C, first, FORM: xt.constexpr):
    """C = A @ what FORM says that rows of B are in each step: T has numbers of pages, or of rows; of pairs differences of rows of A."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    page = T[0]
    for i in range(xt.cdiv(A.shape[1], BK)):
        k = i * BK
        if FORM == "pairs":
            a = xt.load_tile(A[2 * m + 1 : 2 * m + 1 + 2 * BM : 2, k : k + BK])
            a -= xt.load_tile(A[2 * m + 3 : 2 * m + 3 + 2 * BM : 2, k : k + BK])
        else:
            a = xt.load_tile(A[m : m + BM, k : k + BK])
        if FORM == "pages":
            b = xt.load_tile(B[T[i]][0:BK, n : n + BN])
        elif FORM == "turned":
            b = xt.load_tile(B[T[i]][n : n + BN, 0:BK]).T
        elif FORM == "chained":
            b = xt.load_tile(B[page][0:BK, n : n + BN])
            page = T[page]
        elif FORM == "matrices":
            b = xt.load_tile(B[i][0:BK, n : n + BN])
        elif FORM == "narrow":
            b = xt.load_tile(B[T[i]][0:BK, n : n + BN]).to(xt.f16) * 2
        elif FORM == "rows":
            b = xt.load_tile(xt.init_tile(B, (T[i], n), (BK, BN)))
        elif FORM == "shifted":
            b = xt.load_tile(xt.init_tile(B, (T[i] - first, n), (BK, BN)))
        else:
            b = xt.load_tile(B[2 * k + first : 2 * k + first + 2 * BK : 2, n : n + BN])
        acc += a @ b
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


FORMS = ("pages", "turned", "chained", "matrices", "narrow", "rows", "shifted", "second", "pairs")
# Inside of the arrays; outside of them, with an odd number of steps; with rows that are no whole words; with one step.
SIZES = [(64, 64, 128), (40, 72, 96), (33, 41, 64), (32, 32, 32)]
CASES = [(form, size) for form in FORMS for size in SIZES]


def rows_of(form: str, b: Any, table: np.ndarray, first: int, steps: int) -> np.ndarray:
    """What a product takes of B in all steps, 0 where B has none."""
    if form in ("second", "pairs"):
        at = first + 2 * np.arange(steps * BK)
    elif form in ("rows", "shifted"):
        at = (table[:steps, None] - (first if form == "shifted" else 0) + np.arange(BK)).ravel()
    else:
        others = np.arange(steps) if form == "matrices" else table[:steps]
        numbers = chain(table, steps) if form == "chained" else others
        taken = b[np.asarray(numbers)].astype(np.float64)
        if form == "turned":
            taken = taken.transpose(0, 2, 1)
        return (taken * (2 if form == "narrow" else 1)).reshape(steps * BK, -1)
    there = (at >= 0) & (at < len(b))
    return np.where(there[:, None], b[np.clip(at, 0, len(b) - 1)].astype(np.float64), 0)


def chain(table: np.ndarray, steps: int) -> list[int]:
    """Pages of a list, each of which says which one is the next."""
    found = [int(table[0])]
    while len(found) < steps:
        found.append(int(table[found[-1]]))
    return found


def launch(form: str, size: tuple[int, int, int], first: int = 1) -> Launch:
    m, n, k = size
    rng, steps = np.random.default_rng(k), k // BK
    a = rng.integers(-4, 5, (2 * m + 3 if form == "pairs" else m, k)).astype(np.float16)
    if form in ("rows", "shifted", "second", "pairs"):
        b = rng.integers(-4, 5, (2 * k + 3, n)).astype(np.float16)
        table = rng.integers(-BK, 2 * k, steps + 2).astype(np.int32)
    else:
        shape = (steps + 2, n, BK) if form == "turned" else (steps + 2, BK, n)
        b = rng.integers(-4, 5, shape).astype(np.int8 if form == "narrow" else np.float16)
        table = rng.permutation(steps + 2).astype(np.int32)
    if form == "chained":
        table = np.roll(np.arange(steps + 2), 1).astype(np.int32)
    elif form != "matrices":
        table[steps:] = NOWHERE
    rows = a[1 : 2 * m + 1 : 2] - a[3::2] if form == "pairs" else a
    exact = (rows.astype(np.float64) @ rows_of(form, b, table, first, steps)).astype(np.float32)
    return Launch(placed, {"A": a, "B": b, "T": table, "C": np.zeros((m, n), np.float32), "first": first}, {"C": exact},
                  (-(-n // BN), -(-m // BM)), {"FORM": form}, 4, targets=("dg2",))  # fmt: skip


@pytest.mark.every(6, 3)
@pytest.mark.parametrize("form, size", CASES, ids=str)
def test_levels_agree(form, size):
    launch(form, size).at_levels("dg2")


@pytest.mark.every(16, 4)
@pytest.mark.parametrize("form, size", CASES, ids=str)
def test_the_module_of_the_gpu_is_right(form, size):
    launch(form, size).on_device("cpu", "dg2")


@pytest.mark.every(16, 4)
@pytest.mark.parametrize("form, size", CASES, ids=str)
def test_machine_code_is_right(form, size):
    """Simulators tell what is read outside of arrays."""
    launch(form, size).on_device("sim:dg2")


@pytest.mark.parametrize("first", [0, -3, 6])
def test_every_second_row_from_anywhere(first):
    launch("second", SIZES[1], first).at_levels("dg2")


def layout_of(form: str) -> str:
    b = {"narrow": "i8[?,?,?]"}.get(form, "f16[?,?]" if form in ("rows", "shifted", "second", "pairs") else "f16[?,?,?]")
    given = ("f16[?,?]", b, "i32[?]", "f32[?,?]", "i32")
    return uncompiled(placed, *given, FORM=form, num_subgroups=4, target="dg2").ir["layout"]


@pytest.mark.parametrize("form", FORMS)
def test_both_operands_are_shared(form):
    assert layout_of(form).count("memref.alloca") == 2


def test_rows_that_may_be_outside_are_masked():
    assert "whole_rows" in layout_of("rows")
    assert "whole_rows" not in layout_of("pages")
