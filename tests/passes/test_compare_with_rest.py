"""Coordinates against the end of a loop: rewritten where the coordinates are needed for nothing else, and the same numbers in any case."""

import numpy as np
import pytest

import xetile as xt
from tests.kernels.plain_quantized import CASES
from tests.ops.run import Launch
from tests.parity.run import run_levels
from xetile.dialects import arith, scf
from xetile.dialects.types import VectorType
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.target import get_target


@xt.jit
def masked(X, Y):
    """Sums of rows up to their end."""
    total = xt.zeros((8, 1), xt.f32)
    for n in range(0, X.shape[1], 32):
        x = xt.load_tile(xt.init_tile(X, (0, n), (8, 32)))
        columns = n + xt.arange(32, dtype=xt.index)[None, :]
        total += xt.sum(xt.where(columns < X.shape[1], x + 1.0, 0.0), axis=1, keepdims=True)
    xt.store_tile(total, xt.init_tile(Y, (0, 0), (8, 1)))


@xt.jit
def weighted(X, Y):
    """Each element times its column, which is therefore needed beside the mask."""
    total = xt.zeros((8, 1), xt.f32)
    for n in range(0, X.shape[1], 32):
        x = xt.load_tile(xt.init_tile(X, (0, n), (8, 32)))
        columns = n + xt.arange(32, dtype=xt.index)[None, :]
        total += xt.sum(xt.where(columns < X.shape[1], (x + 1.0) * columns.to(xt.f32), 0.0), axis=1, keepdims=True)
    xt.store_tile(total, xt.init_tile(Y, (0, 0), (8, 1)))


@xt.jit
def placed(X, Y):
    """Each element times its place in its block: the lanes' part of the coordinates."""
    total = xt.zeros((8, 1), xt.f32)
    for n in range(0, X.shape[1], 32):
        x = xt.load_tile(xt.init_tile(X, (0, n), (8, 32)))
        places = xt.arange(32, dtype=xt.index)[None, :]
        total += xt.sum(xt.where(n + places < X.shape[1], (x + 1.0) * places.to(xt.f32), 0.0), axis=1, keepdims=True)
    xt.store_tile(total, xt.init_tile(Y, (0, 0), (8, 1)))


KERNELS = {
    masked: lambda x: (x + 1).sum(1),
    weighted: lambda x: ((x + 1) * np.arange(x.shape[1])).sum(1),
    placed: lambda x: ((x + 1) * (np.arange(x.shape[1]) % 32)).sum(1),
}


def launch(kernel, columns: int) -> Launch:
    x = np.arange(8 * columns, dtype=np.float32).reshape(8, columns) % 5
    return Launch(kernel, {"X": x, "Y": np.zeros((8, 1), np.float32)}, {}, constants={})


def compares_sums(kernel) -> bool:
    """Whether the loop still adds the counter to the lanes' coordinates to compare them."""
    levels = dict(pipeline.lower(trace(launch(kernel, 64).compiled().request), get_target("pvc")))
    (loop,) = (op for op in levels["lane"].walk() if isinstance(op, scf.For))
    compared = (op for op in loop.body.ops if isinstance(op, arith.CmpI) and isinstance(op.lhs.type, VectorType))
    return any(isinstance(op.lhs.op, arith.AddI) and loop.body.args[0] in origins(op.lhs.op) for op in compared)


def origins(op: arith.AddI) -> list[object]:
    return [v.op.operands[0] for v in op.operands if v.op is not None and v.op.operands]


def test_coordinates_that_are_compared_alone():
    assert not compares_sums(masked)


@pytest.mark.parametrize("kernel", [weighted, placed], ids=["sums", "lanes"])
def test_coordinates_that_are_needed_anyway_stay(kernel):
    assert compares_sums(kernel)


@pytest.mark.every(2)
@pytest.mark.parametrize("columns", [1, 31, 32, 33, 64, 100])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.fn.__name__)
def test_every_level(kernel, columns):
    case = launch(kernel, columns)
    for level, after in run_levels(case.compiled().request, (1, 1, 1), case.values):
        np.testing.assert_array_equal(after["Y"][:, 0], KERNELS[kernel](case.values["X"]), err_msg=level)


def test_conditions_that_stay_choose_the_end():
    """Whether a scale lies in its array: of the block's column that is known before the loop."""
    case = CASES["weights f8e4m3, scales of blocks"]
    levels = dict(
        pipeline.lower(trace(case.kernel.compile(*case.types, target="pvc", **case.constants).request), get_target("pvc"))
    )
    (loop,) = (op for op in levels["lane"].walk() if isinstance(op, scf.For))
    assert sum(isinstance(op, arith.CmpI) for op in loop.body.ops) == 1
    assert not any(isinstance(op, arith.AndI) for op in loop.body.ops)
