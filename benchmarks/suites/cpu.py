"""What a CPU is measured by: cases with the bars that they must hold against numpy and PyTorch."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

import xetile as xt
from xetile.ops.kernels import columns
from xetile.ops.kernels.matmul import matmul as product
from xetile.ops.kernels.matmul import matmul_batched, matmul_bias
from xetile.ops.products import fitted_tiles

from ..cases import Array, Arrays, Case, Run, Step, normal, torch_of
from . import attention, matmul, rows

FUNCTIONS: dict[str, tuple[Callable[..., Array], str]] = {
    "exp": (np.exp, "exp"), "tanh": (np.tanh, "tanh"), "erf": (np.vectorize(math.erf), "erf"), "sin": (np.sin, "sin"),
}  # fmt: skip
PRODUCTS = (product, matmul_batched, matmul_bias)
"""Kernels that take the tiles of `xt.ops.matmul`."""
SKINNY = 128
"""Rows below which a product keeps tiles of that many."""


@dataclass(frozen=True)
class Line:
    """A case, and how many times as fast as each peer it must be; `best`: as the better one of them; `ours`: as another line.

    roof: the share of the roof that it must have; bandwidth: the share that is enough where the memory allows no more than numpy's bar.
    """

    case: Case
    numpy: float = 0.0
    torch: float = 0.0
    best: float = 0.0
    ours: tuple[str, float] = ("", 0.0)
    roof: float = 0.0
    bandwidth: float = 0.0

    @property
    def bar(self) -> str:
        """In words."""
        parts = [
            f"{least:g} {name}"
            for name, least in (("numpy", self.numpy), ("torch", self.torch), ("the better", self.best))
            if least
        ]
        parts += [f"{self.ours[1]:g} of {self.ours[0]}"] if self.ours[0] else []
        parts += [f"{self.roof:.0%} of the roof"] if self.roof else []
        return ", ".join(parts).replace(
            " numpy", f" numpy or {self.bandwidth:.0%} of the bandwidth" if self.bandwidth else " numpy"
        )


def lines() -> Iterator[Line]:
    """All of them, product sizes from 512 to 4096."""
    for n in (512, 1024, 2048, 4096):
        yield Line(_product("f32", (n, n, n)), numpy=1.5, roof=0.75 if n == 2048 else 0.0)
    yield Line(_product("f32", (1000, 1000, 1000)), numpy=1.5)
    for n in (1024, 2048):
        yield Line(_product("bf16", (n, n, n)), torch=0.7)
        yield Line(_product("i8", (n, n, n)), ours=(f"f32 square {n}x{n}x{n}", 1.5))
        yield Line(_but_torch(_product("f16", (n, n, n))), ours=(f"f32 square {n}x{n}x{n}", 0.8))
    for turned in ("A", "B"):
        yield Line(_product("f32", (2048, 2048, 2048), turned), best=1.0)
    yield Line(_on_cpus(matmul.skinny("f32", (2048, 2048))), best=1.0)
    yield Line(_on_cpus(matmul.batched("f32", (512, 512, 512))), best=1.0)
    yield Line(_on_cpus(matmul.split_k("f32", (256, 256, 8192))), best=1.0)
    yield Line(_on_cpus(matmul.with_epilogue("bias gelu", (2048, 2048, 2048), "f32")), torch=1.0, numpy=1.3)
    size: list[tuple[int, ...]] = [(4096, 4096)]
    for family in (rows.softmax, rows.layer_norm, rows.reduction, column_sums, rows.transpose, rows.vector_add):
        for case in family(size):
            named = _beside_numba(family.__name__, replace(case, variant=f"{family.__name__} f32"))
            yield Line(_on_cpus(named), numpy=3.0, torch=1.0, bandwidth=0.8)
    for name in FUNCTIONS:
        yield Line(_beside_numba(name, _function(name)), numpy=2.0)
    for shape in ((8, 1024, 64), (8, 4096, 128)):
        for dtype in ("f32", "bf16"):
            for causal in (False, True):
                yield Line(_named("attention", _on_cpus(attention.case(shape, causal, dtype))), torch=1.0)


NUMBA = ("softmax", "reduction", "column_sums", "vector_add", *FUNCTIONS)
"""What one writes as loops."""


def _beside_numba(name: str, case: Case) -> Case:
    def peer(arrays: Arrays) -> Run:
        loops: Any = importlib.import_module("..kernels.numba_loops", __package__)  # which imports numba
        made: Run = loops.peer(name, arrays)
        return made

    return replace(case, peers={**case.peers, "numba": peer}) if name in NUMBA else case


def _but_torch(case: Case) -> Case:
    """Against numpy alone: torch's product of f16 takes seconds."""
    return replace(case, peers={name: peer for name, peer in case.peers.items() if name != "torch"})


def _named(what: str, case: Case) -> Case:
    """Against torch alone: numpy's attention takes minutes."""
    return replace(case, variant=f"{what} {case.variant}", peers={"torch": case.peers["torch"]})


def _on_cpus(case: Case) -> Case:
    """With the kernels' own defaults for CPUs in place of a GPU's tiles; products with the tiles that `xt.ops.matmul` chooses."""
    tiles = ("BM", "BN", "BK")

    def own(step: Step) -> Step:
        left = {n for n in tiles if any(n in constants for constants in step.kernel.head.by_target.values())}
        rows = {n for n in left if n == "BM" and case.shape[-3] < SKINNY} if len(case.shape) > 2 else set()
        chosen = fitted_tiles(case.shape[-3], case.shape[-2], getattr(xt, case.dtype)) if step.kernel in PRODUCTS else {}
        return replace(step, constants={**{n: v for n, v in step.constants.items() if n not in left - rows}, **chosen})

    return replace(case, steps=tuple(map(own, case.steps)))


def _product(dtype: str, shape: tuple[int, int, int], turned: str = "") -> Case:
    variant = f"{dtype} {turned}^T" if turned else f"{dtype} square"
    return _on_cpus(matmul.plain(variant, dtype, shape, transposed=turned))


def column_sums(sizes: list[tuple[int, ...]]) -> Iterator[Case]:
    """The sum of each column of M x N, f32."""
    for m, n in sizes:
        yield Case(
            "columns", (m, n), "f32", float(m * n), 4.0 * m * n, lambda rng, m=m, n=n: {"X": normal(rng, (m, n), "f32")},  # type: ignore[misc]
            (Step(columns.column_sum, ("X",), "Y"),), lambda a: a["X"].astype(np.float64).sum(0, keepdims=True), 1e-5,
            {"numpy": lambda a: lambda: a["X"].sum(0, keepdims=True), "torch": _torch(lambda torch, x: x.sum(0, keepdim=True))},
        )  # fmt: skip


def _function(name: str) -> Case:
    of, of_torch = FUNCTIONS[name]
    peers: dict[str, Callable[[Arrays], Run]] = {"torch": lambda a: _torch_function(of_torch, a["X"])}
    if name != "erf":  # which numpy lacks
        peers["numpy"] = lambda a: partial(of, a["X"], out=np.empty_like(a["X"]))
    m = n = 512
    return Case(
        f"{name} f32", (m, n), "f32", 20.0 * m * n, 8.0 * m * n, lambda rng: {"X": normal(rng, (m, n), "f32")},
        (Step(columns.function, ("X",), "Y", {"NAME": name}),), lambda a: of(a["X"].astype(np.float64)), 1e-6, peers,
    )  # fmt: skip


def _torch_function(name: str, x: Array) -> Run:
    import torch

    operand = torch_of(x)
    return partial(getattr(torch, name), operand, out=torch.empty_like(operand))


def _torch(function: Callable[[Any, Any], Any]) -> Callable[[Arrays], Run]:
    def peer(arrays: Arrays) -> Run:
        import torch

        return partial(function, torch, torch_of(arrays["X"]))

    return peer
