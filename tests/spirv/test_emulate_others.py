"""What else emulation replaces or drops: conversions, split barriers, prefetches, cache controls."""

import ml_dtypes
import numpy as np
import pytest
from xetile.backends.spirv.finished.emulate import EMULATED_EXTENSIONS, emulate
from xetile.backends.spirv.module.binary import Binary
from xetile.backends.spirv.module.errors import SpirvError
from xetile.backends.spirv.module.module import Module
from xetile.backends.spirv.verify.verify import problems

from tests.spirv import twins
from tests.spirv.kernels import at, byte_pointer, i32, subgroup_offset, vector
from tests.tools import spirv_val

SPECIAL = np.array(
    [0, -0.0, 1, 1 + 2**-8, 1 + 3 * 2**-9, 1 + 2**-11, 3.4e38, -3.4e38, np.inf, -np.inf, np.nan, 1e-40, 65504.5], np.float32
)

CONVERSIONS = {
    "OpConvertFToBF16INTEL": (("float", 32), ("int", 16), lambda x: x.astype(ml_dtypes.bfloat16).view(np.uint16)),
    "OpConvertBF16ToFINTEL": (("int", 16), ("float", 32), lambda x: x.view(ml_dtypes.bfloat16).astype(np.float32)),
    "OpRoundFToTF32INTEL": (("float", 32), ("float", 32), lambda x: round_to_tf32(x)),
}


def round_to_tf32(x):
    """Nearest even at 10 bits of mantissa; what is no number stays."""
    exact = x.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        scale = np.exp2(np.floor(np.log2(np.abs(np.where(exact == 0, 1, exact)))) - 10)
        scale = np.maximum(scale, 2.0**-136)
        rounded = (np.rint(exact / scale) * scale).astype(np.float32)
    return np.where(np.isfinite(x), rounded, x)


@pytest.mark.covering
@pytest.mark.device
@pytest.mark.parametrize("count", [1, 8])
@pytest.mark.parametrize("name", CONVERSIONS)
def test_conversions_round_as_their_types_do(cpu, name, count):
    source, target, reference = CONVERSIONS[name]
    m = Module()
    fn = m.kernel("k", [byte_pointer(m)] * 2, subgroup_size=16, local_size=(16, 1, 1))
    b = fn.block()
    given, made = vector(m, source, count), vector(m, target, count)
    value = b.load(given, at(b, fn.params[0], subgroup_offset(fn, b, source[1] // 8 * count), given), 2)
    b.store(at(b, fn.params[1], subgroup_offset(fn, b, target[1] // 8 * count), made), b.emit(name, made, value), 2)
    b.ret()
    rng = np.random.default_rng(3)
    data = np.concatenate([SPECIAL, rng.standard_normal(16 * 8 * 2 - len(SPECIAL)).astype(np.float32) * 1e3])
    if source == ("int", 16):
        data = data.astype(ml_dtypes.bfloat16).view(np.uint16)
    expected = reference(data)
    *_, got = cpu.run(cpu.build(m.finish()), "k", (16 // count,), (16,), data, np.zeros_like(expected))
    if expected.dtype == np.uint16:
        got, expected = (x.view(ml_dtypes.bfloat16).astype(np.float32) for x in (got, expected))
    np.testing.assert_array_equal(got, expected)


SHUFFLES = {
    "OpGroupBroadcast": (1, lambda a, b, lane, n: a[n]),
    "OpSubgroupShuffleINTEL": (1, lambda a, b, lane, n: a[n]),
    "OpSubgroupShuffleXorINTEL": (1, lambda a, b, lane, n: a[lane ^ n]),
    "OpSubgroupShuffleDownINTEL": (2, lambda a, b, lane, n: a[lane + n] if lane + n < 16 else b[lane + n - 16]),
    "OpSubgroupShuffleUpINTEL": (2, lambda a, b, lane, n: b[lane - n] if lane >= n else a[lane - n + 16]),
}


def shuffle_kernel(name, kind, count):
    """kernel(a, b, number): a[lane] = shuffle(a[lane], ..., number)."""
    m = Module()
    fn = m.kernel("k", [byte_pointer(m), byte_pointer(m), m.type.int(32)], subgroup_size=16, local_size=(16, 1, 1))
    block = fn.block()
    type_id, size = vector(m, kind, count), kind[1] // 8 * count
    pointers = [at(block, p, subgroup_offset(fn, block, size), type_id) for p in fn.params[:2]]
    values = [block.load(type_id, p, 2) for p in pointers][: SHUFFLES[name][0]]
    scope = [m.scope("Subgroup")] if name == "OpGroupBroadcast" else []
    block.store(pointers[0], block.emit(name, type_id, *scope, *values, fn.params[2]), 2)
    block.ret()
    return m.finish()


@pytest.mark.every(2)
@pytest.mark.covering
@pytest.mark.device
@pytest.mark.parametrize(("kind", "count"), [(("float", 32), 1), (("int", 16), 8)])
@pytest.mark.parametrize("name", SHUFFLES)
def test_shuffles_take_from_the_named_lane(cpu, name, kind, count):
    data = np.arange(2 * 16 * count).reshape(2, 16, count).astype(np.float32 if kind[0] == "float" else np.uint16)
    program = cpu.build(shuffle_kernel(name, kind, count))
    for number in (0, 3, 15):
        got, _ = cpu.run(program, "k", (1,), (16,), data[0], data[1], np.uint32(number))
        expected = [SHUFFLES[name][1](data[0], data[1], lane, number) for lane in range(16)]
        np.testing.assert_array_equal(got, expected)


@pytest.mark.every(2)
@pytest.mark.device
@pytest.mark.parametrize(("kind", "count"), [(("int", 8), 4), (("int", 16), 8), (("int", 32), 1), (("int", 64), 2)])
def test_block_reads_and_writes_are_strided_by_the_subgroup(cpu, kind, count):
    m = Module()
    fn = m.kernel("k", [byte_pointer(m)] * 2, subgroup_size=16, local_size=(16, 1, 1))
    b = fn.block()
    element, data = m.type.int(kind[1]), vector(m, kind, count)
    shared = fn.workgroup_variable(m.type.array(element, 16 * count), "shared", 64)
    source = b.emit("OpBitcast", m.type.pointer("CrossWorkgroup", element), fn.params[0])
    inside = b.emit("OpInBoundsAccessChain", m.type.pointer("Workgroup", element), shared, i32(m, 0))
    b.emit("OpSubgroupBlockWriteINTEL", inside, b.emit("OpSubgroupBlockReadINTEL", data, source))
    b.control_barrier("Workgroup", "Workgroup", "AcquireRelease|WorkgroupMemory")
    value = b.emit("OpSubgroupBlockReadINTEL", data, inside)
    b.store(at(b, fn.params[1], subgroup_offset(fn, b, kind[1] // 8 * count), data), value, kind[1] // 8)
    b.ret()
    given = np.arange(16 * count).astype(f"u{kind[1] // 8}")
    _, got = cpu.run(cpu.build(m.finish()), "k", (1,), (16,), given, np.zeros_like(given))
    np.testing.assert_array_equal(got.reshape(16, count), given.reshape(count, 16).T)


def split_barrier_kernel():
    """Each item of 64 writes its number to shared memory and reads its mirror's: out[i] = 63 - i."""
    m = Module()
    word = m.type.int(32)
    fn = m.kernel("k", [m.type.pointer("CrossWorkgroup", word)], subgroup_size=16, local_size=(64, 1, 1))
    shared = fn.workgroup_variable(m.type.array(word, 64), "shared", 64)
    b = fn.block()
    local = b.emit("OpUConvert", word, b.emit("OpCompositeExtract", m.type.int(64), fn.builtin("LocalInvocationId"), 0))
    cell = m.type.pointer("Workgroup", word)
    b.store(b.emit("OpInBoundsAccessChain", cell, shared, local), local, 4)
    scopes = (m.scope("Workgroup"), m.scope("Workgroup"))
    b.emit("OpControlBarrierArriveINTEL", *scopes, m.semantics("Release|WorkgroupMemory"))
    mirror = b.emit("OpISub", word, i32(m, 63), local)
    b.emit("OpControlBarrierWaitINTEL", *scopes, m.semantics("Acquire|WorkgroupMemory"))
    value = b.load(word, b.emit("OpInBoundsAccessChain", cell, shared, mirror), 4)
    b.store(b.emit("OpInBoundsPtrAccessChain", m.type.pointer("CrossWorkgroup", word), fn.params[0], local), value, 4)
    b.ret()
    return m.finish()


@pytest.mark.device
def test_split_barriers_become_whole_ones(cpu):
    module = split_barrier_kernel()
    spirv_val(module)
    assert problems(module) == []
    (got,) = cpu.run(cpu.build(module), "k", (1,), (64,), np.zeros(64, np.int32))
    np.testing.assert_array_equal(got, np.arange(64)[::-1])


def test_prefetches_and_cache_controls_leave_nothing_behind():
    def fill(t):
        pointer = t.b.emit("OpInBoundsPtrAccessChain", t.m.type_of(t.base), t.base, t.lane())
        t.m.decorate(pointer, "CacheControlLoadINTEL", 0, "UncachedINTEL")
        t.b.emit("OpSubgroupBlockPrefetchINTEL", pointer, i32(t.m, 4))
        t.block("prefetch")

    data = twins.module(fill)
    assert Binary(data).extensions == {"SPV_INTEL_cache_controls", "SPV_INTEL_subgroup_buffer_prefetch", "SPV_INTEL_2d_block_io"}
    emulated, source = emulate(data)
    binary = Binary(emulated)
    assert (source, binary.extensions) == ("", set())
    assert not {c for c in binary.capabilities if "INTEL" in c or c == "Linkage"}
    spirv_val(emulated)


def test_what_a_device_has_is_left_alone():
    data = twins.module(lambda t: (t.block(), t.matrix()))
    assert emulate(data, EMULATED_EXTENSIONS) == (data, "")
    half, source = emulate(data, {"SPV_INTEL_2d_block_io"})
    assert {i.name for i in Binary(half).instructions} >= {"OpSubgroup2DBlockLoadINTEL", "OpFunctionCall"}
    assert Binary(half).extensions == {"SPV_INTEL_2d_block_io"}
    assert [line for line in source.splitlines() if line.startswith("XETILE_")] == [
        "XETILE_MMA(xetile_mma_f16_f16_f32_m8_sg16, ushort, 8, uint, f16, f16, f32, 8, 16, 16)"
    ]
    spirv_val(half)


def test_modules_without_tile_instructions_come_back_unchanged():
    data = twins.module(lambda t: None)
    assert emulate(data) == (data, "")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda t: t.block(sizes=[t.width] * 4), "must be integer constants"),
        (lambda t: t.matrix(k=5), "no emulation of OpSubgroupMatrixMultiplyAccumulateINTEL for K 5"),
    ],
)
def test_what_cannot_be_emulated_is_an_error(make, message):
    with pytest.raises(SpirvError, match=message):
        emulate(twins.module(make))
