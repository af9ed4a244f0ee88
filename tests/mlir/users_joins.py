"""Modules that join descriptors of several arrays."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import User, desc, kernel

JOINS: dict[str, User] = {}

_T = desc("8x16xf32")
JOINS["descriptors swapped by a loop"] = User(kernel("%A: memref<8x64xf32>, %B: memref<8x64xf32>, %R: memref<8x16xf32>", f"""
    %a0 = xegpu.create_nd_tdesc %A[0, 0] : memref<8x64xf32> -> {_T}
    %b0 = xegpu.create_nd_tdesc %B[0, 0] : memref<8x64xf32> -> {_T}
    %z = arith.constant dense<0.0> : vector<8x16xf32>
    %r:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %a0, %b = %b0, %acc = %z) -> ({_T}, {_T}, vector<8x16xf32>) {{
      %x = xegpu.load_nd %a : {_T} -> vector<8x16xf32>
      %two = arith.constant dense<2.0> : vector<8x16xf32>
      %d = arith.mulf %acc, %two : vector<8x16xf32>
      %s = arith.addf %d, %x : vector<8x16xf32>
      %a1 = xegpu.update_nd_offset %a, [0, 16] : {_T}
      %b1 = xegpu.update_nd_offset %b, [0, 16] : {_T}
      scf.yield %b1, %a1, %s : {_T}, {_T}, vector<8x16xf32>
    }}
    %c = xegpu.create_nd_tdesc %R[0, 0] : memref<8x16xf32> -> {_T}
    xegpu.store_nd %r#2, %c : vector<8x16xf32>, {_T}"""), lambda g: {
    "R": g["A"][:, :16] * 8 + g["B"][:, 16:32] * 4 + g["A"][:, 32:48] * 2 + g["B"][:, 48:]})  # fmt: skip

JOINS["a descriptor that a branch chooses"] = User(kernel("%A: memref<16x32xf32>, %B: memref<16x32xf32>, %R: memref<2x8x16xf32>", f"""
    %b = gpu.block_id x
    %first = arith.cmpi eq, %b, %c0 : index
    %d = scf.if %first -> ({_T}) {{
      %x = xegpu.create_nd_tdesc %A[8, 16] : memref<16x32xf32> -> {_T}
      scf.yield %x : {_T}
    }} else {{
      %x = xegpu.create_nd_tdesc %B[0, 16] : memref<16x32xf32> -> {_T}
      %y = xegpu.update_nd_offset %x, [4, -8] : {_T}
      scf.yield %y : {_T}
    }}
    %v = xegpu.load_nd %d : {_T} -> vector<8x16xf32>
    %part = memref.subview %R[%b, 0, 0] [1, 8, 16] [1, 1, 1] : memref<2x8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
    %c = xegpu.create_nd_tdesc %part : memref<8x16xf32, strided<[16, 1], offset: ?>> -> {_T}
    xegpu.store_nd %v, %c[0, 0] : vector<8x16xf32>, {_T}"""),
    lambda g: {"R": np.stack([g["A"][8:, 16:], g["B"][4:12, 8:24]])}, (2,))  # fmt: skip

_W = desc("32x32xf16", "#l")
JOINS["of a workgroup, stored to one of three"] = User(kernel(
    "%A: memref<32x32xf16>, %R0: memref<64x32xf16>, %R1: memref<32x64xf16>, %R2: memref<32x32xf16>", f"""
    %b = gpu.block_id x
    %a = xegpu.create_nd_tdesc %A[%c0, %c0] : memref<32x32xf16> -> {_W}
    %v = xegpu.load_nd %a : {_W} -> vector<32x32xf16>
    %d = scf.index_switch %b -> {_W}
    case 0 {{
      %x = xegpu.create_nd_tdesc %R0[%c0, %c0] : memref<64x32xf16> -> {_W}
      scf.yield %x : {_W}
    }}
    case 1 {{
      %x = xegpu.create_nd_tdesc %R1[%c0, %c32] : memref<32x64xf16> -> {_W}
      scf.yield %x : {_W}
    }}
    default {{
      %x = xegpu.create_nd_tdesc %R2[%c0, %c0] : memref<32x32xf16> -> {_W}
      scf.yield %x : {_W}
    }}
    %row = arith.cmpi eq, %b, %c0 : index
    %by = arith.select %row, %c32, %c0 : index
    %e = xegpu.update_nd_offset %d, [%by, %c0] : {_W}
    xegpu.prefetch_nd %e : {_W}
    xegpu.store_nd %v, %e : vector<32x32xf16>, {_W}""", aliases="#l = #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>"),
    lambda g: {"R0": np.vstack([g["R0"][:32], g["A"]]), "R1": np.hstack([g["R1"][:, :32], g["A"]]), "R2": g["A"]}, (3,))  # fmt: skip

JOINS["of lanes"] = User(kernel("%A: memref<8x32xf32>, %B: memref<16x64xf32>, %R: memref<2x8x16xf32>", f"""
    %b = gpu.block_id x
    %is = arith.cmpi eq, %b, %c1 : index
    %x = xegpu.create_nd_tdesc %A[%c0, %c16] : memref<8x32xf32> -> {_T}
    %y = xegpu.create_nd_tdesc %B[%c8, %c32] : memref<16x64xf32> -> {_T}
    %d = arith.select %is, %x, %y : {_T}
    %v = xegpu.load_nd %d : {_T} -> vector<8xf32>
    %part = memref.subview %R[%b, 0, 0] [1, 8, 16] [1, 1, 1] : memref<2x8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
    %c = xegpu.create_nd_tdesc %part[%c0, %c0] : memref<8x16xf32, strided<[16, 1], offset: ?>> -> {_T}
    xegpu.store_nd %v, %c : vector<8xf32>, {_T}""".replace(f"arith.select %is, %x, %y : {_T}", f"""scf.if %is -> ({_T}) {{
      scf.yield %x : {_T}
    }} else {{
      scf.yield %y : {_T}
    }}""")), lambda g: {"R": np.stack([g["B"][8:, 32:48], g["A"][:, 16:]])}, (2,))  # fmt: skip

_S = desc("16xi32", "#xegpu.scatter_tdesc_attr<>")
JOINS["scattered, updated atomically"] = User(kernel("%A: memref<64xi32>, %R: memref<64xi32>, %R1: memref<32xi32>", f"""
    %i = vector.step : vector<16xindex>
    %by = arith.constant dense<16> : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %x = xegpu.create_tdesc %R, %i : memref<64xi32>, vector<16xindex> -> {_S}
    %y = xegpu.create_tdesc %R1, %i : memref<32xi32>, vector<16xindex> -> {_S}
    %e:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %x, %q = %y) -> ({_S}, {_S}) {{
      %o = arith.muli %k, %c16 : index
      %ob = vector.broadcast %o : index to vector<16xindex>
      %at = arith.addi %i, %ob : vector<16xindex>
      %v = xegpu.load %A[%at], %m : memref<64xi32>, vector<16xindex>, vector<16xi1> -> vector<16xi32>
      %old = xegpu.atomic_rmw addi %p, %m, %v : {_S}, vector<16xi1>, vector<16xi32> -> vector<16xi32>
      %n = xegpu.update_offset %p, %by : {_S}, vector<16xindex>
      scf.yield %q, %n : {_S}, {_S}
    }}"""), lambda g: {"R": g["R"] + np.concatenate([g["A"][:16], g["A"][32:48], np.zeros(32, np.int32)]),
                       "R1": g["R1"] + np.concatenate([g["A"][16:32], g["A"][48:]])})  # fmt: skip
