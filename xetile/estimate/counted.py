"""Where IGC (2.40.14) counts fewer registers than live in a block with products, and orders it to need as few as it can.

`CodeScheduling` leaves a block alone where it counts registers enough. Vectors that assembly takes, which LLVM puts together of elements of
a message, it counts where they end, but not where they begin: the count falls with each number that assembly rounds to tf32. It has no
sign: below nothing it is more than there are registers (`IGC_DumpCodeScheduling` tells 67,108,856 of them).
"""

from __future__ import annotations

from xetile.dialects import arith
from xetile.dialects.types import TF32, element_of
from xetile.estimate.storage import Storage
from xetile.ir.core import Block, of_kind


def is_undercounted(block: Block, storage: Storage, around: float) -> bool:
    """Whether less lives at the beginning of a block than assembly rounds in it. around: bytes that live from before to behind the block."""
    rounded = [op for op in of_kind(block.ops, arith.TruncF) if element_of(op.results[0].type) is TF32]
    if not rounded:
        return False
    lost = sum(atom.bytes for op in rounded for atom in dict.fromkeys(storage.atoms(op.results)))
    return lost > around + sum(atom.bytes for atom in dict.fromkeys(storage.atoms(block.args)))


__all__ = ["is_undercounted"]
