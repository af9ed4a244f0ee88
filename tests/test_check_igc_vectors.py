"""`tools/igc_vectors.py` finds vectors of which IGC writes the first element alone, and instructions that it makes the same."""

from __future__ import annotations

import pytest
from xetile.backends.spirv.assembly import chosen_rows
from xetile.backends.spirv.emit import arith, cast

import xetile as xt
from tests import tools
from tests.passes.test_shifted_tiles import ANY, BF16, product
from tests.simulator.test_rows_by_lanes import converted, counted
from tests.test_compare_code import _tool
from xetile.runtime import settings

_, _, vectors, igc = (_tool(name) for name in ("igc_flags", "igc_lanes", "igc_vectors", "check_igc"))

IR = """
define spir_kernel void @k(i32 %n) {{
entry:
{}
  ret void		; visa id: 9
}}
"""
CODE = """
.decl V0040 v_type=G type=d num_elts=16 align=wordx32
.decl V0041 v_type=G type=b num_elts=64 align=wordx32 alias=<V0040, 0>
{}
"""


def found(made, code):
    """made: LLVM's instructions, each with the number of its first virtual one, or none; code: those, from 0 on."""
    ir = "\n".join(f"  {text}" + (f"\t\t; visa id: {number}" if number is not None else "") for text, number in made)
    virtual = "\n".join(f"    {text}  /// ${number}" for number, text in enumerate(code))
    return [one.text for one in vectors.lost(IR.format(ir), CODE.format(virtual))]


LESS = "%c = fcmp olt <8 x float> %x, %y"
SMALLER = "select <8 x i1> %c, <8 x float> %y, <8 x float> %x"


@pytest.mark.parametrize(
    "code",
    [
        ("cmp.lt (M1_NM, 8) P1 V0050(0,0)<1;1,0> V0051(0,0)<1;1,0>", "(P1) sel (M1_NM, 8) V0052(0,0)<1> V0051(0,0)<1;1,0> V0050(0,0)<1;1,0>"),
        tuple(f"max (M1, 16) V0052({row},0)<1> V0050({row},0)<1;1,0> V0051({row},0)<1;1,0>" for row in range(8)),
        tuple(f"max (M1_NM, 1) V0052(0,{n})<1> V0050(0,{n})<0;1,0> V0051(0,{n})<0;1,0>" for n in range(8)),
    ],
)  # fmt: skip
def test_vectors_of_which_all_is_written(code):
    numbers = (0, 1) if len(code) == 2 else (None, 0)
    assert found([(LESS, numbers[0]), (f"%m = {SMALLER}", numbers[1])], code) == []


@pytest.mark.parametrize(
    "code",
    [
        ("max (M1_NM, 1) V0052(0,0)<1> V0051(0,0)<0;1,0> V0050(0,0)<0;1,0>",),
        ("mov (M1_NM, 8) V0051(0,0)<1> 0x3f800000:f", "max (M1_NM, 1) V0052(0,0)<1> V0051(0,0)<0;1,0> V0050(0,0)<0;1,0>"),
        ("max (M1, 16) V0052(0,0)<1> V0051(0,0)<1;1,0> V0050(0,0)<1;1,0>",),
    ],
)
def test_vectors_of_which_the_first_is_written(code):
    assert found([(LESS, None), (f"%m = {SMALLER}", 0)], code) == [SMALLER]


@pytest.mark.parametrize("bit, count", [(0, 0), (1, 1), (7, 1)])
def test_bits_of_vectors(bit, count):
    code = ("cmp.lt (M1_NM, 8) P1 V0050(0,0)<1;1,0> V0051(0,0)<1;1,0>", "(P1) sel (M1_NM, 1) V0053(0,0)<1> 0x1:d 0x0:d")
    taken = (f"%b = extractelement <8 x i1> %c, i32 {bit}", None)
    assert len(found([(LESS, 0), taken, ("%s = select i1 %b, i32 1, i32 0", 1)], code)) == count


def of_lane(lane):
    """A byte with its sign of one lane's number; only the last instruction has code."""
    broadcast = f"%w{lane} = call i32 @llvm.genx.GenISA.WaveBroadcast.i32(i32 %n, i32 {lane}, i32 0)"
    return (broadcast, None), (f"%h{lane} = shl i32 %w{lane}, 24", None), (f"%a{lane} = ashr exact i32 %h{lane}, 24", lane)


@pytest.mark.parametrize("place, count", [("V0041(0,{})", 0), ("V0041(0,0)", 1)])
def test_numbers_of_two_lanes(place, count):
    code = [f"asr (M1_NM, 1) V006{lane}(0,0)<1> {place.format(4 * lane)}<0;1,0> 0x0:d" for lane in (0, 1)]
    assert len(found([*of_lane(0), *of_lane(1)], code)) == count


def test_numbers_of_two_lanes_that_were_written_between():
    code = [
        "asr (M1_NM, 1) V0060(0,0)<1> V0041(0,0)<0;1,0> 0x0:d",
        "add (M1, 16) V0040(0,0)<1> V0050(0,0)<1;1,0> 0x1:d",
        "asr (M1_NM, 1) V0061(0,0)<1> V0041(0,0)<0;1,0> 0x0:d",
    ]
    first, (broadcast, shift, last) = of_lane(0), of_lane(1)
    assert found([*first, broadcast, ("%n2 = add i32 %n, 1", 1), shift, (last[0], 2)], code) == []


def test_pieces_of_assembly_have_no_numbers_in_the_ir():
    add = r"\0Aadd (M1, 16) $0(0,0)<1> $1(0,0)<1;1,0> 0x1:d"
    piece = rf'%o = call i32 asm "// two\0A{{{add}{add}\0A}}", "=rw,rw"(i32 %n)'
    made = [(piece, 0), ("%a = shl i32 %o, 1", 0), ("%b = shl i32 %o, 2", 1)]
    twice = "add (M1, 16) O(0,0)<1> A(0,0)<1;1,0> 0x1:d"
    code = [twice, twice, *(f"shl (M1, 16) V007{n}(0,0)<1> V0070(0,0)<1;1,0> 0x{n}:d" for n in (1, 2))]
    assert found(made, code) == []
    assert len(found(made, [*code[:3], code[2]])) == 1


@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
def test_bytes_of_one_lane_that_all_get(target, monkeypatch):
    """IGC 2.40.14 takes the first lane's."""
    tools.require_tool("ocloc")
    monkeypatch.setattr(cast, "hidden_vectors", lambda e, fragment, made: fragment)
    with settings.override(cache=False):
        compiled = converted.compile("i32[?,?]", "i32[?,?]", BETWEEN=xt.i8, target=target)
    assert any(
        isinstance(one, igc.Lost) and "asr" in one.why for one in igc.check(compiled.spirv, target, compiled.build_options)
    )


@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_choices_of_several_rows_by_one_number(target, monkeypatch):
    """IGC 2.40.14 takes the first row's."""
    tools.require_tool("ocloc")
    monkeypatch.setattr(arith, "decides_for_lanes", lambda op: False)
    monkeypatch.setattr("xetile.passes.lane.numbers.share_limits.FEWEST", 1 << 30)  # else each lane chooses for one row
    with settings.override(cache=False):
        compiled = counted.compile("f16[?,?]", "f32[?,?]", "i32", "i32", target=target, num_subgroups=2)
    assert any(
        isinstance(one, igc.Lost) and "a bit" in one.why for one in igc.check(compiled.spirv, target, compiled.build_options)
    )


def test_boolean_functions_that_became_others():
    code = "    bfn.xac (M1_NM, 32) O(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0> C(0,0)<0;1,0>      /// $64\n"
    right = "(W)  bfn.(s0&s2|s1&~s2) (32|M0)  r7.0<1>:ud  r3.0<1;0>:ud  r30.0<1;0>:ud  r110.0<0>:ud  //  ALU pipe: int; $64\n"
    other = "(W)  bfn.(s0^(s1|~s2)) (16|M0)  r25.0<1>:ud  r53.8<1;0>:ud  r53.0<1;0>:ud  r110.0<0>:ud  //  ALU pipe: int; $64\n"
    assert vectors.other_functions(code, right + right.replace("$64", "$65")) == []
    assert len(vectors.other_functions(code, right + other + other.replace("(s0^(s1|~s2))", "(zeros)"))) == 2


def test_choices_of_operands_that_begin_inside_of_a_register(monkeypatch):
    """IGC 2.40.14 forgets the function of what it splits; by a choice it does not."""
    tools.require_tool("ocloc")
    launch = product(BF16, (True, False), (ANY[0], lambda n: n * 4), 4, 1)

    def found():
        with settings.override(cache=False):
            compiled = launch.compiled("bmg")
            return igc.check(compiled.spirv, "bmg", compiled.build_options)

    assert found() == []
    monkeypatch.setattr(chosen_rows, "chosen", by_function)
    assert any(isinstance(one, igc.Lost) and "bfn" in one.why for one in found())


def by_function(names, by, rows, wide):
    """The choice by a boolean function."""
    out, one, other = names
    operands = f"{one}({{0}},0)<1;1,0> {other}({{0}},0)<1;1,0> {by}(0,0)<0;1,0>"
    return [f"bfn.xAC (M1_NM, {wide}) {out}({row},0)<1> {operands.format(row)}" for row in rows]
