"""One of several things to do, by a number that is known when the kernel runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xetile.dialects import arith, scf
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Type, Value
from xetile.passes.common.numbers import index


def one_of(
    build: Builder, which: Value, ways: Sequence[Callable[[], list[Value]]], types: Sequence[Type], first: int = 0
) -> Sequence[Value]:
    """What the way of number `which` gives, of those from the `first` on: values of these types; a known number needs no branch."""
    known = arith.constant_of(which)
    if known is not None or first == len(ways) - 1:
        return ways[first if known is None else known]()
    meant = build(arith.CmpI, which, index(build, first), predicate="eq")
    branches = [Block(), Block()]
    with build.at(branches[0]):
        build.op(scf.Yield, ways[first]())
    with build.at(branches[1]):
        build.op(scf.Yield, list(one_of(build, which, ways, types, first + 1)))
    return build.op(scf.If, meant, regions=branches, values=list(types)).results
