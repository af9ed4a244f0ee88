"""Which variables matter where: those assigned in a part of a function, and those whose value is read later.

A loop carries exactly the variables that its body assigns and that are read before they are assigned again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

Names = frozenset[str]
_NONE: Names = frozenset()


class Liveness:
    """For each `if`, `for` and `while` of a function: `after`, names read after it; for loops `head`, names read at the
    start of an iteration or after the loop.
    """

    def __init__(self, function: ast.FunctionDef) -> None:
        self.after: dict[ast.stmt, Names] = {}
        self.head: dict[ast.stmt, Names] = {}
        self._assigned: dict[ast.stmt, Names] = {}
        arguments = function.args
        params = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        self.locals: Names = assigned_names(function.body) | params
        self._block(function.body, _NONE)

    def assigned(self, node: ast.stmt) -> Names:
        """Names that a statement may assign, in nested statements too."""
        if node not in self._assigned:
            self._assigned[node] = assigned_names([node])
        return self._assigned[node]

    def _block(self, body: Sequence[ast.stmt], live: Names) -> Names:
        for statement in reversed(body):
            live = self._statement(statement, live)
        return live

    def _statement(self, node: ast.stmt, live: Names) -> Names:
        if isinstance(node, ast.If):
            self.after[node] = live
            return _reads(node.test) | self._block(node.body, live) | self._block(node.orelse, live)
        if isinstance(node, ast.For):
            return self._for(node, live)
        if isinstance(node, ast.While):
            return self._while(node, live)
        if isinstance(node, ast.Return):
            return _reads(node)
        if _is_breakpoint(node):
            return live | self.locals
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            return (live - _bound_whole(node)) | _reads(node)
        return live | _reads(node)

    def _for(self, node: ast.For, live: Names) -> Names:
        self.after[node] = live
        target = _bound(node.target)
        head = live
        while True:
            body = self._block(node.body, head) - target
            if body <= head:
                break
            head = head | body
        self.head[node] = head
        return head | _reads(node.iter)

    def _while(self, node: ast.While, live: Names) -> Names:
        self.after[node] = live
        head = live | _reads(node.test)
        while True:
            body = self._block(node.body, head)
            if body <= head:
                break
            head = head | body
        self.head[node] = head
        return head


def assigned_names(body: Iterable[ast.AST]) -> Names:
    """Names that statements may assign, item assignment (`x[i] = ...`) included."""
    names = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
                names.add(node.value.id)
    return frozenset(names)


def _reads(node: ast.AST) -> Names:
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        names.add(node.target.id)
    return frozenset(names)


def _is_breakpoint(node: ast.stmt) -> bool:
    """Whether a statement is `breakpoint()`, which shows all variables."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "breakpoint"


def _bound(target: ast.AST) -> Names:
    return frozenset(n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _bound_whole(node: ast.Assign | ast.AnnAssign) -> Names:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if node.value is not None else []
    return frozenset().union(*map(_bound, targets))
