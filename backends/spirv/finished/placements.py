"""Whether vectors are written that hold elements of another one in another order: the question that is asked of every kernel while it is
written, before `element_orders` looks into the few that have some.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..module.code import Code
from ..module.encode import Id, Operand
from ..module.function import Phi

VECTORIZED = 16
"""The size of the subgroups whose instructions IGC joins."""
PLACING = frozenset({"OpCompositeConstruct", "OpCompositeExtract", "OpVectorShuffle"})
COMPUTING = frozenset({"OpFAdd", "OpFSub", "OpFMul", "OpFDiv", "OpFConvert", "OpConvertFToBF16INTEL", "OpExtInst", "OpBitcast"})
Element = tuple[Operand, int]
"""A value that is no placed one, and the number of an element."""


class Placements:
    """Where elements of placed values come from."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._made: dict[Operand, Sequence[Element]] = {}
        self._orders: dict[frozenset[Element], Sequence[Element]] = {}
        self._spread: dict[Element, list[Id]] = {}
        self._found: set[Id] = set()
        self._seen: dict[Operand, Any] = {}
        self._computed: dict[Operand, Sequence[Operand]] = {}

    def note(self, name: str, made: Id, operands: Sequence[Operand]) -> None:
        """Take notice of an instruction, and of its result."""
        given: list[Any] = list(operands[1:])
        if name == "OpCompositeConstruct":
            elements = [self._origin(x, 0) for x in given]
        elif name == "OpCompositeExtract":
            elements = [self._origin(given[0], given[1])]
        else:
            one, other, *places = given
            count = self._components(one)
            elements = [self._origin(one, at) if at < count else self._origin(other, at - count) for at in places]
        self._made[made] = elements
        if len(elements) > 1:
            self._compare(made, elements)

    def compute(self, name: str, made: Id, operands: Sequence[Operand]) -> None:
        """Take notice of floats that are computed, and of the same bits in another form."""
        if name != "OpBitcast":
            self._computed[made] = operands[1:]
        elif operands[1] in self._made or operands[1] in self._computed:
            self._seen[made] = operands[1]

    def begins_inside(self, value: Id, register: int) -> bool:
        """Whether a vector begins with an element of another one, which may lie in registers as a whole, and does not begin at a register;
        `register`: bits of one for a lane.
        """
        whole, place = self._made.get(self._as_made(value), ((value, 0),))[0]
        if not place or not isinstance(whole, Id) or self._is_computed(self._as_made(whole)):
            return False
        form, _ = self._code.vector_of(self._code.module.type_of(whole))
        return bool(place * self._code.width[form] % register)

    def _as_made(self, value: Id) -> Id:
        while value in self._seen:
            value = self._seen[value]
        return value

    def _is_computed(self, value: Id) -> bool:
        """Whether a compiler computes each element: it finds no other name for what it is. Of integers it may (`x + y - y`)."""
        operands = self._computed.get(value)
        if operands is None:
            return False
        return len(set(operands)) == len(operands) and not any(isinstance(x, Id) and self._code.is_constant(x) for x in operands)

    @property
    def disordered(self) -> set[Id]:
        """The vectors that may be such ones."""
        alike = [made for element, made in self._spread.items() if any(element in order for order in self._orders)]
        return self._found.union(*alike)

    def are_joined(self, value: Id) -> bool:
        """Whether an element of a vector is one of ways that meet: of three or more, it may be."""
        return any(isinstance(whole, Phi) and not whole.repeats for whole, _ in self._made.get(value, ((value, 0),)))

    def _origin(self, value: Operand, place: int) -> Element:
        made = self._made.get(value)
        return (value, place) if made is None else made[place]

    def _components(self, value: Operand) -> int:
        assert isinstance(value, Id)
        return self._code.vector_of(self._code.module.type_of(value))[1]

    def _compare(self, made: Id, elements: Sequence[Element]) -> None:
        if any(isinstance(value, Id) and self._code.is_constant(value) for value, _ in elements):
            return
        whole, first = elements[0]
        if all(value is whole or value == whole for value, _ in elements):
            if self._components(whole) == 1:
                self._spread.setdefault(elements[0], []).append(made)
            elif any(at != first + n for n, (_, at) in enumerate(elements)):
                self._found.add(made)
            return
        order = frozenset(elements)
        if len(order) < len(elements) or self._orders.setdefault(order, elements) != elements:
            self._found.add(made)
