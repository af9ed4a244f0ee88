"""Shared local memory that passes use to move values between subgroups: buffers, and the barriers around them."""

from __future__ import annotations

from math import prod
from typing import Any

from xetile.dialects import gpu, scf, xetile
from xetile.dialects.types import MemRefType, ScalarType
from xetile.errors import LayoutError, ResourceError
from xetile.ir.builder import create
from xetile.ir.core import Block, Op, Value
from xetile.passes.divergence import Divergence
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
            f"{name}: moving a {size} value of {type.element} between subgroups takes {_bytes(type)} bytes of shared local"
            f" memory; {self._target.name} has {self._target.slm_bytes}, of which {self._used} are in use",
            hint="give producer and consumer the same wg_map, or use smaller tiles",
            at=op.loc,
        )


def _bytes(type: Any) -> int:
    size: int = prod(type.shape) * max(1, type.element.bits // 8)
    return size


def place_barriers(kernel: Any, buffers: set[Value]) -> None:
    """Insert the barriers that accesses to `buffers` need, and no more.

    A load waits for stores by others since the last barrier, a store for loads by others. Barriers of the user count. Loops are
    entered with what their own end leaves open. Raises LayoutError where only some subgroups would reach a barrier, and between
    the halves of a split barrier, where none may stand (SPV_INTEL_split_barrier).
    """
    if buffers:
        _Barriers(kernel, buffers).block(kernel.body)


class _Barriers:
    """`open`: the (buffer, "read" or "written") since the last barrier."""

    def __init__(self, kernel: Any, buffers: set[Value]) -> None:
        self.buffers = buffers
        self.divergence = Divergence(kernel)
        self.open: set[tuple[Value, str]] = set()
        self.tiles: dict[Value, Value] = {}
        self.arrived = False

    def block(self, block: Block) -> None:
        """Walk a block in the order in which it runs."""
        for op in list(block.ops):
            if isinstance(op, gpu.Barrier):
                self.open.clear()
            elif isinstance(op, (gpu.BarrierArrive, gpu.BarrierWait)):
                self.arrived = isinstance(op, gpu.BarrierArrive)
            elif isinstance(op, xetile.InitTile) and op.base in self.buffers:
                self.tiles[op.result] = op.base
            elif not op.regions:
                self._accesses(op, self._of(op))
            elif isinstance(op, scf.If) and self.divergence.divergent(op):
                self._divergent(op)
            elif isinstance(op, scf.If):
                self._branches(op)
            else:
                self._loop(op)

    def _of(self, op: Op) -> list[tuple[Value, str, str]]:
        """What an op does to a buffer: the buffer, how, and after what by others it must wait."""
        if not isinstance(op, (xetile.StoreTile, xetile.LoadTile)):
            return []
        buffer = self.tiles.get(op.operands[-1])
        how = ("written", "read") if isinstance(op, xetile.StoreTile) else ("read", "written")
        return [(buffer, *how)] if buffer is not None else []

    def _accesses(self, op: Op, accesses: list[tuple[Value, str, str]]) -> None:
        if any((buffer, after) in self.open for buffer, _, after in accesses):
            self._barrier_before(op)
        self.open.update((buffer, mine) for buffer, mine, _ in accesses)

    def _divergent(self, op: Op) -> None:
        """Some subgroups skip this branch: it must not hold a barrier, so the one that it needs stands before it."""
        inside = list(op.walk())
        tiles = [i for i in inside if isinstance(i, xetile.InitTile) and i.base in self.buffers]
        self.tiles.update((i.result, i.base) for i in tiles)
        accesses = [access for i in inside for access in self._of(i)]
        if {(b, how) for b, how, _ in accesses} & {(b, after) for b, _, after in accesses}:
            raise _not_reached(op)
        self._accesses(op, accesses)

    def _branches(self, op: Op) -> None:
        entry, ends = set(self.open), []
        for block in op.regions:
            self.open = set(entry)
            self.block(block)
            ends.append(self.open)
        self.open = set().union(*ends)

    def _loop(self, op: Op) -> None:
        ends = set(self.open)
        # The first pass sees what comes before the loop; the second one also what the loop's own end leaves open.
        before = sum(isinstance(o, gpu.Barrier) for o in op.walk())
        for _ in range(2):
            for block in op.regions:
                self.block(block)
                ends |= self.open
        if self.divergence.divergent(op) and sum(isinstance(o, gpu.Barrier) for o in op.walk()) > before:
            raise _not_reached(op)
        self.open = ends

    def _barrier_before(self, op: Op) -> None:
        if self.arrived:
            raise LayoutError(
                "values move between subgroups after barrier_arrive and before barrier_wait, where no other barrier may stand",
                hint="move the reduction, transposition or layout change out of there",
                at=op.loc,
            )
        barrier = create(gpu.Barrier, loc=op.loc)
        assert op.parent is not None
        barrier.parent = op.parent
        op.parent.ops.insert(op.parent.ops.index(op), barrier)
        self.open.clear()


def _not_reached(op: Op) -> LayoutError:
    return LayoutError(
        "values move between subgroups in a branch or loop that not all subgroups take, since it depends on subgroup_id",
        hint="move the reduction, transposition or layout change out of it",
        at=op.loc,
    )
