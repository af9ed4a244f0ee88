"""Indices of numbers from memory of which 32 bits go on are integers: which are, which stay, and the same numbers on each device."""

import numpy as np
import pytest

import xetile as xt
from xetile.ir.verifier import verify
from xetile.runtime.compiler import trace

NARROW = {
    "a sum": lambda x, b, i, n: x + i,
    "differences and products": lambda x, b, i, n: (i - x) * (n + 3) - b,
    "bits": lambda x, b, i, n: (x ^ i) & (b | n),
    "a choice": lambda x, b, i, n: xt.where(i > 3, x + i, b - n),
    "a row and a column": lambda x, b, i, n: x[:, None] * 2 + i[None, :] - b[:, None],
    "bytes, with a sign and without": lambda x, b, i, n: b + i - x.to(xt.u32) * n,
    "as bytes": lambda x, b, i, n: (x * i).to(xt.i8),
    "several times": lambda x, b, i, n: (lambda s: s.to(xt.i32) ^ (s * 2).to(xt.u32).to(xt.i32))(x + i),
}
WIDE = {
    "shifted": lambda x, b, i, n: (x + i) >> 1,
    "divided": lambda x, b, i, n: (x * i) // 7,
    "compared": lambda x, b, i, n: (lambda s: s + (s > 2**31 - 1))(x + i),
    "in 64 bits": lambda x, b, i, n: (x * i).to(xt.i64),
    "as a float": lambda x, b, i, n: (x + i).to(xt.f32),
    "in another order": lambda x, b, i, n: (x + i)[15 - i].to(xt.i64),
    "side by side": lambda x, b, i, n: xt.roll(xt.concatenate((x * 1 + i, i))[0:16], 3, 0).to(xt.f32),
}
ALL = NARROW | WIDE
X = np.array(
    [0, 1, -1, 2**31 - 1, -(2**31), 2**31 - 9, 123456789, -(2**30), 7, 5, -3, 2**16, -(2**16), 31, 2**24 + 1, 99], np.int32
)
B = np.arange(-8, 8, dtype=np.int8) * 16


@xt.jit(out={"Y": lambda X, DTYPE: xt.empty((16, 16), DTYPE)}, grid=(1,))
def kernel(X, B, Y, n, FORM: xt.constexpr, DTYPE: xt.constexpr):
    found = FORM(xt.load_tile(X[0:16]), xt.load_tile(B[0:16]), xt.arange(16), n * xt.num_programs(0))
    if len(found.shape) == 1:
        found = found[None, :]
    xt.store_tile(xt.tile_broadcast(found.to(DTYPE), (16, 16)), xt.init_tile(Y, (0, 0), (16, 16)))


def dtype_of(form: str) -> xt.DType:
    kinds = {"in 64 bits": xt.i64, "in another order": xt.i64, "as a float": xt.f32, "side by side": xt.f32, "as bytes": xt.i8}
    return kinds.get(form, xt.i32)


@pytest.mark.every(2)
@pytest.mark.parametrize("form", ALL)
def test_only_what_more_than_32_bits_decide_takes_an_index_of_64(form):
    request = kernel.compile("i32[?]", "i8[?]", "i32[?,?]".replace("i32", str(dtype_of(form))), "i32", FORM=ALL[form],
                             DTYPE=dtype_of(form), target="pvc").request  # fmt: skip
    module = trace(request)
    verify(module)
    assert module.kernel.attributes["index_bits"] == (32 if form in NARROW else 64)


@pytest.mark.covering
@pytest.mark.every(18)
@pytest.mark.parametrize("form", ALL)
def test_each_device_gives_the_numbers_of_64_bits(device, form):
    x, b, i = X.astype(np.int64), B.astype(np.int64), np.arange(16)
    plain = {
        "a sum": x + i, "differences and products": (i - x) * 8 - b, "bits": (x ^ i) & (b | 5), "a choice": np.where(i > 3, x + i, b - 5),
        "a row and a column": x[:, None] * 2 + i - b[:, None], "bytes, with a sign and without": b + i - (x % 2**32) * 5, "as bytes": x * i,
        "several times": (x + i).astype(np.int32) ^ ((x + i) * 2).astype(np.int32), "shifted": (x + i) >> 1, "divided": (x * i) // 7,
        "compared": x + i + (x + i > 2**31 - 1), "in 64 bits": x * i, "as a float": x + i,
        "in another order": (x + i)[15 - i], "side by side": np.roll(x + i, 3),
    }[form]  # fmt: skip
    with xt.device(device):
        found = kernel(X, B, n=5, FORM=ALL[form], DTYPE=dtype_of(form))
    np.testing.assert_array_equal(found, np.broadcast_to(plain.astype(dtype_of(form).numpy), (16, 16)))


@xt.jit
def carried(x, b, i, n):
    total = b.to(xt.i32)
    for k in range(n):
        total += x * k + i
    return total


@xt.jit
def swapped(x, b, i, n):
    one, two = x, xt.zeros((16,), xt.i32)
    k = 0
    while k < n:
        one, two = two + i * k, one * 3 - b
        k += 1
    return one ^ two


@xt.jit
def branched(x, b, i, n):
    if n > 3:
        s = x * i
    else:
        s = i * 2
    for k in range(n):
        if k % 2 == 0:
            s = s + x
        else:
            s = xt.where(i > 3, s - i, b)
    return s


@xt.jit
def compared(x, b, i, n):
    """The sums go on as words, but decide something too."""
    total = b.to(xt.i32)
    for k in range(n):
        total = xt.where(total > i, total - 1, total + x * k)
    return total


LOOPS = {"carried": carried, "swapped": swapped, "branched": branched, "compared": compared}


@xt.jit(out={"Y": lambda X: xt.empty((16,), xt.i32)}, grid=(1,))
def loops(X, B, Y, n, FORM: xt.constexpr):
    Y[0:16] = FORM(xt.load_tile(X[0:16]), xt.load_tile(B[0:16]), xt.arange(16), n * xt.num_programs(0))


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("form", LOOPS)
def test_loops_and_branches_carry_words(device, form):
    x, b, i, n = X.astype(np.int64), B.astype(np.int64), np.arange(16), 5
    if form == "carried":
        found = b + sum(x * k + i for k in range(n))
    elif form == "swapped":
        one, two = x, 0 * x
        for k in range(n):
            one, two = two + i * k, one * 3 - b
        found = one ^ two
    elif form == "branched":
        found = x * i
        for k in range(n):
            found = found + x if k % 2 == 0 else np.where(i > 3, found - i, b)
    else:
        found = b
        for k in range(n):
            found = np.where(found > i, found - 1, found + x * k)
    with xt.device(device):
        np.testing.assert_array_equal(loops(X, B, n=n, FORM=LOOPS[form]), found.astype(np.int32))


@pytest.mark.parametrize("form", LOOPS)
def test_no_vector_of_index_is_carried_of_which_words_are_asked(form):
    from xetile.dialects.types import INDEX, VectorType
    from xetile.ir.interfaces import variables_of

    module = trace(loops.compile("i32[?]", "i8[?]", "i32[?]", "i32", FORM=LOOPS[form], target="pvc").request)
    verify(module)
    wide = [v for v in variables_of(module) if isinstance(v.holders[0].type, VectorType) and v.holders[0].type.element is INDEX]
    assert bool(wide) == (form == "compared")
