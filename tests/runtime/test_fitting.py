"""Kernels that would spill get more subgroups, where nobody has said how many there are."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.kernels.plain_quantized import CASES
from xetile.errors import LayoutError
from xetile.runtime import compiler, fitting
from xetile.runtime.specialize import SpillWarning
from xetile.target import get_target

FIRST = {"ir": lambda k: k.ir, "estimate": lambda k: k.estimate, "binary": lambda k: k.binary}


def compiled(**options):
    case = CASES["nf4"]
    return case.kernel.compile(*case.types, target="pvc", **options)


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.filterwarnings("error::xetile.runtime.specialize.SpillWarning")
@pytest.mark.parametrize("first", FIRST)
@pytest.mark.every(3)
def test_the_ir_and_the_estimate_are_of_what_is_compiled_whichever_is_asked_first(first, monkeypatch):
    monkeypatch.setattr(fitting, "_counts", [])
    kernel = compiled()
    FIRST[first](kernel)
    assert "num_subgroups = 4" in kernel.ir["lane"]
    assert not kernel.estimate.spills
    assert kernel.binary.num_subgroups == 4


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_a_number_that_is_given_stays():
    with pytest.warns(SpillWarning, match="num_subgroups=4 needs"):
        assert compiled(num_subgroups=2).binary.num_subgroups == 2


def test_a_map_stays():
    request = compiled().request
    kernel = SimpleNamespace(attributes={"num_subgroups": 1, "grf": 256, "live_bytes": 1 << 15})
    module, target = SimpleNamespace(kernel=kernel), get_target("pvc")
    asked = []

    def lower(other):
        asked.append(other.num_subgroups)
        raise LayoutError("the map is for 1 subgroup")

    assert fitting.fitting(request, module, target, lower) == request
    assert sorted(asked) == [2, 4, 8]


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_a_number_that_is_found_is_lowered_once(monkeypatch):
    """What was lowered to see whether it fits is what is compiled."""
    case, lower_from, lowered = CASES["nf4"], compiler.lower_from, []
    request = compiled().request
    monkeypatch.setattr(fitting, "_counts", [])
    monkeypatch.setattr(compiler, "lower_from", lambda module, target: lowered.append(module) or lower_from(module, target))
    binary = compiler.build(request)
    assert len(lowered) == 2 and binary.num_subgroups == 4
    assert binary.spirv == case.kernel.compile(*case.types, target="pvc", num_subgroups=4).spirv


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_where_no_number_fits_the_one_that_spills_least_is_taken(monkeypatch):
    monkeypatch.setattr(fitting, "_counts", [])
    request = compiled().request
    sizes = {1: 1 << 17, 2: 1 << 16, 4: 50000, 8: 60000}
    target = get_target("pvc")

    def lowered(count):
        return SimpleNamespace(
            kernel=SimpleNamespace(attributes={"num_subgroups": count, "grf": 256, "live_bytes": sizes[count]})
        )

    found = fitting.fitting(request, lowered(1), target, lambda other: lowered(other.num_subgroups))
    assert found.num_subgroups == 4


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("sizes", "lowered", "answer"),
    [
        ({1: 1 << 16, 2: 1 << 15, 4: 1 << 14, 8: 1 << 13}, [8], 8),  # half as much in each of twice the subgroups at best
        ({1: 1 << 16, 2: 40000, 4: 30000, 8: 16200}, [8], 8),  # none fits; what others spill at least is more
        ({1: 1 << 16, 2: 40000, 4: 30000, 8: 60000}, [8, 4], 4),
        (
            {1: 1 << 18, 2: 110000, 4: 60000, 8: 33000},
            [8],
            8,
        ),  # none may fit: the most subgroups first, and 66 700 are expected of 4
        ({1: 20000, 2: 12000, 4: 10000, 8: 10000}, [2], 2),
        ({1: 64000, 2: 21000, 4: 19800, 8: 20000}, [4, 8], 4),  # 34 500 are expected of 2, and no less than 29 300
        ({1: 40000, 2: 25000, 4: 26400, 8: 30000}, [4, 8, 2], 2),  # 30 900 are expected of 2, but 26 300 may be enough
    ],
)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_only_numbers_that_may_be_the_answer_are_lowered(sizes, lowered, answer, monkeypatch):
    monkeypatch.setattr(fitting, "_counts", [])
    monkeypatch.setattr(fitting, "is_tight", lambda module, target: fitting.spilled(module, target) > 0)
    asked = []

    def module(count):
        return SimpleNamespace(
            kernel=SimpleNamespace(attributes={"num_subgroups": count, "grf": 256, "live_bytes": sizes[count]})
        )

    def lower(other):
        asked.append(other.num_subgroups)
        return module(other.num_subgroups)

    found = fitting.fitting(compiled().request, module(1), get_target("pvc"), lower)
    assert (asked, found.num_subgroups) == (lowered, answer)


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_what_spills_least_is_what_is_compiled(monkeypatch):
    """Of several numbers that are lowered, which need not be the last."""
    request = compiled().request
    left = {2: 300, 4: 100, 8: 200, 16: 200}
    monkeypatch.setattr(fitting, "_counts", [])
    monkeypatch.setattr(fitting, "spilled", lambda module, target: left[module.kernel.attributes["num_subgroups"]])
    assert compiler.build(request).num_subgroups == 4
