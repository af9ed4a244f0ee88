"""Products of workgroups whose blocks move in every way that a loop can count, raised whole and, with a value of rank 3 behind, by subgroup."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import Given, User, desc, kernel, wide
from tests.mlir.users_workgroup_ops import lay

PRODUCTS: dict[str, User] = {}
_A, _B, _C = desc("64x32xf16", "#a"), desc("32x64xf16", "#b"), desc("64x64xf32", "#c")
_V = "vector<64x64xf32>"
_LAYOUTS = "\n".join(
    f"#{name} = {lay(*given)}"
    for name, given in {
        "a": ("[4, 1]", "[16, 32]"), "b": ("[4, 1]", "[32, 64]"), "c": ("[4, 1]", "[16, 64]"), "c3": ("[4, 1, 1]", "[1, 16, 64]"),
    }.items()
)  # fmt: skip
_BEHIND = {
    "whole": f"    %twice = arith.addf %r, %r {{layout_result_0 = #c}} : {_V}",
    "by subgroup": f"""    %w = vector.shape_cast %r {{layout_result_0 = #c3}} : {_V} to vector<4x16x64xf32>
    %w2 = arith.addf %w, %w {{layout_result_0 = #c3}} : vector<4x16x64xf32>
    %twice = vector.shape_cast %w2 {{layout_result_0 = #c}} : vector<4x16x64xf32> to {_V}""",
}


def gemm(raised: str, head: str, tail: str, more: str = "") -> str:
    """Twice A times B: `head` opens a loop and says %k, where the blocks of a step begin; `tail` takes the sum %s."""
    return kernel(f"%A: memref<64x192xf16>, %B: memref<192x64xf16>, %R: memref<64x64xf32>{more}", f"""
    %c3 = arith.constant 3 : index
    %c96 = arith.constant 96 : index
    %c192 = arith.constant 192 : index
    %z = arith.constant {{layout_result_0 = #c}} dense<0.0> : {_V}
    %ta = xegpu.create_nd_tdesc %A : memref<64x192xf16> -> {_A}
    %tb = xegpu.create_nd_tdesc %B : memref<192x64xf16> -> {_B}
    {head}
      %x = xegpu.load_nd %ta[%c0, %k] : {_A} -> vector<64x32xf16>
      %y = xegpu.load_nd %tb[%k, %c0] : {_B} -> vector<32x64xf16>
      %s = xegpu.dpas %x, %y, %acc {{layout_a = #a, layout_b = #b, layout_cd = #c}} : vector<64x32xf16>, vector<32x64xf16>, {_V} -> {_V}
      {tail}
{_BEHIND[raised]}
    %tc = xegpu.create_nd_tdesc %R : memref<64x64xf32> -> {_C}
    xegpu.store_nd %twice, %tc[0, 0] : {_V}, {_C}""", aliases=_LAYOUTS)  # fmt: skip


def steps(*at: int):
    """What the blocks that begin at these places along k sum up to, twice."""

    def meaning(g: Given) -> dict[str, np.ndarray]:
        return {"R": 2 * sum(wide(g["A"])[:, k : k + 32] @ wide(g["B"])[k : k + 32] for k in at)}  # type: ignore[dict-item]

    return meaning


_ALL = steps(*range(0, 192, 32))
_FOR, _DONE = f"%r = scf.for %i = %c0 to %c192 step %c32 iter_args(%acc = %z) -> ({_V}) {{", f"scf.yield %s : {_V}\n    }}"
for _raised in _BEHIND:
    PRODUCTS[f"offsets that the loop carries, {_raised}"] = User(gemm(_raised,
        f"%r, %end = scf.for %i = %c0 to %c192 step %c32 iter_args(%acc = %z, %k = %c0) -> ({_V}, index) {{",
        f"%n = arith.addi %k, %c32 : index\n      scf.yield %s, %n : {_V}, index\n    }}"), _ALL)  # fmt: skip
    PRODUCTS[f"from the end to the beginning, {_raised}"] = User(
        gemm(_raised, f"{_FOR}\n      %last = arith.constant 160 : index\n      %k = arith.subi %last, %i : index", _DONE), _ALL
    )
    PRODUCTS[f"divided and multiplied again, {_raised}"] = User(
        gemm(_raised, f"{_FOR}\n      %d = arith.divui %i, %c32 : index\n      %k = arith.muli %d, %c32 : index", _DONE), _ALL
    )
    PRODUCTS[f"two loops, {_raised}"] = User(gemm(_raised, f"""%r = scf.for %j = %c0 to %c2 step %c1 iter_args(%outer = %z) -> ({_V}) {{
      %from = arith.muli %j, %c96 : index
      %q = scf.for %i = %c0 to %c96 step %c32 iter_args(%acc = %outer) -> ({_V}) {{
      %k = arith.addi %i, %from : index""", f"{_DONE}\n    scf.yield %q : {_V}\n    }}"), _ALL)  # fmt: skip
    PRODUCTS[f"a bound and a step of a run, {_raised}"] = User(gemm(_raised,
        f"%r = scf.for %k = %c0 to %n step %by iter_args(%acc = %z) -> ({_V}) {{", _DONE, ", %n: index, %by: index"),
        steps(0, 64), scalars={"n": 128, "by": 64})  # fmt: skip
    PRODUCTS[f"a step that a branch decides, {_raised}"] = User(gemm(_raised,
        f"%r, %end = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %z, %k = %c0) -> ({_V}, index) {{",
        f"""%first = arith.cmpi eq, %i, %c0 : index
      %by = scf.if %first -> (index) {{
        scf.yield %c32 : index
      }} else {{
        scf.yield %c64 : index
      }}
      %n = arith.addi %k, %by : index
      scf.yield %s, %n : {_V}, index
    }}"""), steps(0, 32, 96))  # fmt: skip
