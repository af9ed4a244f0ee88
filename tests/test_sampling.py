"""Which cases run by default: each value, or each pair of values, by devices in turn; the others are left to the sweep."""

from __future__ import annotations

from itertools import combinations, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.sampling import leave_to_the_sweep, without_another


class Case:
    """As much of a test's item as is looked at."""

    def __init__(self, marks: list[pytest.Mark], **params: Any) -> None:
        self.nodeid, self.marks = f"test.py::test[{params}]", {mark.name: mark for mark in marks}
        self.callspec = SimpleNamespace(params=params)

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.marks.get(name)

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.marks[mark.name] = mark.mark


AXES = {"kind": ["a", "b", "c"], "shape": [(1, 2), (3, 4), (5, 6), (7, 8)], "kernel": [[1], [2]]}


def cases(mark: pytest.MarkDecorator, devices: tuple[str, ...] = ("cpu", "vectors"), *more: pytest.MarkDecorator) -> list[Any]:
    values = product(devices, *AXES.values())
    return [Case([mark.mark, *(m.mark for m in more)], **dict(zip(("device", *AXES), value))) for value in values]


def kept(items: list[Any], device: str) -> list[dict[str, Any]]:
    leave_to_the_sweep(items)
    return [item.callspec.params for item in items if item.callspec.params["device"] == device and "slow" not in item.marks]


def all_kept(items: list[Any]) -> list[dict[str, Any]]:
    leave_to_the_sweep(items)
    return [item.callspec.params for item in items if "slow" not in item.marks]


def test_each_value_is_seen_and_each_device():
    found = all_kept(cases(pytest.mark.covering))
    assert len(found) == 4
    for name, values in {**AXES, "device": ["cpu", "vectors"]}.items():
        assert all(any(case[name] == value for case in found) for value in values), name


def test_each_pair_of_values_is_seen():
    found = all_kept(cases(pytest.mark.covering(2)))
    assert len(found) < 24 and {case["device"] for case in found} == {"cpu", "vectors"}
    for one, other in combinations(AXES, 2):
        for pair in product(AXES[one], AXES[other]):
            assert any((case[one], case[other]) == pair for case in found), pair


@pytest.mark.parametrize("n", [2, 3, 5, 24, 100])
def test_devices_take_turns(n):
    found = all_kept(cases(pytest.mark.every(n)))
    cpu, vectors = ([{**case, "device": ""} for case in found if case["device"] == device] for device in ("cpu", "vectors"))
    assert cpu and vectors and len(found) <= max(2, -(-24 // n)) and not [case for case in cpu if case in vectors]


def test_all_cases_run_on_numpy_and_on_simulators_have_a_share_of_their_own():
    assert len(kept(cases(pytest.mark.covering, ("numpy", "cpu")), "numpy")) == 24
    assert len(kept(cases(pytest.mark.covering, ("sim:pvc",), pytest.mark.simulated), "sim:pvc")) == 24


def test_tests_without_a_mark_and_without_parameters_stay():
    items = [Case([]), Case([], a=1), Case([], a=2)]
    del items[0].callspec
    leave_to_the_sweep(items)
    assert not any("slow" in item.marks for item in items)


def test_cover_and_turns_together_take_each_nth_of_the_cover():
    mark = pytest.mark.covering.mark
    whole, half = (all_kept([Case([mark, *more], shape=i) for i in range(8)]) for more in ((), (pytest.mark.every(2).mark,)))
    assert half == whole[::2]


def test_turns_begin_where_the_mark_says():
    first, second = (all_kept(cases(pytest.mark.every(2, start), ("cpu",))) for start in (0, 1))
    assert len(first) == len(second) == 12 and not [case for case in first if case in second]


def test_what_no_case_of_a_folder_names_is_brought_back():
    """One dtype by each of two families, and the third by the first that has it."""
    mark, items = pytest.mark.every(3).mark, []
    for folder, family in (("a", "one"), ("a", "other"), ("b", "one")):
        for dtype in ("f16", "f32", "i8"):
            case = Case([mark], dtype=dtype)
            case.nodeid = f"tests/{folder}/test.py::test_{family}[{dtype}]"
            items.append(case)
    leave_to_the_sweep(items)
    left = [item.nodeid for item in items if "slow" in item.marks]
    assert left == [f"tests/a/test.py::test_other[{dtype}]" for dtype in ("f32", "i8")]


def test_a_dtype_by_numpys_name_is_the_same_as_by_ours():
    mark = pytest.mark.every(4).mark
    items = [Case([mark], dtype=dtype) for dtype in ("f16", "i8", np.int8, np.float16, np.float32)]
    assert [case["dtype"] for case in all_kept(items)] == ["f16", "i8", np.float32]


def test_cases_without_a_mark_run_on_one_device_each():
    items = [Case([], device=device, kind=kind) for device in ("numpy", "cpu", "vectors") for kind in "abcd"]
    found = all_kept(items)
    assert [case["kind"] for case in found if case["device"] == "numpy"] == [*"abcd"]
    built = [case for case in found if case["device"] != "numpy"]
    assert sorted(case["kind"] for case in built) == [*"abcd"] and len({case["device"] for case in built}) == 2


def test_a_test_of_simulated_gpus_alone_keeps_a_case():
    simulated = pytest.mark.simulated
    alone, beside = (cases(simulated, ("sim:pvc", "sim:bmg")) for _ in range(2))
    beside += cases(pytest.mark.device, ("cpu",))
    for item in beside:
        item.nodeid = f"test.py::test_beside[{item.callspec.params}]"
    assert len(without_another(alone + beside, {*alone, *beside})) == 1
    assert not without_another(alone + beside, {*alone[1:], *beside})
    slow = cases(simulated, ("sim:pvc",), pytest.mark.slow)
    assert not without_another(slow, {*slow})
