"""Matrix products: square, skinny, batched, with K split, with transposed operands, with epilogues; four element types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import xetile as xt
from xetile.ops.kernels import matmul as kernels

from ..cases import NUMPY, Array, Arrays, Case, Run, Step, normal, torch_of

DTYPES = ("f32", "f16", "bf16", "i8")
# facts of the peers: largest difference by dtype, against double precision on the rounded inputs; f32 also sums over K, and a
# DPAS takes it as tf32.
ERROR = {"f32": 2e-3, "f16": 1e-3, "bf16": 1e-2, "i8": 0.0}
SKINNY_ROWS, BATCH, SPLIT = 16, 8, 8

Shape = tuple[int, int, int]


def cases(sizes: list[tuple[int, ...]]) -> Iterator[Case]:
    """Every variant at every size; a size is N, or MxNxK (square variants alone use M and N as they are)."""
    for size in sizes:
        m, n, k = size if len(size) == 3 else (size[0],) * 3
        for dtype in DTYPES:
            yield plain(f"{dtype} square", dtype, (m, n, k))
        if len(size) == 3:
            continue
        for dtype in ("f16", "bf16"):
            yield skinny(dtype, (n, k))
        yield batched("f16", (m // 2, n // 2, k // 2))
        yield split_k("f16", (m // 4, n // 4, k * 2))
        yield plain("f16 A^T", "f16", (m, n, k), transposed="A")
        yield plain("f16 B^T", "f16", (m, n, k), transposed="B")
        for epilogue in ("bias relu", "bias gelu", "residual"):
            yield with_epilogue(epilogue, (m, n, k))


def tiles(shape: Shape, dtype: str) -> dict[str, Any]:
    """The default configuration: large tiles for large outputs, few rows for skinny ones."""
    rows = 256 if shape[0] >= 512 else 128 if shape[0] >= 128 else max(16, 1 << (shape[0] - 1).bit_length())
    columns = 256 if min(shape[:2]) >= 512 else 128
    deep = {"BK": 64, "ACC": xt.i32} if dtype == "i8" else {"BK": 32}
    return {"BM": rows, "BN": columns, **deep}


def space(shape: Shape, dtype: str) -> tuple[Any, ...]:
    """What `--autotune` tries: the default first."""
    first = xt.Config(**{name: value for name, value in tiles(shape, dtype).items() if name != "ACC"})
    rows = (64, 128, 256) if shape[0] >= 64 else (16, 32)
    others = xt.autotune_space(BM=rows, BN=(64, 128, 256), BK=(32, 64) if dtype != "f32" else (16, 32),
                               where=lambda BM, BN, BK: BM * BN >= 64 * 64 or BM < 64)  # fmt: skip
    return tuple(dict.fromkeys((first, *others)))


def _operands(shape: tuple[int, ...], dtype: str, transposed: str, rng: np.random.Generator) -> dict[str, Array]:
    *batch, m, n, k = shape
    a, b = normal(rng, (*batch, m, k), dtype), normal(rng, (*batch, k, n), dtype)
    return {"A": np.asfortranarray(a) if transposed == "A" else a, "B": np.asfortranarray(b) if transposed == "B" else b}


def _case(variant: str, shape: tuple[int, ...], dtype: str, steps: tuple[Step, ...], *, transposed: str = "",
          extra: Callable[[np.random.Generator], dict[str, Array]] = lambda rng: {}, extra_bytes: int = 0,
          after: Callable[[Any, Arrays], Any] = lambda c, arrays: c, peers: Any = None) -> Case:  # fmt: skip
    *batch, m, n, k = shape
    count = int(np.prod(batch)) if batch else 1
    traffic = count * ((m * k + k * n) * NUMPY[dtype].itemsize + m * n * 4) + extra_bytes
    return Case(
        variant, shape, dtype, 2.0 * count * m * n * k, traffic,
        inputs=lambda rng: {**_operands(shape, dtype, transposed, rng), **extra(rng)}, steps=steps,
        reference=lambda arrays: after(_exact(arrays), arrays), error=ERROR[dtype],
        peers={"numpy": _numpy_peer, "torch": _torch_peer} if peers is None else peers,
    )  # fmt: skip


def _exact(arrays: Arrays) -> Array:
    product: Array = np.matmul(arrays["A"].astype(np.float64), arrays["B"].astype(np.float64))
    return product


def skinny(dtype: str, shape: tuple[int, int]) -> Case:
    """A few rows by a matrix N x K."""
    return plain(f"{dtype} skinny", dtype, (SKINNY_ROWS, *shape))


def plain(variant: str, dtype: str, shape: Shape, transposed: str = "") -> Case:
    """One product."""
    step = Step(kernels.matmul, ("A", "B"), "C", tiles(shape, dtype), space=space(shape, dtype))
    case = _case(variant, shape, dtype, (step,), transposed=transposed)
    square = variant.endswith("square") and dtype != "i8" and len(set(shape)) == 1 and shape[0] % 64 == 0
    return replace(case, triton=(shape[0], dtype)) if square else case


def batched(dtype: str, shape: Shape) -> Case:
    """BATCH products."""
    step = Step(kernels.matmul_batched, ("A", "B"), "C", tiles(shape, dtype), space=space(shape, dtype))
    return _case(f"{dtype} batched", (BATCH, *shape), dtype, (step,))


def split_k(dtype: str, shape: Shape) -> Case:
    """Programs that add up a part of K each, and a kernel that adds these up."""
    split = Step(kernels.matmul_split_k, ("A", "B"), "P", {**tiles(shape, dtype), "SPLIT": SPLIT}, space=space(shape, dtype))
    return _case(f"{dtype} split-K", shape, dtype, (split, Step(kernels.sum_slices, ("P",), "C")))


def with_epilogue(epilogue: str, shape: Shape, dtype: str = "f16") -> Case:
    """A product and what follows it: "residual", "bias relu", "bias gelu"."""
    m, n, _ = shape
    kind, _, activation = epilogue.partition(" ")
    if kind == "residual":
        step = Step(kernels.matmul_residual, ("A", "B", "residual"), "C", tiles(shape, dtype), space=space(shape, dtype))
        return _case(f"{dtype} {epilogue}", shape, dtype, (step,), extra=lambda rng: {"residual": normal(rng, (m, n), "f32")},
                     extra_bytes=4 * m * n, after=_add_residual, peers={"numpy": partial(_numpy_epilogue, _add_residual)})  # fmt: skip
    constants = {**tiles(shape, dtype), "ACTIVATION": activation}
    step = Step(kernels.matmul_bias, ("A", "B", "bias"), "C", constants, space=space(shape, dtype))
    after = partial(_add_bias, {"relu": _relu, "gelu": _gelu}[activation])
    return _case(f"{dtype} {epilogue}", shape, dtype, (step,), extra=lambda rng: {"bias": normal(rng, (n,), "f32")},
                 extra_bytes=4 * n, after=after,
                 peers={"numpy": partial(_numpy_epilogue, after), "torch": partial(_torch_epilogue, activation)})  # fmt: skip


def _add_residual(c: Array, arrays: Arrays) -> Array:
    return np.asarray(c + arrays["residual"])


def _add_bias(activation: Callable[[Array], Array], c: Array, arrays: Arrays) -> Array:
    return activation(c + arrays["bias"])


def _relu(x: Array) -> Array:
    return np.asarray(np.maximum(x, 0))


def _gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + np.tanh(kernels.SQRT_2_OVER_PI * (x + 0.044715 * x**3))))


# What ours is compared with.


def _numpy_peer(arrays: Arrays) -> Run:
    """numpy's product of the same numbers as f32 (converted before): it has no fast product of other types."""
    a, b = (arrays[name].astype(np.float32, copy=False) for name in "AB")
    return lambda: a @ b


def _numpy_epilogue(after: Callable[[Array, Arrays], Array], arrays: Arrays) -> Run:
    """numpy's product as f32, and the epilogue in f32."""
    a, b = (arrays[name].astype(np.float32, copy=False) for name in "AB")
    return lambda: after(a @ b, arrays)


def _torch_epilogue(activation: str, arrays: Arrays) -> Run:
    """torch's linear layer, and its activation."""
    import torch

    a, b, bias = (torch_of(arrays[name]) for name in ("A", "B", "bias"))
    after = torch.relu if activation == "relu" else partial(torch.nn.functional.gelu, approximate="tanh")
    return lambda: after(torch.addmm(bias.to(a.dtype), a, b))


def _torch_peer(arrays: Arrays) -> Run:
    """torch's product of the same types; for int8 the one that sums in int32."""
    import torch

    a, b = torch_of(arrays["A"]), torch_of(arrays["B"])
    return partial(torch._int_mm if a.dtype == torch.int8 and a.ndim == 2 else torch.matmul, a, b)
