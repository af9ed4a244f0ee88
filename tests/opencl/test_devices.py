"""Which devices are taken, for which target, and why the others are passed over: by stand-ins for pyopencl's objects."""

import sys
from types import ModuleType, SimpleNamespace

import pytest
from xetile.backends.opencl import _find_all, devices
from xetile.backends.opencl.devices import BLOCK_IO, MATRIX, Queries

SUBGROUPS = "cl_khr_subgroups cl_intel_subgroups cl_intel_required_subgroup_size"


class Stub(SimpleNamespace):
    """A platform or device; an attribute that is an exception is raised."""

    def __getattribute__(self, name):
        value = super().__getattribute__(name)
        if isinstance(value, Exception):
            raise value
        return value


def gpu(name="Intel(R) Arc(TM) B580 Graphics", **changes):
    good = {
        "name": name, "vendor": "Intel(R) Corporation", "driver_version": "25.1", "type": devices.TYPE_GPU,
        "il_version": "SPIR-V_1.0 SPIR-V_1.4", "extensions": f"{SUBGROUPS} {' '.join(devices.CL_NAMES.values())}",
        "max_compute_units": 160, "global_mem_size": 12 << 30, "local_mem_size": 128 << 10, "max_work_group_size": 1024,
    }  # fmt: skip
    return Stub(**(good | changes))


def cpu(**changes):
    cpu_only = {"type": devices.TYPE_CPU, "extensions": f"{SUBGROUPS} cl_khr_spirv_queries"}
    return gpu("AMD EPYC", **(cpu_only | changes))


def platform(*members, **changes):
    return Stub(**({"name": "Intel(R) OpenCL", "vendor": "Intel(R) Corporation", "get_devices": lambda: list(members)} | changes))


def queries(sizes=(8, 16, 32), ip=None, spirv=None):
    return Queries(lambda _: sizes, lambda _: ip, lambda _: spirv)


def find(*platforms, **answers):
    return [found.info for found in devices.find_devices(platforms, queries(**answers))]


@pytest.mark.parametrize("name,target", [
    ("Intel(R) Data Center GPU Max 1550", "pvc"), ("Intel(R) Data Center GPU Max 1100", "pvc"),
    ("Intel(R) Arc(TM) B580 Graphics", "bmg"), ("Intel(R) Arc(TM) B570 Graphics", "bmg"),
    ("Intel(R) Arc(TM) Pro B60 Graphics", "bmg"), ("Intel(R) Arc(TM) Pro B70 Graphics", "bmg"),
    ("Intel(R) Arc(TM) 140V GPU (16GB)", "lnl"), ("Intel(R) Arc(TM) Graphics 130V", "lnl"),
    ("Intel(R) Arc(TM) A770 Graphics", "dg2"), ("Intel(R) Arc(TM) A750 Graphics", "dg2"), ("Intel(R) Arc(TM) A380 Graphics",
    "dg2"),
    ("Intel(R) Arc(TM) A370M Graphics", "dg2"), ("Intel(R) Data Center GPU Flex 170", "dg2"),
    ("Intel(R) Arc(TM) Pro A60 Graphics", "dg2"),
])  # fmt: skip
def test_a_gpu_is_known_by_name(name, target):
    (info,) = find(platform(gpu(name)))
    assert (info.target, info.usable, info.emulated, info.reason) == (target, True, False, "")


@pytest.mark.parametrize("ip,target", [
    ((12, 60, 7), "pvc"), ((20, 1, 4), "bmg"), ((20, 2, 0), "bmg"), ((20, 4, 4), "lnl"), ((12, 55, 8), "dg2"), ((12, 57, 0),
    "dg2"),
])  # fmt: skip
def test_a_gpu_without_a_telling_name_is_known_by_its_ip_version(ip, target):
    (info,) = find(platform(gpu("Intel(R) Graphics [0xe20b]")), ip=ip)
    assert (info.target, info.emulated) == (target, False)


def test_a_gpu_without_matrix_units_is_emulated():
    """Meteor Lake (12.70): named Arc, but no matrix instructions."""
    (info,) = find(platform(gpu("Intel(R) Arc(TM) Graphics", extensions=SUBGROUPS)), ip=(12, 70, 4))
    assert (info.target, info.usable, info.emulated) == ("pvc", True, True)
    assert "no target is known" in info.reason


def test_a_later_gpu_runs_what_xe2_runs():
    (info,) = find(platform(gpu("Intel(R) Graphics")), ip=(30, 0, 4))
    assert (info.target, info.emulated) == ("bmg", False)
    assert "newer than Xe2" in info.reason


@pytest.mark.parametrize("version", ["22.43.24595.41", "23.17.26241.33", "31.0.101.4887"])
def test_an_older_driver_gets_its_compiler_s_own_words(version):
    (info,) = find(platform(gpu(extensions=SUBGROUPS, driver_version=version)))
    assert (info.target, info.usable, info.emulated, info.older_compiler) == ("bmg", True, False, True)
    assert "late 2024" in info.reason


def test_a_driver_older_than_any_that_was_tried_is_passed_over():
    (info,) = find(platform(gpu(extensions=SUBGROUPS, driver_version="21.49.21786")))
    assert not info.usable
    assert "21.49.21786" in info.reason and "install one with IGC 2.2.1" in info.reason


def test_dg2_needs_no_block_io():
    (info,) = find(platform(gpu("Intel(R) Arc(TM) A770 Graphics", extensions=f"{SUBGROUPS} {devices.CL_NAMES[MATRIX]}")))
    assert not info.emulated


def test_extensions_by_the_spirv_query():
    (info,) = find(platform(gpu(extensions=f"{SUBGROUPS} cl_khr_spirv_queries")), spirv=frozenset({BLOCK_IO, MATRIX}))
    assert not info.emulated


def test_a_cpu_emulates_pvc():
    (info,) = find(platform(cpu()), spirv=frozenset({"SPV_KHR_bit_instructions"}))
    assert (info.kind, info.target, info.usable, info.emulated, info.reason) == ("cpu", "pvc", True, True, "")


BAD = {
    "no SPIR-V": (lambda: platform(cpu(il_version="")), "takes no SPIR-V"),
    "SPIR-V unknown to an old driver": (lambda: platform(cpu(il_version=RuntimeError("INVALID_VALUE"))), "takes no SPIR-V"),
    "no subgroups": (lambda: platform(cpu(extensions="cl_khr_fp64")), "has no subgroups"),
    "an accelerator": (lambda: platform(cpu(type=8)), "neither a GPU nor a CPU"),
    "no devices": (platform, "has no devices"),
    "devices fail": (lambda: platform(get_devices=lambda: 1 / 0), "cannot be listed: ZeroDivisionError"),
    "platform fails": (
        lambda: Stub(name=OSError("gone"), vendor=OSError("gone"), get_devices=OSError("gone")),
        "cannot be listed",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_device_is_passed_over_with_the_reason(case):
    make, reason = BAD[case]
    good, bad = find(make(), platform(gpu()))
    assert good.usable
    assert not bad.usable
    assert reason in bad.reason


def test_pocl_without_subgroup_sizes_is_passed_over():
    (info,) = find(platform(cpu(extensions="cl_khr_subgroups"), vendor="The pocl project"), sizes=())
    assert "required subgroup size" in info.reason


def test_a_device_without_subgroups_of_16_is_passed_over():
    (info,) = find(platform(gpu("GPU", vendor="Somebody", extensions=SUBGROUPS)), sizes=(32, 64))
    assert "no subgroups of 16" in info.reason


def test_a_query_that_fails_takes_nothing_down():
    broken = Queries(*[lambda _: 1 / 0] * 3)
    (found,) = devices.find_devices([platform(gpu())], broken)
    assert found.info.usable


def test_order_of_preference():
    """Usable, then Intel, then GPU, then without emulation."""
    other = platform(gpu("Other GPU", vendor="Somebody"), vendor="Somebody")
    names = [info.name for info in find(other, platform(cpu(il_version="")), platform(cpu(), gpu(extensions=SUBGROUPS), gpu()))]
    assert names == ["Intel(R) Arc(TM) B580 Graphics"] * 2 + ["AMD EPYC", "Other GPU", "AMD EPYC"]


def test_what_an_uninstalled_pyopencl_leaves_behind_is_none(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyopencl", ModuleType("pyopencl"))
    (found,) = _find_all()
    assert not found.info.usable and "pip install 'xetile[cpu]'" in found.info.reason
