"""Launch a built kernel: pass arguments, enqueue, and bring results back.

Two ways lead to the device.  Calls with pyopencl arrays alone take generated code (`arguments.py`) that checks little and blocks on
nothing.  All others (host arrays, mixtures, foreign queues, offsets) are placed one by one (`placement.py`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pyopencl as cl
from pyopencl._cl import enqueue_nd_range_kernel

from xetile.backends.opencl import arguments, capi, placement
from xetile.backends.opencl.driver import Session
from xetile.errors import ArgumentError, DeviceError, LaunchError
from xetile.runtime.arrays import is_device_array
from xetile.runtime.artifact import Binary, written_parameters
from xetile.runtime.backend import Grid

_forked = False


def _mark_forked() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_mark_forked)


def check_process() -> None:
    """Raise DeviceError in a forked child: OpenCL's threads stayed in the parent, so that any call could hang."""
    if _forked:
        raise DeviceError(
            "OpenCL was in use when this process was forked, so it cannot be used here",
            hint="start workers by multiprocessing.get_context('spawn') or 'forkserver'",
        )


class _State:
    """A thread's own kernel object: clSetKernelArg on one object from two threads is a race (OpenCL 3.0, 5.9.2).

    layout   shapes and strides that are set on it; None when not known.
    queue    the queue that generated code may use: it is in order and belongs to the kernel's context.
    """

    __slots__ = ("kernel", "layout", "queue", "set_bytes", "set_packed", "set_pointers")

    def __init__(self, program: cl.Program, name: str, queue: cl.CommandQueue) -> None:
        self.kernel = cl.Kernel(program, name)
        self.layout: Any = None
        self.queue = queue
        self.set_pointers = self.kernel._set_arg_multi
        self.set_packed = self.kernel._set_arg_buf_pack_multi
        self.set_bytes = self.kernel._set_arg_buf_multi


class OpenCLKernel:
    """A kernel built for one device in one context; launched in another context, it builds itself there once more."""

    def __init__(self, artifact: Binary, session: Session, native: bytes | None = None) -> None:
        check_process()
        self.artifact = artifact
        self.session = session
        self._parameters = artifact.parameters
        self._code = arguments.generate(artifact.args, self._parameters, written_parameters(artifact), artifact.local_size)
        self._enqueue = self._code.enqueue
        self._program = session.build(artifact, native)
        self._local = threading.local()
        self._lock = threading.Lock()
        self._elsewhere: dict[int, OpenCLKernel] = {}
        self._state()  # an entry point that is not in the module shows now, not at the first launch

    def native(self) -> bytes | None:
        """The driver's binary of the built program; None where the driver gives none."""
        return capi.native_binary(self._program) or None

    def launch(self, grid: Grid, args: Sequence[Any], *, queue: cl.CommandQueue | None = None) -> cl.Event | None:
        """See `xetile.runtime.backend.LoadedKernel.launch`."""
        try:
            state = self._local.state
        except AttributeError:
            state = self._state()
        if (queue is None or queue is state.queue) and len(grid) == 3 and 0 not in grid and not _forked:
            try:
                event = self._enqueue(state, enqueue_nd_range_kernel, grid, *args)
            except Exception as error:
                raise self._explained(error, grid, args) from error
            if event is not None:
                return event
        return self._launch_placed(grid, args, queue)

    def bind(self, grid: Grid, args: Sequence[Any], *, queue: cl.CommandQueue | None = None) -> Callable[[], cl.Event | None]:
        """See `xetile.runtime.backend.LoadedKernel.bind`.  Host arrays are bound in place where the device allows it; otherwise
        each call moves them."""
        grid = _three(grid)
        arrays = [args[argument.position] for argument in self._code.arrays if argument.position < len(args)]
        here = queue if queue is not None else self._queue_of(arrays)
        home = self._home(here)
        if home is not self:
            return home.bind(grid, args, queue=here)
        own = _State(self._program, self.artifact.name, here)
        placed = self._place_all(own, args, here, grid)
        if 0 in grid or any(isinstance(p, placement.ByCopy | placement.OnHost) or getattr(p, "_moved", False) for p in placed):
            return lambda: self.launch(grid, args, queue=queue)
        return self._bound(own, grid, placed, blocking=any(isinstance(p, placement.InPlace) for p in placed))

    def _bound(self, state: _State, grid: Grid, placed: Sequence[Any], blocking: bool) -> Callable[[], cl.Event | None]:
        enqueue, queue, kernel, local_size = enqueue_nd_range_kernel, state.queue, state.kernel, self.artifact.local_size

        def enqueue_bound(keep: Any = placed) -> cl.Event | None:
            return enqueue(queue, kernel, grid, local_size, None, None, True)  # type: ignore[arg-type]

        def run_bound(keep: Any = placed) -> cl.Event | None:
            enqueue(queue, kernel, grid, local_size, None, None, True).wait()  # type: ignore[arg-type]
            return None

        return run_bound if blocking else enqueue_bound

    def _state(self) -> _State:
        try:
            state = self._local.state = _State(self._program, self.artifact.name, self.session.queue)
        except cl.Error as error:
            raise LaunchError(f"the built module has no kernel {self.artifact.name!r}: {error}") from error
        return state

    def _launch_placed(self, grid: Grid, args: Sequence[Any], queue: cl.CommandQueue | None) -> cl.Event | None:
        """The general way.  Blocks when any argument is a host array; returns the event otherwise."""
        check_process()
        if len(args) != len(self._parameters):
            raise self._explained(TypeError("wrong number of arguments"), grid, args)
        arrays = [args[argument.position] for argument in self._code.arrays]
        here = queue if queue is not None else self._queue_of(arrays)
        home = self._home(here)
        if home is not self:
            return home._launch_placed(grid, args, here)
        grid = _three(grid)
        state = self._local.state if hasattr(self._local, "state") else self._state()
        placed = self._place_all(state, args, here, grid)
        waits = [event for array in arrays if is_device_array(array) and array.queue is not here for event in array.events]
        try:
            event = _start(here, state.kernel, grid, self.artifact.local_size, waits)
            for one in placed:
                one.finish(here)
        except cl.Error as error:
            raise self._explained(error, grid, args) from error
        return self._completed(event, arrays, here)

    def _completed(self, event: cl.Event, arrays: Sequence[Any], queue: cl.CommandQueue) -> cl.Event | None:
        if not all(is_device_array(array) for array in arrays):
            event.wait()
            return None
        for argument, array in zip(self._code.arrays, arrays, strict=True):
            if array.queue is not queue and argument.written:
                array.add_event(event)
        if _in_order(queue):
            self._local.state.queue = queue  # the next call with these arrays may take the generated code
        return event

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
            return placement.OnDevice(self.session, queue, argument, value)
        return placement.place(self.session, queue, argument, value)

    def _queue_of(self, arrays: Sequence[Any]) -> cl.CommandQueue:
        """The queue of the device arrays; ours when they have none or there are none."""
        for array in arrays:
            if is_device_array(array) and array.queue is not None:
                return array.queue
        for array in arrays:
            if is_device_array(array) and array.context != self.session.context:
                raise ArgumentError("an array of another OpenCL context has no queue", hint="pass queue=... or give it one: with_queue")
        return self.session.queue

    def _home(self, queue: cl.CommandQueue) -> OpenCLKernel:
        """This kernel, or the same built for the context that the queue belongs to."""
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
        if (problem := arguments.explain(self.artifact.args, self._parameters, args)) is not None:
            return problem
        binary, info = self.artifact, self.session.info
        return LaunchError(
            f"kernel {binary.name} could not run on {info.name}: {error}\n  target: {binary.target}, grid: {tuple(grid)}, "
            f"workgroup: {binary.local_size}, subgroups of {binary.subgroup_size}"
        )


def _three(grid: Grid) -> tuple[int, int, int]:
    """The grid with all three dimensions.  Raises ArgumentError for one that is no grid."""
    sizes = tuple(int(size) for size in grid)
    if not 0 < len(sizes) <= 3 or any(size < 0 for size in sizes):
        raise ArgumentError(f"the grid {tuple(grid)} is not one to three sizes of zero or more")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _start(queue: cl.CommandQueue, kernel: cl.Kernel, grid: Grid, local_size: Grid, waits: list[cl.Event]) -> cl.Event:
    if 0 in grid:  # nothing to run; the event still orders what follows
        return cl.enqueue_marker(queue, wait_for=waits or None)
    return enqueue_nd_range_kernel(queue, kernel, grid, local_size, None, waits or None, True)


def _in_order(queue: cl.CommandQueue) -> bool:
    return not queue.properties & cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
