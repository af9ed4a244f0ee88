"""Ops that we do not have but can say with ours: the index dialect, masks, products and sums of twice the width (what LLVM's own
passes write).
"""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, vector
from xetile.dialects.types import I1, I8, I16, I32, I64, INDEX, ScalarType, VectorType
from xetile.errors import MlirTextError
from xetile.ir.builder import Builder
from xetile.ir.core import OPS, Op, Type, Value
from xetile.mlir.attributes import Opaque
from xetile.mlir.generic import RawOp
from xetile.mlir.ops import Made, attributes_of, makes

_INDEX = {
    "add": "addi", "sub": "subi", "mul": "muli", "divs": "divsi", "divu": "divui", "rems": "remsi", "remu": "remui",
    "ceildivs": "ceildivsi", "ceildivu": "ceildivui", "floordivs": "floordivsi", "maxs": "maxsi", "maxu": "maxui", "mins": "minsi",
    "minu": "minui", "shl": "shli", "shrs": "shrsi", "shru": "shrui", "and": "andi", "or": "ori", "xor": "xori",
    "casts": "index_cast", "castu": "index_castui",
}  # fmt: skip
"""Ops of the index dialect that arith has for index."""


@makes(*(f"index.{name}" for name in _INDEX))
def _index(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    kind = OPS[f"arith.{_INDEX[raw.name.removeprefix('index.')]}"]
    return build.op(kind, *operands, result=results[0], **attributes_of(kind, raw.name, values))


@makes("index.constant")
def _index_constant(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    return build.op(arith.Constant, value=values.pop("value"), result=INDEX)


@makes("index.cmp")
def _index_compare(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    predicate = values.pop("pred")
    assert isinstance(predicate, Opaque)
    return build.op(arith.CmpI, *operands, predicate=predicate.keyword)


@makes("vector.reduction")
def _reduction(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    """All elements of a line, and what it begins with."""
    kept = attributes_of(vector.MultiReduction, raw.name, values)
    source, *start = operands
    element: Any = results[0]
    if not start:
        start = [build(arith.Constant, value=vector.identity(kept["kind"], element), result=element)]
    return build.op(vector.MultiReduction, source, *start, dims=(0,), **kept)


@makes("vector.constant_mask")
def _constant_mask(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    """True in the first elements along each dimension; by comparison, which can be distributed, unless it is true everywhere."""
    type, sizes = results[0], values.pop("mask_dim_sizes")
    assert isinstance(type, VectorType)
    if tuple(sizes) == type.shape or 0 in sizes:
        return build.op(arith.Constant, value=0 not in sizes, result=type, **attributes_of(arith.Constant, raw.name, values))
    return _mask(build, raw, type, [build(arith.Constant, value=n, result=INDEX) for n in sizes], values)


@makes("vector.create_mask")
def _create_mask(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    """The same with run-time sizes."""
    type = results[0]
    assert isinstance(type, VectorType)
    if len(operands) != type.rank or not type.rank:
        raise MlirTextError(f"{raw.name}: {len(operands)} sizes for {type}")
    return _mask(build, raw, type, operands, values)


def _mask(build: Builder, raw: RawOp, type: VectorType, sizes: list[Value], values: dict[str, Any]) -> Op:
    """Along each dimension, places compared with the size; a layout of several dimensions tells those of each."""
    kept = attributes_of(arith.AndI, raw.name, values)
    layout = kept.get("layout_result_0")
    mask: Value | None = None
    for dim, size in enumerate(sizes):
        line = VectorType((type.shape[dim],), INDEX)
        others = [d for d in range(type.rank) if d != dim]
        own = kept if layout is None or not others else kept | {"layout_result_0": layout.slice(others)}
        place = build(vector.Step, result=line, **own)
        limit = build(vector.Broadcast, size, result=line, **own)
        inside = build(arith.CmpI, place, limit, predicate="slt", **own)
        if others:
            inside = _stretched(build, inside, dim, type, kept)
        mask = inside if mask is None else build(arith.AndI, mask, inside, **kept)
    assert mask is not None and mask.op is not None
    return mask.op


def _stretched(build: Builder, line: Value, dim: int, type: VectorType, kept: dict[str, Any]) -> Value:
    """Along the last dimension by broadcast alone; along another one as a column first."""
    if dim == type.rank - 1:
        return build(vector.Broadcast, line, result=type, **kept)
    layout = kept.get("layout_result_0")
    ones = tuple(n if d == dim else 1 for d, n in enumerate(type.shape))
    column = {} if layout is None else {"layout_result_0": layout.unsplit([d for d in range(type.rank) if d != dim])}
    cast = build(vector.ShapeCast, line, result=VectorType(ones, I1), **column)
    return build(vector.Broadcast, cast, result=type, **kept)


def _check_integers(raw: RawOp, operands: list[Value], results: list[Type]) -> None:
    """Raise MlirTextError for all but two operands of one type of integers, and two results."""
    kinds = [getattr(v.type, "element", v.type) for v in operands]
    if (
        len({v.type for v in operands}) != 1
        or len(operands) != 2
        or len(results) != 2
        or not isinstance(kinds[0], ScalarType)
        or kinds[0].is_float
    ):
        raise MlirTextError(f"{raw.name} takes two integers and gives two, not {', '.join(str(v.type) for v in operands)}")


@makes("arith.addui_extended")
def _sum_and_carry(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Made:
    """A sum, and whether it is larger than its type holds: then it is less than either operand."""
    _check_integers(raw, operands, results)
    kept = attributes_of(arith.AddI, raw.name, values)
    total = build(arith.AddI, *operands, **kept)
    return total, build(arith.CmpI, total, operands[0], predicate="ult", **kept)


@makes("arith.mulsi_extended", "arith.mului_extended")
def _product_of_twice_the_width(
    build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]
) -> Made:
    """The lower and the upper half of a product."""
    _check_integers(raw, operands, results)
    kind: Any = operands[0].type
    narrow = kind.element if isinstance(kind, VectorType) else kind
    wide = next((w for w in (I8, I16, I32, I64) if w.bits == 2 * narrow.bits), None) if narrow is not INDEX else None
    if wide is None:
        raise MlirTextError(f"{raw.name} of {kind}: the upper half of a product of 64 bits and more is not computed here")
    kept = attributes_of(arith.MulI, raw.name, values)
    full = kind.with_element(wide) if isinstance(kind, VectorType) else wide
    signed = raw.name == "arith.mulsi_extended"
    whole = build(arith.MulI, *(build(arith.ExtSI if signed else arith.ExtUI, v, result=full, **kept) for v in operands), **kept)
    upper = build(arith.ShRUI, whole, build(arith.Constant, value=narrow.bits, result=full, **kept), **kept)
    return tuple(build(arith.TruncI, part, result=kind, **kept) for part in (whole, upper))
