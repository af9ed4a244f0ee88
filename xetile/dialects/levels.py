"""The levels of a module, which its kernel's attribute `level` names: what is stored there is where the module stands."""

from __future__ import annotations

from typing import Any

EXECUTED_BY = {
    "xetile": "workgroup",  # tiles of a workgroup
    "workgroup": "workgroup",  # xegpu for a workgroup
    "layout": "workgroup",  # either, each value with its layout
    "vectors": "workgroup",  # loops over vectors of CPUs
    "subgroup": "subgroup",
    "blocked": "subgroup",  # values in blocks of hardware size
    "xegpu": "subgroup",  # a message or DPAS for each op
    "lane": "lane",
}
"""Who executes an op of each level."""

LEVELS = tuple(EXECUTED_BY)


def executed_by(kernel: Any) -> str | None:
    """Who executes an op of a kernel: "workgroup", "subgroup" or "lane"; None where it names no level."""
    return EXECUTED_BY.get(kernel.level)
