"""Bits, bytes and counts as people write them: checksums, hashes of strings, packed signs, places given by counting."""

from __future__ import annotations

import zlib

import numpy as np

import xetile as xt
from tests.kernels.plain import Made, Plain, random


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def checksums(X, Table, C, BM: xt.constexpr = 16):
    """CRC-32 of each row of bytes."""
    m = xt.program_id(0) * BM
    crc = xt.full((BM,), 0xFFFFFFFF, xt.u32)
    for j in range(X.shape[1]):
        crc = xt.load_gather(xt.init_tile(Table, (crc ^ xt.load_tile(X[m : m + BM, j])) & 0xFF)) ^ (crc >> 8)
    C[m : m + BM] = ~crc


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def hashes(X, H, BM: xt.constexpr = 16):
    """FNV-1a in 64 bits of strings that end with a zero, one in each row."""
    m = xt.program_id(0) * BM
    h, live, j = xt.full((BM,), 0xCBF29CE484222325, xt.u64), xt.full((BM,), True, xt.bool), 0
    while j < X.shape[1] and xt.any(live):
        c = xt.load_tile(X[m : m + BM, j])
        live &= c != 0
        h = xt.where(live, (h ^ c.to(xt.u64)) * 0x100000001B3, h)
        j += 1
    H[m : m + BM] = h


@xt.jit(grid=lambda X, BM: (xt.cdiv(X.shape[0], BM),))
def signs(X, Y, BM: xt.constexpr = 8, N: xt.constexpr = 64):
    """numpy.packbits of X > 0."""
    m = xt.program_id(0) * BM
    positive, packed = xt.load_tile(X[m : m + BM, 0:N]) > 0, xt.zeros((BM, N // 8), xt.u8)
    for b in xt.static_range(8):
        packed |= positive[:, b::8].to(xt.u8) << (7 - b)
    Y[m : m + BM, 0 : N // 8] = packed


@xt.jit(grid=lambda C, BM, BN: (xt.cdiv(C.shape[1], BN), xt.cdiv(C.shape[0], BM)))
def binary_product(A, B, C, BM: xt.constexpr = 16, BN: xt.constexpr = 16):
    """A @ B.T of signs, 32 in a word."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    acc = xt.zeros((BM, BN), xt.i32)
    for w in range(A.shape[1]):
        x = xt.load_tile(A[m : m + BM, w])[:, None] ^ xt.load_tile(B[n : n + BN, w])[None, :]
        x -= (x >> 1) & 0x55555555
        x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
        acc += 32 - 2 * ((((x + (x >> 4)) & 0x0F0F0F0F) * 0x01010101) >> 24).to(xt.i32)
    C[m : m + BM, n : n + BN] = acc


@xt.jit(grid=(1,))
def runs(X, Values, Lengths, Count, N: xt.constexpr = 64):
    """Run lengths: what X repeats, and how often."""
    done, before = 0, -1
    for i in range(0, X.shape[0], N):
        at = i + xt.arange(N)
        inside, x = at < X.shape[0], xt.load_tile(X[i : i + N])
        left = xt.where(xt.arange(N) == 0, before, xt.roll(x, 1))
        begins = inside & ((x != left) | (at == 0))
        place = done + xt.cumsum(xt.where(begins, 1, 0)) - 1
        xt.store_scatter(x, xt.init_tile(Values, place), begins)
        xt.atomic_rmw_tile("add", 1, xt.init_tile(Lengths, place), inside)
        done += xt.sum(xt.where(begins, 1, 0))
        before = x[N - 1]
    Count[0] = done


@xt.jit(grid=lambda Kept: (Kept.shape[0],))
def capacity(Experts, Slots, Kept, LIMIT: xt.constexpr = 10, BT: xt.constexpr = 32):
    """Each program gives an expert's tokens places in their order; those beyond LIMIT get -1. Experts, Slots [T, 2]."""
    e, used = xt.program_id(0), 0
    for t in range(0, Experts.shape[0], BT):
        mine = xt.load_tile(Experts[t : t + BT, 0:2], padding=-1) == e
        ones = xt.where(mine, 1, 0)
        each = xt.sum(ones, axis=1, keepdims=False)
        place = used + (xt.cumsum(each) - each)[:, None] + xt.cumsum(ones, axis=1) - ones
        slot = xt.where(place < LIMIT, e * LIMIT + place, -1).to(xt.i32)
        xt.store_scatter(slot, xt.init_tile(Slots, (t + xt.arange(BT))[:, None] * 2 + xt.arange(2)[None, :]), mine)
        used += xt.sum(each)
    Kept[e] = min(used, LIMIT)


def _checksums() -> Made:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, np.uint32(0xEDB88320), np.uint32(0)) ^ (table >> np.uint32(1))
    x = np.random.default_rng(0).integers(0, 256, (21, 13)).astype(np.uint8)
    return [x, table, np.zeros(21, np.uint32)], {2: np.array([zlib.crc32(row.tobytes()) for row in x], np.uint32)}


def _hashes() -> Made:
    x, found = np.zeros((20, 16), np.uint8), []
    for i, text in enumerate((b"", b"a", b"hello", b"tile", b"0123456789abcdef") * 4):
        x[i, : len(text)] = np.frombuffer(text, np.uint8)
        h = 0xCBF29CE484222325
        for c in text:
            h = (h ^ c) * 0x100000001B3 % 2**64
        found.append(h)
    return [x, np.zeros(20, np.uint64)], {1: np.array(found, np.uint64)}


def _signs() -> Made:
    x = random(11, 64)
    return [x, np.zeros((11, 8), np.uint8)], {1: np.packbits(x > 0, axis=1)}


def _binary() -> Made:
    a, b = (np.random.default_rng(seed).integers(0, 2**32, (n, 5), dtype=np.uint32) for seed, n in ((0, 19), (1, 21)))
    wide_a, wide_b = (np.unpackbits(x.view(np.uint8), axis=1).astype(np.int64) * 2 - 1 for x in (a, b))
    return [a, b, np.zeros((19, 21), np.int32)], {2: wide_a @ wide_b.T}


def _runs() -> Made:
    rng = np.random.default_rng(0)
    x = np.repeat(rng.integers(0, 4, 60), rng.integers(1, 5, 60)).astype(np.int32)
    begins = np.flatnonzero(np.r_[True, x[1:] != x[:-1]])
    values, lengths = np.zeros(80, np.int32), np.zeros(80, np.int32)
    values[: len(begins)], lengths[: len(begins)] = x[begins], np.diff(np.r_[begins, len(x)])
    empty = np.zeros(80, np.int32), np.zeros(80, np.int32), np.zeros(1, np.int32)
    return [x, *empty], {1: values, 2: lengths, 3: np.array([len(begins)])}


def _capacity() -> Made:
    rng = np.random.default_rng(0)
    experts = np.stack([rng.permutation(8)[:2] for _ in range(70)]).astype(np.int32)
    slots, used = np.zeros((70, 2), np.int32), [0] * 8
    for t, e in np.ndindex(70, 2):
        expert = experts[t, e]
        slots[t, e] = expert * 10 + used[expert] if used[expert] < 10 else -1
        used[expert] += 1
    return [experts, np.zeros((70, 2), np.int32), np.zeros(8, np.int32)], {1: slots, 2: np.minimum(used, 10)}


BYTES, I1, I2 = "u8[?,?]", "i32[?]", "i32[?,?]"
CASES = {
    "checksums": Plain(checksums, (BYTES, "u32[?]", "u32[?]"), _checksums, {"pvc": 24, "bmg": 24}),
    "hashes": Plain(hashes, (BYTES, "u64[?]"), _hashes, {"pvc": 39, "bmg": 39}, tolerance=0),
    "signs": Plain(signs, ("f32[?,?]", BYTES), _signs, {"pvc": 1091, "bmg": 955}),
    "binary product": Plain(binary_product, ("u32[?,?]", "u32[?,?]", I2), _binary, {"pvc": 290, "bmg": 290}),
    "runs": Plain(runs, (I1, I1, I1, I1), _runs, {"pvc": 281, "bmg": 229}),
    "capacity": Plain(capacity, (I2, I2, I1), _capacity, {"pvc": 888, "bmg": 824}),
}
