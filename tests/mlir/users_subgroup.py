"""Modules of subgroups."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from tests.mlir.users import User, desc, kernel, load, store, wide

SUBGROUP: dict[str, User] = {}


def gemm(element: str, acc: str, k: int, *, packed: bool, m: int = 8, said: str = "") -> str:
    """A product with a loop over k, whose descriptors move."""
    vnni = {"f16": 2, "bf16": 2, "i8": 4, "tf32": 1}[element]
    b = f"{k // vnni}x16x{vnni}x{element}" if packed and vnni > 1 else f"{k}x16x{element}"
    props = "<{packed}>" if packed and vnni > 1 else ""
    zero = "0.0" if acc != "i32" else "0"
    a_t, b_t = desc(f"{m}x{k}x{element}"), desc(f"{k}x16x{element}")
    return kernel(f"%A: memref<32x64x{element}>, %B: memref<64x32x{element}>, %R: memref<32x32x{acc}>", f"""
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %height = arith.constant {m} : index
    %depth = arith.constant {k} : index
    %m = arith.muli %by, %height : index
    %n = arith.muli %bx, %c16 : index
    %a0 = xegpu.create_nd_tdesc %A[%m, 0] : memref<32x64x{element}> -> {a_t}
    %b0 = xegpu.create_nd_tdesc %B[0, %n] : memref<64x32x{element}> -> {b_t}
    %z = arith.constant dense<{zero}> : vector<{m}x16x{acc}>
    %r:3 = scf.for %i = %c0 to %c64 step %depth iter_args(%a = %a0, %b = %b0, %acc = %z) -> ({a_t}, {b_t}, vector<{m}x16x{acc}>) {{
      %x = xegpu.load_nd %a <{{l1_hint = #xegpu.cache_hint<cached>, l2_hint = #xegpu.cache_hint<uncached>}}> : {a_t} -> vector<{m}x{k}x{element}>
      %y = xegpu.load_nd %b {props} : {b_t} -> vector<{b}>
      %s = xegpu.dpas %x, %y, %acc : vector<{m}x{k}x{element}>, vector<{b}>, vector<{m}x16x{acc}> -> vector<{m}x16x{acc}>
      %a1 = xegpu.update_nd_offset %a, [0, {k}] : {a_t}
      %b1 = xegpu.update_nd_offset %b, [{k}, 0] : {b_t}
      xegpu.prefetch_nd %a1 : {a_t}
      scf.yield %a1, %b1, %s : {a_t}, {b_t}, vector<{m}x16x{acc}>
    }}
    %c = xegpu.create_nd_tdesc %R[%m, %n] : memref<32x32x{acc}> -> {desc(f"{m}x16x{acc}")}
    xegpu.store_nd %r#2, %c : vector<{m}x16x{acc}>, {desc(f"{m}x16x{acc}")}""", said)  # fmt: skip


for _element, _acc, _k in (("f16", "f32", 16), ("bf16", "f32", 16), ("i8", "i32", 32), ("tf32", "f32", 8)):
    for _packed in (True, False) if _element != "tf32" else (False,):
        SUBGROUP[f"gemm of {_element}{' packed' if _packed else ''}"] = User(
            gemm(_element, _acc, _k, packed=_packed), lambda g: {"R": wide(g["A"]) @ wide(g["B"])}, (2, 4)
        )
SUBGROUP["gemm of 16 rows"] = User(
    gemm("f16", "f32", 32, packed=False, m=16), lambda g: {"R": wide(g["A"]) @ wide(g["B"])}, (2, 2)
)
SUBGROUP["gemm of 32 rows, packed"] = User(
    gemm("bf16", "f32", 32, packed=True, m=32), lambda g: {"R": wide(g["A"]) @ wide(g["B"])}, (2, 1)
)

_T = desc("8x16xf32")
for _e in ("f16", "bf16", "i8", "f32"):
    SUBGROUP[f"two blocks of {_e} by one message"] = User(kernel(f"%A: memref<16x64x{_e}>, %R: memref<16x64x{_e}>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<16x64x{_e}> -> {desc(f"8x16x{_e}", "#xegpu.block_tdesc_attr<array_length = 2 : i64>")}
    %v = xegpu.load_nd %t[8, 16] : {desc(f"8x16x{_e}", "#xegpu.block_tdesc_attr<array_length = 2 : i64>")} -> vector<2x8x16x{_e}>
    %x = vector.extract %v[1] : vector<8x16x{_e}> from vector<2x8x16x{_e}>
    %y = vector.extract %v[0] : vector<8x16x{_e}> from vector<2x8x16x{_e}>
    %r = xegpu.create_nd_tdesc %R : memref<16x64x{_e}> -> {desc(f"8x16x{_e}")}
    xegpu.store_nd %x, %r[0, 0] : vector<8x16x{_e}>, {desc(f"8x16x{_e}")}
    xegpu.store_nd %y, %r[0, 16] : vector<8x16x{_e}>, {desc(f"8x16x{_e}")}"""),
        lambda g: {"R": _placed(g["R"], (0, 0), np.hstack([g["A"][8:, 32:48], g["A"][8:, 16:32]]))})  # fmt: skip


def _placed(whole, at, part):
    made = whole.copy()
    made[at[0] : at[0] + part.shape[0], at[1] : at[1] + part.shape[1]] = part
    return made


SUBGROUP["softmax of rows"] = User(kernel("%A: memref<16x32xf32>, %R: memref<16x32xf32>", load("x", "A", "16x32xf32", "16x32xf32") + """
    %low = arith.constant dense<0xFF800000> : vector<16xf32>
    %zero = arith.constant dense<0.0> : vector<16xf32>
    %m = vector.multi_reduction <maximumf>, %x, %low [1] : vector<16x32xf32> to vector<16xf32>
    %mc = vector.shape_cast %m : vector<16xf32> to vector<16x1xf32>
    %mb = vector.broadcast %mc : vector<16x1xf32> to vector<16x32xf32>
    %d = arith.subf %x, %mb : vector<16x32xf32>
    %e = math.exp %d fastmath<fast> : vector<16x32xf32>
    %s = vector.multi_reduction <add>, %e, %zero [1] : vector<16x32xf32> to vector<16xf32>
    %sc = vector.shape_cast %s : vector<16xf32> to vector<16x1xf32>
    %sb = vector.broadcast %sc : vector<16x1xf32> to vector<16x32xf32>
    %q = arith.divf %e, %sb : vector<16x32xf32>
""" + store("q", "R", "16x32xf32", "16x32xf32")), lambda g: {"R": _softmax(g["A"])}, near=1e-5)  # fmt: skip


def _softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


SUBGROUP["sums of columns and rows"] = User(kernel("%A: memref<16x16xf16>, %R: memref<16xf16>, %R2: memref<16xf16>",
    load("x", "A", "16x16xf16", "16x16xf16") + """
    %z = arith.constant dense<0.0> : vector<16xf16>
    %c = vector.multi_reduction <add>, %x, %z [0] : vector<16x16xf16> to vector<16xf16>
    %r = vector.multi_reduction <add>, %x, %c [1] : vector<16x16xf16> to vector<16xf16>
""" + store("c", "R", "16xf16", "16xf16", "0") + "\n" + store("r", "R2", "16xf16", "16xf16", "0")),
    lambda g: {"R": g["A"].sum(axis=0), "R2": g["A"].sum(axis=1) + g["A"].sum(axis=0)})  # fmt: skip

SUBGROUP["transposed loads"] = User(kernel("%A: memref<32x32xf32>, %B: memref<32x32xf16>, %R: memref<8x16xf32>, %R2: memref<16x16xf16>",
    load("x", "A", "32x32xf32", "16x8xf32", "4, 8", "", "<{transpose = array<i64: 1, 0>}>", "8x16xf32") + "\n" +
    load("y", "B", "32x32xf16", "16x16xf16", "8, 16") + """
    %t = vector.transpose %y, [1, 0] : vector<16x16xf16> to vector<16x16xf16>
""" + store("x", "R", "8x16xf32", "8x16xf32") + "\n" + store("t", "R2", "16x16xf16", "16x16xf16")),
    lambda g: {"R": g["A"][4:20, 8:16].T, "R2": g["B"][8:24, 16:].T})  # fmt: skip

SUBGROUP["a product with B transposed in memory"] = User(kernel(
    "%A: memref<8x32xf16>, %B: memref<16x32xf16>, %R: memref<8x16xf32>",
    load("a", "A", "8x32xf16", "8x32xf16") + "\n" + load("b", "B", "16x32xf16", "16x32xf16") + """
    %bt = vector.transpose %b, [1, 0] : vector<16x32xf16> to vector<32x16xf16>
    %c = xegpu.dpas %a, %bt : vector<8x32xf16>, vector<32x16xf16> -> vector<8x16xf32>
""" + store("c", "R", "8x16xf32", "8x16xf32")), lambda g: {"R": wide(g["A"]) @ wide(g["B"]).T})  # fmt: skip

SUBGROUP["work before and after a product"] = User(kernel(
    "%A: memref<8x16xf16>, %B: memref<16x16xf16>, %D: memref<16xf32>, %R: memref<8x16xf16>",
    load("a", "A", "8x16xf16", "8x16xf16") + "\n" + load("b", "B", "16x16xf16", "16x16xf16") + "\n" +
    load("bias", "D", "16xf32", "16xf32", "0") + """
    %two = arith.constant dense<2.0> : vector<16x16xf16>
    %b2 = arith.mulf %b, %two : vector<16x16xf16>
    %bb = vector.broadcast %bias : vector<16xf32> to vector<8x16xf32>
    %c = xegpu.dpas %a, %b2, %bb : vector<8x16xf16>, vector<16x16xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %zero = arith.constant dense<0.0> : vector<8x16xf32>
    %pos = arith.cmpf ogt, %c, %zero : vector<8x16xf32>
    %relu = arith.select %pos, %c, %zero : vector<8x16xi1>, vector<8x16xf32>
    %h = arith.truncf %relu : vector<8x16xf32> to vector<8x16xf16>
""" + store("h", "R", "8x16xf16", "8x16xf16")),
    lambda g: {"R": np.maximum(wide(g["A"]) @ (2 * wide(g["B"])) + g["D"], 0)})  # fmt: skip

_SC = desc("16xf32", "#xegpu.scatter_tdesc_attr<>")
SUBGROUP["scattered descriptors moved by a loop"] = User(kernel("%A: memref<256xf32>, %R: memref<16xf32>", f"""
    %o = arith.constant dense<[0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45]> : vector<16xindex>
    %by = arith.constant dense<32> : vector<16xindex>
    %all = arith.constant dense<true> : vector<16xi1>
    %z = arith.constant dense<0.0> : vector<16xf32>
    %d0 = xegpu.create_tdesc %A, %o : memref<256xf32>, vector<16xindex> -> {_SC}
    %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%d = %d0, %acc = %z) -> ({_SC}, vector<16xf32>) {{
      %v = xegpu.load %d, %all : {_SC}, vector<16xi1> -> vector<16xf32>
      %s = arith.addf %acc, %v : vector<16xf32>
      %d1 = xegpu.update_offset %d, %by : {_SC}, vector<16xindex>
      xegpu.prefetch %d1 : {_SC}
      scf.yield %d1, %s : {_SC}, vector<16xf32>
    }}
    xegpu.store %r#1, %R[%o0], %all : vector<16xf32>, memref<16xf32>, vector<16xindex>, vector<16xi1>""".replace(
    "%all = arith", "%o0 = vector.step : vector<16xindex>\n    %all = arith", 1)),
    lambda g: {"R": sum(g["A"][32 * i : 32 * i + 46 : 3] for i in range(4))})  # fmt: skip

for _chunk in (2, 4, 8):
    _ck = desc(f"16x{_chunk}xf32", f"#xegpu.scatter_tdesc_attr<chunk_size = {_chunk} : i64>")
    SUBGROUP[f"chunks of {_chunk} behind a mask"] = User(kernel("%A: memref<512xf32>, %R: memref<512xf32>, %n: index", f"""
    %i = vector.step : vector<16xindex>
    %far = arith.constant dense<{2 * _chunk}> : vector<16xindex>
    %o = arith.muli %i, %far : vector<16xindex>
    %m = vector.create_mask %n : vector<16xi1>
    %d = xegpu.create_tdesc %A, %o : memref<512xf32>, vector<16xindex> -> {_ck}
    %v = xegpu.load %d, %m : {_ck}, vector<16xi1> -> vector<16x{_chunk}xf32>
    %w = arith.negf %v : vector<16x{_chunk}xf32>
    xegpu.store %w, %R[%o], %m <{{chunk_size = {_chunk} : i64}}> : vector<16x{_chunk}xf32>, memref<512xf32>, vector<16xindex>, vector<16xi1>"""),
        lambda g, c=_chunk: {"R": _chunked(g, c, 11)}, scalars={"n": 11})  # fmt: skip


def _chunked(g, chunk, n):
    made = g["R"].copy()
    for i in range(n):
        made[2 * i * chunk : (2 * i + 1) * chunk] = -g["A"][2 * i * chunk : (2 * i + 1) * chunk]
    return made


SUBGROUP["histogram by atomics"] = User(kernel("%A: memref<64xi32>, %R: memref<8xi32>", f"""
    %i = vector.step : vector<16xindex>
    %all = arith.constant dense<true> : vector<16xi1>
    %one = arith.constant dense<1> : vector<16xi32>
    %four = arith.constant dense<4> : vector<16xindex>
    scf.for %k = %c0 to %c64 step %c16 {{
      %kb = vector.broadcast %k : index to vector<16xindex>
      %o = arith.addi %i, %kb : vector<16xindex>
      %v = xegpu.load %A[%o], %all : memref<64xi32>, vector<16xindex>, vector<16xi1> -> vector<16xi32>
      %w = arith.index_cast %v : vector<16xi32> to vector<16xindex>
      %bin = arith.addi %w, %four : vector<16xindex>
      %d = xegpu.create_tdesc %R, %bin : memref<8xi32>, vector<16xindex> -> {desc("16xi32", "#xegpu.scatter_tdesc_attr<>")}
      %old = xegpu.atomic_rmw addi %d, %all, %one : {desc("16xi32", "#xegpu.scatter_tdesc_attr<>")}, vector<16xi1>, vector<16xi32> -> vector<16xi32>
    }}"""), lambda g: {"R": g["R"] + np.bincount(g["A"] + 4, minlength=8)})  # fmt: skip

SUBGROUP["edges of an array"] = User(kernel("%A: memref<13x37xf32>, %R: memref<13x37xf32>", """
    scf.for %i = %c0 to %c16 step %c8 {
      scf.for %j = %c0 to %c48 step %c16 {
        %t = xegpu.create_nd_tdesc %A[%i, %j] : memref<13x37xf32> -> !xegpu.tensor_desc<8x16xf32>
        %v = xegpu.load_nd %t : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
        %w = math.absf %v : vector<8x16xf32>
        %r = xegpu.create_nd_tdesc %R[%i, %j] : memref<13x37xf32> -> !xegpu.tensor_desc<8x16xf32>
        xegpu.store_nd %w, %r : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
      }
    }"""), lambda g: {"R": np.abs(g["A"])})  # fmt: skip

SUBGROUP["strided and dynamic memory"] = User(kernel(
    "%D: memref<32x64xf16>, %R: memref<8x32xf16>, %h: index, %w: index", """
    %A = memref.cast %D : memref<32x64xf16> to memref<?x?xf16>
    %t = xegpu.create_nd_tdesc %A, shape : [%h, %w], strides : [%w, %c1] : memref<?x?xf16> -> !xegpu.tensor_desc<8x16xf16>
    %v = xegpu.load_nd %t[%c8, %c16] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
    %half = memref.subview %R[0, 16] [8, 16] [1, 1] : memref<8x32xf16> to memref<8x16xf16, strided<[32, 1], offset: 16>>
    %r = xegpu.create_nd_tdesc %half : memref<8x16xf16, strided<[32, 1], offset: 16>> -> !xegpu.tensor_desc<8x16xf16>
    xegpu.store_nd %v, %r[0, 0] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>"""),
    lambda g: {"R": _placed(g["R"], (0, 16), g["D"][8:16, 16:32])}, scalars={"h": 32, "w": 64})  # fmt: skip

SUBGROUP["blocks put together"] = User(kernel("%A: memref<32x32xf16>, %R: memref<16x32xf16>",
    "\n".join(load(f"v{i}{j}", "A", "32x32xf16", "8x16xf16", f"{16 + 8 * i}, {16 * j}") for i in (0, 1) for j in (0, 1)) + """
    %z = arith.constant dense<0.0> : vector<16x32xf16>
    %w0 = vector.insert_strided_slice %v01, %z {offsets = [0, 0], strides = [1, 1]} : vector<8x16xf16> into vector<16x32xf16>
    %w1 = vector.insert_strided_slice %v00, %w0 {offsets = [0, 16], strides = [1, 1]} : vector<8x16xf16> into vector<16x32xf16>
    %w2 = vector.insert_strided_slice %v11, %w1 {offsets = [8, 0], strides = [1, 1]} : vector<8x16xf16> into vector<16x32xf16>
    %w = vector.insert_strided_slice %v10, %w2 {offsets = [8, 16], strides = [1, 1]} : vector<8x16xf16> into vector<16x32xf16>
""" + store("w", "R", "16x32xf16", "16x32xf16")), lambda g: {"R": np.hstack([g["A"][16:, 16:], g["A"][16:, :16]])})  # fmt: skip

SUBGROUP["slices of a large block"] = User(kernel("%A: memref<32x32xf16>, %B: memref<16x16xf16>, %R: memref<32x16xf32>",
    load("a", "A", "32x32xf16", "32x16xf16", "0, 16") + "\n" + load("b", "B", "16x16xf16", "16x16xf16", "0, 0", "", "<{packed}>", "8x16x2xf16") +
    "".join(f"""
    %p{i} = vector.extract_strided_slice %a {{offsets = [{8 * i}, 0], sizes = [8, 16], strides = [1, 1]}} : vector<32x16xf16> to vector<8x16xf16>
    %q{i} = xegpu.dpas %p{i}, %b : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
{store(f"q{i}", "R", "32x16xf32", "8x16xf32", f"{8 * i}, 0")}""" for i in range(4))),
    lambda g: {"R": wide(g["A"][:, 16:]) @ wide(g["B"])})  # fmt: skip

_PACK = desc("16x16xf16")
SUBGROUP["packed B that a loop carries"] = User(kernel("%A: memref<8x64xf16>, %B: memref<64x16xf16>, %R: memref<8x16xf32>", f"""
    %ta = xegpu.create_nd_tdesc %A : memref<8x64xf16> -> {desc("8x16xf16")}
    %tb = xegpu.create_nd_tdesc %B : memref<64x16xf16> -> {_PACK}
    %b0 = xegpu.load_nd %tb[%c0, %c0] <{{packed}}> : {_PACK} -> vector<8x16x2xf16>
    %z = arith.constant dense<0.0> : vector<8x16xf32>
    %r:2 = scf.for %k = %c0 to %c64 step %c16 iter_args(%b = %b0, %acc = %z) -> (vector<8x16x2xf16>, vector<8x16xf32>) {{
      %a = xegpu.load_nd %ta[%c0, %k] : {desc("8x16xf16")} -> vector<8x16xf16>
      %s = xegpu.dpas %a, %b, %acc : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
      %next = arith.addi %k, %c16 : index
      %b1 = xegpu.load_nd %tb[%next, %c0] <{{packed}}> : {_PACK} -> vector<8x16x2xf16>
      scf.yield %b1, %s : vector<8x16x2xf16>, vector<8x16xf32>
    }}
""" + store("r2", "R", "8x16xf32", "8x16xf32").replace("%r2,", "%r#1,")), lambda g: {"R": wide(g["A"]) @ wide(g["B"])})  # fmt: skip

SUBGROUP["packed B that a branch joins"] = User(kernel("%A: memref<8x16xf16>, %B: memref<32x16xf16>, %R: memref<8x16xf32>, %n: index", f"""
    %ta = xegpu.create_nd_tdesc %A : memref<8x16xf16> -> {desc("8x16xf16")}
    %tb = xegpu.create_nd_tdesc %B : memref<32x16xf16> -> {_PACK}
    %first = arith.cmpi eq, %n, %c0 : index
    %b = scf.if %first -> (vector<8x16x2xf16>) {{
      %x = xegpu.load_nd %tb[%c0, %c0] <{{packed}}> : {_PACK} -> vector<8x16x2xf16>
      scf.yield %x : vector<8x16x2xf16>
    }} else {{
      %x = xegpu.load_nd %tb[%c16, %c0] <{{packed}}> : {_PACK} -> vector<8x16x2xf16>
      %y = arith.addf %x, %x : vector<8x16x2xf16>
      scf.yield %y : vector<8x16x2xf16>
    }}
    %a = xegpu.load_nd %ta[%c0, %c0] : {desc("8x16xf16")} -> vector<8x16xf16>
    %s = xegpu.dpas %a, %b : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
""" + store("s", "R", "8x16xf32", "8x16xf32")), lambda g: {"R": wide(g["A"]) @ (2 * wide(g["B"][16:]))}, scalars={"n": 1})  # fmt: skip

SUBGROUP["packed B or a constant"] = User(kernel("%A: memref<8x16xf16>, %B: memref<32x16xf16>, %R: memref<8x16xf32>, %n: index", f"""
    %ta = xegpu.create_nd_tdesc %A : memref<8x16xf16> -> {desc("8x16xf16")}
    %tb = xegpu.create_nd_tdesc %B : memref<32x16xf16> -> {_PACK}
    %first = arith.cmpi eq, %n, %c0 : index
    %ones = arith.constant dense<1.0> : vector<8x16x2xf16>
    %b = scf.if %first -> (vector<8x16x2xf16>) {{
      %x = xegpu.load_nd %tb[%c0, %c0] <{{packed}}> : {_PACK} -> vector<8x16x2xf16>
      scf.yield %x : vector<8x16x2xf16>
    }} else {{
      scf.yield %ones : vector<8x16x2xf16>
    }}
    %a = xegpu.load_nd %ta[%c0, %c0] : {desc("8x16xf16")} -> vector<8x16xf16>
    %s = xegpu.dpas %a, %b : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
""" + store("s", "R", "8x16xf32", "8x16xf32")), lambda g: {"R": wide(g["A"]) @ np.ones((16, 16), np.float32)}, scalars={"n": 1})  # fmt: skip

SUBGROUP["a group of rows of packed B"] = User(kernel("%B: memref<32x32xf16>, %R: memref<16x2xf16>", f"""
    %tb = xegpu.create_nd_tdesc %B : memref<32x32xf16> -> {_PACK}
    %x = xegpu.load_nd %tb[%c0, %c0] <{{packed}}> : {_PACK} -> vector<8x16x2xf16>
    %g = vector.extract %x[3] : vector<16x2xf16> from vector<8x16x2xf16>
""" + store("g", "R", "16x2xf16", "16x2xf16")), lambda g: {"R": g["B"][6:8, :16].T})  # fmt: skip

for _f8 in ("f8E4M3FN", "f8E5M2"):
    SUBGROUP[f"weights of {_f8}"] = User(kernel("%A: memref<8x16xf16>, %B: memref<16x16xi8>, %R: memref<8x16xf32>",
        load("a", "A", "8x16xf16", "8x16xf16") + "\n" + load("b", "B", "16x16xi8", "16x16xi8") + f"""
    %low = arith.constant dense<63> : vector<16x16xi8>
    %bits = arith.andi %b, %low : vector<16x16xi8>
    %w = arith.bitcast %bits : vector<16x16xi8> to vector<16x16x{_f8}>
    %h = arith.extf %w : vector<16x16x{_f8}> to vector<16x16xf16>
    %c = xegpu.dpas %a, %h : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
""" + store("c", "R", "8x16xf32", "8x16xf32")),
        lambda g, t=_f8: {"R": wide(g["A"]) @ wide((g["B"] & 63).view(getattr(ml_dtypes, t.lower().replace("f8", "float8_"))))}, near=1e-6)  # fmt: skip

SUBGROUP["bf16 widened and narrowed"] = User(kernel("%A: memref<8x32xbf16>, %R: memref<8x32xbf16>", load("x", "A", "8x32xbf16", "8x32xbf16") + """
    %w = arith.extf %x : vector<8x32xbf16> to vector<8x32xf32>
    %h = arith.constant dense<1.5> : vector<8x32xf32>
    %p = arith.mulf %w, %h : vector<8x32xf32>
    %n = arith.truncf %p : vector<8x32xf32> to vector<8x32xbf16>
""" + store("n", "R", "8x32xbf16", "8x32xbf16")), lambda g: {"R": wide(g["A"]) * 1.5})  # fmt: skip

SUBGROUP["bytes widened to words"] = User(kernel("%A: memref<16x32xi8>, %R: memref<16x32xi32>", load("x", "A", "16x32xi8", "16x32xi8") + """
    %w = arith.extsi %x : vector<16x32xi8> to vector<16x32xi32>
    %h = arith.constant dense<3> : vector<16x32xi32>
    %p = arith.muli %w, %h : vector<16x32xi32>
    %q = arith.shrsi %p, %h : vector<16x32xi32>
""" + store("q", "R", "16x32xi32", "16x32xi32")), lambda g: {"R": (g["A"].astype(np.int32) * 3) >> 3})  # fmt: skip

SUBGROUP["matrices in shared memory, by halves"] = User(kernel("%A: memref<16x32xf16>, %R: memref<32x16xf16>",
    load("x", "A", "16x32xf16", "16x32xf16") + """
    %slm = memref.alloca() : memref<1024xi8, 3>
    %m = xegpu.create_mem_desc %slm : memref<1024xi8, 3> -> !xegpu.mem_desc<32x16xf16, #xegpu.mem_layout<stride = [1, 32]>>
    %t = vector.transpose %x, [1, 0] : vector<16x32xf16> to vector<32x16xf16>
    xegpu.store_matrix %t, %m[0, 0] : vector<32x16xf16>, !xegpu.mem_desc<32x16xf16, #xegpu.mem_layout<stride = [1, 32]>>
    gpu.barrier
    %y = xegpu.load_matrix %m[%c16, 0] : !xegpu.mem_desc<32x16xf16, #xegpu.mem_layout<stride = [1, 32]>>, index -> vector<16x16xf16>
    %z = xegpu.load_matrix %m[0, 0] : !xegpu.mem_desc<32x16xf16, #xegpu.mem_layout<stride = [1, 32]>> -> vector<16x16xf16>
""" + store("y", "R", "32x16xf16", "16x16xf16") + "\n" + store("z", "R", "32x16xf16", "16x16xf16", "16, 0")),
    lambda g: {"R": np.vstack([g["A"].T[16:], g["A"].T[:16]])})  # fmt: skip

SUBGROUP["subgroups that exchange by matrices"] = User(kernel("%A: memref<64x16xf32>, %R: memref<64x16xf32>", """
    %id = gpu.subgroup_id : index
    %row = arith.muli %id, %c16 : index
    %t = xegpu.create_nd_tdesc %A : memref<64x16xf32> -> !xegpu.tensor_desc<16x16xf32>
    %v = xegpu.load_nd %t[%row, %c0] : !xegpu.tensor_desc<16x16xf32> -> vector<16x16xf32>
    %slm = memref.alloca() : memref<4096xi8, 3>
    %m = xegpu.create_mem_desc %slm : memref<4096xi8, 3> -> !xegpu.mem_desc<64x16xf32>
    xegpu.store_matrix %v, %m[%row, %c0] : vector<16x16xf32>, !xegpu.mem_desc<64x16xf32>, index, index
    gpu.barrier
    %c3 = arith.constant 3 : index
    %other = arith.subi %c3, %id : index
    %from = arith.muli %other, %c16 : index
    %w = xegpu.load_matrix %m[%from, %c0] : !xegpu.mem_desc<64x16xf32>, index, index -> vector<16x16xf32>
    %r = xegpu.create_nd_tdesc %R : memref<64x16xf32> -> !xegpu.tensor_desc<16x16xf32>
    xegpu.store_nd %w, %r[%row, %c0] : vector<16x16xf32>, !xegpu.tensor_desc<16x16xf32>""",
    "attributes {known_block_size = array<i32: 64, 1, 1>}"),
    lambda g: {"R": g["A"].reshape(4, 16, 16)[::-1].reshape(64, 16)})  # fmt: skip

SUBGROUP["named barriers"] = User(kernel("%A: memref<64x16xf32>, %R: memref<64x16xf32>", """
    xegpu.alloc_nbarrier 4
    %id = gpu.subgroup_id : index
    %two = arith.constant 2 : i8
    %one8 = arith.constant 1 : i8
    %n = xegpu.init_nbarrier %one8, %two : i8, i8 -> !xegpu.nbarrier
    %row = arith.muli %id, %c16 : index
    %t = xegpu.create_nd_tdesc %A : memref<64x16xf32> -> !xegpu.tensor_desc<16x16xf32>
    %v = xegpu.load_nd %t[%row, %c0] : !xegpu.tensor_desc<16x16xf32> -> vector<16x16xf32>
    %slm = memref.alloca() : memref<2048xi8, 3>
    %m = xegpu.create_mem_desc %slm : memref<2048xi8, 3> -> !xegpu.mem_desc<32x16xf32>
    xegpu.store_matrix %v, %m[%row, %c0] : vector<16x16xf32>, !xegpu.mem_desc<32x16xf32>, index, index
    xegpu.fence memory_kind = slm, fence_scope = workgroup
    xegpu.nbarrier_arrive %n : !xegpu.nbarrier
    xegpu.nbarrier_wait %n : !xegpu.nbarrier
    %other = arith.subi %c1, %id : index
    %from = arith.muli %other, %c16 : index
    %w = xegpu.load_matrix %m[%from, %c0] : !xegpu.mem_desc<32x16xf32>, index, index -> vector<16x16xf32>
    %r = xegpu.create_nd_tdesc %R : memref<64x16xf32> -> !xegpu.tensor_desc<16x16xf32>
    xegpu.store_nd %w, %r[%row, %c0] : vector<16x16xf32>, !xegpu.tensor_desc<16x16xf32>""",
    "attributes {known_block_size = array<i32: 32, 1, 1>}"),
    lambda g: {"R": np.vstack([g["A"][16:32], g["A"][:16], g["R"][32:]])})  # fmt: skip

SUBGROUP["a while loop"] = User(kernel("%A: memref<8x128xf32>, %R: memref<8x16xf32>, %n: index", f"""
    %t = xegpu.create_nd_tdesc %A : memref<8x128xf32> -> {_T}
    %z = arith.constant dense<0.0> : vector<8x16xf32>
    %r:2 = scf.while (%i = %c0, %acc = %z) : (index, vector<8x16xf32>) -> (index, vector<8x16xf32>) {{
      %go = arith.cmpi slt, %i, %n : index
      scf.condition(%go) %i, %acc : index, vector<8x16xf32>
    }} do {{
    ^bb0(%j: index, %x: vector<8x16xf32>):
      %o = arith.muli %j, %c16 : index
      %v = xegpu.load_nd %t[%c0, %o] : {_T} -> vector<8x16xf32>
      %s = arith.addf %x, %v : vector<8x16xf32>
      %next = arith.addi %j, %c2 : index
      scf.yield %next, %s : index, vector<8x16xf32>
    }}
    %c = xegpu.create_nd_tdesc %R : memref<8x16xf32> -> {_T}
    xegpu.store_nd %r#1, %c[0, 0] : vector<8x16xf32>, {_T}"""),
    lambda g: {"R": g["A"].reshape(8, 8, 16)[:, 0:5:2].sum(axis=1)}, scalars={"n": 5})  # fmt: skip

SUBGROUP["lines of one dimension"] = User(kernel("%A: memref<256xf16>, %R: memref<256xf16>", """
    %t = xegpu.create_nd_tdesc %A[64] : memref<256xf16> -> !xegpu.tensor_desc<64xf16>
    %u = xegpu.update_nd_offset %t, [32] : !xegpu.tensor_desc<64xf16>
    %v = xegpu.load_nd %t : !xegpu.tensor_desc<64xf16> -> vector<64xf16>
    %w = xegpu.load_nd %u : !xegpu.tensor_desc<64xf16> -> vector<64xf16>
    %s = arith.addf %v, %w : vector<64xf16>
    %r = xegpu.create_nd_tdesc %R[128] : memref<256xf16> -> !xegpu.tensor_desc<64xf16>
    xegpu.store_nd %s, %r : vector<64xf16>, !xegpu.tensor_desc<64xf16>"""),
    lambda g: {"R": np.concatenate([g["R"][:128], g["A"][64:128] + g["A"][96:160], g["R"][192:]])})  # fmt: skip

SUBGROUP["layouts of lanes, partly given"] = User(kernel("%A: memref<8x32xf16>, %B: memref<32x16xf16>, %R: memref<8x16xf32>", """
    %ta = xegpu.create_nd_tdesc %A : memref<8x32xf16> -> !xegpu.tensor_desc<8x16xf16, #a>
    %tb = xegpu.create_nd_tdesc %B : memref<32x16xf16> -> !xegpu.tensor_desc<16x16xf16, #b>
    %z = arith.constant {layout_result_0 = #a} dense<0.0> : vector<8x16xf32>
    %s = scf.for %k = %c0 to %c32 step %c16 iter_args(%acc = %z) -> (vector<8x16xf32>) {
      %a = xegpu.load_nd %ta[%c0, %k] <{layout = #a}> : !xegpu.tensor_desc<8x16xf16, #a> -> vector<8x16xf16>
      %b = xegpu.load_nd %tb[%k, %c0] : !xegpu.tensor_desc<16x16xf16, #b> -> vector<16x16xf16>
      %d = xegpu.dpas %a, %b, %acc {layout_a = #a, layout_b = #b, layout_cd = #a} : vector<8x16xf16>, vector<16x16xf16>, vector<8x16xf32> -> vector<8x16xf32>
      scf.yield %d : vector<8x16xf32>
    }
""" + store("s", "R", "8x16xf32", "8x16xf32"), aliases="""
#a = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>
#b = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>"""), lambda g: {"R": wide(g["A"]) @ wide(g["B"])})  # fmt: skip

SUBGROUP["inst_data cuts blocks"] = User(kernel("%A: memref<32x32xf16>, %R: memref<32x32xf16>", """
    %t = xegpu.create_nd_tdesc %A : memref<32x32xf16> -> !xegpu.tensor_desc<32x32xf16, #l>
    %v = xegpu.load_nd %t[%c0, %c0] <{layout = #l}> : !xegpu.tensor_desc<32x32xf16, #l> -> vector<32x32xf16>
    %w = arith.negf %v {layout_result_0 = #l} : vector<32x32xf16>
    %c = xegpu.convert_layout %w <{input_layout = #l, target_layout = #s}> : vector<32x32xf16>
    %r = xegpu.create_nd_tdesc %R : memref<32x32xf16> -> !xegpu.tensor_desc<32x32xf16, #s>
    xegpu.store_nd %c, %r[%c0, %c0] <{layout = #s}> : vector<32x32xf16>, !xegpu.tensor_desc<32x32xf16, #s>""", aliases="""
#l = #xegpu.layout<inst_data = [16, 16], lane_layout = [1, 16], lane_data = [1, 1]>
#s = #xegpu.layout<inst_data = [8, 16], lane_layout = [1, 16], lane_data = [1, 1]>"""), lambda g: {"R": -g["A"]})  # fmt: skip

for _lanes, _data in (
    ([2, 8], [1, 1]),
    ([8, 2], [1, 1]),
    ([1, 16], [1, 2]),
    ([16, 1], [1, 1]),
    ([4, 4], [2, 1]),
    ([1, 8], [1, 1]),
):
    _l = f"#xegpu.layout<lane_layout = {_lanes}, lane_data = {_data}>"
    SUBGROUP[f"lanes {_lanes} of {_data}"] = User(kernel("%A: memref<16x32xf32>, %R: memref<16x32xf32>, %R2: memref<16xf32>", """
    %t = xegpu.create_nd_tdesc %A : memref<16x32xf32> -> !xegpu.tensor_desc<16x32xf32, #l>
    %v = xegpu.load_nd %t[0, 0] : !xegpu.tensor_desc<16x32xf32, #l> -> vector<16x32xf32>
    %w = arith.addf %v, %v {layout_result_0 = #l} : vector<16x32xf32>
    %r = xegpu.create_nd_tdesc %R : memref<16x32xf32> -> !xegpu.tensor_desc<16x32xf32, #l>
    xegpu.store_nd %w, %r[0, 0] : vector<16x32xf32>, !xegpu.tensor_desc<16x32xf32, #l>
    %z = arith.constant {layout_result_0 = #xegpu.slice<#l, dims = [1]>} dense<0.0> : vector<16xf32>
    %s = vector.multi_reduction <add>, %w, %z {layout_result_0 = #xegpu.slice<#l, dims = [1]>} [1] : vector<16x32xf32> to vector<16xf32>
    %i = vector.step {layout_result_0 = #xegpu.slice<#l, dims = [1]>} : vector<16xindex>
    %m = arith.constant {layout_result_0 = #xegpu.slice<#l, dims = [1]>} dense<true> : vector<16xi1>
    xegpu.store %s, %R2[%i], %m <{layout = #xegpu.slice<#l, dims = [1]>}> : vector<16xf32>, memref<16xf32>, vector<16xindex>, vector<16xi1>""",
        aliases=f"#l = {_l}"), lambda g: {"R": 2 * g["A"], "R2": 2 * g["A"].sum(axis=1)})  # fmt: skip
