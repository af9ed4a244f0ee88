"""First operands of products that are computed in the loop, two rows at a time: every byte and many f16, on each device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from backends.spirv.assembly.byte_steps import AcrossCall, TwiceCall
from backends.spirv.assembly.call import call_of
from backends.spirv.assembly.chosen_rows import ChosenRowsCall
from backends.spirv.assembly.packed import PackedCall
from backends.spirv.assembly.singles import RaiseRowsCall
from backends.spirv.module.binary import Binary
from tests.kernels.test_packed import NARROW, largest, same, smallest

ROWS, COLUMNS, DEPTH = 72, 40, 256


@xt.jit
def multiplied(A, D, R, K, B, C, HOW: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = HOW(A, D, R, K) @ B: D of A's shape, R of rows, K of columns."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    r = xt.load_tile(xt.init_tile(R, m, (BM,)))[:, None]
    for k in range(0, A.shape[1], BK):
        a, d = (xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))) for X in (A, D))
        acc += HOW(a, d, r, xt.load_tile(xt.init_tile(K, k, (BK,)))[None, :]) @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


HOW: dict[str, tuple[str, Callable[..., Any]]] = {
    "i8": ("i8", lambda a, d, r, k: same(a, xt.f16)),
    "u8": ("u8", lambda a, d, r, k: same(a, xt.f16)),
    "f8e4m3": ("f8e4m3", lambda a, d, r, k: same(a, xt.f16)),
    "f8e5m2": ("f8e5m2", lambda a, d, r, k: same(a, xt.f16)),
    "i8, scales of rows": ("i8", lambda a, d, r, k: same(a, xt.f16) * r),
    "f8e4m3, scales of columns": ("f8e4m3", lambda a, d, r, k: same(a, xt.f16) * k),
    "u8, less those of rows, times those of columns": ("u8", lambda a, d, r, k: (same(a, xt.f16) - r) * k),
    "i8 by way of f32": ("i8", lambda a, d, r, k: same(same(a, xt.f32) * same(r, xt.f32), xt.f16)),
    "u8 by way of f32": ("u8", lambda a, d, r, k: same((same(a, xt.f32) - 128) * same(k, xt.f32) + same(r, xt.f32), xt.f16)),
    "a number more": ("f16", lambda a, d, r, k: a + 0.5),
    "less a number": ("f16", lambda a, d, r, k: a - 3),
    "a number first": ("f16", lambda a, d, r, k: 0.1 * a),
    "none below": ("f16", lambda a, d, r, k: largest(a, 0)),
    "between": ("f16", lambda a, d, r, k: smallest(largest(a, -1.5), 2)),
    "none below, bf16": ("bf16", lambda a, d, r, k: largest(a, 0)),
    "between, bf16": ("bf16", lambda a, d, r, k: largest(smallest(a, 0.3), -1.5)),
    "without signs": ("f16", lambda a, d, r, k: abs(a)),
    "without signs, bf16": ("bf16", lambda a, d, r, k: abs(a)),
    "other signs": ("f16", lambda a, d, r, k: -(a * d)),
    "other signs, bf16": ("bf16", lambda a, d, r, k: -abs(a)),
    "two": ("f16", lambda a, d, r, k: a * d + a),
    "less the other": ("f16", lambda a, d, r, k: a - d * r),
}
"""The type of A, and what becomes the operand."""


def numpy_type(name: str) -> Any:
    return {"f16": np.float16, "bf16": ml_dtypes.bfloat16, **NARROW}[name]


def result_of(name: str) -> str:
    return "bf16" if HOW[name][0] == "bf16" else "f16"


NUMBERS = np.array([0, -0.0, 1.5, -3, 6e-8, -3e4, 0.3, 2], np.float16)


def run(device: str, name: str, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What comes out, and numpy's operand."""
    how, rng, c = HOW[name][1], np.random.default_rng(3), np.zeros((ROWS, COLUMNS), np.float32)
    d = rng.choice(np.array([0.5, -1, 0.75, 1e-4], np.float16), (ROWS, DEPTH))
    r, k = (rng.choice(np.array([0.25, -1.5, 5, 3, 1], np.float16), n) for n in (ROWS, DEPTH))
    kind = numpy_type(result_of(name))
    with xt.device(device):
        multiplied[2, 3](a, d, r, k, b.astype(kind), c, how)
    with np.errstate(all="ignore"):
        return c, how(a, d, r[:, None], k).astype(kind).astype(np.float32)


@pytest.mark.every(112, 42)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("first", range(0, DEPTH, 64))
@pytest.mark.parametrize("name", HOW)
def test_every_number(device, name, first):
    """B picks one column of the operand for each of C, from one on."""
    kind, rng = HOW[name][0], np.random.default_rng(first)
    wide = kind in ("f16", "bf16")
    codes = np.tile(np.arange(DEPTH, dtype=np.uint8), (ROWS, 1)).view(numpy_type("i8" if wide else kind))
    a = rng.choice(NUMBERS, (ROWS, DEPTH)) if wide else np.where(np.isfinite(codes.astype(np.float32)), codes, 0)
    b = np.zeros((DEPTH, COLUMNS), np.float16)
    picked = first + rng.permutation(64)[:COLUMNS]
    b[picked, np.arange(COLUMNS)] = 1
    c, wide = run(device, name, a.astype(numpy_type(kind)), b)
    np.testing.assert_array_equal(c, wide[:, picked])


@pytest.mark.every(10, 5)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("name", [name for name, (kind, _) in HOW.items() if kind not in ("i8", "u8")])
def test_numbers_that_are_not_finite(device, name):
    """One in each row, which all of C's row shows."""
    a = np.zeros((ROWS, DEPTH), numpy_type(HOW[name][0]))
    a[np.arange(ROWS), np.arange(ROWS) * 3] = np.resize(np.array([np.nan, np.inf, -np.inf, -np.nan]).astype(a.dtype), ROWS)
    c, wide = run(device, name, a, np.full((DEPTH, COLUMNS), 2**-10, np.float16))
    sums = np.broadcast_to(wide.astype(np.float64).sum(axis=1, keepdims=True) * 2**-10, c.shape)
    np.testing.assert_allclose(c, sums, rtol=1e-4, atol=1e-4)


CHOSEN: dict[str, tuple[str, Callable[..., Any]]] = {
    "one more, or as it is": ("f16", lambda a, d: (a + 1, a)),
    "another one": ("f16", lambda a, d: (a, d)),
    "twice, or none below": ("f16", lambda a, d: (a * 2, largest(a, 0))),
    "none below, bf16": ("bf16", lambda a, d: (largest(a, 0), a)),
    "f8e4m3": ("f8e4m3", lambda a, d: (same(a, xt.f16), same(a, xt.f16) * d)),
}
"""The type of A, and both ways of what becomes the operand."""


@xt.jit
def chosen(A, D, B, C, limit, HOW: xt.constexpr, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = x @ B, where x is one way of HOW(A, D) up to a limit of the depth, and the other behind it."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a, d = (xt.load_tile(xt.init_tile(X, (m, k), (BM, BK))) for X in (A, D))
        one, other = HOW(a, d)
        acc += xt.where(k < limit, one, other) @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@pytest.mark.every(10, 5)
@pytest.mark.parametrize("limit", [0, 96, DEPTH])
@pytest.mark.parametrize("name", CHOSEN)
def test_one_condition_chooses(device, name, limit):
    kind, how = CHOSEN[name]
    rng, result = np.random.default_rng(limit), numpy_type("bf16" if kind == "bf16" else "f16")
    a = rng.choice(NUMBERS if kind != "f8e4m3" else NUMBERS[[0, 2, 3, 7]], (ROWS, DEPTH)).astype(numpy_type(kind))
    d = rng.choice(np.array([0.5, -1, 0.75, 2], np.float16), (ROWS, DEPTH)).astype(result)
    b, c = np.zeros((DEPTH, COLUMNS), np.float16), np.zeros((ROWS, COLUMNS), np.float32)
    picked = rng.permutation(DEPTH)[:COLUMNS]
    b[picked, np.arange(COLUMNS)] = 1
    with xt.device(device):
        chosen[2, 3](a, d, b.astype(result), c, limit, how)
    one, other = (way.astype(result).astype(np.float32) for way in how(a, d))
    np.testing.assert_array_equal(c, np.where(np.arange(DEPTH) < limit, one, other)[:, picked])


@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", CHOSEN)
def test_no_row_is_chosen_by_itself(name, target):
    kind, how = CHOSEN[name]
    result = "bf16" if kind == "bf16" else "f16"
    types = (f"{kind}[?,?]", f"{result}[?,?]", f"{result}[?,?]", "f32[?,?]", "i32")
    assert ChosenRowsCall().text(16).encode() in chosen.compile(*types, target=target, HOW=how).spirv


@xt.jit
def times(A, B, C, s, BM: xt.constexpr = 8, BN: xt.constexpr = 16, D: xt.constexpr = 512):
    """C = (A * s) @ B, where A * s stays through a loop, in more registers than half of all if each number had one."""
    m = xt.program_id(0) * BM
    a = xt.load_tile(xt.init_tile(A, (m, 0), (BM, D))) * xt.cast(s, A.dtype)
    for n in range(0, B.shape[1], BN):
        xt.store_tile(a @ xt.load_tile(xt.init_tile(B, (0, n), (D, BN))), xt.init_tile(C, (m, n), (BM, BN)))


@pytest.mark.every(3, 1)
@pytest.mark.parametrize("factor", [-1.0, 0.3, 60.0])
def test_a_number_that_lanes_have_alike(device, factor):
    a, b = (np.random.default_rng(i).standard_normal(shape).astype(np.float16) for i, shape in enumerate(((16, 512), (512, 40))))
    c = np.zeros((16, 40), np.float32)
    with xt.device(device):
        times[2](a, b, c, factor, num_subgroups=1)
    scaled = a * np.float16(factor)
    np.testing.assert_allclose(c, scaled.astype(np.float32) @ b.astype(np.float32), rtol=1e-4, atol=1e-4 * max(1.0, abs(factor)))
    names = {
        i.name
        for i in Binary(
            times.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", "f32", target="pvc", num_subgroups=1).spirv
        ).instructions
    }
    assert "OpFMul" not in names and "OpAsmCallINTEL" in names


@xt.jit
def of_bytes(A, B, C, T: xt.constexpr = xt.f16, BM: xt.constexpr = 32, BN: xt.constexpr = 32, BK: xt.constexpr = 32):
    """C = A @ B, both widened to T."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))).to(T)
        acc += a @ xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))).to(T)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@pytest.mark.every(4, 1)
@pytest.mark.parametrize(
    "kinds",
    [("f8e4m3", "f8e4m3"), ("f8e4m3", "f8e5m2"), ("f8e5m2", "f8e4m3"), ("f8e4m3", "f16"), ("i8", "f8e4m3"), ("bf16", "f8e4m3"),
     ("bf16", "f8e5m2"), ("bf16", "i8")],
)  # fmt: skip
def test_all_products_of_two_codes(device, kinds):
    """The smallest and the largest numbers of f8e4m3 too, which products may take 256 times smaller (`backends/spirv/facts/rescaled.py`)."""
    codes = [np.arange(256, dtype=np.uint8).view(numpy_type("i8" if kind in ("f16", "bf16") else kind)) for kind in kinds]
    x, y = (np.where(np.isfinite(each.astype(np.float32)), each, 0).astype(numpy_type(k)) for each, k in zip(codes, kinds))
    a, b, c = np.zeros((256, 64), x.dtype), np.zeros((64, 256), y.dtype), np.zeros((256, 256), np.float32)
    at = np.random.default_rng(1).integers(0, 64, 256)
    a[np.arange(256), at], b[:] = x, y
    with xt.device(device):
        of_bytes[8, 8](a, b, c, xt.bf16 if "bf16" in kinds else xt.f16)
    np.testing.assert_array_equal(c, np.outer(x.astype(np.float32), y.astype(np.float32)))


@pytest.mark.every(9)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", HOW)
def test_no_number_is_computed_by_itself(name, target):
    kind, how = HOW[name]
    types = (f"{kind}[?,?]", "f16[?,?]", "f16[?]", "f16[?]", f"{result_of(name)}[?,?]", "f32[?,?]")
    names = {i.name for i in Binary(multiplied.compile(*types, target=target, HOW=how).spirv).instructions}
    assert "OpAsmCallINTEL" in names
    others = {"f8e4m3": {"OpFMul"}}  # what was summed up smaller
    sums = {"OpFConvert", "OpFAdd", "OpFSub", "OpFMul"} if "by way of" in name else others.get(name, set())
    assert (
        not names
        & {"OpConvertSToF", "OpConvertUToF", "OpFConvert", "OpFAdd", "OpFSub", "OpFMul", "OpFOrdLessThan", "OpFNegate"} - sums
    )


def test_what_others_take_too_is_computed_as_ever():
    @xt.jit
    def both(A, B, C, D):
        a = xt.load_tile(xt.init_tile(A, (0, 0), (32, 32))) * 3
        xt.store_tile(a, xt.init_tile(D, (0, 0), (32, 32)))
        xt.store_tile(a @ xt.load_tile(xt.init_tile(B, (0, 0), (32, 32))), xt.init_tile(C, (0, 0), (32, 32)))

    module = both.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", "f16[?,?]", target="pvc").spirv
    assert "OpFMul" in {i.name for i in Binary(module).instructions}


@pytest.mark.parametrize(
    "call",
    [PackedCall("s8", words=2, number=5, flat=True), PackedCall("max", 0, 4, "number", 7, flat=True), TwiceCall(flat=True),
     AcrossCall(8, flat=True), RaiseRowsCall("u8"), ChosenRowsCall()],
)  # fmt: skip
def test_assembly_says_what_it_is(call):
    assert call_of(call.text(16)) == call
