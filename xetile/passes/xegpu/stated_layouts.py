"""Layouts that a text says several times of one value: by a property of the op, by its descriptor, by discardable attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from xetile.dialects import xegpu
from xetile.dialects.types import VectorType
from xetile.errors import LayoutError
from xetile.ir.core import Op, Value
from xetile.passes.analysis.owners import AnyLayout, plain_shape, same_owners

_PROPERTIES: dict[type[Op], tuple[str, ...]] = {
    xegpu.LoadNd: ("layout",),
    xegpu.Load: ("layout",),
    xegpu.LoadMatrix: ("layout",),
    xegpu.AtomicRmw: ("layout",),
    xegpu.Dpas: ("layout_cd",),
    xegpu.ConvertLayout: ("target_layout",),
}
"""What says how the only result is distributed."""
_OPERANDS: dict[type[Op], tuple[tuple[int, str], ...]] = {
    xegpu.StoreNd: ((0, "layout"),),
    xegpu.Store: ((0, "layout"),),
    xegpu.StoreMatrix: ((0, "layout"),),
    xegpu.Dpas: ((0, "layout_a"), (1, "layout_b"), (2, "layout_cd")),
    xegpu.ConvertLayout: ((0, "input_layout"),),
}
"""The same of operands."""


def check_stated(op: Op) -> None:
    """Raise LayoutError where an op gives its result, or one of its operands, to other subgroups by one attribute than by another."""
    attribute = op.attributes.get("layout_result_0")
    if attribute is not None and op.results:
        desc = getattr(getattr(_memory(op), "type", None), "layout", None)
        stated = [(name, op.attributes.get(name)) for name in _PROPERTIES.get(type(op), ())]
        if isinstance(op, xegpu.Load | xegpu.AtomicRmw):
            stated.append(("the descriptor", desc))
        _agree(op, op.results[0], "layout_result_0", attribute, stated)
    for position, name in _OPERANDS.get(type(op), ()):
        given = op.attributes.get(f"layout_operand_{position}")
        if given is not None and position < len(op.operands):
            _agree(op, op.operands[position], f"layout_operand_{position}", given, [(name, op.attributes.get(name))])


def used_as(op: Op) -> Iterator[tuple[int, AnyLayout]]:
    """The layouts in which an op takes its operands as `layout_operand_N` says, for vectors."""
    for position, value in enumerate(op.operands):
        layout = op.attributes.get(f"layout_operand_{position}")
        if layout is not None and isinstance(value.type, VectorType):
            yield position, layout


def with_used(op: Op, found: Mapping[int, AnyLayout]) -> dict[int, AnyLayout]:
    """The layouts of operands that follow, and those that are said. Raises LayoutError where both are known and differ."""
    all_of = dict(found)
    for position, layout in used_as(op):
        if position in all_of:
            _agree(op, op.operands[position], f"layout_operand_{position}", layout, [("what the op needs", all_of[position])])
        all_of.setdefault(position, layout)
    return all_of


def _memory(op: Any) -> Value | None:
    return op.desc if isinstance(op, xegpu.AtomicRmw) else op.source if isinstance(op, xegpu.Load) else None


def _agree(op: Op, value: Value, name: str, layout: AnyLayout, stated: list[tuple[str, AnyLayout | None]]) -> None:
    for other_name, other in stated:
        if other is not None and not _alike(layout, other, value):
            raise LayoutError(f"{op.opname}: {name} = {layout} and {other_name} = {other} distribute one value in two ways",
                              hint="leave one of them out, or convert the value (xegpu.convert_layout)", at=op.loc)  # fmt: skip


def _alike(one: AnyLayout, other: AnyLayout, value: Value) -> bool:
    try:
        return same_owners(one, other, plain_shape(value))
    except LayoutError:  # one of them does not fit: said where it is used
        return one.root.is_workgroup == other.root.is_workgroup and one.rank != other.rank
