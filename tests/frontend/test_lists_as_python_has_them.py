"""Lists are no tuples: as subscripts, for `isinstance`, and for plain Python and numpy that a kernel calls."""

import copy
import functools

import numpy as np
import pytest

import xetile as xt
from tests.language.running import traced
from xetile.errors import CompileError, TileShapeError

TABLE = np.arange(16.0).reshape(4, 4)


@xt.jit(grid=1)
def by_lists(X, Y, n):
    x, rows = xt.load_tile(X[0:4, 0:4]), [0, 3]
    Y[0:2, 0:4] = x[rows]
    Y[2:4, 0:4] = x[[n, -1], :]
    Y[4:8, 0:2] = x[:, [1, -1]]
    Y[4:8, 2:3] = x[[3, 2, 1, 0], 1][:, None]
    Y[8:9, 0:3] = x[[0, 1, 2], [3, 2, 1]][None, :]
    Y[9:10, 0:3] = x[1][np.array([0, 2, 3])][None, :]
    Y[10:13, 0:1] = x[1][[0, 2, 3], None]


def test_values_have_lists_as_subscripts(device):
    x, y = TABLE.astype(np.float32), np.zeros((13, 4), np.float32)
    with xt.device(device):
        by_lists(x, y, 2)
    wanted = np.zeros_like(y)
    wanted[0:2], wanted[2:4], wanted[4:8, 0:2], wanted[4:8, 2] = x[[0, 3]], x[[2, -1]], x[:, [1, -1]], x[[3, 2, 1, 0], 1]
    wanted[8, 0:3], wanted[9, 0:3], wanted[10:13, 0] = x[[0, 1, 2], [3, 2, 1]], x[1][[0, 2, 3]], x[1][[0, 2, 3]]
    np.testing.assert_array_equal(y, wanted)


def load_rows(A):
    return xt.sum(A[[0, 3]])


def store_rows(A):
    A[[0, 3]] = 1.5


@pytest.mark.parametrize("kernel", [load_rows, store_rows])
def test_arrays_have_none(kernel):
    with pytest.raises(CompileError, match="the subscript a list is not an integer or a slice"):
        traced(kernel, A="f32[?,?]")


def test_a_list_beyond_the_end_is_told():
    def kernel(A):
        return xt.load_tile(A[0:4])[[0, 4]]

    with pytest.raises(TileShapeError, match="index 4 is outside axis 0 of 4 elements"):
        traced(kernel, A="f32[?]")


def total(rows):
    return float(TABLE[rows].sum())


def with_one_more(xs, *, more):
    return [*xs, more], copy.copy(xs), [*copy.deepcopy(xs), more], isinstance(xs, list)


def kinds(held):
    return [type(part).__name__ for part in held if isinstance(part, (list, tuple))]


def the_same(xs):
    return xs, {"xs": xs}, (1, xs)


def test_plain_python_gets_lists():
    rows, ends = [0, 3], (1, [0, 3])
    wanted = [
        TABLE[rows].sum(),
        TABLE[rows, 1].sum(),
        TABLE[:, rows].sum(),
        np.take(TABLE, rows, 0).sum(),
        np.block([[1, 2], [3, 4]]).sum(),
    ]
    found = []

    def note(*what):
        found.append(what)

    def kernel(A, n):
        rows, ends = [0, 3], (1, [0, 3])
        note(
            TABLE[rows].sum(),
            TABLE[rows, 1].sum(),
            TABLE[:, rows].sum(),
            np.take(TABLE, rows, 0).sum(),
            np.block([[1, 2], [3, 4]]).sum(),
        )
        note(
            total(rows),
            total([0, 3]),
            total(rows=rows),
            functools.partial(total, rows)(),
            total(ends[1]),
            *map(total, (rows, rows)),
        )
        note(isinstance(rows, list), isinstance(rows, tuple), isinstance(ends, tuple), isinstance(ends[1], list))
        more, *rest = with_one_more(rows, more=5)
        more.append(7)
        note(sum(more), *rest)
        a, b, c = the_same(rows)
        rows_again = [*rows, 4]
        rows_again[0] = n
        A[0] = rows_again[0] + a[1] + b["xs"][1] + c[1][1]

    traced(kernel, A="i32[?]", n="i32")
    assert found[0] == tuple(wanted)
    assert found[1] == (TABLE[rows].sum(),) * 7
    assert found[2] == (isinstance(rows, list), isinstance(rows, tuple), isinstance(ends, tuple), isinstance(ends[1], list))
    assert found[3][0] == 15 and tuple(found[3][1]) == (0, 3) and tuple(found[3][2]) == (0, 3, 5) and found[3][3] is True


def changed(xs):
    xs.append(1)


def assigned(xs):
    xs[0] = 1


@pytest.mark.parametrize("change", [changed, assigned])
def test_plain_python_cannot_change_them(change):
    def kernel(n):
        xs = [n, 2]
        change(xs)
        return xs[0]

    with pytest.raises(CompileError, match="a list of a kernel is changed by a function of plain Python"):
        traced(kernel, n="i32")


def test_what_comes_back_is_the_very_list():
    def kernel(n):
        xs = [n, 2]
        ys = the_same(xs)[0]
        ys[0] = 5
        return xs[0]

    with pytest.raises(CompileError, match="is a list that another variable or object holds too"):
        traced(kernel, n="i32")


FOUND = []


def note(*what):
    FOUND.append(what)


def compared_and_shown():
    xs, ys, d = [1, 2], (1, 2), {"a": [1]}
    note(xs == ys, xs != ys, xs == [1, 2], xs == [2, 1], [1, xs] == [1, ys], d == {"a": (1,)}, d == {"a": [1]}, xs < [1, 3])
    note((1,) in [[1]], [1] in [[1], [2]], xs not in [ys], xs is ys, 2 in xs)
    note(str(xs), repr((1, xs)), f"{xs} {ys} {d!r}", "%s and %s" % (xs, ys), "%s" % xs, "{} {}".format(xs, ys))  # noqa: UP031, UP032
    note(type(xs) is list, type(ys) is tuple, type(d) is dict, isinstance(xs, (int, list)), ",".join(["a", "b"]))


def test_comparisons_and_texts():
    FOUND.clear()
    compared_and_shown()
    wanted = list(FOUND)
    FOUND.clear()
    traced(compared_and_shown)
    assert wanted == FOUND


def test_shapes_are_no_lists():
    def kernel(A, B):
        if A.shape == [3, 4] or B.shape == [A.shape[0], A.shape[1]]:
            xt.static_assert(False)
        if A.shape == (3, 4):
            B[0, 0] = A[0, 0]

    traced(kernel, A="f32[3,4]", B="f32[?,?]")
