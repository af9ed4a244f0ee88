"""Blocks of arrays whose rows block messages do not reach, where only the launch knows: lanes and subgroups reach them in another way."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests import tools
from tests.conftest import SIMULATED
from tests.mlir.everywhere import parser
from xetile import xegpu
from xetile.cli.mlir_modules import launch
from xetile.runtime import devices
from xetile.target import get_target

TEXT = """
gpu.module @m {{ gpu.func @k(%A: memref<?x?xf32>, %R: memref<8x16xf32>{more}) kernel {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  {sizes}
  %t = xegpu.create_nd_tdesc %A, shape: [%h, %w], strides: [%w, 1] : memref<?x?xf32> -> !xegpu.tensor_desc<8x16xf32>
  %x = xegpu.load_nd %t[4, 0] : !xegpu.tensor_desc<8x16xf32> -> vector<{held}xf32>
  %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
  xegpu.store_nd %x, %r[0, 0] : vector<{held}xf32>, !xegpu.tensor_desc<8x16xf32>
  gpu.return
}} }}"""
DIMS = "%h = memref.dim %A, %c0 : memref<?x?xf32>\n  %w = memref.dim %A, %c1 : memref<?x?xf32>"
GPUS = [gpu for gpu in SIMULATED if gpu != "sim:dg2"]  # which has no block messages
DEVICES = ["numpy", "cpu", *(pytest.param(gpu, marks=pytest.mark.simulated) for gpu in GPUS)]


def array(width: int) -> tuple[np.ndarray, np.ndarray]:
    """One of 20 rows, and what a block of it holds that begins in row 4."""
    A, block = np.arange(20 * width, dtype=np.float32).reshape(20, width), np.zeros((8, 16), np.float32)
    block[:, : min(16, width)] = A[4:12, :16]
    return A, block


@pytest.mark.every(6, 1)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("width", [10, 33, 64])
@pytest.mark.parametrize("held", ["8", "8x16"])
@pytest.mark.parametrize("passed", ["sizes", "numbers"])
def test_modules_reach_the_rows_of_every_launch(passed, held, width, device):
    tools.require_tool("mlir-opt")
    A, expected = array(width)
    given = {"A": A, "R": np.full((8, 16), 7, np.float32)}
    if passed == "sizes":
        text = TEXT.format(held=held, sizes=DIMS, more="")
    else:
        text = TEXT.format(held=held, sizes="%h = arith.addi %n, %c0 : index", more=", %n: index, %w: index")
        given |= {"n": 20, "w": width}
    info = devices.find_device(device)
    launch(parser(text)(), get_target(info.target if info.kind == "sim" else "pvc"), info, (1, 1, 1), given)
    assert (given["R"] == expected).all()


@xt.jit(grid=(1,))
def twice(A, R):
    xegpu.level("lane")
    a = xegpu.load_nd(xegpu.create_nd_tdesc(A, (4, 0), (8, 16)))
    xegpu.store_nd(a + a, xegpu.create_nd_tdesc(R, (0, 0), (8, 16)))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("width", [10, 33, 64])
def test_lanes_of_kernels_reach_the_rows_of_every_launch(width, device):
    A, expected = array(width)
    R = np.full((8, width), 7, np.float32)
    with xt.device(device):
        twice(A, R)
    assert (R[:, :16] == 2 * expected[:, :width]).all()
    assert (R[:, 16:] == 7).all()
