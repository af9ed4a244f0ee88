"""Functions of the host that tell mistakes as kernels do: at the user's call, and with what to write instead."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from xetile.errors import ArgumentError, XetileError
from xetile.runtime.call_site import call_site, without_ours

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


class CallError(ArgumentError, TypeError):
    """A function of ours is called with arguments that it does not take; Python's own error too."""


def told(function: FunctionT) -> FunctionT:
    """The function, whose errors have the place of the call; arguments that it does not take raise CallError."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except XetileError as error:
            raise without_ours(error.located(call_site()))  # noqa: B904 (its cause is kept where it is the user's)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # from inside
            raise _untaken(function, call.__name__, error).located(call_site()) from None

    return call  # type: ignore[return-value]


def _untaken(function: Callable[..., Any], name: str, error: TypeError) -> CallError:
    """What Python says of a call that does not fit, and how to call."""
    from xetile.frontend.vocabulary import hint_for_keyword

    known = inspect.signature(function)
    unknown = re.search(r"unexpected keyword argument '(\w+)'", str(error))
    instead = hint_for_keyword(unknown[1], list(known.parameters), library=True) if unknown else None
    usage = ", ".join(str(p.replace(annotation=inspect.Parameter.empty)) for p in known.parameters.values())
    hint = "; ".join(filter(None, (instead, f"{name}({usage})")))
    return CallError(f"{name}(){str(error).partition('()')[2]}", hint=hint)
