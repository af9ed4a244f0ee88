"""Who executes an xegpu op, as far as the sizes of its values tell (seed 000, summary; seed 002, the SIMT examples).

A lane's value is a share of what its descriptor moves; a subgroup's is the whole; layouts with sg_layout are a workgroup's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xetile.dialects import gpu
from xetile.dialects.types import VectorType
from xetile.dialects.xegpu.block import LoadNd, StoreNd
from xetile.dialects.xegpu.compute import Dpas
from xetile.dialects.xegpu.scattered import AtomicRmw, Load, Store
from xetile.dialects.xegpu.types import TensorDescType, layouts_of
from xetile.ir.core import Op

LANE, SUBGROUP, WORKGROUP = "lane", "subgroup", "workgroup"


def shown_level(op: Any) -> str | None:
    """The level that an op shows; None where it could be of several."""
    if "sg_id_range" in op.attributes or any(layout.is_workgroup for layout in layouts_of(op)):
        return WORKGROUP
    if isinstance(op, gpu.LaneId):
        return LANE
    if isinstance(op, (LoadNd, StoreNd)):
        return _of_block(op)
    if isinstance(op, Dpas):
        return LANE if op.lhs.type.rank == 1 else SUBGROUP
    if isinstance(op, (Load, Store, AtomicRmw)):
        return _of_scattered(op)
    return None


def _of_block(op: Any) -> str | None:
    desc, value = op.desc.type, op.value.type
    whole = desc.count * desc.array_length
    if whole == 1:
        return None
    return LANE if value.count < whole else SUBGROUP


def _of_scattered(op: Any) -> str | None:
    """A lane has one mask; those of a subgroup are a vector."""
    mask, value = op.mask.type, op.value.type
    if not isinstance(mask, VectorType):
        return LANE
    memory = op.source.type if isinstance(op, Load) else op.dest.type if isinstance(op, Store) else op.desc.type
    if isinstance(memory, TensorDescType) and isinstance(value, VectorType) and value.shape != memory.shape:
        return LANE
    if mask.count == 1:
        return LANE if isinstance(value, VectorType) and value.rank == 1 and value.count > 1 else None
    return SUBGROUP


def _of_one_element(op: Any) -> bool:
    return isinstance(op, (Load, Store)) and not isinstance(op.value.type, VectorType)


def derived_level(func: Op) -> str:
    """The level that all ops together show: a workgroup's where some layout says so, else that of the ops that show one.

    Raises VerifyError where some show a lane's values and others a subgroup's. "subgroup" where nothing shows any.
    """
    first = dict(_first_of_each(func))
    if WORKGROUP in first:
        return WORKGROUP
    if LANE in first and SUBGROUP in first:
        raise mixed(first[LANE], first[SUBGROUP], SUBGROUP)
    return LANE if LANE in first else SUBGROUP


def check_level(func: Op, said: str) -> None:
    """Raise VerifyError where ops show another level than a kernel says that it has.

    Where it says that it is a subgroup's, an access to one element is made once for all lanes, which have the same scalars.
    """
    for op in func.walk():
        if {shown_level(op), said} == {LANE, SUBGROUP} and not (said == SUBGROUP and _of_one_element(op)):
            raise mixed(op, None, said)


def mixed(op: Any, other: Any, said: str) -> Exception:
    """The error of an op that shows another level than others, or the kernel."""
    what = {LANE: "of one lane", SUBGROUP: "of a whole subgroup"}
    where = f", but {other.opname} is {what[said]}" if other is not None else f", and the kernel is at level {said}"
    shown = shown_level(op)
    assert shown is not None
    return op.fail(f"this one is {what[shown]}{where}", hint="a lane's values are its shares of what descriptors move")  # type: ignore


def _first_of_each(func: Op) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for op in func.walk():
        level = shown_level(op)
        if level is not None and level not in seen:
            seen.add(level)
            yield level, op


def in_range(op: Op) -> Any:
    """The `sg_id_range` of the nearest branch around an op that has one (seed 002, RangeAttr); None outside of all."""
    block = op.parent
    while block is not None and block.parent is not None:
        found = block.parent.attributes.get("sg_id_range")
        if found is not None:
            return found
        block = block.parent.parent
    return None
