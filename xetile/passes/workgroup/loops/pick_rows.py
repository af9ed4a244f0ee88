"""Rows of second operands that come by turns, as registers pick them: the form in which `pack_turns` finds them.

Codes of four bits with two rows in a byte, or eight in a word, are written in several ways: `interleave((w & 15).T, (w >> 4).T).T`,
`words[rows // 8] >> rows % 8 * 4`, a product of every eighth column for each place.
"""

from __future__ import annotations

from xetile.dialects import xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.ir import analyses
from xetile.ir.core import Elementwise, Value, type_of
from xetile.ir.reach import reached
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.analysis.rearranged import rearranged
from xetile.passes.common.unused import erase_unused
from xetile.passes.workgroup.memory.fold_transposes import transpose_all
from xetile.passes.workgroup.numbers.split_words import codes_of_words
from xetile.passes.workgroup.products.join_columns import rows_in_registers
from xetile.target import Target


def pick_rows(module: GpuModule, target: Target) -> None:
    """Let registers pick the rows of second operands, of tiles that lie as memory does.

    Before and after: xetile at workgroup level.
    """
    rewrite, moved = Rewriter(), list[Value]()
    for product in codes_of_words(module).find(xetile.TileMma):
        sources = _moved(product.b)
        moved += sources
        for value in list(reached(sources, _made_of)):
            if isinstance(value.op, xetile.LoadTile) and value.op.tile.type.order == (0, 1) and not value.op.tile.type.space:
                moved.append(_turn_back(value.op, module, rewrite))
    rows_in_registers(module, target)
    erase_unused(moved, rewrite)  # what now takes other forms


def _moved(value: Value) -> list[Value]:
    """The values whose elements a value, or what it is worked out of, has in other places."""
    found = [rearranged(made) for made in reached([value], _made_of)]
    return [source for each in found if each is not None for source in each.sources]


def _made_of(value: Value) -> tuple[Value, ...]:
    """What a value is worked out of element by element."""
    return value.op.operands if isinstance(value.op, Elementwise) else ()


def _turn_back(load: xetile.LoadTile, module: GpuModule, rewrite: Rewriter) -> Value:
    """Load a tile as it lies in memory, and exchange its rows and columns then."""
    classes, kind = analyses.get(AliasClasses, module), type_of(load.value, VectorType)
    transpose_all(module, classes, classes.root(load.tile))
    load.value.set_type(kind.with_shape(*reversed(kind.shape)))
    taken = set(load.value.users)
    with rewrite.after(load.value), rewrite.located(load.loc):
        turned: Value = rewrite(xetile.TileTranspose, load.value, permutation=(1, 0), result=kind)
    rewrite.replace_uses(load.value, turned, lambda op: op in taken)
    return turned
