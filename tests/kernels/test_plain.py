"""Kernels in their plainest form against float64 numpy, on each device."""

from __future__ import annotations

import numpy as np
import pytest

import xetile as xt
from tests.kernels import (
    plain_activations,
    plain_algorithms,
    plain_attention,
    plain_bits,
    plain_caches,
    plain_codes,
    plain_conditions,
    plain_dropout,
    plain_floats,
    plain_halves,
    plain_layers,
    plain_linear,
    plain_memory,
    plain_numbers,
    plain_operands,
    plain_parts,
    plain_pictures,
    plain_products,
    plain_quantized,
    plain_rows,
    plain_sequences,
    plain_solvers,
    plain_states,
    plain_variants,
    plain_windows,
    plain_words,
)

FAMILIES = (
    plain_activations,
    plain_algorithms,
    plain_attention,
    plain_bits,
    plain_caches,
    plain_codes,
    plain_conditions,
    plain_dropout,
    plain_floats,
    plain_halves,
    plain_layers,
    plain_linear,
    plain_memory,
    plain_numbers,
    plain_operands,
    plain_parts,
    plain_pictures,
    plain_products,
    plain_quantized,
    plain_rows,
    plain_sequences,
    plain_solvers,
    plain_states,
    plain_variants,
    plain_windows,
    plain_words,
)
CASES = {name: case for family in FAMILIES for name, case in family.CASES.items()}


@pytest.mark.every(900, 53)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("name", CASES)
def test_against_float64(device, name):
    case = CASES[name]
    arguments, expected = case.values()
    before = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    with xt.device(device):
        case.kernel(*arguments, **case.constants)
    for position, (old, new) in enumerate(zip(before, arguments)):
        if position in expected:
            wanted = expected[position]
            limit = case.tolerance * max(1.0, np.abs(wanted).max())
            np.testing.assert_allclose(new.astype(np.float64), wanted, rtol=0, atol=limit)
        else:
            np.testing.assert_array_equal(new, old)
