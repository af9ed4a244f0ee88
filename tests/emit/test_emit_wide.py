"""Arithmetic on two registers of f32 at a time, by assembly that devices which emulate have as functions."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.spirv.emit.emitter import emit
from xetile.backends.spirv.module.binary import Binary

from tests.emit.kernels import LANES, Kernel
from tests.spirv.device import Device
from tests.tools import ocloc_compile
from xetile.dialects import arith, gpu, math, scf, vector, xegpu, xetile
from xetile.dialects.types import F16, F32, INDEX, VectorType
from xetile.ir.core import Block

EIGHT = VectorType((8,), F32)
COMPUTED = {
    "sum": lambda k, x, y: k.build(arith.AddF, x, y),
    "difference": lambda k, x, y: k.build(arith.SubF, x, y),
    "from a number": lambda k, x, y: k.build(arith.SubF, k.constant(2.5, EIGHT), x),
    "less a number": lambda k, x, y: k.build(arith.SubF, x, k.constant(2.5, EIGHT)),
    "times an argument": lambda k, x, y: k.build(arith.MulF, k.build(vector.Broadcast, k.args[-1], result=EIGHT), y),
    "rounded once": lambda k, x, y: k.build(math.Fma, x, y, x),
    "rounded once, a number": lambda k, x, y: k.build(math.Fma, x, k.constant(0.3, EIGHT), y),
    "rounded once, an argument": lambda k, x, y: k.build(math.Fma, k.build(vector.Broadcast, k.args[-1], result=EIGHT), y, x),
    "larger": lambda k, x, y: k.build(arith.MaxNumF, x, y, **{"xetile.either_zero": True}),
    "smaller": lambda k, x, y: k.build(arith.MinNumF, x, y, **{"xetile.either_zero": True}),
    "power": lambda k, x, y: k.build(math.Exp2, x),
    "exponential": lambda k, x, y: k.build(math.Exp, x),
    "power of a sum with a row": lambda k, x, y: k.build(math.Exp2, k.build(arith.AddF, x, row(k, y))),
    "spread": lambda k, x, y: k.build(arith.SubF, x, spread(k, y)),
    "halves": lambda k, x, y: k.build(arith.AddF, x, k.build(vector.Shuffle, y, y, mask=(4, 5, 6, 7, 0, 1, 2, 3))),
}
EXPECTED = {
    "sum": lambda x, y: x + y,
    "difference": lambda x, y: x - y,
    "from a number": lambda x, y: np.float32(2.5) - x,
    "less a number": lambda x, y: x - np.float32(2.5),
    "times an argument": lambda x, y: np.float32(0.3) * y,
    "rounded once": lambda x, y: np.float32(x * np.float64(y) + x),
    "rounded once, a number": lambda x, y: np.float32(x * np.float64(np.float32(0.3)) + y),
    "rounded once, an argument": lambda x, y: np.float32(y * np.float64(np.float32(0.3)) + x),
    "larger": np.fmax,
    "smaller": np.fmin,
    "power": lambda x, y: np.exp2(x),
    "exponential": lambda x, y: np.exp(x),
    "power of a sum with a row": lambda x, y: np.exp2(x + y[:, :1]),
    "spread": lambda x, y: x - y[4:12, 0],
    "halves": lambda x, y: x + np.roll(y, 4, 1),
}


@pytest.fixture(autouse=True)
def for_intel(monkeypatch):
    """As if each kernel had blocks: those of scattered access alone have no assembly."""
    monkeypatch.setattr(xegpu, "has_blocks", lambda kernel: True)


def row(kernel: Kernel, value):
    """The first number of each lane."""
    return kernel.build(vector.Broadcast, kernel.build(vector.Extract, value, position=(0,)), result=EIGHT)


def spread(kernel: Kernel, value):
    """The first numbers of lanes 4 to 11."""
    first = kernel.build(vector.Extract, value, position=(0,))
    width = kernel.index(LANES)
    taken = [kernel.build.op(gpu.Shuffle, first, kernel.index(4 + i), width, mode="idx").results[0] for i in range(8)]
    made = kernel.build(vector.Broadcast, taken[0], result=EIGHT)
    for i in range(1, 8):
        made = kernel.build(vector.Insert, taken[i], made, position=(i,))
    return made


def test_what_is_computed(cpu: Device) -> None:
    kernel = Kernel([F32, F32, *[F32] * len(COMPUTED)], [F32])
    x, y = kernel.load(0, 8), kernel.load(1, 8)
    for at, compute in enumerate(COMPUTED.values(), 2):
        kernel.store(compute(kernel, x, y), at)
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((LANES, 8)).astype(np.float32) for _ in range(2))
    a[3, 2] = b[5, 1] = np.nan
    got = kernel.run(cpu, a.ravel(), b.ravel(), *(np.zeros(a.size, np.float32) for _ in COMPUTED), np.float32(0.3))[2:]
    for result, (name, expected) in zip(got, EXPECTED.items(), strict=True):
        limit = 1e-6 if name.startswith(("power", "exponential")) else 0
        np.testing.assert_allclose(result.reshape(LANES, 8), expected(a, b), rtol=limit, err_msg=name)


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", ["add", "maxnumf", "minnumf"])
def test_each_lane_gets_one_of_what_is_reduced(cpu: Device, kind: str) -> None:
    kernel = Kernel([F32, F32])
    kernel.store(kernel.build(xetile.ReduceLines, kernel.load(0, LANES), kind=kind), 1)
    a = np.random.default_rng(1).standard_normal((LANES, LANES)).astype(np.float32)
    got = kernel.run(cpu, a.ravel(), np.zeros(LANES, np.float32))[1]
    expected = {"add": np.sum, "maxnumf": np.max, "minnumf": np.min}[kind](a, axis=0)
    np.testing.assert_allclose(got, expected, rtol=1e-5)


def pieces(spirv: bytes) -> int:
    """Calls of assembly."""
    return sum(i.name == "OpAsmCallINTEL" for i in Binary(spirv).instructions)


NUMBERS = {
    "lanes": lambda k: k.lane,
    "some lanes": lambda k: k.build(gpu.SubgroupReduce, k.lane, kind="add", cluster_size=4),
    "a workgroup": lambda k: k.build(gpu.BlockId, dimension="x"),
    "a subgroup": lambda k: k.build(gpu.SubgroupReduce, k.lane, kind="add"),
}


def added(in_branch_of: str) -> Kernel:
    """A sum in a branch by a number of each lane's, or of many lanes."""
    kernel = Kernel([F32, F32], target="bmg")
    x = kernel.load(0, 8)
    number = NUMBERS[in_branch_of](kernel)
    condition = kernel.build(arith.CmpI, number, kernel.constant(3, INDEX), predicate="ult")
    branch = kernel.build.op(scf.If, condition, regions=[Block(), Block()], values=[EIGHT])
    for block, of in zip((branch.then, branch.otherwise), (arith.AddF, arith.MulF), strict=True):
        with kernel.build.at(block):
            kernel.build(scf.Yield, (kernel.build(of, x, x),))
    kernel.store(branch.results[0], 1)
    kernel.build(gpu.Return)
    return kernel


def test_lanes_that_go_their_own_ways_compute_their_own_numbers() -> None:
    """A piece writes the registers of all lanes, whoever runs it."""
    found = {name: pieces(emit(k.module, k.target).spirv) for name in NUMBERS for k in [added(name)]}
    assert found["lanes"] == found["some lanes"] == 0 < min(found["a workgroup"], found["a subgroup"])


@pytest.mark.parametrize("of, fast, expected", [
    ("product and sum", False, 5), ("product and sum", True, 0), ("product and difference", True, 0), ("sum and product", True, 5),
    ("part of a product and sum", True, 0), ("power", True, 1), ("product, sum and more", False, 9), ("product, sum and more", True, 9),
    ("product, sum and more, no DPAS", True, 1),
])  # fmt: skip
def test_with_fast_math_products_are_joined_with_sums(of: str, fast: bool, expected: int) -> None:
    """By the compiler, in one instruction; everything else is two registers at a time."""
    kernel = Kernel([F32, F32], target="bmg")
    x, build = kernel.load(0, 8), kernel.build
    match of:
        case "product and sum":
            made = build(arith.AddF, build(arith.MulF, x, x), x)
        case "product and difference":
            made = build(arith.SubF, x, build(arith.MulF, x, x))
        case "sum and product":
            made = build(arith.MulF, build(arith.AddF, x, x), x)
        case "part of a product and sum":
            turned = build(vector.Shuffle, (squares := build(arith.MulF, x, x)), squares, mask=(4, 5, 6, 7, 0, 1, 2, 3))
            made = build(arith.AddF, turned, x)
        case "product, sum and more" | "product, sum and more, no DPAS":  # the product is computed anyway
            if not of.endswith("no DPAS"):
                build(xegpu.Dpas, *(kernel.constant(1.0, VectorType((n,), F16)) for n in (8, 16)), result=EIGHT)
            more = build(arith.AddF, (squares := build(arith.MulF, x, x)), x)
            made = build(arith.MaxNumF, more, squares, **{"xetile.either_zero": True})
        case _:
            made = build(math.Exp2, x)
    kernel.store(made, 1)
    build(gpu.Return)
    kernel.module.kernel.attributes["fast_math"] = fast
    assert pieces(emit(kernel.module, kernel.target).spirv) == expected


STARTS = {
    "row": (
        lambda k, x: k.build(vector.Broadcast, k.build(vector.Extract, x, position=(0,)), result=EIGHT),
        lambda a: a[None, :, 0],
    ),
    "column": (spread, lambda a: a[4:12, 0][:, None]),
}


def started(of: str, target: str | None = None) -> Kernel:
    """A product of ones that begins with a row, or with a column."""
    kernel = Kernel([F32, F32], **({"target": target} if target else {}))
    ones = (kernel.constant(1.0, VectorType((n,), F16)) for n in (8, 16))
    kernel.store(kernel.build(xegpu.Dpas, *ones, STARTS[of][0](kernel, kernel.load(0, 8)), result=EIGHT), 1)
    return kernel


@pytest.mark.every(2)
@pytest.mark.parametrize("of", STARTS)
def test_products_begin_with_rows_and_columns(cpu: Device, of: str) -> None:
    a = np.random.default_rng(2).integers(-9, 9, (LANES, 8)).astype(np.float32)
    got = started(of).run(cpu, a.ravel(), np.zeros(a.size, np.float32))[1].reshape(LANES, 8).T
    np.testing.assert_array_equal(got, np.broadcast_to(STARTS[of][1](a), got.shape) + 16)


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("of", STARTS)
def test_what_products_begin_with_is_one_piece(of: str, target: str) -> None:
    emitted = started(of, target).emit()
    assert pieces(emitted.spirv) == 1
    ocloc_compile(emitted.spirv, target)


def test_sums_with_rows_are_pieces_unless_they_go_on_as_a_whole() -> None:
    found = []
    for further in (True, False):
        kernel = Kernel([F32, F32], target="bmg")
        x = kernel.load(0, 8)
        made = kernel.build(arith.AddF, x, row(kernel, x))
        kernel.store(kernel.build(math.Exp2, made) if further else made, 1)
        kernel.build(gpu.Return)
        found.append(pieces(emit(kernel.module, kernel.target).spirv))
    assert found[0] > found[1] == 0


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_pieces_compile(target: str) -> None:
    kernel = Kernel([F32, F32, *[F32] * len(COMPUTED)], [F32], target=target)
    x, y = kernel.load(0, 8), kernel.load(1, 8)
    for at, compute in enumerate(COMPUTED.values(), 2):
        kernel.store(compute(kernel, x, y), at)
    emitted = kernel.emit()
    assert pieces(emitted.spirv)
    ocloc_compile(emitted.spirv, target)
