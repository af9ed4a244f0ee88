"""Arithmetic and logic instructions as functions of the threads' state.

An instruction's execution type follows from its operands' types; the tables say what it computes in that type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache

import numpy as np

from .errors import UnsupportedError
from .isa import FLOATS, TYPES, XE2, XE_HPC, XE_HPG, Array, Instruction, Operand
from .math_unit import function as math_function
from .numbers import (
    NEAREST,
    bf_to_f,
    convert,
    count_bits,
    directed,
    fma32,
    fma64,
    fma_odd,
    highest_bit,
    leading_zeros,
    lowest_bit,
    reverse_bits,
    sum_odd,
)  # fmt: skip
from .operands import flat, mask_of, pieces_of, predicated_channels, reader, target, writer
from .state import Layout, Mask, Step, Threads

Get = Callable[[Threads], Array]
Operation = Callable[..., Array]

COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
    "ze": np.equal, "nz": np.not_equal, "un": lambda a, b: np.isnan(a) | np.isnan(b),
}  # fmt: skip
LOGIC = frozenset({"and", "or", "xor", "not", "bfn"})
WRAPPING = LOGIC | {"add", "add3", "mov", "mul", "mad", "shl", "macl", "bfrev", "lzd", "fbl", "fbh", "cbit"}
"""Integer results of these depend on the low 32 bits of their operands alone."""
SAME_SIGN = frozenset({"cmp", "cmpn", "sel", "csel", "asr", "shr"})
"""These compare or shift in their operands' own type where all have the same signedness."""
ROTATIONS = frozenset({"rol", "ror"})
"""These work in the width of what they rotate."""
BITWISE = frozenset({"bfrev", "lzd", "fbl", "fbh", "cbit", "shr"})


def execution_type(inst: Instruction, sources: Sequence[Operand]) -> str:
    """The type in which an instruction computes: f, hf, df, ud (bits), d, q or uq."""
    dst, types = inst.operands[0], {s.type for s in sources}
    if inst.opcode in ROTATIONS:
        return {2: "uw", 4: "ud", 8: "uq"}[sources[0].dtype.itemsize]
    if types & FLOATS:
        if "df" in types:
            return "df"
        return "hf" if types <= {"hf"} and dst.type in ("hf", "") else "f"
    small = all(s.dtype.itemsize <= 4 for s in sources)
    narrow = dst.type not in FLOATS and (dst.file == "null" or dst.dtype.itemsize <= 4)
    plain = not any(s.absolute for s in sources) and not dst.saturate and not inst.condition
    if small and narrow and plain and inst.opcode in WRAPPING:
        return "ud"
    if small and narrow and inst.opcode in SAME_SIGN and not any(s.negate or s.absolute for s in sources) and not dst.saturate:
        signed = {s.type[0] != "u" for s in sources if not (s.file == "imm" and s.type == "w" and _never_negative(s))}
        if signed <= {True}:
            return "d"
        if signed == {False}:
            return "ud"
    return "uq" if types <= {"uq"} else "q"


def _never_negative(operand: Operand) -> bool:
    return bool(np.all(np.asarray(operand.value) >= 0))


def converted(layout: Layout, inst: Instruction, operand: Operand, kind: str, pieces: int) -> Get:
    """A function that gives an operand's elements in the execution type, its modifiers applied."""
    dtype, logic = TYPES[kind], inst.opcode in LOGIC
    bits = kind == "ud" and operand.file != "imm" and operand.type in ("ud", "d") and not operand.absolute
    read = reader(layout, operand, inst.width, pieces, "ud" if bits else "")
    changed = operand.absolute or operand.negate or operand.invert
    if not changed and (bits or (operand.file != "null" and operand.type and operand.dtype == dtype)):
        return read
    wide = operand.type == "bf" and kind == "f"

    def get(t: Threads) -> Array:
        values = read(t)
        if wide:
            values = bf_to_f(np.ascontiguousarray(values))
        elif values.dtype != dtype:
            values = (
                values.astype(np.int32).view(np.uint32) if kind == "ud" and values.dtype.itemsize < 4 else values.astype(dtype)
            )
        if operand.absolute:
            values = np.abs(values)
        if operand.negate:
            values = ~values if logic else -values if kind in FLOATS else np.zeros((), dtype) - values
        return ~values if operand.invert else values

    if operand.file == "imm":
        fixed = get(None)  # type: ignore[arg-type]  # an immediate asks nobody
        return lambda t: fixed
    return get


def plain(layout: Layout, inst: Instruction) -> Step:
    """An instruction whose result in each channel is a function of that channel's sources."""
    dst, sources = inst.operands[0], inst.operands[1:]
    kind, pieces = execution_type(inst, sources), pieces_of(layout, inst)
    get = [converted(layout, inst, s, kind, pieces) for s in sources]
    operation = _operation(layout, inst, kind)
    mask, write = mask_of(inst), writer(layout, dst, inst.width, pieces)
    rounds = _rounding(inst, kind)
    if inst.condition is None and rounds is None and (direct := _direct(layout, inst, kind, pieces, operation)) is not None:
        return _into(get, operation, mask, write, direct)
    result_type = dst.type or kind
    same = (result_type == kind and not dst.saturate) or (kind == "ud" and dst.type in ("d", "ud"))
    condition = _flag_setter(inst)

    def step(t: Threads) -> None:
        values = [g(t) for g in get]
        if rounds is not None and t.rounding != NEAREST:
            result = directed(rounds(*values), result_type, t.rounding)
        else:
            result = operation(*values)
            if not same:
                result = convert(result, kind, result_type, dst.saturate)
        where = mask(t)
        write(t, result, where)
        if condition is not None:
            condition(t, result, where)

    return step


def _into(get: Sequence[Get], operation: Operation, mask: Callable[[Threads], Mask], write: Callable[[Threads, Array, Mask], None],
          direct: Get) -> Step:  # fmt: skip
    """The common case: a numpy function whose result lies in the destination as it comes."""

    def step(t: Threads) -> None:
        where = mask(t)
        if where is None:
            operation(*[g(t) for g in get], out=direct(t))
        else:
            write(t, operation(*[g(t) for g in get]), where)

    return step


def _direct(layout: Layout, inst: Instruction, kind: str, pieces: int, operation: Operation) -> Get | None:
    dst = inst.operands[0]
    if not isinstance(operation, np.ufunc) or dst.saturate or operation.nout != 1:
        return None
    if kind == "ud" and dst.type == "d":
        dst = Operand(dst.file, dst.reg, dst.sub, dst.region, "ud", indirect=dst.indirect)
    return target(layout, dst, inst.width, pieces) if dst.type == kind else None


def _rounding(inst: Instruction, kind: str) -> Operation | None:
    """What gives an instruction's exact result, or that rounded to odd, in float64, for rounding modes other than to nearest."""
    if inst.operands[0].type not in ("f", "hf", "bf") or (kind == "df" and inst.opcode != "mov") or inst.operands[0].saturate:
        return None
    return _EXACT.get(inst.opcode) if kind in ("f", "hf", "df", "q", "ud", "d") else None


_EXACT: dict[str, Operation] = {
    "add": lambda a, b: sum_odd(*np.broadcast_arrays(a.astype(np.float64), b.astype(np.float64))),
    "mul": lambda a, b: a.astype(np.float64) * b.astype(np.float64),
    "mad": lambda a, b, c: fma_odd(b.astype(np.float32), c.astype(np.float32), a.astype(np.float32)),
    "mov": lambda a: a.astype(np.float64),
}


def _flag_setter(inst: Instruction) -> Callable[[Threads, Array, Mask], None] | None:
    """Notes how a result compares with zero."""
    condition = inst.condition
    if condition is None:
        return None
    compare, first, signed = COMPARE[condition.name], 16 * condition.sub + inst.channel, inst.operands[0].type in ("d", "w", "b")

    def note(t: Threads, result: Array, where: Mask) -> None:
        values = result.view(np.int32) if signed and result.dtype == np.uint32 else result
        t.set_flag(condition.reg, first, flat(compare(values, values.dtype.type(0)), t.count, inst.width), where)

    return note


def _operation(layout: Layout, inst: Instruction, kind: str) -> Operation:
    """What an instruction computes, in the execution type.  Raises UnsupportedError."""
    op, table = inst.opcode, _operations(kind)
    if op == "math":
        made = math_function(inst.suffix) if kind in ("f", "hf") else None
        if made is None:
            raise UnsupportedError(f"math.{inst.suffix} of type {kind}")
        return made
    if op in ROTATIONS:
        return _rotation(op, kind)
    if op == "bfn":
        return _boolean(inst.suffix)
    if op in ("shl", "asr", "shr") and kind not in FLOATS:
        return _shift(inst, kind)
    if op in ("mach", "macl"):
        return _high_or_low(layout, inst, kind)
    if op == "fbh":
        return lambda a: highest_bit(a, inst.operands[1].type == "d")
    if op in BITWISE and kind != "ud":
        raise UnsupportedError(f"{op} in type {kind}")
    if op not in table:
        raise UnsupportedError(f"{op} in type {kind}")
    return table[op]


@cache
def _operations(kind: str) -> Mapping[str, Operation]:
    """By opcode, in an execution type."""
    return {**_ANY, **(_FLOAT if kind in FLOATS else _INTEGER), **_BY_KIND.get(kind, {})}


def _mad_half(a: Array, b: Array, c: Array) -> Array:
    return (b.astype(np.float64) * c.astype(np.float64) + a.astype(np.float64)).astype(np.float16)


# dst = src0 + src1 * src2, rounded once.
_ANY: dict[str, Operation] = {"add": np.add, "mul": np.multiply, "mov": np.positive, "mad": lambda a, b, c: a + b * c}
_FLOAT: dict[str, Operation] = {
    "rndd": np.floor, "rndu": np.ceil, "rnde": np.rint, "rndz": np.trunc, "frc": lambda a: a - np.floor(a),
}  # fmt: skip
_INTEGER: dict[str, Operation] = {
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.invert, "add3": lambda a, b, c: a + b + c,
    "bfrev": reverse_bits, "lzd": leading_zeros, "fbl": lowest_bit, "cbit": count_bits,
    "avg": lambda a, b: (a + b + 1) >> 1,
}  # fmt: skip
_BY_KIND: dict[str, dict[str, Operation]] = {
    "f": {"mad": lambda a, b, c: fma32(b, c, a)},
    "df": {"mad": lambda a, b, c: fma64(b, c, a)},
    "hf": {"mad": _mad_half},
}


@lru_cache(maxsize=256)
def _boolean(expression: str) -> Operation:
    if not re.fullmatch(r"[s012&|^~() ]+", expression):
        raise UnsupportedError(f"bfn.{expression}")
    code = compile(expression, "bfn", "eval")
    return lambda a, b, c: eval(code, {}, {"s0": a, "s1": b, "s2": c})  # noqa: S307 (checked above)


def _shift(inst: Instruction, kind: str) -> Operation:
    """Counts are taken modulo 64 where anything has 64 bits, else modulo 32; `shr` brings in zeros, `asr` the sign."""
    first = inst.operands[1]
    wide = any(o.type and o.dtype.itemsize == 8 for o in inst.operands if o.file != "null")
    limit, dtype = 63 if wide else 31, TYPES[kind].type
    if inst.opcode == "shl":
        return lambda a, b: a << (b & dtype(limit))
    if inst.opcode == "asr":
        return lambda a, b: a >> (b & dtype(limit))
    size = first.dtype.itemsize
    unsigned = np.dtype(f"u{TYPES[kind].itemsize}")
    kept = unsigned.type((1 << 8 * size) - 1)

    def shift(a: Array, b: Array) -> Array:
        made = (np.ascontiguousarray(a).view(unsigned) & kept) >> (b.astype(unsigned) & unsigned.type(limit))
        result: Array = made.view(TYPES[kind])
        return result

    return shift


def _rotation(op: str, kind: str) -> Operation:
    """Left or right, by a count modulo the width."""
    limit = TYPES[kind].type(8 * TYPES[kind].itemsize - 1)
    left: Operation = lambda a, b: a << (b & limit) | a >> (-b & limit)  # noqa: E731
    return left if op == "rol" else lambda a, b: left(a, -b)


def _high_or_low(layout: Layout, inst: Instruction, kind: str) -> Operation:
    """With the `mul` before it: the product's high half (`mach`) or its low half (`macl`).

    Xe-HPG has one opcode for both: with {AccWrEn} it gives the high half, without it the low one.
    """
    if inst.opcode == "macl" or (layout.target in XE_HPG and "AccWrEn" not in inst.swsb):
        return np.multiply
    if inst.operands[1].type == "ud" and inst.operands[2].type == "ud":
        return lambda a, b: ((a.astype(np.uint64) * b.astype(np.uint64)) >> np.uint64(32)).astype(TYPES[kind])
    return lambda a, b: (a * b) >> 32


def moved(layout: Layout, inst: Instruction) -> Step:
    """`mov`: of the same type, or between integers, what storing does; else a conversion."""
    dst, src = inst.operands
    simple = not (src.negate or src.absolute or src.invert or dst.saturate or inst.condition)
    if not simple or (dst.type != src.type and (dst.type in FLOATS or src.type in FLOATS)):
        return plain(layout, inst)
    pieces = pieces_of(layout, inst)
    read, mask, write = reader(layout, src, inst.width, pieces), mask_of(inst), writer(layout, dst, inst.width, pieces)
    return lambda t: write(t, read(t), mask(t))


def compared(layout: Layout, inst: Instruction) -> Step:
    """`cmp`: a flag for each channel, and all ones or zero where there is a destination."""
    dst, first, second = inst.operands
    condition, kind, pieces = inst.condition, execution_type(inst, (first, second)), pieces_of(layout, inst)
    if condition is None or condition.name not in COMPARE:
        raise UnsupportedError("a comparison that is not known")
    left, right = (converted(layout, inst, o, kind, pieces) for o in (first, second))
    # All bits are ones where it holds, also where the destination has a float's type.
    bits = dst if dst.file == "null" else replace(dst, type={1: "b", 2: "w", 4: "d", 8: "q"}[dst.dtype.itemsize])
    compare, mask, write = COMPARE[condition.name], mask_of(inst), writer(layout, bits, inst.width, pieces)
    at = 16 * condition.sub + inst.channel

    def step(t: Threads) -> None:
        where, result = mask(t), compare(left(t), right(t))
        t.set_flag(condition.reg, at, flat(result, t.count, inst.width), where)
        if dst.file != "null":
            write(t, np.where(result, -1, 0).astype(bits.dtype), where)

    return step


def selected(layout: Layout, inst: Instruction) -> Step:
    """`sel`: by a flag, or with a condition by how the sources compare."""
    dst, first, second = inst.operands
    kind, pieces = execution_type(inst, (first, second)), pieces_of(layout, inst)
    left, right = (converted(layout, inst, o, kind, pieces) for o in (first, second))
    write, enabled = writer(layout, dst, inst.width, pieces), mask_of(inst, predicated=False)
    if inst.condition is not None:
        pick = _picked(inst.condition.name, kind)
        return lambda t: write(t, convert(pick(left(t), right(t)), kind, dst.type, dst.saturate), enabled(t))
    chosen = predicated_channels(inst)

    def step(t: Threads) -> None:
        flag = chosen(t)
        flag = flag if pieces == 1 else flag.reshape(t.count, pieces, -1).transpose(1, 0, 2)
        write(t, convert(np.where(flag, left(t), right(t)), kind, dst.type, dst.saturate), enabled(t))

    return step


def _picked(condition: str, kind: str) -> Operation:
    """The first where it compares so with the second: for `lt` and `ge` a number rather than NaN, for others the second if any is NaN."""
    if condition in ("lt", "ge"):
        lower = condition == "lt"
        return (np.fmin if lower else np.fmax) if kind in FLOATS else (np.minimum if lower else np.maximum)
    compare = COMPARE[condition]

    def choose(a: Array, b: Array) -> Array:
        chosen: Array = np.where(compare(a, b), np.asarray(a), np.asarray(b))
        return chosen

    return choose


def conditionally_selected(layout: Layout, inst: Instruction) -> Step:
    """`csel`: src0 where src2 compares with zero, else src1."""
    dst, first, second, third = inst.operands
    if inst.condition is None:
        # Clears the hardware's read suppression: nothing changes.
        if not dst.reg == first.reg == second.reg == third.reg:
            raise UnsupportedError("csel without a condition")
        return lambda t: None
    kind, pieces = execution_type(inst, (first, second, third)), pieces_of(layout, inst)
    get = [converted(layout, inst, o, kind, pieces) for o in (first, second, third)]
    compare, mask, write = COMPARE[inst.condition.name], mask_of(inst), writer(layout, dst, inst.width, pieces)

    def step(t: Threads) -> None:
        a, b, c = (g(t) for g in get)
        write(t, convert(np.where(compare(c, c.dtype.type(0)), a, b), kind, dst.type, dst.saturate), mask(t))

    return step


def with_carry(layout: Layout, inst: Instruction) -> Step:
    """`addc` and `subb`: the result of 32 bits, and the carry or borrow in the accumulator.

    A condition looks at the result's 32 bits, unsigned: inferred from code that compares numbers of 64 bits with zero by it.
    """
    dst, first, second = inst.operands
    if dst.type != "ud" or dst.saturate:
        raise UnsupportedError(f"{inst.opcode} of this type")
    left, right = (converted(layout, inst, o, "q", 1) for o in (first, second))
    mask, write = mask_of(inst), writer(layout, dst, inst.width)
    carry = writer(layout, Operand("acc", 0, 0, (0, 0, 1), "ud"), inst.width)
    adds, condition = inst.opcode == "addc", _flag_setter(inst)

    def step(t: Threads) -> None:
        a, b, where = left(t) & 0xFFFFFFFF, right(t) & 0xFFFFFFFF, mask(t)
        total = a + b if adds else a - b
        result = (total & 0xFFFFFFFF).astype(np.uint32)
        write(t, result, where)
        carry(t, (total >> 32 & 1).astype(np.uint32), where)
        if condition is not None:
            condition(t, result, where)

    return step


def with_accumulator(layout: Layout, inst: Instruction) -> Step:
    """`mach` that writes the accumulator too: the product's high half to the destination, its low half there."""
    if inst.opcode != "mach" or layout.target in XE2 | XE_HPC:
        raise UnsupportedError("AccWrEn")
    high, mask = plain(layout, inst), mask_of(inst)
    left, right = (converted(layout, inst, o, "q", 1) for o in inst.operands[1:])
    keep = writer(layout, Operand("acc", 0, 0, (0, 0, 1), "ud"), inst.width)

    def step(t: Threads) -> None:
        low = (left(t) * right(t) & 0xFFFFFFFF).astype(np.uint32)
        high(t)
        keep(t, low, mask(t))

    return step


def control(layout: Layout, inst: Instruction) -> Step:
    """A write to the control register: its bits 5:4 are the rounding mode of floating point."""
    write, row = plain(layout, inst), layout.base["cr0"]

    def step(t: Threads) -> None:
        write(t)
        modes = set((t.views["ud"][row, :, 0] >> 4 & 3).tolist())
        if len(modes) > 1:
            raise UnsupportedError(f"threads side by side with rounding modes {modes}")
        t.rounding = modes.pop()

    return step
