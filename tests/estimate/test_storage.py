"""What IGC keeps in registers that no op of a kernel's code keeps, and what ops make that takes none."""

from __future__ import annotations

import pytest

from tests.kernels.test_plain import CASES as PLAIN
from xetile.dialects import arith, gpu, scf, xegpu
from xetile.dialects.types import ScalarType
from xetile.estimate.storage import storage_of
from xetile.runtime import compiler
from xetile.target import get_target

pytestmark = [
    pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning"),
    pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.SpillWarning"),
]


def lowered(name, target):
    case = PLAIN[name]
    return compiler.lowered(case.kernel.compile(*case.types, target=target, **case.constants).request).kernel


def sizes(storage, value):
    return sum(atom.bytes for atom in dict.fromkeys(storage.atoms([value])))


def test_a_number_that_differs_between_lanes_takes_a_register_in_a_loop_too():
    kernel, target = lowered("gated MLP, bytes", "dg2"), get_target("dg2")
    storage = storage_of(kernel, target)
    carried = [
        (argument, start)
        for loop in kernel.find(scf.For)
        for argument, start in zip(loop.body.args[1:], loop.init, strict=True)
        if isinstance(argument.type, ScalarType)
    ]
    assert any(start in storage.varying for _, start in carried)
    for argument, start in carried:
        assert (sizes(storage, argument) == target.grf_bytes) == (start in storage.varying)


def test_places_in_shared_memory_are_kept_through_a_loop():
    """Each has a register of its own before the loop, and what it is computed of is not needed in it."""
    kernel, target = lowered("int4, rows by turns, 96 columns", "dg2"), get_target("dg2")
    storage = storage_of(kernel, target)
    loop, *_ = [loop for loop in kernel.find(scf.For) if any(isinstance(op, xegpu.Dpas) for op in loop.body.ops)]
    places = {(op.source, op.offsets) for op in loop.body.ops if isinstance(op, xegpu.Load) and op.source.type.space == 3}
    kept = [atom for atom in storage.carried[loop.body] if atom.made_by == "xegpu.load"]
    assert len(kept) == len(places) > 50
    assert all(atom.bytes == target.grf_bytes for atom in kept)


@pytest.mark.slow
def test_places_that_a_later_loop_takes_too_stay_until_it_begins():
    """Each loop has addresses of its own; what the later one's are made of lives through the first one."""
    kernel, target = lowered("attention, rotary", "dg2"), get_target("dg2")
    storage = storage_of(kernel, target)
    first, later = [loop for loop in kernel.find(scf.For) if any(isinstance(op, xegpu.Dpas) for op in loop.body.ops)]
    shared = [
        {op.offsets for op in loop.body.ops if isinstance(op, xegpu.Load) and op.source.type.space == 3}
        for loop in (first, later)
    ]
    both = {value for value in shared[0] & shared[1] if value in storage.varying}
    assert both
    for value in both:
        assert sizes(storage, value) == target.grf_bytes
        assert set(storage.atoms([value])) <= set(storage.needs[later])
    assert storage.carried[first.body].keys().isdisjoint(storage.atoms(both))
    places = {kind.body: {a for a in storage.carried[kind.body] if a.made_by == "xegpu.load"} for kind in (first, later)}
    assert len(places[later.body]) > 0 and places[first.body].isdisjoint(places[later.body])


def test_rows_that_one_lane_gives_to_all_are_read_where_they_lie():
    """Also by another type: whole numbers are compared as indices."""
    kernel, target = lowered("syrk", "pvc"), get_target("pvc")
    storage = storage_of(kernel, target, taken=True)
    given = [op.shuffled for op in kernel.find(gpu.Shuffle) if op.mode == "idx"]
    assert given
    assert all(sizes(storage, value) < target.grf_bytes for value in given)


def test_what_is_loaded_for_all_lanes_alike_is_one_number():
    kernel, target = lowered("attention, any length", "pvc"), get_target("pvc")
    storage = storage_of(kernel, target)
    alike = [op for op in kernel.find(xegpu.Load) if op.source.type.element.name == "i32"]
    assert alike
    assert not any(op.value in storage.varying for op in alike)


def test_what_is_rounded_before_it_is_chosen_lives_beside_what_was_compared():
    """LLVM moves roundings before choices with a constant: products take the choice late, until when each number has a register."""
    kernel, target = lowered("attention backward, keys, dropout", "pvc"), get_target("pvc")
    storage = storage_of(kernel, target)
    found = [op for op in kernel.find(arith.TruncF) if isinstance(op.operand.op, arith.Select)]
    assert found
    for op in found:
        comparison = op.operand.op.condition.op
        atoms = dict.fromkeys(storage.atoms([op.result]))
        assert set(storage.atoms(comparison.operands)) < set(atoms)
        own = [atom for atom in atoms if atom.made_by == op.opname]
        assert sum(atom.bytes for atom in own) == op.result.type.count * target.grf_bytes


def test_halves_fill_registers_until_they_are_stored():
    kernel, target = lowered("GEMM, added in a branch", "bmg"), get_target("bmg")
    storage = storage_of(kernel, target)
    stored = [op.value for op in kernel.find(xegpu.StoreNd)]
    assert all(sizes(storage, value) == value.type.count * target.grf_bytes for value in stored)


def test_states_that_a_loop_carries_on_and_others_take_lie_twice():
    """128 columns of four states for one subgroup: IGC reports 140 registers, and spilled 2 KB of 128."""
    case = PLAIN["selective scan, states as rows"]
    found = case.kernel.compile(*case.types, target="pvc")
    assert found.grf == 256
    assert abs(found.estimate.registers - 140) < 24
