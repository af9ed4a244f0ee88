"""A kernel's Python function: its syntax tree, places in its file, and the names it sees."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import CodeType, FunctionType
from typing import Any

from xetile import source_text
from xetile.errors import CompileError, Location
from xetile.frontend.liveness import Liveness
from xetile.frontend.rewrites import rewrite
from xetile.records import dataclass

_DEEPEST = 400  # constructs within each other: each takes a few of Python's own frames, of which it allows 1,000
_END_OF_LINE = 1 << 20  # a construct over several lines is underlined to the end of its first one


@dataclass(eq=False)
class FunctionSource:
    """A function's definition. `fn` is the plain function, `node` its `def`; line and column numbers are the file's."""

    fn: FunctionType
    node: ast.FunctionDef
    file: str
    liveness: Liveness

    @property
    def name(self) -> str:
        """The function's name."""
        return self.fn.__name__

    @property
    def annotations(self) -> Mapping[str, Any]:
        """Annotations of parameters by name."""
        return self.fn.__annotations__

    @property
    def defaults(self) -> dict[str, Any]:
        """Default values of parameters."""
        spec, fn = self.node.args, self.fn
        positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
        values = fn.__defaults__ or ()
        return {**dict(zip(positional[len(positional) - len(values) :], values)), **(fn.__kwdefaults__ or {})}

    def location(self, node: ast.AST, caller: Location | None = None) -> Location:
        """Where a construct stands."""
        line, column = getattr(node, "lineno", self.node.lineno), getattr(node, "col_offset", 0)
        end = node.end_col_offset if getattr(node, "end_lineno", None) == line else None  # type: ignore[attr-defined]
        return Location(self.file, line, column, _END_OF_LINE if end is None else end, self.name, caller)

    def head(self, caller: Location | None = None) -> Location:
        """The `def` line."""
        node = self.node
        return Location(
            self.file, node.lineno, node.col_offset, node.col_offset + len("def ") + len(node.name), self.name, caller
        )

    def parameter(self, name: str, caller: Location | None = None) -> Location:
        """Where a parameter stands in the `def`."""
        arguments = self.node.args
        for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            if arg.arg == name:
                return self.location(arg, caller)
        return self.head(caller)

    def free(self, name: str) -> Any:
        """The value of a name that the function does not assign: closure, module, builtins. Raises KeyError."""
        names = self.fn.__code__.co_freevars
        if name in names and self.fn.__closure__ is not None:
            try:
                return self.fn.__closure__[names.index(name)].cell_contents
            except ValueError:
                raise KeyError(name) from None
        if name in self.fn.__globals__:
            return self.fn.__globals__[name]
        builtins = self.fn.__globals__.get("__builtins__", {})
        return (builtins if isinstance(builtins, dict) else vars(builtins))[name]

    def is_around(self, name: str) -> bool:
        """Whether a name is a variable of the kernel in which this function is defined."""
        return False


# What was read of a definition, by its code and its file, which does not take part in the equality of codes: functions of equal code
# have the same text, but for what no code is made of.  It holds no function, whose module would stay alive with all kernels in it, and
# only the latest.
_read: dict[tuple[CodeType, str], tuple[ast.FunctionDef, str, Liveness]] = {}
_READ_KEPT = 128


def function_of(kernel: Any) -> FunctionType:
    """The plain function of a kernel object (an object with `fn`) or of a function.

    Raises CompileError for callables of other kinds.
    """
    fn = getattr(kernel, "fn", kernel)
    if not isinstance(fn, FunctionType):
        raise CompileError(f"{kernel!r} is not a Python function", hint="decorate a function made with def")
    return fn


def source_of(kernel: Any) -> FunctionSource:
    """The definition behind a kernel or function; its text is read once.

    Raises CompileError where there is no source: functions typed into a shell or made by exec.
    """
    fn = function_of(kernel)
    key = (fn.__code__, fn.__code__.co_filename)
    found = _read.pop(key, None)
    if found is None:
        node, file = _parse(fn)
        rewrite(node)
        found = node, file, Liveness(node)
    _read[key] = found  # the last used stands last
    while len(_read) > _READ_KEPT:
        _read.pop(next(iter(_read)), None)
    return FunctionSource(fn, *found)


def _parse(fn: FunctionType) -> tuple[ast.FunctionDef, str]:
    file, first = fn.__code__.co_filename, fn.__code__.co_firstlineno
    block = source_text.block_of(fn)
    if not block:
        raise CompileError(
            f"the source of {fn.__qualname__} cannot be read ({file})",
            hint="kernels are compiled from source: define them in a file or a notebook cell, not with exec or in a shell; after "
            "an edit of the file, reload its module",
        )
    # An indented definition is parsed under an `if`, so that columns stay the file's.
    indented = block[0][:1] in " \t"
    text = ("if 1:\n" if indented else "") + "".join(block)
    try:
        tree: Any = ast.parse(text)
    except SyntaxError as error:
        at = Location(file, first, 0, _END_OF_LINE, fn.__name__)
        raise CompileError(
            f"the source of {fn.__qualname__} cannot be read: {error.msg}",
            hint="a kernel is a def of its own: no lambda, and the file must be unchanged since it was imported",
            at=at,
        ) from None
    body = tree.body[0].body if indented else tree.body
    node = next((n for n in body if isinstance(n, ast.FunctionDef)), None)
    if node is None:
        raise CompileError(
            f"{fn.__qualname__} is not defined by a plain def",
            hint="kernels are functions made with def: no lambda, no async def",
            at=Location(file, first, 0, _END_OF_LINE, fn.__name__),
        )
    ast.increment_lineno(node, first - 1 - (1 if indented else 0))
    deep = _too_deep(node)
    if deep is not None:
        raise CompileError(
            f"this is more than {_DEEPEST} constructs deep",
            hint="split it into several statements, or write a loop: `for _ in range(n): x = x + 1`",
            at=Location(file, deep.lineno, deep.col_offset, _END_OF_LINE, fn.__name__),
        )
    return node, file


def _too_deep(function: ast.FunctionDef) -> ast.stmt | None:
    """The statement that holds constructs too far within each other to be followed by calls of functions."""
    waiting: list[tuple[ast.AST, int, ast.stmt]] = [(function, 0, function)]
    while waiting:
        node, depth, statement = waiting.pop()
        if depth > _DEEPEST:
            return statement
        for child in ast.iter_child_nodes(node):
            waiting.append((child, depth + 1, child if isinstance(child, ast.stmt) else statement))
    return None
