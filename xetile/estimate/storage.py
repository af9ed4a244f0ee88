"""Where values lie: which pieces of the register file they are, how large, and which values share them.

The SPIR-V writer makes slices, insertions and casts of the same bits out of pieces of other values, so they cost nothing; values
of arithmetic are vectors of a few components, each a variable of its own to IGC.  The same is done here: a
value is a row of parts of atoms, and what lives is atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, repeat
from operator import itemgetter
from typing import Any

from xetile.dialects import arith, gpu, tables, xegpu
from xetile.dialects.types import I1, INDEX, ScalarType, VectorType, element_of
from xetile.estimate.alike import COMPUTED_ALIKE
from xetile.estimate.chosen import compared, decides_for_lanes, rounded
from xetile.estimate.dependences import dependences
from xetile.estimate.headers import header_atoms
from xetile.estimate.invariants import Invariants
from xetile.estimate.merged import comes_packed, merged_loads
from xetile.estimate.parts import PLACES, Atom, Parts, Sizes, carried_by, copied, is_sign, is_undone, rescaled, same
from xetile.estimate.places import Places, is_scaled
from xetile.estimate.spread import SAME_NUMBER, fills_registers, gives_one_lane, is_by_rows, is_compared, is_single, is_taken_by
from xetile.estimate.steps import ByteSteps
from xetile.estimate.twins import is_copied, lies_twice, with_copies
from xetile.ir import analyses
from xetile.ir.core import Block, Elementwise, Op, Value, Variable, of_kind
from xetile.ir.interfaces import enclosing, passes_reads, runs_again
from xetile.target import Target

STEPS = {"arith.divf": 3, "math.sqrt": 3, "math.tanh": 5, "math.erf": 5, "math.powf": 5}
"""How many values of an op's size the driver's code for it holds beside operands and result: one component of a vector beside the others."""
RAISED = 20
"""Registers of words of a second operand of few bits, and of its rows as f16 before they become f32, beside those of each half."""
REORDERS_WITHIN = 15
"""IGC (2.40.14) orders blocks with products anew, these among each other too, where so few registers are left (`CodeSchedulingRPMargin`)."""
SMALL = 8
"""So many times longer is a message than what is computed late of a part of it."""
WORD_BYTES = 4
FLAG_BYTES = 2
"""Of each lane, for a condition that is computed of others: few lie in flags, which IGC (2.40.14) moves to registers and back."""
_atom_of = itemgetter(0)


class Storage(Places):
    """The parts of every value of a kernel at lane level.

    `taken`: as IGC takes registers, not as few as it could: what one lane gives to all stands in a register of its own beside products, where
    the SPIR-V writer computes two registers at a time. Elsewhere instructions read it where it lies.
    `words`: where lanes load narrow elements, these stay in the words in which they come, until a product takes them.
    `remade`: numbers that are one integer operation of others, which many need, are rematerialized where they are needed, as IGC does
    before it spills: they hold what they are computed of.
    `crowded`: nothing is computed by assembly, of which registers would be copied (`twins`).
    """

    any_order = True

    def __init__(
        self, kernel: gpu.GpuFunc, target: Target, taken: bool = False, words: bool = False, remade: bool = False, crowded: bool = False
    ) -> None:  # fmt: skip
        self.taken, self.words, self.remade = taken, words, remade
        self.lanes = target.subgroup_size
        self.grf_bytes = target.grf_bytes
        self.components = target.vector_components  # of one variable of a long vector, as the SPIR-V writer cuts them
        self._payload = target.block_payload_bytes
        self.headers = target.has_2d_block and not target.block_offsets
        self.reordered_beyond = (target.most_registers - REORDERS_WITHIN) * target.grf_bytes
        self.packs = target.block2d is not None  # what is computed for products, as it is computed
        self._beside_products = self.packs and kernel.has(xegpu.Dpas)
        self._has_twins = self.packs and not self._beside_products and not crowded
        self._moves_places = remade and kernel.has(xegpu.Dpas)
        super().__init__(sinks=remade and not self.packs)
        self.index_bits: int = kernel.index_bits
        self.varying: set[Value] = set()
        self.parts: dict[Value, Parts] = {}
        self.inside: dict[Op, tuple[Atom, ...]] = {}  # the atoms that the ops inside an op take, each once
        self.needs: dict[Op, tuple[Atom, ...]] = {}  # those that an op and all inside it take
        self.makes: dict[Op, tuple[Atom, ...]] = {}  # those of an op's results
        self.with_products: set[Block] = set()
        self.with_regions: set[Block] = set()
        # What IGC computes before a loop, and keeps through it.
        self.carried: dict[Block, dict[Atom, None]] = header_atoms(kernel, self._payload, self.grf_bytes) if self.headers else {}
        self._merged: dict[Op, tuple[Atom, Op]] = {}
        # With block messages lanes load little in loops, and IGC adds much of their places at the messages (life by shared memory on PVC).
        self._invariants = Invariants(None) if self.packs else analyses.get(Invariants, kernel)
        self._before: dict[Atom, Op] = {}  # the loop before which it is made
        self._addresses: dict[object, Atom] = {}
        # What the addresses of later loops are made of anew, which the first loop that takes it leaves as it is.
        self.again: dict[Op, dict[Atom, None]] = {}
        self._taken_by: dict[Value, Op] = {}
        # Whole numbers in a block and in those around it by what they are computed of, and what is the same as one of them.
        self._computed: list[dict[object, Value]] = []
        self._alike: dict[Value, Value] = {}
        self._loaded: dict[object, Value] = {}  # by place what has been loaded since something was written
        self._packed: dict[Value, Atom] = {}
        self._copies: dict[Atom, Atom] = {}  # of pairs of registers, one by one (`is_copied`)
        self._apart: set[Atom] = set()  # what lies in more registers than it fills
        self.whole: set[Atom] = set()  # what one message or product fills
        self._steps = ByteSteps(self.lanes)
        self._known: dict[Block, tuple[Sequence[Op], dict[Any, Any]]] = {}
        for argument in kernel.body.args:
            self._make(argument, kernel)
        self.raises = self.packs and kernel.has(tables.Choose)
        if self.packs and kernel.has(tables.LookUp):
            self._tables(kernel)
        self._block(kernel.body)

    def _tables(self, kernel: gpu.GpuFunc) -> None:
        """Tables in loops are looked up by two codes at once, in all pairs: of 16 bits a register for each number of a table."""
        for op in kernel.find(tables.LookUp):
            if runs_again(op) and (kernel.pairs or op.base.type.element.bits < 8 * WORD_BYTES):
                size = self.lanes * self.lanes * max(WORD_BYTES, op.base.type.element.bits // 4)
                self.parts[op.base] = ((Atom(size, op.base.type.element.name, op.opname, op.loc), 0),)

    def count_headers(self, kernel: gpu.GpuFunc) -> None:
        """Keep the headers of loads as they are numbered now: all else is where it was."""
        self.carried = header_atoms(kernel, self._payload, self.grf_bytes)
        self._known = {}

    def atoms(self, values: Iterable[Value]) -> list[Atom]:
        """The atoms of some values, with repetitions."""
        return [*map(_atom_of, chain.from_iterable(filter(None, map(self.parts.get, values))))]

    def raised(self, op: Op) -> float:
        """Bytes that assembly holds where numbers of a known table become f32."""
        return RAISED * self.lanes * WORD_BYTES if isinstance(op, arith.ExtF) and isinstance(op.operand.op, tables.Choose) else 0

    def steps(self, op: Op) -> float:
        """Bytes that the driver's code for an op holds beside operands and results: quotients and functions take many steps."""
        count = STEPS.get(op.opname, 0) if arith.APPROXIMATE not in op.attributes else 0
        if not count or op.results[0] not in self.varying:
            return self.raised(op) if self.raises else 0
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
        self._computed.append({})
        self._merge(block.ops)
        if of_kind(block.ops, xegpu.Dpas):
            self.with_products.add(block)
        before = self._invariants.before
        lie_elsewhere = bool(self._merged or self._invariants.addresses)
        for op in block.ops:
            if op.regions:
                self.with_regions.add(block)
                self._loaded = {}
                self._structured(op)
                self._loaded = {}
                within = chain.from_iterable([inner.ops for inner in op.regions])
                self.inside[op] = tuple(dict.fromkeys(chain.from_iterable(map(self.needs.__getitem__, within))))
                self.needs[op] = tuple(dict.fromkeys((*self.atoms(op.operands), *self.inside[op], *self.again.get(op, ()))))
            elif not (self.packs or op.pure) and self._is_loaded(op):
                self.needs[op] = self.makes[op] = ()
                continue
            else:
                self._plain(op)
                self.needs[op] = self._needs(op) if lie_elsewhere else self._together(op.operands)
                if self.words and isinstance(op, xegpu.Dpas):
                    self._pack(op)
                    self._carries(self.needs[op], None)
                    continue
                if op in before:
                    self._moved(op, before[op])
                    continue
                if self._before:
                    self._carries(self.needs[op], None)
            self.makes[op] = self._together(op.results)
            if self._copies:
                self.needs[op], self.makes[op] = with_copies(op, self.needs[op], self.makes[op], self._copies)
        self._computed.pop()

    def _is_loaded(self, op: Op) -> bool:
        """Whether a message of lanes brings what another one has brought: LLVM takes that."""
        if not isinstance(op, xegpu.Load):
            if not passes_reads(op):
                self._loaded = {}
            return False
        place = (op.source, self._numbers.of(op.offsets), self._numbers.of(op.mask), op.value.type)
        found = self._loaded.setdefault(place, op.value)
        if found is not op.value:
            self.parts[op.value] = self.parts[found]
            self.varying.update({found, op.value} if found in self.varying else ())
        return found is not op.value

    def _same_number(self, op: Op) -> Value | None:
        """The result of an op before that computes the same of whole numbers, as IGC sees: here or in a block around. Kernels for block
        messages hold few of these, and nobody asks there.
        """
        if not isinstance(op, COMPUTED_ALIKE) or element_of(op.results[0].type).is_float:
            return None
        key = (type(op), op.results[0].type, *map(self._named, op.operands))
        found = next((scope[key] for scope in reversed(self._computed) if key in scope), None)
        if found is None:
            self._computed[-1][key] = op.results[0]
        else:
            self._alike[op.results[0]] = found
        return found

    def _named(self, value: Value) -> object:
        return (value.type, value.op.value) if isinstance(value.op, arith.Constant) else self._alike.get(value, value)

    def _needs(self, op: Op) -> tuple[Atom, ...]:
        if op in self._merged and self._merged[op][1] is not op:
            return ()  # the message has the address of one of them
        if op not in self._invariants.addresses:
            return self._together(op.operands)
        loop, place = self._invariants.addresses[op]
        key = (loop, *self._varying_terms(place)) if self.remade else (loop, self._told_apart(op, place))
        sums = place[1]
        if sums is not None and is_scaled(op) and self._taken_by.setdefault(sums, loop) is not loop:
            self.again.setdefault(loop, {}).update(dict.fromkeys(self.atoms([sums])))
        if key not in self._addresses:
            self._addresses[key] = atom = self._address(op, place)
            self._before[atom] = loop
        others = [value for value in op.operands if value not in place]
        return tuple(dict.fromkeys((*self.atoms(others), self._addresses[key])))

    def _pack(self, op: xegpu.Dpas) -> None:
        """The needs of a product whose operands lie in more registers than they fill: they are put together for the first that takes them."""
        needs, makes = self.atoms(op.operands[2:]), self.atoms(op.results)
        for position, value in enumerate(op.operands[:2]):
            parts = dict.fromkeys(self.atoms([value]))
            kind: Any = value.type
            size = kind.count * self.element_bytes(kind.element, varying=True)
            if self._apart.isdisjoint(parts):
                needs += parts
                continue
            if value not in self._packed:
                self._packed[value] = atom = Atom(size, kind.element.name, op.opname, op.loc)
                if (op, position) in self._invariants.operands:
                    self._before[atom] = self._invariants.operands[op, position]
                else:
                    needs += parts
                    makes.append(atom)
                    continue
            needs.append(self._packed[value])
        self.needs[op], self.makes[op] = tuple(dict.fromkeys(needs)), tuple(makes)

    def _moved(self, op: Op, loop: Op) -> None:
        """An op that IGC moves before a loop."""
        if self._alike.keys().isdisjoint(op.results):
            given = set(self.needs[op])
            self._before.update((atom, loop) for atom in self.atoms(op.results) if atom not in given)
        self._carries(self.needs[op], loop)
        self.needs[op] = self.makes[op] = ()

    def _carries(self, atoms: Collection[Atom], user: Op | None) -> None:
        """Atoms that are needed in the loops before which they are made. user: the loop before which what needs them is moved."""
        if self._before.keys().isdisjoint(atoms):
            return
        for atom in atoms:
            loop = self._before.get(atom)
            if loop is None or (user is not None and loop not in enclosing(user)):
                continue
            for region in loop.regions:
                self.carried.setdefault(region, {})[atom] = None

    def _merge(self, ops: Sequence[Op]) -> None:
        for run in merged_loads(ops):
            element: Any = run[0].results[0].type
            atom = Atom(len(run) * self.lanes * WORD_BYTES, element.name, run[0].opname, run[0].loc)
            self._merged.update((op, (atom, run[0])) for op in run)

    def _together(self, values: Sequence[Value]) -> tuple[Atom, ...]:
        """The atoms of some values, each once."""
        if len(values) == 1:  # as of most ops' results
            only = self.parts.get(values[0], ())
            return (only[0][0],) if len(only) == 1 else tuple(dict.fromkeys(map(_atom_of, only)))
        if len(values) == 2:
            one, other = self.parts.get(values[0], ()), self.parts.get(values[1], ())
            if len(one) == 1 == len(other) and one[0][0] is not other[0][0]:
                return one[0][0], other[0][0]
        found: dict[Atom, None] = {}
        for value in values:
            parts = self.parts.get(value)
            if parts and len(parts) == 1:  # as most
                found[parts[0][0]] = None
            elif parts:
                found.update(dict.fromkeys(map(_atom_of, parts)))
        return tuple(found)

    def _plain(self, op: Op) -> None:
        kind = op.__class__
        place = self._place(op) if kind in _MAY_LIE_THERE else PLACES.get(kind)
        varies = place is not copied and (kind in _VARYING or not self.varying.isdisjoint(op.operands))
        if varies or (kind is arith.Select and self.packs and decides_for_lanes(op)):
            self.varying.update(op.results)
        if place is not None:
            self.parts[op.results[0]] = place(self, op)
        elif kind is arith.TruncF and self.packs and op.parent in self.with_products and (comparison := compared(op)) is not None:
            self.parts[op.results[0]] = rounded(self, op, comparison, self.grf_bytes)
        elif self.packs and op.parent in self.with_products and (step := self._steps.parts(op)) is not None:
            self.parts[op.results[0]] = step
        elif op in self._merged:
            self.parts[op.results[0]] = ((self._merged[op][0], 8 * WORD_BYTES),)
        elif not self.packs and (other := self._same_number(op)) is not None:
            self.parts[op.results[0]] = self.parts[other]
        elif (kind in _CHEAP and (self.remade or self._is_place(op)) and self._is_shared(op)) or (
            kind is arith.Select and self._is_mask(op)
        ):
            self.parts[op.results[0]] = self._computed_of(op)
        elif kind is arith.ExtF and self._is_read_there(op):
            self.parts[op.results[0]] = tuple([(atom, 2 * bits) for atom, bits in self.parts.get(op.operands[0], ())])
        else:
            for value in op.results:
                self._make(value, op)
                self._keeps_message(value, op)

    def _keeps_message(self, value: Value, op: Op) -> None:
        """Let words that are computed of a small part of a long message hold it, beside products: IGC computes them where they are needed.

        Numbers of 16 bits assembly takes from it, which comes before.
        """
        wide = isinstance(op, Elementwise) and element_of(value.type).bits >= 8 * WORD_BYTES
        if not (wide and self.packs and op.parent in self.with_products and value in self.parts):
            return
        own = sum(atom.bytes for atom in dict.fromkeys(map(_atom_of, self.parts[value])))
        given = dict.fromkeys(self.atoms(op.operands))
        kept = [a for a in given if a in self.whole and a.bytes >= SMALL * own and a.made_by == xegpu.LoadNd.opname]
        self.parts[value] = (*[(atom, 0) for atom in kept], *self.parts[value])

    def _place(self, op: Op) -> Callable[[Sizes, Any], Parts] | None:
        """How an op places its operand, if it computes nothing: it may be another name or a copy for it."""
        if not isinstance(op, gpu.Shuffle):
            return rescaled if not self.packs and is_undone(op) else same if is_sign(op) or self._keeps_bits(op) else None
        if is_compared(op):
            return same
        return copied if gives_one_lane(op) and not (self._spreads(op) and fills_registers(op.shuffled)) else None

    def _spreads(self, op: Op) -> bool:
        return self.taken and op.parent in self.with_products

    def _keeps_bits(self, op: Op) -> bool:
        """Whether an op only calls a number by another type."""
        if not isinstance(op, SAME_NUMBER):
            return False
        given, made = element_of(op.operands[0].type), element_of(op.results[0].type)
        return self.bits(given) == self.bits(made)

    def _structured(self, op: Op) -> None:
        # Around a loop a value may come to differ between lanes: vectors always may, scalars where their start does.
        variables = {holder: variable for variable in op.flow() for holder in variable.holders}
        for block in op.regions:
            for argument in block.args:
                if isinstance(argument.type, VectorType) or self._begins_varying(variables.get(argument)):
                    self.varying.add(argument)
                self._make(argument, carried_by(op, variables.get(argument)))
            self._block(block)
        for result in op.results:
            if isinstance(result.type, VectorType) or self._begins_varying(variables[result]):
                self.varying.add(result)
            self._make(result, op)

    def _begins_varying(self, variable: Variable | None) -> bool:
        return variable is not None and variable.given[0] in self.varying

    def _make(self, value: Value, op: Op) -> None:
        kind, varies = value.type, value in self.varying
        if isinstance(kind, VectorType):
            element, count = kind.element, kind.count
        elif isinstance(kind, ScalarType):
            element, count = kind, 1
        else:
            if isinstance(kind, xegpu.TensorDescType):
                self.parts[value] = ((Atom(self._payload, "", op.opname, op.loc), 0),)
            return
        bits = self.index_bits if element is INDEX else element.bits
        each = packed = bits / 8 * (self.lanes if varies else 1)
        if varies and element.bits < 8 * WORD_BYTES and (self.words or self.packs or element.kind != "float"):  # may lie apart
            if self.words and isinstance(op, xegpu.Load) and not comes_packed(op, count, element):
                each = max(each, self.lanes * WORD_BYTES)
            if self._is_apart(value, element, op) or (self.words and not self.packs and is_single(element, op)):
                each = max(each, self.grf_bytes)
        if element is I1 and varies and isinstance(op, _OF_FLAGS) and not self._beside_products:
            each = packed = self.lanes * FLAG_BYTES
        if self._has_twins and lies_twice(value):
            each = packed = 2 * each
        step = count if isinstance(op, _WHOLE) else self.components
        made_by = op.opname if value.op is not None else "loop"
        if count <= step:  # as nearly all
            atom = Atom(count * each, element.name, made_by, op.loc)
            self.parts[value] = ((atom, count * element.bits),)
            if isinstance(op, _WHOLE):
                self.whole.add(atom)
        else:
            counts = [min(step, count - i) for i in range(0, count, step)]
            self.parts[value] = tuple([(Atom(n * each, element.name, made_by, op.loc), n * element.bits) for n in counts])
        if self._has_twins and is_copied(value):
            self._copies.update((atom, Atom(atom.bytes, atom.dtype, made_by, op.loc)) for atom, _ in self.parts[value])
        if each > packed:
            self._apart.update(atom for atom, _ in self.parts[value])

    def _is_apart(self, value: Value, element: ScalarType, op: Op) -> bool:
        """Whether IGC keeps each component in a register of its own: narrow numbers on the way between two operations; beside products, whose
        sums leave few registers, floats on the way to a block message that stores them.

        It computes them one by one, integers in words, and packs them only for what takes them as a vector. For products the SPIR-V writer
        computes them packed.
        """
        if not isinstance(op, (Elementwise, xegpu.Load)) or not 1 < element.bits < 8 * WORD_BYTES:
            return False
        if element.is_float:
            taker, by_rows = xegpu.StoreNd if self._beside_products else Elementwise, is_by_rows(op, self._beside_products)
            return self.packs and isinstance(op, Elementwise) and (by_rows or is_taken_by(value, taker))
        return (op.parent not in self.with_products or (self.packs and is_by_rows(op))) and is_taken_by(value, Elementwise)

    def bits(self, element: ScalarType) -> int:
        """Bits of one component."""
        return self.index_bits if element is INDEX else element.bits


def placed(ops: Iterable[Op], atoms: Mapping[Op, tuple[Atom, ...]]) -> Iterator[tuple[Atom, int]]:
    """The atoms that some ops need or make, each with the op's position."""
    return chain.from_iterable(map(zip, map(atoms.__getitem__, ops), map(repeat, count())))


# One variable: a block message fills it as a whole.
_WHOLE = (xegpu.LoadNd, xegpu.Load, xegpu.LoadMatrix, xegpu.Dpas)
# Differs between lanes whatever goes in.
_VARYING = frozenset((gpu.LaneId, xegpu.LoadNd, xegpu.LoadMatrix, xegpu.Dpas, xegpu.AtomicRmw))
_OF_FLAGS = (arith.AndI, arith.OrI, arith.XOrI)
_CHEAP = frozenset((arith.AddI, arith.SubI, arith.MulI))  # one instruction of integers
# What may be its operand under another name, or a copy of it.
_MAY_LIE_THERE = frozenset((arith.NegF, *SAME_NUMBER, gpu.Shuffle))


def storage_of(kernel: gpu.GpuFunc, target: Target, *, taken: bool = False, words: bool = False, remade: bool = False) -> Storage:
    """The storage of a kernel as it is now, with what has been found out about orders of its code."""
    return analyses.get(Storage, kernel, target, taken, words, remade, bool(kernel.crowded))


__all__ = ["Atom", "Storage", "placed", "storage_of"]
