"""Words that block messages bring from shared local memory as numbers of 64 bits: IGC moves twice as many bytes in a message of these."""

from __future__ import annotations

from collections.abc import Sequence

from xetile.records import dataclass

from .call import Call


@dataclass(frozen=True)
class AsWordsCall(Call, name="shared words"):
    """Numbers of 64 bits that a block message has loaded as `count` words of each lane, in the registers where they lie.

    Lane l has the words l, l + lanes, ... of what was loaded; of the longer numbers, which are the same memory, it had others.
    """

    count: int

    def lines(self, lanes: int) -> Sequence[str]:
        """The assembly, which does nothing: the operand is to lie where the result does."""
        return []

    def function(self) -> str:
        """That function in OpenCL C."""
        lane = "get_sub_group_local_id()"
        words = []
        for number in range(self.count):
            half = f"{number % 2} * (get_sub_group_size() / 2)"
            long = f"sub_group_shuffle(a.s{number // 2:x}, {half} + {lane} / 2)"
            words.append(f"(uint)({long} >> 32 * ({lane} % 2))")
        kinds = f"uint{self.count} {self.symbol}(ulong{self.count // 2} a)"
        return f"{kinds} {{ return (uint{self.count})({', '.join(words)}); }}"
