"""The vector dialect, op by op."""

from __future__ import annotations

import numpy as np
import pytest
from build import apply

from xetile.dialects import arith, vector
from xetile.dialects.types import I8, I32, INDEX, VectorType

X = np.arange(24, dtype=np.int32).reshape(4, 6)
WHOLE = VectorType((4, 6), I32)


def on_x(function, shape=(4, 6), **kwargs):
    return apply(function, X, shape=shape, **kwargs)


def test_broadcast_and_extract():
    row = on_x(lambda k, a: k.build(vector.Broadcast, k.build(vector.Extract, a, position=(2,)), result=WHOLE))
    one = on_x(lambda k, a: k.build(vector.Broadcast, k.build(vector.Extract, a, position=(2, 3)), result=WHOLE))
    assert (row == X[2]).all() and (one == X[2, 3]).all()


def test_insert():
    replaced = on_x(lambda k, a: k.build(vector.Insert, k.build(vector.Extract, a, position=(1,)), a, position=(3,)))
    assert (replaced[3] == X[1]).all() and (replaced[:3] == X[:3]).all()


def test_transpose_and_shape_cast():
    assert (on_x(lambda k, a: k.build(vector.Transpose, a, permutation=(1, 0)), (6, 4)) == X.T).all()
    assert (on_x(lambda k, a: k.build(vector.ShapeCast, a, result=VectorType((2, 12), I32)), (2, 12)) == X.reshape(2, 12)).all()


def test_slices():
    part = on_x(lambda k, a: k.build(vector.ExtractStridedSlice, a, offsets=(1, 2), sizes=(2, 3), strides=(1, 1)), (2, 3))
    assert (part == X[1:3, 2:5]).all()

    def moved(k, a):
        piece = k.build(vector.ExtractStridedSlice, a, offsets=(0, 0), sizes=(2, 3), strides=(1, 1))
        return k.build(vector.InsertStridedSlice, piece, a, offsets=(2, 3), strides=(1, 1))

    found = on_x(moved)
    assert (found[2:, 3:] == X[:2, :3]).all() and (found[:2] == X[:2]).all()


def test_shuffle():
    def shuffled(k, a):
        first, second = (k.build(vector.Extract, a, position=(i,)) for i in (0, 1))
        picked = k.build(vector.Shuffle, first, second, mask=(0, 6, 5, 11))
        return k.build(vector.ShapeCast, picked, result=VectorType((1, 4), I32))

    assert on_x(shuffled, (1, 4)).tolist() == [[0, 6, 5, 11]]


def test_bitcast_is_little_endian():
    bytes_ = VectorType((4, 24), I8)
    assert (on_x(lambda k, a: k.build(vector.Bitcast, a, result=bytes_), (4, 24), dtype=np.int8) == X.view(np.int8)).all()


def test_reduction_joins_the_accumulator():
    def reduced(k, a):
        total = k.build(vector.MultiReduction, a, k.const(100, VectorType((4,), I32)), kind="add", dims=(1,))
        return k.build(vector.ShapeCast, total, result=VectorType((4, 1), I32))

    assert (on_x(reduced, (4, 1)) == X.sum(1, keepdims=True) + 100).all()


def test_step():
    def stepped(k, a):
        numbers = k.build(vector.Step, result=VectorType((6,), INDEX))
        return k.build(vector.Broadcast, k.build(arith.IndexCast, numbers, result=VectorType((6,), I32)), result=WHOLE)

    assert (on_x(stepped) == np.arange(6)).all()


@pytest.mark.parametrize("inclusive", [True, False])
def test_scans(inclusive):
    x = np.arange(12, dtype=np.int32).reshape(2, 6)

    def scanned(k, a):
        running, last = k.build(
            vector.Scan, a, k.const(5, VectorType((2,), I32)), kind="add", inclusive=inclusive, reduction_dim=1
        )
        last = k.build(
            vector.Broadcast, k.build(vector.ShapeCast, last, result=VectorType((2, 1), I32)), result=VectorType((2, 6), I32)
        )
        return k.build(arith.AddI, running, last)

    running = np.cumsum(x, axis=1) + 5
    first = running if inclusive else np.concatenate([np.full((2, 1), 5), running[:, :-1]], axis=1)
    assert (apply(scanned, x) == first + running[:, -1:]).all()
