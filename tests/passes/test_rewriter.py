"""Where new ops go."""

from xetile.dialects import arith
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I32
from xetile.ir.builder import Builder, create
from xetile.ir.core import Block
from xetile.ir.rewriter import Rewriter


def test_ops_go_before_their_anchor_in_order_whatever_becomes_of_the_block():
    """Where the last one went is where the next one goes only while the anchor stands there."""
    body, other = Block(), Block()
    create(GpuModule, regions=[body])
    create(GpuModule, regions=[other])
    first, anchor = (Builder(body).op(arith.Constant, value=n, result=I32) for n in (0, 9))
    elsewhere = [Builder(other).op(arith.Constant, value=n, result=I32) for n in (20, 21, 22)]
    rewrite = Rewriter()

    def put(value):
        return rewrite.op(arith.Constant, value=value, result=I32)

    with rewrite.before(anchor):
        put(1)
        last = put(2)
        with rewrite.before(elsewhere[2]):
            put(23)
        rewrite.erase(first)
        put(3)
        rewrite.move_before(anchor, last)
        put(4)
    assert [op.value for op in body.ops] == [1, 4, 9, 2, 3]
    assert [op.value for op in other.ops] == [20, 21, 23, 22]
