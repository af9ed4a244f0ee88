"""Stores of several blocks of an array have headers that IGC's functions make, copy and change."""

from collections import Counter

import ml_dtypes
import numpy as np
import pytest
from xetile.backends.spirv.verify import verify
from xetile.backends.spirv.without_headers import as_messages

import xetile as xt
from tests.kernels.matmul import matmul
from tests.kernels.plain_rows import slots
from tests.ops.run import Launch
from tests.spirv.test_prefetch_headers import GEMM, HEADER, SET, all_calls, messages

ROWS = ("f32[?,?]", "i32[?]", "f32[?,?]")


def stores(spirv: bytes) -> int:
    return messages(spirv, "Store")


@pytest.mark.parametrize(("target", "copies"), [("pvc", 15), ("bmg", 3)])
def test_rows_share_headers(target, copies):
    """Where it costs nothing to write a header again four serve all; else each message has its own copy."""
    spirv = slots.compile(*ROWS, target=target, num_subgroups=1, D=16).spirv
    found = Counter(all_calls(spirv))
    assert found == {"create" + HEADER: 1, "copy" + HEADER: copies, SET["Y"]: 15, "block_write_ap_u32_m1k16v1": 16}
    assert not stores(spirv)


def test_columns_of_rows_keep_their_headers():
    """Of 16 rows by 4 messages each, one after the other, the column is written four times at most, and once each where headers go around."""
    found = Counter(all_calls(slots.compile(*ROWS, target="bmg", num_subgroups=1, D=64).spirv))
    assert (found[SET["X"]], found[SET["Y"]], found["copy" + HEADER]) == (3, 60, 3)


@xt.jit(grid=(1,))
def kept(X, Y, hint: xt.constexpr = None, times: xt.constexpr = 0, columns: xt.constexpr = 64):
    """Y = 2 * X in blocks; several times, or with a hint, which the functions would not take."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), (8, columns)))
    y = xt.init_tile(Y, (0, 0), (8, columns))
    if hint:
        xt.store_tile(x + x, y, l1_hint="uncached")
    elif times:
        for _ in range(times):
            xt.store_tile(x + x, y)
    else:
        xt.store_tile(x + x, y)


@pytest.mark.parametrize("constants", [{"hint": True}, {"times": 3}, {"columns": 32}])
def test_other_stores_are_messages(constants):
    """With hints, in loops, where IGC keeps headers itself, and of a block or two."""
    spirv = kept.compile("f32[?,?]", "f32[?,?]", target="bmg", num_subgroups=1, **constants).spirv
    assert stores(spirv) and HEADER.encode() not in spirv
    assert HEADER.encode() in kept.compile("f32[?,?]", "f32[?,?]", target="bmg", num_subgroups=1).spirv


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_compilers_without_the_functions_get_messages(target):
    spirv = matmul.compile(*GEMM, target=target).spirv
    other = as_messages(spirv)
    assert stores(other) == sum("write" in name for name in all_calls(spirv)) > 8
    assert HEADER.encode() not in other
    verify(other)


@xt.jit
def several(X, Y, Z, BM: xt.constexpr = 16, BN: xt.constexpr = 64):
    """Y = X + 1, and Z its integers: blocks of one shape, of floats and of integers; rows from the third on behind the others."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    x = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN)))
    xt.store_tile(x + 1, xt.init_tile(Y, (m, n), (BM, BN)))
    xt.store_tile(x.to(Z.dtype), xt.init_tile(Z, (m, n), (BM, BN)))
    if m == 0:
        xt.store_tile((x * 2)[2:, :][: BM // 2], xt.init_tile(Y, (2 * BM, n), (BM // 2, BN)))


@pytest.mark.every(2)
@pytest.mark.parametrize("dtypes", [(np.float32, np.int32), (np.float16, np.uint16), (ml_dtypes.bfloat16, np.int16), (np.float64, np.int64),
                                    (np.int8, np.uint8)])  # fmt: skip
def test_blocks_of_one_shape(device, dtypes):
    """A function is called with numbers of one kind, whatever is stored."""
    x = np.random.default_rng(1).integers(0, 30, (32, 128)).astype(dtypes[0])
    y = np.zeros((40, 128), dtypes[0])
    expected = np.concatenate([x + x.dtype.type(1), (x * x.dtype.type(2))[2:10]])
    made = Launch(
        several, {"X": x, "Y": y, "Z": np.zeros((32, 128), dtypes[1])}, {"Y": expected, "Z": x.astype(dtypes[1])}, (2, 2), {}, 2
    )
    made.on_device(device)
