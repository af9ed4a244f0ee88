"""Scales that are powers of two in f32, as two factors of f16 (`facts/power_scales`)."""

from __future__ import annotations

from ..assembly.byte_powers import PowersCall
from ..facts.packed import Power
from ..facts.power_scales import LARGEST, MOST
from ..facts.uniform_scalars import is_uniform
from ..module.encode import Id
from .emitter import Emitter
from .hidden import hidden_from_lanes, of_lanes

TWICE = 0x10001
"""Times this, what has 16 bits is in both halves of a word."""


def emit_power(e: Emitter, power: Power) -> Id:
    """One of the two factors of a lane as f16 (`power_scales.parts`)."""
    x = e[power.value].get(e, e.f32, power.index, 1)
    if e.may_be_alike(power.value) and not is_uniform(power.value):
        x = hidden_from_lanes(e, x)

    def number(value: float) -> Id:
        return e.constant(e.f32, value)

    scaled = e.emit("OpFMul", e.f32, x, number(2.0**power.exponent / MOST))
    beyond = e.ext(e.f32, "fmin", scaled, number(LARGEST))
    if power.is_second:
        return e.ext(e.f32, "fmax", beyond, number(1.0))
    scaled = e.emit("OpFMul", e.f32, x, number(2.0**power.exponent))
    first = e.ext(e.f32, "fmin", scaled, e.ext(e.f32, "fmax", beyond, number(MOST)))
    infinite = e.emit("OpFOrdEqual", e.bool, x, number(float("inf")))
    return e.emit("OpSelect", e.f32, infinite, x, first)


def power_of_byte(e: Emitter, power: Power) -> Id:
    """Both factors of a lane, each in both halves of a word, of the byte that the scale is a power of."""
    assert power.bias is not None
    byte = e[power.value].get(e, e.integer(8), power.index, 1)
    word, signed = e.doubled.get(byte, (None, False))
    if signed or (word is None and e.may_be_alike(power.value)):
        word = e.multiply(e.i32, of_lanes(e, e.i32, e.emit("OpUConvert", e.i32, byte), 1), TWICE)
    call = PowersCall.of(power.bias, power.exponent, doubled=word is not None)
    return e.call_assembly(call, e.vector(e.i32, 2), [word or byte])
