"""Arithmetic on vectors of f32, by assembly on two registers at a time (`assembly/wide`)."""

from __future__ import annotations

from xetile.dialects import arith, math, scf, vector, xegpu, xetile
from xetile.dialects.arith import constant_of
from xetile.dialects.types import F32, TF32, element_of
from xetile.ir.core import Elementwise, Op, Value

from ..assembly.gather import WORD_BITS
from ..assembly.tangents import CONSTANTS, TanhCall
from ..assembly.wide import REGISTERS, FillCall, Given, LinesCall, One, RepeatCall, SpreadCall, Vector, WholeCall, WideCall
from ..facts.lane_broadcasts import lane_of, shuffled, spread_of
from ..facts.uniform_scalars import is_uniform
from ..facts.uses import count_of, moves, reaches
from ..module.encode import Id
from .emitter import Emitter
from .hidden import hidden_from_lanes
from .table import emits
from .values import Chunk, Fragment, Piece, from_scalar

BLOCK = 8
"""Registers of a product's sums, which go together."""
SAME = "0"
"""The constraint of an operand of assembly in whose registers the result is."""


def is_wide(e: Emitter, result: Value) -> bool:
    """Whether a result of f32 is computed by such instructions: an even count of numbers, none of which is computed once for all lanes,
    and of operands whose pairs lie in registers beside each other. Kernels that are crowded are the compiler's to order.
    """
    op = result.op
    assert op is not None
    if e.kernel.crowded or not on_whole_registers(e) or element_of(result.type) is not F32:
        return False
    count = e[op.operands[0]].count
    return (
        count % REGISTERS == 0
        and not e.may_be_alike(result)
        and not e.diverges(op)
        and not (e.fast_math and _is_joined(op, anyway=e.with_products))
        and any(constant_of(value) is None for value in op.operands)
        and (not _needs_more(result) or _starts(e, result) or _replaced(e, result) is not None)
        and not any(map(_is_held_twice, op.operands))
        and all(
            in_pairs(e, value) or _is_own(e, result, value) or _is_scaled(e, result, value) or _is_factor(e, result, value)
            for value in op.operands
        )
        and not (isinstance(op, math.Fma) and any(map(_is_spread_once, op.operands)))
    )


def on_whole_registers(e: Emitter) -> bool:
    """Whether this device has such instructions."""
    return not e.whole and e.target.block2d is not None and e.for_intel and e.subgroup_size == e.target.subgroup_size


def wide_tf32(e: Emitter, op: arith.Cast) -> Fragment | None:
    """f32 rounded to tf32, in blocks as products take them; None where that is no such operation."""
    fragment: Fragment = e[op.operands[0]]
    if (
        not on_whole_registers(e)
        or fragment.count % BLOCK
        or e.may_be_alike(op.results[0])
        or e.diverges(op)
        or any(piece.bits % (REGISTERS * WORD_BITS) for piece in fragment.pieces)
    ):
        return None
    parts = [
        compute(e, "tf32", BLOCK, [(Vector(BLOCK), fragment.get(e, e.f32, at, BLOCK))]) for at in range(0, fragment.count, BLOCK)
    ]
    return joined(e, parts, BLOCK).as_elements(TF32, fragment.count)


def _is_joined(op: Op, *, anyway: bool) -> bool:
    """Whether IGC makes one instruction of a product and a sum, which fast math allows. `anyway`: not of a product that others take too,
    which is computed all the same; without DPAS IGC needs fewer moves where it does (layer norm backward on PVC: 730 instructions, 835).
    """
    if isinstance(op, arith.MulF):
        return reaches(op.result, *_SUMS) and not (anyway and _is_taken(op.result))
    return isinstance(op, _SUMS) and any(_is_product(value, anyway) for value in op.operands)


_SUMS = (arith.AddF, arith.SubF)


def _is_taken(product: Value) -> bool:
    """Whether something else than sums takes a product."""
    return any(_is_taken(op.results[0]) if moves(op) else not isinstance(op, _SUMS) for op in product.users)


def _is_product(value: Value, anyway: bool) -> bool:
    op = value.op
    if isinstance(op, arith.MulF):
        return not (anyway and _is_taken(value))
    return op is not None and moves(op) and any(_is_product(v, anyway) for v in op.operands)


def in_pairs(e: Emitter, value: Value) -> bool:
    """Whether no register has to be moved for an operand."""
    if isinstance(constant_of(value), (int, float)):
        return True
    if (number := _number_of(e, value)) is not None:
        return is_uniform(number)
    fragment: Fragment = e[value]
    if fragment.count % BLOCK == 0 and lane_of(value, 0):
        return all(spread_of(value, at, BLOCK) for at in range(0, fragment.count, BLOCK))
    return all(_place(e, fragment, at, REGISTERS) for at in range(0, fragment.count, REGISTERS))


def _number_of(e: Emitter, value: Value) -> Value | None:
    """The one number that a lane has in all rows of a value; None of other values."""
    return value.op.source if isinstance(value.op, vector.Broadcast) and e[value.op.source].count == 1 else None


def _is_held_twice(value: Value) -> bool:
    """Whether an operand is chosen register by register, and others choose between its registers again: IGC keeps these beside the vectors
    that assembly takes.
    """
    op = value.op
    if op is not None and moves(op):
        return any(map(_is_held_twice, op.operands))
    return isinstance(op, arith.Select) and reaches(value, arith.Select, arith.CmpF)


def _is_own(e: Emitter, result: Value, value: Value) -> bool:
    """Whether an operand is one number of each lane, which IGC has in two registers once, but where it multiplies. Results that go on as a
    whole stay where the other operand was, if they may. Beside products whose loads have headers of their own no registers are left for it:
    gradients of keys take 271 instructions on PVC (255).
    """
    number = _number_of(e, value)
    multiplies = isinstance(result.op, arith.MulF) or (isinstance(result.op, math.Fma) and not e.target.block_offsets)
    if number is None or e[value].count < BLOCK or multiplies:
        return False
    return not e.may_be_alike(number) and not goes_whole(result)


def _is_scaled(e: Emitter, result: Value, value: Value) -> bool:
    """Whether an operand is one number, brought to all lanes once, of sums that are added to in place: several blocks take it."""
    return _number_of(e, value) is not None and _replaced(e, result) is not None


def _is_factor(e: Emitter, result: Value, value: Value) -> bool:
    """Whether an operand is one number that all lanes may have alike, beside products: it is brought to all of them once. What a product
    begins with next stays where assembly leaves it; IGC's own vectors stand right behind their last operand, before other products.
    """
    number = _number_of(e, value)
    spread = number is not None and e.may_be_alike(number)
    return e.with_products and spread and isinstance(result.op, arith.MulF) and (not goes_whole(result) or _starts(e, result))


def _is_spread_once(value: Value) -> bool:
    """Whether a value is spread over the lanes for one operation: that takes as many instructions as are saved there."""
    found = lane_of(value, 0)
    if found is None:
        return False
    scalar, lane = found
    ahead, users = [(op.results[0], 0) for op in scalar.users if shuffled(op.results[0]) == (scalar, lane)], set[Op]()
    while ahead:
        value, index = ahead.pop()
        for op, position in value.uses:
            if isinstance(op, vector.Insert) and position == 0:
                ahead.append((op.result, op.position[0]))
            elif not isinstance(op, vector.ExtractStridedSlice):
                ahead += [(result, index) for result in op.results if moves(op)]
                users.update(() if moves(op) else (op,))
            elif op.offsets[0] <= index < op.offsets[0] + op.sizes[0]:
                ahead.append((op.result, index - op.offsets[0]))
    return len(users) == 1


def _needs_more(result: Value) -> bool:
    """Whether a result that goes on as a whole needs registers that the compiler's own arithmetic does not: for numbers that are spread
    over the lanes, or beside a value that a loop carries, where its own result stays.
    """
    assert result.op is not None
    return goes_whole(result) and any(value.op is None or lane_of(value, 0) for value in result.op.operands)


def _starts(e: Emitter, value: Value) -> bool:
    """Whether the next op is a product that adds to a value, and nothing else takes it: its registers are free again behind that."""
    op = value.op
    assert op is not None and op.parent is not None
    here, following = op.parent.ops[e.position : e.position + 2]
    return here is op and isinstance(following, xegpu.Dpas) and following.acc is value and value.has_one_use


def _replaced(e: Emitter, result: Value) -> int | None:
    """The operand whose registers the result of an op takes: a value that a loop carries, in blocks of their own, which nothing else
    takes, and which the result follows in the next iteration. Of sums of products, and of products with sums: what else is computed IGC
    knows better.
    """
    op = result.op
    assert op is not None
    users, sums = list(result.users), any(isinstance(value.op, xegpu.Dpas) for value in op.operands)
    if len(users) != 1 or not users[0].terminator or not (sums or isinstance(op, math.Fma)):
        return None
    if sums and any(lane_of(value, 0) for value in op.operands):
        return None
    for at, value in enumerate(op.operands):
        if (
            ((value.op is None and value.has_one_use) or scf.taken_once(value, op.parent))
            and _in_blocks(e, e[value])
            and not _may_be_alike(e, value)
        ):
            return at
    return None


def _in_blocks(e: Emitter, fragment: Fragment) -> bool:
    """Whether a fragment is made of vectors of `BLOCK` numbers."""
    places = [_place(e, fragment, at, BLOCK) for at in range(0, fragment.count, BLOCK)]
    return fragment.count % BLOCK == 0 and all(p is not None and p[0].count == BLOCK and p[1] == 0 for p in places)


def _may_be_alike(e: Emitter, value: Value) -> bool:
    return e.sums is not None and e.sums.alike(value)


def emit_wide(e: Emitter, name: str, result: Value, *operands: Value) -> Fragment:
    """The operation on all elements: in whole blocks where they go on together, else in as few as one instruction takes.

    The second operand of an instruction may be a number that is known.
    """
    if isinstance(constant_of(operands[0]), (int, float)):
        name, operands = _REVERSED.get(name, name), operands[::-1]
    less = name == "sub" and isinstance(
        constant_of(operands[1]), (int, float)
    )  # a number has no sign of its own in an instruction
    name = "add" if less else name
    count = e[operands[0]].count
    step = at_a_time(result, count)
    own = _own(e, result, operands) if step == BLOCK else None
    parts = [compute(e, name, step, [_part(e, v, at, step, negated=less) for v in operands], own) for at in range(0, count, step)]
    return joined(e, parts, step)


def at_a_time(result: Value, count: int) -> int:
    """How many of a result's numbers are computed by one piece: whole blocks where they go on together, else as few as there may be."""
    return BLOCK if count % BLOCK == 0 and goes_whole(result) else REGISTERS


def _own(e: Emitter, result: Value, operands: tuple[Value, ...]) -> int | None:
    """Which of some operands gives the result its registers (`_replaced`)."""
    assert result.op is not None
    at = _replaced(e, result)
    return None if at is None else operands.index(result.op.operands[at])


def wide_fma(e: Emitter, result: Value, *operands: Value) -> Fragment:
    """The same of three operands, none of which an instruction takes as a number of its own."""

    def part(value: Value, at: int) -> tuple[Given, Id | None]:
        given, x = _part(e, value, at, step)
        return (One(True), e.constant(e.f32, given)) if isinstance(given, float) else (given, x)

    count = e[operands[0]].count
    step = at_a_time(result, count)
    own = _own(e, result, operands) if step == BLOCK else None
    return joined(e, [compute(e, "fma", step, [part(v, at) for v in operands], own) for at in range(0, count, step)], step)


def filled(e: Emitter, value: Value, carried: Value) -> Fragment | None:
    """Registers of its own for what a loop begins with where that is one number; None where it is not, or this device has no such piece.

    Where more than products takes what is carried, IGC (2.40.14) moves constants to its registers one by one, and keeps all of them from
    the kernel's first instruction on.
    """
    number = constant_of(value)
    fragment: Fragment = e[value]
    if not isinstance(number, float) or element_of(value.type) is not F32 or fragment.count % BLOCK or not on_whole_registers(e):
        return None
    if all(isinstance(op, xegpu.Dpas) for op in carried.users):
        return None
    parts = []
    for _ in range(0, fragment.count, BLOCK):
        e.fills += 1
        parts.append(e.call_assembly(FillCall(BLOCK, number, e.fills), e.vector(e.f32, BLOCK), []))
    return joined(e, parts, BLOCK)


def whole(e: Emitter, fragment: Fragment) -> Fragment | None:
    """The same numbers of f32, whose vectors of `BLOCK` IGC does not take apart where they are defined; None where they are none, or this
    device has no such piece.
    """
    if not _in_blocks(e, fragment) or not on_whole_registers(e):
        return None
    kind, parts = e.vector(e.f32, BLOCK), []
    for at in range(0, fragment.count, BLOCK):
        x = fragment.get(e, e.f32, at, BLOCK)
        parts.append(e.call_assembly(WholeCall(BLOCK), kind, [x], [SAME]))
    return joined(e, parts, BLOCK)


def scaled(e: Emitter, fragment: Fragment, factor: float) -> Fragment | None:
    """The same numbers of f32 times one that is known, in the same registers; None where they are in no blocks, or there is no such piece."""
    if not _in_blocks(e, fragment) or not on_whole_registers(e):
        return None
    given = [(Vector(BLOCK), fragment.get(e, e.f32, at, BLOCK)) for at in range(0, fragment.count, BLOCK)]
    return joined(e, [compute(e, "mul", BLOCK, [block, (factor, None)], 0) for block in given], BLOCK)


LOG2_E = 1.4426950408889634

_REVERSED = {"sub": "sub_from"}
"""Operations of which another operand comes first; others are the same."""


def wide_exp(e: Emitter, operand: Value) -> Fragment:
    """2 to the power of x log2(e)."""
    parts = []
    for at in range(0, e[operand].count, REGISTERS):
        power = compute(e, "mul", REGISTERS, [_part(e, operand, at, REGISTERS), (LOG2_E, None)])
        parts.append(compute(e, "exp2", REGISTERS, [(Vector(REGISTERS), power)]))
    return joined(e, parts, REGISTERS)


def wide_tanh(e: Emitter, operand: Value) -> Fragment:
    """Hyperbolic tangents, whose constants lie in the lanes of a register."""
    parts = []
    for at in range(0, e[operand].count, REGISTERS):
        x = e[operand].get(e, e.f32, at, REGISTERS)
        parts.append(e.call_assembly(TanhCall(REGISTERS), e.vector(e.f32, REGISTERS), [x, _by_lanes(e, CONSTANTS)]))
    return joined(e, parts, REGISTERS)


def _by_lanes(e: Emitter, numbers: tuple[float, ...]) -> Id:
    """One of some numbers in each lane, the last in those behind them."""

    def make() -> Id:
        lane, found = e.lane, e.constant(e.f32, numbers[-1])
        for at, number in reversed(list(enumerate(numbers[:-1]))):
            here = e.emit("OpIEqual", e.bool, lane, e.number(at))
            found = e.emit("OpSelect", e.f32, here, e.constant(e.f32, number), found)
        return found

    return e.at_entry(("by lanes", numbers), make)


def joined(e: Emitter, parts: list[Id], step: int) -> Fragment:
    """A fragment of vectors of f32 of one size."""
    chunks = [Chunk(e, e.f32, step, part) for part in parts]
    return Fragment(F32, step * len(parts), [Piece(chunk, 0, chunk.bits) for chunk in chunks])


def compute(e: Emitter, name: str, count: int, operands: list[tuple[Given, Id | None]], own: int | None = None) -> Id:
    """One piece of assembly; the result may take the registers of one of the operands, a vector of as many numbers."""
    call = WideCall(name, count, tuple(given for given, _ in operands))
    constraints = [SAME if at == own else "rw.u" if given == One(True) else "rw" for at, (given, _) in enumerate(operands)]
    taken = [(x, constraint) for (_, x), constraint in zip(operands, constraints, strict=True) if x is not None]
    ids = [x for x, _ in taken]
    return e.call_assembly(call, e.vector(e.f32, count), ids, [constraint for _, constraint in taken])


def _part(e: Emitter, value: Value, start: int, count: int, *, negated: bool = False) -> tuple[Given, Id | None]:
    """Elements of a value: a number, one for all lanes, or registers of a vector that is there."""
    number = constant_of(value)
    if isinstance(number, (int, float)):
        return -float(number) if negated else float(number), None
    if (one := _number_of(e, value)) is not None:
        return _one(e, one)
    fragment: Fragment = e[value]
    block = start // BLOCK * BLOCK
    spread = spread_of(value, block, BLOCK) if fragment.count % BLOCK == 0 else None
    if spread is not None:
        return Vector(BLOCK, start - block), _spread(e, *spread)
    place = _place(e, fragment, start, count)
    chunk, first = (None, 0) if place is None else place
    x = fragment.get(e, e.f32, start, count) if chunk is None else chunk.value(e)
    given = Vector(count if chunk is None else chunk.count, first)
    return given, e.once(("differing", x), lambda: hidden_from_lanes(e, x)) if _may_be_alike(e, value) else x


def _one(e: Emitter, scalar: Value) -> tuple[Given, Id]:
    """A scalar as an operand. What the compiler alone knows to be the same in all lanes is brought to all of them once, not for each
    piece.
    """
    x = e.scalar(scalar)
    if is_uniform(scalar):
        return One(True), x
    return One(False), e.once(("differing", x), lambda: hidden_from_lanes(e, x)) if e.may_be_alike(scalar) else x


def _place(e: Emitter, fragment: Fragment, start: int, count: int) -> tuple[Chunk, int] | None:
    """(the vector that holds so many elements, the number of the first)."""
    bits = e.width[e.f32]
    at = start * bits
    for piece in fragment.pieces:
        if at >= 0 and at + count * bits <= piece.bits and piece.chunk.form == e.f32 and (piece.first + at) % bits == 0:
            return piece.chunk, (piece.first + at) // bits
        at -= piece.bits
    return None


def goes_whole(value: Value) -> bool:
    """Whether some user takes more of a value than one instruction's registers at a time: products take what is narrowed in blocks."""
    return any(
        goes_whole(op.results[0])
        if moves(op)
        else not isinstance(op, (Elementwise, xetile.ReduceLines)) or isinstance(op, arith.TruncF)
        for op in value.users
    )


def _spread(e: Emitter, source: Value, first: int) -> Id:
    """A block of numbers of neighbouring lanes, each in all lanes; made once."""
    kind = e.vector(e.f32, BLOCK)
    return e.once(
        ("spread", source, first),
        lambda: e.call_assembly(SpreadCall(BLOCK, first), kind, [e.scalar(source)]),
    )


def started(e: Emitter, value: Value) -> Id | None:
    """What a product begins with, two registers at a time, where it is one number of each lane in all rows or a number of another lane in
    each row; None where it is neither.
    """
    if not on_whole_registers(e) or element_of(value.type) is not F32 or e[value].count != BLOCK:
        return None
    kind = e.vector(e.f32, BLOCK)
    one = _number_of(e, value)
    if one is not None and lane_of(value, 0) is None:
        if not value.has_one_use or is_uniform(one) or constant_of(one) is not None or e.may_be_alike(one):
            return None
        return e.call_assembly(RepeatCall(BLOCK), kind, [e.scalar(one)])
    found = spread_of(value, 0, BLOCK)
    return None if found is None else _spread(e, *found)


_LINES = {"add": "add", "maxnumf": "max", "minnumf": "min"}


@emits(xetile.ReduceLines)
def emit_lines(e: Emitter, op: xetile.ReduceLines) -> Fragment:
    """One piece for all lanes, of pairs."""
    count = count_of(op.source.type)
    pairs = [e[op.source].get(e, e.f32, at, REGISTERS) for at in range(0, count, REGISTERS)]
    call = LinesCall(_LINES[op.kind], count)
    return from_scalar(e, F32, e.call_assembly(call, e.f32, pairs))
