"""Workgroup-level XeGPU modules: one for each rule by which ops are distributed to subgroups.

`MODULES`: name to text; arrays are A, B (read) and R (written). `UPSTREAM_REFUSES`: those that LLVM 22's pass does not do;
`UPSTREAM_WRONG`: those that mean something else afterwards, and what gets lost (22.1.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from xetile.layout import Layout, Slice

MODULES: dict[str, str] = {}
UPSTREAM_REFUSES: dict[str, str] = {}
UPSTREAM_WRONG: dict[str, str] = {}

Shape = tuple[int, ...]
ROOT = Path(__file__).parents[2]


def kernel(arguments: str, *lines: str) -> str:
    body = "\n".join(f"    {line.strip()}" for part in lines for line in part.strip().splitlines())
    return f"gpu.module @m {{\n  gpu.func @k({arguments}) kernel {{\n    %c0 = arith.constant 0 : index\n{body}\n    gpu.return\n  }}\n}}\n"


def by(shape: Shape) -> str:
    return "x".join(map(str, shape))


def load(name: str, array: str, memory: Shape, shape: Shape, layout: Layout, element: str = "f32", at: str = "") -> str:
    desc = f"!xegpu.tensor_desc<{by(shape)}x{element}, {layout}>"
    offsets = at or ", ".join(["%c0"] * len(shape))
    return f"""
        %t{name} = xegpu.create_nd_tdesc %{array} : memref<{by(memory)}x{element}> -> {desc}
        %{name} = xegpu.load_nd %t{name}[{offsets}] <{{layout = {layout}}}> : {desc} -> vector<{by(shape)}x{element}>"""


def store(value: str, array: str, memory: Shape, shape: Shape, layout: Layout, element: str = "f32", at: str = "") -> str:
    desc = f"!xegpu.tensor_desc<{by(shape)}x{element}, {layout}>"
    offsets = at or ", ".join(["%c0"] * len(shape))
    return f"""
        %d{value} = xegpu.create_nd_tdesc %{array} : memref<{by(memory)}x{element}> -> {desc}
        xegpu.store_nd %{value}, %d{value}[{offsets}] <{{layout = {layout}}}> : vector<{by(shape)}x{element}>, {desc}"""


def copy(shape: Shape, layout: Layout, memory: Shape = ()) -> str:
    """Twice each element."""
    memory = memory or shape
    arguments = f"%A: memref<{by(memory)}xf32>, %R: memref<{by(memory)}xf32>"
    double = f"%w = arith.addf %v, %v {{layout_result_0 = {layout}}} : vector<{by(shape)}xf32>"
    return kernel(arguments, load("v", "A", memory, shape, layout), double, store("w", "R", memory, shape, layout))


SQUARE = (64, 64)
TWO = "%A: memref<64x64xf32>, %R: memref<64x64xf32>"
PLAIN = Layout((2, 4), (32, 16))
ROWS = Layout((8, 1), (8, 64))
COLUMNS = Layout((1, 8), (64, 8))

COPIES: dict[str, tuple[Shape, Layout, Shape]] = {
    "even": (SQUARE, PLAIN, ()),
    "one dimension": ((256,), Layout((8,), (32,)), ()),
    "round robin along rows and columns": (SQUARE, Layout((2, 2), (8, 16)), ()),
    "round robin along columns": (SQUARE, Layout((2, 2), (32, 8)), ()),
    "round robin in one dimension": ((256,), Layout((4,), (16,)), ()),
    "shared by several subgroups": ((32, 64), Layout((4, 2), (32, 32)), ()),
    "column-major order": (SQUARE, Layout((2, 4), (32, 16), order=(0, 1)), ()),
    "column-major order, round robin": (SQUARE, Layout((2, 2), (16, 16), order=(0, 1)), ()),
    "a block of a larger array": ((32, 32), Layout((2, 2), (16, 16)), (40, 56)),
    "past the edge of the array": (SQUARE, PLAIN, (50, 52)),
    "no sg_data": (SQUARE, Layout((2, 4)), ()),
    "inst_data and lanes": (SQUARE, Layout((2, 4), (32, 16), (8, 16), (1, 16), (1, 1)), ()),
}
MODULES |= {name: copy(*parts) for name, parts in COPIES.items()}

MODULES["elementwise"] = kernel(
    "%A: memref<64x64xf32>, %B: memref<64x64xf32>, %R: memref<64x64xf16>",
    load("a", "A", SQUARE, SQUARE, PLAIN), load("b", "B", SQUARE, SQUARE, PLAIN), f"""
    %s = arith.mulf %a, %b {{layout_result_0 = {PLAIN}}} : vector<64x64xf32>
    %e = math.absf %s {{layout_result_0 = {PLAIN}}} : vector<64x64xf32>
    %c = arith.cmpf olt, %a, %b {{layout_result_0 = {PLAIN}}} : vector<64x64xf32>
    %f = arith.select %c, %e, %s {{layout_result_0 = {PLAIN}}} : vector<64x64xi1>, vector<64x64xf32>
    %h = arith.truncf %f {{layout_result_0 = {PLAIN}}} : vector<64x64xf32> to vector<64x64xf16>""",
    store("h", "R", SQUARE, SQUARE, PLAIN, "f16"))  # fmt: skip


def reduced(layout: Layout, dim: int) -> str:
    """The sums along a dimension, written by offsets."""
    line = layout.slice((dim,))
    return kernel("%A: memref<64x64xf32>, %R: memref<64xf32>", load("a", "A", SQUARE, SQUARE, layout), f"""
        %z = arith.constant {{layout_result_0 = {line}}} dense<0.0> : vector<64xf32>
        %s = vector.multi_reduction <add>, %a, %z {{layout_result_0 = {line}}} [{dim}] : vector<64x64xf32> to vector<64xf32>
        %i = vector.step {{layout_result_0 = {line}}} : vector<64xindex>
        %m = arith.constant {{layout_result_0 = {line}}} dense<true> : vector<64xi1>
        xegpu.store %s, %R[%i], %m <{{layout = {line}}}> : vector<64xf32>, memref<64xf32>, vector<64xindex>, vector<64xi1>""")  # fmt: skip


MODULES["sums of rows"] = reduced(ROWS, 1)
MODULES["sums of columns"] = reduced(COLUMNS, 0)
MODULES["sums of rows of several subgroups"] = reduced(PLAIN, 1)
UPSTREAM_REFUSES["sums of rows of several subgroups"] = "vector.multi_reduction"

MODULES["reduction and broadcast"] = kernel(
    TWO, load("a", "A", SQUARE, SQUARE, COLUMNS), f"""
    %z = arith.constant {{layout_result_0 = {COLUMNS.slice((0,))}}} dense<0.0> : vector<64xf32>
    %s = vector.multi_reduction <maximumf>, %a, %z {{layout_result_0 = {COLUMNS.slice((0,))}}} [0] : vector<64x64xf32> to vector<64xf32>
    %w = vector.broadcast %s {{layout_result_0 = {COLUMNS}}} : vector<64xf32> to vector<64x64xf32>
    %o = arith.subf %a, %w {{layout_result_0 = {COLUMNS}}} : vector<64x64xf32>""",
    store("o", "R", SQUARE, SQUARE, COLUMNS))  # fmt: skip

MODULES["broadcast of a row"] = kernel(
    "%A: memref<1x64xf32>, %R: memref<64x64xf32>", load("a", "A", (1, 64), (1, 64), Layout((1, 8), (1, 8))),
    f"%w = vector.broadcast %a {{layout_result_0 = {COLUMNS}}} : vector<1x64xf32> to vector<64x64xf32>",
    store("w", "R", SQUARE, SQUARE, COLUMNS))  # fmt: skip


def transposed(source: Layout, result: Layout) -> str:
    swap = f"%s = vector.transpose %a, [1, 0] {{layout_result_0 = {result}}} : vector<64x64xf32> to vector<64x64xf32>"
    return kernel(TWO, load("a", "A", SQUARE, SQUARE, source), swap, store("s", "R", SQUARE, SQUARE, result))


MODULES["transpose"] = transposed(Layout((4, 2), (16, 32), order=(0, 1)), Layout((2, 4), (32, 16), order=(1, 0)))
MODULES["transpose to column-major"] = transposed(Layout((4, 2), (16, 32), order=(1, 0)), Layout((2, 4), (32, 16), order=(0, 1)))


TALL, WIDE = Layout((4, 2), (16, 16)), Layout((2, 4), (16, 16))
TALL_DESC = f"!xegpu.tensor_desc<64x32xf32, {TALL}>"
MODULES["load that transposes"] = kernel("%A: memref<64x32xf32>, %R: memref<32x64xf32>", f"""
    %ta = xegpu.create_nd_tdesc %A : memref<64x32xf32> -> {TALL_DESC}
    %a = xegpu.load_nd %ta[%c0, %c0] <{{layout = {WIDE}, transpose = array<i64: 1, 0>}}> : {TALL_DESC} -> vector<32x64xf32>""",
    store("a", "R", (32, 64), (32, 64), WIDE))  # fmt: skip
UPSTREAM_WRONG["load that transposes"] = "the transpose"


def converted(source: Layout, target: Layout) -> str:
    convert = f"%s = xegpu.convert_layout %a <{{input_layout = {source}, target_layout = {target}}}> : vector<64x64xf32>"
    return kernel(TWO, load("a", "A", SQUARE, SQUARE, source), convert, store("s", "R", SQUARE, SQUARE, target))


MODULES["convert_layout of instructions"] = converted(PLAIN.with_inst((8, 16)), PLAIN.with_inst((16, 16)))
MODULES["convert_layout between subgroups"] = converted(PLAIN, ROWS)
UPSTREAM_REFUSES["convert_layout between subgroups"] = "xegpu.convert_layout"


def moved(offsets: str, layout: Layout, shape: Shape = (128,), chunk: str = "") -> str:
    """Twice the elements at offsets, to the same place."""
    of, lanes = f"vector<{by(shape)}xf32>", "vector<128xindex>, vector<128xi1>"
    return kernel("%A: memref<2048xf32>, %R: memref<2048xf32>", offsets, f"""
        %v = xegpu.load %A[%o], %m <{{{chunk}layout = {layout}}}> : memref<2048xf32>, {lanes} -> {of}
        %w = arith.addf %v, %v {{layout_result_0 = {layout}}} : {of}
        xegpu.store %w, %R[%o], %m <{{{chunk}layout = {layout}}}> : {of}, memref<2048xf32>, {lanes}""")  # fmt: skip


def line(values: Sequence[int], layout: Layout | Slice) -> str:
    return f"""
        %o = arith.constant {{layout_result_0 = {layout}}} dense<{list(values)}> : vector<128xindex>
        %m = arith.constant {{layout_result_0 = {layout}}} dense<true> : vector<128xi1>"""


LINE, CHUNKS = Layout((8,), (16,)), Layout((8, 1), (16, 4))
MODULES["scattered: offsets by arithmetic"] = moved(f"""
    %three = arith.constant {{layout_result_0 = {LINE}}} dense<3> : vector<128xindex>
    %i = vector.step {{layout_result_0 = {LINE}}} : vector<128xindex>
    %o = arith.muli %i, %three {{layout_result_0 = {LINE}}} : vector<128xindex>
    %m = vector.constant_mask [120] {{layout_result_0 = {LINE}}} : vector<128xi1>""", LINE)  # fmt: skip
MODULES["scattered: a progression of constants"] = moved(line(range(5, 5 + 7 * 128, 7), LINE), LINE)
FEW = Layout((4,), (16,))
MODULES["scattered: round robin"] = moved(f"""
    %o = vector.step {{layout_result_0 = {FEW}}} : vector<128xindex>
    %m = vector.constant_mask [120] {{layout_result_0 = {FEW}}} : vector<128xi1>""", FEW)  # fmt: skip
MODULES["scattered: round robin under a constant mask"] = moved(line(range(0, 256, 2), FEW), FEW)
UPSTREAM_WRONG["scattered: round robin under a constant mask"] = "all rounds but the first: a splat is one piece"
MODULES["scattered: chunks"] = moved(line(range(0, 1024, 8), CHUNKS.slice((1,))), CHUNKS, (128, 4), "chunk_size = 4 : i64, ")

MODULES["matrices in shared memory"] = kernel(TWO, load("a", "A", SQUARE, SQUARE, PLAIN), f"""
    %slm = memref.alloca() : memref<16384xi8, 3>
    %mat = xegpu.create_mem_desc %slm : memref<16384xi8, 3> -> !xegpu.mem_desc<64x64xf32>
    xegpu.store_matrix %a, %mat[%c0, %c0] <{{layout = {PLAIN}}}> : vector<64x64xf32>, !xegpu.mem_desc<64x64xf32>, index, index
    gpu.barrier
    %s = xegpu.load_matrix %mat[%c0, %c0] <{{layout = {ROWS}}}> : !xegpu.mem_desc<64x64xf32>, index, index -> vector<64x64xf32>""",
    store("s", "R", SQUARE, SQUARE, ROWS))  # fmt: skip

DESC = f"!xegpu.tensor_desc<64x64xf32, {PLAIN}>"
MODULES["descriptors that move in a loop"] = kernel("%A: memref<64x256xf32>, %R: memref<64x64xf32>", f"""
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %ta = xegpu.create_nd_tdesc %A[%c0, %c0] : memref<64x256xf32> -> {DESC}
    %z = arith.constant {{layout_result_0 = {PLAIN}}} dense<0.0> : vector<64x64xf32>
    %r:2 = scf.for %k = %c0 to %c256 step %c64 iter_args(%t = %ta, %acc = %z) -> ({DESC}, vector<64x64xf32>) {{
      %v = xegpu.load_nd %t : {DESC} -> vector<64x64xf32>
      %s = arith.addf %acc, %v {{layout_result_0 = {PLAIN}}} : vector<64x64xf32>
      %n = xegpu.update_nd_offset %t, [%c0, %c64] : {DESC}
      scf.yield %n, %s : {DESC}, vector<64x64xf32>
    }} {{layout_result_1 = {PLAIN}}}
    %o = arith.addf %r#1, %r#1 {{layout_result_0 = {PLAIN}}} : vector<64x64xf32>""",
    store("o", "R", SQUARE, SQUARE, PLAIN))  # fmt: skip

MODULES["while"] = kernel(TWO, load("a", "A", SQUARE, SQUARE, PLAIN), f"""
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r:2 = scf.while (%i = %c0, %x = %a) : (index, vector<64x64xf32>) -> (index, vector<64x64xf32>) {{
      %go = arith.cmpi ult, %i, %c3 : index
      scf.condition(%go) %i, %x : index, vector<64x64xf32>
    }} do {{
    ^bb0(%j: index, %y: vector<64x64xf32>):
      %n = arith.addi %j, %c1 : index
      %z = arith.addf %y, %a {{layout_result_0 = {PLAIN}}} : vector<64x64xf32>
      scf.yield %n, %z : index, vector<64x64xf32>
    }} attributes {{layout_result_1 = {PLAIN}}}
    %o = arith.addf %r#1, %a {{layout_result_0 = {PLAIN}}} : vector<64x64xf32>""",
    store("o", "R", SQUARE, SQUARE, PLAIN))  # fmt: skip

# All workgroups write all of R, so that all must take the same way.
MODULES["branch"] = kernel(TWO, load("a", "A", SQUARE, SQUARE, PLAIN), f"""
    %x = gpu.grid_dim x
    %c = arith.cmpi ne, %x, %c0 : index
    %s = scf.if %c -> (vector<64x64xf32>) {{
      %y = arith.addf %a, %a {{layout_result_0 = {PLAIN}}} : vector<64x64xf32>
      scf.yield %y : vector<64x64xf32>
    }} else {{
      scf.yield %a : vector<64x64xf32>
    }} {{layout_result_0 = {PLAIN}}}""",
    store("s", "R", SQUARE, SQUARE, PLAIN))  # fmt: skip

LOW, HIGH = Layout((2, 4), (16, 16)), Layout((8, 1), (4, 64))
MODULES["subgroups by range"] = kernel(TWO, """
    %sg = gpu.subgroup_id : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %low = arith.cmpi ult, %sg, %c8 : index
    scf.if %low {""", load("a", "A", SQUARE, (32, 64), LOW), store("a", "R", SQUARE, (32, 64), LOW), """
    } {sg_id_range = #xegpu.range<[0, 8]>}
    %high = arith.cmpi uge, %sg, %c8 : index
    scf.if %high {""", load("b", "A", SQUARE, (32, 64), HIGH, at="%c32, %c0"), store("b", "R", SQUARE, (32, 64), HIGH, at="%c32, %c0"),
    "} {sg_id_range = #xegpu.range<[8, 16]>}")  # fmt: skip

COORDINATE = PLAIN.slice((0,))
MODULES["coordinates"] = kernel("%R: memref<64x64xf32>", f"""
    %o = vector.step {{layout_result_0 = {COORDINATE}}} : vector<64xindex>
    %b = vector.broadcast %o {{layout_result_0 = {PLAIN}}} : vector<64xindex> to vector<64x64xindex>
    %i = arith.index_cast %b {{layout_result_0 = {PLAIN}}} : vector<64x64xindex> to vector<64x64xi32>
    %f = arith.sitofp %i {{layout_result_0 = {PLAIN}}} : vector<64x64xi32> to vector<64x64xf32>""",
    store("f", "R", SQUARE, SQUARE, PLAIN))  # fmt: skip


def product(a: Layout, b: Layout, c: Layout) -> str:
    types = "vector<64x32xf16>, vector<32x64xf16> -> vector<64x64xf32>"
    return kernel(
        "%A: memref<64x32xf16>, %B: memref<32x64xf16>, %R: memref<64x64xf32>",
        load("a", "A", (64, 32), (64, 32), a, "f16"), load("b", "B", (32, 64), (32, 64), b, "f16"),
        f"%s = xegpu.dpas %a, %b {{layout_a = {a}, layout_b = {b}, layout_cd = {c}}} : {types}",
        store("s", "R", SQUARE, SQUARE, c))  # fmt: skip


MODULES["dpas"] = product(Layout((2, 4), (32, 32)), Layout((2, 4), (32, 16)), Layout((2, 4), (32, 16)))
MODULES["dpas, round robin"] = product(Layout((4, 1), (8, 32)), Layout((4, 1), (32, 64)), Layout((4, 1), (8, 64)))
A, B, C = Layout((4, 2), (16, 32)), Layout((4, 2), (32, 32)), Layout((4, 2), (16, 32))
DESC_A, DESC_B = f"!xegpu.tensor_desc<64x32xf16, {A}>", f"!xegpu.tensor_desc<32x64xf16, {B}>"
LEFT, RIGHT, SUM = "vector<64x32xf16>", "vector<32x64xf16>", "vector<64x64xf32>"
ABC = f"{{layout_a = {A}, layout_b = {B}, layout_cd = {C}}} : {LEFT}, {RIGHT}, {SUM} -> {SUM}"
MODULES["product, operands loaded a step ahead"] = kernel(
    "%A: memref<64x128xf16>, %B: memref<128x64xf16>, %R: memref<64x64xf32>", f"""
    %c32 = arith.constant 32 : index
    %c96 = arith.constant 96 : index
    %ta = xegpu.create_nd_tdesc %A : memref<64x128xf16> -> {DESC_A}
    %tb = xegpu.create_nd_tdesc %B : memref<128x64xf16> -> {DESC_B}
    %a = xegpu.load_nd %ta[0, 0] <{{layout = {A}}}> : {DESC_A} -> {LEFT}
    %b = xegpu.load_nd %tb[0, 0] <{{layout = {B}}}> : {DESC_B} -> {RIGHT}
    %z = arith.constant {{layout_result_0 = {C}}} dense<0.0> : {SUM}
    %r:3 = scf.for %k = %c0 to %c96 step %c32 iter_args(%x = %a, %y = %b, %acc = %z) -> ({LEFT}, {RIGHT}, {SUM}) {{
      %s = xegpu.dpas %x, %y, %acc {ABC}
      %n = arith.addi %k, %c32 : index
      %p = xegpu.load_nd %ta[0, %n] <{{layout = {A}}}> : {DESC_A} -> {LEFT}
      %q = xegpu.load_nd %tb[%n, 0] <{{layout = {B}}}> : {DESC_B} -> {RIGHT}
      scf.yield %p, %q, %s : {LEFT}, {RIGHT}, {SUM}
    }} {{layout_result_0 = {A}, layout_result_1 = {B}, layout_result_2 = {C}}}
    %o = xegpu.dpas %r#0, %r#1, %r#2 {ABC}""", store("o", "R", SQUARE, SQUARE, C))  # fmt: skip
MODULES["product of matrices"] = (ROOT / "tutorials/xegpu_gemm.mlir").read_text().replace("%C", "%R")
