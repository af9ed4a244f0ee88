"""Sums and maxima of rows of a block, which are columns: carried, stored, loaded beside, chosen, reduced again."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import User, kernel, load, store, wide
from tests.mlir.users_workgroup_ops import lay

COLUMNS: dict[str, User] = {}
V, LINE = "vector<16x16xf32>", "vector<16xf32>"


def sg(name, body, meaning, arrays="", **more):
    COLUMNS[name] = User(
        kernel(
            f"%A: memref<16x16xf32>, %R: memref<16x16xf32>{arrays}",
            f"{load('x', 'A', '16x16xf32', '16x16xf32')}\n{body}\n{store('y', 'R', '16x16xf32', '16x16xf32')}",
        ),
        meaning,
        **more,
    )


Z = f"    %z = arith.constant dense<0.0> : {LINE}\n"
COL = f"    %cc = vector.shape_cast %r : {LINE} to vector<16x1xf32>\n    %bb = vector.broadcast %cc : vector<16x1xf32> to {V}\n    %y = arith.addf %x, %bb : {V}"
LOADB = """    %i = vector.step : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %b = xegpu.load %B[%i], %m : memref<16xf32>, vector<16xindex>, vector<16xi1> -> vector<16xf32>
"""
sg(
    "bias loaded scattered plus sums in loop",
    LOADB
    + Z
    + f"""    %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %z) -> ({LINE}) {{
      %s = vector.multi_reduction <add>, %x, %a [1] : {V} to {LINE}
      %n = arith.addf %s, %b : {LINE}
      scf.yield %n : {LINE}
    }}
"""
    + COL,
    lambda g: {"R": g["A"] + 4 * (g["A"].sum(1) + g["B"])[:, None]},
    ", %B: memref<16xf32>",
)
sg(
    "sums stored in loop each",
    LOADB
    + Z
    + f"""    %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %z) -> ({LINE}) {{
      %s = vector.multi_reduction <add>, %x, %a [1] : {V} to {LINE}
      %o = arith.muli %k, %c16 : index
      %ob = vector.broadcast %o : index to vector<16xindex>
      %w = arith.addi %ob, %i : vector<16xindex>
      xegpu.store %s, %S[%w], %m : {LINE}, memref<64xf32>, vector<16xindex>, vector<16xi1>
      scf.yield %s : {LINE}
    }}
"""
    + COL,
    lambda g: {"R": g["A"] + 4 * g["A"].sum(1)[:, None], "S": np.outer(np.arange(1, 5), g["A"].sum(1)).ravel()},
    ", %B: memref<16xf32>, %S: memref<64xf32>",
)
sg(
    "table as start and mask",
    f"""    %z = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]> : {LINE}
    %q = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %z) -> ({LINE}) {{
      %s = vector.multi_reduction <add>, %x, %a [1] : {V} to {LINE}
      scf.yield %s : {LINE}
    }}
    %zero = arith.constant dense<0.0> : {LINE}
    %m = arith.cmpf ogt, %q, %zero : {LINE}
    %i = arith.extui %m : vector<16xi1> to vector<16xi32>
    %f = arith.sitofp %i : vector<16xi32> to {LINE}
    %r = arith.mulf %f, %q : {LINE}
"""
    + COL,
    lambda g: {"R": g["A"] + np.maximum(np.arange(1, 17) + 4 * g["A"].sum(1), 0)[:, None]},
)
sg(
    "column to index offsets",
    Z
    + f"""    %q = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %z) -> ({LINE}) {{
      %s = vector.multi_reduction <maximumf>, %x, %a [1] : {V} to {LINE}
      scf.yield %s : {LINE}
    }}
    %i32 = arith.fptosi %q : {LINE} to vector<16xi32>
    %o = arith.index_cast %i32 : vector<16xi32> to vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %r = xegpu.load %B[%o], %m : memref<16xf32>, vector<16xindex>, vector<16xi1> -> vector<16xf32>
"""
    + COL,
    lambda g: {"R": g["A"] + g["B"][np.maximum(g["A"].max(1), 0).astype(int)][:, None]},
    ", %B: memref<16xf32>",
)
sg(
    "column reduced to a scalar",
    Z
    + f"""    %q = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %z) -> ({LINE}) {{
      %s = vector.multi_reduction <add>, %x, %a [1] : {V} to {LINE}
      scf.yield %s : {LINE}
    }}
    %c = arith.constant 0.0 : f32
    %t = vector.multi_reduction <add>, %q, %c [0] : {LINE} to f32
    %e = vector.extract %q[5] : f32 from {LINE}
    %u = arith.addf %t, %e : f32
    %bb = vector.broadcast %u : f32 to {V}
    %y = arith.addf %x, %bb : {V}""",
    lambda g: {"R": g["A"] + 2 * g["A"].sum() + 2 * g["A"].sum(1)[5]},
)
sg(
    "nested loops, outer column",
    Z
    + f"""    %r = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %z) -> ({LINE}) {{
      %w = scf.for %j = %c0 to %c4 step %c1 iter_args(%b = %a) -> ({LINE}) {{
        %s = vector.multi_reduction <add>, %x, %b [1] : {V} to {LINE}
        scf.yield %s : {LINE}
      }}
      %h = arith.negf %w : {LINE}
      scf.yield %h : {LINE}
    }}
"""
    + COL,
    lambda g: {"R": g["A"] + (-(-4 * g["A"].sum(1) + 4 * g["A"].sum(1)))[:, None]},
)
sg(
    "while with columns",
    Z
    + f"""    %lim = arith.constant 100.0 : f32
    %ab = math.absf %x : {V}
    %r = scf.while (%a = %z) : ({LINE}) -> {LINE} {{
      %e = vector.extract %a[0] : f32 from {LINE}
      %c = arith.cmpf olt, %e, %lim : f32
      scf.condition(%c) %a : {LINE}
    }} do {{
    ^bb0(%a: {LINE}):
      %one = arith.constant dense<1.0> : {LINE}
      %n = arith.addf %a, %one : {LINE}
      %s = vector.multi_reduction <add>, %ab, %n [1] : {V} to {LINE}
      scf.yield %s : {LINE}
    }}
"""
    + COL,
    lambda g: {"R": g["A"] + _w(g["A"])[:, None]},
)


def _w(a):
    v = np.zeros(16, np.float32)
    while v[0] < 100:
        v = v + 1 + np.abs(a).sum(1)
    return v


sg(
    "bf16 columns",
    f"""    %h = arith.truncf %x : {V} to vector<16x16xbf16>
    %z = arith.constant dense<0.0> : vector<16xbf16>
    %q = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %z) -> (vector<16xbf16>) {{
      %s = vector.multi_reduction <maximumf>, %h, %a [1] : vector<16x16xbf16> to vector<16xbf16>
      scf.yield %s : vector<16xbf16>
    }}
    %r = arith.extf %q : vector<16xbf16> to {LINE}
"""
    + COL,
    lambda g: {"R": g["A"] + np.maximum(g["A"].max(1), 0)[:, None]},
)
sg(
    "rank 3 columns",
    f"""    %x3 = vector.shape_cast %x : {V} to vector<4x4x16xf32>
    %z = arith.constant dense<0.0> : vector<4x4xf32>
    %q = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %z) -> (vector<4x4xf32>) {{
      %s = vector.multi_reduction <add>, %x3, %a [2] : vector<4x4x16xf32> to vector<4x4xf32>
      scf.yield %s : vector<4x4xf32>
    }}
    %r = vector.shape_cast %q : vector<4x4xf32> to {LINE}
"""
    + COL,
    lambda g: {"R": g["A"] + 2 * g["A"].sum(1)[:, None]},
)
sg(
    "middle dim reduce to rank1",
    f"""    %x3 = vector.shape_cast %x : {V} to vector<16x4x4xf32>
    %z = arith.constant dense<0.0> : {LINE}
    %r = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %z) -> ({LINE}) {{
      %s = vector.multi_reduction <add>, %x3, %a [1, 2] : vector<16x4x4xf32> to {LINE}
      scf.yield %s : {LINE}
    }}
"""
    + COL,
    lambda g: {"R": g["A"] + 2 * g["A"].sum(1)[:, None]},
)
sg(
    "scan and columns",
    Z
    + f"""    %inc:2 = vector.scan <add>, %x, %z {{inclusive = true, reduction_dim = 1 : i64}} : {V}, {LINE}
    %q = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %inc#1) -> ({LINE}) {{
      %s = vector.multi_reduction <add>, %inc#0, %a [1] : {V} to {LINE}
      scf.yield %s : {LINE}
    }}
    %r = arith.addf %q, %q : {LINE}
"""
    + COL,
    lambda g: {"R": g["A"] + 2 * (g["A"].sum(1) + 2 * np.cumsum(g["A"], 1).sum(1))[:, None]},
)
sg(
    "function with a column",
    Z
    + f"""    %r = scf.if %p -> ({LINE}) {{
      %s = vector.multi_reduction <add>, %x, %z [1] : {V} to {LINE}
      scf.yield %s : {LINE}
    }} else {{
      %t = vector.multi_reduction <add>, %x, %z [0] : {V} to {LINE}
      scf.yield %t : {LINE}
    }}
"""
    + COL,
    lambda g: {"R": g["A"] + g["A"].sum(0)[:, None]},
    ", %p: i1",
    scalars={"p": False},
)
# wg gemm with epilogue rowmax etc and softmax of scores
for grid, rows in (("[4, 1]", 8), ("[2, 2]", 16)):
    cols = 32 // int(grid[4])
    COLUMNS[f"gemm row softmax {grid}"] = User(
        kernel(
            "%A: memref<32x32xf16>, %B: memref<32x32xf16>, %R: memref<32x32xf32>, %S: memref<32xf32>",
            f"""
{load("a", "A", "32x32xf16", "32x32xf16", more="#a")}
{load("b", "B", "32x32xf16", "32x32xf16", more="#b")}
    %p = xegpu.dpas %a, %b {{layout_a = #a, layout_b = #b, layout_cd = #c}} : vector<32x32xf16>, vector<32x32xf16> -> vector<32x32xf32>
    %low = arith.constant {{layout_result_0 = #s}} dense<-1.0e30> : vector<32xf32>
    %mx = vector.multi_reduction <maximumf>, %p, %low {{layout_result_0 = #s}} [1] : vector<32x32xf32> to vector<32xf32>
    %i = vector.step {{layout_result_0 = #s}} : vector<32xindex>
    %mk = arith.constant {{layout_result_0 = #s}} dense<true> : vector<32xi1>
    xegpu.store %mx, %S[%i], %mk <{{layout = #s}}> : vector<32xf32>, memref<32xf32>, vector<32xindex>, vector<32xi1>
    %cc = vector.shape_cast %mx {{layout_result_0 = #o}} : vector<32xf32> to vector<32x1xf32>
    %w = vector.broadcast %cc {{layout_result_0 = #c}} : vector<32x1xf32> to vector<32x32xf32>
    %y = arith.subf %p, %w {{layout_result_0 = #c}} : vector<32x32xf32>
{store("y", "R", "32x32xf32", "32x32xf32", more="#c")}""",
            aliases=f"#a = {lay(grid, f'[{rows}, 32]')}\n#b = {lay(grid, f'[32, {cols}]')}\n#c = {lay(grid, f'[{rows}, {cols}]')}\n#s = #xegpu.slice<#c, dims = [1]>\n#o = {lay(grid, f'[{rows}, 1]')}",
        ),
        lambda g: (lambda p: {"R": p - p.max(1, keepdims=True), "S": p.max(1)})(wide(g["A"]) @ wide(g["B"])),
    )
