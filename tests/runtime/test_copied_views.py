"""Views that go to a device as copies: what a launch saw of the view, and compiled for, holds of the copy that the kernel reads."""

from random import Random

import ml_dtypes
import numpy as np
import pytest

import xetile as xt
from tests import tools
from xetile.runtime.arrays import padded_copy, spans_well
from xetile.runtime.devices import find_device
from xetile.runtime.specialize import specialize

PROMISES = {"scattered": False, "ragged": False, "close": False, "far": False, "free": True, "lines": True}
"""What each mark says of an array that more messages reach."""


def marks(array, target):
    """What a launch sees of an array."""
    ((_, kind),) = specialize("kernel", {"A": array}, find_device("numpy"), target).types
    return {mark: getattr(kind, mark) for mark in PROMISES}


def sparse(random):
    """A view of a small part of a larger array, whose rows or columns are contiguous."""
    kind = random.choice((np.uint8, np.float16, ml_dtypes.bfloat16, np.int32, np.float64))
    size = np.dtype(kind).itemsize
    shape = [random.choice((1, 2, 3, 7, 16, 24, 64)) for _ in range(random.randrange(2, 5))]
    outer = [n + random.choice((0, 1, 5)) for n in shape[:-1]]
    whole = np.zeros((*outer, (shape[-1] + random.choice((8, 64, 300))) * random.choice((1, 64 // size))), kind)
    view = whole[tuple(slice(0, n) for n in shape)]
    if random.random() < 0.2:
        view = view[::-1]
    return view.swapaxes(-1, -2) if random.random() < 0.3 else view


@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
def test_copies_keep_what_views_promise(target):
    random, seen = Random(3), 0
    while seen < 300:
        view = sparse(random)
        if spans_well(view):
            continue
        seen += 1
        before, after = marks(view, target), marks(padded_copy(view), target)
        lost = [mark for mark, good in PROMISES.items() if before[mark] is good and after[mark] is not good]
        assert not lost, (view.shape, view.strides, view.dtype)


@xt.jit(grid=(1,))
def next_numbers(Y, W: xt.constexpr):
    tile = xt.init_tile(Y, (0, 0), (16, W))
    xt.store_tile(xt.load_tile(tile) + 1, tile)


@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg"])
@pytest.mark.parametrize("kind", [np.uint32, np.float64])
def test_a_few_columns_of_a_view_with_short_rows(device, kind):
    """Narrow surfaces begin ahead of the array, for which rows must lie far apart: a copy of 64 bytes a row left no room."""
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    whole = np.zeros((30, 192), kind)
    with xt.device(device):
        next_numbers(whole[:24, : 64 // whole.itemsize], 3)
    assert whole[:16, :3].min() == 1
    assert whole.sum() == 16 * 3
