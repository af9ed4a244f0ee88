"""Programs, subgroups, shared local memory, barriers of all kinds, printing and checking - on devices and as machine code."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from xetile.errors import CompileError, DeviceError, ResourceError, TileShapeError

TILE = (16, 32)
ROWS, COLUMNS = xt.wg_map((4, 1), (4, 32)), xt.wg_map((1, 4), (16, 8))


@xt.jit
def programs(Out):
    i, j = xt.program_id(0), xt.program_id(1)
    place = j * xt.num_programs(0) + i
    xt.store_tile((xt.zeros((1, 16), xt.i32) + place).to(xt.i32), xt.init_tile(Out, (place, 0), (1, 16)))


@xt.jit
def barriers(A, Out, KIND: xt.constexpr):
    """Through shared local memory, written by rows and read by columns."""
    memory = xt.alloc_slm(TILE, A.dtype)
    if KIND == "named":
        xt.alloc_named_barriers(2)
        named = xt.named_barrier(1, 4)
    value = xt.load_tile(xt.init_tile(A, (0, 0), TILE, wg_map=ROWS))
    xt.store_tile(value, xt.init_tile(memory, (0, 0), TILE, wg_map=ROWS))
    if KIND == "plain":
        xt.barrier()
    elif KIND == "split":
        xt.barrier_arrive()
        xt.barrier_wait()
    elif KIND == "named":
        named.arrive()
        named.wait()
    else:
        xt.fence("slm")
        xt.fence("global", "gpu")
        xt.barrier()
    value = xt.load_tile(xt.init_tile(memory, (0, 0), TILE, wg_map=COLUMNS))
    xt.store_tile(value + 1, xt.init_tile(Out, (0, 0), TILE, wg_map=COLUMNS))


@xt.jit
def by_subgroup(A, Out):
    """Some subgroups do what others do not; what each one holds is given by maps."""
    value = xt.load_tile(xt.init_tile(A, (0, 0), TILE, wg_map=ROWS))
    tile = xt.init_tile(Out, (0, 0), TILE, wg_map=ROWS)
    if xt.subgroup_id() < 3:
        xt.store_tile(value * 2, tile)


@xt.jit
def structure(A, Out, n):
    """Nested loops, while, branches, early return, tuples, keyword arguments and calls."""
    total, pair = xt.zeros(TILE, xt.f32), (0, 1)
    if n < 0:
        xt.store_tile(total, xt.init_tile(Out, (0, 0), TILE))
        return
    tile = xt.init_tile(A, (0, 0), TILE)
    for i in range(n):
        j = i
        while j > 0:
            total = total + add_scaled(xt.load_tile(tile), scale=j)
            j = j // 2
        pair = (pair[1], pair[0] + pair[1]) if i % 2 == 0 else pair
        tile = xt.update_tile_offset(tile, (1, 0))
    for _ in xt.static_range(2):
        total += pair[1]
    xt.store_tile(total, xt.init_tile(Out, (0, 0), TILE))


@xt.jit
def add_scaled(value, *, scale):
    return value * scale if scale > 1 else value + 1


def expected_structure(a: np.ndarray, n: int) -> np.ndarray:
    total, pair = np.zeros(TILE, np.float32), (0, 1)
    for i in range(max(n, 0)):
        j, part = i, a[i : i + 16, :32]
        while j > 0:
            total = total + (part * j if j > 1 else part + 1)
            j //= 2
        pair = (pair[1], pair[0] + pair[1]) if i % 2 == 0 else pair
    return total + 2 * pair[1] if n >= 0 else total


def launches() -> dict[str, Launch]:
    a = np.arange(40 * 64, dtype=np.float32).reshape(40, 64) % 17
    out = np.zeros(TILE, np.float32)
    made = {
        f"{kind} barrier": Launch(
            barriers, {"A": a, "Out": out}, {"Out": a[:16, :32] + 1}, constants={"KIND": kind}, num_subgroups=4
        )
        for kind in ("plain", "split", "named", "fences")
    }
    rows = np.repeat(np.arange(12, dtype=np.int32)[:, None], 16, axis=1)
    made["programs"] = Launch(programs, {"Out": np.zeros_like(rows)}, {"Out": rows}, (4, 3))
    twice = np.where(np.arange(16)[:, None] < 12, a[:16, :32] * 2, 0)
    made["subgroups"] = Launch(by_subgroup, {"A": a, "Out": np.zeros_like(twice)}, {"Out": twice}, num_subgroups=4)
    for n in (-1, 0, 6):
        made[f"structure {n}"] = Launch(
            structure, {"A": a, "Out": np.full_like(out, 5), "n": n}, {"Out": expected_structure(a, n)}, num_subgroups=2
        )
    return made


EACH = pytest.mark.parametrize("name", launches())


@pytest.mark.every(8, 1)
@EACH
def test_values(device, name):
    launches()[name].on_device(device)


@pytest.mark.every(2)
@EACH
def test_levels(name):
    launches()[name].at_levels()


@pytest.mark.covering
@pytest.mark.every(4, 1)
@EACH
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
def test_code(name, target):
    launches()[name].as_code(target)


@xt.jit
def talks(A, n):
    value = xt.load_tile(xt.init_tile(A, (0, 0), (8, 16)))
    xt.device_print("n is", n, f"and the sum {xt.sum(value)}")
    xt.device_assert(value < n, "all below n")


def test_printing(device, capfd):
    with xt.device(device):
        talks[(1,)](np.ones((8, 16), np.int32), 7, num_subgroups=2)
    said = capfd.readouterr()
    assert (said.out + said.err).count("n is 7 and the sum 128") == 1


@xt.jit
def shows(A, n):
    value = xt.load_tile(xt.init_tile(A, (xt.program_id(0) * 2, 0), (2, 4)))
    xt.device_print("rows from", xt.program_id(0) * 2, "on:", value, f"above {n}: {value > n} 100%")
    xt.device_print(n.to(xt.u32) - 4, xt.max(value, axis=1), sep=" | ")


def test_tiles_are_printed_on_numpy(capfd):
    a = np.arange(16, dtype=np.int16).reshape(4, 4)
    with xt.device("numpy"):
        shows[(2,)](a, 3)
    lines = []
    for p in (0, 2):
        part = a[p : p + 2]
        lines += [f"rows from {p} on: {part} above 3: {part > 3} 100%", f"{2**32 - 1} | {part.max(axis=1, keepdims=True)}"]
    said = capfd.readouterr().out
    assert sorted(said.splitlines()) == sorted("\n".join(lines).splitlines())


def test_tiles_are_printed_number_by_number(device, capfd):
    """In a loop too, and with values of several subgroups."""

    @xt.jit(num_subgroups=2)
    def kernel(A, B):
        value = xt.load_tile(xt.init_tile(A, (0, 0), (4, 16)))
        for i in range(A.shape[0] // 2):
            xt.device_print("100%", i, value[0, :4] + i, (value[:2, :3] > 1), value[2:, :2].to(xt.u16), "above")
        xt.device_print(xt.load_tile(xt.init_tile(B, 0, (2,))), value.to(B.dtype)[:1, :2] / 4)

    a = np.arange(64, dtype=np.int32).reshape(4, 16)
    with xt.device(device):
        kernel[(1,)](a, np.float16([1.25, -np.inf]))
    said = capfd.readouterr().out.split()
    if device != "numpy":
        rows = "[[0 0 1] [1 1 1]] [[32 33] [48 49]] above"
        assert " ".join(said) == f"100% 0 [0 1 2 3] {rows} 100% 1 [1 2 3 4] {rows} [1.25 -inf] [[0 0.25]]"


@pytest.mark.every(6)
@pytest.mark.parametrize("dtype", ["bool", "i8", "u8", "i16", "i64", "u64", "bf16", "tf32", "f32", "f64", "f8e4m3"])
def test_tiles_of_each_dtype_are_printed(device, dtype, capfd):
    @xt.jit
    def kernel(A):
        xt.device_print(xt.load_tile(xt.init_tile(A, (0, 0), (1, 4))).to(getattr(xt, dtype)))

    with xt.device(device):
        kernel[(1,)](np.float32([[0, 1, 3, 7]]))
    said = capfd.readouterr().out.split()
    if device != "numpy":
        assert said == ("[[0 1 1 1]]" if dtype == "bool" else "[[0 1 3 7]]").split()


def test_large_tiles_are_not_printed_by_hardware():
    @xt.jit
    def kernel(A):
        xt.device_print(xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))))

    with pytest.raises(TileShapeError, match="a tile of 16x32 elements; pvc prints 256 at most") as error:
        _ = kernel.compile("i16[?,?]").spirv
    assert error.value.at is not None and error.value.at.text.startswith("xt.device_print(")


def test_tiles_are_printed_number_by_number_where_subgroups_run_one_by_one(capfd):
    @xt.jit
    def kernel(A):
        xt.alloc_named_barriers(1)
        named = xt.named_barrier(0, 2)
        named.arrive()
        named.wait()
        xt.device_print(xt.load_tile(xt.init_tile(A, (0, 0), (2, 4))))

    with xt.device("numpy"):
        kernel[(1,)](np.arange(8, dtype=np.int32).reshape(2, 4), num_subgroups=2)
    assert capfd.readouterr().out == "[[0 1 2 3]\n [4 5 6 7]]\n"


def test_each_subgroup_prints_its_own_numbers_beside_tiles(capfd):
    @xt.jit
    def kernel(A):
        value = xt.load_tile(xt.init_tile(A, (0, 0), (2, 4), wg_map=xt.wg_map((2, 1), (1, 4))))
        if xt.subgroup_id() == 1:
            value = value + 1
        xt.device_print(xt.subgroup_id(), value)

    with xt.device("numpy"):
        kernel[(1,)](np.zeros((2, 4), np.int32))
    whole = np.array([[0] * 4, [1] * 4])
    assert capfd.readouterr().out == f"0 {whole}\n1 {whole}\n"


def test_assertions_that_fail(device, capfd):
    a = np.ones((8, 16), np.int32)
    a[3, 4] = 9
    failed = ""
    with xt.device(device):
        try:
            talks[(1,)](a, 7)
        except xt.errors.XetileError as error:
            failed = str(error)
    said = capfd.readouterr()
    assert "all below n" in failed + said.out + said.err
    assert "test_structure.py" in failed + said.out + said.err


@pytest.mark.cpus
def test_named_barriers_of_some_subgroups_are_refused_where_they_would_hang():
    @xt.jit
    def some(Out):
        xt.alloc_named_barriers(1)
        named = xt.named_barrier(0, 2)
        if xt.subgroup_id() < 2:
            named.arrive()
            named.wait()

    with xt.device("cpu"), pytest.raises(DeviceError, match="one after the other"):
        some[(1,)](np.zeros(16, np.int32), num_subgroups=4)
    compiled = some.compile("i32[?]", target="pvc", num_subgroups=4)
    assert compiled.spirv


def test_divergent_barriers_and_too_much_shared_memory_are_refused():
    @xt.jit
    def divergent(Out):
        if xt.subgroup_id() < 2:
            xt.barrier()

    @xt.jit
    def large(Out):
        memory = xt.alloc_slm((512, 512), xt.f32)
        xt.store_tile(0.0, xt.init_tile(memory, (0, 0), (16, 16)))

    @xt.jit
    def apart(Out):
        xt.store_tile(xt.full((16,), xt.subgroup_id().to(xt.i32)), xt.init_tile(Out, 0, (16,)))

    with pytest.raises(CompileError, match="store_tile: what it moves depends on subgroup_id"):
        _ = apart.compile("i32[?]", target="pvc", num_subgroups=4).spirv
    assert apart.compile("i32[?]", target="pvc", num_subgroups=1).spirv
    with pytest.raises(CompileError, match="only some subgroups reach it"):
        _ = divergent.compile("i32[?]", target="pvc", num_subgroups=4).spirv
    with pytest.raises(ResourceError, match="bytes of shared local memory"):
        _ = large.compile("i32[?]", target="pvc").spirv
