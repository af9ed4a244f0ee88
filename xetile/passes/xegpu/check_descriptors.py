"""Descriptors that control flow brings together are descriptors of one array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xetile.dialects import xegpu
from xetile.dialects.arith import constant_of
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import MemRefType
from xetile.errors import CompileError
from xetile.ir import analyses
from xetile.ir.core import Value
from xetile.passes.analysis.alias_classes import AliasClasses

MAKERS = (xegpu.CreateNdTdesc, xegpu.CreateTdesc)
"""Ops that make descriptors of memory."""


def check_descriptors(module: GpuModule) -> None:
    """Raise CompileError where a loop or branch replaces one descriptor by one of other memory.

    Messages name the array that they go to, its sizes and strides: what may change from one iteration, or one branch, to the other
    is the offsets alone. The same for memory and matrices in shared local memory: what may be passed on is parted before
    (part_descriptors).
    """
    for op in module.walk():
        for result in op.results:
            if op.regions and isinstance(result.type, (MemRefType, xegpu.MemDescType)):
                raise CompileError(
                    f"{op.opname} passes on memory, a {result.type}",
                    hint="pass on offsets into one array, or the values that are loaded from it",
                    at=op.loc,
                )
    classes = analyses.get(AliasClasses, module, (xegpu.TensorDescType,))
    first: dict[Value, Any] = {}
    for op in module.walk():
        if isinstance(op, MAKERS) and not same_memory(first.setdefault(classes.root(op.result), op), op):
            raise CompileError(
                f"{op.opname}: a loop or branch replaces this descriptor by one of another array, or of other sizes and strides",
                hint="load in each branch and let the values go on, or keep both in one array and choose the offset",
                at=op.loc,
            )


def same_memory(one: Any, other: Any) -> bool:
    """Whether two ops make descriptors of one array, with the same sizes and strides."""
    if one.source is not other.source or type(one) is not type(other):
        return False
    parts = [(one.shape, other.shape), (one.strides, other.strides)] if isinstance(one, xegpu.CreateNdTdesc) else []
    return all(_same(a, b) for a, b in parts)


def _same(one: Sequence[Value], other: Sequence[Value]) -> bool:
    return len(one) == len(other) and all(a is b or constant_of(a) == constant_of(b) is not None for a, b in zip(one, other))
