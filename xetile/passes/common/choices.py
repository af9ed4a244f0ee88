"""One of several things to do, by a number that is known when the kernel runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xetile.dialects import arith, scf
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Type, Value
from xetile.passes.common.numbers import index


def one_of(build: Builder, which: Value, count: int, way: Callable[[int], Sequence[Value]], types: Sequence[Type],
           first: int = 0) -> Sequence[Value]:  # fmt: skip
    """What `way` gives for the number `which`, which is below `count` and not below `first`: values of these types.

    A number that is known needs no branch.
    """
    known = arith.constant_of(which)
    if known is not None or first == count - 1:
        return way(first if known is None else known)
    meant = build(arith.CmpI, which, index(build, first), predicate="eq")
    branches = [Block(), Block()]
    with build.at(branches[0]):
        build.op(scf.Yield, list(way(first)))
    with build.at(branches[1]):
        build.op(scf.Yield, list(one_of(build, which, count, way, types, first + 1)))
    return build.op(scf.If, meant, regions=branches, values=list(types)).results
