"""Seed 000, appendices 1.1 to 1.3: at every level, emulated on the CPU device, and through Intel's GPU compiler."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.lowering import gemms
from tests.lowering.run import Arrays, check_device, check_levels, levels, machine_code
from tests.spirv.device import Device
from tests.tools import mlir_opt
from xetile.dialects import xegpu
from xetile.ir.printer import print_op
from xetile.target import get_target

LEVELS = ["workgroup", "layout", "subgroup", "blocked", "xegpu", "lane"]


def product(arrays: Arrays) -> Arrays:
    return {"C": arrays["A"].astype(np.float32) @ arrays["B"].astype(np.float32)}


def product_and_sums(arrays: Arrays) -> Arrays:
    total = arrays["A"].astype(np.float32) @ arrays["BT"].astype(np.float32).T + arrays["row"]
    return {"C": total, "sums": total.sum(axis=1)}


GEMMS = {
    "1.1": (gemms.simple, product),
    "1.2": (gemms.transposed, product_and_sums),
    "1.3": (gemms.two_caches, product),
}
EACH = pytest.mark.parametrize("name", GEMMS)


@pytest.mark.every(3)
@EACH
def test_every_level_computes_the_same(name: str) -> None:
    make, expected = GEMMS[name]
    assert check_levels(make, expected, tolerance=1e-3) == LEVELS


def test_several_workgroups() -> None:
    assert check_levels(lambda: gemms.simple(512, 512, 32), product, grid=(2, 2, 1), tolerance=1e-3) == LEVELS


def test_targets_without_block_messages() -> None:
    """DG2: eight lanes, no 2D blocks."""
    assert check_levels(gemms.simple, product, target="dg2", tolerance=1e-3) == LEVELS


@pytest.mark.every(3)
@EACH
def test_emulated_on_the_cpu(cpu: Device, name: str) -> None:
    make, expected = GEMMS[name]
    check_device(cpu, make, expected, tolerance=1e-3)


@EACH
def test_nothing_is_left_of_workgroups(name: str) -> None:
    """Below the workgroup no layout has subgroups, and only single messages and instructions are left in the end."""
    for level, module in levels(GEMMS[name][0]):
        if level not in ("workgroup", "layout"):
            assert not [layout for op in module.walk() for layout in xegpu.layouts_of(op) if layout.is_workgroup]
        if level == "xegpu":
            shapes = {op.result.type.shape for op in module.walk() if isinstance(op, xegpu.Dpas)}
            assert shapes == {(8, 16)}


@pytest.mark.every(3)
@EACH
def test_upstream_reads_each_level(name: str) -> None:
    """Where operands of products are staged and prefetched, and blocked, they are XeTile's."""
    read = []
    for level, module in levels(GEMMS[name][0]):
        if level != "workgroup" and not any(op.opname.startswith("xetile.") for op in module.walk()):
            mlir_opt(print_op(module))
            read.append(level)
    assert [level for level in read if level != "subgroup"] == ["layout", "xegpu", "lane"]


@pytest.mark.every(2)
@pytest.mark.covering
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("make", [gemms.simple, partial(gemms.two_caches, 256, rows=256)], ids=["1.1", "1.3"])
def test_machine_code(target: str, make: Callable[[], Any]) -> None:
    """One dpas for each 8x16x16 of a K step, none of it through scratch; the loads of a step are block messages."""
    code = machine_code(make, target)
    assert code.hot is not None and code.hot.counts["dpas"] == 32
    step = code.per_kstep(32)
    assert step.loads == step["load_block2d"] > 0
    assert code.whole.scratch == 0


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_machine_code_of_512_rows(target: str) -> None:
    """1.3 as most of it is written: 64x64 accumulators of f32 are all 256 registers of 64 bytes, so that others must spill."""
    code = machine_code(gemms.two_caches, target)
    assert code.hot is not None and code.hot.counts["dpas"] == 64
    assert code.kernel.grf_count == 256
    assert get_target(target).grf_capacity(256) < 64 * 64 * 4


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_machine_code_of_the_transposed_product(target: str) -> None:
    """B's rows arrive transposed by the messages: the loop has no other loads."""
    code = machine_code(gemms.transposed, target)
    assert code.hot is not None and code.hot.counts["dpas"] % 32 == 0
    assert code.per_kstep(32).loads == code.per_kstep(32)["load_block2d"]
    assert code.whole.scratch == 0
