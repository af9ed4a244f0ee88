"""`tools/check_igc_writes.py` finds instructions of IGC that write beyond their variables; IGC makes none of our kernels."""

from __future__ import annotations

import subprocess

import pytest

from tests import tools
from tests.test_compare_code import _tool, kernels
from xetile.errors import CompileError, DtypeError, ResourceError, TileShapeError

writes = _tool("check_igc_writes")

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
    assert writes.outside(CODE.format(line), 32) == []


@pytest.mark.parametrize("line, where", BEYOND.items())
def test_writes_beyond_variables(line, where):
    (found,) = writes.outside(CODE.format(line), 32)
    assert (found.text, found.end, found.size) == (line, *where)


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
    """IGC 2.40.14 repeats the choice for each register of the vector; `backends/spirv/emit_gpu.py` hides such halves from it."""
    spread = CHOICE.format(*(f"OpGroupBroadcast %ushort %subgroup {half} %c0" for half in ("%a", "%b")))
    found = writes.check(assembled(spread, tmp_path), "dg2")
    assert [(one.text.partition(" V")[0], one.size) for one in found] == [("(P1) sel (M1, 8)", 16)] * 3


def test_choices_of_halves_of_each_lane(tmp_path):
    assert writes.check(assembled(CHOICE.format("OpCopyObject %ushort %a", "OpCopyObject %ushort %b"), tmp_path), "dg2") == []


@pytest.mark.slow
@pytest.mark.parametrize("target", kernels.TARGETS)
@pytest.mark.parametrize("case", list(kernels.cases()), ids=lambda case: case.name)
def test_no_kernel_has_such_writes(case, target):
    tools.require_tool("ocloc")
    try:
        compiled = case.compile(target)
    except (CompileError, DtypeError, ResourceError, TileShapeError) as error:  # written for another target, or to be refused
        pytest.skip(error.message)
    assert writes.check(compiled.spirv, target, compiled.build_options) == []
