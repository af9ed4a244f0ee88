"""What users of xetile.xegpu are told: what is wrong, in their words, at their line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import xetile as xt
from tests.lowering.gemms import Module, memref
from tests.lowering.run import check_levels
from tests.parity.run import request
from xetile import xegpu
from xetile.dialects import vector
from xetile.dialects import xegpu as ops
from xetile.dialects.types import F32, VectorType
from xetile.errors import CompileError, LayoutError, TileShapeError, VerifyError
from xetile.runtime.compiler import lower, trace

WG = xegpu.layout(sg_layout=(2, 2), sg_data=(16, 16))
TYPES = {"A": "f16[?,?]", "R": "f32[?]"}

MESSAGES: list[tuple[Callable[..., Any], type[CompileError], str]] = []


def says(error: type[CompileError], words: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(kernel: Callable[..., Any]) -> Callable[..., Any]:
        MESSAGES.append((kernel, error, words))
        return kernel

    return register


@says(TileShapeError, r"create_nd_tdesc needs the shape of the block")
def no_shape(A, R):
    xegpu.create_nd_tdesc(A, (0, 0))


@says(TileShapeError, r"a block of shape \(8, 16\) of R: f32\[\?\]")
def too_many_dimensions(A, R):
    xegpu.create_nd_tdesc(R, (0,), (8, 16))


@says(TileShapeError, r"do not lie side by side")
def column_major(A, R):
    xegpu.create_nd_tdesc(A.T, (0, 0), (8, 16))


@says(TileShapeError, r"1 offsets for A: f16\[\?,\?\]")
def one_offset(A, R):
    xegpu.create_nd_tdesc(A, 0, (8, 16))


@says(LayoutError, r"create_nd_tdesc: cannot distribute \[32, 24\]")
def uneven(A, R):
    xegpu.create_nd_tdesc(A, (0, 0), (32, 24), layout=WG)


@says(LayoutError, r"the layout is 'rows'")
def no_layout(A, R):
    xegpu.create_nd_tdesc(A, (0, 0), (32, 32), layout="rows")


@says(CompileError, r"load_nd takes a tensor_desc, not tile f16\[8,16\] of A")
def tile_for_desc(A, R):
    xegpu.load_nd(xt.init_tile(A, (0, 0), (8, 16)))


@says(CompileError, r"load_tile takes a tile, not tensor_desc f16\[8,16\] of A")
def desc_for_tile(A, R):
    xt.load_tile(xegpu.create_nd_tdesc(A, (0, 0), (8, 16)))


@says(CompileError, r"packed and transpose cannot be combined")
def packed_and_turned(A, R):
    xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (16, 16)), packed=True, transpose=(1, 0))


@says(TileShapeError, r"tensor_desc f16\[7,16\] of A cannot be packed")
def odd_rows(A, R):
    xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (7, 16)), packed=True)


@says(TileShapeError, r"a value of shape \(8, 16, 2\) is for dpas, store and extract of xegpu only")
def arithmetic_on_packed(A, R):
    xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (16, 16)), packed=True) + 1.0


@says(CompileError, r"l1_hint is 'near'")
def unknown_hint(A, R):
    xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (16, 16)), l1_hint="near")


@says(TileShapeError, r"store_nd: the value is f16\[8,16\], tensor_desc f16\[16,16\] of A takes f16\[16,16\]")
def other_shape(A, R):
    xegpu.store_nd(xt.zeros((8, 16), xt.f16), xegpu.create_nd_tdesc(A, (0, 0), (16, 16)))


@says(CompileError, r"store_nd: the value is f32\[16,16\], .* has elements of f16")
def other_dtype(A, R):
    xegpu.store_nd(xt.zeros((16, 16), xt.f32), xegpu.create_nd_tdesc(A, (0, 0), (16, 16)))


@says(TileShapeError, r"chunk_size 5 is none of")
def chunk_of_five(A, R):
    xegpu.create_tdesc(R, xt.arange(16), chunk_size=5)


@says(TileShapeError, r"scattered access counts offsets in an array of rank 1, not A")
def scattered_matrix(A, R):
    xegpu.load(A, xt.arange(16))


@says(CompileError, r"R: f32\[\?\] needs offsets")
def no_offsets(A, R):
    xegpu.load(R)


@says(TileShapeError, r"dpas: f16\[8,16\] by f16\[8,16\]")
def inner_sizes(A, R):
    v = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (8, 16)))
    xegpu.dpas(v, v)


@says(CompileError, r"A: f16\[\?,\?\] is not shared local memory")
def matrix_in_global_memory(A, R):
    xegpu.create_mem_desc(A, (8, 16))


@says(TileShapeError, r"has 1024 bytes, a f32\[32, 32\] needs 4096")
def matrix_too_large(A, R):
    xegpu.create_mem_desc(xt.alloc_slm((1024,), xt.i8), (32, 32), xt.f32)


@says(CompileError, r"lane_id is for lane-level kernels")
def lane_of_a_subgroup(A, R):
    xegpu.lane_id()


@says(CompileError, r"ops before it have made this a subgroup-level kernel")
def level_too_late(A, R):
    value = xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (8, 16)))
    xegpu.level("lane")
    xegpu.store_nd(value, xegpu.create_nd_tdesc(A, (0, 0), (8, 16)))


@says(LayoutError, r"sg_layout in a lane-level kernel")
def workgroup_layout_of_lanes(A, R):
    xegpu.level("lane")
    xegpu.create_nd_tdesc(A, (0, 0), (32, 32), layout=WG)


@says(CompileError, r"sg_id_range\(4, 4\)")
def empty_range(A, R):
    if xegpu.sg_id_range(4, 4):
        xt.barrier()


@pytest.mark.parametrize(("kernel", "error", "words"), MESSAGES, ids=lambda v: getattr(v, "__name__", ""))
def test_mistakes_are_told_at_their_line(kernel: Any, error: type[CompileError], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        trace(request(xt.jit(kernel), TYPES))
    at = caught.value.at
    first = kernel.__code__.co_firstlineno
    assert at is not None and at.file == __file__ and first < at.line <= first + 4


def test_a_scattered_store_beside_descriptors_needs_a_layout() -> None:
    def kernel(A, R):
        xegpu.store_nd(
            xegpu.load_nd(xegpu.create_nd_tdesc(A, (0, 0), (32, 32), layout=WG)),
            xegpu.create_nd_tdesc(A, (0, 0), (32, 32), layout=WG),
        )
        xt.store_scatter(1.0, xt.init_tile(R, xt.arange(32)))

    with pytest.raises(LayoutError, match="no layout over subgroups reaches this"):
        list(lower(request(xt.jit(kernel), TYPES)))


def test_hints_that_a_store_does_not_take() -> None:
    def kernel(A, R):
        xegpu.store_nd(xt.zeros((8, 16), xt.f16), xegpu.create_nd_tdesc(A, (0, 0), (8, 16)), l1_hint="read_invalidate")

    from xetile.ir.verifier import verify

    with pytest.raises(VerifyError, match="invalid l1_hint"):
        verify(trace(request(xt.jit(kernel), TYPES)))


def test_inserts_may_change_lanes() -> None:
    def make() -> Any:
        w = Module({"A": memref(8, 16, element=F32), "C": memref(8, 16, element=F32)})
        kind = ops.TensorDescType((8, 16), F32)
        value = w.load(w.desc(w.A, (w.const(0), w.const(0)), kind))
        part = w.const(1.0, VectorType((8, 8), F32))
        whole = w.build(vector.InsertStridedSlice, part, value, offsets=(0, 4), strides=(1, 1), result=value.type)
        w.build(ops.StoreNd, whole, w.desc(w.C, (w.const(0), w.const(0)), kind), ())
        return w.done()

    def expected(arrays: dict[str, Any]) -> dict[str, Any]:
        whole = arrays["A"].copy()
        whole[:, 4:12] = 1.0
        return {"C": whole}

    assert "lane" in check_levels(make, expected)
