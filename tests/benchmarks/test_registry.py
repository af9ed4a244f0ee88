"""`python -m xetile benchmarks`: every name leads to a benchmark, wrong ones are told."""

import argparse
from pathlib import Path

import pytest

from benchmarks import choosing
from benchmarks.__main__ import main
from benchmarks.environment import RESULTS
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


@pytest.mark.parametrize("name", ["isa", "simulator", "odd", "ops", "all", "softmax"])
def test_what_is_chosen_is_there(name, capsys):
    """An empty table said nothing, and replaced the results that were kept."""
    options = ["--device", "numpy", "--size", "64x64"] if name == "softmax" else []
    assert status_of([name, "--only", "nothing of this name", *options]) == 2
    assert "'nothing of this name' in its name" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["isa", "simulator", "odd"])
def test_a_wrong_target_is_told(name, capsys):
    assert status_of([name, "--target", "pvc,foo"]) == 2
    assert "there is no target 'foo' here: the targets are bmg, " in capsys.readouterr().err


def test_a_part_of_the_kernels_does_not_replace_the_results_of_all():
    parser = argparse.ArgumentParser()
    choosing.add_options(parser, "simulator", "pvc,bmg")

    def folder(*arguments):
        return choosing.folder_of(parser.parse_args(arguments), "pvc,bmg")

    assert folder() == RESULTS
    assert folder("--only", "matmul") is folder("--target", "pvc") is folder("--no-write") is None
    assert folder("--only", "matmul", "--results", "here") == Path("here")


def status_of(arguments):
    """What a benchmark ends with: its status, or that of its parser."""
    try:
        return main(arguments)
    except SystemExit as ended:
        return ended.code


def test_a_wrong_name_is_told(capsys):
    assert main(["fallbak"]) == 2
    assert "did you mean 'fallback'?" in capsys.readouterr().err
