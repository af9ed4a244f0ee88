"""Running a module: arguments become values, the grid is cut into chunks, each chunk runs all its programs at once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import isqrt, prod
from time import process_time
from typing import Any

import numpy as np

from xetile.dialects import gpu, xegpu, xetile
from xetile.dialects.effects import written_arguments
from xetile.dialects.layouts import layouts_of
from xetile.dialects.levels import executed_by
from xetile.dialects.types import I8, I16, I32, I64, MemRefType, ScalarType
from xetile.dialects.xegpu.rules import POINTERS
from xetile.errors import ArgumentError
from xetile.ir.core import Block, Op, Value
from xetile.layout import Layout
from xetile.records import dataclass
from xetile.runtime import settings
from xetile.target import get_target

from . import arith, atomics, blocks, control, flat_memory, joint_matrices, kernels, matrices, scattered, stops, tiles, vectors  # noqa: F401  each registers the meanings of its ops
from .debug import Monitor, Watch
from .lifetime import bytes_per_program
from .machine import KernelPlan, Machine, WaitsError, plan_kernel
from .memory import Memory
from .schedule import Task, run_in_turns, tasks_of
from .values import Array, scalar, storage
from .waiting import waits_of

UNITS = {1: I8, 2: I16, 4: I32, 8: I64}
"""Elements of memory whose type is not known, by their bytes."""

BUDGET = 32 << 20
"""Bytes of values that a chunk of the grid may hold at a time: about what the last cache of a core holds, measured best."""


@dataclass(frozen=True)
class Prepared:
    """What is known of a kernel before its arguments: `written`, arguments that some op
    may write to; `tasks`, whether subgroups wait for each other at named barriers; `waits`, loops in which programs may wait for each
    other; `told`, whether it prints or stops; `level`, who executes an op; `layouts`, what
    subgroups hold of values, where they may diverge; `unknown`, whether nothing says that of the values of descriptors.
    """

    func: gpu.GpuFunc
    plan: KernelPlan
    written: set[Value]
    tasks: bool
    waits: frozenset[Op]
    told: bool
    level: str
    layouts: Mapping[Value, Layout]
    unknown: bool

    @cached_property
    def size(self) -> int:
        """Bytes of the values of one program; only those who run several at once need to know."""
        return bytes_per_program(self.func)


_prepared: OrderedDict[Op, Prepared] = OrderedDict()
_PREPARED_KEPT = 64
"""Kernels in whose plans nobody needs to look again; a plan refers to its kernel, so weak references would keep all for ever."""


def interpret(module: Op, grid: Sequence[int], args: Sequence[Any], *, level: str | None = None, target: str = "pvc",
              debug: bool = False, undefined: Sequence[str] = (), watch: Watch | None = None,
              budget_bytes: int = BUDGET, apart: str = "") -> None:  # fmt: skip
    """Run the kernel of a module of any level, in place on the given arrays.

    grid     programs along x, y, z.
    args     one value for each argument of the kernel: a numpy array, or a number.
    level    who executes an op, "workgroup", "subgroup" or "lane"; by default what the kernel says or its ops tell.
    target   whose subgroups they are, where the kernel does not give `subgroup_size`.
    debug    find what hardware hides (see `debug`); `undefined` names arguments whose contents are undefined before.
    watch    called with each op and its result (an array with five batch axes in front); implies debug.
    budget_bytes   what the values of one chunk of the grid may take.
    apart    "first" or "last": subgroups do not go in step, but that one, and then each next to it, goes to the next barrier before
             others go on. What should have a barrier and lacks it comes out wrong in one of the two orders.

    Raises ArgumentError before anything has run; LaunchError and KernelAssertionError, with the op's place, while it runs.
    """
    func = gpu.kernel_of(module)
    known = _prepare(func)
    whole = _grid(grid)
    values = _arguments(func, args, known.written)
    machine = Machine(
        plan=known.plan,
        grid=whole,
        num_subgroups=func.num_subgroups or 1,
        subgroup_size=func.subgroup_size or get_target(target).subgroup_size,
        level=level or known.level,
        target=target,
        index_bits=func.index_bits,
        layouts=known.layouts,
        unknown=known.unknown,
        waits=known.waits,
        deadline=process_time() + seconds if (seconds := settings.get("seconds")) > 0 else 0.0,
    )
    memories = [v for v in values if isinstance(v, Memory)]

    def watched() -> Machine:
        if debug or watch is not None:
            unknown = [v for v in memories if v.name in undefined]
            machine.monitor = Monitor(memories, unknown, watch, prod(whole))
        return machine

    with np.errstate(all="ignore"):
        if known.tasks or apart or (known.waits and known.told):
            by_subgroup = known.tasks or (bool(apart) and machine.level != "workgroup")
            _run_in_turns(watched(), func.body, values, by_subgroup=by_subgroup, backward=apart == "last")
            _end(machine)
            return
        alone = func.level == "vectors" or prod(whole) <= 1
        count = 1 if alone else max(1, budget_bytes // max(1, known.size))
        before = [(v.flat, v.flat.copy()) for v in memories if not v.read_only] if known.waits else []
        try:
            _run_together(watched(), func.body, values, count)
        except WaitsError:
            for flat, copy in before:
                flat[...] = copy
            _run_in_turns(watched(), func.body, values, by_subgroup=False)
        _end(machine)


def _end(machine: Machine) -> None:
    if machine.monitor is not None:
        machine.monitor.end()


def _run_together(machine: Machine, body: Block, values: list[Any], count: int) -> None:
    for start, extent in chunks(machine.grid, count):
        chunk = machine.on(start, extent)
        if chunk.monitor is not None:
            chunk.monitor.begin(chunk)
        chunk.run(body, values)


def _run_in_turns(machine: Machine, body: Block, values: list[Any], *, by_subgroup: bool, backward: bool = False) -> None:
    """Program after program; one that waits for another gives way to it."""

    def tasks() -> Iterator[Task]:
        for start, extent in chunks(machine.grid, 1):
            program = machine.on(start, extent)
            if machine.monitor is not None:
                program.monitor = machine.monitor.of_program(program)
            yield from tasks_of(program, by_subgroup=by_subgroup, backward=backward)

    run_in_turns(tasks(), body, values)


def _prepare(func: gpu.GpuFunc) -> Prepared:
    known = _prepared.get(func)
    if known is None:
        tasks = any(isinstance(op, xegpu.NbarrierWait) for op in func.walk())
        layouts = layouts_of(func) if any(isinstance(op, gpu.SubgroupId) for op in func.walk()) else {}
        unknown = not layouts and any(isinstance(v.type, xegpu.TensorDescType) for op in func.walk() for v in op.results)
        told = any(isinstance(op, (gpu.Printf, xetile.Print, xetile.Breakpoint)) for op in func.walk())
        known = _prepared[func] = Prepared(
            func, plan_kernel(func), written_arguments(func), tasks, waits_of(func), told, level_of(func), layouts, unknown
        )
        while len(_prepared) > _PREPARED_KEPT:
            _prepared.popitem(last=False)
    return known


def _grid(grid: Sequence[int]) -> tuple[int, int, int]:
    x, y, z = (*(int(n) for n in grid), 1, 1, 1)[:3]
    if min(x, y, z) < 0:
        raise ArgumentError(f"the grid {tuple(grid)} has a negative size")
    return z, y, x


def level_of(func: gpu.GpuFunc) -> str:
    """Who executes an op: what the attribute `level` says, or a layout over subgroups, else lanes or subgroups if they ask who
    they are, else the workgroup.
    """
    said = executed_by(func)
    if said is not None:
        return said
    if any(layout.is_workgroup for op in func.walk() for layout in xegpu.layouts_of(op)):
        return "workgroup"
    kinds = {type(op) for op in func.walk()}
    if gpu.LaneId in kinds:
        return "lane"
    return "subgroup" if gpu.SubgroupId in kinds else "workgroup"


def chunks(grid: tuple[int, int, int], count: int) -> Iterator[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    """Start and extent of boxes of about `count` programs that cover the grid.

    They are as square as the grid allows: then tiles that depend on one axis only are read least often.
    """
    z, y, x = grid
    if not prod(grid):
        return
    columns = min(x, max(isqrt(count), count // y))
    rows = min(y, max(1, count // columns))
    sizes = (min(z, max(1, count // (rows * columns))), rows, columns)
    for k in range(0, z, sizes[0]):  # no itertools.product, which would make all starts of a long grid at once
        for j in range(0, y, sizes[1]):
            for i in range(0, x, sizes[2]):
                yield (k, j, i), (min(sizes[0], z - k), min(sizes[1], y - j), min(sizes[2], x - i))


# Arguments.


def _arguments(func: gpu.GpuFunc, args: Sequence[Any], written: set[Value]) -> list[Any]:
    expected = func.body.args
    if len(args) != len(expected):
        raise ArgumentError(f"the kernel {func.sym_name} takes {len(expected)} arguments, not {len(args)}")
    arrays = [a for a, v in zip(args, expected) if v in written and isinstance(a, np.ndarray)]
    values: list[Any] = []
    for value, given in zip(expected, args):
        if not isinstance(value.type, MemRefType):
            values.append(_pointer(value, given) if isinstance(given, np.ndarray) and given.ndim else _number(value, given))
            continue
        _check_array(value, given, value in written)
        shared = any(np.may_share_memory(given, a) for a in arrays)
        values.append(as_memory(given, value.type.element, value.name, read_only=not shared))
    return values


def _pointer(value: Value, given: Array) -> Memory:
    """An array for an address; what it holds is for the ops to say that use the address."""
    if value.type not in POINTERS:
        raise ArgumentError(f"argument {value.name} is a number of type {value.type}, not an array")
    return as_memory(given, UNITS[given.dtype.itemsize], value.name)


def _number(value: Value, given: Any) -> Array:
    if not isinstance(value.type, ScalarType):
        raise ArgumentError(f"argument {value.name} has type {value.type}, which cannot be passed")
    dtype = storage(value.type)
    if value.type.is_int and dtype != np.bool_:
        return scalar(np.array(int(given) & ((1 << value.type.bits) - 1), np.uint64).astype(dtype), dtype)
    return scalar(given, dtype)


def _check_array(value: Value, given: Any, written: bool) -> None:
    if not isinstance(given, np.ndarray):
        raise ArgumentError(f"argument {value.name} is a {type(given).__name__}, not a numpy array")
    if given.dtype.itemsize != storage(value.type.element).itemsize:  # type: ignore[attr-defined]
        raise ArgumentError(f"array {value.name} holds {given.dtype}; the kernel takes {value.type}")
    if written and not given.flags.writeable:
        raise ArgumentError(f"array {value.name} is read-only; the kernel writes to it")


def as_memory(array: Array, element: ScalarType, name: str, *, read_only: bool = False) -> Memory:
    """The memory from the first to the last element of an array; address 0 is its element (0, 0, ...)."""
    size = array.itemsize
    ends = [(n - 1) * s for n, s in zip(array.shape, array.strides)] if array.size else []
    if any(s % size for s in array.strides):
        raise ArgumentError(f"array {name} has strides that are not whole elements")
    low, high = sum(min(0, e) for e in ends), sum(max(0, e) for e in ends)
    count = (high - low) // size + 1 if array.size else 0
    origin = array[tuple(slice(None, None, -1) if s < 0 else slice(None) for s in array.strides)]
    # As plain integers first: ml_dtypes' types have no array interface of their own.
    flat = np.lib.stride_tricks.as_strided(origin.view(f"u{size}"), (count,), (size,))
    steps = tuple(s // size for s in array.strides)
    return Memory(flat.view(storage(element)), name, base=-low // size, read_only=read_only, shape=array.shape, steps=steps)
