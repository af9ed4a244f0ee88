"""xetile's ops at workgroup level: tiles of memory with edges, and ops on values."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from build import Kernel, apply, passed
from xetile.backends.reference.interpret import interpret
from xetile.backends.reference.memory import Dim, Region
from xetile.backends.reference.values import X, Y, along, scalar

from xetile.dialects import arith, gpu, scf, vector, xetile
from xetile.dialects.types import F16, F32, I1, I8, I16, I32, I64, INDEX, MemRefType, VectorType
from xetile.ir.core import Block


def padded_window(a, row, column, shape, padding):
    out = np.full(shape, padding, a.dtype)
    for i in range(shape[0]):
        for j in range(shape[1]):
            if 0 <= row + i < a.shape[0] and 0 <= column + j < a.shape[1]:
                out[i, j] = a[row + i, column + j]
    return out


OFFSETS = [(0, 0), (2, 3), (-3, 1), (1, -5), (-3, -5), (7, 9), (9, 0), (0, 12), (50, 50), (-20, -20), (8, -7)]


@pytest.mark.parametrize("padding", [0, 1.5])
@pytest.mark.parametrize("row,column", OFFSETS)
def test_load_pads_and_store_clips(row, column, padding):
    a = np.arange(90, dtype=np.float32).reshape(9, 10)
    whole = np.full((13, 20), -1, np.float32)
    b = whole[2:11, 4:14]
    k = Kernel({"A": F32, "B": F32})
    at = (k.const(row), k.const(column))
    value = k.build(xetile.LoadTile, k.tile("A", at, (4, 8)), padding=padding)
    doubled = k.build(arith.AddF, value, value)
    k.build(xetile.StoreTile, doubled, k.tile("B", (k.const(0), k.const(0)), (4, 8)))
    k.build(xetile.StoreTile, value, k.tile("B", at, (4, 8)))
    interpret(k.done(), (1,), passed(a, b))
    window = padded_window(a, row, column, (4, 8), padding)
    expected = np.full((9, 10), -1, np.float32)
    expected[:4, :8] = window * 2
    for i in range(4):
        for j in range(8):
            if 0 <= row + i < 9 and 0 <= column + j < 10:
                expected[row + i, column + j] = window[i, j]
    assert (b == expected).all()
    b[...] = -1
    assert (whole == -1).all()


@pytest.mark.parametrize("grid", [(4, 3), (1, 5), (7, 1)])
def test_tiles_of_the_whole_grid(grid):
    """Each program copies its tile; together they copy all, with ragged edges, in any chunks."""
    a = np.arange(21 * 30, dtype=np.int32).reshape(21, 30)
    for budget in (1 << 20, 1):
        b = np.zeros_like(a)
        k = Kernel({"A": I32, "B": I32})
        at = k.mul(k.pid("y"), k.const(8)), k.mul(k.pid("x"), k.const(8))
        k.build(xetile.StoreTile, k.build(xetile.LoadTile, k.tile("A", at, (8, 8))), k.tile("B", at, (8, 8)))
        interpret(k.done(), grid, passed(a, b), budget_bytes=budget)
        rows, columns = grid[1] * 8, grid[0] * 8
        assert (b[:rows, :columns] == a[:rows, :columns]).all() and not b[rows:].any() and not b[:, columns:].any()


def test_offsets_that_move_unevenly_are_gathered():
    a = np.arange(64 * 8, dtype=np.int32).reshape(64, 8)
    b = np.zeros((32, 8), np.int32)
    k = Kernel({"A": I32, "B": I32})
    square = k.mul(k.mul(k.pid("y"), k.pid("y")), k.const(2))
    v = k.build(xetile.LoadTile, k.tile("A", (square, k.const(2)), (4, 8)))
    k.build(xetile.StoreTile, v, k.tile("B", (k.mul(k.pid("y"), k.const(4)), k.const(0)), (4, 8)))
    interpret(k.done(), (1, 8), passed(a, b))
    expected = np.concatenate([padded_window(a, 2 * i * i, 2, (4, 8), 0) for i in range(8)])
    assert (b == expected).all()


@pytest.mark.parametrize("reversed_rows", [False, True])
@pytest.mark.parametrize("low,high", [(0, 28), (-6, 40)], ids=["inside", "over the edge"])
@pytest.mark.parametrize("chosen", ["all", "some"])
def test_tiles_anywhere(low, high, reversed_rows, chosen):
    """Each program moves a tile by offsets from tables; with `some`, only programs whose row is even store. The last one wins."""
    rng = np.random.default_rng(high + 2 * reversed_rows)
    table = rng.integers(low, high, (9, 4)).astype(np.int64)
    a, r = np.arange(32 * 40, dtype=np.int32).reshape(32, 40), np.full((32, 40), -1, np.int32)
    if reversed_rows:
        a, r = a[::-1], r[::-1]
    k = Kernel({"T": INDEX, "A": I32, "R": I32})
    entries = [_entry(k, k.pid("y"), k.const(i)) for i in range(4)]
    value = k.build(xetile.LoadTile, k.tile("A", entries[:2], (4, 8)), padding=7)

    def store():
        k.build(xetile.StoreTile, value, k.tile("R", entries[2:], (4, 8)))

    if chosen == "all":
        store()
    else:
        even = k.build(arith.CmpI, k.build(arith.RemUI, k.pid("y"), k.const(2)), k.const(0), predicate="eq")
        block = Block()
        k.build.op(scf.If, even, regions=[block, Block()], values=[])
        with k.build.at(block):
            store()
            k.build(scf.Yield)
    expected = r.copy()
    for y, (i, j, to_i, to_j) in enumerate(table):
        window = padded_window(a, i, j, (4, 8), 7)
        for p, q in np.ndindex(4, 8) if chosen == "all" or y % 2 == 0 else ():
            if 0 <= to_i + p < 32 and 0 <= to_j + q < 40:
                expected[to_i + p, to_j + q] = window[p, q]
    interpret(k.done(), (1, 9), passed(table, a, r))
    assert (r == expected).all()


def _entry(k, row, column):
    """A scalar from the table T."""
    one = k.build(xetile.LoadTile, k.tile("T", (row, column), (1, 1)))
    return k.build(vector.Extract, one, position=(0, 0))


def test_arrays_of_any_rank_and_stride():
    """Rank 1 is one row; leading dimensions are picked by offsets; views may be reversed or strided in leading dimensions."""
    line = np.arange(20, dtype=np.float32)
    out = np.zeros((1, 8), np.float32)
    k = Kernel({"V": MemRefType((None,), F32, (1,)), "R": F32}, [INDEX])
    one = k.const(1)
    tile = k.build(xetile.InitTile, k.args["V"], (k.const(15),), (k.scalars[0],), (one,), result=xetile.TileType((1, 8), F32))
    k.build(xetile.StoreTile, k.build(xetile.LoadTile, tile), k.tile("R", (k.const(0), k.const(0)), (1, 8)))
    interpret(k.done(), (1,), [line, *passed(out), 20])
    assert out.tolist() == [[15, 16, 17, 18, 19, 0, 0, 0]]

    box = np.arange(4 * 6 * 8, dtype=np.float32).reshape(4, 6, 8)[::-2, ::2]
    out = np.zeros((8, 8), np.float32)
    type = MemRefType((None, None, None), F32, (None, None, 1))
    k = Kernel({"T": type, "R": F32}, [INDEX] * 5)
    tile = k.build(xetile.InitTile, k.args["T"], (k.pid("y"), k.const(0), k.const(0)), k.scalars[:3],
                   (*k.scalars[3:], k.const(1)), result=xetile.TileType((4, 8), F32))  # fmt: skip
    v = k.build(xetile.LoadTile, tile)
    k.build(xetile.StoreTile, v, k.tile("R", (k.mul(k.pid("y"), k.const(4)), k.const(0)), (4, 8)))
    interpret(k.done(), (1, 2), [box, *passed(out), *box.shape, box.strides[0] // 4, box.strides[1] // 4])
    assert (out.reshape(2, 4, 8)[:, :3] == box).all() and not out.reshape(2, 4, 8)[:, 3].any()


def test_a_loaded_value_stays_when_its_memory_changes():
    a = np.ones((4, 8), np.float32)
    k = Kernel({"A": F32})
    zero = k.const(0)
    tile = k.tile("A", (zero, zero), (4, 8))
    first = k.build(xetile.LoadTile, tile)
    k.build(xetile.StoreTile, k.const(5.0, VectorType((4, 8), F32)), tile)
    k.build(xetile.StoreTile, k.build(arith.AddF, first, k.build(xetile.LoadTile, tile)), tile)
    interpret(k.done(), (1,), passed(a))
    assert (a == 6).all()


def test_scattered_tiles_with_masks_and_padding():
    a = np.arange(40, dtype=np.int32).reshape(1, 40)
    b = np.full((1, 40), -1, np.int32)
    k = Kernel({"A": I32, "B": I32})
    offsets = k.const(tuple(3 * i for i in range(16)), VectorType((1, 16), INDEX))
    mask = k.const(tuple(i % 4 != 1 for i in range(16)), VectorType((1, 16), I1))
    type = xetile.TileType((1, 16), I32, scatter=True)
    source, dest = (k.build(xetile.InitTile, k.args[n], (offsets,), (), (), result=type) for n in "AB")
    moved = k.build(xetile.UpdateTileOffset, source, (k.const(1, VectorType((1, 16), INDEX)),))
    value = k.build(xetile.LoadGather, moved, mask, padding=9)
    k.build(xetile.StoreScatter, value, mask, dest)
    interpret(k.done(), (1,), passed(a, b))
    expected = np.full(40, -1)
    for i in range(16):
        if i % 4 != 1 and 3 * i < 40:
            expected[3 * i] = a[0, 3 * i + 1] if 3 * i + 1 < 40 else 9
    assert b[0].tolist() == expected.tolist()


def test_shared_local_memory_belongs_to_a_program():
    """Each program writes its id to shared memory and reads it back transposed; nobody sees another's."""
    out = np.zeros((6, 8), np.int32)
    k = Kernel({"R": I32}, num_subgroups=4)
    slm = k.build(gpu.Alloca, result=MemRefType((2, 4), I32, None, 3))
    zero, one, two, four = (k.const(i) for i in (0, 1, 2, 4))
    type = xetile.TileType((2, 4), I32, space=3)
    tile = k.build(xetile.InitTile, slm, (zero, zero), (two, four), (four, one), result=type)
    ids = k.add(k.mul(k.pid("y"), k.const(100)), k.pid("x"))
    value = k.build(arith.AddI, k.build(xetile.TileIota, dim=1, result=VectorType((2, 4), INDEX)), _splat(k, ids, (2, 4)))
    k.build(xetile.StoreTile, k.build(arith.IndexCast, value, result=VectorType((2, 4), I32)), tile)
    k.build(gpu.Barrier)
    transposed = k.build(
        xetile.InitTile, slm, (zero, zero), (four, two), (one, four), result=xetile.TileType((4, 2), I32, space=3, order=(0, 1))
    )
    back = k.build(xetile.TileTranspose, k.build(xetile.LoadTile, transposed))
    at = k.mul(k.pid("y"), two), k.mul(k.pid("x"), four)
    k.build(xetile.StoreTile, back, k.tile("R", at, (2, 4)))
    module = k.done()
    for budget in (1 << 20, 1):
        out[...] = 0
        interpret(module, (2, 3), passed(out), budget_bytes=budget)
        expected = [[100 * (r // 2) + c // 4 + c % 4 for c in range(8)] for r in range(6)]
        assert out.tolist() == expected


def _splat(k, value, shape):
    from xetile.dialects import vector

    return k.build(vector.Broadcast, value, result=VectorType(shape, value.type))


REDUCTIONS = {
    "add": np.add, "mul": np.multiply, "minsi": np.minimum, "maxsi": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}  # fmt: skip


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("kind", xetile.REDUCTIONS_INT)
@pytest.mark.parametrize("dtype", [np.int8, np.int32])
def test_integer_reductions(kind, dim, dtype):
    x = np.random.default_rng(0).integers(-100, 100, (6, 8)).astype(dtype)
    unsigned = kind.endswith("ui")
    function = REDUCTIONS[kind.replace("ui", "si")]
    view = x.view(f"u{x.itemsize}") if unsigned else x
    expected = function.reduce(view, axis=dim, keepdims=True, **({"dtype": dtype} if kind in ("add", "mul") else {})).view(dtype)
    found = apply(lambda k, a: k.build(xetile.TileReduce, a, kind=kind, dims=(dim,)), x, shape=expected.shape)
    assert (found == expected).all()


@pytest.mark.parametrize("kind,function", [
    ("add", np.add), ("mul", np.multiply), ("minnumf", np.fmin), ("maxnumf", np.fmax), ("minimumf", np.minimum),
    ("maximumf", np.maximum),
])  # fmt: skip
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_float_reductions_and_their_nan_rules(kind, function, dtype):
    x = (np.random.default_rng(0).integers(-8, 8, (6, 8)) / 4 + 2.25).astype(dtype)
    if kind not in ("add", "mul"):
        x[2, 3] = np.nan
    wide = np.float64 if dtype == np.float64 else np.float32
    expected = function.reduce(x.astype(wide), axis=1, keepdims=True).astype(dtype)
    found = apply(lambda k, a: k.build(xetile.TileReduce, a, kind=kind, dims=(1,)), x, shape=(6, 1))
    assert np.array_equal(found.astype(float), expected.astype(float), equal_nan=True)


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("dtype", [np.int16, np.float32])
def test_running_sums(dim, dtype):
    x = np.random.default_rng(0).integers(-100, 100, (6, 8)).astype(dtype)
    found = apply(lambda k, a: k.build(xetile.TileScan, a, kind="add", dim=dim), x)
    assert (found == np.cumsum(x, axis=dim, dtype=dtype)).all()


def test_shapes():
    x = np.arange(24, dtype=np.int16).reshape(4, 6)
    assert (apply(lambda k, a: k.build(xetile.TileTranspose, a), x, shape=(6, 4)) == x.T).all()
    row = x[:1].copy()
    stretched = apply(lambda k, a: k.build(xetile.TileBroadcast, a, dims=(0,), result=VectorType((4, 6), I16)), row, shape=(4, 6))
    assert (stretched == row).all()
    packed_and_back = apply(
        lambda k, a: k.build(xetile.TileUnpack, k.build(xetile.TilePack, a, inner_blocks=(2, 3)), inner_blocks=(2, 3)), x
    )
    assert (packed_and_back == x).all()
    assert (apply(lambda k, a: k.build(xetile.TileConvLayout, a), x) == x).all()
    index = VectorType((4, 6), INDEX)
    numbers = apply(
        lambda k, a: k.build(arith.IndexCast, k.build(xetile.TileIota, dim=0, result=index), result=index.with_element(I16)), x
    )
    assert (numbers == np.arange(4)[:, None]).all()


def test_blocked_tiles_and_products():
    rng = np.random.default_rng(0)
    a, b = rng.integers(-3, 4, (16, 32)).astype(np.float16), rng.integers(-3, 4, (32, 48)).astype(np.float16)
    c = np.zeros((16, 48), np.float32)
    k = Kernel({"A": F16, "B": F16, "C": F32})
    at = (k.const(0), k.const(0))
    va = k.build(xetile.LoadTile, k.tile("A", at, (16, 32), inner_blocks=(8, 16)))
    vb = k.build(xetile.LoadTile, k.tile("B", at, (32, 48), inner_blocks=(16, 16)))
    assert va.type.shape == (2, 2, 8, 16)
    product = k.build(xetile.TileMma, va, vb, result=VectorType((2, 3, 8, 16), F32))
    total = k.build(xetile.TileReduce, product, kind="add", dims=(1, 3))
    spread = k.build(xetile.TileBroadcast, total, dims=(1, 3), result=product.type)
    k.build(xetile.StoreTile, k.build(arith.AddF, product, spread), k.tile("C", at, (16, 48), inner_blocks=(8, 16)))
    interpret(k.done(), (1,), passed(a, b, c))
    exact = a.astype(np.float32) @ b.astype(np.float32)
    assert (c == exact + exact.sum(1, keepdims=True)).all()


ATOMICS = {
    "addi": lambda o, v: o + v, "andi": lambda o, v: o & v, "ori": lambda o, v: o | v, "xori": lambda o, v: o ^ v,
    "muli": lambda o, v: o * v, "maxs": max, "mins": min, "assign": lambda o, v: v,
    "maxu": lambda o, v: max(o, v, key=lambda i: i & 0xFFFFFFFF), "minu": lambda o, v: min(o, v, key=lambda i: i & 0xFFFFFFFF),
}  # fmt: skip


@pytest.mark.parametrize("kind", arith.ATOMICS_INT)
def test_atomics_take_turns_and_give_old_elements(kind):
    """Six programs update one row; each sees what the one before left."""
    memory = np.array([[3, -7, 1 << 20, 0]], np.int32)
    values = np.random.default_rng(0).integers(-9, 9, (6, 4)).astype(np.int32)
    expected, old = memory[0].tolist(), []
    for row in values.tolist():
        old.append(list(expected))
        expected = [((ATOMICS[kind](o, v) + 2**31) % 2**32) - 2**31 for o, v in zip(expected, row)]
    seen = np.zeros((6, 4), np.int32)
    k = Kernel({"M": I32, "V": I32, "S": I32})
    zero, y = k.const(0), k.pid("y")
    value = k.build(xetile.LoadTile, k.tile("V", (y, zero), (1, 4)))
    found = k.build(xetile.AtomicRmwTile, value, k.tile("M", (zero, zero), (1, 4)), kind=kind)
    k.build(xetile.StoreTile, found, k.tile("S", (y, zero), (1, 4)))
    interpret(k.done(), (1, 6), passed(memory, values, seen))
    assert memory[0].tolist() == expected and seen.tolist() == old


@pytest.mark.parametrize("taken", [True, False], ids=["taken", "dropped"])
@pytest.mark.parametrize("element, dtype", [(I8, np.int8), (I16, np.int16), (I64, np.int64)], ids=str)
@pytest.mark.parametrize("kind", arith.ATOMICS_INT)
def test_atomics_on_equal_places_in_every_width(kind, element, dtype, taken):
    """Forty programs of four elements each at places that come again, within a program too; old elements may be taken by nothing."""
    rng = np.random.default_rng(1)
    info = np.iinfo(dtype)
    memory, values = (rng.integers(info.min, info.max, shape, dtype, endpoint=True) for shape in ((1, 8), (40, 4)))
    places = rng.integers(0, 8, (40, 4)).astype(np.int32)
    expected, old, mask = memory[0].tolist(), [], (1 << info.bits) - 1
    unsigned = {"maxu": max, "minu": min}
    for at, v in zip(places.ravel().tolist(), values.ravel().tolist()):
        o = expected[at]
        old.append(o)
        new = unsigned[kind](o, v, key=lambda i: i & mask) if kind in unsigned else ATOMICS[kind](o, v)
        expected[at] = ((new - info.min) & mask) + info.min
    seen = np.zeros((40, 4), dtype)
    k = Kernel({"M": element, "V": element, "P": I32, "S": element})
    zero, y = k.const(0), k.pid("y")
    value, where = (k.build(xetile.LoadTile, k.tile(name, (y, zero), (1, 4))) for name in "VP")
    at = k.build(arith.IndexCast, where, result=VectorType((1, 4), INDEX))
    scattered = xetile.TileType((1, 4), element, scatter=True)
    tile = k.build(xetile.InitTile, k.args["M"], (at,), (), (), result=scattered)
    found = k.build(xetile.AtomicRmwTile, value, tile, k.const(True, VectorType((1, 4), I1)), kind=kind)
    if taken:
        k.build(xetile.StoreTile, found, k.tile("S", (y, zero), (1, 4)))
    interpret(k.done(), (1, 40), passed(memory, values, places, seen))
    assert memory[0].tolist() == expected
    assert not taken or seen.ravel().tolist() == old


@pytest.mark.parametrize("taken", [True, False], ids=["taken", "dropped"])
@pytest.mark.parametrize("kind", arith.ATOMICS_INT)
def test_atomics_on_bits(kind, taken):
    """Signed, the one bit that is set is -1."""
    rng = np.random.default_rng(2)
    memory, values = rng.integers(0, 2, (1, 4)).astype(bool), rng.integers(0, 2, (5, 4)).astype(bool)
    signed = {"maxs": max, "mins": min}
    expected, old = memory[0].tolist(), []
    for row in values.tolist():
        old.append(list(expected))
        pairs = zip(expected, row)
        expected = [bool(signed[kind](-o, -v) if kind in signed else ATOMICS[kind](int(o), int(v)) & 1) for o, v in pairs]
    seen = np.zeros((5, 4), bool)
    k = Kernel({"M": I1, "V": I1, "S": I1})
    zero, y = k.const(0), k.pid("y")
    value = k.build(xetile.LoadTile, k.tile("V", (y, zero), (1, 4)))
    found = k.build(xetile.AtomicRmwTile, value, k.tile("M", (zero, zero), (1, 4)), kind=kind)
    if taken:
        k.build(xetile.StoreTile, found, k.tile("S", (y, zero), (1, 4)))
    interpret(k.done(), (1, 5), passed(memory, values, seen))
    assert memory[0].tolist() == expected
    assert not taken or seen.tolist() == old


def test_every_program_takes_part_in_an_atomic_of_uniform_operands():
    memory = np.zeros((1, 4), np.float32)
    k = Kernel({"M": F32})
    zero = k.const(0)
    k.build(xetile.AtomicRmwTile, k.const(1.0, VectorType((1, 8), F32)), k.tile("M", (zero, zero), (1, 8)), kind="addf")
    interpret(k.done(), (5, 3, 2), passed(memory))
    assert memory.tolist() == [[30, 30, 30, 30]]


def test_one_bit_and_unsigned_arrays():
    x = np.array([[True, False, True, True]])
    assert (apply(lambda k, a: a, x) == x).all()
    u = np.array([[200, 3]], np.uint8)
    assert (apply(lambda k, a: a, u, dtype=np.uint8, element=I8) == u).all()


def test_values_stay_factored():
    """A tile that moves with the row of programs only is read once for each row, as a view."""
    from xetile.backends.reference.access import load
    from xetile.backends.reference.machine import KernelPlan, Machine
    from xetile.backends.reference.memory import Memory
    from xetile.backends.reference.product import multiply

    a = np.arange(64 * 32, dtype=np.float32)
    memory = Memory(a, "A", read_only=True)
    m = Machine(plan=KernelPlan(), grid=(1, 4, 5), num_subgroups=1, subgroup_size=16, level="workgroup", extent=(1, 4, 5))
    rows = load(m, Region(memory, (Dim(along(Y, np.arange(4) * 16), 64, 32, 16), Dim(scalar(0), 32, 1, 32)), 2))
    assert rows.shape == (1, 4, 1, 1, 1, 16, 32) and np.shares_memory(rows, a)
    columns = load(m, Region(memory, (Dim(scalar(0), 64, 32, 32), Dim(along(X, np.arange(5) * 4), 32, 1, 8)), 2))
    assert columns.shape == (1, 1, 5, 1, 1, 32, 8) and np.shares_memory(columns, a)
    product = multiply(rows, columns, None, F32).value()
    assert product.shape == (1, 4, 5, 1, 1, 16, 8)
    assert (
        product.base is not None and product.transpose(0, 1, 5, 2, 6, 3, 4).flags.c_contiguous
    )  # one BLAS result, (rows, columns)
    assert I8.bits == 8
