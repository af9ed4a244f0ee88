"""A GEMM for PVC and Xe2 written by hand with the module writer: C[M, N] f32 = A[M, K] @ B[K, N], f16, run-time sizes.

A workgroup makes 256 x 256 of C with 32 subgroups of 32 x 64 each.  For a K step of 32, one message fetches a subgroup's A, two
its B.
"""

from __future__ import annotations

from dataclasses import dataclass

from xetile.backends.spirv.module.function import BasicBlock, Function
from xetile.backends.spirv.module.module import Id, Module
from xetile.backends.spirv.module.shapes import MATRICES

TILE, STEP, LOCAL_SIZE = 256, 32, (512, 1, 1)
F16 = next(row for row in MATRICES if (row.a, row.c, row.subgroup_size) == ("f16", "f32", 16))


@dataclass
class Region:
    """A matrix in memory: base, width and pitch in bytes, rows."""

    base: Id
    width: Id
    rows: Id


class Gemm:
    """One kernel under construction."""

    def __init__(self) -> None:
        self.m = m = Module()
        self.word, self.f32 = m.type.int(32), m.type.float(32)
        self.pair = m.type.vector(self.word, 2)
        self.a_vector, self.b_vector = m.type.vector(m.type.int(16), 8), m.type.vector(self.word, 8)
        self.c_vector = m.type.vector(self.f32, 8)
        pointer = m.type.pointer("CrossWorkgroup", m.type.int(8))
        self.fn: Function = m.kernel(
            "gemm",
            [pointer] * 3 + [self.word] * 3,
            subgroup_size=16,
            local_size=LOCAL_SIZE,
            param_names=["A", "B", "C", "M", "N", "K"],
        )
        self.b: BasicBlock = self.fn.block("entry")

    def number(self, value: int) -> Id:
        return self.m.constant(self.word, value)

    def op(self, name: str, x: Id, y: Id | int) -> Id:
        return self.b.emit(name, self.word, x, self.number(y) if not isinstance(y, Id) else y)

    def region(self, base: Id, columns: Id, rows: Id, size: int) -> Region:
        return Region(base, self.op("OpIMul", columns, size), rows)

    def block(self, kind: str, shape: tuple[int, int, int, int], memory: Region, x: Id, y: Id, private: Id | None = None) -> None:
        where = self.b.emit("OpCompositeConstruct", self.pair, x, y)
        sizes = [self.number(n) for n in shape]
        region = [memory.base, memory.width, memory.rows, memory.width, where]
        operands = [private, *region] if kind == "Store" else [*region, *([private] if private else [])]
        self.b.emit(f"OpSubgroup2DBlock{kind}INTEL", *sizes, *operands)

    def group_start(self, axis: int) -> Id:
        wide = self.b.emit("OpCompositeExtract", self.m.type.int(64), self.fn.builtin("WorkgroupId"), axis)
        return self.op("OpIMul", self.b.emit("OpUConvert", self.word, wide), TILE)

    def slices(self, array: Id, element: Id, count: int) -> list[Id]:
        pointer = self.m.type.pointer("Function", element)
        return [self.b.load(element, self.b.emit("OpInBoundsAccessChain", pointer, array, self.number(n))) for n in range(count)]


def gemm() -> bytes:
    """The module."""
    g = Gemm()
    a, b, c, m, n, k = g.fn.params
    va = g.fn.variable(g.m.type.array(g.a_vector, 8), "a")
    vb = [g.fn.variable(g.m.type.array(g.b_vector, 4), f"b{half}") for half in range(2)]
    subgroup = g.b.emit("OpGroupNonUniformBroadcastFirst", g.word, g.m.scope("Subgroup"), g.fn.builtin("SubgroupId"))
    row = g.op("OpIAdd", g.group_start(1), g.op("OpIMul", g.op("OpShiftRightLogical", subgroup, 2), 32))
    column = g.op("OpIAdd", g.group_start(0), g.op("OpIMul", g.op("OpBitwiseAnd", subgroup, 3), 64))
    a_region, b_region, c_region = g.region(a, k, m, 2), g.region(b, n, k, 2), g.region(c, n, m, 4)

    entry, (head, body, proceed, leave) = g.b, (g.fn.block(name) for name in ("head", "body", "continue", "exit"))
    entry.branch(head)
    at = head.phi(g.word, (g.number(0), entry))
    zero = g.m.constant(g.c_vector, 0.0)
    sums = [[head.phi(g.c_vector, (zero, entry)) for _ in range(4)] for _ in range(4)]
    more = head.emit("OpULessThan", g.m.type.bool, at, k)
    head.loop_merge(leave, proceed, "DontUnroll")
    head.branch_if(more, body, leave)

    g.b = body
    g.block("Load", (2, 16, 32, 2), a_region, at, row, va)
    for half in range(2):
        g.block("LoadTransform", (2, 16, 32, 2), b_region, g.op("OpIAdd", column, 32 * half), at, vb[half])
    ahead = g.op("OpIAdd", at, 3 * STEP)
    g.block("Prefetch", (2, 16, 8, 2), a_region, ahead, row)
    values = multiply(g, g.slices(va, g.a_vector, 8), [g.slices(v, g.b_vector, 4) for v in vb], sums)
    body.branch(proceed)
    g.b = proceed
    at.add(g.op("OpIAdd", at, STEP), proceed)
    proceed.branch(head)
    for phis, results in zip(sums, values, strict=True):
        for phi, value in zip(phis, results, strict=True):
            phi.add(value, proceed)

    g.b = leave
    store(g, c_region, row, column, sums)
    leave.ret()
    return g.m.finish()


def multiply(g: Gemm, a: list[Id], b: list[list[Id]], sums: list[list[Id]]) -> list[list[Id]]:
    """Two products of depth 16 for each 8 x 16 of C."""
    for half in range(2):
        sums = [
            [
                g.b.emit(
                    "OpSubgroupMatrixMultiplyAccumulateINTEL",
                    g.c_vector,
                    g.number(16),
                    a[half * 4 + i],
                    b[j // 2][j % 2 * 2 + half],
                    sums[i][j],
                    F16.operands,
                )
                for j in range(4)
            ]
            for i in range(4)
        ]
    return sums


def store(g: Gemm, c: Region, row: Id, column: Id, sums: list[list[Id]]) -> None:
    """The subgroup's 32 x 64 of C, 8 x 16 a message."""
    private = g.fn.variable(g.c_vector, "c")
    for i in range(4):
        for j in range(4):
            g.b.store(private, sums[i][j])
            x, y = g.op("OpIAdd", column, 16 * j), g.op("OpIAdd", row, 8 * i)
            g.block("Store", (4, 16, 8, 1), c, x, y, private)
