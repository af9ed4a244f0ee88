"""`@xt.autotune`: try configurations of a kernel on the arrays of its first call, keep the fastest.

    @xt.autotune(configs=xt.autotune_space(BM=(64, 128, 256), BN=(64, 128, 256), num_subgroups=(8, 16, 32)), key=["A", "B"])
    @xt.jit(...)
    def matmul(A, B, C, BM: xt.constexpr, BN: xt.constexpr): ...

Every candidate's results are checked before it is timed.  One that does not build, crashes, hangs or computes something else is
left out and listed (`kernel.outcomes`).  What was found is kept on disk for each candidate: another start measures nothing, and
one more configuration measures that one.
"""

from __future__ import annotations

import json
import os
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import field
from functools import lru_cache, update_wrapper
from typing import TYPE_CHECKING, Any

from xetile.errors import ArgumentError
from xetile.records import dataclass
from xetile.runtime import devices, pickling
from xetile.runtime.autotune.candidates import ALL_OPTIONS, ROOFLINE, Config, Tuned, Tuning
from xetile.runtime.autotune.outcome import Outcome, table
from xetile.runtime.call_site import outside
from xetile.runtime.head import OTHERS_OPTIONS
from xetile.runtime.jit import Kernel
from xetile.runtime.launcher import Bound
from xetile.runtime.specialize import PerformanceWarning
from xetile.runtime.told import told

if TYPE_CHECKING:
    from xetile.runtime.compiled import CompiledKernel

LOOKS_KEPT = 4096


class TuningWarning(UserWarning):
    """Configurations of a kernel compute different results."""


@told
def autotune(configs: Sequence[Config], key: Sequence[str] | Callable[..., Any] | None = None, *, reference: Any = None,
             tolerance: float | None = None, model: Any = None, keep: int | None = None, samples: int = 20,
             budget: float | None = None, timeout: float = 60.0, isolate: bool = True, executor: Executor | None = None,
             progress: bool | None = None, retry: bool = False) -> Callable[[Kernel], Autotuned]:  # fmt: skip
    """Choose among configurations by measuring, once for each `key`.

    configs     candidates; the first is the default.
    key         parameters whose shape (arrays) or value (scalars) tells calls apart that may want different configurations, or a
                function of arguments by name; left out: all arrays.  Dtypes and the device always count.
    reference   a function of arguments by name that gives what the written arrays must hold (one array, or a tuple in the
                parameters' order); left out: candidates must agree with the first that runs.
    tolerance   largest difference over the largest magnitude; left out: by dtype.
    model       "roofline" (xetile.roofline, as `xt.rank` uses it), or a function `model(config, binary, grid)` that estimates seconds,
                or gives None to leave a candidate out, from the compiled kernel (`Binary`).
    keep        how many candidates are measured: those that the model puts first; without a model "roofline" decides, which knows
                GPUs: on CPUs all are measured.
    samples     timings of a candidate; the median counts.
    budget      seconds after which no further candidate is started (where none was measured, the first is used, with a warning);
                timeout, seconds that building a candidate, or running it, may take before it is killed.
    isolate     candidates are built and run in a process of their own, which may crash or hang; else in this one.
    executor    compiles candidates (any concurrent.futures.Executor); left out: one after the other, here.
    progress    show what is going on; left out: when stderr is a terminal.
    retry       measure candidates again that were left out before.

    Raises ArgumentError for other configurations and numbers than these, and where no candidate runs, with the reasons.

    Example:
        @xt.autotune(configs=xt.autotune_space(N=(64, 256)))
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=lambda X, N: (xt.cdiv(X.shape[0], N),))
        def doubled(X, Y, N: xt.constexpr):
            i = xt.program_id(0) * N
            xt.store_tile(xt.load_tile(xt.init_tile(X, i, (N,))) * 2, xt.init_tile(Y, i, (N,)))

        print(doubled(np.arange(4, dtype=np.float32)))

    Prints:
        [0. 2. 4. 6.]
    """
    _check_configurations(configs)
    if isinstance(model, str) and model != ROOFLINE:
        raise ArgumentError(
            f"autotune has no model {model!r}", hint=f'model="{ROOFLINE}", or a function of config, binary and grid'
        )
    _check_numbers(keep=keep, samples=samples, budget=budget, timeout=timeout)
    model = ROOFLINE if model is None and keep is not None else model
    found = list(dict.fromkeys(configs))
    how = Tuning(reference, tolerance, model, keep, samples, budget, timeout, isolate, executor, progress, retry)

    @told
    def tuned(kernel: Kernel) -> Autotuned:
        return Autotuned(kernel, found, key, how)

    return tuned


def _check_configurations(configs: Sequence[Any]) -> None:
    """Raises ArgumentError that names the first item that is no `Config`, and what it is as one."""
    if not configs:
        raise ArgumentError("autotune needs a list of configurations, this one is empty", hint="configs=[xt.Config(BM=128), ...]")
    for number, config in enumerate(configs):
        if not isinstance(config, Config):
            named = isinstance(config, Mapping) and all(isinstance(name, str) and name.isidentifier() for name in config)
            raise ArgumentError(
                f"autotune needs a list of configurations, configs[{number}] is a {type(config).__name__}",
                hint=repr(Config(**config)) if named else "configs=[xt.Config(BM=128), ...]",
            )


_NUMBERS: dict[str, tuple[Any, float, str]] = {
    "keep": (int, 1, "a whole number of candidates, at least 1"),
    "samples": (int, 1, "a whole number of timings, at least 1"),
    "budget": ((int, float), 0, "seconds"),
    "timeout": ((int, float), 0, "seconds"),
}
"""Of what kind the numbers are that limit a search, how large at least, and what they count."""


def _check_numbers(**given: Any) -> None:
    """Raises ArgumentError for a number that is none, or too small to measure anything."""
    for name, number in given.items():
        kind, least, what = _NUMBERS[name]
        if number is not None and (isinstance(number, bool) or not isinstance(number, kind) or number < least):
            raise ArgumentError(f"autotune: {name}={number!r}", hint=f"{name} is {what}")


@dataclass
class Choice:
    """What tuning found for one key."""

    config: Config
    outcomes: list[Outcome] = field(default_factory=list)


class Autotuned(Tuned):
    """A kernel that chooses its configuration: called as the kernel itself, without the configurations' constants.

    A call that gives one of these constants is not tuned. `outcomes`: what the last tuning found, candidate by candidate.
    """

    __xetile_kernel__ = True

    def __init__(self, kernel: Kernel, configs: Sequence[Config], key: Any, how: Tuning) -> None:
        super().__init__(kernel, configs, how)
        self.outcomes: list[Outcome] = []
        self._unmeasured = "nothing is measured before the first call"
        self._key = key
        self._choices: dict[Any, Choice] = {}
        self._seen: dict[Any, Choice] = {}  # the same by what calls look like
        self._recent: tuple[Any, Choice | None] = None, None  # of the last call
        self._quick: tuple[int, Callable[..., tuple[Any, ...] | None]] = -1, _quick_look(())
        self._lock = threading.RLock()
        self._check_names()
        update_wrapper(self, kernel.fn)

    def _check_names(self) -> None:
        for name in self.tuned - set(self.kernel.constants) - set(ALL_OPTIONS):
            hint = OTHERS_OPTIONS.get(name, f"constants: {', '.join(self.kernel.constants)}")
            raise ArgumentError(f"{self.head.name} has no constant {name}", hint=hint)
        if self._key is not None and not callable(self._key):
            for name in self._key:
                if name not in self.head.order:
                    raise ArgumentError(f"autotune key: {self.head.name} has no parameter {name}", hint=self.head.usage)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """As the kernel's own call, with the best configuration for these arguments; the first call of a key measures."""
        return self.kernel._run(None, args, self._complete(None, args, kwargs))

    def __getitem__(self, grid: Any) -> TunedLauncher:
        """The kernel with another grid, or rule: a rule sees each configuration's constants."""
        return TunedLauncher(self, grid)

    def bind(self, /, *args: Any, **kwargs: Any) -> Bound:
        """As the kernel's own `bind`."""
        return self.kernel._bind(None, args, self._complete(None, args, kwargs))

    def compile(self, /, *types: Any, **options: Any) -> CompiledKernel:
        """As the kernel's own `compile`; constants left out take the default configuration's values."""
        return self.kernel.compile(*types, **{**self.configs[0].values, **options})

    def best_config(self, *args: Any, **kwargs: Any) -> Config:
        """The configuration that a call with these arguments uses; measures if that is not known yet."""
        return self._choose(None, args, kwargs).config

    def retune(self, *args: Any, **kwargs: Any) -> Config:
        """Measure all configurations again on these arguments, whatever is known, and use the best from now on."""
        return self._again(None, args, kwargs)

    def export_tuning(self, path: str | os.PathLike[str]) -> int:
        """Write all that was measured of this kernel to a file. Returns how many results; raises ArgumentError where there is none."""
        from xetile.runtime.autotune.travel import export

        return export(self, path)

    def import_tuning(self, path: str | os.PathLike[str]) -> int:
        """Take over the results of a file that `export_tuning` wrote; they count where device, driver, kernel and key are the same.

        Returns how many there are; raises ArgumentError for a file that holds something else, or another kernel's results.
        """
        from xetile.runtime.autotune.travel import load

        found = load(self, path)
        with self._lock:
            self._choices.clear()
            self._forget_looks()
        return found

    def table(self) -> str:
        """What the last tuning found, best first, as text; where nothing was measured, why."""
        return table(self.outcomes) or self._unmeasured

    def __repr__(self) -> str:
        return f"<xetile kernel {self.head.usage}, {len(self.configs)} configurations>"

    def __reduce__(self) -> tuple[Any, ...]:
        if "<locals>" in self.fn.__qualname__:
            return Autotuned, (self.kernel, self.configs, self._key, self.how)
        return pickling.reduce(self)

    def _complete(self, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The call's keywords with the configuration's values."""
        if kwargs and not self.tuned.isdisjoint(kwargs):
            given = dict(zip(self.head.order, args, strict=False))
            return {**{n: v for n, v in self.configs[0].items if n not in given}, **kwargs}
        values = self._choose(grid, args, kwargs).config.values
        return {**kwargs, **values} if kwargs else values

    def _choose(self, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Choice:
        if callable(self._key):
            return self._choose_by_key(grid, args, kwargs)
        look = self._look_of(args, kwargs)
        before, choice = self._recent
        if (
            choice is not None and not self._key and look == before
        ):  # what a key names may be equal to others without having their hash
            return choice
        try:
            choice = self._seen.get(look)
        except TypeError:  # an argument that has no hash
            return self._choose_by_key(grid, args, kwargs)
        if choice is None:
            choice = self._choose_by_key(grid, args, kwargs)
            if len(self._seen) >= LOOKS_KEPT:
                self._seen.clear()
            self._seen[look] = choice
        self._recent = look, choice  # one object, so that another thread never sees half of it
        return choice

    def _again(self, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Config:
        key = self._key_of(args, kwargs)
        with self._lock:
            choice = self._choices[key] = self._tune(grid, args, kwargs, key, again=True)
            self._forget_looks()
        return choice.config

    def _forget_looks(self) -> None:
        self._seen.clear()
        self._recent = None, None

    def _look_of(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """What decides a call's key, cheaper than the key: of arrays dtype, shape and context, of numbers the value, if it counts."""
        plain = not kwargs and self._key is None
        count, quick = self._quick
        if plain and count == len(args) and (look := quick(*args)) is not None:
            return look
        parts: list[Any] = [devices.current_device(), *kwargs] if kwargs else [devices.current_device()]
        counted = self._key is not None
        for value in (*args, *kwargs.values()) if kwargs else args:
            kind = value.__class__
            if kind in _PLAIN:  # the usual numbers, which are not looked up
                if counted:
                    parts.append(value)
                continue
            where = _WHERE.get(kind)
            if where is None:
                where = _WHERE[kind] = _where(value)
            if where != "value":
                shape = value.shape
                parts += (value.dtype, shape, value.context if where == "device" else None)
                if shape:
                    continue
            if counted:
                parts.append(value)
        if plain:
            self._quick = len(args), _quick_look(tuple([value.__class__ for value in args]))
        return tuple(parts)

    def _choose_by_key(self, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Choice:
        key = self._key_of(args, kwargs)
        choice = self._choices.get(key)
        if choice is None:
            with self._lock:
                choice = self._choices.get(key)
                if choice is None:
                    choice = self._choices[key] = self._tune(grid, args, kwargs, key)
        return choice

    def _key_of(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Hashable; its `repr` is the same in every process."""
        values = dict(zip(self.head.order, args, strict=False))
        values.update(kwargs)
        arrays = tuple([(n, str(v.dtype), v.shape) for n, v in values.items() if hasattr(v, "shape") and hasattr(v, "dtype")])
        # Not part of the key on disk: which device it is in this process.
        here = (id(devices.current_device()), *[v.context for v in values.values() if hasattr(v, "base_data")])
        if self._key is None:
            return here, arrays, ()
        if callable(self._key):
            names = self._key.__code__.co_varnames[: self._key.__code__.co_argcount]
            return here, tuple([array[:2] for array in arrays]), self._key(*[values[n] for n in names])
        chosen = tuple([(n, v.shape if hasattr(v, "shape") else v) for n in self._key if (v := values.get(n)) is not None])
        return here, tuple([array[:2] for array in arrays]), chosen

    def _tune(self, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any], key: Any, again: bool = False) -> Choice:
        from xetile.runtime.autotune.search import search  # only where something is measured

        kwargs = {name: value for name, value in kwargs.items() if name != "queue"}
        outcomes = search(self, grid, args, kwargs, json.dumps(repr(key[1:])), again)
        if not outcomes:
            self._unmeasured = (
                f"times mean nothing on {devices.current_device().kind}: {self.configs[0]}, the first configuration, is used"
            )
            return Choice(self.configs[0])
        self.outcomes = outcomes
        best = min((o for o in outcomes if o.seconds is not None), key=lambda o: o.seconds or 0.0, default=None)
        self._doubt(best, outcomes)
        if best is None and (untried := [o.config for o in outcomes if o.status == "budget"]):
            warnings.warn(f"{self.head.name}: nothing was measured within {self.how.budget} s; {untried[0]} is used",
                          PerformanceWarning, stacklevel=outside()[0])  # fmt: skip
            return Choice(untried[0], outcomes)
        if best is None:
            raise ArgumentError(f"none of the {len(outcomes)} configurations of {self.head.name} runs:\n{self.table()}")
        return Choice(best.config, outcomes)

    def _doubt(self, best: Outcome | None, outcomes: Sequence[Outcome]) -> None:
        """Warn where configurations compute different results and nobody has said which are right: it may be the others."""
        wrong = [o for o in outcomes if o.status == "wrong"]
        if best is None or not wrong or self.how.reference is not None:
            return
        warnings.warn(f"{self.head.name}: {wrong[0].config} does not compute what {best.config} does, which is used: {wrong[0].reason}\n"
                      "  hint: configurations must give the same results; autotune(reference=...) says which are right, and "
                      f"{self.head.name}.table() lists all", TuningWarning, stacklevel=outside()[0])  # fmt: skip


_PLAIN = frozenset({int, float, bool, str, type(None)})
_WHERE: dict[type, str] = {}


def _where(value: Any) -> str:
    """Where a value of its type lies: "host", "device", or "value" for what is no array."""
    if not (hasattr(value, "dtype") and hasattr(value, "shape")):
        return "value"
    return "device" if hasattr(value, "base_data") else "host"


@lru_cache(256)
def _quick_look(kinds: tuple[type, ...]) -> Callable[..., tuple[Any, ...] | None]:
    """`_look_of` written out for arguments of these types, in half of its time, where numbers do not count; None for others."""
    names = [f"a{i}" for i in range(len(kinds))]
    parts, tests = ["current_device()"], []
    for name, kind in zip(names, kinds, strict=True):
        tests.append(f"{name}.__class__ is type_{name}")
        if kind not in _PLAIN and (where := _WHERE[kind]) != "value":
            parts += [f"{name}.dtype", f"{name}.shape", f"{name}.context" if where == "device" else "None"]
    code = f"lambda {', '.join(names)}: ({', '.join(parts)},) if {' and '.join(tests) or 'True'} else None"
    scope = {"current_device": devices.current_device, **{f"type_{name}": kind for name, kind in zip(names, kinds, strict=True)}}
    made: Callable[..., tuple[Any, ...] | None] = eval(code, scope)  # noqa: S307 (made of numbers)
    return made


class TunedLauncher:
    """An autotuned kernel with a grid."""

    __slots__ = ("_grid", "_tuned")

    def __init__(self, tuned: Autotuned, grid: Any) -> None:
        self._tuned, self._grid = tuned, grid

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """As the kernel's own call."""
        return self._tuned.kernel._run(self._grid, args, self._tuned._complete(self._grid, args, kwargs))

    def retune(self, *args: Any, **kwargs: Any) -> Config:
        """As the kernel's own `retune`."""
        return self._tuned._again(self._grid, args, kwargs)

    def bind(self, /, *args: Any, **kwargs: Any) -> Bound:
        """As the kernel's own `bind`."""
        return self._tuned.kernel._bind(self._grid, args, self._tuned._complete(self._grid, args, kwargs))
