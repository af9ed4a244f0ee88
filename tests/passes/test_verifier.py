"""Rules of conversions, as upstream's verifier has them; and which modules are verified again."""

import pytest

from tests.passes.test_manager import PVC, module
from xetile.dialects import arith
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import SCALARS, VectorType
from xetile.errors import InternalError, VerifyError
from xetile.ir.builder import Builder, create
from xetile.ir.core import Block
from xetile.ir.rewriter import Rewriter
from xetile.ir.verifier import verify
from xetile.passes import instruments, manager

REFUSED = [
    (arith.ExtF, "f32", "f16", "wider"),
    (arith.ExtF, "f32", "tf32", "wider"),
    (arith.ExtF, "tf32", "bf16", "wider"),
    (arith.ExtF, "f16", "bf16", "wider"),
    (arith.TruncF, "f16", "f32", "narrower"),
    (arith.TruncF, "f16", "tf32", "narrower"),
    (arith.TruncF, "f32", "i16", "float to float"),
    (arith.ExtSI, "i32", "i32", "wider"),
    (arith.ExtUI, "i32", "i8", "wider"),
    (arith.ExtSI, "i32", "index", "int to int"),
    (arith.TruncI, "i8", "i32", "narrower"),
    (arith.SIToFP, "f32", "f32", "int to float"),
    (arith.UIToFP, "index", "f32", "int to float"),
    (arith.FPToSI, "i32", "i32", "float to int"),
    (arith.IndexCast, "f32", "index", "int or index"),
    (arith.Bitcast, "i16", "f32", "as many bits"),
]
TAKEN = [
    (arith.ExtF, "f16", "tf32"),
    (arith.ExtF, "tf32", "f32"),
    (arith.ExtF, "f8E5M2", "bf16"),
    (arith.TruncF, "f32", "tf32"),
    (arith.TruncF, "tf32", "f16"),
    (arith.ExtSI, "i1", "i8"),
    (arith.TruncI, "i64", "i1"),
    (arith.UIToFP, "i8", "bf16"),
    (arith.FPToUI, "f64", "i8"),
    (arith.IndexCast, "index", "i32"),
    (arith.Bitcast, "i32", "f32"),
]


def conversion(kind, source, target):
    holder = create(GpuModule, sym_name="m", regions=[Block()])
    build = Builder(holder.regions[0])
    one, other = (VectorType((2, 4), SCALARS[name]) for name in (source, target))
    build(kind, build(arith.Constant, value=1.0 if SCALARS[source].is_float else 1, result=one), result=other)
    return holder


@pytest.mark.parametrize("kind, source, target, why", REFUSED, ids=str)
def test_conversions_that_are_none(kind, source, target, why):
    with pytest.raises(VerifyError, match=why):
        verify(conversion(kind, source, target))


@pytest.mark.parametrize("kind, source, target", TAKEN, ids=str)
def test_conversions(kind, source, target):
    verify(conversion(kind, source, target))


def forget(value, op, stranger):
    del value.users[op]


def count_twice(value, op, stranger):
    value.users[op] = 3


def keep_a_stranger(value, op, stranger):
    value.users[stranger] = 1


def trade(value, op, stranger):
    """As many uses in all, of which one is another op's."""
    value.users[op] = 1
    value.users[stranger] = 1


@pytest.mark.parametrize("wrong", [forget, count_twice, keep_a_stranger, trade])
def test_lists_of_uses_that_are_wrong(wrong):
    holder = create(GpuModule, sym_name="m", regions=[Block()])
    build = Builder(holder.regions[0])
    value = build(arith.Constant, value=1, result=SCALARS["i32"])
    op, stranger = build(arith.AddI, value, value).op, create(arith.AddI, value, value)
    stranger.drop_operands()
    verify(holder)
    wrong(value, op, stranger)
    with pytest.raises(VerifyError, match="wrong list of uses"):
        verify(holder)


def nothing(module, target):
    return module


def a_mark_with_a_value(module, target):
    module.kernel.attributes["crowded"] = 5
    return module


def goes_first(module, target):
    block = module.kernel.body
    Rewriter().set_block(block, block.ops)
    return module


def test_a_module_is_verified_again_where_a_pass_has_changed_it(monkeypatch):
    seen = []
    monkeypatch.setattr(instruments, "verify", lambda module: seen.append(module))
    watching, given = instruments.Verify(), module()
    with manager.watched(watching):
        manager.run([nothing, nothing, goes_first, nothing, nothing], given, PVC)
    assert seen == [given] * 3, "the first time, after the change, and behind the last pass"


def test_attributes_that_a_pass_has_written_are_its_own_mistake():
    with (
        manager.watched(instruments.Verify()),
        pytest.raises(InternalError, match="in the pass a_mark_with_a_value, which left an invalid module"),
    ):
        manager.run([nothing, a_mark_with_a_value, nothing], module(), PVC)


def promising(kind, value):
    holder = create(GpuModule, sym_name="m", regions=[Block()])
    build = Builder(holder.regions[0])
    one = build(arith.Constant, value=1.0, result=SCALARS["f32"])
    build(kind, one, one, **{arith.APPROXIMATE: value})
    return holder


@pytest.mark.parametrize("kind, value", [(arith.MulF, True), (arith.DivF, False)])
def test_promises_are_true_and_of_ops_that_can_keep_them(kind, value):
    verify(promising(arith.DivF, True))
    with pytest.raises(VerifyError, match="cannot be xetile"):
        verify(promising(kind, value))
