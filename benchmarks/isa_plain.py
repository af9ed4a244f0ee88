"""Kernels in their plainest form, which the tests hold: `benchmarks.isa` lists them where it is run from the project's folder."""

from __future__ import annotations

import importlib
import importlib.util

from .isa_cases import Case


def plain_cases() -> tuple[Case, ...]:
    """The kernels of tests/kernels with their bars; none where there are no tests."""
    if importlib.util.find_spec("tests.kernels") is None:
        return ()
    found = importlib.import_module("tests.kernels.test_plain").CASES
    return tuple(
        Case(f"plain: {name}", case.kernel, case.types, case.constants, targets=("pvc", "bmg"), bars=case.bars)
        for name, case in found.items()
    )
