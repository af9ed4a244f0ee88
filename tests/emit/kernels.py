"""Small lane-level kernels: each lane reads its run of elements of some arrays, computes, and writes its run of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xetile.backends.spirv.emit.emitter import Emitted, emit
from xetile.backends.spirv.verify.verify import verify as verify_spirv

from tests.spirv.device import Device
from tests.tools import find_tool, spirv_val
from xetile.dialects import arith, gpu, xegpu
from xetile.dialects.types import I1, INDEX, MemRefType, ScalarType, Type, VectorType
from xetile.dtypes import from_numpy
from xetile.ir.builder import Builder
from xetile.ir.core import Value
from xetile.ir.verifier import verify
from xetile.target import get_target

LANES = 16


class Kernel:
    """A kernel under construction: `build` appends ops; `args` are arrays (rank 1) and then scalars."""

    def __init__(self, arrays: Sequence[ScalarType], scalars: Sequence[Type] = (), *, subgroups: int = 1, target: str = "pvc",
                 **attributes: Any) -> None:  # fmt: skip
        self.target = get_target(target)
        types: list[Type] = [MemRefType((None,), t, (1,)) for t in arrays]
        names = [f"a{i}" for i in range(len(types) + len(scalars))]
        self.lanes = self.target.subgroup_size
        self.module = gpu.new_module("k", [*types, *scalars], [], names, num_subgroups=subgroups, **attributes)
        self.build = Builder(self.module.kernel.body)
        self.args = self.module.kernel.body.args
        self.lane: Value = self.build(gpu.LaneId)
        self.subgroup: Value = self.build(gpu.SubgroupId) if subgroups > 1 else self.index(0)
        self.item: Value = self.add(self.times(self.subgroup, self.lanes), self.lane)
        self.always: Value = self.build(arith.Constant, value=True, result=I1)

    def constant(self, value: Any, type: Type) -> Value:
        made: Value = self.build(arith.Constant, value=value, result=type)
        return made

    def index(self, value: int) -> Value:
        return self.constant(value, INDEX)

    def add(self, a: Value, b: Value | int) -> Value:
        made: Value = self.build(arith.AddI, a, b if isinstance(b, Value) else self.index(b))
        return made

    def times(self, a: Value, factor: int) -> Value:
        made: Value = self.build(arith.MulI, a, self.index(factor))
        return made

    def load(self, array: int, count: int = 1, *, scalar: bool = False) -> Value:
        """This work-item's run of `count` elements."""
        element = self.args[array].type.element  # type: ignore[attr-defined]
        type = element if scalar else VectorType((count,), element)
        made: Value = self.build(
            xegpu.Load, self.args[array], self.times(self.item, count), self.always, value=type, **_chunk(count)
        )
        return made

    def store(self, value: Value, array: int) -> None:
        """Write a run of elements."""
        count = value.type.count if isinstance(value.type, VectorType) else 1
        self.build(xegpu.Store, value, self.args[array], self.times(self.item, count), self.always, **_chunk(count))

    def emit(self) -> Emitted:
        """The checked SPIR-V."""
        self.build(gpu.Return)
        verify(self.module)
        emitted = emit(self.module, self.target)
        verify_spirv(emitted.spirv)
        if find_tool("spirv-val"):
            spirv_val(emitted.spirv)
        return emitted

    def run(self, device: Device, *args: Any, groups: tuple[int, ...] = (1, 1, 1)) -> list[np.ndarray]:
        """Run it; bool arrays travel as bytes."""
        emitted = self.emit()
        arrays = [a.view(np.uint8) if isinstance(a, np.ndarray) and a.dtype == bool else a for a in args]
        results = device.run(device.build(emitted.spirv), emitted.name, groups, emitted.local_size, *arrays)
        originals = [a for a in args if isinstance(a, np.ndarray)]
        return [r.view(a.dtype) for r, a in zip(results, originals, strict=True)]


def apply(device: Device, compute: Callable[..., Value], inputs: Sequence[np.ndarray], out: Any, count: int = 11) -> np.ndarray:
    """`compute(kernel.build, *vectors)` on runs of `count` elements of each input; the result has numpy type `out`."""
    return apply_each(device, {"": compute}, inputs, out, count)[""]


def apply_each(device: Device, table: Mapping[str, Callable[..., Value]], inputs: Sequence[np.ndarray], out: Any,
               count: int = 11) -> dict[str, np.ndarray]:  # fmt: skip
    """The same for each function of a table, in one kernel: building a kernel takes a driver longer than any function in it."""
    elements, element = [from_numpy(a.dtype).ir for a in inputs], from_numpy(np.dtype(out)).ir
    kernel = Kernel([*elements, *[element] * len(table)])
    vectors = [kernel.load(i, count) for i in range(len(inputs))]
    for i, compute in enumerate(table.values()):
        kernel.store(compute(kernel.build, *vectors), len(inputs) + i)
    padded = [_cyclic(a, LANES * count) for a in inputs]
    results = kernel.run(device, *padded, *(np.zeros(LANES * count, out) for _ in table))[len(inputs) :]
    return {name: result[: len(inputs[0])] for name, result in zip(table, results, strict=True)}


def _chunk(count: int) -> dict[str, int]:
    return {"chunk_size": count} if count > 1 else {}


def _cyclic(array: np.ndarray, size: int) -> np.ndarray:
    assert len(array) <= size, "more elements than one subgroup takes"
    return np.resize(array, size)
