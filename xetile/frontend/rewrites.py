"""Statements of Python that are written in others before a function is traced: `match`, `else` after loops, conditions of loops that assign,
and `return` inside of loops.

Names that this makes hold a space, so that no variable of the user's has them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from xetile.frontend.carry import LATER
from xetile.frontend.liveness import find_jumps, own_nodes

_GONE, _RESULT = "has returned", "what is returned"
NodeT = TypeVar("NodeT", bound=ast.AST)


def rewrite(function: ast.FunctionDef) -> None:
    """Write a function, and those that it defines, in the statements that the tracer knows."""
    function.body = _Rewriter(function).block(function.body)


class _Rewriter:
    """One function. `valued`: whether a `return` inside of its loops gives something."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self._loops = 0
        loops = [n for s in function.body for n in own_nodes(s) if isinstance(n, (ast.For, ast.While))]
        self._valued = any(isinstance(n, ast.Return) and n.value is not None for loop in loops for n in own_nodes(loop))

    def block(self, body: Iterable[ast.stmt]) -> list[ast.stmt]:
        return [new for old in body for new in self._statement(old)]

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, ast.FunctionDef):
            rewrite(node)
        elif isinstance(node, ast.If):
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        elif isinstance(node, ast.Match) and (chosen := _as_ifs(node)) is not None:
            return self.block(chosen)
        elif isinstance(node, (ast.For, ast.While)):
            return self._loop(node)
        elif isinstance(node, ast.Return) and self._loops:
            result = [_set(node, _RESULT, node.value or ast.Constant(None))] if self._valued else []
            return [*result, _set(node, _GONE, ast.Constant(True)), _at(node, ast.Break())]
        return [node]

    def _loop(self, node: ast.For | ast.While) -> list[ast.stmt]:
        """A loop, and what stands before and after it."""
        returns = [n for s in node.body for n in own_nodes(s) if isinstance(n, ast.Return)]
        self._loops += 1
        node.body = self.block(node.body)
        self._loops -= 1
        node.orelse = self.block(node.orelse)
        before, after = _without_else(node)  # which sees jumps in the else of a loop inside
        _take_apart_condition(node)
        ended: list[ast.stmt] = []
        if returns and self._loops:
            ended = [_if(node, _name(returns[0], _GONE), [_at(node, ast.Break())])]
        elif returns:
            before = [_set(node, _GONE, ast.Constant(False)), *before]
            if self._valued:
                before.append(_set(node, _RESULT, ast.Constant(LATER)))  # type: ignore[arg-type]
            value = _name(returns[0], _RESULT) if self._valued else None
            ended = [_if(returns[0], _name(returns[0], _GONE), [_at(returns[0], ast.Return(value))])]
        return [*before, node, *ended, *after]


def _take_apart_condition(node: ast.For | ast.While) -> None:
    """`while (n := f(n)) > 0` as a loop that begins with an `if not ...: break`."""
    if not isinstance(node, ast.While) or not any(isinstance(n, ast.NamedExpr) for n in ast.walk(node.test)):
        return
    node.body = [
        _if(node.test, _at(node.test, ast.UnaryOp(ast.Not(), node.test)), [_at(node.test, ast.Break())]),
        *node.body,
    ]
    node.test = _at(node.test, ast.Constant(True))


def _without_else(node: ast.For | ast.While) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """What a loop's `else` becomes: statements before the loop and after it."""
    behind, node.orelse = node.orelse, []
    if not behind or not any(isinstance(jump, ast.Break) for s in node.body for jump in find_jumps(s)):
        return [], behind
    name = f"left by break (line {node.lineno})"
    node.body = [new for old in node.body for new in _with_breaks_told(old, name)]
    return [_set(node, name, ast.Constant(False))], [_if(node, _at(node, ast.UnaryOp(ast.Not(), _name(node, name))), behind)]


def _with_breaks_told(node: ast.stmt, name: str) -> list[ast.stmt]:
    if isinstance(node, ast.Break):
        return [_set(node, name, ast.Constant(True)), node]
    if not isinstance(node, (ast.For, ast.While, ast.FunctionDef)):
        for part in ("body", "orelse"):
            if hasattr(node, part):
                setattr(node, part, [new for old in getattr(node, part) for new in _with_breaks_told(old, name)])
        for case in getattr(node, "cases", ()):
            case.body = [new for old in case.body for new in _with_breaks_told(old, name)]
    return [node]


def _as_ifs(node: ast.Match) -> list[ast.stmt] | None:
    """A `match` over constants as a chain of ifs; None where a case takes something apart."""
    subject, before = node.subject, []
    if not isinstance(subject, (ast.Name, ast.Constant)):
        name = f"matched (line {node.lineno})"
        before, subject = [_set(subject, name, subject)], _name(subject, name)
    chain: list[ast.stmt] = []
    for case in reversed(node.cases):
        test, bound = _test(case.pattern, subject), _bound_by(case.pattern)
        if test is None or (bound is not None and case.guard is not None):
            return None
        body = [_set(case.pattern, bound, subject), *case.body] if bound is not None else case.body
        tests = [t for t in (test, case.guard) if t is not None and not (isinstance(t, ast.Constant) and t.value is True)]
        if not tests:
            chain = body
            continue
        whole = tests[0] if len(tests) == 1 else _at(case.pattern, ast.BoolOp(ast.And(), tests))
        chain = [_if(case.pattern, whole, body, chain)]
    return [*before, *chain]


def _test(pattern: ast.pattern, subject: ast.expr) -> ast.expr | None:
    """Whether a case applies, as an expression; None for patterns that take something apart."""
    if isinstance(pattern, ast.MatchValue):
        return _at(pattern, ast.Compare(subject, [ast.Eq()], [pattern.value]))
    if isinstance(pattern, ast.MatchSingleton):
        return _at(pattern, ast.Compare(subject, [ast.Is()], [_at(pattern, ast.Constant(pattern.value))]))
    if isinstance(pattern, ast.MatchOr):
        tests = [_test(part, subject) for part in pattern.patterns]
        return None if None in tests else _at(pattern, ast.BoolOp(ast.Or(), [t for t in tests if t is not None]))
    if isinstance(pattern, ast.MatchAs):
        return _at(pattern, ast.Constant(True)) if pattern.pattern is None else _test(pattern.pattern, subject)
    return None


def _bound_by(pattern: ast.pattern) -> str | None:
    return pattern.name if isinstance(pattern, ast.MatchAs) else None


def _at(place: ast.AST, node: NodeT) -> NodeT:
    return ast.fix_missing_locations(ast.copy_location(node, place))


def _set(place: ast.AST, name: str, value: ast.expr) -> ast.stmt:
    return _at(place, ast.Assign([ast.Name(name, ast.Store())], value))


def _name(place: ast.AST, name: str) -> ast.expr:
    return _at(place, ast.Name(name, ast.Load()))


def _if(place: ast.AST, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt] = ()) -> ast.stmt:
    node: Any = ast.If(test, list(body), list(orelse))
    return _at(place, node)  # type: ignore[no-any-return]
