"""Choosing a device: the order of preference, the environment, blocks of code; and what is not imported meanwhile."""

import subprocess
import sys
import threading

import pytest

from xetile.errors import DeviceError
from xetile.runtime import backend as backends
from xetile.runtime import devices
from xetile.runtime.backend import DeviceInfo

INTEL = "Intel(R) Corporation"
GPU = DeviceInfo("fake", "gpu", "B580", "g", vendor=INTEL, target="bmg")
CPU = DeviceInfo("fake", "cpu", "Xeon", "c", vendor=INTEL, target="pvc", emulated=True)
OTHER = DeviceInfo("fake", "gpu", "Other", "o", vendor="Somebody")
BROKEN = DeviceInfo("fake", "cpu", "PoCL", "p", vendor="pocl", usable=False, reason="takes no SPIR-V")
NUMPY = DeviceInfo("numbers", "numpy", "numpy", target="pvc")


class Fake:
    """A backend with given devices that counts how often it is asked."""

    on_request = False

    def __init__(self, *found):
        self.found, self.asked = found, 0
        self.name = found[0].backend if found else "fake"
        self.kinds = tuple(kind for kind in ("gpu", "cpu", "numpy") if any(info.kind == kind for info in found))
        self.hardware = self.kinds != ("numpy",)

    def stages(self, target):
        return ("spirv",)

    def devices(self):
        self.asked += 1
        return list(self.found)


@pytest.fixture
def install(monkeypatch):
    """Replace all backends by given ones."""
    monkeypatch.delenv("XETILE_DEVICE", raising=False)

    def put(*fakes, **broken):
        sources = {fake.name: (lambda fake=fake: lambda: fake) for fake in fakes}
        sources |= {name: (lambda error=error: (_ for _ in ()).throw(error)) for name, error in broken.items()}
        devices.refresh()
        monkeypatch.setattr(backends, "_sources", lambda: sources)

    monkeypatch.setattr(backends, "reset_backends", backends.get_backend.cache_clear)
    yield put
    monkeypatch.undo()
    devices.refresh()


@pytest.mark.parametrize("found,chosen", [
    ([CPU, GPU, OTHER], GPU), ([OTHER, CPU], CPU), ([OTHER, BROKEN], NUMPY), ([BROKEN], NUMPY), ([], NUMPY),
])  # fmt: skip
def test_the_default_is_the_best(install, found, chosen):
    install(Fake(*found), Fake(NUMPY))
    assert devices.current_device() == chosen
    assert devices.devices()[0] == chosen


def test_all_are_numbered_usable_first(install):
    install(Fake(BROKEN, OTHER, CPU, GPU), Fake(NUMPY))
    assert [info.name for info in devices.devices()] == ["B580", "Xeon", "numpy", "Other", "PoCL"]
    assert [info.number for info in devices.devices()] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("value,chosen", [("gpu", GPU), ("CPU", CPU), ("numpy", NUMPY), ("1", CPU), ("2", NUMPY)])
def test_the_environment_chooses(install, monkeypatch, value, chosen):
    install(Fake(GPU, CPU), Fake(NUMPY))
    monkeypatch.setenv("XETILE_DEVICE", value)
    assert devices.current_device() == chosen


def test_a_block_chooses_for_its_thread_alone(install):
    install(Fake(GPU, CPU), Fake(NUMPY))
    seen = []
    with devices.device("cpu") as chosen:
        assert chosen == devices.current_device() == CPU
        with devices.device(NUMPY):
            assert devices.current_device() == NUMPY
        assert devices.current_device() == CPU
        thread = threading.Thread(target=lambda: seen.append(devices.current_device()))
        thread.start()
        thread.join()
    assert seen == [GPU]
    assert devices.current_device() == GPU


def test_a_failing_block_gives_the_device_back(install):
    install(Fake(GPU, CPU), Fake(NUMPY))
    with pytest.raises(ZeroDivisionError), devices.device("cpu"):
        raise ZeroDivisionError
    assert devices.current_device() == GPU


@pytest.mark.parametrize("selection,message", [
    ("tpu", "'tpu' is no device"), (9, "there is no device 9"), (2, "PoCL cannot be used: takes no SPIR-V"), ("-1",
    "is no device"),
    (BROKEN, "PoCL cannot be used: takes no SPIR-V"),
])  # fmt: skip
def test_what_cannot_be_chosen(install, selection, message):
    install(Fake(CPU, BROKEN), Fake(NUMPY))
    with pytest.raises(DeviceError, match=message):
        devices.find_device(selection)


def test_a_missing_kind_says_what_was_passed_over(install):
    install(Fake(BROKEN), Fake(NUMPY))
    with pytest.raises(DeviceError, match=r"no cpu device(.|\n)*PoCL was passed over: takes no SPIR-V"):
        devices.find_device("cpu")


def test_numpy_asks_no_other_backend(install):
    fake = Fake(GPU)
    install(fake, Fake(NUMPY))
    with devices.device("numpy") as chosen:
        assert chosen == NUMPY
    assert fake.asked == 0


def test_devices_are_asked_for_once(install):
    fake = Fake(GPU)
    install(fake, Fake(NUMPY))
    for _ in range(3):
        devices.devices()
        devices.current_device()
    assert fake.asked == 1


def test_a_backend_that_does_not_load_is_shown_with_the_reason(install):
    install(Fake(NUMPY), broken=ImportError("no libOpenCL"))
    usable, broken = devices.devices()
    assert usable == NUMPY
    assert "no libOpenCL" in broken.reason


def test_without_any_device_the_error_says_so(install):
    install(broken=ImportError("gone"))
    with pytest.raises(DeviceError, match="no device can run kernels"):
        devices.current_device()


def test_the_table_shows_targets_and_reasons(install):
    install(Fake(CPU, BROKEN), Fake(NUMPY))
    text = devices.table()
    assert "0: cpu   Xeon [fake] (default)" in text
    assert "target pvc, emulated" in text
    assert "passed over: takes no SPIR-V" in text


def imported_by(statement):
    """Top-level and xetile modules that a fresh interpreter has after a statement."""
    code = f"{statement}\nimport sys; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split("\n")[-2].split())


@pytest.mark.parametrize("statement", [
    "import xetile.runtime.devices, xetile.runtime.arrays, xetile.runtime.settings, xetile.runtime.artifact",
    "import xetile.backends.opencl",
    "from xetile.runtime import devices; devices.backends.backend_names()",
])  # fmt: skip
def test_pyopencl_is_not_imported_before_a_device_is_needed(statement):
    assert not {"pyopencl", "pytools"} & imported_by(statement)


def test_the_interface_imports_no_compiler():
    modules = imported_by("import xetile.runtime.backend, xetile.runtime.settings")
    assert not [name for name in modules if name.startswith(("xetile.passes", "xetile.frontend", "xetile.backends"))]
    assert "importlib.metadata" not in modules
