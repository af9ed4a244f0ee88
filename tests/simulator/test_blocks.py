"""2D block built-ins (cl_intel_subgroup_2d_block_io) and matrix products (cl_intel_subgroup_matrix_multiply_accumulate) in OpenCL C,
compiled by the GPU compiler and executed: right as the extensions define them."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest
from xetile.backends.simulator.errors import SimulationError

from tests import tools
from tests.simulator.opencl.sources import BLOCKS, Block, Product, executable, products, run

RNG = np.random.default_rng(0)
UNSIGNED = {8: np.uint8, 16: np.uint16, 32: np.uint32}
TYPES = {"uint": np.uint32, "ushort": np.uint16}
WIDTH, HEIGHT, PITCH = 96, 40, 128
PLACES = ((0, 0), (8, 3), (-4, -2), (40, 20), (100, 50), (64, 0), (200, 10))
"""x and y of blocks: inside, across each edge, outside."""


@pytest.fixture(autouse=True)
def compiler() -> None:
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)


def window(image: np.ndarray, y: int, x: int, rows: int, columns: int) -> np.ndarray:
    """A part of an image, zero where it has none."""
    padded = np.zeros((image.shape[0] + 512, image.shape[1] + 512), image.dtype)
    padded[256 : 256 + image.shape[0], 256 : 256 + image.shape[1]] = image
    return padded[256 + y : 256 + y + rows, 256 + x : 256 + x + columns]


def expected_values(block: Block, image: np.ndarray, x: int, y: int) -> np.ndarray:
    """What each work-item gets: values by work-items."""
    dtype, made = TYPES[block.type], []
    for i in range(block.count):
        part = np.ascontiguousarray(window(image, y, x + i * block.columns, block.rows, block.columns))
        if block.kind == "transpose":
            made.append(part.T)
        elif block.kind == "transform":
            per = 32 // block.bits
            part = np.ascontiguousarray(part.reshape(-1, per, block.columns).transpose(0, 2, 1))
            made.append(part.view(dtype)[..., 0])
        else:
            made.append(part.view(dtype).reshape(block.rows, -1))
    return np.concatenate(made)


def wrong_blocks(target: str) -> Iterator[str]:
    for block in BLOCKS:
        what = executable("blocks", 16, target, block.name)
        for x, y in PLACES:
            dtype = UNSIGNED[block.bits]
            memory = RNG.integers(0, np.iinfo(dtype).max, (HEIGHT, PITCH), dtype=dtype, endpoint=True)
            sizes = [np.int32(n * block.bits // 8) if i != 1 else np.int32(n) for i, n in enumerate((WIDTH, HEIGHT, PITCH))]
            values = np.zeros((block.values, 16), TYPES[block.type])
            image, after = memory[:, :WIDTH].copy(), memory.copy()
            if block.kind == "write":
                values[...] = RNG.integers(0, np.iinfo(values.dtype).max, values.shape, dtype=values.dtype, endpoint=True)
                data = values.view(dtype)
                for r in range(block.rows):
                    for c in range(block.columns):
                        if 0 <= y + r < HEIGHT and 0 <= x + c < WIDTH:
                            after[y + r, x + c] = data[r, c]
            expected = values.copy() if block.kind == "write" else expected_values(block, image, x, y)
            try:
                run(what, [memory, *sizes, np.int32(x), np.int32(y), values])
            except SimulationError as error:
                yield f"{block.name} at {x}, {y}: {error}"
                break
            if not (np.array_equal(memory, after) and np.array_equal(values, expected)):
                yield f"{block.name} at {x}, {y}"
                break


@pytest.mark.every(4, 2)
@pytest.mark.parametrize("target", ["pvc", "bmg", "lnl"])
def test_block_messages(target):
    assert list(wrong_blocks(target)) == []


NUMBERS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "tf32": np.float32, "i8": np.int8, "u8": np.uint8}
RANGES = {"u8": (0, 256), "i8": (-128, 128)}


def operands(product: Product) -> tuple[list[np.ndarray], np.ndarray]:
    """A, B, C and the result as work-items hold them, and what A @ B + C is."""
    m, k, n = product.rows, product.depth, product.simd
    a = RNG.integers(*RANGES.get(product.a, (-16, 17)), (m, k)).astype(NUMBERS[product.a])
    b = RNG.integers(*RANGES.get(product.b, (-16, 17)), (k, n)).astype(NUMBERS[product.b])
    c = RNG.integers(-1000, 1000, (m, n)).astype(np.int32 if k == 32 else np.float32)
    if product.a == "tf32":
        # 8 columns over 16 work-items: the first half has the even rows, the second one the odd rows.
        left = np.zeros((16, (m + 1) // 2), np.float32)
        left[:8, : (m + 1) // 2] = a[0::2].T
        left[8:, : m // 2] = a[1::2].T
    else:
        left = np.ascontiguousarray(a.reshape(m, n, k // n).transpose(1, 0, 2))
    per = 4 // b.dtype.itemsize
    right = np.ascontiguousarray(b.reshape(8, per, n).transpose(2, 0, 1))
    sums = np.ascontiguousarray(c.T)
    expected = (a.astype(np.float64) @ b.astype(np.float64) + c).astype(c.dtype)
    return [left.view(np.uint8), right.view(np.uint8), sums, np.zeros_like(sums)], expected.T


def wrong_products(target: str) -> Iterator[str]:
    for product in products(8 if target == "dg2" else 16):
        args, expected = operands(product)
        run(executable("products", product.simd, target, product.name), args)
        if not np.array_equal(args[-1], expected):
            yield product.name


@pytest.mark.every(4, 2)
@pytest.mark.parametrize("target", ["pvc", "bmg", "lnl", "dg2"])
def test_matrix_products(target):
    assert list(wrong_products(target)) == []
