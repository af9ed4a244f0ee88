"""Words of numpy, torch and Triton get a hint that says how kernels say it."""

import math

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError
from xetile.frontend.words import CALLS, HOST, KEYWORDS, WORDS


def hint_of(body) -> str:
    @xt.jit(num_subgroups=1)
    def kernel(A):
        t = xt.init_tile(A, (0, 0), (16, 16))
        xt.store_tile(body(xt.load_tile(t)), t)

    with pytest.raises(CompileError) as error:
        kernel.compile("f32[?,?]").spirv
    return error.value.hint or ""


@xt.jit
def method(x):
    return x.sum(axis=1)


@xt.jit
def cast(x):
    return x.astype(xt.f16)


@xt.jit
def dtype(x):
    return x.to(xt.bfloat16)


@xt.jit
def product(x):
    return xt.dot(x, x)


@xt.jit
def of_numpy(x):
    return np.exp(x)


@xt.jit
def of_math(x):
    return math.sqrt(x)


@xt.jit
def of_numpy_alone(x):
    return np.clip(x, 0, 1)


@xt.jit
def misspelt(x):
    return xt.sqr(x)


@pytest.mark.parametrize("body, hint", [
    (method, "xt.sum(x, ...)"), (cast, "x.to(dtype)"), (dtype, "xt.bf16"), (product, "a @ b"), (of_numpy, "use xt.exp"),
    (of_math, "use xt.sqrt"), (of_numpy_alone, "xt.clamp"), (misspelt, "did you mean sqrt?"),
])  # fmt: skip
def test_hint(body, hint):
    assert hint in hint_of(body)


def test_words_are_not_ours():
    """What xetile has needs no hint, and hints name what it has."""
    import re

    assert not [word for word in WORDS if word in dir(xt)]
    named = {
        name for table in (WORDS, CALLS, HOST, KEYWORDS) for hint in table.values() for name in re.findall(r"xt\.(\w+)", hint)
    }
    assert not [name for name in named if not hasattr(xt, name)]


@xt.jit
def sorted_in_place(x):
    xs = [3, 1, 2]
    xs.sort()
    return x * xs[0]


@xt.jit
def copied(x):
    return [x].copy()[0]


@xt.jit
def removed(x):
    xs = [3, 1, 2]
    xs.remove(1)
    return x * xs[0]


def test_methods_of_lists():
    """What a kernel's lists lack."""
    assert hint_of(sorted_in_place) == "xs = sorted(xs)"
    assert hint_of(copied) == "list(xs)"
    assert "xs.pop(i)" in hint_of(removed)
