"""Wrong programs: the message points to the mistake and says what was expected; with the fix they run, and give what they should."""

import warnings

import numpy as np
import pytest

import xetile as xt
from tests.errors.programs import PROGRAMS
from xetile.errors import CompileError

HEAD = """import math
import numpy as np, xetile as xt

@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)
def kernel(X, H, I, n, Y, M: xt.constexpr = 8):
    x, h = xt.load_tile(X[0:8, 0:32]), xt.load_tile(H[0:32, 0:16])
    y = """
TAIL = "\n    xt.store_tile(y, Y[0:8, 0:32])\n"
RANDOM = np.random.default_rng(0)
X, H = RANDOM.standard_normal((8, 32), dtype=np.float32), RANDOM.standard_normal((32, 16)).astype(np.float16)
NUMBERS = RANDOM.integers(0, 8, 8).astype(np.int32)


def kernel_of(body, folder):
    file = folder / f"program_{abs(hash(body))}.py"
    file.write_text(HEAD + body + TAIL, encoding="utf-8")
    scope = {"__name__": "program"}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), scope)
    return scope["kernel"], file


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_the_message_points_to_the_mistake(case, tmp_path):
    place = case.wrong.index("§")
    kernel, file = kernel_of(case.wrong.replace("§", ""), tmp_path)
    with xt.device("numpy"), pytest.raises(CompileError) as raised:
        kernel(X, H, NUMBERS, 3)
    at, error = raised.value.at, raised.value
    assert case.message in error.message, error
    assert case.hint in (error.hint or ""), error
    first = (HEAD.count("\n") + 1, len(HEAD.rpartition("\n")[2]) + place)
    assert (at.file, at.line, at.column) == (str(file), *first), error


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_with_the_fix_it_runs(case, tmp_path):
    kernel, _ = kernel_of(case.fixed, tmp_path)
    with xt.device("numpy"), warnings.catch_warnings():
        warnings.simplefilter("error")
        found = kernel(X.copy(), H, NUMBERS, 3)
    assert np.isfinite(found).all()
    if case.expected is not None:
        np.testing.assert_allclose(found, case.expected(X=X, H=H, I=NUMBERS, n=3), rtol=1e-5, atol=1e-5)


def test_there_are_enough():
    assert len({case.wrong for case in PROGRAMS}) == len(PROGRAMS) >= 60
