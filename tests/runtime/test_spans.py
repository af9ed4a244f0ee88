"""Kernels that the cache keeps name the source that is running: of another copy of the file, or of lines further down."""

import importlib.util
import textwrap
import warnings

import numpy as np
import pytest

import xetile as xt
from xetile.errors import KernelAssertionError
from xetile.runtime import captures, stats
from xetile.runtime.specialize import PerformanceWarning

HEAD = "import xetile as xt\n"
KERNELS = """
@xt.jit
def doubled(x):
    xt.device_assert(x >= 0, "negative")
    return x * 2.0

@xt.jit(grid=(1,))
def outer(A, Out, n):
    tile = xt.load_tile(xt.init_tile(A, (0, 0), (16, 32)))
    xt.store_tile(doubled(tile), xt.init_tile(Out, (0, n), (16, 32)))
"""
TYPES = ("f16[?,?]", "f16[?,?]", "i32")
COPIES = {
    "another folder": HEAD + KERNELS,
    "lines further down": HEAD + "LINES = 1\n" * 7 + KERNELS,
    "more decorators": HEAD + KERNELS.replace("@xt.jit(grid=(1,))\n", "@xt.jit(\n    grid=(1,),\n)\n"),
    "deeper": f"{HEAD}if xt:\n{textwrap.indent(KERNELS, '    ')}",
}


def module(path, text):
    path.parent.mkdir()
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("copied", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def warned(kernel):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert kernel.compile(*TYPES, target="pvc").spirv
    (warning,) = [each for each in found if each.category is PerformanceWarning]
    return warning.filename, warning.lineno


def line_of(path, words):
    (at,) = [i for i, line in enumerate(path.read_text().splitlines(), 1) if words in line]
    return str(path), at


@pytest.mark.parametrize("text", COPIES.values(), ids=COPIES.keys())
def test_warnings_and_failures_name_the_copy_that_runs(text, tmp_path, own_cache):
    first, second = tmp_path / "first" / "kernels.py", tmp_path / "second" / "kernels.py"
    assert warned(module(first, HEAD + KERNELS).outer) == line_of(first, "xt.init_tile(Out")
    compiled = stats.stats().compiles
    copy = module(second, text).outer
    assert warned(copy) == line_of(second, "xt.init_tile(Out")
    assert stats.stats().compiles == compiled  # it came from the cache
    with xt.device("cpu"), pytest.raises(KernelAssertionError, match="negative") as caught:
        copy(-np.ones((16, 64), np.float16), np.zeros((16, 64), np.float16), 4)
    assert (caught.value.at.file, caught.value.at.line) == line_of(second, "xt.device_assert")
    assert caught.value.at.text.startswith("xt.device_assert")


def test_a_failure_from_the_cache_points_at_its_expression(tmp_path, own_cache):
    said = []
    for name, text in (("first", HEAD + KERNELS), ("second", COPIES["deeper"])):
        path = tmp_path / name / "kernels.py"
        with xt.device("cpu"), pytest.raises(KernelAssertionError) as caught:
            module(path, text).outer(-np.ones((16, 64), np.float16), np.zeros((16, 64), np.float16), 4)
        assert (caught.value.at.file, caught.value.at.line) == line_of(path, "xt.device_assert")
        said.append(caught.value.at.text)
    assert said[0] == said[1]
    assert stats.stats().compiles == 1


def test_spans_are_those_of_all_traced_functions(tmp_path):
    path = tmp_path / "one" / "kernels.py"
    spans = captures.of(module(path, HEAD + KERNELS).outer.fn).spans
    assert [(span.file, span.first, span.lines, span.indent) for span in spans] == [(str(path), 9, 3, 0), (str(path), 4, 3, 0)]
