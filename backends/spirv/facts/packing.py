"""Second operands of products that are computed from narrower numbers: which may be computed two numbers to a word.

Such an operand has two rows to a word of a lane. What is computed row by row fills halves of words, and is put together afterwards;
computed on whole registers of words it takes half of the instructions and nothing is put together (`emit/packed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import ml_dtypes

from xetile.dialects import arith, gpu, tables, vector, xegpu
from xetile.dialects.arith import constant_of
from xetile.dialects.types import BF16, F8E4M3FN, F8E5M2, F16, F32, I8, element_of
from xetile.dialects.xegpu.shared_operands import is_stored_in_words, stored_in_words
from xetile.ir.core import Op, Value

from ..assembly.packed import bits_of
from .first_operands import CHOSEN, SIGNED
from .lane_broadcasts import shuffled
from .lane_shifts import distance_of
from .packed import (
    Across,
    Alike,
    Bytes,
    ByTurns,
    Calculated,
    Chosen,
    Computed,
    FloatCodes,
    Lifted,
    LookedUp,
    Narrowed,
    Number,
    OtherByte,
    Packed,
    Power,
    Raised,
    Shared,
    Single,
    Stepped,
    Together,
    Widened,
    WithBits,
    Words,
    as_floats,
)
from .packed_bytes import OF_BYTES, OPERAND_BYTES, ROWS, are_registers, bytes_of, condition_of, is_run, of_operand, same_number
from .power_scales import by_powers
from .rescaled import Rescaled
from .uses import Row, count_of, moves, origin

_BIAS = 512
"""So much, at most, is added where bytes become f16: all whole numbers on the way have 11 bits."""
_DEEPEST = 128
"""Ops in a chain; of Python's 1,000 frames each takes three."""
_TABLES = (tables.LookUp, tables.Choose)
_BF16_WHOLE = 256
"""No whole number up to here is rounded in bf16."""


class Packing:
    """`operands`: what second operands of products become; `skipped`: ops that nothing else needs."""

    def __init__(self, kernel: gpu.GpuFunc) -> None:
        products = kernel.find(xegpu.Dpas)
        rows = {F16: ROWS, BF16: ROWS, I8: OPERAND_BYTES}
        narrow = {op.rhs: op.parent for op in products if count_of(op.rhs.type) == rows.get(op.rhs.type.element)}
        narrow.update({op.source: op.parent for op in stored_in_words(kernel) if count_of(op.source.type) == ROWS})
        # What another op needs as well is computed as ever.
        found = {
            value: _operand(value, home)
            for value, home in narrow.items()
            if all(user.parent is home and (is_stored_in_words(user, value) or _multiplies(user, value)) for user in value.users)
        }
        self.operands: dict[Value, Packed] = {value: packed for value, packed in found.items() if packed is not None}
        self.rescaled = Rescaled(kernel, self.operands)
        self.operands.update(self.rescaled.operands)
        self.skipped: set[Op] = self._unneeded(kernel) if self.operands else set()

    def _unneeded(self, kernel: gpu.GpuFunc) -> set[Op]:
        """Computations whose every user is a product that takes its operand packed, or another of them."""
        kept = {value for packed in self.operands.values() for value in _leaves(packed)}
        found: set[Op] = set()
        for op in reversed(
            [
                op
                for op in kernel.walk()
                if type(op) in _STEPS
                or type(op) in OF_BYTES
                or isinstance(op, (arith.Bitcast, arith.TruncI, gpu.Shuffle))
                or moves(op)
            ]
        ):
            result = op.results[0]
            if result not in kept and (result in self.operands or (result.users and found.issuperset(result.users))):
                found.add(op)
        return found


def _multiplies(op: Op, value: Value) -> bool:
    """Whether an op is a product that takes a value as its second operand alone."""
    return isinstance(op, xegpu.Dpas) and value not in (op.lhs, op.acc)


def _leaves(packed: Packed) -> Iterable[Value]:
    """The values that are read for an operand."""
    match packed:
        case Computed(_, a, b):
            yield from _leaves(a)
            yield from _leaves(b)
        case Chosen(condition, a, b):
            yield condition
            yield from _leaves(a)
            yield from _leaves(b)
        case Widened(_, taken) | LookedUp(_, taken) | Stepped(taken) | FloatCodes(taken):
            yield from taken.leaves()
        case WithBits(_, inner):
            yield from _leaves(inner)
        case Words(value) | Alike(value) | Across(value) | Power(value):
            yield value
        case Together(rows):
            yield from (value for value, _ in rows)
        case Narrowed(single):
            yield from _leaves_of_single(single)


def _leaves_of_single(single: Single) -> Iterable[Value]:
    match single:
        case Raised(inner, _, other):
            yield from _leaves(inner)
            yield from () if other is None else (other.value,)
        case Lifted(inner):
            yield from _leaves(inner)
        case Calculated(_, a, b):
            yield from _leaves_of_single(a)
            yield from _leaves_of_single(b)
        case LookedUp(_, taken):
            yield from taken.leaves()
        case Alike(value) | Across(value):
            yield value


def _operand(value: Value, home: object) -> Packed | None:
    """An operand that is computed where its product stands: what is computed before a loop is computed once."""
    if element_of(value.type) is I8:
        return _stepped(value, home)
    made = origin((value, 0))[0].op
    if type(made) not in _STEPS or distance_of(made) or _is_deep(value, home):
        return None
    found = _packed([(value, row) for row in range(ROWS)], home)
    return found if isinstance(found, (Widened, LookedUp, FloatCodes, Computed, WithBits, Chosen, Narrowed)) else None


def _stepped(value: Value, home: object) -> Stepped | None:
    """An operand of bytes that are computed of loaded ones, which lie in the registers of such an operand."""
    if type(origin((value, 0))[0].op) not in OF_BYTES or _is_deep(value, home):
        return None
    found = bytes_of([(value, row) for row in range(OPERAND_BYTES)], home)
    steps = found is not None and (found.steps or isinstance(found.value, ByTurns))
    return Stepped(found) if found is not None and steps and are_registers(found) else None


def _is_deep(value: Value, home: object) -> bool:
    """Whether too many ops of a block stand one behind the other to be followed by functions that call themselves."""
    ahead = {value}
    for _ in range(_DEEPEST):
        ahead = {v for each in ahead if each.op is not None and each.op.parent is home for v in each.op.operands}
        if not ahead:
            return False
    return True


def _packed(rows: Sequence[Row], home: object) -> Packed | None:
    """Rows of f16 as one expression; None where they are not computed alike."""
    rows = [origin(row) for row in rows]
    value, first = rows[0]
    if element_of(value.type).bits != F16.bits:
        return None
    if len(set(rows)) == 1:
        number = constant_of(value)
        return Number(float(number)) if isinstance(number, (int, float)) else Alike(value, first)
    number = same_number(rows)
    if number is not None:
        return Number(float(number))
    across = _across(rows)
    if across is not None:
        return across
    kind = type(value.op)
    if kind in _STEPS and not distance_of(value.op) and all(type(v.op) is kind and v.op.parent is home for v, _ in rows):
        return _STEPS[kind](rows, home)
    return Words(value, first) if first % 2 == 0 and is_run(rows) and kind is not vector.Shuffle else None


def _across(rows: Sequence[Row]) -> Across | None:
    """Numbers that neighbouring lanes have of one scalar, as rows of a column become (`x * scales[:, None]`)."""
    lanes = [shuffled(value) for value, _ in rows]
    if lanes[0] is None or any(lane != (lanes[0][0], lanes[0][1] + row) for row, lane in enumerate(lanes)):
        return None
    return Across(*lanes[0])


# Arithmetic of f16, and of bf16 by way of f32.


def _computed(name: str) -> Step:
    def make(rows: Sequence[Row], home: object) -> Packed | None:
        is_bf16 = element_of(rows[0][0].type) is BF16
        a, b = (_packed(of_operand(rows, i), home) for i in range(2))
        if not is_bf16 and (_is_made_of_codes(a) or _is_made_of_codes(b)):
            a, b = (_together(of_operand(rows, i)) if x is None else x for i, x in enumerate((a, b)))
        if a is None or b is None:
            return None
        if isinstance(a, Shared):
            if name == "sub" or isinstance(b, Shared):
                return None
            a, b = b, a
        if name != "mul" and isinstance(a, Widened) and isinstance(b, Number):
            added = _with_bias(a, b.value if name == "add" else -b.value)
            if added is not None:
                return added
        if not is_bf16:
            return Computed(name, a, b)
        singles = [x if isinstance(x, Shared) else _lifted(x, bf16=True) for x in (a, b)]
        return Narrowed(Calculated(name, *singles), bf16=True)

    return make


def _is_made_of_codes(packed: Packed | None) -> bool:
    """Whether numbers are worked out of narrower ones by instructions on whole registers."""
    while isinstance(packed, Computed):
        packed = packed.a
    return isinstance(packed, (Widened, LookedUp, FloatCodes))


def _together(rows: Sequence[Row]) -> Packed:
    """Numbers that are computed row by row, such as scales that each row has from elsewhere: the others need not be so for that."""
    return Together(tuple(origin(row) for row in rows))


def _with_bias(widened: Widened, number: float) -> Widened | None:
    """An integer and a number, where the sum is exact and no zero loses a sign."""
    bias = widened.bias + number
    most = _BF16_WHOLE - widened.bytes.most() if widened.bf16 else _BIAS
    if widened.kind not in ("s8", "u8") or bias != int(bias) or abs(bias) > most:
        return None
    return replace(widened, bias=int(bias))


# Bytes as f16.


def _widened(rows: Sequence[Row], home: object) -> Packed | None:
    target = element_of(rows[0][0].type)
    found = _of_bytes(rows, home) if target in (F16, BF16) else None
    return None if found is None else replace(found, bf16=target is BF16)


def _of_bytes(rows: Sequence[Row], home: object) -> Widened | None:
    """Floats that bytes are converted to."""
    op = rows[0][0].op
    assert op is not None
    source = element_of(op.operands[0].type)
    if source not in (I8, F8E4M3FN, F8E5M2):
        return None
    found = bytes_of(of_operand(rows, 0), home)
    if found is None:
        return None
    signed = isinstance(op, arith.SIToFP)
    made = _without_wrap(found, signed=signed) if source is I8 and found.steps and found.steps[-1][0] == "add" else None
    return made or Widened(("s8" if signed and found.most() > 127 else "u8") if source is I8 else source.name, found)


def _narrowed(rows: Sequence[Row], home: object) -> Packed | None:
    """Bytes that were widened further than to where they go."""
    wide = [origin(row) for row in of_operand(rows, 0)]
    bf16 = element_of(rows[0][0].type) is BF16
    if not all(isinstance(v.op, arith.ExtF) and v.op.parent is home for v, _ in wide):
        single = _single(wide, home)
        if isinstance(single, Raised) and single.other is None:
            return _with_bias(replace(single.widened, bias=0, bf16=bf16), single.widened.bias)
        if not isinstance(single, (Calculated, LookedUp)):
            return None
        return (None if bf16 else _in_halves(single) or by_powers(single)) or Narrowed(single, bf16)
    found = _packed(of_operand(wide, 0), home)
    if not isinstance(found, Widened) or found.bf16 or found.bias:
        return None
    return replace(found, bf16=bf16)


def _in_halves(single: Calculated | LookedUp) -> Packed | None:
    """A product in f32 that is rounded once, where it becomes f16: of bytes and an f16, which have 10 and 11 bits."""
    if not isinstance(single, Calculated) or single.name != "mul" or not isinstance(single.a, Raised):
        return None
    number = single.b
    if not isinstance(number, (Alike, Across)) or not isinstance(number.value.op, arith.ExtF):
        return None
    (source,) = number.value.op.operands
    if element_of(source.type) is not F16:
        return None
    given = Across(source, number.first) if isinstance(number, Across) else Alike(*origin((source, number.index)))
    return Computed("mul", single.a.widened, given)


# f32.


def _single(rows: Sequence[Row], home: object) -> Single | None:
    """Rows of f32 as one expression; None where they are not computed alike, or not of narrower numbers."""
    rows = [origin(row) for row in rows]
    value, first = rows[0]
    if element_of(value.type) is not F32:
        return None
    number = same_number(rows)
    if number is not None:
        return Number(float(number))
    if len(set(rows)) == 1:
        return Alike(value, first)
    across = _across(rows)
    if across is not None:
        return across
    ops = [v.op for v, _ in rows]
    step = _SINGLES.get(type(value.op)) if value.op is not None else None
    same = all(op is not None and type(op) is type(value.op) and op.parent is home for op in ops)
    return step(rows, home) if step is not None and same else None


def _calculated(name: str) -> SingleStep:
    def make(rows: Sequence[Row], home: object) -> Single | None:
        a, b = (_single(of_operand(rows, i), home) for i in range(2))
        if a is None or b is None:
            return None
        if isinstance(a, Shared):
            if name == "sub" or isinstance(b, Shared):
                return None
            a, b = b, a
        if name != "mul" and isinstance(a, Raised) and isinstance(b, Number) and b.value == int(b.value):
            bias = a.widened.bias + int(b.value if name == "add" else -b.value)
            return replace(a, widened=replace(a.widened, bias=bias)) if abs(bias) <= _BIAS else None
        other = _other_byte(name, b) if name != "mul" else None
        return (
            replace(a, other=other) if other is not None and isinstance(a, Raised) and a.other is None else Calculated(name, a, b)
        )

    return make


def _other_byte(name: str, single: Single) -> OtherByte | None:
    """A number of the lane that is a byte: sums of two have no more than 16 bits."""
    op = single.value.op if isinstance(single, Alike) else None
    if not isinstance(op, (arith.SIToFP, arith.UIToFP)) or element_of(op.operands[0].type) is not I8:
        return None
    assert isinstance(single, Alike)
    return OtherByte(name, *origin((op.operands[0], single.index)), isinstance(op, arith.SIToFP))


def _raised(rows: Sequence[Row], home: object) -> Single | None:
    """Bytes, or numbers of 16 bits, as f32."""
    assert rows[0][0].op is not None
    source = element_of(rows[0][0].op.operands[0].type)
    if source.bits == I8.bits:
        found = _of_bytes(rows, home)
        return None if found is None else _lifted(found, bf16=False)
    packed = _packed(of_operand(rows, 0), home) if source in (F16, BF16) else None
    if isinstance(packed, Across):
        return packed
    return None if packed is None or isinstance(packed, Shared) else _lifted(packed, bf16=source is BF16)


def _lifted(packed: Packed, *, bf16: bool) -> Single:
    """Numbers of 16 bits as f32; those that are bytes never become narrower."""
    if isinstance(packed, Widened):
        plain = replace(packed, bf16=False)
        return Raised(plain) if packed.kind in ("s8", "u8") else Lifted(plain, bf16=False)
    return Lifted(packed, bf16)


def _without_wrap(found: Bytes, *, signed: bool) -> Widened | None:
    """A sum of bytes that is the sum of numbers."""
    before, number = replace(found, steps=found.steps[:-1]), found.steps[-1][1]
    if not isinstance(number, int):
        return None
    low, high = (-128, 127) if signed else (0, 255)
    number -= 256 * (signed and number > 127)
    return Widened("u8", before, number) if low <= number and before.most() + number <= high else None


def _looked_up(rows: Sequence[Row], home: object) -> LookedUp | None:
    ops = [value.op for value, _ in rows if isinstance(value.op, _TABLES)]
    codes: list[Row] = [(op.codes, index) for op, (_, index) in zip(ops, rows, strict=True)]
    found = bytes_of(codes, home) if len({(op.table, op.element) for op in ops}) == 1 else None
    return None if found is None else LookedUp(ops[0], found)


def _chosen_numbers(rows: Sequence[Row], home: object) -> Packed | None:
    """Numbers of a table that is known, of 16 bits."""
    found = _looked_up(rows, home)
    return None if found is None else as_floats(found)


def _chosen(rows: Sequence[Row], home: object) -> Packed | None:
    condition = condition_of(rows)
    a, b = (_packed(of_operand(rows, i), home) for i in (1, 2))
    if condition is None or any(x is None or isinstance(x, Shared) for x in (a, b)):
        return None
    assert a is not None and b is not None
    return Chosen(condition, a, b)


def _signed(rows: Sequence[Row], home: object) -> Packed | None:
    """Numbers with other signs."""
    packed = _packed(of_operand(rows, 0), home)
    if packed is None or isinstance(packed, Shared):
        return None
    name, bits = SIGNED[type(rows[0][0].op)]  # type: ignore[index]
    return WithBits(name, packed, bits)


def _extreme(rows: Sequence[Row], home: object) -> Packed | None:
    """The larger or smaller of numbers and a known one."""
    packed, number = _packed(of_operand(rows, 0), home), same_number(of_operand(rows, 1))
    if packed is None or isinstance(packed, Shared) or number is None or number != number:
        return None
    name = CHOSEN[type(rows[0][0].op)]  # type: ignore[index]
    if element_of(rows[0][0].type) is F16:
        return WithBits(name, packed, bits_of(number))
    return WithBits(f"{name}_bf16", packed, bits_of(number, ml_dtypes.bfloat16))


Step = Callable[[Sequence[Row], object], "Packed | None"]
_STEPS: dict[type[Op], Step] = {
    arith.AddF: _computed("add"), arith.SubF: _computed("sub"), arith.MulF: _computed("mul"),
    arith.SIToFP: _widened, arith.UIToFP: _widened, arith.ExtF: _widened, arith.TruncF: _narrowed,
    arith.Select: _chosen, tables.LookUp: _looked_up, tables.Choose: _chosen_numbers, **dict.fromkeys(SIGNED, _signed),
    **dict.fromkeys(CHOSEN, _extreme),
}  # fmt: skip
SingleStep = Callable[[Sequence[Row], object], "Single | None"]
_SINGLES: dict[type[Op], SingleStep] = {
    arith.AddF: _calculated("add"), arith.SubF: _calculated("sub"), arith.MulF: _calculated("mul"),
    arith.SIToFP: _raised, arith.UIToFP: _raised, arith.ExtF: _raised, tables.LookUp: _looked_up,
    tables.Choose: _looked_up,
}  # fmt: skip
