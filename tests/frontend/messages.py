"""Kernels that are wrong: the docstring of each is the whole message that its user reads, but for file and line numbers."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

from xetile.errors import XetileError
from xetile.frontend import trace
from xetile.signature import Signature


class Cases(list):  # type: ignore[type-arg]
    """Wrong kernels, for pytest.mark.parametrize."""

    def __call__(self, kind: type[XetileError], constants: dict[str, Any] | None = None, **types: str) -> Callable[[Any], Any]:
        """Register a kernel that must raise an error of this class for these types and constants."""

        def register(kernel: Any) -> Any:
            self.append(pytest.param(kernel, kind, constants or {}, types, id=kernel.__name__))
            return kernel

        return register


def check_message(kernel: Any, kind: type[XetileError], constants: dict[str, Any], types: dict[str, str]) -> None:
    """The kernel raises an error of just this class, and its text is the kernel's docstring."""
    with pytest.raises(XetileError) as caught:
        trace(kernel, Signature.of(**types), constants)
    text = re.sub(r'  File ".*", line \d+, in (\w+)', r"  in \1:", str(caught.value)).replace("  # noqa: F821", "")
    text = re.sub(r"\. Did you mean '\w+'\?", "", text)  # Python 3.13 adds it
    assert (type(caught.value), text) == (kind, inspect.cleandoc(kernel.__doc__))
