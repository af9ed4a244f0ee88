"""The error class of everything that writes, reads, checks or rewrites SPIR-V."""

from __future__ import annotations

from xetile.errors import XetileError


class SpirvError(XetileError):
    """A module, an instruction or an operand is not what SPIR-V, or a published extension, allows."""
