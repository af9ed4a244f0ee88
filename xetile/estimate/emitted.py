"""The order in which the SPIR-V writer emits a block: second operands of products that are computed of narrower numbers stand right before
the first product that takes them (`backends/spirv/emit/packed`), behind all that is loaded meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xetile.dialects import tables, vector, xegpu
from xetile.dialects.types import VectorType, element_of
from xetile.estimate.orders import pulled
from xetile.estimate.parts import Atom
from xetile.estimate.spread import MOVES
from xetile.estimate.storage import Storage
from xetile.ir.core import Block, Elementwise, Op, Value, of_kind

PACKED_BITS = 16
_COMPUTED = (Elementwise, tables.LookUp, tables.Choose, vector.Bitcast, vector.Shuffle, *MOVES)


def as_emitted(block: Block, storage: Storage, outer: Iterable[Atom] = ()) -> Sequence[Op]:
    """The ops of a block as they are emitted."""
    late = _packed(block) if storage.packs else set()
    return pulled(block, storage, [i for i, op in enumerate(block.ops) if op not in late]) if late else block.ops


def emits_late(storage: Storage) -> bool:
    """Whether some block of a kernel is emitted in another order than it has."""
    return storage.packs and any(map(_packed, storage.with_products))


def _packed(block: Block) -> set[Op]:
    """The ops of a block that work out second operands of products, and nothing else."""
    found: set[Op] = set()
    products: set[Value] = {op.rhs for op in of_kind(block.ops, xegpu.Dpas) if element_of(op.rhs.type).bits <= PACKED_BITS}
    for op in reversed(block.ops):
        words = any(map(_is_word, (*op.operands, *op.results)))
        computes = isinstance(op, _COMPUTED) and op.pure and not op.regions and not words
        if computes and all(_goes_on(value, products, found) for value in op.results):
            found.add(op)
    return found if any(isinstance(op, Elementwise) for op in found) else set()


def _is_word(value: Value) -> bool:
    """Whether a value holds whole numbers of words: what is computed of these the writer takes as it is."""
    return isinstance(value.type, VectorType) and not value.type.element.is_float and value.type.element.bits > PACKED_BITS


def _goes_on(value: Value, products: set[Value], found: set[Op]) -> bool:
    if not isinstance(value.type, VectorType) or not value.users:
        return False
    return all(
        user in found or (isinstance(user, xegpu.Dpas) and value in products and user.rhs is value) for user in value.users
    )


__all__ = ["as_emitted", "emits_late"]
