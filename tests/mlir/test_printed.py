"""What xetile prints is read without mlir-opt: kernels at every level, every op of the dialect, exactly as they were."""

from __future__ import annotations

import pytest

from tests.mlir.test_read import FOR_CPUS, KERNELS, watched
from tests.passes import golden_kernels
from tests.xegpu import valid
from xetile import mlir
from xetile.errors import MlirTextError
from xetile.ir.core import OPS
from xetile.ir.printer import print_op
from xetile.mlir import upstream
from xetile.mlir.printed import FORMS


@pytest.fixture(autouse=True)
def _no_tool(monkeypatch):
    monkeypatch.setenv("PATH", "")
    upstream.find_tool.cache_clear()
    yield
    upstream.find_tool.cache_clear()


def assert_read(text: str) -> None:
    assert print_op(mlir.parse(text)) == text.rstrip("\n")


@pytest.mark.every(8, 6)
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_at_every_level(name):
    kernel, types, constants = KERNELS[name]
    for text in kernel.compile(*types, target="pvc", **constants).ir.values():
        assert_read(text)


@pytest.mark.parametrize("name", FOR_CPUS)
def test_levels_of_cpus(name):
    kernel, types, constants = FOR_CPUS[name]
    for text in kernel.compile(*types, target="amx", **constants).ir.values():
        assert_read(text)


@pytest.mark.every(24, 6)
@pytest.mark.parametrize("name", golden_kernels.CASES)
def test_kernels_that_show_passes(name):
    kernel, types, options, target = golden_kernels.CASES[name]
    for text in kernel.compile(*types, target=target, **options).ir.values():
        assert_read(text)


def test_what_watches_a_program():
    assert_read(watched.compile("f32[?,?]", "f32[?,?]", target="pvc").ir["xetile"])


@pytest.mark.every(4)
@pytest.mark.parametrize("name", valid.VALID)
def test_every_op_of_the_dialect(name):
    text = print_op(valid.module(name))
    again = print_op(mlir.parse(text))
    assert print_op(mlir.parse(again)) == again
    assert again.partition("\n")[2].count("\n") == text.partition("\n")[2].count("\n")


def test_every_op_is_read_by_its_format_or_by_a_form():
    assert [name for name, kind in OPS.items() if not kind.format] == [name for name in OPS if name in FORMS]


def module(body: str) -> str:
    return f"gpu.module @m {{\n  gpu.func @k() kernel {{\n    {body}\n    gpu.return\n  }}\n}}"


OTHERS = {
    "an op that we do not have": module("%0 = gpu.dynamic_shared_memory : memref<?xi8>"),
    "a form that we do not print": "func.func @k(%A: memref<8xf32>) {\n  return\n}",
    "a text that ends": module("%0 = arith.constant 1 : index").partition("gpu.return")[0],
    "a value that is nowhere": module("%0 = arith.addi %a, %a : index"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_texts_ask_for_the_tool(name):
    with pytest.raises(MlirTextError, match="takes mlir-opt of LLVM 22"):
        mlir.parse(OTHERS[name])
