"""Loads of loops with products that have message headers of their own: where registers are left, and the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.kernels.test_plain import CASES
from tests.parity.run import uncompiled
from tests.passes.golden_kernels import PRODUCT
from tests.tools import require_tool
from xetile.dialects import xegpu
from xetile.estimate.pressure import needs
from xetile.estimate.storage import Storage, storage_of
from xetile.ir import analyses
from xetile.runtime.compiler import lower
from xetile.target import get_target


@xt.jit
def product(A, B, C, first, step, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """C = A @ B, whose rows of A and columns of B begin in front of the arrays, at them or behind them."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m + first * 16, k + step * 8), (BM, BK)))
        acc += a @ xt.load_tile(xt.init_tile(B, (k + step * 8, n + first * 16), (BK, BN)))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@xt.jit
def rows(A, C, BM: xt.constexpr = 8, BN: xt.constexpr = 64):
    """Sums over rows, by no product."""
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[0], BM):
        acc += xt.load_tile(xt.init_tile(A, (k, 0), (BM, BN)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (BM, BN)))


@xt.jit
def pages(A, B, C, BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """Products by one matrix after another: each has a descriptor of its own."""
    acc = xt.zeros((BM, BN), xt.f32)
    for page in range(B.shape[0]):
        acc += xt.load_tile(xt.init_tile(A, (0, 0), (BM, BK))) @ xt.load_tile(xt.init_tile(B[page], (0, 0), (BK, BN)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (BM, BN)))


@xt.jit(grid=(1,))
def steps(A, B, C, N: xt.constexpr):
    """Second operands of `N` rows, which move, and of two blocks of columns, which do not."""
    a, acc = xt.load_tile(xt.init_tile(A, (0, 0), (8, 32))), xt.zeros((8, N), xt.f32)
    for n in range(0, B.shape[0], N):
        acc += a @ xt.load_tile(xt.init_tile(B, (n, 0), (N, 32))).T
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (8, N)))


@xt.jit(grid=(1,))
def skipped(A, B, C, n: xt.i32):
    """The same in rounds that a condition skips."""
    a, acc = xt.load_tile(xt.init_tile(A, (0, 0), (8, 32))), xt.zeros((8, 32), xt.f32)
    for i in range(0, B.shape[0], 32):
        if (i // 32) % 3 < n:
            acc += a @ xt.load_tile(xt.init_tile(B, (i, 0), (32, 32))).T
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (8, 32)))


H, F, NUMBERS = "f16[?,?]", "f32[?,?]", ("i32", "i32")


def lowered(kernel, *types, target="pvc", **options):
    *_, (_, module) = lower(uncompiled(kernel, *types, target=target, **options).request)
    return module


def numbered(module) -> list[int]:
    """The numbers of a kernel's loads in loops, as they come."""
    loops = [op for op in module.walk() if op.repeats]
    loads = dict.fromkeys(op for loop in loops for region in loop.regions for op in region.walk() if isinstance(op, xegpu.LoadNd))
    return [op.attributes.get(xegpu.HEADER, 0) for op in loads]


def test_each_load_has_a_header():
    module = lowered(product, H, H, F, *NUMBERS, num_subgroups=2)
    loop = next(op for op in module.walk() if op.repeats)
    loads = [op for op in loop.walk() if isinstance(op, xegpu.LoadNd)]
    found = [(xegpu.surface_of(op), op.attributes.get(xegpu.HEADER, 0)) for op in loads]
    assert len(set(found)) == len(loads)
    assert {number for _, number in found} > {0}


@pytest.mark.parametrize(("kernel", "types", "target"), [
    (product, (H, H, F, *NUMBERS), "bmg"),  # its messages take constants
    (rows, (F, F), "pvc"),
    (pages, (H, "f16[?,?,?]", F), "pvc"),
])  # fmt: skip
def test_others_share_them(kernel, types, target):
    module = lowered(kernel, *types, target=target, num_subgroups=1)
    loads = [op for op in module.walk() if isinstance(op, xegpu.LoadNd)]
    shared = [op for op in loads if kernel is not pages or op.packed is not None]  # A's descriptor is made before the loop
    assert shared and not any(xegpu.HEADER in op.attributes for op in shared)


def test_each_place_among_rows_that_move_has_a_header():
    """Of each block of columns, two of them here: more than a part of the registers is left for."""
    found = numbered(lowered(steps, *PRODUCT, N=128, num_subgroups=1))
    assert sorted(found) == sorted(2 * list(range(8)))


def test_loads_in_branches_have_none():
    assert "xetile.header" not in skipped.compile(*PRODUCT, "i32", target="pvc", num_subgroups=1).ir["lane"]


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.SpillWarning")
def test_registers_that_are_taken_give_none():
    """Sums of 8x512 f32 take all of them."""
    assert set(numbered(lowered(steps, *PRODUCT, N=512, num_subgroups=1))) == {0}


def test_no_more_than_a_part_of_what_is_left():
    """Sums of 8x384 f32 leave some registers for headers, not all that the loads could have."""
    found = numbered(lowered(steps, *PRODUCT, N=384, num_subgroups=1))
    assert 0 < sum(number > 0 for number in found) < len(found) - 2


@pytest.mark.parametrize("name", ["weights f8e4m3, scales of blocks", "nf4"])
def test_all_loads_beside_sums_have_one(name):
    """Where products are summed up alone, or multiples of them, a larger part of the registers is left than elsewhere."""
    case = CASES[name]
    loads = lowered(case.kernel, *case.types, **case.constants).walk()
    found = [(xegpu.surface_of(op), op.attributes.get(xegpu.HEADER, 0)) for op in loads if isinstance(op, xegpu.LoadNd)]
    assert len(set(found)) == len(found)


@pytest.mark.covering
@pytest.mark.every(2, 1)
@pytest.mark.parametrize("first", [0, -1, 1])
@pytest.mark.parametrize("step", [0, 1])
@pytest.mark.parametrize("kind", ["f16", "f32"])
def test_messages_are_where_they_were(first, step, kind):
    """Beyond each edge of the arrays, where numbers are 0; f32 has more blocks side by side."""
    require_tool("ocloc")
    element = np.float16 if kind == "f16" else np.float32
    a, b = (np.random.default_rng(i).integers(-3, 4, s).astype(element) for i, s in enumerate([(72, 80), (80, 88)]))
    c = np.zeros((72, 88), np.float32)
    with xt.device("sim:pvc"):
        product[2, 2](a, b, c, first, step, num_subgroups=2)
    wide = np.zeros((200, 200)), np.zeros((200, 200))
    wide[0][32:104, :80], wide[1][:80, 32:120] = a, b
    m, k = 32 + 16 * first, 8 * step
    expected = wide[0][m : m + 72, k : k + 96] @ wide[1][k : k + 96, m : m + 88]
    np.testing.assert_array_equal(c, expected)


def test_numbers_are_shifts_of_a_word():
    """Of more loads than a word has bits the rest have one header."""
    most = [max(numbered(lowered(product, H, H, F, *NUMBERS, BM=8, BN=16, BK=depth, num_subgroups=1))) for depth in (1024, 1152)]
    assert most[0] == 31 >= most[1]


def test_registers_are_counted_with_the_numbers_that_loads_were_given():
    """What is known of a kernel stays where its loads are numbered, but for the headers."""
    case, target = CASES["attention"], get_target("pvc")
    kernel = lowered(case.kernel, *case.types, **case.constants).kernel
    assert any(xegpu.HEADER in op.attributes for op in kernel.find(xegpu.LoadNd))
    assert storage_of(kernel, target) in analyses.known(Storage, kernel)
    kept, anew = (needs(kernel.body, storage) for storage in (storage_of(kernel, target), Storage(kernel, target)))
    assert kept == anew
    for op in kernel.find(xegpu.LoadNd):
        op.attributes.pop(xegpu.HEADER, None)
    assert kept != needs(kernel.body, Storage(kernel, target))
