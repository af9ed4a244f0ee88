"""Workgroup-level modules read from text mean the same at every level below, and emulated on the CPU device."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from tests import tools
from tests.mlir.test_upstream import GRID, arrays
from tests.mlir.workgroup import MODULES
from xetile import mlir
from xetile.cli import mlir_modules
from xetile.ir.verifier import verify
from xetile.mlir.upstream import to_generic
from xetile.passes.named import levels, lower_to
from xetile.runtime import devices
from xetile.target import get_target

TARGET = get_target("pvc")


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


@cache
def generic(name: str) -> str:
    """What mlir-opt makes of a module, once for all tests."""
    return to_generic(MODULES[name], name)


def parsed(name: str) -> Any:
    return mlir.parse(generic(name))


def run(module: Any, device: str) -> np.ndarray[Any, Any]:
    given = arrays(module)
    names = [value.name for value in module.kernel.body.args]
    mlir_modules.launch(module, TARGET, devices.find_device(device), (*GRID, 1), dict(zip(names, given)))
    return given[-1]


@pytest.mark.every(18, 2)
@pytest.mark.parametrize("name", MODULES)
def test_each_level_means_the_same(name):
    expected = run(parsed(name), "numpy")
    assert len(np.unique(expected)) > 1
    for level in levels(parsed(name)):
        # Each from the start: the interpreter keeps its plan of a kernel, and passes change kernels in place.
        module = lower_to(parsed(name), TARGET, level)
        verify(module)
        assert (run(module, "numpy") == expected).all(), level


@pytest.mark.every(28, 24)
@pytest.mark.device
@pytest.mark.parametrize("name", MODULES)
def test_the_emulated_module_means_the_same(name):
    try:
        devices.find_device("cpu")
    except devices.DeviceError as error:
        tools.missing("a cpu device", str(error))
    expected = run(parsed(name), "numpy")
    assert (run(parsed(name), "cpu") == expected).all()
