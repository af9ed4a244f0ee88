"""Messages of a whole subgroup between branches that some of its lanes take: IGC must not have them once for each part (`emit/flow`)."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tools
from tests.mlir.test_users import check_on
from tests.mlir.users import User, desc, kernel

FIRST = 5
"""Lanes below this one store."""
LIMITS = {"the same lanes": FIRST, "those lanes among others": 12}
"""Lanes that store again behind the message."""


def stores(message: str, again: int, element: str) -> User:
    """M = 7 where lanes store, before and behind the message; R = what the message brings."""
    block, one = desc(f"1x16x{element}"), "1" if element[0] == "i" else "1.0"
    lines = [
        "%lane = gpu.lane_id",
        f"%first = arith.constant {FIRST} : index",
        f"%again = arith.constant {again} : index",
        "%m = arith.cmpi ult, %lane, %first : index",
        "%n = arith.cmpi ult, %lane, %again : index",
        "%at = arith.addi %lane, %c16 : index",
        "%seven = arith.constant 7 : i32",
        f"%one = arith.constant dense<{one}> : vector<1x{element}>",
        f"%ta = xegpu.create_nd_tdesc %A : memref<8x64x{element}> -> {block}",
        f"%tr = xegpu.create_nd_tdesc %R : memref<8x64x{element}> -> {block}",
        "xegpu.store %seven, %M[%lane], %m : i32, memref<32xi32>, index, i1",
        *([f"%v = xegpu.load_nd %ta[%c2, %c0] : {block} -> vector<1x{element}>"] if message == "load" else []),
        *([f"xegpu.store_nd %one, %tr[%c0, %c0] : vector<1x{element}>, {block}"] if message == "store" else []),
        "xegpu.store %seven, %M[%at], %n : i32, memref<32xi32>, index, i1",
        *([f"xegpu.store_nd %v, %tr[%c0, %c0] : vector<1x{element}>, {block}"] if message == "load" else []),
    ]

    def meaning(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        left = {name: given[name].copy() for name in "MR"}
        left["M"][:FIRST] = left["M"][16 : 16 + again] = 7
        left["R"][0, :16] = given["A"][2, :16] if message == "load" else 1
        return left

    memory = f"memref<8x64x{element}>"
    return User(kernel(f"%A: {memory}, %R: {memory}, %M: memref<32xi32>", "\n".join(lines)), meaning)


@pytest.mark.simulated
@pytest.mark.covering(2)
@pytest.mark.parametrize("device", ["sim:pvc", "sim:bmg"])
@pytest.mark.parametrize("element", ["f16", "i32"])
@pytest.mark.parametrize("lanes", LIMITS)
@pytest.mark.parametrize("message", ["load", "store"])
def test_messages_between_branches_of_lanes(message, lanes, element, device):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    check_on(stores(message, LIMITS[lanes], element), device)
