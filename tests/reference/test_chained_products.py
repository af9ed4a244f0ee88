"""Sums of products whose operands differ in the batch axes that they have: of programs together, where some are alike in all."""

from itertools import product

import numpy as np
import pytest
from xetile.backends.reference.product import multiply
from xetile.backends.reference.values import BATCH, force

from xetile.dialects.types import F32

PATTERNS = list(product((1, 2), (1, 3)))


@pytest.mark.every(2)
@pytest.mark.parametrize("second", list(product(PATTERNS, PATTERNS)), ids=str)
@pytest.mark.parametrize("first", list(product(PATTERNS, PATTERNS)), ids=str)
def test_two_after_another(first, second):
    random = np.random.default_rng(0)
    total, expected = None, 0.0
    for (of_a, of_b), k in ((first, 8), (second, 4), (first, 8)):
        a = random.integers(-3, 4, (*of_a, *[1] * (BATCH - 2), 4, k)).astype(np.float32)
        b = random.integers(-3, 4, (*of_b, *[1] * (BATCH - 2), k, 5)).astype(np.float32)
        total, expected = multiply(a, b, total, F32), expected + a @ b
    np.testing.assert_array_equal(np.broadcast_to(force(total), expected.shape), expected)
