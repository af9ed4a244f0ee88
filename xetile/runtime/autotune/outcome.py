"""What becomes of candidates: outcomes, how they are shown, kept on disk, and told right from wrong."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from xetile import schema
from xetile.records import dataclass
from xetile.runtime import cache, fingerprint, loading

if TYPE_CHECKING:
    from xetile.runtime.autotune.candidates import Config, Tuned
    from xetile.runtime.plan import LaunchPlan

# Largest difference over the largest magnitude, by output dtype: sums in another order differ by that much.
TOLERANCE = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2, "bfloat16": 2e-2}


STATUSES = ("ok", "refused", "pruned", "wrong", "crashed", "hung", "budget")
_SECONDS = schema.number(0, 1e9)


@dataclass(frozen=True)
class Outcome:
    """What became of a candidate.

    status   "ok", or why it was left out: "refused" (by the compiler or the driver), "pruned" (by the model), "wrong", "crashed",
             "hung", "budget" (not started).
    seconds  median of the timings, of one launch; low and high their 20th and 80th percentile.  None where it was left out.
    known    it came from an earlier run.
    """

    config: Config
    status: str
    seconds: float | None = None
    low: float = 0.0
    high: float = 0.0
    reason: str = ""
    known: bool = False


def table(outcomes: Sequence[Outcome]) -> str:
    """Outcomes as text, best first, then those left out with the reason."""
    lines = []
    for outcome in sorted(outcomes, key=lambda o: (o.seconds is None, o.seconds or 0.0)):
        if outcome.seconds is not None:
            spread = f"{shown_time(outcome.low)} to {shown_time(outcome.high)}"
            lines.append(f"{shown_time(outcome.seconds):>10}  {outcome.config}  ({spread}{', known' if outcome.known else ''})")
        else:
            lines.append(f"{outcome.status:>10}  {outcome.config}  {outcome.reason.splitlines()[0] if outcome.reason else ''}")
    return "\n".join(lines)


def shown_time(seconds: float) -> str:
    """A time as people read it."""
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.3f} ms"
    return f"{seconds * 1e6:.1f} us" if seconds >= 1e-6 else f"{seconds * 1e9:.1f} ns"


def compare(given: Any, wanted: Any, tolerance: float | None) -> str:
    """How an array differs from the expected one, beyond the tolerance; empty where it does not."""
    given, wanted = np.asarray(given), np.asarray(wanted)
    if given.shape != wanted.shape:
        return f"has shape {given.shape}, not {wanted.shape}"
    if given.size == 0:
        return ""
    if given.dtype.kind in "iub":
        count = int(np.count_nonzero(given != wanted))
        return f"differs in {count} of {given.size} elements" if count else ""
    a, b = given.astype(np.float64), wanted.astype(np.float64)
    odd = ~np.isfinite(b)
    if not np.array_equal(a[odd], b[odd], equal_nan=True) or not np.isfinite(a[~odd]).all():
        return "has infinities or NaN in other places, or was not written everywhere"
    scale = float(np.abs(b[~odd]).max(initial=0.0)) or 1.0
    error = float(np.abs(a[~odd] - b[~odd]).max(initial=0.0)) / scale
    limit = TOLERANCE.get(given.dtype.name, 5e-2) if tolerance is None else tolerance
    return f"differs by {error:.1e} of its largest magnitude; {limit:.1e} is allowed" if error > limit else ""


def named(tuned: Tuned) -> str:
    """A kernel's module and name: what its results are found by."""
    return f"{tuned.fn.__module__}.{tuned.fn.__qualname__}"


class Store:
    """Outcomes on disk: one entry for each candidate, under device, driver, kernel, specialisation and key.

    What a model left out is kept under the model, how many it kept and all candidates too: each of these may change its choice.
    A model of the user's own may change without a trace, so that its choice is not kept.
    """

    def __init__(self, tuned: Tuned, plan: LaunchPlan, key: str) -> None:
        from xetile import __version__

        try:
            constants = {n: v for n, v in plan.constants.items() if n not in tuned.tuned}
            code, fixed = fingerprint.of_function(tuned.fn, constants), fingerprint.of_constants(constants)
        except fingerprint.Unknown:
            self._parts: list[Any] | None = None
            return
        how = tuned.how
        self._choice = [how.model, how.keep, sorted(map(repr, tuned.configs))] if isinstance(how.model, str) else None
        kinds = [f"{name}: {kind}" for name, kind in plan.special.types]
        self._name = named(tuned)
        self._parts = [__version__, code, fixed, kinds, *loading.device_identity(plan.device), plan.special.target, key]

    def _key(self, config: Config, pruned: bool = False) -> str:
        parts = [*self._parts, self._choice] if pruned and self._parts is not None else self._parts
        return hashlib.sha256(json.dumps([parts, repr(config)]).encode()).hexdigest()

    def get(self, config: Config) -> Outcome | None:
        if self._parts is None:
            return None
        found = self._read(config, self._key(config))
        if found is None and self._choice is not None:
            found = self._read(config, self._key(config, pruned=True))
        return found

    def _read(self, config: Config, key: str) -> Outcome | None:
        contents = cache.get("tuning", key)
        if contents is None:
            return None
        try:
            found = ENTRY(schema.parse_json(contents, "the entry"), "the entry")
        except schema.SchemaError as error:
            cache.damaged("tuning", key, str(error))
            return None
        return Outcome(config, found["status"], found["seconds"], found["low"], found["high"], found["reason"], known=True)

    def put(self, outcome: Outcome) -> None:
        pruned = outcome.status == "pruned"
        if self._parts is None or (pruned and self._choice is None):
            return
        fields = {name: getattr(outcome, name) for name in ("status", "seconds", "low", "high", "reason")}
        fields |= {"config": repr(outcome.config), "about": [self._name, *[str(part) for part in self._parts[2:]]]}
        cache.put("tuning", self._key(outcome.config, pruned), json.dumps(fields).encode())


def _entry(**found: Any) -> dict[str, Any]:
    if (found["status"] == "ok") != (found["seconds"] is not None):
        raise schema.refuse(found["seconds"], "the entry.seconds", f"what a candidate has that is {found['status']}")
    return found


ENTRY: schema.Reader[dict[str, Any]] = schema.record(
    _entry,
    status=schema.one_of(*STATUSES),
    seconds=schema.optional(_SECONDS),
    low=_SECONDS,
    high=_SECONDS,
    reason=schema.text(most=1 << 19),
    config=schema.text(most=1 << 16),
    about=schema.many(schema.text(most=1 << 20), 100),
)
"""What an entry of the cache's kind "tuning" holds: an outcome, and for people of what."""
