"""Calls like the last one: Python code made for one pattern of arguments, so that a warm call inspects nothing but its key.

A pattern is the types of the positional arguments and the names and types of the others.  The code for it allocates the outputs,
looks the call up by dtypes, shapes, strides, constants and device, applies the grid rule, and launches.  Whatever it does not
know it leaves to the general way by returning MISS: a new key, arguments that may overlap, a rule that fails, hooks.

Measured by `python -m xetile benchmarks launch` on 2 cores of an AMD EPYC (CPU runtime, pyopencl 2026.1): 3 device arrays and 3 scalars
3.1 us more than pyopencl's own enqueue (1.3 us), bound 0.2 us; a call on numpy arrays that allocates its output 8 us.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from xetile.index_ranges import Budget
from xetile.language.ambient import allocator
from xetile.requirements import Requirements
from xetile.runtime import hooks
from xetile.runtime.arrays import is_device_array
from xetile.runtime.devices import current_device
from xetile.runtime.fingerprint import exact
from xetile.runtime.head import OPTIONS, Head, three
from xetile.runtime.queues import allocate_like, native
from xetile.runtime.scalars import F32_LIMIT, problem

MISS = object()
Guard = Callable[[], bool]
Blocked = Callable[..., bool]
KEYS_KEPT = 4096
MARK = "_xetile_part"
Pattern = tuple[Any, ...]
# Constants of these types are equal only when they mean the same.
EXACT = (int, str, bool)


def pattern_of(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Pattern:
    """What the code of a call depends on."""
    if not kwargs:
        return tuple(map(type, args))
    return *map(type, args), tuple(kwargs), *map(type, kwargs.values())


@dataclass
class FastPath:
    """The code for one pattern: `call(grid, *args, **kwargs)`, and `key` of the same arguments, which tells `known` calls.

    `again(grid, *args, **kwargs)` looks itself whether its `count` arguments and those of the `names` are of the pattern's types: for
    a kernel that is called alike again.
    """

    call: Callable[..., Any]
    again: Callable[..., Any]
    count: int
    names: tuple[str, ...]
    key: Callable[..., Any]
    blocked: Callable[[frozenset[str], frozenset[str], Budget | None, Requirements | None, Guard | None], Blocked]
    known: dict[Any, tuple[Any, ...]] = field(default_factory=dict)

    def remember(self, key: Any, launch: Callable[..., Any], blocked: Blocked, budget: Budget | None, keep: Any) -> None:
        """From now on launch calls of that key so, unless they are blocked or have no budget.

        `keep` lives as long: ids of it are in the key.
        """
        if len(self.known) >= KEYS_KEPT:
            self.known.clear()
        self.known[key] = (launch, blocked, budget and budget.grid, keep)


def is_part(buffer: Any) -> bool:
    """Whether a buffer is a part of another one; noted on it, for it stays what it was made as and asking OpenCL takes as long as
    looking a call up.  Raises AttributeError for memory that is no buffer.
    """
    part = buffer.associated_memobject is not None
    with suppress(AttributeError, TypeError):  # a pyopencl whose buffers take no attributes
        setattr(buffer, MARK, part)
    return part


def generate(head: Head, values: Mapping[str, Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> FastPath | None:
    """The code for calls like this one, with `values` of arguments and constants; None where calls of this kind always take the general way.

    Those are calls with arrays of several kinds, of subclasses, or without arrays.
    """
    given = {name: type(value) for name, value in (*zip(head.order, args, strict=False), *kwargs.items())}
    arrays = [n for n in head.parameters if isinstance(values.get(n), np.ndarray) or is_device_array(values.get(n))]
    kinds = {given.get(n, type(values[n])) for n in arrays}
    if len(kinds) != 1 or not (kinds == {np.ndarray} or all(k.__module__ == "pyopencl.array" for k in kinds)):
        return None
    if any(given.get(n) is type(None) for n in head.out):
        return None
    if any(n in arrays and n not in given and n not in head.out for n in head.parameters):
        return None
    present = tuple(n for n in head.parameters if values.get(n) is not None)
    writer = _Writer(head, present, given, arrays, kinds.pop(), {**head.defaults, **{n: values[n] for n in head.constants}})
    known: dict[Any, tuple[Any, ...]] = {}
    writer.scope |= {"known": known, "recent": [(None, None)]}
    scope = writer.scope
    exec(compile(writer.source(len(args)), f"<xetile call of {head.name}>", "exec"), scope)  # noqa: S102
    return FastPath(scope["call"], scope["again"], len(args), tuple(kwargs), scope["key"], writer.blocked, known)


class _Writer:
    def __init__(
        self,
        head: Head,
        present: tuple[str, ...],
        kinds: Mapping[str, type],
        arrays: list[str],
        kind: type,
        defaults: Mapping[str, Any],
    ) -> None:
        self.present = present  # arguments that are None are constants
        self.head, self.given, self.arrays, self.kinds, self.defaults = head, tuple(kinds), arrays, kinds, defaults
        self.on_host = kind is np.ndarray
        self.allocated = [n for n in head.out if n not in kinds]
        self.scope: dict[str, Any] = {
            "MISS": MISS, "hooks": hooks, "device": current_device, "exact": exact, "three": three, "native": native,
            "allocator": allocator, "allocate_like": allocate_like, "kind": kind,
        }  # fmt: skip
        for name in head.order:
            if name not in kinds and name not in head.out:
                self.scope[f"default_{name}"] = defaults.get(name)

    def source(self, positional: int) -> str:
        heads = [*self.given[:positional], *(["*"] if len(self.given) > positional else []), *self.given[positional:]]
        arguments = ", ".join(["grid", *heads])
        key = f"({', '.join(self._key())},)"
        lines = [
            f"def key({', '.join([*heads[:positional], *[f'{n}=None' for n in self.allocated], *heads[positional:]])}):",
            f"    return {key}",
            *self._call(f"call({arguments})", key),
        ]
        tests = " and ".join(f"{name}.__class__ is type_{name}" for name in self.given)
        self.scope |= {f"type_{name}": kind for name, kind in self.kinds.items()}
        lines += self._call(f"again({arguments})", key, f"    if not ({tests}): return MISS")
        return "\n".join(lines) + "\n"

    def _call(self, head: str, key: str, *first: str) -> list[str]:
        outputs = ", ".join(self.allocated)
        passed = "".join(f"{name}, " for name in map(self._value, self.present))
        return [
            f"def {head}:",
            *first,
            "    if hooks.launching: return MISS",
            *self._allocation(),
            *self._look_up(key),
            "    launch, blocked, most, keep = found",
            f"    try:\n        if blocked({', '.join([*self.arrays, *self._scalars()])}): return MISS",
            "    except Exception: return MISS",
            *self._grid(),
            "    if most is not None and (grid[0] > most[0] or grid[1] > most[1] or grid[2] > most[2]): return MISS",
            f"    event = launch(grid, ({passed}), queue={self._queue()})",
            f"    return {outputs or 'event'}",
        ]

    def _look_up(self, key: str) -> list[str]:
        """Most calls are like the one before: comparing two keys, whose parts are the same objects, is less than hashing one."""
        find = ["try: found = known.get(key)", "except TypeError: return MISS", "if found is None: return MISS"]
        if "exact(" in key:  # what constants of any type are equal to is theirs to say: then their hashes must agree, too
            return [f"    key = {key}", *(f"    {line}" for line in find)]
        return [
            f"    key = {key}",
            "    before, found = recent[0]",
            "    if key != before:",
            *(f"        {line}" for line in find),
            "        recent[0] = key, found",  # one object, so that another thread never sees half of it
        ]

    def _value(self, name: str) -> str:
        return name if name in self.given or name in self.head.out else f"default_{name}"

    def _queue(self) -> str:
        return "native(queue)" if "queue" in self.given else "None"

    def _key(self) -> list[str]:
        parts = ["id(device())"]
        for name in self.arrays:
            parts += [f"{name}.dtype", f"{name}.shape", f"{name}.strides"]
            if not self.on_host:
                parts.append(f"type({name}.base_data)")
        if not self.on_host:
            parts.append(f"{self.arrays[0]}.context")
        for name in self.given:
            if name not in self.arrays and name != "queue":
                parts.append(self._scalar_key(name))
        return parts

    def _scalar_key(self, name: str) -> str:
        """Constants and options by value; of a number at run time all but an int's size is in its type."""
        kind = self.kinds[name]
        if name in self.head.constants or name in OPTIONS:
            return name if kind in EXACT else f"exact({name})"
        return f"-2147483648 <= {name} < 2147483648" if issubclass(kind, int) and kind is not bool else "0"

    def _allocation(self) -> list[str]:
        if not self.allocated:
            return []
        lines = []
        for name in self.allocated:
            rule = self.head.out[name]
            self.scope[f"out_{name}"] = rule
            lines.append(f"{name} = out_{name}({', '.join(map(self._value, self.head.rule_names[rule]))})")
        check = f"if not ({' and '.join(f'type({n}) is kind' for n in self.allocated)}): return MISS"
        guarded = ["    try:", *(f"        {line}" for line in lines), "    except Exception: return MISS"]
        if self.on_host:
            return [*guarded, f"    {check}"]
        like = next(n for n in self.arrays if n in self.given)
        return [f"    token = allocator.set(allocate_like({like}, {self._queue()}))", *guarded,
                "    finally: allocator.reset(token)", f"    {check}"]  # fmt: skip

    def _grid(self) -> list[str]:
        rule = self.head.grid
        lines = []
        if callable(rule):
            self.scope["grid_rule"] = rule
            lines += [
                "    if grid is None:",
                f"        try: grid = grid_rule({', '.join(map(self._value, self.head.rule_names[rule]))})",
                "        except Exception: return MISS",
            ]
        else:
            self.scope["grid_given"] = rule
            lines += ["    if grid is None: grid = grid_given"]
        return [*lines, "    grid = three(grid)", "    if grid is None: return MISS"]

    def _scalars(self) -> list[str]:
        """Numbers that are given at run time."""
        return [name for name in self.given if name in self.present and name not in self.arrays]

    def blocked(self, written: frozenset[str], single: frozenset[str], budget: Budget | None, required: Requirements | None,
                unchanged: Guard | None) -> Blocked:  # fmt: skip
        """Whether an array that is written may share memory with another one, or must not be written, or a number is too large for
        the kernel's index arithmetic or for its type (those of `single` are f32), or something that the kernel sees has changed:
        then look closer.
        """
        given = [n for n in self.arrays if n not in self.allocated]
        pairs = {frozenset((w, n)) for w in written & set(given) for n in given if n != w}
        share = "may_share({0}, {1})" if self.on_host else "{0}.base_data is {1}.base_data"
        tests = [share.format(*sorted(pair)) for pair in sorted(pairs, key=sorted)]
        if self.on_host:
            tests += [f"not {name}.flags.writeable" for name in sorted(written & set(given))]
        else:  # parts of a buffer (clCreateSubBuffer) share without being the same object; what is no buffer raises, and is looked at
            tests += [f"(getattr({n}.base_data, {MARK!r}, True) and is_part({n}.base_data))" for n in given if pairs]
        if budget is not None:
            tests += [f"not {low} <= {n} <= {high}" for n, (low, high) in budget.scalars.items() if n in self.given]
        tests += [
            f"not ({-F32_LIMIT!r} < {n} < {F32_LIMIT!r} or {n} != {n} or {n} in infinities)"
            for n in self._scalars()
            if n in single and issubclass(self.kinds[n], float)
        ]
        tests += [f"misfit({self.head.declared[n].name!r}, {n})" for n in self._scalars() if n in self.head.declared]
        if required is not None:
            named = ", ".join(f"{n}={n}" for n in (*self.arrays, *self._scalars()))
            tests.append(f"not hold({{**defaults, **dict({named})}})")
        if unchanged is not None:
            tests.append("not unchanged()")
        scope = {
            "may_share": np.may_share_memory,
            "is_part": is_part,
            "unchanged": unchanged,
            "hold": required and required.hold,
            "defaults": self.defaults,
            "infinities": (inf, -inf),
            "misfit": problem,
        }
        code = f"lambda {', '.join([*self.arrays, *self._scalars()])}: {' or '.join(tests) or 'False'}"
        made: Blocked = eval(code, scope)  # noqa: S307 (made of parameter names)
        return made
