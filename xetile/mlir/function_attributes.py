"""Our attributes of a function, and what each of them may be."""

from __future__ import annotations

from typing import Any

from xetile import schema
from xetile.dialects.levels import LEVELS
from xetile.ir.core import UNIT
from xetile.requirements import Requirements
from xetile.target.block_rules import MARKS


def no_attribute(value: Any, at: str) -> Any:
    """Raises SchemaError: the attribute has a name of ours and is none."""
    raise schema.SchemaError(f"xetile knows no attribute {at}")


def _mark(value: Any, at: str) -> Any:
    if value is not UNIT:
        raise schema.SchemaError(f"{at} says something by being there; it has no value")
    return value


_JSON = schema.text(most=1 << 20)
FUNCTION: dict[str, schema.Reader[Any]] = {
    "sym_name": schema.SYMBOL,
    "args": schema.many(schema.text(most=1024), 4096),
    "level": schema.one_of(*LEVELS),
    "num_subgroups": schema.whole(1, 1024),
    "subgroup_size": schema.one_of(1, 8, 16, 32),  # 1: on CPUs, whose programs are no lanes
    "index_bits": schema.one_of(32, 64),
    "grf": schema.whole(0, 512),
    "live_bytes": schema.COUNT,
    **dict.fromkeys(("fast_math", "lane_runs"), schema.truth),
    "same": schema.many(schema.text(most=1024), 4096),
    "multiples": schema.many(schema.text(most=1024), 4096),
    "flat": schema.many(schema.text(r"\w+( \d+)+", 300), 4096),
    **dict.fromkeys(("crowded", "pairs", "reloads"), _mark),
    "requires": lambda value, at: str(Requirements.parse(_JSON(value, at))),
    **dict.fromkeys(MARKS, schema.many(schema.NAME, 4096)),
}
"""What our attributes of a function may be."""
