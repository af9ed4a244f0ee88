"""Prefetches of loops have a message header of their own, made before the loop by IGC's functions."""

import re

import pytest
from xetile.backends.spirv.finished.prefetch_headers import as_messages
from xetile.backends.spirv.module.binary import Binary
from xetile.backends.spirv.module.disassemble import disassemble
from xetile.backends.spirv.verify.verify import verify

import xetile as xt
from tests.kernels.attention import attention
from tests.kernels.matmul import matmul

GEMM = ("f16[?,?]", "f16[?,?]", "f32[?,?]")
HEADS = ("f16[?,?,?]", "f16[?,?,?]", "f16[?,?,?]", "f32[?,?,?]")
HEADER = "Block2DAddressPayload"


def calls(spirv: bytes) -> list[str]:
    """The functions for headers that are called, as they come; a loop between them is a bar."""
    text = disassemble(spirv)
    names = dict(re.findall(r'OpDecorate (%\S+) LinkageAttributes "__builtin_IB_subgroup_(\w+)" Import', text))
    lines = re.findall(r"OpFunctionCall %\S+ (%\S+)|(OpLoopMerge)", text)
    return ["|" if merge else names[function] for function, merge in lines if merge or function in names]


def messages(spirv: bytes) -> int:
    return sum(i.name == "OpSubgroup2DBlockPrefetchINTEL" for i in Binary(spirv).instructions)


SET = {dim: f"set{HEADER}Block{dim}" for dim in "XY"}


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_headers_are_made_before_the_loop(target):
    made = calls(matmul.compile(*GEMM, target=target).spirv)
    assert made[:2] == ["create" + HEADER, "|"]
    assert set(made[2:-1]) == set(SET.values())  # one operand moves along its rows, the other along its columns
    assert re.fullmatch(r"block_read_ap_prefetch_u16_m\d+k\d+v\d", made[-1])


def test_a_coordinate_that_stays_is_written_once():
    made = calls(attention.compile(*HEADS, target="bmg").spirv)
    assert SET["Y"] in made
    assert SET["X"] not in made


@xt.jit(grid=(1,))
def hinted(A, B, C):
    """A prefetch with a hint, which the functions would not take."""
    acc = xt.zeros((16, 16), xt.f32)
    for k in range(0, A.shape[1], 16):
        a, b = xt.init_tile(A, (0, k), (16, 16)), xt.init_tile(B, (k, 0), (16, 16))
        xt.prefetch_tile(xt.update_tile_offset(b, (16, 0)), l1_hint="uncached")
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
    xt.store_tile(acc, xt.init_tile(C, (0, 0), (16, 16)))


def test_hints_stay_with_messages():
    spirv = hinted.compile(*GEMM, target="bmg", num_subgroups=1).spirv
    assert messages(spirv) and b"BlockY" not in spirv


def test_loops_whose_loads_have_headers_of_their_own_take_none():
    on = {target: attention.compile(*HEADS, target=target).spirv for target in ("pvc", "bmg")}
    assert calls(on["bmg"]) and HEADER.encode() not in on["pvc"]


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_compilers_without_the_functions_get_messages(target):
    spirv = matmul.compile(*GEMM, target=target).spirv
    other = as_messages(spirv)
    assert messages(other) - messages(spirv) == sum("prefetch" in name for name in calls(spirv))
    assert HEADER.encode() not in other
    verify(other)


def test_other_modules_stay_as_they_are():
    spirv = matmul.compile(*GEMM, target="dg2").spirv
    assert as_messages(spirv) is spirv
