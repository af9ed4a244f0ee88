"""Kernels that would spill get more subgroups, where nobody has said how many there are."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.kernels.plain_quantized import CASES
from xetile import estimate
from xetile.errors import LayoutError, ResourceError
from xetile.passes import pipeline
from xetile.passes.instruments import TooLargeError
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
        assert compiled(num_subgroups=1).binary.num_subgroups == 1


@pytest.fixture(autouse=True)
def in_any_order(monkeypatch):
    """Kernels need what they are said to, in whatever order IGC gives out registers for."""
    monkeypatch.setattr(estimate, "scheduled", lambda kernel, target, registers, need: need)


class Lowering:
    """A kernel that needs so many bytes with so many subgroups. finished: notes the number when it is lowered to the end."""

    odd_shares = ()

    def __init__(self, count, size, guess=0, finished=None, ops=None):
        kernel = SimpleNamespace(attributes={"num_subgroups": count, "grf": 256, "live_bytes": size})
        self.module = SimpleNamespace(kernel=kernel, discard=lambda: None)
        self.guess, self.ops = guess, ops or (2 * fitting.SHORT if guess else 1)
        self._finished = finished

    def down_to(self, last=None):
        if last is None and self._finished is not None:
            self._finished.append(self.module.kernel.attributes["num_subgroups"])
        return self.module


def found(sizes, guesses=None, request=None):
    """The number that is found where kernels need so much by their number of subgroups, and those that were lowered to the end."""
    asked, guesses = [], guesses or {}
    request = request or compiled().request

    def begin(other):
        count = other.num_subgroups or min(sizes)
        return Lowering(count, sizes[count], guesses.get(count, 0), asked)

    answer, _ = fitting.fitting(request, get_target("pvc"), begin)
    return answer.num_subgroups or min(sizes), asked[:-1]  # the answer is asked for again


def test_a_map_stays(monkeypatch):
    monkeypatch.setattr(fitting, "_counts", [])
    request, asked = compiled().request, []

    def begin(other):
        if other == request:
            return Lowering(1, 1 << 15)
        asked.append(other.num_subgroups)
        raise LayoutError("the map is for 1 subgroup")

    assert fitting.fitting(request, get_target("pvc"), begin)[0] == request
    assert sorted(asked) == [2, 4, 8]


class Exchanging(Lowering):
    """A kernel whose subgroups exchange more than shared memory holds, if there are more than four."""

    def down_to(self, last=None):
        if self.module.kernel.attributes["num_subgroups"] > 4:
            raise ResourceError(f"{self.module.kernel.attributes['num_subgroups']} subgroups exchange too much")
        return self.module


def test_fewer_subgroups_are_taken_where_more_exchange_too_much(monkeypatch):
    """argmax over both axes of a tile of 64 x 128 was refused on DG2, where it has 128 subgroups by its size and compiles with 64."""
    monkeypatch.setattr(fitting, "_counts", [])
    monkeypatch.setattr(fitting, "is_tight", lambda *kernel: False)
    request = compiled().request
    found = fitting.fitting(request, get_target("dg2"), lambda other: Exchanging(other.num_subgroups or 32, 1 << 10))[0]
    assert found.num_subgroups == 4
    with pytest.raises(ResourceError, match="512 subgroups exchange"):
        fitting.fitting(request, get_target("dg2"), lambda other: Exchanging(other.num_subgroups or 512, 1 << 10))


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_a_number_that_is_found_is_lowered_once(monkeypatch):
    """What was lowered to see whether it fits is what is compiled."""
    case, lower, lowered = CASES["nf4"], pipeline.lower, []
    request = compiled().request
    monkeypatch.setattr(fitting, "_counts", [])
    monkeypatch.setattr(pipeline, "lower", lambda module, target: lowered.append(module) or lower(module, target))
    binary = compiler.build(request)
    assert len(lowered) == 2 and binary.num_subgroups == 4
    assert binary.spirv == case.kernel.compile(*case.types, target="pvc", num_subgroups=4).spirv


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_where_no_number_fits_the_one_that_spills_least_is_taken(monkeypatch):
    monkeypatch.setattr(fitting, "_counts", [])
    assert found({1: 1 << 17, 2: 1 << 16, 4: 50000, 8: 60000})[0] == 4


class OfHeads(Lowering):
    """A kernel whose products have blocks of three: powers of two work out what others do."""

    odd_shares = (3,)


@pytest.mark.parametrize(
    ("sizes", "answer"),
    [
        ({32: 41156, 24: 12576, 12: 20000, 6: 41000, 3: 80000}, 24),  # linear attention, heads of 96 columns
        ({32: 41156, 24: 20000, 12: 15000, 6: 41000, 3: 80000}, 12),
        ({32: 41156, 24: 50000, 12: 60000, 6: 70000, 3: 80000}, 32),
    ],
)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_where_no_power_of_two_fits_products_are_divided_by_another_number(sizes, answer, monkeypatch):
    monkeypatch.setattr(fitting, "_counts", [])
    monkeypatch.setattr(fitting, "is_tight", lambda module, target: fitting.spilled(module, target) > 0)
    begin = lambda other: OfHeads(other.num_subgroups or 32, sizes[other.num_subgroups or 32])  # noqa: E731
    found = fitting.fitting(compiled().request, get_target("pvc"), begin)[0]
    assert (found.num_subgroups or 32) == answer


class Exploding(OfHeads):
    """One that has far more ops with 24 subgroups, of which each gets more than it shares."""

    def down_to(self, last=None):
        if self.module.kernel.attributes["num_subgroups"] == 24:
            raise TooLargeError("more than 100 ops")
        return super().down_to(last)


@pytest.mark.parametrize(
    ("kind", "guesses", "lowered"),
    [
        # 12 need more than 24, which share the work as evenly: 6 and 3 more still
        (OfHeads, {32: 30000, 24: 25000, 12: 19000, 6: 19000, 3: 19000}, [32, 24, 12]),
        # 12 are to spill no less than 24, by their guess
        (OfHeads, {32: 30000, 24: 25000, 12: 29000, 6: 19000, 3: 19000}, [32, 24]),
        # 24 are to need more than 32
        (OfHeads, {32: 30000, 24: 60000, 12: 19000, 6: 19000, 3: 19000}, [32]),
        # fewer than 24 have more ops still
        (Exploding, {32: 30000, 24: 25000, 12: 29000, 6: 29000, 3: 29000}, [32]),
    ],
)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_numbers_are_not_tried_beyond_the_one_that_needs_least(kind, guesses, lowered, monkeypatch):
    """Attention over heads of 72 columns was lowered ten times for DG2, in seven seconds."""
    monkeypatch.setattr(fitting, "_counts", [])
    monkeypatch.setattr(fitting, "is_tight", lambda module, target: fitting.spilled(module, target) > 0)
    sizes, finished = {32: 41156, 24: 36000, 12: 42000, 6: 43000, 3: 44000}, []

    def begin(other):
        count = other.num_subgroups or 32
        return kind(count, sizes[count], guesses[count], finished)

    fitting.fitting(compiled().request, get_target("pvc"), begin)
    assert finished[:-1] == lowered  # the answer is asked for again


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
    assert found(sizes) == (answer, [1, *lowered])


@pytest.mark.parametrize(
    ("sizes", "guesses", "lowered", "answer"),
    [
        # more than is likely to fit: the first waits until others show that it does not
        ({1: 30000, 2: 20000, 4: 14000, 8: 9000}, {1: 65000, 2: 36000, 4: 15000, 8: 8000}, [8], 8),
        # or that it may
        ({1: 13000, 2: 3000, 4: 2000, 8: 1000}, {1: 65000, 2: 15000, 4: 8000, 8: 4000}, [8, 1], 1),
        # what needs least by its guess comes first, and others would need more
        ({1: 30000, 2: 22000, 4: 19000, 8: 40000}, {1: 130000, 2: 90000, 4: 40000, 8: 90000}, [4], 4),
        ({1: 30000, 2: 60000, 4: 60000, 8: 60000}, {1: 20000, 2: 40000, 4: 40000, 8: 40000}, [1], 1),
        # what two numbers need says of fewer subgroups, too, what they need at least: 22 900 bytes, where half of the guess would fit
        ({1: 60000, 2: 30000, 4: 20000, 8: 16500}, {1: 62000, 2: 45000, 4: 41000, 8: 40000}, [8, 4], 8),
        # a guess that was wrong is made good
        ({1: 22000, 2: 18000, 4: 60000, 8: 60000}, {1: 70000, 2: 40000, 4: 38000, 8: 39000}, [4, 8, 2], 2),
    ],
)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_what_is_guessed_of_all_says_which_numbers_are_lowered(sizes, guesses, lowered, answer, monkeypatch):
    monkeypatch.setattr(fitting, "_counts", [])
    monkeypatch.setattr(fitting, "is_tight", lambda module, target: fitting.spilled(module, target) > 0)
    assert found(sizes, guesses) == (answer, lowered)


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_what_needs_more_than_what_waits_is_not_begun(monkeypatch):
    """No part of a tile shrinks faster than the number of subgroups grows: 4 take 25 000 bytes at least by the guess of 1, 8 take 12 000."""
    monkeypatch.setattr(fitting, "_counts", [])
    monkeypatch.setattr(fitting, "is_tight", lambda module, target: fitting.spilled(module, target) > 0)
    sizes, guesses, begun = {1: 60000, 8: 20000}, {1: 100000, 8: 12000}, []

    def begin(other):
        count = other.num_subgroups or 1
        begun.append(count)
        return Lowering(count, sizes[count], guesses[count])

    assert fitting.fitting(compiled().request, get_target("pvc"), begin)[0].num_subgroups == 8
    assert begun == [1, 8, 1]  # the last one tells by which numbers products can be divided


@pytest.mark.parametrize(
    ("guesses", "lowered", "answer"),
    [
        # 70% of 25 000 / 20 000 times the guesses: 2 subgroups take 16 600 bytes at least, more than there are
        ({1: 20000, 2: 19000, 4: 9000, 8: 9000}, [1, 4], 4),
        ({1: 20000, 2: 18000, 4: 9000, 8: 9000}, [1, 2, 4], 4),
        ({1: 20000, 2: 19000, 4: 19000, 8: 19000}, [1], 1),
    ],
)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_what_is_tight_by_its_guess_is_not_lowered_where_something_tight_fits(guesses, lowered, answer, monkeypatch):
    """A kernel of gathers had all numbers of subgroups lowered, of which the first was taken."""
    monkeypatch.setattr(fitting, "_counts", [])
    monkeypatch.setattr(fitting, "is_tight", lambda module, target: module.kernel.attributes["num_subgroups"] < 4)
    monkeypatch.setattr(fitting, "room", lambda kernel, target: 25000)
    monkeypatch.setattr(fitting, "step", lambda kernel, target: 1 / kernel.attributes["num_subgroups"])
    assert found(dict.fromkeys(guesses, 1 << 13), guesses) == (answer, lowered)


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize(("steps", "live", "answer"), [(100, 13000, 2), (100, 15000, 4), (130, 13000, 4)])
def test_fewer_subgroups_that_leave_some_registers_are_taken_where_they_do_less(steps, live, answer, monkeypatch):
    """nf4 by rows of W on PVC: 4 subgroups with 369 instructions for 32 DPAS each, 8 with 308 for 16."""
    monkeypatch.setattr(fitting, "_counts", [])
    monkeypatch.setattr(fitting, "is_tight", lambda module, target: module.kernel.attributes["num_subgroups"] < 4)
    monkeypatch.setattr(fitting, "room", lambda kernel, target: 25000)
    monkeypatch.setattr(fitting, "step", lambda kernel, target: {2: steps, 4: 75}[kernel.attributes["num_subgroups"]])
    assert found({1: 25000, 2: live, 4: 8000, 8: 8000})[0] == answer


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
def test_what_spills_least_is_what_is_compiled(monkeypatch):
    """Of several numbers that are lowered, which need not be the last."""
    request = compiled().request
    left = {2: 300, 4: 100, 8: 200, 16: 200}
    monkeypatch.setattr(fitting, "_counts", [])
    monkeypatch.setattr(fitting, "spilled", lambda module, target: left[module.kernel.attributes["num_subgroups"]])
    assert compiler.build(request).num_subgroups == 4


@pytest.mark.parametrize(("others", "answer"), [({8: 30000, 32: 25000}, 16), ({8: 30000, 32: 15000}, 32)])
def test_what_has_far_more_ops_is_looked_at_again_where_nothing_else_fits(others, answer, monkeypatch):
    """16 subgroups work out what others do, but fit: retention of heads of 128 columns by chunks of 16."""
    monkeypatch.setattr(fitting, "_counts", [])
    monkeypatch.setattr(fitting, "is_tight", lambda module, target: fitting.spilled(module, target) > 0)
    given_up = []

    class Larger(Lowering):
        def down_to(self, last=None):
            if last is None and self.module.kernel.attributes["num_subgroups"] == 16 and not given_up:
                given_up.append(16)
                raise TooLargeError("more than 100 ops")
            return super().down_to(last)

    sizes = {16: 12000, **others}
    begin = lambda other: Larger(other.num_subgroups or 8, sizes[other.num_subgroups or 8])  # noqa: E731
    assert fitting.fitting(compiled().request, get_target("pvc"), begin)[0].num_subgroups == answer
    assert given_up
