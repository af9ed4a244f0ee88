"""Machine code of products with a sum: each rounds once, unless the kernel asks for less."""

from collections import Counter

import pytest

import xetile as xt
from benchmarks.isastat import disassemble, parse
from benchmarks.zebin import read_kernels
from tests.tools import ocloc_compile

SHAPE = (16, 16)


def multiplies(a, b):
    return a * b + a


def fuses(a, b):
    return xt.fma(a, b, a)


def divides(a, b):
    return a / b


@xt.jit
def kernel(A, B, Out, F: xt.constexpr):
    a, b = xt.load_tile(xt.init_tile(A, (0, 0), SHAPE)), xt.load_tile(xt.init_tile(B, (0, 0), SHAPE))
    xt.store_tile(F(a, b), xt.init_tile(Out, (0, 0), SHAPE))


def instructions(function, dtype: str, target: str, fast_math: bool | None = None) -> Counter[str]:
    made = kernel.compile(*[f"{dtype}[?,?]"] * 3, F=function, target=target, fast_math=fast_math)
    (found,) = read_kernels(ocloc_compile(made.spirv, target, made.build_options).read_bytes())
    return Counter(i.name for i in parse(disassemble(found.code, target)).instructions)


@pytest.mark.covering
@pytest.mark.every(2, 1)
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_products_and_sums_are_joined_only_where_that_is_asked_for(dtype, target):
    assert instructions(multiplies, dtype, target)["mad"] == 0
    assert instructions(multiplies, dtype, target, fast_math=True)["mad"] > 0
    assert instructions(fuses, dtype, target)["mad"] > 0


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_quotients_are_refined_unless_they_may_be_off(target):
    assert instructions(divides, "f32", target)["madm"] > 0
    assert instructions(divides, "f32", target, fast_math=True)["madm"] == 0
