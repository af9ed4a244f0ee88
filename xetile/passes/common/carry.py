"""Adding to loops in place: one more carried value."""

from __future__ import annotations

from typing import Any

from xetile.ir.core import Value
from xetile.ir.rewriter import Rewriter


def carry(loop: Any, init: Value, name: str) -> Value:
    """One more carried value of an scf.for; gives the body's argument. `give` says what it is in the next step."""
    rewrite = Rewriter()
    rewrite.append_operands(loop, [init])
    rewrite.add_result(loop, init.type)
    return loop.body.add_arg(init.type, name)  # type: ignore[no-any-return]


def give(loop: Any, value: Value) -> None:
    """What the value carried last is in the next step."""
    Rewriter().append_operands(loop.body.terminator, [value])
