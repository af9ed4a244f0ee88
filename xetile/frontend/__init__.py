"""From a Python function to XeTile IR at workgroup level: `trace(fn, signature, constexprs)`; `fingerprint(fn)` for caches.

Both are imported when first used: a cache that hits needs no tracer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xetile.frontend.fingerprint import fingerprint
    from xetile.frontend.tracer import trace

__all__ = ["fingerprint", "trace"]


def __getattr__(name: str) -> Any:
    if name == "trace":
        from xetile.frontend.tracer import trace

        return trace
    if name == "fingerprint":
        from xetile.frontend.fingerprint import fingerprint

        return fingerprint
    raise AttributeError(f"module 'xetile.frontend' has no attribute {name!r}")
