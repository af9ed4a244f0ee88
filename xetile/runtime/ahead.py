"""What `compile` asks for: the types of a kernel's parameters, of texts and of examples, before there are arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from xetile.errors import ArgumentError
from xetile.runtime import loading
from xetile.runtime.arrays import is_array
from xetile.runtime.specialize import given_types, is_free
from xetile.signature import ANY_STRIDES, ArrayType, ParamType, Signature, marks_of

if TYPE_CHECKING:
    from xetile.runtime.head import Head
    from xetile.runtime.request import Request

_SAID = frozenset((ANY_STRIDES, "free", "scattered"))
"""Marks that say what an array's strides are."""


class Kernel(Protocol):
    """What is asked of a kernel here; `jit.Kernel` is it."""

    head: Head

    @property
    def parameters(self) -> Sequence[str]: ...

    def request_for(self, signature: Signature, constants: Mapping[str, Any], target: Any, num_subgroups: int | None = None,
                    index_bits: int = 32) -> Request: ...  # fmt: skip


def request_ahead(kernel: Kernel, types: Sequence[Any], target: Any, num_subgroups: int | None, index_bits: int,
                  constants: Mapping[str, Any]) -> Request:  # fmt: skip
    """What must be compiled for types and examples. Raises ArgumentError, ConstexprError.

    Of arrays of three axes and more, of which nothing else is said, the strides are taken to be multiples of 64 bytes where the kernel
    drops an axis among their last two (`Q[:, h]`): without that their tiles would be moved element by element.
    """
    head = kernel.head
    if len(types) != len(kernel.parameters):
        raise ArgumentError(f"{head.name} has {len(kernel.parameters)} parameters, {len(types)} types were given",
                            hint=f"give types for {', '.join(kernel.parameters)}")  # fmt: skip
    head.check_constants(constants)
    named = str(getattr(target, "name", target))
    given = dict(zip(kernel.parameters, types, strict=True))
    signature = given_types(head.name, given, named, head.declared)
    head.check_declared(signature)
    constants = {**constants, **{name: None for name, t in given.items() if t is None}}
    constants = head.complete_constants(constants, named)
    request = kernel.request_for(signature, constants, target, num_subgroups, index_bits)
    open_ones = frozenset(name for name, kind in signature.items() if _is_open(given[name], kind, named))
    return request.with_free_axes(loading.axes_to_free(request, open_ones)) if open_ones else request


def _is_open(given: Any, kind: ParamType, target: str) -> bool:
    """Whether the strides of an array may be taken for what suits views of it."""
    if not isinstance(kind, ArrayType) or kind.rank < 3 or None not in kind.shape:
        return False
    if isinstance(given, str):
        return not _SAID & marks_of(given)
    return is_array(given) and is_free(given, target)
