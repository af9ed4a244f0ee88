"""What a report says of kernels: loops, spills, slow tiles, with their lines; of machine code, and without its tools."""

import warnings
from pathlib import Path

import pytest

import xetile as xt
from tests import tools
from xetile.errors import UncoveredError
from xetile.runtime.specialize import PerformanceWarning


@xt.jit(grid=(1,))
def product(A, B, C, BM: xt.constexpr = 64):
    acc = xt.zeros((BM, 64), xt.f32)
    for k in range(0, A.shape[1], 32):
        acc += xt.load_tile(xt.init_tile(A, (0, k), (BM, 32))) @ xt.load_tile(xt.init_tile(B, (k, 0), (32, 64)))
    xt.store_tile(xt.exp(acc), xt.init_tile(C, (0, 0), (BM, 64)))


@xt.jit(grid=(1,))
def odd_columns(X, Y, i):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32)))
    xt.store_tile(x, xt.init_tile(Y, (0, i), (16, 32)))


def of_product(**options):
    return product.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target="pvc", **options).report


def line_of(kernel, text):
    code = kernel.fn.__code__
    lines = Path(code.co_filename).read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if text in line and n > code.co_firstlineno)


@pytest.fixture
def without_tools(monkeypatch, tmp_path):
    from xetile.runtime import devices

    monkeypatch.setenv("PATH", str(tmp_path))
    devices.refresh()
    yield
    monkeypatch.undo()
    devices.refresh()


@pytest.fixture
def with_tools():
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)


def test_machine_code(with_tools):
    report = of_product()
    (loop,) = report.loops
    assert report.measured
    assert report.scratch == 0
    assert 0 < loop.dpas < loop.instructions
    assert loop.clocks > 0
    assert loop.at.line == line_of(product, "acc += ")
    assert f"{loop.dpas} dpas of {loop.instructions} instructions" in str(report)


@xt.jit(grid=(1,))
def steps_left_out(A, B, C, first):
    acc = xt.zeros((32, 32), xt.f32)
    top = xt.full((32, 1), 0.0)
    for k in range(0, A.shape[1], 32):
        if k < first or k > 2 * first:
            x = xt.load_tile(A[0:32, k : k + 32]) @ xt.load_tile(B[k : k + 32, 0:32])
            largest = xt.maximum(top, xt.max(x, axis=1))
            acc = acc * xt.exp(top - largest) + xt.exp(x - largest).to(xt.f16) @ xt.load_tile(B[k : k + 32, 0:32])
            top = largest
    C[0:32, 0:32] = acc


@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_loops_whose_steps_may_be_left_out_have_their_products(target, with_tools):
    """The shorter way round was taken for the loop: prefix attention was reported as "0 dpas of 17 instructions"."""
    report = steps_left_out.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", "i32", target=target).report
    assert max(loop.dpas for loop in report.loops) >= 4


@xt.jit(grid=(1,))
def two_products(A, B, C):
    acc = xt.zeros((32, 32), xt.f32)
    for k in range(0, A.shape[1], 32):
        x = xt.load_tile(A[0:32, k : k + 32]) @ xt.load_tile(B[k : k + 32, 0:32])
        acc += xt.exp(x).to(xt.f16) @ xt.load_tile(B[k : k + 32, 0:32])
    C[0:32, 0:32] = acc


def test_products_that_may_come_from_several_lines_name_them_all(with_tools):
    """Intel's compiler gives products no line: a report named the first line alone, beside the same line with what is surely of it."""
    report = two_products.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target="pvc").report
    (loop,) = report.loops
    several = [line for line in loop.lines if line.others]
    assert [(line.at.line, line.others[0].line) for line in several] == [
        (line_of(two_products, "x = "), line_of(two_products, "acc += "))
    ]
    assert " or test_report.py:" in str(several[0]) and str(several[0])[8:] in str(report)
    assert len({line.places for line in loop.lines}) == len(loop.lines)


def test_without_tools(without_tools):
    report = of_product()
    (loop,) = report.loops
    assert not report.measured
    assert "not on PATH: ocloc, iga64" in str(report)
    assert loop.clocks is None
    assert 0 < loop.dpas_share < 1
    assert loop.at.line == line_of(product, "for k in")


def test_both_count_the_same_products(with_tools):
    measured = of_product()
    assert measured.measured
    assert sum(loop.dpas for loop in measured.loops) == measured.estimate.work.hot.dpas


def test_spills(without_tools):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)
        report = of_product(BM=512, num_subgroups=1)
    assert report.scratch == report.estimate.spill_bytes > 0
    assert any("will be spilled" in text for text in report.advice)
    assert any(f"line {line_of(product, 'acc += ')}" in text for text in report.advice)


def test_slow_tiles(without_tools):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)
        report = odd_columns.compile("i8[?,?]", "i8[?,?]", "i32", target="pvc").report
    ((_, hint, at),) = report.slow
    assert at.line == line_of(odd_columns, "xt.store_tile")
    assert any(hint in text for text in report.advice)
    assert report.loops == ()


def test_what_lives(without_tools):
    report = of_product()
    amounts = [line.amount for line in report.registers]
    assert amounts == sorted(amounts, reverse=True)
    assert report.registers[0].at.line in (line_of(product, "acc += "), line_of(product, "xt.exp(acc)"))


def test_cpu_has_none():
    with pytest.raises(UncoveredError):
        _ = product.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", target="cpu").report


@xt.jit(grid=(1,))
def rotated(X, Y, theta):
    angles = xt.arange(64).to(xt.f32) * theta
    Y[0:64] = xt.load_tile(X[0:64]) * xt.sin(angles)


def test_functions_of_many_instructions_are_told_of(without_tools):
    """A kernel whose sines took 94% of its code had nothing to change."""
    report = rotated.compile("f32[64]", "f32[64]", "f32", target="pvc").report
    (found,) = report.costly
    assert found.at.line == line_of(rotated, "xt.sin")
    assert (
        f"{found.instructions:8.0f}  test_report.py:{found.at.line}  xt.sin(angles): sin, {found.each:.0f} for 16 numbers"
        in str(report)
    )
    (advice,) = (text for text in report.advice if "xt.sin" in text)
    assert "load it from a table that is passed" in advice


def test_few_instructions_are_not_told_of():
    assert not of_product().costly
