"""Loads of several blocks side by side (`array_length`) of a workgroup, as one load each: a subgroup's parts of them are not neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from xetile.dialects import arith, vector, xegpu
from xetile.errors import LayoutError
from xetile.ir.core import Op, Value
from xetile.ir.interfaces import values_of
from xetile.ir.rewriter import Rewriter
from xetile.layout import Layout
from xetile.passes.common.numbers import index

_ACCESSES = (xegpu.LoadNd, xegpu.PrefetchNd)


def part_blocks(kernel: Op) -> None:
    """Load and prefetch one block by an op, and put what is loaded together. Raises LayoutError for packed ones, whose layouts say nothing
    of several.
    """
    rewrite = Rewriter()
    several = {
        op: op.desc.type.array_length for op in kernel.walk() if isinstance(op, _ACCESSES) and op.desc.type.array_length > 1
    }
    for op in several:
        if op.attributes.get("packed") is not None:
            raise LayoutError(f"{op.opname}: blocks side by side of a workgroup are loaded as they are, not packed",
                              hint="load each block by an op of its own", at=op.loc)  # fmt: skip
    for value, kind in list(_descriptors(kernel)):
        value.type = replace(kind, encoding=replace(kind.encoding, array_length=1))  # type: ignore[type-var]
    for op, count in several.items():
        with rewrite.before(op), rewrite.located(op.loc):
            parts = [_access(rewrite, op, number) for number in range(count)]
            whole = [_together(rewrite, op, parts)] if op.results else []
        rewrite.replace(op, *whole)


def _descriptors(kernel: Op) -> Iterator[tuple[Value, xegpu.TensorDescType]]:
    for value in values_of(kernel):
        if isinstance(value.type, xegpu.TensorDescType) and value.type.array_length > 1:
            yield value, value.type


def _access(rewrite: Rewriter, op: Any, number: int) -> Value | None:
    """The same of one of the blocks."""
    shape, desc, offsets = op.desc.type.shape, op.desc, list(op.offsets)
    if number:
        beside = index(rewrite, number * shape[-1])
        if offsets:
            offsets[-1] = rewrite(arith.AddI, offsets[-1], beside)
        else:
            stay = [index(rewrite, 0) for _ in shape[:-1]]
            desc = rewrite(xegpu.UpdateNdOffset, desc, [*stay, beside])
    kept = {name: value for name, value in op.attributes.items() if name != "layout_result_0"}
    if not op.results:
        rewrite.op(type(op), desc, offsets, **kept)
        return None
    layout, kind = op.layout or op.attributes.get("layout_result_0"), op.value.type
    if layout is not None:
        kept["layout"] = layout.slice([0]) if layout.rank == kind.rank else layout
    return rewrite(type(op), desc, offsets, value=kind.with_shape(*kind.shape[1:]), **kept)


def _together(rewrite: Rewriter, op: Any, parts: list[Any]) -> Value:
    layout, kind = op.layout or op.attributes.get("layout_result_0") or op.desc.type.layout, op.value.type
    if isinstance(layout, Layout) and op.transpose is not None and layout is op.desc.type.layout:
        layout = layout.transpose(op.transpose)
    if isinstance(layout, Layout) and layout.rank < kind.rank:
        layout = layout.expand(0, len(parts))
    kept = {"layout_result_0": layout} if isinstance(layout, Layout) else {}
    whole: Value = rewrite(arith.Constant, value=0, result=kind, **kept)
    for number, part in enumerate(parts):
        whole = rewrite(vector.Insert, part, whole, position=(number,), **kept)
    return whole
