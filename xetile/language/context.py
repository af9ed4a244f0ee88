"""The kernel that is being traced: where ops go, and the constants at its head."""

from __future__ import annotations

import sys
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar

from xetile.dialects import arith
from xetile.dialects.types import I32, I64, INDEX, ScalarType
from xetile.errors import CompileError, XetileError
from xetile.ir.builder import Builder, create
from xetile.ir.core import Block, Op, Type, Value
from xetile.language.ambient import traced
from xetile.records import dataclass
from xetile.target.names import DEFAULT_LANES

if TYPE_CHECKING:
    from xetile.target import Target


ErrorT = TypeVar("ErrorT", bound=XetileError)


@dataclass
class Kernel:
    """State of one trace.

    `index_bits`: width of sizes and offsets on the device; `messages`: what static_print says, held back until the trace succeeds, because
    a loop body may be traced more than once; `level`: of a kernel in xegpu's ops, None of others; `asserts`: whether it checks anything at
    run time; `debug`: whether tiles say what debug mode checks of them; `precise`: whether Python's floats are f64, as in kernels of f64
    arrays; `counts`: values that are never negative, such as loop variables and sizes; `begins`, `ends`: where loops' counters begin, and
    before what they end; `computed`: of a number, and of a way to compute one, the first that was computed so; `counted`: arrays of which
    offsets make scattered tiles, with these and the place.
    """

    build: Builder
    index_bits: int = 32
    num_subgroups: int | None = None
    target: Target | None = None
    level: str | None = None
    asserts: bool = False
    debug: bool = False
    precise: bool = False
    messages: list[str] = field(default_factory=list)
    repeated: int = 0
    constants: dict[tuple[Any, ...], Value] = field(default_factory=dict)
    counts: set[Value] = field(default_factory=set)
    begins: dict[Value, Any] = field(default_factory=dict)
    ends: dict[Value, Any] = field(default_factory=dict)
    computed: dict[Value | tuple[Any, ...], Value] = field(default_factory=dict)
    watches: list[Any] = field(default_factory=list)
    calls: int = 0
    traced: int = 0
    counted: list[tuple[Any, Value, Any]] = field(default_factory=list)

    @property
    def subgroup_size(self) -> int:
        """Lanes of a subgroup."""
        return self.target.subgroup_size if self.target is not None else DEFAULT_LANES

    @property
    def index_int(self) -> ScalarType:
        """The integer type that index is on the device."""
        return I32 if self.index_bits == 32 else I64

    def constant(self, value: Any, type: Type) -> Value:
        """A constant; all stand at the head of the kernel, each once."""
        # repr tells 0.0 from -0.0 and finds nan again; the type tells True from 1.
        key = (repr(value), type)
        found = self.constants.get(key)
        if found is None:
            found = create(arith.Constant, value=value, result=type, loc=self.build.loc).result
            self.constants[key] = found
        return found

    def index(self, value: int) -> Value:
        """A constant of type index."""
        return self.constant(value, INDEX)

    def hoisted(self, kind: type[Op], type: Type) -> Value:
        """What an op without operands makes, at the head of the kernel; one for each type."""
        key = (kind.__name__, type)
        found = self.constants.get(key)
        if found is None:
            found = self.constants[key] = create(kind, result=type, loc=self.build.loc).result
        return found

    def place_constants(self, entry: Block) -> None:
        """Put the constants, and what else is hoisted, that are used at the head of the kernel."""
        used = {v for op in entry.walk() for v in op.operands}
        entry.insert(0, [v.owner for v in self.constants.values() if v in used and isinstance(v.owner, Op)])


def current() -> Kernel:
    """The kernel being traced; raises CompileError outside of one."""
    kernel: Kernel | None = traced.get()
    if kernel is None:
        frame, name = sys._getframe(1), ""
        while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(__package__):
            frame, name = frame.f_back, frame.f_code.co_name  # that which the user's code calls
        raise CompileError(
            f"{'this function' if name == 'function' else name.rstrip('_')} works only inside a kernel while it is compiled",
            hint="put the code into a function decorated with @xetile.jit and call that; for whole arrays there are numpy and xt.ops",
        )
    return kernel


def in_a_kernel(error: ErrorT) -> ErrorT:
    """An error about what a function of the language is given; outside of kernels that is raised instead, whatever it is given."""
    current()
    return error


class tracing:  # noqa: N801 (reads as the verb it is)
    """`with tracing(kernel):` makes it the current one."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def __enter__(self) -> Kernel:
        self._token = traced.set(self._kernel)
        return self._kernel

    def __exit__(self, *exc: object) -> None:
        traced.reset(self._token)
