"""Lane-level IR to SPIR-V.

`emit(module, target)` writes one kernel.  Functions for each kind of op stand in the files beside this one, by theme, in one table (`emits`).
What a lane-level value is here: scalars and 1-D vectors are a `Fragment`; memory references a `Buffer`; descriptors objects of
`xegpu`, `memory` and `slm`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any

from xetile.dialects import arith, gpu, math, xegpu, xetile
from xetile.dialects.intervals import Intervals
from xetile.dialects.types import I1, MemRefType, ScalarType, element_of
from xetile.failures import Assertion
from xetile.ir.core import Block, Op, Type, Value
from xetile.records import dataclass
from xetile.target import Target
from xetile.target.blocks import WORD_BYTES

from ..assembly.call import TARGET, Call
from ..facts.comparisons import COMPARISONS, OF_BOOLEANS, OF_INTEGERS, Lanes
from ..facts.headers import Headers
from ..facts.lane_branches import LaneBranches
from ..facts.lane_shifts import Shifts
from ..facts.limits import limits
from ..facts.packing import Packing
from ..facts.places import Places
from ..facts.sums import Sums
from ..facts.ties import Ties
from ..facts.uses import count_of, is_made_by, is_taken_once, moves
from ..facts.wraps import wrapping
from ..finished.placements import COMPUTING, PLACING, VECTORIZED, Placements
from ..module.code import Code
from ..module.encode import Id, Operand
from ..module.errors import SpirvError
from ..module.function import Function
from ..module.lines import Lines
from ..module.module import Module
from .hidden import hidden, hidden_byte, hidden_decision, hidden_from_lanes, hidden_vectors
from .table import HANDLERS, Handler, find_handler
from .values import Buffer, Fragment, from_chunks, from_scalar

# OpenCL C 6.7.2 by SPIR-V 3.6: a number of components and a data type. It keeps the CPU's compiler from joining work-items in a vector.
FLOAT_HINT = 5

_BY_BLOCK = frozenset((xegpu.LoadNd, xegpu.LoadMatrix))
_SHARED = _BY_BLOCK | {gpu.Shuffle, gpu.SubgroupReduce, xetile.ReduceLines, xegpu.Dpas}
"""What all lanes of a subgroup do at once: each may need what the others hold."""
_COMPARING = COMPARISONS | OF_BOOLEANS.keys() | OF_INTEGERS | {"OpSelect"}


@dataclass(frozen=True)
class Emitted:
    """A kernel as SPIR-V, and what a launcher needs to know of it.

    spirv        the module's bytes.
    name         entry point.
    local_size   work-items of a workgroup along x, y, z.
    slm_bytes    shared local memory that it declares.
    extensions   names of the SPIR-V extensions that it needs.
    prints       whether it prints (device_print, device_assert).
    asserts      of each device_assert the message, the types of its values, and its place; see `gpu.add_failures`.
    spins        whether subgroups wait for each other in loops: needs a device on which they go on independently.
    """

    spirv: bytes
    name: str
    local_size: tuple[int, int, int]
    slm_bytes: int = 0
    extensions: frozenset[str] = frozenset()
    prints: bool = False
    spins: bool = False
    asserts: tuple[Assertion, ...] = ()


@dataclass(frozen=True)
class Counters:
    """Of named barriers, by number: arrivals so far in shared local memory, this subgroup's waits so far in a private variable."""

    arrived: Id
    waited: Id


def emit(module: gpu.GpuModule, target: Target, *, lines: bool = False) -> Emitted:
    """The SPIR-V of a module at lane level; with the source's lines for drivers that are told `-g`.

    Raises SpirvError, with the op's place, for an op or a type that has no lane-level meaning here.
    """
    emitter = Emitter(module.kernel, target, lines=lines)
    made = emitter.run()
    if not emitter.whole and emitter.subgroup_size == VECTORIZED and (suspects := emitter.placements.disordered):
        from ..finished.element_orders import tell_orders_apart  # of few kernels: others load none of it

        made = replace(made, spirv=tell_orders_apart(made.spirv, suspects))
    for circle in (emitter.function, emitter.module, emitter):  # they know each other: freed at once, without a search for cycles
        vars(circle).clear()
    return made


class Emitter(Code):
    """Walks a kernel; `self[value]` is what an IR value became. `whole`: one work-item runs a whole workgroup."""

    def __init__(self, kernel: gpu.GpuFunc, target: Target, *, lines: bool = False) -> None:
        super().__init__(Module(), kernel.index_bits, target.vector_lanes or target.vector_components)
        self.whole = kernel.level == "vectors"
        self.kernel, self.lines = kernel, lines
        self.target = target
        self.subgroup_size: int = kernel.attributes.get("subgroup_size", target.subgroup_size)
        self.num_subgroups: int = kernel.attributes.get("num_subgroups", 1)
        self.fast_math: bool = kernel.fast_math
        self.slm_bytes = 0
        self.prints = False
        self.spins = False
        self.asserts: list[Assertion] = []
        self.counters: Counters | None = None
        self.position = 0  # of the op that is being written, in its block
        self.fills = 0  # pieces of assembly that fill registers with a number
        self.placements = Placements(self)
        self.kept_headers: dict[Op, Any] = {}  # of prefetches, made before their loops
        self.doubled: dict[Id, tuple[Id, bool]] = {}  # of bytes, words with them in both halves; whether with their sign
        self.products: dict[object, Any] = {}  # by their types the instructions for them (`product_operands`)
        self._values: dict[Value, Any] = {}
        self._skip: set[Op] = set()
        self._op: Op = kernel
        self.parted = self._missing = False  # some lanes may have gone a way of their own by now; they are on it
        self.reduced: dict[Value, tuple[bool, bool]] = {}  # of `may_be_reduced_to_one`
        self._shared = 0  # the latest id when lanes last did something at once
        self._wrapping = frozenset[Op]() if self.whole else wrapping(kernel)

    def run(self) -> Emitted:
        """Write the kernel and finish the module."""
        local_size = (self.num_subgroups * self.subgroup_size, 1, 1)
        body = self.kernel.body
        fn = self.module.kernel(
            self.kernel.sym_name, [self._parameter_type(a.type) for a in body.args],
            subgroup_size=0 if self.whole else self.subgroup_size, local_size=local_size, param_names=[a.name for a in body.args],
            contract=self.fast_math,
        )  # fmt: skip
        if self.whole:
            self.module.execution_mode(fn, "VecTypeHint", self.chunk << 16 | FLOAT_HINT)
        if self.lines:
            fn.lines = Lines(self.module, fn.id, self.kernel.sym_name)
        self.open(fn)
        self._bind_parameters(fn)
        first = self.block
        if self.packing is not None:
            self._skip |= self.packing.skipped
        if self.places is not None:
            self._skip |= self.places.skipped
        self._skip |= self.shifts.skipped
        self.ops(body)
        if not self.block.ended:
            self.block.ret()
        self.entry.branch(first)
        spirv, extensions = self.module.finish(), frozenset(self.module.extensions)
        return Emitted(spirv, self.kernel.sym_name, local_size, self.slm_bytes, extensions, self.prints, self.spins,
                       tuple(self.asserts))  # fmt: skip

    # The signature.

    def _parameter_type(self, type: Type) -> Id:
        if isinstance(type, MemRefType):
            return self.type.pointer("CrossWorkgroup", self.integer(max(8, type.element.bits)))
        assert isinstance(type, ScalarType), type
        # SPIR-V 2.16.1: booleans have no bits, so they come as bytes.
        return self.i8 if type is I1 else self.form(type)

    def _bind_parameters(self, fn: Function) -> None:
        for arg, param in zip(self.kernel.body.args, fn.params, strict=True):
            if isinstance(arg.type, MemRefType):
                self[arg] = Buffer(param, arg.type.element)
            elif arg.type is I1:
                value = self.entry.emit("OpINotEqual", self.bool, param, self.constant(self.i8, 0))
                self[arg] = from_scalar(self, I1, value)
            else:
                assert isinstance(arg.type, ScalarType)
                self[arg] = from_scalar(self, arg.type, param)

    # Values.

    def __getitem__(self, value: Value) -> Any:
        """What a value became."""
        return self._values[value]

    def __setitem__(self, value: Value, made: Any) -> None:
        self._values[value] = made

    def is_written(self, value: Value) -> bool:
        """Whether a value has become something by now."""
        return value in self._values

    def scalar(self, value: Value) -> Id:
        """The id of a scalar (or of the only element of a vector)."""
        fragment: Fragment = self._values[value]
        return fragment.scalar(self)

    def index32(self, value: Value) -> Id:
        """An index as i32, whatever its width is in this kernel."""
        return self.resize(self.scalar(value), self.index, self.i32)

    def index64(self, value: Value) -> Id:
        """An index as i64."""
        return self.resize(self.scalar(value), self.index, self.i64)

    @cached_property
    def _lanes(self) -> Lanes:
        return Lanes(self.kernel)

    @cached_property
    def intervals(self) -> Intervals:
        """How large indices can become in launches that the target's block messages serve."""
        return Intervals(self.kernel, limits=limits(self.kernel, self.target))

    @cached_property
    def ties(self) -> Ties:
        """Which products' sums are carried elsewhere than their accumulators."""
        return Ties(self.kernel)

    @cached_property
    def with_products(self) -> bool:
        """Whether the kernel computes matrix products by DPAS."""
        return self.kernel.has(xegpu.Dpas)

    @cached_property
    def sums(self) -> Sums | None:
        """Which numbers must be taken to differ between lanes where products add to them; none where one work-item runs all lanes."""
        return None if self.whole else Sums(self.kernel, self._lanes)

    @cached_property
    def headers(self) -> Headers:
        """Which coordinates of block messages IGC must not know."""
        return Headers(self.kernel, adds=self.target.block_offsets)

    @cached_property
    def packing(self) -> Packing | None:
        """Which second operands of products are computed two numbers to a word."""
        return None if self.whole or self.target.block2d is None else Packing(self.kernel)

    @cached_property
    def places(self) -> Places | None:
        """Which choices between other lanes' numbers are moves of several at once."""
        whole_registers = self.target.grf_bytes == self.subgroup_size * WORD_BYTES
        return Places(self.kernel, self.subgroup_size) if self.for_intel and whole_registers else None

    @cached_property
    def shifts(self) -> Shifts:
        """Which choices are what other lanes hold, the last ones' of another value."""
        return Shifts(self.kernel)

    @cached_property
    def for_intel(self) -> bool:
        """Whether the kernel is for Intel's GPUs alone, and may have their assembly."""
        return xegpu.has_blocks(self.kernel)

    @property
    def alike(self) -> bool:
        """Whether all lanes of a subgroup may have the same operands of the op that is being written."""
        return not self.whole and not self._lanes.meet_in(self._op)

    def diverges(self, op: Op) -> bool:
        """Whether some lanes of a subgroup alone may run an op."""
        return self._branches.diverges(op)

    def parts(self, op: Op) -> bool:
        """Whether lanes may diverge by a branch or loop."""
        return self._branches.decision(op) != 0

    def decided(self, op: Op, condition: Id) -> Id:
        """A condition of a branch or loop, hidden from IGC where lanes may diverge by it."""
        number = 0 if self.whole else self._branches.decision(op)
        return hidden_decision(self, condition, number) if number else condition

    @cached_property
    def _branches(self) -> LaneBranches:
        quotients = () if self.target.divides or self.fast_math else (arith.DivF,)
        return LaneBranches(self.kernel, (math.PowF, *quotients))

    def alike_in_lanes(self, value: Value) -> bool:
        """Whether all lanes of a subgroup have the same elements of a value that lanes exchange."""
        return not self.whole and not self._branches.own(value)

    def may_be_alike(self, value: Value) -> bool:
        """Whether all lanes of a subgroup may have the same elements of a value."""
        return not self.whole and not self._lanes.differ(value)

    def emit(self, name: str, *operands: Operand) -> Id:
        """Append an instruction; comparisons that IGC gets wrong in other words (`comparisons`)."""
        if name not in _COMPARING:
            made = self.block.emit(name, *operands)
            if name in PLACING:
                self.placements.note(name, made, operands)
            elif name in COMPUTING:
                self.placements.compute(name, made, operands)
            return made
        if name in COMPARISONS:
            kind, x, y = operands
            if self._is_shown(x) and self.alike:
                operands = (kind, self._differing(x), y)
        elif name == "OpSelect" and not self.whole:
            kind, condition, *chosen = operands
            taken = self._op.operands[1:] if isinstance(self._op, arith.Select) else (None, None)
            operands = (kind, condition, *[
                self._differing(x) if self._is_shown(x) and (self.alike if value is None else self.may_be_alike(value)) else x
                for x, value in zip(chosen, taken)])  # fmt: skip
        elif name in OF_BOOLEANS and not self.whole:
            kind, x, y = operands
            other = self.block.emit("OpLogicalNot", kind, y)
            name, operands = "OpSelect", (kind, x, *((other, y) if OF_BOOLEANS[name] else (y, other)))
        elif name in OF_INTEGERS and not self.whole:
            kind, *compared = operands
            operands = (kind, *(hidden_byte(self, x) if isinstance(x, Id) and self.is_constant(x) else x for x in compared))
        return self.block.emit(name, *operands)

    def _is_shown(self, x: Operand) -> bool:
        """Whether IGC sees numbers of f32 that it may find to be alike: no constants."""
        return isinstance(x, Id) and not self.is_constant(x) and bool(self.components(self.f32, self.module.type_of(x)))

    def _differing(self, x: Operand) -> Id:
        """The same number or numbers, which IGC takes to differ between lanes."""
        assert isinstance(x, Id)
        return self.once(("differing", x), lambda: hidden_from_lanes(self, x))

    def call_assembly(self, piece: Call, result: Id, operands: Sequence[Id], constraints: Sequence[str] = ()) -> Id:
        """A piece of assembly for Intel's GPUs (vISA) with its operands, which lie in registers: of each lane, if `constraints` do not say
        otherwise.
        """
        kinds = [self.module.type_of(x) for x in operands]
        lies = ",".join(["=rw", *(constraints or ["rw"] * len(operands))])
        code = self.module.assembly(piece.text(self.subgroup_size), lies, result, *kinds, target=TARGET)
        self.keep_together()
        return self.emit("OpAsmCallINTEL", result, code, *operands)

    @contextmanager
    def parting(self) -> Iterator[None]:
        """What is written inside some lanes of a subgroup may run alone."""
        self.parted, around = True, self._missing
        self._missing = True
        yield
        self._missing = around

    def keep_together(self, *, always: bool = False) -> None:
        """Have all lanes of a subgroup run what is written now at once, also where some have gone their own ways before; `always`: where
        none have too.
        """
        if (always or self.parted) and not self._missing and not self.diverges(self._op):
            self.block.keep_together()

    def may_part(self, op: Op) -> bool:
        """Whether some lanes of a subgroup alone may run what takes an op's results, or what is computed of them."""
        return not self.whole and (self._branches.may_part(op) or self._branches.meets_others(op))

    def keep_shared(self, op: Op) -> None:
        """Have all lanes run what they do at once and an op joins with a condition from before: it is written next.

        IGC's LogicalAndToBranch (2.40.14) makes a branch by one of two conditions where 32 instructions and more stand between them, and
        moves all of these there that nothing else takes, exchanges and messages too. Not where something else takes one of the two.
        """
        begin = self.block.label
        if self.whole or self._shared <= begin or not self._branches.own(op.results[0]):
            return
        earlier = any(
            moves(v.op) or any(begin < x < self._shared for p in self[v].pieces for x in p.chunk.ids.values())
            for v in op.operands
        )
        if earlier and all(map(is_taken_once, op.operands)) and is_made_by(op.operands, _SHARED):
            self._hold_here()
            self._shared = 0

    def _hold_here(self) -> None:
        """Let no compiler move what stands here into a branch: past a barrier of the subgroup, of which IGC makes no instruction.

        IGC (2.40.14) moves block loads to the branch that alone takes what they load, also where lanes diverge: as messages of the first
        lane, which nobody sends where that one goes another way.
        """
        self.block.control_barrier("Subgroup", "Subgroup", "None")

    def result(self, op: Op, ids: list[Id], form: Id | None = None) -> Fragment:
        """The fragment of an op's result, from its vectors."""
        type = op.results[0].type
        return from_chunks(self, element_of(type), count_of(type), ids, form)

    # Ops.

    def ops(self, block: Block) -> None:
        """Write the ops of a block."""
        for position, op in enumerate(block.ops):
            if op in self._skip:
                self._skip.discard(op)
            else:
                self.position = position
                self.op(op)

    def now(self, ops: Iterable[Op]) -> None:
        """Write ops that were left out, but not twice."""
        for op in ops:
            if op.results[0] not in self._values:
                self.op(op)

    def ahead(self, ops: Iterable[Op]) -> None:
        """Write ops ahead of their turn, without those that are left out."""
        for op in ops:
            if op not in self._skip:
                self.op(op)
                self._skip.add(op)

    def skip(self, op: Op) -> None:
        """An op that has been written ahead of its turn."""
        self._skip.add(op)

    def op(self, op: Op) -> None:
        """Write one op and bind its results."""
        kind = op.__class__
        handler = HANDLERS.get(kind) or find_handler(kind)
        if handler is None:
            raise SpirvError(f"{op.opname} has no form in SPIR-V; it must be lowered before", at=op.loc)
        outer, self._op = self._op, op
        try:
            made = self._placed(op, handler) if self.lines else handler(self, op)
        except SpirvError as error:
            raise error.located(op.loc) from None
        self._op = outer
        if op in self._wrapping:
            made = hidden(self, made)
        if kind in _SHARED:
            self._shared = self.module.latest
        if kind in _BY_BLOCK and not self.whole and self._branches.only_apart(op):
            self._hold_here()
        results = op.results
        if len(results) == 1:
            if made.__class__ is Fragment and made.count > 1 and self.sums is not None and self.sums.computes(op):
                made = hidden_vectors(self, made, {})
            self._values[results[0]] = made
        elif results:
            for value, part in zip(results, made, strict=True):
                self._values[value] = part

    def _placed(self, op: Op, handler: Handler) -> Any:
        """What an op became, written with its place in the source; what an op with a region writes behind it is its own again."""
        function = self.function
        outer = function.place
        if op.loc is not None:
            function.place = (op.loc.file, op.loc.line, op.loc.column + 1)
        made = handler(self, op)
        function.place = outer
        return made
