"""Launches whose index arithmetic does not fit the kernel that was compiled: what to say, where no wider kernel helps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xetile.errors import ArgumentError
from xetile.index_ranges import Check, IndexRanges


def check_launch(kernel: str, ranges: IndexRanges, grid: Sequence[int], values: Mapping[str, Any]) -> None:
    """Raise ArgumentError, at the place in the kernel's source, where a launch can pass what its arithmetic holds."""
    check = ranges.failing(grid, values)
    if check is not None:
        raise too_large(kernel, ranges, check, grid)


def too_large(kernel: str, ranges: IndexRanges, check: Check, grid: Sequence[int]) -> ArgumentError:
    """What a launch does wrong that can break a check."""
    if check.is_assumed:
        message = f"{kernel}: it was compiled for arguments of which {ranges.assumed(check)}, which is not so"
        return ArgumentError(message, hint="compile it with index_bits=64, for any sizes and strides", at=check.at)
    what = f"`{check.at.text}`" if check.at is not None and check.at.text else "index arithmetic"
    launch = f"with these arguments and {'x'.join(map(str, grid))} programs {what} can pass 2**{check.bits - 1}"
    if not check.index:
        return ArgumentError(
            f"{kernel}: {launch}; it is computed in i{check.bits}, as its operands are, and an offset or a size is made of it",
            hint=f"compute it as an index: convert an operand with .to(xt.index){', or pass it as a numpy.int64' * (check.bits < 64)}",
            at=check.at,
        )
    if check.bits == 32:
        message = f"{kernel}: {launch}, and it was compiled for less"
        return ArgumentError(message, hint="compile it with index_bits=64", at=check.at)
    return ArgumentError(f"{kernel}: {launch}, the most that an index holds", at=check.at)
