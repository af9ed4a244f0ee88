"""Ids, creation, barriers, printing and checking."""

import numpy as np
import pytest

import xetile as xt
from tests.language.running import body_of, ops_of, run
from xetile.errors import CompileError, DtypeError, TileShapeError


def test_programs_know_their_place():
    def kernel(A):
        place = (xt.program_id(2) * xt.num_programs(1) + xt.program_id(1)) * xt.num_programs(0) + xt.program_id(0)
        value = xt.num_programs(2) * 100 + place
        xt.store_tile(xt.full((1,), value, xt.i32), xt.init_tile(A, place, (1,)))

    a = np.zeros(24, np.int32)
    run(kernel, a, grid=(4, 3, 2))
    np.testing.assert_array_equal(a, 200 + np.arange(24))


def test_new_values():
    def kernel(A, n):
        xt.store_tile(xt.zeros((2, 8), xt.f32), xt.init_tile(A, (0, 0), (2, 8)))
        xt.store_tile(xt.full((2, 8), 1.5), xt.init_tile(A, (2, 0), (2, 8)))
        xt.store_tile(xt.full((2, 8), n, xt.f32), xt.init_tile(A, (4, 0), (2, 8)))
        xt.store_tile(xt.arange(3, 11, dtype=xt.f32), xt.init_tile(A[6], 0, (8,)))
        xt.store_tile(xt.tile_broadcast(n.to(xt.f32), (1, 8)), xt.init_tile(A, (7, 0), (1, 8)))

    a = np.full((8, 8), -1, np.float32)
    run(kernel, a, 9)
    rows = [0, 0, 1.5, 1.5, 9, 9, np.arange(3, 11), 9]
    np.testing.assert_array_equal(a, np.stack([np.broadcast_to(row, 8) for row in rows]))


def test_synchronisation_ops():
    def kernel(A):
        xt.alloc_named_barriers(2)
        named = xt.named_barrier(1, 4)
        named.arrive()
        xt.barrier_arrive()
        xt.fence("global", "gpu")
        xt.barrier_wait()
        named.wait()
        xt.barrier()

    assert [op for op in ops_of(kernel, A="f16[?]") if op != "arith.constant"] == [
        "xegpu.alloc_nbarrier", "xegpu.init_nbarrier", "xegpu.nbarrier_arrive", "spirv.INTEL.ControlBarrierArrive", "xegpu.fence",
        "spirv.INTEL.ControlBarrierWait", "xegpu.nbarrier_wait", "gpu.barrier", "gpu.return",
    ]  # fmt: skip
    lines = body_of(kernel, A="f16[?]")
    assert "xegpu.fence memory_kind = global, fence_scope = gpu" in lines
    assert any(line.endswith("xegpu.init_nbarrier %c1_i8, %c4_i8 : i8, i8 -> !xegpu.nbarrier") for line in lines)


def test_printing_while_compiling(capsys):
    def kernel(A, n, BM: xt.constexpr):
        tile = xt.init_tile(A, (0, 0), (BM, 8))
        xt.static_print("tile:", tile, f"{BM:>4}", f"{n} {BM!r}", A, sep="|")
        xt.static_assert(BM == 16, "never seen")

    ops_of(kernel, {"BM": 16}, A="f16[?,32]", n="i32")
    assert capsys.readouterr().out == "tile:|tile f16[16,8] of A|  16|i32 scalar 16|A: f16[?,32]\n"


def test_printing_while_running():
    def kernel(A, x, y, z, w):
        xt.device_print("100%", x, f"y={y} {z}", w, x + 1 > 3, sep=", ")
        xt.device_print(xt.program_id(0), x.to(xt.i8), y.to(xt.f32))

    lines = [line for line in body_of(kernel, A="f16[?]", x="i32", y="f16", z="u64", w="f64") if "printf" in line]
    assert lines[0].startswith('gpu.printf "100%%, %d, y=%f %lu, %f, %d\\0A", %x, ')
    assert lines[0].endswith(": i32, f32, i64, f64, i32")
    assert '"%d %d %f\\0A"' in lines[1] and lines[1].endswith(": i32, i32, f32")


def test_checks_while_running():
    def kernel(A, n):
        xt.device_assert(n > 3, "n is small")
        xt.device_assert(xt.load_tile(xt.init_tile(A, 0, (8,))) > 0)

    lines = [line for line in body_of(kernel, A="f16[?]", n="i32") if "cf.assert" in line]
    assert '"n is small"' in lines[0] and '"device_assert failed"' in lines[1]


@pytest.mark.parametrize("action,kind,message", [
    (lambda n: xt.program_id(3), CompileError, "grids have the axes 0, 1 and 2"),
    (lambda n: xt.program_id(n), CompileError, "grids have the axes 0, 1 and 2"),
    (lambda n: xt.arange(n), CompileError, "the bounds must be constants"),
    (lambda n: xt.arange(4, 4), TileShapeError, "has no elements"),
    (lambda n: xt.arange(4, 8, -2), TileShapeError, r"arange\(4, 8, -2\) has no elements"),
    (lambda n: xt.arange(4, 8, 0), CompileError, "the step is 0"),
    (lambda n: xt.arange(0, 8, n), CompileError, "the step is i32 scalar"),
    (lambda n: xt.zeros((4, 4), "f32"), DtypeError, "not a dtype of kernels"),
    (lambda n: xt.full((4, 4), xt.zeros((4, 1))), TileShapeError, "not a scalar"),
    (lambda n: xt.empty((4, n), xt.f32), CompileError, "empty allocates arrays on the host"),
    (lambda n: xt.cdiv(n, 1.5), DtypeError, "it divides integers"),
    (lambda n: xt.fence("registers"), CompileError, 'memory is "slm" or "global"'),
    (lambda n: xt.alloc_named_barriers(n), CompileError, "must be a positive constant"),
    (lambda n: xt.named_barrier(xt.zeros(4), 3), CompileError, "not an integer"),
    (lambda n: xt.named_barrier(0.5, 3), CompileError, "number is 0.5, not an integer"),
    (lambda n: xt.device_assert(n > 0, n), CompileError, "must be a text"),
    (lambda n: xt.static_assert(n > 0), CompileError, "xt.device_assert"),
    (lambda n: xt.static_assert(1 > 2, "two is more"), CompileError, "static assertion failed: two is more"),
    (lambda n: xt.device_assert(1 > 2, "two is more"), CompileError, "static assertion failed: two is more"),
    (lambda n: xt.static_range(n), CompileError, "takes constants"),
    (lambda n: xt.wg_map((8, 4), (8, 8, 8)), CompileError, "must have the same rank"),
])  # fmt: skip
def test_refused(action, kind, message):
    with pytest.raises(kind, match=message):
        ops_of(call, {"F": action}, n="i32")


def call(n, F: xt.constexpr):
    F(n)


@pytest.mark.parametrize("bounds", [(5,), (2, 9), (0, 16, 2), (3, 17, 5), (9, 1, -3), (-4, 4, 2), (7, 8, 100)], ids=str)
def test_ranges_are_numpys(bounds):
    def kernel(Y, BOUNDS: xt.constexpr):
        xt.store_tile(xt.arange(*BOUNDS, dtype=xt.i32), xt.init_tile(Y, 0, (len(range(*BOUNDS)),)))

    y = np.zeros(len(range(*bounds)), np.int32)
    run(kernel, y, BOUNDS=bounds)
    np.testing.assert_array_equal(y, np.arange(*bounds))


def test_cdiv_of_plain_numbers():
    assert xt.cdiv(10, 4) == 3 and xt.cdiv(8, 4) == 2 and xt.cdiv(-3, 2) == -1


def test_cdiv_at_run_time():
    def kernel(A, n):
        xt.store_tile(xt.cdiv(n, 4), xt.init_tile(A, 0, (1,)))
        xt.store_tile(xt.cdiv(n.to(xt.u32), 4).to(xt.i32), xt.init_tile(A, 1, (1,)))

    a = np.zeros(2, np.int32)
    run(kernel, a, 9)
    np.testing.assert_array_equal(a, [3, 3])


def test_empty_arrays_on_the_host():
    a = xt.empty((3, 4), xt.bf16)
    assert a.shape == (3, 4) and a.dtype == xt.bf16.numpy
    for given in (a.dtype, a.dtype.type, np.float32, np.dtype("int8")):
        assert xt.empty(3, given).dtype == np.dtype(given)
    for wrong in (None, "f32", 3, object, "complex64", np.complex64):
        with pytest.raises(DtypeError):
            xt.empty(3, wrong)
