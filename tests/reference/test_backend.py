"""The numpy device as the runtime sees it, and what happens with arguments and modules that do not fit."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import threading
import tracemalloc

import ml_dtypes
import numpy as np
import pytest
from build import Kernel, matmul, passed
from xetile.backends.reference import ReferenceBackend
from xetile.backends.reference.interpret import chunks, interpret
from xetile.backends.reference.machine import MEANINGS

from xetile import dialects
from xetile.dialects import arith, scf, xetile
from xetile.dialects.types import BF16, F32, VectorType
from xetile.errors import ArgumentError, BuildError, LaunchError
from xetile.ir.core import OPS, Block, Op
from xetile.runtime.artifact import ArgSpec, Binary, Program
from xetile.runtime.backend import Backend

SPECS = tuple(
    spec
    for name in "ABC"
    for spec in (ArgSpec("array", name), ArgSpec("dim", name, 0), ArgSpec("dim", name, 1), ArgSpec("stride", name, 0))
)


def loaded(element=F32):
    backend = ReferenceBackend()
    program = Program("matmul", matmul(element, F32, 16, 16, 16), "pvc", SPECS)
    return backend.load(program, backend.devices()[0])


def test_there_is_one_device_and_it_is_usable():
    backend = ReferenceBackend()
    (device,) = backend.devices()
    assert isinstance(backend, Backend) and device.usable and device.kind == "numpy"


@pytest.mark.parametrize("element,dtype", [(F32, np.float32), (BF16, ml_dtypes.bfloat16)])
def test_launch_and_bind(element, dtype):
    a, b = np.ones((20, 30)).astype(dtype), np.ones((30, 40)).astype(dtype)
    c = np.zeros((20, 40), np.float32)
    kernel = loaded(element)
    kernel.launch((3, 2), [a, b, c])
    assert (c == 30).all()
    again = kernel.bind((3, 2), [a, b, c])
    a[...] = 2
    again()
    assert (c == 60).all()


def test_threads_do_not_disturb_each_other():
    kernel = loaded()
    rng = np.random.default_rng(0)
    cases = [(*rng.standard_normal((2, 48, 48)).astype(np.float32), np.zeros((48, 48), np.float32)) for _ in range(4)]
    threads = [threading.Thread(target=kernel.launch, args=((3, 3), case)) for case in cases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.allclose(c, a @ b, atol=1e-4) for a, b, c in cases)


def test_arguments_that_do_not_fit():
    kernel = loaded()
    good = [np.zeros((16, 16), np.float32) for _ in range(3)]
    with pytest.raises(ArgumentError, match="A, B, C: 3 arguments, not 2"):
        kernel.launch((1, 1), good[:2])
    with pytest.raises(ArgumentError, match="holds float64"):
        kernel.launch((1, 1), [*good[:2], np.zeros((16, 16))])
    with pytest.raises(ArgumentError, match="not a numpy array"):
        interpret(matmul(F32, F32, 16, 16, 16), (1, 1), [[1.0], 1, 1, 1, *passed(*good[1:])])
    frozen = good[2].copy()
    frozen.flags.writeable = False
    with pytest.raises(ArgumentError, match="C is read-only"):
        kernel.launch((1, 1), [*good[:2], frozen])
    good[0].flags.writeable = False  # which is only read
    kernel.launch((1, 1), good)
    with pytest.raises(ArgumentError, match="negative"):
        kernel.launch((-1, 1), good)


def test_compiled_kernels_are_refused():
    binary = Binary("k", b"", "pvc", 16, 1, (16, 1, 1), 128, 0, "", ())
    with pytest.raises(BuildError, match="compiled for pvc"):
        ReferenceBackend().load(binary, ReferenceBackend().devices()[0])


def test_an_op_without_a_meaning_is_named():
    class Unknown(Op, name="test.unknown"):
        """An op that nobody knows."""

    del OPS[Unknown.opname]  # other tests ask for all ops
    k = Kernel({"A": F32})
    k.build(Unknown)
    with pytest.raises(LaunchError, match=r"no meaning for test\.unknown"):
        interpret(k.done(), (1,), passed(np.zeros((1, 1), np.float32)))


def test_sizes_that_claim_too_much_never_leave_the_array():
    a = np.zeros((8, 16), np.float32)
    with pytest.raises(LaunchError, match="sizes or strides are wrong"):
        apply_with_rows(a, 99)


def apply_with_rows(a, rows):
    k = Kernel({"A": F32})
    tile = k.tile("A", (k.const(80), k.const(0)), (8, 16))
    k.build(xetile.StoreTile, k.build(xetile.LoadTile, tile), tile)
    interpret(k.done(), (1,), [a, rows, 16, 16])


def test_sizes_may_differ_between_programs():
    """Program y sees y rows of A."""
    a, r = np.ones((8, 16), np.float32), np.full((4, 16), -1, np.float32)
    k = Kernel({"A": F32, "R": F32})
    zero, one, y = k.const(0), k.const(1), k.pid("y")
    tile = k.build(xetile.InitTile, k.args["A"], (k.const(1), zero), (y, k.args["A_columns"]), (k.args["A_pitch"], one),
                   result=xetile.TileType((1, 16), F32))  # fmt: skip
    k.build(xetile.StoreTile, k.build(xetile.LoadTile, tile), k.tile("R", (y, zero), (1, 16)))
    interpret(k.done(), (1, 4), passed(a, r))
    assert r[:, 0].tolist() == [0, 0, 1, 1]


def test_tiles_of_different_arrays_cannot_be_mixed():
    a, b = np.zeros((1, 16), np.float32), np.zeros((1, 16), np.float32)
    for bound in (1, 9):  # differing, and uniform
        k = Kernel({"A": F32, "B": F32})
        zero = k.const(0)
        tiles = [k.tile(n, (zero, zero), (1, 16)) for n in "AB"]
        regions = [Block(), Block()]
        condition = k.build(arith.CmpI, k.pid("y"), k.const(bound), predicate="slt")
        chosen = k.build.op(scf.If, condition, regions=regions, values=[tiles[0].type]).results[0]
        for region, tile in zip(regions, tiles):
            with k.build.at(region):
                k.build(scf.Yield, (tile,))
        k.build(xetile.StoreTile, k.const(1.0, VectorType((1, 16), F32)), chosen)
        if bound == 1:
            with pytest.raises(LaunchError, match="different arrays"):
                interpret(k.done(), (1, 3), passed(a, b))
        else:
            interpret(k.done(), (1, 3), passed(a, b))
            assert (a == 1).all() and not b.any()


def test_a_loop_that_cannot_end_is_refused():
    k = Kernel({"A": F32})
    zero = k.const(0)
    k.loop(zero, k.const(3), zero, [], lambda i: [])
    with pytest.raises(LaunchError, match="step"):
        interpret(k.done(), (1,), passed(np.zeros((1, 1), np.float32)))


@pytest.mark.parametrize("grid", [(1, 1, 1), (1, 1, 1000), (1, 1000, 1), (3, 17, 23), (64, 1, 1), (0, 4, 4)])
@pytest.mark.parametrize("count", [1, 7, 100, 10**6])
def test_chunks_cover_the_grid_once(grid, count):
    seen = np.zeros(grid, int)
    for start, extent in chunks(grid, count):
        assert np.prod(extent) <= max(count, 1) * 2
        seen[tuple(slice(s, s + n) for s, n in zip(start, extent))] += 1
    assert (seen == 1).all()


@pytest.mark.parametrize("even", [True, False])
def test_memory_is_bounded_whatever_the_grid(even):
    """Chunks of the grid keep to the budget, for tiles that lie evenly and for tiles that lie anywhere."""
    peaks = []
    for programs in (256, 4096):
        side = int(programs**0.5)
        k = Kernel({"A": F32, "R": F32})
        number = k.add(k.mul(k.pid("y"), k.const(side)), k.pid("x"))
        row = k.pid("y") if even else k.build(arith.RemUI, k.mul(number, k.const(7)), k.const(side))
        at = k.mul(row, k.const(16)), k.mul(k.pid("x"), k.const(16))
        value = k.build(xetile.LoadTile, k.tile("A", at, (16, 16)))
        k.build(xetile.StoreTile, k.build(arith.AddF, value, value), k.tile("R", at, (16, 16)))
        a, r = np.ones((side * 16, side * 16), np.float32), np.zeros((side * 16, side * 16), np.float32)
        module = k.done()
        tracemalloc.start()
        interpret(module, (side, side), passed(a, r), budget_bytes=1 << 18)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert max(peaks) < 2 << 18  # the arrays of the larger grid are 8 times that


def test_every_op_has_a_short_documented_meaning():
    """This backend is the definition of the ops, to be read."""
    structure = {"gpu.module", "gpu.func", "gpu.return", "scf.yield", "scf.condition"}
    for name in (m.name for m in pkgutil.walk_packages(dialects.__path__, "xetile.dialects.")):
        importlib.import_module(name)
    ours = {name: op for name, op in OPS.items() if not name.startswith("test.")}  # tests declare ops too
    assert {name for name, op in ours.items() if op not in MEANINGS} == structure
    for op, meaning in MEANINGS.items():
        assert meaning.__doc__, op.opname
        assert len(inspect.getsourcelines(meaning)[0]) <= 25, op.opname
