"""Shared local memory that passes use to move values between subgroups: buffers, and the barriers around them."""

from __future__ import annotations

from typing import Any

from xetile.dialects import gpu, scf, xetile
from xetile.dialects.types import MemRefType, ScalarType
from xetile.errors import ResourceError
from xetile.ir.builder import create
from xetile.ir.core import Block, Op, Value
from xetile.target import Target

SLM = 3  # memory space of shared local memory (MLIR, gpu.address_space<workgroup>)


class Buffers:
    """Buffers for exchanges, few enough for the target: two of a type take turns, so that one barrier per exchange suffices."""

    def __init__(self, module: Op, target: Target) -> None:
        self.ops: list[Op] = []
        self._target = target
        self._used = sum(_bytes(op.results[0].type) for op in module.walk() if isinstance(op, gpu.Alloca))
        self._pools: dict[MemRefType, list[Value]] = {}

    @property
    def values(self) -> set[Value]:
        """All buffers."""
        return {op.results[0] for op in self.ops}

    def get(self, shape: tuple[int, int], element: ScalarType, op: Op) -> Value:
        """A buffer for one exchange that `op` asks for: the least recently used one of its type, or a new one.

        Raises ResourceError where the target's shared local memory is used up.
        """
        type = MemRefType(shape, element, None, SLM)
        pool = self._pools.setdefault(type, [])
        fits = self._used + _bytes(type) <= self._target.slm_bytes
        if len(pool) < 2 and fits:
            alloca = create(gpu.Alloca, result=type, loc=op.loc)
            alloca.results[0].name = "slm"
            self.ops.append(alloca)
            self._used += _bytes(type)
            pool.append(alloca.results[0])
            return pool[-1]
        if not pool:
            raise self._too_much(type, op)
        pool.append(pool.pop(0))
        return pool[-1]

    def _too_much(self, type: MemRefType, op: Op) -> ResourceError:
        name = op.opname.split(".")[1]
        size = "x".join(map(str, type.shape))
        return ResourceError(
            f"{name}: moving a {size} value of {type.element} between subgroups takes {_bytes(type)} bytes of shared local memory;"
            f" {self._target.name} has {self._target.slm_bytes}, of which {self._used} are in use",
            hint="give producer and consumer the same wg_map, or use smaller tiles",
            at=op.loc,
        )


def _bytes(type: Any) -> int:
    count = 1
    for extent in type.shape:
        count *= extent
    return count * max(1, type.element.bits // 8)


def place_barriers(kernel: Any, buffers: set[Value]) -> None:
    """Insert the barriers that accesses to `buffers` need, and no more.

    A load waits for stores by others since the last barrier, a store for loads by others. Barriers of the user count. Loops are
    entered with what their own end leaves open.
    """
    if buffers:
        _Barriers(buffers).block(kernel.body)


class _Barriers:
    """`open`: the (buffer, "read" or "written") since the last barrier."""

    def __init__(self, buffers: set[Value]) -> None:
        self.buffers = buffers
        self.open: set[tuple[Value, str]] = set()
        self.tiles: dict[Value, Value] = {}

    def block(self, block: Block) -> None:
        for op in list(block.ops):
            if isinstance(op, gpu.Barrier):
                self.open.clear()
            elif op.regions:
                self._regions(op)
            else:
                self._access(op, block)

    def _access(self, op: Any, block: Block) -> None:
        if isinstance(op, xetile.InitTile) and op.base in self.buffers:
            self.tiles[op.result] = op.base
            return
        tile = op.operands[-1] if isinstance(op, (xetile.StoreTile, xetile.LoadTile)) else None
        buffer = self.tiles.get(tile) if tile is not None else None
        if buffer is None:
            return
        mine, others = ("written", "read") if isinstance(op, xetile.StoreTile) else ("read", "written")
        if (buffer, others) in self.open:
            self._barrier_before(op, block)
        self.open.add((buffer, mine))

    def _barrier_before(self, op: Op, block: Block) -> None:
        barrier = create(gpu.Barrier, loc=op.loc)
        barrier.parent = block
        block.ops.insert(block.ops.index(op), barrier)
        self.open.clear()

    def _regions(self, op: Op) -> None:
        entry = set(self.open)
        if isinstance(op, scf.If):
            ends = []
            for block in op.regions:
                self.open = set(entry)
                self.block(block)
                ends.append(self.open)
            self.open = set().union(*ends)
            return
        # A loop's first pass sees what comes before it; the second one also what its own end leaves open.
        for _ in range(2):
            for block in op.regions:
                self.block(block)
            self.open |= entry if isinstance(op, scf.For) else set()
