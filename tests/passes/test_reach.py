"""Walks from some things to what they lead to."""

from xetile.ir.reach import evaluate, reached

GRAPH = {1: [2, 3], 2: [4, 4, 1], 3: [4], 4: [], 5: [5]}
NEEDS = {1: [2, 3], 2: [4, 4], 3: [4], 4: []}


def test_each_is_reached_once():
    assert list(reached([1, 3], GRAPH.__getitem__)) == [3, 4, 1, 2]
    assert list(reached([5, 5], GRAPH.__getitem__)) == [5]


def test_what_lies_behind_is_asked_when_the_walk_goes_on():
    asked = []
    walk = reached([1], lambda at: asked.append(at) or GRAPH[at])
    assert next(walk) == 1 and not asked
    assert next(walk) == 3 and asked == [1]


def test_what_a_fact_needs_is_found_before_it():
    known, order = {4: 1}, []

    def size(at):
        order.append(at)
        return 1 + sum(known[each] for each in NEEDS[at])

    assert evaluate(1, known, NEEDS.__getitem__, size) == 6 and order == [3, 2, 1]
    assert evaluate(2, known, NEEDS.__getitem__, size) == 3 and len(order) == 3


def test_chains_may_be_longer_than_calls():
    chain = {n: [n + 1] for n in range(20_000)} | {20_000: []}
    assert evaluate(0, {}, chain.__getitem__, lambda at: at) == 0
