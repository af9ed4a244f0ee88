"""Padding other than zero, by block messages and by lanes: what the array holds inside, the padding outside, on all devices."""

import numpy as np
import pytest

import xetile as xt
from xetile.errors import DtypeError
from xetile.runtime.devices import find_device

PLACES = [(0, 0), (-4, -8), (28, 24), (36, 40), (64, 0), (8, -64)]
PADDING = {"f32": -np.inf, "f16": 7.5, "bf16": -2.0, "i32": -3, "i8": -1, "u16": 65535}


@xt.jit(grid=1, num_subgroups=2)
def copy(A, C, y, x, padding: xt.constexpr, by_columns: xt.constexpr):
    """A 32x32 tile of A, or of its transpose, as it is loaded."""
    source = A.T if by_columns else A
    xt.store_tile(xt.load_tile(xt.init_tile(source, (y, x), (32, 32)), padding=padding), xt.init_tile(C, (0, 0), (32, 32)))


@xt.jit(grid=1, num_subgroups=2)
def copies(A, C, places: xt.constexpr, padding: xt.constexpr, by_columns: xt.constexpr):
    """The same at places that the compiler knows."""
    source = A.T if by_columns else A
    for i in xt.static_range(len(places)):
        xt.store_tile(
            xt.load_tile(xt.init_tile(source, places[i], (32, 32)), padding=padding), xt.init_tile(C[i], (0, 0), (32, 32))
        )


def target_on(device: str, target: str) -> str:
    """The target to compile for: a GPU's driver takes modules for that GPU only."""
    info = find_device(device)
    return info.target if info.kind == "sim" else target


def tile_of(a: np.ndarray, y: int, x: int, padding: float) -> np.ndarray:
    whole = np.full((192, 192), padding, a.dtype)
    whole[64 : 64 + a.shape[0], 64 : 64 + a.shape[1]] = a
    return whole[64 + y : 96 + y, 64 + x : 96 + x]


@pytest.mark.covering
@pytest.mark.every(20)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")  # rows of 8 bits are short
@pytest.mark.parametrize("by_columns", [False, True])
@pytest.mark.parametrize("dtype", PADDING)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
def test_values(device, target, dtype, by_columns):
    kind, padding = xt.dtypes.dtype(dtype).numpy, PADDING[dtype]
    a = np.arange(40 * 64).reshape(40, 64).astype(kind)
    for y, x in PLACES:
        c = np.zeros((32, 32), kind)
        with xt.device(device):
            copy(a, c, y, x, padding=padding, by_columns=by_columns, target=target_on(device, target))
        np.testing.assert_array_equal(c, tile_of(a.T if by_columns else a, y, x, padding))


@pytest.mark.covering
@pytest.mark.every(3, 1)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("by_columns", [False, True])
@pytest.mark.parametrize("dtype, places", [("f32", PLACES), ("bf16", PLACES[1:2]), ("i8", PLACES[2:3])], ids=lambda v: str(v)[:4])
@pytest.mark.parametrize("target", ["pvc", "dg2"])
def test_values_at_known_places(device, target, dtype, places, by_columns):
    kind, padding = xt.dtypes.dtype(dtype).numpy, PADDING[dtype]
    a = np.arange(40 * 64).reshape(40, 64).astype(kind)
    c = np.zeros((len(places), 32, 32), kind)
    with xt.device(device):
        copies(a, c, places=tuple(places), padding=padding, by_columns=by_columns, target=target_on(device, target))
    for found, (y, x) in zip(c, places, strict=True):
        np.testing.assert_array_equal(found, tile_of(a.T if by_columns else a, y, x, padding))


@pytest.mark.parametrize("padding", [0, 1.5, float("-inf")])
def test_block_messages_are_used(padding):
    """Whatever the padding: a load of its own for each element would be slow."""
    text = copy.compile("f32[?,?]", "f32[?,?]", "i32", "i32", padding=padding, by_columns=False).ir["lane"]
    assert "xegpu.load_nd" in text
    assert "xegpu.load " not in text


@pytest.mark.parametrize("dtype, padding", [("i32", float("-inf")), ("i8", 300), ("u16", -1), ("i32", 0.5)])
def test_paddings_that_the_dtype_lacks(dtype, padding):
    with pytest.raises(DtypeError, match=r"load_tile: padding .* not"):
        copy.compile(f"{dtype}[?,?]", f"{dtype}[?,?]", "i32", "i32", padding=padding, by_columns=False).ir["xetile"]
