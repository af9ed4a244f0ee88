"""Operands that are worked out once by a workgroup, and go through shared local memory in blocks of DPAS: right, and where it pays."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests.kernels.plain_numbers import three_products
from tests.ops.run import Launch
from tests.parity.run import uncompiled

E4, E5 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
KINDS = {"f8e4m3": E4, "f8e5m2": E5, "i8": np.int8}


@xt.jit
def both(A, B, S, C, FORM: xt.constexpr = "plain", BM: xt.constexpr = 64, BN: xt.constexpr = 64, BK: xt.constexpr = 32,
         STEPS: xt.constexpr = 1):  # fmt: skip
    """C = A @ B, widened: as it is, by rows of B, with scales of steps, in a loop of loops, from an accumulator on, some steps alone."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    c = xt.init_tile(C, (m, n), (BM, BN))
    acc = xt.load_tile(c) if FORM == "summed" else xt.zeros((BM, BN), xt.f32)
    for _ in range(STEPS):
        for k in range(0, A.shape[1], BK):
            a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
            b = xt.load_tile(xt.init_tile(B.T if FORM == "turned" else B, (k, n), (BK, BN)))
            if FORM == "scaled":
                s = xt.load_tile(xt.init_tile(S, (k // BK, n), (1, BN)))
                acc += a.to(xt.bf16) @ (b.to(xt.f32) * s).to(xt.bf16)
            elif FORM == "twice":
                b = b.to(xt.f16)
                acc += a.to(xt.f16) @ b
                acc += (a.to(xt.f16) * 2.0) @ (b * 0.5)
            elif FORM == "some":
                if k != BK:
                    acc += a.to(xt.f16) @ b.to(xt.f16)
            else:
                acc += a.to(xt.f16) @ b.to(xt.f16)
    xt.store_tile(acc, c)


@xt.jit
def once(A, B, C, BM: xt.constexpr = 128, BN: xt.constexpr = 64, BK: xt.constexpr = 32):
    """Rows of bytes that all subgroups take."""
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        b = (xt.load_tile(xt.init_tile(B, (k, 0), (BK, BN))).to(xt.f32) * 0.3).to(xt.f16)
        acc += xt.load_tile(xt.init_tile(A, (0, k), (BM, BK))) @ b
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (BM, BN)))


GOLDEN = {
    "work_once": (once, ("f16[?,?]", "f8e4m3[?,?]", "f32[?,?]"), {"num_subgroups": 8}, "pvc"),
    "work_between_products": (three_products, ("f32[?,?]",) * 3, {"num_subgroups": 16}, "pvc"),
}

FORMS = ("plain", "turned", "scaled", "nested", "summed", "twice", "some")
# Whole tiles, an even and an odd number of steps; beyond all edges; one step that is not whole; none.
SIZES = [(64, 64, 64), (64, 128, 96), (80, 96, 112), (48, 32, 16), (64, 64, 0)]
CASES = [(form, kind, size) for form in FORMS for kind in KINDS for size in SIZES]


def launch(form: str, kind: str, size: tuple[int, int, int], target: str = "bmg") -> Launch:
    m, n, k = size
    rng = np.random.default_rng(k)
    a, b = (rng.integers(-4, 5, shape).astype(KINDS[kind]) for shape in ((m, k), (k, n)))
    scales = rng.integers(1, 4, (max(1, -(-k // 32)), n)).astype(np.float32)
    c = rng.integers(-9, 9, (m, n)).astype(np.float32)
    x, y = a.astype(np.float64), b.astype(np.float64)
    if form == "some":
        x[:, 32:64] = 0
    exact = x @ (y * scales[np.arange(k) // 32] if form == "scaled" else y) * {"nested": 3, "twice": 2}.get(form, 1)
    exact = exact + c if form == "summed" else exact
    given = {
        "A": a,
        "B": np.ascontiguousarray(b.T) if form == "turned" else b,
        "S": scales,
        "C": c if form == "summed" else c * 0,
    }
    return Launch(both, given, {"C": exact.astype(np.float32)}, (-(-n // 64), -(-m // 64)),
                  {"FORM": form, "STEPS": 3 if form == "nested" else 1}, 8, targets=(target,))  # fmt: skip


@pytest.fixture(autouse=True)
def always(monkeypatch):
    """Operands are shared whatever it takes."""
    for name in ("GAIN", "MOST"):
        monkeypatch.setattr(f"xetile.passes.workgroup.loops.work_once.{name}", -1e9)
    monkeypatch.setattr("xetile.passes.workgroup.loops.work_once._Finder._clocks_of", lambda *_: (1, 0))
    monkeypatch.setenv("XETILE_CACHE", "0")


@pytest.mark.every(15, 5)
@pytest.mark.parametrize("form, kind, size", CASES, ids=str)
def test_levels_agree(form, kind, size):
    launch(form, kind, size).at_levels("bmg")


@pytest.mark.every(21, 7)
@pytest.mark.parametrize("form, kind, size", CASES, ids=str)
def test_the_module_of_the_gpu_is_right(form, kind, size):
    launch(form, kind, size, "pvc").on_device("cpu", "pvc")


@pytest.mark.every(21, 7)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("form, kind, size", CASES, ids=str)
def test_machine_code_is_right(form, kind, size, target):
    launch(form, kind, size, target).on_device(f"sim:{target}")


def layout_of(kernel: xt.Kernel, *types: str, target: str = "bmg", **constants: object) -> str:
    return uncompiled(kernel, *types, target=target, num_subgroups=8, **constants).ir["layout"]


@pytest.mark.parametrize("form", FORMS)
def test_what_is_shared(form):
    text = layout_of(both, "f8e4m3[?,?]", "f8e4m3[?,?]", "f32[?,?]", "f32[?,?]", FORM=form)
    assert text.count("memref.alloca") == {"some": 0, "twice": 4}.get(form, 2)
    # One before the inner loop, which runs again, and one in it for all operands.
    assert text.count("gpu.barrier") == {"some": 0}.get(form, 2)


@xt.jit
def stored_beside(A, B, C, D):
    """What a step stores the next one loads: subgroups load what they have stored themselves."""
    acc = xt.zeros((64, 64), xt.f32)
    for k in range(0, A.shape[1], 32):
        b = xt.load_tile(xt.init_tile(B, (k, 0), (32, 64))).to(xt.f16)
        acc += xt.load_tile(xt.init_tile(A, (0, k), (64, 32))) @ b
        xt.store_tile(xt.full((32, 64), 1, xt.i8), xt.init_tile(B, (k + 32, 0), (32, 64)))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (64, 64)))


def test_what_is_written_is_not_shared():
    assert "memref.alloca" not in layout_of(stored_beside, "f16[?,?]", "i8[?,?]", "f32[?,?]", "f32[?,?]")


def test_decision_by_clocks(monkeypatch):
    """Both narrow operands where working them out takes a subgroup longer than its products: DPAS of pvc takes half as long as that of bmg."""
    monkeypatch.undo()
    types = ("f8e4m3[?,?]", "f8e4m3[?,?]", "f32[?,?]", "f32[?,?]")
    assert layout_of(both, *types, target="pvc", BM=128, BN=128).count("memref.alloca") == 2
    assert layout_of(both, *types, target="bmg", BM=128, BN=128).count("memref.alloca") == 0
    assert layout_of(both, "i8[?,?]", "i8[?,?]", *types[2:], target="pvc", BM=32, BN=32).count("memref.alloca") == 0


@xt.jit
def chased(A, B, Next, C):
    """Where the next tile is, this iteration loads: that is no array's place which follows from the counter alone."""
    acc, at = xt.zeros((64, 64), xt.f32), 0
    for k in range(0, A.shape[1], 32):
        b = xt.load_tile(xt.init_tile(B, (at, 0), (32, 64))).to(xt.f16)
        acc += xt.load_tile(xt.init_tile(A, (0, k), (64, 32))) @ b
        at = Next[at]
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (64, 64)))


def test_what_an_array_leads_to_is_shared():
    """Arrays that nobody writes lead an iteration earlier to the same place."""
    rng = np.random.default_rng(7)
    a, b = rng.integers(-4, 5, (64, 96)).astype(np.float16), rng.integers(-4, 5, (128, 64)).astype(np.int8)
    following = np.zeros(128, np.int32)
    following[[0, 64, 32]] = 64, 32, 96
    exact = sum(a[:, i * 32 : i * 32 + 32].astype(np.float64) @ b[at : at + 32] for i, at in enumerate((0, 64, 32)))
    given = {"A": a, "B": b, "Next": following, "C": np.zeros((64, 64), np.float32)}
    run = Launch(chased, given, {"C": exact.astype(np.float32)}, (1, 1), {}, 8, targets=("bmg",))
    run.at_levels("bmg")
    run.on_device("sim:bmg")
    assert "memref.alloca" in layout_of(chased, "f16[?,?]", "i8[?,?]", "i32[?]", "f32[?,?]")


def test_too_large_a_step_has_one_buffer_alone():
    """Two halves of each would take more than half of shared memory: one each takes another barrier."""
    types = ("f8e4m3[?,?]", "f8e4m3[?,?]", "f32[?,?]", "f32[?,?]")
    text = layout_of(both, *types, BM=128, BN=128, BK=128)
    assert text.count("memref.alloca() : memref<128x128xf16") == 2 and text.count("gpu.barrier") == 3
