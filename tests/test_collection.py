"""Work that only adds objects pauses the collector of cycles, and nothing else does."""

import gc

import pytest

from xetile.collection import paused


def test_collections_pause_and_go_on():
    with paused():
        assert not gc.isenabled()
        with paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_they_go_on_after_an_error():
    with pytest.raises(ValueError, match="seen"), paused():
        raise ValueError("seen")
    assert gc.isenabled()


def test_what_is_off_stays_off():
    gc.disable()
    try:
        with paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
