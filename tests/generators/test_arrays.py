"""Random reads and writes of arrays (`arrays`), and what of the language the generators draw."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import xetile as xt
from tests.generators.arrays import arrays
from tests.generators.program import check_levels

ELSEWHERE = {
    "subgroup_id": "kernels for some subgroups: tests/language/test_structure.py, tests/lowering/pipelines.py",
    "alloc_named_barriers": "as above",
    "named_barrier": "as above",
    "device_print": "text, not numbers: tests/language/test_formats.py",
    "static_print": "as above",
    "static_assert": "decided while a kernel is traced: tests/language/test_functions.py",
    "erf": "last bits are open: tests/language/test_functions.py, tests/vectors",
    **dict.fromkeys(("exp", "exp2", "log", "log2", "rsqrt", "sin", "cos", "tan", "tanh", "sigmoid"), "as erf"),
}
"""Functions of kernels that no generator draws, and where they are tested."""


@pytest.mark.parametrize("first", [0, 3])
def test_levels_agree_with_plain_python(first):
    check_levels(arrays, range(first, first + 3))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 300, 5))
def test_levels_agree_with_plain_python_on_more(first):
    check_levels(arrays, range(first, first + 5))


def test_generators_draw_each_function_of_kernels():
    """Those that the texts of generators name, and those whose names they list."""
    texts = "\n".join(
        path.read_text() for path in Path(__file__).parent.glob("*.py") if not path.name.startswith(("test_", "plain"))
    )
    named = {name for name in xt._NAMES if re.search(rf'xt\.{name}\b|\)\.{name}\(|"{name}"', texts)}
    homes = {name for name, (home, _) in xt._NAMES.items() if home.startswith("xetile.language.") and name[0].islower()}
    missing = homes - named - {"full", "empty", "zeros"}
    assert missing == ELSEWHERE.keys()
