"""Integers as addresses (seed 002: pointers as source of create_nd_tdesc, create_tdesc, load, store, prefetch), down to machine code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret
from xetile.backends.spirv.module.disassemble import disassemble

from tests.lowering.gemms import Module, tiles
from tests.lowering.run import compiled, levels, lowered, machine_code
from xetile.cli import mlir_modules
from xetile.dialects import arith, vector, xegpu
from xetile.dialects.types import F32, I1, I64, INDEX, UI64, VectorType
from xetile.errors import ArgumentError
from xetile.layout import Layout
from xetile.runtime import devices
from xetile.target import get_target

ROWS = Layout((4, 1), (8, 32))


def addresses(kind: Any) -> Module:
    """A kernel whose two arguments are addresses."""
    return Module({"A": kind, "C": kind})


def block(w: Module, base: Any, sizes: tuple[Any, Any], layout: Any) -> Any:
    one = w.const(1)
    return w.build(xegpu.CreateNdTdesc, base, [w.const(0)] * 2, list(sizes), [sizes[1], one],
                   result=tiles(32, 32, element=F32, layout=layout))  # fmt: skip


def blocks(layout: Any, kind: Any = I64) -> Any:
    """C = 2 A, 32x32, by descriptors over addresses."""

    def make() -> Any:
        w = addresses(kind)
        sizes = w.const(32), w.const(32)
        value = w.load(block(w, w.A, sizes, layout))
        w.build(xegpu.StoreNd, w.build(arith.AddF, value, value), block(w, w.C, sizes, layout), ())
        return w.done()

    return make, lambda a: 2 * a


def scattered(lanes: int, by_descriptor: bool, kind: Any = I64, **attributes: Any) -> Any:
    """C = 2 A at the first of every two elements, with a prefetch."""

    def make() -> Any:
        w = addresses(kind)
        line = w.build(vector.Step, result=VectorType((lanes,), INDEX))
        where = w.build(arith.MulI, line, w.const(2, line.type))
        mask = w.const(True, VectorType((lanes,), I1))
        result = VectorType((lanes,), F32)
        if by_descriptor:
            desc = xegpu.TensorDescType((lanes,), F32, xegpu.ScatterAttr(), attributes.get("layout"))
            a, c = (w.build(xegpu.CreateTdesc, v, where, result=desc) for v in (w.A, w.C))
            w.build(xegpu.Prefetch, a)
            value = w.build(xegpu.Load, a, None, mask, value=result)
            w.build(xegpu.Store, w.build(arith.AddF, value, value), c, None, mask)
            return w.done()
        w.build(xegpu.Prefetch, w.A, where, offset_align_byte=4)
        value = w.build(xegpu.Load, w.A, where, mask, value=result, **attributes)
        w.build(xegpu.Store, w.build(arith.AddF, value, value), w.C, where, mask)
        return w.done()

    def expected(a: np.ndarray) -> np.ndarray:
        result = np.zeros_like(a)
        result.flat[: 2 * lanes : 2] = 2 * a.flat[: 2 * lanes : 2]
        return result

    return make, expected


CASES = {
    "blocks": blocks(None),
    "blocks of a workgroup": blocks(ROWS, UI64),
    "offsets": scattered(16, False),
    "offsets, unsigned": scattered(32, False, UI64),
    "descriptor": scattered(16, True),
    "workgroup": scattered(64, False, layout=Layout((4,), (16,))),
    "workgroup, descriptor": scattered(64, True, layout=Layout((4,), (16,))),
}


@pytest.mark.parametrize("name", CASES)
def test_each_level(name: str) -> None:
    """The numpy device takes arrays for addresses."""
    make, expected = CASES[name]
    for level, module in levels(make):
        a = np.random.default_rng(0).standard_normal((32, 32)).astype(np.float32)
        c = np.zeros_like(a)
        interpret(module, (1, 1, 1), [a, c], target="pvc")
        np.testing.assert_allclose(c, expected(a), rtol=1e-6, err_msg=level)


@pytest.mark.parametrize("name", CASES)
def test_spirv_makes_pointers_of_them(name: str) -> None:
    assert disassemble(compiled(CASES[name][0]).spirv).count("OpConvertUToPtr") >= 2


@pytest.mark.every(4)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", ["blocks of a workgroup", "workgroup, descriptor"])
def test_compiles(name: str, target: str) -> None:
    code = machine_code(CASES[name][0], target).whole
    assert code.scratch == 0
    if "blocks" in name:
        assert code["load_block2d"] >= 1 and code["store_block2d"] >= 1
    else:
        assert code["prefetch"] == 1


def test_sizes_at_run_time() -> None:
    """What nobody can check before a block message goes element by element."""

    def make() -> Any:
        w = addresses(I64)
        width = w.build(arith.IndexCast, w.C, result=INDEX)
        value = w.load(block(w, w.A, (w.const(32), width), None))
        w.build(xegpu.StoreNd, value, block(w, w.C, (w.const(32), w.const(32)), None), ())
        return w.done()

    kinds = [type(op) for op in lowered(make, "lane").walk()]
    assert xegpu.LoadNd not in kinds and xegpu.Load in kinds and xegpu.StoreNd in kinds


def test_launch(device: str) -> None:
    """numpy takes arrays for addresses, and so do devices that share the process's memory; others say that they do not."""
    make, expected = CASES["blocks"]
    a = np.random.default_rng(0).standard_normal((32, 32)).astype(np.float32)
    c = np.zeros_like(a)
    info = devices.find_device(device)
    if device != "numpy" and not info.host_addresses:
        with pytest.raises(ArgumentError, match=r"A is i64: .* takes no array for an address"):
            mlir_modules.launch(make(), get_target("pvc"), info, (1, 1, 1), {"A": a, "C": c})
        return
    mlir_modules.launch(make(), get_target("pvc"), info, (1, 1, 1), {"A": a, "C": c})
    np.testing.assert_allclose(c, expected(a))
