"""What is asked of the compiler: a function, types of its parameters, constants, a target."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import field, fields, replace
from typing import Any

from xetile.records import dataclass
from xetile.runtime import pickling
from xetile.signature import ArrayType, Signature


@dataclass(frozen=True)
class Request:
    """What to compile: the function, the types of its parameters, its constants, for which target.

    `index_bits`: 64, or 32 where that can be enough. `fast_math`: as for `xt.jit`. `lines`: the SPIR-V carries the source's lines.
    """

    fn: Callable[..., Any]
    signature: Signature
    constexprs: Mapping[str, Any] = field(default_factory=dict)
    target: str = "pvc"
    num_subgroups: int | None = None
    index_bits: int = 32
    fast_math: bool = False
    lines: bool = False

    def with_free_axes(self, names: Collection[str]) -> Request:
        """The request for kernels to which these arrays come with strides that are multiples of 64 bytes."""
        types = (
            (name, replace(kind, free=True) if name in names and isinstance(kind, ArrayType) else kind)
            for name, kind in self.signature.items()
        )
        return replace(self, signature=Signature(tuple(types))) if names else self

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (pickling.Definition(self.fn), *(getattr(self, each.name) for each in fields(self)[1:]))


def _rebuilt(definition: pickling.Definition, *rest: Any) -> Request:
    """What was to be compiled, in another process."""
    return Request(definition.fn, *rest)
