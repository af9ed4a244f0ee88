"""Which integers compilers take for something else, in whatever words they are (backends/spirv/facts/integer_idioms)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xetile.backends.spirv.facts.integer_idioms import is_taken_apart

from tests.emit.kernels import Kernel
from xetile.dialects import arith
from xetile.dialects.types import I16, I32, ScalarType
from xetile.ir.core import Value

Form = Callable[["Numbers"], Value]


class Numbers:
    """Two loaded integers, and arithmetic on them."""

    def __init__(self, element: ScalarType = I32) -> None:
        self._kernel = Kernel([element, element])
        self._element = element
        self.x, self.y = (self._kernel.load(n, scalar=True) for n in range(2))

    def __getattr__(self, name: str) -> Callable[..., Value]:
        kind = getattr(arith, name)
        return lambda *operands, **more: self._kernel.build(
            kind, *(self._kernel.constant(v, self._element) if isinstance(v, int) else v for v in operands), **more
        )


TAKEN_APART: dict[str, Form] = {
    "0 - y": lambda n: n.SubI(0, n.y),
    "y * -1": lambda n: n.MulI(n.y, -1),
    "~y + 1": lambda n: n.AddI(n.XOrI(n.y, -1), 1),
    "x - (x + y)": lambda n: n.SubI(n.x, n.AddI(n.x, n.y)),
    "(x - y) - x": lambda n: n.SubI(n.SubI(n.x, n.y), n.x),
    "-3 * y + 2 * y": lambda n: n.AddI(n.MulI(n.y, -3), n.MulI(n.y, 2)),
    "x % x - y": lambda n: n.SubI(n.RemUI(n.x, n.x), n.y),
    "((x & 1) & 2) - y": lambda n: n.SubI(n.AndI(n.AndI(n.x, 1), 2), n.y),
    "(x >> 5 >> 30) - y": lambda n: n.SubI(n.ShRUI(n.ShRUI(n.x, 5), 30), n.y),
    "(x & ~x) - y": lambda n: n.SubI(n.AndI(n.x, n.XOrI(n.x, -1)), n.y),
    "(y ^ (y >> 31)) - (y >> 31)": lambda n: n.SubI(n.XOrI(n.y, n.ShRSI(n.y, 31)), n.ShRSI(n.y, 31)),
    "~(y - 1)": lambda n: n.XOrI(n.SubI(n.y, 1), -1),
    "x & x - 1": lambda n: n.AndI(n.x, n.SubI(n.x, 1)),
    "-1 + x & x": lambda n: n.AndI(n.AddI(-1, n.x), n.x),
    "x & -x": lambda n: n.AndI(n.x, n.SubI(0, n.x)),
    "x & ~(x - 1)": lambda n: n.AndI(n.x, n.XOrI(n.SubI(n.x, 1), -1)),
    "max(x - y, y - x)": lambda n: n.MaxSI(n.SubI(n.x, n.y), n.SubI(n.y, n.x)),
    "x < y ? y - x : x - y": lambda n: n.Select(n.CmpI(n.x, n.y, predicate="slt"), n.SubI(n.y, n.x), n.SubI(n.x, n.y)),
    "(x < x ? x : 0) - y": lambda n: n.SubI(n.Select(n.CmpI(n.x, n.x, predicate="slt"), n.x, 0), n.y),
}
OTHERS: dict[str, Form] = {
    "x - y": lambda n: n.SubI(n.x, n.y),
    "x + y": lambda n: n.AddI(n.x, n.y),
    "(x + y) - x": lambda n: n.SubI(n.AddI(n.x, n.y), n.x),
    "((x >> 4) & 15) - y": lambda n: n.SubI(n.AndI(n.ShRUI(n.x, 4), 15), n.y),
    "((x & 15) ^ 8) - 8": lambda n: n.SubI(n.XOrI(n.AndI(n.x, 15), 8), 8),
    "x * x - y": lambda n: n.SubI(n.MulI(n.x, n.x), n.y),
    "x - x / 3 * 3": lambda n: n.SubI(n.x, n.MulI(n.FloorDivSI(n.x, 3), 3)),
    "x & y - 1": lambda n: n.AndI(n.x, n.SubI(n.y, 1)),
    "max(x - y, y)": lambda n: n.MaxSI(n.SubI(n.x, n.y), n.y),
    "x < 0 ? y - x : x": lambda n: n.Select(n.CmpI(n.x, 0, predicate="slt"), n.SubI(n.y, n.x), n.x),
    "x & 7": lambda n: n.AndI(n.x, 7),
    "~x": lambda n: n.XOrI(n.x, -1),
    "4 - y": lambda n: n.SubI(4, n.y),
    "x * -2 + y": lambda n: n.AddI(n.MulI(n.x, -2), n.y),
}


@pytest.mark.parametrize("form", TAKEN_APART)
def test_what_is_one_is_found(form):
    assert is_taken_apart(TAKEN_APART[form](Numbers()).op)


def test_shifts_by_more_than_the_width_leave_the_sign():
    n = Numbers(I16)
    sign = n.ShRSI(n.y, 31)
    assert is_taken_apart(n.SubI(n.XOrI(n.y, sign), sign).op)


@pytest.mark.parametrize("form", OTHERS)
def test_what_is_none_costs_nothing(form):
    assert not is_taken_apart(OTHERS[form](Numbers()).op)
