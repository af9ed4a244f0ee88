"""`xt.rank`: configurations of a kernel, best first, by the roofline, for which nothing is built and nothing runs, or by machine code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from xetile.dtypes import from_numpy
from xetile.errors import ArgumentError, XetileError
from xetile.records import dataclass
from xetile.runtime.arrays import is_array
from xetile.runtime.head import OPTIONS
from xetile.runtime.jit import Kernel
from xetile.runtime.scalars import scalar_dtype
from xetile.runtime.specialize import array_type
from xetile.signature import ArrayType, ParamType, ScalarParam, Signature, parse
from xetile.target import get_target

if TYPE_CHECKING:
    from xetile.estimate import Estimate
    from xetile.roofline import Prediction
    from xetile.runtime.autotune.candidates import Config, Tuned
    from xetile.runtime.machine_code import Clocks
    from xetile.runtime.plan import LaunchPlan
    from xetile.runtime.request import Request


Criterion = Literal["roofline", "machine code"]
CRITERIA = ("roofline", "machine code")


@dataclass(frozen=True)
class Ranked:
    """A configuration with what the model says of it; `reason` where it is no kernel, or the workgroup is too large."""

    config: Config
    prediction: Prediction | None = None
    estimate: Estimate | None = None
    reason: str = ""

    @property
    def seconds(self) -> float:
        """Of one launch, at least; infinite where it cannot run."""
        return self.prediction.seconds if self.prediction is not None else float("inf")

    def __str__(self) -> str:
        if self.prediction is None or self.estimate is None:
            return f"   refused  {self.config}  {self.reason}"
        spilled = f", spills {self.estimate.spill_bytes} bytes" if self.estimate.spills else ""
        return (f"{self.seconds * 1e6:8.1f} us  {self.config}  ({self.prediction.bound}; {self.estimate.registers} of "
                f"{self.estimate.grf} registers{spilled})")  # fmt: skip


@dataclass(frozen=True)
class Described:
    """An array that is not there: what out and grid rules ask of one."""

    shape: tuple[int, ...]
    dtype: Any
    type: ArrayType

    @property
    def nbytes(self) -> int:
        """Of a compact array."""
        return int(np.prod(self.shape)) * int(self.dtype.itemsize)


def rank(
    kernel: Kernel | Tuned,
    configs: Sequence[Config] | None,
    *args: Any,
    target: str = "pvc",
    grid: Any = None,
    by: Criterion = "roofline",
    **constants: Any,
) -> list[Ranked]:
    """Configurations of a kernel for given arguments, best first, as xetile.roofline expects them; those that cannot run are last.

    configs  from `xt.Config` or `xt.autotune_space`; None: those of an autotuned kernel.
    args     the kernel's arguments in order: arrays, or their types with all sizes ("f16[4096,4096]"), and numbers. Outputs may be
             left out where the kernel has an `out` rule for them.
    target   "pvc", "bmg", ...; grid: workgroups or a rule, where the kernel has none; further keywords: constants and
             num_subgroups for all configurations.
    by       "roofline", or "machine code": the clocks of what Intel's GPU compiler makes of each configuration, along the path of the
             workgroup in the middle of the grid, from published rates and latencies; bandwidths beyond the core are the roofline's.
             Arrays given as types hold zeros. Takes `ocloc` and `iga64` on PATH, and a second or more for each configuration.
             Neither is calibrated on hardware.

    Raises ArgumentError for arguments that do not fit the kernel, types without sizes, and targets whose rates are not known;
    DeviceError for what is no target, or for machine code without its tools.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=lambda X, N: (xt.cdiv(X.shape[0], N),))
        def doubled(X, Y, N: xt.constexpr):
            i = xt.program_id(0) * N
            xt.store_tile(xt.load_tile(xt.init_tile(X, i, (N,))) * 2, xt.init_tile(Y, i, (N,)))

        best, *_ = xt.rank(doubled, xt.autotune_space(N=(16, 1024)), "f32[1048576]")
        print(best.config)

    Prints:
        xt.Config(N=1024)
    """
    if by not in CRITERIA:
        raise ArgumentError(f"rank: {by!r} is nothing to rank by", hint=f"by is one of {', '.join(map(repr, CRITERIA))}")
    if not hasattr(getattr(kernel, "kernel", kernel), "head"):
        raise ArgumentError("rank takes a kernel", hint="write @xt.jit(...) above its function")
    given, own = (kernel, None) if isinstance(kernel, Kernel) else (kernel.kernel, kernel.configs)
    configs = own if configs is None else configs
    if not configs:
        raise ArgumentError(f"rank: no configurations of {given.head.name}", hint="configs=[xt.Config(BM=128), ...]")
    if not get_target(target).roofline.matrix_ops_per_clock:
        raise ArgumentError(f"rank: the rates of {target} are not known", hint="the model is of GPUs: pvc, bmg, lnl, dg2")
    clocks = _clocks_on(target) if by == "machine code" else None
    found = [_ranked(given, config, grid, args, {**constants, **config.values, "target": target}, clocks) for config in configs]
    return sorted(found, key=lambda r: r.prediction.order if r.prediction is not None else (float("inf"),))


def _clocks_on(target: str) -> Clocks:
    from xetile.runtime.machine_code import clocks_on

    return clocks_on(target)


def _ranked(kernel: Kernel, config: Config, grid: Any, args: Sequence[Any], options: Mapping[str, Any],
            clocks: Clocks | None) -> Ranked:  # fmt: skip
    head = kernel.head
    named = {n: _described(v) if n in head.parameters else v for n, v in options.items() if n not in OPTIONS}
    values, given = head.bind([_described(a) for a in args], named)
    constants = head.complete_constants(given, options["target"])
    head.allocate(values, constants, _empty)
    types = Signature(tuple((name, _type(values[name])) for name in head.parameters))
    try:
        request = kernel.request_for(types, constants, options["target"], options.get("num_subgroups"))
        where = head.grid_of(grid, values, constants)
        estimated, prediction = predict(request, where, values)
        if clocks is not None:
            prediction = clocks(request, where, values, prediction)
    except XetileError as error:
        return Ranked(config, reason=f"{type(error).__name__}: {error.message}")
    return Ranked(config, prediction, estimated)


def predict(request: Request, grid: Sequence[int], values: Mapping[str, Any]) -> tuple[Estimate, Prediction]:
    """The estimate of a request, and what the model says of a launch with arguments by name.  Raises as compiling does."""
    from xetile.estimate import estimate
    from xetile.roofline import Launch
    from xetile.roofline import predict as run
    from xetile.runtime.compiler import lower

    *_, (_, module) = lower(request)
    found = estimate(module.kernel, get_target(request.target))
    arrays = {name: value for name, value in values.items() if hasattr(value, "shape") and hasattr(value, "nbytes")}
    scalars = {n: int(v) for n, v in values.items() if isinstance(v, (int, np.integer))}
    x, y, z = (*grid, 1, 1)[:3]
    launch = Launch(
        (x, y, z), module.kernel.attributes["num_subgroups"], {n: tuple(v.shape) for n, v in arrays.items()},
        {n: int(v.nbytes) for n, v in arrays.items()}, scalars, found.slm_bytes,
    )  # fmt: skip
    return found, run(found, get_target(request.target), launch)


def predict_call(kernel: Kernel, plan: LaunchPlan) -> Prediction:
    """What the model says of a planned call."""
    return predict(kernel.request(plan), plan.grid, plan.values)[1]


def _described(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    kind = parse(value)
    if not isinstance(kind, ArrayType):
        raise ArgumentError(f"rank: {value!r} is no argument", hint="give numbers as they are, arrays with their sizes")
    if None in kind.shape:
        raise ArgumentError(f"rank: {value!r} does not say how large the array is", hint='such as "f16[4096,4096]"')
    return Described(tuple(n for n in kind.shape if n is not None), kind.dtype.numpy, kind)


def _empty(shape: Any, dtype: Any, fill: Any) -> Described:  # an allocator: what would fill it does not matter
    sizes = shape if isinstance(shape, tuple) else (shape,)
    return Described(sizes, np.dtype(dtype), ArrayType(from_numpy(np.dtype(dtype)), (None,) * len(sizes)))


def _type(value: Any) -> ParamType:
    if isinstance(value, Described):
        kind = value.type
        return replace(kind, shape=(None,) * kind.rank)
    if is_array(value):
        return array_type(value)
    return ScalarParam(scalar_dtype("rank", "argument", value))
