"""Scattered prefetches, by descriptor and by base with offsets, from each level down to SPIR-V."""

from __future__ import annotations

from typing import Any

import pytest
from xetile.backends.spirv.module.disassemble import disassemble

from tests.lowering.gemms import Module, memref
from tests.lowering.run import check_device, check_levels, compiled, lowered, machine_code
from tests.spirv.device import Device
from xetile.dialects import arith, vector, xegpu
from xetile.dialects.types import F32, I1, INDEX, VectorType
from xetile.layout import Layout

SIZE = 4096


def places(w: Module, lanes: int, step: int) -> Any:
    line = w.build(vector.Step, result=VectorType((lanes,), INDEX))
    return w.build(arith.MulI, line, w.const(step, line.type))


def copied(w: Module, where: Any, **attributes: Any) -> None:
    mask = w.const(True, VectorType(where.type.shape, I1))
    value = w.build(xegpu.Load, w.A, where, mask, value=VectorType(where.type.shape, F32), **attributes)
    w.build(xegpu.Store, value, w.C, where, mask)


def module(lanes: int, emit: Any, step: int = 3, **attributes: Any) -> Any:
    """A prefetch, and a copy of the elements at the same offsets."""

    def make() -> Any:
        w = Module({"A": memref(SIZE, element=F32), "C": memref(SIZE, element=F32)})
        where = places(w, lanes, step)
        emit(w, where)
        copied(w, where, **attributes)
        return w.done()

    def expected(arrays: Any) -> Any:
        result = arrays["C"].copy()
        result[: lanes * step : step] = arrays["A"][: lanes * step : step]
        return {"C": result}

    return make, expected


def by_offsets(w: Module, where: Any) -> None:
    w.build(xegpu.Prefetch, w.A, where)


def hinted(w: Module, where: Any) -> None:
    w.build(xegpu.Prefetch, w.A, where, l1_hint=xegpu.CacheHint("uncached"), l3_hint=xegpu.CacheHint("cached"))


def described(w: Module, where: Any, chunk: int = 1, layout: Any = None) -> None:
    shape = (*where.type.shape, chunk) if chunk > 1 else where.type.shape
    desc = w.build(xegpu.CreateTdesc, w.A, where,
                   result=xegpu.TensorDescType(shape, F32, xegpu.ScatterAttr(chunk_size=chunk), layout))  # fmt: skip
    moved = w.build(xegpu.UpdateOffset, desc, w.const(64, where.type))
    w.build(xegpu.Prefetch, moved)


DEALT = {"layout": Layout((4,), (16,))}
CASES = {
    "offsets": (module(16, by_offsets), 1),
    "two for each lane": (module(32, by_offsets), 2),
    "hints": (module(16, hinted), 1),
    "descriptor": (module(16, described), 1),
    "a line for each lane": (module(16, lambda w, p: described(w, p, 16), 32), 1),
    "chunks of two lines": (module(16, lambda w, p: described(w, p, 32), 32), 2),
    "workgroup": (module(64, by_offsets, **DEALT), 1),
    "workgroup, descriptor": (module(64, lambda w, p: described(w, p, 1, DEALT["layout"]), **DEALT), 1),
}


def prefetches(ir: Any) -> list[Any]:
    return [op for op in ir.walk() if isinstance(op, xegpu.Prefetch)]


@pytest.mark.parametrize("name", CASES)
def test_each_level_keeps_it(name: str) -> None:
    (make, expected), count = CASES[name]
    check_levels(make, expected)
    found = prefetches(lowered(make, "lane"))
    assert len(found) == count
    assert all(op.offsets.type is INDEX for op in found)  # one for each lane
    text = disassemble(compiled(make).spirv)
    assert sum(" prefetch " in line for line in text.splitlines()) == count


@pytest.mark.parametrize("name", ["two for each lane", "chunks of two lines", "workgroup, descriptor"])
def test_emulated(cpu: Device, name: str) -> None:
    check_device(cpu, *CASES[name][0])


def test_hints_arrive() -> None:
    (make, _), _count = CASES["hints"]
    for op in prefetches(lowered(make, "lane")):
        assert (op.l1_hint.value, op.l3_hint.value) == ("uncached", "cached")
    assert "CacheControlLoadINTEL 0 UncachedINTEL" in disassemble(compiled(make).spirv)


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_a_message_each(target: str) -> None:
    """What IGC makes of OpenCL's prefetch: a load to nowhere that keeps lines in the last level only."""
    (make, _), count = CASES["chunks of two lines"]
    code = machine_code(make, target).whole
    assert code["prefetch"] == count
    assert code.messages["load.ugm.d32.a64.uc.ca"] == count
