"""What a subgroup reads of shared local memory that it has written itself comes from the register that it was written from."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from xetile.dialects import arith, gpu, xegpu
from xetile.dialects.effects import written_arguments
from xetile.dialects.gpu import GpuFunc, GpuModule
from xetile.dialects.types import I32
from xetile.ir.core import Block, Op, Value
from xetile.ir.interfaces import written_values
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.places import Numbers, Places
from xetile.target import Target

SHARED_MEMORY = 3


def forward_shared(module: GpuModule, target: Target) -> GpuModule:
    """Replace loads from shared local memory by the values stored there, where in each subgroup they are the same lane's, or all one
    lane's; drop stores of what is there already, buffers that nobody reads, and barriers between which nothing happens that
    others see.

    Before and after: xegpu at lane level. Parts of values, rolled ones and scans pass through shared memory as if all moved between
    subgroups; what a subgroup holds itself is a register of another name.
    """
    kernel = module.kernel
    if not kernel.has(gpu.Alloca):
        return module
    places = Places(int(kernel.attributes["num_subgroups"]), target.subgroup_size)
    loads = [op for op in kernel.find(xegpu.Load) if isinstance(_origin(op.source).op, gpu.Alloca)]
    blocks = {op.parent: None for op in loads if op.parent is not None}
    changed = {_Forwarding(places).block(block) for block in blocks}
    if True not in changed:
        return module
    _drop_unread(kernel)
    _drop_barriers(module)
    return module


class _Memory:
    """Who wrote each element of a buffer last: which store, and which lane of each subgroup in it."""

    def __init__(self, size: int, places: Places) -> None:
        self.stores: list[xegpu.Store] = []
        self.is_unknown = True
        self._size = size
        self._store = np.full(size, -1)
        # An element's row: what stores change is side by side.
        self._lane = np.full((size, places.subgroups), -1, np.int16)
        self._subgroups = np.arange(places.subgroups)

    def clear(self) -> None:
        """Nothing is known any more."""
        self.is_unknown = True
        self._store[:] = -1

    def write(self, op: xegpu.Store, where: Numbers, mask: Numbers) -> None:
        """A store by the lanes that a mask tells."""
        subgroups, lanes = np.nonzero(mask)
        written = where[subgroups, lanes]
        if written.max(initial=0) >= self._size:
            self.clear()
            return
        self.is_unknown = False
        self._store[written] = len(self.stores)
        self._lane[written] = -1
        self._lane[written, subgroups] = lanes  # of several lanes of a subgroup the last
        self.stores.append(op)

    def read(self, where: Numbers, mask: Numbers) -> tuple[xegpu.Store, int | None] | None:
        """The store that all lanes of a mask read from and the lane whose value it is, None for each its own; None where it is neither."""
        if not mask.any() or where[mask].max() >= self._size:
            return None
        where = np.where(mask, where, 0)
        stores, lanes = self._store[where][mask], self._lane[where, self._subgroups[:, None]]
        if stores[0] < 0 or (stores != stores[0]).any():
            return None
        if (lanes == np.arange(where.shape[1]))[mask].all():
            return self.stores[stores[0]], None
        first = int(lanes[mask][0])
        return (self.stores[stores[0]], first) if first >= 0 and (lanes[mask] == first).all() else None


class _Forwarding:
    """What a block's stores have left in shared memory."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.memories: dict[Value, _Memory] = {}
        self.loads: dict[Value, dict[Value, tuple[Numbers, Numbers]]] = {}  # of each buffer, as it is now
        self.rewrite = Rewriter()

    def block(self, block: Block) -> bool:
        """Whether a load or a store of a block was replaced."""
        changed = False
        for op in list(block.ops):
            if isinstance(op, xegpu.Load):
                changed |= self._load(op)
            elif isinstance(op, gpu.Shuffle):
                changed |= self._shuffle(op)
            elif isinstance(op, xegpu.Store) and (place := self._place(op, op.dest, op.value)) is not None:
                changed |= self._store(op, *place)
            else:
                self._forget(op)
        return changed

    def _load(self, op: xegpu.Load) -> bool:
        memory = self.memories.get(_buffer(op.source))
        if memory is None or memory.is_unknown or (place := self._place(op, op.source, op.value)) is None:
            return False
        found = memory.read(*place[1:])
        if found is None:
            self.loads.setdefault(place[0], {})[op.value] = place[1:]
            return False
        with self.rewrite.before(op):
            value = self._taken(*found)
            if not place[2].all():
                nothing = self.rewrite(arith.Constant, value=0, result=value.type)
                value = self.rewrite(arith.Select, op.mask, value, nothing)
        self.rewrite.replace(op, value)
        return True

    def _shuffle(self, op: gpu.Shuffle) -> bool:
        """What lanes get of a load that is in no register as a whole may be."""
        lane, load = arith.constant_of(op.offset), op.value.op
        if not isinstance(load, xegpu.Load) or op.mode != "idx" or not isinstance(lane, int) or op.valid.users:
            return False
        buffer = _buffer(load.source)
        place = self.loads.get(buffer, {}).get(op.value)
        if place is None or buffer not in self.memories or not 0 <= lane < self.places.lanes:
            return False
        where, mask = place
        if not mask[:, lane].all():
            return False
        column = np.broadcast_to(where[:, lane, None], where.shape)
        found = self.memories[buffer].read(column, np.ones_like(mask))
        if found is None or found[1] is None:
            return False
        with self.rewrite.before(op):
            self.rewrite.replace_uses(op.shuffled, self._taken(*found))
        return True

    def _taken(self, store: xegpu.Store, lane: int | None) -> Value:
        """What a store stores, or one lane's of it."""
        if lane is None:
            return store.value  # type: ignore[no-any-return]
        number, width = (self.rewrite(arith.Constant, value=n, result=I32) for n in (lane, self.places.lanes))
        made: Value = self.rewrite.op(gpu.Shuffle, store.value, number, width, mode="idx").results[0]
        return made

    def _store(self, op: xegpu.Store, buffer: Value, where: Numbers, mask: Numbers) -> bool:
        kind: Any = buffer.type
        if buffer not in self.memories:
            self.memories[buffer] = _Memory(prod(kind.shape), self.places)
        memory = self.memories[buffer]
        found = memory.read(where, mask)
        if found is not None and found[0].value is op.value and found[1] is None:
            self.rewrite.erase(op)
            return True
        self.loads.pop(buffer, None)
        memory.write(op, where, mask)
        return False

    def _forget(self, op: Op) -> None:
        """What an op and all in it may write is not known any more."""
        for inner in op.walk():
            for written in map(_origin, written_values(inner)):
                if written in self.memories:
                    self.loads.pop(written, None)
                    self.memories[written].clear()
                elif not isinstance(written.op, gpu.Alloca) and not isinstance(written.owner, Block):
                    self.memories.clear()
                    self.loads.clear()

    def _place(self, op: xegpu.Load | xegpu.Store, memory: Value, value: Value) -> tuple[Value, Numbers, Numbers] | None:
        """Of an access by one element for each lane, the buffer, whose own elements it sees in a row, the places, and the lanes that do
        it; None where that is not known.
        """
        source = _buffer(memory)
        kind: Any = source.type
        if not isinstance(source.op, gpu.Alloca) or kind.space != SHARED_MEMORY or kind.strides is not None:
            return None
        if op.chunk_size is not None or op.offsets is None or value.type is not kind.element or None in kind.shape:
            return None
        where, mask = self.places.everywhere(op.offsets), self.places.everywhere(op.mask)
        return None if where is None or mask is None else (source, where, mask != 0)


def _buffer(memory: Value) -> Value:
    """The buffer that is seen as memory in a row."""
    return memory.op.source if isinstance(memory.op, gpu.ReinterpretCast) else memory


def _origin(value: Value) -> Value:
    """What an access goes to: a buffer, an argument, or what is neither."""
    op = value.op
    while isinstance(op, (gpu.ReinterpretCast, gpu.ElementCast, xegpu.CreateMemDesc, xegpu.MemDescSubview, xegpu.CreateNdTdesc)):
        value = op.operands[0]
        op = value.op
    return value


def _drop_unread(kernel: GpuFunc) -> None:
    """Erase stores to buffers that nobody reads, and the buffers."""
    rewrite = Rewriter()
    for buffer in kernel.find(gpu.Alloca):
        views, stores, ahead = [], [], list(buffer.result.users)
        while ahead:
            op = ahead.pop()
            if isinstance(op, xegpu.Store):
                stores.append(op)
            elif op.pure and op.results:
                views.append(op)
                ahead += op.results[0].users
            else:
                break
        else:
            for op in dict.fromkeys((*stores, *reversed(views), buffer)):
                rewrite.erase(op)


def _drop_barriers(module: GpuModule) -> None:
    """Erase barriers that order nothing: on one side, as far as the next barrier, no memory is touched that a subgroup writes; or all
    that is done on both sides is reading.
    """
    kernel, written, rewrite = module.kernel, written_arguments(module), Rewriter()
    for block in {op.parent for op in kernel.find(gpu.Barrier)}:
        assert block is not None
        # What happens since the last barrier; around a loop's body anything may.
        since = _NOTHING if block is kernel.body else _WRITES
        for op in list(block.ops):
            if not isinstance(op, gpu.Barrier):
                since = max(since, _effect(op, written))
            elif since == _NOTHING:
                rewrite.erase(op)
            else:
                since = _NOTHING
        _merge_reads(block, written)


_NOTHING, _READS, _WRITES = range(3)
"""What ops do to memory that several subgroups reach."""


def _effect(op: Op, written: set[Value]) -> int:
    if op.pure:
        return _NOTHING
    if not op.reads or op.writes or op.regions:
        return _WRITES
    origins = [_origin(getattr(op, name)) for name in op.reads]
    return _NOTHING if all(isinstance(origin.owner, Block) and origin not in written for origin in origins) else _READS


def _merge_reads(block: Block, written: set[Value]) -> None:
    """Erase barriers with a barrier on either side and nothing but reads as far as these."""
    barriers: list[Op] = []
    effects: list[int] = [_WRITES]  # before each barrier, and behind the last
    for op in block.ops:
        if isinstance(op, gpu.Barrier):
            barriers.append(op)
            effects.append(_NOTHING)
        else:
            effects[-1] = max(effects[-1], _effect(op, written))
    effects[-1] = _WRITES
    for i, op in enumerate(barriers):
        if max(effects[i], effects[i + 1]) < _WRITES:
            Rewriter().erase(op)


__all__ = ["forward_shared"]
