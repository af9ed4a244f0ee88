"""Programs that wait for each other: each diverges, in an order that repeats, in debug mode too."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from xetile.backends.reference.checks import RaceError
from xetile.backends.reference.schedule import DeadlockError

import xetile as xt
from tests import tools
from xetile.errors import DeviceError
from xetile.runtime.devices import find_device

DEVICES = ["numpy", "debug", pytest.param("cpu", marks=pytest.mark.device)]


@pytest.fixture(params=DEVICES)
def device(request):
    if request.param == "cpu":
        try:
            find_device("cpu")
        except DeviceError as error:
            tools.missing("a cpu device", str(error))
    with on(request.param):
        yield request.param


@contextlib.contextmanager
def on(name: str):
    with xt.device("numpy" if name == "debug" else name), xt.debug() if name == "debug" else contextlib.nullcontext():
        yield


@xt.jit
def element(A, i):
    return xt.init_tile(A, xt.arange(1) + i)


@xt.jit
def look(Flags, i):
    """A flag, read by an atomic."""
    return xt.atomic_rmw_tile("add", 0, element(Flags, i)).item()


@xt.jit
def tell(Flags, i):
    xt.fence("global", "gpu")
    xt.atomic_rmw_tile("add", 1, element(Flags, i))


@xt.jit
def relay(Flags, X, Y, BACK: xt.constexpr, COUNTED: xt.constexpr):
    """Y is the running sum of X, from the first to the last or (BACK) from the last to the first: each waits for its neighbour."""
    n, p = xt.num_programs(0), xt.program_id(0)
    other = p + 1 if BACK else p - 1
    total = xt.load_gather(element(X, p))
    if (other >= 0) & (other < n):
        tries = 0
        seen = look(Flags, other)
        while seen == 0:
            seen = look(Flags, other)
            if COUNTED:
                tries += 1
        xt.fence("global", "gpu")
        total += xt.load_gather(element(Y, other))
    xt.store_scatter(total, element(Y, p))
    tell(Flags, p)


@pytest.mark.covering
@pytest.mark.parametrize("counted", [False, True])
def test_each_waits_for_the_one_before(device, counted):
    x, y, flags = np.arange(8, dtype=np.int32), np.zeros(8, np.int32), np.zeros(8, np.int32)
    relay[8](flags, x, y, BACK=False, COUNTED=counted)
    np.testing.assert_array_equal(y, x.cumsum())
    assert (flags == 1).all()


# A GPU need not start later programs before the first ones end.
@pytest.mark.every(2)
@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("device", ["numpy", "debug"], indirect=True)
def test_each_waits_for_the_one_after(device, counted):
    x, y, flags = np.arange(8, dtype=np.int32), np.zeros(8, np.int32), np.zeros(8, np.int32)
    relay[8](flags, x, y, BACK=True, COUNTED=counted)
    np.testing.assert_array_equal(y, x[::-1].cumsum()[::-1])


@xt.jit
def with_lock(Lock, Total):
    """Each program adds to an element that no atomic guards, and counts how often."""
    while xt.atomic_rmw_tile("assign", 1, element(Lock, 0)).item() == 1:
        pass
    xt.fence("global", "gpu")
    xt.store_scatter(xt.load_gather(element(Total, 0)) + xt.program_id(0).to(xt.i32), element(Total, 0))
    xt.fence("global", "gpu")
    xt.atomic_rmw_tile("assign", 0, element(Lock, 0))


def test_a_lock(device):
    lock, total = np.zeros(1, np.int32), np.zeros(1, np.int32)
    with_lock[4, 5](lock, total)
    assert (lock[0], total[0]) == (0, 5 * 6)


@xt.jit
def all_meet(Count, Out):
    """A barrier of all programs: each tells that it is here, and waits for the rest."""
    n = xt.num_programs(0)
    xt.store_scatter((xt.arange(1) + xt.program_id(0) * 3).to(xt.i32), element(Out, xt.program_id(0)))
    tell(Count, 0)
    while look(Count, 0) < n:
        pass
    xt.fence("global", "gpu")
    seen = xt.sum(xt.load_tile(xt.init_tile(Out, 0, (16,))))
    tell(Count, 1)
    while look(Count, 1) < n:
        pass
    xt.fence("global", "gpu")
    xt.store_scatter(xt.full((1,), 0, xt.i32) + seen, element(Out, xt.program_id(0)))


@pytest.mark.parametrize("device", ["numpy", "debug"], indirect=True)
def test_a_barrier_of_all_programs(device):
    count, out = np.zeros(2, np.int32), np.zeros(16, np.int32)
    all_meet[16](count, out)
    assert (out == 3 * np.arange(16).sum()).all() and (count == 16).all()


@xt.jit
def read_plainly(Flags, Y):
    """As it must not be: the flag is read by an ordinary load. The device shows what it will."""
    p = xt.program_id(0)
    if p > 0:
        while xt.load_gather(element(Flags, p - 1)).item() == 0:
            pass
    xt.store_scatter(xt.full((1,), 1, xt.i32), element(Y, p))
    xt.store_scatter(xt.full((1,), 1, xt.i32), element(Flags, p))


def test_a_flag_read_by_an_ordinary_load():
    flags, y = np.zeros(8, np.int32), np.zeros(8, np.int32)
    with xt.device("numpy"):
        read_plainly[8](flags, y)
    assert y.all()
    with on("debug"), pytest.raises(RaceError, match="atomic"):
        read_plainly[8](np.zeros(8, np.int32), y)


@pytest.mark.parametrize("device", ["numpy", "debug"], indirect=True)
def test_who_waits_for_ever_is_told(device):
    @xt.jit
    def nobody_tells(Flags):
        while look(Flags, xt.program_id(0)) == 0:
            pass

    with pytest.raises(DeadlockError, match=r"programs wait forever.*program \(x=0, y=0, z=0\), .* and others") as error:
        nobody_tells[8](np.zeros(8, np.int32))
    assert error.value.at is not None and "look(Flags" in error.value.at.text


def test_what_was_done_before_anybody_waited_is_done_once(capsys):
    @xt.jit
    def prints(Flags, Y):
        xt.atomic_rmw_tile("add", 1, element(Y, 0))
        xt.device_print("here", xt.program_id(0))
        if xt.program_id(0) > 0:
            while look(Flags, 0) == 0:
                pass
        tell(Flags, 0)

    y = np.zeros(1, np.int32)
    with xt.device("numpy"):
        prints[5](np.zeros(1, np.int32), y)
    assert y[0] == 5 and capsys.readouterr().out.split("\n")[:-1] == [f"here {i}" for i in range(5)]


def test_loops_that_wait_for_nobody_are_run_together():
    """A loop whose course hangs on memory, and which ends by itself."""

    @xt.jit
    def chains(Next, Length):
        """How many steps from element p to one that leads to itself."""
        p, steps = xt.program_id(0).to(xt.i32), 0
        following = xt.load_gather(element(Next, p)).item()
        while following != p:
            p, steps = following, steps + 1
            following = xt.load_gather(element(Next, p)).item()
        xt.store_scatter((xt.arange(1) + steps).to(xt.i32), element(Length, xt.program_id(0)))

    n = 300
    following = np.maximum(np.arange(n, dtype=np.int32) - 1, 0)
    length = np.zeros(n, np.int32)
    with xt.device("numpy"):
        chains[n](following, length)
    np.testing.assert_array_equal(length, np.arange(n))
