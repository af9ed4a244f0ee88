"""Reductions and scans over indices, which lanes hold in 32 bits: what stands in the padding must be one of those."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret
from xetile.backends.spirv.emit.emitter import emit

import xetile as xt
from tests.parity.run import arguments, request, trace
from xetile.dialects.types import I32, INDEX
from xetile.errors import UncoveredError
from xetile.passes import pipeline
from xetile.passes.common.reductions import identity, is_identity
from xetile.passes.workgroup.forms import pad_tiles
from xetile.runtime.settings import override
from xetile.target import get_target

REDUCED = {
    "min": lambda n, axis: n.min(axis, keepdims=True),
    "max": lambda n, axis: n.max(axis, keepdims=True),
    "sum": lambda n, axis: n.sum(axis, keepdims=True),
    "argmin": lambda n, axis: n.argmin(axis, keepdims=True),
    "argmax": lambda n, axis: n.argmax(axis, keepdims=True),
    "cumsum": lambda n, axis: n.cumsum(axis),
    "all": lambda n, axis: n.min(keepdims=True),
}
SHAPES = [(13, 16), (5, 3), (1, 40), (40, 1), (16, 16)]


@xt.jit(grid=(1,))
def reduced(Y, a, OF: xt.constexpr, AXIS: xt.constexpr, R: xt.constexpr, C: xt.constexpr, SHAPE: xt.constexpr):
    numbers = (xt.arange(R)[:, None] * 3 - xt.arange(C)[None, :] * 2) % 11 + a
    if OF == "min":
        found = xt.min(numbers, axis=AXIS)
    elif OF == "max":
        found = xt.max(numbers, axis=AXIS)
    elif OF == "sum":
        found = xt.sum(numbers, axis=AXIS)
    elif OF == "argmin":
        found = xt.argmin(numbers, axis=AXIS)
    elif OF == "argmax":
        found = xt.argmax(numbers, axis=AXIS)
    elif OF == "cumsum":
        found = xt.cumsum(numbers, axis=AXIS)
    else:
        found = xt.full((1, 1), xt.min(numbers), xt.i32)
    xt.store_tile(found.reshape(*SHAPE).to(xt.i32), xt.init_tile(Y, (0, 0), SHAPE))


def expected(name, axis, shape, a):
    rows, columns = shape
    numbers = (np.arange(rows)[:, None] * 3 - np.arange(columns)[None] * 2) % 11 + a
    return np.asarray(REDUCED[name](numbers, axis), np.int32)


@pytest.mark.parametrize("name", REDUCED)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("subgroups", [1, 4])
def test_at_each_level(name, target, subgroups):
    for axis, shape, a in ((0, (13, 16), 100), (1, (5, 3), -100), (1, (1, 40), 100)):
        result = expected(name, axis, shape, a)
        constants = {"OF": name, "AXIS": axis, "R": shape[0], "C": shape[1], "SHAPE": result.shape}
        what = request(reduced, {"Y": "i32[?,?]", "a": "i32"}, target, subgroups, **constants)
        for level, module in pipeline.lower(trace(what), get_target(target)):
            found = np.zeros_like(result)
            interpret(module, (1, 1, 1), arguments(module.kernel, {"Y": found, "a": np.int32(a)}), target=target)
            np.testing.assert_array_equal(found, result, err_msg=f"{level} {shape}")


@pytest.mark.device
@pytest.mark.covering
@pytest.mark.parametrize("name", REDUCED)
@pytest.mark.parametrize("way", ["numpy", "vector", "emulate"])
def test_on_devices(name, way):
    for axis, shape in zip((0, 1, 1, 0, 0), SHAPES):
        a = 100 if axis else -100
        result = expected(name, axis, shape, a)
        found = np.zeros_like(result)
        with override(cpu=way if way != "numpy" else "vector"), xt.device("numpy" if way == "numpy" else "cpu"):
            reduced(found, a, name, axis, *shape, result.shape, **({"target": "pvc"} if way == "emulate" else {}))
        np.testing.assert_array_equal(found, result, err_msg=f"{shape} {axis}")


@pytest.mark.parametrize(("kind", "bits", "number", "whether"), [
    ("minsi", 32, 2**31 - 1, True), ("minsi", 32, 2**63 - 1, True), ("minsi", 64, 2**31 - 1, False), ("minsi", 64, 2**63 - 1, True),
    ("maxsi", 32, -(2**31), True), ("maxsi", 64, -(2**31), False), ("maxsi", 32, -(2**63), True), ("minsi", 32, 5, False),
    ("add", 32, 0, True),
])  # fmt: skip
def test_which_indices_change_nothing(kind, bits, number, whether):
    assert is_identity(number, kind, INDEX, bits) is whether
    assert is_identity(identity(kind, INDEX, bits), kind, INDEX, bits)
    assert identity(kind, I32, bits) == identity(kind, INDEX, 32)


def test_indices_beyond_32_bits_are_refused(monkeypatch):
    """As code of a GPU their upper half would be lost."""
    monkeypatch.setattr(pad_tiles, "identity", lambda kind, element, bits: 2**63 - 1)
    what = request(reduced, {"Y": "i32[?,?]", "a": "i32"}, "pvc", 1, OF="min", AXIS=0, R=13, C=16, SHAPE=(1, 16))
    lanes = dict(pipeline.lower(trace(what), get_target("pvc")))["lane"]
    with pytest.raises(UncoveredError, match="does not fit 32 bits") as raised:
        emit(lanes, get_target("pvc"))
    assert "index_bits=64" in str(raised.value)
