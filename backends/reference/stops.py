"""Breakpoints: in debug mode each program that comes to one stops, with its variables as arrays and numbers. Prints of tiles."""

from __future__ import annotations

import builtins
import json
from typing import Any

import numpy as np

from xetile.dialects import xetile
from xetile.dtypes import DTYPES
from xetile.errors import Location
from xetile.runtime.backend import at_breakpoint

from .machine import Machine, executes
from .values import BATCH, SUBGROUP, Array, X, Y, Z, unsigned


@executes(xetile.Breakpoint)
def breakpoint_(m: Machine, op: xetile.Breakpoint, values: tuple[Array, ...]) -> None:
    """Programs stop in the order of their numbers, one for each of its subgroups that diverges; else nothing."""
    if m.monitor is None:
        return
    described = json.loads(op.variables)
    who = _active(m)
    for at in map(tuple, np.argwhere(who).tolist()):
        place = m.start[X] + at[X], m.start[Y] + at[Y], m.start[Z] + at[Z]
        given = iter(values)
        variables = {"subgroup": at[SUBGROUP]} if who.shape[SUBGROUP] > 1 else {}
        variables |= {n: _look(next(given), at, *v) if isinstance(v, list) else v for n, v in described.items()}
        handler = at_breakpoint.get()
        if handler is None:
            _enter_debugger(op.loc, {"program": place, **variables})
        else:
            handler(place, variables)


@executes(xetile.Print)
def print_(m: Machine, op: xetile.Print, values: tuple[Array, ...]) -> None:
    """A line for each program that comes here, and for each of its subgroups that diverges."""
    parts = json.loads(op.parts)
    who = _active(m)
    who = np.broadcast_to(who, np.broadcast_shapes(who.shape, *(v.shape[:BATCH] for v in values)))
    for at in map(tuple, np.argwhere(who).tolist()):
        given = iter(values)
        print("".join(part if isinstance(part, str) else _printed(next(given), at, *part) for part in parts))


def _printed(value: Array, at: tuple[int, ...], dtype: str, shape: list[int], form: str) -> str:
    if shape:
        return str(_look(value, at, dtype, shape))
    numbers = unsigned(value) if form.endswith("u") else value
    return str(form % numbers[tuple(min(i, n - 1) for i, n in zip(at, value.shape))].item())


def _active(m: Machine) -> Array:
    """Who comes here, by batch axes."""
    mask = np.True_ if m.mask is None else m.mask
    return np.broadcast_to(mask, np.broadcast_shapes(m.executors, mask.shape))


def _look(value: Array, at: tuple[int, ...], dtype: str, shape: list[int]) -> Any:
    """One program's part of a value, as the user knows it: a copy of its own."""
    own = value[tuple(min(i, n - 1) for i, n in zip(at, value.shape[:BATCH]))]
    array = np.array(own).view(DTYPES[dtype].numpy).reshape(shape)
    return array if shape else array.item()


def _enter_debugger(loc: Location | None, variables: dict[str, Any]) -> None:
    """Python's `breakpoint()` in a frame that has these variables, and stands at the kernel's line."""
    line, file = (loc.line, loc.file) if loc is not None else (1, "<kernel>")
    stop = compile("\n" * (line - 1) + "breakpoint()", file, "exec")
    exec(stop, {"__builtins__": builtins, "__name__": "__kernel__", **variables})  # noqa: S102 (a frame with these variables)
