"""Intel GPUs: PVC (Xe-HPC), BMG and LNL (Xe2), DG2 (Xe-HPG).

Lane layouts are seed 000's rules for PVC and ARC; message shapes are those that every driver with SPV_INTEL_2d_block_io takes
(OpenCL environment 1.1.0, 16 lanes); rates marked derived are computed from published ones.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import product

from xetile.target.block_rules import XE_BLOCK_RULES
from xetile.target.blocks import Block2D, MessageShapes
from xetile.target.mma import DTYPE_BITS, Mma, OperandLayout
from xetile.target.model import CacheHints, GrfMode, Roofline, Target
from xetile.target.names import KNOWN

KIB, MIB = 1024, 1024 * 1024

_1_TO_8, _1_TO_32 = (1, 2, 4, 8), (1, 2, 4, 8, 16, 32)

_SHAPES = (
    MessageShapes("load", 1, 32, _1_TO_32, (1, 2)),
    MessageShapes("load", 1, 16, (8, 16, 32), (4,)),
    MessageShapes("load", 2, 16, _1_TO_32, (1, 2)),
    MessageShapes("load", 4, 8, (2, 4, 8, 16, 32), (1, 2)),  # one row of 8 would leave half of the lanes undefined
    MessageShapes("load", 4, 16, _1_TO_32),
    MessageShapes("transform", 1, 16, (32,), (1, 2, 4)),
    MessageShapes("transform", 2, 16, (16, 32), (1, 2)),
    # 32 rows exist too, but sources disagree on which rows a lane then gets: left out.
    MessageShapes("transpose", 4, 8, (16,)),
    MessageShapes("store", 1, 16, _1_TO_8),
    MessageShapes("store", 1, 32, _1_TO_8),
    MessageShapes("store", 2, 16, _1_TO_8),
    MessageShapes("store", 4, 16, _1_TO_8),
    MessageShapes("prefetch", 1, 32, _1_TO_32, (1, 2)),
    MessageShapes("prefetch", 1, 16, (32,), (1, 2)),
    MessageShapes("prefetch", 1, 16, (8, 16, 32), (4,)),
    MessageShapes("prefetch", 2, 16, _1_TO_32, (1, 2)),
    MessageShapes("prefetch", 4, 8, _1_TO_32, (1, 2)),
    MessageShapes("prefetch", 4, 16, _1_TO_32),
)

_BLOCK2D = Block2D(
    shapes=_SHAPES,
    lanes=16,
    **asdict(XE_BLOCK_RULES),
    x_multiple=((1, 4), (2, 2), (4, 1), (8, 1)),
)


def _mma(lanes: int, lhs: str, rhs: str, acc: str, a_bits: int) -> Mma:
    """A product of depth 8: each lane holds 8 x 32 bits of its column of B, and `a_bits` at a time of a row of A."""
    bits = DTYPE_BITS[lhs]
    k = 8 * 32 // bits
    columns = k // max(1, a_bits // bits)
    across = (lanes // columns, columns) if columns < lanes else (1, lanes)
    return Mma(
        lhs, rhs, acc, n=lanes, k=k, m=_1_TO_8,
        a_layout=OperandLayout(across, (1, max(1, a_bits // bits))),
        b_layout=OperandLayout((1, lanes), (32 // bits, 1)),
        acc_layout=OperandLayout((1, lanes), (1, 1)),
    )  # fmt: skip


def _integer_mma(lanes: int, a_bits: int) -> tuple[Mma, ...]:
    bytes_, nibbles = product(("i8", "u8"), repeat=2), product(("i4", "u4"), repeat=2)
    return tuple(_mma(lanes, lhs, rhs, "i32", a_bits) for lhs, rhs in (*bytes_, *nibbles))


# Seed 000: a lane holds 16 bits of A at a time on 16 lanes, 32 on 8 lanes.
_XE_MMA = (
    _mma(16, "f16", "f16", "f32", 16),
    _mma(16, "bf16", "bf16", "f32", 16),
    _mma(16, "f16", "f16", "f16", 16),
    _mma(16, "bf16", "bf16", "bf16", 16),
    _mma(16, "tf32", "tf32", "f32", 32),
    *_integer_mma(16, 16),
)
# No tf32 and no 16-bit accumulators on DG2 (seed 000 lists a tf32 layout for ARC, but its DPAS has none).
_DG2_MMA = (_mma(8, "f16", "f16", "f32", 32), _mma(8, "bf16", "bf16", "f32", 32), *_integer_mma(8, 32))

_UC, _C, _S, _RI, _WB, _WT = "uncached", "cached", "streaming", "read_invalidate", "write_back", "write_through"
_HINTS = CacheHints(
    load=((_UC, _UC), (_UC, _C), (_C, _UC), (_C, _C), (_S, _UC), (_S, _C), (_RI, _C)),
    store=((_UC, _UC), (_UC, _WB), (_WT, _UC), (_WT, _WB), (_S, _UC), (_S, _WB), (_WB, _WB)),
    atomic=((_UC, _UC), (_UC, _WB)),  # atomics must not use the level-1 cache
)
_XE2_HINTS = replace(_HINTS, load=(*_HINTS.load, (_RI, _RI)))

_INTEGER_ATOMICS = frozenset({"addi", "andi", "ori", "xori", "assign", "maxs", "mins", "maxu", "minu"})
_FLOAT_ATOMICS = frozenset({"addf", "maxnumf", "minnumf"})
_DG2_ATOMICS = (("i32", _INTEGER_ATOMICS), ("i64", _INTEGER_ATOMICS), ("f32", _FLOAT_ATOMICS))
_XE_ATOMICS = (*_DG2_ATOMICS, ("f64", _FLOAT_ATOMICS))

_INTEGERS = {"i1", "bool", "i4", "u4", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "index"}
_DG2_DTYPES = frozenset(_INTEGERS | {"f16", "bf16", "f32"})
_XE_DTYPES = frozenset(_DG2_DTYPES | {"tf32", "f64"})

# OpenCL C 4.2.1: without it f32 quotients may be off by 2.5 ulp and roots by 3 (table 7.4).
_EXACT_DIVISION = "-cl-fp32-correctly-rounded-divide-sqrt"
_GRF_MODES = (GrfMode(128, 8), GrfMode(256, 4, "-cl-intel-256-GRF-per-thread"))

# Vector rates are derived: one multiply-add per lane of the register width and clock on each engine.
_F32_VECTOR = (("f32", 256),)
# Intel's oneAPI GPU Optimization Guide: the function unit has a quarter of the lanes; clocks of a hit and a miss in the GPU's cache.
_CLOCKS = {"function_clocks": 4, "cache_latency": 150, "memory_latency": 300}

PVC = Target(
    name="pvc",
    family="xe-hpc",
    description="Data Center GPU Max 1550 (Ponte Vecchio), two stacks",
    subgroup_size=16,
    subgroup_sizes=(16, 32),
    grf_bytes=64,
    grf_modes=_GRF_MODES,
    grf_reserve=16,
    grf_doubt=24,
    grf_overhead=6,
    engines_per_core=8,
    max_workgroup=1024,
    slm_bytes=128 * KIB,
    slm_message_instructions=5,  # IGC puts instructions that do nothing before an address register is written again
    barriers=32,
    dtypes=_XE_DTYPES,
    mma=_XE_MMA,
    block2d=_BLOCK2D,
    block1d_counts=_1_TO_8,
    chunk_sizes=(1, 2, 3, 4, 8, 16, 32, 64),
    cache_hints=_HINTS,
    prefetch_distance=3,
    atomics=_XE_ATOMICS,
    cas_bytes=(4, 8),
    roofline=Roofline(
        cores=128,
        engines_per_core=8,
        hertz=1.6e9,
        matrix_ops_per_clock=(("f16", 4096), ("bf16", 4096), ("i8", 8192), ("u8", 8192), ("tf32", 2048)),
        vector_ops_per_clock=_F32_VECTOR,
        memory_bytes_per_second=3.28e12,
        # Intel at Hot Chips 34.
        core_bytes_per_clock=512,
        last_level_bytes_per_second=13e12,
        l1_bytes_per_second=105e12,
        l1_bytes=512 * KIB,
        last_level_bytes=408 * MIB,
        mma_cycles=8,
        **_CLOCKS,
    ),
    ocloc_device="pvc",
    iga_platform="xehpc",
    exact_division_option=_EXACT_DIVISION,
)

BMG = replace(
    PVC,
    name="bmg",
    family="xe2",
    description="Arc B580 (Battlemage)",
    block_offsets=True,
    slm_message_instructions=2,
    cache_hints=_XE2_HINTS,
    roofline=Roofline(
        cores=20,
        engines_per_core=8,
        hertz=2.85e9,
        matrix_ops_per_clock=(("f16", 2048), ("bf16", 2048), ("i8", 4096), ("u8", 4096), ("tf32", 1024)),
        vector_ops_per_clock=_F32_VECTOR,
        memory_bytes_per_second=456e9,
        l1_bytes=256 * KIB,
        last_level_bytes=18 * MIB,
        mma_cycles=16,
        **_CLOCKS,
    ),
    ocloc_device="bmg",
    iga_platform="xe2",
)

LNL = replace(
    BMG,
    name="lnl",
    description="Arc 140V (Lunar Lake)",
    roofline=replace(
        BMG.roofline,
        cores=8,
        hertz=2.05e9,
        memory_bytes_per_second=136e9,
        l1_bytes=192 * KIB,
        last_level_bytes=8 * MIB,
    ),
    ocloc_device="lnl",
    iga_platform="xe2",
)

DG2 = Target(
    name="dg2",
    family="xe-hpg",
    description="Arc A770 (Alchemist)",
    subgroup_size=8,
    subgroup_sizes=(8, 16, 32),
    grf_bytes=32,
    grf_modes=_GRF_MODES,
    grf_reserve=32,  # as many bytes as the others
    grf_doubt=32,
    grf_overhead=6,
    engines_per_core=16,
    max_workgroup=1024,
    slm_bytes=64 * KIB,
    barriers=32,
    dtypes=_DG2_DTYPES,
    mma=_DG2_MMA,
    block1d_counts=_1_TO_8,
    chunk_sizes=(1, 2, 3, 4, 8, 16, 32, 64),
    lane_run=KNOWN["dg2"].lane_run,
    cache_hints=_HINTS,
    atomics=_DG2_ATOMICS,
    cas_bytes=(4, 8),
    roofline=Roofline(
        cores=32,
        engines_per_core=16,
        hertz=2.1e9,
        matrix_ops_per_clock=(("f16", 2048), ("bf16", 2048), ("i8", 4096), ("u8", 4096)),
        vector_ops_per_clock=_F32_VECTOR,
        memory_bytes_per_second=560e9,
        l1_bytes=192 * KIB,
        last_level_bytes=16 * MIB,
        mma_cycles=16,
        **_CLOCKS,
    ),
    divides=False,
    ocloc_device="dg2",
    iga_platform="xehpg",
    exact_division_option=_EXACT_DIVISION,
    exact_steps=False,
)
