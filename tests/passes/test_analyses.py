"""What is kept of analyses and of types: as long as it holds, and no longer."""

import copy
import pickle

from xetile.dialects import arith, scf
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import F32, I32, VectorType
from xetile.ir import analyses
from xetile.ir.builder import Builder, create
from xetile.ir.core import Block
from xetile.ir.rewriter import Rewriter
from xetile.ir.variables import variables
from xetile.passes.common.carry import carry, give


class Count:
    """How many ops there are."""

    any_order = True

    def __init__(self, root):
        self.ops = len(list(root.walk()))


class First:
    """The first op of the block."""

    def __init__(self, root):
        self.op = root.regions[0].ops[0]


def test_what_holds_in_any_order_stays_while_ops_change_places():
    holder = create(GpuModule, regions=[Block()])
    build = Builder(holder.regions[0])
    one, two = (build(arith.Constant, value=n, result=I32) for n in (1, 2))
    count, first = analyses.get(Count, holder), analyses.get(First, holder)
    Rewriter().set_block(holder.regions[0], [two.op, one.op])
    assert analyses.get(Count, holder) is count
    assert analyses.get(First, holder) is not first
    assert analyses.get(First, holder).op is two.op
    Rewriter().set_block(holder.regions[0], [two.op])
    assert analyses.get(Count, holder).ops == 2


def test_what_is_kept_of_a_kind_is_known_while_it_holds():
    holder = create(GpuModule, regions=[Block()])
    build = Builder(holder.regions[0])
    assert analyses.known(Count, holder) == []
    one, two = (build(arith.Constant, value=n, result=I32) for n in (1, 2))
    count, first = analyses.get(Count, holder), analyses.get(First, holder)
    assert (analyses.known(Count, holder), analyses.known(First, holder)) == ([count], [first])
    Rewriter().set_block(holder.regions[0], [two.op, one.op])
    assert (analyses.known(Count, holder), analyses.known(First, holder)) == ([count], [])
    Rewriter().set_block(holder.regions[0], [two.op])
    assert analyses.known(Count, holder) == []


def test_of_what_is_finished_all_stays_whatever_else_changes():
    holder, other = (create(GpuModule, regions=[Block()]) for _ in range(2))
    one = Builder(holder.regions[0])(arith.Constant, value=1, result=I32)
    stale = analyses.get(Count, holder)
    Builder(holder.regions[0])(arith.Constant, value=2, result=I32)
    first = analyses.get(First, holder)
    analyses.keep(holder)
    Builder(other.regions[0])(arith.Constant, value=1, result=I32)
    count = analyses.get(Count, holder)
    assert (stale.ops, count.ops) == (2, 3)
    Builder(other.regions[0])(arith.Constant, value=2, result=I32)
    assert analyses.get(First, holder) is first and first.op is one.op
    assert analyses.get(Count, holder) is count
    assert analyses.known(Count, holder) == [count]


def test_what_a_loop_carries_is_found_again_once_it_carries_more():
    holder = create(GpuModule, regions=[Block()])
    build = Builder(holder.regions[0])
    zero, one = (build(arith.Constant, value=n, result=I32) for n in (0, 1))
    body = Block([I32])
    Builder(body).op(scf.Yield, [])
    loop = build.op(scf.For, zero, one, one, [], regions=[body], values=[])
    assert variables(holder).all == ()
    carried = carry(loop, zero, "n")
    give(loop, carried)
    (variable,) = variables(holder).all
    assert variable.holders == (carried, loop.results[0])
    assert variables(holder).holding[carried] is variable is variables(holder).given[loop, 3]
    Rewriter().remove_variables([variable])
    assert variables(holder).all == ()


def test_there_is_one_object_of_each_vector_type():
    kind = VectorType((4, 8), F32)
    assert VectorType(shape=(4, 8), element=F32) is kind
    assert pickle.loads(pickle.dumps(kind)) is kind
    assert copy.deepcopy(kind) is kind
    assert kind.with_shape(8, 4) != kind
