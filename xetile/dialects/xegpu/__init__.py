"""xegpu: descriptors, block and scattered messages, dpas, shared memory, named barriers (seed 002; names and text of LLVM 22).

The same ops serve workgroups (layouts with sg_layout), subgroups (vectors of blocks) and lanes (1-D vectors: a lane's fragment).
Each op checks the rules that upstream's verifier has, and those of the seeds that it lacks.
"""

from xetile.dialects.xegpu.block import (
    HEADER,
    CreateNdTdesc,
    LoadNd,
    PrefetchNd,
    StoreNd,
    Surface,
    UpdateNdOffset,
    has_blocks,
    surface_of,
)
from xetile.dialects.xegpu.compute import ConvertLayout, Dpas, only_sums
from xetile.dialects.xegpu.levels import check_level, derived_level, in_range
from xetile.dialects.xegpu.matrix import CreateMemDesc, LoadMatrix, MemDescSubview, StoreMatrix
from xetile.dialects.xegpu.scattered import (
    ATOMIC_KINDS,
    AtomicRmw,
    CreateTdesc,
    Load,
    Prefetch,
    Store,
    UpdateOffset,
)
from xetile.dialects.xegpu.sync import AllocNbarrier, Fence, InitNbarrier, NbarrierArrive, NbarrierWait
from xetile.dialects.xegpu.types import (
    CACHE_HINTS,
    AnyLayout,
    BlockAttr,
    CacheHint,
    MemDescType,
    MemLayoutAttr,
    NbarrierType,
    RangeAttr,
    ScatterAttr,
    TensorDescType,
    layouts_of,
    not_distributable,
)

__all__ = [
    "ATOMIC_KINDS",
    "CACHE_HINTS",
    "HEADER",
    "AllocNbarrier",
    "AnyLayout",
    "AtomicRmw",
    "BlockAttr",
    "CacheHint",
    "ConvertLayout",
    "CreateMemDesc",
    "CreateNdTdesc",
    "CreateTdesc",
    "Dpas",
    "Fence",
    "InitNbarrier",
    "Load",
    "LoadMatrix",
    "LoadNd",
    "MemDescSubview",
    "MemDescType",
    "MemLayoutAttr",
    "NbarrierArrive",
    "NbarrierType",
    "NbarrierWait",
    "Prefetch",
    "PrefetchNd",
    "RangeAttr",
    "ScatterAttr",
    "Store",
    "StoreMatrix",
    "StoreNd",
    "Surface",
    "TensorDescType",
    "UpdateNdOffset",
    "UpdateOffset",
    "check_level",
    "derived_level",
    "has_blocks",
    "in_range",
    "layouts_of",
    "not_distributable",
    "only_sums",
    "surface_of",
]
