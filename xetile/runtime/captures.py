"""What a kernel sees outside of itself: functions, constants, attributes of objects and modules, wherever its code names them.

One walk gives both uses of that: a hash for the cache on disk, and a test that is cheap enough for every warm call, whether all of
it is what it was.  A start that finds its kernels in the cache walks too, so this file imports no compiler module.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import inspect
import textwrap
import types
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from operator import is_
from typing import Any
from weakref import WeakKeyDictionary

from xetile import source_text
from xetile.errors import CompileError
from xetile.records import dataclass
from xetile.runtime.spans import Span

_PLAIN = (bool, int, float, str, bytes, type(None), type(Ellipsis), complex)
_BY_NAME = (types.BuiltinFunctionType, types.MethodWrapperType, types.WrapperDescriptorType, types.MethodDescriptorType)
_MOST = 100_000  # objects: beyond these a walk has gone astray, and every launch would look at all of them
_FEWER = "pass what it needs of them as constants, or read it into a global of its own"
GONE = (KeyError, AttributeError, ValueError, TypeError)  # by `unchanged`: deleted, or replaced by something of another kind
_KEPT = 64  # sets of constants of one kernel


@dataclass(frozen=True)
class Captures:
    """What a function sees.

    digest      equal for equal contents; in this process alone where `unknown` says why no other one can tell.
    unchanged   whether all of it still is what it was; None where it cannot change.
    spans       where the text of the kernel and of each function that is traced with it stands, in an order that the digest fixes.
    """

    digest: str
    unknown: str
    unchanged: Callable[[], bool] | None
    spans: tuple[Span, ...] = ()

    @property
    def is_current(self) -> bool:
        """Whether a walk now would find the same."""
        try:
            return self.unchanged is None or self.unchanged()
        except GONE:
            return False


_known: WeakKeyDictionary[Any, dict[Any, tuple[Captures, Any]]] = WeakKeyDictionary()


def of(fn: Callable[..., Any], constants: Mapping[str, Any] | None = None) -> Captures:
    """What a kernel's function sees, and what the constants that it is called with see: functions and objects among them."""
    deep = {name: value for name, value in (constants or {}).items() if not is_plain(value)}
    key = tuple((name, id(value)) for name, value in deep.items())
    known = _known.setdefault(fn, {})
    found, _ = known.get(key, (None, None))
    if found is None or not found.is_current:
        if len(known) >= _KEPT:
            known.clear()
        found = _walk(fn, deep)
        known[key] = (found, deep)  # ids are of living objects only
    return found


def of_values(values: Mapping[str, Any]) -> Captures:
    """What constants are, with all of their attributes."""
    walk = _Walk(None)
    for name, value in values.items():
        walk.say(name)
        walk.visit(value)
    return walk.result()


def is_plain(value: Any) -> bool:
    """Whether a value never changes and sees nothing."""
    return type(value) in _PLAIN or (type(value) is tuple and all(map(is_plain, value)))


def _walk(fn: Callable[..., Any], constants: Mapping[str, Any]) -> Captures:
    names: set[str] = set()
    while True:  # attributes count where some code names them: code that is found late names those of objects found early
        known = len(names)
        walk = _Walk(names)
        try:
            walk.function(fn, traced=True)
            for name, value in constants.items():
                walk.say(name)
                walk.visit(value)
        except RecursionError:
            raise CompileError(
                f"{fn.__name__} sees objects that hold each other too deeply to be followed", hint=_FEWER
            ) from None
        if len(names) == known or not walk.asked:
            return walk.result()


class _Walk:
    """One walk: what it says is hashed, what it watches is tested later.  `names`: attributes that code asks for; None, all."""

    def __init__(self, names: set[str] | None) -> None:
        self._all = names is None
        self.names: set[str] = set() if names is None else names
        self.unknown = ""
        self.asked = False  # for attributes by name
        self._digest = hashlib.sha256()
        self._spans: list[Span] = []
        self._seen: dict[int, tuple[int, Any]] = {}
        self._tests: dict[str, None] = {}
        self._scope: dict[str, Any] = {"is_": is_, "same": _same, "exact": exact}
        self._held: dict[int, str] = {}

    def say(self, *parts: str) -> None:
        """What makes the hash."""
        for part in parts:
            self._digest.update(part.encode("utf-8", "surrogatepass") + b"\0")

    def watch(self, test: str, *objects: Any) -> None:
        """A test of some objects, which stand in it as {0}, {1}, ..."""
        self._tests[test.format(*map(self._name, objects))] = None

    def _name(self, held: Any) -> str:
        name = self._held.setdefault(id(held), f"v{len(self._held)}")
        self._scope[name] = held
        return name

    def result(self) -> Captures:
        """What the walk has found."""
        guard = None
        if self._tests:
            code = f"lambda: {' and '.join(self._tests)}"
            guard = eval(code, self._scope)  # noqa: S307 (names of its own, and identifiers that code names)
        return Captures(self._digest.hexdigest(), self.unknown, guard, tuple(self._spans))

    def _first_time(self, held: Any) -> bool:
        if id(held) in self._seen:
            self.say(f"seen {self._seen[id(held)][0]}")
            return False
        if len(self._seen) >= _MOST:
            raise CompileError(f"the kernel sees more than {_MOST:,} objects outside of itself", hint=_FEWER)
        self._seen[id(held)] = (len(self._seen), held)
        return True

    # Code.

    def function(self, fn: Any, *, traced: bool, watched: bool = True) -> None:
        """A function by its text, where the tracer reads that, or by its code, where it is called.

        watched: somebody may give it other code (a notebook's autoreload does).
        """
        if not self._first_time(fn):
            return
        code = fn.__code__
        if fn.__name__ not in _SETTING_UP:  # these name all attributes, and what is never asked for may be large
            self.names.update(_names(code))
        self.say(fn.__name__)
        if traced:
            self._text(fn)
        else:
            if watched:
                self.watch("{0}.__code__ is {1} and {0}.__defaults__ is {2}", fn, code, fn.__defaults__)
            self._code(code)
            for defaults in (fn.__defaults__, fn.__kwdefaults__):
                self.visit(defaults)
        for name, cell in zip(code.co_freevars, fn.__closure__ or (), strict=True):
            self.say(name)
            try:
                held = cell.cell_contents
            except ValueError:  # not assigned yet
                continue
            self.watch("{0}.cell_contents is {1}", cell, held)
            self.visit(held)
        for name in sorted(set(_names(code))):
            if name in fn.__globals__:
                self.say(name)
                self._item(fn.__globals__, name)

    def _text(self, fn: Any) -> None:
        first, lines = source_text.definition_of(fn)
        if not lines:
            self.unknown = self.unknown or f"the source of {fn.__name__} cannot be read"
            self._code(fn.__code__)
        else:
            self.say(textwrap.dedent("".join(lines)))
            self._spans.append(Span(fn.__code__.co_filename, first, len(lines), len(lines[0]) - len(lines[0].lstrip())))
            if fn.__name__ == "<lambda>":  # its lines may hold several
                self._code(fn.__code__)
        for default in (*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()):
            self.visit(default)

    def _code(self, code: types.CodeType) -> None:
        self.say(code.co_code.hex(), *code.co_names, *code.co_varnames, str(code.co_flags))
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._code(constant)
            else:
                self.say(type(constant).__name__, repr(constant))

    def _item(self, scope: dict[str, Any], name: str) -> None:
        """A name of a module's."""
        held = scope[name]
        if not is_ours(getattr(held, "__name__", None) if isinstance(held, types.ModuleType) else None):
            self.watch(f"{{0}}[{name!r}] is {{1}}", scope, held)
        self.visit(held)

    # Objects.

    def visit(self, held: Any) -> None:
        """The identity of an object: its type, then its contents."""
        if isinstance(held, types.ModuleType):
            self._module(held)
            return
        is_kernel = getattr(held, "__xetile_kernel__", False) is True
        fn = held.fn if is_kernel else held
        if isinstance(fn, types.FunctionType):
            self.say(f"{fn.__module__}.{fn.__qualname__}")
            if is_kernel or not (is_ours(fn.__module__) or _is_library(fn)):
                self.function(fn, traced=is_kernel)
            return
        self.say(f"{type(held).__module__}.{type(held).__qualname__}")
        if isinstance(held, enum.Enum):
            self.say(held.name, repr(held.value))
        elif type(held) in _PLAIN:
            self.say(hex(held) if isinstance(held, int) else repr(held))  # decimals of a huge number are refused
        elif not self._first_time(held):
            return
        elif isinstance(held, tuple | list | set | frozenset | Mapping):
            self._container(held)
        else:
            self._object(held)

    def _module(self, held: types.ModuleType) -> None:
        """A module: those attributes that code names."""
        self.say(f"{held.__name__} {getattr(held, '__version__', '')}")
        if is_ours(held.__name__) or not self._first_time(held):
            return
        self.asked = True
        inside = vars(held)
        installed = source_text.is_installed(getattr(held, "__file__", None) or "<frozen ")
        for name in sorted(self.names & inside.keys()):
            self.say(name)
            if installed and (callable(inside[name]) or isinstance(inside[name], types.ModuleType)):
                self.visit(inside[name])
            else:
                self._item(inside, name)

    def _container(self, held: Any) -> None:
        self.say(str(len(held)))
        if isinstance(held, set | frozenset):
            self.say(*sorted(_digest_of(part, self.names) for part in held))
            if isinstance(held, set):
                self.watch("same({0}, {1})", held, tuple(held))
            return
        if isinstance(held, Mapping):
            keys, values = tuple(held), tuple(held.values())
            self.watch("same({0}, {1}) and same({0}.values(), {2})", held, keys, values)
            parts: Iterable[Any] = (part for pair in zip(keys, values, strict=True) for part in pair)
        else:
            if isinstance(held, list):
                self.watch("same({0}, {1})", held, tuple(held))
            parts = tuple(held)
        for part in parts:
            self.visit(part)
        if type(held) not in (tuple, list, dict):
            self._attributes(held)

    def _object(self, held: Any) -> None:
        if isinstance(held, type):
            self._class(held)
        elif isinstance(held, _BY_NAME):
            self.say(f"{getattr(held, '__module__', None)}.{held.__qualname__}")  # methods of C's classes name no module
        elif isinstance(held, types.MethodType):
            self.visit(held.__func__)
            self.visit(held.__self__)
        elif isinstance(held, functools.partial):
            for part in (held.func, held.args, held.keywords):
                self.visit(part)
        elif isinstance(held, property):
            self.visit(held.fget)
        elif isinstance(held, functools.cached_property):
            self.visit(held.func)
        elif isinstance(held, staticmethod | classmethod) or hasattr(held, "__wrapped__"):
            self.visit(held.__wrapped__)
        elif hasattr(held, "tobytes") and hasattr(held, "dtype"):
            self._array(held)
        else:
            self._attributes(held)
            self._rest_of(held)

    def _array(self, held: Any) -> None:
        contents = held.tobytes()
        self.say(f"{held.dtype} {getattr(held, 'shape', ())}", hashlib.sha256(contents).hexdigest())
        if getattr(held, "shape", ()) or not hasattr(held, "item"):
            self.watch("{0}.tobytes() == {1}", held, contents)

    def _class(self, held: type) -> None:
        """A class by its name; one of the user's by what code names of it, and by what operators and calls of it do."""
        self.asked = True
        self.say(f"{held.__module__}.{held.__qualname__}")
        for base in held.__mro__:
            if is_ours(base.__module__) or not base.__flags__ & _HEAP_TYPE:
                continue
            self.say(base.__qualname__)
            inside = vars(base)
            for name in sorted(
                n for n in inside if n in self.names or (isinstance(inside[n], types.FunctionType) and _is_special(n))
            ):
                self.say(name)
                if name in self.names:
                    self.watch(f"{{0}}.__dict__[{name!r}] is {{1}}", base, inside[name])
                    self.visit(inside[name])
                elif not _is_library(inside[name]):
                    self.function(inside[name], traced=False, watched=False)

    def _attributes(self, held: Any) -> None:
        """Those attributes of an object that code names."""
        self.asked = True
        kind = type(held)
        if is_ours(kind.__module__):
            return
        if id(kind) not in self._seen:
            self._seen[id(kind)] = (len(self._seen), kind)
            self._class(kind)
        own = getattr(held, "__dict__", {})
        for name in sorted({*own, *_slots(kind)} if self._all else self.names):
            found = inspect.getattr_static(held, name, _MISSING)
            if found is _MISSING:
                self._made_when_asked(held, name)
            elif name in own or name in _slots(kind) or not _is_code(found):
                try:
                    value = getattr(held, name)
                except AttributeError:
                    continue
                self.say(name)
                self.watch(f"{{0}}.{name} is {{1}}", held, value)
                self.visit(value)

    def _made_when_asked(self, held: Any, name: str) -> None:
        """An attribute by `__getattr__`."""
        if not hasattr(type(held), "__getattr__") or name.startswith("__"):
            return
        try:
            value = getattr(held, name)
        except Exception:
            return
        self.say(name)
        if is_plain(value):
            self.watch(f"exact({{0}}.{name}) == {{1}}", held, exact(value))
        self.visit(value)

    def _rest_of(self, held: Any) -> None:
        """What an object is besides attributes: an object written in C by what it prints."""
        kind = type(held)
        if not is_ours(kind.__module__) and not _holds_more(kind):
            if not hasattr(held, "__dict__") and not _slots(kind):
                self._by_identity(held)
            return
        text = repr(held) if "__repr__" in {n for base in kind.__mro__[:-1] for n in vars(base)} else ""
        if not text or " at 0x" in text:
            self._by_identity(held)
            return
        self.say(text)
        if not isinstance(held, Hashable):  # what has no hash may change
            self.watch("repr({0}) == {1}", held, text)

    def _by_identity(self, held: Any) -> None:
        self.unknown = self.unknown or f"a kernel sees {held!r}, whose value another process cannot compare"
        self.say(str(id(held)))


_MISSING = object()
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: not one of those that C code lays out


def _same(parts: Any, known: tuple[Any, ...]) -> bool:
    """Whether a container still holds the very same objects."""
    return len(parts) == len(known) and all(map(is_, parts, known))


def exact(value: Any) -> Any:
    """A hashable stand-in that differs wherever a constant's meaning may: 1, 1.0 and True are equal, 0.0 and -0.0 too."""
    if isinstance(value, tuple):
        return tuple, type(value), tuple(map(exact, value))
    return (type(value), repr(value)) if isinstance(value, float | complex) else (type(value), value)


def _digest_of(part: Any, names: set[str]) -> str:
    walk = _Walk(names)
    walk.visit(part)
    return walk.result().digest


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _slots(kind: type) -> set[str]:
    found: set[str] = set()
    for base in kind.__mro__:
        slots = vars(base).get("__slots__", ())
        found.update((slots,) if isinstance(slots, str) else slots)
    return found


def _is_code(held: Any) -> bool:
    """Whether an attribute of a class is code that runs when it is asked for or called."""
    return isinstance(held, _CODE) or inspect.isdatadescriptor(held)


_CODE = (types.FunctionType, staticmethod, classmethod, functools.cached_property, *_BY_NAME, types.ClassMethodDescriptorType)


_SETTING_UP = ("__init__", "__new__", "__post_init__", "__init_subclass__")


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in ("__repr__", "__eq__", "__hash__", "__replace__")


def _holds_more(kind: type) -> bool:
    """Whether objects of a class hold what is no attribute: those of classes written in C."""
    word = object.__basicsize__ // 2
    return bool(kind.__itemsize__) or kind.__basicsize__ > object.__basicsize__ + word * (2 + len(_slots(kind)))


def is_ours(module: str | None) -> bool:
    """Whether a module is a part of xetile: those count by name, `fingerprint.of_compiler` covers them."""
    return module is not None and module.partition(".")[0] == "xetile"


def _is_library(fn: types.FunctionType) -> bool:
    """Functions of Python's library and of installed packages count by name, with their package's version: they are many."""
    return source_text.is_installed(fn.__code__.co_filename)
