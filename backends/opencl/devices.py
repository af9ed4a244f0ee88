"""Find OpenCL devices and say of each what it can do, or why it is passed over.

What a device must have: SPIR-V (a driver without it cannot be handed our modules), subgroups, and kernels that require a subgroup
size.  What it may lack: the two Intel extensions that the GPU modules hold. An Intel GPU's older driver gets the same instructions
in words that its compiler knows; elsewhere they are emulated.

Nothing here raises for a broken installation: that is a device with a reason.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from xetile.records import dataclass
from xetile.runtime.backend import DeviceInfo, DeviceKind
from xetile.target.names import KNOWN

BLOCK_IO = "SPV_INTEL_2d_block_io"
MATRIX = "SPV_INTEL_subgroup_matrix_multiply_accumulate"
# The same two as device extensions: what a driver without cl_khr_spirv_queries shows.
CL_NAMES = {BLOCK_IO: "cl_intel_subgroup_2d_block_io", MATRIX: "cl_intel_subgroup_matrix_multiply_accumulate"}

# OpenCL 3.0 table 5: cl_device_type bits.
TYPE_CPU, TYPE_GPU = 1 << 1, 1 << 2
SVM_FINE_GRAIN_SYSTEM = 1 << 2  # cl_device_svm_capabilities (OpenCL 3.0)

EMULATION_TARGET = "pvc"
EMULATION_SUBGROUP = 16


# The third number of a Linux driver's version, such as 22.43.24595: Debian 12's, the oldest whose compiler was tried.
OLDEST_DRIVER = 24595
NEWER_COMPILER = "IGC 2.2.1 (late 2024)"  # the first with both extensions

# Xe3 and later run what Xe2 runs; a target of their own does not exist yet.
LATER_THAN_XE2 = 21


@dataclass(frozen=True)
class Queries:
    """Vendor queries that pyopencl lacks; replaced in tests."""

    sub_group_sizes: Callable[[Any], tuple[int, ...]]
    ip_version: Callable[[Any], tuple[int, int, int] | None]
    spirv_extensions: Callable[[Any], frozenset[str] | None]


def system_queries() -> Queries:
    """The queries made at the OpenCL loader."""
    from . import capi

    return Queries(capi.sub_group_sizes, capi.ip_version, capi.spirv_extensions)


@dataclass(frozen=True)
class Found:
    """A device as the user sees it, and pyopencl's object for it (None when there is only a reason to show)."""

    info: DeviceInfo
    device: Any = None


def find_devices(platforms: Iterable[Any], queries: Queries) -> list[Found]:
    """All devices of pyopencl's platforms, best first: usable before passed over, Intel before others, GPUs before CPUs."""
    found: list[Found] = []
    for number, platform in enumerate(platforms):
        found += _devices_of(platform, number, queries)
    return sorted(found, key=lambda f: _rank(f.info))


def _rank(info: DeviceInfo) -> tuple[bool, ...]:
    return (not info.usable, not is_intel(info.vendor), info.kind != "gpu", info.emulated)


def is_intel(vendor: str) -> bool:
    """Whether a vendor's name is Intel's."""
    return "intel" in vendor.lower()


def passed_over(name: str, reason: str, vendor: str = "", id: str = "") -> DeviceInfo:
    """A device that exists only to show why it cannot be used."""
    return DeviceInfo("opencl", "cpu", name, id=id, vendor=vendor, usable=False, reason=reason)


def _devices_of(platform: Any, number: int, queries: Queries) -> list[Found]:
    name, vendor = _text(platform, "name") or "OpenCL platform", _text(platform, "vendor")
    try:
        devices = list(platform.get_devices())
    except Exception as error:
        return [Found(passed_over(name, f"its devices cannot be listed: {_brief(error)}", vendor, id=str(number)))]
    if not devices:
        reason = "the platform has no devices: its driver found no hardware that it serves"
        return [Found(passed_over(name, reason, vendor, id=str(number)))]
    return [_describe_safely(device, f"{number}:{i}", vendor, queries) for i, device in enumerate(devices)]


def _describe_safely(device: Any, id: str, vendor: str, queries: Queries) -> Found:
    try:
        return Found(describe(device, id, vendor, queries), device)
    except Exception as error:  # a driver that fails on its own queries must not take the others with it
        return Found(passed_over(_text(device, "name") or "OpenCL device", f"its driver failed: {_brief(error)}", vendor, id=id))


def describe(device: Any, id: str, vendor: str, queries: Queries) -> DeviceInfo:
    """What one device is and can do; `id` is "<platform>:<device>"."""
    extensions = frozenset(_text(device, "extensions").split())
    kind: DeviceKind = "gpu" if _number(device, "type") & TYPE_GPU else "cpu"
    info = DeviceInfo(
        "opencl", kind, _text(device, "name"), id=id,
        vendor=_text(device, "vendor") or vendor,
        driver_version=_text(device, "driver_version"),
        compute_units=_number(device, "max_compute_units"),
        memory=_number(device, "global_mem_size"),
        local_memory=_number(device, "local_mem_size"),
        max_work_group_size=_number(device, "max_work_group_size"),
        subgroup_sizes=_ask(queries.sub_group_sizes, device, ()),
        extensions=extensions | _supported(device, extensions, queries),
        host_addresses=kind == "cpu" and bool(_number(device, "svm_capabilities") & SVM_FINE_GRAIN_SYSTEM),
    )  # fmt: skip
    if reason := missing(info, _text(device, "il_version"), _number(device, "type")):
        return replace(info, usable=False, reason=reason)
    return _with_target(info, _ask(queries.ip_version, device, None) if is_intel(info.vendor) else None)


def missing(info: DeviceInfo, il_version: str, device_type: int) -> str:
    """Why the device cannot run our modules at all; empty when it can."""
    if not device_type & (TYPE_CPU | TYPE_GPU):
        return "neither a GPU nor a CPU"
    if "SPIR-V" not in il_version:
        return "its driver takes no SPIR-V (CL_DEVICE_IL_VERSION is empty)"
    if not info.extensions & {"cl_khr_subgroups", "cl_intel_subgroups"}:
        return "its driver has no subgroups"
    if "cl_intel_required_subgroup_size" not in info.extensions and not info.subgroup_sizes:
        return "its driver cannot run a kernel with a required subgroup size"
    return ""


def _with_target(info: DeviceInfo, ip: tuple[int, int, int] | None) -> DeviceInfo:
    """Choose the target, and whether modules for it need emulation here."""
    if info.kind == "gpu" and is_intel(info.vendor):
        if target := gpu_target(info.name, ip):
            # Kernels for a GPU without 2D block messages never hold them.
            return _native(info, target, frozenset({BLOCK_IO, MATRIX} if KNOWN[target].block_messages else {MATRIX}))
        if ip is not None and ip[0] >= LATER_THAN_XE2 and {BLOCK_IO, MATRIX} <= info.extensions:
            return replace(info, target="bmg", reason="newer than Xe2: runs kernels made for bmg")
    if info.subgroup_sizes and EMULATION_SUBGROUP not in info.subgroup_sizes:
        return replace(info, usable=False, reason=f"no subgroups of {EMULATION_SUBGROUP}, and no target is known for it")
    reason = "" if info.kind == "cpu" else "no target is known for this GPU: Intel's tile instructions are emulated, slowly"
    return replace(info, target=EMULATION_TARGET, emulated=not {BLOCK_IO, MATRIX} <= info.extensions, reason=reason)


def _native(info: DeviceInfo, target: str, needs: frozenset[str]) -> DeviceInfo:
    lacking = " and ".join(sorted(needs - info.extensions))
    if not lacking:
        return replace(info, target=target)
    build = re.match(r"\d+\.\d+\.(\d{5,})", info.driver_version)
    if build and int(build[1]) < OLDEST_DRIVER:
        reason = (
            f"its driver {info.driver_version} lacks {lacking}, and is older than any whose compiler is known to do without: "
        )
        return replace(info, target=target, usable=False, reason=f"{reason}install one with {NEWER_COMPILER} or newer")
    reason = (
        f"the driver lacks {lacking}: its compiler's own functions are used, at some cost; drivers with {NEWER_COMPILER} have it"
    )
    return replace(info, target=target, older_compiler=True, reason=reason)


def gpu_target(name: str, ip: tuple[int, int, int] | None) -> str | None:
    """The target of an Intel GPU: its IP version decides where the driver tells it, else its name."""
    gpus = {target: known for target, known in KNOWN.items() if known.devices}
    if ip is not None:
        return next((t for t, known in gpus.items() if ip[0] == known.architecture and ip[1] in known.releases), None)
    return next((t for t, known in gpus.items() if re.search(known.devices, name, re.IGNORECASE)), None)


def _supported(device: Any, extensions: frozenset[str], queries: Queries) -> frozenset[str]:
    """SPIR-V extensions that the device takes, by the query for them or by the names of device extensions."""
    listed = _ask(queries.spirv_extensions, device, None) if "cl_khr_spirv_queries" in extensions else None
    named = frozenset(spv for spv, cl_name in CL_NAMES.items() if cl_name in extensions)
    return named | (listed or frozenset())


def _ask(query: Callable[[Any], Any], device: Any, default: Any) -> Any:
    with contextlib.suppress(Exception):
        return query(device)
    return default


def _text(thing: Any, attribute: str) -> str:
    """A text attribute of a platform or device; empty when the driver does not know the question."""
    with contextlib.suppress(Exception):
        return str(getattr(thing, attribute)).strip()
    return ""


def _number(thing: Any, attribute: str) -> int:
    with contextlib.suppress(Exception):
        return int(getattr(thing, attribute))
    return 0


def _brief(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}".rstrip(": ")
