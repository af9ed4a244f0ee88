"""Emulated matrix instructions, every row of the tables and every M, on a device against numpy.

One test, and one program, for each subgroup size, K and carrier of C: programs take long to build.
"""

import ml_dtypes
import numpy as np
import pytest
from xetile.backends.spirv.module.shapes import MATRICES, MMA_ROWS_OF_RESULT

from tests.spirv import kernels, layouts

pytestmark = pytest.mark.device

GROUPS = 3
KINDS = sorted({(matrix.subgroup_size, matrix.k, matrix.c) for matrix in MATRICES})
CARRIERS = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "s32": np.int32}
WORDS = {16: np.uint16, 32: np.uint32}


@pytest.mark.covering
@pytest.mark.every(4, 3)
@pytest.mark.parametrize(("size", "k", "c"), KINDS)
def test_matrix_instruction_multiplies_and_adds(cpu, size, k, c):
    cases = [
        (matrix, rows)
        for matrix in MATRICES
        for rows in MMA_ROWS_OF_RESULT
        if (matrix.subgroup_size, matrix.k, matrix.c) == (size, k, c)
    ]
    if k == 64:  # four-bit products are large functions
        cases = [(matrix, rows) for matrix, rows in cases if rows in (1, 8)]
    program = cpu.build(kernels.matrix_module(cases))
    for matrix, rows in cases:
        check_matrix(cpu, program, matrix, rows)


def check_matrix(cpu, program, matrix, rows):
    rng = np.random.default_rng(rows)
    size, carrier = matrix.subgroup_size, CARRIERS[matrix.c]
    a_words, b_words, c_words, expected = [], [], [], []
    for _ in range(GROUPS):
        a, a_bits, a_width = layouts.random_elements(rng, matrix.a, (rows, matrix.k))
        b, b_bits, b_width = layouts.random_elements(rng, matrix.b, (matrix.k, size))
        c = rng.integers(-1000, 1000, (rows, size)).astype(carrier)
        a_words.append(layouts.a_lanes(matrix, a_bits, a_width))
        b_words.append(layouts.b_lanes(matrix, b_bits, b_width))
        c_words.append(c.T)
        expected.append(a @ b + c.astype(np.float64))
    a_word = WORDS[matrix.a_type[1]]
    given = (np.array(a_words).astype(a_word), np.array(b_words).astype(np.uint32), np.ascontiguousarray(c_words))
    *_, got = cpu.run(program, kernels.matrix_kernel_name(matrix, rows), (GROUPS,), (size,), *given)
    got = got.reshape(GROUPS, size, rows).transpose(0, 2, 1).astype(np.float64)
    # One rounding to the result's type after sums in f32.
    step = {"f32": 1e-5, "f16": 2.0**-11, "bf16": 2.0**-8, "s32": 0}[matrix.c]
    np.testing.assert_allclose(got, np.array(expected), rtol=step, atol=1e-4 if step else 0, err_msg=str(matrix))
