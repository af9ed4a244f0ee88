"""What a subgroup has stored to shared memory itself it takes from registers; what others have stored it loads."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import request
from xetile.dialects import gpu, xegpu
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.target import get_target

COLUMNS = xt.wg_map(sg_layout=(1, 2), sg_data=(32, 16))
ROWS = xt.wg_map(sg_layout=(2, 1), sg_data=(16, 32))


@xt.jit(grid=(1,))
def scanned(X, Y, MAP: xt.constexpr):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 32), wg_map=MAP))
    xt.store_tile(xt.associative_scan(lambda a, b: a + b, x, 0), xt.init_tile(Y, (0, 0), (32, 32), wg_map=MAP))


@xt.jit(grid=(1,))
def rolled(X, Y, MAP: xt.constexpr):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 32), wg_map=MAP))
    xt.store_tile(xt.roll(x, 3, 0) + xt.roll(x, -5, 0), xt.init_tile(Y, (0, 0), (32, 32), wg_map=MAP))


@xt.jit(grid=(1,))
def parts(X, Y, MAP: xt.constexpr):
    """Each row by itself, and each column, of which a lane has the element."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 32), wg_map=MAP))
    total = xt.zeros((32, 32), xt.f32)
    for i in xt.static_range(1, 32, 6):
        total += x[i : i + 1, :] * (i + 1)
    for i in xt.static_range(0, 32, 15):
        total += x[:, i : i + 1] * (i + 1)
    xt.store_tile(total, xt.init_tile(Y, (0, 0), (32, 32), wg_map=MAP))


@xt.jit(grid=(1,))
def elements(X, Y, MAP: xt.constexpr):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 32), wg_map=MAP))
    xt.store_tile(x * x[3, 5] + x[31, 17] * x[0, 31], xt.init_tile(Y, (0, 0), (32, 32), wg_map=MAP))


def _parts(x):
    rows = sum(x[i : i + 1] * (i + 1) for i in range(1, 32, 6))
    return rows + sum(x[:, i : i + 1] * (i + 1) for i in range(0, 32, 15)) + np.zeros_like(x)


KERNELS = {
    "scan": (scanned, lambda x: np.cumsum(x, 0)),
    "roll": (rolled, lambda x: np.roll(x, 3, 0) + np.roll(x, -5, 0)),
    "parts": (parts, _parts),
    "elements": (elements, lambda x: x * x[3, 5] + x[31, 17] * x[0, 31]),
}
MAPS = {"whole columns": (COLUMNS, 2), "rows": (ROWS, 2), "alone": (xt.wg_map(sg_layout=(1, 1), sg_data=(32, 32)), 1)}


def lane(kernel, target="pvc", **constants):
    what = request(kernel, {"X": "f32[?,?]", "Y": "f32[?,?]"}, target, **constants)
    *_, (_, module) = pipeline.run_levels(pipeline.PIPELINE, trace(what), get_target(target))
    return module.kernel


def of_shared(kernel):
    """Buffers, barriers, loads and stores of lanes."""
    kinds = (gpu.Alloca, gpu.Barrier, xegpu.Load, xegpu.Store, xegpu.LoadMatrix)
    return [op for op in kernel.walk() if isinstance(op, kinds)]


def whole_numbers():
    return np.random.default_rng(0).integers(-9, 9, (32, 32)).astype(np.float32)


@pytest.mark.every(36)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("shared", MAPS)
@pytest.mark.parametrize("name", KERNELS)
def test_values(name, shared, target):
    kernel, model = KERNELS[name]
    x, (chosen, subgroups) = whole_numbers(), MAPS[shared]
    launch = Launch(kernel, {"X": x, "Y": np.zeros_like(x)}, {"Y": model(x)}, constants={"MAP": chosen}, num_subgroups=subgroups)
    launch.at_levels(target)


@pytest.mark.device
@pytest.mark.every(9, 10)
@pytest.mark.parametrize("shared", MAPS)
@pytest.mark.parametrize("name", KERNELS)
def test_values_on_devices(device, name, shared):
    kernel, model = KERNELS[name]
    x, (chosen, subgroups) = whole_numbers(), MAPS[shared]
    launch = Launch(kernel, {"X": x, "Y": np.zeros_like(x)}, {"Y": model(x)}, constants={"MAP": chosen}, num_subgroups=subgroups)
    launch.on_device(device)


@pytest.mark.every(2)
@pytest.mark.parametrize("kernel", [scanned, rolled], ids=["scan", "roll"])
def test_whole_columns_pass_through_no_memory(kernel):
    assert not of_shared(lane(kernel, MAP=COLUMNS, num_subgroups=2))


def test_one_subgroup_needs_none():
    assert not of_shared(lane(elements, MAP=MAPS["alone"][0], num_subgroups=1))


def test_rows_of_other_subgroups_are_loaded():
    found = of_shared(lane(rolled, MAP=ROWS, num_subgroups=2))
    assert any(isinstance(op, (xegpu.Load, xegpu.LoadMatrix)) for op in found)
    assert any(isinstance(op, gpu.Barrier) for op in found)


# Programs that write to shared memory themselves.


@xt.jit(grid=(1,), num_subgroups=2)
def overwritten(X, Y):
    """By the other subgroup: rows of the second half over the first one's."""
    shared = xt.alloc_slm((48, 16), xt.f32)
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 16), wg_map=xt.wg_map((2, 1), (16, 16))))
    xt.store_tile(x, xt.init_tile(shared, (0, 0), (32, 16), wg_map=xt.wg_map((2, 1), (16, 16))))
    xt.barrier()
    xt.store_tile(x + 100, xt.init_tile(shared, (16, 0), (32, 16), wg_map=xt.wg_map((2, 1), (16, 16))))
    xt.barrier()
    y = xt.load_tile(xt.init_tile(shared, (0, 0), (32, 16), wg_map=xt.wg_map((2, 1), (16, 16))))
    xt.store_tile(y, xt.init_tile(Y, (0, 0), (32, 16), wg_map=xt.wg_map((2, 1), (16, 16))))


@xt.jit(grid=(1,), num_subgroups=2)
def again(X, Y):
    """In each round what the other subgroup has left in the round before."""
    shared = xt.alloc_slm((32, 16), xt.f32)
    halves = xt.wg_map((2, 1), (16, 16))
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 16), wg_map=halves))
    for i in range(3):
        xt.store_tile(x, xt.init_tile(shared, (0, 0), (32, 16), wg_map=halves))
        xt.barrier()
        y = xt.load_tile(xt.init_tile(shared, (16, 0), (16, 16)))
        xt.barrier()
        x = x + xt.concatenate([y, y], 0) * (i + 1)
    xt.store_tile(x, xt.init_tile(Y, (0, 0), (32, 16), wg_map=halves))


@xt.jit(grid=(1,), num_subgroups=1)
def in_part(X, Y, n):
    """A store that may not happen, one beyond the end, and one of another view."""
    shared = xt.alloc_slm((32, 16), xt.f32)
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 16)))
    xt.store_tile(x, xt.init_tile(shared, (0, 0), (32, 16)))
    if n > 1:
        xt.store_tile(x * 2, xt.init_tile(shared, (0, 0), (32, 16)))
    a = xt.load_tile(xt.init_tile(shared, (0, 0), (32, 16)))
    xt.store_tile(x, xt.init_tile(shared, (5, 3), (32, 16)))
    b = xt.load_tile(xt.init_tile(shared, (0, 0), (32, 16)))
    xt.store_tile(x[0:16, :] * 3, xt.init_tile(shared.T, (0, n), (16, 16)))
    c = xt.load_tile(xt.init_tile(shared, (0, 0), (32, 16)))
    xt.store_tile(a + b * 1000 + c * 1000000, xt.init_tile(Y, (0, 0), (32, 16)))


def _overwritten(x):
    shared = np.zeros((48, 16), np.float32)
    shared[:32] = x
    shared[16:] = x + 100
    return shared[:32]


def _again(x):
    for i in range(3):
        x = x + np.tile(x[16:], (2, 1)) * (i + 1)
    return x


def _in_part(x, n):
    shared = x * (2 if n > 1 else 1)
    a = shared.copy()
    shared[5:, 3:] = x[:27, :13]
    b = shared.copy()
    shared.T[:, n : n + 16] = x[:16] * 3
    return a + b * 1000 + shared * 1000000


@pytest.mark.every(2)
@pytest.mark.device
@pytest.mark.parametrize("name", ["overwritten", "again"])
def test_what_others_write_is_seen(device, name):
    kernel, model = {"overwritten": (overwritten, _overwritten), "again": (again, _again)}[name]
    x = whole_numbers()[:, :16]
    Launch(kernel, {"X": x, "Y": np.zeros_like(x)}, {"Y": model(x)}, num_subgroups=2).on_device(device)


@pytest.mark.every(2)
@pytest.mark.device
@pytest.mark.parametrize("n", [1, 2])
def test_what_may_have_been_written_is_loaded(device, n):
    x = np.random.default_rng(1).integers(0, 4, (32, 16)).astype(np.float32)
    Launch(in_part, {"X": x, "Y": np.zeros_like(x), "n": n}, {"Y": _in_part(x, n)}, num_subgroups=1).on_device(device)


@xt.jit(grid=(2,), num_subgroups=2)
def by_global_memory(X, Y):
    """The barrier orders what goes by global memory."""
    z = xt.program_id(0)
    x = xt.load_tile(xt.init_tile(X[z], (0, 0), (32, 16), wg_map=xt.wg_map((2, 1), (16, 16))))
    xt.store_tile(xt.roll(x, 1, 0), xt.init_tile(Y[z], (0, 0), (32, 16), wg_map=xt.wg_map((2, 1), (16, 16))))
    xt.barrier()
    y = xt.load_tile(xt.init_tile(Y[z], (0, 0), (32, 16), wg_map=xt.wg_map((1, 2), (32, 8))))
    xt.barrier()
    xt.store_tile(xt.roll(y, 1, 0), xt.init_tile(Y[z], (0, 0), (32, 16), wg_map=xt.wg_map((1, 2), (32, 8))))


def test_barriers_of_global_memory_stay():
    what = request(by_global_memory, {"X": "f32[?,?,?]", "Y": "f32[?,?,?]"}, "pvc", num_subgroups=2)
    *_, (_, module) = pipeline.run_levels(pipeline.PIPELINE, trace(what), get_target("pvc"))
    ops = [
        op for op in module.kernel.walk() if isinstance(op, (gpu.Barrier, xegpu.LoadNd, xegpu.StoreNd, xegpu.Load, xegpu.Store))
    ]
    kinds = "".join({"Barrier": "|"}.get(type(op).__name__, type(op).__name__[0]) for op in ops)
    stored = kinds.index("S")
    behind = kinds[stored:].lstrip("S")
    assert behind[0] == "|" and behind[1] == "L"
    assert "|" in behind[behind.index("L") : behind.index("S")]


@pytest.mark.device
def test_values_by_global_memory(device):
    x = np.random.default_rng(2).integers(0, 99, (2, 32, 16)).astype(np.float32)
    Launch(by_global_memory, {"X": x, "Y": np.zeros_like(x)}, {"Y": np.roll(x, 2, 1)}, (2,), num_subgroups=2).on_device(device)


@xt.jit(grid=(1,), num_subgroups=4)
def in_a_branch(X, Y, n):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 32)))
    if n > 0:
        x = xt.roll(x, -1, 0) + x
    for _ in range(2):
        x = xt.concatenate([x[16:, :], x[:16, :]], 0) - x
    xt.store_tile(x, xt.init_tile(Y, (0, 0), (32, 32)))


@pytest.mark.every(2)
@pytest.mark.device
@pytest.mark.parametrize("n", [0, 1])
def test_values_in_a_branch(device, n):
    x = whole_numbers()
    y = np.roll(x, -1, 0) + x if n else x
    for _ in range(2):
        y = np.roll(y, 16, 0) - y
    Launch(in_a_branch, {"X": x, "Y": np.zeros_like(x), "n": n}, {"Y": y}, num_subgroups=4).on_device(device)


@xt.jit(grid=(1,))
def of_a_branch(X, Y, n, MAP: xt.constexpr):
    """A branch yields what was forwarded as it is, and other values on its other way; a loop goes on with it."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 32), wg_map=MAP))
    if n > 0:
        y = xt.roll(x, 3, 0)
        if n > 1:
            y = x[5:6, :] + xt.zeros((32, 32), xt.f32)
    else:
        y = xt.zeros((32, 32), xt.f32) + x[3, 7]
    for _ in range(n):
        x, y = y, x + y
    xt.store_tile(xt.maximum(y, x), xt.init_tile(Y, (0, 0), (32, 32), wg_map=MAP))


def test_loads_in_branches_are_forwarded():
    what = request(of_a_branch, {"X": "f32[?,?]", "Y": "f32[?,?]", "n": "i32"}, "pvc", MAP=COLUMNS, num_subgroups=2)
    *_, (_, module) = pipeline.run_levels(pipeline.PIPELINE, trace(what), get_target("pvc"))
    assert sum(isinstance(op, xegpu.Load) for op in of_shared(module.kernel)) == 1  # the one element that all subgroups get


@pytest.mark.every(6)
@pytest.mark.device
@pytest.mark.parametrize("shared", MAPS)
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_what_branches_yield_of_registers(device, n, shared):
    x, (chosen, subgroups) = whole_numbers(), MAPS[shared]
    y = np.roll(x, 3, 0) if n == 1 else 0 * x + (x[5:6] if n else x[3, 7])
    last = x
    for _ in range(n):
        last, y = y, last + y
    launch = Launch(of_a_branch, {"X": x, "Y": np.zeros_like(x), "n": n}, {"Y": np.maximum(y, last)}, constants={"MAP": chosen},
                    num_subgroups=subgroups)  # fmt: skip
    launch.on_device(device)
