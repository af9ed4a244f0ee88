"""Modules of subgroups, op by op: operands of products, edges, masks, joins, parts of arrays and matrices, functions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.mlir.users import User, desc, kernel, load, store, wide

SUBGROUP_OPS: dict[str, User] = {}
T = desc("8x16xf32")
V = "vector<8x16xf32>"
SUBGROUP_OPS["A of three dimensions"] = User(kernel("%A: memref<8x32xf16>, %B: memref<32x32xf16>, %R: memref<8x16xf32>", f"""
{load("x","A","8x32xf16","8x16xf16","0, 16")}
{load("b","B","32x32xf16","16x16xf16","16, 0",props="<{packed}>",gives="8x16x2xf16")}
    %a = vector.shape_cast %x : vector<8x16xf16> to vector<8x8x2xf16>
    %y = xegpu.dpas %a, %b : vector<8x8x2xf16>, vector<8x16x2xf16> -> {V}
{store("y","R","8x16xf32","8x16xf32")}"""), lambda g: {"R": wide(g["A"][:,16:])@wide(g["B"][16:,:16])})  # fmt: skip
SUBGROUP_OPS["a block without a check of bounds"] = User(kernel("%A: memref<16x32xf32>, %R: memref<8x16xf32>", f"""
{load("x","A","16x32xf32","8x16xf32","8, 16","#xegpu.block_tdesc_attr<boundary_check = false>")}
{store("x","R","8x16xf32","8x16xf32")}"""), lambda g: {"R": g["A"][8:,16:]})  # fmt: skip
SUBGROUP_OPS["a block that begins before its array"] = User(kernel("%A: memref<13x37xf16>, %R: memref<13x37xf16>, %i: index, %j: index", f"""
    %t = xegpu.create_nd_tdesc %A[%i, %j] : memref<13x37xf16> -> {desc("16x16xf16")}
    %u = xegpu.update_nd_offset %t, [%i, %j] : {desc("16x16xf16")}
    %x = xegpu.load_nd %u : {desc("16x16xf16")} -> vector<16x16xf16>
    %k = arith.constant dense<1.0> : vector<16x16xf16>
    %y = arith.addf %x, %k : vector<16x16xf16>
    %r = xegpu.create_nd_tdesc %R[%i, %j] : memref<13x37xf16> -> {desc("16x16xf16")}
    xegpu.store_nd %y, %r : vector<16x16xf16>, {desc("16x16xf16")}"""), None, scalars={"i":-2,"j":-3})  # fmt: skip


def _e(g):
    P = np.pad(g["A"], ((16, 32), (16, 32)))
    x = P[16 - 4 : 32 - 4, 16 - 6 : 32 - 6] + 1
    R = np.pad(g["R"], ((16, 32), (16, 32)))
    R[14:30, 13:29] = x
    return {"R": R[16:29, 16:53]}


SUBGROUP_OPS["a block that begins before its array"] = replace(SUBGROUP_OPS["a block that begins before its array"], meaning=_e)
SL = desc("16xf32", "#xegpu.scatter_tdesc_attr<memory_space = slm>")
SUBGROUP_OPS["scattered and atomic in shared memory"] = User(kernel("%A: memref<16xf32>, %R: memref<16xf32>", f"""
    %i = vector.step : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %l = arith.constant dense<15> : vector<16xindex>
    %o = arith.subi %l, %i : vector<16xindex>
    %x = xegpu.load %A[%i], %m : memref<16xf32>, vector<16xindex>, vector<16xi1> -> vector<16xf32>
    %s = memref.alloca() : memref<16xf32, 3>
    %t = xegpu.create_tdesc %s, %o : memref<16xf32, 3>, vector<16xindex> -> {SL}
    %u = xegpu.create_tdesc %s, %i : memref<16xf32, 3>, vector<16xindex> -> {SL}
    xegpu.store %x, %t, %m : vector<16xf32>, {SL}, vector<16xi1>
    gpu.barrier
    %k = arith.constant dense<1.0> : vector<16xf32>
    %old = xegpu.atomic_rmw addf %u, %m, %k : {SL}, vector<16xi1>, vector<16xf32> -> vector<16xf32>
    gpu.barrier
    %y = xegpu.load %u, %m : {SL}, vector<16xi1> -> vector<16xf32>
    %z = arith.addf %y, %old : vector<16xf32>
    xegpu.store %z, %R[%i], %m : vector<16xf32>, memref<16xf32>, vector<16xindex>, vector<16xi1>"""), lambda g: {"R": 2*g["A"][::-1]+1})  # fmt: skip
for e in ("i8", "i16", "i64", "f64", "bf16"):
    SUBGROUP_OPS[f"gather {e}, index constants"] = User(kernel(f"%A: memref<64x{e}>, %R: memref<32x{e}>", f"""
    %o = arith.constant dense<{[(7*n)%64 for n in range(32)]}> : vector<32xindex>
    %m = arith.constant dense<{str([n%5!=2 for n in range(32)]).lower()}> : vector<32xi1>
    %x = xegpu.load %A[%o], %m : memref<64x{e}>, vector<32xindex>, vector<32xi1> -> vector<32x{e}>
    %i = vector.step : vector<32xindex>
    xegpu.store %x, %R[%i], %m : vector<32x{e}>, memref<32x{e}>, vector<32xindex>, vector<32xi1>"""),
    lambda g: {"R": np.where(np.arange(32)%5!=2, g["A"][(7*np.arange(32))%64], g["R"])})  # fmt: skip
SUBGROUP_OPS["scattered descriptors of two arrays"] = User(kernel("%A: memref<64xi32>, %B: memref<64xi32>, %R: memref<2x16xi32>", f"""
    %b = gpu.block_id x
    %i = vector.step : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %first = arith.cmpi eq, %b, %c0 : index
    %d = scf.if %first -> ({desc("16xi32","#xegpu.scatter_tdesc_attr<>")}) {{
      %x = xegpu.create_tdesc %A, %i : memref<64xi32>, vector<16xindex> -> {desc("16xi32","#xegpu.scatter_tdesc_attr<>")}
      scf.yield %x : {desc("16xi32","#xegpu.scatter_tdesc_attr<>")}
    }} else {{
      %o = arith.addi %i, %i : vector<16xindex>
      %x = xegpu.create_tdesc %B, %o : memref<64xi32>, vector<16xindex> -> {desc("16xi32","#xegpu.scatter_tdesc_attr<>")}
      scf.yield %x : {desc("16xi32","#xegpu.scatter_tdesc_attr<>")}
    }}
    %v = xegpu.load %d, %m : {desc("16xi32","#xegpu.scatter_tdesc_attr<>")}, vector<16xi1> -> vector<16xi32>
    %bo = arith.muli %b, %c16 : index
    %bv = vector.broadcast %bo : index to vector<16xindex>
    %at = arith.addi %i, %bv : vector<16xindex>
    %f = memref.reinterpret_cast %R to offset: [0], sizes: [32], strides: [1] : memref<2x16xi32> to memref<32xi32, strided<[1]>>
    xegpu.store %v, %f[%at], %m : vector<16xi32>, memref<32xi32, strided<[1]>>, vector<16xindex>, vector<16xi1>"""),
    lambda g: {"R": np.stack([g["A"][:16], g["B"][:32:2]])}, (2,))  # fmt: skip
SUBGROUP_OPS["parts of a part of a matrix"] = User(kernel("%A: memref<16x32xf16>, %R: memref<8x16xf16>, %i: index", f"""
{load("x","A","16x32xf16","16x32xf16")}
    %s = memref.alloca() : memref<2048xi8, 3>
    %m = xegpu.create_mem_desc %s : memref<2048xi8, 3> -> !xegpu.mem_desc<32x32xf16>
    %v = xegpu.mem_desc_subview %m[%i, 0] : !xegpu.mem_desc<32x32xf16> -> !xegpu.mem_desc<16x32xf16, #xegpu.mem_layout<stride = [32, 1]>>
    xegpu.store_matrix %x, %v[0, 0] : vector<16x32xf16>, !xegpu.mem_desc<16x32xf16, #xegpu.mem_layout<stride = [32, 1]>>
    gpu.barrier
    %w = xegpu.mem_desc_subview %v[4, %i] : !xegpu.mem_desc<16x32xf16, #xegpu.mem_layout<stride = [32, 1]>> -> !xegpu.mem_desc<8x16xf16, #xegpu.mem_layout<stride = [32, 1]>>
    %y = xegpu.load_matrix %w[0, 0] : !xegpu.mem_desc<8x16xf16, #xegpu.mem_layout<stride = [32, 1]>> -> vector<8x16xf16>
{store("y","R","8x16xf16","8x16xf16")}"""), lambda g: {"R": g["A"][4:12,16:]}, scalars={"i":16})  # fmt: skip
SUBGROUP_OPS["a matrix of several"] = User(kernel("%A: memref<16x32xf16>, %R: memref<16x32xf16>, %i: index", f"""
{load("x","A","16x32xf16","16x32xf16")}
    %s = memref.alloca() : memref<3072xi8, 3>
    %m = xegpu.create_mem_desc %s : memref<3072xi8, 3> -> !xegpu.mem_desc<3x16x32xf16>
    %v = xegpu.mem_desc_subview %m[%i, 0, 0] : !xegpu.mem_desc<3x16x32xf16> -> !xegpu.mem_desc<16x32xf16, #xegpu.mem_layout<stride = [32, 1]>>
    xegpu.store_matrix %x, %v[0, 0] : vector<16x32xf16>, !xegpu.mem_desc<16x32xf16, #xegpu.mem_layout<stride = [32, 1]>>
    gpu.barrier
    %y = xegpu.load_matrix %v[0, 0] : !xegpu.mem_desc<16x32xf16, #xegpu.mem_layout<stride = [32, 1]>> -> vector<16x32xf16>
{store("y","R","16x32xf16","16x32xf16")}"""), lambda g: {"R": g["A"]}, scalars={"i":2})  # fmt: skip
for e in ("f32", "f16", "i8", "i1"):
    SUBGROUP_OPS[f"constants that differ, masks and values {e}"] = User(kernel("%A: memref<8x32xi32>, %R: memref<8x32xi32>", f"""
{load("x","A","8x32xi32","8x32xi32")}
    %k = arith.constant dense<{str([[ (bool((i*3+j)%7<3) if e=='i1' else float((i*3+j)%7) if e[0]=='f' else (i*3+j)%7) for j in range(32)] for i in range(8)]).lower()}> : vector<8x32x{e}>
    %w = arith.{'extui' if e=='i1' else 'extsi' if e=='i8' else 'fptosi'} %k : vector<8x32x{e}> to vector<8x32xi32>
    %y = arith.addi %x, %w : vector<8x32xi32>
{store("y","R","8x32xi32","8x32xi32")}"""), lambda g,e=e: {"R": g["A"]+ (lambda t: (t<3) if e=='i1' else t)(np.array([[(i*3+j)%7 for j in range(32)] for i in range(8)]))})  # fmt: skip
SUBGROUP_OPS["masks of two dimensions"] = User(kernel("%A: memref<8x32xf32>, %R: memref<8x32xf32>, %h: index, %w: index", f"""
{load("x","A","8x32xf32","8x32xf32")}
    %m = vector.create_mask %h, %w : vector<8x32xi1>
    %n = vector.constant_mask [6, 30] : vector<8x32xi1>
    %p = arith.xori %m, %n : vector<8x32xi1>
    %z = arith.constant dense<9.0> : vector<8x32xf32>
    %y = arith.select %p, %x, %z : vector<8x32xi1>, vector<8x32xf32>
{store("y","R","8x32xf32","8x32xf32")}"""), lambda g: {"R": np.where(((np.arange(8)[:,None]<7)&(np.arange(32)<5)) ^ ((np.arange(8)[:,None]<6)&(np.arange(32)<30)), g["A"], 9)}, scalars={"h":7,"w":5})  # fmt: skip
SUBGROUP_OPS["a row reduced"] = User(kernel("%A: memref<8x32xf32>, %R: memref<8x32xf32>", f"""
{load("x","A","8x32xf32","8x32xf32")}
    %r = vector.extract %x[3] : vector<32xf32> from vector<8x32xf32>
    %st = arith.constant 5.0 : f32
    %s = vector.reduction <maximumf>, %r, %st : vector<32xf32> into f32
    %t = vector.reduction <add>, %r : vector<32xf32> into f32
    %u = arith.mulf %s, %t : f32
    %b = vector.broadcast %u : f32 to vector<8x32xf32>
    %y = arith.addf %x, %b : vector<8x32xf32>
{store("y","R","8x32xf32","8x32xf32")}"""), lambda g: {"R": g["A"]+max(5,g["A"][3].max())*g["A"][3].sum()})  # fmt: skip
SUBGROUP_OPS["rows shuffled, columns by turns"] = User(kernel("%A: memref<8x32xf32>, %R: memref<8x32xf32>", f"""
{load("x","A","8x32xf32","8x32xf32")}
    %y = vector.shuffle %x, %x [7, 9, 5, 12, 3, 2, 0, 1] : vector<8x32xf32>, vector<8x32xf32>
    %e, %o = vector.deinterleave %y : vector<8x32xf32> -> vector<8x16xf32>
    %z = vector.interleave %o, %e : vector<8x16xf32> -> vector<8x32xf32>
{store("z","R","8x32xf32","8x32xf32")}"""), lambda g: {"R": g["A"][[7,1,5,4,3,2,0,1]].reshape(8,16,2)[:,:,::-1].reshape(8,32)})  # fmt: skip
SUBGROUP_OPS["an outer product onto a block"] = User(kernel("%A: memref<8x32xf32>, %R: memref<8x32xf32>", f"""
{load("x","A","8x32xf32","8x32xf32")}
    %c = vector.extract_strided_slice %x {{offsets = [0, 0], sizes = [8, 1], strides = [1, 1]}} : vector<8x32xf32> to vector<8x1xf32>
    %l = vector.shape_cast %c : vector<8x1xf32> to vector<8xf32>
    %r = vector.extract %x[2] : vector<32xf32> from vector<8x32xf32>
    %y = vector.outerproduct %l, %r, %x : vector<8xf32>, vector<32xf32>
{store("y","R","8x32xf32","8x32xf32")}"""), lambda g: {"R": g["A"]+np.outer(g["A"][:,0],g["A"][2])})  # fmt: skip
SUBGROUP_OPS["bytes as words"] = User(kernel("%A: memref<8x64xi8>, %R: memref<8x16xi32>", f"""
{load("x","A","8x64xi8","8x64xi8")}
    %y = vector.bitcast %x : vector<8x64xi8> to vector<8x16xi32>
{store("y","R","8x16xi32","8x16xi32")}"""), lambda g: {"R": g["A"].view(np.int32)})  # fmt: skip
SUBGROUP_OPS["branches in branches: descriptors, vectors and numbers"] = User(kernel("%A: memref<32x32xf32>, %R: memref<16x16xf32>, %n: index", f"""
    %t = xegpu.create_nd_tdesc %A : memref<32x32xf32> -> {T}
    %p = arith.cmpi ugt, %n, %c2 : index
    %q = arith.cmpi ugt, %n, %c4 : index
    %d, %v, %i = scf.if %p -> ({T}, {V}, index) {{
      %x = xegpu.load_nd %t[%c8, %c0] : {T} -> {V}
      %e, %j = scf.if %q -> ({T}, index) {{
        %u = xegpu.create_nd_tdesc %A[%n, %n] : memref<32x32xf32> -> {T}
        scf.yield %u, %c0 : {T}, index
      }} else {{
        %u = xegpu.create_nd_tdesc %A[%n, 0] : memref<32x32xf32> -> {T}
        scf.yield %u, %c8 : {T}, index
      }}
      scf.yield %e, %x, %j : {T}, {V}, index
    }} else {{
      %x = xegpu.load_nd %t[%c0, %c8] : {T} -> {V}
      %u = xegpu.create_nd_tdesc %A : memref<32x32xf32> -> {T}
      scf.yield %u, %x, %c0 : {T}, {V}, index
    }}
    %w = xegpu.load_nd %d : {T} -> {V}
    %y = arith.addf %v, %w : {V}
    %r = xegpu.create_nd_tdesc %R : memref<16x16xf32> -> {T}
    xegpu.store_nd %y, %r[%i, %c0] : {V}, {T}"""), lambda g: {"R": np.vstack([g["R"][:8], g["A"][8:16,:16]+g["A"][3:11,:16]])}, scalars={"n":3})  # fmt: skip
SUBGROUP_OPS["a while loop that moves a descriptor before its test"] = User(kernel("%A: memref<32x64xf16>, %R: memref<16x32xf16>, %n: i32", f"""
    %t0 = xegpu.create_nd_tdesc %A : memref<32x64xf16> -> {desc("16x32xf16")}
    %z = arith.constant dense<0.0> : vector<16x32xf16>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %r:3 = scf.while (%i = %n, %t = %t0, %acc = %z) : (i32, {desc("16x32xf16")}, vector<16x32xf16>) -> (i32, vector<16x32xf16>, {desc("16x32xf16")}) {{
      %go = arith.cmpi sgt, %i, %zero : i32
      %u = xegpu.update_nd_offset %t, [1, 2] : {desc("16x32xf16")}
      scf.condition(%go) %i, %acc, %u : i32, vector<16x32xf16>, {desc("16x32xf16")}
    }} do {{
    ^bb0(%i: i32, %acc: vector<16x32xf16>, %t: {desc("16x32xf16")}):
      %x = xegpu.load_nd %t : {desc("16x32xf16")} -> vector<16x32xf16>
      %s = arith.addf %x, %acc : vector<16x32xf16>
      %j = arith.subi %i, %one : i32
      scf.yield %j, %t, %s : i32, {desc("16x32xf16")}, vector<16x32xf16>
    }}
    %x = xegpu.load_nd %r#2 : {desc("16x32xf16")} -> vector<16x32xf16>
    %y = arith.subf %r#1, %x : vector<16x32xf16>
{store("y","R","16x32xf16","16x32xf16")}"""), lambda g: {"R": sum(g["A"][k:k+16,2*k:2*k+32] for k in (1,2,3))-g["A"][4:20,8:40]}, scalars={"n":3})  # fmt: skip
SUBGROUP_OPS["a function of a matrix and a barrier"] = User("""gpu.module @m {
  func.func private @put(%m: !xegpu.mem_desc<16x16xf32>, %n: !xegpu.nbarrier, %v: vector<8x16xf32>, %i: index) -> vector<8x16xf32> {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    xegpu.store_matrix %v, %m[%i, %c0] : vector<8x16xf32>, !xegpu.mem_desc<16x16xf32>, index, index
    xegpu.fence memory_kind = slm, fence_scope = workgroup
    xegpu.nbarrier_arrive %n : !xegpu.nbarrier
    xegpu.nbarrier_wait %n : !xegpu.nbarrier
    %o = arith.subi %c8, %i : index
    %w = xegpu.load_matrix %m[%o, %c0] : !xegpu.mem_desc<16x16xf32>, index, index -> vector<8x16xf32>
    return %w : vector<8x16xf32>
  }
  gpu.func @k(%A: memref<16x16xf32>, %R: memref<16x16xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    xegpu.alloc_nbarrier 3
    %c8 = arith.constant 8 : index
    %id = gpu.subgroup_id : index
    %row = arith.muli %id, %c8 : index
    %one = arith.constant 1 : i8
    %two = arith.constant 2 : i8
    %n = xegpu.init_nbarrier %one, %two : i8, i8 -> !xegpu.nbarrier
    %s = memref.alloca() : memref<1024xi8, 3>
    %m = xegpu.create_mem_desc %s : memref<1024xi8, 3> -> !xegpu.mem_desc<16x16xf32>
    %c0 = arith.constant 0 : index
    %t = xegpu.create_nd_tdesc %A : memref<16x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %t[%row, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    %w = func.call @put(%m, %n, %v, %row) : (!xegpu.mem_desc<16x16xf32>, !xegpu.nbarrier, vector<8x16xf32>, index) -> vector<8x16xf32>
    %r = xegpu.create_nd_tdesc %R : memref<16x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %w, %r[%row, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}""", lambda g: {"R": np.vstack([g["A"][8:],g["A"][:8]])})  # fmt: skip
SUBGROUP_OPS["one index for all lanes"] = User(kernel("%A: memref<64xf32>, %R: memref<16xf32>, %n: index", """
    %m = arith.constant dense<true> : vector<16xi1>
    %i = vector.step : vector<16xindex>
    %x = xegpu.load %A[%n], %m : memref<64xf32>, index, vector<16xi1> -> vector<16xf32>
    xegpu.store %x, %R[%i], %m : vector<16xf32>, memref<16xf32>, vector<16xindex>, vector<16xi1>"""), lambda g: {"R": np.full(16,g["A"][5])}, scalars={"n":5})  # fmt: skip
SUBGROUP_OPS["a line over the end of its array"] = User(kernel("%A: memref<100xf32>, %R: memref<100xf32>, %i: index", f"""
    %t = xegpu.create_nd_tdesc %A[%i] : memref<100xf32> -> {desc("48xf32")}
    %x = xegpu.load_nd %t : {desc("48xf32")} -> vector<48xf32>
    %u = xegpu.update_nd_offset %t, [%i] : {desc("48xf32")}
    %x2 = xegpu.load_nd %u : {desc("48xf32")} -> vector<48xf32>
    %y = arith.addf %x, %x2 : vector<48xf32>
    %r = xegpu.create_nd_tdesc %R[60] : memref<100xf32> -> {desc("48xf32")}
    xegpu.store_nd %y, %r : vector<48xf32>, {desc("48xf32")}"""), lambda g: {"R": np.concatenate([g["R"][:60], (np.pad(g["A"],(0,99))[33:81]+np.pad(g["A"],(0,99))[66:114])[:40]])}, scalars={"i":33})  # fmt: skip
SUBGROUP_OPS["a transposed load of f16"] = User(kernel("%A: memref<32x32xf16>, %R: memref<16x32xf16>", f"""
{load("x","A","32x32xf16","32x16xf16","0, 16",props="<{transpose = array<i64: 1, 0>}>",gives="16x32xf16")}
{store("x","R","16x32xf16","16x32xf16")}"""), lambda g: {"R": g["A"][:,16:].T})  # fmt: skip
SUBGROUP_OPS["rows of an array of one dimension"] = User(kernel("%A: memref<512xf32>, %R: memref<8x16xf32>, %n: index", f"""
    %t = xegpu.create_nd_tdesc %A, shape: [16, %n], strides: [%n, 1] : memref<512xf32> -> {T}
    %x = xegpu.load_nd %t[8, 16] : {T} -> {V}
{store("x","R","8x16xf32","8x16xf32")}"""), lambda g: {"R": g["A"].reshape(16,32)[8:,16:]}, scalars={"n":32})  # fmt: skip
SUBGROUP_OPS["a value of five dimensions"] = User(kernel("%A: memref<16x32xf32>, %R: memref<32x16xf32>", f"""
{load("x","A","16x32xf32","16x32xf32")}
    %a = vector.shape_cast %x : vector<16x32xf32> to vector<2x8x1x2x16xf32>
    %b = vector.transpose %a, [3, 0, 2, 1, 4] : vector<2x8x1x2x16xf32> to vector<2x2x1x8x16xf32>
    %c = arith.addf %b, %b : vector<2x2x1x8x16xf32>
    %y = vector.shape_cast %c : vector<2x2x1x8x16xf32> to vector<32x16xf32>
{store("y","R","32x16xf32","32x16xf32")}"""), lambda g: {"R": 2*g["A"].reshape(2,8,1,2,16).transpose(3,0,2,1,4).reshape(32,16)})  # fmt: skip
SUBGROUP_OPS["every comparison, with NaN"] = User(kernel("%A: memref<8x16xf32>, %R: memref<8x16xi32>", f"""
{load("x","A","8x16xf32","8x16xf32")}
    %z = arith.constant dense<0.0> : {V}
    %n = arith.divf %x, %z : {V}
    %q = arith.mulf %n, %z : {V}
    %acc = arith.constant dense<0> : vector<8x16xi32>
""" + "\n".join(f"""    %k{i} = arith.cmpf {p}, %n, %q : {V}
    %e{i} = arith.extui %k{i} : vector<8x16xi1> to vector<8x16xi32>
    %sh{i} = arith.constant dense<{i}> : vector<8x16xi32>
    %s{i} = arith.shli %e{i}, %sh{i} : vector<8x16xi32>
    %acc{i} = arith.ori {'%acc' if i==0 else f'%acc{i-1}'}, %s{i} : vector<8x16xi32>""" for i,p in enumerate(("oeq","ogt","oge","olt","ole","one","ord","ueq","ugt","uge","ult","ule","une","uno"))) + f"""
{store("acc13","R","8x16xi32","8x16xi32")}"""), lambda g: _cmp(g))  # fmt: skip


def _cmp(g):
    with np.errstate(all="ignore"):
        n = g["A"] / np.float32(0)
        q = n * np.float32(0)
    u = np.isnan(n) | np.isnan(q)
    o = ~u
    c = [
        o & (n == q),
        o & (n > q),
        o & (n >= q),
        o & (n < q),
        o & (n <= q),
        o & (n != q),
        o,
        u | (n == q),
        u | (n > q),
        u | (n >= q),
        u | (n < q),
        u | (n <= q),
        u | (n != q),
        u,
    ]  # fmt: skip
    return {"R": sum(b.astype(np.int32) << i for i, b in enumerate(c))}


SUBGROUP_OPS["a part of an array of fewer dimensions"] = User(kernel("%A: memref<4x8x32xf32>, %R: memref<8x16xf32>, %i: index", f"""
    %c = memref.collapse_shape %A [[0, 1], [2]] : memref<4x8x32xf32> into memref<32x32xf32>
    %s = memref.subview %c[%i, 0] [16, 32] [1, 1] : memref<32x32xf32> to memref<16x32xf32, strided<[32, 1], offset: ?>>
    %t = xegpu.create_nd_tdesc %s[8, 16] : memref<16x32xf32, strided<[32, 1], offset: ?>> -> {T}
    %x = xegpu.load_nd %t : {T} -> {V}
{store("x","R","8x16xf32","8x16xf32")}"""), lambda g: {"R": g["A"].reshape(32,32)[17:25,16:]}, scalars={"i":9})  # fmt: skip
SUBGROUP_OPS["sizes of an array"] = User(kernel("%A: memref<32x64xf32>, %R: memref<8x16xf32>", f"""
    %D = memref.cast %A : memref<32x64xf32> to memref<?x?xf32>
    %h = memref.dim %D, %c0 : memref<?x?xf32>
    %w = memref.dim %D, %c1 : memref<?x?xf32>
    %b, %off, %sz:2, %st:2 = memref.extract_strided_metadata %A : memref<32x64xf32> -> memref<f32>, index, index, index, index, index
    %t = xegpu.create_nd_tdesc %D, shape: [%h, %w], strides: [%st#0, 1] : memref<?x?xf32> -> {T}
    %o = arith.subi %sz#0, %c8 : index
    %x = xegpu.load_nd %t[%o, %c16] : {T} -> {V}
{store("x","R","8x16xf32","8x16xf32")}"""), lambda g: {"R": g["A"][24:,16:32]})  # fmt: skip
SUBGROUP_OPS["loops in loops that move a descriptor"] = User(kernel("%A: memref<64x64xf32>, %R: memref<8x16xf32>", f"""
    %t0 = xegpu.create_nd_tdesc %A[0, 0] : memref<64x64xf32> -> {T}
    %z = arith.constant dense<0.0> : {V}
    %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %t0, %acc = %z) -> ({T}, {V}) {{
      %s:2 = scf.for %j = %c0 to %i step %c1 iter_args(%u = %t, %a = %acc) -> ({T}, {V}) {{
        %x = xegpu.load_nd %u : {T} -> {V}
        %b = arith.addf %a, %x : {V}
        %v = xegpu.update_nd_offset %u, [0, 8] : {T}
        scf.yield %v, %b : {T}, {V}
      }}
      %w = xegpu.update_nd_offset %s#0, [8, -4] : {T}
      scf.yield %w, %s#1 : {T}, {V}
    }}
    %x = xegpu.load_nd %r#0 : {T} -> {V}
    %y = arith.subf %r#1, %x : {V}
{store("y","R","8x16xf32","8x16xf32")}"""), lambda g: _nl(g))  # fmt: skip


def _nl(g):
    A = np.pad(g["A"], ((64, 64), (64, 64)))
    i0, j0 = 64, 64
    acc = np.zeros((8, 16), np.float32)
    for i in range(4):
        for _ in range(i):
            acc = acc + A[i0 : i0 + 8, j0 : j0 + 16]
            j0 += 8
        i0 += 8
        j0 -= 4
    return {"R": acc - A[i0 : i0 + 8, j0 : j0 + 16]}


SUBGROUP_OPS["chunks of f16 that a loop moves and swaps"] = User(kernel("%A: memref<512xf16>, %R: memref<16x4xf16>", f"""
    %i = vector.step : vector<16xindex>
    %k = arith.constant dense<4> : vector<16xindex>
    %o = arith.muli %i, %k : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %by = arith.constant dense<{[64+n for n in range(16)]}> : vector<16xindex>
    %d0 = xegpu.create_tdesc %A, %o : memref<512xf16>, vector<16xindex> -> {desc("16x4xf16","#xegpu.scatter_tdesc_attr<chunk_size = 4>")}
    %e0 = xegpu.update_offset %d0, %by : {desc("16x4xf16","#xegpu.scatter_tdesc_attr<chunk_size = 4>")}, vector<16xindex>
    %z = arith.constant dense<0.0> : vector<16x4xf16>
    %r:3 = scf.for %n = %c0 to %c4 step %c1 iter_args(%d = %d0, %e = %e0, %acc = %z) -> ({desc("16x4xf16","#xegpu.scatter_tdesc_attr<chunk_size = 4>")}, {desc("16x4xf16","#xegpu.scatter_tdesc_attr<chunk_size = 4>")}, vector<16x4xf16>) {{
      %x = xegpu.load %d, %m : {desc("16x4xf16","#xegpu.scatter_tdesc_attr<chunk_size = 4>")}, vector<16xi1> -> vector<16x4xf16>
      %two = arith.addf %acc, %acc : vector<16x4xf16>
      %s = arith.addf %two, %x : vector<16x4xf16>
      %f = xegpu.update_offset %d, %by : {desc("16x4xf16","#xegpu.scatter_tdesc_attr<chunk_size = 4>")}, vector<16xindex>
      scf.yield %e, %f, %s : {desc("16x4xf16","#xegpu.scatter_tdesc_attr<chunk_size = 4>")}, {desc("16x4xf16","#xegpu.scatter_tdesc_attr<chunk_size = 4>")}, vector<16x4xf16>
    }}
{store("acc","R","16x4xf16","16x4xf16").replace("%acc,", "%r#2,")}"""), lambda g: _sc(g))  # fmt: skip


def _sc(g):
    o = np.arange(16) * 4
    by = 64 + np.arange(16)
    d, e = o, o + by
    acc = np.zeros((16, 4), np.float16)
    for _ in range(4):
        acc = 2 * acc + g["A"][d[:, None] + np.arange(4)]
        d, e = e, d + by
    return {"R": acc}
