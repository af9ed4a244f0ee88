"""Software pipelining: loops in loops, streams of several passes in one loop, loops that run once or not at all; right at every level."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from xetile.passes.workgroup.loops.pipelining import Schedule


@xt.jit
def nested(A, B, C, ROUNDS: xt.constexpr):
    """C = the sum over rounds of (A's tile of the round) @ (B's, and the tiles of an inner loop)."""
    acc = xt.zeros((32, 32), xt.f32)
    a = xt.init_tile(A, (0, 0), (32, 32))
    b = xt.init_tile(B, (0, 0), (32, 32))
    for _ in range(ROUNDS):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        c, d = xt.init_tile(A, (0, 0), (32, 32)), xt.init_tile(B, (0, 0), (32, 32))
        for _ in range(0, A.shape[1], 32):
            acc = xt.tile_mma(xt.load_tile(c), xt.load_tile(d), acc)
            c, d = xt.update_tile_offset(c, (0, 32)), xt.update_tile_offset(d, (32, 0))
        a, b = xt.update_tile_offset(a, (0, 32)), xt.update_tile_offset(b, (32, 0))
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (32, 32)))


def launch(rounds: int, k: int, order: str, target: str) -> Launch:
    rng = np.random.default_rng(k)
    a, b = rng.integers(-4, 5, (32, k)).astype(np.float16), rng.integers(-4, 5, (k, 32)).astype(np.float16)
    exact = a[:, : 32 * rounds].astype(np.float32) @ b[: 32 * rounds].astype(np.float32)
    exact += rounds * (a.astype(np.float32) @ b.astype(np.float32))
    values = {"A": np.asarray(a, order=order), "B": b, "C": np.zeros((32, 32), np.float32)}  # type: ignore[call-overload]
    return Launch(nested, values, {"C": exact}, (1,), {"ROUNDS": rounds}, 2, targets=(target,))


@pytest.mark.covering
@pytest.mark.parametrize("rounds", [0, 3])
@pytest.mark.parametrize(
    ("target", "order", "made"), [("pvc", "C", "prefetch_tile"), ("pvc", "F", "floordiv"), ("dg2", "C", "floordiv")]
)
def test_both_of_two_nested_loops_overlap(target, order, made, rounds):
    given = launch(rounds, 96, order, target)
    if rounds:
        text = given.compiled(target).ir["layout"]
        indents = {len(line) - len(line.lstrip()) for line in text.splitlines() if "scf.for" in line}
        assert len(indents) == 2 and text.count(made) >= 4, text
    given.at_levels(target)


@pytest.mark.parametrize("k", [32, 64, 160])
def test_loops_of_few_iterations(k):
    launch(1, k, "F", "pvc").at_levels("pvc")


def test_buffers_hold_what_is_read_and_what_comes():
    with pytest.raises(ValueError, match="two halves"):
        Schedule((), ("fetch", "wait", "use", "store"), distance=2)
