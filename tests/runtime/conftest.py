from pathlib import Path

import pytest

from tests import tools
from xetile.errors import DeviceError
from xetile.runtime import cache, stats
from xetile.runtime.devices import find_device


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test has a cache of its own, which its subprocesses see too."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("XETILE_CACHE_DIR", str(folder))
    monkeypatch.setattr(cache, "_cleaned", False)
    monkeypatch.setattr(cache, "_told", False)
    stats.reset_stats()
    return folder


@pytest.fixture
def cpu() -> str:
    """The CPU OpenCL device."""
    try:
        find_device("cpu")
    except DeviceError as error:
        tools.missing("a cpu device", str(error))
    return "cpu"
