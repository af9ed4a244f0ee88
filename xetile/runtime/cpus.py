"""How kernels run on a CPU device: as loops over the CPU's vectors, or as a GPU's module with its instructions emulated.

XETILE_CPU chooses. Unless it says `vector`, a kernel of which some part has no code for vectors yet is emulated.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache

from xetile.errors import DeviceError
from xetile.runtime import settings
from xetile.runtime.backend import DeviceInfo

_TARGETS = {"avx2": "avx2", "avx512": "avx512", "avx512_bf16": "cpu", "amx": "amx"}
# What MLIR and compilers call AVX-512 without more: the foundation, and instructions for bytes, double words and shorter vectors.
_AVX512 = ("AVX512F", "AVX512BW", "AVX512DQ", "AVX512VL")

_SETTINGS = {"for": "CPU_TARGET_ARCH", "with": "LLVM_OPTIONS"}
_AMX = frozenset(("amx_tile", "amx_bf16", "amx_int8"))
_WITH_AMX = {
    ("6", "143"): "Sapphire Rapids",
    ("6", "207"): "Emerald Rapids",
    ("6", "173"): "Granite Rapids",
    ("6", "174"): "Granite Rapids D",
}
"""CPUs with AMX to Intel's runtime (2026.2), by family and model. It asks the number alone: where a virtual machine hides it and shows
AMX all the same, its compiler ends the process ("Cannot select: intrinsic %llvm.x86.tileloadd64.internal")."""
_PAIRS = ("AVX512BF16", "AVX512VNNI")
_FEWER: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("corei7", "corei7-avx", "core-avx-i", "core-avx2"), ()),
    **dict.fromkeys(("skx", "skylake-avx512"), _AVX512),
}
"""What Intel's runtime uses of AVX-512 where it is told to compile for an older CPU. It lets instructions of AVX-512 in line pass then,
but not their registers: they compute with others' values."""


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


def check(target: str) -> None:
    """Raises DeviceError for a target that this machine's CPU, or Intel's runtime on it, has no instructions for."""
    cpu = "this CPU"
    if architecture():
        cpu = f"a {architecture()}, which Intel's runtime is told to compile for by CL_CONFIG_CPU_TARGET_ARCH,"
    if target == "amx" and architecture() in _FEWER:
        raise DeviceError(f"{cpu} has no AMX", hint="leave target and XETILE_CPU away, or take avx2")
    if target == "amx" and not has_amx():
        family, model = (number or "unknown" for number in _number())
        raise DeviceError(
            f"this CPU (family {family}, model {model}) has no AMX, or Intel's CPU runtime does not know that it has: it goes by the model "
            f"and knows {', '.join(_WITH_AMX.values())}",
            hint="leave target and XETILE_CPU away, or take avx512",
        )
    if target == "avx512" and not _features(*_AVX512):
        raise DeviceError(f"{cpu} has no AVX-512", hint="leave target and XETILE_CPU away, or take avx2")
    if target == "cpu" and not _features(*_AVX512, *_PAIRS):
        raise DeviceError(
            f"{cpu} has no AVX-512 with BF16 and VNNI", hint="leave target and XETILE_CPU away, or take avx512 or avx2"
        )


def is_forced() -> bool:
    """Whether a kernel without code for vectors is refused."""
    return bool(settings.get("cpu") == "vector")


@cache
def host_target() -> str:
    """The target of this machine's CPU."""
    if has_amx() and architecture() not in _FEWER:  # of which numpy knows nothing
        return "amx"
    if not _features(*_AVX512):
        return "avx2"
    return "cpu" if _features(*_PAIRS) else "avx512"


def architecture() -> str:
    """The CPU that Intel's runtime is told to compile for; empty: this machine's."""
    return os.environ.get("CL_CONFIG_CPU_TARGET_ARCH", "")


def driver_settings() -> str:
    """What Intel's runtime is told by its environment that changes the code that it makes; empty: nothing."""
    told = ((words, os.environ.get(f"CL_CONFIG_{name}")) for words, name in _SETTINGS.items())
    return "".join(f" {words} {value}" for words, value in told if value)


def _features(*names: str) -> bool:
    """Whether the CPU has all of them, as numpy found, and Intel's runtime compiles for one that does."""
    import importlib

    found = importlib.import_module("numpy._core._multiarray_umath").__cpu_features__
    compiled = _FEWER.get(architecture(), names)
    return all(found.get(name) and name in compiled for name in names)


def has_amx() -> bool:
    """Whether the CPU has AMX, and Intel's runtime knows that it does."""
    return frozenset(_told("flags").split()) >= _AMX and _number() in _WITH_AMX


def _number() -> tuple[str, str]:
    """The CPU's family and model."""
    return _told("cpu family"), _told("model")


@cache
def _told(name: str) -> str:
    """What Linux says of the first core; nothing elsewhere."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next((text.strip() for key, _, text in (line.partition(":") for line in lines) if key.strip() == name), "")
    except OSError:
        return ""
