"""Launch a built kernel: pass arguments, enqueue, and bring results back.

Two ways lead to the device.  Calls with pyopencl arrays alone, or with numpy arrays alone on a device that reads the process's
memory, take generated code (`arguments.py`).  All others (copies, mixtures, foreign queues, offsets) are placed one by one
(`placement.py`).

Measured with 2 arrays, 6 dims and strides and a scalar (CPU runtime, 2 cores), median microseconds: bare enqueue 1.8, launch on
device arrays 2.9, bound 1.9; bare enqueue and wait 4.6, launch on numpy arrays 6.3, with a read-only input 9.5, bound 4.7.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
import pyopencl as cl
from pyopencl._cl import enqueue_nd_range_kernel

from xetile.errors import ArgumentError, LaunchError, XetileError
from xetile.failures import FAILURE_WORDS, failure
from xetile.runtime.arrays import is_device_array
from xetile.runtime.artifact import Binary, written_parameters
from xetile.runtime.backend import Grid, three_sizes

from . import arguments, capi, driver, placement, private
from .driver import Session
from .private import Private

# pyopencl's stubs do not know that its arguments may be positional; as keywords they cost a microsecond.
_enqueue: Any = enqueue_nd_range_kernel


GRIDS_KNOWN = 1024
ON_STACK = 1 << 17  # bytes of a program's values, which lie on the stack of the thread that runs it: any thread has so much


class _State:
    """A thread's own kernel object: clSetKernelArg on one object from two threads is a race (OpenCL 3.0, 5.9.2).

    layout   shapes and strides that are set on it; None when not known.
    queue    the queue that calls with device arrays last used: it is in order and belongs to the kernel's context.
    home     the session's own queue.
    alike    for which prepared launch dims, strides and scalars are set.
    run_one  runs one program in the calling thread at once; None where that cannot be.
    """

    __slots__ = ("alike", "home", "kernel", "layout", "queue", "run_one", "set_bytes", "set_packed", "set_pointers")

    def __init__(self, program: cl.Program, name: str, queue: cl.CommandQueue, session: Session, local_size: Grid) -> None:
        kernel: Any = cl.Kernel(program, name)
        self.kernel = kernel
        self.alike: Any = None
        self.run_one: Any = None
        on_stack = private.bytes_of(session, kernel) * prod(local_size)
        if queue is session.queue and on_stack <= ON_STACK and (local := session.local_queue) is not None:
            self.run_one = capi.enqueue_one(local, kernel, local_size)
        self.layout: Any = None
        self.queue = self.home = queue
        self.set_pointers = kernel._set_arg_multi
        self.set_packed = kernel._set_arg_buf_pack_multi
        self.set_bytes = kernel._set_arg_buf_multi


class OpenCLKernel:
    """A kernel built for one device in one context; launched in another context, it builds itself there once more."""

    def __init__(self, artifact: Binary, session: Session, native: bytes | None = None) -> None:
        driver.check_process()
        self.artifact = artifact
        self.session = session
        self._parameters = artifact.parameters
        self._code = arguments.generate(artifact.args, self._parameters, written_parameters(artifact), artifact.local_size)
        self._failures = next((i for i, spec in enumerate(artifact.args) if spec.kind == "failures"), None)
        self._program = session.build(artifact, native)
        self._local = threading.local()
        self._lock = threading.Lock()
        self._elsewhere: dict[int, OpenCLKernel] = {}
        self._grids: set[Grid] = set()
        state = self._state()  # an entry point that is not in the module shows now, not at the first launch
        # On a CPU values that find no register lie on the stack, in the cache.
        self.spilled = capi.spilled_bytes(state.kernel, session.device) if session.info.kind == "gpu" else None
        self._private = Private(session, artifact.name, state.kernel)
        # After each launch a kernel with assertions is asked whether they held; before it, one with large tiles whether there is room.
        self._plain = self._failures is None and not self._private.bytes
        self._on_device = self._code.on_device if self._plain else _never
        self._in_place = self._code.in_place if session.system_memory and self._plain else _never
        self._alike = self._code.alike if session.system_memory and self._plain else _never

    def native(self) -> bytes | None:
        """The driver's binary of the built program; None where the driver gives none."""
        return capi.native_binary(self._program) or None

    def launch(self, grid: Grid, args: Sequence[Any], *, queue: cl.CommandQueue | None = None,
               mark: Any = None) -> cl.Event | None:  # fmt: skip
        """See `xetile.runtime.backend.LoadedKernel.launch`; `mark`: the prepared launch that the arguments are set for."""
        try:
            state = self._local.state
        except AttributeError:
            state = self._state()
        runs = grid in self._grids or self._admit(grid := three_sizes(grid))
        if runs and (queue is None or queue is state.queue) and not driver.forked:
            try:
                if (event := self._on_device(state, _enqueue, grid, *args)) is not None:
                    return event  # type: ignore[no-any-return]
                if queue is None and self._in_place(state, _enqueue, grid, *args) is not None:
                    state.alike = mark
                    return None
            except Exception as error:
                problem = self._explained(error, grid, args)
                raise problem from (None if isinstance(problem, ArgumentError) else error)
        return self._launch_placed(grid, args, queue)

    def alike(self, grid: Grid) -> Callable[[Sequence[Any]], None]:
        """See `xetile.runtime.backend.LoadedKernel.alike`."""
        grid, own = three_sizes(grid), object()

        def launch(args: Sequence[Any]) -> None:
            state = getattr(self._local, "state", None)
            if state is not None and state.alike is own and not driver.forked:
                try:
                    if self._alike(state, _enqueue, grid, *args) is not None:
                        return
                except Exception as error:
                    raise self._explained(error, grid, args) from error
            self.launch(grid, args, mark=own)

        return launch

    def _admit(self, grid: Grid) -> bool:
        """Whether there is something to run on a grid; then it is noted, so that the next launch need not look at it."""
        if 0 in grid:
            return False
        if len(self._grids) >= GRIDS_KNOWN:
            self._grids.clear()
        self._grids.add(grid)
        return True

    def bind(self, grid: Grid, args: Sequence[Any], *, queue: cl.CommandQueue | None = None) -> Callable[[], cl.Event | None]:
        """See `xetile.runtime.backend.LoadedKernel.bind`.

        Host arrays are bound in place where the device allows it; otherwise each call moves them.
        """
        grid = three_sizes(grid)
        arrays = [args[argument.position] for argument in self._code.arrays if argument.position < len(args)]
        here = queue if queue is not None else self._queue_of(arrays)
        home = self._home(here)
        if home is not self:
            return home.bind(grid, args, queue=here)
        if not self._plain:
            return lambda: self.launch(grid, args, queue=queue)
        own = self._new_state(here)
        placed = self._place_all(own, args, here, grid)
        copied = placement.ByCopy | placement.OnHost | placement.Reversed
        if 0 in grid or any(isinstance(p, copied) or getattr(p, "_moved", False) for p in placed):
            return lambda: self.launch(grid, args, queue=queue)
        return self._bound(own, grid, placed, blocking=any(isinstance(p, placement.InPlace) for p in placed))

    def _bound(self, state: _State, grid: Grid, placed: Sequence[Any], blocking: bool) -> Callable[[], cl.Event | None]:
        enqueue, queue, kernel, local_size = _enqueue, state.queue, state.kernel, self.artifact.local_size
        run_one = state.run_one if grid == (1, 1, 1) else None

        def enqueue_bound(keep: Any = placed) -> Any:
            return enqueue(queue, kernel, grid, local_size, None, None, True)

        def run_bound(keep: Any = placed) -> None:
            if run_one is None:
                enqueue(queue, kernel, grid, local_size, None, None, True).wait()
            else:
                run_one()

        return run_bound if blocking else enqueue_bound

    def _new_state(self, queue: cl.CommandQueue) -> _State:
        return _State(self._program, self.artifact.name, queue, self.session, self.artifact.local_size)

    def _state(self) -> _State:
        try:
            state = self._local.state = self._new_state(self.session.queue)
        except cl.Error as error:
            raise LaunchError(f"the built module has no kernel {self.artifact.name!r}: {error}") from error
        return state

    def _launch_placed(self, grid: Grid, args: Sequence[Any], queue: cl.CommandQueue | None) -> cl.Event | None:
        """The general way.  Blocks when any argument is a host array; returns the event otherwise."""
        driver.check_process()
        if len(args) != len(self._parameters):
            raise self._explained(TypeError("wrong number of arguments"), grid, args)
        arrays = [args[argument.position] for argument in self._code.arrays]
        here = queue if queue is not None else self._queue_of(arrays)
        home = self._home(here)
        if home is not self:
            return home.launch(grid, args, queue=queue)
        state = self._local.state if hasattr(self._local, "state") else self._state()
        self._private.check(prod(grid))
        placed = self._place_all(state, args, here, grid)
        failures = self._place_failures(state)
        waits = [event for array in arrays if is_device_array(array) and array.queue is not here for event in array.events]
        try:
            event = _start(here, state.kernel, grid, self.artifact.local_size, waits)
            for one in placed:
                one.finish(here)
            done = self._completed(event, arrays, here)
            if failures is not None:
                self._raise_failure(failures, here)
            return done
        except cl.Error as error:
            raise self._explained(error, grid, args) from error

    def _completed(self, event: cl.Event, arrays: Sequence[Any], queue: cl.CommandQueue) -> cl.Event | None:
        # Without arrays a kernel follows addresses, and nothing else orders what it writes there before the caller reads it.
        if not arrays or not all(is_device_array(array) for array in arrays):
            event.wait()
            return None
        for argument, array in zip(self._code.arrays, arrays, strict=True):
            if array.queue is not queue and argument.written:
                array.add_event(event)
        if not queue.properties & cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE:
            self._local.state.queue = queue  # the next call with these arrays may take the generated code
        return event

    def _place_failures(self, state: _State) -> cl.Buffer | None:
        """The memory for assertions that do not hold; None of a kernel without."""
        if self._failures is None:
            return None
        flags: Any = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        buffer = cl.Buffer(self.session.context, flags, hostbuf=np.zeros(FAILURE_WORDS, np.int32))
        state.set_pointers((self._failures, buffer))
        return buffer

    def _raise_failure(self, buffer: cl.Buffer, queue: cl.CommandQueue) -> None:
        """Wait for the kernel, and raise what it has noted."""
        words = np.empty(FAILURE_WORDS, np.int32)
        cl.enqueue_copy(queue, words, buffer, is_blocking=True)
        error = failure(self.artifact.name, words.tolist(), self.artifact.asserts)
        if error is not None:
            raise error

    def _place_all(self, state: _State, args: Sequence[Any], queue: cl.CommandQueue, grid: Grid) -> list[placement.Placed]:
        """Place every array and set every argument on the state's kernel.

        An array passed twice is placed once, so that both parameters see the same memory.
        """
        values = list(args)
        by_identity: dict[tuple[int, bool], placement.Placed] = {}
        placed: list[placement.Placed] = []
        pointers: list[Any] = []
        for argument in self._code.arrays:
            value = args[argument.position]
            one = by_identity.get((id(value), argument.written)) or self._place(queue, argument, value)
            by_identity[id(value), argument.written] = one
            values[argument.position] = one.array
            placed.append(one)
            pointers += [item for index in argument.indices for item in (index, one.memory)]
        try:
            state.set_pointers(tuple(pointers))
            self._code.set_values(state, *values)
        except Exception as error:
            raise self._explained(error, grid, values) from error
        return list(dict.fromkeys(placed))

    def _place(self, queue: cl.CommandQueue, argument: arguments.ArrayArgument, value: Any) -> placement.Placed:
        if is_device_array(value):
            return placement.on_device(self.session, queue, argument, value)
        return placement.place(self.session, queue, argument, value)

    def _queue_of(self, arrays: Sequence[Any]) -> cl.CommandQueue:
        """The queue of the device arrays; ours when they have none or there are none."""
        for array in arrays:
            queue: cl.CommandQueue | None = array.queue if is_device_array(array) else None
            if queue is not None:
                return queue
        for array in arrays:
            if is_device_array(array) and array.context != self.session.context:
                raise ArgumentError("an array of another OpenCL context has no queue", hint="pass queue=...")
        return self.session.queue

    def _home(self, queue: cl.CommandQueue) -> OpenCLKernel:
        """The kernel itself, or the same built for the context that the queue belongs to."""
        if queue is self.session.queue or queue.context == self.session.context:
            return self
        if queue.device != self.session.device:
            raise ArgumentError(
                f"the arrays or the queue belong to {queue.device.name.strip()}, the kernel to {self.session.info.name}",
                hint="run the call within `with xt.device(...)` of the arrays' device",
            )
        context = queue.context
        with self._lock:
            if context.int_ptr not in self._elsewhere:
                session = Session(self.session.info, self.session.device, context)
                self._elsewhere[context.int_ptr] = OpenCLKernel(self.artifact, session)
            return self._elsewhere[context.int_ptr]

    def _explained(self, error: Exception, grid: Grid, args: Sequence[Any]) -> Exception:
        """What went wrong with a launch, in the user's words."""
        if isinstance(error, XetileError):
            return error
        if (problem := arguments.explain(self.artifact.args, self._parameters, args)) is not None:
            return problem
        binary, info = self.artifact, self.session.info
        return LaunchError(
            f"kernel {binary.name} could not run on {info.name}: {error}\n  target: {binary.target}, grid: {tuple(grid)}, "
            f"workgroup: {binary.local_size}, subgroups of {binary.subgroup_size}"
        )


def _never(*args: Any) -> None:
    """In place of generated code that the device has no use for."""


def _start(queue: cl.CommandQueue, kernel: cl.Kernel, grid: Grid, local_size: Grid, waits: list[cl.Event]) -> cl.Event:
    if 0 in grid:  # nothing to run; the event still orders what follows
        return cl.enqueue_marker(queue, wait_for=waits or None)
    event: cl.Event = _enqueue(queue, kernel, grid, local_size, None, waits or None, True)
    return event
