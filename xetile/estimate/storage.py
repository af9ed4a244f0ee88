"""Where values lie: which pieces of the register file they are, how large, and which values share them.

The SPIR-V writer makes slices, insertions and casts of the same bits out of pieces of other values, so they cost nothing; values
of arithmetic are vectors of a few components, each a variable of its own to IGC.  The same is done here: a
value is a row of parts of atoms, and what lives is atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, repeat
from typing import Any

from xetile.dialects import arith, gpu, math, vector, xegpu, xetile
from xetile.dialects.types import INDEX, ScalarType, VectorType
from xetile.errors import Location
from xetile.estimate.dependences import dependences
from xetile.estimate.merged import merged_loads
from xetile.ir import analyses
from xetile.ir.core import Block, Elementwise, Op, Value, Variable, of_kind
from xetile.ir.interfaces import runs_again
from xetile.target import Target

Parts = tuple[tuple["Atom", int], ...]
"""Atoms, and how many bits of a lane each holds of a value."""

STEPS = {"arith.divf": 3, "math.sqrt": 3, "math.tanh": 5, "math.erf": 5, "math.powf": 5}
"""How many values of an op's size the driver's code for it holds beside operands and result: one component of a vector beside the others."""
WORD_BYTES = 4
SHARED = 16
"""So many take what is there anyway: a lane's number, a row's first place."""


class Atom:
    """One variable of IGC.

    `bytes` over all lanes; `dtype` of its elements; `made_by`: the op that fills it, "loop" for what a loop carries; `at`: where.
    """

    __slots__ = ("at", "bytes", "dtype", "made_by")

    def __init__(self, bytes: float, dtype: str, made_by: str, at: Location | None) -> None:
        self.bytes = bytes
        self.dtype = dtype
        self.made_by = made_by
        self.at = at


class Storage:
    """The parts of every value of a kernel at lane level.

    `taken`: as IGC takes registers, not as few as it could: what one lane gives to all stands in a register of its own beside products, where
    the SPIR-V writer computes two registers at a time. Elsewhere instructions read it where it lies.
    `words`: where lanes load narrow elements, these stay in the words in which they come, as until IGC packs them.
    `remade`: numbers that are one integer operation of others, which many need, are rematerialized where they are needed, as IGC does
    before it spills: they hold what they are computed of.
    """

    any_order = True

    def __init__(
        self, kernel: gpu.GpuFunc, target: Target, taken: bool = False, words: bool = False, remade: bool = False
    ) -> None:
        self.taken, self.words, self.remade = taken, words, remade
        self.lanes = target.subgroup_size
        self.grf_bytes = target.grf_bytes
        self.components = target.vector_components  # of one variable of a long vector, as the SPIR-V writer cuts them
        self._payload = target.block_payload_bytes
        self.headers = target.has_2d_block and not target.block_offsets
        self.packs = target.block2d is not None  # what is computed for products, as it is computed
        self.index_bits: int = kernel.attributes.get("index_bits") or 32
        self.varying: set[Value] = set()
        self.parts: dict[Value, Parts] = {}
        self.inside: dict[Op, tuple[Atom, ...]] = {}  # the atoms that the ops inside an op take, each once
        self.needs: dict[Op, tuple[Atom, ...]] = {}  # those that an op and all inside it take
        self.makes: dict[Op, tuple[Atom, ...]] = {}  # those of an op's results
        self.with_products: set[Block] = set()
        self.with_regions: set[Block] = set()
        self._merged: dict[Op, tuple[Atom, Op]] = {}
        self._known: dict[Block, tuple[Sequence[Op], dict[Any, Any]]] = {}
        for argument in kernel.body.args:
            self._make(argument, kernel)
        if self.packs:
            self._tables(kernel)
        self._block(kernel.body)

    def _tables(self, kernel: gpu.GpuFunc) -> None:
        """Tables of 16 bits in loops are looked up by two codes at once, in all pairs: a register for each number of a table."""
        for op in kernel.walk():
            if isinstance(op, xetile.LookUp) and op.base.type.element.bits < 8 * WORD_BYTES and runs_again(op):
                size = self.lanes * self.lanes * WORD_BYTES
                self.parts[op.base] = ((Atom(size, op.base.type.element.name, op.opname, op.loc), 0),)

    def atoms(self, values: Iterable[Value]) -> list[Atom]:
        """The atoms of some values, with repetitions."""
        parts = self.parts
        return [atom for value in values for atom, _ in parts.get(value, ())]

    def steps(self, op: Op) -> float:
        """Bytes that the driver's code for an op holds beside operands and results: quotients and functions take many steps."""
        count = STEPS.get(op.opname, 0) if arith.APPROXIMATE not in op.attributes else 0
        if not count or op.results[0] not in self.varying:
            return 0
        return count * max((atom.bytes for atom in self.atoms(op.results)), default=0)

    def known(self, block: Block) -> dict[Any, Any]:
        """What has been found out about the ops of a block in the order in which they stand now."""
        ops, found = self._known.get(block, (None, {}))
        if ops is not block.ops:
            found = {}
            self._known[block] = block.ops, found
        return found

    def dependences(self, block: Block, products: bool = False) -> tuple[list[set[int]], list[int]]:
        """`dependences` of a block's ops, once for all orders that are tried: not to be changed."""
        known = self.known(block)
        if (dependences, products) not in known:
            known[dependences, products] = dependences(block.ops, products)
        found: tuple[list[set[int]], list[int]] = known[dependences, products]
        return found

    def _block(self, block: Block) -> None:
        self._merge(block.ops)
        if of_kind(block.ops, xegpu.Dpas):
            self.with_products.add(block)
        for op in block.ops:
            if op.regions:
                self.with_regions.add(block)
                self._structured(op)
                self.inside[op] = tuple(
                    dict.fromkeys([a for inner in op.regions for each in inner.ops for a in self.needs[each]])
                )
                self.needs[op] = tuple(dict.fromkeys((*self.atoms(op.operands), *self.inside[op])))
            else:
                self._plain(op)
                merged = self._merged.get(op)
                # The message has the address of one of them.
                self.needs[op] = self._together(op.operands) if merged is None or merged[1] is op else ()
            self.makes[op] = self._together(op.results)

    def _merge(self, ops: Sequence[Op]) -> None:
        for run in merged_loads(ops):
            element: Any = run[0].results[0].type
            atom = Atom(len(run) * self.lanes * WORD_BYTES, element.name, run[0].opname, run[0].loc)
            self._merged.update((op, (atom, run[0])) for op in run)

    def _together(self, values: Sequence[Value]) -> tuple[Atom, ...]:
        """The atoms of some values, each once."""
        return tuple(dict.fromkeys(self.atoms(values))) if values else ()

    def _plain(self, op: Op) -> None:
        kind = type(op)
        place = _same if is_sign(op) else _PLACES.get(kind)
        if isinstance(op, gpu.Shuffle) and not (self.taken and op.parent in self.with_products) and _gives_one_lane(op):
            place = _copied
        if place is not _copied and (kind in _VARYING or not self.varying.isdisjoint(op.operands)):
            self.varying.update(op.results)
        if place is _insert and self.words and not self.packs and _is_operand(op.results[0]):
            self._make(op.results[0], op)  # IGC puts it together when all of it has come
        elif place is not None:
            self.parts[op.results[0]] = place(self, op)
        elif op in self._merged:
            self.parts[op.results[0]] = ((self._merged[op][0], 8 * WORD_BYTES),)
        elif self.remade and isinstance(op, _CHEAP) and self._is_shared(op):
            self.parts[op.results[0]] = self._computed_of(op)
        else:
            for value in op.results:
                self._make(value, op)

    def _is_shared(self, op: Op) -> bool:
        """Whether an op's operands are needed anyway: by others as well, or once for all lanes."""
        kind = op.results[0].type
        if (
            not isinstance(kind, (VectorType, ScalarType))
            or op.results[0] not in self.varying
            or len(op.results[0].uses) >= SHARED
        ):
            return False
        if any(user.parent is not op.parent for user in op.results[0].users):
            return False  # not in a loop what is computed before it
        count = kind.count if isinstance(kind, VectorType) else 1
        size = count * self.element_bytes(kind if isinstance(kind, ScalarType) else kind.element, varying=True)
        return all(self._lies_there(value, size) for value in op.operands)

    def _lies_there(self, value: Value, size: float) -> bool:
        made = value.op
        if (
            made is None
            or value not in self.varying
            or isinstance(made, (arith.Constant, gpu.LaneId))
            or len(value.uses) >= SHARED
        ):
            return True
        return sum(atom.bytes for atom in set(self.atoms([value]))) <= size / SHARED

    def _computed_of(self, op: Op) -> Parts:
        return tuple((atom, 0) for atom in dict.fromkeys(self.atoms(op.operands)))

    def _structured(self, op: Op) -> None:
        # Around a loop a value may come to differ between lanes: vectors always may, scalars where their start does.
        variables = {holder: variable for variable in op.flow() for holder in variable.holders}
        for block in op.regions:
            for argument in block.args:
                if isinstance(argument.type, VectorType):
                    self.varying.add(argument)
                self._make(argument, _carried_by(op, variables.get(argument)))
            self._block(block)
        for result in op.results:
            if isinstance(result.type, VectorType) or variables[result].given[0] in self.varying:
                self.varying.add(result)
            self._make(result, op)

    def _make(self, value: Value, op: Op) -> None:
        kind = value.type
        if isinstance(kind, xegpu.TensorDescType):
            self.parts[value] = ((Atom(self._payload, "", op.opname, op.loc), 0),)
        if not isinstance(kind, (VectorType, ScalarType)):
            return
        element, count = (kind.element, kind.count) if isinstance(kind, VectorType) else (kind, 1)
        each = self.element_bytes(element, value in self.varying)
        if self.words and isinstance(op, xegpu.Load) and value in self.varying and not _comes_packed(op, count, element):
            each = max(each, self.lanes * WORD_BYTES)
        if self._is_apart(value, element, op) or (self.words and not self.packs and self._is_single(value, element, op)):
            each = max(each, self.grf_bytes)
        step = count if isinstance(op, _WHOLE) else self.components
        made_by = op.opname if value.op is not None else "loop"
        if count <= step:
            self.parts[value] = ((Atom(count * each, element.name, made_by, op.loc), count * element.bits),)
            return
        counts = [min(step, count - i) for i in range(0, count, step)]
        self.parts[value] = tuple([(Atom(n * each, element.name, made_by, op.loc), n * element.bits) for n in counts])

    def _is_apart(self, value: Value, element: ScalarType, op: Op) -> bool:
        """Whether IGC keeps each component in a register of its own: narrow integers on the way between two operations.

        It computes them one by one, in words, and packs them only for what takes them as a vector. For products the SPIR-V writer
        computes them packed.
        """
        if not isinstance(op, (Elementwise, xegpu.Load)) or element.is_float or not 1 < element.bits < 8 * WORD_BYTES:
            return False
        return value in self.varying and op.parent not in self.with_products and _is_computed_with(value)

    def _is_single(self, value: Value, element: ScalarType, op: Op) -> bool:
        """Whether narrow numbers that are computed lie in registers of their own until they are put together for a product."""
        return isinstance(op, (Elementwise, gpu.Shuffle)) and value in self.varying and 1 < element.bits < 8 * WORD_BYTES

    def element_bytes(self, element: ScalarType, varying: bool) -> float:
        """Bytes of one component over all lanes; what is the same in all lanes is held once."""
        bits = self.index_bits if element is INDEX else element.bits
        return bits / 8 * (self.lanes if varying else 1)


def placed(ops: Iterable[Op], atoms: Mapping[Op, tuple[Atom, ...]]) -> Iterator[tuple[Atom, int]]:
    """The atoms that some ops need or make, each with the op's position."""
    return chain.from_iterable(map(zip, map(atoms.__getitem__, ops), map(repeat, count())))


def _gives_one_lane(op: gpu.Shuffle) -> bool:
    """Whether an exchange fills vectors with what a known lane has: instructions read it as one element of a register."""
    if op.mode != "idx" or arith.constant_of(op.offset) is None:
        return False
    return isinstance(op.value.type, ScalarType) and all(
        isinstance(u, (vector.Insert, vector.Broadcast)) for u in op.shuffled.users
    )


def _comes_packed(op: xegpu.Load, count: int, element: ScalarType) -> bool:
    """Whether lanes load runs of narrow elements as words, and leave them so: where these are aligned, and no mask selects elements."""
    aligned = (op.attributes.get("alignment") or 0) >= WORD_BYTES and count * element.bits % (8 * WORD_BYTES) == 0
    return aligned and vector.is_true(op.mask)


def _is_computed_with(value: Value) -> bool:
    """Whether an elementwise op takes a value, or a vector that it is put into."""
    seen, ahead = {value}, [value]
    while ahead:
        for op in ahead.pop().users:
            if isinstance(op, Elementwise):
                return True
            if isinstance(op, _MOVES) and op.results[0] not in seen:
                seen.add(op.results[0])
                ahead.append(op.results[0])
    return False


def is_sign(op: Op) -> bool:
    """Whether an op is the sign with which instructions take its operand: powers do."""
    return isinstance(op, arith.NegF) and all(isinstance(user, math.Exp2) for user in op.result.users)


def _is_operand(value: Value) -> bool:
    """Whether a product takes a value as it is."""
    return any(isinstance(op, xegpu.Dpas) and at < 2 for op, at in value.uses)


def _carried_by(op: Op, variable: Variable | None) -> Op:
    """For an argument of a block the op whose place in the source tells best what it is: what a loop carries in it."""
    carried = variable.given[1:] if variable is not None else ()
    return next((value.op for value in carried if value.op is not None), op)


def _nothing(storage: Storage, op: Any) -> Parts:
    return ()


def _slice(storage: Storage, op: Any) -> Parts:
    parts, source = storage.parts.get(op.source, ()), op.source.type
    if source.rank != 1:
        return parts
    bits = source.element.bits
    return _cut(parts, op.offsets[0] * bits, (op.offsets[0] + op.sizes[0]) * bits)


def _extract(storage: Storage, op: Any) -> Parts:
    parts, source = storage.parts.get(op.source, ()), op.source.type
    if source.rank != 1:
        return parts
    bits = source.element.bits
    return _cut(parts, op.position[0] * bits, (op.position[0] + 1) * bits)


def _insert(storage: Storage, op: Any) -> Parts:
    into, value = storage.parts.get(op.dest, ()), storage.parts.get(op.value, ())
    offsets = op.offsets if isinstance(op, vector.InsertStridedSlice) else op.position
    if op.dest.type.rank != 1:
        return (*into, *value)
    bits = op.dest.type.element.bits
    total, first = op.dest.type.count * bits, offsets[0] * bits
    count = bits * (op.value.type.count if isinstance(op.value.type, VectorType) else 1)
    into = into or ((Atom(0, "", op.opname, op.loc), total),)  # a constant takes no register
    value = value or ((Atom(0, "", op.opname, op.loc), count),)
    return (*_cut(into, 0, first), *value, *_cut(into, first + count, total))


def _spread(storage: Storage, op: Any) -> Parts:
    parts, bits = storage.parts.get(op.operands[0], ()), op.result.type.count * op.result.type.element.bits
    return ((parts[0][0], bits),) if len(parts) == 1 else parts


def _same(storage: Storage, op: Any) -> Parts:
    return storage.parts.get(op.operands[0], ())


def _copied(storage: Storage, op: Any) -> Parts:
    """IGC copies the register that is read for each variable that is filled from it."""
    element = op.value.type
    return ((Atom(storage.element_bytes(element, True) / storage.components, element.name, op.opname, op.loc), element.bits),)


def _cut(parts: Parts, start: int, stop: int) -> Parts:
    """Bits start to stop of a row of parts."""
    found, at = [], 0
    for atom, bits in parts:
        low, high = max(start, at), min(stop, at + bits)
        if low < high:
            found.append((atom, high - low))
        at += bits
    return tuple(found)


_PLACES: dict[type[Op], Callable[[Storage, Any], Parts]] = {
    arith.Constant: _nothing,  # immediates
    vector.ExtractStridedSlice: _slice,
    vector.InsertStridedSlice: _insert,
    vector.Insert: _insert,
    vector.Extract: _extract,
    vector.Broadcast: _spread,
    vector.ShapeCast: _same,
    vector.Bitcast: _same,
}
# The parts of one value in another.
_MOVES = (
    vector.ExtractStridedSlice,
    vector.InsertStridedSlice,
    vector.Insert,
    vector.Extract,
    vector.Broadcast,
    vector.ShapeCast,
)
# One variable: a block message fills it as a whole.
_WHOLE = (xegpu.LoadNd, xegpu.Load, xegpu.LoadMatrix, xegpu.Dpas)
# Differs between lanes whatever goes in.
_VARYING = frozenset((gpu.LaneId, xegpu.LoadNd, xegpu.Load, xegpu.LoadMatrix, xegpu.Dpas, xegpu.AtomicRmw))

# One instruction of integers.
_CHEAP = (arith.AddI, arith.SubI, arith.MulI)


def storage_of(kernel: gpu.GpuFunc, target: Target, *, taken: bool = False, words: bool = False, remade: bool = False) -> Storage:
    """The storage of a kernel as it is now, with what has been found out about orders of its code."""
    return analyses.get(Storage, kernel, target, taken, words, remade)


__all__ = ["Atom", "Storage", "placed", "storage_of"]
