"""What `tools/compare_code.py` compiles: every kernel of the tests, the benchmarks and the tutorials.

One that is missing here fails `tests/test_compare_code.py`.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from compared_types import SIGNATURES

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("tests/kernels", "tests/lowering", "benchmarks/kernels", "xetile/ops/kernels", "tutorials")
TARGETS = ("pvc", "bmg", "dg2")


@dataclass(frozen=True)
class Case:
    """One kernel with the types of its parameters and its constants."""

    name: str
    kernel: Any
    types: tuple[str, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)
    num_subgroups: int | None = None

    def compile(self, target: str) -> Any:
        """The kernel for a target."""
        types = [None if text == "None" else text for text in self.types]
        return self.kernel.compile(*types, target=target, num_subgroups=self.num_subgroups, **self.constants)


# Compiled by the benchmarks' own table (`benchmarks.isa_cases`), or by nobody: they print or stop, on numpy.
ELSEWHERE = {str(path.relative_to(ROOT)) for path in (ROOT / "xetile/ops/kernels").glob("*.py")} - {
    "xetile/ops/kernels/columns.py"
}
# Refused by the compiler, as its tutorial or test shows.
REFUSED = {"tutorials/08_shared_memory.py:halfway", "tests/lowering/test_mixed.py:chosen"}
TAKE_FUNCTIONS = {"tests/kernels/test_loaded_scales.py:scaled", "tests/kernels/test_places.py:chosen"}
# What the library launches on CPUs alone.
OF_CPUS = {f"xetile/ops/kernels/convolution.py:{name}" for name in ("columns_of_taps", "conv2d_rows")}
NOT_COMPILED = {"tutorials/05_debugging.py:printing", *TAKE_FUNCTIONS, *REFUSED, *OF_CPUS}


def cases() -> Iterator[Case]:
    """All of them, in a fixed order."""
    for file, kernels in SIGNATURES.items():
        module = load(file)
        for name, types, constants in kernels:
            shown = f"{file}:{name} {types} {constants}".strip()
            yield Case(shown, getattr(module, name), tuple(types.split()), _constants(constants, module))
    from benchmarks.isa_cases import CASES
    from benchmarks.isa_library import LIBRARY

    for case in (*CASES, *LIBRARY):
        yield Case(f"benchmarks: {case.name}", case.kernel, case.types, case.constants, case.num_subgroups)


def load(file: str) -> ModuleType:
    """A file of the repository as a module; tutorials have no package."""
    path = ROOT / file
    if path.parent.joinpath("__init__.py").exists() or not file.startswith("tutorials"):
        return importlib.import_module(file.removesuffix(".py").replace("/", "."))
    name = f"tutorial_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _constants(text: str, module: ModuleType) -> dict[str, Any]:
    """Constants by name, as literals or by names of the module."""
    named = vars(module)
    return {
        name: named[value] if value in named else ast.literal_eval(value)
        for name, value in (pair.split("=") for pair in text.split())
    }
