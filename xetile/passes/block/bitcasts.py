"""vector.bitcast between widths, through blocking and the lowering: each lane reads its own bits as other elements (seed 000, bitcast).

A lane's neighbours along a row are then the parts of one wider element: lane_data of the narrower side's last dimension counts them.
"""

from __future__ import annotations

from xetile.dialects import vector
from xetile.dialects.types import VectorType
from xetile.errors import LayoutError
from xetile.ir.core import Value
from xetile.ir.dispatch import Table
from xetile.layout import Layout
from xetile.passes.block.blocking import Blocking
from xetile.passes.block.lowering import Lowering, aligned
from xetile.passes.block.matrices import Matrix, matrix

BLOCK = Table()
LOWER = Table()


@BLOCK(vector.Bitcast)
def _block_bitcast(op: vector.Bitcast, c: Blocking) -> Value:
    """Blocks with the same rows and bits; that of the wider elements is the block of a plain value."""
    bits, to_bits = (v.type.element.bits for v in (op.source, op.result))
    wider = op.source if bits > to_bits else op.result
    rows, columns = c.plain.block(wider.type.shape)
    row_bits = columns * wider.type.element.bits
    before, after = (rows, row_bits // bits), (rows, row_bits // to_bits)
    shape = op.result.type.shape
    kind = op.result.type.with_shape(shape[0] // after[0], shape[1] // after[1], *after)
    return c.build(vector.Bitcast, c.want(op.source, before), result=kind)


@LOWER(vector.Bitcast)
def _lower_bitcast(op: vector.Bitcast, c: Lowering) -> Matrix:
    """Block by block. Where the wider elements of the result lie across lanes, lanes exchange their parts first."""
    source, (rows, columns, height, width) = c.matrix(op.source), op.result.type.shape
    bits, to_bits = source.element.bits, op.result.type.element.bits
    layout = _rescaled(source.layout, bits, to_bits)
    if layout is None:
        layout = c.plain.layout((height, width))
        narrow = _rescaled(layout, to_bits, bits)
        assert narrow is not None
        if height % layout.lane_layout[0]:
            raise LayoutError(
                f"{op.opname}: blocks of {height}x{width} words of {to_bits} bits do not fill {c.target.subgroup_size} lanes",
                hint="give each subgroup more rows or columns, or write it at lane level",
                at=op.loc,
            )
        source = aligned(source, narrow, c)
    kind = VectorType((height, width), op.result.type.element)
    values = [c.build(vector.Bitcast, v, result=kind, layout_result_0=layout) for v in source.grid().values()]
    return matrix((rows * height, columns * width), (height, width), values, layout)


def _rescaled(layout: Layout, bits: int, to_bits: int) -> Layout | None:
    """How lanes hold elements of `bits` read as elements of `to_bits`; None where no lane holds whole ones."""
    rows, columns = layout.lane_data or (1, 1)
    if columns * bits % to_bits:
        return None
    return Layout(lane_layout=layout.lane_layout, lane_data=(rows, columns * bits // to_bits))
