"""Calls like the last one: Python code made for one pattern of arguments, so that a warm call inspects nothing but its key.

A pattern is the types of the positional arguments and the names and types of the others.  The code for it allocates the outputs,
looks the call up by dtypes, shapes, strides, constants and device, applies the grid rule, and launches.  Whatever it does not
know it leaves to the general way by returning MISS: a new key, arguments that may overlap, a rule that fails, hooks.

Measured by `python -m xetile benchmarks launch` on 2 cores of an AMD EPYC (CPU runtime, pyopencl 2026.1): 3 device arrays and 3 scalars
3.1 us more than pyopencl's own enqueue (1.3 us), bound 0.2 us; a call on numpy arrays that allocates its output 8 us.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from math import inf
from typing import Any

import numpy as np

from xetile.index_ranges import Budget
from xetile.language.ambient import allocator
from xetile.records import dataclass
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
    writer.scope |= {f"{writer.own}known": known, f"{writer.own}recent": [(None, None)]}
    scope = writer.scope
    exec(compile(writer.source(len(args)), f"<xetile call of {head.name}>", "exec"), scope)  # noqa: S102
    call, again, key = (scope[writer.own + name] for name in ("call", "again", "key"))
    return FastPath(call, again, len(args), tuple(kwargs), key, writer.blocked, known)


def _own_prefix(names: Iterable[str]) -> str:
    """What names of generated code begin with, so that none is one of these: parameters are called whatever users call them."""
    prefix = "_"
    while any(name.startswith(prefix) for name in names):
        prefix += "_"
    return prefix


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
        self.own = _own_prefix((*head.order, *kinds))
        seen = {
            "MISS": MISS, "hooks": hooks, "device": current_device, "exact": exact, "three": three, "native": native,
            "allocator": allocator, "allocate_like": allocate_like, "kind": kind, "id": id, "type": type, "Exception": Exception,
            "TypeError": TypeError,
        }  # fmt: skip
        self.scope: dict[str, Any] = {self.own + name: held for name, held in seen.items()}
        for name in head.order:
            if name not in kinds and name not in head.out:
                self.scope[f"{self.own}default_{name}"] = defaults.get(name)

    def source(self, positional: int) -> str:
        heads = [*self.given[:positional], *(["*"] if len(self.given) > positional else []), *self.given[positional:]]
        own, arguments = self.own, ", ".join([f"{self.own}grid", *heads])
        key = f"({', '.join(self._key())},)"
        lines = [
            f"def {own}key({', '.join([*heads[:positional], *[f'{n}=None' for n in self.allocated], *heads[positional:]])}):",
            f"    return {key}",
            *self._call(f"{own}call({arguments})", key),
        ]
        tests = " and ".join(f"{name}.__class__ is {own}type_{name}" for name in self.given)
        self.scope |= {f"{own}type_{name}": kind for name, kind in self.kinds.items()}
        lines += self._call(f"{own}again({arguments})", key, f"    if not ({tests}): return {own}MISS")
        return "\n".join(lines) + "\n"

    def _call(self, head: str, key: str, *first: str) -> list[str]:
        own, outputs = self.own, ", ".join(self.allocated)
        passed = "".join(f"{name}, " for name in map(self._value, self.present))
        return [
            f"def {head}:",
            *first,
            f"    if {own}hooks.launching: return {own}MISS",
            *self._allocation(),
            *self._look_up(key),
            f"    {own}launch, {own}blocked, {own}most, {own}keep = {own}found",
            f"    try:\n        if {own}blocked({', '.join([*self.arrays, *self._scalars()])}): return {own}MISS",
            f"    except {own}Exception: return {own}MISS",
            *self._grid(),
            f"    if {own}most is not None and ({own}grid[0] > {own}most[0] or {own}grid[1] > {own}most[1] or {own}grid[2] > {own}most[2]):",
            f"        return {own}MISS",
            f"    {own}event = {own}launch({own}grid, ({passed}), queue={self._queue()})",
            f"    return {outputs or own + 'event'}",
        ]

    def _look_up(self, key: str) -> list[str]:
        """Most calls are like the one before: comparing two keys, whose parts are the same objects, is less than hashing one."""
        own = self.own
        find = [f"try: {own}found = {own}known.get({own}key)", f"except {own}TypeError: return {own}MISS",
                f"if {own}found is None: return {own}MISS"]  # fmt: skip
        if f"{own}exact(" in key:  # what constants of any type are equal to is theirs to say: then their hashes must agree, too
            return [f"    {own}key = {key}", *(f"    {line}" for line in find)]
        return [
            f"    {own}key = {key}",
            f"    {own}before, {own}found = {own}recent[0]",
            f"    if {own}key != {own}before:",
            *(f"        {line}" for line in find),
            f"        {own}recent[0] = {own}key, {own}found",  # one object, so that another thread never sees half of it
        ]

    def _value(self, name: str) -> str:
        return name if name in self.given or name in self.head.out else f"{self.own}default_{name}"

    def _queue(self) -> str:
        return f"{self.own}native(queue)" if "queue" in self.given else "None"

    def _key(self) -> list[str]:
        own = self.own
        parts = [f"{own}id({own}device())"]
        for name in self.arrays:
            parts += [f"{name}.dtype", f"{name}.shape", f"{name}.strides"]
            if not self.on_host:
                parts.append(f"{own}type({name}.base_data)")
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
            return name if kind in EXACT else f"{self.own}exact({name})"
        return f"-2147483648 <= {name} < 2147483648" if issubclass(kind, int) and kind is not bool else "0"

    def _allocation(self) -> list[str]:
        if not self.allocated:
            return []
        own, lines = self.own, []
        for name in self.allocated:
            rule = self.head.out[name]
            self.scope[f"{own}out_{name}"] = rule
            lines.append(f"{name} = {own}out_{name}({self._asked(rule)})")
        check = f"if not ({' and '.join(f'{own}type({n}) is {own}kind' for n in self.allocated)}): return {own}MISS"
        guarded = ["    try:", *(f"        {line}" for line in lines), f"    except {own}Exception: return {own}MISS"]
        if self.on_host:
            return [*guarded, f"    {check}"]
        like = next(n for n in self.arrays if n in self.given)
        return [f"    {own}token = {own}allocator.set({own}allocate_like({like}, {self._queue()}))", *guarded,
                f"    finally: {own}allocator.reset({own}token)", f"    {check}"]  # fmt: skip

    def _asked(self, rule: Any) -> str:
        """What a rule is called with."""
        return ", ".join(f"{name}={self._value(name)}" for name in self.head.rule_names[rule])

    def _grid(self) -> list[str]:
        own, rule = self.own, self.head.grid
        lines = [f"    if {own}grid is None:"]
        if callable(rule):
            self.scope[f"{own}rule"] = rule
            lines += [
                f"        try: {own}grid = {own}rule({self._asked(rule)})",
                f"        except {own}Exception: return {own}MISS",
            ]
        else:
            self.scope[f"{own}given"] = rule
            lines += [f"        {own}grid = {own}given"]
        return [*lines, f"    {own}grid = {own}three({own}grid)", f"    if {own}grid is None: return {own}MISS"]

    def _scalars(self) -> list[str]:
        """Numbers that are given at run time."""
        return [name for name in self.given if name in self.present and name not in self.arrays]

    def blocked(self, written: frozenset[str], single: frozenset[str], budget: Budget | None, required: Requirements | None,
                unchanged: Guard | None) -> Blocked:  # fmt: skip
        """Whether an array that is written may share memory with another one, or must not be written, or a number is too large for
        the kernel's index arithmetic or for its type (those of `single` are f32), or something that the kernel sees has changed:
        then look closer.
        """
        own, given = self.own, [n for n in self.arrays if n not in self.allocated]
        pairs = {frozenset((w, n)) for w in written & set(given) for n in given if n != w}
        share = own + "may_share({0}, {1})" if self.on_host else "{0}.base_data is {1}.base_data"
        tests = [share.format(*sorted(pair)) for pair in sorted(pairs, key=sorted)]
        if self.on_host:
            tests += [f"not {name}.flags.writeable" for name in sorted(written & set(given))]
        else:  # parts of a buffer (clCreateSubBuffer) share without being the same object; what is no buffer raises, and is looked at
            tests += [f"({own}getattr({n}.base_data, {MARK!r}, True) and {own}is_part({n}.base_data))" for n in given if pairs]
        if budget is not None:
            tests += [f"not {low} <= {n} <= {high}" for n, (low, high) in budget.scalars.items() if n in self.given]
        tests += [
            f"not ({-F32_LIMIT!r} < {n} < {F32_LIMIT!r} or {n} != {n} or {n} in {own}infinities)"
            for n in self._scalars()
            if n in single and issubclass(self.kinds[n], float)
        ]
        tests += [f"{own}misfit({self.head.declared[n].name!r}, {n})" for n in self._scalars() if n in self.head.declared]
        if required is not None:
            named = ", ".join(f"{n!r}: {n}" for n in (*self.arrays, *self._scalars()))
            tests.append(f"not {own}hold({{**{own}defaults, {named}}})")
        if unchanged is not None:
            tests.append(f"not {own}unchanged()")
        scope = {
            "may_share": np.may_share_memory,
            "is_part": is_part,
            "unchanged": unchanged,
            "hold": required and required.hold,
            "defaults": self.defaults,
            "infinities": (inf, -inf),
            "misfit": problem,
            "getattr": getattr,
        }
        code = f"lambda {', '.join([*self.arrays, *self._scalars()])}: {' or '.join(tests) or 'False'}"
        made: Blocked = eval(code, {own + name: held for name, held in scope.items()})  # noqa: S307 (made of parameter names)
        return made
