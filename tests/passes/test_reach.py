"""Walks from some things to what they lead to."""

from xetile.ir.reach import reached

GRAPH = {1: [2, 3], 2: [4, 4, 1], 3: [4], 4: [], 5: [5]}


def test_each_is_reached_once():
    assert list(reached([1, 3], GRAPH.__getitem__)) == [3, 4, 1, 2]
    assert list(reached([5, 5], GRAPH.__getitem__)) == [5]


def test_what_lies_behind_is_asked_when_the_walk_goes_on():
    asked = []
    walk = reached([1], lambda at: asked.append(at) or GRAPH[at])
    assert next(walk) == 1 and not asked
    assert next(walk) == 3 and asked == [1]
