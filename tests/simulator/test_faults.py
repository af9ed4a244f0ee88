"""Deliberate faults are caught: code without a wait, without a barrier, and accesses that leave what the arguments say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from xetile.backends.simulator.dispatch import Local
from xetile.backends.simulator.errors import DeadlockError, RaceError, SimulationError, ViolationError
from xetile.backends.simulator.execute import Executable, decode, execute
from xetile.backends.simulator.isa import Instruction

from tests import tools
from tests.simulator.faults import changed, dropped_barriers, nothing, positions
from tests.simulator.opencl.sources import BLOCKS, executable, run, spirv_of
from tests.tools import ocloc_compile

READ = next(b for b in BLOCKS if b.name == "read_32b_16r16x1")


@pytest.fixture(autouse=True)
def compiler() -> None:
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)


def sums(what: Executable, **options: bool) -> np.ndarray:
    out = np.zeros(2, np.int32)
    execute(what, (2,), [np.arange(256, dtype=np.int32), out, Local(4 * 128)], local_size=(128,), **options)
    return out


def test_a_dropped_barrier_is_a_race():
    np.testing.assert_array_equal(sums(executable("programs", 16, "pvc", "local_sums"), debug=True), [8128, 24512])
    for faulty in dropped_barriers(executable("programs", 16, "pvc", "local_sums")):
        with pytest.raises(RaceError, match=r"byte .* of shared local memory: subgroup") as raised:
            sums(faulty, debug=True)
        assert raised.value.inst is not None
        assert raised.value.other is not None


def test_a_dropped_barrier_gives_wrong_results_in_some_order():
    for faulty in dropped_barriers(executable("programs", 16, "pvc", "local_sums")):
        assert any((sums(faulty, seed=seed) != [8128, 24512]).any() for seed in range(8))


def test_a_barrier_that_some_threads_never_reach_is_a_deadlock():
    what = executable("programs", 16, "pvc", "local_sums")
    signal = next(i for i in positions(what, "send", "gtwy") if not what.code.instructions[i].ends_thread)
    with pytest.raises(DeadlockError, match="wait at a barrier"):
        sums(changed(what, {signal: nothing(what.code.instructions[signal])}))


PASSED_ON = """
__attribute__((intel_reqd_sub_group_size(16)))
kernel void passed_on(global const int *a, global int *b, global int *c, int all) {
  int i = get_local_id(0), n = get_local_size(0);
  b[i] = 3 * a[i];
  barrier(CLK_GLOBAL_MEM_FENCE);
  int x = b[(i + 16) % n];
  if (all) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    c[i] = x;
    b[i] = 7 * i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    c[i] += b[(i + 32) % n];
  } else
    c[i] = x;
}
"""


def test_threads_are_taken_apart_for_arrays_once_one_was_loaded_from_that_may_have_changed():
    """A barrier that keeps loads of an array in front of stores to it: without it they pass each other, in a launch that begins anew."""
    what = decode(ocloc_compile(spirv_of(PASSED_ON, 16), "pvc").read_bytes(), "pvc", "passed_on")
    a, number = np.arange(128, dtype=np.int32), np.arange(128)

    def results(what: Executable, seed: int) -> np.ndarray:
        b, c = np.zeros(128, np.int32), np.zeros(128, np.int32)
        execute(what, (1,), [a, b, c, np.int32(1).tobytes()], local_size=(128,), seed=seed, written=[False, True, True, False])
        return c

    expected = 3 * ((number + 16) % 128) + 7 * ((number + 32) % 128)
    for seed in range(4):
        np.testing.assert_array_equal(results(what, seed), expected)
    assert what.reads_results
    for faulty in dropped_barriers(what):
        assert any((results(faulty, seed) != expected).any() for seed in range(8))


def waits(inst: Instruction) -> list[str]:
    return [item for item in inst.swsb if "." in item or "@" in item]


def test_each_dropped_wait_for_a_token_is_found():
    what = executable("products", 16, "pvc", "mad_f16_f16_8")
    args = [np.zeros(16 * 8, np.float16), np.zeros(16 * 16, np.float16), *(np.zeros((16, 8), np.float32) for _ in range(2))]
    run(what, args)
    needed = [
        i
        for i, inst in enumerate(what.code.instructions)
        if any(item.endswith(".dst") for item in inst.swsb)
        and inst.opcode in ("dpas", "mov", "add")
        and inst.operands[0].file == "r"
    ]
    assert needed
    for i in needed:
        inst = what.code.instructions[i]
        faulty = changed(what, {i: replace(inst, swsb=tuple(item for item in inst.swsb if item not in waits(inst)))})
        with pytest.raises(ViolationError, match="does not wait for another"):
            run(faulty, args)


def read_block(width: int = 64, height: int = 40, pitch: int = 512, rows: int = 40, y: int = 0, x: int = 0) -> None:
    values = np.zeros((READ.values, 16), np.uint32)
    sizes = [np.int32(n) for n in (width, height, pitch, x, y)]
    run(executable("blocks", 16, "pvc", READ.name), [np.zeros((rows, 128), np.uint32), *sizes, values])


@pytest.mark.parametrize("fault, message", [
    ({"pitch": 514}, "the pitch is no multiple of 16 bytes"),
    ({"pitch": 48, "width": 64}, "the pitch is less than the width"),
    ({"width": 48}, "less than 64 bytes wide"),
    ({"height": 41, "y": 30}, "addresses lie in no buffer: the first is byte 20480 of argument 0"),
])  # fmt: skip
def test_payloads_that_the_hardware_does_not_take(fault, message):
    read_block()
    with pytest.raises(ViolationError, match=message):
        read_block(**fault)


def test_a_store_into_what_the_kernel_only_reads():
    what = executable("programs", 16, "pvc", "shuffles")
    a, out = np.zeros(64, np.int32), np.zeros(64, np.int32)
    with pytest.raises(ViolationError, match=r"a store into argument 1 .* which the kernel does not declare as written"):
        execute(what, (2,), [a, out], local_size=(32,), written=[False, False])


def test_a_register_that_nothing_wrote():
    what = executable("programs", 16, "pvc", "shuffles")
    loads = [i for i in positions(what, "send", "ugm") if "load.ugm.d32.a64" in what.code.instructions[i].comment]
    faulty = changed(what, {loads[0]: nothing(what.code.instructions[loads[0]])})
    a, out = np.zeros(64, np.int32), np.zeros(64, np.int32)
    with pytest.raises(SimulationError, match="a register is read that nothing has written"):
        execute(faulty, (2,), [a, out], local_size=(32,), debug=True)
