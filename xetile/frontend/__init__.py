"""From a Python function to XeTile IR at workgroup level: `trace(fn, signature, constexprs)`, imported when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xetile.frontend.tracer import trace

__all__ = ["trace"]


def __getattr__(name: str) -> Any:
    if name == "trace":
        from xetile.frontend.tracer import trace

        return trace
    raise AttributeError(f"module 'xetile.frontend' has no attribute {name!r}")
