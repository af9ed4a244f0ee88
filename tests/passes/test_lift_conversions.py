"""What loops only rearrange between lanes is rearranged before them; what is read of shared memory is read where it is taken."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch

PRODUCT = ("f16[?,?]", "f16[?,?]", "f32[?,?]", "f32")


@xt.jit(grid=(1,))
def attended(Q, K, Out, scale, TWICE: xt.constexpr = False):
    """Queries, scaled before a loop, by blocks of keys, of which a branch skips some; TWICE: the loop takes them as they are, too."""
    q = xt.load_tile(xt.init_tile(Q, (0, 0), (32, 32))) * scale.to(xt.f16)
    acc = xt.zeros((32, 32), xt.f32)
    for n in range(0, K.shape[0], 32):
        if n != 32:
            k = xt.load_tile(xt.init_tile(K, (n, 0), (32, 32)))
            acc = xt.tile_mma(q, k, acc * scale)
            if TWICE:
                acc += q.to(xt.f32)
    xt.store_tile(acc, xt.init_tile(Out, (0, 0), (32, 32)))


def loops(level: str, **constants) -> list[str]:
    """What stands before the loops, in them, and behind."""
    kernel = attended.compile(*PRODUCT, target="dg2", num_subgroups=4, **constants)
    return kernel.ir[level].split("scf.for")


def test_operands_from_before_a_loop_change_lanes_once_before_it():
    before, *inside = loops("lane")
    assert before.count("gpu.shuffle xor") == 48
    assert not any("gpu.shuffle" in part for part in inside)


def test_what_a_loop_takes_in_both_ways_is_converted_where_that_is():
    before, *inside = loops("lane", TWICE=True)
    assert "gpu.shuffle" not in before
    assert any("gpu.shuffle" in part for part in inside)


def test_operands_are_read_in_the_branch_that_multiplies_by_them():
    loop = loops("layout")[1]
    _, _, branch = loop.partition("scf.if")
    assert branch.split("xetile.tile_mma")[0].count("xetile.load_tile") == 1
    assert "tile_mma" in branch


@pytest.mark.every(2)
@pytest.mark.covering
@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("keys", [0, 64, 112])
def test_they_are_right(keys, twice):
    rng = np.random.default_rng(keys)
    q, k = rng.integers(-4, 5, (32, 32)).astype(np.float16), rng.integers(-4, 5, (keys, 32)).astype(np.float16)
    acc = np.zeros((32, 32), np.float32)
    for n in [n for n in range(0, keys, 32) if n != 32]:
        block = np.zeros((32, 32), np.float32)
        block[: len(k[n : n + 32])] = k[n : n + 32]
        acc = acc / 2 + (q.astype(np.float32) / 2) @ block + (q.astype(np.float32) / 2 if twice else 0)
    values = {"Q": q, "K": k, "Out": np.zeros((32, 32), np.float32), "scale": 0.5}
    launch = Launch(attended, values, {"Out": acc}, (1,), {"TWICE": twice}, 4, targets=("dg2",))
    launch.at_levels("dg2")
    launch.as_code_if_it_has_it("dg2")
