"""Which operands of products hold in straight code what an earlier product took from them: their elements are made once.

A product of tiles takes each row of blocks with each column: most operands stand in several `dpas`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .isa import Instruction
from .matrix import Kept, Key, keys
from .scoreboard import Use, registers_of_product
from .state import Layout

ALL = -1
"""Every register, as bits of a number."""


def kept_operands(layout: Layout, instructions: Sequence[Instruction], first: int, end: int,
                  use: Callable[[int], Use]) -> Mapping[int, Mapping[Key, Kept]]:  # fmt: skip
    """Of the products from one position to another: operands whose elements are kept, or are there, with where.

    Raises UnsupportedError for an instruction that is not understood.
    """
    if sum(instructions[at].opcode == "dpas" for at in range(first, end)) < 2:
        return {}
    kept: dict[int, dict[Key, Kept]] = {}
    known: dict[Key, tuple[int, int]] = {}  # registers, and the product that took them
    under_way = ALL  # by a macro that may have begun before
    for at in range(first, end):
        inst = instructions[at]
        if inst.opcode == "dpas":
            sources, written = registers_of_product(layout, inst)
            for key, registers in zip(keys(inst), sources):
                if key in known:
                    before = known[key][1]
                    kept.setdefault(before, {})[key] = Kept((key, before), made=True)
                    kept.setdefault(at, {})[key] = Kept((key, before), made=False)
                else:
                    known[key] = registers, at
            # What a macro writes lands after the next product has read its sources.
            written, under_way = written | under_way, written if "Atomic" in inst.swsb else 0
        else:
            indirect = inst.operands and inst.operands[0].indirect is not None
            written = ALL if indirect else use(at).writes
        known = {key: found for key, found in known.items() if not found[0] & written}
    return kept
