"""Each rule that the simulator holds code to, broken alone: block payloads, addresses, the register file, waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from xetile.backends.simulator import scoreboard
from xetile.backends.simulator.block2d import Payload, Shape, check
from xetile.backends.simulator.dispatch import Local
from xetile.backends.simulator.errors import UnsupportedError, ViolationError
from xetile.backends.simulator.execute import Executable
from xetile.backends.simulator.isa import Instruction
from xetile.backends.simulator.lsc import Scratch, Shared
from xetile.backends.simulator.memory import Memory, World
from xetile.backends.simulator.parse import parse
from xetile.backends.simulator.program import Program
from xetile.backends.simulator.state import Layout, Step, Threads

from tests import tools
from tests.simulator.faults import changed, positions
from tests.simulator.opencl.sources import BLOCKS, executable, run
from xetile.target import get_target

PAYLOAD = {"base": 1 << 20, "width": 128, "height": 64, "pitch": 256, "x": 4, "y": 0}
SHAPE = {"size": 2, "columns": 16, "rows": 8, "count": 2, "transposed": False, "packed": False, "store": False}


def payload(**change: int) -> Payload:
    return Payload(**{name: np.array([value], np.int64) for name, value in {**PAYLOAD, **change}.items()})


@pytest.mark.parametrize("change, message", [
    ({"base": (1 << 20) + 32}, "base address is no multiple of 64"),
    ({"width": 60}, "less than 64 bytes wide"),
    ({"width": 126}, "width is no multiple of 4"),
    ({"pitch": 112}, "pitch is less than the width"),
    ({"pitch": 264}, "pitch is no multiple of 16"),
    ({"x": 3}, "x is no multiple of 4 bytes"),
])  # fmt: skip
def test_surfaces_of_block_messages(change, message):
    check(payload(), Shape(**SHAPE))
    with pytest.raises(ViolationError, match=message):
        check(payload(**change), Shape(**SHAPE))


@pytest.mark.parametrize("change, message", [
    ({"columns": 5, "count": 1}, "row is no multiple of 4 bytes"),
    ({"count": 4}, "more than 64 bytes"),
    ({"rows": 33}, "more than 32 rows"),
    ({"store": True, "count": 1, "rows": 9}, "a store of more than 8 rows"),
    ({"store": True}, "or of several blocks"),
    ({"transposed": True, "count": 1}, "a transposed block of this shape"),
    ({"packed": True, "columns": 2, "count": 1}, "a packed block of this shape"),
])  # fmt: skip
def test_shapes_of_block_messages(change, message):
    with pytest.raises(ViolationError, match=message):
        check(payload(), Shape(**{**SHAPE, **change}))


@pytest.fixture
def compiler() -> None:
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)


def with_one(what: Executable, at: int, **fields: object) -> Executable:
    """A kernel with one instruction changed."""
    return changed(what, {at: replace(what.code.instructions[at], **fields)})  # type: ignore[arg-type]


def test_registers_that_a_block_has_not(compiler):
    block = next(b for b in BLOCKS if b.name == "read_32b_8r16x1")
    what = executable("blocks", 16, "pvc", block.name)
    at = next(i for i in positions(what, "send", "ugm") if "load_block2d" in what.code.instructions[i].comment)
    desc = what.code.instructions[at].desc
    args = [np.zeros((64, 128), np.uint32), *(np.int32(n) for n in (512, 64, 512, 0, 0)), np.zeros((block.values, 16), np.uint32)]
    run(what, args)
    with pytest.raises(ViolationError, match="the message moves 7 registers, its block has 8"):
        run(with_one(what, at, desc=desc - (1 << 20)), args)


def shuffled(what: Executable) -> None:
    run(what, [np.arange(64, dtype=np.int32), np.zeros(64, np.int32)], (2,), (32,))


def first_scaled(what: Executable, by: int = 2) -> tuple[int, Instruction]:
    """Where indices become addresses of 4 bytes each, or of 2 to another power."""
    found = ((i, what.code.instructions[i]) for i in positions(what, "shl"))
    return next((i, inst) for i, inst in found if inst.operands[2].file == "imm" and inst.operands[2].value == by)


def test_vectors_at_an_address_that_is_no_multiple(compiler):
    """Of 16 bytes each; single elements may lie at any byte."""
    what = executable("programs", 16, "pvc", "ids")
    out = [np.zeros((64, 4), np.int32)]
    run(what, out, (2,), (32,))
    at, inst = first_scaled(what, 4)
    dst, index, four = inst.operands
    with pytest.raises(ViolationError, match="an address is no multiple of 4 bytes"):
        run(with_one(what, at, operands=(dst, index, replace(four, value=1))), out, (2,), (32,))


def test_a_register_beyond_the_file(compiler):
    what = executable("programs", 16, "pvc", "shuffles")
    at, inst = first_scaled(what)
    dst, *sources = inst.operands
    with pytest.raises(UnsupportedError, match="register r130, of 128"):
        shuffled(with_one(what, at, operands=(replace(dst, reg=130), *sources)))


def test_shared_memory_beyond_what_the_workgroup_has(compiler):
    what = executable("programs", 16, "pvc", "local_sums")
    args = [np.arange(64, dtype=np.int32), np.zeros(2, np.int32)]
    run(what, [*args, Local(4 * 32)], (2,), (32,))
    with pytest.raises(ViolationError, match=r"byte \d+ of shared local memory, of which the workgroup has 64"):
        run(what, [*args, Local(4 * 16)], (2,), (32,))


def threads_of(target: str, scratch_size: int = 0) -> Threads:
    """Two threads at no instruction."""
    world = World(Memory(), np.zeros(2, int), np.zeros((1, 0), np.uint8), 0, {}, 0, scratch_size=scratch_size)
    return Threads(Layout(128, get_target(target).grf_bytes, target), world, np.arange(2))


def step_of(threads: Threads, line: str) -> Step:
    return Program(parse(f"/* [0000] */ {line}"), threads.layout).step(0)


def test_a_sum_with_a_carry_is_compared_with_zero():
    """As IGC asks on DG2 whether a number of 64 bits is positive."""
    threads = threads_of("dg2")
    threads.views["ud"][8] = [[0, 1, 2**31, 2**32 - 1, 2**32 - 1, 0, 5, 0]] * 2
    threads.views["ud"][9] = [[0, 0, 0, 0, 1, 7, 2**32 - 5, 0]] * 2
    line = "addc (8|M0)   (gt)f0.0   null<1>:ud    r8.0<1;1,0>:ud   r9.0<1;1,0>:ud   {AccWrEn}"
    step_of(threads, line)(threads)
    np.testing.assert_array_equal(threads.flag(0, 0, 8), [[False, True, True, True, False, True, False, False]] * 2)
    np.testing.assert_array_equal(threads.views["ud"][threads.layout.base["acc"]], [[0, 0, 0, 0, 1, 0, 1, 0]] * 2)


@pytest.mark.parametrize("line, message", [
    ("subb (8|M0)  r10.0<1>:d  r8.0<1;1,0>:d  r9.0<1;1,0>:d  {AccWrEn}", "subb of this type"),
    ("dpas.8x8 (8|M0) (gt)f0.0  r8:f  r8:f  r80:hf  r96.0:hf  {$1}", "dpas with a condition"),
    ("(f0.0) sel (8|M0) (ge)f0.0  r8.0<1>:d  r9.0<1;1,0>:d  r10.0<1;1,0>:d", "sel with a condition and a flag"),
    ("add (8|M0)  r8.0<1>:d  r9.0<1;1,0>:d  r10.0<1;1,0>:d  {Serialize}", "the option Serialize"),
    ("sync.host  null", "sync.host"),
])  # fmt: skip
def test_what_would_be_ignored_is_refused(line, message):
    with pytest.raises(UnsupportedError, match=message):
        step_of(threads_of("dg2"), line)


def test_scratch_memory_beyond_what_a_thread_has():
    """A load may end behind it, with what the next thread has there."""
    threads, place = threads_of("bmg", scratch_size=128), Scratch()
    last, behind = np.full((2, 1), 124), np.full((2, 1), 128)
    place.check(threads, last, None, 4, store=True)
    place.store(threads, last, np.full((2, 1), 7, np.uint32), None)
    place.check(threads, last, None, 8, store=False)
    np.testing.assert_array_equal(place.load(threads, np.hstack([last, behind]), None, 4), [[7, 0xCDCDCDCD]] * 2)
    for at, store in ((last, True), (behind, False)):
        with pytest.raises(ViolationError, match="of scratch memory, of which a thread has 128"):
            place.check(threads, at, None, 8, store=store)


ADD = "add (16|M0)  r{0}.0<1>:{2}  r{1}.0<1;1,0>:{2}  r{1}.0<1;1,0>:{2}  {{{3}}}"
LOAD = "(W) send.ugm (1|M0)  r{0}  r{1}  null:0  0x0  0x02800203  {{{2}}}"


def follow(*lines: str, target: str = "pvc", active: Mapping[int, int] | None = None) -> None:
    """Check the waits along these instructions, with the channels that are active from some of them on.  Raises ViolationError."""
    code = parse("\n".join(f"/* [{16 * i:04X}] */ {line}" for i, line in enumerate(lines)))
    layout = Layout(128, 64, target) if target == "pvc" else Layout(128, 32, target)
    scoreboard.check(layout, code.instructions, range(len(lines)), active=active)


LOG = "math.log (8|M0)  r8.0<1>:f  r8.0<1;1,0>:f  {$4}"


@pytest.mark.parametrize("reads, channels, waits", [
    ("r8.0<1;1,0>:f", 0x0F, False),  # those that went the other way
    ("r8.0<1;1,0>:f", 0x1F, True),
    ("r8.7<0;1,0>:f", 0x0F, True),  # all of them read what an other one writes
])  # fmt: skip
def test_channels_that_went_different_ways_need_not_wait(reads, channels, waits):
    lines = LOG, f"mov (8|M0)  r20.0<1>:f  {reads}"
    if not waits:
        follow(*lines, target="dg2", active={0: 0xF0, 1: channels})
        return
    with pytest.raises(ViolationError, match="r8 is read before it is written"):
        follow(*lines, target="dg2", active={0: 0xF0, 1: channels})


@pytest.mark.parametrize("before, after, wait, message", [
    (ADD.format(8, 9, "f", ""), (10, 8, "d"), "F@1", "r8 is read too early"),
    (ADD.format(8, 9, "f", ""), (8, 9, "d"), "F@1", "r8 is overwritten too early"),
    (LOAD.format(8, 1, "$3"), (40, 8, "f"), "$3.dst", "r8 is read before it is written"),
    (LOAD.format(8, 1, "$3"), (8, 60, "f"), "$3.dst", "r8 is overwritten before it is written"),
    (LOAD.format(8, 1, "$3"), (1, 60, "f"), "$3.src", "r1 is overwritten before it is read"),
])  # fmt: skip
def test_an_instruction_that_does_not_wait_for_a_register(before, after, wait, message):
    follow(before, ADD.format(*after, wait))
    with pytest.raises(ViolationError, match=message) as raised:
        follow(before, ADD.format(*after, ""))
    assert raised.value.inst is not None
    assert raised.value.other is not None
    assert (raised.value.inst.address, raised.value.other.address) == (16, 0)


@pytest.mark.parametrize("of", [56, 64])
def test_a_product_that_igc_throws_away_is_not_waited_for(of):
    """Its workaround for DG2 multiplies some registers by themselves, into the destination of the product that counts or not."""
    dpas = "dpas.8x8 (8|M0)  r56:f  {}:f  r{}:hf  r{}.0:hf  {{{}}}"
    product = dpas.format("r56", 72, 96, "$2")
    follow(dpas.format("null", of, of, "Atomic"), product)
    with pytest.raises(ViolationError, match="r56 is read by the next of a dpas macro"):
        follow(dpas.format("null", of, of + 8, "Atomic"), product)


@pytest.mark.parametrize(
    "into, message", [(96, "r96 is overwritten before it is read"), (8, "r8 is overwritten before it is written")]
)
def test_registers_of_each_product_of_a_macro_are_waited_for(into, message):
    """Those of the first one too, where the next takes the same operand."""
    dpas = "dpas.8x8 (16|M0)  r{0}:f  r{0}:f  r72:hf  r{1}.0:hf  {{{2}}}"
    first, second = dpas.format(8, 96, "Atomic"), dpas.format(40, 112, "$2")
    follow(first, second, ADD.format(into, 20, "f", "$2.dst"))
    with pytest.raises(ViolationError, match=message):
        follow(first, second, ADD.format(into, 20, "f", ""))


@pytest.mark.parametrize("first", [0, 1, 2, 3])
def test_words_of_shared_memory_lie_at_any_byte(first):
    """IGC joins two stores of half words to one of a word wherever they lie."""
    world = SimpleNamespace(races=None, slm=np.zeros((2, 64), np.uint8), group=np.array([1]), slm_size=64)
    threads = SimpleNamespace(world=world, number=np.array([0]), count=1)
    addresses, numbers = np.array([[first, first + 8]]), np.array([[0x04030201, 0x08070605]], np.uint32)
    shared = Shared(None)
    shared.store(threads, addresses, numbers, None)
    assert list(world.slm[1, first : first + 12]) == [1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8] and not world.slm[0].any()
    assert (shared.load(threads, addresses, None, 4) == numbers).all()
