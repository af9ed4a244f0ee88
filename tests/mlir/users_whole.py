"""Modules of workgroups of kinds that others write and the other tables lack: attention, products behind products, exchanges by shared memory."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import User, desc, kernel, load, store, wide
from tests.mlir.users_workgroup_ops import lay, one

WHOLE: dict[str, User] = {}


def _attention(a):
    s = wide(a["Q"]) @ wide(a["K"]).T
    p = np.exp2(s - s.max(1, keepdims=True))
    return {"R": (p / p.sum(1, keepdims=True)) @ wide(a["V"])}


_TALL, _S, _O, _COL = "vector<32xf32>", "vector<32x16xf32>", "vector<32x32xf32>", "vector<32x1xf32>"
for _grid, _data in (("[4, 1]", 8), ("[2, 1]", 16)):
    WHOLE[f"attention by running maxima, {_grid}"] = User(
        kernel("%Q: memref<32x32xf16>, %K: memref<64x32xf16>, %V: memref<64x32xf16>, %R: memref<32x32xf32>", f"""
{load("q", "Q", "32x32xf16", "32x32xf16", more="#q")}
    %low = arith.constant {{layout_result_0 = #row}} dense<-1.0e30> : {_TALL}
    %none = arith.constant {{layout_result_0 = #row}} dense<0.0> : {_TALL}
    %zo = arith.constant {{layout_result_0 = #o}} dense<0.0> : {_O}
    %zs = arith.constant {{layout_result_0 = #s}} dense<0.0> : {_S}
    %tk = xegpu.create_nd_tdesc %K : memref<64x32xf16> -> {desc("16x32xf16", "#k")}
    %tv = xegpu.create_nd_tdesc %V : memref<64x32xf16> -> {desc("16x32xf16", "#v")}
    %r:3 = scf.for %n = %c0 to %c64 step %c16 iter_args(%max = %low, %sum = %none, %acc = %zo) -> ({_TALL}, {_TALL}, {_O}) {{
      %k = xegpu.load_nd %tk[%n, %c0] : {desc("16x32xf16", "#k")} -> vector<16x32xf16>
      %kt = vector.transpose %k, [1, 0] {{layout_result_0 = #kt}} : vector<16x32xf16> to vector<32x16xf16>
      %sc = xegpu.dpas %q, %kt, %zs {{layout_a = #q, layout_b = #kt, layout_cd = #s}} : vector<32x32xf16>, vector<32x16xf16>, {_S} -> {_S}
      %new = vector.multi_reduction <maximumf>, %sc, %max {{layout_result_0 = #row}} [1] : {_S} to {_TALL}
      %one = vector.shape_cast %new {{layout_result_0 = #col}} : {_TALL} to {_COL}
      %wide = vector.broadcast %one {{layout_result_0 = #s}} : {_COL} to {_S}
      %less = arith.subf %sc, %wide {{layout_result_0 = #s}} : {_S}
      %e = math.exp2 %less {{layout_result_0 = #s}} : {_S}
      %old = arith.subf %max, %new {{layout_result_0 = #row}} : {_TALL}
      %down = math.exp2 %old {{layout_result_0 = #row}} : {_TALL}
      %before = arith.mulf %sum, %down {{layout_result_0 = #row}} : {_TALL}
      %total = vector.multi_reduction <add>, %e, %before {{layout_result_0 = #row}} [1] : {_S} to {_TALL}
      %p = arith.truncf %e {{layout_result_0 = #s}} : {_S} to vector<32x16xf16>
      %v = xegpu.load_nd %tv[%n, %c0] : {desc("16x32xf16", "#v")} -> vector<16x32xf16>
      %dc = vector.shape_cast %down {{layout_result_0 = #col}} : {_TALL} to {_COL}
      %dw = vector.broadcast %dc {{layout_result_0 = #o}} : {_COL} to {_O}
      %scaled = arith.mulf %acc, %dw {{layout_result_0 = #o}} : {_O}
      %next = xegpu.dpas %p, %v, %scaled {{layout_a = #s, layout_b = #v, layout_cd = #o}} : vector<32x16xf16>, vector<16x32xf16>, {_O} -> {_O}
      scf.yield %new, %total, %next : {_TALL}, {_TALL}, {_O}
    }}
    %tc = vector.shape_cast %r#1 {{layout_result_0 = #col}} : {_TALL} to {_COL}
    %tw = vector.broadcast %tc {{layout_result_0 = #o}} : {_COL} to {_O}
    %y = arith.divf %r#2, %tw {{layout_result_0 = #o}} : {_O}
{store("y", "R", "32x32xf32", "32x32xf32", more="#o")}""", aliases="\n".join((
            f"#q = {lay(_grid, f'[{_data}, 32]')}", f"#k = {lay('[1, ' + _grid[1] + ']', '[16, 32]')}",
            f"#kt = {lay(_grid, '[32, 16]', ', order = [0, 1]')}", f"#s = {lay(_grid, f'[{_data}, 16]')}", f"#v = {lay(_grid, '[16, 32]')}",
            f"#o = {lay(_grid, f'[{_data}, 32]')}", f"#col = {lay(_grid, f'[{_data}, 1]')}", "#row = #xegpu.slice<#s, dims = [1]>"))),
        _attention, near=2e-2, rounded=True)  # fmt: skip

# Sums of rows that a loop carries, and what becomes of them.
_ROWS = f"#row = #xegpu.slice<#l, dims = [1]>\n#col = {lay('[4, 1]', '[4, 1]')}"
for _name, _carried, _f in (
    ("maxima", "%n = vector.multi_reduction <maximumf>, %v, %m {layout_result_0 = #row} [1] : vector<16x32xf32> to vector<16xf32>",
     lambda a: np.maximum(np.maximum(a, 2 * a), 3 * a).max(1, keepdims=True)),
    ("sums that are halved", "%h = arith.mulf %m, %half {layout_result_0 = #row} : vector<16xf32>\n"
     "      %n = vector.multi_reduction <add>, %v, %h {layout_result_0 = #row} [1] : vector<16x32xf32> to vector<16xf32>",
     lambda a: ((a.sum(1, keepdims=True) / 2 + 2 * a.sum(1, keepdims=True)) / 2 + 3 * a.sum(1, keepdims=True))),
    ("sums, chosen by a number", "%q = vector.multi_reduction <add>, %v, %m {layout_result_0 = #row} [1] : vector<16x32xf32> to vector<16xf32>\n"
     "      %big = arith.cmpf ogt, %q, %half {layout_result_0 = #row} : vector<16xf32>\n"
     "      %n = arith.select %big, %q, %m {layout_result_0 = #row} : vector<16xi1>, vector<16xf32>",
     lambda a: _chosen(a)),
):  # fmt: skip
    WHOLE[f"{_name} of rows in a loop"] = one(f"""
    %half = arith.constant {{layout_result_0 = #row}} dense<0.5> : vector<16xf32>
    %start = arith.constant {{layout_result_0 = #row}} dense<{"-1000.0" if _name == "maxima" else "0.0"}> : vector<16xf32>
    %c3 = arith.constant 3 : index
    %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%m = %start, %v = %x) -> (vector<16xf32>, vector<16x32xf32>) {{
      {_carried}
      %w = arith.addf %v, %x {{layout_result_0 = #l}} : vector<16x32xf32>
      scf.yield %n, %w : vector<16xf32>, vector<16x32xf32>
    }}
    %c = vector.shape_cast %r#0 {{layout_result_0 = #col}} : vector<16xf32> to vector<16x1xf32>
    %b = vector.broadcast %c {{layout_result_0 = #l}} : vector<16x1xf32> to vector<16x32xf32>
    %y = arith.subf %x, %b {{layout_result_0 = #l}} : vector<16x32xf32>""",
        lambda a, f=_f: a - f(a), lay("[4, 1]", "[4, 32]"), aliases=_ROWS)  # fmt: skip


def _chosen(a):
    m = np.zeros((16, 1), np.float32)
    for i in (1, 2, 3):
        q = m + (i * a).sum(1, keepdims=True)
        m = np.where(q > 0.5, q, m)
    return m


WHOLE["a row's sum as a row and as a column"] = User(
    kernel("%A: memref<16x16xf32>, %R: memref<16x16xf32>, %S: memref<16xf32>", f"""
{load("x", "A", "16x16xf32", "16x16xf32", more="#l")}
    %z = arith.constant {{layout_result_0 = #row}} dense<0.0> : vector<16xf32>
    %s = vector.multi_reduction <add>, %x, %z {{layout_result_0 = #row}} [1] : vector<16x16xf32> to vector<16xf32>
    %c = vector.shape_cast %s {{layout_result_0 = #col}} : vector<16xf32> to vector<16x1xf32>
    %b = vector.broadcast %c {{layout_result_0 = #l}} : vector<16x1xf32> to vector<16x16xf32>
    %t = vector.multi_reduction <add>, %x, %z {{layout_result_0 = #top}} [0] : vector<16x16xf32> to vector<16xf32>
    %d = vector.broadcast %t {{layout_result_0 = #l}} : vector<16xf32> to vector<16x16xf32>
    %u = arith.mulf %b, %x {{layout_result_0 = #l}} : vector<16x16xf32>
    %y = arith.addf %u, %d {{layout_result_0 = #l}} : vector<16x16xf32>
{store("y", "R", "16x16xf32", "16x16xf32", more="#l")}
    %i = vector.step {{layout_result_0 = #row}} : vector<16xindex>
    %m = arith.constant {{layout_result_0 = #row}} dense<true> : vector<16xi1>
    xegpu.store %s, %S[%i], %m <{{layout = #row}}> : vector<16xf32>, memref<16xf32>, vector<16xindex>, vector<16xi1>""",
        aliases=f"#l = {lay('[2, 1]', '[8, 16]')}\n#row = #xegpu.slice<#l, dims = [1]>\n#top = #xegpu.slice<#l, dims = [0]>\n"
                f"#col = {lay('[2, 1]', '[8, 1]')}"),
    lambda g: {"R": g["A"].sum(1, keepdims=True) * g["A"] + g["A"].sum(0), "S": g["A"].sum(1)})  # fmt: skip

# Two products, of which the second takes the first.
for _change in ("", "convert"):
    _p = "%h" if not _change else "%hc"
    WHOLE[f"a product of a product{', converted' if _change else ''}"] = User(
        kernel("%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf16>, %R: memref<32x32xf32>", f"""
{load("a", "A", "32x32xf16", "32x32xf16", more="#a")}
{load("b", "B", "32x32xf16", "32x32xf16", more="#b")}
{load("c", "C", "32x32xf16", "32x32xf16", more="#b2")}
    %p = xegpu.dpas %a, %b {{layout_a = #a, layout_b = #b, layout_cd = #c}} : vector<32x32xf16>, vector<32x32xf16> -> vector<32x32xf32>
    %h = arith.truncf %p {{layout_result_0 = #c}} : vector<32x32xf32> to vector<32x32xf16>
    {"%hc = xegpu.convert_layout %h <{input_layout = #c, target_layout = #a2}> : vector<32x32xf16>" if _change else ""}
    %y = xegpu.dpas {_p}, %c {{layout_a = #a2, layout_b = #b2, layout_cd = #c2}} : vector<32x32xf16>, vector<32x32xf16> -> vector<32x32xf32>
{store("y", "R", "32x32xf32", "32x32xf32", more="#c2")}""", aliases="\n".join(
            f"#{name} = {lay(*given)}" for name, given in {
                "a": ("[2, 2]", "[16, 32]"), "b": ("[2, 2]", "[32, 16]"), "c": ("[2, 2]", "[16, 16]"),
                "a2": ("[4, 1]", "[8, 32]"), "b2": ("[4, 1]", "[32, 32]"), "c2": ("[4, 1]", "[8, 32]")}.items())),
        lambda g: {"R": wide((wide(g["A"]) @ wide(g["B"])).astype(np.float16)) @ wide(g["C"])})  # fmt: skip

WHOLE["a product split along k, added atomically"] = User(
    kernel("%A: memref<16x64xf16>, %B: memref<64x16xf16>, %R: memref<256xf32>", f"""
    %x = gpu.block_id x
    %k = arith.muli %x, %c32 : index
{load("a", "A", "16x64xf16", "16x32xf16", "%c0, %k", more="#a")}
{load("b", "B", "64x16xf16", "32x16xf16", "%k, %c0", more="#b")}
    %p = xegpu.dpas %a, %b {{layout_a = #a, layout_b = #b, layout_cd = #c}} : vector<16x32xf16>, vector<32x16xf16> -> vector<16x16xf32>
    %i = vector.step {{layout_result_0 = #xegpu.slice<#c, dims = [1]>}} : vector<16xindex>
    %w = arith.constant {{layout_result_0 = #xegpu.slice<#c, dims = [1]>}} dense<16> : vector<16xindex>
    %rows = arith.muli %i, %w {{layout_result_0 = #xegpu.slice<#c, dims = [1]>}} : vector<16xindex>
    %col = vector.shape_cast %rows {{layout_result_0 = #one}} : vector<16xindex> to vector<16x1xindex>
    %down = vector.broadcast %col {{layout_result_0 = #c}} : vector<16x1xindex> to vector<16x16xindex>
    %j = vector.step {{layout_result_0 = #xegpu.slice<#c, dims = [0]>}} : vector<16xindex>
    %across = vector.broadcast %j {{layout_result_0 = #c}} : vector<16xindex> to vector<16x16xindex>
    %o = arith.addi %down, %across {{layout_result_0 = #c}} : vector<16x16xindex>
    %m = arith.constant {{layout_result_0 = #c}} dense<true> : vector<16x16xi1>
    %t = xegpu.create_tdesc %R, %o : memref<256xf32>, vector<16x16xindex> -> {desc("16x16xf32", "#xegpu.scatter_tdesc_attr<>, #c")}
    %old = xegpu.atomic_rmw addf %t, %m, %p : {desc("16x16xf32", "#xegpu.scatter_tdesc_attr<>, #c")}, vector<16x16xi1>, vector<16x16xf32> -> vector<16x16xf32>""",
        aliases=f"#a = {lay('[2, 1]', '[8, 32]')}\n#b = {lay('[2, 1]', '[32, 16]')}\n#c = {lay('[2, 1]', '[8, 16]')}\n#one = {lay('[2, 1]', '[8, 1]')}"),
    lambda g: {"R": g["R"] + (wide(g["A"]) @ wide(g["B"])).ravel()}, grid=(2,))  # fmt: skip

WHOLE["weights of bytes, scaled by column"] = User(
    kernel("%A: memref<16x32xbf16>, %B: memref<32x32xi8>, %S: memref<1x32xf32>, %R: memref<16x32xf32>", f"""
{load("a", "A", "16x32xbf16", "16x32xbf16", more="#a")}
{load("q", "B", "32x32xi8", "32x32xi8", more="#b")}
{load("s", "S", "1x32xf32", "1x32xf32", more="#s")}
    %f = arith.sitofp %q {{layout_result_0 = #b}} : vector<32x32xi8> to vector<32x32xbf16>
    %p = xegpu.dpas %a, %f {{layout_a = #a, layout_b = #b, layout_cd = #c}} : vector<16x32xbf16>, vector<32x32xbf16> -> vector<16x32xf32>
    %w = vector.broadcast %s {{layout_result_0 = #c}} : vector<1x32xf32> to vector<16x32xf32>
    %y = arith.mulf %p, %w {{layout_result_0 = #c}} : vector<16x32xf32>
{store("y", "R", "16x32xf32", "16x32xf32", more="#c")}""", aliases=f"#a = {lay('[1, 2]', '[16, 32]')}\n#b = {lay('[1, 2]', '[32, 16]')}\n"
           f"#c = {lay('[1, 2]', '[16, 16]')}\n#s = {lay('[1, 2]', '[1, 16]')}"),
    lambda g: {"R": (wide(g["A"]) @ wide(g["B"])) * g["S"]})  # fmt: skip

# Shared memory seen in two ways.
for _kind, _view in (
    ("column-major", "stride = [1, 32]"),
    ("in blocks", "block = [8, 8]"),
    ("in blocks, column-major", "stride = [1, 32], block = [8, 8]"),
):
    WHOLE[f"a matrix {_kind}"] = User(
        kernel("%A: memref<32x32xf16>, %R: memref<32x32xf16>", f"""
    %s = memref.alloca() : memref<2048xi8, 3>
    %m = xegpu.create_mem_desc %s : memref<2048xi8, 3> -> !xegpu.mem_desc<32x32xf16, #xegpu.mem_layout<{_view}>>
{load("x", "A", "32x32xf16", "32x32xf16", more="#l")}
    xegpu.store_matrix %x, %m[0, 0] <{{layout = #l}}> : vector<32x32xf16>, !xegpu.mem_desc<32x32xf16, #xegpu.mem_layout<{_view}>>
    gpu.barrier
    %y = xegpu.load_matrix %m[0, 0] <{{layout = #r}}> : !xegpu.mem_desc<32x32xf16, #xegpu.mem_layout<{_view}>> -> vector<32x32xf16>
{store("y", "R", "32x32xf16", "32x32xf16", more="#r")}""", aliases=f"#l = {lay('[2, 2]', '[16, 16]')}\n#r = {lay('[4, 1]', '[8, 32]')}"),
        lambda g: {"R": g["A"]})  # fmt: skip
WHOLE["one memory as two matrices"] = User(
    kernel("%A: memref<16x32xf32>, %R: memref<32x16xf32>", f"""
    %s = memref.alloca() : memref<2048xi8, 3>
    %m = xegpu.create_mem_desc %s : memref<2048xi8, 3> -> !xegpu.mem_desc<16x32xf32>
    %n = xegpu.create_mem_desc %s : memref<2048xi8, 3> -> !xegpu.mem_desc<32x16xf32, #xegpu.mem_layout<stride = [1, 32]>>
{load("x", "A", "16x32xf32", "16x32xf32", more="#l")}
    xegpu.store_matrix %x, %m[0, 0] <{{layout = #l}}> : vector<16x32xf32>, !xegpu.mem_desc<16x32xf32>
    gpu.barrier
    %y = xegpu.load_matrix %n[0, 0] <{{layout = #r}}> : !xegpu.mem_desc<32x16xf32, #xegpu.mem_layout<stride = [1, 32]>> -> vector<32x16xf32>
{store("y", "R", "32x16xf32", "32x16xf32", more="#r")}""", aliases=f"#l = {lay('[2, 2]', '[8, 16]')}\n#r = {lay('[4, 1]', '[8, 16]')}"),
    lambda g: {"R": g["A"].T})  # fmt: skip
WHOLE["a buffer of two halves by turns"] = User(
    kernel("%A: memref<64x32xf32>, %R: memref<16x32xf32>", f"""
    %s = memref.alloca() : memref<4096xi8, 3>
    %m = xegpu.create_mem_desc %s : memref<4096xi8, 3> -> !xegpu.mem_desc<2x16x32xf32>
    %t = xegpu.create_nd_tdesc %A : memref<64x32xf32> -> {desc("16x32xf32", "#l")}
    %z = arith.constant {{layout_result_0 = #r}} dense<0.0> : vector<16x32xf32>
    %y = scf.for %i = %c0 to %c64 step %c16 iter_args(%acc = %z) -> (vector<16x32xf32>) {{
      %h = arith.divui %i, %c16 : index
      %half = arith.remui %h, %c2 : index
      %v = xegpu.mem_desc_subview %m[%half, 0, 0] : !xegpu.mem_desc<2x16x32xf32> -> !xegpu.mem_desc<16x32xf32, #xegpu.mem_layout<stride = [32, 1]>>
      %x = xegpu.load_nd %t[%i, %c0] : {desc("16x32xf32", "#l")} -> vector<16x32xf32>
      xegpu.store_matrix %x, %v[0, 0] <{{layout = #l}}> : vector<16x32xf32>, !xegpu.mem_desc<16x32xf32, #xegpu.mem_layout<stride = [32, 1]>>
      gpu.barrier
      %w = xegpu.load_matrix %v[0, 0] <{{layout = #r}}> : !xegpu.mem_desc<16x32xf32, #xegpu.mem_layout<stride = [32, 1]>> -> vector<16x32xf32>
      %two = arith.addf %acc, %acc {{layout_result_0 = #r}} : vector<16x32xf32>
      %n = arith.addf %two, %w {{layout_result_0 = #r}} : vector<16x32xf32>
      scf.yield %n : vector<16x32xf32>
    }}
{store("y", "R", "16x32xf32", "16x32xf32", more="#r")}""", aliases=f"#l = {lay('[2, 2]', '[8, 16]')}\n#r = {lay('[4, 1]', '[4, 32]')}"),
    lambda g: {"R": sum(2 ** (3 - i) * g["A"][16 * i : 16 * i + 16] for i in range(4))})  # fmt: skip

# Round robin, orders, instructions of other sizes.
for _name, _layout in (
    ("turns in both dimensions", lay("[2, 2]", "[4, 8]")),
    ("turns, numbered down columns", lay("[2, 2]", "[4, 8]", ", order = [0, 1]")),
    ("one owner of every other row", lay("[2, 1]", "[1, 32]")),
    ("instructions and lanes of halves", lay("[2, 1]", "[8, 32]", ", inst_data = [4, 16], lane_layout = [2, 8], lane_data = [1, 1]")),
    ("lanes down columns", lay("[1, 2]", "[16, 16]", ", inst_data = [16, 16], lane_layout = [16, 1], lane_data = [1, 2]")),
    ("lanes numbered down columns", lay("[2, 2]", "[8, 16]", ", lane_layout = [2, 8], lane_data = [1, 1], order = [0, 1]")),
):  # fmt: skip
    WHOLE[f"sums over {_name}"] = one("""
    %z = arith.constant dense<0.0> : vector<32xf32>
    %s = vector.multi_reduction <add>, %x, %z {layout_result_0 = #xegpu.slice<#l, dims = [0]>} [0] : vector<16x32xf32> to vector<32xf32>
    %b = vector.broadcast %s {layout_result_0 = #l} : vector<32xf32> to vector<16x32xf32>
    %q = arith.addf %b, %x {layout_result_0 = #l} : vector<16x32xf32>
    %y = xegpu.convert_layout %q <{input_layout = #l, target_layout = #t}> : vector<16x32xf32>""",
        lambda a: a + a.sum(0), _layout, aliases=f"#t = {lay('[2, 1]' if '[2, 1]' in _layout else '[1, 2]' if '[1, 2]' in _layout else '[1, 4]')}", lo="#t")  # fmt: skip

WHOLE["a loop that a sum ends"] = one("""
    %zero = arith.constant 0.0 : f32
    %limit = arith.constant 5000.0 : f32
    %y = scf.while (%v = %x) : (vector<16x32xf32>) -> vector<16x32xf32> {
      %a = math.absf %v {layout_result_0 = #l} : vector<16x32xf32>
      %s = vector.multi_reduction <add>, %a, %zero [0, 1] : vector<16x32xf32> to f32
      %go = arith.cmpf olt, %s, %limit : f32
      scf.condition(%go) %v : vector<16x32xf32>
    } do {
    ^bb0(%v: vector<16x32xf32>):
      %w = arith.addf %v, %v {layout_result_0 = #l} : vector<16x32xf32>
      scf.yield %w : vector<16x32xf32>
    }""", lambda a: a * 2 ** int(np.ceil(np.log2(5000 / np.abs(a).sum()))))  # fmt: skip
WHOLE["branches in branches, by workgroup"] = User(
    kernel("%A: memref<16x32xf32>, %R: memref<64x32xf32>", f"""
    %b = gpu.block_id x
    %row = arith.muli %b, %c16 : index
{load("x", "A", "16x32xf32", "16x32xf32", more="#l")}
    %c3 = arith.constant 3 : index
    %low = arith.cmpi ult, %b, %c2 : index
    %first = arith.cmpi eq, %b, %c0 : index
    %last = arith.cmpi eq, %b, %c3 : index
    %y, %at = scf.if %low -> (vector<16x32xf32>, index) {{
      %p = scf.if %first -> (vector<16x32xf32>) {{
        scf.yield %x : vector<16x32xf32>
      }} else {{
        %d = arith.addf %x, %x {{layout_result_0 = #l}} : vector<16x32xf32>
        scf.yield %d : vector<16x32xf32>
      }}
      scf.yield %p, %row : vector<16x32xf32>, index
    }} else {{
      %n = arith.negf %x {{layout_result_0 = #l}} : vector<16x32xf32>
      %up = arith.subi %c48, %row : index
      %where = scf.if %last -> (index) {{
        scf.yield %c48 : index
      }} else {{
        %sum = arith.addi %up, %c16 : index
        scf.yield %sum : index
      }}
      scf.yield %n, %where : vector<16x32xf32>, index
    }}
    %t = xegpu.create_nd_tdesc %R[%at, 0] : memref<64x32xf32> -> {desc("16x32xf32", "#l")}
    xegpu.store_nd %y, %t : vector<16x32xf32>, {desc("16x32xf32", "#l")}""", aliases=f"#l = {lay('[2, 2]', '[8, 16]')}"),
    lambda g: {"R": np.vstack([g["A"], 2 * g["A"], -g["A"], -g["A"]])}, grid=(4,))  # fmt: skip
WHOLE["descriptors that branches in a loop move"] = User(
    kernel("%A: memref<64x64xf32>, %R: memref<16x32xf32>", f"""
    %t0 = xegpu.create_nd_tdesc %A[0, 0] : memref<64x64xf32> -> {desc("16x32xf32", "#l")}
    %z = arith.constant {{layout_result_0 = #l}} dense<0.0> : vector<16x32xf32>
    %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %t0, %acc = %z) -> ({desc("16x32xf32", "#l")}, vector<16x32xf32>) {{
      %x = xegpu.load_nd %t : {desc("16x32xf32", "#l")} -> vector<16x32xf32>
      %d = arith.addf %acc, %acc {{layout_result_0 = #l}} : vector<16x32xf32>
      %s = arith.addf %d, %x {{layout_result_0 = #l}} : vector<16x32xf32>
      %h = arith.remui %i, %c2 : index
      %even = arith.cmpi eq, %h, %c0 : index
      %n = scf.if %even -> ({desc("16x32xf32", "#l")}) {{
        %m = xegpu.update_nd_offset %t, [16, 0] : {desc("16x32xf32", "#l")}
        scf.yield %m : {desc("16x32xf32", "#l")}
      }} else {{
        %m = xegpu.update_nd_offset %t, [0, 32] : {desc("16x32xf32", "#l")}
        scf.yield %m : {desc("16x32xf32", "#l")}
      }}
      scf.yield %n, %s : {desc("16x32xf32", "#l")}, vector<16x32xf32>
    }}
{store("r#1", "R", "16x32xf32", "16x32xf32", more="#l").replace("%s_r#1", "%last")}""", aliases=f"#l = {lay('[2, 2]', '[8, 16]')}"),
    lambda g: {"R": 8 * g["A"][:16, :32] + 4 * g["A"][16:32, :32] + 2 * g["A"][16:32, 32:] + g["A"][32:48, 32:]})  # fmt: skip
WHOLE["a batch of rank 4"] = User(
    kernel("%A: memref<2x3x16x32xf32>, %R: memref<6x16x32xf32>", f"""
    %b = gpu.block_id x
    %h = gpu.block_id y
    %s = memref.subview %A[%b, %h, 0, 0] [1, 1, 16, 32] [1, 1, 1, 1] : memref<2x3x16x32xf32> to memref<16x32xf32, strided<[32, 1], offset: ?>>
    %t = xegpu.create_nd_tdesc %s : memref<16x32xf32, strided<[32, 1], offset: ?>> -> {desc("16x32xf32", "#l")}
    %x = xegpu.load_nd %t[0, 0] : {desc("16x32xf32", "#l")} -> vector<16x32xf32>
    %y = arith.addf %x, %x : vector<16x32xf32>
    %c3 = arith.constant 3 : index
    %p = arith.muli %b, %c3 : index
    %q = arith.addi %p, %h : index
    %o = xegpu.create_nd_tdesc %R[%q, 0, 0] : memref<6x16x32xf32> -> {desc("16x32xf32", "#l")}
    xegpu.store_nd %y, %o : vector<16x32xf32>, {desc("16x32xf32", "#l")}""", aliases=f"#l = {lay('[2, 2]', '[8, 16]')}"),
    lambda g: {"R": 2 * g["A"].reshape(6, 16, 32)}, grid=(2, 3))  # fmt: skip
for _e, _op in (("f64", "addf"), ("bf16", "mulf"), ("i64", "muli"), ("i8", "maxsi")):
    WHOLE[f"{_op} of {_e} in turns"] = one(f"""    %y = arith.{_op} %x, %x {{layout_result_0 = #l}} : vector<16x32x{_e}>""",
        {"addf": lambda a: a + a, "mulf": lambda a: a * a, "muli": lambda a: a * a, "maxsi": lambda a: a}[_op], lay("[2, 1]", "[4, 32]"), e=_e)  # fmt: skip
WHOLE["the lower triangle"] = one("""
    %i = vector.step {layout_result_0 = #xegpu.slice<#l, dims = [1]>} : vector<16xindex>
    %ic = vector.shape_cast %i {layout_result_0 = #c} : vector<16xindex> to vector<16x1xindex>
    %rows = vector.broadcast %ic {layout_result_0 = #l} : vector<16x1xindex> to vector<16x32xindex>
    %j = vector.step {layout_result_0 = #xegpu.slice<#l, dims = [0]>} : vector<32xindex>
    %columns = vector.broadcast %j {layout_result_0 = #l} : vector<32xindex> to vector<16x32xindex>
    %in = arith.cmpi ule, %columns, %rows {layout_result_0 = #l} : vector<16x32xindex>
    %low = arith.constant {layout_result_0 = #l} dense<-99.0> : vector<16x32xf32>
    %y = arith.select %in, %x, %low {layout_result_0 = #l} : vector<16x32xi1>, vector<16x32xf32>""",
    lambda a: np.where(np.arange(32) <= np.arange(16)[:, None], a, -99), aliases=f"#c = {lay('[2, 2]', '[8, 1]')}")  # fmt: skip
WHOLE["bits of floats, in rows of others"] = one("""
    %b = vector.bitcast %x {layout_result_0 = #h} : vector<16x32xf32> to vector<16x64xi16>
    %o = arith.constant {layout_result_0 = #h} dense<1> : vector<16x64xi16>
    %f = arith.xori %b, %o {layout_result_0 = #h} : vector<16x64xi16>
    %y = vector.bitcast %f {layout_result_0 = #l} : vector<16x64xi16> to vector<16x32xf32>""",
    lambda a: (a.view(np.int16) ^ 1).view(np.float32), lay("[2, 2]", "[8, 16]"), aliases=f"#h = {lay('[2, 2]', '[8, 32]')}")  # fmt: skip
WHOLE["cut, and put in elsewhere"] = one("""
    %p = vector.extract_strided_slice %x {offsets = [4, 0], sizes = [8, 32], strides = [1, 1], layout_result_0 = #p} : vector<16x32xf32> to vector<8x32xf32>
    %q = arith.addf %p, %p {layout_result_0 = #p} : vector<8x32xf32>
    %y = vector.insert_strided_slice %q, %x {offsets = [8, 0], strides = [1, 1], layout_result_0 = #l} : vector<8x32xf32> into vector<16x32xf32>""",
    lambda a: np.vstack([a[:8], 2 * a[4:12]]), lay("[1, 2]", "[16, 16]"), aliases=f"#p = {lay('[1, 2]', '[8, 16]')}")  # fmt: skip
_SIDE = desc("16x32xf32", "#xegpu.block_tdesc_attr<array_length = 2 : i64>, #l")
_PAIR = "vector<2x16x32xf32>"
for _at, _offsets in (("beside", "[%i, 0]"), ("moved", "")):
    WHOLE[f"blocks side by side, {_at}"] = User(
        kernel("%A: memref<64x64xf32>, %R: memref<16x64xf32>", f"""
    %t0 = xegpu.create_nd_tdesc %A{"" if _offsets else "[0, 0]"} : memref<64x64xf32> -> {_SIDE}
    %z = arith.constant {{layout_result_0 = #l}} dense<0.0> : vector<16x32xf32>
    %r:3 = scf.for %i = %c0 to %c64 step %c16 iter_args(%t = %t0, %a = %z, %b = %z) -> ({_SIDE}, vector<16x32xf32>, vector<16x32xf32>) {{
      xegpu.prefetch_nd %t{_offsets} : {_SIDE}
      %x = xegpu.load_nd %t{_offsets} : {_SIDE} -> {_PAIR}
      %p = vector.extract %x[0] {{layout_result_0 = #l}} : vector<16x32xf32> from {_PAIR}
      %q = vector.extract %x[1] {{layout_result_0 = #l}} : vector<16x32xf32> from {_PAIR}
      %c = arith.addf %a, %q {{layout_result_0 = #l}} : vector<16x32xf32>
      %d = arith.subf %b, %p {{layout_result_0 = #l}} : vector<16x32xf32>
      {"%n = arith.addi %i, %c0 : index" if _offsets else f"%n = xegpu.update_nd_offset %t, [16, 0] : {_SIDE}"}
      scf.yield {"%t" if _offsets else "%n"}, %c, %d : {_SIDE}, vector<16x32xf32>, vector<16x32xf32>
    }}
    %o = xegpu.create_nd_tdesc %R : memref<16x64xf32> -> {desc("16x32xf32", "#l")}
    xegpu.store_nd %r#1, %o[0, 0] : vector<16x32xf32>, {desc("16x32xf32", "#l")}
    xegpu.store_nd %r#2, %o[0, 32] : vector<16x32xf32>, {desc("16x32xf32", "#l")}""", aliases=f"#l = {lay('[2, 2]', '[8, 16]')}"),
        lambda g: {"R": (lambda s: np.hstack([s[:, 32:], -s[:, :32]]))(g["A"].reshape(4, 16, 64).sum(0))})  # fmt: skip
WHOLE["packed B"] = User(
    kernel("%A: memref<32x32xf16>, %B: memref<32x32xf16>, %R: memref<32x32xf32>", f"""
{load("a", "A", "32x32xf16", "32x32xf16", more="#a")}
{load("b", "B", "32x32xf16", "32x32xf16", more="#b", props="<{packed}>", gives="16x32x2xf16")}
    %y = xegpu.dpas %a, %b {{layout_cd = #c}} : vector<32x32xf16>, vector<16x32x2xf16> -> vector<32x32xf32>
{store("y", "R", "32x32xf32", "32x32xf32", more="#c")}""",
        aliases=f"#a = {lay('[2, 2]', '[16, 32]')}\n#b = {lay('[2, 2]', '[32, 16]')}\n#c = {lay('[2, 2]', '[16, 16]')}"),
    lambda g: {"R": wide(g["A"]) @ wide(g["B"])})  # fmt: skip
for _e in ("f32", "bf16", "i8"):
    for _from, _to in ((lay("[2, 2]", "[4, 8]"), lay("[4, 1]", "[16, 32]")), (lay("[1, 4]", "[16, 16]"), lay("[2, 2]", "[4, 8]")),
                       (lay("[1, 4]", "[16, 8]", ", order = [0, 1]"), lay("[4, 1]", "[2, 32]"))):  # fmt: skip
        WHOLE[f"{_e} from {_from[23:60]} to {_to[23:60]}"] = one(
            f"    %y = xegpu.convert_layout %x <{{input_layout = #l, target_layout = #t}}> : vector<16x32x{_e}>",
            lambda a: a, _from, e=_e, aliases=f"#t = {_to}", lo="#t")  # fmt: skip
