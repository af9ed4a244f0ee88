"""Column-major first operands through shared local memory, for targets with block messages: right at every level and as code."""

import re

import ml_dtypes
import numpy as np
import pytest
from xetile.backends.reference.checks import RaceError

import xetile as xt
from tests.kernels.matmul import matmul_by_one, matmul_prefetch, powers
from tests.ops.run import Close, Launch
from tests.parity.run import assert_levels_agree, request, uncompiled
from tests.tools import mlir_opt
from xetile.ops.kernels.matmul import matmul, matmul_batched
from xetile.signature import Signature

DTYPES = {
    "f16": (np.float16, np.float32, xt.f32),
    "bf16": (ml_dtypes.bfloat16, np.float32, xt.f32),
    "i8": (np.int8, np.int32, xt.i32),
    "u8": (np.uint8, np.int32, xt.i32),
}
# Whole tiles; rows, columns and steps that reach outside of the arrays; one step.
SIZES = [(128, 128, 128), (136, 72, 200), (40, 65, 33), (64, 64, 8)]


def operands(m, n, k, dtype, b_order="C"):
    """Whole numbers, whose products are exact: A column-major, B, and their product."""
    element, total, _ = DTYPES[dtype]
    rng = np.random.default_rng(k)
    a, b = (rng.integers(0 if dtype == "u8" else -8, 9, shape).astype(element) for shape in ((k, m), (k, n)))
    return a.T, np.asarray(b, order=b_order), (a.T.astype(np.float64) @ b.astype(np.float64)).astype(total)


def launch(dtype, size, *, subgroups=4, tile=(64, 64, 64), b_order="C", kernel=matmul, targets=("pvc",)):
    m, n, k = size
    (bm, bn, bk), (_, total, acc) = tile, DTYPES[dtype]
    a, b, exact = operands(m, n, k, dtype, b_order)
    constants = {"BM": bm, "BN": bn, "BK": bk, **({"ACC": acc} if kernel is matmul else {})}
    return Launch(kernel, {"A": a, "B": b, "C": np.zeros((m, n), total)}, {"C": exact}, (-(-n // bn), -(-m // bm)), constants,
                  subgroups, targets=targets)  # fmt: skip


def staged(compiled):
    """Buffers that are cut into strips of all their rows."""
    return len(
        re.findall(r"alloca\(\) : memref<(\d+)x\d+x\w+, affine_map<\(d0, d1\) -> \(d0 floordiv \1, ", compiled.ir["layout"])
    )


CASES = [*(("f16", size) for size in SIZES), ("bf16", SIZES[1]), ("i8", SIZES[1]), ("u8", SIZES[2])]


@pytest.mark.every(4, 2)
@pytest.mark.parametrize("dtype, size", CASES, ids=str)
def test_levels_agree(dtype, size):
    given = launch(dtype, size)
    assert staged(given.compiled("pvc")) == 1
    given.at_levels("pvc")


@pytest.mark.every(8)
@pytest.mark.parametrize("dtype, size", CASES, ids=str)
def test_the_module_of_the_gpu_is_right(dtype, size):
    launch(dtype, size).on_device("cpu", "pvc")


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", ["f16", "u8"])
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_the_gpu_compiler_takes_it(dtype, target):
    launch(dtype, SIZES[0]).as_code(target)


@pytest.mark.parametrize("level", ["xegpu", "lane"])
def test_mlir_takes_the_text(level):
    mlir_opt(launch("u8", SIZES[0]).compiled("pvc").ir[level])


@pytest.mark.every(10, 6)
@pytest.mark.parametrize(
    "tile, subgroups",
    [
        ((256, 256, 32), 32),
        ((128, 64, 32), 8),
        ((32, 64, 16), 1),
        ((64, 32, 32), 2),
        ((128, 64, 16), 8),
        ((64, 64, 32), 16),
        ((64, 64, 16), 8),
    ],
    ids=str,
)
def test_shares_of_other_tiles(tile, subgroups):
    given = launch("f16", (200, 72, 72), tile=tile, subgroups=subgroups)
    assert staged(given.compiled("pvc")) == 1
    given.at_levels("pvc")
    given.on_device("cpu", "pvc")


def test_words_of_32_bits(tmp_path):
    """tf32: rows of 8 elements, two for all lanes."""
    a, b, exact = (x.astype(np.float32) for x in operands(72, 40, 100, "f16"))
    types = {"A": "tf32[?,?;F]", "B": "tf32[?,?]", "C": "f32[?,?]"}
    constants = {"BM": 64, "BN": 64, "BK": 32, "num_subgroups": 4, "target": "pvc"}
    compiled = uncompiled(matmul, *types.values(), **constants)
    assert staged(compiled) == 1
    what = request(matmul, types, **constants)
    c = assert_levels_agree(what, (1, 2, 1), {"A": a, "B": b, "C": np.zeros((72, 40), np.float32)}, "C")
    np.testing.assert_array_equal(c, exact)
    compiled.save(tmp_path / "product")
    saved, c = xt.load(tmp_path / "product"), np.zeros((72, 40), np.float32)
    saved.signature.update(Signature.of(A="f32[?,?;F]", B="f32[?,?]"))  # an array's type is never tf32
    with xt.device("cpu"):
        saved[1, 2](a, b, c)
    np.testing.assert_array_equal(c, exact)


def test_both_operands_by_columns():
    """Their sum is turned (`transpose_sums`): nothing is staged."""
    given = launch("f16", (136, 72, 104), b_order="F")
    assert staged(given.compiled("pvc")) == 0
    given.at_levels("pvc")
    given.on_device("cpu", "pvc")


def test_prefetches_of_the_user_stay():
    given = launch("f16", (128, 64, 128), kernel=matmul_prefetch, tile=(64, 64, 32))
    compiled = given.compiled("pvc")
    assert staged(compiled) == 1 and "prefetch_tiles" in compiled.ir["layout"]
    given.at_levels("pvc")
    given.on_device("cpu", "pvc")


@xt.jit(grid=lambda C: (1, xt.cdiv(C.shape[0], 64)))
def mapped(A, B, C):
    """C = A @ B with maps for everything; half of K, in whole steps of 32 of it."""
    whole = xt.wg_map(sg_layout=(2, 2), sg_data=(32, 32))
    m = xt.program_id(1) * 64
    a = xt.init_tile(A, (m, 0), (64, 32), wg_map=whole)
    b = xt.init_tile(B, (0, 0), (32, 64), wg_map=whole)
    acc = xt.zeros((64, 64), xt.f32)
    for _ in range(0, A.shape[1] // 64 * 32, 32):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc, wg_map=whole)
        a = xt.update_tile_offset(a, (0, 32))
        b = xt.update_tile_offset(b, (32, 0))
    xt.store_tile(acc, xt.init_tile(C, (m, 0), (64, 64), wg_map=whole))


@xt.jit(grid=lambda C: (1, xt.cdiv(C.shape[0], 64)))
def made_inside(A, B, C, SKIP: xt.constexpr):
    """C = A without its first columns @ B: tiles made where they are loaded."""
    m = xt.program_id(1) * 64
    acc = xt.zeros((64, 64), xt.f32)
    for k in range(0, B.shape[0], 32):
        a = xt.load_tile(xt.init_tile(A, (m, k + SKIP), (64, 32)))
        b = xt.load_tile(xt.init_tile(B, (k, 0), (32, 64)))
        acc = xt.tile_mma(a, b, acc)
    xt.store_tile(acc, xt.init_tile(C, (m, 0), (64, 64)))


@xt.jit(grid=(1,))
def transposed_value(AT, B, C):
    """A as the transpose of what is loaded."""
    a = xt.init_tile(AT, (0, 0), (32, 64))
    b = xt.init_tile(B, (0, 0), (32, 64))
    acc = xt.zeros((64, 64), xt.f32)
    for _ in range(0, B.shape[0], 32):
        acc = xt.tile_mma(xt.tile_transpose(xt.load_tile(a)), xt.load_tile(b), acc)
        a = xt.update_tile_offset(a, (32, 0))
        b = xt.update_tile_offset(b, (32, 0))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (64, 64)))


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("k, half", [(192, 96), (250, 96), (40, 0)], ids=str)
def test_maps_of_the_user(k, half):
    a, b, _ = operands(72, 64, k, "f16")
    exact = a[:, :half].astype(np.float32) @ b[:half].astype(np.float32)
    given = Launch(mapped, {"A": a, "B": b, "C": np.zeros((72, 64), np.float32)}, {"C": exact}, (1, 2))
    assert staged(given.compiled("pvc")) == 1
    given.at_levels("pvc")
    given.on_device("cpu", "pvc")


def test_loops_that_run_again():
    a, b, exact = operands(200, 64, 72, "f16")
    given = Launch(matmul_by_one, {"A": a, "B": b, "C": np.zeros((200, 64), np.float32)}, {"C": exact}, num_subgroups=4)
    compiled = given.compiled("pvc")
    assert staged(compiled) == 1 and compiled.ir["layout"].count("gpu.barrier") == 2
    given.at_levels("pvc")
    given.on_device("cpu", "pvc")


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("k", [33, 96])
def test_tiles_made_in_the_loop(k):
    a, b, exact = operands(136, 64, k + 5, "f16")
    exact = (a[:, 5:].astype(np.float32) @ b[:k].astype(np.float32)).astype(np.float32)
    values = {"A": a, "B": b[:k], "C": np.zeros((136, 64), np.float32)}
    given = Launch(made_inside, values, {"C": exact}, (1, 3), {"SKIP": 5}, num_subgroups=4)
    assert staged(given.compiled("pvc")) == 1
    given.at_levels("pvc")
    given.on_device("cpu", "pvc")


def test_what_a_step_stores_the_next_one_loads():
    rng = np.random.default_rng(3)
    a, b = np.zeros((32, 96), np.float16), np.eye(32, dtype=np.float16)[rng.permutation(32)]
    a[:, :32] = rng.integers(-8, 9, (32, 32))
    exact = np.concatenate([a[:, :32], a[:, :32] @ b, a[:, :32] @ b @ b], axis=1)
    given = Launch(powers, {"A": np.asfortranarray(a), "B": b}, {"A": np.asfortranarray(exact)}, num_subgroups=2)
    assert "memref.alloca" not in given.compiled("pvc").ir["layout"]
    given.at_levels("pvc")


def test_hints_of_the_load_stay():
    @xt.jit
    def hinted(A, B, C):
        a, b = xt.init_tile(A, (0, 0), (64, 32)), xt.init_tile(B, (0, 0), (32, 64))
        acc = xt.zeros((64, 64), xt.f32)
        for _ in range(0, A.shape[1], 32):
            acc = xt.tile_mma(xt.load_tile(a, l1_hint="uncached", l3_hint="cached"), xt.load_tile(b), acc)
            a, b = xt.update_tile_offset(a, (0, 32)), xt.update_tile_offset(b, (32, 0))
        xt.store_tile(acc, xt.init_tile(C, (0, 0), (64, 64)))

    compiled = hinted.compile("f16[?,?;F]", "f16[?,?]", "f32[?,?]", num_subgroups=4, target="pvc")
    assert staged(compiled) == 1
    assert sum("load_nd" in line and "uncached" in line for line in compiled.ir["lane"].splitlines()) == 2


def test_transposes_of_loaded_tiles():
    a, b, exact = operands(64, 64, 72, "f16")
    given = Launch(transposed_value, {"AT": a.T, "B": b, "C": np.zeros((64, 64), np.float32)}, {"C": exact}, num_subgroups=4)
    assert staged(given.compiled("pvc")) == 1
    given.at_levels("pvc")
    given.on_device("cpu", "pvc")


def test_batches():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 96, 72)).astype(np.float16), rng.standard_normal((2, 96, 72)).astype(np.float16)
    exact = (a.swapaxes(1, 2).astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
    given = Launch(matmul_batched, {"A": a.swapaxes(1, 2), "B": b, "C": np.zeros((2, 72, 72), np.float32)}, {"C": exact}, (2, 2, 2),
                   {"BM": 64, "BN": 64, "BK": 32}, 4, Close(atol=1e-3))  # fmt: skip
    given.at_levels("pvc")
    given.on_device("cpu", "pvc")


@pytest.mark.parametrize(
    "why, a, options",
    [
        ("by rows", "f16[?,?]", {}),
        ("no block messages reach it", "f16[?,?;F,scattered]", {}),
        ("fewer rows than lanes", "f16[?,?;F]", {"BM": 8}),
        ("few rows for each subgroup", "f16[?,?;F]", {"BN": 16, "BK": 16, "num_subgroups": 8}),
        ("no block messages", "f16[?,?;F]", {"target": "dg2", "BM": 32, "BN": 32, "BK": 16}),
    ],
    ids=lambda v: v if isinstance(v, str) and " " in v else "",
)
def test_what_is_not_staged(why, a, options):
    b = a.split("[")[0]
    compiled = uncompiled(
        matmul, a, f"{b}[?,?]", "f32[?,?]", **{"BM": 64, "BN": 64, "num_subgroups": 4, "target": "pvc", **options}
    )
    assert staged(compiled) == 0, why


@pytest.mark.parametrize("tile, subgroups, prefetched", [((256, 256, 32), 32, False), ((64, 64, 32), 4, True)])
def test_prefetches_where_a_step_is_too_short_for_a_load(tile, subgroups, prefetched):
    (bm, bn, bk) = tile
    compiled = uncompiled(
        matmul, "f16[?,?;F]", "f16[?,?]", "f32[?,?]", BM=bm, BN=bn, BK=bk, num_subgroups=subgroups, target="pvc"
    )
    lines = [line for line in compiled.ir["layout"].splitlines() if "prefetch_tile" in line]
    assert any(f"tile<{bm}x{bk}xf16" in line for line in lines) == prefetched
    assert any(f"tile<{bk}x{bn}xf16" in line for line in lines)


def test_tiles_beyond_half_of_shared_memory_are_not_staged():
    for bk, count in ((64, 1), (128, 0)):
        compiled = uncompiled(matmul, "f16[?,?;F]", "f16[?,?]", "f32[?,?]", BM=256, BN=64, BK=bk, num_subgroups=16, target="pvc")
        assert staged(compiled) == count


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("level", ["subgroup", "xegpu", "lane"])
def test_every_barrier_is_needed_and_no_more(level):
    a, b, exact = operands(136, 64, 72, "f16")  # an odd number of steps
    given = Launch(matmul_by_one, {"A": a, "B": b, "C": np.zeros((136, 64), np.float32)}, {"C": exact}, num_subgroups=4)
    assert given.watched(level) == 2
    for number in range(2):
        with pytest.raises(RaceError):
            given.watched(level, without=number)
