"""A random kernel in the language, as text: its arrays, and the ways in which it is run."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from xetile.backends.reference.interpret import interpret

import xetile as xt
from tests.generators import plain
from tests.ops.run import GUARD, guarded
from tests.parity.run import arguments
from xetile.dialects.gpu import GpuModule
from xetile.errors import LayoutError
from xetile.ir.verifier import verify
from xetile.passes import pipeline
from xetile.passes.analysis.index_ranges import index_ranges
from xetile.runtime.compiler import trace
from xetile.runtime.devices import find_device
from xetile.runtime.request import Request
from xetile.runtime.settings import override
from xetile.runtime.specialize import PerformanceWarning, specialize
from xetile.signature import Signature
from xetile.target import get_target

CPU_SHARE = 0.3
EMULATED = 0.08  # of those on the CPU: by the module of the GPU, which takes its driver seconds
VERIFIED = 0.3  # of the others: lowered for CPUs' vectors and interpreted there, which is cheaper than their driver
TIGHT = 0.25  # arrays that no block message reaches: no address and no pitch is a multiple of anything
BEFORE_LANES = ("layout", "subgroup", "blocked", "xegpu")
APART = ("subgroup", "blocked", "xegpu", "lane")
"""Levels at which subgroups can run one after the other."""


@dataclass(frozen=True)
class Numbers:
    """An array of a dtype and shape, of whole numbers from `low` up to `high`; `each`: with an axis of the grid's programs in front."""

    dtype: str
    shape: tuple[int, ...]
    low: int = 0
    high: int = 0
    each: bool = False

    def made(self, rng: np.random.Generator, grid: int) -> np.ndarray:
        shape = (grid, *self.shape) if self.each else self.shape
        whole = rng.integers(self.low, self.high, shape, np.uint64 if self.low >= 2**63 else np.int64, endpoint=True)
        return whole.astype(getattr(xt, self.dtype).numpy)


SIZE = (40, 72)
ARRAYS = {
    "A": Numbers("f32", SIZE, -3, 3),
    "H": Numbers("f16", SIZE, -3, 3),
    "G": Numbers("f16", SIZE, -3, 3),
    "L": Numbers("i32", (31,), -9, 9),
    "O": Numbers("f32", (11, *SIZE), each=True),
    "W": Numbers("i32", SIZE, each=True),
}
SCALARS, MORE_SCALARS = ("a", "b"), ("a", "b", "c")
"""The numbers of most kernels, and of those of one more."""
"""Small integers; a kernel takes them behind its arrays."""


def heading(arrays: Mapping[str, Numbers] = ARRAYS, scalars: Sequence[str] = SCALARS) -> str:
    """The line that begins a kernel."""
    return f"@xt.jit\ndef kernel({', '.join((*arrays, *scalars))}):"


@dataclass
class Program:
    """A kernel's source, and how it is run."""

    source: str
    arrays: Mapping[str, Numbers]
    numbers: tuple[int, ...]
    grid: int
    subgroups: int | None
    target: str
    levels: tuple[str, ...]
    way: str = ""  # how the CPU device runs it: "vector", "emulate" (the target's module), or not at all
    vectors: str = ""  # the CPU for whose vectors it is lowered, to be verified: running that level takes a while
    tight: bool = False
    apart: tuple[str, str] = ("", "")  # at which level subgroups run one after the other, and who begins: "first" or "last"
    backwards: bool = False  # tight arrays whose last rows lie first
    across: tuple[int, int] = (1, 1)  # how many of the grid's programs stand along its second and third axis

    def describe(self) -> str:
        how = f"a, b = {self.numbers}, {self.grid} programs, {self.subgroups} subgroups, {self.target}, {self.levels}, cpu: {self.way!r}"
        how += f", apart: {self.apart}, grid: {self.axes}" + ", tight" * self.tight + ", backwards" * self.backwards
        others = {name: numbers for name, numbers in self.arrays.items() if ARRAYS.get(name) != numbers}
        return "\n".join([how, *(f"{name}: {numbers}" for name, numbers in others.items()), self.source])

    def check(self) -> str | None:
        """Raises AssertionError where some way of running it differs from plain Python."""
        expected = self._arrays()
        with np.errstate(all="ignore"):
            plain.run(self.source.removeprefix("import xetile as xt\n"), "kernel", self.axes, expected | self._scalars())
        with tempfile.TemporaryDirectory() as folder:
            kernel = _imported(Path(folder) / f"program_{abs(hash(self.source)):x}.py", self.source)
            try:
                self._at_levels(kernel, expected)
            except LayoutError:  # maps that contradict each other
                return "refused"
            if self.vectors:
                self._as_vectors(kernel, expected)
            if self.way:
                self._on_cpu(kernel, expected)
        return f"with cpu, {self.way}" if self.way else None

    @property
    def axes(self) -> tuple[int, int, int]:
        """The grid."""
        return self.grid // (self.across[0] * self.across[1]), *self.across

    def _scalars(self) -> dict[str, int]:
        return dict(zip(MORE_SCALARS, self.numbers))

    def _arrays(self) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(7)
        return {name: numbers.made(rng, self.grid) for name, numbers in self.arrays.items()}

    def _framed(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        return {n: tightly(array, self.backwards) if self.tight else guarded(array) for n, array in self._arrays().items()}

    def _request(self, kernel: Any, target: str) -> Request:
        """What is compiled for these arrays."""
        values = {name: view for name, (_, view) in self._framed().items()}
        values |= {name: np.int32(n) for name, n in self._scalars().items()}
        seen = specialize("kernel", values, find_device("numpy"), target)
        return Request(kernel.fn, Signature(seen.types), {}, target, self.subgroups, seen.index_bits, kernel.fast_math)

    def _traced(self, kernel: Any, target: str) -> GpuModule:
        """The kernel that a launch with these arrays gets."""
        request = self._request(kernel, target)
        module = trace(request)
        values = {name: view for name, (_, view) in self._framed().items()} | self._scalars()
        check = index_ranges(module).failing(self.axes, values)
        return trace(replace(request, index_bits=64)) if check is not None and check.index else module

    def _at_levels(self, kernel: Any, expected: dict[str, np.ndarray]) -> None:
        for level, module in pipeline.lower(self._traced(kernel, self.target), get_target(self.target)):
            for way in self._ways(level):
                verify(module)
                wholes = self._framed()
                values = {name: view for name, (_, view) in wholes.items()} | self._scalars()
                interpret(module, self.axes, arguments(module.kernel, values), target=self.target, **way)
                _compare(wholes, expected, f"at level {level} for {self.target} {way or ''}")

    def _as_vectors(self, kernel: Any, expected: dict[str, np.ndarray]) -> None:
        for _, module in pipeline.lower(self._traced(kernel, self.vectors), get_target(self.vectors)):
            verify(module)
        wholes = self._framed()
        values = {name: view for name, (_, view) in wholes.items()} | self._scalars()
        interpret(module, self.axes, arguments(module.kernel, values))
        _compare(wholes, expected, f"as vectors of {self.vectors}")

    def _ways(self, level: str) -> Iterator[dict[str, Any]]:
        """How a level is run."""
        if level in self.levels or f"debug {level}" in self.levels:
            yield {"debug": True} if f"debug {level}" in self.levels else {}
        if level == self.apart[0]:
            yield {"apart": self.apart[1]}

    def _on_cpu(self, kernel: Any, expected: dict[str, np.ndarray]) -> None:
        wholes = self._framed()
        values = {name: view for name, (_, view) in wholes.items()} | {n: np.int32(v) for n, v in self._scalars().items()}
        target = {"target": self.target} if self.way == "emulate" else {}
        with override(cpu=self.way), xt.device("cpu"), warnings.catch_warnings():
            warnings.simplefilter("ignore", PerformanceWarning)
            kernel[self.axes](*values.values(), num_subgroups=self.subgroups, **target)
        _compare(wholes, expected, "on the CPU device")


def program(
    random: Random, source: str, arrays: Mapping[str, Numbers] = ARRAYS, targets: tuple[str, ...] = ("pvc", "bmg", "dg2")
) -> Program:
    """A kernel with its numbers, a grid, and ways to run it."""
    way = ("emulate" if random.random() < EMULATED else "vector") if random.random() < CPU_SHARE else ""
    verified = not way and random.random() < VERIFIED
    return Program(
        source,
        arrays,
        numbers=(random.randrange(-7, 12), random.randrange(-7, 12)),
        grid=random.choice((1, 2, 3)),
        subgroups=random.choice((1, 2, 4, 8, 8, 16)),
        target=random.choice(targets),
        levels=(random.choice(("xetile", "debug xetile")), random.choice(BEFORE_LANES), "lane"),
        way=way,
        vectors=random.choice(("cpu", "avx2", "amx")) if verified else "",
        tight=random.random() < TIGHT,
        apart=(random.choice(APART), random.choice(("first", "last"))) if random.random() < 0.4 else ("", ""),
        backwards=random.random() < 0.3,
    )


def check_levels(generator: Callable[[Random], Program], seeds: range) -> None:
    """Raises AssertionError, which tells the seed, where the levels of a case differ from plain Python; nothing runs on the CPU."""
    for seed in seeds:
        try:
            replace(generator(Random(seed)), way="").check()
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error}") from error


def tightly(array: np.ndarray, backwards: bool) -> tuple[np.ndarray, np.ndarray]:
    """A copy of the array inside of a larger one with an odd address and an odd pitch, and that larger one."""
    columns = array.shape[-1] + 2 + (array.shape[-1] + 1) % 2
    rows = [n + 2 for n in array.shape[-2:-1]]
    whole = np.full((*array.shape[:-2], *rows, columns), GUARD(array.dtype), array.dtype)
    view = whole[(..., *([slice(1, -1)] if rows else []), slice(1, 1 + array.shape[-1]))]
    view = view[..., ::-1, :] if backwards and rows else view
    view[...] = array
    return whole, view


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
