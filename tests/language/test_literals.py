"""Numbers in kernels that a dtype does not hold: an error at the line, never an infinity, a wrapped number or a raw exception."""

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError, XetileError
from xetile.frontend import trace
from xetile.language.promote import float_limit
from xetile.signature import Signature

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
HUGE = (10**30, -(10**30), 10**400, -(10**5000))


def _add(x, number):
    return x + number


def _compare(x, number):
    return xt.where(x < number, x, x)


def _full(x, number):
    return x + xt.full((16,), number, x.dtype)


def _minimum(x, number):
    return xt.minimum(x, number)


def _where(x, number):
    return xt.where(x > 0, x, number)


def _clamp(x, number):
    return xt.clamp(x, 0, number) if number > 0 else xt.clamp(x, number, 0)


def _reversed(x, number):
    return number - x


def _numpy(x, number):
    return x + np.float64(number) if isinstance(number, float) else x + number


OPS = (_add, _compare, _full, _minimum, _where, _clamp, _reversed, _numpy)


def kernel(X, op: xt.constexpr, number: xt.constexpr):
    tile = xt.init_tile(X, (0,), (16,))
    xt.store_tile(op(xt.load_tile(tile), number).to(X.dtype), tile)


def traced(dtype, op, number):
    return trace(kernel, Signature.of(X=f"{dtype}[?]"), {"op": op, "number": number})


def outside(dtype):
    if dtype in FLOATS:
        limit = float_limit(xt.dtypes.dtype(dtype)) if dtype != "f64" else None
        return [n for n in HUGE if abs(n) > 10**308] + ([] if limit is None else [limit, -limit, 1e300 if dtype != "f64" else 0])
    info = np.iinfo(xt.dtypes.dtype(dtype).numpy)
    return [int(info.min) - 1, int(info.max) + 1, *HUGE]


@pytest.mark.every(2)
@pytest.mark.parametrize("op", OPS, ids=lambda op: op.__name__)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_numbers_out_of_range_are_refused_where_they_stand(dtype, op):
    for number in outside(dtype):
        with pytest.raises(CompileError, match=r"does not fit|is not a number of") as caught:
            traced(dtype, op, number)
        assert caught.value.at is not None


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.__name__)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_the_largest_numbers_are_taken(dtype, op):
    numpy_dtype = xt.dtypes.dtype(dtype).numpy
    if dtype in FLOATS:
        largest = float(np.finfo(numpy_dtype).max) if dtype != "bf16" else 3.3895313892515355e38
        numbers = [largest, -largest, float("inf"), -float("inf"), float("nan")]
    else:
        numbers = [int(np.iinfo(numpy_dtype).min), int(np.iinfo(numpy_dtype).max)]
    for number in numbers:
        traced(dtype, op, number)


@pytest.mark.parametrize("text", ["x ** 1e300", "x + (1 << 4000)", "x << 4000", "x + 1j", "x * (-1) ** 0.5", "xt.exp(10**400)",
                                  "xt.full((16,), 10**400)", "xt.load_tile(xt.init_tile(X, (0,), (16,)), padding=1e300)",
                                  "xt.load_tile(xt.init_tile(X, (10**30,), (16,)))", "x + 1 // 0", "x + xt.arange(10**400)",
                                  "x + xt.sum(x) * 1e39", "xt.fma(x, 1e300, 1.0)", "x + min(1e300, xt.sum(x))"])  # fmt: skip
def test_numbers_that_nothing_holds(text, tmp_path):
    import importlib.util

    file = tmp_path / "kernel_with_a_number.py"
    file.write_text(f"import xetile as xt\ndef kernel(X):\n    x = xt.load_tile(xt.init_tile(X, (0,), (16,)))\n    y = {text}\n")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(XetileError) as caught:
        trace(module.kernel, Signature.of(X="f32[?]"))
    assert caught.value.at.line == 4
