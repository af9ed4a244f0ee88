"""Classes of values: whatever is asked in between, the root is the one that following the unions one by one gives."""

from hypothesis import given
from hypothesis import strategies as st

from xetile.ir.classes import Classes

PLACES = st.integers(0, 30)


@given(st.lists(st.tuples(PLACES, PLACES, PLACES)))
def test_roots(unions):
    classes, above = Classes[int](), {}

    def root(member):
        while member in above:
            member = above[member]
        return member

    for one, other, asked in unions:
        classes.unite(one, other)
        one, other = root(one), root(other)
        if one != other:
            above[other] = one
        assert classes.root(asked) == root(asked)
    assert [classes.root(n) for n in range(31)] == [root(n) for n in range(31)]


def test_a_chain_is_followed_once():
    classes = Classes[int]()
    for n in range(20_000):
        classes.unite(n + 1, n)
    assert {classes.root(n) for n in range(20_001)} == {20_000}
