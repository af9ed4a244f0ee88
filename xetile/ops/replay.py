"""Calls of the library's functions that are like earlier ones: what these launched is launched again, on the new arrays.

What a function works out of its arguments (views, tiles, constants, the kernel and its grid) follows from dtypes, shapes, strides and
numbers, and takes longer than a small kernel: of a call alike twice a record is made, which the next ones follow. Of other calls there is
none: those that do anything else with arrays than to view, check, allocate and launch, or with arrays that share memory without being
one, on devices other than a CPU's vectors, and while hooks watch launches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from itertools import combinations
from operator import itemgetter
from threading import Lock
from typing import Any

import numpy as np

from xetile.dtypes import DType
from xetile.ops.arguments import Check, allocations, checks, on_vectors
from xetile.runtime import hooks
from xetile.runtime.artifact import written_parameters
from xetile.runtime.devices import current_device
from xetile.runtime.fingerprint import exact
from xetile.runtime.plan import Call, launches
from xetile.runtime.told import told

KEPT = 1024  # records and counts of each function
CALLS_BEFORE = 2  # alike, until one is recorded
PLAIN = frozenset({int, bool, str, type(None), type, DType})
Part = tuple[int, Any]


_recording = Lock()
"""One at a time: the hook of one thread that is done must not be missed by another one that is not."""


class _OtherError(Exception):
    """A call that does more than a record can say."""


def replayed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function. All that it does with host arrays must be views of them, checks by `arguments.check_elements`, allocations by
    `arguments.new`, and launches.
    """
    known: dict[Any, Record | int | None] = {}
    again = told(Record.run)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if hooks.launching or not on_vectors() or allocations.get() is not None:
            return function(*args, **kwargs)
        arrays: list[Any] = []
        key = _key(args, kwargs, arrays)
        found = known.get(key, 0) if key is not None else None
        if found is None:
            return function(*args, **kwargs)
        if found.__class__ is Record:
            result = again(found, arrays)
            if result is not None:
                return result
        elif found < CALLS_BEFORE:  # type: ignore[operator]
            if len(known) >= KEPT:
                known.clear()
            known[key] = found + 1  # type: ignore[operator]
        elif not _shares_memory(arrays) and _recording.acquire(blocking=False):
            try:
                result, known[key] = _recorded(function, args, kwargs, arrays)
            finally:
                _recording.release()
            return result
        return function(*args, **kwargs)

    return call


def _key(args: Sequence[Any], kwargs: Mapping[str, Any], arrays: list[Any]) -> Any:
    """What a call is like; None of calls with arguments of other kinds. `arrays` gets those among the arguments, each of them once."""
    parts: list[Any] = [id(current_device()), *kwargs]
    for value in (*args, *kwargs.values()) if kwargs else args:
        kind = value.__class__
        if kind is np.ndarray:
            for at, other in enumerate(arrays):
                if other is value:
                    parts += (None, at)
                    break
            else:
                parts += (value.dtype, value.shape, value.strides)
                arrays.append(value)
        elif kind in PLAIN:
            parts += (kind, value)
        elif kind is float or (kind is tuple and all(type(n) is int for n in value)):
            parts.append(exact(value))
        else:
            return None
    return tuple(parts) if arrays else None


def _shares_memory(arrays: Sequence[Any]) -> bool:
    return any(np.may_share_memory(a, b) for a, b in combinations(arrays, 2))


def _recorded(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any],
              arrays: Sequence[Any]) -> tuple[Any, Record | None]:  # fmt: skip
    """The function's result, and a record of what it did where there can be one."""
    made: list[tuple[Any, Any]] = []
    calls: list[Call] = []
    asked: list[tuple[Check, Any, tuple[Any, ...]]] = []
    before = allocations.set(made), launches.set(calls), checks.set(asked)
    try:
        with hooks.added(before_launch=_watched):  # no call goes around the general way, which notes it
            result = function(*args, **kwargs)
    finally:
        allocations.reset(before[0])
        launches.reset(before[1])
        checks.reset(before[2])
    try:
        return result, Record(arrays, asked, made, calls, result)
    except _OtherError:
        return result, None


def _watched(event: hooks.LaunchEvent) -> None:
    """Nothing."""


class Record:
    """Checks, allocations, launches and results of a call, arrays as views of arguments or of what is allocated."""

    def __init__(self, arrays: Sequence[Any], asked: Sequence[tuple[Check, Any, tuple[Any, ...]]], made: Sequence[tuple[Any, Any]],
                 calls: Sequence[Call], result: Any) -> None:  # fmt: skip
        self.device = current_device()  # the key has its id
        self.made = [(array.shape, array.dtype, fill) for array, fill in made]
        owners = [*arrays, *(array for array, _ in made)]
        if not calls or not all(owner.size for owner in owners):
            raise _OtherError
        self.checks = [(check, [_part(found, arrays)], facts) for check, found, facts in asked]
        self.calls: list[tuple[Callable[[Sequence[Any]], Any], Callable[[Sequence[Any]], Sequence[Any]]]] = []
        self.guards = [call.seen.unchanged for call in calls if call.seen.unchanged is not None]
        written: set[int] = set()
        for call in calls:
            if call.copies or call.queue is not None or call.device is not self.device:
                raise _OtherError
            parts = dict(zip(call.loaded.artifact.parameters, (_part(value, owners) for value in call.args)))
            written |= {parts[name][0] for name in written_parameters(call.loaded.artifact) if name in parts}
            self.calls.append((call.loaded.alike(call.grid), _taken(list(parts.values()))))
        self.several = isinstance(result, tuple)
        self.results = [_part(value, owners) for value in (result if self.several else (result,))]
        self.result = self.results[0][0] if not self.several and self.results[0][1] is None else None
        # What is given back or was allocated, and no launch has written, the function wrote itself, or a launch went unnoticed.
        allocated = (len(arrays) + i for i, (_, fill) in enumerate(made) if fill is None)
        if not written.issuperset((*allocated, *(at for at, _ in self.results))):
            raise _OtherError
        self.outputs = [at for at in written if at < len(arrays)]

    def run(self, arrays: list[Any]) -> Any:
        """Do the same with other arrays; gives None, and does nothing, where it would not be the same."""
        if self.outputs and not all(self._may_write(arrays, at) for at in self.outputs):
            return None
        if self.guards and not all(guard() for guard in self.guards):
            return None
        for check, part, facts in self.checks:
            check(*_seen(arrays, part), *facts)
        for shape, dtype, fill in self.made:
            arrays.append(np.empty(shape, dtype) if fill is None else np.full(shape, fill, dtype))
        for launch, taken in self.calls:
            launch(taken(arrays))
        if self.result is not None:
            return arrays[self.result]
        results = tuple(_seen(arrays, self.results))
        return results if self.several else results[0]

    def _may_write(self, arrays: Sequence[Any], at: int) -> bool:
        out = arrays[at]
        return out.flags.writeable and not any(np.may_share_memory(out, other) for i, other in enumerate(arrays) if i != at)


def _part(value: Any, owners: Sequence[Any]) -> Part:
    """An argument of a launch: which array it is a view of, and what view; -1 and a number."""
    if type(value) is not np.ndarray:
        if not isinstance(value, int | float | np.generic):
            raise _OtherError
        return -1, value
    found = [at for at, owner in enumerate(owners) if np.may_share_memory(value, owner)]
    if len(found) != 1:
        raise _OtherError
    owner, start = owners[found[0]], value.ctypes.data - owners[found[0]].ctypes.data
    if start == 0 and (value.shape, value.strides, value.dtype) == (owner.shape, owner.strides, owner.dtype):
        return found[0], None
    if not owner.flags.c_contiguous:
        raise _OtherError
    return found[0], (value.shape, value.dtype, start, value.strides)


def _taken(parts: Sequence[Part]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """What gives a launch its arguments."""
    if len(parts) > 1 and all(view is None for _, view in parts):
        return itemgetter(*(at for at, _ in parts))
    return lambda arrays: tuple(_seen(arrays, parts))


def _seen(arrays: Sequence[Any], parts: Sequence[Part]) -> Iterator[Any]:
    for at, view in parts:
        if view is None:
            yield arrays[at]
        elif at < 0:
            yield view
        else:
            shape, dtype, start, strides = view
            yield np.ndarray(shape, dtype, arrays[at], start, strides)
