"""Triton's interpreter on the same matmul: `python fallback_triton.py SIZE DTYPE` runs it once for each line of its input.

It answers each with a line: the seconds that the run took. Needs triton and torch, which may live in another environment;
imports nothing else.
"""

from __future__ import annotations

import os
import sys
import time

os.environ["TRITON_INTERPRET"] = "1"

import torch
import triton
import triton.language as tl


@triton.jit
def _matmul(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):  # noqa: ANN001, ANN202
    m = tl.program_id(1) * BM + tl.arange(0, BM)
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a, b = A + m[:, None] * K + k[None, :], B + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += BK
        b += BK * N
    tl.store(C + m[:, None] * N + n[None, :], acc)


def main(size: int, dtype: str) -> None:
    """Answer until the input ends; sizes are multiples of the tiles, so there is no masking to pay for."""
    torch.manual_seed(0)
    a, b = (torch.randn(size, size).to(getattr(torch, dtype)) for _ in range(2))
    c = torch.empty(size, size)
    for _ in sys.stdin:
        start = time.perf_counter()
        _matmul[(size // 64, size // 64)](a, b, c, size, size, size, 64, 64, 32)
        print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
