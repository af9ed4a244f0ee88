"""Modules for older drivers: the same messages and products in words that IGC 1.0.12504 knows.

What they become is executed: as machine code of the current compiler, which takes those words too, and of the older one for PVC.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xetile.backends.simulator import toolchain
from xetile.backends.simulator.execute import decode, execute
from xetile.backends.spirv.finished.older_igc import REPLACED_EXTENSIONS, for_older_igc, message, pieces_of
from xetile.backends.spirv.module.binary import Binary
from xetile.backends.spirv.module.shapes import MATRICES, MMA_ROWS_OF_RESULT, MatrixInstruction, portable_blocks
from xetile.backends.spirv.module.shapes import BlockInstruction as Block

import xetile as xt
from tests import tools
from tests.kernels.matmul import matmul
from tests.spirv import kernels
from tests.spirv.test_emulate_blocks import LOADS, check_load, check_store
from tests.spirv.test_emulate_matrices import check_matrix
from xetile.runtime import settings

GEMM = ("f16[?,?]", "f16[?,?]", "f32[?,?]")


class Simulated:
    """Runs modules as `tests.spirv.device.Device` does, as the machine code that a compiler makes of them for a target."""

    def __init__(self, target: str) -> None:
        for tool in ("ocloc", "iga64"):
            tools.require_tool(tool)
        self.target = target

    def build(self, module: bytes) -> bytes:
        return tools.ocloc_compile(for_older_igc(module), self.target).read_bytes()

    def run(self, program: bytes, name: str, groups: tuple[int, ...], local: tuple[int, ...], *args: Any) -> list[np.ndarray]:
        given = [a.copy() if isinstance(a, np.ndarray) else a.tobytes() for a in args]
        execute(decode(program, self.target, name), groups, given, local_size=(*local, 1, 1)[:3])
        return [a for a in given if isinstance(a, np.ndarray)]


@pytest.mark.parametrize(("block", "text", "constraints"), [
    (Block("load", 2, 16, 8, 1), "lsc_load_block2d.ugm (M1, 1) $0:d16.16x8nn flat[$1,$2,$3,$4,$5,$6]", "=rw" + ",rw.u" * 6),
    (Block("load_transform", 2, 16, 16, 1), "lsc_load_block2d.ugm (M1, 1) $0:d16.16x16nt flat[$1,$2,$3,$4,$5,$6]", "=rw" + ",rw.u" * 6),
    (Block("prefetch", 2, 16, 32, 2), "lsc_load_block2d.ugm.ca.ca (M1, 1) %null:d16.2x16x32nn flat[$0,$1,$2,$3,$4,$5]", "rw.u" + ",rw.u" * 5),
    (Block("store", 4, 16, 8, 1), "lsc_store_block2d.ugm (M1, 1) flat[$0,$1,$2,$3,$4,$5] $6:d32.16x8nn", "rw.u," * 6 + "rw"),
])  # fmt: skip
def test_a_message(block, text, constraints):
    assert message(block) == (text, constraints)


@pytest.mark.parametrize("operation", ["load", "load_transform", "load_transpose", "prefetch", "store"])
def test_the_messages_of_a_block_hold_all_of_it(operation):
    for block in portable_blocks(operation):
        pieces = pieces_of(block)
        assert all(piece.is_portable for piece in pieces) or block.element_bytes == 1
        assert sum(piece.lane_bytes() for piece in pieces) == block.lane_bytes()


@pytest.mark.every(16, 8)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize(("operation", "element_bytes"), [*LOADS, ("store", 1), ("store", 2), ("store", 4)])
def test_blocks(operation, element_bytes, target):
    device, check = Simulated(target), check_store if operation == "store" else check_load
    blocks = [block for block in portable_blocks(operation) if block.element_bytes == element_bytes]
    program = device.build(kernels.block_module(blocks, step=40 * 384))
    for block in blocks:
        check(device, program, block)


@pytest.mark.every(18, 3)
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
@pytest.mark.parametrize("c", ["f32", "f16", "bf16", "s32"])
def test_products(c, target):
    size = 8 if target == "dg2" else 16
    cases = [
        (m, rows) for m in MATRICES for rows in MMA_ROWS_OF_RESULT if (m.c, m.subgroup_size) == (c, size) and _is_executed(m)
    ]
    if not cases:
        pytest.skip(f"{target} has no products of {c}")
    device = Simulated(target)
    program = device.build(kernels.matrix_module(cases))
    for matrix, rows in cases:
        check_matrix(device, program, matrix, rows)


def _is_executed(matrix: MatrixInstruction) -> bool:
    return "4" not in (matrix.a[1:], matrix.b[1:])  # no kernel of ours has products of 4-bit numbers


def test_a_whole_kernel_as_the_older_compiler_s_machine_code(monkeypatch, tmp_path):
    ocloc = tools.require_tool("ocloc-12504")
    current = toolchain._run
    monkeypatch.setattr(
        toolchain, "_run", lambda command, *rest: current([ocloc if command[0] == "ocloc" else command[0], *command[1:]], *rest)
    )
    compiled = toolchain.compile_spirv
    monkeypatch.setattr(toolchain, "compile_spirv", lambda spirv, *rest: compiled(for_older_igc(spirv), *rest))
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((100, 48), (48, 72)))
    c = np.zeros((100, 72), np.float32)
    with settings.override(cache_dir=str(tmp_path)), xt.device("sim:pvc"):
        matmul[(2, 2)](a, b, c, BM=64, BN=64, BK=32, num_subgroups=4)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


def test_what_the_older_compiler_makes_of_a_product():
    made = matmul.compile(*GEMM, target="pvc", BM=256, BN=256, BK=32, num_subgroups=32)
    module = for_older_igc(made.spirv)
    tools.spirv_val(module)
    assert not Binary(module).extensions & REPLACED_EXTENSIONS
    binary = tools.ocloc_compile(module, "pvc", made.build_options, compiler="ocloc-12504")
    loop = tools.isa_counts(binary, "pvc").per_kstep(32)
    assert (loop["dpas"], loop["prefetch"], loop["scratch"]) == (32, 1, 0)
    assert loop.total <= 168


def test_a_module_that_lacks_nothing_is_unchanged():
    module = matmul.compile(*GEMM, target="pvc").spirv
    assert for_older_igc(module, REPLACED_EXTENSIONS) == module
