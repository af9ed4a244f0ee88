"""Modules of workgroups with values of rank 3 and more; and what control flow joins."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import User, desc, kernel, load, store, swapped_blocks, wide
from tests.mlir.users_workgroup_ops import lay

RANKS: dict[str, User] = {}
SL = desc("128xi32", "#xegpu.scatter_tdesc_attr<memory_space = slm>, #l")
RANKS["wg histogram in slm"] = User(kernel("%A: memref<128xi32>, %R: memref<128xi32>", f"""
{load("v","A","128xi32","128xi32","0","#l")}
    %s = memref.alloca() : memref<128xi32, 3>
    %i = vector.step {{layout_result_0 = #l}} : vector<128xindex>
    %m = arith.constant {{layout_result_0 = #l}} dense<true> : vector<128xi1>
    %z = arith.constant {{layout_result_0 = #l}} dense<0> : vector<128xi32>
    %one = arith.constant {{layout_result_0 = #l}} dense<1> : vector<128xi32>
    %t = xegpu.create_tdesc %s, %i : memref<128xi32, 3>, vector<128xindex> -> {SL}
    xegpu.store %z, %t, %m : vector<128xi32>, {SL}, vector<128xi1>
    gpu.barrier
    %f = arith.constant {{layout_result_0 = #l}} dense<4> : vector<128xi32>
    %b = arith.addi %v, %f {{layout_result_0 = #l}} : vector<128xi32>
    %o = arith.index_cast %b {{layout_result_0 = #l}} : vector<128xi32> to vector<128xindex>
    %u = xegpu.create_tdesc %s, %o : memref<128xi32, 3>, vector<128xindex> -> {SL}
    %old = xegpu.atomic_rmw addi %u, %m, %one : {SL}, vector<128xi1>, vector<128xi32> -> vector<128xi32>
    gpu.barrier
    %y = xegpu.load %t, %m : {SL}, vector<128xi1> -> vector<128xi32>
    xegpu.store %y, %R[%i], %m <{{layout = #l}}> : vector<128xi32>, memref<128xi32>, vector<128xindex>, vector<128xi1>""", aliases=f"#l = {lay('[4]','[32]')}"), lambda g: {"R": np.bincount(g["A"]+4,minlength=128)})  # fmt: skip
RANKS["conversions, in orders of subgroups"] = User(kernel("%A: memref<64x32xf32>, %R: memref<64x32xf32>", f"""
{load("x","A","64x32xf32","64x32xf32",more="#k")}
    %w = vector.shape_cast %x {{layout_result_0 = #k3}} : vector<64x32xf32> to vector<4x16x32xf32>
    %w2 = xegpu.convert_layout %w <{{input_layout = #k3, target_layout = #l}}> : vector<4x16x32xf32>
    %d = arith.mulf %w2, %w2 {{layout_result_0 = #l}} : vector<4x16x32xf32>
    %c = xegpu.convert_layout %d <{{input_layout = #l, target_layout = #o}}> : vector<4x16x32xf32>
    %e = arith.addf %c, %c {{layout_result_0 = #o}} : vector<4x16x32xf32>
    %z = arith.constant {{layout_result_0 = #xegpu.slice<#o, dims = [0, 1]>}} dense<1.0> : vector<32xf32>
    %s = vector.multi_reduction <add>, %e, %z {{layout_result_0 = #xegpu.slice<#o, dims = [0, 1]>}} [0, 1] : vector<4x16x32xf32> to vector<32xf32>
    %sb = vector.broadcast %s {{layout_result_0 = #o}} : vector<32xf32> to vector<4x16x32xf32>
    %f = arith.subf %e, %sb {{layout_result_0 = #o}} : vector<4x16x32xf32>
    %g = xegpu.convert_layout %f <{{input_layout = #o, target_layout = #k3}}> : vector<4x16x32xf32>
    %y = vector.shape_cast %g {{layout_result_0 = #k}} : vector<4x16x32xf32> to vector<64x32xf32>
{store("y","R","64x32xf32","64x32xf32",more="#k")}""", aliases=f"#l = {lay('[2, 2, 2]','[2, 8, 16]', ', order = [0, 1, 2]')}\n#o = {lay('[2, 2, 2]','[2, 8, 16]', ', order = [1, 0, 2]')}\n#k = {lay('[8, 1]','[8, 32]')}\n#k3 = {lay('[4, 2, 1]','[1, 8, 32]')}"), lambda g: {"R": 2*g["A"]**2 - ((2*g["A"]**2).sum(0)+1)})  # fmt: skip
RANKS["slice of a slice"] = User(kernel("%A: memref<4xf32>, %R: memref<4xf32>, %B: memref<64x32xf32>", """
    %t = xegpu.create_nd_tdesc %B : memref<64x32xf32> -> !xegpu.tensor_desc<64x32xf32, #k>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<64x32xf32, #k> -> vector<64x32xf32>
    %w = vector.shape_cast %v {layout_result_0 = #l} : vector<64x32xf32> to vector<4x16x32xf32>
    %z = arith.constant {layout_result_0 = #xegpu.slice<#l, dims = [2]>} dense<0.0> : vector<4x16xf32>
    %r = vector.multi_reduction <add>, %w, %z {layout_result_0 = #xegpu.slice<#l, dims = [2]>} [2] : vector<4x16x32xf32> to vector<4x16xf32>
    %z1 = arith.constant {layout_result_0 = #xegpu.slice<#xegpu.slice<#l, dims = [2]>, dims = [1]>} dense<0.0> : vector<4xf32>
    %s = vector.multi_reduction <add>, %r, %z1 {layout_result_0 = #xegpu.slice<#xegpu.slice<#l, dims = [2]>, dims = [1]>} [1] : vector<4x16xf32> to vector<4xf32>
    %i = vector.step {layout_result_0 = #xegpu.slice<#l, dims = [1, 2]>} : vector<4xindex>
    %m = arith.constant {layout_result_0 = #xegpu.slice<#l, dims = [1, 2]>} dense<true> : vector<4xi1>
    xegpu.store %s, %R[%i], %m <{layout = #xegpu.slice<#l, dims = [1, 2]>}> : vector<4xf32>, memref<4xf32>, vector<4xindex>, vector<4xi1>""",
    aliases=f"#l = {lay('[2, 2, 1]','[2, 8, 32]')}\n#k = {lay('[4, 1]','[16, 32]')}").replace("#k = "+lay('[4, 1]','[16, 32]'),"#k = "+lay('[4, 1]','[16, 32]')).replace("[2, 2, 1], sg_data = [2, 8, 32]","[4, 1, 1], sg_data = [1, 16, 32]"), lambda g: {"R": g["B"].reshape(4,512).sum(1)})  # fmt: skip
RANKS["a transpose between layouts"] = User(kernel("%A: memref<64x32xf16>, %R: memref<64x32xf16>", f"""
{load("x","A","64x32xf16","64x32xf16",more="#k")}
    %w = vector.shape_cast %x {{layout_result_0 = #k3}} : vector<64x32xf16> to vector<4x16x32xf16>
    %w2 = xegpu.convert_layout %w <{{input_layout = #k3, target_layout = #l}}> : vector<4x16x32xf16>
    %d = vector.transpose %w2, [1, 0, 2] {{layout_result_0 = #o}} : vector<4x16x32xf16> to vector<16x4x32xf16>
    %y = vector.shape_cast %d {{layout_result_0 = #k}} : vector<16x4x32xf16> to vector<64x32xf16>
{store("y","R","64x32xf16","64x32xf16",more="#k")}""", aliases=f"#l = {lay('[2, 2, 2]','[2, 8, 16]')}\n#o = {lay('[8, 1, 1]','[2, 4, 32]')}\n#k = {lay('[8, 1]','[8, 32]')}\n#k3 = {lay('[4, 2, 1]','[1, 8, 32]')}"), lambda g: {"R": g["A"].reshape(4,16,32).transpose(1,0,2).reshape(64,32)})  # fmt: skip
RANKS["a part of a matrix in blocks"] = User(kernel("%A: memref<32x32xf16>, %R: memref<32x32xf16>, %i: index", f"""
{load("x","A","32x32xf16","32x32xf16",more="#l")}
    %s = memref.alloca() : memref<8192xi8, 3>
    %m = xegpu.create_mem_desc %s : memref<8192xi8, 3> -> !xegpu.mem_desc<64x64xf16, #xegpu.mem_layout<block = [16, 16]>>
    %v = xegpu.mem_desc_subview %m[%i, 32] : !xegpu.mem_desc<64x64xf16, #xegpu.mem_layout<block = [16, 16]>> -> !xegpu.mem_desc<32x32xf16, #xegpu.mem_layout<stride = [64, 1], block = [16, 16]>>
    xegpu.store_matrix %x, %v[0, 0] <{{layout = #l}}> : vector<32x32xf16>, !xegpu.mem_desc<32x32xf16, #xegpu.mem_layout<stride = [64, 1], block = [16, 16]>>
    gpu.barrier
    %y = xegpu.load_matrix %m[%i, 32] <{{layout = #o}}> : !xegpu.mem_desc<64x64xf16, #xegpu.mem_layout<block = [16, 16]>>, index -> vector<32x32xf16>
{store("y","R","32x32xf16","32x32xf16",more="#o")}""", aliases=f"#l = {lay('[2, 2]','[16, 16]')}\n#o = {lay('[4, 1]','[8, 32]')}"), lambda g: {"R": g["A"]}, scalars={"i":16})  # fmt: skip
RANKS["dpas int8 dequantised"] = User(kernel("%A: memref<64x64xi8>, %B: memref<64x64xi8>, %S: memref<64xf32>, %Q: memref<64xf32>, %R: memref<64x64xf16>", f"""
    %ta = xegpu.create_nd_tdesc %A : memref<64x64xi8> -> {desc("64x32xi8","#a")}
    %tb = xegpu.create_nd_tdesc %B : memref<64x64xi8> -> {desc("32x64xi8","#b")}
    %z = arith.constant {{layout_result_0 = #l}} dense<0> : vector<64x64xi32>
    %r = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %z) -> (vector<64x64xi32>) {{
      %a = xegpu.load_nd %ta[%c0, %k] : {desc("64x32xi8","#a")} -> vector<64x32xi8>
      %b = xegpu.load_nd %tb[%k, %c0] : {desc("32x64xi8","#b")} -> vector<32x64xi8>
      %s = xegpu.dpas %a, %b, %acc {{layout_a = #a, layout_b = #b, layout_cd = #l}} : vector<64x32xi8>, vector<32x64xi8>, vector<64x64xi32> -> vector<64x64xi32>
      scf.yield %s : vector<64x64xi32>
    }}
    %f = arith.sitofp %r : vector<64x64xi32> to vector<64x64xf32>
    %tS = xegpu.create_nd_tdesc %S : memref<64xf32> -> {desc("64xf32")}
    %sc = xegpu.load_nd %tS[0] <{{layout = #xegpu.slice<#l, dims = [1]>}}> : {desc("64xf32")} -> vector<64xf32>
    %tQ = xegpu.create_nd_tdesc %Q : memref<64xf32> -> {desc("64xf32")}
    %q = xegpu.load_nd %tQ[0] <{{layout = #xegpu.slice<#l, dims = [0]>}}> : {desc("64xf32")} -> vector<64xf32>
    %s1 = vector.shape_cast %sc {{layout_result_0 = #c}} : vector<64xf32> to vector<64x1xf32>
    %sb = vector.broadcast %s1 {{layout_result_0 = #l}} : vector<64x1xf32> to vector<64x64xf32>
    %qb = vector.broadcast %q {{layout_result_0 = #l}} : vector<64xf32> to vector<64x64xf32>
    %m = arith.mulf %f, %sb : vector<64x64xf32>
    %n = arith.addf %m, %qb : vector<64x64xf32>
    %h = arith.truncf %n : vector<64x64xf32> to vector<64x64xf16>
{store("h","R","64x64xf16","64x64xf16",more="#l")}""", aliases=f"#l = {lay('[4, 2]','[16, 32]')}\n#a = {lay('[4, 2]','[16, 32]')}\n#b = {lay('[4, 2]','[32, 32]')}\n#c = {lay('[4, 2]','[16, 1]')}"),
    lambda g: {"R": (wide(g["A"])@wide(g["B"]))*g["S"][:,None]+g["Q"]})  # fmt: skip
D = desc("16x32xf32", "#l")
RANKS["while of descs and index"] = User(kernel("%A: memref<64x128xf32>, %R: memref<16x32xf32>, %n: index", f"""
    %a0 = xegpu.create_nd_tdesc %A[%c0, %c0] : memref<64x128xf32> -> {D}
    %b0 = xegpu.create_nd_tdesc %A[%c16, %c32] : memref<64x128xf32> -> {D}
    %z = arith.constant {{layout_result_0 = #l}} dense<0.0> : vector<16x32xf32>
    %r:4 = scf.while (%i = %c0, %a = %a0, %b = %b0, %acc = %z) : (index, {D}, {D}, vector<16x32xf32>) -> (index, {D}, {D}, vector<16x32xf32>) {{
      %go = arith.cmpi ult, %i, %n : index
      scf.condition(%go) %i, %b, %a, %acc : index, {D}, {D}, vector<16x32xf32>
    }} do {{
    ^bb0(%i: index, %a: {D}, %b: {D}, %acc: vector<16x32xf32>):
      %x = xegpu.load_nd %a : {D} -> vector<16x32xf32>
      %d = arith.addf %acc, %acc : vector<16x32xf32>
      %s = arith.addf %d, %x : vector<16x32xf32>
      %m = xegpu.update_nd_offset %a, [%c8, %c4] : {D}
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %m, %b, %s : index, {D}, {D}, vector<16x32xf32>
    }}
{store("acc","R","16x32xf32","16x32xf32",more="#l").replace("%acc,","%r#3,")}""", aliases=f"#l = {lay('[2, 2]','[8, 16]')}"), swapped_blocks((16, 32), (16, 32), (8, 4)), scalars={"n":3})  # fmt: skip


# Joins.

SC = desc("64xf32", "#xegpu.scatter_tdesc_attr<>, #l")
RANKS["scattered joins of parts of arrays"] = User(kernel("%A: memref<256xf32>, %B: memref<256xf32>, %R: memref<64xf32>, %n: index, %p: i1", f"""
    %i = vector.step {{layout_result_0 = #l}} : vector<64xindex>
    %m = arith.constant {{layout_result_0 = #l}} dense<true> : vector<64xi1>
    %d = scf.if %p -> ({SC}) {{
      %s = memref.subview %A[%n] [64] [2] : memref<256xf32> to memref<64xf32, strided<[2], offset: ?>>
      %x = xegpu.create_tdesc %s, %i : memref<64xf32, strided<[2], offset: ?>>, vector<64xindex> -> {SC}
      scf.yield %x : {SC}
    }} else {{
      %s = memref.subview %B[%n] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: ?>>
      %x = xegpu.create_tdesc %s, %i : memref<64xf32, strided<[1], offset: ?>>, vector<64xindex> -> {SC}
      scf.yield %x : {SC}
    }}
    %v = xegpu.load %d, %m : {SC}, vector<64xi1> -> vector<64xf32>
    xegpu.store %v, %R[%i], %m <{{layout = #l}}> : vector<64xf32>, memref<64xf32>, vector<64xindex>, vector<64xi1>""", aliases=f"#l = {lay('[2]','[32]')}"), lambda g: {"R": g["B"][7:71]}, scalars={"n":7,"p":0})  # fmt: skip
RANKS["an array that a number chooses"] = User(kernel("%A: memref<8x16xf32>, %B: memref<8x16xf32>, %R: memref<8x16xf32>, %p: i1", f"""
    %q = arith.select %p, %A, %B : memref<8x16xf32>
    %t = xegpu.create_nd_tdesc %q : memref<8x16xf32> -> {desc("8x16xf32")}
    %x = xegpu.load_nd %t[0, 0] : {desc("8x16xf32")} -> vector<8x16xf32>
{store("x","R","8x16xf32","8x16xf32")}"""), lambda g: {"R": g["B"]}, scalars={"p":0})  # fmt: skip
RANKS["a loop from below nothing"] = User(kernel("%A: memref<64x16xf32>, %R: memref<8x16xf32>, %n: i64", f"""
    %t = xegpu.create_nd_tdesc %A : memref<64x16xf32> -> {desc("8x16xf32")}
    %z = arith.constant dense<0.0> : vector<8x16xf32>
    %l = arith.constant -2 : i64
    %s = arith.constant 2 : i64
    %eight = arith.constant 8 : i64
    %r = scf.for %i = %l to %n step %s iter_args(%acc = %z) -> (vector<8x16xf32>) : i64 {{
      %o = arith.muli %i, %eight : i64
      %j = arith.index_cast %o : i64 to index
      %x = xegpu.load_nd %t[%j, 0] : {desc("8x16xf32")} -> vector<8x16xf32>
      %q = arith.addf %x, %acc : vector<8x16xf32>
      scf.yield %q : vector<8x16xf32>
    }}
{store("r","R","8x16xf32","8x16xf32")}"""), lambda g: {"R": g["A"][0:8]+g["A"][16:24]+g["A"][32:40]}, scalars={"n":5})  # fmt: skip
RANKS["a store in one branch"] = User(kernel("%A: memref<8x16xf32>, %R: memref<8x16xf32>, %p: i1", f"""
{load("x","A","8x16xf32","8x16xf32")}
    %t = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {desc("8x16xf32")}
    scf.if %p {{
      %n = arith.negf %x : vector<8x16xf32>
      xegpu.store_nd %n, %t[0, 0] : vector<8x16xf32>, {desc("8x16xf32")}
    }} else {{
      %u = xegpu.update_nd_offset %t, [0, 0] : {desc("8x16xf32")}
    }}"""), lambda g: {"R": -g["A"]}, scalars={"p":1})  # fmt: skip
for e in ("f32", "f16", "i8"):
    RANKS[f"shape_cast across {e}"] = User(kernel(f"%A: memref<64x32x{e}>, %R: memref<32x64x{e}>", f"""
{load("x","A",f"64x32x{e}",f"64x32x{e}",more="#k")}
    %w = vector.shape_cast %x {{layout_result_0 = #l}} : vector<64x32x{e}> to vector<4x16x32x{e}>
    %v = vector.shape_cast %w {{layout_result_0 = #m}} : vector<4x16x32x{e}> to vector<2048x{e}>
    %u = vector.shape_cast %v {{layout_result_0 = #o}} : vector<2048x{e}> to vector<8x4x8x8x{e}>
    %y = vector.shape_cast %u {{layout_result_0 = #q}} : vector<8x4x8x8x{e}> to vector<32x64x{e}>
{store("y","R",f"32x64x{e}",f"32x64x{e}",more="#q")}""", aliases=f"#l = {lay('[2, 2, 2]','[2, 8, 16]', ', order = [0, 1, 2]')}\n#o = {lay('[2, 2, 2, 1]','[2, 1, 4, 8]')}\n#m = {lay('[8]','[64]')}\n#k = {lay('[4, 2]','[16, 16]')}\n#q = {lay('[2, 4]','[16, 16]')}"), lambda g: {"R": g["A"].reshape(32,64)})  # fmt: skip
RANKS["reductions over a dimension that subgroups share"] = User(kernel("%A: memref<64x32xf32>, %R: memref<16x32xf32>, %R1: memref<4x32xf32>", f"""
{load("x","A","64x32xf32","64x32xf32",more="#k")}
    %w = vector.shape_cast %x {{layout_result_0 = #l}} : vector<64x32xf32> to vector<4x16x32xf32>
    %z = arith.constant {{layout_result_0 = #xegpu.slice<#l, dims = [0]>}} dense<1.0> : vector<16x32xf32>
    %s = vector.multi_reduction <add>, %w, %z {{layout_result_0 = #xegpu.slice<#l, dims = [0]>}} [0] : vector<4x16x32xf32> to vector<16x32xf32>
    %z1 = arith.constant {{layout_result_0 = #xegpu.slice<#l, dims = [1]>}} dense<1.0> : vector<4x32xf32>
    %t = vector.multi_reduction <maximumf>, %w, %z1 {{layout_result_0 = #xegpu.slice<#l, dims = [1]>}} [1] : vector<4x16x32xf32> to vector<4x32xf32>
    %s1 = xegpu.convert_layout %s <{{input_layout = #xegpu.slice<#l, dims = [0]>, target_layout = #a}}> : vector<16x32xf32>
    %t1 = xegpu.convert_layout %t <{{input_layout = #xegpu.slice<#l, dims = [1]>, target_layout = #b}}> : vector<4x32xf32>
{store("s1","R","16x32xf32","16x32xf32",more="#a")}
{store("t1","R1","4x32xf32","4x32xf32",more="#b")}""", aliases=f"#l = {lay('[2, 2, 2]','[1, 8, 8]')}\n#a = {lay('[4, 2]','[4, 16]')}\n#b = {lay('[1, 8]','[4, 4]')}\n#k = {lay('[8, 1]','[8, 32]')}"), lambda g: {"R": g["A"].reshape(4,16,32).sum(0)+1, "R1": np.maximum(1,g["A"].reshape(4,16,32).max(1))})  # fmt: skip
RANKS["masks"] = User(kernel("%A: memref<64x32xi32>, %R: memref<64x32xi32>", f"""
{load("x","A","64x32xi32","64x32xi32",more="#k")}
    %w = vector.shape_cast %x {{layout_result_0 = #l}} : vector<64x32xi32> to vector<4x16x32xi32>
    %z = arith.constant {{layout_result_0 = #l}} dense<1> : vector<4x16x32xi32>
    %m = arith.cmpi sgt, %w, %z {{layout_result_0 = #l}} : vector<4x16x32xi32>
    %n = xegpu.convert_layout %m <{{input_layout = #l, target_layout = #o}}> : vector<4x16x32xi1>
    %p = vector.transpose %n, [2, 0, 1] {{layout_result_0 = #t}} : vector<4x16x32xi1> to vector<32x4x16xi1>
    %q = arith.extui %p {{layout_result_0 = #t}} : vector<32x4x16xi1> to vector<32x4x16xi32>
    %y = vector.shape_cast %q {{layout_result_0 = #k}} : vector<32x4x16xi32> to vector<64x32xi32>
{store("y","R","64x32xi32","64x32xi32",more="#k")}""", aliases=f"#l = {lay('[2, 2, 2]','[1, 8, 8]')}\n#o = {lay('[4, 2, 1]','[1, 8, 16]')}\n#t = {lay('[8, 1, 1]','[2, 2, 16]')}\n#k = {lay('[8, 1]','[8, 32]')}"), lambda g: {"R": (g["A"].reshape(4,16,32)>1).transpose(2,0,1).reshape(64,32)})  # fmt: skip


# Addresses of several arrays.

_S1 = "!xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>"
RANKS["scattered joins of addresses"] = User(kernel("%A: memref<8x32xf32>, %B: memref<256xf32>, %R: memref<16xf32>, %p: i1", """
    %i = vector.step : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %a0 = memref.extract_aligned_pointer_as_index %A : memref<8x32xf32> -> index
    %a1 = arith.index_cast %a0 : index to i64
    %b0 = memref.extract_aligned_pointer_as_index %B : memref<256xf32> -> index
    %b1 = arith.index_cast %b0 : index to i64
    %d = scf.if %p -> (!xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>) {
      %x = xegpu.create_tdesc %a1, %i : i64, vector<16xindex> -> !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
      scf.yield %x : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
    } else {
      %o = arith.addi %i, %i : vector<16xindex>
      %x = xegpu.create_tdesc %b1, %o : i64, vector<16xindex> -> !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
      scf.yield %x : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
    }
    %v = xegpu.load %d, %m : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1> -> vector<16xf32>
    xegpu.store %v, %R[%i], %m : vector<16xf32>, memref<16xf32>, vector<16xindex>, vector<16xi1>"""), lambda g: {"R": g["B"][:32:2]}, scalars={"p": 0})  # fmt: skip
RANKS["scattered joins of addresses, swapped by a loop"] = User(kernel("%A: memref<8x32xf32>, %B: memref<4x64xf32>, %R: memref<16xf32>, %n: index", f"""
    %i = vector.step : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %by = arith.constant dense<32> : vector<16xindex>
    %a0 = memref.extract_aligned_pointer_as_index %A : memref<8x32xf32> -> index
    %a1 = arith.index_cast %a0 : index to i64
    %p = memref.subview %B[1, 0] [2, 64] [1, 1] : memref<4x64xf32> to memref<2x64xf32, strided<[64, 1], offset: 64>>
    %q = memref.collapse_shape %p [[0, 1]] : memref<2x64xf32, strided<[64, 1], offset: 64>> into memref<128xf32, strided<[1], offset: 64>>
    %x = xegpu.create_tdesc %a1, %i : i64, vector<16xindex> -> {_S1}
    %y = xegpu.create_tdesc %q, %i : memref<128xf32, strided<[1], offset: 64>>, vector<16xindex> -> {_S1}
    %z = arith.constant dense<0.0> : vector<16xf32>
    %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%d = %x, %e = %y, %acc = %z) -> ({_S1}, {_S1}, vector<16xf32>) {{
      %v = xegpu.load %d, %m : {_S1}, vector<16xi1> -> vector<16xf32>
      %t = arith.addf %acc, %acc : vector<16xf32>
      %s = arith.addf %t, %v : vector<16xf32>
      %f = xegpu.update_offset %d, %by : {_S1}, vector<16xindex>
      scf.yield %e, %f, %s : {_S1}, {_S1}, vector<16xf32>
    }}
    xegpu.store %r#2, %R[%i], %m : vector<16xf32>, memref<16xf32>, vector<16xindex>, vector<16xi1>"""), lambda g: {"R": _swapped(g["A"].ravel(), g["B"].ravel())}, scalars={"n": 5})  # fmt: skip
RANKS["scattered joins of addresses, by lanes"] = User(RANKS["scattered joins of addresses"].text.replace("vector<16xindex>","vector<1xindex>").replace("vector<16xi1>","vector<1xi1>").replace("vector<16xf32>","vector<1xf32>").replace("tensor_desc<16xf32","tensor_desc<1xf32").replace("%i = vector.step : vector<1xindex>","%lane = gpu.lane_id\n    %i = vector.broadcast %lane : index to vector<1xindex>"), RANKS["scattered joins of addresses"].meaning, scalars={"p": 0})  # fmt: skip


def _swapped(a, b):
    return 16 * a[:16] + 8 * b[64:80] + 4 * a[32:48] + 2 * b[96:112] + a[64:80]


# Matrices.

RANKS["matrices of a subgroup, swapped by a loop"] = User(kernel("%A: memref<8x64xf32>, %R: memref<8x64xf32>", f"""
    %s0 = memref.alloca() : memref<512xi8, 3>
    %s1 = memref.alloca() : memref<512xi8, 3>
    %m0 = xegpu.create_mem_desc %s0 : memref<512xi8, 3> -> !xegpu.mem_desc<8x16xf32>
    %m1 = xegpu.create_mem_desc %s1 : memref<512xi8, 3> -> !xegpu.mem_desc<8x16xf32>
    %t = xegpu.create_nd_tdesc %A : memref<8x64xf32> -> {desc("8x16xf32")}
    %r = xegpu.create_nd_tdesc %R : memref<8x64xf32> -> {desc("8x16xf32")}
    %q:2 = scf.for %i = %c0 to %c64 step %c16 iter_args(%a = %m0, %b = %m1) -> (!xegpu.mem_desc<8x16xf32>, !xegpu.mem_desc<8x16xf32>) {{
      %x = xegpu.load_nd %t[%c0, %i] : {desc("8x16xf32")} -> vector<8x16xf32>
      xegpu.store_matrix %x, %a[0, 0] : vector<8x16xf32>, !xegpu.mem_desc<8x16xf32>
      gpu.barrier
      %y = xegpu.load_matrix %a[0, 0] : !xegpu.mem_desc<8x16xf32> -> vector<8x16xf32>
      xegpu.store_nd %y, %r[%c0, %i] : vector<8x16xf32>, {desc("8x16xf32")}
      scf.yield %b, %a : !xegpu.mem_desc<8x16xf32>, !xegpu.mem_desc<8x16xf32>
    }}"""), lambda g: {"R": g["A"]})  # fmt: skip
_X = "!xegpu.mem_desc<16x32xf32>"
RANKS["matrices of a workgroup, swapped by a loop"] = User(kernel("%A: memref<16x128xf32>, %R: memref<16x128xf32>", f"""
    %c96 = arith.constant 96 : index
    %s0 = memref.alloca() : memref<2048xi8, 3>
    %s1 = memref.alloca() : memref<2048xi8, 3>
    %m0 = xegpu.create_mem_desc %s0 : memref<2048xi8, 3> -> {_X}
    %m1 = xegpu.create_mem_desc %s1 : memref<2048xi8, 3> -> {_X}
    %t = xegpu.create_nd_tdesc %A : memref<16x128xf32> -> {desc("16x32xf32", "#l")}
    %r = xegpu.create_nd_tdesc %R : memref<16x128xf32> -> {desc("16x32xf32", "#k")}
    %x0 = xegpu.load_nd %t[%c0, %c0] : {desc("16x32xf32", "#l")} -> vector<16x32xf32>
    xegpu.store_matrix %x0, %m0[0, 0] <{{layout = #l}}> : vector<16x32xf32>, {_X}
    gpu.barrier
    %q:2 = scf.for %i = %c0 to %c128 step %c32 iter_args(%a = %m0, %b = %m1) -> ({_X}, {_X}) {{
      %next = arith.addi %i, %c32 : index
      %last = arith.minui %next, %c96 : index
      %x = xegpu.load_nd %t[%c0, %last] : {desc("16x32xf32", "#l")} -> vector<16x32xf32>
      xegpu.store_matrix %x, %b[0, 0] <{{layout = #l}}> : vector<16x32xf32>, {_X}
      %y = xegpu.load_matrix %a[0, 0] <{{layout = #k}}> : {_X} -> vector<16x32xf32>
      xegpu.store_nd %y, %r[%c0, %i] : vector<16x32xf32>, {desc("16x32xf32", "#k")}
      gpu.barrier
      scf.yield %b, %a : {_X}, {_X}
    }}""", aliases=f"#l = {lay('[2, 2]', '[8, 16]')}\n#k = {lay('[4, 1]', '[4, 32]')}"), lambda g: {"R": g["A"]})  # fmt: skip
_P = "!xegpu.mem_desc<8x16xf16, #xegpu.mem_layout<stride = [16, 1]>>"
_W = "!xegpu.mem_desc<32x16xf16>"
RANKS["a part of a matrix that a branch chooses"] = User(kernel("%A: memref<8x16xf16>, %R: memref<2x8x16xf16>, %i: index", f"""
    %b = gpu.block_id x
    %is = arith.cmpi eq, %b, %c0 : index
{load("x","A","8x16xf16","8x16xf16")}
    %y = arith.addf %x, %x : vector<8x16xf16>
    %d, %o = scf.if %is -> ({_P}, index) {{
      %s = memref.alloca() : memref<1024xi8, 3>
      %m = xegpu.create_mem_desc %s : memref<1024xi8, 3> -> {_W}
      %p = xegpu.mem_desc_subview %m[%i, 0] : {_W} -> {_P}
      xegpu.store_matrix %x, %p[0, 0] : vector<8x16xf16>, {_P}
      scf.yield %p, %c0 : {_P}, index
    }} else {{
      %s = memref.alloca() : memref<256xi8, 3>
      %m = xegpu.create_mem_desc %s : memref<256xi8, 3> -> {_P}
      xegpu.store_matrix %y, %m[0, 0] : vector<8x16xf16>, {_P}
      scf.yield %m, %c0 : {_P}, index
    }}
    gpu.barrier
    %z = xegpu.load_matrix %d[%o, 0] : {_P}, index -> vector<8x16xf16>
    %part = memref.subview %R[%b, 0, 0] [1, 8, 16] [1, 1, 1] : memref<2x8x16xf16> to memref<8x16xf16, strided<[16, 1], offset: ?>>
    %r = xegpu.create_nd_tdesc %part : memref<8x16xf16, strided<[16, 1], offset: ?>> -> {desc("8x16xf16")}
    xegpu.store_nd %z, %r[0, 0] : vector<8x16xf16>, {desc("8x16xf16")}"""), lambda g: {"R": np.stack([g["A"], 2*g["A"]])}, (2,), {"i": 16})  # fmt: skip
_L = "!xegpu.mem_desc<16x16xf32>"
RANKS["matrices of lanes, swapped by a while loop"] = User(kernel("%A: memref<16xf32>, %R: memref<16xf32>, %n: index", f"""
    %lane = gpu.lane_id
    %true = arith.constant true
    %c15 = arith.constant 15 : index
    %v = xegpu.load %A[%lane], %true : memref<16xf32>, index, i1 -> f32
    %s0 = memref.alloca() : memref<1024xi8, 3>
    %s1 = memref.alloca() : memref<1024xi8, 3>
    %m0 = xegpu.create_mem_desc %s0 : memref<1024xi8, 3> -> {_L}
    %m1 = xegpu.create_mem_desc %s1 : memref<1024xi8, 3> -> {_L}
    %back = arith.subi %c15, %lane : index
    xegpu.store_matrix %v, %m0[%c0, %lane] : f32, {_L}, index, index
    gpu.barrier
    %r:3 = scf.while (%i = %c0, %a = %m0, %b = %m1) : (index, {_L}, {_L}) -> (index, {_L}, {_L}) {{
      %go = arith.cmpi ult, %i, %n : index
      scf.condition(%go) %i, %a, %b : index, {_L}, {_L}
    }} do {{
    ^bb0(%i: index, %a: {_L}, %b: {_L}):
      %x = xegpu.load_matrix %a[%c0, %back] : {_L}, index, index -> f32
      %y = arith.addf %x, %x : f32
      xegpu.store_matrix %y, %b[%c0, %lane] : f32, {_L}, index, index
      gpu.barrier
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %b, %a : index, {_L}, {_L}
    }}
    %w = xegpu.load_matrix %r#1[%c0, %lane] : {_L}, index, index -> f32
    xegpu.store %w, %R[%lane], %true : f32, memref<16xf32>, index, i1"""), lambda g: {"R": 8*g["A"][::-1]}, scalars={"n": 3})  # fmt: skip
