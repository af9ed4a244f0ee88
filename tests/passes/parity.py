"""Passes keep the meaning: a kernel leaves the same arrays at every level, in the reference interpreter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xetile.backends.reference.interpret import interpret

from xetile.dialects import gpu, scf, xetile
from xetile.dtypes import from_numpy
from xetile.frontend.tracer import trace
from xetile.ir.printer import print_op
from xetile.ir.verifier import verify
from xetile.passes.cleanup.canonicalize import canonicalize
from xetile.passes.distribute.distribute_to_subgroups import distribute_to_subgroups
from xetile.passes.workgroup.forms.check_tiles import check_tiles
from xetile.passes.workgroup.layouts.infer_layouts import infer_layouts
from xetile.signature import parse
from xetile.target import get_target

Modules = dict[str, Any]


def signature(args: Mapping[str, Any]) -> dict[str, Any]:
    """The types of a kernel's parameters from arrays and numbers."""
    return {name: parse(_described(a)) for name, a in args.items()}


def _described(a: Any) -> str:
    if isinstance(a, np.ndarray):
        return f"{from_numpy(a.dtype)}[{','.join('?' * a.ndim)}]"
    return "f32" if isinstance(a, float) else "i32"


def flattened(module: Any, args: Mapping[str, Any]) -> list[Any]:
    """What is passed at launch: arrays, their sizes and strides, numbers."""
    flat: list[Any] = []
    for spec in module.kernel.args:
        a = args[spec.param]
        part = {"array": lambda a, i: a, "scalar": lambda a, i: a, "dim": lambda a, i: a.shape[i],
                "stride": lambda a, i: a.strides[i] // a.itemsize}[spec.kind]  # fmt: skip
        flat.append(part(a, spec.axis))
    return flat


def levels(make: Callable[[], Any], target: str = "pvc") -> Modules:
    """The module at workgroup level, laid out, at subgroup level and cleaned; each verified."""
    chip = get_target(target)
    modules = {"xetile": make()}
    modules["layout"] = infer_layouts(check_tiles(make(), chip), chip)
    modules["subgroup"] = distribute_to_subgroups(modules["layout"], chip)
    modules["canonical"] = canonicalize(distribute_to_subgroups(modules["layout"], chip), chip)
    for module in modules.values():
        verify(module)
    return modules


def traced(fn: Any, args: Mapping[str, Any], constants: Mapping[str, Any] | None = None, subgroups: int | None = None) -> Any:
    """The workgroup-level module of a kernel."""
    return trace(fn, signature(args), constants or {}, num_subgroups=subgroups)


def check_parity(
    fn: Any,
    grid: Sequence[int],
    args: Mapping[str, Any],
    constants: Mapping[str, Any] | None = None,
    *,
    subgroups: int | None = None,
    target: str = "pvc",
    rtol: float = 1e-4,
) -> tuple[dict[str, Any], Modules]:
    """Run all levels on copies of `args`: each must leave what the workgroup level leaves. Gives it, and the modules."""
    modules = levels(lambda: traced(fn, args, constants, subgroups), target)
    expected: dict[str, Any] = {}
    for name, module in modules.items():
        copies = {k: a.copy() if isinstance(a, np.ndarray) else a for k, a in args.items()}
        interpret(module, grid, flattened(module, copies), level="workgroup" if name in ("xetile", "layout") else "subgroup")
        expected = expected or copies
        for key, left in copies.items():
            if isinstance(left, np.ndarray):
                close = np.allclose(left.astype(float), expected[key].astype(float), rtol=rtol, atol=rtol, equal_nan=True)
                assert close, f"{key} differs at level {name}:\n{print_op(module)}"
    return expected, modules


def ops(module: Any, opname: str) -> list[Any]:
    """The ops of a name."""
    return [op for op in module.walk() if op.opname == opname]


def text(module: Any) -> str:
    """The module as text."""
    return print_op(module)


def races(kernel: Any, trips: int = 4) -> bool:
    """Whether some way through the kernel lets a subgroup read or overwrite what others may not have written or read."""
    return any(_race(trace) for trace in _traces(kernel.body, trips))


def _traces(block: Any, trips: int) -> list[list[Any]]:
    """The accesses along every way through a block; loops run up to `trips` times, each time the same way."""
    ways: list[list[Any]] = [[]]
    for op in block.ops:
        if isinstance(op, scf.For):
            bodies = _traces(op.body, trips)
            tails = [body * n for body in bodies for n in range(trips)]
        elif isinstance(op, scf.If):
            tails = [way for region in op.regions for way in _traces(region, trips)]
        else:
            tails = [[op]]
        ways = [way + tail for way in ways for tail in tails]
    return ways


def _race(trace: list[Any]) -> bool:
    last: dict[Any, type] = {}
    for op in trace:
        if isinstance(op, gpu.Barrier):
            last.clear()
        elif isinstance(op, (xetile.StoreTile, xetile.LoadTile)) and op.tile.type.space:
            base = op.tile.op.base
            if last.get(base, type(op)) is not type(op):
                return True
            last[base] = type(op)
    return False
