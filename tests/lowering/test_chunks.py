"""Scattered access with chunks: one message for each lane's neighbours where the target has it (seed 000, chunk_size)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.lowering.gemms import Module, memref
from tests.lowering.run import check_device, check_levels, lowered, machine_code
from tests.spirv.device import Device
from xetile.dialects import arith, vector, xegpu
from xetile.dialects.types import F16, F32, I8, I32, INDEX, VectorType
from xetile.target import get_target


def copy(element: Any, lanes: int, chunk: int, *, described: bool, limit: int = 1 << 20) -> Any:
    """Rows of `chunk` elements to the places mirrored, where the lane is below a limit."""
    w = Module({"A": memref(2048, element=element), "C": memref(2048, element=element)})
    kind, whole = VectorType((lanes,), INDEX), VectorType((lanes, chunk), element)
    steps = w.build(vector.Step, result=kind)
    near = w.build(arith.MulI, steps, w.const(chunk, kind))
    far = w.build(arith.SubI, w.const(2048 - chunk, kind), near)
    mask = w.build(arith.CmpI, steps, w.const(limit, kind), predicate="ult")
    if described:
        desc = xegpu.TensorDescType((lanes, chunk), element, xegpu.ScatterAttr(chunk_size=chunk))
        source, dest = (w.build(xegpu.CreateTdesc, base, at, result=desc) for base, at in ((w.A, near), (w.C, far)))
        value = w.build(xegpu.Load, source, None, mask, value=whole)
        w.build(xegpu.Store, value, dest, None, mask)
    else:
        value = w.build(xegpu.Load, w.A, near, mask, chunk_size=chunk, value=whole)
        w.build(xegpu.Store, value, w.C, far, mask, chunk_size=chunk)
    return w.done()


def copied(lanes: int, chunk: int, limit: int = 1 << 20) -> Any:
    def expected(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        result = arrays["C"].copy()
        for lane in range(min(lanes, limit)):
            result[2048 - chunk * (lane + 1) : 2048 - chunk * lane] = arrays["A"][chunk * lane : chunk * (lane + 1)]
        return {"C": result}

    return expected


CHUNKS = [(F32, 16, 2), (F32, 16, 4), (F32, 32, 8), (F16, 16, 2), (F16, 16, 8), (I8, 16, 4), (I8, 32, 16), (I32, 16, 3)]
EACH = pytest.mark.parametrize(("element", "lanes", "chunk"), CHUNKS, ids=str)


@pytest.mark.parametrize("described", [True, False])
@EACH
def test_every_level(element: Any, lanes: int, chunk: int, described: bool) -> None:
    limit = lanes - 3
    check_levels(lambda: copy(element, lanes, chunk, described=described, limit=limit), copied(lanes, chunk, limit))


@EACH
def test_one_message_for_each_lane(element: Any, lanes: int, chunk: int) -> None:
    assert chunk in get_target("pvc").legal_chunks(element.bits // 8)
    module = lowered(lambda: copy(element, lanes, chunk, described=True), "lane")
    loads = [op for op in module.walk() if isinstance(op, xegpu.Load)]
    assert len(loads) == lanes // 16
    assert all(op.value.type == VectorType((chunk,), element) for op in loads)


def test_more_than_one_message_may_move() -> None:
    """512 bytes of a subgroup at a time (seed 000): larger rows go element by element."""
    assert 16 not in get_target("pvc").legal_chunks(4)
    check_levels(lambda: copy(F32, 16, 16, described=True), copied(16, 16))


@pytest.mark.every(2)
@EACH
def test_emulated(cpu: Device, element: Any, lanes: int, chunk: int) -> None:
    check_device(cpu, lambda: copy(element, lanes, chunk, described=False), copied(lanes, chunk))


def test_machine_code() -> None:
    """Sixteen lanes of four words: one load and one store."""
    code = machine_code(lambda: copy(F32, 16, 4, described=True), "pvc")
    assert code.whole.scratch == 0
    assert code.whole.messages["load.ugm.d32x4.a64"] == code.whole.messages["store.ugm.d32x4.a64"] == 1
