"""The device that these tests run on: Intel's CPU runtime or a GPU, found as users find it."""

import pytest

from xetile.runtime import devices


@pytest.fixture(scope="session")
def device():
    usable = [info for info in devices.devices() if info.backend == "opencl" and info.usable]
    if not usable:
        pytest.skip("no OpenCL device: " + "; ".join(info.reason for info in devices.devices()))
    return usable[0]


@pytest.fixture(scope="session")
def backend(device):
    return devices.backend_of(device)
