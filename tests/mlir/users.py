"""XeGPU modules as their users write them, with what they leave in their arrays by numpy."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Given = dict[str, np.ndarray[Any, Any]]


@dataclass(frozen=True)
class User:
    """A module, and the arrays that it changes from those that it is given."""

    text: str
    meaning: Callable[[Given], dict[str, Any]]
    grid: tuple[int, ...] = (1,)
    scalars: Mapping[str, Any] = field(default_factory=dict)
    near: float = 0.0
    """How far results may be off, where functions are not exact."""
    rounded: bool = False
    """Whether devices round these functions each in its own way."""
    spins: bool = False
    """Whether subgroups wait for each other in a way that CPUs cannot."""


def swapped_blocks(shape: tuple[int, int], second: tuple[int, int], step: tuple[int, int]) -> Callable[[Given], dict[str, Any]]:
    """What a loop of three iterations sums up: it swaps two blocks of A, takes one, twice the sum beside it, and moves that by `step`."""

    def meaning(given: Given) -> dict[str, Any]:
        one, other, total = (0, 0), second, np.zeros(shape, np.float32)
        for _ in range(3):
            one, other = other, one
            total = 2 * total + given["A"][one[0] : one[0] + shape[0], one[1] : one[1] + shape[1]]
            one = (one[0] + step[0], one[1] + step[1])
        return {"R": total}

    return meaning


def kernel(arguments: str, body: str, said: str = "", aliases: str = "") -> str:
    """A gpu.func of the ops in a body; the constants that bodies use stand in front."""
    names = set(re.findall(r"%\w+", body))
    used = [n for n in (0, 1, 2, 4, 8, 16, 32, 48, 64, 128, 256) if f"%c{n}" in names]
    constants = "\n".join(f"    %c{n} = arith.constant {n} : index" for n in used)
    return f"{aliases}\ngpu.module @m {{\n  gpu.func @k({arguments}) kernel {said} {{\n{constants}\n{body}\n    gpu.return\n  }}\n}}\n"


def desc(shape: str, more: str = "") -> str:
    return f"!xegpu.tensor_desc<{shape}{', ' + more if more else ''}>"


def load(
    name: str, array: str, memory: str, shape: str, at: str = "0, 0", more: str = "", props: str = "", gives: str = ""
) -> str:
    """Lines that load a block of an array."""
    kind = desc(shape, more)
    return f"""    %t_{name} = xegpu.create_nd_tdesc %{array} : memref<{memory}> -> {kind}
    %{name} = xegpu.load_nd %t_{name}[{at}] {props} : {kind} -> vector<{gives or shape}>"""


def store(value: str, array: str, memory: str, shape: str, at: str = "0, 0", more: str = "", props: str = "") -> str:
    kind = desc(shape, more)
    return f"""    %s_{value} = xegpu.create_nd_tdesc %{array} : memref<{memory}> -> {kind}
    xegpu.store_nd %{value}, %s_{value}[{at}] {props} : vector<{shape}>, {kind}"""


def wide(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array.astype(np.float32)


def atomic(kind: str, e: str, of: Callable[[Any, Any], Any]) -> User:
    """A subgroup that lets an atomic change every second element of R, and keeps what they were."""
    tile = desc("16x" + e, "#xegpu.scatter_tdesc_attr<>")
    return User(kernel(f"%A: memref<16x{e}>, %R: memref<32x{e}>, %R1: memref<16x{e}>", f"""
    %i = vector.step : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %v = xegpu.load %A[%i], %m : memref<16x{e}>, vector<16xindex>, vector<16xi1> -> vector<16x{e}>
    %o = arith.addi %i, %i : vector<16xindex>
    %t = xegpu.create_tdesc %R, %o : memref<32x{e}>, vector<16xindex> -> {tile}
    %old = xegpu.atomic_rmw {kind} %t, %m, %v : {tile}, vector<16xi1>, vector<16x{e}> -> vector<16x{e}>
    xegpu.store %old, %R1[%i], %m : vector<16x{e}>, memref<16x{e}>, vector<16xindex>, vector<16xi1>"""),
    lambda g: {"R": np.stack([of(g["R"][::2], g["A"]), g["R"][1::2]], 1).ravel(), "R1": g["R"][::2]})  # fmt: skip
