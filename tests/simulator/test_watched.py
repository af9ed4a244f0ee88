"""What debug mode watches on simulated GPUs, and what is no mistake: parts of registers that nothing reads, counts in shared memory."""

from __future__ import annotations

from unittest.mock import Mock

import numpy as np
import pytest
from xetile.backends.simulator.errors import ViolationError
from xetile.backends.simulator.parse import parse
from xetile.backends.simulator.program import make_step
from xetile.backends.simulator.state import Layout, Threads
from xetile.backends.simulator.written import watched

import xetile as xt
from tests import tools
from xetile.errors import LaunchError

TARGETS = ("pvc", "bmg", "dg2")


@pytest.fixture(autouse=True)
def compiler() -> None:
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)


@xt.jit(out={"H": lambda X: xt.zeros((4,), xt.i32)}, grid=(1,), num_subgroups=2)
def counted(X, H):
    """How often each number from 0 to 3 is there: subgroups meet in one count."""
    bins = xt.alloc_slm((4,), xt.i32)
    xt.store_tile(0, xt.init_tile(bins, 0, (4,)))
    xt.barrier()
    xt.atomic_rmw_tile("add", 1, xt.init_tile(bins, xt.load_tile(X[0:64])))
    xt.barrier()
    xt.store_tile(xt.load_tile(xt.init_tile(bins, 0, (4,))), H[0:4])


@xt.jit(out={"H": lambda X: xt.zeros((4,), xt.i32)}, grid=(1,), num_subgroups=2)
def counted_too_early(X, H):
    """Without a barrier in front of the result."""
    bins = xt.alloc_slm((4,), xt.i32)
    xt.store_tile(0, xt.init_tile(bins, 0, (4,)))
    xt.barrier()
    xt.atomic_rmw_tile("add", 1, xt.init_tile(bins, xt.load_tile(X[0:64])))
    xt.store_tile(xt.load_tile(xt.init_tile(bins, 0, (4,))), H[0:4])


@pytest.mark.parametrize("target", TARGETS)
def test_atomics_that_meet_are_no_race(target):
    x = (np.arange(64) % 3).astype(np.int32)
    with xt.debug(), xt.device(f"sim:{target}"):
        assert list(counted(x)) == [22, 21, 21, 0]


def test_a_load_beside_atomics_is_a_race():
    with xt.debug(), xt.device("sim:pvc"), pytest.raises(LaunchError, match="race: "):
        counted_too_early((np.arange(64) % 3).astype(np.int32))


@xt.jit(out={"Y": lambda X: xt.zeros(X.shape, X.dtype)}, grid=(1,))
def doubled_row(X, Y):
    """A row of one block of 16 numbers of f16, which fill half of a register."""
    x = xt.load_tile(X[0, 0:16])
    xt.store_tile(x[xt.arange(16) ^ 1] + x, Y[0, 0:16])


@xt.jit(out={"Y": lambda X: xt.empty((X.shape[0] // 4, X.shape[1]), X.dtype)}, grid=lambda Y: Y.shape[0])
def of_a_group(X, Y):
    """A quotient of ids, which one lane works out by instructions of all lanes."""
    i = xt.program_id(0) // (X.shape[0] // Y.shape[0])
    Y[xt.program_id(0), 0:16] = xt.load_tile(X[i, 0:16])


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=(1,))
def counted_bits(X, Y):
    """Products of 32 bits, which are made by halves, of the lanes that a branch has left."""
    x = xt.load_tile(X[0:21])
    p = x - ((x >> 1) & 0x55555555)
    p = (p & 0x33333333) + ((p >> 2) & 0x33333333)
    Y[0:21] = (((p + (p >> 4)) & 0x0F0F0F0F) * 0x01010101) >> 24


@pytest.mark.parametrize("target", TARGETS)
def test_parts_of_registers_that_nothing_needs(target):
    x = np.arange(64, dtype=np.float16).reshape(2, 32)
    rows = np.arange(8 * 16, dtype=np.float32).reshape(8, 16)
    numbers = np.arange(21, dtype=np.uint32) * 0x01234567
    with xt.debug(), xt.device(f"sim:{target}"):
        assert (doubled_row(x)[0, :16] == x[0, :16] + x[0, np.arange(16) ^ 1]).all()
        assert (of_a_group(rows) == rows[[0, 0]]).all()
        assert list(counted_bits(numbers)) == [int(n).bit_count() for n in numbers]


KNOWN = "(W) mov (1|M0) r2.0<1>:d 7:w"
MOVED = "(W) mov (4|M0) r3.0<1>:uq r2.0<1;1,0>:uq"  # twice as wide as what is known
SUM = "(W) add (8|M0) r3.0<1>:d r2.0<1;1,0>:d 1:w"


def carried_out(*lines: str) -> None:
    """Debug mode, from registers that nothing has written."""
    threads = Threads(Layout(128, 32, "dg2"), Mock(), np.zeros(1, np.int64))
    threads.watch()
    for line in lines:
        inst = parse(f"/* [0000] */ {line}").instructions[0]
        watched(threads.layout, inst, make_step(threads.layout, inst))(threads)


@pytest.mark.parametrize("between", [MOVED, SUM])
def test_what_is_unknown_is_handed_on_and_reported_where_it_is_needed(between):
    carried_out(KNOWN, between, "add (8|M0) r4.0<1>:d r3.0<0;1,0>:d 1:w")
    with pytest.raises(ViolationError, match=r"nothing has written: thread 0, channel 0: r3, byte 4"):
        carried_out(KNOWN, between, "add (8|M0) r4.0<1>:d r3.1<0;1,0>:d 1:w")


@pytest.mark.parametrize("opcode", ["addc", "subb"])
def test_carries_are_written(opcode):
    numbers = "mov (8|M0) r2.0<1>:ud 7:w"
    carried_out(
        numbers,
        f"{opcode} (8|M0) r3.0<1>:ud r2.0<1;1,0>:ud r2.0<1;1,0>:ud {{AccWrEn}}",
        "add (8|M0) r4.0<1>:ud acc0.0<1;1,0>:ud 1:w",
    )
    with pytest.raises(ViolationError, match="nothing has written"):
        carried_out("add (8|M0) r4.0<1>:ud acc0.0<1;1,0>:ud 1:w")


def test_comparisons_of_a_number_with_itself_ask_which_channels_are_active():
    same = "cmp (8|M0) (eq)f0.0 null<1>:w r2.{}<0;1,0>:{} r2.{}<0;1,0>:{}"
    carried_out(same.format(3, "uw", 3, "uw"))
    for other in (same.format(3, "uw", 4, "uw"), same.format(3, "f", 3, "f")):
        with pytest.raises(ViolationError, match="nothing has written"):
            carried_out(other)
