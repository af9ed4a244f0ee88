"""Fixtures: the CPU device that executes emulated modules."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.spirv.device import Device, open_cpu_device


@pytest.fixture(scope="session")
def cpu() -> Iterator[Device]:
    """Intel's CPU OpenCL runtime; without it the test is skipped, or fails where XETILE_REQUIRE_TOOLS is set."""
    device, reason = open_cpu_device()
    if device is None:
        (pytest.fail if os.environ.get("XETILE_REQUIRE_TOOLS") else pytest.skip)(reason)
    yield device
