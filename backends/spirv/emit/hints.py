"""Cache hints: one decoration of the pointer that a message takes (SPV_INTEL_cache_controls).

spirv-val takes one such decoration on a pointer, though levels have one each; the driver completes the other level: a first-level
hint with the last level on, a last-level hint with the first level on for loads and off for stores.  A pair that needs both keeps
the first.
"""

from __future__ import annotations

from typing import NamedTuple

from xetile.dialects import xegpu
from xetile.ir.core import Op

from ..module.encode import Id
from .emitter import Emitter


class _Access(NamedTuple):
    """`names`: hints in SPIR-V's words; `near`, `far`: what the driver gives the level that is not decorated."""

    decoration: str
    names: dict[str, str]
    near: str
    far: str


_LOAD = _Access("CacheControlLoadINTEL", {
    "cached": "CachedINTEL", "uncached": "UncachedINTEL", "streaming": "StreamingINTEL",
    "read_invalidate": "InvalidateAfterReadINTEL",
}, "cached", "cached")  # fmt: skip
_STORE = _Access("CacheControlStoreINTEL", {
    "uncached": "UncachedINTEL", "write_through": "WriteThroughINTEL", "write_back": "WriteBackINTEL",
    "streaming": "StreamingINTEL",
}, "uncached", "write_back")  # fmt: skip
_ACCESS = {"load": _LOAD, "prefetch": _LOAD, "store": _STORE}


def _decoration(op: Op, access: _Access) -> tuple[int, str] | None:
    """The level (0 or 1) and the control that say most of an op's hints; None for none, or for one of another kind of access."""
    given = op.attributes
    hints = given.get("l1_hint"), given.get("l3_hint") or given.get("l2_hint")  # the device's last level is called 2 or 3
    near, far = (access.names.get(h.value) if isinstance(h, xegpu.CacheHint) else None for h in hints)
    if far not in (None, access.names[access.far]) and near in (None, access.names[access.near]):
        return 1, str(far)
    return None if near is None else (0, near)


def hinted(e: Emitter, pointer: Id, op: Op, access: str) -> Id:
    """The pointer that carries an op's hints: a value of its own, for the driver reads decorations of the operand itself."""
    chosen = _decoration(op, _ACCESS[access])
    if chosen is None:
        return pointer

    def make() -> Id:
        copy = e.emit("OpInBoundsPtrAccessChain", e.module.type_of(pointer), pointer, e.number(0))
        e.module.decorate(copy, _ACCESS[access].decoration, *chosen)
        return copy

    key = ("hints", pointer, _ACCESS[access].decoration, chosen)
    return e.at_entry(key, make) if e.is_entry_value(pointer) else e.once(key, make)
