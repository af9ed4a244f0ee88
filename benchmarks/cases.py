"""One measurement: the kernels that run, on what arrays, what they must compute, and what they are compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

import xetile as xt

Array = np.ndarray[Any, Any]
Arrays = Mapping[str, Any]
Run = Callable[[], Any]

NUMPY = {"f32": np.dtype(np.float32), "f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16), "i8": np.dtype(np.int8)}


@dataclass(frozen=True)
class Step:
    """One launch: the kernel's arguments are arrays by name and constants; `output` names what it allocates.

    space: configurations that `--autotune` may try; they replace constants.
    """

    kernel: Any
    args: tuple[str, ...]
    output: str
    constants: Mapping[str, Any] = field(default_factory=dict)
    num_subgroups: int | None = None
    space: tuple[Any, ...] = ()

    @property
    def options(self) -> dict[str, Any]:
        """Constants and subgroups, as a call takes them."""
        options = dict(self.constants)
        return options if self.num_subgroups is None else {**options, "num_subgroups": self.num_subgroups}


@dataclass(frozen=True)
class Case:
    """A measurement at one size.

    variant     what the lines of a plot are: "f16 square".
    shape       as `--size` gives it; `extent` is the place on a plot's axis.
    dtype       of the operands: decides which peak counts.
    flops       operations (a multiply and an add are two); traffic: bytes that must move at least.
    reference   the right result in double precision, from the inputs as they are; error: the largest allowed difference over the
                largest magnitude.
    peers       by name, a function of the inputs (host arrays) that gives the function to time.
    triton      size and dtype of the same product by Triton's interpreter, where it has one.
    """

    variant: str
    shape: tuple[int, ...]
    dtype: str
    flops: float
    traffic: float
    inputs: Callable[[np.random.Generator], dict[str, Array]]
    steps: tuple[Step, ...]
    reference: Callable[[Arrays], Array]
    error: float
    peers: Mapping[str, Callable[[Arrays], Run]]
    triton: tuple[int, str] | None = None

    @property
    def name(self) -> str:
        """Variant and shape."""
        return f"{self.variant} {'x'.join(map(str, self.shape))}"

    @property
    def extent(self) -> int:
        """The largest of the sizes."""
        return max(self.shape)

    @property
    def intensity(self) -> float:
        """Operations per byte."""
        return self.flops / self.traffic


class Prepared:
    """A case bound to arrays: `run` launches all its steps, `results` are the last one's outputs."""

    def __init__(self, steps: Sequence[Step], arrays: Arrays, configs: Sequence[Mapping[str, Any]]) -> None:
        values = dict(arrays)
        self.launches: list[Run] = []
        for step, config in zip(steps, configs, strict=True):
            bound = step.kernel.bind(*[values[name] for name in step.args], **{**step.options, **config})
            self.launches.append(bound)
            values[step.output] = bound.results
        self.results = bound.results

    def run(self) -> list[Any]:
        """Launch; the events, where there are any."""
        return [launch() for launch in self.launches]


def tuned_configs(case: Case, arrays: Arrays, **options: Any) -> list[dict[str, Any]]:
    """The best configuration of each step on these arrays; steps without a space keep their constants."""
    values, found = dict(arrays), []
    for step in case.steps:
        config: dict[str, Any] = {}
        args = [values[name] for name in step.args]
        if step.space:
            tuned = xt.autotune(configs=list(step.space), **options)(step.kernel)
            fixed = {name: value for name, value in step.options.items() if name not in tuned.tuned}
            config = tuned.best_config(*args, **fixed).values
        bound = step.kernel.bind(*args, **{**step.options, **config})
        bound()
        values[step.output] = bound.results
        found.append(config)
    return found


def normal(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Normally distributed numbers; whole numbers from -8 to 7 for integers."""
    if dtype == "i8":
        return rng.integers(-8, 8, shape, dtype=np.int8)
    return rng.standard_normal(shape, dtype=np.float32).astype(NUMPY[dtype])


def torch_of(array: Array) -> Any:
    """A torch tensor on the array's memory, strides and all."""
    import torch

    if array.dtype == NUMPY["bf16"]:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)
