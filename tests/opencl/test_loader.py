"""Intel's CPU runtime from PyPI, made visible to the OpenCL loader without hiding what the system has."""

import os
from pathlib import Path

import pytest
from xetile.backends.opencl import loader

from xetile.runtime import settings


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A prefix with a CPU runtime in it, and a system directory with two vendors."""
    library = tmp_path / "prefix" / "lib" / loader.RUNTIME_LIBRARY
    library.parent.mkdir(parents=True)
    library.touch()
    system = tmp_path / "vendors"
    system.mkdir()
    (system / "intel.icd").write_text("/usr/lib/libigdrcl.so\n")
    (system / "pocl.icd").write_text("libpocl.so\n")
    monkeypatch.setattr(loader.sys, "prefix", str(tmp_path / "prefix"))
    monkeypatch.setattr(loader, "SYSTEM_VENDORS", system)
    return library


def contents(directory):
    return {path.name: path.read_text() for path in Path(directory).iterdir()}


def prepared(tmp_path, environment):
    with settings.override(cache_dir=tmp_path / "cache"):
        return loader.prepare(environment)


def test_the_directory_has_the_runtime_and_the_systems_vendors(installed, tmp_path):
    environment = {}
    assert prepared(tmp_path, environment) == ""
    assert contents(environment[loader.VARIABLE]) == {
        "intel.icd": "/usr/lib/libigdrcl.so\n", "pocl.icd": "libpocl.so\n", loader.OUR_FILE: f"{installed}\n",
    }  # fmt: skip


def test_a_users_own_directory_is_left_alone(installed, tmp_path):
    environment = {loader.VARIABLE: "/opt/vendors"}
    assert prepared(tmp_path, environment) == ""
    assert environment == {loader.VARIABLE: "/opt/vendors"}


def test_a_directory_from_a_parent_process_is_made_anew(installed, tmp_path):
    environment = {}
    prepared(tmp_path, environment)
    first = environment[loader.VARIABLE]
    (tmp_path / "vendors" / "pocl.icd").unlink()
    prepared(tmp_path, environment)
    assert environment[loader.VARIABLE] != first
    assert "pocl.icd" not in contents(environment[loader.VARIABLE])


def test_a_runtime_that_the_system_knows_is_not_listed_twice(installed, tmp_path):
    (tmp_path / "vendors" / "oneapi.icd").write_text(str(installed))
    files = loader.vendor_files(installed, tmp_path / "vendors")
    assert loader.OUR_FILE not in files


def test_without_the_runtime_nothing_is_set(tmp_path, monkeypatch):
    monkeypatch.setattr(loader, "cpu_runtime", lambda: None)
    environment = {}
    assert "pip install 'xetile[cpu]'" in prepared(tmp_path, environment)
    assert environment == {}


def test_a_cache_that_cannot_be_written_is_replaced(installed, tmp_path):
    (tmp_path / "cache").write_text("a file where the directory should be")
    environment = {}
    assert prepared(tmp_path, environment) == ""
    assert loader.OUR_FILE in contents(environment[loader.VARIABLE])


def test_files_are_written_once(installed, tmp_path):
    environment = {}
    prepared(tmp_path, environment)
    place = Path(environment[loader.VARIABLE], loader.OUR_FILE)
    os.utime(place, (1, 1))
    prepared(tmp_path, environment)
    assert place.stat().st_mtime == 1
    assert [path.suffix for path in place.parent.iterdir()] == [".icd"] * 3
