"""From a Python function and a signature to a finished kernel: frontend, passes and SPIR-V, in that order.

Imports the compiler only when something is compiled, so that a process that finds its kernels in the cache never does.
"""

from __future__ import annotations

import importlib
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from xetile import internal
from xetile.collection import keep_what_is_there, paused
from xetile.requirements import NONE, Requirements
from xetile.runtime import captures, fitting, reproducer, settings
from xetile.runtime.artifact import ArgSpec, Binary, Program
from xetile.runtime.lowering import Lowering
from xetile.runtime.reproducer import guarded
from xetile.runtime.request import Request
from xetile.runtime.watching import watched_by_settings

if TYPE_CHECKING:
    from xetile.dialects.gpu import GpuFunc, GpuModule
    from xetile.errors import Location
    from xetile.estimate import Estimate
    from xetile.index_ranges import IndexRanges
    from xetile.target import Target

EMITTER = "xetile.backends.spirv.emit.emitter"  # found by name: the compiler imports no backend statically


@guarded("the frontend")
def trace(request: Request) -> GpuModule:
    """The kernel as XeTile IR at workgroup level."""
    return _trace(request)[0]


@guarded("the frontend")
def axes_to_free(request: Request, names: frozenset[str]) -> frozenset[str]:
    """Parameters of whose last two axes the kernel drops one, so that block messages ask more of their strides (`slow_tiles`).

    Of those with these names they will be freed, before the kernel is compiled.
    """
    from xetile.passes.analysis.slow_tiles import without_free_axes

    with paused():
        module = _trace_with(request, request.index_bits)
        found = without_free_axes(module, _target(request))
        _traced.clear()
        kept = None if found & names else module
        _traced.append((*_key(request.with_free_axes(found & names)), kept, captures.of(request.fn, request.constexprs)))
    return found


def _trace(request: Request) -> tuple[GpuModule, IndexRanges]:
    """The kernel, with an index of 64 bits where 32 may not be enough for any launch; and what must hold at a launch."""
    from xetile.passes.analysis.index_ranges import count_without_sign, index_ranges
    from xetile.passes.analysis.index_ranges.assumed_tiles import assume_tiles
    from xetile.passes.analysis.multiples import assume_multiples

    module = _traced_before(request)
    assume_tiles(module)
    assume_multiples(module, _target(request))
    ranges = index_ranges(module)
    if ranges.never_hold and count_without_sign(module):
        ranges = index_ranges(module)
    if not ranges.never_hold:
        return module, ranges
    module = _trace_with(request, 64, quiet=True)
    return module, index_ranges(module)


def _traced_before(request: Request) -> GpuModule:
    """The kernel as `axes_to_free` left it, if it did so last and for this request, and the kernel sees the same; it has told then what
    kernels tell.
    """
    last = _take(_traced)
    if last is None or last[:2] != _key(request) or not last[3].is_current:
        return _trace_with(request, request.index_bits)
    return last[2] or _trace_with(request, request.index_bits, quiet=True)


def _trace_with(request: Request, index_bits: int, *, quiet: bool = False) -> GpuModule:
    from xetile.frontend import trace as run
    from xetile.passes import manager
    from xetile.passes.workgroup.forms.part_tiles import part_tiles
    from xetile.passes.workgroup.numbers.cast_once import cast_once
    from xetile.passes.workgroup.numbers.narrow_indices import narrow_indices

    with internal.stage("the frontend"):
        module = run(request.fn, request.signature, dict(request.constexprs), num_subgroups=request.num_subgroups,
                     index_bits=index_bits, target=_target(request), fast_math=request.fast_math, quiet=quiet,
                     debug=settings.get("debug"))  # fmt: skip
    narrow_indices(module)
    cast_once(module)
    module = manager.run((part_tiles,), module, _target(request))  # before all that asks which arrays are read and written
    if module.kernel.level == "workgroup":
        from xetile.passes.xegpu.propagate_layouts import count_subgroups

        count_subgroups(module)
    return module


def lower(request: Request) -> Iterator[tuple[str, GpuModule]]:
    """The kernel at one level after the other; see passes.pipeline."""
    from xetile.passes import pipeline

    known = fitting.known(request)
    if known is None:
        known, unused = fitting.fitting(request, _target(request), _begin)
        unused.module.discard()
    return pipeline.lower(trace(known), _target(request))


def _begin(request: Request) -> Lowering:
    """The kernel, with as many subgroups as the request and its maps say."""
    return Lowering(trace(request), _target(request))


@guarded("the estimate")
def estimate(request: Request, *, whole: bool = True) -> Estimate:
    """What the kernel of a request asks of the hardware; `whole`: all of it, not only what spills.

    Raises UncoveredError for a CPU's loops over vectors.
    """
    from xetile.errors import UncoveredError
    from xetile.estimate import estimate as read

    with paused():
        module = lowered(request)
        kernel = module.kernel
        if kernel.level == "vectors":
            raise UncoveredError(
                f"{kernel.sym_name}: there is no estimate for the target {request.target}: it counts the messages and registers of GPUs",
                hint='compile for a GPU, such as target="pvc"', at=kernel.loc,
            )  # fmt: skip
        found = read(kernel, _target(request), whole=whole)
        module.discard()  # its memory is free at once
        return found


@guarded("the estimate")
def least_registers(request: Request) -> int:
    """What no order of the code goes below (`Estimate.least`), without the rest of the estimate."""
    from xetile.estimate import least_registers as read

    with paused():
        module = lowered(request)
        found = read(module.kernel, _target(request))
        module.discard()
        return found


def lowered(request: Request) -> GpuModule:
    """The kernel at lane level."""
    last = _take(_built)
    if last is not None:
        if last[:2] == _key(request):
            return last[2]
        _built.append(last)
    known = fitting.known(request)
    if known is not None:
        return _begin(known).down_to()
    return fitting.fitting(request, _target(request), _begin)[1].module


@guarded("compiling")
def program(request: Request, stages: Sequence[str] | None = None) -> Program:
    """The kernel as IR, at the level that it must be run at: that of workgroups unless its subgroups diverge.

    stages: the levels that a backend takes; the first one is made where that level is none of them.

    Raises what the target has against it: a kernel that runs here runs there.
    """
    from xetile.passes import pipeline
    from xetile.passes.workgroup.products.accumulate_products import accumulate_products

    module, ranges = _trace(request)
    requires = requirements(module)
    level, target = pipeline.level_to_run(module), _target(request)

    def again() -> GpuModule:
        return _trace_with(request, module.kernel.index_bits, quiet=True)

    if stages is not None and level not in stages:
        module = next(lowered for name, lowered in pipeline.lower(module, target) if name == stages[0])
    elif level == "xetile":
        pipeline.check(again(), target)
        module = accumulate_products(module, target)  # what adds up is one call of BLAS
    else:
        pipeline.check(again(), target, "subgroup")
        if level == "subgroup":
            module = next(lowered for name, lowered in pipeline.lower(module, target) if name == level)
        else:
            module = pipeline.check(module, target, observers=True)
    return Program(
        module.kernel.sym_name,
        module,
        request.target,
        arguments(module),
        written_parameters(module),
        ranges,
        requires,
        asks=axes_asked_for(module),
        read_first=read_first(module),
        stored=most_stored(module),
        overlaps=overlaps(module),
        flat=module.kernel.flat,
    )


class _Whole(Lowering):
    """A kernel, and what is read from it at the levels above the last."""

    def __init__(self, request: Request, observe: Callable[[str, GpuModule], None] | None) -> None:
        from xetile.passes.analysis.slow_tiles import slow_tiles, tiled_arguments
        from xetile.passes.instruments import SlowTiles
        from xetile.passes.xegpu.levels import RAISING, is_xegpu

        target = _target(request)
        module, self.ranges = _trace(request)
        self._raised = SlowTiles(RAISING, target)
        self.written = written_parameters(module)
        self._slow = () if is_xegpu(module) or target.vector_lanes else slow_tiles(module, target)
        self.tiled, self.asks = tiled_arguments(module, target), axes_asked_for(module)
        self.read_first, self.stored, self.flat = read_first(module), most_stored(module), module.kernel.flat
        self.overlaps = overlaps(module)
        super().__init__(module, target, self._raised, observe=observe)

    def assembled(self, target: Target, *, lines: bool) -> Binary:
        """The kernel as SPIR-V, with all that is known of it."""
        made = assemble(self.module, target, arguments(self.module), self.written, lines=lines)
        return replace(made, ranges=self.ranges, slow=self._raised.slow or self._slow, tiled=self.tiled, requires=requirements(self.module),
                       asks=self.asks, read_first=self.read_first, stored=self.stored, overlaps=self.overlaps,
                       flat=self.flat)  # fmt: skip


@guarded("compiling")
def build(request: Request, observe: Callable[[str, GpuModule], None] | None = None) -> Binary:
    """The kernel as SPIR-V, compiled now; `observe` is shown the module at each level."""
    target, known = _target(request), fitting.known(request)
    with paused(), watched_by_settings(request.fn.__name__):
        if known is None:  # noted where it fits too: the kernel's IR and its estimate need not find it out again
            known, whole = fitting.fitting(request, target, lambda other: _Whole(other, observe if other is request else None))
            if known != request and observe is not None:  # observers are shown what is compiled, level by level
                whole.module.discard()
                whole = _Whole(known, observe)
        else:
            whole = _Whole(known, observe)
        module = whole.down_to()
        made = whole.assembled(target, lines=request.lines)
        while before := _take(_built):
            before[2].discard()
        if made.spill_bytes:
            _built.append((*_key(request), module))
        else:
            module.discard()  # before Python's collector of cycles looks at it
        _keep_the_compiler()
    return made


@cache
def _keep_the_compiler() -> None:
    """What the first compilation has imported and remembers lives on: most of what there is."""
    keep_what_is_there()


def _key(request: Request) -> tuple[weakref.ref[Any], Request]:
    """A request that keeps no function alive."""
    return weakref.ref(request.fn), replace(request, fn=_key)


_K = TypeVar("_K")


def _take(kept: list[_K]) -> _K | None:
    """The last module that was kept, for one thread alone."""
    try:
        return kept.pop()
    except IndexError:
        return None


_traced: list[tuple[weakref.ref[Any], Request, GpuModule | None, captures.Captures]] = []
"""The last kernel of which it was asked what axes to free, until it is compiled; None where it is traced anew for that."""
_built: list[tuple[weakref.ref[Any], Request, GpuModule]] = []
"""The last kernel that was built and spills, at lane level, until its estimate is asked for, as the warning of spills does right after."""


def assemble(module: GpuModule, target: Target, args: tuple[ArgSpec, ...], written: frozenset[str] | None, *,
             lines: bool = False) -> Binary:  # fmt: skip
    """A module at lane level as SPIR-V, with all that a launch needs; `lines`: with the source's lines for the driver."""
    kernel, spilled = module.kernel, fitting.spilled(module, target)
    reproducer.behind_passes(module)
    with internal.stage("the SPIR-V writer"):
        emitted = importlib.import_module(EMITTER).emit(module, target, lines=lines)
    subgroups, lanes, grf = kernel.attributes["num_subgroups"], target.subgroup_size, 0
    if target.vector_lanes:
        lanes = 1  # one work-item runs a whole workgroup
    else:
        grf = kernel.attributes.get("grf", target.grf_modes[0].registers)
    return Binary(
        name=kernel.sym_name, spirv=emitted.spirv, target=target.name, subgroup_size=lanes,
        num_subgroups=subgroups, local_size=(subgroups * lanes, 1, 1), grf=grf, slm_bytes=emitted.slm_bytes,
        build_options=_build_options(kernel, target, grf, lines=lines), args=args, written=written, spill_bytes=spilled,
        asserts=emitted.asserts,
    )  # fmt: skip


def _build_options(kernel: GpuFunc, target: Target, grf: int, *, lines: bool) -> str:
    """What the driver is told: the register file, to round quotients and roots as IEEE 754 says, to keep the source's lines."""
    from xetile.dialects import arith, math

    rounds = any(arith.APPROXIMATE not in op.attributes for op in kernel.find((arith.DivF, math.Sqrt)))
    exact = rounds and not kernel.fast_math
    mode = target.grf_mode(grf).build_option if grf else ""
    return " ".join(filter(None, (mode, target.exact_division_option if exact else "", "-g" if lines else "")))


def _target(request: Request) -> Target:
    from xetile.target import get_target

    return get_target(request.target)


def arguments(module: GpuModule) -> tuple[ArgSpec, ...]:
    """What each argument of a kernel is at launch; sizes and other index numbers have the width that the kernel says."""
    bits = module.kernel.index_bits
    return tuple(
        ArgSpec(a.kind, a.param, a.axis, f"index{bits}" if a.kind in ("dim", "stride") or a.dtype == "index" else a.dtype)  # type: ignore[arg-type]
        for a in module.kernel.args
    )


def requirements(module: GpuModule) -> Requirements:
    """What a kernel states of its arguments."""
    text = module.kernel.requires
    return NONE if text is None else Requirements.parse(text)


def written_parameters(module: GpuModule) -> frozenset[str]:
    """The array parameters that a kernel stores to."""
    from xetile.dialects.effects import written_arguments

    names = module.kernel.arrays
    return frozenset(names[a] for a in written_arguments(module) if a in names)


def axes_asked_for(module: GpuModule) -> str:
    """Axes of the grid that a kernel asks for, by program_id or num_programs."""
    from xetile.dialects.gpu import BlockId, GridDim

    found = {op.dimension for op in module.walk() if isinstance(op, (BlockId, GridDim))}
    return "".join(axis for axis in "xyz" if axis in found)


def read_first(module: GpuModule) -> tuple[tuple[str, Location], ...]:
    """The array parameters that a program reads before it stores to them, and where."""
    from xetile.dialects.effects import read_before_stored

    names = module.kernel.arrays
    return tuple((names[a], at) for a, at in read_before_stored(module).items() if a in names)


def most_stored(module: GpuModule) -> tuple[tuple[str, int], ...]:
    """How many elements a program stores to an array parameter at most, where that is known."""
    from xetile.dialects import effects

    names = module.kernel.arrays
    return tuple((names[a], count) for a, count in effects.most_stored(module).items() if a in names)


def overlaps(module: GpuModule) -> tuple[tuple[str, str, int, int, Location], ...]:
    """Stores to array parameters by neighbouring programs that meet, as `Binary` has them."""
    from xetile.dialects.effects import arguments_behind
    from xetile.dialects.overlaps import overlapping_stores

    found = overlapping_stores(module)
    if not found:
        return ()
    names, behind = module.kernel.arrays, arguments_behind(module)
    return tuple(
        (names[a], each.axis, each.step, each.size, each.at) for each in found for a in behind((each.base,)) if a in names
    )
