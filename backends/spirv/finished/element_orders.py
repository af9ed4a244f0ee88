"""Vectors that hold elements of another one in another order, told apart from it for IGC.

From what 2D block stores and products are given, IGC's vectorizer (2.40.14; subgroups of 16) goes back to the numbers it is computed of,
as many at a time as the message has, and joins their instructions. Where all operands at one place are elements of one vector that it has
made or met, it takes that vector for them, in whatever order they are asked for: `x - reversed(x)` becomes `x - x`, and so do sums of some
of the elements several times. It looks at numbers, not at SPIR-V's vectors, and behind the search for equal ones.

So elements get numbers here as they do there. The vectors that the messages lead back to are compared; of two of which one has no
elements but the other's, one has an element or'ed with a zero that IGC cannot know, which makes a new vector of it.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from xetile.records import dataclass

from ..module.binary import Binary, Instruction, has_words
from ..module.encode import Id
from ..module.opcodes import OPCODES
from ..module.rewrite import instruction
from .hidden_zeros import HiddenZeros
from .placements import PLACING

_COMMUTES = frozenset({"OpFAdd", "OpFMul", "OpIAdd", "OpIMul", "OpBitwiseAnd", "OpBitwiseOr", "OpBitwiseXor"})
_ELEMENTWISE = ("OpF", "OpI", "OpS", "OpU", "OpBitwise", "OpShift", "OpNot", "OpConvert", "OpBitcast", "OpOrdered", "OpUnordered",
                "OpLogical", "OpSelect")  # fmt: skip
_NOT_ELEMENTWISE = ("OpSubgroup", "OpStore", "OpSwitch", "OpFunction", "OpUndef", "OpSizeOf", "OpImage", "OpUniform")
_WHOLE = ("OpStore", "OpSubgroupMatrixMultiplyAccumulate", "OpAsmCall", "OpConvertFToBF16", "OpConvertBF16ToF", "OpBitcast")
_PLACING = frozenset(OPCODES[name].number for name in (*PLACING, "OpDecorate", "OpName"))
_WIDTH = 32
"""The bits of numbers that IGC makes vectors of."""

Order = tuple[int, ...]
"""The numbers of a vector's elements."""


class _Node(NamedTuple):
    """What an element is: `kind` tells the instruction, empty where IGC cannot take it for part of a vector."""

    kind: tuple[object, ...]
    operands: Order = ()


_NO_PART = _Node(())


@dataclass
class _Elements:
    """The numbers of all elements of a function: equal where they are computed alike of equal ones."""

    binary: Binary
    of: dict[int, Order] = field(default_factory=dict)  # by the id of a value
    nodes: list[_Node] = field(default_factory=list)
    wide: set[int] = field(default_factory=set)  # of the width of which IGC makes vectors
    phis: list[tuple[Instruction, Order]] = field(default_factory=list)
    _known: dict[object, int] = field(default_factory=dict)
    _counts: dict[int, int] = field(default_factory=dict)

    def add(self, i: Instruction) -> None:
        """Number what an instruction makes."""
        count = self._count(i.type_id)
        if not count:
            return
        args, name = i.args, i.name
        if name == "OpCompositeConstruct" and all(arg in self.of for arg in args):
            found: Iterable[int] = [n for arg in args for n in self.of[arg]]
        elif name == "OpCompositeExtract" and args[0] in self.of and len(args) == 2:
            found = [self.of[args[0]][args[1]]]
        elif name == "OpVectorShuffle" and args[0] in self.of and args[1] in self.of:
            both = self.of[args[0]] + self.of[args[1]]
            both += self._fresh(1, _NO_PART)  # the place that stands for no element
            found = [both[min(place, len(both) - 1)] for place in args[2:]]
        elif name == "OpCompositeInsert" and args[0] in self.of and args[1] in self.of and len(args) == 3:
            inserted, before, place = self.of[args[0]], self.of[args[1]], args[2]
            found = (*before[:place], *inserted, *before[place + 1 :])
        elif name == "OpCopyObject" and args[0] in self.of:
            found = self.of[args[0]]
        elif self.is_elementwise(i):
            found = self._computed(i, count)
        else:
            found = made = self._fresh(count, _NO_PART if name == "OpFunctionParameter" else _Node((name, i.result)))
            if name == "OpPhi":
                self.phis.append((i, made))
        self.of[i.result] = tuple(found)
        if self.bits(i.result) == _WIDTH:
            self.wide.update(self.of[i.result])

    def finish(self) -> None:
        """Tell phis their operands, some of which stand behind them."""
        for i, numbers in self.phis:
            ways = [self.of[value] for value in i.args[::2] if value in self.of]
            for number, operands in zip(numbers, zip(*ways)):
                self.nodes[number] = _Node(("OpPhi", *i.args[1::2]), operands)

    def bits(self, value: int) -> int:
        """The width of a value's elements; 0 of others than numbers."""
        kind = self.binary.definition[self.binary.definition[value].type_id]
        element = self.binary.definition[kind.args[0]] if kind.name == "OpTypeVector" else kind
        return element.args[0] if element.name in ("OpTypeInt", "OpTypeFloat") else 0

    def _count(self, type_id: int) -> int:
        found = self._counts.get(type_id)
        if found is None:
            kind = self.binary.definition.get(type_id)
            numbers = kind is not None and kind.name in ("OpTypeInt", "OpTypeFloat", "OpTypeBool")
            found = self._counts[type_id] = kind.args[1] if kind is not None and kind.name == "OpTypeVector" else int(numbers)
        return found

    def is_elementwise(self, i: Instruction) -> bool:
        """Whether each element is computed of those at its place, or of single numbers."""
        if not (i.name == "OpExtInst" or (i.name.startswith(_ELEMENTWISE) and not i.name.startswith(_NOT_ELEMENTWISE))):
            return False
        counts = 1, self._count(i.type_id)
        return all(len(self.of.get(arg, ())) in counts for arg in self._values(i))

    def _values(self, i: Instruction) -> tuple[int, ...]:
        return i.args[2:] if i.name == "OpExtInst" else i.args

    def _computed(self, i: Instruction, count: int) -> Iterator[int]:
        kind = (i.name, self._scalar(i.type_id), *(i.args[:2] if i.name == "OpExtInst" else ()))
        operands = [self.of[arg] * (count if len(self.of[arg]) == 1 else 1) for arg in self._values(i)]
        known, commutes = self._known, i.name in _COMMUTES
        for each in zip(*operands):
            key = (kind, tuple(sorted(each)) if commutes else each)
            number = known.get(key)
            if number is None:
                constant = not any(self.nodes[n].kind for n in each)
                (number,) = self._fresh(1, _NO_PART if constant else _Node(kind, each))
                known[key] = number
            yield number

    def _scalar(self, type_id: int) -> int:
        kind = self.binary.definition[type_id]
        return kind.args[0] if kind.name == "OpTypeVector" else type_id

    def _fresh(self, count: int, node: _Node) -> Order:
        first = len(self.nodes)
        self.nodes += [node] * count
        return tuple(range(first, first + count))

    def constants(self, constants: Sequence[Instruction]) -> None:
        """Number the module's constants: composites after what they are made of, as they stand."""
        for i in constants:
            count = self._count(i.type_id)
            parts = [self.of[arg] for arg in i.args if arg in self.of] if i.name == "OpConstantComposite" else []
            if count and len(parts) == count:
                self.of[i.result] = tuple(n for part in parts for n in part)
            elif count:
                self.of[i.result] = self._fresh(count, _NO_PART)


def tell_orders_apart(module: bytes, suspects: set[Id]) -> bytes:
    """The module with the same results; unchanged where no vector has another one's elements alone. `suspects`: vectors that may be one."""
    if not has_words(module, suspects, _PLACING):
        return module
    before = sys.maxsize
    while True:
        told, count = _told_apart(module)
        if not 0 < count < before:
            return module
        module, before = told, count


def _told_apart(module: bytes) -> tuple[bytes, int]:
    """The module with elements hidden in some of the vectors that are not apart, and how many these are."""
    binary = Binary(module)
    hiding = _Hiding(binary)
    constants = [i for i in binary.instructions if i.name.startswith(("OpConstant", "OpUndef"))]
    starts = [n for n, i in enumerate(binary.instructions) if i.name == "OpFunction"]
    functions = [binary.instructions[start:end] for start, end in zip(starts, [*starts[1:], None])]
    count = sum(hiding.look_at(constants, function) for function in functions)
    if not hiding.finds:
        return module, 0
    body = [*binary.instructions[: starts[0]], *(i for function in functions for i in hiding.function(function))]
    return hiding.finish(hiding.with_interface(body), set()), count


class _Hiding(HiddenZeros):
    """Hides elements of some vectors, by their ids their places, and operands of instructions for single numbers, by their results."""

    def __init__(self, binary: Binary) -> None:
        super().__init__(binary)
        self._places: dict[int, set[int]] = {}
        self._operands: dict[int, int] = {}

    @property
    def finds(self) -> bool:
        """Whether there is anything to hide."""
        return bool(self._places or self._operands)

    def look_at(self, constants: Sequence[Instruction], function: Sequence[Instruction]) -> int:
        """Find out about a function: how many vectors are not apart."""
        elements = _Elements(self.binary)
        elements.constants(constants)
        for i in function:
            elements.add(i)
        elements.finish()
        orders = _orders(elements, function)
        pairs = _pairs([order for order in orders if elements.wide.issuperset(order)])
        if not pairs:
            return 0
        # Vectors that are put together first: what is computed of them is another one then.
        for made in ([i for i in function if i.name in PLACING], function):
            beginning = _holders(elements, made, {order[0] for order in pairs})
            for order, other in pairs.items():
                for result in beginning[order[0]]:
                    if places := _apart(elements.of[result], order, other):
                        self._places.setdefault(result, set()).update(_to_hide(elements, order, places))
            if self._places:
                return len(pairs)
        single = _single_numbers(elements, function)
        for order in pairs:
            self._operands |= dict(_operands(elements, single, order, orders[order]))
        return len(pairs)

    def replace(self, old: Instruction) -> Iterator[Instruction]:
        """The instruction, and behind it the vector with an element hidden, under its name."""
        if old.result in self._operands:
            operand = self._operands[old.result]
            hidden = self.id()
            yield from self._hide(hidden, operand, self._definitions[operand].type_id)
            yield instruction(old.name, *old.words[:2], *(hidden if arg == operand else arg for arg in old.args))
        elif old.result in self._places:
            kind, made = self._definitions[old.type_id].args[0], self.id()
            yield instruction(old.name, old.type_id, made, *old.words[2:])
            places = sorted(self._places[old.result])
            for place in places:
                element, hidden = self.id(), self.id()
                whole = old.result if place == places[-1] else self.id()
                yield instruction("OpCompositeExtract", kind, element, made, place)
                yield from self._hide(hidden, element, kind)
                yield instruction("OpCompositeInsert", old.type_id, whole, hidden, made, place)
                made = whole
        else:
            yield old

    def _hide(self, result: int, number: int, type_id: int) -> Iterator[Instruction]:
        kind = self._definitions[type_id]
        if kind.name == "OpTypeInt":
            yield instruction("OpBitwiseOr", type_id, result, number, self.zero(type_id))
            return
        words, word, joined = self.int_type(kind.args[0]), self.id(), self.id()
        yield instruction("OpBitcast", words, word, number)
        yield instruction("OpBitwiseOr", words, joined, word, self.zero(words))
        yield instruction("OpBitcast", type_id, result, joined)


def _orders(elements: _Elements, function: Sequence[Instruction]) -> dict[Order, list[Order]]:
    """The vectors that IGC may make: what messages are given, and what that is computed of, place by place; with those it is of."""
    found: dict[Order, list[Order]] = {}
    for value in _seeds(function):
        if len(order := elements.of.get(value, ())) > 1:
            found.setdefault(order, [])
    ahead, nodes = list(found), elements.nodes
    for order in ahead:
        first = nodes[order[0]]
        if not first.kind or any(nodes[n].kind != first.kind or len(nodes[n].operands) != len(first.operands) for n in order):
            continue
        for operands in zip(*(nodes[n].operands for n in order)):
            if all(nodes[n].kind for n in operands):
                if operands not in found:
                    ahead.append(operands)
                found.setdefault(operands, []).append(order)
    return found


def _seeds(function: Sequence[Instruction]) -> Iterator[int]:
    """Vectors that IGC does not take apart, as it does what arithmetic of SPIR-V is given: what blocks are stored of among them, by way
    of variables.
    """
    for i in function:
        if i.name.startswith(_WHOLE):
            yield from i.args


def _pairs(orders: Sequence[Order]) -> dict[Order, Order]:
    """Orders to be told apart, each with one that has all its elements; of two with the same elements that which is not as it was made.

    Of a number that is spread, IGC takes the vector that it made of it and others, whatever the size of that one.
    """
    holding: dict[int, list[Order]] = defaultdict(list)
    for order in orders:
        for number in set(order):
            holding[number].append(order)
    found: dict[Order, Order] = {}
    for order in sorted(orders, key=lambda order: order == tuple(range(order[0], order[0] + len(order)))):
        own = set(order)
        for other in holding[order[0]]:
            fits = len(other) == len(order) or len(own) < len(order)
            if other != order and fits and own.issubset(other) and found.get(other) != order:
                found[order] = other
                break
    return found


def _holders(elements: _Elements, made: Sequence[Instruction], firsts: set[int]) -> dict[int, list[int]]:
    """The vectors that instructions make and that hold some of the numbers, by each of these."""
    found: dict[int, list[int]] = defaultdict(list)
    for i in made:
        numbers = elements.of.get(i.result, ()) if i.result and i.name != "OpPhi" else ()
        if len(numbers) > 1 and elements.bits(i.result) == _WIDTH:
            for number in firsts.intersection(numbers):
                found[number].append(i.result)
    return found


def _apart(numbers: Order, order: Order, other: Order) -> list[int]:
    """Where a vector has one order, unless it has the other too."""
    places = _places(order, numbers)
    return [] if places and _places(other, numbers) else places


def _to_hide(elements: _Elements, order: Order, places: Sequence[int]) -> Iterator[int]:
    """Which elements of a vector are hidden: one where an order begins, all of it where they come from a piece of assembly.

    Of its result IGC takes all elements that are not hidden, in their own order, and puts the hidden one beside them: sums of 128 numbers
    by segments were wrong from the 17th on.
    """
    kinds = {elements.nodes[number].kind[:1] for number in order}
    return (place + n for place in places for n in range(len(order) if kinds == {("OpAsmCallINTEL",)} else 1))


def _single_numbers(elements: _Elements, function: Sequence[Instruction]) -> dict[Order, list[Instruction]]:
    """The instructions that compute single numbers of others, by what they make."""
    found: dict[Order, list[Instruction]] = defaultdict(list)
    for i in function:
        numbers = elements.of.get(i.result, ()) if i.result and i.name != "OpPhi" else ()
        if len(numbers) == 1 and elements.is_elementwise(i):
            found[numbers].append(i)
    return found


def _operands(
    elements: _Elements, single: Mapping[Order, list[Instruction]], order: Order, of_them: Sequence[Order]
) -> Iterator[tuple[int, int]]:
    """The first element of an order that no vector holds, where single numbers are computed of it: their instructions, and the operand."""
    for computed in {others[:1] for others in of_them}:
        for i in single.get(computed, ()):
            yield from ((i.result, arg) for arg in i.args if elements.of.get(arg) == order[:1] and elements.bits(arg) == _WIDTH)


def _places(order: Order, numbers: Order) -> list[int]:
    """Where a vector's elements stand in those of another, side by side."""
    found: list[int] = []
    size, first = len(order), order[0]
    for at in range(len(numbers) - size + 1):
        if numbers[at] == first and numbers[at : at + size] == order and (not found or at >= found[-1] + size):
            found.append(at)
    return found
