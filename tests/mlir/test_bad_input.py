"""Malformed, foreign and outdated text: file, line, op and reason, and nothing is emitted."""

from __future__ import annotations

import pytest

from tests import tools
from tests.mlir.everywhere import generic_forms
from tests.xegpu.twins import table
from xetile import cli, mlir
from xetile.errors import Location, MlirTextError, VerifyError, XetileError
from xetile.ir.printer import print_op

HEAD = "gpu.module @m {\n  gpu.func @k(%A: memref<64x64xf16>, %n: index, %c: i1) kernel {\n"
TAIL = "\n    gpu.return\n  }\n}\n"
DESC = "%d = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>\n    "
FIRST = 3  # the line after HEAD

# What stands in the kernel; words of the message; the line; whether upstream's tool says it.
REFUSED = {
    "op of no dialect": ("xegpu.dpas_mx %A", "custom op 'xegpu.dpas_mx' is unknown", FIRST),
    "op of LLVM that we lack": ("%x = memref.rank %A : memref<64x64xf16>", "xetile has no op memref.rank", FIRST),
    "ops of a whole dialect": ("%x = complex.constant [0.1, 1.0] : complex<f64>", "xetile has no op complex.constant", FIRST),
    "a size that nobody knows": ("%x = memref.dim %A, %n : memref<64x64xf16>", "memref<64x64xf16> has no size there", FIRST),
    "no property of ours": (DESC + "%v = xegpu.load_nd %d <{speed = 3 : i64}> : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>",
                            "xegpu.load_nd has no property speed", FIRST + 1),
    "unknown attribute of the dialect": ("%d = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16, #xegpu.mx<1>>",
                                         "unknown attribute `mx` in dialect `xegpu`", FIRST),
    "unknown type of the dialect": ("%d = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.matrix<8x16xf16>",
                                    "matrix", FIRST),
    "element type": ("%x = arith.constant 1 : i24", "there is no type i24", FIRST),
    "narrow element of memory": ("%x = memref.alloca() : memref<64x64xi4, 3>", "there is no element type i4 here", FIRST),
    "narrow element of a block": ("%x = arith.constant dense<1> : vector<8x64xi4>", "no element type i4 here", FIRST),
    "scalable vector": ("%x = arith.constant dense<1> : vector<[4]xi32>", "vector<[4]xi32>", FIRST),
    "tensor": ("%x = arith.constant dense<1> : tensor<4xi32>", "there is no type tensor<4xi32> here", FIRST),
    "memref with a map": ("%x = builtin.unrealized_conversion_cast %A : memref<64x64xf16> to "
                          "memref<64x64xf16, affine_map<(d0, d1) -> (d1, d0)>>", "does not cut a matrix into blocks", FIRST),
    "memory of an array in blocks": (
        "%x = builtin.unrealized_conversion_cast %A : memref<64x64xf16> to memref<64x64xf16, affine_map<(d0, d1) -> "
        "(d0 floordiv 8, d1 floordiv 8, d0 mod 8, d1 mod 8)>>", "of memory that is not shared", FIRST),
    "blocks that do not fill": (
        "%x = memref.alloca() : memref<20x16xf16, affine_map<(d0, d1) -> "
        "(d0 floordiv 8, d1 floordiv 8, d0 mod 8, d1 mod 8)>, 3>", "do not fill [20, 16]", FIRST),
    "memref with an offset": ("%x = builtin.unrealized_conversion_cast %A : memref<64x64xf16> to "
                              "memref<64x64xf16, strided<[64, 1], offset: 8>>", "starts at an offset", FIRST),
    "an unsigned loop of a run": ("%x = arith.constant 1 : index\n    scf.for unsigned %i = %x to %n step %x {\n    }",
                                  "bounds and step are known when it is compiled", FIRST + 1),
    "jumps": ("cf.br ^next\n  ^next:", "several blocks|jumps between blocks", FIRST),
    "dynamic position": ("%v = arith.constant dense<1.0> : vector<80xf16>\n    %x = vector.extract %v[%n] : f16 from vector<80xf16>",
                         "chooses among more than 64 places", FIRST + 1),
    "global memory reserved": ("%x = memref.alloca() : memref<64xi8>", "only shared local memory", FIRST),
    "upstream's rule": ("%d = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf32>",
                        "same element type|have the same", FIRST),
    "our rule": (DESC + '%v = "xegpu.load_nd"(%d) <{l1_hint = #xegpu.cache_hint<cached>, packed}> : '
                 "(!xegpu.tensor_desc<8x16xf16>) -> vector<8x16xf16>", "xegpu.load_nd|Result shape", FIRST + 1),
    "undefined value": ("%x = arith.addi %n, %m : index", "undeclared SSA value|not defined", FIRST),
    "syntax": ("%x = arith.addi %n %n : index", "expected", FIRST),
    "older: sg_map": ("%d = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> "
                      "!xegpu.tensor_desc<8x16xf16, #xegpu.sg_map<wi_layout = [1, 16], wi_data = [1, 1]>>",
                      "#xegpu.sg_map is older than LLVM 22", FIRST),
    "older: tdesc_attr": ("%d = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> "
                          "!xegpu.tensor_desc<8x16xf16, #xegpu.tdesc_attr<array_length = 2>>",
                          "#xegpu.tdesc_attr is older than LLVM 22", FIRST),
    "older: vnni_axis": (DESC + "%v = xegpu.load_nd %d {vnni_axis = 0} : !xegpu.tensor_desc<8x16xf16> -> vector<4x16x2xf16>",
                         "vnni_axis = is older than LLVM 22", FIRST + 1),
    "older: mode": ("%d = xegpu.create_nd_tdesc %A {mode = vc} : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>",
                    "mode = vc is older than LLVM 22", FIRST),
    "older: mfence": ("xegpu.mfence", "xegpu.mfence is older than LLVM 22", FIRST),
}  # fmt: skip


def refused(text: str) -> XetileError:
    tools.require_tool("mlir-opt")
    with pytest.raises(XetileError) as found:
        mlir.parse(text, "bad.mlir")
    return found.value


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_place_and_reason(name):
    body, reason, line = REFUSED[name]
    error = refused(HEAD + "    " + body + TAIL)
    assert any(words in error.message for words in reason.split("|")), error
    assert isinstance(error.at, Location)
    assert (error.at.file, error.at.line) == ("bad.mlir", line), error


@pytest.mark.parametrize("name", REFUSED)
def test_nothing_is_emitted(name, tmp_path, capsys):
    tools.require_tool("mlir-opt")
    body, _, line = REFUSED[name]
    file, out = tmp_path / "bad.mlir", tmp_path / "out.mlir"
    file.write_text(HEAD + "    " + body + TAIL)
    assert cli.main(["opt", str(file), "-o", str(out)]) == 1
    said = capsys.readouterr()
    assert said.out == "" and not out.exists()
    assert f'File "{file}", line {line}' in said.err and "Traceback" not in said.err


def test_without_the_tool_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setenv("PATH", "")
    mlir.upstream.find_tool.cache_clear()
    try:
        with pytest.raises(MlirTextError, match="mlir-opt of LLVM 22") as found:
            mlir.parse("func.func @k(%A: memref<8xf32>) {\n  return\n}")  # a form that xetile does not print
    finally:
        mlir.upstream.find_tool.cache_clear()
    assert "mlir-22-tools" in found.value.hint


def test_what_the_tool_refuses_without_a_word():
    """LLVM 22.1.8 says nothing of a descriptor whose layout is a slice."""
    desc = "!xegpu.tensor_desc<32xf32, #xegpu.slice<#xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>, dims = [0]>>"
    error = refused(
        f"gpu.module @m {{ gpu.func @k(%A: memref<32xf32>) {{\n  %d = xegpu.create_nd_tdesc %A : memref<32xf32> -> {desc}\n  gpu.return }} }}"
    )
    assert "whose layout is a slice" in error.message and error.at is not None
    assert (error.at.file, error.at.line) == ("bad.mlir", 2)


def test_memory_of_one_thread_is_refused():
    error = refused(
        "gpu.module @m {\n  gpu.func @k(%A: memref<64xf32>) private(%p: memref<4xf32, 5>) kernel {\n    gpu.return\n  }\n}"
    )
    assert "memref<4xf32, 5>, which a kernel cannot reserve" in error.message and error.at is not None and error.at.line == 2


def test_another_version_of_the_tool_is_refused(monkeypatch, tmp_path):
    fake = tmp_path / "mlir-opt"
    fake.write_text("#!/bin/sh\necho 'LLVM version 19.1.7'\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    mlir.upstream.find_tool.cache_clear()
    try:
        with pytest.raises(MlirTextError, match=r"mlir-opt is of LLVM version 19\.1\.7"):
            mlir.parse("func.func @k(%A: memref<8xf32>) {\n  return\n}")  # a form that xetile does not print
    finally:
        mlir.upstream.find_tool.cache_clear()


def test_several_kernels_want_a_name():
    tools.require_tool("mlir-opt")
    two = "gpu.module @m {\n  gpu.func @a() kernel {\n gpu.return\n }\n  gpu.func @b() kernel {\n gpu.return\n }\n}\n"
    with pytest.raises(MlirTextError, match="has 2 kernels: a, b"):
        mlir.parse(two)
    assert mlir.parse(two, kernel="b").kernel.sym_name == "b"
    with pytest.raises(MlirTextError, match="no kernel c"):
        mlir.parse(two, kernel="c")


def test_no_kernel_no_file(tmp_path):
    tools.require_tool("mlir-opt")
    with pytest.raises(MlirTextError, match="has 0 kernels"):
        mlir.parse("module {\n}\n")
    with pytest.raises(MlirTextError, match="cannot read"):
        mlir.read(tmp_path / "missing.mlir")


GENERIC = (
    '"builtin.module"() ({\n  "gpu.module"() <{sym_name = "m"}> ({\n    "gpu.func"() <{function_type = (index) -> ()}> ({\n'
    '    ^bb0(%n: index):\n      BODY\n      "gpu.return"() : () -> ()\n'
    '    }) {gpu.kernel, sym_name = "k"} : () -> ()\n  }) : () -> ()\n}) : () -> ()\n'
)
BAD_GENERIC = {
    "undefined value": ('%x = "arith.addi"(%n, %m) : (index, index) -> index', "arith.addi: %m is not defined here"),
    "op": ('%x = "arith.jump"(%n) : (index) -> index', "xetile has no op arith.jump"),
    "operand count": ('%x = "arith.addi"(%n) : (index) -> index', "arith.addi takes lhs, rhs, not 1 operands"),
    "constant without a result": ('"arith.constant"() <{value = 1 : index}> : () -> ()', "too few operands or results"),
    "cast without a size": (
        '%x = "memref.reinterpret_cast"() <{static_offsets = array<i64: 0>, static_sizes = array<i64: 4>, static_strides = array<i64: 1>}>'
        " : () -> memref<4xf32>",
        "too few operands or results",
    ),
    "result count": ('%x, %y = "arith.addi"(%n, %n) : (index, index) -> index', "has 1 results, not 2"),
    "syntax": ('%x = "arith.addi"(%n, %n) : (index, index)', "expected '->'"),
    "type": ('%x = "arith.addi"(%n, %n) : (index, index) -> i13', "there is no type i13 here"),
    "layout": ('%x = "arith.addi"(%n, %n) {layout_result_0 = #xegpu.layout<sg_data = [1]>} : (index, index) -> index',
               "at least one of sg_layout"),
    "dimension of a block": ('%x = "gpu.block_id"() <{dimension = #gpu<dim w>}> : () -> index', "dimension w is none of x, y, z"),
    "dimension of a thread": ('%x = "gpu.thread_id"() <{dimension = #gpu<dim w>}> : () -> index', "dimension w is none of x, y, z"),
    "part of memory": ('%m = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<64xi8, 3>\n'
                       '%x = "memref.subview"(%m) <{static_offsets = "8", static_sizes = array<i64: 8>, static_strides = array<i64: 1>}>'
                       " : (memref<64xi8, 3>) -> memref<8xi8, strided<[1], offset: 8>, 3>", "there is no part"),
    "sizes of a part": ('%m = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<64xi8, 3>\n'
                        '%x = "memref.subview"(%m) <{static_offsets = array<i64: 8>, static_sizes = array<i64: 8>}>'
                        " : (memref<64xi8, 3>) -> memref<8xi8, strided<[1], offset: 8>, 3>", "there is no part"),
    "hint": ('%x = "arith.addi"(%n, %n) {layout_a = #xegpu.cache_hint<hot>} : (index, index) -> index', "there is no"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_GENERIC)
def test_bad_generic_text(name):
    body, reason = BAD_GENERIC[name]
    with pytest.raises(XetileError) as found:
        mlir.parse(GENERIC.replace("BODY", body), "bad.mlir")
    assert reason in found.value.message
    assert found.value.at is not None and found.value.at.line in (5, 6, 7) and found.value.at.file == "bad.mlir"


TWINS = table()


@pytest.mark.parametrize("name", [n for n, twin in TWINS.items() if not twin.upstream])
def test_what_upstream_lets_through_is_refused_at_its_line(name):
    """Rules of the seeds that LLVM 22 does not check are checked when text is read."""
    tools.require_tool("mlir-opt")
    text = print_op(TWINS[name].module())
    with pytest.raises(VerifyError, match=TWINS[name].ours) as found:
        mlir.parse(text, "twin.mlir")
    at, op = found.value.at, found.value.message.split(":")[0]
    assert at is not None and at.file == "twin.mlir" and op in text.splitlines()[at.line - 1]


@pytest.mark.parametrize("number", [-1, 10, 65536])
def test_numbers_that_stand_for_no_word(number):
    tools.require_tool("mlir-opt")
    (text,) = generic_forms([HEAD + "    %x = arith.cmpi ult, %n, %n : index" + TAIL])
    assert "predicate = 6" in text
    with pytest.raises(MlirTextError, match=f"arith.cmpi: predicate is a number from 0 to 9, not {number}"):
        mlir.parse(text.replace("predicate = 6", f"predicate = {number}"))
