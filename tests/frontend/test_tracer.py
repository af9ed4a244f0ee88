"""Modules that the tracer makes: arguments, names, places, constants, and the golden texts of the main kernels."""

import functools
import linecache

import pytest

import xetile as xt
from tests.kernels import attention, layer_norm, matmul, rfc_cooperative, rfc_fused, rfc_gemm, rfc_transposed, softmax
from tests.language.running import body_of, text_of, traced
from xetile.dialects.gpu import KernelArg
from xetile.errors import CompileError
from xetile.frontend import trace
from xetile.frontend.source import source_of
from xetile.signature import Signature

HALF, FLOAT, ROW = "f16[?,?]", "f32[?,?]", "f32[?]"
PRODUCT = {"A": HALF, "B": HALF, "C": FLOAT}
TRANSPOSED = {"A": HALF, "BT": HALF, "C": FLOAT}
FUSED = {"A": HALF, "BT": HALF, "row": ROW, "result": ROW}
HEADS = {"Q": "f16[?,?,?]", "K": "f16[?,?,?]", "V": "f16[?,?,?]", "Out": "f32[?,?,?]"}

KERNELS = [
    (matmul.matmul, PRODUCT, {}),
    (matmul.matmul_bias_relu, {"A": HALF, "B": HALF, "bias": ROW, "C": FLOAT}, {}),
    (matmul.matmul_prefetch, PRODUCT, {}),
    (rfc_transposed.row_major, PRODUCT, {}),
    (rfc_transposed.column_major, TRANSPOSED, {}),
    (rfc_transposed.transposed_value, TRANSPOSED, {}),
    (rfc_gemm.gemm_prefetch, PRODUCT, {}),
    (rfc_gemm.gemm_two_level_prefetch, PRODUCT, {}),
    (rfc_fused.transpose_broadcast_reduce, FUSED, {}),
    (rfc_fused.transpose_in_place, FUSED, {}),
    (rfc_cooperative.gemm_cooperative, PRODUCT, {}),
    (softmax.softmax, {"X": FLOAT, "Y": FLOAT}, {}),
    (layer_norm.layer_norm, {"X": HALF, "weight": ROW, "bias": ROW, "Y": FLOAT}, {}),
    (attention.attention, HEADS, {"causal": True}),
]


@pytest.mark.parametrize("kernel,types,constants", KERNELS, ids=lambda x: x.fn.__name__ if hasattr(x, "fn") else "")
def test_golden_text(golden, kernel, types, constants):
    text = text_of(kernel, constants, num_subgroups=kernel.num_subgroups or 32, **types)
    golden(f"frontend/{kernel.fn.__name__}.mlir", text)


def test_arguments_are_what_is_passed_at_launch():
    def kernel(A, n, B, C, F):
        pass

    func = traced(kernel, A="f16[?,?]", n="i32", B="u8[16,32]", C="f32[?]", F="bf16[?,?,?;F]").kernel
    assert func.args == (
        KernelArg("array", "A", 0, "f16"), KernelArg("dim", "A", 0), KernelArg("dim", "A", 1), KernelArg("stride", "A", 0),
        KernelArg("scalar", "n", 0, "i32"),
        KernelArg("array", "B", 0, "u8"),
        KernelArg("array", "C", 0, "f32"), KernelArg("dim", "C", 0),
        KernelArg("array", "F", 0, "bf16"), KernelArg("dim", "F", 0), KernelArg("dim", "F", 1), KernelArg("dim", "F", 2),
        KernelArg("stride", "F", 0), KernelArg("stride", "F", 2),
    )  # fmt: skip
    assert [str(a.type) for a in func.body.args if str(a.type).startswith("memref")] == [
        "memref<?x?xf16, strided<[?, 1]>>",
        "memref<16x32xi8, strided<[32, 1]>>",
        "memref<?xf32, strided<[1]>>",
        "memref<?x?x?xbf16, strided<[?, 1, ?]>>",
    ]


def test_function_attributes():
    module = trace(matmul.matmul, Signature.of(A="f16[?,?;scattered]", B=HALF, C=FLOAT), num_subgroups=16, index_bits=64)
    assert module.kernel.attributes["scattered"] == ("A",)
    assert module.kernel.attributes["num_subgroups"] == 16
    assert module.kernel.attributes["index_bits"] == 64
    assert module.kernel.attributes["level"] == "xetile"


def test_maps_tell_the_number_of_subgroups():
    assert traced(rfc_gemm.gemm_prefetch, **PRODUCT).kernel.attributes["num_subgroups"] == 32


def test_static_sizes_are_numbers():
    def kernel(A):
        assert A.shape == (64, 32) and A.stride(0) == 32 and A.shape[1] // 2 == 16
        for k in range(0, A.shape[1], 16):
            xt.prefetch_tile(xt.init_tile(A, (0, k), (64, 16)))

    assert body_of(kernel, A="f16[64,32]")[-4].startswith("scf.for %k = %c0 to %c32 step %c16")


def test_constants_stand_once_at_the_head():
    lines = body_of(matmul.matmul, **PRODUCT)
    constants = [line for line in lines if "arith.constant" in line]
    assert lines[: len(constants)] == constants
    assert len({line.split(" = ")[1] for line in constants}) == len(constants)


def test_every_op_knows_its_place():
    """File, line and columns are those of the expression that made the op."""
    module = traced(matmul.matmul, **PRODUCT)
    lines = linecache.getlines(matmul.__file__)
    seen = set()
    for op in module.walk():
        assert op.loc is not None and op.loc.file == matmul.__file__ and op.loc.function == "matmul"
        seen.add((op.opname, lines[op.loc.line - 1][op.loc.column : op.loc.end_column]))
    assert ("xetile.tile_mma", "xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)") in seen
    assert ("xetile.load_tile", "xt.load_tile(b)") in seen
    assert ("arith.muli", "xt.program_id(1) * BM") in seen
    assert ("scf.for", "range(0, A.shape[1], BK)") in seen
    assert ("gpu.func", "def matmul") in seen


def test_variables_name_values():
    text = "\n".join(body_of(matmul.matmul, **PRODUCT))
    assert "%m = arith.muli" in text and "%a = xetile.init_tile %A[%m, %c0]" in text


def test_indented_definitions_keep_their_columns():
    def kernel(n):
        return n + undefined  # noqa: F821

    with pytest.raises(CompileError) as caught:
        traced(kernel, n="i32")
    at = caught.value.at
    assert linecache.getline(at.file, at.line)[at.column : at.end_column] == "undefined"


def test_decorators_are_passed_over():
    def nothing(**options):
        return lambda fn: fn

    @nothing(a=1, b={"x": lambda y: y})
    @functools.cache
    def kernel(n):
        """Found below its decorators."""
        return n

    assert source_of(kernel.__wrapped__).node.name == "kernel"


def test_code_without_source_is_refused():
    namespace = {}
    exec("def kernel(n):\n    pass\n", namespace)
    with pytest.raises(CompileError, match="source of kernel cannot be read"):
        trace(namespace["kernel"], Signature.of(n="i32"))


def test_lambdas_are_no_kernels():
    with pytest.raises(CompileError, match=r"not defined by a plain def|cannot be read"):
        trace(lambda n: n, Signature.of(n="i32"))


def test_objects_are_no_kernels():
    with pytest.raises(CompileError, match="is not a Python function"):
        trace(len, Signature.of(n="i32"))
