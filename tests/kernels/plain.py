"""Kernels of the families that people write, in their plainest form; CASES of `plain_attention`, `plain_memory` and their like have them.

`test_plain.py` runs them against float64 numpy on each device, `tests/isa/test_plain.py` holds what machine code they get.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Arguments = list[Any]
Expected = Mapping[int, np.ndarray]
Made = tuple[Arguments, Expected]


@dataclass(frozen=True)
class Plain:
    """One kernel, and what is asked of it.

    types       of its arguments, any sizes, as `compile` takes them.
    values      makes arguments, and what some of them (by position) must hold afterwards.
    bars        instructions by target: of one iteration of the hot loop; of all of a kernel that has none.
                Empty for one that still spills.
    tolerance   relative to the largest number of what is expected.
    """

    kernel: Any
    types: tuple[str, ...]
    values: Callable[[], Made]
    bars: Mapping[str, int]
    constants: Mapping[str, Any] = field(default_factory=dict)
    tolerance: float = 1e-5


def random(*shape: int, dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    """Normal numbers in a type."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def wide(*arrays: np.ndarray) -> list[np.ndarray]:
    """The same numbers as float64."""
    return [a.astype(np.float64) for a in arrays]
