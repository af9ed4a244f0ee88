"""Build a candidate, run it on copies of a call's arrays, and time it: in this process, or in one that may be killed.

`python -m xetile.runtime.autotune.worker` is that process: it reads a line of JSON for each task and answers with one, after lines that
tell how far it is.  Arrays travel as files.  It never sees the kernel's source, so nothing of the user's program runs in it.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np

from xetile import schema
from xetile.dtypes import DTYPES
from xetile.records import dataclass
from xetile.runtime import devices, loading, settings
from xetile.runtime.arrays import is_array, is_device_array
from xetile.runtime.artifact import Binary, written_parameters
from xetile.runtime.autotune.arrays import Raw, copied, on_host, span

if TYPE_CHECKING:
    from xetile.runtime.backend import DeviceInfo
    from xetile.runtime.plan import LaunchPlan

# One sample takes at least this long, so that the clock and the launch do not count.
SAMPLE_SECONDS = 1e-3
MOST_LAUNCHES = 200
# All samples of one candidate together.
TIMING_SECONDS = 2.0
# What a process may take until its driver is loaded and has built for the first time, which no candidate is to blame for.
START_SECONDS = 60.0
BUILT = '"built"\n'


@dataclass(frozen=True)
class Task:
    """A candidate and its arguments.  `fresh`: outputs made by the `out` rule, which a right kernel writes everywhere.

    `remote`: the call's arrays are on the device, so the copies are, too.
    """

    binary: Binary
    grid: tuple[int, ...]
    values: dict[str, Any]
    fresh: tuple[str, ...]
    remote: bool
    samples: int

    @classmethod
    def of(cls, plan: LaunchPlan, binary: Binary, samples: int) -> Task:
        """The task of running a planned call."""
        values = {name: plan.values[name] for name in binary.parameters}
        remote = plan.device.kind == "gpu" or any(map(is_device_array, values.values()))
        return cls(binary, plan.grid, values, plan.allocated, remote, samples)


@dataclass(frozen=True)
class Measurement:
    """The contents of written arrays after one launch, and seconds per launch, sample by sample."""

    outputs: dict[str, Any]
    seconds: list[float]


@dataclass(frozen=True)
class Failure:
    """Why a candidate was left out: `status` is "refused", "crashed" or "hung"."""

    status: str
    reason: str


class Runner(Protocol):
    """Runs tasks, one at a time."""

    def run(self, task: Task) -> Measurement | Failure:
        """Never raises for what the candidate does."""


@contextmanager
def make_runner(device: DeviceInfo, isolate: bool, timeout: float) -> Iterator[Runner]:
    """A runner for the block."""
    if not isolate:
        yield _Here(device)
        return
    process = _Process(device, timeout)
    try:
        yield process
    finally:
        process.close()


class _Here:
    """Runs candidates in this process."""

    def __init__(self, device: DeviceInfo) -> None:
        self.device = device

    def run(self, task: Task) -> Measurement | Failure:
        """See Runner."""
        arrays = {name: copied(value, name in task.fresh) for name, value in task.values.items()}
        try:
            return measure(task, arrays, self.device)
        except Exception as error:
            return Failure("refused", f"{type(error).__name__}: {error}")


def measure(task: Task, values: Mapping[str, Any], device: DeviceInfo, built: Callable[[], None] = lambda: None) -> Measurement:
    """Build, launch once for the outputs, then time launches.  `values` are arrays of its own, on the host; `built` is told."""
    backend: Any = devices.backend_of(device)
    loaded = loading.build(task.binary, device, backend)
    built()
    place = _to_device(backend.queue(device)) if task.remote else (lambda value: value)
    args = [place(values[name]) for name in task.binary.parameters]
    launch = loaded.bind(task.grid, args)
    _wait(launch())
    outputs = {n: _host_copy(args[task.binary.parameters.index(n)]) for n in sorted(written_parameters(task.binary))}
    return Measurement(outputs, _time(launch, task.samples) if task.samples else [])


def _time(launch: Any, samples: int) -> list[float]:
    start = time.perf_counter()
    _wait(launch())
    once = max(time.perf_counter() - start, 1e-7)
    count = int(max(1, min(MOST_LAUNCHES, SAMPLE_SECONDS / once)))
    seconds: list[float] = []
    stop = start + TIMING_SECONDS
    while len(seconds) < samples and (len(seconds) < 3 or time.perf_counter() < stop):
        start = time.perf_counter()
        for _ in range(count):
            event = launch()
        _wait(event)
        seconds.append((time.perf_counter() - start) / count)
    return seconds


def _wait(event: Any) -> None:
    if event is not None:
        event.wait()


def _host_copy(value: Any) -> np.ndarray[Any, Any]:
    copy: np.ndarray[Any, Any] = np.array(on_host(value))
    return copy


def _to_device(native: Any) -> Any:
    """Copies of host arrays on the device, with the same strides."""
    import pyopencl as cl
    from pyopencl.array import Array

    def place(value: Any) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        raw = np.frombuffer(span(value), np.uint8)
        buffer = cl.Buffer(native.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=raw)
        return Array(native, value.shape, value.dtype, data=buffer, strides=value.strides)

    return place


# The process


class _Process:
    """A worker process, started when it is needed, and again after it crashed or had to be killed."""

    def __init__(self, device: DeviceInfo, timeout: float) -> None:
        self.device, self.timeout = device, timeout
        self.folder = Path(tempfile.mkdtemp(prefix="xetile-tuning-"))
        self.files: dict[int, str] = {}
        self.kept: list[Any] = []  # arrays whose id is a key of `files`
        self.process: subprocess.Popen[str] | None = None
        self.warm = False
        self.answers: queue.Queue[str | None] = queue.Queue()

    def run(self, task: Task) -> Measurement | Failure:
        """See Runner."""
        message = {
            "binary": task.binary.to_json(), "grid": task.grid, "samples": task.samples, "remote": task.remote,
            "values": {name: self._described(value, name in task.fresh) for name, value in task.values.items()},
            "device": [self.device.backend, self.device.id], "folder": str(self.folder),
        }  # fmt: skip
        worker = self._started()
        assert worker.stdin is not None
        try:
            worker.stdin.write(json.dumps(message) + "\n")
            worker.stdin.flush()
            answer = self._next_answer()
        except queue.Empty:
            self._kill()
            return Failure("hung", f"killed after {self.timeout:.0f} s")
        except OSError:
            answer = None
        if answer is None:
            return self._crashed(worker)
        try:
            return self._understood(_answer(schema.parse_json(answer, "the answer"), "the answer"))
        except (schema.SchemaError, OSError) as error:  # the driver wrote into the pipe, or the files
            self._kill()
            return Failure("crashed", f"the process that ran it answered with nonsense: {error}")

    def _next_answer(self) -> str | None:
        """What the process answers, None where it ended. Raises queue.Empty where it is not built, or has not run, in time."""
        answer = self.answers.get(timeout=self.timeout if self.warm else self.timeout + START_SECONDS)
        if answer == BUILT:
            self.warm = True
            answer = self.answers.get(timeout=self.timeout)
        return answer

    def close(self) -> None:
        """End the process, and remove its files."""
        if self.process is not None:
            self._kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _understood(self, answer: Mapping[str, Any]) -> Measurement | Failure:
        if "reason" in answer:
            return Failure(answer["status"], answer["reason"])
        outputs = {}
        for name, (raw, file) in answer["outputs"].items():
            outputs[name] = raw.array(Path(file).read_bytes())
            os.unlink(file)
        return Measurement(outputs, list(answer["seconds"]))

    def _crashed(self, worker: subprocess.Popen[str]) -> Failure:
        status = worker.wait()
        self.process = None
        how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        return Failure("crashed", f"the process that ran it ended with {how}")

    def _started(self) -> subprocess.Popen[str]:
        if self.process is not None and self.process.poll() is None:
            return self.process
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "XETILE_CACHE_DIR": str(settings.cache_directory()),
            "XETILE_CACHE": str(int(settings.get("cache"))),
        }
        command = [sys.executable, "-m", "xetile.runtime.autotune.worker"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)
        self.answers, self.warm = queue.Queue(), False
        threading.Thread(target=_read, args=(self.process.stdout, self.answers), daemon=True).start()
        return self.process

    def _kill(self) -> None:
        assert self.process is not None and self.process.stdin is not None
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(OSError):  # what it did not read any more
            self.process.stdin.close()
        self.process = None

    def _described(self, value: Any, fresh: bool) -> Any:
        """A value for JSON; an array's contents are written once, however many candidates read them."""
        if not is_array(value):
            return {"scalar": value.item(), "dtype": value.dtype.name} if hasattr(value, "item") else {"scalar": value}
        if fresh:
            return {"raw": Raw.of(on_host(value)).fields()}
        if id(value) not in self.files:
            self.kept.append(value)
            host = on_host(value)
            file = self.folder / f"{len(self.files)}.bin"
            file.write_bytes(span(host))
            self.files[id(value)] = str(file)
        return {"raw": Raw.of(on_host(value)).fields(), "file": self.files[id(value)]}


_RAW = schema.record(
    Raw, shape=schema.many(schema.COUNT, 64), strides=schema.many(schema.whole(-(2**62), 2**62), 64), dtype=schema.one_of(*DTYPES),
    offset=schema.COUNT, size=schema.COUNT,
)  # fmt: skip
_FAILED: schema.Reader[dict[str, Any]] = schema.record(dict, status=schema.WORDS, reason=schema.text(most=1 << 20))
_MEASURED: schema.Reader[dict[str, Any]] = schema.record(
    dict, outputs=schema.table(schema.NAME, schema.row(_RAW, schema.WORDS)), seconds=schema.many(schema.number(0, 1e9), 1 << 20)
)


def _answer(value: Any, at: str) -> dict[str, Any]:
    """What the process answers with: what it measured, or why it could not."""
    failed = isinstance(value, dict) and "reason" in value
    return _FAILED(value, at) if failed else _MEASURED(value, at)


def _read(stream: IO[str], answers: queue.Queue[str | None]) -> None:
    with contextlib.suppress(ValueError):
        for line in stream:
            answers.put(line)
    stream.close()
    answers.put(None)


@dataclass
class _Worker:
    """The process's side; `arrays` are the files it has read."""

    arrays: dict[str, bytes] = field(default_factory=dict)

    def answer(self, message: Mapping[str, Any], built: Callable[[], None]) -> dict[str, Any]:
        backend, id_ = message["device"]
        device = next(info for info in devices.devices() if (info.backend, info.id) == (backend, id_))
        values = {name: self._value(value) for name, value in message["values"].items()}
        binary = Binary.from_json(message["binary"])
        task = Task(binary, tuple(message["grid"]), values, (), message["remote"], message["samples"])
        done = measure(task, values, device, built)
        outputs = {name: self._kept(name, array, message["folder"]) for name, array in done.outputs.items()}
        return {"outputs": outputs, "seconds": done.seconds}

    def _value(self, described: Mapping[str, Any]) -> Any:
        if "raw" not in described:
            scalar = described["scalar"]
            return np.dtype(described["dtype"]).type(scalar) if "dtype" in described else scalar
        contents = None
        if "file" in described:
            file = described["file"]
            if file not in self.arrays:
                self.arrays[file] = Path(file).read_bytes()
            contents = self.arrays[file]
        return Raw.from_fields(described["raw"]).array(contents)

    def _kept(self, name: str, array: np.ndarray[Any, Any], folder: str) -> tuple[dict[str, Any], str]:
        array = np.ascontiguousarray(array)
        file = Path(folder) / f"out-{name}.bin"
        file.write_bytes(array.tobytes())
        return Raw.of(array).fields(), str(file)


def main() -> None:
    """Answer tasks until the parent closes the pipe."""
    # What a driver prints must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = _Worker()

    def tell(line: str) -> None:
        answers.write(line)
        answers.flush()

    for line in sys.stdin:
        try:
            answer = worker.answer(json.loads(line), lambda: tell(BUILT))
        except Exception as error:
            answer = {"status": "refused", "reason": f"{type(error).__name__}: {error}"}
        tell(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
