"""The rules that an array must obey for 2-D block messages to reach it; checked at each launch, so without the compiler.

SPV_INTEL_2d_block_io and the OpenCL environment for it leave the numbers to the hardware; PVC and Xe2 have the same.
"""

from __future__ import annotations

from xetile.records import dataclass

BEYOND_ROW = 4096
"""Bytes of a surface besides those of an array's row."""
TILE_BYTES = BEYOND_ROW // 2
"""Bytes of a row of tiles that may lie beyond."""
MOST_STEP = 16
"""The most rows of an array from one row of a tile to the next."""


@dataclass(frozen=True, slots=True)
class BlockRules:
    """What must hold of the address, the width (bytes of a row), the height and the pitch (bytes from row to row) of an array."""

    base_alignment: int
    min_width_bytes: int
    width_multiple: int
    min_pitch_bytes: int
    pitch_multiple: int
    max_extent: int

    @property
    def far_pitch_bytes(self) -> int:
        """From row to row, so many bytes leave room for any narrow surface whose base lies `base_alignment` bytes further ahead."""
        return self.min_width_bytes + self.base_alignment

    @property
    def near_pitch_bytes(self) -> int:
        """From row to row, less than so many bytes leave room for surfaces that have every n-th row alone, n up to `MOST_STEP`."""
        return self.max_extent // MOST_STEP

    @property
    def longest_row(self) -> int:
        """Bytes that a row of an array may have: surfaces of single rows begin ahead of them, and tiles reach beyond where they end."""
        return self.max_extent - BEYOND_ROW

    def check(self, base_address: int, width_bytes: int, height: int, pitch_bytes: int, *, elem_bytes: int = 1) -> list[str]:
        """The rules of 2-D block messages that an array breaks, each in words; empty if messages may be used.

        base_address: of the first element; width_bytes, height: the two innermost dimensions; pitch_bytes: from row to row.
        """
        multiple = max(self.width_multiple, elem_bytes)
        rules = (
            (base_address % self.base_alignment == 0, f"the address must be a multiple of {self.base_alignment} bytes"),
            (width_bytes >= self.min_width_bytes, f"a row must have at least {self.min_width_bytes} bytes, not {width_bytes}"),
            (width_bytes % multiple == 0, f"a row must be a multiple of {multiple} bytes long, not {width_bytes}"),
            (
                pitch_bytes >= self.min_pitch_bytes,
                f"rows must lie at least {self.min_pitch_bytes} bytes apart, not {pitch_bytes}",
            ),
            (
                pitch_bytes % self.pitch_multiple == 0,
                f"rows must lie a multiple of {self.pitch_multiple} bytes apart, not {pitch_bytes}",
            ),
            (pitch_bytes >= width_bytes, f"rows must not overlap: {pitch_bytes} bytes apart, {width_bytes} long"),
            (height >= 1, "there must be at least one row"),
            (width_bytes <= self.longest_row, f"a row must have at most {self.longest_row} bytes, not {width_bytes}"),
            (height < self.max_extent, f"there must be fewer than {self.max_extent} rows, not {height}"),
            (pitch_bytes < self.max_extent, f"rows must lie less than {self.max_extent} bytes apart, not {pitch_bytes}"),
        )
        return [text for holds, text in rules if not holds]


XE_BLOCK_RULES = BlockRules(
    base_alignment=64, min_width_bytes=64, width_multiple=4, min_pitch_bytes=64, pitch_multiple=16, max_extent=1 << 24
)

# DG2 has no block messages; runs of 32-bit words must start on whole words (passes.stage_operands looks after rows).
WORD_RULES = BlockRules(
    base_alignment=4, min_width_bytes=0, width_multiple=1, min_pitch_bytes=0, pitch_multiple=1, max_extent=1 << 62
)

LINE_PITCH = XE_BLOCK_RULES.min_pitch_bytes
"""Elements between the rows of what has one row: no access goes from it to another, but every message takes multiples of it."""

MARKS = ("scattered", "ragged", "close", "lines", "free", "far", "long")
"""What launches see of arrays that decides which messages reach them: fields of `signature.ArrayType`, attributes of kernels."""
