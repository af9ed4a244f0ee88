"""The verifier: of each pair of twins it takes one and names the other's mistake."""

import pytest
from xetile.backends.spirv.module.binary import Binary, Instruction
from xetile.backends.spirv.module.errors import SpirvError
from xetile.backends.spirv.module.opcodes import string_words
from xetile.backends.spirv.verify.verify import problems, verify

from tests.spirv import twins
from tests.spirv.kernels import i32
from tests.spirv.twins import F16_OPERANDS, Bench
from tests.tools import spirv_val


def size(position, make):
    """A block whose size operand at `position` is `make(bench)`."""

    def fill(t):
        sizes = [i32(t.m, n) for n in (2, 16, 8, 1)]
        sizes[position] = make(t)
        t.block(sizes=sizes)

    return fill


def f32_pair(t):
    return t.m.constant(t.m.type.vector(t.f32, 2), 0.0)


def pair_by(t, amount):
    """Two words, and how far each is shifted."""
    pair = t.m.type.vector(t.word, 2)
    return pair, t.undefined(pair), t.m.constant(pair, amount)


def chain(t, index):
    """A private pointer `index` vectors of 8 behind the start of an array of 8 of them."""
    vector = t.m.type.vector(t.half, 8)
    array = t.fn.variable(t.m.type.array(vector, 8))
    return t.b.emit("OpInBoundsAccessChain", t.m.type.pointer("Function", vector), array, i32(t.m, index))


def aligned(t, alignment):
    t.m.decorate(t.base, "Alignment", alignment)
    t.block()


def loaded_bound(t, where):
    """A loop bound read from memory at `where`."""
    pointer = t.b.emit("OpBitcast", t.m.type.pointer("CrossWorkgroup", t.word), t.base)
    return t.b.load(t.word, t.b.emit("OpInBoundsPtrAccessChain", t.m.type.pointer("CrossWorkgroup", t.word), pointer, where), 4)


def broadcast(t, value):
    return t.b.emit("OpGroupNonUniformBroadcastFirst", t.word, t.m.scope("Subgroup"), value)


def stored_then_loaded(t, value):
    variable = t.fn.variable(t.word)
    t.b.store(variable, value)
    return t.b.load(t.word, variable)


def after_loop(t, bound):
    """A value made in a loop, used behind it as memory height."""
    made = []
    t.loop(bound, lambda i: made.append(i))
    t.block(height=made[0])


def subgroup_is_first(t):
    return t.b.emit("OpIEqual", t.m.type.bool, t.fn.builtin("SubgroupId"), i32(t.m, 0))


def group_is_first(t):
    group = t.b.emit("OpCompositeExtract", t.m.type.int(64), t.fn.builtin("WorkgroupId"), 0)
    return t.b.emit("OpIEqual", t.m.type.bool, group, t.m.constant(t.m.type.int(64), 0))


INT8 = "MatrixAPackedInt8INTEL|MatrixBPackedInt8INTEL"
TF32 = "MatrixATF32INTEL|MatrixBTF32INTEL"

# fmt: off
# (rule, a kernel that keeps it, its twin, what the message says)
TWINS = [
    # block shapes
    ("element size is a constant", size(0, lambda t: i32(t.m, 2)), size(0, lambda t: t.width), "element size must be a constant"),
    ("element size is in bytes", lambda t: t.block(shape=(2, 16, 8, 1)), lambda t: t.block(shape=(16, 16, 8, 1)), "1, 2, 4 or 8"),
    ("element size is a power of two", lambda t: t.block(), lambda t: t.block(shape=(3, 16, 8, 1)), "1, 2, 4 or 8"),
    ("width is an i32", size(1, lambda t: i32(t.m, 16)), size(1, lambda t: t.m.constant(t.f32, 16.0)),
     "block width must be a constant"),
    ("height is an i32", size(2, lambda t: i32(t.m, 8)), size(2, lambda t: t.m.constant(t.half, 8)),
     "block height must be a constant"),
    ("count is a constant", size(3, lambda t: i32(t.m, 1)), size(3, lambda t: t.height), "block count must be a constant"),
    ("load shapes", lambda t: t.block(shape=(2, 16, 32, 2)), lambda t: t.block(shape=(2, 16, 24, 2)), "published table"),
    ("transform shapes", lambda t: t.block("load_transform", (2, 16, 16, 1)), lambda t: t.block("load_transform", (2, 16, 8, 1)),
     "published table"),
    ("transpose shapes", lambda t: t.block("load_transpose", (4, 8, 16, 1)), lambda t: t.block("load_transpose", (2, 8, 16, 1)),
     "published table"),
    ("prefetch shapes", lambda t: t.block("prefetch", (1, 32, 8, 2)), lambda t: t.block("prefetch", (1, 64, 8, 1)),
     "published table"),
    ("store shapes", lambda t: t.block("store", (4, 16, 8, 1)), lambda t: t.block("store", (4, 16, 16, 1)), "published table"),
    # the region
    ("width type", lambda t: t.block(), lambda t: t.block(width=t.undefined(t.f32)), "memory width must be an i32"),
    ("height type", lambda t: t.block(), lambda t: t.block(height=t.undefined(t.m.type.int(64))), "memory height must be an i32"),
    ("pitch type", lambda t: t.block(), lambda t: t.block(pitch=t.undefined(t.half)), "memory pitch must be an i32"),
    ("coordinate is a pair", lambda t: t.block(at=t.pair()), lambda t: t.block(at=i32(t.m, 0)), "vector of two i32"),
    ("coordinate of integers", lambda t: t.block(at=t.pair()), lambda t: t.block(at=f32_pair(t)), "vector of two i32"),
    ("smallest width", lambda t: t.block(width=i32(t.m, 64)), lambda t: t.block(width=i32(t.m, 60)), "must be 64 to 2^24"),
    ("width in steps of 4", lambda t: t.block(width=i32(t.m, 68)), lambda t: t.block(width=i32(t.m, 66)), "multiple of 4"),
    ("largest height", lambda t: t.block(height=i32(t.m, 1 << 24)), lambda t: t.block(height=i32(t.m, (1 << 24) + 1)),
     "1 to 2^24"),
    ("pitch in steps of 16", lambda t: t.block(pitch=i32(t.m, 80)), lambda t: t.block(pitch=i32(t.m, 72)), "multiple of 16"),
    ("pitch not below width", lambda t: t.block(width=i32(t.m, 64), pitch=i32(t.m, 64)),
     lambda t: t.block(width=i32(t.m, 128), pitch=i32(t.m, 64)), "not less than the width"),
    ("x in steps of 4 bytes", lambda t: t.block(at=t.pair(-2, 1)), lambda t: t.block(at=t.pair(3, 1)), "multiple of 2 elements"),
    # pointers
    ("base is global", lambda t: t.block(), lambda t: t.block(base=t.private(), private=t.private()), "must be a CrossWorkgroup"),
    ("private is private", lambda t: t.block(), lambda t: t.block(private=t.other), "must be a Function"),
    ("a store's order of pointers", lambda t: t.block("store"), lambda t: t.block("store", base=t.private(), private=t.base),
     "private pointer first"),
    ("base of integers", lambda t: t.block(), lambda t: t.block(base=t.undefined(t.m.type.pointer("CrossWorkgroup", t.f32))),
     "must point to integers"),
    ("base alignment", lambda t: aligned(t, 64), lambda t: aligned(t, 32), "multiple of 64"),

        ("private memory of numbers", lambda t: t.block(),
     lambda t: t.block(private=t.fn.variable(t.m.type.pointer("Function", t.word))),
     "must point to integers or floats"),
    ("private room", lambda t: t.block(private=t.private(count=8)), lambda t: t.block(private=t.private(count=7)), "has 14"),
    ("private room behind an offset", lambda t: t.block(shape=(2, 16, 16, 1), private=chain(t, 6)),
     lambda t: t.block(shape=(2, 16, 16, 1), private=chain(t, 7)), "has 16"),
    ("private alignment", lambda t: t.block(private=t.private(32)), lambda t: t.block(private=t.private(8)), "are not aligned"),
    ("transform gives i32", lambda t: t.block("load_transform", (2, 16, 16, 1), private=t.private(32)),
     lambda t: t.block("load_transform", (2, 16, 16, 1), private=t.private(16)), "gives 32-bit integers"),
    # matrices
    ("K is a constant", lambda t: t.matrix(), lambda t: t.matrix(k=t.width), "K must be a constant"),
    ("K of the table", lambda t: t.matrix(k=16), lambda t: t.matrix(k=5), "it must be 16"),
    ("result is as C", lambda t: t.matrix(), lambda t: t.matrix(result=t.m.type.vector(t.word, 8)),
     "result must have the type of C"),

        ("accumulator type", lambda t: t.matrix(c=t.m.type.vector(t.m.type.float(16), 8)),
     lambda t: t.matrix(c=t.m.type.vector(t.word, 8)),
     "must be of float16 or float32"),
    ("rows", lambda t: t.matrix(rows=4), lambda t: t.matrix(rows=3), "has 3 rows"),
    ("A's type", lambda t: t.matrix(), lambda t: t.matrix(a=t.m.type.vector(t.word, 8)), "A must be 8 x int16"),
    ("A is no pointer", lambda t: t.matrix(), lambda t: t.matrix(a=t.m.type.pointer("Function", t.half)), "A must be 8 x int16"),
    ("B's count", lambda t: t.matrix(), lambda t: t.matrix(b=t.m.type.vector(t.word, 4)), "B must be 8 x int32"),
    ("tf32 packs two rows of A", lambda t: t.matrix(k=8, operands=TF32, a=t.m.type.vector(t.f32, 4), b=t.m.type.vector(t.f32, 8)),
     lambda t: t.matrix(k=8, operands=TF32, a=t.m.type.vector(t.f32, 8), b=t.m.type.vector(t.f32, 8)), "A must be 4 x float32"),

        ("int8 sums are i32", lambda t: t.matrix(k=32, operands=INT8, c=t.m.type.vector(t.word, 8)),
     lambda t: t.matrix(k=32, operands=INT8),
     "must be of int32"),
    ("operands are given", lambda t: t.matrix(), lambda t: t.matrix(operands=None), "operands mask is missing"),
    ("operands of the table", lambda t: t.matrix(), lambda t: t.matrix(operands="MatrixAPackedFloat16INTEL"), "has the operands"),
    # shifts
    ("shifts within a word", lambda t: t.b.emit("OpShiftLeftLogical", t.word, t.width, i32(t.m, 31)),
     lambda t: t.b.emit("OpShiftLeftLogical", t.word, t.width, i32(t.m, 32)), "32 bits is shifted by 32"),
    ("shifts of vectors", lambda t: t.b.emit("OpShiftRightLogical", *pair_by(t, 15)),
     lambda t: t.b.emit("OpShiftRightLogical", *pair_by(t, 40)), "32 bits is shifted by 40"),
    # uniformity
    ("uniform coordinate", lambda t: t.block(height=broadcast(t, t.lane())), lambda t: t.block(height=t.lane()), "may differ"),
    ("uniform base", lambda t: t.block(), lambda t: t.block(base=t.b.emit(
        "OpInBoundsPtrAccessChain", t.m.type_of(t.base), t.base, t.lane())), "may differ"),

        ("loads at uniform addresses", lambda t: t.block(height=loaded_bound(t, t.width)),
     lambda t: t.block(height=loaded_bound(t, t.lane())),
     "may differ"),
    ("private memory", lambda t: t.block(height=stored_then_loaded(t, t.width)),
     lambda t: t.block(height=stored_then_loaded(t, t.lane())), "may differ"),
    ("values from loops", lambda t: after_loop(t, t.width), lambda t: after_loop(t, t.lane()), "may differ"),
    ("blocks in branches", lambda t: t.under(subgroup_is_first(t), t.block), lambda t: t.under(t.is_first_lane(), t.block),
     "not all of a subgroup may reach OpSubgroup2DBlockLoadINTEL"),
    ("matrices in branches", lambda t: t.under(subgroup_is_first(t), t.matrix), lambda t: t.under(t.is_first_lane(), t.matrix),
     "not all of a subgroup"),
    ("blocks in loops", lambda t: t.loop(t.width, lambda i: t.block(height=i)), lambda t: t.loop(t.lane(), lambda i: t.block()),
     "not all of a subgroup"),
    ("barriers in branches", lambda t: t.under(group_is_first(t), t.barrier), lambda t: t.under(subgroup_is_first(t), t.barrier),
     "not all of a workgroup may reach OpControlBarrier"),
]
# fmt: on


@pytest.mark.parametrize(("good", "bad", "message"), [twin[1:] for twin in TWINS], ids=[twin[0] for twin in TWINS])
def test_each_rule_tells_twins_apart(good, bad, message):
    assert problems(twins.module(good)) == []
    with pytest.raises(SpirvError, match=message.replace("^", r"\^")):
        verify(twins.module(bad))


def test_spirv_val_takes_the_good_twins():
    for _, good, *_ in TWINS:
        spirv_val(twins.module(good))


@pytest.mark.parametrize("size", [8, 32])
def test_blocks_need_subgroups_of_16(size):
    found = problems(twins.module(Bench.block, subgroup_size=size, local_size=(size, 1, 1)))
    assert any("need subgroups of 16" in str(problem) for problem in found)


def test_matrix_shapes_depend_on_the_subgroup_size():
    wide = lambda t: t.matrix(a=t.m.type.vector(t.word, 8))  # noqa: E731
    assert problems(twins.module(wide, subgroup_size=8)) == []
    assert "A must be 8 x int16" in str(problems(twins.module(wide))[0])
    assert "no device" in str(problems(twins.module(wide, subgroup_size=32, local_size=(32, 1, 1)))[0])


def test_workgroups_are_whole_subgroups():
    found = problems(twins.module(Bench.block, local_size=(24, 1, 1)))
    assert [str(problem).splitlines()[0] for problem in found] == ["a workgroup of 24x1x1 is not made of whole subgroups of 16"]


def test_subgroup_size_is_set():
    found = problems(twins.without(twins.module(lambda t: t.matrix()), "OpExecutionMode"))
    assert "no execution mode SubgroupSize" in str(found[0])


def test_extension_and_capability_are_declared():
    data = twins.module(lambda t: t.block("load_transform", (2, 16, 16, 1)))
    no_capability = twins.without(data, "OpCapability", twins.capability("Subgroup2DBlockTransformINTEL"))
    assert "needs the capability Subgroup2DBlockTransformINTEL" in str(problems(no_capability)[0])
    no_extension = twins.without(data, "OpExtension", *string_words("SPV_INTEL_2d_block_io"))
    assert "without its extension SPV_INTEL_2d_block_io" in str(problems(no_extension)[0])


def test_versions_after_1_4_are_refused():
    data = bytearray(twins.module(lambda t: None))
    data[5] = 5
    assert "SPIR-V version 1.5" in str(problems(bytes(data))[0])


def test_unknown_operand_bits_are_named():
    binary = Binary(twins.module(lambda t: t.matrix()))
    place = next(n for n, i in enumerate(binary.instructions) if i.name.startswith("OpSubgroupMatrix"))
    old = binary.instructions[place]
    binary.instructions[place] = Instruction(old.op, (*old.words[:-1], 0x40000C00))
    assert f"has the operands {F16_OPERANDS}|0x40000000" in str(problems(binary.write())[0])


def test_errors_show_the_instruction_and_a_hint():
    with pytest.raises(SpirvError) as caught:
        verify(twins.module(lambda t: t.block(shape=(2, 16, 24, 2))))
    text = str(caught.value)
    assert "width 16 x height 1|2|4|8|16|32 x count 1|2" in text
    assert "in: OpSubgroup2DBlockLoadINTEL %uint_2 %uint_16 %uint_24 %uint_2 %base" in text


def test_operands_are_spelled_as_written():
    assert F16_OPERANDS in str(problems(twins.module(lambda t: t.matrix(k=5)))[0])
