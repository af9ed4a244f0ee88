"""One product, C = A @ B of f16 in f32, in the forms in which people write its loop. FORMS has them all; BEST is what they are measured by."""

from __future__ import annotations

from typing import Any

import xetile as xt

FORMS: dict[str, Any] = {}


def form(function: Any) -> Any:
    """A kernel of A, B and C, whose workgroup has BM x BN of C and takes BK of K in each step."""
    kernel = xt.jit(function)
    FORMS[function.__name__] = kernel
    return kernel


@form
def moved(A, B, C, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    a, b = xt.init_tile(A, (m, 0), (BM, BK)), xt.init_tile(B, (0, n), (BK, BN))
    acc = xt.zeros((BM, BN), xt.f32)
    for _ in range(0, A.shape[1], BK):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a, b = xt.update_tile_offset(a, (0, BK)), xt.update_tile_offset(b, (BK, 0))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@form
def made_in_the_loop(A, B, C, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        b = xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        acc += a @ b
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@form
def counted_steps(A, B, C, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for i in range(xt.cdiv(A.shape[1], BK)):
        a = xt.load_tile(xt.init_tile(A, (m, i * BK), (BM, BK)))
        b = xt.load_tile(xt.init_tile(B, (i * BK, n), (BK, BN)))
        acc = a @ b + acc
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@form
def own_counter(A, B, C, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc, k = xt.zeros((BM, BN), xt.f32), 0
    for _ in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        b = xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        acc = xt.tile_mma(a, b, acc)
        k += BK
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@form
def while_loop(A, B, C, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc, k = xt.zeros((BM, BN), xt.f32), 0
    while k < A.shape[1]:
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        b = xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        acc = xt.tile_mma(a, b) + acc
        k += BK
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


@form
def in_a_tuple(A, B, C, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    state = (xt.zeros((BM, BN), xt.f32), 0)
    for k in range(0, A.shape[1], BK):
        acc, steps = state
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        b = xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        state = (xt.tile_mma(a, b) + acc, steps + 1)
    xt.store_tile(state[0], xt.init_tile(C, (m, n), (BM, BN)))


@form
def cast(A, B, C, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
        b = xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
        acc += (a @ b).to(xt.f32)
    xt.store_tile((acc * 1.0).to(C.dtype), xt.init_tile(C, (m, n), (BM, BN)))


@form
def on_a_condition(A, B, C, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):
    """Steps that a band of C does not need are left out: here none."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in range(0, A.shape[1], BK):
        if k + n >= 0:
            a = xt.load_tile(xt.init_tile(A, (m, k), (BM, BK)))
            b = xt.load_tile(xt.init_tile(B, (k, n), (BK, BN)))
            acc += a @ b
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))
