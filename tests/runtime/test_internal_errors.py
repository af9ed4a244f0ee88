"""Mistakes of xetile's own: told as such, with the stage, the op and the user's line, and kept in a file that shows them again."""

import importlib
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError, InternalError
from xetile.passes import pipeline, xegpu_order
from xetile.passes.xegpu.levels import RAISING
from xetile.runtime.specialize import PerformanceWarning
from xetile.target import get_target

pytestmark = pytest.mark.device

TYPES = ("f32[?,?]", "f32[?,?]")


def doubled():
    @xt.jit(grid=(1,))
    def kernel(X, Y):
        x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 16)))
        xt.store_tile(x + x, xt.init_tile(Y, (0, 0), (16, 16)))

    return kernel


def failing(original, number=0):
    def fails(*args, **kwargs):
        op = next(op for op in args[0].walk() if op.opname.endswith("store_tile") or op.opname.endswith("store_nd"))
        return {}[op.opname, number]

    fails.__name__ = original.__name__
    return of_xetile(fails)


def of_xetile(function):
    """As if a function stood in xetile: what functions of the user's raise is not ours."""
    function.__code__ = function.__code__.replace(co_filename=xt.__file__)
    return function


@pytest.fixture
def broken(monkeypatch):
    """Make a pass of the pipeline raise by accident."""

    def break_(name):
        for module, attribute in ((pipeline, "PIPELINE"), (xegpu_order, "XEGPU_PIPELINE"), (xegpu_order, "PRODUCTS")):
            table = tuple(
                (level, tuple(failing(step) if step.__name__ == name else step for step in steps))
                for level, steps in getattr(module, attribute)
            )
            monkeypatch.setattr(module, attribute, table)
            monkeypatch.setattr(f"xetile.passes.named.{attribute}", table)

    return break_


@pytest.mark.parametrize(
    "name", ["check_tiles", "infer_layouts", "distribute_to_subgroups", "block_to_hardware", "fold_transposes"]
)
def test_a_failing_pass_is_named_with_the_op_and_the_line(broken, name):
    broken(name)
    with pytest.raises(InternalError) as caught:
        doubled().compile(*TYPES).spirv
    error = caught.value
    assert error.stage == f"the pass {name}"
    assert f"xetile has failed in the pass {name} at xetile.store_tile: KeyError" in error.message
    assert "xt.store_tile(x + x" in str(error) and "please report it" in error.hint
    contents = Path(error.reproducer).read_text()
    assert (
        f"--pipeline {name}" in contents and "Traceback" in contents and "numpy" in contents and "xetile.store_tile" in contents
    )


def test_the_reproducer_shows_it_again(broken):
    broken("block_to_hardware")
    with pytest.raises(InternalError) as caught:
        doubled().compile(*TYPES).spirv
    file = caught.value.reproducer
    command = next(line for line in Path(file).read_text().splitlines() if "again:" in line).partition("again: ")[2]
    words = command.replace("FILE", file).split()[3:]
    from xetile.cli import main

    assert words[0] == "opt"
    assert main(words) == 1  # here the pass is broken
    done = subprocess.run([sys.executable, "-m", "xetile", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr  # elsewhere it is not


def test_modules_of_the_command_line(broken, tmp_path, capsys):
    from xetile.cli import main

    text = doubled().compile(*TYPES).ir["xetile"]
    (tmp_path / "module.mlir").write_text(text)
    broken("infer_layouts")
    assert main(["opt", str(tmp_path / "module.mlir"), "--pipeline", "lane"]) == 1
    said = capsys.readouterr().err
    assert "InternalError: xetile has failed in the pass infer_layouts at xetile.store_tile" in said and ".mlir" in said


@pytest.mark.parametrize(
    "place,stage",
    [
        ("xetile.frontend.statements.bind", "the frontend"),
        ("xetile.passes.analysis.index_ranges.index_ranges", "compiling"),
        ("xetile.backends.spirv.emit.emitter.Emitter.run", "the SPIR-V writer"),
        ("xetile.runtime.jit.specialize", "the call"),
    ],
)
def test_other_stages(monkeypatch, place, stage, cpu):
    parts = place.split(".")
    for split in range(len(parts) - 1, 0, -1):
        try:
            owner = importlib.import_module(".".join(parts[:split]))
            break
        except ImportError:
            continue
    for part in parts[split:-1]:
        owner = getattr(owner, part)

    def fails(*args, **kwargs):
        raise IndexError("by accident")

    monkeypatch.setattr(owner, parts[-1], of_xetile(fails))
    with pytest.raises(InternalError, match=f"failed in {stage}.*IndexError: by accident"), xt.device(cpu):
        doubled()(np.ones((16, 16), np.float32), np.ones((16, 16), np.float32))


def test_the_numpy_device(monkeypatch):
    from xetile.backends.reference import interpret

    kernel, arrays = doubled(), [np.ones((16, 16), np.float32) for _ in range(2)]
    with xt.device("numpy"):
        kernel(*arrays)

        def fails(*args, **kwargs):
            raise AssertionError

        monkeypatch.setattr(interpret, "interpret", of_xetile(fails))
        with pytest.raises(InternalError, match="failed in the numpy device: AssertionError") as caught:
            kernel(*arrays)
    assert "xetile.store_tile" in Path(caught.value.reproducer).read_text()


def test_what_is_no_mistake_of_ours_stays():
    from xetile.runtime import hooks

    def helper():
        raise ValueError("the user's own")

    @xt.jit(grid=(1,))
    def kernel(X):
        helper()

    def hook(event):
        raise RuntimeError("the hook's own")

    x = np.ones((16, 16), np.float32)
    with xt.device("numpy"):
        with pytest.raises(CompileError, match="ValueError: the user's own") as caught:
            kernel(x)
        assert not isinstance(caught.value, InternalError)
        with pytest.raises(RuntimeError, match="the hook's own"), hooks.added(before_compile=hook):
            doubled()(x, x.copy())
    with warnings.catch_warnings(), xt.device("cpu"):
        warnings.simplefilter("error")
        with pytest.raises(PerformanceWarning):
            doubled()(np.ones((999, 3), np.float32), np.ones((999, 3), np.float32))


def test_all_passes_have_names_for_the_command_line():
    from xetile.passes.named import passes

    known = passes()
    tables = (*pipeline.PIPELINE, *xegpu_order.XEGPU_PIPELINE, *xegpu_order.PRODUCTS)
    assert {RAISING, *(step.__name__ for _, steps in tables for step in steps)} <= known.keys()
    assert get_target("pvc").name == "pvc"
