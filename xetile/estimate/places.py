"""Places in memory, and numbers that IGC makes of others where they are needed: what they hold in registers is what they are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xetile.dialects import arith, gpu, vector, xegpu
from xetile.dialects.affine import affine_of
from xetile.dialects.types import BF16, INDEX, MemRefType, ScalarType, VectorType, element_of
from xetile.estimate.alike import Alike
from xetile.estimate.invariants import Invariants, Place
from xetile.estimate.parts import Atom, Parts
from xetile.ir.core import Op, Value

SHARED_MEMORY = 3
ADDRESS_BYTES, SHARED_ADDRESS_BYTES = 8, 4
"""Of one lane's place in an array, and in shared local memory."""
SHARED = 16
"""So many take what is there anyway: a lane's number, a row's first place. Half as many where loops need more registers than there are: IGC
moves sums back into them in groups that share what they are sums of (`refineLoopSinkCandidates`).
"""
# Elements of a number, or one as all of them.
_ELEMENTS = (vector.ExtractStridedSlice, vector.Extract, vector.Broadcast)


class Places:
    """Of a kernel which numbers lie in registers of others; `Storage` says in which."""

    if TYPE_CHECKING:
        lanes: int
        packs: bool
        remade: bool
        index_bits: int
        varying: set[Value]
        parts: dict[Value, Parts]
        _invariants: Invariants
        _moves_places: bool

        def atoms(self, values: Any) -> list[Atom]: ...

    def __init__(self, sinks: bool) -> None:
        self._numbers = Alike()
        self._sinks = sinks
        self._shared = SHARED // 2 if sinks else SHARED

    def _told_apart(self, op: Op, place: Place) -> object:
        """What tells an address from others: of stores, and of bytes, in shared memory the place alone.

        Where the array begins is added at each of these messages.
        """
        at = self._numbers.of(place[1])
        if not lies_in_shared(place[0]) or (is_scaled(op) and isinstance(op, xegpu.Load)):
            return place[0], at
        memory: Any = place[0].type
        return memory.element.bits, at

    def _varying_terms(self, place: Place) -> list[object]:
        """What differs between lanes of a place: what else is added is one operation."""
        offsets = place[1]
        if offsets is None or isinstance(offsets.type, VectorType):
            return [place]
        sums = affine_of(offsets, lambda value: value not in self.varying)
        return [(symbol, times) for symbol, times in sums.coefficients.items() if symbol in self.varying]

    def _address(self, op: Op, place: Place) -> Atom:
        shared = lies_in_shared(place[0])
        varies = not self.varying.isdisjoint(value for value in place if value is not None)
        each = SHARED_ADDRESS_BYTES if shared or (self.index_bits == 32 and not self.packs) else ADDRESS_BYTES
        return Atom(each * (self.lanes if varies else 1), INDEX.name, op.opname, op.loc)

    def _is_shared(self, op: Op) -> bool:
        """Whether an op's operands are needed anyway: by others as well, or once for all lanes."""
        kind = op.results[0].type
        if (
            not isinstance(kind, (VectorType, ScalarType))
            or op.results[0] not in self.varying
            or sum(op.results[0].users.values()) >= SHARED
        ):
            return False
        if any(user.parent is not op.parent for user in op.results[0].users) and not self._is_place(op):
            return False  # not in a loop what is computed before it
        count = kind.count if isinstance(kind, VectorType) else 1
        size = count * self.element_bytes(kind if isinstance(kind, ScalarType) else kind.element, varying=True)
        return all(self._lies_there(value, size) for value in op.operands)

    def _is_place(self, op: Op) -> bool:
        """Whether a sum is a part of places in memory alone: without block messages IGC adds what differs between them at each message,
        else where it must, beside products: it moves such sums back into loops. What several loops need it adds once, before the first.
        """
        return (
            (self._moves_places or not self.packs)
            and isinstance(op, arith.AddI)
            and self._is_only_added(op.results[0])
            and not self._is_taken_by_several(op.results[0])
        )

    def _is_only_added(self, value: Value) -> bool:
        """Whether a number, or what is taken out of it where numbers are rematerialized, is a part of sums and places in memory alone."""
        return all(
            isinstance(user, arith.AddI)
            or (isinstance(user, (xegpu.Load, xegpu.Store)) and user.offsets is value)
            or (self._sinks and isinstance(user, _ELEMENTS) and self._is_only_added(user.results[0]))
            for user in value.users
        )

    def _is_mask(self, op: Op) -> bool:
        """Whether a choice of a size or nothing only limits places: LLVM makes a mask of the condition, and the size is one for all."""
        chosen = op.results[0]
        return (
            not self.packs
            and chosen not in self.varying
            and arith.constant_of(op.operands[2]) == 0
            and all(isinstance(user, arith.CmpI) and user.predicate == "ult" and user.rhs is chosen for user in chosen.users)
        )

    def _is_read_there(self, op: Op) -> bool:
        """Whether arithmetic takes numbers of bf16 as they lie: sums and products of f32 do in the block of the number."""
        if self.packs or element_of(op.operands[0].type) is not BF16:
            return False
        return all(
            isinstance(user, (arith.AddF, arith.SubF, arith.MulF)) and user.parent is op.parent for user in op.results[0].users
        )

    def _is_taken_by_several(self, value: Value) -> bool:
        """Whether loops have addresses that each of them makes of a number of elements by itself."""
        found = self._invariants.addresses
        return len({found[user][0] for user in value.users if user in found and is_scaled(user)}) > 1

    def _lies_there(self, value: Value, size: float) -> bool:
        if self._sinks:
            while isinstance(value.op, _ELEMENTS):
                value = value.op.operands[0]
        made = value.op
        if (
            made is None
            or value not in self.varying
            or isinstance(made, (arith.Constant, gpu.LaneId))
            or sum(value.users.values()) >= self._shared
        ):
            return True
        if self._sinks and not any(bits for _, bits in self.parts.get(value, ())):
            return True  # it is computed of what lies there
        return sum(atom.bytes for atom in set(self.atoms([value]))) <= size / SHARED

    def _computed_of(self, op: Op) -> Parts:
        return tuple((atom, 0) for atom in dict.fromkeys(self.atoms(op.operands)))

    def element_bytes(self, element: ScalarType, varying: bool) -> float:
        """Bytes of one component over all lanes; what is the same in all lanes is held once."""
        bits = self.index_bits if element is INDEX else element.bits
        return bits / 8 * (self.lanes if varying else 1)


def lies_in_shared(memory: Value) -> bool:
    """Whether an array lies in shared memory."""
    return isinstance(memory.type, MemRefType) and memory.type.space == SHARED_MEMORY


def is_scaled(op: Op) -> bool:
    """Whether a message's address is made of a number of elements: of bytes it is one."""
    memory: Any = op.source.type if isinstance(op, xegpu.Load) else op.dest.type if isinstance(op, xegpu.Store) else None
    return memory is not None and memory.element.bits > 8
