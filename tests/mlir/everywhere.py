"""A module at every level on the reference backend, and on the CPU device: each must leave the same in its arrays."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from xetile.backends.reference.interpret import _prepared
from xetile.backends.reference.values import storage

from xetile import mlir
from xetile.cli import mlir_modules
from xetile.dialects.types import MemRefType
from xetile.errors import XetileError
from xetile.ir.verifier import verify
from xetile.mlir.generic import is_generic
from xetile.mlir.seed_ops import as_unregistered
from xetile.mlir.upstream import to_generic
from xetile.passes.named import lower_on
from xetile.runtime import devices
from xetile.runtime.loading import CodeSizeWarning
from xetile.target import get_target

Arrays = dict[str, np.ndarray[Any, Any]]
GUARD = 64
"""Elements before and after an array that no kernel may change."""


def numbers(module: Any, seed: int = 0) -> Arrays:
    """Small whole numbers for each memref, so that sums are exact; `R`, what a kernel writes, has other ones."""
    rng = np.random.default_rng(seed)
    found = {}
    unsigned = {arg.param for arg in module.kernel.attributes["args"] if arg.kind == "array" and arg.dtype.startswith("u")}
    for value in module.kernel.body.args:
        if isinstance(value.type, MemRefType):
            shape, dtype = value.type.shape, storage(value.type.element)
            dtype = np.dtype(f"u{dtype}") if value.name in unsigned else dtype
            if dtype == np.bool_:
                found[value.name] = rng.integers(0, 2, shape).astype(dtype)
            else:
                found[value.name] = rng.integers(*((-4, 4) if not value.name.startswith("R") else (50, 90)), shape).astype(dtype)
    return found


def guarded(array: Any) -> tuple[Any, Any]:
    """A copy between two bands of guard elements, and the whole with its bands."""
    whole = np.full(array.size + 2 * GUARD, 77).astype(array.dtype)
    inner = whole[GUARD:-GUARD].reshape(array.shape)
    inner[...] = array
    return inner, whole


def left_by(
    module: Any, device: str, grid: Sequence[int], scalars: Mapping[str, Any], target: str = "pvc"
) -> Arrays | XetileError:
    """What a run leaves in the arrays and their guard bands, or why it was refused; simulated GPUs run what is made for them."""
    info = devices.find_device(device)
    chip = get_target(info.target if info.kind == "sim" else target)
    pairs = {name: guarded(array) for name, array in numbers(module).items()}
    values = {name: inner for name, (inner, _) in pairs.items()} | dict(scalars)
    try:
        mlir_modules.launch(module, chip, info, (*grid, 1, 1)[:3], values)
    except XetileError as error:
        return error
    return {name: whole for name, (_, whole) in pairs.items()}


def generic_forms(texts: Sequence[str]) -> list[str]:
    """The generic form of each text, by one run of mlir-opt: it takes longer to start than all else takes."""
    split = "\n// -----\n"
    joined = split.join(as_unregistered(text, "<text>") for text in texts)
    return to_generic(joined, "<text>", "--split-input-file").split("// -----\n")


def parser(text: str) -> Callable[[], Any]:
    """What makes the module anew, through mlir-opt's generic form, with the names that the text gives its arguments."""
    generic = text if is_generic(text) else generic_forms([text])[0]
    linecache.cache["<text>"] = (len(text), None, text.splitlines(keepends=True), "<text>")
    return lambda: mlir.parse(generic, "generic")


def everywhere(text: str, grid: Sequence[int] = (1,), scalars: Mapping[str, Any] | None = None, *, cpu: bool = True,
               target: str = "pvc") -> dict[str, Arrays | XetileError]:  # fmt: skip
    """What each level leaves on the reference backend, and the CPU device; not the latter where its driver would take long."""
    found: dict[str, Arrays | XetileError] = {}
    parse = parser(text)
    try:
        for level, module in lower_on(parse(), get_target(target)):
            verify(module)
            found[level] = left_by(module, "numpy", grid, scalars or {}, target)
            _prepared.clear()  # the interpreter keeps its plan of a kernel, and passes change kernels in place
    except XetileError as error:
        found[f"below {next(reversed(found), 'the text')}"] = error
    if cpu:
        with suppress(CodeSizeWarning), catch_warnings():
            simplefilter("error", CodeSizeWarning)
            found["cpu"] = left_by(parse(), "cpu", grid, scalars or {}, target)
    return found


def compare(ran: Mapping[str, Arrays], *, signs_of_zero: bool = True, near: float = 0.0) -> Arrays:
    """What all left, guard bands included. Raises AssertionError where they differ, or wrote outside of an array.

    `signs_of_zero`: without, 0.0 and -0.0 are one number, as the order of a reduction decides which of them it gives.
    `near`: how far numbers may be off, where each level rounds sums in its own order.
    """
    first, expected = next(iter(ran.items()), ("", {}))
    for name, left in ran.items():
        for array, values in left.items():
            same = values.view(f"u{values.itemsize}") == expected[array].view(f"u{values.itemsize}")
            same |= (values != values) & (expected[array] != expected[array])
            if not signs_of_zero:
                same |= values == expected[array]
            if near:
                same |= np.isclose(values.astype(float), expected[array].astype(float), rtol=near, atol=near)
            assert same.all(), f"{array}: {(~same).sum()} of {same.size} differ between {first} and {name}"
    for array, values in expected.items():
        guard = np.asarray(77).astype(values.dtype)
        assert (values[:GUARD] == guard).all() and (values[-GUARD:] == guard).all(), f"{array}: written outside"
    return expected


def agree(text: str, grid: Sequence[int] = (1,), scalars: Mapping[str, Any] | None = None, *, cpu: bool = True,
          target: str = "pvc", near: float = 0.0) -> Arrays | XetileError:  # fmt: skip
    """What all leave alike, or as `near`; or what the first says against it, where none runs it. Raises AssertionError where they differ."""
    found = everywhere(text, grid, scalars, cpu=cpu, target=target)
    ran = {name: left for name, left in found.items() if not isinstance(left, XetileError)}
    refused = {name: left for name, left in found.items() if isinstance(left, XetileError)}
    if not ran:
        return next(iter(refused.values()))
    expected = compare(ran, near=near)
    assert not refused, f"{', '.join(ran)} run it; " + "; ".join(f"{name}: {error}" for name, error in refused.items())
    return {name: values[GUARD:-GUARD] for name, values in expected.items()}
