"""Measure the configurations of a kernel on the arguments of one call.

Each candidate is compiled (here, or by an executor), pruned by the target's limits and the model, built and run by a worker
(`worker`) on copies of the arrays, compared, and timed.  Every outcome goes to disk as soon as it is known.
"""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from xetile.errors import ConstexprError, XetileError
from xetile.runtime import devices, loading
from xetile.runtime.artifact import Binary, written_parameters
from xetile.runtime.autotune.arrays import on_host
from xetile.runtime.autotune.candidates import ROOFLINE
from xetile.runtime.autotune.outcome import Outcome, Store, compare, shown_time, table
from xetile.runtime.autotune.progress import Progress, progress_bar
from xetile.runtime.autotune.worker import Failure, Measurement, Runner, Task, make_runner
from xetile.runtime.backend import takes_spirv
from xetile.runtime.hooks import log
from xetile.runtime.index_checks import too_large
from xetile.signature import Signature, parse
from xetile.target import get_target

if TYPE_CHECKING:
    from xetile.runtime.autotune.candidates import Config, Tuned
    from xetile.runtime.plan import LaunchPlan


def search(tuned: Tuned, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any], key: str,
           again: bool = False) -> list[Outcome]:  # fmt: skip
    """The outcome of every configuration; empty for a device on which times mean nothing. again: what is known is not used."""
    first = _first_plan(tuned, grid, args, kwargs)
    if not takes_spirv(devices.backend_of(first.device), first.device.target):
        log.info("%s: %s is not measured, the first configuration is used", tuned.head.name, first.device.name)
        return []
    return _Search(tuned, grid, args, kwargs, key, first).run(again)


def _plan(tuned: Tuned, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any], config: Config) -> LaunchPlan:
    return tuned.kernel.settled(tuned.kernel.plan(grid, args, {**kwargs, **config.values}))


def _first_plan(tuned: Tuned, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> LaunchPlan:
    """The call with the first configuration that its rules for outputs and grid take.

    Raises ConstexprError where one that is tried lacks a constant, and where none is taken what is wrong with the first.
    """
    wrong: Exception | None = None
    for config in tuned.configs:
        try:
            return _plan(tuned, grid, args, kwargs, config)
        except ConstexprError:
            raise
        except Exception as error:
            wrong = wrong or error
    assert wrong is not None
    raise wrong


class _Search:
    def __init__(
        self, tuned: Tuned, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any], key: str, first: LaunchPlan
    ) -> None:
        self.tuned, self.how = tuned, tuned.how
        self.plan_of: Callable[[Config], LaunchPlan] = lambda config: _plan(tuned, grid, args, kwargs, config)
        self.device = first.device
        self.store = Store(tuned, first, key)
        self.name = tuned.head.name
        self.expected: Mapping[str, Any] | tuple[Any, ...] | None = None
        self.deadline = None if self.how.budget is None else time.monotonic() + self.how.budget
        self.outcomes: dict[Config, Outcome] = {}
        self.first = first

    def run(self, again: bool) -> list[Outcome]:
        for config in self.tuned.configs:
            known = None if again else self.store.get(config)
            if known is not None and not (self.how.retry and known.seconds is None):
                self.outcomes[config] = known
        todo = [config for config in self.tuned.configs if config not in self.outcomes]
        if todo:
            self._measure_all(todo)
        return [self.outcomes[config] for config in self.tuned.configs]

    def _measure_all(self, todo: Sequence[Config]) -> None:
        with ExitStack() as stack:
            bar = stack.enter_context(progress_bar(f"tuning {self.name}", len(todo), self.how.progress))
            runner = stack.enter_context(make_runner(self.device, self.how.isolate, self.how.timeout))
            self._expect(runner)
            for config, plan, made in self._chosen(todo, bar):
                self._note(self._measure(runner, config, plan, made), bar)
        self._report()

    def _expect(self, runner: Runner) -> None:
        """What candidates must compute: by the user's function, else by the first candidate that ran in an earlier time."""
        if self.how.reference is not None:
            self.expected = self._by_reference(self.how.reference)
            return
        known = next((c for c in self.tuned.configs if c in self.outcomes and self.outcomes[c].seconds is not None), None)
        if known is None:
            return
        plan = self.plan_of(known)
        made = self._compiled(known, plan)
        if isinstance(made, Binary):
            result = runner.run(Task.of(plan, made, samples=0))
            if isinstance(result, Measurement):
                self.expected = result.outputs

    def _by_reference(self, reference: Callable[..., Any]) -> Mapping[str, Any] | tuple[Any, ...]:
        values = {name: on_host(value) for name, value in {**self.first.constants, **self.first.values}.items()}
        result = reference(**{name: values[name] for name in inspect.signature(reference).parameters})
        return result if isinstance(result, (Mapping, tuple)) else (result,)

    def _chosen(self, todo: Sequence[Config], bar: Progress) -> Iterator[tuple[Config, LaunchPlan, Binary]]:
        """The candidates that are to be run, compiled; the others' outcomes are noted.

        Those that an earlier time ran take their places in the model's order too: `keep` counts them.
        """
        candidates: list[tuple[float, tuple[float, ...], Config, LaunchPlan, Binary]] = []
        lazily = self.how.model is None or (self.how.model == ROOFLINE and not self._has_rates())
        ran = (
            [] if lazily else [config for config, outcome in self.outcomes.items() if outcome.status not in ("refused", "pruned")]
        )
        for config, plan, made in self._all_compiled([*todo, *ran]):
            if not isinstance(made, Outcome):
                if lazily:
                    yield config, plan, made
                else:
                    candidates.append((*self._estimate(config, plan, made), config, plan, made))
            elif config not in self.outcomes:
                self._note(made, bar)
        candidates.sort(key=lambda candidate: candidate[1])
        for rank, (seconds, _, config, plan, made) in enumerate(candidates):
            if config in self.outcomes:
                continue
            if seconds == float("inf") or (self.how.keep is not None and rank >= self.how.keep):
                self._note(Outcome(config, "pruned", reason=f"the model expects {shown_time(seconds)}"), bar)
            else:
                yield config, plan, made

    def _has_rates(self) -> bool:
        """Whether the roofline knows anything of the target; else it would put no candidate before another."""
        if get_target(self.first.special.target).roofline.matrix_ops_per_clock:
            return True
        log.info("%s: the model knows no rates of %s: all configurations are measured", self.name, self.first.special.target)
        return False

    def _estimate(self, config: Config, plan: LaunchPlan, made: Binary) -> tuple[float, tuple[float, ...]]:
        """Seconds by the model, and what candidates are sorted by."""
        if isinstance(self.how.model, str):
            from xetile.runtime.autotune.ranking import predict_call

            found = predict_call(self.tuned.kernel, plan)
            return found.seconds, found.order
        assert self.how.model is not None
        given = self.how.model(config, made, plan.grid)
        seconds = float("inf") if given is None else float(given)
        return seconds, (seconds,)

    def _all_compiled(self, todo: Sequence[Config]) -> Iterator[tuple[Config, LaunchPlan, Binary | Outcome]]:
        plans = [(config, self._planned(config)) for config in todo]
        executor = self.how.executor
        futures: dict[Config, Future[str]] = {}
        if executor is not None:
            planned = [(config, plan) for config, plan in plans if not isinstance(plan, Outcome)]
            futures = {config: executor.submit(compile_candidate, *self._payload(plan)) for config, plan in planned}
        for config, plan in plans:
            if isinstance(plan, Outcome):
                yield config, self.first, plan
            elif config in futures:
                yield config, plan, self._for_launch(config, plan, self._awaited(config, plan, futures[config]))
            else:
                yield config, plan, self._for_launch(config, plan, self._compiled(config, plan))

    def _for_launch(self, config: Config, plan: LaunchPlan, made: Binary | Outcome) -> Binary | Outcome:
        """The candidate with an index of 64 bits where this launch asks for that, as a call gets it."""
        check = None if isinstance(made, Outcome) else made.ranges.failing(plan.grid, plan.values)
        if isinstance(made, Outcome) or check is None:
            return made
        if not check.index or plan.special.index_bits == 64:
            return Outcome(config, "refused", reason=_reason(too_large(self.name, made.ranges, check, plan.grid)))
        plan.special = replace(plan.special, index_bits=64)
        return self._for_launch(config, plan, self._compiled(config, plan))

    def _planned(self, config: Config) -> LaunchPlan | Outcome:
        """The call with a configuration; the rules for outputs and grid may refuse it."""
        try:
            return self.plan_of(config)
        except Exception as error:  # what rules of the user's raise, too
            return Outcome(config, "refused", reason=_reason(error))

    def _payload(self, plan: LaunchPlan) -> tuple[Any, ...]:
        request = self.tuned.kernel.request(plan)
        types = {name: str(kind) for name, kind in request.signature.items()}
        return (self.tuned, types, dict(request.constexprs), request.target, request.num_subgroups, request.index_bits,
                request.fast_math)  # fmt: skip

    def _awaited(self, config: Config, plan: LaunchPlan, future: Future[str]) -> Binary | Outcome:
        try:
            return Binary.from_json(future.result(self.how.timeout))
        except FutureTimeout:
            future.cancel()
            return Outcome(config, "hung", reason=f"not compiled within {self.how.timeout:.0f} s")
        except XetileError as error:
            return Outcome(config, "refused", reason=_reason(error))
        except Exception as error:  # a broken pool, or a kernel that does not travel: compile it here
            log.warning("%s: the executor failed (%s: %s); compiling here", self.name, type(error).__name__, error)
            return self._compiled(config, plan)

    def _compiled(self, config: Config, plan: LaunchPlan) -> Binary | Outcome:
        if self._is_late():
            return Outcome(config, "budget", reason=f"not started within {self.how.budget:.0f} s")
        try:
            return loading.binary(self.tuned.kernel.request(plan))[0]
        except Exception as error:
            return Outcome(config, "refused", reason=_reason(error))

    def _measure(self, runner: Runner, config: Config, plan: LaunchPlan, made: Binary) -> Outcome:
        if self._is_late():
            return Outcome(config, "budget", reason=f"not started within {self.how.budget:.0f} s")
        result = runner.run(Task.of(plan, made, self.how.samples))
        if isinstance(result, Failure):
            return Outcome(config, result.status, reason=result.reason)
        difference = self._difference(made, result.outputs)
        if difference:
            return Outcome(config, "wrong", reason=difference)
        low, middle, high = np.percentile(result.seconds, (20, 50, 80))
        return Outcome(config, "ok", float(middle), float(low), float(high))

    def _difference(self, made: Binary, outputs: Mapping[str, Any]) -> str:
        """How a candidate's outputs differ from what is expected; the first to run says what that is, unless the user does."""
        if self.expected is None:
            self.expected = dict(outputs)
            return ""
        expected = self.expected
        if isinstance(expected, tuple):
            names = [name for name in made.parameters if name in written_parameters(made)]
            expected = dict(zip(names, expected, strict=False))
        for name, wanted in expected.items():
            if why := compare(outputs[name], wanted, self.how.tolerance):
                return f"{name} {why}"
        return ""

    def _is_late(self) -> bool:
        return self.deadline is not None and time.monotonic() > self.deadline

    def _note(self, outcome: Outcome, bar: Progress) -> None:
        self.outcomes[outcome.config] = outcome
        if outcome.status != "budget":
            self.store.put(outcome)
        best = min((o.seconds for o in self.outcomes.values() if o.seconds is not None), default=None)
        bar.step(f"best {shown_time(best)}" if best is not None else "")
        log.info("%s: %s", self.name, table([outcome]).strip())

    def _report(self) -> None:
        best = min((o for o in self.outcomes.values() if o.seconds is not None), key=lambda o: o.seconds or 0.0, default=None)
        if best is None:
            return
        seconds = shown_time(best.seconds or 0.0)
        text = f"{self.name} on {self.device.name}: the best of {len(self.outcomes)} is {best.config}  # {seconds}"
        log.info("%s", text)
        if self.how.progress or (self.how.progress is None and sys.stderr.isatty()):
            print(text, file=sys.stderr)


def compile_candidate(tuned: Tuned, types: Mapping[str, str], constants: Mapping[str, Any], target: str,
                      num_subgroups: int | None, index_bits: int, fast_math: bool) -> str:  # fmt: skip
    """The binary of a candidate as JSON: what an executor's workers run."""
    from xetile.runtime.request import Request

    signature = Signature(tuple((name, parse(text)) for name, text in types.items()))
    return loading.binary(Request(tuned.fn, signature, constants, target, num_subgroups, index_bits, fast_math))[0].to_json()


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
