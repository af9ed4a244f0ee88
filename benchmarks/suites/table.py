"""The suites by name, each with a function for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ..suites import attention as attention_cases
from ..suites import matmul as matmul_cases
from ..suites import rows
from ..throughput import Suite, run

# A CPU device without code of its own emulates the GPU's module: smaller sizes there.
PRODUCTS = {"gpu": (1024, 2048, 4096, 8192), "cpu": (256, 512, 1024), "numpy": (256, 512)}
ROWS = {
    "gpu": tuple((4096, n) for n in (256, 1024, 4096, 16384)),
    "cpu": tuple((1024, n) for n in (256, 1024, 4096)),
    "numpy": ((1024, 256), (1024, 1024)),
}
SEQUENCES = {"gpu": (1024, 2048, 4096, 8192, 16384), "cpu": (256, 512, 1024), "numpy": (256, 512)}

SUITES = {
    suite.name: suite
    for suite in (
        Suite("matmul", matmul_cases.__doc__ or "", matmul_cases.cases, PRODUCTS),
        Suite("softmax", "Softmax of the rows of a matrix, f32.", rows.softmax, ROWS, by_bandwidth=True),
        Suite("layer_norm", "Layer norm of the rows of a matrix, f32.", rows.layer_norm, ROWS, by_bandwidth=True),
        Suite("reduction", "Sums of the rows of a matrix, f32.", rows.reduction, ROWS, by_bandwidth=True),
        Suite("transpose", "A matrix transposed in memory, f32.", rows.transpose, ROWS, by_bandwidth=True),
        Suite("vector_add", "Two arrays added into a third, f32.", rows.vector_add, ROWS, by_bandwidth=True),
        Suite("attention", attention_cases.__doc__ or "", attention_cases.cases, SEQUENCES),
    )
}


def _main(name: str, arguments: Sequence[str]) -> int:
    return run(SUITES[name], arguments)


matmul = partial(_main, "matmul")
softmax = partial(_main, "softmax")
layer_norm = partial(_main, "layer_norm")
reduction = partial(_main, "reduction")
transpose = partial(_main, "transpose")
vector_add = partial(_main, "vector_add")
attention = partial(_main, "attention")
