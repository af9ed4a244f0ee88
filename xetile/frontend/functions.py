"""Functions that a kernel defines inside of itself: traced in place where they are called."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from xetile.errors import CompileError
from xetile.frontend.calls import bind_arguments, run_function
from xetile.frontend.carry import Unbound
from xetile.frontend.expressions import with_signature
from xetile.frontend.frame import Frame, statement
from xetile.frontend.liveness import Liveness
from xetile.frontend.source import FunctionSource
from xetile.frontend.words import WORDS
from xetile.language.containers import keep
from xetile.records import dataclass


@dataclass(eq=False)
class InnerSource(FunctionSource):
    """A function's definition inside of another; it sees the variables of the call that defines it, as they are when it is called."""

    frame: Frame = field(kw_only=True)
    given: dict[str, Any] = field(kw_only=True)

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def annotations(self) -> Mapping[str, Any]:
        arguments = self.node.args
        known = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        return {a.arg: ast.unparse(a.annotation) for a in known if a.annotation is not None}

    @property
    def defaults(self) -> dict[str, Any]:
        return self.given

    def free(self, name: str) -> Any:
        if name not in self.frame.names:
            return self.frame.source.free(name)
        held = self.frame.names[name]
        if isinstance(held, Unbound):
            raise CompileError(f"{name} {held.why}", hint=held.hint)
        return held

    def is_around(self, name: str) -> bool:
        return name in self.frame.names or self.frame.source.is_around(name)


@statement(ast.FunctionDef)
def _define(frame: Frame, node: ast.FunctionDef) -> None:
    if node.decorator_list:
        what = "functions inside of kernels take no decorators"
        name = ast.unparse(node.decorator_list[0]).partition("(")[0].rpartition(".")[2]
        hint = WORDS[name] if name == "when" else "leave it out: the function is part of the kernel"
        frame.unsupported(node.decorator_list[0], what, hint)
    source = InnerSource(frame.source.fn, node, frame.source.file, Liveness(node), frame=frame, given=_defaults(frame, node.args))

    def function(*args: Any, **kwargs: Any) -> Any:
        at = frame.kernel.build.loc
        return run_function(Frame(frame.kernel, source, bind_arguments(source, list(args), kwargs), at, frame.depth + 1))

    function.__name__ = function.__qualname__ = node.name
    frame.assign(node.name, with_signature(function, [a.arg for a in node.args.args if a.arg not in source.given]))


def _defaults(frame: Frame, arguments: ast.arguments) -> dict[str, Any]:
    """Default values of parameters, computed where the function is defined."""
    positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    found = {
        name: keep(frame.eval(value))  # one object for all calls
        for name, value in zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults)
    }
    for parameter, value in zip(arguments.kwonlyargs, arguments.kw_defaults):
        if value is not None:
            found[parameter.arg] = keep(frame.eval(value))
    return found
