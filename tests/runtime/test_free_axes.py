"""Views that drop the last axis but one (`X[:, h]`): block messages where all strides suit them, element by element elsewhere."""

import numpy as np
import pytest

import xetile as xt
from tests import tools
from xetile.errors import ArgumentError
from xetile.runtime.specialize import PerformanceWarning
from xetile.signature import parse

pytestmark = pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")


@xt.jit(grid=lambda X: X.shape[1])
def heads(X, Begins, Y, D: xt.constexpr):
    h = xt.program_id(0)
    b = Begins[0]
    Y[h, 0:16, 0:D] = xt.load_tile(xt.init_tile(X[b : b + 9, h], (0, 0), (16, D)))
    Y[h, 16:32, 0:D] = xt.load_tile(xt.init_tile(X[:, h], (b, 0), (16, D)))


def check(device, x):
    x = np.asarray(x)
    y = np.zeros((x.shape[1], 32, x.shape[2]), x.dtype)
    with xt.device(device):
        heads(x, np.int32([3]), y, x.shape[2])
    expected = np.zeros_like(y)
    for first, stop, at in ((3, min(12, len(x)), 0), (3, min(19, len(x)), 16)):
        expected[:, at : at + stop - first] = x[first:stop].swapaxes(0, 1)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.covering
@pytest.mark.every(4, 3)
@pytest.mark.parametrize("columns", [16, 24, 40, 64])
@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=lambda t: t.__name__)
@pytest.mark.parametrize("target", ["sim:pvc", "sim:dg2", "cpu", "numpy"])
def test_heads_of_any_width(target, dtype, columns):
    for tool in ("ocloc", "iga64") if target.startswith("sim") else ():
        tools.require_tool(tool)
    x = np.random.default_rng(0).standard_normal((21, 3, columns)).astype(dtype)
    check(target, x)
    check(target, np.broadcast_to(x[0], (5, 3, columns)))
    check(target, np.pad(x, ((0, 0), (0, 0), (0, 32)))[..., :columns])


def test_block_messages_where_strides_are_known_to_suit():
    from xetile.ir.printer import print_op

    def loads(mark):
        made = heads.compile(f"f32[?,?,?{mark}]", "i32[?]", "f32[?,?,?]", D=64, target="pvc").ir["xegpu"]
        text = made if isinstance(made, str) else print_op(made)
        return text.count("xegpu.load_nd")

    assert loads(";free") > 0 and loads(";any") == 0


def test_types_that_say_nothing_of_strides_take_what_suits_the_views_of_a_kernel():
    """Only where a kernel drops an axis of the last two: a saved kernel refuses no array that it could take."""

    @xt.jit(grid=lambda X: X.shape[0])
    def matrices(X, Y):
        z = xt.program_id(0)
        Y[z, 0:16, 0:64] = xt.load_tile(X[z, 0:16, 0:64])

    def types(kernel, x, target, **constants):
        other = ("i32[?]",) if kernel is heads else ()
        return str(kernel.compile(x, *other, "f32[?,?,?]", target=target, **constants).request.signature["X"])

    suited, odd = np.zeros((4, 2, 64), np.float32), np.zeros((4, 2, 40), np.float32)
    assert types(heads, "f32[?,?,?]", "pvc", D=64) == types(heads, suited, "pvc", D=64) == "f32[?,?,?;free]"
    assert types(heads, "f32[?,?,?;any]", "pvc", D=64) == types(heads, odd, "pvc", D=40) == "f32[?,?,?]"
    assert types(heads, "f32[?,?,?]", "avx2", D=64) == types(matrices, "f32[?,?,?]", "pvc") == "f32[?,?,?]"


def test_the_text_of_a_type_in_full_promises_no_more():
    assert parse("f32[?,?,?]").in_full == "f32[?,?,?;any]" and parse("f32[?,?,?;any]") == parse("f32[?,?,?]")
    assert parse("f32[?,?,?;free]").in_full == "f32[?,?,?;free]" and parse("f32[?,?]").in_full == "f32[?,?]"


def test_saved_kernels_refuse_strides_that_they_were_not_made_for(tmp_path):
    heads.compile("f32[?,?,?;free]", "i32[?]", "f32[?,?,?]", D=40, target="pvc").save(tmp_path / "heads")
    kernel = xt.load(tmp_path / "heads")
    x, y = np.zeros((21, 3, 40), np.float32), np.zeros((3, 32, 40), np.float32)
    with xt.device("cpu"), pytest.raises(ArgumentError, match=r"multiples of 64 bytes.*;any"):
        kernel[(3,)](x, np.int32([3]), y)


def test_the_mark_is_of_three_axes():
    assert str(parse("f32[?,?,?;free]")) == "f32[?,?,?;free]"
    with pytest.raises(ArgumentError, match="none to choose from"):
        parse("f32[?,?;free]")


def test_the_launch_says_why_such_a_view_is_slow():
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    with pytest.warns(PerformanceWarning, match="drops the array's last axis but one"):
        check("sim:pvc", np.ones((30, 2, 24), np.float32))
