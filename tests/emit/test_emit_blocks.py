"""Block messages and the matrix instruction from lane-level IR, executed by emulation: every shape of the target's tables."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest
from xetile.backends.spirv.emit.emitter import emit
from xetile.backends.spirv.module.binary import Binary
from xetile.backends.spirv.module.shapes import MATRICES, MMA_ROWS_OF_RESULT, BlockInstruction, MatrixInstruction
from xetile.backends.spirv.verify.verify import verify as verify_spirv

from benchmarks.isastat import disassemble
from tests.emit.gemm import build_gemm
from tests.emit.kernels import LANES, Kernel
from tests.spirv.device import Device
from tests.spirv.layouts import a_lanes, b_lanes, loaded, random_elements, stored
from tests.tools import find_tool, isa_counts, ocloc_compile, require_tool, spirv_val
from xetile.dialects import arith, math, scf, vector, xegpu
from xetile.dialects.types import BF16, F16, F32, I8, I16, I32, INDEX, TF32, MemRefType, ScalarType, VectorType
from xetile.ir.core import UNIT, Block, Value
from xetile.target import get_target
from xetile.target.blocks import Message

BLOCKS = get_target("pvc").block2d
assert BLOCKS is not None
ELEMENTS = {1: (I8, np.int8), 2: (I16, np.int16), 4: (I32, np.int32)}
OPERATIONS = {
    "load": "load",
    "transform": "load_transform",
    "transpose": "load_transpose",
    "store": "store",
    "prefetch": "prefetch",
}


def shapes(kind: str) -> list[tuple[int, Message]]:
    return [(size, message) for size in ELEMENTS for message in BLOCKS.messages(kind, size)]


class BlockKernel(Kernel):
    """Memory is argument 0, the lanes' values argument 1; rows, columns and pitch (elements), and y, x are scalars."""

    def __init__(self, element: ScalarType, lane_element: ScalarType | None = None) -> None:
        super().__init__([element, lane_element or element], [INDEX] * 5)
        self.args[0].type = MemRefType((None, None), element, (None, 1))
        self.rows, self.columns, self.pitch, self.y, self.x = self.args[2:]

    def desc(self, message: Message) -> Value:
        element = self.args[0].type.element  # type: ignore[attr-defined]
        type = xegpu.TensorDescType((message.height, message.width), element, xegpu.BlockAttr(array_length=message.count))
        strides = (self.pitch, self.index(1))
        made: Value = self.build(xegpu.CreateNdTdesc, self.args[0], (), (self.rows, self.columns), strides, result=type)
        return made


# Inside; over the right and lower edge; above and left of the array; wholly outside.
PLACES = [(4, 8), (44, 56), (-3, -8), (100, 0)]


def shapes_of(*kinds: str) -> pytest.MarkDecorator:
    """Each shape that a table has, one by one: a driver builds each anew."""
    found = [(kind, size, m.width, m.height, m.count) for kind in kinds for size, m in shapes(kind)]
    return pytest.mark.parametrize("kind, size, width, height, count", found)


@pytest.mark.covering
@pytest.mark.every(6, 1)
@shapes_of("load", "transform", "transpose")
def test_loads_give_lanes_what_the_extension_says(cpu: Device, kind: str, size: int, width: int, height: int, count: int) -> None:
    block = BlockInstruction(OPERATIONS[kind], size, width, height, count)
    element, numpy = ELEMENTS[size]
    held = block.lane_bytes() // size
    kernel = BlockKernel(element)
    flags = {"transform": {"packed": UNIT}, "transpose": {"transpose": (1, 0)}, "load": {}}[kind]
    desc, place = kernel.desc(Message(width, height, count)), (kernel.y, kernel.x)
    kernel.store(kernel.build(xegpu.LoadNd, desc, place, value=VectorType((held,), element), **flags), 1)
    memory = np.random.default_rng(0).integers(-100, 100, (48, 80)).astype(numpy)
    emitted = kernel.emit()
    program = cpu.build(emitted.spirv)
    for y, x in PLACES:
        numbers = (47, 72, 80, y, x)
        out = np.zeros(LANES * held, numpy)
        got = cpu.run(program, "k", (1, 1, 1), emitted.local_size, memory.ravel(), out, *map(np.int32, numbers))[1]
        assert got.tobytes() == loaded(block, memory[:47, :72], x, y).tobytes(), (y, x)


@pytest.mark.covering
@pytest.mark.every(2)
@shapes_of("store")
def test_stores_write_what_lanes_hold(cpu: Device, kind: str, size: int, width: int, height: int, count: int) -> None:
    block = BlockInstruction(kind, size, width, height, count)
    element, numpy = ELEMENTS[size]
    held = block.lane_bytes() // size
    kernel = BlockKernel(element)
    kernel.build(xegpu.StoreNd, kernel.load(1, held), kernel.desc(Message(width, height, count)), (kernel.y, kernel.x))
    emitted = kernel.emit()
    program = cpu.build(emitted.spirv)
    lanes = np.random.default_rng(0).integers(-100, 100, LANES * held).astype(numpy)
    for y, x in PLACES:
        memory = np.zeros((48, 80), numpy)
        numbers = (47, 72, 80, y, x)
        got = cpu.run(program, "k", (1, 1, 1), emitted.local_size, memory.ravel(), lanes, *map(np.int32, numbers))[0]
        expected = memory.copy()
        expected[:47, :72] = stored(block, lanes.reshape(LANES, -1), memory[:47, :72], x, y)
        assert (got.reshape(48, 80) == expected).all(), (y, x)


@pytest.mark.parametrize("kind", ["float", "words"])
def test_a_store_takes_floats_and_words_as_they_are(kind: str) -> None:
    """An accumulator is spilled as f32, 16-bit floats as they are: no bit cast."""
    element = F32 if kind == "float" else F16
    kernel = BlockKernel(element)
    value = kernel.load(1, 8)
    kernel.build(xegpu.StoreNd, kernel.build(arith.AddF, value, value), kernel.desc(Message(16, 8)), (kernel.y, kernel.x))
    casts = [i for i in Binary(kernel.emit().spirv).instructions if i.name == "OpBitcast"]
    assert len(casts) == 1  # the pointer of the load


def test_prefetches_of_every_shape_are_valid() -> None:
    for size, message in shapes("prefetch"):
        kernel = BlockKernel(ELEMENTS[size][0])
        kernel.build(xegpu.PrefetchNd, kernel.desc(message), (kernel.y, kernel.x), l1_hint=xegpu.CacheHint("cached"))
        kernel.emit()


HINTS = [("load", "uncached", None, "uc.ca"), ("load", None, "uncached", "ca.uc"), ("load", "streaming", "cached", "st.ca"),
         ("load", "read_invalidate", "cached", "ri.ca"), ("store", "write_through", "write_back", "wt.wb"),
         ("store", None, "uncached", "uc.uc"), ("load", None, None, "")]  # fmt: skip


@pytest.mark.every(2)
@pytest.mark.parametrize(("access", "near", "far", "expected"), HINTS)
def test_cache_hints_reach_the_message(access: str, near: str | None, far: str | None, expected: str) -> None:
    kernel = BlockKernel(I16)
    hints = {name: xegpu.CacheHint(h) for name, h in (("l1_hint", near), ("l3_hint", far)) if h}
    desc, place = kernel.desc(Message(16, 8)), (kernel.y, kernel.x)
    if access == "load":
        kernel.store(kernel.build(xegpu.LoadNd, desc, place, value=VectorType((8,), I16), **hints), 1)
    else:
        kernel.build(xegpu.StoreNd, kernel.load(1, 8), desc, place, **hints)
    require_tool("ocloc")
    text = disassemble(isa_counts(ocloc_compile(kernel.emit().spirv, "pvc"), "pvc").kernel.code, "pvc")
    assert f"{access}_block2d.ugm.d16.a64{'.' if expected else ''}{expected}" in text


def test_leading_dimensions_move_the_base(cpu: Device) -> None:
    """A block of A[2] of a three-dimensional array."""
    kernel = BlockKernel(I32)
    kernel.args[0].type = MemRefType((None, None, None), I32, (None, None, 1))
    two, zero, one = kernel.index(2), kernel.index(0), kernel.index(1)
    type = xegpu.TensorDescType((8, 16), I32)
    desc = kernel.build(xegpu.CreateNdTdesc, kernel.args[0], (two, zero, zero), (one, kernel.rows, kernel.columns),
                        (kernel.index(16 * 32), kernel.pitch, one), result=type)  # fmt: skip
    kernel.store(kernel.build(xegpu.LoadNd, desc, (kernel.y, kernel.x), value=VectorType((8,), I32)), 1)
    memory = np.arange(3 * 16 * 32, dtype=np.int32)
    got = kernel.run(cpu, memory, np.zeros(128, np.int32), *map(np.int32, (16, 32, 32, 4, 16)))[1]
    assert (got.reshape(16, 8) == memory.reshape(3, 16, 32)[2, 4:12, 16:].T).all()


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.int64])
@pytest.mark.parametrize("words", [1, 4, 11])
def test_rows_are_read_and_written_in_words_of_32_bits(cpu: Device, dtype: type, words: int) -> None:
    """One-dimensional blocks: word j of lane l is word l + 16 j; narrow elements share words."""
    from xetile.dtypes import from_numpy

    element = from_numpy(np.dtype(dtype)).ir
    per_word = max(1, 4 // np.dtype(dtype).itemsize)
    count = words * per_word
    kernel = Kernel([element, element, element])
    type = xegpu.TensorDescType((LANES * count,), element)
    one = kernel.index(1)
    source = kernel.build(xegpu.CreateNdTdesc, kernel.args[0], (), (kernel.index(1 << 20),), (one,), result=type)
    dest = kernel.build(xegpu.CreateNdTdesc, kernel.args[2], (), (kernel.index(1 << 20),), (one,), result=type)
    at = kernel.index(LANES * per_word)
    value = kernel.build(xegpu.LoadNd, source, (at,), value=VectorType((count,), element))
    kernel.store(value, 1)
    kernel.build(xegpu.StoreNd, value, dest, (at,))
    a = (np.arange(LANES * (count + per_word)) % 120).astype(dtype)
    got = kernel.run(cpu, a, np.zeros(LANES * count, dtype), np.zeros_like(a))
    part = a[LANES * per_word :]
    assert (got[1].reshape(LANES, words, per_word) == part.reshape(words, LANES, per_word).transpose(1, 0, 2)).all()
    assert (got[2][LANES * per_word :] == part).all()


# Matrices.

IR_TYPES = {"f16": F16, "bf16": BF16, "tf32": TF32, "f32": F32, "s8": I8, "u8": I8, "s32": I32}
NUMPY = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "s32": np.int32}
KNOWN = [m for m in MATRICES if m.subgroup_size == LANES and m.a in IR_TYPES]


def dpas(kernel: Kernel, matrix: MatrixInstruction, operands: Sequence[Value | None], m: int) -> Value:
    unsigned = {f"{side}_unsigned": UNIT for side, kind in (("lhs", matrix.a), ("rhs", matrix.b)) if kind == "u8"}
    made: Value = kernel.build(xegpu.Dpas, *operands, result=VectorType((m,), IR_TYPES[matrix.c]), **unsigned)
    return made


@pytest.mark.covering
@pytest.mark.every(6, 5)
@pytest.mark.parametrize("with_acc", [True, False])
@pytest.mark.parametrize("m", MMA_ROWS_OF_RESULT)
@pytest.mark.parametrize("matrix", KNOWN, ids=lambda m: f"{m.a}-{m.b}-{m.c}")
def test_dpas_multiplies(cpu: Device, matrix: MatrixInstruction, m: int, with_acc: bool) -> None:
    rng = np.random.default_rng(0)
    a, a_bits, a_width = random_elements(rng, matrix.a, (m, matrix.k))
    b, b_bits, b_width = random_elements(rng, matrix.b, (matrix.k, LANES))
    words_a, words_b = a_lanes(matrix, a_bits, a_width), b_lanes(matrix, b_bits, b_width)
    word = I32 if matrix.a == "tf32" else I16
    kernel = Kernel([word, I32, IR_TYPES[matrix.c], IR_TYPES[matrix.c]])
    size = word.bits // IR_TYPES[matrix.a].bits
    lhs = kernel.build(
        vector.Bitcast, kernel.load(0, words_a.shape[1]), result=VectorType((words_a.shape[1] * size,), IR_TYPES[matrix.a])
    )
    rhs = kernel.build(vector.Bitcast, kernel.load(1, 8), result=VectorType((8 * 32 // b_width,), IR_TYPES[matrix.b]))
    acc = kernel.load(2, m)
    kernel.store(dpas(kernel, matrix, (lhs, rhs, acc if with_acc else None), m), 3)
    c = (rng.standard_normal((LANES, m)) * 8).astype(NUMPY[matrix.c])
    words = [words_a.astype(np.uint32 if word is I32 else np.uint16), words_b.astype(np.uint32)]
    flat = [np.ascontiguousarray(w).ravel() for w in words]
    got = kernel.run(
        cpu, flat[0].view(np.int32 if word is I32 else np.int16), flat[1].view(np.int32), c.ravel(), np.zeros_like(c.ravel())
    )[3]
    expected = (a @ b).T + (c.astype(np.float64) if with_acc else 0)
    tolerance = {"f32": 1e-4, "s32": 0, "f16": 5e-3, "bf16": 4e-2}[matrix.c]
    np.testing.assert_allclose(got.reshape(LANES, m).astype(np.float64), expected, rtol=tolerance, atol=8 * tolerance)


def test_no_bit_cast_in_a_matrix_product() -> None:
    """Operands are carried, sliced and multiplied in the words in which they were loaded."""
    instructions = [i.name for i in Binary(emit(build_gemm(), get_target("pvc")).spirv).instructions]
    assert "OpBitcast" not in instructions and "OpVectorShuffle" not in instructions
    assert instructions.count("OpSubgroupMatrixMultiplyAccumulateINTEL") == 32


def test_packed_operands_go_through_loops_as_loaded() -> None:
    """A double buffer: the operand of the next step is loaded before this step's product."""
    kernel = BlockKernel(F16, F32)
    type = VectorType((16,), F16)
    desc = kernel.desc(Message(16, 16))
    first = kernel.build(xegpu.LoadNd, desc, (kernel.index(0), kernel.x), value=type, packed=UNIT)
    a = kernel.build(xegpu.LoadNd, kernel.desc(Message(16, 8)), (kernel.y, kernel.index(0)), value=VectorType((8,), F16))
    acc = kernel.constant(0.0, VectorType((8,), F32))
    body = Block([INDEX, type, acc.type])
    loop = kernel.build.op(
        scf.For, kernel.index(16), kernel.rows, kernel.index(16), (first, acc), regions=[body], values=[type, acc.type]
    )
    with kernel.build.at(body):
        after = kernel.build(xegpu.LoadNd, desc, (body.args[0], kernel.x), value=type, packed=UNIT)
        kernel.build(scf.Yield, (after, kernel.build(xegpu.Dpas, a, body.args[1], body.args[2])))
    kernel.store(loop.results[1], 1)
    names = [i.name for i in Binary(kernel.emit().spirv).instructions]
    assert "OpVectorShuffle" not in names and names.count("OpBitcast") == 1  # the pointer of the last store


def test_operands_computed_before_two_loops_are_put_together_once() -> None:
    """Not in each loop: the second one's parts would lie in registers through the first, beside the operand made of them."""
    kernel = BlockKernel(F16, F32)
    type, sums = VectorType((8,), F16), VectorType((8,), F32)
    loaded = kernel.build(xegpu.LoadNd, kernel.desc(Message(16, 8)), (kernel.y, kernel.index(0)), value=type)
    a = kernel.build(math.Floor, loaded)
    acc = kernel.constant(0.0, sums)
    for _ in range(2):
        body = Block([INDEX, sums])
        loop = kernel.build.op(scf.For, kernel.index(0), kernel.rows, kernel.index(16), (acc,), regions=[body], values=[sums])
        with kernel.build.at(body):
            b = kernel.build(
                xegpu.LoadNd, kernel.desc(Message(16, 16)), (body.args[0], kernel.x), value=VectorType((16,), F16), packed=UNIT
            )
            kernel.build(scf.Yield, (kernel.build(xegpu.Dpas, a, b, body.args[1]),))
        (acc,) = loop.results
    kernel.store(acc, 1)
    instructions = Binary(kernel.emit().spirv).instructions
    product = next(i for i in instructions if i.name == "OpExtInst").result
    casts = [i for i in instructions if i.name == "OpBitcast" and product in i.words]
    assert len(casts) == 1


@pytest.mark.covering
@pytest.mark.every(2, 1)
@pytest.mark.parametrize("element", [F16, BF16], ids=str)
@pytest.mark.parametrize(("m", "n", "k"), [(256, 256, 64), (300, 200, 100)])
def test_gemm_is_right_with_ragged_edges(cpu: Device, element: ScalarType, m: int, n: int, k: int) -> None:
    emitted = emit(build_gemm(element), get_target("pvc"))
    verify_spirv(emitted.spirv)
    numpy = np.float16 if element is F16 else ml_dtypes.bfloat16
    rng = np.random.default_rng(0)
    lda, ldb, ldc = (-(-size // 32) * 32 for size in (k, n, n))
    a, b = rng.standard_normal((m, lda)).astype(numpy), rng.standard_normal((k, ldb)).astype(numpy)
    c = np.full((m, ldc), 7, np.float32)
    groups = (-(-n // 256), -(-m // 256), 1)
    numbers = map(np.int32, (m, n, k, lda, ldb, ldc))
    got = cpu.run(cpu.build(emitted.spirv), "gemm", groups, emitted.local_size, a, b, c, *numbers)[2]
    np.testing.assert_allclose(got[:, :n], a[:, :k].astype(np.float32) @ b[:, :n].astype(np.float32), rtol=1e-3, atol=1e-3)
    assert (got[:, n:] == 7).all()


@pytest.mark.parametrize(("device", "most"), [("pvc", 68), ("bmg", 59)])
def test_gemm_is_as_good_as_by_hand(device: str, most: int) -> None:
    """Instructions for each K step of 32 matrix instructions in 256-register mode; by hand 68 and 58."""
    require_tool("ocloc")
    spirv = emit(build_gemm(), get_target(device)).spirv
    if find_tool("spirv-val"):
        spirv_val(spirv)
    found = isa_counts(ocloc_compile(spirv, device, "-cl-intel-256-GRF-per-thread"), device)
    assert found.hot is not None
    loop = found.hot.counts
    assert (loop["dpas"], loop["load_block2d"], loop["prefetch"], loop["scratch"]) == (32, 3, 2, 0)
    assert loop.total <= most
