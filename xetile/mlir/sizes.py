"""Sizes of arrays whose types leave them to a run: each launch passes those that the text asks for."""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, gpu
from xetile.dialects.types import INDEX, MemRefType
from xetile.ir.core import Block, Value


class Sizes:
    """Arguments behind all others. `told`: the text says itself what is passed, so none is added; `specs`: what each of them is."""

    def __init__(self, body: Block, *, told: bool = False) -> None:
        self.body = body
        self.told = told
        self.specs: dict[Value, gpu.KernelArg] = {}

    def of(self, source: Any, axis: Value) -> Value | None:
        """The size of an argument along an axis; None of other memory, and where the type says it."""
        number = arith.constant_of(axis)
        if self.told or source not in self.body.args or not isinstance(source.type, MemRefType):
            return None
        if number not in range(source.type.rank) or source.type.shape[number] is not None:
            return None
        spec = gpu.KernelArg("dim", source.name, int(number))
        found = next((value for value, known in self.specs.items() if known == spec), None)
        if found is None:
            found = self.body.add_arg(INDEX, f"{source.name}_{number}")
            self.specs[found] = spec
        return found
