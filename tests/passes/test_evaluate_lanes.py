"""What lanes have of their numbers alone is not fetched from them."""

from __future__ import annotations

import numpy as np

import xetile as xt
from tests.ops.run import Launch
from tests.parity.run import request
from tests.passes.golden_kernels import shifted_by_rows
from xetile.dialects import gpu
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.target import get_target


def shuffles(kernel, **types):
    what, chosen = request(kernel, types, "pvc", num_subgroups=1), get_target("pvc")
    *_, (_, module) = pipeline.run_levels(pipeline.PIPELINE, trace(what), chosen)
    return module.kernel.find(gpu.Shuffle)


def test_numbers_of_rows_are_constants():
    assert not shuffles(shifted_by_rows, X="u8[?,?]", Y="u8[?,?]")
    x = np.random.default_rng(0).integers(0, 256, (8, 16)).astype(np.uint8)
    wanted = x >> (np.arange(8, dtype=np.uint8) % 4 * 2)[:, None]
    Launch(shifted_by_rows, {"X": x, "Y": np.zeros_like(x)}, {"Y": wanted}, num_subgroups=1).at_levels("pvc")


@xt.jit
def shifted_by_loaded(X, S, Y):
    x, s = xt.load_tile(xt.init_tile(X, (0, 0), (8, 16))), xt.load_tile(xt.init_tile(S, 0, 8))
    xt.store_tile(x >> (s + xt.arange(8).to(xt.u8) % 4)[:, None], xt.init_tile(Y, (0, 0), (8, 16)))


def test_what_is_loaded_is_fetched():
    assert shuffles(shifted_by_loaded, X="u8[?,?]", S="u8[?]", Y="u8[?,?]")
    rng = np.random.default_rng(0)
    x, s = rng.integers(0, 256, (8, 16)).astype(np.uint8), rng.integers(0, 4, 8).astype(np.uint8)
    wanted = x >> (s + np.arange(8, dtype=np.uint8) % 4)[:, None]
    Launch(shifted_by_loaded, {"X": x, "S": s, "Y": np.zeros_like(x)}, {"Y": wanted}, num_subgroups=1).at_levels("pvc")
