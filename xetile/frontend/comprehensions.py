"""Comprehensions: over what is known while the kernel is traced, each element at a time."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from xetile.frontend.frame import Frame, expression
from xetile.frontend.statements import bind, static_items
from xetile.language.containers import Entries, Items, put_in
from xetile.language.values import Value


@expression(ast.ListComp, ast.GeneratorExp)
def _comprehension(frame: Frame, node: ast.ListComp | ast.GeneratorExp) -> tuple[Any, ...]:
    inner = Frame(frame.kernel, frame.source, dict(frame.names), frame.caller, frame.depth)
    elements = (put_in(inner.eval(node.elt)) for _ in _rounds(inner, node.generators))
    return (Items if isinstance(node, ast.ListComp) else tuple)(elements)


@expression(ast.DictComp)
def _dict_comprehension(frame: Frame, node: ast.DictComp) -> dict[Any, Any]:
    inner = Frame(frame.kernel, frame.source, dict(frame.names), frame.caller, frame.depth)
    return Entries({inner.eval(node.key): put_in(inner.eval(node.value)) for _ in _rounds(inner, node.generators)})


def _rounds(frame: Frame, generators: list[ast.comprehension]) -> Iterator[None]:
    """Each round for which all conditions hold, with the names that it binds."""
    if not generators:
        yield
        return
    first = generators[0]
    for held in static_items(frame, first.iter):
        bind(frame, first.target, held)
        tests = [frame.condition(test, "the condition") for test in first.ifs]
        if any(isinstance(test, Value) for test in tests):
            raise frame.error(first.ifs[0], "the condition of a comprehension must be a constant", "write a for loop with an if")
        if all(tests):
            yield from _rounds(frame, generators[1:])
