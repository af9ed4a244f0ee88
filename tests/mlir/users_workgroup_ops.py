"""Modules of workgroups, op by op: counts of subgroups, reductions, conversions, slices, joins, functions."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import User, desc, kernel, load, store, wide

WORKGROUP_OPS: dict[str, User] = {}


def lay(subgroups, data=None, more=""):
    return f"#xegpu.layout<sg_layout = {subgroups}" + (f", sg_data = {data}" if data else "") + more + ">"


_L = lay("[2, 2]", "[8, 16]")


def one(body, f, layout=_L, shape="16x32", e="f32", out=None, aliases="", lo="#l", scal=None, args="", oute=None, said=""):
    out = out or shape
    oute = oute or e
    return User(
        kernel(
            f"%A: memref<{shape}x{e}>, %R: memref<{out}x{oute}>{args}",
            f"""
{load("x", "A", f"{shape}x{e}", f"{shape}x{e}", more="#l")}
{body}
{store("y", "R", f"{out}x{oute}", f"{out}x{oute}", more=lo)}""",
            said,
            f"#l = {layout}\n{aliases}",
        ),
        lambda g: {"R": f(g["A"])},
        scalars=scal or {},
    )


WORKGROUP_OPS["sg_data left out"] = one("    %y = arith.addf %x, %x : vector<16x32xf32>", lambda a: 2 * a, lay("[2, 2]"))
for _l, _d in (("[3, 5]", "[8, 8]"), ("[1, 3]", "[24, 16]"), ("[6, 1]", "[4, 40]")):
    sh = {"[3, 5]": "24x40", "[1, 3]": "24x48", "[6, 1]": "24x40"}[_l]
    WORKGROUP_OPS[f"subgroups {_l}"] = one(f"""    %z = arith.constant dense<1.0> : vector<{sh.split('x')[1]}xf32>
    %s = vector.multi_reduction <maximumf>, %x, %z [0] : vector<{sh}xf32> to vector<{sh.split('x')[1]}xf32>
    %b = vector.broadcast %s : vector<{sh.split('x')[1]}xf32> to vector<{sh}xf32>
    %y = arith.subf %x, %b {{layout_result_0 = #l}} : vector<{sh}xf32>""", lambda a: a-np.maximum(a.max(0),1), lay(_l, _d), sh)  # fmt: skip
for kind, e, st, of in (
    ("maxsi", "i32", "-100", np.max),
    ("minui", "i8", "-1", lambda a, axis, keepdims: np.min(a.view(np.uint8), axis=axis, keepdims=keepdims).view(np.int8)),
    ("xor", "i32", "5", lambda a, axis, keepdims: np.bitwise_xor.reduce(a, axis=axis, keepdims=keepdims) ^ 5),
    ("mul", "f32", "1.0", np.prod),
    ("and", "i16", "-1", lambda a, axis, keepdims: np.bitwise_and.reduce(a, axis=axis, keepdims=keepdims)),
    ("add", "i8", "1", lambda a, axis, keepdims: (np.sum(a, axis=axis, keepdims=keepdims, dtype=np.int8) + 1).astype(np.int8)),
    ("maxnumf", "f16", "0xFC00", np.max),
):
    WORKGROUP_OPS[f"reduce {kind} {e} across sgs"] = one(f"""    %z = arith.constant {{layout_result_0 = #s}} dense<{st}> : vector<16x{e}>
    %s = vector.multi_reduction <{kind}>, %x, %z {{layout_result_0 = #s}} [1] : vector<16x32x{e}> to vector<16x{e}>
    %c = vector.shape_cast %s {{layout_result_0 = #c}} : vector<16x{e}> to vector<16x1x{e}>
    %b = vector.broadcast %c {{layout_result_0 = #l}} : vector<16x1x{e}> to vector<16x32x{e}>
    %y = arith.{'subf' if e[0]=='f' else 'subi'} %x, %b {{layout_result_0 = #l}} : vector<16x32x{e}>""", lambda a,of=of: (a-of(a,axis=1,keepdims=True)).astype(a.dtype), lay("[2, 4]","[8, 8]"), e=e,
    aliases=f"#s = #xegpu.slice<#l, dims = [1]>\n#c = {lay('[2, 4]','[8, 1]')}")  # fmt: skip
for o1, o2 in (("[2, 1, 0]", "[0, 1, 2]"), ("[1, 0, 2]", "[2, 0, 1]")):
    WORKGROUP_OPS[f"orders of rank 3 {o1} {o2}"] = User(kernel("%A: memref<64x32xf32>, %R: memref<64x32xf32>", f"""
{load("x","A","64x32xf32","64x32xf32",more="#k")}
    %w = vector.shape_cast %x {{layout_result_0 = #l}} : vector<64x32xf32> to vector<4x16x32xf32>
    %d = arith.mulf %w, %w {{layout_result_0 = #l}} : vector<4x16x32xf32>
    %c = xegpu.convert_layout %d <{{input_layout = #l, target_layout = #o}}> : vector<4x16x32xf32>
    %e = arith.addf %c, %c {{layout_result_0 = #o}} : vector<4x16x32xf32>
    %y = vector.shape_cast %e {{layout_result_0 = #k}} : vector<4x16x32xf32> to vector<64x32xf32>
{store("y","R","64x32xf32","64x32xf32",more="#k")}""", aliases=f"#l = {lay('[2, 2, 2]','[2, 8, 16]', f', order = {o1}')}\n#o = {lay('[2, 2, 2]','[2, 8, 16]', f', order = {o2}')}\n#k = {lay('[8, 1]','[8, 32]')}"), lambda g: {"R": 2*g["A"]**2})  # fmt: skip
for e in ("i1", "i64", "bf16"):
    cast={"i1":("arith.cmpi sgt, %x, %z : vector<16x32xi32>","arith.extui %c {layout_result_0 = #o} : vector<16x32xi1> to vector<16x32xi32>",lambda a:(a>1)),
          "i64":("arith.extsi %x : vector<16x32xi32> to vector<16x32xi64>","arith.trunci %c {layout_result_0 = #o} : vector<16x32xi64> to vector<16x32xi32>",lambda a:a),
          "bf16":("arith.sitofp %x : vector<16x32xi32> to vector<16x32xbf16>","arith.fptosi %c {layout_result_0 = #o} : vector<16x32xbf16> to vector<16x32xi32>",lambda a:a)}[e]  # fmt: skip
    WORKGROUP_OPS[f"convert_layout of {e}"] = one(f"""    %z = arith.constant {{layout_result_0 = #l}} dense<1> : vector<16x32xi32>
    %d = {cast[0]}
    %c = xegpu.convert_layout %d <{{input_layout = #l, target_layout = #o}}> : vector<16x32x{e}>
    %y = {cast[1]}""", cast[2], e="i32", aliases=f"#o = {lay('[4, 1]','[4, 32]')}", lo="#o")  # fmt: skip
WORKGROUP_OPS["convert_layout rank 1 and shared"] = User(kernel("%A: memref<64xf32>, %R: memref<64xf32>", f"""
{load("x","A","64xf32","64xf32","0","#l")}
    %c = xegpu.convert_layout %x <{{input_layout = #l, target_layout = #s}}> : vector<64xf32>
    %d = arith.addf %c, %c {{layout_result_0 = #s}} : vector<64xf32>
    %y = xegpu.convert_layout %d <{{input_layout = #s, target_layout = #l}}> : vector<64xf32>
{store("y","R","64xf32","64xf32","0","#l")}""", aliases=f"#l = {lay('[4]','[16]')}\n#s = #xegpu.slice<{lay('[2, 2]','[8, 32]')}, dims = [0]>"), lambda g: {"R": 2*g["A"]})  # fmt: skip
WORKGROUP_OPS["round robin of rank 1 and chunks"] = User(kernel("%A: memref<256xf32>, %R: memref<256xf32>", f"""
{load("x","A","256xf32","256xf32","0","#l")}
    %y = arith.mulf %x, %x : vector<256xf32>
{store("y","R","256xf32","256xf32","0","#l")}""", aliases=f"#l = {lay('[4]','[16]')}"), lambda g: {"R": g["A"]**2})  # fmt: skip
WORKGROUP_OPS["shared by all subgroups"] = one(
    "    %y = arith.addf %x, %x : vector<16x32xf32>", lambda a: 2 * a, lay("[2, 2]", "[16, 32]")
)  # fmt: skip
WORKGROUP_OPS["layout on convert alone"] = User(kernel("%A: memref<16x32xf32>, %R: memref<16x32xf32>", f"""
    %t = xegpu.create_nd_tdesc %A : memref<16x32xf32> -> {desc("16x32xf32","#l")}
    %x = xegpu.load_nd %t[0, 0] : {desc("16x32xf32","#l")} -> vector<16x32xf32>
    %c = xegpu.convert_layout %x <{{input_layout = #l, target_layout = #o}}> : vector<16x32xf32>
    %e = math.absf %c : vector<16x32xf32>
    %r = xegpu.create_nd_tdesc %R : memref<16x32xf32> -> {desc("16x32xf32","#o")}
    xegpu.store_nd %e, %r[0, 0] : vector<16x32xf32>, {desc("16x32xf32","#o")}""", aliases=f"#l = {lay('[2, 2]','[8, 16]')}\n#o = {lay('[1, 4]','[16, 8]')}"), lambda g: {"R": abs(g["A"])})  # fmt: skip
WORKGROUP_OPS["transpose of rank 3 between layouts"] = User(kernel("%A: memref<64x32xf16>, %R: memref<64x32xf16>", f"""
{load("x","A","64x32xf16","64x32xf16",more="#k")}
    %w = vector.shape_cast %x {{layout_result_0 = #l}} : vector<64x32xf16> to vector<4x16x32xf16>
    %d = vector.transpose %w, [1, 0, 2] {{layout_result_0 = #o}} : vector<4x16x32xf16> to vector<16x4x32xf16>
    %y = vector.shape_cast %d {{layout_result_0 = #k}} : vector<16x4x32xf16> to vector<64x32xf16>
{store("y","R","64x32xf16","64x32xf16",more="#k")}""", aliases=f"#l = {lay('[2, 2, 2]','[2, 8, 16]')}\n#o = {lay('[4, 2, 1]','[4, 2, 32]')}\n#k = {lay('[8, 1]','[8, 32]')}"), lambda g: {"R": g["A"].reshape(4,16,32).transpose(1,0,2).reshape(64,32)})  # fmt: skip
WORKGROUP_OPS["rank 3 reduction over 0 and 1 with slices"] = User(kernel("%A: memref<64x32xf32>, %R: memref<64x32xf32>", f"""
{load("x","A","64x32xf32","64x32xf32",more="#k")}
    %w = vector.shape_cast %x {{layout_result_0 = #l}} : vector<64x32xf32> to vector<4x16x32xf32>
    %z = arith.constant {{layout_result_0 = #xegpu.slice<#l, dims = [0, 1]>}} dense<0.0> : vector<32xf32>
    %s = vector.multi_reduction <add>, %w, %z {{layout_result_0 = #xegpu.slice<#l, dims = [0, 1]>}} [0, 1] : vector<4x16x32xf32> to vector<32xf32>
    %b = vector.broadcast %s {{layout_result_0 = #k}} : vector<32xf32> to vector<64x32xf32>
    %y = arith.subf %x, %b {{layout_result_0 = #k}} : vector<64x32xf32>
{store("y","R","64x32xf32","64x32xf32",more="#k")}""", aliases=f"#l = {lay('[2, 2, 2]','[2, 8, 16]')}\n#k = {lay('[8, 1]','[8, 32]')}"), lambda g: {"R": g["A"]-g["A"].sum(0)})  # fmt: skip
D = desc("16x32xf32", "#l")


WORKGROUP_OPS["64 subgroups reduce"] = one("""    %z = arith.constant dense<0.0> : vector<64xf32>
    %s = vector.multi_reduction <add>, %x, %z [0] : vector<64x64xf32> to vector<64xf32>
    %b = vector.broadcast %s : vector<64xf32> to vector<64x64xf32>
    %y = arith.addf %x, %b {layout_result_0 = #l} : vector<64x64xf32>""", lambda a:a+a.sum(0), lay("[8, 8]","[8, 8]"), "64x64")  # fmt: skip
WORKGROUP_OPS["step, masks, gather of rank 2 of a workgroup"] = User(kernel("%A: memref<1024xf16>, %R: memref<16x32xf16>, %h: index, %w: index", f"""
    %i = vector.step {{layout_result_0 = #s0}} : vector<16xindex>
    %j = vector.step {{layout_result_0 = #s1}} : vector<32xindex>
    %k = arith.constant {{layout_result_0 = #s0}} dense<64> : vector<16xindex>
    %ik = arith.muli %i, %k {{layout_result_0 = #s0}} : vector<16xindex>
    %i1 = vector.shape_cast %ik {{layout_result_0 = #c}} : vector<16xindex> to vector<16x1xindex>
    %ib = vector.broadcast %i1 {{layout_result_0 = #l}} : vector<16x1xindex> to vector<16x32xindex>
    %jb = vector.broadcast %j {{layout_result_0 = #l}} : vector<32xindex> to vector<16x32xindex>
    %o = arith.addi %ib, %jb {{layout_result_0 = #l}} : vector<16x32xindex>
    %m = vector.create_mask %h, %w {{layout_result_0 = #l}} : vector<16x32xi1>
    %p = memref.extract_aligned_pointer_as_index %A : memref<1024xf16> -> index
    %a = arith.index_cast %p : index to i64
    %v = xegpu.load %a[%o], %m <{{layout = #l}}> : i64, vector<16x32xindex>, vector<16x32xi1> -> vector<16x32xf16>
    %z = arith.constant {{layout_result_0 = #l}} dense<7.0> : vector<16x32xf16>
    %y = arith.select %m, %v, %z {{layout_result_0 = #l}} : vector<16x32xi1>, vector<16x32xf16>
{store("y","R","16x32xf16","16x32xf16",more="#l")}""", aliases=f"#l = {lay('[2, 2]','[8, 16]')}\n#s0 = #xegpu.slice<#l, dims = [1]>\n#s1 = #xegpu.slice<#l, dims = [0]>\n#c = {lay('[2, 2]','[8, 1]')}"),
    lambda g: {"R": np.where((np.arange(16)[:,None]<13)&(np.arange(32)<27), g["A"].reshape(16,64)[:,:32], 7)}, scalars={"h":13,"w":27})  # fmt: skip
WORKGROUP_OPS["switch of a workgroup: values in layouts"] = one("""    %b = gpu.block_id x
    %v = scf.index_switch %n -> vector<16x32xf32>
    case 0 {
      scf.yield %x : vector<16x32xf32>
    }
    case 1 {
      %c = xegpu.convert_layout %x <{input_layout = #l, target_layout = #o}> : vector<16x32xf32>
      %q = arith.negf %c {layout_result_0 = #o} : vector<16x32xf32>
      %w = xegpu.convert_layout %q <{input_layout = #o, target_layout = #l}> : vector<16x32xf32>
      scf.yield %w : vector<16x32xf32>
    }
    default {
      %w = arith.addf %x, %x : vector<16x32xf32>
      scf.yield %w : vector<16x32xf32>
    }
    %y = arith.addf %v, %x : vector<16x32xf32>""", lambda a:0*a, aliases=f"#o = {lay('[4, 1]','[4, 32]')}", args=", %n: index", scal={"n":1})  # fmt: skip
WORKGROUP_OPS["function of a workgroup with layouts"] = User(f"""#l = {lay('[2, 2]','[8, 16]')}
#o = {lay('[4, 1]','[4, 32]')}
gpu.module @m {{
  func.func private @f(%x: vector<16x32xf32>, %d: {desc("16x32xf32","#o")}) -> vector<16x32xf32> {{
    %y = xegpu.load_nd %d[0, 0] : {desc("16x32xf32","#o")} -> vector<16x32xf32>
    %c = xegpu.convert_layout %y <{{input_layout = #o, target_layout = #l}}> : vector<16x32xf32>
    %s = arith.mulf %x, %c {{layout_result_0 = #l}} : vector<16x32xf32>
    return %s : vector<16x32xf32>
  }}
  gpu.func @k(%A: memref<16x32xf32>, %B: memref<16x32xf32>, %R: memref<16x32xf32>) kernel {{
    %t = xegpu.create_nd_tdesc %A : memref<16x32xf32> -> {desc("16x32xf32","#l")}
    %x = xegpu.load_nd %t[0, 0] : {desc("16x32xf32","#l")} -> vector<16x32xf32>
    %u = xegpu.create_nd_tdesc %B : memref<16x32xf32> -> {desc("16x32xf32","#o")}
    %y = func.call @f(%x, %u) : (vector<16x32xf32>, {desc("16x32xf32","#o")}) -> vector<16x32xf32>
    %z = func.call @f(%y, %u) : (vector<16x32xf32>, {desc("16x32xf32","#o")}) -> vector<16x32xf32>
    %r = xegpu.create_nd_tdesc %R : memref<16x32xf32> -> {desc("16x32xf32","#l")}
    xegpu.store_nd %z, %r[0, 0] : vector<16x32xf32>, {desc("16x32xf32","#l")}
    gpu.return
  }}
}}""", lambda g: {"R": g["A"]*g["B"]**2})  # fmt: skip
WORKGROUP_OPS["atomics behind a mask, the old elements kept"] = User(kernel("%A: memref<128xi32>, %R: memref<128xi32>, %R1: memref<128xi32>, %n: index", f"""
{load("v","A","128xi32","128xi32","0","#l")}
    %i = vector.step {{layout_result_0 = #l}} : vector<128xindex>
    %m = vector.create_mask %n {{layout_result_0 = #l}} : vector<128xi1>
    %d = xegpu.create_tdesc %R, %i : memref<128xi32>, vector<128xindex> -> !xegpu.tensor_desc<128xi32, #xegpu.scatter_tdesc_attr<>, #l>
    %old = xegpu.atomic_rmw maxs %d, %m, %v : !xegpu.tensor_desc<128xi32, #xegpu.scatter_tdesc_attr<>, #l>, vector<128xi1>, vector<128xi32> -> vector<128xi32>
    xegpu.store %old, %R1[%i], %m <{{layout = #l}}> : vector<128xi32>, memref<128xi32>, vector<128xindex>, vector<128xi1>""", aliases=f"#l = {lay('[4]','[32]')}"),
    lambda g: {"R": np.where(np.arange(128)<77,np.maximum(g["A"],g["R"]),g["R"]), "R1": np.where(np.arange(128)<77,g["R"],g["R1"])}, scalars={"n":77})  # fmt: skip
WORKGROUP_OPS["arrays that no block message reaches"] = User(kernel("%A: memref<33x45xf16>, %R: memref<35x47xf16>", f"""
{load("x","A","33x45xf16","32x32xf16","%c1, %c8","#l")}
    %y = arith.addf %x, %x : vector<32x32xf16>
    %r = xegpu.create_nd_tdesc %R : memref<35x47xf16> -> {desc("32x32xf16","#l")}
    xegpu.store_nd %y, %r[3, 16] : vector<32x32xf16>, {desc("32x32xf16","#l")}""", aliases=f"#l = {lay('[2, 2]','[16, 16]')}"), lambda g: {"R": _pl(g["R"],(3,16),2*np.pad(g["A"],((0,9),(0,9)))[1:33,8:40])})  # fmt: skip


def _pl(r, at, p):
    r = r.copy()
    t = r[at[0] :, at[1] :]
    t[: p.shape[0], : p.shape[1]] = p[: t.shape[0], : t.shape[1]]
    return r


WORKGROUP_OPS["lanes and inst given, odd"] = one("""    %z = arith.constant {layout_result_0 = #s} dense<0.0> : vector<32xf32>
    %s = vector.multi_reduction <add>, %x, %z {layout_result_0 = #s} [0] : vector<32x32xf32> to vector<32xf32>
    %b = vector.broadcast %s {layout_result_0 = #l} : vector<32xf32> to vector<32x32xf32>
    %y = arith.addf %x, %b {layout_result_0 = #l} : vector<32x32xf32>""", lambda a:a+a.sum(0), lay("[2, 2]","[16, 16]",", inst_data = [8, 16], lane_layout = [2, 8], lane_data = [1, 1], order = [1, 0]"), "32x32", aliases="#s = #xegpu.slice<#l, dims = [0]>")  # fmt: skip
WORKGROUP_OPS["if on vectors of workgroup w/ index result used by store"] = one("""    %p = arith.cmpi eq, %n, %c1 : index
    %v, %o = scf.if %p -> (vector<16x32xf32>, index) {
      %q = arith.negf %x : vector<16x32xf32>
      scf.yield %q, %c0 : vector<16x32xf32>, index
    } else {
      scf.yield %x, %c8 : vector<16x32xf32>, index
    }
    %f = arith.index_cast %o : index to i32
    %g = arith.sitofp %f : i32 to f32
    %b = vector.broadcast %g : f32 to vector<16x32xf32>
    %y = arith.addf %v, %b : vector<16x32xf32>""", lambda a:a+8, args=", %n: index", scal={"n":0})  # fmt: skip
WORKGROUP_OPS["prefetch scattered of a workgroup"] = User(kernel("%A: memref<256xf32>, %R: memref<128xf32>", """
    %i = vector.step {layout_result_0 = #l} : vector<128xindex>
    %o = arith.addi %i, %i {layout_result_0 = #l} : vector<128xindex>
    %m = arith.constant {layout_result_0 = #l} dense<true> : vector<128xi1>
    xegpu.prefetch %A[%o] <{l1_hint = #xegpu.cache_hint<cached>, layout = #l}> : memref<256xf32>, vector<128xindex>
    %v = xegpu.load %A[%o], %m <{layout = #l}> : memref<256xf32>, vector<128xindex>, vector<128xi1> -> vector<128xf32>
    xegpu.store %v, %R[%i], %m <{layout = #l}> : vector<128xf32>, memref<128xf32>, vector<128xindex>, vector<128xi1>""", aliases=f"#l = {lay('[4]','[32]')}"), lambda g: {"R": g["A"][::2]})  # fmt: skip
WORKGROUP_OPS["dpas of transposed A"] = User(kernel("%A: memref<32x32xf16>, %B: memref<32x32xf16>, %R: memref<32x32xf32>", f"""
{load("a","A","32x32xf16","32x32xf16",more="#l")}
{load("b","B","32x32xf16","32x32xf16",more="#l")}
    %t = vector.transpose %a, [1, 0] {{layout_result_0 = #l}} : vector<32x32xf16> to vector<32x32xf16>
    %y = xegpu.dpas %t, %b {{layout_cd = #l}} : vector<32x32xf16>, vector<32x32xf16> -> vector<32x32xf32>
{store("y","R","32x32xf32","32x32xf32",more="#l")}""", aliases=f"#l = {lay('[2, 2]','[16, 16]')}"), lambda g: {"R": wide(g["A"]).T@wide(g["B"])})  # fmt: skip
WORKGROUP_OPS["a product of where rows of another are largest"] = User(kernel("%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf16>, %R: memref<32x32xf32>", f"""
{load("a","A","32x32xf16","32x32xf16",more="#l")}
{load("b","B","32x32xf16","32x32xf16",more="#l")}
{load("c","C","32x32xf16","32x32xf16",more="#l")}
    %p = xegpu.dpas %a, %b {{layout_cd = #l}} : vector<32x32xf16>, vector<32x32xf16> -> vector<32x32xf32>
    %lo = arith.constant {{layout_result_0 = #s}} dense<0xFF800000> : vector<32xf32>
    %mx = vector.multi_reduction <maximumf>, %p, %lo {{layout_result_0 = #s}} [1] : vector<32x32xf32> to vector<32xf32>
    %m1 = vector.shape_cast %mx {{layout_result_0 = #k}} : vector<32xf32> to vector<32x1xf32>
    %mb = vector.broadcast %m1 {{layout_result_0 = #l}} : vector<32x1xf32> to vector<32x32xf32>
    %d = arith.cmpf oeq, %p, %mb : vector<32x32xf32>
    %one = arith.constant dense<1.0> : vector<32x32xf16>
    %zero = arith.constant dense<0.0> : vector<32x32xf16>
    %h = arith.select %d, %one, %zero : vector<32x32xi1>, vector<32x32xf16>
    %y = xegpu.dpas %h, %c {{layout_cd = #l}} : vector<32x32xf16>, vector<32x32xf16> -> vector<32x32xf32>
{store("y","R","32x32xf32","32x32xf32",more="#l")}""", aliases=f"#l = {lay('[4, 2]','[8, 16]')}\n#s = #xegpu.slice<#l, dims = [1]>\n#k = {lay('[4, 2]','[8, 1]')}"), lambda g: (lambda p: {"R": (p==p.max(1,keepdims=True)).astype(np.float32)@wide(g["C"])})(wide(g["A"])@wide(g["B"])))  # fmt: skip
WORKGROUP_OPS["scalars from memory decide offsets"] = User(kernel("%A: memref<64x32xf32>, %I: memref<4xi32>, %R: memref<16x32xf32>", f"""
    %q = memref.load %I[%c1] : memref<4xi32>
    %q2 = arith.muli %q, %q : i32
    %j = arith.index_cast %q2 : i32 to index
{load("x","A","64x32xf32","16x32xf32","%j, %c0","#l")}
{store("x","R","16x32xf32","16x32xf32",more="#l")}""", aliases=f"#l = {lay('[2, 2]','[8, 16]')}"), lambda g: {"R": g["A"][int(g["I"][1])**2:][:16]})  # fmt: skip
