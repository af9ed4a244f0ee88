"""The tables say what the hardware's documents say: explicit values, no derivation."""

from __future__ import annotations

import re

import pytest

from xetile.errors import DeviceError, DtypeError, ResourceError
from xetile.target import TARGETS, get_target
from xetile.target.names import DEFAULT, DEFAULT_LANES

GPUS = ("pvc", "bmg", "lnl", "dg2")
XE = ("pvc", "bmg", "lnl")


def test_names():
    assert list(TARGETS) == ["pvc", "bmg", "lnl", "dg2", "cpu", "avx512", "avx2", "amx"]
    assert all(
        target.name == name and get_target(name) is target and get_target(target) is target for name, target in TARGETS.items()
    )
    assert len({hash(target) for target in TARGETS.values()}) == len(TARGETS)


def test_an_unknown_name_gets_a_suggestion_and_the_list():
    with pytest.raises(DeviceError, match=r"there is no target 'PVCC'; did you mean 'pvc'\?") as error:
        get_target("PVCC")
    assert all(name in str(error.value) for name in TARGETS)
    with pytest.raises(DeviceError, match=r"there is no target 'h100'\n") as error:
        get_target("h100")
    assert "did you mean" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "lanes", "sizes", "grf", "slm", "blocks"),
    [
        ("pvc", 16, (16, 32), 64, 128 << 10, True),
        ("bmg", 16, (16, 32), 64, 128 << 10, True),
        ("lnl", 16, (16, 32), 64, 128 << 10, True),
        ("dg2", 8, (8, 16, 32), 32, 64 << 10, False),
    ],
)
def test_hardware_for_tiling(name, lanes, sizes, grf, slm, blocks):
    target = get_target(name)
    assert (target.subgroup_size, target.subgroup_sizes, target.grf_bytes) == (lanes, sizes, grf)
    assert (target.slm_bytes, target.has_2d_block, target.ocloc_device) == (slm, blocks, name)
    assert [(mode.registers, mode.threads_per_engine) for mode in target.grf_modes] == [(128, 8), (256, 4)]
    assert target.grf_mode(256).build_option == "-cl-intel-256-GRF-per-thread"
    assert target.cache_line == 64
    assert target.barriers == 32


@pytest.mark.parametrize(
    ("name", "items", "subgroups"),
    [("pvc", (1024, 512), (64, 32)), ("bmg", (1024, 512), (64, 32)), ("dg2", (1024, 512), (128, 64))],
)
def test_256_registers_halve_the_largest_workgroup(name, items, subgroups):
    target = get_target(name)
    assert (target.max_workgroup_items(128), target.max_workgroup_items(256)) == items
    assert (target.max_subgroups(128), target.max_subgroups(256)) == subgroups


def test_the_register_need_chooses_the_mode():
    pvc = get_target("pvc")
    accumulator, a, b = 32 * 64 * 4, 32 * 32 * 2, 32 * 64 * 2
    assert pvc.choose_grf(accumulator + a + b, workgroup_items=512) == pvc.grf_mode(256)
    assert pvc.choose_grf(accumulator // 2) == pvc.grf_mode(128)
    assert pvc.choose_grf(accumulator * 2) is None
    assert pvc.choose_grf(accumulator + a, workgroup_items=1024) is None
    with pytest.raises(ResourceError, match="pvc has no mode with 512 registers"):
        pvc.grf_mode(512)


# Seed 000: lane layouts for PVC and ARC. Operand: dtype, role, lane_layout, lane_data, block, elements of a lane.

PVC_OPERANDS = [
    ("bf16", "a", (1, 16), (1, 1), (8, 16), 8),
    ("f16", "a", (1, 16), (1, 1), (8, 16), 8),
    ("tf32", "a", (2, 8), (1, 1), (8, 8), 4),
    ("u8", "a", (1, 16), (1, 2), (8, 32), 16),
    ("i8", "a", (1, 16), (1, 2), (8, 32), 16),
    ("bf16", "b", (1, 16), (2, 1), (16, 16), 16),
    ("f16", "b", (1, 16), (2, 1), (16, 16), 16),
    ("tf32", "b", (1, 16), (1, 1), (8, 16), 8),
    ("u8", "b", (1, 16), (4, 1), (32, 16), 32),
    ("i8", "b", (1, 16), (4, 1), (32, 16), 32),
    ("f16", "acc", (1, 16), (1, 1), (8, 16), 8),
    ("i8", "acc", (1, 16), (1, 1), (8, 16), 8),
]
ARC_OPERANDS = [
    ("bf16", "a", (1, 8), (1, 2), (8, 16), 16),
    ("f16", "a", (1, 8), (1, 2), (8, 16), 16),
    ("u8", "a", (1, 8), (1, 4), (8, 32), 32),
    ("i8", "a", (1, 8), (1, 4), (8, 32), 32),
    ("bf16", "b", (1, 8), (2, 1), (16, 8), 16),
    ("f16", "b", (1, 8), (2, 1), (16, 8), 16),
    ("u8", "b", (1, 8), (4, 1), (32, 8), 32),
    ("i8", "b", (1, 8), (4, 1), (32, 8), 32),
    ("f16", "acc", (1, 8), (1, 1), (8, 8), 8),
    ("i8", "acc", (1, 8), (1, 1), (8, 8), 8),
]


@pytest.mark.parametrize(
    ("name", "rows"), [("pvc", PVC_OPERANDS), ("bmg", PVC_OPERANDS), ("lnl", PVC_OPERANDS), ("dg2", ARC_OPERANDS)]
)
def test_lane_layouts_of_seed_000(name, rows):
    for dtype, role, lanes, data, block, length in rows:
        product = get_target(name).get_mma(dtype)
        assert product.operand_layout(role) == (lanes, data), (dtype, role)
        assert product.operand_shape(role) == block
        assert product.elements_per_lane(role) == length


@pytest.mark.parametrize("name", XE)
def test_products_on_16_lanes(name):
    target = get_target(name)
    assert target.get_mma("f16").shape == target.get_mma("bf16").shape == (8, 16, 16)
    assert target.get_mma("i8", "u8").shape == (8, 16, 32)
    assert target.get_mma("tf32").shape == (8, 16, 8)
    assert target.get_mma("i4", "u4").shape == (8, 16, 64)
    assert [target.get_mma("f16", acc=acc).acc for acc in (None, "f32", "f16")] == ["f32", "f32", "f16"]
    assert target.get_mma("bf16", "bf16", "bf16").result == "bf16"
    assert target.get_mma("u8", "i8").acc == "i32"
    assert all(product.m == (1, 2, 4, 8) for product in target.mma)
    assert target.get_mma("tf32").elements_per_lane("a", m=1) == 1
    assert target.get_mma("f16").elements_per_lane("a", m=4) == 4


def test_products_on_8_lanes():
    dg2 = get_target("dg2")
    assert dg2.get_mma("f16").shape == dg2.get_mma("bf16").shape == (8, 8, 16)
    assert dg2.get_mma("u8", "i8").shape == (8, 8, 32)
    assert dg2.find_mma("tf32") is None
    assert dg2.find_mma("f16", acc="f16") is None


def test_units_are_16_or_32_bits():
    """Seed 000's rule of thumb: 16 bits for A on PVC except tf32, 32 bits for all else."""
    for name in GPUS:
        for product in get_target(name).mma:
            narrow = name != "dg2" and product.lhs != "tf32"
            assert product.packed_bits("a") == (16 if narrow else 32)
            assert product.packed_bits("b") == 32


def test_missing_products_are_explained():
    with pytest.raises(DtypeError, match="DPAS of dg2 does not multiply tf32 by tf32") as error:
        get_target("dg2").get_mma("tf32")
    assert "f16 by f16 into f32" in str(error.value)
    with pytest.raises(DtypeError, match="multiply f16 by bf16 into f32"):
        get_target("pvc").get_mma("f16", "bf16", "f32")
    with pytest.raises(DtypeError, match="cpu has no DPAS"):
        get_target("cpu").get_mma("f16")


def test_amx_takes_what_was_seen_to_run():
    assert get_target("amx").get_mma("bf16").shape == (16, 16, 32)
    assert get_target("amx").get_mma("bf16").operand_shape("b") == (32, 16)


# Hints, chunks, atomics.


def test_cache_hints():
    pvc, bmg = get_target("pvc").cache_hints, get_target("bmg").cache_hints
    assert len(pvc.load) == 7
    assert len(pvc.store) == 7
    assert pvc.is_legal("load", "streaming", "cached")
    assert not pvc.is_legal("load", "streaming", "streaming")
    assert pvc.is_legal("store", "write_back", "write_back")
    assert not pvc.is_legal("store", "write_back", "uncached")
    assert not pvc.is_legal("load", "write_back", "uncached")
    assert pvc.is_legal("prefetch", "cached", None)
    assert pvc.is_legal("load", None, None)
    assert bmg.is_legal("load", "read_invalidate", "read_invalidate")
    assert not pvc.is_legal("load", "read_invalidate", "read_invalidate")
    assert not pvc.is_legal("atomic", "cached", "cached")
    assert pvc.is_legal("atomic", "uncached", "write_back")


def test_chunks_of_scattered_loads():
    """Seed 000: 32-bit units, 512 bytes over all lanes."""
    pvc, dg2 = get_target("pvc"), get_target("dg2")
    assert pvc.legal_chunks(4) == (1, 2, 3, 4, 8)
    assert pvc.legal_chunks(2) == (1, 2, 4, 8, 16)
    assert pvc.legal_chunks(1) == (1, 4, 8, 16, 32)
    assert dg2.legal_chunks(4) == (1, 2, 3, 4, 8, 16)


@pytest.mark.parametrize(
    ("name", "kind", "dtype", "expected"),
    [
        ("pvc", "addf", "f32", "native"),
        ("pvc", "addf", "f64", "native"),
        ("dg2", "addf", "f64", "cas"),
        ("pvc", "addf", "f16", None),
        ("pvc", "mulf", "f32", "cas"),
        ("dg2", "maxs", "i32", "native"),
        ("pvc", "muli", "i64", "cas"),
        ("cpu", "addf", "f32", "cas"),
        ("cpu", "addi", "i32", "native"),
        ("pvc", "addi", "i8", None),
    ],
)
def test_atomics(name, kind, dtype, expected):
    assert get_target(name).atomic(kind, dtype) == expected


def test_dtypes():
    assert not get_target("dg2").supports("f64")
    assert get_target("pvc").supports("f64")
    assert all(get_target(name).supports(dtype) for name in TARGETS for dtype in ("f16", "bf16", "f32", "i8", "u8", "i32", "i64"))


# Peaks, in units of 10^12 operations per second.


@pytest.mark.parametrize(
    ("name", "f16", "i8", "tf32"), [("pvc", 839, 1678, 419), ("bmg", 117, 233, 58), ("lnl", 34, 67, 17), ("dg2", 138, 275, None)]
)
def test_published_peaks(name, f16, i8, tf32):
    roofline = get_target(name).roofline
    for dtype, expected in (("f16", f16), ("bf16", f16), ("i8", i8), ("tf32", tf32)):
        peak = roofline.peak(dtype)
        assert (None if peak is None else round(peak / 1e12)) == expected
    assert roofline.peak("f64") is None


def test_unknown_rates_are_none():
    for target in TARGETS.values():
        published = target.name == "pvc"
        assert (target.roofline.l1_bytes_per_second is not None) == published
        assert (target.roofline.last_level_bytes_per_second is not None) == published
    assert get_target("cpu").roofline.peak("f32") is None
    rates = get_target("pvc").roofline
    assert rates.l1_bytes_per_second > rates.last_level_bytes_per_second > rates.memory_bytes_per_second == 3.28e12


def test_a_product_of_the_rates_is_the_cycles_per_instruction():
    """An 8-row product takes m*n*k multiply-adds; a core issues one per engine every `mma_cycles`."""
    for name in GPUS:
        target = get_target(name)
        m, n, k = target.get_mma("f16").shape
        rate = dict(target.roofline.matrix_ops_per_clock)["f16"]
        assert 2 * m * n * k * target.roofline.engines_per_core / rate == target.roofline.mma_cycles


def test_no_other_module_of_the_project_is_needed():
    import xetile.layout
    import xetile.target

    for package in (xetile.layout, xetile.target):
        for path in package.__path__:
            from pathlib import Path

            for file in Path(path).glob("*.py"):
                imported = re.findall(r"^\s*(?:from|import) (xetile[\w.]*)", file.read_text(), re.M)
                assert set(imported) <= {
                    "xetile.errors",
                    "xetile.records",
                    "xetile.target.block_rules",
                    *(name for name in imported if name.startswith(package.__name__)),
                }, file


def test_what_says_no_lanes_has_those_of_the_default_target() -> None:
    assert get_target(DEFAULT).subgroup_size == DEFAULT_LANES
