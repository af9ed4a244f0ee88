"""Signs of zero where a number is converted on its way through a choice between it and zero: LLVM makes another comparison of such choices."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests import tools
from tests.mlir.everywhere import compare, left_by, parser

SHAPE = (4, 32)
CHOICES = (
    (lambda x, y: xt.where(x < 0.0, 0.0, y), lambda x, y: np.where(x < 0, 0, y)),
    (lambda x, y: xt.where(x > 0.0, 0.0, y), lambda x, y: np.where(x > 0, 0, y)),
    (lambda x, y: xt.where((x < 0.0) | xt.isnan(x), 0.0, y), lambda x, y: np.where((x < 0) | (x != x), 0, y)),
    (lambda x, y: xt.where(~(x < 0.0), y, 0.0), lambda x, y: np.where(~(x < 0), y, 0)),
    (lambda x, y: xt.where(y < 0.0, 0.0, y), lambda x, y: np.where(y < 0, 0, y)),
    (lambda x, y: xt.maximum(y, 0.0), lambda x, y: np.where(y < 0, 0, y)),
    (lambda x, y: xt.minimum(y, 0.0), lambda x, y: np.where(y > 0, 0, y)),
)


DEVICES = ("cpu", "sim:bmg", "sim:dg2", "sim:pvc")
CASES = [
    *((device, *types) for device in DEVICES for types in ((np.float16, np.float32), (np.float32, np.float16))),
    *((device, np.float32, np.float64) for device in DEVICES if device != "sim:dg2"),  # which has no f64
]


@xt.jit(num_subgroups=1, grid=(1,))
def choices(X, Out, One):
    """Out[k] = the k-th choice between zero and what the elements of X are converted to; One = X[0, 0], converted, or 0 below."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), SHAPE))
    for k in xt.static_range(len(CHOICES)):
        xt.store_tile(CHOICES[k][0](x, x.to(Out.dtype)), xt.init_tile(Out[k], (0, 0), SHAPE))
    first = X[0, 0]
    if first < 0.0:
        chosen = xt.cast(0.0, Out.dtype)
    else:
        chosen = first.to(Out.dtype)
    xt.store_tile(xt.full((1,), chosen, Out.dtype), xt.init_tile(One, 0, (1,)))


@pytest.mark.every(48, 2)
@pytest.mark.parametrize(("device", "source", "target"), CASES)
def test_a_converted_number_or_zero(device, source, target):
    if device != "cpu":
        tools.require_tool("ocloc")
    x = np.resize(np.array([-0.0, 0.0, 1, -1, np.nan, 6e-8, -6e-8, np.inf, -np.inf], source), SHAPE)
    out, one = np.zeros((len(CHOICES), *SHAPE), target), np.zeros(1, target)
    with xt.device(device):
        choices(x, out, one)
    expected = np.array([choice(x, x.astype(target)) for _, choice in CHOICES], target)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(np.signbit(out) & (out == 0), np.signbit(expected) & (expected == 0))
    assert one[0] == 0
    assert np.signbit(one[0])


COMPARED = (
    (lambda x: x < 0.0, lambda x: x < 0),
    (lambda x: x > 0.0, lambda x: x > 0),
    (lambda x: ~(x < 0.0), lambda x: ~(x < 0)),
    (lambda x: (x < 0.0) & (x != 7.0), lambda x: (x < 0) & (x != 7)),
)


@xt.jit(num_subgroups=1, grid=(1,))
def converted_choices(X, Out, One):
    """Out[2k] = the first row of X or zeros as the k-th comparison says, converted; Out[2k + 1] the other way round. One: the same of an
    element by branches.
    """
    x, first = xt.load_tile(xt.init_tile(X, (0, 0), (1, SHAPE[1]))), X[0, 0]
    zeros = xt.zeros(SHAPE, X.dtype)
    for k in xt.static_range(len(COMPARED)):
        condition = COMPARED[k][0](x)
        xt.store_tile(xt.where(condition, zeros, x).to(Out.dtype), xt.init_tile(Out[2 * k], (0, 0), SHAPE))
        xt.store_tile(xt.where(condition, x, zeros).to(Out.dtype), xt.init_tile(Out[2 * k + 1], (0, 0), SHAPE))
        chosen = first
        if COMPARED[k][0](first):
            chosen = xt.cast(0.0, X.dtype)
        xt.store_tile(xt.full((1,), chosen.to(Out.dtype), Out.dtype), xt.init_tile(One[k], 0, (1,)))


@pytest.mark.every(48, 2)
@pytest.mark.parametrize(("device", "source", "target"), CASES)
def test_a_choice_of_zero_that_is_converted(device, source, target):
    """Of rows, whose comparisons are spread over a tile, and of single numbers."""
    if device != "cpu":
        tools.require_tool("ocloc")
    row = np.resize(np.array([-0.0, 0.0, 1, -1, np.nan, 6e-8, -6e-8, np.inf, -np.inf], source), SHAPE[1])
    out, one = np.zeros((2 * len(COMPARED), *SHAPE), target), np.zeros((len(COMPARED), 1), target)
    with xt.device(device):
        converted_choices(np.tile(row, (SHAPE[0], 1)), out, one)
    rows = [np.where(c, *ways) for _, by in COMPARED for c in (by(row),) for ways in ((0, row), (row, 0))]
    expected = np.stack([np.tile(r, (SHAPE[0], 1)) for r in rows]).astype(target)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(np.signbit(out) & (out == 0), np.signbit(expected) & (expected == 0))
    np.testing.assert_array_equal(np.signbit(one[:, 0]), np.signbit(expected[::2, 0, 0]))


def beyond(element: str, first: int) -> str:
    """R = 0 - B, for what is loaded of lanes `first` to `first` + 16 of 16, and for a vector of which a part is zero."""
    return f"""gpu.module @m {{
  gpu.func @k(%A: memref<16x{element}>, %B: memref<2x16x{element}>, %R: memref<2x16x{element}>) kernel {{
    %c0 = arith.constant 0 : index
    %first = arith.constant {first} : index
    %end = arith.constant 16 : index
    %lane = gpu.lane_id
    %place = arith.addi %lane, %first : index
    %inside = arith.cmpi ult, %place, %end : index
    %a = xegpu.load %A[%place], %inside : memref<16x{element}>, index, i1 -> {element}
    %t = xegpu.create_nd_tdesc %B : memref<2x16x{element}> -> !xegpu.tensor_desc<2x16x{element}>
    %b = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<2x16x{element}> -> vector<2x{element}>
    %v = vector.insert %a, %b[0] : {element} into vector<2x{element}>
    %d = arith.subf %v, %b : vector<2x{element}>
    %r = xegpu.create_nd_tdesc %R : memref<2x16x{element}> -> !xegpu.tensor_desc<2x16x{element}>
    xegpu.store_nd %d, %r[%c0, %c0] : vector<2x{element}>, !xegpu.tensor_desc<2x16x{element}>
    gpu.return
  }}
}}
"""


@pytest.mark.parametrize(("device", "element"), [("sim:pvc", "f16"), ("sim:bmg", "f32"), ("sim:bmg", "bf16")])
def test_differences_from_what_lies_outside(device, element):
    tools.require_tool("ocloc")
    module = parser(beyond(element, 16))
    compare({where: left_by(module(), where, (1,), {}, device.removeprefix("sim:")) for where in ("numpy", device)})
