"""Which messages of a single row bring rows of a value as lanes hold it, and which store them."""

from __future__ import annotations

from xetile.dialects.types import ScalarType, VectorType
from xetile.ir.core import Value, type_of
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes, mma_layout
from xetile.passes.analysis.products import MmaTypes, mma_uses
from xetile.target import Target
from xetile.target.blocks import WORD_BYTES, Placed


def first_of(value: Value, target: Target) -> MmaTypes | None:
    """The types of the products that alone take a value, all of one kind, by DPAS and as their first operand; None where it is none."""
    roles = mma_uses(value)
    if len(roles) == 1 and (use := next(iter(roles))) is not None and use[0] == "a" and target.find_mma(*use[1]) is not None:
        return use[1]
    return None


def rows_layout(value: Value, target: Target) -> Layout:
    """How lanes hold a value that comes by rows: as products take it, or one element of a row each."""
    types = first_of(value, target)
    return (
        mma_layout("a", types, target) if types is not None else Layout(lane_layout=(1, target.subgroup_size), lane_data=(1, 1))
    )


def row_messages(value: Value, columns: int, target: Target) -> tuple[Placed, ...] | None:
    """The messages that bring so many columns of a row; None where there are none.

    Of narrow elements each brings two blocks: where lanes get one number of 16 bits from a message, IGC (2.40.14) takes it for one that all
    lanes have alike when it puts a product's operand together, and gives its register to others.
    """
    blocks, layout = target.block2d, rows_layout(value, target)
    if blocks is None:
        return None
    size = element_bytes(type_of(value, VectorType).element)
    width = blocks.row_width(size, (layout.lane_layout, layout.lane_data))  # type: ignore[arg-type]
    plan = None if width is None else blocks.plan("load", size, 1, columns, width=width)
    one_by_one = plan is not None and size < WORD_BYTES and any(placed.message.count == 1 for placed in plan)
    return None if one_by_one else plan


def store_messages(element: ScalarType, columns: int, target: Target) -> tuple[Placed, ...] | None:
    """The messages that store so many columns of a row of which each lane has one of as many as there are lanes; None without any."""
    blocks = target.block2d
    return None if blocks is None else blocks.plan("store", element_bytes(element), 1, columns, width=target.subgroup_size)


__all__ = ["first_of", "row_messages", "rows_layout", "store_messages"]
