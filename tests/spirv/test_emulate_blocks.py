"""Emulated 2D block instructions, every shape of the published table, on a device against numpy.

One test, and one program, for all shapes of an operation and an element size: programs take long to build.
"""

import numpy as np
import pytest
from xetile.backends.spirv.module.shapes import portable_blocks

from tests.spirv import kernels, layouts

pytestmark = pytest.mark.device

PITCH, WIDTH, HEIGHT = 384, 320, 40


def coordinates(block) -> np.ndarray:
    """Inside, over each edge and corner, and wholly outside; x in steps that the extension asks for."""
    columns, step = WIDTH // block.element_bytes, {1: 4, 2: 2}.get(block.element_bytes, 1)
    wide = block.width * block.count
    right = columns - wide // 2 // step * step
    xs = (0, 3 * step, right, -step, -wide, columns, -wide - 64)
    ys = (0, 5, HEIGHT - (block.height + 1) // 2, -1, -block.height, HEIGHT, 1 << 20)
    pairs = [(x, y) for x, y in zip(xs, ys, strict=True)] + [(right, HEIGHT - 1), (-step, -1), (3 * step, HEIGHT - block.height)]
    return np.array(pairs, np.int32)


def build(cpu, operation, element_bytes):
    """The shapes of an operation and a program with a kernel for each."""
    blocks = [block for block in portable_blocks(operation) if block.element_bytes == element_bytes]
    return blocks, cpu.build(kernels.block_module(blocks, step=HEIGHT * PITCH))


LOADS = [("load", 1), ("load", 2), ("load", 4), ("load_transform", 1), ("load_transform", 2), ("load_transpose", 4)]


@pytest.mark.covering
@pytest.mark.every(3, 2)
@pytest.mark.parametrize(("operation", "element_bytes"), LOADS)
def test_loads_give_each_lane_its_elements(cpu, operation, element_bytes):
    blocks, program = build(cpu, operation, element_bytes)
    for block in blocks:
        check_load(cpu, program, block)


def check_load(cpu, program, block):
    rng = np.random.default_rng(1)
    memory = rng.integers(0, 256, HEIGHT * PITCH, np.uint8)
    pairs = coordinates(block)
    lanes = np.full((len(pairs), 16, block.lane_bytes()), 0xEE, np.uint8)
    args = (memory, *map(np.int32, (WIDTH, HEIGHT, PITCH)), pairs, lanes)
    *_, got = cpu.run(program, kernels.block_kernel_name(block), (len(pairs),), (16,), *args)
    elements = layouts.region(memory, WIDTH, HEIGHT, PITCH, np.dtype(f"u{block.element_bytes}"))
    for number, (x, y) in enumerate(pairs):
        np.testing.assert_array_equal(got[number], layouts.loaded(block, elements, x, y), err_msg=f"{block} at {x}, {y}")


@pytest.mark.every(3, 2)
@pytest.mark.parametrize("element_bytes", [1, 2, 4])
def test_stores_write_what_is_inside_and_nothing_else(cpu, element_bytes):
    blocks, program = build(cpu, "store", element_bytes)
    for block in blocks:
        check_store(cpu, program, block)


def check_store(cpu, program, block):
    rng = np.random.default_rng(2)
    pairs = coordinates(block)
    memory = np.full((len(pairs), HEIGHT * PITCH), 0x55, np.uint8)
    lanes = rng.integers(0, 256, (len(pairs), 16, block.lane_bytes()), np.uint8)
    args = (memory, *map(np.int32, (WIDTH, HEIGHT, PITCH)), pairs, lanes)
    got, *_ = cpu.run(program, kernels.block_kernel_name(block), (len(pairs),), (16,), *args)
    element = np.dtype(f"u{block.element_bytes}")
    for number, (x, y) in enumerate(pairs):
        expected = memory[number].reshape(HEIGHT, PITCH).copy()
        before = layouts.region(memory[number], WIDTH, HEIGHT, PITCH, element)
        expected[:, :WIDTH] = layouts.stored(block, lanes[number].view(element), before, x, y).view(np.uint8)
        np.testing.assert_array_equal(got[number].reshape(HEIGHT, PITCH), expected, err_msg=f"{block} at {x}, {y}")


def test_prefetches_vanish(cpu):
    (block, *_), program = build(cpu, "prefetch", 2)
    memory, lanes = np.zeros(HEIGHT * PITCH, np.uint8), np.full((1, 16, block.lane_bytes()), 7, np.uint8)
    args = (memory, *map(np.int32, (WIDTH, HEIGHT, PITCH)), np.zeros((1, 2), np.int32), lanes)
    *_, got = cpu.run(program, kernels.block_kernel_name(block), (1,), (16,), *args)
    np.testing.assert_array_equal(got, lanes)
