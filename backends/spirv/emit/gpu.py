"""gpu: which work-item this is, barriers, exchange between lanes, printing."""

from __future__ import annotations

from xetile.dialects import gpu
from xetile.dialects.types import BF16, F8E4M3FN, F8E5M2, F16, F32, I1, I32, INDEX
from xetile.failures import FAILURE_WORDS, FIRST_VALUE
from xetile.ir.core import Op, Value

from ..facts.repeated import may_be_reduced_to_one
from ..module.encode import Id
from ..module.errors import SpirvError
from .cast import convert_float, extend, truncate
from .emitter import Emitter
from .flow import branch
from .hidden import hidden, hidden_value, hidden_zero, of_lanes
from .table import emits
from .values import Fragment, constant, from_chunks, from_scalar, mapped, spans

_AXES = {"x": 0, "y": 1, "z": 2}
_BUILTINS = {gpu.BlockId: "WorkgroupId", gpu.GridDim: "NumWorkgroups"}


@emits(*_BUILTINS)
def emit_axis(e: Emitter, op: gpu.BlockId) -> Fragment:
    """A component of a vector of three size_t."""
    name, axis = _BUILTINS[type(op)], _AXES[op.dimension]

    def make() -> Id:
        wide = e.emit("OpCompositeExtract", e.i64, e.function.builtin(name), axis)
        return wide if e.index_bits == 64 else e.emit("OpUConvert", e.i32, wide)

    return from_scalar(e, INDEX, e.at_entry((name, axis), make))


@emits(gpu.SubgroupId)
def emit_subgroup_id(e: Emitter, op: Op) -> Fragment:
    """Broadcast: the driver does not see that this built-in is uniform, and would compute coordinates in every lane."""

    def make() -> Id:
        value = e.function.builtin("SubgroupId")
        value = e.emit("OpGroupNonUniformBroadcastFirst", e.i32, e.module.scope("Subgroup"), value)
        return e.emit("OpUConvert", e.i64, value) if e.index_bits == 64 else value

    return from_scalar(e, INDEX, e.at_entry("SubgroupId", make))


@emits(gpu.LaneId)
def emit_lane_id(e: Emitter, op: Op) -> Fragment:
    """The lane's number."""

    def make() -> Id:
        value = e.lane
        return e.emit("OpUConvert", e.i64, value) if e.index_bits == 64 else value

    return from_scalar(e, INDEX, e.at_entry("LaneId", make))


@emits(gpu.Barrier)
def emit_barrier(e: Emitter, op: Op) -> None:
    """Waits for the workgroup; orders shared local memory."""
    e.block.control_barrier("Workgroup", "Workgroup", "AcquireRelease|WorkgroupMemory")


_HALVES = {gpu.BarrierArrive: "OpControlBarrierArriveINTEL", gpu.BarrierWait: "OpControlBarrierWaitINTEL"}


@emits(*_HALVES)
def emit_half_barrier(e: Emitter, op: Op) -> None:
    """SPV_INTEL_split_barrier: what arrive releases, wait acquires."""
    arrive = isinstance(op, gpu.BarrierArrive)
    semantics = e.module.semantics(f"{'Release' if arrive else 'Acquire'}|WorkgroupMemory")
    e.emit(_HALVES[type(op)], e.module.scope("Workgroup"), e.module.scope("Workgroup"), semantics)


_SHUFFLES = {
    "xor": "OpSubgroupShuffleXorINTEL",
    "idx": "OpSubgroupShuffleINTEL",
    "up": "OpSubgroupShuffleUpINTEL",
    "down": "OpSubgroupShuffleDownINTEL",
}


@emits(gpu.Shuffle)
def emit_shuffle(e: Emitter, op: gpu.Shuffle) -> tuple[Fragment, Fragment]:
    """A value of another lane, and whether there is such a lane.

    What all lanes have alike stays as it is: of a vector of one lane's such numbers, each by a broadcast, IGC (2.40.14) makes scalars, and
    ends by an internal error where they meet what differs.
    """
    offset, value = _as_i32(e, op.offset), e[op.value]
    made = value if op.mode == "idx" and e.alike_in_lanes(op.value) else exchange(e, op.mode, value, offset, op)
    return made, _valid(e, op, offset)


def exchange(e: Emitter, mode: str, value: Fragment, offset: Id, op: gpu.Shuffle | None = None) -> Fragment:
    """The value that the lane `mode` `offset` holds (SPV_INTEL_subgroups); of a lane that is not there, anything.  op: what asks for it."""
    element = value.element
    if element is I1:
        return truncate(e, exchange(e, mode, extend(e, value, I32, signed=False), offset, op), I1)
    width = e.width[value.natural_form(e)]
    if mode == "idx" and width < 32 and not element.is_float:
        # Hidden, for of a byte of such a word in a division IGC takes that of lane 0 whatever the lane.
        return truncate(e, hidden(e, exchange(e, mode, extend(e, value, I32, signed=False), offset, op)), element)
    # As integers: Intel's CPU runtime has no such functions for vectors of f16 and f64.
    # By words of 32 bits where elements are wider: Intel's GPU compiler has none of 64 bits for vectors.
    # The words of one lane as f32: IGC's WaveShuffleIndexSinking (2.40.14) moves integer operations on what lanes of one number hold
    # in front of the exchange, shifts by constants, differences and quotients even past what does not distribute: `(x + lane 0's) >> 1`
    # becomes `(x >> 1) + lane 0's >> 1`.  It follows binary operations alone, so a change of type ends its chain.
    form = e.f32 if mode == "idx" and width >= 32 else e.integer(min(32, width))
    parts = _apart(e, value, form) if mode == "idx" and width < 32 else value.chunks(e, form)
    found = from_chunks(e, element, value.count, [_of_lane(e, mode, x, offset, op) for x in parts], form)
    if width < 64 or element.is_float:
        return found
    # IGC (2.40.14) moves shuffles of integers by a constant behind what combines them with others. Where it makes 64 bits of two halves
    # (of `and`, `or`, `xor`; of sums too on DG2) it then drops the shuffle, or takes the other part from the same lane: not behind a zero.
    whole = e.form(element)
    return mapped(e, element, lambda n, x: e.emit("OpIAdd", e.vector(whole, n), x, hidden_zero(e, whole, n)), found)


def _apart(e: Emitter, value: Fragment, form: Id) -> list[Id]:
    """Chunks of words below 32 bits, hidden, once for all lanes whose words are asked for.

    IGC (2.40.14) reads a word of one lane where it lies in what was loaded, several to a register's channel. A choice, or a product and
    sum, of two such words it then repeats for each register of the loaded vector, and writes the registers behind its result's as well.
    """
    place = tuple((piece.chunk, piece.first, piece.bits) for piece in value.pieces)

    def part(start: int, count: int) -> Id:
        return e.once(("apart", form, place, start), lambda: hidden_value(e, form, value.get(e, form, start, count), count))

    return [part(start, count) for start, count in spans(value.count, e.chunk)]


def _of_lane(e: Emitter, mode: str, x: Id, offset: Id, op: gpu.Shuffle | None) -> Id:
    """The same pass of IGC makes one of shuffles by the same constant in several blocks, in the block that dominates them: there it puts
    those of all values behind one value's definition, whichever its hash table has last, and so in front of other values' definitions.
    Broadcasts it leaves alone.
    """
    if mode == "idx" and e.is_constant(offset):
        return _broadcast(e, x, offset, op)
    # Up and down take the values of the neighbouring subgroups too, which we never ask for.
    return e.emit(_SHUFFLES[mode], e.module.type_of(x), *((x, x) if mode in ("up", "down") else (x,)), offset)


def _broadcast(e: Emitter, x: Id, lane: Id, op: gpu.Shuffle | None) -> Id:
    """The number of one lane that is known.

    IGC (2.40.14) writes no instruction for it: what takes the number reads that lane's where they lie. In a branch that is the register of
    a lane which may have gone another way, and may have written something else there: lanes' registers are free for other values on ways
    that take them no more. So it is given once more where lanes may go apart, which is a number of its own.

    Of numbers of several lanes its vectorizer makes one vector, and ends by an internal error where they are alike, as it finds out.
    """
    kind, scope = e.module.type_of(x), e.module.scope("Subgroup")
    again = op is not None and e.may_part(op)
    if op is not None and not again and may_be_reduced_to_one(op.value, e.reduced):
        form, count = e.vector_of(kind)
        x = e.once(("of lanes", x), lambda: of_lanes(e, form, x, count))
    made = e.emit("OpGroupBroadcast", kind, scope, x, lane)
    return e.emit("OpGroupBroadcast", kind, scope, made, e.number(0)) if again else made


def _as_i32(e: Emitter, value: Value) -> Id:
    fragment: Fragment = e[value]
    return e.resize(fragment.scalar(e), e.form(fragment.element), e.i32)


def _valid(e: Emitter, op: gpu.Shuffle, offset: Id) -> Fragment:
    """Not tested where a constant says that there always is such a lane."""
    if op.mode in ("xor", "idx"):
        return constant(e, I1, 1, True)
    lane = e.lane
    if op.mode == "up":
        return from_scalar(e, I1, e.emit("OpUGreaterThanEqual", e.bool, lane, offset))
    place = e.emit("OpIAdd", e.i32, lane, offset)
    return from_scalar(e, I1, e.emit("OpULessThan", e.bool, place, _as_i32(e, op.width)))


# Printing.


@emits(gpu.Printf)
def emit_printf(e: Emitter, op: gpu.Printf) -> None:
    """A line by every work-item that comes here."""
    print_line(e, op.message, [_printable(e, e[v]) for v in op.operands])


def print_line(e: Emitter, message: str, values: list[Id]) -> None:
    """OpenCL's printf."""
    e.prints = True
    text = message.encode() + b"\0"
    kind = e.type.array(e.i8, len(text))
    variable = e.function.constant_variable(kind, e.module.constant(kind, list(text)), "text")
    first = e.emit("OpInBoundsAccessChain", e.pointer("UniformConstant", e.i8), variable, e.number(0))
    e.ext(e.i32, "printf", first, *values)


def _printable(e: Emitter, value: Fragment) -> Id:
    """C's promotions: narrow integers to 32 bits, narrow floats to f32."""
    element = value.element
    if element in (F16, BF16, F8E4M3FN, F8E5M2):
        return convert_float(e, value, F32).scalar(e)
    if not element.is_float and e.width[e.form(element)] < 32:
        return extend(e, value, I32, signed=element is not I1).scalar(e)
    return value.scalar(e)


@emits(gpu.Assert)
def emit_assert(e: Emitter, op: gpu.Assert) -> None:
    """Notes which one failed, for which program and with which values, and goes on; without memory for that it prints.

    A work-item that ended here would be missed by the others at the next barrier, and devices have no trap.
    """
    holds = e.scalar(op.condition)
    memory = gpu.failures_of(e.kernel)
    with branch(e, e.emit("OpLogicalNot", e.bool, holds)):
        if memory is None:
            place = f"{op.loc}: " if op.loc is not None else ""
            message = op.message if op.values else op.message.replace("%", "%%")
            print_line(e, f"{place}assertion failed: {message}\n", [_printable(e, e[v]) for v in op.values])
        else:
            _note_failure(e, op, e[memory].pointer)


def _note_failure(e: Emitter, op: gpu.Assert, memory: Id) -> None:
    """The first one to come here writes; all others leave it."""
    if FIRST_VALUE + 2 * len(op.values) > FAILURE_WORDS:
        raise SpirvError(
            f"an assertion shows {len(op.values)} values", hint=f"show at most {(FAILURE_WORDS - FIRST_VALUE) // 2}", at=op.loc
        )
    kinds = tuple(str(v.type) for v in op.values)
    e.asserts.append((op.message, kinds, op.loc))
    relaxed, number = e.number(0), e.number(len(e.asserts))
    first = e.emit("OpAtomicCompareExchange", e.i32, memory, e.module.scope("Device"), relaxed, relaxed, number, e.number(0))
    with branch(e, e.emit("OpIEqual", e.bool, first, e.number(0))):
        program = e.function.builtin("WorkgroupId")
        words = [e.emit("OpUConvert", e.i32, e.emit("OpCompositeExtract", e.i64, program, axis)) for axis in range(3)]
        for value in op.values:
            words += _words(e, e[value])
        for place, word in enumerate(words, start=1):
            at = e.emit("OpInBoundsPtrAccessChain", e.pointer("CrossWorkgroup", e.i32), memory, e.number(place))
            e.emit("OpStore", at, word, "Aligned", 4)


def _words(e: Emitter, value: Fragment) -> list[Id]:
    """A scalar that is printable as two words."""
    made = _printable(e, value)
    form = e.module.type_of(made)
    if e.width[form] == 32:
        return [made if form == e.i32 else e.emit("OpBitcast", e.i32, made), e.number(0)]
    pair = e.emit("OpBitcast", e.vector(e.i32, 2), made)
    return [e.emit("OpCompositeExtract", e.i32, pair, half) for half in (0, 1)]
