"""The two factors of f16 that a scale of f32 is which is a power of two (`power_scales`)."""

from __future__ import annotations

from .emit import Emitter
from .encode import Id
from .hidden import hidden_from_lanes
from .one_number import is_uniform
from .packed import Power
from .power_scales import LARGEST, MOST


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
