"""A random kernel of control flow: its arrays, and the ways in which it is run."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from xetile.backends.reference.interpret import interpret

import xetile as xt
from tests.generators import plain
from tests.ops.run import GUARD, guarded
from tests.parity.run import arguments, request
from xetile.ir.verifier import verify
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.runtime.settings import override
from xetile.runtime.specialize import PerformanceWarning
from xetile.target import get_target

SIZE = (40, 72)
TYPES = {
    "A": "f32[?,?]",
    "H": "f16[?,?]",
    "G": "f16[?,?]",
    "L": "i32[?]",
    "O": "f32[?,?,?,?]",
    "W": "i32[?,?,?]",
    "a": "i32",
    "b": "i32",
}


@dataclass
class Program:
    """A kernel's source, and how it is run."""

    source: str
    numbers: tuple[int, int]
    grid: int
    subgroups: int
    target: str
    levels: tuple[str, ...]
    way: str = ""  # how the CPU device runs it: "vector", "emulate" (the target's module), or not at all
    vectors: str = ""  # the CPU for whose vectors it is lowered, to be verified: running that level takes a while

    def describe(self) -> str:
        how = f"a, b = {self.numbers}, {self.grid} programs, {self.subgroups} subgroups, {self.target}, {self.levels}, cpu: {self.way!r}"
        return f"{how}\n{self.source}"

    def check(self) -> str | None:
        """Raises AssertionError where some way of running it differs from plain Python."""
        expected = self._arrays()
        plain.run(self.source.removeprefix("import xetile as xt\n"), "kernel", (self.grid,), expected | self._scalars())
        with tempfile.TemporaryDirectory() as folder:
            kernel = _imported(Path(folder) / f"control_{abs(hash(self.source)):x}.py", self.source)
            self._at_levels(kernel, expected)
            if self.vectors:
                for _, module in pipeline.lower(trace(request(kernel, TYPES, self.vectors)), get_target(self.vectors)):
                    verify(module)
            if self.way:
                self._on_cpu(kernel, expected)
        return f"with cpu, {self.way}" if self.way else None

    def _scalars(self) -> dict[str, int]:
        return dict(zip("ab", self.numbers))

    def _arrays(self) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(7)
        arrays = {name: rng.integers(-3, 4, SIZE).astype(dtype) for name, dtype in (("A", "f4"), ("H", "f2"), ("G", "f2"))}
        arrays["L"] = rng.integers(-9, 10, 31).astype("i4")
        return arrays | {"O": np.zeros((self.grid, 11, *SIZE), "f4"), "W": np.zeros((self.grid, *SIZE), "i4")}

    def _at_levels(self, kernel: Any, expected: dict[str, np.ndarray]) -> None:
        what = request(kernel, TYPES, self.target, self.subgroups)
        for level, module in pipeline.lower(trace(what), get_target(self.target)):
            if level not in self.levels and f"debug {level}" not in self.levels:
                continue
            debug = f"debug {level}" in self.levels
            verify(module)
            wholes = {name: guarded(array) for name, array in self._arrays().items()}
            values = {name: view for name, (_, view) in wholes.items()} | self._scalars()
            interpret(module, (self.grid, 1, 1), arguments(module.kernel, values), target=self.target, debug=debug)
            _compare(wholes, expected, f"at level {level} for {self.target}")

    def _on_cpu(self, kernel: Any, expected: dict[str, np.ndarray]) -> None:
        wholes = {name: guarded(array) for name, array in self._arrays().items()}
        values = {name: view for name, (_, view) in wholes.items()} | self._scalars()
        target = {"target": self.target} if self.way == "emulate" else {}
        with override(cpu=self.way), xt.device("cpu"), warnings.catch_warnings():
            warnings.simplefilter("ignore", PerformanceWarning)
            numbers = [np.int32(n) for n in self.numbers]
            kernel[(self.grid,)](
                *[values[name] for name in TYPES if name not in "ab"], *numbers, num_subgroups=self.subgroups, **target
            )
        _compare(wholes, expected, "on the CPU device")


def _compare(wholes: dict[str, tuple[np.ndarray, np.ndarray]], expected: dict[str, np.ndarray], where: str) -> None:
    for name, (whole, view) in wholes.items():
        differ = np.argwhere(view != expected[name])
        at = tuple(differ[0]) if len(differ) else ()
        assert not len(differ), (
            f"{name}{list(map(int, at))} is {view[at]}, not {expected[name][at]}, {where}; {len(differ)} differ"
        )
        view[...] = GUARD(view.dtype)
        assert (whole == GUARD(view.dtype)).all(), f"{name}: written outside of the array {where}"


def _imported(path: Path, source: str) -> Any:
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode, saved = True, sys.dont_write_bytecode
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = saved
    return module.kernel
