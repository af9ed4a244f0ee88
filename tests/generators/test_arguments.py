"""Random calls do what numpy does, or are refused: `--hypothesis-examples 10000` checks that many."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.generators.arguments import ArgumentsCase, Call, arguments
from tests.sampling import few

pytestmark = [pytest.mark.device, pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")]


@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["numpy", "cpu"])
@few(3)
@given(random=st.randoms(use_true_random=False))
def test_calls(name, random):
    check(name, random)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["numpy", "cpu"])
@given(random=st.randoms(use_true_random=False))
def test_more_calls(name, random):
    check(name, random)


def check(name, random):
    # Few types, so that one compiled kernel serves many views.
    case = replace(arguments(random), device=name, dtype=random.choice(["float32", "int16"]))
    replace(case, calls=tuple(replace(call, remote=call.remote and name == "cpu") for call in case.calls)).check()


@pytest.mark.parametrize("name", ["numpy", "cpu"])
def test_the_check_fails_where_it_should(name, monkeypatch):
    case = ArgumentsCase("float32", 2, name, (Call(("plain", "plain", "sliced"), (7, 9), 1, False),), 0)
    monkeypatch.setattr(ArgumentsCase, "_answer", lambda self, arrays, number, dtype: arrays[0] + arrays[1])
    with pytest.raises(AssertionError, match="memory of Y"):
        case.check()
