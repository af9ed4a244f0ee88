"""Codes of four bits that are floats (`float_codes`) times scales that are powers of two: products of f16 in place of those of f32.

Codes have few digits, so that a power of two changes nothing but their exponent, and only what is rounded at last is rounded. One f16
does not reach as far as scales of f32 do, two do: a product with each takes less than to widen the codes and narrow the products.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from xetile.dialects import arith, math
from xetile.dialects.arith import constant_of
from xetile.dialects.types import F32, I8, element_of
from xetile.ir.core import Value

from ..assembly.byte_powers import PowersCall
from ..assembly.float_codes import CODES, FloatFormat
from .packed import Alike, Calculated, Computed, FloatCodes, Lifted, Number, Packed, Power, Single
from .uses import Row, origin
from .whole_numbers import whole_range

LARGEST, MOST = float(np.finfo(np.float16).max), 2.0**15
"""Of f16 the largest number, and the largest power of two."""
_EXPONENTS = range(-150, 129)
"""Powers of two as f32, from 0 to infinity."""
_Floats = np.ndarray[Any, np.dtype[np.float32]]
_Halves = np.ndarray[Any, np.dtype[np.float16]]
_DIGITS, _EXPONENT_OF_ONE = 23, -127
"""Of an f32: digits behind its exponent, and what is added to that."""
_BYTES = 256


def by_powers(single: Single) -> Packed | None:
    """A product of codes and one number of the lane in f16; None where its bits might be others than by way of f32."""
    if not isinstance(single, Calculated) or single.name != "mul" or not isinstance(single.a, Lifted) or single.a.bf16:
        return None
    codes, factor = _times(single.a.packed)
    scale = single.b
    if codes is None or factor != 2.0**codes.format.exponent or not isinstance(scale, Alike):
        return None
    row = (scale.value, scale.index)
    if scale.factor != 1 or not _is_power(row) or not _is_exact(codes.format):
        return None
    given = Power(*row, codes.format.exponent, is_second=False)
    byte = _byte_of(row)
    if byte is not None and _is_exact_by_bytes(codes.format, byte.bias, byte.most, byte.is_bits):
        given = replace(given, value=byte.value, index=byte.at, bias=byte.bias)
    return Computed("mul", Computed("mul", codes, given), replace(given, is_second=True))


def _times(packed: Packed) -> tuple[FloatCodes | None, float]:
    """Codes, and what they are multiplied by."""
    match packed:
        case FloatCodes():
            return packed, 1.0
        case Computed("mul", FloatCodes() as codes, Number(factor)):
            return codes, factor
    return None, 1.0


def _is_power(row: Row) -> bool:
    """Whether an f32 is a power of two, zero or infinite, whatever is loaded."""
    value, index = origin(row)
    op = value.op
    if element_of(value.type) is not F32:
        return False
    if isinstance(op, math.Exp2):
        return whole_range((op.operand, index)) is not None
    if not isinstance(op, arith.Bitcast):
        return False
    bits, at = origin((op.operands[0], index))
    if not isinstance(bits.op, arith.ShLI) or constant_of(bits.op.operands[1]) != _DIGITS:
        return False
    exponent = origin((bits.op.operands[0], at))[0].op
    return isinstance(exponent, arith.ExtUI) and element_of(exponent.operands[0].type) is I8


class _Byte(NamedTuple):
    """A byte, no larger than `most`, that is less than a power by `bias`; `is_bits`: an exponent as an f32 has it."""

    value: Value
    at: int
    bias: int
    most: int
    is_bits: bool


def _byte_of(row: Row) -> _Byte | None:
    """The byte of which an f32 is a power of two (`_is_power`); None where it is made of something else."""
    value, index = origin(row)
    op = value.op
    if isinstance(op, arith.Bitcast):
        bits, at = origin((op.operands[0], index))
        assert isinstance(bits.op, arith.ShLI)
        wide, at = origin((bits.op.operands[0], at))
        assert isinstance(wide.op, arith.ExtUI)
        return _Byte(*origin((wide.op.operands[0], at)), _EXPONENT_OF_ONE, _BYTES - 1, True)
    assert isinstance(op, math.Exp2)
    (value, index), bias = origin((op.operand, index)), 0.0
    while isinstance(value.op, (arith.AddF, arith.SubF)):
        number = constant_of(value.op.operands[1])
        if not isinstance(number, float):
            return None
        bias += number if isinstance(value.op, arith.AddF) else -number
        value, index = origin((value.op.operands[0], index))
    found = whole_range((value, index))
    if found is None or not isinstance(value.op, arith.UIToFP) or element_of(value.op.operand.type) is not I8:
        return None
    return _Byte(*origin((value.op.operand, index)), int(bias), found[1], False)


@lru_cache(maxsize=64)
def _is_exact_by_bytes(format: FloatFormat, bias: int, most: int, is_bits: bool) -> bool:
    """Whether factors that are made of bytes have the bits of a product that is rounded once, of each code and each byte up to `most`."""
    bytes = np.arange(most + 1)
    with np.errstate(all="ignore"):
        scales = (
            (bytes << _DIGITS).astype(np.int32).view(np.float32) if is_bits else np.exp2(bytes + float(bias)).astype(np.float32)
        )
        factors = PowersCall.of(bias, format.exponent, doubled=False).parts(bytes)
        first, second = (part.astype(np.uint16).view(np.float16) for part in factors)
    return _has_bits(format, scales, first, second)


@lru_cache(maxsize=64)
def _is_exact(format: FloatFormat) -> bool:
    """Whether two products have the bits of one that is rounded once, of each code and each power of two."""
    with np.errstate(all="ignore"):
        scales = np.exp2(np.array(_EXPONENTS, np.float64)).astype(np.float32)
        first, second = (np.array(part, np.float32).astype(np.float16) for part in parts(scales, format.exponent))
    return _has_bits(format, scales, first, second)


def _has_bits(format: FloatFormat, scales: _Floats, first: _Halves, second: _Halves) -> bool:
    """Whether each code times the two factors is the code times the scale, rounded to f16."""
    codes = np.arange(CODES, dtype=np.int16)
    codes[CODES // 2 :] -= CODES
    small = ((codes << format.shift) & np.int16(np.uint16(format.mask).view(np.int16))).view(np.float16)[:, None]
    with np.errstate(all="ignore"):
        found = small * first * second
        wanted = (small.astype(np.float32) * np.float32(2.0**format.exponent) * scales).astype(np.float16)
    return bool(((found.view(np.uint16) == wanted.view(np.uint16)) | (np.isnan(found) & np.isnan(wanted))).all())


def parts(scale: _Floats, exponent: int) -> tuple[_Floats, _Floats]:
    """The two factors: of what f16 does not hold any more all codes but zero become infinite, and zero by infinity alone is no number."""
    beyond = np.minimum(scale * np.float32(2.0**exponent / MOST), np.float32(LARGEST))
    first = np.minimum(scale * np.float32(2.0**exponent), np.maximum(beyond, np.float32(MOST)))
    return np.where(np.isinf(scale), np.float32(np.inf), first), np.maximum(beyond, np.float32(1))
