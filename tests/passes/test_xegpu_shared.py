"""Checks, warnings, prefetches and the estimate of kernels in XeGPU's own ops: as those of XeTile kernels."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret

import xetile as xt
from tests.parity.run import uncompiled
from xetile import mlir, xegpu
from xetile.errors import DtypeError
from xetile.ir.core import Op
from xetile.passes.named import lower_on
from xetile.runtime.compiler import trace
from xetile.runtime.specialize import PerformanceWarning
from xetile.target import get_target

GEMM = ("f16[?,?]", "f16[?,?]", "f32[?,?]")


@xt.jit
def by_offsets(A, B, C):
    part = xegpu.layout(sg_layout=(2, 2), sg_data=(32, 32), inst_data=(8, 16))
    m, n = xt.program_id(1) * 64, xt.program_id(0) * 64
    a = xegpu.create_nd_tdesc(A, shape=(64, 32), layout=part)
    b = xegpu.create_nd_tdesc(B, shape=(32, 64), layout=xegpu.layout(sg_layout=(2, 2), sg_data=(32, 32), inst_data=(16, 16)))
    acc = xt.zeros((64, 64), xt.f32)
    for k in range(A.shape[1] // 32):
        acc = xegpu.dpas(xegpu.load_nd(a, (m, k * 32)), xegpu.load_nd(b, (k * 32, n)), acc, layout_cd=part)
    xegpu.store_nd(acc, xegpu.create_nd_tdesc(C, (m, n), (64, 64), layout=part))


@xt.jit
def by_moves(A, B, C):
    part = xegpu.layout(sg_layout=(2, 2), sg_data=(32, 32), inst_data=(8, 16))
    m, n = xt.program_id(1) * 64, xt.program_id(0) * 64
    a = xegpu.create_nd_tdesc(A, (m, 0), (64, 32), layout=part)
    b = xegpu.create_nd_tdesc(B, (0, n), (32, 64), layout=xegpu.layout(sg_layout=(2, 2), sg_data=(32, 32), inst_data=(16, 16)))
    acc = xt.zeros((64, 64), xt.f32)
    for _ in range(0, A.shape[1], 32):
        acc = xegpu.dpas(xegpu.load_nd(a), xegpu.load_nd(b), acc, layout_cd=part)
        a = xegpu.update_nd_offset(a, (0, 32))
        b = xegpu.update_nd_offset(b, (32, 0))
    xegpu.store_nd(acc, xegpu.create_nd_tdesc(C, (m, n), (64, 64), layout=part))


@xt.jit
def by_the_user(A, B, C):
    part = xegpu.layout(sg_layout=(2, 2), sg_data=(32, 32), inst_data=(8, 16))
    a = xegpu.create_nd_tdesc(A, shape=(64, 32), layout=part)
    b = xegpu.create_nd_tdesc(B, shape=(32, 64), layout=xegpu.layout(sg_layout=(2, 2), sg_data=(32, 32), inst_data=(16, 16)))
    acc = xt.zeros((64, 64), xt.f32)
    for k in range(0, A.shape[1], 32):
        xegpu.prefetch_nd(a, (0, k + 32))
        acc = xegpu.dpas(xegpu.load_nd(a, (0, k)), xegpu.load_nd(b, (k, 0)), acc, layout_cd=part)
    xegpu.store_nd(acc, xegpu.create_nd_tdesc(C, (0, 0), (64, 64), layout=part))


@xt.jit
def own_sizes(A, C, n):
    a = xegpu.create_nd_tdesc(A, shape=(8, 16), base_shape=(n, n), base_strides=(n, 1))  # made here
    c = xegpu.create_nd_tdesc(C, shape=(8, 16))
    xegpu.store_nd(xegpu.load_nd(a, (0, 0)), c, (0, 0))


@xt.jit
def at_any_column(A, C, n):
    a = xegpu.create_nd_tdesc(A, shape=(8, 16))
    xegpu.store_nd(xegpu.load_nd(a, (0, 0)), xegpu.create_nd_tdesc(C, shape=(8, 16)), (0, n))  # stored here


@xt.jit
def atomic(X, Y):
    where = xt.arange(16)
    mask = where < 16
    desc = xegpu.create_tdesc(Y, where)
    xegpu.atomic_rmw("addf", desc, mask, xegpu.load(X, where, mask))  # atomic


@xt.jit
def of_tiles(A, B, C):
    m, n = xt.program_id(1) * 64, xt.program_id(0) * 64
    a, b = xt.init_tile(A, (m, 0), (64, 32)), xt.init_tile(B, (0, n), (32, 64))
    acc = xt.zeros((64, 64), xt.f32)
    for _ in range(0, A.shape[1], 32):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a, b = xt.update_tile_offset(a, (0, 32)), xt.update_tile_offset(b, (32, 0))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (64, 64)))


@xt.jit
def blocks(A, B, C, TURNED: xt.constexpr):
    out = xegpu.layout(sg_layout=(4, 2), sg_data=(32, 64))
    across, along = (
        xegpu.layout(sg_layout=(2, 4), sg_data=(32, 32), order=(0, 1)),
        xegpu.layout(sg_layout=(4, 2), sg_data=(32, 32)),
    )
    a = (
        xegpu.create_nd_tdesc(A, shape=(32, 128), layout=across)
        if TURNED
        else xegpu.create_nd_tdesc(A, shape=(128, 32), layout=along)
    )
    b = xegpu.create_nd_tdesc(B, shape=(32, 128), layout=xegpu.layout(sg_layout=(4, 2), sg_data=(32, 64)))
    acc = xt.zeros((128, 128), xt.f32)
    for k in range(0, 256, 32):
        x = xegpu.load_nd(a, (k, 0)).T if TURNED else xegpu.load_nd(a, (0, k))
        acc = xegpu.dpas(x, xegpu.load_nd(b, (k, 0)), acc, layout_cd=out)
    xegpu.store_nd(acc, xegpu.create_nd_tdesc(C, (0, 0), (128, 128), layout=out))


@xt.jit
def tiles(A, B, C, TURNED: xt.constexpr):
    a, b = xt.init_tile(A.T if TURNED else A, (0, 0), (128, 32)), xt.init_tile(B, (0, 0), (32, 128))
    acc = xt.zeros((128, 128), xt.f32)
    out = xt.wg_map(sg_layout=(4, 2), sg_data=(32, 64))
    for _ in range(0, 256, 32):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc, wg_map=out)
        a, b = xt.update_tile_offset(a, (0, 32)), xt.update_tile_offset(b, (32, 0))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (128, 128)))


def prefetches(kernel: Any, level: str, **options: Any) -> list[Op]:
    request = uncompiled(kernel, *GEMM, target="pvc", **options).request
    module = next(m for name, m in lower_on(trace(request), get_target("pvc")) if name == level)
    return [op for op in module.walk() if op.fetches]


def in_loop(found: list[Op]) -> list[Op]:
    return [op for op in found if op.parent.parent.opname == "scf.for"]


@pytest.mark.parametrize("kernel", [by_offsets, by_moves], ids=["offsets on loads", "moved descriptors"])
def test_loops_of_products_are_prefetched(kernel):
    """As the same kernel of tiles: as many steps ahead, half of the subgroups for each operand."""
    found, tiles = prefetches(kernel, "subgroup"), prefetches(of_tiles, "subgroup", num_subgroups=4)
    assert len(in_loop(found)) == 1
    assert len(found) == 1 + get_target("pvc").prefetch_distance
    assert [[v.type for v in op.operands] for op in found] == [[v.type for v in op.operands] for op in tiles]
    assert in_loop(prefetches(kernel, "lane"))


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
@pytest.mark.parametrize("by_columns", [False, True], ids=["rows", "columns"])
def test_a_product_of_blocks_becomes_the_code_of_a_product_of_tiles(target: str, by_columns: bool):
    """Whatever stages operands for tiles does for blocks: the same estimate of the loop."""
    if target == "dg2" and by_columns:
        pytest.xfail("of tiles alone column-major operands are staged on DG2")
    types, options = ("f16[256,256]", "f16[256,256]", "f32[256,256]"), {"target": target, "TURNED": by_columns}
    ours, its = (uncompiled(kernel, *types, **options, num_subgroups=8) for kernel in (blocks, tiles))
    assert str(ours.estimate).splitlines()[-1].partition(":")[2] == str(its.estimate).splitlines()[-1].partition(":")[2]


ROWS, HERE = "#xegpu.layout<sg_layout = [8, 1], sg_data = [8, 64]>", "#xegpu.layout<sg_layout = [4, 2], sg_data = [16, 32]>"
AFTER = {
    "reductions": """
  %n = arith.constant dense<0.0> : vector<64xf32>
  %rows = vector.multi_reduction <add>, %p, %n [1] : vector<64x64xf32> to vector<64xf32>
  %column = vector.shape_cast %rows : vector<64xf32> to vector<64x1xf32>
  %across = vector.broadcast %column : vector<64x1xf32> to vector<64x64xf32>
  %columns = vector.multi_reduction <add>, %p, %n [0] : vector<64x64xf32> to vector<64xf32>
  %down = vector.broadcast %columns : vector<64xf32> to vector<64x64xf32>
  %out = arith.addf %across, %down : vector<64x64xf32>""",
    "a matrix": f"""
  %slm = memref.alloca() : memref<16384xi8, 3>
  %m = xegpu.create_mem_desc %slm : memref<16384xi8, 3> -> !xegpu.mem_desc<64x64xf32>
  xegpu.store_matrix %p, %m[0, 0] <{{layout = {HERE}}}> : vector<64x64xf32>, !xegpu.mem_desc<64x64xf32>
  gpu.barrier
  %half = xegpu.mem_desc_subview %m[0, 0] : !xegpu.mem_desc<64x64xf32> -> !xegpu.mem_desc<64x64xf32>
  %out = xegpu.load_matrix %half[0, 0] <{{layout = {ROWS}}}> : !xegpu.mem_desc<64x64xf32> -> vector<64x64xf32>""",
    "a conversion": f"""
  %turned = xegpu.convert_layout %p <{{input_layout = {HERE}, target_layout = {ROWS}}}> : vector<64x64xf32>
  %n = arith.constant dense<0.0> : vector<64xf32>
  %rows = vector.multi_reduction <maximumf>, %turned, %n [1] : vector<64x64xf32> to vector<64xf32>
  %column = vector.shape_cast %rows : vector<64xf32> to vector<64x1xf32>
  %out = vector.broadcast %column : vector<64x1xf32> to vector<64x64xf32>""",
    "scattered access": """
  %step = vector.step : vector<64xindex>
  %i = vector.broadcast %step : vector<64xindex> to vector<64x64xindex>
  %all = arith.constant dense<true> : vector<64x64xi1>
  %flat = memref.reinterpret_cast %C to offset: [0], sizes: [4096], strides: [1] : memref<64x64xf32> to memref<4096xf32, strided<[1]>>
  %loaded = xegpu.load %flat[%i], %all : memref<4096xf32, strided<[1]>>, vector<64x64xindex>, vector<64x64xi1> -> vector<64x64xf32>
  %out = arith.addf %p, %loaded : vector<64x64xf32>""",
}
MEANING = {
    "reductions": lambda p, c: p.sum(1)[:, None] + p.sum(0)[None],
    "a matrix": lambda p, c: p,
    "a conversion": lambda p, c: np.maximum(p.max(1), 0)[:, None] + np.zeros((1, 64)),
    "scattered access": lambda p, c: p + c[0],
}


def product_and(after: str) -> str:
    tile = "!xegpu.tensor_desc<64x{}x{}, " + HERE + ">"
    return f"""gpu.module @m {{ gpu.func @k(%A: memref<64x64xf16>, %B: memref<32x64xf16>, %C: memref<64x64xf32>) kernel {{
  %c0 = arith.constant 0 : index
  %ta = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<64x32xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [16, 32]>>
  %tb = xegpu.create_nd_tdesc %B : memref<32x64xf16> -> !xegpu.tensor_desc<32x64xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 32]>>
  %a = xegpu.load_nd %ta[0, 0] : !xegpu.tensor_desc<64x32xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [16, 32]>> -> vector<64x32xf16>
  %b = xegpu.load_nd %tb[0, 0] : !xegpu.tensor_desc<32x64xf16, #xegpu.layout<sg_layout = [4, 2], sg_data = [32, 32]>> -> vector<32x64xf16>
  %p = xegpu.dpas %a, %b {{layout_result_0 = {HERE}}} : vector<64x32xf16>, vector<32x64xf16> -> vector<64x64xf32>
{after}
  %tc = xegpu.create_nd_tdesc %C : memref<64x64xf32> -> {tile.format(64, "f32")}
  xegpu.store_nd %out, %tc[0, 0] : vector<64x64xf32>, {tile.format(64, "f32")}
  gpu.return
}} }}"""


@pytest.mark.every(4)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("name", AFTER)
def test_what_stands_beside_a_product_goes_the_way_of_tiles(name, target):
    """Below its layouts the kernel is one of tiles, and each level leaves the same."""
    rng = np.random.default_rng(0)
    a, b, c = (
        rng.integers(-3, 4, shape).astype(dtype) for shape, dtype in (((64, 64), "f2"), ((32, 64), "f2"), ((64, 64), "f4"))
    )
    expected = MEANING[name](a[:, :32].astype(np.float32) @ b.astype(np.float32), c)
    for level, module in lower_on(mlir.parse(product_and(AFTER[name])), get_target(target)):
        if level in ("workgroup", "layout", "subgroup", "blocked"):
            left = c.copy()
            interpret(module, (1,), [a.copy(), b.copy(), left])
            assert (left == expected).all(), level
        if level == "subgroup":
            own = {"xegpu.load_nd", "xegpu.dpas", "vector.multi_reduction", "xegpu.load_matrix", "xegpu.load"}
            assert own.isdisjoint(op.opname for op in module.walk())


@pytest.mark.every(3, 2)
@pytest.mark.parametrize("kernel", [by_offsets, by_moves], ids=["offsets on loads", "moved descriptors"])
@pytest.mark.parametrize("device", ["numpy", "cpu"])
@pytest.mark.parametrize("k", [32, 160])
def test_prefetches_change_no_number(kernel, device, k):
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((128, k), (k, 64)))
    c = np.full((128, 64), 7, np.float32)
    with xt.device(device), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kernel[(1, 2)](a, b, c)
    assert (c == a.astype(np.float32) @ b.astype(np.float32)).all()


def test_a_loop_in_which_the_user_prefetches_gets_no_more():
    for level in ("layout", "subgroup"):
        assert len(prefetches(by_the_user, level)) == 1


def line_of(kernel: Any, mark: str) -> int:
    lines, start = inspect.getsourcelines(kernel.fn)
    return start + next(i for i, line in enumerate(lines) if mark in line)


@pytest.mark.parametrize("kernel, mark, says", [
    (own_sizes, "# made here", "sizes or strides of the kernel's own"),
    (at_any_column, "# stored here", "its column may begin inside of a 32-bit word"),
])  # fmt: skip
def test_slow_blocks_are_warned_of(kernel: Any, mark: str, says: str):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert kernel.compile("f16[?,?]", "f16[?,?]", "i32", target="pvc").spirv
    (warning,) = [w for w in found if w.category is PerformanceWarning]
    assert says in str(warning.message)


def test_atomics_that_the_target_lacks_are_refused():
    with pytest.raises(DtypeError, match="pvc has no atomic addf of f16") as caught:
        atomic.compile("f16[?]", "f16[?]", target="pvc", num_subgroups=1).spirv
    assert "# atomic" in str(caught.value)


def test_the_estimate_counts_products_and_prefetches():
    assert "16 dpas, 1 prefetch (2 KiB), 12 load (4 KiB)" in str(by_offsets.compile(*GEMM, target="pvc").estimate)
