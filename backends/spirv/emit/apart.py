"""Vectors that a branch or a loop takes for several places, and may be one: told apart by zeros that the compiler does not know.

IGC (2.40.14) gives one register to phis that one vector comes to, also by way of other phis, and writes the copy for the code behind a loop
over sums that are still needed: where a branch or a loop has changed one of three sums that began as one, or where another branch gives
the vector of one sum to another.
"""

from __future__ import annotations

from collections.abc import Iterable

from xetile.ir.core import Value

from ..module.code import Code
from ..module.encode import Id
from ..module.function import Phi
from .hidden import told_apart
from .values import Fragment

_Zeroed = tuple[Id, frozenset[tuple[str, int]]]
"""A vector, and the zeros that hide it."""


def apart(e: Code, vectors: list[list[Id]]) -> list[list[Id]]:
    """The vectors that go to places of one block, no two of which the compiler can know to be one."""
    taken: list[Id] = []
    origins: set[Id] = set()

    def one(x: Id) -> Id:
        form, count = e.vector_of(e.module.type_of(x))
        if count == 1 or form == e.bool or e.is_constant(x):
            return x
        own = origins_of(e, x)
        if not own.isdisjoint(origins):
            number = 0
            while any(_may_be_one(e, x, number, y) for y in taken):
                number += 1
            x = told_apart(e, x, number) if number else x
        taken.append(x)
        origins.update(own)
        return x

    return [[one(x) for x in each] for each in vectors]


def number_for(e: Code, fragment: Fragment, carried: Value, number: int) -> int:
    """The number of the zeros that hide what a branch gives a value: at least `number`, and none by which one vector went to another value
    of a branch. Of one that two branches give to two values in turn the compiler makes one vector for both.
    """
    begins = {each for x in fragment.chunks(e) for each in origins_of(e, x)}
    while any(e.given_to.get((each, number), carried) is not carried for each in begins):
        number += 1
    e.given_to.update({(each, number): carried for each in begins})
    return number


def origins_of(e: Code, value: Id) -> set[Id]:
    """The vectors that a vector may be, through phis and with hidden zeros."""
    seen, ahead, found = {value}, [value], set[Id]()
    while ahead:
        each = ahead.pop()
        before = _before(e, each)
        if not before:
            found.add(each)
        for other in before:
            if other not in seen:
                seen.add(other)
                ahead.append(other)
    return found


def _before(e: Code, value: Id) -> Iterable[Id]:
    if value in e.same_as:
        return (e.same_as[value],)
    if value in e.hidden_of:
        return (e.hidden_of[value][0],)
    return value.incoming[::2] if isinstance(value, Phi) else ()


def _may_be_one(e: Code, x: Id, number: int, y: Id) -> bool:
    """Whether a vector, told apart by a number above 0 or as it is, may be another on some way."""
    seen: set[tuple[_Zeroed, _Zeroed]] = set()
    ahead = [((x, frozenset({("apart", number)} if number else ())), (y, frozenset[tuple[str, int]]()))]
    while ahead:
        one, other = (_shown(e, *each) for each in ahead.pop())
        if (one, other) in seen:
            continue
        seen.add((one, other))
        if one == other and (one[1] or not e.is_constant(one[0])):  # constants are in no register until they are copied there
            return True
        ahead += _ways(one, other)
    return False


def _shown(e: Code, value: Id, zeros: frozenset[tuple[str, int]]) -> _Zeroed:
    """A vector without the zeros that hide it, and these: one that is there twice changes nothing."""
    while value in e.same_as or value in e.hidden_of:
        if value in e.same_as:
            value = e.same_as[value]
        else:
            value, zero = e.hidden_of[value]
            zeros |= {zero}
    return value, zeros


def _ways(one: _Zeroed, other: _Zeroed) -> list[tuple[_Zeroed, _Zeroed]]:
    """What two vectors are together on the ways to the phis that they are: those of one block have come the same way."""
    (x, zeros), (y, others) = one, other
    if isinstance(x, Phi) and isinstance(y, Phi) and x.incoming[1::2] == y.incoming[1::2]:
        return [((a, zeros), (b, others)) for a, b in zip(x.incoming[::2], y.incoming[::2], strict=True)]
    if isinstance(x, Phi) and not (isinstance(y, Phi) and y > x):
        return [((a, zeros), other) for a in x.incoming[::2]]
    return [(one, (b, others)) for b in y.incoming[::2]] if isinstance(y, Phi) else []
