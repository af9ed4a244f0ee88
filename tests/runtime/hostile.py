"""Documents as an enemy or a broken disk would leave them: every field replaced by what does not belong there."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

CODE = "0] if open('PWNED', 'w') else (0,)[0"

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 7, 2**31, 2**63, -(2**63) - 1, 10**30, 0.5, -0.0, 1e308, float("inf"), float("nan"),
    "", "0", "?", CODE, "__import__('os').system('touch PWNED')", "A", "dim", "f16", "x" * 100_000, "\x00", "\ud800", "../../x",
    "%n%s", [], [[]], {}, [CODE], {"a": CODE}, [None] * 50, [[[[[[[[]]]]]]]],
)  # fmt: skip


def paths(document: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where anything stands in a document, the document itself included."""
    yield at
    items = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in items:
        yield from paths(value, (*at, key))


def mutated(document: Any, path: tuple[Any, ...], chance: random.Random) -> Any:
    """A copy in which what stands at `path` is replaced, removed, doubled, renamed or joined by something else."""
    changed = copy.deepcopy(document)
    if not path:
        return chance.choice(VALUES)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    key, how = path[-1], chance.random()
    if how < 0.7:
        holder[key] = chance.choice(VALUES)
    elif how < 0.8:
        del holder[key]
    elif isinstance(holder, list):
        holder.insert(key, chance.choice((copy.deepcopy(holder[key]), *VALUES)))
    else:
        holder[chance.choice((CODE, "extra", "", key.upper()))] = holder[key]
    return changed


def mutations(document: Any, each: int, seed: int = 0) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every place of a document with `each` mutations of it."""
    chance = random.Random(seed)
    document = json.loads(json.dumps(document))
    for path in list(paths(document)):
        for _ in range(each):
            yield path, mutated(document, path, chance)
