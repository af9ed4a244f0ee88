"""`tools/check_igc.py` finds instructions of IGC that write beyond their variables, and effects out of order; our kernels have none."""

from __future__ import annotations

import subprocess

import pytest
from xetile.backends.spirv.emit.emitter import Emitter

from tests import tools
from tests.simulator.test_instructions_together import more_than_the_sum
from tests.simulator.test_lanes_apart import ARRAYS, rolled_twice, transposed
from tests.test_compare_code import _tool, kernels
from xetile.errors import CompileError, DtypeError, ResourceError, TileShapeError
from xetile.runtime import settings

_, lanes, _, igc = (_tool(name) for name in ("igc_flags", "igc_lanes", "igc_vectors", "check_igc"))
ONCE = Emitter.once

CODE = """
.decl V0032 v_type=G type=hf num_elts=16 align=hword
.decl V0033 v_type=G type=f num_elts=64 align=hword
.decl V0034 v_type=G type=d num_elts=4 align=hword alias=<V0033, 192>
    {}                                       /// $9
"""
WITHIN = (
    "(P1) sel (M1, 16) V0032(0,0)<1> V0033(0,0)<0;1,0> V0033(0,1)<0;1,0>",
    "mov (M1_NM, 4) V0034(0,0)<1> 0x0:d",
    "add.sat (M1, 8) V0032(0,1)<2> V0032(0,0)<1;1,0> 0x1:hf",
    "dpas.hf.hf.8.8 (M1, 8) V0033.0 V0033.0 V0032.0 V0032(0,0)",
    "mov (M1, 16) V0031(9,0)<1> 0x0:f",  # of a variable that the text does not declare: the machine's own registers
    "lsc_load.ugm (M1, 16)  V0032:d32x4  flat[V0033]:a64",
)
BEYOND = {
    "(!P1) sel (M1, 16) V0032(1,0)<1> V0033(0,0)<0;1,0> V0033(0,1)<0;1,0>": (64, 32),
    "mov (M1_NM, 8) V0034(0,0)<1> 0x0:d": (32, 16),
    "add.sat (M1, 9) V0032(0,0)<2> V0032(0,0)<1;1,0> 0x1:hf": (34, 32),
    "dpas.hf.hf.8.8 (M1, 8) V0033.32 V0033.0 V0032.0 V0032(0,0)": (288, 256),
}


@pytest.mark.parametrize("line", WITHIN)
def test_writes_within_variables(line):
    assert igc.outside(CODE.format(line), 32) == []


@pytest.mark.parametrize("line, where", BEYOND.items())
def test_writes_beyond_variables(line, where):
    (found,) = igc.outside(CODE.format(line), 32)
    assert (found.text, found.end, found.size) == (line, *where)


@pytest.mark.parametrize("behind, where", [("", 0), (".64", 0), (".32", 32), (".160", 32)])
def test_messages_from_the_middle_of_a_register(behind, where):
    line = f"lsc_store_block2d.ugm (M1, 1)  flat[V0282 + (0,0)]  V0253{behind}:d16.16x1nn"
    assert [one.behind for one in igc.inside(CODE.format(line), 64)] == [where] * bool(where)


CHOICE = """
OpCapability Addresses
OpCapability Kernel
OpCapability Float16
OpCapability Int16
OpCapability Int64
OpCapability Vector16
OpCapability Groups
OpCapability SubgroupDispatch
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k" %id
OpExecutionMode %k SubgroupSize 8
OpExecutionMode %k LocalSize 8 1 1
OpDecorate %id BuiltIn SubgroupLocalInvocationId
%bool = OpTypeBool
%ushort = OpTypeInt 16 0
%uint = OpTypeInt 32 0
%half = OpTypeFloat 16
%void = OpTypeVoid
%v4uint = OpTypeVector %uint 4
%v8ushort = OpTypeVector %ushort 8
%p_in = OpTypePointer Input %uint
%p_load = OpTypePointer CrossWorkgroup %v4uint
%p_store = OpTypePointer CrossWorkgroup %half
%f = OpTypeFunction %void %p_load %p_store
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%subgroup = OpConstant %uint 3
%id = OpVariable %p_in Input
%k = OpFunction %void None %f
%A = OpFunctionParameter %p_load
%R = OpFunctionParameter %p_store
%entry = OpLabel
%lane = OpLoad %uint %id
%from = OpInBoundsPtrAccessChain %p_load %A %lane
%words = OpLoad %v4uint %from Aligned 16
%halves = OpBitcast %v8ushort %words
%a = OpCompositeExtract %ushort %halves 0
%b = OpCompositeExtract %ushort %halves 1
%x = {}
%y = {}
%x_half = OpBitcast %half %x
%y_half = OpBitcast %half %y
%bit = OpBitwiseAnd %uint %lane %c1
%odd = OpINotEqual %bool %bit %c0
%chosen = OpSelect %half %odd %y_half %x_half
%to = OpInBoundsPtrAccessChain %p_store %R %lane
OpStore %to %chosen Aligned 2
OpReturn
OpFunctionEnd
"""


def assembled(text, folder):
    for tool in ("spirv-as", "ocloc"):
        tools.require_tool(tool)
    (folder / "choice.spvasm").write_text(text)
    command = ["spirv-as", "--target-env", "opencl2.1", str(folder / "choice.spvasm"), "-o", str(folder / "choice.spv")]
    subprocess.run(command, check=True)
    return (folder / "choice.spv").read_bytes()


def test_choices_of_halves_of_one_lane_that_lie_in_one_loaded_vector(tmp_path):
    """IGC 2.40.14 repeats the choice for each register of the vector; `backends/spirv/emit/gpu.py` hides such halves from it."""
    spread = CHOICE.format(*(f"OpGroupBroadcast %ushort %subgroup {half} %c0" for half in ("%a", "%b")))
    found = igc.check(assembled(spread, tmp_path), "dg2")
    assert [(one.text.partition(" V")[0], one.size) for one in found] == [("(P1) sel (M1, 8)", 16)] * 3


def test_choices_of_halves_of_each_lane(tmp_path):
    assert igc.check(assembled(CHOICE.format("OpCopyObject %ushort %a", "OpCopyObject %ushort %b"), tmp_path), "dg2") == []


MODULE = """
define spir_kernel void @k(ptr addrspace(3) %0) {{
entry:
  {}
  ret void
}}
declare void @llvm.genx.GenISA.threadgroupbarrier() #1
declare i32 @llvm.genx.GenISA.WaveAll.i32(i32, i8, i32) #1
declare float @llvm.genx.GenISA.bftof.f32.i16(i16) #2
attributes #1 = {{ convergent nounwind }}
attributes #2 = {{ nounwind memory(none) }}
"""
STORE = "store i32 %{}, ptr addrspace(3) %0, align 4, !dbg !7"
BARRIER = "call void @llvm.genx.GenISA.threadgroupbarrier(), !dbg !8"
LOAD = "%{} = load i32, ptr addrspace(3) %0, align 4"
OTHER_LOAD = "%{} = load float, ptr addrspace(3) %0, align 4"
PURE = "%{} = call i32 @llvm.genx.GenISA.WaveAll.i32(i32 %1, i8 0, i32 0)"
CONVERSION = "%{} = call float @llvm.genx.GenISA.bftof.f32.i16(i16 %2)"


def of(*lines):
    return MODULE.format("\n  ".join(line.format(number) for number, line in enumerate(lines, 3)))


@pytest.mark.parametrize(
    "before, after",
    [
        ((STORE, BARRIER, LOAD), (PURE, STORE, CONVERSION, BARRIER, LOAD)),
        ((LOAD, OTHER_LOAD, STORE), (OTHER_LOAD, LOAD, STORE)),
        ((PURE, STORE, CONVERSION), (CONVERSION, STORE, PURE)),
    ],
)
def test_effects_in_the_same_order(before, after):
    assert igc.moved(of(*before), of(*after)) == []


@pytest.mark.parametrize(
    "before, after",
    [((STORE, BARRIER), (BARRIER, STORE)), ((STORE, LOAD), (LOAD, STORE)), ((BARRIER, LOAD), (LOAD, BARRIER)), ((STORE,), ())],
)
def test_effects_in_another_order(before, after):
    assert len(igc.moved(of(*before), of(*after))) == 1


@pytest.mark.parametrize("once", [True, False])
def test_a_store_in_front_of_a_barrier(once, monkeypatch):
    """IGC 2.40.14 moves it behind the barrier where a conversion is written twice, and its first result is taken in part."""
    tools.require_tool("ocloc")
    if not once:
        monkeypatch.setattr(
            Emitter, "once", lambda emitter, key, make: make() if key[0] == "bf16 as f32" else ONCE(emitter, key, make)
        )
    with settings.override(cache=False):
        compiled = more_than_the_sum.compile(
            "bf16[?,?;scattered]", "bf16[?,?;scattered]", target="pvc", num_subgroups=2, H=33, W=3
        )
    found = igc.check(compiled.spirv, "pvc", compiled.build_options)
    assert [type(one) for one in found] == ([] if once else [igc.Moved])


WAYS = """
// B000: Preds:{{}},  Succs:{{B001, B002}}
        add (16|M0)              r8.0<1>:d     r5.0<1;1,0>:d     r6.0<0;1,0>:d                       //  ALU pipe: int; $1
(W)     mov (1|M0)               r9.0<1>:d     0:w                                                   //  ALU pipe: int; $2
(f0.1)  goto (16|M0)                         _0_1            _0_1                                    //  ALU pipe: int; $3
// B001: [inDivergent],  Preds:{{B000}},  Succs:{{B003}}
        {}   //  ALU pipe: int; $4
        goto (16|M0)                         _0_1            _0_2                                    // $5
// B002: [inDivergent],  Preds:{{B000}},  Succs:{{B003}}
        {}   //  ALU pipe: int; $6
// B003: Preds:{{B001, B002}},  Succs:{{}}
        mov (16|M0)              r11.0<1>:d    r8.3<0;1,0>:d                                         //  ALU pipe: int; $7
"""
OF_A_LANE, OF_ALL = "add (16|M0) r10.0<1>:d r5.0<1;1,0>:d r8.3<0;1,0>:d", "add (16|M0) r10.0<1>:d r5.0<1;1,0>:d r9.0<0;1,0>:d"
OF_EACH = "add (16|M0) r10.0<1>:d r5.0<1;1,0>:d r8.0<1;1,0>:d"
WAITING = "(W) mov (8|M0) null<1>:ud r8.0<1;1,0>:ud"
OVER, BESIDE = "mov (16|M0) r8.0<1>:d 0:w", "mov (16|M0) r12.0<1>:d 0:w"


@pytest.mark.parametrize(
    "over, reading", [(BESIDE, OF_A_LANE), (OVER, WAITING), (OVER, OF_ALL), (OVER, OF_EACH), (OF_A_LANE, OVER)]
)
def test_numbers_of_other_lanes_that_are_there(over, reading):
    assert lanes.apart(WAYS.format(over, reading), 64) == []


@pytest.mark.parametrize("reading", [OF_A_LANE, "(W) mov (8|M0) r10.0<1>:d r8.0<1;1,0>:d"])
def test_numbers_of_other_lanes_that_are_written_over(reading):
    (found,) = lanes.apart(WAYS.format(OVER, reading), 64)
    assert (found.text, found.over) == (reading, OVER)


BY_LANES = "cmp (16|M0) (lt)f0.1 null<1>:d r5.0<1;1,0>:d 4:w"
TOGETHER = (
    "(W) cmp (16|M0) (lt)f0.1 null<1>:d r5.0<0;1,0>:d 4:w",
    "cmp (16|M0) (lt)f0.1 null<1>:d r5.0<0;1,0>:d -r6.3<0;1,0>:d {{I@1}}",
    "(W) cmp (16|M0) (lt)f1.0 null<1>:d r5.0<0;1,0>:d 4:w\n(W) mov (1|M0) r2.9<1>:uw f1.0<0;1,0>:uw\n(W) mov (1|M0) f0.1<1>:uw r2.9<0;1,0>:uw",
    "(W) cmp (16|M0) (lt)f0.1 null<1>:d r5.0<0;1,0>:d 4:w\n(W&f0.1) cmp (16|M0) (gt)f0.1 null<1>:d r7.0<0;1,0>:d 0:w",
    f"{BY_LANES}\n(W) mov (1|M0) f0.1<1>:uw 0xFFFF:uw",
)
OF_THEIR_OWN = (
    BY_LANES,
    "(W) mov (1|M0) f0.1<1>:uw r2.9<0;1,0>:uw",
    f"{BY_LANES}\n(f0.1) cmp (16|M0) (lt)f0.1 null<1>:d r5.0<0;1,0>:d 4:w",
    f"{TOGETHER[0]}\nand (16|M0) (ne)f0.1 null<1>:d r5.0<1;1,0>:d 4:w",
)


@pytest.mark.parametrize("asked, count", [*((text, 0) for text in TOGETHER), *((text, 1) for text in OF_THEIR_OWN)])
def test_branches_that_lanes_take_together(asked, count):
    """As DG2's are written, which has no other."""
    code = WAYS.replace("(f0.1)  goto", asked + "\n(f0.1)  goto").format(OVER, OF_A_LANE)
    assert len(lanes.apart(code, 64)) == count


def test_a_product_that_goes_on_in_the_accumulator():
    assert lanes.apart(WAYS.format(OVER, "(W) mul (16|M0) acc0.0<1>:d r8.0<1;1,0>:d r9.0<0;1,0>:uw"), 64) == []


@pytest.mark.parametrize("label, count", [("if.then", 1), ("then", 0)])
def test_exchanges_in_branches_of_conditions(label, count):
    assert len(igc.branched(of("br label %x", f"\n{label}:  ; preds = %0", PURE, CONVERSION))) == count


@pytest.mark.parametrize("target", kernels.TARGETS)
def test_lanes_that_go_apart(target):
    """Each was found in what IGC 2.40.14 made of modules with one broadcast, and nothing between conditions that lanes exchange."""
    tools.require_tool("ocloc")
    with settings.override(cache=False):
        rolled = rolled_twice.compile(*ARRAYS, target=target)
        turned = transposed.compile("bf16[?,?;scattered]", "f32[?,?,?;scattered]", "i32", target=target)
    assert igc.check(rolled.spirv, target, rolled.build_options) == []
    assert igc.check(turned.spirv, target, turned.build_options) == []


# Of the largest tiles, which spill: IGC gives numbers of one way of the lanes the registers of another way's zeros.
KNOWN = {("tests/kernels/attention.py:attention f16[?,?,?] f16[?,?,?] f16[?,?,?] f32[?,?,?] causal=True D=128", "dg2")}


@pytest.mark.slow
@pytest.mark.parametrize("target", kernels.TARGETS)
@pytest.mark.parametrize("case", list(kernels.cases()), ids=lambda case: case.name)
def test_no_kernel_has_any(case, target):
    tools.require_tool("ocloc")
    try:
        compiled = case.compile(target)
    except (CompileError, DtypeError, ResourceError, TileShapeError) as error:  # written for another target, or to be refused
        pytest.skip(error.message)
    found = igc.check(compiled.spirv, target, compiled.build_options)
    assert bool(found) == ((case.name, target) in KNOWN), found
