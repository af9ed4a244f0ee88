"""Which cases of a test with many run by default; the others are `slow`, and run by --sweep.

@pytest.mark.covering      so many that each value of each parameter is seen, by each device with other values of the others
@pytest.mark.covering(2)   each pair of values of two parameters
@pytest.mark.every(3)      each third case, by each device another third

They are for cases that take the same way through the compiler, which differ in a dtype, a size or a map.  On numpy, where nothing is
built, all run.  What is chosen depends on the cases' parameters alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from typing import Any

import pytest

Value = tuple[str, Any]
"""A parameter and one of its values."""


def leave_to_the_sweep(items: Iterable[pytest.Item]) -> None:
    """Mark as slow what the markers above leave out.  Simulated cases have a share of their own (--simulated)."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not item.get_closest_marker("slow") and not item.get_closest_marker("simulated"):
            tests.setdefault(item.nodeid.split("[")[0], []).append(item)
    for cases in tests.values():
        for item in set(cases).difference(_chosen(cases)):
            item.add_marker(pytest.mark.slow)


def _chosen(cases: Sequence[pytest.Item]) -> Iterable[pytest.Item]:
    every, cover = (cases[0].get_closest_marker(name) for name in ("every", "covering"))
    if every is None and cover is None:
        return cases
    by_device: dict[str, list[pytest.Item]] = {}
    for item in cases:
        by_device.setdefault(_case(item).params.get("device", ""), []).append(item)
    found = by_device.pop("numpy", [])
    for number, own in enumerate(by_device.values()):
        found += own[number % every.args[0] :: every.args[0]] if every else _cover(own, number, *cover.args)
    return found


def _case(item: pytest.Item) -> Any:
    return item.callspec  # type: ignore[attr-defined]


def _cover(cases: Sequence[pytest.Item], number: int, strength: int = 1) -> list[pytest.Item]:
    """Again and again the case that shows most that was not seen, and what was seen least; `number` turns the order: devices differ."""
    start = len(cases) * number // 3 % len(cases)
    shown = {item: frozenset(combinations(_values(item), strength)) for item in (*cases[start:], *cases[:start])}
    left, seen = set().union(*shown.values()), Counter[Any]()
    found = []
    while left:
        best = max(shown, key=lambda item: (len(shown[item] & left), -sum(seen[value] for value in shown[item])))
        found.append(best)
        left -= shown[best]
        seen.update(shown.pop(best))
    return found


def _values(item: pytest.Item) -> list[Value]:
    given = sorted(_case(item).params.items())
    return [(name, value if isinstance(value, Hashable) else id(value)) for name, value in given if name != "device"]
