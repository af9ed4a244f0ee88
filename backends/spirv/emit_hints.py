"""Cache hints: decorations of the pointer that a message takes (SPV_INTEL_cache_controls)."""

from __future__ import annotations

from xetile.dialects import xegpu
from xetile.ir.core import Op

from .emit import Emitter
from .encode import Id

_CONTROLS = {
    "load": ("CacheControlLoadINTEL", {
        "cached": "CachedINTEL", "uncached": "UncachedINTEL", "streaming": "StreamingINTEL",
        "read_invalidate": "InvalidateAfterReadINTEL",
    }),
    "store": ("CacheControlStoreINTEL", {
        "uncached": "UncachedINTEL", "write_through": "WriteThroughINTEL", "write_back": "WriteBackINTEL",
        "streaming": "StreamingINTEL",
    }),
}  # fmt: skip
_CONTROLS["prefetch"] = _CONTROLS["load"]


def _hints(e: Emitter, op: Op, access: str) -> tuple[str, str] | None:
    """The pair for levels 1 and 3 (the hardware's level 2 is the last one), completed to a legal one; None to leave the choice."""
    given = op.attributes
    near, far = given.get("l1_hint"), given.get("l3_hint") or given.get("l2_hint")
    if near is None and far is None:
        return None
    wanted = [hint.value if isinstance(hint, xegpu.CacheHint) else hint for hint in (near, far)]
    # Drivers ignore a pair that the device does not have, with a warning.
    pairs = {"load": e.target.cache_hints.load, "prefetch": e.target.cache_hints.load, "store": e.target.cache_hints.store}[access]
    fitting = (p for p in pairs if wanted[0] in (None, p[0]) and wanted[1] in (None, p[1]))
    return next(fitting, None)


def hinted(e: Emitter, pointer: Id, op: Op, access: str) -> Id:
    """The pointer that carries an op's hints: a value of its own, for the driver reads decorations of the operand itself."""
    pair = _hints(e, op, access)
    if pair is None:
        return pointer
    decoration, names = _CONTROLS[access]

    def make() -> Id:
        copy = e.emit("OpInBoundsPtrAccessChain", e.module.type_of(pointer), pointer, e.number(0))
        for level, hint in enumerate(pair):
            e.module.decorate(copy, decoration, level, names[hint])
        return copy

    key = ("hints", pointer, decoration, pair)
    return e.at_entry(key, make) if e.is_entry_value(pointer) else e.once(key, make)
