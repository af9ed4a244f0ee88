"""`xt.bench`, and the word that a long first build gives."""

import logging
import time

import numpy as np
import pytest

import xetile as xt
from xetile.errors import ArgumentError
from xetile.runtime import hooks, loading


def test_bench_counts_what_is_asked_for():
    runs = []
    found = xt.bench(lambda: runs.append(1), samples=7, bytes=1e9, flops=2e9)
    assert found.samples == 7 and len(runs) > 7
    assert found.least <= found.p20 <= found.median <= found.p80
    assert found.bytes_per_second == 1e9 / found.median and found.flops_per_second == 2e9 / found.median
    assert str(found).count("/s") == 2 and "7 samples" in str(found)


def test_bench_takes_no_longer_than_it_may():
    assert xt.bench(lambda: time.sleep(0.02), samples=1000, seconds=0.1).samples <= 5


def test_bench_waits_for_what_is_enqueued():
    waited = []

    class Event:
        def wait(self):
            waited.append(1)

    xt.bench(lambda: (Event(), Event()), samples=2)
    assert waited


def test_bench_takes_functions():
    with pytest.raises(ArgumentError, match="function without arguments"):
        xt.bench(np.ones(3))


def test_a_build_that_takes_long_is_told(caplog):
    with caplog.at_level(logging.WARNING, logger=hooks.log.name), loading.told_when_long("matmul", "a CPU", 0.05):
        time.sleep(0.2)
    assert "matmul is being built for a CPU" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger=hooks.log.name), loading.told_when_long("matmul", "a CPU", 5):
        pass
    assert not caplog.text
