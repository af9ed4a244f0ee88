"""Settings: read from the environment, checked, overridden for a block, and shown as a table."""

import threading
from pathlib import Path

import pytest

from xetile.errors import XetileError
from xetile.runtime import settings


def test_names_and_variables_are_unique():
    assert len({s.name for s in settings.SETTINGS}) == len({s.variable for s in settings.SETTINGS}) == len(settings.SETTINGS)


@pytest.mark.parametrize("setting", settings.SETTINGS, ids=lambda s: s.name)
def test_unset_gives_the_default(setting, monkeypatch):
    monkeypatch.delenv(setting.variable, raising=False)
    assert settings.get(setting.name) == setting.default


@pytest.mark.parametrize("name,text,value", [
    ("device", "gpu", "gpu"), ("cpu", "emulate", "emulate"), ("debug", "1", True), ("debug", "off", False), ("debug", "", False),
    ("cache_dir", "/tmp/x", Path("/tmp/x")), ("cache_dir", "", None), ("cache_size", "12", 12), ("log", "debug", "debug"),
])  # fmt: skip
def test_values_have_their_type(name, text, value, monkeypatch):
    monkeypatch.setenv(settings.BY_NAME[name].variable, text)
    assert settings.get(name) == value


@pytest.mark.parametrize(
    "name,text",
    [("debug", "maybe"), ("cache_size", "much"), ("cpu", "fast"), ("log", "loud"), ("cache_size", "-5"), ("seconds", "inf")],
)
def test_wrong_values_name_the_variable(name, text, monkeypatch):
    variable = settings.BY_NAME[name].variable
    monkeypatch.setenv(variable, text)
    with pytest.raises(XetileError, match=f"{variable}='{text}' cannot be used"):
        settings.get(name)


def test_override_holds_in_the_block_and_the_thread(monkeypatch):
    monkeypatch.setenv("XETILE_DEBUG", "0")
    seen = []
    with settings.override(debug=True, cache_dir=Path("/a")), settings.override(cache_dir=Path("/b")):
        assert settings.get("debug") is True
        assert settings.cache_directory() == Path("/b")
        thread = threading.Thread(target=lambda: seen.append(settings.get("debug")))
        thread.start()
        thread.join()
    assert seen == [False]
    assert settings.get("debug") is False


def test_unknown_settings_are_refused():
    with pytest.raises(XetileError, match="unknown setting colour"), settings.override(colour="red"):
        pass


def test_the_cache_lies_in_the_users_cache_directory(monkeypatch):
    monkeypatch.delenv("XETILE_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert settings.cache_directory() == Path("/somewhere/xetile")


def test_the_table_shows_every_setting(monkeypatch):
    monkeypatch.setenv("XETILE_CACHE_SIZE", "77")
    text = settings.table()
    assert all(s.variable in text for s in settings.SETTINGS)
    assert "77 (set)" in text
