"""What xetile prints is read back the same: every xegpu op, and kernels at every level of the pipeline."""

from __future__ import annotations

import re

import numpy as np
import pytest

import xetile as xt
from tests import tools
from tests.kernels import attention, layer_norm, matmul, rfc_cooperative, rfc_fused
from tests.language import test_joint_matrix
from tests.lowering import kernels as lowered
from tests.lowering import pipelines
from tests.passes.test_multiples import halves
from tests.xegpu import valid
from xetile import mlir
from xetile.dialects import gpu, types, xetile
from xetile.dialects.types import VectorType
from xetile.ir.builder import create
from xetile.ir.core import OPS, Block, Value
from xetile.ir.printer import print_op
from xetile.mlir.attributes import read_attribute
from xetile.mlir.function_attributes import FUNCTION
from xetile.mlir.generic import parse_generic
from xetile.mlir.seed_ops import as_unregistered
from xetile.ops.kernels.attention_backward import key_gradient
from xetile.passes.named import lower_to
from xetile.target import get_target

F16, F32 = "f16[?,?]", "f32[?,?]"
HEADS, SCORES = "f16[?,?,?]", "f32[?,?,?]"


@xt.jit(fast_math=True)
def approximate(A, B):
    a = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16)))
    xt.store_tile(xt.sigmoid(a) / a, xt.init_tile(B, (0, 0), (16, 16)))


KERNELS = {
    "matmul": (matmul.matmul, (F16, F16, F32), {}),
    "cooperative": (rfc_cooperative.gemm_cooperative, (F16, F16, F32), {}),
    "fused": (rfc_fused.transpose_broadcast_reduce, (F16, F16, "f32[?]", "f32[?]"), {}),
    "layer_norm": (layer_norm.layer_norm, (F16, "f32[?]", "f32[?]", F32), {}),
    "xegpu": (lowered.workgroup, (F16, F16, F32), {}),
    "xegpu and tiles": (lowered.mixed_workgroup, (F16, F16, F32), {}),
    "xegpu of a subgroup and tiles": (lowered.mixed_subgroup, (F16, F16, F32), {}),
    "xegpu of lanes": (lowered.lanes, (F16, F16, F32), {}),
    "scattered xegpu": (lowered.gathers, ("f32[?]", "f32[?]", "i32[?]"), {}),
    "named barriers": (pipelines.pipeline, (F32, F32), {}),
    "approximate": (approximate, (F32, F32), {}),
    "attention": (attention.attention, (HEADS, HEADS, HEADS, SCORES), {"causal": True}),
    "arithmetic that IGC orders": (
        key_gradient,
        ("f16[?,?,?,?;free]",) * 4 + ("f32[?,?,?,1]",) * 2 + ("f16[?,?,?,?;free]",) * 2,
        {"scale": 0.125, "D": 128},
    ),
    "sizes that are multiples": (halves, (F16, F16, F32), {}),
}


@xt.jit(num_subgroups=1)
def watched(A, B):
    a = xt.load_tile(xt.init_tile(A, (0, 0), (16, 16)))
    breakpoint()
    xt.device_assert(xt.max(a) < 5, "too large")
    assert A.shape[0] == 16 and A.stride(1) == 1
    xt.store_tile(xt.cumsum(a, axis=1), xt.init_tile(B, (0, 0), (16, 16)))


# Kernels for CPUs, whose levels are others.
FOR_CPUS = {
    "joint matrices": (test_joint_matrix.product, (F16, F16, F32, "f32"), {"M": 16, "N": 16, "K": 16, "ACC": xt.f32}),
    "elements of joint matrices": (test_joint_matrix.scale, (F32, "f32"), {"R": 16, "N": 16}),
    "products of pairs": (matmul.matmul, ("bf16[?,?]", "bf16[?,?]", F32), {}),
}


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


def rounded(text: str) -> str:
    """With floats as the nearest of 32 bits, in one spelling: MLIR writes as many digits as the type needs."""
    return re.sub(r"\d+\.\d*(e[-+]?\d+)?", lambda m: repr(float(np.float32(m[0]))), text)


def nameless(text: str) -> list[str]:
    """Lines without names of values; what is said of the kernel (its level) aside; a constant of one element is no list."""
    text = re.sub(r" attributes \{[^}]*\}", "", re.sub(r"dense<\[([^],]*)\]>", r"dense<\1>", rounded(text)))
    return re.sub(r"%\w+", "%", text).splitlines()


@pytest.mark.every(8)
@pytest.mark.parametrize("name", valid.VALID)
def test_every_op_of_the_dialect(name):
    text = print_op(valid.module(name))
    assert nameless(print_op(mlir.parse(text))) == nameless(text)


@pytest.mark.every(6, 1)
@pytest.mark.parametrize("name", [n for n in valid.VALID if n not in valid.SEED_ONLY])
def test_the_generic_form_is_read_without_the_tool(name, monkeypatch):
    text = print_op(valid.module(name))
    generic = tools.mlir_opt(text, "--mlir-print-op-generic")
    monkeypatch.setenv("PATH", "")
    mlir.upstream.find_tool.cache_clear()
    try:
        assert nameless(print_op(mlir.parse(generic))) == nameless(text)
    finally:
        mlir.upstream.find_tool.cache_clear()


@pytest.mark.every(14, 6)
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_at_every_level(name):
    kernel, types, constants = KERNELS[name]
    compiled = kernel.compile(*types, target="pvc", **constants)
    for level, text in compiled.ir.items():
        assert rounded(print_op(mlir.parse(text)) + "\n") == rounded(text), level


def test_all_that_a_kernel_may_say_of_itself_is_read():
    assert FUNCTION.keys() == {field.name for field in gpu.GpuFunc.attribute_fields}


@pytest.mark.every(2)
@pytest.mark.parametrize("name", FOR_CPUS)
def test_levels_of_cpus(name):
    kernel, types, constants = FOR_CPUS[name]
    levels = kernel.compile(*types, target="amx", **constants).ir
    assert len(levels) > 1
    for level, text in levels.items():
        assert nameless(print_op(mlir.parse(text))) == nameless(text), level


def test_what_watches_a_program_is_read():
    text = watched.compile(F32, F32, target="pvc").ir["xetile"]
    assert all(name in text for name in ("xetile.breakpoint", "xetile.tile_scan", "cf.assert", "xetile.requires"))
    assert rounded(print_op(mlir.parse(text)) + "\n") == rounded(text)


def test_printed_tiles_are_read():
    tile = Value(VectorType((8, 16), types.F32), Block(), 0, "v")
    text = print_op(create(xetile.Print, [tile], parts='["v is ", ["f32", [8, 16], ""]]'))
    raw, *_ = parse_generic(as_unregistered(text, "<text>"), "<text>")
    assert (raw.operands, raw.operand_types) == (["%v"], ["vector<8x16xf32>"])
    assert read_attribute(raw.attributes["parts"]) == '["v is ", ["f32", [8, 16], ""]]'


def test_every_op_of_ours_that_llvm_lacks_has_a_format():
    """The reader knows them by nothing else."""
    assert [name for name, kind in OPS.items() if name.startswith(("xetile.", "joint_matrix.")) and not kind.format] == []


@pytest.mark.every(4, 2)
@pytest.mark.parametrize("name", KERNELS)
def test_what_is_read_lowers_to_the_same(name):
    """The text at workgroup level, read and lowered, is the kernel at lane level."""
    kernel, types, constants = KERNELS[name]
    compiled = kernel.compile(*types, target="pvc", **constants)
    module = lower_to(mlir.parse(next(iter(compiled.ir.values()))), get_target("pvc"), "lane")
    assert nameless(print_op(module)) == nameless(compiled.ir["lane"])
