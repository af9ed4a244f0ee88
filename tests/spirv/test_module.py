"""The module writer: what it writes is valid, declares what it uses and is read back the same; mistakes are named at once."""

import struct
import time

import numpy as np
import pytest
from xetile.backends.spirv.module.binary import Binary
from xetile.backends.spirv.module.disassemble import disassemble
from xetile.backends.spirv.module.errors import SpirvError
from xetile.backends.spirv.module.lines import Lines
from xetile.backends.spirv.module.module import Module

from tests.spirv.gemm import gemm
from tests.spirv.kernels import at, byte_pointer, i32, subgroup_offset
from tests.tools import spirv_dis, spirv_val


@pytest.fixture
def m():
    return Module()


def one_block(m, params=(), **options):
    fn = m.kernel("k", list(params), subgroup_size=16, **options)
    return fn, fn.block("entry")


def texts(data, name):
    """The lines of the disassembly that hold this instruction."""
    return [" ".join(line.split()) for line in disassemble(data).splitlines() if f"{name} " in line + " "]


def test_types_and_constants_are_unique(m):
    assert m.type.vector(m.type.float(32), 8) == m.type.vector(m.type.float(32), 8)
    assert m.type.array(m.type.int(16), 4) == m.type.array(m.type.int(16), 4)
    assert m.constant(m.type.int(32), 5) == m.constant(m.type.int(32), 5)
    assert m.constant(m.type.int(32), -1) == m.constant(m.type.int(32), 0xFFFFFFFF)
    assert m.constant(m.type.int(32), 0) != m.constant(m.type.float(32), 0)
    assert m.constant(m.type.float(32), 0.0) != m.constant(m.type.float(32), -0.0)


def test_types_are_described(m):
    vector = m.type.vector(m.type.float(16), 8)
    kind = m.type[m.type.pointer("Workgroup", vector)]
    assert (kind.kind, kind.storage, kind.element) == ("pointer", "Workgroup", vector)
    assert (m.type[vector].count, m.type[m.type[vector].element].width) == (8, 16)


@pytest.mark.parametrize(
    ("make", "value", "bits"),
    [
        (lambda t: t.int(8), -1, 0xFF),
        (lambda t: t.int(16), -2, 0xFFFE),
        (lambda t: t.int(64), -1, 2**64 - 1),
        (lambda t: t.float(16), 1.5, 0x3E00),
        (lambda t: t.float(32), -0.0, 0x80000000),
        (lambda t: t.float(64), 1.0, 0x3FF0 << 48),
    ],
)
def test_constants_hold_these_bits(m, make, value, bits):
    constant = m.constant(make(m.type), value)
    one_block(m)[1].ret()
    assert Binary(m.finish()).definition[constant].operands()[0].value == bits


def test_capabilities_and_extensions_follow_from_use(m):
    fn, b = one_block(m)
    byte = m.constant(m.type.int(8), 3)
    b.emit("OpConvertFToBF16INTEL", m.type.int(16), m.constant(m.type.float(32), 1))
    b.emit("OpGroupNonUniformShuffle", m.type.int(8), m.scope("Subgroup"), byte, i32(m, 0))
    m.decorate(fn.variable(m.type.vector(m.type.int(8), 16)), "CacheControlLoadINTEL", 0, "CachedINTEL")
    b.ret()
    binary = Binary(m.finish())
    assert binary.capabilities == {
        "Addresses",
        "Kernel",
        "SubgroupDispatch",
        "Int8",
        "Int16",
        "Vector16",
        "BFloat16ConversionINTEL",
        "GroupNonUniformShuffle",
        "CacheControlsINTEL",
    }
    assert binary.extensions == {"SPV_INTEL_bfloat16_conversion", "SPV_INTEL_cache_controls"}
    spirv_val(m.finish())


@pytest.mark.parametrize(
    ("width", "capability"), [(16, "AtomicFloat16AddEXT"), (32, "AtomicFloat32AddEXT"), (64, "AtomicFloat64AddEXT")]
)
def test_atomic_capability_depends_on_the_width(m, width, capability):
    kind = m.type.float(width)
    fn, b = one_block(m, [m.type.pointer("CrossWorkgroup", kind)])
    b.emit("OpAtomicFAddEXT", kind, fn.params[0], m.scope("Device"), m.semantics("Relaxed"), m.constant(kind, 1))
    b.ret()
    assert {c for c in Binary(m.finish()).capabilities if c.startswith("Atomic")} == {capability}
    spirv_val(m.finish())


def test_loops_take_phi_operands_late(m):
    word = m.type.int(32)
    fn, b = one_block(m, [word])
    head, body, leave = (fn.block(name) for name in ("head", "body", "leave"))
    b.branch(head)
    i = head.phi(word, (i32(m, 0), b))
    more = head.emit("OpULessThan", m.type.bool, i, fn.params[0])
    head.loop_merge(leave, body, "Unroll")
    head.branch_if(more, body, leave)
    i.add(body.emit("OpIAdd", word, i, i32(m, 1)), body)
    body.branch(head)
    leave.ret()
    data = m.finish()
    spirv_val(data)
    assert len(texts(data, "OpPhi")[0].split()) == 8


def test_variables_stand_first_in_the_entry_block(m):
    fn, b = one_block(m)
    lane = fn.builtin("SubgroupLocalInvocationId")
    b.store(fn.variable(m.type.int(32), "x"), lane)
    b.ret()
    body = next(f for f in Binary(m.finish()).functions() if f.blocks).blocks[b.label]
    assert [i.name for i in body] == ["OpVariable", "OpLoad", "OpStore", "OpReturn"]


def test_entry_point_lists_built_ins_and_shared_memory_of_callees(m):
    helper = m.function("helper", m.type.void, [])
    inner = helper.block()
    shared = helper.workgroup_variable(m.type.array(m.type.float(32), 16), "shared", 64)
    helper.builtin("SubgroupId")
    inner.ret()
    fn, b = one_block(m, local_size=(16, 1, 1))
    fn.builtin("SubgroupId")
    b.call(helper)
    b.ret()
    data = m.finish()
    assert texts(data, "OpEntryPoint") == ['OpEntryPoint Kernel %k "k" %SubgroupId %shared']
    assert shared
    assert len(texts(data, "OpVariable")) == 2
    spirv_val(data)


def test_sources_extended_instructions_imports_and_struct_types(m):
    f32 = m.type.float(32)
    m.type.struct(f32, m.type.int(64))
    _, b = one_block(m, [f32], param_names=["x"])
    fn = b.function
    fn.lines, fn.place = Lines(m, fn.id, "kernel"), ("kernel.py", 3, 7)
    y = b.ext(f32, "exp2", fn.params[0])
    m.decorate(y, "FPFastMathMode", "NotNaN|NotInf")
    imported = m.import_function("elsewhere", f32, [f32])
    assert imported == m.import_function("elsewhere", f32, [f32])
    fn.place = ("helper.py", 9, 1)
    b.call(imported, y, result=f32)
    b.control_barrier("Workgroup", "Workgroup", "AcquireRelease|WorkgroupMemory")
    b.ret()
    data = m.finish()
    spirv_val(data)
    text = disassemble(data)
    assert text.count("OpLine") == 2  # the place did not change, and then it did
    assert 'OpExtInstImport "OpenCL.DebugInfo.100"' in text
    assert "exp2 %x" in text
    assert '"elsewhere" Import' in text
    assert "FPFastMathMode NotNaN|NotInf" in text


MISTAKES = [
    (lambda m, b: b.emit("OpIAd", m.type.int(32)), "no SPIR-V instruction is named 'OpIAd'"),
    (lambda m, b: b.emit("OpIAdd", m.type.int(32), 3, i32(m, 4)), "operand 0 of OpIAdd must be an id, got 3"),
    (lambda m, b: b.emit("OpIAdd", m.type.int(32), i32(m, 3)), "OpIAdd takes 2 operands, got 1"),
    (lambda m, b: b.emit("OpIAdd"), "needs its result type first"),
    (lambda m, b: b.emit("OpCompositeExtract", m.type.int(32), i32(m, 3), i32(m, 0)), "must be an integer"),
    (lambda m, b: b.emit("OpLoad", m.type.int(32), i32(m, 3), "Alinged", 4), "MemoryAccess has no value named 'Alinged'"),
    (lambda m, b: b.emit("OpLoad", m.type.int(32), i32(m, 3), "Aligned"), "lacks operand"),
    (lambda m, b: b.ext(m.type.float(32), "expp", i32(m, 3)), "OpenCL.std has no instruction 'expp'"),
    (lambda m, b: m.type.vector(m.type.int(32), 5), "no vector type has 5 components"),
    (lambda m, b: m.type.int(24), "no integer type has 24 bits"),
    (lambda m, b: m.constant(m.type.vector(m.type.int(32), 4), [1, 2]), "got 2 numbers"),
    (lambda m, b: (b.ret(), b.emit("OpNop")), "behind the end of its block"),
    (lambda m, b: m.finish(), "function k has no end"),
    (lambda m, b: (b.emit("OpNop"), m.finish()), "of k has no end"),
    (lambda m, b: b.function.builtin("SubgroupIdd"), "BuiltIn has no value named 'SubgroupIdd'"),
    (lambda m, b: m.type_of(i32(m, 1) + 1000), "is not a value of this module"),
    (lambda m, b: Module((1, 5)), "drivers take at most 1.4"),
    (lambda m, b: (b.selection_merge(b.function.block()), b.emit("OpNop")), "between a merge instruction and the branch"),
]


@pytest.mark.parametrize(("mistake", "message"), MISTAKES, ids=[message for _, message in MISTAKES])
def test_mistakes_are_named_where_they_are_made(m, mistake, message):
    _, b = one_block(m)
    with pytest.raises(SpirvError, match=message):
        mistake(m, b)


def test_near_names_are_suggested(m):
    with pytest.raises(SpirvError, match="did you mean OpIAdd"):
        one_block(m)[1].emit("OpIAd", m.type.int(32))


# reading


def test_reading_and_writing_gives_the_same_bytes():
    data = gemm()
    assert Binary(data).write() == data


def test_bytes_of_the_other_order_are_read():
    data = gemm()
    words = struct.unpack(f"<{len(data) // 4}I", data)
    assert Binary(struct.pack(f">{len(words)}I", *words)).write() == data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "are no SPIR-V module"),
        (b"\0" * 64, "no SPIR-V module starts with"),
        (gemm()[:-6], "are no SPIR-V module"),
        (gemm() + struct.pack("<I", 5 << 16 | 128), "is cut off"),
        (gemm() + struct.pack("<I", 1 << 16 | 60000), "opcode 60000"),
    ],
)
def test_broken_bytes_are_refused(data, message):
    with pytest.raises(SpirvError, match=message):
        Binary(data)


def test_disassembly_says_what_spirv_dis_says():
    ours = [line.split("=")[-1].split() for line in disassemble(gemm()).splitlines() if not line.startswith(";")]
    theirs = [line.split("=")[-1].split() for line in spirv_dis(gemm()).splitlines() if not line.startswith(";")]
    assert [words[0] for words in ours] == [words[0] for words in theirs]
    for mine, other in zip(ours, theirs, strict=True):
        assert [w for w in mine if not w.startswith("%")] == [w for w in other if not w.startswith("%")]


def test_a_module_is_written_in_ten_milliseconds():
    gemm()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        gemm()
        times.append(time.perf_counter() - start)
    assert min(times) < 0.01


@pytest.mark.device
def test_a_written_kernel_runs(cpu, m):
    f32 = m.type.float(32)
    fn, b = one_block(m, [byte_pointer(m), f32], local_size=(16, 1, 1))
    mine = at(b, fn.params[0], subgroup_offset(fn, b, 4), f32)
    b.store(mine, b.ext(f32, "fma", b.load(f32, mine, 4), fn.params[1], m.constant(f32, 0.5)), 4)
    b.ret()
    data = np.arange(48, dtype=np.float32)
    (got,) = cpu.run(cpu.build(m.finish()), "k", (3,), (16,), data, np.float32(2))
    np.testing.assert_array_equal(got, data * 2 + 0.5)
