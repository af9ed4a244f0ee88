"""`assert` in kernels on what a launch gives: decided on the host, before anything runs, in cold, warm, bound and saved calls."""

import json

import numpy as np
import pytest

import xetile as xt
from xetile.errors import ArgumentError, CompileError

pytestmark = [pytest.mark.device, pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")]


@xt.jit
def same_length(X, Y):
    assert X.shape[0] == Y.shape[0]


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
def gathered(X, Z, Y, n, scale=1.0, BM: xt.constexpr = 16):
    """Y = X * scale."""
    same_length(X, Z)
    assert X.shape[0] % 4 == 0 and X.shape[0] <= xt.cdiv(X.shape[0], BM) * BM, f"{X.shape[0]} elements are no whole groups"
    assert 0 <= n < X.shape[0], "n is an element"
    assert not scale > 2, f"scale {scale}"
    assert BM % 16 == 0
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0,), (BM,))) * scale, xt.init_tile(Y, (0,), (BM,)))


def arrays(n=16, m=None):
    return np.ones(n, np.float32), np.ones(n if m is None else m, np.float32)


WRONG = [
    (
        arrays(16, 20),
        (3,),
        r"`X.shape\[0\] == Y.shape\[0\]` does not hold: X.shape\[0\] is 16, Z.shape\[0\] is 20",
        "X.shape[0] == Y",
    ),
    (arrays(18), (3,), r"18 elements are no whole groups: .*X.shape\[0\] is 18", "X.shape[0] % 4"),
    (arrays(16), (16,), r"n is an element: `0 <= n < X.shape\[0\]` does not hold: n is 16, X.shape\[0\] is 16", "0 <= n"),
    (arrays(16), (-1,), "n is -1", "0 <= n"),
    (arrays(16), (2**40,), "n is 1099511627776", "0 <= n"),
    (arrays(16), (3, 2.5), r"scale 2\.5", "not scale > 2"),
]


@pytest.mark.every(2)
@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("given,scalars,said,at", WRONG)
def test_what_does_not_hold_is_refused_with_both_sizes(device, warm, given, scalars, said, at):
    with xt.device(device):
        if warm:
            for good in ((3,), (2**31,), (3, 1.5)):
                x, z = arrays(16)
                if good[0] < 16:
                    gathered(x, z, n=good[0], **dict(zip(("scale",), good[1:])))
        n, *scale = scalars
        with pytest.raises(ArgumentError, match=said) as caught:
            gathered(*given, n=n, **dict(zip(("scale",), scale)))
        assert caught.value.at.text.startswith(at)
        with pytest.raises(ArgumentError, match=said):
            gathered.bind(*given, n=n, **dict(zip(("scale",), scale)))


def test_shapes_are_compared_as_tuples(device):
    @xt.jit(grid=(1,))
    def alike(X, Y):
        assert X.shape == Y.shape, "as large"
        assert X.shape[:1] != Y.shape
        Y[0, 0:4] = xt.load_tile(X[0, 0:4])

    y = np.zeros((2, 5), np.float32)
    with xt.device(device):
        alike(np.ones((2, 5), np.float32), y)
        with pytest.raises(
            ArgumentError, match=r"as large: `X.shape == Y.shape` does not hold: .*X.shape\[1\] is 6, Y.shape\[1\] is 5"
        ):
            alike(np.ones((2, 6), np.float32), y)
    assert y[0, :4].all()


def test_a_warm_call_stays_warm(device):
    x, z = arrays()
    with xt.device(device):
        gathered(x, z, n=3)
        misses = xt.stats().fast_misses
        assert (gathered(x, z, n=4) == 1).all()
        assert xt.stats().fast_misses == misses


def test_saved_kernels_state_it_too(tmp_path):
    types = ("f32[?]", "f32[?]", "f32[?]", "i32", "f32")
    gathered.compile(*types).save(tmp_path / "saved")
    (x, z), y = arrays(), np.zeros(16, np.float32)
    with xt.device("cpu"):
        saved = xt.load(tmp_path / "saved", grid=(1,))
        saved(x, z, y, 3, 1.0)
        with pytest.raises(ArgumentError, match=r"Z.shape\[0\] is 20"):
            saved(x, arrays(20)[0], y, 3, 1.0)
        with pytest.raises(ArgumentError, match="n is 16"):
            saved(x, z, y, 16, 1.0)
    file = tmp_path / "saved.json"
    document = json.loads(file.read_text())
    document["kernel"]["requires"]["steps"][0] = ["dim", "open('x')", 0]
    file.write_text(json.dumps(document))
    with pytest.raises(ArgumentError, match="saved kernel"):
        xt.load(file)


@pytest.mark.every(2)
@pytest.mark.parametrize("strided", [False, True])
def test_strides_and_constants(device, strided):
    @xt.jit(grid=(1,))
    def kernel(X, Y, LIMIT: xt.constexpr):
        assert X.stride(0) == X.shape[1], "rows lie one after the other"
        assert X.shape[0] * X.shape[1] < LIMIT
        xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (8, 16))), xt.init_tile(Y, (0, 0), (8, 16)))

    x, y = np.ones((8, 32), np.float32)[:, : 16 if strided else 32], np.zeros((8, 16), np.float32)
    with xt.device(device):
        if strided:
            with pytest.raises(ArgumentError, match=r"X.stride\(0\) is 32, X.shape\[1\] is 16"):
                kernel(x, y, LIMIT=1000)
        else:
            kernel(x, y, LIMIT=1000)
            assert (y == 1).all()
            with pytest.raises(ArgumentError, match=r"X.shape\[0\] is 8"):
                kernel(x, y, LIMIT=256)


def test_what_no_launch_can_decide_is_refused():
    @xt.jit(grid=(1,))
    def of_a_program(X):
        assert xt.program_id(0) < 3

    @xt.jit(grid=(1,))
    def in_a_branch(X, n):
        if n > 3:
            assert X.shape[0] > 5

    for kernel, types in ((of_a_program, ("f32[?]",)), (in_a_branch, ("f32[?]", "i32"))):
        with pytest.raises(CompileError, match="device_assert"):
            kernel.compile(*types).spirv
