"""What is found of kernels before they are compiled ahead of time, and kept for that."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from xetile.errors import ArgumentError

SCALE = 1.0


@xt.jit
def scaled_rows(X, Y):
    h = xt.program_id(0)
    xt.store_tile(xt.load_tile(xt.init_tile(X[h], (0, 0), (8, 16))) * SCALE, xt.init_tile(Y[h], (0, 0), (8, 16)))


def test_a_trace_that_nobody_took_is_not_taken_for_other_globals(monkeypatch, tmp_path):
    """The axes are known from the disk for the second one, and the first one's code is: nobody traces between them."""
    monkeypatch.setenv("XETILE_CACHE_DIR", str(tmp_path))
    types = ("f32[?,?,?]",) * 2

    def spirv(scale):
        monkeypatch.setitem(globals(), "SCALE", scale)
        return scaled_rows.compile(*types).spirv

    first = spirv(2.0)
    axes_of_first = set((tmp_path / "axes").rglob("*.entry"))
    kernels_of_first = set((tmp_path / "kernels").rglob("*.entry"))
    second = spirv(3.0)
    assert first != second
    for entry in {*axes_of_first, *(set((tmp_path / "kernels").rglob("*.entry")) - kernels_of_first)}:
        entry.unlink()
    assert spirv(2.0) == first
    assert spirv(3.0) == second


@xt.jit(out={"Y": lambda X, N: xt.empty((X.shape[0], N), xt.f32)}, grid=1)
def with_defaults(X, Y, factor=2.0, shift=None, N: xt.constexpr = 16):
    x = xt.load_tile(X[0:8, 0:N]).to(xt.f32) * factor
    Y[0:8, 0:N] = x if shift is None else x + shift


def test_what_a_call_leaves_out_needs_no_type():
    x, y = np.ones((8, 32), np.float16), np.ones((8, 16), np.float32)
    whole = with_defaults.compile(x, y, 2.0, None)
    assert str(whole.request.signature) == str(with_defaults.compile(x).request.signature)
    assert with_defaults.compile(x).request.signature == with_defaults.compile(x, y).request.signature
    assert str(with_defaults.compile(X=x, N=32).request.signature) == "X: f16[?,?;close], Y: f32[?,?], factor: f32"
    shifted = with_defaults.compile(x, factor=np.float16(3), shift="i32")
    assert {name: str(kind) for name, kind in shifted.request.signature.items() if name != "X"} == {
        "Y": str(whole.request.signature["Y"]), "factor": "f16", "shift": "i32"}  # fmt: skip
    assert with_defaults.compile("f16[?,?]", "f32[?,?]").request.constexprs["shift"] is None


@xt.jit(out={"Y": lambda X: xt.empty((), xt.f32)}, grid=1)
def without_axes(X, factor, Y=None):
    Y[()] = xt.sum(xt.load_tile(X[0:16])) * factor


def test_arrays_without_axes_are_numbers_as_in_calls_and_outputs_are_not():
    x = np.ones(16, np.float32)
    found = without_axes.compile(x, np.array(2.0, np.float32)).request.signature
    assert {name: str(kind) for name, kind in found.items() if name != "X"} == {"factor": "f32", "Y": "f32[]"}
    assert found == without_axes.compile(x, np.array(2.0, np.float32), np.zeros((), np.float32)).request.signature


def test_an_output_that_is_none_by_default_is_left_out():
    message = "has 3 parameters, 2 types were given\n  hint: give types for X, factor, Y; outputs follow from arrays alone"
    with pytest.raises(ArgumentError, match=message):
        without_axes.compile("f32[?]", "f32")
    assert without_axes.compile("f32[?]", "f32", "f32[]").request.signature["Y"] is not None


@pytest.mark.parametrize(("given", "named", "message"), [
    (("f16[?,?]",), {}, "has 4 parameters, 1 types were given"),
    ((), {"factor": 2.0}, "has 4 parameters, 1 types were given"),
    (("f16[?,?]", "f32[?,?]", 2.0, None, 3), {}, "has 4 parameters, 5 types were given"),
    (("f16[?,?]", "f32[?,?]"), {"Y": "f32[?,?]"}, "Y was given twice"),
    (("f16[?,?]", "f32[?,?]"), {"BM": 8}, "has no constant BM"),
])  # fmt: skip
def test_types_that_are_missing_or_too_many(given, named, message):
    with pytest.raises(ArgumentError, match=message):
        with_defaults.compile(*given, **named)
