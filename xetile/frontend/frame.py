"""One call of a function while it is traced: its variables, its place in the call chain, and the dispatch over syntax nodes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from inspect import CO_VARARGS
from types import MethodType
from typing import Any, NoReturn, TypeVar

from xetile.dialects import arith
from xetile.errors import CompileError, Location, UnsupportedSyntaxError, XetileError
from xetile.frontend.carry import Unbound
from xetile.frontend.source import FunctionSource
from xetile.language.arrays import Array, Handle
from xetile.language.containers import Held
from xetile.language.context import Kernel
from xetile.language.values import Value, describe
from xetile.records import dataclass

Handler = Callable[..., Any]
HandlerT = TypeVar("HandlerT", bound=Handler)

STATEMENTS: dict[type[ast.AST], Handler] = {}
"""How statements are traced; each gives None, or Returned where the function ends."""

MOST_TRACED = 100_000
"""Operations of a kernel, each as often as it is unrolled: more take minutes to compile, and drivers longer."""
_LONG = "a loop over range(n) is one at run time; static_range, comprehensions and calls of functions repeat what they hold"

EXPRESSIONS: dict[type[ast.AST], Handler] = {}
"""How expressions are traced; each gives a Python object, a run-time value among them."""


def statement(*kinds: type[ast.AST]) -> Callable[[HandlerT], HandlerT]:
    """Register how a kind of statement is traced."""
    return _register(STATEMENTS, kinds)


def expression(*kinds: type[ast.AST]) -> Callable[[HandlerT], HandlerT]:
    """Register how a kind of expression is traced."""
    return _register(EXPRESSIONS, kinds)


def _register(table: dict[type[ast.AST], Handler], kinds: Sequence[type[ast.AST]]) -> Callable[[HandlerT], HandlerT]:
    def register(handler: HandlerT) -> HandlerT:
        for kind in kinds:
            table[kind] = handler
        return handler

    return register


@dataclass(frozen=True)
class Returned:
    """A function has ended with this value where `gone` holds; else the end of the statements was reached."""

    value: Any = None
    gone: Value | bool = True


@dataclass(frozen=True)
class Jump:
    """The rest of a loop's body is passed over, by `break` or `continue`, where `gone` holds; else the end was reached."""

    gone: Value | bool = True


_DECIDE = "reduce it with xt.any or xt.all, or choose elements with xt.where"


class Frame:
    """Variables by name in `names`; `loops` holds the loops around, `caller` says who called.

    ends    for each part of a body that is traced by itself: how many loops are around, and what is read after it.
    """

    def __init__(
        self, kernel: Kernel, source: FunctionSource, names: dict[str, Any], caller: Location | None, depth: int
    ) -> None:
        self.kernel = kernel
        self.source = source
        self.names = names
        self.caller = caller
        self.depth = depth
        self.loops: list[ast.For | ast.While] = []
        self.ends: list[tuple[int, frozenset[str]]] = []
        self._places: dict[ast.AST, Location] = {}

    # Places and errors.

    def location(self, node: ast.AST) -> Location:
        """Where a node stands, with the chain of calls that led here."""
        found = self._places.get(node)
        if found is None:
            found = self._places[node] = self.source.location(node, self.caller)
        return found

    def unsupported(self, node: ast.AST, what: str, hint: str) -> NoReturn:
        """Raise UnsupportedSyntaxError at a node."""
        raise UnsupportedSyntaxError(what, hint=hint, at=self.location(node))

    def error(self, node: ast.AST, message: str, hint: str | None = None) -> CompileError:
        """An error at a node, to be raised."""
        return CompileError(message, hint=hint, at=self.location(node))

    def apply(self, node: ast.AST, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call something for a node: ops that it makes, and errors that it raises, get the node's place."""
        build = self.kernel.build
        saved = build.loc
        build.loc = at = self.location(node)
        self.kernel.traced += 1
        if self.kernel.traced > MOST_TRACED:
            raise CompileError(f"the kernel has more than {MOST_TRACED} operations with its loops unrolled", hint=_LONG, at=at)
        try:
            return function(*args, **kwargs)
        except XetileError as error:
            raise error.located(at) from error.__cause__
        except RecursionError as error:
            raise CompileError(
                "calls are nested too deeply", hint="write a loop instead of a function that calls itself", at=at
            ) from error
        except Exception as error:
            text = (
                re.sub(r"^(\w+)_\(\)", r"xt.\1()", str(error)) or type(error).__name__
            )  # beside Python's own functions ours end in _
            message = text if isinstance(error, TypeError) else f"{type(error).__name__}: {text}"
            raise CompileError(message, hint=_parameters(function, error), at=at) from error
        finally:
            build.loc = saved

    # Dispatch.

    def run(self, body: Sequence[ast.stmt]) -> Returned | Jump | None:
        """Trace statements in order; gives Returned where they may end the function, Jump where they may end the body of a loop: then
        all of them have been traced.
        """
        for position, node in enumerate(body):
            handler = STATEMENTS.get(type(node))
            if handler is None:
                _refuse(self, node)
            # An if that may return decides about the statements after it too.
            result = handler(self, node, body[position + 1 :]) if isinstance(node, ast.If) else handler(self, node)
            if isinstance(result, (Returned, Jump)):
                return result
        return None

    def eval(self, node: ast.AST) -> Any:
        """What an expression is."""
        handler = EXPRESSIONS.get(type(node))
        if handler is None:
            _refuse(self, node)
        return handler(self, node)

    # Variables.

    def lookup(self, node: ast.Name) -> Any:
        """The value of a name; raises CompileError where it has none."""
        name = node.id
        if name in self.names:
            held = self.names[name]
            if isinstance(held, Unbound):
                raise self.error(node, f"{name} {held.why}", held.hint)
            return held
        if name in self.source.liveness.locals:
            raise self._not_yet(node, name)
        try:
            return self.source.free(name)
        except KeyError:
            from xetile.frontend.vocabulary import hint_for_name

            known = [n for n, held in self.names.items() if not isinstance(held, Unbound)]
            hint = hint_for_name(name, known, self.source.fn.__globals__)
            raise self.error(node, f"there is no {name} here", hint) from None

    def _not_yet(self, node: ast.AST, name: str) -> CompileError:
        """The error for a variable of the function that has no value yet, whatever the same name means outside of it."""
        try:
            outside = self.source.free(name)
        except KeyError:
            return self.error(node, f"{name} is read before it has a value", "assign it above")
        hint = f"assign it above, or give the variable another name than {name} of the module"
        if self.source.is_around(name):
            message = f"{name} belongs to the function around {self.source.name}, and only that can change its elements"
            return self.error(node, message, f"return what changes, and assign it there: {name}[i] = {self.source.name}(...)")
        if isinstance(outside, (list, dict, set)):
            hint = "kernels change nothing outside of themselves; store results with xt.store_tile"
        return self.error(node, f"{name} is changed in the kernel, which makes it a variable that has no value here yet", hint)

    def assign(self, name: str, held: Any) -> None:
        """Give a variable a value; the IR's value takes its name if it has none."""
        ir = held.ir if isinstance(held, (Value, Handle)) else held.base if isinstance(held, Array) else None
        if ir is not None and not ir.name and not isinstance(ir.owner, arith.Constant):
            ir.name = name
        if isinstance(held, Held):
            held.given_to(self, name)
        self.names[name] = held

    def condition(self, node: ast.AST, what: str, hint: str = _DECIDE) -> Any:
        """A condition: a Python bool where it is known now, else a run-time bool scalar."""
        held = self.eval(node)
        if isinstance(held, Array):
            raise self.error(node, f"{what} is {describe(held)}, an array, which is neither true nor false",
                             "whether it was given: A is not None; whether it has rows: A.shape[0] > 0; an element: A[0, 0]")  # fmt: skip
        if not isinstance(held, Value):
            return bool(self.apply(node, bool, held))
        if held.shape:
            raise self.error(
                node,
                f"{what} is {describe(held)}: its elements may differ",
                hint,
            )
        return held if held.dtype.kind == "b" else self.apply(node, lambda: held != 0)


def _parameters(function: Callable[..., Any], error: Exception) -> str | None:
    """How to call a function, where the call itself failed and not something in it."""
    trace = error.__traceback__
    if not isinstance(error, TypeError) or trace is None or trace.tb_next is not None:
        return None
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    from xetile.frontend.vocabulary import hint_for_keyword
    from xetile.frontend.words import CALLS

    known = code.co_varnames[isinstance(function, MethodType) : code.co_argcount + code.co_kwonlyargcount]
    unknown = re.search(r"unexpected keyword argument '(\w+)'", str(error))
    instead = hint_for_keyword(unknown[1], known) if unknown else None
    if " positional argument" in str(error) and "were given" in str(error):
        instead = CALLS.get(code.co_name)
    if not known:
        return instead or (None if code.co_flags & CO_VARARGS else "it takes no arguments")
    join = "" if not instead else " " if instead[-1] == "?" else "; "
    are = "its parameters are" if len(known) != 1 else "its only parameter is"
    return f"{instead or ''}{join}{are} {', '.join(known)}"


def _refuse(frame: Frame, node: ast.AST) -> NoReturn:
    from xetile.frontend.unsupported import refusal

    what, hint = refusal(node)
    frame.unsupported(node, what, hint)
