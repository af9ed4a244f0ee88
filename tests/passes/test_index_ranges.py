"""What index arithmetic can reach, against what it reaches: kernels just below and just above what 32 bits hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret

import xetile as xt
from tests.kernels import attention, layer_norm, matmul, softmax
from xetile.dialects import arith
from xetile.dialects.types import INDEX, element_of
from xetile.frontend import trace
from xetile.index_ranges import RANGES, IndexRanges
from xetile.passes.analysis.index_ranges import count_without_sign, index_ranges
from xetile.signature import Signature

LIMIT = 2**31


@xt.jit
def ids(X, n):
    mark(X, xt.program_id(0) * (1 << 28))


@xt.jit
def sizes(X, n):
    mark(X, X.shape[0] * xt.num_programs(1) * (1 << 20))


@xt.jit
def both_ways(X, n):
    mark(X, (xt.program_id(0) - X.shape[0]) * (1 << 26))


@xt.jit
def scalars(X, n):
    mark(X, xt.program_id(0) + (1 << 20) * n)


@xt.jit
def in_a_loop(X, n):
    for k in range(n):
        mark(X, k * (1 << 24))


@xt.jit
def steps(X, n):
    for k in range(0, n, 64):
        mark(X, k)


@xt.jit
def counts_down(X, n):
    for k in range(n, 0, -1):
        mark(X, k * (1 << 24))


@xt.jit
def carried(X, n):
    at = 0
    for _ in range(n):
        at += 1 << 24
    mark(X, at)


@xt.jit
def carried_in_two_loops(X, n):
    at = xt.program_id(0)
    for i in range(n):
        for _ in range(4):
            at = at + (1 << 22 if n > 3 else 1 << 21)
        at = at - i
    mark(X, at)


@xt.jit
def handed_round(X, n):
    a, b = 0, 5
    for _ in range(n):
        a, b = b + (1 << 24), a
    mark(X, b)


@xt.jit
def a_loop_to_what_a_loop_carries(X, n):
    last = 1
    for _ in range(n):
        for k in range(last):
            mark(X, k * (1 << 24))
        last = last + 16
    mark(X, last * (1 << 24))


@xt.jit
def halves(X, n):
    j = X.shape[0]
    while j > 0:
        mark(X, j * n)
        j = j // 2


@xt.jit
def persistent(X, n):
    tile = xt.program_id(0)
    while tile < n:
        mark(X, tile * (1 << 24))
        tile += xt.num_programs(0)


@xt.jit
def persistent_down(X, n):
    tile = n + xt.program_id(0)
    while tile >= 1 and n > 0:
        mark(X, tile * (1 << 24))
        tile = tile - xt.num_programs(0)


@xt.jit
def moving_tile(X, n):
    tile = xt.init_tile(X, 0, (16,))
    for _ in range(n):
        tile = xt.update_tile_offset(tile, 1 << 24)
    xt.store_tile(1.0, tile)


@xt.jit
def branches(X, n):
    at = n if X.shape[0] > 100 else 100
    mark(X, at * (1 << 24))


@xt.jit
def clamped(X, n):
    mark(X, xt.minimum(xt.maximum(n, 0), 2047) * (1 << 20))


@xt.jit
def rounded(X, n):
    mark(X, xt.cdiv(n, 64) * (1 << 25) + n // 1000 * (1 << 20) + n % 100)


@xt.jit
def shifted(X, n):
    mark(X, (xt.program_id(0) << 24) + (n >> 4))


@xt.jit
def masked(X, n):
    mark(X, (n & 127) * (1 << 24))


@xt.jit
def elements(X, n):
    places = (xt.arange(16) + 112) * ((1 << 24) + xt.program_id(0))
    xt.store_scatter(xt.full((16,), 1.0, xt.f32), xt.init_tile(X, places), places < X.shape[0])


@xt.jit
def summed(X, n):
    mark(X, xt.sum(xt.arange(16) * (1 << 22)).item() + xt.program_id(0) * (1 << 20))


def mark(X, at):
    xt.store_tile(1.0, xt.init_tile(X, at, (16,)))


@dataclass
class Edge:
    """Two launches of a kernel: `below` stays within 32 bits, `above` does not. (grid, elements of X, n) each."""

    kernel: Any
    below: tuple[tuple[int, ...], int, int]
    above: tuple[tuple[int, ...], int, int]
    exact: bool = True


EDGES = [
    Edge(ids, ((8,), 64, 0), ((9,), 64, 0)),
    Edge(sizes, ((1, 31), 64, 0), ((1, 32), 64, 0)),
    Edge(both_ways, ((32,), 32, 0), ((1,), 33, 0)),
    Edge(scalars, ((1 << 10,), 64, 2047), ((1 << 10,), 64, 2048)),
    Edge(in_a_loop, ((1,), 64, 128), ((1,), 64, 129)),
    Edge(counts_down, ((1,), 64, 127), ((1,), 64, 128)),
    Edge(carried, ((1,), 64, 127), ((1,), 64, 128)),
    Edge(carried_in_two_loops, ((1,), 64, 100), ((1,), 64, 200)),
    Edge(handed_round, ((1,), 64, 126), ((1,), 64, 300)),
    Edge(a_loop_to_what_a_loop_carries, ((1,), 64, 7), ((1,), 64, 8)),
    Edge(halves, ((1,), 64, LIMIT // 64 - 1), ((1,), 64, LIMIT // 64)),
    Edge(persistent, ((1,), 64, 128), ((1,), 64, 129)),
    Edge(persistent_down, ((1,), 64, 127), ((1,), 64, 128)),
    Edge(moving_tile, ((1,), 64, 127), ((1,), 64, 128), exact=False),
    Edge(branches, ((1,), 101, 127), ((1,), 101, 128)),
    Edge(shifted, ((128,), 64, 100), ((129,), 64, 100)),
    Edge(elements, ((1,), 64, 0), ((1 << 22,), 64, 0), exact=False),
    Edge(summed, ((1088,), 64, 0), ((1089,), 64, 0), exact=False),
    Edge(rounded, ((1,), 64, 63 * 64), ((1,), 64, 64 * 64)),
]
ALWAYS = [clamped, masked]


def traced(kernel: Any, bits: int = 32) -> Any:
    return trace(kernel, Signature.of(X="f32[?]", n="index"), index_bits=bits)


def holds(ranges: IndexRanges, grid: tuple[int, ...], size: int, n: int) -> bool:
    array = np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (size,), (4,))
    return ranges.failing((*grid, 1, 1)[:3], {"X": array, "n": n}) is None


@dataclass
class Reached:
    """The smallest and the largest index that a run computes."""

    low: int = 0
    high: int = 0
    seen: set[str] = field(default_factory=set)

    def __call__(self, op: Any, value: Any) -> None:
        if not isinstance(op, arith.Binary) or element_of(op.results[0].type) is not INDEX:
            return
        self.low, self.high = min(self.low, int(value.min())), max(self.high, int(value.max()))


def reached(module: Any, grid: tuple[int, ...], size: int, n: int) -> Reached:
    found = Reached()
    X = np.zeros(size, np.float32)
    module.kernel.attributes["index_bits"] = 64  # so that debug mode lets it go on
    interpret(module, grid, [X, size, n] if len(module.kernel.args) == 3 else [X, size, 1, n], watch=found)
    return found


@pytest.mark.every(2)
@pytest.mark.parametrize("edge", EDGES, ids=lambda e: e.kernel.fn.__name__)
def test_the_limit_is_found(edge):
    ranges = index_ranges(traced(edge.kernel))
    assert not ranges.never_hold
    assert holds(ranges, *edge.below)
    assert not holds(ranges, *edge.above)
    if edge.below[0][0] < 1000:
        found = reached(traced(edge.kernel), *edge.below)
        assert found.low >= -LIMIT and found.high < LIMIT
    if edge.exact and edge.above[0][0] < 1000:
        found = reached(traced(edge.kernel), *edge.above)
        assert found.low < -LIMIT or found.high >= LIMIT, "a launch is refused that would be right"


@pytest.mark.parametrize("kernel", ALWAYS, ids=lambda k: k.fn.__name__)
def test_what_always_fits_needs_no_check(kernel):
    assert index_ranges(traced(kernel)) == IndexRanges()


def test_a_loop_must_not_step_over_the_largest_index():
    ranges = index_ranges(traced(steps))
    assert holds(ranges, (1,), 64, LIMIT - 64)
    assert not holds(ranges, (1,), 64, LIMIT - 10)


@xt.jit
def loaded(X, n):
    mark(X, xt.load_tile(xt.init_tile(X, 0, (1,))).item().to(xt.i32) + xt.program_id(0))


@xt.jit
def loaded_and_compared(X, n):
    if xt.load_tile(xt.init_tile(X, 0, (1,))).item().to(xt.i32) + xt.program_id(0) < n:
        mark(X, 0)


@xt.jit
def loaded_twice(X, n):
    at = xt.load_tile(xt.init_tile(X, 0, (1,))).item().to(xt.i32)
    mark(X, at + n * at)


@xt.jit
def loaded_end(X, n):
    for i in range(0, xt.load_tile(xt.init_tile(X, 0, (1,))).item().to(xt.i32), 48):
        mark(X, i)


@xt.jit
def loaded_begin(X, n):
    for i in range(xt.load_tile(xt.init_tile(X, 0, (1,))).item().to(xt.i32), n, 48):
        mark(X, i)


@xt.jit
def loaded_itself(X, n):
    mark(X, xt.load_tile(xt.init_tile(X, 0, (1,))).item().to(xt.i32))


@xt.jit
def loaded_and_bounded(X, n):
    last = xt.minimum(xt.maximum(xt.load_tile(xt.init_tile(X, 0, (1,))).item().to(xt.i32), 0), X.shape[0])
    mark(X, last + xt.program_id(0))


@xt.jit
def loaded_and_counted_down(X, n):
    for i in range(xt.load_tile(xt.init_tile(X, 0, (1,))).item().to(xt.i32) % 5, 0, -1):
        mark(X, (i + 5) * (1 << 27))


@xt.jit
def wraps_as_its_type(X, n):
    at = xt.load_tile(xt.init_tile(X, 0, (1,))).item().to(xt.i32)
    for _ in range(10):
        at = at * 3 + 1
    mark(X, at)


@xt.jit
def no_end(X, n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    mark(X, a)


@pytest.mark.parametrize("kernel,never", [
    (loaded, False), (loaded_and_compared, True), (loaded_twice, True), (loaded_end, True), (loaded_begin, False), (no_end, True),
    (loaded_itself, False), (loaded_and_bounded, False), (loaded_and_counted_down, False), (wraps_as_its_type, False),
])  # fmt: skip
def test_what_comes_from_memory_or_grows_without_end_needs_64_bits(kernel, never):
    assert index_ranges(traced(kernel)).never_hold == never
    assert not index_ranges(traced(kernel, 64)).never_hold


def test_a_loop_to_an_end_from_memory_compares_without_a_sign():
    module = traced(loaded_end)
    assert count_without_sign(module) and not index_ranges(module).never_hold
    assert not count_without_sign(module)
    assert not count_without_sign(traced(loaded_begin)) and not count_without_sign(traced(steps))


@pytest.mark.parametrize(
    "kernel,types",
    [
        (matmul.matmul, {"A": "f16[?,?]", "B": "f16[?,?]", "C": "f32[?,?]"}),
        (softmax.softmax, {"X": "f16[?,?]", "Y": "f16[?,?]"}),
        (layer_norm.layer_norm, {"X": "f16[?,?]", "weight": "f16[?]", "bias": "f16[?]", "Y": "f32[?,?]"}),
        (attention.attention, {"Q": "f16[?,?,?]", "K": "f16[?,?,?]", "V": "f16[?,?,?]", "Out": "f16[?,?,?]"}),
    ],
    ids=lambda k: k.fn.__name__ if hasattr(k, "fn") else "",
)
def test_the_kernels_that_matter_stay_at_32_bits(kernel, types):
    """And have checks of the grid and of sizes alone: none of their scalars can make an index large."""
    ranges = index_ranges(trace(kernel, Signature.of(**types), {}))
    assert not ranges.never_hold
    assert not [step for step in ranges.steps if step[0] == "scalar"]
    arrays = {name: np.lib.stride_tricks.as_strided(np.zeros(1, np.float16), (1 << 9,) * (text.count("?")), (0,) * text.count("?"))
              for name, text in types.items() if "[" in text}  # fmt: skip
    budget = ranges.budget((4, 4, 4), arrays)
    assert budget is not None and min(budget.grid) >= 1 << 20


def test_they_survive_being_written_down():
    for edge in EDGES:
        ranges = index_ranges(traced(edge.kernel))
        assert RANGES(ranges.to_json(), "ranges") == ranges
    with pytest.raises(ValueError, match="nonsense"):
        RANGES({"steps": [["nonsense", 0]], "checks": []}, "ranges")


def interval_rules() -> list[tuple[str, Callable[[int, int], int]]]:
    return [
        ("add", lambda a, b: a + b), ("sub", lambda a, b: a - b), ("mul", lambda a, b: a * b),
        ("floordiv", lambda a, b: a // b), ("ceildiv", lambda a, b: -(-a // b)), ("div", lambda a, b: int(a / b)),
        ("rem", lambda a, b: a - int(a / b) * b), ("min", min), ("max", max), ("and", lambda a, b: a & b),
        ("or", lambda a, b: a | b), ("or", lambda a, b: a ^ b), ("shr", lambda a, b: a >> b), ("shl", lambda a, b: a << b),
    ]  # fmt: skip


@pytest.mark.parametrize("name,exact", interval_rules())
def test_rules_hold_every_result(name, exact):
    """All intervals of small numbers: what the op gives of any two of their numbers is in the interval that the rule gives."""
    from xetile.index_ranges import RULES

    ends = (-9, -2, -1, 0, 1, 3, 8)
    intervals = [(a, b) for a in ends for b in ends if a <= b]
    for one in intervals:
        for other in intervals:
            if name in ("shr", "shl") and other[0] < 0:
                continue
            low, high = RULES[name](one, other)
            for a in range(one[0], one[1] + 1):
                for b in range(other[0], other[1] + 1):
                    if b or name not in ("floordiv", "ceildiv", "div", "rem"):
                        assert low <= exact(a, b) <= high, (one, other, a, b)


def test_rules_of_bits_hold_every_result():
    from xetile.index_ranges import RULES

    for low in range(-20, 20):
        for high in range(low, 20):
            first, last = RULES["wrap"]((low, high), (3, 3))
            assert all(first <= (n + 4) % 8 - 4 <= last for n in range(low, high + 1)), (low, high)
            if low >= -4 and high < 4:
                first, last = RULES["unwrap"]((low, high), (3, 3))
                assert all(first <= n % 8 <= last for n in range(low, high + 1)), (low, high)
