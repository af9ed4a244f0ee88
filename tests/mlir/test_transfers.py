"""Reads and writes of MLIR's vector dialect: as upstream's own pass to xegpu has them, or refused where the text stands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests import tools
from tests.mlir.everywhere import GUARD, left_by, numbers
from tests.mlir.test_users import check
from tests.mlir.users import kernel
from tests.mlir.users_transfers import TRANSFERS
from xetile import mlir
from xetile.errors import MlirTextError
from xetile.mlir.transfers import NAMES

PASS = "--convert-vector-to-xegpu"
WRONG = ("transposed", "written transposed")
"""LLVM 22.1.8 multiplies indices by the strides of the other dimension there."""
NOT_TAKEN = ("gathered and scattered", "a lane's neighbours")
"""It makes an op that its verifier refuses of offsets of i32, and scattered access of a subgroup of what a lane does."""


def converted(name: str) -> bool:
    """Whether what upstream's pass leaves means what numpy says, and it leaves nothing of the dialect that it starts from."""
    user = TRANSFERS[name]
    text = tools.mlir_opt(user.text, PASS)
    module, own = mlir.parse(text, "upstream.mlir"), mlir.parse(user.text)
    args = []
    for value, original, arg in zip(module.kernel.body.args, own.kernel.body.args, module.kernel.attributes["args"], strict=True):
        value.name = original.name
        args.append(replace(arg, param=original.name))
    module.kernel.attributes["args"] = tuple(args)
    left = left_by(module, "numpy", user.grid, user.scalars)
    assert isinstance(left, dict), left
    check(user, numbers(own), {name: array[GUARD:-GUARD] for name, array in left.items()})
    return not any(op in text for op in NAMES)


@pytest.mark.every(20, 10)
@pytest.mark.parametrize("name", [n for n in TRANSFERS if n not in (*WRONG, *NOT_TAKEN)])
def test_upstreams_pass_means_the_same(name):
    tools.require_tool("mlir-opt")
    converted(name)


def test_upstreams_pass_takes_many_of_them():
    tools.require_tool("mlir-opt")
    assert converted("a block") and converted("a line") and converted("rank 3") and converted("in a loop")


@pytest.mark.parametrize("name", WRONG)
def test_where_upstream_is_wrong_numpy_decides(name):
    """When this fails, upstream is fixed: compare with it again."""
    tools.require_tool("mlir-opt")
    with pytest.raises(AssertionError, match="differ"):
        converted(name)


HEAD = "    %pad = arith.constant 0.0 : f32\n"
REFUSED = {
    "a tensor": ("%A: tensor<8x16xf32>", "%x = vector.transfer_read %A[%c0, %c0], %pad : tensor<8x16xf32>, vector<8x16xf32>", "tensor"),
    "no dimension": ("%A: memref<8xf32>", "%x = vector.transfer_read %A[%c0], %pad : memref<8xf32>, vector<f32>", "one dimension or more"),
    "an edge of a lane": ("%A: memref<8xf32>", "%l = gpu.lane_id\n    %x = vector.transfer_read %A[%l], %pad : memref<8xf32>, vector<4xf32>",
                          "a lane reads and writes neighbours"),
    "a mask of a lane": ("%A: memref<8xf32>", """%l = gpu.lane_id
    %m = arith.constant dense<true> : vector<4xi1>
    vector.maskedstore %A[%l], %m, %z : memref<8xf32>, vector<4xi1>, vector<4xf32>""", "a lane reads and writes neighbours"),
    "a stride of a run": ("%A: memref<8x16xf32, strided<[?, 1]>>",
                          "%x = vector.transfer_read %A[%c0, %c0], %pad : memref<8x16xf32, strided<[?, 1]>>, vector<8x16xf32>",
                          "known only at run time"),
    "elements of 4 bits": ("%A: memref<8x16xi4>", "%p = arith.constant 0 : i4\n    "
                           "%x = vector.transfer_read %A[%c0, %c0], %p : memref<8x16xi4>, vector<8x16xi4>", "no element type i4"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_place_and_reason(name):
    tools.require_tool("mlir-opt")
    arguments, body, reason = REFUSED[name]
    text = kernel(arguments, f"{HEAD}    %z = arith.constant dense<0.0> : vector<4xf32>\n    {body}")
    with pytest.raises(MlirTextError, match=reason) as found:
        mlir.parse(text, "bad.mlir")
    assert found.value.at is not None and found.value.at.file == "bad.mlir" and "InternalError" not in str(found.value)
