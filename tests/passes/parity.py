"""Passes keep the meaning: a module gives the same arrays before and after, in the reference interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xetile.backends.reference import interpret

from xetile.ir.verifier import verify
from xetile.passes.distribute_to_subgroups import distribute_to_subgroups
from xetile.passes.infer_layouts import infer_layouts
from xetile.target import get_target


def flattened(args: Sequence[Any]) -> list[Any]:
    """Arguments of a kernel: each array with its sizes and strides, numbers as they are."""
    flat: list[Any] = []
    for a in args:
        if isinstance(a, np.ndarray) and a.ndim == 2:
            flat += [a, *a.shape, a.strides[0] // a.itemsize]
        else:
            flat.append(a)
    return flat


def levels(make: Callable[[], Any], target: str = "pvc") -> dict[str, Any]:
    """The module at workgroup level, laid out, and at subgroup level; each verified."""
    chip = get_target(target)
    laid_out = infer_layouts(make(), chip)
    verify(laid_out)
    subgroup = distribute_to_subgroups(laid_out, chip)
    verify(subgroup)
    return {"xetile": make(), "layout": laid_out, "subgroup": subgroup}


def check_parity(make: Callable[[], Any], grid: Sequence[int], args: Sequence[Any], *, rtol: float = 1e-5, target: str = "pvc") -> list[Any]:
    """Run all levels on copies of `args`; all must leave what the workgroup level leaves. Gives those arrays, and the modules."""
    expected: list[Any] = []
    modules = levels(make, target)
    for name, module in modules.items():
        copies = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        interpret(module, grid, flattened(copies), level="subgroup" if name == "subgroup" else "workgroup")
        if not expected:
            expected = copies
        for i, (left, right) in enumerate(zip(copies, expected)):
            if isinstance(left, np.ndarray):
                np.testing.assert_allclose(left, right, rtol=rtol, atol=rtol, err_msg=f"argument {i} at level {name}")
    return [expected, modules]
