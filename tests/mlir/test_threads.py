"""Numbers and counts of threads: as MLIR has them, along x first, however a workgroup's shape is told."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tools
from tests.mlir.everywhere import agree
from xetile import mlir
from xetile.errors import MlirTextError

KERNEL = """
gpu.module @k {{
  gpu.func @f(%R: memref<512xi32>) kernel {said} {{
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %z = gpu.thread_id z
    %bx = gpu.block_dim x
    %by = gpu.block_dim y
    %bz = gpu.block_dim z
    %n = gpu.num_subgroups : index
    %g = gpu.global_id y
    %true = arith.constant true
    %zy = arith.muli %z, %by : index
    %line = arith.addi %zy, %y : index
    %lines = arith.muli %line, %bx : index
    %place = arith.addi %lines, %x : index
    %sum0 = arith.muli %n, %bz : index
    %c1000 = arith.constant 1000 : index
    %sum1 = arith.muli %g, %c1000 : index
    %sum2 = arith.addi %sum0, %sum1 : index
    %told = arith.index_cast %sum2 : index to i32
    xegpu.store %told, %R[%place], %true : i32, memref<512xi32>, index, i1
    gpu.return
  }}
}}
"""

HOST = """
module attributes {{gpu.container_module}} {{
{kernel}
func.func @host(%R: memref<512xi32>) {{
  %c1 = arith.constant 1 : index
  %x = arith.constant {sizes[0]} : index
  %y = arith.constant {sizes[1]} : index
  %z = arith.constant {sizes[2]} : index
  gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%x, %y, %z) args(%R : memref<512xi32>)
  return
}}
}}"""


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


@pytest.mark.every(6)
@pytest.mark.parametrize("sizes", [(64, 1, 1), (8, 8, 1), (4, 4, 8), (16, 2, 2)])
@pytest.mark.parametrize("launched", [True, False])
def test_threads_stand_along_x_then_y_then_z(sizes, launched):
    said = "" if launched else f"attributes {{known_block_size = array<i32: {', '.join(map(str, sizes))}>}}"
    kernel = KERNEL.format(said=said)
    found = agree(HOST.format(kernel=kernel, sizes=sizes) if launched else kernel)
    assert isinstance(found, dict), found
    x, y, z = sizes
    expected = np.broadcast_to(np.arange(y)[None, :, None] * 1000 + x * y * z // 16 * z, (z, y, x))
    assert (found["R"][: x * y * z] == expected.ravel()).all()


def test_a_count_that_nothing_tells_is_refused():
    with pytest.raises(MlirTextError, match="how many subgroups"):
        mlir.parse(KERNEL.format(said=""))


def test_each_thread_of_a_vector_compute_function_is_a_subgroup():
    said = "attributes {VectorComputeFunctionINTEL, known_block_size = array<i32: 4, 2, 1>}"
    text = KERNEL.format(said=said).replace("%R[%place], %true : i32", "%R[%places], %all : vector<16xi32>")
    text = text.replace("index, i1\n", "vector<16xindex>, vector<16xi1>\n").replace(
        "    xegpu.store %told",
        """
    %all = arith.constant dense<true> : vector<16xi1>
    %places = vector.broadcast %place : index to vector<16xindex>
    %many = vector.broadcast %told : i32 to vector<16xi32>
    xegpu.store %many""",
    )
    found = agree(text)
    assert isinstance(found, dict), found
    assert (found["R"][:8].reshape(2, 4) == np.arange(2)[:, None] * 1000 + 8).all()
