"""Defaults of constants by target: what a call leaves out is what its target asks for, warm or cold, wherever it runs."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from xetile.errors import ArgumentError
from xetile.runtime import fastpath
from xetile.runtime.settings import override


@xt.jit(out={"C": lambda A, N: xt.empty((N,), xt.f32)}, grid=lambda N: (N,), defaults={"cpu": {"N": 3}, "bmg": {"N": 5}})
def sizes(A, C, N: xt.constexpr = 2):
    i = xt.program_id(0)
    xt.store_tile(xt.full((1,), N, xt.f32), xt.init_tile(C, i, (1,)))


@xt.jit(out={"C": lambda A, N: xt.empty((N,), xt.f32)}, grid=lambda N: (1,), defaults={"cpu": {"N": 48}})
def by_subgroups(A, C, N: xt.constexpr = 32):
    """For which there is no code for vectors."""
    halves = xt.wg_map((1, 2), (1, N // 2))
    a = xt.load_tile(xt.init_tile(A, 0, (N,), wg_map=halves))
    xt.store_tile(a + xt.subgroup_id().to(xt.f32), xt.init_tile(C, 0, (N,), wg_map=halves))


A = np.zeros(64, np.float32)

pytestmark = pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")


def constants(target, **given):
    return dict(sizes.compile(A, A, target=target, **given).request.constexprs)


@pytest.mark.parametrize("target, n", [("pvc", 2), ("bmg", 5), ("lnl", 5), ("dg2", 2), ("cpu", 3), ("avx2", 3)])
def test_compiling_ahead_takes_the_target_s(target, n):
    assert constants(target) == {"N": n}
    assert constants(target, N=4) == {"N": 4}


@pytest.mark.device
def test_calls_take_those_of_the_device_cold_and_warm():
    for _ in range(3):
        with xt.device("numpy"):
            assert list(sizes(A)) == [2, 2]
        with override(cpu="vector"), xt.device("cpu"):
            assert list(sizes(A)) == [3, 3, 3]
            assert list(sizes(A, N=4)) == [4, 4, 4, 4]
        with override(cpu="emulate"), xt.device("cpu"):
            assert list(sizes(A)) == [2, 2]


@pytest.mark.device
def test_a_call_like_the_last_one_looks_no_pattern_up(monkeypatch):
    with override(cpu="vector"), xt.device("cpu"):
        for _ in range(2):
            sizes(A)
        monkeypatch.setattr(fastpath, "pattern_of", None)
        assert list(sizes(A)) == [3, 3, 3]


@pytest.mark.device
def test_a_kernel_that_is_emulated_after_all_takes_the_gpu_s():
    for _ in range(2):
        with override(cpu=""), xt.device("cpu"):
            assert by_subgroups(A, num_subgroups=2).shape == (32,)


def test_names_are_checked():
    def kernel(A, N: xt.constexpr = 2):
        pass

    with pytest.raises(ArgumentError, match="'M', which is no constant"):
        xt.jit(defaults={"cpu": {"M": 3}})(kernel)
    with pytest.raises(ArgumentError, match="the target 'gpu'"):
        xt.jit(defaults={"gpu": {"N": 3}})(kernel)


@xt.jit(grid=(1,), num_subgroups=lambda N, target: None if target == "dg2" else N // 16)
def by_rule(A, C, N: xt.constexpr = 32):
    xt.store_tile(xt.load_tile(xt.init_tile(A, 0, (N,))), xt.init_tile(C, 0, (N,)))


@pytest.mark.parametrize(
    "target, given, count", [("pvc", {}, 2), ("bmg", {"N": 64}, 4), ("dg2", {}, None), ("pvc", {"num_subgroups": 1}, 1)]
)
def test_subgroups_follow_from_constants_and_the_target(target, given, count):
    compiled = by_rule.compile(A, A, target=target, **given)
    assert compiled.request.num_subgroups == count
    assert count is None or compiled.local_size == (count * 16, 1, 1)


@pytest.mark.device
def test_a_rule_for_subgroups_holds_in_calls():
    found = np.ones(64, np.float32)
    with override(cpu="emulate"), xt.device("cpu"):
        by_rule(A, found)
    assert not found[:32].any() and found[32:].all()


@pytest.mark.parametrize("rule, said", [(lambda M: M, "the num_subgroups rule asks for M, which the call does not give"),
                                        (lambda N: N / 16, "num_subgroups is 2.0"), (lambda N: N // 0, "ZeroDivisionError")])  # fmt: skip
def test_a_rule_for_subgroups_is_checked(rule, said):
    with pytest.raises(ArgumentError, match=said):
        xt.jit(grid=(1,), num_subgroups=rule)(by_rule.fn).compile(A, A)
