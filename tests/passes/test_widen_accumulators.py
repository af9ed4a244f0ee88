"""Sums that a target's DPAS has not are summed in a wider type and rounded; where it has them they stay."""

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests import tools
from tests.passes.parity import traced
from xetile.dialects import xetile
from xetile.dialects.types import element_of
from xetile.ir.verifier import verify
from xetile.passes.workgroup.products.widen_accumulators import widen_accumulators
from xetile.target import get_target

KINDS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}


@xt.jit(out={"C": lambda A, B: xt.empty((A.shape[0], B.shape[1]), A.dtype)},
        grid=lambda C: (xt.cdiv(C.shape[1], 32), xt.cdiv(C.shape[0], 16)))  # fmt: skip
def product(A, B, C):
    """Summed in the operands' type, from a tile and from nothing."""
    m, n = xt.program_id(1) * 16, xt.program_id(0) * 32
    acc = xt.zeros((16, 32), A.dtype)
    for k in range(0, A.shape[1], 16):
        a, b = xt.load_tile(xt.init_tile(A, (m, k), (16, 16))), xt.load_tile(xt.init_tile(B, (k, n), (16, 32)))
        acc = xt.tile_mma(a, b, acc) if k < 32 else acc + xt.tile_mma(a, b, dtype=A.dtype)
    xt.store_tile(acc, xt.init_tile(C, (m, n), (16, 32)))


def arrays(kind):
    """Whole numbers, of which sums are exact in each type."""
    rng = np.random.default_rng(5)
    return [rng.integers(-1, 2, shape).astype(KINDS[kind]) for shape in ((21, 56), (56, 40))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
def test_only_dg2_widens(target, kind):
    a, b = arrays(kind)
    module = traced(product.fn, {"A": a, "B": b, "C": np.zeros((21, 40), a.dtype)}, {})
    widen_accumulators(module, get_target(target))
    verify(module)
    assert {str(element_of(op.result.type)) for op in module.find(xetile.TileMma)} == {"f32" if target == "dg2" else kind}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("device", ["numpy", "cpu", "sim:dg2"])
def test_the_same_numbers(device, kind):
    if device.startswith("sim"):
        tools.require_tool("ocloc")
    a, b = arrays(kind)
    with xt.device(device):
        c = product(a, b)
    assert (c == (a.astype(np.float32) @ b.astype(np.float32)).astype(a.dtype)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_products_of_dpas(kind):
    tools.require_tool("ocloc")
    report = product.compile(*[f"{kind}[?,?]"] * 3, target="dg2").report
    assert report.scratch == 0 and any(loop.dpas for loop in report.loops)
