"""How large the index arithmetic of a kernel can become, as steps that are evaluated at each launch (`xetile.index_ranges`).

Numbers count that are an index (ids, sizes, offsets and what is computed of them, scalar or vector) or of which an index is made.
What comes from memory may be anything of its type, and what is computed of it in that type wraps. Arithmetic in other integer
types is the user's too: it wraps as they do, unless all of it is known at a launch and ends up as an index. The passes add no
more than a tile's size to a coordinate: what wraps by that lies outside of the array on either side.

Sums and products of numbers from memory that say where tiles lie, and nothing else, may wrap, too, as long as no tile comes to
lie inside of the array by that (`Reader.must_lie`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xetile.dialects import arith, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.scf import WITHOUT_SIGN
from xetile.dialects.types import I1, INDEX, ScalarType, element_of
from xetile.index_ranges import ANY, RULES, Check, IndexRanges, Interval, Step
from xetile.ir.core import UNIT, Op, Value
from xetile.ir.interfaces import variables_of
from xetile.ir.reach import reached
from xetile.passes.analysis.equal_scalars import parted
from xetile.passes.analysis.gathered_tiles import Access, GatheredTiles, accesses
from xetile.passes.analysis.index_ranges.forms import Form
from xetile.passes.analysis.index_ranges.reader import Reader
from xetile.passes.analysis.index_ranges.rules import READ
from xetile.passes.analysis.polynomials import Polynomial

# What each launch can give at most: clEnqueueNDRangeKernel's sizes are no larger, nor are program ids.
_LARGEST_GRID = 2**31 - 1


def index_ranges(module: GpuModule) -> IndexRanges:
    """What must hold at a launch of a kernel so that its index arithmetic is right; checks that always hold are left out.

    Before: a traced module. With `index_bits` 64 those checks are left out too about which nothing is known.
    """
    kernel = module.kernel
    bits = kernel.index_bits
    reader = _read(module)
    found = IndexRanges(tuple(reader.steps.list), tuple(reader.checks.values()))
    largest = found.evaluate(lambda kind, *which: _largest(kernel, bits, kind, *which))
    known = [
        check for check in found.checks
        if not check.holds(largest[check.step]) and not (check.index and bits > 32 and found.is_unbounded(check))
    ]  # fmt: skip
    return _compact(IndexRanges(found.steps, tuple(known)))


def count_without_sign(module: GpuModule) -> bool:
    """Let loops that may run up to the largest index compare without a sign; gives whether there was any.

    Before and after: a traced module. Those of which nothing is known but that they begin at 0 or above: their ends come from memory.
    """
    reader = _read(module)
    steps = IndexRanges(tuple(reader.steps.list))
    found = [
        loop for loop, (lower, last) in reader.counters.items()
        if (reader.steps.constant(reader.step(lower)) or ANY)[0] >= 0
        and steps.is_unbounded(Check(reader.step(last), 32, index=True)) and WITHOUT_SIGN not in loop.attributes
    ]  # fmt: skip
    for loop in found:
        loop.attributes[WITHOUT_SIGN] = UNIT
    return bool(found)


def _read(module: GpuModule) -> Reader:
    kernel = module.kernel
    reader = Reader(READ, kernel.index_bits, _become_index(module), _places(module))
    for value, spec in kernel.specs.items():
        form = _argument(reader, value, spec)
        if form is not None:
            reader[value] = (form,)
    reader.block(kernel.body)
    for param, axis, exponent in map(str.split, kernel.multiples):
        reader.must_be_multiple(reader.steps.known("dim", param, int(axis)), 1 << int(exponent))
    for pair in map(parted, kernel.same):
        reader.must_be_same(
            *(reader.steps.const(int(name[1])) if name[0] == "number" else reader.steps.known(*name) for name in pair)
        )
    for place in _assumed(module, [op for op in accesses(kernel) if op.assumed_begins or op.assumed_ends]):
        reader.must_be_natural(_step_of(place, reader))
    return reader


def are_known(module: GpuModule, op: Access) -> bool:
    """Whether a launch can find out where an access lies on the sides of its array on which it is assumed to be inside."""
    reader = _read(module)
    steps = [_step_of(place, reader) for place in _assumed(module, [op])]
    return all(IndexRanges(tuple(reader.steps.list)).is_known(step) for step in steps)


def _assumed(module: GpuModule, ops: list[Access]) -> list[Polynomial]:
    """What must not be negative where it is assumed that ops access nothing beyond some sides of their arrays."""
    found = GatheredTiles(module.kernel) if ops else None
    return [place for op in ops for place in found.assumed(op)] if found is not None else []


def _step_of(number: Polynomial, reader: Reader) -> int:
    make, total = reader.steps.make, reader.steps.const(0)
    for monomial, times in number.terms.items():
        product = reader.steps.const(times)
        for symbol in monomial:
            assert isinstance(symbol, Value), "it is a scalar"
            product = make("mul", product, reader.step(reader.one(symbol)))
        total = make("add", total, product)
    return total


def _argument(reader: Reader, value: Value, spec: Any) -> Form | None:
    steps = reader.steps
    if spec.kind in ("dim", "stride"):
        return Form(steps.known(spec.kind, spec.param, spec.axis))
    if spec.kind == "array" or not isinstance(value.type, ScalarType) or not value.type.is_int or value.type is I1:
        return None
    return Form(steps.known("scalar", spec.param), data=spec.dtype.startswith("u"))


def _largest(kernel: Any, bits: int, kind: str, *which: Any) -> Interval:
    if kind == "grid":
        return 0, _LARGEST_GRID
    top = 1 << (bits - 1)
    if kind == "scalar":
        spec, value = next((s, v) for s, v in zip(kernel.args, kernel.body.args) if s.kind == kind and s.param == which[0])
        if value.type is not INDEX:
            top = 1 << (value.type.bits - (0 if spec.dtype.startswith("u") else 1))
    return (0 if kind == "dim" else -top), top - 1


def _become_index(module: GpuModule) -> set[Value]:
    """Integers of which an index is made: by casts, and before these by arithmetic and control flow."""
    sources: dict[Value, list[Value]] = {}
    for variable in variables_of(module):
        for value in variable.holders:
            sources.setdefault(value, []).extend(variable.given)

    def of_integers(value: Value) -> Iterator[Value]:
        return filter(_is_integer, (*sources.get(value, ()), *(() if value.op is None else value.op.operands)))

    casts = (op.operands[0] for op in module.find(arith.IndexCast) if element_of(op.results[0].type) is INDEX)
    return set(reached(filter(_is_integer, casts), of_integers))


def _is_integer(value: Value) -> bool:
    return isinstance(value.type, ScalarType) and value.type not in (INDEX, I1) and value.type.is_int


_SUMS = (arith.AddI, arith.SubI, arith.MulI)


def _places(module: GpuModule) -> set[Value]:
    """Indices that only say where a tile lies along its own axes, and sums and products that only become such."""
    if module.kernel.index_bits > 32:
        return set()
    found: set[Value] = set()
    for op in reversed(list(module.walk())):
        if isinstance(op, _SUMS):
            result = op.results[0]
            if element_of(result.type) is INDEX and all(_is_place(user, i, found) for user, i in result.uses):
                found.add(result)
    return found


def _is_place(op: Op, operand: int, found: set[Value]) -> bool:
    if isinstance(op, _SUMS):
        return op.results[0] in found
    if not isinstance(op, (xetile.InitTile, xetile.UpdateTileOffset)) or op.result.type.scatter:
        return False
    last = len(op.offsets)
    return max(last - 1, 1) <= operand <= last


def _compact(ranges: IndexRanges) -> IndexRanges:
    """Only the steps that some check needs."""
    needed = sorted(reached((check.step for check in ranges.checks), lambda i: _operands(ranges.steps[i])))
    numbers = {old: i for i, old in enumerate(needed)}
    steps = tuple(_renumbered(ranges.steps[i], numbers) for i in needed)
    return IndexRanges(steps, tuple(check.moved(numbers[check.step]) for check in ranges.checks))


def _operands(step: Step) -> tuple[int, ...]:
    return step[1:] if step[0] in RULES else ()


def _renumbered(step: Step, numbers: dict[int, int]) -> Step:
    return (step[0], *(numbers[i] for i in step[1:])) if step[0] in RULES else step
