"""Operands of products on their way through shared local memory: there they lie as registers have them, in words that are stored by blocks.

What one subgroup works out for others is stored by block messages, which take whole registers as products do: it may be worked out in the
same ways as what a product takes itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from xetile.dialects import vector
from xetile.dialects.types import I32, element_of
from xetile.dialects.xegpu.matrix import StoreMatrix
from xetile.ir.core import Op, Value

HALF = 16
"""Bits of the numbers of which a word has two rows."""


def is_stored(op: Op, value: Value) -> bool:
    """Whether an op stores a value of 16-bit numbers by block messages."""
    stores = isinstance(op, StoreMatrix) and op.data is value and op.subgroup_block_io is not None
    return stores and element_of(value.type).bits == HALF


def is_stored_in_words(op: Op, value: Value) -> bool:
    """Whether an op sees numbers of 16 bits as words, which block messages store, and nothing else takes these."""
    if not isinstance(op, vector.Bitcast) or op.source is not value or element_of(op.result.type) is not I32:
        return False
    stores = [isinstance(user, StoreMatrix) and user.subgroup_block_io is not None for user in op.result.users]
    return element_of(value.type).bits == HALF and bool(stores) and all(stores)


def stored_in_words(kernel: Op) -> Iterator[vector.Bitcast]:
    """The ops that see numbers of 16 bits so."""
    return (op for op in kernel.find(vector.Bitcast) if is_stored_in_words(op, op.source))
