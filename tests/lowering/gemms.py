"""The workgroup-level products of seed 000's appendices 1.1 to 1.3, corrected as seed 003's review asks, over small arrays.

What is corrected: the prefetches use the descriptors made for them; 1.2's layouts of the row are those of its broadcast, stores
write what was reduced; 1.3's A tiles have 512 rows everywhere and its second descriptor moves itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from xetile.dialects import arith, gpu, scf, vector, xegpu
from xetile.dialects.types import F16, F32, INDEX, MemRefType, VectorType
from xetile.ir.builder import Builder
from xetile.ir.core import Block
from xetile.layout import Layout

FAR = {"l1_hint": xegpu.CacheHint("uncached"), "l3_hint": xegpu.CacheHint("cached")}


def tiles(*shape: int, element: Any = F16, layout: Any = None) -> xegpu.TensorDescType:
    return xegpu.TensorDescType(shape, element, None, layout)


@dataclass
class Module:
    """A kernel under construction."""

    names: dict[str, Any]
    attributes: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        args = [gpu.KernelArg("array", n, dtype=str(t.element)) if isinstance(t, MemRefType)
                else gpu.KernelArg("scalar", n, dtype=str(t)) for n, t in self.names.items()]  # fmt: skip
        self.module = gpu.new_module("gemm", list(self.names.values()), args, list(self.names), **self.attributes)
        self.args = dict(zip(self.names, self.module.kernel.body.args))
        self.build = Builder(self.module.kernel.body)

    def __getattr__(self, name: str) -> Any:
        return self.args[name]

    def const(self, value: Any, type: Any = INDEX) -> Any:
        return self.build(arith.Constant, value=value, result=type)

    def add(self, a: Any, b: Any) -> Any:
        return self.build(arith.AddI, a, b if not isinstance(b, int) else self.const(b))

    def desc(self, source: Any, where: Any, kind: Any) -> Any:
        return self.build(xegpu.CreateNdTdesc, source, where, result=kind)

    def load(self, desc: Any, *where: Any, **parts: Any) -> Any:
        kind = parts.pop("value", VectorType(desc.type.shape, desc.type.element))
        return self.build(xegpu.LoadNd, desc, where, value=kind, **parts)

    def program(self, axis: str, size: int) -> Any:
        return self.build(arith.MulI, self.build(gpu.BlockId, dimension=axis), self.const(size))

    def loop(self, stop: int, step: int, init: list[Any]) -> tuple[Any, Block]:
        body = Block([INDEX, *(v.type for v in init)], ["k"])
        op = self.build.op(scf.For, self.const(0), self.const(stop), self.const(step), init, regions=[body],
                           values=[v.type for v in init])  # fmt: skip
        return op, body

    def done(self) -> Any:
        self.build(gpu.Return)
        return self.module


def memref(*shape: int, element: Any = F16) -> MemRefType:
    return MemRefType(shape, element)


def product_of(m: int, n: int, k: int) -> Module:
    return Module({"A": memref(m, k), "B": memref(k, n), "C": memref(m, n, element=F32)})


def simple(m: int = 256, n: int = 256, k: int = 64) -> Any:
    """Appendix 1.1: prefetches and loads are distributed in different ways."""
    a_, b_, c_ = Layout((8, 4), (32, 32)), Layout((8, 4), (32, 64)), Layout((8, 4), (32, 64))
    a_ahead, b_ahead = Layout((32, 1), (8, 32)), Layout((4, 8), (8, 32))
    w = product_of(m, n, k)
    i, j, zero, ahead, step = w.program("y", 256), w.program("x", 256), w.const(0), w.const(32), w.const(32)
    init = [
        w.desc(w.A, (i, zero), tiles(256, 32, layout=a_)),
        w.desc(w.B, (zero, j), tiles(32, 256, layout=b_)),
        w.desc(w.A, (i, ahead), tiles(256, 32, layout=a_ahead)),
        w.desc(w.B, (ahead, j), tiles(32, 256, layout=b_ahead)),
        w.const(0.0, VectorType((256, 256), F32)),
    ]
    loop, body = w.loop(k, 32, init)
    with w.build.at(body):
        a, b, a_next, b_next, acc = body.args[1:]
        left, right = w.load(a), w.load(b)
        w.build(xegpu.PrefetchNd, a_next, ())
        w.build(xegpu.PrefetchNd, b_next, ())
        total = w.build(xegpu.Dpas, left, right, acc, layout_cd=c_)
        moved = [w.build(xegpu.UpdateNdOffset, d, where) for d, where in zip((a, b, a_next, b_next),
                 ((zero, step), (step, zero)) * 2)]  # fmt: skip
        w.build(scf.Yield, [*moved, total])
    w.build(xegpu.StoreNd, loop.results[4], w.desc(w.C, (i, j), tiles(256, 256, element=F32, layout=c_)), ())
    return w.done()


def transposed(m: int = 256, n: int = 256, k: int = 64) -> Any:
    """Appendix 1.2: A @ B.T + a row, and the sums of the rows."""
    a_, b_ = Layout((8, 4), (32, 32)), Layout((8, 4), (32, 64))
    bt_ = Layout((4, 8), (64, 32), order=(0, 1))
    a_ahead = bt_ahead = Layout((32, 1), (8, 32))
    c_, row_ = Layout((8, 4), (32, 64)), Layout((32,), (8,))
    sums_, by_rows = Layout((32,), (8,)), Layout((32, 1), (8, 256))
    w = Module({"A": memref(m, k), "BT": memref(n, k), "row": memref(n, element=F32), "C": memref(m, n, element=F32),
                "sums": memref(m, element=F32)})  # fmt: skip
    i, j, zero, ahead, step = w.program("y", 256), w.program("x", 256), w.const(0), w.const(32), w.const(32)
    init = [
        w.desc(w.A, (i, zero), tiles(256, 32, layout=a_)),
        w.desc(w.BT, (j, zero), tiles(256, 32, layout=bt_)),
        w.desc(w.A, (i, ahead), tiles(256, 32, layout=a_ahead)),
        w.desc(w.BT, (j, ahead), tiles(256, 32, layout=bt_ahead)),
        w.const(0.0, VectorType((256, 256), F32)),
    ]
    loop, body = w.loop(k, 32, init)
    with w.build.at(body):
        a, bt, a_next, bt_next, acc = body.args[1:]
        left = w.load(a)
        right = w.build(vector.Transpose, w.load(bt), permutation=(1, 0), layout_result_0=b_)
        w.build(xegpu.PrefetchNd, a_next, ())
        w.build(xegpu.PrefetchNd, bt_next, ())
        total = w.build(xegpu.Dpas, left, right, acc, layout_cd=c_)
        moved = [w.build(xegpu.UpdateNdOffset, d, (zero, step)) for d in (a, bt, a_next, bt_next)]
        w.build(scf.Yield, [*moved, total])
    row = w.load(w.desc(w.row, (j,), tiles(256, element=F32, layout=row_)))
    row = w.build(xegpu.ConvertLayout, row, input_layout=row_, target_layout=c_.slice((0,)))
    spread = w.build(vector.Broadcast, row, result=VectorType((256, 256), F32), layout_result_0=c_)
    total = w.build(arith.AddF, loop.results[4], spread)
    w.build(xegpu.StoreNd, total, w.desc(w.C, (i, j), tiles(256, 256, element=F32, layout=c_)), ())
    whole = w.build(xegpu.ConvertLayout, total, input_layout=c_, target_layout=by_rows)
    start = w.const(0.0, VectorType((256,), F32))
    sums = w.build(vector.MultiReduction, whole, start, kind="add", dims=(1,), layout_result_0=sums_)
    w.build(xegpu.StoreNd, sums, w.desc(w.sums, (i,), tiles(256, element=F32, layout=sums_)), ())
    return w.done()


def two_caches(m: int = 512, n: int = 256, k: int = 256, *, rows: int = 512) -> Any:
    """Appendix 1.3: prefetches for two levels of caches, the farther ones every fourth step.

    The seed has 512 rows in most places and 256 in the loop's step and one type: `rows`.
    """
    a_, b_, c_ = Layout((8, 4), (rows // 8, 32)), Layout((8, 4), (32, 64)), Layout((8, 4), (rows // 8, 64))
    a_far, b_far = Layout((32, 1), (rows // 32, 128)), Layout((16, 2), (8, 128))
    a_near, b_near = Layout((32, 1), (rows // 32, 32)), Layout((4, 8), (8, 32))
    w = product_of(m, n, k)
    i, j, zero, step, far = w.program("y", rows), w.program("x", 256), w.const(0), w.const(32), w.const(128)

    def both(at: int, a_layout: Layout, b_layout: Layout, deep: int) -> list[Any]:
        return [w.desc(w.A, (i, w.const(at)), tiles(rows, deep, layout=a_layout)),
                w.desc(w.B, (w.const(at), j), tiles(deep, 256, layout=b_layout))]  # fmt: skip

    for at in (0, 128):
        for desc in both(at, a_far, b_far, 128):
            w.build(xegpu.PrefetchNd, desc, (), **FAR)
    for at in (0, 32, 64):
        for desc in both(at, a_near, b_near, 32):
            w.build(xegpu.PrefetchNd, desc, ())
    init = [*both(0, a_, b_, 32), *both(256, a_far, b_far, 128), *both(96, a_near, b_near, 32),
            w.const(0.0, VectorType((rows, 256), F32))]  # fmt: skip
    loop, body = w.loop(k, 32, init)
    with w.build.at(body):
        number, a, b, a2, b2, a1, b1, acc = body.args
        left, right = w.load(a), w.load(b)
        fourth = w.build(arith.CmpI, w.build(arith.RemUI, number, far), zero, predicate="eq")
        then, otherwise = Block(), Block()
        with w.build.at(then):
            w.build(gpu.Barrier)
            for desc in (a2, b2):
                w.build(xegpu.PrefetchNd, desc, (), **FAR)
            w.build(scf.Yield, [w.build(xegpu.UpdateNdOffset, a2, (zero, far)), w.build(xegpu.UpdateNdOffset, b2, (far, zero))])
        with w.build.at(otherwise):
            w.build(scf.Yield, [a2, b2])
        later = w.build.op(scf.If, fourth, regions=[then, otherwise], values=[a2.type, b2.type]).results
        for desc in (a1, b1):
            w.build(xegpu.PrefetchNd, desc, ())
        total = w.build(xegpu.Dpas, left, right, acc, layout_cd=c_)
        moved = [w.build(xegpu.UpdateNdOffset, d, where) for d, where in zip((a, b, a1, b1), ((zero, step), (step, zero)) * 2)]
        w.build(scf.Yield, [*moved[:2], *later, *moved[2:], total])
    w.build(xegpu.StoreNd, loop.results[6], w.desc(w.C, (i, j), tiles(rows, 256, element=F32, layout=c_)), ())
    return w.done()
