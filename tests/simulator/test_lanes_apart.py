"""Numbers that lanes get of one lane where lanes are apart: IGC (2.40.14) reads them where that lane's lie, and gives the registers of lanes
that went another way to other values; and conditions that lanes exchange, which it works out in a branch of its own.
"""

import numpy as np
import pytest
from xetile.backends.spirv.module.disassemble import disassemble

import xetile as xt
from tests import tools

TARGETS = ("pvc", "bmg", "dg2")
ARRAYS = ("f32[?,?]", "f16[?,?]", "f16[?,?]", "i32[?]", "f32[?,?,?,?;free]", "i32[?,?,?;free]", "i32", "i32")


@pytest.fixture(params=TARGETS)
def simulated(request):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    return f"sim:{request.param}"


@xt.jit(num_subgroups=1)
def rolled_twice(A, H, G, L, Out, W, a, b):
    """Three lanes have the columns of a tile, which others' numbers say the rows of; the stores of its columns are a branch."""
    p = xt.program_id(0)
    places = (xt.arange(3)[None, :] % 5 - xt.arange(32)[:, None] % 3).to(xt.f32)
    rows = xt.roll(xt.roll(places, min(abs(xt.cast(p, xt.i32)), 6), 1), min(abs(xt.cast(p, xt.i32)), 6), 0)
    far = xt.abs(xt.load_tile(xt.init_tile(G, (35, 0), (4, 51))).to(xt.f32)).to(xt.i32) * 3
    left = (xt.load_gather(xt.init_tile(L, far)).to(xt.f32) % 5)[0:2, 2:50].to(xt.f16)
    column = xt.load_tile(xt.init_tile(H, (35, 16), (16, 1))).to(xt.f32)
    zeros = xt.zeros((16, 48), xt.f32) + xt.cast(0, xt.f32)
    right = xt.where(xt.arange(16)[:, None] >= xt.arange(48)[None, :], zeros, column)
    sums = xt.clamp(left @ right.T.to(xt.f16), -7, 7)
    xt.store_tile(rows, xt.init_tile(Out[p, 0], (0, 0), (32, 3)))
    xt.store_tile(sums, xt.init_tile(Out[p, 1], (0, 0), (2, 16)))


def test_rows_that_other_lanes_tell(simulated):
    random = np.random.default_rng(7)
    a = random.integers(-3, 4, (40, 72)).astype(np.float32)
    h, g = (random.integers(-3, 4, (40, 72)).astype(np.float16) for _ in range(2))
    places, words = random.integers(-9, 10, 31).astype(np.int32), np.zeros((1, 40, 72), np.int32)
    found, expected = (np.zeros((1, 11, 40, 72), np.float32) for _ in range(2))
    for device, out in ((simulated, found), ("numpy", expected)):
        with xt.device(device):
            rolled_twice[(1,)](a, h, g, places, out, words, np.int32(11), np.int32(-6))
    np.testing.assert_array_equal(found, expected)


@xt.jit(num_subgroups=8)
def transposed(X, Out, a):
    """Rows that lanes read are in X where the lane of a row says so, and the lane's own column is."""
    first = min(abs(a), 6) - 5
    column = min(abs(xt.cast(xt.program_id(0), xt.i32)), 6) * 8 - 2
    tile = xt.load_tile(X[first : first + 34 : 2, column : column + 16]).to(xt.f32)
    xt.store_tile(xt.tile_transpose(xt.clamp(tile, -7, 7)), xt.init_tile(Out[xt.program_id(0)], (0, 0), (16, 17)))


@xt.jit(num_subgroups=8)
def least_of_alike(A, G, Out, b):
    """Lanes give away half of what they compare, where all of it is one number, and IGC finds one number of all lanes."""
    p = xt.program_id(0)
    places = (xt.arange(1)[None, :] % 5 - xt.arange(16)[:, None] % 3).to(xt.f32)
    least = xt.argmin(xt.clamp(xt.minimum(xt.zeros((16, 1), xt.f32) + xt.cast(b % 5, xt.f32), places), -7, 7), 1).to(xt.f32)
    wholes = (xt.reshape(xt.load_tile(xt.init_tile(A, (4, 16), (24, 2))).to(xt.f32), (16, 3)).to(xt.i32) % 4).to(xt.f32)
    column, row = (
        xt.load_tile(xt.init_tile(A, at, shape)).to(xt.f32) for at, shape in (((b % 5, 64), (1, 24)), ((35, 64), (1, 8)))
    )
    product = xt.clamp(column.T.to(xt.bf16) @ row.to(xt.bf16), -7, 7)
    larger = xt.clamp(xt.maximum(product, xt.load_tile(xt.init_tile(G, (-2, 0), (24, 8))).to(xt.f32)), -7, 7)
    others = (xt.arange(17)[None, :] % 5 - xt.arange(25)[:, None] % 3).to(xt.f32)[0:24, 1:17:2]
    either = (larger.to(xt.i32) | others.to(xt.i32)).to(xt.f32)
    xt.store_tile(xt.clamp(xt.clamp(wholes, -7, 7) * xt.clamp(least, -7, 7), -7, 7), xt.init_tile(Out[p, 0], (0, 0), (16, 3)))
    xt.store_tile(xt.clamp(either, -7, 7), xt.init_tile(Out[p, 3], (0, 0), (24, 8)))


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_one_number_of_all_lanes(target):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    random = np.random.default_rng(7)
    a, g = random.integers(-3, 4, (40, 72)).astype(np.float32), random.integers(-3, 4, (40, 72)).astype(np.float16)
    found, expected = (np.zeros((1, 11, 40, 72), np.float32) for _ in range(2))
    for device, out in ((f"sim:{target}", found), ("numpy", expected)):
        with xt.device(device):
            least_of_alike[(1,)](a, g, out, np.int32(8))
    np.testing.assert_array_equal(found, expected)


@xt.jit(num_subgroups=1)
def chosen_rows(X, Y, Z, V, Out, a):
    """Rows of a tile that lanes find in shared memory: half of the lanes have columns, where the stores before are a branch."""
    p = xt.program_id(0)
    places = xt.load_tile(xt.init_tile(V[p], (0, (xt.cast(p, xt.i32) % 5) - 2), (24, 4))).to(xt.f32)
    rows = xt.abs(xt.sum(xt.clamp(places, -7, 7), 1, keepdims=False)).to(xt.i32) % 8
    found = xt.clamp(
        xt.load_tile(xt.init_tile(V[p], (0, min(abs(xt.cast(p, xt.i32)), 6)), (8, 8)), padding=-1).to(xt.f32), -7, 7
    )[rows]
    for k in range(0, min(abs(xt.cast(p, xt.i32)), 6) % 4 * 16, 16):
        left = xt.clamp(xt.load_tile(xt.init_tile(Y[p, 2, 1], (16, k), (24, 16))).to(xt.f32), -7, 7).to(xt.bf16)
        found += left @ xt.clamp(xt.load_tile(xt.init_tile(X[1], (k, 16), (16, 8))).to(xt.f32), -7, 7).to(xt.bf16)
    found = xt.clamp(found, -7, 7)
    for k in range(0, (a * 3 % 7) % 4 * 16, 16):
        left = xt.clamp(xt.load_tile(xt.init_tile(X[(a * 3 % 7) % 3], (0, k), (24, 16))).to(xt.f32), -7, 7).to(xt.bf16)
        found += left @ xt.clamp(xt.load_tile(xt.init_tile(Z[p, 1], (k, 0), (16, 8))).to(xt.f32), -7, 7).to(xt.bf16)
    xt.store_tile(xt.clamp(found, -7, 7), xt.init_tile(Out[p], (0, 0), (24, 8)))


def test_rows_found_where_a_store_was_a_branch(simulated):
    """What a load is masked by holds one thing more than what the store before is."""
    random = np.random.default_rng(7)
    x = random.integers(0, 4, (3, 8, 32)).astype(np.uint64)
    y = random.integers(0, 4, (2, 3, 2, 5, 32)).astype(np.uint64)
    z = random.integers(-3, 4, (2, 2, 1, 17)).astype(np.float16)
    v = random.integers(-3, 4, (2, 24, 72)).astype(np.int32)
    found, expected = (np.zeros((2, 24, 8), np.float32) for _ in range(2))
    for device, out in ((simulated, found), ("numpy", expected)):
        with xt.device(device):
            chosen_rows[(2,)](x, y, z, v, out, np.int32(-4))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("target", "fast_math", "count"), [("dg2", False, 16), ("dg2", True, 8), ("pvc", False, 8)])
def test_divisors_that_one_lane_tells_all(target, fast_math, count):
    """Where quotients are functions with branches of lanes, they get a number of their own: IGC wrote over the lane's in one of the ways."""
    kernel = xt.jit(num_subgroups=1, fast_math=fast_math)(shares)
    compiled = kernel.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target=target)
    assert disassemble(compiled.spirv).count("OpGroupBroadcast") == count


def shares(A, B, Out):
    """Out = S / the sums of S along its rows, S = A @ B."""
    s = xt.load_tile(xt.init_tile(A, (0, 0), (8, 16))) @ xt.load_tile(xt.init_tile(B, (0, 0), (16, 16)))
    xt.store_tile(s / xt.sum(s, axis=1), xt.init_tile(Out, (0, 0), (8, 16)))
