"""CPUs through Intel's CPU OpenCL runtime: vectors of AVX2 or AVX-512 (`cpu`), and AMX tiles (`amx`).

What the runtime was seen to accept. Rates depend on the machine and are measured, not listed.
"""

from __future__ import annotations

from dataclasses import replace

from xetile.target.mma import Mma
from xetile.target.model import Target

KIB = 1024

_INTEGER_ATOMICS = frozenset({"addi", "andi", "ori", "xori", "assign", "maxs", "mins", "maxu", "minu"})

CPU = Target(
    name="cpu",
    family="x86",
    description="CPU with AVX-512, BF16 and VNNI",
    subgroup_size=16,
    subgroup_sizes=(16,),
    grf_bytes=0,  # no register file of this kind: no register estimate
    grf_modes=(),
    grf_reserve=0,
    grf_doubt=0,
    grf_overhead=0,
    engines_per_core=None,
    max_workgroup=1024,
    slm_bytes=256 * KIB,
    barriers=1,
    dtypes=frozenset(
        {"i1", "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "index", "f16", "bf16", "tf32", "f32", "f64"}
    ),
    block1d_counts=(),
    chunk_sizes=(1, 2, 4, 8, 16),
    max_scatter_bytes=1024,
    atomics=(("i32", _INTEGER_ATOMICS), ("i64", _INTEGER_ATOMICS)),
    cas_bytes=(4, 8),
    exact_division_option="-cl-fp32-correctly-rounded-divide-sqrt",
    vector_lanes=16,
    product_rows=12,
    stream_bytes=32 * KIB * KIB,
    scales_by_powers=True,
    pair_products=frozenset({"bf16", "i16", "i8"}),
)

# Every CPU with AVX2 multiplies pairs of i16 and adds them up; to a sum it is VNNI that adds.
AVX512 = replace(
    CPU,
    name="avx512",
    description="CPU with AVX-512 without BF16 and VNNI",
    pair_products=frozenset({"i16"}),
    adds_pairs=False,
)

AVX2 = replace(
    CPU,
    name="avx2",
    description="CPU with AVX2",
    pair_products=frozenset({"i16"}),
    adds_pairs=False,
    vector_lanes=8,
    product_rows=6,
    scales_by_powers=False,
)

# Rows of 64 bytes by as many columns of words: 16x32 by 32x16 bf16, 16x64 by 64x16 bytes. Lanes do not show in them.
AMX = replace(
    CPU,
    name="amx",
    description="CPU with AMX tiles (Sapphire Rapids and later)",
    mma=(
        Mma("bf16", "bf16", "f32", n=16, k=32, m=(16,)),
        *(Mma(a, b, "i32", n=16, k=64, m=(16,)) for a in ("i8", "u8") for b in ("i8", "u8")),
    ),
)
