"""Statements that mean in kernels what they mean in Python: jumps, `else` of loops, `match`, lists and dicts, several arguments."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import xetile as xt
from tests.language.running import scalars, traced
from xetile.errors import CompileError, ConstexprError, UnsupportedSyntaxError


def return_from_a_loop(a, b):
    for i in range(a):
        if i * i > b:
            return i
    return -1


def return_from_loops_within_each_other(a, b):
    for i in range(a):
        j = 0
        while j < b:
            if i * j == 6:
                return i * 10 + j
            j += 1
        if i > 4:
            return -i
    return a


def return_from_an_unrolled_loop(a, b):
    for i in xt.static_range(3):
        if a == i:
            return b
        if b == 7 + i:
            break
    return 5


def else_of_loops(a, b):
    n = 0
    for i in range(a):
        if i == b:
            break
        n += i
    else:
        n += 100
    while n > 7:
        n -= 7
    else:
        n = n * 2
    return n


def else_that_jumps_further(a, b):
    n = 0
    for i in range(a):
        while (n := n + 1) % 3:
            if n == b:
                break
        else:
            if i > 2:
                break
            continue
        n += 50
    return n


def assigned_by_a_condition(a, b):
    total = 0
    while (a := a - 1) > 0 and (b := b + 1) < 9:
        if a == 4:
            continue
        total += a * b
    return total + a * 100 + b * 1000


def assigned_within_conditions(a, b):
    m = 100
    if (a > 3 and (m := a - 5) > 0) or (b > 2 and (k := b * 2) > 6):
        m += 1
        k = 4
    else:
        k = 9
    return m + 10 * k


def chosen_by_match(a, b):
    match a:
        case 2:
            n = 1
        case 3 | 4 if b > 2:
            n = 2
        case other:
            n = other * 2
    match b - 2:
        case 0:
            return n
        case -1 | 1:
            n += 10
    match "left":
        case "right":
            n = 0
        case "left":
            n += 1000
    return n


def list_by_a_counter(a, b):
    weights = (a, 2, b)
    sums = [0, 0, 0]
    for i in range(3):
        sums[i] += weights[i] * (i + 1)
        for j in range(2):
            sums[2 - i] += weights[j]
    return sums[0] + 10 * sums[1] + 100 * sums[2]


def list_that_grows(a, b):
    parts = []
    for i in range(4):
        if i == 2:
            continue
        parts.append(a + i)
    return len(parts) * b + parts[-1]


def lists_in_lists(a, b):
    rows = [[a, b], [b, 1]]
    n = 0
    while n < b:
        rows[1][0] += rows[0][1]
        rows[0][1] = n
        n += 1
    if a > 2:
        rows[0] = [5, rows[1][0]]
    return rows[0][0] + 10 * rows[0][1] + 100 * rows[1][0]


def dict_that_changes(a, b):
    state = {"n": 0, "last": a}
    for i in range(b):
        state["n"] += i * state["last"]
        state["last"] = i
    if state["n"] > 3:
        state = {"last": state["last"] + 1, "n": 1}
    state["new"] = 7
    return state["n"] + 10 * state["last"] + 100 * state["new"]


def several_arguments(a, b):
    def total(first, /, *others, scale=1, **more):
        return scale * (first + sum(others)) + more.get("add", 0) + len(more)

    return total(a) + total(a, b, 3, scale=b) + total(*(a, b), add=4, first=2)


def constant_recursion(a, b):
    def power(x, n):
        return 1 if n == 0 else x * power(x, n - 1)

    return power(a, 5) + power(b, 2)


FORMS = [
    return_from_a_loop, return_from_loops_within_each_other, return_from_an_unrolled_loop, else_of_loops, else_that_jumps_further,
    assigned_by_a_condition, assigned_within_conditions, chosen_by_match, list_by_a_counter, list_that_grows, lists_in_lists,
    dict_that_changes, several_arguments, constant_recursion,
]  # fmt: skip


@pytest.mark.parametrize("function", FORMS, ids=lambda f: f.__name__)
def test_means_what_python_means(function):
    for a, b in itertools.product((0, 2, 4, 7), (1, 2, 3, 8)):
        assert scalars(xt.jit(function), a, b, given=xt.index) == [function(a, b)], (a, b)


def test_a_loop_that_needs_no_constant_stays_a_loop():
    def kernel(A, n):
        for i in range(3):
            n += i
        A[0] = n

    def table(A, n):
        for i in range(3):
            n += (4, 5, 6)[i]
        A[0] = n

    loops = [sum(op.opname == "scf.for" for op in traced(k, A="index[?]", n="index").kernel.body.walk()) for k in (kernel, table)]
    assert loops == [1, 0]


def test_long_loops_are_not_unrolled():
    def kernel(n):
        xs = [n] * 100
        for i in range(100):
            xs[i] = i
        return xs[3]

    with pytest.raises(ConstexprError, match="the index of a list is index scalar"):
        traced(kernel, n="i32")


def by_two_names(n):
    a = [1, 2]
    b = a
    b[0] = n
    return a[0]


def given_to_a_function(n):
    def change(xs):
        xs[0] = n

    a = [1, 2]
    change(a)
    return a[0]


def in_another_list(n):
    a = [1, 2]
    c = (a, 3)
    a[0] = n
    return c[0][0]


def in_a_loop_over_lists(n):
    a = [[1], [2]]
    for row in a:
        row[0] = n
    return a[0][0]


def repeated(n):
    a = [[1]] * 2
    a[0][0] = n
    return a[1][0]


def added_to(n):
    a = [1]
    b = a
    b += [n]
    return len(a)


def shared_by_an_iteration(n):
    a, b = [1], [2]
    for i in range(n):
        b[0] = b[0] + i
        b = a
    return a[0]


def shared_in_a_branch(n):
    a, b = [1], [2]
    if n > 2:
        b = [3]
    else:
        b = a
    b[0] = n
    return a[0]


def chosen(n):
    a, b = [1], [2]
    c = a if n > 2 else b
    c[0] = n
    return a[0]


def returned(n):
    def same(xs):
        return xs

    a = [1]
    b = same(a)
    b[0] = n
    return a[0]


def default(n):
    def grow(xs=[]):  # noqa: B006
        xs.append(n)
        return len(xs)

    grow()
    return grow()


SHARED = [
    by_two_names, given_to_a_function, in_another_list, in_a_loop_over_lists, repeated, added_to, shared_by_an_iteration,
    shared_in_a_branch, chosen, returned, default,
]  # fmt: skip


@pytest.mark.parametrize("kernel", SHARED, ids=lambda f: f.__name__)
def test_lists_that_are_held_twice_do_not_change(kernel):
    with pytest.raises(CompileError, match="is a list that another variable or object holds too"):
        traced(kernel, n="i32")


class Sum:
    def __init__(self, total):
        self.total = total

    def add(self, value):
        self.total = self.total + value


class Slotted:
    __slots__ = ("total",)
    __init__, add = Sum.__init__, Sum.add


def changed_in_a_loop(n, KIND):
    s = KIND(0)
    for i in range(n):
        s.add(i)
    return s.total


def changed_in_a_branch(n, KIND):
    held = [(KIND(1),)]
    if n > 2:
        held[0][0].add(1)
    return held[0][0].total


def changed_by_a_condition(n, KIND):
    s = KIND(n)
    while s.total < 9:
        s.add(1)
    return s.total


@pytest.mark.parametrize("kind", [Sum, Slotted])
@pytest.mark.parametrize("kernel", [changed_in_a_loop, changed_in_a_branch, changed_by_a_condition], ids=lambda f: f.__name__)
def test_objects_that_functions_change_in_branches_and_loops_are_told(kernel, kind):
    with pytest.raises(CompileError, match="is an object that changes here"):
        traced(kernel, {"KIND": kind}, n="i32")


def test_objects_may_change_where_the_compiler_follows():
    @xt.jit(out={"Y": lambda: xt.empty((1,), xt.i32)}, grid=1)
    def kernel(n, Y):
        s = Sum(n)
        for i in range(3):  # unrolled, as the object changes
            s.add(i)
        for i in range(n):
            inside = Sum(i)
            inside.add(1)
        Y[0] = s.total

    with xt.device("numpy"):
        assert kernel(4)[0] == 7


@dataclass
class Pair:
    first: Any
    second: Any = 2


def test_a_dataclass_is_not_changed_but_replaced():
    def kernel(A, n):
        p = Pair(n)
        p.first = 3

    with pytest.raises(UnsupportedSyntaxError, match="attributes cannot be assigned") as found:
        traced(kernel, A="i32[?]", n="i32")
    assert found.value.hint == "make another object: p = dataclasses.replace(p, first=...)"

    def replaced(a, b):
        p = Pair(a)
        for i in range(b):
            p = replace(p, first=p.first + i, second=p)
            p = replace(p, second=p.second.second + p.first)
        return p.first * 100 + p.second

    assert scalars(xt.jit(replaced), 3, 4, given=xt.index) == [replaced(3, 4)]


def test_an_iterator_does_not_advance_in_a_loop():
    def kernel(n):
        it = iter([1, 2, 3])
        for _ in range(n):
            n += next(it)
        return n

    with pytest.raises(ConstexprError, match=r"next\(it\) gives one element while compiling"):
        traced(kernel, n="i32")


def test_values_and_tiles_in_lists(device):
    @xt.jit(out={"Y": lambda X: xt.empty((32,), X.dtype)}, grid=1)
    def kernel(X, Y):
        tiles = [X[0:32], X[32:64]]
        values = {"sum": xt.zeros((32,), X.dtype), "n": 0}
        for k in range(2):
            values["sum"] += xt.load_tile(tiles[k]) * (k + 1)
            values["n"] += 1
        for i in range(X.shape[0] // 32):
            values["sum"] += i
        xt.store_tile(values["sum"] * values["n"], Y[0:32])

    X = np.arange(64, dtype=np.float32)
    with xt.device(device):
        assert np.array_equal(kernel(X), 2 * (X[:32] + 2 * X[32:] + 1))
