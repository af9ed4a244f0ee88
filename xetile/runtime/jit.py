"""`@xt.jit`: Python functions that are kernels, called like numpy functions.

A call binds its arguments, allocates what the `out` rule promises, finds the kernel compiled for these kinds of arrays
(specialize) and this device (loading), and launches it over the grid.  Later calls of that kind take the fast path (fastpath).
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any, overload

from xetile import source_text
from xetile.errors import ArgumentError, BuildError, CompileError, InternalError, UncoveredError, XetileError
from xetile.language.ambient import inliner
from xetile.runtime import captures, cpus, devices, fastpath, fingerprint, hooks, loading, pickling, queues, spilling, stats
from xetile.runtime.arrays import check_no_overlap, is_array, is_device_array, poisoned
from xetile.runtime.artifact import Binary, written_parameters
from xetile.runtime.backend import DeviceInfo, Grid, LoadedKernel
from xetile.runtime.call_site import errors_at_the_call, outside, without_ours
from xetile.runtime.decorated import check_function, check_options, refuse_attribute
from xetile.runtime.fastpath import MISS, FastPath
from xetile.runtime.grids import warn_of_grid
from xetile.runtime.head import OPTIONS, Head, Rule
from xetile.runtime.index_checks import too_large
from xetile.runtime.launcher import Bound, Launcher, Method
from xetile.runtime.plan import Call, LaunchPlan, launches
from xetile.runtime.specialize import PerformanceWarning, Specialization, specialize, warn_of_slow_tiles
from xetile.runtime.strides import warn_of_strides
from xetile.runtime.views import as_argument, bring_back, copied
from xetile.signature import Signature
from xetile.target.names import DEFAULT

if TYPE_CHECKING:
    from xetile.runtime.compiled import CompiledKernel
    from xetile.runtime.request import Request


WORTH_A_WORD = 4096  # bytes of an array: moving fewer takes less than the launch, in any way
OFTEN = 32  # versions of one kernel, by what it sees: then there is a warning


@overload
def jit(fn: Callable[..., Any], /) -> Kernel: ...
@overload
def jit(*, out: Mapping[str, Rule] | None = None, grid: Rule | Grid | int | None = None, num_subgroups: Rule | int | None = None,
        fast_math: bool = False, defaults: Mapping[str, Mapping[str, Any]] | None = None,
        ) -> Callable[[Callable[..., Any]], Kernel]: ...  # fmt: skip
def jit(fn: Callable[..., Any] | None = None, *, out: Mapping[str, Rule] | None = None, grid: Rule | Grid | int | None = None,
        num_subgroups: Rule | int | None = None, fast_math: bool = False,
        defaults: Mapping[str, Mapping[str, Any]] | None = None, **others: Any) -> Any:  # fmt: skip
    """Make a kernel of a function.

    out: for each output parameter a function of other arguments, by their names, that allocates it; a call may then leave the
    output out, and gets it back. grid: the workgroups along x, y, z, or a function of arguments (constants included) by name that
    gives them. num_subgroups: subgroups of a workgroup, or a function of constants, and of `target`, by name that gives them; left out,
    they follow from the tiles.

    defaults: values of constants by target, where another one than the function's head gives is better: tiles that a GPU's subgroups
    share are small for one core of a CPU, `defaults={"cpu": {"BN": 512, "BK": 256}}`. Targets are pvc, bmg (lnl too), dg2 and cpu
    (avx512, avx2 and amx too). What a call or a configuration of the tuner gives holds on every target.

    fast_math: by default every operation on elements is rounded by itself, so that a kernel gives the same bits on every device.
    With True a device may contract `x * y + z` to one rounding (`xt.fma` does so always), f32 quotients may be off by 2.5 ulp and
    roots by 3, quotients, roots and bf16 below 2**-126 may be 0, and `fmax` and `fmin` of zeros of both signs give either.

    Parameters annotated `xt.constexpr` are constants of the compiled kernel. What the function sees outside of itself (globals,
    closures, attributes, also those that functions which it calls see) is constant too: a call after a change of any of it, also of a
    bound launch, compiles the kernel again. What `kernel.compile(...)` gave stays what it was.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=lambda X, N: (xt.cdiv(X.shape[0], N),))
        def doubled(X, Y, N: xt.constexpr = 64):
            i = xt.program_id(0) * N
            xt.store_tile(xt.load_tile(xt.init_tile(X, i, (N,))) * 2, xt.init_tile(Y, i, (N,)))

        print(doubled(np.arange(5, dtype=np.float32)))

    Prints:
        [0. 2. 4. 6. 8.]
    """
    with errors_at_the_call():
        check_options(others, ("out", "grid", "num_subgroups", "fast_math", "defaults"))
        if fn is not None:
            return Kernel(fn, out or {}, grid, num_subgroups, fast_math, defaults)

    def decorated(fn: Callable[..., Any]) -> Kernel:
        with errors_at_the_call():
            return Kernel(fn, out or {}, grid, num_subgroups, fast_math, defaults)

    return decorated


class Kernel:
    """A kernel: call it, give it a grid with `kernel[grid](...)`, prepare a launch with `kernel.bind(...)`, or compile it ahead
    with `kernel.compile(...)`.  Safe to use from any thread.
    """

    __xetile_kernel__ = True
    __name__: str

    def __init__(
        self,
        fn: Callable[..., Any],
        out: Mapping[str, Rule],
        grid: Rule | Grid | int | None,
        num_subgroups: Rule | int | None,
        fast_math: bool = False,
        defaults: Mapping[str, Mapping[str, Any]] | None = None,
        method: bool = False,
    ) -> None:
        self.static = isinstance(fn, staticmethod)
        fn = fn.__func__ if isinstance(fn, staticmethod) else fn
        fn = check_function(fn)
        source_text.keep(fn)
        self.fn = fn
        self.head = Head(fn, dict(out) if isinstance(out, Mapping) else out, grid, dict(defaults or {}), method)
        self.num_subgroups = num_subgroups
        self.fast_math = fast_math
        self._last: FastPath | None = None
        self._method: Kernel | None = None
        self._loaded: dict[Any, LoadedKernel] = {}
        self._fast: dict[fastpath.Pattern, FastPath | None] = {}
        self._warned: set[str] = set()
        self._seen: set[str] = set()
        self._uncovered: set[Any] = set()
        self._locks: dict[Any, threading.Lock] = {}
        update_wrapper(self, fn)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the arguments given at run time."""
        return self.head.parameters

    @property
    def constants(self) -> tuple[str, ...]:
        """Names of the constexpr parameters."""
        return self.head.constants

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run the kernel. numpy arrays: blocks and gives numpy; device arrays: enqueues.

        Returns the allocated outputs (one, or a tuple). When all outputs are passed they are written in place, and the call
        returns None, or for device arrays the launch's event. Options of every call: `queue`, `num_subgroups`, `target`.
        Raises ArgumentError and its like before anything has run, LaunchError after.
        """
        try:
            last = self._last
            if last is None or kwargs or last.names or last.count != len(args):
                return self._run(None, args, kwargs)
            result = last.again(None, *args)
            return self._look_up(None, args, kwargs) if result is MISS else result
        except XetileError as error:
            raise without_ours(error)  # noqa: B904 (its cause is kept where it is the user's)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """A kernel that a class holds is a method of its objects, and a kernel without one, as functions are."""
        if instance is None or self.static:
            return self
        if self._method is None:
            head = self.head
            self._method = Kernel(self.fn, head.out, head.grid, self.num_subgroups, self.fast_math, head.by_target, method=True)
        return Method(self._method, instance)

    def __getitem__(self, grid: Any) -> Launcher:
        """The kernel with another grid: `kernel[gx, gy](A, B, C)`; also a function of arguments, as for `xt.jit(grid=...)`."""
        return Launcher(self, grid)

    def bind(self, /, *args: Any, **kwargs: Any) -> Bound:
        """Prepare the call `kernel(*args, **kwargs)`: the result repeats it on the same arrays, with no inspection of them."""
        return self._bind(None, args, kwargs)

    def __repr__(self) -> str:
        return f"<xetile kernel {self.head.usage}>"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or "__name__" not in self.__dict__:
                raise AttributeError(name)
            with errors_at_the_call():
                refuse_attribute(self, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return pickling.reduce(self)

    def compile(self, /, *types: Any, target: str = "pvc", num_subgroups: int | None = None, index_bits: int = 32,
                fast_math: bool | None = None, **constants: Any) -> CompiledKernel:  # fmt: skip
        """Compile ahead of time: types in the parameters' order ("f16[?,?]", "i32", arrays and numbers as examples, None), constants by name.

        What a call may leave out may be left out: parameters with defaults, and, where arrays are given as examples, outputs. Examples
        give their dtype, rank and how their rows lie; sizes, and what another array may not keep, are left open ("f32[?;lines]").
        index_bits: 64 for arrays of 2**31 elements and more, and for grids and numbers with which index arithmetic passes 2**31;
        with 32, launches of the saved kernel that could are refused. Calls choose it by themselves.
        fast_math: as for `xt.jit`, which says it where it is left out.

        Raises CompileError and its kinds at the kernel's source, ConstexprError for a missing constant. Warns as
        `CompiledKernel.binary`.
        """
        from xetile.runtime.ahead import request_ahead

        with errors_at_the_call():
            request = request_ahead(self, types, target, num_subgroups, index_bits, constants)
        from xetile.runtime.compiled import CompiledKernel

        compiled = CompiledKernel(request if fast_math is None else replace(request, fast_math=fast_math))
        _ = compiled.binary  # mistakes and spills are told here
        return compiled

    def _run(self, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        last = self._last
        if last is not None and last.count == len(args) and (last.names == tuple(kwargs) if kwargs else not last.names):
            result = last.again(grid, *args, **kwargs) if kwargs else last.again(grid, *args)
            if result is not MISS:
                return result
        return self._look_up(grid, args, kwargs)

    def _look_up(self, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A call that is not like the last one: by the code for its pattern, or in the general way."""
        pattern = fastpath.pattern_of(args, kwargs)
        if self.head.by_target:
            pattern = (self.head.kind_of(devices.current_device().target), *pattern)
        fast = self._fast.get(pattern)
        if fast is not None:
            result = fast.call(grid, *args, **kwargs)
            if result is not MISS:
                self._last = fast  # the next call tries it first: what it knows are calls on devices of its own target
                return result
        if (inline := inliner.get()) is not None:
            return inline(self, grid, list(args), dict(kwargs))
        stats.count("fast_misses")
        call = self._prepare(grid, args, kwargs)
        event = self._launch(call)
        self._remember(pattern, call, args, kwargs)
        return call.results if call.allocated else event

    def _bind(self, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Bound:
        return Bound(self.head.name, self._prepare, grid, args, kwargs)

    def _launch(self, call: Call) -> Any:
        launch = partial(call.loaded.launch, call.grid, call.args, queue=call.queue)
        if not hooks.launching:
            event = launch()
        else:
            event = hooks.around(hooks.LaunchEvent(self.head.name, call.device.name, call.grid, call.args), launch)
        bring_back(call.copies, written_parameters(call.loaded.artifact))
        if (noted := launches.get()) is not None:
            noted.append(call)
        return event

    def plan(self, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any], target: str = "") -> LaunchPlan:
        """Work a call out as far as it goes without the compiled kernel.  Raises whatever is wrong with the arguments.

        target: what it is to be compiled for; left out, the call or the device says it.
        """
        options = {name: kwargs[name] for name in OPTIONS if name in kwargs}
        given, constants = self.head.bind(args, {n: v for n, v in kwargs.items() if n not in OPTIONS})
        values = {n: as_argument(v, n, n in self.head.out) for n, v in given.items()}
        copies = copied(values)
        values |= {name: pair.copy for name, pair in copies.items()}
        queue = queues.native(options.get("queue"))
        remote = queues.first_device_array(values.values())
        device = self._device(remote, queue)
        target = target or options.get("target") or device.target or DEFAULT
        constants = self.head.complete_constants(constants, target)
        allocate = queues.allocate_like(remote, queue) if remote is not None else poisoned if device.debug else None
        allocated = self.head.allocate(values, constants, allocate)
        special = specialize(self.head.name, values, device, target, self.head.declared)
        where = self.head.grid_of(grid, values, constants)
        seen = captures.of(self.fn, constants)
        again = partial(self.plan, grid, args, kwargs)
        return LaunchPlan(values, constants, *allocated, special, device, queue, where, options.get("num_subgroups"), seen, again,
                          copies)  # fmt: skip

    def request(self, plan: LaunchPlan) -> Request:
        """What must be compiled for a call."""
        special = plan.special
        signature = special.signature([name for name in self.parameters if name not in plan.constants])
        made = self.request_for(signature, plan.constants, special.target, plan.num_subgroups, special.index_bits)
        return replace(made, lines=True) if plan.device.lines else made

    def _prepare(self, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Call:
        """Work a call out.  Raises whatever is wrong with it; no argument array has been changed then."""
        with errors_at_the_call():
            plan = self.plan(grid, args, kwargs)
            loaded, wide = self._load_for(plan)
            if isinstance(loaded.artifact, Binary):  # numpy has no block messages to miss
                self._warn(plan.special, {name: plan.values[name] for name in loaded.artifact.tiled if name in plan.values})
            own = {name: pair.array for name, pair in plan.copies.items()}
            self._check_written({**plan.values, **own}, written_parameters(loaded.artifact))
            self.head.check_stored(plan.undefined, written_parameters(loaded.artifact))
            warn_of_grid(self.head, grid, plan, loaded.artifact)
            warn_of_strides(self.head.name, plan.values, loaded.artifact.flat)
            if not plan.device.debug:  # which finds the very access
                self.head.check_read(plan.undefined, loaded.artifact.read_first)
        return Call(plan.values, plan.allocated, loaded, plan.grid, plan.queue, plan.device, plan.seen, wide, plan.special.target,
                    plan.constants, plan.copies)  # fmt: skip

    def _load_for(self, plan: LaunchPlan) -> tuple[LoadedKernel, bool]:
        """The kernel for a call, with an index of 64 bits where its sizes or its grid ask for that, and whether that is so."""
        loaded = self._load(plan)
        loaded.artifact.requires.check(self.head.name, plan.values)
        check = loaded.artifact.ranges.failing(plan.grid, plan.values)
        if check is None:
            return loaded, False
        if check.index and plan.special.index_bits == 32:
            plan.special = replace(plan.special, index_bits=64)
            loaded = self._load(plan)
            check = loaded.artifact.ranges.failing(plan.grid, plan.values)
        if check is not None:
            raise too_large(self.head.name, loaded.artifact.ranges, check, plan.grid)
        return loaded, True

    def _device(self, remote: Any, queue: Any) -> DeviceInfo:
        """The device that a `with` block chooses, else that of the arrays or the queue, else the process's."""
        chosen = devices.chosen_device()
        if remote is None and queue is None:
            return chosen or devices.current_device()
        found = queues.device_of(remote if queue is None else queue)
        if chosen is not None and chosen != found:
            raise ArgumentError(
                f"{self.head.name} is to run on {chosen.name}; the device arrays or the queue belong to "
                f"{found.name if found else 'another device'}",
                hint="make them within the same `with xt.device(...)`, or leave it out: calls run where their arrays are",
            )
        return found or devices.current_device()

    def _check_written(self, values: Mapping[str, Any], written: frozenset[str]) -> None:
        arrays = {n: v for n, v in values.items() if is_array(v)}
        for name in sorted(written & arrays.keys()):
            if not is_device_array(arrays[name]) and not arrays[name].flags.writeable:
                raise ArgumentError(f"{self.head.name}: {name} is written by the kernel, and the array is read-only",
                                    hint="pass a copy of it")  # fmt: skip
        check_no_overlap(arrays, written)

    def request_for(self, signature: Signature, constants: Mapping[str, Any], target: Any, num_subgroups: int | None = None,
                    index_bits: int = 32) -> Request:  # fmt: skip
        """What must be compiled for given types and constants."""
        from xetile.runtime.request import Request

        name = str(getattr(target, "name", target))
        count = self.head.subgroups(self.num_subgroups if num_subgroups is None else num_subgroups, constants, name)
        return Request(self.fn, signature, constants, name, count, index_bits, self.fast_math)

    def _load(self, plan: LaunchPlan) -> LoadedKernel:
        """The kernel for a call; for the device's other target where it cannot be compiled for the first one yet."""
        constants = tuple(map(fingerprint.exact, plan.constants.values()))
        covered = (plan.special.key, plan.special.target, constants, plan.num_subgroups, plan.seen.digest)
        if covered not in self._uncovered or cpus.is_forced():
            try:
                return self._load_special(plan)
            except (UncoveredError, InternalError, BuildError) as error:
                if not plan.device.otherwise or plan.special.target != plan.device.target or cpus.is_forced():
                    raise
                level = hooks.log.info if isinstance(error, UncoveredError) else hooks.log.warning
                level("%s is compiled for %s instead: %s", self.head.name, plan.device.otherwise, error)
                self._uncovered.add(covered)
        return self._load_special(self._otherwise(plan))

    def _otherwise(self, plan: LaunchPlan) -> LaunchPlan:
        """The call for the device's other target, which may have other constants."""
        bits = plan.special.index_bits
        other = plan.again(plan.device.otherwise)
        vars(plan).update(vars(other), special=replace(other.special, index_bits=bits))
        return plan

    def settled(self, plan: LaunchPlan) -> LaunchPlan:
        """The call for the target that its kernel will be compiled for, for those who compile it themselves."""
        if not plan.device.otherwise or plan.special.target != plan.device.target or cpus.is_forced():
            return plan
        try:
            loading.binary(self.request(plan))
        except (UncoveredError, InternalError):
            return self._otherwise(plan)
        except CompileError:  # whoever compiles it will be told
            pass
        return plan

    def _load_special(self, plan: LaunchPlan) -> LoadedKernel:
        """The kernel of a specialisation, made once whoever asks first."""
        special = plan.special
        constants = tuple(map(fingerprint.exact, plan.constants.values()))
        key = (special.key, special.target, constants, plan.device, plan.num_subgroups, plan.seen.digest)
        kernel = self._loaded.get(key)
        if kernel is None:
            with self._locks.setdefault(key, threading.Lock()):
                kernel = self._loaded.get(key)
                if kernel is None:
                    request = self.request(plan)
                    kernel = loading.load(request, plan.device, devices.backend_of(plan.device))
                    self._note_seen(plan.seen.digest)
                    self._loaded[key] = kernel
                    if isinstance(kernel.artifact, Binary):
                        warn_of_slow_tiles(self.fn, kernel.artifact)
                    if plan.device.kind == "gpu" and isinstance(kernel.artifact, Binary):
                        spilling.warn_of_built(request, kernel.artifact, kernel.spilled)
        return kernel

    def _note_seen(self, digest: str) -> None:
        """Warn where what the kernel sees changes so often that compiling it again each time is hardly meant."""
        self._seen.add(digest)
        if len(self._seen) == OFTEN:
            warnings.warn(f"{self.head.name} has been compiled {OFTEN} times, as a global, a closure or an attribute that it sees keeps "
                          "changing: pass what changes as an argument", PerformanceWarning, stacklevel=outside()[0])  # fmt: skip

    def _remember(self, pattern: fastpath.Pattern, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        given = (*args, *kwargs.values())
        # Copies are made call by call, arrays without axes are numbers of arrays' types, and lists have no hash.
        if call.copies or any(isinstance(v, list) or (getattr(v, "shape", None) == () and is_array(v)) for v in given):
            return
        if pattern not in self._fast:
            self._fast[pattern] = fastpath.generate(self.head, {**call.constants, **call.values}, args, kwargs)
        fast = self._fast[pattern]
        if self.head.by_target and self.head.kind_of(call.target) != pattern[0]:  # the code has the constants of another target
            return
        # A wide kernel would also serve smaller calls with the same key, and slower.
        present = tuple(n for n in self.parameters if n in call.values)
        if fast is None or call.device.debug or call.wide or call.loaded.artifact.parameters != present:
            return
        # The address of shared memory is not in the key, and its alignment matters.
        if any(is_device_array(v) and getattr(v.base_data, "svm_ptr", None) is not None for v in call.values.values()):
            return
        key = fast.key(*args, **kwargs, **{n: call.values[n] for n in call.allocated})
        artifact, keep = call.loaded.artifact, (devices.current_device(), call.device)
        budget = artifact.ranges.budget(call.grid, call.values)
        single = frozenset(spec.param for spec in artifact.args if spec.kind == "scalar" and spec.dtype == "f32")
        # Sizes and strides are in the key; a number that assertions speak of may be another one.
        required = artifact.requires if artifact.requires.by_scalars else None
        blocked = fast.blocked(written_parameters(artifact), single, budget, required, call.seen.unchanged)
        fast.remember(key, call.loaded.launch, blocked, budget, keep)

    def _warn(self, special: Specialization, tiled: Mapping[str, Any]) -> None:
        for name, reason in special.slow.items():
            if name in tiled and name not in self._warned and tiled[name].nbytes >= WORTH_A_WORD:
                self._warned.add(name)
                warnings.warn(f"{self.head.name}: {name} is accessed element by element, which is slow: {reason}",
                              PerformanceWarning, stacklevel=outside()[0])  # fmt: skip
