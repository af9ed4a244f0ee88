"""The warning for a kernel whose values will not fit the registers: which tiles are at fault, and which sizes fit."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

from xetile.errors import Location, XetileError
from xetile.runtime.specialize import SpillWarning

if TYPE_CHECKING:
    from xetile.estimate import Estimate, Held
    from xetile.runtime.artifact import Binary
    from xetile.runtime.request import Request

# What holds less than this share of the registers is not named.
SHARE = 1 / 16
TRIES = 2  # other sizes that are compiled to see whether they fit: each takes as long as the kernel
LARGE = 2000  # ops at lane level from which on none are: compiling takes about 0.1 ms for each
HALVINGS = 4  # of all sizes together
SMALLEST = 8  # sizes are not halved below


def warn_of_built(request: Request, made: Binary, spilled: int | None) -> None:
    """Warn of a kernel that a driver has built, which says what it spills; where it says nothing, by the estimate.

    Some drivers answer 0 of every kernel: what was estimated is told then, too.
    """
    if spilled or made.spill_bytes:
        warn(request, made, spilled)


def warn(request: Request, made: Binary, spilled: int | None = None) -> None:
    """Warn, at the place in the kernel's source that holds most registers, what will be spilled and what would fit.

    spilled: bytes of a hardware thread that the driver spills, where that is known.
    """
    lines, at = explain(request, made, spilled)
    code: Any = request.fn.__code__
    file, line = (at.file, at.line) if at is not None else (code.co_filename, code.co_firstlineno)
    warnings.warn_explicit("\n".join(lines), SpillWarning, str(file), int(line), module=request.fn.__module__, registry={})


def explain(request: Request, made: Binary, spilled: int | None = None) -> tuple[list[str], Location | None]:
    """What will be spilled and what would fit, line by line, and the place that holds most registers."""
    from xetile.runtime.compiler import estimate, trace

    found = estimate(request, whole=False)
    shapes = _shapes(trace(request))
    faults = _faults(found)
    lines = _said(found, faults, shapes, spilled)
    fitting = list(_fitting(request, made, found, faults, shapes))
    general = "use smaller tiles" + (", or more subgroups" if _takes_subgroups(request, made, made.num_subgroups * 2) else "")
    lines.append(f"  hint: {'; '.join(fitting) or general}")
    return lines, next((held.at for held in faults if held.at is not None), None)


def warn_of_text(found: Estimate) -> None:
    """Warn of a kernel that was read as MLIR text, at the line that holds most registers."""
    faults = _faults(found)
    at = next((held.at for held in faults if held.at is not None), None)
    said = [*_said(found, faults, {}), "  hint: use smaller blocks, or more subgroups"]
    file, line = (at.file, at.line) if at is not None else (found.kernel, 1)
    warnings.warn_explicit("\n".join(said), SpillWarning, str(file), int(line), registry={})


def _faults(found: Estimate) -> list[Held]:
    return [held for held in found.held if held.registers >= SHARE * found.grf] or list(found.held[:1])


def _said(found: Estimate, faults: list[Held], shapes: dict[Location, tuple[int, ...]], spilled: int | None = None) -> list[str]:
    what = f"the driver spills {spilled} bytes of every hardware thread to memory"
    if not spilled:
        what = f"about {found.spill_bytes} bytes of every hardware thread will be spilled to memory"
    lines = [f"{found.kernel} for {found.target} needs at least {found.least} of {found.grf} registers: {what}"]
    return lines + [f"  {held.registers:.0f} registers: {_named(held, shapes)}" for held in faults]


def _shapes(module: Any) -> dict[Location, tuple[int, ...]]:
    """The shape of a workgroup's value at each place of the source."""
    return {op.loc: op.results[0].type.shape for op in module.walk() if op.loc is not None and op.results
            and getattr(op.results[0].type, "shape", ())}  # fmt: skip


def _named(held: Held, shapes: dict[Location, tuple[int, ...]]) -> str:
    shape = shapes.get(held.at) if held.at is not None else None
    kind = f"{held.dtype}[{', '.join(map(str, shape))}] " if shape else ""
    return f"{kind}{held.expression}" + (f", line {held.at.line}" if held.at is not None else "")


def _fitting(request: Request, made: Binary, found: Estimate, faults: list[Held],
             shapes: dict[Location, tuple[int, ...]]) -> Iterator[str]:  # fmt: skip
    """Options near the given ones that fit, with the registers that they need: those that change least first.

    What would not fit where each value shrinks as its tile does is not compiled; how far that is off, the first try shows. Of kernels
    whose compiling takes long nothing is.
    """
    sizes = {n for held in faults if held.at is not None for n in shapes.get(held.at, ())}
    tries, error = 0, 1.0
    for other in _nearby(request, made, sizes):
        fewer = made.num_subgroups / (other.num_subgroups or made.num_subgroups)
        expected = _expected(found, request, other, shapes, fewer)
        if expected * error > found.grf:
            continue
        tries += 1
        if found.ops > LARGE:
            yield f"{_options(request, other)} may need about {expected:.0f}"
        else:
            need = _needs(other)
            if need is not None and need <= found.grf:
                yield f"{_options(request, other)} needs {need}"
            error = max(error, (need or 0) / expected)
        if tries == TRIES:
            break


def _expected(found: Estimate, request: Request, other: Request, shapes: dict[Location, tuple[int, ...]], fewer: float) -> float:
    """Registers of another request, from those of this one. fewer: the share of a tile that a subgroup holds then, of what it holds now."""
    changed = [(value, other.constexprs[name]) for name, value in request.constexprs.items() if other.constexprs[name] != value]
    total = float(found.least)
    for held in found.held:
        dims = list(shapes.get(held.at, ())) if held.at is not None else []
        share = fewer if dims else 1.0
        for before, after in changed:
            if before in dims:
                dims.remove(before)
                share *= after / before
        total -= held.registers * (1 - share)
    return total


def _needs(request: Request) -> int | None:
    from xetile.runtime.compiler import least_registers

    try:
        return least_registers(request)
    except XetileError:  # these sizes are no kernel
        return None


def _nearby(request: Request, made: Binary, sizes: set[int]) -> Iterator[Request]:
    """Twice the subgroups, or one size halved, then more of either: of those constants that are a size of a tile at fault.

    Smaller tiles are for as many subgroups as the kernel has: nothing is searched for.
    """
    names = [n for n, v in request.constexprs.items() if type(v) is int and v in sizes]
    for count in range(1, HALVINGS + 1):
        if _takes_subgroups(request, made, made.num_subgroups << count):
            yield replace(request, num_subgroups=made.num_subgroups << count)
        for chosen in combinations_with_replacement(names, count):
            changed = {name: request.constexprs[name] >> times for name, times in Counter(chosen).items()}
            if all(v >= SMALLEST and request.constexprs[n] % v == 0 for n, v in changed.items()):
                yield replace(request, constexprs={**request.constexprs, **changed}, num_subgroups=made.num_subgroups)


def _takes_subgroups(request: Request, made: Binary, number: int) -> bool:
    from xetile.target import get_target

    return number <= get_target(request.target).max_subgroups(made.grf)


def _options(request: Request, other: Request) -> str:
    changed = [f"{n}={v}" for n, v in other.constexprs.items() if v != request.constexprs[n]]
    if other.num_subgroups != request.num_subgroups:
        changed.append(f"num_subgroups={other.num_subgroups}")
    return ", ".join(changed)
