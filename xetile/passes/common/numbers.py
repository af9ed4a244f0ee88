"""Constants that passes make."""

from __future__ import annotations

from xetile.dialects import arith
from xetile.dialects.types import INDEX
from xetile.ir.builder import Builder
from xetile.ir.core import Value


def index(build: Builder, value: int) -> Value:
    """A constant index."""
    return build(arith.Constant, value=value, result=INDEX)
