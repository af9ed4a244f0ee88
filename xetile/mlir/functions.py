"""The functions of a text: which of them are kernels, and which are called and become part of their callers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from xetile.errors import Location, MlirTextError
from xetile.mlir.attributes import read_attribute
from xetile.mlir.generic import RawOp
from xetile.mlir.scan import Scanner
from xetile.records import dataclass

CALL = "func.call"
RETURNS = ("gpu.return", "func.return")
_CONTAINERS = ("builtin.module", "gpu.module")
_FUNCTIONS = ("gpu.func", "func.func")
_LAUNCHES = ("gpu.launch_func", "gpu.launch")
MOST_THREADS = 1024
MOST_CALLS = 64
"""Calls in calls."""


@dataclass(frozen=True)
class Function:
    """A function with a body; `module`: the name of the module that it stands in."""

    op: RawOp
    module: str
    name: str
    calls: frozenset[str]
    launches: bool
    threads: tuple[int, ...] | None = None
    """Of a workgroup along x, y and z, where all that launch it say the same."""


@dataclass(frozen=True)
class Functions:
    """All functions of a text. Ops of other kinds beside them are nobody's business here."""

    all: tuple[Function, ...]
    file: str = ""
    _within: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, tree: Sequence[RawOp], file: str) -> Functions:
        """Those of a tree."""
        found = list(_functions(tree, "module"))
        launched: dict[tuple[str, str], set[tuple[int, ...] | None]] = {}
        for function in found:
            for called, threads in _launched(function.op):
                launched.setdefault(called, set()).add(threads)
        for i, function in enumerate(found):
            said = launched.get((function.module, function.name), set())
            found[i] = replace(function, threads=next(iter(said)) if len(said) == 1 else None)
        return cls(tuple(found), file)

    def candidates(self) -> list[Function]:
        """What a launch may mean: those marked as kernels, else those that no other calls; never code of the host."""
        marked = [f for f in self.all if {"kernel", "gpu.kernel"} & f.op.attributes.keys()]
        called = set().union(*(f.calls for f in self.all)) if self.all else set()
        return marked or [f for f in self.all if f.name not in called and not f.launches]

    def kernel(self, name: str | None) -> Function:
        """The kernel of a name, or the only one.  Raises MlirTextError."""
        found = self.candidates() if name is None else [f for f in self.all if f.name == name]
        names = ", ".join(dict.fromkeys(f.name for f in (found or self.all)))
        if name is None and len(found) != 1:
            raise MlirTextError(f"{self.file} has {len(found)} kernels{': ' + names if found else ''}",
                                hint="name the one that is meant" if found else "a kernel is a gpu.func or func.func with a body")  # fmt: skip
        if len(found) != 1:
            raise MlirTextError(
                f"{self.file} has {'several functions' if found else 'no kernel'} {name}", hint=f"kernels: {names or 'none'}"
            )
        return found[0]

    def reached(self, function: Function) -> list[Function]:
        """A function, and all that it calls, itself or through others."""
        found = [function]
        for one in found:  # which grows
            found += [f for f in self.all if f.name in one.calls and not any(f is known for known in found)]
        return found

    def called(self, caller: RawOp, at: Location) -> Function:
        """The function that a call names.  Raises MlirTextError where there is none."""
        name = _callee(caller)
        found = [f for f in self.all if f.name == name]
        if len(found) != 1:
            known = ", ".join(sorted({f.name for f in self.all}))
            why = "are several functions" if found else "is no function with a body"
            raise MlirTextError(f"{caller.name}: there {why} @{name}", hint=f"functions: {known}", at=at)
        return found[0]


def _functions(tree: Sequence[RawOp], module: str) -> Iterator[Function]:
    for op in tree:
        if op.name in _CONTAINERS:
            name = _symbol(op) or "module"
            yield from _functions([o for region in op.regions for o in region.ops], name if name != "module" else module)
        elif op.name in _FUNCTIONS and op.regions and op.regions[0].ops:
            inside = list(walk(op))
            calls = frozenset(_callee(o) for o in inside if o.name == CALL)
            yield Function(op, module, _symbol(op), calls, any(o.name in _LAUNCHES for o in inside))


def _launched(host: RawOp) -> Iterator[tuple[tuple[str, str], tuple[int, ...] | None]]:
    """((module, kernel), threads) of each launch in a function; None where they are no constants."""
    inside = list(walk(host))
    constants = {op.results[0]: op.attributes.get("value", "") for op in inside if op.name == "arith.constant" and op.results}
    for op in inside:
        names = [name.strip('"') for name in op.attributes.get("kernel", "").removeprefix("@").split("::@")]
        segments = re.findall(r"\d+", op.attributes.get("operandSegmentSizes", "").partition(":")[2])
        if op.name != "gpu.launch_func" or len(names) != 2 or not segments:
            continue
        first = int(segments[0]) + 3  # behind what it waits for and the grid
        sizes = [constants.get(name, "").partition(":")[0].strip() for name in op.operands[first : first + 3]]
        known = len(sizes) == 3 and all(size.isdecimal() and 0 < int(size) <= MOST_THREADS for size in sizes)
        yield (names[0], names[1]), tuple(map(int, sizes)) if known else None


def inputs(function: RawOp) -> int:
    """How many arguments a function takes: its body has those, and what it reserves beside them."""
    scanner = Scanner(function.attributes.get("function_type", ""))
    arguments = function.regions[0].arguments
    if not scanner.accept("("):
        return len(arguments)
    count = 0
    while scanner.rest() and not scanner.accept(")"):
        scanner.piece(",)")
        scanner.accept(",")
        count += 1
    return min(count, len(arguments))


def walk(op: RawOp) -> Iterator[RawOp]:
    """All ops in an op, in their order."""
    for region in op.regions:
        for inner in region.ops:
            yield inner
            yield from walk(inner)


def _symbol(op: RawOp) -> str:
    name = read_attribute(op.attributes.get("sym_name", '""'))
    return name if isinstance(name, str) else ""


def _callee(call: RawOp) -> str:
    """`name` of `@name` and `@"name"`."""
    return call.attributes.get("callee", "").removeprefix("@").strip('"')
