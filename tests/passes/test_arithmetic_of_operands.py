"""Arithmetic with one number between a load of f32 and a product in tf32 is done as DPAS holds the operand: nothing moves between lanes."""

import re

import numpy as np
import pytest

import xetile as xt
from tests import tools

FORMS = {
    "scaled": (lambda x, s: x * s, lambda x: x * 0.5),
    "activated": (lambda x, s: xt.maximum(x, 0), lambda x: np.maximum(x, 0)),
    "several": (lambda x, s: xt.minimum(abs(x) * 3, s) * 2, lambda x: np.minimum(np.abs(x) * 3, np.float32(0.5)) * 2),
}


@xt.jit(out={"C": lambda A, B: xt.empty((A.shape[0], B.shape[1]), xt.f32)},
        grid=lambda C: (xt.cdiv(C.shape[1], 32), xt.cdiv(C.shape[0], 32)))  # fmt: skip
def product(A, B, C, s, FORM: xt.constexpr, WHICH: xt.constexpr):
    """A @ B in tf32, something done to the elements of either."""
    m, n = xt.program_id(1) * 32, xt.program_id(0) * 32
    acc = xt.zeros((32, 32), xt.f32)
    for k in range(0, A.shape[1], 32):
        a, b = xt.load_tile(xt.init_tile(A, (m, k), (32, 32))), xt.load_tile(xt.init_tile(B, (k, n), (32, 32)))
        a = FORM(a, s) if "A" in WHICH else a
        b = FORM(b, s) if "B" in WHICH else b
        acc += a.to(xt.tf32) @ b.to(xt.tf32)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (32, 32)))


def compiled(form, which, target="pvc"):
    return product.compile(*["f32[?,?]"] * 3, "f32", FORM=FORMS[form][0], WHICH=which, target=target)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_loaded_is_taken_as_it_lies(form):
    text = compiled(form, "AB").ir["blocked"]
    blocks = re.findall(r"xetile.tile_unpack .*inner_blocks = array<i64: (\d+, \d+)>.*xtf32> ->", text)
    assert blocks == ["32, 8", "32, 16"]  # columns of DPAS's operands, rows of a message


@pytest.mark.every(6, 2)
@pytest.mark.parametrize("which", ["A", "B", "AB"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("device", ["cpu", "sim:pvc", "sim:bmg"])
def test_the_same_numbers(device, form, which):
    if device.startswith("sim"):
        tools.require_tool("ocloc")
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((45, 72), (72, 60)))
    x, y = (FORMS[form][1](v) if name in which else v for name, v in (("A", a), ("B", b)))
    with xt.device(device):
        c = product(a, b, s=0.5, FORM=FORMS[form][0], WHICH=which)
    np.testing.assert_array_equal(c, x @ y)


@pytest.mark.parametrize("form, most", [("scaled", 200), ("activated", 270)])
def test_instructions_of_a_step(form, most):
    tools.require_tool("ocloc")
    tools.require_tool("iga64")
    (loop,) = compiled(form, "A").report.loops
    assert loop.dpas == 32 and loop.instructions <= most
