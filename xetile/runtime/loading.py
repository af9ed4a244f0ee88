"""From a request to a kernel on a device: from the cache on disk where it is there, else by compiling and building.

The SPIR-V is kept by what it was made from, the driver's binary by the SPIR-V and the driver.  A process that finds both imports
no compiler module.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xetile import schema
from xetile.errors import ResourceError
from xetile.runtime import cache, captures, cpus, dump, fingerprint, hooks, settings, spans, stats
from xetile.runtime.artifact import Binary, misfit
from xetile.runtime.backend import SPIRV
from xetile.runtime.call_site import outside
from xetile.runtime.hooks import CompileEvent, log
from xetile.runtime.spans import SPANS, Span
from xetile.schema import SchemaError

if TYPE_CHECKING:
    from xetile.runtime.backend import Backend, DeviceInfo, LoadedKernel
    from xetile.runtime.request import Request

LONG_BUILD = 2.0
"""Seconds of a driver's work on a CPU's kernel after which there is a word about it."""


def load(request: Request, device: DeviceInfo, backend: Backend) -> LoadedKernel:
    """The kernel of a request, ready to launch on a device.

    Raises CompileError and its kinds at the kernel's source, BuildError with the driver's log, ResourceError where the device
    is too small.
    """
    hooks.show_messages()
    event = CompileEvent(request.fn.__name__, str(request.signature), dict(request.constexprs), request.target, device.name)
    hooks.call("before_compile", event)
    try:
        loaded, event = _load(request, device, backend, event)
    except Exception as error:
        log.info("%s(%s) for %s: %s", event.kernel, event.signature, event.target, error)
        hooks.call("after_compile", replace(event, error=error))
        raise
    stats.count("loads")
    log.info("%s(%s) with %s for %s: %s in %.0f ms, built in %.0f ms", event.kernel, event.signature, event.constants,
             event.target, event.source, event.seconds * 1e3, event.build_seconds * 1e3)  # fmt: skip
    hooks.call("after_compile", event)
    return loaded


def _load(request: Request, device: DeviceInfo, backend: Backend, event: CompileEvent) -> tuple[LoadedKernel, CompileEvent]:
    start = time.perf_counter()
    stages = backend.stages(request.target)
    if SPIRV not in stages:
        from xetile.runtime.compiler import program

        artifact: Any = program(request, stages)
        source = "compiled"
    else:
        artifact, source = binary(request)
    made = time.perf_counter()
    with told_when_long(event.kernel, device.name) if device.kind == "cpu" else nullcontext():
        loaded = build(artifact, device, backend) if SPIRV in stages else backend.load(artifact, device)
    return loaded, replace(event, source=source, seconds=made - start, build_seconds=time.perf_counter() - made)


@contextmanager
def told_when_long(kernel: str, device: str, seconds: float = LONG_BUILD) -> Iterator[None]:
    """Say that a driver is at work on a kernel where it takes longer: somebody waits for the first call and wonders."""
    message = "%s is being built for %s, which takes some seconds, once: the result is kept on disk"
    timer = threading.Timer(seconds, log.warning, (message, kernel, device))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def binary(request: Request) -> tuple[Binary, str]:
    """The SPIR-V form of a kernel and where it came from: "disk", "compiled" or "override"."""
    overridden = dump.overridden(request)
    if overridden is not None:
        return overridden, "override"
    key = request_key(request)
    if key is not None and not dump.wanted(request) and (found := _from_disk(key, request)) is not None:
        stats.count("cache_hits")
        return found, "disk"
    from xetile.runtime.compiler import build as compile_

    if key is not None:
        stats.count("cache_misses")
    start = time.perf_counter()
    made = compile_(request, dump.observer(request))
    stats.count("compiles")
    stats.count("compile_seconds", time.perf_counter() - start)
    dump.finished(request, made)
    if key is not None and fingerprint.is_unchanged():
        cache.put("kernels", key, _document(request, made))
    return made, "compiled"


def axes_to_free(request: Request, names: frozenset[str]) -> frozenset[str]:
    """Those parameters of whose last two axes the kernel drops one; asked of the compiler where nobody has asked before."""
    key = request_key(request)
    if key is not None and (kept := cache.get("axes", key)) is not None:
        return names & frozenset(kept.decode().split())
    from xetile.runtime.compiler import axes_to_free as ask

    found = ask(request, names)
    if key is not None and fingerprint.is_unchanged():
        cache.put("axes", key, " ".join(sorted(found)).encode())
    return names & found


def build(artifact: Binary, device: DeviceInfo, backend: Backend) -> LoadedKernel:
    """A binary on a device, by the driver's own binary of an earlier process where it is there."""
    if device.kind == "cpu":
        cpus.check(artifact.target)
    key = native_key(artifact, device)
    if key is not None and (native := cache.get("native", key)) is not None:
        stats.count("native_hits")
        return backend.load(artifact, device, native=native)
    _check_size(artifact, device)
    start = time.perf_counter()
    loaded = backend.load(artifact, device)
    stats.count("builds")
    stats.count("build_seconds", time.perf_counter() - start)
    if key is not None and fingerprint.is_unchanged() and (made := loaded.native()) is not None:
        cache.put("native", key, made)
    return loaded


LARGE = 256 << 10
"""Bytes of SPIR-V from which on Intel's CPU driver takes many seconds (`python -m xetile benchmarks endurance`)."""

MANY_SHUFFLES = 320
"""In a GPU's module, from which on Intel's CPU driver takes long: its time goes with their square (320: 7 s, 640: half a minute)."""
_HEADER, _SHUFFLE = 5, 5571  # words before the instructions of SPIR-V; OpSubgroupShuffleINTEL


class CodeSizeWarning(UserWarning):
    """A kernel is so long that its driver takes long to build it."""


def _check_size(artifact: Binary, device: DeviceInfo) -> None:
    """Before a driver is given a module.  Raises ResourceError for one that it could not build in any useful time."""
    size, most = len(artifact.spirv), settings.get("code_size")
    said = f"kernel {artifact.name} is {size >> 10} KiB of SPIR-V"
    hint = "use smaller tiles or more subgroups, and range instead of static_range"
    if 0 < most < size:
        raise ResourceError(f"{said}; {device.name} is given at most {most >> 10}", hint=f"{hint}; XETILE_CODE_SIZE allows more")
    if size > LARGE:
        text = f"{said}, which the driver of {device.name} takes long to build: {hint}"
        warnings.warn(text, CodeSizeWarning, stacklevel=outside()[0])
    elif device.kind == "cpu" and (count := _shuffles(artifact.spirv)) >= MANY_SHUFFLES:
        text = f"kernel {artifact.name} has {count} shuffles of a subgroup's lanes, which the driver of {device.name} takes long to build"
        warnings.warn(f"{text}: use smaller tiles or more subgroups", CodeSizeWarning, stacklevel=outside()[0])


def _shuffles(spirv: bytes) -> int:
    """How many instructions of a module take numbers of other lanes."""
    words = memoryview(spirv).cast("I")
    place, count = _HEADER, 0
    while place < len(words):
        count += words[place] & 0xFFFF == _SHUFFLE
        place += max(1, words[place] >> 16)
    return count


def request_key(request: Request) -> str | None:
    """The name of a request's SPIR-V in the cache; None where it cannot be kept: the log says why."""
    if not cache.enabled() or request.lines:  # lines of a file that is being edited are nobody's identity
        return None
    try:
        constants = fingerprint.of_constants(request.constexprs)
        return kernel_hash(request.fn, request.constexprs, str(request.signature), constants, request.target,
                           request.num_subgroups, request.index_bits, request.fast_math, settings.get("debug"))  # fmt: skip
    except fingerprint.Unknown as why:
        log.debug("%s is not kept on disk: %s", request.fn.__name__, why)
        return None


def kernel_hash(fn: Any, constants: Mapping[str, Any], *parts: Any) -> str | None:
    """A hash of a kernel's code with all that it and its constants see, the compiler and other parts.

    None when the compiler's sources are being edited.  Raises Unknown as `fingerprint.of_function` does.
    """
    compiler = fingerprint.of_compiler()
    if not compiler:
        log.debug("xetile's sources changed after this process had started: nothing is kept on disk")
        return None
    text = json.dumps([fingerprint.of_function(fn, constants), compiler, *map(str, parts)])
    return hashlib.sha256(text.encode()).hexdigest()


def native_key(artifact: Binary, device: DeviceInfo) -> str | None:
    """The name of a driver's binary in the cache: another driver, device or emulation makes another one."""
    compiler = fingerprint.of_compiler() if cache.enabled() else ""
    if not compiler:
        return None
    parts = [artifact.digest, compiler, *device_identity(device), sorted(device.extensions)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def device_identity(device: DeviceInfo) -> tuple[str, ...]:
    """What results of one device and driver are kept under."""
    told = cpus.driver_settings() if device.kind == "cpu" else ""
    return device.backend, device.vendor, device.name, device.driver_version + told


def _document(request: Request, made: Binary) -> bytes:
    about = {"kernel": request.fn.__name__, "signature": str(request.signature), "target": request.target,
             "constants": {name: repr(value) for name, value in request.constexprs.items()}}  # fmt: skip
    stood = [span.to_json() for span in _spans(request)]
    return json.dumps({"about": about, "binary": made.to_json(), "spans": stood}).encode()


def _spans(request: Request) -> tuple[Span, ...]:
    return captures.of(request.fn, request.constexprs).spans


def _from_disk(key: str, request: Request) -> Binary | None:
    """The kernel kept under a key, if it is one that the request can be for."""
    contents = cache.get("kernels", key)
    if contents is None:
        return None
    try:
        entry = ENTRY(schema.parse_json(contents, "the entry"), "the entry")
        binary = spans.moved(Binary.from_json(entry["binary"]), entry["spans"], _spans(request))
        if binary.target != request.target:
            raise SchemaError(f"it is for {binary.target}, not {request.target}")
        if why := misfit(binary, request.signature):
            raise SchemaError(why)
    except SchemaError as error:
        cache.damaged("kernels", key, str(error))
        return None
    return binary


ABOUT: schema.Reader[dict[str, Any]] = schema.record(
    dict, kernel=schema.WORDS, signature=schema.text(most=1 << 20), target=schema.WORDS,
    constants=schema.table(schema.NAME, schema.text(most=1 << 20)),
)  # fmt: skip
ENTRY: schema.Reader[dict[str, Any]] = schema.record(
    dict, about=ABOUT, binary=schema.text(most=cache.MOST_BYTES["kernels"]), spans=SPANS
)
"""What an entry of the cache's kind "kernels" holds: for people, the kernel itself, and where its functions stood."""
