"""Cache hints of accesses, in xegpu's words."""

from __future__ import annotations

from typing import Any

from xetile.dialects import xegpu
from xetile.ir.core import Op

Hints = dict[str, Any]
"""Cache hints by level: l1_hint, l2_hint, l3_hint."""


def hints_of(op: Op) -> Hints:
    """Cache hints of an access, in xegpu's words; XeTile's are plain names."""
    return {n: hint(given) for n, given in op.attributes.items() if n.endswith("_hint")}


def hint(given: Any) -> xegpu.CacheHint | None:
    """A cache hint by XeTile's name of it, or as it is."""
    return xegpu.CacheHint(given) if isinstance(given, str) else given
