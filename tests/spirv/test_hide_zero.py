"""The sign of a negated smallest integer on the CPU, whose compiler takes (0 - x) >> (width - 1) for -(x > 0)."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.spirv.finished.hide_zero import hide_zero
from xetile.backends.spirv.module.binary import Binary

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


def hidden_negations(kind: str) -> dict[str, Node]:
    """What is a negation once other things have been folded."""
    x, y = ("in", kind, 0), ("in", kind, 1)
    zero, one, minus, two, five = (("full", kind, n) for n in (0, 1, -1, 2, 5))
    return {
        "(x ^ -1) + 1": ("+", kind, ("^", kind, x, minus), one),
        "(x - 1) ^ -1": ("^", kind, ("-", kind, x, one), minus),
        "(5 - x) - 5": ("-", kind, ("-", kind, five, x), five),
        "(y - y) - x": ("-", kind, ("-", kind, y, y), x),
        "(y ^ y) - x": ("-", kind, ("^", kind, y, y), x),
        "(y * 0) - x": ("-", kind, ("*", kind, y, zero), x),
        "y - (x + y)": ("-", kind, y, ("+", kind, x, y)),
        "(y - x) - y": ("-", kind, ("-", kind, y, x), y),
        "x * (y | -1)": ("*", kind, x, ("|", kind, y, minus)),
        "-1 - (x - 1)": ("-", kind, minus, ("-", kind, x, one)),
        "x - x * 2": ("-", kind, x, ("*", kind, x, two)),
        "x - (x << 1)": ("-", kind, x, ("<<", kind, x, one)),
    }


def uses(kind: str, v: Node) -> dict[str, Node]:
    """What else looks at the sign: other comparisons, conversions, quotients, shifts by less."""
    x, y, unsigned = ("in", kind, 0), ("in", kind, 1), "u" + kind[1:]
    sides = {str(n): ("full", kind, n) for n in (-5, 7, 3 - (1 << (DTYPES[kind].bits - 1)))} | {
        "x": x,
        "y": y,
        "-y": ("neg", kind, y),
    }
    found = {
        f"{op} {name}": ("where", kind, (op, "bool", v, side), ("full", kind, 3), ("full", kind, 4))
        for name, side in sides.items()
        for op in ("<", ">=")
    }
    for name, number in (("maximum", 3), ("minimum", 3), ("//", 3), ("%", 7), ("//", -1), (">>", 3)):
        found[f"{name} {number}"] = (name, kind, v, ("full", kind, number))
    return found | {
        "to f32": ("to", "f32", v),
        "to f64": ("to", "f64", v),
        "to i64": ("*", "i64", ("to", "i64", v), ("full", "i64", 3)),
        "without a sign": (">>", unsigned, ("bits", unsigned, v), ("full", unsigned, 3)),
        "negated again": ("neg", kind, ("maximum", kind, v, ("full", kind, 0))),
    }


@pytest.mark.covering
@pytest.mark.every(288, 3)
@pytest.mark.device
@pytest.mark.parametrize("where", ["module of a GPU", "own code"])
@pytest.mark.parametrize("kind", ["i8", "i16", "i32", "i64"])
def test_the_sign_of_a_negation(kind, where):
    made = {(a, b): node for a, v in negations(kind).items() for b, node in signs(kind, v).items()}
    check(kind, where, {f"{a}, {b}": node for (a, b), node in made.items() if a == "-x" or b in ("by the last bit", "chosen")})


PARTS = 8


@pytest.mark.slow
@pytest.mark.device
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("where", ["module of a GPU", "own code"])
@pytest.mark.parametrize("kind", ["i8", "i16", "i32", "i64"])
def test_each_use_of_each_form(kind, where, part):
    """All negations, in all forms, in all uses."""
    forms = negations(kind) | hidden_negations(kind)
    made = {f"{a}, {b}": node for a, v in forms.items() for b, node in (signs(kind, v) | uses(kind, v)).items()}
    check(kind, where, dict(list(made.items())[part::PARTS]))


@pytest.mark.device
def test_forms_that_are_folded_first():
    forms = hidden_negations("i32")
    check("i32", "own code", {f"{a}, {b}": signs("i32", v)[b] for a, v in forms.items() for b in ("by the last bit", "chosen")})


def check(kind: str, where: str, named: dict[str, Node]) -> None:
    try:
        find_device("cpu")
    except DeviceError as error:
        tools.missing("a cpu device", str(error))
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
    assert (names.count("OpLoad"), names.count("OpISub"), names.count("OpBitwiseOr")) == (1, 2, 4 + (count == 1))


def test_shifts_by_less_of_shifted_integers_cost_nothing():
    def fill(t):
        left = t.b.emit("OpShiftLeftLogical", t.word, t.width, i32(t.m, 28))
        t.b.emit("OpShiftRightArithmetic", t.word, left, i32(t.m, 28))

    data = twins.module(fill)
    assert hide_zero(data) == data
