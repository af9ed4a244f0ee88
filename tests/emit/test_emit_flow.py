"""Loops and branches with carried values."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emit.kernels import LANES, Kernel
from tests.spirv.device import Device
from xetile.dialects import arith, scf, vector
from xetile.dialects.types import F32, I1, I32, INDEX, VectorType
from xetile.ir.core import Block


def test_for_sums_and_counts(cpu: Device) -> None:
    """Carried: a vector of 11 and a scalar; bounds known at run time."""
    kernel = Kernel([F32, F32, I32], [INDEX])
    build, type = kernel.build, VectorType((11,), F32)
    start, zero = kernel.load(0, 11), kernel.constant(0, I32)
    body = Block([INDEX, type, I32])
    loop = build.op(scf.For, kernel.index(2), kernel.args[3], kernel.index(3), (start, zero), regions=[body], values=[type, I32])
    with build.at(body):
        k = build(arith.IndexCast, body.args[0], result=I32)
        build(scf.Yield, (build(arith.AddF, body.args[1], start), build(arith.AddI, body.args[2], k)))
    kernel.store(loop.results[0], 1)
    kernel.store(loop.results[1], 2)
    a = np.random.rand(LANES * 11).astype(np.float32)
    got = kernel.run(cpu, a, np.zeros_like(a), np.zeros(LANES, np.int32), np.int32(13))
    np.testing.assert_allclose(got[1], a * (1 + len(range(2, 13, 3))), rtol=1e-6)
    assert (got[2] == sum(range(2, 13, 3))).all()


@pytest.mark.parametrize("trips", [0, 1, 4])
def test_for_rotates_its_values(cpu: Device, trips: int) -> None:
    """Each value comes from the other: phis read what was before the iteration."""
    kernel = Kernel([I32, I32, I32, I32], [INDEX])
    build, type = kernel.build, VectorType((4,), I32)
    body = Block([INDEX, type, type])
    init = (kernel.load(0, 4), kernel.load(1, 4))
    loop = build.op(scf.For, kernel.index(0), kernel.args[4], kernel.index(1), init, regions=[body], values=[type, type])
    with build.at(body):
        build(scf.Yield, (body.args[2], body.args[1]))
    kernel.store(loop.results[0], 2)
    kernel.store(loop.results[1], 3)
    a, b = np.arange(LANES * 4, dtype=np.int32), np.arange(LANES * 4, dtype=np.int32) + 100
    got = kernel.run(cpu, a, b, np.zeros_like(a), np.zeros_like(a), np.int32(trips))
    expected = (a, b) if trips % 2 == 0 else (b, a)
    assert (got[2] == expected[0]).all() and (got[3] == expected[1]).all()


def test_nested_loops_with_a_branch_inside(cpu: Device) -> None:
    kernel = Kernel([I32])
    build = kernel.build
    outer, inner = Block([INDEX, I32]), Block([INDEX, I32])
    first = build.op(
        scf.For, kernel.index(0), kernel.index(5), kernel.index(1), (kernel.constant(0, I32),), regions=[outer], values=[I32]
    )
    with build.at(outer):
        i = outer.args[0]
        second = build.op(scf.For, kernel.index(0), i, kernel.index(1), (outer.args[1],), regions=[inner], values=[I32])
        with build.at(inner):
            odd = build(arith.TruncI, build(arith.IndexCast, inner.args[0], result=I32), result=I1)
            branch = build.op(scf.If, odd, regions=[Block(), Block()], values=[I32])
            with build.at(branch.then):
                build(scf.Yield, (build(arith.AddI, inner.args[1], kernel_constant(build, 10)),))
            with build.at(branch.otherwise):
                build(scf.Yield, (build(arith.AddI, inner.args[1], kernel_constant(build, 1)),))
            build(scf.Yield, (branch.results[0],))
        build(scf.Yield, (second.results[0],))
    kernel.store(first.results[0], 0)
    expected = sum(10 if j % 2 else 1 for i in range(5) for j in range(i))
    assert (kernel.run(cpu, np.zeros(LANES, np.int32))[0] == expected).all()


def kernel_constant(build, value: int):
    return build(arith.Constant, value=value, result=I32)


def test_while_computes_until_its_condition_fails(cpu: Device) -> None:
    """Collatz steps; lanes leave at different times, and what passes out differs in type from what is carried."""
    kernel = Kernel([I32, I32])
    build = kernel.build
    before, after = Block([I32, I32]), Block([I32, I32])
    loop = build.op(scf.While, (kernel.load(0, scalar=True), kernel.constant(0, I32)), regions=[before, after], values=[I32, I32])
    with build.at(before):
        value, steps = before.args
        go_on = build(arith.CmpI, value, kernel_constant(build, 1), predicate="ne")
        build(scf.Condition, go_on, (steps, value))
    with build.at(after):
        steps, value = after.args
        odd = build(arith.TruncI, value, result=I1)
        half = build(arith.DivSI, value, kernel_constant(build, 2))
        triple = build(arith.AddI, build(arith.MulI, value, kernel_constant(build, 3)), kernel_constant(build, 1))
        build(scf.Yield, (build(arith.Select, odd, triple, half), build(arith.AddI, steps, kernel_constant(build, 1))))
    kernel.store(loop.results[0], 1)

    def collatz(n: int) -> int:
        return 0 if n == 1 else 1 + collatz(n // 2 if n % 2 == 0 else 3 * n + 1)

    a = np.arange(1, LANES + 1, dtype=np.int32)
    assert kernel.run(cpu, a, np.zeros_like(a))[1].tolist() == [collatz(int(n)) for n in a]


def test_a_value_used_in_a_branch_and_behind_it(cpu: Device) -> None:
    """What a branch makes of a value (here its view as f32) is not there behind the branch, and is made again."""
    kernel = Kernel([I32, F32, F32])
    build, type = kernel.build, VectorType((11,), F32)
    words = kernel.load(0, 11)
    view = build(vector.Bitcast, words, result=type)
    test = build(arith.CmpI, kernel.lane, kernel.index(5), predicate="slt")
    branch = build.op(scf.If, test, regions=[Block(), Block()], values=[])
    with build.at(branch.then):
        kernel.store(build(arith.AddF, view, view), 1)
        build(scf.Yield)
    kernel.store(build(arith.MulF, view, view), 2)
    a = np.random.rand(LANES * 11).astype(np.float32)
    got = kernel.run(cpu, a.view(np.int32), np.zeros_like(a), np.zeros_like(a))
    assert (got[1][: 5 * 11] == 2 * a[: 5 * 11]).all() and (got[1][5 * 11 :] == 0).all()
    np.testing.assert_allclose(got[2], a * a, rtol=1e-6)
