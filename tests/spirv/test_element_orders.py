"""Which modules `tell_orders_apart` changes, and into what."""

from __future__ import annotations

import pytest
from xetile.backends.spirv.emit import emitter as emitting
from xetile.backends.spirv.finished import element_orders
from xetile.backends.spirv.finished.element_orders import tell_orders_apart
from xetile.backends.spirv.module.binary import Binary
from xetile.backends.spirv.verify.verify import verify

from benchmarks.isa_cases import CASES
from tests.kernels.plain_solvers import substituted
from tests.simulator.test_element_orders import MASKS, ROWS, ordered
from xetile import mlir
from xetile.passes.named import lower_on
from xetile.runtime.compiler import build
from xetile.target import get_target


def _emitted(mask: list[int], monkeypatch: pytest.MonkeyPatch, use: str = "x - y") -> tuple[list[bytes], bytes]:
    """What was looked into, and the module."""
    seen: list[bytes] = []
    monkeypatch.setattr(
        element_orders,
        "tell_orders_apart",
        lambda module, suspects: (seen.append(module), tell_orders_apart(module, suspects))[1],
    )
    target = get_target("pvc")
    *_, (_, module) = lower_on(mlir.parse(ordered(mask, use, "a sum", "f32", "f32").text), target)
    return seen, emitting.emit(module, target).spirv


def _hidden(module: bytes) -> int:
    return sum(i.name == "OpCompositeInsert" for i in Binary(module).instructions)


@pytest.mark.every(3)
@pytest.mark.parametrize("mask", MASKS)
def test_one_element_is_hidden(mask, monkeypatch):
    seen, told = _emitted(MASKS[mask], monkeypatch)
    verify(told)
    assert _hidden(told) == len(seen) == (mask != "as it was")
    assert tell_orders_apart(told, {i.result for i in Binary(told).instructions}) is told


def test_an_order_that_no_other_vector_has_stays(monkeypatch):
    seen, told = _emitted([3, 1, 0, 2, 7, 6, 4, 5], monkeypatch, "x - y")
    assert seen and _hidden(told) == 1
    reordered = ordered(list(range(ROWS))[::-1], "x - y", "a sum", "f32", "f32").text.replace("subf %x, %y", "subf %y, %y")
    *_, (_, module) = lower_on(mlir.parse(reordered), get_target("pvc"))
    assert not _hidden(emitting.emit(module, get_target("pvc")).spirv)


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("name", ["matmul f16", "matmul f16, bias, gelu", "attention D=64", "softmax f16", "layer norm f16"])
def test_kernels_that_keep_their_orders_are_not_changed(name, monkeypatch):
    (case,) = [case for case in CASES if case.name == name]
    changed: list[bool] = []
    monkeypatch.setattr(
        element_orders,
        "tell_orders_apart",
        lambda module, suspects: (changed.append(tell_orders_apart(module, suspects) is not module), module)[1],
    )
    build(case.compile("pvc").request)
    assert not any(changed)


def test_orders_are_looked_for_where_their_elements_are(monkeypatch):
    """Sixteen rows one after the other, each computed of the rows before: 50 pairs of orders were held against each of 2,000 instructions."""
    looks: list[int] = []
    look = element_orders._places
    monkeypatch.setattr(element_orders, "_places", lambda order, numbers: (looks.append(1), look(order, numbers))[1])
    module = build(substituted.compile("f32[?,?]", "f32[?,?]", "f32[?,?]", target="pvc").request).spirv
    assert 0 < len(looks) < 2 * len(Binary(module).instructions)
