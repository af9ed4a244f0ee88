"""Modules of control flow: joins of descriptors and addresses, functions, loops, lanes that speak to each other, subgroups that wait."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import User, desc, kernel, load, store

CONTROL: dict[str, User] = {}
_T = desc("8x16xf32")
_V = "vector<8x16xf32>"

# Joins of sizes that are computed.

CONTROL["a branch joins arrays, sizes and strides that it computes"] = User(kernel("%A: memref<16x32xf32>, %B: memref<8x64xf32>, %R: memref<2x8x16xf32>, %n: index", f"""
    %b = gpu.block_id x
    %p = arith.cmpi eq, %b, %c0 : index
    %d = scf.if %p -> ({_T}) {{
      %w = arith.muli %n, %c2 : index
      %t = xegpu.create_nd_tdesc %A, shape: [%c16, %w], strides: [%w, %c1] : memref<16x32xf32> -> {_T}
      scf.yield %t : {_T}
    }} else {{
      %w = arith.muli %n, %c4 : index
      %t = xegpu.create_nd_tdesc %B, shape: [%c8, %w], strides: [%w, %c1] : memref<8x64xf32> -> {_T}
      scf.yield %t : {_T}
    }}
    %x = xegpu.load_nd %d[%c0, %c16] : {_T} -> {_V}
    %part = memref.subview %R[%b, 0, 0] [1, 8, 16] [1, 1, 1] : memref<2x8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
    %r = xegpu.create_nd_tdesc %part : memref<8x16xf32, strided<[16, 1], offset: ?>> -> {_T}
    xegpu.store_nd %x, %r[%c0, %c0] : {_V}, {_T}"""),
    lambda g: {"R": np.stack([g["A"][:8, 16:], g["B"][:, 16:32]])}, (2,), {"n": 16})  # fmt: skip
CONTROL["a loop swaps parts of other sizes, which move"] = User(kernel("%A: memref<32x32xf32>, %R: memref<8x16xf32>, %n: index", f"""
    %w = arith.muli %n, %c2 : index
    %h = arith.addi %n, %c8 : index
    %two = arith.constant dense<2.0> : {_V}
    %a = xegpu.create_nd_tdesc %A[%c0, %c0], shape: [%h, %w], strides: [%w, %c1] : memref<32x32xf32> -> {_T}
    %v = arith.muli %w, %c2 : index
    %b = xegpu.create_nd_tdesc %A[%c0, %c16], shape: [%n, %v], strides: [%v, %c1] : memref<32x32xf32> -> {_T}
    %z = arith.constant dense<0.0> : {_V}
    %q:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %a, %t = %b, %acc = %z) -> ({_T}, {_T}, {_V}) {{
      %x = xegpu.load_nd %s : {_T} -> {_V}
      %d = arith.mulf %acc, %two : {_V}
      %e = arith.addf %d, %x : {_V}
      %m = xegpu.update_nd_offset %s, [%c8, %c0] : {_T}
      scf.yield %t, %m, %e : {_T}, {_T}, {_V}
    }}
    %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {_T}
    xegpu.store_nd %q#2, %r[%c0, %c0] : {_V}, {_T}"""),
    lambda g: {"R": 8 * g["A"][:8, :16] + 4 * g["A"][:16:2, 16:] + 2 * g["A"][8:16, :16] + g["A"][16:32:2, 16:]}, scalars={"n": 16})  # fmt: skip
_W = desc("16x32xf32", "#l")
CONTROL["a workgroup's branch joins sizes that it computes"] = User(kernel("%A: memref<32x32xf32>, %R: memref<16x32xf32>, %n: index, %p: i1", f"""
    %d = scf.if %p -> ({_W}) {{
      %w = arith.muli %n, %c2 : index
      %t = xegpu.create_nd_tdesc %A, shape: [%c32, %w], strides: [%w, %c1] : memref<32x32xf32> -> {_W}
      scf.yield %t : {_W}
    }} else {{
      %w = arith.muli %n, %c4 : index
      %t = xegpu.create_nd_tdesc %A, shape: [%c16, %w], strides: [%w, %c1] : memref<32x32xf32> -> {_W}
      scf.yield %t : {_W}
    }}
    xegpu.prefetch_nd %d[%c0, %c32] : {_W}
    %x = xegpu.load_nd %d[%c0, %c32] : {_W} -> vector<16x32xf32>
{store("x", "R", "16x32xf32", "16x32xf32", more="#l")}""", aliases="#l = #xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>"),
    lambda g: {"R": g["A"].reshape(16, 64)[:, 32:]}, scalars={"n": 16, "p": 0})  # fmt: skip
CONTROL["a branch of lanes joins sizes that it computes"] = User(kernel("%A: memref<32x32xf32>, %R: memref<8x16xf32>, %n: index, %p: i1", f"""
    %d = scf.if %p -> ({_T}) {{
      %w = arith.muli %n, %c2 : index
      %t = xegpu.create_nd_tdesc %A[%c8, %c0], shape: [%c32, %w], strides: [%w, %c1] : memref<32x32xf32> -> {_T}
      scf.yield %t : {_T}
    }} else {{
      %w = arith.muli %n, %c4 : index
      %t = xegpu.create_nd_tdesc %A[%c0, %c16], shape: [%c16, %w], strides: [%w, %c1] : memref<32x32xf32> -> {_T}
      scf.yield %t : {_T}
    }}
    %x = xegpu.load_nd %d : {_T} -> vector<8xf32>
    %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {_T}
    xegpu.store_nd %x, %r[%c0, %c0] : vector<8xf32>, {_T}""".replace("xegpu.store_nd %x, %r[%c0, %c0]", "xegpu.store_nd %x, %r[%c0, %c0]")),
    lambda g: {"R": g["A"][8:16, :16]}, scalars={"n": 16, "p": 1})  # fmt: skip
CONTROL["an address that a loop moves"] = User(kernel("%A: memref<32x32xf32>, %R: memref<8x16xf32>, %n: index", f"""
    %p = memref.extract_aligned_pointer_as_index %A : memref<32x32xf32> -> index
    %bytes = arith.constant 2048 : index
    %z = arith.constant dense<0.0> : {_V}
    %q:2 = scf.for %i = %c0 to %n step %c1 iter_args(%at = %p, %acc = %z) -> (index, {_V}) {{
      %a = arith.index_cast %at : index to i64
      %d = xegpu.create_nd_tdesc %a, shape: [%c8, %c32], strides: [%c32, %c1] : i64 -> {_T}
      %x = xegpu.load_nd %d[%c0, %c16] : {_T} -> {_V}
      %s = arith.addf %acc, %x : {_V}
      %on = arith.addi %at, %bytes : index
      scf.yield %on, %s : index, {_V}
    }}
    %a = arith.index_cast %q#0 : index to i64
    %back = arith.constant -1024 : i64
    %b = arith.addi %a, %back : i64
    %d = xegpu.create_nd_tdesc %b, shape: [%c8, %c32], strides: [%c32, %c1] : i64 -> {_T}
    %x = xegpu.load_nd %d[%c0, %c0] : {_T} -> {_V}
    %y = arith.addf %q#1, %x : {_V}
{store("y", "R", "8x16xf32", "8x16xf32")}"""),
    lambda g: {"R": g["A"][:8, 16:] + g["A"][16:24, 16:] + g["A"][24:, :16]}, scalars={"n": 2})  # fmt: skip
CONTROL["an address of 64 bits that a branch chooses"] = User(kernel("%A: memref<32x32xf32>, %R: memref<8x16xf32>, %p: i1", f"""
    %i = memref.extract_aligned_pointer_as_index %A : memref<32x32xf32> -> index
    %a = arith.index_cast %i : index to i64
    %b = scf.if %p -> (i64) {{
      %bytes = arith.constant 1024 : i64
      %on = arith.addi %a, %bytes : i64
      scf.yield %on : i64
    }} else {{
      scf.yield %a : i64
    }}
    %d = xegpu.create_nd_tdesc %b, shape: [%c16, %c32], strides: [%c32, %c1] : i64 -> {_T}
    %x = xegpu.load_nd %d[%c8, %c16] : {_T} -> {_V}
{store("x", "R", "8x16xf32", "8x16xf32")}"""), lambda g: {"R": g["A"][16:24, 16:]}, scalars={"p": 1})  # fmt: skip

# Loops.

CONTROL["a loop down to nothing, and one of no iteration"] = User(kernel("%A: memref<32x16xf32>, %R: memref<8x16xf32>, %n: i32", f"""
    %t = xegpu.create_nd_tdesc %A : memref<32x16xf32> -> {_T}
    %z = arith.constant dense<0.0> : {_V}
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %r:2 = scf.while (%k = %n, %acc = %z) : (i32, {_V}) -> (i32, {_V}) {{
      %go = arith.cmpi sgt, %k, %zero : i32
      scf.condition(%go) %k, %acc : i32, {_V}
    }} do {{
    ^bb0(%k: i32, %acc: {_V}):
      %j = arith.subi %k, %one : i32
      %i = arith.index_cast %j : i32 to index
      %row = arith.muli %i, %c8 : index
      %x = xegpu.load_nd %t[%row, %c0] : {_T} -> {_V}
      %s = arith.subf %x, %acc : {_V}
      scf.yield %j, %s : i32, {_V}
    }}
    %e = scf.for %k = %c4 to %c4 step %c1 iter_args(%acc = %r#1) -> ({_V}) {{
      %s = arith.addf %acc, %acc : {_V}
      scf.yield %s : {_V}
    }}
{store("e", "R", "8x16xf32", "8x16xf32")}"""),
    lambda g: {"R": g["A"][:8] - (g["A"][8:16] - g["A"][16:24])}, scalars={"n": 3})  # fmt: skip
CONTROL["values of a switch, of a subgroup"] = User(kernel("%A: memref<8x16xf32>, %R: memref<3x8x16xf32>", f"""
    %b = gpu.block_id x
{load("x", "A", "8x16xf32", "8x16xf32")}
    %y, %k = scf.index_switch %b -> {_V}, index
    case 0 {{
      %n = arith.negf %x : {_V}
      scf.yield %n, %c2 : {_V}, index
    }}
    case 2 {{
      %n = arith.addf %x, %x : {_V}
      scf.yield %n, %c0 : {_V}, index
    }}
    default {{
      scf.yield %x, %c1 : {_V}, index
    }}
    %part = memref.subview %R[%k, 0, 0] [1, 8, 16] [1, 1, 1] : memref<3x8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
    %r = xegpu.create_nd_tdesc %part : memref<8x16xf32, strided<[16, 1], offset: ?>> -> {_T}
    xegpu.store_nd %y, %r[%c0, %c0] : {_V}, {_T}"""),
    lambda g: {"R": np.stack([2 * g["A"], g["A"], -g["A"]])}, (3,))  # fmt: skip
CONTROL["offsets by affine maps"] = User(kernel("%A: memref<32x64xf32>, %R: memref<8x16xf32>, %n: index", f"""
    %i = affine.apply affine_map<(d0)[s0] -> (d0 * 8 + s0 floordiv 4)>(%c1)[%n]
    %j = affine.apply affine_map<()[s0] -> ((s0 mod 5) * 16)>()[%n]
    %t = xegpu.create_nd_tdesc %A : memref<32x64xf32> -> {_T}
    %x = xegpu.load_nd %t[%i, %j] : {_T} -> {_V}
{store("x", "R", "8x16xf32", "8x16xf32")}"""), lambda g: {"R": g["A"][12:20, 16:32]}, scalars={"n": 16})  # fmt: skip
CONTROL["two loops in each other, of a workgroup, with masks"] = User(kernel("%A: memref<32x64xf32>, %R: memref<16x32xf32>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<32x64xf32> -> {_W}
    %z = arith.constant {{layout_result_0 = #l}} dense<0.0> : vector<16x32xf32>
    %r = scf.for %i = %c0 to %c32 step %c16 iter_args(%a = %z) -> (vector<16x32xf32>) {{
      %s = scf.for %j = %c0 to %c64 step %c32 iter_args(%b = %a) -> (vector<16x32xf32>) {{
        %x = xegpu.load_nd %t[%i, %j] : {_W} -> vector<16x32xf32>
        %m = arith.cmpf ogt, %x, %b : vector<16x32xf32>
        %n = arith.select %m, %x, %b : vector<16x32xi1>, vector<16x32xf32>
        scf.yield %n : vector<16x32xf32>
      }}
      scf.yield %s : vector<16x32xf32>
    }}
{store("r", "R", "16x32xf32", "16x32xf32", more="#l")}""", aliases="#l = #xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>"),
    lambda g: {"R": np.maximum(0, g["A"].reshape(2, 16, 2, 32).max((0, 2)))})  # fmt: skip

# Functions.

_CALLED = f"""gpu.module @m {{
  func.func private @scaled(%x: {_V}, %t: {_T}, %i: index) -> ({_V}, index) {{
    %y = xegpu.load_nd %t[%i, %i] : {_T} -> {_V}
    %s = arith.mulf %x, %y : {_V}
    %c8 = arith.constant 8 : index
    %n = arith.addi %i, %c8 : index
    return %s, %n : {_V}, index
  }}
  func.func private @twice(%x: {_V}, %t: {_T}, %i: index) -> ({_V}, index) {{
    %a, %j = func.call @scaled(%x, %t, %i) : ({_V}, {_T}, index) -> ({_V}, index)
    %b, %k = func.call @scaled(%a, %t, %j) : ({_V}, {_T}, index) -> ({_V}, index)
    return %b, %k : {_V}, index
  }}
  gpu.func @k(%A: memref<32x32xf32>, %R: memref<8x16xf32>) kernel {{
    %c0 = arith.constant 0 : index
    %one = arith.constant dense<1.0> : {_V}
    %t = xegpu.create_nd_tdesc %A : memref<32x32xf32> -> {_T}
    %y, %i = func.call @twice(%one, %t, %c0) : ({_V}, {_T}, index) -> ({_V}, index)
    %z, %j = func.call @scaled(%y, %t, %i) : ({_V}, {_T}, index) -> ({_V}, index)
    %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {_T}
    xegpu.store_nd %z, %r[%c0, %c0] : {_V}, {_T}
    gpu.return
  }}
}}
"""
CONTROL["functions that call each other"] = User(
    _CALLED, lambda g: {"R": g["A"][:8, :16] * g["A"][8:16, 8:24] * g["A"][16:24, 16:]}
)

# Lanes.


def lanes(body: str, meaning, element: str = "i32", more: str = "") -> User:
    """`%y` of `%x`, an element of each lane."""
    text = kernel(f"%A: memref<16x{element}>, %R: memref<16x{element}>{more}", f"""
    %lane = gpu.lane_id
    %yes = arith.constant true
    %x = xegpu.load %A[%lane], %yes : memref<16x{element}>, index, i1 -> {element}
{body}
    xegpu.store %y, %R[%lane], %yes : {element}, memref<16x{element}>, index, i1""")  # fmt: skip
    return User(text, lambda g: {"R": meaning(g["A"])})


for _mode, _by, _from in (
    ("xor", 5, [n ^ 5 for n in range(16)]),
    ("idx", 3, [3] * 16),
    ("up", 2, [max(n - 2, 0) if n >= 2 else n for n in range(16)]),
    ("down", 4, [n + 4 if n + 4 < 16 else n for n in range(16)]),
):
    CONTROL[f"lanes: shuffle {_mode}"] = lanes(f"""
    %by = arith.constant {_by} : i32
    %w = arith.constant 16 : i32
    %v, %ok = gpu.shuffle {_mode} %x, %by, %w : i32
    %y = arith.select %ok, %v, %x : i32""", lambda a, f=_from: a[f])  # fmt: skip
for _kind, _of in (
    ("add", np.sum),
    ("maxsi", np.max),
    ("minsi", np.min),
    ("xor", np.bitwise_xor.reduce),
    ("and", np.bitwise_and.reduce),
):
    CONTROL[f"lanes: {_kind} of all"] = lanes(f"""
    %y = gpu.subgroup_reduce {_kind} %x uniform : (i32) -> i32""", lambda a, of=_of: np.repeat(of(a), 16))  # fmt: skip
CONTROL["lanes: sums of four at a time"] = lanes("""
    %y = gpu.subgroup_reduce add %x cluster(size = 4) : (i32) -> i32""", lambda a: np.repeat(a.reshape(4, 4).sum(1), 4))  # fmt: skip
CONTROL["lanes: a loop of each lane's own length"] = lanes("""
    %z = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %y = scf.for %k = %c0 to %lane step %c1 iter_args(%acc = %z) -> (i32) {
      %odd = arith.index_cast %k : index to i32
      %p = arith.muli %odd, %x : i32
      %s = arith.addi %acc, %p : i32
      scf.yield %s : i32
    }""", lambda a: a * np.array([sum(range(n)) for n in range(16)], np.int32))  # fmt: skip
CONTROL["lanes: collatz by a while loop"] = lanes("""
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %seven = arith.constant 7 : i32
    %m = math.absi %x : i32
    %s = arith.addi %m, %seven : i32
    %zero = arith.constant 0 : i32
    %r:2 = scf.while (%v = %s, %n = %zero) : (i32, i32) -> (i32, i32) {
      %go = arith.cmpi ne, %v, %one : i32
      scf.condition(%go) %v, %n : i32, i32
    } do {
    ^bb0(%v: i32, %n: i32):
      %bit = arith.andi %v, %one : i32
      %is = arith.cmpi eq, %bit, %one : i32
      %w = scf.if %is -> (i32) {
        %t = arith.muli %v, %two : i32
        %u = arith.addi %t, %v : i32
        %q = arith.addi %u, %one : i32
        scf.yield %q : i32
      } else {
        %h = arith.shrui %v, %one : i32
        scf.yield %h : i32
      }
      %c = arith.addi %n, %one : i32
      scf.yield %w, %c : i32, i32
    }
    %y = arith.addi %r#1, %zero : i32""", lambda a: np.array([_steps(abs(int(n)) + 7) for n in a], np.int32))  # fmt: skip


def _steps(n: int) -> int:
    count = 0
    while n != 1:
        n, count = (3 * n + 1 if n % 2 else n // 2), count + 1
    return count


# Subgroups that wait for each other.

CONTROL["named barriers of producers and a consumer"] = User(kernel("%A: memref<32x16xf32>, %R: memref<8x16xf32>", f"""
    xegpu.alloc_nbarrier 2
    %id = gpu.subgroup_id : index
    %number = arith.constant 1 : i8
    %four = arith.constant 4 : i8
    %n = xegpu.init_nbarrier %number, %four : i8, i8 -> !xegpu.nbarrier
    %row = arith.muli %id, %c8 : index
    %t = xegpu.create_nd_tdesc %A : memref<32x16xf32> -> {_T}
    %v = xegpu.load_nd %t[%row, %c0] : {_T} -> {_V}
    %slm = memref.alloca() : memref<2048xi8, 3>
    %m = xegpu.create_mem_desc %slm : memref<2048xi8, 3> -> !xegpu.mem_desc<32x16xf32>
    xegpu.store_matrix %v, %m[%row, %c0] : {_V}, !xegpu.mem_desc<32x16xf32>, index, index
    xegpu.fence memory_kind = slm, fence_scope = workgroup
    xegpu.nbarrier_arrive %n : !xegpu.nbarrier
    %last = arith.cmpi eq, %id, %c2 : index
    xegpu.nbarrier_wait %n : !xegpu.nbarrier
    scf.if %last {{
      %z = arith.constant dense<0.0> : {_V}
      %c32 = arith.constant 32 : index
      %s = scf.for %k = %c0 to %c32 step %c8 iter_args(%acc = %z) -> ({_V}) {{
        %w = xegpu.load_matrix %m[%k, %c0] : !xegpu.mem_desc<32x16xf32>, index, index -> {_V}
        %d = arith.addf %acc, %acc : {_V}
        %e = arith.addf %d, %w : {_V}
        scf.yield %e : {_V}
      }}
      %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {_T}
      xegpu.store_nd %s, %r[%c0, %c0] : {_V}, {_T}
    }}""".replace("      %c32 = arith.constant 32 : index\n", ""), "attributes {known_block_size = array<i32: 64, 1, 1>}"),
    lambda g: {"R": 8 * g["A"][:8] + 4 * g["A"][8:16] + 2 * g["A"][16:24] + g["A"][24:]})  # fmt: skip
