"""Whole wrong programs: each fails at the place and with the words that it says; with its fix applied it runs and gives what it should."""

import sys
import warnings

import numpy as np
import pytest

import xetile as xt
from tests.errors import guests, habits, more, slips, tongues, whole
from xetile.errors import XetileError

PROGRAMS = (*whole.PROGRAMS, *more.PROGRAMS, *habits.PROGRAMS, *slips.PROGRAMS, *tongues.PROGRAMS, *guests.PROGRAMS)


def run(program, folder):
    """What a program leaves in `r`."""
    file = folder / "program.py"
    file.write_text(program, encoding="utf-8")
    scope = {"__name__": "program"}
    exec(compile(program, str(file), "exec"), scope)
    return scope["r"], file


@pytest.mark.filterwarnings("ignore:.*stores nothing")  # what is refused for it too
@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_the_mistake_is_shown_and_the_fix_runs(case, tmp_path):
    with xt.device("numpy"), pytest.raises(XetileError) as raised:
        run(case.wrong, tmp_path)
    error = raised.value
    assert case.message in error.message, error
    assert case.hint in (error.hint or ""), error
    if error.at is not None:
        line, column = case.place
        assert (error.at.file, error.at.line) == (str(tmp_path / "program.py"), line), error
        assert error.at.column == column or sys.version_info < (3, 11), error
    with xt.device("numpy"), warnings.catch_warnings():
        warnings.simplefilter("error")
        found, _ = run(case.fixed, tmp_path)
    if case.expected is not None:
        assert np.array_equal(np.unique(found), [case.expected])


def test_there_are_enough():
    assert len({case.wrong for case in PROGRAMS}) == len(PROGRAMS) >= 260
