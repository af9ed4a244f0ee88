"""Loops with masks become loops without: at which masks, and with the same results wherever the masks begin or end."""

from random import Random

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import run_levels
from xetile.dialects import arith, scf
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.target import get_target

MASKS = {
    "keys < end": lambda keys, rows, end: keys < end,
    "end > keys": lambda keys, rows, end: end > keys,
    "keys <= rows": lambda keys, rows, end: keys <= rows,
    "keys >= end": lambda keys, rows, end: keys >= end,
    "window": lambda keys, rows, end: (keys <= rows) & (keys > rows - 40) & (keys < end),
    "near": lambda keys, rows, end: abs(keys - rows) < 36,
    "keys < rows + end": lambda keys, rows, end: keys < rows + end,
    "keys >= rows - end": lambda keys, rows, end: keys >= rows - end,
    "keys + 9 > 3 - rows - end": lambda keys, rows, end: keys + 9 > 3 - rows - end,
    "not far": lambda keys, rows, end: (abs(rows - keys) <= 33) & (end > keys),
    "keys <= end + 5": lambda keys, rows, end: keys <= end + 5,
    "twice": lambda keys, rows, end: 2 * keys < end,
    "keys < end or other rows": lambda keys, rows, end: (keys < end) | (rows == 7),
}
KEPT = {
    "keys == end": lambda keys, rows, end: keys == end,
    "sums on both sides": lambda keys, rows, end: keys - end < rows,
    "narrow": lambda keys, rows, end: abs(keys - rows) < 9,
    "far": lambda keys, rows, end: abs(keys - rows) > 9,
    "beside another": lambda keys, rows, end: (keys < end) & (abs(keys - rows) < 9),
    "rows < end": lambda keys, rows, end: rows < end,
}


@xt.jit
def masked(A, B, Out, end, MASK: xt.constexpr, FIRST: xt.constexpr = 0):
    """Out[M, 16] = A[M, K] @ B[K, 16] of the elements of A that a mask of their places lets through; others count as -1."""
    m = xt.program_id(0) * 16
    acc = xt.zeros((16, 16), xt.f32)
    for n in range(FIRST if FIRST >= 0 else m, A.shape[1], 16):
        a, b = xt.load_tile(xt.init_tile(A, (m, n), (16, 16))), xt.load_tile(xt.init_tile(B, (n, 0), (16, 16)))
        seen = MASK(n + xt.arange(16)[None, :], (m + xt.arange(16))[:, None], end)
        acc = xt.tile_mma(xt.where(seen, a, -1), b, acc)
    xt.store_tile(acc, xt.init_tile(Out, (m, 0), (16, 16)))


def arrays(rows: int = 48, columns: int = 72) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((rows, columns), (columns, 16)))
    return {"A": a, "B": b, "Out": np.zeros((rows, 16), np.float32)}


def loops(mask, first: int = 0) -> list[bool]:
    """Of the loops of the laid-out kernel, in order: whether they have the mask."""
    request = Launch(masked, {**arrays(), "end": 5}, {}, constants={"MASK": mask, "FIRST": first}).compiled().request
    module = next(m for level, m in pipeline.lower(trace(request), get_target("pvc")) if level == "layout")
    found = [op for op in module.walk() if isinstance(op, scf.For)]
    return [any(isinstance(op, arith.Select) for op in loop.walk()) for loop in found]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("keys < end", [False, True]), ("end > keys", [False, True]), ("keys <= rows", [False, True]), ("keys >= end", [True, False]),
     ("window", [True, False, True]), ("near", [True, False, True]), ("not far", [True, False, True]), ("keys <= end + 5", [False, True]),
     ("keys < rows + end", [False, True]), ("keys >= rows - end", [True, False]), ("keys + 9 > 3 - rows - end", [True, False]),
     ("twice", [True]), ("keys < end or other rows", [False, True])],
)  # fmt: skip
def test_one_loop_has_no_masks(name, expected):
    assert loops(MASKS[name]) == expected


@pytest.mark.parametrize("name", KEPT)
def test_masks_that_say_nothing_of_whole_blocks_stay(name):
    assert loops(KEPT[name]) == [True]


def test_loops_may_begin_at_numbers_of_run_time():
    assert loops(MASKS["keys < end"], -1) == [False, True]
    assert loops(MASKS["keys >= end"], -1) == [True, False]
    assert loops(MASKS["near"], -1) == [True, False, True]


def test_the_rest_of_a_loop_is_not_split_again():
    @xt.jit
    def parts(A, B, Out, middle, end):
        acc = xt.zeros((16, 16), xt.f32)
        for n in range(0, middle, 16):
            acc += xt.load_tile(xt.init_tile(A, (0, n), (16, 16))) @ xt.load_tile(xt.init_tile(B, (n, 0), (16, 16)))
        for n in range(middle, A.shape[1], 16):
            a = xt.where(n + xt.arange(16)[None, :] < end, xt.load_tile(xt.init_tile(A, (0, n), (16, 16))), 0)
            acc += a @ xt.load_tile(xt.init_tile(B, (n, 0), (16, 16)))
        xt.store_tile(acc, xt.init_tile(Out, (0, 0), (16, 16)))

    compiled = parts.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", "i32", "i32", target="pvc")
    assert compiled.ir["layout"].count("scf.for ") == 2


def test_numbers_that_would_fill_the_registers_stay_in_one_loop():
    @xt.jit(num_subgroups=1)
    def large(A, B, Out, end):
        acc = xt.zeros((32, 96), xt.f32)
        for n in range(0, A.shape[1], 16):
            a, b = xt.load_tile(xt.init_tile(A, (0, n), (32, 16))), xt.load_tile(xt.init_tile(B, (n, 0), (16, 96)))
            acc = xt.tile_mma(xt.where(n + xt.arange(16)[None, :] < end, a, 0), b, acc)
        xt.store_tile(acc, xt.init_tile(Out, (0, 0), (32, 96)))

    compiled = large.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", "i32", target="pvc")
    assert compiled.ir["layout"].count("scf.for ") == 1


@pytest.mark.every(30, 20)
@pytest.mark.parametrize("end", [-(2**31), -40, -1, 0, 1, 15, 16, 17, 40, 63, 64, 65, 72, 1000, 2**31 - 1])
@pytest.mark.parametrize("first", [0, -1])
@pytest.mark.parametrize("name", MASKS)
def test_every_level_gives_what_numpy_gives(name, first, end):
    values = {**arrays(), "end": end}
    keys, rows = np.arange(72)[None, :], np.arange(48)[:, None]
    if (name == "keys <= end + 5" and end > 1000) or (end == -(2**31) and "rows" in name and "- end" in name):
        return  # the kernel's own sum wraps, in indices of 32 bits
    wide = np.where(MASKS[name](keys, rows, end), values["A"], -1)
    if first < 0:
        wide = np.where(keys >= rows // 16 * 16, wide, 0)
    expected = wide @ values["B"].astype(float)
    request = Launch(masked, values, {}, constants={"MASK": MASKS[name], "FIRST": first}).compiled().request
    for level, after in run_levels(request, (3, 1, 1), values, emits=True):
        if level in ("xetile", "layout", "lane"):
            np.testing.assert_array_equal(after["Out"], expected, err_msg=level)


@xt.jit
def in_branches(A, B, Out, end, skipped):
    """The same with one block left out, whose condition stands around all that a block takes."""
    m = xt.program_id(0) * 16
    acc = xt.zeros((16, 16), xt.f32)
    for n in range(0, A.shape[1], 16):
        if n != skipped:
            keys, rows = n + xt.arange(16)[None, :], (m + xt.arange(16))[:, None]
            a = xt.where((keys < end) & ((keys < 3) | (keys > rows - 30)), xt.load_tile(xt.init_tile(A, (m, n), (16, 16))), -1)
            acc = xt.tile_mma(a, xt.load_tile(xt.init_tile(B, (n, 0), (16, 16))), acc)
    xt.store_tile(acc, xt.init_tile(Out, (m, 0), (16, 16)))


@pytest.mark.parametrize("skipped", [0, 16, 64, 5])
@pytest.mark.parametrize("end", [-1, 3, 30, 64, 71, 72])
def test_masks_in_branches_go_as_well(end, skipped):
    values = {**arrays(), "end": end, "skipped": skipped}
    keys, rows = np.arange(72)[None, :], np.arange(48)[:, None]
    wide = np.where((keys < end) & ((keys < 3) | (keys > rows - 30)), values["A"], -1)
    expected = np.where(keys // 16 * 16 != skipped, wide, 0) @ values["B"].astype(float)
    request = Launch(in_branches, values, {}).compiled().request
    module = next(m for level, m in pipeline.lower(trace(request), get_target("pvc")) if level == "layout")
    assert [any(isinstance(op, arith.Select) for op in loop.walk()) for loop in module.find(scf.For)] == [True, False, True]
    for level, after in run_levels(request, (3, 1, 1), values, emits=True):
        if level in ("xetile", "layout", "lane"):
            np.testing.assert_array_equal(after["Out"], expected, err_msg=level)


@pytest.mark.parametrize("end", [-(2**31), 2**31 - 1, 5])
@pytest.mark.parametrize("name", ["keys < rows + end", "keys >= rows - end", "keys + 9 > 3 - rows - end", "near"])
def test_calls_have_indices_of_enough_bits(device, name, end):
    values = arrays()
    keys, rows = np.arange(72)[None, :], np.arange(48)[:, None]
    with xt.device(device):
        masked[(3,)](*values.values(), end, MASK=MASKS[name])
    expected = np.where(MASKS[name](keys, rows, end), values["A"], -1) @ values["B"].astype(float)
    np.testing.assert_array_equal(values["Out"], expected)


def drawn(random: Random) -> str:
    """A mask of keys, rows and two numbers of run time, as an expression."""

    def number() -> str:
        return random.choice(["end", "wide", "end - wide", "wide + end", "0", str(random.randrange(-9, 60))])

    def side(of: str) -> str:
        return random.choice(
            [of, f"{of} + {number()}", f"{of} - ({number()})", f"{random.randrange(1, 9)} - {of}", f"({of} + 3)"]
        )

    def compare() -> str:
        sign = random.choice(["<", "<=", ">", ">="])
        other = random.choice([number(), side("rows"), side("rows"), "rows"])
        left = random.choice(["keys", "keys", side("keys"), f"abs(keys - {random.choice(['rows', 'end'])})", "2 * keys"])
        return f"({left} {sign} {other})" if random.random() < 0.7 else f"({other} {sign} {left})"

    found = compare()
    for _ in range(random.randrange(3)):
        found = f"({found} {random.choice('&&&|')} {compare()})"
    return found


@xt.jit
def drawn_mask(A, B, Out, first, end, wide, MASK: xt.constexpr, BRANCH: xt.constexpr):
    m = xt.program_id(0) * 16
    acc = xt.zeros((16, 16), xt.f32)
    for n in range(first, A.shape[1], 16):
        if BRANCH == 0 or n != end:
            seen = MASK(n + xt.arange(16)[None, :], (m + xt.arange(16))[:, None], end, wide)
            a, b = xt.load_tile(xt.init_tile(A, (m, n), (16, 16))), xt.load_tile(xt.init_tile(B, (n, 0), (16, 16)))
            acc = xt.tile_mma(xt.where(seen, a, -1), b, acc)
    xt.store_tile(acc, xt.init_tile(Out, (m, 0), (16, 16)))


@pytest.mark.every(100, 12)
@pytest.mark.parametrize("seed", range(100))
def test_masks_drawn_at_random(seed):
    random = Random(seed)
    text = drawn(random)
    mask = eval(f"lambda keys, rows, end, wide: {text}")
    first, end, wide = random.choice([0, 0, 16, 32, 9]), random.randrange(-20, 90), random.randrange(-10, 70)
    values = {**arrays(), "first": first, "end": end, "wide": wide}
    keys, rows = np.arange(72)[None, :], np.arange(48)[:, None]
    branch = random.randrange(2)
    seen = np.broadcast_to(mask(keys, rows, end, wide), (48, 72))
    used = (keys >= first) & ~((branch == 1) & ((keys - first) // 16 * 16 + first == end))
    expected = np.where(used, np.where(seen, values["A"], -1), 0) @ values["B"].astype(float)
    request = Launch(drawn_mask, values, {}, constants={"MASK": mask, "BRANCH": branch}).compiled().request
    for level, after in run_levels(request, (3, 1, 1), values, emits=True):
        if level in ("xetile", "layout", "lane"):
            np.testing.assert_array_equal(after["Out"], expected, err_msg=f"{level}: {text}")
