"""`xetile doctor` on machines that are described here: each situation is named, and told what helps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from xetile import cli
from xetile.cli.doctor import INTEL, TOOLS, Facts, RenderNode, diagnose, is_well, render_nodes, rendered
from xetile.runtime import settings
from xetile.runtime.backend import DeviceInfo

NUMPY = DeviceInfo("reference", "numpy", "numpy 2.0", target="pvc")
CPU = DeviceInfo("opencl", "cpu", "Some CPU", vendor="Intel(R) Corporation", driver_version="2026.1", target="cpu")
GPU = DeviceInfo("opencl", "gpu", "Arc B580", vendor="Intel(R) Corporation", driver_version="25.1", target="bmg")
INSTALLED = {"numpy": "2.0", "ml_dtypes": "0.5", "pyopencl": "2026.1", "intel-opencl-rt": "2026.1"}
ALL_TOOLS = dict.fromkeys(TOOLS, "/bin/tool")
WELL = Facts(
    "Linux", "x86_64", "3.11.7", INSTALLED, (GPU, CPU, NUMPY), (RenderNode("/dev/dri/renderD128", INTEL, True),), ALL_TOOLS
)


def without(*names: str) -> dict[str, str | None]:
    return {name: None if name in names else version for name, version in INSTALLED.items()}


def passed_over(reason: str) -> DeviceInfo:
    return replace(GPU, usable=False, reason=reason)


SITUATIONS = {
    "no pyopencl": (replace(WELL, packages=without("pyopencl", "intel-opencl-rt"), devices=(NUMPY,), nodes=()),
                    "pyopencl is not installed", "pip install 'xetile[cpu]'", True),
    "no pyopencl on a machine without our CPU runtime": (
        replace(WELL, machine="aarch64", packages=without("pyopencl", "intel-opencl-rt"), devices=(NUMPY,), nodes=()),
        "pyopencl is not installed", "an OpenCL driver for your device", True),
    "no OpenCL driver": (replace(WELL, packages=without("intel-opencl-rt"), devices=(NUMPY,), nodes=()),
                         "OpenCL finds no platform", "pip install 'xetile[cpu]'", True),
    "no SPIR-V": (replace(WELL, devices=(passed_over("its driver takes no SPIR-V (CL_DEVICE_IL_VERSION is empty)"), CPU, NUMPY), nodes=()),
                  "takes no SPIR-V", "use Intel's, or the CPU", True),
    "no subgroups": (replace(WELL, devices=(passed_over("its driver has no subgroups"), CPU, NUMPY), nodes=()),
                     "has no subgroups", "a newer driver", True),
    "old driver": (replace(WELL, devices=(replace(GPU, emulated=True, reason="the driver lacks SPV_INTEL_2d_block_io"), NUMPY)),
                   "the driver lacks SPV_INTEL_2d_block_io", "intel-opencl-icd", False),
    "no rights on the render node": (
        replace(WELL, devices=(CPU, NUMPY), nodes=(RenderNode("/dev/dri/renderD128", INTEL, False, "video"),)),
        "may not open /dev/dri/renderD128", "usermod -aG video", False),
    "a GPU without its driver": (replace(WELL, devices=(CPU, NUMPY)), "no OpenCL driver shows it", "intel-opencl-icd", False),
    "a GPU without pyopencl": (replace(WELL, packages=without("pyopencl"), devices=(NUMPY,)), "and no pyopencl", "'xetile[opencl]'", False),
    "another vendor's GPU": (replace(WELL, devices=(CPU, NUMPY), nodes=(RenderNode("/dev/dri/renderD128", "0x10de", True),)),
                             "no Intel GPU", "", True),
    "a hidden CPU runtime": (replace(WELL, devices=(NUMPY,), nodes=()), "OpenCL does not show its device", "OCL_ICD_VENDORS", False),
    "Windows": (replace(WELL, system="Windows", nodes=()), "Windows is not tested", "WSL 2", True),
    "macOS": (replace(WELL, system="Darwin", machine="arm64", packages=without("pyopencl", "intel-opencl-rt"), devices=(NUMPY,), nodes=()),
              "macOS has no Intel OpenCL drivers", "container", True),
    "a cache that cannot be written": (replace(WELL, cache="/x: Read-only file system"), "Read-only file system", "XETILE_CACHE_DIR", False),
    "a device that is not there": (replace(WELL, chosen="there is no gpu device that can be used"), "XETILE_DEVICE", "unset it", False),
    "no device at all": (replace(WELL, packages=without("pyopencl", "intel-opencl-rt"), devices=(), nodes=()),
                         "not even numpy", "reinstall", False),
    "no tools": (replace(WELL, tools=dict.fromkeys(TOOLS)), "ocloc is not on PATH", "fetch_gpu_compiler.sh", True),
}  # fmt: skip


@pytest.mark.parametrize("situation", SITUATIONS)
def test_situations_are_named_and_told_what_helps(situation):
    facts, says, advises, well = SITUATIONS[situation]
    findings = diagnose(facts)
    (found,) = [finding for finding in findings if says in finding.text]
    assert advises in found.advice
    assert (found.verdict == "ok") is False
    assert is_well(findings) is well
    assert says in rendered(findings)


def test_a_machine_where_all_works_is_given_no_advice():
    findings = diagnose(WELL)
    assert [finding.verdict for finding in findings] == ["ok"] * len(findings)
    assert any("kernels run on gpu Arc B580" in finding.text for finding in findings)


def test_render_nodes_are_found_with_their_vendors(tmp_path: Path):
    for name, vendor in (("renderD128", "0x8086\n"), ("renderD129", "0x10de\n")):
        (tmp_path / "dev/dri").mkdir(parents=True, exist_ok=True)
        (tmp_path / "dev/dri" / name).touch()
        device = tmp_path / "sys/class/drm" / name / "device"
        device.mkdir(parents=True)
        (device / "vendor").write_text(vendor)
    (tmp_path / "dev/dri/renderD130").touch()  # no word of its vendor
    assert [(node.path, node.vendor) for node in render_nodes(tmp_path)] == [
        ("/dev/dri/renderD128", INTEL), ("/dev/dri/renderD129", "0x10de"), ("/dev/dri/renderD130", ""),
    ]  # fmt: skip


def test_it_tells_of_this_machine(capsys):
    cli.main(["doctor"])
    said = capsys.readouterr().out
    assert "kernels run on" in said or "XETILE_DEVICE" in said
    assert "numpy" in said


def test_a_device_that_the_setting_names_wrongly_fails_the_command(capsys):
    with settings.override(device="gpu:unheard"), pytest.raises(SystemExit) as ended:
        cli.main(["doctor"])
    assert ended.value.code == 1
    assert "XETILE_DEVICE: there is no gpu:unheard device" in capsys.readouterr().out


def test_what_is_missing_is_told_once():
    """A plain install has numpy alone: the OpenCL backend says so too, in other words."""
    reason = "pyopencl cannot be imported (No module named 'pyopencl'): pip install 'xetile[cpu]'"
    nothing = replace(GPU, name="OpenCL", usable=False, reason=reason)
    said = rendered(diagnose(replace(WELL, packages=without("pyopencl", "intel-opencl-rt"), devices=(nothing, NUMPY), nodes=())))
    assert said.count("pyopencl") == 1 and "kernels run on numpy" in said and "numpy numpy" not in said


def test_a_misspelt_setting_is_told(monkeypatch, capsys):
    monkeypatch.setenv("XETILE_DEVCE", "cpu")
    assert cli.main(["settings"]) == 0
    assert "XETILE_DEVCE is set, and is no setting: did you mean XETILE_DEVICE?" in capsys.readouterr().out
    told = diagnose(replace(WELL, unknown=tuple(settings.unknown())))
    assert [f.verdict for f in told if "XETILE_DEVCE" in f.text] == ["note"]
