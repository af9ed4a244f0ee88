"""What `compile` asks for: the types of a kernel's parameters, of texts and of examples, before there are arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from xetile.errors import ArgumentError
from xetile.runtime import loading
from xetile.runtime.arrays import is_array
from xetile.runtime.specialize import given_types, is_free
from xetile.runtime.views import as_argument
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
    named = str(getattr(target, "name", target))
    by_name = {name: constants[name] for name in kernel.parameters if name in constants}
    constants = {name: value for name, value in constants.items() if name not in by_name}
    head.check_constants(constants)
    given = _completed(head, kernel.parameters, types, by_name, constants, named)
    signature = given_types(head.name, given, named, head.declared)
    head.check_declared(signature)
    constants = {**constants, **{name: None for name, t in given.items() if t is None}}
    constants = head.complete_constants(constants, named)
    request = kernel.request_for(signature, constants, target, num_subgroups, index_bits)
    open_ones = frozenset(name for name, kind in signature.items() if _is_open(given[name], kind, named))
    return request.with_free_axes(loading.axes_to_free(request, open_ones)) if open_ones else request


def _completed(head: Head, parameters: Sequence[str], types: Sequence[Any], by_name: Mapping[str, Any],
               constants: Mapping[str, Any], target: str) -> dict[str, Any]:  # fmt: skip
    """Types and examples of all parameters, as in a call: what is left out is its default, and of examples what the `out` rules make.

    Raises ArgumentError.
    """
    given = {**dict(zip(parameters, types)), **by_name}
    twice = next((name for name in parameters[: len(types)] if name in by_name), None)
    if twice is not None:
        raise ArgumentError(f"{head.name}: {twice} was given twice", hint=f"give types for {', '.join(parameters)}")
    given |= {name: head.defaults[name] for name in parameters if name not in given and name in head.defaults}
    given = {
        name: value if isinstance(value, str) else as_argument(value, name, name in head.out)
        for name, value in given.items()
        if value is not None or name not in head.out  # as in a call, an output that is None is left out
    }
    missing = [name for name in parameters if name not in given]
    rules = [head.out[name] for name in missing if name in head.out]
    texts = any(isinstance(given.get(name), str) for rule in rules for name in head.rule_names[rule])
    if len(types) > len(parameters) or len(rules) < len(missing) or texts:
        hint = f"give types for {', '.join(parameters)}"
        raise ArgumentError(f"{head.name} has {len(parameters)} parameters, {len(types) + len(by_name)} types were given",
                            hint=f"{hint}; outputs follow from arrays alone" if texts else hint)  # fmt: skip
    if missing:
        values = {name: value for name, value in given.items() if value is not None and not isinstance(value, str)}
        absent = {name: None for name, value in given.items() if value is None}
        head.allocate(values, head.complete_constants({**absent, **constants}, target), None)
        given |= {name: values[name] for name in missing}
    return {name: given[name] for name in parameters}


def _is_open(given: Any, kind: ParamType, target: str) -> bool:
    """Whether the strides of an array may be taken for what suits views of it."""
    if not isinstance(kind, ArrayType) or kind.rank < 3 or None not in kind.shape:
        return False
    if isinstance(given, str):
        return not _SAID & marks_of(given)
    return is_array(given) and is_free(given, target)
