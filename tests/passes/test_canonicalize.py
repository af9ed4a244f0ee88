"""Folding, common ops, loop counters, code motion and dead code, on modules built by hand."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret

from tests.passes.hand_built import cleaned, keep, kernel, names, printed
from tests.reference.build import passed
from xetile.dialects import arith, gpu, scf, vector, xegpu, xetile
from xetile.dialects.types import F32, I1, I32, INDEX, VectorType
from xetile.ir.core import Block
from xetile.ir.printer import print_op
from xetile.passes.cleanup.simplify import _exact


@pytest.mark.parametrize(
    "kind,constant,left",
    [(arith.AddI, 0, True), (arith.SubI, 0, True), (arith.MulI, 1, True), (arith.DivUI, 1, True), (arith.MulI, 0, False),
     (arith.RemUI, 1, False), (arith.AndI, 0, False), (arith.AndI, -1, True), (arith.OrI, 0, True), (arith.ShLI, 0, True)],
)  # fmt: skip
def test_identities(kind, constant, left):
    k = kernel(I32)
    keep(k, k.build(kind, k.scalars[0], k.const(constant, I32)))
    result = printed(cleaned(k))
    assert result is k.scalars[0] if left else arith.constant_of(result) == 0


def test_division_by_zero_stays():
    k = kernel()
    keep(k, k.build(arith.DivSI, k.const(1, I32), k.const(0, I32)))
    assert "arith.divsi" in names(cleaned(k))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("number", [0.0, -0.0, 1.0, 2.0])
@pytest.mark.parametrize("kind", [arith.AddF, arith.SubF, arith.MulF, arith.DivF], ids=lambda x: x.opname)
def test_floats_are_left_alone_but_where_they_stay_as_they_are(kind, number, first):
    k = kernel(F32)
    operands = [k.scalars[0], k.const(number, F32)]
    op = k.build(kind, *(operands if first else operands[::-1]))
    keep(k, op)
    numbers = np.array([-0.0, 0.0, 1.5, -3e38, 1e-44, np.inf, np.nan], np.float32)
    calculate = {arith.AddF: np.add, arith.SubF: np.subtract, arith.MulF: np.multiply, arith.DivF: np.divide}[kind]
    with np.errstate(all="ignore"):
        results = calculate(*((numbers, np.float32(number)) if first else (np.float32(number), numbers)))
    stays = np.array_equal(results, numbers, equal_nan=True) and np.array_equal(
        np.signbit(results[:-1]), np.signbit(numbers[:-1])
    )
    assert (printed(cleaned(k)) is k.scalars[0]) == stays


@pytest.mark.parametrize(("value", "element"), [((1, 2, 3), 3), (7, 7)])
def test_elements_of_constants_are_constants(value, element):
    k = kernel()
    keep(k, k.build(vector.Extract, k.const(value, VectorType((3,), I32)), position=(2,)))
    assert arith.constant_of(printed(cleaned(k))) == element


@pytest.mark.parametrize(("masks", "zero"), [((False, False), True), ((True, False), False)])
def test_loads_that_no_lane_carries_out_are_zeros(masks, zero):
    k = kernel()
    array = k.build(gpu.ReinterpretCast, k.args["A"], k.const(64))
    places, mask = k.const((0, 1), VectorType((2,), INDEX)), k.const(masks, VectorType((2,), I1))
    loaded = k.build(xegpu.Load, array, places, mask, value=VectorType((2,), F32))
    keep(k, k.build(vector.Extract, loaded, position=(0,)))
    assert ("xegpu.load" not in names(cleaned(k))) == zero


def test_zero_and_minus_zero_are_two_constants():
    k = kernel(I1)
    keep(k, k.build(arith.Select, k.scalars[0], k.const(0.0, F32), k.const(-0.0, F32)))
    assert names(cleaned(k)).count("arith.constant") == 2


def test_constants_with_layouts_keep_their_zeros_too():
    k = kernel(I1)
    zeros = [k.build(arith.Constant, value=zero, result=F32, layout_result_0="any") for zero in (0.0, -0.0)]
    keep(k, k.build(arith.Select, k.scalars[0], *zeros))
    assert names(cleaned(k)).count("arith.constant") == 2


def test_sums_with_constants_become_one():
    k = kernel(INDEX)
    x = k.add(k.add(k.const(3), k.scalars[0]), k.const(4))
    keep(k, x)
    module = cleaned(k)
    assert names(module) == ["arith.constant", "arith.addi", "gpu.printf"] and "%c7" in print_op(module)


def test_equal_ops_are_one_also_across_branches():
    k = kernel(INDEX, I1)
    x, condition = k.scalars
    keep(k, k.mul(x, x))
    then = Block()
    with k.build.at(then):
        keep(k, k.mul(x, x))
        k.build(scf.Yield)
    k.build.op(scf.If, condition, regions=[then, Block()], values=[])
    assert names(cleaned(k)).count("arith.muli") == 1


def test_tiles_are_kept_apart():
    k = kernel()
    zero = k.const(0)
    for _ in range(2):
        k.build(xetile.PrefetchTile, k.tile("A", (zero, zero), (8, 16)))
    assert names(cleaned(k)).count("xetile.init_tile") == 2


def test_offsets_that_grow_with_the_loop_follow_from_its_counter():
    k = kernel(INDEX, INDEX)
    n, start = k.scalars

    def body(i, same, twice, run_time):
        k.build(xetile.PrefetchTile, k.tile("A", (same, twice), (8, 16)))
        keep(k, run_time)
        return [k.add(same, k.const(32)), k.add(k.const(64), twice), k.add(run_time, start)]

    k.loop(k.const(0), n, k.const(32), [start, k.const(5), k.const(0)], body)
    module = cleaned(k)
    (loop,) = [op for op in module.walk() if isinstance(op, scf.For)]
    assert len(loop.init) == 1  # its step is not the loop's
    (tile,) = [op for op in module.walk() if isinstance(op, xetile.InitTile)]
    assert [v.op.opname for v in tile.offsets] == ["arith.addi", "arith.addi"]
    assert loop.body.args[0] in tile.offsets[0].op.operands


@pytest.mark.parametrize("upper", [-(1 << 31), -33, 0, 1, 32, 33, 96])
def test_what_a_loop_ends_with_follows_from_its_end(upper, capsys):
    """By one, two and minus one steps; what grows by no whole number of them is carried on."""
    lines, by = [], (32, 64, -32)
    for clean in (False, True):
        k = kernel(INDEX, INDEX)
        n, start = k.scalars
        init = [start, start, k.const(7), start]
        ends = k.loop(
            k.const(0), n, k.const(32), init, lambda i, *args, k=k: [k.add(v, k.const(c)) for v, c in zip(args, (*by, 5))]
        )
        for end in ends:
            keep(k, end)
        module = cleaned(k) if clean else k.done()
        interpret(module, (1,), [*passed(np.zeros((1, 1), np.float32)), upper, 1000])
        lines.append(capsys.readouterr().out)
    assert lines[0] == lines[1]
    (loop,) = [op for op in module.walk() if isinstance(op, scf.For)]
    assert len(loop.init) == 1


@pytest.mark.parametrize("lower,step", [(8, 32), (-(1 << 31), 1 << 30), (None, 32), (0, None)])
def test_of_other_loops_the_ends_are_carried(lower, step):
    """From where the difference to the end may not fit, and by steps that are no number: a division each time."""
    k = kernel(INDEX, INDEX)
    n, number = k.scalars
    lower, step = (number if v is None else k.const(v) for v in (lower, step))
    (end,) = k.loop(lower, n, step, [k.const(0)], lambda i, v: [k.add(v, step)])
    keep(k, end)
    module = cleaned(k)
    assert printed(module).op.opname == "scf.for"


def test_the_rest_of_a_loop_begins_where_its_counter_does(capsys):
    """What two loops in turn carry, and the second counts from where the first ends, is the counter."""
    lines = []
    for clean in (False, True):
        k = kernel(INDEX, INDEX)
        n, m = k.scalars
        zero, step = k.const(0), k.const(32)
        (there,) = k.loop(zero, m, step, [zero], lambda i, v, k=k, step=step: [k.add(v, step)])
        begin = k.mul(k.build(arith.CeilDivSI, k.build(arith.MaxSI, m, zero), step), step)

        def body(i, v, k=k, step=step):
            keep(k, v)
            return [k.add(v, step)]

        k.loop(begin, n, step, [there], body)
        module = cleaned(k) if clean else k.done()
        interpret(module, (1,), [*passed(np.zeros((1, 1), np.float32)), 130, 70])
        lines.append(capsys.readouterr().out)
    assert lines[0] == lines[1] == "96\n128\n"
    (loop,) = [op for op in module.walk() if isinstance(op, scf.For)]
    assert not loop.init and printed(module) is loop.body.args[0]


def test_what_follows_from_alternating_values_is_carried(capsys):
    """c - v and its multiples and sums: one subtraction for each in a step; constants are added where they are used."""
    lines = []
    for clean in (False, True):
        k = kernel(INDEX)
        (start,) = k.scalars

        def body(i, v, k=k, start=start):
            scaled = k.add(k.mul(v, k.const(16)), start)
            for n in (0, 512):
                keep(k, k.add(scaled, k.const(n)))
            return [k.build(arith.SubI, k.const(1), v)]

        k.loop(k.const(0), k.const(5), k.const(1), [k.const(0)], body)
        module = cleaned(k) if clean else k.done()
        interpret(module, (1,), [*passed(np.zeros((1, 1), np.float32)), 1000])
        lines.append(capsys.readouterr().out)
    assert lines[0] == lines[1] and lines[0].split()[:4] == ["1000", "1512", "1016", "1528"]
    (loop,) = [op for op in module.walk() if isinstance(op, scf.For)]
    assert len(loop.init) == 1
    assert [op.opname for op in loop.body.ops if op.opname.startswith("arith")] == ["arith.addi", "arith.subi"]


def test_sums_that_change_in_the_loop_are_not_carried():
    k = kernel(INDEX)

    def body(i, v):
        keep(k, k.add(v, i))
        return [k.build(arith.SubI, k.const(7), v)]

    k.loop(k.const(0), k.const(5), k.const(1), [k.scalars[0]], body)
    module = cleaned(k)
    (loop,) = [op for op in module.walk() if isinstance(op, scf.For)]
    assert len(loop.init) == 1 and printed(module).op.operands[0] is loop.body.args[1]


def test_values_that_never_change_are_not_carried():
    k = kernel(INDEX)
    (result, _) = k.loop(
        k.const(0), k.scalars[0], k.const(1), [k.scalars[0], k.const(0)], lambda i, x, y: [x, k.add(y, k.mul(x, x))]
    )
    keep(k, result)
    assert names(cleaned(k)) == ["gpu.printf"]


def test_what_a_loop_does_not_change_stands_before_it():
    k = kernel(INDEX)
    n = k.scalars[0]

    def body(i):
        def inner(j):
            keep(k, k.add(k.mul(n, n), i))
            return []

        k.loop(k.const(0), n, k.const(1), [], inner)
        return []

    k.loop(k.const(0), n, k.const(1), [], body)
    head = ["arith.constant", "arith.constant", "arith.muli"]
    assert names(cleaned(k)) == [*head, "scf.for", "arith.addi", "scf.for", "gpu.printf", "scf.yield", "scf.yield"]


def test_vectors_stay_in_loops():
    k = kernel(INDEX, F32)
    n, x = k.scalars

    def body(i, acc):
        return [k.build(arith.AddF, acc, k.build(vector.Broadcast, x, result=VectorType((8, 16), F32)))]

    (total,) = k.loop(k.const(0), n, k.const(1), [k.const(0.0, VectorType((8, 16), F32))], body)
    k.build(xetile.StoreTile, total, k.tile("A", (k.const(0), k.const(0)), (8, 16)))
    found = names(cleaned(k))
    assert found.index("vector.broadcast") > found.index("scf.for")


@pytest.mark.parametrize("trips", [0, 1])
def test_loops_that_run_once_or_never_dissolve(trips):
    k = kernel(INDEX)
    (result,) = k.loop(k.const(4), k.const(4 + trips), k.const(8), [k.scalars[0]], lambda i, x: [k.add(x, i)])
    keep(k, result)
    found = names(cleaned(k))
    assert found == (["arith.constant", "arith.addi", "gpu.printf"] if trips else ["gpu.printf"])


@pytest.mark.parametrize("taken", [True, False])
def test_branches_that_are_known_dissolve(taken):
    k = kernel(INDEX)
    x = k.scalars[0]
    blocks = [Block(), Block()]
    for block, factor in zip(blocks, (2, 3)):
        with k.build.at(block):
            k.build(scf.Yield, [k.mul(x, k.const(factor))])
    branch = k.build.op(scf.If, k.const(taken, I1), regions=blocks, values=[INDEX])
    keep(k, branch.results[0])
    value = printed(cleaned(k))
    assert arith.constant_of(value.op.operands[1]) == (2 if taken else 3)


def test_loads_that_nobody_reads_and_loops_without_effect_are_gone():
    k = kernel(INDEX)
    zero = k.const(0)

    def body(i, acc):
        return [k.build(arith.AddF, acc, k.build(xetile.LoadTile, k.tile("A", (zero, i), (8, 16))))]

    k.loop(zero, k.scalars[0], k.const(16), [k.const(0.0, VectorType((8, 16), F32))], body)
    assert names(cleaned(k)) == []


def test_constants_are_put_together_and_taken_apart():
    k = kernel()
    kind = VectorType((4,), I32)
    made = k.const(7, kind)
    for at in (1, 3):
        made = k.build(vector.Insert, k.const(at, I32), made, position=(at,))
    part = k.build(vector.ExtractStridedSlice, made, offsets=(1,), sizes=(2,), strides=(1,))
    for value in (made, part):
        keep(k, value)
    assert [arith.constant_of(op.operands[0]) for op in cleaned(k).walk() if isinstance(op, gpu.Printf)] == [(7, 1, 7, 3), (1, 7)]


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ([(0, 0), (4, 4)], True),
        ([(0, 4), (4, 4), (0, 0)], True),
        ([(4, 4), (0, 4), (0, 0)], False),
        ([(0, 4), (4, 0)], False),
        ([(0, 0)], False),
        ([(0, 0), (4, 4), (2, 0)], False),
    ],
)
def test_parts_that_are_put_together_where_they_were_are_the_whole(parts, whole):
    """Of a transposed load of 16 rows one product takes blocks of 8, another one all of them (linear attention, heads of 80 columns)."""
    k = kernel()
    array, kind = k.build(gpu.ReinterpretCast, k.args["A"], k.const(64)), VectorType((8,), F32)
    loaded = k.build(
        xegpu.Load, array, k.const(tuple(range(8)), VectorType((8,), INDEX)), k.const(True, VectorType((8,), I1)), value=kind
    )
    made = k.const(0.0, kind)
    for at, to in parts:
        part = k.build(vector.ExtractStridedSlice, loaded, offsets=(at,), sizes=(4,), strides=(1,))
        made = k.build(vector.InsertStridedSlice, part, made, offsets=(to,), strides=(1,))
    keep(k, made)
    assert ("vector.insert_strided_slice" not in names(cleaned(k))) == whole


def test_while_loops_lose_what_nobody_reads():
    k = kernel(INDEX)
    n = k.scalars[0]
    before, after = Block([INDEX, INDEX]), Block([INDEX, INDEX])
    with k.build.at(before):
        i, j = before.args
        k.build(scf.Condition, k.build(arith.CmpI, i, n, predicate="slt"), [i, j])
    with k.build.at(after):
        i, j = after.args
        k.build(scf.Yield, [k.add(i, k.const(1)), k.add(j, i)])
    loop = k.build.op(scf.While, [k.const(0), k.const(0)], regions=[before, after], values=[INDEX, INDEX])
    keep(k, loop.results[0])
    module = cleaned(k)
    (loop,) = [op for op in module.walk() if isinstance(op, scf.While)]
    assert len(loop.init) == len(loop.results) == len(loop.after.args) == 1


def test_what_stands_for_an_attribute_is_equal_for_the_same_bits_alone():
    values = [0.0, -0.0, 0, False, 1.0, 1, True, "1", (), (1, 2), (1, 2.0), (1, True), (True, 1), ((1,),), (1,), (-0.0,), (0.0,)]
    assert len({_exact(value) for value in values}) == len(values)
    assert _exact(float("nan")) == _exact(float("nan"))
