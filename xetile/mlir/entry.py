"""Functions that take or give what no launch passes, as kernels: vectors come from arrays and results go to arrays.

    func.func @f(%v: vector<8x16xf32>, %d: !xegpu.tensor_desc<8x16xf16>) -> vector<8x16xf32>
    gpu.func @f(%v: memref<8x16xf32>, %d: memref<8x16xf16>, %result: memref<8x16xf32>) kernel

At lane level each lane has a vector of its own, so the array has a leading dimension of lanes. Booleans are bytes there, index values
64-bit integers. A descriptor starts at the first element of an array of its size; a matrix lies in shared local memory of its own; a
named barrier is number 0, with all subgroups; what a kernel reserves beside its arguments is shared local memory of
its own; a descriptor, matrix or barrier that the function gives goes nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from xetile.dialects import arith, gpu, vector, xegpu
from xetile.dialects.types import I1, I8, I64, INDEX, MemRefType, ScalarType, VectorType
from xetile.dtypes import DTYPES
from xetile.errors import MlirTextError
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Type, Value
from xetile.ir.rewriter import Rewriter
from xetile.layout import Layout

_STORED = {I1: I8, INDEX: I64}
_SHARED = 3
Shape = tuple[int, ...]


def as_kernel(
    func: gpu.GpuFunc,
    results: Sequence[Value],
    lanes: int,
    passed: int,
    unsigned: frozenset[int],
    sized: Mapping[Value, gpu.KernelArg],
) -> None:
    """Make arguments of arrays and numbers, and store `results` to arrays that follow them.

    lanes: of a subgroup. passed: arguments; those behind them are memory that the kernel reserves (attributions of gpu.func).
    unsigned: which arguments are arrays of integers without a sign. sized: arguments behind all others, sizes of arrays.
    Before: the function's level is known, `args` empty. Raises MlirTextError for an argument of a type that has no such form.
    """
    arguments = list(func.body.args)
    entry = _Entry(func, lanes, frozenset(arguments[i] for i in unsigned))
    for value in arguments[passed:]:
        if value not in sized:
            entry.reserved(value)
    specs = [spec for value in arguments[:passed] if (spec := entry.argument(value)) is not None]
    specs += [*sized.values(), *entry.results(results)]
    func.attributes["args"] = tuple(specs)
    func.body.insert(0, entry.head.take())


class _Entry:
    """`head`: ops that stand before all others; `became`: what the body has in the place of an argument."""

    def __init__(self, func: gpu.GpuFunc, lanes: int, unsigned: frozenset[Value]) -> None:
        self.func = func
        self.unsigned = unsigned
        self.lanes = lanes
        self.became: dict[Value, Value] = {}
        self.head = Block()
        self.build = Builder(self.head, func.loc)

    @property
    def by_lanes(self) -> bool:
        """Whether ops are executed by lanes."""
        return bool(self.func.attributes["level"] == "lane")

    # Arguments.

    def argument(self, value: Value) -> gpu.KernelArg | None:
        """What is passed for an argument, if anything; its uses get what the head makes of it."""
        if isinstance(value.type, MemRefType):
            return self._spec(value)
        if isinstance(value.type, ScalarType):
            return gpu.KernelArg("scalar", value.name, dtype=_dtype(value.type, value.name))
        made = next((make for kind, make in _MADE if isinstance(value.type, kind)), None)
        if made is None:
            raise MlirTextError(f"argument {value.name} has type {value.type}, which no launch can pass", at=self.func.loc)
        self._replace(value, made)
        if isinstance(value.type, MemRefType):
            return self._spec(value)
        self._drop(value)
        return None

    def reserved(self, value: Value) -> None:
        """Shared local memory of its own. Raises MlirTextError for memory that cannot be reserved."""
        kind: Any = value.type
        if not isinstance(kind, MemRefType) or kind.space != _SHARED or None in kind.shape:
            raise MlirTextError(f"{value.name} is of {kind}, which a kernel cannot reserve",
                                hint="shared local memory of constant size: memref<4096xi8, 3>", at=self.func.loc)  # fmt: skip
        self._replace(value, lambda entry, _: entry.build(gpu.Alloca, result=kind))
        self._drop(value)

    def _replace(self, value: Value, make: Callable[[_Entry, Value], Value]) -> None:
        users = set(value.users)
        new = self.became[value] = make(self, value)
        Rewriter().replace_uses(value, new, users.__contains__)

    def _drop(self, value: Value) -> None:
        """Nothing is passed for this one."""
        body = self.func.body
        Rewriter().keep_args(body, [i for i, arg in enumerate(body.args) if arg is not value])

    def _spec(self, value: Value) -> gpu.KernelArg:
        dtype = _dtype(value.type.element, value.name)  # type: ignore[attr-defined]
        return gpu.KernelArg("array", value.name, dtype=dtype.replace("i", "u") if value in self.unsigned else dtype)

    def constant(self, value: Any, type: Type = INDEX) -> Value:
        """A constant."""
        return self.build(arith.Constant, value=value, result=type)

    def vector(self, value: Value) -> Value:
        """A vector from an array."""
        kind: Any = value.type
        value.type = self._array(kind)
        flat = self._flat(value)
        stored = kind.with_element(flat.type.element)  # type: ignore[attr-defined]
        if not self.by_lanes:
            loaded = self.build(xegpu.Load, flat, self._places(kind.shape), self._all(kind.shape), value=stored)
            return self._from_memory(loaded, kind)
        whole = self.constant(0, stored)
        for place, where in self._own(kind.shape):
            one = self.build(xegpu.Load, flat, where, self.constant(True, I1), value=stored.element)
            whole = self.build(vector.Insert, one, whole, position=place)
        return self._from_memory(whole, kind)

    def descriptor(self, value: Value) -> Value:
        """A descriptor of an array of its size, or of shared local memory."""
        desc: Any = value.type
        shape = (*desc.shape[:-1], desc.shape[-1] * desc.array_length)
        memory = value
        if desc.memory_space == _SHARED:
            memory = self.build(gpu.Alloca, result=MemRefType(shape, desc.element, None, _SHARED))
        elif desc.scattered:
            value.type = MemRefType((prod(shape) * (self.lanes if self._of_one_lane(desc) else 1),), desc.element)
        else:
            value.type = MemRefType(shape, desc.element)
        if desc.scattered:
            return self.build(xegpu.CreateTdesc, memory, self._starts(desc), result=desc)
        offsets = [self.constant(0) for _ in desc.shape] if self._moves() else []
        return self.build(xegpu.CreateNdTdesc, memory, offsets, (), (), result=desc)

    def matrix(self, value: Value) -> Value:
        """A matrix in shared local memory."""
        desc: Any = value.type
        size = prod(desc.shape) * desc.element.bits // 8
        memory = self.build(gpu.Alloca, result=MemRefType((size,), I8, None, _SHARED))
        return self.build(xegpu.CreateMemDesc, memory, result=desc)

    def barrier(self, value: Value) -> Value:
        """The named barrier 0 of all subgroups."""
        if not any(isinstance(op, xegpu.AllocNbarrier) for op in (*self.func.body.walk(), *self.head.ops)):
            self.build.op(xegpu.AllocNbarrier, nbarrier_num=1)
        count = self.func.attributes.get("num_subgroups", 1)
        return self.build(xegpu.InitNbarrier, self.constant(0, I8), self.constant(count, I8))

    def _of_one_lane(self, desc: Any) -> bool:
        return self.by_lanes and prod(desc.shape) == desc.chunk_size

    def _starts(self, desc: Any) -> Value:
        """The offset of each chunk of a scattered descriptor."""
        chunk = desc.chunk_size
        if self._of_one_lane(desc):
            return self.build(arith.MulI, self.build(gpu.LaneId), self.constant(chunk))
        lanes = desc.shape[:-1] if chunk > 1 else desc.shape
        return self._places(lanes, chunk)

    def _moves(self) -> bool:
        """Whether some block descriptor moves, or is used where it lies: then it has offsets itself."""
        accesses = (xegpu.LoadNd, xegpu.StoreNd, xegpu.PrefetchNd)
        ops = list(self.func.body.walk())
        return any(isinstance(op, xegpu.UpdateNdOffset) or (isinstance(op, accesses) and not op.offsets) for op in ops)

    # Results.

    def results(self, values: Sequence[Value]) -> list[gpu.KernelArg]:
        """Arrays for the results, which are stored where the function ends."""
        values = [self.became.get(v, v) for v in values]
        stored = [v for v in values if isinstance(v.type, VectorType | ScalarType)]
        taken = {v.name for v in self.func.body.args}
        end = Block()
        specs = []
        for number, value in enumerate(stored):
            name = "result" if len(stored) == 1 else f"result{number}"
            while name in taken:
                name += "_"
            with self.build.at(end):
                specs.append(self._stored(value, name))
        self.func.body.insert(len(self.func.body.ops) - 1, end.take())
        return specs

    def _stored(self, value: Value, name: str) -> gpu.KernelArg:
        if not isinstance(value.type, VectorType) and not self.by_lanes:
            value = self._on_all_lanes(value)
        kind: Any = value.type
        shape = kind.shape if isinstance(kind, VectorType) else ()
        array = self.func.body.add_arg(self._array(kind), name)
        flat = self._flat(array)
        element = flat.type.element  # type: ignore[attr-defined]
        ready = self._to_memory(value, kind.with_element(element) if shape else element)
        if not self.by_lanes:
            self.build.op(xegpu.Store, ready, flat, self._places(shape), self._all(shape))
        else:
            for place, where in self._own(shape):
                one = self.build(vector.Extract, ready, position=place) if shape else ready
                self.build.op(xegpu.Store, one, flat, where, self.constant(True, I1))
        return self._spec(array)

    def _on_all_lanes(self, value: Value) -> Value:
        """A number as a vector, which each subgroup has a part of."""
        count = self.func.attributes.get("num_subgroups", 1)
        kind = VectorType((count * self.lanes,), value.type)  # type: ignore[arg-type]
        layout = Layout((count,), (self.lanes,)) if self.func.attributes["level"] == "workgroup" else None
        return self.build(vector.Broadcast, value, result=kind, layout_result_0=layout)

    # Arrays.

    def _array(self, kind: Any) -> MemRefType:
        """The array of a value: at lane level of those of all lanes."""
        element = kind.element if isinstance(kind, VectorType) else kind
        shape = kind.shape if isinstance(kind, VectorType) else ()
        return MemRefType((*((self.lanes,) if self.by_lanes else ()), *shape), _STORED.get(element, element))

    def _flat(self, array: Value) -> Value:
        memory: Any = array.type
        if memory.rank == 1:
            return array
        return self.build(gpu.ReinterpretCast, array, self.constant(prod(memory.shape)))

    def _all(self, shape: Shape) -> Value:
        return self.constant(True, VectorType(shape, I1))

    def _places(self, shape: Shape, apart: int = 1) -> Value:
        """The row-major numbers of a vector's elements, `apart` from each other."""
        total: Value | None = None
        for d, extent in enumerate(shape):
            stride = prod(shape[d + 1 :]) * apart
            line: Value = self.build(vector.Step, result=VectorType((extent,), INDEX))
            if stride != 1:
                line = self.build(arith.MulI, line, self.constant(stride, VectorType((extent,), INDEX)))
            if len(shape) > 1:
                ones = tuple(n if i == d else 1 for i, n in enumerate(shape))
                line = line if d == len(shape) - 1 else self.build(vector.ShapeCast, line, result=VectorType(ones, INDEX))
                line = self.build(vector.Broadcast, line, result=VectorType(shape, INDEX))
            total = line if total is None else self.build(arith.AddI, total, line)
        assert total is not None
        return total

    def _own(self, shape: Shape) -> list[tuple[Shape, Value]]:
        """(position, place in memory) of each element that this lane has."""
        start = self.build(arith.MulI, self.build(gpu.LaneId), self.constant(prod(shape)))
        return [(p, self.build(arith.AddI, start, self.constant(i))) for i, p in enumerate(_positions(shape))]

    def _from_memory(self, value: Value, kind: Any) -> Value:
        if kind.element is I1:
            return self.build(arith.CmpI, value, self.constant(0, value.type), predicate="ne")
        return self.build(arith.IndexCast, value, result=kind) if kind.element is INDEX else value

    def _to_memory(self, value: Value, kind: Any) -> Value:
        if value.type == kind:
            return value
        is_bool = getattr(value.type, "element", value.type) is I1
        return self.build(arith.ExtUI if is_bool else arith.IndexCast, value, result=kind)


def _positions(shape: Shape) -> list[Shape]:
    found: list[Shape] = [()]
    for extent in shape:
        found = [(*p, i) for p in found for i in range(extent)]
    return found


def _dtype(element: ScalarType, name: str) -> str:
    """The user's name of an element type."""
    found = next((n for n, d in DTYPES.items() if d.ir_name == element.name.removeprefix("u")), None)
    if found is None:
        raise MlirTextError(f"argument {name} is of {element}, which no array and no number has", hint="use i64")
    return found


_MADE: tuple[tuple[type[Type], Callable[[_Entry, Value], Value]], ...] = (
    (VectorType, _Entry.vector),
    (xegpu.TensorDescType, _Entry.descriptor),
    (xegpu.MemDescType, _Entry.matrix),
    (xegpu.NbarrierType, _Entry.barrier),
)
