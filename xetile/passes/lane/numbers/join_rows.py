"""Rows of shared local memory that lanes read side by side come by block messages: up to eight rows of lanes by one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from math import prod

import numpy as np

from xetile.dialects import arith, gpu, vector, xegpu
from xetile.dialects.affine import Term, sum_of
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import MemRefType, ScalarType, VectorType
from xetile.estimate.storage import storage_of
from xetile.ir import analyses
from xetile.ir.builder import Builder
from xetile.ir.core import UNIT, Block, Op, Value
from xetile.ir.interfaces import passes_reads
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.alignment import Alignment
from xetile.passes.analysis.places import Numbers, Places
from xetile.passes.common.numbers import index
from xetile.records import dataclass
from xetile.target import Target

SHARED_MEMORY = 3
ROWS = 8
"""Of one message (cl_intel_subgroup_local_block_io: eight words for each lane at most)."""
_BITS = (16, 32)
"""Of elements that block messages move."""
ALIGNMENT = 16
"""Bytes that a block's address in shared local memory is a multiple of (cl_intel_subgroup_local_block_io)."""


Steps = tuple[int, int, int]
"""So many subgroups are a row of subgroups; what the place moves by from one to the next in it, and from row to row."""


@dataclass(frozen=True)
class Row:
    """A load of lanes side by side: from `memory`, so many elements behind what the subgroup's lanes share: a sum of terms, or steps
    from subgroup to subgroup.
    """

    load: xegpu.Load
    memory: Value
    shared: tuple[Term, ...] | Steps
    start: int

    @property
    def key(self) -> object:
        """What rows have in common that follow each other."""
        coefficients: Counter[object] = Counter()
        for term in self.shared:
            if not isinstance(term, Term):
                return self.memory, self.shared
            coefficients[term.symbol] += term.coefficient
        return self.memory, frozenset(coefficients.items())

    def place(self, build: Builder) -> Value:
        """Where the row starts, the constant last."""
        total: Value = index(build, 0)
        for part in self._parts(build):
            total = build(arith.AddI, total, part)
        return build(arith.AddI, total, index(build, self.start))

    def _parts(self, build: Builder) -> Iterator[Value]:
        for term in self.shared:
            if isinstance(term, Term):
                yield term.value
        if not self.shared or isinstance(self.shared[0], Term):
            return
        count, across, down = self.shared
        subgroup = build(gpu.SubgroupId)
        for step, function in ((across, arith.RemUI), (down, arith.DivUI)):
            if step:
                yield build(arith.MulI, build(function, subgroup, index(build, count)), index(build, step))


def join_rows(module: GpuModule, target: Target) -> GpuModule:
    """Load rows of shared local memory, as wide as a subgroup and one behind the other, together.

    Before and after: xegpu at lane level. A row by itself takes a message, and a register with the address of each lane; a block of
    rows has one address for all lanes. Between the loads nothing is written and nobody waits. Beside DPAS, whose operands lie where it
    wants them, IGC copies rows of a block: there only whole messages pay.
    """
    if target.subgroup_size < 2:
        return module
    kernel = module.kernel
    loads = Counter(op.parent for op in kernel.find(xegpu.Load) if op.parent is not None and _memory(op) is not None)
    least = {block: ROWS if any(isinstance(op, xegpu.Dpas) for op in block.ops) else 2 for block in loads}
    blocks = [block for block, count in loads.items() if count >= least[block]]
    if not blocks:
        return module
    facts = _Facts(kernel, target)
    for block in blocks:
        _join(block, [rows for rows in _together(block, target.subgroup_size, facts) if len(rows) >= least[block]])
    return module


class _Facts:
    """What is known of the integers of a kernel, once somebody asks."""

    def __init__(self, kernel: gpu.GpuFunc, target: Target) -> None:
        self.places = Places(int(kernel.attributes["num_subgroups"]), target.subgroup_size)
        self._kernel, self._target = kernel, target

    @cached_property
    def varying(self) -> set[Value]:
        """What differs between the lanes of a subgroup."""
        return storage_of(self._kernel, self._target).varying

    @cached_property
    def aligned(self) -> Alignment:
        """What numbers are multiples of."""
        return analyses.get(Alignment, self._kernel)


def _together(block: Block, lanes: int, facts: _Facts) -> Iterator[Sequence[Row]]:
    """Rows of a block that one message brings, in the order in which they lie."""
    found: dict[object, dict[int, Row]] = {}
    for op in block.ops:
        if isinstance(op, xegpu.Load) and (row := _row(op, facts)) is not None:
            found.setdefault(row.key, {}).setdefault(row.start, row)
        elif not passes_reads(op):
            yield from _runs(found, lanes)
            found = {}
    yield from _runs(found, lanes)


def _runs(found: dict[object, dict[int, Row]], lanes: int) -> Iterator[Sequence[Row]]:
    for rows in found.values():
        run: list[Row] = []
        for start in sorted(rows):
            if run and (start != run[-1].start + lanes or len(run) == ROWS):
                yield run
                run = []
            run.append(rows[start])
        yield run


def _memory(op: xegpu.Load) -> Value | None:
    """The buffer of shared memory that each lane loads one element of."""
    view = op.source.op
    source: Value = view.operands[0] if isinstance(view, gpu.ReinterpretCast) else op.source
    kind, value = source.type, op.value.type
    if not isinstance(kind, MemRefType) or kind.space != SHARED_MEMORY or None in kind.shape or kind.strides is not None:
        return None
    return source if isinstance(value, ScalarType) and value.bits in _BITS and value is kind.element else None


def _row(op: xegpu.Load, facts: _Facts) -> Row | None:
    """What a load reads, where all lanes read elements side by side."""
    source = _memory(op)
    if source is None:
        return None
    mask = facts.places.of(op.mask) if op.chunk_size is None and op.offsets is not None else None
    if mask is None or not mask.all():
        return None
    whole = ALIGNMENT * 8 // op.value.type.bits
    where = facts.places.everywhere(op.offsets)
    return _of_terms(op, source, whole, facts) if where is None else _of_numbers(op, source, whole, where)


def _of_terms(op: xegpu.Load, memory: Value, whole: int, facts: _Facts) -> Row | None:
    place = sum_of(op.offsets)
    lane = [term for term in place.terms if isinstance(term.symbol.op, gpu.LaneId)]
    shared = tuple(term for term in place.terms if term not in lane)
    if [term.coefficient for term in lane] != [1] or any(term.value in facts.varying for term in shared):
        return None
    if place.constant % whole or any((1 << min(facts.aligned.of(term.value)[0], 30)) % whole for term in shared):
        return None
    return Row(op, memory, shared, place.constant)


def _of_numbers(op: xegpu.Load, memory: Value, whole: int, where: Numbers) -> Row | None:
    first = where[:, 0]
    if (where != first[:, None] + np.arange(where.shape[1])).any() or (first % whole).any():
        return None
    start = int(first[0])
    steps = _steps(tuple((first - start).tolist()))
    return None if steps is None else Row(op, memory, steps if any(steps[1:]) else (), start)


@lru_cache(maxsize=256)
def _steps(numbers: tuple[int, ...]) -> Steps | None:
    """How numbers of subgroups, the first of which is 0, follow from theirs; None where they do in no such way. No step is negative."""
    # A row ends where the step from one to the next changes: only there can the next one begin, if they are not all one row of rows.
    step = numbers[1] if len(numbers) > 1 else 0
    ends = next((i for i, n in enumerate(numbers) if n != i * step), len(numbers))
    for count in (1, ends):
        across = step if count > 1 else 0
        down = numbers[count] if count < len(numbers) else 0
        followed = tuple(i % count * across + i // count * down for i in range(len(numbers)))
        if followed == numbers and min(across, down) >= 0:
            return count, across, down
    return None


def _join(block: Block, runs: Sequence[Sequence[Row]]) -> None:
    """Let a message bring each run of rows, where the first of its loads stands."""
    if not runs:
        return
    order = {op: place for place, op in enumerate(block.ops)}
    messages: dict[Op, Sequence[Op]] = {}
    gone = {row.load for rows in runs for row in rows}
    rewrite = Rewriter()
    for rows in runs:
        first = min(rows, key=lambda row: order[row.load])
        message = Block()
        parts = _message(Builder(message, first.load.loc), first, rows)
        messages[first.load] = message.take()
        for row, part in zip(rows, parts, strict=True):
            rewrite.replace_uses(row.load.result, part)
    ops: list[Op] = []  # once for all: blocks are long, and so may be the list of runs
    for op in block.ops:
        ops += messages.get(op, ())
        if op not in gone:
            ops.append(op)
    rewrite.set_block(block, ops)


def _message(build: Builder, first: Row, rows: Sequence[Row]) -> list[Value]:
    """What one message brings for each of some rows."""
    kind: MemRefType = first.memory.type  # type: ignore[assignment]
    size = prod(n for n in kind.shape if n is not None)
    place = replace(first, start=rows[0].start).place(build)
    matrix = build(xegpu.CreateMemDesc, first.memory, result=xegpu.MemDescType((1, size), kind.element))
    loaded = build(xegpu.LoadMatrix, matrix, [index(build, 0), place], subgroup_block_io=UNIT,
                   value=VectorType((len(rows),), kind.element))  # fmt: skip
    return [build(vector.Extract, loaded, position=(i,)) for i in range(len(rows))]


__all__ = ["join_rows"]
