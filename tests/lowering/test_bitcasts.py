"""vector.bitcast between widths: each lane reads its own bits as other elements (seed 000, bitcast)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.lowering.gemms import Module, memref
from tests.lowering.run import check_device, check_levels, lowered, machine_code
from tests.lowering.test_rules import loaded, stored
from tests.spirv.device import Device
from xetile.dialects import arith, vector, xegpu
from xetile.dialects.types import BF16, F16, F32, I1, I8, I16, I32, I64, INDEX, VectorType
from xetile.dtypes import DTYPES
from xetile.errors import LayoutError, VerifyError
from xetile.ir.verifier import verify
from xetile.layout import Layout

ROWS = Layout((4, 1), (8, 64))
GRID = Layout((4, 2), (8, 32))


def recast(before: Any, after: Any, columns: int, *, rows: int = 32, layout: Any = None, result: Any = None) -> tuple[Any, Any]:
    """A module that reads elements of one type as those of another, and what numpy makes of it."""
    others = columns * before.bits // after.bits

    def make() -> Any:
        w = Module({"A": memref(rows, columns, element=before), "C": memref(rows, others, element=after)})
        value = w.build(vector.Bitcast, loaded(w, "A", layout), result=VectorType((rows, others), after))
        stored(w, value, "C", result)
        return w.done()

    return make, lambda arrays: {"C": arrays["A"].view(np.dtype(DTYPES[str(after)].numpy))}


CASES = {
    "words to bytes": recast(I32, I8, 32, result=Layout((4, 1), (8, 128))),
    "bytes to words": recast(I8, I32, 128, layout=Layout((4, 1), (8, 128))),
    "bytes to words, over columns": recast(I8, I32, 256, layout=Layout((2, 4), (16, 64))),
    "halves to words": recast(F16, I32, 64, layout=ROWS),
    "words to halves": recast(I32, I16, 64, layout=GRID),
    "doubles to words": recast(I64, I32, 32, layout=Layout((4, 1), (8, 32))),
    "words to doubles": recast(I32, I64, 64, layout=GRID),
    "bytes to doubles": recast(I8, I64, 128, layout=Layout((4, 1), (8, 128))),
    "doubles to bytes": recast(I64, I8, 16, layout=Layout((4, 1), (8, 16))),
    "narrow rows": recast(I16, I32, 8, layout=Layout((4, 1), (8, 8))),
    "one word in a row": recast(I8, I32, 4, layout=Layout((2, 1), (16, 4))),
    "bytes of a word in other subgroups": recast(I8, I32, 128, layout=Layout((4, 2), (8, 2)), result=Layout((4, 2), (8, 16))),
    "same width": recast(I32, F32, 32, layout=Layout((4, 1), (8, 32))),
}


@pytest.mark.every(3)
@pytest.mark.parametrize("name", CASES)
def test_each_level(name: str) -> None:
    assert check_levels(*CASES[name])[-1] == "lane"


@pytest.mark.every(8, 1)  # words to bytes take the driver twenty seconds
@pytest.mark.parametrize("name", ["words to bytes", "bytes to words", "halves to words", "words to doubles", "doubles to bytes",
                                  "narrow rows", "one word in a row"])  # fmt: skip
def test_emulated(cpu: Device, name: str) -> None:
    check_device(cpu, *CASES[name])


@pytest.mark.parametrize(("name", "target"), [("bytes to words", "pvc"), ("words to halves", "bmg")])
def test_compiles(name: str, target: str) -> None:
    assert machine_code(CASES[name][0], target).whole.scratch == 0


def test_a_subgroup() -> None:
    """Vectors of one subgroup: one row, and three dimensions."""

    def make() -> Any:
        w = Module({"A": memref(64, element=I16), "C": memref(8, 32, element=I32)})
        line = w.build(vector.Bitcast, loaded(w, "A"), result=VectorType((32,), I32))
        rows = w.build(vector.Broadcast, line, result=VectorType((2, 4, 32), I32))
        halves = w.build(vector.Bitcast, rows, result=VectorType((2, 4, 64), I16))
        more = w.build(arith.AddI, halves, w.const(1, halves.type))
        whole = w.build(vector.Bitcast, more, result=rows.type)
        for i in range(2):
            part = w.build(vector.Extract, whole, position=(i,))
            desc = w.desc(w.C, (w.const(4 * i), w.const(0)), xegpu.TensorDescType((4, 32), I32))
            w.build(xegpu.StoreNd, part, desc, ())
        return w.done()

    names = check_levels(make, lambda arrays: {"C": np.tile((arrays["A"] + np.int16(1)).view(np.int32), (8, 1))})
    assert names[0] == "subgroup"


def test_lanes_read_their_own_bits() -> None:
    """Words become bytes without a shuffle: the narrower side has lane_data of the ratio (seed 000)."""
    module = lowered(CASES["words to bytes"][0], "xegpu")
    cast = next(op for op in module.walk() if isinstance(op, vector.Bitcast))
    assert cast.attributes["layout_result_0"] == Layout(lane_layout=(1, 16), lane_data=(1, 4))


def test_lanes_exchange_parts_of_words() -> None:
    module = lowered(CASES["bytes to words"][0], "xegpu")
    turned = [op for op in module.walk() if isinstance(op, xegpu.ConvertLayout)]
    assert turned and {op.target_layout for op in turned} == {Layout(lane_layout=(1, 16), lane_data=(1, 4))}


def test_a_product_of_recast_operands() -> None:
    """Words in memory are pairs of bf16, as quantised weights come."""

    def make() -> Any:
        layout = Layout((2, 2), (16, 16))
        w = Module({"A": memref(32, 16, element=I32), "B": memref(32, 32, element=BF16), "C": memref(32, 32, element=F32)})
        words = loaded(w, "A")
        small = w.build(arith.AndI, words, w.const(0x3FFF3FFF, words.type))
        a = w.build(vector.Bitcast, small, result=VectorType((32, 32), BF16))
        stored(w, w.build(xegpu.Dpas, a, loaded(w, "B"), None, result=VectorType((32, 32), F32)), "C", layout)
        return w.done()

    def expected(arrays: Any) -> Any:
        bits = (arrays["A"] & 0x3FFF3FFF).view(np.uint16).astype(np.uint32) << 16
        return {"C": bits.view(np.float32) @ arrays["B"].astype(np.float32)}

    check_levels(make, expected, tolerance=1e-2)


def test_words_split_over_subgroups() -> None:
    """Where nothing says how the words are to be distributed; a layout of the result has them exchanged (CASES)."""
    make, _ = recast(I8, I32, 128, layout=Layout((4, 2), (8, 2)))
    with pytest.raises(LayoutError, match=r"vector.bitcast: no layout over subgroups reaches this vector<32x32xi32>") as caught:
        lowered(make, "lane")
    assert "layout_result_0" in caught.value.hint


def test_fewer_words_than_lanes() -> None:
    make, _ = recast(F16, I32, 16, rows=8, layout=Layout((1, 8), (8, 2)), result=Layout((1, 8), (8, 1)))
    with pytest.raises(LayoutError, match=r"vector.bitcast: blocks of 8x1 words of 32 bits do not fill 16 lanes"):
        lowered(make, "lane")


def test_flags_are_no_bits() -> None:
    def make() -> Any:
        w = Module({"C": memref(8, 16, element=I8)})
        flags = w.const(True, VectorType((8, 128), I1))
        stored(w, w.build(vector.Bitcast, flags, result=VectorType((8, 16), I8)), "C")
        return w.done()

    with pytest.raises(LayoutError, match="an i1 in a lane's flag"):
        lowered(make, "lane")


def test_indices_have_no_bits_of_their_own():
    w = Module({"A": memref(8, 16, element=I32)})
    places = w.build(arith.IndexCast, loaded(w, "A", None), result=VectorType((8, 16), INDEX))
    w.build(vector.Bitcast, places, result=VectorType((8, 16), I64))
    with pytest.raises(VerifyError, match="indices have no bits of their own"):
        verify(w.done())
