"""Erasing what nothing takes any more, where a pass has found something else to take."""

from __future__ import annotations

from collections.abc import Iterable

from xetile.ir.core import Value
from xetile.ir.interfaces import only_reads
from xetile.ir.rewriter import Rewriter


def erase_unused(values: Iterable[Value], rewrite: Rewriter) -> None:
    """Erase ops that only compute, load or allocate, and what they alone take, where nothing takes any of their results."""
    ahead = list(values)
    while ahead:
        op = ahead.pop().op
        if op is None or op.parent is None or any(result.users for result in op.results):
            continue
        if op.pure or op.allocates or only_reads(op):
            ahead += op.operands
            rewrite.erase(op)
