"""What propagates where (seed 000, "extending sg_map"; seed 003; seed 002, SliceAttr), and that each op means the same after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.lowering.gemms import Module, memref, tiles
from tests.lowering.run import check_device, check_levels, lowered
from tests.spirv.device import Device
from xetile.dialects import arith, math, vector, xegpu
from xetile.dialects.types import F16, F32, I8, I32, INDEX, VectorType
from xetile.errors import LayoutError, VerifyError
from xetile.layout import Layout, Slice

Build = Callable[[Module], Any]


def loaded(w: Module, name: str, layout: Any = None) -> Any:
    """All of an array as one value."""
    kind = w.args[name].type
    rank = len(kind.shape)
    return w.load(w.desc(w.args[name], [w.const(0)] * rank, tiles(*kind.shape, element=kind.element, layout=layout)))


def stored(w: Module, value: Any, name: str, layout: Any = None) -> None:
    kind = w.args[name].type
    desc = w.desc(w.args[name], [w.const(0)] * len(kind.shape), tiles(*kind.shape, element=kind.element, layout=layout))
    w.build(xegpu.StoreNd, value, desc, ())


def layout_of(module: Any, kind: Any, position: int) -> Any:
    """The layout of what an op of a kind takes as operand."""
    op = next(op for op in module.walk() if isinstance(op, kind))
    value = op.operands[position]
    return value.op.attributes[f"layout_result_{value.index}"]


# The seed's tables: the result's layout, and what is derived for the operands.


def test_dpas_derives_its_operands() -> None:
    """sg_layout and order as the result's, sg_data along m and n too, and all of k."""

    def make() -> Any:
        w = Module({"A": memref(256, 32), "B": memref(32, 256), "C": memref(256, 256, element=F32)})
        a, b = (w.const(0.5, VectorType(s, F16)) for s in ((256, 32), (32, 256)))
        total = w.build(xegpu.Dpas, a, b, None, result=VectorType((256, 256), F32))
        stored(w, total, "C", Layout((8, 4), (32, 64)))
        return w.done()

    module = lowered(make, "layout")
    assert layout_of(module, xegpu.Dpas, 0) == Layout((8, 4), (32, 32))
    assert layout_of(module, xegpu.Dpas, 1) == Layout((8, 4), (32, 64))


def test_reduction_has_one_subgroup_along_the_reduced_dimension() -> None:
    def make() -> Any:
        w = Module({"S": memref(256, element=F32)})
        source, start = w.const(1.0, VectorType((256, 128), F32)), w.const(0.0, VectorType((256,), F32))
        sums = w.build(vector.MultiReduction, source, start, kind="add", dims=(1,))
        stored(w, sums, "S", Layout((32,), (8,)))
        return w.done()

    assert layout_of(lowered(make, "layout"), vector.MultiReduction, 0) == Layout((32, 1), (8, 128))


def test_broadcast_drops_the_dimension() -> None:
    """As a slice, so that it holds for several subgroups too (seed 002, SliceAttr); with one it is the seed's [16], [16]."""

    def make() -> Any:
        w = Module({"C": memref(256, 256, element=F32)})
        row = w.const(1.0, VectorType((256,), F32))
        stored(w, w.build(vector.Broadcast, row, result=VectorType((256, 256), F32)), "C", Layout((1, 16), (256, 16)))
        return w.done()

    layout = layout_of(lowered(make, "layout"), vector.Broadcast, 0)
    assert layout == Slice(Layout((1, 16), (256, 16)), (0,))
    assert [layout.pieces((256,), sg) for sg in range(16)] == [Layout((16,), (16,)).pieces((256,), sg) for sg in range(16)]


def test_transpose_swaps() -> None:
    def make() -> Any:
        w = Module({"A": memref(512, 128, element=F32), "C": memref(128, 512, element=F32)})
        value = w.const(1.0, VectorType((512, 128), F32))
        stored(w, w.build(vector.Transpose, value, permutation=(1, 0)), "C", Layout((4, 8), (32, 64)))
        return w.done()

    assert layout_of(lowered(make, "layout"), vector.Transpose, 0) == Layout((8, 4), (64, 32), order=(0, 1))


def test_bitcast_counts_other_elements() -> None:
    def make() -> Any:
        w = Module({"C": memref(32, 128, element=I8)})
        value = w.const(1, VectorType((32, 32), I32))
        stored(w, w.build(vector.Bitcast, value, result=VectorType((32, 128), I8)), "C", Layout((4, 1), (8, 128)))
        return w.done()

    assert layout_of(lowered(make, "layout"), vector.Bitcast, 0) == Layout((4, 1), (8, 32))


def test_shape_cast_regroups() -> None:
    def make() -> Any:
        w = Module({"S": memref(8 * 128, element=F32)})
        value = w.const(1.0, VectorType((256, 128), F32))
        cube = w.build(
            vector.ShapeCast, value, result=VectorType((8, 32, 128), F32), layout_result_0=Layout((8, 1, 4), (1, 32, 32))
        )
        start = w.const(0.0, VectorType((8, 128), F32))
        sums = w.build(vector.MultiReduction, cube, start, kind="add", dims=(1,))
        flat = w.build(vector.ShapeCast, sums, result=VectorType((1024,), F32))
        stored(w, flat, "S", Layout((32,), (32,)))
        return w.done()

    module = lowered(make, "layout")
    assert layout_of(module, vector.ShapeCast, 0) == Layout((8, 4), (32, 32))
    # Seed 000: reduction from three dimensions to two.
    assert layout_of(module, vector.MultiReduction, 0) == Layout((8, 1, 4), (1, 32, 32))
    check_levels(make, lambda arrays: {"S": np.full(1024, 32.0)})


# Each op at every level.


def case(
    shape: tuple[int, ...], result: tuple[int, ...], build: Build, expected: Any, *, layout: Any = None, element: Any = F32
) -> Any:
    """A module of one op between a load of A and a store to C, and what it gives."""

    def make() -> Any:
        w = Module({"A": memref(*shape, element=element), "C": memref(*result, element=element)})
        stored(w, build(w), "C", layout or Layout((4, 2), (result[0] // 4, result[1] // 2)))
        return w.done()

    return make, lambda arrays: {"C": expected(arrays["A"].astype(np.float64))}


def rows_summed(w: Module) -> Any:
    """Over subgroups that share the rows: the result is spread again."""
    a = loaded(w, "A", Layout((4, 2), (16, 32)))
    sums = w.build(vector.MultiReduction, a, w.const(0.0, VectorType((64,), F32)), kind="add", dims=(1,))
    column = w.build(vector.ShapeCast, sums, result=VectorType((64, 1), F32))
    return w.build(vector.Broadcast, column, result=VectorType((64, 64), F32))


def columns_maximum(w: Module) -> Any:
    a = loaded(w, "A", Layout((4, 2), (8, 32)))
    start = w.const(0.5, VectorType((64,), F32))
    most = w.build(vector.MultiReduction, a, start, kind="maximumf", dims=(0,))
    return w.build(arith.AddF, w.build(vector.Broadcast, most, result=VectorType((64, 64), F32)), a)


def all_summed(w: Module) -> Any:
    a = loaded(w, "A", Layout((4, 2), (16, 32)))
    total = w.build(vector.MultiReduction, a, w.const(1.0, F32), kind="add", dims=(0, 1), result=F32)
    return w.build(arith.MulF, w.build(vector.Broadcast, total, result=VectorType((64, 64), F32)), a)


def turned(w: Module) -> Any:
    return w.build(vector.Transpose, loaded(w, "A", Layout((8, 1), (8, 64))), permutation=(1, 0))


def turned_by_the_load(w: Module) -> Any:
    desc = w.desc(w.A, (w.const(0), w.const(0)), tiles(64, 32, element=F32, layout=Layout((2, 4), (16, 8))))
    return w.load(desc, transpose=(1, 0), value=VectorType((32, 64), F32))


def halves(w: Module) -> Any:
    """The right half of the columns, which one subgroup holds whole, put over the left half."""
    a = loaded(w, "A", Layout((8, 1), (8, 64)))
    right = w.build(vector.ExtractStridedSlice, a, offsets=(0, 32), sizes=(64, 32), strides=(1, 1))
    return w.build(vector.InsertStridedSlice, right, a, offsets=(0, 0), strides=(1, 1), result=a.type)


def chosen(w: Module) -> Any:
    a = loaded(w, "A", Layout((4, 2), (16, 32)))
    steps = w.build(vector.Step, result=VectorType((64,), INDEX))
    numbers = w.build(vector.Broadcast, steps, result=VectorType((64, 64), INDEX))
    limit = w.const(40, VectorType((64, 64), INDEX))
    mask = w.build(arith.CmpI, numbers, limit, predicate="ult")
    return w.build(arith.Select, mask, w.build(math.Exp, a), w.const(0.0, a.type))


def progression(w: Module) -> Any:
    numbers = w.const(tuple(range(3, 3 + 5 * 64, 5)), VectorType((64,), I32))
    wide = w.build(vector.Broadcast, numbers, result=VectorType((64, 64), I32))
    return w.build(
        arith.AddF, w.build(arith.SIToFP, wide, result=VectorType((64, 64), F32)), loaded(w, "A", Layout((4, 2), (16, 32)))
    )


def smallest_of_halves(w: Module) -> Any:
    """Leading dimensions: two matrices stacked, one taken, one put back."""
    a = loaded(w, "A", Layout((2, 2), (32, 32)))
    stack = w.build(vector.ShapeCast, a, result=VectorType((2, 32, 64), F32), layout_result_0=Layout((1, 2, 2), (2, 16, 32)))
    first, second = (w.build(vector.Extract, stack, position=(i,)) for i in range(2))
    return w.build(arith.MinimumF, first, second)


def one_element_changed(w: Module) -> Any:
    a = loaded(w, "A", Layout((1, 1), (64, 64)))
    five = w.build(vector.Extract, a, position=(3, 40), result=F32)
    return w.build(vector.Insert, five, a, position=(50, 7))


def relaid(w: Module) -> Any:
    rows, columns = Layout((8, 1), (8, 64)), Layout((1, 8), (64, 8))
    a = loaded(w, "A", rows)
    return w.build(xegpu.ConvertLayout, a, input_layout=rows, target_layout=columns)


def with_element(a: np.ndarray) -> np.ndarray:
    result = a.copy()
    result[50, 7] = a[3, 40]
    return result


def masked(mask: Any) -> Any:
    return lambda a: np.where(np.arange(64) < mask, np.exp(a), 0)


CASES = {
    "rows summed": case((64, 64), (64, 64), rows_summed, lambda a: np.repeat(a.sum(1, keepdims=True), 64, 1)),
    "columns' maximum": case((64, 64), (64, 64), columns_maximum, lambda a: np.maximum(a.max(0), 0.5) + a),
    "all summed": case((64, 64), (64, 64), all_summed, lambda a: (a.sum() + 1) * a),
    "transposed": case((64, 64), (64, 64), turned, lambda a: a.T),
    "transposed elsewhere": case((64, 64), (64, 64), turned, lambda a: a.T, layout=Layout((8, 1), (8, 64))),
    "transposing load": case((64, 32), (32, 64), turned_by_the_load, lambda a: a.T, layout=Layout((4, 2), (8, 16), order=(0, 1))),
    "slices": case(
        (64, 64), (64, 64), halves, lambda a: np.concatenate([a[:, 32:], a[:, 32:]], 1), layout=Layout((8, 1), (8, 64))
    ),
    "step and select": case((64, 64), (64, 64), chosen, masked(40)),
    "constants in steps": case((64, 64), (64, 64), progression, lambda a: a + 3 + 5 * np.arange(64)),
    "elements": case((64, 64), (64, 64), one_element_changed, lambda a: with_element(a), layout=Layout((1, 1), (64, 64))),
    "convert_layout": case((64, 64), (64, 64), relaid, lambda a: a),
}


@pytest.mark.covering
@pytest.mark.every(4)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("name", CASES)
def test_ops_mean_the_same_at_every_level(name: str, target: str) -> None:
    make, expected = CASES[name]
    assert check_levels(make, expected, target=target, tolerance=1e-4)[-1] == "lane"


@pytest.mark.every(9, 8)
@pytest.mark.parametrize("name", CASES)
def test_ops_emulated_on_the_cpu(cpu: Device, name: str) -> None:
    make, expected = CASES[name]
    check_device(cpu, make, expected, tolerance=1e-4)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_layouts_divide_the_workgroup_s_subgroups(count: int) -> None:
    """Layouts of one and two subgroups repeat in a workgroup of four; one of three cannot."""

    def make() -> Any:
        w = Module({"A": memref(64, 64), "B": memref(64, 64), "C": memref(64, 64, element=F32)})
        a, b = loaded(w, "A", Layout((4, 1), (16, 16))), loaded(w, "B", Layout((1, count), (16, 64), order=()))
        total = w.build(xegpu.Dpas, a, b, None, result=VectorType((64, 64), F32))
        stored(w, total, "C", Layout((4, 1), (16, 64)))
        return w.done()

    if count < 3:
        check_levels(make, lambda arrays: {"C": arrays["A"].astype(np.float32) @ arrays["B"].astype(np.float32)}, tolerance=1e-4)
        return
    with pytest.raises(LayoutError, match="has 3 subgroups; the workgroup has 4"):
        lowered(make, "lane")


@pytest.mark.parametrize("raised", [False, True])
def test_products_in_steps_of_k(raised: bool) -> None:
    """Refused where A and B have other pieces along k; kernels of products and nothing else but tiles' ops are laid out along k anew."""

    def make() -> Any:
        w = Module({"A": memref(64, 64), "B": memref(64, 64), "C": memref(64, 64, element=F32)})
        a, b = loaded(w, "A", Layout((4, 1), (16, 16))), loaded(w, "B", Layout((4, 1), (16, 64)))
        b = w.build(xegpu.ConvertLayout, b, input_layout=Layout((4, 1), (16, 64)), target_layout=Layout((4, 1), (64, 64)))
        total = w.build(xegpu.Dpas, a, b, None, result=VectorType((64, 64), F32))
        if not raised:
            total = w.build(arith.AddF, total, w.const((0.0,) * 2048 + (1.0,) * 2048, total.type))
        stored(w, total, "C", Layout((4, 1), (16, 64)))
        return w.done()

    if raised:
        check_levels(make, lambda arrays: {"C": arrays["A"].astype(np.float32) @ arrays["B"].astype(np.float32)}, tolerance=1e-4)
        return
    with pytest.raises(LayoutError, match="sg_data of A and B must agree along k"):
        lowered(make, "lane")


# Refusals.


def test_a_value_without_layout_is_refused() -> None:
    def make() -> Any:
        w = Module({"A": memref(64, 64, element=F32), "C": memref(64, 64, element=F32)})
        value = loaded(w, "A", Layout((4, 2), (16, 32)))
        w.build(xegpu.StoreMatrix, w.const(1.0, VectorType((8, 16), F32)), _matrix(w), (w.const(0), w.const(0)))
        stored(w, value, "C", Layout((4, 2), (16, 32)))
        return w.done()

    with pytest.raises(LayoutError, match="no layout over subgroups reaches this vector<8x16xf32>"):
        lowered(make, "layout")


def _matrix(w: Module) -> Any:
    from xetile.dialects import gpu
    from xetile.dialects.types import MemRefType

    buffer = w.build(gpu.Alloca, result=MemRefType((8 * 16 * 4,), I8, None, 3))
    return w.build(xegpu.CreateMemDesc, buffer, result=xegpu.MemDescType((8, 16), F32))


def test_atomics_of_shared_pieces_are_refused() -> None:
    def make() -> Any:
        w = Module({"S": memref(256, element=F32)})
        lanes = Layout((4,), (32,))
        offsets = w.build(vector.Step, result=VectorType((32,), INDEX))
        kind = xegpu.TensorDescType((32,), F32, xegpu.ScatterAttr(), lanes)
        desc = w.build(xegpu.CreateTdesc, w.S, offsets, result=kind)
        mask = w.const(True, VectorType((32,), arith_i1()))
        w.build(xegpu.AtomicRmw, desc, mask, w.const(1.0, VectorType((32,), F32)), kind="addf")
        return w.done()

    with pytest.raises(LayoutError, match="several subgroups would each update the same elements"):
        lowered(make, "lane")


def arith_i1() -> Any:
    from xetile.dialects.types import I1

    return I1


# Lanes (seed 000, rules for PVC and ARC).

LANES = [
    ("pvc", F16, (32, 32), Layout(lane_layout=(1, 16), lane_data=(1, 1))),
    ("pvc", F16, (32, 32), Layout(lane_layout=(1, 16), lane_data=(2, 1))),
    ("pvc", F16, (32, 32), Layout(lane_layout=(1, 16), lane_data=(1, 2))),
    ("pvc", F16, (32, 32), Layout(lane_layout=(2, 8), lane_data=(1, 1))),
    ("pvc", I8, (32, 32), Layout(lane_layout=(1, 16), lane_data=(1, 2))),
    ("pvc", I8, (32, 32), Layout(lane_layout=(1, 16), lane_data=(4, 1))),
    ("pvc", F32, (32, 32), Layout(lane_layout=(16, 1), lane_data=(1, 1))),
    ("pvc", F32, (32, 32), Layout(lane_layout=(4, 4), lane_data=(1, 1))),
    ("dg2", F16, (32, 32), Layout(lane_layout=(1, 8), lane_data=(1, 2))),
    ("dg2", F16, (32, 32), Layout(lane_layout=(1, 16), lane_data=(1, 1))),
    ("pvc", F16, (32, 32), Layout(lane_layout=(2, 4), lane_data=(1, 1))),
    ("dg2", I8, (32, 32), Layout(lane_layout=(1, 8), lane_data=(1, 4))),
    ("pvc", F16, (256,), Layout(lane_layout=(16,), lane_data=(2,))),
    ("pvc", F16, (256,), Layout(lane_layout=(16,), lane_data=(4,))),
    ("pvc", F32, (256,), Layout(lane_layout=(16,), lane_data=(1,))),
    ("dg2", I8, (256,), Layout(lane_layout=(8,), lane_data=(4,))),
    ("pvc", F32, (16, 32), Layout(lane_layout=(1, 8), lane_data=(1, 1))),
    ("pvc", F16, (64, 32), Layout(lane_layout=(32, 1), lane_data=(1, 2))),
    ("bmg", F16, (256,), Layout(lane_layout=(8,), lane_data=(1,))),
]


@pytest.mark.every(2)
@pytest.mark.parametrize(("target", "element", "shape", "layout"), LANES, ids=str)
def test_lane_layouts_change_no_value(target: str, element: Any, shape: tuple[int, ...], layout: Layout) -> None:
    """Of all lanes of a subgroup, of fewer and of more: a subgroup's value is the same."""

    def make() -> Any:
        w = Module({"A": memref(*shape, element=element), "C": memref(*shape, element=element)})
        stored(w, loaded(w, "A", layout), "C")
        return w.done()

    check_levels(make, lambda arrays: {"C": arrays["A"]}, target=target)


@pytest.mark.parametrize(("element", "data"), [(F32, 1), (F16, 2), (I8, 4), (I8, 8)])
def test_lane_layouts_of_chunks(element: Any, data: int) -> None:
    def make() -> Any:
        w = Module({"A": memref(512, element=element), "C": memref(512, element=element)})
        steps = w.build(vector.Step, result=VectorType((16,), INDEX))
        offsets = w.build(arith.MulI, steps, w.const(8, VectorType((16,), INDEX)))
        kind = xegpu.TensorDescType(
            (16, 8), element, xegpu.ScatterAttr(chunk_size=8), Layout(lane_layout=(16, 1), lane_data=(1, data))
        )
        a, c = (w.build(xegpu.CreateTdesc, v, offsets, result=kind) for v in (w.A, w.C))
        mask = w.const(True, VectorType((16,), arith_i1()))
        value = w.build(xegpu.Load, a, None, mask, value=VectorType((16, 8), element))
        w.build(xegpu.Store, value, c, None, mask)
        return w.done()

    check_levels(make, lambda arrays: {"C": np.where(np.arange(512) < 128, arrays["A"], arrays["C"])})


def test_stacked_matrices() -> None:
    def make() -> Any:
        w = Module({"A": memref(64, 64, element=F32), "C": memref(32, 64, element=F32)})
        stored(w, smallest_of_halves(w), "C", Layout((2, 2), (16, 32)))
        return w.done()

    check_levels(make, lambda arrays: {"C": np.minimum(arrays["A"][:32], arrays["A"][32:])})


# Instructions (seed 002, inst_data).


@pytest.mark.parametrize(
    ("inst", "messages"), [((32, 32), {(32, 16)}), ((16, 16), {(16, 16)}), ((8, 16), {(8, 16)}), ((8, 32), {(8, 16)})]
)
def test_messages_are_no_larger_than_inst_data(inst: tuple[int, int], messages: set[tuple[int, int]]) -> None:
    def make() -> Any:
        w = Module({"A": memref(64, 64), "C": memref(64, 64)})
        stored(w, loaded(w, "A", Layout((2, 2), (32, 32), inst)), "C", Layout((2, 2), (32, 32)))
        return w.done()

    module = lowered(make, "xegpu")
    assert {op.desc.type.shape for op in module.walk() if isinstance(op, xegpu.LoadNd)} == messages
    check_levels(make, lambda arrays: {"C": arrays["A"]})


@pytest.mark.parametrize(("a", "b"), [((8, 16), (16, 16)), ((16, 32), (32, 32)), ((32, 16), (16, 32))])
def test_products_of_blocks(a: tuple[int, int], b: tuple[int, int]) -> None:
    """Operands arrive in the blocks that are asked for; DPAS takes its own of them."""

    def make() -> Any:
        w = Module({"A": memref(64, 32), "B": memref(32, 128), "C": memref(64, 128, element=F32)})
        left, right = loaded(w, "A", Layout((2, 2), (32, 32), a)), loaded(w, "B", Layout((2, 2), (32, 64), b))
        total = w.build(xegpu.Dpas, left, right, None, result=VectorType((64, 128), F32))
        stored(w, total, "C", Layout((2, 2), (32, 64), (8, 16)))
        return w.done()

    check_levels(make, lambda v: {"C": v["A"].astype(np.float32) @ v["B"].astype(np.float32)}, tolerance=1e-3)
    loads = [op for op in lowered(make, "xegpu").walk() if isinstance(op, xegpu.LoadNd)]
    most = {a[0], b[0]}
    assert {op.desc.type.shape[0] for op in loads} == most and any(op.packed is not None for op in loads)


def test_inst_data_larger_than_a_share_is_refused() -> None:
    def make() -> Any:
        w = Module({"A": memref(64, 64), "C": memref(64, 64)})
        stored(w, loaded(w, "A", Layout((2, 2), (32, 32), (64, 32))), "C")
        return w.done()

    with pytest.raises(VerifyError, match="cannot distribute"):
        lowered(make, "workgroup")
