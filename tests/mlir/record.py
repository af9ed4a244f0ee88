"""What each subgroup of a run loads, computes and stores."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from xetile.backends.reference import interpret as interpreter
from xetile.backends.reference.debug import Monitor
from xetile.backends.reference.machine import force
from xetile.backends.reference.values import BATCH, SUBGROUP, X, Y, Z, with_rank

from xetile.dialects import xegpu, xetile
from xetile.dialects.types import VectorType, element_of
from xetile.ir.core import Elementwise

COMPUTES = (xegpu.Dpas, xetile.TileMma, Elementwise)
AS_XEGPU = {"xetile.tile_mma": "xegpu.dpas"}
"""Products of kernels that are raised keep the name that the user gave them."""


class Recorder(Monitor):
    """Notes accesses by (program, subgroup) and memory, and results of floating point ops on vectors by op.

    Of loads and results it keeps how often each came; of stores what was written where. Buffers of shared local memory are told
    apart by their size alone.
    """

    made_by: dict[tuple[int, ...], dict[str, Counter[Any]]]
    loads: dict[tuple[int, ...], Counter[Any]]
    stores: dict[tuple[int, ...], dict[Any, Any]]

    def __init__(self, *args: Any, **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.loads = defaultdict(Counter)
        self.stores = defaultdict(dict)
        self.made_by = defaultdict(lambda: defaultdict(Counter))
        RUNS.append(self)

    def read(self, m: Any, memory: Any, address: Any, inside: Any) -> None:
        for who, places, _ in _by_subgroup(m, address, inside):
            self.loads[who].update((_name(memory), int(p)) for p in places)

    def write(self, m: Any, memory: Any, address: Any, inside: Any, value: Any) -> None:
        for who, places, values in _by_subgroup(m, address, inside, value):
            self.stores[who].update({(_name(memory), int(p)): v for p, v in zip(places, values.tolist(), strict=True)})

    def made(self, m: Any, op: Any, operands: Any, result: Any) -> None:
        if not isinstance(op, COMPUTES) or not isinstance(op.results[0].type, VectorType):
            return
        if not element_of(op.results[0].type).is_float:
            return
        value = np.asarray(force(result))
        shape = np.broadcast_shapes(value.shape[:BATCH], m.executors)
        mask = np.broadcast_to(True if m.mask is None else m.mask, shape)
        value = np.broadcast_to(value, (*shape, *value.shape[BATCH:])).astype(np.float64)
        for place in np.argwhere(mask):
            self.made_by[_who(m, place)][AS_XEGPU.get(op.opname, op.opname)].update(value[tuple(place)].reshape(-1).tolist())


RUNS: list[Recorder] = []


def _name(memory: Any) -> str:
    return memory.name if not memory.lead else f"shared {memory.flat.nbytes}"


def _who(m: Any, place: Any) -> tuple[int, ...]:
    """Program and subgroup of a place among the batch axes."""
    return tuple(int(place[axis]) + (m.start[axis] if axis < SUBGROUP else 0) for axis in (Z, Y, X, SUBGROUP))


def _by_subgroup(m: Any, address: Any, inside: Any, *values: Any) -> Iterator[tuple[Any, ...]]:
    rank = address.ndim - BATCH
    mask = with_rank(np.ones((1,) * BATCH, np.bool_) if m.mask is None else m.mask, rank)
    mask = mask if inside is None else mask & inside
    shape = np.broadcast_shapes((*m.executors, *(1,) * rank), address.shape, mask.shape, *(v.shape for v in values))
    address, mask, *values = (np.broadcast_to(v, shape) for v in (address, mask, *values))
    for place in np.ndindex(*shape[:BATCH]):
        taken = mask[place]
        if taken.any():
            yield _who(m, place), address[place][taken], *(v[place][taken] for v in values), *(() if values else (None,))


@contextmanager
def recording(monkeypatch: Any) -> Iterator[list[Recorder]]:
    """Runs inside give a recorder each."""
    RUNS.clear()
    with monkeypatch.context() as patch:
        patch.setattr(interpreter, "Monitor", Recorder)
        yield RUNS
