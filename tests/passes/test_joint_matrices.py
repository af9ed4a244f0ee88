"""Joint matrices (seed 004): who owns which element, and each pass keeps what a module means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret

from xetile.dialects import arith, gpu, scf
from xetile.dialects import joint_matrix as jm
from xetile.dialects.types import BF16, F32, I8, I32, INDEX, MemRefType, ScalarType
from xetile.errors import VerifyError
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Value
from xetile.ir.printer import print_op
from xetile.ir.verifier import verify
from xetile.passes.lane.lower.joint_matrices import JOINT_MATRICES
from xetile.target import get_target

SHAPES = ((4, 5, 4), (3, 5, 4), (12, 12, 16), (2, 2, 16))
"""Rows, columns, subgroup size; the second and the last leave places without elements."""


class Kernel:
    """A module of one subgroup on arrays of one dimension, and scalars behind them."""

    def __init__(self, size: int, *elements: ScalarType, scalars: tuple[ScalarType, ...] = ()) -> None:
        types = [*(MemRefType((None,), e, (1,)) for e in elements), *scalars]
        names = [f"a{i}" for i in range(len(types))]
        self.module = gpu.new_module("k", types, [], names, num_subgroups=1, subgroup_size=size, level="lane")
        self.build = Builder(self.module.kernel.body)
        self.args = self.module.kernel.body.args

    def index(self, value: int) -> Value:
        return self.build(arith.Constant, value=value, result=INDEX)

    def load(self, at: int, shape: tuple[int, int], use: str = "acc", layout: str = "row", stride: int = 0) -> Value:
        memory = self.args[at]
        kind = jm.JointMatrixType(shape, memory.type.element, use)
        return self.build(jm.Load, memory, self.index(0), self.index(stride or shape[1]), layout=layout, result=kind)

    def store(self, value: Value, at: int) -> None:
        self.build.op(jm.Store, value, self.args[at], self.index(0), self.index(value.type.shape[1]))

    def loop(self, matrix: Value, body: Any) -> Value:
        """`body(matrix, index)` for each place of a work-item's slice."""
        length = self.build(jm.SliceLength, matrix)
        block = Block([INDEX, matrix.type])
        with self.build.at(block):
            self.build(scf.Yield, [body(block.args[1], block.args[0])])
        low, step = self.index(0), self.index(1)
        return self.build.op(scf.For, low, length, step, [matrix], regions=[block], values=[matrix.type]).results[0]

    def done(self) -> gpu.GpuModule:
        self.build(gpu.Return)
        verify(self.module)
        return self.module


def levels(make: Any) -> Iterator[gpu.GpuModule]:
    """A module as it is made, and after each pass more; made anew each time, since passes change modules in place."""
    for count in range(len(JOINT_MATRICES) + 1):
        module = make()
        for step in JOINT_MATRICES[:count]:
            module = step(module, get_target("cpu"))
            verify(module)
        yield module


def run(module: gpu.GpuModule, *args: Any) -> None:
    interpret(module, (1, 1, 1), args, level="lane")


def scaled(rows: int, columns: int, size: int) -> gpu.GpuModule:
    """The seed's example: C *= alpha."""
    k = Kernel(size, F32, scalars=(F32,))

    def body(matrix: Value, i: Value) -> Value:
        x = k.build(jm.SliceExtract, matrix, i)
        return k.build(jm.SliceInsert, k.build(arith.MulF, x, k.args[1]), matrix, i)

    k.store(k.loop(k.load(0, (rows, columns)), body), 0)
    return k.done()


@pytest.mark.parametrize("rows, columns, size", SHAPES)
def test_each_level_scales_every_element(rows, columns, size):
    c = np.arange(rows * columns, dtype=np.float32) + 1
    for module in levels(lambda: scaled(rows, columns, size)):
        got = c.copy()
        run(module, got, np.float32(3))
        np.testing.assert_array_equal(got, c * 3)
    text = print_op(module)
    assert "extract_row_slice" in text
    assert f"vector<{size}xf32>" in text
    assert "wi_slice" not in text
    assert "row_slice_id" not in text


@pytest.mark.parametrize("rows, columns, size", SHAPES)
def test_elements_are_dealt_out_in_row_major_order(rows, columns, size):
    """Each work-item writes its number: the seed's figure."""
    k = Kernel(size, I32)
    lane = k.build(arith.IndexCast, k.build(gpu.LaneId), result=I32)
    zero = k.build(arith.Constant, value=0, result=I32)
    matrix = k.build(jm.Fill, zero, result=jm.JointMatrixType((rows, columns), I32, "acc"))
    k.store(k.loop(matrix, lambda m, i: k.build(jm.SliceInsert, lane, m, i)), 0)
    module, got = k.done(), np.full(rows * columns, -1, np.int32)
    run(module, got)
    np.testing.assert_array_equal(got, np.arange(rows * columns) % size)
    if (rows, columns, size) == (4, 5, 4):
        owned = [tuple(map(int, at)) for at in zip(*np.nonzero(got.reshape(4, 5) == 0))]
        assert owned == [(0, 0), (0, 4), (1, 3), (2, 2), (3, 1)]
        assert jm.JointMatrixType((4, 5), I32, "acc").slice_length(4) == 5


@pytest.mark.parametrize("rows, columns, size", SHAPES)
@pytest.mark.parametrize("value", [0.0, -0.0, 2.5])
def test_fills_at_each_level(rows, columns, size, value):
    def make() -> gpu.GpuModule:
        k = Kernel(size, F32)
        filled = k.build(arith.Constant, value=value, result=F32)
        k.store(k.build(jm.Fill, filled, result=jm.JointMatrixType((rows, columns), F32, "acc")), 0)
        return k.done()

    for module in levels(make):
        got = np.full(rows * columns, 7, np.float32)
        run(module, got)
        np.testing.assert_array_equal(got.view(np.int32), np.full(rows * columns, value, np.float32).view(np.int32))
    assert print_op(module).count("scf.for") == (1 if str(value) != "0.0" else 0)


@pytest.mark.parametrize("element, sums, group", [(BF16, F32, 2), (I8, I32, 4)])
def test_products_of_packed_operands(element, sums, group):
    m, n, depth, rng = 4, 6, 8, np.random.default_rng(0)
    k = Kernel(16, element, element, sums)
    a, b = k.load(0, (m, depth), "a"), k.load(1, (depth, n), "b", "packed", stride=n * group)
    k.store(k.build(jm.Mad, a, b, k.load(2, (m, n))), 2)
    left, right = (rng.integers(-8, 8, s) for s in ((m, depth), (depth, n)))
    packed = right.reshape(depth // group, group, n).transpose(0, 2, 1)
    c = np.ones(m * n, np.float32 if sums is F32 else np.int32)
    kind = np.int8 if element is I8 else ml_dtypes.bfloat16
    run(k.done(), left.astype(kind).ravel(), packed.astype(kind).ravel(), c)
    np.testing.assert_array_equal(c.reshape(m, n), left @ right + 1)


def test_what_does_not_fit_is_refused():
    k = Kernel(16, BF16, BF16, F32)
    a, b = k.load(0, (4, 8), "a"), k.load(1, (6, 4), "b", "packed")
    k.build(jm.Mad, a, b, k.load(2, (4, 4)))
    with pytest.raises(VerifyError, match="by"):
        k.done()
