"""What is tuned: configurations of a kernel, and how to choose among them."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from typing import Any

from xetile.errors import ArgumentError
from xetile.records import dataclass
from xetile.runtime.jit import Kernel

ALL_OPTIONS = ("num_subgroups", "target")
ROOFLINE = "roofline"


class Config:
    """One configuration: values of constants, and options of the call (`num_subgroups`).  Hashable; `repr` can be pasted.

    Raises ArgumentError for values without a name.

    Example:
        print(xt.Config(BM=128, num_subgroups=16))

    Prints:
        xt.Config(BM=128, num_subgroups=16)
    """

    __slots__ = ("items", "values")

    def __init__(self, *unnamed: Any, **values: Any) -> None:
        if unnamed:
            raise ArgumentError(f"a configuration gives constants by name, not {unnamed[0]!r}",
                                hint="xt.Config(BLOCK=64, num_subgroups=8)")  # fmt: skip
        self.items = tuple(sorted(values.items(), key=lambda item: (item[0] in ALL_OPTIONS, item[0])))
        self.values = dict(self.items)  # by name, as a call takes them

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"xt.Config({', '.join(f'{name}={value!r}' for name, value in self.items)})"


def autotune_space(where: Callable[..., bool] | None = None, **choices: Iterable[Any]) -> list[Config]:
    """Every combination of choices: `autotune_space(BM=(64, 128), BN=(64, 128), where=lambda BM, BN: BM >= BN)`.

    where: keeps those combinations for which it is true; it takes the values by name.  The first is the default: what is used
    where nothing is measured (the numpy device).

    Raises ArgumentError for a choice that is no series of values, and for another `where`; what `where` raises.

    Example:
        for config in xt.autotune_space(lambda BM, BN: BM * BN <= 8192, BM=(64, 128), BN=(64, 128)):
            print(config)

    Prints:
        xt.Config(BM=64, BN=64)
        xt.Config(BM=64, BN=128)
        xt.Config(BM=128, BN=64)
    """
    for name, values in choices.items():
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise ArgumentError(f"autotune_space: {name} is {values!r}, not several values", hint=f"{name}=({values!r},)")
    if where is not None:
        _check_where(where, choices)
    found = (dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values()))
    return [Config(**values) for values in found if where is None or where(**values)]


def _check_where(where: Callable[..., bool], choices: Iterable[str]) -> None:
    """Raises ArgumentError where a condition does not take the choices by name."""
    try:
        signature = inspect.signature(where)
    except (TypeError, ValueError):  # some of those that are written in C
        return
    try:
        signature.bind(**dict.fromkeys(choices))
    except TypeError:
        taken, given = ", ".join(signature.parameters), ", ".join(choices)
        raise ArgumentError(
            f"autotune_space: where takes {taken}; the choices are {given}", hint=f"lambda {given}: ..."
        ) from None


@dataclass(frozen=True)
class Tuning:
    """How to tune; see `autotune`."""

    reference: Callable[..., Any] | None = None
    tolerance: float | None = None
    model: Callable[..., float | None] | str | None = None
    keep: int | None = None
    samples: int = 20
    budget: float | None = None
    timeout: float = 60.0
    isolate: bool = True
    executor: Executor | None = None
    progress: bool | None = None
    retry: bool = False


class Tuned:
    """A kernel with configurations to choose from; `tuned`: the names of the constants that they give."""

    def __init__(self, kernel: Kernel, configs: Sequence[Config], how: Tuning) -> None:
        if not isinstance(kernel, Kernel):
            raise ArgumentError("autotune takes a kernel", hint="write @xt.autotune(...) above @xt.jit(...)")
        self.kernel, self.configs, self.how = kernel, list(configs), how
        self.fn, self.head, self.num_subgroups = kernel.fn, kernel.head, kernel.num_subgroups
        self.tuned = frozenset(name for config in configs for name, _ in config.items)
