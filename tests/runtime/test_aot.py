"""Saved kernels: run without their source, check their arguments, say what is damaged."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import xetile as xt
from tests.runtime.sample import matmul, scale
from xetile.errors import ArgumentError, DeviceError
from xetile.runtime.artifact import Binary

TYPES = ("f16[?,?]", "f16[?,?]", "f32[?,?]")


def operands() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((48, 64), (64, 96)))
    return a, b, np.zeros((48, 96), np.float32)


@pytest.fixture
def saved(tmp_path):
    matmul.compile(*TYPES, BM=16).save(tmp_path / "matmul")
    return tmp_path / "matmul"


def test_a_compiled_kernel_is_not_called(tmp_path):
    compiled = matmul.compile(*TYPES, BM=16)
    with pytest.raises(ArgumentError, match="matmul compiled for pvc is not called") as raised:
        compiled(*operands())
    assert "call matmul(...) itself" in (raised.value.hint or "")
    assert raised.value.at is not None and raised.value.at.file == __file__


def test_two_files_say_everything(saved):
    document = json.loads(saved.with_suffix(".json").read_text())
    spirv = saved.with_suffix(".spv").read_bytes()
    kernel = document["kernel"]
    assert (kernel["name"], kernel["target"], document["constants"]["BM"]) == ("matmul", "pvc", "16")
    assert document["signature"] == dict(zip("ABC", TYPES, strict=True))
    assert [arg["kind"] for arg in kernel["args"]] == ["array", "dim", "dim", "stride"] * 3
    assert Binary.from_manifest(kernel, spirv).spirv == matmul.compile(*TYPES, BM=16).spirv


@pytest.mark.device
def test_a_saved_kernel_computes_the_same(saved, cpu):
    a, b, c = operands()
    with xt.device(cpu):
        kernel = xt.load(saved)
        assert kernel[3, 3](a, b, c) is None
        assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
        c[:] = 0
        assert kernel[3, 3](a, C=c, B=b) is None
        assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
        c[:] = 0
        xt.load(saved.with_suffix(".spv"), grid=lambda C: (xt.cdiv(C.shape[1], 32), xt.cdiv(C.shape[0], 16))).bind(a, b, c)()
        assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
        queue = xt.Queue()
        args = [queue.to_device(x) for x in (a, b, np.zeros_like(c))]
        kernel[3, 3](*args).wait()
        assert np.array_equal(args[2].get(), c)


@pytest.mark.device
def test_it_needs_no_source_and_no_compiler(saved, cpu):
    code = f"""
import sys, numpy as np, xetile as xt
a = np.ones((48, 64), np.float16); b = np.ones((64, 96), np.float16); c = np.zeros((48, 96), np.float32)
with xt.device("cpu"):
    xt.load({str(saved)!r})[3, 3](a, b, c)
assert (c == 64).all()
compiler = ("xetile.ir", "xetile.dialects", "xetile.frontend", "xetile.passes", "xetile.target.table")
print([name for name in compiler if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr


REFUSED = {
    "no grid": (lambda k, a, b, c: k(a, b, c), "has no grid"),
    "bad grid": (lambda k, a, b, c: k["x"](a, b, c), "the grid is"),
    "arguments missing": (lambda k, a, b, c: k[1](a, b), "3 arguments, not 2"),
    "one of another name": (lambda k, a, b, c: k[1](a, b, D=c), "no parameter D"),
    "one twice": (lambda k, a, b, c: k[1](a, b, c, A=a), "was given A twice"),
    "dtype": (lambda k, a, b, c: k[1](a, b.astype(np.float32), c), "convert it to f16"),
    "rank": (lambda k, a, b, c: k[1](a[0], b, c), "2 dimensions"),
    "a number": (lambda k, a, b, c: k[1](a, 1, c), "the other a number"),
    "column-major": (lambda k, a, b, c: k[1](a, np.asfortranarray(b), c), "last dimension must be contiguous"),
    "block rules": (
        lambda k, a, b, c: k[1](a[:, :31], b[:31], c),
        r"(?s)a row must have at least 64 bytes.*hint: compile it with \"f16\[\?,\?;scattered\]\" for A",
    ),
    "overlap": (lambda k, a, b, c: k[1](c.view(np.float16)[:, :64], b, c), "shares memory"),
}


@pytest.mark.device
@pytest.mark.parametrize("call,words", REFUSED.values(), ids=REFUSED.keys())
def test_arguments_that_it_was_not_compiled_for_are_refused(saved, cpu, call, words):
    a, b, c = operands()
    with xt.device(cpu), pytest.raises(ArgumentError, match=words):
        call(xt.load(saved), a, b, c)
    assert not c.any()


def test_the_numpy_device_cannot_run_spirv(saved):
    with xt.device("numpy"), pytest.raises(DeviceError, match="SPIR-V"):
        xt.load(saved)[1](*operands())


DAMAGES = {
    "other module": lambda p: p.with_suffix(".spv").write_bytes(b"other"),
    "no module": lambda p: p.with_suffix(".spv").unlink(),
    "no manifest": lambda p: p.with_suffix(".json").unlink(),
    "no JSON": lambda p: p.with_suffix(".json").write_text("{"),
    "a list": lambda p: p.with_suffix(".json").write_text("[]"),
    "other format": lambda p: p.with_suffix(".json").write_text('{"format": 99}'),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_damaged_files_are_refused(saved, damage):
    damage(saved)
    with pytest.raises(ArgumentError, match="matmul"):
        xt.load(saved)


@pytest.mark.device
def test_scattered_kernels_take_every_array(tmp_path, cpu):
    scale.compile("f32[?,?;scattered]", "f32[?,?;scattered]", "f32").save(tmp_path / "any")
    x, y = np.ones((3, 5), np.float32), np.zeros((3, 5), np.float32)
    with xt.device(cpu):
        xt.load(tmp_path / "any")[1](x, y, 2.0)
    assert (y == 2).all()


@pytest.mark.every(2)
@pytest.mark.device
@pytest.mark.parametrize("mark", ["ragged", "scattered"])
def test_kernels_for_rows_of_any_length(tmp_path, cpu, mark):
    """DG2: rows go by runs of 8 elements where a kernel may rely on that."""
    x, y = np.ones((3, 12), np.float32), np.zeros((3, 12), np.float32)
    for name, marks in (("whole", ""), ("any", f";{mark}")):
        scale.compile(f"f32[?,?{marks}]", f"f32[?,?{marks}]", "f32", target="dg2").save(tmp_path / name)
    with xt.device(cpu):
        with pytest.raises(ArgumentError, match="multiple of 8 elements"):
            xt.load(tmp_path / "whole")[1](x, y, 2.0)
        xt.load(tmp_path / "any")[1](x, y, 2.0)
    assert (y == 2).all()


@pytest.mark.device
def test_a_c_program_runs_it_by_the_manifest(tmp_path, cpu):
    """A module without Intel's extensions, so that the CPU runtime takes the very file; see c_host."""
    from pyopencl import _cl

    scale.compile("f32[?,?;scattered]", "f32[?,?;scattered]", "f32").save(tmp_path / "scale")
    xt.devices()  # makes Intel's CPU runtime visible to processes started from here
    command = [
        sys.executable,
        str(Path(__file__).with_name("c_host.py")),
        _cl.__file__,
        str(tmp_path / "scale"),
        "2x3",
        "40x20",
        "40x20",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [2.0 * (i + 1) for i in range(800)]
