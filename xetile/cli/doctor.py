"""`python -m xetile doctor`: what works on this machine, and what to install for what does not.

`look` gathers facts, `diagnose` draws conclusions from them alone, so that a test can state the facts of any machine.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Literal

from xetile.errors import XetileError
from xetile.records import dataclass
from xetile.runtime import devices, settings
from xetile.runtime.backend import DeviceInfo
from xetile.runtime.cpus import as_chosen

Verdict = Literal["ok", "note", "problem"]
_MARKS: dict[Verdict, str] = {"ok": "ok     ", "note": "note   ", "problem": "PROBLEM"}
INTEL = "0x8086"  # PCI's number of the vendor
PACKAGES = ("numpy", "ml_dtypes", "pyopencl", "intel-opencl-rt")
TOOLS = {
    "ocloc": "--emit isa, simulated GPUs: tools/fetch_gpu_compiler.sh FOLDER, then PATH=FOLDER/bin:$PATH",
    "iga64": "the same: it comes with ocloc",
    "mlir-opt-22": "opt and run on MLIR text: apt-get install mlir-22-tools (Debian, Ubuntu)",
}
# By the package's name: this works after any installation, where `-e .` needs the clone's folder.
_CPU_RUNTIME = "pip install 'xetile[cpu]' brings Intel's OpenCL runtime for CPUs (x86-64, Linux and Windows)"
_GPU_RUNTIME = "install Intel's compute runtime: apt-get install intel-opencl-icd (Debian, Ubuntu), dnf install intel-compute-runtime (Fedora)"


@dataclass(frozen=True)
class RenderNode:
    """A file through which programs reach a GPU: its PCI vendor, and whether this user may open it."""

    path: str
    vendor: str
    usable: bool
    group: str = "render"


@dataclass(frozen=True)
class Facts:
    """What a machine is, as far as kernels care.

    packages   version by name; None where it is not installed.
    tools      path by name; None where it is not on PATH.
    cache      why the directory of compiled kernels cannot be written; empty where it can.
    chosen     what is wrong with the device that XETILE_DEVICE names; empty where nothing is.
    unknown    what is said of variables of the environment that look like settings, and are none.
    """

    system: str
    machine: str
    python: str
    packages: dict[str, str | None]
    devices: tuple[DeviceInfo, ...]
    nodes: tuple[RenderNode, ...]
    tools: dict[str, str | None]
    cache: str = ""
    chosen: str = ""
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """One conclusion: what was found, and for notes and problems what to do."""

    verdict: Verdict
    text: str
    advice: str = ""


def rendered(findings: list[Finding]) -> str:
    """Findings as text."""
    lines = []
    for finding in findings:
        lines.append(f"{_MARKS[finding.verdict]}  {finding.text}")
        lines += [f"         -> {finding.advice}"] if finding.advice else []
    return "\n".join(lines)


def look() -> Facts:
    """The facts of this machine."""
    found = tuple(as_chosen(info) if info.usable else info for info in devices.devices())
    return Facts(
        system=platform.system(), machine=platform.machine(), python=platform.python_version(),
        packages={name: _version(name) for name in PACKAGES}, devices=found, nodes=tuple(render_nodes()),
        tools={name: shutil.which(name) for name in TOOLS}, cache=_cache_problem(settings.cache_directory()), chosen=_chosen(),
        unknown=tuple(settings.unknown()),
    )  # fmt: skip


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def render_nodes(root: Path = Path("/")) -> Iterator[RenderNode]:
    """The render nodes below `root`, as Linux shows them."""
    for path in sorted(Path(root, "dev/dri").glob("renderD*")):
        try:
            vendor = Path(root, "sys/class/drm", path.name, "device/vendor").read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            vendor = ""
        try:
            group = path.group()
        except (KeyError, OSError):
            group = "render"
        yield RenderNode(f"/dev/dri/{path.name}", vendor, os.access(path, os.R_OK | os.W_OK), group)


def _cache_problem(directory: Path) -> str:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return ""
    except OSError as error:
        return f"{directory}: {error.strerror}"


def _chosen() -> str:
    try:
        selection = settings.get("device")
        if selection:
            devices.find_device(selection)
    except XetileError as error:
        return error.message
    return ""


def diagnose(facts: Facts) -> list[Finding]:
    """All conclusions, the machine first, then devices from the best to none, then tools."""
    return [finding for check in _CHECKS for finding in check(facts)]


def is_well(findings: list[Finding]) -> bool:
    """Whether nothing is a problem."""
    return all(finding.verdict != "problem" for finding in findings)


def _machine(facts: Facts) -> Iterator[Finding]:
    yield Finding("ok", f"{facts.system} on {facts.machine}, Python {facts.python}, numpy {facts.packages.get('numpy')}")
    if facts.system == "Darwin":
        yield Finding(
            "note", "macOS has no Intel OpenCL drivers: kernels run on numpy", "for GPUs and CPUs use Linux, or a Linux container"
        )
    elif facts.system == "Windows":
        advice = "Intel's graphics driver brings OpenCL for GPUs; WSL 2 runs the Linux version as it is tested"
        yield Finding("note", "Windows is not tested", advice)


def _opencl(facts: Facts) -> Iterator[Finding]:
    if facts.packages.get("pyopencl") is None:
        yield Finding("note", "pyopencl is not installed: kernels run on numpy alone", _CPU_RUNTIME if _has_cpu_runtime(facts) else
                      "pip install pyopencl, and an OpenCL driver for your device")  # fmt: skip
        return
    yield Finding("ok", f"pyopencl {facts.packages['pyopencl']}")
    found = [info for info in facts.devices if info.backend == "opencl"]
    if not found and facts.system != "Darwin":
        yield Finding("note", "OpenCL finds no platform: no driver is installed", _CPU_RUNTIME)


def _has_cpu_runtime(facts: Facts) -> bool:
    return facts.system in ("Linux", "Windows") and facts.machine.lower() in ("x86_64", "amd64")


# Part of the reason for which a device was passed over: what helps.
_REMEDIES = (
    (
        "no SPIR-V",
        "this driver cannot take our modules (old drivers, and other vendors' such as NVIDIA's, have none): use Intel's, or the CPU",
    ),
    ("no subgroups", "a newer driver of the device may have them; Intel's drivers for GPUs since Gen9 do"),
    ("required subgroup size", "a newer driver of the device may have cl_intel_required_subgroup_size"),
    ("cannot be listed", "the driver is installed and fails: try `clinfo`, and reinstall it"),
    ("driver failed", "the driver is installed and fails: try `clinfo`, and reinstall it"),
    ("no devices", "its driver is there without hardware that it serves; see the render nodes below"),
)


def _devices(facts: Facts) -> Iterator[Finding]:
    for info in facts.devices:
        if info.backend != "opencl" or facts.packages.get("pyopencl") is None:  # which is told already
            continue
        if not info.usable:
            advice = next((text for words, text in _REMEDIES if words in info.reason), "")
            yield Finding("note", f"{info.name} is passed over: {info.reason}", advice)
        elif info.kind == "gpu" and (info.emulated or info.older_compiler):
            yield Finding(
                "problem" if info.emulated else "note", f"{info.name} (driver {info.driver_version}): {info.reason}", _GPU_RUNTIME
            )
        else:
            yield Finding("ok", f"{info.kind} {info.name}, driver {info.driver_version}, kernels for {info.target}"
                          + (f", for {info.otherwise} and emulated where they need it" if info.otherwise else ""))  # fmt: skip


def _gpu(facts: Facts) -> Iterator[Finding]:
    """Intel GPUs that Linux sees and OpenCL does not."""
    intel = [node for node in facts.nodes if node.vendor == INTEL]
    if any(info.kind == "gpu" and info.usable and "intel" in info.vendor.lower() for info in facts.devices):
        return
    if not intel:
        yield Finding("note", "no Intel GPU: kernels can be compiled for one, and run on a simulated one")
        return
    for node in intel:
        if not node.usable:
            advice = f"sudo usermod -aG {node.group} $USER, then log in again; in a container: --device /dev/dri --group-add {node.group}"
            yield Finding("problem", f"there is an Intel GPU, and you may not open {node.path}", advice)
        elif facts.packages.get("pyopencl") is None:
            yield Finding("problem", f"there is an Intel GPU ({node.path}), and no pyopencl", "pip install 'xetile[opencl]'")
        else:
            yield Finding("problem", f"there is an Intel GPU ({node.path}), and no OpenCL driver shows it", _GPU_RUNTIME)


def _cpu(facts: Facts) -> Iterator[Finding]:
    runtime = facts.packages.get("intel-opencl-rt")
    if runtime is None and facts.packages.get("pyopencl") is not None and _has_cpu_runtime(facts):
        yield Finding("note", "Intel's OpenCL runtime for CPUs is not installed", _CPU_RUNTIME)
    shown = any(info.kind == "cpu" and info.usable for info in facts.devices)
    if runtime is not None and facts.packages.get("pyopencl") is not None and not shown:
        advice = (
            "reinstall it: pip install --force-reinstall intel-opencl-rt intel-cmplr-lib-rt; OCL_ICD_VENDORS must not hide it"
        )
        yield Finding(
            "problem", f"Intel's OpenCL runtime for CPUs {runtime} is installed, and OpenCL does not show its device", advice
        )


def _default(facts: Facts) -> Iterator[Finding]:
    if facts.chosen:
        yield Finding("problem", f"XETILE_DEVICE: {facts.chosen}", "unset it, or name a device of `python -m xetile devices`")
        return
    best = next((info for info in facts.devices if info.usable and info.kind != "sim"), None)
    if best is None:
        yield Finding("problem", "no device can run kernels, not even numpy", "reinstall: pip install -e '.[cpu]'")
        return
    simulated = [info.target for info in facts.devices if info.kind == "sim" and info.usable]
    name = best.name if best.name.startswith(best.kind) else f"{best.kind} {best.name}"
    yield Finding("ok", f"kernels run on {name}" + (f"; simulated: {', '.join(simulated)}" if simulated else ""))


def _cache(facts: Facts) -> Iterator[Finding]:
    if facts.cache:
        yield Finding(
            "problem", f"compiled kernels cannot be kept: {facts.cache}", "XETILE_CACHE_DIR=FOLDER names another directory"
        )


def _settings(facts: Facts) -> Iterator[Finding]:
    for text in facts.unknown:
        yield Finding("note", text, "python -m xetile settings lists what there is")


def _tools(facts: Facts) -> Iterator[Finding]:
    for name, use in TOOLS.items():
        if facts.tools.get(name) is None:
            yield Finding("note", f"{name} is not on PATH", f"needed for {use}")
        else:
            yield Finding("ok", f"{name}: {facts.tools[name]}")


_CHECKS: tuple[Callable[[Facts], Iterator[Finding]], ...] = (
    _machine,
    _opencl,
    _devices,
    _gpu,
    _cpu,
    _default,
    _cache,
    _settings,
    _tools,
)


def run() -> None:
    """Print the report.  Raises SystemExit with 1 where something is a problem."""
    findings = diagnose(look())
    print(rendered(findings))
    if not is_well(findings):
        sys.exit(1)
