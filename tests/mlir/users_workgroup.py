"""Modules of workgroups."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import User, desc, kernel, load, store, wide

WORKGROUP: dict[str, User] = {}


def gemm(
    element: str, acc: str, a: str, b: str, c: str, k: int = 32, *, offsets_inside: bool = True, transposed: str = ""
) -> str:
    """64x64 tiles of a product of 128x128x96."""
    ta, tb, tc = desc(f"64x{k}x{element}", "#a"), desc(f"{k}x64x{element}", "#b"), desc(f"64x64x{acc}", "#c")
    zero = "0" if acc == "i32" else "0.0"
    load_b = f"%y = xegpu.load_nd %tb[%k, %n] : {tb} -> vector<{k}x64x{element}>"
    memory_b = f"memref<96x128x{element}>"
    if transposed:
        tb, memory_b = desc(f"64x{k}x{element}", "#bt"), f"memref<128x96x{element}>"
        load_b = f"""%yt = xegpu.load_nd %tb[%n, %k] : {tb} -> vector<64x{k}x{element}>
      %y = vector.transpose %yt, [1, 0] : vector<64x{k}x{element}> to vector<{k}x64x{element}>"""
    return kernel(f"%A: memref<128x96x{element}>, %B: {memory_b}, %R: memref<128x128x{acc}>", f"""
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %c96 = arith.constant 96 : index
    %step = arith.constant {k} : index
    %ta = xegpu.create_nd_tdesc %A : memref<128x96x{element}> -> {ta}
    %tb = xegpu.create_nd_tdesc %B : {memory_b} -> {tb}
    %z = arith.constant {{layout_result_0 = #c}} dense<{zero}> : vector<64x64x{acc}>
    %r = scf.for %k = %c0 to %c96 step %step iter_args(%acc = %z) -> (vector<64x64x{acc}>) {{
      %x = xegpu.load_nd %ta[%m, %k] : {ta} -> vector<64x{k}x{element}>
      {load_b}
      %s = xegpu.dpas %x, %y, %acc {{layout_a = #a, layout_b = #b, layout_cd = #c}} : vector<64x{k}x{element}>, vector<{k}x64x{element}>, vector<64x64x{acc}> -> vector<64x64x{acc}>
      scf.yield %s : vector<64x64x{acc}>
    }} {{layout_result_0 = #c}}
    %tc = xegpu.create_nd_tdesc %R : memref<128x128x{acc}> -> {tc}
    xegpu.store_nd %r, %tc[%m, %n] : vector<64x64x{acc}>, {tc}""", aliases=f"#a = {a}\n#b = {b}\n#bt = {transposed}\n#c = {c}" if transposed else f"#a = {a}\n#b = {b}\n#c = {c}")  # fmt: skip


def sg(layout: str, data: str, more: str = "") -> str:
    return f"#xegpu.layout<sg_layout = {layout}, sg_data = {data}{more}>"


def product(g):
    return {"R": wide(g["A"]) @ wide(g["B"])}


def product_t(g):
    return {"R": wide(g["A"]) @ wide(g["B"]).T}


_LANES = ", lane_layout = [1, 16], lane_data = [1, 1]"
for _e, _acc, _k in (("f16", "f32", 32), ("bf16", "f32", 16), ("i8", "i32", 32), ("tf32", "f32", 16)):
    WORKGROUP[f"gemm of {_e}"] = User(
        gemm(_e, _acc, sg("[2, 2]", f"[32, {_k}]"), sg("[2, 2]", f"[{_k}, 32]"), sg("[2, 2]", "[32, 32]"), _k), product, (2, 2)
    )
WORKGROUP["gemm with instructions and lanes"] = User(gemm("f16", "f32",
    sg("[4, 2]", "[16, 32]", ", inst_data = [8, 16]" + _LANES),
    sg("[4, 2]", "[32, 32]", ", inst_data = [16, 16], lane_layout = [1, 16], lane_data = [2, 1]"),
    sg("[4, 2]", "[16, 32]", ", inst_data = [8, 16]" + _LANES)), product, (2, 2))  # fmt: skip
WORKGROUP["gemm whose A and B are for fewer subgroups"] = User(gemm("f16", "f32",
    sg("[2, 1]", "[32, 32]"), sg("[1, 4]", "[32, 16]"), sg("[2, 4]", "[32, 16]")), product, (2, 2))  # fmt: skip
WORKGROUP["gemm loaded as slices of k"] = User(gemm("f16", "f32",
    sg("[2, 4]", "[32, 8]"), sg("[2, 4]", "[16, 16]"), sg("[2, 4]", "[32, 16]")), product, (2, 2))  # fmt: skip
WORKGROUP["gemm in column-major order"] = User(gemm("f16", "f32",
    sg("[2, 4]", "[32, 32]", ", order = [0, 1]"), sg("[2, 4]", "[32, 16]", ", order = [0, 1]"), sg("[2, 4]", "[32, 16]", ", order = [0, 1]")), product, (2, 2))  # fmt: skip
WORKGROUP["gemm with B transposed"] = User(gemm("f16", "f32",
    sg("[2, 2]", "[32, 32]"), sg("[2, 2]", "[32, 32]"), sg("[2, 2]", "[32, 32]"), transposed="#xegpu.layout<sg_layout = [2, 2], sg_data = [32, 32], order = [0, 1]>"), product_t, (2, 2))  # fmt: skip

_L = "#xegpu.layout<sg_layout = [4, 2], sg_data = [8, 32]>"
_IN = load("x", "A", "32x64xf32", "32x64xf32", "%c0, %c0", "#l", "<{layout = #l}>")
_OUT = store("y", "R", "32x64xf32", "32x64xf32", "%c0, %c0", "#l")


def unary(
    body: str,
    aliases: str = "",
    arguments: str = "%A: memref<32x64xf32>, %R: memref<32x64xf32>",
    layout: str = _L,
    said: str = "",
) -> str:
    return kernel(arguments, f"{_IN}\n{body}\n{_OUT}", said, f"#l = {layout}\n{aliases}")


ONE = np.float32(1)
WORKGROUP["elementwise, layouts on results"] = User(
    unary("""
    %one = arith.constant {layout_result_0 = #l} dense<1.0> : vector<32x64xf32>
    %a = math.absf %x {layout_result_0 = #l} : vector<32x64xf32>
    %s = arith.addf %a, %one {layout_result_0 = #l} : vector<32x64xf32>
    %q = math.sqrt %s {layout_result_0 = #l} : vector<32x64xf32>
    %y = arith.divf %x, %q {layout_result_0 = #l} : vector<32x64xf32>"""),
    lambda g: {"R": g["A"] / np.sqrt(np.abs(g["A"]) + ONE)},
    near=1e-6,
)
WORKGROUP["elementwise, a layout at the end alone"] = User(unary("""
    %one = arith.constant dense<1.0> : vector<32x64xf32>
    %c = arith.cmpf olt, %x, %one : vector<32x64xf32>
    %i = arith.fptosi %x : vector<32x64xf32> to vector<32x64xi32>
    %f = arith.sitofp %i : vector<32x64xi32> to vector<32x64xf32>
    %n = arith.negf %f : vector<32x64xf32>
    %y = arith.select %c, %n, %one : vector<32x64xi1>, vector<32x64xf32>""").replace(" <{layout = #l}>", ""),
    lambda g: {"R": np.where(g["A"] < 1, -g["A"], 1)})  # fmt: skip

for _kind, _of, _start in (("add", np.sum, "0.0"), ("maximumf", np.max, "0xFF800000"), ("minnumf", np.min, "0x7F800000")):
    for _layout in (
        "[4, 2], sg_data = [8, 32]",
        "[8, 1], sg_data = [4, 64]",
        "[1, 8], sg_data = [32, 8]",
        "[2, 2], sg_data = [8, 16]",
    ):
        WORKGROUP[f"{_kind} of rows over {_layout}"] = User(unary(f"""
    %z = arith.constant {{layout_result_0 = #s}} dense<{_start}> : vector<32xf32>
    %m = vector.multi_reduction <{_kind}>, %x, %z {{layout_result_0 = #s}} [1] : vector<32x64xf32> to vector<32xf32>
    %mc = vector.shape_cast %m {{layout_result_0 = #l1}} : vector<32xf32> to vector<32x1xf32>
    %mb = vector.broadcast %mc {{layout_result_0 = #l}} : vector<32x1xf32> to vector<32x64xf32>
    %y = arith.subf %x, %mb {{layout_result_0 = #l}} : vector<32x64xf32>""",
            f"#s = #xegpu.slice<#l, dims = [1]>\n#l1 = #xegpu.layout<sg_layout = {_layout.rsplit(',', 1)[0]}, 1]>", layout=f"#xegpu.layout<sg_layout = {_layout}>"),
            lambda g, of=_of: {"R": g["A"] - of(g["A"], axis=1, keepdims=True)})  # fmt: skip

WORKGROUP["sums of columns, spread"] = User(unary("""
    %z = arith.constant {layout_result_0 = #s} dense<1.0> : vector<64xf32>
    %m = vector.multi_reduction <add>, %x, %z {layout_result_0 = #s} [0] : vector<32x64xf32> to vector<64xf32>
    %mb = vector.broadcast %m {layout_result_0 = #l} : vector<64xf32> to vector<32x64xf32>
    %y = arith.mulf %x, %mb {layout_result_0 = #l} : vector<32x64xf32>""", "#s = #xegpu.slice<#l, dims = [0]>"),
    lambda g: {"R": g["A"] * (g["A"].sum(axis=0) + 1)})  # fmt: skip
WORKGROUP["the sum of all"] = User(
    unary("""
    %z = arith.constant 0.0 : f32
    %m = vector.multi_reduction <add>, %x, %z [0, 1] : vector<32x64xf32> to f32
    %mb = vector.broadcast %m {layout_result_0 = #l} : f32 to vector<32x64xf32>
    %y = arith.addf %x, %mb {layout_result_0 = #l} : vector<32x64xf32>"""),
    lambda g: {"R": g["A"] + g["A"].sum()},
)
WORKGROUP["halved while the largest is above a limit"] = User(
    unary("""
    %half = arith.constant {layout_result_0 = #l} dense<0.5> : vector<32x64xf32>
    %limit = arith.constant 3.0 : f32
    %zero = arith.constant 0.0 : f32
    %y = scf.while (%v = %x) : (vector<32x64xf32>) -> (vector<32x64xf32>) {
      %a = math.absf %v {layout_result_0 = #l} : vector<32x64xf32>
      %m = vector.multi_reduction <maximumf>, %a, %zero [0, 1] : vector<32x64xf32> to f32
      %more = arith.cmpf ogt, %m, %limit : f32
      scf.condition(%more) %v : vector<32x64xf32>
    } do {
    ^bb0(%v: vector<32x64xf32>):
      %h = arith.mulf %v, %half {layout_result_0 = #l} : vector<32x64xf32>
      scf.yield %h : vector<32x64xf32>
    }"""),
    lambda g: {"R": g["A"] / 2},
)
WORKGROUP["sums over two of three dimensions"] = User(kernel("%A: memref<4x16x32xf32>, %R: memref<4xf32>", """
    %i0 = vector.step {layout_result_0 = #xegpu.slice<#l, dims = [1, 2]>} : vector<4xindex>
    %i1 = vector.step {layout_result_0 = #xegpu.slice<#l, dims = [0, 2]>} : vector<16xindex>
    %i2 = vector.step {layout_result_0 = #xegpu.slice<#l, dims = [0, 1]>} : vector<32xindex>
    %k0 = arith.constant {layout_result_0 = #xegpu.slice<#l, dims = [1, 2]>} dense<512> : vector<4xindex>
    %k1 = arith.constant {layout_result_0 = #xegpu.slice<#l, dims = [0, 2]>} dense<32> : vector<16xindex>
    %p0 = arith.muli %i0, %k0 {layout_result_0 = #xegpu.slice<#l, dims = [1, 2]>} : vector<4xindex>
    %p1 = arith.muli %i1, %k1 {layout_result_0 = #xegpu.slice<#l, dims = [0, 2]>} : vector<16xindex>
    %q0 = vector.shape_cast %p0 {layout_result_0 = #o} : vector<4xindex> to vector<4x1x1xindex>
    %q1 = vector.shape_cast %p1 {layout_result_0 = #o1} : vector<16xindex> to vector<1x16x1xindex>
    %w0 = vector.broadcast %q0 {layout_result_0 = #l} : vector<4x1x1xindex> to vector<4x16x32xindex>
    %w1 = vector.broadcast %q1 {layout_result_0 = #l} : vector<1x16x1xindex> to vector<4x16x32xindex>
    %w2 = vector.broadcast %i2 {layout_result_0 = #l} : vector<32xindex> to vector<4x16x32xindex>
    %s0 = arith.addi %w0, %w1 {layout_result_0 = #l} : vector<4x16x32xindex>
    %s1 = arith.addi %s0, %w2 {layout_result_0 = #l} : vector<4x16x32xindex>
    %m = arith.constant {layout_result_0 = #l} dense<true> : vector<4x16x32xi1>
    %p = memref.extract_aligned_pointer_as_index %A : memref<4x16x32xf32> -> index
    %a = arith.index_cast %p : index to i64
    %v = xegpu.load %a[%s1], %m <{layout = #l}> : i64, vector<4x16x32xindex>, vector<4x16x32xi1> -> vector<4x16x32xf32>
    %z = arith.constant {layout_result_0 = #xegpu.slice<#l, dims = [1, 2]>} dense<0.0> : vector<4xf32>
    %r = vector.multi_reduction <add>, %v, %z {layout_result_0 = #xegpu.slice<#l, dims = [1, 2]>} [1, 2] : vector<4x16x32xf32> to vector<4xf32>
    %all = arith.constant {layout_result_0 = #xegpu.slice<#l, dims = [1, 2]>} dense<true> : vector<4xi1>
    xegpu.store %r, %R[%i0], %all <{layout = #xegpu.slice<#l, dims = [1, 2]>}> : vector<4xf32>, memref<4xf32>, vector<4xindex>, vector<4xi1>""",
    aliases="""#l = #xegpu.layout<sg_layout = [1, 4, 2], sg_data = [4, 4, 16]>
#o = #xegpu.layout<sg_layout = [1, 4, 2], sg_data = [4, 1, 1]>
#o1 = #xegpu.layout<sg_layout = [1, 4, 2], sg_data = [1, 4, 1]>"""), lambda g: {"R": g["A"].sum(axis=(1, 2))})  # fmt: skip

for _one, _other in (("[4, 2], sg_data = [8, 32]", "[2, 4], sg_data = [16, 16]"), ("[8, 1], sg_data = [4, 64]", "[1, 8], sg_data = [32, 8]"),
                     ("[2, 4], sg_data = [16, 16], order = [0, 1]", "[4, 2], sg_data = [8, 32], order = [1, 0]"),
                     ("[4, 2], sg_data = [4, 16]", "[2, 4], sg_data = [16, 8]")):  # fmt: skip
    WORKGROUP[f"convert_layout {_one} to {_other}"] = User(unary("""
    %d = arith.addf %x, %x {layout_result_0 = #l} : vector<32x64xf32>
    %c = xegpu.convert_layout %d <{input_layout = #l, target_layout = #o}> : vector<32x64xf32>
    %e = arith.mulf %c, %c {layout_result_0 = #o} : vector<32x64xf32>
    %y = xegpu.convert_layout %e <{input_layout = #o, target_layout = #l}> : vector<32x64xf32>""",
        f"#o = #xegpu.layout<sg_layout = {_other}>", layout=f"#xegpu.layout<sg_layout = {_one}>"), lambda g: {"R": 4 * g["A"] ** 2})  # fmt: skip

for _e in ("f16", "i8", "f32"):
    WORKGROUP[f"a transpose of {_e} between layouts"] = User(kernel(f"%A: memref<32x64x{_e}>, %R: memref<64x32x{_e}>",
        load("x", "A", f"32x64x{_e}", f"32x64x{_e}", "%c0, %c0", "#l") + f"""
    %y = vector.transpose %x, [1, 0] {{layout_result_0 = #t}} : vector<32x64x{_e}> to vector<64x32x{_e}>
""" + store("y", "R", f"64x32x{_e}", f"64x32x{_e}", "%c0, %c0", "#t"),
        aliases="#l = #xegpu.layout<sg_layout = [4, 2], sg_data = [8, 32]>\n#t = #xegpu.layout<sg_layout = [4, 2], sg_data = [16, 16]>"),
        lambda g: {"R": g["A"].T})  # fmt: skip

_D = desc("32x32xf16", "#l")
WORKGROUP["descriptors that a loop moves"] = User(kernel("%A: memref<64x128xf16>, %R: memref<64x128xf16>", f"""
    %a0 = xegpu.create_nd_tdesc %A[%c0, %c0] : memref<64x128xf16> -> {_D}
    %r0 = xegpu.create_nd_tdesc %R[%c32, %c0] : memref<64x128xf16> -> {_D}
    %e:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %a0, %r = %r0) -> ({_D}, {_D}) {{
      %x = xegpu.load_nd %a : {_D} -> vector<32x32xf16>
      %odd = arith.andi %i, %c1 : index
      %is = arith.cmpi eq, %odd, %c1 : index
      %y = scf.if %is -> (vector<32x32xf16>) {{
        %n = arith.negf %x : vector<32x32xf16>
        scf.yield %n : vector<32x32xf16>
      }} else {{
        scf.yield %x : vector<32x32xf16>
      }}
      xegpu.store_nd %y, %r : vector<32x32xf16>, {_D}
      %a1 = xegpu.update_nd_offset %a, [%c0, %c32] : {_D}
      %r1 = xegpu.update_nd_offset %r, [%c0, %c32] : {_D}
      scf.yield %a1, %r1 : {_D}, {_D}
    }}""", aliases="#l = #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>"),
    lambda g: {"R": np.vstack([g["R"][:32], g["A"][:32] * np.repeat([1, -1, 1, -1], 32).astype(np.float16)])})  # fmt: skip

WORKGROUP["matrices in shared memory"] = User(kernel("%A: memref<64x64xbf16>, %R: memref<64x64xbf16>",
    load("x", "A", "64x64xbf16", "64x64xbf16", "%c0, %c0", "#l") + """
    %slm = memref.alloca() : memref<8192xi8, 3>
    %m = xegpu.create_mem_desc %slm : memref<8192xi8, 3> -> !xegpu.mem_desc<64x64xbf16, #xegpu.mem_layout<stride = [1, 64], block = [16, 16]>>
    xegpu.store_matrix %x, %m[%c0, %c0] <{layout = #l}> : vector<64x64xbf16>, !xegpu.mem_desc<64x64xbf16, #xegpu.mem_layout<stride = [1, 64], block = [16, 16]>>, index, index
    gpu.barrier
    %y = xegpu.load_matrix %m[%c0, %c0] <{layout = #t}> : !xegpu.mem_desc<64x64xbf16, #xegpu.mem_layout<stride = [1, 64], block = [16, 16]>>, index, index -> vector<64x64xbf16>
""" + store("y", "R", "64x64xbf16", "64x64xbf16", "%c0, %c0", "#t"),
    aliases="#l = #xegpu.layout<sg_layout = [2, 2], sg_data = [32, 32], inst_data = [16, 16]>\n#t = #xegpu.layout<sg_layout = [4, 1], sg_data = [16, 64]>"),
    lambda g: {"R": g["A"]})  # fmt: skip

_SC = "#xegpu.layout<sg_layout = [8], sg_data = [32]>"
WORKGROUP["scattered under a mask"] = User(kernel("%A: memref<1024xf32>, %R: memref<1024xf32>, %n: index", """
    %i = vector.step {layout_result_0 = #l} : vector<256xindex>
    %three = arith.constant {layout_result_0 = #l} dense<3> : vector<256xindex>
    %o = arith.muli %i, %three {layout_result_0 = #l} : vector<256xindex>
    %nb = vector.broadcast %n {layout_result_0 = #l} : index to vector<256xindex>
    %m = arith.cmpi slt, %i, %nb {layout_result_0 = #l} : vector<256xindex>
    %v = xegpu.load %A[%o], %m <{layout = #l, l1_hint = #xegpu.cache_hint<cached>}> : memref<1024xf32>, vector<256xindex>, vector<256xi1> -> vector<256xf32>
    %w = arith.addf %v, %v {layout_result_0 = #l} : vector<256xf32>
    xegpu.store %w, %R[%o], %m <{layout = #l}> : vector<256xf32>, memref<1024xf32>, vector<256xindex>, vector<256xi1>""", aliases=f"#l = {_SC}"),
    lambda g: {"R": _every_third(g, 77)}, scalars={"n": 77})  # fmt: skip


def _every_third(g, n):
    made = g["R"].copy()
    made[: 3 * n : 3] = 2 * g["A"][: 3 * n : 3]
    return made


WORKGROUP["atomics of a workgroup"] = User(kernel("%A: memref<256xi32>, %R: memref<8xi32>",
    load("v", "A", "256xi32", "256xi32", "%c0", "#l") + """
    %four = arith.constant {layout_result_0 = #l} dense<4> : vector<256xi32>
    %b = arith.addi %v, %four {layout_result_0 = #l} : vector<256xi32>
    %o = arith.index_cast %b {layout_result_0 = #l} : vector<256xi32> to vector<256xindex>
    %m = arith.constant {layout_result_0 = #l} dense<true> : vector<256xi1>
    %one = arith.constant {layout_result_0 = #l} dense<1> : vector<256xi32>
    %d = xegpu.create_tdesc %R, %o : memref<8xi32>, vector<256xindex> -> !xegpu.tensor_desc<256xi32, #xegpu.scatter_tdesc_attr<>, #l>
    %old = xegpu.atomic_rmw addi %d, %m, %one : !xegpu.tensor_desc<256xi32, #xegpu.scatter_tdesc_attr<>, #l>, vector<256xi1>, vector<256xi32> -> vector<256xi32>""",
    aliases=f"#l = {_SC}"), lambda g: {"R": g["R"] + np.bincount(g["A"] + 4, minlength=8)})  # fmt: skip

WORKGROUP["ranges of subgroups"] = User(kernel("%A: memref<64x32xf32>, %R: memref<64x32xf32>", """
    %id = gpu.subgroup_id : index
    %low = arith.cmpi ult, %id, %c4 : index
    scf.if %low {
      %t = xegpu.create_nd_tdesc %A : memref<64x32xf32> -> !xegpu.tensor_desc<32x32xf32, #l>
      %x = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<32x32xf32, #l> -> vector<32x32xf32>
      %y = arith.negf %x {layout_result_0 = #l} : vector<32x32xf32>
      %r = xegpu.create_nd_tdesc %R : memref<64x32xf32> -> !xegpu.tensor_desc<32x32xf32, #l>
      xegpu.store_nd %y, %r[%c32, %c0] : vector<32x32xf32>, !xegpu.tensor_desc<32x32xf32, #l>
    } {sg_id_range = #xegpu.range<[0, 4]>}
    %high = arith.cmpi uge, %id, %c4 : index
    scf.if %high {
      %t = xegpu.create_nd_tdesc %A : memref<64x32xf32> -> !xegpu.tensor_desc<32x32xf32, #l>
      %x = xegpu.load_nd %t[%c32, %c0] : !xegpu.tensor_desc<32x32xf32, #l> -> vector<32x32xf32>
      %y = arith.addf %x, %x {layout_result_0 = #l} : vector<32x32xf32>
      %r = xegpu.create_nd_tdesc %R : memref<64x32xf32> -> !xegpu.tensor_desc<32x32xf32, #l>
      xegpu.store_nd %y, %r[%c0, %c0] : vector<32x32xf32>, !xegpu.tensor_desc<32x32xf32, #l>
    } {sg_id_range = #xegpu.range<[4, 8]>}""", "attributes {known_block_size = array<i32: 128, 1, 1>}",
    "#l = #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>"),
    lambda g: {"R": np.vstack([2 * g["A"][32:], -g["A"][:32]])})  # fmt: skip

WORKGROUP["a bias by offsets and a slice"] = User(kernel("%A: memref<64x64xf32>, %B: memref<64xf32>, %R: memref<64x64xf32>",
    load("x", "A", "64x64xf32", "64x64xf32", "%c0, %c0", "#l") + """
    %o = vector.step {layout_result_0 = #s} : vector<64xindex>
    %m = arith.constant {layout_result_0 = #s} dense<true> : vector<64xi1>
    %b = xegpu.load %B[%o], %m <{layout = #s}> : memref<64xf32>, vector<64xindex>, vector<64xi1> -> vector<64xf32>
    %bb = vector.broadcast %b {layout_result_0 = #l} : vector<64xf32> to vector<64x64xf32>
    %y = arith.addf %x, %bb {layout_result_0 = #l} : vector<64x64xf32>
""" + store("y", "R", "64x64xf32", "64x64xf32", "%c0, %c0", "#l"),
    aliases="#l = #xegpu.layout<sg_layout = [4, 2], sg_data = [16, 32], inst_data = [8, 16]>\n#s = #xegpu.slice<#l, dims = [0]>"),
    lambda g: {"R": g["A"] + g["B"]})  # fmt: skip

WORKGROUP["batches by subviews"] = User(kernel("%A: memref<4x32x64xf16>, %R: memref<4x32x64xf16>", """
    %b = gpu.block_id x
    %pa = memref.subview %A[%b, 0, 0] [1, 32, 64] [1, 1, 1] : memref<4x32x64xf16> to memref<32x64xf16, strided<[64, 1], offset: ?>>
    %pr = memref.subview %R[%b, 0, 0] [1, 32, 64] [1, 1, 1] : memref<4x32x64xf16> to memref<32x64xf16, strided<[64, 1], offset: ?>>
    %ta = xegpu.create_nd_tdesc %pa : memref<32x64xf16, strided<[64, 1], offset: ?>> -> !xegpu.tensor_desc<32x64xf16, #l>
    %tr = xegpu.create_nd_tdesc %pr : memref<32x64xf16, strided<[64, 1], offset: ?>> -> !xegpu.tensor_desc<32x64xf16, #l>
    %x = xegpu.load_nd %ta[%c0, %c0] : !xegpu.tensor_desc<32x64xf16, #l> -> vector<32x64xf16>
    %y = arith.negf %x : vector<32x64xf16>
    xegpu.store_nd %y, %tr[%c0, %c0] : vector<32x64xf16>, !xegpu.tensor_desc<32x64xf16, #l>""",
    aliases="#l = #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 32]>"), lambda g: {"R": -g["A"]}, (4,))  # fmt: skip

WORKGROUP["32 subgroups"] = User(kernel("%A: memref<256x256xf16>, %R: memref<256x256xf16>",
    load("x", "A", "256x256xf16", "256x256xf16", "%c0, %c0", "#l") + """
    %y = arith.mulf %x, %x : vector<256x256xf16>
""" + store("y", "R", "256x256xf16", "256x256xf16", "%c0, %c0", "#l"),
    aliases="#l = #xegpu.layout<sg_layout = [8, 4], sg_data = [32, 64], inst_data = [8, 16], lane_layout = [1, 16], lane_data = [1, 1]>"),
    lambda g: {"R": g["A"] ** 2})  # fmt: skip

WORKGROUP["a constant table"] = User(kernel("%A: memref<16x32xi32>, %R: memref<16x32xi32>",
    load("x", "A", "16x32xi32", "16x32xi32", "%c0, %c0", "#l") + f"""
    %t = arith.constant {{layout_result_0 = #l}} dense<{[[(7 * i + 3 * j) % 11 for j in range(32)] for i in range(16)]}> : vector<16x32xi32>
    %y = arith.muli %x, %t {{layout_result_0 = #l}} : vector<16x32xi32>
""" + store("y", "R", "16x32xi32", "16x32xi32", "%c0, %c0", "#l"), aliases="#l = #xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>"),
    lambda g: {"R": g["A"] * np.array([[(7 * i + 3 * j) % 11 for j in range(32)] for i in range(16)], np.int32)})  # fmt: skip

WORKGROUP["a bitcast between layouts"] = User(kernel("%A: memref<16x64xf16>, %R: memref<16x32xi32>",
    load("x", "A", "16x64xf16", "16x64xf16", "%c0, %c0", "#h") + """
    %y = vector.bitcast %x {layout_result_0 = #l} : vector<16x64xf16> to vector<16x32xi32>
""" + store("y", "R", "16x32xi32", "16x32xi32", "%c0, %c0", "#l"),
    aliases="#l = #xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>\n#h = #xegpu.layout<sg_layout = [2, 2], sg_data = [8, 32]>"),
    lambda g: {"R": g["A"].view(np.int32)})  # fmt: skip

WORKGROUP["barriers with prefetches ahead"] = User(kernel("%A: memref<64x256xf16>, %R: memref<64x64xf16>", """
    %t = xegpu.create_nd_tdesc %A : memref<64x256xf16> -> !xegpu.tensor_desc<64x64xf16, #l>
    %p = xegpu.create_nd_tdesc %A : memref<64x256xf16> -> !xegpu.tensor_desc<64x64xf16, #p>
    xegpu.prefetch_nd %p[%c0, %c0] <{l1_hint = #xegpu.cache_hint<cached>, l2_hint = #xegpu.cache_hint<cached>}> : !xegpu.tensor_desc<64x64xf16, #p>
    %z = arith.constant {layout_result_0 = #l} dense<0.0> : vector<64x64xf16>
    %r = scf.for %k = %c0 to %c256 step %c64 iter_args(%acc = %z) -> (vector<64x64xf16>) {
      %next = arith.addi %k, %c64 : index
      xegpu.prefetch_nd %p[%c0, %next] : !xegpu.tensor_desc<64x64xf16, #p>
      gpu.barrier
      %x = xegpu.load_nd %t[%c0, %k] : !xegpu.tensor_desc<64x64xf16, #l> -> vector<64x64xf16>
      %s = arith.addf %acc, %x : vector<64x64xf16>
      scf.yield %s : vector<64x64xf16>
    }
""" + store("r", "R", "64x64xf16", "64x64xf16", "%c0, %c0", "#l"),
    aliases="#l = #xegpu.layout<sg_layout = [2, 4], sg_data = [32, 16]>\n#p = #xegpu.layout<sg_layout = [8, 1], sg_data = [8, 64]>"),
    lambda g: {"R": g["A"].reshape(64, 4, 64).sum(axis=1)})  # fmt: skip

WORKGROUP["what is swapped in a loop"] = User(kernel("%A: memref<32x32xf32>, %B: memref<32x32xf32>, %R: memref<32x32xf32>",
    load("a", "A", "32x32xf32", "32x32xf32", "%c0, %c0", "#l") + "\n" + load("b", "B", "32x32xf32", "32x32xf32", "%c0, %c0", "#m") + """
    %r:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %a, %y = %b) -> (vector<32x32xf32>, vector<32x32xf32>) {
      %s = arith.addf %x, %y : vector<32x32xf32>
      scf.yield %y, %s : vector<32x32xf32>, vector<32x32xf32>
    }
    %y = arith.subf %r#0, %r#1 : vector<32x32xf32>
""" + store("y", "R", "32x32xf32", "32x32xf32", "%c0, %c0", "#l"),
    aliases="#l = #xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>\n#m = #xegpu.layout<sg_layout = [4, 1], sg_data = [8, 32]>"),
    lambda g: {"R": _fibonacci(g["A"], g["B"])})  # fmt: skip


def _fibonacci(x, y):
    for _ in range(4):
        x, y = y, x + y
    return x - y
