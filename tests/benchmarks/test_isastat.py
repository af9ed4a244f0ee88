"""benchmarks.isastat on a small listing whose counts are known, and on kernels that Intel's compiler makes here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import isastat
from benchmarks.isastat import IsaError, Listing, analyse, classify, parse, platform
from benchmarks.zebin import Kernel, ZebinError, read_kernels
from tests.tools import isa_counts, ocloc_compile, spirv_as, spirv_val

HERE = Path(__file__).parent
LARGE_REGISTER_FILE = "-cl-intel-256-GRF-per-thread"


@pytest.fixture
def nested() -> Listing:
    return parse((HERE / "nested.asm").read_text())


@pytest.fixture(scope="module")
def product() -> bytes:
    return spirv_as((HERE / "product.spvasm").read_text())


def test_padding_is_not_counted(nested: Listing) -> None:
    assert nested.instructions[-1].kind == "send_eot"
    assert nested.counts.total == 19


def test_labels_are_the_address_of_the_next_instruction(nested: Listing) -> None:
    assert nested.labels == {"L0": 0, "L48": 0x30, "L64": 0x40, "L512": 0x200}


def test_loops_are_found_by_their_back_edges(nested: Listing) -> None:
    loops = analyse(Kernel("k", b""), nested).loops
    assert [(loop.first, loop.last) for loop in loops] == [(0x30, 0xD0), (0x40, 0x98)]


def test_hot_loop_is_the_innermost_with_dpas(nested: Listing) -> None:
    hot = analyse(Kernel("k", b""), nested).hot
    assert hot is not None
    assert hot.counts.by_kind == {
        "load_block2d": 1, "prefetch": 1, "scratch_read": 1, "scratch_write": 1, "sync": 1, "dpas": 2, "branch": 1
    }  # fmt: skip
    assert (hot.counts.loads, hot.counts.scratch, hot.counts.sends, hot.counts.slm) == (1, 2, 4, 0)
    assert hot.counts.dpas_share == 0.25


def test_whole_kernel_counts(nested: Listing) -> None:
    counts = nested.counts
    assert counts["dpas"] == 3
    assert (counts["mov"], counts["alu"], counts["branch"]) == (1, 2, 3)
    assert (counts["slm_load"], counts["send_barrier"], counts["store_block2d"], counts["load_other"]) == (1, 1, 1, 1)
    assert counts.messages["load_block2d.ugm.d16.a64"] == 1


def test_per_kstep_divides_an_unrolled_loop(nested: Listing) -> None:
    stat = analyse(Kernel("k", b""), nested)
    assert stat.per_kstep(dpas=1).total == 4
    assert stat.per_kstep(dpas=2)["load_block2d"] == 1
    assert stat.per_kstep(dpas=4)["load_block2d"] == 2


def test_without_a_loop_there_is_no_kstep() -> None:
    stat = analyse(
        Kernel("k", b""), parse("/* [0000]  */         dpas.8x8 (16|M0)         r245:f        r245:f   r36:hf   r2.0:hf")
    )
    assert stat.hot is None
    assert stat.as_dict(kstep_dpas=1)["hot_loop"] is None
    with pytest.raises(IsaError, match="no loop of k holds dpas"):
        stat.per_kstep(1)


def test_a_line_that_cannot_be_read_is_not_skipped() -> None:
    with pytest.raises(IsaError, match="not an instruction"):
        parse("/* [0000]  */  ???")


@pytest.mark.parametrize(
    "opcode,operands,comment,kind",
    [
        ("dpasw.8x8", "", "", "dpas"),
        ("goto", "(16|M0) L1 L2", "", "branch"),
        ("mad", "(16|M0)", "", "alu"),
        ("send.ugm", "(1|M0) r2 r1 null:0", "wr:1+0, rd:2; load.ugm.d32x16t.a64.ss[a0.2]", "scratch_read"),
        ("send.ugm", "(1|M0) null r1 r2:4", "wr:1+4, rd:0; store.ugm.d32x16t.a64.ss[a0.2]", "scratch_write"),
        ("send.ugm", "(16|M0) r2 r1 null:0", "wr:2+0, rd:1; load.ugm.d32.a64.bss[a0.0]", "load_other"),
        ("send.ugm", "(16|M0) null r1 null:0", "wr:2+0, rd:0; load.ugm.d32.a64.ca.ca", "prefetch"),
        ("send.ugm", "(16|M0) null r1 r2:1", "wr:2+1, rd:0; atomic_iadd.ugm.d32.a64", "send_atomic"),
        ("send.ugm", "(1|M0) r2 r1 null:0", "wr:1+0, rd:1; fence.ugm.none.group", "send_fence"),
        ("send.slm", "(16|M0) null r1 r2:1", "wr:1+1, rd:0; store.slm.d32x16t.a32", "slm_store"),
        ("sendc.ugm", "(16|M0) null r1 r2:1", "wr:2+1, rd:0; store.ugm.d32.a64", "store_other"),
        ("send.smpl", "(16|M0) r2 r1 null:0", "wr:2+0, rd:1; sample", "send_other"),
    ],
)
def test_kinds(opcode: str, operands: str, comment: str, kind: str) -> None:
    assert classify(opcode, operands, comment) == kind


def test_devices_have_platforms() -> None:
    assert [platform(name) for name in ("pvc", "bmg-g21", "LNL", "dg2-g10", "xe3")] == ["xehpc", "xe2", "xe2", "xehpg", "xe3"]


def test_what_is_no_zebin_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ZebinError, match="not a 64-bit ELF"):
        read_kernels(b"SPIR-V or anything else")
    (tmp_path / "text").write_text("no binary")
    assert isastat.main([str(tmp_path / "text")]) == 1
    assert "not a 64-bit ELF" in capsys.readouterr().err


@pytest.mark.parametrize("device", ["pvc", "bmg"])
def test_compiled_kernel(product: bytes, device: str) -> None:
    spirv_val(product)
    stat = isa_counts(ocloc_compile(product, device, LARGE_REGISTER_FILE), device)
    assert (stat.kernel.name, stat.kernel.grf_count, stat.kernel.simd_size) == ("product", 256, 16)
    assert (stat.kernel.scratch_size, stat.kernel.spill_size) == (0, 0)
    assert len(stat.loops) == 1
    step = stat.per_kstep(dpas=1)
    assert (step["dpas"], step["load_block2d"], step["prefetch"], step.scratch) == (1, 2, 0, 0)
    assert stat.whole["store_block2d"] == 1


def test_command_line(product: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    binary, asm = ocloc_compile(product, "pvc"), tmp_path / "kernel.asm"
    assert isastat.main([str(binary), "-d", "pvc", "--kstep-dpas", "1", "--asm", str(asm)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["grf_count"] == 128
    assert printed["per_kstep"]["dpas"] == 1
    assert parse(asm.read_text()).counts.total == printed["whole"]["total"]
