"""Ops of upstream that pick elements and branches by numbers, said with ours: positions that a run knows, rows, pairs, switches."""

from __future__ import annotations

from functools import reduce
from itertools import product
from typing import Any

from xetile.dialects import arith, math, scf, vector, xegpu
from xetile.dialects.types import INDEX, VectorType
from xetile.errors import MlirTextError
from xetile.ir.builder import Builder
from xetile.ir.core import OPS, Block, Op, Type, Value
from xetile.ir.rewriter import Rewriter
from xetile.mlir.generic import RawOp
from xetile.mlir.limits import shortened
from xetile.mlir.ops import DYNAMIC, JOINERS, Made, attributes_of, is_numbers, makes

MOST_CHOICES = 64
"""Elements among which a position of a run chooses: each is a comparison and a choice."""

_HANDLES = (xegpu.TensorDescType, xegpu.MemDescType, xegpu.NbarrierType)

Places = list[tuple[tuple[int, ...], Value]]


@makes("vector.extract", "vector.insert")
def _element(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    kind = OPS[raw.name]
    count = len(kind.operand_fields)
    position = values.get("static_position", ())
    if not is_numbers(position) or position.count(DYNAMIC) != len(operands) - count:
        raise MlirTextError(f"{raw.name}: the position {shortened(str(position))} does not fit {len(operands)} operands")
    kept = attributes_of(kind, raw.name, values)
    (held,) = _vectors(raw, operands[count - 1 : count], 1)
    _check_part(raw, position, held, results[0] if kind is vector.Extract else operands[0].type)
    if DYNAMIC not in position:
        return build.op(kind, *operands, result=results[0], **kept)
    del kept["position"]
    whole, *numbers = operands[count - 1 :]
    places = _places(build, raw, position, numbers, held)
    if kind is vector.Extract:
        return _extracted(build, whole, places, results[0], kept)
    return _inserted(build, operands[0], whole, places, kept)


def _check_part(raw: RawOp, position: tuple[int, ...], kind: VectorType, part: Type) -> None:
    """Raise MlirTextError where a position is not in the vector, and where a part there has another type."""
    outside = any(at != DYNAMIC and not 0 <= at < extent for at, extent in zip(position, kind.shape))
    if len(position) > kind.rank or outside:
        raise MlirTextError(f"{raw.name}: the position {shortened(str(position))} is not in {kind}")
    rest = kind.shape[len(position) :]
    if part != (kind.with_shape(*rest) if rest else kind.element):
        raise MlirTextError(f"{raw.name}: {kind} has no {part} at a position of {len(position)} numbers")


def _places(build: Builder, raw: RawOp, position: tuple[int, ...], numbers: list[Value], kind: VectorType) -> Places:
    """The places that a position may be, and whether it is each of them."""
    waiting = iter(numbers)
    dynamic = [(d, next(waiting)) for d, at in enumerate(position) if at == DYNAMIC]
    choices = [range(kind.shape[d]) for d, _ in dynamic]
    if VectorType(tuple(map(len, choices)), INDEX).count > MOST_CHOICES:
        raise MlirTextError(f"{raw.name}: the position chooses among more than {MOST_CHOICES} places in {kind}")
    found: Places = []
    for chosen in product(*choices):
        at = list(position)
        tests = []
        for (d, number), place in zip(dynamic, chosen):
            at[d] = place
            tests.append(build(arith.CmpI, number, build(arith.Constant, value=place, result=INDEX), predicate="eq"))
        found.append((tuple(at), reduce(lambda a, b: build(arith.AndI, a, b), tests)))
    return found


def _extracted(build: Builder, whole: Value, places: Places, result: Type, kept: dict[str, Any]) -> Op:
    """Outside of the vector the result is undefined: it is the last element then."""
    made: Value | None = None
    for at, here in reversed(places):
        part = build(vector.Extract, whole, position=at, result=result, **kept)
        made = part if made is None else build(arith.Select, here, part, made, **kept)
    assert made is not None and made.op is not None
    return made.op


def _inserted(build: Builder, value: Value, whole: Value, places: Places, kept: dict[str, Any]) -> Op:
    made = whole
    for at, here in places:
        old = build(vector.Extract, whole, position=at, result=value.type)
        made = build(vector.Insert, build(arith.Select, here, value, old), made, position=at, **kept)
    assert made.op is not None
    return made.op


def _vectors(raw: RawOp, operands: list[Value], count: int) -> list[VectorType]:
    """The operands' types. Raises MlirTextError for another number of operands, and for what is no vector of a dimension or more."""
    kinds = [v.type for v in operands if isinstance(v.type, VectorType) and v.type.rank]
    if len(kinds) != count or len(operands) != count:
        raise MlirTextError(f"{raw.name} takes {count} vector{'s' * (count > 1)}, not {', '.join(str(v.type) for v in operands)}")
    return kinds


def _check_results(raw: RawOp, results: list[Type], *expected: Type) -> None:
    if list(expected) != results:
        raise MlirTextError(f"{raw.name} gives {', '.join(map(str, expected))}, not {', '.join(map(str, results))}")


@makes("vector.fma")
def _fma(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    _check_results(raw, results, _vectors(raw, operands, 3)[0])
    return build.op(math.Fma, *operands, **attributes_of(math.Fma, raw.name, values))


@makes("vector.shuffle")
def _shuffle(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    """Elements of 1-D vectors, parts along the first dimension of others."""
    mask, sources = values.get("mask", ()), _vectors(raw, operands, 2)
    kept = attributes_of(vector.Shuffle, raw.name, values)
    sizes = [kind.shape[0] for kind in sources]
    if not is_numbers(mask) or any(not -1 <= n < sum(sizes) for n in mask):
        raise MlirTextError(f"{raw.name}: the mask {shortened(str(mask))} does not pick from {sum(sizes)} elements")
    result = sources[0].with_shape(len(mask), *sources[0].shape[1:])
    _check_results(raw, results, result)
    if sources[1].with_shape(*sources[0].shape) != sources[0] or sources[1].shape[1:] != sources[0].shape[1:]:
        raise MlirTextError(f"{raw.name}: {sources[0]} and {sources[1]} differ in more than their first dimension")
    picks = tuple(max(0, n) for n in mask)  # -1: undefined
    return build.op(vector.Shuffle, *operands, **{**kept, "mask": picks})


@makes("vector.interleave")
def _interleave(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    """The elements of both by turns along the last dimension."""
    kept, (kind, other) = attributes_of(vector.ShapeCast, raw.name, values), _vectors(raw, operands, 2)
    if kind != other:
        raise MlirTextError(f"{raw.name}: {kind} and {other} differ")
    _check_results(raw, results, kind.with_shape(*kind.shape[:-1], 2 * kind.shape[-1]))
    if kind.rank == 1:
        count = kind.shape[0]
        return build.op(
            vector.Shuffle, *operands, mask=tuple(at + side * count for at in range(count) for side in (0, 1)), **kept
        )
    made: Value = build(arith.Constant, value=0, result=kind.with_shape(2, *kind.shape))
    for side, value in enumerate(operands):
        made = build(vector.Insert, value, made, position=(side,))
    beside = build(vector.Transpose, made, permutation=(*range(1, kind.rank + 1), 0))
    return build.op(vector.ShapeCast, beside, result=results[0], **kept)


@makes("vector.deinterleave")
def _deinterleave(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Made:
    """The elements at even places, and those at odd ones, along the last dimension."""
    (kind,), source = _vectors(raw, operands, 1), operands[0]
    attributes_of(vector.ShapeCast, raw.name, values)
    half = kind.with_shape(*kind.shape[:-1], kind.shape[-1] // 2)
    _check_results(raw, results, half, half)
    if kind.shape[-1] % 2:
        raise MlirTextError(f"{raw.name} of {kind}: the last dimension is odd")
    if kind.rank == 1:
        return tuple(build(vector.Shuffle, source, source, mask=tuple(range(side, kind.shape[0], 2))) for side in (0, 1))
    pairs = build(vector.ShapeCast, source, result=kind.with_shape(*kind.shape[:-1], kind.shape[-1] // 2, 2))
    apart = build(vector.Transpose, pairs, permutation=(kind.rank, *range(kind.rank)))
    return tuple(build(vector.Extract, apart, position=(side,)) for side in (0, 1))


@makes("vector.to_elements")
def _to_elements(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Made:
    """Each element, row by row."""
    (kind,), source = _vectors(raw, operands, 1), operands[0]
    _check_results(raw, results, *[kind.element] * kind.count)
    return tuple(build(vector.Extract, source, position=at) for at in product(*map(range, kind.shape)))


@makes("vector.from_elements")
def _from_elements(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    """The vector of such elements, row by row."""
    kind = results[0]
    if not isinstance(kind, VectorType) or not kind.rank or [v.type for v in operands] != [kind.element] * kind.count:
        raise MlirTextError(f"{raw.name}: {len(operands)} elements of {', '.join({str(v.type) for v in operands})} for {kind}")
    kept = attributes_of(vector.Insert, raw.name, values)
    made: Value = build(arith.Constant, value=0, result=kind, **kept)
    for at, value in zip(product(*map(range, kind.shape)), operands):
        made = build(vector.Insert, value, made, position=at, **kept)
    assert made.op is not None
    return made.op


@makes("vector.outerproduct")
def _outer(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    """Products of each element of a line with each of another, or with a number, added to what there is."""
    kind = results[0]
    if not isinstance(kind, VectorType) or kind.rank not in (1, 2) or kind.element is INDEX:
        raise MlirTextError(f"{raw.name} gives a line or a matrix of numbers, not {kind}")
    taken = [kind.with_shape(kind.shape[0]), kind.element if kind.rank == 1 else kind.with_shape(kind.shape[1]), kind]
    if [v.type for v in operands] not in (taken, taken[:2]):
        raise MlirTextError(
            f"{raw.name} to {kind} takes {', '.join(map(str, taken))}, not {', '.join(str(v.type) for v in operands)}"
        )
    combined = getattr(values.pop("kind", None), "keyword", "add") or "add"
    if combined != "add":
        raise MlirTextError(f"{raw.name}: products are added here, not combined by {combined}", hint="write the ops themselves")
    kept = attributes_of(arith.AddF, raw.name, values)
    left, right, *onto = operands
    if kind.rank == 2:
        left = build(vector.ShapeCast, left, result=kind.with_shape(kind.shape[0], 1))
    left, right = (v if v.type == kind else build(vector.Broadcast, v, result=kind) for v in (left, right))
    times, plus = (arith.MulF, arith.AddF) if kind.element.is_float else (arith.MulI, arith.AddI)
    made = build(times, left, right, **kept)
    for start in onto:
        made = build(plus, start, made, **kept)
    assert made.op is not None
    return made.op


def _switch(
    build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type], regions: list[Block]
) -> Op:
    """One branch for each case, the next within the other way; the first region is for all other numbers."""
    cases = values.pop("cases", ())
    if not is_numbers(cases) or len(regions) != len(cases) + 1 or len(operands) != 1:
        raise MlirTextError(f"{raw.name}: {len(regions)} regions for the cases {shortened(str(cases))}")
    kept = attributes_of(scf.If, raw.name, values)
    otherwise, *branches = regions
    if not cases:
        raise MlirTextError(f"{raw.name} has no case", hint="leave it out")
    test = [build(arith.CmpI, operands[0], build(arith.Constant, value=n, result=INDEX), predicate="eq") for n in cases]
    for number in reversed(range(1, len(cases))):
        within = Block()
        with build.at(within):
            made = build.op(scf.If, test[number], regions=[branches[number], otherwise], values=results, **kept)
            build.op(scf.Yield, list(made.results))
        otherwise = within
    return build.op(scf.If, test[0], regions=[branches[0], otherwise], values=results, **kept)


JOINERS["scf.index_switch"] = _switch


def select_by_branches(func: Op) -> None:
    """Descriptors, matrices and barriers are no numbers: one or the other is what a branch gives, as all that follows them knows."""
    for op in [op for op in func.find(arith.Select) if isinstance(op.results[0].type, _HANDLES)]:
        build, blocks, (condition, *values) = Rewriter(), [Block(), Block()], op.operands
        with build.before(op), build.located(op.loc):
            for block, value in zip(blocks, values):
                with build.at(block):
                    build.op(scf.Yield, [value])
            kept = {name: given for name, given in op.attributes.items() if name.startswith("layout_")}
            made = build.op(scf.If, condition, regions=blocks, values=[op.results[0].type], **kept)
        build.replace(op, *made.results)


def pick_by_parts(func: Op) -> None:
    """Shuffles of vectors of several dimensions put their parts together one by one, as all that follows subgroups knows."""
    for op in [op for op in func.find(vector.Shuffle) if op.result.type.rank > 1]:
        build, kept = Rewriter(), {name: given for name, given in op.attributes.items() if name != "mask"}
        count = op.v1.type.shape[0]
        with build.before(op), build.located(op.loc):
            made: Value = build(arith.Constant, value=0, result=op.result.type, **kept)
            for number, pick in enumerate(op.mask):
                source, at = (op.v1, pick) if pick < count else (op.v2, pick - count)
                made = build(vector.Insert, build(vector.Extract, source, position=(at,)), made, position=(number,), **kept)
        build.replace(op, made)
