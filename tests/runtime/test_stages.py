"""A backend says which stages it takes, and no file of the compiler knows its name."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.kernels.matmul import matmul
from xetile.runtime import backend as backends
from xetile.runtime import devices
from xetile.runtime.artifact import Binary, Program
from xetile.runtime.backend import DeviceInfo


class Taken(Exception):
    """What came to a backend."""


class Printer:
    """A backend of another package, whose kernels come at the levels given."""

    name, kinds, hardware, on_request = "printer", ("paper",), False, True

    def __init__(self, *stages):
        self.taken = stages

    def stages(self, target):
        return self.taken

    def devices(self):
        return [DeviceInfo("printer", "paper", "a printer", "0", vendor="nobody", target="pvc")]

    def load(self, artifact, device, *, native=None):
        raise Taken(artifact)


@pytest.fixture
def install(monkeypatch):
    known = dict(backends._sources())

    def put(*stages):
        printer = Printer(*stages)
        devices.refresh()
        monkeypatch.setattr(backends, "_sources", lambda: {**known, "printer": lambda: lambda: printer})

    monkeypatch.setattr(backends, "reset_backends", backends.get_backend.cache_clear)
    yield put
    monkeypatch.undo()
    devices.refresh()


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "stages, kind, level",
    [(("lane",), Program, "lane"), (("xetile", "subgroup"), Program, "xetile"), (("subgroup",), Program, "subgroup"),
     (("spirv",), Binary, "")],
)  # fmt: skip
def test_kernels_come_at_the_stage_that_a_backend_takes(install, stages, kind, level):
    install(*stages)
    arrays = np.zeros((64, 32), np.float16), np.zeros((32, 64), np.float16), np.zeros((64, 64), np.float32)
    with xt.device("paper"), pytest.raises(Taken) as taken:
        matmul(*arrays)
    (artifact,) = taken.value.args
    assert isinstance(artifact, kind)
    if level:
        assert artifact.module.kernel.attributes.get("level", "xetile") == level


def test_devices_on_request_are_found_by_name_and_never_taken_unasked(install):
    install("lane")
    assert devices.find_device("paper").name == "a printer"
    assert devices.current_device().kind != "paper"


def test_no_file_of_the_compiler_names_a_backend():
    from tests.test_architecture import sources, text

    names = [f'"{name}"' for name in backends.backend_names()]
    # The doctor looks for drivers of OpenCL.
    places = [path for path in sources("xetile") for name in names if name in text(path) and path != "xetile/cli/doctor.py"]
    assert places == []
