"""Work that only adds objects pauses the collector of cycles, and nothing else does."""

import gc

import pytest

from xetile.collection import keep_what_is_there, paused


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


@pytest.fixture
def nothing_frozen():
    """As in a user's process; the tests freeze what they begin with."""
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.mark.usefixtures("nothing_frozen")
def test_what_is_there_counts_as_old():
    made = [[]]
    keep_what_is_there()
    assert any(each is made for each in gc.get_objects(generation=2))
    assert not gc.get_freeze_count()


@pytest.mark.usefixtures("nothing_frozen")
def test_what_somebody_has_frozen_stays_so():
    gc.freeze()
    keep_what_is_there()
    assert gc.get_freeze_count()
