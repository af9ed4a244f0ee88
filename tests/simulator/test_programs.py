"""Plain OpenCL C programs, compiled by the GPU compiler and executed: right as OpenCL C defines them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from xetile.backends.simulator.dispatch import Local
from xetile.backends.simulator.errors import DeadlockError

from tests import tools
from tests.simulator.opencl.sources import executable, run

TARGETS = ("pvc", "bmg", "lnl", "dg2")
N = 64
RNG = np.random.default_rng(1)


STRUCTURED = "-Xfinalizer -enableStructurizer"
"""Makes the compiler write if, else, endif, while and break, where it writes goto and join otherwise."""


both_forms = pytest.mark.parametrize("options", ["", STRUCTURED], ids=["goto", "structured"])


@pytest.fixture(params=TARGETS)
def target(request: pytest.FixtureRequest) -> str:
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    return request.param


def simd(target: str) -> int:
    return 8 if target == "dg2" else 16


def start(target: str, name: str, *args: Any, grid: tuple[int, ...] = (2,), local_size: tuple[int, ...] = (32,),
          debug: bool = False, options: str = "") -> None:  # fmt: skip
    run(executable("programs", simd(target), target, name, options), args, grid, local_size, debug=debug)


def integers(low: int, high: int, dtype: Any = np.int32) -> np.ndarray:
    return RNG.integers(low, high, N).astype(dtype)


@pytest.mark.every(4)
def test_ids_in_three_dimensions(target):
    out, expected = np.zeros((16 * 12 * 4, 4), np.int32), np.zeros((4, 12, 16, 4), np.int32)
    start(target, "ids", out, grid=(2, 3, 2), local_size=(8, 4, 2))
    for z, y, x in np.ndindex(4, 12, 16):
        item = x % 8 + 8 * (y % 4 + 4 * (z % 2))
        expected[z, y, x] = (x % 8, y % 4 + 100 * (z % 2), x // 8 + 10 * (y // 4) + 100 * (z // 2),
                             item // simd(target) * 100 + item % simd(target))  # fmt: skip
    np.testing.assert_array_equal(out, expected.reshape(-1, 4))


def collatz(v: int) -> int:
    steps = 0
    while v != 1 and steps < 200:
        v = (3 * v + 1) & 0xFFFFFFFF if v & 1 else v >> 1
        steps += 1
        if steps == 77:
            break
    return (steps * 1000003 + v) & 0xFFFFFFFF


@pytest.mark.covering
@pytest.mark.every(2)
@both_forms
def test_a_loop_whose_items_leave_at_different_times(target, options):
    x, out = integers(1, 5000, np.uint32), np.zeros(N, np.uint32)
    start(target, "divergent_loop", x, out, options=options)
    np.testing.assert_array_equal(out, [collatz(int(v)) for v in x])


@pytest.mark.every(6)
def test_division(target):
    a, b = integers(-(2**31), 2**31), integers(1, 70000) * RNG.choice([-1, 1], N).astype(np.int32)
    out = np.zeros((N, 4), np.int32)
    start(target, "division", a, b, out)
    wide, by = a.astype(np.int64), b.astype(np.int64)
    quotient = np.sign(wide) * np.sign(by) * (np.abs(wide) // np.abs(by))
    unsigned = (a.view(np.uint32) // b.view(np.uint32)).astype(np.int64)
    expected = np.stack([quotient, wide - by * quotient, unsigned, (wide * by) >> 32], 1)
    np.testing.assert_array_equal(out, expected.astype(np.int32))


@pytest.mark.every(2)
def test_bits_and_saturation(target):
    special = np.array([1, 2, 0x80000000, 0xFFFFFFFF, 0x7F800000, 0xFF800000, 0x4F000000, 0x3F800000], np.uint32)
    v, out = np.concatenate([RNG.integers(0, 2**32, N - 8, dtype=np.uint32), special]), np.zeros((N, 8), np.uint32)
    start(target, "bits", v, out)
    with np.errstate(invalid="ignore"):
        f, signed = v.view(np.float32).astype(np.float64), v.view(np.int32).astype(np.int64)
    cut = np.where(np.isnan(f), 0, np.clip(np.nan_to_num(np.trunc(f), posinf=2**31, neginf=-(2**31)), -(2**31), 2**31 - 1))
    expected = np.stack([
        [32 - int(k).bit_length() for k in v], [int(k).bit_count() for k in v], [(int(k) << 7 | int(k) >> 25) & 0xFFFFFFFF for k in v],
        [(int(k) & -int(k)).bit_length() - 1 for k in v], cut.astype(np.int64) & 0xFFFFFFFF, np.clip(signed, 0, 255),
        np.clip(signed + 0x70000000, -(2**31), 2**31 - 1) & 0xFFFFFFFF, v.astype(np.float32).view(np.uint32),
    ], 1)  # fmt: skip
    np.testing.assert_array_equal(out, expected.astype(np.uint32))


def floats() -> np.ndarray:
    a = (RNG.standard_normal(N) * 100).astype(np.float32)
    a[:8] = [0.5, 1.5, 2.5, -0.5, 70000, 1e-7, -1e-8, -70000]
    return a


def test_conversions(target):
    a, half, out = floats(), np.zeros(N, np.float16), np.zeros((N, 2), np.int32)
    start(target, "conversions", a, half, out)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(half, a.astype(np.float16))
    np.testing.assert_array_equal(out, np.stack([np.rint(a), np.floor(a) * 3 + np.ceil(a) + np.trunc(a)], 1))


def halves_around(x: np.float32) -> tuple[np.float16, np.float16]:
    """The largest half not above x and the least one not below it."""
    with np.errstate(over="ignore"):
        near = np.float16(x)
    if float(near) == float(x):
        return near, near
    up = np.nextafter(near, np.float16(np.inf)), np.nextafter(near, np.float16(-np.inf))
    return (near, up[0]) if float(near) < float(x) else (up[1], near)


def test_rounding_modes(target):
    a, out = floats(), np.zeros((N, 4), np.float16)
    start(target, "rounding_modes", a, out)
    for x, (nearest, zero, up, down) in zip(a, out):
        below, above = halves_around(x)
        with np.errstate(over="ignore"):
            assert nearest == np.float16(x)
        assert (down, up, zero) == (below, above, below if x > 0 else above), x


def rounded(exact: Fraction) -> np.float32:
    """The nearest float32, the even one of two."""
    near = np.float32(float(exact))
    around = (near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf)))
    return min(around, key=lambda x: (abs(Fraction(float(x)) - exact), int(x.view(np.uint32)) & 1))


def test_floats(target):
    a, b, c = (RNG.standard_normal(N).astype(np.float32) for _ in range(3))
    c[:20] = -(a[:20].astype(np.float64) * b[:20]).astype(np.float32)
    out = np.zeros((N, 4), np.float32)
    start(target, "floats", a, b, c, out)
    fused = [rounded(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))) for x, y, z in zip(a, b, c)]
    np.testing.assert_array_equal(out, np.stack([fused, np.fmin(a, b), np.fmax(a, c) + np.abs(b), a * b], 1))


def test_subgroup_functions(target):
    a, out, p = RNG.standard_normal(N).astype(np.float32), np.zeros(N, np.float32), np.zeros(N, np.int32)
    start(target, "subgroups", a, out, p)
    lanes = np.arange(simd(target))
    groups = a.reshape(-1, lanes.size)
    np.testing.assert_array_equal(
        out.reshape(groups.shape), np.broadcast_to(groups.max(1, keepdims=True) + groups[:, 3:4], groups.shape)
    )
    np.testing.assert_array_equal(p.reshape(groups.shape), lanes * (lanes - 1) // 2 + (groups > 2.5).any(1, keepdims=True) * 1000)


@pytest.mark.every(2)
@both_forms
def test_local_memory_and_barriers_in_a_loop(target, options):
    a, out = integers(-100, 100), np.zeros(2, np.int32)
    start(target, "local_sums", a, out, Local(4 * 32), options=options)
    np.testing.assert_array_equal(out, a.reshape(2, 32).sum(1))


def test_atomics(target):
    a, counts = integers(-100, 100), np.zeros(20, np.int32)
    start(target, "atomics", a, counts)
    expected = np.zeros(20, np.int32)
    np.add.at(expected, a & 15, a)
    expected[16:] = max(a.max(), 0), N, np.bitwise_xor.reduce(a), min(a.min(), 0)
    np.testing.assert_array_equal(counts, expected)


def test_local_atomics(target):
    a, out = integers(0, 100, np.uint32), np.zeros((2, 16), np.uint32)
    start(target, "local_atomics", a, out)
    expected = np.stack([np.bincount(half & 15, minlength=16) for half in a.reshape(2, 32)])
    expected[:, 15] |= 0x10000
    np.testing.assert_array_equal(out & 0xFFFF, expected & 0xFFFF)
    assert (out[:, 15] >> 16 == 1).all()


def test_shuffles(target):
    a, out = integers(-1000, 1000), np.zeros(N, np.int32)
    start(target, "shuffles", a, out)
    lanes = simd(target)
    np.testing.assert_array_equal(out.reshape(-1, lanes), a.reshape(-1, lanes)[:, (np.arange(lanes) * 7 + 3) % lanes])


def test_64_bit_integers(target):
    a, b, out = RNG.integers(-(2**62), 2**62, N), RNG.integers(-(2**62), 2**62, N), np.zeros((N, 4), np.int64)
    start(target, "longs", a, b, out)
    shifted = (a.view(np.uint64) >> (b & 63).astype(np.uint64)).view(np.int64)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(out, np.stack([a * b, a + (b >> 3), np.minimum(a, b), shifted], 1))


def test_private_arrays(target):
    a, out = integers(0, 40), np.zeros(N, np.int32)
    start(target, "private_array", a, out)
    expected = []
    for v in map(int, a):
        t = [0] * 16
        for i in range(16):
            t[(i * 5 + v) & 15] = i * v
        expected.append(sum(t[(i * v) & 15] * (i + 1) for i in range(16)))
    np.testing.assert_array_equal(out, expected)


@pytest.mark.covering
@pytest.mark.every(3, 1)
@both_forms
def test_private_memory_of_many_threads(target, options):
    """Arrays too large for registers: each thread finds its part by its number, which on DG2 has gaps."""
    n, places = 1024, np.arange(1024)
    a, out, found = RNG.integers(0, 300, n).astype(np.int32), np.zeros(n, np.int32), np.zeros((n, 300), np.int64)
    start(target, "private_memory", a, out, grid=(16,), local_size=(64,), options=options)
    for k in range(300):
        found[places, (k * 7 + a) % 300] = k * a.astype(np.int64) + places
    expected = sum(found[places, k * a % 300] * (k + 1) for k in range(300))
    np.testing.assert_array_equal(out, np.asarray(expected).astype(np.int32))


def test_constant_tables(target):
    a, out = integers(0, 100), np.zeros(N, np.int32)
    start(target, "table", a, out)
    primes = np.array([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53])
    np.testing.assert_array_equal(out, primes[a & 15] * a)


def chosen(v: int, before: int) -> int:
    match v & 7:
        case 0:
            return 5
        case 1:
            return 2 * v + 7
        case 2:
            return 7
        case 3:
            return sum(k for k in range(v) if k != 5)
        case 6:
            return before if v > 10 else 2
    return -1


@pytest.mark.every(3)
@both_forms
def test_switch_with_continue_and_return(target, options):
    a, out = integers(0, 40), np.full(N, -77, np.int32)
    start(target, "choices", a, out, options=options)
    np.testing.assert_array_equal(out, [chosen(int(v), -77) for v in a])


def nested(v: int) -> int:
    r = 0
    for x in range(v & 7):
        y = 0
        while True:
            if (x ^ y ^ v) & 1:
                r += x * y + 1
            elif y > 3:
                break
            y += 1
            if y >= v & 15:
                break
        if r > 300:
            break
    return r


@pytest.mark.every(2)
@both_forms
def test_nested_loops(target, options):
    a, out = integers(0, 200), np.zeros(N, np.int32)
    start(target, "nested_loops", a, out, options=options)
    np.testing.assert_array_equal(out, [nested(int(v)) for v in a])


@pytest.mark.every(2)
@both_forms
def test_subgroups_that_wait_for_their_turns_in_loops(target, options):
    for debug in (False, True):
        out = np.full((3, 4), -1, np.int32)
        start(target, "turns", out, np.int32(0), grid=(3,), local_size=(4 * simd(target),), debug=debug, options=options)
        np.testing.assert_array_equal(out, [[3, 2, 1, 0]] * 3)


@pytest.mark.covering
@pytest.mark.every(3, 1)
@both_forms
def test_a_turn_that_nobody_gives_is_a_deadlock(target, options):
    with pytest.raises(DeadlockError, match="wait in loops for what no other thread does"):
        start(target, "turns", np.zeros(4, np.int32), np.int32(9), grid=(1,), local_size=(4 * simd(target),), options=options)


def test_the_structured_forms_hold_each_of_its_branches(target):
    kernels = ("divergent_loop", "choices", "nested_loops")
    found = {
        i.opcode for name in kernels for i in executable("programs", simd(target), target, name, STRUCTURED).code.instructions
    }
    assert found >= {"if", "else", "endif", "while", "break"}
