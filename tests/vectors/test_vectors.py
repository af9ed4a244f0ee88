"""Code for CPUs: the level of loops over vectors means what the kernel means, and the CPU does it."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret
from xetile.backends.spirv.emit.emitter import emit
from xetile.backends.spirv.module.disassemble import disassemble

import xetile as xt
from tests.parity.run import arguments, uncompiled
from tests.vectors.kernels import CASES, Case, numbers
from xetile.dialects import gpu, xetile
from xetile.dialects.joint_matrix import Fill, Mad, is_cleared_by
from xetile.errors import UncoveredError
from xetile.ir.printer import print_op
from xetile.ir.verifier import verify
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.runtime.cpus import host_target
from xetile.runtime.devices import find_device
from xetile.runtime.settings import override
from xetile.target import get_target


def check(case: Case, got: np.ndarray) -> None:
    np.testing.assert_allclose(got.astype(np.float64), case.expected, rtol=case.rtol, atol=case.rtol)


@pytest.mark.covering
@pytest.mark.every(16)
@pytest.mark.parametrize("target", ["cpu", "avx2", "amx"])
@pytest.mark.parametrize("name", CASES)
def test_the_level_means_what_the_kernel_means(name, target):
    case = CASES[name]()
    request = uncompiled(case.kernel, *case.arrays, target=target, **dict(case.constants)).request
    for level, module in pipeline.lower(trace(request), get_target(target)):
        if level == "vectors":
            verify(module)
            assert not any(isinstance(v.type, xetile.TileType) for op in module.walk() for v in op.operands)
            values = dict(zip(case.kernel.parameters, (np.array(a, order="K") for a in case.arrays)))
            interpret(module, (*case.grid, 1, 1)[:3], arguments(module.kernel, values))
            check(case, values[case.kernel.parameters[-1]])
            emit(module, get_target(target))
            return
    pytest.fail("there is no such level")


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("packed rows")])
def test_left_operands_in_panels_are_read_whole(name):
    test_the_level_means_what_the_kernel_means(name, "amx")


HAS_AMX = pytest.mark.skipif(host_target() != "amx", reason="the CPU has no AMX")


@pytest.mark.every(12)
@pytest.mark.covering
@pytest.mark.device
@pytest.mark.parametrize("way", ["vector", "avx2", pytest.param("amx", marks=HAS_AMX)])
@pytest.mark.parametrize("name", CASES)
def test_the_cpu_does_it(name, way):
    case = CASES[name]()
    arrays = [np.array(a, order="K") for a in case.arrays]
    with override(cpu=way), xt.device("cpu"):
        case.kernel[case.grid](*arrays, **dict(case.constants))
    check(case, arrays[-1])


@xt.jit
def by_subgroups(A):
    rows = xt.wg_map((2, 1), (1, 16))
    xt.store_tile(xt.full((2, 16), 1.0, xt.f32) * xt.subgroup_id().to(xt.f32), xt.init_tile(A, (0, 0), (2, 16), wg_map=rows))


@pytest.mark.device
def test_what_has_no_code_for_vectors_is_emulated_unless_vectors_are_asked_for():
    out = np.zeros((2, 16), np.float32)
    with override(cpu=""), xt.device("cpu"):
        by_subgroups[1](out, num_subgroups=2)
    assert (out[1] == 1).all()
    with override(cpu="vector"), xt.device("cpu"), pytest.raises(UncoveredError, match="subgroups"):
        by_subgroups[1](out, num_subgroups=2)


@pytest.mark.device
def test_a_width_is_a_choice_among_vectors_and_refuses_nothing():
    out = np.zeros((2, 16), np.float32)
    with override(cpu="avx2"), xt.device("cpu"):
        by_subgroups[1](out, num_subgroups=2)
    np.testing.assert_array_equal(out, np.repeat([[0.0], [1.0]], 16, 1))


@xt.jit
def by_lanes(A):
    """In XeGPU's own ops, which are about subgroups."""
    desc = xt.xegpu.create_nd_tdesc(A, shape=(8, 16))
    xt.xegpu.store_nd(xt.xegpu.load_nd(desc, (0, 0)) * 2.0, desc, (8, 0))


@pytest.mark.device
def test_kernels_in_xegpu_are_emulated():
    a = numbers(16, 16)
    expected = np.concatenate([a[:8], a[:8] * 2])
    with override(cpu=""), xt.device("cpu"):
        by_lanes[1](a, num_subgroups=1)
    np.testing.assert_array_equal(a, expected)
    with override(cpu="vector"), xt.device("cpu"), pytest.raises(UncoveredError, match="lanes"):
        by_lanes[1](a, num_subgroups=1)


@pytest.mark.device
@pytest.mark.parametrize("way, target", [("emulate", "pvc"), ("avx2", "avx2")])
def test_the_setting_says_what_kernels_are_compiled_for(way, target):
    with override(cpu=way):
        assert find_device("cpu").target == target
        assert find_device("cpu") is find_device("cpu")


def test_buffers_serve_again():
    """A chain of products needs no more memory than a few of its values."""

    @xt.jit
    def chain(A, B):
        x = xt.load_tile(xt.init_tile(A, (0, 0), (64, 64)))
        for _ in xt.static_range(6):
            x = x @ x
        xt.store_tile(x, xt.init_tile(B, (0, 0), (64, 64)))

    text = uncompiled(chain, "f32[?,?]", "f32[?,?]", target="cpu").ir["vectors"]
    assert text.count("memref.alloca") < 10


def test_a_kernel_of_vectors_asks_for_no_subgroups():
    case = CASES["chain"]()
    made = uncompiled(case.kernel, *case.arrays, target="cpu", **dict(case.constants)).binary
    assert (made.local_size, made.num_subgroups, made.slm_bytes) == ((1, 1, 1), 1, 0)
    assert "gpu.func" in print_op(trace(uncompiled(case.kernel, *case.arrays, target="cpu", **dict(case.constants)).request))
    assert gpu.Barrier.opname not in uncompiled(case.kernel, *case.arrays, target="cpu", **dict(case.constants)).ir["vectors"]


@pytest.mark.parametrize("name", [name for name in CASES if name.endswith("for AMX")])
def test_products_by_a_matrix_unit_are_cooperative_matrices(name):
    case = CASES[name]()
    made = uncompiled(case.kernel, *case.arrays, target="amx", **dict(case.constants))
    assert "joint_matrix.mad" in made.ir["vectors"]
    assert "dot_pairs" not in made.ir["vectors"]
    text = disassemble(made.spirv)
    assert text.count("OpCooperativeMatrixMulAddKHR") == made.ir["vectors"].count("joint_matrix.mad")
    assert "SPV_KHR_cooperative_matrix" in text
    assert ("MatrixAAndBBFloat16ComponentsINTEL" in text) == ("bf16" in name)
    assert ("MatrixASignedComponentsKHR|MatrixBSignedComponentsKHR" in text) == (
        name.endswith("bytes for AMX") and "unsigned" not in name
    )
    # With these the runtime multiplies bytes as signed ones, whatever else is said of them.
    assert "MatrixCSigned" not in text and "MatrixResultSigned" not in text


@xt.jit
def begun(A, B, C, n, START: xt.constexpr):
    """C = A @ B + n + START, which the sum begins with."""
    acc = xt.full((48, 32), START, C.dtype) + n.to(C.dtype)
    acc = xt.tile_mma(xt.load_tile(xt.init_tile(A, (0, 0), (48, 64))), xt.load_tile(xt.init_tile(B, (0, 0), (64, 32))), acc)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (48, 32)))


@pytest.mark.device
@pytest.mark.parametrize("n", [0, 3])
@pytest.mark.parametrize("start", [0.0, 1.5])
@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.int8])
def test_sums_of_a_matrix_unit_begin_with_any_number(dtype, start, n):
    """It is filled with zeros alone."""
    start = start if dtype is not np.int8 else int(start)
    a, b = (np.random.default_rng(0).integers(-3, 4, shape).astype(dtype) for shape in ((48, 64), (64, 32)))
    c = np.zeros((48, 32), np.int32 if dtype is np.int8 else np.float32)
    request = uncompiled(begun, a, b, c, np.int32(n), target="amx", START=start).request
    *_, (_, module) = pipeline.lower(trace(request), get_target("amx"))
    assert all(is_cleared_by(op.value) for op in module.find(Fill)) and module.has(Mad)
    with override(cpu="vector"), xt.device("cpu"):
        begun[1](a, b, c, n, START=start)
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64) + n + start)
