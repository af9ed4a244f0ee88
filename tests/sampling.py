"""Which cases of a test with many run by default; the others are `slow`, and run by --sweep.

@pytest.mark.covering      so many that each value of each parameter is seen, and each device
@pytest.mark.covering(2)   each pair of values of two parameters
@pytest.mark.every(3)      each third case
@pytest.mark.every(3, 1)   the same from case 1 on, so that tests of one kind share out their cases
both                       each third of the cases that `covering` chooses
neither                    each case, on one device

Devices take turns: a value is seen on the GPU's module or on the CPU's own code.  The marks are for cases that take the same way
through the compiler, which differ in a dtype, a size or a map.  On numpy, where nothing is built, all run.  A dtype, a target or a
level that cases of a folder have as a parameter, and none of the chosen ones, brings a case back.  What is chosen depends on the
cases' parameters alone.

@few(5)                    of a property whose examples build kernels: a fifth of --hypothesis-examples; all of them are a slow
                           test beside it
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import settings

from xetile.dtypes import DTYPES, DType
from xetile.passes.pipeline import LEVELS
from xetile.target.names import KNOWN

OURS = {
    np.dtype(f"{kind}{bits // 8}").name: f"{kind}{bits}" for kind in "iuf" for bits in (8, 16, 32, 64) if (kind, bits) != ("f", 8)
}
"""Our names of dtypes by numpy's: a case by either shows the dtype."""
NAMES = frozenset({*DTYPES, *KNOWN, *LEVELS})
"""Dtypes, targets and levels: what each folder shows by default, where its cases are named by it."""

Value = tuple[str, Any]
"""A parameter and one of its values."""


def few(one_in: int, **others: Any) -> settings:
    """A share of the examples that a property is run with."""
    return settings(max_examples=max(1, settings.default.max_examples // one_in), **others)


def leave_to_the_sweep(items: Iterable[pytest.Item]) -> None:
    """Mark as slow what the markers above leave out.  Simulated cases have a share of their own (--simulated)."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not item.get_closest_marker("slow") and not item.get_closest_marker("simulated"):
            tests.setdefault(item.nodeid.split("[")[0], []).append(item)
    chosen, left = [], []
    for cases in tests.values():
        found = set(_chosen(cases))
        chosen += [item for item in cases if item in found]
        left += [item for item in cases if item not in found]
    kept = _bring_back(chosen, left)
    for item in left:
        if item not in kept:
            item.add_marker(pytest.mark.slow)


def without_another(items: Iterable[pytest.Item], left_out: set[pytest.Item]) -> set[pytest.Item]:
    """Of each test that runs on simulated GPUs alone, and of which all was left out, one case that is not slow."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        tests.setdefault(item.nodeid.split("[")[0], []).append(item)
    found = set()
    for name, cases in tests.items():
        if left_out.issuperset(cases) and all(item.get_closest_marker("simulated") for item in cases):
            fast = [item for item in cases if not item.get_closest_marker("slow")]
            found |= {fast[crc32(name.encode()) % len(fast)]} if fast else set()
    return found


def _bring_back(chosen: Iterable[pytest.Item], left: Sequence[pytest.Item]) -> set[pytest.Item]:
    """Of the cases that were left out those that name most of what no chosen case of their folder names."""
    seen: dict[str, set[str]] = {}
    for item in chosen:
        if _device(item) != "numpy":
            seen.setdefault(_folder(item), set()).update(_named(item))
    kept = set()
    for item in sorted(left, key=lambda item: -len(_named(item) - seen.get(_folder(item), set()))):
        shown = seen.setdefault(_folder(item), set())
        if not _named(item) <= shown:
            shown |= _named(item)
            kept.add(item)
    return kept


def _folder(item: pytest.Item) -> str:
    return item.nodeid.split("::")[0].rpartition("/")[0]


def _named(item: pytest.Item) -> frozenset[str]:
    """The parameters of a case that are a dtype, a target or a level."""
    params = _case(item).params.values() if hasattr(item, "callspec") else ()
    names = (str(getattr(v, "__name__", v)) for v in params if isinstance(v, (str, type, DType)))
    return NAMES.intersection(OURS.get(name, name) for name in names)


def _chosen(cases: Sequence[pytest.Item]) -> Iterable[pytest.Item]:
    every, cover = (cases[0].get_closest_marker(name) for name in ("every", "covering"))
    found = [item for item in cases if _device(item) == "numpy"]
    built = [item for item in cases if _device(item) != "numpy"]
    if not built:
        return found
    if every is None and cover is None:
        return found + _one_device_each(built)
    if cover is not None:
        built = _cover(built, *cover.args)
    return found + (_turns(built, *every.args) if every else built)


def _one_device_each(cases: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Each case on one of its devices, in turn; another test begins with another device."""
    places: dict[Any, list[pytest.Item]] = {}
    for number, item in enumerate(cases):
        place = (number,) if not _device(item) else tuple(id(v) for name, v in _case(item).params.items() if name != "device")
        places.setdefault(place, []).append(item)
    first = crc32(cases[0].nodeid.split("[")[0].encode())
    return [devices[(first + place) % len(devices)] for place, devices in enumerate(places.values())]


def _turns(cases: Sequence[pytest.Item], n: int, first: int = 0) -> list[pytest.Item]:
    """Each n-th case from the `first` on, on one device after the other."""
    by_device: dict[str, list[pytest.Item]] = {}
    for item in cases:
        by_device.setdefault(_device(item), []).append(item)
    step = n * len(by_device)
    return [item for number, own in enumerate(by_device.values()) for item in own[min(first + number * n, len(own) - 1) :: step]]


def _case(item: pytest.Item) -> Any:
    return item.callspec  # type: ignore[attr-defined]


def _device(item: pytest.Item) -> str:
    return str(_case(item).params.get("device", "")) if hasattr(item, "callspec") else ""


def _cover(cases: Sequence[pytest.Item], strength: int = 1) -> list[pytest.Item]:
    """Again and again the case that shows most that was not seen, and what was seen least."""
    shown = {item: frozenset(combinations(_values(item), strength)) | {(("device", _device(item)),)} for item in cases}
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
