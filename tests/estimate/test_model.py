"""The roofline model: terms against hand counts, the order of configurations, and autotuning that is pruned by it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import xetile as xt
from xetile.errors import ArgumentError, DeviceError
from xetile.ops.kernels import attention, matmul, rows
from xetile.roofline import Launch, predict
from xetile.target import get_target

N = 4096
SQUARE = (f"f16[{N},{N}]", f"f16[{N},{N}]")
BEST = xt.Config(BM=256, BN=256, BK=32, num_subgroups=32)


def only(kernel, config, *args, **options):
    (found,) = xt.rank(kernel, [config], *args, **options)
    return found


def test_the_terms_of_a_matmul_by_hand() -> None:
    found = only(matmul.matmul, BEST, *SQUARE).prediction
    rates = get_target("pvc").roofline
    operations, tiles, steps = 2 * N**3, (N // 256) ** 2, N // 32
    assert found.terms["matrix"] == pytest.approx(operations / rates.peak("f16"))
    loads, stores = steps * 32 * (32 * 32 + 32 * 64) * 2, 256 * 256 * 4
    assert found.terms["l1"] == pytest.approx(tiles / 128 * (loads + stores) / (105e12 / 128))
    beyond = steps * (256 * 32 + 32 * 256) * 2
    assert found.terms["l3"] == pytest.approx(tiles * (beyond + stores) / 13e12)
    # Everything fits the last cache, so every array moves once.
    assert found.terms["memory"] == pytest.approx((2 * N * N * 2 + N * N * 4) / 3.28e12)
    assert (found.bound, found.missing, found.resident) == ("matrix", (), 1)


def test_memory_is_read_again_where_the_cache_is_too_small() -> None:
    large, small = (only(matmul.matmul, BEST, f"f16[{n},{n}]", f"f16[{n},{n}]", target="bmg").prediction for n in (N, 512))
    rates = get_target("bmg").roofline
    assert small.terms["memory"] == pytest.approx((2 * 512**2 * 2 + 512**2 * 4) / rates.memory_bytes_per_second)
    assert large.terms["memory"] > 2 * (2 * N * N * 2 + N * N * 4) / rates.memory_bytes_per_second
    assert large.missing == ("l1", "l3")


def test_a_partial_round_costs_a_whole_one() -> None:
    """129 workgroups on 128 cores."""
    even, odd = (only(matmul.matmul, BEST, f"f16[{256 * n},{N}]", f"f16[{N},256]").prediction for n in (128, 129))
    assert odd.terms["matrix"] == pytest.approx(2 * even.terms["matrix"])


def test_occupancy_hides_latency() -> None:
    """More threads at a time: fewer rounds one behind the other."""
    found = only(matmul.matmul, BEST, *SQUARE)
    launch = Launch((16, 16, 1), 32, {"A": (N, N), "B": (N, N), "C": (N, N)}, {})
    halved = replace(get_target("pvc"), grf_modes=tuple(replace(m, threads_per_engine=2 * m.threads_per_engine)
                                                        for m in get_target("pvc").grf_modes))  # fmt: skip
    usual, more = (predict(found.estimate, target, launch) for target in (get_target("pvc"), halved))
    assert (usual.resident, more.resident) == (1, 2)
    assert more.terms["latency"] == pytest.approx(usual.terms["latency"] / 2)


def test_causal_attention_is_half_of_the_whole() -> None:
    types = ["f16[16,4096,64]"] * 3
    config = xt.Config(D=64, BM=128, BN=64)
    whole, causal = (only(attention.attention, config, *types, causal=c).prediction for c in (False, True))
    assert 0.5 < causal.terms["matrix"] / whole.terms["matrix"] < 0.6


SPACE = xt.autotune_space(BM=(64, 256), BN=(64, 256), BK=(16, 32), num_subgroups=(16, 32))


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_the_order_makes_sense(target: str) -> None:
    """What experts use for a large matmul is near the top; what spills is last."""
    ranked = xt.rank(matmul.matmul, SPACE, *SQUARE, target=target)
    assert len(ranked) == len(SPACE)
    places = {found.config: place for place, found in enumerate(ranked)}
    assert places[BEST] < len(SPACE) / 4
    spilling = [found.estimate.spills for found in ranked]
    assert spilling == sorted(spilling)
    assert any(spilling)
    seconds = [found.seconds for found in ranked if not found.estimate.spills]
    assert all(b > a * 0.9 for a, b in pairwise(seconds))
    tiny = places[xt.Config(BM=64, BN=64, BK=16, num_subgroups=32)]
    assert tiny > len(SPACE) / 2


def test_rows_are_bound_by_memory_unless_too_little_is_done_at_a_time() -> None:
    ranked = xt.rank(rows.softmax, xt.autotune_space(BM=(1, 8), BN=(256, 1024)), f"f16[{N},{N}]", target="bmg")
    assert ranked[0].prediction.bound == "memory"
    assert ranked[-1].config.values == {"BM": 1, "BN": 256}


def test_what_cannot_run_is_last_with_the_reason() -> None:
    configs = [xt.Config(BM=256, BK=48), BEST, xt.Config(num_subgroups=1000)]
    ranked = xt.rank(matmul.matmul, configs, *SQUARE)
    assert ranked[0].config == BEST
    refused = [found for found in ranked if found.prediction is None]
    assert refused
    assert all(found.reason and found.seconds == float("inf") for found in refused)
    assert "refused" in str(refused[0])
    assert "us  xt.Config(" in str(ranked[0])


def test_arguments_may_be_arrays_or_types() -> None:
    a = np.zeros((512, 256), np.float16)
    given = only(matmul.matmul, BEST, a, a.T.copy()).prediction
    described = only(matmul.matmul, BEST, "f16[512,256]", "f16[256,512]").prediction
    assert given == described


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("f16[?,?]", "f16[?,?]"), "does not say how large"),
        (("f16", "f16[4,4]"), "is no argument"),
        (("f16[64,64]",), "needs B"),
    ],
)
def test_bad_arguments(args, why) -> None:
    with pytest.raises(ArgumentError, match=why):
        xt.rank(matmul.matmul, [BEST], *args)


def test_bad_options() -> None:
    with pytest.raises(ArgumentError, match="no configurations"):
        xt.rank(matmul.matmul, [], *SQUARE)
    with pytest.raises(ArgumentError, match="rates of cpu are not known"):
        xt.rank(matmul.matmul, [BEST], *SQUARE, target="cpu")
    with pytest.raises(DeviceError, match="no target 'pcv'"):
        xt.rank(matmul.matmul, [BEST], *SQUARE, target="pcv")
    with pytest.raises(ArgumentError, match="BX is no parameter"):
        xt.rank(matmul.matmul, [xt.Config(BX=1)], *SQUARE)
