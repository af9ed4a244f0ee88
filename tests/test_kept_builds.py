"""Builds that are kept for the next run are those of the very same content."""

import os
import time

import pytest

from tests import kept_builds
from tests.kept_builds import kept


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_builds, "FOLDER", tmp_path / "builds")
    return tmp_path / "builds"


def test_the_same_content_is_built_once():
    assert kept(lambda: b"built", "device", b"module") == b"built"
    assert kept(lambda: pytest.fail("built again"), "device", b"module") == b"built"


@pytest.mark.parametrize(
    "other", [("devic", b"emodule"), ("device", b"module", ""), ("device", b"modulf"), (b"module", "device")]
)
def test_other_content_is_built(other):
    kept(lambda: b"built", "device", b"module")
    assert kept(lambda: b"other", *other) == b"other"


def test_what_is_refused_is_refused_again():
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            kept(lambda: bytes(1 // 0), "device")


def test_what_is_nothing_is_not_kept(folder):
    assert kept(lambda: b"", "device") == b""
    assert kept(lambda: b"built", "device") == b"built"
    assert len(list(folder.iterdir())) == 1


def test_what_nobody_asked_for_in_days_is_forgotten(folder):
    for name in ("old", "new", "asked for"):
        kept(lambda: b"built", name)
    long_ago = time.time() - (kept_builds.DAYS + 1) * 86400
    files = {kept_builds.place("old"): long_ago, kept_builds.place("asked for"): long_ago}
    for file, then in files.items():
        os.utime(file, (then, then))
    kept(lambda: pytest.fail("built again"), "asked for")
    kept_builds.forget()
    assert {*folder.iterdir()} == {kept_builds.place("new"), kept_builds.place("asked for")}
