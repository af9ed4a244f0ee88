"""Buffers of shared local memory through which operands of products go, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xetile.dialects import gpu, vector, xegpu
from xetile.ir.core import Op, Value

from .uses import moves


class Shared:
    """Of each buffer of operands: what is `stored` there alone, and the products that take it as their `first` or their `second` operand.

    buffers: of each operand that is loaded from one.
    """

    def __init__(self, kernel: gpu.GpuFunc) -> None:
        self.stored: dict[Value, list[Value]] = {}
        self.first: dict[Value, list[xegpu.Dpas]] = {}
        self.second: dict[Value, list[xegpu.Dpas]] = {}
        self.buffers: dict[Value, Value] = {}
        for op in kernel.find(gpu.Alloca):
            self._follow(op.result)

    def _follow(self, buffer: Value) -> None:
        accesses = [access for desc in buffer.users if isinstance(desc, xegpu.CreateMemDesc) for access in desc.result.users]
        whole = all(isinstance(user, xegpu.CreateMemDesc) for user in buffer.users)
        stored = [_numbers(op.data) for op in accesses if isinstance(op, xegpu.StoreMatrix)]
        loaded = [op.value for op in accesses if isinstance(op, xegpu.LoadMatrix)]
        if not whole or not stored or len(stored) + len(loaded) < len(accesses):
            return
        taken = [use for value in loaded for use in _taken(value)]
        products = [op for op, _, _ in taken if isinstance(op, xegpu.Dpas)]
        roles = {position for _, position, _ in taken}
        if len(products) < len(taken) or len(roles) != 1 or not roles <= {0, 1}:
            return
        if not {op for value in stored for op, _, _ in _taken(value)}.issubset(accesses):
            return  # something else takes the same numbers
        self.stored[buffer] = stored
        (self.first, self.second)[roles.pop()][buffer] = products
        self.buffers.update({value: buffer for _, _, value in taken})

    def made(self, values: Iterable[Value]) -> Iterator[Value]:
        """What is stored in those that are buffers, and the others."""
        for value in values:
            yield from self.stored.get(value, (value,))


def products_of(value: Value) -> list[xegpu.Dpas]:
    """The products that take a value."""
    return [op for op in value.users if isinstance(op, xegpu.Dpas)]


def _numbers(value: Value) -> Value:
    """What is stored, where it is seen as words."""
    return value.op.source if isinstance(value.op, vector.Bitcast) else value


def _taken(value: Value) -> Iterator[tuple[Op, int, Value]]:
    """What takes a value, or parts of it, or its bits: the op, the position of its operand, and that."""
    for op, position in value.uses:
        if moves(op) or isinstance(op, vector.Bitcast):
            yield from _taken(op.results[0])
        else:
            yield op, position, value
