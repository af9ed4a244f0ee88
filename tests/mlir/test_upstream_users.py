"""Users' modules of workgroups, with the layouts that we give every value, through upstream's passes: what they leave is what numpy says.

Upstream takes about a third of them; what it refuses says nothing.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests import tools
from tests.mlir.everywhere import GUARD, left_by, numbers
from tests.mlir.test_users import USERS, check
from xetile import mlir
from xetile.ir.printer import print_op
from xetile.passes.named import lower_to
from xetile.target import get_target

PASSES = ("--xegpu-wg-to-sg-distribute", "--xegpu-blocking")
WRONG = ("workgroup batches by subviews", "whole: a batch of rank 4", "control a workgroup's branch joins sizes that it computes")
"""LLVM 22.1.8 adds where a subgroup is twice: to offsets of the descriptor, and to those of the load."""
WHOLE = [name for name, user in USERS.items() if "sg_layout" in user.text and not name.startswith(("lane", "subgroup"))]
TAKEN = (
    "workgroup gemm of f16",
    "products: a step that a branch decides, whole",
    "whole: one memory as two matrices",
    "ranks: slice of a slice",
)


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


def distributed(name: str, *passes: str) -> bool:
    """Whether upstream takes a module; raises AssertionError where what it makes of it leaves other numbers."""
    user = USERS[name]
    own = mlir.parse(user.text)
    laid_out = print_op(lower_to(mlir.parse(user.text), get_target("pvc"), "layout"))
    try:
        text = tools.mlir_opt(laid_out, *passes)
    except AssertionError:
        return False
    module = mlir.parse(text, "upstream.mlir")
    kernel, args = module.kernel, []
    for value, original, arg in zip(kernel.body.args, own.kernel.body.args, kernel.attributes["args"], strict=True):
        value.name = original.name
        args.append(replace(arg, param=original.name))
    kernel.attributes.update(args=tuple(args), level="subgroup")
    left = left_by(module, "numpy", user.grid, user.scalars)
    assert isinstance(left, dict), left
    check(user, numbers(own), {array: values[GUARD:-GUARD] for array, values in left.items()})
    return True


@pytest.mark.every(72, 29)
@pytest.mark.parametrize("name", [name for name in WHOLE if name not in WRONG])
def test_subgroups_of_upstream_leave_what_numpy_says(name):
    if distributed(name, PASSES[0]):
        distributed(name, *PASSES)


def test_upstream_takes_some_of_each_kind():
    assert all(distributed(name, PASSES[0]) for name in TAKEN)


@pytest.mark.every(2)
@pytest.mark.parametrize("name", WRONG)
def test_where_upstream_is_wrong_numpy_decides(name):
    """When this fails, upstream is fixed: compare with it again."""
    with pytest.raises(AssertionError, match="differ"):
        distributed(name, PASSES[0])
