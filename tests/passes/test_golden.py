"""Each pass alone, as text: the module before it and after it. And one kernel at every level, down to SPIR-V.

The text before a pass is read from the golden file, so that other passes do not count: --update-golden writes what the pass makes of
it. Where the file does not exist, the whole pipeline makes it: delete one to have its text before the pass made anew.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xetile.backends.spirv.module.disassemble import disassemble

from tests.parity.run import uncompiled
from tests.passes.golden_kernels import CASES, PRODUCT, gathered, two_loads
from tests.passes.parity import traced
from xetile import mlir
from xetile.ir.printer import print_op
from xetile.passes import manager, pipeline, xegpu_order
from xetile.passes.named import passes
from xetile.passes.vectors.split_scattered import split_scattered
from xetile.runtime import compiler
from xetile.target import get_target

FOLDER = Path(__file__).parents[1] / "golden" / "passes"
BEFORE, AFTER = "// before {}\n", "\n\n// after {}\n"


class Around(manager.Instrument):
    """The module before the first run of a pass that changes it, else before its first run."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.text = self._last = ""
        self._changed = False

    def before(self, name: str, module: Any, rest: Sequence[str]) -> None:
        self._last = print_op(module)

    def after(self, name: str, module: Any) -> None:
        changes = print_op(module) != self._last
        if name == self.name and not self._changed and (changes or not self.text):
            self.text, self._changed = self._last, changes


def pass_of(name: str) -> str:
    """The pass that a case shows: the first word of its name, of several of one pass."""
    return name.split()[0]


def compiled(name: str) -> Any:
    kernel, types, options, target = CASES[name]
    return uncompiled(kernel, *types, target=target, **options)


def made(name: str) -> str:
    """The text before a pass, by the whole pipeline."""
    seen = Around(pass_of(name))
    with manager.watched(seen):
        compiler.build(compiled(name).request)
    return seen.text


def every_pass() -> set[str]:
    tables = (pipeline.PIPELINE, xegpu_order.XEGPU_PIPELINE, xegpu_order.PRODUCTS, pipeline.VECTORS)
    return {step.__name__ for table in tables for _, steps in table for step in steps}


def test_no_pass_is_left_out():
    assert set(map(pass_of, CASES)) == every_pass()


def functions_that_make_modules() -> set[str]:
    """Of each file of passes the function of its name, where that gives a module: also those that other passes begin with."""
    files = Path(pipeline.__file__).parent.rglob("*.py")
    functions = ((file.stem, node) for file in files for node in ast.parse(file.read_text(encoding="utf-8")).body)
    return {
        name
        for name, node in functions
        if isinstance(node, ast.FunctionDef) and node.name == name and node.returns and ast.unparse(node.returns) == "GpuModule"
    }


def test_all_that_makes_a_module_of_a_module_is_shown_as_text():
    shown = {file.stem for file in FOLDER.glob("*.mlir")}
    assert functions_that_make_modules() - shown == set()
    assert {"part_descriptors", "split_scattered", "infer_layouts"} <= functions_that_make_modules()


def test_scattered_tiles_alone(golden):
    arrays = {"X": np.zeros((8, 16), np.float32), "Y": np.zeros((8, 16), np.float32)}
    module = traced(gathered.fn, arrays)
    before = print_op(module)
    after = print_op(split_scattered(module))
    golden("passes/split_scattered.mlir", BEFORE.format("split_scattered") + before + AFTER.format("split_scattered") + after)


@pytest.mark.parametrize("name", CASES)
def test_a_pass_alone(name, golden):
    shown, alone = name.replace(" ", "_"), pass_of(name)
    file = FOLDER / f"{shown}.mlir"
    if file.exists():
        before = file.read_text().split(AFTER.format(alone))[0].removeprefix(BEFORE.format(alone))
    else:
        before = made(name)
    module = mlir.parse(before)
    steps = {**passes(), **{step.__name__: step for _, found in pipeline.VECTORS for step in found}}
    after = print_op(manager.run([steps[alone]], module, get_target(CASES[name][3])))
    golden(f"passes/{shown}.mlir", BEFORE.format(alone) + before + AFTER.format(alone) + after)


def test_one_kernel_at_every_level(golden):
    request = uncompiled(two_loads, *PRODUCT, target="pvc", num_subgroups=1).request
    texts: dict[str, str] = {}
    binary = compiler.build(request, lambda level, module: texts.update({level: print_op(module)}))
    assert list(texts) == list(pipeline.LEVELS)
    for number, (level, text) in enumerate(texts.items()):
        golden(f"levels/{number}-{level}.mlir", text)
    golden(f"levels/{len(texts)}-kernel.spvasm", str(disassemble(binary.spirv)))
