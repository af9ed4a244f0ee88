"""Which device kernels run on.

`devices()` lists all there are, `device(...)` chooses one for a block of code, XETILE_DEVICE for a process.  Unless told
otherwise an Intel GPU is taken, else Intel's CPU runtime, else numpy.  No backend is imported before it is needed; choosing
`numpy` never loads OpenCL.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import replace

from xetile.errors import DeviceError
from xetile.runtime import backend as backends
from xetile.runtime import settings
from xetile.runtime.backend import Backend, DeviceInfo, DeviceKind
from xetile.runtime.cpus import as_chosen
from xetile.runtime.within import within

Selection = str | int | DeviceInfo

_current: ContextVar[DeviceInfo | None] = ContextVar("xetile_device", default=None)
_lock = threading.RLock()
_listed: tuple[DeviceInfo, ...] | None = None
_found: dict[str, list[DeviceInfo]] = {}  # by backend
_default: DeviceInfo | None = None


def devices() -> tuple[DeviceInfo, ...]:
    """Every device of every backend, numbered: those that can be used, best first; then those passed over, with the reason.

    Example:
        print([info.kind for info in xt.devices() if info.usable and info.kind == "numpy"])

    Prints:
        ['numpy']
    """
    global _listed
    with _lock:
        if _listed is None:
            _listed = _numbered_of(backends.backend_names())
        return _listed


def _preferred() -> tuple[DeviceInfo, ...]:
    """Devices that may be taken without being named, best first; where usable, their numbers are those of `devices()`."""
    with _lock:
        return _listed or _numbered_of([name for name in backends.backend_names() if not _on_request(name)])


def _numbered_of(names: Iterable[str]) -> tuple[DeviceInfo, ...]:
    found = sorted((info for name in names for info in _devices_of(name)), key=_rank)
    return tuple(replace(info, number=i) for i, info in enumerate(found))


def _devices_of(name: str) -> list[DeviceInfo]:
    if name not in _found:
        try:
            _found[name] = backends.get_backend(name).devices()
        except DeviceError as error:
            _found[name] = [DeviceInfo(name, "cpu", name, usable=False, reason=error.message)]
    return _found[name]


def _loaded(name: str) -> Backend | None:
    """A backend; None for one that cannot be loaded, whose reason its place in `devices()` tells."""
    try:
        return backends.get_backend(name)
    except DeviceError:
        return None


def _on_request(name: str) -> bool:
    backend = _loaded(name)
    return backend is not None and backend.on_request


def _with_kind(kind: DeviceKind) -> list[Backend]:
    """The backends that may have devices of a kind."""
    found = map(_loaded, backends.backend_names())
    return [backend for backend in found if backend is not None and kind in backend.kinds]


def _is_known(kind: DeviceKind) -> bool:
    """Whether there may be devices of a kind; nobody knows those of a backend that cannot be loaded."""
    return bool(_with_kind(kind)) or any(_loaded(name) is None for name in backends.backend_names())


def _rank(info: DeviceInfo) -> tuple[bool, bool, bool, bool, int]:
    """Order of preference; sorting is stable, so each backend's own order stays.

    Hardware of others than Intel is never taken unless asked for, and neither is what backends keep for requests.
    """
    backend = _loaded(info.backend)
    if backend is None:
        return True, False, False, False, 0
    foreign = backend.hardware and "intel" not in info.vendor.lower()
    return not info.usable, backend.on_request, foreign, not backend.hardware, backend.kinds.index(info.kind)


def find_device(selection: Selection) -> DeviceInfo:
    """The device that "gpu", "cpu", "numpy", "sim:TARGET", a number of `devices()` (also as text) or a DeviceInfo names.

    "KIND:TARGET" is the first one of a kind whose own target it is.
    Raises DeviceError, with the reasons why devices were passed over, when there is none.
    """
    info = _find(selection)
    return replace(info, debug=True) if info.kind == "numpy" and settings.get("debug") else as_chosen(info)


def _find(selection: Selection) -> DeviceInfo:
    if isinstance(selection, DeviceInfo):
        return _usable(selection)
    word = str(selection).strip().lower()
    if word.isdecimal():
        return _numbered(int(word))
    kind, _, target = word.partition(":")
    if not _is_known(kind):
        hint = "use 'gpu', 'cpu', 'numpy', 'sim:pvc' (or another target), or a number of `xetile devices`"
        from xetile.target.table import TARGETS  # for those who err only

        if word in TARGETS:
            hint = f"it is a target: kernel.compile(..., target={word!r}) compiles for it; 'sim:pvc' and its like simulate GPUs"
        raise DeviceError(f"{selection!r} is no device", hint=hint)
    for info in _of_kind(kind):
        if info.usable and target in ("", info.target):
            return info
    raise DeviceError(f"there is no {word} device that can be used", hint=_explain(kind, target))


def _of_kind(kind: str) -> tuple[DeviceInfo, ...]:
    """Devices of a kind, best first: without asking other backends unless all are listed, so that numpy loads no OpenCL."""
    with _lock:
        alone = _with_kind(kind)
        if _listed is not None or not alone or any(backend.hardware for backend in alone):
            return tuple(info for info in _preferred() if info.kind == kind)
        return tuple(info for backend in alone for info in _devices_of(backend.name) if info.kind == kind)


def _numbered(number: int) -> DeviceInfo:
    if number >= len(devices()):
        raise DeviceError(f"there is no device {number}", hint=f"numbers go from 0 to {len(devices()) - 1}: see `xetile devices`")
    return _usable(devices()[number])


def _usable(info: DeviceInfo) -> DeviceInfo:
    if not info.usable:
        raise DeviceError(f"{info.name} cannot be used: {info.reason}", hint="`xetile devices` lists what can")
    return info


def _explain(kind: str, target: str = "") -> str:
    if not backends.backend_names():
        return "no backend is installed: they are found by what an installation notes, so install xetile (in a clone: pip install -e .)"
    reasons = [f"{info.name} was passed over: {info.reason}" for info in devices()
               if info.kind == kind and target in ("", info.target) and not info.usable]  # fmt: skip
    usable = [str(info) for info in devices() if info.usable]
    return "; ".join([*reasons, f"usable devices: {', '.join(usable) or 'none'}"])


def current_device() -> DeviceInfo:
    """The device that a call made here and now runs on.  Raises DeviceError when the one chosen does not exist."""
    return _current.get() or _default or _default_device()


def chosen_device() -> DeviceInfo | None:
    """The device that a `with xt.device(...)` around the call chooses; None outside of one."""
    return _current.get()


def _default_device() -> DeviceInfo:
    """XETILE_DEVICE, else numpy for debug mode, else the best there is; decided at first use, and again after `refresh()`."""
    global _default
    with _lock:
        chosen = settings.get("device") or ("numpy" if settings.get("debug") else "")
        if chosen:
            _default = find_device(chosen)
        else:
            _default = next((as_chosen(info) for info in _preferred() if info.usable), None)
        if _default is None:
            raise DeviceError("no device can run kernels", hint=_explain("numpy"))
        return _default


@within
def device(selection: Selection) -> Iterator[DeviceInfo]:
    """Run kernels on another device within a block, for the calling thread or task alone.

    with xt.device("cpu"): ...        # also "gpu", "numpy", "sim:bmg", or a number of xt.devices()

    Raises DeviceError where there is no such device, or it cannot run kernels.

    Example:
        with xt.device("numpy") as info:
            print(info.kind)

    Prints:
        numpy
    """
    token = _current.set(find_device(selection))
    try:
        yield current_device()
    finally:
        _current.reset(token)


def table() -> str:
    """All devices as text, with targets and the reasons of those passed over."""
    return "\n".join(line for info in devices() for line in _described(info))


def _described(info: DeviceInfo) -> list[str]:
    default = " (default)" if info.number == 0 and info.usable else ""
    first = f"{info.number}: {info.kind:<5} {info.name} [{info.backend}]{default}"
    if not info.usable:
        return [first, f"     passed over: {info.reason}"]
    chosen = as_chosen(info)
    how = (
        ", emulated"
        if chosen.emulated
        else f" ({chosen.otherwise} emulated for kernels that need it)"
        if chosen.otherwise
        else ""
    )
    details = [f"target {chosen.target or 'none'}{how}"]
    details += [f"{info.compute_units} compute units"] if info.compute_units else []
    details += [f"{info.memory / 2**30:.1f} GiB"] if info.memory else []
    details += [f"driver {info.driver_version}"] if info.driver_version else []
    return [first, f"     {', '.join(details)}"] + ([f"     note: {info.reason}"] if info.reason else [])


def backend_of(info: DeviceInfo) -> Backend:
    """The backend that a device belongs to."""
    return backends.get_backend(info.backend)


def refresh() -> None:
    """Forget the devices found and the default, so that the next use reads XETILE_DEVICE and looks again."""
    global _listed, _default
    with _lock:
        _listed = _default = None
        _found.clear()
        backends.reset_backends()
