"""Descriptors of several arrays, and matrices, that control flow brings together: one of each, and which of them is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

from xetile.dialects import arith, gpu, xegpu
from xetile.dialects.gpu import GpuModule
from xetile.ir import analyses
from xetile.ir.builder import Builder
from xetile.ir.core import Op, Value
from xetile.ir.dispatch import Table
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.common.choices import one_of
from xetile.passes.common.converter import Converter, Lowered
from xetile.passes.xegpu.check_descriptors import MAKERS, same_memory
from xetile.records import dataclass

PART = Table()
_CASTS = (gpu.ReinterpretCast, gpu.ElementCast)
Maker = Any


def part_descriptors(module: GpuModule) -> GpuModule:
    """Choose between accesses in the place of descriptors.

    Before: xegpu of any level. After: where loops or branches joined descriptors of several arrays, or of other sizes and strides, they
    carry a descriptor of each, and a number; each access is a branch by that number, so every message still names its array. Of sizes and
    strides that are computed they carry the numbers, and each access makes its descriptor. A module without such joins stays as it is,
    as do joins of arrays that are not there where another one is made. Of matrices in shared memory a number and offsets are carried,
    of named barriers their numbers.
    """
    memories, matrices = _joined(module), _joined_matrices(module)
    barriers = any(op.flow() and isinstance(v.type, xegpu.NbarrierType) for op in module.walk() for v in op.results)
    if not memories and not matrices and not barriers:
        return module
    return _Parting(module, memories, matrices).convert_function(module)


def _joined_matrices(module: GpuModule) -> dict[Value, list[xegpu.CreateMemDesc]]:
    """For each matrix that control flow passes on, and its parts, all matrices that it may be; each over memory of its own."""
    ops = list(module.walk())
    if not any(op.regions and isinstance(v.type, xegpu.MemDescType) for op in ops for v in op.results):
        return {}
    classes = analyses.get(AliasClasses, module, (xegpu.MemDescType,))
    group: dict[Value, set[Value]] = {}
    for op in ops:
        if isinstance(op, (xegpu.CreateMemDesc, xegpu.MemDescSubview)):
            roots = {classes.root(v) for v in (op.result, *op.operands[:1]) if isinstance(v.type, xegpu.MemDescType)}
            together = set().union(*(group.get(root, {root}) for root in roots))
            group.update(dict.fromkeys(together, together))
    made = [op for op in ops if isinstance(op, xegpu.CreateMemDesc)]
    found = {root: [op for op in made if classes.root(op.result) in together] for root, together in group.items()}
    return {
        root: makers
        for root, makers in found.items()
        if all(isinstance(op.source.op, gpu.Alloca) for op in makers) and len({op.result.type.rank for op in makers}) == 1
    }


def _joined(module: GpuModule) -> dict[Value, list[Maker]]:
    """For each class of descriptors of several memories, one that makes a descriptor of each."""
    classes = analyses.get(AliasClasses, module, (xegpu.TensorDescType,))
    found: dict[Value, list[Maker]] = {}
    for op in module.walk():
        if isinstance(op, MAKERS):
            known = found.setdefault(classes.root(op.result), [])
            if not any(same_memory(one, op) for one in known):
                known.append(op)
    return {
        root: makers
        for root, makers in found.items()
        if len(makers) > 1
        and all(_anywhere(op.source, module) for op in makers)
        and (_made_anywhere(makers, module) or _alike(makers))
    }


def _anywhere(source: Value, module: GpuModule) -> bool:
    """Whether an array is there at any place, or can be."""
    return source in module.kernel.body.args or isinstance(source.op, gpu.Alloca) or _is_cast(source, module)


def _is_cast(source: Value, module: GpuModule) -> bool:
    """Whether this is an argument in another form, as addresses and parts of arrays are (`mlir/views.py`)."""
    arguments, op = module.kernel.body.args, source.op
    if not isinstance(op, _CASTS):
        return False
    memory, *sizes = op.operands
    known = all(v in arguments or arith.constant_of(v) is not None for v in sizes)
    return known and (memory in arguments or _is_cast(memory, module))


def _made_anywhere(makers: Sequence[Maker], module: GpuModule) -> bool:
    """Whether descriptors of the same memories can be made at any place of arrays that are there."""
    sizes = [v for op in makers if isinstance(op, xegpu.CreateNdTdesc) for v in (*op.shape, *op.strides)]
    return all(v in module.kernel.body.args or arith.constant_of(v) is not None for v in sizes)


def _alike(makers: Sequence[Maker]) -> bool:
    """Whether as many numbers say where each of the descriptors is, and of what: arrays of one rank."""
    return all(isinstance(op, xegpu.CreateNdTdesc) and _rank(op) == _rank(makers[0]) for op in makers)


def _rank(op: xegpu.CreateNdTdesc) -> int:
    return len(op.shape) or len(op.source.type.shape)


@dataclass(frozen=True)
class Choice:
    """The one of number `which` of some descriptors, which are all there."""

    which: Value
    sources: tuple[Value, ...]

    def carried(self) -> Sequence[Value]:
        """All move, though only one of them is used."""
        return (self.which, *self.sources)

    def with_carried(self, values: Sequence[Value]) -> Choice:
        """Others in their places."""
        return replace(self, which=values[0], sources=tuple(values[1:]))

    def made(self, number: int, build: Builder) -> Value:
        """The one of a number."""
        return self.sources[number]


@dataclass(frozen=True)
class Part(Choice):
    """What begins at `offsets` of one of some matrices, or a descriptor of one of some arrays, with the sizes and strides that it has.

    Matrices and arrays are there everywhere: only numbers are carried.
    """

    kind: xegpu.MemDescType | xegpu.TensorDescType
    offsets: tuple[Value, ...]
    sizes: tuple[Value, ...] = ()

    def carried(self) -> Sequence[Value]:
        """All but the sources."""
        return (self.which, *self.offsets, *self.sizes)

    def with_carried(self, values: Sequence[Value]) -> Part:
        """Other numbers in their places."""
        behind = 1 + len(self.offsets)
        return replace(self, which=values[0], offsets=tuple(values[1:behind]), sizes=tuple(values[behind:]))

    def made(self, number: int, build: Builder) -> Value:
        """Of the source of this number, made here."""
        source, half = self.sources[number], len(self.sizes) // 2
        if isinstance(self.kind, xegpu.TensorDescType):
            return build(xegpu.CreateNdTdesc, source, self.offsets, self.sizes[:half], self.sizes[half:], result=self.kind)
        return source if source.type == self.kind else build(xegpu.MemDescSubview, source, self.offsets, result=self.kind)

    def moved(self, by: Sequence[Value], c: _Parting) -> Part:
        """The same at other offsets, in as many of the innermost dimensions as are given."""
        kept = len(self.offsets) - len(by)
        sums = [c.build(arith.AddI, v, c.one(step)) for v, step in zip(self.offsets[kept:], by, strict=True)]
        return replace(self, offsets=(*self.offsets[:kept], *sums))


@dataclass(frozen=True)
class Barrier:
    """A named barrier's number, and how many subgroups meet there."""

    number: Value
    participants: Value

    def carried(self) -> Sequence[Value]:
        """Both."""
        return (self.number, self.participants)

    def with_carried(self, values: Sequence[Value]) -> Barrier:
        """Other numbers."""
        return Barrier(*values)


class _Parting(Converter):
    def __init__(
        self, module: GpuModule, memories: dict[Value, list[Maker]], matrices: dict[Value, list[xegpu.CreateMemDesc]]
    ) -> None:
        super().__init__(PART)
        self.module = module
        self.memories = memories
        self.classes = analyses.get(AliasClasses, module, (xegpu.TensorDescType,))
        self.matrices = matrices
        self.of_matrices = analyses.get(AliasClasses, module, (xegpu.MemDescType,))
        self.cast: dict[Value, Value] = {}
        self.there: dict[Value, Value] = {}

    def begin(self, func: Op) -> None:
        """Arguments in other forms, and matrices, which branches may have made, are there from the beginning."""
        for made in (made for makers in self.matrices.values() for made in makers):
            self._bring(made.source)
            self._bring(made.result)
        for makers in self.memories.values():
            for maker in makers:
                if _is_cast(maker.source, self.module):
                    self.cast[maker.source] = self._cast(maker.source)

    def _bring(self, value: Value) -> None:
        op = value.op
        if value not in self.there and op is not None:
            self.there[value] = self.build.clone(op, [self.there[v] for v in op.operands]).results[0]

    def _cast(self, source: Value) -> Value:
        if not isinstance(source.op, _CASTS):
            return self.one(source)
        memory, *sizes = source.op.operands
        made = self.build.clone(source.op, [self._cast(memory), *map(self.size, sizes)])
        return made.results[0]

    def memory(self, source: Value) -> Value:
        """An array, where it is there at any place."""
        return self.cast[source] if source in self.cast else self.one(source)

    def with_desc(self, op: Op, at: int, desc: Value) -> Lowered:
        """A copy of an op with this descriptor."""
        saved, self[op.operands[at]] = self[op.operands[at]], desc
        made = self.clone(op)
        self[op.operands[at]] = saved
        return made

    def size(self, value: Value) -> Value:
        """A size or stride: an argument, or a constant."""
        known = arith.constant_of(value)
        return self.one(value) if known is None else self.constant(known)


@PART(gpu.Alloca)
def _memory(op: gpu.Alloca, c: _Parting) -> Lowered:
    return c.there.get(op.result) or c.clone(op)


@PART(xegpu.CreateMemDesc)
def _matrix(op: xegpu.CreateMemDesc, c: _Parting) -> Lowered:
    makers = c.matrices.get(c.of_matrices.root(op.result), [])
    if not makers:
        return c.clone(op)
    sources, zeros = tuple(c.there[made.result] for made in makers), (c.constant(0),) * op.result.type.rank
    return Part(c.constant(makers.index(op)), sources, op.result.type, zeros)


@PART(xegpu.InitNbarrier)
def _barrier(op: xegpu.InitNbarrier, c: _Parting) -> Lowered:
    return Barrier(c.one(op.nbarrier_id), c.one(op.participant_thread_num))


@PART(xegpu.NbarrierArrive, xegpu.NbarrierWait)
def _met(op: xegpu.NbarrierArrive | xegpu.NbarrierWait, c: _Parting) -> Lowered:
    return c.with_desc(op, 0, c.build(xegpu.InitNbarrier, *c[op.nbarrier].carried()))


@PART(xegpu.MemDescSubview)
def _part(op: xegpu.MemDescSubview, c: _Parting) -> Lowered:
    whole = c[op.source]
    if not isinstance(whole, Part):
        return c.clone(op)
    return replace(whole.moved(op.offsets, c), kind=op.result.type)


@PART(*MAKERS)
def _made(op: Maker, c: _Parting) -> Lowered:
    makers = c.memories.get(c.classes.root(op.result), [])
    if not makers:
        return c.clone(op)
    if not _made_anywhere(makers, c.module):
        return _numbers(op, makers, c)
    mine = next(i for i, one in enumerate(makers) if same_memory(one, op))
    c[op.source] = c.memory(op.source)
    descs = tuple(c.clone(op) if i == mine else _elsewhere(one, op, c) for i, one in enumerate(makers))
    return Choice(c.constant(mine), descs)  # type: ignore[arg-type]


def _numbers(op: xegpu.CreateNdTdesc, makers: Sequence[Maker], c: _Parting) -> Part:
    sources = list(dict.fromkeys(one.source for one in makers))
    sizes = [c.one(v) for v in (*op.shape, *op.strides)] or [c.constant(n) for n in _known(op)]
    offsets = tuple(c.one(v) for v in op.offsets) or tuple(c.constant(0) for _ in range(_rank(op)))
    which = c.constant(sources.index(op.source))
    return Part(which, tuple(map(c.memory, sources)), op.result.type, offsets, tuple(sizes))


def _known(op: xegpu.CreateNdTdesc) -> Sequence[int]:
    """The sizes and strides that an array's type says. Raises what a descriptor without any of its own must not lack."""
    kind = op.source.type
    if None in kind.shape or None in (kind.strides or ()):
        raise op.fail(f"{kind} has run-time sizes, so the descriptor needs shape and strides")
    return (*kind.shape, *(kind.strides or (prod(kind.shape[d + 1 :]) for d in range(len(kind.shape)))))


def _elsewhere(one: Maker, op: Maker, c: _Parting) -> Value:
    """A descriptor of other memory, which no access uses."""
    source, kind = c.memory(one.source), op.result.type
    if isinstance(op, xegpu.CreateTdesc):
        return c.build(xegpu.CreateTdesc, source, c.one(op.offsets), result=kind)
    sizes, strides = [c.size(v) for v in one.shape], [c.size(v) for v in one.strides]
    return c.build(xegpu.CreateNdTdesc, source, [c.constant(0) for _ in one.offsets], sizes, strides, result=kind)


@PART(xegpu.UpdateNdOffset, xegpu.UpdateOffset)
def _moved(op: Any, c: _Parting) -> Lowered:
    desc = c[op.desc]
    if isinstance(desc, Part):
        return desc.moved(op.offsets, c)
    if not isinstance(desc, Choice):
        return c.clone(op)
    return Choice(desc.which, tuple(c.with_desc(op, 0, one) for one in desc.sources))  # type: ignore[misc]


@PART(xegpu.LoadNd, xegpu.StoreNd, xegpu.PrefetchNd, xegpu.Load, xegpu.Store, xegpu.Prefetch, xegpu.AtomicRmw,
      xegpu.LoadMatrix, xegpu.StoreMatrix)  # fmt: skip
def _accessed(op: Any, c: _Parting) -> Lowered:
    at = next((i for i, v in enumerate(op.operands) if isinstance(c[v], Choice)), None)
    if at is None:
        return c.clone(op)
    choice: Choice = c[op.operands[at]]

    def access(number: int) -> list[Value]:
        made = c.with_desc(op, at, choice.made(number, c.build))
        return [made] if op.results else []  # type: ignore[list-item]

    values = one_of(c.build, choice.which, len(choice.sources), access, [v.type for v in op.results])
    return values[0] if values else ()
