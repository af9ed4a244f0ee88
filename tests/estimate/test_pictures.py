"""Kernels that load a tile many times, shifted: what their arithmetic takes by assembly, how far loads come early, halves in chains."""

from __future__ import annotations

import pytest

import xetile as xt
from tests.estimate.test_registers import report

BLOCKS = {"grid": lambda Y, BM, BN: (xt.cdiv(Y.shape[1], BN), xt.cdiv(Y.shape[0], BM))}
SINGLES, HALVES = ("f32[?,?]", "f32[?,?]"), ("f16[?,?]", "f16[?,?]")
TOLERANCE = 24

pytestmark = pytest.mark.filterwarnings("error::xetile.runtime.specialize.SpillWarning")


@xt.jit(**BLOCKS)
def corners(X, Y, k, BM: xt.constexpr = 32, BN: xt.constexpr = 32):
    """Harris' measure of corners: sums over neighbours of products of central differences."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    xx, yy, xy = xt.zeros((BM, BN), xt.f32), xt.zeros((BM, BN), xt.f32), xt.zeros((BM, BN), xt.f32)
    for dy in xt.static_range(-1, 2):
        for dx in xt.static_range(-1, 2):
            y, x = m + dy, n + dx
            gx = xt.load_tile(xt.init_tile(X, (y, x + 1), (BM, BN))) - xt.load_tile(xt.init_tile(X, (y, x - 1), (BM, BN)))
            gy = xt.load_tile(xt.init_tile(X, (y + 1, x), (BM, BN))) - xt.load_tile(xt.init_tile(X, (y - 1, x), (BM, BN)))
            xx += gx * gx
            yy += gy * gy
            xy += gx * gy
    xt.store_tile(xx * yy - xy * xy - k * (xx + yy) * (xx + yy), xt.init_tile(Y, (m, n), (BM, BN)))


@pytest.mark.every(4)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("subgroups", [None, 2])
def test_assembly_leaves_room_for_messages(subgroups, target):
    """640 and 832 bytes were spilled untold in 128 registers, 1152 in 256: results of assembly lie beside all that a message brings."""
    compiled = corners.compile(*SINGLES, "f32", target=target, num_subgroups=subgroups)
    assert report(compiled).spill_bytes == 0


def test_where_registers_are_left_arithmetic_is_assembly():
    """Left to IGC it takes a tenth more instructions."""
    assert "crowded" in corners.compile(*SINGLES, "f32", target="pvc").ir["lane"]
    assert "crowded" not in corners.compile(*SINGLES, "f32", target="pvc", num_subgroups=8).ir["lane"]


@xt.jit(**BLOCKS)
def weighted(X, Y, BM: xt.constexpr = 16, BN: xt.constexpr = 64):
    """A filter of 3 by 3."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for dy in xt.static_range(-1, 2):
        for dx in xt.static_range(-1, 2):
            acc += (2.0 ** -abs(dy) * 2.0 ** -abs(dx)) * xt.load_tile(xt.init_tile(X, (m + dy, n + dx), (BM, BN)))
    xt.store_tile(acc, xt.init_tile(Y, (m, n), (BM, BN)))


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_some_loads_come_early_where_not_all_can(target):
    """45 registers were estimated, of 98 and 100."""
    compiled = weighted.compile(*SINGLES, target=target)
    assert abs(compiled.estimate.registers - report(compiled).pressure) <= TOLERANCE


@xt.jit(**BLOCKS)
def median(X, Y, BM: xt.constexpr = 16, BN: xt.constexpr = 16):
    """The median of each element and its eight neighbours, by rows of three that are sorted."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN

    def at(dy, dx):
        return xt.load_tile(xt.init_tile(X, (m + dy, n + dx), (BM, BN)))

    def ordered(a, b, c):
        a, b = xt.minimum(a, b), xt.maximum(a, b)
        b, c = xt.minimum(b, c), xt.maximum(b, c)
        return xt.minimum(a, b), xt.maximum(a, b), c

    a0, a1, a2 = ordered(at(-1, -1), at(-1, 0), at(-1, 1))
    b0, b1, b2 = ordered(at(0, -1), at(0, 0), at(0, 1))
    c0, c1, c2 = ordered(at(1, -1), at(1, 0), at(1, 1))
    least, middle = xt.maximum(xt.maximum(a0, b0), c0), ordered(a1, b1, c1)
    found = ordered(least, middle[1], xt.minimum(xt.minimum(a2, b2), c2))
    xt.store_tile(found[1], xt.init_tile(Y, (m, n), (BM, BN)))


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_halves_between_operations_fill_registers(target):
    """They are computed one by one. In 128 registers 2688 and 3008 bytes were spilled untold."""
    assert report(median.compile(*HALVES, target=target)).spill_bytes == 0


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def power(X, C, S, P, N: xt.constexpr = 128, BM: xt.constexpr = 256):
    """Power spectra of rows, by matrices of cosines and sines."""
    m = xt.program_id(0) * BM
    x = xt.load_tile(xt.init_tile(X, (m, 0), (BM, N)))
    re, im = x @ xt.load_tile(xt.init_tile(C, (0, 0), (N, N))), x @ xt.load_tile(xt.init_tile(S, (0, 0), (N, N)))
    xt.store_tile(xt.sqrt(re * re + im * im), xt.init_tile(P, (m, 0), (BM, N)))


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_operands_of_products_come_late_in_no_loop_too(target):
    """327 registers were told to be needed, and that 5184 bytes are spilled; IGC takes 199."""
    compiled = power.compile("f16[?,?]", "f16[?,?]", "f16[?,?]", "f32[?,?]", target=target)
    assert report(compiled).spill_bytes == 0
    assert abs(compiled.estimate.registers - report(compiled).pressure) <= TOLERANCE
