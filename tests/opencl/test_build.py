"""Building: native and emulated modules, the driver's own binaries, and what is said when it fails."""

import multiprocessing
import os
import warnings
from dataclasses import replace

import numpy as np
import pytest
from xetile.backends.opencl import capi
from xetile.backends.opencl.devices import BLOCK_IO, MATRIX
from xetile.backends.opencl.driver import module_extensions
from xetile.backends.spirv.module.module import Module

from tests.opencl.kernels import array, block_copy_kernel, scale_grid, scale_kernel
from xetile.errors import BuildError, DeviceError, LaunchError, ResourceError
from xetile.runtime.artifact import Binary

pytestmark = pytest.mark.device


def run_scale(kernel):
    x, y = np.arange(12, dtype=np.float32).reshape(3, 4), np.zeros((3, 4), np.float32)
    kernel.launch(scale_grid(y), (x, y, 2.0))
    return np.array_equal(y, x * 2)


def bad_module(target="pvc"):
    """A well-formed module that no driver can finish: it calls a function that nobody defines."""
    m = Module()
    kernel = m.kernel("lost", [m.type.pointer("CrossWorkgroup", m.type.int(8))], subgroup_size=16, local_size=(16, 1, 1))
    missing = m.import_function("nobody_defines_this", m.type.void, [])
    body = kernel.block()
    body.call(missing, result=m.type.void)
    body.ret()
    args = array("A", "u8", 0)
    return Binary("lost", m.finish(), target, 16, 1, (16, 1, 1), 128, 0, "-cl-mad-enable", args, frozenset())


def test_extensions_are_read_from_the_module():
    assert module_extensions(scale_kernel().spirv) == frozenset()
    assert module_extensions(block_copy_kernel().spirv) == {BLOCK_IO}
    assert MATRIX not in module_extensions(block_copy_kernel().spirv)


@pytest.mark.parametrize("shape", [(8, 16), (5, 13), (20, 40)])
def test_a_gpu_module_runs_here(backend, device, shape):
    """Natively where the device has 2D block messages; otherwise the same module with each replaced by a call."""
    kernel = backend.load(block_copy_kernel(), device)
    x = np.random.default_rng(1).standard_normal(shape, np.float32)
    y = np.full(shape, 7, np.float32)
    kernel.launch((1,), (x, y))
    expected = np.full(shape, 7, np.float32)
    expected[:8, :16] = x[:8, :16]
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("binary", [scale_kernel, block_copy_kernel])
def test_a_drivers_binary_loads_again(backend, device, binary):
    native = backend.load(binary(), device).native()
    assert native
    assert backend.load(binary(), device, native=native).native()


@pytest.mark.parametrize("damage", [b"", b"rubbish", b"\x7fELF" + bytes(64)])
def test_a_damaged_binary_is_built_anew(backend, device, damage):
    assert run_scale(backend.load(scale_kernel(), device, native=damage))


@pytest.mark.parametrize("target", ["pvc", "cpu"])
def test_a_build_error_has_the_whole_log_target_and_options(backend, device, target):
    """A GPU's module is compiled for a CPU and then linked with the functions that emulate it; others are built in one step."""
    linked = target == "pvc" and device.kind == "cpu"
    with pytest.raises(BuildError) as caught:
        backend.load(bad_module(target), device)
    text = str(caught.value)
    for part in (device.name, "kernel lost", f"target:  {target}", "options: -cl-mad-enable", device.driver_version):
        assert part in text
    step = "clLinkProgram returned -17 (CL_LINK" if linked else "clBuildProgram returned -11 (CL_BUILD"
    assert f"{step}_PROGRAM_FAILURE)" in text
    assert "nobody_defines_this" in text.partition("log:\n")[2]


def test_a_refused_module_is_no_warning(backend, device):
    """pyopencl would warn about every build log; here it is in the error alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run_scale(backend.load(scale_kernel(), device))
        with pytest.raises(BuildError):
            backend.load(bad_module(), device)


def test_bytes_that_are_no_module_are_refused(backend, device):
    with pytest.raises(BuildError, match="no SPIR-V module"):
        backend.load(replace(scale_kernel(), spirv=b"not a module"), device)


def test_a_missing_entry_point_shows_when_loading(backend, device):
    with pytest.raises(LaunchError, match="no kernel 'other'"):
        backend.load(replace(scale_kernel(), name="other"), device)


@pytest.mark.parametrize("change,message", [
    ({"local_size": (1 << 20, 1, 1)}, "workgroups of 1048576 work-items"),
    ({"slm_bytes": 1 << 30}, "1073741824 bytes of shared local memory"),
    ({"subgroup_size": 12}, "compiled for pvc with subgroups of 12"),
])  # fmt: skip
def test_what_the_device_cannot_hold_is_refused(backend, device, change, message):
    with pytest.raises(ResourceError, match=message):
        backend.load(replace(scale_kernel(), **change), device)


def test_options_for_other_drivers_are_left_out(backend, device):
    """256-register mode is a GPU's; on a CPU the same binary builds all the same."""
    assert run_scale(backend.load(scale_kernel(build_options="-ze-opt-large-register-file -cl-fast-relaxed-math"), device))


def test_a_program_of_ir_is_refused(backend, device):
    from xetile.runtime.artifact import Program

    with pytest.raises(DeviceError, match="runs SPIR-V, and kernel k is IR"):
        backend.load(Program("k", None, "pvc", ()), device)


def test_status_names():
    assert capi.status_name(-11) == "CL_BUILD_PROGRAM_FAILURE"
    assert capi.status_name(-9999) == "unknown status -9999"


def _in_child(queue):
    from xetile.runtime import devices

    try:
        info = devices.find_device("cpu")
        devices.backend_of(info).load(scale_kernel(), info)
    except DeviceError as error:
        queue.put(error.message)
    else:
        queue.put("worked")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_is_told_instead_of_hanging(backend, device):
    assert run_scale(backend.load(scale_kernel(), device))
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    child.join(30)
    assert child.exitcode == 0
    assert "forked" in queue.get()
