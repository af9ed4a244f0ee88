"""First operands of products, computed in f16: two rows at a time, by assembly on whole registers."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes

from xetile.dialects import arith, vector, xegpu
from xetile.dialects.arith import constant_of
from xetile.dialects.types import BF16, F8E4M3FN, F8E5M2, F16, F32, I8, ScalarType, element_of
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.interfaces import loop_around

from ..assembly.byte_steps import AcrossCall, TwiceCall
from ..assembly.call import ROWS, Call
from ..assembly.chosen_rows import ChosenRowsCall
from ..assembly.packed import TOO_MUCH, PackedCall, bits_of
from ..assembly.singles import NarrowRowsCall, RaiseRowsCall
from ..facts.first_operands import CHOSEN, COMPUTED, SIGNED, WIDENED, condition_of, multiplies, passes_through
from ..facts.lane_broadcasts import lane_of, spread_of
from ..facts.rescaled import FACTOR, SMALLER
from ..facts.uniform_scalars import is_uniform
from ..facts.uses import count_of, origin
from ..module.encode import Id
from .emitter import Emitter
from .hidden import of_lanes
from .values import Chunk, Fragment, Piece, mapped
from .wide import is_wide, joined, on_whole_registers

FULL = 1 / 2


def first_operand(e: Emitter, op: Op) -> Fragment | None:
    """What an op gives where products alone take it, or what is computed of it so, as their first operand; None where that is not so, or
    where this device has no such pieces.
    """
    (result,) = op.results
    element = element_of(result.type)
    if (
        not (element is F16 or (element is BF16 and type(op) in (*CHOSEN, *SIGNED)))
        or count_of(result.type) % ROWS
        or not on_whole_registers(e)
    ):
        return None
    if not multiplies(result) or e.may_be_alike(result) or e.diverges(op):
        return None
    made = _signed(e, op) if type(op) in SIGNED else _widened(e, op) if isinstance(op, WIDENED) else _of_two(e, op)
    return None if made is None else _of_rows(e, element, made)


def _of_rows(e: Emitter, element: ScalarType, parts: list[Id]) -> Fragment:
    """Eight rows and eight rows."""
    chunks = [Chunk(e, e.i16, ROWS, part) for part in parts]
    return Fragment(element, ROWS * len(chunks), [Piece(chunk, 0, chunk.bits) for chunk in chunks])


def _widened(e: Emitter, op: Op) -> list[Id] | None:
    """Bytes as f16, exactly."""
    (source,) = op.operands
    element = element_of(source.type)
    if element not in (I8, F8E4M3FN, F8E5M2) or e.may_be_alike(source):
        return None
    kind = ("s8" if isinstance(op, arith.SIToFP) else "u8") if element is I8 else element.name
    kind = SMALLER if _is_smaller(e, op.results[0]) else kind
    number = bits_of(-TOO_MUCH[kind]) if kind in TOO_MUCH else 0
    call, fragment = PackedCall(kind, words=ROWS // 4, number=number, flat=True), e[source]
    return [_call(e, call, fragment.get(e, e.integer(8), at, ROWS)) for at in range(0, fragment.count, ROWS)]


def raised(e: Emitter, op: Op) -> Fragment | None:
    """Bytes as f32 on their way to first operands, two registers at a time; None where that is not so."""
    (source,), (result,) = op.operands, op.results
    if element_of(source.type) is not I8 or element_of(result.type) is not F32 or count_of(result.type) % ROWS:
        return None
    if not on_whole_registers(e) or not passes_through(result) or e.may_be_alike(source) or e.diverges(op):
        return None
    call, kind = RaiseRowsCall("s8" if isinstance(op, arith.SIToFP) else "u8"), e.vector(e.f32, ROWS)
    places = range(0, count_of(result.type), ROWS)
    given = [e[source].get(e, e.integer(8), at, ROWS) for at in places]
    return joined(e, [e.call_assembly(call, kind, [x]) for x in given], ROWS)


def narrowed(e: Emitter, op: Op) -> Fragment | None:
    """f32 as f16 or bf16 where products alone take it as their first operand; None where that is not so, where it is loaded and the other
    operand is not, or where IGC computes it, or a loop carries it, in registers that assembly would have moved (paged attention: 16 moves),
    unless it stays through a loop.

    Assembly stays where it stands, with the loads behind it: IGC (2.40.14) converts a second step's numbers behind the first step's products,
    and loads what these do not take yet before (128x128x32 on pvc: 160 instructions and 1.5 KB of scratch, as assembly 99). Rows that it
    converts lie in registers of their own, half full, until a product takes them: through a loop those from before it (rotated queries: 3.2 KB
    spilled), and beside sums the weights of attention (caches of f8 in blocks of 64: 2.5 KB).
    """
    (source,), (result,) = op.operands, op.results
    element = element_of(result.type)
    if element not in (F16, BF16) or element_of(source.type) is not F32:
        return None
    if count_of(result.type) % ROWS or not on_whole_registers(e) or not multiplies(result) or e.diverges(op):
        return None
    if isinstance(source.op, xegpu.LoadNd):
        if not all(isinstance(origin((product.rhs, 0))[0].op, xegpu.LoadNd) for product in _products(result)):
            return None
    elif not isinstance(source.op, Elementwise) or e.may_be_alike(source) or not (is_wide(e, source) or _stays(op)):
        return None
    call, kind, fragment = NarrowRowsCall(element.name), e.vector(e.i16, ROWS), e[source]
    places = range(0, fragment.count, ROWS)
    return _of_rows(e, element, [e.call_assembly(call, kind, [fragment.get(e, e.f32, at, ROWS)]) for at in places])


def _stays(op: Op) -> bool:
    """Whether products take a result in loops that it is made before, and nothing else does."""
    found = [*_products(op.results[0])]
    return bool(found) and all(loop_around(product) not in (None, loop_around(op)) for product in found)


def _products(value: Value) -> Iterator[xegpu.Dpas]:
    """The products that take a value, or parts of it; none of what is stored for those of other subgroups."""
    for op in value.users:
        if isinstance(op, xegpu.Dpas):
            yield op
        elif op.results:
            yield from _products(op.results[0])


def _is_smaller(e: Emitter, value: Value) -> bool:
    """Whether products take a value smaller than it is (`rescaled`)."""
    return e.packing is not None and value in e.packing.rescaled.first


def chosen_operand(e: Emitter, op: arith.Select) -> Fragment | None:
    """What a condition that all lanes share chooses where products alone take it, or what is computed of it, as their first operand; None
    where that is not so.
    """
    (result,) = op.results
    element, condition = element_of(result.type), condition_of(op)
    if element not in (F16, BF16) or count_of(result.type) % ROWS or not on_whole_registers(e) or not multiplies(result):
        return None
    if condition is None or e.diverges(op):
        return None
    if any(e.may_be_alike(value) or isinstance(value.op, vector.Broadcast) for value in (op.true_value, op.false_value)):
        return None
    word = e.once(("rows", condition), lambda: e.emit("OpSelect", e.i32, e.scalar(condition), e.number(-1), e.number(0)))
    ways = [e[value] for value in (op.true_value, op.false_value)]
    call, kind, lies = ChosenRowsCall(), e.vector(e.i16, ROWS), ("rw", "rw", "rw.u")
    return _of_rows(
        e, element,
        [
            e.call_assembly(call, kind, [*(way.get(e, e.i16, at, ROWS) for way in ways), word], lies)
            for at in range(0, count_of(result.type), ROWS)
        ],
    )  # fmt: skip


def as_summed(e: Emitter, value: Value, fragment: Fragment) -> Fragment:
    """What is computed in other ways, as small as products take it: exactly, as f8E4M3FN has no number below 2^-9."""
    if not _is_smaller(e, value):
        return fragment
    form = e.form(F16)
    return mapped(e, F16, lambda n, x: e.emit("OpFMul", e.vector(form, n), x, e.constant(form, 1 / FACTOR, n)), fragment)


def _signed(e: Emitter, op: Op) -> list[Id] | None:
    """Numbers with other signs."""
    (source,), (name, bits) = op.operands, SIGNED[type(op)]
    if not _has_rows(e, source):
        return None
    call = PackedCall(name, 0, ROWS // 2, "number", bits, flat=True)
    return [_call(e, call, e[source].get(e, e.i16, at, ROWS)) for at in range(0, count_of(source.type), ROWS)]


def _of_two(e: Emitter, op: Op) -> list[Id] | None:
    """An operation of f16 of which at least one operand has rows of its own."""
    (first, second), name = op.operands, COMPUTED.get(type(op)) or CHOSEN.get(type(op))
    if name in ("add", "mul") and not _has_rows(e, first):
        first, second = second, first
    if name is None or not _has_rows(e, first):
        return None
    number = constant_of(second)
    is_number = isinstance(number, (int, float))
    if (type(op) in CHOSEN and (not is_number or number != number)) or not (is_number or _is_given(e, second)):
        return None
    parts = []
    for at in range(0, count_of(op.results[0].type), ROWS):
        x = e[first].get(e, e.i16, at, ROWS)
        if isinstance(number, (int, float)):
            parts.append(_call(e, _with_number(name, number, element_of(op.results[0].type)), x))
        else:
            kind, other = _given(e, second, at)
            parts.append(_call(e, PackedCall(name, 0, ROWS // 2, kind, flat=True), x, other))
    return parts


def _with_number(name: str, number: float, element: ScalarType) -> PackedCall:
    """The piece for a known number, which has no sign of its own in an instruction."""
    if element is BF16:
        return PackedCall(f"{name}_bf16", 0, ROWS // 2, "number", bits_of(number, ml_dtypes.bfloat16), flat=True)
    less = name == "sub"
    return PackedCall("add" if less else name, 0, ROWS // 2, "number", bits_of(-number if less else number), flat=True)


def _has_rows(e: Emitter, value: Value) -> bool:
    """Whether a value has numbers of its own in each row."""
    known = constant_of(value) is not None or isinstance(value.op, vector.Broadcast) or lane_of(value, 0) is not None
    return not known and not e.may_be_alike(value)


def _is_given(e: Emitter, value: Value) -> bool:
    """Whether a second operand is one that `_given` gives."""
    if isinstance(value.op, vector.Broadcast) and lane_of(value, 0) is None:
        source = value.op.source
        alike = is_uniform(source) or e.may_be_alike(source)
        return e[source].count == 1 and (not alike or _fills_registers(e, value))
    if lane_of(value, 0) is not None:
        return all(spread_of(value, at, ROWS) for at in range(0, count_of(value.type), ROWS))
    return _has_rows(e, value)


def _fills_registers(e: Emitter, value: Value) -> bool:
    """Whether so many numbers are computed with one of all lanes that half of the registers do not hold them: IGC computes them one by one,
    each in a register, and packs them behind the last (latent keys of 512 columns: 6.4 KB spilled).
    """
    computed = sum(count_of(op.results[0].type) for op in value.users if type(op) in COMPUTED)
    return computed > (e.kernel.grf or 0) * FULL


def _given(e: Emitter, value: Value, at: int) -> tuple[str, Id]:
    """Eight rows of a second operand: one number of each lane, one for each row, or numbers as the first operand has them."""
    spread = spread_of(value, at, ROWS)
    if spread is not None:
        return "words", e.once(
            ("rows", *spread), lambda: _moved(e, AcrossCall(spread[1], flat=True), e.vector(e.i16, ROWS), spread[0])
        )
    if isinstance(value.op, vector.Broadcast):
        one = value.op.source
        return "lane", e.once(("rows", one), lambda: _moved(e, TwiceCall(flat=True), e.vector(e.i16, 2), one))
    return "words", e[value].get(e, e.i16, at, ROWS)


def _moved(e: Emitter, call: TwiceCall | AcrossCall, kind: Id, scalar: Value) -> Id:
    """A number of each lane by a piece that moves it: one that lanes have alike is hidden from IGC, which would give the piece less."""
    number = e[scalar].get(e, e.i16, 0, 1)
    if is_uniform(scalar) or e.may_be_alike(scalar):
        number = of_lanes(e, e.i16, number, 1)
    return e.call_assembly(call, kind, [number])


def _call(e: Emitter, call: Call, *operands: Id) -> Id:
    return e.call_assembly(call, e.vector(e.i16, ROWS), operands)
