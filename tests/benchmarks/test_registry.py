"""`python -m xetile benchmarks`: every name leads to a benchmark, wrong ones are told."""

import pytest

from benchmarks.__main__ import main
from benchmarks.registry import BENCHMARKS, BY_NAME


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda b: b.name)
def test_every_benchmark_has_help(benchmark, capsys):
    with pytest.raises(SystemExit) as status:
        main([benchmark.name, "--help"])
    assert status.value.code == 0
    assert "usage:" in capsys.readouterr().out


def test_without_a_name_all_are_listed(capsys):
    assert main([]) == 0
    out = capsys.readouterr().out
    assert all(benchmark.summary in out for benchmark in BENCHMARKS)
    assert len(BY_NAME) == len(BENCHMARKS)


def test_a_wrong_name_is_told(capsys):
    assert main(["fallbak"]) == 2
    assert "did you mean 'fallback'?" in capsys.readouterr().err
