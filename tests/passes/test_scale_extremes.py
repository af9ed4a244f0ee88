"""Largest elements are found before products are scaled, where nothing but differences reads the multiples; the results stay."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import run_levels
from tests.passes.parity import traced
from xetile.dialects import math, xetile
from xetile.passes.workgroup.accumulate_products import accumulate_products
from xetile.passes.workgroup.fuse_scaled_sums import fuse_scaled_sums
from xetile.passes.workgroup.scale_extremes import scale_extremes
from xetile.target import get_target

INF = float("inf")


def online(score, masked=-INF, extreme=xt.max, choice=xt.maximum, sign=1):
    """Rows' sums of exponentials; the last five columns are masked."""

    @xt.jit
    def kernel(A, B, Y, Z, scale):
        a = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32)))
        largest, total = xt.full((16, 1), -sign * INF, xt.f32), xt.zeros((16, 1), xt.f32)
        for n in range(0, B.shape[1], 16):
            s = score(a, xt.load_tile(xt.init_tile(B, (0, n), (32, 16))), scale)
            s = xt.where(n + xt.arange(16)[None, :] < B.shape[1] - 5, s, masked)
            new = choice(largest, extreme(s, axis=1))
            total = total * xt.exp((largest - new) * sign) + xt.sum(xt.exp((s - new) * sign), axis=1)
            largest = new
        xt.store_tile(total, xt.init_tile(Y, (0, 0), (16, 1)))

    return kernel


@xt.jit
def no_loop(A, B, Y, Z, scale):
    s = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))) @ xt.load_tile(xt.init_tile(B, (0, 0), (32, 32))) * scale
    xt.store_tile(xt.exp(s - xt.max(s, axis=1)), xt.init_tile(Y, (0, 0), (16, 32)))


@xt.jit
def rows_of_the_second(A, B, Y, Z, scale):
    """The operand that the loop leaves as it is comes second."""
    a, top = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))).T, xt.full((1, 16), -INF, xt.f32)
    total = xt.zeros((1, 16), xt.f32)
    for n in range(0, B.shape[1], 16):
        s = xt.load_tile(xt.init_tile(B, (0, n), (32, 16))).T @ a * scale
        new = xt.maximum(top, xt.max(s, axis=0))
        total, top = total * xt.exp(top - new) + xt.sum(xt.exp(s - new), axis=0), new
    xt.store_tile(total, xt.init_tile(Y, (0, 0), (1, 16)))


@xt.jit
def both_change(A, B, Y, Z, scale):
    """No operand could take the sign."""
    top, total = xt.full((16, 1), -INF, xt.f32), xt.zeros((16, 1), xt.f32)
    for n in range(0, B.shape[1], 16):
        a = xt.load_tile(xt.init_tile(A, (0, n), (16, 16)))
        s = a @ xt.load_tile(xt.init_tile(B, (0, n), (16, 16))) * scale
        new = xt.maximum(top, xt.max(s, axis=1))
        total, top = total * xt.exp(top - new) + xt.sum(xt.exp(s - new), axis=1), new
    xt.store_tile(total, xt.init_tile(Y, (0, 0), (16, 1)))


@xt.jit
def stored(A, B, Y, Z, scale):
    s = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))) @ xt.load_tile(xt.init_tile(B, (0, 0), (32, 32))) * scale
    xt.store_tile(s + xt.exp(s - xt.max(s, axis=1)), xt.init_tile(Y, (0, 0), (16, 32)))


MOVED = {
    "at run time": online(lambda a, b, scale: a @ b * scale),
    "known": online(lambda a, b, scale: a @ b * 0.3),
    "smallest": online(lambda a, b, scale: scale * (a @ b), INF, xt.min, xt.minimum, -1),
    "two products": online(lambda a, b, scale: (a @ b + a @ (b + 1)) * scale),
    "second operand": rows_of_the_second,
}
KEPT = {
    "no loop": no_loop,
    "negative": online(lambda a, b, scale: a @ b * -0.3),
    "of each column": online(lambda a, b, scale: a @ b * xt.sum(b.to(xt.f32), 0)),
    "masked by a number": online(lambda a, b, scale: a @ b * scale, -100.0),
    "both operands change": both_change,
    "stored": stored,
}


def launch(kernel, scale: float = 0.6) -> Launch:
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((16, 32), (32, 32)))
    z = rng.standard_normal((16, 32)).astype(np.float32)
    return Launch(kernel, {"A": a, "B": b, "Y": np.zeros((16, 32), np.float32), "Z": z, "scale": scale}, {}, constants={})


def of_products(kernel) -> bool:
    """Whether reductions read products, or what masks leave of them."""
    case = launch(kernel)
    module = accumulate_products(traced(kernel.fn, case.values, case.constants))
    module = fuse_scaled_sums(scale_extremes(module, get_target("pvc")), get_target("pvc"))
    reductions = [op for op in module.walk() if isinstance(op, xetile.TileReduce) and op.kind != "add"]
    sources = {op.source.op.operands[1].op if op.source.op.opname == "arith.select" else op.source.op for op in reductions}
    return all(isinstance(op, xetile.TileMma) for op in sources) and any(isinstance(op, math.Fma) for op in module.walk())


@pytest.mark.parametrize("name", MOVED)
def test_largest_elements_are_those_of_products(name):
    assert of_products(MOVED[name])


@pytest.mark.parametrize("name", KEPT)
def test_what_something_else_sees_stays(name):
    assert not of_products(KEPT[name])


@pytest.mark.every(3)
@pytest.mark.parametrize("scale", [0.6, -0.6, 0.0, -1e-40])
@pytest.mark.parametrize("name", MOVED | KEPT)
def test_results_stay(name, scale):
    case = launch((MOVED | KEPT)[name], scale)
    found = [(level, after["Y"]) for level, after in run_levels(case.compiled().request, (1, 1, 1), case.values)]
    for level, got in found[1:]:
        np.testing.assert_allclose(got, found[0][1], rtol=1e-5, atol=1e-6, err_msg=level)


@pytest.mark.parametrize("scale", [0.6, -0.6, 0.0, 1e-40])
def test_on_devices(device, scale):
    case = launch(MOVED["at run time"], scale)
    with xt.device(device):
        case.kernel[(1,)](*case.values.values())
    s = case.values["A"].astype("f8") @ case.values["B"].astype("f8")[:, :-5] * np.float32(scale)
    expected = np.exp(s - s.max(1, keepdims=True)).sum(1)
    np.testing.assert_allclose(case.values["Y"][:, 0], expected, rtol=1e-5)
