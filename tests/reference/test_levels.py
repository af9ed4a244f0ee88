"""Debug mode on what the passes make: silent on good modules of every level, and every barrier that is taken out is missed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from xetile.backends.reference.checks import RaceError
from xetile.backends.reference.interpret import interpret

from tests.kernels.rfc_cooperative import gemm_cooperative
from xetile.dialects import gpu
from xetile.ir.rewriter import Rewriter
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.runtime.request import Request
from xetile.signature import Signature
from xetile.target import get_target

TYPES = {"A": "f16[?,?]", "B": "f16[?,?]", "C": "f32[?,?]"}


def modules() -> Iterator[tuple[str, Any]]:
    request = Request(gemm_cooperative.fn, Signature.of(**TYPES), {}, "pvc", 64)
    yield from pipeline.lower(trace(request), get_target("pvc"))


def run(module: Any, arrays: dict[str, Any]) -> None:
    kinds = {
        "array": lambda a, axis: a,
        "dim": lambda a, axis: a.shape[axis],
        "stride": lambda a, axis: a.strides[axis] // a.itemsize,
    }
    interpret(module, (1, 1), [kinds[s.kind](arrays[s.param], s.axis) for s in module.kernel.args], debug=True)


def matrices() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 256, 256)).astype(np.float16)
    return {"A": a, "B": b, "C": np.zeros((256, 256), np.float32)}


def test_every_level_is_free_of_races():
    arrays = matrices()
    exact = arrays["A"].astype(np.float64) @ arrays["B"].astype(np.float64)
    for level, module in modules():
        arrays["C"][...] = 0
        run(module, arrays)
        assert np.abs(arrays["C"] - exact).max() < 1e-3, level


@pytest.mark.every(3, 1)
@pytest.mark.parametrize("level", ["xetile", "subgroup", "xegpu", "lane"])
def test_every_barrier_is_needed(level):
    """The cooperative GEMM of the RFC has one barrier before its loop and one in it."""
    for number in range(2):
        module = next(m for name, m in modules() if name == level)
        barriers = [op for op in module.walk() if isinstance(op, gpu.Barrier)]
        assert len(barriers) == 2
        Rewriter().erase(barriers[number])
        with pytest.raises(RaceError, match="no barrier between") as error:
            run(module, matrices())
        assert error.value.at.file.endswith("rfc_cooperative.py")
