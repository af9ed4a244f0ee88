"""Queues: where launches with device arrays go, one after the other, without waiting for them.

    q = xt.Queue("gpu", profiling=True)
    a, b = q.to_device(A), q.to_device(B)
    c = matmul(a, b)                     # enqueued on the arrays' queue
    q.finish()

`queue=` of a call takes such a queue or a `pyopencl.CommandQueue`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from xetile.errors import ArgumentError, DeviceError
from xetile.runtime import devices
from xetile.runtime.arrays import as_host_array, is_device_array
from xetile.runtime.backend import DeviceInfo, QueueBackend
from xetile.runtime.cpus import as_chosen


class Queue:
    """An in-order queue of a device; `handle` is the backend's own (a pyopencl.CommandQueue).

    device: as for `xt.device`, or the present one. profiling: events carry times (`xt.elapsed`).
    Raises DeviceError for a device without queues: the numpy device runs everything at once.

    Example:
        queue = xt.Queue("cpu")
        x = queue.to_device(np.arange(4, dtype=np.float32))
        print(x.get())

    Prints:
        [0. 1. 2. 3.]
    """

    def __init__(self, device: devices.Selection | None = None, *, profiling: bool = False) -> None:
        self.device = devices.current_device() if device is None else devices.find_device(device)
        backend: Any = devices.backend_of(self.device)
        if not isinstance(backend, QueueBackend):
            raise DeviceError(f"{self.device.name} has no queues", hint="calls on it run at once: leave queue= out")
        self.handle: Any = backend.new_queue(self.device, profiling=profiling)

    def to_device(self, array: Any) -> Any:
        """A copy of a host array on the device (`pyopencl.array.Array`); blocks until it is there."""
        from pyopencl.array import to_device

        return to_device(self.handle, as_host_array(array))

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """A device array with undefined contents; `dtype` is one of ours or numpy's."""
        from pyopencl.array import empty

        return empty(self.handle, shape, getattr(dtype, "numpy", dtype))

    def finish(self) -> None:
        """Wait until everything in the queue has run."""
        self.handle.finish()

    def __repr__(self) -> str:
        return f"<xetile queue on {self.device.name}>"


def elapsed(event: Any) -> float:
    """Seconds that a launch took on the device, by its event; waits for it.

    Raises DeviceError for an event of a queue without profiling.

    Example:
        @xt.jit(grid=(1,))
        def doubled(X, Y):
            xt.store_tile(xt.load_tile(xt.init_tile(X, 0, (4,))) * 2, xt.init_tile(Y, 0, (4,)))

        queue = xt.Queue("cpu", profiling=True)
        x, y = queue.to_device(np.ones(4, np.float32)), queue.to_device(np.zeros(4, np.float32))
        with xt.device("cpu"):
            event = doubled(x, y)
        print(xt.elapsed(event) > 0, y.get())

    Prints:
        True [2. 2. 2. 2.]
    """
    event.wait()
    try:
        return float(event.profile.end - event.profile.start) * 1e-9
    except Exception as error:
        raise DeviceError("the event carries no times", hint="make its queue with xt.Queue(profiling=True)") from error


def native(queue: Any) -> Any:
    """The backend's queue behind a `Queue`, or what was given. Raises ArgumentError for what is plainly none."""
    if isinstance(queue, (int, float, str, tuple, list)):
        raise ArgumentError(f"queue is {queue!r}", hint="queue=xt.Queue() makes one, which many calls share")
    return queue.handle if isinstance(queue, Queue) else queue


def device_of(value: Any) -> DeviceInfo | None:
    """The device that a device array or a backend's queue belongs to, where it can be told."""
    for info in devices.devices():
        backend: Any = devices.backend_of(info) if info.usable else None
        if isinstance(backend, QueueBackend) and (found := backend.device_of(value)) is not None:
            return as_chosen(next((known for known in devices.devices() if known == found), found))
    return None


OWN = ("allocator", "base_data", "context", "events", "queue")
FORM = ("dtype", "nbytes", "offset", "shape", "size", "strides", "_flags")
"""What a device array consists of: what each has of its own, and what follows from its shape and dtype."""
FORMS_KEPT = 256

_forms: dict[Any, dict[str, Any]] = {}


def allocate_like(array: Any, queue: Any = None) -> Any:
    """What allocates beside a device array, by its own type: a function of a shape, a numpy dtype and what fills it, or None."""
    kind, where = type(array), array.queue if queue is None else queue

    def allocate(shape: Any, dtype: np.dtype[Any], fill: Any) -> Any:
        new = _formed(array, where, shape, dtype)
        if new is None:
            new = kind(where, shape, dtype, allocator=array.allocator)
        return new if fill is None else _filled(new, where, fill)

    return allocate


def _filled(array: Any, queue: Any, fill: Any) -> Any:
    """The array, filled as memory is: pyopencl's own way builds a kernel for each dtype first, and has none for f16 and bf16."""
    import pyopencl as cl

    if array.nbytes:
        array.add_event(cl.enqueue_fill(queue, array.base_data, np.full((), fill, array.dtype), array.nbytes))
    return array


def _formed(array: Any, queue: Any, shape: Any, dtype: np.dtype[Any]) -> Any:
    """A new array as pyopencl made one of this shape and dtype before, with memory of its own; None where it must make it.

    Its constructor looks at a shape by several calls of numpy, which takes three times as long as launching a kernel.
    """
    try:
        form = _forms.get((type(array), shape, dtype))
    except TypeError:  # a list
        return None
    if form is None:
        return _made(array, queue, shape, dtype)
    if not all(type(size) is int for size in shape):  # equal to one that is, and perhaps refused
        return None
    new = object.__new__(type(array))
    allocator, context = array.allocator, queue.context
    memory = _buffer(context, form["nbytes"]) if allocator is None else allocator(form["nbytes"])
    new.__dict__.update(form, queue=queue, context=context, allocator=allocator, base_data=memory, events=[])
    return new


def _made(array: Any, queue: Any, shape: Any, dtype: np.dtype[Any]) -> Any:
    """A new array as pyopencl makes it, whose form is kept if it consists of what is known, and it is no kind of the user's."""
    new = type(array)(queue, shape, dtype, allocator=array.allocator)
    plain = type(array).__module__ == "pyopencl.array" and isinstance(shape, tuple) and all(type(size) is int for size in shape)
    if plain and new.nbytes and vars(new).keys() == {*OWN, *FORM}:
        if len(_forms) >= FORMS_KEPT:
            _forms.clear()
        _forms[type(array), shape, dtype] = {name: getattr(new, name) for name in FORM}
    return new


def _buffer(context: Any, size: int) -> Any:
    import pyopencl as cl

    return cl.Buffer(context, cl.mem_flags.READ_WRITE, size)


def first_device_array(values: Any) -> Any:
    """The first device array among some values; None when there is none."""
    return next((value for value in values if is_device_array(value)), None)
