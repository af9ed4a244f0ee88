"""scf: loops and branches.

A condition or a bound that is the same for all active programs runs once. Where they differ, both branches (or the longest
loop) run under a mask: stores of inactive programs are dropped, and carried values and results are picked per program.
"""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from xetile.dialects import scf
from xetile.errors import LaunchError

from .machine import Machine, executes
from .memory import Dim, Region
from .values import BATCH, Array, force, uniform, with_rank
from .waiting import Look


@executes(scf.For, deferred=True)
def for_loop(m: Machine, op: scf.For, lower: Array, upper: Array, step: Array, init: tuple[Any, ...]) -> Sequence[Any]:
    """Uniform bounds run once for all programs."""
    if m.active(step <= 0).any():
        raise LaunchError("the step of a loop is not positive")
    bounds = [uniform(b) for b in (lower, upper, step)]
    if None in bounds:
        return _results(op, _divergent_for(m, op, lower, upper, step, init))
    carried: Sequence[Any] = init
    for i in range(*(b for b in bounds if b is not None)):
        carried = m.run(op.body, (np.full((1,) * BATCH, i, lower.dtype), *carried))
    return _results(op, carried)


def _divergent_for(m: Machine, op: scf.For, lower: Array, upper: Array, step: Array, init: Sequence[Any]) -> Sequence[Any]:
    if m.mask is not None:
        # What programs hold that are not here means nothing: it may even be a step of 0.
        step = np.where(m.mask, step, step.dtype.type(1))
    iterations = np.maximum(0, -((lower - upper) // step))
    if m.mask is not None:
        iterations = np.where(m.mask, iterations, 0)
    carried = [*init]
    for iteration in range(int(iterations.max())):
        goes_on = iterations > iteration
        with m.masked(goes_on):
            given = m.run(op.body, (lower + step * lower.dtype.type(iteration), *carried))
        carried = [pick(goes_on, new, old) for new, old in zip(given, carried)]
    return carried


@executes(scf.While, deferred=True)
def while_loop(m: Machine, op: scf.While, init: tuple[Any, ...]) -> Sequence[Any]:
    """Each program leaves with the values that its own last condition gave."""
    carried: Sequence[Any] = init
    results: list[Any] | None = None
    running: Array | None = None
    look = Look(m, op) if op in m.waits else None
    while True:
        condition, *values = _under(m, running, op.before, carried)
        active = m.active(force(condition) if running is None else force(condition) & running)
        if results is None or running is None:
            results = values
        else:
            results = [pick(running, new, old) for new, old in zip(values, results)]
        if not active.any():
            return _results(op, results)
        stays = None if active.all() else active
        given = _under(m, stays, op.after, values)
        before, carried = carried, given if stays is None else [pick(stays, new, old) for new, old in zip(given, carried)]
        running = stays
        if look is not None:
            look.again(before, carried)


def _under(m: Machine, mask: Array | None, block: Any, args: Sequence[Any]) -> list[Any]:
    if mask is None:
        return m.run(block, args)
    with m.masked(mask):
        return m.run(block, args)


@executes(scf.If, deferred=True)
def branch(m: Machine, op: scf.If, condition: Array) -> Sequence[Any]:
    """Runs the branches that some active program takes."""
    taken, refused = m.active(condition), m.active(~condition)
    if not refused.any():
        return _results(op, m.run(op.then))
    if not taken.any():
        return _results(op, m.run(op.otherwise)) if op.otherwise.ops else ()
    with m.masked(condition):
        yes = m.run(op.then)
    no: list[Any] = []
    if op.otherwise.ops:
        with m.masked(~condition):
            no = m.run(op.otherwise)
    return _results(op, [pick(condition, a, b) for a, b in zip(yes, no)])


def _results(op: Any, values: Sequence[Any]) -> Any:
    return values[0] if len(op.results) == 1 else values


def pick(condition: Array, new: Any, old: Any) -> Any:
    """`new` where the condition holds, for any kind of value."""
    if new is old:
        return old
    new, old = force(new), force(old)
    if isinstance(new, np.ndarray):
        return np.where(with_rank(condition, new.ndim - BATCH), new, old)
    if getattr(new, "memory", None) is not getattr(old, "memory", None):
        raise LaunchError("programs go on with tiles of different arrays", hint="branch around the accesses instead")
    if isinstance(new, Region):
        return replace(new, dims=tuple(_pick_dim(condition, a, b) for a, b in zip(new.dims, old.dims)))
    return new.pick(condition, old)


def _pick_dim(condition: Array, new: Dim, old: Dim) -> Dim:
    return Dim(
        np.where(condition, new.offset, old.offset),
        new.extent,
        new.stride,
        new.size,
        axis=new.axis if new.axis == old.axis else -1,
    )
