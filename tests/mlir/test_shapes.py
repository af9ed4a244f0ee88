"""Values of every rank and shape in XeGPU modules of subgroups and lanes: cast, cut, put together, transposed and reduced."""

from __future__ import annotations

import pytest

from tests import tools
from tests.mlir.everywhere import agree, numbers
from tests.mlir.workgroup import kernel
from xetile import mlir
from xetile.errors import XetileError

pytestmark = pytest.mark.device


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


def at_level(level, arguments, *lines):
    return kernel(arguments, *lines).replace(") kernel {", f') kernel attributes {{xetile.level = "{level}"}} {{', 1)


def load(name, shape, memory="64x64", at="0, 0"):
    desc = f"!xegpu.tensor_desc<{shape}xf32>"
    return f"""
        %t{name} = xegpu.create_nd_tdesc %A : memref<{memory}xf32> -> {desc}
        %{name} = xegpu.load_nd %t{name}[{at}] : {desc} -> vector<{shape}xf32>"""


def store(name, shape, memory="64x64", at="0, 0"):
    desc = f"!xegpu.tensor_desc<{shape}xf32>"
    return f"""
        %d{name} = xegpu.create_nd_tdesc %R : memref<{memory}xf32> -> {desc}
        xegpu.store_nd %{name}, %d{name}[{at}] : vector<{shape}xf32>, {desc}"""


# What is made of %a (16x32) and %b, the same as 2x8x32: the lines, and the shape of %r.
OF_A_MATRIX = {
    "cast and back": ("%c = arith.addf %b, %b : vector<2x8x32xf32>\n%r = vector.shape_cast %c : vector<2x8x32xf32> to vector<16x32xf32>",
                      "16x32"),
    "cast of columns": ("""
        %c = vector.shape_cast %a : vector<16x32xf32> to vector<16x2x16xf32>
        %d = vector.transpose %c, [1, 0, 2] : vector<16x2x16xf32> to vector<2x16x16xf32>
        %r = vector.shape_cast %d : vector<2x16x16xf32> to vector<32x16xf32>""", "32x16"),
    "cast to halves of a row": ("""
        %c = vector.shape_cast %a : vector<16x32xf32> to vector<64x8xf32>
        %r = arith.addf %c, %c : vector<64x8xf32>""", "64x8"),
    "cast to rows": ("%r = vector.shape_cast %a : vector<16x32xf32> to vector<4x128xf32>", "4x128"),
    "cast to a line": ("""
        %l = vector.shape_cast %a : vector<16x32xf32> to vector<512xf32>
        %r = vector.shape_cast %l : vector<512xf32> to vector<32x16xf32>""", "32x16"),
    **{f"transpose {perm}": (f"""
        %c = vector.transpose %b, {perm} : vector<2x8x32xf32> to vector<{shape}xf32>
        %r = vector.shape_cast %c : vector<{shape}xf32> to vector<16x32xf32>""", "16x32")
       for perm, shape in (([1, 0, 2], "8x2x32"), ([0, 2, 1], "2x32x8"), ([2, 0, 1], "32x2x8"), ([2, 1, 0], "32x8x2"),
                           ([1, 2, 0], "8x32x2"))},
    **{f"sums over {dims}": (f"""
        %z = arith.constant dense<2.0> : vector<{kept}xf32>
        %c = vector.multi_reduction <add>, %b, %z {dims} : vector<2x8x32xf32> to vector<{kept}xf32>
        {after}""", shape)
       for dims, kept, after, shape in (
           ([0], "8x32", "%r = arith.addf %c, %c : vector<8x32xf32>", "8x32"),
           ([1], "2x32", "%r = arith.addf %c, %c : vector<2x32xf32>", "2x32"),
           ([2], "2x8", "%r = vector.shape_cast %c : vector<2x8xf32> to vector<1x16xf32>", "1x16"),
           ([0, 1], "32", "%r = vector.broadcast %c : vector<32xf32> to vector<4x32xf32>", "4x32"),
           ([0, 2], "8", "%l = vector.broadcast %c : vector<8xf32> to vector<2x8xf32>\n"
                         "%r = vector.shape_cast %l : vector<2x8xf32> to vector<1x16xf32>", "1x16"))},
    "broadcast in front": ("""
        %e = vector.extract %b[1] : vector<8x32xf32> from vector<2x8x32xf32>
        %c = vector.broadcast %e : vector<8x32xf32> to vector<3x8x32xf32>
        %r = vector.shape_cast %c : vector<3x8x32xf32> to vector<24x32xf32>""", "24x32"),
    "broadcast in between": ("""
        %c = vector.shape_cast %a : vector<16x32xf32> to vector<2x1x8x32xf32>
        %d = vector.broadcast %c : vector<2x1x8x32xf32> to vector<2x2x8x32xf32>
        %r = vector.shape_cast %d : vector<2x2x8x32xf32> to vector<32x32xf32>""", "32x32"),
    "parts in and out": ("""
        %c = vector.extract %b[1] : vector<8x32xf32> from vector<2x8x32xf32>
        %e = vector.extract %b[0, 3] : vector<32xf32> from vector<2x8x32xf32>
        %s = vector.extract %b[0, 1, 5] : f32 from vector<2x8x32xf32>
        %i = vector.insert %e, %c[2] : vector<32xf32> into vector<8x32xf32>
        %j = vector.insert %s, %i[4, 17] : f32 into vector<8x32xf32>
        %k = vector.insert %j, %b[0] : vector<8x32xf32> into vector<2x8x32xf32>
        %m = vector.insert %e, %k[1, 5] : vector<32xf32> into vector<2x8x32xf32>
        %n = vector.insert %s, %m[1, 6, 7] : f32 into vector<2x8x32xf32>
        %r = vector.shape_cast %n : vector<2x8x32xf32> to vector<16x32xf32>""", "16x32"),
    "slices that change lanes": ("""
        %s = vector.extract_strided_slice %a {offsets = [3, 5], sizes = [4, 8], strides = [1, 1]} : vector<16x32xf32> to vector<4x8xf32>
        %r = vector.insert_strided_slice %s, %a {offsets = [9, 18], strides = [1, 1]} : vector<4x8xf32> into vector<16x32xf32>""",
        "16x32"),
}  # fmt: skip


@pytest.mark.every(20, 10)
@pytest.mark.parametrize("name", OF_A_MATRIX)
def test_parts_of_a_value(name):
    lines, shape = OF_A_MATRIX[name]
    cast = "%b = vector.shape_cast %a : vector<16x32xf32> to vector<2x8x32xf32>"
    memory = "64x128" if shape.endswith("128") else "64x64"
    text = at_level("subgroup", f"%A: memref<64x64xf32>, %R: memref<{memory}xf32>", load("a", "16x32"), cast, lines,
                    store("r", shape, memory))  # fmt: skip
    left = agree(text)
    assert not isinstance(left, XetileError), str(left)


@pytest.mark.every(16, 1)
@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("start, size, end", [((3, 13), (4, 8), (9, 18)), ((0, 15), (3, 3), (1, 2)), ((3, 13), (4, 5), (0, 27)),
                                              ((1, 11), (7, 20), (2, 3)), ((5, 31), (11, 1), (0, 0))])  # fmt: skip
def test_slices_that_lie_over_blocks_of_lanes(start, size, end, target):
    """The parts of a slice in each block have any number of rows and columns."""
    part, whole = f"vector<{size[0]}x{size[1]}xf32>", "vector<16x32xf32>"
    at, to = f"offsets = {list(start)}", f"offsets = {list(end)}"
    text = at_level("subgroup", "%A: memref<64x64xf32>, %R: memref<64x64xf32>", load("a", "16x32"), f"""
        %s = vector.extract_strided_slice %a {{{at}, sizes = {list(size)}, strides = [1, 1]}} : {whole} to {part}
        %r = vector.insert_strided_slice %s, %a {{{to}, strides = [1, 1]}} : {part} into {whole}""",
        store("r", "16x32"))  # fmt: skip
    left = agree(text, cpu=target == "pvc", target=target)
    assert not isinstance(left, XetileError), str(left)
    given = numbers(mlir.parse(text))
    cut = [tuple(slice(at, at + n) for at, n in zip(corner, size)) for corner in (start, end)]
    expected = given["R"].copy()
    expected[:16, :32] = given["A"][:16, :32]
    expected[cut[1]] = given["A"][cut[0]]
    assert (left["R"].reshape(64, 64) == expected).all()


@pytest.mark.covering
@pytest.mark.every(4, 2)
@pytest.mark.parametrize("kind, start", [("maxnumf", "0xFF800000"), ("minnumf", "0x7F800000"), ("maxnumf", "0x7FC00000"),
                                         ("minnumf", "2.0"), ("maximumf", "0xFF800000"), ("add", "0.0")])  # fmt: skip
@pytest.mark.parametrize("level, over", [("subgroup", 0), ("subgroup", 1), ("workgroup", 0)])
def test_lines_of_nan(kind, start, level, over):
    """What a line of NaN alone gives depends on what the reduction begins with: a number gives way to nothing."""
    casts = (
        "vector.broadcast %l : vector<32xf32> to vector<16x32xf32>",
        "vector.shape_cast %l : vector<16xf32> to vector<1x16xf32>",
    )
    kept, shape, cast = (32, 16)[over], ("16x32", "1x16")[over], casts[over]
    text = at_level(level, "%A: memref<64x64xf32>, %R: memref<64x64xf32>", load("a", "16x32"), f"""
        %z = arith.constant dense<0.0> : vector<16x32xf32>
        %q = arith.mulf %a, %z : vector<16x32xf32>
        %n = arith.divf %q, %q : vector<16x32xf32>
        %s = arith.constant dense<{start}> : vector<{kept}xf32>
        %l = vector.multi_reduction <{kind}>, %n, %s [{over}] : vector<16x32xf32> to vector<{kept}xf32>
        %r = {cast}""", store("r", shape))  # fmt: skip
    if level == "workgroup":  # each of four subgroups has a part of every line
        text = text.replace(
            "tensor_desc<16x32xf32>", "tensor_desc<16x32xf32, #xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>>"
        )
    left = agree(text)
    assert not isinstance(left, XetileError), str(left)


OF_A_LINE = {
    "as rows": ("%r = vector.shape_cast %a : vector<64xf32> to vector<4x16xf32>", "4x16"),
    "under each other": ("%r = vector.broadcast %a : vector<64xf32> to vector<8x64xf32>", "8x64"),
    "as a column": ("""
        %c = vector.shape_cast %a : vector<64xf32> to vector<64x1xf32>
        %r = vector.broadcast %c : vector<64x1xf32> to vector<64x16xf32>""", "64x16"),
}  # fmt: skip


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("name", OF_A_LINE)
def test_a_line_of_memory(name):
    lines, shape = OF_A_LINE[name]
    text = at_level(
        "subgroup", "%A: memref<256xf32>, %R: memref<64x64xf32>", load("a", "64", "256", "16"), lines, store("r", shape)
    )
    left = agree(text)
    assert not isinstance(left, XetileError), str(left)


@pytest.mark.every(4, 3)
@pytest.mark.parametrize("shape", ["24x32", "13x16", "5x32", "16x24", "3x48", "32x1", "33x17"])
def test_blocks_of_every_size(shape):
    twice = f"%r = arith.addf %a, %a : vector<{shape}xf32>"
    text = at_level("subgroup", "%A: memref<64x64xf32>, %R: memref<64x64xf32>", load("a", shape, at="1, 2"), twice,
                    store("r", shape, at="3, 5"))  # fmt: skip
    left = agree(text)
    assert not isinstance(left, XetileError), str(left)


# Lanes: one op is one message.

LANES = "%A: memref<64x64xf32>, %R: memref<64x64xf32>"


def copied(kind, fragment, create="", at="[%c0, %c0]", move=""):
    return at_level("lane", LANES, f"""
        %c4 = arith.constant 4 : index
        %t = xegpu.create_nd_tdesc %A{create} : memref<64x64xf32> -> {kind}
        {move or "%u = xegpu.update_nd_offset %t, [%c0, %c0] : " + kind}
        xegpu.prefetch_nd %u{at} : {kind}
        %a = xegpu.load_nd %u{at} : {kind} -> {fragment}
        %d = xegpu.create_nd_tdesc %R{create} : memref<64x64xf32> -> {kind}
        xegpu.store_nd %a, %d{at} : {fragment}, {kind}""")  # fmt: skip


BLOCK = "!xegpu.tensor_desc<8x16xf32>"


@pytest.mark.every(4, 2)
@pytest.mark.parametrize("create, at, move", [
    ("[%c4, %c0]", "", ""), ("[%c4, %c0]", "[%c4, %c4]", ""), ("", "[%c4, %c4]", ""),
    ("[%c4, %c4]", "", f"%u = xegpu.update_nd_offset %t, [%c4, %c4] : {BLOCK}"),
])  # fmt: skip
def test_offsets_of_lanes(create, at, move):
    left = agree(copied(BLOCK, "vector<8xf32>", create, at, move))
    assert not isinstance(left, XetileError), str(left)


@pytest.mark.parametrize("shape, count", [("24x32", 48), ("16x16", 16), ("8x16", 4)])
def test_lanes_are_refused_what_no_message_moves(shape, count):
    left = agree(copied(f"!xegpu.tensor_desc<{shape}xf32>", f"vector<{count}xf32>"))
    assert isinstance(left, XetileError) and left.at is not None
    assert ("no one message" in str(left)) if count > 4 else ("a lane has 8" in str(left))
