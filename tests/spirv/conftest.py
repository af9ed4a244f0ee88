"""Fixtures: the CPU device that executes emulated modules."""

from __future__ import annotations

import pytest

from tests.spirv.device import Device, open_cpu_device
from tests.tools import missing


@pytest.fixture(scope="session")
def cpu() -> Device:
    """Intel's CPU OpenCL runtime; without it the test is skipped, or fails where XETILE_REQUIRE_TOOLS is set."""
    device, reason = open_cpu_device()
    return device or missing("a device", reason)
