"""Lane level: what lanes hold of blocks and matrix operands, as SPV_INTEL_2d_block_io and the matrix extension say."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from build import Kernel, passed
from xetile.backends.reference.interpret import interpret
from xetile.backends.reference.lanes import UNDEFINED, a_table, column_table, message_table

from xetile.dialects import arith, gpu, vector, xegpu, xetile
from xetile.dialects.types import BF16, F16, F32, I8, I16, I32, INDEX, TF32, VectorType
from xetile.ir.core import UNIT
from xetile.layout import Layout
from xetile.target import get_target


def lane_table(height, width, count=1, lanes=16, together=1, transposed=False):
    return message_table(height, width, count, lanes, together, transposed)


# (element bytes, width, height, lane, its elements as (row, column)): the examples of the extension's text.
PLAIN = [
    (2, 16, 4, 5, [(0, 5), (1, 5), (2, 5), (3, 5)]),
    (1, 32, 2, 3, [(0, 6), (0, 7), (1, 6), (1, 7)]),
    (4, 8, 4, 2, [(0, 2), (2, 2)]),
    (4, 8, 4, 10, [(1, 2), (3, 2)]),
    (4, 16, 2, 15, [(0, 15), (1, 15)]),
    (1, 64, 1, 1, [(0, 4), (0, 5), (0, 6), (0, 7)]),
    (2, 12, 2, 3, [(0, 3), (1, 3)]),  # the width is padded to 16
]


@pytest.mark.parametrize("bytes_,width,height,lane,elements", PLAIN)
def test_plain_blocks(bytes_, width, height, lane, elements):
    assert lane_table(height, width)[lane].tolist() == [r * width + c for r, c in elements]


def test_lanes_beyond_the_block_hold_nothing():
    assert (lane_table(1, 8)[8:] == UNDEFINED).all() and (lane_table(2, 12)[12:] == UNDEFINED).all()


@pytest.mark.parametrize("together,height", [(2, 16), (4, 32)])
def test_transform_packs_rows_of_a_column(together, height):
    table = lane_table(height, 16, together=together)
    assert table.shape == (16, height)
    for lane in range(16):
        assert table[lane].tolist() == [row * 16 + lane for row in range(height)]


def test_transform_pads_rows():
    assert lane_table(3, 16, together=2)[1].tolist() == [1, 17, 33, UNDEFINED]


def test_transpose_gives_each_lane_a_row_of_memory():
    table = lane_table(16, 8, transposed=True)
    for lane in range(16):
        assert table[lane].tolist() == [lane * 8 + column for column in range(8)]


def test_blocks_side_by_side_come_one_after_another():
    table = lane_table(2, 16, count=2)
    assert table[3].tolist() == [3, 35, 19, 51]


@pytest.mark.parametrize("kind", ["load", "transform", "transpose", "store"])
@pytest.mark.parametrize("bytes_", [1, 2, 4])
def test_all_messages_of_the_target_agree_with_its_layouts(kind, bytes_):
    """The same numbers, worked out by xetile.layout from the target's lane layouts."""
    block2d = get_target("pvc").block2d
    for message in block2d.messages(kind, bytes_):
        grid, data = block2d.lane_layout(kind, bytes_, message)
        layout = Layout(lane_layout=grid, lane_data=data)
        shape = (message.height, message.width)
        together = 4 // bytes_ if kind == "transform" else 1
        table = lane_table(message.height, message.width, 1, 16, together, kind == "transpose")
        for lane in range(16):
            expected = [r * message.width + c for r, c in layout.lane_elements(shape, lane)]
            defined = [i for i in table[lane].tolist() if i != UNDEFINED]
            assert defined == expected or not defined, (kind, message, lane)


@pytest.mark.parametrize("name", ["pvc", "dg2"])
def test_matrix_operands_agree_with_the_targets_layouts(name):
    target = get_target(name)
    lanes = target.subgroup_size
    for mma in target.mma:
        for m in mma.m:
            for role, table in (
                ("a", a_table(m, mma.k, lanes)),
                ("b", column_table(mma.k, lanes)),
                ("acc", column_table(m, lanes)),
            ):
                if role == "a" and mma.lhs in ("i4", "u4"):
                    continue
                shape = mma.operand_shape(role, m)
                layout = Layout(lane_layout=mma.operand_layout(role).lane_layout, lane_data=mma.operand_layout(role).lane_data)
                for lane in range(lanes):
                    defined = [i for i in table[lane].tolist() if i != UNDEFINED]
                    if defined:
                        assert defined == [r * shape[1] + c for r, c in layout.lane_elements(shape, lane)]


def run_lanes(k, arrays, grid=(1,)):
    interpret(k.done(), grid, passed(*arrays), level="lane")


GEMMS = [
    (F16, np.float16, F32, np.float32, 16, 16), (BF16, ml_dtypes.bfloat16, F32, np.float32, 16, 16),
    (F16, np.float16, F16, np.float16, 16, 16), (I8, np.int8, I32, np.int32, 32, 16), (TF32, np.float32, F32, np.float32, 8, 16),
    (F16, np.float16, F32, np.float32, 16, 8), (I8, np.int8, I32, np.int32, 32, 8),
]  # fmt: skip


@pytest.mark.parametrize("m", [1, 2, 4, 8])
@pytest.mark.parametrize("element,dtype,acc,acc_dtype,depth,lanes", GEMMS)
def test_dpas_on_loaded_fragments(element, dtype, acc, acc_dtype, depth, lanes, m):
    """A plain load, a packed load and dpas are a matrix product, whatever lanes hold."""
    rng = np.random.default_rng(m)
    draw = (lambda *s: rng.integers(-128, 128, s)) if dtype == np.int8 else (lambda *s: rng.integers(-4, 5, s) / 2)
    a, b, c = draw(m, depth).astype(dtype), draw(depth, lanes).astype(dtype), draw(m, lanes).astype(acc_dtype)
    d = np.zeros((m, lanes), acc_dtype)
    k = Kernel({"A": element, "B": element, "C": acc, "D": acc}, subgroup_size=lanes)
    zero = k.const(0)
    packed = UNIT if element.bits < 32 else None
    per_lane = VectorType((-(-m * depth // lanes),), element)
    va = k.build(xegpu.LoadNd, k.desc("A", a.shape), (zero, zero), value=per_lane)
    vb = k.build(xegpu.LoadNd, k.desc("B", b.shape), (zero, zero), packed=packed, value=VectorType((depth,), element))
    vc = k.build(xegpu.LoadNd, k.desc("C", c.shape), (zero, zero), value=VectorType((m,), acc))
    k.build(xegpu.StoreNd, k.build(xegpu.Dpas, va, vb, vc), k.desc("D", d.shape), (zero, zero))
    run_lanes(k, [a, b, c, d])
    assert (d == (a.astype(float) @ b.astype(float) + c.astype(float)).astype(acc_dtype)).all()


def test_unsigned_bytes():
    a, b, d = np.full((8, 32), 255, np.uint8), np.full((32, 16), 255, np.uint8), np.zeros((8, 16), np.int32)
    k = Kernel({"A": I8, "B": I8, "D": I32})
    zero = k.const(0)
    va = k.build(xegpu.LoadNd, k.desc("A", a.shape), (zero, zero), value=VectorType((16,), I8))
    vb = k.build(xegpu.LoadNd, k.desc("B", b.shape), (zero, zero), packed=UNIT, value=VectorType((32,), I8))
    product = k.build(xegpu.Dpas, va, vb, lhs_unsigned=UNIT, rhs_unsigned=None, result=VectorType((8,), I32))
    k.build(xegpu.StoreNd, product, k.desc("D", d.shape), (zero, zero))
    run_lanes(k, [a, b, d])
    assert (d == -255 * 32).all()


def test_a_transposing_load_of_pairs_equals_the_transform():
    """16-bit B^T in memory, loaded as 32-bit elements and transposed, is B with pairs along K packed."""
    rng = np.random.default_rng(0)
    a, b, d = (
        rng.standard_normal((8, 16)).astype(np.float16),
        rng.standard_normal((16, 16)).astype(np.float16),
        np.zeros((8, 16), np.float32),
    )
    bt = np.ascontiguousarray(b.T)
    k = Kernel({"A": F16, "B": I32, "D": F32})
    zero = k.const(0)
    va = k.build(xegpu.LoadNd, k.desc("A", a.shape), (zero, zero), value=VectorType((8,), F16))
    pairs = k.build(xegpu.LoadNd, k.desc("B", (16, 8)), (zero, zero), transpose=(1, 0), value=VectorType((8,), I32))
    vb = k.build(vector.Bitcast, pairs, result=VectorType((16,), F16))
    k.build(xegpu.StoreNd, k.build(xegpu.Dpas, va, vb, result=VectorType((8,), F32)), k.desc("D", d.shape), (zero, zero))
    run_lanes(k, [a, bt.view(np.int32), d])
    assert np.allclose(d, a.astype(np.float32) @ b.astype(np.float32), atol=1e-5)


def test_array_length_gives_block_after_block():
    a = np.arange(8 * 32, dtype=np.int16).reshape(8, 32)
    d = np.zeros((8, 16), np.int16)
    k = Kernel({"A": I16, "D": I16})
    zero = k.const(0)
    both = k.build(xegpu.LoadNd, k.desc("A", (8, 16), array_length=2), (zero, zero), value=VectorType((16,), I16))
    second = k.build(vector.ExtractStridedSlice, both, offsets=(8,), sizes=(8,), strides=(1,))
    k.build(xegpu.StoreNd, second, k.desc("D", (8, 16)), (zero, zero))
    run_lanes(k, [a, d])
    assert (d == a[:, 16:]).all()


def test_outside_is_zero_on_load_and_dropped_on_store():
    a = np.arange(5 * 20, dtype=np.float32).reshape(5, 20) + 1
    whole = np.full((5, 40), -1, np.float32)
    d = whole[:, 10:30]
    k = Kernel({"A": F32, "D": F32})
    x, y = k.const(8), k.const(-2)
    v = k.build(xegpu.LoadNd, k.desc("A", (8, 16)), (y, x), value=VectorType((8,), F32))
    k.build(xegpu.StoreNd, v, k.desc("D", (8, 16)), (k.const(0), x))
    run_lanes(k, [a, d])
    expected = np.full((5, 20), -1, np.float32)
    expected[:, 8:] = 0
    expected[2:, 8:] = a[:3, 8:]
    assert (d == expected).all() and (whole[:, :10] == -1).all() and (whole[:, 30:] == -1).all()


@pytest.mark.parametrize("mode,offset,expected", [
    ("xor", 1, lambda i: i ^ 1), ("up", 2, lambda i: i - 2 if i >= 2 else i),
    ("down", 3, lambda i: i + 3 if i < 13 else i), ("idx", 5, lambda i: 5),
])  # fmt: skip
def test_shuffles(mode, offset, expected):
    d = np.zeros((1, 16), np.int32)
    k = Kernel({"D": I32})
    lane = k.build(arith.IndexCast, k.build(gpu.LaneId), result=I32)
    picked, _ = k.build(gpu.Shuffle, lane, k.const(offset, I32), k.const(16, I32), mode=mode)
    value = k.build(vector.Broadcast, picked, result=VectorType((1,), I32))
    k.build(xegpu.StoreNd, value, k.desc("D", (1, 16)), (k.const(0), k.const(0)))
    run_lanes(k, [d])
    assert d[0].tolist() == [expected(i) for i in range(16)]


@pytest.mark.parametrize("size,stride,expected", [
    (None, None, [120] * 16), (4, None, [6] * 4 + [22] * 4 + [38] * 4 + [54] * 4),
    (2, 8, [8, 10, 12, 14, 16, 18, 20, 22] * 2),
])  # fmt: skip
def test_reductions_over_lanes(size, stride, expected):
    d = np.zeros((1, 16), np.int32)
    k = Kernel({"D": I32})
    lane = k.build(arith.IndexCast, k.build(gpu.LaneId), result=I32)
    total = k.build(gpu.SubgroupReduce, lane, kind="add", cluster_size=size, cluster_stride=stride)
    value = k.build(vector.Broadcast, total, result=VectorType((1,), I32))
    k.build(xegpu.StoreNd, value, k.desc("D", (1, 16)), (k.const(0), k.const(0)))
    run_lanes(k, [d])
    assert d[0].tolist() == expected


@pytest.mark.parametrize("kind,expected", [("add", [120 + 16 * i for i in range(16)]), ("maxsi", list(range(15, 31)))])
def test_each_lane_gets_one_of_what_is_reduced_over_all(kind, expected):
    d = np.zeros((1, 16), np.int32)
    k = Kernel({"D": I32})
    lane = k.build(arith.IndexCast, k.build(gpu.LaneId), result=I32)
    lines = VectorType((16,), I32)
    count = k.build(arith.Constant, value=tuple(range(16)), result=lines)
    each = k.build(arith.AddI, k.build(vector.Broadcast, lane, result=lines), count)
    k.build(xegpu.StoreNd, k.build(xetile.ReduceLines, each, kind=kind), k.desc("D", (1, 16)), (k.const(0), k.const(0)))
    run_lanes(k, [d])
    assert d[0].tolist() == expected


def test_each_subgroup_and_lane_has_its_own_scattered_elements():
    a = np.arange(64, dtype=np.float32).reshape(1, 64)
    d = np.zeros((1, 64), np.float32)
    k = Kernel({"A": F32, "D": F32}, num_subgroups=2)
    sg, lane = k.build(gpu.SubgroupId), k.build(gpu.LaneId)
    start = k.mul(k.add(k.mul(sg, k.const(16)), lane), k.const(2))
    mask = k.build(arith.CmpI, lane, k.const(15), predicate="slt")
    pair = k.build(xegpu.Load, k.flat("A"), start, mask, value=VectorType((2,), F32))
    swapped = k.build(vector.Shuffle, pair, pair, mask=(1, 0))
    k.build(xegpu.Store, swapped, k.flat("D"), start, mask)
    run_lanes(k, [a, d])
    expected = a.reshape(-1, 2)[:, ::-1].copy()
    expected[[15, 31]] = 0
    assert (d.reshape(-1, 2) == expected).all()
    assert INDEX.bits == 64
