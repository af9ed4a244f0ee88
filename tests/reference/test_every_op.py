"""Every op of xegpu, in each form that a valid module may have, is executed at the levels where that form stands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build import Kernel
from xetile.backends.reference.interpret import interpret
from xetile.backends.reference.values import storage

from tests.xegpu import valid
from tests.xegpu.build import ARGUMENTS
from xetile.dialects import vector, xegpu
from xetile.dialects.types import F16, F32, I64, INDEX, MemRefType, VectorType
from xetile.errors import ArgumentError, LaunchError
from xetile.ir.builder import Builder

# Forms of two levels side by side, by the level that refuses them: blocks and fragments; one lane's load with the mask of all.
MIXED = {"store_nd": "subgroup", "load of a lane's chunk by descriptor": "lane"}
NUMBERS = {"m": 4, "n": 2, "c": True, "b": 1}


def arguments() -> list[Any]:
    found: list[Any] = []
    for name, type in ARGUMENTS.items():
        if isinstance(type, MemRefType):
            shape = tuple(64 if n is None else n for n in type.shape)
            found.append((np.arange(np.prod(shape)) % 50).astype(storage(type.element)).reshape(shape))
        else:
            found.append(NUMBERS.get(name, np.zeros((64, 64), np.int64)))
    return found


@pytest.mark.parametrize("name", [n for n in valid.VALID if n not in MIXED])
def test_valid_modules_are_executed(name):
    for level in ("lane",) if "lane" in name else ("workgroup", "subgroup"):
        module = valid.module(name)
        module.kernel.attributes["num_subgroups"] = 4
        interpret(module, (1,), arguments(), level=level)


@pytest.mark.parametrize("name", sorted(MIXED))
def test_a_form_of_another_level_is_named(name):
    with pytest.raises(LaunchError, match=rf"xegpu\.\w+ cannot be executed at {MIXED[name]} level"):
        interpret(valid.module(name), (1,), arguments(), level=MIXED[name])


def test_a_memref_of_run_time_sizes_has_those_of_the_array():
    """Also of an array whose rows lie apart."""
    whole = np.arange(40 * 50, dtype=np.float16).reshape(40, 50)
    a, out = whole[:30, :20], np.full((8, 32), -1, np.float16)
    k = Kernel({"A": MemRefType((None, None), F16, (None, 1)), "R": MemRefType((None, None), F16, (None, 1))})
    at = (k.const(26), k.const(4))
    desc = k.build(xegpu.CreateNdTdesc, k.args["A"], result=xegpu.TensorDescType((8, 32), F16))
    v = k.build(xegpu.LoadNd, desc, at, value=VectorType((8, 32), F16))
    to = k.build(xegpu.CreateNdTdesc, k.args["R"], result=xegpu.TensorDescType((8, 32), F16))
    k.build(xegpu.StoreNd, v, to, (k.const(0), k.const(0)))
    interpret(k.done(), (1,), [a, out], level="subgroup")
    expected = np.zeros((8, 32), np.float16)
    expected[:4, :16] = a[26:, 4:]
    assert (out == expected).all()


def addressed(build: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A kernel whose arrays are addresses."""
    a, out = np.arange(8 * 16, dtype=np.float32).reshape(8, 16), np.zeros((8, 16), np.float32)
    k = Kernel({}, scalars=(I64, I64))
    build(k, k.build, *k.scalars)
    interpret(k.done(), (1,), [a, out], level="subgroup")
    return a, out


def test_blocks_at_addresses():
    def build(k: Kernel, b: Builder, source: Any, dest: Any) -> None:
        sizes = ((k.const(8), k.const(16)), (k.const(16), k.const(1)))
        zero = (k.const(0), k.const(0))
        source, dest = (b(xegpu.CreateNdTdesc, p, (), *sizes, result=xegpu.TensorDescType((8, 16), F32)) for p in (source, dest))
        b(xegpu.StoreNd, b(xegpu.LoadNd, source, zero, value=VectorType((8, 16), F32)), dest, zero)

    a, out = addressed(build)
    assert (a == out).all()


@pytest.mark.parametrize("described", [True, False], ids=["descriptor", "base and offsets"])
def test_scattered_elements_at_addresses(described):
    def build(k: Kernel, b: Builder, source: Any, dest: Any) -> None:
        lanes, mask = b(vector.Step, result=VectorType((16,), INDEX)), k.const(True, VectorType((16,), valid.I1))
        if described:
            kind = xegpu.TensorDescType((16,), F32, xegpu.ScatterAttr())
            source, dest = (b(xegpu.CreateTdesc, p, lanes, result=kind) for p in (source, dest))
        offsets = None if described else lanes
        b(xegpu.Store, b(xegpu.Load, source, offsets, mask, value=VectorType((16,), F32)), dest, offsets, mask)

    a, out = addressed(build)
    assert (out[0] == a[0]).all() and not out[1:].any()


def test_a_number_is_no_address_here():
    k = Kernel({}, scalars=(I64,))
    k.build(xegpu.CreateTdesc, k.scalars[0], k.const((0, 1), VectorType((2,), INDEX)),
            result=xegpu.TensorDescType((2,), F32, xegpu.ScatterAttr()))  # fmt: skip
    with pytest.raises(LaunchError, match="follows addresses only to arrays"):
        interpret(k.done(), (1,), [4096], level="subgroup")


def test_an_array_is_no_number():
    k = Kernel({}, scalars=(INDEX,))
    with pytest.raises(ArgumentError, match="is a number of type index, not an array"):
        interpret(k.done(), (1,), [np.zeros(4)], level="subgroup")


def test_dpas_of_a_in_three_dimensions():
    """Seed 000: A as (8, 8, 2) is A as (8, 16) with neighbours side by side."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(-4, 4, (8, 16)).astype(np.float16), rng.integers(-4, 4, (8, 32)).astype(np.float16)
    out = np.zeros((8, 16), np.float32)
    k = Kernel({name: MemRefType(x.shape, e) for name, x, e in (("A", a, F16), ("B", b, F16), ("R", out, F32))})
    zero = (k.const(0), k.const(0))

    def load(name: str, shape: tuple[int, ...], to: tuple[int, ...]) -> Any:
        desc = k.build(xegpu.CreateNdTdesc, k.args[name], result=xegpu.TensorDescType(shape, F16))
        value = k.build(xegpu.LoadNd, desc, zero, value=VectorType(shape, F16))
        return k.build(vector.ShapeCast, value, result=VectorType(to, F16))

    product = k.build(xegpu.Dpas, load("A", (8, 16), (8, 8, 2)), load("B", (8, 32), (8, 16, 2)), result=VectorType((8, 16), F32))
    desc = k.build(xegpu.CreateNdTdesc, k.args["R"], result=xegpu.TensorDescType((8, 16), F32))
    k.build(xegpu.StoreNd, product, desc, zero)
    interpret(k.done(), (1,), [a, b, out], level="subgroup")
    unpacked = b.reshape(8, 16, 2).swapaxes(1, 2).reshape(16, 16)
    assert (out == a.astype(np.float32) @ unpacked.astype(np.float32)).all()
