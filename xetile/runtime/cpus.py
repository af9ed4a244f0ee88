"""How kernels run on a CPU device: as loops over the CPU's vectors, or as a GPU's module with its instructions emulated.

XETILE_CPU chooses. Unless it asks for vectors by name, a kernel of which some part has no code for vectors yet is emulated.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from xetile.runtime import settings
from xetile.runtime.backend import DeviceInfo

FORCED = ("vector", "avx2", "avx512", "amx")
_TARGETS = {"avx2": "avx2", "avx512": "avx512", "amx": "amx"}
# What MLIR and compilers call AVX-512 without more: the foundation, and instructions for bytes, double words and shorter vectors.
_AVX512 = ("AVX512F", "AVX512BW", "AVX512DQ", "AVX512VL")

_AMX = frozenset(("amx_tile", "amx_bf16", "amx_int8"))
_PAIRS = ("AVX512BF16", "AVX512VNNI")


def as_chosen(info: DeviceInfo) -> DeviceInfo:
    """A device with the target that kernels are compiled for now: equal devices give one object."""
    if info.kind != "cpu" or not info.emulated:
        return info
    return _with_target(info, settings.get("cpu"))


@cache
def _with_target(info: DeviceInfo, mode: str) -> DeviceInfo:
    if mode == "emulate":
        return info
    return replace(info, target=_TARGETS.get(mode) or host_target(), emulated=False, otherwise=info.target)


def is_forced() -> bool:
    """Whether a kernel without code for vectors is refused."""
    return settings.get("cpu") in FORCED


@cache
def host_target() -> str:
    """The target of this machine's CPU."""
    if cpu_flags() >= _AMX:  # of which numpy knows nothing
        return "amx"
    import importlib

    features = importlib.import_module("numpy._core._multiarray_umath").__cpu_features__
    if not all(features.get(name) for name in _AVX512):
        return "avx2"
    return "cpu" if all(features.get(name) for name in _PAIRS) else "avx512"


def cpu_flags() -> frozenset[str]:
    """The CPU's features by Linux's names; empty where it does not list them."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            found = next((line for line in lines if line.startswith("flags")), "")
    except OSError:
        return frozenset()
    return frozenset(found.partition(":")[2].split())
