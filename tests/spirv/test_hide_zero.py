"""The sign of a negated smallest integer on the CPU, whose compiler takes (0 - x) >> (width - 1) for -(x > 0)."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.spirv.binary import Binary
from xetile.backends.spirv.hide_zero import hide_zero

from tests import tools
from tests.generators.expressions import Expressions, Node, computed
from tests.spirv import twins
from tests.spirv.kernels import i32
from xetile.dtypes import DTYPES
from xetile.errors import DeviceError
from xetile.runtime.devices import find_device


def negations(kind: str) -> dict[str, Node]:
    x, other, mask = ("in", kind, 0), ("in", kind, 2), ("in", "bool", 0)
    zero, one, minus = (("full", kind, n) for n in (0, 1, -1))
    return {
        "-x": ("neg", kind, x),
        "x * -1": ("*", kind, x, minus),
        "~x + 1": ("+", kind, ("~", kind, x), one),
        "~(x - 1)": ("~", kind, ("-", kind, x, one)),
        "x // -1": ("//", kind, x, minus),
        "where(mask, -x, -other)": ("where", kind, mask, ("neg", kind, x), ("neg", kind, other)),
        "-abs(x)": ("neg", kind, ("abs", kind, x)),
        "(y & 0) - x": ("-", kind, ("&", kind, ("in", kind, 1), zero), x),
    }


def signs(kind: str, v: Node) -> dict[str, Node]:
    last, y, unsigned = DTYPES[kind].bits - 1, ("in", kind, 1), "u" + kind[1:]
    zero, minus = ("full", kind, 0), ("full", kind, -1)
    return {
        "by the last bit": (">>", kind, v, ("full", kind, last)),
        "by an amount that is found out": (">>", kind, v, ("|", kind, y, ("full", kind, last))),
        "by a limited amount": (">>", kind, v, ("fmin", kind, ("full", kind, -7), y)),
        "negated last bit": ("neg", unsigned, (">>", unsigned, ("bits", unsigned, v), ("full", unsigned, last))),
        "chosen": ("where", kind, ("<", "bool", v, zero), minus, zero),
        "chosen by the other side": ("where", kind, (">", "bool", v, minus), zero, minus),
        "absolute": ("where", kind, ("<", "bool", v, zero), ("neg", kind, v), v),
        "largest": ("maximum", kind, v, ("in", kind, 0)),
        "wide": (">>", "i64", ("to", "i64", v), ("full", "i64", 40)),
    }


@pytest.mark.covering
@pytest.mark.device
@pytest.mark.parametrize("where", ["module of a GPU", "own code"])
@pytest.mark.parametrize("kind", ["i8", "i16", "i32", "i64"])
def test_the_sign_of_a_negation(kind, where):
    try:
        find_device("cpu")
    except DeviceError as error:
        tools.missing("a cpu device", str(error))
    made = {(a, b): node for a, v in negations(kind).items() for b, node in signs(kind, v).items()}
    named = {f"{a}, {b}": node for (a, b), node in made.items() if a == "-x" or b in ("by the last bit", "chosen")}
    case = Expressions(tuple(named.values()), 5, "pvc")
    inputs = case.inputs()
    assert (inputs[kind][0] == np.iinfo(inputs[kind].dtype).min).any()
    with np.errstate(all="ignore"):
        expected = [computed(node, inputs) for node in case.program]
    got = case.on_device("cpu", inputs, "vector" if where == "own code" else "")
    wrong = [name for name, a, b in zip(named, expected, got, strict=True) if not np.array_equal(a, b)]
    assert not wrong


def test_a_module_without_signs_stays_as_it_is():
    data = twins.module(lambda t: t.b.emit("OpIAdd", t.word, t.width, t.height))
    assert hide_zero(data) == data


@pytest.mark.parametrize("count", [1, 4])
def test_the_zero_is_made_once(count):
    def fill(t):
        kind = t.word if count == 1 else t.m.type.vector(t.word, count)
        for _ in range(2):
            zero, value = t.m.constant(kind, 0 if count == 1 else [0] * count), t.undefined(kind)
            moved = t.b.emit("OpISub", kind, zero, value)
            t.b.emit("OpShiftRightArithmetic", kind, moved, moved)

    hidden = hide_zero(twins.module(fill))
    tools.spirv_val(hidden)
    names = [i.name for i in Binary(hidden).instructions]
    assert "GlobalOffset" in Binary(hidden).builtins.values()
    assert (names.count("OpLoad"), names.count("OpISub"), names.count("OpBitwiseOr")) == (1, 2, 2 + (count == 1))


def test_shifts_by_less_of_shifted_integers_cost_nothing():
    def fill(t):
        left = t.b.emit("OpShiftLeftLogical", t.word, t.width, i32(t.m, 28))
        t.b.emit("OpShiftRightArithmetic", t.word, left, i32(t.m, 28))

    data = twins.module(fill)
    assert hide_zero(data) == data
