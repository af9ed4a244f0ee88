"""Folding of constants: what is computed when compiling is what the interpreter computes."""

from __future__ import annotations

import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret

import xetile as xt
from tests.ops.run import Launch
from tests.passes.hand_built import cleaned, keep, kernel, names, printed
from tests.reference.build import passed
from xetile.dialects import arith, math
from xetile.dialects.types import BF16, F8E4M3FN, F8E5M2, F16, F32, F64, I1, I8, I16, I32, I64, INDEX

INTS = [(arith.AddI, 7, -9), (arith.SubI, 3, 10), (arith.MulI, 100, 100), (arith.DivSI, -7, 2), (arith.RemSI, -7, 2),
        (arith.FloorDivSI, -7, 2), (arith.CeilDivSI, 7, 2), (arith.DivUI, -8, 3), (arith.RemUI, -8, 3), (arith.MinSI, -1, 1),
        (arith.MinUI, -1, 1), (arith.MaxUI, -1, 1), (arith.ShLI, 65, 2), (arith.ShRSI, -65, 2), (arith.ShRUI, -65, 2),
        (arith.AndI, 12, -7), (arith.OrI, 12, 3), (arith.XOrI, -1, 5)]  # fmt: skip


@pytest.mark.parametrize("kind,a,b", INTS, ids=lambda x: getattr(x, "opname", x))
@pytest.mark.parametrize("type", [I8, I32, INDEX], ids=str)
def test_integers_fold_to_what_the_interpreter_computes(kind, a, b, type, capsys):
    lines = []
    for clean in (False, True):
        k = kernel()
        if type is I8 and not -128 <= a <= 127:
            pytest.skip("no such number")
        keep(k, k.build(kind, k.const(a, type), k.const(b, type)))
        module = cleaned(k) if clean else k.done()
        interpret(module, (1,), passed(np.zeros((1, 1), np.float32)))
        lines.append(capsys.readouterr().out)
        # An index has 32 or 64 bits: what depends on that is not folded.
        assert not clean or type is INDEX or names(module) == ["arith.constant", "gpu.printf"]
    assert lines[0] == lines[1]


@pytest.mark.parametrize("predicate", arith.CMPI)
@pytest.mark.parametrize("a,b", [(1, 2), (2, 1), (-1, 1), (3, 3)])
def test_comparisons_fold(predicate, a, b):
    k = kernel()
    keep(k, k.build(arith.CmpI, k.const(a, I32), k.const(b, I32), predicate=predicate))
    view = (lambda x: x & 0xFFFFFFFF) if predicate.startswith("u") else (lambda x: x)
    relation = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}[predicate[-2:]]
    assert arith.constant_of(printed(cleaned(k))) == eval(f"{view(a)} {relation} {view(b)}")


@pytest.mark.every(2)
@pytest.mark.parametrize("predicate", arith.CMPF)
@pytest.mark.parametrize("a,b", [(1.0, 2.0), (2.0, 1.0), (0.0, -0.0), (16777217.0, 16777216.0), (np.nan, 1.0), (np.inf, np.nan)])
def test_comparisons_of_floats_fold_to_what_the_interpreter_computes(predicate, a, b, capsys):
    lines = []
    for clean in (False, True):
        k = kernel()
        compared = k.build(arith.CmpF, k.const(a, F32), k.const(b, F32), predicate=predicate)
        keep(k, k.build(arith.Select, compared, k.const(1, I32), k.const(0, I32)))
        module = cleaned(k) if clean else k.done()
        interpret(module, (1,), passed(np.zeros((1, 1), np.float32)))
        lines.append(capsys.readouterr().out)
    assert lines[0] == lines[1] and lines[0].strip() in ("0", "1")


FLOATS = [(arith.AddF, F32, F32, 1.1, 2.2), (arith.SubF, F16, F16, 1.1, 1e-4), (arith.MulF, BF16, BF16, 3.3, 1e38),
          (arith.MulF, F64, F64, 1.1, 1e308), (arith.AddF, F32, F32, -0.0, -0.0), (arith.NegF, BF16, BF16, 6.46875),
          (arith.NegF, F32, F32, 0.0), (math.AbsF, F16, F16, -0.1), (math.Floor, F32, F32, -0.5), (math.RoundEven, F64, F64, 2.5),
          (math.Trunc, F32, F32, -1e30), (arith.ExtF, F16, F64, 0.1), (arith.ExtF, F8E4M3FN, F32, 448.0),
          (arith.ExtF, BF16, F32, -0.5703125), (arith.TruncF, F64, F16, 65520.0), (arith.TruncF, F32, BF16, 1.00390625),
          (arith.TruncF, F64, BF16, 1.0039062500000002), (arith.TruncF, F32, F8E5M2, 1e9), (arith.TruncF, F64, F32, 1e-46),
          (arith.TruncF, F64, F16, 1.0004882812500002),
          (arith.FPToSI, BF16, I8, -0.5703125), (arith.FPToSI, F32, I8, -128.9), (arith.FPToSI, F32, I32, 3e9),
          (arith.FPToSI, F64, I64, -1e30), (arith.FPToSI, F32, I16, np.nan), (arith.FPToUI, F32, I8, 255.9),
          (arith.FPToUI, F16, I16, np.inf), (arith.FPToUI, F64, I64, 1e19), (arith.FPToUI, F32, I32, -1.0),
          (arith.SIToFP, I64, F32, (1 << 62) + 1), (arith.SIToFP, I32, BF16, 257), (arith.SIToFP, I8, F16, -128),
          (arith.UIToFP, I8, F16, -1), (arith.UIToFP, I64, F64, -1), (arith.UIToFP, I1, F32, 1),
          (arith.SIToFP, I32, F16, 65520)]  # fmt: skip


@pytest.mark.parametrize("kind,source,to,numbers", [(kind, source, to, rest) for kind, source, to, *rest in FLOATS],
                         ids=lambda x: getattr(x, "opname", str(x)))  # fmt: skip
def test_floats_fold_to_what_the_interpreter_computes(kind, source, to, numbers, capsys):
    """To the bit."""
    lines, whole = [], {8: I8, 16: I16, 32: I32, 64: I64}
    for clean in (False, True):
        k = kernel()
        result = {"result": to} if source is not to else {}
        found = k.build(kind, *(k.const(number, source) for number in numbers), **result)
        keep(k, k.build(arith.Bitcast, found, result=whole[to.bits]) if to.is_float else found)
        module = cleaned(k) if clean else k.done()
        interpret(module, (1,), passed(np.zeros((1, 1), np.float32)))
        lines.append(capsys.readouterr().out)
    assert kind.opname not in names(module)
    assert lines[0] == lines[1] and int(lines[0]) is not None


@pytest.mark.parametrize("kind,numbers", [(arith.SubF, (np.inf, np.inf)), (arith.DivF, (1.0, 3.0)), (arith.NegF, (np.nan,))])
def test_floats_that_devices_may_give_otherwise_stay(kind, numbers):
    """The bits of a NaN, and quotients."""
    k = kernel()
    keep(k, k.build(kind, *(k.const(number, F32) for number in numbers)))
    assert kind.opname in names(cleaned(k))


@xt.jit
def scan_of_nothing(A, B, Scan, C):
    xt.store_tile(xt.cumsum(xt.arange(16)[None, :] * xt.zeros((1, 1), xt.i32), 1), xt.init_tile(Scan, (0, 0), (1, 16)))
    product = xt.tile_mma(xt.load_tile(xt.init_tile(A, (0, 0), (16, 16))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 1))))
    xt.store_tile(product, xt.init_tile(C, (0, 0), (16, 1)))


def test_what_is_always_zero_is_held_by_lanes_as_before():
    """A product of one column has rows and columns of one padded to eight: a tile of zeros is more than lanes have once."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, shape).astype(np.float16) for shape in ((16, 16), (16, 1)))
    exact = a.astype(np.float32) @ b.astype(np.float32)
    values = {"A": a, "B": b, "Scan": np.ones((1, 16), np.int32), "C": np.zeros((16, 1), np.float32)}
    Launch(scan_of_nothing, values, {"Scan": np.zeros((1, 16), np.int32), "C": exact}).at_levels("dg2")
