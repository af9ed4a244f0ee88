"""Loops and branches, uniform and divergent, with stores, carried values and moving tiles."""

from __future__ import annotations

import numpy as np
import pytest
from build import Kernel, passed
from xetile.backends.reference.interpret import interpret

from xetile.dialects import arith, gpu, scf, vector, xetile
from xetile.dialects.types import I32, INDEX, VectorType
from xetile.errors import KernelAssertionError, Location
from xetile.ir.core import Block

ROW = VectorType((1, 4), I32)


def splat(k, value, type=ROW):
    return k.build(vector.Broadcast, k.build(arith.IndexCast, value, result=I32), result=type)


def branch(k, condition, then, otherwise=None, types=()):
    blocks = [Block(), Block()]
    op = k.build.op(scf.If, condition, regions=blocks, values=list(types))
    for block, body in zip(blocks, (then, otherwise)):
        if body is not None:
            with k.build.at(block):
                k.build(scf.Yield, tuple(body() or ()))
    return tuple(op.results)


def less(k, x, y):
    return k.build(arith.CmpI, x, y, predicate="slt")


def my_row(k, name="R"):
    return k.tile(name, (k.pid("y"), k.const(0)), (1, 4))


def run(k, rows, *arrays, **options):
    out = np.full((rows, 4), -1, np.int32)
    interpret(k.done(), (1, rows), passed(out, *arrays), **options)
    return out[:, 0].tolist()


def test_loops_whose_bounds_differ_between_programs():
    k = Kernel({"R": I32})
    zero, one, y = k.const(0), k.const(1), k.pid("y")
    (total,) = k.loop(zero, y, one, [k.const(100)], lambda i, s: [k.add(s, i)])
    k.build(xetile.StoreTile, splat(k, total), my_row(k))
    assert run(k, 6) == [100 + sum(range(i)) for i in range(6)]


def test_steps_that_differ_and_tiles_that_move():
    """Program y sums every (y + 1)th of 12 rows."""
    a = np.arange(48, dtype=np.int32).reshape(12, 4)
    k = Kernel({"R": I32, "A": I32})
    zero, y = k.const(0), k.pid("y")
    step = k.add(y, k.const(1))

    def body(i, tile, total):
        moved = k.build(xetile.UpdateTileOffset, tile, (step, zero))
        return [moved, k.build(arith.AddI, total, k.build(xetile.LoadTile, tile))]

    _, total = k.loop(zero, k.const(12), step, [k.tile("A", (zero, zero), (1, 4)), k.const(0, ROW)], body)
    k.build(xetile.StoreTile, total, my_row(k))
    assert run(k, 5, a) == [int(a[:: y + 1, 0].sum()) for y in range(5)]


def test_while_with_different_numbers_of_turns():
    """Collatz: how many steps from y + 1 to 1."""
    k = Kernel({"R": I32})
    one, two, three = k.const(1), k.const(2), k.const(3)
    before, after = Block([INDEX, INDEX]), Block([INDEX, INDEX])
    op = k.build.op(scf.While, (k.add(k.pid("y"), one), k.const(0)), regions=[before, after], values=[INDEX, INDEX])
    with k.build.at(before):
        k.build(scf.Condition, k.build(arith.CmpI, before.args[0], one, predicate="ne"), tuple(before.args))
    with k.build.at(after):
        n, steps = after.args
        even = k.build(arith.CmpI, k.build(arith.RemSI, n, two), k.const(0), predicate="eq")
        next_ = k.build(arith.Select, even, k.build(arith.DivSI, n, two), k.add(k.mul(n, three), one))
        k.build(scf.Yield, (next_, k.add(steps, one)))
    k.build(xetile.StoreTile, splat(k, op.results[1]), my_row(k))
    assert run(k, 9) == [0, 1, 7, 2, 5, 8, 16, 3, 19]


@pytest.mark.parametrize("programs", [1, 4])
def test_step_of_a_loop_counts_only_where_it_runs(programs):
    """Program y counts to 12 in steps of y; program 0 does not go in."""
    k = Kernel({"R": I32})
    zero, y = k.const(0), k.pid("y")

    def count():
        return k.loop(zero, k.const(12), y, [zero], lambda i, s: [k.add(s, k.const(1))])

    (value,) = branch(k, less(k, zero, y), count, lambda: [zero], [INDEX])
    k.build(xetile.StoreTile, splat(k, value), my_row(k))
    assert run(k, programs) == [0, 12, 6, 4][:programs]


@pytest.mark.parametrize("limit,expected", [(3, [10, 10, 10, 20, 20]), (0, [20] * 5), (9, [10] * 5)])
def test_branches_give_values_and_store_under_their_mask(limit, expected):
    k = Kernel({"R": I32})
    (value,) = branch(k, less(k, k.pid("y"), k.const(limit)), lambda: [k.const(10, ROW)], lambda: [k.const(20, ROW)], [ROW])
    k.build(xetile.StoreTile, value, my_row(k))
    assert run(k, 5) == expected
    k = Kernel({"R": I32})
    then, otherwise = (lambda v=v: k.build(xetile.StoreTile, k.const(v, ROW), my_row(k)) and None for v in (10, 20))
    branch(k, less(k, k.pid("y"), k.const(limit)), then, otherwise)
    assert run(k, 5) == expected


def test_nested_branches_and_loops_under_a_mask():
    """Program y > 1: for i < y: if i is odd store i to row y."""
    k = Kernel({"R": I32})
    one, two, y = k.const(1), k.const(2), k.pid("y")

    def store_if_odd(i):
        odd = k.build(arith.CmpI, k.build(arith.RemSI, i, two), one, predicate="eq")
        branch(k, odd, lambda: k.build(xetile.StoreTile, splat(k, i), my_row(k)) and None)
        return []

    branch(k, less(k, one, y), lambda: k.loop(k.const(0), y, one, [], store_if_odd) and None)
    assert run(k, 7) == [-1, -1, 1, 1, 3, 3, 5]


def test_an_early_return_leaves_memory_alone():
    a = np.arange(20, dtype=np.int32).reshape(5, 4)
    k = Kernel({"R": I32, "A": I32})
    y = k.pid("y")

    def work():
        k.build(xetile.StoreTile, k.build(xetile.LoadTile, my_row(k, "A")), my_row(k))

    branch(k, less(k, y, k.const(3)), work)
    assert run(k, 5, a) == [0, 4, 8, -1, -1]


def test_atomics_under_a_mask_count_the_active_only():
    count = np.zeros((1, 4), np.int32)
    k = Kernel({"R": I32, "C": I32})
    zero = k.const(0)

    def work():
        k.build(xetile.AtomicRmwTile, k.const(1, ROW), k.tile("C", (zero, zero), (1, 4)), kind="addi")

    branch(k, less(k, k.const(1), k.pid("y")), work)
    run(k, 7, count)
    assert count[0].tolist() == [5] * 4


def test_assertions_name_the_program_and_the_line():
    k = Kernel({"R": I32})
    with k.build.located(Location(__file__, 3)):
        k.build(gpu.Assert, less(k, k.pid("y"), k.const(4)), message="y is too large")
    with pytest.raises(KernelAssertionError) as error:
        run(k, 6)
    assert "y is too large" in str(error.value) and "y=4" in str(error.value) and error.value.at.line == 3


def test_printing_is_in_program_order(capsys):
    k = Kernel({"R": I32})
    y = k.pid("y")
    branch(k, less(k, k.const(1), y), lambda: k.build(gpu.Printf, (y, k.pid("x")), message="program %d, %d") and None)
    out = np.zeros((4, 4), np.int32)
    interpret(k.done(), (2, 4), passed(out))
    assert capsys.readouterr().out.splitlines() == [f"program {y}, {x}" for y in (2, 3) for x in (0, 1)]


def test_grid_dimensions_do_not_depend_on_chunks():
    out = np.zeros((6, 4), np.int32)
    k = Kernel({"R": I32})
    k.build(xetile.StoreTile, splat(k, k.build(gpu.GridDim, dimension="y")), my_row(k))
    interpret(k.done(), (1, 6), passed(out), budget_bytes=1)
    assert (out == 6).all()
