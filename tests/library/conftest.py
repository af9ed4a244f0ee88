"""Devices for the library: numpy, a CPU by its own code, as users meet it, and for a sample of tests simulated GPUs."""

import pytest

from tests import tools
from tests.conftest import SIMULATED
from xetile.errors import DeviceError
from xetile.runtime.devices import find_device


@pytest.fixture(params=[
    pytest.param("numpy", marks=pytest.mark.device),
    pytest.param("cpu", marks=pytest.mark.device),
    *(pytest.param(name, marks=(pytest.mark.device, pytest.mark.simulated)) for name in SIMULATED),
])  # fmt: skip
def device(request, monkeypatch):
    """The name of each kind of device."""
    name = request.param
    if name == "cpu":
        monkeypatch.setenv("XETILE_CPU", "")
    try:
        find_device(name)
    except DeviceError as error:
        tools.missing(f"a {name} device", str(error))
    return name
