"""Parts of loaded tiles: which are loaded by themselves, and that they hold the same on each device."""

import numpy as np
import pytest

import xetile as xt
from tests.passes.parity import traced
from xetile.dialects import gpu, xetile
from xetile.ir.verifier import verify
from xetile.passes.workgroup.memory.load_parts import load_parts
from xetile.target import get_target

# f32[16,32] or f32[32,16] of a tile x of 32 x 64, and how many loads of the array there are.
PARTED = {
    "columns": (lambda x: x[:, 0:16].T + x[:, 48:64].T, 2),
    "rows": (lambda x: x[0:16, 0:32] + x[16:32, 32:64], 2),
    "one twice": (lambda x: x[0:16, 8:40] * x[0:16, 8:40] - x[16:32, 0:32], 2),
    "converted": (lambda x: x.to(xt.f16).to(xt.f32)[:, 0:16].T + x.to(xt.f16).to(xt.f32)[:, 16:32].T, 2),
    "overlapping": (lambda x: x[0:16, 0:32] + x[0:16, 2:34] + x[0:16, 4:36], 3),
    "parts of parts": (lambda x: x[8:32][0:16, 0:32] + x[8:32][8:24, 32:64], 2),
    "the whole, too": (lambda x: x[0:16, 0:32] * xt.max(x), 2),
}
KEPT = {
    "a row": lambda x: x[3:4, 0:32] + xt.zeros((16, 32)),
    "every other column": lambda x: x[0:16, ::2],
    "too many times": lambda x: sum((x[0:16, 2 * i : 2 * i + 32] for i in range(10)), xt.zeros((16, 32))),
    "worked out": lambda x: (x + 1)[0:16, 0:32],
}
ALL = {name: form for name, (form, _) in PARTED.items()} | KEPT


@xt.jit(grid=lambda X: (X.shape[0], xt.cdiv(X.shape[1], 32)))
def parts(X, Y, FORM: xt.constexpr):
    """The tiles reach beyond X, where they are 2."""
    z, m = xt.program_id(0), xt.program_id(1) * 32
    x = xt.load_tile(xt.init_tile(X[z], (m - 3, 5), (32, 64)), padding=2)
    xt.store_tile(FORM(x), xt.init_tile(Y[z], (xt.program_id(1) * 16, 0), (16, 32)))


@xt.jit(grid=lambda X: (X.shape[0], xt.cdiv(X.shape[1], 32)))
def parts_of_columns(X, Y, FORM: xt.constexpr):
    """The same of the transposes of X's matrices."""
    z, m = xt.program_id(0), xt.program_id(1) * 32
    x = xt.load_tile(xt.init_tile(X[z].T, (5, m - 3), (64, 32)), padding=2).T
    xt.store_tile(FORM(x), xt.init_tile(Y[z], (xt.program_id(1) * 16, 0), (16, 32)))


def loads_of_the_array(form: str) -> int:
    values = {"X": np.zeros((2, 40, 64), np.float32), "Y": np.zeros((2, 32, 32), np.float32)}
    module = load_parts(traced(parts.fn, values, {"FORM": ALL[form]}), get_target("pvc"))
    verify(module)
    loads = [op for op in module.find(xetile.LoadTile) if not op.tile.type.space]
    assert module.has(gpu.Alloca) == (form in KEPT), "parts of what is kept come through shared memory"
    return len(loads)


@pytest.mark.parametrize("form", PARTED)
def test_parts_are_loaded(form):
    assert loads_of_the_array(form) == PARTED[form][1]


@pytest.mark.parametrize("form", KEPT)
def test_others_are_taken_of_what_is_loaded(form):
    assert loads_of_the_array(form) == 1


@pytest.mark.parametrize("kernel", [parts, parts_of_columns], ids=["rows", "columns"])
@pytest.mark.parametrize("form", ALL)
def test_each_part_is_where_it_was(device, form, kernel):
    """The numpy device executes kernels as they are written."""
    x = np.random.default_rng(1).integers(-9, 9, (2, 40, 66)).astype(np.float32)
    results = []
    for name in ("numpy", device):
        y = np.zeros((2, 32, 32), np.float32)
        with xt.device(name):
            kernel(x, y, FORM=ALL[form])
        results.append(y)
    np.testing.assert_array_equal(*results)
