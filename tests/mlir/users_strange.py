"""Modules of what is rarely written: signs in types, orders that change nothing, handles that are selected and swapped, bits of numbers."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import User, desc, kernel, load, store
from tests.mlir.users_workgroup_ops import lay, one

STRANGE: dict[str, User] = {}
_T, _V = desc("8x16xf32"), "vector<8x16xf32>"

for _e in ("si32", "ui32", "ui16", "si8", "ui8", "si64", "ui64", "i1"):
    _block = f"8x16x{_e}"
    STRANGE[f"a block of {_e}"] = User(
        kernel(
            f"%A: memref<{_block}>, %R: memref<{_block}>", f"{load('x', 'A', _block, _block)}\n{store('x', 'R', _block, _block)}"
        ),
        lambda g: {"R": g["A"]},
    )
for _a, _b in (("si8", "si8"), ("ui8", "ui8")):
    STRANGE[f"a product of {_a} and {_b}"] = User(kernel(f"%A: memref<8x32x{_a}>, %B: memref<32x16x{_b}>, %R: memref<8x16xi32>", f"""
{load("a", "A", f"8x32x{_a}", f"8x32x{_a}")}
{load("b", "B", f"32x16x{_b}", f"32x16x{_b}", props="<{packed}>", gives=f"8x16x4x{_b}")}
    %y = xegpu.dpas %a, %b : vector<8x32x{_a}>, vector<8x16x4x{_b}> -> vector<8x16xi32>
{store("y", "R", "8x16xi32", "8x16xi32")}"""), lambda g: {"R": g["A"].astype(int) @ g["B"].astype(int)})  # fmt: skip
STRANGE["an order of dimensions that changes nothing"] = User(kernel("%A: memref<8x16xf32>, %R: memref<8x16xf32>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> {_T}
    %x = xegpu.load_nd %t[0, 0] <{{transpose = array<i64: 0, 1>}}> : {_T} -> {_V}
{store("x", "R", "8x16xf32", "8x16xf32")}"""), lambda g: {"R": g["A"]})  # fmt: skip
STRANGE["an order that changes nothing, of lanes"] = User(kernel("%A: memref<8x16xf32>, %R: memref<8x16xf32>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> {_T}
    %x = xegpu.load_nd %t[0, 0] <{{transpose = array<i64: 0, 1>}}> : {_T} -> vector<8xf32>
    %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {_T}
    xegpu.store_nd %x, %r[0, 0] : vector<8xf32>, {_T}"""), lambda g: {"R": g["A"]})  # fmt: skip
_L = desc("16x32xf32", "#l")
STRANGE["a descriptor of a workgroup that is selected"] = User(
    kernel("%A: memref<16x32xf32>, %B: memref<16x32xf32>, %R: memref<16x32xf32>, %n: index", f"""
    %ta = xegpu.create_nd_tdesc %A : memref<16x32xf32> -> {_L}
    %tb = xegpu.create_nd_tdesc %B : memref<16x32xf32> -> {_L}
    %c = arith.cmpi sgt, %n, %c4 : index
    %t = arith.select %c, %ta, %tb : {_L}
    %y = xegpu.load_nd %t[0, 0] : {_L} -> vector<16x32xf32>
{store("y", "R", "16x32xf32", "16x32xf32", more="#l")}""", aliases=f"#l = {lay('[2, 2]', '[8, 16]')}"),
    lambda g: {"R": g["B"]}, scalars={"n": 3})  # fmt: skip
_BARRIERS = """
    xegpu.alloc_nbarrier 2
    %i0 = arith.constant 0 : i8
    %i1 = arith.constant 1 : i8
    %k = arith.constant 1 : i8
    %b0 = xegpu.init_nbarrier %i0, %k : i8, i8 -> !xegpu.nbarrier
    %b1 = xegpu.init_nbarrier %i1, %k : i8, i8 -> !xegpu.nbarrier"""
STRANGE["a matrix and a barrier that are selected"] = User(
    kernel("%A: memref<8x16xf32>, %R: memref<8x16xf32>, %n: index", f"""{_BARRIERS}
    %s = memref.alloca() : memref<512xi8, 3>
    %m0 = xegpu.create_mem_desc %s : memref<512xi8, 3> -> !xegpu.mem_desc<8x16xf32>
    %s1 = memref.alloca() : memref<512xi8, 3>
    %m1 = xegpu.create_mem_desc %s1 : memref<512xi8, 3> -> !xegpu.mem_desc<8x16xf32>
{load("x", "A", "8x16xf32", "8x16xf32")}
    %c = arith.cmpi eq, %n, %c4 : index
    %m = arith.select %c, %m0, %m1 : !xegpu.mem_desc<8x16xf32>
    %b = arith.select %c, %b1, %b0 : !xegpu.nbarrier
    xegpu.store_matrix %x, %m[0, 0] : {_V}, !xegpu.mem_desc<8x16xf32>
    xegpu.fence memory_kind = slm, fence_scope = workgroup
    xegpu.nbarrier_arrive %b : !xegpu.nbarrier
    xegpu.nbarrier_wait %b : !xegpu.nbarrier
    %y = xegpu.load_matrix %m1[0, 0] : !xegpu.mem_desc<8x16xf32> -> {_V}
{store("y", "R", "8x16xf32", "8x16xf32")}"""), lambda g: {"R": g["A"]}, scalars={"n": 3})  # fmt: skip
STRANGE["barriers that a loop swaps"] = User(kernel("%A: memref<8x16xf32>, %R: memref<8x16xf32>", f"""{_BARRIERS}
{load("x", "A", "8x16xf32", "8x16xf32")}
    %r:2 = scf.for %j = %c0 to %c4 step %c1 iter_args(%p = %b0, %q = %b1) -> (!xegpu.nbarrier, !xegpu.nbarrier) {{
      xegpu.nbarrier_arrive %p : !xegpu.nbarrier
      xegpu.nbarrier_wait %p : !xegpu.nbarrier
      scf.yield %q, %p : !xegpu.nbarrier, !xegpu.nbarrier
    }}
{store("x", "R", "8x16xf32", "8x16xf32")}"""), lambda g: {"R": g["A"]})  # fmt: skip


def _counts(a, bits):
    """Ones, zeros below the lowest of them and above the highest."""
    words = [[int(v) & ((1 << bits) - 1) for v in row] for row in a]
    return np.array([
        [v.bit_count() + (bits if v == 0 else (v & -v).bit_length() - 1) + bits - v.bit_length() for v in row] for row in words
    ])  # fmt: skip


for _e in ("i32", "i8", "i64"):
    _v = f"vector<16x32x{_e}>"
    STRANGE[f"ones and zeros of {_e}"] = one(f"""
    %p = math.ctpop %x : {_v}
    %q = math.cttz %x : {_v}
    %z = math.ctlz %x : {_v}
    %s = arith.addi %p, %q : {_v}
    %y = arith.addi %s, %z {{layout_result_0 = #l}} : {_v}""", lambda a, bits=int(_e[1:]): _counts(a, bits), e=_e)  # fmt: skip


_V32 = "vector<16x32xf32>"
STRANGE["signs and kinds of floats"] = one(f"""
    %z = arith.constant {{layout_result_0 = #l}} dense<0.0> : {_V32}
    %two = arith.constant {{layout_result_0 = #l}} dense<2.0> : {_V32}
    %q = arith.divf %x, %z : {_V32}
    %nan = math.isnan %q : {_V32}
    %inf = math.isinf %q : {_V32}
    %fin = math.isfinite %q : {_V32}
    %c = math.copysign %two, %x : {_V32}
    %a = arith.select %nan, %z, %c : vector<16x32xi1>, {_V32}
    %b = arith.select %inf, %a, %two : vector<16x32xi1>, {_V32}
    %y = arith.select %fin, %x, %b : vector<16x32xi1>, {_V32}""", lambda a: np.where(a == 0, 2, np.where(a < 0, -2, 2)))  # fmt: skip
STRANGE["a region that runs once"] = one(f"""
    %e = scf.execute_region -> {_V32} {{
      %q = arith.addf %x, %x : {_V32}
      scf.yield %q : {_V32}
    }}
    %y = arith.mulf %e, %x {{layout_result_0 = #l}} : {_V32}""", lambda a: 2 * a * a)  # fmt: skip
STRANGE["a product of bytes in short rows, of lanes"] = User(kernel("%A: memref<8x32xi8>, %B: memref<32x16xi8>, %R: memref<8x16xi32>", f"""
    %ta = xegpu.create_nd_tdesc %A : memref<8x32xi8> -> {desc("8x32xi8")}
    %tb = xegpu.create_nd_tdesc %B : memref<32x16xi8> -> {desc("32x16xi8")}
    %a = xegpu.load_nd %ta[0, 0] : {desc("8x32xi8")} -> vector<16xi8>
    %b = xegpu.load_nd %tb[0, 0] <{{packed}}> : {desc("32x16xi8")} -> vector<32xi8>
    %s = xegpu.dpas %a, %b : vector<16xi8>, vector<32xi8> -> vector<8xi32>
    %r = xegpu.create_nd_tdesc %R : memref<8x16xi32> -> {desc("8x16xi32")}
    xegpu.store_nd %s, %r[0, 0] : vector<8xi32>, {desc("8x16xi32")}"""),
    lambda g: {"R": g["A"].astype(int) @ g["B"].astype(int)})  # fmt: skip
STRANGE["attributes of others on a function"] = User("""
gpu.module @m attributes {some.thing = 1 : i32} {
  gpu.func @k(%A: memref<8x16xf32> {llvm.noalias}, %R: memref<8x16xf32>) workgroup(%w: memref<512xi8, 3>) kernel attributes {foo.bar} {
    %m = xegpu.create_mem_desc %w : memref<512xi8, 3> -> !xegpu.mem_desc<8x16xf32>
    %t = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    %x = xegpu.load_nd %t[0, 0] {some.note = "x"} : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    xegpu.store_matrix %x, %m[0, 0] : vector<8x16xf32>, !xegpu.mem_desc<8x16xf32>
    gpu.barrier
    %y = xegpu.load_matrix %m[0, 0] : !xegpu.mem_desc<8x16xf32> -> vector<8x16xf32>
    %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %y, %r[0, 0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
""", lambda g: {"R": g["A"]})  # fmt: skip
STRANGE["a memref of dynamic offset"] = User(
    kernel(
        "%A: memref<64x64xf16>, %R: memref<16x16xf16>, %i: index, %j: index",
        f"""
    %s = memref.subview %A[%i, %j] [%c32, %c32] [1, 1] : memref<64x64xf16> to memref<?x?xf16, strided<[64, 1], offset: ?>>
    %d = memref.dim %s, %c1 : memref<?x?xf16, strided<[64, 1], offset: ?>>
    %h = memref.dim %s, %c0 : memref<?x?xf16, strided<[64, 1], offset: ?>>
    %t = xegpu.create_nd_tdesc %s, shape: [%h, %d], strides: [64, 1] : memref<?x?xf16, strided<[64, 1], offset: ?>> -> {desc("16x16xf16")}
    %x = xegpu.load_nd %t[%c16, %c16] : {desc("16x16xf16")} -> vector<16x16xf16>
{store("x", "R", "16x16xf16", "16x16xf16")}""",
    ),
    lambda g: {"R": g["A"][24:40, 20:36]},
    scalars={"i": 8, "j": 4},
)
STRANGE["a subview by every third row, dynamic"] = User(
    kernel(
        "%A: memref<64x64xf32>, %R: memref<8x16xf32>, %s: index",
        f"""
    %v = memref.subview %A[1, 0] [16, 64] [%s, 1] : memref<64x64xf32> to memref<16x64xf32, strided<[?, 1], offset: 64>>
    %b, %o, %z:2, %st:2 = memref.extract_strided_metadata %v : memref<16x64xf32, strided<[?, 1], offset: 64>> -> memref<f32>, index, index, index, index, index
    %t = xegpu.create_nd_tdesc %v, shape: [16, 64], strides: [%st#0, 1] : memref<16x64xf32, strided<[?, 1], offset: 64>> -> {_T}
    %x = xegpu.load_nd %t[4, 16] : {_T} -> {_V}
{store("x", "R", "8x16xf32", "8x16xf32")}""",
    ),
    lambda g: {"R": g["A"][1::3][4:12, 16:32]},
    scalars={"s": 3},
)

STRANGE["a part of a size of a run, loaded by what it says itself"] = User(
    kernel(
        "%A: memref<64x64xf32>, %R: memref<8x16xf32>, %h: index, %w: index",
        f"""
    %s = memref.subview %A[8, 4] [%h, %w] [2, 1] : memref<64x64xf32> to memref<?x?xf32, strided<[128, 1], offset: 516>>
    %q = memref.subview %s[%c1, 0] [4, %c16] [%c2, 1] : memref<?x?xf32, strided<[128, 1], offset: 516>> to memref<4x?xf32, strided<[?, 1], offset: ?>>
    %n = memref.dim %q, %c1 : memref<4x?xf32, strided<[?, 1], offset: ?>>
    %z = arith.subi %n, %c16 : index
    %e = memref.load %q[%c2, %z] : memref<4x?xf32, strided<[?, 1], offset: ?>>
    %t = xegpu.create_nd_tdesc %s, shape: [%h, %w], strides: [128, 1] : memref<?x?xf32, strided<[128, 1], offset: 516>> -> {_T}
    %x = xegpu.load_nd %t[0, 0] : {_T} -> {_V}
    %b = vector.broadcast %e : f32 to {_V}
    %y = arith.addf %x, %b : {_V}
{store("y", "R", "8x16xf32", "8x16xf32")}""",
    ),
    lambda g: {"R": np.pad(g["A"][8:18:2, 4:14], ((0, 3), (0, 6))) + g["A"][18, 4]},
    scalars={"h": 5, "w": 10},
)
STRANGE["lanes in a part of a stride of a run"] = User(
    kernel(
        "%A: memref<256xf32>, %R: memref<16xf32>, %s: index",
        """
    %v = memref.subview %A[7] [16] [%s] : memref<256xf32> to memref<16xf32, strided<[?], offset: 7>>
    %i = vector.step : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %x = xegpu.load %v[%i], %m : memref<16xf32, strided<[?], offset: 7>>, vector<16xindex>, vector<16xi1> -> vector<16xf32>
    xegpu.store %x, %R[%i], %m : vector<16xf32>, memref<16xf32>, vector<16xindex>, vector<16xi1>""",
    ),
    lambda g: {"R": g["A"][7::5][:16]},
    scalars={"s": 5},
)
for _level, _held in (("subgroups", "8x16"), ("lanes", "8")):
    STRANGE[f"sizes of an array of a run, {_level}"] = User(
        kernel(
            "%A: memref<32x64xf32>, %R: memref<8x16xf32>",
            f"""
    %d = memref.cast %A : memref<32x64xf32> to memref<?x?xf32>
    %h = memref.dim %d, %c0 : memref<?x?xf32>
    %w = memref.dim %d, %c1 : memref<?x?xf32>
    %y0 = arith.subi %h, %c8 : index
    %x0 = arith.subi %w, %c16 : index
    %t = xegpu.create_nd_tdesc %d, shape: [%h, %w], strides: [%w, 1] : memref<?x?xf32> -> {_T}
    %x = xegpu.load_nd %t[%y0, %x0] : {_T} -> vector<{_held}xf32>
    %r = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {_T}
    xegpu.store_nd %x, %r[0, 0] : vector<{_held}xf32>, {_T}""",
        ),
        lambda g: {"R": g["A"][24:, 48:]},
    )


def _halves(*order: str) -> str:
    """Two subgroups that exchange their halves, and arrive at two barriers and wait for them in this order."""
    met = "\n".join(
        f"    xegpu.nbarrier_{'arrive' if half[0] == 'a' else 'wait'} %b{half[1]} : !xegpu.nbarrier" for half in order
    )
    return kernel("%A: memref<16x16xf32>, %R: memref<16x16xf32>", f"""{_BARRIERS.replace("%k = arith.constant 1", "%k = arith.constant 2")}
    %sg = gpu.subgroup_id : index
    %row = arith.muli %sg, %c8 : index
    %other = arith.subi %c8, %row : index
    %s = memref.alloca() : memref<1024xi8, 3>
    %m = xegpu.create_mem_desc %s : memref<1024xi8, 3> -> !xegpu.mem_desc<16x16xf32>
    %t = xegpu.create_nd_tdesc %A : memref<16x16xf32> -> {_T}
    %x = xegpu.load_nd %t[%row, 0] : {_T} -> {_V}
    xegpu.store_matrix %x, %m[%row, 0] : {_V}, !xegpu.mem_desc<16x16xf32>, index
{met}
    %y = xegpu.load_matrix %m[%other, 0] : !xegpu.mem_desc<16x16xf32>, index -> {_V}
    %r = xegpu.create_nd_tdesc %R : memref<16x16xf32> -> {_T}
    xegpu.store_nd %y, %r[%row, 0] : {_V}, {_T}""", "attributes {known_block_size = array<i32: 32, 1, 1>}")  # fmt: skip


for _order in (("a0", "w0"), ("a0", "w0", "a1", "w1"), ("a0", "a1", "w0", "w1"), ("a0", "a1", "w1", "w0")):
    STRANGE[f"barriers: {' '.join(_order)}"] = User(
        _halves(*_order), lambda g: {"R": np.vstack([g["A"][8:], g["A"][:8]])}, spins=_order[:2] == ("a0", "a1")
    )
_S = desc("16x16xf32", "#w")
STRANGE["values of three dimensions and of two change places in a loop"] = User(
    kernel("%A: memref<16x16xf32>, %R: memref<16x16xf32>, %S: memref<16x16xf32>", f"""
{load("h", "A", "16x16xf32", "16x16xf32", more="#h")}
    %x = xegpu.convert_layout %h <{{input_layout = #h, target_layout = #w}}> : vector<16x16xf32>
    %x3 = vector.shape_cast %x : vector<16x16xf32> to vector<4x4x16xf32>
    %z = arith.constant dense<0.0> : vector<16xf32>
    %sums = vector.multi_reduction <add>, %x3, %z [0, 1] : vector<4x4x16xf32> to vector<16xf32>
    %y3 = vector.broadcast %sums : vector<16xf32> to vector<4x4x16xf32>
    %y = vector.shape_cast %y3 : vector<4x4x16xf32> to vector<16x16xf32>
    %l:2 = scf.for %k = %c0 to %c2 step %c1 iter_args(%u = %y, %w = %x) -> (vector<16x16xf32>, vector<16x16xf32>) {{
      %v = arith.addf %u, %x : vector<16x16xf32>
      scf.yield %w, %v : vector<16x16xf32>, vector<16x16xf32>
    }}
    %r = xegpu.create_nd_tdesc %R : memref<16x16xf32> -> {_S}
    xegpu.store_nd %l#0, %r[0, 0] : vector<16x16xf32>, {_S}
    %rs = xegpu.create_nd_tdesc %S : memref<16x16xf32> -> {_S}
    xegpu.store_nd %l#1, %rs[0, 0] : vector<16x16xf32>, {_S}""", aliases=f"#h = {lay('[1, 1]', '[8, 16]')}\n#w = {lay('[1, 1]', '[16, 16]')}"), lambda g: {"R": g["A"].sum(0) + g["A"], "S": 2 * g["A"]})  # fmt: skip
