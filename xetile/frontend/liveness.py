"""Which variables matter where: those assigned in a part of a function, and those whose value is read later.

A loop carries exactly the variables that its body assigns and that are read before they are assigned again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

Names = frozenset[str]
_NONE: Names = frozenset()


class Liveness:
    """For each `if`, `for` and `while` of a function: `after`, names read after it; for loops `head`, names read at the
    start of an iteration or, where that may end the loop, after it.
    """

    def __init__(self, function: ast.FunctionDef) -> None:
        self.after: dict[ast.stmt, Names] = {}
        self.head: dict[ast.stmt, Names] = {}
        self._assigned: dict[ast.stmt, Names] = {}
        self._jumps: list[tuple[Names, Names]] = []
        self._inner = _inner_functions(function)
        arguments = function.args
        several = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
        params = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *several)}
        self.locals: Names = assigned_names(function.body) | params
        self._block(function.body, _NONE)

    def assigned(self, node: ast.stmt) -> Names:
        """Names that a statement may assign, in nested statements too."""
        if node not in self._assigned:
            self._assigned[node] = assigned_names([node])
        return self._assigned[node]

    def given(self, node: ast.For | ast.While) -> Names:
        """Of a loop that runs once at least: names read after it that each way through its body gives a value before it leaves the loop."""
        behind = self.after[node]
        if isinstance(node, ast.While):
            return (behind & self.assigned(node)) - self.head[node]
        kept = dict(self.after), dict(self.head)  # of statements in the body, which is gone through again
        first, target = _NONE, _bound(node.target)
        while not (found := self._body(node.body, first | behind, behind) - target) <= first:
            first |= found
        self.after, self.head = kept
        return (behind & self.assigned(node)) - first

    def _block(self, body: Sequence[ast.stmt], live: Names) -> Names:
        for statement in reversed(body):
            live = self._statement(statement, live)
        return live

    def _statement(self, node: ast.stmt, live: Names) -> Names:
        if isinstance(node, ast.If):
            self.after[node] = live
            return self._reads(node.test) | self._block(node.body, live) | self._block(node.orelse, live)
        if isinstance(node, ast.For):
            return self._for(node, live)
        if isinstance(node, ast.While):
            return self._while(node, live)
        if isinstance(node, ast.Return):
            return self._reads(node)
        if isinstance(node, (ast.Break, ast.Continue)):
            return self._jumps[-1][isinstance(node, ast.Break)] if self._jumps else live
        if _is_breakpoint(node):
            return live | self.locals
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            return (live - _bound_whole(node)) | self._reads(node)
        return live | self._reads(node)

    def _body(self, body: Sequence[ast.stmt], again: Names, gone: Names) -> Names:
        """What is live before a loop's body, whose end and `continue` lead to where `again` is live, and `break` to `gone`."""
        self._jumps.append((again, gone))
        live = self._block(body, again)
        self._jumps.pop()
        return live

    def _reads(self, node: ast.AST) -> Names:
        """Names that a node reads; a function defined in this one reads its names where it is called."""
        names = names_read(node)
        while more := frozenset().union(*(self._inner[n] for n in names & self._inner.keys())) - names:
            names |= more
        return names

    def _for(self, node: ast.For, live: Names) -> Names:
        self.after[node] = live
        target = _bound(node.target)
        head = live
        while True:
            body = self._body(node.body, head, head) - target
            if body <= head:
                break
            head = head | body
        self.head[node] = head
        return head | self._reads(node.iter)

    def _while(self, node: ast.While, live: Names) -> Names:
        self.after[node] = live
        ends = _NONE if never_ends(node) else live  # what `while True` is left by is `break` alone
        head = ends | self._reads(node.test)
        while True:
            body = self._body(node.body, head, head | live)
            if body <= head:
                break
            head = head | body
        self.head[node] = head
        return head


def never_ends(node: ast.AST) -> bool:
    """Whether a loop is `while True`."""
    return isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)


def assigned_names(body: Iterable[ast.AST]) -> Names:
    """Names that statements may assign, item assignment (`x[i] = ...`) included."""
    names = set()
    for statement in body:
        for node in own_nodes(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and (root := _root(node)) is not None:
                names.add(root)
            elif (part := part_assigned(node)) is not None:
                names.add(part.id)
            elif isinstance(node, ast.FunctionDef):
                names.add(node.name)
            elif isinstance(node, ast.Call) and (name := changed_list(node)) is not None:
                names.add(name)
    return frozenset(names)


def _root(node: ast.expr) -> str | None:
    """The variable of an assignment to an element, or to one of an element: `x` of `x[i][j] = v`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """A node and those in it, but for the insides of functions that it defines."""
    yield node
    if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
        for child in ast.iter_child_nodes(node):
            yield from own_nodes(child)


def find_jumps(node: ast.AST) -> tuple[ast.stmt, ...]:
    """As `own_jumps`, of statements that may still change."""
    if isinstance(node, (ast.Break, ast.Continue)):
        return (node,)
    if isinstance(node, (ast.For, ast.While, ast.FunctionDef)):
        return ()
    return tuple(jump for inner in ast.iter_child_nodes(node) if not isinstance(inner, ast.expr) for jump in find_jumps(inner))


@lru_cache(maxsize=1024)
def own_jumps(node: ast.AST) -> tuple[ast.stmt, ...]:
    """The `break` and `continue` in a statement that belong to the loop around it."""
    return find_jumps(node)


LIST_METHODS = frozenset({"append", "extend", "insert", "pop", "clear", "reverse"})


def changed_list(node: ast.Call) -> str | None:
    """The variable of a call such as `parts.append(x)`."""
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr in LIST_METHODS and isinstance(function.value, ast.Name):
        return function.value.id
    return None


def _inner_functions(function: ast.FunctionDef) -> dict[str, Names]:
    """What the functions read that a function defines, by their names."""
    found: dict[str, Names] = {}
    for statement in function.body:
        for node in own_nodes(statement):
            if isinstance(node, ast.FunctionDef):
                found[node.name] = found.get(node.name, _NONE) | names_read(node)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                for target in node.targets:
                    found.update({name: found.get(name, _NONE) | names_read(node.value) for name in _bound(target)})
    return found


def part_assigned(node: ast.AST) -> ast.Name | None:
    """The variable in an assignment to an element of a part of it (`x.part[i] = ...`)."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Store) or not isinstance(node.value, ast.Attribute):
        return None
    if node.value.attr == "T":  # of an array, which is stored to
        return None
    return node.value.value if isinstance(node.value.value, ast.Name) else None


def names_read(node: ast.AST) -> Names:
    """Names that a node reads by itself."""
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
