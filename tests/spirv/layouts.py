"""Where the elements of blocks and matrices lie in lanes: numpy, written from the text of the two extensions.

Nothing here shares a line with backends/opencl/emulation.cl.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
from xetile.backends.spirv.module.shapes import BlockInstruction, MatrixInstruction


def lanes_of(rows: np.ndarray, size: int) -> np.ndarray:
    """[rows, columns] to [lane, value] ("Mapping BlockInstruction Data to Invocations")."""
    height, width = rows.shape
    if width <= size:
        steps = -(-height * width // size)
        flat = np.zeros(steps * size, rows.dtype)
        flat[: height * width] = rows.ravel()
        return flat.reshape(steps, size).T
    return rows.reshape(height, size, width // size).transpose(1, 0, 2).reshape(size, -1)


def region(memory: np.ndarray, width: int, height: int, pitch: int, element: np.dtype) -> np.ndarray:
    """The [height, width] elements of a region in a buffer of bytes."""
    rows = memory[: height * pitch].reshape(height, pitch)[:, :width]
    return np.ascontiguousarray(rows).view(element)


def cut(elements: np.ndarray, x: int, y: int, width: int, height: int) -> np.ndarray:
    """The [height, width] elements from row y, column x on; zeros outside."""
    out = np.zeros((height, width), elements.dtype)
    for row in range(max(y, 0), min(y + height, elements.shape[0])):
        low, high = max(x, 0), min(x + width, elements.shape[1])
        if low < high:
            out[row - y, low - x : high - x] = elements[row, low:high]
    return out


def loaded(block: BlockInstruction, elements: np.ndarray, x: int, y: int, size: int = 16) -> np.ndarray:
    """What a load gives: bytes [lane, byte]."""
    parts = []
    for number in range(block.count):
        piece = cut(elements, x + number * block.width, y, block.width, block.height)
        if block.operation == "load_transform":
            rows = 4 // block.element_bytes
            # [rows / r, r, columns] to one u32 per column, lower rows in lower bits
            stacked = piece.reshape(block.height // rows, rows, block.width).transpose(0, 2, 1)
            piece = np.ascontiguousarray(stacked).view(np.uint32)[..., 0]
        if block.operation == "load_transpose":
            piece = piece.T
        parts.append(lanes_of(piece, size))
    return np.ascontiguousarray(np.concatenate(parts, axis=1)).view(np.uint8)


def stored(block: BlockInstruction, lanes: np.ndarray, elements: np.ndarray, x: int, y: int, size: int = 16) -> np.ndarray:
    """`elements` after a store of the lanes' values [lane, value]."""
    where = lanes_of(np.arange(block.width * block.height).reshape(block.height, block.width) + 1, size)
    tile = np.zeros(block.width * block.height + 1, elements.dtype)
    tile[where.ravel()] = lanes.ravel()
    tile = tile[1:].reshape(block.height, block.width)
    out = elements.copy()
    for row in range(block.height):
        for column in range(block.width):
            if 0 <= y + row < out.shape[0] and 0 <= x + column < out.shape[1]:
                out[y + row, x + column] = tile[row, column]
    return out


# MatrixInstruction elements: (values as float64, their bits, bits per element)


def random_elements(rng: np.random.Generator, kind: str, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, int]:
    """Random values of an element type: what they are worth and their bit patterns."""
    if kind in ("f16", "bf16"):
        values = rng.standard_normal(shape).astype(np.float16 if kind == "f16" else ml_dtypes.bfloat16)
        return values.astype(np.float64), values.view(np.uint16).astype(np.uint64), 16
    if kind == "tf32":
        bits = rng.standard_normal(shape).astype(np.float32).view(np.uint32) & 0xFFFFE000
        return bits.view(np.float32).astype(np.float64), bits.astype(np.uint64), 32
    bits = int(kind[1:])
    low = -(1 << bits - 1) if kind[0] == "s" else 0
    numbers = rng.integers(low, low + (1 << bits), shape)
    return numbers.astype(np.float64), (numbers & (1 << bits) - 1).astype(np.uint64), bits


def pack(bits: np.ndarray, width: int, count: int) -> np.ndarray:
    """Join `count` neighbours of the last axis, the first in the low bits."""
    groups = bits.reshape(*bits.shape[:-1], -1, count)
    return sum(groups[..., n] << np.uint64(n * width) for n in range(count))


def a_lanes(matrix: MatrixInstruction, bits: np.ndarray, width: int) -> np.ndarray:
    """A [M, K] as [lane, word]."""
    rows, size = bits.shape[0], matrix.subgroup_size
    if matrix.k >= size:
        return pack(bits, width, matrix.k // size).T
    fold = size // matrix.k
    padded = np.zeros((-(-rows // fold) * fold, matrix.k), bits.dtype)
    padded[:rows] = bits
    return padded.reshape(-1, size).T


def b_lanes(matrix: MatrixInstruction, bits: np.ndarray, width: int) -> np.ndarray:
    """B [K, N] as [lane, word]."""
    return pack(np.ascontiguousarray(bits.T), width, 32 // width)
