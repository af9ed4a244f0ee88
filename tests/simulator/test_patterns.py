"""Patterns of arithmetic that compilers know: what LLVM and IGC make of them must be what the language says (backends/spirv).

LLVM makes intrinsics of saturating differences, absolute values, rotations and bytes in reverse, which IGC does not know for vectors; it
takes the absolute value for no negative number, `0 - x` for a negation, and a negation for a modifier of the next instruction. IGC moves
shifts and quotients past sums and products to before an exchange between lanes, compares words in place of bytes, and f16 numbers in place
of the integers made of them, and leaves out roundings to f16.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xetile as xt
from tests import tools

SHAPE = (16, 16)
Table = dict[str, Callable[[Any, Any], Any]]

UNSIGNED: Table = {
    "difference": lambda x, y: xt.where(x > y, x - y, 0),
    "by maximum": lambda x, y: xt.maximum(x, y) - y,
    "by minimum": lambda x, y: x - xt.minimum(x, y),
    "one less": lambda x, y: xt.where(x != 0, x - 1, 0),
    "three less": lambda x, y: xt.where(x > 3, x - 3, 0),
    "sum": lambda x, y: xt.minimum(x, ~y) + y,
    "sum by its wrap": lambda x, y: xt.where(x + y < x, ~(x - x), x + y),
    "wrapped": lambda x, y: xt.where(x + y < x, 1, 0).to(x.dtype) + y,
    "rotated": lambda x, y: (x << 3) | (x >> (x.dtype.bits - 3)),
    "rotated by y": lambda x, y: (x << (y & 7)) | (x >> ((x.dtype.bits - (y & 7)) & (x.dtype.bits - 1))),
    "swapped": lambda x, y: ((x & 0xFF) << 8) | ((x >> 8) & 0xFF) if x.dtype.bits > 8 else ((x & 15) << 4) | (x >> 4),
    "distance": lambda x, y: xt.where(x > y, x - y, y - x),
    "average": lambda x, y: (x & y) + ((x ^ y) >> 1),
    "quotient": lambda x, y: xt.cdiv(x, y | 1),
    "both": lambda x, y: (x // (y | 1)) * (y | 1) + x % (y | 1),
    "lowest": lambda x, y: x & (~x + 1),
    "limited": lambda x, y: xt.minimum(x.to(xt.u32) + y.to(xt.u32), 255).to(x.dtype),
}
OF_BITS: Table = {
    "product shifted": lambda x, y: (x * y) >> 3,
    "sum shifted": lambda x, y: (x + y) >> 1,
    "difference shifted": lambda x, y: (x - y) >> 2,
    "product scaled": lambda x, y: (x * y) * 4,
    "product doubled": lambda x, y: x * y + x * y,
    "shifted twice": lambda x, y: (x << (y & 3)) << 1,
    "mixture divided": lambda x, y: (x ^ y) // 27,
    "mixture's rest": lambda x, y: (x | y) % 5,
    "mixture negated": lambda x, y: 5 - (x ^ y),
    "mixture halved": lambda x, y: (x & y) // 2,
    "of three": lambda x, y: ((x * y + x) ^ y) >> 2,
    "product or one": lambda x, y: xt.where(x * y == 0, 1, x * y),
    "product below": lambda x, y: xt.where(x * y < 1, y, x * y),
    "product above": lambda x, y: xt.where((x * y).to(xt.i8) > -1, x, (x * y).to(xt.i8).to(x.dtype)),
    "product as byte": lambda x, y: xt.where(
        (x.to(xt.i32) * y.to(xt.i32)).to(xt.u8) == 0, 3, (x.to(xt.i32) * y.to(xt.i32)).to(xt.u8)
    ).to(x.dtype),
    "by a cube": lambda x, y: x // (y * y * y),
    "rest by a cube": lambda x, y: x % (y * y * y),
    "up by a cube": lambda x, y: xt.cdiv(x, y * y * y),
}
SIGNED: Table = {
    "limited sum": lambda x, y: xt.clamp(x.to(xt.i32) + y.to(xt.i32), -128, 127).to(x.dtype),
    "limited difference": lambda x, y: xt.clamp(x.to(xt.i64) - y.to(xt.i64), -(2**31), 2**31 - 1).to(x.dtype),
    "abs": lambda x, y: xt.abs(x),
    "abs chosen": lambda x, y: xt.where(x < 0, -x, x),
    "less abs": lambda x, y: xt.where(x < 0, x, -x),
    "abs wider": lambda x, y: (xt.where(x < 0, -x, x).to(xt.i64) >> 1).to(x.dtype),
    "abs compared": lambda x, y: xt.where(xt.abs(x) < 0, 1, y),
    "abs shifted": lambda x, y: xt.abs(x) >> 1,
    "abs divided": lambda x, y: xt.abs(x) // 2,
    "abs inverted": lambda x, y: xt.minimum(~xt.abs(x), y),
    "abs added": lambda x, y: xt.maximum(xt.abs(x) + y, 3) >> 1,
    "quotient by -1": lambda x, y: xt.maximum(xt.cdiv(x, -1), y),
    "floor by -1": lambda x, y: (x // -1) >> 1,
    "least abs": lambda x, y: xt.minimum(xt.abs(x), y),
    "times -1": lambda x, y: xt.maximum(x * -1, y),
    "-1 times": lambda x, y: (-1 * x) >> 3,
    "negative shifted": lambda x, y: (-x) >> 7,
    "negative compared": lambda x, y: xt.where(-x < 0, 1, y),
    "negative divided": lambda x, y: (-x) // 2,
    "negative wider": lambda x, y: ((-x).to(xt.i64) >> 1).to(x.dtype),
    "negative rest": lambda x, y: (-x) % 5,
    "least negative": lambda x, y: xt.minimum(-x, 5),
    "difference shifted": lambda x, y: (y - x) >> 2,
    "difference compared": lambda x, y: xt.where(y - x < 0, 1, 2).to(x.dtype),
    "product shifted": lambda x, y: (x * y) >> 3,
    "sign": lambda x, y: (x > 0).to(x.dtype) - (x < 0).to(x.dtype),
    "quotient": lambda x, y: xt.cdiv(x, y | 1),
    "floor": lambda x, y: x // (y | 1),
}
FLOATS: Table = {
    "0 - x": lambda x, y: 0.0 - x,
    "x + 0": lambda x, y: x + 0.0,
    "-x + 0": lambda x, y: -x + 0.0,
    "0 + -x": lambda x, y: 0.0 + -x,
    "rounded 0 - x": lambda x, y: xt.trunc(xt.full(SHAPE, 0.25, x.dtype)) - x,
    "settled 0 - x": lambda x, y: xt.minimum(y.to(xt.u32), 16 % xt.full(SHAPE, 8, xt.u32)).to(x.dtype) - x,
    "masked 0 - x": lambda x, y: (y.to(xt.i32) & (xt.full(SHAPE, 9, xt.i32) // 10)).to(x.dtype) - x,
    "equal 0 - x": lambda x, y: (y.to(xt.i32) ^ y.to(xt.i32)).to(x.dtype) - x,
    "least of both": lambda x, y: xt.minimum(-x, x),
    "fmin of both": lambda x, y: xt.fmin(x, -x),
    "0 / x": lambda x, y: 0.0 / x,
    "abs chosen": lambda x, y: xt.where(x < 0, -x, x),
    "less abs": lambda x, y: xt.where(x > 0, -x, x),
    "of a difference": lambda x, y: -(x - y),
    "equal": lambda x, y: xt.where(x == y, y, x),
    "zero": lambda x, y: xt.where(x == 0, 0.0, x),
    "floor": lambda x, y: xt.floor(x),
    "ceil": lambda x, y: xt.ceil(x),
    "round": lambda x, y: xt.round(x),
    "round infinity": lambda x, y: xt.round(xt.full(SHAPE, float("inf"), x.dtype)),
    "round a large constant": lambda x, y: xt.round(xt.full(SHAPE, 6e4, x.dtype)),
    "round NaN": lambda x, y: xt.round(xt.full(SHAPE, float("nan"), x.dtype)),
    "trunc": lambda x, y: xt.trunc(x),
    "sqrt": lambda x, y: xt.sqrt(x),
    "-0 chosen": lambda x, y: xt.where(x < y, y, -0.0),
    "0 chosen, times": lambda x, y: xt.where(x == y, y, 0.0) * -2.0,
    "number chosen, times": lambda x, y: xt.where(x > y, 3.0, 0.0) * -2.0,
    "truth, times": lambda x, y: (x != y).to(x.dtype) * -4.5,
    "truth, times twice": lambda x, y: (x >= y).to(x.dtype) * 2.0 * -1.5,
    "square of a root with its sign": lambda x, y: _squared(-xt.sqrt(y)),
    "square of a root's size": lambda x, y: _squared(xt.abs(xt.sqrt(-x))),
    "square of a chosen root": lambda x, y: _squared(xt.where(x < 0, -xt.sqrt(-y), xt.sqrt(-y))),
    "square of a root": lambda x, y: xt.sqrt(x) * xt.sqrt(x),
    "logarithm of no root": lambda x, y: xt.log(xt.sqrt(xt.minimum(x, -1))),
    "power of no root": lambda x, y: xt.exp2(xt.sqrt(xt.minimum(y, -1))),
    "quotient": lambda x, y: x / y,
    "floored": lambda x, y: x // y,
    "fma": lambda x, y: xt.fma(x, y, x),
    "larger": lambda x, y: xt.maximum(x, y),
    "fmin": lambda x, y: xt.fmin(x, 0.0),
    "clamp": lambda x, y: xt.clamp(x, -1, 1),
}
FLOATS |= {
    "rest of a square": lambda x, y: x % (y * y),
    "rest of a size": lambda x, y: x % xt.abs(y),
    "whole or not": lambda x, y: xt.where(x.to(xt.i16) != 0, 1, y),
    "above one": lambda x, y: xt.where(x.to(xt.i32) > 0, 1, y),
    "whole as such": lambda x, y: xt.where((x.to(xt.i16) + 5) != 5, y, 1),
    "limited bf16": lambda x, y: xt.minimum(-0.75, y.to(xt.bf16)).to(x.dtype),
    "bf16 limited": lambda x, y: xt.maximum(x.to(xt.bf16), 0.5).to(x.dtype),
    "halves added": lambda x, y: (_half(x, y) + _half(y, x)).to(x.dtype) * 3,
    "halves multiplied": lambda x, y: xt.sqrt((_half(x, y) * _half(y, x)).to(xt.f32)).to(x.dtype),
    "halves mixed": lambda x, y: ((_half(x, y) - _half(y, x)) + _half(x, y) * _half(y, x)).to(x.dtype),
    "halves divided": lambda x, y: ((_half(x, y) + _half(y, x)) / (_half(x, y) - 1)).to(x.dtype),
    "larger half": lambda x, y: (xt.maximum(_half(x, y), _half(y, x)) - _half(y, x)).to(xt.f32).to(x.dtype),
}
TABLES = {"u": UNSIGNED | OF_BITS, "i": UNSIGNED | SIGNED | OF_BITS, "f": FLOATS}


def _squared(x: Any) -> Any:
    return x * x


def _half(x: Any, y: Any) -> Any:
    """An f16 number that is rounded from f32."""
    return (x.to(xt.f32) * 0.3 + y.to(xt.f32)).to(xt.f16)


@xt.jit(num_subgroups=1, grid=(1,))
def computed(A, B, Out, FUNCTIONS: xt.constexpr, PARTS: xt.constexpr):
    """Out[k] = the k-th function of A and B, or of parts of them."""
    x, y = xt.load_tile(xt.init_tile(A, (0, 0), PARTS[0])), xt.load_tile(xt.init_tile(B, (0, 0), PARTS[1]))
    for k in xt.static_range(len(FUNCTIONS)):
        xt.store_tile(xt.tile_broadcast(FUNCTIONS[k](x, y).to(Out.dtype), SHAPE), xt.init_tile(Out[k], (0, 0), SHAPE))


def operands(dtype: np.dtype[Any]) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    if dtype.kind == "f":
        f = np.finfo(dtype)
        ends = [0, 0.5, 1, 2.5, 0.3, 7, f.tiny, f.smallest_subnormal, f.max, np.nextafter(dtype.type(4), 0), np.inf, np.nan]
        special = np.array([*ends, *(-n for n in ends)], dtype)
        made = [rng.normal(0, 100, SHAPE).astype(dtype) for _ in range(2)]
    else:
        i = np.iinfo(dtype)
        special = np.array([0, 1, 2, 3, 7, i.max, i.max - 1, i.min, i.min + 1], dtype)
        made = [rng.integers(i.min, i.max, SHAPE, dtype=dtype, endpoint=True) for _ in range(2)]
    for array, rows in zip(made, (slice(0, 10), slice(4, 14))):
        array[rows] = rng.choice(special, (10, SHAPE[1]))
    return made


def check(device: str, dtype: str, parts: tuple[tuple[int, int], ...] = (SHAPE, SHAPE), share: int = 0, of: int = 1) -> None:
    """Every function of the dtype's table, or each `of`th from `share` on."""
    tools.require_tool("ocloc")
    table = dict(list(TABLES[dtype[0]].items())[share::of])
    inputs, results = operands(np.dtype(getattr(xt, dtype).numpy)), []
    for where in ("numpy", device):
        out = np.zeros((len(table), *SHAPE), inputs[0].dtype)
        with xt.device(where):
            computed[(1,)](*inputs, out, FUNCTIONS=tuple(table.values()), PARTS=parts)
        results.append(out)
    for name, expected, got in zip(table, *results):
        same = (expected == got) & (np.signbit(expected) == np.signbit(got)) if dtype[0] == "f" else expected == got
        wrong = np.argwhere(~(same | ((expected != expected) & (got != got))))
        at = tuple(wrong[0]) if len(wrong) else ()
        x, y = (array[tuple(min(n, size - 1) for n, size in zip(at, part))] for array, part in zip(inputs, parts))
        assert not at, f"{name} of {x!r}, {y!r} is {got[at]!r}, not {expected[at]!r}"


IN_TURN = (("sim:dg2", "f32", 0), ("sim:bmg", "f64", 1), ("sim:pvc", "f16", 2), ("sim:pvc", "i16", 0), ("sim:dg2", "i32", 1),
           ("sim:bmg", "i8", 2), ("sim:pvc", "u8", 0), ("sim:bmg", "u16", 1), ("sim:dg2", "u32", 2))  # fmt: skip
"""Targets and dtypes; of each kind of number (f, i, u) the shares together are its whole table."""
DTYPES = ("f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
ALL = [(d, t) for d in ("sim:pvc", "sim:bmg", "sim:dg2") for t in DTYPES if (d, t) != ("sim:dg2", "f64")]


@pytest.mark.every(48)
@pytest.mark.parametrize(("device", "dtype", "share"), IN_TURN)
def test_patterns(device, dtype, share):
    check(device, dtype, share=share, of=3)


@pytest.mark.slow
@pytest.mark.parametrize(("device", "dtype"), ALL)
def test_all_patterns(device, dtype):
    check(device, dtype)


ROW, COLUMN, ONE = (1, SHAPE[1]), (SHAPE[0], 1), (1, 1)
PARTS = ((ROW, COLUMN), (COLUMN, ROW), (SHAPE, COLUMN), (COLUMN, SHAPE), (COLUMN, COLUMN), (ONE, ROW), (COLUMN, ONE))
SOME = (("sim:pvc", "i32", 0, 0), ("sim:dg2", "i16", 1, 1), ("sim:pvc", "i64", 1, 2), ("sim:bmg", "f32", 0, 0), ("sim:pvc", "f16", 3, 1),
        ("sim:dg2", "f32", 0, 2), ("sim:bmg", "u8", 0, 0), ("sim:dg2", "u16", 3, 1), ("sim:pvc", "u32", 1, 2))  # fmt: skip


@pytest.mark.every(108)
@pytest.mark.parametrize(("device", "dtype", "parts", "share"), SOME)
def test_patterns_of_parts(device, dtype, parts, share):
    check(device, dtype, PARTS[parts], share, of=3)


@pytest.mark.slow
@pytest.mark.parametrize("parts", range(len(PARTS)))
@pytest.mark.parametrize(("device", "dtype"), ALL)
def test_all_patterns_of_parts(device, dtype, parts):
    check(device, dtype, PARTS[parts])


LARGE = (57344.0, 3.3e9, -3.3e9, float("inf"), float("-inf"), float("nan"), 1e30, 2147483648.0, -129.0, 300.7, -0.5)


@xt.jit(num_subgroups=1, grid=(1,))
def constants(Out, NUMBERS: xt.constexpr):
    """Out[k] = the k-th number, and twice that rounded, as integers."""
    for k in xt.static_range(len(NUMBERS)):
        x = xt.full(SHAPE, NUMBERS[k], xt.f32)
        xt.store_tile(x.to(Out.dtype), xt.init_tile(Out[k, 0], (0, 0), SHAPE))
        xt.store_tile(xt.round(x * 2).to(Out.dtype), xt.init_tile(Out[k, 1], (0, 0), SHAPE))


@pytest.mark.every(24)
@pytest.mark.parametrize(("device", "dtype"), [("sim:pvc", "i32"), ("sim:dg2", "u32"), ("sim:bmg", "i16"), ("sim:bmg", "i64")])
def test_integers_of_large_constants(device, dtype):
    tools.require_tool("ocloc")
    results = []
    for where in ("numpy", device):
        out = np.zeros((len(LARGE), 2, *SHAPE), getattr(xt, dtype).numpy)
        with xt.device(where):
            constants[(1,)](out, NUMBERS=LARGE)
        results.append(out)
    np.testing.assert_array_equal(*results[::-1])


SUMS: Table = {
    "sum": lambda x, y: x + y == 0,
    "sum and one": lambda x, y: y + x + 1 != 1,
    "sum with bits turned": lambda x, y: ((x + y) ^ 3) == 3,
    "sum as a mask": lambda x, y: (x + y).to(xt.bool),
    "sum without sign": lambda x, y: (x + y).to(xt.u16) < 1,
    "of an absolute value": lambda x, y: xt.abs(x) + y == 0,
    "below another": lambda x, y: (x + y).to(xt.u32) < (x ^ y).to(xt.u32),
}


@xt.jit(num_subgroups=1, grid=(1,))
def asked(A, B, Out, FUNCTION: xt.constexpr):
    """Out = the function of A and B, alone in its kernel: LLVM keeps a sum that has other uses."""
    x, y = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE)), xt.load_tile(xt.init_tile(B, (0, 0), SHAPE))
    xt.store_tile(xt.where(FUNCTION(x, y), 1, 2).to(Out.dtype), xt.init_tile(Out, (0, 0), SHAPE))


@xt.jit(num_subgroups=1, grid=(1,))
def asked_in_branches(A, B, Out):
    """How many sums of two elements are 0."""
    found = 0
    for i in range(SHAPE[1]):
        if A[0, i] + B[0, i] == 0:
            found += 1
    xt.store_tile(xt.full((1, 1), found, Out.dtype), xt.init_tile(Out, (0, 0), (1, 1)))


OFTEN_ASKED = (
    ("sim:dg2", "i32", "sum"),
    ("sim:pvc", "i16", "sum and one"),
    ("sim:bmg", "i32", "branches"),
    ("sim:bmg", "i32", "below another"),
)
ALSO_ASKED = [(d, t, f) for d in ("sim:pvc", "sim:bmg", "sim:dg2") for t in ("i16", "i32", "i64") for f in (*SUMS, "branches")]


@pytest.mark.every(6)
@pytest.mark.parametrize(("device", "dtype", "name"), [
    *OFTEN_ASKED, *(pytest.param(*one, marks=pytest.mark.slow) for one in ALSO_ASKED if one not in OFTEN_ASKED),
])  # fmt: skip
def test_sums_of_the_smallest_integer_that_are_asked_for_one_number(device, dtype, name):
    tools.require_tool("ocloc")
    x, _ = operands(np.dtype(getattr(xt, dtype).numpy))
    y, results = np.where(np.arange(SHAPE[1]) % 3 == 0, x, 0 - x), []
    for where in ("numpy", device):
        out = np.zeros(SHAPE, x.dtype)
        with xt.device(where):
            if name == "branches":
                asked_in_branches(x, y, out)
            else:
                asked(x, y, out, FUNCTION=SUMS[name])
        results.append(out)
    assert (results[0] == 1).any() or name in ("branches", "below another")
    np.testing.assert_array_equal(*results)
