"""Shared local memory that passes use to move values between subgroups: buffers, and the barriers around them."""

from __future__ import annotations

from math import prod
from typing import Any

from xetile.dialects import gpu, xetile
from xetile.dialects.gpu import GpuFunc
from xetile.dialects.types import MemRefType, ScalarType
from xetile.errors import ResourceError
from xetile.ir.builder import create
from xetile.ir.core import Elementwise, Op, Value
from xetile.layout import BlockOrder
from xetile.passes.common.barriers import Access, Barriers
from xetile.target import Target

SLM = 3  # memory space of shared local memory (MLIR, gpu.address_space<workgroup>)


class Buffers:
    """Buffers for exchanges, few enough for the target: two of a type take turns, so that one barrier per exchange suffices."""

    def __init__(self, module: Op, target: Target) -> None:
        self.ops: list[Op] = []
        self._target = target
        self._used = sum(bytes_of(op.results[0].type) for op in module.find(gpu.Alloca))
        self._pools: dict[MemRefType, list[Value]] = {}

    @property
    def values(self) -> set[Value]:
        """All buffers."""
        return {op.results[0] for op in self.ops}

    def fits(self, shape: tuple[int, ...], element: ScalarType, order: BlockOrder | None = None) -> bool:
        """Whether there is a buffer for an exchange of this size, or memory for one."""
        type = MemRefType(shape, element, None, SLM, order=order)
        return bool(self._pools.get(type)) or self._used + bytes_of(type) <= self._target.slm_bytes

    def get(self, shape: tuple[int, ...], element: ScalarType, op: Op, order: BlockOrder | None = None) -> Value:
        """A buffer for one exchange that `op` asks for: the least recently used one of its type, or a new one.

        Raises ResourceError where the target's shared local memory is used up.
        """
        type = MemRefType(shape, element, None, SLM, order=order)
        pool = self._pools.setdefault(type, [])
        fits = self._used + bytes_of(type) <= self._target.slm_bytes
        if len(pool) < 2 and fits:
            alloca = create(gpu.Alloca, result=type, loc=op.loc)
            alloca.results[0].name = "slm"
            self.ops.append(alloca)
            self._used += bytes_of(type)
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
            f"{name}: moving a {size} value of {type.element} between subgroups takes {bytes_of(type)} bytes of shared local"
            f" memory; {self._target.name} has {self._target.slm_bytes}, of which {self._used} are in use",
            hint="give producer and consumer the same wg_map, or use smaller tiles",
            at=op.loc,
        )


def before_exchange(value: Value) -> Value:
    """What subgroups stored to shared memory that one of them loads as an operand of a product (`work_once`); any other value itself."""
    load = value.op
    made = load.tile.op if isinstance(load, xetile.LoadTile) and load.tile.type.space == SLM else None
    if load is None or not isinstance(made, xetile.InitTile) or not isinstance(made.base.op, gpu.Alloca):
        return value
    tiles = [user.result for user in made.base.users if isinstance(user, xetile.InitTile)]
    stored = [op.value for tile in tiles for op in tile.users if isinstance(op, xetile.StoreTile) and op.parent is load.parent]
    # What its first iteration takes is stored before the loop, too.
    worked_out = len(stored) == 1 and stored[0].type == value.type and isinstance(stored[0].op, Elementwise)
    return stored[0] if worked_out else value


def bytes_of(type: Any) -> int:
    """What a memref takes in shared local memory."""
    size: int = prod(type.shape) * max(1, type.element.bits // 8)
    return size


def place_barriers(kernel: GpuFunc, buffers: set[Value]) -> None:
    """Insert the barriers that accesses to `buffers` need, and no more: a load waits for stores, a store for loads.

    Raises LayoutError where only some subgroups would reach a barrier, and between the halves of a split barrier, where none may
    stand (SPV_INTEL_split_barrier).
    """
    if not buffers:
        return
    tiles = {op.result: op.base for op in kernel.find(xetile.InitTile) if op.base in buffers}

    def accesses(op: Op) -> list[Access]:
        if not isinstance(op, (xetile.StoreTile, xetile.LoadTile)) or op.tile not in tiles:
            return []
        return [Access(tiles[op.tile], "write" if isinstance(op, xetile.StoreTile) else "read")]

    # What one exchange stores lies in different places, so two stores need no order.
    barriers = Barriers(kernel, accesses, lambda one, other: one.base is other.base and one.kind != other.kind, strict=True)
    barriers.block(kernel.body)
