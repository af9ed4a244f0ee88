"""A layout said twice: where both give each subgroup the same, it is one; where not, an error at the op (upstream's verifier takes both)."""

from __future__ import annotations

import numpy as np
import pytest

from tests import tools
from tests.mlir.everywhere import agree, numbers
from tests.mlir.users import kernel
from xetile import mlir
from xetile.errors import LayoutError

A, B = "#xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>", "#xegpu.layout<sg_layout = [4, 1], sg_data = [4, 32]>"
SAME = "#xegpu.layout<sg_layout = [2, 2]>"
"""As A, whose sizes follow from the shape."""


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


def module(load: str = "", source: str = A, store: str = "", target: str = A, between: str = "", stored: str = "%x") -> str:
    of, to = (f"!xegpu.tensor_desc<16x32xf32{', ' * bool(said)}{said}>" for said in (source, target))
    return kernel("%A: memref<16x32xf32>, %R: memref<16x32xf32>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<16x32xf32> -> {of}
    %x = xegpu.load_nd %t[0, 0] {load} : {of} -> vector<16x32xf32>
    {between}
    %s = xegpu.create_nd_tdesc %R : memref<16x32xf32> -> {to}
    xegpu.store_nd {stored}, %s[0, 0] {store} : vector<16x32xf32>, {to}""")  # fmt: skip


def add(said: str, **more: str) -> str:
    return module(between=f"%y = arith.addf %x, %x {{{said}}} : vector<16x32xf32>", stored="%y", **more)


def convert(have: str, want: str, more: str = "", **where: str) -> str:
    said = f"<{{input_layout = {have}, target_layout = {want}}}> {more}"
    return module(between=f"%y = xegpu.convert_layout %x {said} : vector<16x32xf32>", stored="%y", **where)


TAKEN = {
    "by property, descriptor and attribute": module(f"<{{layout = {A}}}> {{layout_result_0 = {A}}}"),
    "by descriptor and attribute": module(f"{{layout_result_0 = {A}}}"),
    "by property and attribute": module(f"<{{layout = {A}}}> {{layout_result_0 = {SAME}}}", ""),
    "in other words": module(f"<{{layout = {SAME}}}> {{layout_result_0 = {A}}}"),
    "at a store": module(store=f"<{{layout = {A}}}> {{layout_operand_0 = {SAME}}}"),
    "at a store alone": module(store=f"{{layout_operand_0 = {A}}}", target=""),
    "of operands and result": add(f"layout_operand_0 = {A}, layout_operand_1 = {SAME}, layout_result_0 = {A}"),
    "of one operand, and others around": add(f"layout_operand_1 = {B}"),
    "of operands, and others around": add(f"layout_operand_0 = {B}, layout_operand_1 = {B}"),
    "of operands alone": add(f"layout_operand_0 = {B}", source="", target=""),
    "of a conversion": convert(A, B, f"{{layout_operand_0 = {SAME}, layout_result_0 = {B}}}", target=B),
}
REFUSED = {
    "property and attribute": module(f"<{{layout = {B}}}> {{layout_result_0 = {A}}}", ""),
    "descriptor and attribute": module(f"{{layout_result_0 = {B}}}"),
    "descriptor and property": module(f"<{{layout = {B}}}>"),
    "descriptor and property of a store": module(store=f"<{{layout = {B}}}>"),
    "property and attribute of a store": module(store=f"<{{layout = {A}}}> {{layout_operand_0 = {B}}}"),
    "descriptor and attribute of a store": module(store=f"{{layout_operand_0 = {B}}}"),
    "operands of one op": add(f"layout_operand_0 = {A}, layout_operand_1 = {B}"),
    "operand and result": add(f"layout_operand_0 = {B}, layout_result_0 = {A}"),
    "target of a conversion and attribute": convert(A, B, f"{{layout_result_0 = {A}}}", target=B),
    "input of a conversion and attribute": convert(A, B, f"{{layout_operand_0 = {B}}}", target=B),
}


@pytest.mark.every(12)
@pytest.mark.parametrize("name", TAKEN)
def test_one_layout_said_twice_is_one(name):
    found = agree(TAKEN[name])
    assert isinstance(found, dict), found
    given = numbers(mlir.parse(TAKEN[name]))["A"]
    assert (found["R"].reshape(given.shape) == (given * (2 if "addf" in TAKEN[name] else 1)).astype(np.float32)).all()


@pytest.mark.parametrize("name", REFUSED)
def test_two_layouts_of_one_value_are_an_error_where_they_stand(name):
    tools.mlir_opt(REFUSED[name])
    error = agree(REFUSED[name], cpu=False)
    assert isinstance(error, LayoutError) and error.at is not None, error
    assert "in two ways" in error.message or "than its descriptor" in error.message
    op = error.message.split(":")[0]
    assert op in REFUSED[name].splitlines()[error.at.line - 1]
