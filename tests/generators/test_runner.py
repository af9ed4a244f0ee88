"""The runner tells right cases, wrong ones, crashes and hangs apart, and loses none."""

from __future__ import annotations

import os
import time
from collections import Counter
from dataclasses import dataclass
from random import Random

from tests.generators.runner import run


@dataclass
class Number:
    value: int

    def describe(self):
        return f"number {self.value}"

    def check(self):
        if self.value == 2:
            raise ValueError("two")
        if self.value == 3:
            os._exit(7)
        if self.value == 4:
            time.sleep(60)
        return "large" if self.value > 5 else None


FIRST = [Random(seed).random() for seed in range(8)]


def numbers(random):
    """The case of a seed has the seed's number."""
    return Number(FIRST.index(random.random()))


def test_every_seed_has_one_outcome():
    report = run(numbers, range(8), jobs=2, limit=3)
    assert report.counts == Counter(right=3, large=2, failed=3)
    found = {f.seed: (f.described, f.reason) for f in report.failures}
    assert sorted(found) == [2, 3, 4]
    assert found[2][0] == "number 2" and "ValueError: two" in found[2][1]
    assert found[3] == ("number 3", "the process ended with status 7")
    assert found[4] == ("number 4", "no answer in 3 seconds")
