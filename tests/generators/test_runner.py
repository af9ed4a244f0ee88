"""The runner tells right cases, wrong ones, crashes and hangs apart, and loses none; what fails is made smaller."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from random import Random

from tests.generators import shrink
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


@dataclass
class Sum:
    parts: list[int]

    def describe(self):
        return str(self.parts)

    def check(self):
        assert sum(self.parts) < 100
        if self.parts == [0]:
            raise ValueError("another failure")


def sums(random):
    return Sum([random.randrange(64) for _ in range(random.randint(1, 20))])


def test_failing_cases_get_smaller_and_fail_alike():
    seed = next(seed for seed in range(100) if sum(sums(Random(seed)).parts) > 300)
    found = list(shrink.smaller(sums, seed, time.monotonic() + 60))
    assert all(type(error) is AssertionError for _, error in found)
    parts = found[-1][0].parts
    assert sum(parts) >= 100 and len(parts) <= 3


@dataclass
class Sums:
    """Several programs in one case."""

    sums: list[Sum]

    def alone(self):
        return [Sums([one]) for one in self.sums]

    def check(self):
        for one in self.sums:
            one.check()


def three_sums(random):
    return Sums([sums(random) for _ in range(3)])


def test_the_program_that_fails_is_made_smaller_without_those_beside_it():
    large = [[sum(one.parts) >= 100 for one in three_sums(Random(seed)).sums] for seed in range(100)]
    seed = large.index([False, True, False])
    found = list(shrink.smaller(three_sums, seed, time.monotonic() + 60))
    assert found[0][0].sums == [three_sums(Random(seed)).sums[1]]
    assert all(len(case.sums) == 1 and type(error) is AssertionError for case, error in found)
    assert sum(found[-1][0].sums[0].parts) == 100


def test_told_numbers_are_those_of_the_seed():
    assert [sums(shrink.Told(seed)).parts for seed in range(20)] == [sums(Random(seed)).parts for seed in range(20)]


def test_a_run_goes_on_where_the_last_stopped_and_keeps_what_failed(tmp_path):
    state, kept = tmp_path / "seeds.json", tmp_path / "failures"
    command = [sys.executable, "-c", PROGRAM, "--seeds-from", state, "--keep", kept, "--cases", "3", "--jobs", "2"]
    seen = [subprocess.run(command, capture_output=True, text=True, check=False) for _ in range(2)]
    assert json.loads(state.read_text()) == {"test_runner": 6}
    failing = [seed for seed in range(6) if sum(sums(Random(seed)).parts) >= 100]
    assert sorted(int(file.stem) for file in kept.glob("*/*.txt") if "small" not in file.stem) == failing
    assert all((kept / "test_runner" / f"{seed}-small.txt").read_text().startswith(f"from seed {seed}: [") for seed in failing)
    assert "seeds 0 to 2" in seen[0].stdout and "seeds 3 to 5" in seen[1].stdout


PROGRAM = """
from tests.generators import runner, test_runner
if __name__ == "__main__":
    runner.main(test_runner.sums)
"""
