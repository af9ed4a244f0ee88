"""Blocks whose ops stand in another order where IGC gives out registers than in the kernel: as the SPIR-V writer emits them, or as IGC
schedules what it undercounts.
"""

from __future__ import annotations

import pytest

import xetile as xt
from tests.estimate.test_registers import report
from tests.kernels.test_plain import CASES as PLAIN
from xetile.dialects import xegpu
from xetile.estimate.emitted import as_emitted
from xetile.estimate.storage import storage_of
from xetile.ir.core import Elementwise
from xetile.runtime import compiler
from xetile.target import get_target

TOLERANCE = 24


def check(compiled):
    estimated, found = compiled.estimate, report(compiled)
    assert not found.spill_bytes
    assert not estimated.spills
    assert abs(estimated.registers - found.pressure) <= TOLERANCE, f"{estimated.registers} of {found.pressure}"


@pytest.mark.every(8, 2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", ["operand doubled in a branch", "nf4, scales of bytes", "int4, scales of groups",
                                  "operand doubled in a branch, tf32", "f32 as tf32, below the diagonal",
                                  "f32 as tf32, above the diagonal"])  # fmt: skip
def test_the_order_that_igc_meets_is_told(name, target):
    """205 registers were told of nf4 with scales of bytes, where it takes 254; 158 and 234 of tf32, where it takes 112 and 143."""
    case = PLAIN[name]
    check(case.kernel.compile(*case.types, target=target, **case.constants))


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
def scaled(A, B, S, C, T: xt.constexpr, BM: xt.constexpr = 128, BN: xt.constexpr = 128, BK: xt.constexpr = 32):
    """C = A @ (B * S), multiplied as T."""
    m, n, acc = xt.program_id(1) * BM, xt.program_id(0) * BN, xt.zeros((BM, BN), xt.f32)
    s = xt.load_tile(xt.init_tile(S, n, BN))[None, :]
    for k in range(0, A.shape[1], BK):
        b = xt.load_tile(xt.init_tile(B, (k, n), (BK, BN))).to(T) * s
        acc += xt.load_tile(xt.init_tile(A, (m, k), (BM, BK))) @ b
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@pytest.mark.every(4)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("dtype", [xt.f16, xt.bf16], ids=str)
def test_second_operands_of_bytes_are_told_as_they_are_emitted(dtype, target):
    types = f"{dtype}[?,?]", "i8[?,?]", f"{dtype}[?]", "f32[?,?]"
    check(scaled.compile(*types, target=target, T=dtype, BM=256))


def test_second_operands_are_worked_out_behind_what_is_loaded():
    """All messages of first operands stand between the codes and the first product."""
    case, target = PLAIN["nf4, scales of bytes"], get_target("pvc")
    kernel = compiler.lowered(case.kernel.compile(*case.types, target="pvc", **case.constants).request).kernel
    storage = storage_of(kernel, target)
    (block,) = storage.with_products
    order = [*as_emitted(block, storage)]
    assert sorted(map(id, order)) == sorted(map(id, block.ops))
    place = {op: i for i, op in enumerate(order)}
    first = next(op for op in order if isinstance(op, xegpu.Dpas))
    rounded = [op for op in block.ops if isinstance(op, Elementwise) and op.opname == "arith.truncf"]
    loads = [op for op in block.ops[: block.ops.index(first)] if isinstance(op, xegpu.LoadNd)]
    assert len(rounded) > 4 and len(loads) > 4
    assert max(place[op] for op in loads) < min(place[op] for op in rounded)
