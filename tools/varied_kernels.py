"""Kernels of the tests in other sizes, types and numbers of subgroups, as strangers write them: cases for `tools/check_estimate.py`."""

from __future__ import annotations

import inspect
import random
from collections.abc import Iterator
from dataclasses import replace

from compared_kernels import Case, cases

from xetile.language.static import is_constexpr

SIZES = range(8, 513, 8)
"""Constants that are taken for sizes of tiles."""
SUBGROUPS = (1, 2, 4, 8, 16, 32)
TYPES = (("f16", "bf16"), ("f16", "f32"), ("f32", "f16"), ("bf16", "f16"), ("f8e4m3", "f8e5m2"), ("i8", "u8"))
CHANGES = (1, 1, 2, 2, 3)
"""How many things are changed, each as likely as the others."""


def varied(seed: int, number: int) -> Iterator[Case]:
    """So many cases, each once; the compiler may refuse some."""
    rng, known = random.Random(seed), [case for case in cases() if "kernels/plain_" in case.name]
    seen: set[str] = set()
    while len(seen) < number:
        case = _changed(rng.choice(known), rng)
        if case.name not in seen:
            seen.add(case.name)
            yield case


def _changed(case: Case, rng: random.Random) -> Case:
    types, constants, num_subgroups = list(case.types), dict(case.constants), case.num_subgroups
    sizes = _sizes(case)
    for _ in range(rng.choice(CHANGES)):
        what = rng.choice(("size", "size", "size", "subgroups", "type"))
        if what == "size" and sizes:
            name = rng.choice([*sizes])
            size = sizes[name]
            constants[name] = rng.choice(
                [n for n in (size // 2, size * 2, size * 2, size * 3 // 2, size * 4) if n in SIZES] or [size]
            )
        elif what == "subgroups":
            num_subgroups = rng.choice(SUBGROUPS)
        elif what == "type":
            before, after = rng.choice(TYPES)
            types = [text.replace(f"{before}[", f"{after}[") for text in types]
    said = [f"{name}={value}" for name, value in constants.items() if name in sizes]
    said += [f"num_subgroups={num_subgroups}"] if num_subgroups is not None else []
    file = case.name.partition(" ")[0]
    name = f"{file} {' '.join(types)} {' '.join(said)}".strip()
    return replace(case, name=name, types=tuple(types), constants=constants, num_subgroups=num_subgroups)


def _sizes(case: Case) -> dict[str, int]:
    """The constants of a case that may be sizes, with those that it takes from the kernel's defaults."""
    found = {
        name: parameter.default
        for name, parameter in inspect.signature(case.kernel.fn).parameters.items()
        if is_constexpr(parameter.annotation)
    }
    return {name: value for name, value in {**found, **case.constants}.items() if type(value) is int and value in SIZES}
