"""Every level of every kernel of the tutorials: its text is read back, and the module that was read leaves the same in memory."""

from __future__ import annotations

import runpy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from xetile.backends.reference.backend import ReferenceKernel
from xetile.backends.reference.interpret import _prepared

import xetile as xt
from tests import tools
from tests.test_tutorials import TUTORIALS
from xetile import mlir
from xetile.dialects.levels import EXECUTED_BY
from xetile.errors import XetileError
from xetile.ir.printer import print_op
from xetile.runtime import compiler

# Kernels by the dozen, or none of their own.
PASSED_OVER = ("06", "14", "15", "16", "17", "18")
PATHS = [path for path in TUTORIALS if path.stem[:2] not in PASSED_OVER]
COVERING = ("02", "09", "12")


@pytest.fixture
def launches(monkeypatch):
    """The first launch of each compiled kernel: its request, and the arguments before it ran."""
    requests, found = {}, {}
    programs, bind = compiler.program, ReferenceKernel.bind

    def program(request, *args, **kwargs):
        made = programs(request, *args, **kwargs)
        requests[id(made.module)] = made, request
        return made

    def watched(self, grid, args, **kwargs):
        made, request = requests.get(id(self.artifact.module), (None, None))
        if request is not None and id(made) not in found:
            found[id(made)] = request, grid, self.artifact, [copied(v) for v in args]
        return bind(self, grid, args, **kwargs)

    monkeypatch.setattr(compiler, "program", program)
    monkeypatch.setattr(ReferenceKernel, "bind", watched)
    yield found
    monkeypatch.undo()


def copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def left_by(module: Any, program: Any, grid: Any, given: Any) -> list[Any]:
    """What a module leaves in its arrays; the first few programs do, since levels differ in what each does."""
    args = [copied(v) for v in given]
    try:
        kernel = ReferenceKernel(replace(program, module=module, args=compiler.arguments(module)))
        kernel.launch(tuple(min(n, 2) for n in grid), args)
    except XetileError as error:
        return [type(error)]
    finally:
        _prepared.clear()  # passes change kernels in place
    return [v.tobytes() for v in args if isinstance(v, np.ndarray)]


@pytest.mark.every(3)
@pytest.mark.parametrize("target", [pytest.param("pvc"), pytest.param("dg2", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "path", [pytest.param(p, id=p.stem, marks=() if p.stem[:2] in COVERING else pytest.mark.slow) for p in PATHS]
)
def test_each_level_is_read_back_and_means_the_same(path, target, launches, capsys):
    tools.require_tool("mlir-opt")
    with xt.device("numpy"):
        runpy.run_path(str(path), run_name="__main__")
    tried = 0
    for request, grid, program, given in list(launches.values()):
        for level, module in compiler.lower(replace(request, target=target)):
            assert level in EXECUTED_BY
            read = mlir.parse(print_op(module))
            assert read.kernel.attributes.get("level", "xetile") == module.kernel.attributes.get("level", "xetile")
            where = f"{request.fn.__name__} at level {level}"
            assert left_by(read, program, grid, given) == left_by(module, program, grid, given), where
            tried += 1
    assert tried
