"""How many bytes the values of a subgroup may take, read from blocks of hardware size before they are divided among lanes.

That says little of how many registers a kernel needs: IGC orders its code, and lanes exchange what blocks do not show. It says much of
how numbers of subgroups compare: what the one needs of its guess the other needs, too, within bounds.
"""

from __future__ import annotations

from xetile.dialects import arith
from xetile.dialects.types import INDEX, VectorType
from xetile.ir.core import Block, Op, Type, Value

INDEX_BITS = 32


def guessed_bytes(body: Block) -> int:
    """Bytes of the values of a subgroup that live at once, as the code is written."""
    return _Walk().block(body)[0]


class _Walk:
    def __init__(self) -> None:
        self._sizes: dict[Type, int] = {}

    def block(self, block: Block) -> tuple[int, set[Value]]:
        """What a block takes at most of its own, and what it takes from outside."""
        last: dict[Value, int] = {}
        inner: dict[int, tuple[int, set[Value]]] = {}
        for position, op in enumerate(block.ops):
            last.update(dict.fromkeys(op.operands, position))
            if op.regions:
                found = [self.block(region) for region in op.regions]
                inner[position] = max(most for most, _ in found), set().union(*(taken for _, taken in found))
                last.update(dict.fromkeys(inner[position][1], position))
        live = most = sum(self._size(argument) for argument in block.args)
        ending: dict[int, int] = {}
        made = set(block.args)
        for argument in block.args:
            place = last.get(argument, 0)
            ending[place] = ending.get(place, 0) + self._size(argument)
        for position, op in enumerate(block.ops):
            if position in inner:
                most = max(most, live - self._only_given(op, position, last, made, inner[position][1]) + inner[position][0])
            live -= ending.pop(position, 0) if position in inner else 0
            for value in op.results:
                made.add(value)
                place = last.get(value, position)
                if place > position and (size := self._size(value)):
                    live += size
                    ending[place] = ending.get(place, 0) + size
            most = max(most, live)
            live -= ending.pop(position, 0)
        return most, last.keys() - made

    def _only_given(self, op: Op, position: int, last: dict[Value, int], made: set[Value], taken: set[Value]) -> int:
        """What ends where a loop begins with it."""
        return sum(
            self._size(value) for value in set(op.operands) if last[value] == position and value in made and value not in taken
        )

    def _size(self, value: Value) -> int:
        kind = value.type
        if not isinstance(kind, VectorType) or isinstance(value.op, arith.Constant):
            return 0
        size = self._sizes.get(kind)
        if size is None:
            bits = INDEX_BITS if kind.element is INDEX else kind.element.bits
            size = self._sizes[kind] = kind.count * bits // 8
        return size


__all__ = ["guessed_bytes"]
