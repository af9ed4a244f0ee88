"""Largest elements are found before products are scaled, where nothing but differences reads the multiples; the results stay."""

import numpy as np
import pytest

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import run_levels
from xetile.dialects import arith, math, xetile
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.target import get_target

INF = float("inf")


def online(score, masked=-INF, extreme=xt.max, choice=xt.maximum):
    """Softmax's numerators by the last columns of B, and its denominators in the last column; five columns of B are masked."""

    @xt.jit
    def kernel(A, B, Y, Z, scale):
        a, v = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))), xt.load_tile(xt.init_tile(B, (0, 0), (16, 16)))
        largest, total = xt.full((16, 1), -INF if extreme is xt.max else INF, xt.f32), xt.zeros((16, 1), xt.f32)
        acc = xt.zeros((16, 16), xt.f32)
        for n in range(0, B.shape[1], 16):
            s = score(a, xt.load_tile(xt.init_tile(B, (0, n), (32, 16))), scale)
            s = xt.where(n + xt.arange(16)[None, :] < B.shape[1] - 5, s, masked)
            new = choice(largest, extreme(s, axis=1))
            p, fade = xt.exp(s - new), xt.exp(largest - new)
            total, acc, largest = total * fade + xt.sum(p, axis=1), acc * fade + p.to(xt.f16) @ v, new
        xt.store_tile(acc, xt.init_tile(Y, (0, 0), (16, 16)))
        xt.store_tile(total, xt.init_tile(Y, (0, 31), (16, 1)))

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
def not_only_powers(A, B, Y, Z, scale):
    """The difference itself is added up too."""
    a, top, total = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))), xt.full((16, 1), -INF, xt.f32), xt.zeros((16, 1), xt.f32)
    for n in range(0, B.shape[1], 16):
        s = a @ xt.load_tile(xt.init_tile(B, (0, n), (32, 16))) * scale
        new = xt.maximum(top, xt.max(s, axis=1))
        d = s - new
        total, top = total * xt.exp2(top - new) + xt.sum(xt.exp2(d) + d, axis=1), new
    xt.store_tile(total, xt.init_tile(Y, (0, 0), (16, 1)))


@xt.jit
def stored(A, B, Y, Z, scale):
    s = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32))) @ xt.load_tile(xt.init_tile(B, (0, 0), (32, 32))) * scale
    xt.store_tile(s + xt.exp(s - xt.max(s, axis=1)), xt.init_tile(Y, (0, 0), (16, 32)))


MOVED = {
    "at run time": online(lambda a, b, scale: a @ b * scale),
    "known": online(lambda a, b, scale: a @ b * 0.3),
    "smallest": online(lambda a, b, scale: scale * (a @ b), INF, xt.min, xt.minimum),
    "two products": online(lambda a, b, scale: (a @ b + a @ (b + 1)) * scale),
    "masked by a number": online(lambda a, b, scale: a @ b * scale, -100.0),
    "second operand": rows_of_the_second,
    "not only powers": not_only_powers,
}
KEPT = {
    "no loop": no_loop,
    "negative": online(lambda a, b, scale: a @ b * -0.3),
    "of each column": online(lambda a, b, scale: a @ b * xt.sum(b.to(xt.f32), 0)),
    "both operands change": both_change,
    "computed operand": online(lambda a, b, scale: (a + 1) @ b * scale),
    "stored": stored,
}


def launch(kernel, scale: float = 0.6) -> Launch:
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((16, 32), (32, 32)))
    z = rng.standard_normal((16, 32)).astype(np.float32)
    return Launch(kernel, {"A": a, "B": b, "Y": np.zeros((16, 32), np.float32), "Z": z, "scale": scale}, {}, constants={})


def of_products(kernel) -> bool:
    """Whether some reduction chooses elements of a product, and differences with it are rounded with the scale."""
    levels = pipeline.lower(trace(launch(kernel).compiled().request), get_target("pvc"))
    ops = list(next(module for level, module in levels if level == "layout").walk())
    chosen = any(isinstance(op, xetile.TileReduce) and isinstance(op.source.op, xetile.TileMma) for op in ops)
    return chosen and any(isinstance(op, math.Fma) and isinstance(op.a.op, xetile.TileMma) for op in ops)


@pytest.mark.parametrize("name", MOVED)
def test_largest_elements_are_those_of_products(name):
    assert of_products(MOVED[name])


@pytest.mark.parametrize("name", ["at run time", "known", "not only powers"])
def test_powers_take_the_sign_of_differences(name):
    """The product is multiplied by a negative number; what else takes a difference gets it with a negated row."""
    levels = pipeline.lower(trace(launch(MOVED[name]).compiled().request), get_target("pvc"))
    ops = list(next(module for level, module in levels if level == "layout").walk())
    fused = [op for op in ops if isinstance(op, math.Fma) and isinstance(op.a.op, xetile.TileMma)]
    signs = {
        isinstance(user, arith.NegF) and isinstance(user.result.uses[0][0], math.Exp2) for op in fused for user in op.result.users
    }
    assert signs == {name != "not only powers"}


@pytest.mark.parametrize("name", KEPT)
def test_what_something_else_sees_stays(name):
    assert not of_products(KEPT[name])


@pytest.mark.every(18)
@pytest.mark.parametrize("scale", [0.6, -0.6, 0.0, -1e-40])
@pytest.mark.parametrize("name", MOVED | KEPT)
def test_results_stay(name, scale):
    case = launch((MOVED | KEPT)[name], scale)
    found = [(level, after["Y"]) for level, after in run_levels(case.compiled().request, (1, 1, 1), case.values)]
    for level, got in found[1:]:
        np.testing.assert_allclose(got, found[0][1], rtol=1e-3, atol=1e-3, err_msg=level)


@pytest.mark.every(6)
@pytest.mark.parametrize("scale", [0.6, -0.6, 0.0, 1e-40])
def test_on_devices(device, scale):
    case = launch(MOVED["at run time"], scale)
    with xt.device(device):
        case.kernel[(1,)](*case.values.values())
    s = case.values["A"].astype("f8") @ case.values["B"].astype("f8")[:, :-5] * np.float32(scale)
    expected = np.exp(s - s.max(1, keepdims=True)).sum(1)
    np.testing.assert_allclose(case.values["Y"][:, 31], expected, rtol=1e-5)
