"""Errors of simulated kernels name lines of the kernel's source: what IGC's table of lines says of the instruction."""

from __future__ import annotations

import inspect
import json
import re
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from xetile.backends.simulator.errors import SimulationError
from xetile.backends.simulator.execute import Executable, decode, disassembled
from xetile.backends.simulator.kernel import SimulatedKernel
from xetile.backends.simulator.lines import rows_behind, rows_of_listing, with_rows
from xetile.backends.simulator.toolchain import compile_spirv

import xetile as xt
from tests import tools
from tests.kernels.matmul import matmul
from tests.kernels.softmax import softmax
from tests.simulator.faults import changed, dropped_barriers
from tests.simulator.helper_kernel import behind
from xetile.errors import BuildError, LaunchError
from xetile.runtime.compiled import CompiledKernel
from xetile.runtime.compiler import build
from xetile.runtime.devices import find_device
from xetile.target import get_target


@pytest.fixture(params=("pvc", "bmg", "dg2"))
def target(request: pytest.FixtureRequest) -> str:
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    return request.param


@xt.jit
def reads_behind(a, c, n: xt.i32):
    where = xt.arange(16) + n
    x = xt.load_gather(xt.init_tile(a, where))
    xt.store_tile(x, xt.init_tile(c, 0, (16,)))


@xt.jit
def reads_behind_in_another_file(a, c, n: xt.i32):
    x = behind(a, n)
    xt.store_tile(x, xt.init_tile(c, 0, (16,)))


@xt.jit(num_subgroups=4)
def sums_of_columns(a, c):
    x = xt.load_tile(xt.init_tile(a, (0, 0), (64, 16), wg_map=xt.wg_map((4, 1), (16, 16))))
    xt.store_tile(xt.sum(x, axis=0), xt.init_tile(c, (0, 0), (1, 16)))


def line_of(function: Any, text: str) -> int:
    """The line of a kernel's source that holds a text."""
    lines, first = inspect.getsourcelines(getattr(function, "fn", function))
    return first + next(i for i, line in enumerate(lines) if text in line)


@pytest.mark.every(2)
@pytest.mark.parametrize("kernel, function", [(reads_behind, reads_behind), (reads_behind_in_another_file, behind)])
def test_an_error_names_the_line_of_the_kernel(target, kernel, function):
    a, c = np.arange(40, dtype=np.float32), np.zeros(16, np.float32)
    with xt.device(f"sim:{target}"), pytest.raises(LaunchError) as raised:
        kernel[(1,)](a, c, 27)
    at = raised.value.at
    assert at is not None
    assert (at.file, at.line) == (function.fn.__code__.co_filename, line_of(function, "load_gather"))
    assert "load_gather(xt.init_tile(a, where))" in str(raised.value)


def machine_code(compiled: CompiledKernel, *, lines: bool) -> bytes:
    binary = build(replace(compiled.request, lines=lines))
    return compile_spirv(binary.spirv, get_target(binary.target).ocloc_device or "", binary.build_options)


@pytest.mark.covering
@pytest.mark.every(3)
@pytest.mark.parametrize("make", [
    lambda target: matmul.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target=target, BM=32, BN=32),
    lambda target: softmax.compile("f16[?,?]", "f32[?,?]", target=target),
], ids=["matmul", "softmax"])  # fmt: skip
def test_lines_change_no_instruction(target, make):
    """So what is shown of the code with lines holds for the code that a GPU runs; the last ones only hold a hash of the module."""
    made = [machine_code(make(target), lines=lines) for lines in (False, True)]
    plain, located = (re.sub(r"null<1>:ud +0x\w+:ud", "", disassembled(binary, target)) for binary in made)
    assert plain == located


@pytest.mark.every(2, 1)
def test_products_have_their_line(target):
    what = decode(machine_code(matmul.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target=target), lines=True), target)
    lines = {place.line for inst in what.code.instructions if inst.opcode == "dpas" for place in what.places_of(inst)}
    assert lines == {line_of(matmul, "tile_mma")}


@xt.jit(num_subgroups=1)
def two_loops(A, B, C):
    acc = xt.zeros((16, 16), xt.f32)
    for k in range(0, A.shape[1], 32):
        acc += xt.load_tile(A[0:16, k : k + 32]) @ xt.load_tile(B[k : k + 32, 0:16])
        acc = xt.exp2(acc)
    for k in range(0, A.shape[1], 32):
        acc += xt.load_tile(A[16:32, k : k + 32]) @ xt.load_tile(B[k : k + 32, 0:16])
        acc = xt.rsqrt(acc)
    C[0:16, 0:16] = acc


@pytest.mark.every(3, 1)
def test_what_stands_behind_products_has_its_own_line(target):
    """Intel's compiler does not count products where it numbers instructions for debuggers: its table had other lines behind them."""
    what = decode(machine_code(two_loops.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target=target), lines=True), target)
    for function, opcode in (("exp2", "exp"), ("rsqrt", "rsqt")):
        found = [inst for inst in what.code.instructions if f"math.{opcode} " in inst.text]
        lines = {place.line for inst in found for place in what.places_of(inst)}
        assert found and lines == {line_of(two_loops, function)}


def test_a_listing_says_where_places_begin():
    listing = """
//.kernel_ID 0x0
.declare V1
B0:
(W)     mov (1|M0)   r1.0<1>:d  0x0:d   {Compacted}   //  ALU pipe: int;
// File: /a/b c.py
// Line 3:  x = y // 2
        add (16|M0)  r2.0<1>:d  r3.0<1;1,0>:d  1:w   {I@1}   // $3
L8:
// Line 4:
        sync.nop     null   {Compacted,$1.dst}
        nop // $5
"""
    rows, size = rows_of_listing(listing)
    assert rows == [(0, "", 0), (8, "/a/b c.py", 3), (24, "/a/b c.py", 4)] and size == 48
    assert rows_behind(with_rows(b"ELF", rows)) == rows and rows_behind(b"ELF") == []


def loaded(what: Executable, compiled: CompiledKernel, target: str) -> SimulatedKernel:
    """A kernel with other machine code."""
    made = SimulatedKernel(build(replace(compiled.request, lines=True)), replace(find_device(f"sim:{target}"), debug=True))
    made.executable = what
    return made


@pytest.mark.every(2, 1)
def test_a_race_names_both_lines(target):
    compiled = sums_of_columns.compile("f32[?,?]", "f32[?,?]", target=target)
    what = decode(machine_code(compiled, lines=True), target)
    a, c = np.arange(64 * 16, dtype=np.float32).reshape(64, 16), np.zeros((1, 16), np.float32)
    loaded(what, compiled, target).launch((1,), [a, c])
    np.testing.assert_array_equal(c[0], a.sum(0))
    faulty = dropped_barriers(what)
    assert faulty
    for kernel in faulty:
        with pytest.raises(LaunchError, match="race: ") as raised:
            loaded(kernel, compiled, target).launch((1,), [a, c])
        assert raised.value.at is not None
        assert str(raised.value).count(f"line {line_of(sums_of_columns, 'xt.sum')}") == 2
        assert isinstance(raised.value.__cause__, SimulationError)


def test_code_that_is_not_understood_is_named_with_its_line(target):
    """When it is read, and when it would be executed: nothing is guessed, or skipped."""
    compiled = reads_behind.compile("f32[?]", "f32[?]", "i32", target=target)
    module, device = build(replace(compiled.request, lines=True)), find_device(f"sim:{target}")
    kernel = SimulatedKernel(module, device)
    head, _, rest = kernel.native().partition(b"\n")
    size = json.loads(head)["binary"]
    listing = zlib.decompress(rest[size:]).decode()
    at = max(
        i
        for i, inst in enumerate(kernel.executable.code.instructions)
        if inst.comment.startswith("wr:") and "load" in inst.comment
    )
    gather = kernel.executable.code.instructions[at]
    strange = listing.replace(gather.text, "frob (16|M0)  r1  r2+r3", 1)
    with pytest.raises(BuildError, match="the simulator does not know: operand r2") as read:
        SimulatedKernel(module, device, head + b"\n" + rest[:size] + zlib.compress(strange.encode()))
    kernel.executable = changed(kernel.executable, {at: replace(gather, suffix="urb")})
    a, c = np.arange(64, dtype=np.float32), np.zeros(16, np.float32)
    with pytest.raises(LaunchError, match="the simulator does not know: messages to urb") as run:
        kernel.launch((1,), [a, c, 0])
    for raised in (read, run):
        assert f"[{gather.address:04X}]" in str(raised.value)
        assert raised.value.at is not None
        assert raised.value.at.line == line_of(reads_behind, "load_gather")
