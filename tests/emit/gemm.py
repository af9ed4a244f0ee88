"""The lane-level matrix product that the passes make of 256x256x32 tiles on 8x4 subgroups, built by hand."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from xetile.dialects import arith, gpu, scf, vector, xegpu
from xetile.dialects.types import F16, F32, INDEX, MemRefType, ScalarType, VectorType
from xetile.ir.builder import Builder
from xetile.ir.core import UNIT, Block, Value


@dataclass
class Numbers:
    """Index arithmetic on a builder."""

    build: Builder

    def __call__(self, value: int) -> Value:
        return self.build(arith.Constant, value=value, result=INDEX)

    def add(self, a: Value, b: Value | int) -> Value:
        return self.build(arith.AddI, a, b if isinstance(b, Value) else self(b))

    def times(self, a: Value, factor: int) -> Value:
        return self.build(arith.MulI, a, self(factor))

    def divide(self, a: Value, by: int) -> Value:
        return self.build(arith.ShRUI, a, self(by.bit_length() - 1))

    def rest(self, a: Value, by: int) -> Value:
        return self.build(arith.AndI, a, self(by - 1))


def desc(element: ScalarType, rows: int, columns: int, count: int = 1) -> xegpu.TensorDescType:
    return xegpu.TensorDescType((rows, columns), element, xegpu.BlockAttr(array_length=count))


def build_gemm(element: ScalarType = F16, prefetch: bool = True) -> gpu.GpuModule:
    """C[M, N] f32 = A[M, K] @ B[K, N] for 16-bit elements; arguments A, B, C, M, N, K, lda, ldb, ldc."""
    source, dest = MemRefType((None, None), element, (None, 1)), MemRefType((None, None), F32, (None, 1))
    names = ["A", "B", "C", "M", "N", "K", "lda", "ldb", "ldc"]
    module = gpu.new_module("gemm", [source, source, dest, *[INDEX] * 6], [], names, num_subgroups=32, subgroup_size=16)
    a, b, c, rows, columns, depth, lda, ldb, ldc = module.kernel.body.args
    build = Builder(module.kernel.body)
    number = Numbers(build)
    one = number(1)
    load_a = build(xegpu.CreateNdTdesc, a, (), (rows, depth), (lda, one), result=desc(element, 32, 16, 2))
    load_b = build(xegpu.CreateNdTdesc, b, (), (depth, columns), (ldb, one), result=desc(element, 32, 16, 2))
    store_c = build(xegpu.CreateNdTdesc, c, (), (rows, columns), (ldc, one), result=desc(F32, 8, 16))
    near_a = build(xegpu.CreateNdTdesc, a, (), (rows, depth), (lda, one), result=desc(element, 8, 16, 2))
    near_b = build(xegpu.CreateNdTdesc, b, (), (depth, columns), (ldb, one), result=desc(element, 8, 16, 2))
    m, n, ahead_m, ahead_k, ahead_n = _places(build, number)

    def bring(column: Value, row: Value) -> None:
        build(xegpu.PrefetchNd, near_a, (ahead_m, column))
        build(xegpu.PrefetchNd, near_b, (row, ahead_n))

    for k in (0, 32, 64) if prefetch else ():
        bring(number(k), number.add(ahead_k, k))

    def load(k: Value) -> tuple[Value, list[Value]]:
        block = VectorType((64,), element)
        part_a = build(xegpu.LoadNd, load_a, (m, k), value=block)
        return part_a, [build(xegpu.LoadNd, load_b, (k, number.add(n, 32 * j)), packed=UNIT, value=block) for j in range(2)]

    def step(k: Value) -> tuple[Value, list[Value]]:
        loaded = load(k)
        if prefetch:
            later = number.add(k, 96)
            bring(later, number.add(later, ahead_k))
        return loaded

    results = _loop(build, number(0), depth, number(32), step)
    for i in range(4):
        for j in range(4):
            build(xegpu.StoreNd, results[4 * i + j], store_c, (number.add(m, 8 * i), number.add(n, 16 * j)))
    build(gpu.Return)
    return module


def _places(build: Builder, number: Numbers) -> tuple[Value, ...]:
    """Where a subgroup works: row and column of C, row of A, row of B within a step, and column of B that it prefetches."""
    subgroup = build(gpu.SubgroupId)
    m0 = number.times(build(gpu.BlockId, dimension="y"), 256)
    n0 = number.times(build(gpu.BlockId, dimension="x"), 256)
    m = number.add(m0, number.times(number.divide(subgroup, 4), 32))
    n = number.add(n0, number.times(number.rest(subgroup, 4), 64))
    ahead_m = number.add(m0, number.times(subgroup, 8))
    ahead_k = number.times(number.divide(subgroup, 8), 8)
    ahead_n = number.add(n0, number.times(number.rest(subgroup, 8), 32))
    return m, n, ahead_m, ahead_k, ahead_n


def _loop(build: Builder, start: Value, stop: Value, step: Value, load: Any) -> Any:
    """Steps over K: `load(k)` gives A and both halves of B."""
    tile = VectorType((8,), F32)
    zero = build(arith.Constant, value=0.0, result=tile)
    body = Block([INDEX, *[tile] * 16], ["k"])
    loop = build.op(scf.For, start, stop, step, [zero] * 16, regions=[body], values=[tile] * 16)
    with build.at(body):
        k, *acc = body.args
        part_a, parts_b = load(k)
        for half, j, i in product(range(2), range(4), range(4)):
            lhs = _slice(build, part_a, 32 * half + 8 * i, 8)
            rhs = _slice(build, parts_b[j // 2], 32 * (j % 2) + 16 * half, 16)
            acc[4 * i + j] = build(xegpu.Dpas, lhs, rhs, acc[4 * i + j])
        build(scf.Yield, acc)
    return loop.results


def _slice(build: Builder, value: Value, start: int, count: int) -> Value:
    made: Value = build(vector.ExtractStridedSlice, value, offsets=(start,), sizes=(count,), strides=(1,))
    return made
