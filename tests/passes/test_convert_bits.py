"""Floats that are made of the bits of whole numbers: which become conversions, which stay, and the same numbers for all bytes."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.passes.parity import traced
from xetile.dialects import arith
from xetile.ir.verifier import verify
from xetile.passes.workgroup.numbers.convert_bits import convert_bits


def half(u):
    return (u.to(xt.u16) | 0x6400).bitcast(xt.f16)


CONVERTED = {
    "a byte": lambda u: half(u) - 1024,
    "less a zero point": lambda u: half(u & 15) - 1032,
    "less half of one": lambda u: half(u >> 4) - 1024.5,
    "minus first": lambda u: half(u & 15) + -1024.0,
    "summed": lambda u: (0x6400 + u.to(xt.i16)).bitcast(xt.f16) - 1024,
    "one or the other": lambda u: (u.to(xt.u16) ^ 0x6400).bitcast(xt.f16) - 1024,
    "the upper half where it lies": lambda u: half(u & 0xF0) * 0.0625 - 72,
    "fused": lambda u: xt.fma(half(u & 0xF0), 0.0625, -72.0),
    "bf16": lambda u: ((u & 127).to(xt.i16) | 0x4300).bitcast(xt.bf16) - 136,
    "f32": lambda u: (u.to(xt.u32) | 0x4B000000).bitcast(xt.f32) - 8388608.0,
}
KEPT = {
    "more than bf16 has": lambda u: (u.to(xt.i16) | 0x4300).bitcast(xt.bf16) - 128,
    "other bits": lambda u: (u.to(xt.u16) | 0x6800).bitcast(xt.f16) - 2048,
    "nothing taken": lambda u: half(u) + 1,
    "the number is not held": lambda u: half(u & 15) - 0.3,
    "a third": lambda u: half(u) * 0.333 - 341,
    "taken from a number": lambda u: 1024 - half(u),
}
ALL = CONVERTED | KEPT


@xt.jit
def products(A, U, Out, FORM: xt.constexpr):
    a, u = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))), xt.load_tile(xt.init_tile(U, (0, 0), (16, 16)))
    xt.store_tile(a @ FORM(u).to(xt.f32).to(xt.f16), xt.init_tile(Out, (0, 0), (16, 16)))


def launch(form: str) -> Launch:
    """All bytes; A is the identity."""
    u = np.random.default_rng(3).permutation(256).astype(np.uint8).reshape(16, 16)
    values = {"A": np.eye(16, dtype=np.float16), "U": u, "Out": np.zeros((16, 16), np.float32)}
    return Launch(products, values, {}, constants={"FORM": ALL[form]})


def bits_left(form: str) -> bool:
    """Whether bits become floats after the pass."""
    case = launch(form)
    module = convert_bits(traced(case.kernel.fn, case.values, case.constants))
    verify(module)
    return module.has(arith.Bitcast)


@pytest.mark.parametrize("form", CONVERTED)
def test_no_bits_are_left(form):
    assert not bits_left(form)


@pytest.mark.parametrize("form", KEPT)
def test_other_bits_stay(form):
    assert bits_left(form)


@pytest.mark.every(3)
@pytest.mark.parametrize("form", ALL)
def test_every_level_gives_the_same(form):
    launch(form).alike_at_levels("Out")


@pytest.mark.parametrize("form", ALL)
def test_every_byte(device, form):
    """The numpy device executes the kernel as it is written."""
    results = []
    for name in ("numpy", device):
        case = launch(form)
        with xt.device(name):
            products[1,](*case.values.values(), ALL[form])
        results.append(case.values["Out"])
    np.testing.assert_array_equal(*results)
