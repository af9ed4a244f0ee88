"""Instructions of functions and quotients: those of the machine code, and where many of them are."""

import pytest

import xetile as xt
from tests.tools import isa_counts, ocloc_compile
from xetile.estimate.costs import costly_ops
from xetile.runtime import compiler
from xetile.target import get_target

FUNCTIONS = {
    "sin": lambda x, y: xt.sin(x), "cos": lambda x, y: xt.cos(x), "tan": lambda x, y: xt.tan(x), "log": lambda x, y: xt.log(x),
    "log2": lambda x, y: xt.log2(x), "divf": lambda x, y: x / y, "remf": lambda x, y: x % y, "sqrt": lambda x, y: xt.sqrt(x),
    "powf": lambda x, y: x**y,
}  # fmt: skip


@xt.jit(grid=(1,))
def of_64(X, Y, function: xt.constexpr):
    x, y = xt.load_tile(X[0:64]), xt.load_tile(Y[0:64])
    Y[0:64] = x * y if function is None else function(x, y)


def compiled(target, function, types="f32[64]"):
    return of_64.compile(types, types, function=function, target=target, num_subgroups=1)


def instructions(target, function):
    found = compiled(target, function)
    device = get_target(target).ocloc_device
    return isa_counts(ocloc_compile(found.spirv, device, found.build_options), device).whole.total


def costly(found):
    return costly_ops(compiler.lowered(found.request).kernel, found.target)


@pytest.mark.every(9, 4)
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_are_those_of_the_machine_code(name, target):
    (found,) = (c for c in costly(compiled(target, FUNCTIONS[name])) if c.opname.endswith(name))
    assert found.instructions == pytest.approx(instructions(target, FUNCTIONS[name]) - instructions(target, None), rel=0.25)


@pytest.mark.parametrize("function", [
    lambda x, y: x / 4, lambda x, y: xt.exp(x), lambda x, y: x * y + 1, lambda x, y: x**2, lambda x, y: xt.rsqrt(x), lambda x, y: xt.tanh(x),
])  # fmt: skip
def test_what_takes_few_is_not_told_of(function):
    assert not costly(compiled("pvc", function))


def test_ops_of_a_line_are_counted_together():
    def sines(x, y):
        return xt.sin(x) * xt.sin(y)

    (found,) = costly(compiled("pvc", sines))
    assert (found.registers, found.lanes, found.opname) == (8, 16, "math.sin")
    assert found.at.text == "function(x, y)"


def test_integers_of_64_bits_take_most():
    def quotient(x, y):
        return x // y

    narrow, wide = (costly(compiled("pvc", quotient, f"{kind}[64]"))[0] for kind in ("i32", "i64"))
    assert wide.instructions > 2 * narrow.instructions
    assert (narrow.bits, wide.bits) == (32, 64)
    assert not costly(compiled("pvc", lambda x, y: x // 7, "i32[64]"))


def test_fast_math_takes_few_for_quotients():
    @xt.jit(grid=(1,), fast_math=True)
    def fast(X, Y):
        Y[0:64] = xt.load_tile(X[0:64]) / xt.sqrt(xt.load_tile(Y[0:64]))

    assert not costly(fast.compile("f32[64]", "f32[64]", target="pvc"))
