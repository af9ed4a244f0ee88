"""The warning before the driver spills: where it points, what it blames, and that what it proposes fits."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

import xetile as xt
from benchmarks.isa_cases import CASES
from xetile.errors import Location
from xetile.estimate.storage import Storage
from xetile.ops.kernels import matmul
from xetile.passes import pipeline
from xetile.runtime import compiler, spilling
from xetile.runtime.specialize import SpillWarning
from xetile.runtime.spilling import TRIES

TYPES = ("f16[?,?]", "f16[?,?]", "f32[?,?]")
TOO_LARGE = {"BM": 256, "BN": 256, "num_subgroups": 16}


def compiled(**options):
    return matmul.matmul.compile(*TYPES, target="pvc", **options)


def test_a_kernel_that_spills_warns_at_the_tile_at_fault() -> None:
    with pytest.warns(SpillWarning) as caught:
        assert compiled(**TOO_LARGE).spirv
    (warning,) = caught
    text = str(warning.message)
    assert re.match(
        r"matmul for pvc needs at least \d+ of 256 registers: about \d+ bytes of every hardware thread will be spilled", text
    )
    assert "256 registers: f32[256, 256] xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc), line" in text
    assert "f16[256, 32] xt.load_tile(a)" in text
    place = Location(warning.filename, warning.lineno, 0, 1000)
    assert "tile_mma" in place.text
    assert warning.filename == matmul.__file__


def test_where_values_lie_is_not_found_out_again_for_the_warning(monkeypatch) -> None:
    """Other kernels are traced meanwhile: of linear attention for DG2 the warning took a fifth of all compiling."""
    with pytest.warns(SpillWarning):
        request = matmul.matmul.compile(*TYPES, target="dg2", **TOO_LARGE).request
    found, begin = [], Storage.__init__
    monkeypatch.setattr(Storage, "__init__", lambda self, *given: found.append(given) or begin(self, *given))
    compiler.build(request)
    assert found
    compiler.trace(request)
    found.clear()
    assert compiler.estimate(request, whole=False).spills
    assert not found


def test_what_is_proposed_fits() -> None:
    with pytest.warns(SpillWarning) as caught:
        assert compiled(**TOO_LARGE).spirv
    hint = str(caught[0].message).partition("hint: ")[2]
    proposals = hint.split("; ")
    assert len(proposals) == TRIES
    for proposal in proposals:
        options, _, registers = proposal.partition(" needs ")
        changed = {name: int(value) for name, value in (item.split("=") for item in options.split(", "))}
        assert changed.items() - TOO_LARGE.items()
        with warnings.catch_warnings():
            warnings.simplefilter("error", SpillWarning)
            other = compiled(**{**TOO_LARGE, **changed})
            assert other.spirv
        assert other.estimate.least == int(registers)


@xt.jit(grid=1)
def exponentials(X, Y):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (256, 256)))
    xt.store_tile(xt.exp(x) / xt.sum(xt.exp(x * 2), axis=1), xt.init_tile(Y, (0, 0), (256, 256)))


@xt.jit(grid=1)
def huge(X, Y):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (512, 512)))
    xt.store_tile(xt.exp(x) / xt.sum(xt.exp(x * 2), axis=1), xt.init_tile(Y, (0, 0), (512, 512)))


def test_where_no_size_is_a_constant_more_subgroups_are_proposed_until_it_fits() -> None:
    with pytest.warns(SpillWarning, match=r"hint: num_subgroups=32 needs \d+") as caught:
        exponentials.compile("f32[?,?]", "f32[?,?]", target="pvc", num_subgroups=4)
    assert str(caught[0].message).endswith(f"needs {exponentials.compile(*['f32[?,?]'] * 2, num_subgroups=32).estimate.least}")


def test_more_subgroups_than_there_can_be_are_not_proposed() -> None:
    with pytest.warns(SpillWarning) as caught:
        exponentials.compile("f32[?,?]", "f32[?,?]", target="dg2", num_subgroups=32)
    assert "hint: use smaller tiles, or more subgroups" not in str(caught[0].message)
    with pytest.warns(SpillWarning, match="hint: use smaller tiles$"):
        huge.compile("f32[?,?]", "f32[?,?]", target="pvc", num_subgroups=32)


def test_what_takes_long_to_compile_is_not_compiled_for_a_hint(monkeypatch) -> None:
    lower, lowered = pipeline.lower, []
    monkeypatch.setattr(pipeline, "lower", lambda module, target: lowered.append(module) or lower(module, target))
    for large, number in ((10**6, 1 + TRIES), (1, 1)):
        monkeypatch.setattr(spilling, "LARGE", large)
        lowered.clear()
        with pytest.warns(SpillWarning, match=r"needs \d+;" if number > 1 else r"hint: .*num_subgroups=32 may need about \d+;"):
            assert compiled(**TOO_LARGE).spirv
        assert len(lowered) == number


def test_smaller_tiles_are_proposed_for_the_subgroups_that_were_found() -> None:
    """One kernel is compiled for each hint, not one for each number of subgroups that may fit."""
    with pytest.warns(SpillWarning) as caught:
        kernel = matmul.matmul.compile(*TYPES, target="pvc", BM=256, BN=512)
    assert f"num_subgroups={kernel.binary.num_subgroups}" in str(caught[0].message).partition("hint: ")[2]


def test_kernels_that_fit_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", SpillWarning)
        for case in CASES:
            if case.name in (
                "matmul f16",
                "matmul f16, summed in f16",
                "matmul f16, bias, gelu",
                "softmax f16",
                "layer norm f16",
            ):
                assert case.compile("pvc").binary.spill_bytes == 0


def test_kernels_from_the_cache_warn_too(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XETILE_CACHE_DIR", str(tmp_path))
    for _ in range(2):
        with pytest.warns(SpillWarning):
            assert compiled(**TOO_LARGE).binary.spill_bytes > 0


@pytest.mark.every(6)
@pytest.mark.parametrize("way", [lambda k: k.spirv, lambda k: k.estimate, lambda k: k.ir["lane"], lambda k: k.report])
def test_compiling_says_it_and_what_is_asked_of_the_kernel_does_not_say_it_again(way) -> None:
    with pytest.warns(SpillWarning):
        kernel = compiled(**TOO_LARGE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        way(kernel)


def test_text_that_spills_warns_too(tmp_path) -> None:
    from xetile.cli import main

    text = Path("tutorials/xegpu_gemm.mlir").read_text(encoding="utf-8")
    file = tmp_path / "gemm.mlir"
    file.write_text(
        text.replace("sg_layout = [4, 4], sg_data = [32, 32]", "sg_layout = [1, 1], sg_data = [128, 128]"), encoding="utf-8"
    )
    for form in ("estimate", "spirv-text"):
        with pytest.warns(SpillWarning, match="gemm for pvc needs at least .* of 256 registers") as caught:
            assert main(["opt", str(file), "--emit", form, "--target", "pvc", "-o", str(tmp_path / "out")]) == 0
        assert (caught[0].filename, caught[0].lineno) == (str(file), 21)


def test_what_a_driver_spills_is_told_though_it_was_estimated_to_fit() -> None:
    kernel = matmul.matmul.compile(*TYPES, target="pvc")
    with pytest.warns(SpillWarning, match="registers: the driver spills 960 bytes of every hardware thread to memory"):
        spilling.warn_of_built(kernel.request, kernel.binary, 960)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for said in (None, 0):
            spilling.warn_of_built(kernel.request, kernel.binary, said)


def test_what_was_estimated_is_told_where_a_driver_says_nothing() -> None:
    with pytest.warns(SpillWarning):
        kernel = compiled(**TOO_LARGE)
    binary = kernel.binary
    for said in (None, 0):  # some drivers answer 0 of every kernel
        with pytest.warns(SpillWarning, match=f"about {binary.spill_bytes} bytes"):
            spilling.warn_of_built(kernel.request, binary, said)
